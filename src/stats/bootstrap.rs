//! The cluster bootstrap: totals of exact columns over all resamples, replicates of a statistic, percentile intervals.
//!
//! Totals are integers, so they are the same bytes for any thread count and any machine. Replicates that have no value
//! are `NaN` here, are counted, and never enter an interval. This module draws nothing: the picks come from outside.
//!
//! Percentile interval: the type 7 quantiles at (1 - level)/2 and (1 + level)/2 of the replicates that have a value.

use super::column::ExactColumn;
use super::interval::{Interval, upper_tail};
use super::nearest::nearest_quotient;
use super::parallel::fill_runs;
use super::picks::{LANES, Picks};
use super::undefined::Undefined;
use crate::math::quantile::{quantile_pair, sort_tails, sorted_quantile};

/// Columns are summed limb by limb: 15 bits of each integer at a time, so that products of multiplicities and limbs
/// add up in 32 bits.
const LIMB_BITS: u32 = 15;
/// With at most this many picks in a resample a sum of limbs stays within 32 bits.
const MOST_DRAWS_IN_LIMBS: usize = 65_535;
/// Totals below this bound are kept in 64 bits.
const NARROW_BOUND: u128 = 1 << 62;
/// Resamples handled together, so that their multiplicities stay in the nearest cache while the columns pass by.
const BLOCK: usize = 64;
/// Integers below this are exact in `f64`.
const EXACT: u128 = 1 << 53;

/// The totals of one column, one per resample: integers over 10^scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    scale: u32,
    /// No total exceeds this in absolute value.
    bound: u128,
    values: Values,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Values {
    Narrow(Vec<i64>),
    Wide(Vec<i128>),
}

impl Totals {
    /// Decimals of the quantity.
    #[must_use]
    pub const fn scale(&self) -> u32 {
        self.scale
    }

    /// Number of resamples.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Narrow(values) => values.len(),
            Values::Wide(values) => values.len(),
        }
    }

    /// Whether there are no resamples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The total in resample `b`, an integer over 10^scale.
    #[must_use]
    pub fn get(&self, b: usize) -> Option<i128> {
        match &self.values {
            Values::Narrow(values) => values.get(b).copied().map(i128::from),
            Values::Wide(values) => values.get(b).copied(),
        }
    }
}

/// The total of every column in every resample, exactly. `columns` are indexed by the clusters of `picks`.
///
/// Cost: resamples x clusters x 15-bit limbs per column, spread over `workers` threads; the result does not depend on
/// their number. Fails with [`Undefined::UnequalLengths`] when a column has another number of clusters, and with
/// [`Undefined::TooLarge`] when a total may exceed 128 bits.
pub fn totals(picks: &Picks, columns: &[&ExactColumn], workers: usize) -> Result<Vec<Totals>, Undefined> {
    let mut out = Vec::with_capacity(columns.len());
    for column in columns {
        out.push((Plan::new(picks, column)?, None));
    }
    fill_runs(&mut out, workers, |_, run| {
        for (plan, totals) in run.iter_mut() {
            *totals = Some(plan.blank(picks.resamples() as usize));
        }
        let rows = picks.rows().chunks(BLOCK * picks.stride());
        for (number, rows) in rows.enumerate() {
            for (plan, totals) in run.iter_mut() {
                if let Some(totals) = totals {
                    plan.add_block(number * BLOCK, rows, picks.stride(), &mut totals.values);
                }
            }
        }
    });
    Ok(out.into_iter().filter_map(|(_, totals)| totals).collect())
}

/// How one column is summed.
struct Plan<'c> {
    column: &'c ExactColumn,
    bound: u128,
    /// Limbs, least significant first, each padded to the stride of the picks; empty for the wide path.
    limbs: Vec<Vec<i16>>,
}

