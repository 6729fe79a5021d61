//! Verification: the checks of a frozen file and what each level of trust means.
//!
//! Owns verdicts, levels and their sentences. Must not repair or fetch anything, and must report every finding.

use crate::canon::digest::{FreezeId, SpecDigest};
use crate::register::finding::{Finding, Severity, sort};

pub mod frozen;
pub mod study;

/// Printed with every result, whatever the level.
pub const LIMIT: &str = "This cannot show that no data were seen before the freeze.";

/// What was reached, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Canonical bytes, digests, chain and inputs.
    A0,
}

impl Level {
    /// Such as `A0`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::A0 => "A0",
        }
    }

    /// What the level shows and what it does not.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::A0 => "The files agree with each other. Nothing shows when they were made.",
        }
    }
}

/// The outcome of all checks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every check was made and passed.
    Verified,
    /// A check failed.
    Failed,
    /// No check failed, but one could not be made.
    Inconclusive,
}

impl Verdict {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// What verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The outcome.
    pub verdict: Verdict,
    /// The level that was reached; none unless verified.
    pub level: Option<Level>,
    /// The digest of the file's bytes.
    pub freeze_id: FreezeId,
    /// The study, if the file could be read.
    pub study: Option<String>,
    /// The digest of the meaning, if the file could be read.
    pub spec_digest: Option<SpecDigest>,
    /// Everything that was found, sorted.
    pub findings: Vec<Finding>,
}

impl Verification {
    fn new(
        freeze_id: FreezeId,
        about: Option<(String, SpecDigest)>,
        reached: Level,
        mut findings: Vec<Finding>,
    ) -> Self {
        sort(&mut findings);
        let any = |severity| findings.iter().any(|finding| finding.severity == severity);
        let verdict = if any(Severity::Error) {
            Verdict::Failed
        } else if any(Severity::Inconclusive) {
            Verdict::Inconclusive
        } else {
            Verdict::Verified
        };
        let level = (verdict == Verdict::Verified).then_some(reached);
        let (study, spec_digest) = about.unzip();
        Self { verdict, level, freeze_id, study, spec_digest, findings }
    }

    /// What to print below the findings: the level's sentence where one was reached, and always [`LIMIT`].
    #[must_use]
    pub fn sentences(&self) -> Vec<&'static str> {
        self.level.map(Level::sentence).into_iter().chain([LIMIT]).collect()
    }
}
