//! Which neighbours on one line stand apart.

use super::super::scan::{Token, TokenKind};

/// Whether a space stands between two neighbouring tokens.
///
/// Where both ways are right and mean something to a reader (`mean(x)`, `except (a, b)`, `-x`), the written one stays.
pub(super) fn apart(source: &str, before: Option<Token>, left: Token, right: Token) -> bool {
    let (l, r) = (left.text(source), right.text(source));
    let written_apart = left.end < right.start;
    if matches!(l, "(" | "[" | ".") || matches!(r, ")" | "]" | "," | ";" | ":" | ".") {
        return false;
    }
    match r {
        "(" | "[" if matches!(left.kind, TokenKind::Word) || matches!(l, ")" | "]") => return written_apart,
        _ => {}
    }
    if l == "-" {
        return !is_sign(source, before, left, written_apart);
    }
    true
}

/// Whether a `-` belongs to what follows it.
fn is_sign(source: &str, before: Option<Token>, minus: Token, written_apart: bool) -> bool {
    let Some(before) = before else { return true };
    match before.kind {
        TokenKind::Mark => !matches!(before.text(source), ")" | "]" | "%"),
        TokenKind::Word => {
            matches!(before.text(source), "and" | "or" | "not" | "when" | "where" | "for" | "in")
                || (before.end < minus.start && !written_apart)
        }
        TokenKind::Number | TokenKind::Unit | TokenKind::Text => false,
        TokenKind::Comment | TokenKind::Newline | TokenKind::Bad => true,
    }
}
