//! Statistics, tests and intervals that read an order, a group or a logarithm, from a spec to a judgment, against scipy 1.17, each
//! call named beside its number, and against random permutations counted elsewhere.

use std::fmt::Write as _;
use std::process::Command;

use prespec::decide::judgment::{EstimandResult, Judgment, Number};
use prespec::spec::State;

use super::{judged, number, record, study, tasks};

/// Six units over four rounds.
const SCORES: [[&str; 4]; 6] = [
    ["0.10", "0.30", "0.55", "0.80"],
    ["0.20", "0.15", "0.40", "0.35"],
    ["0.05", "0.45", "0.50", "0.90"],
    ["0.30", "0.25", "0.60", "0.70"],
    ["0.00", "0.10", "0.20", "0.45"],
    ["0.25", "0.50", "0.75", "0.65"],
];

/// The same shape without a clear trend.
const FLAT: [[&str; 4]; 6] = [
    ["0.30", "0.40", "0.10", "0.50"],
    ["0.20", "0.15", "0.40", "0.35"],
    ["0.45", "0.05", "0.50", "0.40"],
    ["0.30", "0.25", "0.60", "0.20"],
    ["0.00", "0.10", "0.20", "0.05"],
    ["0.55", "0.50", "0.35", "0.65"],
];

fn rounds(scores: &[[&str; 4]; 6], levels: &str, names: [&str; 4], declarations: &str, about: &str) -> Judgment {
    let text = format!(
        "language 1\nstudy s {{ title \"s\" }}\nfactor round ordered = {levels}\ntasks task {{ count 6 }}\n\
         design {{ cross round, task; repeat 1 }}\noutcome score: proportion\n\
         results r {{ file \"r.csv\"; unit task at \"t\"; level round at \"a\"; score = \"c\" }}\n\
         {declarations}\nhypothesis H exploratory \"all\" {{ descriptive\n{about}\n}}\n"
    );
    let spec = study(&text);
    let tasks = tasks(&spec, None);
    let mut records = Vec::new();
    for (at, row) in scores.iter().enumerate() {
        for (round, score) in names.iter().zip(row) {
            records.push(record(
                &(at + 1).to_string(),
                &[("round", round)],
                1,
                State::Scored,
                &[("score", number(score))],
            ));
        }
    }
    judged(&spec, &tasks, records, Vec::new()).unwrap()
}

fn found<'j>(judgment: &'j Judgment, estimand: &str) -> &'j EstimandResult {
    let evidence = &judgment.hypotheses[0].sets[0].evidence;
    evidence.iter().find(|result| result.estimand == estimand).unwrap_or_else(|| panic!("{estimand}"))
}

fn estimate(judgment: &Judgment, estimand: &str) -> f64 {
    found(judgment, estimand).estimate.as_ref().map_or_else(|reason| panic!("{estimand}: {reason}"), Number::to_f64)
}

fn p(judgment: &Judgment, estimand: &str, test: &str) -> f64 {
    let result = found(judgment, estimand);
    let test = result.tests.iter().find(|own| own.name == test).unwrap_or_else(|| panic!("{test}"));
    *test.p.as_ref().unwrap_or_else(|reason| panic!("{}: {reason}", test.name))
}

#[track_caller]
fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{found} and not {wanted}");
}

#[test]
fn trajectories_slopes_and_groups_equal_those_of_other_programs() {
    let calls = [
        // numpy: the mean of columns 2 and 3; the mean over units of the largest and the smallest difference of neighbours
        ("window", "window_mean(score, step(round), 2, 3)", 0.395_833_333_333_333_3),
        ("rise", "largest_rise(score, step(round))", 0.291_666_666_666_666_7),
        ("fall", "largest_fall(score, step(round))", 0.033_333_333_333_333_33),
        // Steps 3, never, 3, 3, never, 2: survival is 5/6 after 2 and 2/6 after 3.
        ("crossing", "first_crossing(score, step(round), 50 %)", 3.0),
        // scipy.stats.theilslopes, spearmanr of all 24 records, and the mean of spearmanr over the units
        ("theil", "theil_sen(score, step(round))", 0.175),
        ("pooled", "spearman(score, step(round))", 0.765_501_433_086_157),
        ("within", "spearman_within(score, step(round), task)", 0.866_666_666_666_666_7),
        ("tau", "kendall_within(score, step(round), task)", 7.0 / 9.0),
        ("without", "groups_without(score, step(round), round)", 4.0),
    ];
    let (mut declarations, mut about) = (String::new(), String::new());
    for (name, call, _) in calls {
        writeln!(declarations, "measure m_{name} = {call}\nestimand e_{name} = m_{name}").unwrap();
        writeln!(about, "about e_{name}").unwrap();
    }
    let numbers = rounds(&SCORES, "1 | 2 | 3 | 4", ["1", "2", "3", "4"], &declarations, &about);
    // Words have the places of their order.
    let words =
        rounds(&SCORES, "first | second | third | last", ["first", "second", "third", "last"], &declarations, &about);
    for (name, _, wanted) in calls {
        near(estimate(&numbers, &format!("e_{name}")), wanted);
        near(estimate(&words, &format!("e_{name}")), wanted);
    }
}

