//! Families, groups of members, analysis sets that disagree, and exploratory verdicts.

use prespec::decide::families::contribution;
use prespec::plan::Value;
use prespec::records::ReceivedRecord;
use prespec::spec::{QuantifierKind, Spec, State, VerdictClass};

use super::{hypothesis, judged, outcome, record, study, tasks};

#[track_caller]
fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-12, "{got} {want}");
}

/// Three arms against a base, ten units: arm x wins on `wins[x]` units and never loses.
fn family(rule: &str, sets: &str) -> Spec {
    study(&format!(
        "language 1\nstudy s {{ title \"A study\" }}\nfactor arm = base | x1 | x2 | x3\ntasks item {{ count 10 }}\ndesign {{ cross arm, item; repeat 1 }}\noutcome correct: bool\n{sets}paired gain per arm except base = correct - correct[base]\ntest signs = sign(sides: greater, ties: drop)\nfamily gains {{ members gain with signs per arm; adjust holm; count 3 }}\n{rule}"
    ))
}

const ONE_SET: &str = "analysis_set main { count errored, missing as incorrect }\n";

fn rows(wins: [usize; 3]) -> Vec<ReceivedRecord> {
    let mut rows = Vec::new();
    for unit in 1..=10_usize {
        for (arm, won) in [("base", 0), ("x1", wins[0]), ("x2", wins[1]), ("x3", wins[2])] {
            let fields = [("correct", Value::Bool(unit <= won))];
            rows.push(record(&unit.to_string(), &[("arm", arm)], 1, State::Scored, &fields));
        }
    }
    rows
}

#[test]
fn holm_keeps_the_planned_number_when_a_member_is_lost() {
    let rule = "hypothesis H primary \"h\" {\n  about gain with signs\n  scope any arm\n  decide { supported when p_adjusted < 5 % and estimate > 0 pp; contradicted when estimate <= 0 pp; inconclusive otherwise }\n}\n";
    let spec = family(rule, ONE_SET);
    let planned = tasks(&spec, None);
    // p = 2^-6, 2^-5, and none for the arm that never differs.
    let judgment = judged(&spec, &planned, rows([6, 5, 0]), Vec::new()).unwrap();
    let family = &judgment.families[0];
    assert_eq!((family.count, family.members.len(), family.adjust), (3, 3, "holm"));
    close(family.members[0].2, 3.0 / 64.0);
    close(family.members[1].2, 2.0 / 32.0);
    assert!(family.members[2].1.is_err());
    close(family.members[2].2, 1.0);
    assert_eq!(outcome(&judgment, "H").class, VerdictClass::Supported);
    let members = &hypothesis(&judgment, "H").sets[0].members;
    let classes: Vec<VerdictClass> = members.iter().map(|member| member.outcome.class).collect();
    assert_eq!(classes, [VerdictClass::Supported, VerdictClass::Inconclusive, VerdictClass::NotEvaluable]);
    // An adjusted p that would pass alone does not pass in its family: 2^-5 three times is above 5 %.
    let judgment = judged(&spec, &planned, rows([5, 0, 0]), Vec::new()).unwrap();
    assert_eq!(outcome(&judgment, "H").class, VerdictClass::Inconclusive);
}

#[test]
fn a_quantified_claim_contributes_one_p() {
    let p = [Some(0.01), Some(0.02), Some(0.5)];
    assert_eq!(contribution(&QuantifierKind::All, &p), Some(0.5));
    assert!((contribution(&QuantifierKind::Any, &p).unwrap() - 0.03).abs() < 1e-15);
    assert_eq!(contribution(&QuantifierKind::All, &[Some(0.01), None]), Some(1.0));
    assert!((contribution(&QuantifierKind::Any, &[Some(0.01), None]).unwrap() - 0.02).abs() < 1e-15);
    assert_eq!(contribution(&QuantifierKind::None, &p), None);
}

