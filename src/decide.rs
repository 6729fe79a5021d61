//! From records to verdicts: evidence, rules, quantifiers, gates, families, conclusions. Pure: a checked study and records in, a
//! [`Judgment`] out. It never reads a file, a clock or the source text.

pub mod judgment;

pub use judgment::Judgment;
