//! One-sided claims against a margin, and equivalence by exact sign flips.
//!
//! Owns non-inferiority ("not worse by the margin") and superiority by a margin ("better by more than the margin"), each by
//! Student's t and by the exact sign-flip test, and the exact form of two one-sided tests. The t form of equivalence lives with
//! the paired t. Differences are oriented `first - second`. Sources: Schuirmann 1987; ICH E9 for the two one-sided claims.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

use super::paired::PairedSample;
use super::sides::Sides;
use super::sign::{FlipResult, SignError, sign_flip};
use crate::math::Rational;
use crate::math::special::t_sf;

/// Which values are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Better {
    /// Higher values, such as scores.
    Higher,
    /// Lower values, such as costs.
    Lower,
}

/// What is claimed of the first against the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// It is not worse by the margin or more.
    NotInferior,
    /// It is better by more than the margin; a margin of zero is plain superiority.
    Superior,
}

/// Why a claim against a margin cannot be tested.
#[derive(Clone, Debug, PartialEq)]
pub enum MarginError {
    /// The margin is negative or no finite number; a non-inferiority or equivalence margin must moreover not be zero.
    BadMargin(String),
    /// The common denominator of the differences must be above zero.
    ScaleNotPositive(i128),
    /// Differences and margin over one common denominator do not fit in 128 bits.
    TooFine,
    /// The exact test has no answer for the shifted differences.
    Exact(SignError),
}

impl fmt::Display for MarginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadMargin(margin) => write!(
                f,
                "the margin {margin} cannot be used: write it as a positive size (zero only for plain superiority); the direction \
                 comes from which values are better"
            ),
            Self::ScaleNotPositive(scale) => {
                write!(f, "the common denominator {scale} of the differences must be above zero")
            }
            Self::TooFine => f.write_str(
                "differences and margin have no common denominator that fits in 128 bits; write the margin with fewer digits",
            ),
            Self::Exact(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for MarginError {}

/// A one-sided t against a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginT {
    /// Student's t of the mean against the margin, positive in favour of the claim.
    pub t: f64,
    /// p of the null "the claim does not hold".
    pub p: f64,
}

/// Exact two one-sided tests.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactTost {
    /// Against "at most `-margin`".
    pub low: FlipResult,
    /// Against "at least `+margin`".
    pub high: FlipResult,
    /// The larger of the two p.
    pub p: f64,
}

/// Tests a one-sided claim about the mean difference by Student's t, `margin` being in the unit of the differences.
pub fn margin_t(sample: &PairedSample, claim: Claim, better: Better, margin: f64) -> Result<MarginT, MarginError> {
    let usable = margin.is_finite() && if claim == Claim::Superior { margin >= 0.0 } else { margin > 0.0 };
    if !usable {
        return Err(MarginError::BadMargin(margin.to_string()));
    }
    let towards = match better {
        Better::Higher => sample.mean(),
        Better::Lower => -sample.mean(),
    };
    let beyond = match claim {
        Claim::NotInferior => towards + margin,
        Claim::Superior => towards - margin,
    };
    let t = beyond / sample.standard_error();
    Ok(MarginT { t, p: t_sf(t, sample.df()) })
}

/// Tests a one-sided claim by exact sign flips of the differences `scaled[i] / scale`, moved by the exact margin.
///
/// The null is that the differences are symmetric around the margin, or around a point further from the claim. Differences on
/// the margin itself stay in and change no p; when all lie on it, p is 1.
pub fn margin_flip(
    scaled: &[i128],
    scale: i128,
    claim: Claim,
    better: Better,
    margin: &Rational,
) -> Result<FlipResult, MarginError> {
    if margin.is_negative() || (claim == Claim::NotInferior && margin.is_zero()) {
        return Err(MarginError::BadMargin(margin.to_string()));
    }
    let (boundary, sides) = match (claim, better) {
        (Claim::NotInferior, Better::Higher) => (-margin, Sides::Greater),
        (Claim::Superior, Better::Higher) => (margin.clone(), Sides::Greater),
        (Claim::NotInferior, Better::Lower) => (margin.clone(), Sides::Less),
        (Claim::Superior, Better::Lower) => (-margin, Sides::Less),
    };
    flip_around(scaled, scale, &boundary, sides)
}

/// Equivalence within `margin` by two exact one-sided sign-flip tests.
///
/// It needs symmetry around either margin, which for pass/fail differences at a margin far from zero is an assumption to state.
pub fn tost_flip(scaled: &[i128], scale: i128, margin: &Rational) -> Result<ExactTost, MarginError> {
    if !margin.is_positive() {
        return Err(MarginError::BadMargin(margin.to_string()));
    }
    let low = flip_around(scaled, scale, &-margin, Sides::Greater)?;
    let high = flip_around(scaled, scale, margin, Sides::Less)?;
    Ok(ExactTost { p: low.p.max(high.p), low, high })
}

