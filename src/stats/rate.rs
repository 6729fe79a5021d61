//! Intervals of one rate: of independent records, or of clusters of them through an effective number of records.
//!
//! Owns the interval formulas and the choice of the number of records they stand on. A rate and its number of records are
//! arguments, and the number may be fractional, so that one formula serves both. No formula here gives `[1, 1]` for records
//! that are all a yes, nor `[0, 0]` for none: a finite sample never shows that.
//!
//! Sources: Wilson, JASA 22, 1927; Agresti and Coull, The American Statistician 52, 1998; Clopper and Pearson, Biometrika 26,
//! 1934; Brown, Cai and `DasGupta`, Statistical Science 16, 2001 (Jeffreys); Korn and Graubard, Survey Methodology 24, 1998.

mod beta_binomial;
mod clusters;

use super::effective_n::{Cluster, effective_n, korn_graubard_n, t_ratio};
use super::interval::{Interval, upper_tail};
use super::undefined::Undefined;
use crate::math::special::{beta_quantile, normal_isf};

pub use beta_binomial::{BetaBinomial, MOST_DISTINCT_COUNTS, beta_binomial};
pub use clusters::{ClusterRobust, cluster_robust, t_on_cluster_rates};

/// A formula for the interval of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// [`wilson`].
    Wilson,
    /// [`agresti_coull`].
    AgrestiCoull,
    /// [`clopper_pearson`].
    ClopperPearson,
    /// [`jeffreys`].
    Jeffreys,
}

impl Formula {
    /// The interval of `rate` over `n` records at `level`.
    pub fn interval(self, rate: f64, n: f64, level: f64) -> Result<Interval, Undefined> {
        match self {
            Self::Wilson => wilson(rate, n, level),
            Self::AgrestiCoull => agresti_coull(rate, n, level),
            Self::ClopperPearson => clopper_pearson(rate, n, level),
            Self::Jeffreys => jeffreys(rate, n, level),
        }
    }
}

/// How many records clustered records count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleSize {
    /// All of them, as if those of a cluster were independent. Too short an interval wherever they are not.
    Records,
    /// The effective number, N / design effect.
    Effective,
    /// The effective number times (t(N-1) / t(K-1))^2 for K clusters, the allowance of Korn and Graubard for estimating
    /// variation from few clusters.
    KornGraubard,
}

/// Wilson's interval: the rates that a score test at this level does not reject.
///
/// `rate` lies in [0, 1] over `n > 0` records, which may be fractional. A rate of 0 has lower limit exactly 0, a rate of 1
/// upper limit exactly 1. Anything else is [`Undefined::OutOfRange`], as in all formulas of this module.
pub fn wilson(rate: f64, n: f64, level: f64) -> Result<Interval, Undefined> {
    let z = checked(rate, n, level)?;
    let z2 = z * z;
    let below = 1.0 + z2 / n;
    let centre = (rate + z2 / (2.0 * n)) / below;
    let half = z * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt() / below;
    let lower = if rate > 0.0 { centre - half } else { 0.0 };
    let upper = if rate < 1.0 { centre + half } else { 1.0 };
    Ok(Interval { lower, upper, level }.within(0.0, 1.0))
}

/// Agresti and Coull's interval: Wald's around Wilson's centre, with n + z^2 records; limits are cut at 0 and 1.
pub fn agresti_coull(rate: f64, n: f64, level: f64) -> Result<Interval, Undefined> {
    let z = checked(rate, n, level)?;
    let more = n + z * z;
    let centre = (rate * n + z * z / 2.0) / more;
    let half = z * (centre * (1.0 - centre) / more).sqrt();
    Ok(Interval { lower: centre - half, upper: centre + half, level }.within(0.0, 1.0))
}

/// Clopper and Pearson's interval: the rates that neither exact one-sided binomial test at (1 - level) / 2 rejects.
///
/// With k = rate n: the lower limit is the quantile of Beta(k, n-k+1) at the tail, the upper one that of Beta(k+1, n-k).
pub fn clopper_pearson(rate: f64, n: f64, level: f64) -> Result<Interval, Undefined> {
    checked(rate, n, level)?;
    let tail = upper_tail(level)?;
    let (yes, no) = (rate * n, (1.0 - rate) * n);
    let lower = if rate > 0.0 { beta_quantile(tail, yes, no + 1.0) } else { 0.0 };
    // The upper quantile of a beta is one minus the lower one of its mirror image, which keeps the small tail's digits.
    let upper = if rate < 1.0 { 1.0 - beta_quantile(tail, no, yes + 1.0) } else { 1.0 };
    finite(Interval { lower, upper, level })
}

/// Jeffreys's interval: the equal-tailed posterior interval under the prior Beta(1/2, 1/2).
///
/// The usual rule at the ends holds: a rate of 0 has lower limit exactly 0 and a rate of 1 upper limit exactly 1, since the
/// bare quantiles there would exclude the very rate observed.
pub fn jeffreys(rate: f64, n: f64, level: f64) -> Result<Interval, Undefined> {
    checked(rate, n, level)?;
    let tail = upper_tail(level)?;
    let (yes, no) = (rate * n + 0.5, (1.0 - rate) * n + 0.5);
    let lower = if rate > 0.0 { beta_quantile(tail, yes, no) } else { 0.0 };
    let upper = if rate < 1.0 { 1.0 - beta_quantile(tail, no, yes) } else { 1.0 };
    finite(Interval { lower, upper, level })
}

/// The interval of the rate over clustered records, by a formula on the number of records that `size` says.
///
/// Korn and Graubard's own interval is [`Formula::ClopperPearson`] on [`SampleSize::KornGraubard`]; [`Formula::Wilson`] on it
/// is shorter and holds its level as well in simulation. Records that are all alike count as one per cluster. Needs a record,
/// and two clusters for [`SampleSize::KornGraubard`].
pub fn of_clusters(
    clusters: &[Cluster],
    formula: Formula,
    size: SampleSize,
    level: f64,
) -> Result<Interval, Undefined> {
    let effective = effective_n(clusters)?;
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53; beyond it the nearest f64 serves")]
    let n = match size {
        SampleSize::Records => effective.records as f64,
        SampleSize::Effective => effective.n_eff,
        SampleSize::KornGraubard => korn_graubard_n(&effective, t_ratio(&effective, level)?)?,
    };
    formula.interval(effective.rate, n, level)
}

/// The normal quantile of the level, once rate and number of records are in range.
pub(super) fn checked(rate: f64, n: f64, level: f64) -> Result<f64, Undefined> {
    let tail = upper_tail(level)?;
    let valid = (0.0..=1.0).contains(&rate) && n.is_finite() && n > 0.0;
    if valid { Ok(normal_isf(tail)) } else { Err(Undefined::OutOfRange) }
}

/// A quantile that found no answer gives NaN, for instance over 1e300 records.
fn finite(interval: Interval) -> Result<Interval, Undefined> {
    if interval.lower.is_finite() && interval.upper.is_finite() { Ok(interval) } else { Err(Undefined::OutOfRange) }
}

#[cfg(test)]
mod tests;
