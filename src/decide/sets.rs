//! Analysis sets: from planned records to the denominator. Owns the order of operations: states, flags, `drop`, `keep` on what
//! remains, `count … as`, denominator; and the counts of every step. It must not look at any estimand.

use std::collections::BTreeMap;

use super::Refusal;
use super::frame::{Frame, Place, Row, is_outcome};
use super::judgment::Flow;
use super::row::{Datum, Names, RowExpr, evaluate, resolve};
use crate::spec::{AnalysisSet, CountAs, Fill, Keep, Name, Pool, Spec, State, StateClass, ValueType};

/// How many units a refusal names.
const SHOWN_UNITS: usize = 5;

/// What an absent outcome may be counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Imputed {
    /// Flags, levels and texts keep what was recorded.
    #[default]
    Never,
    /// A true-or-false outcome.
    Truth,
    /// A number.
    Number,
}

/// What became of a planned record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It counts as recorded.
    Counted,
    /// It counts, under the policy of its class.
    Imputed(StateClass),
    Dropped,
    NotKept,
    Excluded,
    /// Missing in a partial judgment, where no policy is declared.
    LetThrough,
}

/// The planned records seen through one analysis set.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub frame: &'a Frame<'a>,
    pub set: AnalysisSet,
    fates: Vec<Fate>,
    /// By field of the frame.
    pub outcomes: Vec<Imputed>,
    /// By field: how a derived one is computed.
    pub derived: Vec<Option<RowExpr>>,
    /// By unit: whether the set's `keep` left it in.
    kept: Vec<bool>,
}

impl<'a> View<'a> {
    /// Applies a set. Fails when a class of states occurs that the set says nothing of.
    pub fn new(frame: &'a Frame<'a>, name: &str, set: &AnalysisSet, partial: bool) -> Result<Self, Refusal> {
        let fields = || frame.schema().fields.iter().map(|(field, _)| field);
        let derive = |field: &Name| {
            let expr = frame.spec.fields.get(field).and_then(|field| field.derived.as_ref());
            expr.map(|expr| resolve(frame, &Names::default(), expr)).transpose()
        };
        let derived: Result<Vec<Option<RowExpr>>, String> = fields().map(derive).collect();
        let derived =
            derived.map_err(|reason| Refusal::new(format!("a derived outcome cannot be computed: {reason}")))?;
        let outcomes = fields().map(|field| imputed(frame.spec, field)).collect();
        let mut view = View {
            frame,
            set: set.clone(),
            fates: vec![Fate::Counted; frame.rows.len()],
            outcomes,
            derived,
            kept: vec![true; frame.units()],
        };
        view.drop(name)?;
        view.keep();
        view.count(name, partial)?;
        Ok(view)
    }

    fn drop(&mut self, name: &str) -> Result<(), Refusal> {
        let resolved: Result<Vec<RowExpr>, String> =
            self.set.drops.iter().map(|expr| resolve(self.frame, &Names::default(), expr)).collect();
        let drops =
            resolved.map_err(|reason| Refusal::new(format!("the analysis set {name} cannot be applied: {reason}")))?;
        let dropped: Vec<bool> = self
            .frame
            .rows
            .iter()
            .map(|row| drops.iter().any(|expr| evaluate(expr, self, row.place) == Datum::Bool(true)))
            .collect();
        for (fate, dropped) in self.fates.iter_mut().zip(dropped) {
            if dropped {
                *fate = Fate::Dropped;
            }
        }
        Ok(())
    }

    fn keep(&mut self) {
        for keep in &self.set.keeps {
            let whole = units_kept(self.frame, &self.fates, keep);
            for (kept, whole) in self.kept.iter_mut().zip(whole) {
                *kept &= whole;
            }
        }
        for (row, fate) in self.frame.rows.iter().zip(&mut self.fates) {
            let kept = self.kept.get(row.unit as usize).copied().unwrap_or_default();
            if !kept && *fate != Fate::Dropped {
                *fate = Fate::NotKept;
            }
        }
    }

    fn count(&mut self, name: &str, partial: bool) -> Result<(), Refusal> {
        let mut undeclared: BTreeMap<StateClass, (u64, &str, Vec<String>)> = BTreeMap::new();
        for (row, fate) in self.frame.rows.iter().zip(&mut self.fates) {
            let Some(class) = row.state.class() else {
                *fate = Fate::Excluded;
                continue;
            };
            if *fate != Fate::Counted {
                continue;
            }
            *fate = match (self.set.counts.get(&class), class) {
                (Some(CountAs::Excluded), _) => Fate::Excluded,
                (Some(CountAs::Incorrect | CountAs::Value(_)), _) => Fate::Imputed(class),
                (None, StateClass::Completed) => Fate::Counted,
                (None, StateClass::Missing) if partial => Fate::LetThrough,
                (None, StateClass::Errored | StateClass::Missing) => {
                    let found = undeclared.entry(class).or_insert((0, row.state.word(), Vec::new()));
                    found.0 += 1;
                    if found.2.len() < SHOWN_UNITS
                        && let Some(task) = self.frame.task(row.unit)
                        && !found.2.contains(&task.key)
                    {
                        found.2.push(task.key.clone());
                    }
                    continue;
                }
            };
        }
        match undeclared.into_iter().next() {
            None => Ok(()),
            Some((class, (count, state, units))) => Err(Refusal::undeclared(name, class, count, state, &units)),
        }
    }

