//! Monotone trend: the least-squares fit that never falls (or never rises), and a permutation test within units.
//!
//! The fit pools adjacent violators (Ayer and others 1955; Barlow, Bartholomew, Bremner, Brunk 1972). The test's statistic is the
//! weighted spread of the fitted means, Bartholomew's, compared in integers.

use num_bigint::BigInt;
use num_integer::Integer as _;

use super::TrendError;
use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::stats::permutation::LabelledCluster;
use crate::stats::permutation_within::{Counted, Counting, WithinError, statistic_test};

/// Which way the means may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// They never fall from one level to the next.
    Increasing,
    /// They never rise.
    Decreasing,
    /// Either of the two; the test takes the better fit, in permutations as in the data.
    Either,
}

/// A monotone fit: runs of levels that share one mean, in the order of the levels.
#[derive(Clone, Debug, PartialEq)]
pub struct MonotoneFit {
    /// The fitted mean of every level.
    pub means: Vec<f64>,
    /// How many levels each run of equal means pools.
    pub runs: Vec<usize>,
}

/// The outcome of the permutation test.
#[derive(Clone, Debug, PartialEq)]
pub struct IsotonicTest {
    /// The fit to the data as observed; with [`Order::Either`] the one that spreads further, increasing if equal.
    pub fit: MonotoneFit,
    /// What was counted.
    pub counted: Counted,
    /// The p-value.
    pub p: f64,
}

/// Levels pooled so far: how many, their summed values, their summed weights.
#[derive(Clone, Copy)]
struct Run {
    levels: usize,
    sum: i128,
    weight: i128,
}

/// The monotone least-squares fit to levels with these sums of values and these weights (numbers of values), each above zero.
///
/// For [`Order::Either`] it is the fit that explains more, increasing if both do alike. Means are in units of the values.
pub fn isotonic_fit(sums: &[i64], weights: &[u32], order: Order) -> Result<MonotoneFit, TrendError> {
    if sums.len() != weights.len() {
        return Err(TrendError::UnequalLengths { unit: 0, have: weights.len(), need: sums.len() });
    }
    let sums: Vec<i128> = sums.iter().map(|s| i128::from(*s)).collect();
    let weights: Vec<i128> = weights.iter().map(|w| i128::from(*w)).collect();
    let levels = Levels::new(&weights, 1)?;
    levels.fit(&sums, order).ok_or(TrendError::TooLarge)
}

/// Tests for a monotone trend over the levels by permuting level labels within units, each unit listing every level's values.
pub fn isotonic_test(
    units: &[LabelledCluster],
    order: Order,
    counting: Counting,
    workers: usize,
) -> Result<IsotonicTest, TrendError> {
    let count = units.first().map_or(0, Vec::len);
    if count < 2 {
        return Err(TrendError::TooFewLevels(count));
    }
    if let Some((unit, lists)) = units.iter().enumerate().find(|(_, lists)| lists.len() != count) {
        return Err(TrendError::UnequalLengths { unit, have: lists.len(), need: count });
    }
    let mut weights = vec![0_i128; count];
    let mut magnitude = 0_i128;
    for unit in units {
        for (weight, values) in weights.iter_mut().zip(unit) {
            *weight += values.len() as i128;
            magnitude += values.iter().map(|v| i128::from(v.unsigned_abs())).sum::<i128>();
        }
    }
    let levels = Levels::new(&weights, magnitude)?;
    let values: Vec<i64> = units.iter().flatten().flatten().copied().collect();
    let labels: Vec<Vec<u32>> = units
        .iter()
        .map(|unit| unit.iter().zip(0_u32..).flat_map(|(own, level)| vec![level; own.len()]).collect())
        .collect();
    let sums_of = |labels: &[Vec<u32>]| {
        let mut sums = vec![0_i128; count];
        for (label, value) in labels.iter().flatten().zip(&values) {
            if let Some(sum) = usize::try_from(*label).ok().and_then(|label| sums.get_mut(label)) {
                *sum += i128::from(*value);
            }
        }
        sums
    };
    // With all values alike in every unit, permuting labels changes no sum.
    let changes = units.iter().any(|unit| {
        let mut own = unit.iter().flatten();
        let first = own.next();
        own.any(|value| Some(value) != first) && unit.iter().filter(|list| !list.is_empty()).count() > 1
    });
    if !changes {
        return Err(TrendError::Permutation(WithinError::NothingToPermute));
    }
    let test = statistic_test(&labels, |labels| levels.spread(&sums_of(labels), order), counting, workers)
        .map_err(TrendError::Permutation)?;
    let fit = levels.fit(&sums_of(&labels), order).ok_or(TrendError::TooLarge)?;
    Ok(IsotonicTest { fit, p: test.p, counted: test.counted })
}

