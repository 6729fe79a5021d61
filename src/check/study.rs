//! The study's own words: title, authors, questions, limitations, epochs.

use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Name, Question};
use crate::syntax::ast::Noted;
use std::collections::BTreeMap;

impl Checker<'_> {
    /// What the study says of itself.
    pub(super) fn study(&mut self) {
        let Some(study) = self.names.study else {
            if self.unread.contains("study") {
                return;
            }
            self.report(
                Diagnostic::error(Code::MissingClause, crate::source::Span::default(), "the spec has no `study` block")
                    .help("add `study name { title \"…\" }` after `language 1`"),
            );
            return;
        };
        self.place(Kind::Study, &study.name.node, Part::Name, study.name.span);
        self.spec.study = study.name.node.clone();
        self.spec.about.title = self.prose_or_empty(study.title.as_ref());
        self.spec.about.authors = study.authors.iter().map(|author| self.prose(author)).collect();
        for question in &study.questions {
            let text = self.prose(&question.text);
            self.mark_placeholder_name(&question.name);
            let primary = question.role.node == "primary";
            let name = question.name.node.clone();
            if self.spec.about.questions.insert(name.clone(), Question { primary, text }).is_some() {
                self.twice(&question.name, "question");
            }
        }
        self.spec.about.limitations = self.noted(&study.limitations, "limitation");
        self.spec.about.epochs = self.noted(&study.epochs, "epoch");
    }

    /// Names with sentences; each name once.
    pub(super) fn noted(&mut self, list: &[Noted], what: &str) -> BTreeMap<Name, String> {
        let mut notes = BTreeMap::new();
        for note in list {
            self.mark_placeholder_name(&note.name);
            let text = self.prose(&note.text);
            if notes.insert(note.name.node.clone(), text).is_some() {
                self.twice(&note.name, what);
            }
        }
        notes
    }

    /// Reports a name that stands twice where it may stand once.
    pub(super) fn twice(&mut self, name: &crate::syntax::ast::Name, what: &str) {
        self.report(
            Diagnostic::error(Code::Duplicate, name.span, format!("the {what} `{}` stands twice", name.node))
                .help("give one of them another name, or take it out"),
        );
    }

    /// Reports a name that says "later".
    pub(super) fn mark_placeholder_name(&mut self, name: &crate::syntax::ast::Name) {
        if let Some(mark) = super::texts::placeholder_name(&name.node) {
            self.report(super::texts::placeholder(name.span, mark));
        }
    }
}
