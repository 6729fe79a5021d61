//! Every interval, test and measure by its name in a spec, against numbers computed elsewhere. Reference values: scipy 1.17 and
//! scikit-learn 1.9, each call named beside its number.

use std::fmt::Write as _;

use prespec::decide::judgment::{EstimandResult, Judgment, Number};
use prespec::plan::Value;
use prespec::spec::State;

use super::{judged, number, record, study, tasks};

/// Twelve units, two arms, one record each: whether it was right, a confidence, a time and whether the event was seen.
/// Arm a and then arm b: right, confidence, time, whether the event was seen.
type Pair = (bool, &'static str, &'static str, bool, bool, &'static str, &'static str, bool);

const ROWS: [Pair; 12] = [
    (true, "0.9", "3", true, true, "0.8", "2", true),
    (false, "0.4", "5", true, true, "0.7", "3", true),
    (true, "0.8", "8", false, true, "0.9", "4", true),
    (false, "0.3", "2", true, false, "0.2", "6", false),
    (true, "0.6", "7", true, true, "0.6", "1", true),
    (false, "0.7", "9", false, true, "0.8", "5", true),
    (false, "0.2", "4", true, false, "0.4", "7", true),
    (true, "0.5", "6", true, false, "0.3", "3", true),
    (false, "0.1", "10", false, true, "0.9", "2", true),
    (true, "0.9", "1", true, true, "0.7", "8", false),
    (false, "0.3", "11", true, false, "0.1", "9", true),
    (false, "0.6", "12", false, true, "0.8", "4", true),
];

fn judgment(declarations: &str, about: &str) -> Judgment {
    let text = format!(
        "language 1\nstudy s {{ title \"s\" }}\nfactor arm = a | b\ntasks task {{ count 12 }}\ndesign {{ cross arm, task; repeat 1 }}\n\
         outcome correct: bool\noutcome confidence: proportion\noutcome hours: number in [0, 100]\noutcome seen: bool\n\
         results r {{ file \"r.csv\"; unit task at \"t\"; level arm at \"a\"; correct = \"c\"; confidence = \"p\"; hours = \"h\"; seen = \"s\" }}\n\
         measure accuracy = mean(correct)\n{declarations}\nhypothesis H exploratory \"all\" {{ descriptive\n{about}\n}}\n"
    );
    let spec = study(&text);
    let tasks = tasks(&spec, None);
    let mut records = Vec::new();
    for (at, (right_a, share_a, hours_a, seen_a, right_b, share_b, hours_b, seen_b)) in ROWS.iter().enumerate() {
        let unit = (at + 1).to_string();
        for (arm, right, share, hours, seen) in
            [("a", right_a, share_a, hours_a, seen_a), ("b", right_b, share_b, hours_b, seen_b)]
        {
            let fields = [
                ("correct", Value::Bool(*right)),
                ("confidence", number(share)),
                ("hours", number(hours)),
                ("seen", Value::Bool(*seen)),
            ];
            records.push(record(&unit, &[("arm", arm)], 1, State::Scored, &fields));
        }
    }
    judged(&spec, &tasks, records, Vec::new()).unwrap()
}

fn found<'j>(judgment: &'j Judgment, estimand: &str) -> &'j EstimandResult {
    let sets = &judgment.hypotheses[0].sets[0];
    let members = sets.members.iter().flat_map(|member| &member.evidence).chain(&sets.evidence);
    members.into_iter().find(|result| result.estimand == estimand).unwrap_or_else(|| panic!("{estimand}"))
}

fn estimate(judgment: &Judgment, estimand: &str) -> f64 {
    found(judgment, estimand).estimate.as_ref().map_or_else(|reason| panic!("{estimand}: {reason}"), Number::to_f64)
}

#[track_caller]
fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{found} and not {wanted}");
}

#[test]
fn statistics_of_records_equal_those_of_other_programs() {
    let calls = [
        // sklearn.metrics of the 24 records in the order given
        ("auroc", "auroc(confidence, correct)", 0.958_041_958_041_958),
        ("ap", "average_precision(confidence, correct)", 0.953_779_553_779_553_8),
        ("brier", "brier(confidence, correct)", 0.103_750_000_000_000_01),
        ("spearman", "spearman(confidence, hours)", -0.415_441_654_375_964_9),
    ];
    let mut declarations = String::new();
    let mut about = String::new();
    for (name, call, _) in calls {
        writeln!(declarations, "measure m_{name} = {call}\nestimand e_{name} = m_{name}").unwrap();
        writeln!(about, "about e_{name}").unwrap();
    }
    let judgment = judgment(&declarations, &about);
    for (name, _, wanted) in calls {
        let found = estimate(&judgment, &format!("e_{name}"));
        near(found, wanted);
    }
}

