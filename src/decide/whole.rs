//! The whole judgment: from a checked study and its records to verdicts. Owns the order of the steps.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use super::compile::Reported;
use super::court::{Court, Heard, conditions_of};
use super::evidence::{Key, Store, Wanted, members_of};
use super::frame::Frame;
use super::judgment::{ConclusionResult, EstimandResult, Flow, HypothesisVerdict, Judgment, Warning};
use super::looks::look;
use super::members::Binding;
use super::rule::Scene;
use super::sets::View;
use super::{comparisons, families, rankings};
use crate::plan::Task;
use crate::records::Joined;
use crate::records::digest::records_digest;
use crate::spec::{
    About, CaseCondition, Claim, Conclusion, Condition, Hypothesis, Name, Ranking, RankingKind, RecordExpr, Spec,
};

/// What is not in the study or the records.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether the study was not frozen.
    pub exploratory: bool,
    /// Whether missing records without a declared policy are let through.
    pub partial: bool,
    /// `sha256:…` of the freeze.
    pub freeze_id: Option<String>,
    /// `sha256:…` of the study.
    pub spec_digest: String,
    /// Warnings of the check and of the readers.
    pub warnings: Vec<Warning>,
    /// Threads to use; the judgment does not depend on their number.
    pub workers: usize,
}

/// Judges a study. Refused when a class of states occurs that an analysis set says nothing of, when a record is not planned, or
/// when verdicts depend on each other in a circle.
pub fn judge(spec: &Spec, tasks: &[Task], joined: &Joined, options: &Options) -> Result<Judgment, Refusal> {
    let whole_digest = records_digest(joined);
    let looked = spec.looks.as_ref().map(|looks| look(spec, looks, tasks, joined)).transpose()?;
    let (look, only) = looked.map_or((None, None), |(look, only)| (Some(look), only));
    let (tasks, joined) = only.as_ref().map_or((tasks, joined), |(tasks, joined)| (tasks.as_slice(), joined));
    let frame = Frame::new(spec, tasks, joined)?;
    let reported: Reported<'_> = joined
        .estimates
        .iter()
        .map(|estimate| ((estimate.estimand.clone(), estimate.member.clone()), estimate))
        .collect();
    let sets = sets_in_use(spec);
    let mut views = Vec::new();
    for name in &sets {
        let set = spec.sets.get(name).cloned().unwrap_or_default();
        views.push(View::new(&frame, name, &set, options.partial)?);
    }
    let flows: Vec<Flow> = sets.iter().zip(&views).map(|(name, view)| view.flow(name, &joined.counts)).collect();
    let wanted = wanted(&frame, &sets);
    let workers = options.workers.max(1);
    let mut store = Store::compute(&views, &reported, &wanted, look.as_ref(), workers);
    let families =
        sets.iter().enumerate().flat_map(|(set, name)| families::adjust_all(&frame, set, name, &mut store)).collect();
    let (comparisons, findings) = comparisons::find(&frame, &sets, &store);
    let rankings = rankings::order(&rankings::Sources {
        frame: &frame,
        views: &views,
        reported: &reported,
        sets: &sets,
        store: &store,
        findings: &findings,
        workers,
    });
    let mut court =
        Court { frame: &frame, store: &store, sets: &sets, gates: BTreeMap::new(), verdicts: BTreeMap::new() };
    for step in order(spec)? {
        match step {
            Step::Gate(name) => spec.gates.get(&name).into_iter().for_each(|gate| court.try_gate(&name, gate)),
            Step::Hypothesis(name) => {
                spec.hypotheses.get(&name).into_iter().for_each(|hypothesis| court.hear(&name, hypothesis));
            }
        }
    }
    let gates = spec.gates.iter().filter_map(|(name, gate)| Some((name, gate, court.gates.get(name)?)));
    let hypotheses = spec.hypotheses.iter().map(|(name, hypothesis)| shown(&court, name, hypothesis));
    let mut warnings = options.warnings.clone();
    warnings.sort();
    Ok(Judgment {
        study: spec.study.clone(),
        title: spec.about.title.clone(),
        freeze_id: options.freeze_id.clone(),
        spec_digest: options.spec_digest.clone(),
        exploratory: options.exploratory,
        partial: options.partial,
        records_digest: whole_digest,
        look,
        files: joined.files.clone(),
        flows,
        hypotheses: hypotheses.collect(),
        gates: gates.map(|(name, gate, heard)| court.shown_gate(name, gate, heard)).collect(),
        families,
        comparisons,
        rankings,
        conclusions: spec.conclusions.iter().map(|(name, one)| conclude(&court, name, one)).collect(),
        figures: figures(&frame, &store),
        warnings,
        waivers: spec.waivers.iter().map(|w| (w.code.clone(), w.on.clone(), w.because.clone())).collect(),
        limitations: spec.about.limitations.iter().map(|(name, text)| (name.clone(), text.clone())).collect(),
    })
}

