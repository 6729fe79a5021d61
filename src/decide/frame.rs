//! The planned records in one fixed order: units bytewise by key, then factor levels, then repeats. Owns the numbering that every
//! later step uses; it must not decide who counts.

use std::collections::BTreeMap;

use super::Refusal;
use crate::plan::{Task, Value};
use crate::spec::{FieldRole, Name, Spec, State, ValueType};

/// A planned record as it was found after the plan was joined with what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRecord {
    /// The unit's key.
    pub unit: String,
    /// Factor to level, for every crossed factor.
    pub levels: BTreeMap<Name, Name>,
    /// From 1.
    pub repeat: u64,
    /// Its state; `missing` when it never came.
    pub state: State,
    /// Fields that have a value, derived ones left out.
    pub fields: BTreeMap<Name, Value>,
}

/// A place in the plan: unit, levels and repeat packed into one number, so that order is order of the plan.
pub(super) type Place = u64;

/// A crossed factor.
#[derive(Debug)]
pub(super) struct Axis {
    pub name: Name,
    pub levels: Vec<Name>,
    stride: u64,
}

/// A record of the frame.
#[derive(Debug)]
pub(super) struct Row {
    pub place: Place,
    pub unit: u32,
    pub state: State,
}

/// All planned records of a study.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub spec: &'a Spec,
    pub axes: Vec<Axis>,
    pub units: Vec<&'a Task>,
    pub repeats: u64,
    unit_stride: u64,
    pub rows: Vec<Row>,
    pub fields: Vec<Name>,
    /// By field, then by row.
    pub values: Vec<Vec<Option<Value>>>,
}

impl<'a> Frame<'a> {
    /// Orders records. Fails when one belongs to no planned unit or level, or stands at a place twice.
    pub fn new(
        spec: &'a Spec,
        tasks: &'a [Task],
        records: impl IntoIterator<Item = PlannedRecord>,
    ) -> Result<Self, Refusal> {
        let repeats = spec.design.as_ref().map_or(1, |design| design.repeat.max(1));
        let mut units: Vec<&Task> = tasks.iter().collect();
        units.sort_by(|a, b| a.key.as_bytes().cmp(b.key.as_bytes()));
        let cross = spec.design.as_ref().map(|design| design.cross.as_slice()).unwrap_or_default();
        let too_large = || Refusal::new("the plan has more places than can be numbered; plan fewer levels or repeats");
        let mut axes: Vec<Axis> = Vec::new();
        let mut stride = repeats;
        for name in cross.iter().rev() {
            // The unit itself may be listed among the crossed factors.
            let Some(factor) = spec.factors.get(name) else { continue };
            axes.push(Axis { name: name.clone(), levels: factor.levels.clone(), stride });
            let size = u64::try_from(factor.levels.len().max(1)).map_err(|_| too_large())?;
            stride = stride.checked_mul(size).ok_or_else(too_large)?;
        }
        axes.reverse();
        let count = u64::try_from(units.len()).map_err(|_| too_large())?;
        stride.checked_mul(count.max(1)).filter(|_| units.len() < u32::MAX as usize).ok_or_else(too_large)?;
        let fields: Vec<Name> =
            spec.fields.iter().filter(|(_, field)| field.derived.is_none()).map(|(name, _)| name.clone()).collect();
        let mut frame =
            Self { spec, axes, units, repeats, unit_stride: stride, rows: Vec::new(), fields, values: Vec::new() };
        frame.fill(records)?;
        Ok(frame)
    }

    fn fill(&mut self, records: impl IntoIterator<Item = PlannedRecord>) -> Result<(), Refusal> {
        let mut placed = Vec::new();
        for record in records {
            let (place, unit) = self.place_of(&record)?;
            placed.push((place, unit, record));
        }
        placed.sort_by_key(|(place, ..)| *place);
        if let Some([(_, _, record), _]) = placed.array_windows::<2>().find(|[one, two]| one.0 == two.0) {
            return Err(Refusal::new(format!("two records stand for one planned unit: {}", describe(record))));
        }
        self.values = self.fields.iter().map(|_| Vec::with_capacity(placed.len())).collect();
        for (place, unit, mut record) in placed {
            self.rows.push(Row { place, unit, state: record.state });
            for (name, column) in self.fields.iter().zip(&mut self.values) {
                column.push(record.fields.remove(name));
            }
        }
        Ok(())
    }

