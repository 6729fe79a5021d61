//! Times to an event, some of them cut short: Kaplan and Meier's curve, its quantiles and restricted mean.
//!
//! Owns the curve here and the log-rank test in `survival/log_rank.rs`. A record that ends without its event (a run stopped by a
//! limit, say) is censored: the event came later than its time. Times are tied when they are equal as doubles; an event and a
//! censoring at the same time count as the event first, so the censored record is still at risk then. Sources: Kaplan and Meier
//! 1958; Greenwood 1926; Kalbfleisch and Prentice for the log-log interval; Klein and Moeschberger, section 4.5, for the mean.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _};

use super::interval::Interval;
use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::math::product::product;
use crate::math::special::normal_isf;

mod log_rank;

pub use log_rank::{LogRank, LogRankTwo, MOST_GROUPS, Subject, log_rank, log_rank_two};

/// One record: how long it was followed, and whether its event came at that time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Time followed, at least zero, in any unit.
    pub time: f64,
    /// Whether the event came then; otherwise the record is censored there.
    pub event: bool,
}

/// Why a curve, a quantile or a test has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum SurvivalError {
    /// No records were given.
    NoRecords,
    /// The time of the record at this position, counted from 0, is negative or no finite number.
    BadTime {
        /// The record.
        record: usize,
        /// Its time.
        time: f64,
    },
    /// The share asked for must lie strictly between 0 and 1.
    BadShare(Rational),
    /// A confidence level must lie strictly between 0 and 1.
    BadLevel(f64),
    /// The curve does not come down far enough before the last record: this is the lowest survival it reaches.
    NotReached {
        /// The lowest survival.
        lowest: f64,
    },
    /// Nothing is known so late: the curve is above zero and no record was followed that long.
    BeyondFollowUp {
        /// The time asked for.
        time: f64,
        /// The longest time followed.
        longest: f64,
    },
    /// At survival 1 or 0 the log-log interval does not exist.
    NoInterval {
        /// The survival there.
        survival: f64,
    },
    /// A comparison needs two groups at least and [`MOST_GROUPS`] at most.
    Groups(usize),
    /// The record at this position, counted from 0, names a group that does not exist.
    UnknownGroup {
        /// The record.
        record: usize,
        /// The group it names.
        group: usize,
    },
    /// This group, counted from 0, has no records.
    EmptyGroup(usize),
    /// No event happened while records of different groups were at risk together, so this group, counted from 0, cannot be compared
    /// with the others.
    NothingCompared(usize),
}

impl fmt::Display for SurvivalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecords => f.write_str("there are no records to follow"),
            Self::BadTime { record, time } => {
                write!(
                    f,
                    "record number {} has the time {time}; a time followed is a finite number from zero",
                    record + 1
                )
            }
            Self::BadShare(share) => {
                write!(f, "the share {share} must lie strictly between 0 and 1; the median is 1/2")
            }
            Self::BadLevel(level) => {
                write!(f, "the confidence level {level} must lie strictly between 0 and 1; write 0.95 for 95%")
            }
            Self::NotReached { lowest } => write!(
                f,
                "too few events were seen: the curve comes down to {lowest} only; report that bound, or a restricted mean"
            ),
            Self::BeyondFollowUp { time, longest } => write!(
                f,
                "no record was followed up to {time} and the longest to {longest}; restrict to a time within the records"
            ),
            Self::NoInterval { survival } => {
                write!(f, "at a survival of {survival} the log-log interval does not exist; report the counts instead")
            }
            Self::Groups(groups) => {
                write!(f, "between 2 and {MOST_GROUPS} groups can be compared and there are {groups}")
            }
            Self::UnknownGroup { record, group } => {
                write!(f, "record number {} names group {group}, which does not exist (they count from 0)", record + 1)
            }
            Self::EmptyGroup(group) => write!(f, "group number {} has no records", group + 1),
            Self::NothingCompared(group) => write!(
                f,
                "group number {} was never at risk together with others when an event came, so it cannot be compared with them; \
                 leave it out or merge strata",
                group + 1
            ),
        }
    }
}

impl std::error::Error for SurvivalError {}

