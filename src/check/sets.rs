//! Analysis sets: who is dropped, who is kept, what becomes of errored and missing records.

use super::places::Part;
use super::record_expr::{RecordPlace, state_class};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{AnalysisSet, CountAs, Keep, Pool, StateClass};
use crate::syntax::ast::{Attribute, Name, SetClause};

/// What is written after `as`.
#[derive(Clone)]
enum Counted {
    As(CountAs),
    /// A judgment that meets such a record stops; this is also the default.
    Refused,
}

impl Checker<'_> {
    /// Every analysis set; without any there is one, `all`.
    pub(super) fn sets(&mut self) {
        for (name, item) in self.names.sets.clone() {
            self.place(Kind::Set, name, Part::Name, item.name.span);
            let mut set = AnalysisSet::default();
            for clause in &item.clauses {
                self.set_clause(&clause.node, clause.span, &mut set);
            }
            set.drops.sort();
            set.drops.dedup();
            set.keeps.sort();
            set.keeps.dedup();
            self.spec.sets.insert(name.to_owned(), set);
        }
        if self.names.sets.is_empty() {
            self.spec.sets.insert("all".into(), AnalysisSet::default());
        }
    }

    fn set_clause(&mut self, clause: &SetClause, span: crate::source::Span, set: &mut AnalysisSet) {
        match clause {
            SetClause::Drop(condition) => {
                let checked = self.record_condition(condition, &RecordPlace::records("`drop`"));
                set.drops.extend(checked);
            }
            SetClause::Keep { unit, every, count, state } => {
                if !self.is_unit(&unit.node) {
                    self.report(
                        Diagnostic::error(
                            Code::WrongKind,
                            unit.span,
                            format!("`{}` is not the unit of analysis", unit.node),
                        )
                        .help("whole units are kept or dropped; name the unit that `tasks` declares"),
                    );
                    return;
                }
                let known: Vec<bool> = every.iter().map(|factor| self.factor_like(factor)).collect();
                let count = self.whole(count, "the number of records");
                let state = self.state(state);
                if known.contains(&false) {
                    return;
                }
                let mut every: Vec<String> = every.iter().map(|factor| factor.node.clone()).collect();
                every.sort();
                every.dedup();
                if let (Some(count), Some(state)) = (count, state) {
                    set.keeps.push(Keep { every, count, state });
                }
            }
            SetClause::CountAs { states, value } => {
                let value = self.count_as(value);
                for word in states {
                    let Some(class) = self.state(word) else { continue };
                    if class == StateClass::Completed {
                        self.report(
                            Diagnostic::error(
                                Code::NotAllowedHere,
                                word.span,
                                "a completed record counts as what it holds",
                            )
                            .help("only `errored` and `missing` records are counted as something"),
                        );
                        continue;
                    }
                    // `refused` is the default: a judgment that meets such a record stops.
                    let Some(Counted::As(value)) = value.clone() else { continue };
                    if set.counts.insert(class, value).is_some() {
                        self.report(Diagnostic::error(
                            Code::RepeatedClause,
                            word.span,
                            format!("`{}` is counted twice", word.node),
                        ));
                    }
                }
            }
            SetClause::Pool(word) => match word.node.as_str() {
                "planned" => set.pool = Pool::Planned,
                "present" => set.pool = Pool::Present,
                other => self.report(
                    Diagnostic::error(Code::WrongKind, span, format!("no pool is called `{other}`"))
                        .help("the bootstrap draws from the units `planned`, or from those `present`"),
                ),
            },
        }
    }

    fn state(&mut self, word: &Name) -> Option<StateClass> {
        let class = state_class(&word.node);
        if class.is_none() {
            let nearest = self.nearest(&word.node, ["completed", "errored", "missing"]);
            let found = Diagnostic::error(Code::WrongKind, word.span, format!("`{}` is no class of states", word.node))
                .help("records are `completed`, `errored` or `missing`");
            self.report(match nearest {
                Some(near) => found.fix(format!("write `{near}`"), word.span, near),
                None => found,
            });
        }
        class
    }

    /// What records count as.
    fn count_as(&mut self, value: &Attribute) -> Option<Counted> {
        match value {
            Attribute::Word(word) => match word.node.as_str() {
                "incorrect" => Some(Counted::As(CountAs::Incorrect)),
                "excluded" => Some(Counted::As(CountAs::Excluded)),
                "refused" => Some(Counted::Refused),
                other => {
                    let nearest = self.nearest(other, ["incorrect", "excluded", "refused"]);
                    let found =
                        Diagnostic::error(Code::WrongKind, word.span, format!("records do not count as `{other}`"))
                            .help("they count as `incorrect`, `excluded`, `refused` or a number");
                    self.report(match nearest {
                        Some(near) => found.fix(format!("write `{near}`"), word.span, near),
                        None => found,
                    });
                    None
                }
            },
            Attribute::Number(literal) => {
                self.quantity(literal).map(|(quantity, _)| Counted::As(CountAs::Value(quantity)))
            }
            Attribute::Text(text) => {
                self.report(Diagnostic::error(Code::TypeMismatch, text.span, "records do not count as a text"));
                None
            }
        }
    }
}
