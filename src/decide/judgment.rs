//! What a judgment holds: plain data for every presentation. Nothing here is computed; nothing is rendered.

use crate::math::Rational;
use crate::spec::{Claim, Dimension, GateFailure, Name, VerdictClass};

/// A number of evidence.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// Exact: counts, means of exact values, ratios of sums.
    Exact(Rational),
    /// Computed in binary floating point: resampled limits, p-values, correlations.
    Float(f64),
}

/// A number or why there is none.
pub type Figure = Result<Number, String>;

/// A whole judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// The study's id.
    pub study: Name,
    /// Its title.
    pub title: String,
    /// `sha256:…`; absent for an exploratory judgment.
    pub freeze_id: Option<String>,
    /// `sha256:…`
    pub spec_digest: String,
    /// Whether the spec was not frozen: every label is prefixed and nothing can be sealed.
    pub exploratory: bool,
    /// Whether planned units that never came were let through.
    pub partial: bool,
    /// Which of the planned looks this is, when looks are planned.
    pub look: Option<super::Look>,
    /// `sha256:…` over the canonical rows of all records and reported estimates, independent of file and row order.
    pub records_digest: String,
    /// Result files read: name, SHA-256 in hex, bytes.
    pub files: Vec<(String, String, u64)>,
    /// Who was planned, came, was excluded, by analysis set; the spec's first-named set first.
    pub flows: Vec<Flow>,
    /// Verdicts in the order of their names.
    pub hypotheses: Vec<HypothesisVerdict>,
    /// Gates in the order of their names.
    pub gates: Vec<GateVerdict>,
    /// Families in the order of their names, by analysis set.
    pub families: Vec<FamilyResult>,
    /// Comparisons in the order of their names, by family.
    pub comparisons: Vec<ComparisonResult>,
    /// Rankings in the order of their names.
    pub rankings: Vec<RankingResult>,
    /// Conclusions in the order of their names.
    pub conclusions: Vec<ConclusionResult>,
    /// Published figures and estimands that no hypothesis reads.
    pub figures: Vec<EstimandResult>,
    /// Warnings of the check and of the data: code, subject, text.
    pub warnings: Vec<Warning>,
    /// Waivers: code, subject, reason.
    pub waivers: Vec<(String, Name, String)>,
    /// The study's limitations: name, text.
    pub limitations: Vec<(Name, String)>,
}

/// A warning that stands beside verdicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// Its code, such as `E0502`; empty for a warning that comes from the data.
    pub code: String,
    /// What it touches; empty for the whole study.
    pub subject: Name,
    /// The text.
    pub text: String,
}

/// What became of the planned records under one analysis set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// The analysis set.
    pub set: Name,
    /// Planned records.
    pub planned: u64,
    /// How many were in each state, by the state's word, in the order of the reference; zero counts are left out.
    pub states: Vec<(&'static str, u64)>,
    /// Records dropped by the set's conditions.
    pub dropped: u64,
    /// Records lost with units that were not kept.
    pub not_kept: u64,
    /// Records left out because their class is counted as excluded.
    pub excluded: u64,
    /// Records counted as incorrect or as a value.
    pub imputed: u64,
    /// The denominator: records that count.
    pub counted: u64,
    /// Units with at least one record that counts, and planned units.
    pub units: (u64, u64),
    /// The same by arm (levels of the crossed factors): arm, planned, completed, errored, missing, counted.
    pub arms: Vec<(String, [u64; 5])>,
}

/// The verdict on a hypothesis.
#[derive(Debug, Clone, PartialEq)]
pub struct HypothesisVerdict {
    /// Its name.
    pub name: Name,
    /// Its standing.
    pub role: Claim,
    /// The claim in words.
    pub claim: String,
    /// Questions it answers.
    pub answers: Vec<Name>,
    /// Whether it has no rule on purpose.
    pub descriptive: bool,
    /// By analysis set; the first is the headline.
    pub sets: Vec<SetVerdict>,
    /// Whether analysis sets disagree.
    pub disagree: bool,
}

