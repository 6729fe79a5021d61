//! Diagnostics as JSON, schema `prespec-diagnostics/1`.

use serde::Serialize;

use super::place::Place;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Sources, Span};

/// The version of the document; a field may be added under the same version, never changed or removed.
const SCHEMA: &str = "prespec-diagnostics/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    diagnostics: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Spot,
    label: &'a str,
    related: Vec<Related<'a>>,
    notes: &'a [String],
    help: &'a [String],
    fixes: Vec<Edit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
}

/// Lines and columns count from 1, columns in characters; `start` and `end` are bytes from 0, `end` exclusive.
#[derive(Serialize)]
struct Spot {
    file: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    start: u32,
    end: u32,
}

#[derive(Serialize)]
struct Related<'a> {
    #[serde(flatten)]
    place: Spot,
    label: &'a str,
}

#[derive(Serialize)]
struct Edit<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: Spot,
    replacement: &'a str,
}

fn spot(span: Span, sources: &Sources) -> Spot {
    let place = Place::of(span, sources);
    Spot {
        file: place.file,
        line: place.start.0,
        column: place.start.1,
        end_line: place.end.0,
        end_column: place.end.1,
        start: span.start,
        end: span.end,
    }
}

/// What a severity is called in documents.
const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Renders diagnostics as one JSON document in the order given, indented, with a line feed at its end.
#[must_use]
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let entries = diagnostics.iter().map(|diagnostic| Entry {
        code: diagnostic.code.number(),
        severity: severity(diagnostic.severity),
        title: diagnostic.code.title(),
        message: &diagnostic.message,
        place: spot(diagnostic.primary.span, sources),
        label: &diagnostic.primary.text,
        related: diagnostic
            .secondary
            .iter()
            .map(|label| Related { place: spot(label.span, sources), label: &label.text })
            .collect(),
        notes: &diagnostic.notes,
        help: &diagnostic.help,
        fixes: diagnostic
            .fixes
            .iter()
            .map(|fix| Edit { message: &fix.message, place: spot(fix.span, sources), replacement: &fix.replacement })
            .collect(),
        subject: diagnostic.subject.as_deref(),
    });
    let document = Document { schema: SCHEMA, diagnostics: entries.collect() };
    // Texts, numbers and lists always serialise; the document has no map whose key could fail.
    serde_json::to_string_pretty(&document)
        .map_or_else(|error| format!("{{\"schema\":\"{SCHEMA}\",\"failed\":\"{error}\"}}\n"), |text| text + "\n")
}
