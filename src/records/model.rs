//! What readers produce: received records and reported estimates, before the plan is joined. Owns the compact table in
//! which fields of one cell from several files meet.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

pub use crate::plan::Value;
pub use crate::plan::units::Cell;

use super::error::{RecordError, RecordErrorKind};
use crate::math::Rational;
use crate::plan::eval::Schema;
use crate::plan::typed::{listed, nearest};
use crate::plan::{Column, Plan, Scalar};
use crate::spec::{Name, Spec, State};
use crate::table::shown;

/// The most records that are read.
pub const MAX_RECORDS: usize = 20_000_000;

/// One record as it came, with its names: for building records by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRecord {
    /// Where it belongs.
    pub cell: Cell,
    /// Its state.
    pub state: State,
    /// Fields that have a value; absent ones are not here. Derived fields are not here.
    pub fields: BTreeMap<Name, Value>,
    /// The file and row (or path) it came from, for messages.
    pub origin: String,
}

/// One reported estimate as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedEstimate {
    /// The estimand.
    pub estimand: Name,
    /// Factor to level.
    pub member: BTreeMap<Name, Name>,
    /// The estimate, in the base unit; absent when the file says null or NaN.
    pub estimate: Option<Rational>,
    /// The interval.
    pub interval: Option<(Rational, Rational)>,
    /// The interval's confidence level.
    pub level: Option<Rational>,
    /// The p-value.
    pub p: Option<Rational>,
    /// n.
    pub n: Option<u64>,
    /// The file and path it came from.
    pub origin: String,
}

/// Everything read from the result files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Received {
    /// Records, merged over `results` blocks: fields of the same cell from different files stand in one record.
    pub records: RecordTable,
    /// Reported estimates.
    pub estimates: Vec<ReceivedEstimate>,
    /// Files read: name, SHA-256 in hex, bytes; sorted by name.
    pub files: Vec<(String, String, u64)>,
}

/// Where in a file a record stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A row of a CSV file, from 1.
    Row(u64),
    /// A line of a JSONL file, from 1.
    Line(u64),
    /// A path in a document, or a text given by hand.
    Path(Box<str>),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Path(path) if path.is_empty() => f.write_str("the document"),
            Self::Path(path) => write!(f, "`{}`", shown(path)),
        }
    }
}

/// The file and place that a record came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file, by its place in [`RecordTable::files`].
    pub file: u32,
    /// Where in it.
    pub place: Place,
}

/// A cell in numbers: arm, unit and repeat (from 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CellKey {
    /// The arm, as [`Plan::arm`] numbers it.
    pub arm: u32,
    /// The unit, by its place in [`RecordTable::units`].
    pub unit: u32,
    /// The repeat, from 1.
    pub repeat: u32,
}

/// Received records, one place per record in each vector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordTable {
    /// Names and types of all fields of the study.
    pub schema: Schema,
    /// The arms; without units.
    pub grid: Plan,
    /// The keys of the units seen, in the order seen.
    pub units: Vec<Box<str>>,
    /// Names of the files seen.
    pub files: Vec<String>,
    /// Units that the names of files speak of, with the file: they must be planned even when the file is empty.
    pub named_units: Vec<(u32, u32)>,
    /// Repeats that the design plans.
    pub planned_repeats: u32,
    /// The cell of each record.
    pub keys: Vec<CellKey>,
    /// The state of each record.
    pub states: Vec<State>,
    /// Whether a file gave the state.
    stated: Vec<bool>,
    /// The columns of the schema's fields; derived ones are absent.
    pub columns: Vec<Column>,
    /// Where each record came from last.
    pub origins: Vec<Origin>,
    blocks: Vec<u16>,
    unit_index: HashMap<Box<str>, u32>,
    index: HashMap<CellKey, u32>,
}

impl RecordTable {
    /// An empty table for a study.
    #[must_use]
    pub fn new(spec: &Spec) -> Self {
        let schema = Schema::new(spec);
        let grid = Plan::of_arms(schema.factors.clone());
        let columns = schema.fields.iter().map(|(_, kind)| Column::absent(kind, 0)).collect();
        let repeats = spec.design.as_ref().map_or(1, |design| design.repeat);
        let planned_repeats = u32::try_from(repeats).unwrap_or(u32::MAX);
        Self { schema, grid, planned_repeats, columns, ..Self::default() }
    }

