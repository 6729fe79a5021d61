//! The exact sign-flip test: all `2^n` ways to flip the signs of integer differences, counted by dynamic programming.

use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::Zero as _;

use super::halves::Halves;
use super::{Dyadic, SignError};
use crate::stats::sides::Sides;

/// Most 64-bit words the table of counts may take (64 MiB).
pub const MOST_LIMBS: u128 = 1 << 23;

/// Most word additions the table may take to fill (a few seconds).
pub const MOST_LIMB_ADDITIONS: u128 = 1 << 32;

/// Outcome of the sign-flip test.
#[derive(Clone, Debug, PartialEq)]
pub struct FlipResult {
    /// Differences given, zeros included.
    pub n: u64,
    /// Of these, how many are zero. They stay in the sum and change no p: flipping them changes nothing.
    pub zeros: u64,
    /// The exact p: sign vectors at least as extreme as the observed one, over `2^(n - zeros)`.
    pub exact: Dyadic,
    /// `exact` as the nearest double.
    pub p: f64,
}

/// Sign-flip test of "the differences are symmetric around zero", with their sum as the statistic.
///
/// `differences` are integers on one common scale (for example task means times the number of attempts). Two-sided counts sign
/// vectors whose sum is at least as far from zero as the observed one, one-sided those at least as large (or as small). Counted by
/// a table of reachable sums, or for at most 40 nonzero differences of any size by two lists of sums; refused when there are more
/// and the table would exceed [`MOST_LIMBS`] words or [`MOST_LIMB_ADDITIONS`] steps.
pub fn sign_flip(differences: &[i128], sides: Sides) -> Result<FlipResult, SignError> {
    if differences.is_empty() {
        return Err(SignError::NoDifferences);
    }
    let common = differences.iter().fold(0_u128, |g, d| g.gcd(&d.unsigned_abs()));
    let magnitudes: Vec<u128> =
        differences.iter().map(|d| d.unsigned_abs()).filter(|&s| s > 0).map(|s| s / common).collect();
    let n = differences.len() as u64;
    let signs = magnitudes.len() as u64;
    let zeros = n - signs;
    let subsets = Subsets::of(&magnitudes)?;
    // A sign vector is the set of magnitudes taken as plus: its sum is twice that set's sum minus the total. The total fits in
    // 128 bits, since the subsets could be counted.
    let plus: u128 = differences.iter().filter(|&&d| d > 0).map(|d| d.unsigned_abs() / common).sum();
    let total: u128 = magnitudes.iter().sum();
    let count = match sides {
        Sides::Greater => subsets.at_least(plus),
        // Mirror image: sets with sum at most `plus` are complements of sets with sum at least `total - plus`.
        Sides::Less => subsets.at_least(total - plus),
        Sides::TwoSided => {
            let far = plus.max(total - plus);
            if far == total - far { BigUint::from(1_u8) << signs } else { subsets.at_least(far) << 1_u8 }
        }
    };
    let exact = Dyadic::new(count, signs);
    Ok(FlipResult { n, zeros, p: exact.to_f64(), exact })
}

/// The two ways to count subsets by their sum; they give the same counts.
enum Subsets {
    Table(Table),
    Halves(Halves),
}

impl Subsets {
    /// The table where it is allowed, the halves where there are few enough magnitudes, else why the table is not.
    fn of(magnitudes: &[u128]) -> Result<Self, SignError> {
        match Table::fill(magnitudes) {
            Ok(table) => Ok(Self::Table(table)),
            Err(refused) => Halves::list(magnitudes).map(Self::Halves).ok_or(refused),
        }
    }

    fn at_least(&self, bound: u128) -> BigUint {
        match self {
            Self::Table(table) => table.at_least(bound),
            Self::Halves(halves) => halves.at_least(bound),
        }
    }
}

/// For every sum from 0 to the total, how many subsets of the magnitudes have it, each count in `width` little-endian words.
struct Table {
    words: Vec<u64>,
    width: usize,
}

impl Table {
    fn fill(magnitudes: &[u128]) -> Result<Self, SignError> {
        // A count is at most 2^n.
        let width = magnitudes.len() / 64 + 1;
        let total = magnitudes.iter().try_fold(0_u128, |sum, &s| sum.checked_add(s));
        let words =
            total.and_then(|t| t.checked_add(1)).and_then(|t| t.checked_mul(width as u128)).unwrap_or(u128::MAX);
        let too_large = SignError::TableTooLarge { words, limit: MOST_LIMBS };
        if words > MOST_LIMBS {
            return Err(too_large);
        }
        let mut ascending = magnitudes.to_vec();
        ascending.sort_unstable();
        // Small magnitudes first keep the reachable range, and so the work, small for longest.
        let mut reach = 0_u128;
        let steps: u128 = ascending
            .iter()
            .map(|&s| {
                reach += s;
                reach * width as u128
            })
            .sum();
        if steps > MOST_LIMB_ADDITIONS {
            return Err(SignError::TooManySteps { steps, limit: MOST_LIMB_ADDITIONS });
        }
        let length = usize::try_from(words).map_err(|_| too_large)?;
        let mut table = Self { words: vec![0; length], width };
        if let Some(empty_set) = table.words.first_mut() {
            *empty_set = 1;
        }
        let mut filled = width;
        for size in ascending {
            let shift = usize::try_from(size).map_err(|_| too_large)? * width;
            table.add_shifted(filled, shift);
            filled += shift;
        }
        Ok(table)
    }

    /// Adds the first `filled` words onto the words `shift` further up: the sets that take the new size.
    fn add_shifted(&mut self, filled: usize, shift: usize) {
        let before: Vec<u64> = self.words.iter().take(filled).copied().collect();
        let upper = self.words.iter_mut().skip(shift);
        if self.width == 1 {
            for (to, from) in upper.zip(before) {
                *to += from;
            }
            return;
        }
        let mut carry = false;
        for (at, (to, from)) in upper.zip(before).enumerate() {
            // A count never outgrows its words, so no carry is left at the end of one.
            let carried = if at % self.width == 0 { false } else { carry };
            let (sum, over) = to.overflowing_add(from);
            let (sum, over_again) = sum.overflowing_add(u64::from(carried));
            *to = sum;
            carry = over || over_again;
        }
    }

    /// How many subsets have a sum of at least `bound`.
    fn at_least(&self, bound: u128) -> BigUint {
        let from = usize::try_from(bound).unwrap_or(usize::MAX).saturating_mul(self.width);
        let mut columns = vec![0_u128; self.width];
        let mut sum = BigUint::zero();
        // Columns are summed apart; 2^64 cells would be needed to overflow one.
        for cell in self.words.get(from..).unwrap_or(&[]).chunks_exact(self.width) {
            for (column, &word) in columns.iter_mut().zip(cell) {
                *column += u128::from(word);
            }
        }
        for column in columns.iter().rev() {
            sum = (sum << 64_u8) + BigUint::from(*column);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_count_the_same(magnitudes in prop::collection::vec(1_u128..60, 0..14), bound in 0_u128..900) {
            let table = Table::fill(&magnitudes).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let halves = Halves::list(&magnitudes).ok_or_else(|| TestCaseError::fail("refused"))?;
            prop_assert_eq!(table.at_least(bound), halves.at_least(bound));
        }
    }
}
