//! Estimands of every kind against values computed here the slow way, resample by resample.

use prespec::decide::judgment::{EstimandResult, Judgment, Number};
use prespec::plan::Value;
use prespec::records::ReceivedRecord;
use prespec::spec::{Spec, State};
use prespec::stats::bootstrap::percentile_interval;
use prespec::stats::effective_n::{Cluster, effective_n, korn_graubard_n, t_ratio};
use prespec::stats::picks::Picks;
use prespec::stats::rate::wilson;

use super::{exactly, hypothesis, judged, number, record, study, tasks};

const UNITS: usize = 12;
const SEED: u64 = 31;
const RESAMPLES: u32 = 300;

/// Two arms, twelve units, two repeats; values from a fixed pattern.
fn score(unit: usize, arm: usize, repeat: usize) -> i64 {
    i64::try_from((unit * 7 + arm * 5 + repeat * 3 + unit * arm) % 11).unwrap()
}

fn passed(unit: usize, arm: usize, repeat: usize) -> bool {
    score(unit, arm, repeat) >= 5
}

fn spec(declarations: &str, abouts: &str) -> Spec {
    study(&format!(
        "language 1\nstudy s {{ title \"A study\" }}\nfactor arm = a | b\ntasks item {{ count {UNITS} }}\ndesign {{ cross arm, item; repeat 2 }}\noutcome score: number\noutcome passed: bool\nanalysis_set main {{ count errored, missing as excluded }}\nmeasure pass_rate = mean(passed)\ninterval ci = bootstrap(percentile, resample: item, resamples: {RESAMPLES}, level: 95 %, seed: {SEED})\n{declarations}hypothesis H exploratory \"h\" {{\n  descriptive\n{abouts}}}\n"
    ))
}

fn rows() -> Vec<ReceivedRecord> {
    let mut rows = Vec::new();
    for unit in 0..UNITS {
        for (arm, name) in ["a", "b"].iter().enumerate() {
            for repeat in 0..2 {
                let fields = [
                    ("score", number(&score(unit, arm, repeat).to_string())),
                    ("passed", Value::Bool(passed(unit, arm, repeat))),
                ];
                let unit = (unit + 1).to_string();
                rows.push(record(&unit, &[("arm", name)], repeat as u64 + 1, State::Scored, &fields));
            }
        }
    }
    rows
}

fn evidence<'j>(judgment: &'j Judgment, estimand: &str) -> &'j EstimandResult {
    let all = &hypothesis(judgment, "H").sets[0].evidence;
    all.iter().find(|result| result.estimand == estimand).unwrap()
}

/// The multiplicity of every unit in every resample; units are numbered bytewise by key: 1, 10, 11, 12, 2, …
fn weights() -> Vec<Vec<u16>> {
    let picks = Picks::draw(UNITS, RESAMPLES, SEED).unwrap();
    let mut keys: Vec<String> = (1..=UNITS).map(|unit| unit.to_string()).collect();
    keys.sort();
    let place = |unit: usize| keys.iter().position(|key| *key == (unit + 1).to_string()).unwrap();
    (0..RESAMPLES).map(|b| (0..UNITS).map(|unit| picks.weights(b)[place(unit)]).collect()).collect()
}

/// All scores of an arm in a resample, each as often as its unit was picked.
fn expanded(weights: &[u16], arm: usize) -> Vec<f64> {
    let mut values = Vec::new();
    for (unit, weight) in weights.iter().enumerate() {
        for _ in 0..*weight {
            values.extend((0..2).map(|repeat| score(unit, arm, repeat) as f64));
        }
    }
    values.sort_by(f64::total_cmp);
    values
}

/// A statistic of one resample, from the multiplicities of its units.
type Statistic<'a> = &'a dyn Fn(&[u16]) -> f64;

fn rate(weights: &[u16], arm: usize) -> f64 {
    let pairs = weights.iter().enumerate().flat_map(|(unit, weight)| {
        (0..2).map(move |repeat| (f64::from(*weight), f64::from(u8::from(passed(unit, arm, repeat)))))
    });
    let (n, k) = pairs.fold((0.0, 0.0), |(n, k), (weight, value)| (n + weight, k + weight * value));
    k / n
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a position in a short list of replicates"
)]
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let h = (sorted.len() - 1) as f64 * p;
    let low = sorted[h.floor() as usize];
    let high = sorted[(h.floor() as usize + 1).min(sorted.len() - 1)];
    low + (high - low) * (h - h.floor())
}

