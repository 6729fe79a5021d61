//! What every importer produces: runs, records, and findings about what could not be taken over. Owns the types and the
//! table from what a source says to one [`State`]; must not know any format.

mod finding;
mod state;
mod value;

use std::collections::BTreeMap;

pub use finding::{Finding, FindingKind, Weight};
pub use state::{Circumstances, LimitKind, state_of};
pub use value::{Excerpt, MAX_TEXT, Raw};

use crate::spec::State;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// An Inspect log in a zip archive.
    InspectEval,
    /// An Inspect log as one JSON document.
    InspectJson,
}

impl Format {
    /// The words used in messages.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::InspectEval => "Inspect log (.eval)",
            Self::InspectJson => "Inspect log (.json)",
        }
    }
}

/// One file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its format, found by structure.
    pub format: Format,
    /// The format's own version as written; it is shown and never relied on.
    pub version: Option<String>,
    /// The version of the tool that wrote it, as written.
    pub tool: Option<String>,
    /// The path as it was given, with `/` between names.
    pub path: String,
    /// SHA-256 of the file's bytes, in hex. An archive may hold bytes that no reader sees, so that equal content may
    /// have different digests.
    pub digest: String,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Whether samples were read from their own entries, or from the summaries that the tool keeps of them.
    pub depth: Depth,
}

/// From which part of a log the records come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Depth {
    /// From the complete samples.
    #[default]
    Samples,
    /// From summaries. Long texts are cut there; scores, usage and errors are complete.
    Summaries,
}

/// How a run ended, in the words of its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum RunStatus {
    /// It never said that it ended: still going, or killed.
    #[default]
    Started,
    /// It ended by itself; single samples may have failed all the same.
    Success,
    /// It was stopped from outside.
    Cancelled,
    /// It halted on an error.
    Error,
}

/// What the input-token counts of a run include.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum InputTokens {
    /// The tool does not say, or it left this to the provider.
    #[default]
    AsProvider,
    /// Tokens read from or written to a cache are counted apart: the whole input is the sum of the three counts.
    WithoutCache,
    /// Tokens of caches are included.
    WithCache,
}

/// What the log itself says was to be run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Planned {
    /// The selected samples in their order; absent when the log does not list them.
    pub samples: Option<Vec<SampleId>>,
    /// Repeats of each sample, from 1.
    pub epochs: u32,
    /// Size of the whole data set, which may be larger than the selection.
    pub dataset: Option<u64>,
}

/// One run of one task with one model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The file it came from, by its place in [`Import::sources`].
    pub source: usize,
    /// How it ended.
    pub status: RunStatus,
    /// The task's name.
    pub task: String,
    /// The task's version as written.
    pub task_version: Option<String>,
    /// The task's arguments.
    pub task_args: Raw,
    /// What stays the same when a run is retried.
    pub task_id: Option<String>,
    /// The run's own identity.
    pub run_id: Option<String>,
    /// The attempt's own identity.
    pub eval_id: Option<String>,
    /// The set of runs it belongs to.
    pub set_id: Option<String>,
    /// The model under test.
    pub model: String,
    /// Models by role.
    pub roles: BTreeMap<String, Vec<String>>,
    /// The solver or scaffold.
    pub solver: Option<String>,
    /// Arguments of the solver.
    pub solver_args: Raw,
    /// Scorers that the run declares, in order; absent when the log does not list them.
    pub scorers: Option<Vec<String>>,
    /// What was to be run.
    pub planned: Planned,
    /// The revision of the code and whether it was changed since.
    pub revision: Option<Revision>,
    /// When it was made, as written.
    pub created: Option<String>,
    /// When it started, as written.
    pub started: Option<String>,
    /// When it ended, as written.
    pub completed: Option<String>,
    /// The error that halted the run; it says nothing of single samples.
    pub error: Option<Excerpt>,
    /// Usage of the run by model, as the log adds it up; retried runs may count one attempt only.
    pub usage: BTreeMap<String, Usage>,
    /// What input tokens include, here and in the records.
    pub input_tokens: InputTokens,
    /// Tags, as they are after edits.
    pub tags: Vec<String>,
    /// Metadata, as they are after edits; bounded.
    pub metadata: Raw,
}

/// The state of the code that a run was made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The commit.
    pub commit: String,
    /// Whether there were changes that no commit holds; absent when the log does not say.
    pub dirty: Option<bool>,
}

/// The identity of a sample within its task. `1` and `"1"` are two identities.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleId {
    /// The identity as text: the string itself, or the digits as written.
    pub text: Box<str>,
    /// What it was in the source.
    pub kind: IdKind,
}

/// How a sample's identity was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdKind {
    /// As a number.
    Number,
    /// As a string.
    Text,
    /// Not at all: it is the place in the source, from 1.
    Place,
}

