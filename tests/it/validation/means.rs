//! Differences, spreads and trends of arms that do not differ: how often a difference is claimed.

use std::collections::BTreeMap;

use prespec::stats::bootstrap::{percentile_interval, replicates};
use prespec::stats::column::ExactColumn;
use prespec::stats::hotelling::hotelling;
use prespec::stats::mixed::fit::{Options, fit};
use prespec::stats::mixed::formula::Formula;
use prespec::stats::mixed::likelihood_ratio::likelihood_ratio_of;
use prespec::stats::mixed::table::{Column, Factor, Table};
use prespec::stats::paired::PairedSample;
use prespec::stats::permutation::spread_test;
use prespec::stats::permutation_within::Counting;
use prespec::stats::picks::Picks;
use prespec::stats::sides::Sides;
use prespec::stats::sign::{mcnemar, sign_flip, sign_test};
use prespec::stats::simultaneous::{Arm, spread_lower_bound};
use prespec::stats::trend::{Order, isotonic_test, unit_slopes};
use prespec::stats::wilcoxon::{SignedRanks, Zeros};

use super::worlds::alike;
use super::{Draws, LEVEL, Row, Standing, count};

pub fn rows(sets: usize, whole: bool) -> Vec<Row> {
    let mut rows = differences(sets, whole);
    rows.extend(single_attempts(sets, whole));
    rows.extend(spreads(sets, whole));
    rows.extend(fitted(sets, whole));
    rows.extend(trends(sets, whole));
    rows
}

fn excludes_zero(values: &mut [f64]) -> bool {
    percentile_interval(values, 0.95).is_ok_and(|found| found.limits.lower > 0.0 || found.limits.upper < 0.0)
}

fn passes(p: Option<f64>) -> bool {
    p.is_some_and(|p| p <= LEVEL)
}

fn differences(sets: usize, whole: bool) -> Vec<Row> {
    let sizes: &[usize] = if whole { &[5, 8, 10, 25, 53, 86] } else { &[8, 25] };
    let names = [
        ("percentile", Standing::Fidelity),
        ("paired t", Standing::Other),
        ("sign flip", Standing::Default),
        ("sign", Standing::Other),
        ("Wilcoxon", Standing::Other),
    ];
    let mut rows = Vec::new();
    for &tasks in sizes {
        let picks = Picks::draw(tasks, if whole { 2_000 } else { 500 }, 2).unwrap();
        let setting = format!("{tasks} tasks, 2 attempts");
        rows.extend(count("A difference of two equal pass rates is found", &setting, sets, &names, |set| {
            let mut draws = Draws::new(2_000 + tasks as u64, set);
            let found = alike(&mut draws, tasks, 2, 2, 1.5, 0.0);
            let d: Vec<i128> = found.iter().map(|arms| i128::from(arms[1]) - i128::from(arms[0])).collect();
            let mut drawn = replicates(&picks, 1, |_, weights| {
                Some(d.iter().zip(weights).map(|(d, weight)| *d as f64 * f64::from(*weight)).sum())
            });
            vec![
                excludes_zero(&mut drawn),
                passes(PairedSample::from_scaled(&d, 2).ok().map(|sample| sample.p(Sides::TwoSided))),
                passes(sign_flip(&d, Sides::TwoSided).ok().map(|found| found.p)),
                passes(sign_test(&d, Sides::TwoSided).ok().map(|found| found.p)),
                passes(
                    SignedRanks::of_scaled(&d, Zeros::Wilcox).and_then(|r| r.exact(Sides::TwoSided)).ok().map(|r| r.p),
                ),
            ]
        }));
    }
    rows
}

