//! Coordinate one row or object to a record, by the mapping of a block. Owns the meaning of a block's lines; reads no files.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{RecordError, RecordErrorKind};
use super::model::{CellKey, Origin, Place, RecordTable, unknown_level};
use super::slots::{Slots, in_path};
use crate::plan::Scalar;
use crate::plan::Value;
use crate::plan::typed::{TypeRule, level, listed};
use crate::spec::{Attribute, FieldMapping, LevelMapping, Name, ResultsBlock, ResultsShape, State, UnitAt};
use crate::table::cell::{Cell, CellFault, read_key, read_number};
use crate::table::number::Exact;
use crate::table::path::Bound;
use crate::table::shown;

/// Gives the cell at a locator's number.
pub(super) type Cells<'c> = dyn Fn(usize) -> Cell<'c> + 'c;

/// One line of a mapping: where, and how it is read.
#[derive(Debug, Clone)]
pub(super) struct FieldMap {
    /// The field's place in the schema.
    pub field: usize,
    /// The locator; for wide columns the group's own.
    pub at: usize,
    /// The name for messages.
    pub name: Name,
    rule: TypeRule,
    spellings: BTreeMap<String, Value>,
    factor: Option<Exact>,
}

/// Where a cell's coordinate stands.
#[derive(Debug, Clone)]
enum Coordinate {
    /// The file's name, the record's path or the header says it.
    Bound,
    /// A locator, with spellings.
    At(usize, BTreeMap<String, Name>),
}

/// A block's mapping, ready to read many records.
#[derive(Debug, Clone)]
pub(super) struct BlockMap {
    /// The block's number, from 1.
    pub block: u16,
    /// Columns or paths by number.
    pub locators: Vec<String>,
    /// The plain fields.
    pub fields: Vec<FieldMap>,
    /// Header patterns with their field, whose locator each header gives.
    pub wide: Vec<(String, FieldMap)>,
    plain: usize,
    factors: Vec<Coordinate>,
    unit: Option<Coordinate>,
    by_row: bool,
    repeat: Option<usize>,
    state: Option<(usize, BTreeMap<String, State>)>,
    successes: Option<(usize, usize, FieldMap)>,
    absent: BTreeSet<String>,
}

/// What is known of a record besides its cells.
pub(super) struct Context<'b> {
    pub bound: &'b Bound,
    pub row: u64,
    pub file: u32,
    pub place: Place,
}

fn unmapped(block: &str, what: impl Into<String>, help: impl Into<String>) -> RecordError {
    RecordError::new(RecordErrorKind::Unmapped, format!("results block `{block}`"), what, help)
}

