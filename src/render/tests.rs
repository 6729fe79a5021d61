//! What every presentation of a diagnostic must say.

use super::{Style, human, json, sarif};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{SourceFile, Sources, Span};

fn sample() -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new("./my specs/ä.prespec", "language 1\nmargin größe = 2 %\nflag a\nflag a\n"));
    let name = Span::new(file, 18, 25);
    let found = vec![
        Diagnostic::error(Code::BadName, name, "`größe` is not a name")
            .label("here")
            .also(Span::new(file, 28, 31), "its value")
            .note("names are ASCII")
            .help("choose another")
            .fix("write `size`", name, "size")
            .about("margin"),
        Diagnostic::warning(Code::Unused, Span::new(file, 37, 38), "`a` is never used"),
        Diagnostic::warning(Code::Unused, Span::new(file, 44, 45), "`a` is never used"),
    ];
    (found, sources)
}

#[test]
fn a_terminal_shows_everything_a_diagnostic_says() {
    let (found, sources) = sample();
    let text = human(&found, &sources, Style::Plain);
    for part in [
        "error[E0208]: `größe` is not a name",
        "./my specs/ä.prespec:2:8",
        "^^^^^",
        "here",
        "its value",
        "note: names are ASCII",
        "help: choose another",
        "help: write `size`",
        "warning[E0209]",
        "1 error, 2 warnings",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "plain text has no escapes");
    assert!(human(&found, &sources, Style::Coloured).contains('\u{1b}'));
    assert_eq!(human(&[], &sources, Style::Plain), "");
}

#[test]
fn a_span_outside_the_text_does_not_stop_rendering() {
    let (_, sources) = sample();
    let wild = [Span::new(0, 9_000, 9_100), Span::new(0, 21, 22), Span::new(7, 0, 1), Span::new(0, 5, 2)];
    for span in wild {
        let found = [Diagnostic::error(Code::Unreadable, span, "somewhere").fix("change", span, "x")];
        assert!(human(&found, &sources, Style::Plain).contains("somewhere"));
        assert!(json(&found, &sources).contains("somewhere"));
        assert!(sarif(&found, &sources).contains("somewhere"));
    }
}

#[test]
fn json_counts_bytes_from_zero_and_lines_from_one() {
    let (found, sources) = sample();
    let document: serde_json::Value = serde_json::from_str(&json(&found, &sources)).unwrap();
    assert_eq!(document["schema"], "prespec-diagnostics/1");
    let first = &document["diagnostics"][0];
    assert_eq!(first["code"], "E0208");
    assert_eq!(first["severity"], "error");
    assert_eq!(first["title"], Code::BadName.title());
    let place = ["line", "column", "end_line", "end_column", "start", "end"].map(|key| first[key].as_u64().unwrap());
    assert_eq!(place, [2, 8, 2, 13, 18, 25]);
    assert_eq!(first["fixes"][0]["replacement"], "size");
    assert_eq!(first["related"][0]["label"], "its value");
    assert_eq!(first["subject"], "margin");
    assert!(document["diagnostics"][1].get("subject").is_none());
}

#[test]
fn sarif_has_stable_rules_fingerprints_and_relative_paths() {
    let (found, sources) = sample();
    let log: serde_json::Value = serde_json::from_str(&sarif(&found, &sources)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "E0208");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "E0208");
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "my%20specs/%C3%A4.prespec");
    assert_eq!(location["region"]["startColumn"], 8);
    let print = |index: usize| run["results"][index]["partialFingerprints"]["prespec/v1"].as_str().unwrap().to_owned();
    assert_ne!(print(1), print(2), "equal findings on equal lines are told apart");

    // Lines that move do not change a finding's identity.
    let (mut moved, mut elsewhere) = (found.clone(), Sources::default());
    let file = sources.get(0).unwrap();
    elsewhere.add(SourceFile::new(file.name.clone(), format!("#\n{}", file.text)));
    for diagnostic in &mut moved {
        diagnostic.primary.span.start += 2;
        diagnostic.primary.span.end += 2;
    }
    let later: serde_json::Value = serde_json::from_str(&sarif(&moved, &elsewhere)).unwrap();
    assert_eq!(later["runs"][0]["results"][0]["partialFingerprints"]["prespec/v1"], print(0).as_str());
}
