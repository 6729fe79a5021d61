//! What is wrong with a clause that does not parse, in the writer's words. Owns the wording of the syntax errors.

use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};

use super::forms::{self, Context, Form};
use super::grammar::{Grammar, Noun, Rule, noun};
use super::layout::{Line, Significant};
use super::node::Origin;
use super::read::Reader;
use super::scan::TokenKind;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// A clause longer than this is not mended by trial, so that a bad file costs no more than a good one.
const MENDING_LIMIT: usize = 4096;

/// Reports a misspelt first word; the clause is then read as if it were right.
pub(super) fn misspelt(reader: &mut Reader<'_>, form: Form, line: &Line) {
    let place = reader.span_of(&(line.head.start..line.head.start + 1));
    let written = reader.text(place).to_owned();
    reader.report(
        Diagnostic::error(Code::UnknownKeyword, place, format!("unknown word `{written}`"))
            .help(format!("did you mean `{}`?", form.word))
            .fix(format!("write `{}`", form.word), place, form.word),
    );
}

/// Reports a declaration that is planned.
pub(super) fn planned(reader: &mut Reader<'_>, line: &Line) {
    let place = reader.span_of(&(line.head.start..line.head.start + 1));
    let written = reader.text(place).to_owned();
    reader.report(
        Diagnostic::error(Code::Planned, place, format!("`{written}` is planned, not available"))
            .note("the word is reserved, so that a later version can add it without changing what a frozen spec means")
            .help("remove the declaration"),
    );
}

/// Reports a line that starts with nothing its block knows.
pub(super) fn unknown(reader: &mut Reader<'_>, context: Context, line: &Line) {
    let place = reader.span_of(&(line.head.start..line.head.start + 1));
    let tokens = reader.tokens.get(line.head.clone()).unwrap_or(&[]);
    if placeholders(reader, tokens) {
        return;
    }
    let written = reader.text(place).to_owned();
    let words: Vec<&str> = forms::forms(context).iter().map(|form| form.word).collect();
    let allowed = format!("{} these can stand: {}", forms::title(context), words.join(", "));
    let is_word = tokens.first().is_some_and(|token| token.token.kind == TokenKind::Word);
    if !is_word {
        reader.report(
            Diagnostic::error(Code::UnexpectedToken, place, format!("`{written}` cannot start a clause")).help(allowed),
        );
        return;
    }
    let homes: Vec<String> = forms::CONTEXTS
        .iter()
        .filter(|home| **home != context && forms::forms(**home).iter().any(|form| form.word == written))
        .map(|home| forms::title(*home).to_owned())
        .collect();
    let diagnostic =
        Diagnostic::error(Code::UnknownKeyword, place, format!("unknown word `{written}` {}", forms::title(context)));
    let diagnostic = if homes.is_empty() {
        diagnostic.help(allowed)
    } else {
        diagnostic.help(format!("`{written}` stands {}", homes.join(", ")))
    };
    reader.report(diagnostic);
}

/// Reports placeholders among the tokens; a clause that holds one is not read further.
pub(super) fn placeholders(reader: &mut Reader<'_>, tokens: &[Significant]) -> bool {
    let mut found = Vec::new();
    let text = |index: usize| tokens.get(index).map_or("", |token| token.token.text(reader.source));
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let here = token.token.text(reader.source);
        let mut last = index;
        let is = match token.token.kind {
            TokenKind::Word => is_placeholder_word(here) || (here.len() > 1 && here.bytes().all(|byte| byte == b'_')),
            TokenKind::Mark if here.starts_with("??") => {
                while text(last + 1).starts_with('?') {
                    last += 1;
                }
                true
            }
            TokenKind::Mark if here == "..." || here == "…" => true,
            TokenKind::Mark if here == "[" && text(index + 2) == "]" => {
                let apart =
                    index == 0 || tokens.get(index - 1).is_some_and(|before| before.token.end < token.token.start);
                last = index + 2;
                let inner = text(index + 1);
                apart && inner.len() > 2 && inner.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            }
            TokenKind::Mark
            | TokenKind::Number
            | TokenKind::Unit
            | TokenKind::Text
            | TokenKind::Comment
            | TokenKind::Newline
            | TokenKind::Bad => false,
        };
        if is {
            let end = tokens.get(last).map_or(token.token.end, |token| token.token.end);
            found.push(super::span(reader.file, token.token.start, end));
            index = last;
        }
        index += 1;
    }
    for place in &found {
        let written = reader.text(*place).to_owned();
        reader.report(
            Diagnostic::error(Code::Placeholder, *place, format!("`{written}` is a placeholder"))
                .label("a value is missing here")
                .note("whatever is open when a spec is frozen can be chosen after the results are known"),
        );
    }
    !found.is_empty()
}

/// Whether a word only says that something is still to be written.
pub(super) fn is_placeholder_word(word: &str) -> bool {
    matches!(word, "TBD" | "TODO" | "FIXME" | "XXX" | "TBA" | "tbd" | "todo")
}

