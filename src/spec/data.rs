//! Units, fields, record states and analysis sets.

use std::collections::BTreeMap;

use super::{Name, NumberType, Quantity, RecordExpr};

/// The type of a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueType {
    /// True or false.
    Bool,
    /// A number.
    Number(NumberType),
    /// One of these, in the order declared.
    Level(Vec<Name>),
    /// Free text.
    Text,
}

/// A file of the study, relative to the spec's folder. Its digest is taken when the study is frozen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputFile {
    /// The path as written, with `/`.
    pub path: String,
    /// Its SHA-256 in hex and its size in bytes; absent until the bytes were read.
    pub digest: Option<(String, u64)>,
}

/// Where the units of analysis come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskSource {
    /// A CSV, JSON or JSONL file of the study, with the column that names a task.
    File {
        /// The file.
        file: InputFile,
        /// The column or JSON path of the key.
        key: String,
    },
    /// Units numbered `1` to n.
    Count(u64),
    /// Units named in the spec.
    List(Vec<Name>),
}

/// The units of analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tasks {
    /// What a unit is called: `task`, `question`, `seed`.
    pub name: Name,
    /// Where they come from.
    pub source: TaskSource,
    /// Attributes read from the file: type, optional, column or path.
    pub attributes: BTreeMap<Name, TaskAttribute>,
    /// Attributes defined from others.
    pub defines: BTreeMap<Name, Derived>,
    /// Expected counts.
    pub expectations: Vec<TaskExpectation>,
    /// Which tasks of the file are planned; all when absent.
    pub select: Option<RecordExpr>,
    /// Where the tasks come from, in words.
    pub provenance: Option<String>,
}

/// An attribute of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskAttribute {
    /// Its type.
    pub kind: ValueType,
    /// Whether it may be absent.
    pub optional: bool,
    /// The column or path.
    pub from: String,
}

/// A value computed from others of the same record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// Its type.
    pub kind: ValueType,
    /// How.
    pub expr: RecordExpr,
}

/// `expect 53 where level == 1`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskExpectation {
    /// How many.
    pub count: u64,
    /// Of which; all when absent.
    pub filter: Option<RecordExpr>,
}

/// What a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldRole {
    /// What is measured.
    Outcome,
    /// A mark on a record, always true or false.
    Flag,
}

/// An outcome or a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Outcome or flag.
    pub role: FieldRole,
    /// Its type.
    pub kind: ValueType,
    /// Whether it may be absent on a scored record.
    pub optional: bool,
    /// Scorer, usage, …: kind, name, version; empty strings where not given.
    pub source: Option<(Name, Name, String)>,
    /// How it is derived from other fields; absent when it is read.
    pub derived: Option<RecordExpr>,
    /// What a flag marks.
    pub text: Option<String>,
}

/// The state of one planned or received record; a closed list shared by every importer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// A score was given.
    Scored,
    /// The scorer gave no score.
    Unscored,
    /// No scorer ran.
    ScorerAbsent,
    /// The run failed.
    Errored,
    /// The run failed and was scored all the same.
    ErroredButScored,
    /// A declared limit ended the run; it was scored.
    Limited,
    /// The context window overflowed.
    ContextOverflow,
    /// The model refused.
    Refusal,
    /// Stopped from outside.
    Cancelled,
    /// Every retry of the infrastructure failed.
    InfrastructureExhausted,
    /// Planned and never came.
    Missing,
    /// Marked invalid by its source.
    Invalidated,
    /// Its score was changed after the run.
    Edited,
    /// Replaced by a later attempt.
    Superseded,
    /// Never planned.
    Surplus,
}

/// What an analysis set speaks of: classes of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateClass {
    /// The unit ran to an outcome.
    Completed,
    /// The unit failed.
    Errored,
    /// There is no usable record.
    Missing,
}

impl State {
    /// Every state, in the order of the reference.
    pub const ALL: [Self; 15] = [
        Self::Scored,
        Self::Unscored,
        Self::ScorerAbsent,
        Self::Errored,
        Self::ErroredButScored,
        Self::Limited,
        Self::ContextOverflow,
        Self::Refusal,
        Self::Cancelled,
        Self::InfrastructureExhausted,
        Self::Missing,
        Self::Invalidated,
        Self::Edited,
        Self::Superseded,
        Self::Surplus,
    ];

    /// The word used in specs, files and documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Scored => "scored",
            Self::Unscored => "unscored",
            Self::ScorerAbsent => "scorer_absent",
            Self::Errored => "errored",
            Self::ErroredButScored => "errored_but_scored",
            Self::Limited => "limited",
            Self::ContextOverflow => "context_overflow",
            Self::Refusal => "refusal",
            Self::Cancelled => "cancelled",
            Self::InfrastructureExhausted => "infrastructure_exhausted",
            Self::Missing => "missing",
            Self::Invalidated => "invalidated",
            Self::Edited => "edited",
            Self::Superseded => "superseded",
            Self::Surplus => "surplus",
        }
    }

    /// The state with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// The class that analysis sets speak of; none for records that never count.
    #[must_use]
    pub const fn class(self) -> Option<StateClass> {
        match self {
            Self::Scored | Self::Edited | Self::Limited | Self::ContextOverflow | Self::Refusal => {
                Some(StateClass::Completed)
            }
            Self::Errored | Self::ErroredButScored | Self::Unscored | Self::ScorerAbsent => Some(StateClass::Errored),
            Self::Missing | Self::Cancelled | Self::InfrastructureExhausted | Self::Invalidated => {
                Some(StateClass::Missing)
            }
            Self::Superseded | Self::Surplus => None,
        }
    }
}

/// What an analysis set makes of a class of states.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CountAs {
    /// Every true-or-false outcome is false; a number keeps what was recorded, or takes its [`Fill`] when nothing was.
    Incorrect,
    /// Out of the denominator.
    Excluded,
    /// Every outcome that is absent takes this value.
    Value(Quantity),
}

/// What stands for a number that was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fill {
    /// Nothing: statistics of it leave the record out.
    Absent,
    /// This value.
    Value(Quantity),
}

/// Which clusters are resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Pool {
    /// Every planned unit that the filter allows.
    #[default]
    Planned,
    /// Only units with at least one record left.
    Present,
}

/// `keep task where every(model, scaffold) has 1 completed`: units are kept whole or dropped whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Keep {
    /// The factors whose every combination is asked for.
    pub every: Vec<Name>,
    /// How many records each needs.
    pub count: u64,
    /// In which class of states.
    pub state: StateClass,
}

/// Who counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnalysisSet {
    /// Records that are dropped.
    pub drops: Vec<RecordExpr>,
    /// Units that are kept, decided on what remains.
    pub keeps: Vec<Keep>,
    /// What becomes of errored and missing records; a class that is not here refuses the judgment when it occurs.
    pub counts: BTreeMap<StateClass, CountAs>,
    /// What a number is in a record that counts as incorrect and did not record it.
    pub fills: BTreeMap<StateClass, BTreeMap<Name, Fill>>,
    /// Which clusters are resampled.
    pub pool: Pool,
}
