//! The one layout of a spec: two spaces per brace, one space between words, at most one blank line. Owns spacing; never
//! changes a token, drops no comment, and gives nothing unless its own output reads as the same spec.

mod spacing;

use super::ast;
use super::findings::Findings;
use super::layout::{Significant, significant};
use super::scan::{self, Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Sources, Span};

/// Formats the text of one file; includes stay as they are written and are not followed.
///
/// Returns every finding instead when the text does not parse. Formatting twice gives what formatting once gives.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (before, includes, found) = read(text);
    if !found.is_empty() {
        return Err(found);
    }
    let mut ignored = Findings::default();
    let tokens = scan::scan(0, text, &mut ignored);
    let formatted = Writer::write(text, &tokens);
    let (after, includes_after, found) = read(&formatted);
    if !found.is_empty() || before != after || includes != includes_after || comments(text) != comments(&formatted) {
        return Err(vec![
            Diagnostic::error(
                Code::Unreadable,
                Span::default(),
                "formatting would change this spec, so nothing was changed",
            )
            .note("this is a gap in the formatter, not in the spec"),
        ]);
    }
    Ok(formatted)
}

/// The tree of one file, the includes it names and what is wrong with it, except for what only a whole spec can lack.
fn read(text: &str) -> (ast::File, Vec<String>, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let mut includes = Vec::new();
    let (file, mut found) = super::parse(&mut sources, "", text, &mut |path| {
        includes.push(path.to_owned());
        Ok(String::new())
    });
    // An included file need not name the language.
    if file.language.is_none() {
        found.retain(|finding| finding.code != Code::MissingLanguage);
    }
    (file, includes, found)
}

fn comments(text: &str) -> Vec<String> {
    let mut ignored = Findings::default();
    let tokens = scan::scan(0, text, &mut ignored);
    tokens.iter().filter(|token| token.kind == TokenKind::Comment).map(|token| token.text(text).to_owned()).collect()
}

/// Writes tokens one after another.
struct Writer<'a> {
    source: &'a str,
    out: String,
    /// Open braces.
    depth: usize,
    /// Open brackets.
    brackets: usize,
    /// What was written last on this line.
    last: Option<Token>,
    /// The last two tokens that are not comments, the older first.
    words: [Option<Token>; 2],
    /// Line breaks since the last token.
    breaks: usize,
}

impl<'a> Writer<'a> {
    fn write(source: &'a str, tokens: &[Token]) -> String {
        let words = significant(tokens);
        let mut writer =
            Self { source, out: String::new(), depth: 0, brackets: 0, last: None, words: [None, None], breaks: 0 };
        let mut words = words.iter().peekable();
        for token in tokens {
            match token.kind {
                TokenKind::Newline => writer.breaks += 1,
                TokenKind::Comment => writer.comment(*token),
                TokenKind::Word
                | TokenKind::Number
                | TokenKind::Unit
                | TokenKind::Text
                | TokenKind::Mark
                | TokenKind::Bad => {
                    words.next();
                    writer.token(*token, words.peek().copied());
                }
            }
        }
        writer.out.truncate(writer.out.trim_end().len());
        if !writer.out.is_empty() {
            writer.out.push('\n');
        }
        writer.out
    }

    fn comment(&mut self, token: Token) {
        if self.breaks == 0 && !self.out.is_empty() {
            self.out.push_str("  ");
        } else {
            self.new_line(self.depth + usize::from(self.brackets > 0), "#");
        }
        self.out.push_str(token.text(self.source));
        self.last = Some(token);
        self.breaks = 0;
    }

    fn token(&mut self, token: Token, next: Option<&Significant>) {
        let text = token.text(self.source);
        // Dropped before anything is written for it: a line of its own would stay as white space before a comment.
        if text == ";" && self.separates_nothing(next) {
            return;
        }
        if text == "}" {
            self.depth = self.depth.saturating_sub(1);
        }
        // A brace joins the head it belongs to, unless a comment stands between them.
        let joins = text == "{" && self.last.is_some_and(|last| last.kind != TokenKind::Comment);
        if (self.breaks > 0 && !joins) || self.out.is_empty() {
            let hangs = text != ")" && text != "]" && text != "}" && (self.brackets > 0 || self.goes_on(text));
            self.new_line(self.depth + usize::from(hangs), text);
        } else if let Some(last) = self.last {
            let [older, _] = self.words;
            if last.kind == TokenKind::Comment || spacing::apart(self.source, older, last, token) {
                self.out.push(' ');
            }
        }
        self.out.push_str(text);
        self.last = Some(token);
        let [_, newer] = self.words;
        self.words = [newer, Some(token)];
        match text {
            "{" => self.depth += 1,
            "(" | "[" => self.brackets += 1,
            ")" | "]" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        self.breaks = 0;
    }

    /// Whether a `;` separates nothing: a `}`, the end of the file or of the line comes next, and the next line would
    /// not be taken for the rest of this one.
    fn separates_nothing(&self, next: Option<&Significant>) -> bool {
        let Some(next) = next else { return true };
        let text = next.token.text(self.source);
        matches!(text, "}" | ";") || (next.first && text != "{" && !self.goes_on(text))
    }

    /// Whether a line that starts with `text` goes on with the clause before it.
    fn goes_on(&self, text: &str) -> bool {
        let [_, last] = self.words;
        super::layout::joins(last.map_or("", |last| last.text(self.source)), text)
    }

    /// Starts a line for `text`; `indent` is in steps of two spaces.
    fn new_line(&mut self, indent: usize, text: &str) {
        self.out.truncate(self.out.trim_end().len());
        if !self.out.is_empty() {
            let blank = self.breaks > 1 && !self.out.ends_with('{') && text != "}";
            self.out.push_str(if blank { "\n\n" } else { "\n" });
        }
        for _ in 0..indent {
            self.out.push_str("  ");
        }
        self.last = None;
    }
}
