//! Whether a method can be computed for an estimand.

use num_traits::Zero as _;

use crate::check::Checker;
use crate::check::units::{self, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{
    Aggregate, AggregateKind, ArithmeticOp, BootstrapKind, Bounds, Dimension, Estimand, EstimandBody, Expr, FitTarget,
    IntervalMethod, Quantity, ReduceKind, Spec, Statistic, TestMethod,
};
use crate::syntax::ast;

impl Checker<'_> {
    /// Refuses an interval or test that cannot be computed for an estimand.
    pub(in crate::check) fn suits(&mut self, method: &ast::Name, estimand_name: &str, span: Span) -> bool {
        let Some(estimand) = self.spec.estimands.get(estimand_name) else { return true };
        let problem = if estimand.body == EstimandBody::Reported {
            Some("it is reported, so its interval and p-value come from the results as well".to_owned())
        } else if let Some(interval) = self.spec.intervals.get(&method.node) {
            unsuited_interval(&self.spec, &interval.method, estimand)
        } else if let Some(test) = self.spec.tests.get(&method.node) {
            unsuited_test(&self.spec, &test.method, estimand)
        } else {
            None
        };
        let Some(problem) = problem else { return true };
        self.report(
            Diagnostic::error(
                Code::TypeMismatch,
                span,
                format!("`{}` cannot be computed for `{estimand_name}`", method.node),
            )
            .also(method.span, "used here")
            .note(problem),
        );
        false
    }
}

const NEEDS_UNITS: &str =
    "it needs one value of each unit: declare the estimand with `paired`, or as a sum or difference of means";

