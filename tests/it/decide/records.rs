//! Record states, analysis sets, exact estimates, pairing and paired tests on small hand-made records.

use prespec::decide::Options;
use prespec::plan::Value;
use prespec::records::ReceivedRecord;
use prespec::spec::{Spec, State, VerdictClass};

use super::{exactly, hypothesis, judged, judged_with, number, outcome, record, study, tasks};

fn text(set: &str, tail: &str) -> String {
    format!(
        "language 1\nstudy s {{ title \"A study\" }}\nfactor arm = a | b\ntasks item {{ list i1, i2, i3, i4 }}\ndesign {{ cross arm, item; repeat 1 }}\noutcome correct: bool\noutcome cost: usd optional\nflag leaked \"the answer was seen\"\nanalysis_set main {{ {set} }}\nmeasure accuracy = mean(correct)\nestimand gain = accuracy[b] - accuracy[a]\nestimand rate_a = accuracy[a]\nestimand spent = sum(cost)[a]\n{tail}"
    )
}

const BARE: &str = "hypothesis H exploratory \"h\" { descriptive; about gain; about rate_a; about spent }\n";

fn row(unit: &str, arm: &str, state: State, correct: Option<bool>) -> ReceivedRecord {
    let fields: Vec<(&str, Value)> = correct.map(|correct| ("correct", Value::Bool(correct))).into_iter().collect();
    record(unit, &[("arm", arm)], 1, state, &fields)
}

/// Arm a: i1 right, i2 wrong, i3 errored, i4 missing. Arm b: all right.
fn rows() -> Vec<ReceivedRecord> {
    let mut rows = vec![
        row("i1", "a", State::Scored, Some(true)),
        row("i2", "a", State::Scored, Some(false)),
        row("i3", "a", State::Errored, None),
    ];
    rows.extend(["i1", "i2", "i3", "i4"].map(|unit| row(unit, "b", State::Scored, Some(true))));
    rows
}

fn shown(spec: &Spec, rows: Vec<ReceivedRecord>) -> (Vec<String>, prespec::decide::judgment::Flow) {
    let judgment = judged(spec, &tasks(spec, None), rows, Vec::new()).unwrap();
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence;
    let texts = evidence.iter().take(2).map(exactly).collect();
    (texts, judgment.flows[0].clone())
}

#[test]
fn every_class_of_states_counts_as_declared() {
    for (set, gain, rate, counted, excluded) in [
        ("count errored, missing as incorrect", "0.75", "0.25", 8, 0),
        ("count errored as incorrect; count missing as excluded", "2/3", "1/3", 7, 1),
        ("count errored as excluded; count missing as incorrect", "2/3", "1/3", 7, 1),
        ("count errored, missing as excluded", "0.5", "0.5", 6, 2),
    ] {
        let (shown, flow) = shown(&study(&text(set, BARE)), rows());
        assert_eq!(shown, [gain, rate], "{set}");
        assert_eq!((flow.planned, flow.counted, flow.excluded), (8, counted, excluded), "{set}");
        assert_eq!(flow.arms[0].1, [4, 2, 1, 1, counted - 4], "{set}");
    }
}

#[test]
fn a_class_without_a_policy_refuses_the_judgment() {
    let spec = study(&text("count errored as incorrect", BARE));
    let planned = tasks(&spec, None);
    let refusal = judged(&spec, &planned, rows(), Vec::new()).unwrap_err();
    assert!(refusal.message.contains("missing") && refusal.message.contains("main"), "{refusal}");
    // A partial judgment lets missing records through, never errored ones.
    let partial = Options { partial: true, workers: 1, ..Options::default() };
    let judgment = judged_with(&spec, &planned, rows(), Vec::new(), &partial).unwrap();
    assert!(judgment.partial);
    assert_eq!(exactly(&hypothesis(&judgment, "H").sets[0].evidence[1]), "1/3");
    let spec = study(&text("count missing as incorrect", BARE));
    let refusal = judged_with(&spec, &planned, rows(), Vec::new(), &partial).unwrap_err();
    assert!(refusal.message.contains("errored"), "{refusal}");
}

