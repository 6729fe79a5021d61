//! Wilcoxon's signed rank test, exact and by the normal approximation.
//!
//! Owns the mid-ranks of absolute differences, the three ways to treat zeros, and both p-values. Ranks are doubled, so that a
//! mid-rank is a whole number and no tie is ever broken by rounding; differences come as integers on one scale, or as doubles
//! whose equality is exact. Sources: Wilcoxon 1945; Pratt 1959 for zeros; Cureton 1967 for the moments under Pratt's treatment.

use std::fmt;

use super::sides::Sides;
use super::sign::{Dyadic, SignError, sign_flip};
use crate::math::special::normal_sf;

/// What becomes of differences that are zero. The choice changes p, so a plan names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Zeros {
    /// `wilcox`: leave them out before ranking.
    Wilcox,
    /// `pratt`: rank them with the others, then leave out their ranks.
    Pratt,
    /// `zsplit`: rank them with the others and give half of their ranks to each side. The normal approximation then counts
    /// their spread as well, as though their signs had been drawn; the exact test conditions on them and equals `pratt`.
    Zsplit,
}

/// Why a signed rank test has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankError {
    /// No differences were given.
    NoDifferences,
    /// All differences are zero, this many: none has a sign.
    AllZero(u64),
    /// The difference at this position, counted from 0, is not a finite number.
    NotFinite(usize),
    /// More than [`MOST_RANKED`] differences.
    TooMany(usize),
    /// The exact count is out of reach.
    Exact(SignError),
}

/// Most differences that are ranked: the sum of their squared doubled ranks then stays far below 2^128.
pub const MOST_RANKED: usize = 100_000_000;

impl fmt::Display for RankError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDifferences => f.write_str("there are no differences to rank; add tasks"),
            Self::AllZero(n) => write!(f, "all {n} differences are zero, so no rank has a sign and no test exists"),
            Self::NotFinite(at) => write!(
                f,
                "difference number {} is not a finite number and has no rank; a ratio with a zero cost needs a declared rule",
                at + 1
            ),
            Self::TooMany(n) => write!(f, "{n} differences exceed the {MOST_RANKED} that are ranked; use a paired t"),
            Self::Exact(error) => {
                write!(
                    f,
                    "the exact signed rank test is out of reach ({error}); declare the normal approximation instead"
                )
            }
        }
    }
}

impl std::error::Error for RankError {}

/// Differences reduced to signed ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedRanks {
    /// Twice the mid-rank of each difference that is not zero, with its sign, in the order given.
    doubled: Vec<i128>,
    /// Twice the mid-ranks of the zeros, summed, and the sum of their squares; both zero where zeros leave no rank behind.
    zero_ranks: i128,
    zero_squares: i128,
    zeros: u64,
}

/// The exact outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactRanks {
    /// The exact p: sign vectors at least as extreme, over two to the number of differences that are not zero.
    pub exact: Dyadic,
    /// `exact` as the nearest double.
    pub p: f64,
}

/// The outcome of the normal approximation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalRanks {
    /// The standardized rank sum, continuity-corrected where asked for; positive where differences above zero outweigh.
    pub z: f64,
    /// Its p.
    pub p: f64,
}

impl SignedRanks {
    /// Ranks integer differences on one common scale (for example task means times the number of attempts).
    pub fn of_scaled(differences: &[i128], zeros: Zeros) -> Result<Self, RankError> {
        let keyed = differences.iter().map(|d| (d.unsigned_abs(), d.signum())).collect();
        Self::of_keyed(keyed, zeros)
    }

    /// Ranks differences that are doubles by nature, such as logarithms of cost ratios. Two are tied only when their absolute
    /// values are equal to the last bit, so differences of means of counts belong in [`Self::of_scaled`].
    pub fn of_numbers(differences: &[f64], zeros: Zeros) -> Result<Self, RankError> {
        if let Some(at) = differences.iter().position(|d| !d.is_finite()) {
            return Err(RankError::NotFinite(at));
        }
        // The bits of a non-negative double order like its value.
        let sign = |d: &f64| i128::from(*d > 0.0) - i128::from(*d < 0.0);
        Self::of_keyed(differences.iter().map(|d| (u128::from(d.abs().to_bits()), sign(d))).collect(), zeros)
    }

