//! The module `studentised` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{Studentised, Term};
use crate::stats::column::ExactColumn;
use crate::stats::paired::PairedSample;
use crate::stats::picks::Picks;
use crate::stats::undefined::Undefined;

fn column(values: &[i128]) -> ExactColumn {
    ExactColumn::new(0, values.to_vec()).unwrap()
}

fn term<'c>(factor: f64, numerator: &'c ExactColumn, denominator: &'c ExactColumn) -> Term<'c> {
    Term { factor, numerator, denominator }
}

#[test]
fn refuses_what_has_no_standard_error() {
    let picks = Picks::draw(4, 100, 1).unwrap();
    let (ones, zeros, same) = (column(&[1; 4]), column(&[0; 4]), column(&[2, 4, 6, 8]));
    let size = column(&[1, 2, 3, 4]);
    let new = |terms: &[Term<'_>]| Studentised::new(&picks, terms, 1).map(|_| ());
    assert_eq!(new(&[]), Err(Undefined::NoRecords));
    assert_eq!(new(&[term(1.0, &same, &size)]), Err(Undefined::Constant));
    assert_eq!(new(&[term(1.0, &ones, &zeros)]), Err(Undefined::ZeroDenominator));
    assert_eq!(new(&[term(f64::NAN, &same, &ones)]), Err(Undefined::NotFinite));
    assert_eq!(new(&[term(1.0, &column(&[1; 3]), &ones)]), Err(Undefined::UnequalLengths { left: 3, right: 4 }));
    let huge = column(&[1 << 80, 0, 0, 0]);
    assert_eq!(new(&[term(1.0, &huge, &huge)]), Err(Undefined::TooLarge));
    let single = Picks::draw(1, 10, 1).unwrap();
    let one = column(&[1]);
    assert_eq!(
        Studentised::new(&single, &[term(1.0, &one, &one)], 1).map(|_| ()),
        Err(Undefined::TooFew { have: 1, need: 2 })
    );
    // Equal arms have a difference without spread, exactly.
    assert_eq!(new(&[term(1.0, &same, &ones), term(-1.0, &same, &ones)]), Err(Undefined::Constant));
    assert_eq!(Studentised::from_replicates(1.0, vec![2.0; 9]).map(|_| ()), Err(Undefined::Constant));
    assert!(Studentised::from_replicates(1.0, vec![f64::NAN; 9]).is_err());
    let fine = Studentised::new(&picks, &[term(1.0, &same, &ones)], 1).unwrap();
    assert_eq!(fine.interval(1.5), Err(Undefined::OutOfRange));
}

#[test]
fn few_clusters_that_rarely_spread_give_no_limits() {
    // One cluster of three differs: 11% of the resamples have no spread, and two thirds of those moved.
    let picks = Picks::draw(3, 2_000, 3).unwrap();
    let (values, ones) = (column(&[1, 0, 0]), column(&[1; 3]));
    let got = Studentised::new(&picks, &[term(1.0, &values, &ones)], 1).unwrap();
    assert_eq!(got.interval(0.95), Err(Undefined::Unbounded));
    assert!(got.roots().any(f64::is_infinite));
}

#[test]
fn the_result_does_not_depend_on_the_workers() {
    let picks = Picks::draw(9, 300, 8).unwrap();
    let (y, x) = (column(&[3, 1, 4, 1, 5, 9, 2, 6, 5]), column(&[2, 7, 1, 8, 2, 8, 1, 8, 2]));
    let one = Studentised::new(&picks, &[term(1.0, &y, &x)], 1).unwrap();
    for workers in [2, 5, 16] {
        assert_eq!(Studentised::new(&picks, &[term(1.0, &y, &x)], workers).unwrap(), one);
    }
    assert!(one.interval(0.9).unwrap().limits.contains(one.estimate()));
}

#[test]
fn scales_change_the_unit_only() {
    let picks = Picks::draw(5, 50, 2).unwrap();
    let ones = column(&[1; 5]);
    let whole = Studentised::new(&picks, &[term(1.0, &column(&[3, 1, 4, 1, 5]), &ones)], 1).unwrap();
    let cents = ExactColumn::new(2, vec![300, 100, 400, 100, 500]).unwrap();
    let scaled = Studentised::new(&picks, &[term(1.0, &cents, &ones)], 1).unwrap();
    assert!((whole.standard_error() - scaled.standard_error()).abs() < 1e-14);
    assert!((whole.estimate() - scaled.estimate()).abs() < 1e-14);
}

proptest! {
    #[test]
    fn the_error_of_a_mean_is_sd_over_root_n(data in prop::collection::vec(-9_i128..10, 2..30)) {
        let picks = Picks::draw(data.len(), 20, 5).unwrap();
        let (y, ones) = (column(&data), column(&vec![1; data.len()]));
        match (Studentised::new(&picks, &[term(1.0, &y, &ones)], 1), PairedSample::from_scaled(&data, 1)) {
            (Ok(got), Ok(want)) => {
                prop_assert!((got.standard_error() / want.standard_error() - 1.0).abs() < 1e-12);
                prop_assert!((got.estimate() - want.mean()).abs() < 1e-12);
                // In a resample it is that of the sample written out.
                for (b, error) in (0..20).zip(&got.errors) {
                    let picked: Vec<i128> = picks.weights(b).iter().zip(&data)
                        .flat_map(|(&w, x)| std::iter::repeat_n(*x, usize::from(w))).collect();
                    match PairedSample::from_scaled(&picked, 1) {
                        Ok(want) => prop_assert!((error - want.standard_error()).abs() < 1e-12),
                        Err(_) => prop_assert!(*error == 0.0),
                    }
                }
            }
            (Err(Undefined::Constant), Err(_)) => {}
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn a_difference_of_means_is_the_mean_of_differences(
        pairs in prop::collection::vec((0_i128..4, 0_i128..4), 3..25),
    ) {
        let (first, second): (Vec<i128>, Vec<i128>) = pairs.iter().copied().unzip();
        let gaps: Vec<i128> = pairs.iter().map(|(a, b)| a - b).collect();
        let picks = Picks::draw(pairs.len(), 50, 6).unwrap();
        let three = column(&vec![3; pairs.len()]);
        let (first, second, gaps) = (column(&first), column(&second), column(&gaps));
        let apart = Studentised::new(&picks, &[term(1.0, &first, &three), term(-1.0, &second, &three)], 1);
        let joint = Studentised::new(&picks, &[term(1.0, &gaps, &three)], 1);
        match (apart, joint) {
            (Ok(apart), Ok(joint)) => {
                prop_assert!((apart.standard_error() - joint.standard_error()).abs() < 1e-12);
                for (a, b) in apart.replicates().iter().zip(joint.replicates()) {
                    prop_assert!((a - b).abs() < 1e-12);
                }
            }
            (apart, joint) => prop_assert_eq!(apart.is_err(), joint.is_err()),
        }
    }
}
