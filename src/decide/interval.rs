//! Intervals that no resampling makes: of rates on the effective number of records, of unit values, of two arms, of quotients. Owns
//! the step from samples to the counts and sums that the statistics take.

use std::collections::BTreeMap;

use super::frame::Frame;
use super::members::cluster_key;
use super::node::Node;
use super::sample::Series;
use super::test::two_arms;
use super::unit_values::unit_values;
use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::spec::{ArithmeticOp, IntervalMethod};
use crate::stats::effective_n::{self, Cluster};
use crate::stats::interval::Interval;
use crate::stats::paired::PairedSample;
use crate::stats::rate::{Formula, SampleSize, beta_binomial, of_clusters};
use crate::stats::ratio_of_means::Means;
use crate::stats::two_rates::{self, Pairs, Rate, agresti_caffo};
use crate::stats::undefined::Undefined;

type Limits = Result<(f64, f64), String>;

fn text(reason: Undefined) -> String {
    reason.to_string()
}

/// The limits at a confidence level between 0 and 1.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub(super) fn interval(frame: &Frame<'_>, method: &IntervalMethod, node: &Node, level: f64) -> Limits {
    match method {
        IntervalMethod::Wilson { cluster, korn_graubard } => {
            let size = if *korn_graubard { SampleSize::KornGraubard } else { SampleSize::Effective };
            rate(frame, node, cluster, Formula::Wilson, size, level)
        }
        IntervalMethod::Wald => match node {
            Node::Fitted(model) => model.interval(level),
            Node::Undefined(reason) => Err(reason.clone()),
            _ => Err("it needs a fitted model".to_owned()),
        },
        IntervalMethod::PairedT => paired_t(node, level),
        IntervalMethod::ClopperPearson { cluster } => {
            rate(frame, node, cluster, Formula::ClopperPearson, SampleSize::Effective, level)
        }
        IntervalMethod::Jeffreys { cluster } => {
            rate(frame, node, cluster, Formula::Jeffreys, SampleSize::Effective, level)
        }
        IntervalMethod::ClusterT { cluster } => cluster_t(frame, node, cluster, level),
        IntervalMethod::Newcombe { cluster } => newcombe(frame, node, cluster, level),
        IntervalMethod::NewcombePaired => newcombe_paired(node, level),
        IntervalMethod::AgrestiCaffo => {
            let [[a, b], [c, d]] = two_arms(node)?;
            let (first, second) = (Rate::of(a, a + b).map_err(text)?, Rate::of(c, c + d).map_err(text)?);
            limits(agresti_caffo(first, second, level))
        }
        IntervalMethod::Fieller { cluster } => fieller(frame, node, cluster, level),
        IntervalMethod::BetaBinomial { cluster } => {
            let posterior = beta_binomial(&clusters(frame, node, cluster)?).map_err(text)?;
            limits(posterior.interval(level))
        }
        IntervalMethod::BootstrapPercentile { .. } | IntervalMethod::Bootstrap { .. } => {
            Err("it was not resampled".to_owned())
        }
    }
}

/// Student's interval of the mean of unit values.
fn paired_t(node: &Node, level: f64) -> Limits {
    let zero = Rational::from_integer(0.into());
    let (values, denominator) = unit_values(node)?.less(&zero)?;
    let paired = PairedSample::from_scaled(&values, denominator).map_err(|reason| reason.to_string())?;
    paired.interval(level).map(|limits| (limits.lower, limits.upper)).map_err(|reason| reason.to_string())
}

/// True records and records of each cluster, clusters bytewise by key.
fn clusters(frame: &Frame<'_>, node: &Node, cluster: &str) -> Result<Vec<Cluster>, String> {
    let Node::Mean(sample) = node else {
        return Err("it needs a plain rate".to_owned());
    };
    let Some(Series::Truths(truths)) = sample.series.first() else {
        return Err("it needs a rate of true-or-false records".to_owned());
    };
    let mut clusters: BTreeMap<Vec<u8>, Cluster> = BTreeMap::new();
    for (unit, truth) in sample.units.iter().zip(truths) {
        let key = cluster_key(frame, *unit, cluster).into_bytes();
        let slot = clusters.entry(key).or_insert(Cluster { positive: 0, records: 0 });
        slot.records += 1;
        slot.positive += u64::from(*truth);
    }
    Ok(clusters.into_values().collect())
}

/// The interval of a rate over clusters.
fn rate(frame: &Frame<'_>, node: &Node, cluster: &str, formula: Formula, size: SampleSize, level: f64) -> Limits {
    limits(of_clusters(&clusters(frame, node, cluster)?, formula, size, level))
}

