//! A compiled estimand: what to add up, and how the sums combine. Owns its exact value; resampling evaluates the same tree on
//! resampled sums.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::fitted::Fitted;
use super::judgment::{Figure, Number};
use super::number::{combine, extreme};
use super::sample::{Column, Sample};
use crate::math::{Rational, exact};
use crate::spec::{ArithmeticOp, Name, ReduceKind, Statistic};
use crate::stats::moments;
use crate::stats::undefined::Undefined;

/// An order statistic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    /// The quantile of type 7 at this probability; the median is at one half.
    Quantile(Rational),
    Smallest,
    Largest,
}

/// A compiled expression over cells.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Constant(Rational),
    Undefined(String),
    /// How many values satisfy the argument.
    Count(Arc<Sample>),
    /// The sum of the argument; undefined over no values.
    Sum(Arc<Sample>),
    Mean(Arc<Sample>),
    Sd(Arc<Sample>),
    Phi(Arc<Sample>),
    Statistic(Arc<Sample>, Statistic),
    Order(Arc<Sample>, Order),
    /// A quantity of a fitted model; it is not resampled.
    Fitted(Arc<Fitted>),
    Arithmetic(Box<Node>, ArithmeticOp, Box<Node>),
    Negate(Box<Node>),
    Abs(Box<Node>),
    /// The natural logarithm.
    Log(Box<Node>),
    Reduce(ReduceKind, Vec<Node>),
    OrElse(Box<Node>, Rational),
    /// The body of the level whose score is the largest or smallest.
    Pick(Arc<Choice>),
}

/// A pick that every resample makes again.
#[derive(Debug)]
pub(super) struct Choice {
    pub name: Name,
    pub levels: Vec<Name>,
    pub scores: Vec<Node>,
    pub bodies: Vec<Node>,
    pub largest: bool,
    pub ties_refuse: bool,
}

impl Choice {
    /// The number of the level picked. Every score must be defined.
    pub fn pick(&self) -> Result<usize, String> {
        let scores: Result<Vec<Number>, String> = self.scores.iter().map(Node::exact).collect();
        let scores = scores.map_err(|reason| format!("the pick {} has no level to choose: {reason}", self.name))?;
        let best = extreme(&scores, self.largest)?;
        let mut tied = scores.iter().enumerate().filter(|(_, score)| score.compare(&best) == Some(Ordering::Equal));
        let (first, _) = tied.next().ok_or_else(|| Undefined::NoRecords.to_string())?;
        match tied.next() {
            Some((second, _)) if self.ties_refuse => {
                let name = |level: usize| self.levels.get(level).cloned().unwrap_or_default();
                Err(format!("the pick {} is tied between {} and {}", self.name, name(first), name(second)))
            }
            _ => Ok(first),
        }
    }
}

impl Node {
    /// The exact value, or a binary one where roots are taken; the reason where there is none.
    pub fn exact(&self) -> Figure {
        match self {
            Self::Constant(value) => Ok(Number::Exact(value.clone())),
            Self::Undefined(reason) => Err(reason.clone()),
            Self::Count(sample) => Ok(Number::Exact(sample.total(Column::Sum(0)))),
            Self::Sum(sample) => some(sample).map(|()| Number::Exact(sample.total(Column::Sum(0)))),
            Self::Mean(sample) => {
                some(sample).map(|()| Number::Exact(sample.total(Column::Sum(0)) / sample.total(Column::Count)))
            }
            Self::Sd(sample) => standard_deviation(sample),
            Self::Phi(sample) => phi(sample),
            Self::Statistic(sample, statistic) => super::statistic::value(sample, *statistic),
            Self::Order(sample, order) => order_statistic(sample, order),
            Self::Fitted(fitted) => Ok(fitted.estimate()),
            Self::Arithmetic(left, op, right) => combine(&left.exact()?, *op, &right.exact()?),
            Self::Negate(body) => body.exact().map(|value| value.negated()),
            Self::Abs(body) => body.exact().map(|value| value.absolute()),
            Self::Log(body) => logarithm(&body.exact()?),
            Self::Reduce(kind, parts) => reduce(*kind, parts),
            Self::OrElse(body, other) => Ok(body.exact().unwrap_or_else(|_| Number::Exact(other.clone()))),
            Self::Pick(choice) => {
                let picked = choice.pick()?;
                choice.bodies.get(picked).map_or_else(|| Err(Undefined::NoRecords.to_string()), Self::exact)
            }
        }
    }

