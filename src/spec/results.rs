//! How result files map onto records; part of the commitment.

use std::collections::{BTreeMap, BTreeSet};

use super::{Attribute, Name, Quantity, State};
use crate::math::Rational;

/// The format of a result file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileFormat {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// One JSON document.
    Json,
}

/// A `results` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsBlock {
    /// The file's relative path; `{name}` stands for a level of a factor or the key of a unit.
    pub file: String,
    /// One file for every combination of these, in the order written.
    pub for_every: Vec<Name>,
    /// Its format.
    pub format: FileFormat,
    /// Records or reported estimates.
    pub shape: ResultsShape,
}

/// What a block holds.
#[expect(clippy::large_enum_variant, reason = "a study has few blocks, and nearly all hold records")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultsShape {
    /// Records.
    Records {
        /// Where the unit's key stands; absent when the file's name or the record path gives it.
        unit: Option<UnitAt>,
        /// Where each factor's level stands, for those that neither the path nor a header gives.
        levels: BTreeMap<Name, LevelMapping>,
        /// Where the repeat stands, from 1; absent when the design repeats once.
        repeat: Option<String>,
        /// Where the records stand in a JSON document: the names that the path gives, and the path.
        records: Option<(Vec<Name>, String)>,
        /// Where each field stands.
        fields: BTreeMap<Name, FieldMapping>,
        /// Wide columns: header pattern to field.
        columns: BTreeMap<String, Name>,
        /// Where the state stands and how it is spelled; every record is `scored` when absent.
        state: Option<(String, BTreeMap<String, State>)>,
        /// Counts instead of rows: column of successes, column of trials, outcome.
        successes: Option<(String, String, Name)>,
        /// Texts that mean that there is no value.
        absent: BTreeSet<String>,
    },
    /// Estimates that are taken as they stand.
    Reported(Vec<ReportedEstimate>),
}

/// Where a unit's key stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitAt {
    /// The number of the row, from 1.
    Row,
    /// A column or path.
    At(String),
}

/// Where a level stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelMapping {
    /// The column or path.
    pub at: String,
    /// Spelling in the data to level; a level's own name needs no entry unless some entry is given.
    pub spellings: BTreeMap<String, Name>,
}

/// The unit that a number has in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUnit {
    /// The unit's word, such as `percent` or `ms`.
    pub word: Name,
    /// What one such unit is in the field's base unit.
    pub factor: Rational,
}

/// Where a field stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldMapping {
    /// The column or path.
    pub at: String,
    /// Spelling in the data to value.
    pub spellings: BTreeMap<String, Attribute>,
    /// The unit in the file; the field's base unit when absent.
    pub unit: Option<FileUnit>,
}

/// A reported estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedEstimate {
    /// The estimand.
    pub estimand: Name,
    /// The factors named in the paths.
    pub per: Vec<Name>,
    /// The path of the estimate.
    pub at: String,
    /// The path of the interval's two ends, or of each.
    pub interval: Option<(String, Option<String>)>,
    /// The interval's confidence level.
    pub level: Option<Quantity>,
    /// The path of a p-value.
    pub p: Option<String>,
    /// The path of n.
    pub n: Option<String>,
}
