//! What can be wrong with, or worth knowing about, imported results. Owns the kinds, their weight and why they matter.

use std::fmt;

/// How a finding counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Nothing is lost; a reader should know.
    Note,
    /// Something of the source is not in the records, or is in them with a doubt.
    Doubt,
    /// The file is not imported.
    Refused,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $weight:ident, $why:literal;)*) => {
        /// What kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind { $($(#[$doc])* $name,)* }

        impl FindingKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable word of the kind.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// How it counts.
            #[must_use]
            pub const fn weight(self) -> Weight {
                match self { $(Self::$name => Weight::$weight,)* }
            }

            /// Why it matters.
            #[must_use]
            pub const fn why(self) -> &'static str {
                match self { $(Self::$name => $why,)* }
            }
        }
    };
}

kinds! {
    /// A file or folder that cannot be read.
    NoFile = "no_file", Refused, "results that cannot be read cannot be judged";
    /// No known format.
    UnknownFormat = "unknown_format", Refused, "a format is recognised by what a file holds, and is never guessed from its name";
    /// A pointer of git-LFS in place of a file.
    LfsPointer = "lfs_pointer", Refused, "the file holds the address of the results, not the results";
    /// A list of logs that is not itself a log.
    Manifest = "manifest", Note, "a list of logs holds no samples; the logs that it names do";
    /// A file that belongs to no log.
    OtherFile = "other_file", Note, "what is not read should be known";
    /// An archive that ends too early or whose parts do not fit together.
    BrokenArchive = "broken_archive", Refused, "which samples are missing cannot be known from a broken archive";
    /// An entry whose bytes are damaged.
    DamagedEntry = "damaged_entry", Refused, "leaving out a sample that cannot be read would change the denominator";
    /// An entry with a name or kind that an archive of results has no use for.
    UnsafeEntry = "unsafe_entry", Refused, "such names are used to write outside of the folder that an archive is unpacked in";
    /// An entry that is packed in a way that is not read.
    UnknownPacking = "unknown_packing", Refused, "an entry that cannot be unpacked cannot be judged";
    /// More than the bounds allow.
    TooLarge = "too_large", Refused, "bounded time and memory protect whoever judges results that others made";
    /// Entries of an archive that later ones replaced.
    SupersededEntry = "superseded_entry", Doubt, "an earlier version of a sample is still in the file, or was, and does not count";
    /// JSON that is not well formed.
    BadJson = "bad_json", Refused, "half of a document is no result";
    /// A document without a part that every version has.
    MissingPart = "missing_part", Refused, "without it records cannot be told apart";
    /// A part with a value of a kind that no version writes.
    BadPart = "bad_part", Refused, "reading it as something else would be a guess";
    /// A name that is not known here.
    UnknownWord = "unknown_word", Doubt, "the word may change what a record means";
    /// A form of sample that is not read yet.
    UnsupportedSample = "unsupported_sample", Refused, "leaving out samples would change the denominator";
    /// The run never ended.
    Unfinished = "unfinished", Doubt, "samples that had not ended are not in the file, and which ones is not random";
    /// The run was stopped.
    Cancelled = "cancelled", Doubt, "samples that had not ended are not in the file, and which ones is not random";
    /// The run halted on an error.
    Halted = "halted", Doubt, "an error of the run says nothing of the samples that had ended before it";
    /// The log was put together after a crash.
    Recovered = "recovered", Doubt, "its totals speak of the samples that were found, not of those that were planned";
    /// Samples that the log planned and does not hold.
    MissingSamples = "missing_samples", Doubt, "aggregates of the log leave them out, so that its denominator is too small";
    /// Samples that the log holds and did not plan.
    SurplusSamples = "surplus_samples", Doubt, "more attempts than planned give a second chance to some samples";
    /// The log does not list what it planned.
    NoPlan = "no_plan", Note, "only the plan of the study can say whether a sample is missing";
    /// The log selects some of its data set.
    Subset = "subset", Note, "a part of a data set may not stand for the whole";
    /// Two samples share an identity.
    DuplicateSample = "duplicate_sample", Doubt, "only one of them can count, and counting the better one would be a choice";
    /// Identities that differ only in how they are written.
    SimilarIds = "similar_ids", Doubt, "some tools take them for one sample, and then one of the two is lost";
    /// Samples that the tool ran again after an error.
    RetriedOnError = "retried_on_error", Doubt, "running a failed sample again gives it a second chance";
    /// Samples that several logs hold, as one and the same attempt.
    CarriedOver = "carried_over", Note, "one attempt in several logs counts once";
    /// Samples that failed and were run again in a later log.
    Rerun = "rerun", Doubt, "running a failed sample again gives it a second chance";
    /// Samples that had an outcome and were run again in a later log.
    RerollOfFinished = "reroll_of_finished", Doubt, "a second outcome in place of a first one is a choice between results";
    /// Logs of one task whose order cannot be known.
    UnknownOrder = "unknown_order", Doubt, "which attempt stands depends on which came last";
    /// Logs of one task that planned different things.
    PlanChanged = "plan_changed", Doubt, "a log that is used again after its plan changed answers another question";
    /// Scores that were changed after the run.
    EditedScores = "edited_scores", Doubt, "an analysis that was fixed beforehand uses the scores of the run";
    /// Tags or metadata that were changed after the run.
    EditedHeader = "edited_header", Note, "what a log says of itself may have been written after its results were known";
    /// Samples that were marked as invalid.
    InvalidatedSamples = "invalidated_samples", Doubt, "who decides that a sample is invalid has seen its result";
    /// Failed samples that have scores.
    ErroredButScored = "errored_but_scored", Doubt, "the log's own aggregates count them in some versions and not in others";
    /// Samples without a score.
    NoScore = "no_score", Doubt, "the log's own aggregates leave them out, so that its denominator is too small";
    /// Several scorers.
    SeveralScorers = "several_scorers", Note, "the study must say which scorer it means";
    /// Scores that are lists or maps.
    CompoundScore = "compound_score", Note, "the study must say which part of the score it means";
    /// A missing part of a score that may mean "no score" or "zero".
    AmbiguousNull = "ambiguous_null", Doubt, "old versions wrote the same word for a score that is missing and for one that is not a number";
    /// Scores that are not finite.
    InfiniteScore = "infinite_score", Doubt, "a mean over it is not finite";
    /// Rows of the summaries that occur twice.
    DuplicateSummaries = "duplicate_summaries", Doubt, "counting rows would count samples twice";
    /// Summaries and samples that do not agree.
    SummariesDiffer = "summaries_differ", Doubt, "one of the two was changed or is incomplete";
    /// Aggregates of the log that do not fit its samples.
    AggregatesDiffer = "aggregates_differ", Doubt, "a figure copied from the log would not be what the samples say";
    /// Usage whose meaning depends on the provider.
    UsageMeaning = "usage_meaning", Doubt, "input tokens include those of caches with some providers and not with others";
    /// Samples without usage.
    NoUsage = "no_usage", Doubt, "costs cannot be computed for them";
    /// A run that was retried and counts one attempt only.
    PartialUsage = "partial_usage", Doubt, "the costs of earlier attempts are in other logs or nowhere";
    /// Code that no commit holds.
    DirtyRevision = "dirty_revision", Doubt, "the code that gave these results cannot be found again";
    /// Changes of settings during the run.
    ChangedSettings = "changed_settings", Doubt, "samples before and after the change were not run alike";
    /// Texts that were cut.
    CutTexts = "cut_texts", Note, "an answer that was cut cannot be scored again";
    /// Halves of characters that no text can hold.
    LoneSurrogates = "lone_surrogates", Note, "they were replaced by U+FFFD";
    /// Several values under one name.
    RepeatedNames = "repeated_names", Doubt, "readers differ in which of them they take";
}

/// One finding about imported results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The file, with the entry, line or path in it.
    pub place: String,
    /// What is wrong or worth knowing.
    pub what: String,
    /// What to do.
    pub help: String,
    /// How many records it concerns; 0 when it is about the file.
    pub count: u64,
}

impl Finding {
    /// A finding about a place.
    #[must_use]
    pub fn new(kind: FindingKind, place: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { kind, place: place.into(), what: what.into(), help: help.into(), count: 0 }
    }

    /// The same finding, about so many records.
    #[must_use]
    pub fn of(self, count: u64) -> Self {
        Self { count, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}); {}", self.place, self.what, self.kind.why(), self.help)
    }
}

impl std::error::Error for Finding {}