/// The sign-flip test of `scaled[i] / scale - centre`, in integers over the product of the denominators.
fn flip_around(scaled: &[i128], scale: i128, centre: &Rational, sides: Sides) -> Result<FlipResult, MarginError> {
    if scale <= 0 {
        return Err(MarginError::ScaleNotPositive(scale));
    }
    let centre = centre.reduced();
    let moved: Option<Vec<i128>> = scaled
        .iter()
        .map(|d| (BigInt::from(*d) * centre.denom() - centre.numer() * BigInt::from(scale)).to_i128())
        .collect();
    let moved = moved.ok_or(MarginError::TooFine)?;
    sign_flip(&moved, sides).map_err(MarginError::Exact)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ratio(above: i64, below: i64) -> Rational {
        Rational::new(above.into(), below.into())
    }

    #[test]
    fn a_case_counted_by_hand() {
        // Differences 1/3, 0, 2/3 with a margin of 1/10 become 13, 3, 23 thirtieths: only all-plus reaches their sum.
        let flip = margin_flip(&[1, 0, 2], 3, Claim::NotInferior, Better::Higher, &ratio(1, 10)).unwrap();
        assert_eq!(flip.p.to_bits(), 0.125_f64.to_bits());
        // Superior by 1/10: 7, -3, 17. At least 21 is reached by (7, +-3, 17): two of eight.
        let flip = margin_flip(&[1, 0, 2], 3, Claim::Superior, Better::Higher, &ratio(1, 10)).unwrap();
        assert_eq!(flip.p.to_bits(), 0.25_f64.to_bits());
    }

    #[test]
    fn refuses_margins_without_meaning() {
        let sample = PairedSample::from_differences(&[0.1, 0.3, 0.2]).unwrap();
        for margin in [-0.1, f64::NAN, f64::INFINITY, 0.0] {
            assert!(matches!(
                margin_t(&sample, Claim::NotInferior, Better::Higher, margin),
                Err(MarginError::BadMargin(_))
            ));
        }
        let plain = margin_t(&sample, Claim::Superior, Better::Higher, 0.0).unwrap();
        assert!((plain.p - sample.p(Sides::Greater)).abs() < 1e-16);
        assert!(matches!(tost_flip(&[1, 2], 3, &ratio(0, 1)), Err(MarginError::BadMargin(_))));
        assert_eq!(tost_flip(&[1, 2], 0, &ratio(1, 2)), Err(MarginError::ScaleNotPositive(0)));
        let on_margin = margin_flip(&[1, 1], 10, Claim::Superior, Better::Higher, &ratio(1, 10)).unwrap();
        assert_eq!(on_margin.p.to_bits(), 1.0_f64.to_bits());
        assert_eq!(
            margin_flip(&[i128::MAX], 1, Claim::Superior, Better::Higher, &ratio(1, 3)),
            Err(MarginError::TooFine)
        );
    }

    proptest! {
        #[test]
        fn lower_is_better_is_higher_is_better_turned_round(d in prop::collection::vec(-9_i128..10, 2..10), m in 1_i64..8) {
            let turned: Vec<i128> = d.iter().map(|x| -x).collect();
            for claim in [Claim::NotInferior, Claim::Superior] {
                let up = margin_flip(&d, 7, claim, Better::Higher, &ratio(m, 20));
                prop_assert_eq!(up, margin_flip(&turned, 7, claim, Better::Lower, &ratio(m, 20)));
            }
            let (a, b) = (tost_flip(&d, 7, &ratio(m, 20)).unwrap(), tost_flip(&turned, 7, &ratio(m, 20)).unwrap());
            prop_assert_eq!(a.p.to_bits(), b.p.to_bits());
            prop_assert!(a.p > 0.0 && a.p <= 1.0);
        }

        #[test]
        fn both_one_sided_t_claims_are_those_of_two_one_sided_tests(d in prop::collection::vec(-9_i32..10, 3..20)) {
            let d: Vec<f64> = d.into_iter().map(f64::from).collect();
            prop_assume!(d.iter().any(|x| (x - d[0]).abs() > 0.5));
            let sample = PairedSample::from_differences(&d).unwrap();
            let tost = sample.tost(2.0).unwrap();
            let low = margin_t(&sample, Claim::NotInferior, Better::Higher, 2.0).unwrap();
            let high = margin_t(&sample, Claim::NotInferior, Better::Lower, 2.0).unwrap();
            prop_assert_eq!((low.p.to_bits(), high.p.to_bits()), (tost.p_low.to_bits(), tost.p_high.to_bits()));
        }
    }
}
