//! Counting sign vectors by listing the subset sums of two halves: for few differences of any size, where a table of all
//! reachable sums would be too large.

use num_bigint::BigUint;

/// Most nonzero differences this way of counting takes: two lists of `2^20` sums.
pub const MOST_HALVED_SIGNS: usize = 40;

/// All subset sums of each half, ascending.
pub(super) struct Halves {
    first: Vec<u128>,
    second: Vec<u128>,
}

impl Halves {
    /// Lists the sums; `None` when there are more than [`MOST_HALVED_SIGNS`] magnitudes or their total leaves 128 bits.
    pub(super) fn list(magnitudes: &[u128]) -> Option<Self> {
        if magnitudes.len() > MOST_HALVED_SIGNS {
            return None;
        }
        magnitudes.iter().try_fold(0_u128, |sum, &m| sum.checked_add(m))?;
        let (first, second) = magnitudes.split_at(magnitudes.len() / 2);
        Some(Self { first: subset_sums(first), second: subset_sums(second) })
    }

    /// How many subsets of all magnitudes have a sum of at least `bound`.
    pub(super) fn at_least(&self, bound: u128) -> BigUint {
        let mut partners = self.second.iter().rev().peekable();
        let (mut reaching, mut count) = (0_u64, 0_u64);
        // As the first sum grows, ever smaller sums of the second half suffice.
        for &sum in &self.first {
            while partners.next_if(|&&other| sum + other >= bound).is_some() {
                reaching += 1;
            }
            count += reaching;
        }
        BigUint::from(count)
    }
}

/// The `2^n` subset sums in ascending order, by merging the list with itself shifted by each magnitude in turn.
fn subset_sums(magnitudes: &[u128]) -> Vec<u128> {
    let mut sums = vec![0_u128];
    for &size in magnitudes {
        let mut merged = Vec::with_capacity(sums.len() * 2);
        let mut without = sums.iter().copied().peekable();
        for with in sums.iter().map(|sum| sum + size) {
            while let Some(smaller) = without.next_if(|&sum| sum <= with) {
                merged.push(smaller);
            }
            merged.push(with);
        }
        // The largest sum includes the new size, so nothing is left.
        sums = merged;
    }
    sums
}
