//! Analysis sets: who is dropped, who is kept, what becomes of errored and missing records.

use std::collections::BTreeMap;

use num_traits::Zero as _;

use super::places::Part;
use super::record_expr::{RecordPlace, state_class};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{
    self, AnalysisSet, Bounds, CountAs, FieldRole, Fill, Keep, NumberType, Pool, Quantity, StateClass, ValueType,
};
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
            SetClause::CountAs { states, value, fills } => {
                let value = self.count_as(value);
                let fills = self.fills(value.as_ref(), fills);
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
                    if !fills.is_empty() {
                        set.fills.insert(class, fills.clone());
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

    /// What numbers count as where nothing was recorded.
    fn fills(&mut self, value: Option<&Counted>, fills: &[(Name, Attribute)]) -> BTreeMap<spec::Name, Fill> {
        let mut found = BTreeMap::new();
        for (field, fill) in fills {
            if !matches!(value, None | Some(Counted::As(CountAs::Incorrect))) {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, field.span, "only what counts as incorrect has values filled in")
                        .help("write it after `as incorrect`; `excluded` and `refused` records have no values, and a number counts for every outcome"),
                );
                return BTreeMap::new();
            }
            let Some(kind) = self.spec.fields.get(&field.node).map(|field| field.kind.clone()) else {
                // One whose type is wrong was declared all the same, and is reported there.
                if !self.names.outcomes.contains_key(field.node.as_str()) {
                    self.undefined(field, "an outcome", &[Kind::Field]);
                }
                continue;
            };
            let ValueType::Number(number) = kind else {
                self.report(
                    Diagnostic::error(Code::TypeMismatch, field.span, format!("`{}` is no number", field.node))
                        .help("a true-or-false outcome of an incorrect record is false; levels and texts keep what was recorded"),
                );
                continue;
            };
            let fill = match fill {
                Attribute::Word(word) if word.node == "absent" => Some(Fill::Absent),
                Attribute::Number(literal) => self.quantity(literal).and_then(|(quantity, bare)| {
                    let span = Self::literal_span(literal);
                    let quantity = self.fit(quantity, bare, span, &number.dimension)?;
                    self.can_stand(&field.node, &number, &quantity, span).then_some(Fill::Value(quantity))
                }),
                Attribute::Word(_) | Attribute::Text(_) => {
                    self.report(
                        Diagnostic::error(
                            Code::TypeMismatch,
                            field.span,
                            format!("`{}` counts as a number or as `absent`", field.node),
                        )
                        .help(format!("as in `{} as 0`", field.node)),
                    );
                    None
                }
            };
            // One that was refused is not missing as well.
            if found.insert(field.node.clone(), fill.unwrap_or(Fill::Absent)).is_some() {
                self.report(Diagnostic::error(
                    Code::RepeatedClause,
                    field.span,
                    format!("`{}` is counted twice", field.node),
                ));
            }
        }
        found
    }

    /// Whether a value can stand for an outcome: rules are proved for what the outcome can be.
    fn can_stand(&mut self, name: &str, number: &NumberType, quantity: &Quantity, span: crate::source::Span) -> bool {
        let fits = number.bounds.hold(&quantity.value) && (!number.integer || quantity.value.is_integer());
        if !fits {
            self.report(
                Diagnostic::error(Code::Unreachable, span, format!("`{name}` cannot be {quantity}"))
                    .note("rules are proved for what an outcome can be, by its type and bounds")
                    .help(format!("write a number that `{name}` can be, or `{name} as absent`")),
            );
        }
        fits
    }

    /// Asks that a number which stands for every absent outcome can be each of them.
    fn stands_for_all(&mut self, quantity: &Quantity, bare: bool, span: crate::source::Span) {
        let fields: Vec<(spec::Name, ValueType)> = self
            .spec
            .fields
            .iter()
            .filter(|(_, field)| field.role == FieldRole::Outcome && field.derived.is_none())
            .map(|(name, field)| (name.clone(), field.kind.clone()))
            .collect();
        for (name, kind) in fields {
            let fits = match kind {
                ValueType::Bool => {
                    let truth = quantity.value.is_integer() && Bounds::unit().hold(&quantity.value);
                    if !truth {
                        self.report(
                            Diagnostic::error(Code::Unreachable, span, format!("`{name}` is true or false, and {quantity} is neither"))
                                .help("write 0 or 1, or `as incorrect` with a line for each number, as in `as incorrect, cost as 2 usd`"),
                        );
                    }
                    truth
                }
                ValueType::Number(number) => {
                    // Nothing is nothing in every unit.
                    let own = if bare && quantity.value.is_zero() {
                        Some(Quantity { dimension: number.dimension.clone(), ..quantity.clone() })
                    } else {
                        self.fit(quantity.clone(), bare, span, &number.dimension)
                    };
                    own.is_some_and(|quantity| self.can_stand(&name, &number, &quantity, span))
                }
                ValueType::Level(_) | ValueType::Text => true,
            };
            if !fits {
                return;
            }
        }
    }

    /// Asks that every number that is read says what it is in a record that counts as incorrect and did not record it.
    pub(super) fn unfilled(&mut self) {
        let mut found: BTreeMap<(spec::Name, spec::Name, String), Vec<StateClass>> = BTreeMap::new();
        let is_read = |(name, field): &(&spec::Name, &spec::Field)| {
            matches!(field.kind, ValueType::Number(_))
                && field.role == FieldRole::Outcome
                && field.derived.is_none()
                && !field.optional
                && self.used.contains(&(Kind::Field, (*name).clone()))
        };
        let zero = |field: &spec::Field| match &field.kind {
            ValueType::Number(number) => {
                Quantity { value: Rational::default(), dimension: number.dimension.clone() }.to_string()
            }
            ValueType::Bool | ValueType::Level(_) | ValueType::Text => String::new(),
        };
        let read: BTreeMap<&spec::Name, String> =
            self.spec.fields.iter().filter(is_read).map(|(name, field)| (name, zero(field))).collect();
        for (name, set) in &self.spec.sets {
            for (class, _) in set.counts.iter().filter(|(_, policy)| **policy == CountAs::Incorrect) {
                let fills = set.fills.get(class);
                let open = read.iter().filter(|(field, _)| !fills.is_some_and(|fills| fills.contains_key(**field)));
                for (field, zero) in open {
                    let key = (name.clone(), (*field).clone(), zero.clone());
                    found.entry(key).or_default().push(*class);
                }
            }
        }
        for ((set, field, zero), classes) in found {
            let span = self.places.get(Kind::Set, &set, &Part::Name);
            let words: Vec<&str> = classes.iter().map(|class| class.word()).collect();
            let message = format!(
                "`{set}` counts {} records as incorrect and does not say what `{field}` is in one that has none",
                words.join(" and ")
            );
            let line = format!("count {} as incorrect", words.join(", "));
            self.report(
                Diagnostic::error(Code::Unfilled, span, message)
                    .note("a run that failed may have cost nothing, the cap, or an unknown amount; each gives another mean")
                    .help(format!(
                        "write `{line}, {field} as {zero}`, another number, or `{field} as absent` to leave such a record out of what is computed of it"
                    )),
            );
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
                let (quantity, bare) = self.quantity(literal)?;
                self.stands_for_all(&quantity, bare, Self::literal_span(literal));
                Some(Counted::As(CountAs::Value(quantity)))
            }
            Attribute::Text(text) => {
                self.report(Diagnostic::error(Code::TypeMismatch, text.span, "records do not count as a text"));
                None
            }
        }
    }
}
