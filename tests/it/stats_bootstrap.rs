//! The cluster bootstrap, the effective sample size and the rank correlations against independently computed values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use prespec::stats::bootstrap::{Totals, differences, percentile_interval, ratios, replicates, spreads, totals};
use prespec::stats::column::ExactColumn;
use prespec::stats::effective_n::{Cluster, effective_n, korn_graubard_n, t_ratio};
use prespec::stats::interval::Interval;
use prespec::stats::moments::spearman;
use prespec::stats::nearest::nearest_quotient;
use prespec::stats::picks::Picks;
use prespec::stats::rate::wilson;
use prespec::stats::undefined::Undefined;
use serde_json::Value;

const RESAMPLES: u32 = 5_000;
const SEED: u64 = 20_260_101;
const LEVEL: f64 = 0.95;
const MODELS: [&str; 5] = ["opus-4.7", "sonnet-4.6", "haiku-4.5", "gemini-3.1-pro", "gpt-5.5"];
const SCAFFOLDS: [&str; 3] = ["s1", "s2", "s3"];

/// The reference folder, or `None` (said on stderr) where it was not delivered.
fn reference(test: &str) -> Option<PathBuf> {
    let shared = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if shared.exists() {
        return Some(shared.join("reference/stats"));
    }
    eprintln!("SKIPPED {test}: ../shared is absent");
    None
}

fn json(folder: &std::path::Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[track_caller]
fn close(what: &str, got: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!((got - expected).abs() <= tolerance * scale, "{what}: {got} is not {expected}");
}

#[expect(clippy::struct_excessive_bools, reason = "a row of the data file has this many yes-or-no columns")]
struct Row {
    task: String,
    level: u8,
    model: usize,
    scaffold: usize,
    ok: bool,
    flagged: bool,
    correct: bool,
    micro_usd: i128,
    tokens: i128,
    actions: i128,
    errors: bool,
    milliseconds: i128,
    document: bool,
    any_file: bool,
}

/// A decimal text as an integer over 10^places.
fn decimal(text: &str, places: usize) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= places, "{text}");
    format!("{whole}{fraction:0<places$}").parse().unwrap()
}

fn read_rows(folder: &std::path::Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(folder.join("gaia_like.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|h| h == name).unwrap();
    let [task, level, model, scaffold, status, flag, correct] =
        ["sample_id", "level", "model", "scaffold", "status", "flag_psb", "correct"].map(place);
    let [cost, tokens, actions, errors, time, doc, any] =
        ["cost_usd", "output_tokens", "actions", "tool_errors", "working_time_s", "doc_file", "any_file"].map(place);
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            Row {
                task: record[task].to_owned(),
                level: record[level].parse().unwrap(),
                model: MODELS.iter().position(|m| *m == &record[model]).unwrap(),
                scaffold: SCAFFOLDS.iter().position(|s| *s == &record[scaffold]).unwrap(),
                ok: &record[status] == "ok",
                flagged: &record[flag] == "1",
                correct: &record[correct] == "1",
                micro_usd: decimal(&record[cost], 6),
                tokens: decimal(&record[tokens], 0),
                actions: decimal(&record[actions], 0),
                errors: record[errors].parse::<u32>().unwrap() > 0,
                milliseconds: decimal(&record[time], 3),
                document: &record[doc] == "1",
                any_file: &record[any] == "1",
            }
        })
        .collect()
}

/// The rows of a slice, as the study's analysis defines it.
fn slice<'r>(name: &str, rows: &'r [Row]) -> Vec<&'r Row> {
    match name {
        "primary" => rows.iter().collect(),
        "robust" => rows.iter().filter(|row| !row.flagged).collect(),
        "intersection" => {
            let mut any_ok: BTreeMap<(u8, usize, usize, &str), bool> = BTreeMap::new();
            for row in rows {
                *any_ok.entry((row.level, row.model, row.scaffold, &row.task)).or_default() |= row.ok;
            }
            let bad: BTreeSet<&str> = any_ok.iter().filter(|(_, ok)| !**ok).map(|(key, _)| key.3).collect();
            rows.iter().filter(|row| !bad.contains(row.task.as_str())).collect()
        }
        other => panic!("no slice {other}"),
    }
}