/// The analysis sets that verdicts name: headlines of confirmatory hypotheses first, then in the order in which they occur. Where
/// nothing names any, all that are declared.
fn sets_in_use(spec: &Spec) -> Vec<Name> {
    let mut hypotheses: Vec<&Hypothesis> = spec.hypotheses.values().collect();
    hypotheses.sort_by_key(|hypothesis| hypothesis.role);
    let mut sets: Vec<Name> = Vec::new();
    let named = hypotheses.iter().flat_map(|hypothesis| &hypothesis.sets);
    let compared = spec.comparisons.values().map(|one| &one.set).chain(spec.rankings.values().map(|one| &one.set));
    for set in named.chain(spec.gates.values().map(|gate| &gate.set)).chain(compared) {
        if !sets.contains(set) {
            sets.push(set.clone());
        }
    }
    if sets.is_empty() {
        sets.extend(spec.sets.keys().cloned());
    }
    if sets.is_empty() {
        sets.push("all".to_owned());
    }
    sets
}

/// Everything that some verdict, family or figure reads.
fn wanted(frame: &Frame<'_>, sets: &[Name]) -> BTreeMap<Key, Wanted> {
    let spec = frame.spec;
    let mut wanted: BTreeMap<Key, Wanted> = BTreeMap::new();
    let number = |name: &Name| sets.iter().position(|set| set == name);
    let mut add = |set: usize, abouts: &[About], filter: Option<&RecordExpr>| {
        for about in abouts {
            for member in members_of(frame, about, filter, &Binding::new()) {
                let slot = wanted.entry((set, about.estimand.clone(), member)).or_default();
                slot.intervals.extend(about.intervals.iter().cloned());
                slot.tests.extend(about.tests.iter().cloned());
            }
        }
    };
    for hypothesis in spec.hypotheses.values() {
        for set in hypothesis.sets.iter().filter_map(number) {
            let filter = hypothesis.scope.as_ref().and_then(|scope| scope.filter.as_ref());
            // A hypothesis whose evidence only its clauses read needs no more members than they do.
            let shared = hypothesis.clauses.values().any(|clause| clause.about.is_empty());
            let own = hypothesis.rule.as_ref().is_none_or(super::rule::reads_evidence) || hypothesis.clauses.is_empty();
            if own || (shared && filter.is_some()) {
                add(set, &hypothesis.about, filter);
            }
            for clause in hypothesis.clauses.values() {
                let abouts = if clause.about.is_empty() { &hypothesis.about } else { &clause.about };
                add(set, abouts, clause.scope.as_ref().and_then(|scope| scope.filter.as_ref()));
            }
        }
    }
    for gate in spec.gates.values() {
        if let Some(set) = number(&gate.set) {
            add(set, &gate.about, gate.scope.as_ref().and_then(|scope| scope.filter.as_ref()));
        }
    }
    for figure in published(spec) {
        add(0, &[plain(&figure)], None);
    }
    comparisons::want(frame, sets, &mut wanted);
    rankings::want(frame, sets, &mut wanted);
    for set in 0..sets.len() {
        families::want(frame, set, &mut wanted);
    }
    wanted
}

