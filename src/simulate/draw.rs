//! Draws data sets of a scenario. Every number has a place of its own in the generator: data set, outcome, deviation and group fix
//! it, so that data sets can be drawn alone, in any order, and a larger effect meets the same luck.

use std::collections::BTreeMap;

use super::SimulateError;
use super::truth::{centre, logistic, poisson};
use crate::math::exact;
use crate::math::philox::Philox;
use crate::math::special::normal_quantile;
use crate::plan::eval::{Bindings, compile};
use crate::plan::{Column, Scalar};
use crate::records::Joined;
use crate::spec::{Dimension, Draw, Scenario, Spec, State, StateClass, ValueType};
use crate::table::number::Exact;

/// The scale on which an outcome varies.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scale {
    /// True or false, by log odds.
    Condition,
    /// A share, by log odds.
    Share,
    /// An amount, by its logarithm; whole when it counts something.
    Amount { whole: bool, decimals: u32 },
    /// A number as it is, kept within its bounds.
    Number { low: f64, high: f64 },
}

/// A deviation: its standard deviation, and the group of each record.
struct Deviation {
    sd: f64,
    groups: Vec<u64>,
}

/// How one outcome is drawn.
struct Recipe {
    field: usize,
    /// Its place in the generator.
    purpose: u32,
    scale: Scale,
    /// The centre of each record's scale.
    centres: Vec<f64>,
    deviations: Vec<Deviation>,
}

/// Draws the data sets of one scenario.
pub(super) struct Drawer<'a> {
    blank: &'a Joined,
    spec: &'a Spec,
    philox: Philox,
    recipes: Vec<Recipe>,
    /// Cumulative shares of records that fail or never come.
    losses: Vec<(f64, State)>,
}

/// Places in the generator for the deviations of one outcome; the last two are for its own luck and for losses.
const PURPOSES: u32 = 64;

impl<'a> Drawer<'a> {
    /// Works out every record's mean. `scale` multiplies every change.
    pub fn new(spec: &'a Spec, scenario: &Scenario, blank: &'a Joined, scale: f64) -> Result<Self, SimulateError> {
        let mut recipes = Vec::new();
        for (number, (name, draw)) in (1_u32..).zip(&scenario.draws) {
            let field = blank
                .schema
                .field(name)
                .ok_or_else(|| SimulateError::new(format!("the scenario draws `{name}`, which is no outcome")))?;
            recipes.push(recipe(blank, name, field, number * PURPOSES, draw, scale)?);
        }
        let mut sum = 0.0;
        let mut losses = Vec::new();
        for (class, share) in &scenario.losses {
            sum += exact::nearest_f64(&share.value);
            losses.push((sum, if *class == StateClass::Missing { State::Missing } else { State::Errored }));
        }
        Ok(Self { blank, spec, philox: Philox::from_seed(scenario.seed), recipes, losses })
    }

    /// Data set `number`.
    pub fn data_set(&self, number: u32) -> Result<Joined, SimulateError> {
        let length = self.blank.len();
        let states: Vec<State> = (0..length as u64).map(|at| self.state(number, at)).collect();
        let mut columns: Vec<Column> =
            self.blank.schema.fields.iter().map(|(_, kind)| Column::absent(kind, length)).collect();
        for recipe in &self.recipes {
            if let Some(column) = columns.get_mut(recipe.field) {
                self.fill(recipe, number, &states, column)?;
            }
        }
        self.blank
            .drawn(self.spec, states, columns)
            .map_err(|error| SimulateError::new(format!("a drawn data set is refused: {error}")))
    }

    fn state(&self, number: u32, at: u64) -> State {
        if self.losses.is_empty() {
            return State::Scored;
        }
        let luck = self.uniform(number, 1, at);
        self.losses.iter().find(|(share, _)| luck < *share).map_or(State::Scored, |(_, state)| *state)
    }

    fn fill(&self, recipe: &Recipe, number: u32, states: &[State], column: &mut Column) -> Result<(), SimulateError> {
        for (at, (state, centre)) in states.iter().zip(&recipe.centres).enumerate() {
            if *state != State::Scored {
                continue;
            }
            let mut eta = *centre;
            for (purpose, deviation) in (recipe.purpose..).zip(&recipe.deviations) {
                let group = deviation.groups.get(at).copied().unwrap_or_default();
                eta += deviation.sd * normal_quantile(self.uniform(number, purpose, group));
            }
            let luck = || self.uniform(number, recipe.purpose + PURPOSES - 1, at as u64);
            let value = match recipe.scale {
                Scale::Condition => Scalar::Bool(luck() < logistic(eta)),
                Scale::Share => Scalar::Number(rounded(logistic(eta), 9)),
                Scale::Amount { whole: true, .. } => Scalar::Number(rounded(poisson(libm::exp(eta), luck()), 0)),
                Scale::Amount { whole: false, decimals } => Scalar::Number(rounded(libm::exp(eta), decimals)),
                Scale::Number { low, high } => Scalar::Number(rounded(eta.clamp(low, high), 9)),
            };
            if !column.set(at, &value) {
                return Err(SimulateError::new("an outcome cannot hold what was drawn for it"));
            }
        }
        Ok(())
    }

    /// Uniform on (0, 1), with 53 bits.
    fn uniform(&self, data_set: u32, purpose: u32, index: u64) -> f64 {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the index")]
        let [first, second, ..] = self.philox.block([index as u32, (index >> 32) as u32, data_set, purpose]);
        let bits = (u64::from(first) << 21) | (u64::from(second) >> 11);
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let bits = bits as f64;
        (bits + 0.5) / 9_007_199_254_740_992.0
    }
}

