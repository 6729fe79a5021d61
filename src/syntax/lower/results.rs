//! `results`: how files map onto records.

use super::super::ast::{Attribute, Mapping, Name, Results, Text};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::{Cursor, Node};
use super::super::read::{Clause, Reader};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;

/// How an estimate's line ends: interval, level, p and n.
type Uncertainty = (Option<(Text, Option<Text>)>, Option<super::super::ast::Literal>, Option<Text>, Option<Text>);

impl Reader<'_> {
    pub(super) fn results(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Results> {
        let clauses = self.clauses(line.block.as_ref());
        let name = self.find_name(head)?;
        let reported = head.eat(Rule::k_reported).is_some();
        let mut results =
            Results { name, reported, file: None, for_every: Vec::new(), format: None, mappings: Vec::new() };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_result_file => {
                    results.file = self.find_text(cursor);
                    results.for_every = self.names_in(cursor, Rule::every_part);
                }
                Rule::c_format => {
                    results.format =
                        cursor.find(&[Rule::k_csv, Rule::k_jsonl, Rule::k_json]).map(|word| self.name_of(word));
                }
                Rule::c_interval => self.interval_of_estimate(cursor, &clause.node, &mut results.mappings),
                _ => {
                    let mapping = self.mapping(&clause);
                    let place = self.line_span(clause.line);
                    results.mappings.extend(mapping.map(|mapping| Spanned::new(mapping, place)));
                }
            }
        }
        Some(results)
    }

    fn mapping(&mut self, clause: &Clause<'_>) -> Option<Mapping> {
        let cursor = &mut Cursor::new(&clause.node);
        Some(match clause.node.rule {
            Rule::c_unit => {
                let unit = self.find_name(cursor)?;
                let row = clause.node.parts.iter().any(|part| part.rule == Rule::k_row);
                Mapping::Unit { unit, at: if row { None } else { Some(self.find_path(cursor)?) } }
            }
            Rule::c_level => {
                let factor = self.find_name(cursor)?;
                let at = self.find_path(cursor)?;
                let spellings = self.spellings(clause.line);
                Mapping::Level { factor, at, spellings: self.spelt_names(spellings) }
            }
            Rule::c_repeat_at => Mapping::Repeat(self.find_path(cursor)?),
            Rule::c_records => self.records(cursor)?,
            Rule::c_columns => {
                let pattern = self.find_text(cursor)?;
                self.arrow(cursor);
                Mapping::Columns { pattern, field: self.find_name(cursor)? }
            }
            Rule::c_state => {
                let at = self.find_path(cursor)?;
                let spellings = self.spellings(clause.line);
                Mapping::State { at, spellings: self.spelt_names(spellings) }
            }
            Rule::c_successes => {
                let successes = self.find_path(cursor)?;
                let trials = self.find_path(cursor)?;
                self.arrow(cursor);
                Mapping::Successes { successes, trials, field: self.find_name(cursor)? }
            }
            Rule::c_absent => Mapping::Absent(self.rest_texts(cursor)),
            Rule::c_estimate => {
                let estimand = self.find_name(cursor)?;
                let per = self.names_in(cursor, Rule::per_names);
                let at = self.find_path(cursor)?;
                let (interval, level, p, n) = self.uncertainty(cursor);
                Mapping::Estimate { estimand, per, at, interval, level, p, n }
            }
            Rule::c_mapped => {
                let field = self.find_name(cursor)?;
                let at = self.find_path(cursor)?;
                let unit = self.name_in(cursor, Rule::unit_part);
                Mapping::Field { field, at, spellings: self.spellings(clause.line), unit }
            }
            _ => return None,
        })
    }

    /// `records at "samples"`, `records of system at "{system}"`; without `at`, the file itself is the array and its columns are called like the factors.
    fn records(&mut self, cursor: &mut Cursor<'_>) -> Option<Mapping> {
        let word = cursor.next()?;
        cursor.eat(Rule::k_of);
        let names = cursor.eat(Rule::record_names);
        let of = names.map(|node| self.names_below(node)).unwrap_or_default();
        let at = cursor.eat(Rule::at_part).and_then(|part| self.find_path(&mut Cursor::new(part)));
        if at.is_none() && of.is_empty() {
            self.report(
                Diagnostic::error(
                    Code::MissingToken,
                    word.span.after(),
                    "`records` says neither whose records nor where they are",
                )
                .label("expected factors or `at`"),
            );
            return None;
        }
        let at = at.unwrap_or_else(|| Spanned::new(String::new(), names.map_or(word.span, |node| node.span).after()));
        Some(Mapping::Records { of, at })
    }

    fn spellings(&mut self, line: &Line) -> Vec<(Text, Attribute)> {
        let mut result = Vec::new();
        for clause in self.clauses(line.block.as_ref()) {
            let cursor = &mut Cursor::new(&clause.node);
            let Some(spelling) = self.find_text(cursor) else { continue };
            self.arrow(cursor);
            let Some(meaning) = self.attribute(cursor) else { continue };
            result.extend(self.fresh(&result, (spelling, meaning)));
        }
        result
    }

    /// Spellings of something that has a name; a numeric level is named by its digits.
    fn spelt_names(&mut self, spellings: Vec<(Text, Attribute)>) -> Vec<(Text, Name)> {
        let mut result = Vec::new();
        for (spelling, meaning) in spellings {
            match meaning {
                Attribute::Word(name) => result.push((spelling, name)),
                Attribute::Number(literal) if literal.unit.is_none() => result.push((spelling, literal.number)),
                Attribute::Number(literal) => self.not_a_name(&literal.number),
                Attribute::Text(text) => self.not_a_name(&text),
            }
        }
        result
    }

    fn not_a_name(&mut self, at: &Name) {
        self.report(
            Diagnostic::error(Code::UnexpectedToken, at.span, format!("`{}` is not a name here", at.node))
                .label("expected the name of a level or state"),
        );
    }

    fn uncertainty(&mut self, cursor: &mut Cursor<'_>) -> Uncertainty {
        let interval = cursor.eat(Rule::interval_part).and_then(|part| {
            let mut texts = self.rest_texts(&mut Cursor::new(part)).into_iter();
            texts.next().map(|low| (low, texts.next()))
        });
        let level = self.literal_in(cursor, Rule::level_part);
        let mut text_in = |rule| cursor.eat(rule).and_then(|part| self.find_text(&mut Cursor::new(part)));
        let p = text_in(Rule::p_part);
        let n = text_in(Rule::n_part);
        (interval, level, p, n)
    }

    /// `interval "…"` on a line of its own belongs to the estimate above it.
    fn interval_of_estimate(&mut self, cursor: &mut Cursor<'_>, node: &Node, mappings: &mut [Spanned<Mapping>]) {
        let (new_interval, new_level, new_p, new_n) = self.uncertainty(cursor);
        match mappings.last_mut().map(|mapping| &mut mapping.node) {
            Some(Mapping::Estimate { interval: interval @ None, level, p, n, .. }) => {
                *interval = new_interval;
                *level = level.take().or(new_level);
                *p = p.take().or(new_p);
                *n = n.take().or(new_n);
            }
            _ => self.report(
                Diagnostic::error(Code::UnexpectedToken, node.span, "this interval belongs to no estimate")
                    .help("write it after the `estimate` it belongs to, one interval for each"),
            ),
        }
    }
}
