//! Dependencies: each is explained in `docs/dependencies.md`, nothing else is, and every package in the build has a licence that
//! is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Licences that ask for no more than to keep a notice.
const ALLOWED: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// The crates of one section of `Cargo.toml`.
fn declared(section: &str) -> BTreeSet<String> {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once(&format!("\n[{section}]\n")).unwrap();
    let lines = rest.lines().take_while(|line| !line.starts_with('['));
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once('=')?.0.trim().to_owned()))
        .collect()
}

/// The cells of the table below a heading, by the crate that its first cell names.
fn listed(heading: &str) -> BTreeMap<String, Vec<String>> {
    let text = read("docs/dependencies.md");
    let (_, rest) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let rows = rest.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<String> = row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        (cells[0].trim_matches('`').to_owned(), cells)
    })
    .collect()
}

#[test]
fn every_dependency_is_explained_and_nothing_else_is() {
    for (section, heading) in [("dependencies", "Of the program"), ("dev-dependencies", "Of tests and benches")] {
        let (declared, listed) = (declared(section), listed(heading));
        assert!(declared.len() >= 5, "{declared:?}");
        assert_eq!(listed.keys().cloned().collect::<BTreeSet<_>>(), declared, "{section}");
        for (name, cells) in listed {
            assert_eq!(cells.len(), 7, "{name}");
            assert!(cells.iter().all(|cell| !cell.is_empty()), "{name}: an empty cell");
        }
    }
}

/// The packages of the build on this platform: name, version, licence.
fn packages() -> Vec<(String, String, String)> {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(ROOT).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages.map(|package| (text(&package["name"]), text(&package["version"]), text(&package["license"]))).collect()
}

#[test]
fn versions_and_licences_are_those_of_the_build() {
    let packages = packages();
    for heading in ["Of the program", "Of tests and benches"] {
        for (name, cells) in listed(heading) {
            let found: Vec<_> = packages.iter().filter(|(package, ..)| *package == name).collect();
            let same = |(_, version, licence): &&(String, String, String)| {
                *version == cells[1] && licence.replace('/', " OR ") == cells[2]
            };
            assert!(found.iter().any(same), "{name}: listed as {} {}, found {found:?}", cells[1], cells[2]);
        }
    }
}

/// Whether an SPDX expression leaves a choice that is allowed: `OR` needs one side, `AND` both, `WITH` belongs to its licence.
/// `AND` binds tighter than `OR`; the old `MIT/Apache-2.0` means `OR`. Anything else is refused.
fn allowed(expression: &str) -> Result<bool, String> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let value = any(&tokens, &mut at)?;
    if at == tokens.len() { Ok(value) } else { Err(format!("`{}` is not expected in `{expression}`", tokens[at])) }
}

fn any(tokens: &[&str], at: &mut usize) -> Result<bool, String> {
    let mut value = all(tokens, at)?;
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        value |= all(tokens, at)?;
    }
    Ok(value)
}

fn all(tokens: &[&str], at: &mut usize) -> Result<bool, String> {
    let mut value = one(tokens, at)?;
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        value &= one(tokens, at)?;
    }
    Ok(value)
}

fn one(tokens: &[&str], at: &mut usize) -> Result<bool, String> {
    let token = *tokens.get(*at).ok_or("the expression ends too early")?;
    *at += 1;
    if token == "(" {
        let value = any(tokens, at)?;
        if tokens.get(*at) != Some(&")") {
            return Err("a bracket is not closed".to_owned());
        }
        *at += 1;
        return Ok(value);
    }
    let name = |token: &str| {
        let plain = token.chars().all(|c| c.is_ascii_alphanumeric() || "-.+".contains(c));
        plain && !["OR", "AND", "WITH"].contains(&token)
    };
    if !name(token) {
        return Err(format!("`{token}` is no licence"));
    }
    let mut licence = token.to_owned();
    if tokens.get(*at) == Some(&"WITH") {
        let exception = tokens.get(*at + 1).copied().filter(|token| name(token)).ok_or("`WITH` names no exception")?;
        *at += 2;
        licence = format!("{token} WITH {exception}");
    }
    Ok(ALLOWED.contains(&licence.as_str()))
}

#[test]
fn licence_expressions_are_read_properly() {
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("MIT OR GPL-3.0-only", true),
        ("MIT AND GPL-3.0-only", false),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", true),
        ("MIT OR GPL-3.0-only AND LGPL-3.0-only", true),
        ("(MIT OR Apache-2.0) AND LGPL-3.0-only", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("MIT WITH LLVM-exception", false),
        ("GPL-2.0-only WITH Classpath-exception-2.0", false),
        ("GPL-2.0-only WITH Classpath-exception-2.0 OR MIT", true),
        ("Unlicense/MIT", true),
    ] {
        assert_eq!(allowed(expression), Ok(expected), "{expression}");
    }
    for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT MIT", "OR MIT", "MIT WITH", "MIT WITH OR", "MIT, Apache-2.0"]
    {
        assert!(allowed(expression).is_err(), "{expression}");
    }
}

#[test]
fn every_licence_in_the_build_is_allowed() {
    let packages = packages();
    assert!(packages.len() > 60, "{}", packages.len());
    let refused: Vec<String> = packages
        .iter()
        .filter_map(|(name, version, licence)| match allowed(licence) {
            Ok(true) => None,
            Ok(false) => Some(format!("{name} {version}: `{licence}` is not allowed")),
            Err(why) => Some(format!("{name} {version}: `{licence}`: {why}")),
        })
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