#[test]
fn a_median_crossing_that_most_units_never_reach_is_undefined() {
    let judgment = rounds(
        &SCORES,
        "1 | 2 | 3 | 4",
        ["1", "2", "3", "4"],
        "measure m = first_crossing(score, step(round), 85 %)\nestimand e = m\nmeasure w = window_mean(score, step(round), 5, 6)\nestimand f = w",
        "about e\nabout f",
    );
    assert!(found(&judgment, "e").estimate.is_err());
    let reason = found(&judgment, "f").estimate.clone().unwrap_err();
    assert!(reason.contains("no observation lies from step 5"), "{reason}");
}

#[test]
fn trends_are_tested_by_contrast_by_ranks_and_by_monotone_fit() {
    let judgment = rounds(
        &SCORES,
        "1 | 2 | 3 | 4",
        ["1", "2", "3", "4"],
        "measure level = mean(score)\nestimand climb = slope(level over round)\ntest t = paired_t(sides: two)\ntest f = sign_flip(sides: two)",
        "about climb with t, f",
    );
    // scipy.stats.ttest_1samp of each unit's least-squares slope; all six slopes are positive, 2 of 64 sign vectors.
    near(estimate(&judgment, "climb"), 0.168_333_333_333_333_33);
    near(p(&judgment, "climb", "t"), 0.001_875_982_814_937_671_8);
    near(p(&judgment, "climb", "f"), 2.0 / 64.0);
    let judgment = rounds(
        &FLAT,
        "1 | 2 | 3 | 4",
        ["1", "2", "3", "4"],
        "measure level = mean(score)\nestimand gap = spread(level over round)\nmeasure rank = spearman(score, step(round))\n\
         estimand rho = rank\nmeasure median_slope = theil_sen(score, step(round))\nestimand climb = median_slope\n\
         test iso = isotonic(up, labels: round, within: task, draws: 9999, seed: 5)\n\
         test perm = permutation(labels: round, within: task, sides: two, draws: 9999, seed: 5)\n\
         test up = permutation(labels: round, within: task, sides: greater, draws: 1999, seed: 5)",
        "about gap with iso\nabout rho with perm\nabout climb with up",
    );
    // 200,000, 20,000 and 4,000 permutations with numpy, PAVA written there, spearmanr and theilslopes.
    for (estimand, test, wanted, draws) in
        [("gap", "iso", 0.203_8_f64, 9_999.0), ("rho", "perm", 0.343_8, 9_999.0), ("climb", "up", 0.223_4, 1_999.0)]
    {
        let found = p(&judgment, estimand, test);
        let error = (wanted * (1.0 - wanted) / draws).sqrt() + (wanted * (1.0 - wanted) / 4_000.0).sqrt();
        assert!((found - wanted).abs() < 3.5 * error, "{test}: {found} and not {wanted}");
    }
}

/// Twelve units under two arms: right, hours.
const ARMS: [(bool, &str, bool, &str); 12] = [
    (true, "3", true, "2"),
    (false, "5", true, "3"),
    (true, "8", true, "4"),
    (false, "2", false, "6"),
    (true, "7", true, "1"),
    (false, "9", true, "5"),
    (false, "4", false, "7"),
    (true, "6", false, "3"),
    (false, "10", true, "2"),
    (true, "1", true, "8"),
    (false, "11", false, "9"),
    (false, "12", true, "4"),
];

fn arms_text(declarations: &str, about: &str) -> String {
    format!(
        "language 1\nstudy s {{ title \"s\" }}\nfactor arm = a | b\ntasks task {{ count 12 }}\ndesign {{ cross arm, task; repeat 1 }}\n\
         outcome correct: bool\noutcome hours: number in [0, 100]\n\
         results r {{ file \"r.csv\"; unit task at \"t\"; level arm at \"a\"; correct = \"c\"; hours = \"h\" }}\n\
         measure accuracy = mean(correct)\nestimand gain = accuracy[b] - accuracy[a]\n{declarations}\n\
         hypothesis H exploratory \"all\" {{ descriptive\n{about}\n}}\n"
    )
}

