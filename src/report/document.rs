//! The verdict document, `prespec-verdict/1`: a judgment as JSON, in a fixed member order, so that two runs give the same
//! bytes. Its schema is `docs/verdict.schema.json`.

mod comparisons;

use std::borrow::Cow;

use serde::Serialize;

use crate::decide::judgment::{
    Distance, EstimandResult, Figure, Flow, Judgment, MemberVerdict, Number, Outcome, SetVerdict,
};
use crate::math::exact;
use crate::spec::{Claim, Dimension, GateFailure};

/// The schema's name.
pub const SCHEMA: &str = "prespec-verdict/1";

/// The document's bytes, with a line end.
///
/// # Errors
/// When a number is neither finite nor absent, which a judgment never holds.
pub fn bytes(judgment: &Judgment) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&document(judgment))?;
    text.push('\n');
    Ok(text)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    engine: Engine,
    study: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    freeze_id: Option<&'a str>,
    spec_digest: &'a str,
    exploratory: bool,
    partial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    look: Option<LookDocument>,
    records_digest: &'a str,
    files: Vec<File<'a>>,
    flows: Vec<FlowDocument<'a>>,
    hypotheses: Vec<HypothesisDocument<'a>>,
    gates: Vec<GateDocument<'a>>,
    families: Vec<FamilyDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comparisons: Vec<comparisons::ComparisonDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rankings: Vec<comparisons::RankingDocument<'a>>,
    conclusions: Vec<ConclusionDocument<'a>>,
    figures: Vec<EstimandDocument<'a>>,
    warnings: Vec<WarningDocument<'a>>,
    waivers: Vec<WaiverDocument<'a>>,
    limitations: Vec<Named<'a>>,
    sentence: &'static str,
}

/// What no verdict can show; the last line of every presentation.
pub const LIMIT: &str = crate::verify::LIMIT;

/// Which planned look a judgment is.
#[derive(Serialize)]
struct LookDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    of: usize,
    units: u64,
    maximum: u64,
}

#[derive(Serialize)]
struct Engine {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    sha256: &'a str,
    bytes: u64,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct WarningDocument<'a> {
    code: &'a str,
    subject: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct WaiverDocument<'a> {
    code: &'a str,
    on: &'a str,
    because: &'a str,
}

#[derive(Serialize)]
struct FlowDocument<'a> {
    set: &'a str,
    planned: u64,
    states: Vec<StateCount>,
    dropped: u64,
    not_kept: u64,
    excluded: u64,
    imputed: u64,
    counted: u64,
    units: u64,
    units_planned: u64,
    arms: Vec<ArmDocument<'a>>,
}

#[derive(Serialize)]
struct StateCount {
    state: &'static str,
    records: u64,
}

#[derive(Serialize)]
struct ArmDocument<'a> {
    arm: &'a str,
    planned: u64,
    completed: u64,
    errored: u64,
    missing: u64,
    counted: u64,
}

#[derive(Serialize)]
struct HypothesisDocument<'a> {
    name: &'a str,
    role: &'static str,
    claim: &'a str,
    answers: &'a [String],
    descriptive: bool,
    sets: Vec<SetDocument<'a>>,
    sets_disagree: bool,
}

#[derive(Serialize)]
struct SetDocument<'a> {
    set: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<OutcomeDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grid: Vec<MemberDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clauses: Vec<ClauseDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<EstimandDocument<'a>>,
}

#[derive(Serialize)]
struct ClauseDocument<'a> {
    name: &'a str,
    verdict: OutcomeDocument<'a>,
    members: Vec<MemberDocument<'a>>,
}

#[derive(Serialize)]
struct OutcomeDocument<'a> {
    class: &'static str,
    label: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<DistanceDocument<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    named: &'a [String],
}

#[derive(Serialize)]
struct DistanceDocument<'a> {
    comparison: &'a str,
    value: f64,
    threshold: f64,
    distance: f64,
    unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    monte_carlo_error: Option<f64>,
    fragile: bool,
}

#[derive(Serialize)]
struct MemberDocument<'a> {
    member: Vec<LevelDocument<'a>>,
    verdict: OutcomeDocument<'a>,
    evidence: Vec<EstimandDocument<'a>>,
}

#[derive(Serialize)]
struct LevelDocument<'a> {
    factor: &'a str,
    level: &'a str,
}

#[derive(Serialize)]
struct EstimandDocument<'a> {
    alias: &'a str,
    estimand: &'a str,
    member: Vec<LevelDocument<'a>>,
    unit: String,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<NumberDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<&'a str>,
    intervals: Vec<IntervalDocument<'a>>,
    tests: Vec<TestDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<u64>,
}

#[derive(Serialize)]
struct NumberDocument {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<String>,
}

#[derive(Serialize)]
struct IntervalDocument<'a> {
    name: &'a str,
    method: &'a str,
    level: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<&'a str>,
    undefined_resamples: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    monte_carlo_error: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct TestDocument<'a> {
    name: &'a str,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p_adjusted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    counts: &'a str,
}

