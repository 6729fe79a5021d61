//! A compiled tree evaluated on every resample from totals that are shared. It must not draw anything or make limits.

use num_bigint::BigInt;
use num_traits::{One, Pow};

use super::Group;
use crate::decide::node::{Choice, Node, Order, phi_of};
use crate::decide::sample::{Column, Sample, Series};
use crate::decide::statistic;
use crate::math::{Rational, exact};
use crate::spec::{ArithmeticOp, ReduceKind};
use crate::stats::bootstrap;
use crate::stats::nearest::{nearest_decimal, nearest_quotient};
use crate::stats::picks::Picks;

/// Evaluates a tree on every resample; `NaN` marks a resample without a value.
pub(super) struct Evaluator<'g> {
    pub set: usize,
    pub group: &'g Group,
    pub picks: &'g Picks,
}

impl Evaluator<'_> {
    fn resamples(&self) -> usize {
        self.picks.resamples() as usize
    }

    pub fn replicates(&self, node: &Node) -> Result<Vec<f64>, String> {
        let each = |change: fn(f64) -> f64, values: Vec<f64>| values.into_iter().map(change).collect();
        match node {
            Node::Constant(value) => Ok(vec![exact::nearest_f64(value); self.resamples()]),
            Node::Undefined(reason) => Err(reason.clone()),
            Node::Count(sample) => self.sums(sample, Column::Sum(0)),
            Node::Sum(sample) => self.where_summed(node, self.sums(sample, Column::Sum(0))?),
            Node::Mean(sample) => {
                let (sums, over) = self.group.total(self.set, sample, Column::Sum(0))?;
                let (counts, _) = self.group.total(self.set, sample, Column::Count)?;
                let ratios = bootstrap::ratios(sums, counts).map_err(|reason| reason.to_string())?;
                Ok(scaled_down(ratios, over))
            }
            Node::Sd(sample) => self.standard_deviations(sample),
            Node::Phi(sample) => self.phis(sample),
            Node::Fitted(_) => Err("a fitted model is not resampled".to_owned()),
            Node::Order(sample, order) => Ok(self.order_statistics(sample, order)),
            Node::Arithmetic(left, op, right) => self.arithmetic(left, *op, right),
            Node::Negate(body) => Ok(each(|value| -value, self.replicates(body)?)),
            Node::Abs(body) => Ok(each(f64::abs, self.replicates(body)?)),
            Node::Log(body) => {
                Ok(each(|value| if value > 0.0 { libm::log(value) } else { f64::NAN }, self.replicates(body)?))
            }
            Node::Statistic(sample, statistic) => {
                Ok(statistic::replicates(sample, *statistic, self.picks, &self.group.cluster))
            }
            Node::Reduce(kind, parts) => self.reduce(*kind, parts),
            Node::OrElse(body, other) => Ok(or_else(self.replicates(body), other, self.resamples())),
            Node::Pick(choice) => self.pick(choice),
        }
    }

    fn sums(&self, sample: &Sample, column: Column) -> Result<Vec<f64>, String> {
        let (totals, over) = self.group.total(self.set, sample, column)?;
        let value = |b| totals.get(b).and_then(|total| nearest_decimal(total, totals.scale())).unwrap_or(f64::NAN);
        Ok(scaled_down((0..totals.len()).map(value).collect(), over))
    }

    /// Leaves no value in the resamples where a sum adds up nothing; a count of nothing is zero.
    fn where_summed(&self, node: &Node, mut values: Vec<f64>) -> Result<Vec<f64>, String> {
        if let Node::Sum(sample) = node {
            let (counts, _) = self.group.total(self.set, sample, Column::Count)?;
            for (b, value) in values.iter_mut().enumerate() {
                if counts.get(b) == Some(0) {
                    *value = f64::NAN;
                }
            }
        }
        Ok(values)
    }

    /// A quotient of two plain sums is rounded once; anything else goes through its parts.
    fn arithmetic(&self, left: &Node, op: ArithmeticOp, right: &Node) -> Result<Vec<f64>, String> {
        if op == ArithmeticOp::Divide
            && let (Some(top), Some(bottom)) = (plain_sum(left), plain_sum(right))
        {
            let (top, top_over) = self.group.total(self.set, top, Column::Sum(0))?;
            let (bottom, bottom_over) = self.group.total(self.set, bottom, Column::Sum(0))?;
            if top_over.is_one() && bottom_over.is_one() {
                let ratios = bootstrap::ratios(top, bottom).map_err(|reason| reason.to_string())?;
                return self.where_summed(right, self.where_summed(left, ratios)?);
            }
        }
        let (left, right) = (self.replicates(left)?, self.replicates(right)?);
        let pairs = left.into_iter().zip(right);
        Ok(match op {
            ArithmeticOp::Add => pairs.map(|(a, b)| a + b).collect(),
            ArithmeticOp::Subtract => pairs.map(|(a, b)| a - b).collect(),
            ArithmeticOp::Multiply => pairs.map(|(a, b)| a * b).collect(),
            ArithmeticOp::Divide => pairs.map(|(a, b)| if b == 0.0 { f64::NAN } else { a / b }).collect(),
        })
    }

    fn reduce(&self, kind: ReduceKind, parts: &[Node]) -> Result<Vec<f64>, String> {
        let series = parts.iter().map(|part| self.replicates(part));
        let series: Vec<Vec<f64>> = if kind == ReduceKind::MeanDefined {
            series.filter_map(Result::ok).collect()
        } else {
            series.collect::<Result<_, _>>()?
        };
        let slices: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
        if kind == ReduceKind::Spread {
            return bootstrap::spreads(&slices).map_err(|reason| reason.to_string());
        }
        if kind == ReduceKind::MeanDefined {
            return Ok((0..self.resamples()).map(|b| mean_defined(&slices, b)).collect());
        }
        let Some((first, others)) = series.split_first() else {
            return Err(crate::stats::undefined::Undefined::NoRecords.to_string());
        };
        let mut values = first.clone();
        for other in others {
            for (value, next) in values.iter_mut().zip(other) {
                // `max` and `min` skip an undefined part; it must carry on.
                *value = match kind {
                    _ if value.is_nan() || next.is_nan() => f64::NAN,
                    ReduceKind::Max | ReduceKind::Spread => value.max(*next),
                    ReduceKind::Min => value.min(*next),
                    ReduceKind::Sum | ReduceKind::Mean => *value + next,
                    ReduceKind::MeanDefined => f64::NAN,
                    ReduceKind::Product => *value * next,
                };
            }
        }
        if kind == ReduceKind::Mean {
            let count = real(series.len());
            for value in &mut values {
                *value /= count;
            }
        }
        Ok(values)
    }

    fn standard_deviations(&self, sample: &Sample) -> Result<Vec<f64>, String> {
        let (sums, over) = self.group.total(self.set, sample, Column::Sum(0))?;
        let (squares, square_over) = self.group.total(self.set, sample, Column::Squares(0))?;
        let (counts, _) = self.group.total(self.set, sample, Column::Count)?;
        let is_plain = *square_over == over * over;
        let divisor = exact::nearest_f64(over);
        let one = |b: usize| {
            let (n, sum, square) = (counts.get(b)?, sums.get(b)?, squares.get(b)?);
            if n < 2 {
                return None;
            }
            // n times the sum of squares, less the square of the sum: exact, so that equal values have no spread.
            let exact = |n: i128, sum: i128, square: i128| {
                let spread = n.checked_mul(square)?.checked_sub(sum.checked_mul(sum)?)?;
                let variance = nearest_quotient(spread, squares.scale(), n.checked_mul(n - 1)?, 0)?;
                Some(variance.max(0.0).sqrt() / divisor)
            };
            let plain = if is_plain { exact(n, sum, square) } else { None };
            plain.or_else(|| rounded_deviation(n, (sum, sums.scale(), over), (square, squares.scale(), square_over)))
        };
        Ok((0..sums.len()).map(|b| one(b).unwrap_or(f64::NAN)).collect())
    }

    fn phis(&self, sample: &Sample) -> Result<Vec<f64>, String> {
        let total = |column| self.group.total(self.set, sample, column).map(|(totals, _)| totals);
        let (all, one, two, both) =
            (total(Column::Count)?, total(Column::Sum(0))?, total(Column::Sum(1))?, total(Column::Both)?);
        let phi = |b| phi_of(all.get(b)?, one.get(b)?, two.get(b)?, both.get(b)?).ok();
        Ok((0..all.len()).map(|b| phi(b).unwrap_or(f64::NAN)).collect())
    }

    fn order_statistics(&self, sample: &Sample, order: &Order) -> Vec<f64> {
        let numbers = sample.series.first().map(Series::numbers).unwrap_or_default();
        let clusters = sample.units.iter().map(|unit| self.group.cluster.get(*unit as usize).copied().flatten());
        let mut ranked: Vec<(Rational, usize)> =
            numbers.into_iter().zip(clusters).filter_map(|(value, cluster)| Some((value, cluster?))).collect();
        ranked.sort();
        let ranked: Vec<(f64, usize)> =
            ranked.iter().map(|(value, cluster)| (exact::nearest_f64(value), *cluster)).collect();
        bootstrap::replicates(self.picks, 1, |_, weights| quantile(&ranked, weights, order))
    }

    fn pick(&self, choice: &Choice) -> Result<Vec<f64>, String> {
        let all = |nodes: &[Node]| nodes.iter().map(|node| self.replicates(node)).collect::<Result<Vec<_>, _>>();
        let (scores, bodies) = (all(&choice.scores)?, all(&choice.bodies)?);
        let at = |series: &[Vec<f64>], level: usize, b: usize| {
            series.get(level).and_then(|values| values.get(b)).copied().unwrap_or(f64::NAN)
        };
        let one = |b: usize| {
            let own: Vec<f64> = (0..scores.len()).map(|level| at(&scores, level, b)).collect();
            let first = own.first().copied()?;
            if own.iter().any(|score| score.is_nan()) {
                return None;
            }
            let best =
                own.iter().fold(first, |best, score| if choice.largest { best.max(*score) } else { best.min(*score) });
            let mut tied = own.iter().enumerate().filter(|(_, score)| score.total_cmp(&best).is_eq());
            let (level, _) = tied.next()?;
            if choice.ties_refuse && tied.next().is_some() { None } else { Some(at(&bodies, level, b)) }
        };
        Ok((0..self.resamples()).map(|b| one(b).unwrap_or(f64::NAN)).collect())
    }
}

