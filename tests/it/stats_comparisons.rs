//! Findings, ranks, spreads and fronts of a large study against an independent analysis of the same records.
#![allow(
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    reason = "reference values are small and exact where compared exactly"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use prespec::stats::bootstrap::{percentile_interval, ratios, spreads, totals};
use prespec::stats::column::ExactColumn;
use prespec::stats::comparison::{Comparison, FamilyAdjustment, FamilyRules, Finding, Precedence, above, judge};
use prespec::stats::effective_n::{Cluster, effective_n};
use prespec::stats::equivalence::Better;
use prespec::stats::multiplicity::Adjustment;
use prespec::stats::paired::PairedSample;
use prespec::stats::pareto::{Objective, Place, ReplicatedObjective, front_membership, pareto_front};
use prespec::stats::picks::Picks;
use prespec::stats::ranks::{RankOrder, rank};
use prespec::stats::rate::{Formula, SampleSize, of_clusters};
use prespec::stats::ratio_of_means::LogRatio;
use prespec::stats::sides::Sides;
use prespec::stats::sign::sign_flip;
use prespec::stats::simultaneous::{Arm, simultaneous_bands, spread_lower_bound};
use prespec::stats::studentised::{Studentised, Term};
use serde_json::Value;

const SEED: u64 = 20_260_101;
const RESAMPLES: u32 = 5_000;
const MODELS: [&str; 5] = ["opus-4.7", "sonnet-4.6", "haiku-4.5", "gemini-3.1-pro", "gpt-5.5"];
const SCAFFOLDS: [&str; 3] = ["s1", "s2", "s3"];

/// One task under one model and scaffold: correct answers, attempts, and cost in micro-dollars.
#[derive(Clone, Copy, Default)]
struct Sums {
    correct: i128,
    attempts: i128,
    cost: i128,
}

/// `level/model/scaffold` to the sums of each task, tasks sorted bytewise.
type Cells = BTreeMap<String, Vec<Sums>>;

/// The reference named and the records it was computed from.
fn load(test: &str, name: &str) -> Option<(Value, Cells)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !root.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    let folder = root.join("reference/stats");
    let reference = serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap();
    let mut reader = csv::Reader::from_path(folder.join("gaia_like.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let columns = ["level", "model", "scaffold", "sample_id", "correct", "cost_usd"];
    let [level, model, scaffold, task, correct, cost] =
        columns.map(|name| header.iter().position(|found| found == name).unwrap());
    let mut cells: BTreeMap<String, BTreeMap<String, Sums>> = BTreeMap::new();
    for record in reader.records() {
        let record = record.unwrap();
        let cell = format!("L{}/{}/{}", &record[level], &record[model], &record[scaffold]);
        let sums = cells.entry(cell).or_default().entry(record[task].to_owned()).or_default();
        sums.correct += record[correct].parse::<i128>().unwrap();
        sums.attempts += 1;
        assert_eq!(record[cost].split_once('.').unwrap().1.len(), 6);
        sums.cost += record[cost].replace('.', "").parse::<i128>().unwrap();
    }
    let cells = cells.into_iter().map(|(cell, tasks)| (cell, tasks.into_values().collect())).collect();
    Some((reference, cells))
}

#[track_caller]
fn near(what: &str, got: f64, want: &Value, tolerance: f64) {
    let want = want.as_f64().unwrap();
    assert!((got - want).abs() <= tolerance, "{what}: got {got:e}, want {want:e}");
}

fn column(tasks: &[Sums], of: fn(&Sums) -> i128, scale: u32) -> ExactColumn {
    ExactColumn::new(scale, tasks.iter().map(of).collect()).unwrap()
}

fn word(finding: Finding, better: Better) -> &'static str {
    match (finding, better) {
        (Finding::Better, Better::Higher) | (Finding::Worse, Better::Lower) => "higher",
        (Finding::Worse, Better::Higher) | (Finding::Better, Better::Lower) => "lower",
        (Finding::Equivalent, _) => "equivalent",
        (Finding::NotSeparable, _) => "not separable",
        (Finding::NoInterval, _) => "no interval",
        (Finding::NoVerdict, _) => "no verdict",
    }
}

