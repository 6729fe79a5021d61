//! The scaffold study that ships, judged on the reference records and compared with independently computed values.

use std::path::PathBuf;

use prespec::decide::judgment::{EstimandResult, Judgment};
use prespec::decide::{Options, judge};
use prespec::plan::Task;
use prespec::records::{Joined, Received, ReceivedRecord, RecordTable, join};
use prespec::spec::{Spec, State, VerdictClass};
use serde_json::Value as Json;

use super::{hypothesis, number, outcome, record, study, tasks};

const MODELS: [(&str, &str); 5] = [
    ("opus-4.7", "opus"),
    ("sonnet-4.6", "sonnet"),
    ("haiku-4.5", "haiku"),
    ("gemini-3.1-pro", "gemini"),
    ("gpt-5.5", "gpt"),
];

fn reference(test: &str) -> Option<PathBuf> {
    let shared = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if shared.exists() {
        return Some(shared.join("reference/stats"));
    }
    eprintln!("SKIPPED {test}: ../shared is absent");
    None
}

fn gaia() -> (Spec, Vec<Task>) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/gaia_scaffolds"));
    let spec = study(&std::fs::read_to_string(folder.join("gaia_scaffolds.prespec")).unwrap());
    let tasks = tasks(&spec, Some(&std::fs::read(folder.join("data/gaia_sample_ids.csv")).unwrap()));
    (spec, tasks)
}

fn records(folder: &std::path::Path) -> Vec<ReceivedRecord> {
    let mut reader = csv::Reader::from_path(folder.join("gaia_like.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|h| h == name).unwrap();
    let names = ["cost_usd", "output_tokens", "actions", "tool_errors", "working_time_s"].map(place);
    let [task, model, scaffold, attempt, status, flag, correct] =
        ["sample_id", "model", "scaffold", "attempt", "status", "flag_psb", "correct"].map(place);
    let one = |row: csv::StringRecord| {
        let model = MODELS.iter().find(|(name, _)| *name == &row[model]).unwrap().1;
        let truth = |text: &str| prespec::plan::Value::Bool(text == "1");
        let mut fields: Vec<(&str, prespec::plan::Value)> =
            ["cost", "output_tokens", "actions", "tool_errors", "working_time"]
                .into_iter()
                .zip(names.map(|place| number(&row[place])))
                .collect();
        fields.push(("correct", truth(&row[correct])));
        fields.push(("provider_serialization_bug", truth(&row[flag])));
        let state = if &row[status] == "ok" { State::Scored } else { State::Errored };
        let levels = [("model", model), ("scaffold", &row[scaffold])];
        record(&row[task], &levels, row[attempt].parse().unwrap(), state, &fields)
    };
    reader.records().map(|row| one(row.unwrap())).collect()
}

fn joined(spec: &Spec, tasks: &[Task], records: Vec<ReceivedRecord>) -> Joined {
    let table = RecordTable::from_records(spec, records).unwrap();
    join(spec, tasks, Received { records: table, estimates: Vec::new(), files: Vec::new() }).unwrap()
}

fn options(workers: usize) -> Options {
    Options { workers, ..Options::default() }
}

#[track_caller]
fn close(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{what}: {got} is not {want}");
}

/// All evidence shown under an analysis set.
fn evidence<'j>(judgment: &'j Judgment, set: &str) -> Vec<&'j EstimandResult> {
    let sets = judgment.hypotheses.iter().flat_map(|hypothesis| &hypothesis.sets).filter(|own| own.set == set);
    sets.flat_map(|set| {
        let clauses = set.clauses.iter().flat_map(|(_, _, members)| members);
        let members = set.members.iter().chain(&set.grid).chain(clauses).flat_map(|member| &member.evidence);
        members.chain(&set.evidence)
    })
    .collect()
}

fn find<'j>(all: &[&'j EstimandResult], estimand: &str, levels: &[(&str, &str)]) -> &'j EstimandResult {
    let fits = |result: &&&EstimandResult| {
        result.estimand == estimand
            && levels.iter().all(|(f, l)| result.member.iter().any(|(factor, level)| factor == f && level == l))
    };
    all.iter().find(fits).unwrap_or_else(|| panic!("{estimand} {levels:?}"))
}

