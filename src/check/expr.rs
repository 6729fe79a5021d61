//! Expressions over sets of records and over cells: aggregates, reductions over factors, arithmetic on them.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed as _, Zero as _};

use super::literals::Side;
use super::names::{FUNCTIONS, STATISTICS};
use super::record_expr::{RecordPlace, absolute, operator, verb};
use super::units::{self, Ty};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::source::Span;
use crate::spec::{
    Aggregate, AggregateKind, ArithmeticOp, Bounds, Dimension, Expr as Cell, LevelRef, Name, RecordExpr, ReduceKind,
    TaskSource, ValueType,
};
use crate::syntax::ast::{Call, Expr, ExprKind};

/// Where a cell expression stands.
#[derive(Debug, Clone, Default)]
pub(super) struct CellPlace {
    /// Parameters of the measure, with the factor of each.
    pub parameters: BTreeMap<Name, Name>,
    /// Factors with one level here: in the estimand's `per`, indexed, or reduced over.
    pub pinned: BTreeSet<Name>,
    /// The factor whose pairs of levels fill the parameters of measures, in an estimand `per pair of`.
    pub pair: Option<Name>,
}

impl CellPlace {
    fn records(&self, what: &'static str) -> RecordPlace {
        RecordPlace { parameters: self.parameters.clone(), transforms: true, ..RecordPlace::records(what) }
    }

    /// The same place with more factors at one level.
    fn with(&self, factors: impl IntoIterator<Item = Name>) -> Self {
        let mut place = self.clone();
        place.pinned.extend(factors);
        place
    }
}

