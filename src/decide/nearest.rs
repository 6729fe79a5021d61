//! How far the evidence of a rule is from the nearest threshold, and what the rule would say elsewhere along the axis. Owns these
//! readings of a rule; they decide nothing.

use num_traits::{One, Signed, Zero};

use super::judgment::{Distance, Number, Outcome, Region};
use super::rule::Scene;
use crate::math::{Rational, exact};
use crate::spec::{
    ArithmeticOp, CaseCondition, Condition, Dimension, EvidenceKind, EvidenceRef, Name, Relation, Rule, Term,
};

/// The comparison of a rule that is nearest to its threshold. A comparison within its Monte Carlo error comes first, then the
/// smallest distance in interval widths (or, without an interval, in sizes of the threshold).
pub(super) fn nearest(scene: &Scene<'_>, rule: &Rule) -> Option<Distance> {
    let mut comparisons = Vec::new();
    for case in &rule.cases {
        if let CaseCondition::When(condition) = &case.when {
            comparisons_in(condition, &mut comparisons);
        }
    }
    let mut best: Option<(bool, f64, Distance)> = None;
    for (left, relation, right) in &comparisons {
        let Some((relative, distance)) = distance(scene, left, *relation, right) else { continue };
        let closer = best.as_ref().is_none_or(|(fragile, own, _)| (!distance.fragile, relative) < (!*fragile, *own));
        if closer {
            best = Some((distance.fragile, relative, distance));
        }
    }
    best.map(|(.., distance)| distance)
}

/// The nearest of several, such as those of a scope's members.
pub(super) fn nearest_of<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) -> Option<Distance> {
    let distances = outcomes.into_iter().filter_map(|outcome| outcome.nearest.as_ref());
    let rank = |one: &Distance, two: &Distance| {
        two.fragile.cmp(&one.fragile).then(one.distance.abs().total_cmp(&two.distance.abs()))
    };
    distances.min_by(|one, two| rank(one, two)).cloned()
}

fn comparisons_in(condition: &Condition, into: &mut Vec<(Term, Relation, Term)>) {
    match condition {
        Condition::Compare(left, relation, right) => into.push((left.clone(), *relation, right.clone())),
        Condition::Within(inner, low, high) => {
            into.push((inner.clone(), Relation::GreaterEqual, low.clone()));
            into.push((inner.clone(), Relation::LessEqual, high.clone()));
        }
        Condition::Is { .. } => {}
        Condition::Not(inner) => comparisons_in(inner, into),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| comparisons_in(part, into)),
    }
}

fn distance(scene: &Scene<'_>, left: &Term, relation: Relation, right: &Term) -> Option<(f64, Distance)> {
    let comparison = Condition::Compare(left.clone(), relation, right.clone()).to_string();
    // What was observed is the value, what was declared is the threshold.
    let (value_side, threshold_side) = if evidence_of(left).is_some() { (left, right) } else { (right, left) };
    let evidence = evidence_of(value_side)?;
    let (value, threshold) =
        (scene.term(value_side, scene.member).ok()?, scene.term(threshold_side, scene.member).ok()?);
    let gap = super::number::combine(&value, ArithmeticOp::Subtract, &threshold).ok()?.to_f64();
    let errors = [error_of(scene, value_side), error_of(scene, threshold_side)];
    let error = errors.into_iter().flatten().reduce(|one, two| one + two);
    let fragile = error.is_some_and(|error| gap.abs() < 2.0 * error);
    let scale = scale(scene, evidence, value.to_f64(), threshold.to_f64());
    let distance = Distance {
        comparison,
        value: value.to_f64(),
        threshold: threshold.to_f64(),
        distance: gap,
        dimension: dimension_of(scene, threshold_side).or_else(|| dimension_of(scene, value_side)).unwrap_or_default(),
        monte_carlo_error: error,
        fragile,
    };
    Some((gap.abs() / scale, distance))
}

/// What a term reads: evidence, or a count over members.
#[derive(Clone, Copy)]
enum Read<'t> {
    Evidence(&'t EvidenceRef),
    Count,
}

