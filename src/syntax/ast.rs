//! The syntax tree: what was written, with places, before any name is resolved. Owns shapes only; it knows no units, no
//! bounds and no meaning.

mod compare;
mod equality;
mod expr;
mod results;
mod scaffold;

pub use compare::{Compare, CompareLine, Ranking};
pub use expr::{ArithmeticOp, Call, CompareOp, Expr, ExprKind, Literal, Selector};
pub use results::{Mapping, Results};
pub use scaffold::{Role, Scaffold, Step, Tool, TypeName, TypedName};

use std::collections::BTreeSet;

use crate::source::{Span, Spanned};

/// An identifier as written.
pub type Name = Spanned<String>;

/// A string literal after its escapes.
pub type Text = Spanned<String>;

/// A whole file with its includes inlined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// `language 1`.
    pub language: Option<Spanned<u32>>,
    /// Declarations in the order they stand.
    pub items: Vec<Item>,
    /// Every word of the lines that could not be read: what is missing elsewhere may stand there.
    pub unread: BTreeSet<String>,
}

/// One declaration and its place.
pub type Item = Spanned<Declaration>;

/// Every declaration of the language.
#[derive(Debug, Clone, PartialEq)]
pub enum Declaration {
    /// `study gaia { … }`
    Study(Study),
    /// `factor kind = sacrifice | quiet`
    Factor(Factor),
    /// `model opus { … }`
    Model(Model),
    /// `scaffold par "…" { … }`
    Scaffold(Scaffold),
    /// `tool web_search { … }`
    Tool(Tool),
    /// `tasks gaia { … }`
    Tasks(Tasks),
    /// `design { … }`
    Design(Design),
    /// `outcome correct: bool from scorer gaia_official`
    Outcome(Outcome),
    /// `flag provider_bug`
    Flag(Flag),
    /// `analysis_set robust { … }`
    AnalysisSet(AnalysisSet),
    /// `measure accuracy = mean(correct)`
    Measure(Measure),
    /// `value baseline = 0.69 "source"`
    Value(Value),
    /// `estimand gap per model = spread(accuracy over scaffold)`
    Estimand(Estimand),
    /// `paired gain = correct[s2] - correct[s1]`
    Paired(Estimand),
    /// `pick top = readout with largest auroc`
    Pick(Pick),
    /// `interval ci95 = bootstrap(percentile, …)`
    Interval(Method),
    /// `test flat = permutation(…)`
    Test(Method),
    /// `margin material = 10 pp higher "source"`
    Margin(Margin),
    /// `family gaps { … }`
    Family(Family),
    /// `gate quality { … }`, `control positive hint { … }`
    Gate(Gate),
    /// `hypothesis H1 primary "…" { … }`
    Hypothesis(Hypothesis),
    /// `conclusion headline { … }`
    Conclusion(Conclusion),
    /// `publish headline = raw, adjusted`
    Publish(Publish),
    /// `compare leads { on lead with flip higher; … }`
    Compare(Compare),
    /// `ranking order { by leads; … }`
    Ranking(Ranking),
    /// `looks { at 40, 80; maximum 139 task; spend obrien_fleming }`
    Looks(Looks),
    /// `scenario flat null "…" { … }`
    Scenario(Scenario),
    /// `results runs { … }`
    Results(Results),
    /// `waive E0405 on H2 because "…"`
    Waive(Waive),
    /// A keyword that is planned and not available.
    Planned(Name),
}

/// `study NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The study's id; it is in no leaf.
    pub name: Name,
    /// `title "…"`
    pub title: Option<Text>,
    /// `author "…"` any number of times.
    pub authors: Vec<Text>,
    /// `question RQ1 primary "…"`
    pub questions: Vec<Question>,
    /// `limitation name "…"`
    pub limitations: Vec<Noted>,
    /// `epoch name "…"`: comparability epochs.
    pub epochs: Vec<Noted>,
}

/// `question RQ1 primary "…"`
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its name.
    pub name: Name,
    /// `primary` or `secondary`, as written.
    pub role: Name,
    /// The question.
    pub text: Text,
}

/// A name with a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// The name.
    pub name: Name,
    /// The sentence.
    pub text: Text,
}

/// `factor NAME [ordered] = a | b | c`, or `factor NAME = 77001 to 77012`.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// Its name.
    pub name: Name,
    /// Whether the order of the levels is meaning.
    pub ordered: bool,
    /// The levels; a numeric level keeps its digits.
    pub levels: Levels,
}

