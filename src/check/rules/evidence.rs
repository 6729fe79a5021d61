//! What a rule rests on: an interval of a spread against zero, a point estimate alone, an alternative chosen among several.

use super::translate::members;
use super::{RuleSite, confirmatory};
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{
    CaseCondition, Class, Condition, EstimandBody, EvidenceKind, EvidenceRef, Expr, Name, QuantifierKind, ReduceKind,
    Relation, Spec, Term,
};

/// Checks one rule.
pub(super) fn check(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut read = Vec::new();
    for (at, case) in site.rule.cases.iter().enumerate() {
        let CaseCondition::When(condition) = &case.when else { continue };
        evidence_of(condition, &mut read);
        if let Some(about) = spread_against_zero(spec, site, condition) {
            out.push(
                Diagnostic::error(
                    Code::SpreadAgainstZero,
                    places.get(Kind::Hypothesis, site.name, &Part::Case(site.clause.cloned(), at)),
                    format!("`{about}` is a largest minus a smallest value and is compared with zero"),
                )
                .note("such a spread is never below zero, so its interval excludes zero even when all arms are alike")
                .help("use a permutation test of the spread, or compare it with a margin")
                .about(site.name),
            );
        }
    }
    if site.clause.is_none() && confirmatory(site.hypothesis) {
        point_only(site, &read, places, out);
    }
    if confirmatory(site.hypothesis) {
        any_uncorrected(spec, site, places, out);
    }
}

/// The evidence that a condition reads, counts over members included.
pub(super) fn evidence_of(condition: &Condition, out: &mut Vec<EvidenceRef>) {
    match condition {
        Condition::Compare(left, _, right) => {
            term_evidence(left, out);
            term_evidence(right, out);
        }
        Condition::Within(inner, low, high) => {
            for term in [inner, low, high] {
                term_evidence(term, out);
            }
        }
        Condition::Is { .. } => {}
        Condition::Not(inner) => evidence_of(inner, out),
        Condition::And(parts) | Condition::Or(parts) => {
            for part in parts {
                evidence_of(part, out);
            }
        }
    }
}

fn term_evidence(term: &Term, out: &mut Vec<EvidenceRef>) {
    match term {
        Term::Evidence(evidence) => out.push(evidence.clone()),
        Term::CountMembers(_, condition) => evidence_of(condition, out),
        Term::Arithmetic(left, _, right) => {
            term_evidence(left, out);
            term_evidence(right, out);
        }
        Term::Negate(inner) | Term::Abs(inner) => term_evidence(inner, out),
        Term::Minimum(parts) | Term::Maximum(parts) => {
            for part in parts {
                term_evidence(part, out);
            }
        }
        Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) => {}
    }
}

fn uncertain(kind: EvidenceKind) -> bool {
    matches!(kind, EvidenceKind::Lower | EvidenceKind::Upper | EvidenceKind::P | EvidenceKind::PAdjusted)
}

fn point_only(site: &RuleSite<'_>, own: &[EvidenceRef], places: &Places, out: &mut Vec<Diagnostic>) {
    let mut read = own.to_vec();
    for clause in site.hypothesis.clauses.values() {
        for case in &clause.rule.cases {
            if let CaseCondition::When(condition) = &case.when {
                evidence_of(condition, &mut read);
            }
        }
    }
    if read.is_empty() || read.iter().any(|evidence| uncertain(evidence.kind)) {
        return;
    }
    out.push(
        Diagnostic::warning(
            Code::PointOnly,
            places.get(Kind::Hypothesis, site.name, &Part::Rule(None)),
            format!("`{}` is decided by point estimates alone", site.name),
        )
        .note("nothing in the rule says how far chance could have moved the result")
        .help("read an interval's bound or a test's p-value, or accept that the report marks the verdict")
        .about(site.name),
    );
}

