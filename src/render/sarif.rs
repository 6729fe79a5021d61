//! Diagnostics as SARIF 2.1.0, for code review tools.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::place::Place;
use crate::diagnostic::{CODES, Diagnostic, Severity};
use crate::source::{Sources, Span};

/// Renders diagnostics as one SARIF log with one run.
///
/// Rule ids are the stable codes. Fingerprints are made of code, message and the text of the line, not of line numbers,
/// so that a finding keeps its identity when lines move. Columns count Unicode code points.
#[must_use]
pub fn sarif(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let used: Vec<_> = CODES.iter().filter(|entry| diagnostics.iter().any(|found| found.code == entry.code)).collect();
    let rules: Vec<Value> = used
        .iter()
        .map(|entry| {
            json!({
                "id": entry.number,
                "shortDescription": { "text": entry.title },
                "help": { "text": entry.page },
            })
        })
        .collect();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let rule = used.iter().position(|entry| entry.code == diagnostic.code).unwrap_or(0);
            result(diagnostic, rule, sources, &mut seen)
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "prespec",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn result(diagnostic: &Diagnostic, rule: usize, sources: &Sources, seen: &mut BTreeMap<String, usize>) -> Value {
    let mut text = diagnostic.message.clone();
    for more in diagnostic.notes.iter().chain(&diagnostic.help) {
        text.push('\n');
        text.push_str(more);
    }
    let mut value = json!({
        "ruleId": diagnostic.code.number(),
        "ruleIndex": rule,
        "level": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "message": { "text": text },
        "locations": [location(diagnostic.primary.span, "", sources)],
        "partialFingerprints": { "prespec/v1": fingerprint(diagnostic, sources, seen) },
    });
    if let Some(object) = value.as_object_mut() {
        if !diagnostic.secondary.is_empty() {
            let related = diagnostic.secondary.iter().map(|label| location(label.span, &label.text, sources));
            object.insert("relatedLocations".to_owned(), related.collect());
        }
        if !diagnostic.fixes.is_empty() {
            let fixes = diagnostic.fixes.iter().map(|fix| {
                json!({
                    "description": { "text": fix.message },
                    "artifactChanges": [{
                        "artifactLocation": artifact(fix.span, sources),
                        "replacements": [{
                            "deletedRegion": region(fix.span, sources),
                            "insertedContent": { "text": fix.replacement },
                        }],
                    }],
                })
            });
            object.insert("fixes".to_owned(), fixes.collect());
        }
    }
    value
}

fn location(span: Span, text: &str, sources: &Sources) -> Value {
    let mut value =
        json!({ "physicalLocation": { "artifactLocation": artifact(span, sources), "region": region(span, sources) } });
    if let (false, Some(object)) = (text.is_empty(), value.as_object_mut()) {
        object.insert("message".to_owned(), json!({ "text": text }));
    }
    value
}

fn artifact(span: Span, sources: &Sources) -> Value {
    json!({ "uri": uri(&Place::of(span, sources).file) })
}

fn region(span: Span, sources: &Sources) -> Value {
    let place = Place::of(span, sources);
    json!({
        "startLine": place.start.0,
        "startColumn": place.start.1,
        "endLine": place.end.0,
        "endColumn": place.end.1,
    })
}

/// A path as a relative URI reference (RFC 3986): `/` between folders, everything unusual percent-encoded.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let relative = path.trim_start_matches("./").trim_start_matches('/');
    let mut out = String::new();
    for byte in relative.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.extend(char::from_digit(u32::from(byte >> 4), 16).map(|digit| digit.to_ascii_uppercase()));
            out.extend(char::from_digit(u32::from(byte & 15), 16).map(|digit| digit.to_ascii_uppercase()));
        }
    }
    out
}

fn fingerprint(diagnostic: &Diagnostic, sources: &Sources, seen: &mut BTreeMap<String, usize>) -> String {
    let place = Place::of(diagnostic.primary.span, sources);
    let line = sources
        .get(diagnostic.primary.span.file)
        .and_then(|file| file.text.lines().nth(place.start.0.saturating_sub(1)));
    let mut hash = Sha256::new();
    for part in [diagnostic.code.number(), &place.file, &diagnostic.message, line.unwrap_or("").trim()] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize().iter().take(16).fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    // Equal findings on equal lines are told apart by their order.
    let count = seen.entry(digest.clone()).and_modify(|count| *count += 1).or_insert(1);
    format!("{digest}:{count}")
}