impl BlockMap {
    /// Reads a block; `slots_given` are the placeholders of the file, the record path and the headers.
    pub fn new(
        name: &str,
        number: u16,
        block: &ResultsBlock,
        table: &RecordTable,
        slots: &Slots,
        slots_given: &BTreeSet<String>,
    ) -> Result<Self, RecordError> {
        let ResultsShape::Records { unit, levels, repeat, fields, columns, state, successes, absent, .. } =
            &block.shape
        else {
            return Err(unmapped(name, "it holds no records", "read it as reported estimates"));
        };
        let mut map = Self {
            block: number,
            locators: Vec::new(),
            fields: Vec::new(),
            wide: Vec::new(),
            plain: 0,
            factors: Vec::new(),
            unit: None,
            by_row: *unit == Some(UnitAt::Row),
            repeat: None,
            state: None,
            successes: None,
            absent: absent.clone(),
        };
        for (factor, _) in &table.schema.factors {
            let from = match levels.get(factor) {
                Some(mapping) if in_path(factor, mapping) && slots_given.contains(factor) => Coordinate::Bound,
                Some(LevelMapping { at, spellings }) => Coordinate::At(map.locator(at), spellings.clone()),
                None if slots_given.contains(factor) => Coordinate::Bound,
                None => {
                    let what = format!("nothing says which `{factor}` a record belongs to");
                    let help = format!("add `level {factor} at \"…\"`, or `{{{factor}}}` in the file's name or a path");
                    return Err(unmapped(name, what, help));
                }
            };
            map.factors.push(from);
        }
        map.unit = match unit {
            Some(UnitAt::Row) => None,
            Some(UnitAt::At(at)) => Some(Coordinate::At(map.locator(at), BTreeMap::new())),
            None if slots_given.contains(&slots.unit) => Some(Coordinate::Bound),
            None if successes.is_some() => None,
            None => {
                let what = format!("nothing says which {} a record belongs to", slots.unit);
                return Err(unmapped(name, what, format!("add `unit {} at \"…\"`", slots.unit)));
            }
        };
        map.repeat = repeat.as_ref().map(|at| map.locator(at));
        let says = repeat.is_some() || slots_given.contains("repeat") || successes.is_some();
        if !says && table.planned_repeats > 1 {
            let what =
                format!("the design repeats {} times and nothing says which repeat a record is", table.planned_repeats);
            return Err(unmapped(name, what, "add `repeat at \"…\"`"));
        }
        for (field, mapping) in fields {
            let at = map.locator(&mapping.at);
            let mapped = field_map(name, field, at, Some(mapping), table)?;
            map.fields.push(mapped);
        }
        for (pattern, field) in columns {
            map.wide.push((pattern.clone(), field_map(name, field, 0, None, table)?));
        }
        map.state = state.as_ref().map(|(at, spellings)| (map.locator(at), spellings.clone()));
        if let Some((ok, of, field)) = successes {
            let (ok, of) = (map.locator(ok), map.locator(of));
            map.successes = Some((ok, of, field_map(name, field, ok, None, table)?));
        }
        map.plain = map.locators.len();
        Ok(map)
    }

    /// How many locators the mapping itself has; those of headers follow.
    pub fn plain_locators(&self) -> usize {
        self.plain
    }

    /// The number of a locator; it is added when it is new.
    pub fn locator(&mut self, at: &str) -> usize {
        self.locators.iter().position(|known| known == at).unwrap_or_else(|| {
            self.locators.push(at.to_owned());
            self.locators.len() - 1
        })
    }