const COLUMNS: usize = 10;
const SCALES: [u32; COLUMNS] = [0, 0, 0, 6, 6, 0, 0, 3, 0, 0];
const CORRECT: usize = 0;
const N: usize = 1;
const OK: usize = 2;
const COST: usize = 3;
const OK_COST: usize = 4;
const ACTIONS: usize = 5;
const TOKENS: usize = 6;
const OK_TIME: usize = 7;
const ERRED: usize = 8;
const RECOVERED: usize = 9;

fn quantities(row: &Row) -> [i128; COLUMNS] {
    let (correct, ok, erred) = (i128::from(row.correct), i128::from(row.ok), i128::from(row.errors));
    [
        correct,
        1,
        ok,
        row.micro_usd,
        row.micro_usd * ok,
        row.actions,
        row.tokens,
        row.milliseconds * ok,
        erred,
        erred * correct,
    ]
}

/// The exact columns of one level of a slice.
struct Pool {
    clusters: usize,
    document: Vec<bool>,
    any_file: Vec<bool>,
    /// By model, then scaffold, then quantity.
    cells: Vec<Vec<Vec<ExactColumn>>>,
}

fn pool(rows: &[&Row], level: u8) -> Pool {
    let rows: Vec<&&Row> = rows.iter().filter(|row| row.level == level).collect();
    let tasks: BTreeSet<&str> = rows.iter().map(|row| row.task.as_str()).collect();
    let number: BTreeMap<&str, usize> = tasks.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let clusters = tasks.len();
    let mut sums = vec![vec![vec![vec![0_i128; clusters]; COLUMNS]; SCAFFOLDS.len()]; MODELS.len()];
    let (mut document, mut any_file) = (vec![false; clusters], vec![false; clusters]);
    for row in rows {
        let task = number[row.task.as_str()];
        document[task] |= row.document;
        any_file[task] |= row.any_file;
        for (column, value) in sums[row.model][row.scaffold].iter_mut().zip(quantities(row)) {
            column[task] += value;
        }
    }
    let exact = |columns: Vec<Vec<i128>>| -> Vec<ExactColumn> {
        columns.into_iter().zip(SCALES).map(|(sums, scale)| ExactColumn::new(scale, sums).unwrap()).collect()
    };
    let cells = sums.into_iter().map(|model| model.into_iter().map(exact).collect()).collect();
    Pool { clusters, document, any_file, cells }
}

/// One computed figure: the estimate, the limits (or how many resamples were undefined when too many), the undefined.
#[derive(Debug, Clone, PartialEq)]
struct Figure {
    estimate: Option<f64>,
    limits: Option<[f64; 2]>,
    undefined: usize,
}

fn figure(estimate: Option<f64>, mut values: Vec<f64>) -> Figure {
    let undefined = values.iter().filter(|x| x.is_nan()).count();
    let limits = percentile_interval(&mut values, LEVEL).ok().map(|interval| {
        assert_eq!(interval.undefined, undefined);
        [interval.limits.lower, interval.limits.upper]
    });
    Figure { estimate, limits, undefined }
}

fn point(top: &ExactColumn, bottom: &ExactColumn) -> Option<f64> {
    nearest_quotient(top.total(), top.scale(), bottom.total(), bottom.scale())
}

