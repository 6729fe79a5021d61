//! Files of the size of a real study and beyond: read within the time and memory promised.
#![expect(clippy::disallowed_methods, reason = "these tests measure time")]

use std::time::Instant;

use prespec::plan::read_tasks;
use prespec::records::{join, read, records_digest};
use prespec::spec::*;

use super::build::*;

fn gaia(path: &str) -> Spec {
    let file = InputFile { path: path.to_owned(), digest: None };
    let units = tasks("task", TaskSource::File { file, key: "sample_id".to_owned() });
    let mut spec = Spec { language: 1, study: "gaia".to_owned(), tasks: Some(units), ..Spec::default() };
    let models = ["gemini-3.1-pro", "gpt-5.5", "haiku-4.5", "opus-4.7", "sonnet-4.6"];
    spec.factors.insert("model".to_owned(), factor(&models));
    spec.factors.insert("scaffold".to_owned(), factor(&["s1", "s2", "s3"]));
    spec.design = Some(design(&["model", "scaffold"], 3));
    let amount = |dimension| number(dimension, Some("0"), None, false);
    spec.fields.insert("correct".to_owned(), outcome(ValueType::Bool));
    spec.fields.insert("cost".to_owned(), outcome(amount(Dimension::Money)));
    spec.fields.insert("tokens".to_owned(), outcome(number(Dimension::Tokens, Some("0"), None, true)));
    spec.fields.insert("tool_errors".to_owned(), outcome(number(Dimension::Count, Some("0"), None, true)));
    spec.fields.insert("time".to_owned(), outcome(amount(Dimension::Time)));
    spec.fields.insert("psb".to_owned(), flag());
    let block = Block {
        unit: Some(UnitAt::At("sample_id".to_owned())),
        levels: vec![("model", level("model")), ("scaffold", level("scaffold"))],
        repeat: Some("attempt"),
        fields: vec![
            ("correct", at("correct")),
            ("cost", at("cost_usd")),
            ("tokens", at("input_tokens")),
            ("tool_errors", at("tool_errors")),
            ("time", at("working_time_s")),
            ("psb", at("flag_psb")),
        ],
        state: Some(("status", vec![("ok", State::Scored), ("error", State::Errored)])),
        ..Block::default()
    };
    spec.results.insert("runs".to_owned(), block.build(path, FileFormat::Csv));
    spec
}

fn keys(text: &str) -> String {
    let keys: std::collections::BTreeSet<&str> =
        text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    format!("sample_id\n{}\n", keys.into_iter().collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_study_of_six_thousand_records() {
    let Some(folder) = shared("a_study_of_six_thousand_records", "reference/stats") else { return };
    let spec = gaia("gaia_like.csv");
    let text = std::fs::read_to_string(folder.join("gaia_like.csv")).unwrap();
    let list = read_tasks(spec.tasks.as_ref().unwrap(), Some(keys(&text).as_bytes())).unwrap();
    let started = Instant::now();
    let joined = join(&spec, &list, read(&spec, std::slice::from_ref(&folder)).unwrap()).unwrap();
    let took = started.elapsed();
    eprintln!("gaia_like.csv read and joined in {took:?}");
    assert_eq!((joined.len(), joined.counts[&State::Scored], joined.counts[&State::Errored]), (6255, 5896, 359));
    if !cfg!(debug_assertions) {
        assert!(took.as_millis() < 60, "{took:?}");
    }
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    lines[1..].rotate_left(1000);
    let shuffled = Folder::new(&[("gaia_like.csv", &lines.join("\n"))]);
    let again = join(&spec, &list, read(&spec, &shuffled.root()).unwrap()).unwrap();
    assert_eq!(records_digest(&again), records_digest(&joined));
}