fn evidence_of(term: &Term) -> Option<Read<'_>> {
    match term {
        Term::Evidence(evidence) => Some(Read::Evidence(evidence)),
        Term::CountMembers(..) => Some(Read::Count),
        Term::Arithmetic(left, _, right) => evidence_of(left).or_else(|| evidence_of(right)),
        Term::Negate(inner) | Term::Abs(inner) => evidence_of(inner),
        Term::Minimum(parts) | Term::Maximum(parts) => parts.iter().find_map(evidence_of),
        Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) => None,
    }
}

fn scale(scene: &Scene<'_>, read: Read<'_>, value: f64, threshold: f64) -> f64 {
    let size = value.abs().max(threshold.abs());
    let size = if size > 0.0 { size } else { 1.0 };
    let Read::Evidence(evidence) = read else { return size };
    match evidence.kind {
        EvidenceKind::Estimate | EvidenceKind::Lower | EvidenceKind::Upper => {
            let about = scene.abouts.iter().find(|about| about.alias == evidence.about);
            let found = about.and_then(|about| scene.store.find(scene.frame.spec, scene.set, about, scene.member).ok());
            let widths = found.into_iter().flat_map(|evidence| evidence.limits.values().flatten());
            let width = widths.map(|(lower, upper)| upper.to_f64() - lower.to_f64()).find(|width| *width > 0.0);
            width.unwrap_or(size)
        }
        EvidenceKind::P | EvidenceKind::PAdjusted | EvidenceKind::N | EvidenceKind::Clusters => size,
    }
}

fn error_of(scene: &Scene<'_>, term: &Term) -> Option<f64> {
    match term {
        Term::Evidence(evidence) => {
            let about = scene.abouts.iter().find(|about| about.alias == evidence.about)?;
            let found = scene.store.find(scene.frame.spec, scene.set, about, scene.member).ok()?;
            let method = evidence.method.as_ref()?;
            match evidence.kind {
                EvidenceKind::Lower | EvidenceKind::Upper => {
                    let interval = found.shown.intervals.iter().find(|interval| interval.name == *method)?;
                    let (lower, upper) = interval.monte_carlo_error?;
                    Some(if evidence.kind == EvidenceKind::Lower { lower } else { upper })
                }
                EvidenceKind::P => found.p_errors.get(method).copied(),
                EvidenceKind::PAdjusted => {
                    // Adjustment multiplies the p-value by a number of comparisons, and its error with it.
                    let own = found.p.get(method)?.as_ref().ok()?.to_f64();
                    let adjusted = found.adjusted.get(method)?.as_ref().ok()?.to_f64();
                    let error = found.p_errors.get(method)?;
                    Some(if own > 0.0 { error * (adjusted / own).max(1.0) } else { *error })
                }
                EvidenceKind::Estimate | EvidenceKind::N | EvidenceKind::Clusters => None,
            }
        }
        Term::Negate(inner) | Term::Abs(inner) => error_of(scene, inner),
        Term::Arithmetic(left, ArithmeticOp::Add | ArithmeticOp::Subtract, right) => {
            [error_of(scene, left), error_of(scene, right)].into_iter().flatten().reduce(|one, two| one + two)
        }
        Term::Arithmetic(left, ArithmeticOp::Multiply, right) => {
            let (constant, other) = if evidence_of(left).is_none() { (left, right) } else { (right, left) };
            Some(error_of(scene, other)? * scene.term(constant, scene.member).ok()?.to_f64().abs())
        }
        Term::Arithmetic(left, ArithmeticOp::Divide, right) => {
            let below = scene.term(right, scene.member).ok()?.to_f64().abs();
            (below > 0.0).then_some(error_of(scene, left)? / below)
        }
        Term::Minimum(parts) | Term::Maximum(parts) => {
            parts.iter().filter_map(|part| error_of(scene, part)).reduce(f64::max)
        }
        Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) | Term::CountMembers(..) => None,
    }
}

