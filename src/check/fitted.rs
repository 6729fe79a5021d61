//! Fitted models: that the formula can be read, that its names are known, and that it gives what the estimand asks for.

use super::methods::Arguments;
use super::record_expr::RecordPlace;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Bounds, Dimension, EstimandBody, FieldRole, FitTarget, FittedModel, NumberType, ValueType};
use crate::stats::mixed::formula::{Formula, Term};
use crate::syntax::ast::{self, ExprKind};

impl Checker<'_> {
    /// `fitted logit("correct ~ arm + (1 | task)", without: "arm", nodes: 1) where …`
    pub(super) fn fitted(&mut self, item: &ast::Fitted) -> Option<(EstimandBody, NumberType)> {
        let method = &item.method;
        if method.method.node != "logit" {
            self.report(
                Diagnostic::error(
                    Code::Undefined,
                    method.method.span,
                    format!("no model is called `{}`", method.method.node),
                )
                .help("write `logit`, a binomial model with random intercepts"),
            );
            return None;
        }
        let mut arguments = Arguments::new(method);
        let without = arguments.take("without");
        let coefficient = arguments.take("coefficient");
        let nodes = arguments.take("nodes");
        let text = arguments.positional();
        self.unknown_arguments(&arguments);
        let (text, span) = self.model_text(text, method)?;
        let formula = match Formula::parse(&text) {
            Ok(formula) => formula,
            Err(error) => {
                self.report(
                    Diagnostic::error(Code::TypeMismatch, span, format!("the formula cannot be read: {error}"))
                        .help("write it as in `\"correct ~ arm * model + (1 | task)\"`"),
                );
                return None;
            }
        };
        self.names_of(&formula, span)?;
        let nodes = match nodes {
            None => 1,
            Some(expr) => {
                let nodes = self.at_least_one(expr, "the number of nodes")?;
                if nodes > 101 || (nodes > 1 && formula.random().len() != 1) {
                    self.report(
                        Diagnostic::error(Code::NotAllowedHere, expr.span, "these nodes cannot be used")
                            .help("quadrature takes 1 to 101 nodes and one random intercept; `nodes: 1` is the Laplace approximation"),
                    );
                    return None;
                }
                nodes
            }
        };
        let target = self.target(&formula, without, coefficient, method)?;
        let filter = match &item.filter {
            None => None,
            Some(filter) => Some(self.record_condition(filter, &RecordPlace::records("`where`"))?),
        };
        let lower = matches!(target, FitTarget::Without(_)).then(|| crate::math::Rational::from_integer(0.into()));
        let kind = NumberType { dimension: Dimension::Plain, bounds: Bounds { lower, upper: None }, integer: false };
        Some((EstimandBody::Fitted(FittedModel { formula: formula.to_string(), target, nodes, filter }), kind))
    }

    fn model_text(&mut self, text: Option<&ast::Expr>, method: &ast::Method) -> Option<(String, crate::source::Span)> {
        let Some(expr) = text else {
            self.report(
                Diagnostic::error(Code::MissingClause, method.method.span, "the model has no formula")
                    .help("write it first, as in `logit(\"correct ~ arm + (1 | task)\", …)`"),
            );
            return None;
        };
        if let ExprKind::Text(text) = &*expr.kind {
            return Some((text.clone(), expr.span));
        }
        self.report(
            Diagnostic::error(Code::TypeMismatch, expr.span, "a formula is a text")
                .help("put it in quotes, as in `\"correct ~ arm + (1 | task)\"`"),
        );
        None
    }

    /// Every name of a formula: a true-or-false outcome before `~`; factors, attributes and the unit after it.
    fn names_of(&mut self, formula: &Formula, span: crate::source::Span) -> Option<()> {
        let response = formula.response();
        self.mark(Kind::Field, response);
        let outcome = self.spec.fields.get(response).filter(|field| field.role == FieldRole::Outcome);
        if outcome.is_none_or(|field| field.kind != ValueType::Bool) {
            self.report(
                Diagnostic::error(Code::WrongKind, span, format!("`{response}` is no true-or-false outcome"))
                    .help("a logistic model explains an outcome of type `bool`"),
            );
            return None;
        }
        for name in formula.fixed().iter().chain(formula.random()).flat_map(Term::names) {
            if !self.is_factor_like(name) {
                self.undefined_at(name, span, "a factor, attribute or unit", &[Kind::Factor, Kind::Tasks]);
                return None;
            }
            self.mark(Kind::Factor, name);
            self.mark(Kind::Field, name);
        }
        if let Some(name) = formula.fixed().iter().flat_map(Term::names).find(|name| self.is_unit(name)) {
            self.report(
                Diagnostic::error(
                    Code::WrongKind,
                    span,
                    format!("`{name}` is the unit, so it has a coefficient for each"),
                )
                .help(format!("give it a random intercept: `(1 | {name})`")),
            );
            return None;
        }
        Some(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn target(
        &mut self,
        formula: &Formula,
        without: Option<&ast::Expr>,
        coefficient: Option<&ast::Expr>,
        method: &ast::Method,
    ) -> Option<FitTarget> {
        let text = |expr: &ast::Expr| match &*expr.kind {
            ExprKind::Text(text) | ExprKind::Name(text) => Some(text.clone()),
            _ => None,
        };
        match (without, coefficient) {
            (Some(expr), None) => {
                let written = text(expr).unwrap_or_default();
                let term = Term::of(written.split(':').map(str::trim).filter(|name| !name.is_empty()));
                if !formula.fixed().contains(&term) {
                    let terms: Vec<String> = formula.fixed().iter().map(|term| format!("`{term}`")).collect();
                    self.report(
                        Diagnostic::error(Code::Undefined, expr.span, format!("the formula has no term `{written}`"))
                            .help(format!("its terms are {}", terms.join(", "))),
                    );
                    return None;
                }
                Some(FitTarget::Without(term.to_string()))
            }
            (None, Some(expr)) => {
                let name = text(expr);
                if name.is_none() {
                    self.report(
                        Diagnostic::error(Code::TypeMismatch, expr.span, "a coefficient is named by a text")
                            .help("name it as in `coefficient: \"arm[s2]\"`"),
                    );
                }
                name.map(FitTarget::Coefficient)
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::MissingClause,
                        method.method.span,
                        "the model does not say which of its quantities is asked for",
                    )
                    .help("write `without: \"arm:model\"` for the likelihood ratio of a term, or `coefficient: \"arm[s2]\"`"),
                );
                None
            }
        }
    }
}