#[track_caller]
fn same_interval(result: &EstimandResult, mut replicates: Vec<f64>) {
    let expected = percentile_interval(&mut replicates, 0.95).unwrap().limits;
    let (lower, upper) = result.intervals[0].limits.clone().unwrap();
    assert!((lower - expected.lower).abs() < 1e-12, "{} {lower} {}", result.estimand, expected.lower);
    assert!((upper - expected.upper).abs() < 1e-12, "{} {upper} {}", result.estimand, expected.upper);
    assert!(result.intervals[0].monte_carlo_error.is_some());
}

#[track_caller]
fn near(result: &EstimandResult, expected: f64) {
    let value = match result.estimate.as_ref().unwrap() {
        Number::Float(value) => *value,
        Number::Exact(value) => prespec::math::exact::nearest_f64(value),
    };
    assert!((value - expected).abs() < 1e-12, "{} {value} {expected}", result.estimand);
}

#[test]
fn order_statistics_are_exact_and_resampled_by_their_weights() {
    let spec = spec(
        "estimand middle = median(score)[a]\nestimand high = quantile(score, 0.9)[b]\nestimand low = min(score)[a]\nestimand top = max(score)[b]\n",
        "  about middle with ci\n  about high with ci\n  about low with ci\n  about top with ci\n",
    );
    let judgment = judged(&spec, &tasks(&spec, None), rows(), Vec::new()).unwrap();
    let ones = vec![1_u16; UNITS];
    let draws = weights();
    for (name, arm, p) in [("middle", 0, 0.5), ("high", 1, 0.9), ("low", 0, 0.0), ("top", 1, 1.0)] {
        let result = evidence(&judgment, name);
        near(result, quantile(&expanded(&ones, arm), p));
        exactly(result);
        same_interval(result, draws.iter().map(|w| quantile(&expanded(w, arm), p)).collect());
    }
}

