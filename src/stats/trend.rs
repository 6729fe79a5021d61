//! Trends over ordered levels: contrasts and slopes within units, Spearman's correlation, and monotone trends.
//!
//! Owns the per-unit contrasts here, the p of a rank correlation in `trend/rank.rs`, and the monotone fit and its permutation test in
//! `trend/isotonic.rs`. Values come as integers on one common scale, so that equal slopes are equal; units (tasks, say) are
//! independent and each has one value for every level.

use std::fmt;

use super::paired::{PairedError, PairedSample};
use super::permutation_within::WithinError;
use super::sides::Sides;
use super::sign::{FlipResult, SignError, sign_flip};
use super::undefined::Undefined;

mod isotonic;
mod rank;

pub use isotonic::{IsotonicTest, MonotoneFit, Order, isotonic_fit, isotonic_test};
pub use rank::{MOST_EXACT_PAIRS, SpearmanMethod, SpearmanTest, SpearmanUsed, spearman_test};

/// Why there is no test of trend.
#[derive(Clone, Debug, PartialEq)]
pub enum TrendError {
    /// A trend needs at least two levels, and this many are given.
    TooFewLevels(usize),
    /// All levels have the same score, so no slope exists.
    EqualLevels,
    /// The coefficients of a contrast sum to this instead of zero: it would test the overall mean as well.
    NotAContrast(i128),
    /// All coefficients of a contrast are zero.
    EmptyContrast,
    /// The unit at this position, counted from 0, lacks a value for some level or has too many.
    UnequalLengths {
        /// The unit.
        unit: usize,
        /// Its values.
        have: usize,
        /// Levels.
        need: usize,
    },
    /// The common denominator of the values must be above zero.
    ScaleNotPositive(i128),
    /// A total does not fit in 128 bits.
    TooLarge,
    /// The correlation is undefined, for this reason.
    Correlation(Undefined),
    /// An exact correlation test was asked for with more pairs than [`MOST_EXACT_PAIRS`].
    TooManyPairs(usize),
    /// The t approximation needs three pairs, and this many are given.
    TooFewPairs(usize),
    /// The permutation test of a monotone trend has no answer.
    Permutation(WithinError),
    /// A level, counted from 0, has no weight.
    EmptyLevel(usize),
}

impl fmt::Display for TrendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewLevels(n) => write!(f, "a trend needs at least two ordered levels and there are {n}"),
            Self::EqualLevels => {
                f.write_str("all levels have the same score, so no slope exists; give increasing scores")
            }
            Self::NotAContrast(sum) => write!(
                f,
                "the coefficients sum to {sum} instead of zero, so the contrast would test the overall mean as well"
            ),
            Self::EmptyContrast => f.write_str("all coefficients are zero, so nothing is compared"),
            Self::UnequalLengths { unit, have, need } => write!(
                f,
                "unit number {} has {have} values for {need} levels; leave out units that lack a level, and count them",
                unit + 1
            ),
            Self::ScaleNotPositive(scale) => {
                write!(f, "the common denominator {scale} of the values must be above zero")
            }
            Self::TooLarge => {
                f.write_str("a total does not fit in 128 bits, so it could not be exact; use a coarser scale")
            }
            Self::Correlation(why) => write!(f, "the rank correlation is undefined: {why}"),
            Self::TooManyPairs(n) => write!(
                f,
                "{n} pairs have too many orders to count and up to {MOST_EXACT_PAIRS} are counted; declare the t approximation"
            ),
            Self::TooFewPairs(n) => {
                write!(f, "the t approximation of a rank correlation needs at least 3 pairs and there are {n}")
            }
            Self::Permutation(error) => write!(f, "{error}"),
            Self::EmptyLevel(level) => {
                write!(f, "level number {} has no values, so no mean can be fitted there", level + 1)
            }
        }
    }
}

impl std::error::Error for TrendError {}

