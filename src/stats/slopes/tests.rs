//! The module `slopes` against independent values and what must hold of any input.

#![expect(clippy::cast_precision_loss, reason = "small counts")]

use super::{SlopeError, least_squares, least_squares_weighted, theil_sen, theil_sen_weighted};
use crate::stats::undefined::Undefined;
use crate::stats::within::{Groups, mean_over_defined};

#[test]
fn lines_are_recovered() {
    let dose = [0.0, 1.0, 2.0, 4.0, 8.0];
    let line: Vec<f64> = dose.iter().map(|x| 3.0 - 0.25 * x).collect();
    assert_eq!(least_squares(&dose, &line), Ok(-0.25));
    assert_eq!(theil_sen(&dose, &line), Ok(-0.25));
    // A far offset costs nothing: the sums are exact.
    let far: Vec<f64> = dose.iter().map(|x| x + 1e15).collect();
    assert_eq!(least_squares(&far, &line), Ok(-0.25));
    // One outlier moves the least squares, not the median of slopes.
    let mut bent = line;
    bent[4] = 1000.0;
    assert!(least_squares(&dose, &bent).unwrap() > 50.0);
    assert_eq!(theil_sen(&dose, &bent), Ok(-0.25));
}

#[test]
fn one_dose_has_no_slope() {
    assert_eq!(least_squares(&[0.1, 0.1, 0.1], &[1.0, 2.0, 3.0]), Err(Undefined::Constant));
    let refused = theil_sen(&[0.1, 0.1], &[1.0, 2.0]).unwrap_err();
    assert_eq!(refused, SlopeError::Undefined(Undefined::Constant));
    assert!(refused.to_string().contains("same dose"));
    assert_eq!(least_squares(&[1.0], &[1.0]), Err(Undefined::TooFew { have: 1, need: 2 }));
    assert_eq!(least_squares(&[], &[]), Err(Undefined::NoRecords));
    assert_eq!(least_squares_weighted(&[1.0, 2.0], &[1.0, 2.0], &[0, 3]), Err(Undefined::Constant));
    assert_eq!(theil_sen_weighted(&[1.0, 2.0], &[1.0, 2.0], &[0, 3]), Err(Undefined::Constant.into()));
    assert_eq!(least_squares(&[1.0, f64::NAN], &[1.0, 2.0]), Err(Undefined::NotFinite));
    let many = vec![0.0; 3000];
    assert_eq!(theil_sen(&many, &many), Err(SlopeError::TooManyPairs { records: 3000 }));
    assert_eq!(theil_sen(&[0.0, 5e-324], &[0.0, 1.0]), Err(Undefined::NotFinite.into()));
}

#[test]
fn units_can_rise_while_the_pool_falls() {
    let (dose, outcome) = ([1.0, 2.0, 5.0, 6.0, 9.0], [10.0, 11.0, 0.0, 1.0, 7.0]);
    assert!(least_squares(&dose, &outcome).unwrap() < 0.0);
    let slopes = Groups::new(&[0, 0, 1, 1, 2]).each(&dose, &outcome, least_squares).unwrap();
    let mean = mean_over_defined(&slopes).unwrap();
    assert_eq!((mean.mean, mean.defined, mean.undefined), (1.0, 2, 1));
}

proptest::proptest! {
    #[test]
    fn a_multiplicity_is_a_repetition(
        records in proptest::collection::vec((0u8..6, -1e3f64..1e3, 0u16..4), 1..16),
    ) {
        let dose: Vec<f64> = records.iter().map(|r| f64::from(r.0) / 10.0).collect();
        let outcome: Vec<f64> = records.iter().map(|r| r.1).collect();
        let times: Vec<u16> = records.iter().map(|r| r.2).collect();
        let list: Vec<usize> =
            (0..records.len()).rev().flat_map(|i| std::iter::repeat_n(i, times[i].into())).collect();
        let long_dose: Vec<f64> = list.iter().map(|&i| dose[i]).collect();
        let long_outcome: Vec<f64> = list.iter().map(|&i| outcome[i]).collect();
        let slope = least_squares_weighted(&dose, &outcome, &times);
        proptest::prop_assert_eq!(slope, least_squares(&long_dose, &long_outcome));
        let median = theil_sen_weighted(&dose, &outcome, &times);
        proptest::prop_assert_eq!(median, theil_sen(&long_dose, &long_outcome));
        if let Ok(slope) = slope {
            let n = long_dose.len() as f64;
            let (x, y) = (long_dose.iter().sum::<f64>() / n, long_outcome.iter().sum::<f64>() / n);
            let pairs = || long_dose.iter().zip(&long_outcome).map(|(a, b)| (a - x, b - y));
            let plain = pairs().map(|(a, b)| a * b).sum::<f64>() / pairs().map(|(a, _)| a * a).sum::<f64>();
            proptest::prop_assert!((slope - plain).abs() <= 1e-9 * plain.abs().max(1.0), "{} {}", slope, plain);
        }
    }
}
