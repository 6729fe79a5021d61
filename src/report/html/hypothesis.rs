//! What the page says of one hypothesis: claim, verdict, why, what would have turned it, plots, sets, clauses and grids.

use std::collections::BTreeSet;

use serde::Serialize;

use super::ReportError;
use super::evidence::{Entry, Plot, plots};
use super::view::{Chip, Named, constants};
use crate::decide::judgment::{EstimandResult, HypothesisVerdict, Judgment, MemberVerdict, Outcome, SetVerdict};
use crate::report::words::{self, Threshold};
use crate::report::{figures, reading};
use crate::spec::{CaseCondition, Class, Clause, Condition, Hypothesis, Rule, Spec, VerdictClass};

/// One hypothesis.
#[derive(Serialize)]
pub(super) struct HypothesisView {
    id: String,
    name: String,
    role: &'static str,
    claim: String,
    answers: String,
    scope: String,
    descriptive: bool,
    chip: Chip,
    summary: String,
    waivers: Vec<Named>,
    why: Why,
    turned: Option<Turned>,
    turned_what: &'static str,
    constants: Vec<Named>,
    sets: Vec<SetView>,
    disagree: bool,
    grids: Vec<Grid>,
    plots: Vec<Plot>,
    clauses: Vec<ClauseView>,
    after: Vec<String>,
    evaluable: String,
    requires: String,
    warnings: Vec<Named>,
    notes: Vec<Named>,
}

/// Why a rule gave its label.
#[derive(Serialize)]
struct Why {
    case: String,
    reason: String,
    named: String,
    nearest: String,
    fragile: bool,
}

/// What would have given the opposite class.
#[derive(Serialize)]
struct Turned {
    word: &'static str,
    ways: Vec<String>,
}

#[derive(Serialize)]
struct SetView {
    name: String,
    chip: Chip,
    headline: bool,
    differs: bool,
    case: String,
    reason: String,
    detail: String,
}

#[derive(Serialize)]
struct ClauseView {
    name: String,
    chip: Chip,
    scope: String,
    why: Why,
    turned: Option<Turned>,
    turned_what: &'static str,
    constants: Vec<Named>,
    others: Vec<Named>,
    plots: Vec<Plot>,
}

/// A table of verdicts over the last factor of a grid.
#[derive(Serialize)]
struct Grid {
    caption: String,
    rows_are: String,
    columns: Vec<String>,
    rows: Vec<GridRow>,
}

#[derive(Serialize)]
struct GridRow {
    name: String,
    cells: Vec<Option<Chip>>,
}

pub(super) fn hypothesis(
    judgment: &Judgment,
    spec: &Spec,
    verdict: &HypothesisVerdict,
    at: usize,
) -> Result<HypothesisView, ReportError> {
    let declared = spec
        .hypotheses
        .get(&verdict.name)
        .ok_or_else(|| ReportError::NotInStudy { kind: "hypothesis", name: verdict.name.clone() })?;
    let rule = declared.rule.as_ref();
    let id = format!("h{at}");
    let first = verdict.sets.first();
    let outcome = first.and_then(|set| set.outcome.as_ref());
    let chip = first.map_or_else(|| Chip::plain("none", "no verdict"), |set| set_chip(judgment, verdict, set));
    let mut entries = Vec::new();
    collect(spec, judgment, verdict, rule, declared.evaluable.as_ref(), &mut entries);
    let quantified = first.is_some_and(|set| !set.members.is_empty() || !set.grid.is_empty());
    let clauses = first.map_or(&[][..], |set| set.clauses.as_slice());
    Ok(HypothesisView {
        name: verdict.name.clone(),
        role: reading::role(verdict),
        claim: verdict.claim.clone(),
        answers: verdict.answers.join(", "),
        scope: scope(declared),
        descriptive: verdict.descriptive,
        summary: first.map_or_else(String::new, summary),
        chip,
        waivers: judgment
            .waivers
            .iter()
            .filter(|(_, on, _)| *on == verdict.name)
            .map(|(code, _, because)| Named::new(code, because))
            .collect(),
        why: outcome.map_or_else(Why::none, |outcome| why(rule, outcome)),
        turned: rule.map(|rule| turned(rule, outcome.map(|outcome| outcome.class))),
        turned_what: if quantified { "a member" } else { "it" },
        constants: constants(words::constants(spec, rule.into_iter().flat_map(words::conditions))),
        sets: verdict.sets.iter().enumerate().map(|(at, set)| set_view(judgment, verdict, set, rule, at)).collect(),
        disagree: verdict.disagree,
        grids: first.map_or_else(Vec::new, |set| grids(judgment, &set.grid)),
        plots: plots(&id, if quantified { "Member" } else { "Analysis set" }, entries),
        clauses: clauses
            .iter()
            .enumerate()
            .map(|(index, (name, outcome, _))| {
                let clause = declared.clauses.get(name).ok_or_else(|| ReportError::NotInStudy {
                    kind: "clause",
                    name: format!("{}.{name}", verdict.name),
                })?;
                Ok(clause_view(judgment, spec, verdict, name, clause, outcome, &format!("{id}-clause-{}", index + 1)))
            })
            .collect::<Result<_, ReportError>>()?,
        after: declared.after.iter().map(ToString::to_string).collect(),
        evaluable: declared.evaluable.as_ref().map_or_else(String::new, ToString::to_string),
        requires: declared.requires.join(", "),
        warnings: judgment
            .warnings
            .iter()
            .filter(|warning| warning.subject == verdict.name)
            .map(|warning| Named::new(&warning.code, &warning.text))
            .collect(),
        notes: declared.notes.iter().map(|(name, text)| Named::new(name, text)).collect(),
        id,
    })
}

