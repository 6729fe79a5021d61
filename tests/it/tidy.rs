//! What holds of the sources as text: the order of modules, sizes, names, forgotten files, left-overs, error pages.

use prespec::diagnostic::CODES;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, iter};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Everything that is kept, but not what is built.
const KEPT: [&str; 11] =
    [".ci", ".github", "benches", "docs", "examples", "fuzz/fuzz_targets", "grammar", "specs", "src", "tests", "."];
const LONGEST: usize = 800;

/// Files below the kept folders, by path from the root with `/` between names; of the root itself only its own files.
fn files() -> BTreeSet<String> {
    let root = Path::new(ROOT);
    let mut open: Vec<PathBuf> = KEPT.iter().filter(|kept| **kept != ".").map(|kept| root.join(kept)).collect();
    let mut found: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.is_file() && !path.components().any(|part| part.as_os_str() == "__pycache__"));
    let below = |path: &PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
    found.iter().map(below).collect()
}

fn text(path: &str) -> String {
    String::from_utf8_lossy(&fs::read(Path::new(ROOT).join(path)).unwrap()).into_owned()
}

fn ending(path: &str) -> &str {
    path.rsplit('.').next().unwrap()
}

fn sources(folder: &str) -> Vec<(String, String)> {
    let rust = files().into_iter().filter(|path| path.starts_with(folder) && ending(path) == "rs");
    rust.map(|path| (path.clone(), text(&path))).collect()
}

/// The modules of the library in the order of `src/lib.rs`, which is the order of the data flow.
fn flow() -> Vec<String> {
    let lib = text("src/lib.rs");
    lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect()
}

