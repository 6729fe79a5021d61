//! `factor`, `model`, `tool`.

use super::super::ast::{Attribute, Factor, Model, Name, Prices, Tool};
use super::super::grammar::Rule;
use super::super::layout::{Block, Line};
use super::super::node::Cursor;
use super::super::read::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

impl Reader<'_> {
    pub(super) fn factor(&mut self, cursor: &mut Cursor<'_>) -> Option<Factor> {
        let name = self.find_name(cursor)?;
        let ordered = cursor.eat(Rule::k_ordered).is_some();
        self.assigned(cursor);
        let levels = cursor.find(&[Rule::levels]).and_then(|levels| self.levels_of(levels))?;
        Some(Factor { name, ordered, levels })
    }

    pub(super) fn model(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Model> {
        let clauses = self.clauses(line.block.as_ref());
        let mut model = Model {
            name: self.find_name(head)?,
            provider: None,
            id: None,
            attributes: Vec::new(),
            prices: Vec::new(),
            settings: Vec::new(),
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_provider => model.provider = self.find_name(cursor),
                Rule::c_id => {
                    model.id = self.find_text(cursor).and_then(|id| self.find_name(cursor).map(|pinned| (id, pinned)));
                }
                Rule::c_prices => model.prices.extend(self.prices(cursor, clause.line)),
                Rule::c_settings => model.settings = self.settings(clause.line.block.as_ref()),
                Rule::c_setting => {
                    let setting = self.setting(cursor);
                    model.attributes.extend(setting.and_then(|setting| self.fresh(&model.attributes, setting)));
                }
                _ => {}
            }
        }
        Some(model)
    }

    fn prices(&mut self, cursor: &mut Cursor<'_>, line: &Line) -> Option<Prices> {
        let date = cursor.find(&[Rule::date]).map(|date| self.name_of(date))?;
        let mut streams = Vec::new();
        for clause in self.clauses(line.block.as_ref()) {
            let mut cursor = Cursor::new(&clause.node);
            let stream =
                self.find_name(&mut cursor).and_then(|name| self.find_literal(&mut cursor).map(|price| (name, price)));
            streams.extend(stream.and_then(|stream| self.fresh(&streams, stream)));
        }
        Some(Prices { date, streams })
    }

    fn settings(&mut self, block: Option<&Block>) -> Vec<(Name, Attribute)> {
        let mut settings = Vec::new();
        for clause in self.clauses(block) {
            let setting = self.setting(&mut Cursor::new(&clause.node));
            settings.extend(setting.and_then(|setting| self.fresh(&settings, setting)));
        }
        settings
    }

    fn setting(&mut self, cursor: &mut Cursor<'_>) -> Option<(Name, Attribute)> {
        Some((self.find_name(cursor)?, self.attribute(cursor)?))
    }

    /// Refuses an entry whose name is already there.
    pub(super) fn fresh<T>(&mut self, entries: &[(Name, T)], entry: (Name, T)) -> Option<(Name, T)> {
        let first = entries.iter().find(|(name, _)| *name == entry.0).map(|(name, _)| name.span);
        let Some(first) = first else { return Some(entry) };
        self.repeated(&entry.0.node, entry.0.span, first);
        None
    }

    fn repeated(&mut self, word: &str, place: Span, first: Span) {
        self.report(
            Diagnostic::error(Code::RepeatedClause, place, format!("`{word}` stands twice in one block"))
                .label("again here")
                .also(first, "first here")
                .help("keep one of them"),
        );
    }

    pub(super) fn tool(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Tool> {
        let clauses = self.clauses(line.block.as_ref());
        let mut tool = Tool { name: self.find_name(head)?, schema: None, description: None };
        for clause in clauses {
            let text = self.find_text(&mut Cursor::new(&clause.node));
            if clause.node.rule == Rule::c_schema {
                tool.schema = text;
            } else {
                tool.description = text;
            }
        }
        Some(tool)
    }
}