#[test]
fn spread_sd_phi_products_and_ratios_follow_their_definitions() {
    let spec = spec(
        "estimand wide = spread(pass_rate over arm)\nestimand scatter = sd(score)[a]\nestimand both = phi(passed[a], passed[b])\nestimand none_of = 1 - (1 - pass_rate[a]) * (1 - pass_rate[b])\nestimand each = sum(score)[a] / count(passed)[b]\n",
        "  about wide with ci\n  about scatter with ci\n  about both with ci\n  about none_of with ci\n  about each with ci\n",
    );
    let judgment = judged(&spec, &tasks(&spec, None), rows(), Vec::new()).unwrap();
    let ones = vec![1_u16; UNITS];
    let draws = weights();
    let sd = |w: &[u16]| {
        let values = expanded(w, 0);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
    };
    let phi = |w: &[u16]| {
        let mut table = [[0.0_f64; 2]; 2];
        for (unit, weight) in w.iter().enumerate() {
            for repeat in 0..2 {
                let place = |arm| usize::from(!passed(unit, arm, repeat));
                table[place(0)][place(1)] += f64::from(*weight);
            }
        }
        let [[a, b], [c, d]] = table;
        (a * d - b * c) / ((a + b) * (c + d) * (a + c) * (b + d)).sqrt()
    };
    let wide = |w: &[u16]| (rate(w, 0) - rate(w, 1)).abs();
    let union = |w: &[u16]| 1.0 - (1.0 - rate(w, 0)) * (1.0 - rate(w, 1));
    let each = |w: &[u16]| {
        let total: f64 = expanded(w, 0).iter().sum();
        total / (rate(w, 1) * f64::from(w.iter().sum::<u16>()) * 2.0)
    };
    let all: [(&str, Statistic<'_>); 5] =
        [("wide", &wide), ("scatter", &sd), ("both", &phi), ("none_of", &union), ("each", &each)];
    for (name, statistic) in all {
        let result = evidence(&judgment, name);
        near(result, statistic(&ones));
        same_interval(result, draws.iter().map(|w| statistic(w)).collect());
    }
    for name in ["wide", "none_of", "each"] {
        exactly(evidence(&judgment, name));
    }
}

#[test]
fn a_pick_is_made_again_in_every_resample_unless_it_is_fixed() {
    let declared = |resample: &str| {
        spec(
            &format!(
                "pick best = arm with largest pass_rate ties first resample {resample}\nestimand top = pass_rate[best]\n"
            ),
            "  about top with ci\n",
        )
    };
    let draws = weights();
    let ones = vec![1_u16; UNITS];
    let chosen = usize::from(rate(&ones, 1) > rate(&ones, 0));
    let planned = tasks(&declared("again"), None);
    let again = judged(&declared("again"), &planned, rows(), Vec::new()).unwrap();
    same_interval(evidence(&again, "top"), draws.iter().map(|w| rate(w, 0).max(rate(w, 1))).collect());
    let fixed = judged(&declared("fixed"), &planned, rows(), Vec::new()).unwrap();
    same_interval(evidence(&fixed, "top"), draws.iter().map(|w| rate(w, chosen)).collect());
    near(evidence(&fixed, "top"), rate(&ones, chosen));
}

#[test]
fn wilson_stands_on_the_effective_number_of_records() {
    let spec = spec(
        "interval w = wilson(cluster: item, level: 95 %)\ninterval kg = korn_graubard(cluster: item, level: 95 %)\nestimand rate_a = pass_rate[a]\n",
        "  about rate_a with w, kg\n",
    );
    let judgment = judged(&spec, &tasks(&spec, None), rows(), Vec::new()).unwrap();
    let clusters: Vec<Cluster> = (0..UNITS)
        .map(|unit| Cluster { positive: (0..2).filter(|repeat| passed(unit, 0, *repeat)).count() as u64, records: 2 })
        .collect();
    let effective = effective_n(&clusters).unwrap();
    let corrected = korn_graubard_n(&effective, t_ratio(&effective, 0.95).unwrap()).unwrap();
    let result = evidence(&judgment, "rate_a");
    for (name, n) in [("w", effective.n_eff), ("kg", corrected)] {
        let shown = result.intervals.iter().find(|interval| interval.name == name).unwrap();
        let (lower, upper) = shown.limits.clone().unwrap();
        let want = wilson(effective.rate, n, 0.95).unwrap();
        assert!((lower - want.lower).abs() < 1e-9 && (upper - want.upper).abs() < 1e-9, "{name} {lower} {upper}");
    }
}

#[test]
fn undefined_values_say_why_and_take_a_declared_value_only_where_one_is_declared() {
    let spec = spec(
        "measure ratio = count(score > 3) / count(score > 100)\nmeasure ratio_or_zero = count(score > 3) / count(score > 100) undefined as 0\nestimand bare = ratio[a]\nestimand declared = ratio_or_zero[a]\nestimand constant = phi(passed[a], score[a] > 100)\n",
        "  about bare with ci\n  about declared with ci\n  about constant with ci\n",
    );
    let judgment = judged(&spec, &tasks(&spec, None), rows(), Vec::new()).unwrap();
    let bare = evidence(&judgment, "bare");
    assert!(bare.estimate.as_ref().unwrap_err().contains("zero"), "{bare:?}");
    assert!(bare.intervals[0].limits.is_err());
    assert_eq!(exactly(evidence(&judgment, "declared")), "0");
    assert!(evidence(&judgment, "declared").intervals[0].limits.is_ok());
    assert!(evidence(&judgment, "constant").estimate.as_ref().unwrap_err().contains("same"));
}

#[test]
fn cells_that_are_never_run_are_no_members_and_no_part_of_a_reduction() {
    let spec = study(
        "language 1\nstudy s { title \"A study\" }\nfactor arm = a | b | c\ntasks item {\n  file \"items.csv\"\n  key id\n  field kind: k | l\n}\ndesign { cross arm, item; repeat 1; exclude arm == c where kind == l }\noutcome passed: bool\nanalysis_set main { count errored, missing as excluded }\nmeasure pass_rate = mean(passed)\nestimand own per arm, kind = pass_rate\nestimand wide per kind = spread(pass_rate over arm)\nhypothesis H exploratory \"h\" { descriptive; about own; about wide }\n",
    );
    let planned = tasks(&spec, Some(b"id,kind\ni1,k\ni2,k\ni3,l\ni4,l\n"));
    let mut rows = Vec::new();
    for (unit, kind) in [("i1", "k"), ("i2", "k"), ("i3", "l"), ("i4", "l")] {
        for arm in ["a", "b", "c"] {
            if (arm, kind) != ("c", "l") {
                let passed = Value::Bool(arm == "a" || (arm == "b" && unit == "i1"));
                rows.push(record(unit, &[("arm", arm)], 1, State::Scored, &[("passed", passed)]));
            }
        }
    }
    let judgment = judged(&spec, &planned, rows, Vec::new()).unwrap();
    let all = &hypothesis(&judgment, "H").sets[0].evidence;
    assert_eq!(all.iter().filter(|result| result.estimand == "own").count(), 5);
    let wide: Vec<String> = all.iter().filter(|result| result.estimand == "wide").map(exactly).collect();
    assert_eq!(wide, ["1", "1"]);
}
