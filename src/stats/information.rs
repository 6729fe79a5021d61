//! Designs valued by what they would tell: information gain, reading sets of underspecified actions, and what wording gains.
//!
//! Owns the arithmetic of the reading-set framework. An action that leaves choices open admits several designs, its reading set;
//! its score is the mean information per cost of the affordable ones, as a share of the best affordable design. The prior, the
//! observation model, the costs and the budget are all inputs. Information is in nats. Costs are whole units (runs, cents), so that
//! a design that costs exactly the budget is affordable on every machine.

use std::fmt;

use num_bigint::BigInt;

use super::exact_sum::{ExactSum, nearest_ratio, one};
use super::undefined::Undefined;
use super::weights::{finite, once, same_length, total};

/// How far a distribution's sum may lie from 1.
pub const SUM_SLACK: f64 = 1e-9;

/// Why a value of a design or an action does not exist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InformationError {
    /// There is nothing to compute from.
    Undefined(Undefined),
    /// The prior (`hypothesis` is `None`) or the outcomes under one hypothesis are no distribution.
    NotADistribution {
        /// The hypothesis, counted from 0; `None` for the prior.
        hypothesis: Option<usize>,
        /// What the entries sum to, or the first entry below 0.
        value: f64,
    },
    /// A hypothesis lists another number of outcomes than the first one.
    Outcomes {
        /// The hypothesis, counted from 0.
        hypothesis: usize,
        /// How many outcomes it lists.
        have: usize,
        /// How many the first one lists.
        need: usize,
    },
    /// A design costs nothing, so its information per cost is unbounded.
    FreeDesign,
    /// A design's gain is negative or no number.
    Gain(f64),
    /// No affordable design tells anything, so there is no best one to compare with.
    NothingToGain,
    /// What is divided by, a base or a gain, is not above zero.
    NotPositive(f64),
}

impl From<Undefined> for InformationError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for InformationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(reason) => reason.fmt(f),
            Self::NotADistribution { hypothesis: None, value } => {
                write!(f, "the prior is no distribution: it must sum to 1 without negative entries, and {value} does not")
            }
            Self::NotADistribution { hypothesis: Some(hypothesis), value } => write!(
                f,
                "the outcomes under hypothesis number {} are no distribution: they must sum to 1 without negative entries, and \
                 {value} does not",
                hypothesis + 1
            ),
            Self::Outcomes { hypothesis, have, need } => write!(
                f,
                "hypothesis number {} lists {have} outcomes and the first lists {need}; list every outcome for each, with \
                 probability 0 where it cannot occur",
                hypothesis + 1
            ),
            Self::FreeDesign => f.write_str("a design costs 0, so its information per cost is unbounded; give every design its cost"),
            Self::Gain(gain) => write!(f, "an information gain of {gain} is impossible; gains are at least 0"),
            Self::NothingToGain => f.write_str(
                "no affordable design tells anything, so no share of the best can be formed; raise the budget or leave the state out \
                 by a declared rule",
            ),
            Self::NotPositive(value) => write!(
                f,
                "it divides by {value}, which must be above 0: without a positive base there is no relative increase, and without a \
                 gain none to retain"
            ),
        }
    }
}

impl std::error::Error for InformationError {}

/// Shannon's entropy of a distribution, in nats: - sum p ln p, where an entry of 0 adds nothing.
pub fn entropy(distribution: &[f64]) -> Result<f64, InformationError> {
    check(distribution, None)?;
    let mut sum = ExactSum::default();
    for p in distribution.iter().filter(|p| **p > 0.0) {
        sum.add_product(-p, libm::log(*p), 1);
    }
    Ok(sum.total()?.max(0.0))
}

