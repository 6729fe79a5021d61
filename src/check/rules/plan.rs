//! What the plan says before there are data: how many units a condition leaves at most. Owns upper bounds from `tasks`;
//! it reads no file, so that a task file counts as what the study expects of it.

use std::collections::BTreeSet;

use super::translate::level_count;
use crate::check::levels::{Member, decided};
use crate::spec::{About, Expr, LevelRef, Name, RecordExpr, Relation, Spec, TaskSource, ValueType};

/// At most this many strata are looked at one by one.
const MOST_STRATA: usize = 4096;

/// The parts of a condition that are joined by `and`.
pub(super) fn conjuncts<'e>(condition: &'e RecordExpr, out: &mut Vec<&'e RecordExpr>) {
    if let RecordExpr::And(parts) = condition {
        for part in parts {
            conjuncts(part, out);
        }
    } else {
        out.push(condition);
    }
}

/// `attribute == level` as the study keeps it.
fn equals(attribute: &str, level: &str) -> RecordExpr {
    RecordExpr::Compare(
        Box::new(RecordExpr::Field(attribute.to_owned())),
        Relation::Equal,
        Box::new(RecordExpr::Level(level.to_owned())),
    )
}

/// The most units that these conditions can leave; `None` when the study does not say how many there are.
pub(super) fn most_units(spec: &Spec, conditions: &[RecordExpr]) -> Option<u64> {
    let tasks = spec.tasks.as_ref()?;
    let mut parts = Vec::new();
    for condition in conditions {
        conjuncts(condition, &mut parts);
    }
    let mut bounds: Vec<u64> = Vec::new();
    match &tasks.source {
        TaskSource::Count(count) => bounds.push(*count),
        TaskSource::List(keys) => bounds.extend(u64::try_from(keys.len())),
        TaskSource::File { .. } => {}
    }
    for expectation in &tasks.expectations {
        let mut own = Vec::new();
        if let Some(filter) = &expectation.filter {
            conjuncts(filter, &mut own);
        }
        if own.iter().all(|one| parts.contains(one)) {
            bounds.push(expectation.count);
        }
    }
    // Strata that together are all units bound the total.
    for attribute in tasks.attributes.keys().chain(tasks.defines.keys()) {
        let strata = attribute_levels(spec, attribute).unwrap_or_default();
        let counts: Option<Vec<u64>> = strata
            .iter()
            .map(|level| {
                let wanted = equals(attribute, level);
                let found = tasks.expectations.iter().find(|expectation| expectation.filter.as_ref() == Some(&wanted));
                found.map(|expectation| expectation.count)
            })
            .collect();
        bounds.extend(counts.filter(|counts| !counts.is_empty()).map(|counts| counts.iter().sum::<u64>()));
    }
    bounds.into_iter().min()
}

/// The listed levels of a task attribute.
fn attribute_levels(spec: &Spec, name: &str) -> Option<Vec<Name>> {
    let tasks = spec.tasks.as_ref()?;
    let read = tasks.attributes.get(name).map(|attribute| &attribute.kind);
    match read.or_else(|| tasks.defines.get(name).map(|define| &define.kind))? {
        ValueType::Level(levels) => Some(levels.clone()),
        ValueType::Bool | ValueType::Number(_) | ValueType::Text => None,
    }
}

/// The most units of each stratum that an estimand is computed for, by the attributes in its `per`; `None` when the study
/// does not say. `filters` are the conditions on its members and records.
pub(super) fn units_by_member(spec: &Spec, about: &About, filters: &[&RecordExpr]) -> Option<Vec<u64>> {
    let estimand = spec.estimands.get(&about.estimand)?;
    let mut conditions: Vec<RecordExpr> = filters.iter().map(|filter| (*filter).clone()).collect();
    let mut pinned: BTreeSet<&Name> = BTreeSet::new();
    let mut strata: Vec<Member> = vec![Member::new()];
    for (factor, level) in &about.at {
        pinned.insert(factor);
        if let LevelRef::Level(level) = level
            && attribute_levels(spec, factor).is_some()
        {
            conditions.push(equals(factor, level));
        }
    }
    for per in estimand.per.iter().filter(|per| !pinned.contains(&per.factor) && !per.pair) {
        let Some(levels) = attribute_levels(spec, &per.factor) else { continue };
        let levels: Vec<Name> = levels.into_iter().filter(|level| !per.except.contains(level)).collect();
        if strata.len().saturating_mul(levels.len()) > MOST_STRATA {
            return None;
        }
        strata = strata
            .iter()
            .flat_map(|stratum| {
                levels.iter().map(|level| {
                    let mut longer = stratum.clone();
                    longer.insert(per.factor.clone(), vec![level.clone()]);
                    longer
                })
            })
            .collect();
    }
    strata.retain(|stratum| !filters.iter().any(|filter| decided(filter, stratum) == Some(false)));
    strata
        .iter()
        .map(|stratum| {
            let mut own = conditions.clone();
            own.extend(stratum.iter().flat_map(|(factor, levels)| levels.iter().map(|level| equals(factor, level))));
            most_units(spec, &own)
        })
        .collect()
}

/// The conditions that stand around the whole of an expression.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub(super) fn outer_conditions<'e>(expr: &'e Expr, out: &mut Vec<&'e RecordExpr>) {
    match expr {
        Expr::For(inner, condition) => {
            out.push(condition);
            outer_conditions(inner, out);
        }
        Expr::At(inner, _) | Expr::Reduce(_, _, inner) => outer_conditions(inner, out),
        _ => {}
    }
}

/// How many records of one unit stand under one label at most: repeats times the levels of the other crossed factors.
pub(super) fn records_per_label(spec: &Spec, about: &About, label: &str) -> u64 {
    let Some(design) = &spec.design else { return 1 };
    let bound = |factor: &Name| {
        factor == label
            || about.at.iter().any(|(pinned, _)| pinned == factor)
            || spec.estimands.get(&about.estimand).is_some_and(|it| it.per.iter().any(|per| per.factor == *factor))
            || spec.tasks.as_ref().is_some_and(|tasks| tasks.name == *factor)
    };
    design
        .cross
        .iter()
        .filter(|factor| !bound(factor))
        .fold(design.repeat, |records, factor| records.saturating_mul(level_count(spec, factor).unwrap_or(1).max(1)))
}
