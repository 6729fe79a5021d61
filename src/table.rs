//! Rows and documents out of bytes: CSV, JSON, JSONL, with strict rules for every cell. Pure; knows nothing of specs.
//!
//! Numbers stay exact from the written digits on ([`number::Exact`]); no value passes through a float. Every fault says
//! where it is and what to do about it.

pub mod cell;
pub mod csv;
pub mod json;
pub mod jsonl;
pub mod number;
pub mod path;

use std::fmt;

/// Why bytes are no table or document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// Where, such as `line 3` or `row 2 (line 3)`.
    pub at: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl TableError {
    pub(crate) fn new(at: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at: at.into(), what: what.into(), help: help.into() }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.at, self.what, self.help)
    }
}

impl std::error::Error for TableError {}

/// The bytes without a UTF-8 byte order mark.
#[must_use]
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// At most 60 characters of a value, for messages; control characters are escaped.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(60).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out.escape_debug().to_string()
}
