//! The parts of a study that a report explains: rules, margins, estimands, analysis sets, families and gates in words, and the
//! thresholds of a rule. Written from the checked study alone; conditions themselves are worded by `spec`.

use crate::math::exact;
use crate::spec::{
    Adjustment, Aggregate, AggregateKind, AnalysisSet, ArithmeticOp, Case, CaseCondition, Class, Comparison,
    ComparisonLine, Condition, CountAs, EstimandBody, Expr, Fill, FitTarget, GateFailure, Interval, LevelRef, Margin,
    Name, Objective, Per, Polarity, Pool, Precedence, RankOrder, Ranking, RankingKind, ReduceKind, Rule, Spec, Term,
    VerdictClass,
};

mod thresholds;

pub use thresholds::{Threshold, thresholds};

#[cfg(test)]
mod tests;

/// A class as a reader says it.
#[must_use]
pub const fn class(class: VerdictClass) -> &'static str {
    match class {
        VerdictClass::Supported => "supported",
        VerdictClass::Contradicted => "contradicted",
        VerdictClass::Inconclusive => "inconclusive",
        VerdictClass::Void => "void",
        VerdictClass::NotEvaluated => "not evaluated",
        VerdictClass::NotEvaluable => "not evaluable",
    }
}

/// A label as a reader says it: engine classes without their underscore, others as the rule names them.
#[must_use]
pub fn label(label: &str) -> &str {
    VerdictClass::from_word(label).map_or(label, |found| class(found))
}

/// Factor and level pairs: `model opus, level 1`; empty for no pair.
#[must_use]
pub fn member(member: &[(Name, Name)]) -> String {
    member.iter().map(|(factor, level)| format!("{factor} {level}")).collect::<Vec<_>>().join(", ")
}

/// A count with its noun, plural by `s`: `1 record`, `12 345 records`.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", super::figures::count(count), if count == 1 { "" } else { "s" })
}

/// A case without its label: `when gap.estimate >= material`, `otherwise, because "…"`.
#[must_use]
pub fn case_condition(case: &Case) -> String {
    let because = case.because.as_ref().map_or_else(String::new, |because| format!(" — {because}"));
    format!("{}{because}", case.when)
}

/// A case's label, with its class where the label is another word: `placebo (contradicted)`.
#[must_use]
pub fn case_label(case: &Case) -> String {
    let word = class(VerdictClass::from(case.class));
    if label(&case.label) == word { word.to_owned() } else { format!("{} ({word})", case.label) }
}

/// How the cases of a rule are read.
#[must_use]
pub const fn rule_reading(rule: &Rule) -> &'static str {
    if rule.in_order {
        "The first case that applies decides."
    } else {
        "Exactly one case applies, whatever the evidence."
    }
}

/// What would have given a class: the conditions of its cases, in the order of the rule. For a rule that takes the first
/// match, cases that stand before are named.
#[must_use]
pub fn ways_to(rule: &Rule, wanted: Class) -> Vec<String> {
    let mut ways = Vec::new();
    for (at, case) in rule.cases.iter().enumerate() {
        if case.class != wanted {
            continue;
        }
        let before = rule.in_order
            && rule.cases.iter().take(at).any(|earlier| earlier.class != wanted)
            && case.when != CaseCondition::Otherwise;
        let condition = case_condition(case);
        let label = if label(&case.label) == class(VerdictClass::from(wanted)) {
            String::new()
        } else {
            format!("{}: ", case.label)
        };
        let unless = if before { ", if no earlier case applied" } else { "" };
        ways.push(format!("{label}{condition}{unless}"));
    }
    ways
}

/// A margin: `10 pp, higher is better`, or a band.
#[must_use]
pub fn margin(margin: &Margin) -> String {
    match (&margin.high, margin.higher) {
        (Some(high), _) => format!("from {} to {high}", margin.low),
        (None, Some(true)) => format!("{}, higher is better", margin.low),
        (None, Some(false)) => format!("{}, lower is better", margin.low),
        (None, None) => margin.low.to_string(),
    }
}

