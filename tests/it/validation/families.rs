//! Families of comparisons, claims that need two tests, margins and ranks: how often any claim is false.

use prespec::stats::comparison::{Comparison, FamilyAdjustment, FamilyRules, Finding, Precedence, above, judge};
use prespec::stats::equivalence::{Better, Claim, margin_flip, margin_t, tost_flip};
use prespec::stats::multiplicity::Adjustment;
use prespec::stats::paired::PairedSample;
use prespec::stats::ranks::{RankOrder, rank};
use prespec::stats::sides::Sides;

use super::{Draws, LEVEL, Row, Standing, count};

const MARGIN: f64 = 0.05;
const TASKS: usize = 25;

pub fn rows(sets: usize, whole: bool) -> Vec<Row> {
    let mut rows = mixed(sets, whole);
    rows.extend(both(sets));
    rows.extend(margins(sets, whole));
    rows.extend(ranked(sets));
    rows
}

/// Differences of the tasks around a true one.
fn sample(draws: &mut Draws, tasks: usize, truth: f64, sd: f64) -> PairedSample {
    let values: Vec<f64> = (0..tasks).map(|_| truth + sd * draws.normal()).collect();
    PairedSample::from_differences(&values).unwrap()
}

fn comparison(sample: &PairedSample) -> Comparison {
    Comparison {
        units: sample.count(),
        difference: sample.mean(),
        constant: false,
        p_difference: Some(sample.p(Sides::TwoSided)),
        p_equivalence: Some(sample.tost(MARGIN).unwrap().p),
    }
}

fn rules(planned: usize, adjustment: FamilyAdjustment) -> FamilyRules {
    FamilyRules {
        planned,
        alpha: LEVEL,
        fewest_units: 5,
        better: Better::Higher,
        adjustment,
        precedence: Precedence::Difference,
    }
}

/// Ten comparisons, half without any difference, half exactly at the margin of equivalence.
fn mixed(sets: usize, whole: bool) -> Vec<Row> {
    let names = [
        ("Holm on each kind apart", Standing::Fidelity),
        ("joint", Standing::Default),
        ("not adjusted", Standing::Other),
    ];
    let errors: &[f64] = if whole { &[0.6, 0.35, 0.2, 0.12] } else { &[0.2] };
    let mut rows = Vec::new();
    for &error in errors {
        let sd = error * MARGIN * (TASKS as f64).sqrt();
        let setting = format!("standard error {error} of the margin");
        rows.extend(count("Any finding of ten comparisons is false", &setting, sets, &names, |set| {
            let mut draws = Draws::new(7_000 + (error * 100.0) as u64, set);
            let compared: Vec<Comparison> = (0..10)
                .map(|at| comparison(&sample(&mut draws, TASKS, if at < 5 { 0.0 } else { MARGIN }, sd)))
                .collect();
            let any = |adjustment| {
                let found = judge(&compared, &rules(10, adjustment)).unwrap();
                found.iter().enumerate().any(|(at, found)| {
                    if at < 5 {
                        matches!(found.finding, Finding::Better | Finding::Worse)
                    } else {
                        // At the margin "equivalent" is false, and so is a difference in the wrong direction.
                        matches!(found.finding, Finding::Equivalent | Finding::Worse) || found.within_margin
                    }
                })
            };
            let raw = compared.iter().enumerate().any(|(at, one)| {
                let p = if at < 5 { one.p_difference } else { one.p_equivalence };
                p.is_some_and(|p| p <= LEVEL)
            });
            vec![any(FamilyAdjustment::Separate(Adjustment::Holm)), any(FamilyAdjustment::Joint), raw]
        }));
    }
    rows
}

/// A claim that needs a gain and a saving, when one of them is certain and the other is not there.
fn both(sets: usize) -> Vec<Row> {
    let names = [("largest p of both", Standing::Default)];
    let mut rows = Vec::new();
    for tasks in [10, 25, 53] {
        let setting = format!("{tasks} tasks, one of two true");
        rows.extend(count("A claim that needs two is made when one is false", &setting, sets, &names, |set| {
            let mut draws = Draws::new(8_000 + tasks as u64, set);
            let (gain, saving) = (sample(&mut draws, tasks, 0.0, 0.3), sample(&mut draws, tasks, 0.5, 0.3));
            let p = gain.p(Sides::TwoSided).max(saving.p(Sides::TwoSided));
            vec![p <= LEVEL && gain.mean() > 0.0 && saving.mean() > 0.0]
        }));
    }
    rows
}

