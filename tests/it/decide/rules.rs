//! Rules, quantifiers, components, gates, families and conclusions on reported evidence, where every number is given.

use prespec::decide::judgment::Judgment;
use prespec::math::exact;
use prespec::records::ReceivedEstimate;
use prespec::spec::VerdictClass::{self, Contradicted, Inconclusive, NotEvaluable, NotEvaluated, Supported, Void};

use super::{hypothesis, judged, member, outcome};

/// A reported estimate; `None` is one that the results leave undefined.
fn reported(estimand: &str, levels: &[(&str, &str)], estimate: Option<&str>) -> ReceivedEstimate {
    ReceivedEstimate {
        estimand: estimand.to_owned(),
        member: member(levels),
        estimate: estimate.map(|text| exact::parse(text).unwrap()),
        interval: None,
        level: None,
        p: None,
        n: None,
        origin: format!("{estimand} {levels:?}"),
    }
}

fn with_interval(mut one: ReceivedEstimate, lower: &str, upper: &str) -> ReceivedEstimate {
    one.interval = Some((exact::parse(lower).unwrap(), exact::parse(upper).unwrap()));
    one.level = Some(exact::parse("0.95").unwrap());
    one
}

/// A study with a `results` block for every estimand that it takes as reported.
#[track_caller]
fn study(text: &str) -> prespec::spec::Spec {
    let mut block = String::from("results all reported {\n  file \"all.json\"\n");
    for line in text.lines().filter(|line| line.contains("= reported")) {
        let (head, _) = line.trim_start_matches("estimand ").split_once(" = ").unwrap();
        let (name, per) = head.split_once(" per ").unwrap_or((head, ""));
        let path: Vec<String> = per.split(", ").filter(|f| !f.is_empty()).map(|f| format!(".{{{f}}}")).collect();
        let per = if per.is_empty() { String::new() } else { format!(" per {per}") };
        let interval = if line.contains("difference") {
            format!(" interval \"{name}{}.ci\" level 95 %", path.concat())
        } else {
            String::new()
        };
        block += &format!("  estimate {name}{per} at \"{name}{}.value\"{interval}\n", path.concat());
    }
    super::study(&format!("{text}{block}}}\n"))
}

const HEAD: &str = "language 1\nstudy s { title \"A study\" }\n";

/// What shorthand gives: `s` 1, `c` -1, `i` 0, `u` undefined.
fn value(letter: char) -> Option<&'static str> {
    match letter {
        's' => Some("1"),
        'c' => Some("-1"),
        'i' => Some("0"),
        'u' => None,
        other => panic!("{other}"),
    }
}

const RULE: &str =
    "decide { supported when estimate > 0.5; contradicted when estimate < -0.5; inconclusive otherwise }";

/// The verdict of one hypothesis over arms whose own verdicts are given as letters.
fn quantified(scope: &str, letters: &str) -> (VerdictClass, Judgment) {
    let arms: Vec<String> = (0..letters.len()).map(|arm| format!("a{arm}")).collect();
    let text = format!(
        "{HEAD}factor arm = {}\nestimand x per arm = reported number in [-1, 1]\nhypothesis H primary \"h\" {{\n  about x\n  scope {scope}\n  {RULE}\n}}\n",
        arms.join(" | ")
    );
    let spec = study(&text);
    let estimates = arms.iter().zip(letters.chars()).map(|(arm, letter)| reported("x", &[("arm", arm)], value(letter)));
    let judgment = judged(&spec, &[], Vec::new(), estimates.collect()).unwrap();
    (outcome(&judgment, "H").class, judgment)
}

#[test]
fn quantifiers_follow_their_truth_table() {
    let table = [
        ("all arm", "sss", Supported),
        ("all arm", "ssc", Contradicted),
        ("all arm", "ssi", Inconclusive),
        ("all arm", "sic", Contradicted),
        ("any arm", "cci", Inconclusive),
        ("any arm", "scc", Supported),
        ("any arm", "ccc", Contradicted),
        ("any arm", "iii", Inconclusive),
        ("none arm", "ccc", Supported),
        ("none arm", "scc", Contradicted),
        ("none arm", "cci", Inconclusive),
        ("at least 2 of 3 arm", "ssc", Supported),
        ("at least 2 of 3 arm", "scc", Contradicted),
        ("at least 2 of 3 arm", "sic", Inconclusive),
        ("at least 2 of 4 arm", "sicc", Inconclusive),
        ("at least 2 of 4 arm", "sccc", Contradicted),
        // An unevaluable member is neither supported nor contradicted, and n stays as planned.
        ("all arm", "ssu", Inconclusive),
        ("all arm", "scu", Contradicted),
        ("any arm", "ccu", Inconclusive),
        ("any arm", "suu", Supported),
        ("none arm", "ccu", Inconclusive),
        ("none arm", "scu", Contradicted),
        ("at least 2 of 3 arm", "ssu", Supported),
        ("at least 2 of 3 arm", "siu", Inconclusive),
        ("at least 2 of 3 arm", "ccu", Contradicted),
        ("all arm", "uuu", NotEvaluable),
        ("any arm", "uuu", NotEvaluable),
    ];
    for (scope, letters, expected) in table {
        let (class, judgment) = quantified(scope, letters);
        assert_eq!(class, expected, "{scope} of {letters}: {:?}", outcome(&judgment, "H"));
    }
}

