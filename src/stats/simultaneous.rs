//! Simultaneous intervals of several statistics over the same resamples, and a lower bound for a spread between arms.
//!
//! Owns the joint critical value: the quantile, over resamples, of the largest |t| of all the statistics. Since the resamples are
//! shared, the dependence between statistics enters by itself.
//!
//! The largest minus the smallest of several estimates is above zero even when nothing differs, and so is every resample of it;
//! its percentile interval is no evidence. The bound here starts from the pairs instead: max over pairs of |difference| - q se, not
//! below zero, with q the critical value of all pairs. When no arm differs it exceeds zero with probability at most 1 - level.
//!
//! Source: Westfall and Young, "Resampling-Based Multiple Testing", 1993, for max-|t|.

use super::column::ExactColumn;
use super::interval::{Interval, upper_tail};
use super::nearest::nearest_quotient;
use super::picks::Picks;
use super::studentised::{Studentised, Term, with_value};
use super::undefined::Undefined;
use crate::math::quantile::quantile;

/// Intervals that all hold at once at their level.
#[derive(Clone, Debug, PartialEq)]
pub struct Bands {
    /// One interval for each statistic, in the order given.
    pub intervals: Vec<Interval>,
    /// The critical value: every interval reaches this many standard errors to either side.
    pub critical: f64,
    /// Resamples in which a statistic had no value, left out: at most one in a hundred.
    pub undefined: usize,
}

/// A lower confidence bound for the largest minus the smallest of several arms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadBound {
    /// The largest minus the smallest estimate.
    pub spread: f64,
    /// The one-sided bound, at least zero.
    pub lower: f64,
    /// The level of the simultaneous intervals it comes from.
    pub level: f64,
    /// The pair of arms whose interval gives the bound, the higher arm first; none when the bound is zero.
    pub pair: Option<(usize, usize)>,
    /// The critical value over all pairs.
    pub critical: f64,
    /// Pairs whose difference is the same in every cluster: they have no standard error and take no part.
    pub constant_pairs: usize,
    /// Resamples in which a pair had no value, left out: at most one in a hundred.
    pub undefined: usize,
}

/// One arm: cluster sums whose totals form a rate or a mean.
#[derive(Clone, Copy, Debug)]
pub struct Arm<'c> {
    /// Cluster sums above the line.
    pub numerator: &'c ExactColumn,
    /// Cluster sums below the line.
    pub denominator: &'c ExactColumn,
}

/// The largest |t| seen in each resample so far.
#[derive(Default)]
struct Largest {
    series: usize,
    values: Vec<f64>,
}

impl Largest {
    fn add(&mut self, series: &Studentised) -> Result<(), Undefined> {
        let roots = series.roots();
        if self.series == 0 {
            self.values = roots.map(f64::abs).collect();
        } else if roots.len() == self.values.len() {
            for (largest, root) in self.values.iter_mut().zip(roots) {
                // `max` skips NaN, so an undefined part is carried on by hand.
                *largest = if root.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(root.abs()) };
            }
        } else {
            return Err(Undefined::UnequalLengths { left: self.values.len(), right: roots.len() });
        }
        self.series += 1;
        Ok(())
    }

    fn critical(self, level: f64) -> Result<(f64, usize), Undefined> {
        upper_tail(level)?;
        let (mut values, undefined) = with_value(self.values.into_iter())?;
        let critical = quantile(&mut values, level).ok_or(Undefined::NoRecords)?;
        if critical.is_finite() { Ok((critical, undefined)) } else { Err(Undefined::Unbounded) }
    }
}

/// Simultaneous intervals estimate +- q standard errors, q being the type 7 quantile at `level` of the largest |t| of a resample.
///
/// All series must come from the same picks. Fails with [`Undefined::NoRecords`] without a series, and as
/// [`Studentised::interval`] does.
pub fn simultaneous_bands(series: &[&Studentised], level: f64) -> Result<Bands, Undefined> {
    let mut largest = Largest::default();
    for series in series {
        largest.add(series)?;
    }
    let (critical, undefined) = largest.critical(level)?;
    let interval = |series: &&Studentised| {
        let reach = critical * series.standard_error();
        Interval { lower: series.estimate() - reach, upper: series.estimate() + reach, level }
    };
    Ok(Bands { intervals: series.iter().map(interval).collect(), critical, undefined })
}

/// A lower bound for the spread between `arms` from simultaneous intervals of all pairs of them over `picks`.
///
/// A pair whose difference is the same in every cluster has no standard error: it takes no part and is counted, which can only
/// lower the bound. Needs two arms and a pair with spread. Cost: pairs x resamples x clusters.
pub fn spread_lower_bound(
    picks: &Picks,
    arms: &[Arm<'_>],
    level: f64,
    workers: usize,
) -> Result<SpreadBound, Undefined> {
    upper_tail(level)?;
    if arms.len() < 2 {
        return Err(Undefined::TooFew { have: arms.len(), need: 2 });
    }
    let mut largest = Largest::default();
    let (mut pairs, mut constant_pairs) = (Vec::new(), 0);
    for (i, one) in arms.iter().enumerate() {
        for (j, two) in arms.iter().enumerate().skip(i + 1) {
            let terms = [(1.0, one), (-1.0, two)];
            let terms =
                terms.map(|(factor, arm)| Term { factor, numerator: arm.numerator, denominator: arm.denominator });
            match Studentised::new(picks, &terms, workers) {
                Ok(series) => {
                    largest.add(&series)?;
                    let ordered = if series.estimate() < 0.0 { (j, i) } else { (i, j) };
                    pairs.push((ordered, series.estimate().abs(), series.standard_error()));
                }
                Err(Undefined::Constant) => constant_pairs += 1,
                Err(reason) => return Err(reason),
            }
        }
    }
    if pairs.is_empty() {
        return Err(Undefined::Constant);
    }
    let (critical, undefined) = largest.critical(level)?;
    let (mut lower, mut pair) = (0.0, None);
    for (arms, difference, error) in pairs {
        let bound = difference - critical * error;
        if bound > lower {
            (lower, pair) = (bound, Some(arms));
        }
    }
    Ok(SpreadBound { spread: spread(arms)?, lower, level, pair, critical, constant_pairs, undefined })
}

/// The largest minus the smallest estimate.
fn spread(arms: &[Arm<'_>]) -> Result<f64, Undefined> {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for Arm { numerator: top, denominator: bottom } in arms {
        let estimate = nearest_quotient(top.total(), top.scale(), bottom.total(), bottom.scale());
        let estimate = estimate.ok_or(Undefined::ZeroDenominator)?;
        (least, most) = (least.min(estimate), most.max(estimate));
    }
    Ok(most - least)
}

#[cfg(test)]
mod tests;