/// A verdict under one analysis set.
#[derive(Debug, Clone, PartialEq)]
pub struct SetVerdict {
    /// The analysis set.
    pub set: Name,
    /// The verdict; for a grid, absent.
    pub outcome: Option<Outcome>,
    /// A grid of verdicts by its own factors.
    pub grid: Vec<MemberVerdict>,
    /// The members that the rule was asked of.
    pub members: Vec<MemberVerdict>,
    /// Clauses by name, each with members of its own.
    pub clauses: Vec<(Name, Outcome, Vec<MemberVerdict>)>,
    /// Evidence of a rule that is asked once (no scope) and of descriptive hypotheses.
    pub evidence: Vec<EstimandResult>,
}

/// What a rule gave and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The class.
    pub class: VerdictClass,
    /// The label; the class's word when the rule has no other.
    pub label: String,
    /// The index of the case that fired, in the rule as written.
    pub case: Option<usize>,
    /// Why: the reason of an engine class, the quantifier's count, the component that could not be resolved.
    pub reason: Option<String>,
    /// The comparison nearest to its threshold, among those of the rule.
    pub nearest: Option<Distance>,
    /// For `for some F`: the levels of F that made it true.
    pub named: Vec<Name>,
}

/// How far evidence is from a threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    /// The comparison in words, such as `lower > 0 pp`.
    pub comparison: String,
    /// The evidence's value.
    pub value: f64,
    /// The threshold's value.
    pub threshold: f64,
    /// Value minus threshold, in the base unit.
    pub distance: f64,
    /// The unit of all three.
    pub dimension: Dimension,
    /// Monte Carlo standard error of the value, when it was resampled.
    pub monte_carlo_error: Option<f64>,
    /// Whether the distance is under two such errors, so that another seed could decide otherwise.
    pub fragile: bool,
}

/// A member of a quantified claim or of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberVerdict {
    /// Factor and level.
    pub member: Vec<(Name, Name)>,
    /// Its verdict.
    pub outcome: Outcome,
    /// Its evidence.
    pub evidence: Vec<EstimandResult>,
}

/// Evidence of one estimand in one member.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimandResult {
    /// What the rule calls it.
    pub alias: Name,
    /// The estimand.
    pub estimand: Name,
    /// Factor and level.
    pub member: Vec<(Name, Name)>,
    /// The unit of its numbers.
    pub dimension: Dimension,
    /// Whether it was taken as reported, not recomputed.
    pub reported: bool,
    /// The point estimate.
    pub estimate: Figure,
    /// Intervals.
    pub intervals: Vec<IntervalResult>,
    /// Tests.
    pub tests: Vec<TestResult>,
    /// Records behind it; absent when reported without.
    pub n: Option<u64>,
    /// Clusters behind it.
    pub clusters: Option<u64>,
    /// What the rule says along the axis of the estimate, if estimate and limits all stood there: from, to, class, label.
    /// Unbounded ends are absent.
    pub regions: Vec<Region>,
}

/// A stretch of the axis and what the rule says there.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Where it begins.
    pub from: Option<f64>,
    /// Where it ends.
    pub to: Option<f64>,
    /// The class.
    pub class: VerdictClass,
    /// The label.
    pub label: String,
}

/// An interval.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalResult {
    /// The interval method's name in the spec; `reported` for a reported one.
    pub name: Name,
    /// The method in words with its arguments, such as `percentile bootstrap, 5000 resamples of task`.
    pub method: String,
    /// Confidence level between 0 and 1.
    pub level: f64,
    /// Lower and upper end.
    pub limits: Result<(f64, f64), String>,
    /// Resamples in which the estimand was undefined.
    pub undefined: u64,
    /// Monte Carlo standard errors of the two ends, when resampled.
    pub monte_carlo_error: Option<(f64, f64)>,
}

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct TestResult {
    /// The test's name in the spec.
    pub name: Name,
    /// The method in words.
    pub method: String,
    /// The p-value.
    pub p: Result<f64, String>,
    /// The p-value adjusted in its family.
    pub p_adjusted: Option<Result<f64, String>>,
    /// The family.
    pub family: Option<Name>,
    /// Counts behind it in words, such as `238 above, 2 below, 0 equal`.
    pub counts: String,
}

