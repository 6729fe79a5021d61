//! Exact tests on signs: the sign test, the sign-flip (randomization) test and `McNemar`'s test.
//!
//! Owns the exact counting; every p is a whole number of outcomes over a power of two, counted without rounding and converted
//! to the nearest double once, at the end. It does not scale differences to integers: the caller does.

mod dyadic;
mod flip;
mod halves;

use std::fmt;

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::sides::Sides;
pub use dyadic::Dyadic;
pub use flip::{FlipResult, MOST_LIMB_ADDITIONS, MOST_LIMBS, sign_flip};
pub use halves::MOST_HALVED_SIGNS;

/// Why an exact test has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignError {
    /// No differences were given.
    NoDifferences,
    /// All differences are zero, this many: no sign is left to count.
    AllTied(u64),
    /// The number of signs exceeds what exact sums are allowed to take.
    TooManySigns {
        /// Signs given.
        signs: u64,
        /// Signs allowed.
        limit: u64,
    },
    /// The table of reachable sums would be too large, and there are too many differences for lists of sums.
    TableTooLarge {
        /// 64-bit words the table needs (its sum range times the words per count); `u128::MAX` stands for "more than that".
        words: u128,
        /// Words allowed.
        limit: u128,
    },
    /// The table would fit, but filling it would take too many steps.
    TooManySteps {
        /// Word additions needed.
        steps: u128,
        /// Word additions allowed.
        limit: u128,
    },
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDifferences => f.write_str("there are no differences to test; add tasks"),
            Self::AllTied(n) => write!(f, "all {n} differences are zero, so no sign is left to count"),
            Self::TooManySigns { signs, limit } => write!(
                f,
                "{signs} signs exceed the {limit} that exact sums are allowed to take; use a paired t at this size"
            ),
            Self::TableTooLarge { words, limit } => write!(
                f,
                "the table of reachable sums needs {words} words of 64 bits and {limit} are allowed; use a coarser common \
                 scale, or a permutation test with a stated number of draws"
            ),
            Self::TooManySteps { steps, limit } => write!(
                f,
                "the table of reachable sums takes {steps} steps to fill and {limit} are allowed; use a coarser common \
                 scale, or a permutation test with a stated number of draws"
            ),
        }
    }
}

impl std::error::Error for SignError {}

/// Most signs the sign test and `McNemar`'s test accept: the exact sums stay below about a second.
pub const MOST_SIGNS: u64 = 20_000;

/// Outcome of the sign test.
#[derive(Clone, Debug, PartialEq)]
pub struct SignTest {
    /// Differences above zero.
    pub positive: u64,
    /// Differences below zero.
    pub negative: u64,
    /// Differences equal to zero, left out of the count as the sign test requires.
    pub ties: u64,
    /// The exact p.
    pub exact: Dyadic,
    /// `exact` as the nearest double.
    pub p: f64,
}

/// The exact sign test on the signs of `differences`: binomial with probability one half, ties dropped and counted.
pub fn sign_test(differences: &[i128], sides: Sides) -> Result<SignTest, SignError> {
    if differences.is_empty() {
        return Err(SignError::NoDifferences);
    }
    let (mut positive, mut negative, mut ties) = (0_u64, 0_u64, 0_u64);
    for d in differences {
        *match d.signum() {
            1 => &mut positive,
            -1 => &mut negative,
            _ => &mut ties,
        } += 1;
    }
    if positive + negative == 0 {
        return Err(SignError::AllTied(ties));
    }
    let exact = sign_p(positive, negative, sides)?;
    Ok(SignTest { positive, negative, ties, p: exact.to_f64(), exact })
}

/// p of `positive` against `negative` signs when each is equally likely; two-sided doubles the smaller tail, capped at 1.
pub fn sign_p(positive: u64, negative: u64, sides: Sides) -> Result<Dyadic, SignError> {
    let n = checked_total(positive, negative)?;
    let count = match sides {
        Sides::TwoSided => two_sided_count(n, positive.min(negative)),
        Sides::Greater => at_most(n, negative).0,
        Sides::Less => at_most(n, positive).0,
    };
    Ok(Dyadic::new(count, n))
}

/// `McNemar`'s exact and mid-p tests on the discordant counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Mcnemar {
    /// Pairs where only the first succeeded.
    pub only_first: u64,
    /// Pairs where only the second succeeded.
    pub only_second: u64,
    /// Two-sided exact p.
    pub exact_p: f64,
    /// Two-sided mid-p: the observed table counts half on each side.
    pub mid_p: f64,
}

/// `McNemar`'s test. With no discordant pair both p are 1: the data cannot tell the two apart.
pub fn mcnemar(only_first: u64, only_second: u64) -> Result<Mcnemar, SignError> {
    let n = checked_total(only_first, only_second)?;
    let (tail, last) = at_most(n, only_first.min(only_second));
    let exact = Dyadic::new(two_sided_count(n, only_first.min(only_second)), n);
    // Twice (tail - half the last term), which never exceeds 1.
    let mid = Dyadic::new((tail << 1_u8) - last, n);
    Ok(Mcnemar { only_first, only_second, exact_p: exact.to_f64(), mid_p: mid.to_f64() })
}

fn checked_total(a: u64, b: u64) -> Result<u64, SignError> {
    let signs = a.saturating_add(b);
    if signs > MOST_SIGNS { Err(SignError::TooManySigns { signs, limit: MOST_SIGNS }) } else { Ok(signs) }
}

fn two_sided_count(n: u64, smaller: u64) -> BigUint {
    (at_most(n, smaller).0 << 1_u8).min(BigUint::one() << n)
}

/// How many of the `2^n` sign vectors have at most `k` plus signs, and how many have exactly `k`.
fn at_most(n: u64, k: u64) -> (BigUint, BigUint) {
    let mut term = BigUint::one();
    let mut sum = BigUint::zero();
    for i in 0..=k {
        if i > 0 {
            // C(n, i) = C(n, i-1) (n-i+1)/i, and the division is exact.
            term = term * (n - i + 1) / i;
        }
        sum += &term;
    }
    (sum, term)
}

#[cfg(test)]
mod tests;
