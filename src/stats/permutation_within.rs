//! Permutation tests by labels within clusters: the difference of two arms, and any statistic of the labels.
//!
//! Owns the permuting and both p-values; the null is that the labels make no difference within a cluster (a task, say). Every
//! cluster keeps how many records of each label it has. Values are integers on one common scale, so that equal outcomes compare
//! equal. Exact counts go over all arrangements, the difference of two arms by convolution over clusters; drawn ones give
//! `(1 + as extreme) / (1 + draws)` (Phipson and Smyth 2010).
//!
//! Scheme: key = `mix13(seed)`; draw d reads stream d + 3 * 2^62 from its start, apart from a bootstrap and from the spread test of
//! the same seed. Clusters that no permutation can change read nothing; the others, in order, one word per record but the last.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, Zero as _};

use super::parallel::fill_runs;
use super::permutation::LabelledCluster;
use super::sides::Sides;
use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::math::philox::{Philox, Stream, index_below};

mod any;

pub use any::{LabelTest, MOST_ARRANGEMENTS, statistic_test};

/// Most steps of an exact convolution: about a second.
pub const MOST_STEPS: u64 = 1 << 21;

/// The streams of these tests start here.
const FIRST_STREAM: u64 = 3 << 62;
/// Draws counted together by one thread.
const BLOCK: u64 = 64;

/// How arrangements are counted. A plan names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// All arrangements, or a refusal when there are too many.
    Exact,
    /// This many random arrangements.
    Drawn {
        /// Random arrangements, at least one.
        draws: u64,
        /// The seed.
        seed: u64,
    },
    /// All arrangements where that is within limits, else this many random ones. The outcome says which.
    ExactElseDrawn {
        /// Random arrangements, at least one.
        draws: u64,
        /// The seed.
        seed: u64,
    },
}

/// What was counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Counted {
    /// All arrangements: the exact p.
    Exact(Rational),
    /// Random arrangements.
    Drawn {
        /// How many were drawn.
        draws: u64,
        /// How many of them were as extreme as the observed one.
        as_extreme: u64,
    },
}

impl Counted {
    /// The p-value.
    #[must_use]
    pub fn p(&self) -> f64 {
        match self {
            Self::Exact(p) => nearest_f64(p),
            Self::Drawn { draws, as_extreme } => {
                let (above, below) = (BigInt::from(*as_extreme) + 1, BigInt::from(*draws) + 1);
                nearest_f64(&Rational::new(above, below))
            }
        }
    }
}

/// What the difference of two arms averages over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weighing {
    /// Each arm's mean is over all its records.
    Records,
    /// The mean over clusters of the difference of the arms' means there; clusters with one arm only are left out and counted.
    Clusters,
}

/// Why there is no permutation test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithinError {
    /// A cluster, counted from 0, does not list exactly two arms.
    NotTwoArms {
        /// The cluster.
        cluster: usize,
        /// Arms it lists.
        arms: usize,
    },
    /// An arm has no records, or no cluster has both.
    EmptyArm,
    /// No permutation changes anything: within every cluster all values, or all labels, are the same.
    NothingToPermute,
    /// No random arrangements were asked for.
    NoDraws,
    /// The exact count would exceed its limit.
    TooManyToCount {
        /// The limit that would be exceeded, in steps or arrangements.
        limit: u64,
    },
    /// A total does not fit in 128 bits, or a cluster has 2^32 records or more.
    TooLarge,
    /// The statistic is undefined on the data as observed.
    UndefinedObserved,
}

impl fmt::Display for WithinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTwoArms { cluster, arms } => write!(
                f,
                "cluster number {} lists {arms} arms and a difference needs two; list an arm without records there as empty",
                cluster + 1
            ),
            Self::EmptyArm => f.write_str("an arm has no records to average, or no cluster has both arms"),
            Self::NothingToPermute => f.write_str(
                "within every cluster all values or all labels are the same, so permuting changes nothing and no test exists",
            ),
            Self::NoDraws => f.write_str("a drawn permutation test needs at least one draw; 9999 is usual"),
            Self::TooManyToCount { limit } => write!(
                f,
                "counting all arrangements would take more than {limit} steps; state a number of random draws and a seed instead"
            ),
            Self::TooLarge => {
                f.write_str("a total does not fit in 128 bits, so comparisons would not be exact; use a coarser scale")
            }
            Self::UndefinedObserved => f.write_str("the statistic is undefined on the data as observed; there is nothing to compare"),
        }
    }
}

impl std::error::Error for WithinError {}

/// The outcome of a test of the difference of two arms.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferenceTest {
    /// First arm minus second, in units of the integer values.
    pub difference: f64,
    /// Clusters left out of the difference.
    pub left_out: usize,
    /// What was counted.
    pub counted: Counted,
    /// The p-value.
    pub p: f64,
}