    fn cell<'c>(&self, cells: &Cells<'c>, at: usize) -> Cell<'c> {
        let cell = cells(at);
        match cell.written() {
            Some(text) if self.absent.contains(text) => Cell::Absent,
            _ => cell,
        }
    }

    /// Whether an object has any of the mapped fields, so that it is a record of this block at all.
    pub fn has_shape(&self, cells: &Cells<'_>) -> bool {
        let mut at = self.fields.iter().map(|field| field.at).chain(self.state.iter().map(|(at, _)| *at));
        at.any(|at| cells(at) != Cell::Absent)
            || self.successes.as_ref().is_some_and(|(ok, ..)| !cells(*ok).is_absent())
    }

    fn fault(
        &self,
        table: &RecordTable,
        cx: &Context<'_>,
        kind: RecordErrorKind,
        at: usize,
        fault: CellFault,
    ) -> RecordError {
        let file = table.files.get(cx.file as usize).map_or("", String::as_str);
        let column = self.locators.get(at).map_or("", String::as_str);
        RecordError::new(kind, format!("{file}, {}, `{}`", cx.place, shown(column)), fault.what, fault.help)
    }

    /// The arm, as levels in the order of the factors.
    fn levels(&self, table: &RecordTable, cells: &Cells<'_>, cx: &Context<'_>) -> Result<Vec<u16>, RecordError> {
        let mut out = Vec::with_capacity(self.factors.len());
        for (index, (from, (factor, names))) in self.factors.iter().zip(&table.schema.factors).enumerate() {
            let file = || table.files.get(cx.file as usize).map_or("", String::as_str);
            let name = match from {
                Coordinate::Bound => cx.bound.get(factor).map_or("", String::as_str),
                Coordinate::At(at, spellings) => {
                    let cell = self.cell(cells, *at);
                    let text =
                        read_key(cell).map_err(|f| self.fault(table, cx, RecordErrorKind::UnknownLevel, *at, f))?;
                    let Some(text) = text else {
                        let what = format!("there is no `{factor}`");
                        let help = format!("every record needs one of {}", listed(names));
                        let fault = CellFault { what, help };
                        return Err(self.fault(table, cx, RecordErrorKind::UnknownLevel, *at, fault));
                    };
                    if spellings.is_empty() {
                        level(names, text)
                            .map_err(|fault| self.fault(table, cx, RecordErrorKind::UnknownLevel, *at, fault))?
                    } else if let Some(name) = spellings.get(text) {
                        name
                    } else {
                        let known: Vec<String> = spellings.keys().cloned().collect();
                        let column = self.locators.get(*at).map_or("", String::as_str);
                        let place = format!("{}, {}, `{}`", file(), cx.place, shown(column));
                        return Err(unknown_level(&place, factor, text, &known));
                    }
                }
            };
            let found = table.schema.level(index, name);
            out.push(found.ok_or_else(|| unknown_level(&format!("{}, {}", file(), cx.place), factor, name, names))?);
        }
        Ok(out)
    }

    fn repeat(&self, table: &RecordTable, cells: &Cells<'_>, cx: &Context<'_>) -> Result<u32, RecordError> {
        let Some(at) = self.repeat else {
            return Ok(cx.bound.get("repeat").and_then(|text| text.parse().ok()).unwrap_or(1));
        };
        let kind = RecordErrorKind::BadValue;
        let value = read_number(self.cell(cells, at)).map_err(|fault| self.fault(table, cx, kind, at, fault))?;
        let number = value.as_ref().and_then(Exact::to_u64).and_then(|number| u32::try_from(number).ok());
        number.filter(|number| *number > 0).ok_or_else(|| {
            let what = format!("{} is no repeat", cells(at).display());
            self.fault(table, cx, kind, at, CellFault { what, help: "repeats are numbered 1, 2, 3, …".to_owned() })
        })
    }

    fn state(&self, table: &RecordTable, cells: &Cells<'_>, cx: &Context<'_>) -> Result<Option<State>, RecordError> {
        let Some((at, spellings)) = &self.state else { return Ok(None) };
        let cell = self.cell(cells, *at);
        let written = cell.written().unwrap_or("");
        let found = if spellings.is_empty() { State::from_word(written) } else { spellings.get(written).copied() };
        found.map(Some).ok_or_else(|| {
            let help = if spellings.is_empty() {
                format!("the states are {}", listed(&State::ALL.map(State::word)))
            } else {
                let known: Vec<&String> = spellings.keys().collect();
                format!("the block spells {}; give this one a state too", listed(&known))
            };
            let what = format!("{} is no state", cell.display());
            self.fault(table, cx, RecordErrorKind::BadState, *at, CellFault { what, help })
        })
    }

    fn unit(
        &self,
        table: &mut RecordTable,
        cells: &Cells<'_>,
        cx: &Context<'_>,
        slots: &Slots,
    ) -> Result<u32, RecordError> {
        match &self.unit {
            None if self.by_row => Ok(table.unit(&cx.row.to_string())),
            None => Ok(table.unit("")),
            Some(Coordinate::Bound) => Ok(table.unit(cx.bound.get(&slots.unit).map_or("", String::as_str))),
            Some(Coordinate::At(at, _)) => {
                let key = read_key(self.cell(cells, *at));
                let key = key.map_err(|fault| self.fault(table, cx, RecordErrorKind::Unplanned, *at, fault))?;
                let Some(key) = key else {
                    let what = format!("there is no {}", slots.unit);
                    let help = "every record names its unit".to_owned();
                    return Err(self.fault(table, cx, RecordErrorKind::Unplanned, *at, CellFault { what, help }));
                };
                Ok(table.unit(key))
            }
        }
    }

    /// Enters a record. `wide` holds the header's fields; without any value in them there is no record.
    pub fn record(
        &self,
        table: &mut RecordTable,
        cells: &Cells<'_>,
        wide: Option<&[FieldMap]>,
        cx: &Context<'_>,
        slots: &Slots,
    ) -> Result<(), RecordError> {
        let levels = self.levels(table, cells, cx)?;
        let arm = table.grid.arm(&levels).unwrap_or(0);
        if let Some((ok, of, field)) = &self.successes {
            return self.counted(table, cells, cx, slots, arm, (*ok, *of, field));
        }
        if wide.is_some_and(|wide| wide.iter().all(|field| self.cell(cells, field.at).is_absent())) {
            return Ok(());
        }
        let unit = self.unit(table, cells, cx, slots)?;
        let repeat = self.repeat(table, cells, cx)?;
        let state = self.state(table, cells, cx)?;
        let origin = Origin { file: cx.file, place: cx.place.clone() };
        let at = table.enter(CellKey { arm, unit, repeat }, state, self.block, origin)?;
        for field in self.fields.iter().chain(wide.into_iter().flatten()) {
            match field.read(self.cell(cells, field.at)) {
                Ok(Some(value)) => table.put(at, field.field, &value, &cx.place)?,
                Ok(None) => {}
                Err(fault) => {
                    let what = format!("{}; `{}` expects {}", fault.what, field.name, field.rule.expected());
                    let fault = CellFault { what, help: fault.help };
                    return Err(self.fault(table, cx, RecordErrorKind::BadValue, field.at, fault));
                }
            }
        }
        Ok(())
    }

    /// Successes out of trials become one record for each trial.
    fn counted(
        &self,
        table: &mut RecordTable,
        cells: &Cells<'_>,
        cx: &Context<'_>,
        slots: &Slots,
        arm: u32,
        (ok, of, field): (usize, usize, &FieldMap),
    ) -> Result<(), RecordError> {
        let whole = |table: &RecordTable, at: usize| {
            let value = read_number(self.cell(cells, at))
                .map_err(|f| self.fault(table, cx, RecordErrorKind::BadValue, at, f))?;
            value.as_ref().and_then(Exact::to_u64).ok_or_else(|| {
                let what = format!("{} is no whole number", cells(at).display());
                let help = "counts are 0, 1, 2, …".to_owned();
                self.fault(table, cx, RecordErrorKind::BadValue, at, CellFault { what, help })
            })
        };
        let (successes, trials) = (whole(table, ok)?, whole(table, of)?);
        let repeats = u64::from(table.planned_repeats);
        let keys = if self.unit.is_some() || self.by_row { None } else { slots.keys() };
        let planned = match (&keys, self.unit.is_some() || self.by_row) {
            (_, true) => repeats,
            (Some(keys), false) => repeats.saturating_mul(keys.len() as u64),
            (None, false) => {
                let what = "counts name no units, and the units are in a file".to_owned();
                let help = "name the unit of each count, or declare the tasks by their number".to_owned();
                return Err(self.fault(table, cx, RecordErrorKind::Unmapped, of, CellFault { what, help }));
            }
        };
        if successes > trials || trials > planned {
            let (what, at) = if successes > trials {
                (format!("{successes} successes of {trials} trials"), ok)
            } else {
                (format!("{trials} trials where {planned} are planned"), of)
            };
            let help =
                "check that the two columns are not exchanged and that the plan is the one that was run".to_owned();
            return Err(self.fault(table, cx, RecordErrorKind::BadValue, at, CellFault { what, help }));
        }
        let state = self.state(table, cells, cx)?;
        let named = if keys.is_none() { Some(self.unit(table, cells, cx, slots)?) } else { None };
        let mut keys = keys.into_iter().flatten();
        let mut unit = named.unwrap_or(0);
        for trial in 0..trials {
            let repeat = trial % repeats.max(1);
            if named.is_none() && repeat == 0 {
                unit = table.unit(&keys.next().unwrap_or_default());
            }
            let repeat = u32::try_from(repeat + 1).unwrap_or(u32::MAX);
            let origin = Origin { file: cx.file, place: cx.place.clone() };
            let at = table.enter(CellKey { arm, unit, repeat }, state, self.block, origin)?;
            table.put(at, field.field, &Scalar::Bool(trial < successes), &cx.place)?;
        }
        Ok(())
    }
}

