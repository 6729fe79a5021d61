//! The module `rank_correlation` against independent values and what must hold of any input.

use super::{kendall, kendall_weighted, spearman, spearman_weighted};
use crate::stats::moments;
use crate::stats::undefined::Undefined;

#[test]
fn monotone_pairs_reach_the_ends_exactly() {
    let left = [1.0, 2.0, 2.0, 3.5, 9.0, -4.0, 7.25];
    let up: Vec<f64> = left.iter().map(|x: &f64| x.powi(3)).collect();
    let down: Vec<f64> = left.iter().map(|x| -x / 3.0).collect();
    assert_eq!(spearman(&left, &up), Ok(1.0));
    assert_eq!(spearman(&left, &down), Ok(-1.0));
    assert_eq!(kendall(&left, &up), Ok(1.0));
    assert_eq!(kendall(&left, &down), Ok(-1.0));
}

#[test]
fn constant_or_missing_sides_have_none() {
    for statistic in [spearman, kendall] {
        assert_eq!(statistic(&[1.0, 2.0], &[0.0, -0.0]), Err(Undefined::Constant));
        assert_eq!(statistic(&[1.0], &[1.0]), Err(Undefined::TooFew { have: 1, need: 2 }));
        assert_eq!(statistic(&[], &[]), Err(Undefined::NoRecords));
        assert_eq!(statistic(&[1.0, f64::INFINITY], &[1.0, 2.0]), Err(Undefined::NotFinite));
        assert_eq!(statistic(&[1.0], &[]), Err(Undefined::UnequalLengths { left: 1, right: 0 }));
    }
    // A resample of one value only is constant however often it stands.
    assert_eq!(spearman_weighted(&[1.0, 2.0], &[3.0, 4.0], &[0, 5]), Err(Undefined::Constant));
    assert_eq!(kendall_weighted(&[1.0, 2.0], &[3.0, 4.0], &[0, 5]), Err(Undefined::Constant));
}

/// Tau-b from every pair.
fn slow_kendall(left: &[f64], right: &[f64]) -> f64 {
    let (mut score, mut left_untied, mut right_untied) = (0.0, 0.0, 0.0);
    for i in 0..left.len() {
        for j in 0..i {
            let sign = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
            let (a, b) = (sign(left[i], left[j]), sign(right[i], right[j]));
            score += a * b;
            left_untied += a * a;
            right_untied += b * b;
        }
    }
    score / (left_untied * right_untied).sqrt()
}

proptest::proptest! {
    #[test]
    fn a_multiplicity_is_a_repetition(records in proptest::collection::vec((0u8..7, 0u8..7, 0u16..4), 1..25)) {
        let left: Vec<f64> = records.iter().map(|r| f64::from(r.0) / 3.0).collect();
        let right: Vec<f64> = records.iter().map(|r| f64::from(r.1) / 3.0).collect();
        let times: Vec<u16> = records.iter().map(|r| r.2).collect();
        let list: Vec<usize> =
            (0..records.len()).rev().flat_map(|i| std::iter::repeat_n(i, times[i].into())).collect();
        let long_left: Vec<f64> = list.iter().map(|&i| left[i]).collect();
        let long_right: Vec<f64> = list.iter().map(|&i| right[i]).collect();
        let rho = spearman_weighted(&left, &right, &times);
        proptest::prop_assert_eq!(rho, spearman(&long_left, &long_right));
        proptest::prop_assert_eq!(rho, spearman_weighted(&right, &left, &times));
        let tau = kendall_weighted(&left, &right, &times);
        proptest::prop_assert_eq!(tau, kendall(&long_left, &long_right));
        proptest::prop_assert_eq!(tau, kendall_weighted(&right, &left, &times));
        proptest::prop_assert_eq!(rho.err(), tau.err());
        if let (Ok(rho), Ok(tau)) = (rho, tau) {
            proptest::prop_assert!((rho - moments::spearman(&long_left, &long_right).unwrap()).abs() < 1e-12);
            proptest::prop_assert!((tau - slow_kendall(&long_left, &long_right)).abs() < 1e-12);
            proptest::prop_assert!(rho.abs() <= 1.0 && tau.abs() <= 1.0);
        }
    }
}
