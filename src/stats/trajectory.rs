//! Summaries of one trajectory: a value observed at ascending steps (a metric over training steps, a score over turns).
//!
//! Owns crossings, jumps, areas and windows of a single sequence. A trajectory belongs to one unit, so multiplicities enter only
//! when units are averaged: see [`crate::stats::within`]. Nothing is smoothed, and nothing is read between two observed steps
//! except by the area, which joins them by straight lines.

use std::fmt;

use super::exact_sum::{ExactSum, nearest_ratio};
use super::undefined::Undefined;
use super::weights::{finite, same_length};

/// Why a sequence is no trajectory, or a summary of it has no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TrajectoryError {
    /// There is nothing to compute from.
    Undefined(Undefined),
    /// A step is not above the one before it.
    Order {
        /// The position of the offending step, counted from 0.
        position: usize,
        /// The step before.
        before: f64,
        /// The step itself.
        step: f64,
    },
    /// No observation lies in the window.
    EmptyWindow {
        /// First step of the window.
        from: f64,
        /// Last step of the window.
        to: f64,
    },
    /// A threshold is no number.
    Threshold(f64),
}

impl From<Undefined> for TrajectoryError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for TrajectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(reason) => reason.fmt(f),
            Self::Order { position, before, step } => write!(
                f,
                "step {step} at place {} follows step {before}; steps must ascend, so sort the records of a unit and keep one value \
                 for each step",
                position + 1
            ),
            Self::EmptyWindow { from, to } => write!(
                f,
                "no observation lies from step {from} to step {to}; a window runs from its first step to its last, both included"
            ),
            Self::Threshold(threshold) => write!(f, "the threshold {threshold} is not a finite number"),
        }
    }
}

impl std::error::Error for TrajectoryError {}

/// Which side of a threshold counts, and which way a jump goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Toward {
    /// At or above a threshold; rises.
    Up,
    /// At or below a threshold; falls.
    Down,
}

/// When something came about. What never did is known only up to the last observed step: leaving it out of a mean of steps would
/// flatter the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossing {
    /// At this observed step.
    At(f64),
    /// Not by this step, the last observed.
    NotBy(f64),
}

impl Crossing {
    /// The step, or `None` when it never came about.
    #[must_use]
    pub const fn step(self) -> Option<f64> {
        match self {
            Self::At(step) => Some(step),
            Self::NotBy(_) => None,
        }
    }
}

/// The change between two neighbouring observations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jump {
    /// The step before the change.
    pub from: f64,
    /// The step after it.
    pub to: f64,
    /// The value after less the value before.
    pub change: f64,
}

/// Values at strictly ascending steps, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    points: Vec<(f64, f64)>,
    last: (f64, f64),
}

impl Trajectory {
    /// Finite `values` at finite, strictly ascending `steps`.
    pub fn new(steps: &[f64], values: &[f64]) -> Result<Self, TrajectoryError> {
        same_length(steps.len(), values.len())?;
        finite(steps)?;
        finite(values)?;
        for (position, pair) in (1..).zip(steps.windows(2)) {
            if let &[before, step] = pair
                && step <= before
            {
                return Err(TrajectoryError::Order { position, before, step });
            }
        }
        let points: Vec<(f64, f64)> = steps.iter().copied().zip(values.iter().copied()).collect();
        let last = *points.last().ok_or(Undefined::NoRecords)?;
        Ok(Self { points, last })
    }

    /// The (step, value) pairs, ascending.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The value at the last step.
    #[must_use]
    pub const fn last_value(&self) -> f64 {
        self.last.1
    }

    /// The first observed step whose value is at the threshold or beyond it, whatever comes after.
    pub fn first_crossing(&self, threshold: f64, toward: Toward) -> Result<Crossing, TrajectoryError> {
        check(threshold)?;
        let reached = self.points.iter().find(|(_, value)| beyond(*value, threshold, toward));
        Ok(reached.map_or(Crossing::NotBy(self.last.0), |(step, _)| Crossing::At(*step)))
    }