/// Evidence in a few words for the overview: of a rule asked once the numbers, else the tally.
fn summary(set: &SetVerdict) -> String {
    if !set.members.is_empty() {
        return format!("{} of {}", reading::tally(&set.members), words::counted(count(&set.members), "member"));
    }
    if !set.grid.is_empty() {
        return reading::tally(&set.grid);
    }
    if !set.clauses.is_empty() && set.evidence.is_empty() {
        let parts: Vec<String> =
            set.clauses.iter().map(|(name, outcome, _)| format!("{name}: {}", words::label(&outcome.label))).collect();
        return parts.join("; ");
    }
    let parts: Vec<String> = set.evidence.iter().map(brief).collect();
    super::view::shown(&parts.join("; "))
}

fn count(members: &[MemberVerdict]) -> u64 {
    u64::try_from(members.len()).unwrap_or(u64::MAX)
}

fn brief(result: &EstimandResult) -> String {
    let mut text = format!("{} {}", result.alias, figures::figure(&result.estimate, &result.dimension));
    if let Some((lower, upper)) = result.intervals.iter().find_map(|interval| interval.limits.as_ref().ok()) {
        text.push(' ');
        text.push_str(&figures::interval(*lower, *upper, &result.dimension));
    }
    for test in &result.tests {
        let (name, p) = match &test.p_adjusted {
            Some(adjusted) => ("adjusted p", adjusted),
            None => ("p", &test.p),
        };
        if let Ok(p) = p {
            text.push_str(", ");
            text.push_str(&figures::p_named(name, *p));
        }
    }
    text
}

fn set_chip(judgment: &Judgment, verdict: &HypothesisVerdict, set: &SetVerdict) -> Chip {
    match &set.outcome {
        Some(outcome) => Chip::of(judgment, outcome),
        None if !set.grid.is_empty() => {
            let text = format!("grid of {}", words::counted(count(&set.grid), "verdict"));
            Chip::plain("none", reading::labelled(judgment, &text))
        }
        None => Chip::plain("none", reading::set_verdict(judgment, verdict, set)),
    }
}

fn scope(declared: &Hypothesis) -> String {
    let scope = declared.scope.as_ref().map_or_else(String::new, ToString::to_string);
    if declared.grid.is_empty() {
        return scope;
    }
    let grid = format!("each {} on its own", declared.grid.join(", "));
    if scope.is_empty() { grid } else { format!("{grid}; {scope}") }
}

impl Why {
    const fn none() -> Self {
        Self {
            case: String::new(),
            reason: String::new(),
            named: String::new(),
            nearest: String::new(),
            fragile: false,
        }
    }
}