/// The expected information gain of a design about which hypothesis holds, in nats: the mutual information of hypothesis and
/// outcome, sum over h and y of p(h) p(y|h) ln(p(y|h) / p(y)), with p(y) = sum over h of p(h) p(y|h) (Lindley 1956).
///
/// `likelihood` has a row for each hypothesis, in the order of `prior`, with the probability of each outcome. It is at least 0 and
/// at most the entropy of the prior; rounding below zero, of the order of 1e-16, is cut off.
pub fn information_gain<R: AsRef<[f64]>>(prior: &[f64], likelihood: &[R]) -> Result<f64, InformationError> {
    check(prior, None)?;
    same_length(prior.len(), likelihood.len())?;
    let outcomes = likelihood.first().map_or(0, |row| row.as_ref().len());
    for (hypothesis, row) in likelihood.iter().enumerate() {
        let have = row.as_ref().len();
        if have != outcomes {
            return Err(InformationError::Outcomes { hypothesis, have, need: outcomes });
        }
        check(row.as_ref(), Some(hypothesis))?;
    }
    let marginal = |outcome: usize| {
        let mut sum = ExactSum::default();
        for (p, row) in prior.iter().zip(likelihood) {
            sum.add_product(*p, row.as_ref().get(outcome).copied().unwrap_or_default(), 1);
        }
        sum.total()
    };
    let marginals: Vec<f64> = (0..outcomes).map(marginal).collect::<Result<_, _>>()?;
    let mut sum = ExactSum::default();
    for (p, row) in prior.iter().zip(likelihood) {
        for (q, marginal) in row.as_ref().iter().zip(&marginals) {
            // The joint probability can underflow to zero where both factors are not; such a cell adds less than 1e-300.
            if p * q > 0.0 && *marginal > 0.0 {
                sum.add_product(p * q, libm::log(q / marginal), 1);
            }
        }
    }
    Ok(sum.total()?.max(0.0))
}

/// What a design tells and what it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Priced {
    /// Expected information gain, in nats.
    gain: f64,
    /// Cost in whole units of the caller's choice.
    cost: u64,
}

impl Priced {
    /// A design with a gain of at least 0 nats and a cost above 0 units.
    pub fn new(gain: f64, cost: u64) -> Result<Self, InformationError> {
        if cost == 0 {
            return Err(InformationError::FreeDesign);
        }
        if !(gain >= 0.0 && gain.is_finite()) {
            return Err(InformationError::Gain(gain));
        }
        Ok(Self { gain, cost })
    }

    /// Expected information gain, in nats.
    #[must_use]
    pub const fn gain(&self) -> f64 {
        self.gain
    }

    /// Cost in whole units.
    #[must_use]
    pub const fn cost(&self) -> u64 {
        self.cost
    }

    /// Nats per unit of cost.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "one rounding; exact below 2^53")]
        let cost = self.cost as f64;
        self.gain / cost
    }
}

/// Which designs of a reading set an executor would take up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Executor {
    /// The cheaper half, rounded up (conservative).
    CheaperHalf,
    /// All of them (the default).
    All,
    /// The dearer half, rounded up (permissive).
    DearerHalf,
}

/// What became of an action's output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action<'a> {
    /// It could not be read as an action. It stays in the denominator with score 0.
    Invalid,
    /// The designs it admits, at least one.
    Readings(&'a [Priced]),
}

/// The readings an executor takes up, by ascending cost; equal costs keep their given order. A singleton is the same for all.
#[must_use]
pub fn taken_up(readings: &[Priced], executor: Executor) -> Vec<Priced> {
    let mut by_cost = readings.to_vec();
    by_cost.sort_by_key(Priced::cost);
    let half = by_cost.len().div_ceil(2);
    match executor {
        Executor::All => {}
        Executor::CheaperHalf => by_cost.truncate(half),
        Executor::DearerHalf => drop(by_cost.drain(..by_cost.len() - half)),
    }
    by_cost
}

/// The affordable design with the most nats per unit of cost; of equal ones the first. `None` when none is affordable.
#[must_use]
pub fn best_affordable(catalogue: &[Priced], budget: u64) -> Option<Priced> {
    let affordable = catalogue.iter().filter(|design| design.cost <= budget);
    affordable.copied().reduce(|best, design| if design.efficiency() > best.efficiency() { design } else { best })
}

/// The cost-aware score of an action, Q = mean over its readings of [cost <= budget] efficiency, divided by the efficiency of the
/// best affordable design of the catalogue. In [0, 1] when the readings come from the catalogue; 0 for an invalid action.
pub fn reading_score(
    action: Action<'_>,
    executor: Executor,
    catalogue: &[Priced],
    budget: u64,
) -> Result<f64, InformationError> {
    let best = best_affordable(catalogue, budget).map(|best| best.efficiency()).filter(|best| *best > 0.0);
    let best = best.ok_or(InformationError::NothingToGain)?;
    let readings = match action {
        Action::Invalid => return Ok(0.0),
        Action::Readings([]) => return Err(Undefined::NoRecords.into()),
        Action::Readings(readings) => taken_up(readings, executor),
    };
    let mut sum = ExactSum::default();
    for design in readings.iter().filter(|design| design.cost <= budget) {
        sum.add(design.efficiency(), 1);
    }
    Ok(sum.mean(count(readings.len()))? / best)
}