/// Pass rates of two attempts whose true difference is the margin itself.
fn margins(sets: usize, whole: bool) -> Vec<Row> {
    let names = [
        ("equivalence, t", Standing::Default),
        ("equivalence, exact", Standing::Other),
        ("non-inferiority, t", Standing::Default),
        ("non-inferiority, exact", Standing::Other),
    ];
    let sizes: &[usize] = if whole { &[10, 25, 53, 139] } else { &[25] };
    let mut rows = Vec::new();
    for &tasks in sizes {
        let setting = format!("{tasks} tasks, at the margin");
        rows.extend(count(
            "Arms that differ by the margin are called equivalent, or not inferior",
            &setting,
            sets,
            &names,
            |set| {
                let mut draws = Draws::new(9_000 + tasks as u64, set);
                // Differences in hundredths around five hundredths, below zero for the worse arm.
                let d: Vec<i128> = (0..tasks).map(|_| (-5.0 + 4.0 * draws.normal()).round() as i128).collect();
                let margin = prespec::math::Rational::new(5.into(), 100.into());
                let sample = PairedSample::from_scaled(&d, 100).ok();
                let p = [
                    sample.as_ref().and_then(|sample| sample.tost(MARGIN).ok()).map(|tost| tost.p),
                    tost_flip(&d, 100, &margin).ok().map(|tost| tost.p),
                    sample
                        .as_ref()
                        .and_then(|sample| margin_t(sample, Claim::NotInferior, Better::Higher, MARGIN).ok())
                        .map(|found| found.p),
                    margin_flip(&d, 100, Claim::NotInferior, Better::Higher, &margin).ok().map(|found| found.p),
                ];
                p.into_iter().map(|p| p.is_some_and(|p| p <= LEVEL)).collect()
            },
        ));
    }
    rows
}

/// Five arms, all pairs compared: how often the rank interval of some arm leaves out its true rank.
fn ranked(sets: usize) -> Vec<Row> {
    let names = [("rank intervals, joint", Standing::Default), ("ranks without intervals", Standing::Other)];
    let mut rows = Vec::new();
    for (setting, truths) in [
        ("five equal arms, 25 tasks", [0.0; 5]),
        ("one arm above four equal ones, 25 tasks", [0.3, 0.0, 0.0, 0.0, 0.0]),
    ] {
        rows.extend(count("A rank is claimed that is not the arm's", setting, sets, &names, |set| {
            let mut draws = Draws::new(10_000 + (truths[0] * 10.0) as u64, set);
            let arms: Vec<Vec<f64>> =
                truths.iter().map(|truth| (0..TASKS).map(|_| truth + 0.3 * draws.normal()).collect()).collect();
            let mut pairs = Vec::new();
            let mut compared = Vec::new();
            for first in 0..5 {
                for second in first + 1..5 {
                    let d: Vec<f64> = arms[first].iter().zip(&arms[second]).map(|(a, b)| a - b).collect();
                    pairs.push((first, second));
                    compared.push(comparison(&PairedSample::from_differences(&d).unwrap()));
                }
            }
            let found = judge(&compared, &rules(10, FamilyAdjustment::Joint)).unwrap();
            let ranks = rank(5, &above(&pairs, &found), RankOrder::Inclusion).unwrap();
            // Equal arms share a rank: any of the places that they fill is theirs.
            let true_ranks = |at: usize| {
                let better = truths.iter().filter(|truth| **truth > truths[at]).count();
                let alike = truths.iter().filter(|truth| (**truth - truths[at]).abs() < 1e-9).count();
                (1 + better, better + alike)
            };
            let outside = ranks.iter().enumerate().any(|(at, own)| {
                let (low, high) = true_ranks(at);
                own.best > low || own.worst < high
            });
            // Ordering by the means alone always says which of equal arms is better.
            let mut order: Vec<usize> = (0..5).collect();
            let mean = |at: &usize| arms[*at].iter().sum::<f64>();
            order.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
            let wrong = order.windows(2).any(|pair| truths[pair[0]] <= truths[pair[1]]);
            vec![outside, wrong]
        }));
    }
    rows
}
