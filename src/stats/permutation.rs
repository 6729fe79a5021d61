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
//! Scheme: key = `mix13(seed)`; draw d reads stream d + 2^63, so it shares no words with a bootstrap of the same seed;
//! word i belongs to the i-th record, clusters in order and labels in order within a cluster, and deals that record in a
//! Fisher-Yates shuffle from the last record of the cluster to the first.

use num_integer::Integer;

use super::nearest::nearest_quotient;
use super::parallel::fill_runs;
use super::undefined::Undefined;
use crate::math::philox::{Philox, WORDS_PER_BLOCK, index_below};

/// Draws counted together by one thread.
const BLOCK: u64 = 64;
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

/// A cluster whose records are not all alike; only such clusters change under permutation.
struct Mixed {
    /// Position of its first record in the stream of words.
    first_word: u64,
    values: Vec<i64>,
    /// Records of each label here.
    sizes: Vec<usize>,
}

struct Problem {
    mixed: Vec<Mixed>,
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
        let (mut mixed, mut first_word, mut largest) = (Vec::new(), 0_u64, 1_u128);
        for cluster in clusters {
            if cluster.len() != labels {
                return Err(Undefined::UnequalLengths { left: labels, right: cluster.len() });
            }
            let values: Vec<i64> = cluster.iter().flatten().copied().collect();
            let alike = values.windows(2).all(|pair| pair.first() == pair.last());
            let in_one_label = cluster.iter().filter(|records| !records.is_empty()).count() < 2;
            for (label, records) in cluster.iter().enumerate() {
                let sum: i128 = records.iter().map(|&value| i128::from(value)).sum();
                let add = |sums: &mut [i128], term| sums.get_mut(label).map_or((), |slot| *slot += term);
                add(&mut observed, sum);
                add(&mut counts, length(records.len())?);
                if alike || in_one_label {
                    add(&mut fixed, sum);
                }
            }
            largest =
                values.iter().map(|value| u128::from(value.unsigned_abs())).max().unwrap_or_default().max(largest);
            let words = u64::try_from(values.len()).map_err(|_| Undefined::TooLarge)?;
            u32::try_from(values.len()).map_err(|_| Undefined::TooLarge)?;
            if !(alike || in_one_label) {
                mixed.push(Mixed { first_word, values, sizes: cluster.iter().map(Vec::len).collect() });
            }
            first_word = first_word.checked_add(words).ok_or(Undefined::TooLarge)?;
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
        Ok(Self { mixed, fixed, observed, common, factors })
    }

    /// The spread of the label means, times the common denominator.
    fn spread(&self, sums: &[i128]) -> i128 {
        let scaled = || sums.iter().zip(&self.factors).map(|(sum, factor)| sum * factor);
        scaled().max().zip(scaled().min()).map_or(0, |(most, least)| most - least)
    }

    /// The label sums of one random permutation.
    fn permute(&self, philox: Philox, draw: u64, values: &mut Vec<i64>, sums: &mut Vec<i128>) {
        sums.clone_from(&self.fixed);
        for cluster in &self.mixed {
            values.clone_from(&cluster.values);
            let mut words = philox.stream(FIRST_STREAM | draw, cluster.first_word / WORDS_PER_BLOCK);
            for _ in 0..cluster.first_word % WORDS_PER_BLOCK {
                words.next_word();
            }
            for left in (1..values.len()).rev() {
                // Lossless: the number of records of a cluster was checked to fit in 32 bits.
                let choices = u32::try_from(left + 1).unwrap_or(u32::MAX);
                values.swap(left, index_below(words.next_word(), choices) as usize);
            }
            let mut rest = values.as_slice();
            for (sum, &size) in sums.iter_mut().zip(&cluster.sizes) {
                let (own, others) = rest.split_at_checked(size).unwrap_or((rest, &[]));
                *sum += own.iter().map(|&value| i128::from(value)).sum::<i128>();
                rest = others;
            }
        }
    }
}

