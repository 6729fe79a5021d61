//! Statistics that carry their own standard error into every resample, and the bootstrap-t interval of them.
//!
//! Owns means and ratios over clusters, and sums of them with factors (differences, differences of differences), all over one
//! set of picks. The standard error is the linearised one: with cluster sums y and x, totals Y and X and R = Y/X, the influence of
//! a cluster is (y - R x)/X, and the error is sqrt(n/(n-1) sum influence^2) over n clusters; with x constant this is the plain
//! sd/sqrt(n). In a resample every cluster counts as often as it was picked.
//!
//! Sources: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, section 12.5; Cochran, "Sampling Techniques", 1977,
//! chapter 6 for the error of a ratio.

use super::bootstrap::BootstrapInterval;
use super::column::ExactColumn;
use super::interval::{Interval, upper_tail};
use super::moments::sample_sd;
use super::nearest::nearest_quotient;
use super::parallel::fill_runs;
use super::picks::Picks;
use super::undefined::Undefined;
use crate::math::quantile::quantile_pair;

/// One ratio in a sum of ratios: `factor` times total(numerator) / total(denominator).
#[derive(Clone, Copy, Debug)]
pub struct Term<'c> {
    /// Usually 1 or -1.
    pub factor: f64,
    /// Cluster sums above the line.
    pub numerator: &'c ExactColumn,
    /// Cluster sums below the line: counts for a mean over records, all ones for a mean over clusters.
    pub denominator: &'c ExactColumn,
}

/// A statistic, its standard error, and both again in every resample.
#[derive(Clone, Debug, PartialEq)]
pub struct Studentised {
    estimate: f64,
    standard_error: f64,
    replicates: Vec<f64>,
    errors: Vec<f64>,
}

