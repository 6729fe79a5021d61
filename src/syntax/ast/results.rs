//! The `results` block as written: how files map onto records.

use super::{Attribute, Literal, Name, Text};
use crate::source::Spanned;

/// `results NAME [reported] { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// Its name.
    pub name: Name,
    /// Whether it holds estimates instead of records.
    pub reported: bool,
    /// `file "s{seed}.json"`
    pub file: Option<Text>,
    /// `for every seed`
    pub for_every: Vec<Name>,
    /// `format csv | jsonl | json`; absent: by the file's ending.
    pub format: Option<Name>,
    /// The mapping.
    pub mappings: Vec<Spanned<Mapping>>,
}

/// One line of a `results` block.
#[derive(Debug, Clone, PartialEq)]
pub enum Mapping {
    /// `unit task at "sample_id"`; `unit behaviour at row`
    Unit {
        /// The unit's name.
        unit: Name,
        /// The column or path; absent for `row`.
        at: Option<Text>,
    },
    /// `level model at "model" { "opus-4.7" -> opus }`
    Level {
        /// The factor.
        factor: Name,
        /// The column or path.
        at: Text,
        /// Spellings in the data.
        spellings: Vec<(Text, Name)>,
    },
    /// `repeat at "attempt"`
    Repeat(Text),
    /// `records at "samples"`: the array or, with placeholders, the object of each record.
    Records {
        /// Factors and units that the path names.
        of: Vec<Name>,
        /// The path with `{placeholders}`.
        at: Text,
    },
    /// `correct = "score" { "C" -> true }`, `cost = "cost_usd"`, `rate = "pct" in percent`
    Field {
        /// The outcome or flag.
        field: Name,
        /// The column or path.
        at: Text,
        /// Spellings in the data; the right-hand side is a word or a number.
        spellings: Vec<(Text, Attribute)>,
        /// `in percent`, `in milliseconds`: the unit of the file.
        unit: Option<Name>,
    },
    /// `columns "{defence}" -> breached`
    Columns {
        /// The header pattern.
        pattern: Text,
        /// The outcome.
        field: Name,
    },
    /// `state at "status" { "ok" -> scored; "error" -> errored }`
    State {
        /// The column or path.
        at: Text,
        /// Spellings in the data.
        spellings: Vec<(Text, Name)>,
    },
    /// `successes ok of n -> success`: counts instead of rows.
    Successes {
        /// Column of successes.
        successes: Text,
        /// Column of trials.
        trials: Text,
        /// The outcome.
        field: Name,
    },
    /// `absent ""`, `absent "NA"`: texts that mean that there is no value.
    Absent(Vec<Text>),
    /// `estimate auroc per condition at "…" interval "…" level 95 % n "…"`
    Estimate {
        /// The estimand.
        estimand: Name,
        /// The factors in the path.
        per: Vec<Name>,
        /// The path of the estimate.
        at: Text,
        /// The path of the interval (an array of two) or of its lower and upper bounds.
        interval: Option<(Text, Option<Text>)>,
        /// `level 95 %`
        level: Option<Literal>,
        /// The path of a p-value.
        p: Option<Text>,
        /// The path of n.
        n: Option<Text>,
    },
}
