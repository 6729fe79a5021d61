//! What pest found, detached from pest: a tree of rules and places, and a cursor that lowering walks it with.

use pest::iterators::Pair;

use super::grammar::Rule;
use crate::source::Span;

/// A rule that matched, where, and what it is made of.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The rule.
    pub rule: Rule,
    /// Its place in the file.
    pub span: Span,
    /// Its parts.
    pub parts: Vec<Node>,
}

/// How places in the text that was parsed map to places in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The file.
    pub file: u32,
    /// Where the first word starts in the file.
    pub start: usize,
    /// How long the first word is in the text that was parsed.
    pub parsed_word: usize,
    /// How long it is in the file; they differ when the word was misspelt.
    pub written_word: usize,
}

impl Origin {
    /// The place in the file of byte `at` of the parsed text.
    pub const fn place(self, at: usize) -> usize {
        if at < self.parsed_word { self.start } else { self.start + at - self.parsed_word + self.written_word }
    }

    /// The span in the file of some bytes of the parsed text.
    pub fn span(self, start: usize, end: usize) -> Span {
        super::span(self.file, self.place(start), self.place(end))
    }
}

impl Node {
    /// Detaches a pair; depth is bounded by the nesting limit of the layout.
    pub fn new(pair: Pair<'_, Rule>, origin: Origin) -> Self {
        let rule = pair.as_rule();
        let place = pair.as_span();
        let mut span = origin.span(place.start(), place.end());
        let parts: Vec<Self> = pair.into_inner().map(|inner| Self::new(inner, origin)).collect();
        // Where an optional part was tried and absent, pest counts the space before it; the last part tells the end.
        if let Some(last) = parts.last() {
            span.end = last.span.end;
        }
        Self { rule, span, parts }
    }
}

/// Walks the parts of a node in order.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    parts: std::slice::Iter<'a, Node>,
}

impl<'a> Cursor<'a> {
    /// Starts at the first part of `node`.
    pub fn new(node: &'a Node) -> Self {
        Self { parts: node.parts.iter() }
    }

    /// The next part if it is `rule`.
    pub fn eat(&mut self, rule: Rule) -> Option<&'a Node> {
        let next = self.parts.as_slice().first().filter(|node| node.rule == rule)?;
        self.parts.next();
        Some(next)
    }

    /// The next part if it is one of `rules`.
    pub fn eat_any(&mut self, rules: &[Rule]) -> Option<&'a Node> {
        let next = self.parts.as_slice().first().filter(|node| rules.contains(&node.rule))?;
        self.parts.next();
        Some(next)
    }

    /// The next part that is one of `rules`, stepping over words and marks that are not.
    pub fn find(&mut self, rules: &[Rule]) -> Option<&'a Node> {
        self.parts.find(|node| rules.contains(&node.rule))
    }
}

impl<'a> Iterator for Cursor<'a> {
    type Item = &'a Node;

    fn next(&mut self) -> Option<&'a Node> {
        self.parts.next()
    }
}