fn arms_with(rows: &[(bool, &str, bool, &str)], declarations: &str, about: &str) -> Judgment {
    let spec = study(&arms_text(declarations, about));
    let tasks = tasks(&spec, None);
    let mut records = Vec::new();
    for (at, (right_a, hours_a, right_b, hours_b)) in rows.iter().enumerate() {
        for (arm, right, hours) in [("a", right_a, hours_a), ("b", right_b, hours_b)] {
            let fields = [("correct", prespec::plan::Value::Bool(*right)), ("hours", number(hours))];
            records.push(record(&(at + 1).to_string(), &[("arm", arm)], 1, State::Scored, &fields));
        }
    }
    judged(&spec, &tasks, records, Vec::new()).unwrap()
}

fn arms(declarations: &str, about: &str) -> Judgment {
    arms_with(&ARMS, declarations, about)
}

#[test]
fn log_ratios_have_a_t_interval_and_margins_as_ratios() {
    let judgment = arms(
        "paired faster = log_ratio(hours[b], hours[a])\nmargin half_again = 1.5 x lower \"x\"\n\
         interval ci = paired_t(level: 95 %)\ntest same = equivalence(margin: half_again)\ntest no_slower = non_inferiority(margin: half_again)",
        "about faster with ci, same, no_slower",
    );
    // numpy.log of the quotients and scipy.stats.t.interval; logarithms are rounded to 2^-40.
    let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-10, "{found} and not {wanted}");
    close(estimate(&judgment, "faster"), -0.333_944_432_102_705_9);
    let (low, high) = found(&judgment, "faster").intervals[0].limits.clone().unwrap();
    close(low, -1.047_191_130_181_584);
    close(high, 0.379_302_265_976_172_17);
    // scipy.stats.ttest_1samp against -log 1.5 and log 1.5.
    close(p(&judgment, "faster", "same"), 0.414_683_203_911_931_75);
    close(p(&judgment, "faster", "no_slower"), 0.021_702_382_973_952_8);
}

#[test]
fn a_zero_has_no_logarithm_and_is_not_left_out() {
    let mut rows = ARMS;
    rows[3].1 = "0";
    let judgment = arms_with(&rows, "paired faster = log_ratio(hours[b], hours[a])", "about faster");
    let reason = found(&judgment, "faster").estimate.clone().unwrap_err();
    assert!(reason.contains("has no logarithm"), "{reason}");
}

#[test]
fn margins_are_tested_by_t_and_by_exact_flips() {
    let judgment = arms(
        "margin small = 30 pp higher \"x\"\ntest t = non_inferiority(margin: small)\ntest f = non_inferiority(exact, margin: small)\n\
         test same = equivalence(exact, margin: small)",
        "about gain with t, f, same",
    );
    // scipy.stats.ttest_1samp(d, -0.3, alternative="greater"), and all 4,096 sign vectors of d + 0.3 and d - 0.3.
    near(p(&judgment, "gain", "t"), 0.005_376_078_633_437_161_5);
    near(p(&judgment, "gain", "f"), 0.007_324_218_75);
    near(p(&judgment, "gain", "same"), 0.388_916_015_625);
}

#[test]
fn permuting_two_arms_within_units_is_the_sign_flip() {
    let judgment = arms(
        "measure total = sum(hours)\nestimand ratio_of_totals = log_ratio(total[b], total[a])\n\
         test perm = permutation(labels: arm, within: task, sides: two, draws: 9999, seed: 3)\n\
         test more = permutation(labels: arm, within: task, sides: greater, draws: 9999, seed: 3)",
        "about gain with perm, more\nabout ratio_of_totals with perm",
    );
    for (test, wanted) in [("perm", 0.375), ("more", 6.0 / 32.0)] {
        let found = p(&judgment, "gain", test);
        assert!((found - wanted).abs() < 0.015, "{test}: {found} and not {wanted}");
    }
    // All 4,096 exchanges within units, counted below.
    let found = p(&judgment, "ratio_of_totals", "perm");
    assert!((found - exchanged()).abs() < 0.015, "{found} and not {}", exchanged());
}

/// The share of all exchanges within units whose log ratio of totals is at least as far from zero as the observed one.
fn exchanged() -> f64 {
    let hours: Vec<(f64, f64)> = ARMS.iter().map(|(_, a, _, b)| (a.parse().unwrap(), b.parse().unwrap())).collect();
    let ratio = |mask: u32| {
        let (mut a, mut b) = (0.0_f64, 0.0_f64);
        for (at, (own, other)) in hours.iter().enumerate() {
            let turned = mask >> at & 1 == 1;
            a += if turned { other } else { own };
            b += if turned { own } else { other };
        }
        (b / a).ln().abs()
    };
    let observed = ratio(0);
    let extreme = (0..1_u32 << hours.len()).filter(|mask| ratio(*mask) >= observed - 1e-12).count();
    extreme as f64 / f64::from(1_u32 << hours.len())
}

