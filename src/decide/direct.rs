//! Intervals and tests that read the values of units directly: paired t, signs, sign flips, permutation, Wilson. Owns the step from
//! exact values to the integers that the statistics take.

use std::collections::BTreeMap;

use num_integer::Integer;
use num_traits::ToPrimitive;

use super::frame::Frame;
use super::members::cluster_key;
use super::node::Node;
use super::sample::{Sample, Series};
use crate::math::Rational;
use crate::spec::{EstimandBody, ReduceKind, Sides, TestMethod};
use crate::stats::effective_n::{self, Cluster};
use crate::stats::paired::PairedSample;
use crate::stats::permutation::{LabelledCluster, spread_test};
use crate::stats::rate;
use crate::stats::sides;
use crate::stats::sign::{sign_flip, sign_test};

/// A p-value with the counts behind it in words, and its Monte Carlo standard error when it was drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tested {
    pub p: Result<f64, String>,
    pub counts: String,
    pub error: Option<f64>,
}

impl Tested {
    fn failed(reason: impl Into<String>) -> Self {
        Self { p: Err(reason.into()), counts: String::new(), error: None }
    }
}

/// The values of units, when the estimand is one of paired values.
pub(super) fn unit_values<'n>(body: &EstimandBody, node: &'n Node) -> Result<&'n Sample, String> {
    match (body, node) {
        (EstimandBody::Paired { .. }, Node::Mean(sample)) => Ok(sample),
        (EstimandBody::Paired { .. }, Node::Undefined(reason)) => Err(reason.clone()),
        _ => Err("it needs one value for each unit, which a `paired` declaration gives".to_owned()),
    }
}

/// Runs a test. The result does not depend on `workers`.
pub(super) fn test(frame: &Frame<'_>, method: &TestMethod, body: &EstimandBody, node: &Node, workers: usize) -> Tested {
    let (sides, null) = match method {
        TestMethod::Sign { sides, null }
        | TestMethod::SignFlip { sides, null }
        | TestMethod::PairedT { sides, null } => (sides, null),
        TestMethod::Permutation { labels: _, within, draws, seed } => {
            return permutation(frame, node, within, *draws, *seed, workers);
        }
    };
    let sample = match unit_values(body, node) {
        Ok(sample) => sample,
        Err(reason) => return Tested::failed(reason),
    };
    let (values, denominator) = match differences(sample, &null.value) {
        Ok(scaled) => scaled,
        Err(reason) => return Tested::failed(reason),
    };
    let sides = match sides {
        Sides::Two => sides::Sides::TwoSided,
        Sides::Greater => sides::Sides::Greater,
        Sides::Less => sides::Sides::Less,
    };
    let dropped = match sample.left_out {
        0 => String::new(),
        n => format!(", {n} dropped because a side does not count"),
    };
    let (p, counts) = match method {
        TestMethod::Sign { .. } => {
            let result = sign_test(&values, sides);
            let above = values.iter().filter(|value| **value > 0).count();
            let below = values.iter().filter(|value| **value < 0).count();
            let counts = format!("{above} above, {below} below, {} equal", values.len() - above - below);
            (result.map(|result| result.p).map_err(|reason| reason.to_string()), counts)
        }
        TestMethod::SignFlip { .. } => {
            let zeros = values.iter().filter(|value| **value == 0).count();
            let counts = format!("{} units, {zeros} of them without a difference", values.len());
            (sign_flip(&values, sides).map(|result| result.p).map_err(|reason| reason.to_string()), counts)
        }
        TestMethod::PairedT { .. } | TestMethod::Permutation { .. } => {
            let paired = PairedSample::from_scaled(&values, denominator);
            let counts = match &paired {
                Ok(paired) => format!("{} units, t = {:.4}", values.len(), paired.t()),
                Err(_) => format!("{} units", values.len()),
            };
            (paired.map(|paired| paired.p(sides)).map_err(|reason| reason.to_string()), counts)
        }
    };
    Tested { p, counts: format!("{counts}{dropped}"), error: None }
}

/// Student's interval of the mean of unit values.
pub(super) fn paired_t_interval(body: &EstimandBody, node: &Node, level: f64) -> Result<(f64, f64), String> {
    let (values, denominator) =
        unit_values(body, node)?.series.first().map_or_else(|| Ok((Vec::new(), 1)), Series::scaled)?;
    let paired = PairedSample::from_scaled(&values, denominator).map_err(|reason| reason.to_string())?;
    paired.interval(level).map(|limits| (limits.lower, limits.upper)).map_err(|reason| reason.to_string())
}

