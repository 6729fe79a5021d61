//! Text to syntax tree and back: grammar, recovery, lowering, formatting. The only module that names pest.

pub mod ast;
mod findings;
pub mod format;
mod forms;
mod grammar;
mod layout;
mod lower;
mod mistakes;
mod node;
mod read;
mod scan;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::diagnostic::{self, Code, Diagnostic};
use crate::source::{SourceFile, Sources, Span, Spanned};
use findings::{Findings, MAX_FINDINGS};
use lower::Top;
use read::Reader;

/// Largest size of a spec with everything it includes, in bytes.
pub const MAX_BYTES: usize = 8 << 20;

/// Deepest chain of includes.
pub const MAX_INCLUDE_DEPTH: usize = 16;

/// Most files in one spec.
const MAX_FILES: usize = 1024;

/// Steps that pest may take for one clause; a backstop that no readable clause comes near.
const CALL_LIMIT: usize = 200_000_000;

/// Parses a spec and everything it includes.
///
/// `load` fetches an included file by the path written in the spec, or says in one line why it cannot; which paths are
/// allowed is its business. Every independent mistake is reported; what could be read is in the tree.
pub fn parse(
    sources: &mut Sources,
    name: &str,
    text: &str,
    load: &mut dyn FnMut(&str) -> Result<String, String>,
) -> (ast::File, Vec<Diagnostic>) {
    pest::set_call_limit(NonZeroUsize::new(CALL_LIMIT));
    let mut inclusion = Inclusion {
        sources,
        load,
        file: ast::File::default(),
        diagnostics: Findings::default(),
        bytes: 0,
        loaded: BTreeMap::new(),
    };
    let root = inclusion.read(name, text, 0);
    let Inclusion { file, mut diagnostics, .. } = inclusion;
    let unread = |found: &Diagnostic| matches!(found.code, Code::TooLarge | Code::Unreadable);
    if file.language.is_none() && !diagnostics.iter().any(unread) {
        let place = Span::new(root, 0, 0);
        diagnostics.push(
            Diagnostic::error(Code::MissingLanguage, place, "the spec does not say which language it is written in")
                .label("expected `language 1`")
                .fix("say it first", place, "language 1\n\n"),
        );
    }
    let (mut diagnostics, more) = diagnostics.into_parts();
    diagnostic::sort(&mut diagnostics);
    if more > 0 {
        let place = Span::new(root, 0, 0);
        let message = format!("only the first {MAX_FINDINGS} findings are listed, {more} more were made");
        diagnostics.push(Diagnostic::error(Code::TooLarge, place, message));
    }
    (file, diagnostics)
}

/// One spec while its files are read.
struct Inclusion<'a> {
    sources: &'a mut Sources,
    load: &'a mut dyn FnMut(&str) -> Result<String, String>,
    file: ast::File,
    diagnostics: Findings,
    bytes: usize,
    loaded: BTreeMap<String, Span>,
}

impl Inclusion<'_> {
    /// Reads one file and, in their places, those it includes; returns its index.
    fn read(&mut self, name: &str, text: &str, depth: usize) -> u32 {
        let index = self.sources.add(SourceFile::new(name, text));
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > MAX_BYTES {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::TooLarge,
                    Span::new(index, 0, 0),
                    format!("the spec is larger than {} MiB", MAX_BYTES >> 20),
                )
                .help("keep task lists and other data in files that the spec names"),
            );
            return index;
        }
        if let Some(at) = text.find('\0') {
            // Text of another encoding would otherwise give a finding for every second character.
            let place = u32::try_from(at).map_or_else(|_| Span::new(index, 0, 0), |at| Span::new(index, at, at + 1));
            self.diagnostics.push(
                Diagnostic::error(Code::Unreadable, place, format!("the file is no text: byte {at} is zero"))
                    .note("a file in UTF-16, or one that is no text at all, holds such bytes")
                    .help("save it as text in UTF-8"),
            );
            return index;
        }
        let mut found = std::mem::take(&mut self.diagnostics);
        scan::check_characters(index, text, &mut found);
        let tokens = scan::scan(index, text, &mut found);
        let mut tokens = layout::significant(&tokens);
        let lines = layout::lay_out(index, text, &mut tokens, &mut found);
        let mut reader =
            Reader { file: index, source: text, tokens: &tokens, diagnostics: found, unread: BTreeSet::new() };
        for (position, line) in lines.iter().enumerate() {
            match reader.top(line) {
                Top::Language(version) => self.language(version, index, position, &mut reader.diagnostics),
                Top::Include(path) => {
                    if let Some(text) = self.fetch(&path, depth) {
                        self.read(&path.node, &text, depth + 1);
                    }
                }
                Top::Item(item) => self.file.items.push(*item),
                Top::Bad => {}
            }
        }
        self.file.unread.append(&mut reader.unread);
        reader.diagnostics.absorb(std::mem::take(&mut self.diagnostics));
        self.diagnostics = reader.diagnostics;
        index
    }

    fn language(&mut self, version: Spanned<u32>, index: u32, position: usize, diagnostics: &mut Findings) {
        if position > 0 {
            diagnostics.push(
                Diagnostic::error(Code::MissingLanguage, version.span, "the language is named before anything else")
                    .help("make `language 1` the first line of the file"),
            );
        }
        match &self.file.language {
            Some(first) if first.span.file == index => diagnostics.push(
                Diagnostic::error(Code::RepeatedClause, version.span, "`language` stands twice")
                    .also(first.span, "first here")
                    .help("keep the first"),
            ),
            Some(_) => {}
            None => self.file.language = Some(version),
        }
    }

    /// The text of an included file, or a report why it cannot be had.
    fn fetch(&mut self, path: &Spanned<String>, depth: usize) -> Option<String> {
        let refuse = |message: String| Diagnostic::error(Code::BadInclude, path.span, message);
        if let Some(first) = self.loaded.get(&path.node) {
            let found = refuse(format!("`{}` is included twice", path.node))
                .also(*first, "first here")
                .note("a file that includes itself would never end; two copies of one declaration are never right");
            self.diagnostics.push(found);
            return None;
        }
        if depth >= MAX_INCLUDE_DEPTH || self.loaded.len() >= MAX_FILES {
            self.diagnostics.push(
                refuse(format!(
                    "more than {MAX_INCLUDE_DEPTH} includes inside each other, or more than {MAX_FILES} files"
                ))
                .help("include the files from the spec itself"),
            );
            return None;
        }
        self.loaded.insert(path.node.clone(), path.span);
        match (self.load)(&path.node) {
            Ok(text) => Some(text),
            Err(why) => {
                self.diagnostics.push(refuse(format!("`{}` cannot be included: {why}", path.node)));
                None
            }
        }
    }
}

/// A span from byte offsets; files are far smaller than 4 GiB.
fn span(file: u32, start: usize, end: usize) -> Span {
    Span::new(file, u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
}

/// The span of a token.
fn token_span(file: u32, token: scan::Token) -> Span {
    span(file, token.start, token.end)
}