#[test]
fn dropping_comes_before_keeping_and_keeping_before_counting() {
    // i2 loses its record in arm a to the flag, and with it the whole unit; i3 never completed in a, nor did i4.
    let spec = study(&text(
        "drop flagged(leaked); keep item where every(arm) has 1 completed; count errored, missing as incorrect",
        BARE,
    ));
    let mut rows = rows();
    rows[1].fields.insert("leaked".to_owned(), Value::Bool(true));
    let (shown, flow) = shown(&spec, rows);
    assert_eq!(shown, ["0", "1"]);
    assert_eq!((flow.dropped, flow.not_kept, flow.counted, flow.units), (1, 5, 2, (1, 4)));
}

#[test]
fn a_record_counted_as_incorrect_keeps_what_it_cost() {
    let spec = study(&text("count errored, missing as incorrect", BARE));
    let mut rows = rows();
    for (row, cost) in rows.iter_mut().zip(["0.1", "0.2", "0.4"]) {
        row.fields.insert("cost".to_owned(), number(cost));
    }
    let judgment = judged(&spec, &tasks(&spec, None), rows, Vec::new()).unwrap();
    assert_eq!(exactly(&hypothesis(&judgment, "H").sets[0].evidence[2]), "0.7");
}

#[test]
fn a_number_that_was_not_recorded_is_what_the_set_says() {
    // Arm a: 0.1, 0.2, nothing of the errored record, nothing of the missing one.
    for (fill, mean, sum) in [
        ("as incorrect, cost as 0 usd", "0.075", "0.3"),
        ("as incorrect, cost as 2 usd", "1.075", "4.3"),
        ("as incorrect, cost as absent", "0.15", "0.3"),
        ("as incorrect", "0.15", "0.3"),
        ("as 0", "0.075", "0.3"),
    ] {
        let tail = "estimand average = mean(cost)[a]\nhypothesis H exploratory \"h\" { descriptive; about gain; about rate_a; about spent; about average }\n";
        let spec = study(&text(&format!("count errored, missing {fill}"), tail));
        let mut rows = rows();
        for (row, cost) in rows.iter_mut().zip(["0.1", "0.2"]) {
            row.fields.insert("cost".to_owned(), number(cost));
        }
        let judgment = judged(&spec, &tasks(&spec, None), rows, Vec::new()).unwrap();
        let evidence = &hypothesis(&judgment, "H").sets[0].evidence;
        assert_eq!((exactly(&evidence[3]), exactly(&evidence[2])), (mean.to_owned(), sum.to_owned()), "{fill}");
    }
}

/// What could not be, by type and bounds, cannot be made to be: rules are proved for what can.
#[test]
fn no_policy_and_no_expression_leads_beyond_the_bounds() {
    let head = "language 1\nstudy s { title \"A study\" }\nfactor arm = a | b\ntasks item { count 4 }\ndesign { cross arm, item; repeat 1 }\noutcome correct: bool\noutcome cost: usd in [0 usd, 5 usd]\noutcome tries: count\n";
    let tail = "estimand spent = mean(cost)[a] + mean(tries)[a] * value_of_a_try\nvalue value_of_a_try = 1 usd \"made up\"\nhypothesis H exploratory \"h\" { descriptive; about spent }\nresults r { file \"r.csv\"; unit item at \"i\"; level arm at \"arm\"; correct = \"c\"; cost = \"x\"; tries = \"t\" }\n";
    for (middle, code) in [
        ("analysis_set main { count errored, missing as incorrect, cost as 5 usd, tries as 1 }", None),
        ("analysis_set main { count errored, missing as incorrect, cost as 6 usd, tries as 1 }", Some("E0303")),
        ("analysis_set main { count errored, missing as incorrect, cost as absent, tries as 1/2 }", Some("E0303")),
        ("analysis_set main { count errored, missing as 0 }", None),
        ("analysis_set main { count errored, missing as 2 }", Some("E0303")),
        (
            "outcome net: usd in [0 usd, 5 usd] = cost - 1 usd\nanalysis_set main { count errored, missing as 0 }",
            Some("E0303"),
        ),
        ("outcome net: usd = cost - 1 usd\nanalysis_set main { count errored, missing as 0 }", None),
    ] {
        let analysis =
            prespec::check::analyse("s.prespec", &format!("{head}{middle}\n{tail}"), &mut |_| Err(String::new()));
        let errors = analysis.diagnostics.iter().filter(|found| found.severity == prespec::diagnostic::Severity::Error);
        let codes: Vec<&str> = errors.map(|found| found.code.number()).collect();
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{middle}");
    }
}