/// The levels of a factor or of a task attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Levels {
    /// `a | b | c`; level names may be numbers.
    Listed(Vec<Name>),
    /// `77001 to 77012`: whole numbers, both ends included.
    Range(Name, Name),
}

/// `model NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its name, a level of the factor `model`.
    pub name: Name,
    /// `provider anthropic`
    pub provider: Option<Name>,
    /// `id "…" pinned canonical`
    pub id: Option<(Text, Name)>,
    /// Attributes such as `provider_family claude`, `tier 3`.
    pub attributes: Vec<(Name, Attribute)>,
    /// `prices DATE { input 5 usd/Mtok; … }`
    pub prices: Vec<Prices>,
    /// `settings { reasoning off; temperature omitted }`
    pub settings: Vec<(Name, Attribute)>,
}

/// A word, number or text given to an attribute or a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// A bare word such as `off`, `omitted`, `claude`.
    Word(Name),
    /// A number with an optional unit.
    Number(Literal),
    /// A quoted text.
    Text(Text),
}

/// Prices that hold from a date.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// `2026-05-01`, as written.
    pub date: Text,
    /// Token stream and price.
    pub streams: Vec<(Name, Literal)>,
}

/// `tasks NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Tasks {
    /// The name of the unit of analysis, such as `task`, `question`, `seed`.
    pub name: Name,
    /// `file "data/tasks.csv"`
    pub file: Option<Text>,
    /// `key task_id`: the column or JSON path that names a task.
    pub key: Option<Text>,
    /// `count 240`: numbered units without a file, keys `1` to `240`.
    pub count: Option<Literal>,
    /// `list a, b, c` or `list 77001 to 77012`: units named in the spec.
    pub list: Option<Levels>,
    /// `field level: 1 | 2 from "Level"`
    pub fields: Vec<TaskField>,
    /// `define document = …`
    pub defines: Vec<(Name, Expr)>,
    /// `expect 53 where level == 1`
    pub expects: Vec<(Literal, Option<Expr>)>,
    /// `select where …`
    pub select: Option<Expr>,
    /// `provenance "…"`
    pub provenance: Option<Text>,
}

/// `field attachment: text optional from "column"`
#[derive(Debug, Clone, PartialEq)]
pub struct TaskField {
    /// Name and type.
    pub field: TypedName,
    /// The column or path when it differs from the name.
    pub from: Option<Text>,
}

/// `design { … }`
#[derive(Debug, Clone, Default)]
pub struct Design {
    /// `cross model, scaffold, task`
    pub cross: Vec<Name>,
    /// `nest item in scenario`
    pub nest: Vec<(Name, Name)>,
    /// `repeat 3`
    pub repeat: Option<Literal>,
    /// `hold name "what is held fixed"`
    pub hold: Vec<Noted>,
    /// `exclude move == best where kind == sacrifice`
    pub exclude: Vec<(Expr, Option<Expr>)>,
    /// `order shuffled within task seed 7`, `order listed`.
    pub order: Option<Order>,
    /// `minimum 5 per scaffold`
    pub minimum: Option<(Literal, Vec<Name>)>,
    /// `cap 5 usd per attempt, 30 min per attempt`
    pub caps: Vec<(Literal, Name)>,
    /// `collapse correct by mean`: how repeats become one value.
    pub collapse: Vec<(Name, Name)>,
    /// Its place.
    pub span: Span,
}

/// `order shuffled within task seed 7`
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// `shuffled` or `listed`.
    pub kind: Name,
    /// `within task`
    pub within: Option<Name>,
    /// `seed 7`
    pub seed: Option<Literal>,
}

/// `outcome NAME: type [bounds] [from …]` or `outcome NAME: type = expression`
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Name, type, optional.
    pub field: TypedName,
    /// `in [0, 1]`
    pub bounds: Option<(Expr, Expr)>,
    /// `from scorer gaia_official version "1.2"`, `from usage`, `from annotators`
    pub source: Option<Source>,
    /// `= expression`: derived from other fields of the same record.
    pub derived: Option<Expr>,
    /// `missing as incorrect`, … kept for the analysis set when it is per outcome.
    pub censored_by: Option<Name>,
}

/// Where an outcome comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// `scorer`, `usage`, `log`, `annotators`, …
    pub kind: Name,
    /// The scorer's name.
    pub name: Option<Name>,
    /// `version "…"`
    pub version: Option<Text>,
}