/// How much a wording leaves open, 1 - 1/|R| for a reading set of so many designs: 0 when it admits one.
pub fn ambiguity(readings: usize) -> Result<f64, Undefined> {
    let below = readings.checked_sub(1).ok_or(Undefined::NoRecords)?;
    nearest_ratio(&below.into(), &readings.into())
}

/// Where an action falls short of the most informative affordable design, in nats. Costs gate the catalogue, not the readings, so
/// the second gap can be negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaps {
    /// Best affordable gain less the best affordable gain of the designs that serve the action's target. At least 0.
    pub target: f64,
    /// That second gain less the mean gain of the action's readings.
    pub resolution: f64,
}

/// The two gaps of an action. Each design of the catalogue says whether it serves the action's target.
pub fn gaps(catalogue: &[(Priced, bool)], readings: &[Priced], budget: u64) -> Result<Gaps, InformationError> {
    let most = |wanted: &dyn Fn(bool) -> bool| {
        let gains = catalogue.iter().filter(|(design, serves)| design.cost <= budget && wanted(*serves));
        gains.map(|(design, _)| design.gain).reduce(f64::max).ok_or(InformationError::NothingToGain)
    };
    let (best, serving) = (most(&|_| true)?, most(&|serves| serves)?);
    if readings.is_empty() {
        return Err(Undefined::NoRecords.into());
    }
    let gains: Vec<f64> = readings.iter().map(|design| design.gain).collect();
    let mean = ExactSum::of(&gains).mean(count(readings.len()))?;
    Ok(Gaps { target: best - serving, resolution: serving - mean })
}

/// [`relative_increase_weighted`] with every state once.
pub fn relative_increase(base: &[f64], other: &[f64]) -> Result<f64, InformationError> {
    relative_increase_weighted(base, other, &once(base.len()))
}

/// The relative increase in percent from one condition to another over the same states, 100 (mean other - mean base) / mean base.
/// A ratio of means, not a mean of ratios. Rounded once. Undefined when the base's mean is not above zero.
pub fn relative_increase_weighted(
    base: &[f64],
    other: &[f64],
    multiplicities: &[u16],
) -> Result<f64, InformationError> {
    let ([base, other], states) = sums([base, other], multiplicities)?;
    positive(&base, states)?;
    Ok(nearest_ratio(&((other - &base) * 100), &base)?)
}

/// [`retention_weighted`] with every state once.
pub fn retention(base: &[f64], full: &[f64], control: &[f64]) -> Result<f64, InformationError> {
    retention_weighted(base, full, control, &once(base.len()))
}

/// The share of the gain from `base` to `full` that a control keeps, over the same states:
/// (mean control - mean base) / (mean full - mean base). Not bounded by 0 and 1. Rounded once. Undefined when there is no gain.
pub fn retention_weighted(
    base: &[f64],
    full: &[f64],
    control: &[f64],
    multiplicities: &[u16],
) -> Result<f64, InformationError> {
    let ([base, full, control], states) = sums([base, full, control], multiplicities)?;
    let gain = full - &base;
    positive(&gain, states)?;
    Ok(nearest_ratio(&(control - base), &gain)?)
}

/// The exact sum of each column over the states, in the units of [`ExactSum::units`], and how many states there are.
fn sums<const N: usize>(columns: [&[f64]; N], multiplicities: &[u16]) -> Result<([BigInt; N], u64), InformationError> {
    let mut sums = [const { BigInt::ZERO }; N];
    let mut states = 0;
    for (sum, column) in sums.iter_mut().zip(columns) {
        finite(column)?;
        states = total(column.len(), multiplicities)?;
        *sum = ExactSum::weighted(column, multiplicities).units()?;
    }
    Ok((sums, states))
}

fn positive(sum: &BigInt, states: u64) -> Result<(), InformationError> {
    if *sum > BigInt::ZERO {
        return Ok(());
    }
    Err(InformationError::NotPositive(nearest_ratio(sum, &(one() * states))?))
}

fn check(distribution: &[f64], hypothesis: Option<usize>) -> Result<(), InformationError> {
    if distribution.is_empty() {
        return Err(Undefined::NoRecords.into());
    }
    finite(distribution)?;
    if let Some(&value) = distribution.iter().find(|p| **p < 0.0) {
        return Err(InformationError::NotADistribution { hypothesis, value });
    }
    let sum = ExactSum::of(distribution).total()?;
    if (sum - 1.0).abs() > SUM_SLACK {
        return Err(InformationError::NotADistribution { hypothesis, value: sum });
    }
    Ok(())
}

fn count(items: usize) -> u64 {
    u64::try_from(items).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
