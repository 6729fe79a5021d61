//! What readers produce: received records and reported estimates, before the plan is joined.

use std::collections::BTreeMap;

pub use crate::plan::Value;

use crate::math::Rational;
use crate::spec::{Name, State};

/// One combination of factor levels, a unit's key and a repeat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Factor to level, for every crossed factor.
    pub levels: BTreeMap<Name, Name>,
    /// The unit's key.
    pub unit: String,
    /// From 1.
    pub repeat: u64,
}

/// One record as it came.
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
    pub records: Vec<ReceivedRecord>,
    /// Reported estimates.
    pub estimates: Vec<ReceivedEstimate>,
    /// Files read: name, SHA-256 in hex, bytes.
    pub files: Vec<(String, String, u64)>,
}
