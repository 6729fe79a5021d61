//! The planned units: crossed factors times tasks times repeats, without the cells that are never run. Owns their order:
//! by arm (crossed factors sorted by name, the last one fastest, levels as declared), then task, then repeat.

use std::collections::BTreeMap;

use super::column::Scalar;
use super::eval::{Bindings, Row, Schema, compile};
use super::{PlanError, PlanErrorKind, Task};
use crate::spec::{Name, NumberType, Spec, StateClass, ValueType};
use crate::table::number::Exact;

/// The most planned units, excluded ones included.
pub const MAX_UNITS: u64 = 20_000_000;

/// One combination of factor levels, a unit's key and a repeat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Factor to level, for every crossed factor.
    pub levels: BTreeMap<Name, Name>,
    /// The unit's key.
    pub unit: String,
    /// From 1.
    pub repeat: u64,
}

/// One planned unit, by places in the [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlannedUnit {
    /// The arm: one level of every crossed factor.
    pub arm: u32,
    /// The task's place among the tasks, which are sorted bytewise by key.
    pub task: u32,
    /// The repeat, from 0.
    pub repeat: u32,
}

/// What is planned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The crossed factors with their levels, sorted by name.
    pub factors: Vec<(Name, Vec<Name>)>,
    /// How many tasks there are.
    pub tasks: u32,
    /// Planned repeats per arm and task.
    pub repeat: u32,
    /// The planned units in order.
    pub units: Vec<PlannedUnit>,
    /// The place of each unit of the whole grid in `units`.
    positions: Vec<Option<u32>>,
}

impl Plan {
    /// The arms alone, without units.
    #[must_use]
    pub fn of_arms(factors: Vec<(Name, Vec<Name>)>) -> Self {
        Self { factors, ..Self::default() }
    }

    /// How many arms there are; one when nothing is crossed.
    #[must_use]
    pub fn arms(&self) -> u32 {
        self.factors.iter().fold(1, |arms, (_, levels)| arms.saturating_mul(narrow(levels.len())))
    }

    /// How far apart in arms two neighbouring levels of a factor are.
    fn stride(&self, factor: usize) -> u32 {
        self.factors.iter().skip(factor + 1).fold(1, |stride, (_, levels)| stride.saturating_mul(narrow(levels.len())))
    }

    /// The level of a factor in an arm.
    #[must_use]
    pub fn level(&self, arm: u32, factor: usize) -> Option<u16> {
        let count = narrow(self.factors.get(factor)?.1.len());
        let at = arm.checked_div(self.stride(factor))?.checked_rem(count)?;
        u16::try_from(at).ok()
    }

    /// The arm with one factor's level changed.
    #[must_use]
    pub fn with_level(&self, arm: u32, factor: usize, level: u16) -> Option<u32> {
        let stride = self.stride(factor);
        let old = u32::from(self.level(arm, factor)?);
        (usize::from(level) < self.factors.get(factor)?.1.len()).then(|| arm - old * stride + u32::from(level) * stride)
    }

    /// The arm with these levels, one for every factor in order.
    #[must_use]
    pub fn arm(&self, levels: &[u16]) -> Option<u32> {
        if levels.len() != self.factors.len() {
            return None;
        }
        levels.iter().enumerate().try_fold(0, |arm, (factor, level)| self.with_level(arm, factor, *level))
    }

    /// The place in `units`; none when it is not planned or is excluded.
    #[must_use]
    pub fn position(&self, unit: PlannedUnit) -> Option<usize> {
        let inside = unit.arm < self.arms() && unit.task < self.tasks && unit.repeat < self.repeat;
        let at = (unit.arm as usize * self.tasks as usize + unit.task as usize) * self.repeat as usize
            + unit.repeat as usize;
        inside.then(|| self.positions.get(at).copied().flatten().map(|at| at as usize)).flatten()
    }

    /// Factor to level of an arm.
    #[must_use]
    pub fn levels(&self, arm: u32) -> BTreeMap<Name, Name> {
        let named = self.factors.iter().enumerate().filter_map(|(at, (name, levels))| {
            let level = levels.get(usize::from(self.level(arm, at)?))?;
            Some((name.clone(), level.clone()))
        });
        named.collect()
    }