#[test]
fn sets_are_judged_apart_and_disagreement_shows() {
    let sets = "flag odd \"set aside\"\nanalysis_set main { count errored, missing as incorrect }\nanalysis_set strict { drop flagged(odd); count errored, missing as incorrect }\n";
    let rule = "hypothesis H primary \"h\" {\n  about gain with signs\n  scope all arm\n  sets main, strict\n  decide { supported when p_adjusted < 5 % and estimate > 0 pp; contradicted when estimate <= 0 pp; inconclusive otherwise }\n}\n";
    let spec = family(rule, sets);
    let planned = tasks(&spec, None);
    let mut all = rows([10, 10, 10]);
    let judgment = judged(&spec, &planned, all.clone(), Vec::new()).unwrap();
    assert!(!hypothesis(&judgment, "H").disagree);
    for row in all.iter_mut().filter(|row| row.cell.unit.parse::<u32>().unwrap() > 3) {
        row.fields.insert("odd".to_owned(), Value::Bool(true));
    }
    let judgment = judged(&spec, &planned, all, Vec::new()).unwrap();
    let verdict = hypothesis(&judgment, "H");
    assert!(verdict.disagree);
    let classes: Vec<(&str, VerdictClass)> =
        verdict.sets.iter().map(|set| (set.set.as_str(), set.outcome.as_ref().unwrap().class)).collect();
    assert_eq!(classes, [("main", VerdictClass::Supported), ("strict", VerdictClass::Inconclusive)]);
    assert_eq!(judgment.families.len(), 2);
    assert_eq!((judgment.flows[0].set.as_str(), judgment.flows[1].dropped), ("main", 28));
}

const MODELS: &str = "model m1 { provider p; id \"m1\" pinned dated; provider_family red; tier 1 }\nmodel m2 { provider p; id \"m2\" pinned dated; provider_family red; tier 2 }\nmodel m3 { provider p; id \"m3\" pinned dated; provider_family blue; tier 3 }\n";

fn grouped(right: [usize; 3]) -> prespec::decide::Judgment {
    let spec = study(&format!(
        "language 1\nstudy s {{ title \"A study\" }}\n{MODELS}tasks item {{ count 10 }}\ndesign {{ cross model, item; repeat 1 }}\noutcome correct: bool\nanalysis_set main {{ count errored, missing as incorrect }}\nestimand rate per model = mean(correct)\nhypothesis H primary \"h\" {{\n  about rate\n  clause good {{\n    scope all model\n    decide {{ supported when estimate > 50 %; contradicted when estimate < 50 %; inconclusive otherwise }}\n  }}\n  decide in order {{\n    supported when good is supported\n    partly as inconclusive when good is supported for some provider_family\n    contradicted when good is contradicted\n    inconclusive otherwise\n  }}\n}}\n"
    ));
    let mut rows = Vec::new();
    for (model, right) in ["m1", "m2", "m3"].iter().zip(right) {
        for unit in 1..=10_usize {
            let fields = [("correct", Value::Bool(unit <= right))];
            rows.push(record(&unit.to_string(), &[("model", model)], 1, State::Scored, &fields));
        }
    }
    judged(&spec, &tasks(&spec, None), rows, Vec::new()).unwrap()
}

#[test]
fn a_scope_is_asked_again_inside_each_group_and_the_groups_are_named() {
    let table = [
        ([9, 9, 9], "supported", &[][..]),
        ([9, 9, 1], "partly", &["red"][..]),
        ([9, 1, 9], "partly", &["blue"]),
        ([9, 1, 1], "contradicted", &[]),
        // Exactly half is neither.
        ([9, 5, 5], "inconclusive", &[]),
    ];
    for (right, label, named) in table {
        let judgment = grouped(right);
        let verdict = outcome(&judgment, "H");
        assert_eq!(verdict.label, label, "{right:?} {verdict:?}");
        assert_eq!(verdict.named, named, "{right:?}");
    }
}
