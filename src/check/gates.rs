//! Gates and controls: conditions without which their dependants are not judged.

use std::collections::BTreeMap;

use super::condition::RulePlace;
use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Gate, GateFailure, Polarity};
use crate::syntax::ast;

impl Checker<'_> {
    /// Every gate.
    pub(super) fn gates(&mut self) {
        for (name, item) in self.names.gates.clone() {
            self.place(Kind::Gate, name, Part::Name, item.name.span);
            let before = self.error_count();
            let gate = self.gate(item);
            if let Some(gate) = gate.filter(|_| self.error_count() == before) {
                self.spec.gates.insert(name.to_owned(), gate);
            }
        }
    }

    fn gate(&mut self, item: &ast::Gate) -> Option<Gate> {
        let name = item.name.node.as_str();
        let polarity = match item.polarity.as_ref().map(|word| word.node.as_str()) {
            None => None,
            Some("positive") => Some(Polarity::Positive),
            Some(_) => Some(Polarity::Negative),
        };
        let about = self.abouts(&item.about, name, None);
        let (scope, bound) = self.scope(item.scope.as_ref(), &about, &item.per, name, None);
        let set = match &item.set {
            None => self.default_set(&item.name),
            Some(set) if self.spec.sets.contains_key(&set.node) => {
                self.mark(Kind::Set, &set.node);
                Some(set.node.clone())
            }
            Some(set) => {
                self.undefined(set, "an analysis set", &[Kind::Set]);
                None
            }
        };
        let mut place = RulePlace {
            abouts: about.clone(),
            bound,
            clauses: BTreeMap::new(),
            subject: name.to_owned(),
            ..RulePlace::default()
        };
        let require = if let Some(expr) = &item.require {
            self.place(Kind::Gate, name, Part::Expr, expr.span);
            self.condition(expr, &mut place)
        } else {
            self.report(
                Diagnostic::error(
                    Code::GateWithoutThreshold,
                    item.name.span,
                    format!("the gate `{name}` has no threshold"),
                )
                .note("a gate that anybody may call passed is no gate")
                .help("add `require estimate >= …`")
                .about(name),
            );
            None
        };
        let Some((fail, reason)) = &item.fail else {
            self.missing_clause(&item.name, "gate", "fail", "`fail gives void \"why\"` when the measurement is broken, `fail gives not_evaluated` when the question does not arise");
            return None;
        };
        let fail = match fail.node.as_str() {
            "void" => GateFailure::Void,
            "not_evaluated" => GateFailure::NotEvaluated,
            other => {
                self.report(
                    Diagnostic::error(Code::WrongKind, fail.span, format!("a failed gate cannot give `{other}`"))
                        .help("it gives `void` or `not_evaluated`, never a verdict"),
                );
                return None;
            }
        };
        let reason = self.prose_or_empty(reason.as_ref());
        let per = item.per.iter().map(|factor| factor.node.clone()).collect();
        Some(Gate { polarity, about, scope, per, set: set?, require: require?, fail, reason })
    }
}
