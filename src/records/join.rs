//! The left join of the plan with the records: every planned unit has a row, and what never came is missing. Owns the
//! joined table, derived outcomes and the refusal of what was not planned; reads no files.

use std::collections::BTreeMap;

use super::error::{Findings, RecordError, RecordErrorKind};
use super::model::{CellKey, Origin, Received, ReceivedEstimate, RecordTable};
use crate::plan::eval::{Bindings, CompiledExpr, Row, Schema, compile};
use crate::plan::typed::nearest;
use crate::plan::{Cell, Column, Plan, PlannedUnit, Scalar, Task, planned};
use crate::spec::{FieldRole, Spec, State, StateClass};
use crate::table::shown;

/// Every planned unit with its state and fields: one place per planned unit in each vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Names and types.
    pub schema: Schema,
    /// The plan; `plan.units` gives the cell of each place.
    pub plan: Plan,
    /// The keys of the tasks, sorted bytewise.
    pub tasks: Vec<String>,
    /// The state of each planned unit; [`State::Missing`] when it never came.
    pub states: Vec<State>,
    /// The columns of `schema.fields`, derived ones included.
    pub columns: Vec<Column>,
    /// The columns of `schema.attributes`, one place per task.
    pub attributes: Vec<Column>,
    /// Where each record came from; the files are `files_seen`.
    pub origins: Vec<Option<Origin>>,
    /// The files that origins name.
    pub files_seen: Vec<String>,
    /// How many records are in each state, superseded and surplus ones included; every state is there.
    pub counts: BTreeMap<State, u64>,
    /// Superseded and surplus records, rendered canonically and sorted; they never count.
    pub aside: Vec<Vec<u8>>,
    /// Reported estimates, sorted by estimand and member.
    pub estimates: Vec<ReceivedEstimate>,
    /// Files read: name, SHA-256 in hex, bytes.
    pub files: Vec<(String, String, u64)>,
}

impl Joined {
    /// How many planned units there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether nothing is planned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The row of a place, for expressions.
    #[must_use]
    pub fn row(&self, at: usize) -> JoinedRow<'_> {
        JoinedRow { joined: self, at }
    }

    /// The column of a field.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.schema.field(name).and_then(|at| self.columns.get(at))
    }

    /// The cell of a place, with names.
    #[must_use]
    pub fn cell(&self, at: usize) -> Option<Cell> {
        let unit = self.plan.units.get(at)?;
        Some(Cell {
            levels: self.plan.levels(unit.arm),
            unit: self.tasks.get(unit.task as usize).cloned().unwrap_or_default(),
            repeat: u64::from(unit.repeat) + 1,
        })
    }

    /// The file and place that a record came from, for messages.
    #[must_use]
    pub fn origin(&self, at: usize) -> Option<String> {
        let origin = self.origins.get(at)?.as_ref()?;
        let file = self.files_seen.get(origin.file as usize).map_or("", String::as_str);
        Some(format!("{file}, {}", origin.place))
    }
}

/// Tables that no file gave: for data drawn from an assumed truth.
impl Joined {
    /// A table in which nothing came: the plan with its tasks' attributes.
    pub fn blank(spec: &Spec, tasks: &[Task], plan: Plan) -> Result<Self, RecordError> {
        let schema = Schema::new(spec);
        let mut findings = Findings::default();
        let attributes = attribute_columns(&schema, tasks, &mut findings);
        let length = plan.units.len();
        let columns = schema.fields.iter().map(|(_, kind)| Column::absent(kind, length)).collect();
        let blank = Self {
            schema,
            plan,
            tasks: tasks.iter().map(|task| task.key.clone()).collect(),
            attributes,
            states: vec![State::Missing; length],
            columns,
            origins: vec![None; length],
            files_seen: Vec::new(),
            counts: BTreeMap::new(),
            aside: Vec::new(),
            estimates: Vec::new(),
            files: Vec::new(),
        };
        findings.first().map_or(Ok(blank), Err)
    }