impl Checker<'_> {
    /// An expression over cells with its type; `None` when it was refused.
    pub(super) fn cell(&mut self, expr: &Expr, place: &CellPlace) -> Option<(Cell, Ty)> {
        self.work += 1;
        match &*expr.kind {
            ExprKind::Number(literal) => {
                let (quantity, bare) = self.quantity(literal)?;
                let ty = Ty::constant(&quantity, bare);
                Some((Cell::Constant(quantity), ty))
            }
            ExprKind::Name(name) => self.cell_name(name, expr.span, place),
            ExprKind::Call(call) => self.cell_call(call, expr.span, place),
            ExprKind::At(inner, selectors) => {
                let cells = self.selectors(selectors, &place.parameters, &BTreeSet::new());
                let pinned = cells.iter().flatten().map(|(factor, _)| factor.clone());
                let inner = self.cell(inner, &place.with(pinned));
                let ((inner, ty), cells) = (inner?, cells?);
                Some((Cell::At(Box::new(inner), cells), ty))
            }
            ExprKind::For(inner, condition) => {
                let inner = self.cell(inner, place);
                let condition = self.record_condition(condition, &place.records("`for`"));
                let ((inner, ty), condition) = (inner?, condition?);
                Some((Cell::For(Box::new(inner), condition), ty))
            }
            ExprKind::Negate(inner) => {
                let (checked, ty) = self.cell(inner, place)?;
                if let Cell::Constant(quantity) = checked {
                    let quantity = super::literals::negated(inner, quantity);
                    let ty = Ty::constant(&quantity, ty.bare);
                    return Some((Cell::Constant(quantity), ty));
                }
                let mut number = ty.number;
                number.bounds = units::negate(&number.bounds);
                Some((Cell::Negate(Box::new(checked)), Ty { number, bare: ty.bare }))
            }
            ExprKind::Arithmetic(left, op, right) => {
                let (a, b) = (self.cell(left, place), self.cell(right, place));
                let ((mut a_expr, a_ty), (mut b_expr, b_ty)) = (a?, b?);
                let op = operator(*op);
                match units::arithmetic(op, &a_ty, &b_ty) {
                    Ok(joined) => {
                        self.retag_cell(&mut a_expr, joined.left.as_ref());
                        self.retag_cell(&mut b_expr, joined.right.as_ref());
                        Some((Cell::Arithmetic(Box::new(a_expr), op, Box::new(b_expr)), joined.ty))
                    }
                    Err(mix) => {
                        let sides = (Side { span: left.span, ty: &a_ty }, Side { span: right.span, ty: &b_ty });
                        self.mixed(&mix, verb(op), sides.0, sides.1, expr.span);
                        None
                    }
                }
            }
            ExprKind::Compare(..)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Not(_)
            | ExprKind::OneOf(..)
            | ExprKind::EndsWith(..)
            | ExprKind::Within(..) => {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, expr.span, "a condition stands where a number belongs")
                        .help("aggregate it: `rate(…)` is the share of records in which it holds"),
                );
                None
            }
            ExprKind::Text(_) | ExprKind::Path(..) | ExprKind::Is { .. } => {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        expr.span,
                        "this does not belong in a measure or an estimand",
                    )
                    .help("measures and estimands are made of aggregates such as `mean(correct)`"),
                );
                None
            }
        }
    }

    fn cell_name(&mut self, name: &str, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        if self.names.measures.contains_key(name) {
            self.mark(Kind::Measure, name);
            let measure = self.spec.measures.get(name)?;
            let ty = Ty { number: measure.kind.clone(), bare: false };
            let parameters = measure.parameters.clone();
            if parameters.is_empty() {
                return Some((Cell::Measure(name.to_owned(), Vec::new()), ty));
            }
            // In an estimand `per pair of F`, the pair fills the parameters in order.
            let pair = place
                .pair
                .as_ref()
                .is_some_and(|factor| parameters.len() == 2 && parameters.iter().all(|(_, own)| own == factor));
            if pair {
                return Some((Cell::Measure(name.to_owned(), Vec::new()), ty));
            }
            let shown: Vec<&str> = parameters.iter().map(|(parameter, _)| parameter.as_str()).collect();
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    span,
                    format!("`{name}` needs its levels: `{name}({})`", shown.join(", ")),
                )
                .help("give each parameter a level, or compute the estimand `per pair of` the factor"),
            );
            return None;
        }
        if self.names.values.contains_key(name) {
            self.mark(Kind::Value, name);
            let ty = self.value_type(name)?;
            return Some((Cell::Value(name.to_owned()), ty));
        }
        if self.names.estimands.contains_key(name) {
            self.mark(Kind::Estimand, name);
            let ty = Ty { number: self.spec.estimands.get(name)?.kind.clone(), bare: false };
            return Some((Cell::Estimand(name.to_owned()), ty));
        }
        if self.names.outcomes.contains_key(name) || self.names.flags.contains_key(name) {
            self.mark(Kind::Field, name);
            let aggregate = match self.spec.fields.get(name).map(|field| &field.kind) {
                Some(ValueType::Bool) | None => "rate",
                Some(ValueType::Number(_) | ValueType::Level(_) | ValueType::Text) => "mean",
            };
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    span,
                    format!("`{name}` is what one record holds, and a number over many belongs here"),
                )
                .help(format!("aggregate it: `{aggregate}({name})`"))
                .fix("aggregate it", span, format!("{aggregate}({name})")),
            );
            return None;
        }
        self.undefined_at(name, span, "a measure, estimand or value", &[Kind::Measure, Kind::Estimand, Kind::Value]);
        None
    }

    fn cell_call(&mut self, call: &Call, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        let name = call.function.node.as_str();
        if self.names.measures.contains_key(name) && !FUNCTIONS.contains(&name) {
            return self.measure_call(call, span, place);
        }
        if !call.over.is_empty() {
            return self.reduction(call, span, place);
        }
        match (name, call.arguments.as_slice()) {
            ("abs", [argument]) if call.filter.is_none() => {
                let (checked, ty) = self.cell(argument, place)?;
                Some((Cell::Abs(Box::new(checked)), absolute(&ty)))
            }
            ("ratio", [above, below]) if call.filter.is_none() => {
                let (a, b) = (self.cell(above, place), self.cell(below, place));
                let ((a, a_ty), (b, b_ty)) = (a?, b?);
                match units::arithmetic(ArithmeticOp::Divide, &a_ty, &b_ty) {
                    Ok(joined) => Some((Cell::Arithmetic(Box::new(a), ArithmeticOp::Divide, Box::new(b)), joined.ty)),
                    Err(mix) => {
                        let sides = (Side { span: above.span, ty: &a_ty }, Side { span: below.span, ty: &b_ty });
                        self.mixed(&mix, "divided by", sides.0, sides.1, span);
                        None
                    }
                }
            }
            ("min" | "max", [_, _, ..]) if call.filter.is_none() => self.extreme(call, place),
            ("log_ratio", [above, below]) if call.filter.is_none() => self.log_ratio(above, below, span, place),
            ("mean" | "rate" | "sum" | "count" | "median" | "quantile" | "sd" | "min" | "max" | "phi", _) => {
                self.aggregate(call, span, place)
            }
            (word, _) if STATISTICS.contains(&word) => self.aggregate(call, span, place),
            ("spread" | "product" | "slope" | "mean_defined", _) => {
                self.report(
                    Diagnostic::error(Code::MissingClause, span, format!("`{name}` does not say over which factor"))
                        .help(format!("write `{name}(… over factor)`")),
                );
                None
            }
            _ => {
                let functions = FUNCTIONS.iter().copied().chain(self.names.measures.keys().copied());
                let known: Vec<String> = functions.map(str::to_owned).collect();
                let nearest = self.nearest(name, known.iter().map(String::as_str));
                let mut found = Diagnostic::error(
                    Code::Undefined,
                    call.function.span,
                    format!("no function or measure is called `{name}`"),
                );
                if let Some(near) = nearest {
                    found = found.help(format!("did you mean `{near}`?")).fix(
                        format!("write `{near}`"),
                        call.function.span,
                        near,
                    );
                }
                self.report(found);
                None
            }
        }
    }

    /// `log_ratio(a, b)`: the natural logarithm of a quotient.
    fn log_ratio(&mut self, above: &Expr, below: &Expr, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        let (a, b) = (self.cell(above, place), self.cell(below, place));
        let ((a, a_ty), (b, b_ty)) = (a?, b?);
        match units::arithmetic(ArithmeticOp::Divide, &a_ty, &b_ty) {
            Ok(_) => {
                let quotient = Cell::Arithmetic(Box::new(a), ArithmeticOp::Divide, Box::new(b));
                Some((Cell::Log(Box::new(quotient)), Ty::new(Dimension::Plain, Bounds::default(), false)))
            }
            Err(mix) => {
                let sides = (Side { span: above.span, ty: &a_ty }, Side { span: below.span, ty: &b_ty });
                self.mixed(&mix, "divided by", sides.0, sides.1, span);
                None
            }
        }
    }

    fn extreme(&mut self, call: &Call, place: &CellPlace) -> Option<(Cell, Ty)> {
        let checked: Vec<Option<(Cell, Ty)>> =
            call.arguments.iter().map(|argument| self.cell(argument, place)).collect();
        let mut parts = Vec::new();
        let mut ty: Option<(Ty, Span)> = None;
        for (one, argument) in checked.into_iter().zip(&call.arguments) {
            let (expr, own) = one?;
            parts.push(expr);
            ty = match ty {
                None => Some((own, argument.span)),
                Some((so_far, first)) => match units::unify(&so_far, &own) {
                    Ok(joined) => Some((joined.ty, first)),
                    Err(mix) => {
                        let sides = (Side { span: first, ty: &so_far }, Side { span: argument.span, ty: &own });
                        self.mixed(&mix, "compared with", sides.0, sides.1, argument.span);
                        return None;
                    }
                },
            };
        }
        let (ty, _) = ty?;
        if !ty.bare {
            for part in &mut parts {
                self.retag_cell(part, Some(ty.dimension()));
            }
        }
        Some((if call.function.node == "min" { Cell::Minimum(parts) } else { Cell::Maximum(parts) }, ty))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn measure_call(&mut self, call: &Call, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        let name = call.function.node.as_str();
        self.mark(Kind::Measure, name);
        if !call.over.is_empty() || call.filter.is_some() {
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    span,
                    format!("the measure `{name}` takes levels, not `over` or `where`"),
                )
                .help("restrict it with `for`: `(measure) for condition`"),
            );
            return None;
        }
        let measure = self.spec.measures.get(name)?;
        let ty = Ty { number: measure.kind.clone(), bare: false };
        let parameters = measure.parameters.clone();
        if parameters.len() != call.arguments.len() {
            self.report(Diagnostic::error(
                Code::TypeMismatch,
                span,
                format!("`{name}` has {} parameters and {} were given", parameters.len(), call.arguments.len()),
            ));
            return None;
        }
        // The pair's own placeholders, spelled as the measure spells its parameters.
        let placeholders = place.pair.is_some()
            && call.arguments.iter().zip(&parameters).all(|(argument, (parameter, _))| {
                matches!(&*argument.kind, ExprKind::Name(word) if word == parameter && !self.level_owners.contains_key(word))
            });
        if placeholders {
            return Some((Cell::Measure(name.to_owned(), Vec::new()), ty));
        }
        let mut levels = Vec::new();
        for (argument, (_, factor)) in call.arguments.iter().zip(&parameters) {
            let word = match &*argument.kind {
                ExprKind::Name(word) => word.clone(),
                ExprKind::Number(literal) if literal.unit.is_none() => literal.number.node.clone(),
                _ => {
                    self.report(Diagnostic::error(
                        Code::TypeMismatch,
                        argument.span,
                        format!("a level of `{factor}` belongs here"),
                    ));
                    levels.push(None);
                    continue;
                }
            };
            self.mark(Kind::Factor, factor);
            levels.push(match place.parameters.get(&word) {
                Some(own) if own == factor => Some(LevelRef::Parameter(word)),
                _ => self.argument_level(&word, argument.span, factor),
            });
        }
        let levels: Option<Vec<LevelRef>> = levels.into_iter().collect();
        Some((Cell::Measure(name.to_owned(), levels?), ty))
    }

    fn reduction(&mut self, call: &Call, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        let name = call.function.node.as_str();
        let kind = match name {
            "spread" => ReduceKind::Spread,
            "max" => ReduceKind::Max,
            "min" => ReduceKind::Min,
            "sum" => ReduceKind::Sum,
            "product" => ReduceKind::Product,
            "mean" => ReduceKind::Mean,
            "mean_defined" => ReduceKind::MeanDefined,
            "slope" => return self.slope(call, span, place),
            _ => {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, span, format!("`{name}` cannot run over a factor"))
                        .help("`spread`, `max`, `min`, `sum`, `product`, `mean`, `mean_defined` and `slope` can"),
                );
                return None;
            }
        };
        let [argument] = call.arguments.as_slice() else {
            self.report(Diagnostic::error(Code::TypeMismatch, span, format!("`{name} over` takes one expression")));
            return None;
        };
        let over = call.over.iter().map(|factor| factor.node.clone());
        let body = self.cell(argument, &place.with(over));
        let factors: Vec<bool> = call.over.iter().map(|factor| self.factor_like(factor)).collect();
        let body = match &call.filter {
            None => body,
            Some(filter) => {
                let condition = self.record_condition(filter, &place.records("`where`"));
                let ((inner, ty), condition) = (body?, condition?);
                Some((Cell::For(Box::new(inner), condition), ty))
            }
        };
        let (mut expr, mut ty) = body?;
        if factors.contains(&false) {
            return None;
        }
        for factor in &call.over {
            let levels = self.levels_of(&factor.node).map_or(0, |levels| levels.len());
            ty = self.reduced(kind, &ty, levels, &factor.node, argument.span)?;
            expr = Cell::Reduce(kind, factor.node.clone(), Box::new(expr));
        }
        Some((expr, ty))
    }

    /// `slope(accuracy over dose)`: the outcome's difference type for each unit of the dose.
    fn slope(&mut self, call: &Call, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        let ([argument], [factor]) = (call.arguments.as_slice(), call.over.as_slice()) else {
            self.report(
                Diagnostic::error(Code::TypeMismatch, span, "`slope` takes one expression over one factor")
                    .help("write `slope(accuracy over dose)`"),
            );
            return None;
        };
        let body = self.cell(argument, &place.with([factor.node.clone()]));
        if !self.factor_like(factor) {
            return None;
        }
        let levels = self.levels_of(&factor.node).unwrap_or_default();
        if let Some(word) = levels.iter().find(|level| crate::math::exact::parse(level).is_err()) {
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    factor.span,
                    format!("a slope needs numbers, and `{word}` is a level of `{}`", factor.node),
                )
                .note("distances between words would be a choice that nobody declared")
                .help("name the levels by their dose, as in `factor dose ordered = 0 | 1 | 2`"),
            );
            return None;
        }
        let filter = match &call.filter {
            None => None,
            Some(filter) => Some(self.record_condition(filter, &place.records("`where`"))?),
        };
        let (mut expr, ty) = body?;
        if let Some(condition) = filter {
            expr = Cell::For(Box::new(expr), condition);
        }
        let dimension = match ty.dimension() {
            Dimension::Proportion => Dimension::Difference,
            Dimension::Count => Dimension::Plain,
            Dimension::Plain
            | Dimension::Difference
            | Dimension::Ratio
            | Dimension::Money
            | Dimension::Tokens
            | Dimension::Time
            | Dimension::Bits
            | Dimension::Nats
            | Dimension::Per(..) => ty.dimension().clone(),
        };
        Some((Cell::Slope(factor.node.clone(), Box::new(expr)), Ty::new(dimension, Bounds::default(), false)))
    }

    /// The type of a reduction over so many levels.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn reduced(&mut self, kind: ReduceKind, ty: &Ty, levels: usize, factor: &str, span: Span) -> Option<Ty> {
        let bounds = &ty.number.bounds;
        let times = Rational::from_integer(levels.into());
        let scaled = |end: &Option<Rational>| end.as_ref().map(|value| value * &times);
        Some(match kind {
            ReduceKind::Max | ReduceKind::Min => ty.clone(),
            ReduceKind::Mean | ReduceKind::MeanDefined => {
                Ty { number: crate::spec::NumberType { integer: false, ..ty.number.clone() }, bare: ty.bare }
            }
            ReduceKind::Spread => {
                let dimension = match ty.dimension() {
                    Dimension::Proportion => Dimension::Difference,
                    other => other.clone(),
                };
                let width = bounds.lower.as_ref().zip(bounds.upper.as_ref()).map(|(low, high)| high - low);
                Ty::new(dimension, Bounds { lower: Some(Rational::zero()), upper: width }, ty.number.integer)
            }
            ReduceKind::Sum => {
                let bounds = Bounds { lower: scaled(&bounds.lower), upper: scaled(&bounds.upper) };
                Ty::new(ty.dimension().clone(), bounds, ty.number.integer)
            }
            ReduceKind::Product => {
                if !matches!(ty.dimension(), Dimension::Proportion | Dimension::Plain | Dimension::Ratio) {
                    self.report(
                        Diagnostic::error(
                            Code::MixedUnits,
                            span,
                            format!("a product over `{factor}` of {} has no unit", units::describe(ty.dimension())),
                        )
                        .help("only proportions, ratios and plain numbers can be multiplied over a factor"),
                    );
                    return None;
                }
                let unit = bounds.lower.as_ref().is_some_and(|low| !low.is_negative())
                    && bounds.upper.as_ref().is_some_and(|high| *high <= Rational::from_integer(1.into()));
                let bounds = if unit { units::between(0, 1) } else { Bounds::default() };
                Ty::new(ty.dimension().clone(), bounds, ty.number.integer)
            }
        })
    }

    fn aggregate(&mut self, call: &Call, span: Span, place: &CellPlace) -> Option<(Cell, Ty)> {
        let name = call.function.node.as_str();
        let records = place.records("an aggregate");
        let filter = match &call.filter {
            None => Some(None),
            Some(filter) => self.record_condition(filter, &place.records("`where`")).map(Some),
        };
        let (kind, arguments, mut ty) = self.aggregate_parts(name, call, span, &records)?;
        if kind == AggregateKind::Count {
            ty.number.bounds.upper = self.planned_records(&place.pinned);
        }
        Some((Cell::Aggregate(Aggregate { kind, arguments, filter: filter? }), ty))
    }

    /// How many records the plan has where these factors have one level; absent when the task file decides.
    fn planned_records(&self, pinned: &BTreeSet<Name>) -> Option<Rational> {
        let (tasks, design) = (self.spec.tasks.as_ref()?, self.spec.design.as_ref()?);
        let units = match &tasks.source {
            TaskSource::Count(count) => *count,
            TaskSource::List(names) => u64::try_from(names.len()).ok()?,
            TaskSource::File { .. } => tasks.expectations.iter().find(|one| one.filter.is_none())?.count,
        };
        let units = if pinned.contains(&tasks.name) { 1 } else { units };
        let mut records = units.checked_mul(design.repeat)?;
        for factor in design.cross.iter().filter(|factor| !pinned.contains(*factor)) {
            records = records.checked_mul(u64::try_from(self.levels_of(factor)?.len()).ok()?)?;
        }
        Some(Rational::from_integer(records.into()))
    }

    fn aggregate_parts(
        &mut self,
        name: &str,
        call: &Call,
        span: Span,
        place: &RecordPlace,
    ) -> Option<(AggregateKind, Vec<RecordExpr>, Ty)> {
        let arguments = call.arguments.as_slice();
        match (name, arguments) {
            ("count", []) => Some((AggregateKind::Count, vec![RecordExpr::Bool(true)], Ty::count())),
            ("count", [argument]) => {
                Some((AggregateKind::Count, vec![self.record_condition(argument, place)?], Ty::count()))
            }
            ("rate", [argument]) => {
                Some((AggregateKind::Rate, vec![self.record_condition(argument, place)?], Ty::proportion()))
            }
            ("phi", [a, b]) => {
                let (a, b) = (self.record_condition(a, place), self.record_condition(b, place));
                Some((AggregateKind::Phi, vec![a?, b?], Ty::correlation()))
            }
            ("quantile", [argument, at]) => {
                let value = self.record_number(argument, place);
                let probability = self.constant_of(at, &Dimension::Proportion);
                let (expr, ty) = value?;
                let probability = probability?.value;
                if probability.is_negative() || probability > Rational::from_integer(1.into()) {
                    self.report(Diagnostic::error(
                        Code::Unreachable,
                        at.span,
                        "a quantile's probability lies between 0 and 1",
                    ));
                    return None;
                }
                Some((AggregateKind::Quantile(probability), vec![expr], fractional(ty)))
            }
            ("mean" | "sum" | "median" | "sd" | "min" | "max", [argument]) => {
                let (expr, ty) = self.record_number(argument, place)?;
                Some(match name {
                    "mean" => (AggregateKind::Mean, vec![expr], fractional(ty)),
                    "median" => (AggregateKind::Median, vec![expr], fractional(ty)),
                    "min" => (AggregateKind::Min, vec![expr], ty),
                    "max" => (AggregateKind::Max, vec![expr], ty),
                    "sum" => (AggregateKind::Sum, vec![expr], summed(&ty)),
                    _ => (AggregateKind::Sd, vec![expr], deviation(&ty)),
                })
            }
            (word, [first, rest @ ..]) if STATISTICS.contains(&word) => self.statistic(word, first, rest, span, place),
            _ => {
                let wanted = match name {
                    "phi" => "two conditions",
                    "quantile" => "a number and a probability, as in `quantile(cost, 0.9)`",
                    _ => "one expression",
                };
                self.report(Diagnostic::error(Code::TypeMismatch, span, format!("`{name}` takes {wanted}")));
                None
            }
        }
    }

    /// Gives bare constants and values the unit they took on.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    pub(super) fn retag_cell(&mut self, expr: &mut Cell, dimension: Option<&Dimension>) {
        let Some(dimension) = dimension else { return };
        match expr {
            Cell::Constant(quantity) => quantity.dimension = dimension.clone(),
            Cell::Value(name) => self.value_meets(name, dimension),
            Cell::Negate(inner) | Cell::Abs(inner) => self.retag_cell(inner, Some(dimension)),
            Cell::Arithmetic(left, ArithmeticOp::Add | ArithmeticOp::Subtract, right) => {
                self.retag_cell(left, Some(dimension));
                self.retag_cell(right, Some(dimension));
            }
            _ => {}
        }
    }
}

pub(super) fn fractional(mut ty: Ty) -> Ty {
    ty.number.integer = false;
    ty.bare = false;
    ty
}

/// A sum over an unknown number of records: its sign is known, its size is not. Conditions add up to a count.
fn summed(ty: &Ty) -> Ty {
    let zero = Some(Rational::zero());
    let bounds = &ty.number.bounds;
    let lower = bounds.lower.as_ref().filter(|low| !low.is_negative()).and(zero.clone());
    let upper = bounds.upper.as_ref().filter(|high| !high.is_positive()).and(zero);
    let whole_share = *ty.dimension() == Dimension::Proportion && ty.number.integer;
    let dimension = if whole_share { Dimension::Count } else { ty.dimension().clone() };
    Ty::new(dimension, Bounds { lower, upper }, ty.number.integer)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub(super) fn deviation(ty: &Ty) -> Ty {
    let dimension = match ty.dimension() {
        Dimension::Proportion => Dimension::Difference,
        other => other.clone(),
    };
    Ty::new(dimension, Bounds { lower: Some(Rational::zero()), upper: None }, false)
}