impl Studentised {
    /// The statistic `sum of factor * total(numerator) / total(denominator)` over `terms`, with its linearised standard error, in
    /// the data and in every resample of `picks`. The result does not depend on `workers`.
    ///
    /// Fails with [`Undefined::Constant`] when no cluster differs from the others, with [`Undefined::TooFew`] below two clusters,
    /// with [`Undefined::ZeroDenominator`], with [`Undefined::UnequalLengths`] and, beyond 128 bits, [`Undefined::TooLarge`].
    pub fn new(picks: &Picks, terms: &[Term<'_>], workers: usize) -> Result<Self, Undefined> {
        let (one, values) = evaluate(picks, terms, workers)?;
        let (estimate, standard_error) = one;
        if standard_error <= 0.0 {
            return Err(Undefined::Constant);
        }
        let (replicates, errors) = values.into_iter().unzip();
        Ok(Self { estimate, standard_error, replicates, errors })
    }

    /// A statistic without an error of its own in each resample: the standard deviation of the replicates that have a value stands
    /// for all of them.
    pub fn from_replicates(estimate: f64, replicates: Vec<f64>) -> Result<Self, Undefined> {
        if !estimate.is_finite() {
            return Err(Undefined::NotFinite);
        }
        let defined: Vec<f64> = replicates.iter().copied().filter(|value| value.is_finite()).collect();
        let standard_error = sample_sd(&defined)?;
        if standard_error <= 0.0 {
            return Err(Undefined::Constant);
        }
        let errors = vec![standard_error; replicates.len()];
        Ok(Self { estimate, standard_error, replicates, errors })
    }

    /// The statistic in the data.
    #[must_use]
    pub const fn estimate(&self) -> f64 {
        self.estimate
    }

    /// Its standard error; above zero.
    #[must_use]
    pub const fn standard_error(&self) -> f64 {
        self.standard_error
    }

    /// The statistic in every resample; `NaN` where it has no value.
    #[must_use]
    pub fn replicates(&self) -> &[f64] {
        &self.replicates
    }

    /// (replicate - estimate) / its own standard error, in every resample. A resample without spread whose statistic moved is
    /// infinitely far; one that has no value, or neither spread nor movement, is `NaN`.
    #[must_use]
    pub fn roots(&self) -> impl ExactSizeIterator<Item = f64> {
        self.replicates.iter().zip(&self.errors).map(|(replicate, error)| (replicate - self.estimate) / error)
    }

    /// The bootstrap-t interval at `level`: estimate - q standard errors, q being the type 7 quantiles of [`Self::roots`] at either
    /// tail. More than one root in a hundred without a value is [`Undefined::TooManyUndefinedResamples`]; a quantile that is
    /// infinite is [`Undefined::Unbounded`].
    pub fn interval(&self, level: f64) -> Result<BootstrapInterval, Undefined> {
        let tail = upper_tail(level)?;
        let (mut roots, undefined) = with_value(self.roots())?;
        let (low, high) = quantile_pair(&mut roots, tail, 1.0 - tail).ok_or(Undefined::NoRecords)?;
        let (lower, upper) = (self.estimate - high * self.standard_error, self.estimate - low * self.standard_error);
        if !(lower.is_finite() && upper.is_finite()) {
            return Err(Undefined::Unbounded);
        }
        Ok(BootstrapInterval { limits: Interval { lower, upper, level }, undefined })
    }
}

/// The values that are numbers, infinite ones included, and how many are not: at most one in a hundred.
pub(super) fn with_value(values: impl ExactSizeIterator<Item = f64>) -> Result<(Vec<f64>, usize), Undefined> {
    let resamples = values.len();
    let kept: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    let undefined = resamples - kept.len();
    if undefined.saturating_mul(100) > resamples {
        return Err(Undefined::TooManyUndefinedResamples { undefined, resamples });
    }
    if kept.is_empty() { Err(Undefined::NoRecords) } else { Ok((kept, undefined)) }
}

/// A value and its standard error.
type Estimate = (f64, f64);

/// The statistic and its standard error in the data and in every resample; `NaN` where a resample has no value.
fn evaluate(picks: &Picks, terms: &[Term<'_>], workers: usize) -> Result<(Estimate, Vec<Estimate>), Undefined> {
    if terms.is_empty() {
        return Err(Undefined::NoRecords);
    }
    for term in terms {
        term.check(picks)?;
    }
    if picks.clusters() < 2 {
        return Err(Undefined::TooFew { have: picks.clusters(), need: 2 });
    }
    let one = at(terms, &vec![1; picks.clusters()]).ok_or(Undefined::ZeroDenominator)?;
    if !(one.0.is_finite() && one.1.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    let mut values: Vec<(u32, Estimate)> = (0..picks.resamples()).map(|b| (b, (f64::NAN, f64::NAN))).collect();
    fill_runs(&mut values, workers, |_, run| {
        for (b, slot) in run {
            if let Some(value) = at(terms, picks.weights(*b)) {
                *slot = value;
            }
        }
    });
    Ok((one, values.into_iter().map(|(_, value)| value).collect()))
}

impl Term<'_> {
    fn check(&self, picks: &Picks) -> Result<(), Undefined> {
        if !self.factor.is_finite() {
            return Err(Undefined::NotFinite);
        }
        for column in [self.numerator, self.denominator] {
            if column.len() != picks.clusters() {
                return Err(Undefined::UnequalLengths { left: column.len(), right: picks.clusters() });
            }
        }
        // Products of a cluster's sum with a total, and the difference of two of them, must fit.
        let bound = |column: &ExactColumn| column.total_bound(picks.draws_per_resample());
        let products =
            bound(self.numerator).zip(bound(self.denominator)).and_then(|(y, x)| y.checked_mul(x)?.checked_mul(2));
        products.filter(|bound| *bound <= i128::MAX.unsigned_abs()).map(|_| ()).ok_or(Undefined::TooLarge)
    }

    /// Adds the influence of every cluster, and gives the ratio. `None` when the denominator is zero.
    fn add(&self, weights: &[u16], influences: &mut [f64]) -> Option<f64> {
        let (y, x) = (total(self.numerator, weights), total(self.denominator, weights));
        let ratio = nearest_quotient(y, self.numerator.scale(), x, self.denominator.scale())?;
        // The unit of y/x, at the scales the columns are kept at.
        let unit = nearest_quotient(1, self.numerator.scale(), 1, self.denominator.scale())?;
        let (factor, below) = (self.factor * unit, real(x));
        let sums = self.numerator.sums().iter().zip(self.denominator.sums());
        for (influence, (own_y, own_x)) in influences.iter_mut().zip(sums) {
            // (y - R x)/X = (y X - Y x)/X^2, whose numerator is exact: no spread is invented out of rounding. `check` bounded it.
            let cross = own_y.wrapping_mul(x).wrapping_sub(y.wrapping_mul(*own_x));
            *influence += factor * (real(cross) / below / below);
        }
        Some(self.factor * ratio)
    }
}

/// The statistic and its standard error under multiplicities. `None` when a ratio is undefined or one cluster at most is drawn.
fn at(terms: &[Term<'_>], weights: &[u16]) -> Option<Estimate> {
    let drawn: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    if drawn < 2 {
        return None;
    }
    let mut influences = vec![0.0_f64; weights.len()];
    let mut value = 0.0;
    for term in terms {
        value += term.add(weights, &mut influences)?;
    }
    let squares: f64 = influences.iter().zip(weights).map(|(d, &weight)| f64::from(weight) * (d * d)).sum();
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 clusters")]
    let n = drawn as f64;
    Some((value, (n / (n - 1.0) * squares).sqrt()))
}

fn total(column: &ExactColumn, weights: &[u16]) -> i128 {
    // The bound checked by `Term::check` holds for every partial sum, so none of these wraps.
    let add = |total: i128, (&weight, &sum): (&u16, &i128)| total.wrapping_add(i128::from(weight).wrapping_mul(sum));
    weights.iter().zip(column.sums()).fold(0, add)
}

#[expect(clippy::cast_precision_loss, reason = "the nearest f64 to an exact integer")]
fn real(value: i128) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests;