fn why(rule: Option<&Rule>, outcome: &Outcome) -> Why {
    Why {
        case: reading::fired(rule, outcome).unwrap_or_default(),
        reason: outcome.reason.clone().unwrap_or_default(),
        named: outcome.named.join(", "),
        nearest: outcome
            .nearest
            .as_ref()
            .map(|nearest| super::view::shown(&reading::nearest(nearest)))
            .unwrap_or_default(),
        fragile: outcome.nearest.as_ref().is_some_and(|nearest| nearest.fragile),
    }
}

/// The opposite of a contradiction is support; of everything else, contradiction.
fn turned(rule: &Rule, class: Option<VerdictClass>) -> Turned {
    let (wanted, word) = if class == Some(VerdictClass::Contradicted) {
        (Class::Supported, "supported")
    } else {
        (Class::Contradicted, "contradicted")
    };
    Turned { word, ways: words::ways_to(rule, wanted) }
}

fn set_view(
    judgment: &Judgment,
    verdict: &HypothesisVerdict,
    set: &SetVerdict,
    rule: Option<&Rule>,
    at: usize,
) -> SetView {
    let label = |set: &SetVerdict| set.outcome.as_ref().map(|outcome| (outcome.class, outcome.label.clone()));
    let case = set.outcome.as_ref().map_or_else(Why::none, |outcome| why(rule, outcome));
    SetView {
        name: set.set.clone(),
        chip: set_chip(judgment, verdict, set),
        headline: at == 0,
        differs: verdict.sets.first().is_some_and(|first| label(first) != label(set)),
        case: case.case,
        reason: case.reason,
        detail: summary(set),
    }
}

/// The rows of a hypothesis: members with every set below one another, or the sets of a rule that is asked once.
fn collect<'a>(
    spec: &Spec,
    judgment: &Judgment,
    verdict: &'a HypothesisVerdict,
    rule: Option<&Rule>,
    evaluable: Option<&Condition>,
    entries: &mut Vec<Entry<'a>>,
) {
    let limits = |result: &EstimandResult| limits(spec, rule, evaluable, result);
    for (at, set) in verdict.sets.iter().enumerate() {
        for result in &set.evidence {
            let chip = set.outcome.as_ref().map(|outcome| Chip::of(judgment, outcome));
            let member = if at == 0 { result.member.as_slice() } else { &[] };
            entries.push(Entry {
                member,
                label: set.set.clone(),
                minor: at > 0,
                result,
                chip,
                thresholds: limits(result),
            });
        }
    }
    let Some(first) = verdict.sets.first() else { return };
    for grid in [false, true] {
        let pick = |set: &'a SetVerdict| if grid { &set.grid } else { &set.members };
        member_entries(judgment, &verdict.sets, pick(first), &pick, &limits, entries);
    }
}

/// One row for each member and set, the headline first.
fn member_entries<'a>(
    judgment: &Judgment,
    sets: &'a [SetVerdict],
    members: &'a [MemberVerdict],
    pick: &dyn Fn(&'a SetVerdict) -> &'a Vec<MemberVerdict>,
    limits: &dyn Fn(&EstimandResult) -> Vec<Threshold>,
    entries: &mut Vec<Entry<'a>>,
) {
    for (index, member) in members.iter().enumerate() {
        for (at, set) in sets.iter().enumerate() {
            // Sets list the same members in the same order; a set that does not is searched.
            let list = pick(set);
            let found = list
                .get(index)
                .filter(|found| found.member == member.member)
                .or_else(|| list.iter().find(|found| found.member == member.member));
            let Some(found) = found else { continue };
            for result in &found.evidence {
                entries.push(Entry {
                    member: if at == 0 { &member.member } else { &[] },
                    label: set.set.clone(),
                    minor: at > 0,
                    result,
                    chip: Some(Chip::of(judgment, &found.outcome)),
                    thresholds: limits(result),
                });
            }
        }
    }
}

fn limits(spec: &Spec, rule: Option<&Rule>, evaluable: Option<&Condition>, result: &EstimandResult) -> Vec<Threshold> {
    let conditions = rule.into_iter().flat_map(words::conditions).chain(evaluable);
    words::thresholds(spec, conditions, &result.alias, &result.member)
}

