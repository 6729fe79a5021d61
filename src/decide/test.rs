//! p-values of compiled estimands: tests of unit values, of two arms, of spreads. Owns the step from samples to the integers that
//! the statistics take; it must not adjust or decide anything.

use std::collections::{BTreeMap, BTreeSet};

use num_integer::Integer;
use num_traits::{One as _, Zero as _};

use super::frame::Frame;
use super::members::cluster_key;
use super::node::Node;
use super::permute::{Permuted, contrast};
use super::row::{RowExpr, rounded_logarithm};
use super::sample::Series;
use super::unit_values::unit_values;
use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::spec::{ArithmeticOp, Dimension, Quantity, ReduceKind, Sides, Statistic, TestMethod, Trend, Zeros};
use crate::stats::anytime::{Mixture, discordant_e};
use crate::stats::equivalence::{Better, Claim, margin_flip, margin_t, tost_flip};
use crate::stats::fisher::fisher_exact;
use crate::stats::hotelling::hotelling as hotelling_test;
use crate::stats::paired::PairedSample;
use crate::stats::permutation::{LabelledCluster, spread_test};
use crate::stats::permutation_within::{Counted, Counting};
use crate::stats::sides;
use crate::stats::sign::{mcnemar as mcnemar_test, sign_flip, sign_p, sign_test};
use crate::stats::survival::{Subject, log_rank_two};
use crate::stats::trend::{Order, SpearmanMethod, isotonic_test, spearman_test};
use crate::stats::wilcoxon::{self, SignedRanks};

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

impl From<Sides> for sides::Sides {
    fn from(sides: Sides) -> Self {
        match sides {
            Sides::Two => Self::TwoSided,
            Sides::Greater => Self::Greater,
            Sides::Less => Self::Less,
        }
    }
}

/// Runs a test. `anytime` asks for evidence that bears being looked at after every unit. The result does not depend on `workers`.
pub(super) fn test(frame: &Frame<'_>, method: &TestMethod, node: &Node, anytime: bool, workers: usize) -> Tested {
    let done = match method {
        TestMethod::Sign { null, .. } if anytime => discordant(node, null),
        TestMethod::Mcnemar { .. } if anytime => {
            discordant(node, &Quantity { value: Rational::zero(), dimension: Dimension::Plain })
        }
        TestMethod::Sign { sides, null } => sign(node, *sides, null),
        TestMethod::SignFlip { sides, null } => flip(node, *sides, null),
        TestMethod::PairedT { sides, null } => paired_t(node, *sides, null),
        TestMethod::Wilcoxon { sides, null, zeros } => wilcoxon(node, *sides, null, *zeros),
        TestMethod::Mcnemar { sides, mid_p } => mcnemar(node, *sides, *mid_p),
        TestMethod::Fisher { sides } => fisher(node, *sides),
        TestMethod::Equivalence { margin } => equivalence(node, margin),
        TestMethod::EquivalenceExact { margin } => equivalence_exact(node, margin),
        TestMethod::NonInferiority { margin, higher, exact } => non_inferiority(node, margin, *higher, *exact),
        TestMethod::Spearman { sides, exact } => spearman(node, *sides, *exact),
        TestMethod::PermutationContrast { sides, labels, within, draws, seed } => {
            contrast(frame, node, *sides, &Permuted { labels, within, draws: *draws, seed: *seed }, workers)
        }
        TestMethod::Isotonic { trend, labels: _, within, draws, seed } => {
            isotonic(frame, node, within, *trend, Counting::Drawn { draws: *draws, seed: *seed }, workers)
        }
        TestMethod::Hotelling => hotelling(node),
        TestMethod::LogRank => log_rank(node),
        TestMethod::LikelihoodRatio | TestMethod::Wald { .. } => fitted(node, method),
        TestMethod::Permutation { labels: _, within, draws, seed } => {
            permutation(frame, node, within, *draws, *seed, workers)
        }
    };
    done.unwrap_or_else(Tested::failed)
}

pub(super) type Outcome = Result<Tested, String>;

/// A p-value from random arrangements.
pub(super) fn drawn(p: f64, as_extreme: u64, draws: u64) -> Tested {
    let count = num_traits::cast::<u64, f64>(draws).unwrap_or(f64::INFINITY);
    Tested {
        p: Ok(p),
        counts: format!("{as_extreme} of {draws} permutations at least as extreme"),
        error: Some((p * (1.0 - p) / count).sqrt()),
    }
}