/// Every interval of one slice, by its name in the reference file.
fn analyse(name: &str, rows: &[&Row], resamples: u32, workers: usize) -> BTreeMap<String, Figure> {
    let mut out = BTreeMap::new();
    for level in [1, 2] {
        let pool = pool(rows, level);
        let picks = Picks::draw(pool.clusters, resamples, SEED).unwrap();
        let columns: Vec<&ExactColumn> = pool.cells.iter().flatten().flatten().collect();
        let all = totals(&picks, &columns, workers).unwrap();
        let cell = |m: usize, s: usize| &all[(m * SCAFFOLDS.len() + s) * COLUMNS..][..COLUMNS];
        for (m, model) in MODELS.iter().enumerate() {
            let mut accuracy: Vec<(Option<f64>, Vec<f64>)> = Vec::new();
            for (s, scaffold) in SCAFFOLDS.iter().enumerate() {
                let (sums, exact): (&[Totals], _) = (cell(m, s), &pool.cells[m][s]);
                for (what, top, bottom) in [
                    ("acc", CORRECT, N),
                    ("cpc", COST, CORRECT),
                    ("cpc_happy", OK_COST, CORRECT),
                    ("actions", ACTIONS, N),
                    ("output_tokens", TOKENS, N),
                    ("working_time_s", OK_TIME, OK),
                    ("recovery", RECOVERED, ERRED),
                ] {
                    let estimate = point(&exact[top], &exact[bottom]);
                    let values = ratios(&sums[top], &sums[bottom]).unwrap();
                    if what == "acc" {
                        accuracy.push((estimate, values.clone()));
                    }
                    out.insert(format!("{name}/L{level}/{model}/{scaffold}:{what}"), figure(estimate, values));
                }
            }
            let key = format!("{name}/L{level}/{model}");
            let series: Vec<&[f64]> = accuracy.iter().map(|(_, values)| values.as_slice()).collect();
            out.insert(format!("{key}:gap"), figure(None, spreads(&series).unwrap()));
            for (a, b) in [(1, 0), (2, 0), (2, 1)] {
                let values = differences(series[a], series[b]).unwrap();
                let estimate = accuracy[a].0.zip(accuracy[b].0).map(|(a, b)| a - b);
                out.insert(format!("{key}:{}-{}", SCAFFOLDS[a], SCAFFOLDS[b]), figure(estimate, values));
            }
            for (what, mask) in [("dod_doc", &pool.document), ("dod_any", &pool.any_file)] {
                let parts: Vec<ExactColumn> = [(2, true), (0, true), (2, false), (0, false)]
                    .into_iter()
                    .flat_map(|(s, wanted)| {
                        [CORRECT, N].map(|column| pool.cells[m][s][column].masked(|task| mask[task] == wanted))
                    })
                    .collect();
                let sums = totals(&picks, &parts.iter().collect::<Vec<_>>(), workers).unwrap();
                let rate = |i: usize| ratios(&sums[2 * i], &sums[2 * i + 1]).unwrap();
                let estimate = |i: usize| point(&parts[2 * i], &parts[2 * i + 1]).unwrap();
                let file = differences(&rate(0), &rate(1)).unwrap();
                let other = differences(&rate(2), &rate(3)).unwrap();
                let values = differences(&file, &other).unwrap();
                let difference = (estimate(0) - estimate(1)) - (estimate(2) - estimate(3));
                out.insert(format!("{key}:{what}"), figure(Some(difference), values));
            }
        }
    }
    out
}

#[test]
fn the_whole_three_slice_bootstrap_matches_the_reference() {
    let Some(folder) = reference("the_whole_three_slice_bootstrap_matches_the_reference") else { return };
    let rows = read_rows(&folder);
    let expected = json(&folder, "gaia_bootstrap_philox.json");
    assert_eq!((expected["seed"].as_u64(), expected["B"].as_u64()), (Some(SEED), Some(u64::from(RESAMPLES))));
    let (mut limits_seen, mut estimates_seen, mut refused) = (0, 0, Vec::new());
    for name in ["primary", "robust", "intersection"] {
        let got = analyse(name, &slice(name, &rows), RESAMPLES, 2);
        for (key, entry) in expected["results"].as_object().unwrap() {
            if !key.starts_with(&format!("{name}/")) {
                continue;
            }
            for (field, value) in entry.as_object().unwrap() {
                if let Some(what) = field.strip_suffix("_ci") {
                    let figure = &got[&format!("{key}:{what}")];
                    let want = numbers(value);
                    match figure.limits {
                        Some([lower, upper]) => {
                            close(&format!("{key} {what} lower"), lower, want[0], 1e-12);
                            close(&format!("{key} {what} upper"), upper, want[1], 1e-12);
                            limits_seen += 2;
                        }
                        None => refused.push(format!("{key}:{what}:{}", figure.undefined)),
                    }
                } else if let Some(what) = field.strip_suffix("_undefined") {
                    assert_eq!(Some(got[&format!("{key}:{what}")].undefined as u64), value.as_u64(), "{key} {what}");
                } else if let Some(figure) = got.get(&format!("{key}:{field}")) {
                    match (figure.estimate, value.as_f64()) {
                        (Some(got), Some(want)) => close(&format!("{key} {field}"), got, want, 1e-14),
                        (got, want) => assert_eq!(got, want, "{key} {field}"),
                    }
                    estimates_seen += 1;
                }
            }
        }
    }
    assert_eq!((limits_seen, estimates_seen), (1_596, 690));
    assert!(refused.is_empty(), "{refused:?}");
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let Some(folder) = reference("the_bytes_do_not_depend_on_the_threads") else { return };
    let rows = read_rows(&folder);
    let rows = slice("robust", &rows);
    let one = format!("{:?}", analyse("robust", &rows, 1_000, 1));
    for workers in [2, 5, 16] {
        assert_eq!(one, format!("{:?}", analyse("robust", &rows, 1_000, workers)));
    }
}