fn field_map(
    block: &str,
    field: &str,
    at: usize,
    mapping: Option<&FieldMapping>,
    table: &RecordTable,
) -> Result<FieldMap, RecordError> {
    let found = table.schema.field(field).and_then(|at| table.schema.fields.get(at).map(|entry| (at, entry)));
    let Some((place, (name, kind))) = found else {
        return Err(unmapped(block, format!("`{field}` is no outcome or flag"), "declare it, or correct the name"));
    };
    let rule = TypeRule::new(kind);
    let mut spellings = BTreeMap::new();
    for (spelling, value) in mapping.into_iter().flat_map(|mapping| &mapping.spellings) {
        let value = spelled(&rule, value).ok_or_else(|| {
            let what = format!("the spelling `{}` of `{field}` gives another type", shown(spelling));
            unmapped(block, what, format!("give {}", rule.expected()))
        })?;
        spellings.insert(spelling.clone(), value);
    }
    let factor = mapping.and_then(|mapping| mapping.unit.as_ref()).map(|unit| Exact::from_rational(&unit.factor));
    Ok(FieldMap { field: place, at, name: name.clone(), rule, spellings, factor })
}

fn spelled(rule: &TypeRule, value: &Attribute) -> Option<Value> {
    match (rule, value) {
        (TypeRule::Bool, Attribute::Word(word)) if word == "true" => Some(Value::Bool(true)),
        (TypeRule::Bool, Attribute::Word(word)) if word == "false" => Some(Value::Bool(false)),
        (TypeRule::Number(_), Attribute::Number(quantity)) => Some(Value::Number(quantity.value.clone())),
        (TypeRule::Level(names), Attribute::Word(word) | Attribute::Text(word)) if names.contains(word) => {
            Some(Value::Level(word.clone()))
        }
        (TypeRule::Text, Attribute::Word(word) | Attribute::Text(word)) => Some(Value::Text(word.clone())),
        _ => None,
    }
}

