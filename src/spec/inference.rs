//! What is estimated, tested and claimed.

use std::collections::BTreeMap;

use super::{Attribute, Condition, Expr, LevelRef, Name, NumberType, Quantity, RecordExpr, Rule, VerdictClass};

/// An aggregate with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// Parameters, each a level of the factor named with it.
    pub parameters: Vec<(Name, Name)>,
    /// How it is computed.
    pub expr: Expr,
    /// Its value when it is undefined; undefined stays undefined when absent.
    pub undefined: Option<Quantity>,
    /// Its type.
    pub kind: NumberType,
}

/// A sourced constant, or one per level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueTable {
    /// The factor whose levels have their own entries.
    pub per: Option<Name>,
    /// The entries by level; a constant has the one entry `""`.
    pub entries: BTreeMap<Name, Quantity>,
    /// Where it comes from.
    pub source: String,
}

/// A factor or task attribute that an estimand is computed for, level by level.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Per {
    /// The factor or task attribute.
    pub factor: Name,
    /// Levels left out, sorted.
    pub except: Vec<Name>,
    /// Whether it runs over unordered pairs of levels, which fill the parameters of the measure in order.
    pub pair: bool,
}

/// What an estimand computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EstimandBody {
    /// An expression over cells.
    Contrast(Expr),
    /// A value of each unit; the estimate is its mean over units, and paired tests take the values as their operand.
    Paired {
        /// The value of one unit.
        value: RecordExpr,
        /// Which units.
        filter: Option<RecordExpr>,
    },
    /// A quantity of a model fitted to the records.
    Fitted(FittedModel),
    /// An estimate that the results report as it stands.
    Reported,
}

/// A binomial model with the logit link and random intercepts, fitted by maximum likelihood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittedModel {
    /// Its formula in canonical spelling: terms expanded and in order.
    pub formula: String,
    /// Which of its quantities is the estimate.
    pub target: FitTarget,
    /// Nodes of the adaptive quadrature; one is the Laplace approximation.
    pub nodes: u64,
    /// Which records it is fitted to.
    pub filter: Option<RecordExpr>,
}

/// A quantity of a fitted model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FitTarget {
    /// Twice the log-likelihood that a term adds: the likelihood-ratio statistic of the formula against the one without it.
    Without(String),
    /// A coefficient, in log odds, by the name that the fit gives it.
    Coefficient(String),
}

/// A quantity that the study is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimand {
    /// What it is computed for, in the order written; members are tuples of levels in this order.
    pub per: Vec<Per>,
    /// How.
    pub body: EstimandBody,
    /// Its type.
    pub kind: NumberType,
}

impl Estimand {
    /// Whether its unit values are made of logarithms, so that its mean is the logarithm of a geometric mean.
    #[must_use]
    pub fn takes_logarithms(&self) -> bool {
        matches!(&self.body, EstimandBody::Paired { value, .. } if inside(value))
    }
}

/// Whether a logarithm stands in a value.
fn inside(expr: &RecordExpr) -> bool {
    match expr {
        RecordExpr::Log(_) => true,
        RecordExpr::At(inner, _) | RecordExpr::Negate(inner) | RecordExpr::Abs(inner) => inside(inner),
        RecordExpr::Arithmetic(left, _, right) => inside(left) || inside(right),
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Field(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_)
        | RecordExpr::Present(_)
        | RecordExpr::EndsWith(..)
        | RecordExpr::OneOf(..)
        | RecordExpr::Not(_)
        | RecordExpr::And(_)
        | RecordExpr::Or(_)
        | RecordExpr::Compare(..) => false,
    }
}

/// A level selected by a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// Whose level.
    pub factor: Name,
    /// Largest or smallest.
    pub largest: bool,
    /// Of what.
    pub expr: Expr,
    /// Picked anew for each combination of these.
    pub per: Vec<Name>,
    /// Whether a tie is refused; else the first level in the factor's order wins.
    pub ties_refuse: bool,
    /// Whether every resample picks again.
    pub resample_again: bool,
}

/// A smallest effect of interest, or a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margin {
    /// The effect, or the lower end of a band.
    pub low: Quantity,
    /// The upper end of a band.
    pub high: Option<Quantity>,
    /// Whether higher is better; absent for a band.
    pub higher: Option<bool>,
    /// Where it comes from.
    pub source: String,
}

/// How p-values of a family are adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Adjustment {
    /// Holm.
    Holm,
    /// Bonferroni.
    Bonferroni,
    /// Hochberg: valid under independence or positive dependence.
    Hochberg,
    /// Benjamini and Hochberg: holds the false discovery rate, not the chance of any false claim.
    BenjaminiHochberg,
    /// Hommel: closed testing with Simes's tests, valid under independence or positive dependence.
    Hommel,
    /// Benjamini and Yekutieli: holds the false discovery rate under any dependence.
    BenjaminiYekutieli,
    /// Lines in their declared sequence, each by Holm at the full level once all before are rejected.
    FixedSequence,
    /// A graph of weights that are passed on when a hypothesis is rejected.
    Graph,
    /// Holm over difference and equivalence tests of the same comparisons together, of whose nulls one must be false.
    Joint,
    /// Stated to be unadjusted.
    None,
}

/// Members of a family that come from one estimand.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FamilyMembers {
    /// The estimand.
    pub estimand: Name,
    /// The test whose p-values are adjusted.
    pub test: Name,
    /// Which members, over the estimand's `per` factors; all when absent.
    pub filter: Option<RecordExpr>,
}

