//! Planned looks: that they end, that they come before the end, and that every piece of evidence can bear them.

use super::Checker;
use super::names::list;
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Looks, Name, Sides, Spend, TaskSource, TestMethod};

impl Checker<'_> {
    /// The planned looks.
    pub(super) fn looks(&mut self) {
        let Some(item) = self.names.looks else { return };
        let Some(maximum) = &item.maximum else {
            self.report(
                Diagnostic::error(Code::UnboundedLooks, item.span, "the looks have no `maximum`")
                    .note("a study that may go on until p is small enough will reach it in the end, effect or not")
                    .help("add the planned number of units, as in `maximum 139 task`"),
            );
            return;
        };
        let maximum_span = Self::literal_span(maximum);
        let Some(maximum) = self.count_of_units(maximum) else { return };
        let planned = self.spec.tasks.as_ref().and_then(|tasks| match &tasks.source {
            TaskSource::Count(count) => Some(*count),
            TaskSource::List(names) => u64::try_from(names.len()).ok(),
            TaskSource::File { .. } => None,
        });
        if let Some(planned) = planned.filter(|planned| *planned != maximum) {
            self.report(
                Diagnostic::error(
                    Code::UnboundedLooks,
                    maximum_span,
                    format!("the last look is at {maximum} units and {planned} are planned"),
                )
                .note("the last look is the one at which every planned unit has come")
                .help(format!("write `maximum {planned}`, or plan {maximum} units")),
            );
            return;
        }
        let Some(word) = &item.spend else {
            self.report(
                Diagnostic::error(Code::MissingClause, item.span, "the looks do not say how they share the level out")
                    .help(format!("add `spend {}`", Spend::OBrienFleming.word())),
            );
            return;
        };
        let Some(spend) = Spend::ALL.into_iter().find(|spend| spend.word() == word.node) else {
            self.report(
                Diagnostic::error(Code::Undefined, word.span, format!("no way of spending is called `{}`", word.node))
                    .help(format!("ways are {}", list(&Spend::ALL.map(Spend::word)))),
            );
            return;
        };
        let mut at: Vec<u64> = Vec::new();
        for number in &item.at {
            let Some(units) = self.whole(number, "a look") else { return };
            if units == 0 || units >= maximum || at.last().is_some_and(|last| *last >= units) {
                self.report(
                    Diagnostic::error(
                        Code::BadDesign,
                        number.number.span,
                        "looks come one after another, before the last",
                    )
                    .help(format!("write ascending numbers of units below {maximum}")),
                );
                return;
            }
            at.push(units);
        }
        if (spend == Spend::Anytime) != item.any {
            let problem = if item.any {
                "only `spend anytime` bears looks at any time"
            } else {
                "`spend anytime` has no fixed looks"
            };
            self.report(
                Diagnostic::error(Code::BadDesign, item.span, problem)
                    .help("write `at any; spend anytime`, or name the looks (`at 40, 80`) and spend the level on them"),
            );
            return;
        }
        if !item.any && at.is_empty() {
            self.report(
                Diagnostic::error(Code::MissingClause, item.span, "the looks do not say when they are")
                    .help("add the number of complete units at each, as in `at 40, 80`"),
            );
            return;
        }
        if spend == Spend::Anytime && !self.bears_any_time(item.span) {
            return;
        }
        self.spec.looks = Some(Looks { at, maximum, spend });
    }

    fn count_of_units(&mut self, literal: &crate::syntax::ast::Literal) -> Option<u64> {
        let bare = crate::syntax::ast::Literal { number: literal.number.clone(), unit: None };
        let unit = literal.unit.as_ref();
        if let Some(unit) = unit.filter(|unit| !self.is_unit(&unit.node)) {
            let (span, word) = (unit.span, unit.node.clone());
            self.report(
                Diagnostic::error(Code::WrongKind, span, format!("`{word}` is not the unit of analysis"))
                    .help("looks count whole units, in the word that `tasks` declares"),
            );
            return None;
        }
        self.whole(&bare, "the maximum")
    }

    /// Whether all evidence stays valid at any time: two-sided tests on discordant units, and no interval.
    fn bears_any_time(&mut self, span: crate::source::Span) -> bool {
        let bears = |test: &Name| {
            self.spec.tests.get(test).is_some_and(|test| {
                matches!(test.method, TestMethod::Sign { .. } | TestMethod::Mcnemar { .. })
                    && test.method.sides() == Some(Sides::Two)
            })
        };
        let hypotheses = self.spec.hypotheses.values().filter(|hypothesis| hypothesis.rule.is_some());
        let abouts = hypotheses.flat_map(|hypothesis| {
            hypothesis.about.iter().chain(hypothesis.clauses.values().flat_map(|clause| &clause.about))
        });
        let mut cannot: Vec<Name> = Vec::new();
        for about in abouts {
            cannot.extend(about.intervals.iter().cloned());
            cannot.extend(about.tests.iter().filter(|test| !bears(test)).cloned());
        }
        cannot.sort();
        cannot.dedup();
        if cannot.is_empty() {
            return true;
        }
        self.report(
            Diagnostic::error(
                Code::BadDesign,
                span,
                format!("{} would not stay valid when looked at at any time", list(&cannot)),
            )
            .note("evidence that holds at any time is made for discordant units: two-sided `sign` and `mcnemar` tests")
            .help("decide by such a test, or name the looks and spend the level on them"),
        );
        false
    }
}
