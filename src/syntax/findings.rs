//! What is wrong with a text, bounded: a file of eight million stray braces gives a thousand findings, not eight million.

use crate::diagnostic::Diagnostic;

/// Most findings that are kept.
pub(super) const MAX_FINDINGS: usize = 1_000;

/// Findings in the order they were made.
#[derive(Debug, Default)]
pub(super) struct Findings {
    kept: Vec<Diagnostic>,
    dropped: usize,
}

impl Findings {
    /// Keeps a finding, or counts it when there are too many.
    pub fn push(&mut self, finding: Diagnostic) {
        if self.kept.len() < MAX_FINDINGS {
            self.kept.push(finding);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds the findings of another file.
    pub fn absorb(&mut self, other: Self) {
        self.dropped += other.dropped;
        for finding in other.kept {
            self.push(finding);
        }
    }

    /// How many were made, kept or not.
    pub fn len(&self) -> usize {
        self.kept.len() + self.dropped
    }

    /// The findings, and how many more there were.
    pub fn into_parts(self) -> (Vec<Diagnostic>, usize) {
        (self.kept, self.dropped)
    }

    /// Those that were kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.kept.iter()
    }
}