    fn place_of(&self, record: &PlannedRecord) -> Result<(Place, u32), Refusal> {
        let missing = |what: &str| {
            Refusal::new(format!(
                "the record of {} is not planned: {what}; the plan gives the denominator",
                describe(record)
            ))
        };
        let unit = self
            .units
            .binary_search_by(|task| task.key.as_bytes().cmp(record.unit.as_bytes()))
            .map_err(|_| missing("there is no such unit"))?;
        let mut place = (unit as u64).saturating_mul(self.unit_stride);
        for axis in &self.axes {
            let level = record.levels.get(&axis.name).ok_or_else(|| missing(&format!("it has no {}", axis.name)))?;
            let index = axis.index(level).ok_or_else(|| missing(&format!("{} has no level {level}", axis.name)))?;
            place = place.saturating_add(index.saturating_mul(axis.stride));
        }
        let repeat = record.repeat.checked_sub(1).filter(|repeat| *repeat < self.repeats);
        let repeat = repeat.ok_or_else(|| missing(&format!("repeats run from 1 to {}", self.repeats)))?;
        let unit = u32::try_from(unit).map_err(|_| missing("there are too many units"))?;
        Ok((place.saturating_add(repeat), unit))
    }

    /// The axis of a factor.
    pub fn axis(&self, name: &str) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == name)
    }

    /// The level that a place has on an axis.
    pub fn level(&self, place: Place, axis: usize) -> Option<u64> {
        let axis = self.axes.get(axis)?;
        (place / axis.stride).checked_rem(axis.levels.len() as u64)
    }

    /// The name of the level that a place has on an axis.
    pub fn level_name(&self, place: Place, axis: usize) -> Option<&str> {
        let index = usize::try_from(self.level(place, axis)?).ok()?;
        self.axes.get(axis)?.levels.get(index).map(String::as_str)
    }

    /// The same place with another level on an axis.
    pub fn moved(&self, place: Place, axis: usize, level: u64) -> Place {
        let own = self.level(place, axis).unwrap_or(0);
        let stride = self.axes.get(axis).map_or(0, |axis| axis.stride);
        (place - own * stride) + level * stride
    }

    /// The place of the first repeat of the same cell.
    pub fn first_repeat(&self, place: Place) -> Place {
        place - place % self.repeats
    }

    /// The unit of a place.
    pub fn unit_of(&self, place: Place) -> u32 {
        u32::try_from(place / self.unit_stride).unwrap_or(u32::MAX)
    }

    /// The task of a unit.
    pub fn task(&self, unit: u32) -> Option<&'a Task> {
        self.units.get(unit as usize).copied()
    }

    /// The record at a place.
    pub fn row_at(&self, place: Place) -> Option<usize> {
        // In a full factorial the place is the row's own number.
        let direct = usize::try_from(place).ok().filter(|&row| self.rows.get(row).is_some_and(|r| r.place == place));
        direct.or_else(|| self.rows.binary_search_by_key(&place, |row| row.place).ok())
    }

    /// The levels of a factor or of a task attribute that has levels, in their declared order.
    pub fn levels_of(&self, name: &str) -> Option<Vec<Name>> {
        levels_of(self.spec, name)
    }
}

impl Axis {
    /// The number of a level.
    pub fn index(&self, level: &str) -> Option<u64> {
        self.levels.iter().position(|own| own == level).and_then(|index| u64::try_from(index).ok())
    }
}

/// The levels of a factor or of a task attribute that has levels, in their declared order.
pub(super) fn levels_of(spec: &Spec, name: &str) -> Option<Vec<Name>> {
    if let Some(factor) = spec.factors.get(name) {
        return Some(factor.levels.clone());
    }
    let tasks = spec.tasks.as_ref()?;
    let kind = tasks
        .attributes
        .get(name)
        .map(|attribute| &attribute.kind)
        .or_else(|| tasks.defines.get(name).map(|define| &define.kind))?;
    match kind {
        ValueType::Level(levels) => Some(levels.clone()),
        ValueType::Bool => Some(vec!["false".to_owned(), "true".to_owned()]),
        ValueType::Number(_) | ValueType::Text => None,
    }
}

/// Whether a field is a true-or-false outcome.
pub(super) fn is_outcome(spec: &Spec, name: &str) -> bool {
    spec.fields.get(name).is_some_and(|field| field.role == FieldRole::Outcome)
}

fn describe(record: &PlannedRecord) -> String {
    let mut words = vec![record.unit.clone()];
    words.extend(record.levels.iter().map(|(factor, level)| format!("{factor} {level}")));
    words.push(format!("repeat {}", record.repeat));
    words.join(", ")
}
