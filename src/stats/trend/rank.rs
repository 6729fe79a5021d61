//! The p of Spearman's correlation: exact over all orders for few pairs, Student's t above.
//!
//! Counts orders by a dynamic programme over which ranks are taken, in doubled mid-ranks, so ties are ties.

use std::collections::BTreeMap;

use num_integer::Integer as _;

use super::TrendError;
use crate::math::special::{ln_gamma, t_sf};
use crate::stats::moments::{mid_ranks, spearman};
use crate::stats::sides::Sides;

/// Most pairs whose orders are counted exactly.
pub const MOST_EXACT_PAIRS: usize = 12;

/// How the p is found. A plan names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpearmanMethod {
    /// Exactly over all orders, or a refusal above [`MOST_EXACT_PAIRS`] pairs.
    Exact,
    /// `rho sqrt((n - 2) / (1 - rho^2))` as Student's t with `n - 2` degrees of freedom.
    StudentT,
    /// Exactly up to [`MOST_EXACT_PAIRS`] pairs, by Student's t above. The outcome says which.
    ExactWhenFew,
}

/// Which way was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpearmanUsed {
    /// All orders were counted.
    Exact,
    /// The t approximation.
    StudentT,
    /// The correlation is 1 or -1, where t is infinite: the exact p of the most extreme order, known in closed form.
    ExactExtreme,
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpearmanTest {
    /// Spearman's correlation of the mid-ranks.
    pub rho: f64,
    /// How p was found.
    pub used: SpearmanUsed,
    /// The p-value.
    pub p: f64,
}

/// Tests whether two lists are related in rank. [`Sides::Greater`] looks for a positive relation.
pub fn spearman_test(
    left: &[f64],
    right: &[f64],
    sides: Sides,
    method: SpearmanMethod,
) -> Result<SpearmanTest, TrendError> {
    let rho = spearman(left, right).map_err(TrendError::Correlation)?;
    let (left, right) = (doubled_ranks(left), doubled_ranks(right));
    let pairs = left.len();
    let exact = match method {
        SpearmanMethod::Exact if pairs > MOST_EXACT_PAIRS => return Err(TrendError::TooManyPairs(pairs)),
        SpearmanMethod::Exact => true,
        SpearmanMethod::StudentT => false,
        SpearmanMethod::ExactWhenFew => pairs <= MOST_EXACT_PAIRS,
    };
    if exact {
        return Ok(SpearmanTest { rho, used: SpearmanUsed::Exact, p: exact_p(&left, &right, sides) });
    }
    if pairs < 3 {
        return Err(TrendError::TooFewPairs(pairs));
    }
    if let Some(p) = extreme_p(&left, &right, sides) {
        return Ok(SpearmanTest { rho, used: SpearmanUsed::ExactExtreme, p });
    }
    let df = real(pairs) - 2.0;
    let t = rho * (df / ((1.0 - rho) * (1.0 + rho))).sqrt();
    let p = match sides {
        Sides::TwoSided => (2.0 * t_sf(t.abs(), df)).min(1.0),
        Sides::Greater => t_sf(t, df),
        Sides::Less => t_sf(-t, df),
    };
    Ok(SpearmanTest { rho, used: SpearmanUsed::StudentT, p })
}

fn doubled_ranks(values: &[f64]) -> Vec<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "twice a mid-rank is a whole number far below 2^53")]
    let doubled = mid_ranks(values).into_iter().map(|rank| (2.0 * rank) as i64);
    doubled.collect()
}

/// The share of all orders of `right` whose sum of products with `left` is as extreme as the observed one.
fn exact_p(left: &[i64], right: &[i64], sides: Sides) -> f64 {
    // A common factor (2 without ties) only stretches the sums.
    let reduced = |ranks: &[i64]| {
        let common = ranks.iter().fold(0, |g: i64, r| g.gcd(r)).max(1);
        ranks.iter().map(|r| r / common).collect::<Vec<i64>>()
    };
    let (left, right) = (reduced(left), reduced(right));
    // Which of `right` are taken by the first few of `left` -> how many orders give each sum of products.
    let mut layer: BTreeMap<u32, Vec<u64>> = BTreeMap::from([(0, vec![1])]);
    for own in &left {
        let mut next: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (taken, counts) in &layer {
            for (bit, other) in right.iter().enumerate().filter(|(bit, _)| taken >> bit & 1 == 0) {
                let shift = usize::try_from(own * other).unwrap_or(usize::MAX);
                let sums = next.entry(taken | 1 << bit).or_default();
                if sums.len() < counts.len() + shift {
                    sums.resize(counts.len() + shift, 0);
                }
                for (to, from) in sums.iter_mut().skip(shift).zip(counts) {
                    *to += from;
                }
            }
        }
        layer = next;
    }
    let pairs = i64::try_from(left.len()).unwrap_or(i64::MAX);
    let centre: i64 = left.iter().sum::<i64>() * right.iter().sum::<i64>();
    let observed = pairs * left.iter().zip(&right).map(|(a, b)| a * b).sum::<i64>() - centre;
    let (mut all, mut counted) = (0_u64, 0_u64);
    for (sum, count) in (0_i64..).zip(layer.into_values().flatten()) {
        let departure = pairs * sum - centre;
        let extreme = match sides {
            Sides::TwoSided => departure.abs() >= observed.abs(),
            Sides::Greater => departure >= observed,
            Sides::Less => departure <= observed,
        };
        all += count;
        counted += if extreme { count } else { 0 };
    }
    // Both are at most 12!, so they convert exactly and one division rounds.
    whole(counted) / whole(all)
}

/// The exact p when the ranks agree, or are each other's mirror, throughout.
///
/// An order reaches the same correlation only by exchanging tied ranks: the product of the factorials of the ties over `n!`. The
/// opposite extreme is as likely where the ranks are symmetric, and unreachable otherwise.
fn extreme_p(left: &[i64], right: &[i64], sides: Sides) -> Option<f64> {
    let mirror = i64::try_from(left.len()).ok()?.checked_add(1)?.checked_mul(2)?;
    let agree = left.iter().zip(right).all(|(a, b)| a == b);
    let oppose = left.iter().zip(right).all(|(a, b)| a + b == mirror);
    if !agree && !oppose {
        return None;
    }
    let mut sorted = left.to_vec();
    sorted.sort_unstable();
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|tied| ln_gamma(real(tied.len()) + 1.0)).sum();
    let one = libm::exp(ties - ln_gamma(real(left.len()) + 1.0));
    let symmetric = sorted.iter().zip(sorted.iter().rev()).all(|(a, b)| a + b == mirror);
    Some(match sides {
        Sides::TwoSided if symmetric => (2.0 * one).min(1.0),
        Sides::TwoSided => one,
        Sides::Greater if agree => one,
        Sides::Less if oppose => one,
        Sides::Greater | Sides::Less => 1.0,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a slice never holds 2^53 pairs")]
fn real(n: usize) -> f64 {
    n as f64
}

#[expect(clippy::cast_precision_loss, reason = "at most 12!")]
fn whole(n: u64) -> f64 {
    n as f64
}
