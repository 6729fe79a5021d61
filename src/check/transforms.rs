//! Logarithms and steps of the values of one record.

use super::literals::Side;
use super::record_expr::{Record, RecordKind, RecordPlace};
use super::units::{self, Ty};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{ArithmeticOp, Bounds, Dimension, RecordExpr};
use crate::syntax::ast::{Expr, ExprKind};

impl Checker<'_> {
    /// `log(x)`
    pub(super) fn log(&mut self, argument: &Expr, place: &RecordPlace) -> Record {
        let (checked, _) = self.record_number(argument, place)?;
        Some((RecordExpr::Log(Box::new(checked)), RecordKind::Number(plain())))
    }

    /// `log_ratio(a, b)`: a difference of logarithms, of two values in one unit.
    pub(super) fn record_log_ratio(&mut self, above: &Expr, below: &Expr, span: Span, place: &RecordPlace) -> Record {
        let (a, b) = (self.record_number(above, place), self.record_number(below, place));
        let ((a, a_ty), (b, b_ty)) = (a?, b?);
        if let Err(mix) = units::arithmetic(ArithmeticOp::Divide, &a_ty, &b_ty) {
            let sides = (Side { span: above.span, ty: &a_ty }, Side { span: below.span, ty: &b_ty });
            self.mixed(&mix, "divided by", sides.0, sides.1, span);
            return None;
        }
        let log = |expr: RecordExpr| Box::new(RecordExpr::Log(Box::new(expr)));
        let ratio = RecordExpr::Arithmetic(log(a), ArithmeticOp::Subtract, log(b));
        Some((ratio, RecordKind::Number(plain())))
    }

    /// `step(dose)`: the number that a level of an ordered factor is.
    pub(super) fn step_of(&mut self, argument: &Expr, span: Span) -> Record {
        let ExprKind::Name(factor) = &*argument.kind else {
            self.report(Diagnostic::error(Code::TypeMismatch, argument.span, "`step` takes the name of a factor"));
            return None;
        };
        if !self.spec.factors.contains_key(factor) {
            self.undefined_at(factor, argument.span, "a factor", &[Kind::Factor]);
            return None;
        }
        self.mark(Kind::Factor, factor);
        if self.spec.steps(factor).is_none() {
            self.report(
                Diagnostic::error(Code::TypeMismatch, span, format!("the levels of `{factor}` have no order"))
                    .note("distances between unordered words would be a choice that nobody declared")
                    .help(format!("declare them in order, `factor {factor} ordered = …`, or name them by numbers")),
            );
            return None;
        }
        Some((RecordExpr::Step(factor.clone()), RecordKind::Number(plain())))
    }
}

/// A plain number without bounds.
fn plain() -> Ty {
    Ty::new(Dimension::Plain, Bounds::default(), false)
}
