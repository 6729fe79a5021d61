//! The Pareto front of members under several objectives, and how often resamples put each member on it.
//!
//! Owns dominance: one member dominates another when it is at least as good in every objective and strictly better in one. Members
//! with equal values in all objectives do not dominate each other. The front of the estimates is a description; the frequency over
//! resamples with shared picks shows how much of it is chance, and is no probability that a member belongs there.

use super::equivalence::Better;
use super::parallel::fill_runs;
use super::undefined::Undefined;

/// One objective: which values are good, and the value of every member. Infinite values are allowed (a cost per success without
/// a success is infinite); `NaN` is no value.
#[derive(Clone, Copy, Debug)]
pub struct Objective<'v> {
    /// Which values are good.
    pub better: Better,
    /// One value for each member.
    pub values: &'v [f64],
}

/// One objective over resamples: for each member its replicates, all from the same picks.
#[derive(Clone, Copy, Debug)]
pub struct ReplicatedObjective<'v> {
    /// Which values are good.
    pub better: Better,
    /// For each member one value in every resample.
    pub series: &'v [&'v [f64]],
}

/// A member against the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// No other member dominates it.
    Front,
    /// Another member dominates it.
    Dominated,
    /// It has no value in an objective: it neither dominates nor is dominated.
    Undefined,
}

/// How often a member was on the front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    /// Resamples that put it on the front.
    pub front: usize,
    /// Resamples in which it had no value.
    pub undefined: usize,
    /// All resamples.
    pub resamples: usize,
}

impl Membership {
    /// The share of the resamples in which the member has values that put it on the front. More than one resample in a hundred
    /// without values is [`Undefined::TooManyUndefinedResamples`].
    pub fn frequency(&self) -> Result<f64, Undefined> {
        let Self { front, undefined, resamples } = *self;
        if undefined.saturating_mul(100) > resamples {
            return Err(Undefined::TooManyUndefinedResamples { undefined, resamples });
        }
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 resamples")]
        let share = front as f64 / (resamples - undefined) as f64;
        if resamples > undefined { Ok(share) } else { Err(Undefined::NoRecords) }
    }
}

/// The place of every member. Objectives must have values for the same members. Cost: members^2 x objectives.
pub fn pareto_front(objectives: &[Objective<'_>]) -> Result<Vec<Place>, Undefined> {
    let members = same_lengths(objectives.iter().map(|objective| objective.values.len()))?;
    let at = |member: usize| -> Option<Vec<f64>> {
        objectives.iter().map(|o| upward(o.better, o.values.get(member).copied())).collect()
    };
    Ok(places(&(0..members).map(at).collect::<Vec<_>>()))
}

/// How often every member is on the front over resamples with shared picks. The result does not depend on `workers`. Cost:
/// resamples x members^2 x objectives.
pub fn front_membership(objectives: &[ReplicatedObjective<'_>], workers: usize) -> Result<Vec<Membership>, Undefined> {
    let members = same_lengths(objectives.iter().map(|objective| objective.series.len()))?;
    let lengths = objectives.iter().flat_map(|objective| objective.series.iter().map(|series| series.len()));
    let resamples = same_lengths(lengths)?;
    let mut drawn: Vec<Vec<Place>> = vec![Vec::new(); resamples];
    fill_runs(&mut drawn, workers, |first, run| {
        for (b, slot) in (first..).zip(run) {
            let at = |member: usize| -> Option<Vec<f64>> {
                let value =
                    |o: &ReplicatedObjective<'_>| o.series.get(member).and_then(|series| series.get(b)).copied();
                objectives.iter().map(|o| upward(o.better, value(o))).collect()
            };
            *slot = places(&(0..members).map(at).collect::<Vec<_>>());
        }
    });
    let mut counts = vec![Membership { resamples, ..Membership::default() }; members];
    for places in drawn {
        for (count, place) in counts.iter_mut().zip(places) {
            match place {
                Place::Front => count.front += 1,
                Place::Dominated => {}
                Place::Undefined => count.undefined += 1,
            }
        }
    }
    Ok(counts)
}

/// A value turned so that higher is better; none for `NaN`.
fn upward(better: Better, value: Option<f64>) -> Option<f64> {
    let value = value.filter(|value| !value.is_nan())?;
    Some(match better {
        Better::Higher => value,
        Better::Lower => -value,
    })
}

fn places(members: &[Option<Vec<f64>>]) -> Vec<Place> {
    let place = |own: &Option<Vec<f64>>| match own {
        None => Place::Undefined,
        Some(own) if members.iter().flatten().any(|other| dominates(other, own)) => Place::Dominated,
        Some(_) => Place::Front,
    };
    members.iter().map(place).collect()
}

fn dominates(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one >= other) && one.iter().zip(other).any(|(one, other)| one > other)
}

fn same_lengths(mut lengths: impl Iterator<Item = usize>) -> Result<usize, Undefined> {
    let left = lengths.next().filter(|length| *length > 0).ok_or(Undefined::NoRecords)?;
    lengths.find(|right| *right != left).map_or(Ok(left), |right| Err(Undefined::UnequalLengths { left, right }))
}

#[cfg(test)]
mod tests;
