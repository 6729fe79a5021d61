//! `language`, `study`, `publish`, `waive`, `conclusion`.

use super::super::ast::{Conclusion, Expr, Noted, Publish, Question, Say, Study, Text, Waive};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::Cursor;
use super::super::read::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;

/// The language versions that this compiler reads.
const LANGUAGES: &[u32] = &[1];

impl Reader<'_> {
    /// `language 1`; an unknown version is reported and kept, so that it is not also called missing.
    pub(super) fn language(&mut self, cursor: &mut Cursor<'_>) -> Option<Spanned<u32>> {
        let node = cursor.find(&[Rule::number])?;
        let written = self.text(node.span);
        let version = written.parse::<u32>().ok().filter(|version| LANGUAGES.contains(version));
        if version.is_none() {
            self.report(
                Diagnostic::error(Code::MissingLanguage, node.span, format!("language `{written}` is unknown"))
                    .help("this compiler reads language 1")
                    .fix("write `1`", node.span, "1"),
            );
        }
        Some(Spanned::new(version.unwrap_or(1), node.span))
    }

    pub(super) fn study(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Study> {
        let clauses = self.clauses(line.block.as_ref());
        let mut study = Study {
            name: self.find_name(head)?,
            title: None,
            authors: Vec::new(),
            questions: Vec::new(),
            limitations: Vec::new(),
            epochs: Vec::new(),
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_title => study.title = self.find_text(cursor),
                Rule::c_author => study.authors.extend(self.rest_texts(cursor)),
                Rule::c_question => study.questions.extend(self.question(cursor)),
                Rule::c_limitation => study.limitations.extend(self.noted(cursor)),
                Rule::c_epoch => study.epochs.extend(self.noted(cursor)),
                _ => {}
            }
        }
        Some(study)
    }

    fn question(&mut self, cursor: &mut Cursor<'_>) -> Option<Question> {
        let name = self.find_name(cursor)?;
        let role = cursor.next().map(|word| self.name_of(word))?;
        Some(Question { name, role, text: self.find_text(cursor)? })
    }

    /// A name with a sentence.
    pub(super) fn noted(&mut self, cursor: &mut Cursor<'_>) -> Option<Noted> {
        Some(Noted { name: self.find_name(cursor)?, text: self.find_text(cursor)? })
    }

    pub(super) fn publish(&mut self, cursor: &mut Cursor<'_>) -> Option<Publish> {
        let name = self.find_name(cursor)?;
        self.assigned(cursor);
        let figures = self.names_in(cursor, Rule::names);
        Some(Publish { name, figures })
    }

    pub(super) fn waive(&mut self, cursor: &mut Cursor<'_>) -> Option<Waive> {
        let code = self.find_name(cursor)?;
        let on = self.name_in(cursor, Rule::on_part);
        let because = self.because(cursor);
        Some(Waive { code, on, because })
    }

    /// `because "…"`, if it comes next.
    pub(super) fn because(&mut self, cursor: &mut Cursor<'_>) -> Option<Text> {
        let node = cursor.eat(Rule::because)?;
        self.find_text(&mut Cursor::new(node))
    }

    pub(super) fn conclusion(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Conclusion> {
        let clauses = self.clauses(line.block.as_ref());
        let name = self.find_name(head)?;
        let mut cases = Vec::new();
        for clause in clauses {
            let mut cursor = Cursor::new(&clause.node);
            let sentence = if clause.node.rule == Rule::c_say { self.find_text(&mut cursor) } else { None };
            let Ok(when) = self.condition(&mut cursor) else { continue };
            cases.push(Say { sentence, when, span: clause.node.span });
        }
        Some(Conclusion { name, cases })
    }

    /// `when condition` or `otherwise`; an error when the condition was reported.
    pub(super) fn condition(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Expr>, ()> {
        let words = [Rule::k_when, Rule::foreign_if, Rule::k_otherwise, Rule::foreign_else];
        let word = cursor.find(&words).ok_or(())?;
        match word.rule {
            Rule::foreign_if => self.foreign(word.span, "when", "a case gives its condition after `when`"),
            Rule::foreign_else => {
                self.foreign(word.span, "otherwise", "the case for all the rest is called `otherwise`");
            }
            _ => {}
        }
        if matches!(word.rule, Rule::k_otherwise | Rule::foreign_else) {
            return Ok(None);
        }
        self.find_expr(cursor).map(Some).ok_or(())
    }
}
