//! Levels that a `pick` selects from the data that a rule then reads: a choice that must be counted, by picking again in every
//! resample or by a family over all that could have been picked.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::evidence_of;
use super::{RuleSite, confirmatory};
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{
    About, CaseCondition, EstimandBody, EvidenceKind, Expr, LevelRef, Name, Pick, RecordExpr, Relation, Spec,
};

const MOST_DEPTH: u32 = 32;

/// The level that is known of each factor and attribute.
type Known = BTreeMap<Name, Name>;

/// The records that one part of an expression reads: where, and which outcomes.
#[derive(Debug, Default)]
struct Reads {
    cells: Vec<(Known, BTreeSet<Name>)>,
    picks: BTreeSet<Name>,
}

/// Checks one rule.
pub(super) fn check(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    if !confirmatory(site.hypothesis) || spec.picks.is_empty() {
        return;
    }
    let mut read = Vec::new();
    for case in &site.rule.cases {
        if let CaseCondition::When(condition) = &case.when {
            evidence_of(condition, &mut read);
        }
    }
    for (at, about) in site.about.iter().enumerate() {
        let kinds: BTreeSet<EvidenceKind> =
            read.iter().filter(|evidence| evidence.about == about.alias).map(|evidence| evidence.kind).collect();
        let bound = kinds.contains(&EvidenceKind::Lower) || kinds.contains(&EvidenceKind::Upper);
        let p = kinds.contains(&EvidenceKind::P);
        // A family over every level that could have been picked counts the choice.
        if kinds.contains(&EvidenceKind::PAdjusted) || !(bound || p) {
            continue;
        }
        let reads = of_about(spec, about);
        let reported = spec.estimands.get(&about.estimand).is_some_and(|it| it.body == EstimandBody::Reported);
        for name in &reads.picks {
            let Some(pick) = spec.picks.get(name) else { continue };
            if !p && !reported && pick.resample_again || !same_data(spec, pick, &reads) {
                continue;
            }
            let own = site.clause.filter(|name| {
                site.hypothesis.clauses.get(*name).is_some_and(|clause| clause.about != site.hypothesis.about)
            });
            let place = places.get(Kind::Hypothesis, site.name, &Part::About(own.cloned(), at));
            let message = format!(
                "`{}` reads a level that `{name}` picks from the same data, and nothing counts the choice",
                about.alias
            );
            let found = if reported {
                Diagnostic::warning(Code::UnboundSelection, place, message)
                    .note(
                        "the interval is reported as if the level had been chosen in advance, and cannot be made anew",
                    )
                    .help("name the level, or pick it on data that the rule does not read")
            } else if p {
                Diagnostic::error(Code::UnboundSelection, place, message)
                    .note("the largest of several looks better than it is, and a p-value knows nothing of the choice")
                    .help("test every level in a family and read `p_adjusted`, or pick on data that the rule does not read")
            } else {
                Diagnostic::error(Code::UnboundSelection, place, message)
                    .note("the largest of several looks better than it is; an interval of a fixed pick does not show that")
                    .help("write `resample again` behind the pick, or pick on data that the rule does not read")
            };
            out.push(found.also(places.get(Kind::Pick, name, &Part::Name), "picked here").about(site.name));
        }
    }
}

/// Whether some part of the rule's evidence stands in a cell that the pick looks at, and on the same outcome.
fn same_data(spec: &Spec, pick: &Pick, reads: &Reads) -> bool {
    let mut looked_at = Reads::default();
    expr(spec, &pick.expr, &Known::new(), 0, &mut looked_at);
    looked_at.cells.iter().any(|(here, outcomes)| {
        reads.cells.iter().any(|(there, others)| {
            let apart = here.iter().any(|(factor, level)| there.get(factor).is_some_and(|other| other != level));
            !apart && outcomes.intersection(others).next().is_some()
        })
    })
}

fn of_about(spec: &Spec, about: &About) -> Reads {
    let mut reads = Reads::default();
    let known = pinned(spec, &about.at, &Known::new(), &mut reads.picks);
    named(spec, &about.estimand, &known, 0, &mut reads);
    reads
}

fn named(spec: &Spec, estimand: &str, known: &Known, depth: u32, reads: &mut Reads) {
    match spec.estimands.get(estimand).map(|it| &it.body) {
        Some(EstimandBody::Contrast(body)) => expr(spec, body, known, depth + 1, reads),
        Some(EstimandBody::Paired { value, filter }) => {
            let known = filter.as_ref().map_or_else(|| known.clone(), |filter| narrowed(known, filter));
            record(spec, value, &known, reads);
        }
        Some(EstimandBody::Fitted(model)) => {
            let known = model.filter.as_ref().map_or_else(|| known.clone(), |filter| narrowed(known, filter));
            reads.cells.push((known, BTreeSet::from([model.formula.clone()])));
        }
        Some(EstimandBody::Reported) => {
            reads.cells.push((known.clone(), BTreeSet::from([format!("reported {estimand}")])));
        }
        None => {}
    }
}

