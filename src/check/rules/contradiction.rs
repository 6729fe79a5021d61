//! Hypotheses that cannot both be supported, and claims whose words go against their rule.

use super::translate::{Context, Translator};
use super::{RuleSite, confirmatory, sites};
use crate::check::places::{Kind, Part, Places};
use crate::check::prover::{self, Formula, Term};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{
    ArithmeticOp, CaseCondition, Class, Dimension, Estimand, EstimandBody, EvidenceKind, EvidenceRef, Expr, RecordExpr,
    Spec,
};

/// Words that promise an increase, a decrease, or no difference.
const UP: [&str; 16] = [
    "higher",
    "raises",
    "raise",
    "improves",
    "improve",
    "increases",
    "increase",
    "more",
    "better",
    "beats",
    "above",
    "outperforms",
    "exceeds",
    "gains",
    "greater",
    "larger",
];
const DOWN: [&str; 14] = [
    "lower",
    "lowers",
    "reduces",
    "reduce",
    "decreases",
    "decrease",
    "fewer",
    "less",
    "worse",
    "below",
    "smaller",
    "drops",
    "falls",
    "shrinks",
];
const SAME: [&str; 8] =
    ["same", "equal", "equally", "equivalent", "identical", "unchanged", "indistinguishable", "parity"];
/// Words that turn a sentence around, so that nothing is concluded from the others.
const TURNS: [&str; 11] =
    ["not", "no", "never", "neither", "nor", "without", "than", "cannot", "unless", "most", "within"];

/// Checks pairs of claims, and every claim against its own rule.
pub(super) fn check(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let all = sites(spec);
    let whole: Vec<&RuleSite<'_>> =
        all.iter().filter(|site| site.clause.is_none() && confirmatory(site.hypothesis)).collect();
    for (at, first) in whole.iter().enumerate() {
        for second in whole.iter().skip(at + 1) {
            if exclude(spec, first, second) {
                out.push(
                    Diagnostic::warning(
                        Code::Contradiction,
                        places.get(Kind::Hypothesis, second.name, &Part::Name),
                        format!("`{}` and `{}` cannot both be supported", first.name, second.name),
                    )
                    .also(places.get(Kind::Hypothesis, first.name, &Part::Name), "the other claim")
                    .note("they read the same evidence and ask opposite things of it")
                    .help("keep both only if they are rivals, and say so in a note")
                    .about(second.name),
                );
            }
        }
        against_its_rule(spec, first, places, out);
    }
}

/// The condition under which a rule supports its claim.
fn support(translator: &mut Translator<'_>, site: &RuleSite<'_>) -> Option<Formula> {
    let context = Context { hypothesis: site.name, about: site.about, engine_classes: false };
    let mut earlier: Vec<Formula> = Vec::new();
    let mut supporting = Vec::new();
    for case in &site.rule.cases {
        let CaseCondition::When(condition) = &case.when else { continue };
        let holds = translator.condition(context, condition)?;
        if case.class == Class::Supported {
            let mut parts = vec![holds.clone()];
            if site.rule.in_order {
                parts.extend(earlier.iter().map(|formula| !formula.clone()));
            }
            supporting.push(Formula::And(parts));
        }
        earlier.push(holds);
    }
    Some(Formula::Or(supporting))
}

/// Whether two claims on the same single evidence exclude each other.
fn exclude(spec: &Spec, first: &RuleSite<'_>, second: &RuleSite<'_>) -> bool {
    let shared = first.about.iter().any(|a| second.about.iter().any(|b| a.estimand == b.estimand && a.at == b.at));
    // Members of a quantified claim differ, so that evidence of one says nothing of another.
    if !shared || first.scope.is_some() || second.scope.is_some() || first.hypothesis.sets != second.hypothesis.sets {
        return false;
    }
    let mut translator = Translator::new(spec);
    let (Some(a), Some(b)) = (support(&mut translator, first), support(&mut translator, second)) else { return false };
    let alone = |formula: &Formula| {
        matches!(prover::satisfiable(&translator.problem, formula, &translator.budget), Ok(Some(_)))
    };
    alone(&a)
        && alone(&b)
        && matches!(prover::satisfiable(&translator.problem, &a.and(b), &translator.budget), Ok(None))
}