/// Tests the difference "first arm minus second" by permuting labels within clusters, each listing the two arms' values.
///
/// Two-sided counts arrangements whose difference is at least as far from zero, one-sided those at least as large (or small).
/// The result does not depend on `workers`.
pub fn difference_test(
    clusters: &[LabelledCluster],
    weighing: Weighing,
    sides: Sides,
    counting: Counting,
    workers: usize,
) -> Result<DifferenceTest, WithinError> {
    let problem = Problem::new(clusters, weighing)?;
    let observed = problem.difference(problem.observed);
    let counted = count(
        counting,
        || problem.exact(observed, sides),
        |draws, seed| Ok(problem.drawn(observed, sides, draws, seed, workers)),
    )?;
    let difference = nearest_f64(&Rational::new(BigInt::from(observed), BigInt::from(problem.below)));
    Ok(DifferenceTest { difference, left_out: problem.left_out, p: counted.p(), counted })
}

/// Counts as declared: only a count that is too long falls back, and only where the plan says so.
fn count(
    counting: Counting,
    exact: impl FnOnce() -> Result<Rational, WithinError>,
    drawn: impl FnOnce(u64, u64) -> Result<u64, WithinError>,
) -> Result<Counted, WithinError> {
    let draw = |draws: u64, seed: u64| {
        if draws == 0 {
            return Err(WithinError::NoDraws);
        }
        drawn(draws, seed).map(|as_extreme| Counted::Drawn { draws, as_extreme })
    };
    match counting {
        Counting::Exact => exact().map(Counted::Exact),
        Counting::Drawn { draws, seed } => draw(draws, seed),
        Counting::ExactElseDrawn { draws: 0, .. } => Err(WithinError::NoDraws),
        Counting::ExactElseDrawn { draws, seed } => match exact() {
            Err(WithinError::TooManyToCount { .. }) => draw(draws, seed),
            done => done.map(Counted::Exact),
        },
    }
}

/// A cluster that permuting changes.
struct Mixed {
    values: Vec<i64>,
    /// Records of the first arm, at least one and not all.
    first: usize,
    /// What the first arm's sum is multiplied by.
    factor: i128,
}

/// The difference is `(slope * x - offset) / below`, `x` being the weighted sum of the first arm's values.
struct Problem {
    mixed: Vec<Mixed>,
    /// The part of `x` that never changes.
    fixed: i128,
    observed: i128,
    slope: i128,
    offset: i128,
    below: i128,
    left_out: usize,
}

impl Problem {
    fn new(clusters: &[LabelledCluster], weighing: Weighing) -> Result<Self, WithinError> {
        let mut arms = Vec::with_capacity(clusters.len());
        for (cluster, lists) in clusters.iter().enumerate() {
            match lists.as_slice() {
                [first, second] => arms.push((first, second)),
                other => return Err(WithinError::NotTwoArms { cluster, arms: other.len() }),
            }
        }
        let both = |(first, second): &(&Vec<i64>, &Vec<i64>)| !first.is_empty() && !second.is_empty();
        let before = arms.len();
        if weighing == Weighing::Clusters {
            arms.retain(both);
        }
        let left_out = before - arms.len();
        let length = |list: &[i64]| i128::try_from(list.len()).map_err(|_| WithinError::TooLarge);
        let (mut n_first, mut n_second, mut common, mut magnitude) = (0_i128, 0_i128, 1_i128, 0_i128);
        for (first, second) in &arms {
            let (a, b) = (length(first)?, length(second)?);
            u32::try_from(a + b).map_err(|_| WithinError::TooLarge)?;
            n_first += a;
            n_second += b;
            magnitude += first.iter().chain(*second).map(|v| i128::from(v.unsigned_abs())).sum::<i128>();
            if weighing == Weighing::Clusters {
                let product = a * b;
                common = (common / common.gcd(&product)).checked_mul(product).ok_or(WithinError::TooLarge)?;
            }
        }
        if n_first == 0 || n_second == 0 {
            return Err(WithinError::EmptyArm);
        }
        let total = |list: &[i64]| list.iter().map(|v| i128::from(*v)).sum::<i128>();
        let (mut fixed, mut observed, mut offset, mut mixed) = (0_i128, 0_i128, 0_i128, Vec::new());
        // No sum of values exceeds `magnitude`, and no factor twice the common denominator, so one check covers all products.
        let slope = if weighing == Weighing::Records { n_first + n_second } else { 1 };
        let largest = slope.max(common).checked_mul(4).and_then(|most| most.checked_mul(magnitude.max(1)));
        largest.ok_or(WithinError::TooLarge)?;
        for (first, second) in &arms {
            let (a, b) = (length(first)?, length(second)?);
            let sum = total(first) + total(second);
            let factor = if weighing == Weighing::Records {
                offset += n_first * sum;
                1
            } else {
                offset += common / b * sum;
                common / a + common / b
            };
            let own = factor * total(first);
            observed += own;
            let mut values: Vec<i64> = first.iter().chain(*second).copied().collect();
            // Records are dealt from a sorted list, so the order in which they were read cannot matter.
            values.sort_unstable();
            if both(&(first, second)) && values.first() != values.last() {
                mixed.push(Mixed { values, first: first.len(), factor });
            } else {
                fixed += own;
            }
        }
        if mixed.is_empty() {
            return Err(WithinError::NothingToPermute);
        }
        let below = if weighing == Weighing::Records {
            n_first.checked_mul(n_second)
        } else {
            i128::try_from(arms.len()).ok().and_then(|count| count.checked_mul(common))
        };
        let below = below.ok_or(WithinError::TooLarge)?;
        Ok(Self { mixed, fixed, observed, slope, offset, below, left_out })
    }

