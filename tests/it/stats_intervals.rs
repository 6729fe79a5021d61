//! Intervals of rates, of their differences, of means, ratios and bootstraps against independently computed values.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::indexing_slicing,
    reason = "reference values are small and exact where compared exactly"
)]

use std::path::PathBuf;

use prespec::stats::effective_n::Cluster;
use prespec::stats::interval::Interval;
use prespec::stats::rate::{Formula, SampleSize, beta_binomial, cluster_robust, of_clusters, t_on_cluster_rates};
use prespec::stats::two_rates::{Pairs, Rate, agresti_caffo, agresti_min, newcombe, newcombe_paired};
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

fn counts(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect()
}

#[track_caller]
fn near(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got:e}, want {want:e}");
}

#[track_caller]
fn limits(what: &str, got: Interval, want: &Value, tolerance: f64) {
    near(&format!("{what} lower"), got.lower, want[0].as_f64().unwrap(), tolerance);
    near(&format!("{what} upper"), got.upper, want[1].as_f64().unwrap(), tolerance);
}

#[test]
fn intervals_of_one_rate_match_statsmodels() {
    let Some(reference) = json("intervals_of_one_rate_match_statsmodels", "wilson.json") else { return };
    let mut ends = 0;
    for case in reference["cases"].as_array().unwrap() {
        let (k, n) = (case["k"].as_f64().unwrap(), case["n"].as_f64().unwrap());
        let level = 1.0 - case["alpha"].as_f64().unwrap();
        let interval = |formula: Formula| formula.interval(k / n, n, level).unwrap();
        let what = format!("{k} of {n}");
        limits(&what, interval(Formula::Wilson), &case["wilson"], 1e-12);
        limits(&what, interval(Formula::AgrestiCoull), &case["agresti_coull"], 1e-12);
        limits(&what, interval(Formula::ClopperPearson), &case["clopper_pearson"], 1e-12);
        // The reference gives the bare quantiles; the rule at the ends replaces one of them.
        let (got, want) = (interval(Formula::Jeffreys), numbers(&case["jeffreys"]));
        if k == 0.0 {
            assert_eq!(got.lower, 0.0);
            ends += 1;
        } else {
            near(&what, got.lower, want[0], 1e-12);
        }
        if k == n {
            assert_eq!(got.upper, 1.0);
            ends += 1;
        } else {
            near(&what, got.upper, want[1], 1e-12);
        }
    }
    assert_eq!(ends, 6);
    for case in reference["fractional_n"].as_array().unwrap() {
        let (p, n) = (case["p"].as_f64().unwrap(), case["n_eff"].as_f64().unwrap());
        limits("fractional n", Formula::Wilson.interval(p, n, 0.95).unwrap(), &case["wilson"], 1e-12);
    }
}

#[test]
fn intervals_of_clustered_rates_match_the_reference_and_clubsandwich() {
    let test = "intervals_of_clustered_rates_match_the_reference_and_clubsandwich";
    let (Some(cases), Some(robust)) = (json(test, "icc_deff.json"), json(test, "icc_R.json")) else { return };
    let (cases, robust) = (cases["cases"].as_array().unwrap(), robust["cases"].as_array().unwrap());
    assert!(cases.len() >= 5 && robust.len() == cases.len());
    for (case, robust) in cases.iter().zip(robust) {
        let data: Vec<Cluster> = counts(&case["k"])
            .into_iter()
            .zip(counts(&case["m"]))
            .map(|(positive, records)| Cluster { positive, records })
            .collect();
        let wilson = |size| of_clusters(&data, Formula::Wilson, size, 0.95).unwrap();
        limits("records", wilson(SampleSize::Records), &case["wilson_naive_N"], 1e-10);
        limits("effective", wilson(SampleSize::Effective), &case["wilson_neff"], 1e-10);
        limits("Korn-Graubard", wilson(SampleSize::KornGraubard), &case["wilson_korn_graubard"], 1e-10);
        let cr2 = cluster_robust(&data).unwrap();
        near("rate", cr2.rate, case["p"].as_f64().unwrap(), 1e-14);
        near("CR2", cr2.standard_error, robust["CR2_se"].as_f64().unwrap(), 1e-10);
        near("df", cr2.df, robust["CR2_df_satt"].as_f64().unwrap(), 1e-10);
        let (t, posterior) = (t_on_cluster_rates(&data, 0.95).unwrap(), beta_binomial(&data).unwrap());
        let bayes = posterior.interval(0.95).unwrap();
        let kg = wilson(SampleSize::KornGraubard);
        assert!(t.contains(cr2.rate) && bayes.contains(cr2.rate));
        // Another method of the same model: the limits lie near each other, not on each other.
        near("posterior lower", bayes.lower, kg.lower, 0.09);
        near("posterior upper", bayes.upper, kg.upper, 0.09);
    }
}