#[test]
fn more_resamples_keep_the_first_replicates() {
    let Some(folder) = reference("more_resamples_keep_the_first_replicates") else { return };
    let rows = read_rows(&folder);
    let pool = pool(&slice("primary", &rows), 1);
    let columns: Vec<&ExactColumn> = pool.cells.iter().flatten().flatten().collect();
    let drawn = |resamples| totals(&Picks::draw(pool.clusters, resamples, SEED).unwrap(), &columns, 1).unwrap();
    for (few, many) in drawn(700).iter().zip(drawn(1_300)) {
        assert!((0..700).all(|b| few.get(b) == many.get(b)));
    }
}

#[test]
fn percentiles_of_an_explicit_index_matrix() {
    let Some(folder) = reference("percentiles_of_an_explicit_index_matrix") else { return };
    let case = json(&folder, "bootstrap.json");
    let correct: Vec<i128> =
        case["k_correct_of_3"].as_array().unwrap().iter().map(|k| k.as_i64().unwrap().into()).collect();
    let cost: Vec<i128> = numbers(&case["cost"]).iter().map(|c| decimal(&c.to_string(), 4)).collect();
    let results = case["results"].as_object().unwrap();
    assert!(results.len() >= 2);
    for (name, result) in results {
        let mut values: Vec<f64> = case["idx"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let picked: Vec<usize> =
                    row.as_array().unwrap().iter().map(|i| usize::try_from(i.as_u64().unwrap()).unwrap()).collect();
                let k: i128 = picked.iter().map(|&i| correct[i]).sum();
                let c: i128 = picked.iter().map(|&i| cost[i]).sum();
                match name.as_str() {
                    "accuracy" => nearest_quotient(k, 0, 3 * picked.len() as i128, 0),
                    "cost_per_correct" => nearest_quotient(c, 4, k, 0),
                    other => panic!("no statistic {other}"),
                }
                .unwrap_or(f64::NAN)
            })
            .collect();
        let interval = percentile_interval(&mut values, LEVEL).unwrap();
        let want = numbers(&result["percentile_type7"]);
        close(name, interval.limits.lower, want[0], 1e-12);
        close(name, interval.limits.upper, want[1], 1e-12);
    }
}

#[test]
fn a_closure_gives_the_same_replicates_as_exact_columns() {
    let picks = Picks::draw(31, 500, 77).unwrap();
    let (top, bottom): (Vec<i128>, Vec<i128>) =
        ((0..31).map(|t| t * t % 5).collect(), (0..31).map(|t| t % 3).collect());
    let columns = [ExactColumn::new(0, top.clone()).unwrap(), ExactColumn::new(0, bottom.clone()).unwrap()];
    let sums = totals(&picks, &[&columns[0], &columns[1]], 2).unwrap();
    let exact = ratios(&sums[0], &sums[1]).unwrap();
    let weighted =
        |weights: &[u16], x: &[i128]| -> i128 { weights.iter().zip(x).map(|(&w, x)| i128::from(w) * x).sum() };
    let closure =
        replicates(&picks, 3, |_, weights| nearest_quotient(weighted(weights, &top), 0, weighted(weights, &bottom), 0));
    assert!(exact.iter().zip(&closure).all(|(a, b)| a.to_bits() == b.to_bits()));
}

