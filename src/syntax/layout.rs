//! Tokens to lines and blocks: which line break ends a clause, which brace belongs to which, what to do when one is
//! missing. Owns structure; reads no clause.

use super::findings::Findings;
use super::forms::{self, Context, Form, Opens, Promise};
use super::scan::{Token, TokenKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// Deepest nesting of braces and brackets that is read.
pub(super) const MAX_DEPTH: usize = 64;

/// One line: a head, perhaps a block, perhaps a tail.
#[derive(Debug)]
pub(super) struct Line {
    /// The tokens of the head, as indices.
    pub head: std::ops::Range<usize>,
    /// What the first word promised.
    pub promise: Promise,
    /// The block.
    pub block: Option<Block>,
    /// The tokens after the block.
    pub tail: std::ops::Range<usize>,
    /// Whether something in it was already reported, so that reading it would only repeat the complaint.
    pub broken: bool,
}

/// The lines between two braces.
#[derive(Debug)]
pub(super) struct Block {
    /// What kind of block it is.
    pub context: Context,
    /// Its lines.
    pub lines: Vec<Line>,
    /// From brace to brace.
    pub span: Span,
}

/// A token that is neither comment nor line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Significant {
    /// The token.
    pub token: Token,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Column of the first token of its line, in bytes.
    pub indent: usize,
    /// Whether it is a bracket whose partner was found.
    pub matched: bool,
}

/// Leaves comments and line breaks out.
pub(super) fn significant(tokens: &[Token]) -> Vec<Significant> {
    let mut result = Vec::with_capacity(tokens.len());
    let mut first = true;
    let mut line_start = 0;
    let mut indent = 0;
    for token in tokens {
        match token.kind {
            TokenKind::Newline => {
                first = true;
                line_start = token.end;
            }
            TokenKind::Comment => {}
            TokenKind::Word
            | TokenKind::Number
            | TokenKind::Unit
            | TokenKind::Text
            | TokenKind::Mark
            | TokenKind::Bad => {
                if first {
                    indent = token.start - line_start;
                }
                result.push(Significant { token: *token, first, indent, matched: false });
                first = false;
            }
        }
    }
    result
}

/// Cuts a file into lines and blocks.
pub(super) fn lay_out(file: u32, source: &str, tokens: &mut [Significant], diagnostics: &mut Findings) -> Vec<Line> {
    match_brackets(file, source, tokens, diagnostics);
    let balanced = braces_balance(source, tokens);
    let mut layout = Layout { file, source, tokens, at: 0, balanced, diagnostics };
    layout.lines(Context::Top, None, 0)
}

/// Marks the brackets that have a partner. A bracket never spans a brace, a `;` or the start of a declaration.
fn match_brackets(file: u32, source: &str, tokens: &mut [Significant], diagnostics: &mut Findings) {
    let mut open: Vec<usize> = Vec::new();
    let mut unclosed: Vec<usize> = Vec::new();
    let mut too_deep = false;
    for index in 0..tokens.len() {
        let Some(current) = tokens.get(index).copied() else { break };
        let text = current.token.text(source);
        if current.first && !open.is_empty() && starts_declaration(source, tokens, index) {
            unclosed.append(&mut open);
        }
        match text {
            "{" | "}" | ";" => unclosed.append(&mut open),
            "(" | "[" => {
                if open.len() >= MAX_DEPTH && !too_deep {
                    too_deep = true;
                    diagnostics.push(too_nested(super::token_span(file, current.token), "brackets"));
                }
                open.push(index);
            }
            ")" | "]" => {
                let wanted = if text == ")" { "(" } else { "[" };
                let partner = open.last().copied();
                let fits = partner.and_then(|p| tokens.get(p)).is_some_and(|p| p.token.text(source) == wanted);
                if let (true, Some(partner)) = (fits, partner) {
                    open.pop();
                    for place in [partner, index] {
                        if let Some(token) = tokens.get_mut(place) {
                            token.matched = true;
                        }
                    }
                } else if open.is_empty() {
                    let place = super::token_span(file, current.token);
                    diagnostics.push(
                        Diagnostic::error(Code::Unclosed, place, format!("this `{text}` closes nothing")).fix(
                            format!("remove the `{text}`"),
                            place,
                            "",
                        ),
                    );
                }
            }
            _ => {}
        }
    }
    unclosed.append(&mut open);
    unclosed.sort_unstable();
    let mut last: Option<Token> = None;
    for index in unclosed {
        let Some(token) = tokens.get(index).map(|t| t.token) else { continue };
        // One forgotten bracket is one mistake, however many open around it on the same line.
        let between = last.and_then(|last| source.get(last.end..token.start));
        last = Some(token);
        if between.is_some_and(|between| !between.contains('\n')) {
            continue;
        }
        let text = token.text(source);
        let close = if text == "(" { ")" } else { "]" };
        diagnostics.push(
            Diagnostic::error(Code::Unclosed, super::token_span(file, token), format!("this `{text}` is not closed"))
                .help(format!("close it with `{close}` before the clause ends")),
        );
    }
}