/// `flag NAME "what it marks"`
#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    /// Its name.
    pub name: Name,
    /// What it marks.
    pub text: Option<Text>,
}

/// `analysis_set NAME { … }`; clauses apply in the language's own order, not in the written one.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisSet {
    /// Its name.
    pub name: Name,
    /// The clauses.
    pub clauses: Vec<Spanned<SetClause>>,
}

/// A clause of an analysis set.
#[derive(Debug, Clone, PartialEq)]
pub enum SetClause {
    /// `drop flagged(x)`
    Drop(Expr),
    /// `keep task where every(model, scaffold) has 1 completed`
    Keep {
        /// The unit that is kept or dropped whole.
        unit: Name,
        /// The factors of `every(…)`.
        every: Vec<Name>,
        /// How many records each cell needs.
        count: Literal,
        /// `completed`, `scored`.
        state: Name,
    },
    /// `count errored as incorrect, cost as 0 usd`, `count missing as 0`, `count missing as excluded`
    CountAs {
        /// The states counted, such as `errored`, `missing`.
        states: Vec<Name>,
        /// `incorrect`, `excluded`, `refused` or a number.
        value: Attribute,
        /// `cost as 0 usd`, `seconds as absent`: numbers that nothing was recorded for.
        fills: Vec<(Name, Attribute)>,
    },
    /// `pool planned` or `pool present`: which clusters are resampled.
    Pool(Name),
}

/// `measure NAME(a, b) = expression [undefined as …]`; its bounds follow from its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Its name.
    pub name: Name,
    /// Parameters: levels of a factor.
    pub parameters: Vec<Name>,
    /// The expression.
    pub expr: Expr,
    /// `undefined as 0`; absent means undefined.
    pub undefined: Option<Expr>,
}

/// `value NAME = 0.69 "source"` or `value NAME per factor { level = 1; … } "source"`
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its name.
    pub name: Name,
    /// `per factor`
    pub per: Option<Name>,
    /// The constant, when it is one.
    pub constant: Option<Expr>,
    /// The table, when it is one.
    pub table: Vec<(Name, Expr)>,
    /// Where it comes from.
    pub source: Option<Text>,
}

/// `estimand NAME per a, b = expression`; `paired` shares the shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimand {
    /// Its name.
    pub name: Name,
    /// `per technique except baseline, model`; `per pair of defence`.
    pub per: Vec<Per>,
    /// The expression.
    pub expr: Expr,
    /// `reported proportion [in [a, b]]`: the estimate comes from the results as it stands.
    pub reported: Option<Reported>,
    /// `fitted logit("…", without: "…") where condition`: a quantity of a fitted model.
    pub fitted: Option<Fitted>,
}

/// `= fitted logit("correct ~ arm + (1 | task)", without: "arm") where condition`
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The model and its arguments; it has the estimand's name.
    pub method: Method,
    /// Which records it is fitted to.
    pub filter: Option<Expr>,
}

/// `= reported proportion in [0, 1]`
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The type.
    pub kind: Name,
    /// The bounds.
    pub bounds: Option<(Expr, Expr)>,
}

/// One factor of a `per`.
#[derive(Debug, Clone, PartialEq)]
pub struct Per {
    /// The factor or task attribute.
    pub factor: Name,
    /// `except baseline`
    pub except: Vec<Name>,
    /// `pair of factor`
    pub pair: bool,
}

/// `pick NAME = factor with largest|smallest expression [per f] [ties first|refuse] [resample again|fixed]`
#[derive(Debug, Clone, PartialEq)]
pub struct Pick {
    /// Its name.
    pub name: Name,
    /// Whose level is picked.
    pub factor: Name,
    /// `largest` or `smallest`.
    pub direction: Name,
    /// Of what.
    pub expr: Expr,
    /// Picked anew for each of these.
    pub per: Vec<Name>,
    /// `first` or `refuse`.
    pub ties: Option<Name>,
    /// `again` or `fixed`.
    pub resample: Option<Name>,
}

/// `interval NAME = method(arguments) or else method(…) when condition`; `test` shares the shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Its name.
    pub name: Name,
    /// The method's name.
    pub method: Name,
    /// Positional words first, then `key: value`.
    pub arguments: Vec<Argument>,
    /// `or else NAME when condition-word`
    pub fallback: Option<(Name, Name)>,
}

