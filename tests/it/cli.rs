//! The contract of the command line: verbs, exit codes, what is written where.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_prespec")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A starter study in a new folder.
fn starter() -> (TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let made = run(outer.path(), &["new", "demo"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let folder = outer.path().join("demo");
    (outer, folder)
}

fn freeze(folder: &Path) -> String {
    let frozen = run(folder, &["freeze", "study.prespec"]);
    assert_eq!(frozen.status.code(), Some(0), "{}", text(&frozen.stderr));
    text(&frozen.stdout).lines().last().unwrap().to_owned()
}

#[test]
fn the_starter_goes_from_check_to_verdict() {
    let (_outer, folder) = starter();
    assert_eq!(run(&folder, &["check", "study.prespec"]).status.code(), Some(0));
    let path = freeze(&folder);
    let id = text(&run(&folder, &["verify", &path, "--format", "json"]).stdout);
    let verification: Value = serde_json::from_str(&id).unwrap();
    assert_eq!(verification["files"][0]["level"], "A0");
    let arguments = ["judge", &path, "--results", "results", "--report", "r.html", "--out", "v.json"];
    let judged = run(&folder, &arguments);
    assert_eq!(judged.status.code(), Some(0), "{}", text(&judged.stderr));
    let first = fs::read(folder.join("v.json")).unwrap();
    let document: Value = serde_json::from_slice(&first).unwrap();
    assert_eq!(document["freeze_id"], verification["files"][0]["freeze_id"]);
    assert_eq!(document["hypotheses"][0]["sets"][0]["verdict"]["class"], "supported");
    assert!(fs::read_to_string(folder.join("r.html")).unwrap().contains("</html>"));
    assert_eq!(run(&folder, &arguments).status.code(), Some(0));
    assert_eq!(first, fs::read(folder.join("v.json")).unwrap(), "two runs give the same bytes");
    let failed = run(&folder, &["judge", &path, "--results", "results", "--fail-on", "supported"]);
    assert_eq!(failed.status.code(), Some(1));
    let passed = run(&folder, &["judge", &path, "--results", "results", "--fail-on", "contradicted"]);
    assert_eq!(passed.status.code(), Some(0));
}

#[test]
fn a_frozen_meaning_is_never_frozen_again() {
    let (_outer, folder) = starter();
    let path = freeze(&folder);
    let before = fs::read(folder.join(&path)).unwrap();
    let spec = folder.join("study.prespec");
    let changed = fs::read_to_string(&spec).unwrap().replace("# What is planned.", "# What we plan.");
    fs::write(&spec, changed).unwrap();
    let again = run(&folder, &["freeze", "study.prespec"]);
    assert_eq!(again.status.code(), Some(0));
    assert!(text(&again.stdout).starts_with("already frozen as sha256:"), "{}", text(&again.stdout));
    assert_eq!(before, fs::read(folder.join(&path)).unwrap());
    let other = fs::read_to_string(&spec).unwrap().replace("margin worthwhile = 5 pp", "margin worthwhile = 3 pp");
    fs::write(&spec, other).unwrap();
    let refused = run(&folder, &["freeze", "study.prespec"]);
    assert_eq!(refused.status.code(), Some(1), "a second first freeze is refused");
    assert_eq!(fs::read_dir(folder.join("preregistrations/first_study")).unwrap().count(), 1);
}

#[test]
fn tampering_is_found_and_nothing_is_judged() {
    let (_outer, folder) = starter();
    let path = freeze(&folder);
    let tasks = folder.join("data/tasks.csv");
    let original = fs::read_to_string(&tasks).unwrap();
    fs::write(&tasks, original.replace("sum-01,easy", "sum-01,hard")).unwrap();
    let verified = run(&folder, &["verify", &path]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(text(&verified.stdout).contains("PR111"), "{}", text(&verified.stdout));
    let judged = run(&folder, &["judge", &path, "--results", "results"]);
    assert_eq!(judged.status.code(), Some(1));
    assert!(judged.stdout.is_empty());
    fs::write(&tasks, original).unwrap();
    let frozen = folder.join(&path);
    let bytes = fs::read_to_string(&frozen).unwrap();
    fs::write(&frozen, bytes.replace("\"0.05\"", "\"0.06\"")).unwrap();
    assert_eq!(run(&folder, &["verify", &path]).status.code(), Some(1));
    assert_eq!(run(&folder, &["verify", "absent.freeze.json"]).status.code(), Some(2));
}

#[test]
fn an_unfrozen_spec_is_only_explored() {
    let (_outer, folder) = starter();
    let refused = run(&folder, &["judge", "study.prespec", "--results", "results"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = text(&refused.stderr);
    for part in ["is not a frozen file", "why:", "do:"] {
        assert!(message.contains(part), "{message}");
    }
    let explored =
        run(&folder, &["judge", "study.prespec", "--exploratory", "--results", "results", "--format", "json"]);
    let document: Value = serde_json::from_slice(&explored.stdout).unwrap();
    assert_eq!(document["exploratory"], true);
    assert!(document.get("freeze_id").is_none());
    let label = document["hypotheses"][0]["sets"][0]["verdict"]["label"].as_str().unwrap();
    assert!(label.starts_with("exploratory:"), "{label}");
}

#[test]
fn a_look_at_part_of_the_results_leaves_a_line() {
    let (_outer, folder) = starter();
    let spec = folder.join("study.prespec");
    let text_of_spec =
        fs::read_to_string(&spec).unwrap().replace("count errored, missing as incorrect", "count errored as incorrect");
    fs::write(&spec, text_of_spec).unwrap();
    let results = folder.join("results/results.csv");
    let rows = fs::read_to_string(&results).unwrap();
    let part: Vec<&str> = rows.lines().filter(|line| !line.starts_with("sum-07,")).collect();
    fs::write(&results, part.join("\n") + "\n").unwrap();
    let path = freeze(&folder);
    let refused = run(&folder, &["judge", &path, "--results", "results"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("sum-07"), "{}", text(&refused.stderr));
    for count in 1..=2 {
        let looked = run(&folder, &["judge", &path, "--results", "results", "--partial", "--format", "json"]);
        assert_eq!(looked.status.code(), Some(0), "{}", text(&looked.stderr));
        let document: Value = serde_json::from_slice(&looked.stdout).unwrap();
        assert_eq!(document["partial"], true);
        let list = fs::read_to_string(folder.join("preregistrations/first_study/LOOKS.jsonl")).unwrap();
        let lines: Vec<Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), count);
        let last = lines.last().unwrap();
        assert_eq!((last["planned"].as_u64(), last["present"].as_u64()), (Some(160), Some(156)));
        assert_eq!(last.get("prev").is_some(), count == 2);
    }
}

/// A planned look leaves its line as well; the last one looks at everything and leaves none.
#[test]
fn a_planned_look_is_recorded_and_units_that_never_come_end_the_study() {
    let (_outer, folder) = starter();
    let spec = folder.join("study.prespec");
    let planned = fs::read_to_string(&spec)
        .unwrap()
        .replacen("hypothesis H1", "looks { at 20; maximum 40 task; spend pocock }\n\nhypothesis H1", 1)
        .replacen("\"failed\" -> errored", "\"failed\" -> errored; \"gone\" -> cancelled", 1);
    assert!(planned.contains("gone"), "the starter maps the state of failed runs");
    fs::write(&spec, planned).unwrap();
    let path = freeze(&folder);
    let results = folder.join("results/results.csv");
    let rows = fs::read_to_string(&results).unwrap();
    let list = folder.join("preregistrations/first_study/LOOKS.jsonl");
    let judge = || run(&folder, &["judge", &path, "--results", "results"]);
    let of = |keep: &dyn Fn(&str) -> bool| rows.lines().filter(|line| keep(line)).collect::<Vec<_>>().join("\n") + "\n";

    fs::write(&results, of(&|line| line.starts_with("task,") || &line[..6] <= "sum-20")).unwrap();
    let looked = judge();
    assert_eq!(looked.status.code(), Some(0), "{}", text(&looked.stderr));
    assert!(text(&looked.stdout).contains("interim look 1 of 2"));
    assert_eq!(fs::read_to_string(&list).unwrap().lines().count(), 1);

    fs::write(&results, of(&|line| !line.starts_with("sum-40"))).unwrap();
    let refused = judge();
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("39 of 40 units"), "{}", text(&refused.stderr));

    let gone = ["plain,1", "plain,2", "checked,1", "checked,2"].map(|cell| format!("sum-40,{cell},gone,\n"));
    fs::write(&results, of(&|line| !line.starts_with("sum-40")) + &gone.concat()).unwrap();
    let last = judge();
    assert_eq!(last.status.code(), Some(0), "{}", text(&last.stderr));
    assert!(text(&last.stdout).contains("the last of 2 planned looks"));
    assert_eq!(fs::read_to_string(&list).unwrap().lines().count(), 1);
}

#[test]
fn every_code_is_explained_and_unknown_ones_are_not() {
    let here = Path::new(".");
    let all = text(&run(here, &["explain", "all"]).stdout);
    assert!(all.lines().count() > 50);
    for line in all.lines() {
        let code = line.split_whitespace().next().unwrap();
        let page = run(here, &["explain", code]);
        assert!(page.status.success());
        assert!(text(&page.stdout).starts_with(&format!("# {code}:")), "{code}");
    }
    assert_eq!(run(here, &["explain", "E9999"]).status.code(), Some(2));
}

#[test]
fn the_digest_says_the_meaning_and_not_the_layout() {
    let (_outer, folder) = starter();
    let digest = |folder: &Path| text(&run(folder, &["digest", "study.prespec"]).stdout);
    let first = digest(&folder);
    assert_eq!(first.lines().count(), 1);
    let spec = folder.join("study.prespec");
    let original = fs::read_to_string(&spec).unwrap();
    let study = original.replace("study first_study", "study another_name").replace("5 pp higher", "5.0 pp higher");
    fs::write(&spec, study).unwrap();
    assert_eq!(first, digest(&folder), "neither the study's name nor a spelling of a number is meaning");
    fs::write(&spec, original.replace("5 pp higher", "5.1 pp higher")).unwrap();
    assert_ne!(first, digest(&folder));
}

#[test]
fn formatting_is_checked_and_done() {
    let (_outer, folder) = starter();
    let spec = folder.join("study.prespec");
    let original = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, original.replace("  repeat 2", "      repeat    2")).unwrap();
    assert_eq!(run(&folder, &["fmt", "--check", "study.prespec"]).status.code(), Some(1));
    assert_eq!(run(&folder, &["fmt", "study.prespec"]).status.code(), Some(0));
    assert_eq!(run(&folder, &["fmt", "--check", "study.prespec"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&spec).unwrap(), original);
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let here = tempfile::tempdir().unwrap();
    assert_eq!(run(here.path(), &["check", "absent.prespec"]).status.code(), Some(2));
    assert_eq!(run(here.path(), &["unknown"]).status.code(), Some(2));
    assert_eq!(
        run(here.path(), &["judge", "x.freeze.json", "--results", "r", "--fail-on", "lost"]).status.code(),
        Some(2)
    );
    fs::write(here.path().join("a.txt"), "x").unwrap();
    assert_eq!(run(here.path(), &["new", "."]).status.code(), Some(2));
    assert_eq!(run(here.path(), &["--help"]).status.code(), Some(0));
}

/// A frozen file whose bytes were edited and whose name was made to fit them again.
fn forged(folder: &Path, path: &str, edit: impl Fn(&str) -> String) -> String {
    let old = fs::read_to_string(folder.join(path)).unwrap();
    let new = edit(&old);
    assert_ne!(old, new);
    let id = prespec::canon::digest::freeze_id(new.as_bytes());
    let forged = Path::new("preregistrations/first_study").join(prespec::register::file::file_name(0, &id));
    fs::remove_file(folder.join(path)).unwrap();
    fs::create_dir_all(folder.join(&forged).parent().unwrap()).unwrap();
    fs::write(folder.join(&forged), new).unwrap();
    forged.display().to_string()
}

#[test]
fn a_frozen_file_whose_text_says_otherwise_is_neither_verified_nor_judged() {
    type Edit = fn(&str) -> String;
    let edits: [(&str, Edit); 2] = [
        ("source", |bytes| bytes.replacen("= 5 pp higher", "= 1 pp higher", 1)),
        ("warning", |bytes| {
            let (before, rest) = bytes.split_once("\"warnings\":[").unwrap();
            format!("{before}\"warnings\":[{}", &rest[rest.find(']').unwrap()..])
        }),
    ];
    for (what, edit) in edits {
        let (_outer, folder) = starter();
        let path = forged(&folder, &freeze(&folder), edit);
        let verified = run(&folder, &["verify", &path]);
        let said = text(&verified.stdout) + &text(&verified.stderr);
        assert_eq!(verified.status.code(), Some(1), "{what}: {said}");
        assert!(said.contains("PR108"), "{what}: {said}");
        assert_eq!(run(&folder, &["judge", &path, "--results", "results"]).status.code(), Some(1), "{what}");
    }
}

#[test]
fn what_is_judged_is_never_written_over() {
    let (_outer, folder) = starter();
    let path = freeze(&folder);
    let result = fs::read_dir(folder.join("results")).unwrap().next().unwrap().unwrap().path().display().to_string();
    for target in [path.as_str(), "study.prespec", &result, "results/new.json"] {
        for flag in ["--out", "--report"] {
            let judged = run(&folder, &["judge", &path, "--results", "results", flag, target]);
            assert_eq!(judged.status.code(), Some(2), "{flag} {target}: {}", text(&judged.stderr));
        }
    }
    let both = run(&folder, &["judge", &path, "--results", "results", "--out", "one", "--report", "one"]);
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(run(&folder, &["verify", &path]).status.code(), Some(0));
}