#[derive(Serialize)]
struct GateDocument<'a> {
    name: &'a str,
    set: &'a str,
    failure_gives: &'static str,
    reason: &'a str,
    members: Vec<GateMemberDocument<'a>>,
}

#[derive(Serialize)]
struct GateMemberDocument<'a> {
    member: Vec<LevelDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_evaluable: Option<&'a str>,
    evidence: Vec<EstimandDocument<'a>>,
}

#[derive(Serialize)]
struct FamilyDocument<'a> {
    name: &'a str,
    set: &'a str,
    within: Vec<LevelDocument<'a>>,
    adjust: &'static str,
    count: u64,
    members: Vec<FamilyMemberDocument<'a>>,
}

#[derive(Serialize)]
struct FamilyMemberDocument<'a> {
    member: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<&'a str>,
    p_adjusted: f64,
}

#[derive(Serialize)]
struct ConclusionDocument<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<usize>,
}

fn document(judgment: &Judgment) -> Document<'_> {
    Document {
        schema: SCHEMA,
        engine: Engine { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        study: &judgment.study,
        title: &judgment.title,
        freeze_id: judgment.freeze_id.as_deref(),
        spec_digest: &judgment.spec_digest,
        exploratory: judgment.exploratory,
        partial: judgment.partial,
        look: judgment.look.as_ref().map(|look| LookDocument {
            number: look.number,
            of: look.of,
            units: look.units,
            maximum: look.maximum,
        }),
        records_digest: &judgment.records_digest,
        files: judgment.files.iter().map(|(name, sha256, bytes)| File { name, sha256, bytes: *bytes }).collect(),
        flows: judgment.flows.iter().map(flow).collect(),
        hypotheses: judgment
            .hypotheses
            .iter()
            .map(|hypothesis| HypothesisDocument {
                name: &hypothesis.name,
                role: match hypothesis.role {
                    Claim::Primary => "primary",
                    Claim::Secondary => "secondary",
                    Claim::Exploratory => "exploratory",
                },
                claim: &hypothesis.claim,
                answers: &hypothesis.answers,
                descriptive: hypothesis.descriptive,
                sets: hypothesis.sets.iter().map(|own| set(own, judgment.exploratory)).collect(),
                sets_disagree: hypothesis.disagree,
            })
            .collect(),
        gates: judgment
            .gates
            .iter()
            .map(|gate| GateDocument {
                name: &gate.name,
                set: &gate.set,
                failure_gives: match gate.fail {
                    GateFailure::Void => "void",
                    GateFailure::NotEvaluated => "not_evaluated",
                },
                reason: &gate.reason,
                members: gate
                    .members
                    .iter()
                    .map(|(member, passed, evidence)| GateMemberDocument {
                        member: levels(member),
                        passed: passed.as_ref().ok().copied(),
                        not_evaluable: passed.as_ref().err().map(String::as_str),
                        evidence: evidence.iter().map(estimand).collect(),
                    })
                    .collect(),
            })
            .collect(),
        families: judgment
            .families
            .iter()
            .map(|family| FamilyDocument {
                name: &family.name,
                set: &family.set,
                within: levels(&family.within),
                adjust: family.adjust,
                count: family.count,
                members: family
                    .members
                    .iter()
                    .map(|(member, p, p_adjusted)| FamilyMemberDocument {
                        member,
                        p: p.as_ref().ok().copied(),
                        undefined: p.as_ref().err().map(String::as_str),
                        p_adjusted: *p_adjusted,
                    })
                    .collect(),
            })
            .collect(),
        comparisons: judgment.comparisons.iter().map(comparisons::comparison).collect(),
        rankings: judgment.rankings.iter().map(comparisons::ranking).collect(),
        conclusions: judgment
            .conclusions
            .iter()
            .map(|conclusion| ConclusionDocument {
                name: &conclusion.name,
                sentence: conclusion.sentence.as_deref(),
                case: conclusion.case,
            })
            .collect(),
        figures: judgment.figures.iter().map(estimand).collect(),
        warnings: judgment
            .warnings
            .iter()
            .map(|warning| WarningDocument { code: &warning.code, subject: &warning.subject, text: &warning.text })
            .collect(),
        waivers: judgment.waivers.iter().map(|(code, on, because)| WaiverDocument { code, on, because }).collect(),
        limitations: judgment.limitations.iter().map(|(name, text)| Named { name, text }).collect(),
        sentence: LIMIT,
    }
}

fn flow(flow: &Flow) -> FlowDocument<'_> {
    FlowDocument {
        set: &flow.set,
        planned: flow.planned,
        states: flow.states.iter().map(|(state, records)| StateCount { state, records: *records }).collect(),
        dropped: flow.dropped,
        not_kept: flow.not_kept,
        excluded: flow.excluded,
        imputed: flow.imputed,
        counted: flow.counted,
        units: flow.units.0,
        units_planned: flow.units.1,
        arms: flow
            .arms
            .iter()
            .map(|(arm, [planned, completed, errored, missing, counted])| ArmDocument {
                arm,
                planned: *planned,
                completed: *completed,
                errored: *errored,
                missing: *missing,
                counted: *counted,
            })
            .collect(),
    }
}

