//! A permutation test of the spread of cell means: largest minus smallest over the labels, under the hypothesis that the
//! label makes no difference within a cluster.
//!
//! Owns the permutation, the exact comparison and the p-value. Within each cluster (a task, say) the records are dealt
//! out anew among the labels (scaffolds, say), every label keeping the number of records it has there. The mean of a
//! label is over all its records. Values are integers over one common scale, so two spreads that are equal compare equal.
//!
//! p = (1 + permuted spreads >= the observed one) / (draws + 1): never 0, and valid for any number of draws. Source:
//! Phipson and Smyth, "Permutation p-values should never be zero", 2010.
//!
//! Scheme: key = `mix13(seed)`; draw d reads stream d + 2^63 from its start, so it shares no words with a bootstrap of the
//! same seed. Clusters that no permutation can change read nothing. The others follow in order: one word each where a
//! `Table` lists the ways to deal, else one word per record dealt to any label but the last.

use std::collections::BTreeMap;

use num_integer::Integer;

use super::nearest::nearest_quotient;
use super::parallel::fill_runs;
use super::undefined::Undefined;
use crate::math::philox::{Philox, Stream, index_below};

/// Draws counted together by one thread.
const BLOCK: u64 = 64;
/// Clusters with at most this many ways to deal their records are dealt by one look-up. Three labels of three: 1,680.
const MOST_DEALINGS: usize = 2_048;
/// ... and at most this many records.
const MOST_RECORDS_LISTED: usize = 64;
/// The streams of this test start here.
const FIRST_STREAM: u64 = 1 << 63;

/// One cluster: for each label its records' values, as integers over a scale shared by all clusters.
///
/// Every cluster lists all labels in one order; a label without records in a cluster has an empty list there.
pub type LabelledCluster = Vec<Vec<i64>>;

/// The outcome of a permutation test of a spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadTest {
    /// The observed spread, in units of the integer values.
    pub spread: f64,
    /// Permutations drawn.
    pub draws: u64,
    /// Permutations with a spread at least as large as the observed one.
    pub at_least: u64,
    /// (1 + `at_least`) / (1 + `draws`).
    pub p: f64,
}

/// Tests whether the spread of the label means exceeds what permuting labels within clusters gives, by `draws` random
/// permutations. The result does not depend on `workers`.
///
/// Fails with [`Undefined::TooFew`] for fewer than two labels or no draws, [`Undefined::UnequalLengths`] when clusters
/// list different numbers of labels, [`Undefined::NoRecords`] when a label has no records at all,
/// [`Undefined::Constant`] when no permutation can change anything, and [`Undefined::TooLarge`] when exact comparison
/// would need more than 128 bits.
pub fn spread_test(
    clusters: &[LabelledCluster],
    draws: u64,
    seed: u64,
    workers: usize,
) -> Result<SpreadTest, Undefined> {
    if draws == 0 {
        return Err(Undefined::TooFew { have: 0, need: 1 });
    }
    let problem = Problem::new(clusters)?;
    let observed = problem.spread(&problem.observed);
    let philox = Philox::from_seed(seed);
    let blocks = usize::try_from(draws.div_ceil(BLOCK)).map_err(|_| Undefined::TooLarge)?;
    let mut counts: Vec<(u64, u64)> = (0..draws).step_by(usize::try_from(BLOCK).unwrap_or(1)).map(|d| (d, 0)).collect();
    debug_assert_eq!(counts.len(), blocks);
    fill_runs(&mut counts, workers, |_, run| {
        let (mut sums, mut values) = (Vec::new(), Vec::new());
        for (first, count) in run {
            for draw in *first..first.saturating_add(BLOCK).min(draws) {
                problem.permute(philox, draw, &mut values, &mut sums);
                *count += u64::from(problem.spread(&sums) >= observed);
            }
        }
    });
    let at_least: u64 = counts.iter().map(|(_, count)| count).sum();
    let p = nearest_quotient(i128::from(at_least) + 1, 0, i128::from(draws) + 1, 0).ok_or(Undefined::OutOfRange)?;
    let spread = nearest_quotient(observed, 0, problem.common, 0).ok_or(Undefined::TooLarge)?;
    Ok(SpreadTest { spread, draws, at_least, p })
}

/// A cluster that permuting changes.
enum Mixed {
    /// Dealt by one look-up in the table of this number.
    Listed(usize),
    /// Dealt record by record: the values, and the number of records of each label.
    Dealt { values: Vec<i64>, sizes: Vec<usize> },
}