/// Integers over one denominator: the unit values less the null, and what was left out in words.
fn less_null(node: &Node, null: &Quantity) -> Result<(Vec<i128>, i128, String), String> {
    let found = unit_values(node)?;
    let (values, denominator) = found.less(&null.value)?;
    let dropped = match found.left_out {
        0 => String::new(),
        n => format!(", {n} dropped because a side does not count"),
    };
    Ok((values, denominator, dropped))
}

fn exact(p: Result<f64, String>, counts: String) -> Tested {
    Tested { p, counts, error: None }
}

fn sign(node: &Node, sides: Sides, null: &Quantity) -> Outcome {
    let (values, _, dropped) = less_null(node, null)?;
    let above = values.iter().filter(|value| **value > 0).count();
    let below = values.iter().filter(|value| **value < 0).count();
    let counts = format!("{above} above, {below} below, {} equal{dropped}", values.len() - above - below);
    let result = sign_test(&values, sides.into());
    Ok(exact(result.map(|result| result.p).map_err(|reason| reason.to_string()), counts))
}

/// The reciprocal of a beta-binomial mixture e-value over units above and below the null: as a p-value it holds at any time.
fn discordant(node: &Node, null: &Quantity) -> Outcome {
    let (values, _, dropped) = less_null(node, null)?;
    let count = |sign: i128| values.iter().filter(|value| value.signum() == sign).count() as u64;
    let (above, below) = (count(1), count(-1));
    let evidence = discordant_e(above, below, Mixture::Jeffreys).map_err(|reason| reason.to_string())?;
    let counts = format!("{above} above, {below} below, e = {:.4}{dropped}", evidence.e);
    Ok(exact(Ok((1.0 / evidence.e).min(1.0)), counts))
}

fn flip(node: &Node, sides: Sides, null: &Quantity) -> Outcome {
    let (values, _, dropped) = less_null(node, null)?;
    let zeros = values.iter().filter(|value| **value == 0).count();
    let counts = format!("{} units, {zeros} of them without a difference{dropped}", values.len());
    let result = sign_flip(&values, sides.into());
    Ok(exact(result.map(|result| result.p).map_err(|reason| reason.to_string()), counts))
}

