//! Two-by-two tables: Fisher's exact test, the odds ratio, and the chi-square forms of `McNemar`'s test.
//!
//! Owns the exact hypergeometric counting. Every p is a whole number of tables' weights over another, compared and added without
//! rounding, and converted to the nearest double once. `McNemar`'s exact and mid-p tests live with the sign tests.

use std::fmt;

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};

use super::sides::Sides;
use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::math::special::chi2_sf;

/// Most units in a table: its weights then take well below a second.
pub const MOST_UNITS: u64 = 20_000;

/// Counts: first row (first arm's successes and failures), then second row.
pub type Table = [[u64; 2]; 2];

/// Why a table has no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableError {
    /// All four counts are zero.
    Empty,
    /// More than [`MOST_UNITS`] units; `None` when the total does not even fit in 64 bits.
    TooManyUnits(Option<u64>),
    /// No pair differs, so the chi-square form of `McNemar`'s test divides by zero.
    NoDiscordantPair,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("all four counts of the table are zero; there is nothing to compare"),
            Self::TooManyUnits(units) => {
                let units = units.map_or_else(|| "more than 2^64".to_owned(), |units| units.to_string());
                write!(
                    f,
                    "the table holds {units} units and exact weights are computed for at most {MOST_UNITS}; at this size \
                     compare the two shares by an interval instead"
                )
            }
            Self::NoDiscordantPair => f.write_str(
                "no pair differs, so McNemar's chi-square divides by zero; the exact test gives p = 1 in this case",
            ),
        }
    }
}

impl std::error::Error for TableError {}

/// The outcome of Fisher's test.
#[derive(Clone, Debug, PartialEq)]
pub struct Fisher {
    /// The exact p.
    pub exact: Rational,
    /// `exact` as the nearest double.
    pub p: f64,
}

/// The sample odds ratio `a d / (b c)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OddsRatio {
    /// A finite number, the nearest double.
    Finite(f64),
    /// `b c` is zero and `a d` is not.
    Infinite,
    /// Both are zero: a margin is empty, and the data carry no ratio.
    Undefined,
}

/// A chi-square statistic with one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The statistic.
    pub statistic: f64,
    /// Its upper tail.
    pub p: f64,
}

/// Fisher's exact test of equal success shares in two arms, given both margins.
///
/// With the margins fixed, `a` successes of the first arm have weight `C(a+b, a) C(c+d, c)`. [`Sides::Greater`] adds up the tables
/// with at least as many first-arm successes (odds ratio above one), [`Sides::Less`] those with at most as many, two-sided all
/// tables that are at most as probable as the observed one. Weights are compared as integers, so equal ones are equal. An empty
/// margin leaves one table, and p = 1. Source: Fisher 1935; the two-sided rule is the one of R and `scipy`.
pub fn fisher_exact(table: Table, sides: Sides) -> Result<Fisher, TableError> {
    let units = units(table)?;
    if units > MOST_UNITS {
        return Err(TableError::TooManyUnits(Some(units)));
    }
    let [[a, b], [c, d]] = table;
    let (row, other, column) = (a + b, c + d, a + c);
    let (least, most) = (column.saturating_sub(other), row.min(column));
    let mut weight = binomial(row, least) * binomial(other, column - least);
    let mut weights = Vec::new();
    for k in least..=most {
        weights.push((k, weight.clone()));
        // w(k+1)/w(k) = (row-k)(column-k) / ((k+1)(other-column+k+1)), and the division leaves no rest.
        weight = weight * ((row - k) * (column - k)) / ((k + 1) * (other + k + 1 - column).max(1));
    }
    let total: BigUint = weights.iter().map(|(_, w)| w).sum();
    let observed = weights.iter().find(|(k, _)| *k == a).map(|(_, w)| w.clone()).unwrap_or_default();
    let counted = weights.iter().filter(|(k, w)| match sides {
        Sides::TwoSided => *w <= observed,
        Sides::Greater => *k >= a,
        Sides::Less => *k <= a,
    });
    let count: BigUint = counted.map(|(_, w)| w).sum();
    let exact = Rational::new(BigInt::from(count), BigInt::from(total));
    Ok(Fisher { p: nearest_f64(&exact), exact })
}

/// The sample odds ratio of the first row against the second.
pub fn odds_ratio(table: Table) -> Result<OddsRatio, TableError> {
    units(table)?;
    let [[a, b], [c, d]] = table.map(|row| row.map(BigInt::from));
    let (above, below) = (a * d, b * c);
    Ok(match (above.is_zero(), below.is_zero()) {
        (true, true) => OddsRatio::Undefined,
        (false, true) => OddsRatio::Infinite,
        (_, false) => OddsRatio::Finite(nearest_f64(&Rational::new(above, below))),
    })
}