fn clause_view(
    judgment: &Judgment,
    spec: &Spec,
    verdict: &HypothesisVerdict,
    name: &str,
    clause: &Clause,
    outcome: &Outcome,
    id: &str,
) -> ClauseView {
    let rule = Some(&clause.rule);
    let limits = |result: &EstimandResult| limits(spec, rule, clause.evaluable.as_ref(), result);
    let mut entries = Vec::new();
    let of = |set: &'_ SetVerdict| set.clauses.iter().position(|(found, ..)| found == name);
    let mut others = Vec::new();
    let headline = verdict.sets.first().and_then(|set| set.clauses.get(of(set)?));
    for (at, set) in verdict.sets.iter().enumerate() {
        let Some((_, outcome, members)) = of(set).and_then(|index| set.clauses.get(index)) else { continue };
        if at > 0 {
            others.push(Named::new(&set.set, reading::outcome_words(judgment, outcome)));
        }
        if at == 0 {
            for member in members {
                for (at, set) in verdict.sets.iter().enumerate() {
                    let Some((.., list)) = of(set).and_then(|index| set.clauses.get(index)) else { continue };
                    let Some(found) = list.iter().find(|found| found.member == member.member) else { continue };
                    for result in &found.evidence {
                        let chip = Some(Chip::of(judgment, &found.outcome));
                        let name = if at == 0 { member.member.as_slice() } else { &[] };
                        entries.push(Entry {
                            member: name,
                            label: set.set.clone(),
                            minor: at > 0,
                            result,
                            chip,
                            thresholds: limits(result),
                        });
                    }
                }
            }
        }
    }
    debug_assert!(headline.is_some(), "a clause is viewed because the first set has it");
    ClauseView {
        name: name.to_owned(),
        chip: Chip::of(judgment, outcome),
        scope: clause.scope.as_ref().map_or_else(String::new, ToString::to_string),
        why: why(rule, outcome),
        turned: Some(turned(&clause.rule, Some(outcome.class))),
        turned_what: if clause.scope.is_some() { "a member" } else { "it" },
        constants: constants(words::constants(
            spec,
            clause.rule.cases.iter().filter_map(|case| match &case.when {
                CaseCondition::When(condition) => Some(condition),
                CaseCondition::Otherwise => None,
            }),
        )),
        others,
        plots: plots(id, "Member", entries),
    }
}

/// Tables of a grid: the last factor across, the one before it down, one table for each combination of the others.
fn grids(judgment: &Judgment, grid: &[MemberVerdict]) -> Vec<Grid> {
    let mut tables: Vec<Grid> = Vec::new();
    let Some(first) = grid.first() else { return tables };
    let factors = first.member.len();
    if factors < 2 || grid.iter().any(|member| member.member.len() != factors) {
        return tables;
    }
    let split = |member: &MemberVerdict| {
        let (outer, rest) = member.member.split_at(factors - 2);
        let mut rest = rest.iter();
        let row = rest.next().map(|(_, level)| level.clone()).unwrap_or_default();
        let column = rest.next().map(|(_, level)| level.clone()).unwrap_or_default();
        (words::member(outer), row, column)
    };
    let unique = |values: Vec<String>| {
        let mut seen = BTreeSet::new();
        values.into_iter().filter(|value| seen.insert(value.clone())).collect::<Vec<_>>()
    };
    let columns = unique(grid.iter().map(|member| split(member).2).collect());
    let names: Vec<&str> = first.member.iter().rev().take(2).map(|(factor, _)| factor.as_str()).collect();
    for caption in unique(grid.iter().map(|member| split(member).0).collect()) {
        let cells: Vec<(String, String, &MemberVerdict)> = grid
            .iter()
            .map(|member| (split(member), member))
            .filter(|((outer, ..), _)| *outer == caption)
            .map(|((_, row, column), member)| (row, column, member))
            .collect();
        let rows = unique(cells.iter().map(|(row, ..)| row.clone()).collect());
        tables.push(Grid {
            caption,
            rows_are: names.iter().rev().copied().collect::<Vec<_>>().join(" by "),
            columns: columns.clone(),
            rows: rows
                .into_iter()
                .map(|name| GridRow {
                    cells: columns
                        .iter()
                        .map(|column| {
                            cells
                                .iter()
                                .find(|(row, found, _)| *row == name && found == column)
                                .map(|(.., member)| Chip::of(judgment, &member.outcome))
                        })
                        .collect(),
                    name,
                })
                .collect(),
        });
    }
    tables
}