#[test]
fn findings_of_every_family_match_the_reference() {
    let Some((reference, cells)) = load("findings_of_every_family_match_the_reference", "verdicts_gaia.json") else {
        return;
    };
    let number = |name: &str| reference[name].as_f64().unwrap();
    let mut judged = 0;
    for (family, rows) in reference["families"].as_object().unwrap() {
        let (level, metric) = family.split_once('/').unwrap();
        let rows = rows.as_array().unwrap();
        let better = if metric == "accuracy" { Better::Higher } else { Better::Lower };
        let (mut by_t, mut by_flip) = (Vec::new(), Vec::new());
        for row in rows {
            let (model, contrast) = row["comparison"].as_str().unwrap().split_once(": ").unwrap();
            let (first, second) = contrast.split_once(" vs ").unwrap();
            let cell = |scaffold: &str| cells[&format!("{level}/{model}/{scaffold}")].as_slice();
            let (first, second) = (cell(first), cell(second));
            let thirds: Vec<i128> = first.iter().zip(second).map(|(a, b)| a.correct - b.correct).collect();
            let costs = |tasks: &[Sums]| tasks.iter().map(|sums| sums.cost as f64).collect::<Vec<_>>();
            let (sample, tost) = if metric == "accuracy" {
                let sample = PairedSample::from_scaled(&thirds, 3).unwrap();
                (sample, sample.tost(number("margin")).unwrap())
            } else {
                let ratio = LogRatio::new(&costs(first), &costs(second)).unwrap();
                (*ratio.logs(), ratio.tost(number("ratio_margin")).unwrap())
            };
            let comparison = Comparison {
                units: first.len(),
                difference: sample.mean(),
                constant: false,
                p_difference: Some(sample.p(Sides::TwoSided)),
                p_equivalence: Some(tost.p),
            };
            by_t.push(comparison);
            let flip = sign_flip(&thirds, Sides::TwoSided).unwrap();
            by_flip.push(Comparison { p_difference: Some(flip.p), ..comparison });
        }
        let rules = |adjustment| FamilyRules {
            planned: rows.len(),
            alpha: number("alpha"),
            fewest_units: 5,
            better,
            adjustment,
            precedence: Precedence::Difference,
        };
        let holm = FamilyAdjustment::Separate(Adjustment::Holm);
        for (comparisons, adjustment, names) in [
            (&by_t, holm, ["verdict_p_t", "p_t_holm", "tost_holm"]),
            (&by_t, FamilyAdjustment::Joint, ["verdict_joint_p_t", "p_t_joint", "tost_joint_with_p_t"]),
            (&by_flip, holm, ["verdict_p_sign_flip_exact", "p_sign_flip_exact_holm", "tost_holm"]),
            (
                &by_flip,
                FamilyAdjustment::Joint,
                ["verdict_joint_p_sign_flip_exact", "p_sign_flip_exact_joint", "tost_joint_with_p_sign_flip_exact"],
            ),
        ] {
            if metric != "accuracy" && std::ptr::eq(comparisons, &raw const by_flip) {
                continue;
            }
            let [verdict, difference, equivalence] = names;
            let found = judge(comparisons, &rules(adjustment)).unwrap();
            for (row, found) in rows.iter().zip(found) {
                assert_eq!(word(found.finding, better), row[verdict].as_str().unwrap(), "{family} {verdict} {row}");
                near(difference, found.p_difference, &row[difference], 1e-10);
                near(equivalence, found.p_equivalence, &row[equivalence], 1e-10);
                judged += 1;
            }
        }
    }
    assert_eq!(judged, 120);
}

#[test]
fn ranks_and_their_intervals_match_the_reference() {
    let Some((reference, cells)) = load("ranks_and_their_intervals_match_the_reference", "verdicts_gaia.json") else {
        return;
    };
    for (level, rows) in reference["ranks"].as_object().unwrap() {
        let members: Vec<(&str, &[Sums])> = cells
            .iter()
            .filter_map(|(cell, tasks)| Some((cell.strip_prefix(level.as_str())?.strip_prefix('/')?, tasks.as_slice())))
            .collect();
        assert_eq!(members.len(), 15);
        let pairs: Vec<(usize, usize)> = (0..15).flat_map(|a| (a + 1..15).map(move |b| (a, b))).collect();
        let compare = |&(a, b): &(usize, usize)| {
            let thirds: Vec<i128> = members[a].1.iter().zip(members[b].1).map(|(a, b)| a.correct - b.correct).collect();
            let sample = PairedSample::from_scaled(&thirds, 3).unwrap();
            Comparison {
                units: thirds.len(),
                difference: sample.mean(),
                constant: false,
                p_difference: Some(sample.p(Sides::TwoSided)),
                p_equivalence: None,
            }
        };
        let comparisons: Vec<Comparison> = pairs.iter().map(compare).collect();
        let rules = FamilyRules {
            planned: pairs.len(),
            alpha: 0.05,
            fewest_units: 5,
            better: Better::Higher,
            adjustment: FamilyAdjustment::Separate(Adjustment::Holm),
            precedence: Precedence::Difference,
        };
        let findings = above(&pairs, &judge(&comparisons, &rules).unwrap());
        let by_inclusion = rank(15, &findings, RankOrder::Inclusion).unwrap();
        let by_count = rank(15, &findings, RankOrder::Count).unwrap();
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), 15);
        for row in rows {
            let name = row["cell"].as_str().unwrap();
            let member = members.iter().position(|(cell, _)| *cell == name).unwrap();
            let (got, counted) = (&by_inclusion[member], &by_count[member]);
            let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
            assert_eq!(got.above, number(&row["beats"]), "{name}");
            assert_eq!(got.below, number(&row["beaten_by"]), "{name}");
            assert_eq!(got.rank, number(&row["seed_rank_strict_superset"]), "{name}");
            assert_eq!(counted.rank, number(&row["seed_rank_by_count"]), "{name}");
            assert_eq!([got.best, got.worst], [number(&row["rank_ci"][0]), number(&row["rank_ci"][1])], "{name}");
            let mut ties: Vec<&str> = got.ties.iter().map(|&tied| members[tied].0).collect();
            let mut want: Vec<&str> =
                row["ties_with"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
            ties.sort_unstable();
            want.sort_unstable();
            assert_eq!(ties, want, "{name}");
        }
    }
}

