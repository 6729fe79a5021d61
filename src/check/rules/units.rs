//! The unit of analysis: what counts once, and whether the design provides the pairing and the clusters that a method needs.

use std::collections::BTreeSet;

use super::translate::level_count;
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Design, EstimandBody, Expr, IntervalMethod, LevelRef, Name, RecordExpr, ReduceKind, Spec};

/// The fewest clusters that an interval may rest on, and the fewest without a warning.
const FEWEST: (u64, u64) = (5, 10);

/// Checks every estimand and every method that hypotheses use.
pub(super) fn check(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let used = used(spec);
    if let Some(design) = &spec.design {
        for (name, estimand) in &spec.estimands {
            if let EstimandBody::Paired { value, .. } = &estimand.body {
                paired(
                    spec,
                    design,
                    name,
                    value,
                    used.iter().any(|(of, method)| of == name && is_paired_test(spec, method)),
                    places,
                    out,
                );
            }
            if let EstimandBody::Contrast(body) = &estimand.body
                && used.iter().any(|(of, _)| of == name)
            {
                unequal_tools(spec, name, body, places, out);
            }
        }
    }
    clusters(spec, &used, places, out);
}

/// Estimand and method, for every interval and test that a hypothesis, a gate or a comparison names.
pub(super) fn used(spec: &Spec) -> BTreeSet<(Name, Name)> {
    let lines = spec.comparisons.values().flat_map(|comparison| &comparison.lines);
    let compared = lines.flat_map(|line| {
        let methods = line.intervals.iter().chain([&line.difference]).chain(&line.equivalence);
        methods.map(|method| (line.estimand.clone(), method.clone()))
    });
    let hypotheses = spec.hypotheses.values().flat_map(|hypothesis| {
        hypothesis.about.iter().chain(hypothesis.clauses.values().flat_map(|clause| &clause.about))
    });
    hypotheses
        .chain(spec.gates.values().flat_map(|gate| &gate.about))
        .flat_map(|about| {
            about.intervals.iter().chain(&about.tests).map(|method| (about.estimand.clone(), method.clone()))
        })
        .chain(compared)
        .collect()
}

fn is_paired_test(spec: &Spec, method: &str) -> bool {
    spec.tests.get(method).is_some_and(|test| test.method.reads_unit_values())
        || spec.intervals.get(method).is_some_and(|interval| interval.method == IntervalMethod::PairedT)
}

fn paired(
    spec: &Spec,
    design: &Design,
    name: &str,
    value: &RecordExpr,
    tested: bool,
    places: &Places,
    out: &mut Vec<Diagnostic>,
) {
    let place = places.get(Kind::Estimand, name, &Part::Expr);
    let mut fields = BTreeSet::new();
    let mut pinned = BTreeSet::new();
    collect(value, &mut fields, &mut pinned);
    if tested && design.repeat > 1 {
        let left: Vec<&Name> = fields
            .iter()
            .filter(|field| spec.fields.contains_key(*field) && !design.collapse.contains_key(*field))
            .collect();
        if let Some(field) = left.first() {
            out.push(
                Diagnostic::error(
                    Code::PseudoReplication,
                    place,
                    format!("each unit has {} values of `{field}`, and a test counts units", design.repeat),
                )
                .note("repeats of one unit are not independent: counting them as units makes p too small")
                .help(format!("say in `design` how repeats become one value: `collapse {field} by mean`"))
                .about(name),
            );
        }
    }
    let unit = spec.tasks.as_ref().map(|tasks| tasks.name.clone()).unwrap_or_default();
    if let Some(estimand) = spec.estimands.get(name) {
        let open: Vec<&Name> = design
            .cross
            .iter()
            .filter(|factor| **factor != unit && !pinned.contains(*factor))
            .filter(|factor| !estimand.per.iter().any(|per| per.factor == **factor))
            .filter(|factor| level_count(spec, factor).is_none_or(|levels| levels > 1))
            .collect();
        if let Some(factor) = open.first() {
            out.push(
                Diagnostic::error(
                    Code::PseudoReplication,
                    place,
                    format!("`{name}` has one value of each unit for every level of `{factor}`"),
                )
                .note("several values of one unit are not independent")
                .help(format!("pin `{factor}` in the index, or compute it `per {factor}`"))
                .about(name),
            );
        }
    }
    for factor in &pinned {
        if design.nest.get(&unit) == Some(factor) {
            out.push(
                Diagnostic::error(
                    Code::PairingMissing,
                    place,
                    format!("`{name}` pairs levels of `{factor}`, but each `{unit}` has only one of them"),
                )
                .note("a unit that was run under one level has no partner under the other")
                .help("compare means of the two groups, or cross the factor with the unit")
                .about(name),
            );
        }
    }
}

