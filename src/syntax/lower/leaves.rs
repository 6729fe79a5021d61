//! Names, texts, numbers, levels and the small parts that many clauses share.

use super::super::ast::{Attribute, Levels, Literal, Name, Per, Text, TypeName, TypedName};
use super::super::grammar::Rule;
use super::super::node::{Cursor, Node};
use super::super::read::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};

impl Reader<'_> {
    /// A node as the name it spells.
    pub(super) fn name_of(&self, node: &Node) -> Name {
        Spanned::new(self.text(node.span).to_owned(), node.span)
    }

    /// The next name.
    pub(super) fn find_name(&self, cursor: &mut Cursor<'_>) -> Option<Name> {
        cursor.find(&[Rule::name]).map(|node| self.name_of(node))
    }

    /// The names of the next part with this rule, which must come next; none when it is absent.
    pub(super) fn names_in(&self, cursor: &mut Cursor<'_>, rule: Rule) -> Vec<Name> {
        cursor.eat(rule).map(|node| self.names_below(node)).unwrap_or_default()
    }

    /// The names directly below a node, or below the list of names in it.
    pub(super) fn names_below(&self, node: &Node) -> Vec<Name> {
        let mut names = Vec::new();
        for part in &node.parts {
            match part.rule {
                Rule::name => names.push(self.name_of(part)),
                Rule::names => names.extend(self.names_below(part)),
                _ => {}
            }
        }
        names
    }

    /// The only name of an optional part such as `within task`.
    pub(super) fn name_in(&self, cursor: &mut Cursor<'_>, rule: Rule) -> Option<Name> {
        cursor.eat(rule).and_then(|node| self.find_name(&mut Cursor::new(node)))
    }

    /// The word of an optional part such as `ties first`: its last word.
    pub(super) fn last_word(&self, cursor: &mut Cursor<'_>, rule: Rule) -> Option<Name> {
        cursor.eat(rule).and_then(|node| node.parts.last()).map(|word| self.name_of(word))
    }

    /// The next text.
    pub(super) fn find_text(&mut self, cursor: &mut Cursor<'_>) -> Option<Text> {
        cursor.find(&[Rule::string, Rule::foreign_string]).map(|node| self.text_of(node))
    }

    /// The text that comes next, if one does.
    pub(super) fn maybe_text(&mut self, cursor: &mut Cursor<'_>) -> Option<Text> {
        cursor.eat_any(&[Rule::string, Rule::foreign_string]).map(|node| self.text_of(node))
    }

    /// Every text from here on.
    pub(super) fn rest_texts(&mut self, cursor: &mut Cursor<'_>) -> Vec<Text> {
        let mut texts = Vec::new();
        while let Some(text) = self.find_text(cursor) {
            texts.push(text);
        }
        texts
    }

    /// The next column or path: a text, or a bare word that stands for itself.
    pub(super) fn find_path(&mut self, cursor: &mut Cursor<'_>) -> Option<Text> {
        cursor.find(&[Rule::string, Rule::foreign_string, Rule::name]).map(|node| match node.rule {
            Rule::name => self.name_of(node),
            _ => self.text_of(node),
        })
    }

    /// A text after its escapes.
    pub(super) fn text_of(&mut self, node: &Node) -> Text {
        let written = self.text(node.span);
        if node.rule == Rule::foreign_string {
            let inner: String = {
                let mut characters = written.chars();
                characters.next();
                characters.next_back();
                characters.collect()
            };
            let quoted = format!("\"{}\"", inner.replace('\\', "\\\\").replace('"', "\\\""));
            self.report(Diagnostic::error(Code::ForeignSpelling, node.span, "a text stands in double quotes").fix(
                "use double quotes",
                node.span,
                quoted,
            ));
            return Spanned::new(inner, node.span);
        }
        let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        let value = if inner.contains('\\') { self.unescaped(inner, node.span) } else { inner.to_owned() };
        Spanned::new(value, node.span)
    }

    fn unescaped(&mut self, inner: &str, place: Span) -> String {
        let mut value = String::with_capacity(inner.len());
        let mut characters = inner.char_indices();
        while let Some((offset, character)) = characters.next() {
            if character != '\\' {
                value.push(character);
                continue;
            }
            let start = place.start as usize + 1 + offset;
            match characters.next() {
                Some((_, '"')) => value.push('"'),
                Some((_, '\\')) => value.push('\\'),
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((after, 'u')) => {
                    let rest = inner.get(after + 1..).unwrap_or("");
                    let digits = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
                    let code = digits
                        .filter(|digits| (1..=6).contains(&digits.len()))
                        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                        .and_then(char::from_u32);
                    match (code, digits) {
                        (Some(code), Some(digits)) if !super::super::scan::is_refused(code) => {
                            value.push(code);
                            for _ in 0..digits.len() + 2 {
                                characters.next();
                            }
                        }
                        _ => self.bad_escape(
                            start,
                            "u",
                            "write `\\u{…}` with one to six hexadecimal digits of a visible character",
                        ),
                    }
                }
                Some((_, other)) => {
                    self.bad_escape(start, &other.to_string(), "these exist: `\\\"`, `\\\\`, `\\n`, `\\t`, `\\u{…}`");
                }
                None => {}
            }
        }
        value
    }

    fn bad_escape(&mut self, start: usize, letter: &str, help: &str) {
        let place = super::super::span(self.file, start, start + 1 + letter.len());
        self.report(
            Diagnostic::error(Code::BadCharacter, place, format!("`\\{letter}` is not an escape that can be read"))
                .help(help),
        );
    }

    /// The next number with its unit.
    pub(super) fn find_literal(&mut self, cursor: &mut Cursor<'_>) -> Option<Literal> {
        cursor.find(&[Rule::literal]).and_then(|node| self.literal_of(node))
    }

    /// The next number, which has no unit.
    pub(super) fn find_number(&mut self, cursor: &mut Cursor<'_>) -> Option<Literal> {
        cursor.find(&[Rule::number]).map(|node| Literal { number: self.name_of(node), unit: None })
    }

    /// The number of an optional part such as `seed 7`.
    pub(super) fn literal_in(&mut self, cursor: &mut Cursor<'_>, rule: Rule) -> Option<Literal> {
        cursor.eat(rule).and_then(|node| self.find_literal(&mut Cursor::new(node)))
    }

    /// A number with its unit.
    pub(super) fn literal_of(&mut self, node: &Node) -> Option<Literal> {
        let mut cursor = Cursor::new(node);
        let digits = cursor.eat_any(&[Rule::number, Rule::foreign_number])?;
        let mut number = self.name_of(digits);
        if digits.rule == Rule::foreign_number {
            let whole = format!("0{}", number.node);
            self.report(
                Diagnostic::error(
                    Code::ForeignSpelling,
                    digits.span,
                    format!("`{}` needs a digit before the point", number.node),
                )
                .fix("write the zero", digits.span, whole.clone()),
            );
            number.node = whole;
        }
        let unit = cursor.eat(Rule::unit).map(|unit| {
            let mut name = self.name_of(unit);
            if name.node.starts_with('%') && name.node.len() > 1 {
                "% rel".clone_into(&mut name.node);
            }
            name
        });
        Some(Literal { number, unit })
    }

    /// A word, a number or a text.
    pub(super) fn attribute(&mut self, cursor: &mut Cursor<'_>) -> Option<Attribute> {
        let node = cursor.find(&[Rule::attribute])?;
        let inner = node.parts.first()?;
        Some(match inner.rule {
            Rule::literal => Attribute::Number(self.literal_of(inner)?),
            Rule::name => Attribute::Word(self.name_of(inner)),
            _ => Attribute::Text(self.text_of(inner)),
        })
    }

    /// Levels as listed or as a range.
    pub(super) fn levels_of(&self, node: &Node) -> Option<Levels> {
        let range = match node.rule {
            Rule::level_range => Some(node),
            _ => node.parts.first().filter(|part| part.rule == Rule::level_range),
        };
        if let Some(range) = range {
            let mut cursor = Cursor::new(range);
            let low = cursor.find(&[Rule::level])?;
            let high = cursor.find(&[Rule::level])?;
            return Some(Levels::Range(self.name_of(low), self.name_of(high)));
        }
        Some(Levels::Listed(self.level_names(node)))
    }

    /// The levels directly below a node.
    pub(super) fn level_names(&self, node: &Node) -> Vec<Name> {
        node.parts.iter().filter(|part| part.rule == Rule::level).map(|part| self.name_of(part)).collect()
    }

    /// `name: type optional`
    pub(super) fn typed_name(&self, cursor: &mut Cursor<'_>) -> Option<TypedName> {
        let node = cursor.find(&[Rule::typed_name])?;
        let mut inner = Cursor::new(node);
        let name = self.find_name(&mut inner)?;
        let kind = inner.find(&[Rule::kind])?.parts.first()?;
        let kind = match kind.rule {
            Rule::name => TypeName::Named(self.name_of(kind)),
            _ => TypeName::Levels(self.levels_of(kind)?),
        };
        let optional = inner.eat(Rule::k_optional).is_some();
        Some(TypedName { name, kind, optional })
    }

    /// `per technique except baseline, pair of defence`
    pub(super) fn per_part(&self, cursor: &mut Cursor<'_>) -> Vec<Per> {
        let Some(node) = cursor.eat(Rule::per_part) else { return Vec::new() };
        node.parts
            .iter()
            .filter(|part| part.rule == Rule::per_factor)
            .filter_map(|part| self.per_factor(part))
            .collect()
    }

    fn per_factor(&self, node: &Node) -> Option<Per> {
        let mut cursor = Cursor::new(node);
        let pair = cursor.eat(Rule::k_pair).is_some();
        let factor = self.find_name(&mut cursor)?;
        let except = cursor.eat(Rule::except_part).map(|part| self.level_names(part)).unwrap_or_default();
        Some(Per { factor, except, pair })
    }

    /// Refuses `:=` and `==` where a declaration gives a meaning.
    pub(super) fn assigned(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(node) = cursor.find(&[Rule::assign, Rule::foreign_assign])
            && node.rule == Rule::foreign_assign
        {
            self.foreign(node.span, "=", "a declaration gives its meaning with `=`");
        }
    }

    /// Refuses a spelling from elsewhere and says how it is written here.
    pub(super) fn foreign(&mut self, place: Span, right: &str, message: &str) {
        let written = self.text(place).to_owned();
        self.report(
            Diagnostic::error(Code::ForeignSpelling, place, message)
                .label(format!("`{written}` is written `{}` here", right.trim()))
                .fix(format!("write `{}`", right.trim()), place, right),
        );
    }

    /// Refuses `=>` where an arrow stands.
    pub(super) fn arrow(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(node) = cursor.find(&[Rule::arrow, Rule::foreign_arrow])
            && node.rule == Rule::foreign_arrow
        {
            self.foreign(node.span, "->", "a mapping is written with `->`");
        }
    }
}
