//! From records to verdicts, from the outside: a study as text, records made by hand, and the judgment.

mod compare;
mod compare_gaia;
mod estimands;
mod functions;
mod gaia;
mod looks;
mod methods;
mod records;
mod rules;
mod together;

use std::collections::BTreeMap;

use prespec::check::analyse;
use prespec::decide::judgment::{EstimandResult, HypothesisVerdict, Judgment, Number, Outcome};
use prespec::decide::{Options, Refusal, judge};
use prespec::math::exact;
use prespec::plan::tasks::read_tasks;
use prespec::plan::{Cell, Task, Value};
use prespec::records::{Received, ReceivedEstimate, ReceivedRecord, RecordTable, join};
use prespec::spec::{Spec, State};

/// The study that a text declares; fails with its diagnostics.
#[track_caller]
pub fn study(text: &str) -> Spec {
    let analysis = analyse("study.prespec", text, &mut |path| Err(format!("{path} is not there")));
    let found: Vec<String> = analysis.diagnostics.iter().map(|d| format!("{d:?}")).collect();
    analysis.spec.unwrap_or_else(|| panic!("{}", found.join("\n")))
}

/// The tasks of a study that names or counts them.
#[track_caller]
pub fn tasks(spec: &Spec, bytes: Option<&[u8]>) -> Vec<Task> {
    spec.tasks.as_ref().map_or_else(Vec::new, |tasks| read_tasks(tasks, bytes).unwrap())
}

/// A record: unit, levels, repeat, state, fields as text.
pub fn record(
    unit: &str,
    levels: &[(&str, &str)],
    repeat: u64,
    state: State,
    fields: &[(&str, Value)],
) -> ReceivedRecord {
    let own = |(name, level): &(&str, &str)| ((*name).to_owned(), (*level).to_owned());
    ReceivedRecord {
        cell: Cell { levels: levels.iter().map(own).collect(), unit: unit.to_owned(), repeat },
        state,
        fields: fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        origin: format!("{unit} {levels:?} {repeat}"),
    }
}

/// A number as a value.
#[track_caller]
pub fn number(text: &str) -> Value {
    Value::Number(exact::parse(text).unwrap())
}

/// Judges with two threads.
pub fn judged(
    spec: &Spec,
    tasks: &[Task],
    records: Vec<ReceivedRecord>,
    estimates: Vec<ReceivedEstimate>,
) -> Result<Judgment, Refusal> {
    judged_with(spec, tasks, records, estimates, &Options { workers: 2, ..Options::default() })
}

/// Judges with options.
#[track_caller]
pub fn judged_with(
    spec: &Spec,
    tasks: &[Task],
    records: Vec<ReceivedRecord>,
    estimates: Vec<ReceivedEstimate>,
    options: &Options,
) -> Result<Judgment, Refusal> {
    let table = RecordTable::from_records(spec, records).unwrap();
    let received = Received { records: table, estimates, files: Vec::new() };
    let joined = join(spec, tasks, received).unwrap();
    judge(spec, tasks, &joined, options)
}

/// A hypothesis of a judgment.
#[track_caller]
pub fn hypothesis<'j>(judgment: &'j Judgment, name: &str) -> &'j HypothesisVerdict {
    judgment.hypotheses.iter().find(|hypothesis| hypothesis.name == name).unwrap()
}

/// The headline verdict of a hypothesis.
#[track_caller]
pub fn outcome<'j>(judgment: &'j Judgment, name: &str) -> &'j Outcome {
    hypothesis(judgment, name).sets[0].outcome.as_ref().unwrap()
}

/// The estimate, which must be exact, in its canonical spelling.
#[track_caller]
pub fn exactly(result: &EstimandResult) -> String {
    match result.estimate.as_ref().unwrap() {
        Number::Exact(value) => exact::canonical(value),
        Number::Float(value) => panic!("{value} is not exact"),
    }
}

/// Factor to level.
pub fn member(levels: &[(&str, &str)]) -> BTreeMap<String, String> {
    levels.iter().map(|(factor, level)| ((*factor).to_owned(), (*level).to_owned())).collect()
}