fn name_at_start(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// The first names of `a::b, c, d::{e, f}}`, up to the brace that closes the group.
fn group_names(text: &str) -> Vec<&str> {
    let mut names = vec![name_at_start(text.trim_start())];
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(name_at_start(text[at + 1..].trim_start())),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// Names that a file at this depth below `src` takes from the root of the crate, by `crate::` or by enough `super::`.
fn taken_from_root(code: &str, depth: usize) -> Vec<&str> {
    let prefixes = iter::once("crate::".to_owned()).chain((depth..depth + 3).map(|count| "super::".repeat(count)));
    let mut names = Vec::new();
    for prefix in prefixes {
        for (at, _) in code.match_indices(&prefix) {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            let rest = &code[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(group) => names.extend(group_names(group)),
                None => names.push(name_at_start(rest)),
            }
        }
    }
    names
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Imports against the flow: file, module it belongs to, module it takes.
fn against_the_flow(flow: &[String], sources: &[(String, String)]) -> Vec<String> {
    let place = |name: &str| flow.iter().position(|module| module == name);
    let mut wrong = Vec::new();
    for (path, text) in sources {
        let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
        let module = inner.split('/').next().unwrap();
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let Some(own) = place(module) else {
            wrong.push(format!("{path}: `{module}` is not a module of src/lib.rs"));
            continue;
        };
        for taken in taken_from_root(&without_comments(text), inner.split('/').count()) {
            if place(taken).is_some_and(|taken| taken > own) {
                wrong.push(format!("{path}: `{module}` takes from `{taken}`, which comes after it"));
            }
        }
    }
    wrong
}

#[test]
fn imports_run_one_way() {
    let flow = flow();
    assert!(flow.len() >= 17, "src/lib.rs lists its modules: {flow:?}");
    let wrong = against_the_flow(&flow, &sources("src/"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_import_against_the_flow_is_found_in_every_spelling() {
    let flow = ["low", "middle", "high"].map(str::to_owned);
    let found = |path: &str, text: &str| against_the_flow(&flow, &[(path.to_owned(), text.to_owned())]).len();
    assert_eq!(found("src/low.rs", "use crate::high::Thing;"), 1);
    assert_eq!(found("src/low/part.rs", "fn f() { crate::middle::call() }"), 1);
    assert_eq!(found("src/low/part.rs", "use crate::{low::{self, other}, high::{a, b}};"), 1);
    assert_eq!(found("src/low/part.rs", "use super::super::middle::Thing;"), 1);
    assert_eq!(found("src/low.rs", "mod tests { use super::super::middle::Thing; }"), 1);
    assert_eq!(found("src/absent.rs", ""), 1);
    assert_eq!(found("src/low/part.rs", "use super::middle::Thing; // a submodule of the same name"), 0);
    assert_eq!(found("src/high.rs", "use crate::{low, middle::Thing};"), 0);
    assert_eq!(found("src/low.rs", "//! Read by [`crate::high`]."), 0);
}

#[test]
fn no_file_is_two_things() {
    let code = files().into_iter().filter(|path| ["rs", "pest", "py"].contains(&ending(path)));
    let long: Vec<_> = code.filter(|path| text(path).lines().count() > LONGEST).collect();
    assert!(long.is_empty(), "above {LONGEST} lines: {long:?}");
}

#[test]
fn no_source_file_is_forgotten() {
    let mut forgotten = Vec::new();
    for (path, _) in sources("src/").into_iter().chain(sources("tests/it/")) {
        let (folder, file) = path.rsplit_once('/').unwrap();
        let name = file.trim_end_matches(".rs");
        if ["lib", "main"].contains(&name) {
            continue;
        }
        let parent = match folder {
            "src" => "src/lib.rs".to_owned(),
            "tests/it" => "tests/it/main.rs".to_owned(),
            _ => format!("{folder}.rs"),
        };
        let declared = |line: &str| {
            let item = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
            item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) == Some(name)
        };
        if !Path::new(ROOT).join(&parent).is_file() || !text(&parent).lines().any(declared) {
            forgotten.push(format!("{path} is not declared in {parent}"));
        }
    }
    assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
}

#[test]
fn names_say_what_a_file_owns() {
    let vague = ["mod", "utils", "util", "helpers", "helper", "manager", "common", "misc"];
    let stem = |path: &str| path.rsplit('/').next().unwrap().split('.').next().unwrap().to_owned();
    let wrong: Vec<_> =
        files().into_iter().filter(|path| ending(path) == "rs" && vague.contains(&&*stem(path))).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_module_says_what_it_owns() {
    let all = ["src/", "tests/it/", "benches/", "fuzz/fuzz_targets/"].into_iter().flat_map(sources);
    let silent: Vec<_> = all.filter(|(_, text)| !text.starts_with("//! ")).map(|(path, _)| path).collect();
    assert!(silent.is_empty(), "no `//!` at the top: {silent:?}");
}

#[test]
fn nothing_is_left_over() {
    // Each in two halves, so that this list does not find itself.
    let calls =
        [("todo", "!("), ("unimpl", "emented!("), ("db", "g!("), ("#[ig", "nore")].map(|(a, b)| [a, b].concat());
    let notes = [("TO", "DO"), ("FIX", "ME"), ("XX", "X")].map(|(a, b)| [a, b].concat());
    let all = ["src/", "tests/it/", "benches/", "fuzz/fuzz_targets/", "examples/"].into_iter().flat_map(sources);
    let mut found = Vec::new();
    for (path, text) in all {
        found.extend(calls.iter().filter(|word| text.contains(&**word)).map(|word| format!("{path}: {word}")));
        // In a string the word is data: the compiler itself refuses placeholders in specs.
        let comments: String = text.lines().filter_map(|line| line.split_once("//")).map(|(_, note)| note).collect();
        found.extend(notes.iter().filter(|word| comments.contains(&**word)).map(|word| format!("{path}: {word}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let forbidden = [("work", "place"), ("/wo", "rk/"), ("the br", "ief"), ("/ro", "ot/"), ("sub", "agent")]
        .map(|(a, b)| [a, b].concat());
    let neighbour = ["sha", "red/"].concat();
    let mut found = Vec::new();
    for path in files().into_iter().filter(|path| path != "Cargo.lock") {
        let text = text(&path);
        let lower = text.to_lowercase();
        found.extend(forbidden.iter().filter(|word| lower.contains(&**word)).map(|word| format!("{path}: {word}")));
        // Data that lies beside the project may be named by what tests it, and only as a neighbour.
        let may =
            ["tests/", "benches/", ".ci/"].iter().any(|start| path.starts_with(start)) || path.ends_with("tests.rs");
        let bad = |at: usize| !may || !text[..at].ends_with("../");
        if text.match_indices(&neighbour).any(|(at, _)| bad(at)) {
            found.push(format!("{path}: {neighbour}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_two_commands_of_the_readme_are_what_the_checks_run() {
    let readme = text("README.md");
    let section = readme.split("\n## ").find(|section| section.starts_with("Two commands\n")).unwrap();
    let commands: Vec<_> = section.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let checks = text(".ci/run");
    for command in commands {
        let runs = |line: &str| line.starts_with("step ") && line.ends_with(&format!(" {command}"));
        assert!(checks.lines().any(runs), "`{command}` is no step of .ci/run");
    }
}

#[test]
fn every_link_of_the_readme_leads_somewhere() {
    let readme = text("README.md");
    let links: Vec<_> = readme.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)).collect();
    assert!(!links.is_empty());
    let broken: Vec<_> = links.into_iter().filter(|link| !Path::new(ROOT).join(link).exists()).collect();
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let codes: BTreeMap<_, _> = CODES.iter().map(|entry| (entry.number.to_owned(), entry)).collect();
    assert_eq!(codes.len(), CODES.len(), "a number is used twice");
    let pages: BTreeSet<_> = files()
        .iter()
        .filter_map(|path| Some(path.strip_prefix("docs/errors/")?.strip_suffix(".md")?.to_owned()))
        .collect();
    assert_eq!(codes.keys().cloned().collect::<BTreeSet<_>>(), pages);
    for (number, entry) in codes {
        let heading = format!("# {number}: {}", entry.title);
        assert_eq!(entry.page.lines().next(), Some(&*heading), "the heading of docs/errors/{number}.md");
    }
}
