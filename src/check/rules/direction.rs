//! What a supporting case may not rest on: the absence of evidence, or evidence that does not know a direction.

use super::RuleSite;
use super::partition::{conditioned, formulas};
use super::translate::Translator;
use crate::check::places::{Kind, Part, Places};
use crate::check::prover::{self, Formula, Term, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{About, Class, Dimension, EvidenceKind, Name, Sides, Spec};

/// Checks every case of a rule that decides.
pub(super) fn check(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    let Some((translator, formulas)) = formulas(spec, site) else { return };
    for (position, (written, case)) in conditioned(&site.rule.cases).into_iter().enumerate() {
        if case.class == Class::Inconclusive {
            continue;
        }
        let Some(own) = formulas.get(position) else { continue };
        let mut parts = vec![own.clone()];
        if site.rule.in_order {
            parts.extend(formulas.iter().take(position).map(|earlier| !earlier.clone()));
        }
        let applies = Formula::And(parts);
        let place = places.get(Kind::Hypothesis, site.name, &Part::Case(site.clause.cloned(), written));
        for about in distinct(site.about) {
            for method in methods(&translator, about) {
                if absent(spec, &translator, about, method.as_ref(), &applies) {
                    let message = format!("`{}` can hold because `{}` shows nothing", case.label, about.alias);
                    // A claim may be given up for want of evidence, though readers will take it for a refutation.
                    let found = if case.class == Class::Supported {
                        Diagnostic::error(Code::SupportByAbsence, place, message).help(
                            "ask for the whole interval to lie inside a margin, or for a bound to pass a non-inferiority margin",
                        )
                    } else {
                        Diagnostic::warning(Code::SupportByAbsence, place, message).help(
                            "let the whole interval lie on the other side (`upper < …`), and leave what is left to `inconclusive`",
                        )
                    };
                    out.push(
                        found
                            .note("with too little data the interval is as wide as it can be, or p is 1, and the case still holds")
                            .about(site.name),
                    );
                    break;
                }
            }
            if case.class == Class::Supported && undirected(spec, &translator, about, &applies) {
                out.push(
                    Diagnostic::error(
                        Code::DirectionMissing,
                        place,
                        format!("`{}` holds for an effect of either sign of `{}`", case.label, about.alias),
                    )
                    .note("two-sided evidence says that there is a difference, not which way it goes")
                    .help("add the sign, such as `estimate > 0 pp`, to this case, and give the opposite its own case")
                    .about(site.name),
                );
            }
        }
    }
}

/// Abouts that differ in what they read, since aliases of one estimand share their evidence.
fn distinct(about: &[About]) -> Vec<&About> {
    let mut out: Vec<&About> = Vec::new();
    for item in about {
        if !out.iter().any(|other| other.estimand == item.estimand && other.at == item.at) {
            out.push(item);
        }
    }
    out
}

/// The intervals and tests that the rule reads of one about; a reported interval has no name.
fn methods(translator: &Translator<'_>, about: &About) -> Vec<Option<Name>> {
    let mut out: Vec<Option<Name>> = translator
        .evidence_of(about)
        .into_iter()
        .filter(|(_, _, kind)| {
            matches!(kind, EvidenceKind::Lower | EvidenceKind::Upper | EvidenceKind::P | EvidenceKind::PAdjusted)
        })
        .map(|(_, method, _)| method)
        .collect();
    out.dedup();
    out
}

/// Whether the case holds when a method shows nothing, and would not hold for some other result of that method: then it rests
/// on the absence of evidence.
fn absent(spec: &Spec, translator: &Translator<'_>, about: &About, method: Option<&Name>, applies: &Formula) -> bool {
    let evidence: Vec<(VarId, EvidenceKind)> = translator
        .evidence_of(about)
        .into_iter()
        .filter(|(_, of, _)| of.as_ref() == method)
        .map(|(id, _, kind)| (id, kind))
        .collect();
    let kind = spec.estimands.get(&about.estimand).map(|estimand| estimand.kind.clone()).unwrap_or_default();
    let mut problem = translator.problem.clone();
    let far = far(&problem);
    let mut shows_nothing = vec![applies.clone()];
    let mut informative = applies.clone();
    let mut renamed = Vec::new();
    for (id, evidence) in &evidence {
        let value = match evidence {
            EvidenceKind::Lower => kind.bounds.lower.clone().unwrap_or_else(|| -far.clone()),
            EvidenceKind::Upper => kind.bounds.upper.clone().unwrap_or_else(|| far.clone()),
            EvidenceKind::P | EvidenceKind::PAdjusted => Rational::from_integer(1.into()),
            EvidenceKind::Estimate | EvidenceKind::N | EvidenceKind::Clusters => continue,
        };
        shows_nothing.push(Term::from(*id).equals(Term::Const(value)));
        if let Some(variable) = problem.variable(*id).cloned() {
            renamed.push((*id, problem.add(variable)));
        }
    }
    for axiom in translator.problem.axioms.clone() {
        problem.assume(rename(&axiom, &renamed));
    }
    informative = rename(&informative, &renamed);
    shows_nothing.push(!informative);
    matches!(prover::satisfiable(&problem, &Formula::And(shows_nothing), &translator.budget), Ok(Some(_)))
}

/// A number beyond every constant of the problem, for a limit without a bound.
fn far(problem: &prover::Problem) -> Rational {
    let bounds = problem.variables.iter().flat_map(|variable| [&variable.lower, &variable.upper]).flatten();
    let largest = bounds.map(|bound| num_traits::Signed::abs(&bound.value)).max().unwrap_or_default();
    (largest + Rational::from_integer(1.into())) * Rational::from_integer(1_000_000_000_000_i64.into())
}

/// Whether the case holds for effects of both signs on evidence that does not know the sign.
fn undirected(spec: &Spec, translator: &Translator<'_>, about: &About, applies: &Formula) -> bool {
    let evidence = translator.evidence_of(about);
    let find = |kind: EvidenceKind| evidence.iter().find(|(_, _, of)| *of == kind).map(|(id, _, _)| *id);
    let dimension = spec.estimands.get(&about.estimand).map(|estimand| estimand.kind.dimension.clone());
    let null = match dimension {
        Some(Dimension::Ratio) => Rational::from_integer(1.into()),
        _ => Rational::from_integer(0.into()),
    };
    let null = || Term::Const(null.clone());
    let holds = |side: Formula| {
        matches!(prover::satisfiable(&translator.problem, &applies.clone().and(side), &translator.budget), Ok(Some(_)))
    };
    let both = |above: Formula, below: Formula| holds(above) && holds(below);
    let mentions = |id: VarId| speaks_of(applies, id);
    if let (Some(lower), Some(upper)) = (find(EvidenceKind::Lower), find(EvidenceKind::Upper))
        && mentions(lower)
        && mentions(upper)
        && both(Term::from(lower).gt(null()), Term::from(upper).lt(null()))
    {
        // A case that also holds around the null asks for smallness, as an equivalence band does, and not for a difference.
        let around = Term::from(lower).le(null()).and(Term::from(upper).ge(null()));
        return !holds(around);
    }
    let two_sided = evidence.iter().any(|(id, method, kind)| {
        matches!(kind, EvidenceKind::P | EvidenceKind::PAdjusted)
            && mentions(*id)
            && method
                .as_ref()
                .and_then(|method| spec.tests.get(method))
                .is_some_and(|test| test.method.sides() == Some(Sides::Two))
    });
    // A bound beyond the null says which way the effect goes, whatever the test knows of it.
    let directed = evidence.iter().any(|(id, _, kind)| match kind {
        EvidenceKind::Lower => mentions(*id) && !holds(Term::from(*id).lt(null())),
        EvidenceKind::Upper => mentions(*id) && !holds(Term::from(*id).gt(null())),
        EvidenceKind::Estimate
        | EvidenceKind::P
        | EvidenceKind::PAdjusted
        | EvidenceKind::N
        | EvidenceKind::Clusters => false,
    });
    if !two_sided || directed {
        return false;
    }
    let Some(estimate) = find(EvidenceKind::Estimate) else { return true };
    both(Term::from(estimate).gt(null()), Term::from(estimate).lt(null()))
}

fn speaks_of(formula: &Formula, id: VarId) -> bool {
    match formula {
        Formula::True | Formula::False => false,
        Formula::Compare(left, _, right) => term_speaks_of(left, id) || term_speaks_of(right, id),
        Formula::Is(of, _) => *of == id,
        Formula::Not(inner) => speaks_of(inner, id),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| speaks_of(part, id)),
    }
}