/// All the ways to deal one multiset of values among labels of given sizes, equally likely.
#[derive(Default)]
struct Table {
    /// For every way to deal, which of the distinct outcomes it leads to.
    dealings: Vec<u16>,
    /// The distinct outcomes: each label's sum.
    outcomes: Vec<Vec<i128>>,
}

struct Problem {
    mixed: Vec<Mixed>,
    tables: Vec<Table>,
    /// Sum of each label over the clusters that never change.
    fixed: Vec<i128>,
    /// Observed sum of each label.
    observed: Vec<i128>,
    /// The least common multiple of the labels' record counts, and what each label's sum is multiplied by to be over it.
    common: i128,
    factors: Vec<i128>,
}

impl Problem {
    fn new(clusters: &[LabelledCluster]) -> Result<Self, Undefined> {
        let labels = clusters.first().ok_or(Undefined::NoRecords)?.len();
        if labels < 2 {
            return Err(Undefined::TooFew { have: labels, need: 2 });
        }
        let mut counts = vec![0_i128; labels];
        let (mut fixed, mut observed) = (vec![0_i128; labels], vec![0_i128; labels]);
        let (mut mixed, mut tables, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut largest = 1_u128;
        for cluster in clusters {
            if cluster.len() != labels {
                return Err(Undefined::UnequalLengths { left: labels, right: cluster.len() });
            }
            let mut values: Vec<i64> = cluster.iter().flatten().copied().collect();
            // Records are dealt from a sorted list, so the order in which they were read cannot matter.
            values.sort_unstable();
            u32::try_from(values.len()).map_err(|_| Undefined::TooLarge)?;
            let sizes: Vec<usize> = cluster.iter().map(Vec::len).collect();
            let changes = values.first() != values.last() && sizes.iter().filter(|size| **size > 0).count() > 1;
            for (label, records) in cluster.iter().enumerate() {
                let sum: i128 = records.iter().map(|&value| i128::from(value)).sum();
                let add = |sums: &mut [i128], term| sums.get_mut(label).map_or((), |slot| *slot += term);
                add(&mut observed, sum);
                add(&mut counts, length(records.len())?);
                if !changes {
                    add(&mut fixed, sum);
                }
            }
            largest = values.iter().map(|value| u128::from(value.unsigned_abs())).fold(largest, u128::max);
            if !changes {
                continue;
            }
            if ways_to_deal(&sizes).is_none() {
                mixed.push(Mixed::Dealt { values, sizes });
                continue;
            }
            let number = *known.entry((values, sizes)).or_insert_with_key(|(values, sizes)| {
                tables.push(Table::new(values, sizes));
                tables.len() - 1
            });
            mixed.push(Mixed::Listed(number));
        }
        if counts.contains(&0) {
            return Err(Undefined::NoRecords);
        }
        if mixed.is_empty() {
            return Err(Undefined::Constant);
        }
        let mut common = 1_i128;
        for count in &counts {
            common = (common / common.gcd(count)).checked_mul(*count).ok_or(Undefined::TooLarge)?;
        }
        // A label's mean is at most `largest`, so its sum over the common denominator is at most `largest * common`;
        // the difference of two such sums must fit as well.
        let bound = largest.checked_mul(common.unsigned_abs()).and_then(|bound| bound.checked_mul(2));
        bound.filter(|bound| *bound <= i128::MAX.unsigned_abs()).ok_or(Undefined::TooLarge)?;
        let factors = counts.iter().map(|count| common / count).collect();
        Ok(Self { mixed, tables, fixed, observed, common, factors })
    }

    /// The spread of the label means, times the common denominator.
    fn spread(&self, sums: &[i128]) -> i128 {
        let scaled = || sums.iter().zip(&self.factors).map(|(sum, factor)| sum * factor);
        scaled().max().zip(scaled().min()).map_or(0, |(most, least)| most - least)
    }

    /// The label sums of one random permutation.
    fn permute(&self, philox: Philox, draw: u64, scratch: &mut Vec<i64>, sums: &mut Vec<i128>) {
        sums.clone_from(&self.fixed);
        let mut words = philox.stream(FIRST_STREAM | draw, 0);
        for cluster in &self.mixed {
            match cluster {
                Mixed::Listed(number) => {
                    if let Some(outcome) = self.tables.get(*number).and_then(|table| table.deal(&mut words)) {
                        sums.iter_mut().zip(outcome).for_each(|(sum, own)| *sum += own);
                    }
                }
                Mixed::Dealt { values, sizes } => {
                    scratch.clone_from(values);
                    deal(scratch, sizes, &mut words, sums);
                }
            }
        }
    }
}

/// Deals `values` among labels of `sizes`: each label but the last takes records drawn from those left.
fn deal(values: &mut [i64], sizes: &[usize], words: &mut Stream, sums: &mut [i128]) {
    let mut left = values.len();
    let last = sizes.len().saturating_sub(1);
    for (label, (sum, &size)) in sums.iter_mut().zip(sizes).enumerate() {
        for _ in 0..size {
            if label < last && left > 0 {
                // Lossless: the number of records of a cluster was checked to fit in 32 bits.
                let choice = index_below(words.next_word(), u32::try_from(left).unwrap_or(u32::MAX));
                values.swap(choice as usize, left - 1);
            }
            left = left.saturating_sub(1);
            *sum += values.get(left).copied().map_or(0, i128::from);
        }
    }
}

/// The number of ways to deal records among labels of these sizes, if it is at most [`MOST_DEALINGS`] and there are at
/// most [`MOST_RECORDS_LISTED`] records.
fn ways_to_deal(sizes: &[usize]) -> Option<usize> {
    let (mut ways, mut placed) = (1_usize, 0_usize);
    if sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(*size))? > MOST_RECORDS_LISTED {
        return None;
    }
    for &size in sizes {
        // Multiply by C(placed + size, size), one exact factor at a time. Each factor is at least 1 after its division,
        // and the running value never exceeds the final one times `size`.
        let mut binomial = 1_usize;
        for k in 1..=size {
            binomial = binomial.checked_mul(placed + k)? / k;
            if binomial > MOST_DEALINGS {
                return None;
            }
        }
        ways = ways.checked_mul(binomial).filter(|ways| *ways <= MOST_DEALINGS)?;
        placed += size;
    }
    Some(ways)
}