/// Comparisons that share an error rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// The members.
    pub members: Vec<FamilyMembers>,
    /// One family in each combination of these, sorted.
    pub within: Vec<Name>,
    /// How.
    pub adjust: Adjustment,
    /// The planned number of members of each such family; checked against the members.
    pub count: u64,
    /// The estimands of a fixed sequence, in its order.
    pub sequence: Vec<Name>,
    /// The shares of the level that the estimands of a graph start with.
    pub weights: BTreeMap<Name, Quantity>,
    /// The shares that one estimand of a graph passes on to another when it is rejected, sorted.
    pub passes: Vec<Pass>,
    /// Estimands whose members with the same levels are one claim that needs them all, so that its p is the largest of theirs,
    /// sorted.
    pub together: Vec<Name>,
}

/// `pass gain to cost 1/2`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pass {
    /// The estimand that is rejected.
    pub from: Name,
    /// The one that receives.
    pub to: Name,
    /// The share of what it held.
    pub share: Quantity,
}

/// A control's polarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Polarity {
    /// It must show the effect.
    Positive,
    /// It must not show the effect.
    Negative,
}

/// What becomes of dependants when a gate fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GateFailure {
    /// The measurement is broken.
    Void,
    /// The question does not arise.
    NotEvaluated,
}

/// A condition without which its dependants are not evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// For a control.
    pub polarity: Option<Polarity>,
    /// Its evidence.
    pub about: Vec<About>,
    /// How members combine.
    pub scope: Option<Scope>,
    /// The factors whose members the gate decides one by one.
    pub per: Vec<Name>,
    /// The analysis set it reads.
    pub set: Name,
    /// What must hold.
    pub require: Condition,
    /// What a failure gives.
    pub fail: GateFailure,
    /// Why, in words.
    pub reason: String,
}

/// Evidence that a rule reads: an estimand, with the intervals and tests computed for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct About {
    /// What the rule calls it.
    pub alias: Name,
    /// The estimand.
    pub estimand: Name,
    /// Factors of its `per` that are pinned.
    pub at: Vec<(Name, LevelRef)>,
    /// Intervals, sorted.
    pub intervals: Vec<Name>,
    /// Tests, sorted.
    pub tests: Vec<Name>,
}

/// How many members must be supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuantifierKind {
    /// Every one.
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
    /// At least so many of the planned number.
    AtLeast {
        /// k
        at_least: u64,
        /// n, checked against the members.
        of: u64,
    },
}

/// One quantifier of a scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantifier {
    /// Which.
    pub kind: QuantifierKind,
    /// The factors it runs over.
    pub factors: Vec<Name>,
    /// Quorums after losses: (at least, of).
    pub when_lost: Vec<(u64, u64)>,
}

/// Which members a rule is asked of, and how their verdicts combine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// From the outermost inwards.
    pub quantifiers: Vec<Quantifier>,
    /// Which members, over the estimand's `per` factors.
    pub filter: Option<RecordExpr>,
}

/// A hypothesis's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// Confirmatory, primary.
    Primary,
    /// Confirmatory, secondary.
    Secondary,
    /// Exploratory: feeds no family, gate or confirmatory conclusion.
    Exploratory,
}

/// A claim and the rule that decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// Its standing.
    pub role: Claim,
    /// Whether it has no rule on purpose.
    pub descriptive: bool,
    /// The claim in words.
    pub claim: String,
    /// Questions it answers, sorted.
    pub answers: Vec<Name>,
    /// Its evidence.
    pub about: Vec<About>,
    /// Its scope.
    pub scope: Option<Scope>,
    /// Factors of a grid of verdicts, in the order written.
    pub grid: Vec<Name>,
    /// Analysis sets; the first is the headline.
    pub sets: Vec<Name>,
    /// Gates it depends on, sorted.
    pub requires: Vec<Name>,
    /// Conditions on other verdicts without which it is not evaluated.
    pub after: Vec<Condition>,
    /// What must hold for it to be evaluable.
    pub evaluable: Option<Condition>,
    /// Clauses by name.
    pub clauses: BTreeMap<Name, Clause>,
    /// Its rule; absent only when descriptive.
    pub rule: Option<Rule>,
    /// Notes by name.
    pub notes: BTreeMap<Name, String>,
}

/// A part of a hypothesis with its own verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Its evidence, the hypothesis's when it has none of its own.
    pub about: Vec<About>,
    /// Its scope.
    pub scope: Option<Scope>,
    /// What must hold for it to be evaluable.
    pub evaluable: Option<Condition>,
    /// Its rule.
    pub rule: Rule,
}

/// Figures that appear only together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publish {
    /// Measures and estimands, sorted.
    pub figures: Vec<Name>,
}

/// A recorded downgrade of a listed refusal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Waiver {
    /// The code's number.
    pub code: String,
    /// What it is waived for.
    pub on: Name,
    /// Why.
    pub because: String,
}

/// An attribute's value when a scope groups by it (`for some provider_family`): the word, or its number's spelling.
impl Attribute {
    /// The text that names a group.
    #[must_use]
    pub fn group(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Text(text) => text.clone(),
            Self::Number(quantity) => quantity.value.to_string(),
        }
    }
}

/// The three classes a rule can give are also verdict classes.
impl From<super::Class> for VerdictClass {
    fn from(class: super::Class) -> Self {
        match class {
            super::Class::Supported => Self::Supported,
            super::Class::Contradicted => Self::Contradicted,
            super::Class::Inconclusive => Self::Inconclusive,
        }
    }
}