/// The levels' weights, and a common multiple of all weights a run of them can have.
struct Levels {
    weights: Vec<i128>,
    common: i128,
}

impl Levels {
    /// Fails when a level is empty, or when squares of sums up to `magnitude` over the common multiple may not fit.
    fn new(weights: &[i128], magnitude: i128) -> Result<Self, TrendError> {
        if weights.len() < 2 {
            return Err(TrendError::TooFewLevels(weights.len()));
        }
        if let Some(level) = weights.iter().position(|weight| *weight == 0) {
            return Err(TrendError::EmptyLevel(level));
        }
        let mut common = 1_i128;
        for from in 0..weights.len() {
            let mut weight = 0;
            for own in weights.iter().skip(from) {
                weight += own;
                common = (common / common.gcd(&weight)).checked_mul(weight).ok_or(TrendError::TooLarge)?;
            }
        }
        let bound = magnitude.max(1).checked_mul(magnitude.max(1)).and_then(|square| square.checked_mul(common));
        bound.ok_or(TrendError::TooLarge)?;
        Ok(Self { weights: weights.to_vec(), common })
    }

    /// Pools adjacent levels until no run's mean falls below (`sign` 1) or rises above (-1) the mean of the run before it.
    fn runs(&self, sums: &[i128], sign: i128) -> Option<Vec<Run>> {
        let mut runs: Vec<Run> = Vec::with_capacity(sums.len());
        for (sum, weight) in sums.iter().zip(&self.weights) {
            let mut own = Run { levels: 1, sum: *sum, weight: *weight };
            while let Some(before) = runs.last() {
                let (a, b) = (before.sum.checked_mul(own.weight)?, own.sum.checked_mul(before.weight)?);
                if (sign > 0 && a < b) || (sign < 0 && a > b) {
                    break;
                }
                own = Run {
                    levels: before.levels + own.levels,
                    sum: before.sum + own.sum,
                    weight: before.weight + own.weight,
                };
                runs.pop();
            }
            runs.push(own);
        }
        Some(runs)
    }

    /// The sum over runs of squared sum over weight, times the common multiple: up to a constant, the spread of the fit.
    fn explained(&self, runs: &[Run]) -> Option<i128> {
        runs.iter().try_fold(0_i128, |total, run| {
            let square = run.sum.checked_mul(run.sum)?.checked_mul(self.common / run.weight)?;
            total.checked_add(square)
        })
    }

    fn spread(&self, sums: &[i128], order: Order) -> Option<i128> {
        let one = |sign| self.runs(sums, sign).and_then(|runs| self.explained(&runs));
        match order {
            Order::Increasing => one(1),
            Order::Decreasing => one(-1),
            Order::Either => one(1).zip(one(-1)).map(|(up, down)| up.max(down)),
        }
    }

    fn fit(&self, sums: &[i128], order: Order) -> Option<MonotoneFit> {
        let sign = match order {
            Order::Increasing => 1,
            Order::Decreasing => -1,
            Order::Either => {
                let (up, down) = (self.spread(sums, Order::Increasing)?, self.spread(sums, Order::Decreasing)?);
                if up >= down { 1 } else { -1 }
            }
        };
        let runs = self.runs(sums, sign)?;
        let mean = |run: &Run| nearest_f64(&Rational::new(BigInt::from(run.sum), BigInt::from(run.weight)));
        let means = runs.iter().flat_map(|run| std::iter::repeat_n(mean(run), run.levels)).collect();
        Some(MonotoneFit { means, runs: runs.iter().map(|run| run.levels).collect() })
    }
}
