//! The parts of a frozen file: each with its words, its value and how it is read back.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::canon::leaf::{LeafPath, Manifest};
use crate::canon::value::{Value, ValueError};
use crate::canon::write::encode;

use super::{LogHead, SourcePath};

/// What a freeze is. Computed by [`Kind::of`], never chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The first freeze of a study.
    Registration,
    /// A later one, before any run.
    Amendment,
    /// A later one, after a run but before any result was opened.
    AmendmentAfterRun,
    /// A later one, after a result was seen.
    Deviation,
}

impl Kind {
    /// What a freeze at this place with this log and access is.
    #[must_use]
    pub fn of(seq: u16, runlog: &RunLog, access: AccessLevel) -> Self {
        match (seq, access) {
            (0, _) => Self::Registration,
            (_, AccessLevel::Results) => Self::Deviation,
            (_, AccessLevel::None | AccessLevel::Runs) if runlog.count() > 0 => Self::AmendmentAfterRun,
            (_, AccessLevel::Runs) => Self::AmendmentAfterRun,
            (_, AccessLevel::None) => Self::Amendment,
        }
    }

    /// The word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::Amendment => "amendment",
            Self::AmendmentAfterRun => "amendment-after-run",
            Self::Deviation => "deviation",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::Registration, Self::Amendment, Self::AmendmentAfterRun, Self::Deviation]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// How much of the study's data the authors had seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessLevel {
    /// No run was started and no outcome was seen.
    None,
    /// Runs were started, no outcome was seen.
    Runs,
    /// Outcomes were seen.
    Results,
}

impl AccessLevel {
    /// The word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Runs => "runs",
            Self::Results => "results",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::None, Self::Runs, Self::Results].into_iter().find(|level| level.word() == word)
    }
}

/// What the authors had seen, as they state it, never below what the run log shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// How much.
    pub level: AccessLevel,
    /// What exactly, in their words.
    pub note: Option<String>,
}

impl Access {
    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        let mut members = vec![("level", Value::text(self.level.word())?)];
        if let Some(note) = &self.note {
            members.push(("note", Value::text(note.as_str())?));
        }
        Value::object(members)
    }
}

/// The run log at the moment of the freeze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunLog {
    /// No line yet.
    Empty,
    /// So many lines, and the SHA-256 of the last one.
    Lines {
        /// At least 1.
        count: u32,
        /// The head.
        head: LogHead,
    },
}

impl RunLog {
    /// The number of lines.
    #[must_use]
    pub fn count(&self) -> u32 {
        match self {
            Self::Empty => 0,
            Self::Lines { count, .. } => *count,
        }
    }

    pub(super) fn to_value(self) -> Result<Value, ValueError> {
        let mut members = vec![("count", Value::integer(self.count())?)];
        if let Self::Lines { head, .. } = self {
            members.push(("head", Value::text(head.to_string())?));
        }
        Value::object(members)
    }
}

/// A source file, verbatim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path, relative to the folder of the spec.
    pub path: SourcePath,
    /// Its text.
    pub text: String,
}

impl Source {
    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([("path", Value::text(self.path.as_str())?), ("text", Value::text(self.text.as_str())?)])
    }
}

/// What wrote the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([("name", Value::text(self.name.as_str())?), ("version", Value::text(self.version.as_str())?)])
    }
}

/// The commit a spec was frozen on: a hint, since the freeze's own commit cannot be inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitHint {
    /// 40 lower-case hexadecimal digits.
    Sha1(String),
    /// 64 lower-case hexadecimal digits.
    Sha256(String),
}

impl GitHint {
    /// Checks a commit id; its length says which object format it has.
    #[must_use]
    pub fn new(parent: &str) -> Option<Self> {
        let hex = parent.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match parent.len() {
            40 if hex => Some(Self::Sha1(parent.to_owned())),
            64 if hex => Some(Self::Sha256(parent.to_owned())),
            _ => None,
        }
    }

    /// The commit id.
    #[must_use]
    pub fn parent(&self) -> &str {
        match self {
            Self::Sha1(parent) | Self::Sha256(parent) => parent,
        }
    }

    /// The word of the object format.
    #[must_use]
    pub fn object_format(&self) -> &'static str {
        match self {
            Self::Sha1(_) => "sha1",
            Self::Sha256(_) => "sha256",
        }
    }

    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([("parent", Value::text(self.parent())?), ("object_format", Value::text(self.object_format())?)])
    }
}

/// A warning that stood when the spec was frozen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warned {
    /// Its code.
    pub code: String,
    /// Its text.
    pub text: String,
}

impl Warned {
    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([("code", Value::text(self.code.as_str())?), ("text", Value::text(self.text.as_str())?)])
    }
}

