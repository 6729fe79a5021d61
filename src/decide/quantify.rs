//! How verdicts of members become one verdict. Owns the truth tables of quantifiers; it knows no evidence.

use std::collections::BTreeMap;

use super::judgment::Outcome;
use super::members::Binding;
use crate::spec::{Quantifier, QuantifierKind, VerdictClass};

/// Combines members' verdicts over the quantifiers of a scope, the outermost first in `quantifiers`.
#[must_use]
pub(super) fn quantified(quantifiers: &[Quantifier], members: &[(Binding, Outcome)]) -> Outcome {
    let Some((outer, inner)) = quantifiers.split_first() else {
        return match members {
            [(_, only)] => only.clone(),
            [] => empty(),
            _ => outcome(
                VerdictClass::NotEvaluable,
                Some(format!("{} members and no quantifier to combine them", members.len())),
            ),
        };
    };
    let mut order: Vec<Vec<&String>> = Vec::new();
    let mut groups: BTreeMap<Vec<&String>, Vec<(Binding, Outcome)>> = BTreeMap::new();
    for (member, verdict) in members {
        let levels: Vec<&String> = outer.factors.iter().filter_map(|factor| member.get(factor)).collect();
        if !groups.contains_key(&levels) {
            order.push(levels.clone());
        }
        groups.entry(levels).or_default().push((member.clone(), verdict.clone()));
    }
    let verdicts: Vec<Outcome> =
        order.iter().filter_map(|levels| groups.get(levels)).map(|group| quantified(inner, group)).collect();
    combine(outer, &verdicts)
}

fn empty() -> Outcome {
    outcome(VerdictClass::NotEvaluable, Some("no member is in its scope".to_owned()))
}

/// An outcome whose label is its class's word.
#[must_use]
pub(super) fn outcome(class: VerdictClass, reason: Option<String>) -> Outcome {
    Outcome { class, label: class.word().to_owned(), case: None, reason, nearest: None, named: Vec::new() }
}

/// Whether only the engine gives this class.
#[must_use]
pub(super) const fn is_engine(class: VerdictClass) -> bool {
    matches!(class, VerdictClass::Void | VerdictClass::NotEvaluated | VerdictClass::NotEvaluable)
}

/// One quantifier over the verdicts of its members.
///
/// For `at least k of n` with T members supported and F contradicted: supported if T >= k, contradicted if F > n - k, otherwise
/// inconclusive. `all` is k = n, `any` is k = 1, `none` swaps the two classes of `any`.
#[must_use]
pub(super) fn combine(quantifier: &Quantifier, verdicts: &[Outcome]) -> Outcome {
    let lost: Vec<&Outcome> = verdicts.iter().filter(|verdict| is_engine(verdict.class)).collect();
    let evaluated = verdicts.len() - lost.len();
    if verdicts.is_empty() {
        return empty();
    }
    if evaluated == 0 {
        return commonest(verdicts);
    }
    let members = verdicts.len() as u64;
    let (mut k, mut n) = match quantifier.kind {
        QuantifierKind::All => (members, members),
        QuantifierKind::Any | QuantifierKind::None => (1, members),
        QuantifierKind::AtLeast { at_least, of } => (at_least, of.max(members)),
    };
    if !lost.is_empty()
        && let Some((at_least, of)) = quantifier.when_lost.iter().find(|(_, of)| *of == evaluated as u64)
    {
        (k, n) = (*at_least, *of);
    }
    let count = |class| verdicts.iter().filter(|verdict| verdict.class == class).count() as u64;
    let (supported, contradicted) = (count(VerdictClass::Supported), count(VerdictClass::Contradicted));
    let class = if supported >= k {
        VerdictClass::Supported
    } else if contradicted > n.saturating_sub(k) {
        VerdictClass::Contradicted
    } else {
        VerdictClass::Inconclusive
    };
    let class = match (quantifier.kind, class) {
        (QuantifierKind::None, VerdictClass::Supported) => VerdictClass::Contradicted,
        (QuantifierKind::None, VerdictClass::Contradicted) => VerdictClass::Supported,
        (_, class) => class,
    };
    let swaps = quantifier.kind == QuantifierKind::None;
    let need = if swaps { "none may be".to_owned() } else { format!("{k} of {n} needed") };
    let unevaluated = lost.first().map_or_else(String::new, |first| {
        let why = first.reason.as_ref().filter(|_| class == VerdictClass::Inconclusive);
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        format!("; {} of {members} could not be evaluated{why}", lost.len())
    });
    let counts = format!("{supported} supported, {contradicted} contradicted of {n}");
    outcome(class, Some(format!("{counts}; {need}{unevaluated}")))
}

/// The commonest engine class; ties go to void, then `not_evaluable`, then `not_evaluated`.
fn commonest(verdicts: &[Outcome]) -> Outcome {
    let order = [VerdictClass::Void, VerdictClass::NotEvaluable, VerdictClass::NotEvaluated];
    let count = |class: VerdictClass| verdicts.iter().filter(|verdict| verdict.class == class).count();
    // The first of the largest: `max_by_key` would take the last.
    let best = order.into_iter().rev().max_by_key(|class| count(*class)).unwrap_or(VerdictClass::NotEvaluable);
    let why = verdicts.iter().find(|verdict| verdict.class == best).and_then(|verdict| verdict.reason.clone());
    outcome(best, Some(why.unwrap_or_else(|| "no member could be evaluated".to_owned())))
}