fn pinned(spec: &Spec, cell: &[(Name, LevelRef)], known: &Known, picks: &mut BTreeSet<Name>) -> Known {
    let mut known = known.clone();
    for (factor, level) in cell {
        match level {
            LevelRef::Level(level) => {
                known.insert(factor.clone(), level.clone());
            }
            LevelRef::Next => {
                let next = known.get(factor).and_then(|level| spec.next_level(factor, level));
                match next {
                    Some(level) => known.insert(factor.clone(), level),
                    None => known.remove(factor),
                };
            }
            LevelRef::Parameter(_) => {
                known.remove(factor);
            }
            LevelRef::Picked(pick) => {
                known.remove(factor);
                picks.insert(pick.clone());
            }
        }
    }
    known
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other conditions leave open which level holds")]
fn narrowed(known: &Known, condition: &RecordExpr) -> Known {
    let mut known = known.clone();
    match condition {
        RecordExpr::And(parts) => return parts.iter().fold(known, |known, part| narrowed(&known, part)),
        RecordExpr::Compare(left, Relation::Equal, right) => {
            if let (RecordExpr::Factor(name) | RecordExpr::Field(name), RecordExpr::Level(level)) = (&**left, &**right)
            {
                known.insert(name.clone(), level.clone());
            }
        }
        RecordExpr::Field(name) => {
            known.insert(name.clone(), "true".to_owned());
        }
        RecordExpr::Not(inner) => {
            if let RecordExpr::Field(name) = &**inner {
                known.insert(name.clone(), "false".to_owned());
            }
        }
        _ => {}
    }
    known
}

fn expr(spec: &Spec, body: &Expr, known: &Known, depth: u32, reads: &mut Reads) {
    if depth > MOST_DEPTH {
        return;
    }
    match body {
        Expr::Constant(_) | Expr::Value(_) => {}
        Expr::Aggregate(aggregate) => {
            let known = aggregate.filter.as_ref().map_or_else(|| known.clone(), |filter| narrowed(known, filter));
            for argument in &aggregate.arguments {
                record(spec, argument, &known, reads);
            }
        }
        Expr::Measure(name, levels) => {
            let picked = levels.iter().filter_map(|level| match level {
                LevelRef::Picked(pick) => Some(pick.clone()),
                LevelRef::Level(_) | LevelRef::Parameter(_) | LevelRef::Next => None,
            });
            reads.picks.extend(picked);
            if let Some(measure) = spec.measures.get(name) {
                expr(spec, &measure.expr, known, depth + 1, reads);
            }
        }
        Expr::Estimand(name) => named(spec, name, known, depth, reads),
        Expr::At(inner, cell) => {
            let known = pinned(spec, cell, known, &mut reads.picks);
            expr(spec, inner, &known, depth + 1, reads);
        }
        Expr::For(inner, condition) => expr(spec, inner, &narrowed(known, condition), depth + 1, reads),
        Expr::Reduce(_, _, inner)
        | Expr::Slope(_, inner)
        | Expr::Negate(inner)
        | Expr::Abs(inner)
        | Expr::Log(inner) => {
            expr(spec, inner, known, depth + 1, reads);
        }
        Expr::Arithmetic(left, _, right) => {
            expr(spec, left, known, depth + 1, reads);
            expr(spec, right, known, depth + 1, reads);
        }
        Expr::Minimum(parts) | Expr::Maximum(parts) => {
            for part in parts {
                expr(spec, part, known, depth + 1, reads);
            }
        }
    }
}

/// What a value of one record reads, cell by cell.
fn record(spec: &Spec, value: &RecordExpr, known: &Known, reads: &mut Reads) {
    match value {
        RecordExpr::Field(name) | RecordExpr::Flagged(name) => {
            if let Some(field) = spec.fields.get(name) {
                if let Some(derived) = &field.derived {
                    record(spec, derived, known, reads);
                }
                reads.cells.push((known.clone(), BTreeSet::from([name.clone()])));
            }
        }
        RecordExpr::State(_) => reads.cells.push((known.clone(), BTreeSet::from(["state".to_owned()]))),
        RecordExpr::At(inner, cell) => {
            let known = pinned(spec, cell, known, &mut reads.picks);
            record(spec, inner, &known, reads);
        }
        RecordExpr::Present(inner)
        | RecordExpr::EndsWith(inner, _)
        | RecordExpr::OneOf(inner, _)
        | RecordExpr::Not(inner)
        | RecordExpr::Negate(inner)
        | RecordExpr::Abs(inner)
        | RecordExpr::Log(inner) => record(spec, inner, known, reads),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => {
            for part in parts {
                record(spec, part, known, reads);
            }
        }
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            record(spec, left, known, reads);
            record(spec, right, known, reads);
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_) => {}
    }
}
