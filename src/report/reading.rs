//! What every presentation says of a judgment beyond its numbers: standings, tallies, the case that fired, evidence in one
//! line. Chooses words and order; draws nothing.

use std::collections::BTreeMap;

use super::{figures, words};
use crate::decide::Look;
use crate::decide::judgment::{
    Distance, EstimandResult, HypothesisVerdict, Judgment, MemberVerdict, Outcome, SetVerdict,
};
use crate::spec::{Claim, Rule, Spec, VerdictClass};

/// Stands on everything that was judged without a freeze.
pub const EXPLORATORY: &str = "exploratory: judged without a frozen study";
/// Stands on everything that was judged although planned records never came.
pub const PARTIAL: &str = "partial: planned records that never came were let through";
/// Stands beside evidence that was not recomputed.
pub const REPORTED: &str = "reported, not recomputed";

/// The watermarks of a judgment, in a fixed order.
#[must_use]
pub fn watermarks(judgment: &Judgment) -> Vec<String> {
    let mut marks = Vec::new();
    marks.extend(judgment.exploratory.then(|| EXPLORATORY.to_owned()));
    marks.extend(judgment.partial.then(|| PARTIAL.to_owned()));
    marks.extend(judgment.look.as_ref().map(look));
    marks
}

/// Which planned look a judgment is.
fn look(look: &Look) -> String {
    let units = format!("{} of {} units", figures::count(look.units), figures::count(look.maximum));
    match look.number {
        Some(number) if number == look.of => {
            format!("the last of {} planned looks, at {units}: p and limits hold over all of them", look.of)
        }
        Some(number) => {
            format!("interim look {number} of {}, at {units}: p and limits hold over all planned looks", look.of)
        }
        None => format!("look at {units}: p holds at any time"),
    }
}

/// A label, prefixed in an exploratory judgment.
#[must_use]
pub fn labelled(judgment: &Judgment, label: &str) -> String {
    let label = words::label(label);
    if judgment.exploratory { format!("exploratory: {label}") } else { label.to_owned() }
}

/// A hypothesis's standing.
#[must_use]
pub const fn role(hypothesis: &HypothesisVerdict) -> &'static str {
    match hypothesis.role {
        Claim::Primary => "primary",
        Claim::Secondary => "secondary",
        Claim::Exploratory => "exploratory",
    }
}

/// How many members have each class, by class: `3 supported, 2 contradicted`.
#[must_use]
pub fn tally(members: &[MemberVerdict]) -> String {
    let mut counts: BTreeMap<VerdictClass, u64> = BTreeMap::new();
    for member in members {
        *counts.entry(member.outcome.class).or_default() += 1;
    }
    let parts: Vec<String> =
        counts.iter().map(|(class, count)| format!("{} {}", figures::count(*count), words::class(*class))).collect();
    parts.join(", ")
}

/// The case of the rule that fired, in words; absent when the engine or a quantifier decided.
#[must_use]
pub fn fired(rule: Option<&Rule>, outcome: &Outcome) -> Option<String> {
    let case = rule?.cases.get(outcome.case?)?;
    Some(format!("{} {}", words::case_label(case), words::case_condition(case)))
}

/// The rule of a hypothesis.
#[must_use]
pub fn rule<'a>(spec: &'a Spec, hypothesis: &str) -> Option<&'a Rule> {
    spec.hypotheses.get(hypothesis)?.rule.as_ref()
}

/// The rule of a clause.
#[must_use]
pub fn clause_rule<'a>(spec: &'a Spec, hypothesis: &str, clause: &str) -> Option<&'a Rule> {
    spec.hypotheses.get(hypothesis)?.clauses.get(clause).map(|clause| &clause.rule)
}

/// The nearest threshold in a sentence.
#[must_use]
pub fn nearest(distance: &Distance) -> String {
    let [value, threshold, apart] = figures::beside(distance.value, distance.threshold, &distance.dimension);
    let mut text = format!("{}: {value} against {threshold}, {apart} apart", distance.comparison);
    if let Some(error) = distance.monte_carlo_error {
        text.push_str("; Monte Carlo standard error ");
        text.push_str(&figures::spread(error, &distance.dimension));
    }
    if distance.fragile {
        text.push_str("; another seed could decide otherwise");
    }
    text
}

/// The parts of one estimand's evidence: estimate, each interval, each test, counts.
#[must_use]
pub fn evidence(result: &EstimandResult) -> Vec<String> {
    let mut parts = vec![match &result.estimate {
        Ok(number) => figures::number(number, &result.dimension),
        Err(why) => format!("undefined ({why})"),
    }];
    for interval in &result.intervals {
        parts.push(match &interval.limits {
            Ok((lower, upper)) => {
                format!("{} {}", figures::level(interval.level), figures::interval(*lower, *upper, &result.dimension))
            }
            Err(why) => format!("no interval ({why})"),
        });
    }
    for test in &result.tests {
        parts.push(match &test.p {
            Ok(p) => figures::p_named("p", *p),
            Err(why) => format!("no p-value ({why})"),
        });
        match &test.p_adjusted {
            Some(Ok(p)) => parts.push(figures::p_named("p adjusted", *p)),
            Some(Err(why)) => parts.push(format!("no adjusted p-value ({why})")),
            None => {}
        }
        if !test.counts.is_empty() {
            parts.push(test.counts.clone());
        }
    }
    if let Some(n) = result.n {
        parts.push(format!("n {}", figures::count(n)));
    }
    if result.reported {
        parts.push(REPORTED.to_owned());
    }
    parts
}

/// The class and label that stand for a set: its verdict, or for a grid none.
#[must_use]
pub fn headline(set: &SetVerdict) -> Option<&Outcome> {
    set.outcome.as_ref()
}

/// A set's verdict in words: its label, or the tally of its grid.
#[must_use]
pub fn set_verdict(judgment: &Judgment, hypothesis: &HypothesisVerdict, set: &SetVerdict) -> String {
    match headline(set) {
        Some(outcome) => outcome_words(judgment, outcome),
        None if !set.grid.is_empty() => {
            let tally = format!("grid: {}", tally(&set.grid));
            if judgment.exploratory { format!("exploratory: {tally}") } else { tally }
        }
        None if hypothesis.descriptive => labelled(judgment, "described, not decided"),
        None => labelled(judgment, "no verdict"),
    }
}

/// An outcome in words: its label, with its class where the label is another word.
#[must_use]
pub fn outcome_words(judgment: &Judgment, outcome: &Outcome) -> String {
    let label = words::label(&outcome.label);
    let class = words::class(outcome.class);
    let text = if label == class { label.to_owned() } else { format!("{label} ({class})") };
    labelled(judgment, &text)
}
