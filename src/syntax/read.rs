//! One head or tail at a time: from tokens to a tree, or to a diagnostic that says what is wrong with it.

use std::collections::BTreeSet;

use pest::Parser as _;

use super::findings::Findings;
use super::forms::{Context, Form, Promise};
use super::grammar::{Grammar, Rule};
use super::layout::{Block, Line, Significant};
use super::mistakes;
use super::node::{Node, Origin};
use super::scan::TokenKind;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// One file while it is being read.
pub(super) struct Reader<'a> {
    /// Index of the file.
    pub file: u32,
    /// Its text.
    pub source: &'a str,
    /// Its tokens.
    pub tokens: &'a [Significant],
    /// What was found wrong so far.
    pub diagnostics: Findings,
    /// The words of the lines that could not be read.
    pub unread: BTreeSet<String>,
}

/// A clause that was read.
#[derive(Debug)]
pub(super) struct Clause<'l> {
    /// Its head.
    pub node: Node,
    /// Its line, for the block and the tail.
    pub line: &'l Line,
}

impl<'a> Reader<'a> {
    /// The text at a place of this file.
    pub fn text(&self, span: Span) -> &'a str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Records a finding.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The place of a range of tokens.
    pub fn span_of(&self, range: &std::ops::Range<usize>) -> Span {
        let tokens = self.tokens.get(range.clone()).unwrap_or(&[]);
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => super::span(self.file, first.token.start, last.token.end),
            _ => super::span(self.file, 0, 0),
        }
    }

    /// Reads the clauses of a block, reports those that are repeated without right, and leaves bad ones out.
    pub fn clauses<'l>(&mut self, block: Option<&'l Block>) -> Vec<Clause<'l>> {
        let mut result = Vec::new();
        let Some(block) = block else { return result };
        let mut seen: std::collections::BTreeMap<&'static str, Span> = std::collections::BTreeMap::new();
        for line in &block.lines {
            let form = match line.promise {
                Promise::Known(form) | Promise::Misspelt(form) => Some(form),
                Promise::Planned | Promise::Unknown => None,
            };
            let node = self.head(block.context, line);
            let place = self.span_of(&line.head);
            let first = form.filter(|form| !form.repeats).and_then(|form| seen.insert(form.word, place));
            if let (Some(first), Some(form)) = (first, form) {
                seen.insert(form.word, first);
                self.report(
                    Diagnostic::error(
                        Code::RepeatedClause,
                        place,
                        format!("`{}` stands twice in one block", form.word),
                    )
                    .label("again here")
                    .also(first, "first here")
                    .help("keep one of them"),
                );
                continue;
            }
            match node {
                Some(node) => result.push(Clause { node, line }),
                None => self.inside_bad_line(line),
            }
        }
        result
    }

    /// Reads the head of a line; `None` when it is bad, which has then been reported.
    pub fn head(&mut self, context: Context, line: &Line) -> Option<Node> {
        let form = match line.promise {
            Promise::Known(form) => form,
            Promise::Misspelt(form) => {
                mistakes::misspelt(self, form, line);
                form
            }
            Promise::Planned => {
                mistakes::planned(self, line);
                return None;
            }
            Promise::Unknown => {
                if context != Context::Skipped && !line.broken {
                    mistakes::unknown(self, context, line);
                }
                return None;
            }
        };
        let table = form.rule == Rule::d_value && line.block.is_some();
        let rule = if table { Rule::d_value_table } else { form.rule };
        self.part(rule, &line.head, Some(form), line.broken)
    }

    /// Reads the tail of a line.
    pub fn tail(&mut self, rule: Rule, line: &Line) -> Option<Node> {
        if line.tail.is_empty() {
            return None;
        }
        self.part(rule, &line.tail, None, false)
    }

    fn part(&mut self, rule: Rule, range: &std::ops::Range<usize>, form: Option<Form>, broken: bool) -> Option<Node> {
        let tokens = self.tokens.get(range.clone())?;
        if mistakes::placeholders(self, tokens) || broken {
            return None;
        }
        let span = self.span_of(range);
        let written = self.text(span);
        let first = tokens.first()?.token;
        let word =
            form.map(|form| form.word).filter(|word| !word.is_empty()).unwrap_or_else(|| first.text(self.source));
        let origin = Origin {
            file: self.file,
            start: first.start,
            parsed_word: word.len(),
            written_word: first.end - first.start,
        };
        let respelt;
        let text = if word == first.text(self.source) {
            written
        } else {
            respelt = format!("{word}{}", written.get(origin.written_word..).unwrap_or(""));
            &respelt
        };
        match Grammar::parse(rule, text) {
            Ok(mut pairs) => pairs.next().map(|pair| Node::new(pair, origin)),
            Err(error) => {
                mistakes::refuse(self, rule, text, origin, &error, tokens);
                None
            }
        }
    }

    /// Looks for independent mistakes in the block of a line whose head is bad, and keeps its words.
    pub fn inside_bad_line(&mut self, line: &Line) {
        if let Promise::Known(form) | Promise::Misspelt(form) = line.promise {
            self.unread.insert(form.word.to_owned());
        }
        for range in [&line.head, &line.tail] {
            let tokens = self.tokens.get(range.clone()).unwrap_or(&[]);
            let words = tokens.iter().filter(|token| token.token.kind == TokenKind::Word);
            self.unread.extend(words.map(|token| token.token.text(self.source).to_owned()));
        }
        let Some(block) = &line.block else { return };
        let before = self.diagnostics.len();
        let clauses = self.clauses(Some(block));
        for clause in &clauses {
            self.inside_bad_line(clause.line);
        }
        debug_assert!(self.diagnostics.len() >= before, "findings are only ever added");
    }
}