#[test]
fn a_quorum_shrinks_only_when_it_is_declared() {
    let declared = "at least 2 of 3 arm (2 of 2 when one is lost)";
    assert_eq!(quantified("at least 3 of 3 arm (2 of 2 when one is lost)", "ssu").0, Supported);
    assert_eq!(quantified("at least 3 of 3 arm", "ssu").0, Inconclusive);
    assert_eq!(quantified(declared, "scu").0, Contradicted);
    assert_eq!(quantified("at least 2 of 3 arm", "scu").0, Inconclusive);
}

#[test]
fn an_empty_scope_is_not_evaluable() {
    let text = format!(
        "{HEAD}factor arm = a | b\nfactor kind = k | l\nestimand x per arm, kind = reported number in [-1, 1]\nhypothesis H primary \"h\" {{\n  about x\n  scope all arm, all kind where kind == k and kind == l\n  {RULE}\n}}\n"
    );
    let analysis = prespec::check::analyse("s", &text, &mut |_| Err(String::new()));
    // The checker may refuse such a scope; judged all the same, it has no verdict of its own.
    let Some(spec) = analysis.spec else { return };
    let judgment = judged(&spec, &[], Vec::new(), Vec::new()).unwrap();
    assert_eq!(outcome(&judgment, "H").class, NotEvaluable);
}

#[test]
fn nested_quantifiers_are_resolved_from_the_outside() {
    let text = |scope: &str| {
        format!(
            "{HEAD}factor arm = a | b\nfactor model = m | n\nestimand x per arm, model = reported number in [-1, 1]\nhypothesis H primary \"h\" {{\n  about x\n  scope {scope}\n  {RULE}\n}}\n"
        )
    };
    // Rows are arms, columns models: a works on m only, b on n only.
    let estimates = || {
        vec![
            reported("x", &[("arm", "a"), ("model", "m")], Some("1")),
            reported("x", &[("arm", "a"), ("model", "n")], Some("-1")),
            reported("x", &[("arm", "b"), ("model", "m")], Some("-1")),
            reported("x", &[("arm", "b"), ("model", "n")], Some("1")),
        ]
    };
    for (scope, expected) in [
        ("all model, any arm", Supported),
        ("any arm, all model", Contradicted),
        ("all arm, all model", Contradicted),
        ("any arm, any model", Supported),
    ] {
        let judgment = judged(&study(&text(scope)), &[], Vec::new(), estimates()).unwrap();
        assert_eq!(outcome(&judgment, "H").class, expected, "{scope}");
    }
}

/// A hypothesis of two clauses, each about one reported number.
fn clauses(rule: &str, first: char, second: char) -> Judgment {
    let text = format!(
        "{HEAD}estimand x = reported number in [-1, 1]\nestimand y = reported number in [-1, 1]\nhypothesis H primary \"h\" {{\n  clause one {{ about x; {RULE} }}\n  clause two {{ about y; {RULE} }}\n  {rule}\n}}\n"
    );
    let estimates = vec![reported("x", &[], value(first)), reported("y", &[], value(second))];
    judged(&study(&text), &[], Vec::new(), estimates).unwrap()
}

#[test]
fn a_component_without_a_verdict_is_resolved_every_way() {
    let both = "decide { supported when one is supported and two is supported; contradicted when one is contradicted or two is contradicted; inconclusive otherwise }";
    let table = [
        ('s', 's', Supported),
        ('s', 'c', Contradicted),
        ('s', 'i', Inconclusive),
        // A refuted clause still refutes, whatever the other had been.
        ('c', 'u', Contradicted),
        ('u', 'c', Contradicted),
        ('s', 'u', Inconclusive),
        ('i', 'u', Inconclusive),
        ('u', 'u', Inconclusive),
    ];
    for (first, second, expected) in table {
        let judgment = clauses(both, first, second);
        assert_eq!(outcome(&judgment, "H").class, expected, "{first} {second}");
    }
    let reason = outcome(&clauses(both, 's', 'u'), "H").reason.clone().unwrap();
    assert!(reason.starts_with("two is not_evaluable"), "{reason}");
}

