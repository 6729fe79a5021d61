//! Interim looks: which looks are judged, and evidence that bears being looked at before the end.

use prespec::decide::Refusal;
use prespec::decide::judgment::Judgment;
use prespec::plan::Value;
use prespec::spec::State;

use super::{judged, record, study, tasks};

/// Judges twelve units of which the first `complete` came, all in favour of b.
fn judgment(looks: &str, complete: usize) -> Result<Judgment, Refusal> {
    let spec = study(&format!(
        "language 1\nstudy s {{ title \"s\" }}\nfactor arm = a | b\ntasks task {{ count 12 }}\ndesign {{ cross arm, task; repeat 1 }}\n\
         outcome correct: bool\nresults r {{ file \"r.csv\"; unit task at \"t\"; level arm at \"a\"; correct = \"c\" }}\n\
         paired gain = correct[b] - correct[a]\ntest flip = {}(sides: two)\n{looks}\n\
         hypothesis H exploratory \"b is right more often\" {{\n about gain with flip\n decide {{\n supported when p < 5 % and estimate > 0 pp\n \
         contradicted when p < 5 % and estimate < 0 pp\n inconclusive otherwise\n }}\n}}\n",
        if looks.contains("anytime") { "sign" } else { "sign_flip" }
    ));
    let tasks = tasks(&spec, None);
    // Units are ordered bytewise, so the complete ones are not a prefix of the numbers.
    let records = (1..=complete).flat_map(|unit| {
        [("a", false), ("b", true)].map(|(arm, right)| {
            record(&unit.to_string(), &[("arm", arm)], 1, State::Scored, &[("correct", Value::Bool(right))])
        })
    });
    judged(&spec, &tasks, records.collect(), Vec::new())
}

fn p(judgment: &Judgment) -> f64 {
    *judgment.hypotheses[0].sets[0].evidence[0].tests[0].p.as_ref().unwrap()
}

const TWO: &str = "looks { at 6; maximum 12 task; spend obrien_fleming }";

#[test]
fn p_at_a_look_is_the_smallest_level_that_rejects_there() {
    let early = judgment(TWO, 6).unwrap();
    let look = early.look.as_ref().unwrap();
    assert_eq!((look.number, look.of, look.units, look.maximum), (Some(1), 2, 6, 12));
    // Six of six: p = 2/64. Each side has half of it, spent as 2 (1 - Phi(z / sqrt(1/2))); scipy's norm.isf and norm.sf.
    assert!((p(&early) - 0.174_726_969_403_061_07).abs() < 1e-9, "{}", p(&early));
    // At the end p = 2/4096, and a little of the level was spent before.
    let late = judgment(TWO, 12).unwrap();
    assert!(p(&late) > 2.0 / 4096.0 && p(&late) < 2.2 / 4096.0, "{}", p(&late));
    assert_eq!(late.look.as_ref().unwrap().number, Some(2));
}

#[test]
fn between_looks_nothing_is_judged() {
    for complete in [0, 1, 5, 7, 11] {
        let refusal = judgment(TWO, complete).unwrap_err();
        assert!(refusal.message.contains("between two planned looks"), "{}", refusal.message);
    }
}

#[test]
fn evidence_at_any_time_is_a_reciprocal_e_value() {
    let looks = "looks { at any; maximum 12 task; spend anytime }";
    // B(6.5, 0.5) / B(0.5, 0.5) 2^6 = 14.4375.
    let found = judgment(looks, 6).unwrap();
    assert!((p(&found) - 1.0 / 14.4375).abs() < 1e-12, "{}", p(&found));
    assert_eq!(found.look.as_ref().unwrap().number, None);
    assert!(p(&judgment(looks, 9).unwrap()) < p(&found));
}

#[test]
fn a_study_without_looks_counts_every_planned_unit() {
    let spec = judgment("", 12).unwrap();
    assert!(spec.look.is_none());
    assert!(judgment("", 6).is_err());
}