fn dimension_of(scene: &Scene<'_>, term: &Term) -> Option<Dimension> {
    let spec = scene.frame.spec;
    match term {
        Term::Constant(quantity) => Some(quantity.dimension.clone()),
        Term::Margin(name) | Term::MarginHigh(name) => {
            spec.margins.get(name).map(|margin| margin.low.dimension.clone())
        }
        Term::Value(name) => spec.values.get(name)?.entries.values().next().map(|entry| entry.dimension.clone()),
        Term::CountMembers(..) => Some(Dimension::Count),
        Term::Evidence(evidence) => match evidence.kind {
            EvidenceKind::Estimate | EvidenceKind::Lower | EvidenceKind::Upper => {
                let about = scene.abouts.iter().find(|about| about.alias == evidence.about)?;
                spec.estimands.get(&about.estimand).map(|estimand| estimand.kind.dimension.clone())
            }
            EvidenceKind::P | EvidenceKind::PAdjusted => Some(Dimension::Proportion),
            EvidenceKind::N | EvidenceKind::Clusters => Some(Dimension::Count),
        },
        Term::Arithmetic(left, ArithmeticOp::Add | ArithmeticOp::Subtract, _) => dimension_of(scene, left),
        Term::Arithmetic(..) => None,
        Term::Negate(inner) | Term::Abs(inner) => dimension_of(scene, inner),
        Term::Minimum(parts) | Term::Maximum(parts) => parts.iter().find_map(|part| dimension_of(scene, part)),
    }
}

/// What the rule says along the axis of an alias, if its estimate and limits all stood at one place and everything else as
/// observed. A single place, such as a threshold that both neighbours exclude, is a region of no width.
pub(super) fn regions(scene: &Scene<'_>, rule: &Rule, alias: &Name) -> Vec<Region> {
    let mut breaks: Vec<Rational> = Vec::new();
    for case in &rule.cases {
        if let CaseCondition::When(condition) = &case.when {
            let mut comparisons = Vec::new();
            comparisons_in(condition, &mut comparisons);
            for (left, _, right) in comparisons {
                let gap = Term::Arithmetic(Box::new(left), ArithmeticOp::Subtract, Box::new(right));
                if reads_axis(&gap, alias) {
                    crossings(scene, &gap, alias, &mut breaks);
                }
            }
        }
    }
    breaks.sort();
    breaks.dedup();
    if breaks.is_empty() || breaks.len() > MOST_BREAKS {
        return Vec::new();
    }
    let at = |place: &Rational| {
        let along = Scene { along: Some((alias, place)), ..copy(scene) };
        along.judge(rule, None)
    };
    let (Some(first), Some(last)) = (breaks.first(), breaks.last()) else { return Vec::new() };
    let one = Rational::one();
    let mut stretches: Vec<(Option<Rational>, Option<Rational>, Outcome)> =
        vec![(None, Some(first.clone()), at(&(first - &one)))];
    for (index, place) in breaks.iter().enumerate() {
        stretches.push((Some(place.clone()), Some(place.clone()), at(place)));
        let (to, inside) = match breaks.get(index + 1) {
            Some(next) => (Some(next.clone()), (place + next) / Rational::from_integer(2.into())),
            None => (None, last + &one),
        };
        stretches.push((Some(place.clone()), to, at(&inside)));
    }
    let mut regions: Vec<(Option<Rational>, Option<Rational>, Outcome)> = Vec::new();
    for (from, to, outcome) in stretches {
        match regions.last_mut() {
            Some((_, end, own)) if own.class == outcome.class && own.label == outcome.label => *end = to,
            _ => regions.push((from, to, outcome)),
        }
    }
    let shown = |end: Option<Rational>| end.as_ref().map(exact::nearest_f64);
    regions
        .into_iter()
        .map(|(from, to, outcome)| Region {
            from: shown(from),
            to: shown(to),
            class: outcome.class,
            label: outcome.label,
        })
        .collect()
}

/// A rule with more thresholds on one axis is not drawn.
const MOST_BREAKS: usize = 64;