/// Whether the sign of an estimand says which of two things is larger.
fn is_signed(estimand: &Estimand) -> bool {
    let reaches_below = |lower: &Rational| *lower < Rational::from_integer(0.into());
    match (&estimand.body, &estimand.kind.bounds.lower) {
        (
            EstimandBody::Contrast(Expr::Arithmetic(_, ArithmeticOp::Subtract, _))
            | EstimandBody::Paired { value: RecordExpr::Arithmetic(_, ArithmeticOp::Subtract, _), .. },
            lower,
        ) => lower.as_ref().is_none_or(reaches_below),
        (_, lower) => {
            matches!(estimand.kind.dimension, Dimension::Difference | Dimension::Plain)
                && lower.as_ref().is_some_and(reaches_below)
        }
    }
}

/// A claim of more whose rule asks for less, and the like. Only claims on one signed estimand, without words that turn them.
fn against_its_rule(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    let [about] = site.about else { return };
    let Some(estimand) = spec.estimands.get(&about.estimand) else { return };
    if !is_signed(estimand) {
        return;
    }
    let words: Vec<String> = site
        .hypothesis
        .claim
        .split(|c: char| !c.is_alphabetic())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty())
        .collect();
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let promise = match (any(&UP), any(&DOWN), any(&SAME)) {
        _ if any(&TURNS) && !any(&SAME) => return,
        (true, false, false) => "an increase",
        (false, true, false) => "a decrease",
        (false, false, true) => "no difference",
        _ => return,
    };
    let mut translator = Translator::new(spec);
    let Some(supported) = support(&mut translator, site) else { return };
    let context = Context { hypothesis: site.name, about: site.about, engine_classes: false };
    let estimate = translator
        .evidence(context, &EvidenceRef { about: about.alias.clone(), method: None, kind: EvidenceKind::Estimate });
    let bounds: Vec<_> = translator
        .evidence_of(about)
        .into_iter()
        .filter(|(_, _, kind)| matches!(kind, EvidenceKind::Lower | EvidenceKind::Upper | EvidenceKind::Estimate))
        .map(|(id, _, _)| id)
        .collect();
    let zero = || Term::Const(Rational::from_integer(0.into()));
    // Everything that the rule may read of the estimand on one side of zero.
    let reachable = |above: bool| {
        let all = bounds
            .iter()
            .chain([&estimate])
            .map(|id| if above { Term::from(*id).gt(zero()) } else { Term::from(*id).lt(zero()) });
        matches!(
            prover::satisfiable(
                &translator.problem,
                &supported.clone().and(Formula::And(all.collect())),
                &translator.budget
            ),
            Ok(Some(_))
        )
    };
    let at_zero = {
        let all = bounds.iter().chain([&estimate]).map(|id| Term::from(*id).equals(zero()));
        matches!(
            prover::satisfiable(
                &translator.problem,
                &supported.clone().and(Formula::And(all.collect())),
                &translator.budget
            ),
            Ok(Some(_))
        )
    };
    let (above, below) = (reachable(true), reachable(false));
    // A rule with a margin may reach both sides of zero, but not from both ends: what it makes of the largest effects shows which
    // way it faces.
    let far = |up: bool| {
        let end = if up { &estimand.kind.bounds.upper } else { &estimand.kind.bounds.lower };
        let beyond = Rational::from_integer(if up { 1_000_000_000 } else { -1_000_000_000 }.into());
        let end = end.clone().unwrap_or(beyond);
        let all = bounds.iter().chain([&estimate]).map(|id| Term::from(*id).equals(Term::Const(end.clone())));
        matches!(
            prover::satisfiable(
                &translator.problem,
                &supported.clone().and(Formula::And(all.collect())),
                &translator.budget
            ),
            Ok(Some(_))
        )
    };
    let against = match promise {
        "an increase" => (below && !above) || (far(false) && !far(true)),
        "a decrease" => (above && !below) || (far(true) && !far(false)),
        _ => !at_zero && (above || below),
    };
    if against {
        out.push(
            Diagnostic::warning(
                Code::ClaimAgainstRule,
                places.get(Kind::Hypothesis, site.name, &Part::Claim),
                format!("the claim of `{}` promises {promise}, and its rule supports it for the opposite", site.name),
            )
            .note("readers will take the sentence for what the rule decided")
            .help("turn the comparison round, or say in the claim what the rule asks for")
            .about(site.name),
        );
    }
}
