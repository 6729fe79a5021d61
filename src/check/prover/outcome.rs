//! What the prover answers: its budget, its refusals and the report on a set of cases. It holds data and wording only.

use super::formula::Witness;
use std::fmt;

/// How much effort one call may spend. Counted, never timed, so that the answer is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Decisions and conflicts of the search, over all questions of one call.
    pub branches: u64,
    /// Elementary steps (coefficients touched, clauses visited), over all questions of one call.
    pub steps: u64,
    /// Nodes of the axioms and formulas of one call; each listed class counts as one.
    pub nodes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { branches: 100_000, steps: 5_000_000, nodes: 100_000 }
    }
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// [`Budget::branches`].
    Branches,
    /// [`Budget::steps`].
    Steps,
    /// [`Budget::nodes`].
    Nodes,
}

/// Why a question got no answer. The prover never guesses: an undecided question is a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A product or quotient of quantities that both vary.
    Nonlinear {
        /// The offending term, written with the variables' names.
        term: String,
    },
    /// A denominator whose sign the declared ranges do not fix.
    Denominator {
        /// The denominator, written with the variables' names.
        term: String,
    },
    /// Nested more deeply than [`super::formula::MAX_DEPTH`].
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// The budget ran out before an answer was found.
    TooLarge {
        /// What ran out.
        measure: Measure,
        /// How much of it was needed when the prover stopped; at least this much.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// Counts without bounds on both sides, for which whole-number solutions were neither found nor excluded.
    Integers {
        /// The names of the counts without bounds.
        variables: Vec<String>,
        /// How many branches were tried.
        branches: u64,
    },
    /// The declared ranges and axioms contradict each other, so that every question would be answered emptily.
    Contradiction,
    /// The prover's own check of a witness failed; please report it.
    Defect,
    /// The input breaks the rules of the formula language, for example by an unknown variable or an empty `min`.
    Malformed {
        /// What is wrong.
        what: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nonlinear { term } => {
                write!(f, "`{term}` is not linear: it multiplies or divides two quantities that both vary")
            }
            Self::Denominator { term } => write!(f, "the denominator `{term}` may be zero or change sign"),
            Self::TooDeep { limit } => write!(f, "the rule is nested more than {limit} levels deep"),
            Self::TooLarge { measure, count, limit } => {
                let what = match measure {
                    Measure::Branches => "case distinctions",
                    Measure::Steps => "elementary steps",
                    Measure::Nodes => "operators and operands",
                };
                write!(f, "the rule is too large to prove: it needs at least {count} {what}, and {limit} are allowed")
            }
            Self::Integers { variables, branches } => write!(
                f,
                "whole-number solutions were neither found nor excluded after {branches} case distinctions; \
                 these counts have no bounds on both sides: {}",
                variables.join(", ")
            ),
            Self::Contradiction => f.write_str("the declared ranges contradict each other, so no evidence is possible"),
            Self::Defect => {
                f.write_str("the prover found evidence that fails its own check; this is a defect of the prover")
            }
            Self::Malformed { what } => f.write_str(what),
        }
    }
}

impl std::error::Error for Refusal {}

/// How a list of cases is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Cases must be pairwise disjoint.
    Unordered,
    /// The first case that holds applies.
    InOrder,
}

/// Two cases that can hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The position of the earlier case.
    pub first: usize,
    /// The position of the later case.
    pub second: usize,
    /// Evidence for which both hold.
    pub witness: Witness,
}

/// A case that can never apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// The position of the case.
    pub case: usize,
    /// Earlier cases that together take everything from it, none of which could be left out. Empty when the case is
    /// unsatisfiable by itself.
    pub shadowed_by: Vec<usize>,
}

/// A question about a set of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether any evidence is possible at all.
    Axioms,
    /// Whether the case (by position) can be read and can apply.
    Case(usize),
    /// Whether the two cases (by position) can hold together.
    Pair(usize, usize),
    /// Whether anything is left over by all cases.
    Remainder,
}

/// A question that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The question.
    pub question: Question,
    /// Why there is no answer.
    pub refusal: Refusal,
}

/// What is wrong with a set of cases; see [`Report::is_partition`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Pairs of cases that can hold together, in order of position; always empty for `Mode::InOrder`.
    pub overlaps: Vec<Overlap>,
    /// Evidence that falls to no case; always absent with `otherwise`.
    pub hole: Option<Witness>,
    /// Cases that can never apply, in order of position.
    pub dead: Vec<Dead>,
    /// With `otherwise`: whether nothing is left for it.
    pub otherwise_dead: bool,
    /// Questions without an answer. Questions that depend on a refused one are not listed again. After the budget ran
    /// out, the first unanswered question is listed and the remaining ones are not asked.
    pub refused: Vec<Refused>,
}

impl Report {
    /// Whether every question was answered and nothing is wrong: the cases are a partition.
    #[must_use]
    pub fn is_partition(&self) -> bool {
        self.overlaps.is_empty()
            && self.hole.is_none()
            && self.dead.is_empty()
            && !self.otherwise_dead
            && self.refused.is_empty()
    }
}