    fn of_keyed(mut keyed: Vec<(u128, i128)>, treatment: Zeros) -> Result<Self, RankError> {
        if keyed.is_empty() {
            return Err(RankError::NoDifferences);
        }
        if keyed.len() > MOST_RANKED {
            return Err(RankError::TooMany(keyed.len()));
        }
        let zeros = keyed.iter().filter(|(_, sign)| *sign == 0).count();
        if zeros == keyed.len() {
            return Err(RankError::AllZero(zeros as u64));
        }
        if treatment == Zeros::Wilcox {
            keyed.retain(|(_, sign)| *sign != 0);
        }
        let mut order: Vec<(u128, usize)> = keyed.iter().map(|(size, _)| *size).zip(0..).collect();
        order.sort_unstable();
        let mut ranked = vec![0_i128; keyed.len()];
        let mut below = 0_i128;
        for tied in order.chunk_by(|a, b| a.0 == b.0) {
            let count = tied.len() as i128;
            // Ranks below + 1 to below + count: twice their mean is first plus last.
            let doubled = 2 * below + count + 1;
            for (_, place) in tied {
                if let Some(slot) = ranked.get_mut(*place) {
                    *slot = doubled;
                }
            }
            below += count;
        }
        let split = || ranked.iter().zip(&keyed).filter(|(_, (_, sign))| treatment == Zeros::Zsplit && *sign == 0);
        Ok(Self {
            zero_ranks: split().map(|(rank, _)| rank).sum(),
            zero_squares: split().map(|(rank, _)| rank * rank).sum(),
            doubled: ranked.iter().zip(&keyed).map(|(rank, (_, sign))| rank * sign).filter(|r| *r != 0).collect(),
            zeros: zeros as u64,
        })
    }

    /// How many differences are not zero.
    #[must_use]
    pub fn signed(&self) -> usize {
        self.doubled.len()
    }

    /// How many differences are zero.
    #[must_use]
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// The rank sum of the differences above zero (R's `V`), with half of the zeros' ranks under [`Zeros::Zsplit`].
    #[must_use]
    pub fn plus(&self) -> f64 {
        self.side(1)
    }

    /// The rank sum of the differences below zero, with half of the zeros' ranks under [`Zeros::Zsplit`].
    #[must_use]
    pub fn minus(&self) -> f64 {
        self.side(-1)
    }

    fn side(&self, sign: i128) -> f64 {
        let own: i128 = self.doubled.iter().map(|rank| (rank * sign).max(0)).sum();
        real(2 * own + self.zero_ranks) / 4.0
    }

    /// The exact p given the ranks: all ways to sign them are equally likely, ties included. Refused where the table of rank
    /// sums would exceed the limits of [`sign_flip`], at about a thousand differences.
    pub fn exact(&self, sides: Sides) -> Result<ExactRanks, RankError> {
        let flipped = sign_flip(&self.doubled, sides).map_err(RankError::Exact)?;
        Ok(ExactRanks { p: flipped.p, exact: flipped.exact })
    }

