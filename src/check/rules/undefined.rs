//! Measures that can be undefined where a confirmatory rule reads them: a denominator that data can make zero, a part that
//! data can leave empty, a column that can be constant. What the plan alone decides is never reported.

use super::evidence::evidence_of;
use super::plan::conjuncts;
use super::{RuleSite, confirmatory};
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{
    About, Aggregate, AggregateKind, ArithmeticOp, Bounds, CaseCondition, Condition, EstimandBody, EvidenceKind, Expr,
    Name, RecordExpr, Spec, ValueType,
};

/// Estimands and measures that name each other are followed this far.
const MOST_DEPTH: u32 = 32;

/// Why an estimand can have no value.
struct Cause {
    /// The measure in which it can happen, when one is named.
    measure: Option<Name>,
    /// When, in words: goes on from "is undefined".
    when: String,
    /// Whether it is a lack of records, so that `n` tells.
    empty: bool,
    /// What decides it: another estimand over one of these says whether it happened.
    keys: Vec<RecordExpr>,
}

/// Checks one rule.
pub(super) fn check(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    if !confirmatory(site.hypothesis) {
        return;
    }
    let mut read = Vec::new();
    for case in &site.rule.cases {
        if let CaseCondition::When(condition) = &case.when {
            evidence_of(condition, &mut read);
        }
    }
    let clause = site.clause.and_then(|name| site.hypothesis.clauses.get(name));
    let evaluable: Vec<&Condition> =
        site.hypothesis.evaluable.iter().chain(clause.and_then(|clause| clause.evaluable.as_ref())).collect();
    for (at, about) in site.about.iter().enumerate() {
        let counts = |kind| matches!(kind, EvidenceKind::N | EvidenceKind::Clusters);
        if !read.iter().any(|evidence| evidence.about == about.alias && !counts(evidence.kind)) {
            continue;
        }
        let Some(why) = estimand(spec, &about.estimand, 0) else { continue };
        if ruled_out(spec, site, about, &why, &evaluable) {
            continue;
        }
        let own = clause.filter(|clause| clause.about != site.hypothesis.about).and(site.clause);
        let place = places.get(Kind::Hypothesis, site.name, &Part::About(own.cloned(), at));
        let subject = why.measure.as_ref().map_or("it", |measure| measure.as_str());
        let mut found = Diagnostic::warning(
            Code::UndefinedMeasure,
            place,
            format!("`{}` can have no value, and `{}` does not say what then", about.estimand, site.name),
        )
        .note(format!("{} is undefined {}", quoted(subject), why.when))
        .note("the member is then not evaluable: no case is tried, and it neither supports nor contradicts");
        if let Some(measure) = &why.measure {
            found = found.also(places.get(Kind::Measure, measure, &Part::Expr), "undefined here");
        }
        let given = if why.measure.is_some() {
            "say what it is then (`undefined as …` behind the measure)"
        } else {
            "make it a measure and say what it is then (`undefined as …`)"
        };
        out.push(found.help(format!("{given}, or when the claim can be judged (`evaluable when …`)")).about(site.name));
    }
}

fn quoted(subject: &str) -> String {
    if subject == "it" { "it".to_owned() } else { format!("`{subject}`") }
}

/// Whether an `evaluable when` reads what decides the case: the number of records, or another estimand over the same thing.
fn ruled_out(spec: &Spec, site: &RuleSite<'_>, about: &About, cause: &Cause, evaluable: &[&Condition]) -> bool {
    let mut read = Vec::new();
    for condition in evaluable {
        evidence_of(condition, &mut read);
    }
    read.iter().any(|evidence| {
        if matches!(evidence.kind, EvidenceKind::N | EvidenceKind::Clusters) {
            return cause.empty && evidence.about == about.alias;
        }
        let abouts = site.about.iter().chain(&site.hypothesis.about);
        let Some(other) = abouts.into_iter().find(|other| other.alias == evidence.about) else { return false };
        let mut looked_at = Vec::new();
        if let Some(EstimandBody::Contrast(body)) = spec.estimands.get(&other.estimand).map(|it| &it.body) {
            record_parts(spec, body, 0, &mut looked_at);
        }
        other.alias != about.alias && looked_at.iter().any(|part| cause.keys.contains(part))
    })
}