fn limits(found: Result<Interval, Undefined>) -> Limits {
    found.map(|interval| (interval.lower, interval.upper)).map_err(text)
}

/// Student's interval of the mean over clusters, each weighing the same.
fn cluster_t(frame: &Frame<'_>, node: &Node, cluster: &str, level: f64) -> Limits {
    let found = unit_values(node)?;
    let mut sums: BTreeMap<Vec<u8>, (Rational, u64)> = BTreeMap::new();
    for (unit, value) in found.units.iter().zip(&found.values) {
        let slot = sums.entry(cluster_key(frame, *unit, cluster).into_bytes()).or_default();
        slot.0 += value;
        slot.1 += 1;
    }
    let means: Vec<f64> =
        sums.into_values().map(|(sum, count)| nearest_f64(&(sum / Rational::from_integer(count.into())))).collect();
    let sample = PairedSample::from_differences(&means).map_err(|reason| reason.to_string())?;
    sample.interval(level).map(|limits| (limits.lower, limits.upper)).map_err(|reason| reason.to_string())
}

/// Both arms of a difference.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn arms(node: &Node) -> Result<(&Node, &Node), String> {
    match node {
        Node::Arithmetic(left, ArithmeticOp::Subtract, right) => Ok((left, right)),
        _ => Err("it needs a difference of two shares of records".to_owned()),
    }
}

/// Fieller's interval of a quotient of two sums, from the sums of clusters.
fn fieller(frame: &Frame<'_>, node: &Node, cluster: &str, level: f64) -> Limits {
    let wrong = || "it needs a quotient of two sums or counts".to_owned();
    let Node::Arithmetic(left, ArithmeticOp::Divide, right) = node else { return Err(wrong()) };
    let mut sums: BTreeMap<Vec<u8>, [Rational; 2]> = BTreeMap::new();
    for (side, part) in [left, right].into_iter().enumerate() {
        let (Node::Sum(sample) | Node::Count(sample)) = &**part else { return Err(wrong()) };
        let numbers = sample.series.first().map(Series::numbers).unwrap_or_default();
        for (unit, value) in sample.units.iter().zip(numbers) {
            let slot = sums.entry(cluster_key(frame, *unit, cluster).into_bytes()).or_default();
            if let Some(sum) = slot.get_mut(side) {
                *sum += value;
            }
        }
    }
    let (first, second): (Vec<f64>, Vec<f64>) =
        sums.values().map(|[top, bottom]| (nearest_f64(top), nearest_f64(bottom))).unzip();
    let means = Means::paired(&first, &second).map_err(|reason| reason.to_string())?;
    let found = means.fieller(level).map_err(|reason| reason.to_string())?;
    Ok((found.lower, found.upper))
}

/// Newcombe's hybrid of two Wilson intervals, each on its effective number of records.
fn newcombe(frame: &Frame<'_>, node: &Node, cluster: &str, level: f64) -> Limits {
    let (left, right) = arms(node)?;
    let one = |arm: &Node| {
        let effective = effective_n::effective_n(&clusters(frame, arm, cluster)?).map_err(text)?;
        Ok::<Rate, String>(Rate { rate: effective.rate, n: effective.n_eff })
    };
    limits(two_rates::newcombe(one(left)?, one(right)?, level))
}

/// The outcome of each unit, which must have one true-or-false record.
fn by_unit(node: &Node) -> Result<BTreeMap<u32, bool>, String> {
    let wrong = || "it needs a difference of two shares of records".to_owned();
    let Node::Mean(sample) = node else { return Err(wrong()) };
    let Some(Series::Truths(truths)) = sample.series.first() else { return Err(wrong()) };
    let mut outcomes = BTreeMap::new();
    for (unit, truth) in sample.units.iter().zip(truths) {
        if outcomes.insert(*unit, *truth).is_some() {
            return Err("it needs one record of each unit on either side".to_owned());
        }
    }
    Ok(outcomes)
}

fn newcombe_paired(node: &Node, level: f64) -> Limits {
    let (left, right) = arms(node)?;
    let (left, right) = (by_unit(left)?, by_unit(right)?);
    let mut pairs = Pairs { both: 0, only_first: 0, only_second: 0, neither: 0 };
    for (unit, first) in left {
        let Some(second) = right.get(&unit) else { continue };
        let cell = match (first, second) {
            (true, true) => &mut pairs.both,
            (true, false) => &mut pairs.only_first,
            (false, true) => &mut pairs.only_second,
            (false, false) => &mut pairs.neither,
        };
        *cell += 1;
    }
    limits(two_rates::newcombe_paired(pairs, level))
}