/// The fields of a value and the factors that its indices pin.
fn collect(value: &RecordExpr, fields: &mut BTreeSet<Name>, pinned: &mut BTreeSet<Name>) {
    match value {
        RecordExpr::Field(name) | RecordExpr::Flagged(name) => {
            fields.insert(name.clone());
        }
        RecordExpr::At(inner, cell) => {
            pinned.extend(cell.iter().map(|(factor, _)| factor.clone()));
            collect(inner, fields, pinned);
        }
        RecordExpr::Present(inner)
        | RecordExpr::EndsWith(inner, _)
        | RecordExpr::OneOf(inner, _)
        | RecordExpr::Not(inner)
        | RecordExpr::Negate(inner)
        | RecordExpr::Abs(inner)
        | RecordExpr::Log(inner) => collect(inner, fields, pinned),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => {
            for part in parts {
                collect(part, fields, pinned);
            }
        }
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            collect(left, fields, pinned);
            collect(right, fields, pinned);
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_)
        | RecordExpr::State(_) => {}
    }
}

/// A contrast between scaffolds that do not have the same tools measures the tools too.
fn unequal_tools(spec: &Spec, name: &str, body: &Expr, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut compared = BTreeSet::new();
    scaffolds(spec, body, &mut compared);
    let mut tools = compared.iter().filter_map(|scaffold| spec.scaffolds.get(scaffold).map(|it| (scaffold, &it.tools)));
    let Some((first, reference)) = tools.next() else { return };
    let Some((other, _)) = tools.find(|(_, tools)| *tools != reference) else { return };
    out.push(
        Diagnostic::warning(
            Code::UnequalTools,
            places.get(Kind::Estimand, name, &Part::Expr),
            format!("`{name}` compares `{first}` with `{other}`, which have other tools"),
        )
        .note("a difference between them may come from the tools and not from the scaffold")
        .help("give the arms the same tools, or name the difference in a `limitation`")
        .about(name),
    );
}

fn scaffolds(spec: &Spec, body: &Expr, out: &mut BTreeSet<Name>) {
    match body {
        Expr::At(inner, cell) => {
            for (factor, level) in cell {
                if factor == "scaffold"
                    && let LevelRef::Level(level) = level
                {
                    out.insert(level.clone());
                }
            }
            scaffolds(spec, inner, out);
        }
        Expr::Reduce(ReduceKind::Spread, factor, inner) => {
            if factor == "scaffold" {
                out.extend(spec.scaffolds.keys().cloned());
            }
            scaffolds(spec, inner, out);
        }
        Expr::Reduce(_, _, inner)
        | Expr::Slope(_, inner)
        | Expr::For(inner, _)
        | Expr::Negate(inner)
        | Expr::Abs(inner)
        | Expr::Log(inner) => {
            scaffolds(spec, inner, out);
        }
        Expr::Arithmetic(left, _, right) => {
            scaffolds(spec, left, out);
            scaffolds(spec, right, out);
        }
        Expr::Minimum(parts) | Expr::Maximum(parts) => {
            for part in parts {
                scaffolds(spec, part, out);
            }
        }
        Expr::Constant(_) | Expr::Value(_) | Expr::Aggregate(_) | Expr::Measure(..) | Expr::Estimand(_) => {}
    }
}

/// Fewer than five clusters carry no interval; fewer than ten a doubtful one.
fn clusters(spec: &Spec, used: &BTreeSet<(Name, Name)>, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut seen = BTreeSet::new();
    for (_, method) in used {
        let Some(interval) = spec.intervals.get(method) else { continue };
        let unit = || spec.tasks.as_ref().map(|tasks| tasks.name.clone()).unwrap_or_default();
        let cluster = interval.method.cluster().map_or_else(unit, str::to_owned);
        let Some(count) = cluster_count(spec, &cluster) else { continue };
        if count >= FEWEST.1 || !seen.insert(method.clone()) {
            continue;
        }
        let place = places.get(Kind::Interval, method, &Part::Name);
        let message = format!("`{method}` rests on {count} clusters of `{cluster}`");
        let diagnostic = if count < FEWEST.0 {
            Diagnostic::error(Code::FewClusters, place, message)
        } else {
            Diagnostic::warning(Code::FewClusters, place, message)
        };
        out.push(
            diagnostic
                .note("an interval over so few clusters covers far less often than its level says")
                .help("plan more units, or decide by an exact test and say so")
                .about(method),
        );
    }
}

fn cluster_count(spec: &Spec, cluster: &str) -> Option<u64> {
    if let Some(count) = level_count(spec, cluster) {
        return Some(count);
    }
    let tasks = spec.tasks.as_ref().filter(|tasks| tasks.name == cluster)?;
    // Without a total, the strata that the study expects are a lower bound for it.
    tasks.expectations.iter().map(|expectation| expectation.count).max()
}