    /// The same plan with these states and columns, derived fields worked out. One state and one value for each planned record.
    pub fn drawn(&self, spec: &Spec, states: Vec<State>, columns: Vec<Column>) -> Result<Self, RecordError> {
        let mut counts: BTreeMap<State, u64> = State::ALL.iter().map(|state| (*state, 0)).collect();
        for state in &states {
            *counts.entry(*state).or_default() += 1;
        }
        let mut drawn = Self { states, columns, counts, ..self.clone() };
        let mut findings = Findings::default();
        derive(spec, &mut drawn, &mut findings);
        require(spec, &drawn, &mut findings);
        findings.first().map_or(Ok(drawn), Err)
    }
}

impl Joined {
    /// The same records for some of the tasks only; `tasks` are sorted bytewise by key and all in the plan.
    pub fn only(&self, spec: &Spec, tasks: &[Task]) -> Result<Self, RecordError> {
        let plan = planned(spec, tasks).map_err(|errors| {
            let first = errors.into_iter().next();
            let message = first.map_or_else(String::new, |error| error.message);
            RecordError::new(RecordErrorKind::Plan, "the design".to_owned(), message, "plan fewer units")
        })?;
        let old = |task: u32| {
            let key = &tasks.get(task as usize)?.key;
            self.tasks.binary_search(key).ok().and_then(|at| u32::try_from(at).ok())
        };
        let from: Vec<Option<u32>> = plan
            .units
            .iter()
            .map(|unit| {
                self.plan.position(PlannedUnit { task: old(unit.task)?, ..*unit }).and_then(|at| u32::try_from(at).ok())
            })
            .collect();
        let at = |place: &Option<u32>| place.map(|place| place as usize);
        let state =
            |place: &Option<u32>| at(place).and_then(|at| self.states.get(at).copied()).unwrap_or(State::Missing);
        let states: Vec<State> = from.iter().map(state).collect();
        let mut findings = Findings::default();
        let attributes = attribute_columns(&self.schema, tasks, &mut findings);
        let only = Self {
            attributes,
            tasks: tasks.iter().map(|task| task.key.clone()).collect(),
            states,
            columns: self.columns.iter().map(|column| column.clone().gather(&from)).collect(),
            origins: from
                .iter()
                .map(|place| at(place).and_then(|at| self.origins.get(at).cloned().flatten()))
                .collect(),
            plan,
            ..self.clone()
        };
        findings.first().map_or(Ok(only), Err)
    }
}

/// One place of a joined table.
#[derive(Debug, Clone, Copy)]
pub struct JoinedRow<'a> {
    joined: &'a Joined,
    at: usize,
}

impl JoinedRow<'_> {
    /// The place.
    #[must_use]
    pub fn place(&self) -> usize {
        self.at
    }

    fn unit(&self) -> Option<PlannedUnit> {
        self.joined.plan.units.get(self.at).copied()
    }
}

impl Row for JoinedRow<'_> {
    fn attribute(&self, at: usize) -> Option<Scalar<'_>> {
        self.joined.attributes.get(at)?.get(self.unit()?.task as usize)
    }

    fn field(&self, at: usize) -> Option<Scalar<'_>> {
        self.joined.columns.get(at)?.get(self.at)
    }

    fn level(&self, factor: usize) -> Option<u16> {
        self.joined.plan.level(self.unit()?.arm, factor)
    }

    fn state(&self) -> Option<StateClass> {
        self.joined.states.get(self.at).and_then(|state| state.class())
    }

    fn elsewhere(&self, levels: &[(usize, u16)]) -> Option<Self> {
        let plan = &self.joined.plan;
        let unit = self.unit()?;
        let arm = levels.iter().try_fold(unit.arm, |arm, (factor, level)| plan.with_level(arm, *factor, *level))?;
        plan.position(PlannedUnit { arm, ..unit }).map(|at| Self { joined: self.joined, at })
    }
}