fn term_speaks_of(term: &Term, id: VarId) -> bool {
    match term {
        Term::Const(_) => false,
        Term::Var(of) => *of == id,
        Term::Add(parts) | Term::Min(parts) | Term::Max(parts) => parts.iter().any(|part| term_speaks_of(part, id)),
        Term::Neg(inner) | Term::Scale(_, inner) | Term::Abs(inner) => term_speaks_of(inner, id),
        Term::Sub(left, right) | Term::Mul(left, right) | Term::Div(left, right) => {
            term_speaks_of(left, id) || term_speaks_of(right, id)
        }
    }
}

fn rename(formula: &Formula, renamed: &[(VarId, VarId)]) -> Formula {
    match formula {
        Formula::True => Formula::True,
        Formula::False => Formula::False,
        Formula::Compare(left, relation, right) => {
            Formula::Compare(rename_term(left, renamed), *relation, rename_term(right, renamed))
        }
        Formula::Is(id, classes) => Formula::Is(renamed_id(*id, renamed), classes.clone()),
        Formula::Not(inner) => Formula::Not(Box::new(rename(inner, renamed))),
        Formula::And(parts) => Formula::And(parts.iter().map(|part| rename(part, renamed)).collect()),
        Formula::Or(parts) => Formula::Or(parts.iter().map(|part| rename(part, renamed)).collect()),
    }
}

fn rename_term(term: &Term, renamed: &[(VarId, VarId)]) -> Term {
    let one = |inner: &Term| Box::new(rename_term(inner, renamed));
    let all = |parts: &[Term]| parts.iter().map(|part| rename_term(part, renamed)).collect();
    match term {
        Term::Const(value) => Term::Const(value.clone()),
        Term::Var(id) => Term::Var(renamed_id(*id, renamed)),
        Term::Add(parts) => Term::Add(all(parts)),
        Term::Min(parts) => Term::Min(all(parts)),
        Term::Max(parts) => Term::Max(all(parts)),
        Term::Neg(inner) => Term::Neg(one(inner)),
        Term::Scale(by, inner) => Term::Scale(by.clone(), one(inner)),
        Term::Abs(inner) => Term::Abs(one(inner)),
        Term::Sub(left, right) => Term::Sub(one(left), one(right)),
        Term::Mul(left, right) => Term::Mul(one(left), one(right)),
        Term::Div(left, right) => Term::Div(one(left), one(right)),
    }
}

fn renamed_id(id: VarId, renamed: &[(VarId, VarId)]) -> VarId {
    renamed.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new)
}
