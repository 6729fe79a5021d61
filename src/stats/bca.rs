//! The bias-corrected and accelerated bootstrap interval, with the acceleration from a jackknife over clusters.
//!
//! Owns the correction of the tail probabilities. It draws nothing: replicates and the statistic without each cluster come
//! from outside, as multiplicities do in `picks`.
//!
//! Source: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 14. With B replicates, bias z0 is the normal
//! quantile of the share of replicates below the estimate; acceleration a is sum d^3 / (6 (sum d^2)^1.5), d being the mean of
//! the leave-one-out values minus each of them; a tail with normal quantile z becomes that with z0 + (z0 + z) / (1 - a (z0 + z)).
//! The limits are type 7 quantiles of the replicates there.

use std::fmt;

use super::bootstrap::defined;
use super::interval::{Interval, upper_tail};
use super::parallel::fill_runs;
use super::undefined::Undefined;
use crate::math::quantile::quantile_pair;
use crate::math::special::{normal_cdf, normal_isf, normal_quantile};

/// How replicates exactly equal to the estimate enter the bias. With counts many are, so the choice shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ties {
    /// Each counts half below and half above.
    Half,
    /// None counts as below.
    Strict,
}

/// Why there is no such interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BcaError {
    /// The replicates or the level do not serve.
    Undefined(Undefined),
    /// The estimate lies at the edge of its own replicates, so the bias would be infinite.
    EstimateAtEdge {
        /// Replicates below the estimate.
        below: usize,
        /// Replicates equal to it.
        equal: usize,
        /// Replicates with a value.
        replicates: usize,
    },
    /// The acceleration is so large that a corrected tail does not exist.
    Acceleration {
        /// Bias, as a normal quantile.
        bias: f64,
        /// Acceleration.
        acceleration: f64,
    },
}

impl fmt::Display for BcaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined(reason) => write!(f, "{reason}"),
            Self::EstimateAtEdge { below, equal, replicates } => write!(
                f,
                "{below} of {replicates} resamples lie below the estimate and {equal} on it, so its bias cannot be corrected; \
                 name an interval for rates near 0 or 1, or one on a t scale"
            ),
            Self::Acceleration { bias, acceleration } => write!(
                f,
                "bias {bias} and acceleration {acceleration} leave no corrected tail at this level: single clusters decide the \
                 statistic; add clusters"
            ),
        }
    }
}

impl std::error::Error for BcaError {}

impl From<Undefined> for BcaError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

/// The interval and what corrected it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bca {
    /// The limits, in the unit of the replicates.
    pub limits: Interval,
    /// Resamples without a value, left out: at most one in a hundred.
    pub undefined: usize,
    /// Bias z0, as a normal quantile.
    pub bias: f64,
    /// The corrected tail probabilities, lower and upper, of which the limits are quantiles.
    pub tails: (f64, f64),
}

/// The statistic without each cluster in turn. `statistic(weights)` gets multiplicities as a resample would: one for every
/// cluster and zero for the one left out. Called from `workers` threads, with the same result for any number of them.
///
/// A statistic without a finite value on such a set is [`Undefined::NotFinite`]; fewer than two clusters are
/// [`Undefined::TooFew`].
pub fn leave_one_out(
    clusters: usize,
    workers: usize,
    statistic: impl Fn(&[u16]) -> Option<f64> + Sync,
) -> Result<Vec<f64>, Undefined> {
    if clusters < 2 {
        return Err(Undefined::TooFew { have: clusters, need: 2 });
    }
    let mut values = vec![f64::NAN; clusters];
    fill_runs(&mut values, workers, |first, run| {
        let mut weights = vec![1_u16; clusters];
        for (cluster, value) in (first..).zip(run) {
            set(&mut weights, cluster, 0);
            *value = statistic(&weights).unwrap_or(f64::NAN);
            set(&mut weights, cluster, 1);
        }
    });
    if values.iter().all(|value| value.is_finite()) { Ok(values) } else { Err(Undefined::NotFinite) }
}

fn set(weights: &mut [u16], cluster: usize, weight: u16) {
    if let Some(slot) = weights.get_mut(cluster) {
        *slot = weight;
    }
}

/// The acceleration from the statistic without each cluster. Values that are all equal are [`Undefined::Constant`].
pub fn acceleration(leave_one_out: &[f64]) -> Result<f64, Undefined> {
    if leave_one_out.len() < 2 {
        return Err(Undefined::TooFew { have: leave_one_out.len(), need: 2 });
    }
    if leave_one_out.iter().any(|value| !value.is_finite()) {
        return Err(Undefined::NotFinite);
    }
    if leave_one_out.iter().zip(leave_one_out.iter().skip(1)).all(|(a, b)| a - b == 0.0) {
        return Err(Undefined::Constant);
    }
    #[expect(clippy::cast_precision_loss, reason = "a slice never holds 2^53 values")]
    let mean = leave_one_out.iter().sum::<f64>() / leave_one_out.len() as f64;
    let largest = leave_one_out.iter().fold(0.0_f64, |largest, value| largest.max((mean - value).abs()));
    let (mut squares, mut cubes) = (0.0, 0.0);
    for value in leave_one_out {
        // The acceleration has no unit, so deviations may be scaled: their cubes must neither vanish nor overflow.
        let deviation = (mean - value) / largest;
        squares += deviation * deviation;
        cubes += deviation * deviation * deviation;
    }
    let acceleration = cubes / (6.0 * squares * squares.sqrt());
    if acceleration.is_finite() { Ok(acceleration) } else { Err(Undefined::NotFinite) }
}

/// The `BCa` interval of `replicates` (reordered in place) around `estimate` at `level`, with `acceleration` from
/// [`acceleration`]. An acceleration of zero gives the bias-corrected interval.
pub fn bca_interval(
    replicates: &mut [f64],
    estimate: f64,
    acceleration: f64,
    ties: Ties,
    level: f64,
) -> Result<Bca, BcaError> {
    let tail = upper_tail(level)?;
    if !(estimate.is_finite() && acceleration.is_finite()) {
        return Err(Undefined::NotFinite.into());
    }
    let (values, undefined) = defined(replicates)?;
    let below = values.iter().filter(|value| **value < estimate).count();
    let equal = values.iter().filter(|value| **value - estimate == 0.0).count();
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 replicates")]
    let share = match ties {
        Ties::Half => (below as f64 + 0.5 * equal as f64) / values.len() as f64,
        Ties::Strict => below as f64 / values.len() as f64,
    };
    if !(share > 0.0 && share < 1.0) {
        return Err(BcaError::EstimateAtEdge { below, equal, replicates: values.len() });
    }
    let bias = normal_quantile(share);
    let corrected = |z: f64| {
        let shifted = bias + z;
        let left = 1.0 - acceleration * shifted;
        if left > 0.0 {
            Ok(normal_cdf(bias + shifted / left))
        } else {
            Err(BcaError::Acceleration { bias, acceleration })
        }
    };
    let z = normal_isf(tail);
    let (low, high) = (corrected(-z)?, corrected(z)?);
    let (lower, upper) = quantile_pair(values, low, high).ok_or(Undefined::NoRecords)?;
    Ok(Bca { limits: Interval { lower, upper, level }, undefined, bias, tails: (low, high) })
}

#[cfg(test)]
mod tests;
