//! Results of other tools, read as they are: files and folders become records that still speak the language of their tool.
//!
//! Owns the record type that every importer fills ([`model`]), bounded reading of archives and of JSON that strict readers
//! refuse, and the readers of the formats. Must not know a study: which record belongs to which planned cell is for the
//! modules after it. Nothing is guessed: what has no place in the record is listed as a [`model::Finding`].

pub mod model;
