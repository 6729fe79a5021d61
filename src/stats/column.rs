//! Per-cluster sums of one quantity, kept as integers over a power of ten, so that any weighted total is exact.
//!
//! Owns the representation and its limits. Sums of counts, micro-dollars, tokens or milliseconds do not depend on order,
//! on vector width or on the number of threads once they are integers. Nothing here wraps or rounds silently.

use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use super::nearest::nearest_decimal;
use crate::math::Rational;

/// The largest number of decimals a column can keep. 10^38 is the largest power of ten below 2^127.
pub const MOST_DECIMALS: u32 = 38;

/// Why values cannot be kept as exact integers over a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnError {
    /// The value of a cluster is no finite decimal number (a third, say), or has more than [`MOST_DECIMALS`] decimals.
    NotDecimal {
        /// The cluster's number.
        cluster: usize,
    },
    /// A sum exceeds 128 bits at the column's scale.
    Overflow {
        /// The cluster's number.
        cluster: usize,
    },
    /// The total over all clusters, or over any resample of them, can exceed 128 bits.
    TotalOverflow,
    /// A value was given for a cluster that does not exist.
    NoSuchCluster {
        /// The cluster's number.
        cluster: usize,
        /// How many clusters there are.
        clusters: usize,
    },
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotDecimal { cluster } => {
                write!(f, "the value of cluster {cluster} is not a decimal number of at most {MOST_DECIMALS} places")
            }
            Self::Overflow { cluster } => write!(f, "the sum of cluster {cluster} does not fit in 128 bits"),
            Self::TotalOverflow => f.write_str("a total over the clusters may not fit in 128 bits"),
            Self::NoSuchCluster { cluster, clusters } => {
                write!(f, "there is no cluster {cluster}; there are {clusters}, counted from 0")
            }
        }
    }
}

impl std::error::Error for ColumnError {}

/// One integer per cluster; the quantity is the integer divided by 10^scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactColumn {
    scale: u32,
    sums: Vec<i128>,
    /// Largest absolute value of a sum.
    largest: u128,
}

impl ExactColumn {
    /// A column of integers over 10^scale. Fails when a resample of the clusters could have a total beyond 128 bits.
    pub fn new(scale: u32, sums: Vec<i128>) -> Result<Self, ColumnError> {
        if scale > MOST_DECIMALS {
            return Err(ColumnError::NotDecimal { cluster: 0 });
        }
        let largest = sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap_or_default();
        let column = Self { scale, sums, largest };
        column.total_bound(column.len()).map(|_| column).ok_or(ColumnError::TotalOverflow)
    }

    /// A column of whole numbers.
    pub fn counts(counts: &[u64]) -> Result<Self, ColumnError> {
        Self::new(0, counts.iter().map(|&count| i128::from(count)).collect())
    }

    /// A column of exact values, at the fewest decimals that hold them all.
    pub fn from_rationals(values: &[Rational]) -> Result<Self, ColumnError> {
        let mut scale = 0;
        for (cluster, value) in values.iter().enumerate() {
            scale = scale.max(decimals(value.denom()).ok_or(ColumnError::NotDecimal { cluster })?);
        }
        let power = BigInt::from(10).pow(scale);
        let mut sums = Vec::with_capacity(values.len());
        for (cluster, value) in values.iter().enumerate() {
            // The denominator divides the power of ten, so this division leaves nothing.
            let scaled = value.numer() * (&power / value.denom());
            sums.push(scaled.to_i128().ok_or(ColumnError::Overflow { cluster })?);
        }
        Self::new(scale, sums)
    }

    /// The per-cluster sums of decimal values, given as (cluster, integer, decimals), at the most decimals seen.
    pub fn from_decimals(
        clusters: usize,
        values: impl IntoIterator<Item = (usize, i128, u32)>,
    ) -> Result<Self, ColumnError> {
        let mut sums = vec![0_i128; clusters];
        let mut scale = 0;
        for (cluster, value, decimals) in values {
            if decimals > MOST_DECIMALS {
                return Err(ColumnError::NotDecimal { cluster });
            }
            if decimals > scale {
                rescale(&mut sums, decimals - scale)?;
                scale = decimals;
            }
            let slot = sums.get_mut(cluster).ok_or(ColumnError::NoSuchCluster { cluster, clusters })?;
            let added = value.checked_mul(power_of_ten(scale - decimals)).and_then(|value| slot.checked_add(value));
            *slot = added.ok_or(ColumnError::Overflow { cluster })?;
        }
        Self::new(scale, sums)
    }

    /// The same column with the sums of the clusters that `keep` rejects set to zero.
    #[must_use]
    pub fn masked(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = |(cluster, &sum)| if keep(cluster) { sum } else { 0 };
        let sums: Vec<i128> = self.sums.iter().enumerate().map(kept).collect();
        let largest = sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap_or_default();
        Self { scale: self.scale, sums, largest }
    }

    /// Decimals of the quantity.
    #[must_use]
    pub const fn scale(&self) -> u32 {
        self.scale
    }