/// The order statistic of ascending values, each standing as often as its cluster was picked.
fn quantile(ranked: &[(f64, usize)], weights: &[u16], order: &Order) -> Option<f64> {
    let weight = |cluster: usize| weights.get(cluster).copied().map_or(0, u64::from);
    let at = |index: u64| {
        let mut seen = 0;
        ranked.iter().find_map(|(value, cluster)| {
            seen += weight(*cluster);
            (seen > index).then_some(*value)
        })
    };
    let count: u64 = ranked.iter().map(|(_, cluster)| weight(*cluster)).sum();
    let last = count.checked_sub(1)?;
    match order {
        Order::Smallest => at(0),
        Order::Largest => at(last),
        Order::Quantile(probability) => {
            #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 values")]
            let position = exact::nearest_f64(probability) * last as f64;
            let below = libm::floor(position);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= below <= last")]
            let index = below as u64;
            let low = at(index)?;
            if position > below {
                Some(crate::math::quantile::interpolate(low, at(index + 1)?, position - below))
            } else {
                Some(low)
            }
        }
    }
}

/// The mean of the series that have a value in resample `b`.
fn mean_defined(series: &[&[f64]], b: usize) -> f64 {
    let defined = series.iter().filter_map(|values| values.get(b).copied().filter(|value| value.is_finite()));
    let (sum, count) = defined.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { f64::NAN } else { sum / real(count) }
}

