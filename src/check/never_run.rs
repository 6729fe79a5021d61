//! Cells that an expression names and the design never runs.

use std::collections::BTreeSet;

use super::levels::{Member, decided};
use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{EstimandBody, Expr, LevelRef, Name, RecordExpr, Relation};

impl Checker<'_> {
    /// Refuses measures and estimands that read a cell the design leaves out, or a factor that it does not cross.
    pub(super) fn never_run(&mut self) {
        self.uncrossed();
        let excluded: Vec<RecordExpr> = match &self.spec.design {
            Some(design) => design.exclude.iter().map(|cells| cells.condition.clone()).collect(),
            None => return,
        };
        if excluded.is_empty() {
            return;
        }
        let mut named: Vec<(Kind, Name, Member)> = Vec::new();
        for (name, measure) in &self.spec.measures {
            cells(&measure.expr, &Member::new(), &mut |cell| named.push((Kind::Measure, name.clone(), cell.clone())));
        }
        for (name, estimand) in &self.spec.estimands {
            let mut keep = |cell: &Member| named.push((Kind::Estimand, name.clone(), cell.clone()));
            match &estimand.body {
                EstimandBody::Contrast(expr) => cells(expr, &Member::new(), &mut keep),
                EstimandBody::Paired { value, filter } => {
                    let known = filter.as_ref().map(equalities).unwrap_or_default();
                    record_cells(value, &known, &mut keep);
                }
                EstimandBody::Fitted(model) => {
                    let known = model.filter.as_ref().map(equalities).unwrap_or_default();
                    if !known.is_empty() {
                        keep(&known);
                    }
                }
                EstimandBody::Reported => {}
            }
        }
        let mut reported: BTreeSet<(Kind, Name)> = BTreeSet::new();
        for (kind, name, cell) in named {
            let never = !cell.is_empty() && excluded.iter().any(|condition| decided(condition, &cell) == Some(true));
            if never && reported.insert((kind, name.clone())) {
                let span = self.places.get(kind, &name, &Part::Expr);
                let shown: Vec<String> =
                    cell.iter().map(|(factor, levels)| format!("{factor} == {}", levels.join(", "))).collect();
                self.report(
                    Diagnostic::error(
                        Code::CellNeverRun,
                        span,
                        format!("`{name}` reads a cell that is never run: {}", shown.join(" and ")),
                    )
                    .note("the design excludes it, so there will never be a record")
                    .help("name another cell, or change the design's `exclude`")
                    .about(name),
                );
            }
        }
    }
}

impl Checker<'_> {
    /// Factors that records do not have, because the design does not cross them.
    fn uncrossed(&mut self) {
        let Some(design) = &self.spec.design else { return };
        if self.unread.contains("cross") {
            return;
        }
        let known = |factor: &Name| {
            design.cross.contains(factor) || self.attributes.contains_key(factor) || self.is_unit(factor)
        };
        let mut found: Vec<(Kind, Name, Name)> = Vec::new();
        for (name, measure) in &self.spec.measures {
            let mut factors = BTreeSet::new();
            factors_of(&measure.expr, &mut factors);
            found.extend(
                factors.into_iter().filter(|factor| !known(factor)).map(|factor| (Kind::Measure, name.clone(), factor)),
            );
        }
        for (name, estimand) in &self.spec.estimands {
            let mut factors: BTreeSet<Name> = BTreeSet::new();
            match &estimand.body {
                EstimandBody::Contrast(expr) => factors_of(expr, &mut factors),
                EstimandBody::Paired { value, .. } => record_factors(value, &mut factors),
                EstimandBody::Fitted(model) => {
                    model.filter.iter().for_each(|filter| record_factors(filter, &mut factors));
                }
                EstimandBody::Reported => continue,
            }
            factors.extend(estimand.per.iter().map(|per| per.factor.clone()));
            found.extend(
                factors
                    .into_iter()
                    .filter(|factor| !known(factor))
                    .map(|factor| (Kind::Estimand, name.clone(), factor)),
            );
        }
        for (kind, name, factor) in found {
            let span = self.places.get(kind, &name, &Part::Expr);
            self.report(
                Diagnostic::error(
                    Code::BadDesign,
                    span,
                    format!("`{name}` needs the `{factor}` of a record, and the design does not cross `{factor}`"),
                )
                .help(format!("add it: `cross …, {factor}`"))
                .about(name),
            );
        }
    }
}

