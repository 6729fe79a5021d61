//! The planned units: what should have been run, from the frozen study and its task file alone. The plan gives the
//! denominator, never the data.

pub mod column;
pub mod eval;
pub mod tasks;
pub mod typed;
pub mod units;

pub use column::{Column, Scalar};
pub use eval::{Bindings, CompiledExpr, ExprError, Row, Schema};
pub use tasks::read_tasks;
pub use units::{Cell, Plan, PlannedUnit, planned};

use std::collections::BTreeMap;
use std::fmt;

use crate::diagnostic::Code;
use crate::math::Rational;
use crate::spec::Name;

/// A task with its attributes, after `define`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its key.
    pub key: String,
    /// Attributes that have a value.
    pub attributes: BTreeMap<Name, Value>,
}

/// A value of a field or of a task attribute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// An exact number in the base unit: the decimal as written in the file, never a rounded float.
    Number(Rational),
    /// A level.
    Level(Name),
    /// A text.
    Text(String),
}

/// What kind of defect keeps a plan from being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanErrorKind {
    /// The study names a task file and its bytes were not given.
    NoFile,
    /// The file is no table or document.
    Unreadable,
    /// A column or path that does not exist.
    MissingColumn,
    /// Two tasks share a key, or a task has none.
    BadKey,
    /// An attribute has a value of the wrong type, or none where one is required.
    BadValue,
    /// The number of tasks differs from the number expected.
    CountMismatch,
    /// A condition cannot be evaluated over tasks and factors.
    BadExpression,
    /// More tasks or units than the tool plans.
    TooLarge,
}

/// Why a plan cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    /// The kind of defect.
    pub kind: PlanErrorKind,
    /// Where: the file with its row, or the part of the study.
    pub place: String,
    /// What is wrong; lower case, user text in back-quotes.
    pub message: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub help: String,
}

impl PlanError {
    pub(crate) fn new(
        kind: PlanErrorKind,
        place: impl Into<String>,
        message: impl Into<String>,
        why: &'static str,
        help: impl Into<String>,
    ) -> Self {
        Self { kind, place: place.into(), message: message.into(), why, help: help.into() }
    }

    /// The diagnostic code that this is reported under.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self.kind {
            PlanErrorKind::CountMismatch => Code::CountMismatch,
            PlanErrorKind::TooLarge | PlanErrorKind::BadExpression => Code::BadDesign,
            PlanErrorKind::NoFile
            | PlanErrorKind::Unreadable
            | PlanErrorKind::MissingColumn
            | PlanErrorKind::BadKey
            | PlanErrorKind::BadValue => Code::BadInput,
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}. {}. {}", self.place, self.message, self.why, self.help)
    }
}

impl std::error::Error for PlanError {}