    /// The record at a place, when it counts.
    pub fn counted_row(&self, place: Place) -> Option<usize> {
        self.frame.row_at(place).filter(|row| self.counts(*row))
    }

    /// Whether a record counts.
    pub fn counts(&self, row: usize) -> bool {
        matches!(self.fates.get(row), Some(Fate::Counted | Fate::Imputed(_)))
    }

    /// Whether a record of the plan may be resampled: its unit was kept.
    pub fn in_plan(&self, unit: u32) -> bool {
        self.kept.get(unit as usize).copied().unwrap_or_default()
    }

    /// Whether only units with records left are resampled.
    pub fn present_only(&self) -> bool {
        self.set.pool == Pool::Present
    }

    /// The policy under which a record counts, other than as recorded.
    pub fn policy(&self, row: usize) -> Option<&CountAs> {
        match self.fates.get(row) {
            Some(Fate::Imputed(class)) => self.set.counts.get(class),
            _ => None,
        }
    }

    /// What stands for a number that a record of this class did not record.
    pub fn fill(&self, row: usize, field: usize) -> Option<&Fill> {
        let Some(Fate::Imputed(class)) = self.fates.get(row) else { return None };
        let (name, _) = self.frame.schema().fields.get(field)?;
        self.set.fills.get(class)?.get(name)
    }

    /// The counts of every step. `counts` are those of all records, replaced and unplanned ones included.
    pub fn flow(&self, name: &str, counts: &BTreeMap<State, u64>) -> Flow {
        let rows = &self.frame.rows;
        let states = State::ALL.iter().filter_map(|state| Some((state.word(), *counts.get(state)?)));
        let of = |wanted: &dyn Fn(&Fate) -> bool| self.fates.iter().filter(|fate| wanted(fate)).count() as u64;
        let mut units = vec![false; self.frame.units()];
        let mut planned = vec![false; self.frame.units()];
        for (row, record) in rows.iter().enumerate() {
            for (flags, on) in [(&mut planned, true), (&mut units, self.counts(row))] {
                if let Some(slot) = flags.get_mut(record.unit as usize) {
                    *slot |= on;
                }
            }
        }
        let count = |flags: &[bool]| flags.iter().filter(|on| **on).count() as u64;
        Flow {
            set: name.to_owned(),
            planned: rows.len() as u64,
            states: states.filter(|(_, count)| *count > 0).collect(),
            dropped: of(&|fate| *fate == Fate::Dropped),
            not_kept: of(&|fate| *fate == Fate::NotKept),
            excluded: of(&|fate| matches!(fate, Fate::Excluded | Fate::LetThrough)),
            imputed: of(&|fate| matches!(fate, Fate::Imputed(_))),
            counted: of(&|fate| matches!(fate, Fate::Counted | Fate::Imputed(_))),
            units: (count(&units), count(&planned)),
            arms: self.arms(),
        }
    }

    fn arms(&self) -> Vec<(String, [u64; 5])> {
        let axes = self.frame.axes.len();
        let mut arms: BTreeMap<Vec<u64>, [u64; 5]> = BTreeMap::new();
        for (row, record) in self.frame.rows.iter().enumerate() {
            let arm = (0..axes).filter_map(|axis| self.frame.level(record.place, axis)).collect();
            let [planned, completed, errored, missing, counted] = arms.entry(arm).or_default();
            *planned += 1;
            match record.state.class() {
                Some(StateClass::Completed) => *completed += 1,
                Some(StateClass::Errored) => *errored += 1,
                Some(StateClass::Missing) => *missing += 1,
                None => {}
            }
            *counted += u64::from(self.counts(row));
        }
        let name = |arm: &[u64]| {
            let level = |(axis, level): (&super::frame::Axis, &u64)| {
                usize::try_from(*level).ok().and_then(|level| axis.levels.get(level)).cloned().unwrap_or_default()
            };
            self.frame.axes.iter().zip(arm).map(level).collect::<Vec<_>>().join(" / ")
        };
        arms.into_iter().map(|(arm, counts)| (name(&arm), counts)).collect()
    }
}

/// By unit, whether every planned combination of the factors has enough records of the class among those not dropped.
fn units_kept(frame: &Frame<'_>, fates: &[Fate], keep: &Keep) -> Vec<bool> {
    let axes: Vec<usize> = keep.every.iter().filter_map(|factor| frame.axis(factor)).collect();
    let mut found: BTreeMap<(u32, Vec<u64>), u64> = BTreeMap::new();
    for (row, fate) in frame.rows.iter().zip(fates) {
        let combination = axes.iter().filter_map(|axis| frame.level(row.place, *axis)).collect();
        let counts = matches(row, keep) && *fate != Fate::Dropped;
        *found.entry((row.unit, combination)).or_default() += u64::from(counts);
    }
    let mut kept = vec![true; frame.units()];
    for ((unit, _), count) in found {
        if let Some(slot) = kept.get_mut(unit as usize) {
            *slot &= count >= keep.count;
        }
    }
    kept
}

fn matches(row: &Row, keep: &Keep) -> bool {
    row.state.class() == Some(keep.state)
}

fn imputed(spec: &Spec, field: &Name) -> Imputed {
    match spec.fields.get(field).map(|field| &field.kind) {
        Some(ValueType::Bool) if is_outcome(spec, field) => Imputed::Truth,
        Some(ValueType::Number(_)) if is_outcome(spec, field) => Imputed::Number,
        _ => Imputed::Never,
    }
}