/// What the aggregates of an expression look at, conditions taken apart.
fn record_parts(spec: &Spec, expr: &Expr, depth: u32, out: &mut Vec<RecordExpr>) {
    if depth > MOST_DEPTH {
        return;
    }
    let add = |condition: &RecordExpr, out: &mut Vec<RecordExpr>| {
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        out.extend(parts.into_iter().cloned());
    };
    match expr {
        Expr::Aggregate(aggregate) => {
            for part in aggregate.arguments.iter().chain(&aggregate.filter) {
                add(part, out);
            }
        }
        Expr::For(inner, condition) => {
            add(condition, out);
            record_parts(spec, inner, depth + 1, out);
        }
        Expr::Measure(name, _) => {
            if let Some(measure) = spec.measures.get(name) {
                record_parts(spec, &measure.expr, depth + 1, out);
            }
        }
        Expr::Estimand(name) => {
            if let Some(EstimandBody::Contrast(body)) = spec.estimands.get(name).map(|it| &it.body) {
                record_parts(spec, body, depth + 1, out);
            }
        }
        Expr::At(inner, _)
        | Expr::Reduce(_, _, inner)
        | Expr::Slope(_, inner)
        | Expr::Negate(inner)
        | Expr::Abs(inner)
        | Expr::Log(inner) => {
            record_parts(spec, inner, depth + 1, out);
        }
        Expr::Arithmetic(left, _, right) => {
            record_parts(spec, left, depth + 1, out);
            record_parts(spec, right, depth + 1, out);
        }
        Expr::Minimum(parts) | Expr::Maximum(parts) => {
            for part in parts {
                record_parts(spec, part, depth + 1, out);
            }
        }
        Expr::Constant(_) | Expr::Value(_) => {}
    }
}

fn estimand(spec: &Spec, name: &str, depth: u32) -> Option<Cause> {
    match &spec.estimands.get(name)?.body {
        EstimandBody::Contrast(body) => Walk { spec, measure: None, filters: Vec::new(), depth }.expr(body),
        EstimandBody::Paired { filter, .. } => {
            let mut parts = Vec::new();
            if let Some(filter) = filter {
                conjuncts(filter, &mut parts);
            }
            emptied(spec, parts.into_iter())
        }
        // A fit that fails says so itself, and no rule can foresee it.
        EstimandBody::Fitted(_) | EstimandBody::Reported => None,
    }
}

/// The conditions that data can leave without a record.
fn emptied<'e>(spec: &Spec, conditions: impl Iterator<Item = &'e RecordExpr>) -> Option<Cause> {
    let measured: Vec<RecordExpr> = conditions.filter(|condition| of_data(spec, condition)).cloned().collect();
    if measured.is_empty() {
        return None;
    }
    let shown: Vec<String> = measured.iter().map(ToString::to_string).collect();
    Some(Cause {
        measure: None,
        when: format!("where no record has `{}`", shown.join(" and ")),
        empty: true,
        keys: measured,
    })
}

/// Whether a condition depends on what was measured, and not on the plan alone.
fn of_data(spec: &Spec, condition: &RecordExpr) -> bool {
    match condition {
        RecordExpr::Field(name) => spec.fields.contains_key(name),
        RecordExpr::Flagged(_) | RecordExpr::State(_) => true,
        RecordExpr::At(inner, _)
        | RecordExpr::Present(inner)
        | RecordExpr::EndsWith(inner, _)
        | RecordExpr::OneOf(inner, _)
        | RecordExpr::Not(inner)
        | RecordExpr::Negate(inner)
        | RecordExpr::Abs(inner)
        | RecordExpr::Log(inner) => of_data(spec, inner),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => parts.iter().any(|part| of_data(spec, part)),
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            of_data(spec, left) || of_data(spec, right)
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_) => false,
    }
}

/// A walk down an expression, with what was passed on the way.
#[derive(Clone)]
struct Walk<'a> {
    spec: &'a Spec,
    measure: Option<&'a Name>,
    filters: Vec<&'a RecordExpr>,
    depth: u32,
}

