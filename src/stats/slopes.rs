//! Slopes of an outcome over a numeric dose: least squares and Theil and Sen's median of pairwise slopes.
//!
//! Owns both estimates. The unit is that of the outcome per unit of the dose. Pooled, every record counts alike, and differences
//! between units enter the slope; per unit, use [`crate::stats::within`] to take one slope for each and their mean, with the units
//! without one counted. Least squares is exact until one rounding.

use std::fmt;

use num_bigint::BigInt;
use num_traits::Zero as _;

use super::exact_sum::{ExactSum, nearest_ratio, one};
use super::undefined::Undefined;
use super::weights::{finite, once, same_length, total};

/// Most pairs of records at different doses that Theil and Sen's slope keeps: 2^22, some 2,900 records.
pub const MOST_PAIRS: usize = 1 << 22;

/// Why there is no Theil-Sen slope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlopeError {
    /// There is nothing to compute from, or the dose never differs.
    Undefined(Undefined),
    /// The records form more than [`MOST_PAIRS`] pairs.
    TooManyPairs {
        /// Records given.
        records: usize,
    },
}

impl From<Undefined> for SlopeError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for SlopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(Undefined::Constant) => {
                f.write_str("every record has the same dose, so no slope over it exists; it needs two doses at least")
            }
            Self::Undefined(reason) => reason.fmt(f),
            Self::TooManyPairs { records } => write!(
                f,
                "{records} records form more than {MOST_PAIRS} pairs; average the records of a unit at each dose first, or declare \
                 the least-squares slope"
            ),
        }
    }
}

impl std::error::Error for SlopeError {}

/// [`least_squares_weighted`] with every record once.
pub fn least_squares(dose: &[f64], outcome: &[f64]) -> Result<f64, Undefined> {
    least_squares_weighted(dose, outcome, &once(dose.len()))
}

/// The least-squares slope of `outcome` over `dose` with an intercept, (n Sxy - Sx Sy) / (n Sxx - Sx^2), each record as often as
/// its multiplicity says. Rounded once.
///
/// Undefined with [`Undefined::TooFew`] below two records and with [`Undefined::Constant`] when the dose never differs.
pub fn least_squares_weighted(dose: &[f64], outcome: &[f64], multiplicities: &[u16]) -> Result<f64, Undefined> {
    same_length(dose.len(), outcome.len())?;
    finite(dose)?;
    finite(outcome)?;
    let records = total(dose.len(), multiplicities)?;
    if records < 2 {
        return Err(Undefined::TooFew { have: 1, need: 2 });
    }
    let (mut cross, mut squares) = (ExactSum::default(), ExactSum::default());
    for ((&x, &y), &times) in dose.iter().zip(outcome).zip(multiplicities) {
        cross.add_product(x, y, times);
        squares.add_product(x, x, times);
    }
    let x = ExactSum::weighted(dose, multiplicities).units()?;
    let y = ExactSum::weighted(outcome, multiplicities).units()?;
    // In units of 2^-2148 squared: a sum of products is raised to them by one more unit.
    let raised = one() * BigInt::from(records);
    let below = squares.units()? * &raised - &x * &x;
    if below.is_zero() {
        return Err(Undefined::Constant);
    }
    nearest_ratio(&(cross.units()? * raised - x * y), &below)
}

/// The slopes of all pairs of records at different doses, sorted once for any number of resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSlopes {
    /// Slope, and the two records, by ascending slope.
    pairs: Vec<(f64, u32, u32)>,
    records: usize,
}

impl PairSlopes {
    /// Forms the pairs. Fails when they are more than [`MOST_PAIRS`], when a value is not finite or a slope exceeds every double.
    pub fn new(dose: &[f64], outcome: &[f64]) -> Result<Self, SlopeError> {
        same_length(dose.len(), outcome.len())?;
        finite(dose)?;
        finite(outcome)?;
        let records = dose.len();
        let all = records.checked_mul(records.saturating_sub(1)).map(|ordered| ordered / 2);
        if all.is_none_or(|all| all > MOST_PAIRS) {
            return Err(SlopeError::TooManyPairs { records });
        }
        let points: Vec<(u32, f64, f64)> = (0..).zip(dose).zip(outcome).map(|((i, x), y)| (i, *x, *y)).collect();
        let mut pairs = Vec::new();
        for (position, &(i, x, y)) in points.iter().enumerate() {
            for &(j, other_x, other_y) in points.iter().take(position) {
                let run = x - other_x;
                if run.abs() > 0.0 {
                    let slope = (y - other_y) / run;
                    if !slope.is_finite() {
                        return Err(Undefined::NotFinite.into());
                    }
                    // Zero and minus zero are one slope.
                    pairs.push((slope + 0.0, i, j));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        Ok(Self { pairs, records })
    }

    /// The Theil-Sen slope of the repeated list: the median over its pairs at different doses, the mean of the two middle ones
    /// when their number is even. Sources: Theil 1950, Sen 1968.
    ///
    /// Undefined with [`Undefined::TooFew`] below two records and with [`Undefined::Constant`] when the dose never differs.
    pub fn median(&self, multiplicities: &[u16]) -> Result<f64, Undefined> {
        if total(self.records, multiplicities)? < 2 {
            return Err(Undefined::TooFew { have: 1, need: 2 });
        }
        let times = |record: u32| multiplicities.get(record as usize).map_or(0, |&times| u64::from(times));
        let weighted = || self.pairs.iter().map(|&(slope, i, j)| (slope, times(i) * times(j)));
        // At most 2^22 pairs of products below 2^32.
        let count: u64 = weighted().map(|(_, weight)| weight).sum();
        let (lower, upper) = (count.saturating_sub(1) / 2, count / 2);
        let (mut seen, mut at_lower) = (0, None);
        for (slope, weight) in weighted() {
            seen += weight;
            if seen > lower && at_lower.is_none() {
                at_lower = Some(slope);
            }
            if let Some(at_lower) = at_lower.filter(|_| seen > upper) {
                return Ok(f64::midpoint(at_lower, slope));
            }
        }
        Err(Undefined::Constant)
    }
}

/// [`PairSlopes::median`] with every record once.
pub fn theil_sen(dose: &[f64], outcome: &[f64]) -> Result<f64, SlopeError> {
    Ok(PairSlopes::new(dose, outcome)?.median(&once(dose.len()))?)
}

/// [`PairSlopes::median`] of records with multiplicities.
pub fn theil_sen_weighted(dose: &[f64], outcome: &[f64], multiplicities: &[u16]) -> Result<f64, SlopeError> {
    Ok(PairSlopes::new(dose, outcome)?.median(multiplicities)?)
}

#[cfg(test)]
mod tests;