/// `McNemar`'s chi-square `(b - c)^2 / (b + c)` on the discordant counts, or Edwards' `(|b - c| - 1)^2 / (b + c)` with
/// `continuity`. The formula is taken as printed: at `b = c` the correction steps past zero and gives `1 / (b + c)`.
pub fn mcnemar_chi2(only_first: u64, only_second: u64, continuity: bool) -> Result<ChiSquare, TableError> {
    let below = u128::from(only_first) + u128::from(only_second);
    if below == 0 {
        return Err(TableError::NoDiscordantPair);
    }
    let distance = u128::from(only_first.abs_diff(only_second));
    let distance = if continuity { distance.abs_diff(1) } else { distance };
    let square = BigInt::from(distance) * BigInt::from(distance);
    let statistic = nearest_f64(&Rational::new(square, BigInt::from(below)));
    Ok(ChiSquare { statistic, p: chi2_sf(statistic, 1.0) })
}

/// The number of units, refused at zero.
fn units([[a, b], [c, d]]: Table) -> Result<u64, TableError> {
    let total = [a, b, c, d].iter().try_fold(0_u64, |sum, n| sum.checked_add(*n));
    match total.ok_or(TableError::TooManyUnits(None))? {
        0 => Err(TableError::Empty),
        units => Ok(units),
    }
}

fn binomial(n: u64, k: u64) -> BigUint {
    (0..k.min(n - k)).fold(BigUint::one(), |term, i| term * (n - i) / (i + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_tea_tasting() {
        // Of the C(8, 4) = 70 ways, 1 + 16 have three or more right.
        let fisher = fisher_exact([[3, 1], [1, 3]], Sides::Greater).unwrap();
        assert_eq!(fisher.exact, Rational::new(17.into(), 70.into()));
        let both = fisher_exact([[3, 1], [1, 3]], Sides::TwoSided).unwrap();
        assert_eq!(both.exact, Rational::new(34.into(), 70.into()));
        assert_eq!(odds_ratio([[3, 1], [1, 3]]), Ok(OddsRatio::Finite(9.0)));
    }

    #[test]
    fn empty_margins_and_tables() {
        assert_eq!(fisher_exact([[0; 2]; 2], Sides::TwoSided), Err(TableError::Empty));
        assert_eq!(fisher_exact([[5, 0], [7, 0]], Sides::TwoSided).unwrap().p.to_bits(), 1.0_f64.to_bits());
        assert_eq!(odds_ratio([[5, 0], [7, 0]]), Ok(OddsRatio::Undefined));
        assert_eq!(odds_ratio([[5, 0], [7, 1]]), Ok(OddsRatio::Infinite));
        assert_eq!(
            fisher_exact([[MOST_UNITS, 1], [0, 0]], Sides::Less),
            Err(TableError::TooManyUnits(Some(MOST_UNITS + 1)))
        );
        assert_eq!(odds_ratio([[u64::MAX, 1], [0, 0]]), Err(TableError::TooManyUnits(None)));
        assert_eq!(mcnemar_chi2(0, 0, true), Err(TableError::NoDiscordantPair));
        assert!(mcnemar_chi2(u64::MAX, 0, true).unwrap().statistic > 1e19);
    }

    proptest! {
        #[test]
        fn swapping_arms_or_outcomes_swaps_sides([a, b, c, d] in prop::array::uniform4(0_u64..9)) {
            prop_assume!(a + b + c + d > 0);
            let p = |table, sides| fisher_exact(table, sides).unwrap().exact;
            let table = [[a, b], [c, d]];
            prop_assert_eq!(p(table, Sides::Greater), p([[c, d], [a, b]], Sides::Less));
            prop_assert_eq!(p(table, Sides::Greater), p([[b, a], [d, c]], Sides::Less));
            prop_assert_eq!(p(table, Sides::TwoSided), p([[a, c], [b, d]], Sides::TwoSided));
            let both = p(table, Sides::TwoSided);
            prop_assert!(both <= Rational::one() && both > Rational::zero());
            // The two one-sided p share the observed table, and nothing else.
            let up_and_down = p(table, Sides::Greater) + p(table, Sides::Less);
            prop_assert!(up_and_down > Rational::one());
        }
    }
}
