//! Text to tokens with their places, whatever the text holds. Owns characters: what may stand in a spec, where texts and
//! comments end, which marks belong together. Knows no keyword.

mod characters;

pub(super) use characters::{check as check_characters, is_refused};

use super::findings::Findings;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word, also one that no name can be (`____`).
    Word,
    /// Digits with fraction and exponent, a date, a glued fraction `2/3`.
    Number,
    /// A unit glued with a slash: `usd/Mtok`.
    Unit,
    /// A text with its quotes.
    Text,
    /// A mark such as `==`.
    Mark,
    /// `# …` up to the end of the line.
    Comment,
    /// The end of a line.
    Newline,
    /// Something already reported.
    Bad,
}

/// A token and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Token {
    /// The characters of the token.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// Marks of more than one character, longest first; the foreign ones are refused by name later.
const LONG_MARKS: &[&str] =
    &["???", "...", "===", "->", "=>", "==", "!=", ">=", "<=", ":=", "<-", "&&", "||", "<>", "=<", "~=", "**", "??"];

/// Marks of one character.
const MARKS: &str = "{}()[],;:=<>+-*/%.|!&~?≥≤≠≈→×÷−–…";

/// Cuts `source` into tokens; spaces are left out, everything else is in exactly one token.
pub(super) fn scan(file: u32, source: &str, diagnostics: &mut Findings) -> Vec<Token> {
    let mut scanner = Scanner { file, source, at: 0, tokens: Vec::new(), diagnostics };
    while let Some(character) = scanner.peek() {
        scanner.token(character);
    }
    scanner.tokens
}

struct Scanner<'a> {
    file: u32,
    source: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: &'a mut Findings,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let end = (self.at + length).min(self.source.len());
        self.tokens.push(Token { kind, start: self.at, end });
        self.at = end;
    }

    fn place(&self, start: usize, end: usize) -> Span {
        super::span(self.file, start, end)
    }

    fn token(&mut self, first: char) {
        match first {
            '\n' => self.push(TokenKind::Newline, 1),
            ' ' | '\t' | '\r' => self.at += 1,
            '#' => self.comment(),
            '/' if self.rest().starts_with("//") => {
                let place = self.place(self.at, self.at + 2);
                self.diagnostics.push(
                    Diagnostic::error(Code::ForeignSpelling, place, "a comment starts with `#`, not with `//`").fix(
                        "write `#`",
                        place,
                        "#",
                    ),
                );
                self.comment();
            }
            '"' => self.text('"'),
            '\'' => self.text('\''),
            '“' => self.text('”'),
            _ if first.is_alphabetic() || first == '_' => self.word(),
            _ if first.is_ascii_digit() => self.number(),
            _ => self.mark(first),
        }
    }

    fn comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        let trimmed = self.rest().get(..length).map_or(length, |line| line.trim_end().len());
        self.push(TokenKind::Comment, trimmed);
    }

    fn text(&mut self, close: char) {
        let mut escaped = false;
        let mut opening = true;
        for (offset, character) in self.rest().char_indices() {
            if opening {
                opening = false;
            } else if character == '\n' {
                break;
            } else if escaped {
                escaped = false;
            } else if character == '\\' && close == '"' {
                escaped = true;
            } else if character == close {
                self.push(TokenKind::Text, offset + character.len_utf8());
                return;
            }
        }
        self.unclosed_text();
    }

    /// A text that its line does not close. A brace at the end of that line most likely belongs to the structure, so that
    /// the block it opens or closes is kept.
    fn unclosed_text(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or("").trim_end();
        let without_brace = line.strip_suffix(['{', '}']).map_or(line, str::trim_end);
        let length = if without_brace.len() > 1 { without_brace.len() } else { line.len() };
        let place = self.place(self.at, self.at + length);
        let quote = self.peek().map_or('"', |first| if first == '“' { '”' } else { first });
        self.diagnostics.push(
            Diagnostic::error(Code::Unclosed, place, "this text is not closed on its line")
                .label("starts here")
                .help("a text ends on the line where it starts; write `\\n` for a line break inside it")
                .fix("close the text", place.after(), quote),
        );
        self.push(TokenKind::Bad, length);
    }

    fn word(&mut self) {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = self.rest().find(|c: char| !word(c)).unwrap_or(self.rest().len());
        let whole = self.rest().find(|c: char| !word(c) && !c.is_alphanumeric()).unwrap_or(self.rest().len());
        if whole > length {
            self.foreign_word(whole);
            return;
        }
        let after_number = self.tokens.last().is_some_and(|last| last.kind == TokenKind::Number);
        let tail = self.rest().get(length..).unwrap_or("");
        let denominator = tail.strip_prefix('/').filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        if let (true, Some(denominator)) = (after_number, denominator) {
            let more = denominator.find(|c: char| !word(c)).unwrap_or(denominator.len());
            self.push(TokenKind::Unit, length + 1 + more);
        } else {
            self.push(TokenKind::Word, length);
        }
    }

    fn foreign_word(&mut self, length: usize) {
        let place = self.place(self.at, self.at + length);
        let shown = self.source.get(self.at..self.at + length).unwrap_or("").to_owned();
        self.diagnostics.push(
            Diagnostic::error(Code::BadCharacter, place, format!("`{shown}` is not a name"))
                .note("names are ASCII: a letter, then letters, digits and `_`; quoted texts may hold any language"),
        );
        self.push(TokenKind::Bad, length);
    }

    fn number(&mut self) {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| {
            let mut end = from;
            while bytes.get(end).is_some_and(|b| b.is_ascii_digit() || (*b == b'_' && end > from)) {
                end += 1;
            }
            end
        };
        let mut end = digits(0);
        let is = |at: usize, wanted: u8| bytes.get(at) == Some(&wanted);
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        if end == 4 && is(4, b'-') && digit(5) && digit(6) && is(7, b'-') && digit(8) && digit(9) {
            end = 10;
        } else if is(end, b'/') && digit(end + 1) {
            end = digits(end + 1);
        } else {
            if is(end, b'.') && digit(end + 1) {
                end = digits(end + 1);
            }
            if is(end, b'e') || is(end, b'E') {
                let sign = usize::from(is(end + 1, b'+') || is(end + 1, b'-'));
                if digit(end + 1 + sign) {
                    end = digits(end + 1 + sign);
                }
            }
        }
        self.push(TokenKind::Number, end);
    }

    fn mark(&mut self, first: char) {
        if let Some(long) = LONG_MARKS.iter().find(|mark| self.rest().starts_with(**mark)) {
            self.push(TokenKind::Mark, long.len());
        } else if MARKS.contains(first) {
            self.push(TokenKind::Mark, first.len_utf8());
        } else {
            let length = self.rest().find(|c: char| c != first).unwrap_or(self.rest().len());
            let place = self.place(self.at, self.at + length);
            if first == '\u{00A0}' {
                self.diagnostics.push(
                    Diagnostic::error(Code::BadCharacter, place, "a no-break space (U+00A0) separates words here")
                        .note("it looks like a space and is none; inside quoted texts it may stand")
                        .fix("write a space", place, " "),
                );
            } else if !is_refused(first) {
                let shown = self.source.get(self.at..self.at + length).unwrap_or("").to_owned();
                self.diagnostics.push(Diagnostic::error(
                    Code::BadCharacter,
                    place,
                    format!("`{shown}` has no meaning here"),
                ));
            }
            self.push(TokenKind::Bad, length);
        }
    }
}