    /// The normal approximation with variance corrected for ties; `continuity` moves the rank sum half a rank towards its mean.
    ///
    /// With doubled ranks `r`, `z = (sum of signed r - 2c) / sqrt(sum of r^2)`, `c` being 0 or the sign of the departure tested
    /// for. The usual formula with tie correction is the same number.
    #[must_use]
    pub fn normal(&self, sides: Sides, continuity: bool) -> NormalRanks {
        let surplus: i128 = self.doubled.iter().sum();
        let squares: i128 = self.doubled.iter().map(|rank| rank * rank).sum::<i128>() + self.zero_squares;
        let towards = match sides {
            Sides::TwoSided => surplus.signum(),
            Sides::Greater => 1,
            Sides::Less => -1,
        };
        let corrected = if continuity { surplus - 2 * towards } else { surplus };
        let z = real(corrected) / real(squares).sqrt();
        let p = match sides {
            Sides::TwoSided => (2.0 * normal_sf(z.abs())).min(1.0),
            Sides::Greater => normal_sf(z),
            Sides::Less => normal_sf(-z),
        };
        NormalRanks { z, p }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rank sums are exact below 2^53, and sums of squares rounded once")]
fn real(value: i128) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zeros_are_treated_as_named() {
        // Absolute values 0 0 1 1 3: doubled mid-ranks 3 3 7 7 10 with zeros ranked, 3 3 6 without.
        let d = [0, 1, -1, 3, 0];
        let sums = |zeros| {
            let ranks = SignedRanks::of_scaled(&d, zeros).unwrap();
            (ranks.plus(), ranks.minus(), ranks.signed(), ranks.zeros())
        };
        assert_eq!(sums(Zeros::Wilcox), (4.5, 1.5, 3, 2));
        assert_eq!(sums(Zeros::Pratt), (8.5, 3.5, 3, 2));
        assert_eq!(sums(Zeros::Zsplit), (10.0, 5.0, 3, 2));
    }

    #[test]
    fn refuses_what_cannot_be_ranked() {
        assert_eq!(SignedRanks::of_scaled(&[], Zeros::Pratt), Err(RankError::NoDifferences));
        assert_eq!(SignedRanks::of_scaled(&[0, 0], Zeros::Pratt), Err(RankError::AllZero(2)));
        assert_eq!(SignedRanks::of_numbers(&[1.0, f64::NAN], Zeros::Pratt), Err(RankError::NotFinite(1)));
        let many: Vec<i128> = (1..=3_000).collect();
        let ranks = SignedRanks::of_scaled(&many, Zeros::Wilcox).unwrap();
        assert!(matches!(ranks.exact(Sides::Greater), Err(RankError::Exact(_))));
        assert!(ranks.normal(Sides::Greater, true).p < 1e-300);
    }

    proptest! {
        #[test]
        fn turning_all_signs_turns_the_sides(d in prop::collection::vec(-6_i128..7, 1..14), pick in 0..3) {
            prop_assume!(d.iter().any(|x| *x != 0));
            let zeros = [Zeros::Wilcox, Zeros::Pratt, Zeros::Zsplit][usize::try_from(pick).unwrap()];
            let turned: Vec<i128> = d.iter().map(|x| -x).collect();
            let (a, b) = (SignedRanks::of_scaled(&d, zeros).unwrap(), SignedRanks::of_scaled(&turned, zeros).unwrap());
            for (one, other) in [(Sides::Greater, Sides::Less), (Sides::TwoSided, Sides::TwoSided)] {
                prop_assert_eq!(a.exact(one).unwrap(), b.exact(other).unwrap());
                prop_assert_eq!(a.normal(one, true).p.to_bits(), b.normal(other, true).p.to_bits());
            }
            let p = a.exact(Sides::TwoSided).unwrap().p;
            prop_assert!(p > 0.0 && p <= 1.0);
            let (up, down) = (a.exact(Sides::Greater).unwrap().p, a.exact(Sides::Less).unwrap().p);
            prop_assert!(up + down >= 1.0);
            prop_assert!((p - (2.0 * up.min(down)).min(1.0)).abs() < 1e-15);
            let numbers: Vec<f64> = d.iter().map(|x| f64::from(i8::try_from(*x).unwrap()) / 8.0).collect();
            prop_assert_eq!(&a, &SignedRanks::of_numbers(&numbers, zeros).unwrap());
        }

        #[test]
        fn differences_of_one_size_make_it_a_sign_test(plus in 0_u64..12, minus in 0_u64..12) {
            prop_assume!(plus + minus > 0);
            let d: Vec<i128> = (0..plus).map(|_| 5).chain((0..minus).map(|_| -5)).collect();
            let ranks = SignedRanks::of_scaled(&d, Zeros::Wilcox).unwrap();
            for sides in [Sides::TwoSided, Sides::Greater, Sides::Less] {
                let sign = crate::stats::sign::sign_p(plus, minus, sides).unwrap();
                prop_assert_eq!(ranks.exact(sides).unwrap().p.to_bits(), sign.to_f64().to_bits());
            }
        }
    }
}
