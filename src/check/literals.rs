//! Number literals in the places where a declaration asks for one, and the wording of unit errors.

use super::Checker;
use super::units::{self, LiteralError, Mix, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::source::Span;
use crate::spec::{Dimension, NumberType, Quantity};
use crate::syntax::ast::{Expr, ExprKind, Literal};

/// One side of a meeting of two numbers, for messages.
#[derive(Clone, Copy)]
pub(super) struct Side<'t> {
    pub span: Span,
    pub ty: &'t Ty,
}

impl Checker<'_> {
    /// The place of a literal, its unit included.
    pub(super) fn literal_span(literal: &Literal) -> Span {
        literal.unit.as_ref().map_or(literal.number.span, |unit| literal.number.span.to(unit.span))
    }

    /// A literal as an exact quantity, and whether it has no unit.
    pub(super) fn quantity(&mut self, literal: &Literal) -> Option<(Quantity, bool)> {
        let unit_name = self.names.tasks.map(|tasks| tasks.name.node.as_str());
        let counts = |word: &str| unit_name == Some(word) || self.names.outcomes.contains_key(word);
        match units::literal(literal, &counts) {
            Ok(found) => Some(found),
            Err(LiteralError::Number(why)) => {
                self.report(
                    Diagnostic::error(
                        Code::BadNumber,
                        literal.number.span,
                        format!("`{}` cannot be read exactly", literal.number.node),
                    )
                    .help(why),
                );
                None
            }
            Err(LiteralError::Unit(word)) => {
                let span = literal.unit.as_ref().map_or(literal.number.span, |unit| unit.span);
                let words =
                    ["%", "pp", "x", "usd", "tokens", "ktok", "Mtok", "ms", "s", "min", "h", "days", "bits", "nats"];
                let nearest = self.nearest(&word, words);
                let mut found = Diagnostic::error(Code::UnknownUnit, span, format!("no unit is called `{word}`"))
                    .note(format!("units are {}", super::names::list(&words)));
                if let Some(near) = nearest {
                    found = found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near);
                }
                self.report(found);
                None
            }
        }
    }

    /// A whole number without a unit, such as a count or a seed.
    pub(super) fn whole(&mut self, literal: &Literal, what: &str) -> Option<u64> {
        let found = units::whole(literal);
        if found.is_none() {
            let span = Self::literal_span(literal);
            self.report(
                Diagnostic::error(Code::BadNumber, span, format!("{what} is a whole number without a unit"))
                    .help("write it with digits only, as in `3`"),
            );
        }
        found
    }

    /// An expression that must be a whole number.
    pub(super) fn whole_expr(&mut self, expr: &Expr, what: &str) -> Option<u64> {
        if let ExprKind::Number(literal) = &*expr.kind {
            return self.whole(literal, what);
        }
        self.report(Diagnostic::error(Code::TypeMismatch, expr.span, format!("{what} is a whole number")));
        None
    }

    /// A constant: a literal, perhaps negative, or arithmetic on constants.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    pub(super) fn constant(&mut self, expr: &Expr) -> Option<(Quantity, bool)> {
        match &*expr.kind {
            ExprKind::Number(literal) => self.quantity(literal),
            ExprKind::Negate(inner) => {
                let (quantity, bare) = self.constant(inner)?;
                Some((negated(inner, quantity), bare))
            }
            _ => {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, expr.span, "a number belongs here")
                        .help("write the number itself, with its unit"),
                );
                None
            }
        }
    }

    /// A constant that must have a given dimension.
    pub(super) fn constant_of(&mut self, expr: &Expr, dimension: &Dimension) -> Option<Quantity> {
        let (quantity, bare) = self.constant(expr)?;
        self.fit(quantity, bare, expr.span, dimension)
    }

    /// Gives a constant the dimension that its place asks for, or reports why it cannot have it.
    pub(super) fn fit(
        &mut self,
        mut quantity: Quantity,
        bare: bool,
        span: Span,
        wanted: &Dimension,
    ) -> Option<Quantity> {
        let ty = Ty::constant(&quantity, bare);
        let other = Ty::new(wanted.clone(), crate::spec::Bounds::default(), false);
        match units::unify(&other, &ty) {
            Ok(_) => {
                quantity.dimension = wanted.clone();
                Some(quantity)
            }
            Err(mix) => {
                self.mixed(&mix, "used as", Side { span, ty: &other }, Side { span, ty: &ty }, span);
                None
            }
        }
    }

    /// The bounds of a type narrowed by `in [low, high]`.
    pub(super) fn narrowed(&mut self, kind: NumberType, bounds: Option<&(Expr, Expr)>) -> NumberType {
        let Some((low, high)) = bounds else { return kind };
        let ends = (self.constant_of(low, &kind.dimension), self.constant_of(high, &kind.dimension));
        let (Some(lower), Some(upper)) = ends else { return kind };
        if lower.value > upper.value {
            self.report(
                Diagnostic::error(Code::BadNumber, low.span.to(high.span), "the bounds are the wrong way round")
                    .help("the smaller one comes first"),
            );
            return kind;
        }
        let outside = |value: &Rational| {
            kind.bounds.lower.as_ref().is_some_and(|low| value < low)
                || kind.bounds.upper.as_ref().is_some_and(|high| value > high)
        };
        for (quantity, span) in [(&lower, low.span), (&upper, high.span)] {
            if outside(&quantity.value) {
                self.report(Diagnostic::error(
                    Code::Unreachable,
                    span,
                    format!("{} cannot reach `{}`", units::describe(&kind.dimension), units::in_unit(quantity)),
                ));
                return kind;
            }
        }
        NumberType { bounds: crate::spec::Bounds { lower: Some(lower.value), upper: Some(upper.value) }, ..kind }
    }

    /// Reports two numbers whose units do not go together; `verb` says what was tried.
    pub(super) fn mixed(&mut self, mix: &Mix, verb: &str, left: Side<'_>, right: Side<'_>, whole: Span) {
        let (known, bare) = if left.ty.bare || left.ty.value().is_some() && right.ty.value().is_none() {
            (right, left)
        } else {
            (left, right)
        };
        let shown = |side: Side<'_>| units::describe(side.ty.dimension());
        let rewritten = |dimension: Dimension| {
            bare.ty.value().map(|value| units::in_unit(&Quantity { value: value.clone(), dimension }))
        };
        let found = match mix {
            Mix::Units => {
                let message = format!("{} is {verb} {}", shown(left), shown(right));
                let found = Diagnostic::error(Code::MixedUnits, whole, message)
                    .also(left.span, shown(left))
                    .also(right.span, shown(right));
                found.help("both sides need the same unit, so that the result has a meaning")
            }
            Mix::MissingUnit => {
                let found = Diagnostic::error(
                    Code::MissingUnit,
                    bare.span,
                    format!("a number without a unit is {verb} {}", shown(known)),
                );
                match rewritten(known.ty.dimension().clone()) {
                    Some(text) => found.help(format!("write `{text}`")).fix("add the unit", bare.span, text),
                    None => found.help("write the number with its unit"),
                }
            }
            Mix::ProportionAsDifference => {
                let constant_is_difference = *bare.ty.dimension() == Dimension::Difference && !bare.ty.bare;
                if constant_is_difference {
                    let found = Diagnostic::error(
                        Code::ProportionAsDifference,
                        bare.span,
                        "a difference in pp is compared with a proportion",
                    );
                    let text = rewritten(Dimension::Proportion).unwrap_or_default();
                    found.help(format!("a proportion is written `{text}`")).fix("write a proportion", bare.span, text)
                } else {
                    let found = Diagnostic::error(
                        Code::ProportionAsDifference,
                        bare.span,
                        "a difference of proportions is written in pp",
                    )
                    .note("a bare decimal or a `%` is a proportion of a whole, never a step between two of them");
                    match rewritten(Dimension::Difference) {
                        Some(text) => found.help(format!("write `{text}`")).fix("write it in pp", bare.span, text),
                        None => found,
                    }
                }
            }
        };
        self.report(found);
    }

    /// Refuses a comparison that bounds decide: one side can never get where the other is. `what` names the measured side.
    pub(super) fn reachable(&mut self, relation: crate::spec::Relation, left: Side<'_>, right: Side<'_>, what: &str) {
        use crate::spec::Relation;
        let (a, b) = (&left.ty.number.bounds, &right.ty.number.bounds);
        if left.ty.value().is_some() == right.ty.value().is_some() {
            return; // two constants are for the rule prover, two quantities are no threshold
        }
        let below = |x: &Option<Rational>, y: &Option<Rational>, or_equal: bool| {
            x.as_ref().zip(y.as_ref()).is_some_and(|(x, y)| if or_equal { x <= y } else { x < y })
        };
        let strict_less = below(&a.upper, &b.lower, false); // left is always smaller
        let strict_more = below(&b.upper, &a.lower, false); // left is always larger
        let edge = match relation {
            Relation::Less => below(&b.upper, &a.lower, true),
            Relation::Greater => below(&a.upper, &b.lower, true),
            Relation::LessEqual | Relation::GreaterEqual | Relation::Equal | Relation::NotEqual => false,
        };
        if !(strict_less || strict_more || edge) {
            return;
        }
        let outside = strict_less || strict_more;
        let above = (relation == Relation::Greater) == left.ty.value().is_none();
        let verb = match (outside, above) {
            (true, _) => "reach",
            (false, true) => "be above",
            (false, false) => "be below",
        };
        let (threshold, measured) = if left.ty.value().is_some() { (left, right) } else { (right, left) };
        let show = |value: &Rational, ty: &Ty| {
            units::in_unit(&Quantity { value: value.clone(), dimension: ty.dimension().clone() })
        };
        let bounds = &measured.ty.number.bounds;
        let range = match (&bounds.lower, &bounds.upper) {
            (Some(low), Some(high)) => {
                format!("it lies between {} and {}", show(low, measured.ty), show(high, measured.ty))
            }
            (Some(low), None) => format!("it is at least {}", show(low, measured.ty)),
            (None, Some(high)) => format!("it is at most {}", show(high, measured.ty)),
            (None, None) => return,
        };
        let mut shown = threshold.ty.clone();
        if shown.bare {
            shown.number.dimension = measured.ty.dimension().clone();
        }
        let value = threshold.ty.value().map(|value| show(value, &shown)).unwrap_or_default();
        let mut found = Diagnostic::error(Code::Unreachable, threshold.span, format!("{what} cannot {verb} `{value}`"))
            .also(measured.span, range)
            .note("the comparison has the same answer whatever the data say");
        let hundredth = threshold.ty.value().map(|value| value / Rational::from_integer(100.into()));
        let fits = hundredth.as_ref().is_some_and(|value| {
            bounds.lower.as_ref().is_none_or(|low| low <= value)
                && bounds.upper.as_ref().is_none_or(|high| value <= high)
        });
        if threshold.ty.bare
            && fits
            && *measured.ty.dimension() == Dimension::Proportion
            && let Some(value) = hundredth
        {
            let text = units::in_unit(&Quantity { value, dimension: Dimension::Proportion });
            found =
                found.help(format!("if a percentage is meant, write `{text}`")).fix("add `%`", threshold.span, text);
        }
        self.report(found);
    }
}

/// The negative of a constant: `-10 % rel` is the factor 0.9, every other unit changes sign.
pub(super) fn negated(inner: &Expr, mut quantity: Quantity) -> Quantity {
    let relative = matches!(&*inner.kind, ExprKind::Number(literal)
        if literal.unit.as_ref().is_some_and(|unit| unit.node.contains("rel")));
    quantity.value = if relative { Rational::from_integer(2.into()) - quantity.value } else { -quantity.value };
    quantity
}