/// Wilson's interval on the effective number of records.
pub(super) fn wilson_interval(
    frame: &Frame<'_>,
    node: &Node,
    cluster: &str,
    korn_graubard: bool,
    level: f64,
) -> Result<(f64, f64), String> {
    let Node::Mean(sample) = node else {
        return Err("a Wilson interval needs a plain rate".to_owned());
    };
    let Some(Series::Truths(truths)) = sample.series.first() else {
        return Err("a Wilson interval needs a rate of true-or-false records".to_owned());
    };
    let mut clusters: BTreeMap<Vec<u8>, Cluster> = BTreeMap::new();
    for (unit, truth) in sample.units.iter().zip(truths) {
        let key = cluster_key(frame, *unit, cluster).into_bytes();
        let slot = clusters.entry(key).or_insert(Cluster { positive: 0, records: 0 });
        slot.records += 1;
        slot.positive += u64::from(*truth);
    }
    let clusters: Vec<Cluster> = clusters.into_values().collect();
    let text = |reason: crate::stats::undefined::Undefined| reason.to_string();
    let effective = effective_n::effective_n(&clusters).map_err(text)?;
    let n = if korn_graubard {
        let ratio = effective_n::t_ratio(&effective, level).map_err(text)?;
        effective_n::korn_graubard_n(&effective, ratio).map_err(text)?
    } else {
        effective.n_eff
    };
    rate::wilson(effective.rate, n, level).map(|limits| (limits.lower, limits.upper)).map_err(text)
}

/// The values less the null, as integers over one denominator.
fn differences(sample: &Sample, null: &Rational) -> Result<(Vec<i128>, i128), String> {
    let too_large = || "the values have no common denominator of 128 bits".to_owned();
    let (values, denominator) = sample.series.first().map_or_else(|| Ok((Vec::new(), 1)), Series::scaled)?;
    let null = null.reduced();
    let (top, bottom) = null.numer().to_i128().zip(null.denom().to_i128()).ok_or_else(too_large)?;
    let common = denominator.checked_mul(bottom / denominator.gcd(&bottom)).ok_or_else(too_large)?;
    let shift = top.checked_mul(common / bottom).ok_or_else(too_large)?;
    let scaled = |value: i128| value.checked_mul(common / denominator)?.checked_sub(shift);
    let values: Option<Vec<i128>> = values.into_iter().map(scaled).collect();
    values.map(|values| (values, common)).ok_or_else(too_large)
}

fn permutation(frame: &Frame<'_>, node: &Node, within: &str, draws: u64, seed: u64, workers: usize) -> Tested {
    let clusters = match labelled(frame, node, within) {
        Ok(clusters) => clusters,
        Err(reason) => return Tested::failed(reason),
    };
    match spread_test(&clusters, draws, seed, workers) {
        Ok(result) => {
            let count = num_traits::cast::<u64, f64>(result.draws).unwrap_or(f64::INFINITY);
            Tested {
                p: Ok(result.p),
                counts: format!("{} of {} permutations at least as large", result.at_least, result.draws),
                error: Some((result.p * (1.0 - result.p) / count).sqrt()),
            }
        }
        Err(reason) => Tested::failed(reason.to_string()),
    }
}

/// The values of each label in each block, as integers over one scale.
fn labelled(frame: &Frame<'_>, node: &Node, within: &str) -> Result<Vec<LabelledCluster>, String> {
    let wrong = || "a permutation test needs the spread of a mean over the levels it permutes".to_owned();
    let Node::Reduce(ReduceKind::Spread, parts) = node else { return Err(wrong()) };
    let mut samples = Vec::new();
    for part in parts {
        if let Node::Undefined(reason) = part {
            return Err(reason.clone());
        }
        let Node::Mean(sample) = part else { return Err(wrong()) };
        samples.push(sample);
    }
    let too_large = || "the values are too large for an exact permutation test".to_owned();
    let scaled: Vec<(Vec<i128>, i128)> = samples
        .iter()
        .map(|sample| sample.series.first().map_or_else(|| Ok((Vec::new(), 1)), Series::scaled))
        .collect::<Result<_, _>>()?;
    let common = scaled.iter().try_fold(1_i128, |common, (_, own)| common.checked_mul(own / common.gcd(own)));
    let common = common.ok_or_else(too_large)?;
    let mut clusters: BTreeMap<Vec<u8>, LabelledCluster> = BTreeMap::new();
    for (label, (sample, (values, denominator))) in samples.iter().zip(&scaled).enumerate() {
        for (unit, value) in sample.units.iter().zip(values) {
            let key = cluster_key(frame, *unit, within).into_bytes();
            let slot = clusters.entry(key).or_insert_with(|| vec![Vec::new(); samples.len()]);
            let value = value.checked_mul(common / denominator).and_then(|value| i64::try_from(value).ok());
            if let Some(records) = slot.get_mut(label) {
                records.push(value.ok_or_else(too_large)?);
            }
        }
    }
    Ok(clusters.into_values().collect())
}
