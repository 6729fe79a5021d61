//! Prose: placeholders that were left in a text or a name. Owns what counts as one; it judges no content.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::Text;

use super::Checker;

/// Words that say "later" in any case when they stand alone, and in capitals inside a sentence.
const WORDS: [&str; 6] = ["TBD", "TODO", "FIXME", "TBC", "TBA", "XXX"];

/// The placeholder in a text, if there is one.
pub(super) fn placeholder_text(text: &str) -> Option<&str> {
    let whole = text.trim();
    if WORDS.iter().any(|word| whole.eq_ignore_ascii_case(word)) {
        return Some(whole);
    }
    let words = whole.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    for word in words {
        let letters = word.trim_matches('_');
        let only_x = letters.len() >= 3 && letters.chars().all(|c| c == 'X');
        if WORDS.contains(&letters) || only_x {
            return Some(word);
        }
    }
    if let Some(at) = whole.find("???") {
        return whole.get(at..at + 3);
    }
    if let Some(at) = whole.find("___") {
        let end = whole.get(at..)?.find(|c| c != '_').map_or(whole.len(), |length| at + length);
        return whole.get(at..end);
    }
    bracketed(whole)
}

/// `[DATE]`, `[INSERT NUMBER]`, `<YOUR NAME>`: capitals in brackets.
fn bracketed(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(open) = text.get(from..)?.find(['[', '<']).map(|at| from + at) {
        let close = if text.get(open..=open) == Some("[") { ']' } else { '>' };
        let inside = text.get(open + 1..)?;
        let words = inside.split_once(close).map_or("", |(words, _)| words);
        let capitals = words.chars().filter(char::is_ascii_uppercase).count() >= 3;
        if capitals && words.chars().all(|c| c.is_ascii_uppercase() || c == ' ' || c == '_' || c == '-') {
            return text.get(open..=open + 1 + words.len());
        }
        from = open + 1;
    }
    None
}

/// The placeholder that a name is, if it is one.
pub(super) fn placeholder_name(name: &str) -> Option<&str> {
    let bare = name.trim_matches('_');
    let only_x = bare.len() >= 3 && bare.chars().all(|c| c.eq_ignore_ascii_case(&'x'));
    (bare.is_empty() || only_x || WORDS.iter().any(|word| bare.eq_ignore_ascii_case(word))).then_some(name)
}

/// Something that was left to fill in.
pub(super) fn placeholder(span: Span, mark: &str) -> Diagnostic {
    Diagnostic::error(Code::Placeholder, span, format!("`{mark}` is a placeholder"))
        .note("what is not decided before the data can be decided after them")
        .help("fill it in, or take out what needs it")
}

impl Checker<'_> {
    /// The content of a text, after a look for placeholders.
    pub(super) fn prose(&mut self, text: &Text) -> String {
        if let Some(mark) = placeholder_text(&text.node) {
            self.report(placeholder(text.span, mark));
        }
        text.node.clone()
    }

    /// The same for a text that may be absent.
    pub(super) fn prose_or_empty(&mut self, text: Option<&Text>) -> String {
        text.map_or_else(String::new, |text| self.prose(text))
    }
}
