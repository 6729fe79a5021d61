//! Parsing, recovery and formatting, from the outside.

use prespec::source::Sources;
use prespec::syntax::{self, ast};

fn parse(text: &str) -> (ast::File, Vec<prespec::diagnostic::Diagnostic>) {
    let mut sources = Sources::default();
    syntax::parse(&mut sources, "spec.prespec", text, &mut |path| Err(format!("no {path} in this test")))
}

/// Code and line of each finding.
fn findings(text: &str) -> Vec<(String, usize)> {
    let mut sources = Sources::default();
    let (_, found) = syntax::parse(&mut sources, "spec.prespec", text, &mut |_| Err("absent".to_owned()));
    found
        .iter()
        .map(|d| {
            let file = sources.get(d.primary.span.file).unwrap();
            (format!("{} {}", d.code.number(), d.message), file.line_column(d.primary.span.start).0)
        })
        .collect()
}

fn specs() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syntax");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_form_of_the_language_parses() {
    let specs = specs();
    assert!(specs.len() >= 4);
    for (name, text) in specs {
        assert_eq!(findings(&text), vec![], "{name}");
        let (file, _) = parse(&text);
        assert_eq!(file.language.map(|version| version.node), Some(1), "{name}");
        assert!(!file.items.is_empty());
    }
}

/// All specs of the repository.
fn all_specs() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') && !path.ends_with("tests/ui") {
                folders.push(path);
            } else if name.ends_with(".prespec") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_specs_of_the_repository_parse() {
    let bad: Vec<_> = all_specs()
        .iter()
        .map(|(name, text)| (name.clone(), findings(text)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn formatting_is_idempotent_and_keeps_meaning_and_comments() {
    for (name, text) in all_specs() {
        let once = syntax::format::format(&text).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert_eq!(syntax::format::format(&once).as_ref(), Ok(&once), "{name}");
        assert_eq!(parse(&text).0, parse(&once).0, "{name}");
        assert_eq!(text.matches('#').count(), once.matches('#').count(), "{name}");
    }
}

#[test]
fn formatting_normalises_spacing_and_keeps_comments() {
    let text = "language 1\n\n\n\n# first\nmeasure  a=mean( correct )# why\n\tfactor f = -1|2 ;\n\nestimand e =\n  a[ s2 ]-a[f:2] # there\n  * -2/3\nfamily g\n{\n\n members e;adjust holm ; # last\n\n}\n# end";
    let wanted = "language 1\n\n# first\nmeasure a = mean(correct)  # why\nfactor f = -1 | 2\n\nestimand e =\n  a[s2] - a[f: 2]  # there\n  * -2/3\nfamily g {\n  members e; adjust holm  # last\n}\n# end\n";
    assert_eq!(syntax::format::format(text).as_deref(), Ok(wanted));
}