#[test]
fn lower_bounds_of_spreads_match_the_reference() {
    let Some((reference, cells)) = load("lower_bounds_of_spreads_match_the_reference", "verdicts_gaia.json") else {
        return;
    };
    let gaps = reference["gap_inference"].as_object().unwrap();
    assert_eq!(gaps.len(), 10);
    for (name, want) in gaps {
        let tasks = SCAFFOLDS.map(|scaffold| cells[&format!("{name}/{scaffold}")].as_slice());
        let correct = tasks.map(|tasks| column(tasks, |sums| sums.correct, 0));
        let attempts = tasks.map(|tasks| column(tasks, |sums| sums.attempts, 0));
        let picks = Picks::draw(tasks[0].len(), RESAMPLES, SEED).unwrap();
        let arm = |s: usize| Arm { numerator: &correct[s], denominator: &attempts[s] };
        let got = spread_lower_bound(&picks, &[arm(0), arm(1), arm(2)], 0.95, 2).unwrap();
        near(name, got.spread, &want["gap"], 1e-12);
        near(name, got.critical, &want["max_t_critical"], 1e-10);
        near(name, got.lower, &want["gap_lower_bound_95"], 1e-10);
        assert_eq!((got.constant_pairs, got.undefined), (0, 0));
        let term = |factor, s: usize| Term { factor, numerator: &correct[s], denominator: &attempts[s] };
        let pairs = [(1, 0), (2, 0), (2, 1)];
        let series = pairs.map(|(a, b)| Studentised::new(&picks, &[term(1.0, a), term(-1.0, b)], 1).unwrap());
        for (at, ((a, b), series)) in pairs.iter().zip(&series).enumerate() {
            let key = format!("{}-{}", SCAFFOLDS[*a], SCAFFOLDS[*b]);
            near(&key, series.estimate(), &want["pair_estimates"][&key], 1e-12);
            near(&key, series.standard_error(), &want["pair_se"][at], 1e-12);
        }
        // The bands of all pairs and the bound say the same.
        let bands = simultaneous_bands(&[&series[0], &series[1], &series[2]], 0.95).unwrap();
        near(name, bands.critical, &want["max_t_critical"], 1e-10);
        let apart = bands.intervals.iter().map(|band| band.lower.max(-band.upper)).fold(0.0, f64::max);
        near(name, apart, &want["gap_lower_bound_95"], 1e-10);
        // The percentile interval of the spread itself, which the bound replaces, excludes zero even where nothing is shown.
        let columns: Vec<&ExactColumn> = correct.iter().chain(&attempts).collect();
        let sums = totals(&picks, &columns, 1).unwrap();
        let rates = [0, 1, 2].map(|s| ratios(&sums[s], &sums[s + 3]).unwrap());
        let mut values = spreads(&[&rates[0], &rates[1], &rates[2]]).unwrap();
        let percentile = percentile_interval(&mut values, 0.95).unwrap().limits;
        near(name, percentile.lower, &want["percentile_gap_ci_from_paper_method"][0], 1e-12);
        near(name, percentile.upper, &want["percentile_gap_ci_from_paper_method"][1], 1e-12);
        assert!(percentile.lower > 0.0);
    }
}

