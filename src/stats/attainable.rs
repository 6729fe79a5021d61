//! The smallest p each test can reach at a given size: what a plan must know before the money is spent.
//!
//! Owns these bounds only. A test whose bound exceeds its adjusted level can never give a verdict, whatever the data say.

use num_bigint::BigUint;

use super::sides::Sides;
use super::sign::Dyadic;

/// A test together with what limits its p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Sign test with this many differences that are not zero.
    SignTest(u64),
    /// Exact sign-flip test with this many differences that are not zero.
    SignFlip(u64),
    /// `McNemar`'s exact test with this many discordant pairs.
    McnemarExact(u64),
    /// `McNemar`'s mid-p test with this many discordant pairs; it exists two-sided only.
    McnemarMidP(u64),
    /// A permutation test with this many random draws, the observed arrangement counted as one more.
    Permutation {
        /// Random draws.
        draws: u64,
    },
    /// Paired t with any number of differences from two on.
    PairedT,
}

/// The smallest p the test can give, 1 when there is nothing to count.
///
/// The sign tests have `2^n` equally likely sign vectors, the most extreme of which counts once per side: `2^-n`, twice that
/// two-sided, and half of that again for mid-p. A permutation test can go down to `1/(draws + 1)`. A paired t has no lower bound.
#[must_use]
pub fn smallest_p(test: Reach, sides: Sides) -> f64 {
    match test {
        Reach::SignTest(n) | Reach::SignFlip(n) | Reach::McnemarExact(n) => power_of_half(match sides {
            Sides::TwoSided => n.saturating_sub(1),
            Sides::Greater | Sides::Less => n,
        }),
        Reach::McnemarMidP(n) => power_of_half(n),
        Reach::Permutation { draws } => 1.0 / (real(draws) + 1.0),
        Reach::PairedT => 0.0,
    }
}

/// The fewest nonzero differences at which a sign-flip or sign test can reach `alpha / comparisons`, the first step of Holm.
///
/// `None` when the level is not strictly between 0 and 1, or too small for any double.
#[must_use]
pub fn fewest_nonzero_differences(alpha: f64, comparisons: u64, sides: Sides) -> Option<u64> {
    if !(alpha > 0.0 && alpha < 1.0) || comparisons == 0 {
        return None;
    }
    // p times the number of comparisons is what is compared with alpha, exactly as Holm does.
    (1..=1074).find(|&n| smallest_p(Reach::SignFlip(n), sides) * real(comparisons) <= alpha)
}

fn power_of_half(exponent: u64) -> f64 {
    Dyadic::new(BigUint::from(1_u8), exponent).to_f64()
}

#[expect(clippy::cast_precision_loss, reason = "beyond 2^53 draws the nearest double serves")]
fn real(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