    /// The difference times `below`.
    fn difference(&self, x: i128) -> i128 {
        self.slope * x - self.offset
    }

    fn exact(&self, observed: i128, sides: Sides) -> Result<Rational, WithinError> {
        let too_many = WithinError::TooManyToCount { limit: MOST_STEPS };
        let mut left = MOST_STEPS;
        let mut spend = |steps: usize| {
            left = u64::try_from(steps).ok().and_then(|steps| left.checked_sub(steps)).ok_or(too_many)?;
            Ok(())
        };
        let mut sums = BTreeMap::from([(self.fixed, BigUint::one())]);
        for cluster in &self.mixed {
            let own = cluster.first_sums(&mut spend)?;
            spend(sums.len().saturating_mul(own.len()))?;
            let mut next: BTreeMap<i128, BigUint> = BTreeMap::new();
            for (sum, ways) in &sums {
                for (more, own_ways) in &own {
                    *next.entry(sum + cluster.factor * more).or_default() += ways * own_ways;
                }
            }
            sums = next;
        }
        let (mut counted, mut all) = (BigUint::zero(), BigUint::zero());
        for (x, ways) in sums {
            if as_extreme(self.difference(x), observed, sides) {
                counted += &ways;
            }
            all += ways;
        }
        Ok(Rational::new(BigInt::from(counted), BigInt::from(all)))
    }

    /// How many of the drawn arrangements are as extreme.
    fn drawn(&self, observed: i128, sides: Sides, draws: u64, seed: u64, workers: usize) -> u64 {
        count_draws(draws, seed, workers, |words, scratch: &mut Vec<i64>| {
            let mut x = self.fixed;
            for cluster in &self.mixed {
                scratch.clone_from(&cluster.values);
                shuffle(scratch, words);
                x += cluster.factor * scratch.iter().take(cluster.first).map(|v| i128::from(*v)).sum::<i128>();
            }
            as_extreme(self.difference(x), observed, sides)
        })
    }
}

impl Mixed {
    /// Every sum the first arm can have in this cluster, with the number of choices of records that give it.
    fn first_sums(
        &self,
        spend: &mut impl FnMut(usize) -> Result<(), WithinError>,
    ) -> Result<BTreeMap<i128, BigUint>, WithinError> {
        // By the number of records taken so far.
        let mut by_taken: Vec<BTreeMap<i128, BigUint>> = vec![BTreeMap::new(); self.first + 1];
        if let Some(none) = by_taken.first_mut() {
            none.insert(0, BigUint::one());
        }
        for value in &self.values {
            spend(by_taken.iter().map(BTreeMap::len).sum())?;
            // From the most taken down, so that no record is taken twice.
            for taken in (1..=self.first).rev() {
                let fewer = by_taken.get(taken - 1).cloned().unwrap_or_default();
                if let Some(sums) = by_taken.get_mut(taken) {
                    for (sum, ways) in fewer {
                        *sums.entry(sum + i128::from(*value)).or_default() += ways;
                    }
                }
            }
        }
        Ok(by_taken.pop().unwrap_or_default())
    }
}

fn as_extreme(difference: i128, observed: i128, sides: Sides) -> bool {
    match sides {
        Sides::TwoSided => difference.unsigned_abs() >= observed.unsigned_abs(),
        Sides::Greater => difference >= observed,
        Sides::Less => difference <= observed,
    }
}

/// How many draws satisfy `extreme`, which reads the words of its own stream; each thread has one scratch space.
fn count_draws<S: Default>(
    draws: u64,
    seed: u64,
    workers: usize,
    extreme: impl Fn(&mut Stream, &mut S) -> bool + Sync,
) -> u64 {
    let philox = Philox::from_seed(seed);
    let step = usize::try_from(BLOCK).unwrap_or(1);
    let mut counts: Vec<(u64, u64)> = (0..draws).step_by(step).map(|first| (first, 0)).collect();
    fill_runs(&mut counts, workers, |_, run| {
        let mut scratch = S::default();
        for (first, count) in run {
            for draw in *first..first.saturating_add(BLOCK).min(draws) {
                *count += u64::from(extreme(&mut philox.stream(FIRST_STREAM | draw, 0), &mut scratch));
            }
        }
    });
    counts.iter().map(|(_, count)| count).sum()
}

/// Puts the items in random order: each place from the last to the second takes one of those left.
fn shuffle<T>(items: &mut [T], words: &mut Stream) {
    for left in (2..=items.len()).rev() {
        // Lossless: the number of records of a cluster was checked to fit in 32 bits.
        let choice = index_below(words.next_word(), u32::try_from(left).unwrap_or(u32::MAX));
        items.swap(choice as usize, left - 1);
    }
}

#[cfg(test)]
mod tests;
