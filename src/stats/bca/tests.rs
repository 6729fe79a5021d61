//! The module `bca` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{BcaError, Ties, acceleration, bca_interval, leave_one_out};
use crate::stats::bootstrap::{percentile_interval, replicates};
use crate::stats::picks::Picks;
use crate::stats::undefined::Undefined;

fn mean(weights: &[u16], values: &[f64]) -> Option<f64> {
    let n: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    (n > 0.0).then(|| weights.iter().zip(values).map(|(&w, x)| f64::from(w) * x).sum::<f64>() / n)
}

#[test]
fn refuses_what_cannot_be_corrected() {
    let mut ramp: Vec<f64> = (0..100).map(f64::from).collect();
    let edge = BcaError::EstimateAtEdge { below: 0, equal: 0, replicates: 100 };
    assert_eq!(bca_interval(&mut ramp, -1.0, 0.0, Ties::Half, 0.95), Err(edge));
    assert!(edge.to_string().contains("0 of 100"));
    let strict = BcaError::EstimateAtEdge { below: 0, equal: 1, replicates: 100 };
    assert_eq!(bca_interval(&mut ramp, 0.0, 0.0, Ties::Strict, 0.95), Err(strict));
    assert!(bca_interval(&mut ramp, 0.0, 0.0, Ties::Half, 0.95).is_ok());
    assert!(matches!(bca_interval(&mut ramp, 50.0, 2.0, Ties::Half, 0.95), Err(BcaError::Acceleration { .. })));
    assert_eq!(bca_interval(&mut ramp, 50.0, 0.0, Ties::Half, 1.0), Err(Undefined::OutOfRange.into()));
    assert_eq!(bca_interval(&mut ramp, f64::NAN, 0.0, Ties::Half, 0.9), Err(Undefined::NotFinite.into()));
    assert_eq!(bca_interval(&mut [], 0.0, 0.0, Ties::Half, 0.9), Err(Undefined::NoRecords.into()));
    assert_eq!(acceleration(&[1.0]), Err(Undefined::TooFew { have: 1, need: 2 }));
    assert_eq!(acceleration(&[1.0, 1.0]), Err(Undefined::Constant));
    assert_eq!(acceleration(&[1.0, f64::NAN]), Err(Undefined::NotFinite));
    assert_eq!(leave_one_out(1, 1, |_| Some(0.0)), Err(Undefined::TooFew { have: 1, need: 2 }));
    assert_eq!(leave_one_out(3, 1, |_| None), Err(Undefined::NotFinite));
}

#[test]
fn the_jackknife_leaves_out_each_cluster_once_for_any_number_of_workers() {
    let values = [3.0, 1.0, 4.0, 1.0, 5.0];
    let one = leave_one_out(5, 1, |weights| mean(weights, &values)).unwrap();
    for (left_out, got) in values.iter().zip(&one) {
        assert!((got - (14.0 - left_out) / 4.0).abs() < 1e-15);
    }
    for workers in [2, 3, 9] {
        assert_eq!(leave_one_out(5, workers, |weights| mean(weights, &values)).unwrap(), one);
    }
}

proptest! {
    #[test]
    fn no_bias_and_no_acceleration_is_the_percentile_interval(shift in -5.0_f64..5.0) {
        let mut values: Vec<f64> = (0..201).map(|i| f64::from(i) + shift).collect();
        let got = bca_interval(&mut values.clone(), 100.0 + shift, 0.0, Ties::Half, 0.9).unwrap();
        let want = percentile_interval(&mut values, 0.9).unwrap().limits;
        prop_assert!((got.limits.lower - want.lower).abs() < 1e-9 && (got.limits.upper - want.upper).abs() < 1e-9);
    }

    #[test]
    fn an_increasing_change_of_scale_changes_the_limits_alike(data in prop::collection::vec(0.1_f64..9.0, 6..20)) {
        let picks = Picks::draw(data.len(), 199, 4).unwrap();
        let estimate = mean(&vec![1; data.len()], &data).unwrap();
        let a = acceleration(&leave_one_out(data.len(), 1, |w| mean(w, &data)).unwrap());
        prop_assume!(a.is_ok());
        let a = a.unwrap();
        let values = replicates(&picks, 1, |_, w| mean(w, &data));
        let twice: Vec<f64> = values.iter().map(|x| 2.0 * x + 1.0).collect();
        let one = bca_interval(&mut values.clone(), estimate, a, Ties::Half, 0.9);
        let two = bca_interval(&mut twice.clone(), 2.0 * estimate + 1.0, a, Ties::Half, 0.9);
        if let (Ok(one), Ok(two)) = (one, two) {
            prop_assert!(one.limits.lower <= one.limits.upper);
            // Ties may fall on either side after rounding; then the bias moves by a step.
            if one.bias.to_bits() == two.bias.to_bits() {
                prop_assert!((2.0 * one.limits.lower + 1.0 - two.limits.lower).abs() < 1e-9);
                prop_assert!((2.0 * one.limits.upper + 1.0 - two.limits.upper).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn never_panics(data in prop::collection::vec(-3_i8..4, 0..8), estimate in -5.0_f64..5.0, a in -3.0_f64..3.0) {
        let mut values: Vec<f64> = data.iter().map(|&x| f64::from(x)).collect();
        for ties in [Ties::Half, Ties::Strict] {
            if let Ok(got) = bca_interval(&mut values, estimate, a, ties, 0.95) {
                prop_assert!(got.limits.lower <= got.limits.upper);
            }
        }
        let _ = acceleration(&values);
    }
}