/// A derived number may be negative although its type is an amount, and the prover knows.
#[test]
fn a_derived_number_has_the_bounds_of_its_expression() {
    let spec = |rule: &str| {
        format!(
            "language 1\nstudy s {{ title \"A study\" }}\nfactor arm = a | b\ntasks item {{ count 4 }}\ndesign {{ cross arm, item; repeat 1 }}\noutcome cost: usd\noutcome net: usd = cost - 5 usd\nestimand left = mean(net)[a]\nhypothesis H exploratory \"h\" {{ about left; decide {{ {rule} }} }}\nresults r {{ file \"r.csv\"; unit item at \"i\"; level arm at \"arm\"; cost = \"x\" }}\n"
        )
    };
    let holes = |rule: &str| {
        let analysis = prespec::check::analyse("s.prespec", &spec(rule), &mut |_| Err(String::new()));
        analysis.diagnostics.iter().any(|found| found.code.number() == "E0401")
    };
    assert!(holes("supported when estimate >= 1 usd; contradicted when estimate >= 0 usd and estimate < 1 usd"));
    assert!(!holes("supported when estimate >= 1 usd; contradicted when estimate < 1 usd"));
}

/// What others report may lie beyond what can be: limits are read within the bounds, an estimate out there has no verdict.
#[test]
fn reported_numbers_are_read_within_the_bounds() {
    let spec = study(
        "language 1\nstudy s { title \"A study\" }\nfactor arm = a | b\ntasks item { count 2 }\ndesign { cross arm, item; repeat 1 }\nanalysis_set main { count errored, missing as excluded }\nestimand gap = reported difference\nhypothesis H exploratory \"h\" {\n  about gap\n  decide { supported when lower >= -100 pp and estimate > 10 pp; contradicted when estimate <= 10 pp }\n}\nresults r reported { file \"r.json\"; estimate gap at \"est\" interval \"low\" to \"high\" level 95 % }\n",
    );
    let ratio = |tenths: i64| prespec::math::Rational::new(tenths.into(), 10.into());
    for (estimate, class) in
        [(5, VerdictClass::Supported), (-10, VerdictClass::Contradicted), (11, VerdictClass::NotEvaluable)]
    {
        let reported = prespec::records::ReceivedEstimate {
            estimand: "gap".to_owned(),
            member: std::collections::BTreeMap::new(),
            estimate: Some(ratio(estimate)),
            interval: Some((ratio(-12), ratio(15))),
            level: Some(ratio(9)),
            p: None,
            n: None,
            origin: "r.json".to_owned(),
        };
        let judgment = judged(&spec, &tasks(&spec, None), Vec::new(), vec![reported]).unwrap();
        assert_eq!(outcome(&judgment, "H").class, class, "{estimate}");
    }
}

