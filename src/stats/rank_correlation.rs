//! Rank correlations of paired values with whole-number multiplicities: Spearman's rho and Kendall's tau-b.
//!
//! Owns both coefficients and the ordering they share, done once for any number of resamples. Sums are integers; one square root
//! and one division round. Within groups, use [`crate::stats::within`]: pool the records for one coefficient, or take the mean of
//! one per group with the groups without one counted. A constant side has no rank correlation, and never one of zero.

use num_bigint::BigInt;

use super::exact_sum::nearest_ratio;
use super::undefined::Undefined;
use super::weights::{finite, once, same_length, total};

/// Pairs of values, ordered once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedPairs {
    /// Record numbers by ascending left value, one list per distinct value.
    runs: Vec<Vec<usize>>,
    /// For each record, the position of its right value among the distinct right values.
    right: Vec<usize>,
    /// Distinct right values.
    levels: usize,
}

impl RankedPairs {
    /// Orders finite pairs. Zero and minus zero are one value.
    pub fn new(left: &[f64], right: &[f64]) -> Result<Self, Undefined> {
        same_length(left.len(), right.len())?;
        finite(left)?;
        finite(right)?;
        let by_right = runs(right);
        let mut places = vec![0; right.len()];
        for (level, run) in by_right.iter().enumerate() {
            for &record in run {
                if let Some(place) = places.get_mut(record) {
                    *place = level;
                }
            }
        }
        Ok(Self { runs: runs(left), right: places, levels: by_right.len() })
    }

    /// Spearman's rho: Pearson's correlation of the mid-ranks of the repeated list. In [-1, 1]; exactly 1 or -1 when one side is
    /// a monotone function of the other without ties added. Source: Spearman 1904; mid-ranks for ties, Kendall 1948.
    ///
    /// Undefined with [`Undefined::TooFew`] below two records and with [`Undefined::Constant`] when a side has one value only.
    pub fn spearman(&self, multiplicities: &[u16]) -> Result<f64, Undefined> {
        let records = self.at_least_two(multiplicities)?;
        let mut level_counts = vec![0_i128; self.levels];
        for (record, times) in self.right.iter().zip(multiplicities) {
            if let Some(count) = level_counts.get_mut(*record) {
                *count += i128::from(*times);
            }
        }
        // Twice the mid-rank less twice its mean: an integer, and the sum over the records is zero.
        let mut below = 0;
        let mut centred = |count: i128| {
            let rank = 2 * below + count - records;
            below += count;
            rank
        };
        let right_ranks: Vec<i128> = level_counts.iter().map(|&count| centred(count)).collect();
        let mut below = 0;
        let (mut cross, mut left_squares, mut right_squares) = (Total::default(), Total::default(), Total::default());
        for (count, rank) in level_counts.iter().zip(&right_ranks) {
            right_squares.add(*count, *rank, *rank);
        }
        for run in &self.runs {
            let picked = |record: &usize| i128::from(multiplicities.get(*record).copied().unwrap_or_default());
            let count: i128 = run.iter().map(picked).sum();
            let rank = 2 * below + count - records;
            below += count;
            left_squares.add(count, rank, rank);
            for record in run {
                let other = self.right.get(*record).and_then(|level| right_ranks.get(*level)).copied();
                cross.add(picked(record), rank, other.unwrap_or_default());
            }
        }
        correlation(cross.get()?, left_squares.get()?, right_squares.get()?)
    }

    /// Kendall's tau-b: (concordant - discordant pairs) / sqrt(pairs untied on the left * pairs untied on the right), over all
    /// pairs of the repeated list. In [-1, 1]. Source: Kendall 1945; counted in n log n steps as in Knight 1966.
    ///
    /// Undefined as [`Self::spearman`] is.
    pub fn kendall(&self, multiplicities: &[u16]) -> Result<f64, Undefined> {
        let records = self.at_least_two(multiplicities)?;
        let mut seen = Counts::new(self.levels);
        let mut level_counts = vec![0_i128; self.levels];
        let (mut score, mut left_tied) = (Total::default(), Total::default());
        let mut before = 0_i128;
        for run in &self.runs {
            let picked = |record: usize| {
                let level = self.right.get(record).copied().unwrap_or_default();
                (level, i128::from(multiplicities.get(record).copied().unwrap_or_default()))
            };
            // Only pairs with an earlier run differ on the left.
            for (level, times) in run.iter().map(|&record| picked(record)) {
                let (below, up_to) = (seen.below(level), seen.below(level + 1));
                score.add(times, below - (before - up_to), 1);
            }
            let mut count = 0;
            for (level, times) in run.iter().map(|&record| picked(record)) {
                seen.add(level, times);
                count += times;
                if let Some(slot) = level_counts.get_mut(level) {
                    *slot += times;
                }
            }
            left_tied.add(count, count - 1, 1);
            before += count;
        }
        let mut right_tied = Total::default();
        for count in level_counts {
            right_tied.add(count, count - 1, 1);
        }
        // Ordered pairs on both sides of the quotient: the score counts each pair once.
        let pairs = records.checked_mul(records - 1).ok_or(Undefined::TooLarge)?;
        let score = score.get()?.checked_mul(2).ok_or(Undefined::TooLarge)?;
        correlation(score, pairs - left_tied.get()?, pairs - right_tied.get()?)
    }