fn copy<'s>(scene: &Scene<'s>) -> Scene<'s> {
    Scene {
        frame: scene.frame,
        store: scene.store,
        set: scene.set,
        abouts: scene.abouts,
        member: scene.member,
        filter: scene.filter,
        components: scene.components,
        along: scene.along,
    }
}

fn reads_axis(term: &Term, alias: &Name) -> bool {
    match term {
        Term::Evidence(evidence) => {
            evidence.about == *alias
                && matches!(evidence.kind, EvidenceKind::Estimate | EvidenceKind::Lower | EvidenceKind::Upper)
        }
        Term::Arithmetic(left, _, right) => reads_axis(left, alias) || reads_axis(right, alias),
        Term::Negate(inner) | Term::Abs(inner) => reads_axis(inner, alias),
        Term::Minimum(parts) | Term::Maximum(parts) => parts.iter().any(|part| reads_axis(part, alias)),
        Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) | Term::CountMembers(..) => false,
    }
}

/// Where a piecewise linear term changes sign along the axis, and where its pieces meet.
fn crossings(scene: &Scene<'_>, term: &Term, alias: &Name, into: &mut Vec<Rational>) {
    let mut kinks = Vec::new();
    kinks_of(scene, term, alias, &mut kinks);
    kinks.sort();
    kinks.dedup();
    kinks.truncate(MOST_BREAKS);
    // One probe in every stretch between kinks; with none, anywhere.
    let one = Rational::one();
    let mut probes: Vec<(Rational, Rational)> = Vec::new();
    match (kinks.first(), kinks.last()) {
        (Some(first), Some(last)) => {
            probes.push((first - &one - &one, first - &one));
            probes.extend(kinks.array_windows::<2>().map(|[from, to]| (from.clone(), to.clone())));
            probes.push((last + &one, last + &one + &one));
        }
        _ => probes.push((Rational::zero(), one)),
    }
    for (from, to) in probes {
        let Some(root) = root(scene, term, alias, &from, &to) else { continue };
        // A root of one stretch that lies in another is none.
        if value(scene, term, alias, &root).is_some_and(|value| value.is_zero()) {
            into.push(root);
        }
    }
    into.extend(kinks.into_iter().filter(|kink| value(scene, term, alias, kink).is_some_and(|value| value.is_zero())));
}

fn kinks_of(scene: &Scene<'_>, term: &Term, alias: &Name, into: &mut Vec<Rational>) {
    match term {
        Term::Abs(inner) => crossings(scene, inner, alias, into),
        Term::Minimum(parts) | Term::Maximum(parts) => {
            for (index, one) in parts.iter().enumerate() {
                for two in parts.iter().skip(index + 1) {
                    let gap = Term::Arithmetic(Box::new(one.clone()), ArithmeticOp::Subtract, Box::new(two.clone()));
                    crossings(scene, &gap, alias, into);
                }
            }
        }
        Term::Negate(inner) => kinks_of(scene, inner, alias, into),
        Term::Arithmetic(left, _, right) => {
            kinks_of(scene, left, alias, into);
            kinks_of(scene, right, alias, into);
        }
        Term::Constant(_)
        | Term::Margin(_)
        | Term::MarginHigh(_)
        | Term::Value(_)
        | Term::Evidence(_)
        | Term::CountMembers(..) => {}
    }
}

fn root(scene: &Scene<'_>, term: &Term, alias: &Name, from: &Rational, to: &Rational) -> Option<Rational> {
    let (low, high) = (value(scene, term, alias, from)?, value(scene, term, alias, to)?);
    let slope = (&high - &low) / (to - from);
    if slope.is_zero() { None } else { Some(from - low / slope) }
}

fn value(scene: &Scene<'_>, term: &Term, alias: &Name, at: &Rational) -> Option<Rational> {
    let along = Scene { along: Some((alias, at)), ..copy(scene) };
    match along.term(term, scene.member).ok()? {
        Number::Exact(value) => Some(value),
        // Other evidence in the same comparison may be binary; its exact value serves a drawing.
        Number::Float(value) => {
            exact::from_f64(value).ok().filter(|value| value.abs() < Rational::from_integer(1_000_000_000.into()))
        }
    }
}
