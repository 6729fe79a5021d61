//! What the whole rule would say of data drawn from an assumed truth: the share of data sets that each hypothesis gives each
//! class, with its Monte Carlo error. Pure: a checked study in, a [`Simulation`] out; the same for any number of threads.

mod draw;
mod effect;
mod truth;

use std::collections::BTreeMap;
use std::fmt;

use crate::decide::{Options, judge};
use crate::math::exact;
use crate::math::quantile::quantile;
use crate::plan::Task;
use crate::plan::units::planned;
use crate::records::Joined;
use crate::spec::{Claim, Dimension, Expectation, FieldRole, Name, Scenario, Spec, ValueType, VerdictClass};
use crate::stats::parallel::fill_runs;
use draw::Drawer;
pub use effect::Detectable;

/// How many data sets to draw, and with how many threads.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Data sets of each scenario.
    pub data_sets: u32,
    /// Threads; the result does not depend on their number.
    pub workers: usize,
    /// Whether to search for the smallest effect that is detected.
    pub detectable: bool,
}

/// What one scenario gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulation {
    /// The scenario.
    pub scenario: Name,
    /// Whether nothing that the hypotheses claim is true in it.
    pub null: bool,
    /// What is assumed, in words.
    pub words: String,
    /// Data sets drawn.
    pub data_sets: u32,
    /// The seed of the draws.
    pub seed: u64,
    /// By hypothesis, in the order of their names.
    pub hypotheses: Vec<Tally>,
    /// What was expected, and whether it came.
    pub expectations: Vec<Checked>,
    /// Costs of the whole study in US dollars, one figure for each money outcome that is drawn.
    pub costs: Vec<Cost>,
    /// The smallest effects detected, when they were searched for.
    pub detectable: Vec<Detectable>,
}

/// How often a hypothesis gave each label under its first analysis set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The hypothesis.
    pub hypothesis: Name,
    /// Its standing.
    pub role: Claim,
    /// Data sets by class and label.
    pub labels: BTreeMap<(VerdictClass, String), u32>,
}

impl Tally {
    /// Data sets in which the hypothesis had this class.
    #[must_use]
    pub fn of(&self, class: VerdictClass) -> u32 {
        self.labels.iter().filter(|((own, _), _)| *own == class).map(|(_, count)| count).sum()
    }
}

/// An expectation of the scenario and what came.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// What was expected.
    pub expectation: Expectation,
    /// The share that came, between 0 and 1.
    pub share: f64,
    /// Its Monte Carlo standard error.
    pub error: f64,
    /// Whether it misses the expectation by more than twice its error.
    pub missed: bool,
}

/// What a study costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The money outcome.
    pub outcome: Name,
    /// The mean over data sets.
    pub mean: f64,
    /// The value that nineteen in twenty data sets stay below.
    pub ninety_fifth: f64,
}

/// Why nothing is simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulateError {
    /// What is wrong, why it matters and what to do.
    pub message: String,
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SimulateError {}

impl SimulateError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// The standard error of a share of `n` draws.
#[must_use]
pub fn share_error(share: f64, n: u32) -> f64 {
    (share * (1.0 - share) / f64::from(n.max(1))).sqrt()
}

/// Draws data sets of one scenario and judges each. `progress` is told how many data sets are done, from any thread.
pub fn simulate(
    spec: &Spec,
    tasks: &[Task],
    name: &str,
    settings: Settings,
    progress: &(dyn Fn(u32) + Sync),
) -> Result<Simulation, SimulateError> {
    let scenario = spec
        .scenarios
        .get(name)
        .ok_or_else(|| SimulateError::new(format!("the study has no scenario `{name}`; declare it or name another")))?;
    let plan = planned(spec, tasks).map_err(|errors| {
        let first = errors.into_iter().next().map_or_else(String::new, |error| error.message);
        SimulateError::new(format!("the design cannot be planned: {first}"))
    })?;
    let blank = Joined::blank(spec, tasks, plan)
        .map_err(|error| SimulateError::new(format!("no records can be drawn for this study: {error}")))?;
    let stage = Stage { spec, tasks, scenario, blank: &blank, settings };
    let judged = stage.run(1.0, settings.data_sets, progress)?;
    let hypotheses = judged.tallies(spec);
    let expectations = scenario.expects.iter().map(|one| checked(one, &hypotheses, settings.data_sets)).collect();
    let costs = judged.costs(spec);
    let detectable = if settings.detectable && !scenario.null { effect::search(&stage, progress)? } else { Vec::new() };
    Ok(Simulation {
        scenario: name.to_owned(),
        null: scenario.null,
        words: scenario.words.clone(),
        data_sets: settings.data_sets,
        seed: scenario.seed,
        hypotheses,
        expectations,
        costs,
        detectable,
    })
}

/// Everything that the data sets of one scenario share.
struct Stage<'a> {
    spec: &'a Spec,
    tasks: &'a [Task],
    scenario: &'a Scenario,
    blank: &'a Joined,
    settings: Settings,
}

