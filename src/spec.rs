//! The checked study: every name resolved, every unit exact, every default written out. Owns the typed tree that the canonical
//! form encodes and that judging reads; it holds no places in the source, because a frozen file has none. Only `check` and
//! the canonical decoder build it.

mod comparison;
mod condition;
mod data;
mod design;
mod expr;
mod inference;
mod ladder;
mod looks;
mod methods;
mod results;
mod scenario;
mod units;
pub mod words;

pub use comparison::{Comparison, ComparisonLine, Objective, Precedence, RankOrder, Ranking, RankingKind};
pub use condition::{
    Case, CaseCondition, Class, Conclusion, Condition, EvidenceKind, EvidenceRef, Rule, Say, Term, VerdictClass,
};
pub use data::{
    AnalysisSet, CountAs, Derived, Field, FieldRole, Fill, InputFile, Keep, Pool, State, StateClass, TaskAttribute,
    TaskExpectation, TaskSource, Tasks, ValueType,
};
pub use design::{
    Attribute, Design, ExcludedCells, Factor, FactorOrigin, FlowStep, Model, Order, PriceList, ReplyField, Role,
    Scaffold, SettingValue, Tool,
};
pub use expr::{Aggregate, AggregateKind, ArithmeticOp, Expr, LevelRef, RecordExpr, ReduceKind, Relation, Statistic};
pub use inference::{
    About, Adjustment, Claim, Clause, Estimand, EstimandBody, Family, FamilyMembers, FitTarget, FittedModel, Gate,
    GateFailure, Hypothesis, Margin, Measure, Pass, Per, Pick, Polarity, Publish, Quantifier, QuantifierKind, Scope,
    ValueTable, Waiver,
};
pub use looks::{Looks, Spend};
pub use methods::{BootstrapKind, Interval, IntervalMethod, Sides, Test, TestMethod, Trend, Zeros};
pub use results::{
    FieldMapping, FileFormat, FileUnit, LevelMapping, ReportedEstimate, ResultsBlock, ResultsShape, UnitAt,
};
pub use scenario::{Change, Draw, Expectation, Scenario, Variation};
pub use units::{Bounds, Dimension, NumberType, Quantity};

use std::collections::BTreeMap;

/// A name of the study: ASCII, unique within its kind.
pub type Name = String;

/// A study after checking. Maps are keyed by the declared name, so declaration order never shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spec {
    /// The language version, 1.
    pub language: u32,
    /// The study's id; it is in no leaf.
    pub study: Name,
    /// Title, authors, questions, limitations.
    pub about: StudyAbout,
    /// Factors, including `model` and `scaffold` when declared and the levels of `seed`-like list factors.
    pub factors: BTreeMap<Name, Factor>,
    /// Models.
    pub models: BTreeMap<Name, Model>,
    /// Scaffolds.
    pub scaffolds: BTreeMap<Name, Scaffold>,
    /// Tools.
    pub tools: BTreeMap<Name, Tool>,
    /// Where units come from; absent when only reported evidence is judged.
    pub tasks: Option<Tasks>,
    /// What is planned; absent when only reported evidence is judged.
    pub design: Option<Design>,
    /// Outcomes and flags.
    pub fields: BTreeMap<Name, Field>,
    /// Analysis sets. When none is declared there is one, `all`, without clauses.
    pub sets: BTreeMap<Name, AnalysisSet>,
    /// Sourced constants.
    pub values: BTreeMap<Name, ValueTable>,
    /// Measures.
    pub measures: BTreeMap<Name, Measure>,
    /// Estimands and paired differences.
    pub estimands: BTreeMap<Name, Estimand>,
    /// Picks.
    pub picks: BTreeMap<Name, Pick>,
    /// Interval methods.
    pub intervals: BTreeMap<Name, Interval>,
    /// Tests.
    pub tests: BTreeMap<Name, Test>,
    /// Margins.
    pub margins: BTreeMap<Name, Margin>,
    /// Families.
    pub families: BTreeMap<Name, Family>,
    /// Gates and controls.
    pub gates: BTreeMap<Name, Gate>,
    /// Hypotheses.
    pub hypotheses: BTreeMap<Name, Hypothesis>,
    /// Conclusions.
    pub conclusions: BTreeMap<Name, Conclusion>,
    /// Figures that appear only together.
    pub publishes: BTreeMap<Name, Publish>,
    /// Comparisons of arms.
    pub comparisons: BTreeMap<Name, Comparison>,
    /// Orders of arms.
    pub rankings: BTreeMap<Name, Ranking>,
    /// Planned interim looks; one judgment of all results when absent.
    pub looks: Option<Looks>,
    /// Assumed truths for simulation.
    pub scenarios: BTreeMap<Name, Scenario>,
    /// How result files map onto records.
    pub results: BTreeMap<Name, ResultsBlock>,
    /// Recorded downgrades.
    pub waivers: Vec<Waiver>,
}

/// What a study says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StudyAbout {
    /// Its title; empty when none was given.
    pub title: String,
    /// Its authors, in the order given.
    pub authors: Vec<String>,
    /// Questions: name, whether primary, text.
    pub questions: BTreeMap<Name, Question>,
    /// Limitations by name.
    pub limitations: BTreeMap<Name, String>,
    /// Comparability epochs by name.
    pub epochs: BTreeMap<Name, String>,
}

/// A research question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Primary or secondary.
    pub primary: bool,
    /// The question.
    pub text: String,
}
