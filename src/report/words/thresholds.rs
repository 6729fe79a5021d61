//! The thresholds that a rule compares evidence with, as places on the axis of the estimate.

use std::collections::BTreeMap;

use crate::math::{Rational, exact};
use crate::spec::{ArithmeticOp, Condition, EvidenceKind, Name, Spec, Term};

/// A place on the axis with what the study calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// In the base unit.
    pub at: f64,
    /// Such as `material = 10 pp` or `0 pp`.
    pub name: String,
}

/// The places with which conditions compare the estimate or the limits of the evidence called `alias`, in ascending order.
/// Thresholds that themselves depend on evidence have no fixed place and are left out. A table's entry is that of `member`.
#[must_use]
pub fn thresholds<'a>(
    spec: &Spec,
    conditions: impl IntoIterator<Item = &'a Condition>,
    alias: &str,
    member: &[(Name, Name)],
) -> Vec<Threshold> {
    let mut found: BTreeMap<Rational, String> = BTreeMap::new();
    let mut add = |term: &Term, mirrored: bool| {
        let Some(value) = constant(spec, term, member) else { return };
        let name = match term {
            Term::Margin(name) if spec.margins.get(name).is_some_and(|margin| margin.high.is_some()) => {
                format!("{name} {}", shown(spec, term, &value))
            }
            Term::MarginHigh(name) => format!("{name} {}", shown(spec, term, &value)),
            Term::Margin(name) | Term::Value(name) => {
                format!("{name} = {}", shown(spec, term, &value))
            }
            Term::Constant(quantity) => quantity.to_string(),
            Term::Evidence(_)
            | Term::CountMembers(..)
            | Term::Arithmetic(..)
            | Term::Negate(_)
            | Term::Abs(_)
            | Term::Minimum(_)
            | Term::Maximum(_) => term.to_string(),
        };
        // The other threshold of an absolute value is the same one with its sign turned.
        let (at, name) = match (mirrored, term) {
            (false, _) => (value, name),
            (true, Term::Constant(_)) => (-value, format!("-{name}")),
            (true, _) => (-value, format!("-({name})")),
        };
        // A named threshold says more than a bare number at the same place.
        let entry = found.entry(at).or_insert_with(|| name.clone());
        if !matches!(term, Term::Constant(_)) {
            *entry = name;
        }
    };
    for condition in conditions {
        comparisons(condition, &mut |left, right| {
            // `Some(true)` for an absolute value, whose threshold stands on both sides of zero.
            let side = |term: &Term| {
                let (inner, both) = if let Term::Abs(inner) = term { (&**inner, true) } else { (term, false) };
                let Term::Evidence(evidence) = inner else { return None };
                (evidence.about == alias && on_axis(evidence.kind)).then_some(both)
            };
            for (evidence, threshold) in [(left, right), (right, left)] {
                if let Some(both) = side(evidence) {
                    add(threshold, false);
                    if both {
                        add(threshold, true);
                    }
                }
            }
        });
    }
    found.into_iter().map(|(at, name)| Threshold { at: exact::nearest_f64(&at), name }).collect()
}

const fn on_axis(kind: EvidenceKind) -> bool {
    matches!(kind, EvidenceKind::Estimate | EvidenceKind::Lower | EvidenceKind::Upper)
}

/// The value with its unit, taken from the declaration.
fn shown(spec: &Spec, term: &Term, value: &Rational) -> String {
    let dimension = match term {
        Term::Margin(name) | Term::MarginHigh(name) => spec.margins.get(name).map(|margin| &margin.low.dimension),
        Term::Value(name) => {
            spec.values.get(name).and_then(|table| table.entries.values().next()).map(|quantity| &quantity.dimension)
        }
        Term::Constant(_)
        | Term::Evidence(_)
        | Term::CountMembers(..)
        | Term::Arithmetic(..)
        | Term::Negate(_)
        | Term::Abs(_)
        | Term::Minimum(_)
        | Term::Maximum(_) => None,
    };
    dimension.map_or_else(|| exact::canonical(value), |dimension| crate::spec::words::quantity(value, dimension))
}

/// The value of a term that reads no evidence.
fn constant(spec: &Spec, term: &Term, member: &[(Name, Name)]) -> Option<Rational> {
    let all = |parts: &[Term]| parts.iter().map(|part| constant(spec, part, member)).collect::<Option<Vec<_>>>();
    match term {
        Term::Constant(quantity) => Some(quantity.value.clone()),
        Term::Margin(name) => spec.margins.get(name).map(|margin| margin.low.value.clone()),
        Term::MarginHigh(name) => spec.margins.get(name)?.high.as_ref().map(|high| high.value.clone()),
        Term::Value(name) => {
            let table = spec.values.get(name)?;
            let level = match &table.per {
                None => "",
                Some(per) => member.iter().find(|(factor, _)| factor == per).map(|(_, level)| level.as_str())?,
            };
            table.entries.get(level).map(|quantity| quantity.value.clone())
        }
        Term::Evidence(_) | Term::CountMembers(..) => None,
        Term::Arithmetic(left, op, right) => {
            let (left, right) = (constant(spec, left, member)?, constant(spec, right, member)?);
            Some(match op {
                ArithmeticOp::Add => left + right,
                ArithmeticOp::Subtract => left - right,
                ArithmeticOp::Multiply => left * right,
                ArithmeticOp::Divide if right == Rational::default() => return None,
                ArithmeticOp::Divide => left / right,
            })
        }
        Term::Negate(inner) => constant(spec, inner, member).map(|value| -value),
        Term::Abs(inner) => constant(spec, inner, member).map(|value| num_traits::Signed::abs(&value)),
        Term::Minimum(parts) => all(parts)?.into_iter().min(),
        Term::Maximum(parts) => all(parts)?.into_iter().max(),
    }
}

/// Every pair of terms that a condition compares.
fn comparisons(condition: &Condition, visit: &mut dyn FnMut(&Term, &Term)) {
    match condition {
        Condition::Compare(left, _, right) => visit(left, right),
        Condition::Within(inner, low, high) => {
            visit(inner, low);
            visit(inner, high);
        }
        Condition::Is { .. } => {}
        Condition::Not(inner) => comparisons(inner, visit),
        Condition::And(parts) | Condition::Or(parts) => {
            for part in parts {
                comparisons(part, visit);
            }
        }
    }
}

/// Every term of a condition, parents before children, also inside counts.
pub(super) fn terms<'a>(condition: &'a Condition, visit: &mut dyn FnMut(&'a Term)) {
    match condition {
        Condition::Compare(left, _, right) => {
            term(left, visit);
            term(right, visit);
        }
        Condition::Within(inner, low, high) => {
            term(inner, visit);
            term(low, visit);
            term(high, visit);
        }
        Condition::Is { .. } => {}
        Condition::Not(inner) => terms(inner, visit),
        Condition::And(parts) | Condition::Or(parts) => {
            for part in parts {
                terms(part, visit);
            }
        }
    }
}

fn term<'a>(found: &'a Term, visit: &mut dyn FnMut(&'a Term)) {
    visit(found);
    match found {
        Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) | Term::Evidence(_) => {}
        Term::CountMembers(_, condition) => terms(condition, visit),
        Term::Arithmetic(left, _, right) => {
            term(left, visit);
            term(right, visit);
        }
        Term::Negate(inner) | Term::Abs(inner) => term(inner, visit),
        Term::Minimum(parts) | Term::Maximum(parts) => {
            for part in parts {
                term(part, visit);
            }
        }
    }
}
