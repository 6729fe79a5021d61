//! What can be wrong with result files and records. Owns the kinds, the texts and the limit on how many are listed.

use std::fmt;

/// The most findings that are listed one by one.
pub const MOST_FINDINGS: usize = 50;

/// What kind of defect keeps records from being judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordErrorKind {
    /// A place given for the results that does not exist or cannot be read, or no file fits a block.
    NoFile,
    /// A file whose name fits a block's pattern and stands for nothing planned.
    ExtraFile,
    /// A file that is larger than the limit, or more records than the limit.
    TooLarge,
    /// A file that is no table or document.
    Unreadable,
    /// A column or path that does not exist.
    MissingColumn,
    /// A path or pattern of the study that cannot be read.
    BadPattern,
    /// A level that the factor does not have.
    UnknownLevel,
    /// A unit or repeat that was not planned.
    Unplanned,
    /// Results for a cell that the design excludes.
    Excluded,
    /// Two records for one cell.
    DuplicateCell,
    /// Two files that say different things about one cell.
    Conflict,
    /// A value of the wrong type or out of its bounds.
    BadValue,
    /// A required value that is not there.
    MissingValue,
    /// A state without a meaning here.
    BadState,
    /// The block does not say to which cell a record belongs.
    Unmapped,
    /// The plan itself cannot be made.
    Plan,
    /// How many findings are not listed.
    More,
}

/// One finding about result files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    /// The kind of defect.
    pub kind: RecordErrorKind,
    /// The file, with row or line and column or path; or the part of the study.
    pub place: String,
    /// What is wrong; lower case, with the value in back-quotes and what is expected.
    pub message: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub help: String,
}

impl RecordError {
    pub(crate) fn new(
        kind: RecordErrorKind,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { kind, place: place.into(), message: message.into(), why: why(kind), help: help.into() }
    }
}

fn why(kind: RecordErrorKind) -> &'static str {
    match kind {
        RecordErrorKind::NoFile => "Without the files that the study names there is nothing to judge",
        RecordErrorKind::ExtraFile | RecordErrorKind::Unplanned => {
            "Results beyond the plan would let the plan be chosen after the results"
        }
        RecordErrorKind::TooLarge => "Every file is read within bounded memory",
        RecordErrorKind::Unreadable => "A file that is read in part drops records without saying so",
        RecordErrorKind::MissingColumn | RecordErrorKind::BadPattern | RecordErrorKind::Unmapped => {
            "The mapping is part of the commitment, and nothing else may say what a file means"
        }
        RecordErrorKind::UnknownLevel => "A record that belongs to no planned arm would be dropped",
        RecordErrorKind::Excluded => "The plan says that this cell is never run",
        RecordErrorKind::DuplicateCell | RecordErrorKind::Conflict => {
            "Whoever picks one of two results picks the verdict"
        }
        RecordErrorKind::BadValue | RecordErrorKind::BadState => "A guess about a value is a guess about the verdict",
        RecordErrorKind::MissingValue => {
            "A completed record without its outcome would leave the denominator in silence"
        }
        RecordErrorKind::Plan => "The plan gives the denominator",
        RecordErrorKind::More => "The list is kept short enough to read",
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}. {}. {}", self.place, self.message, self.why, self.help)
    }
}

impl std::error::Error for RecordError {}

/// Findings so far; the first [`MOST_FINDINGS`] are kept and the rest are counted.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<RecordError>,
    more: u64,
}

impl Findings {
    pub(crate) fn add(&mut self, error: RecordError) {
        if self.is_full() {
            self.more += 1;
        } else {
            self.list.push(error);
        }
    }

    /// Whether further findings are only counted, so that their texts need not be made with care.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST_FINDINGS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The first finding, when there is one.
    pub(crate) fn first(&mut self) -> Option<RecordError> {
        (!self.list.is_empty()).then(|| self.list.swap_remove(0))
    }

    pub(crate) fn finish(mut self) -> Vec<RecordError> {
        if self.more > 0 {
            let message = format!("and {} more findings", self.more);
            self.list.push(RecordError::new(RecordErrorKind::More, "the results", message, "correct these first"));
        }
        self.list
    }
}