/// Joins the plan with what came. Unplanned units, results for excluded cells and completed records without a required
/// value are refused.
pub fn join(spec: &Spec, tasks: &[Task], received: Received) -> Result<Joined, Vec<RecordError>> {
    let plan = planned(spec, tasks).map_err(|errors| {
        let each = errors.into_iter().map(|e| RecordError::new(RecordErrorKind::Plan, e.place, e.message, e.help));
        each.collect::<Vec<_>>()
    })?;
    let Received { records, mut estimates, files } = received;
    let mut findings = Findings::default();
    let mut counts: BTreeMap<State, u64> = State::ALL.iter().map(|state| (*state, 0)).collect();
    let mut count = |state: State| *counts.entry(state).or_default() += 1;
    let mut aside = Vec::new();
    let from = place_records(&records, &plan, tasks, &mut findings, &mut |at, state| {
        count(state);
        aside.push(super::digest::aside_row(&records, at));
    });
    aside.sort();
    let states: Vec<State> = from
        .iter()
        .map(|at| at.and_then(|at| records.states.get(at as usize).copied()).unwrap_or(State::Missing))
        .collect();
    for state in &states {
        count(*state);
    }
    let RecordTable { schema, columns, mut origins, files: files_seen, .. } = records;
    // A table that was made without a study's schema (nothing was read) has no columns yet.
    let (schema, columns) = if columns.is_empty() {
        let schema = Schema::new(spec);
        let columns = schema.fields.iter().map(|(_, kind)| Column::absent(kind, 0)).collect();
        (schema, columns)
    } else {
        (schema, columns)
    };
    let columns = columns.into_iter().map(|column| column.gather(&from)).collect();
    let mut place_of = |at: u32| {
        let origin = origins.get_mut(at as usize)?;
        Some(std::mem::replace(origin, Origin { file: 0, place: super::model::Place::Row(0) }))
    };
    let origins = from.iter().map(|at| at.and_then(&mut place_of)).collect();
    estimates.sort_by(|a, b| (&a.estimand, &a.member).cmp(&(&b.estimand, &b.member)));
    for pair in estimates.windows(2) {
        if let [a, b] = pair
            && (&a.estimand, &a.member) == (&b.estimand, &b.member)
        {
            findings.add(RecordError::new(
                RecordErrorKind::DuplicateCell,
                b.origin.clone(),
                format!("a second estimate of `{}` for the same member; the first is at {}", b.estimand, a.origin),
                "let one block report it",
            ));
        }
    }
    let mut joined = Joined {
        attributes: attribute_columns(&schema, tasks, &mut findings),
        schema,
        plan,
        tasks: tasks.iter().map(|task| task.key.clone()).collect(),
        states,
        columns,
        origins,
        files_seen,
        counts,
        aside,
        estimates,
        files,
    };
    derive(spec, &mut joined, &mut findings);
    require(spec, &joined, &mut findings);
    if findings.is_empty() { Ok(joined) } else { Err(findings.finish()) }
}