/// The curve at one distinct time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The time.
    pub time: f64,
    /// Records at risk just before it.
    pub at_risk: u64,
    /// Events at it.
    pub events: u64,
    /// Records censored at it.
    pub censored: u64,
    /// Survival from this time on.
    pub survival: f64,
    /// Greenwood's sum of `d / (n (n - d))` up to here; infinite once survival is zero.
    pub greenwood: f64,
}

/// Kaplan and Meier's estimate of the survival curve.
#[derive(Clone, Debug, PartialEq)]
pub struct KaplanMeier {
    steps: Vec<Step>,
}

/// The mean time up to a limit: the area under the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestrictedMean {
    /// The area, in the unit of the times.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Which limit of the curve's interval to read.
#[derive(Clone, Copy)]
enum Limit {
    Lower,
    Upper,
}

impl KaplanMeier {
    /// The curve of these records; their order does not matter.
    pub fn new(records: &[Observation]) -> Result<Self, SurvivalError> {
        let mut sorted = Vec::with_capacity(records.len());
        for (record, observation) in records.iter().enumerate() {
            sorted.push((checked_time(record, observation.time)?, observation.event));
        }
        if sorted.is_empty() {
            return Err(SurvivalError::NoRecords);
        }
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut at_risk = sorted.len() as u64;
        let (mut survival, mut greenwood) = (1.0, 0.0);
        let mut steps = Vec::new();
        for tied in sorted.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            let events = tied.iter().filter(|(_, event)| *event).count() as u64;
            let (n, left) = (real(at_risk), real(at_risk - events));
            survival *= left / n;
            greenwood += if events == 0 { 0.0 } else { real(events) / (n * left) };
            let time = tied.first().map_or(0.0, |(time, _)| *time);
            let censored = tied.len() as u64 - events;
            steps.push(Step { time, at_risk, events, censored, survival, greenwood });
            at_risk -= tied.len() as u64;
        }
        Ok(Self { steps })
    }

    /// The curve at every distinct time, ascending.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The estimated probability that the event comes after `time`.
    pub fn survival_at(&self, time: f64) -> Result<f64, SurvivalError> {
        Ok(self.step_at(time)?.map_or(1.0, |step| step.survival))
    }

    /// Its log-log interval at `level`: `S^exp(+-z sqrt(G) / log S)`, which stays between 0 and 1.
    pub fn interval_at(&self, time: f64, level: f64) -> Result<Interval, SurvivalError> {
        let z = quantile_of(level)?;
        let step = self.step_at(time)?.ok_or(SurvivalError::NoInterval { survival: 1.0 })?;
        let limits = limit(step, z, Limit::Lower).zip(limit(step, z, Limit::Upper));
        let (low, high) = limits.ok_or(SurvivalError::NoInterval { survival: step.survival })?;
        Ok(Interval { lower: low, upper: high, level })
    }

    /// The time by which the exact share `share` of the events has come: the first time at which survival is at most
    /// `1 - share`.
    ///
    /// Where survival is exactly `1 - share` over an interval, its beginning is taken; the comparison is exact.
    pub fn quantile(&self, share: &Rational) -> Result<f64, SurvivalError> {
        let rest = rest(share)?;
        let near = nearest_f64(&rest);
        for (at, step) in self.steps.iter().enumerate().filter(|(_, step)| step.events > 0) {
            // Products of a few thousand quotients are off by far less than this; only in the band does the exact product matter.
            let reached = if (step.survival - near).abs() > 1e-9 {
                step.survival < near
            } else {
                self.exactly_at_most(at, &rest)
            };
            if reached {
                return Ok(step.time);
            }
        }
        Err(SurvivalError::NotReached { lowest: self.lowest() })
    }

    /// The median time: the quantile at one half.
    pub fn median(&self) -> Result<f64, SurvivalError> {
        self.quantile(&Rational::new(BigInt::one(), BigInt::from(2)))
    }

    /// The interval of a quantile at `level`, by inverting the log-log interval of the curve (Brookmeyer and Crowley 1982): the first
    /// times at which its lower and its upper limit are at most `1 - share`. A limit that is not reached is `None`: the interval is
    /// open on that side.
    pub fn quantile_interval(&self, share: &Rational, level: f64) -> Result<(Option<f64>, Option<f64>), SurvivalError> {
        let (rest, z) = (nearest_f64(&rest(share)?), quantile_of(level)?);
        let first = |which| {
            let below = |step: &&Step| step.survival <= 0.0 || limit(step, z, which).is_some_and(|value| value <= rest);
            self.steps.iter().filter(|step| step.events > 0).find(below).map(|step| step.time)
        };
        Ok((first(Limit::Lower), first(Limit::Upper)))
    }

    /// The mean time up to `until`: the area under the curve from zero, with its standard error, the square root of the sum over
    /// event times of `A^2 d / (n (n - d))`, `A` being the area from there on.
    pub fn restricted_mean(&self, until: f64) -> Result<RestrictedMean, SurvivalError> {
        let until = checked_time(0, until)?;
        self.step_at(until)?;
        let (mut area, mut last, mut height) = (0.0, 0.0, 1.0);
        let mut corners = Vec::new();
        for step in self.steps.iter().take_while(|step| step.time <= until) {
            area += height * (step.time - last);
            (last, height) = (step.time, step.survival);
            if step.events > 0 && step.at_risk > step.events {
                let (n, d) = (real(step.at_risk), real(step.events));
                corners.push((area, d / (n * (n - d))));
            }
        }
        area += height * (until - last);
        let variance: f64 = corners.iter().map(|(before, term)| (area - before) * (area - before) * term).sum();
        Ok(RestrictedMean { mean: area, standard_error: variance.sqrt() })
    }

    fn lowest(&self) -> f64 {
        self.steps.last().map_or(1.0, |step| step.survival)
    }

    /// The last step at or before a time; refused where the curve is unknown.
    fn step_at(&self, time: f64) -> Result<Option<&Step>, SurvivalError> {
        let time = checked_time(0, time)?;
        let longest = self.steps.last().map_or(0.0, |step| step.time);
        if time > longest && self.lowest() > 0.0 {
            return Err(SurvivalError::BeyondFollowUp { time, longest });
        }
        Ok(self.steps.iter().take_while(|step| step.time <= time).last())
    }

    /// Whether the exact product of `(n - d) / n` up to this step is at most a bound.
    fn exactly_at_most(&self, last: usize, bound: &Rational) -> bool {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut left_before = None;
        for step in self.steps.iter().take(last + 1).filter(|step| step.events > 0) {
            // Without censoring in between, what was left is what is at risk now, and the two cancel.
            if left_before != Some(step.at_risk) {
                above.extend(left_before);
                below.push(step.at_risk);
            }
            left_before = Some(step.at_risk - step.events);
        }
        above.extend(left_before);
        let (above, below) = (product(&above), product(&below));
        BigInt::from(above) * bound.denom() <= BigInt::from(below) * bound.numer()
    }
}

