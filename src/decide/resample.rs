//! The cluster bootstrap of compiled estimands: pools, shared picks, exact totals per resample, and the tree evaluated on them.
//! Owns which clusters are resampled and what is computed once for all estimands; it must not decide what an interval means.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::frame::Frame;
use super::members::cluster_key;
use super::node::{Choice, Node, Order, phi_of};
use super::sample::{Column, Sample, Series};
use crate::math::{Rational, exact};
use crate::spec::{ArithmeticOp, ReduceKind};
use crate::stats::bootstrap::{self, Totals, monte_carlo_errors, percentile_interval};
use crate::stats::column::ExactColumn;
use crate::stats::nearest::{nearest_decimal, nearest_quotient};
use crate::stats::parallel::fill_runs;
use crate::stats::picks::Picks;

/// One interval to compute.
pub(super) struct Job<'n> {
    /// The analysis set's number: samples are numbered within it.
    pub set: usize,
    pub node: &'n Node,
    pub cluster: String,
    pub resamples: u64,
    pub seed: u64,
    pub level: f64,
}

/// What an interval came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Resampled {
    pub limits: Result<(f64, f64), String>,
    pub undefined: u64,
    pub errors: Option<(f64, f64)>,
}

impl Resampled {
    fn failed(reason: &str) -> Self {
        Self { limits: Err(reason.to_owned()), undefined: 0, errors: None }
    }
}

/// Which totals: analysis set, sample, column.
type TotalKey = (usize, usize, Column);

/// Totals with what they are over when that is no power of ten, or why there are none.
type Summed = Result<(Totals, i128), String>;

/// The clusters that are resampled together.
struct Group {
    clusters: usize,
    /// By unit.
    cluster: Vec<Option<usize>>,
    picks: Result<Arc<Picks>, String>,
    columns: Vec<(TotalKey, Arc<Sample>)>,
    totals: BTreeMap<TotalKey, Summed>,
}

/// Clusters by number with the seed and the resamples: what shares totals.
type GroupKey = (Vec<Vec<u32>>, u64, u64);