    /// The integers, one per cluster.
    #[must_use]
    pub fn sums(&self) -> &[i128] {
        &self.sums
    }

    /// Number of clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Whether there are no clusters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// The total over all clusters, as an integer over 10^scale.
    #[must_use]
    pub fn total(&self) -> i128 {
        // The constructor bounded every such total.
        self.sums.iter().fold(0, |total, sum| total.wrapping_add(*sum))
    }

    /// The nearest `f64` to the total of the quantity.
    #[must_use]
    pub fn total_value(&self) -> Option<f64> {
        nearest_decimal(self.total(), self.scale)
    }

    /// A bound on the absolute total of any resample of at most `draws` clusters. `None` when it may exceed `i128`.
    #[must_use]
    pub fn total_bound(&self, draws: usize) -> Option<u128> {
        let draws = u128::try_from(draws).ok()?;
        self.largest.checked_mul(draws).filter(|bound| *bound <= i128::MAX.unsigned_abs())
    }

    /// Whether every total of a resample of at most `draws` clusters is below 2^53, hence exact in `f64` as in `i64`.
    #[must_use]
    pub fn exact_in_f64(&self, draws: usize) -> bool {
        self.total_bound(draws).is_some_and(|bound| bound < 1 << 53)
    }
}

/// 10^power; `power` is at most [`MOST_DECIMALS`], where it fits.
fn power_of_ten(power: u32) -> i128 {
    10_i128.saturating_pow(power)
}

fn rescale(sums: &mut [i128], by: u32) -> Result<(), ColumnError> {
    for (cluster, sum) in sums.iter_mut().enumerate() {
        *sum = sum.checked_mul(power_of_ten(by)).ok_or(ColumnError::Overflow { cluster })?;
    }
    Ok(())
}

/// The decimals needed to write 1 / denominator in full: its number of factors 2 or 5, whichever is greater.
fn decimals(denominator: &BigInt) -> Option<u32> {
    let (twos, rest) = factors(denominator.clone(), 2)?;
    let (fives, rest) = factors(rest, 5)?;
    rest.is_one().then_some(twos.max(fives))
}

/// How often `prime` divides `number`, and what is left; `None` when more often than decimals are kept.
fn factors(mut number: BigInt, prime: u32) -> Option<(u32, BigInt)> {
    let prime = BigInt::from(prime);
    let mut count = 0;
    loop {
        let (quotient, remainder) = number.div_rem(&prime);
        if !remainder.is_zero() || number.is_zero() {
            return Some((count, number));
        }
        if count == MOST_DECIMALS {
            return None;
        }
        (number, count) = (quotient, count + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnError, ExactColumn};
    use crate::math::Rational;

    fn ratio(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn keeps_the_fewest_decimals_that_hold_every_value() {
        let column = ExactColumn::from_rationals(&[ratio(1, 8), ratio(-3, 5), ratio(2, 1)]).unwrap();
        assert_eq!((column.scale(), column.sums()), (3, &[125, -600, 2000][..]));
        assert_eq!(column.total_value(), Some(1.525));
        assert!(column.exact_in_f64(3));
    }

    #[test]
    fn sums_decimals_of_mixed_scales() {
        let values = [(0, 5, 0), (1, 25, 2), (0, -1, 3), (1, 1, 1)];
        let column = ExactColumn::from_decimals(2, values).unwrap();
        assert_eq!((column.scale(), column.sums()), (3, &[4999, 350][..]));
        assert_eq!(column.masked(|cluster| cluster == 1).sums(), [0, 350]);
    }

    #[test]
    fn refuses_what_it_cannot_hold() {
        assert_eq!(
            ExactColumn::from_rationals(&[ratio(1, 2), ratio(1, 3)]),
            Err(ColumnError::NotDecimal { cluster: 1 })
        );
        assert_eq!(ExactColumn::new(0, vec![i128::MAX / 2, 2, 3]), Err(ColumnError::TotalOverflow));
        assert_eq!(ExactColumn::new(0, vec![i128::MIN]), Err(ColumnError::TotalOverflow));
        assert_eq!(
            ExactColumn::from_decimals(1, [(0, i128::MAX, 0), (0, 1, 0)]),
            Err(ColumnError::Overflow { cluster: 0 })
        );
        assert_eq!(
            ExactColumn::from_decimals(1, [(0, i128::MAX, 0), (0, 1, 1)]),
            Err(ColumnError::Overflow { cluster: 0 })
        );
        let missing = ColumnError::NoSuchCluster { cluster: 4, clusters: 1 };
        assert_eq!(ExactColumn::from_decimals(1, [(4, 1, 0)]), Err(missing));
        let tiny = Rational::new(1.into(), num_bigint::BigInt::from(2).pow(39));
        assert_eq!(ExactColumn::from_rationals(&[tiny]), Err(ColumnError::NotDecimal { cluster: 0 }));
    }

    #[test]
    fn the_fast_path_ends_at_two_to_the_53() {
        let column = ExactColumn::new(0, vec![1 << 50, 0]).unwrap();
        assert!(column.exact_in_f64(7));
        assert!(!column.exact_in_f64(8));
    }
}