#[test]
fn clustered_rates_of_every_cell_match_the_reference() {
    let Some((reference, cells)) = load("clustered_rates_of_every_cell_match_the_reference", "verdicts_gaia.json")
    else {
        return;
    };
    let wanted = reference["cells"].as_object().unwrap();
    assert_eq!(wanted.len(), 30);
    for (name, want) in wanted {
        let whole = |count: i128| u64::try_from(count).unwrap();
        let clusters: Vec<Cluster> = cells[name]
            .iter()
            .map(|sums| Cluster { positive: whole(sums.correct), records: whole(sums.attempts) })
            .collect();
        let effective = effective_n(&clusters).unwrap();
        near(name, effective.rate, &want["acc"], 1e-12);
        near(name, effective.icc.unwrap(), &want["icc"], 1e-10);
        near(name, effective.design_effect, &want["deff"], 1e-10);
        near(name, effective.n_eff, &want["n_eff"], 1e-8);
        for (field, size) in
            [("wilson_neff", SampleSize::Effective), ("wilson_korn_graubard", SampleSize::KornGraubard)]
        {
            let got = of_clusters(&clusters, Formula::Wilson, size, 0.95).unwrap();
            near(name, got.lower, &want[field][0], 1e-10);
            near(name, got.upper, &want[field][1], 1e-10);
        }
    }
}

#[test]
fn fronts_match_the_reference_and_resamples_show_how_firm_they_are() {
    let test = "fronts_match_the_reference_and_resamples_show_how_firm_they_are";
    let Some((reference, cells)) = load(test, "reference.json") else { return };
    let fronts = &reference["bootstrap_numpy_rng"]["primary"]["pareto"];
    for level in ["L1", "L2"] {
        let names: Vec<String> =
            MODELS.iter().flat_map(|m| SCAFFOLDS.iter().map(move |s| format!("{level}/{m}/{s}"))).collect();
        let columns: Vec<[ExactColumn; 3]> = names
            .iter()
            .map(|name| {
                let tasks = &cells[name];
                [
                    column(tasks, |sums| sums.correct, 0),
                    column(tasks, |sums| sums.attempts, 0),
                    column(tasks, |sums| sums.cost, 6),
                ]
            })
            .collect();
        let value = |column: &ExactColumn| column.total_value().unwrap();
        let accuracy: Vec<f64> = columns.iter().map(|[k, n, _]| value(k) / value(n)).collect();
        let cost: Vec<f64> = columns.iter().map(|[k, _, cost]| value(cost) / value(k)).collect();
        let places = pareto_front(&[
            Objective { better: Better::Higher, values: &accuracy },
            Objective { better: Better::Lower, values: &cost },
        ])
        .unwrap();
        let on_front = |place: &Place| *place == Place::Front;
        let front: Vec<&str> =
            names.iter().zip(&places).filter(|(_, place)| on_front(place)).map(|(name, _)| name.as_str()).collect();
        let mut want: Vec<&str> = fronts[level].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        want.sort_by_key(|name| names.iter().position(|other| other == name));
        assert_eq!(front, want);
        let clusters = cells[&names[0]].len();
        let picks = Picks::draw(clusters, 500, SEED).unwrap();
        let flat: Vec<&ExactColumn> = columns.iter().flatten().collect();
        let sums = totals(&picks, &flat, 2).unwrap();
        let ratio = |top: usize, bottom: usize| -> Vec<Vec<f64>> {
            (0..15).map(|cell| ratios(&sums[3 * cell + top], &sums[3 * cell + bottom]).unwrap()).collect()
        };
        let (accuracy, cost) = (ratio(0, 1), ratio(2, 0));
        let accuracy: Vec<&[f64]> = accuracy.iter().map(Vec::as_slice).collect();
        let cost: Vec<&[f64]> = cost.iter().map(Vec::as_slice).collect();
        let objectives = [
            ReplicatedObjective { better: Better::Higher, series: &accuracy },
            ReplicatedObjective { better: Better::Lower, series: &cost },
        ];
        let got = front_membership(&objectives, 1).unwrap();
        assert_eq!(got, front_membership(&objectives, 3).unwrap());
        // Recomputed the slow way.
        for (cell, count) in got.iter().enumerate() {
            let on = |b: usize| {
                !(0..15).any(|other| {
                    let (da, dc) = (accuracy[other][b] - accuracy[cell][b], cost[other][b] - cost[cell][b]);
                    da >= 0.0 && dc <= 0.0 && (da > 0.0 || dc < 0.0)
                })
            };
            assert_eq!(count.front, (0..500).filter(|&b| on(b)).count());
            assert_eq!((count.undefined, count.resamples), (0, 500));
        }
        assert!(got.iter().any(|count| count.frequency().unwrap() > 0.5));
    }
}
