//! The studies that ship must check.

use std::fmt::Write as _;
use std::path::Path;

use prespec::check::{Analysis, analyse};
use prespec::diagnostic::Severity;

const STUDIES: [&str; 8] = [
    "specs/gaia_scaffolds/gaia_scaffolds.prespec",
    "examples/first_study/first_study.prespec",
    "tests/cases/a1_chess/a1_chess.prespec",
    "tests/cases/a2_probe/a2_probe.prespec",
    "tests/cases/a3_overcooked/a3_overcooked.prespec",
    "tests/cases/a4_placebo/a4_placebo.prespec",
    "tests/cases/a5_defence/a5_defence.prespec",
    "tests/cases/a6_quotient/a6_quotient.prespec",
];

fn study(path: &str) -> Analysis {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join(path)).unwrap();
    analyse(path, &text, &mut |include| Err(format!("{include} is not expected")))
}

fn shown(analysis: &Analysis, least: Severity) -> String {
    let mut text = String::new();
    for found in analysis.diagnostics.iter().filter(|found| found.severity <= least) {
        let file = analysis.sources.get(found.primary.span.file).unwrap();
        let (line, column) = file.line_column(found.primary.span.start);
        writeln!(text, "{}:{line}:{column}: {} {}", file.name, found.code.number(), found.message).unwrap();
        found.help.iter().for_each(|help| writeln!(text, "    {help}").unwrap());
    }
    text
}

#[test]
fn every_study_that_ships_checks() {
    let mut problems = String::new();
    for path in STUDIES {
        let analysis = study(path);
        problems += &shown(&analysis, Severity::Error);
        assert_eq!(analysis.spec.is_some(), !analysis.has_errors(), "{path}");
    }
    assert!(problems.is_empty(), "\n{problems}");
}