fn single_attempts(sets: usize, whole: bool) -> Vec<Row> {
    let sizes: &[usize] = if whole { &[10, 25, 53, 139] } else { &[25] };
    let names = [("McNemar, exact", Standing::Default), ("McNemar, mid-p", Standing::Other)];
    let mut rows = Vec::new();
    for &tasks in sizes {
        let setting = format!("{tasks} tasks, 1 attempt");
        rows.extend(count(
            "A difference of two equal pass rates is found, one attempt",
            &setting,
            sets,
            &names,
            |set| {
                let mut draws = Draws::new(3_000 + tasks as u64, set);
                let found = alike(&mut draws, tasks, 2, 1, 1.5, 0.0);
                let only = |first: usize, second: usize| {
                    found.iter().filter(|arms| arms[first] == 1 && arms[second] == 0).count() as u64
                };
                let result = mcnemar(only(0, 1), only(1, 0)).ok();
                vec![passes(result.as_ref().map(|r| r.exact_p)), passes(result.as_ref().map(|r| r.mid_p))]
            },
        ));
    }
    rows
}

/// Three scaffolds that do not differ on average; tasks may still differ in which they suit.
fn spreads(sets: usize, whole: bool) -> Vec<Row> {
    let names = [
        ("percentile of the spread", Standing::Fidelity),
        ("lower bound for the spread", Standing::Other),
        ("permutation of records", Standing::Fidelity),
        ("Hotelling", Standing::Default),
    ];
    let settings: &[(usize, f64)] = if whole {
        &[(25, 0.0), (53, 0.0), (53, 0.5), (53, 1.0), (86, 0.0), (86, 1.0)]
    } else {
        &[(53, 0.0), (53, 1.0)]
    };
    let mut rows = Vec::new();
    for &(tasks, sd) in settings {
        let picks = Picks::draw(tasks, if whole { 1_000 } else { 300 }, 3).unwrap();
        let setting = format!("{tasks} tasks, task by scaffold sd {sd}");
        rows.extend(count("A gap between three equal scaffolds is found", &setting, sets, &names, |set| {
            let mut draws = Draws::new(4_000 + tasks as u64 + (sd * 1_000.0) as u64, set);
            let found = alike(&mut draws, tasks, 3, 3, 1.5, sd);
            let sums: Vec<Vec<i128>> =
                (0..3).map(|arm| found.iter().map(|arms| i128::from(arms[arm])).collect()).collect();
            let mut drawn = replicates(&picks, 1, |_, weights| {
                let rates = sums.iter().map(|own| -> f64 {
                    own.iter().zip(weights).map(|(k, weight)| *k as f64 * f64::from(*weight)).sum()
                });
                let rates: Vec<f64> = rates.collect();
                Some(rates.iter().fold(f64::MIN, |a, b| a.max(*b)) - rates.iter().fold(f64::MAX, |a, b| a.min(*b)))
            });
            let columns: Vec<ExactColumn> = sums.iter().map(|own| ExactColumn::new(0, own.clone()).unwrap()).collect();
            let ones = ExactColumn::new(0, vec![3; tasks]).unwrap();
            let arms: Vec<Arm<'_>> = columns.iter().map(|numerator| Arm { numerator, denominator: &ones }).collect();
            let records = |k: u64| -> Vec<i64> { (0..3).map(|at| i64::from(at < k)).collect() };
            let clusters: Vec<Vec<Vec<i64>>> =
                found.iter().map(|arms| arms.iter().map(|k| records(*k)).collect()).collect();
            let contrasts: Vec<Vec<f64>> = found
                .iter()
                .map(|arms| (1..3).map(|arm| (arms[arm] as f64 - arms[0] as f64) / 3.0).collect())
                .collect();
            vec![
                excludes_zero(&mut drawn),
                spread_lower_bound(&picks, &arms, 0.95, 1).is_ok_and(|bound| bound.lower > 0.0),
                passes(spread_test(&clusters, if whole { 999 } else { 199 }, 7, 1).ok().map(|found| found.p)),
                passes(hotelling(&contrasts).ok().map(|found| found.p)),
            ]
        }));
    }
    rows
}