/// A limit of the log-log interval, where survival lies strictly between 0 and 1.
fn limit(step: &Step, z: f64, which: Limit) -> Option<f64> {
    if !(step.survival > 0.0 && step.survival < 1.0) {
        return None;
    }
    let log = libm::log(step.survival);
    let width = z * step.greenwood.sqrt() / log.abs();
    let power = match which {
        Limit::Lower => libm::exp(width),
        Limit::Upper => libm::exp(-width),
    };
    Some(libm::exp(power * log))
}

fn rest(share: &Rational) -> Result<Rational, SurvivalError> {
    let rest = (Rational::one() - share).reduced();
    if share.is_positive() && rest.is_positive() { Ok(rest) } else { Err(SurvivalError::BadShare(share.clone())) }
}

fn quantile_of(level: f64) -> Result<f64, SurvivalError> {
    if level > 0.0 && level < 1.0 { Ok(normal_isf(0.5 * (1.0 - level))) } else { Err(SurvivalError::BadLevel(level)) }
}

/// A time that can be followed; minus zero is zero.
fn checked_time(record: usize, time: f64) -> Result<f64, SurvivalError> {
    if time >= 0.0 && time.is_finite() { Ok(time + 0.0) } else { Err(SurvivalError::BadTime { record, time }) }
}

#[expect(clippy::cast_precision_loss, reason = "a slice never holds 2^53 records")]
fn real(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
