//! The module `ratio_of_means` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{LogRatio, Means, RatioError};
use crate::math::special::t_isf;
use crate::stats::paired::PairedError;
use crate::stats::sides::Sides;

#[test]
fn a_zero_cost_has_no_logarithm() {
    let refused = LogRatio::new(&[1.0, 0.0, 2.0], &[1.0, 1.0, 1.0]);
    assert_eq!(refused, Err(RatioError::NotPositive { unit: 1, first: 0.0, second: 1.0 }));
    assert!(refused.unwrap_err().to_string().contains("unit number 2"));
    assert!(matches!(LogRatio::new(&[1.0, 2.0], &[1.0, -1.0]), Err(RatioError::NotPositive { unit: 1, .. })));
    assert!(matches!(LogRatio::new(&[f64::INFINITY, 2.0], &[1.0, 1.0]), Err(RatioError::NotPositive { unit: 0, .. })));
    assert_eq!(LogRatio::new(&[1.0], &[]), Err(RatioError::UnequalLengths { first: 1, second: 0 }));
    assert_eq!(LogRatio::new(&[1.0], &[2.0]), Err(RatioError::Logs(PairedError::TooFewDifferences(1))));
    assert!(matches!(
        LogRatio::new(&[2.0, 4.0], &[1.0, 2.0]),
        Err(RatioError::Logs(PairedError::AllDifferencesEqual(_)))
    ));
    let fine = LogRatio::new(&[2.0, 5.0], &[1.0, 2.0]).unwrap();
    for margin in [1.0, 0.9, f64::NAN, f64::INFINITY] {
        assert!(matches!(fine.tost(margin), Err(RatioError::MarginNotAboveOne(_))));
    }
    // Quotients beyond the range of `f64` still have a logarithm.
    let wide = LogRatio::new(&[1e300, 1e-300], &[1e-300, 1e300]).unwrap();
    assert!(wide.logs().mean().abs() < 1e-9);
}

#[test]
fn fieller_says_when_the_ratio_is_unbounded() {
    let means = |first, second, first_variance, second_variance| Means {
        first,
        second,
        first_variance,
        second_variance,
        covariance: 0.0,
        df: 10.0,
    };
    assert!(means(1.0, 2.0, 0.01, 0.01).fieller(0.95).is_ok());
    // The first mean is far from zero and the second is not: the set is everything but a middle part.
    let Err(RatioError::Unbounded { below, above }) = means(5.0, 0.1, 0.01, 1.0).fieller(0.95) else { panic!() };
    assert!(below < 0.0 && 0.0 < above, "{below} {above}");
    assert_eq!(means(0.1, 0.1, 1.0, 1.0).fieller(0.95), Err(RatioError::NothingExcluded));
    // A second mean exactly at the boundary leaves a half-line.
    let t = t_isf(0.025, 10.0);
    let half = Means { second: 2.0, second_variance: 4.0 / (t * t), ..means(3.0, 2.0, 0.01, 0.0) };
    let got = half.fieller(0.95);
    assert!(matches!(got, Err(RatioError::Unbounded { .. })) || got.is_ok_and(|i| i.upper > 1e6), "{got:?}");
    assert_eq!(means(1.0, 2.0, 0.0, 0.0).fieller(0.95), Err(RatioError::Constant));
    assert_eq!(means(1.0, 2.0, -1.0, 0.1).fieller(0.95), Err(RatioError::BadMoments));
    assert_eq!(Means { covariance: 1.0, ..means(1.0, 2.0, 0.1, 0.1) }.fieller(0.95), Err(RatioError::BadMoments));
    assert_eq!(Means { df: 0.0, ..means(1.0, 2.0, 0.1, 0.1) }.fieller(0.95), Err(RatioError::BadMoments));
    assert_eq!(means(1.0, 0.0, 0.1, 0.1).ratio(), Err(RatioError::ZeroDenominator));
    assert!(matches!(means(1.0, 2.0, 0.1, 0.1).fieller(1.0), Err(RatioError::Logs(PairedError::LevelOutOfRange(_)))));
    assert_eq!(Means::paired(&[1.0, f64::NAN], &[1.0, 2.0]), Err(RatioError::NotFinite { unit: 1 }));
    assert_eq!(Means::paired(&[1.0, 1.0], &[2.0, 2.0]).unwrap().fieller(0.9), Err(RatioError::Constant));
}

proptest! {
    #[test]
    fn exchanging_the_sides_inverts_the_ratio(costs in prop::collection::vec((1_u32..5_000, 1_u32..5_000), 3..30)) {
        let (first, second): (Vec<f64>, Vec<f64>) = costs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
        if let (Ok(one), Ok(two)) = (LogRatio::new(&first, &second), LogRatio::new(&second, &first)) {
            let (a, b) = (one.interval(0.9).unwrap(), two.interval(0.9).unwrap());
            prop_assert!((a.lower * b.upper - 1.0).abs() < 1e-9 && (a.upper * b.lower - 1.0).abs() < 1e-9);
            prop_assert!(a.contains(one.ratio()));
            prop_assert!((one.p(Sides::Greater) - two.p(Sides::Less)).abs() < 1e-9);
            // Equivalent at 5% exactly when the 90% interval lies within the margin.
            let inside = a.lower > 1.0 / 1.3 && a.upper < 1.3;
            prop_assert_eq!(one.tost(1.3).unwrap().p < 0.05, inside);
        }
    }

    #[test]
    fn fieller_contains_exactly_what_t_does_not_reject(
        costs in prop::collection::vec((0_u32..50, 0_u32..50), 3..20), r in -5.0_f64..5.0,
    ) {
        let (first, second): (Vec<f64>, Vec<f64>) = costs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
        let means = Means::paired(&first, &second).unwrap();
        let excess = means.first - r * means.second;
        let variance = means.first_variance - 2.0 * r * means.covariance + r * r * means.second_variance;
        let t = t_isf(0.05, means.df);
        let distance = excess * excess - t * t * variance;
        // Too near to a limit to call, within rounding.
        prop_assume!(distance.abs() > 1e-6 * (1.0 + excess * excess));
        let kept = match means.fieller(0.9) {
            Ok(interval) => interval.contains(r),
            Err(RatioError::Unbounded { below, above }) => r <= below || r >= above,
            Err(RatioError::NothingExcluded) => true,
            Err(RatioError::Constant) => return Ok(()),
            Err(other) => panic!("{other}"),
        };
        prop_assert_eq!(kept, distance <= 0.0);
    }
}