fn plain_sum(node: &Node) -> Option<&Sample> {
    if let Node::Count(sample) | Node::Sum(sample) = node { Some(sample) } else { None }
}

/// A total: its integer, its power of ten, and what it is over beside that.
type Total<'a> = (i128, u32, &'a Rational);

/// The standard deviation from totals that were rounded. What is no larger than their rounding is no spread.
fn rounded_deviation(n: i128, sum: Total<'_>, square: Total<'_>) -> Option<f64> {
    let number = |(total, scale, over): Total<'_>| Rational::new(total.into(), BigInt::from(10).pow(scale)) / over;
    let (count, sum, square) = (Rational::from_integer(n.into()), number(sum), number(square));
    let least = &count * &square / Rational::from_integer(BigInt::one() << 80_u32);
    let spread = &count * square - &sum * &sum;
    if spread <= least {
        return Some(0.0);
    }
    let variance = spread / Rational::from_integer(n.checked_mul(n - 1)?.into());
    Some(exact::nearest_f64(&variance).sqrt()).filter(|deviation| deviation.is_finite())
}

fn scaled_down(mut values: Vec<f64>, over: &Rational) -> Vec<f64> {
    if !over.is_one() {
        let over = exact::nearest_f64(over);
        for value in &mut values {
            *value /= over;
        }
    }
    values
}

fn or_else(values: Result<Vec<f64>, String>, other: &Rational, resamples: usize) -> Vec<f64> {
    let other = exact::nearest_f64(other);
    match values {
        Ok(values) => values.into_iter().map(|value| if value.is_finite() { value } else { other }).collect(),
        Err(_) => vec![other; resamples],
    }
}

#[expect(clippy::cast_precision_loss, reason = "a reduction has few levels")]
fn real(count: usize) -> f64 {
    count as f64
}
