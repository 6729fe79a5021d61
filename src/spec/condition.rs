//! Decision rules: conditions over evidence, cases, conclusions.

use super::{ArithmeticOp, Name, Quantity, Relation};

/// What a rule can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The claim holds.
    Supported,
    /// The claim fails.
    Contradicted,
    /// Neither.
    Inconclusive,
}

/// What a verdict can be: a rule's class, or one that only the engine gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VerdictClass {
    /// The claim holds.
    Supported,
    /// The claim fails.
    Contradicted,
    /// Neither.
    Inconclusive,
    /// A gate failed: the measurement is broken.
    Void,
    /// An order condition or a gate says the question does not arise.
    NotEvaluated,
    /// Evidence is undefined or missing.
    NotEvaluable,
}

impl VerdictClass {
    /// All six.
    pub const ALL: [Self; 6] =
        [Self::Supported, Self::Contradicted, Self::Inconclusive, Self::Void, Self::NotEvaluated, Self::NotEvaluable];

    /// The word used in specs and documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Inconclusive => "inconclusive",
            Self::Void => "void",
            Self::NotEvaluated => "not_evaluated",
            Self::NotEvaluable => "not_evaluable",
        }
    }

    /// The class with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.word() == word)
    }
}

/// Which number of an estimand's evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// The point estimate.
    Estimate,
    /// The interval's lower end.
    Lower,
    /// The interval's upper end.
    Upper,
    /// The test's p-value.
    P,
    /// The p-value after adjustment in its family.
    PAdjusted,
    /// Records counted.
    N,
    /// Clusters counted.
    Clusters,
}

/// A number of evidence, fully resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceRef {
    /// The alias in the rule's `about`.
    pub about: Name,
    /// The interval or test that provides it; absent for estimate, n and clusters, and for reported intervals.
    pub method: Option<Name>,
    /// Which number.
    pub kind: EvidenceKind,
}

/// A number in a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A number as written.
    Constant(Quantity),
    /// A margin's effect, or the lower end of a band.
    Margin(Name),
    /// The upper end of a band.
    MarginHigh(Name),
    /// A sourced constant, or its entry for the member.
    Value(Name),
    /// Evidence.
    Evidence(EvidenceRef),
    /// How many members over these factors satisfy a condition.
    CountMembers(Vec<Name>, Box<Condition>),
    /// `a + b`
    Arithmetic(Box<Term>, ArithmeticOp, Box<Term>),
    /// `-x`
    Negate(Box<Term>),
    /// `abs(x)`
    Abs(Box<Term>),
    /// `min(a, b)`
    Minimum(Vec<Term>),
    /// `max(a, b)`
    Maximum(Vec<Term>),
}

/// A condition over evidence and verdicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// `a >= b`
    Compare(Term, Relation, Term),
    /// `x in [a, b]`, ends included.
    Within(Term, Term, Term),
    /// A verdict has this class or label.
    Is {
        /// A clause of the same hypothesis, or a hypothesis.
        subject: Name,
        /// Whether the subject is a clause.
        clause: bool,
        /// `is not`
        negated: bool,
        /// A class's word or a label.
        label: Name,
        /// `for some F`
        some: Option<Name>,
    },
    /// `not x`
    Not(Box<Condition>),
    /// `a and b`
    And(Vec<Condition>),
    /// `a or b`
    Or(Vec<Condition>),
}

/// When a case applies.
#[expect(clippy::large_enum_variant, reason = "nearly every case holds a condition")]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaseCondition {
    /// When this holds.
    When(Condition),
    /// When no other case does.
    Otherwise,
}

/// One case of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Case {
    /// The label.
    pub label: Name,
    /// Its class.
    pub class: Class,
    /// When it applies.
    pub when: CaseCondition,
    /// Why, in words.
    pub because: Option<String>,
}

/// A total function from evidence to a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Whether the first match wins; else the cases are pairwise disjoint.
    pub in_order: bool,
    /// The cases in the order written.
    pub cases: Vec<Case>,
}

/// One case of a conclusion.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Say {
    /// The sentence; absent for silence.
    pub sentence: Option<String>,
    /// When.
    pub when: CaseCondition,
}

/// From verdicts to one licensed sentence; the first match wins and the default is silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// The cases in order.
    pub cases: Vec<Say>,
}