impl<'c> Plan<'c> {
    fn new(picks: &Picks, column: &'c ExactColumn) -> Result<Self, Undefined> {
        if column.len() != picks.clusters() {
            return Err(Undefined::UnequalLengths { left: column.len(), right: picks.clusters() });
        }
        let draws = picks.draws_per_resample();
        let bound = column.total_bound(draws).ok_or(Undefined::TooLarge)?;
        let narrow = bound < NARROW_BOUND && draws <= MOST_DRAWS_IN_LIMBS;
        let limbs = if narrow { split(column.sums(), picks.stride()) } else { Vec::new() };
        Ok(Self { column, bound, limbs })
    }

    fn blank(&self, resamples: usize) -> Totals {
        let values =
            if self.limbs.is_empty() { Values::Wide(vec![0; resamples]) } else { Values::Narrow(vec![0; resamples]) };
        Totals { scale: self.column.scale(), bound: self.bound, values }
    }

    fn add_block(&self, first: usize, rows: &[u16], stride: usize, values: &mut Values) {
        let rows = rows.chunks_exact(stride);
        match values {
            Values::Narrow(values) => {
                for (slot, row) in values.iter_mut().skip(first).zip(rows) {
                    let shifts = (0..u64::BITS).step_by(LIMB_BITS as usize);
                    // The whole total fits in 64 bits, so arithmetic modulo 2^64 on its parts is exact.
                    *slot = self.limbs.iter().zip(shifts).fold(0_i64, |total, (limb, shift)| {
                        total.wrapping_add(i64::from(dot(row, limb)).wrapping_shl(shift))
                    });
                }
            }
            Values::Wide(values) => {
                for (slot, row) in values.iter_mut().skip(first).zip(rows) {
                    // `bound` holds for every partial sum, so none of these wraps.
                    *slot = row.iter().zip(self.column.sums()).fold(0_i128, |total, (&weight, &sum)| {
                        total.wrapping_add(i128::from(weight).wrapping_mul(sum))
                    });
                }
            }
        }
    }
}

/// Splits integers into limbs of 15 bits, the last one signed.
fn split(sums: &[i128], stride: usize) -> Vec<Vec<i16>> {
    let mut rest: Vec<i128> = sums.to_vec();
    let mut limbs = Vec::new();
    loop {
        let mut limb = vec![0_i16; stride];
        let last = rest.iter().all(|value| i16::try_from(*value).is_ok());
        for (slot, value) in limb.iter_mut().zip(rest.iter_mut()) {
            let part = if last { *value } else { *value & ((1 << LIMB_BITS) - 1) };
            // In range on both branches: checked above, or masked to 15 bits.
            *slot = i16::try_from(part).unwrap_or_default();
            *value >>= LIMB_BITS;
        }
        limbs.push(limb);
        if last {
            return limbs;
        }
    }
}

/// The sum of products of multiplicities (at most 32,767 each) and limbs. It fits in 32 bits by the choice of limbs.
#[inline]
fn dot(weights: &[u16], limb: &[i16]) -> i32 {
    let (weights, _) = weights.as_chunks::<LANES>();
    let (limb, _) = limb.as_chunks::<LANES>();
    let mut lanes = [0_i32; LANES];
    for (weights, limb) in weights.iter().zip(limb) {
        for (lane, (weight, value)) in lanes.iter_mut().zip(weights.iter().zip(limb)) {
            *lane = lane.wrapping_add(i32::from(weight.cast_signed()) * i32::from(*value));
        }
    }
    lanes.iter().fold(0, |sum, lane| sum.wrapping_add(*lane))
}

