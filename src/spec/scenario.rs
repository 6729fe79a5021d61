//! Assumed truths, from which data are drawn to see what the rules would say. Owns what is assumed; drawing is elsewhere.

use std::collections::BTreeMap;

use super::{Name, Quantity, RecordExpr, StateClass, VerdictClass};

/// An assumed truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    /// Whether nothing that the hypotheses claim is true in it.
    pub null: bool,
    /// What is assumed, in words.
    pub words: String,
    /// The seed of its draws.
    pub seed: u64,
    /// How each outcome comes about.
    pub draws: BTreeMap<Name, Draw>,
    /// Shares of planned records that never come, or fail.
    pub losses: Vec<(StateClass, Quantity)>,
    /// What must come out.
    pub expects: Vec<Expectation>,
}

/// How an outcome comes about: a mean for each cell, and normal deviations around it on the outcome's own scale: log odds
/// for shares and conditions, logarithms for amounts, the unit itself for other numbers. The mean of a cell is that over all
/// deviations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    /// The mean before changes.
    pub mean: Quantity,
    /// Changes in the order written.
    pub changes: Vec<Change>,
    /// Standard deviations by what they are shared within: `record` alone for each record, else the unit and perhaps factors.
    pub varies: Vec<Variation>,
}

/// A change of the mean where a condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Added, in the unit of a difference of the outcome, or multiplied when it is a ratio.
    pub by: Quantity,
    /// Whether it multiplies.
    pub times: bool,
    /// Where; everywhere when absent.
    pub filter: Option<RecordExpr>,
}

/// A deviation that records share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variation {
    /// The unit and factors whose combination shares it, sorted; empty for each record its own.
    pub within: Vec<Name>,
    /// Its standard deviation on the outcome's scale.
    pub sd: Quantity,
}

/// `expect H1 supported at most 5 %`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expectation {
    /// The hypothesis.
    pub hypothesis: Name,
    /// The class.
    pub class: VerdictClass,
    /// Whether the share is an upper bound.
    pub at_most: bool,
    /// The share of data sets.
    pub share: Quantity,
}