#[test]
fn every_limit_of_the_three_slice_bootstrap_is_reproduced() {
    let Some(folder) = reference("every_limit_of_the_three_slice_bootstrap_is_reproduced") else { return };
    let (spec, tasks) = gaia();
    let judgment = judge(&spec, &tasks, &joined(&spec, &tasks, records(&folder)), &options(2)).unwrap();
    let text = std::fs::read_to_string(folder.join("gaia_bootstrap_philox.json")).unwrap();
    let expected: Json = serde_json::from_str(&text).unwrap();
    let (mut limits_seen, mut estimates_seen) = (0, 0);
    for (key, entry) in expected["results"].as_object().unwrap() {
        let parts: Vec<&str> = key.split('/').collect();
        let all = evidence(&judgment, parts[0]);
        let model = MODELS.iter().find(|(name, _)| *name == parts[2]).unwrap().1;
        let mut levels = vec![("level", &parts[1][1..]), ("model", model)];
        levels.extend(parts.get(3).map(|scaffold| ("scaffold", *scaffold)));
        for (field, want) in entry.as_object().unwrap() {
            let what = field.trim_end_matches("_ci").trim_end_matches("_undefined");
            let estimand = match what {
                "acc" => "cell_accuracy",
                "cpc" => "cell_cost",
                "cpc_happy" => "cell_cost_happy",
                "actions" => "cell_actions",
                "output_tokens" => "cell_output",
                "working_time_s" => "cell_time",
                "recovery" => "cell_recovery",
                "s2-s1" => "par_gain",
                "s3-s1" => "plan_gain",
                "s3-s2" => "plan_par",
                "dod_doc" => "file_gain",
                "dod_any" => "any_file_gain",
                _ => continue,
            };
            if !evidence(&judgment, parts[0]).iter().any(|result| result.estimand == estimand) {
                continue;
            }
            let result = find(&all, estimand, &levels);
            if field.ends_with("_undefined") {
                assert_eq!(result.intervals[0].undefined, want.as_u64().unwrap(), "{key} {field}");
            } else if field.ends_with("_ci") {
                let (lower, upper) =
                    result.intervals[0].limits.clone().unwrap_or_else(|r| panic!("{key} {field}: {r}"));
                close(&format!("{key} {field} lower"), lower, want[0].as_f64().unwrap(), 1e-12);
                close(&format!("{key} {field} upper"), upper, want[1].as_f64().unwrap(), 1e-12);
                limits_seen += 2;
            } else {
                match (&result.estimate, want.as_f64()) {
                    (Ok(got), Some(want)) => close(&format!("{key} {field}"), got.to_f64(), want, 1e-14),
                    (got, want) => assert_eq!(got.is_ok(), want.is_some(), "{key} {field}"),
                }
                estimates_seen += 1;
            }
        }
    }
    println!("{limits_seen} limits, {estimates_seen} estimates");
    assert!(limits_seen > 900 && estimates_seen > 400, "{limits_seen} {estimates_seen}");
}

#[test]
fn verdicts_follow_the_rules_on_the_reference_records() {
    let Some(folder) = reference("verdicts_follow_the_rules_on_the_reference_records") else { return };
    let (spec, tasks) = gaia();
    let judgment = judge(&spec, &tasks, &joined(&spec, &tasks, records(&folder)), &options(2)).unwrap();
    for name in ["H1", "H3"] {
        for set in &hypothesis(&judgment, name).sets {
            println!("{name} {} {:?}", set.set, set.outcome);
            for member in &set.members {
                println!("   {:?} {:?}", member.member, member.outcome);
            }
            for (clause, outcome, members) in &set.clauses {
                println!("  {clause} {outcome:?}");
                for member in members {
                    println!(
                        "     {:?} {:?} {:?}",
                        member.member, member.outcome.class, member.evidence[0].intervals[0].limits
                    );
                }
            }
        }
    }
    for flow in &judgment.flows {
        println!("{flow:?}");
    }
    println!("{:?}", judgment.families);
    println!("{:?}", judgment.conclusions);
    assert_eq!(outcome(&judgment, "H1").class, VerdictClass::Supported);
}

#[test]
fn neither_threads_nor_the_order_of_rows_change_a_byte() {
    let Some(folder) = reference("neither_threads_nor_the_order_of_rows_change_a_byte") else { return };
    let (spec, tasks) = gaia();
    let rows = records(&folder);
    let one = judge(&spec, &tasks, &joined(&spec, &tasks, rows.clone()), &options(1)).unwrap();
    let shuffled: Vec<ReceivedRecord> = (0..rows.len()).map(|i| rows[(i * 2_003) % rows.len()].clone()).collect();
    for (workers, rows) in [(3, rows), (2, shuffled)] {
        let other = judge(&spec, &tasks, &joined(&spec, &tasks, rows), &options(workers)).unwrap();
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
    }
}