/// What an analysis set does with the records, in the order in which it is done.
#[must_use]
pub fn set(set: &AnalysisSet) -> Vec<String> {
    let mut steps: Vec<String> = set.drops.iter().map(|drop| format!("drop records where {drop}")).collect();
    steps.extend(set.keeps.iter().map(|keep| {
        format!(
            "keep units in which every combination of {} has {} {} {}",
            keep.every.join(", "),
            super::figures::count(keep.count),
            keep.state.word(),
            if keep.count == 1 { "record" } else { "records" },
        )
    }));
    steps.extend(set.counts.iter().map(|(state, policy)| match policy {
        CountAs::Incorrect => format!("count {} records as incorrect", state.word()),
        CountAs::Excluded => format!("leave {} records out of the denominator", state.word()),
        CountAs::Value(value) => format!("count {} records as {value}", state.word()),
    }));
    for (state, fills) in &set.fills {
        steps.extend(fills.iter().map(|(field, fill)| match fill {
            Fill::Absent => format!("leave {} records without `{field}` out of what is computed of it", state.word()),
            Fill::Value(value) => format!("take `{field}` for {value} where {} records have none", state.word()),
        }));
    }
    if set.pool == Pool::Present {
        steps.push("resample only units with at least one record left".to_owned());
    }
    if steps.is_empty() {
        steps.push("every record counts as it came".to_owned());
    }
    steps
}