    /// A table of records made by hand; each one stands for itself.
    pub fn from_records(
        spec: &Spec,
        records: impl IntoIterator<Item = ReceivedRecord>,
    ) -> Result<Self, Vec<RecordError>> {
        let mut table = Self::new(spec);
        let mut errors = Vec::new();
        let file = table.file("records");
        for record in records {
            if let Err(error) = table.push(file, &record) {
                errors.push(error);
            }
        }
        if errors.is_empty() { Ok(table) } else { Err(errors) }
    }

    fn push(&mut self, file: u32, record: &ReceivedRecord) -> Result<(), RecordError> {
        let mut levels = Vec::with_capacity(self.schema.factors.len());
        for (at, (factor, names)) in self.schema.factors.iter().enumerate() {
            let name = record.cell.levels.get(factor);
            let level = name
                .and_then(|name| self.schema.level(at, name))
                .ok_or_else(|| unknown_level(&record.origin, factor, name.map_or("", String::as_str), names))?;
            levels.push(level);
        }
        let arm = self.grid.arm(&levels).unwrap_or(0);
        let unit = self.unit(&record.cell.unit);
        let key = CellKey { arm, unit, repeat: u32::try_from(record.cell.repeat).unwrap_or(u32::MAX) };
        let origin = Origin { file, place: Place::Path(record.origin.as_str().into()) };
        let at = self.enter(key, Some(record.state), 0, origin)?;
        for (name, value) in &record.fields {
            let stored = self
                .schema
                .field(name)
                .is_some_and(|field| self.columns.get_mut(field).is_some_and(|column| column.set(at, &value.scalar())));
            if !stored {
                return Err(RecordError::new(
                    RecordErrorKind::BadValue,
                    record.origin.clone(),
                    format!("`{name}` is no field of this type"),
                    "give a value of the declared type",
                ));
            }
        }
        Ok(())
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The number of a file.
    pub fn file(&mut self, name: &str) -> u32 {
        let at = self.files.iter().position(|known| known == name).unwrap_or_else(|| {
            self.files.push(name.to_owned());
            self.files.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The number of a unit.
    pub fn unit(&mut self, key: &str) -> u32 {
        if let Some(at) = self.unit_index.get(key) {
            return *at;
        }
        let at = u32::try_from(self.units.len()).unwrap_or(u32::MAX);
        self.units.push(key.into());
        self.unit_index.insert(key.into(), at);
        at
    }

    /// An origin for messages.
    #[must_use]
    pub fn origin(&self, origin: &Origin) -> String {
        let file = self.files.get(origin.file as usize).map_or("", String::as_str);
        format!("{file}, {}", origin.place)
    }

    /// A cell for messages.
    #[must_use]
    pub fn cell_text(&self, key: CellKey) -> String {
        let levels = self.grid.levels(key.arm);
        let mut parts: Vec<String> = levels.iter().map(|(factor, level)| format!("{factor} {level}")).collect();
        let unit = self.units.get(key.unit as usize).map_or("", |unit| unit);
        parts.push(format!("unit `{}`", shown(unit)));
        parts.push(format!("repeat {}", key.repeat));
        parts.join(", ")
    }

    /// Finds or makes the place of a cell for block number `block`. A second record of the same block for a cell is
    /// refused, and so are two stated states that differ. Superseded and surplus records stand on their own.
    pub(crate) fn enter(
        &mut self,
        key: CellKey,
        state: Option<State>,
        block: u16,
        origin: Origin,
    ) -> Result<usize, RecordError> {
        let aside = matches!(state, Some(State::Superseded | State::Surplus));
        let found = if aside { None } else { self.index.get(&key).map(|at| *at as usize) };
        if let Some(at) = found {
            return self.again(at, key, state, block, origin);
        }
        let at = self.keys.len();
        let number = u32::try_from(at).ok().filter(|_| at < MAX_RECORDS).ok_or_else(|| {
            RecordError::new(
                RecordErrorKind::TooLarge,
                self.origin(&origin),
                format!("there are more than {MAX_RECORDS} records"),
                "judge parts of the study on their own",
            )
        })?;
        self.keys.push(key);
        self.states.push(state.unwrap_or(State::Scored));
        self.stated.push(state.is_some());
        self.blocks.push(block);
        self.origins.push(origin);
        self.columns.iter_mut().for_each(Column::push_absent);
        if !aside {
            self.index.insert(key, number);
        }
        Ok(at)
    }

    fn again(
        &mut self,
        at: usize,
        key: CellKey,
        state: Option<State>,
        block: u16,
        origin: Origin,
    ) -> Result<usize, RecordError> {
        let earlier = || self.origins.get(at).map(|origin| self.origin(origin)).unwrap_or_default();
        let place = || self.origin(&origin);
        if self.blocks.get(at) == Some(&block) {
            return Err(RecordError::new(
                RecordErrorKind::DuplicateCell,
                place(),
                format!("a second record for {}; the first is at {}", self.cell_text(key), earlier()),
                "keep one, or map the column that tells them apart (`repeat at …`, or a state `superseded`)",
            ));
        }
        if let Some(state) = state {
            let known = self.states.get(at).copied().unwrap_or(state);
            if self.stated.get(at) == Some(&true) && known != state {
                return Err(RecordError::new(
                    RecordErrorKind::Conflict,
                    place(),
                    format!(
                        "the state of {} is `{}` here and `{}` at {}",
                        self.cell_text(key),
                        state.word(),
                        known.word(),
                        earlier()
                    ),
                    "let one file give the state",
                ));
            }
            if let (Some(known), Some(stated)) = (self.states.get_mut(at), self.stated.get_mut(at)) {
                *known = state;
                *stated = true;
            }
        }
        if let (Some(last), Some(known)) = (self.blocks.get_mut(at), self.origins.get_mut(at)) {
            *last = block;
            *known = origin;
        }
        Ok(at)
    }

    /// Sets a field; the same value again is no conflict, another one is.
    pub(crate) fn put(
        &mut self,
        at: usize,
        field: usize,
        value: &Scalar<'_>,
        place: &Place,
    ) -> Result<(), RecordError> {
        let Some(column) = self.columns.get_mut(field) else { return Ok(()) };
        if let Some(known) = column.get(at) {
            if known == *value {
                return Ok(());
            }
            let name = self.schema.fields.get(field).map_or("", |(name, _)| name);
            let (known, value) = (text_of(&known), text_of(value));
            let key = self.keys.get(at).copied().unwrap_or(CellKey { arm: 0, unit: 0, repeat: 0 });
            let file = self.origins.get(at).and_then(|origin| self.files.get(origin.file as usize));
            return Err(RecordError::new(
                RecordErrorKind::Conflict,
                format!("{}, {place}", file.map_or("", String::as_str)),
                format!("`{name}` of {} is `{value}` here and `{known}` in an earlier block", self.cell_text(key)),
                "let one block map the field, or correct the files",
            ));
        }
        let _ = column.set(at, value);
        Ok(())
    }

    /// Whether any field of a record has a value.
    #[must_use]
    pub fn has_values(&self, at: usize) -> bool {
        self.columns.iter().any(|column| column.is_present(at))
    }
}

/// A value for messages.
pub(crate) fn text_of(value: &Scalar<'_>) -> String {
    match value {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Number(value) => value.canonical(),
        Scalar::Level(text) | Scalar::Text(text) => shown(text),
    }
}

pub(crate) fn unknown_level(place: &str, factor: &str, text: &str, names: &[Name]) -> RecordError {
    let help = match nearest(names, text) {
        Some(name) => format!("did you mean `{name}`? Otherwise give its spelling in the results block"),
        None => format!("the levels are {}; give the spelling in the results block", listed(names)),
    };
    let message = format!("`{}` is no level of `{factor}`", shown(text));
    RecordError::new(RecordErrorKind::UnknownLevel, place, message, help)
}