impl Table {
    fn new(values: &[i64], sizes: &[usize]) -> Self {
        let mut table = Self::default();
        let mut seen = BTreeMap::new();
        table.list(values, &mut sizes.to_vec(), &mut vec![0; sizes.len()], &mut seen);
        table
    }

    /// Gives the first value to every label with room in turn, and the rest likewise. As deep as a cluster has records,
    /// which is small where the ways to deal them are few and at least two labels have records.
    fn list(
        &mut self,
        values: &[i64],
        room: &mut Vec<usize>,
        sums: &mut Vec<i128>,
        seen: &mut BTreeMap<Vec<i128>, u16>,
    ) {
        let Some((&value, rest)) = values.split_first() else {
            let next = u16::try_from(self.outcomes.len()).unwrap_or(u16::MAX);
            let number = *seen.entry(sums.clone()).or_insert_with(|| {
                self.outcomes.push(sums.clone());
                next
            });
            self.dealings.push(number);
            return;
        };
        for label in 0..room.len() {
            if take(room, sums, label, value) {
                self.list(rest, room, sums, seen);
                give_back(room, sums, label, value);
            }
        }
    }

    fn deal(&self, words: &mut Stream) -> Option<&[i128]> {
        let ways = u32::try_from(self.dealings.len()).ok()?;
        let way = index_below(words.next_word(), ways) as usize;
        self.outcomes.get(usize::from(*self.dealings.get(way)?)).map(Vec::as_slice)
    }
}

/// Gives `value` to `label` if it has room.
fn take(room: &mut [usize], sums: &mut [i128], label: usize, value: i64) -> bool {
    match (room.get_mut(label), sums.get_mut(label)) {
        (Some(room), Some(sum)) if *room > 0 => {
            *room -= 1;
            *sum += i128::from(value);
            true
        }
        _ => false,
    }
}

fn give_back(room: &mut [usize], sums: &mut [i128], label: usize, value: i64) {
    if let (Some(room), Some(sum)) = (room.get_mut(label), sums.get_mut(label)) {
        *room += 1;
        *sum -= i128::from(value);
    }
}

fn length(count: usize) -> Result<i128, Undefined> {
    i128::try_from(count).map_err(|_| Undefined::TooLarge)
}

#[cfg(test)]
mod tests;