/// For every planned unit the place of its record.
fn place_records(
    records: &RecordTable,
    plan: &Plan,
    tasks: &[Task],
    findings: &mut Findings,
    set_aside: &mut dyn FnMut(usize, State),
) -> Vec<Option<u32>> {
    let find = |key: &str| tasks.binary_search_by(|task| task.key.as_str().cmp(key)).ok();
    let known: Vec<Option<u32>> =
        records.units.iter().map(|unit| find(unit).and_then(|at| u32::try_from(at).ok())).collect();
    for (unit, file) in &records.named_units {
        if known.get(*unit as usize).copied().flatten().is_none() {
            let key = records.units.get(*unit as usize).map_or("", |unit| unit);
            findings.add(RecordError::new(
                RecordErrorKind::ExtraFile,
                records.files.get(*file as usize).cloned().unwrap_or_default(),
                format!("the file is named after the unit `{}`, which was not planned", shown(key)),
                "remove the file, or register a study that plans the unit",
            ));
        }
    }
    let mut from = vec![None; plan.units.len()];
    for (at, key) in records.keys.iter().enumerate() {
        let state = records.states.get(at).copied().unwrap_or(State::Missing);
        if state.class().is_none() {
            set_aside(at, state);
            continue;
        }
        let task = known.get(key.unit as usize).copied().flatten();
        let unit = task.and_then(|task| key.repeat.checked_sub(1).map(|repeat| (task, repeat)));
        let unit = unit.map(|(task, repeat)| PlannedUnit { arm: key.arm, task, repeat });
        match unit.and_then(|unit| plan.position(unit)) {
            Some(position) => {
                if let Some(place) = from.get_mut(position) {
                    *place = u32::try_from(at).ok();
                }
            }
            None => findings_for(records, plan, tasks, *key, at, unit, findings),
        }
    }
    from
}

fn findings_for(
    records: &RecordTable,
    plan: &Plan,
    tasks: &[Task],
    key: CellKey,
    at: usize,
    unit: Option<PlannedUnit>,
    findings: &mut Findings,
) {
    let inside = unit.filter(|unit| unit.repeat < plan.repeat);
    if inside.is_some() && !records.has_values(at) {
        return; // an excluded cell that a wide file leaves empty
    }
    let place = records.origins.get(at).map(|origin| records.origin(origin)).unwrap_or_default();
    let cell = records.cell_text(key);
    findings.add(if inside.is_some() {
        RecordError::new(
            RecordErrorKind::Excluded,
            place,
            format!("there are results for {cell}, which the design excludes"),
            "leave the cell empty in the file, or register a study that runs it",
        )
    } else if unit.is_some() || key.repeat == 0 {
        RecordError::new(
            RecordErrorKind::Unplanned,
            place,
            format!("{cell} was not planned: repeats go from 1 to {}", plan.repeat),
            "remove the surplus record, or mark it with a state `surplus` or `superseded`",
        )
    } else {
        let name = records.units.get(key.unit as usize).map_or("", |unit| unit);
        let guess = if findings.is_full() { None } else { nearest(tasks.iter().map(|task| &task.key), name) };
        let help = match guess {
            Some(guess) => format!("did you mean `{}`? Otherwise remove it", shown(guess)),
            None => "remove it, or check that the unit's column and the task file's key are the same".to_owned(),
        };
        let message = format!("{cell} was not planned: no unit has this key");
        RecordError::new(RecordErrorKind::Unplanned, place, message, help)
    });
}

fn attribute_columns(schema: &Schema, tasks: &[Task], findings: &mut Findings) -> Vec<Column> {
    let column = |(name, kind): &(String, crate::spec::ValueType)| {
        let mut column = Column::absent(kind, tasks.len());
        for (at, task) in tasks.iter().enumerate() {
            if let Some(value) = task.attributes.get(name)
                && !column.set(at, &value.scalar())
            {
                findings.add(RecordError::new(
                    RecordErrorKind::BadValue,
                    format!("task `{}`", shown(&task.key)),
                    format!("`{name}` is not of its declared type"),
                    "give a value of the declared type",
                ));
            }
        }
        column
    };
    schema.attributes.iter().map(column).collect()
}