fn set(set: &SetVerdict, exploratory: bool) -> SetDocument<'_> {
    let member = |own| member(own, exploratory);
    let outcome = |own| outcome(own, exploratory);
    SetDocument {
        set: &set.set,
        verdict: set.outcome.as_ref().map(outcome),
        grid: set.grid.iter().map(member).collect(),
        members: set.members.iter().map(member).collect(),
        clauses: set
            .clauses
            .iter()
            .map(|(name, verdict, members)| ClauseDocument {
                name,
                verdict: outcome(verdict),
                members: members.iter().map(member).collect(),
            })
            .collect(),
        evidence: set.evidence.iter().map(estimand).collect(),
    }
}

fn member(member: &MemberVerdict, exploratory: bool) -> MemberDocument<'_> {
    MemberDocument {
        member: levels(&member.member),
        verdict: outcome(&member.outcome, exploratory),
        evidence: member.evidence.iter().map(estimand).collect(),
    }
}

fn levels(member: &[(String, String)]) -> Vec<LevelDocument<'_>> {
    member.iter().map(|(factor, level)| LevelDocument { factor, level }).collect()
}

/// A label of an exploratory judgment is never mistaken for one that binds.
fn outcome(outcome: &Outcome, exploratory: bool) -> OutcomeDocument<'_> {
    OutcomeDocument {
        class: outcome.class.word(),
        label: if exploratory {
            Cow::Owned(format!("exploratory:{}", outcome.label))
        } else {
            Cow::Borrowed(&outcome.label)
        },
        case: outcome.case,
        reason: outcome.reason.as_deref(),
        nearest: outcome.nearest.as_ref().map(distance),
        named: &outcome.named,
    }
}

fn distance(distance: &Distance) -> DistanceDocument<'_> {
    DistanceDocument {
        comparison: &distance.comparison,
        value: distance.value,
        threshold: distance.threshold,
        distance: distance.distance,
        unit: unit(&distance.dimension),
        monte_carlo_error: distance.monte_carlo_error,
        fragile: distance.fragile,
    }
}

fn estimand(result: &EstimandResult) -> EstimandDocument<'_> {
    EstimandDocument {
        alias: &result.alias,
        estimand: &result.estimand,
        member: levels(&result.member),
        unit: unit(&result.dimension),
        source: if result.reported { "reported" } else { "recomputed" },
        estimate: number(&result.estimate),
        undefined: result.estimate.as_ref().err().map(String::as_str),
        intervals: result
            .intervals
            .iter()
            .map(|interval| IntervalDocument {
                name: &interval.name,
                method: &interval.method,
                level: interval.level,
                lower: interval.limits.as_ref().ok().map(|(lower, _)| *lower),
                upper: interval.limits.as_ref().ok().map(|(_, upper)| *upper),
                none_because: interval.limits.as_ref().err().map(String::as_str),
                undefined_resamples: interval.undefined,
                monte_carlo_error: interval.monte_carlo_error.map(|(lower, upper)| [lower, upper]),
            })
            .collect(),
        tests: result
            .tests
            .iter()
            .map(|test| TestDocument {
                name: &test.name,
                method: &test.method,
                p: test.p.as_ref().ok().copied(),
                p_adjusted: test.p_adjusted.as_ref().and_then(|p| p.as_ref().ok().copied()),
                family: test.family.as_deref(),
                none_because: test.p.as_ref().err().map(String::as_str),
                counts: &test.counts,
            })
            .collect(),
        n: result.n,
        clusters: result.clusters,
    }
}

fn number(figure: &Figure) -> Option<NumberDocument> {
    match figure {
        Ok(Number::Exact(value)) => {
            Some(NumberDocument { value: exact::nearest_f64(value), exact: Some(exact::canonical(value)) })
        }
        Ok(Number::Float(value)) => Some(NumberDocument { value: *value, exact: None }),
        Err(_) => None,
    }
}

/// The word for a dimension's base unit: a difference of proportions is 1 at one hundred percentage points.
#[must_use]
pub fn unit(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Plain => "1".to_owned(),
        Dimension::Proportion => "proportion".to_owned(),
        Dimension::Difference => "difference".to_owned(),
        Dimension::Ratio => "ratio".to_owned(),
        Dimension::Count => "count".to_owned(),
        Dimension::Money => "usd".to_owned(),
        Dimension::Tokens => "tokens".to_owned(),
        Dimension::Time => "seconds".to_owned(),
        Dimension::Bits => "bits".to_owned(),
        Dimension::Nats => "nats".to_owned(),
        Dimension::Per(over, under) => format!("{} per {}", unit(over), unit(under)),
    }
}