/// A logistic model with a random intercept of the task alone, which leaves out that tasks differ in which scaffold suits them.
fn fitted(sets: usize, whole: bool) -> Vec<Row> {
    let names = [("likelihood ratio, task alone", Standing::Fidelity), ("Hotelling", Standing::Default)];
    let settings: &[f64] = if whole { &[0.0, 0.5, 1.0] } else { &[1.0] };
    let mut rows = Vec::new();
    for &sd in settings {
        let setting = format!("86 tasks, task by scaffold sd {sd}");
        rows.extend(count(
            "A main effect of three equal scaffolds is found by a fitted model",
            &setting,
            sets,
            &names,
            |set| {
                let mut draws = Draws::new(5_000 + (sd * 1_000.0) as u64, set);
                let found = alike(&mut draws, 86, 3, 3, 1.5, sd);
                let (mut tasks, mut scaffolds, mut right) = (Vec::new(), Vec::new(), Vec::new());
                for (task, arms) in found.iter().enumerate() {
                    for (arm, k) in arms.iter().enumerate() {
                        tasks.push(task.to_string());
                        scaffolds.push(["a", "b", "c"][arm]);
                        right.push(*k);
                    }
                }
                let keys: Vec<&str> = tasks.iter().map(String::as_str).collect();
                let columns = BTreeMap::from([
                    ("task".to_owned(), Column::Factor(Factor::grouping(&keys))),
                    (
                        "scaffold".to_owned(),
                        Column::Factor(Factor::declared(&scaffolds, &["a", "b", "c"], "a").unwrap()),
                    ),
                ]);
                let trials = vec![3; right.len()];
                let table = Table::new("correct", right, trials, columns).unwrap();
                let model = |formula: &str| fit(&Formula::parse(formula).unwrap(), &table, Options::LAPLACE).ok();
                let ratio = model("correct ~ scaffold + (1 | task)")
                    .zip(model("correct ~ 1 + (1 | task)"))
                    .and_then(|(full, reduced)| likelihood_ratio_of(&full, &reduced).ok());
                let contrasts: Vec<Vec<f64>> = found
                    .iter()
                    .map(|arms| (1..3).map(|arm| (arms[arm] as f64 - arms[0] as f64) / 3.0).collect())
                    .collect();
                vec![passes(ratio.map(|ratio| ratio.p)), passes(hotelling(&contrasts).ok().map(|found| found.p))]
            },
        ));
    }
    rows
}

/// Four rounds without a trend.
fn trends(sets: usize, whole: bool) -> Vec<Row> {
    let names = [
        ("slope, paired t", Standing::Other),
        ("slope, sign flip", Standing::Default),
        ("isotonic, permuted", Standing::Other),
    ];
    let sizes: &[usize] = if whole { &[10, 25, 53] } else { &[25] };
    let mut rows = Vec::new();
    for &tasks in sizes {
        let setting = format!("{tasks} tasks, 4 rounds");
        rows.extend(count("A trend over rounds without one is found", &setting, sets, &names, |set| {
            let mut draws = Draws::new(6_000 + tasks as u64, set);
            let found = alike(&mut draws, tasks, 4, 2, 1.5, 0.0);
            let values: Vec<Vec<i64>> =
                found.iter().map(|arms| arms.iter().map(|k| i64::try_from(*k).unwrap()).collect()).collect();
            let slopes = unit_slopes(&values, &[1, 2, 3, 4], 2).unwrap();
            let clusters: Vec<Vec<Vec<i64>>> =
                values.iter().map(|arms| arms.iter().map(|value| vec![*value]).collect()).collect();
            let counting = Counting::Drawn { draws: if whole { 999 } else { 199 }, seed: 7 };
            vec![
                passes(slopes.sample().ok().map(|sample| sample.p(Sides::TwoSided))),
                passes(slopes.flip(Sides::TwoSided).ok().map(|found| found.p)),
                passes(isotonic_test(&clusters, Order::Either, counting, 1).ok().map(|found| found.p)),
            ]
        }));
    }
    rows
}