fn too_nested(place: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::TooLarge, place, format!("{what} are nested more than {MAX_DEPTH} deep"))
        .help("name the inner parts and use the names")
}

/// Whether a declaration starts at this token: a declaration's word at the left edge, and something that can follow it.
fn starts_declaration(source: &str, tokens: &[Significant], index: usize) -> bool {
    let Some(token) = tokens.get(index) else { return false };
    let second = tokens.get(index + 1).filter(|next| !next.first);
    let word = token.token.text(source);
    token.first
        && token.indent == 0
        && forms::forms(Context::Top).iter().any(|form| form.word == word)
        && second.is_some_and(|next| next.token.kind == TokenKind::Word || next.token.text(source) == "{")
}

fn braces_balance(source: &str, tokens: &[Significant]) -> bool {
    let mut depth = 0usize;
    for token in tokens {
        match token.token.text(source) {
            "{" => depth += 1,
            "}" if depth == 0 => return false,
            "}" => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

struct Layout<'a> {
    file: u32,
    source: &'a str,
    tokens: &'a [Significant],
    at: usize,
    balanced: bool,
    diagnostics: &'a mut Findings,
}

impl<'a> Layout<'a> {
    fn text_at(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |t| t.token.text(self.source))
    }

    fn span_at(&self, index: usize) -> Span {
        self.tokens.get(index).map_or_else(
            || super::span(self.file, self.source.len(), self.source.len()),
            |t| super::token_span(self.file, t.token),
        )
    }

    /// Reads lines up to the brace that closes the block; `indent` is that of the line that opened it.
    fn lines(&mut self, context: Context, opener: Option<usize>, depth: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let outer = opener.and_then(|index| self.tokens.get(index)).map(|token| token.indent);
        let inner = self.tokens.get(self.at).map(|token| token.indent);
        let indented = matches!((outer, inner), (Some(outer), Some(inner)) if inner > outer);
        while let Some(token) = self.tokens.get(self.at) {
            let text = token.token.text(self.source);
            if text == "}" {
                if opener.is_some() {
                    break;
                }
                let place = self.span_at(self.at);
                self.diagnostics.push(Diagnostic::error(Code::Unclosed, place, "this `}` closes nothing").fix(
                    "remove the `}`",
                    place,
                    "",
                ));
                self.at += 1;
            } else if text == ";" {
                self.at += 1;
            } else if self.outdents(outer, indented) {
                break;
            } else {
                lines.push(self.line(context, depth));
            }
        }
        lines
    }

    /// In a file whose braces do not pair up, a line no deeper than the one that opened the block shows where the block
    /// was meant to end.
    fn outdents(&self, outer: Option<usize>, indented: bool) -> bool {
        let (false, Some(outer), Some(token)) = (self.balanced, outer, self.tokens.get(self.at)) else { return false };
        token.first && token.indent <= outer && (indented || starts_declaration(self.source, self.tokens, self.at))
    }

    fn line(&mut self, context: Context, depth: usize) -> Line {
        let start = self.at;
        let second =
            self.tokens.get(start + 1).filter(|next| !next.first).map_or("", |next| next.token.text(self.source));
        let first_kind = self.tokens.get(start).map(|t| t.token.kind);
        let promise = match (context, first_kind) {
            (Context::Skipped, _) => Promise::Unknown,
            _ => forms::promise(context, self.text_at(start), second),
        };
        let form = match promise {
            Promise::Known(form) | Promise::Misspelt(form) => Some(form),
            Promise::Planned | Promise::Unknown => None,
        };
        let (head, mut broken) = self.run(start, context, true);
        let opens = form.map_or(Opens::Perhaps(Context::Skipped), |form| form.opens);
        let opens = match opens {
            Opens::Perhaps(inner)
                if self.text_at(self.at) != "{" && self.body_without_brace(start) && self.belongs(inner) =>
            {
                Opens::Always(inner)
            }
            Opens::Nothing | Opens::Perhaps(_) | Opens::Always(_) => opens,
        };
        let block = match opens {
            Opens::Perhaps(inner) | Opens::Always(inner) if self.text_at(self.at) == "{" => {
                Some(self.block(inner, start, depth))
            }
            Opens::Always(inner) => {
                self.missing_block(form, head.end);
                if self.body_without_brace(start) {
                    // On one line, the first clause of the body looks like part of the head.
                    broken |= self.text_at(self.at) == ";";
                    let lines = self.lines(inner, Some(start), depth + 1);
                    if self.text_at(self.at) == "}" {
                        self.at += 1;
                    }
                    Some(Block { context: inner, lines, span: self.span_at(start) })
                } else {
                    // The body most likely follows on the same line, as part of what looks like the head.
                    broken = true;
                    Some(Block { context: inner, lines: Vec::new(), span: self.span_at(start) })
                }
            }
            Opens::Nothing if self.text_at(self.at) == "{" => {
                let place = self.span_at(self.at);
                let word = self.text_at(start).to_owned();
                self.diagnostics.push(
                    Diagnostic::error(Code::UnexpectedToken, place, format!("`{word}` opens no block here"))
                        .help("end the clause before the `{`"),
                );
                broken = true;
                Some(self.block(Context::Skipped, start, depth))
            }
            Opens::Nothing | Opens::Perhaps(_) => None,
        };
        let tail = self.tail(form, block.is_some(), context);
        Line { head, promise, block, tail, broken }
    }

    /// The tokens of a head or tail, and whether something in them was already reported.
    fn run(&mut self, start: usize, context: Context, may_open: bool) -> (std::ops::Range<usize>, bool) {
        let mut depth = 0usize;
        let mut broken = false;
        let mut at = start;
        while let Some(token) = self.tokens.get(at) {
            let text = token.token.text(self.source);
            if depth == 0 && at > start && token.first && !self.continues(at, context, may_open, &mut broken) {
                break;
            }
            match text {
                "{" | "}" | ";" => break,
                "(" | "[" if token.matched => depth += 1,
                ")" | "]" if token.matched => depth = depth.saturating_sub(1),
                "(" | "[" | ")" | "]" => broken = true,
                _ if token.token.kind == TokenKind::Bad => broken = true,
                _ => {}
            }
            broken |= depth > MAX_DEPTH;
            at += 1;
        }
        self.at = at;
        if at == start {
            // Nothing but a mark that cannot start a line: step over it, so that the loop goes on.
            self.at = start + usize::from(self.text_at(start) != "{");
        }
        let end = if self.text_at(at) == ";" { at } else { self.at };
        (start..end.max(start), broken)
    }

    /// Whether the line that starts at `at` goes on with the clause before it.
    fn continues(&mut self, at: usize, context: Context, may_open: bool, broken: &mut bool) -> bool {
        let before = self.text_at(at - 1);
        let here = self.text_at(at);
        if before == "," && self.starts_clause(at, context) {
            let place = self.span_at(at - 1);
            self.diagnostics.push(
                Diagnostic::error(Code::TrailingComma, place, "a comma that nothing follows")
                    .also(self.span_at(at), format!("`{here}` starts the next clause"))
                    .fix("remove the comma", place, ""),
            );
            *broken = true;
            return false;
        }
        joins(before, here) || (may_open && here == "{")
    }

    fn starts_clause(&self, at: usize, context: Context) -> bool {
        let word = self.text_at(at);
        let next = self.tokens.get(at + 1).filter(|next| !next.first);
        if matches!(word, "}" | "{" | ";") {
            return true;
        }
        let follows = next.is_some_and(|next| {
            matches!(next.token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Text)
                || next.token.text(self.source) == "{"
        });
        let decides = context == Context::Decide
            && next.is_some_and(|next| matches!(next.token.text(self.source), "when" | "otherwise" | "as"));
        decides
            || (follows && forms::forms(context).iter().any(|form| form.word == word))
            || starts_declaration(self.source, self.tokens, at)
    }

    /// A block, from its `{`.
    fn block(&mut self, context: Context, opener: usize, depth: usize) -> Block {
        let brace = self.at;
        self.at += 1;
        if depth + 1 > MAX_DEPTH {
            self.diagnostics.push(too_nested(self.span_at(brace), "blocks"));
            self.skip_block();
            return Block { context: Context::Skipped, lines: Vec::new(), span: self.span_at(brace) };
        }
        let lines = self.lines(context, Some(opener), depth + 1);
        let open = self.span_at(brace);
        if self.text_at(self.at) == "}" && self.closes(opener) {
            let span = open.to(self.span_at(self.at));
            self.at += 1;
            return Block { context, lines, span };
        }
        self.diagnostics.push(
            Diagnostic::error(Code::Unclosed, open, "this `{` is not closed")
                .also(self.span_at(opener), "the block starts here")
                .help("close it with `}`"),
        );
        Block { context, lines, span: open }
    }

    /// Whether the `}` ahead closes the block that `opener` opened: where braces do not pair up, one that stands further
    /// left belongs to a block further out.
    fn closes(&self, opener: usize) -> bool {
        let (Some(brace), Some(opener)) = (self.tokens.get(self.at), self.tokens.get(opener)) else { return false };
        self.balanced || !brace.first || brace.indent >= opener.indent
    }

    /// Steps over everything up to the brace that closes the block just entered.
    fn skip_block(&mut self) {
        let mut open = 1usize;
        while self.at < self.tokens.len() && open > 0 {
            match self.text_at(self.at) {
                "{" => open += 1,
                "}" => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn missing_block(&mut self, form: Option<Form>, end: usize) {
        let place = self.span_at(end.saturating_sub(1)).after();
        let word = form.map_or("", |form| form.word);
        self.diagnostics.push(
            Diagnostic::error(Code::MissingToken, place, format!("`{word}` needs a block")).label("expected `{`").fix(
                "open the block",
                place,
                " {",
            ),
        );
    }

    /// Whether the lines that follow a head without `{` look like its body: they stand further right, or on the same
    /// line.
    fn body_without_brace(&self, start: usize) -> bool {
        let (Some(head), Some(next)) = (self.tokens.get(start), self.tokens.get(self.at)) else { return false };
        let inside = if next.first { next.indent > head.indent } else { next.token.text(self.source) == ";" };
        !self.balanced && inside
    }

    /// Whether the line ahead starts with a clause word of this kind of block.
    fn belongs(&self, context: Context) -> bool {
        let word = self.text_at(self.at);
        forms::forms(context).iter().any(|form| form.word == word)
    }

    fn tail(&mut self, form: Option<Form>, has_block: bool, context: Context) -> std::ops::Range<usize> {
        let start = self.at;
        let Some(token) = self.tokens.get(start) else { return start..start };
        if !has_block || token.first || matches!(token.token.text(self.source), ";" | "}") {
            return start..start;
        }
        if form.is_some_and(|form| form.tail.is_none()) {
            let place = self.span_at(start.saturating_sub(1)).after();
            self.diagnostics.push(
                Diagnostic::error(Code::MissingToken, place, "a clause ends before the next one starts")
                    .label("expected the end of the line or `;`")
                    .fix("separate the clauses", place, ";"),
            );
            return start..start;
        }
        self.run(start, context, false).0
    }
}

/// Whether a line break between these two does not end a clause.
pub(super) fn joins(before: &str, here: &str) -> bool {
    matches!(before, "," | "=" | "and" | "or" | "over" | "->" | "|" | ":=" | "=>" | "&&" | "||")
        || is_operator(before)
        || is_operator(here)
        || matches!(here, "and" | "or" | "where" | "for" | "over" | "because" | "|" | "&&" | "||")
}

/// Whether a mark joins what stands before it and after it.
fn is_operator(mark: &str) -> bool {
    matches!(
        mark,
        "+" | "-"
            | "*"
            | "/"
            | "<"
            | ">"
            | "<="
            | ">="
            | "=="
            | "!="
            | "≥"
            | "≤"
            | "≠"
            | "≈"
            | "~="
            | "<>"
            | "==="
            | "=<"
            | "×"
            | "÷"
            | "−"
    )
}