impl<'a> Walk<'a> {
    fn expr(&self, expr: &'a Expr) -> Option<Cause> {
        if self.depth > MOST_DEPTH {
            return None;
        }
        let deeper = Self { depth: self.depth + 1, ..self.clone() };
        match expr {
            Expr::Constant(_) | Expr::Value(_) => None,
            Expr::Aggregate(aggregate) => self.aggregate(aggregate),
            Expr::Measure(name, _) => {
                let measure = self.spec.measures.get_key_value(name).filter(|(_, it)| it.undefined.is_none())?;
                Self { measure: Some(measure.0), ..deeper }.expr(&measure.1.expr)
            }
            Expr::Estimand(name) => estimand(self.spec, name, self.depth + 1),
            Expr::For(inner, condition) => {
                let mut filters = self.filters.clone();
                conjuncts(condition, &mut filters);
                Self { filters, ..deeper }.expr(inner)
            }
            Expr::At(inner, _)
            | Expr::Reduce(_, _, inner)
            | Expr::Slope(_, inner)
            | Expr::Negate(inner)
            | Expr::Abs(inner) => deeper.expr(inner),
            // A logarithm is undefined wherever its argument can be zero.
            Expr::Log(inner) => deeper.expr(inner).or_else(|| {
                (!apart(self.spec, inner, 0)).then(|| {
                    let mut keys = Vec::new();
                    record_parts(self.spec, inner, 0, &mut keys);
                    let when = format!("where {} is 0", shown(inner));
                    Cause { measure: self.measure.cloned(), when, empty: false, keys }
                })
            }),
            Expr::Arithmetic(left, op, right) => deeper.expr(left).or_else(|| deeper.expr(right)).or_else(|| {
                let divides = *op == ArithmeticOp::Divide && !apart(self.spec, right, 0);
                divides.then(|| {
                    let mut keys = Vec::new();
                    record_parts(self.spec, right, 0, &mut keys);
                    let when = format!("where {} is 0", shown(right));
                    Cause { measure: self.measure.cloned(), when, empty: false, keys }
                })
            }),
            Expr::Minimum(parts) | Expr::Maximum(parts) => parts.iter().find_map(|part| deeper.expr(part)),
        }
    }

    fn aggregate(&self, aggregate: &'a Aggregate) -> Option<Cause> {
        match aggregate.kind {
            AggregateKind::Sum | AggregateKind::Count => None,
            AggregateKind::Phi => {
                let shown: Vec<String> = aggregate.arguments.iter().map(|argument| format!("`{argument}`")).collect();
                Some(Cause {
                    measure: self.measure.cloned(),
                    when: format!("where {} holds for every record or for none", shown.join(" or ")),
                    empty: false,
                    keys: aggregate.arguments.clone(),
                })
            }
            // Constant scores, one class alone or too few attempts leave these without a value.
            AggregateKind::Statistic(statistic) => Some(Cause {
                measure: self.measure.cloned(),
                when: format!("where the records leave `{}` without a value", statistic.word()),
                empty: false,
                keys: aggregate.arguments.clone(),
            }),
            AggregateKind::Mean
            | AggregateKind::Rate
            | AggregateKind::Median
            | AggregateKind::Quantile(_)
            | AggregateKind::Sd
            | AggregateKind::Min
            | AggregateKind::Max => {
                let mut filters = self.filters.clone();
                if let Some(filter) = &aggregate.filter {
                    conjuncts(filter, &mut filters);
                }
                let cause = emptied(self.spec, filters.into_iter()).or_else(|| self.absent(aggregate))?;
                Some(Cause { measure: self.measure.cloned(), ..cause })
            }
        }
    }

    /// An optional outcome that no record may have; an absent truth is false and counts.
    fn absent(&self, aggregate: &Aggregate) -> Option<Cause> {
        let [RecordExpr::Field(name)] = aggregate.arguments.as_slice() else { return None };
        let field = self.spec.fields.get(name).filter(|field| field.optional)?;
        let keys =
            vec![RecordExpr::Present(Box::new(RecordExpr::Field(name.clone()))), RecordExpr::Field(name.clone())];
        let when = format!("where no record has `{name}`, which is optional");
        matches!(field.kind, ValueType::Number(_)).then_some(Cause { measure: None, when, empty: true, keys })
    }
}