#[test]
fn tests_by_name_equal_those_of_other_programs() {
    let tests = [
        ("signed", "wilcoxon(sides: two, zeros: wilcox)"),
        ("flip", "sign_flip(sides: two)"),
        ("exact", "mcnemar(exact, sides: two)"),
        ("mid", "mcnemar(mid_p, sides: two)"),
        ("t", "paired_t(sides: two)"),
    ];
    let mut declarations = "estimand gain = accuracy[b] - accuracy[a]\nmargin small = 30 pp higher \"x\"\ntest same = equivalence(margin: small)\n".to_owned();
    for (name, call) in tests {
        writeln!(declarations, "test {name} = {call}").unwrap();
    }
    let judgment = judgment(&declarations, "about gain with signed, flip, exact, mid, t, same");
    let p = |name: &str| {
        let result = found(&judgment, "gain");
        *result.tests.iter().find(|test| test.name == name).unwrap().p.as_ref().unwrap()
    };
    // Four units gained and one lost of twelve: scipy.stats.binomtest(1, 5).pvalue, and half of P(X = 1) less on each side.
    near(p("exact"), 0.375);
    near(p("mid"), 0.218_75);
    // The signs of equal values: all three are the same test.
    near(p("flip"), 0.375);
    near(p("signed"), 0.375);
    // scipy.stats.ttest_rel on the two columns.
    near(p("t"), 0.191_054_298_096_569_32);
    // The larger of scipy.stats.ttest_1samp(d, -0.3, alternative="greater") and (d, 0.3, alternative="less").
    near(p("same"), 0.392_840_235_066_533_6);
}

#[test]
fn hotelling_of_two_arms_is_the_paired_t() {
    let judgment = judgment(
        "estimand gain = accuracy[b] - accuracy[a]\nestimand gap = spread(accuracy over arm)\ntest t = paired_t(sides: two)\ntest t2 = hotelling",
        "about gain with t\nabout gap with t2",
    );
    let p = |estimand: &str| *found(&judgment, estimand).tests[0].p.as_ref().unwrap();
    near(p("gap"), p("gain"));
}

#[test]
fn a_log_rank_test_compares_two_medians() {
    let judgment = judgment(
        "measure half = median_survival(hours, seen)\nestimand sooner = half[b] - half[a]\ntest lr = log_rank",
        "about sooner with lr",
    );
    // scipy.stats.logrank(CensoredData, CensoredData).pvalue
    let p = *found(&judgment, "sooner").tests[0].p.as_ref().unwrap();
    near(p, 0.148_965_857_600_085_52);
}

#[test]
fn intervals_by_name_equal_those_of_other_programs() {
    let judgment = judgment(
        "estimand right = accuracy[b]\nestimand gain = accuracy[b] - accuracy[a]\nmeasure total = sum(hours)\n\
         estimand faster = total[b] / total[a]\nestimand gap = spread(accuracy over arm)\n\
         interval cp = clopper_pearson(cluster: task, level: 95 %)\ninterval w = wilson(cluster: task, level: 95 %)\n\
         interval j = jeffreys(cluster: task, level: 95 %)\ninterval ct = cluster_t(cluster: task, level: 95 %)\n\
         interval f = fieller(cluster: task, level: 95 %)\n\
         interval pc = bootstrap(percentile, resample: task, resamples: 2000, level: 95 %, seed: 3)\n\
         interval ba = bootstrap(basic, resample: task, resamples: 2000, level: 95 %, seed: 3)\n\
         interval bc = bootstrap(bca, resample: task, resamples: 2000, level: 95 %, seed: 3)\n\
         interval st = bootstrap(studentised, resample: task, resamples: 2000, level: 95 %, seed: 3)\n\
         interval mt = bootstrap(max_t, resample: task, resamples: 2000, level: 95 %, seed: 3)\n\
         interval sb = bootstrap(spread_bound, resample: task, resamples: 2000, level: 95 %, seed: 3)",
        "about right with cp, w, j\nabout gain with ct, pc, ba, bc, st, mt\nabout faster with f\nabout gap with sb, pc",
    );
    let limits = |estimand: &str, name: &str| {
        let result = found(&judgment, estimand);
        let interval = result.intervals.iter().find(|interval| interval.name == name).unwrap();
        interval.limits.clone().unwrap_or_else(|reason| panic!("{name}: {reason}"))
    };
    let both = |(low, high): (f64, f64), wanted: (f64, f64)| {
        near(low, wanted.0);
        near(high, wanted.1);
    };
    // scipy.stats.binomtest(8, 12).proportion_ci(0.95, "exact") and "wilson"; scipy.stats.beta.ppf with 8.5 and 4.5.
    both(limits("right", "cp"), (0.348_875_506_419_281_6, 0.900_753_908_850_416_7));
    both(limits("right", "w"), (0.390_622_088_872_799_53, 0.861_879_908_908_786_7));
    both(limits("right", "j"), (0.387_563_896_557_623, 0.875_462_678_547_850_6));
    // The mean of the differences and scipy.stats.t.ppf(0.975, 11).
    both(limits("gain", "ct"), (-0.144_934_081_750_497_82, 0.644_934_081_750_497_8));
    // Fieller's quadratic with numpy's means, variances and covariance.
    both(limits("faster", "f"), (0.392_794_464_566_698_1, 1.213_989_926_515_252));
    let (low, high) = limits("gain", "pc");
    let estimate = estimate(&judgment, "gain");
    both(limits("gain", "ba"), (2.0 * estimate - high, 2.0 * estimate - low));
    for name in ["bc", "st", "mt"] {
        let (own_low, own_high) = limits("gain", name);
        assert!(own_low < estimate && estimate < own_high, "{name}: {own_low} {own_high}");
        assert!((own_low - low).abs() < 0.25 && (own_high - high).abs() < 0.25, "{name}: {own_low} {own_high}");
    }
    // Largest minus smallest is above zero in every resample, and yet no evidence of a difference.
    assert!(limits("gap", "pc").0 >= 0.0);
    near(limits("gap", "sb").0, 0.0);
}