/// A warning that the authors waived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The warning's code.
    pub code: String,
    /// The warning's text.
    pub text: String,
    /// Why it was waived.
    pub reason: String,
}

impl Waiver {
    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([
            ("code", Value::text(self.code.as_str())?),
            ("text", Value::text(self.text.as_str())?),
            ("reason", Value::text(self.reason.as_str())?),
        ])
    }
}

/// How a leaf differs from the freeze before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It was not there.
    Added,
    /// It is no longer there.
    Removed,
    /// Its digest or its state differs.
    Changed,
}

impl Changed {
    /// The word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::Added, Self::Removed, Self::Changed].into_iter().find(|changed| changed.word() == word)
    }
}

/// One leaf that differs from the freeze before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The leaf.
    pub path: LeafPath,
    /// How.
    pub change: Changed,
}

impl Change {
    pub(super) fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([("path", Value::text(self.path.as_str())?), ("change", Value::text(self.change.word())?)])
    }
}

/// What differs between two manifests, in byte order of the paths.
pub(super) fn changes(earlier: &Manifest, later: &Manifest) -> Vec<Change> {
    let mut changes: Vec<Change> = later
        .iter()
        .filter_map(|(path, state, digest)| {
            let change = match earlier.get(path) {
                None => Changed::Added,
                Some(before) if before != (state, *digest) => Changed::Changed,
                Some(_) => return None,
            };
            Some(Change { path: path.clone(), change })
        })
        .collect();
    let removed = earlier.iter().filter(|(path, ..)| later.get(path).is_none());
    changes.extend(removed.map(|(path, ..)| Change { path: path.clone(), change: Changed::Removed }));
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// A moment in UTC to the second, written `2026-03-01T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcTime {
    year: u16,
    month: u8,
    day: u8,
    hour: u8,
    minute: u8,
    second: u8,
}

impl UtcTime {
    /// From seconds since 1970-01-01T00:00:00Z, without leap seconds, up to the year 9999.
    #[must_use]
    pub fn from_unix(seconds: u64) -> Option<Self> {
        let (mut days, rest) = (seconds / 86_400, seconds % 86_400);
        let mut year = 1970_u16;
        while year <= 9_999 {
            let length = if leap(year) { 366 } else { 365 };
            if days < length {
                break;
            }
            days -= length;
            year += 1;
        }
        if year > 9_999 {
            return None;
        }
        let mut month = 1_u8;
        while days >= u64::from(month_days(year, month)) {
            days -= u64::from(month_days(year, month));
            month += 1;
        }
        let small = |n: u64| u8::try_from(n).ok();
        Some(Self {
            year,
            month,
            day: small(days + 1)?,
            hour: small(rest / 3_600)?,
            minute: small(rest / 60 % 60)?,
            second: small(rest % 60)?,
        })
    }
}

fn leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn month_days(year: u16, month: u8) -> u8 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// A text that is no moment as [`UtcTime`] writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeError;

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time is UTC to the second and exists in the calendar, as in `2026-03-01T12:00:00Z`")
    }
}

impl std::error::Error for TimeError {}

impl FromStr for UtcTime {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let digits = |from: usize, to: usize| {
            let part = text.get(from..to).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
            part.and_then(|part| part.parse::<u16>().ok()).ok_or(TimeError)
        };
        let small = |from: usize, to: usize| digits(from, to).and_then(|n| u8::try_from(n).map_err(|_| TimeError));
        let time = Self {
            year: digits(0, 4)?,
            month: small(5, 7)?,
            day: small(8, 10)?,
            hour: small(11, 13)?,
            minute: small(14, 16)?,
            second: small(17, 19)?,
        };
        let exists = (1..=12).contains(&time.month)
            && (1..=month_days(time.year, time.month)).contains(&time.day)
            && time.hour < 24
            && time.minute < 60
            && time.second < 60;
        // Printing again checks the separators and the length.
        if exists && time.to_string() == text { Ok(time) } else { Err(TimeError) }
    }
}

pub(super) fn values<T>(
    items: &[T],
    value: impl Fn(&T) -> Result<Value, ValueError>,
) -> Result<Vec<Value>, ValueError> {
    items.iter().map(value).collect()
}

pub(super) fn list<T>(items: &[T], value: impl Fn(&T) -> Result<Value, ValueError>) -> Result<Value, ValueError> {
    values(items, value).map(Value::Array)
}

/// Sorts by encoded bytes and keeps each once, as a set is written.
pub(super) fn sorted<T>(items: Vec<T>, value: impl Fn(&T) -> Result<Value, ValueError>) -> Result<Vec<T>, ValueError> {
    let mut by_bytes = BTreeMap::new();
    for item in items {
        by_bytes.insert(encode(&value(&item)?), item);
    }
    Ok(by_bytes.into_values().collect())
}
