//! Intervals of the difference of two rates, `first - second`: of matched pairs, and of two independent samples.
//!
//! Owns the closed formulas for single yes-or-no records. Records in clusters need a mean of cluster differences instead, or,
//! for two independent samples, the effective numbers of records that [`newcombe`] accepts.
//!
//! Sources: Newcombe, Statistics in Medicine 17, 1998, 2635-2650 (paired, method 10) and 873-890 (unpaired, method 10);
//! Agresti and Min, Statistics in Medicine 24, 2005; Agresti and Caffo, The American Statistician 54, 2000.

use super::interval::{Interval, upper_tail};
use super::rate::wilson;
use super::undefined::Undefined;
use crate::math::special::normal_isf;

/// Matched pairs of yes-or-no records, counted by outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// Both are a yes.
    pub both: u64,
    /// Only the first is a yes.
    pub only_first: u64,
    /// Only the second is a yes.
    pub only_second: u64,
    /// Neither is a yes.
    pub neither: u64,
}

/// A rate and the number of records it stands on, which may be an effective number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Between 0 and 1.
    pub rate: f64,
    /// Above zero.
    pub n: f64,
}

impl Rate {
    /// The rate of `positive` among `records`. No records is [`Undefined::NoRecords`], more positives than records
    /// [`Undefined::OutOfRange`].
    pub fn of(positive: u64, records: u64) -> Result<Self, Undefined> {
        match records {
            0 => Err(Undefined::NoRecords),
            _ if positive > records => Err(Undefined::OutOfRange),
            _ => Ok(Self { rate: real(positive) / real(records), n: real(records) }),
        }
    }
}

impl Pairs {
    /// The four counts as numbers, and their sum.
    fn cells(self) -> Result<([f64; 4], f64), Undefined> {
        let cells = [self.both, self.only_first, self.only_second, self.neither].map(real);
        let n: f64 = cells.iter().sum();
        if n > 0.0 { Ok((cells, n)) } else { Err(Undefined::NoRecords) }
    }

    /// The difference of the two rates, `(only_first - only_second) / pairs`.
    pub fn difference(self) -> Result<f64, Undefined> {
        let ([_, only_first, only_second, _], n) = self.cells()?;
        Ok((only_first - only_second) / n)
    }
}

/// Newcombe's interval for matched pairs (his method 10): Wilson's limits of either rate, combined through their correlation.
///
/// With counts a, b, c, d (both, only first, only second, neither), phi is (ad - bc) / sqrt of the product of the margins,
/// where a numerator above zero is first lowered by n/2, though not below zero, and phi = 0 when a margin is zero. With
/// Wilson limits l1, u1, l2, u2 the reach downwards is sqrt(dl^2 - 2 phi dl du + du^2), dl = p1 - l1, du = u2 - p2; upwards the
/// same with u1 - p1 and p2 - l2. Needs a pair.
pub fn newcombe_paired(pairs: Pairs, level: f64) -> Result<Interval, Undefined> {
    let ([both, only_first, only_second, neither], n) = pairs.cells()?;
    let (first, second) = (both + only_first, both + only_second);
    let margins = first * (n - first) * second * (n - second);
    let excess = both * neither - only_first * only_second;
    let numerator = if excess > 0.0 { (excess - n / 2.0).max(0.0) } else { excess };
    let phi = if margins > 0.0 { numerator / margins.sqrt() } else { 0.0 };
    let (first, second) = (Rate { rate: first / n, n }, Rate { rate: second / n, n });
    combine(first, second, phi, (only_first - only_second) / n, level)
}

/// Newcombe's hybrid score interval for two independent samples (his method 10): Wilson's limits of either rate, squared and
/// added. Both numbers of records may be effective ones.
pub fn newcombe(first: Rate, second: Rate, level: f64) -> Result<Interval, Undefined> {
    combine(first, second, 0.0, first.rate - second.rate, level)
}

fn combine(first: Rate, second: Rate, phi: f64, difference: f64, level: f64) -> Result<Interval, Undefined> {
    let (one, two) = (wilson(first.rate, first.n, level)?, wilson(second.rate, second.n, level)?);
    let reach = |x: f64, y: f64| (x * x - 2.0 * phi * x * y + y * y).max(0.0).sqrt();
    let down = reach(first.rate - one.lower, two.upper - second.rate);
    let up = reach(one.upper - first.rate, second.rate - two.lower);
    Ok(Interval { lower: difference - down, upper: difference + up, level }.within(-1.0, 1.0))
}

/// Agresti and Min's interval for matched pairs: Wald's, after half a pair is added to each of the four counts. Limits are
/// cut at -1 and 1.
pub fn agresti_min(pairs: Pairs, level: f64) -> Result<Interval, Undefined> {
    let z = normal_isf(upper_tail(level)?);
    let ([_, b, c, _], n) = pairs.cells()?;
    let (b, c, n) = (b + 0.5, c + 0.5, n + 2.0);
    let difference = (b - c) / n;
    let reach = z * (b + c - (b - c) * (b - c) / n).sqrt() / n;
    Ok(Interval { lower: difference - reach, upper: difference + reach, level }.within(-1.0, 1.0))
}

/// Agresti and Caffo's interval for two independent samples: Wald's, after one yes and one no are added to each. Limits are
/// cut at -1 and 1.
pub fn agresti_caffo(first: Rate, second: Rate, level: f64) -> Result<Interval, Undefined> {
    let z = normal_isf(upper_tail(level)?);
    let add = |of: Rate| -> Result<(f64, f64), Undefined> {
        if !((0.0..=1.0).contains(&of.rate) && of.n.is_finite() && of.n > 0.0) {
            return Err(Undefined::OutOfRange);
        }
        let n = of.n + 2.0;
        let rate = (of.rate * of.n + 1.0) / n;
        Ok((rate, rate * (1.0 - rate) / n))
    };
    let ((one, one_variance), (two, two_variance)) = (add(first)?, add(second)?);
    let reach = z * (one_variance + two_variance).sqrt();
    Ok(Interval { lower: one - two - reach, upper: one - two + reach, level }.within(-1.0, 1.0))
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53; beyond it the nearest f64 serves")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