#[test]
fn undefined_evidence_is_not_evaluable_before_any_case() {
    let text = format!(
        "{HEAD}estimand x = reported number in [-1, 1]\nestimand y = reported number in [-1, 1]\nhypothesis H primary \"h\" {{\n  about x\n  about y\n  decide in order {{ supported when x.estimate > 0.5 or y.estimate > 0.5; contradicted when x.estimate < -0.5; inconclusive otherwise }}\n}}\n"
    );
    let spec = study(&text);
    let estimates = vec![reported("x", &[], Some("1")), reported("y", &[], None)];
    let judgment = judged(&spec, &[], Vec::new(), estimates).unwrap();
    let verdict = outcome(&judgment, "H");
    assert_eq!((verdict.class, verdict.case), (NotEvaluable, None));
    assert!(verdict.reason.as_ref().unwrap().contains("y.estimate is undefined"), "{verdict:?}");
}

/// One gated hypothesis.
fn gated(fail: &str, gate: Option<&str>, own: &str) -> Judgment {
    let text = format!(
        "{HEAD}estimand g = reported number in [0, 1]\nestimand x = reported number in [-1, 1]\ngate quality {{\n  about g\n  require estimate >= 0.6\n  fail gives {fail}\n}}\nhypothesis H primary \"h\" {{\n  about x\n  requires quality\n  {RULE}\n}}\n"
    );
    let estimates = vec![reported("g", &[], gate), reported("x", &[], Some(own))];
    judged(&study(&text), &[], Vec::new(), estimates).unwrap()
}

#[test]
fn gates_stop_their_dependants() {
    let class = |judgment: Judgment| outcome(&judgment, "H").class;
    assert_eq!(class(gated("void \"broken measurement\"", Some("0.6"), "1")), Supported);
    assert_eq!(class(gated("void \"broken measurement\"", Some("0.59"), "1")), Void);
    assert_eq!(class(gated("not_evaluated \"too early\"", Some("0.59"), "1")), NotEvaluated);
    assert_eq!(class(gated("void \"broken measurement\"", None, "1")), NotEvaluable);
    let judgment = gated("void \"broken measurement\"", Some("0.59"), "1");
    assert!(outcome(&judgment, "H").reason.as_ref().unwrap().contains("broken measurement"));
    assert_eq!(judgment.gates[0].members[0].1, Ok(false));
    assert!(gated("void \"b\"", None, "1").gates[0].members[0].1.is_err());
}

#[test]
fn a_gate_by_member_touches_matching_members_only() {
    let text = format!(
        "{HEAD}factor arm = a | b\nestimand g per arm = reported number in [0, 1]\nestimand x per arm = reported number in [-1, 1]\ngate quality {{\n  about g\n  per arm\n  require estimate >= 0.6\n  fail gives void \"broken\"\n}}\nhypothesis H primary \"h\" {{\n  about x\n  scope any arm\n  requires quality\n  {RULE}\n}}\nhypothesis G primary \"g\" {{\n  about x\n  per arm\n  requires quality\n  {RULE}\n}}\n"
    );
    let estimates = vec![
        reported("g", &[("arm", "a")], Some("0.1")),
        reported("g", &[("arm", "b")], Some("0.9")),
        reported("x", &[("arm", "a")], Some("1")),
        reported("x", &[("arm", "b")], Some("1")),
    ];
    let judgment = judged(&study(&text), &[], Vec::new(), estimates).unwrap();
    assert_eq!(outcome(&judgment, "H").class, Supported);
    let grid = &hypothesis(&judgment, "G").sets[0];
    assert!(grid.outcome.is_none());
    let classes: Vec<VerdictClass> = grid.grid.iter().map(|cell| cell.outcome.class).collect();
    assert_eq!(classes, [Void, Supported]);
}

