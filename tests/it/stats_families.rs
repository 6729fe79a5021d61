//! Families, graphs, spending boundaries, e-values and confidence sequences against independent reference values.
#![allow(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    clippy::indexing_slicing,
    reason = "reference values are small and exact where compared exactly"
)]

use std::path::PathBuf;

use prespec::math::Rational;
use prespec::stats::anytime::{Mixture, discordant_e, sequence_half_width};
use prespec::stats::closed::{LocalTest, closed_test, hommel};
use prespec::stats::discovery::benjamini_yekutieli;
use prespec::stats::family_graph::{Graph, fixed_sequence};
use prespec::stats::multiplicity::{Adjustment, adjust};
use prespec::stats::spending::{Crossing, Spending, boundaries, boundaries_from_spent};
use serde_json::Value;

fn json(test: &str, name: &str) -> Option<Value> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !root.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    Some(serde_json::from_str(&std::fs::read_to_string(root.join("reference/stats").join(name)).unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn some(p: &[f64]) -> Vec<Option<f64>> {
    p.iter().copied().map(Some).collect()
}

fn near_all(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= tolerance, "{what}: got {got:e}, want {want:e}");
    }
}

#[test]
fn hommel_and_by_match_statsmodels_and_r() {
    let name = "hommel_and_by_match_statsmodels_and_r";
    let (Some(reference), Some(r)) = (json(name, "holm.json"), json(name, "r_misc.json")) else { return };
    for case in reference["cases"].as_array().unwrap() {
        let p = some(&numbers(&case["p"]));
        near_all("hommel", &hommel(&p, p.len()).unwrap(), &numbers(&case["hommel"]), 1e-15);
        near_all("BY", &benjamini_yekutieli(&p, p.len()).unwrap(), &numbers(&case["by"]), 1e-15);
        near_all("closed Simes", &closed_test(&p, LocalTest::Simes).unwrap(), &numbers(&case["hommel"]), 1e-15);
        near_all("closed Bonferroni", &closed_test(&p, LocalTest::Bonferroni).unwrap(), &numbers(&case["holm"]), 1e-15);
        let graph = Graph::holm(p.len()).unwrap().adjust(&p).unwrap();
        near_all("Holm's graph", &graph.adjusted, &numbers(&case["holm"]), 1e-15);
    }
    let p = some(&numbers(&r["p_adjust"]["p"]));
    near_all("R's hommel", &hommel(&p, p.len()).unwrap(), &numbers(&r["p_adjust"]["hommel"]), 1e-15);
}

/// The reference prints thirds to fifteen digits; its weights are all multiples of one twelfth.
fn twelfths(value: &Value) -> Vec<Rational> {
    numbers(value).iter().map(|w| Rational::new(((w * 12.0).round() as i64).into(), 12.into())).collect()
}

