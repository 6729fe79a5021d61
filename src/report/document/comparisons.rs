//! Comparisons and rankings as members of the document.

use serde::Serialize;

use super::{EstimandDocument, LevelDocument, NumberDocument, estimand, levels, number, unit};
use crate::decide::judgment::{ComparisonResult, RankingResult};

#[derive(Serialize)]
pub(super) struct ComparisonDocument<'a> {
    name: &'a str,
    set: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<LevelDocument<'a>>,
    adjust: &'static str,
    level: f64,
    count: u64,
    members: Vec<ComparedDocument<'a>>,
}

#[derive(Serialize)]
struct ComparedDocument<'a> {
    member: Vec<LevelDocument<'a>>,
    finding: &'static str,
    within_margin: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<&'a str>,
    units: u64,
    left_out: u64,
    p_difference: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    p_equivalence: Option<f64>,
    evidence: Vec<EstimandDocument<'a>>,
}

#[derive(Serialize)]
pub(super) struct RankingDocument<'a> {
    name: &'a str,
    set: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<LevelDocument<'a>>,
    by: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arms: Vec<ArmDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<&'a str>,
}

#[derive(Serialize)]
struct ArmDocument<'a> {
    arm: Vec<LevelDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
    tied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<ValueDocument<'a>>,
}

#[derive(Serialize)]
struct ValueDocument<'a> {
    estimand: &'a str,
    unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<NumberDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<&'a str>,
}

pub(super) fn comparison(result: &ComparisonResult) -> ComparisonDocument<'_> {
    ComparisonDocument {
        name: &result.name,
        set: &result.set,
        within: levels(&result.within),
        adjust: result.adjust,
        level: result.level,
        count: result.count,
        members: result
            .members
            .iter()
            .map(|member| ComparedDocument {
                member: levels(&member.member),
                finding: member.finding,
                within_margin: member.within_margin,
                none_because: member.reason.as_deref(),
                units: member.units,
                left_out: member.left_out,
                p_difference: member.p_difference,
                p_equivalence: member.p_equivalence,
                evidence: member.lines.iter().map(estimand).collect(),
            })
            .collect(),
    }
}

pub(super) fn ranking(result: &RankingResult) -> RankingDocument<'_> {
    let rows = result.rows.as_ref().map(Vec::as_slice).unwrap_or_default();
    RankingDocument {
        name: &result.name,
        set: &result.set,
        within: levels(&result.within),
        by: result.kind,
        arms: rows
            .iter()
            .map(|row| ArmDocument {
                arm: levels(&row.member),
                rank: row.rank,
                tied: row.tied,
                best: row.bounds.map(|(best, _)| best),
                worst: row.bounds.map(|(_, worst)| worst),
                place: row.place,
                frequency: row.frequency.as_ref().and_then(|share| share.as_ref().ok()).copied(),
                values: row
                    .values
                    .iter()
                    .map(|(name, figure, dimension)| ValueDocument {
                        estimand: name,
                        unit: unit(dimension),
                        estimate: number(figure),
                        undefined: figure.as_ref().err().map(String::as_str),
                    })
                    .collect(),
            })
            .collect(),
        none_because: result.rows.as_ref().err().map(String::as_str),
    }
}