impl FieldMap {
    /// The same field at another locator.
    pub fn moved(&self, at: usize) -> Self {
        Self { at, ..self.clone() }
    }

    /// Reads a cell. Where a field has spellings, true-or-false and level cells must be one of them; numbers and texts
    /// may also stand for themselves.
    fn read<'a>(&'a self, cell: Cell<'a>) -> Result<Option<Scalar<'a>>, CellFault> {
        if !self.spellings.is_empty()
            && let Some(text) = cell.written()
        {
            if let Some(value) = self.spellings.get(text) {
                return Ok(Some(value.scalar()));
            }
            if matches!(self.rule, TypeRule::Bool | TypeRule::Level(_)) && !text.is_empty() {
                let known: Vec<&String> = self.spellings.keys().collect();
                return Err(CellFault::new(
                    format!("`{}` is not among the spellings {}", shown(text), listed(&known)),
                    "give every spelling in the results block",
                ));
            }
        }
        match (&self.factor, &self.rule) {
            (Some(factor), TypeRule::Number(rule)) => match read_number(cell)? {
                Some(value) => {
                    let value = value.times(factor);
                    rule.check(&value, true).map(|()| Some(Scalar::Number(value)))
                }
                None => Ok(None),
            },
            _ => self.rule.read(cell),
        }
    }
}
