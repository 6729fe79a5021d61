//! What simulated data sets gave: a table for a terminal and a JSON document. Owns their words; computes nothing but shares.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::math::exact;
use crate::simulate::{Simulation, share_error};
use crate::spec::{Claim, Spec, VerdictClass};

/// Classes that a table shows, in this order, when some data set gave them.
const SHOWN: [VerdictClass; 6] = VerdictClass::ALL;

/// Plain text.
#[must_use]
pub fn terminal(spec: &Spec, results: &[Simulation]) -> String {
    let mut out = String::new();
    for result in results {
        let kind = if result.null { "null" } else { "effect" };
        let _ = writeln!(out, "{} ({kind}): {}", result.scenario, result.words);
        let _ = writeln!(out, "  {} data sets, seed {}", result.data_sets, result.seed);
        table(&mut out, result);
        if result.null {
            false_claims(&mut out, result);
        }
        for one in &result.expectations {
            let bound = if one.expectation.at_most { "at most" } else { "at least" };
            let verdict = if one.missed { "MISSED" } else { "met" };
            let _ = writeln!(
                out,
                "  {verdict}: {} {} {bound} {}; {}",
                one.expectation.hypothesis,
                one.expectation.class.word(),
                one.expectation.share,
                percent(one.share, one.error)
            );
        }
        for cost in &result.costs {
            let _ = writeln!(
                out,
                "  {}: {:.2} usd expected, below {:.2} usd in 95 % of data sets",
                cost.outcome, cost.mean, cost.ninety_fifth
            );
        }
        for one in &result.detectable {
            let _ = match one.scale {
                Some(scale) => writeln!(
                    out,
                    "  {} is supported in {:.0} % of data sets from {scale:.2} times the assumed change",
                    one.hypothesis,
                    100.0 * one.wanted
                ),
                None => writeln!(
                    out,
                    "  {} has no smallest effect: none of the changes tried, or no change at all, gives {:.0} %",
                    one.hypothesis,
                    100.0 * one.wanted
                ),
            };
        }
        out.push('\n');
    }
    unexplored(&mut out, spec, results);
    out
}

fn percent(share: f64, error: f64) -> String {
    format!("{:.1} % (standard error {:.1})", 100.0 * share, 100.0 * error)
}

fn table(out: &mut String, result: &Simulation) {
    let classes: Vec<VerdictClass> = SHOWN
        .into_iter()
        .filter(|class| {
            let rule =
                matches!(class, VerdictClass::Supported | VerdictClass::Contradicted | VerdictClass::Inconclusive);
            rule || result.hypotheses.iter().any(|tally| tally.of(*class) > 0)
        })
        .collect();
    let name = result.hypotheses.iter().map(|tally| tally.hypothesis.len()).max().unwrap_or(0).max(10);
    let _ = write!(out, "  {:name$}", "");
    for class in &classes {
        let _ = write!(out, "  {:>16}", class.word());
    }
    out.push('\n');
    for tally in &result.hypotheses {
        let _ = write!(out, "  {:name$}", tally.hypothesis);
        for class in &classes {
            let share = f64::from(tally.of(*class)) / f64::from(result.data_sets.max(1));
            let error = share_error(share, result.data_sets);
            let _ = write!(out, "  {:>16}", format!("{:.1} % ({:.1})", 100.0 * share, 100.0 * error));
        }
        out.push('\n');
    }
}

/// A confirmatory claim that holds of nothing: how often it is made all the same.
fn false_claims(out: &mut String, result: &Simulation) {
    for tally in result.hypotheses.iter().filter(|tally| tally.role != Claim::Exploratory) {
        let promised = result.expectations.iter().any(|one| {
            one.expectation.hypothesis == tally.hypothesis && one.expectation.class == VerdictClass::Supported
        });
        let share = f64::from(tally.of(VerdictClass::Supported)) / f64::from(result.data_sets.max(1));
        let error = share_error(0.05, result.data_sets);
        if !promised && share > 0.05 + 2.0 * error {
            let _ = writeln!(
                out,
                "  warning: {} is supported in {} of data sets without an effect, and the scenario states no rate it may have \
                 (5 % is usual); state it with `expect {} supported at most …`",
                tally.hypothesis,
                percent(share, share_error(share, result.data_sets)),
                tally.hypothesis
            );
        }
    }
}

fn unexplored(out: &mut String, spec: &Spec, results: &[Simulation]) {
    let has = |null: bool| spec.scenarios.values().any(|scenario| scenario.null == null);
    if !has(true) {
        let _ = writeln!(out, "note: no scenario assumes that there is no effect, so false claims were not counted");
    }
    if !has(false) {
        let _ =
            writeln!(out, "note: no scenario assumes an effect of interest, so the chance of finding it is not known");
    }
    if results.iter().any(|result| result.data_sets < 400) {
        let _ = writeln!(out, "note: with fewer than 400 data sets a share of 5 % has a standard error above 1 point");
    }
}

/// The document: `{"format": "prespec-simulation/1", "scenarios": […]}`.
#[must_use]
pub fn json(spec: &Spec, results: &[Simulation]) -> String {
    let scenarios: Vec<Value> = results.iter().map(scenario).collect();
    let document = json!({ "format": "prespec-simulation/1", "study": spec.study, "scenarios": scenarios });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn scenario(result: &Simulation) -> Value {
    let share = |count: u32| f64::from(count) / f64::from(result.data_sets.max(1));
    let hypotheses: Vec<Value> = result
        .hypotheses
        .iter()
        .map(|tally| {
            let labels: Vec<Value> = tally
                .labels
                .iter()
                .map(|((class, label), count)| {
                    json!({
                        "class": class.word(),
                        "label": label,
                        "data_sets": count,
                        "share": share(*count),
                        "standard_error": share_error(share(*count), result.data_sets),
                    })
                })
                .collect();
            json!({ "hypothesis": tally.hypothesis, "labels": labels })
        })
        .collect();
    let expectations: Vec<Value> = result
        .expectations
        .iter()
        .map(|one| {
            json!({
                "hypothesis": one.expectation.hypothesis,
                "class": one.expectation.class.word(),
                "at_most": one.expectation.at_most,
                "wanted": exact::nearest_f64(&one.expectation.share.value),
                "share": one.share,
                "standard_error": one.error,
                "missed": one.missed,
            })
        })
        .collect();
    let costs: Vec<Value> = result
        .costs
        .iter()
        .map(|cost| json!({ "outcome": cost.outcome, "mean_usd": cost.mean, "p95_usd": cost.ninety_fifth }))
        .collect();
    let detectable: Vec<Value> = result
        .detectable
        .iter()
        .map(|one| json!({ "hypothesis": one.hypothesis, "wanted": one.wanted, "times_assumed_change": one.scale }))
        .collect();
    json!({
        "scenario": result.scenario,
        "null": result.null,
        "assumes": result.words,
        "data_sets": result.data_sets,
        "seed": result.seed,
        "hypotheses": hypotheses,
        "expectations": expectations,
        "costs": costs,
        "detectable": detectable,
    })
}
