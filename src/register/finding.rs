//! Findings of verification as plain data: a stable code, where, what, why it matters and what to do.
//!
//! Owns the codes and their order. Must not render.

use std::fmt;

/// How a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A check failed.
    Error,
    /// A check could not be made; this is not the same as a failure.
    Inconclusive,
    /// Something a reader should know.
    Warning,
}

impl Severity {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Inconclusive => "inconclusive",
            Self::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal $title:literal;)*) => {
        /// A stable code of a finding. Numbers are never used again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FindingCode { $(#[doc = $title] $name,)* }

        impl FindingCode {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Such as `PR101`.
            #[must_use]
            pub fn number(self) -> &'static str {
                match self { $(Self::$name => $number,)* }
            }

            /// What it says, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    UnknownVersion = "PR002" "a format, canonical form, hash or Unicode version that this build does not know";
    NotCanonical = "PR101" "the bytes are not canonical";
    LeafMismatch = "PR102" "a leaf does not match its digest";
    SpecMismatch = "PR103" "the spec digest does not match the manifest";
    NameMismatch = "PR104" "the file name does not match the content";
    UnknownField = "PR105" "an unknown field";
    BadField = "PR106" "a field is missing or malformed";
    NotFreezable = "PR107" "a study that the checks refuse";
    SourcesDiffer = "PR108" "the source text says another study than the leaves";
    InputChanged = "PR111" "an input changed since the freeze";
    InputPath = "PR112" "an input's path is unsafe, missing or ambiguous";
    OverLimit = "PR113" "over a size limit";
    ChainBroken = "PR601" "the chain of freezes is broken";
    AccessBelowFloor = "PR602" "the stated access is below what the run log shows";
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its code.
    pub code: FindingCode,
    /// How it counts.
    pub severity: Severity,
    /// The file it is about, as the user named it, with `#` and the place inside where there is one.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub fix: String,
}

impl Finding {
    /// A failed check.
    pub fn error(
        code: FindingCode,
        path: impl Into<String>,
        message: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            path: path.into(),
            message: message.into(),
            why: why.into(),
            fix: fix.into(),
        }
    }

    /// The same finding, as a check that could not be made.
    #[must_use]
    pub fn inconclusive(self) -> Self {
        Self { severity: Severity::Inconclusive, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, severity, path, message, why, fix } = self;
        write!(f, "{code} {} {path}: {message}. {why}. {fix}.", severity.word())
    }
}

/// Sorts by path, code and message and drops repetitions, so that two runs print the same.
pub fn sort(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| (&a.path, a.code, &a.message, a.severity).cmp(&(&b.path, b.code, &b.message, b.severity)));
    findings.dedup();
}