/// The quotient of two columns' totals in every resample, each rounded once; `NaN` where the denominator is zero.
pub fn ratios(numerator: &Totals, denominator: &Totals) -> Result<Vec<f64>, Undefined> {
    let (left, right) = (numerator.len(), denominator.len());
    if left != right {
        return Err(Undefined::UnequalLengths { left, right });
    }
    if let (Values::Narrow(tops), Values::Narrow(bottoms)) = (&numerator.values, &denominator.values)
        && let Some(top_factor) = exact_factor(numerator.bound, denominator.scale.saturating_sub(numerator.scale))
        && let Some(bottom_factor) = exact_factor(denominator.bound, numerator.scale.saturating_sub(denominator.scale))
    {
        let pairs = tops.iter().zip(bottoms);
        #[expect(clippy::cast_precision_loss, reason = "the bounds are below 2^53, so every product is exact")]
        let quotient = |(&top, &bottom): (&i64, &i64)| {
            if bottom == 0 { f64::NAN } else { (top as f64 * top_factor) / (bottom as f64 * bottom_factor) }
        };
        return Ok(pairs.map(quotient).collect());
    }
    let exact = |b| nearest_quotient(numerator.get(b)?, numerator.scale, denominator.get(b)?, denominator.scale);
    Ok((0..left).map(|b| exact(b).unwrap_or(f64::NAN)).collect())
}

/// 10^power, when totals within `bound` times it stay exact in `f64`.
fn exact_factor(bound: u128, power: u32) -> Option<f64> {
    let factor = 10_u128.checked_pow(power)?;
    #[expect(clippy::cast_precision_loss, reason = "the factor is at most 2^53 here")]
    let exact = (bound.max(1).checked_mul(factor)? < EXACT).then_some(factor as f64);
    exact
}

/// The difference of two statistics in every resample; `NaN` where either has no value.
pub fn differences(left: &[f64], right: &[f64]) -> Result<Vec<f64>, Undefined> {
    if left.len() != right.len() {
        return Err(Undefined::UnequalLengths { left: left.len(), right: right.len() });
    }
    Ok(left.iter().zip(right).map(|(a, b)| a - b).collect())
}

/// The largest minus the smallest of several statistics in every resample; `NaN` where any of them has no value.
pub fn spreads(series: &[&[f64]]) -> Result<Vec<f64>, Undefined> {
    let Some((first, others)) = series.split_first() else {
        return Err(Undefined::NoRecords);
    };
    let mut extremes: Vec<(f64, f64)> = first.iter().map(|&value| (value, value)).collect();
    for other in others {
        if other.len() != first.len() {
            return Err(Undefined::UnequalLengths { left: first.len(), right: other.len() });
        }
        for ((low, high), &value) in extremes.iter_mut().zip(other.iter()) {
            // `min` and `max` skip NaN, so an undefined part is carried on by hand.
            let undefined = value.is_nan() || low.is_nan();
            (*low, *high) = if undefined { (f64::NAN, f64::NAN) } else { (low.min(value), high.max(value)) };
        }
    }
    Ok(extremes.into_iter().map(|(low, high)| high - low).collect())
}

/// One replicate per resample of any statistic of the multiplicities; `NaN` where it has no value or no finite one.
///
/// `statistic(b, weights)` must depend on its arguments alone; it is called from `workers` threads.
pub fn replicates(picks: &Picks, workers: usize, statistic: impl Fn(u32, &[u16]) -> Option<f64> + Sync) -> Vec<f64> {
    let mut out: Vec<(u32, f64)> = (0..picks.resamples()).map(|b| (b, f64::NAN)).collect();
    fill_runs(&mut out, workers, |_, run| {
        for (b, slot) in run {
            *slot = statistic(*b, picks.weights(*b)).filter(|value| value.is_finite()).unwrap_or(f64::NAN);
        }
    });
    out.into_iter().map(|(_, value)| value).collect()
}

/// A two-sided interval from bootstrap replicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapInterval {
    /// The limits, in the unit of the replicates.
    pub limits: Interval,
    /// Resamples without a value, left out of the interval: at most one in a hundred.
    pub undefined: usize,
}