/// `percentile` or `resamples: 5000`
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The key, absent for a positional word.
    pub key: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// `looks { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Looks {
    /// `at 40, 80`: complete units at each interim look; empty for `at any`.
    pub at: Vec<Literal>,
    /// `at any`
    pub any: bool,
    /// `maximum 139 task`
    pub maximum: Option<Literal>,
    /// `spend obrien_fleming`
    pub spend: Option<Name>,
    /// The whole declaration.
    pub span: Span,
}

/// `scenario NAME null|effect "…" { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: Name,
    /// `null` or `effect`
    pub kind: Name,
    /// What is assumed, in words.
    pub words: Option<Text>,
    /// `seed 7`
    pub seed: Option<Literal>,
    /// `draw correct { … }`
    pub draws: Vec<Draw>,
    /// `lose 2 % as missing`
    pub losses: Vec<(Literal, Name)>,
    /// `expect H1 supported at most 5 %`
    pub expects: Vec<Expectation>,
}

/// How an outcome comes about.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// The outcome.
    pub field: Name,
    /// `mean 62 %`
    pub mean: Option<Expr>,
    /// `shift 10 pp where …`, `times 1.5 x where …`
    pub changes: Vec<Change>,
    /// `vary task, arm 0.5`
    pub varies: Vec<(Vec<Name>, Literal)>,
}

/// A change of the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What is added.
    pub shift: Option<Expr>,
    /// What it is multiplied by.
    pub times: Option<Literal>,
    /// Where; everywhere when absent.
    pub filter: Option<Expr>,
}

/// `expect H1 supported at most 5 %`
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The hypothesis.
    pub hypothesis: Name,
    /// The class.
    pub class: Name,
    /// Whether the share is an upper bound.
    pub at_most: bool,
    /// The share of data sets.
    pub share: Literal,
}

/// `margin NAME = 10 pp higher "source"` or `margin band = [-2 pp, 2 pp] "source"`
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// Its name.
    pub name: Name,
    /// The effect, or the lower end of a band.
    pub low: Expr,
    /// The upper end of a band.
    pub high: Option<Expr>,
    /// `higher`, `lower` (which direction is better), absent for a band.
    pub direction: Option<Name>,
    /// Where it comes from.
    pub source: Option<Text>,
}

/// `family NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// Its name.
    pub name: Name,
    /// `members gap with flat per model where level == 1`
    pub members: Vec<Members>,
    /// `within model, taskset`: one family in each combination.
    pub within: Vec<Name>,
    /// `adjust holm`
    pub adjust: Option<Name>,
    /// `count 5`
    pub count: Option<Literal>,
    /// `alpha 5 %`
    pub alpha: Option<Literal>,
    /// `sequence gap, gain`: the order in which a fixed sequence tests its lines.
    pub sequence: Vec<Name>,
    /// `weight gain 1/2`
    pub weights: Vec<(Name, Literal)>,
    /// `pass gain to cost 1`
    pub passes: Vec<(Name, Name, Literal)>,
    /// `together lead, saving`: members with the same levels are one claim that needs them all.
    pub together: Vec<Name>,
}

/// `members ESTIMAND [with TEST] [per factors] [where condition]`
#[derive(Debug, Clone, PartialEq)]
pub struct Members {
    /// The estimand.
    pub estimand: Name,
    /// The test.
    pub test: Option<Name>,
    /// The factors that are listed.
    pub per: Vec<Per>,
    /// Which members.
    pub filter: Option<Expr>,
}

/// `gate NAME { … }`, `control positive NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// Its name.
    pub name: Name,
    /// `positive` or `negative` for a control.
    pub polarity: Option<Name>,
    /// `about …`
    pub about: Vec<About>,
    /// `scope all model`, as for hypotheses.
    pub scope: Option<Scope>,
    /// `per model`: the gate holds member by member.
    pub per: Vec<Name>,
    /// `set primary`
    pub set: Option<Name>,
    /// `require condition`
    pub require: Option<Expr>,
    /// `fail gives void "broken measurement"`
    pub fail: Option<(Name, Option<Text>)>,
}

/// `about gap with flat, ci95 as g`
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// The estimand.
    pub estimand: Name,
    /// `[full]`, `[a: x, b: y]`: pins factors of the estimand.
    pub at: Vec<Selector>,
    /// Intervals and tests.
    pub with: Vec<Name>,
    /// Another name for it in the rule.
    pub alias: Option<Name>,
}

