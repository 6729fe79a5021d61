//! The studies that ship must check.

use std::fmt::Write as _;
use std::path::Path;

use prespec::check::{Analysis, analyse};
use prespec::diagnostic::Severity;

const STUDIES: [&str; 9] = [
    "specs/gaia_scaffolds/gaia_scaffolds.prespec",
    "examples/first_study/first_study.prespec",
    "tests/cases/a1_chess/a1_chess.prespec",
    "tests/cases/a2_probe/a2_probe.prespec",
    "tests/cases/a3_overcooked/a3_overcooked.prespec",
    "tests/cases/a4_placebo/a4_placebo.prespec",
    "tests/cases/a5_defence/a5_defence.prespec",
    "tests/cases/a6_quotient/a6_quotient.prespec",
    "tests/cases/comparisons/comparisons.prespec",
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

/// Each spec in `tests/ui/check` is named after the code it gives, and gives no error of another code: a mistake is
/// reported once, where it is.
#[test]
fn mistakes_do_not_cascade() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/check");
    let mut problems = String::new();
    let mut specs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    specs.retain(|path| path.extension().is_some_and(|ending| ending == "prespec"));
    specs.sort();
    assert!(specs.len() > 30);
    for path in specs {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let code = name.split('_').next().unwrap().to_uppercase();
        let text = std::fs::read_to_string(&path).unwrap();
        let analysis = analyse(&name, &text, &mut |_| Err("no includes".into()));
        let given = analysis.diagnostics.iter().any(|found| found.code.number() == code);
        let others =
            analysis.diagnostics.iter().any(|found| found.severity == Severity::Error && found.code.number() != code);
        if !given || others {
            let _ = writeln!(problems, "{name}:\n{}", shown(&analysis, Severity::Error));
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

#[test]
fn pairs_are_counted_once() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/a5_defence/a5_defence.prespec"),
    )
    .unwrap();
    let text = text.replace(
        "hypothesis H1",
        "estimand pairs per pair of defence = together\nfamily all_pairs { members pairs; count 28 }\n\nhypothesis H1",
    );
    let analysis = analyse("pairs", &text, &mut |_| Err(String::new()));
    let told: Vec<&str> = analysis.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert!(told.contains(&"`all_pairs` says 28 members; there are 21"), "{told:?}");
}

#[test]
fn defaults_are_written_out() {
    let analysis = study("tests/cases/a5_defence/a5_defence.prespec");
    let spec = analysis.spec.unwrap();
    assert!(spec.sets.contains_key("all"), "without an analysis set there is one");
    assert_eq!(spec.hypotheses["H1"].sets, ["all"]);
    let measure = &spec.measures["together"];
    assert_eq!(measure.parameters, [("a".to_owned(), "defence".to_owned()), ("b".to_owned(), "defence".to_owned())]);
    let observed = &spec.values["observed"].entries[""];
    assert_eq!(
        observed.dimension,
        prespec::spec::Dimension::Proportion,
        "a bare value takes the unit of what it meets"
    );
}

#[test]
fn declaration_order_never_shows() {
    for path in STUDIES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let mut blocks: Vec<String> = Vec::new();
        let mut depth = 0_i32;
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty()) {
            let continues = line.starts_with(' ') || line.starts_with('}');
            match blocks.last_mut() {
                Some(block) if depth > 0 || continues => {
                    block.push('\n');
                    block.push_str(line);
                }
                _ => blocks.push(line.to_owned()),
            }
            depth += line.chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum::<i32>();
        }
        let language = blocks.remove(0);
        blocks.reverse();
        let reversed = format!("{language}\n{}\n", blocks.join("\n"));
        let there = analyse(path, &text, &mut |_| Err(String::new())).spec;
        let back = analyse(path, &reversed, &mut |_| Err(String::new()));
        assert!(there.is_some(), "{path}");
        assert_eq!(there, back.spec, "{path}\n{}", shown(&back, Severity::Error));
    }
}

/// A generated study of ten thousand lines costs ten times what one of a thousand lines costs, counted in visited nodes.
#[test]
fn work_grows_in_proportion_to_the_text() {
    let work = |measures: usize| {
        let mut text = std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/first_study/first_study.prespec"),
        )
        .unwrap();
        text.push_str("\nmeasure m0 = mean(correct)\n");
        for at in 1..measures {
            writeln!(text, "measure m{at} = (m{} + accuracy) / 2", at - 1).unwrap();
        }
        writeln!(text, "publish all = m{}", measures - 1).unwrap();
        prespec::check::work(&text)
    };
    let (small, large) = (work(1_000), work(10_000));
    assert!(large <= small * 11, "{small} nodes for 1,000 lines, {large} for 10,000");
}
