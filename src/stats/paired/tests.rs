//! Paired tests: exact decisions, refusals, and that tests and intervals say the same.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests fail by panicking and compare exact values")]
use proptest::prelude::*;

use super::*;

#[test]
fn equality_is_decided_exactly_on_scaled_differences() {
    // 1.0 - 0.7 and 0.3 differ in the last bit, so the floating-point route sees a spread of 5e-17 that does not exist.
    let floats = [1.0 - 0.7, 0.3, 0.3];
    assert!(PairedSample::from_differences(&floats).unwrap().t() > 1e15);
    assert_eq!(PairedSample::from_scaled(&[3, 3, 3], 10), Err(PairedError::AllDifferencesEqual(0.3)));
    assert_eq!(PairedSample::from_differences(&[0.0, -0.0, 0.0]), Err(PairedError::AllDifferencesEqual(0.0)));
}

#[test]
fn bad_input_is_refused_with_its_reason() {
    assert_eq!(PairedSample::from_differences(&[]), Err(PairedError::TooFewDifferences(0)));
    assert_eq!(PairedSample::from_scaled(&[7], 1), Err(PairedError::TooFewDifferences(1)));
    assert_eq!(PairedSample::from_scaled(&[7, 8], 0), Err(PairedError::ScaleNotPositive(0)));
    assert_eq!(PairedSample::from_differences(&[1.0, f64::NAN, 2.0]), Err(PairedError::NotFinite(1)));
    let sample = PairedSample::from_scaled(&[1, 2, 4], 1).unwrap();
    assert_eq!(sample.interval(1.0), Err(PairedError::LevelOutOfRange(1.0)));
    assert!(sample.interval(f64::NAN).is_err());
    assert_eq!(sample.tost(0.0), Err(PairedError::MarginNotPositive(0.0)));
    assert!(sample.tost(f64::INFINITY).is_err());
    assert!(PairedError::NotFinite(1).to_string().contains("number 2"));
}

#[test]
fn extreme_integers_stay_exact() {
    let sample = PairedSample::from_scaled(&[i128::MAX, i128::MIN, i128::MAX], 1).unwrap();
    assert!((sample.mean() / (2.0_f64.powi(127) / 3.0) - 1.0).abs() < 1e-15);
    assert!(sample.sd().is_finite());
}

#[test]
fn a_large_common_offset_does_not_eat_the_spread() {
    let shifted = PairedSample::from_differences(&[1e9 + 0.25, 1e9 + 0.5, 1e9 + 0.75]).unwrap();
    assert_eq!(shifted.sd(), 0.25);
}

proptest! {
    #[test]
    fn both_routes_agree_and_the_scale_does_not_matter(d in prop::collection::vec(-300_i128..300, 2..40)) {
        prop_assume!(d.iter().any(|x| *x != d[0]));
        let exact = PairedSample::from_scaled(&d, 3).unwrap();
        let tenfold: Vec<i128> = d.iter().map(|x| x * 10).collect();
        prop_assert_eq!(PairedSample::from_scaled(&tenfold, 30).unwrap(), exact);
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let floats: Vec<f64> = d.iter().map(|x| *x as f64 / 3.0).collect();
        let float = PairedSample::from_differences(&floats).unwrap();
        prop_assert!((float.mean() - exact.mean()).abs() < 1e-12);
        prop_assert!((float.sd() / exact.sd() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn tests_and_intervals_say_the_same(d in prop::collection::vec(-50_i128..60, 2..30), margin in 0.5_f64..40.0) {
        prop_assume!(d.iter().any(|x| *x != d[0]));
        let sample = PairedSample::from_scaled(&d, 1).unwrap();
        let ci = sample.interval(0.95).unwrap();
        prop_assert_eq!(sample.p(Sides::TwoSided) < 0.05, ci.lower > 0.0 || ci.upper < 0.0);
        let inner = sample.interval(0.90).unwrap();
        prop_assert_eq!(sample.tost(margin).unwrap().p < 0.05, inner.lower > -margin && inner.upper < margin);
        let mirrored: Vec<i128> = d.iter().map(|x| -x).collect();
        let other = PairedSample::from_scaled(&mirrored, 1).unwrap();
        prop_assert_eq!(other.p(Sides::Less).to_bits(), sample.p(Sides::Greater).to_bits());
        prop_assert_eq!(other.tost(margin).unwrap().p.to_bits(), sample.tost(margin).unwrap().p.to_bits());
    }
}
