//! Prespec: a compiler for experiments with language models and agents.
//!
//! Data flows one way: text, parsed, checked, canonical, frozen, records, evidence, verdicts, report. A module may use
//! only the modules above it in this list (and its own submodules).

pub mod canon;
pub mod check;
pub mod cli;
pub mod decide;
pub mod diagnostic;
pub mod math;
pub mod plan;
pub mod records;
pub mod register;
pub mod render;
pub mod report;
pub mod source;
pub mod spec;
pub mod stats;
pub mod syntax;
pub mod table;
pub mod verify;