/// Tokens and costs of one model or role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// Input tokens; what they include is said by [`Run::input_tokens`].
    pub input: Option<u64>,
    /// Output tokens.
    pub output: Option<u64>,
    /// Total tokens as the tool adds them up.
    pub total: Option<u64>,
    /// Tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Tokens of reasoning; providers count them in the output as well.
    pub reasoning: Option<u64>,
    /// Costs in US dollars, with the digits as written.
    pub cost: Option<Box<str>>,
}

/// One change of a score after the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The value after it; absent when it left the value alone.
    pub value: Option<Raw>,
    /// Who made it.
    pub author: Option<String>,
    /// Why, in their words.
    pub reason: Option<Excerpt>,
    /// When, as written.
    pub at: Option<String>,
}

/// What one scorer said of one record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Score {
    /// The value that counts in the source now, after edits.
    pub value: Raw,
    /// The value before the first edit; absent when there was no edit that changed it.
    pub original: Option<Raw>,
    /// Edits in their order; the original is not one of them.
    pub edits: Vec<Edit>,
    /// The answer that was scored.
    pub answer: Option<Excerpt>,
    /// Why there is no score, in the words of the source.
    pub reason: Option<String>,
}

impl Score {
    /// The value before any edit.
    #[must_use]
    pub fn before_edits(&self) -> &Raw {
        self.original.as_ref().unwrap_or(&self.value)
    }
}

/// An error of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordError {
    /// Its text.
    pub message: Excerpt,
}

/// A limit that ended a record's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Which limit.
    pub kind: LimitKind,
    /// The word of the source.
    pub word: Box<str>,
    /// The limit's value, with the digits as written.
    pub value: Option<Box<str>>,
}

/// When a record ran and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// When it started, as written.
    pub started: Option<Box<str>>,
    /// When it ended, as written.
    pub completed: Option<Box<str>>,
    /// Seconds from start to end, with the digits as written.
    pub total: Option<Box<str>>,
    /// Seconds without waiting for rate limits and shared resources, with the digits as written.
    pub working: Option<Box<str>>,
}

/// One sample of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its run, by its place in [`Import::runs`].
    pub run: usize,
    /// Its sample.
    pub sample: SampleId,
    /// The repeat, from 1.
    pub epoch: u32,
    /// Which attempt at this sample and repeat it is among everything that was read together, from 1.
    pub attempt: u32,
    /// The source's own identity of this attempt; a record carried over into a later log keeps it.
    pub uuid: Option<Box<str>>,
    /// What became of it. For one of several scorers ask [`Record::state_for`].
    pub state: State,
    /// What the state follows from.
    pub circumstances: Circumstances,
    /// Scores by scorer.
    pub scores: BTreeMap<String, Score>,
    /// Usage by model: every model, graders included.
    pub usage: BTreeMap<String, Usage>,
    /// Usage by role: named roles only. It is part of [`Record::usage`], not added to it.
    pub role_usage: BTreeMap<String, Usage>,
    /// The error that ended it.
    pub error: Option<RecordError>,
    /// Errors of earlier tries that the tool ran again by itself, oldest first.
    pub failed_tries: Vec<Excerpt>,
    /// Earlier tries that the tool ran again by itself; their errors may be unknown.
    pub retries: u32,
    /// The limit that ended it.
    pub limit: Option<Limit>,
    /// When and how long.
    pub times: Times,
    /// The expected answers.
    pub target: Vec<Excerpt>,
    /// Messages of the conversation, when the source counts or holds them.
    pub messages: Option<u64>,
    /// Metadata of the sample; bounded.
    pub metadata: Raw,
    /// Where in the source it stands: an archive's entry, a line, a path.
    pub place: Box<str>,
}

impl Record {
    /// The state as one scorer leaves it. A scorer that gave nothing for this record makes it unscored when `declared` (its run
    /// has that scorer), and `scorer_absent` otherwise.
    #[must_use]
    pub fn state_for(&self, scorer: &str, declared: bool) -> State {
        state_of(&self.circumstances, self.scores.get(scorer).into_iter(), declared)
    }
}

/// Everything that was read together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Import {
    /// Files in the order read.
    pub sources: Vec<Source>,
    /// Runs, in the order of their files.
    pub runs: Vec<Run>,
    /// Records, in the order of their runs and of their places there.
    pub records: Vec<Record>,
    /// What to know about them.
    pub findings: Vec<Finding>,
}

impl Import {
    /// Takes over everything of another import.
    pub fn absorb(&mut self, other: Self) {
        let (sources, runs) = (self.sources.len(), self.runs.len());
        self.sources.extend(other.sources);
        self.runs.extend(other.runs.into_iter().map(|run| Run { source: run.source + sources, ..run }));
        self.records.extend(other.records.into_iter().map(|record| Record { run: record.run + runs, ..record }));
        self.findings.extend(other.findings);
    }

    /// Whether a finding keeps the import from being used.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind.weight() == Weight::Refused)
    }
}