/// Limits of a mean, a quotient and a standard deviation whose sums, or whose squares, do not fit in 128 bits.
#[test]
fn numbers_of_any_size_have_intervals() {
    let limits = |exponent: &str| {
        let spec = study(
            "language 1\nstudy s { title \"A study\" }\nfactor arm = a | b\ntasks item { count 9 }\ndesign { cross arm, item; repeat 1 }\noutcome x: number\nanalysis_set main { count errored, missing as excluded }\nestimand gain = mean(x)[b] - mean(x)[a]\nestimand wide = sd(x)[b]\nestimand part = sum(x)[a] / sum(x)[b]\ninterval ci = bootstrap(percentile, resample: item, resamples: 400, level: 90 %, seed: 5)\nhypothesis H exploratory \"h\" { descriptive; about gain with ci; about wide with ci; about part with ci }\n",
        );
        let mut rows = Vec::new();
        for unit in 1..=9_u32 {
            for (arm, by) in [("a", 3), ("b", 7)] {
                let value = number(&format!("{}.1234567890123456{exponent}", unit * by % 10 + 1));
                rows.push(record(&unit.to_string(), &[("arm", arm)], 1, State::Scored, &[("x", value)]));
            }
        }
        let judgment = judged(&spec, &tasks(&spec, None), rows, Vec::new()).unwrap();
        let evidence = hypothesis(&judgment, "H").sets[0].evidence.clone();
        evidence.iter().map(|one| one.intervals[0].limits.clone().unwrap().into()).collect::<Vec<[f64; 2]>>()
    };
    let (plain, tiny) = (limits(""), limits("e-40"));
    for (at, (one, two)) in plain.iter().zip(&tiny).enumerate() {
        let scale = if at == 2 { 1.0 } else { 1e-40 };
        for (one, two) in one.iter().zip(two) {
            assert!((one * scale - two).abs() <= 1e-9 * two.abs(), "{at}: {one} {two}");
        }
    }
}

/// Ten units, arm b better by exactly one unit.
fn tenths(rule: &str) -> (Spec, Vec<ReceivedRecord>) {
    let units: Vec<String> = (1..=10).map(|unit| unit.to_string()).collect();
    let spec = study(&format!(
        "language 1\nstudy s {{ title \"A study\" }}\nfactor arm = a | b\ntasks item {{ count 10 }}\ndesign {{ cross arm, item; repeat 1 }}\noutcome correct: bool\nanalysis_set main {{ count errored, missing as incorrect }}\nmeasure accuracy = mean(correct)\nestimand gain = accuracy[b] - accuracy[a]\nestimand wide = spread(accuracy over arm)\npaired unit_gain = correct[b] - correct[a]\ninterval ci = bootstrap(percentile, resample: item, resamples: 400, level: 95 %, seed: 5)\ninterval t95 = paired_t(level: 95 %)\ntest signs = sign(sides: greater, ties: drop)\ntest flips = sign_flip(sides: two)\n{rule}"
    ));
    let right = |unit: usize, arm: &str| unit < if arm == "a" { 3 } else { 4 };
    let rows = units
        .iter()
        .enumerate()
        .flat_map(|(at, unit)| ["a", "b"].map(|arm| row(unit, arm, State::Scored, Some(right(at, arm)))));
    (spec, rows.collect())
}

#[test]
fn a_tenth_is_a_tenth() {
    // In binary 0.4 - 0.3 is below 0.1; the rule must not see that.
    let (spec, rows) = tenths(
        "hypothesis H primary \"h\" {\n  about gain\n  about wide\n  decide { supported when gain.estimate >= 10 pp and wide.estimate <= 10 pp; contradicted when gain.estimate < 10 pp; inconclusive otherwise }\n}\n",
    );
    let judgment = judged(&spec, &tasks(&spec, None), rows, Vec::new()).unwrap();
    assert_eq!(outcome(&judgment, "H").class, VerdictClass::Supported, "{:?}", outcome(&judgment, "H"));
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence;
    assert_eq!(exactly(&evidence[0]), "0.1");
    assert_eq!((evidence[0].n, evidence[0].clusters), (Some(20), Some(10)));
}

