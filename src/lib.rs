//! Prespec: a compiler for experiments with language models and agents.
//!
//! Data flows one way: text, parsed, checked, canonical, frozen, records, evidence, verdicts, report. A module may use
//! only the modules above it in this list (and its own submodules).

pub mod source;
pub mod diagnostic;
pub mod render;
pub mod math;
pub mod stats;
pub mod syntax;
pub mod spec;
pub mod check;
pub mod canon;
pub mod register;
pub mod table;
pub mod import;
pub mod plan;
pub mod records;
pub mod decide;
pub mod simulate;
pub mod verify;
pub mod report;
pub mod cli;