/// Factors that an expression over cells names; what it reads of reported estimands has no records.
fn factors_of(expr: &Expr, found: &mut BTreeSet<Name>) {
    match expr {
        Expr::Constant(_) | Expr::Value(_) | Expr::Measure(..) | Expr::Estimand(_) => {}
        Expr::Aggregate(aggregate) => {
            for part in aggregate.arguments.iter().chain(&aggregate.filter) {
                record_factors(part, found);
            }
        }
        Expr::At(inner, levels) => {
            if !matches!(**inner, Expr::Estimand(_)) {
                found.extend(levels.iter().map(|(factor, _)| factor.clone()));
            }
            factors_of(inner, found);
        }
        Expr::For(inner, condition) => {
            record_factors(condition, found);
            factors_of(inner, found);
        }
        Expr::Reduce(_, factor, inner) | Expr::Slope(factor, inner) => {
            if !matches!(**inner, Expr::Estimand(_)) {
                found.insert(factor.clone());
            }
            factors_of(inner, found);
        }
        Expr::Arithmetic(left, _, right) => {
            factors_of(left, found);
            factors_of(right, found);
        }
        Expr::Negate(inner) | Expr::Abs(inner) | Expr::Log(inner) => factors_of(inner, found),
        Expr::Minimum(parts) | Expr::Maximum(parts) => parts.iter().for_each(|part| factors_of(part, found)),
    }
}

fn record_factors(expr: &RecordExpr, found: &mut BTreeSet<Name>) {
    match expr {
        RecordExpr::Factor(name) | RecordExpr::Step(name) => {
            found.insert(name.clone());
        }
        RecordExpr::At(inner, levels) => {
            found.extend(levels.iter().map(|(factor, _)| factor.clone()));
            record_factors(inner, found);
        }
        RecordExpr::Not(inner)
        | RecordExpr::Negate(inner)
        | RecordExpr::Abs(inner)
        | RecordExpr::Log(inner)
        | RecordExpr::Present(inner)
        | RecordExpr::EndsWith(inner, _)
        | RecordExpr::OneOf(inner, _) => record_factors(inner, found),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => parts.iter().for_each(|part| record_factors(part, found)),
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            record_factors(left, found);
            record_factors(right, found);
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Field(_)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_) => {}
    }
}

/// Levels that a condition fixes.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub(super) fn equalities(condition: &RecordExpr) -> Member {
    match condition {
        RecordExpr::And(parts) => parts.iter().flat_map(equalities).collect(),
        RecordExpr::Compare(left, Relation::Equal, right) => match (&**left, &**right) {
            (RecordExpr::Factor(name) | RecordExpr::Field(name), RecordExpr::Level(level)) => {
                Member::from([(name.clone(), vec![level.clone()])])
            }
            _ => Member::new(),
        },
        _ => Member::new(),
    }
}

fn pins(cells: &[(Name, LevelRef)], known: &Member) -> Member {
    let mut pinned = known.clone();
    for (factor, level) in cells {
        match level {
            LevelRef::Level(level) => {
                pinned.insert(factor.clone(), vec![level.clone()]);
            }
            LevelRef::Parameter(_) | LevelRef::Picked(_) | LevelRef::Next => {
                pinned.remove(factor);
            }
        }
    }
    pinned
}

pub(super) fn cells(expr: &Expr, known: &Member, keep: &mut dyn FnMut(&Member)) {
    match expr {
        Expr::Constant(_) | Expr::Value(_) => {}
        Expr::Measure(..) | Expr::Estimand(_) => keep(known),
        Expr::Aggregate(aggregate) => {
            let mut known = known.clone();
            known.extend(aggregate.filter.as_ref().map(equalities).unwrap_or_default());
            keep(&known);
            for argument in &aggregate.arguments {
                record_cells(argument, &known, keep);
            }
        }
        Expr::At(inner, levels) => cells(inner, &pins(levels, known), keep),
        Expr::For(inner, condition) => {
            let mut known = known.clone();
            known.extend(equalities(condition));
            cells(inner, &known, keep);
        }
        Expr::Reduce(_, factor, inner) | Expr::Slope(factor, inner) => {
            let mut known = known.clone();
            known.remove(factor);
            cells(inner, &known, keep);
        }
        Expr::Arithmetic(left, _, right) => {
            cells(left, known, keep);
            cells(right, known, keep);
        }
        Expr::Negate(inner) | Expr::Abs(inner) | Expr::Log(inner) => cells(inner, known, keep),
        Expr::Minimum(parts) | Expr::Maximum(parts) => parts.iter().for_each(|part| cells(part, known, keep)),
    }
}

pub(super) fn record_cells(expr: &RecordExpr, known: &Member, keep: &mut dyn FnMut(&Member)) {
    match expr {
        RecordExpr::At(inner, levels) => {
            let pinned = pins(levels, known);
            keep(&pinned);
            record_cells(inner, &pinned, keep);
        }
        RecordExpr::Not(inner)
        | RecordExpr::Negate(inner)
        | RecordExpr::Abs(inner)
        | RecordExpr::Log(inner)
        | RecordExpr::Present(inner)
        | RecordExpr::EndsWith(inner, _)
        | RecordExpr::OneOf(inner, _) => record_cells(inner, known, keep),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => parts.iter().for_each(|part| record_cells(part, known, keep)),
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            record_cells(left, known, keep);
            record_cells(right, known, keep);
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Field(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_) => {}
    }
}