/// The percentile interval of `replicates` (reordered in place) at `level`, such as 0.95.
///
/// Replicates that are not finite count as undefined. More than one in a hundred of them is
/// [`Undefined::TooManyUndefinedResamples`]; a level outside (0, 1) is [`Undefined::OutOfRange`].
pub fn percentile_interval(replicates: &mut [f64], level: f64) -> Result<BootstrapInterval, Undefined> {
    let (low, high) = tails(level)?;
    let (values, undefined) = defined(replicates)?;
    let (lower, upper) = quantile_pair(values, low, high).ok_or(Undefined::NoRecords)?;
    Ok(BootstrapInterval { limits: Interval { lower, upper, level }, undefined })
}

/// The basic interval: the percentile limits mirrored at the `estimate`, `2 estimate - upper` to `2 estimate - lower`.
///
/// It assumes that replicates lie around the estimate as the estimate lies around the truth. Replicates are reordered in
/// place and may be undefined as for [`percentile_interval`]; an estimate that is not finite is [`Undefined::NotFinite`].
pub fn basic_interval(replicates: &mut [f64], estimate: f64, level: f64) -> Result<BootstrapInterval, Undefined> {
    let BootstrapInterval { limits, undefined } = percentile_interval(replicates, level)?;
    let (lower, upper) = (2.0 * estimate - limits.upper, 2.0 * estimate - limits.lower);
    if !(lower.is_finite() && upper.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    Ok(BootstrapInterval { limits: Interval { lower, upper, level }, undefined })
}

/// [`percentile_interval`] with the Monte Carlo standard errors of its two limits: how far a limit would move, typically, under
/// another seed.
///
/// The number of replicates below the true quantile at p is binomial with standard deviation sqrt(B p (1-p)), so a limit
/// lies within d = sqrt(p (1-p) / B) of p on the probability scale. The error is half the distance between the type 7
/// quantiles at p - d and p + d; where one of these leaves [0, 1] it is cut there and the distance scaled up to match.
pub fn percentile_interval_with_errors(
    replicates: &mut [f64],
    level: f64,
) -> Result<(BootstrapInterval, (f64, f64)), Undefined> {
    let (low, high) = tails(level)?;
    let (values, undefined) = defined(replicates)?;
    let (around_low, around_high) = (Around::new(values.len(), low), Around::new(values.len(), high));
    sort_tails(values, around_low.to, around_high.from).ok_or(Undefined::NoRecords)?;
    let at = |p| sorted_quantile(values, p).ok_or(Undefined::NoRecords);
    let limits = Interval { lower: at(low)?, upper: at(high)?, level };
    let error =
        |around: &Around| Ok((at(around.to)? - at(around.from)?) * (around.half_width / (around.to - around.from)));
    Ok((BootstrapInterval { limits, undefined }, (error(&around_low)?, error(&around_high)?)))
}

/// Where a limit would be found under another seed, as probabilities.
struct Around {
    from: f64,
    to: f64,
    half_width: f64,
}

impl Around {
    fn new(replicates: usize, p: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 replicates")]
        let half_width = (p * (1.0 - p) / replicates as f64).sqrt();
        Self { from: (p - half_width).max(0.0), to: (p + half_width).min(1.0), half_width }
    }
}

/// The two tail probabilities of a level.
fn tails(level: f64) -> Result<(f64, f64), Undefined> {
    upper_tail(level).map(|low| (low, 1.0 - low))
}

/// Moves the finite replicates to the front and counts the others.
pub(super) fn defined(replicates: &mut [f64]) -> Result<(&mut [f64], usize), Undefined> {
    let resamples = replicates.len();
    let mut kept = 0;
    for index in 0..resamples {
        if replicates.get(index).is_some_and(|value| value.is_finite()) {
            replicates.swap(kept, index);
            kept += 1;
        }
    }
    let undefined = resamples - kept;
    if undefined.saturating_mul(100) > resamples {
        return Err(Undefined::TooManyUndefinedResamples { undefined, resamples });
    }
    let values = replicates.get_mut(..kept).unwrap_or_default();
    if values.is_empty() { Err(Undefined::NoRecords) } else { Ok((values, undefined)) }
}

#[cfg(test)]
mod tests;
