//! Tails, paired tests, sign tests and adjustments against independent reference values.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "reference values are small and exact where compared exactly"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use prespec::math::special as sp;
use prespec::stats::multiplicity::{Adjustment, adjust, adjust_joint};
use prespec::stats::paired::{PairedError, PairedSample};
use prespec::stats::sides::Sides;
use prespec::stats::sign::{mcnemar, sign_flip, sign_test};
use serde_json::Value;

fn shared(test: &str, name: &str) -> Option<String> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !root.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    Some(std::fs::read_to_string(root.join("reference/stats").join(name)).unwrap())
}

fn json(test: &str, name: &str) -> Option<Value> {
    shared(test, name).map(|text| serde_json::from_str(&text).unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// Relative error, absolute below 1e-300.
fn close(what: &str, got: f64, want: f64, tolerance: f64) {
    let error = (got - want).abs() / want.abs().max(1e-300);
    assert!(error <= tolerance, "{what}: got {got:e}, want {want:e}, relative error {error:e}");
}

/// Absolute error where values may be zero up to rounding.
fn near(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got:e}, want {want:e}");
}

#[test]
fn special_functions_match_twenty_digit_values() {
    let Some(reference) = json("special_functions_match_twenty_digit_values", "special_functions.json") else { return };
    let cases = reference["cases"].as_array().unwrap();
    assert!(cases.len() >= 34);
    let mut failures = Vec::new();
    for case in cases {
        let get = |key: &str| number(&case[key]);
        let got = match case["f"].as_str().unwrap() {
            "t_sf" => sp::t_sf(get("x"), get("df")),
            "chi2_sf" => sp::chi2_sf(get("x"), get("df")),
            "norm_sf" => sp::normal_sf(get("x")),
            "norm_ppf" => sp::normal_quantile(get("p")),
            "betainc" => sp::betainc(get("a"), get("b"), get("x")),
            "t_ppf" => sp::t_quantile(get("p"), get("df")),
            "beta_ppf" => sp::beta_quantile(get("p"), get("a"), get("b")),
            other => panic!("no function {other}"),
        };
        let want = get("v");
        let error = if want == 0.0 { got.abs() } else { ((got - want) / want).abs() };
        println!("{error:.1e} {case}");
        if error.is_nan() || error > 1e-13 {
            failures.push(format!("{case}: got {got:e}, error {error:e}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn paired_tests_match_scipy() {
    let Some(reference) = json("paired_tests_match_scipy", "paired.json") else { return };
    let mut seen = 0;
    for case in reference["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let d = numbers(&case["d"]);
        // The differences are multiples of 1/3 or of 1/10000; the exact route takes them as integers.
        let scale = if name == "ties_zeros" { 3 } else { 10_000 };
        let scaled: Vec<i128> = d.iter().map(|x| (x * f64::from(scale)).round() as i128).collect();
        if case.get("no_interval").is_some() {
            assert_eq!(PairedSample::from_differences(&d), Err(PairedError::AllDifferencesEqual(0.25)));
            assert_eq!(
                PairedSample::from_scaled(&scaled, i128::from(scale)),
                Err(PairedError::AllDifferencesEqual(0.25))
            );
            continue;
        }
        for sample in [PairedSample::from_differences(&d), PairedSample::from_scaled(&scaled, i128::from(scale))] {
            let sample = sample.unwrap();
            close(name, sample.mean(), number(&case["mean"]), 1e-12);
            close(name, sample.sd(), number(&case["sd"]), 1e-12);
            let t = &case["paired_t"];
            close(name, sample.t(), number(&t["t"]), 1e-12);
            close(name, sample.df(), number(&t["df"]), 0.0);
            close(name, sample.p(Sides::TwoSided), number(&t["p"]), 1e-12);
            close(name, sample.p(Sides::Greater), number(&t["p_greater"]), 1e-12);
            near(name, sample.p(Sides::Greater) + sample.p(Sides::Less), 1.0, 1e-15);
            let ci = sample.interval(0.95).unwrap();
            near(name, ci.lower, number(&t["ci"][0]), 1e-12);
            near(name, ci.upper, number(&t["ci"][1]), 1e-12);
            let tost = &case["tost_0.05"];
            let ours = sample.tost(0.05).unwrap();
            close(name, ours.p_low, number(&tost["p_lower"]), 1e-12);
            close(name, ours.p_high, number(&tost["p_upper"]), 1e-12);
            close(name, ours.p, number(&tost["p"]), 1e-12);
            let ci90 = sample.interval(0.90).unwrap();
            near(name, ci90.lower, number(&tost["ci90"][0]), 1e-12);
            near(name, ci90.upper, number(&tost["ci90"][1]), 1e-12);
        }
        let sign = sign_test(&scaled, Sides::TwoSided).unwrap();
        assert_eq!(sign.positive, case["sign_test"]["pos"].as_u64().unwrap(), "{name}");
        assert_eq!(sign.negative, case["sign_test"]["neg"].as_u64().unwrap(), "{name}");
        close(name, sign.p, number(&case["sign_test"]["p"]), 1e-15);
        if let Some(flip) = case.get("sign_flip_exact") {
            let ours = sign_flip(&scaled, Sides::TwoSided).unwrap();
            assert_eq!(ours.p.to_bits(), number(&flip["p_two_sided"]).to_bits(), "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} sign-flip cases");
}

#[test]
fn equivalence_of_ratios_matches_scipy() {
    let Some(r) = json("equivalence_of_ratios_matches_scipy", "tost_ratio.json") else { return };
    let logs: Vec<f64> = numbers(&r["a"]).iter().zip(numbers(&r["b"])).map(|(a, b)| libm::log(a / b)).collect();
    let sample = PairedSample::from_differences(&logs).unwrap();
    close("mean", sample.mean(), number(&r["mean_log_ratio"]), 1e-12);
    close("gmr", libm::exp(sample.mean()), number(&r["gmr"]), 1e-12);
    for (level, key) in [(0.95, "ci95"), (0.90, "ci90")] {
        let ci = sample.interval(level).unwrap();
        close(key, libm::exp(ci.lower), number(&r[key][0]), 1e-12);
        close(key, libm::exp(ci.upper), number(&r[key][1]), 1e-12);
    }
    let tost = sample.tost(libm::log(1.1)).unwrap();
    close("p_lower", tost.p_low, number(&r["p_lower"]), 1e-12);
    close("p_upper", tost.p_high, number(&r["p_upper"]), 1e-12);
}

#[test]
fn adjustments_match_statsmodels_and_r() {
    let Some(holm) = json("adjustments_match_statsmodels_and_r", "holm.json") else { return };
    let r = json("adjustments_match_statsmodels_and_r", "r_misc.json").unwrap();
    let methods = [
        ("holm", Adjustment::Holm),
        ("bonferroni", Adjustment::Bonferroni),
        ("hochberg", Adjustment::Hochberg),
        ("bh", Adjustment::BenjaminiHochberg),
        ("BH", Adjustment::BenjaminiHochberg),
    ];
    let mut compared = 0;
    for case in holm["cases"].as_array().unwrap().iter().chain([&r["p_adjust"]]) {
        let p: Vec<Option<f64>> = numbers(&case["p"]).into_iter().map(Some).collect();
        for (key, method) in methods {
            if let Some(want) = case.get(key) {
                let got = adjust(method, &p, p.len()).unwrap();
                for (g, w) in got.iter().zip(numbers(want)) {
                    near(key, *g, w, 1e-15);
                    compared += 1;
                }
            }
        }
        if let Some(reject) = case.get("reject_holm_05") {
            let got: Vec<bool> = adjust(Adjustment::Holm, &p, p.len()).unwrap().iter().map(|p| *p <= 0.05).collect();
            assert_eq!(&serde_json::to_value(got).unwrap(), reject);
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn mcnemar_matches_statsmodels() {
    let Some(reference) = json("mcnemar_matches_statsmodels", "mcnemar.json") else { return };
    for case in reference["cases"].as_array().unwrap() {
        let (b, c) = (case["b_only1"].as_u64().unwrap(), case["c_only2"].as_u64().unwrap());
        let ours = mcnemar(b, c).unwrap();
        close("exact", ours.exact_p, number(&case["exact_p"]), 1e-12);
        close("mid", ours.mid_p, number(&case["mid_p"]), 1e-12);
        for (key, correction) in [("chi2", 0.0), ("chi2_cc", 1.0)] {
            if let Some(chi2) = case.get(key) {
                let statistic = libm::pow((b as f64 - c as f64).abs() - correction, 2.0) / (b + c) as f64;
                near(key, statistic, number(&chi2[0]), 1e-12);
                close(key, sp::chi2_sf(statistic, 1.0), number(&chi2[1]), 1e-12);
            }
        }
    }
    let r = json("mcnemar_matches_statsmodels", "r_misc.json").unwrap();
    close("R", sp::chi2_sf(25.0 / 12.0, 1.0), number(&r["mcnemar"]), 1e-12);
}

/// Correct answers and cost (in micro-dollars) of one task under one model and scaffold.
#[derive(Clone, Copy, Default)]
struct Sums {
    correct: i128,
    attempts: i128,
    cost: i128,
}

/// `level/model/scaffold` to the sums of each task, tasks sorted bytewise.
fn gaia_cells(text: &str) -> BTreeMap<String, BTreeMap<String, Sums>> {
    let mut cells: BTreeMap<String, BTreeMap<String, Sums>> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    for record in reader.records() {
        let record = record.unwrap();
        let field = |name: &str| &record[header.iter().position(|h| h == name).unwrap()];
        let cell = format!("L{}/{}/{}", field("level"), field("model"), field("scaffold"));
        let sums = cells.entry(cell).or_default().entry(field("sample_id").to_owned()).or_default();
        sums.correct += field("correct").parse::<i128>().unwrap();
        sums.attempts += 1;
        let cost = field("cost_usd");
        assert_eq!(cost.split_once('.').unwrap().1.len(), 6);
        sums.cost += cost.replace('.', "").parse::<i128>().unwrap();
    }
    cells
}

#[test]
fn gaia_families_match_the_independent_analysis() {
    let test = "gaia_families_match_the_independent_analysis";
    let Some(reference) = json(test, "verdicts_gaia.json") else { return };
    let cells = gaia_cells(&shared(test, "gaia_like.csv").unwrap());
    let mut compared = 0;
    for (family, rows) in reference["families"].as_object().unwrap() {
        let (level, metric) = family.split_once('/').unwrap();
        let rows = rows.as_array().unwrap();
        let (mut p_t, mut p_flip, mut p_tost) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let name = row["comparison"].as_str().unwrap();
            let (model, contrast) = name.split_once(": ").unwrap();
            let (first, second) = contrast.split_once(" vs ").unwrap();
            let cell = |scaffold: &str| &cells[&format!("{level}/{model}/{scaffold}")];
            let pairs: Vec<(Sums, Sums)> = cell(first).iter().map(|(task, sums)| (*sums, cell(second)[task])).collect();
            assert_eq!(pairs.len() as u64, row["n_tasks"].as_u64().unwrap());
            let (sample, margin) = if metric == "accuracy" {
                assert!(pairs.iter().all(|(a, b)| a.attempts == 3 && b.attempts == 3));
                let thirds: Vec<i128> = pairs.iter().map(|(a, b)| a.correct - b.correct).collect();
                let flip = sign_flip(&thirds, Sides::TwoSided).unwrap();
                close(name, flip.p, number(&row["p_sign_flip_exact"]), 1e-10);
                p_flip.push(Some(flip.p));
                (PairedSample::from_scaled(&thirds, 3).unwrap(), number(&reference["margin"]))
            } else {
                let logs: Vec<f64> = pairs.iter().map(|(a, b)| libm::log(a.cost as f64 / b.cost as f64)).collect();
                (PairedSample::from_differences(&logs).unwrap(), libm::log(number(&reference["ratio_margin"])))
            };
            near(name, sample.mean(), number(&row["mean"]), 1e-12);
            close(name, sample.sd(), number(&row["sd"]), 1e-10);
            near(name, sample.t(), number(&row["t"]), 1e-10);
            close(name, sample.p(Sides::TwoSided), number(&row["p_t"]), 1e-10);
            close(name, sample.tost(margin).unwrap().p, number(&row["p_tost"]), 1e-10);
            let ci = sample.interval(0.95).unwrap();
            near(name, ci.lower, number(&row["ci95"][0]), 1e-10);
            near(name, ci.upper, number(&row["ci95"][1]), 1e-10);
            p_t.push(Some(sample.p(Sides::TwoSided)));
            p_tost.push(Some(sample.tost(margin).unwrap().p));
            compared += 1;
        }
        for (key, tost_key, p) in [
            ("p_t_joint", "tost_joint_with_p_t", &p_t),
            ("p_sign_flip_exact_joint", "tost_joint_with_p_sign_flip_exact", &p_flip),
        ] {
            if p.is_empty() {
                continue;
            }
            let joint = adjust_joint(p, &p_tost, p.len()).unwrap();
            for ((row, d), e) in rows.iter().zip(&joint.difference).zip(&joint.equivalence) {
                close(key, *d, number(&row[key]), 1e-10);
                close(tost_key, *e, number(&row[tost_key]), 1e-10);
            }
        }
        for (key, p) in [("tost_holm", p_tost), ("p_t_holm", p_t), ("p_sign_flip_exact_holm", p_flip)] {
            for (row, got) in rows.iter().zip(adjust(Adjustment::Holm, &p, p.len()).unwrap()) {
                close(key, got, number(&row[key]), 1e-10);
            }
        }
    }
    assert_eq!(compared, 40);
}