/// `hypothesis NAME role "claim" { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Its name.
    pub name: Name,
    /// `primary`, `secondary`, `exploratory`.
    pub role: Option<Name>,
    /// The claim in words.
    pub claim: Option<Text>,
    /// `descriptive`: it has no rule.
    pub descriptive: bool,
    /// `answers RQ1, RQ2`
    pub answers: Vec<Name>,
    /// `about …`
    pub about: Vec<About>,
    /// `scope …`
    pub scope: Option<Scope>,
    /// `per technique, model`: a grid of verdicts.
    pub grid: Vec<Name>,
    /// `sets primary, robust`
    pub sets: Vec<Name>,
    /// `requires gate_a, gate_b`
    pub requires: Vec<Name>,
    /// `after H1 is supported`
    pub after: Vec<Expr>,
    /// `evaluable when n >= 5`
    pub evaluable: Option<Expr>,
    /// `clause hard { … }`
    pub clauses: Vec<HypothesisClause>,
    /// The rule.
    pub rule: Option<Rule>,
    /// `expects "…"`, free text about what would contradict the claim.
    pub notes: Vec<Noted>,
}

/// `clause NAME { about …; scope …; evaluable …; decide … }`
#[derive(Debug, Clone, PartialEq)]
pub struct HypothesisClause {
    /// Its name.
    pub name: Name,
    /// Its own `about`, else the hypothesis's.
    pub about: Vec<About>,
    /// Its scope.
    pub scope: Option<Scope>,
    /// `evaluable when …`
    pub evaluable: Option<Expr>,
    /// Its rule.
    pub rule: Option<Rule>,
}

/// `scope any model where level == 1`
#[derive(Debug, Clone)]
pub struct Scope {
    /// From the outermost inwards.
    pub quantifiers: Vec<Quantifier>,
    /// Which members.
    pub filter: Option<Expr>,
    /// Its place.
    pub span: Span,
}

/// `all model`, `at least 2 of 3 seed`, `2 of 2 seed when one is lost`
#[derive(Debug, Clone, PartialEq)]
pub struct Quantifier {
    /// Which.
    pub kind: QuantifierKind,
    /// The factors it runs over.
    pub factors: Vec<Name>,
    /// `(2 of 2 when one is lost)`: quorums after losses.
    pub when_lost: Vec<(Literal, Literal)>,
}

/// How many members must be supported.
#[derive(Debug, Clone, PartialEq)]
pub enum QuantifierKind {
    /// Every one.
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
    /// `at least k of n`
    AtLeast(Literal, Literal),
}

/// `decide { … }`, `decide in order { … }`
#[derive(Debug, Clone)]
pub struct Rule {
    /// First match wins.
    pub in_order: bool,
    /// The cases.
    pub cases: Vec<Case>,
    /// Its place.
    pub span: Span,
}

/// `placebo as contradicted when condition because "…"`
#[derive(Debug, Clone)]
pub struct Case {
    /// The label.
    pub label: Name,
    /// `as class`; absent when the label is a class.
    pub class: Option<Name>,
    /// The condition; absent for `otherwise`.
    pub when: Option<Expr>,
    /// `because "…"`
    pub because: Option<Text>,
    /// Its place.
    pub span: Span,
}

/// `conclusion NAME { say "…" when …; silent otherwise }`
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// Its name.
    pub name: Name,
    /// The cases, first match wins.
    pub cases: Vec<Say>,
}

/// `say "…" when condition`, `silent when condition`, `say "…" otherwise`
#[derive(Debug, Clone)]
pub struct Say {
    /// The sentence; absent for `silent`.
    pub sentence: Option<Text>,
    /// The condition; absent for `otherwise`.
    pub when: Option<Expr>,
    /// Its place.
    pub span: Span,
}

/// `publish NAME = raw, adjusted, flag_count`
#[derive(Debug, Clone, PartialEq)]
pub struct Publish {
    /// Its name.
    pub name: Name,
    /// Measures and estimands that appear together.
    pub figures: Vec<Name>,
}

/// `waive E0405 on H2 because "…"`
#[derive(Debug, Clone, PartialEq)]
pub struct Waive {
    /// The code, as written.
    pub code: Name,
    /// What it is waived for.
    pub on: Option<Name>,
    /// The reason.
    pub because: Option<Text>,
}
