//! From the lines of a file to its declarations. Owns the order of reading; each topic lowers its own clauses.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a clause can only be made of a few of the several hundred rules; whatever else comes is left out and reported"
)]

mod analysis;
mod compare;
mod expression;
mod leaves;
mod models;
mod results;
mod rules;
mod scaffolds;
mod scenario;
mod study;
mod tasks;

use super::ast::{Declaration, Item};
use super::forms::{Context, Promise};
use super::grammar::Rule;
use super::layout::Line;
use super::node::{Cursor, Node};
use super::read::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};

/// What a line at the top of a file turned out to be.
pub(super) enum Top {
    /// `language 1`
    Language(Spanned<u32>),
    /// `include "…"`, and what is included.
    Include(Spanned<String>),
    /// A declaration.
    Item(Box<Item>),
    /// Something that was reported.
    Bad,
}

impl Reader<'_> {
    /// Lowers one line at the top of a file.
    pub fn top(&mut self, line: &Line) -> Top {
        let before = self.diagnostics.len();
        let head = self.head(Context::Top, line);
        let place = self.line_span(line);
        if matches!(line.promise, Promise::Planned) {
            let keyword = self.span_of(&(line.head.start..line.head.start + 1));
            let name = Spanned::new(self.text(keyword).to_owned(), keyword);
            return Top::Item(Box::new(Spanned::new(Declaration::Planned(name), place)));
        }
        let Some(head) = head else {
            self.inside_bad_line(line);
            return Top::Bad;
        };
        let mut cursor = Cursor::new(&head);
        match head.rule {
            Rule::d_language => return self.language(&mut cursor).map_or(Top::Bad, Top::Language),
            Rule::d_include => return self.find_text(&mut cursor).map_or(Top::Bad, Top::Include),
            _ => {}
        }
        if let Some(declaration) = self.declaration(&head, line) {
            return Top::Item(Box::new(Spanned::new(declaration, place)));
        }
        if self.diagnostics.len() == before {
            self.report(
                Diagnostic::error(Code::Unreadable, place, "this declaration cannot be read")
                    .note("this is a gap in the compiler, not in the spec"),
            );
        }
        self.inside_bad_line(line);
        Top::Bad
    }

    fn declaration(&mut self, head: &Node, line: &Line) -> Option<Declaration> {
        let mut cursor = Cursor::new(head);
        let cursor = &mut cursor;
        Some(match head.rule {
            Rule::d_study => Declaration::Study(self.study(cursor, line)?),
            Rule::d_factor => Declaration::Factor(self.factor(cursor)?),
            Rule::d_model => Declaration::Model(self.model(cursor, line)?),
            Rule::d_scaffold => Declaration::Scaffold(self.scaffold(cursor, line)?),
            Rule::d_tool => Declaration::Tool(self.tool(cursor, line)?),
            Rule::d_tasks => Declaration::Tasks(self.tasks(cursor, line)?),
            Rule::d_design => Declaration::Design(self.design(line)),
            Rule::d_outcome => Declaration::Outcome(self.outcome(cursor)?),
            Rule::d_flag => Declaration::Flag(self.flag(cursor)?),
            Rule::d_analysis_set => Declaration::AnalysisSet(self.analysis_set(cursor, line)?),
            Rule::d_measure => Declaration::Measure(self.measure(cursor)?),
            Rule::d_value => Declaration::Value(self.value(cursor)?),
            Rule::d_value_table => Declaration::Value(self.value_table(cursor, line)?),
            Rule::d_estimand => Declaration::Estimand(self.estimand(cursor)?),
            Rule::d_paired => Declaration::Paired(self.estimand(cursor)?),
            Rule::d_pick => Declaration::Pick(self.pick(cursor)?),
            Rule::d_interval => Declaration::Interval(self.method(cursor)?),
            Rule::d_test => Declaration::Test(self.method(cursor)?),
            Rule::d_margin => Declaration::Margin(self.margin(cursor)?),
            Rule::d_family => Declaration::Family(self.family(cursor, line)?),
            Rule::d_gate | Rule::d_control => Declaration::Gate(self.gate(cursor, line)?),
            Rule::d_hypothesis => Declaration::Hypothesis(self.hypothesis(cursor, line)?),
            Rule::d_conclusion => Declaration::Conclusion(self.conclusion(cursor, line)?),
            Rule::d_publish => Declaration::Publish(self.publish(cursor)?),
            Rule::d_compare => Declaration::Compare(self.compare(cursor, line)?),
            Rule::d_ranking => Declaration::Ranking(self.ranking(cursor, line)?),
            Rule::d_looks => Declaration::Looks(self.looks(line)),
            Rule::d_scenario => Declaration::Scenario(self.scenario(cursor, line)?),
            Rule::d_results => Declaration::Results(self.results(cursor, line)?),
            Rule::d_waive => Declaration::Waive(self.waive(cursor)?),
            _ => return None,
        })
    }

    /// From the first word of a line to the end of its block or tail.
    pub(super) fn line_span(&self, line: &Line) -> Span {
        let mut place = self.span_of(&line.head);
        if let Some(block) = &line.block {
            place = place.to(block.span);
        }
        if !line.tail.is_empty() {
            place = place.to(self.span_of(&line.tail));
        }
        place
    }
}
