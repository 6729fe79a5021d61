//! What the page template is given, apart from hypotheses, flows and rules, which have modules of their own.

use serde::Serialize;

use super::ReportError;
use super::compared::CompareView;
use super::evidence::{Entry, Plot, plots, typographic};
use super::flow::{FlowView, flow};
use super::hypothesis::{HypothesisView, hypothesis};
use super::rules::{RulesView, rules};
use crate::decide::judgment::{GateVerdict, Judgment, Outcome};
use crate::report::document::LIMIT;
use crate::report::{figures, reading, words};
use crate::spec::{CaseCondition, GateFailure, Spec, VerdictClass};

/// A verdict as a mark: a class for its colour and sign, and its words.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Chip {
    pub(super) class: &'static str,
    pub(super) text: String,
}

impl Chip {
    pub(super) fn of(judgment: &Judgment, outcome: &Outcome) -> Self {
        Self { class: outcome.class.word(), text: reading::outcome_words(judgment, outcome) }
    }

    pub(super) fn plain(class: &'static str, text: impl Into<String>) -> Self {
        Self { class, text: text.into() }
    }
}

/// A name and a text.
#[derive(Serialize)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) text: String,
}

impl Named {
    pub(super) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// The whole page.
#[derive(Serialize)]
pub(super) struct Page {
    title: String,
    head_title: String,
    freeze: String,
    study: String,
    authors: String,
    watermarks: Vec<String>,
    questions: Vec<QuestionView>,
    hypotheses: Vec<HypothesisView>,
    conclusions: Vec<ConclusionView>,
    gates: Vec<GateView>,
    comparisons: Vec<CompareView>,
    rankings: Vec<CompareView>,
    families: Vec<FamilyView>,
    flows: Vec<FlowView>,
    figures: Vec<Plot>,
    rules: RulesView,
    waivers: Vec<[String; 3]>,
    warnings: Vec<[String; 3]>,
    limitations: Vec<Named>,
    provenance: Vec<Named>,
    files: Vec<[String; 3]>,
    limit: &'static str,
}

#[derive(Serialize)]
struct QuestionView {
    name: String,
    primary: bool,
    text: String,
}

#[derive(Serialize)]
struct ConclusionView {
    name: String,
    sentence: String,
    licensed: bool,
    lead: &'static str,
    why: String,
}

#[derive(Serialize)]
struct GateView {
    name: String,
    kind: String,
    set: String,
    require: String,
    reason: String,
    constants: Vec<Named>,
    rows: Vec<GateRow>,
    plots: Vec<Plot>,
}

#[derive(Serialize)]
struct GateRow {
    member: String,
    chip: Chip,
    why: String,
}

#[derive(Serialize)]
struct FamilyView {
    name: String,
    heading: String,
    adjust: String,
    rows: Vec<[String; 3]>,
    missing: Vec<String>,
}

pub(super) fn view(judgment: &Judgment, spec: &Spec) -> Result<Page, ReportError> {
    let title = if judgment.title.is_empty() { judgment.study.clone() } else { judgment.title.clone() };
    let marks: Vec<&str> = [(judgment.exploratory, "Exploratory"), (judgment.partial, "Partial")]
        .into_iter()
        .filter_map(|(holds, word)| holds.then_some(word))
        .collect();
    let head_title = if marks.is_empty() { title.clone() } else { format!("{}: {title}", marks.join(" and ")) };
    let hypotheses = judgment
        .hypotheses
        .iter()
        .enumerate()
        .map(|(at, found)| hypothesis(judgment, spec, found, at + 1))
        .collect::<Result<_, _>>()?;
    Ok(Page {
        head_title,
        title,
        freeze: judgment.freeze_id.clone().unwrap_or_default(),
        study: judgment.study.clone(),
        authors: spec.about.authors.join(", "),
        watermarks: reading::watermarks(judgment),
        questions: spec
            .about
            .questions
            .iter()
            .map(|(name, question)| QuestionView {
                name: name.clone(),
                primary: question.primary,
                text: question.text.clone(),
            })
            .collect(),
        hypotheses,
        conclusions: conclusions(judgment, spec),
        gates: judgment
            .gates
            .iter()
            .enumerate()
            .map(|(at, found)| gate(judgment, spec, found, at + 1))
            .collect::<Result<_, _>>()?,
        comparisons: judgment.comparisons.iter().map(|one| CompareView::of_comparison(judgment, spec, one)).collect(),
        rankings: judgment.rankings.iter().map(CompareView::of_ranking).collect(),
        families: families(judgment, spec)?,
        flows: judgment.flows.iter().enumerate().map(|(at, found)| flow(found, spec, at + 1)).collect(),
        figures: plots(
            "figures",
            "Member",
            judgment
                .figures
                .iter()
                .map(|result| Entry {
                    member: &result.member,
                    label: "whole".to_owned(),
                    minor: false,
                    result,
                    chip: None,
                    thresholds: Vec::new(),
                })
                .collect(),
        ),
        rules: rules(judgment, spec),
        waivers: judgment.waivers.iter().map(|(code, on, why)| [code.clone(), on.clone(), why.clone()]).collect(),
        warnings: judgment
            .warnings
            .iter()
            .map(|warning| [warning.code.clone(), warning.subject.clone(), warning.text.clone()])
            .collect(),
        limitations: judgment.limitations.iter().map(|(name, text)| Named::new(name, text)).collect(),
        provenance: provenance(judgment),
        files: judgment
            .files
            .iter()
            .map(|(name, digest, bytes)| [name.clone(), figures::bytes(*bytes), digest.clone()])
            .collect(),
        limit: LIMIT,
    })
}

fn provenance(judgment: &Judgment) -> Vec<Named> {
    vec![
        Named::new("Freeze", judgment.freeze_id.as_deref().unwrap_or("none; the study was not frozen")),
        Named::new("Study's meaning", &judgment.spec_digest),
        Named::new("Records", &judgment.records_digest),
        Named::new("Engine", concat!("prespec ", env!("CARGO_PKG_VERSION"))),
    ]
}

fn conclusions(judgment: &Judgment, spec: &Spec) -> Vec<ConclusionView> {
    judgment
        .conclusions
        .iter()
        .map(|conclusion| {
            let case = conclusion.case.and_then(|at| spec.conclusions.get(&conclusion.name)?.cases.get(at));
            ConclusionView {
                name: conclusion.name.clone(),
                licensed: conclusion.sentence.is_some(),
                sentence: conclusion.sentence.as_deref().map_or_else(
                    || "No sentence is licensed.".to_owned(),
                    |sentence| reading::labelled(judgment, sentence),
                ),
                lead: match (conclusion.case, case) {
                    (None, _) => "No case applied.",
                    (Some(_), None) => "A case applied that the study does not list.",
                    (Some(_), Some(found)) => match found.when {
                        CaseCondition::When(_) => "Because",
                        CaseCondition::Otherwise => "No other case applied.",
                    },
                },
                why: case.map_or_else(String::new, |case| match &case.when {
                    CaseCondition::When(condition) => condition.to_string(),
                    CaseCondition::Otherwise => String::new(),
                }),
            }
        })
        .collect()
}

fn gate(judgment: &Judgment, spec: &Spec, gate: &GateVerdict, at: usize) -> Result<GateView, ReportError> {
    let declared =
        spec.gates.get(&gate.name).ok_or_else(|| ReportError::NotInStudy { kind: "gate", name: gate.name.clone() })?;
    let failed = match gate.fail {
        GateFailure::Void => VerdictClass::Void.word(),
        GateFailure::NotEvaluated => VerdictClass::NotEvaluated.word(),
    };
    let mut entries = Vec::new();
    let mut rows = Vec::new();
    for (member, passed, evidence) in &gate.members {
        let (class, text, why) = match passed {
            Ok(true) => ("supported", "passed", String::new()),
            Ok(false) => (failed, "failed", String::new()),
            Err(why) => ("not_evaluable", "could not be evaluated", why.clone()),
        };
        let chip = Chip::plain(class, reading::labelled(judgment, text));
        for result in evidence {
            entries.push(Entry {
                member,
                label: gate.set.clone(),
                minor: false,
                result,
                chip: Some(chip.clone()),
                thresholds: words::thresholds(spec, [&declared.require], &result.alias, member),
            });
        }
        rows.push(GateRow { member: words::member(member), chip, why });
    }
    Ok(GateView {
        name: gate.name.clone(),
        kind: words::gate(declared.polarity, gate.fail),
        set: gate.set.clone(),
        require: declared.require.to_string(),
        reason: gate.reason.clone(),
        constants: constants(words::constants(spec, [&declared.require])),
        rows,
        plots: plots(&format!("gate-{at}"), "Member", entries),
    })
}

/// Margins and values with their sizes and sources.
pub(super) fn constants(found: Vec<(String, String, String)>) -> Vec<Named> {
    found
        .into_iter()
        .map(|(name, size, source)| {
            let size = typographic(&size);
            Named::new(name, if source.is_empty() { size } else { format!("{size} — {source}") })
        })
        .collect()
}

fn families(judgment: &Judgment, spec: &Spec) -> Result<Vec<FamilyView>, ReportError> {
    judgment
        .families
        .iter()
        .map(|family| {
            let declared = spec
                .families
                .get(&family.name)
                .ok_or_else(|| ReportError::NotInStudy { kind: "family", name: family.name.clone() })?;
            let within = words::member(&family.within);
            let within = if within.is_empty() { String::new() } else { format!(", within {within}") };
            Ok(FamilyView {
                name: family.name.clone(),
                heading: format!("set {}{within}", family.set),
                adjust: format!(
                    "{}, {} planned",
                    words::adjustment(declared.adjust),
                    words::counted(family.count, "member")
                ) + "; "
                    + words::intervals_of(declared.adjust),
                rows: family
                    .members
                    .iter()
                    .map(|(member, p, adjusted)| {
                        let p = p.as_ref().map_or_else(|_| "undefined".to_owned(), |p| figures::p(*p));
                        [member.clone(), p, figures::p(*adjusted)]
                    })
                    .collect(),
                missing: family
                    .members
                    .iter()
                    .filter_map(|(member, p, _)| {
                        p.as_ref().err().map(|why| format!("{member} is undefined and counts as p = 1: {why}"))
                    })
                    .collect(),
            })
        })
        .collect()
}

/// A text of numbers with a proper minus sign.
pub(super) fn shown(number: &str) -> String {
    typographic(number)
}