fn rounded(value: f64, decimals: u32) -> Exact {
    let scale = libm::pow(10.0, f64::from(decimals));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast from f64 saturates, far beyond any amount that is drawn"
    )]
    let digits = libm::round(value * scale) as i128;
    Exact::decimal(digits, decimals)
}

fn recipe(
    blank: &Joined,
    name: &str,
    field: usize,
    purpose: u32,
    draw: &Draw,
    scale: f64,
) -> Result<Recipe, SimulateError> {
    let kind = blank.schema.fields.get(field).map(|(_, kind)| kind);
    let own = scale_of(kind);
    let means = means(blank, draw, scale)?;
    let deviations: Vec<Deviation> = draw
        .varies
        .iter()
        .map(|variation| Deviation {
            sd: exact::nearest_f64(&variation.sd.value),
            groups: groups(blank, &variation.within),
        })
        .collect();
    if deviations.len() >= (PURPOSES - 2) as usize {
        return Err(SimulateError::new(format!(
            "`{name}` varies in too many ways; declare fewer than {}",
            PURPOSES - 2
        )));
    }
    let variance: f64 = deviations.iter().map(|deviation| deviation.sd * deviation.sd).sum();
    let mut known: BTreeMap<u64, f64> = BTreeMap::new();
    let mut centres = Vec::with_capacity(means.len());
    for (at, mean) in means.into_iter().enumerate() {
        let share = matches!(own, Scale::Condition | Scale::Share);
        if share && !(mean > 0.0 && mean < 1.0) || matches!(own, Scale::Amount { .. }) && mean <= 0.0 {
            let cell = blank.cell(at).map(|cell| format!("{:?}", cell.levels)).unwrap_or_default();
            return Err(SimulateError::new(format!(
                "the changes of `{name}` bring its mean to {mean} in {cell}, which no record can have; make them smaller"
            )));
        }
        centres.push(match own {
            Scale::Condition | Scale::Share => {
                *known.entry(mean.to_bits()).or_insert_with(|| centre(mean, variance.sqrt()))
            }
            // The mean of a log-normal number is exp(centre + variance / 2).
            Scale::Amount { .. } => libm::log(mean) - 0.5 * variance,
            Scale::Number { .. } => mean,
        });
    }
    Ok(Recipe { field, purpose, scale: own, centres, deviations })
}

fn scale_of(kind: Option<&ValueType>) -> Scale {
    match kind {
        Some(ValueType::Bool) => Scale::Condition,
        Some(ValueType::Number(kind)) => match &kind.dimension {
            Dimension::Proportion => Scale::Share,
            Dimension::Count | Dimension::Tokens => Scale::Amount { whole: true, decimals: 0 },
            Dimension::Money => Scale::Amount { whole: kind.integer, decimals: 6 },
            Dimension::Time => Scale::Amount { whole: kind.integer, decimals: 3 },
            Dimension::Ratio | Dimension::Per(..) => Scale::Amount { whole: kind.integer, decimals: 9 },
            Dimension::Plain | Dimension::Difference | Dimension::Bits | Dimension::Nats => {
                let end = |value: &Option<crate::math::Rational>| value.as_ref().map(exact::nearest_f64);
                Scale::Number {
                    low: end(&kind.bounds.lower).unwrap_or(f64::NEG_INFINITY),
                    high: end(&kind.bounds.upper).unwrap_or(f64::INFINITY),
                }
            }
        },
        Some(ValueType::Level(_) | ValueType::Text) | None => {
            Scale::Number { low: f64::NEG_INFINITY, high: f64::INFINITY }
        }
    }
}

/// The mean of each record after every change that applies to it.
fn means(blank: &Joined, draw: &Draw, scale: f64) -> Result<Vec<f64>, SimulateError> {
    let mut means = vec![exact::nearest_f64(&draw.mean.value); blank.len()];
    for change in &draw.changes {
        let filter =
            change.filter.as_ref().map(|filter| compile(filter, &blank.schema, &Bindings::new())).transpose().map_err(
                |error| SimulateError::new(format!("a condition cannot be asked of a planned record: {error}")),
            )?;
        let by = exact::nearest_f64(&change.by.value);
        for (at, mean) in means.iter_mut().enumerate() {
            if filter.as_ref().is_none_or(|filter| filter.truth(&blank.row(at))) {
                *mean = if change.times { *mean * libm::pow(by, scale) } else { *mean + by * scale };
            }
        }
    }
    Ok(means)
}

/// Which group each record belongs to: one number for each combination of the unit and the levels named; each record its own when
/// nothing is named.
fn groups(blank: &Joined, within: &[String]) -> Vec<u64> {
    if within.is_empty() {
        return (0..blank.len() as u64).collect();
    }
    let axes: Vec<(usize, u64)> = blank
        .plan
        .factors
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| within.contains(name))
        .map(|(axis, (_, levels))| (axis, levels.len() as u64))
        .collect();
    let by_unit = within.len() > axes.len();
    let number = |unit: &crate::plan::units::PlannedUnit| {
        let start = if by_unit { u64::from(unit.task) } else { 0 };
        axes.iter().fold(start, |number, (axis, levels)| {
            number * levels + u64::from(blank.plan.level(unit.arm, *axis).unwrap_or_default())
        })
    };
    blank.plan.units.iter().map(number).collect()
}
