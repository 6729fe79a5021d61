//! A permutation test of any statistic of the labels.

use num_bigint::BigInt;

use super::{Counted, Counting, WithinError, count, count_draws, shuffle};
use crate::math::Rational;

/// Most distinct arrangements that are enumerated.
pub const MOST_ARRANGEMENTS: u64 = 1 << 20;

/// The outcome of a test of any statistic.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelTest<T> {
    /// The statistic as observed.
    pub observed: T,
    /// What was counted.
    pub counted: Counted,
    /// The p-value.
    pub p: f64,
}

/// Tests whether a statistic of the labels is larger than permuting labels within clusters gives.
///
/// `labels` holds, for each cluster, the label of every record in the caller's order; `statistic` is called with permuted labels
/// in the same shape. Larger values speak against the null, and two equal ones must compare equal, so a statistic of means is best
/// given as an integer or a fraction. Where it is undefined (`None`) on a permuted arrangement, that one counts as extreme, which
/// can only make p larger. Distinct arrangements are equally likely; exact counting enumerates them, up to
/// [`MOST_ARRANGEMENTS`].
pub fn statistic_test<T: Ord + Sync>(
    labels: &[Vec<u32>],
    statistic: impl Fn(&[Vec<u32>]) -> Option<T> + Sync,
    counting: Counting,
    workers: usize,
) -> Result<LabelTest<T>, WithinError> {
    if labels.iter().any(|cluster| u32::try_from(cluster.len()).is_err()) {
        return Err(WithinError::TooLarge);
    }
    let mixed: Vec<usize> = labels
        .iter()
        .enumerate()
        .filter(|(_, cluster)| cluster.first().is_some_and(|l| cluster.iter().any(|k| k != l)))
        .map(|(at, _)| at)
        .collect();
    if mixed.is_empty() {
        return Err(WithinError::NothingToPermute);
    }
    let observed = statistic(labels).ok_or(WithinError::UndefinedObserved)?;
    let extreme = |arranged: &[Vec<u32>]| statistic(arranged).is_none_or(|value| value >= observed);
    // Clusters start from sorted labels, so that the order in which they were read cannot matter to what is drawn.
    let mut sorted = labels.to_vec();
    for cluster in &mut sorted {
        cluster.sort_unstable();
    }
    let counted = count(
        counting,
        || enumerate(sorted.clone(), &mixed, extreme),
        |draws, seed| {
            Ok(count_draws(draws, seed, workers, |words, scratch: &mut Vec<Vec<u32>>| {
                scratch.clone_from(&sorted);
                for cluster in &mixed {
                    scratch.get_mut(*cluster).into_iter().for_each(|own| shuffle(own, words));
                }
                extreme(scratch)
            }))
        },
    )?;
    Ok(LabelTest { observed, p: counted.p(), counted })
}

/// The share of extreme arrangements among all distinct ones, going through them like an odometer.
fn enumerate(
    mut labels: Vec<Vec<u32>>,
    mixed: &[usize],
    extreme: impl Fn(&[Vec<u32>]) -> bool,
) -> Result<Rational, WithinError> {
    let too_many = WithinError::TooManyToCount { limit: MOST_ARRANGEMENTS };
    let mut product = 1_u64;
    for cluster in mixed {
        let own = labels.get(*cluster).and_then(|own| arrangements(own)).ok_or(too_many)?;
        product = product.checked_mul(own).filter(|all| *all <= MOST_ARRANGEMENTS).ok_or(too_many)?;
    }
    let (mut all, mut counted) = (0_u64, 0_u64);
    loop {
        all += 1;
        counted += u64::from(extreme(&labels));
        let turned = mixed.iter().any(|cluster| labels.get_mut(*cluster).is_some_and(|own| next_arrangement(own)));
        if !turned {
            return Ok(Rational::new(BigInt::from(counted), BigInt::from(all)));
        }
    }
}

/// How many distinct orders sorted labels have, if at most [`MOST_ARRANGEMENTS`].
fn arrangements(sorted: &[u32]) -> Option<u64> {
    let (mut ways, mut placed) = (1_u64, 0_u64);
    for same in sorted.chunk_by(|a, b| a == b) {
        // Multiply by C(placed + k, k), one exact factor at a time; what is reached is itself a number of arrangements.
        for k in 1..=same.len() as u64 {
            placed += 1;
            ways = ways.checked_mul(placed)? / k;
            if ways > MOST_ARRANGEMENTS.saturating_mul(k) {
                return None;
            }
        }
        if ways > MOST_ARRANGEMENTS {
            return None;
        }
    }
    Some(ways)
}

/// The next order of the labels; after the last, back to the first, and `false`.
fn next_arrangement(labels: &mut [u32]) -> bool {
    let ascent = labels.windows(2).rposition(|pair| pair.first() < pair.last());
    let Some(pivot) = ascent else {
        labels.reverse();
        return false;
    };
    let value = labels.get(pivot).copied();
    if let Some(larger) = labels.iter().rposition(|label| Some(*label) > value) {
        labels.swap(pivot, larger);
    }
    if let Some(rest) = labels.get_mut(pivot + 1..) {
        rest.reverse();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{arrangements, next_arrangement};

    #[test]
    fn every_distinct_order_comes_once() {
        let mut labels = vec![0, 0, 1, 1, 2];
        let mut seen = std::collections::BTreeSet::new();
        loop {
            assert!(seen.insert(labels.clone()));
            if !next_arrangement(&mut labels) {
                break;
            }
        }
        assert_eq!(labels, [0, 0, 1, 1, 2]);
        assert_eq!(seen.len() as u64, arrangements(&labels).unwrap());
        assert_eq!(seen.len(), 30);
    }

    #[test]
    fn counts_of_orders() {
        assert_eq!(arrangements(&[]), Some(1));
        assert_eq!(arrangements(&vec![4; 1_000_000]), Some(1));
        assert_eq!(arrangements(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), Some(362_880));
        assert_eq!(arrangements(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), None);
        let coin: Vec<u32> = (0..22).map(|i| u32::from(i >= 11)).collect();
        assert_eq!(arrangements(&coin), Some(705_432));
        let larger: Vec<u32> = (0..26).map(|i| u32::from(i >= 13)).collect();
        assert_eq!(arrangements(&larger), None);
    }
}
