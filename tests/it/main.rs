//! The integration tests, one binary: each module exercises one phase from the outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "tests fail by panicking"
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::default_trait_access,
    clippy::disallowed_methods,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::items_after_statements,
    clippy::similar_names,
    clippy::too_many_lines,
    reason = "tests make small data by hand, and may be timed"
)]

mod cases;
mod cli;
mod check_inputs;
mod check_studies;
mod commitment;
mod commitment_docs;
mod decide;
mod dependencies;
mod error_pages;
mod gaia;
mod language_docs;
mod prover;
mod records;
mod report;
mod simulate;
mod stats_bootstrap;
mod stats_comparisons;
mod stats_intervals;
mod stats_families;
mod stats_measures;
mod stats_more_tests;
mod stats_mixed;
mod stats_mixed_properties;
mod stats_tests;
mod syntax;
mod tidy;
mod validation;