/// What became of one data set.
#[derive(Debug, Clone, Default)]
struct Judged {
    /// Class and label by hypothesis, in the order of their names; descriptive ones and grids have none.
    verdicts: Vec<Option<(VerdictClass, String)>>,
    /// The sum of each money outcome.
    costs: Vec<f64>,
}

/// What became of all data sets of one scenario at one size of its effect.
struct AllJudged(Vec<Judged>);

impl Stage<'_> {
    /// Judges data sets `0..count` with every change of the scenario scaled: 1 as declared, 0 none.
    fn run(&self, scale: f64, count: u32, progress: &(dyn Fn(u32) + Sync)) -> Result<AllJudged, SimulateError> {
        let drawer = Drawer::new(self.spec, self.scenario, self.blank, scale)?;
        let mut slots: Vec<(u32, Option<Result<Judged, SimulateError>>)> = (0..count).map(|n| (n, None)).collect();
        fill_runs(&mut slots, self.settings.workers.max(1), |_, run| {
            for (number, slot) in run {
                *slot = Some(self.one(&drawer, *number));
                progress(1);
            }
        });
        let mut judged = Vec::with_capacity(slots.len());
        for (_, slot) in slots {
            judged.push(slot.unwrap_or_else(|| Err(SimulateError::new("a data set was not judged")))?);
        }
        Ok(AllJudged(judged))
    }

    fn one(&self, drawer: &Drawer<'_>, number: u32) -> Result<Judged, SimulateError> {
        let joined = drawer.data_set(number)?;
        let costs = money_outcomes(self.spec).map(|name| total(&joined, name)).collect();
        let options = Options { exploratory: true, workers: 1, ..Options::default() };
        let judgment = judge(self.spec, self.tasks, &joined, &options).map_err(|refusal| {
            SimulateError::new(format!("a drawn data set is refused: {refusal}. The results would be refused alike"))
        })?;
        let verdicts = judgment.hypotheses.into_iter().map(|hypothesis| {
            let outcome = hypothesis.sets.into_iter().next()?.outcome?;
            Some((outcome.class, outcome.label))
        });
        Ok(Judged { verdicts: verdicts.collect(), costs })
    }
}

impl AllJudged {
    fn tallies(&self, spec: &Spec) -> Vec<Tally> {
        let mut tallies = Vec::new();
        for (at, (name, hypothesis)) in spec.hypotheses.iter().enumerate() {
            let mut labels: BTreeMap<(VerdictClass, String), u32> = BTreeMap::new();
            for (class, label) in self.0.iter().filter_map(|judged| judged.verdicts.get(at)?.as_ref()) {
                *labels.entry((*class, label.clone())).or_default() += 1;
            }
            if !labels.is_empty() {
                tallies.push(Tally { hypothesis: name.clone(), role: hypothesis.role, labels });
            }
        }
        tallies
    }

    fn costs(&self, spec: &Spec) -> Vec<Cost> {
        let one = |(at, name): (usize, &Name)| {
            let mut sums: Vec<f64> = self.0.iter().filter_map(|judged| judged.costs.get(at).copied()).collect();
            sums.sort_by(f64::total_cmp);
            let count = f64::from(u32::try_from(sums.len()).unwrap_or(u32::MAX).max(1));
            let mean = sums.iter().sum::<f64>() / count;
            Some(Cost { outcome: name.clone(), mean, ninety_fifth: quantile(&mut sums, 0.95)? })
        };
        money_outcomes(spec).enumerate().filter_map(one).collect()
    }
}

fn money_outcomes(spec: &Spec) -> impl Iterator<Item = &Name> {
    spec.fields
        .iter()
        .filter(|(_, field)| {
            field.role == FieldRole::Outcome
                && matches!(&field.kind, ValueType::Number(kind) if kind.dimension == Dimension::Money)
        })
        .map(|(name, _)| name)
}

/// The sum of an outcome over all records, in its base unit.
fn total(joined: &Joined, name: &str) -> f64 {
    let Some(column) = joined.column(name) else { return 0.0 };
    (0..joined.len()).filter_map(|at| column.get(at)?.number()).map(|value| value.to_f64()).sum()
}

fn checked(expectation: &Expectation, tallies: &[Tally], data_sets: u32) -> Checked {
    let tally = tallies.iter().find(|tally| tally.hypothesis == expectation.hypothesis);
    let share = f64::from(tally.map_or(0, |tally| tally.of(expectation.class))) / f64::from(data_sets.max(1));
    let wanted = exact::nearest_f64(&expectation.share.value);
    // The error of the share that was promised: at a share of zero or one the observed one would claim none.
    let error = share_error(wanted, data_sets).max(share_error(share, data_sets));
    let beyond = if expectation.at_most { share - wanted } else { wanted - share };
    Checked { expectation: expectation.clone(), share, error, missed: beyond > 2.0 * error }
}
