//! What the rules of a study may not do: leave a hole, overlap, count absence as evidence, license a direction from two-sided
//! evidence, be decided by chance. Works on the checked study; places come from beside it.

mod contradiction;
mod direction;
mod evidence;
mod families;
mod fidelity;
mod partition;
mod plan;
mod reach;
mod selection;
mod translate;
mod undefined;
mod units;
mod waive;

pub use waive::waive;

use super::places::Places;
use crate::diagnostic::Diagnostic;
use crate::spec::{About, Claim, Hypothesis, Name, Rule, Spec};

/// A rule with everything it reads.
#[derive(Clone, Copy)]
pub(super) struct RuleSite<'a> {
    /// The hypothesis's name.
    pub name: &'a str,
    /// The hypothesis.
    pub hypothesis: &'a Hypothesis,
    /// The clause, when it is a clause's rule.
    pub clause: Option<&'a Name>,
    /// The evidence it reads.
    pub about: &'a [About],
    /// Its own scope.
    pub scope: Option<&'a crate::spec::Scope>,
    /// The rule.
    pub rule: &'a Rule,
}

/// Every rule of the hypotheses, clauses before the rule that reads them.
pub(super) fn sites(spec: &Spec) -> Vec<RuleSite<'_>> {
    let mut out = Vec::new();
    for (name, hypothesis) in &spec.hypotheses {
        for (clause_name, clause) in &hypothesis.clauses {
            let about = if clause.about.is_empty() { &hypothesis.about } else { &clause.about };
            out.push(RuleSite {
                name,
                hypothesis,
                clause: Some(clause_name),
                about,
                scope: clause.scope.as_ref(),
                rule: &clause.rule,
            });
        }
        if let Some(rule) = &hypothesis.rule {
            out.push(RuleSite {
                name,
                hypothesis,
                clause: None,
                about: &hypothesis.about,
                scope: hypothesis.scope.as_ref(),
                rule,
            });
        }
    }
    out
}

/// Whether a hypothesis is confirmatory and has a rule.
pub(super) fn confirmatory(hypothesis: &Hypothesis) -> bool {
    !hypothesis.descriptive && hypothesis.role != Claim::Exploratory
}

/// Checks every rule of the study.
pub fn check(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    for site in sites(spec) {
        partition::check(spec, &site, places, out);
        direction::check(spec, &site, places, out);
        evidence::check(spec, &site, places, out);
        reach::check(spec, &site, places, out);
        undefined::check(spec, &site, places, out);
        selection::check(spec, &site, places, out);
    }
    partition::conclusions(spec, places, out);
    units::check(spec, places, out);
    families::check(spec, places, out);
    fidelity::check(spec, places, out);
    contradiction::check(spec, places, out);
}