    fn at_least_two(&self, multiplicities: &[u16]) -> Result<i128, Undefined> {
        match total(self.right.len(), multiplicities)? {
            1 => Err(Undefined::TooFew { have: 1, need: 2 }),
            records => Ok(i128::from(records)),
        }
    }
}

/// A sum of products of integers that remembers when it left 128 bits.
#[derive(Clone, Copy)]
struct Total(Option<i128>);

impl Default for Total {
    fn default() -> Self {
        Self(Some(0))
    }
}

impl Total {
    fn add(&mut self, a: i128, b: i128, c: i128) {
        let product = a.checked_mul(b).and_then(|product| product.checked_mul(c));
        self.0 = self.0.zip(product).and_then(|(sum, product)| sum.checked_add(product));
    }

    fn get(self) -> Result<i128, Undefined> {
        self.0.ok_or(Undefined::TooLarge)
    }
}

/// Sums over the levels below one, updated in log n steps (Fenwick 1994).
struct Counts(Vec<i128>);

impl Counts {
    fn new(levels: usize) -> Self {
        Self(vec![0; levels])
    }

    fn add(&mut self, level: usize, times: i128) {
        let mut at = level;
        while let Some(slot) = self.0.get_mut(at) {
            *slot += times;
            at |= at + 1;
        }
    }

    fn below(&self, level: usize) -> i128 {
        let (mut at, mut sum) = (level, 0);
        while at > 0 {
            sum += self.0.get(at - 1).copied().unwrap_or_default();
            at &= at - 1;
        }
        sum
    }
}

/// `cross / sqrt(left * right)`. The product is exact before its root, so that equal sides give exactly 1.
fn correlation(cross: i128, left: i128, right: i128) -> Result<f64, Undefined> {
    if left == 0 || right == 0 {
        return Err(Undefined::Constant);
    }
    let product = nearest_ratio(&(BigInt::from(left) * BigInt::from(right)), &1.into())?;
    let cross = nearest_ratio(&cross.into(), &1.into())?;
    Ok((cross / product.sqrt()).clamp(-1.0, 1.0))
}

/// Record numbers by ascending value, one list per distinct value.
fn runs(values: &[f64]) -> Vec<Vec<usize>> {
    let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    #[expect(clippy::float_cmp, reason = "a tie is exact equality")]
    let runs = order.chunk_by(|a, b| a.0 == b.0);
    runs.map(|run| run.iter().map(|&(_, record)| record).collect()).collect()
}

/// [`RankedPairs::spearman`] with every record once.
pub fn spearman(left: &[f64], right: &[f64]) -> Result<f64, Undefined> {
    RankedPairs::new(left, right)?.spearman(&once(left.len()))
}

/// [`RankedPairs::spearman`] of records with multiplicities.
pub fn spearman_weighted(left: &[f64], right: &[f64], multiplicities: &[u16]) -> Result<f64, Undefined> {
    RankedPairs::new(left, right)?.spearman(multiplicities)
}

/// [`RankedPairs::kendall`] with every record once.
pub fn kendall(left: &[f64], right: &[f64]) -> Result<f64, Undefined> {
    RankedPairs::new(left, right)?.kendall(&once(left.len()))
}

/// [`RankedPairs::kendall`] of records with multiplicities.
pub fn kendall_weighted(left: &[f64], right: &[f64], multiplicities: &[u16]) -> Result<f64, Undefined> {
    RankedPairs::new(left, right)?.kendall(multiplicities)
}

#[cfg(test)]
mod tests;