fn paired_t(node: &Node, sides: Sides, null: &Quantity) -> Outcome {
    let (values, denominator, dropped) = less_null(node, null)?;
    let paired = PairedSample::from_scaled(&values, denominator);
    let counts = match &paired {
        Ok(paired) => format!("{} units, t = {:.4}{dropped}", values.len(), paired.t()),
        Err(_) => format!("{} units{dropped}", values.len()),
    };
    Ok(exact(paired.map(|paired| paired.p(sides.into())).map_err(|reason| reason.to_string()), counts))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn fitted(node: &Node, method: &TestMethod) -> Outcome {
    match node {
        Node::Fitted(model) => model.test(method).map(|(p, counts)| exact(Ok(p), counts)),
        Node::Undefined(reason) => Err(reason.clone()),
        _ => Err("it needs a fitted model".to_owned()),
    }
}

fn wilcoxon(node: &Node, sides: Sides, null: &Quantity, zeros: Zeros) -> Outcome {
    let (values, _, dropped) = less_null(node, null)?;
    let zeros = match zeros {
        Zeros::Wilcox => wilcoxon::Zeros::Wilcox,
        Zeros::Pratt => wilcoxon::Zeros::Pratt,
        Zeros::Split => wilcoxon::Zeros::Zsplit,
    };
    let ranks = SignedRanks::of_scaled(&values, zeros).map_err(|reason| reason.to_string())?;
    let counts =
        format!("{} units, {} at the null, ranks above {}{dropped}", values.len(), ranks.zeros(), ranks.plus());
    Ok(exact(ranks.exact(sides.into()).map(|result| result.p).map_err(|reason| reason.to_string()), counts))
}

/// Units whose value is +1 or -1 are discordant; any other value but zero is no pair of conditions.
fn mcnemar(node: &Node, sides: Sides, mid_p: bool) -> Outcome {
    let found = unit_values(node)?;
    let one = Rational::one();
    let (mut above, mut below) = (0_u64, 0_u64);
    for value in &found.values {
        if *value == one {
            above += 1;
        } else if *value == -one.clone() {
            below += 1;
        } else if !value.is_zero() {
            return Err("it needs one true-or-false record on each side of every unit".to_owned());
        }
    }
    let counts = format!("{above} true on the first side only, {below} on the second only, of {}", found.values.len());
    let p = match (mid_p, sides) {
        (false, sides) => sign_p(above, below, sides.into()).map(|p| p.to_f64()),
        (true, Sides::Two) => mcnemar_test(above, below).map(|result| result.mid_p),
        (true, Sides::Greater | Sides::Less) => return Err("the mid-p test is two-sided".to_owned()),
    };
    Ok(exact(p.map_err(|reason| reason.to_string()), counts))
}

/// True and false records of both arms of a difference; one record for each unit, and no unit in both.
pub(super) fn two_arms(node: &Node) -> Result<[[u64; 2]; 2], String> {
    let wrong = || "it needs a difference of two shares of records".to_owned();
    let Node::Arithmetic(left, ArithmeticOp::Subtract, right) = node else { return Err(wrong()) };
    let mut table = [[0_u64; 2]; 2];
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    for (arm, row) in [left, right].into_iter().zip(&mut table) {
        let Node::Mean(sample) = &**arm else { return Err(wrong()) };
        let Some(Series::Truths(truths)) = sample.series.first() else { return Err(wrong()) };
        for (unit, truth) in sample.units.iter().zip(truths) {
            if !seen.insert(*unit) {
                return Err(
                    "it takes records as independent, and a unit has more than one; use a paired test".to_owned()
                );
            }
            let [yes, no] = row;
            *(if *truth { yes } else { no }) += 1;
        }
    }
    Ok(table)
}

fn fisher(node: &Node, sides: Sides) -> Outcome {
    let table = two_arms(node)?;
    let [[a, b], [c, d]] = table;
    let counts = format!("{a} of {} against {c} of {}", a + b, c + d);
    Ok(exact(fisher_exact(table, sides.into()).map(|result| result.p).map_err(|reason| reason.to_string()), counts))
}

/// Both arms' times; a record whose event was not seen is followed until its time.
fn log_rank(node: &Node) -> Outcome {
    let wrong = || "it needs a difference of two medians of survival".to_owned();
    let Node::Arithmetic(left, ArithmeticOp::Subtract, right) = node else { return Err(wrong()) };
    let mut subjects = Vec::new();
    for (group, arm) in [left, right].into_iter().enumerate() {
        let Node::Statistic(sample, Statistic::MedianSurvival) = &**arm else { return Err(wrong()) };
        let (Some(times), Some(Series::Truths(seen))) = (sample.series.first(), sample.series.get(1)) else {
            return Err(wrong());
        };
        let pairs = times.numbers().into_iter().zip(seen);
        subjects.extend(pairs.map(|(time, event)| Subject {
            time: nearest_f64(&time),
            event: *event,
            group,
            stratum: 0,
        }));
    }
    let counts = format!("{} records", subjects.len());
    let result = log_rank_two(&subjects, sides::Sides::TwoSided).map_err(|reason| reason.to_string())?;
    Ok(exact(Ok(result.p), counts))
}

fn equivalence(node: &Node, margin: &Quantity) -> Outcome {
    let found = unit_values(node)?;
    let (values, denominator) = found.less(&Rational::zero())?;
    let counts = format!("{} units", values.len());
    let paired = PairedSample::from_scaled(&values, denominator).map_err(|reason| reason.to_string())?;
    let tost = paired.tost(nearest_f64(&margin_size(node, margin))).map_err(|reason| reason.to_string())?;
    Ok(exact(Ok(tost.p), counts))
}

/// The size of a margin in the unit of the values: of logarithms, the logarithm of a ratio.
fn margin_size(node: &Node, margin: &Quantity) -> Rational {
    if margin.dimension == Dimension::Ratio && reads_logarithms(node) {
        return rounded_logarithm(nearest_f64(&margin.value)).unwrap_or_else(Rational::zero);
    }
    margin.value.clone()
}

/// Whether the values are differences of logarithms.
fn reads_logarithms(node: &Node) -> bool {
    let mut found = false;
    node.samples(&mut |sample| found |= sample.key.arguments.iter().any(RowExpr::takes_logarithms));
    found
}

fn equivalence_exact(node: &Node, margin: &Quantity) -> Outcome {
    let found = unit_values(node)?;
    let (values, denominator) = found.less(&Rational::zero())?;
    let tost = tost_flip(&values, denominator, &margin_size(node, margin)).map_err(|reason| reason.to_string())?;
    Ok(exact(Ok(tost.p), format!("{} units", values.len())))
}

fn non_inferiority(node: &Node, margin: &Quantity, higher: bool, by_flips: bool) -> Outcome {
    let found = unit_values(node)?;
    let (values, denominator) = found.less(&Rational::zero())?;
    let better = if higher { Better::Higher } else { Better::Lower };
    let size = margin_size(node, margin);
    let counts = format!("{} units", values.len());
    if by_flips {
        let flip = margin_flip(&values, denominator, Claim::NotInferior, better, &size)
            .map_err(|reason| reason.to_string())?;
        return Ok(exact(Ok(flip.p), counts));
    }
    let paired = PairedSample::from_scaled(&values, denominator).map_err(|reason| reason.to_string())?;
    let found =
        margin_t(&paired, Claim::NotInferior, better, nearest_f64(&size)).map_err(|reason| reason.to_string())?;
    Ok(exact(Ok(found.p), format!("{counts}, t = {:.4}", found.t)))
}

/// Spearman's test takes records as independent, so no unit may have two.
fn spearman(node: &Node, sides: Sides, all_orders: bool) -> Outcome {
    let Node::Statistic(sample, Statistic::Spearman) = node else {
        return Err("it needs a `spearman` measure of one cell".to_owned());
    };
    if sample.units.array_windows::<2>().any(|[one, two]| one == two) {
        return Err(
            "it takes records as independent, and a unit has more than one; permute labels within units".to_owned()
        );
    }
    let column = |at: usize| -> Vec<f64> {
        sample.series.get(at).map(Series::numbers).unwrap_or_default().iter().map(nearest_f64).collect()
    };
    let method = if all_orders { SpearmanMethod::Exact } else { SpearmanMethod::StudentT };
    let found = spearman_test(&column(0), &column(1), sides.into(), method).map_err(|reason| reason.to_string())?;
    Ok(exact(Ok(found.p), format!("{} records, rho = {:.4}", sample.len(), found.rho)))
}

fn isotonic(frame: &Frame<'_>, node: &Node, within: &str, trend: Trend, counting: Counting, workers: usize) -> Outcome {
    let clusters = labelled(frame, node, within)?;
    let order = match trend {
        Trend::Up => Order::Increasing,
        Trend::Down => Order::Decreasing,
        Trend::Either => Order::Either,
    };
    let found = isotonic_test(&clusters, order, counting, workers).map_err(|reason| reason.to_string())?;
    match found.counted {
        Counted::Drawn { draws, as_extreme } => Ok(drawn(found.p, as_extreme, draws)),
        Counted::Exact(_) => Err("it was not drawn".to_owned()),
    }
}

/// Contrasts of every level's unit means with the first level's.
fn hotelling(node: &Node) -> Outcome {
    let Node::Reduce(ReduceKind::Spread, parts) = node else {
        return Err("it needs a spread of means over a factor".to_owned());
    };
    let arms: Vec<BTreeMap<u32, Rational>> = parts
        .iter()
        .map(|part| unit_values(part).map(|found| found.units.into_iter().zip(found.values).collect()))
        .collect::<Result<_, String>>()?;
    let Some((first, others)) = arms.split_first() else { return Err("there is no arm".to_owned()) };
    let mut units: Vec<Vec<f64>> = Vec::new();
    let mut left_out = 0;
    for (unit, base) in first {
        let contrasts: Option<Vec<f64>> =
            others.iter().map(|arm| arm.get(unit).map(|value| nearest_f64(&(value - base)))).collect();
        match contrasts {
            Some(contrasts) => units.push(contrasts),
            None => left_out += 1,
        }
    }
    let result = hotelling_test(&units).map_err(|reason| reason.to_string())?;
    let dropped = if left_out == 0 { String::new() } else { format!(", {left_out} units left out") };
    let counts = format!(
        "{} units, F = {:.4} on {} and {} degrees of freedom{dropped}",
        result.units, result.f, result.df1, result.df2
    );
    Ok(exact(Ok(result.p), counts))
}

fn permutation(frame: &Frame<'_>, node: &Node, within: &str, draws: u64, seed: u64, workers: usize) -> Outcome {
    let clusters = labelled(frame, node, within)?;
    match spread_test(&clusters, draws, seed, workers) {
        Ok(result) => {
            let count = num_traits::cast::<u64, f64>(result.draws).unwrap_or(f64::INFINITY);
            Ok(Tested {
                p: Ok(result.p),
                counts: format!("{} of {} permutations at least as large", result.at_least, result.draws),
                error: Some((result.p * (1.0 - result.p) / count).sqrt()),
            })
        }
        Err(reason) => Err(reason.to_string()),
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
