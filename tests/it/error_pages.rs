//! The pages of `docs/errors/`: each has its sections, its bad example is reported with its code and its good one is not.

use std::path::Path;

use prespec::check::analyse;
use prespec::diagnostic::{CODES, Code, Severity};
use prespec::source::Sources;

const SECTIONS: [&str; 6] =
    ["## What it means", "## Why it matters", "## Bad", "## Good", "## What to do", "## Can it be waived?"];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// A page of the long form, which every code about rules, evidence and families has.
fn written(page: &str) -> bool {
    page.contains("\n## What it means\n")
}

/// The text of a section.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}` in\n{page}"));
    rest.split("\n## ").next().unwrap()
}

/// The spec between the fences, if there is one.
fn fenced(text: &str) -> Option<&str> {
    text.split_once("```prespec\n")?.1.split_once("\n```").map(|(inside, _)| inside)
}

/// An example with the declarations it goes on from, unless it is a spec of its own.
fn whole(example: &str) -> String {
    if example.starts_with("language 1") {
        return example.to_owned();
    }
    let study = read("docs/error_examples.md");
    format!("{}\n\n{example}\n", fenced(&study).unwrap())
}

fn found(text: &str) -> Vec<(Code, Severity, String)> {
    let analysis = analyse("example.prespec", text, &mut |path| Err(format!("{path} is not there")));
    let diagnostics = analysis.diagnostics.into_iter();
    diagnostics
        .map(|found| (found.code, found.severity, format!("{} {}", found.code.number(), found.message)))
        .collect()
}

/// Whether a check outside of `code.rs` can report this code.
fn raised(code: Code, folder: &Path) -> bool {
    let name = format!("Code::{code:?}");
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return raised(code, &path);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        text.match_indices(&name).any(|(at, _)| !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric()))
    })
}

#[test]
fn every_page_is_headed_by_its_code_and_has_its_sections() {
    for entry in CODES {
        assert_eq!(entry.page.lines().next(), Some(format!("# {}: {}", entry.number, entry.title).as_str()));
        if !written(entry.page) {
            assert!(!entry.number.starts_with("E04"), "{} has no page of the long form", entry.number);
            continue;
        }
        let headings: Vec<&str> = entry.page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, SECTIONS, "{}", entry.number);
        for heading in SECTIONS {
            assert!(section(entry.page, heading).trim().len() > 20, "{} {heading}", entry.number);
        }
        let waivable = section(entry.page, SECTIONS[5]).trim().starts_with("Yes");
        assert_eq!(waivable, entry.code.waivable(), "{}: what the page says of waiving", entry.number);
    }
}

#[test]
fn pages_say_which_codes_are_reserved() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in CODES.iter().filter(|entry| written(entry.page)) {
        let reserved = section(entry.page, SECTIONS[0]).contains("This number is reserved: no check");
        assert_eq!(!reserved, raised(entry.code, &source), "{}: what the page says of being reserved", entry.number);
    }
}

#[test]
fn good_examples_parse_and_check() {
    let mut problems = Vec::new();
    for entry in CODES.iter().filter(|entry| written(entry.page)) {
        let good =
            fenced(section(entry.page, SECTIONS[3])).unwrap_or_else(|| panic!("{} has no good spec", entry.number));
        let text = whole(good);
        let mut sources = Sources::default();
        let (_, diagnostics) =
            prespec::syntax::parse(&mut sources, entry.number, &text, &mut |path| Err(path.to_owned()));
        if let Some(first) = diagnostics.first() {
            problems.push(format!("{}: {}", entry.number, first.message));
        }
        let reserved = section(entry.page, SECTIONS[0]).contains("This number is reserved");
        for (code, severity, message) in found(&text) {
            if code == entry.code || (severity == Severity::Error && !reserved) {
                problems.push(format!("{}: the good example gives {message}", entry.number));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn bad_examples_give_their_code_and_no_other_error() {
    let mut problems = Vec::new();
    let mut examples = 0;
    for entry in CODES.iter().filter(|entry| written(entry.page)) {
        let Some(bad) = fenced(section(entry.page, SECTIONS[2])) else { continue };
        if section(entry.page, SECTIONS[0]).contains("This number is reserved") {
            continue;
        }
        examples += 1;
        let all = found(&whole(bad));
        if !all.iter().any(|(code, _, _)| *code == entry.code) {
            problems.push(format!("{} is not reported, but {all:?}", entry.number));
        }
        for (code, severity, message) in all {
            if code != entry.code && severity == Severity::Error {
                problems.push(format!("{}: the bad example gives {message}", entry.number));
            }
        }
    }
    assert!(examples >= 24, "{examples}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
