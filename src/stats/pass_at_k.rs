//! pass@k and pass^k: the chance that one, or every one, of k attempts drawn without replacement from those made succeeds.
//!
//! Owns the two unbiased estimates for one unit and their means over units. Each estimate is an exact fraction rounded once.
//! More attempts drawn than were made is an error and never a number. Sources: Chen et al. 2021 (pass@k), Yao et al. 2024 (pass^k).

use std::fmt;

use num_bigint::{BigInt, BigUint};
use num_traits::One as _;

use super::exact_sum::{ExactSum, nearest_ratio};
use super::undefined::Undefined;
use super::weights::{once, total};
use crate::math::product::product;

/// Most attempts of one unit: the exact fraction then has at most some hundred thousand digits.
pub const MOST_ATTEMPTS: u32 = 65_536;

/// How often one unit (a task in a cell, say) was attempted, and how often with success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    /// Attempts made, n.
    pub made: u32,
    /// Successes among them, c.
    pub succeeded: u32,
}

/// Why there is no estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptsError {
    /// There is nothing to average.
    Undefined(Undefined),
    /// k is zero: nothing is drawn.
    ZeroDrawn,
    /// A unit has fewer attempts than are drawn.
    TooFew {
        /// The unit's number, counted from 0.
        unit: usize,
        /// Attempts it has.
        made: u32,
        /// Attempts to draw, k.
        drawn: u32,
    },
    /// A unit has more successes than attempts.
    MoreSuccesses {
        /// The unit's number, counted from 0.
        unit: usize,
        /// Its counts.
        attempts: Attempts,
    },
    /// A unit has more than [`MOST_ATTEMPTS`] attempts.
    TooMany {
        /// The unit's number, counted from 0.
        unit: usize,
        /// Attempts it has.
        made: u32,
    },
}

impl From<Undefined> for AttemptsError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for AttemptsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(reason) => reason.fmt(f),
            Self::ZeroDrawn => f.write_str("k is 0, so no attempt is drawn; k is at least 1"),
            Self::TooFew { unit, made, drawn } => write!(
                f,
                "unit number {} has {made} attempts, from which {drawn} cannot be drawn without replacement; lower k, or run more \
                 attempts",
                unit + 1
            ),
            Self::MoreSuccesses { unit, attempts: Attempts { made, succeeded } } => {
                write!(
                    f,
                    "unit number {} counts {succeeded} successes in {made} attempts; one of them is wrong",
                    unit + 1
                )
            }
            Self::TooMany { unit, made } => {
                write!(f, "unit number {} has {made} attempts, more than the {MOST_ATTEMPTS} counted exactly", unit + 1)
            }
        }
    }
}

impl std::error::Error for AttemptsError {}

/// Which of the two chances is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Success {
    /// At least one of the k succeeds: pass@k = 1 - C(n-c, k) / C(n, k).
    Any,
    /// All k succeed: pass^k = C(c, k) / C(n, k).
    Every,
}

/// The estimate for one unit, in [0, 1].
pub fn pass(success: Success, attempts: Attempts, drawn: u32) -> Result<f64, AttemptsError> {
    estimate(success, attempts, drawn, 0)
}

/// The mean of the estimates over units, each unit once.
pub fn mean_pass(success: Success, units: &[Attempts], drawn: u32) -> Result<f64, AttemptsError> {
    mean_pass_weighted(success, units, drawn, &once(units.len()))
}

/// The mean of the estimates over units, each as often as its multiplicity says. A unit that is not picked is not looked at; one
/// that is picked and has fewer than `drawn` attempts makes the mean undefined, since leaving it out would change the population.
pub fn mean_pass_weighted(
    success: Success,
    units: &[Attempts],
    drawn: u32,
    multiplicities: &[u16],
) -> Result<f64, AttemptsError> {
    let records = total(units.len(), multiplicities)?;
    let mut sum = ExactSum::default();
    for (unit, (attempts, times)) in units.iter().zip(multiplicities).enumerate() {
        if *times > 0 {
            sum.add(estimate(success, *attempts, drawn, unit)?, *times);
        }
    }
    Ok(sum.mean(records)?)
}

fn estimate(success: Success, attempts: Attempts, drawn: u32, unit: usize) -> Result<f64, AttemptsError> {
    let Attempts { made, succeeded } = attempts;
    let failed = made.checked_sub(succeeded).ok_or(AttemptsError::MoreSuccesses { unit, attempts })?;
    if drawn == 0 {
        return Err(AttemptsError::ZeroDrawn);
    }
    if drawn > made {
        return Err(AttemptsError::TooFew { unit, made, drawn });
    }
    if made > MOST_ATTEMPTS {
        return Err(AttemptsError::TooMany { unit, made });
    }
    let (kind, complement) = match success {
        Success::Any => (failed, true),
        Success::Every => (succeeded, false),
    };
    let (alike, all) = all_of_kind(made, kind, drawn);
    let top = if complement { &all - alike } else { alike };
    Ok(nearest_ratio(&BigInt::from(top), &BigInt::from(all))?)
}

/// The chance that all `drawn` of `made` are among the `kind`, C(kind, drawn) / C(made, drawn), as a fraction.
fn all_of_kind(made: u32, kind: u32, drawn: u32) -> (BigUint, BigUint) {
    if drawn > kind {
        return (BigUint::ZERO, BigUint::one());
    }
    // It equals C(made - drawn, made - kind) / C(made, made - kind): the shorter of the two products will do.
    let (upper, factors) = if drawn <= made - kind { (kind, drawn) } else { (made - drawn, made - kind) };
    (falling(upper, factors), falling(made, factors))
}

/// from (from - 1) ... with so many factors; no more than `from`.
fn falling(from: u32, factors: u32) -> BigUint {
    let all: Vec<u64> = (from - factors..from).map(|below| u64::from(below) + 1).collect();
    product(&all)
}

#[cfg(test)]
mod tests;