/// One contrast value for each unit, exact: `scaled[i] / scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitContrasts {
    /// Numerators, in the order of the units.
    pub scaled: Vec<i128>,
    /// Their common denominator, above zero.
    pub scale: i128,
}

impl UnitContrasts {
    /// Their mean and spread, for Student's t and intervals.
    pub fn sample(&self) -> Result<PairedSample, PairedError> {
        PairedSample::from_scaled(&self.scaled, self.scale)
    }

    /// The exact sign-flip test of their symmetry around zero.
    pub fn flip(&self, sides: Sides) -> Result<FlipResult, SignError> {
        sign_flip(&self.scaled, sides)
    }
}

/// The contrast `sum of coefficients[j] * value[j] / value_scale` of every unit. The coefficients sum to zero.
pub fn unit_contrasts(
    units: &[Vec<i64>],
    coefficients: &[i64],
    value_scale: i128,
) -> Result<UnitContrasts, TrendError> {
    checked(units, coefficients.len(), value_scale)?;
    let wide: Vec<i128> = coefficients.iter().map(|c| i128::from(*c)).collect();
    let sum: i128 = wide.iter().sum();
    if sum != 0 {
        return Err(TrendError::NotAContrast(sum));
    }
    if wide.iter().all(|c| *c == 0) {
        return Err(TrendError::EmptyContrast);
    }
    Ok(UnitContrasts { scaled: products(units, &wide)?, scale: value_scale })
}

/// The least-squares slope of every unit's values over the scores of the levels, in value units for each unit of score.
///
/// With `k` levels of scores `x`, the slope is `sum of (k x_j - X) y_j / (k sum of x^2 - X^2)`, `X` being the sum of the scores:
/// integers over one denominator for all units.
pub fn unit_slopes(units: &[Vec<i64>], levels: &[i64], value_scale: i128) -> Result<UnitContrasts, TrendError> {
    checked(units, levels.len(), value_scale)?;
    let count = i128::try_from(levels.len()).map_err(|_| TrendError::TooLarge)?;
    let total: i128 = levels.iter().map(|x| i128::from(*x)).sum();
    // Scores below 2^63 times fewer than 2^60 levels stay within 128 bits; squares need checked steps.
    let coefficients: Vec<i128> = levels.iter().map(|x| count * i128::from(*x) - total).collect();
    let squares = levels.iter().try_fold(0_i128, |sum, x| sum.checked_add(i128::from(*x) * i128::from(*x)));
    let spread = squares
        .and_then(|squares| squares.checked_mul(count))
        .zip(total.checked_mul(total))
        .and_then(|(squares, mean)| squares.checked_sub(mean))
        .ok_or(TrendError::TooLarge)?;
    if spread == 0 {
        return Err(TrendError::EqualLevels);
    }
    let scale = spread.checked_mul(value_scale).ok_or(TrendError::TooLarge)?;
    Ok(UnitContrasts { scaled: products(units, &coefficients)?, scale })
}

fn products(units: &[Vec<i64>], coefficients: &[i128]) -> Result<Vec<i128>, TrendError> {
    let product = |unit: &Vec<i64>| {
        unit.iter().zip(coefficients).try_fold(0_i128, |sum, (y, c)| sum.checked_add(c.checked_mul(i128::from(*y))?))
    };
    units.iter().map(|unit| product(unit).ok_or(TrendError::TooLarge)).collect()
}

fn checked(units: &[Vec<i64>], levels: usize, value_scale: i128) -> Result<(), TrendError> {
    if levels < 2 {
        return Err(TrendError::TooFewLevels(levels));
    }
    if value_scale <= 0 {
        return Err(TrendError::ScaleNotPositive(value_scale));
    }
    match units.iter().enumerate().find(|(_, unit)| unit.len() != levels) {
        Some((unit, values)) => Err(TrendError::UnequalLengths { unit, have: values.len(), need: levels }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