#[test]
fn one_hypothesis_may_wait_for_another() {
    let text = format!(
        "{HEAD}estimand x = reported number in [-1, 1]\nestimand y = reported number in [-1, 1]\nhypothesis A primary \"a\" {{\n  about x\n  {RULE}\n}}\nhypothesis B primary \"b\" {{\n  about y\n  after A is supported\n  {RULE}\n}}\nconclusion said {{\n  say \"Both.\" when A is supported and B is supported\n  say \"Only the first.\" when A is supported\n  silent otherwise\n}}\n"
    );
    let spec = study(&text);
    for (first, second, expected, sentence) in [
        ('s', 's', Supported, Some("Both.")),
        ('s', 'c', Contradicted, Some("Only the first.")),
        ('i', 's', NotEvaluated, None),
        ('u', 's', NotEvaluated, None),
    ] {
        let estimates = vec![reported("x", &[], value(first)), reported("y", &[], value(second))];
        let judgment = judged(&spec, &[], Vec::new(), estimates).unwrap();
        assert_eq!(outcome(&judgment, "B").class, expected, "{first} {second}");
        assert_eq!(judgment.conclusions[0].sentence.as_deref(), sentence, "{first} {second}");
    }
}

#[test]
fn counts_over_members_are_evidence_and_exact_at_the_bar() {
    let arms: Vec<String> = (1..=12).map(|arm| format!("a{arm}")).collect();
    let text = format!(
        "{HEAD}factor arm = {}\nestimand x per arm = reported number in [-1, 1]\nhypothesis H primary \"h\" {{\n  about x\n  decide {{ supported when count(arm where estimate > 0) >= 8; contradicted when count(arm where estimate > 0) < 8 }}\n}}\n",
        arms.join(" | ")
    );
    let spec = study(&text);
    for (positive, expected) in [(8, Supported), (7, Contradicted)] {
        let estimate = |(at, arm): (usize, &String)| {
            reported("x", &[("arm", arm)], Some(if at < positive { "0.1" } else { "-0.1" }))
        };
        let estimates = arms.iter().enumerate().map(estimate).collect();
        let judgment = judged(&spec, &[], Vec::new(), estimates).unwrap();
        let verdict = outcome(&judgment, "H");
        assert_eq!(verdict.class, expected, "{verdict:?}");
        let nearest = verdict.nearest.as_ref().unwrap();
        assert!((nearest.value - positive as f64).abs() < 1e-12 && (nearest.threshold - 8.0).abs() < 1e-12);
    }
}

#[test]
fn a_threshold_is_met_exactly_and_regions_tell_both_sides() {
    let text = format!(
        "{HEAD}estimand x = reported difference\nmargin bar = 10 pp higher \"why\"\nhypothesis H primary \"h\" {{\n  about x\n  decide {{ supported when estimate >= bar and lower > 0 pp; contradicted when estimate < bar; inconclusive otherwise }}\n}}\n"
    );
    let spec = study(&text);
    let judge = |estimate: &str| {
        let one = with_interval(reported("x", &[], Some(estimate)), "0.02", "0.3");
        judged(&spec, &[], Vec::new(), vec![one]).unwrap()
    };
    assert_eq!(outcome(&judge("0.1"), "H").class, Supported);
    assert_eq!(outcome(&judge("0.0999999999999999999999"), "H").class, Contradicted);
    let judgment = judge("0.1");
    let evidence = &hypothesis(&judgment, "H").sets[0].evidence[0];
    assert!(evidence.reported);
    let regions: Vec<(Option<f64>, Option<f64>, VerdictClass)> =
        evidence.regions.iter().map(|region| (region.from, region.to, region.class)).collect();
    assert_eq!(regions, [(None, Some(0.1), Contradicted), (Some(0.1), None, Supported)]);
    let nearest = outcome(&judgment, "H").nearest.as_ref().unwrap();
    assert_eq!((nearest.distance, nearest.fragile), (0.0, false));
}

#[test]
fn an_order_of_cases_decides_and_labels_keep_their_names() {
    let text = format!(
        "{HEAD}estimand x = reported difference\nhypothesis H primary \"h\" {{\n  about x\n  decide in order {{\n    placebo as contradicted when lower >= -2 pp and upper <= 2 pp because \"equivalent\"\n    works as supported when lower > 0 pp\n    hurts as contradicted when upper < 0 pp\n    inconclusive otherwise\n  }}\n}}\n"
    );
    let spec = study(&text);
    for (lower, upper, label, class) in [
        ("-0.005", "0.012", "placebo", Contradicted),
        ("0.002", "0.015", "placebo", Contradicted),
        ("0.01", "0.06", "works", Supported),
        ("-0.07", "-0.004", "hurts", Contradicted),
        ("-0.03", "0.04", "inconclusive", Inconclusive),
    ] {
        let one = with_interval(reported("x", &[], Some("0")), lower, upper);
        let judgment = judged(&spec, &[], Vec::new(), vec![one]).unwrap();
        let verdict = outcome(&judgment, "H");
        assert_eq!((verdict.label.as_str(), verdict.class), (label, class), "{lower} {upper}");
    }
}