/// What an estimand is computed for: `model, level`; levels left out are named.
#[must_use]
pub fn per(per: &[Per]) -> String {
    per.iter()
        .map(|per| {
            let pair = if per.pair { "pair of " } else { "" };
            let except =
                if per.except.is_empty() { String::new() } else { format!(" (without {})", per.except.join(", ")) };
            format!("{pair}{}{except}", per.factor)
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// How an estimand is computed.
#[must_use]
pub fn body(body: &EstimandBody) -> String {
    match body {
        EstimandBody::Contrast(expr) => formula(expr),
        EstimandBody::Paired { value, filter } => {
            let filter = filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
            format!("mean over units of {value}{filter}")
        }
        EstimandBody::Fitted(model) => {
            let filter = model.filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
            let nodes =
                if model.nodes == 1 { "Laplace".to_owned() } else { format!("{} quadrature nodes", model.nodes) };
            match &model.target {
                FitTarget::Without(term) => format!(
                    "likelihood-ratio statistic of {term} in the logistic model {}{filter}, {nodes}",
                    model.formula
                ),
                FitTarget::Coefficient(name) => {
                    format!("coefficient {name} of the logistic model {}{filter}, {nodes}", model.formula)
                }
            }
        }
        EstimandBody::Reported => "taken from the results as reported".to_owned(),
    }
}

fn levels(levels: &[(Name, LevelRef)]) -> String {
    levels.iter().map(|(factor, level)| format!("{factor}: {}", level_ref(level))).collect::<Vec<_>>().join(", ")
}

fn level_ref(level: &LevelRef) -> String {
    match level {
        LevelRef::Level(name) | LevelRef::Parameter(name) => name.clone(),
        LevelRef::Picked(name) => format!("the level that {name} picks"),
        LevelRef::Next => "next".to_owned(),
    }
}

/// An expression over cells, as a formula. Bounded by the size of the expression.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub fn formula(expr: &Expr) -> String {
    match expr {
        Expr::Constant(value) => value.to_string(),
        Expr::Value(name) | Expr::Estimand(name) => name.clone(),
        Expr::Aggregate(inner) => aggregate(inner),
        Expr::Measure(name, parameters) if parameters.is_empty() => name.clone(),
        Expr::Measure(name, parameters) => {
            format!("{name}({})", parameters.iter().map(level_ref).collect::<Vec<_>>().join(", "))
        }
        Expr::At(inner, cell) => format!("{}[{}]", operand(inner), levels(cell)),
        Expr::For(inner, filter) => format!("{} for {filter}", operand(inner)),
        Expr::Reduce(kind, factor, inner) => {
            let kind = match kind {
                ReduceKind::Spread => "spread",
                ReduceKind::Max => "max",
                ReduceKind::Min => "min",
                ReduceKind::Sum => "sum",
                ReduceKind::Product => "product",
                ReduceKind::Mean => "mean",
                ReduceKind::MeanDefined => "mean_defined",
            };
            format!("{kind}({} over {factor})", formula(inner))
        }
        Expr::Arithmetic(left, op, right) => {
            let right = if matches!(op, ArithmeticOp::Add) { formula(right) } else { operand(right) };
            let left = if matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract) && !matches!(**left, Expr::For(..)) {
                formula(left)
            } else {
                operand(left)
            };
            format!("{left} {} {right}", op.symbol())
        }
        Expr::Slope(factor, inner) => format!("slope({} over {factor})", formula(inner)),
        Expr::Log(inner) => match &**inner {
            Expr::Arithmetic(left, ArithmeticOp::Divide, right) => {
                format!("log_ratio({}, {})", formula(left), formula(right))
            }
            other => format!("log({})", formula(other)),
        },
        Expr::Negate(inner) => format!("-{}", operand(inner)),
        Expr::Abs(inner) => format!("abs({})", formula(inner)),
        Expr::Minimum(parts) => format!("min({})", parts.iter().map(formula).collect::<Vec<_>>().join(", ")),
        Expr::Maximum(parts) => format!("max({})", parts.iter().map(formula).collect::<Vec<_>>().join(", ")),
    }
}

fn operand(expr: &Expr) -> String {
    if matches!(expr, Expr::Arithmetic(..) | Expr::For(..)) { format!("({})", formula(expr)) } else { formula(expr) }
}

fn aggregate(aggregate: &Aggregate) -> String {
    let (kind, last) = match &aggregate.kind {
        AggregateKind::Mean => ("mean", None),
        AggregateKind::Rate => ("rate", None),
        AggregateKind::Sum => ("sum", None),
        AggregateKind::Count => ("count", None),
        AggregateKind::Median => ("median", None),
        AggregateKind::Quantile(at) => ("quantile", Some(exact::canonical(at))),
        AggregateKind::Sd => ("sd", None),
        AggregateKind::Min => ("min", None),
        AggregateKind::Max => ("max", None),
        AggregateKind::Phi => ("phi", None),
        AggregateKind::Statistic(statistic) => (statistic.word(), statistic.parameter().map(|last| last.to_string())),
    };
    let mut arguments: Vec<String> = aggregate.arguments.iter().map(ToString::to_string).collect();
    arguments.extend(last);
    let filter = aggregate.filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
    format!("{kind}({}{filter})", arguments.join(", "))
}

/// An interval method with its arguments.
#[must_use]
pub fn interval(interval: &Interval) -> String {
    format!("{}; confidence level {}", interval.method, interval.level)
}

/// An adjustment by name.
#[must_use]
pub const fn adjustment(adjustment: Adjustment) -> &'static str {
    match adjustment {
        Adjustment::Holm => "Holm",
        Adjustment::Bonferroni => "Bonferroni",
        Adjustment::Hochberg => "Hochberg",
        Adjustment::BenjaminiHochberg => "Benjamini and Hochberg (false discovery rate)",
        Adjustment::Hommel => "Hommel",
        Adjustment::BenjaminiYekutieli => "Benjamini and Yekutieli (false discovery rate)",
        Adjustment::FixedSequence => "fixed sequence",
        Adjustment::Graph => "graph of weights",
        Adjustment::Joint => "Holm over difference and equivalence together",
        Adjustment::None => "not adjusted",
    }
}

/// What a comparison declares.
#[must_use]
pub fn comparison(comparison: &Comparison) -> String {
    let line = |line: &ComparisonLine| {
        let tests = line.equivalence.as_ref().map_or_else(
            || format!("by {}", line.difference),
            |equivalence| format!("by {}, equivalence by {equivalence}", line.difference),
        );
        format!("{} {tests}, {} is better", line.estimand, if line.higher { "higher" } else { "lower" })
    };
    let lines: Vec<String> = comparison.lines.iter().map(line).collect();
    let within = if comparison.within.is_empty() {
        String::new()
    } else {
        format!(", within each {}", comparison.within.join(", "))
    };
    let precedence = match comparison.precedence {
        None => "",
        Some(Precedence::Difference) => "; where both are shown it is a difference",
        Some(Precedence::Equivalence) => "; where both are shown it is equivalence",
    };
    format!(
        "{}{within}; {}; level {}; {}; at least {}{precedence}; set {}",
        lines.join(", and "),
        adjustment(comparison.adjust),
        comparison.level,
        counted(comparison.count, "comparison"),
        counted(comparison.minimum, "unit"),
        comparison.set
    )
}

