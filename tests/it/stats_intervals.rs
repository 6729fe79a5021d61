//! Intervals of rates, of their differences, of means, ratios and bootstraps against independently computed values.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::indexing_slicing,
    reason = "reference values are small and exact where compared exactly"
)]

use std::path::PathBuf;

use prespec::stats::bca::{Ties, acceleration, bca_interval, leave_one_out};
use prespec::stats::bootstrap::{basic_interval, percentile_interval, ratios, totals};
use prespec::stats::column::ExactColumn;
use prespec::stats::effective_n::Cluster;
use prespec::stats::interval::Interval;
use prespec::stats::nearest::nearest_quotient;
use prespec::stats::picks::Picks;
use prespec::stats::rate::{Formula, SampleSize, beta_binomial, cluster_robust, of_clusters, t_on_cluster_rates};
use prespec::stats::ratio_of_means::{LogRatio, Means, RatioError};
use prespec::stats::studentised::{Studentised, Term};
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

/// The twenty tasks of the bootstrap cases: correct answers out of three, the attempts, and cost over 10^4.
struct Tasks {
    correct: ExactColumn,
    attempts: ExactColumn,
    cost: ExactColumn,
}

impl Tasks {
    fn new(case: &Value) -> Self {
        let correct = counts(&case["k_correct_of_3"]);
        let attempts = vec![3; correct.len()];
        let cost = numbers(&case["cost"]).iter().map(|cost| (cost * 1e4).round() as i128).collect();
        Self {
            correct: ExactColumn::counts(&correct).unwrap(),
            attempts: ExactColumn::counts(&attempts).unwrap(),
            cost: ExactColumn::new(4, cost).unwrap(),
        }
    }

    /// What stands above and below the line of a statistic.
    fn columns(&self, statistic: &str) -> (&ExactColumn, &ExactColumn) {
        match statistic {
            "accuracy" => (&self.correct, &self.attempts),
            "cost_per_correct" => (&self.cost, &self.correct),
            other => panic!("no statistic {other}"),
        }
    }

    fn statistic(&self, statistic: &str, weights: &[u16]) -> Option<f64> {
        let (top, bottom) = self.columns(statistic);
        let sum = |column: &ExactColumn| -> i128 {
            column.sums().iter().zip(weights).map(|(sum, &weight)| sum * i128::from(weight)).sum()
        };
        nearest_quotient(sum(top), top.scale(), sum(bottom), bottom.scale())
    }
}

#[test]
fn bootstrap_intervals_of_an_explicit_index_matrix() {
    let Some(case) = json("bootstrap_intervals_of_an_explicit_index_matrix", "bootstrap.json") else { return };
    let tasks = Tasks::new(&case);
    let results = case["results"].as_object().unwrap();
    assert_eq!(results.len(), 2);
    for (name, want) in results {
        let number = |field: &str| want[field].as_f64().unwrap();
        let replicate = |row: &Value| {
            let mut weights = vec![0_u16; 20];
            for picked in counts(row) {
                weights[picked as usize] += 1;
            }
            tasks.statistic(name, &weights).unwrap()
        };
        let mut replicates: Vec<f64> = case["idx"].as_array().unwrap().iter().map(replicate).collect();
        let estimate = tasks.statistic(name, &[1; 20]).unwrap();
        near("estimate", estimate, number("theta"), 1e-14);
        let percentile = percentile_interval(&mut replicates, 0.95).unwrap().limits;
        limits("percentile", percentile, &want["percentile_type7"], 1e-12);
        let basic = basic_interval(&mut replicates, estimate, 0.95).unwrap();
        limits("basic", basic.limits, &want["basic"], 1e-12);
        assert_eq!(basic.undefined, 0);
        let without = leave_one_out(20, 2, |weights| tasks.statistic(name, weights)).unwrap();
        let acceleration = acceleration(&without).unwrap();
        near("acceleration", acceleration, number("acceleration"), 1e-12);
        let bca = bca_interval(&mut replicates, estimate, acceleration, Ties::Half, 0.95).unwrap();
        near("z0", bca.bias, number("z0_midtie"), 1e-12);
        near("lower tail", bca.tails.0, want["bca_alpha"][0].as_f64().unwrap(), 1e-12);
        near("upper tail", bca.tails.1, want["bca_alpha"][1].as_f64().unwrap(), 1e-12);
        limits("BCa", bca.limits, &want["bca_type7"], 1e-12);
        let strict = bca_interval(&mut replicates, estimate, acceleration, Ties::Strict, 0.95).unwrap();
        near("strict z0", strict.bias, number("z0_strict_less"), 1e-12);
    }
}

