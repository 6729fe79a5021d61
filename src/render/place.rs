//! Places as people and machines count them.

use crate::source::{Sources, Span};

/// Where a span starts and ends, in lines and columns from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The file's name, as given by the user.
    pub file: String,
    /// Line and column of the first character.
    pub start: (usize, usize),
    /// Line and column behind the last character.
    pub end: (usize, usize),
}

impl Place {
    /// Looks a span up; a span of no file is the start of a file without a name.
    pub fn of(span: Span, sources: &Sources) -> Self {
        sources.get(span.file).map_or_else(
            || Self { file: String::new(), start: (1, 1), end: (1, 1) },
            |file| Self {
                file: file.name.clone(),
                start: file.line_column(span.start),
                end: file.line_column(span.end),
            },
        )
    }
}