/// Computes all intervals, with the same bytes for any number of workers.
pub(super) fn intervals(frame: &Frame<'_>, jobs: &[Job<'_>], workers: usize) -> Vec<Resampled> {
    let mut groups: Vec<Group> = Vec::new();
    let mut numbers: BTreeMap<GroupKey, usize> = BTreeMap::new();
    let mut drawn: BTreeMap<(usize, u64, u64), Result<Arc<Picks>, String>> = BTreeMap::new();
    let mut of_job = Vec::with_capacity(jobs.len());
    for job in jobs {
        let clusters = clusters_of(frame, job);
        let count = clusters.len();
        let number = *numbers.entry((clusters, job.resamples, job.seed)).or_insert_with_key(|(clusters, ..)| {
            let picks = drawn.entry((count, job.resamples, job.seed)).or_insert_with(|| draw(count, job));
            groups.push(Group {
                clusters: count,
                cluster: numbering(frame, clusters),
                picks: picks.clone(),
                columns: Vec::new(),
                totals: BTreeMap::new(),
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(number) {
            want(job.node, job.set, &mut group.columns);
        }
        of_job.push(number);
    }
    for group in &mut groups {
        group.sum(workers);
    }
    let mut slots: Vec<(usize, Option<Resampled>)> = (0..jobs.len()).map(|job| (job, None)).collect();
    // Jobs are dealt out in turn, since neighbours cost alike.
    let stride = workers.max(1);
    slots.sort_by_key(|(job, _)| (job % stride, *job));
    fill_runs(&mut slots, workers, |_, run| {
        for (index, slot) in run {
            let group = of_job.get(*index).and_then(|number| groups.get(*number));
            *slot = jobs.get(*index).zip(group).map(|(job, group)| interval(job, group));
        }
    });
    slots.sort_by_key(|(job, _)| *job);
    slots.into_iter().map(|(_, slot)| slot.unwrap_or_else(|| Resampled::failed("it was not computed"))).collect()
}

fn draw(clusters: usize, job: &Job<'_>) -> Result<Arc<Picks>, String> {
    let resamples = u32::try_from(job.resamples).map_err(|_| "too many resamples were asked for".to_owned())?;
    Picks::draw(clusters, resamples, job.seed).map(Arc::new).map_err(|error| error.to_string())
}

/// The units of each cluster, clusters bytewise by key: every planned unit that some part of the estimand may read.
fn clusters_of(frame: &Frame<'_>, job: &Job<'_>) -> Vec<Vec<u32>> {
    let mut units: Vec<u32> = Vec::new();
    let mut seen: Vec<usize> = Vec::new();
    job.node.samples(&mut |sample| {
        if !seen.contains(&sample.id) {
            seen.push(sample.id);
            units.extend(&sample.pool);
        }
    });
    units.sort_unstable();
    units.dedup();
    let mut clusters: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
    for unit in units {
        clusters.entry(cluster_key(frame, unit, &job.cluster).into_bytes()).or_default().push(unit);
    }
    clusters.into_values().collect()
}

fn numbering(frame: &Frame<'_>, clusters: &[Vec<u32>]) -> Vec<Option<usize>> {
    let mut numbers = vec![None; frame.units()];
    for (number, units) in clusters.iter().enumerate() {
        for unit in units {
            if let Some(slot) = numbers.get_mut(*unit as usize) {
                *slot = Some(number);
            }
        }
    }
    numbers
}

fn want(node: &Node, set: usize, into: &mut Vec<(TotalKey, Arc<Sample>)>) {
    let mut add = |sample: &Arc<Sample>, columns: &[Column]| {
        into.extend(columns.iter().map(|column| ((set, sample.id, *column), Arc::clone(sample))));
    };
    match node {
        Node::Constant(_) | Node::Undefined(_) | Node::Order(..) => {}
        Node::Count(sample) => add(sample, &[Column::Sum(0)]),
        Node::Sum(sample) | Node::Mean(sample) => add(sample, &[Column::Sum(0), Column::Count]),
        Node::Sd(sample) => add(sample, &[Column::Sum(0), Column::Squares(0), Column::Count]),
        Node::Phi(sample) => add(sample, &[Column::Sum(0), Column::Sum(1), Column::Both, Column::Count]),
        Node::Arithmetic(left, _, right) => {
            want(left, set, into);
            want(right, set, into);
        }
        Node::Negate(body) | Node::Abs(body) | Node::OrElse(body, _) => want(body, set, into),
        Node::Reduce(_, parts) => parts.iter().for_each(|part| want(part, set, into)),
        Node::Pick(choice) => choice.scores.iter().chain(&choice.bodies).for_each(|part| want(part, set, into)),
    }
}

impl Group {
    fn sum(&mut self, workers: usize) {
        self.columns.sort_by_key(|(key, _)| *key);
        self.columns.dedup_by_key(|(key, _)| *key);
        let Ok(picks) = &self.picks else { return };
        let mut sums: Vec<(TotalKey, ExactColumn, i128)> = Vec::new();
        for (key, sample) in &self.columns {
            match sample.column(key.2, self.clusters, &self.cluster) {
                Ok((column, over)) => sums.push((*key, column, over)),
                Err(reason) => {
                    self.totals.insert(*key, Err(reason));
                }
            }
        }
        let columns: Vec<&ExactColumn> = sums.iter().map(|(_, column, _)| column).collect();
        match bootstrap::totals(picks, &columns, workers) {
            Ok(totals) => {
                let own = sums.iter().zip(totals).map(|((key, _, over), totals)| (*key, Ok((totals, *over))));
                self.totals.extend(own);
            }
            Err(reason) => self.totals.extend(sums.iter().map(|(key, ..)| (*key, Err(reason.to_string())))),
        }
    }

    fn total(&self, set: usize, sample: &Sample, column: Column) -> Result<(&Totals, i128), String> {
        match self.totals.get(&(set, sample.id, column)) {
            Some(Ok((totals, over))) => Ok((totals, *over)),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("its sums were not computed".to_owned()),
        }
    }
}

fn interval(job: &Job<'_>, group: &Group) -> Resampled {
    let picks = match &group.picks {
        Ok(picks) => picks,
        Err(reason) => return Resampled::failed(reason),
    };
    let evaluator = Evaluator { set: job.set, group, picks };
    let mut values = match evaluator.replicates(job.node) {
        Ok(values) => values,
        Err(reason) => return Resampled::failed(&reason),
    };
    let undefined = values.iter().filter(|value| !value.is_finite()).count() as u64;
    match percentile_interval(&mut values, job.level) {
        Ok(drawn) => Resampled {
            limits: Ok((drawn.limits.lower, drawn.limits.upper)),
            undefined,
            errors: monte_carlo_errors(&mut values, job.level).ok(),
        },
        Err(reason) => Resampled { limits: Err(reason.to_string()), undefined, errors: None },
    }
}

/// Evaluates a tree on every resample; `NaN` marks a resample without a value.
struct Evaluator<'g> {
    set: usize,
    group: &'g Group,
    picks: &'g Picks,
}

impl Evaluator<'_> {
    fn resamples(&self) -> usize {
        self.picks.resamples() as usize
    }

    fn replicates(&self, node: &Node) -> Result<Vec<f64>, String> {
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
            Node::Order(sample, order) => Ok(self.order_statistics(sample, order)),
            Node::Arithmetic(left, op, right) => self.arithmetic(left, *op, right),
            Node::Negate(body) => Ok(each(|value| -value, self.replicates(body)?)),
            Node::Abs(body) => Ok(each(f64::abs, self.replicates(body)?)),
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
            if top_over == 1 && bottom_over == 1 {
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
        let series: Vec<Vec<f64>> = parts.iter().map(|part| self.replicates(part)).collect::<Result<_, _>>()?;
        let slices: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
        if kind == ReduceKind::Spread {
            return bootstrap::spreads(&slices).map_err(|reason| reason.to_string());
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
        let (squares, _) = self.group.total(self.set, sample, Column::Squares(0))?;
        let (counts, _) = self.group.total(self.set, sample, Column::Count)?;
        let one = |b: usize| {
            let (n, sum, square) = (counts.get(b)?, sums.get(b)?, squares.get(b)?);
            if n < 2 {
                return None;
            }
            // n times the sum of squares, less the square of the sum: exact, so that equal values have no spread.
            let spread = n.checked_mul(square)?.checked_sub(sum.checked_mul(sum)?)?;
            let variance = nearest_quotient(spread, squares.scale(), n.checked_mul(n - 1)?, 0)?;
            Some(variance.max(0.0).sqrt())
        };
        Ok(scaled_down((0..sums.len()).map(|b| one(b).unwrap_or(f64::NAN)).collect(), over))
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

fn plain_sum(node: &Node) -> Option<&Sample> {
    if let Node::Count(sample) | Node::Sum(sample) = node { Some(sample) } else { None }
}

fn scaled_down(mut values: Vec<f64>, over: i128) -> Vec<f64> {
    if over != 1 {
        #[expect(clippy::cast_precision_loss, reason = "one rounding of a denominator that is no power of ten")]
        let over = over as f64;
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
