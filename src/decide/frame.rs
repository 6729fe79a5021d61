//! The joined records in one fixed order: units bytewise by key, then factor levels, then repeats. Owns the numbering that every
//! later step uses; it must not decide who counts.

use super::Refusal;
use crate::plan::eval::Schema;
use crate::plan::{Scalar, Task};
use crate::records::Joined;
use crate::spec::{FieldRole, Name, Spec, State, ValueType};

/// A place in the plan: unit, levels and repeat packed into one number, so that its order is the order of the plan.
pub(super) type Place = u64;

/// A crossed factor.
#[derive(Debug)]
pub(super) struct Axis {
    pub name: Name,
    pub levels: Vec<Name>,
    stride: u64,
}

/// A planned record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub place: Place,
    pub unit: u32,
    pub state: State,
    /// Where it stands in the joined table.
    at: usize,
}

/// All planned records of a study.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub spec: &'a Spec,
    joined: &'a Joined,
    tasks: &'a [Task],
    pub axes: Vec<Axis>,
    pub repeats: u64,
    unit_stride: u64,
    pub rows: Vec<Row>,
}

impl<'a> Frame<'a> {
    /// Orders the joined records. `tasks` are those of the plan, sorted bytewise by key.
    pub fn new(spec: &'a Spec, tasks: &'a [Task], joined: &'a Joined) -> Result<Self, Refusal> {
        let too_large = || Refusal::new("the plan has more places than can be numbered; plan fewer levels or repeats");
        let keys = tasks.iter().map(|task| &task.key);
        if !keys.eq(joined.tasks.iter()) {
            return Err(Refusal::new("the tasks are not those that the records were joined to; join them again"));
        }
        let repeats = u64::from(joined.plan.repeat.max(1));
        let mut axes: Vec<Axis> = Vec::new();
        let mut stride = repeats;
        for (name, levels) in joined.plan.factors.iter().rev() {
            axes.push(Axis { name: name.clone(), levels: levels.clone(), stride });
            let size = u64::try_from(levels.len().max(1)).map_err(|_| too_large())?;
            stride = stride.checked_mul(size).ok_or_else(too_large)?;
        }
        axes.reverse();
        stride.checked_mul(u64::from(joined.plan.tasks.max(1))).ok_or_else(too_large)?;
        let mut rows: Vec<Row> = Vec::with_capacity(joined.plan.units.len());
        for (at, unit) in joined.plan.units.iter().enumerate() {
            let levels = axes
                .iter()
                .enumerate()
                .filter_map(|(axis, own)| Some(u64::from(joined.plan.level(unit.arm, axis)?) * own.stride));
            let place = u64::from(unit.task) * stride + levels.sum::<u64>() + u64::from(unit.repeat);
            let state = joined.states.get(at).copied().unwrap_or(State::Missing);
            rows.push(Row { place, unit: unit.task, state, at });
        }
        rows.sort_unstable_by_key(|row| row.place);
        Ok(Self { spec, joined, tasks, axes, repeats, unit_stride: stride, rows })
    }

    /// Names and types of fields and attributes.
    pub fn schema(&self) -> &'a Schema {
        &self.joined.schema
    }

    /// How many units are planned.
    pub fn units(&self) -> usize {
        self.tasks.len()
    }

    /// What a record holds in a field.
    pub fn field(&self, row: usize, field: usize) -> Option<Scalar<'a>> {
        self.joined.columns.get(field)?.get(self.rows.get(row)?.at)
    }

    /// What a unit has in an attribute.
    pub fn attribute(&self, unit: u32, attribute: usize) -> Option<Scalar<'a>> {
        self.joined.attributes.get(attribute)?.get(unit as usize)
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

    /// The first place with the same levels up to and including an axis.
    pub fn floor(&self, place: Place, axis: usize) -> Place {
        let stride = self.axes.get(axis).map_or(1, |axis| axis.stride);
        place - place % stride
    }

    /// The number of places of one unit.
    pub fn unit_stride(&self) -> u64 {
        self.unit_stride
    }

    /// The first row at or after `from` whose place is this one or a later one.
    pub fn first_from(&self, from: usize, place: Place) -> usize {
        // In a full factorial the place is the row's own number.
        let direct = usize::try_from(place).ok().filter(|&row| self.rows.get(row).is_some_and(|r| r.place == place));
        direct.unwrap_or_else(|| {
            let rest = self.rows.get(from..).unwrap_or_default();
            from + rest.partition_point(|row| row.place < place)
        })
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
        self.tasks.get(unit as usize)
    }

    /// The record at a place.
    pub fn row_at(&self, place: Place) -> Option<usize> {
        // In a full factorial the place is the row's own number.
        let direct = usize::try_from(place).ok().filter(|&row| self.rows.get(row).is_some_and(|r| r.place == place));
        direct.or_else(|| self.rows.binary_search_by_key(&place, |row| row.place).ok())
    }

    /// The levels of a factor, of a task attribute that has levels, or of the unit, in their declared order.
    pub fn levels_of(&self, name: &str) -> Option<Vec<Name>> {
        if self.is_unit(name) {
            return Some(self.tasks.iter().map(|task| task.key.clone()).collect());
        }
        levels_of(self.spec, name)
    }

    /// Whether a name is that of the unit, whose keys are then its levels.
    pub fn is_unit(&self, name: &str) -> bool {
        self.spec.tasks.as_ref().is_some_and(|tasks| tasks.name == name) && !self.spec.factors.contains_key(name)
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

/// Whether a field is an outcome rather than a flag.
pub(super) fn is_outcome(spec: &Spec, name: &str) -> bool {
    spec.fields.get(name).is_some_and(|field| field.role == FieldRole::Outcome)
}