    /// Calls `visit` for every sample of the tree.
    pub fn samples<'n>(&'n self, visit: &mut dyn FnMut(&'n Arc<Sample>)) {
        match self {
            Self::Constant(_) | Self::Undefined(_) => {}
            Self::Count(sample)
            | Self::Sum(sample)
            | Self::Mean(sample)
            | Self::Sd(sample)
            | Self::Phi(sample)
            | Self::Statistic(sample, _)
            | Self::Order(sample, _) => visit(sample),
            Self::Fitted(fitted) => visit(&fitted.sample),
            Self::Arithmetic(left, _, right) => [left, right].into_iter().for_each(|part| part.samples(visit)),
            Self::Negate(body) | Self::Abs(body) | Self::Log(body) | Self::OrElse(body, _) => body.samples(visit),
            Self::Reduce(_, parts) => parts.iter().for_each(|part| part.samples(visit)),
            Self::Pick(choice) => choice.scores.iter().chain(&choice.bodies).for_each(|part| part.samples(visit)),
        }
    }
}

fn some(sample: &Sample) -> Result<(), String> {
    if sample.len() == 0 { Err(Undefined::NoRecords.to_string()) } else { Ok(()) }
}

fn logarithm(value: &Number) -> Figure {
    let value = value.to_f64();
    if value > 0.0 { Ok(Number::Float(libm::log(value))) } else { Err(Undefined::OutOfRange.to_string()) }
}

fn reduce(kind: ReduceKind, parts: &[Node]) -> Figure {
    let numbers = parts.iter().map(Node::exact);
    let numbers: Vec<Number> = if kind == ReduceKind::MeanDefined {
        numbers.filter_map(Result::ok).collect()
    } else {
        numbers.collect::<Result<_, _>>()?
    };
    if numbers.is_empty() {
        return Err(Undefined::NoRecords.to_string());
    }
    let fold = |op: ArithmeticOp, start: Rational| {
        numbers.iter().try_fold(Number::Exact(start), |left, right| combine(&left, op, right))
    };
    match kind {
        ReduceKind::Spread => combine(&extreme(&numbers, true)?, ArithmeticOp::Subtract, &extreme(&numbers, false)?),
        ReduceKind::Max => extreme(&numbers, true),
        ReduceKind::Min => extreme(&numbers, false),
        ReduceKind::Sum => fold(ArithmeticOp::Add, Rational::zero()),
        ReduceKind::Product => fold(ArithmeticOp::Multiply, Rational::one()),
        ReduceKind::Mean | ReduceKind::MeanDefined => {
            let sum = fold(ArithmeticOp::Add, Rational::zero())?;
            combine(&sum, ArithmeticOp::Divide, &Number::Exact(Rational::from_integer(numbers.len().into())))
        }
    }
}

/// The sample variance is exact; only its root is rounded.
fn standard_deviation(sample: &Sample) -> Figure {
    if sample.len() < 2 {
        return Err(Undefined::TooFew { have: sample.len(), need: 2 }.to_string());
    }
    let n = sample.total(Column::Count);
    let sum = sample.total(Column::Sum(0));
    let spread = &n * sample.total(Column::Squares(0)) - &sum * &sum;
    let variance = spread / (&n * (&n - Rational::one()));
    let deviation = exact::nearest_f64(&variance).sqrt();
    if deviation.is_finite() {
        Ok(Number::Float(deviation))
    } else {
        Err("its square is beyond every double".to_owned())
    }
}

fn phi(sample: &Sample) -> Figure {
    let count = |column| sample.total(column).to_integer().to_i128().unwrap_or_default();
    phi_of(count(Column::Count), count(Column::Sum(0)), count(Column::Sum(1)), count(Column::Both))
        .map(Number::Float)
        .map_err(|reason| reason.to_string())
}

/// Phi from how many there are, how many satisfy each condition, and how many satisfy both.
pub(super) fn phi_of(all: i128, one: i128, two: i128, both: i128) -> Result<f64, Undefined> {
    let table = [[both, one - both], [two - both, all - one - two + both]];
    let count = |value: i128| u64::try_from(value).map_err(|_| Undefined::OutOfRange);
    let [[a, b], [c, d]] = table;
    moments::phi([[count(a)?, count(b)?], [count(c)?, count(d)?]])
}

fn order_statistic(sample: &Sample, order: &Order) -> Figure {
    some(sample)?;
    let mut numbers = sample.series.first().map(super::sample::Series::numbers).unwrap_or_default();
    numbers.sort();
    let at = |index: usize| numbers.get(index).cloned().ok_or_else(|| Undefined::NoRecords.to_string());
    let value = match order {
        Order::Smallest => at(0)?,
        Order::Largest => at(numbers.len().saturating_sub(1))?,
        Order::Quantile(probability) => {
            let position = probability * Rational::from_integer(BigInt::from(numbers.len().saturating_sub(1)));
            let below = position.floor();
            let index = below.to_integer().to_usize().ok_or_else(|| Undefined::OutOfRange.to_string())?;
            let low = at(index)?;
            let share = position - below;
            if share.is_zero() { low } else { &low + share * (at(index + 1)? - &low) }
        }
    };
    Ok(Number::Exact(value))
}