/// A member of a gate: factor and level, whether it passed or why that is unknown, its evidence.
pub type GateMember = (Vec<(Name, Name)>, Result<bool, String>, Vec<EstimandResult>);

/// A gate's verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct GateVerdict {
    /// Its name.
    pub name: Name,
    /// The analysis set it read.
    pub set: Name,
    /// What a failure gives.
    pub fail: GateFailure,
    /// Its reason in words.
    pub reason: String,
    /// By member of its `per` factors (one empty member otherwise): passed, failed, or why it could not be evaluated.
    pub members: Vec<GateMember>,
}

/// A family's adjusted p-values.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyResult {
    /// Its name.
    pub name: Name,
    /// The analysis set.
    pub set: Name,
    /// The combination of its `within` factors.
    pub within: Vec<(Name, Name)>,
    /// The adjustment's word.
    pub adjust: &'static str,
    /// The planned number of members.
    pub count: u64,
    /// Members: what, p, adjusted p.
    pub members: Vec<(String, Result<f64, String>, f64)>,
}

/// The comparisons of one family and what they found.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonResult {
    /// The comparison's name.
    pub name: Name,
    /// The analysis set.
    pub set: Name,
    /// The combination of its `within` factors.
    pub within: Vec<(Name, Name)>,
    /// The adjustment's word.
    pub adjust: &'static str,
    /// The level between 0 and 1.
    pub level: f64,
    /// The planned number of comparisons.
    pub count: u64,
    /// Every comparison.
    pub members: Vec<ComparedMember>,
}

/// What one comparison found of its first arm against its second.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMember {
    /// Factor and level; a pair of levels is written `a, b`.
    pub member: Vec<(Name, Name)>,
    /// `better`, `worse`, `equivalent`, `not_separable`, `no_interval` or `no_verdict`.
    pub finding: &'static str,
    /// A difference is shown, and it is shown to be smaller than the margin.
    pub within_margin: bool,
    /// Why there is no finding.
    pub reason: Option<String>,
    /// Units with a difference.
    pub units: u64,
    /// Units or pairs left out because a side does not count.
    pub left_out: u64,
    /// The adjusted p of no difference, of the line that shows it least.
    pub p_difference: f64,
    /// The adjusted p of the equivalence test, of the line that shows it least; absent where none is declared.
    pub p_equivalence: Option<f64>,
    /// The evidence of every line.
    pub lines: Vec<EstimandResult>,
}

/// One order of arms.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingResult {
    /// The ranking's name.
    pub name: Name,
    /// The analysis set.
    pub set: Name,
    /// The combination of the factors that are not ranked.
    pub within: Vec<(Name, Name)>,
    /// `findings`, `estimate` or `front`.
    pub kind: &'static str,
    /// The arms, the first ones first, or why there is no order.
    pub rows: Result<Vec<RankRow>, String>,
}

/// Where one arm stands.
#[derive(Debug, Clone, PartialEq)]
pub struct RankRow {
    /// Factor and level.
    pub member: Vec<(Name, Name)>,
    /// Its rank from 1; absent in a front, and where its estimate is undefined.
    pub rank: Option<u64>,
    /// Whether another arm has the same rank by the same standing.
    pub tied: bool,
    /// The best and the worst rank it may have, when ranked by findings.
    pub bounds: Option<(u64, u64)>,
    /// The estimates it is ranked by: estimand, value, unit.
    pub values: Vec<(Name, Figure, Dimension)>,
    /// `front`, `dominated` or `undefined`, in a front.
    pub place: Option<&'static str>,
    /// The share of resamples that put it on the front, in a front.
    pub frequency: Option<Result<f64, String>>,
}

/// A conclusion.
#[derive(Debug, Clone, PartialEq)]
pub struct ConclusionResult {
    /// Its name.
    pub name: Name,
    /// The licensed sentence; absent for silence.
    pub sentence: Option<String>,
    /// The case that fired; absent for the default.
    pub case: Option<usize>,
}