/// Whether a denominator stays apart from zero whatever the data say.
fn apart(spec: &Spec, expr: &Expr, depth: u32) -> bool {
    let zero = Rational::from_integer(0.into());
    if depth > MOST_DEPTH {
        return false;
    }
    let positive = |expr: &Expr| apart(spec, expr, depth + 1);
    let beyond = |bounds: &Bounds| {
        bounds.lower.as_ref().is_some_and(|lower| *lower > zero)
            || bounds.upper.as_ref().is_some_and(|upper| *upper < zero)
    };
    match expr {
        Expr::Constant(quantity) => quantity.value != zero,
        Expr::Value(name) => {
            spec.values.get(name).is_some_and(|table| table.entries.values().all(|entry| entry.value != zero))
        }
        Expr::Aggregate(aggregate) => match (&aggregate.kind, aggregate.arguments.as_slice()) {
            // The plan, not the data, says how many records there are.
            (AggregateKind::Count, [] | [RecordExpr::Bool(true)]) => {
                aggregate.filter.as_ref().is_none_or(|filter| !of_data(spec, filter))
            }
            (
                AggregateKind::Mean
                | AggregateKind::Median
                | AggregateKind::Quantile(_)
                | AggregateKind::Min
                | AggregateKind::Max
                | AggregateKind::Sum,
                [RecordExpr::Field(name)],
            ) => match spec.fields.get(name).map(|field| &field.kind) {
                Some(ValueType::Number(number)) => beyond(&number.bounds),
                _ => false,
            },
            _ => false,
        },
        Expr::Measure(name, _) => {
            spec.measures.get(name).is_some_and(|it| beyond(&it.kind.bounds) || positive(&it.expr))
        }
        Expr::Estimand(name) => spec.estimands.get(name).is_some_and(|it| {
            beyond(&it.kind.bounds) || matches!(&it.body, EstimandBody::Contrast(body) if positive(body))
        }),
        Expr::At(inner, _) | Expr::For(inner, _) | Expr::Negate(inner) | Expr::Abs(inner) => positive(inner),
        Expr::Arithmetic(left, ArithmeticOp::Multiply | ArithmeticOp::Divide, right) => {
            positive(left) && positive(right)
        }
        Expr::Minimum(parts) | Expr::Maximum(parts) => parts.iter().all(positive),
        Expr::Reduce(..) | Expr::Slope(..) | Expr::Log(_) | Expr::Arithmetic(..) => false,
    }
}

/// An expression in a few words.
fn shown(expr: &Expr) -> String {
    match expr {
        Expr::Aggregate(aggregate) => {
            let word = match aggregate.kind {
                AggregateKind::Mean => "mean",
                AggregateKind::Rate => "rate",
                AggregateKind::Sum => "sum",
                AggregateKind::Count => "count",
                AggregateKind::Median => "median",
                AggregateKind::Quantile(_) => "quantile",
                AggregateKind::Sd => "sd",
                AggregateKind::Min => "min",
                AggregateKind::Max => "max",
                AggregateKind::Phi => "phi",
                AggregateKind::Statistic(statistic) => statistic.word(),
            };
            let arguments: Vec<String> = aggregate.arguments.iter().map(ToString::to_string).collect();
            let filter = aggregate.filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
            format!("`{word}({}{filter})`", arguments.join(", "))
        }
        Expr::Measure(name, _) | Expr::Estimand(name) | Expr::Value(name) => format!("`{name}`"),
        Expr::At(inner, cell) => {
            let levels: Vec<&str> = cell
                .iter()
                .map(|(_, level)| match level {
                    crate::spec::LevelRef::Level(name)
                    | crate::spec::LevelRef::Parameter(name)
                    | crate::spec::LevelRef::Picked(name) => name.as_str(),
                    crate::spec::LevelRef::Next => "next",
                })
                .collect();
            format!("{} in `{}`", shown(inner), levels.join(", "))
        }
        Expr::For(inner, condition) => format!("{} for `{condition}`", shown(inner)),
        Expr::Constant(_)
        | Expr::Reduce(..)
        | Expr::Slope(..)
        | Expr::Log(_)
        | Expr::Arithmetic(..)
        | Expr::Negate(_)
        | Expr::Abs(_)
        | Expr::Minimum(_)
        | Expr::Maximum(_) => "what it divides by".to_owned(),
    }
}