/// Reports why `text` does not parse under `rule`.
pub(super) fn refuse(
    reader: &mut Reader<'_>,
    rule: Rule,
    text: &str,
    origin: Origin,
    error: &Error<Rule>,
    tokens: &[Significant],
) {
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        let place = origin.span(0, text.len());
        reader.report(Diagnostic::error(Code::TooLarge, place, "this clause takes too long to read").help("split it"));
        return;
    };
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let mut expected: Vec<Noun> = positives.iter().map(|rule| noun(*rule)).collect();
    expected.retain(|noun| !matches!(noun, Noun::Unsaid | Noun::Whole));
    expected.sort_unstable();
    expected.dedup();

    let place = origin.place(at);
    let found = tokens.iter().find(|token| token.token.end > place);
    let before = tokens.iter().rev().find(|token| token.token.end <= place.max(origin.start));
    let after = before.map_or_else(|| origin.span(0, 0), |token| super::token_span(reader.file, token.token).after());

    let diagnostic = match found {
        None => missing(&expected, after, tokens.last().map(|token| token.token.text(reader.source))),
        Some(found) => {
            let here = super::token_span(reader.file, found.token);
            mended(rule, text, at, reader.text(here), &expected, here, after)
                .unwrap_or_else(|| unexpected(&expected, here, reader.text(here)))
        }
    };
    reader.report(diagnostic);
}

fn missing(expected: &[Noun], after: Span, last: Option<&str>) -> Diagnostic {
    let inserts: Vec<&Noun> = expected.iter().filter(|noun| !matches!(noun, Noun::End | Noun::Operator)).collect();
    let diagnostic = Diagnostic::error(
        Code::MissingToken,
        after,
        match last {
            Some(last) => format!("something is missing after `{last}`"),
            None => "something is missing".to_owned(),
        },
    )
    .label(format!("expected {}", listed(expected)));
    match inserts.as_slice() {
        [Noun::Word(word) | Noun::Mark(word)] => diagnostic.fix(format!("insert `{word}`"), after, format!(" {word}")),
        _ => diagnostic,
    }
}

fn unexpected(expected: &[Noun], here: Span, written: &str) -> Diagnostic {
    Diagnostic::error(Code::UnexpectedToken, here, format!("unexpected `{}`", shortened(written)))
        .label(format!("expected {}", listed(expected)))
}

/// Tries the one-token repairs: insert what was expected, or put it in place of what stands there. One that makes the
/// whole clause readable is what was meant.
fn mended(
    rule: Rule,
    text: &str,
    at: usize,
    written: &str,
    expected: &[Noun],
    here: Span,
    after: Span,
) -> Option<Diagnostic> {
    if text.len() > MENDING_LIMIT {
        return None;
    }
    let (before, rest) = text.split_at_checked(at)?;
    let behind = rest.get(written.len()..)?;
    let candidates = expected.iter().filter_map(|noun| match noun {
        Noun::Word(word) => Some((*word, true)),
        Noun::Mark(mark) => Some((*mark, false)),
        Noun::Thing(_) | Noun::Operator | Noun::End | Noun::Unsaid | Noun::Whole => None,
    });
    let mut inserted = None;
    for (candidate, is_word) in candidates {
        if is_word
            && strsim::osa_distance(candidate, written) <= 2
            && Grammar::parse(rule, &format!("{before} {candidate} {behind}")).is_ok()
        {
            return Some(
                Diagnostic::error(Code::UnknownKeyword, here, format!("unknown word `{}`", shortened(written)))
                    .help(format!("did you mean `{candidate}`?"))
                    .fix(format!("write `{candidate}`"), here, candidate),
            );
        }
        if inserted.is_none() && Grammar::parse(rule, &format!("{before} {candidate} {rest}")).is_ok() {
            inserted = Some(candidate);
        }
    }
    if let Some(candidate) = inserted {
        return Some(
            Diagnostic::error(Code::MissingToken, after, format!("`{candidate}` is missing"))
                .label(format!("expected `{candidate}`"))
                .fix(format!("insert `{candidate}`"), after, format!(" {candidate}")),
        );
    }
    if Grammar::parse(rule, &format!("{before}{behind}")).is_ok() {
        return Some(unexpected(expected, here, written).fix(format!("remove `{}`", shortened(written)), here, ""));
    }
    None
}

/// A token as shown in a message.
fn shortened(written: &str) -> String {
    let line = written.lines().next().unwrap_or("");
    if line.chars().count() > 40 { line.chars().take(40).chain(['…']).collect() } else { line.to_owned() }
}

/// The nouns as a list of at most six.
fn listed(expected: &[Noun]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for noun in expected {
        let text = match noun {
            Noun::Word(word) | Noun::Mark(word) => format!("`{word}`"),
            Noun::Thing(thing) => (*thing).to_owned(),
            Noun::Operator => "an operator".to_owned(),
            Noun::End => "the end of the clause".to_owned(),
            Noun::Unsaid | Noun::Whole => continue,
        };
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    shown.sort_by_key(|text| text.starts_with("the end"));
    let more = shown.len() > 6;
    shown.truncate(6);
    match shown.as_slice() {
        [] => "something else".to_owned(),
        [one] => one.clone(),
        [head @ .., last] if !more => format!("{} or {last}", head.join(", ")),
        many => format!("{}, …", many.join(", ")),
    }
}