/// An estimand as evidence without intervals or tests.
fn plain(estimand: &Name) -> About {
    About {
        alias: estimand.clone(),
        estimand: estimand.clone(),
        at: Vec::new(),
        intervals: Vec::new(),
        tests: Vec::new(),
    }
}

/// Published estimands, and those that no hypothesis or gate reads.
fn published(spec: &Spec) -> BTreeSet<Name> {
    let clauses = |hypothesis: &'_ Hypothesis| -> Vec<Name> {
        let own = hypothesis.about.iter().chain(hypothesis.clauses.values().flat_map(|clause| &clause.about));
        own.map(|about| about.estimand.clone()).collect()
    };
    let mut read: BTreeSet<Name> = spec.hypotheses.values().flat_map(clauses).collect();
    read.extend(spec.gates.values().flat_map(|gate| &gate.about).map(|about| about.estimand.clone()));
    read.extend(spec.comparisons.values().flat_map(|one| &one.lines).map(|line| line.estimand.clone()));
    read.extend(spec.rankings.values().flat_map(ranked_by));
    let named: BTreeSet<&Name> = spec.publishes.values().flat_map(|publish| &publish.figures).collect();
    spec.estimands.keys().filter(|name| named.contains(name) || !read.contains(*name)).cloned().collect()
}

/// The estimands whose estimates a ranking shows.
fn ranked_by(ranking: &Ranking) -> Vec<Name> {
    match &ranking.kind {
        RankingKind::Findings { .. } => Vec::new(),
        RankingKind::Estimate { estimand, .. } => vec![estimand.clone()],
        RankingKind::Front { objectives, .. } => objectives.iter().map(|one| one.estimand.clone()).collect(),
    }
}

/// Published figures and unread estimands under the headline set.
fn figures(frame: &Frame<'_>, store: &Store) -> Vec<EstimandResult> {
    let mut figures = Vec::new();
    for name in published(frame.spec) {
        for member in members_of(frame, &plain(&name), None, &Binding::new()) {
            let found = store.evidence.get(&(0, name.clone(), member));
            figures.extend(found.map(|evidence| evidence.shown.clone()));
        }
    }
    figures
}

enum Step {
    Gate(Name),
    Hypothesis(Name),
}

/// Gates and hypotheses, each after what it depends on.
fn order(spec: &Spec) -> Result<Vec<Step>, Refusal> {
    let mut order = Vec::new();
    let mut state: BTreeMap<(bool, Name), bool> = BTreeMap::new();
    let all = spec.gates.keys().map(|name| (true, name)).chain(spec.hypotheses.keys().map(|name| (false, name)));
    for (gate, name) in all {
        visit(spec, (gate, name.clone()), &mut state, &mut order)?;
    }
    Ok(order)
}

/// `state` holds false while a node is being visited, and true once it is done.
fn visit(
    spec: &Spec,
    node: (bool, Name),
    state: &mut BTreeMap<(bool, Name), bool>,
    order: &mut Vec<Step>,
) -> Result<(), Refusal> {
    match state.get(&node) {
        Some(true) => return Ok(()),
        Some(false) => {
            return Err(Refusal::new(format!(
                "{} depends on its own verdict, so no order decides it; break the circle of `is`, `after` and `requires`",
                node.1
            )));
        }
        None => {}
    }
    state.insert(node.clone(), false);
    let mut next: BTreeSet<(bool, Name)> = BTreeSet::new();
    if node.0 {
        if let Some(gate) = spec.gates.get(&node.1) {
            subjects(&gate.require, &mut next);
        }
    } else if let Some(hypothesis) = spec.hypotheses.get(&node.1) {
        next.extend(hypothesis.requires.iter().map(|gate| (true, gate.clone())));
        let rules = hypothesis.rule.iter().chain(hypothesis.clauses.values().map(|clause| &clause.rule));
        rules.flat_map(conditions_of).for_each(|condition| subjects(condition, &mut next));
        hypothesis.after.iter().chain(&hypothesis.evaluable).for_each(|condition| subjects(condition, &mut next));
    }
    for own in next {
        visit(spec, own, state, order)?;
    }
    state.insert(node.clone(), true);
    order.push(if node.0 { Step::Gate(node.1) } else { Step::Hypothesis(node.1) });
    Ok(())
}