#[test]
fn a_permutation_is_refused_where_labels_do_not_say_what_moves() {
    let judgment = arms(
        "measure quick = mean(hours where correct)\nestimand apart = quick[b] - quick[a]\n\
         test perm = permutation(labels: arm, within: task, sides: two, draws: 99, seed: 3)",
        "about apart with perm",
    );
    let test = &found(&judgment, "apart").tests[0];
    assert!(test.p.as_ref().unwrap_err().contains("by their outcomes"), "{:?}", test.p);
}

#[test]
fn rank_correlations_are_pooled_or_within_groups_and_tested() {
    let judgment = arms(
        "measure tau = kendall(hours, hours)\nestimand one = tau\nmeasure rho = spearman(hours, task_hours)\nestimand r = rho[a]\n\
         outcome task_hours: number = hours * hours\ntest t = spearman(t, sides: two)\ntest e = spearman(exact, sides: two)",
        "about one\nabout r with t, e",
    );
    near(estimate(&judgment, "one"), 1.0);
    near(estimate(&judgment, "r"), 1.0);
    // The exact p of perfect agreement of twelve ranks: 2 of 12! orders.
    near(p(&judgment, "r", "e"), 2.0 / 479_001_600.0);
    assert!(p(&judgment, "r", "t") < 1e-8);
}

#[test]
fn survival_is_read_at_a_time_and_up_to_a_limit() {
    let judgment = arms(
        "measure open = survival_at(hours, correct, 5)\nestimand at_five = open[a]\n\
         measure until = restricted_mean(hours, correct, 8)\nestimand for_eight = until[a]",
        "about at_five\nabout for_eight",
    );
    // Arm a: events at 1, 3, 6, 7, 8 of twelve; censored at 2, 4, 5. Kaplan and Meier by hand: 11/12 after 1, 11/12 * 9/10 after 3.
    let (first, third) = (11.0 / 12.0, 11.0 / 12.0 * 9.0 / 10.0);
    near(estimate(&judgment, "at_five"), third);
    let (sixth, seventh) = (third * 6.0 / 7.0, third * 6.0 / 7.0 * 5.0 / 6.0);
    near(estimate(&judgment, "for_eight"), 1.0 + 2.0 * first + 3.0 * third + sixth + seventh);
}

/// Runs a Python script; `None`, said aloud, where Python or a package is missing.
fn python(test: &str, script: &str) -> Option<String> {
    let run = Command::new("python3").arg("-c").arg(script).output();
    match run {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        _ => {
            eprintln!("SKIPPED {test}: python3 with numpy and scipy is absent");
            None
        }
    }
}

#[test]
fn a_beta_binomial_interval_equals_a_second_implementation() {
    let judgment = arms(
        "estimand right = accuracy[b]\ninterval bb = beta_binomial(cluster: task, level: 95 %)",
        "about right with bb",
    );
    let (low, high) = found(&judgment, "right").intervals[0].limits.clone().unwrap();
    assert!(low > 0.3 && high < 0.95 && low < high, "{low} {high}");
    // The same model and prior by scipy.special.betaln on a finer grid, even in mu and rho instead of their transforms.
    let script = "
import numpy as np
from scipy.special import betaln
mu = (np.arange(6000) + .5) / 6000
rho = (np.arange(800) + .5) / 800
M, R = np.meshgrid(mu, rho, indexing='ij')
phi = 1 / R - 1
a, b = M * phi, (1 - M) * phi
log = 8 * (betaln(a + 1, b) - betaln(a, b)) + 4 * (betaln(a, b + 1) - betaln(a, b)) - .5 * np.log(M) - .5 * np.log(1 - M)
w = np.exp(log - log.max()).sum(axis=1)
c = np.cumsum(w) / w.sum()
edges = (np.arange(6000) + 1) / 6000
print(np.interp(.025, c, edges), np.interp(.975, c, edges))
";
    let Some(out) = python("a_beta_binomial_interval_equals_a_second_implementation", script) else { return };
    let wanted: Vec<f64> = out.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!((low - wanted[0]).abs() < 1e-3 && (high - wanted[1]).abs() < 1e-3, "{low} {high} and not {wanted:?}");
}

#[test]
fn a_level_shared_over_a_family_is_bonferronis() {
    let judgment = arms(
        "estimand faster = speed[b] - speed[a]\nmeasure speed = mean(hours)\ntest t = paired_t(sides: two)\n\
         family both { members gain with t; members faster with t; adjust bonferroni; count 2 }\n\
         interval each = paired_t(level: 97.5 %)\ninterval shared = paired_t(level: 95 %, over: both)",
        "about gain with each, shared, t\nabout faster with t",
    );
    let limits = |name: &str| {
        let intervals = &found(&judgment, "gain").intervals;
        let own = intervals.iter().find(|interval| interval.name == name).unwrap();
        (own.limits.clone().unwrap(), own.level)
    };
    assert_eq!(limits("each"), limits("shared"));
}