    /// The first observed step from which every value to the end is at the threshold or beyond it. A last value short of the
    /// threshold means it never stayed.
    pub fn stays_from(&self, threshold: f64, toward: Toward) -> Result<Crossing, TrajectoryError> {
        check(threshold)?;
        let staying = self.points.iter().rev().take_while(|(_, value)| beyond(*value, threshold, toward));
        Ok(staying.last().map_or(Crossing::NotBy(self.last.0), |(step, _)| Crossing::At(*step)))
    }

    /// The mean of the values at observed steps from `from` to `to`, both included, each alike however far apart the steps are.
    /// Rounded once.
    pub fn window_mean(&self, from: f64, to: f64) -> Result<f64, TrajectoryError> {
        let (mut sum, mut count) = (ExactSum::default(), 0);
        for (_, value) in self.points.iter().filter(|(step, _)| (from..=to).contains(step)) {
            sum.add(*value, 1);
            count += 1;
        }
        if count == 0 {
            return Err(TrajectoryError::EmptyWindow { from, to });
        }
        Ok(sum.mean(count)?)
    }

    /// The largest rise, or fall, between neighbouring observations; of equal ones the first. `None` when there is none in that
    /// direction. Fails below two observations.
    pub fn largest_jump(&self, toward: Toward) -> Result<Option<Jump>, TrajectoryError> {
        self.at_least_two()?;
        let mut largest: Option<Jump> = None;
        for pair in self.points.windows(2) {
            let &[(from, before), (to, after)] = pair else { continue };
            let size = |change: f64| if toward == Toward::Up { change } else { -change };
            let change = after - before;
            if size(change) > largest.map_or(0.0, |jump| size(jump.change)) {
                largest = Some(Jump { from, to, change });
            }
        }
        if largest.is_some_and(|jump| !jump.change.is_finite()) {
            return Err(Undefined::NotFinite.into());
        }
        Ok(largest)
    }

    /// The area under straight lines between the observations (the trapezoidal rule), in values times steps. Rounded once. Fails
    /// below two observations.
    pub fn area_under(&self) -> Result<f64, TrajectoryError> {
        Ok(self.twice_area()?.mean(2)?)
    }

    /// The area divided by the steps it covers: the mean value over the steps, as opposed to over the observations.
    pub fn mean_level(&self) -> Result<f64, TrajectoryError> {
        let area = self.twice_area()?.units()?;
        let (first, _) = self.points.first().copied().ok_or(Undefined::NoRecords)?;
        let width = ExactSum::of(&[self.last.0, -first]).units()?;
        Ok(nearest_ratio(&area, &(width * 2))?)
    }

    fn twice_area(&self) -> Result<ExactSum, TrajectoryError> {
        self.at_least_two()?;
        let mut twice = ExactSum::default();
        for pair in self.points.windows(2) {
            let &[(from, before), (to, after)] = pair else { continue };
            // (to - from) (before + after), multiplied out so that nothing is rounded.
            for (step, value) in [(to, before), (to, after), (-from, before), (-from, after)] {
                twice.add_product(step, value, 1);
            }
        }
        Ok(twice)
    }

    fn at_least_two(&self) -> Result<(), Undefined> {
        let have = self.points.len();
        if have < 2 { Err(Undefined::TooFew { have, need: 2 }) } else { Ok(()) }
    }
}

fn check(threshold: f64) -> Result<(), TrajectoryError> {
    if threshold.is_finite() { Ok(()) } else { Err(TrajectoryError::Threshold(threshold)) }
}

fn beyond(value: f64, threshold: f64, toward: Toward) -> bool {
    match toward {
        Toward::Up => value >= threshold,
        Toward::Down => value <= threshold,
    }
}

#[cfg(test)]
mod tests;
