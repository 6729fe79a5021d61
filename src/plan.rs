//! The planned units: what should have been run, from the frozen study and its task file alone. The plan gives the
//! denominator, never the data.

use std::collections::BTreeMap;

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