/// The alias of a spread whose estimate or lower end the condition compares with zero.
fn spread_against_zero(spec: &Spec, site: &RuleSite<'_>, condition: &Condition) -> Option<Name> {
    match condition {
        Condition::Compare(left, relation, right) => {
            let directed = matches!(
                relation,
                Relation::Less | Relation::LessEqual | Relation::Greater | Relation::GreaterEqual | Relation::NotEqual
            );
            [(left, right), (right, left)].into_iter().find_map(|(evidence, zero)| {
                let Term::Evidence(evidence) = evidence else { return None };
                let Term::Constant(zero) = zero else { return None };
                let about = site.about.iter().find(|about| about.alias == evidence.about)?;
                let bound = matches!(evidence.kind, EvidenceKind::Lower | EvidenceKind::Upper | EvidenceKind::Estimate);
                let zero = zero.value == crate::math::Rational::from_integer(0.into());
                (directed && bound && zero && is_spread(spec, &about.estimand)).then(|| evidence.about.clone())
            })
        }
        Condition::Within(..) | Condition::Is { .. } => None,
        Condition::Not(inner) => spread_against_zero(spec, site, inner),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().find_map(|part| spread_against_zero(spec, site, part))
        }
    }
}

/// Whether an estimand is a largest minus a smallest value.
pub(super) fn is_spread(spec: &Spec, estimand: &str) -> bool {
    fn expr(spec: &Spec, body: &Expr, depth: u32) -> bool {
        match body {
            Expr::Reduce(ReduceKind::Spread, ..) => true,
            Expr::For(inner, _) | Expr::At(inner, _) => expr(spec, inner, depth),
            Expr::Estimand(name) => depth < 32 && named(spec, name, depth + 1),
            Expr::Constant(_)
            | Expr::Value(_)
            | Expr::Aggregate(_)
            | Expr::Measure(..)
            | Expr::Reduce(..)
            | Expr::Slope(..)
            | Expr::Log(_)
            | Expr::Arithmetic(..)
            | Expr::Negate(_)
            | Expr::Abs(_)
            | Expr::Minimum(_)
            | Expr::Maximum(_) => false,
        }
    }
    fn named(spec: &Spec, name: &str, depth: u32) -> bool {
        match spec.estimands.get(name).map(|estimand| &estimand.body) {
            Some(EstimandBody::Contrast(body)) => expr(spec, body, depth),
            _ => false,
        }
    }
    named(spec, estimand, 0)
}

/// "Any of several" decided by p-values or bounds that were not adjusted for the choice.
fn any_uncorrected(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    let Some(scope) = site.scope else { return };
    let chosen = scope.quantifiers.iter().any(|quantifier| {
        let several = members(spec, site.about, &quantifier.factors).is_none_or(|members| members > 1);
        several
            && match quantifier.kind {
                QuantifierKind::Any => true,
                QuantifierKind::AtLeast { at_least, of } => at_least < of,
                QuantifierKind::All | QuantifierKind::None => false,
            }
    });
    if !chosen {
        return;
    }
    for (at, case) in site.rule.cases.iter().enumerate() {
        let CaseCondition::When(condition) = &case.when else { continue };
        if case.class != Class::Supported {
            continue;
        }
        let mut read = Vec::new();
        evidence_of(condition, &mut read);
        let adjusted = read.iter().any(|evidence| evidence.kind == EvidenceKind::PAdjusted);
        let bare = read.iter().any(|evidence| uncertain(evidence.kind) && evidence.kind != EvidenceKind::PAdjusted);
        if bare && !adjusted {
            out.push(
                Diagnostic::error(
                    Code::AnyUncorrected,
                    places.get(Kind::Hypothesis, site.name, &Part::Case(site.clause.cloned(), at)),
                    "one of several members is enough, and nothing corrects for the choice",
                )
                .note("each further member is a further chance of a false claim")
                .help("declare a family over the members and read `p_adjusted`, or ask for all of them")
                .about(site.name),
            );
        }
    }
}
