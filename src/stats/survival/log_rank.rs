//! The log-rank test: whether groups share one hazard, with ties, and within strata.
//!
//! At every event time, given how many are at risk, events fall on groups as in a draw without replacement: expected `d n_j / n`,
//! covariance `d (n - d) / (n - 1) (n_j / n) (1[j = k] - n_k / n)`. Sources: Mantel 1966; Peto and Peto 1972.

use std::collections::BTreeMap;

use super::{SurvivalError, checked_time, real};
use crate::math::linear::Cholesky;
use crate::math::special::{chi2_sf, normal_sf};
use crate::stats::sides::Sides;

/// Most groups of one comparison.
pub const MOST_GROUPS: usize = 50;

/// A group whose variance is this share or less unexplained by the groups before it is not compared with the rest.
const REDUNDANT_SHARE: f64 = 1e-10;

/// One record of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subject {
    /// Time followed, at least zero.
    pub time: f64,
    /// Whether the event came then.
    pub event: bool,
    /// The group, counted from 0.
    pub group: usize,
    /// The stratum (any number): only records of one stratum are compared. Without strata, the same for all.
    pub stratum: usize,
}

/// The outcome for any number of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRank {
    /// Events seen in every group.
    pub observed: Vec<u64>,
    /// Events expected in every group if all shared one hazard.
    pub expected: Vec<f64>,
    /// The quadratic form of their differences.
    pub chi2: f64,
    /// Groups minus one.
    pub df: f64,
    /// Upper chi-square tail.
    pub p: f64,
}

/// The outcome for two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRankTwo {
    /// Events seen in the first group minus those expected.
    pub surplus: f64,
    /// The surplus over its standard deviation; its square is the chi-square of [`log_rank`].
    pub z: f64,
    /// The p-value.
    pub p: f64,
}

/// Compares `groups` groups, within strata.
pub fn log_rank(subjects: &[Subject], groups: usize) -> Result<LogRank, SurvivalError> {
    let tally = Tally::of(subjects, groups)?;
    let free = groups - 1;
    let surplus: Vec<f64> = tally.surplus().take(free).collect();
    // The last group's surplus follows from the others.
    let covariance: Vec<f64> =
        tally.covariance.iter().take(free).flat_map(|row| row.iter().take(free).copied()).collect();
    let alone = covariance.iter().step_by(free + 1).position(|variance| *variance <= 0.0);
    if let Some(group) = alone {
        return Err(SurvivalError::NothingCompared(group));
    }
    let factor = Cholesky::factor(&covariance, free).map_err(|_| SurvivalError::NothingCompared(free))?;
    for (group, row) in factor.lower().iter().enumerate() {
        let whole: f64 = row.iter().map(|x| x * x).sum();
        if row.last().is_none_or(|left| left * left <= REDUNDANT_SHARE * whole) {
            return Err(SurvivalError::NothingCompared(group));
        }
    }
    let chi2 = factor.inverse_form(&surplus).map_err(|_| SurvivalError::NothingCompared(free))?;
    let df = real(free as u64);
    Ok(LogRank { observed: tally.observed, expected: tally.expected, chi2, df, p: chi2_sf(chi2, df) })
}

/// Compares group 0 with group 1, within strata. [`Sides::Greater`] looks for more events than expected in group 0: a higher
/// hazard and shorter times there.
pub fn log_rank_two(subjects: &[Subject], sides: Sides) -> Result<LogRankTwo, SurvivalError> {
    let tally = Tally::of(subjects, 2)?;
    let variance = tally.covariance.first().and_then(|row| row.first()).copied().unwrap_or_default();
    if variance <= 0.0 {
        return Err(SurvivalError::NothingCompared(0));
    }
    let surplus = tally.surplus().next().unwrap_or_default();
    let z = surplus / variance.sqrt();
    let p = match sides {
        Sides::TwoSided => (2.0 * normal_sf(z.abs())).min(1.0),
        Sides::Greater => normal_sf(z),
        Sides::Less => normal_sf(-z),
    };
    Ok(LogRankTwo { surplus, z, p })
}

struct Tally {
    observed: Vec<u64>,
    expected: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Tally {
    fn of(subjects: &[Subject], groups: usize) -> Result<Self, SurvivalError> {
        if !(2..=MOST_GROUPS).contains(&groups) {
            return Err(SurvivalError::Groups(groups));
        }
        let mut strata: BTreeMap<usize, Vec<Subject>> = BTreeMap::new();
        let mut sizes = vec![0_u64; groups];
        for (record, subject) in subjects.iter().enumerate() {
            let time = checked_time(record, subject.time)?;
            let size = sizes.get_mut(subject.group);
            *size.ok_or(SurvivalError::UnknownGroup { record, group: subject.group })? += 1;
            strata.entry(subject.stratum).or_default().push(Subject { time, ..*subject });
        }
        if subjects.is_empty() {
            return Err(SurvivalError::NoRecords);
        }
        if let Some(group) = sizes.iter().position(|size| *size == 0) {
            return Err(SurvivalError::EmptyGroup(group));
        }
        let mut tally = Self {
            observed: vec![0; groups],
            expected: vec![0.0; groups],
            covariance: vec![vec![0.0; groups]; groups],
        };
        for mut stratum in strata.into_values() {
            stratum.sort_by(|a, b| a.time.total_cmp(&b.time));
            tally.add(&stratum);
        }
        Ok(tally)
    }

    /// Adds a stratum, whose times ascend.
    fn add(&mut self, stratum: &[Subject]) {
        let mut at_risk = vec![0_u64; self.observed.len()];
        for subject in stratum {
            at_risk.get_mut(subject.group).into_iter().for_each(|n| *n += 1);
        }
        for tied in stratum.chunk_by(|a, b| a.time.total_cmp(&b.time).is_eq()) {
            let events = tied.iter().filter(|subject| subject.event).count() as u64;
            if events > 0 {
                self.add_time(&at_risk, events);
            }
            for subject in tied {
                at_risk.get_mut(subject.group).into_iter().for_each(|n| *n -= 1);
                self.observed.get_mut(subject.group).into_iter().for_each(|seen| *seen += u64::from(subject.event));
            }
        }
    }

    fn add_time(&mut self, at_risk: &[u64], events: u64) {
        let all: u64 = at_risk.iter().sum();
        let (n, d) = (real(all), real(events));
        // With one record at risk the draw is certain.
        let spread = if all > 1 { d * (n - d) / (n - 1.0) } else { 0.0 };
        let shares: Vec<f64> = at_risk.iter().map(|own| real(*own) / n).collect();
        for (expected, share) in self.expected.iter_mut().zip(&shares) {
            *expected += d * share;
        }
        for (at, (row, share)) in self.covariance.iter_mut().zip(&shares).enumerate() {
            for (other, (entry, other_share)) in row.iter_mut().zip(&shares).enumerate() {
                *entry += spread * share * if at == other { 1.0 - other_share } else { -other_share };
            }
        }
    }

    fn surplus(&self) -> impl Iterator<Item = f64> {
        self.observed.iter().zip(&self.expected).map(|(seen, expected)| real(*seen) - expected)
    }
}