/// Clusters as (positive, records); the posterior means of rate and correlation, and the 95% limits of the rate.
type Posterior = (&'static [(u64, u64)], [f64; 4]);

#[test]
fn the_beta_binomial_posterior_matches_a_fine_grid() {
    // Sums of exp(scipy.special.betaln) over 4,000 x 1,500 cells of the same prior.
    let cases: [Posterior; 3] = [
        (
            &[(2, 2), (1, 2), (1, 2), (2, 2), (0, 2), (2, 2), (1, 2), (2, 2), (2, 2), (2, 2), (1, 2), (0, 2)],
            [0.653_493_004_1, 0.323_258_225_5, 0.434_912_406_0, 0.840_544_286_1],
        ),
        (&[(3, 3); 10], [0.970_923_228_6, 0.544_258_651_4, 0.850_849_906_3, 1.0]),
        (
            &[(2, 2), (3, 5), (0, 3), (0, 5), (0, 1), (0, 4), (2, 2), (1, 1), (2, 4), (4, 4), (4, 4), (1, 1)],
            [0.567_828_761_8, 0.649_931_629_4, 0.326_333_785_6, 0.793_788_182_2],
        ),
    ];
    for (pairs, [rate, correlation, lower, upper]) in cases {
        let data: Vec<Cluster> = pairs.iter().map(|&(positive, records)| Cluster { positive, records }).collect();
        let got = beta_binomial(&data).unwrap();
        let interval = got.interval(0.95).unwrap();
        near("rate", got.rate, rate, 1e-4);
        near("correlation", got.correlation, correlation, 1e-3);
        near("lower", interval.lower, lower, 2e-4);
        near("upper", interval.upper, upper, 2e-4);
    }
}

#[test]
fn intervals_of_two_rates_match_the_reference_and_statsmodels() {
    let Some(reference) = json("intervals_of_two_rates_match_the_reference_and_statsmodels", "mcnemar.json") else {
        return;
    };
    for case in reference["cases"].as_array().unwrap() {
        let count = |name: &str| case[name].as_u64().unwrap();
        let pairs = Pairs {
            both: count("a_both"),
            only_first: count("b_only1"),
            only_second: count("c_only2"),
            neither: count("d_none"),
        };
        limits("Newcombe", newcombe_paired(pairs, 0.95).unwrap(), &case["newcombe_method10"], 1e-12);
        // The reference takes the second minus the first.
        let got = agresti_min(pairs, 0.95).unwrap();
        let turned = Interval { lower: -got.upper, upper: -got.lower, level: got.level };
        limits("Agresti-Min", turned, &case["agresti_min_wald_plus2_c_minus_b"], 1e-12);
    }
    for case in reference["two_sample"].as_array().unwrap() {
        let rate = |k: &str, n: &str| Rate::of(case[k].as_u64().unwrap(), case[n].as_u64().unwrap()).unwrap();
        let (first, second) = (rate("k1", "n1"), rate("k2", "n2"));
        for name in ["agresti_caffo", "statsmodels_agresti_caffo"] {
            limits(name, agresti_caffo(first, second, 0.95).unwrap(), &case[name], 1e-12);
        }
        for name in ["newcombe_hybrid_score", "statsmodels_newcomb"] {
            limits(name, newcombe(first, second, 0.95).unwrap(), &case[name], 1e-12);
        }
    }
}