#[test]
fn graphs_match_the_published_algorithm() {
    let Some(reference) = json("graphs_match_the_published_algorithm", "graphical_multiplicity.json") else { return };
    let mut seen = 0;
    for case in reference["cases"].as_array().unwrap() {
        let (p, want) = (some(&numbers(&case["p"])), numbers(&case["adj"]));
        let graph = match case.get("G") {
            Some(rows) => Graph::new(twelfths(&case["w"]), rows.as_array().unwrap().iter().map(twelfths).collect()),
            None => Graph::fixed_sequence(p.len()),
        };
        let outcome = graph.unwrap().adjust(&p).unwrap();
        near_all("graph", &outcome.adjusted, &want, 1e-12);
        if let Some(order) = case.get("order") {
            let order: Vec<usize> =
                order.as_array().unwrap().iter().map(|o| o.as_u64().unwrap() as usize - 1).collect();
            assert_eq!(outcome.order, order);
        }
        if case.get("holm").is_some() {
            let holm = adjust(Adjustment::Holm, &p, p.len()).unwrap();
            assert_eq!(outcome.adjusted, holm, "a graph with Holm's weights is Holm to the last bit");
        }
        if case["name"] == "fixed sequence" {
            near_all("fixed sequence", &fixed_sequence(&p).unwrap(), &want, 1e-15);
        }
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[test]
fn spending_boundaries_match_rpact() {
    let Some(reference) = json("spending_boundaries_match_rpact", "alpha_spending.json") else { return };
    for design in reference["designs"].as_array().unwrap() {
        let spending = match design["type"].as_str().unwrap() {
            "asOF" => Spending::OBrienFlemingType,
            "asP" => Spending::PocockType,
            other => panic!("no spending function {other}"),
        };
        let information = numbers(&design["informationRates"]);
        let looks = boundaries(&information, 0.025, spending, Crossing::Upper).unwrap();
        let column = |f: fn(&prespec::stats::spending::Look) -> f64| looks.iter().map(f).collect::<Vec<_>>();
        // rpact stops its last Pocock-type look 1e-8 short of alpha.
        near_all("spent", &column(|look| look.spent), &numbers(&design["alphaSpent"]), 2e-8);
        near_all("critical", &column(|look| look.critical), &numbers(&design["criticalValues"]), 1e-6);
        near_all("level", &column(|look| look.level), &numbers(&design["stageLevels"]), 1e-6);
        // Its last bound belongs to the whole of alpha all the same.
        let given = boundaries_from_spent(&information, &numbers(&design["alphaSpent"]), Crossing::Upper).unwrap();
        let critical: Vec<f64> = given.iter().map(|look| look.critical).collect();
        near_all("critical from what was spent", &critical, &numbers(&design["criticalValues"]), 1e-6);
    }
}

#[test]
fn uneven_looks_match_adaptive_quadrature() {
    // scipy 1.17.1: nested integrate.quad over the continuation region (a 200-point Gauss-Legendre rule for the second look)
    // and optimize.brentq for each bound. One-sided alpha 0.025, two-sided 0.05.
    let cases = [
        (
            [0.2, 0.7, 1.0],
            Spending::OBrienFlemingType,
            Crossing::Upper,
            [4.876_884_948_790_762, 2.438_004_890_825_669, 1.999_931_621_434_664_5],
        ),
        (
            [0.2, 0.7, 1.0],
            Spending::OBrienFlemingType,
            Crossing::Both,
            [4.876_884_948_790_762, 2.438_004_890_825_651, 1.999_931_621_423_814_5],
        ),
        (
            [0.2, 0.7, 1.0],
            Spending::PocockType,
            Crossing::Upper,
            [2.437_976_688_050_011_6, 2.201_908_164_212_919_7, 2.295_611_359_697_947_5],
        ),
        (
            [0.2, 0.7, 1.0],
            Spending::PocockType,
            Crossing::Both,
            [2.437_976_688_050_011_6, 2.201_906_246_609_003, 2.295_594_299_227_455],
        ),
        (
            [0.5, 0.55, 1.0],
            Spending::OBrienFlemingType,
            Crossing::Upper,
            [2.962_588_042_727_566_6, 2.867_178_856_803_871_4, 1.974_593_113_506_056_6],
        ),
        (
            [0.5, 0.55, 1.0],
            Spending::OBrienFlemingType,
            Crossing::Both,
            [2.962_588_042_727_566_6, 2.867_178_856_803_872, 1.974_593_113_459_705_7],
        ),
        (
            [0.5, 0.55, 1.0],
            Spending::PocockType,
            Crossing::Upper,
            [2.156_999_218_344_682, 2.391_720_265_733_258_4, 2.230_020_244_782_06],
        ),
        (
            [0.5, 0.55, 1.0],
            Spending::PocockType,
            Crossing::Both,
            [2.156_999_218_344_682, 2.391_720_265_733_258_4, 2.230_020_234_293_899_5],
        ),
    ];
    for (information, spending, crossing, want) in cases {
        let alpha = if crossing == Crossing::Both { 0.05 } else { 0.025 };
        let looks = boundaries(&information, alpha, spending, crossing).unwrap();
        let critical: Vec<f64> = looks.iter().map(|look| look.critical).collect();
        near_all(&format!("{information:?} {spending:?} {crossing:?}"), &critical, &want, 1e-8);
    }
}

#[test]
fn evidence_at_any_time_matches_scipy() {
    let Some(reference) = json("evidence_at_any_time_matches_scipy", "anytime.json") else { return };
    for case in reference["discordant_e"].as_array().unwrap() {
        let (b, c) = (case["b"].as_u64().unwrap(), case["c"].as_u64().unwrap());
        for (key, mixture) in [("e_jeffreys_half", Mixture::Jeffreys), ("e_uniform", Mixture::Uniform)] {
            let (got, want) = (discordant_e(b, c, mixture).unwrap().e, case[key].as_f64().unwrap());
            assert!((got / want - 1.0).abs() <= 1e-12, "{key} {b} {c}: {got} {want}");
        }
    }
    for case in reference["asymp_cs"].as_array().unwrap() {
        let get = |key: &str| case[key].as_f64().unwrap();
        let got = sequence_half_width(case["n"].as_u64().unwrap(), get("sd"), get("rho2"), get("alpha")).unwrap();
        assert!((got / get("halfwidth") - 1.0).abs() <= 1e-12, "{case}: {got}");
    }
}