/// Computes derived outcomes, each after those it reads. A derived outcome is absent on a record that is missing, and
/// where a required outcome that it reads is absent; absent optional ones follow the rule of comparisons.
fn derive(spec: &Spec, joined: &mut Joined, findings: &mut Findings) {
    let mut waiting: BTreeMap<usize, CompiledExpr> = BTreeMap::new();
    for (at, (name, _)) in joined.schema.fields.iter().enumerate() {
        let Some(expr) = spec.fields.get(name).and_then(|field| field.derived.as_ref()) else { continue };
        match compile(expr, &joined.schema, &Bindings::new()) {
            Ok(expr) => {
                waiting.insert(at, expr);
            }
            Err(error) => findings.add(not_derivable(name, &error.to_string())),
        }
    }
    let required: Vec<bool> = joined
        .schema
        .fields
        .iter()
        .map(|(name, _)| spec.fields.get(name).is_some_and(|field| !field.optional && field.role == FieldRole::Outcome))
        .collect();
    while !waiting.is_empty() {
        let next = waiting.iter().find(|(_, expr)| expr.reads().iter().all(|read| !waiting.contains_key(read)));
        let Some((at, expr)) = next.map(|(at, _)| *at).and_then(|at| waiting.remove_entry(&at)) else {
            let names = waiting.keys().filter_map(|at| joined.schema.fields.get(*at));
            for (name, _) in names {
                findings.add(not_derivable(name, "it is derived from itself"));
            }
            return;
        };
        let Some((name, kind)) = joined.schema.fields.get(at) else { continue };
        let needed: Vec<usize> = expr.reads().into_iter().filter(|read| required.get(*read) == Some(&true)).collect();
        let mut column = Column::absent(kind, joined.len());
        let mut fits = true;
        for place in 0..joined.len() {
            let missing = joined.states.get(place) == Some(&State::Missing);
            let lacks = |read: &usize| joined.columns.get(*read).is_none_or(|column| !column.is_present(place));
            if missing || needed.iter().any(lacks) {
                continue;
            }
            let row = joined.row(place);
            fits &= match &mut column {
                Column::Bool(_) => column.set(place, &Scalar::Bool(expr.truth(&row))),
                Column::Number(_) => expr.number(&row).is_none_or(|value| column.set(place, &Scalar::Number(value))),
                Column::Level { .. } | Column::Text(_) => {
                    expr.value(&row).is_none_or(|value| column.set(place, &value.scalar()))
                }
            };
        }
        if !fits {
            findings.add(not_derivable(name, "its expression gives another type than it declares"));
        }
        if let Some(slot) = joined.columns.get_mut(at) {
            *slot = column;
        }
    }
}

fn not_derivable(name: &str, what: &str) -> RecordError {
    RecordError::new(
        RecordErrorKind::Plan,
        format!("outcome `{name}`"),
        what.to_owned(),
        "derive it from outcomes that the results hold",
    )
}

/// Refuses completed records that lack a required outcome. A flag that a file leaves empty is not raised.
fn require(spec: &Spec, joined: &Joined, findings: &mut Findings) {
    for ((name, _), column) in joined.schema.fields.iter().zip(&joined.columns) {
        let Some(field) = spec.fields.get(name) else { continue };
        if field.optional || field.derived.is_some() || field.role == FieldRole::Flag {
            continue;
        }
        for (at, state) in joined.states.iter().enumerate() {
            if state.class() != Some(StateClass::Completed) || column.is_present(at) {
                continue;
            }
            if findings.is_full() {
                findings.add(RecordError::new(RecordErrorKind::MissingValue, "", "", ""));
                continue;
            }
            let cell = joined.cell(at).map(|cell| cell_text(&cell)).unwrap_or_default();
            findings.add(RecordError::new(
                RecordErrorKind::MissingValue,
                joined.origin(at).unwrap_or_default(),
                format!("`{name}` has no value in {cell}, whose state is `{}`", state.word()),
                "map the state that says why it is absent, or declare the outcome `optional`",
            ));
        }
    }
}

fn cell_text(cell: &Cell) -> String {
    let mut parts: Vec<String> = cell.levels.iter().map(|(factor, level)| format!("{factor} {level}")).collect();
    parts.push(format!("unit `{}`", shown(&cell.unit)));
    parts.push(format!("repeat {}", cell.repeat));
    parts.join(", ")
}
