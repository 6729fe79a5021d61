//! The likelihood-ratio test of nested models, from two maximized log-likelihoods.
//!
//! Owns the statistic and its chi-square tail; the fits come from elsewhere, and both must be on one scale (a log-likelihood by
//! adaptive quadrature and one by Laplace's approximation are not). Source: Wilks 1938; for one variance component on its
//! boundary, Self and Liang 1987, case 5: an equal mixture of chi-squares with `df - 1` and `df` degrees of freedom.

use std::fmt;

use crate::math::special::chi2_sf;

/// How far the reduced model may lie above the full one and still count as equal to it: optimizers stop short by less.
pub const SLACK: f64 = 1e-6;

/// Where the null lies in the parameter space of the full model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NullPlace {
    /// Inside: the usual chi-square.
    Interior,
    /// One of the tested parameters is a variance at zero, the others are inside.
    OneVarianceAtZero,
}

/// Why a likelihood-ratio test has no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LikelihoodError {
    /// A log-likelihood is not a finite number.
    NotFinite(f64),
    /// No parameter is tested.
    NoDegreesOfFreedom,
    /// The reduced model fits better than the full one, by this much: a fit did not reach its maximum, or they are not nested.
    NotNested(f64),
}

impl fmt::Display for LikelihoodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(value) => {
                write!(f, "the log-likelihood {value} is not a finite number; the fit has failed")
            }
            Self::NoDegreesOfFreedom => {
                f.write_str("the two models have the same number of parameters, so no hypothesis lies between them")
            }
            Self::NotNested(excess) => write!(
                f,
                "the reduced model's log-likelihood is {excess} above the full model's, which nested models cannot do: one fit \
                 stopped before its maximum, or the two are on different scales"
            ),
        }
    }
}

impl std::error::Error for LikelihoodError {}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelihoodRatio {
    /// `2 (full - reduced)`, at least zero.
    pub statistic: f64,
    /// Parameters tested.
    pub df: u32,
    /// Upper tail of its reference distribution.
    pub p: f64,
}

/// Tests a reduced model against a full one with `df` more parameters, from their maximized log-likelihoods.
///
/// A reduced log-likelihood above the full one by at most [`SLACK`] counts as equal; by more, it is refused.
pub fn likelihood_ratio(full: f64, reduced: f64, df: u32, null: NullPlace) -> Result<LikelihoodRatio, LikelihoodError> {
    if let Some(bad) = [full, reduced].into_iter().find(|value| !value.is_finite()) {
        return Err(LikelihoodError::NotFinite(bad));
    }
    if df == 0 {
        return Err(LikelihoodError::NoDegreesOfFreedom);
    }
    if reduced - full > SLACK {
        return Err(LikelihoodError::NotNested(reduced - full));
    }
    let statistic = (2.0 * (full - reduced)).max(0.0);
    let upper = chi2_sf(statistic, f64::from(df));
    let p = match null {
        NullPlace::Interior => upper,
        NullPlace::OneVarianceAtZero => 0.5 * upper + 0.5 * fewer(statistic, df - 1),
    };
    Ok(LikelihoodRatio { statistic, df, p })
}

/// The tail with these degrees of freedom; with none, all the mass sits at zero.
fn fewer(statistic: f64, df: u32) -> f64 {
    match df {
        0 if statistic > 0.0 => 0.0,
        0 => 1.0,
        _ => chi2_sf(statistic, f64::from(df)),
    }
}

#[cfg(test)]
mod tests {
    use super::{LikelihoodError, NullPlace, likelihood_ratio};

    #[test]
    fn known_tails() {
        // scipy 1.17.1: stats.chi2.sf(47.6039, 8), and the 5% point of one degree of freedom.
        let test = likelihood_ratio(-100.0, -100.0 - 47.6039 / 2.0, 8, NullPlace::Interior).unwrap();
        assert!((test.statistic - 47.6039).abs() < 1e-12);
        assert!((test.p / 1.176_034_958_812_924_2e-7 - 1.0).abs() < 1e-9, "{:e}", test.p);
        let half = likelihood_ratio(0.0, -3.841_458_820_694_124 / 2.0, 1, NullPlace::OneVarianceAtZero).unwrap();
        assert!((half.p - 0.025).abs() < 1e-14);
        let none = likelihood_ratio(1.0, 1.0, 1, NullPlace::OneVarianceAtZero).unwrap();
        assert!((none.p - 1.0).abs() < 1e-15);
    }

    #[test]
    fn refuses_models_that_are_not_nested() {
        assert!(matches!(likelihood_ratio(-5.0, -4.9, 1, NullPlace::Interior), Err(LikelihoodError::NotNested(_))));
        assert_eq!(likelihood_ratio(-5.0, -5.0, 0, NullPlace::Interior), Err(LikelihoodError::NoDegreesOfFreedom));
        assert!(matches!(likelihood_ratio(f64::NAN, -5.0, 1, NullPlace::Interior), Err(LikelihoodError::NotFinite(_))));
        let touching = likelihood_ratio(-5.0 - 1e-9, -5.0, 2, NullPlace::Interior).unwrap();
        assert!(touching.statistic.abs() < 1e-300 && (touching.p - 1.0).abs() < 1e-15);
    }
}