fn unsuited_interval(spec: &Spec, method: &IntervalMethod, estimand: &Estimand) -> Option<String> {
    let rate = estimand.kind.dimension == Dimension::Proportion;
    match method {
        IntervalMethod::PairedT => (!has_unit_values(spec, estimand)).then(|| NEEDS_UNITS.to_owned()),
        IntervalMethod::Wilson { .. }
        | IntervalMethod::ClopperPearson { .. }
        | IntervalMethod::Jeffreys { .. }
        | IntervalMethod::BetaBinomial { .. } => (!rate).then(|| "it is for a share of records only".into()),
        IntervalMethod::Newcombe { .. } | IntervalMethod::NewcombePaired | IntervalMethod::AgrestiCaffo => {
            (!is_difference_of_means(spec, estimand))
                .then(|| "it is for a difference of two shares of records, as in `accuracy[b] - accuracy[a]`".into())
        }
        IntervalMethod::ClusterT { .. } => {
            (!has_unit_values(spec, estimand)).then(|| "it is for means and sums or differences of means".into())
        }
        IntervalMethod::Fieller { .. } => (!is_quotient_of_sums(spec, estimand))
            .then(|| "it is for a quotient of two sums or counts, as in `sum(cost) / count(correct)`".into()),
        IntervalMethod::Bootstrap { kind: BootstrapKind::SpreadBound, .. } => {
            (!is_spread(spec, estimand)).then(|| "it is a bound for a `spread` over a factor".into())
        }
        IntervalMethod::Wald => (!fits_coefficient(estimand))
            .then(|| "it is for a coefficient of a fitted model, as in `fitted logit(…, coefficient: …)`".into()),
        IntervalMethod::Bootstrap { .. } | IntervalMethod::BootstrapPercentile { .. } => {
            matches!(estimand.body, EstimandBody::Fitted(_))
                .then(|| "a fitted model is not resampled; its own interval is `wald`".into())
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn unsuited_test(spec: &Spec, method: &TestMethod, estimand: &Estimand) -> Option<String> {
    let dimension = &estimand.kind.dimension;
    if let TestMethod::Permutation { labels, .. } = method
        && !spread_over(estimand, labels)
    {
        return Some(format!("a permutation of `{labels}` tests a spread over `{labels}`"));
    }
    if method.reads_unit_values() && !has_unit_values(spec, estimand) {
        return Some(NEEDS_UNITS.to_owned());
    }
    if let Some(null) = method.null()
        && !null_fits(null, dimension)
    {
        return Some(format!(
            "its null is {}, and the estimand is {}",
            units::describe(&null.dimension),
            units::describe(dimension)
        ));
    }
    match method {
        TestMethod::Equivalence { margin }
        | TestMethod::EquivalenceExact { margin }
        | TestMethod::NonInferiority { margin, .. }
            if *dimension == Dimension::Ratio && margin.dimension == Dimension::Ratio =>
        {
            Some("a ratio is compared with 1, and a margin stands around 0: take `log_ratio` of the values, whose margin may be a ratio".to_owned())
        }
        TestMethod::Equivalence { margin }
        | TestMethod::EquivalenceExact { margin }
        | TestMethod::NonInferiority { margin, .. }
            if !(null_fits(margin, dimension) || margin.dimension == Dimension::Ratio && estimand.takes_logarithms()) =>
        {
            Some(format!(
            "its margin is {}, and the estimand is {}",
            units::describe(&margin.dimension),
            units::describe(dimension)
            ))
        }
        TestMethod::Spearman { .. } if !is_rank_correlation(spec, estimand) => {
            Some("it is for a `spearman` measure over independent records".to_owned())
        }
        TestMethod::Isotonic { labels, .. } if !spread_over(estimand, labels) || !is_spread(spec, estimand) => {
            Some(format!("it tests the means over `{labels}`, as in `spread(accuracy over {labels})`"))
        }
        TestMethod::PermutationContrast { sides: crate::spec::Sides::Two, .. } if *dimension == Dimension::Ratio => {
            Some("a ratio is compared with 1, so that both sides have no common size: take `log_ratio`".to_owned())
        }
        TestMethod::PermutationContrast { .. } if is_spread(spec, estimand) => {
            Some("a spread has no sides: leave `sides` out".to_owned())
        }
        TestMethod::PermutationContrast { .. } if !matches!(estimand.body, EstimandBody::Contrast(_)) => {
            Some("it permutes what measures are made of, and this is no contrast of measures".to_owned())
        }
        TestMethod::Fisher { .. } if !is_difference_of_means(spec, estimand) => {
            Some("it is for a difference of two shares of records, as in `accuracy[b] - accuracy[a]`".to_owned())
        }
        TestMethod::Hotelling if !is_spread(spec, estimand) => {
            Some("it tests whether a mean is the same at every level, as in `spread(accuracy over arm)`".to_owned())
        }
        TestMethod::LikelihoodRatio if !fits_ratio(estimand) => {
            Some("it is for a term of a fitted model, as in `fitted logit(…, without: …)`".to_owned())
        }
        TestMethod::Wald { .. } if !fits_coefficient(estimand) => {
            Some("it is for a coefficient of a fitted model, as in `fitted logit(…, coefficient: …)`".to_owned())
        }
        TestMethod::LogRank if !is_difference_of_survival(spec, estimand) => {
            Some("it is for a difference of two `median_survival` measures".to_owned())
        }
        _ => None,
    }
}

/// A null without a unit fits what a bare number fits; zero fits everything.
fn null_fits(null: &Quantity, dimension: &Dimension) -> bool {
    let bare = null.dimension == Dimension::Plain;
    let other = Ty::new(dimension.clone(), Bounds::default(), false);
    null.value.is_zero() && bare || units::unify(&other, &Ty::constant(null, bare)).is_ok()
}

/// The expression under pins, conditions and names, with measures and estimands replaced by what they stand for.
fn bare<'s>(spec: &'s Spec, expr: &'s Expr, depth: u32) -> Option<&'s Expr> {
    if depth > 32 {
        return None;
    }
    match expr {
        Expr::For(inner, _) | Expr::At(inner, _) => bare(spec, inner, depth + 1),
        Expr::Measure(name, _) => {
            let measure = spec.measures.get(name)?;
            // A value that stands in for an undefined one is no sum of records.
            if measure.undefined.is_some() { None } else { bare(spec, &measure.expr, depth + 1) }
        }
        Expr::Estimand(name) => match &spec.estimands.get(name)?.body {
            EstimandBody::Contrast(inner) => bare(spec, inner, depth + 1),
            EstimandBody::Paired { .. } | EstimandBody::Fitted(_) | EstimandBody::Reported => None,
        },
        Expr::Constant(_)
        | Expr::Value(_)
        | Expr::Aggregate(_)
        | Expr::Reduce(..)
        | Expr::Slope(..)
        | Expr::Arithmetic(..)
        | Expr::Negate(_)
        | Expr::Abs(_)
        | Expr::Log(_)
        | Expr::Minimum(_)
        | Expr::Maximum(_) => Some(expr),
    }
}

fn contrast<'s>(spec: &'s Spec, estimand: &'s Estimand) -> Option<&'s Expr> {
    match &estimand.body {
        EstimandBody::Contrast(expr) => bare(spec, expr, 0),
        EstimandBody::Paired { .. } | EstimandBody::Fitted(_) | EstimandBody::Reported => None,
    }
}

/// Whether each unit has one value: a paired estimand, or a linear combination of means.
pub(in crate::check) fn has_unit_values(spec: &Spec, estimand: &Estimand) -> bool {
    match &estimand.body {
        EstimandBody::Paired { .. } => true,
        EstimandBody::Contrast(expr) => linear(spec, expr, 0) == Some(true),
        EstimandBody::Fitted(_) | EstimandBody::Reported => false,
    }
}

/// `Some(true)` for a linear combination of means, `Some(false)` for a constant.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn linear(spec: &Spec, expr: &Expr, depth: u32) -> Option<bool> {
    if depth > 64 {
        return None;
    }
    match bare(spec, expr, 0)? {
        Expr::Constant(_) | Expr::Value(_) => Some(false),
        Expr::Aggregate(Aggregate { kind: AggregateKind::Mean | AggregateKind::Rate, .. }) => Some(true),
        Expr::Negate(inner) | Expr::Slope(_, inner) | Expr::Reduce(ReduceKind::Sum | ReduceKind::Mean, _, inner) => {
            linear(spec, inner, depth + 1)
        }
        Expr::Arithmetic(left, op, right) => {
            let (left, right) = (linear(spec, left, depth + 1)?, linear(spec, right, depth + 1)?);
            match op {
                ArithmeticOp::Add | ArithmeticOp::Subtract => Some(left || right),
                ArithmeticOp::Multiply => (!(left && right)).then_some(left || right),
                ArithmeticOp::Divide => (!right).then_some(left),
            }
        }
        _ => None,
    }
}

fn fits_coefficient(estimand: &Estimand) -> bool {
    matches!(&estimand.body, EstimandBody::Fitted(model) if matches!(model.target, FitTarget::Coefficient(_)))
}

fn fits_ratio(estimand: &Estimand) -> bool {
    matches!(&estimand.body, EstimandBody::Fitted(model) if matches!(model.target, FitTarget::Without(_)))
}

fn is_difference_of_means(spec: &Spec, estimand: &Estimand) -> bool {
    let is_mean = |expr: &Expr| {
        matches!(
            bare(spec, expr, 0),
            Some(Expr::Aggregate(Aggregate { kind: AggregateKind::Mean | AggregateKind::Rate, .. }))
        )
    };
    estimand.kind.dimension == Dimension::Difference
        && matches!(contrast(spec, estimand), Some(Expr::Arithmetic(left, ArithmeticOp::Subtract, right)) if is_mean(left) && is_mean(right))
}

fn is_difference_of_survival(spec: &Spec, estimand: &Estimand) -> bool {
    let is_median = |expr: &Expr| {
        matches!(
            bare(spec, expr, 0),
            Some(Expr::Aggregate(Aggregate { kind: AggregateKind::Statistic(Statistic::MedianSurvival), .. }))
        )
    };
    matches!(contrast(spec, estimand), Some(Expr::Arithmetic(left, ArithmeticOp::Subtract, right)) if is_median(left) && is_median(right))
}

fn is_quotient_of_sums(spec: &Spec, estimand: &Estimand) -> bool {
    let is_sum = |expr: &Expr| {
        matches!(
            bare(spec, expr, 0),
            Some(Expr::Aggregate(Aggregate { kind: AggregateKind::Sum | AggregateKind::Count, .. }))
        )
    };
    matches!(contrast(spec, estimand), Some(Expr::Arithmetic(left, ArithmeticOp::Divide, right)) if is_sum(left) && is_sum(right))
}

/// Whether an estimand is one share of records.
pub(in crate::check) fn is_rate(spec: &Spec, estimand: &Estimand) -> bool {
    estimand.kind.dimension == Dimension::Proportion
        && matches!(
            contrast(spec, estimand),
            Some(Expr::Aggregate(Aggregate { kind: AggregateKind::Mean | AggregateKind::Rate, .. }))
        )
}

/// Whether an estimand is the spread of a mean over a factor.
pub(in crate::check) fn is_spread(spec: &Spec, estimand: &Estimand) -> bool {
    matches!(contrast(spec, estimand), Some(Expr::Reduce(ReduceKind::Spread, _, inner)) if linear(spec, inner, 0) == Some(true))
}

fn is_rank_correlation(spec: &Spec, estimand: &Estimand) -> bool {
    matches!(
        contrast(spec, estimand),
        Some(Expr::Aggregate(Aggregate { kind: AggregateKind::Statistic(Statistic::Spearman), .. }))
    )
}

fn spread_over(estimand: &Estimand, labels: &str) -> bool {
    match &estimand.body {
        EstimandBody::Contrast(expr) => over(expr, labels),
        EstimandBody::Paired { .. } | EstimandBody::Fitted(_) | EstimandBody::Reported => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn over(expr: &Expr, labels: &str) -> bool {
    match expr {
        Expr::Reduce(ReduceKind::Spread, factor, _) => factor == labels,
        Expr::For(inner, _) | Expr::At(inner, _) => over(inner, labels),
        _ => false,
    }
}
