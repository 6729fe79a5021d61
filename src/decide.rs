//! From records to verdicts: evidence, rules, quantifiers, gates, families, conclusions. Pure: a checked study and records in, a
//! [`Judgment`] out. It never reads a file, a clock or the source text.

mod comparisons;
mod compile;
mod court;
mod evidence;
pub mod families;
mod fitted;
mod frame;
mod gates;
mod interval;
mod looks;
pub mod judgment;
mod members;
mod nearest;
mod node;
mod number;
mod permute;
mod quantify;
mod rankings;
mod resample;
mod row;
mod rule;
mod sample;
mod sets;
mod statistic;
mod test;
mod unit_values;
mod whole;

pub use judgment::Judgment;
pub use looks::Look;
pub use whole::{Options, judge};

use std::fmt;

use crate::spec::StateClass;

/// Why nothing is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, why it matters and what to do.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    pub(crate) fn undeclared(set: &str, class: StateClass, count: u64, state: &str, units: &[String]) -> Self {
        let (word, advice) = match class {
            StateClass::Completed => ("completed", ""),
            StateClass::Errored => ("errored", ""),
            StateClass::Missing => ("missing", ", or judge what came with `--partial`, which marks the judgment"),
        };
        Self::new(format!(
            "{count} planned records are {word} (the first is {state}; units {}) and the analysis set {set} does not say how {word} records \
             count; a rule chosen after the data could bend the verdict. Declare `count {word} as …` before freezing{advice}",
            units.iter().map(|unit| format!("`{unit}`")).collect::<Vec<_>>().join(", ")
        ))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