/// What a ranking declares.
#[must_use]
pub fn ranking(ranking: &Ranking) -> String {
    let ranked = |names: &std::collections::BTreeSet<Name>| names.iter().cloned().collect::<Vec<_>>().join(" by ");
    match &ranking.kind {
        RankingKind::Findings { comparison, order } => {
            let order = match order {
                RankOrder::Inclusion => "by inclusion of those that each is above",
                RankOrder::Count => "by how many each is above",
            };
            format!("the findings of {comparison}, {order}; set {}", ranking.set)
        }
        RankingKind::Estimate { estimand, largest, ranked: arms } => {
            let first = if *largest { "largest" } else { "smallest" };
            format!("{} by {estimand}, {first} first; set {}", ranked(arms), ranking.set)
        }
        RankingKind::Front { objectives, ranked: arms, draws } => {
            let one = |one: &Objective| format!("{} {}", one.estimand, if one.higher { "high" } else { "low" });
            let objectives: Vec<String> = objectives.iter().map(one).collect();
            format!(
                "{} that nothing beats in {}; resampled as {draws}; set {}",
                ranked(arms),
                objectives.join(" and "),
                ranking.set
            )
        }
    }
}

/// Whether intervals match the verdicts of an adjustment.
#[must_use]
pub const fn intervals_of(adjustment: Adjustment) -> &'static str {
    match adjustment {
        Adjustment::Bonferroni => "intervals that share their level `over` the family match it",
        Adjustment::None => "intervals of one member alone match it",
        Adjustment::Holm
        | Adjustment::Hochberg
        | Adjustment::Hommel
        | Adjustment::FixedSequence
        | Adjustment::Graph
        | Adjustment::Joint => {
            "no intervals match it; those `over` the family or simultaneous ones hold for all members, and are wider"
        }
        Adjustment::BenjaminiHochberg | Adjustment::BenjaminiYekutieli => {
            "no intervals match it: it holds the share of false claims, not the chance of any"
        }
    }
}

/// What a gate is and what its failure gives: `positive control; failure gives void`.
#[must_use]
pub fn gate(polarity: Option<Polarity>, fail: GateFailure) -> String {
    let kind = match polarity {
        Some(Polarity::Positive) => "positive control",
        Some(Polarity::Negative) => "negative control",
        None => "gate",
    };
    let fail = match fail {
        GateFailure::Void => "void",
        GateFailure::NotEvaluated => "not evaluated",
    };
    format!("{kind}; failure gives {fail}")
}

/// Names of margins and sourced values that conditions read, so that a reader sees their sizes.
#[must_use]
pub fn constants<'a>(
    spec: &'a Spec,
    conditions: impl IntoIterator<Item = &'a Condition>,
) -> Vec<(Name, String, String)> {
    let mut names = std::collections::BTreeSet::new();
    for condition in conditions {
        thresholds::terms(condition, &mut |term| match term {
            Term::Margin(name) | Term::MarginHigh(name) | Term::Value(name) => {
                names.insert(name.as_str());
            }
            Term::Constant(_)
            | Term::Evidence(_)
            | Term::CountMembers(..)
            | Term::Arithmetic(..)
            | Term::Negate(_)
            | Term::Abs(_)
            | Term::Minimum(_)
            | Term::Maximum(_) => {}
        });
    }
    names
        .into_iter()
        .filter_map(|name| {
            if let Some(found) = spec.margins.get(name) {
                return Some((name.to_owned(), margin(found), found.source.clone()));
            }
            let table = spec.values.get(name)?;
            let entries: Vec<String> = table
                .entries
                .iter()
                .map(|(level, value)| if level.is_empty() { value.to_string() } else { format!("{level}: {value}") })
                .collect();
            Some((name.to_owned(), entries.join(", "), table.source.clone()))
        })
        .collect()
}

/// The conditions of a rule.
pub fn conditions(rule: &Rule) -> impl Iterator<Item = &Condition> {
    rule.cases.iter().filter_map(|case| match &case.when {
        CaseCondition::When(condition) => Some(condition),
        CaseCondition::Otherwise => None,
    })
}