#[test]
fn bootstrap_intervals_agree_with_r_up_to_monte_carlo_error() {
    let test = "bootstrap_intervals_agree_with_r_up_to_monte_carlo_error";
    let (Some(case), Some(boot)) = (json(test, "bootstrap.json"), json(test, "bootstrap_boot_R.json")) else { return };
    let tasks = Tasks::new(&case);
    let picks = Picks::draw(20, 100_000, 1).unwrap();
    // An accuracy moves in steps of 1/60. The exact bootstrap distribution has 0.0243 at or below 11/60 and 0.0402 at or below
    // 12/60, so the lower limit at 0.025 falls on either step by chance. boot estimates the acceleration by regression and
    // interpolates on a normal scale.
    for (name, tolerance) in [("accuracy", 1.0 / 60.0 + 1e-9), ("cost_per_correct", 0.02)] {
        let want = &boot["results"][name];
        let (top, bottom) = tasks.columns(name);
        let sums = totals(&picks, &[top, bottom], 2).unwrap();
        let mut replicates = ratios(&sums[0], &sums[1]).unwrap();
        let estimate = tasks.statistic(name, &[1; 20]).unwrap();
        near(name, estimate, want["t0"].as_f64().unwrap(), 1e-12);
        let percentile = percentile_interval(&mut replicates, 0.95).unwrap().limits;
        limits("percentile", percentile, &want["perc"], tolerance);
        limits("basic", basic_interval(&mut replicates, estimate, 0.95).unwrap().limits, &want["basic"], tolerance);
        let without = leave_one_out(20, 1, |weights| tasks.statistic(name, weights)).unwrap();
        let acceleration = acceleration(&without).unwrap();
        let bca = bca_interval(&mut replicates, estimate, acceleration, Ties::Strict, 0.95).unwrap();
        limits("BCa", bca.limits, &want["bca"], tolerance);
    }
}

#[test]
fn bootstrap_t_matches_a_slow_recomputation() {
    let Some(case) = json("bootstrap_t_matches_a_slow_recomputation", "bootstrap.json") else { return };
    let tasks = Tasks::new(&case);
    let picks = Picks::draw(20, 999, 7).unwrap();
    // Every resample written out in numpy, from an independent Philox.
    for (name, [estimate, error, lower, upper]) in [
        ("accuracy", [0.35, 0.085_412_655_019_188_46, 0.176_222_846_286_551_38, 0.537_997_532_313_116_1]),
        (
            "cost_per_correct",
            [0.451_066_666_666_666_67, 0.120_579_302_154_644_02, 0.281_052_411_722_445_4, 0.780_620_818_231_983_9],
        ),
    ] {
        let (numerator, denominator) = tasks.columns(name);
        let got = Studentised::new(&picks, &[Term { factor: 1.0, numerator, denominator }], 2).unwrap();
        near("estimate", got.estimate(), estimate, 1e-14);
        near("standard error", got.standard_error(), error, 1e-13);
        let interval = got.interval(0.95).unwrap();
        near("lower", interval.limits.lower, lower, 1e-11);
        near("upper", interval.limits.upper, upper, 1e-11);
        assert_eq!(interval.undefined, 0);
    }
}

#[test]
fn ratios_of_costs_match_scipy() {
    let Some(case) = json("ratios_of_costs_match_scipy", "tost_ratio.json") else { return };
    let (first, second) = (numbers(&case["a"]), numbers(&case["b"]));
    let number = |field: &str| case[field].as_f64().unwrap();
    let logs = LogRatio::new(&first, &second).unwrap();
    near("mean", logs.logs().mean(), number("mean_log_ratio"), 1e-12);
    near("ratio", logs.ratio(), number("gmr"), 1e-12);
    limits("95%", logs.interval(0.95).unwrap(), &case["ci95"], 1e-12);
    limits("90%", logs.interval(0.90).unwrap(), &case["ci90"], 1e-12);
    let tost = logs.tost(1.1).unwrap();
    near("lower", tost.p_low, number("p_lower"), 1e-12);
    near("upper", tost.p_high, number("p_upper"), 1e-12);
    // The ratios at which scipy.stats.ttest_1samp(a - ratio b, 0) has p = 1 - level, found by scipy.optimize.brentq.
    let means = Means::paired(&first, &second).unwrap();
    near("ratio of means", means.ratio().unwrap(), 1.002_386_634_844_868_5, 1e-14);
    for (level, lower, upper) in
        [(0.95, 0.955_894_585_963_908, 1.038_292_402_932_858), (0.90, 0.966_404_725_085_533_9, 1.031_683_480_514_139)]
    {
        let got = means.fieller(level).unwrap();
        near("Fieller lower", got.lower, lower, 1e-12);
        near("Fieller upper", got.upper, upper, 1e-12);
    }
    let scattered = Means::paired(&[3.0, 5.0, 2.0, 8.0, 6.0, 4.0], &[1.0, -2.0, 3.0, 0.0, -1.0, 2.0]).unwrap();
    let Err(RatioError::Unbounded { below, above }) = scattered.fieller(0.95) else { panic!("{scattered:?}") };
    near("not excluded below", below, -4.029_042_474_194_677, 1e-12);
    near("not excluded above", above, 1.145_644_409_417_442, 1e-12);
}