fn subjects(condition: &Condition, into: &mut BTreeSet<(bool, Name)>) {
    match condition {
        Condition::Is { subject, clause: false, .. } => {
            into.insert((false, subject.clone()));
        }
        Condition::Not(inner) => subjects(inner, into),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| subjects(part, into)),
        Condition::Is { .. } | Condition::Compare(..) | Condition::Within(..) => {}
    }
}

fn shown(court: &Court<'_>, name: &Name, hypothesis: &Hypothesis) -> HypothesisVerdict {
    let heard = court.verdicts.get(name).map(Vec::as_slice).unwrap_or_default();
    let classes =
        |heard: &Heard| -> Vec<_> { heard.cells.iter().map(|cell| (cell.at.clone(), cell.outcome.class)).collect() };
    let headline = heard.first().map(classes);
    let differs = heard.iter().any(|heard| Some(classes(heard)) != headline);
    HypothesisVerdict {
        name: name.clone(),
        role: hypothesis.role,
        claim: hypothesis.claim.clone(),
        answers: hypothesis.answers.clone(),
        descriptive: hypothesis.descriptive,
        sets: heard.iter().map(|heard| court.shown(hypothesis, heard)).collect(),
        disagree: differs && hypothesis.rule.is_some(),
    }
}

/// The sentence that the headline verdicts license. `is` is two-valued over all six classes; what no case covers is silence.
fn conclude(court: &Court<'_>, name: &Name, conclusion: &Conclusion) -> ConclusionResult {
    let nowhere = Binding::new();
    for (index, say) in conclusion.cases.iter().enumerate() {
        let applies = match &say.when {
            CaseCondition::Otherwise => true,
            CaseCondition::When(condition) => {
                let mut components = BTreeMap::new();
                let mut named = BTreeSet::new();
                subjects_with_groups(condition, &mut named);
                for (subject, some) in named {
                    let headline = court.verdicts.get(&subject).and_then(|heard| heard.first());
                    let set = headline.map_or(usize::MAX, |heard| heard.set);
                    court.verdict(&subject, Claim::Exploratory, set, &nowhere, some.as_ref(), &mut components);
                }
                let scene = Scene {
                    frame: court.frame,
                    store: court.store,
                    set: 0,
                    abouts: &[],
                    member: &nowhere,
                    filter: None,
                    components: &components,
                    along: None,
                };
                scene.condition(condition).unwrap_or(false)
            }
        };
        if applies {
            return ConclusionResult { name: name.clone(), sentence: say.sentence.clone(), case: Some(index) };
        }
    }
    ConclusionResult { name: name.clone(), sentence: None, case: None }
}

fn subjects_with_groups(condition: &Condition, into: &mut BTreeSet<(Name, Option<Name>)>) {
    match condition {
        Condition::Is { subject, some, .. } => {
            into.insert((subject.clone(), some.clone()));
        }
        Condition::Not(inner) => subjects_with_groups(inner, into),
        Condition::And(parts) | Condition::Or(parts) => {
            for part in parts {
                subjects_with_groups(part, into);
            }
        }
        Condition::Compare(..) | Condition::Within(..) => {}
    }
}