fn pair(interval: Interval, value: &Value, what: &str, tolerance: f64) {
    let want = numbers(value);
    close(what, interval.lower, want[0], tolerance);
    close(what, interval.upper, want[1], tolerance);
}

#[test]
fn wilson_intervals_match_the_reference() {
    let Some(folder) = reference("wilson_intervals_match_the_reference") else { return };
    let cases = json(&folder, "wilson.json");
    for case in cases["cases"].as_array().unwrap() {
        let (k, n) = (case["k"].as_f64().unwrap(), case["n"].as_f64().unwrap());
        let level = 1.0 - case["alpha"].as_f64().unwrap();
        pair(wilson(k / n, n, level).unwrap(), &case["wilson"], &format!("{k} of {n}"), 1e-12);
    }
    for case in cases["fractional_n"].as_array().unwrap() {
        let (p, n) = (case["p"].as_f64().unwrap(), case["n_eff"].as_f64().unwrap());
        pair(wilson(p, n, LEVEL).unwrap(), &case["wilson"], &format!("{p} of {n}"), 1e-12);
    }
}

#[test]
fn effective_sample_sizes_match_the_reference() {
    let Some(folder) = reference("effective_sample_sizes_match_the_reference") else { return };
    let whole = |value: &Value| value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect::<Vec<_>>();
    let cases = json(&folder, "icc_deff.json");
    for case in cases["cases"].as_array().unwrap() {
        let sizes = whole(&case["m"]);
        let positive = whole(&case["k"]);
        let clusters: Vec<Cluster> =
            positive.into_iter().zip(sizes).map(|(positive, records)| Cluster { positive, records }).collect();
        let got = effective_n(&clusters).unwrap();
        let field = |name: &str| case[name].as_f64().unwrap();
        close("rate", got.rate, field("p"), 1e-12);
        close("icc", got.icc.unwrap(), field("icc"), 1e-10);
        close("deff", got.design_effect, field("deff"), 1e-10);
        close("n_eff", got.n_eff, field("n_eff"), 1e-10);
        let n_star = korn_graubard_n(&got, t_ratio(&got, LEVEL).unwrap()).unwrap();
        close("n*", n_star, field("korn_graubard_n"), 1e-10);
        pair(wilson(got.rate, got.n_eff, LEVEL).unwrap(), &case["wilson_neff"], "wilson n_eff", 1e-10);
        pair(wilson(got.rate, n_star, LEVEL).unwrap(), &case["wilson_korn_graubard"], "korn-graubard", 1e-10);
    }
}

#[test]
fn rank_correlations_match_the_reference() {
    let Some(folder) = reference("rank_correlations_match_the_reference") else { return };
    let case = json(&folder, "spearman.json");
    let (mut metric, mut rank, mut within) = (Vec::new(), Vec::new(), Vec::new());
    for (scenario, want) in case["scenarios"].as_array().unwrap().iter().zip(case["within"].as_array().unwrap()) {
        let x = numbers(&scenario["metric"]);
        let y: Vec<f64> = numbers(&scenario["rank"]).iter().map(|rank| -rank).collect();
        match (spearman(&x, &y), want.as_f64()) {
            (Ok(got), Some(want)) => {
                close("within", got, want, 1e-12);
                within.push(got);
            }
            (got, want) => assert_eq!((got, want), (Err(Undefined::Constant), None)),
        }
        metric.extend(x);
        rank.extend(y);
    }
    close("pooled", spearman(&metric, &rank).unwrap(), case["pooled"]["rho"].as_f64().unwrap(), 1e-12);
    assert_eq!(Some(within.len() as u64), case["n_defined"].as_u64());
    let mean = within.iter().sum::<f64>() / f64::from(u32::try_from(within.len()).unwrap());
    close("mean", mean, case["within_mean_defined"].as_f64().unwrap(), 1e-12);
}
