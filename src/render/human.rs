//! Diagnostics for a terminal, in the layout of rustc.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Fix, Label, Severity};
use crate::source::{SourceFile, Sources, Span};

/// Whether a terminal shows colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Text alone, the same on every terminal.
    #[default]
    Plain,
    /// With ANSI colours.
    Coloured,
}

/// Renders diagnostics one after another, each followed by an empty line, and a count of errors and warnings last.
///
/// Nothing is rendered for no diagnostics.
#[must_use]
pub fn human(diagnostics: &[Diagnostic], sources: &Sources, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let renderer = renderer.term_width(120);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let groups = groups(diagnostic, sources);
        out.push_str(&renderer.render(&groups));
        out.push_str("\n\n");
    }
    out.push_str(&summary(diagnostics));
    out
}

fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let mut out = String::new();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let _ = match (errors, warnings) {
        (0, 0) => Ok(()),
        (0, _) => writeln!(out, "{warnings} warning{}", plural(warnings)),
        (_, 0) => writeln!(out, "{errors} error{}", plural(errors)),
        _ => writeln!(out, "{errors} error{}, {warnings} warning{}", plural(errors), plural(warnings)),
    };
    out
}

fn groups<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.number());
    let mut group = Group::with_title(title);
    // One snippet per file, the primary file first.
    let mut files = vec![diagnostic.primary.span.file];
    for label in &diagnostic.secondary {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for index in files {
        let Some(file) = sources.get(index) else { continue };
        let mut snippet = Snippet::source(file.text.as_str()).path(file.name.as_str());
        if index == diagnostic.primary.span.file {
            snippet = snippet.annotation(
                AnnotationKind::Primary.span(within(diagnostic.primary.span, file)).label(said(&diagnostic.primary)),
            );
        }
        for label in diagnostic.secondary.iter().filter(|label| label.span.file == index) {
            snippet = snippet.annotation(AnnotationKind::Context.span(within(label.span, file)).label(said(label)));
        }
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let mut groups = vec![group];
    groups.extend(diagnostic.fixes.iter().filter_map(|fix| fix_group(fix, sources)));
    groups
}

fn said(label: &Label) -> Option<&str> {
    Some(label.text.as_str()).filter(|text| !text.is_empty())
}

fn fix_group<'a>(fix: &'a Fix, sources: &'a Sources) -> Option<Group<'a>> {
    let file = sources.get(fix.span.file)?;
    let patch = Patch::new(within(fix.span, file), fix.replacement.as_str());
    let snippet = Snippet::source(file.text.as_str()).path(file.name.as_str()).patch(patch);
    Some(Group::with_title(Level::HELP.secondary_title(fix.message.as_str())).element(snippet))
}

/// The bytes of a span, moved onto character boundaries inside the file, so that no span can make rendering fail.
fn within(span: Span, file: &SourceFile) -> std::ops::Range<usize> {
    let boundary = |byte: u32| {
        let mut at = (byte as usize).min(file.text.len());
        while !file.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (boundary(span.start), boundary(span.end));
    start..end.max(start)
}