#[test]
fn unit_values_feed_tests_and_pairs_drop_when_a_side_is_excluded() {
    let (spec, mut rows) =
        tenths("hypothesis H exploratory \"h\" {\n  descriptive\n  about unit_gain with ci, t95, signs, flips\n}\n");
    let planned = tasks(&spec, None);
    let judgment = judged(&spec, &planned, rows.clone(), Vec::new()).unwrap();
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence[0];
    assert_eq!((exactly(evidence).as_str(), evidence.n), ("0.1", Some(10)));
    let signs = evidence.tests.iter().find(|test| test.name == "signs").unwrap();
    assert_eq!((signs.counts.as_str(), signs.p.clone()), ("1 above, 0 below, 9 equal", Ok(0.5)));
    let flips = evidence.tests.iter().find(|test| test.name == "flips").unwrap();
    assert_eq!(flips.p, Ok(1.0));
    let t = evidence.intervals.iter().find(|interval| interval.name == "t95").unwrap();
    // One difference of 1 among ten: sd = sqrt(0.1), t(9, 0.975) = 2.262157.
    let half = 2.262_157_162_798_205_4 * (0.1_f64 / 10.0).sqrt();
    let (lower, upper) = t.limits.clone().unwrap();
    assert!((lower - (0.1 - half)).abs() < 1e-12 && (upper - (0.1 + half)).abs() < 1e-12, "{lower} {upper}");
    // The one unit that differs loses a side; the pair is gone.
    let mut text = spec.clone();
    text.sets
        .get_mut("main")
        .unwrap()
        .counts
        .insert(prespec::spec::StateClass::Errored, prespec::spec::CountAs::Excluded);
    let at = rows.iter().position(|row| row.cell.unit == "4" && row.cell.levels["arm"] == "a").unwrap();
    rows[at].state = State::Errored;
    let judgment = judged(&text, &planned, rows, Vec::new()).unwrap();
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence[0];
    assert_eq!((exactly(evidence).as_str(), evidence.n), ("0", Some(9)));
    let signs = evidence.tests.iter().find(|test| test.name == "signs").unwrap();
    assert!(signs.p.is_err() && signs.counts.ends_with("1 dropped because a side does not count"), "{signs:?}");
}

#[test]
fn repeats_need_a_declared_collapse_before_a_test() {
    let study_of = |collapse: &str| {
        study(&format!(
            "language 1\nstudy s {{ title \"A study\" }}\nfactor arm = a | b\ntasks item {{ count 6 }}\ndesign {{ cross arm, item; repeat 2; {collapse} }}\noutcome correct: bool\nanalysis_set main {{ count errored, missing as excluded }}\npaired unit_gain = correct[b] - correct[a]\ntest signs = sign(sides: greater, ties: drop)\nhypothesis H exploratory \"h\" {{ descriptive; about unit_gain with signs }}\n"
        ))
    };
    let spec = study_of("collapse correct by mean");
    let mut rows = Vec::new();
    for unit in 1..=6_u64 {
        for repeat in 1..=2 {
            for arm in ["a", "b"] {
                let correct = arm == "b" && (repeat == 1 || unit <= 3);
                rows.push(record(
                    &unit.to_string(),
                    &[("arm", arm)],
                    repeat,
                    State::Scored,
                    &[("correct", Value::Bool(correct))],
                ));
            }
        }
    }
    let planned = tasks(&spec, None);
    let judgment = judged(&spec, &planned, rows.clone(), Vec::new()).unwrap();
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence[0];
    assert_eq!((exactly(evidence).as_str(), evidence.n), ("0.75", Some(6)));
    let mut apart = spec.clone();
    apart.design.as_mut().unwrap().collapse.clear();
    let judgment = judged(&apart, &planned, rows, Vec::new()).unwrap();
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence[0];
    assert!(evidence.estimate.as_ref().unwrap_err().contains("more than one value"), "{evidence:?}");
    assert!(evidence.tests[0].p.is_err());
}