    /// A unit with its names.
    #[must_use]
    pub fn cell(&self, unit: PlannedUnit, tasks: &[Task]) -> Cell {
        Cell {
            levels: self.levels(unit.arm),
            unit: tasks.get(unit.task as usize).map(|task| task.key.clone()).unwrap_or_default(),
            repeat: u64::from(unit.repeat) + 1,
        }
    }
}

pub(crate) fn narrow(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// What a condition on cells calls the replicate, unless a task attribute has this name.
const REPEAT: &str = "repeat";

/// A task with the levels of an arm, and the replicate where there is one: what a condition on cells sees.
pub(crate) struct CellRow<'a> {
    pub schema: &'a Schema,
    pub task: Option<&'a Task>,
    pub levels: &'a [u16],
    /// From 1.
    pub repeat: Option<u32>,
}

impl Row for CellRow<'_> {
    fn attribute(&self, at: usize) -> Option<Scalar<'_>> {
        let (name, _) = self.schema.attributes.get(at)?;
        let own = self.task?.attributes.get(name).map(super::Value::scalar);
        own.or_else(|| {
            self.repeat.filter(|_| name == REPEAT).map(|repeat| Scalar::Number(Exact::integer(repeat.into())))
        })
    }

    fn field(&self, _: usize) -> Option<Scalar<'_>> {
        None
    }

    fn level(&self, factor: usize) -> Option<u16> {
        self.levels.get(factor).copied()
    }

    fn state(&self) -> Option<StateClass> {
        None
    }

    fn elsewhere(&self, _: &[(usize, u16)]) -> Option<Self> {
        None
    }
}

/// Plans the units of a study; `tasks` are sorted by key, as [`super::read_tasks`] gives them. Without a design nothing is
/// planned.
pub fn planned(spec: &Spec, tasks: &[Task]) -> Result<Plan, Vec<PlanError>> {
    let Some(design) = &spec.design else { return Ok(Plan::default()) };
    let mut schema = Schema::new(spec);
    // A condition on cells cannot look at what was measured.
    schema.fields.clear();
    let named = schema.attribute(REPEAT).is_some();
    if !named {
        schema.attributes.push((REPEAT.to_owned(), ValueType::Number(NumberType::default())));
        schema.attributes.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    let arms = schema.factors.iter().fold(1_u64, |n, (_, levels)| n.saturating_mul(levels.len() as u64));
    let total = arms.saturating_mul(tasks.len() as u64).saturating_mul(design.repeat);
    if total > MAX_UNITS || schema.factors.iter().any(|(_, levels)| levels.len() > usize::from(u16::MAX)) {
        return Err(vec![PlanError::new(
            PlanErrorKind::TooLarge,
            "the design",
            format!("it plans {total} units and the limit is {MAX_UNITS}"),
            "Every planned unit has a place in memory, whether it came or not",
            "cross fewer factors, or judge parts of the study on their own",
        )]);
    }
    let mut conditions = Vec::new();
    for excluded in &design.exclude {
        conditions.push(compile(&excluded.condition, &schema, &Bindings::new()).map_err(|error| {
            vec![PlanError::new(
                PlanErrorKind::BadExpression,
                "`exclude` in the design",
                error.to_string(),
                "Which cells are run must follow from the plan, not from the results",
                "name crossed factors, their levels and attributes of the tasks",
            )]
        })?);
    }
    let mut plan = Plan {
        tasks: narrow(tasks.len()),
        repeat: u32::try_from(design.repeat).unwrap_or(u32::MAX),
        ..Plan::of_arms(schema.factors.clone())
    };
    let size = usize::try_from(total).unwrap_or(usize::MAX);
    plan.positions.reserve_exact(size);
    plan.units.reserve(size);
    for arm in 0..plan.arms() {
        let levels: Vec<u16> = (0..plan.factors.len()).filter_map(|factor| plan.level(arm, factor)).collect();
        for (index, task) in (0_u32..).zip(tasks) {
            for repeat in 0..plan.repeat {
                let number = (!named).then_some(repeat + 1);
                let row = CellRow { schema: &schema, task: Some(task), levels: &levels, repeat: number };
                let excluded = conditions.iter().any(|condition| condition.truth(&row));
                plan.positions.push((!excluded).then(|| narrow(plan.units.len())));
                if !excluded {
                    plan.units.push(PlannedUnit { arm, task: index, repeat });
                }
            }
        }
    }
    Ok(plan)
}
