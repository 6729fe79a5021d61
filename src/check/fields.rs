//! What one record holds: outcomes, read or derived, and flags.

use std::collections::BTreeMap;

use super::places::Part;
use super::record_expr::{RecordKind, RecordPlace, shown};
use super::tasks::names_in;
use super::{Checker, Kind, order, units};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Bounds, Field, FieldRole, NumberType, RecordExpr, ValueType};
use crate::syntax::ast;

impl Checker<'_> {
    /// Outcomes and flags; derived outcomes after what they name.
    pub(super) fn fields(&mut self) {
        let outcomes = self.names.outcomes.clone();
        let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, outcome) in &outcomes {
            needs.insert((*name).to_owned(), outcome.derived.as_ref().map(names_in).unwrap_or_default());
        }
        let sorted = order::order(&needs);
        for cycle in &sorted.cycles {
            let first = cycle.first().and_then(|name| outcomes.get(name.as_str()));
            let span = first.map_or_else(Default::default, |outcome| outcome.field.name.span);
            self.report(
                Diagnostic::error(Code::Cycle, span, format!("these outcomes need each other: {}", order::path(cycle)))
                    .help("one of them must be read from the results"),
            );
        }
        for name in &sorted.sorted {
            if let Some(outcome) = outcomes.get(name.as_str()) {
                self.outcome(outcome);
            }
        }
        for (name, flag) in self.names.flags.clone() {
            self.place(Kind::Field, name, Part::Name, flag.name.span);
            let text = flag.text.as_ref().map(|text| self.prose(text));
            let (role, kind) = (FieldRole::Flag, ValueType::Bool);
            self.spec
                .fields
                .insert(name.to_owned(), Field { role, kind, optional: false, source: None, derived: None, text });
        }
    }

    fn outcome(&mut self, outcome: &ast::Outcome) {
        let name = outcome.field.name.node.as_str();
        self.place(Kind::Field, name, Part::Name, outcome.field.name.span);
        if let Some(censored) = &outcome.censored_by {
            self.report(
                Diagnostic::error(
                    Code::Planned,
                    censored.span,
                    "outcomes that are cut off by another one are planned and not available",
                )
                .help("record whether the event came as an outcome of its own"),
            );
        }
        let Some(mut kind) = self.type_of(&outcome.field.kind, name) else { return };
        if let Some(bounds) = &outcome.bounds {
            match kind {
                ValueType::Number(number) => kind = ValueType::Number(self.narrowed(number, Some(bounds))),
                ValueType::Bool | ValueType::Level(_) | ValueType::Text => {
                    self.report(Diagnostic::error(Code::TypeMismatch, bounds.0.span, "only a number has bounds"));
                    return;
                }
            }
        }
        let derived = match &outcome.derived {
            None => None,
            Some(expr) => match self.derived(expr, &kind, outcome.bounds.is_some()) {
                Some((derived, number)) => {
                    // What the expression can give is what rules are proved for.
                    kind = number.map_or(kind, ValueType::Number);
                    Some(derived)
                }
                None => return,
            },
        };
        if let (Some(_), Some(source)) = (&derived, &outcome.source) {
            self.report(
                Diagnostic::error(
                    Code::RepeatedClause,
                    source.kind.span,
                    format!("`{name}` is derived and read at once"),
                )
                .help("take out the source or the expression"),
            );
        }
        let source = outcome.source.as_ref().map(|source| {
            let scorer = source.name.as_ref().map_or_else(String::new, |name| name.node.clone());
            (source.kind.node.clone(), scorer, self.prose_or_empty(source.version.as_ref()))
        });
        if let ValueType::Level(levels) = &kind {
            self.own(name, levels);
        }
        let optional = outcome.field.optional;
        let field = Field { role: FieldRole::Outcome, kind, optional, source, derived, text: None };
        self.spec.fields.insert(name.to_owned(), field);
    }

    /// An expression for a derived outcome, of the type that was written; for a number with the range that follows from the
    /// expression. A range that was `declared` must hold it.
    fn derived(
        &mut self,
        expr: &ast::Expr,
        wanted: &ValueType,
        declared: bool,
    ) -> Option<(RecordExpr, Option<NumberType>)> {
        let place = RecordPlace::records("a derived outcome");
        let (mut checked, kind) = self.record(expr, &place)?;
        match (&kind, wanted) {
            (RecordKind::Bool, ValueType::Bool) | (RecordKind::Text, ValueType::Text) => return Some((checked, None)),
            (RecordKind::Level(_, levels), ValueType::Level(wanted)) if levels == wanted => {
                return Some((checked, None));
            }
            (RecordKind::Number(ty), ValueType::Number(wanted)) => {
                let other = units::Ty::new(wanted.dimension.clone(), Bounds::default(), false);
                return match units::unify(&other, ty) {
                    Ok(_) => {
                        if let RecordExpr::Number(quantity) = &mut checked {
                            quantity.dimension = wanted.dimension.clone();
                        }
                        let number = NumberType { dimension: wanted.dimension.clone(), ..ty.number.clone() };
                        if declared && !number.bounds.within(&wanted.bounds) {
                            self.report(
                                Diagnostic::error(
                                    Code::Unreachable,
                                    expr.span,
                                    "the expression can give more than the declared bounds hold",
                                )
                                .note("rules are proved for values within the bounds")
                                .help("leave out `in [ … ]`: the bounds follow from the expression"),
                            );
                            return None;
                        }
                        Some((checked, Some(number)))
                    }
                    Err(mix) => {
                        let sides = (
                            super::literals::Side { span: expr.span, ty: &other },
                            super::literals::Side { span: expr.span, ty },
                        );
                        self.mixed(&mix, "given as", sides.0, sides.1, expr.span);
                        None
                    }
                };
            }
            _ => {}
        }
        self.report(Diagnostic::error(
            Code::TypeMismatch,
            expr.span,
            format!("the expression is {}, not what the outcome's type says", shown(&kind)),
        ));
        None
    }
}