fn length(count: usize) -> Result<i128, Undefined> {
    i128::try_from(count).map_err(|_| Undefined::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::{LabelledCluster, spread_test};
    use crate::stats::undefined::Undefined;

    /// The exact p of a tiny case, by listing every distinct dealing of one cluster with two labels of sizes 2 and 2.
    #[test]
    fn agrees_with_full_enumeration() {
        let cluster: LabelledCluster = vec![vec![9, 5], vec![1, 2]];
        // Of the six ways to deal {9,5,1,2} two and two, {9,5} against {1,2} and its mirror are the most spread out.
        let test = spread_test(&[cluster], 60_000, 5, 2).unwrap();
        assert!((test.p - 2.0 / 6.0).abs() < 0.01, "{test:?}");
        assert!((test.spread - 5.5).abs() < 1e-15);
    }

    #[test]
    fn unequal_cells_keep_their_sizes() {
        // Label 0 has one record, label 1 three: spread is |v - (s - v) / 3|, largest only when 7 stands alone.
        let cluster: LabelledCluster = vec![vec![7], vec![0, 0, 0]];
        let test = spread_test(&[cluster], 40_000, 1, 1).unwrap();
        assert!((test.p - 0.25).abs() < 0.01, "{test:?}");
        assert!((test.spread - 7.0).abs() < 1e-15);
    }

    #[test]
    fn ties_count_as_at_least_as_large() {
        // Thirds: 1/3 - 0/3 against 2/3 - 1/3 are equal as integers, and must be.
        let clusters: Vec<LabelledCluster> = vec![vec![vec![1, 0, 0], vec![0, 0, 0], vec![0, 0, 0]]];
        let test = spread_test(&clusters, 999, 3, 1).unwrap();
        assert_eq!((test.at_least, test.draws), (999, 999));
        assert!((test.p - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_result_does_not_depend_on_threads_and_more_draws_extend_it() {
        let clusters: Vec<LabelledCluster> = (0..20_i64)
            .map(|t| (0..3_i64).map(|l| (0..3).map(|a| (t * 7 + l * l * 5 + a * 3) % 4).collect()).collect())
            .collect();
        let one = spread_test(&clusters, 1_111, 9, 1).unwrap();
        for workers in [2, 3, 40] {
            assert_eq!(one, spread_test(&clusters, 1_111, 9, workers).unwrap());
        }
        let more = spread_test(&clusters, 1_200, 9, 2).unwrap();
        assert!(more.at_least >= one.at_least && more.at_least <= one.at_least + 89);
    }

    #[test]
    fn the_level_holds_when_labels_make_no_difference() {
        // 200 data sets with no label effect but strong cluster effects: about one in ten has p <= 0.1.
        let philox = crate::math::philox::Philox::from_seed(42);
        let mut small = 0;
        for set in 0..200 {
            let mut words = philox.stream(set, 0);
            let clusters: Vec<LabelledCluster> = (0..15)
                .map(|_| {
                    let threshold = words.next_word();
                    (0..3).map(|_| (0..3).map(|_| i64::from(words.next_word() < threshold)).collect()).collect()
                })
                .collect();
            small += u32::from(spread_test(&clusters, 199, set, 2).unwrap().p <= 0.1);
        }
        assert!((6..=34).contains(&small), "{small} of 200");
    }

    #[test]
    fn refuses_what_cannot_be_tested() {
        assert_eq!(spread_test(&[], 9, 1, 1), Err(Undefined::NoRecords));
        assert_eq!(spread_test(&[vec![vec![1]]], 9, 1, 1), Err(Undefined::TooFew { have: 1, need: 2 }));
        assert_eq!(spread_test(&[vec![vec![1], vec![]]], 9, 1, 1), Err(Undefined::NoRecords));
        assert_eq!(spread_test(&[vec![vec![1], vec![2]]], 0, 1, 1), Err(Undefined::TooFew { have: 0, need: 1 }));
        assert_eq!(spread_test(&[vec![vec![4], vec![4, 4]]], 9, 1, 1), Err(Undefined::Constant));
        let ragged = [vec![vec![1], vec![2]], vec![vec![1]]];
        assert_eq!(spread_test(&ragged, 9, 1, 1), Err(Undefined::UnequalLengths { left: 2, right: 1 }));
        let huge: Vec<LabelledCluster> = vec![vec![
            vec![i64::MAX; 1_009],
            vec![0; 1_013],
            vec![0; 1_019],
            vec![0; 1_021],
            vec![0; 1_031],
            vec![0; 1_033],
            vec![0; 1_039],
        ]];
        assert_eq!(spread_test(&huge, 9, 1, 1), Err(Undefined::TooLarge));
    }
}
