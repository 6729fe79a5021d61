//! Sums of doubles and of products of doubles without rounding, so that a total depends neither on the order of its terms nor on
//! whether a term came once with a multiplicity or was repeated. Owns the accumulator and its one rounding at the end.
//!
//! A total is a whole number of units of 2^-2148, the last place of a product of two doubles, kept in signed words of 32 bits whose
//! carries are settled late. Source: the long accumulator of Kulisch, "Computer Arithmetic and Validity", 2008, chapter 8.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero as _;

use super::nearest::divide;
use super::undefined::Undefined;

/// The unit is 2^-UNIT: twice the 1074 places of the smallest double.
const UNIT: u64 = 2148;
/// A product lies below 2^2048 = 2^(2148 + 2048) units, 132 words; the rest holds 2^60 of them with multiplicities.
const WORDS: usize = 136;
const WORD_BITS: u64 = 32;
const WORD_MASK: u128 = 0xffff_ffff;
/// A word changes by less than 2^32 at a time, so after this many changes it still fits in 63 bits.
const CHANGES_BEFORE_CARRY: u32 = 1 << 29;

/// An exact running total.
#[derive(Debug, Clone)]
pub struct ExactSum {
    words: [i64; WORDS],
    changes: u32,
    finite: bool,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { words: [0; WORDS], changes: 0, finite: true }
    }
}

impl ExactSum {
    /// The exact total of `values`.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let mut sum = Self::default();
        for value in values {
            sum.add(*value, 1);
        }
        sum
    }

    /// The exact total of `values`, each taken as often as its multiplicity says; the shorter slice ends it.
    #[must_use]
    pub fn weighted(values: &[f64], multiplicities: &[u16]) -> Self {
        let mut sum = Self::default();
        for (value, times) in values.iter().zip(multiplicities) {
            sum.add(*value, *times);
        }
        sum
    }

    /// Adds `value`, `times` times. A value that is not finite makes every result undefined.
    pub fn add(&mut self, value: f64, times: u16) {
        if times == 0 {
            return;
        }
        self.finite &= value.is_finite();
        let (mantissa, place) = parts(value);
        self.add_at(u128::from(mantissa) * u128::from(times), place + UNIT / 2, value.is_sign_negative());
    }

    /// Adds `left * right`, not rounded, `times` times.
    pub fn add_product(&mut self, left: f64, right: f64, times: u16) {
        if times == 0 {
            return;
        }
        self.finite &= left.is_finite() && right.is_finite();
        let ((a, a_place), (b, b_place)) = (parts(left), parts(right));
        let (product, place) = (u128::from(a) * u128::from(b), a_place + b_place);
        let negative = left.is_sign_negative() != right.is_sign_negative();
        // Two halves, so that neither overflows when multiplied and shifted by up to 31 places.
        self.add_at((product & u128::from(u64::MAX)) * u128::from(times), place, negative);
        self.add_at((product >> 64) * u128::from(times), place + 64, negative);
    }

    /// Adds an integer of at most 80 bits, times 2^place units.
    fn add_at(&mut self, magnitude: u128, place: u64, negative: bool) {
        let mut rest = magnitude << (place % WORD_BITS);
        let first = usize::try_from(place / WORD_BITS).unwrap_or(WORDS);
        for word in self.words.iter_mut().skip(first) {
            if rest == 0 {
                break;
            }
            let part = i64::try_from(rest & WORD_MASK).unwrap_or_default();
            *word += if negative { -part } else { part };
            rest >>= WORD_BITS;
        }
        self.changes += 1;
        if self.changes >= CHANGES_BEFORE_CARRY {
            self.carry();
        }
    }

    /// Brings every word but the last into 0..2^32, without changing the total.
    fn carry(&mut self) {
        let mut carried = 0_i64;
        let count = self.words.len();
        for (position, word) in self.words.iter_mut().enumerate() {
            let value = *word + carried;
            carried = value >> WORD_BITS;
            *word = if position + 1 < count { value - (carried << WORD_BITS) } else { value };
        }
        self.changes = 0;
    }

    /// The total in units of 2^-2148. Undefined when a value was not finite.
    pub fn units(&self) -> Result<BigInt, Undefined> {
        if !self.finite {
            return Err(Undefined::NotFinite);
        }
        let mut settled = self.clone();
        settled.carry();
        let (top, low) = settled.words.split_last().ok_or(Undefined::NoRecords)?;
        let digits = low.iter().map(|word| u32::try_from(*word).unwrap_or_default()).collect();
        let shift = WORD_BITS * u64::try_from(low.len()).unwrap_or_default();
        Ok(BigInt::from_biguint(Sign::Plus, BigUint::new(digits)) + (BigInt::from(*top) << shift))
    }

    /// The double nearest to the total.
    pub fn total(&self) -> Result<f64, Undefined> {
        nearest_ratio(&self.units()?, &(BigInt::from(1) << UNIT))
    }

    /// The double nearest to the total divided by `count`.
    pub fn mean(&self, count: u64) -> Result<f64, Undefined> {
        nearest_ratio(&self.units()?, &(BigInt::from(count) << UNIT))
    }

    /// The double nearest to this total divided by another.
    pub fn over(&self, other: &Self) -> Result<f64, Undefined> {
        nearest_ratio(&self.units()?, &other.units()?)
    }
}

/// One in the units of [`ExactSum::units`].
#[must_use]
pub fn one() -> BigInt {
    BigInt::from(1) << UNIT
}

/// The double nearest to `top / bottom`. Undefined when `bottom` is zero or the quotient exceeds every double.
pub fn nearest_ratio(top: &BigInt, bottom: &BigInt) -> Result<f64, Undefined> {
    if bottom.is_zero() {
        return Err(Undefined::ZeroDenominator);
    }
    let negative = (top.sign() == Sign::Minus) != (bottom.sign() == Sign::Minus);
    // Common factors of two only lengthen the division.
    let twos = top.trailing_zeros().unwrap_or(u64::MAX).min(bottom.trailing_zeros().unwrap_or_default());
    let magnitude = divide(top.magnitude() >> twos, bottom.magnitude() >> twos).ok_or(Undefined::NotFinite)?;
    Ok(if negative && magnitude > 0.0 { -magnitude } else { magnitude })
}

/// The integer and the place of its last bit above 2^-1074 that make up a double; the sign is apart.
fn parts(value: f64) -> (u64, u64) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    match exponent {
        0 => (fraction, 0),
        0x7ff => (0, 0),
        _ => (fraction | (1 << 52), exponent - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::ExactSum;
    use crate::math::exact::{from_f64, nearest_f64};
    use crate::stats::undefined::Undefined;
    use num_traits::Zero as _;

    #[test]
    fn nothing_is_lost_to_cancellation() {
        assert_eq!(ExactSum::of(&[1e308, 1.0, 1e-300, -1e308, -1.0]).total(), Ok(1e-300));
        assert_eq!(ExactSum::of(&[0.1; 10]).total(), Ok(1.0));
        assert_eq!(ExactSum::of(&[f64::MAX, f64::MAX]).total(), Err(Undefined::NotFinite));
        assert_eq!(ExactSum::of(&[f64::MAX, f64::MAX]).mean(2), Ok(f64::MAX));
        assert_eq!(ExactSum::of(&[f64::INFINITY]).total(), Err(Undefined::NotFinite));
        assert_eq!(ExactSum::of(&[]).total(), Ok(0.0));
        assert_eq!(ExactSum::of(&[]).mean(0), Err(Undefined::ZeroDenominator));
        let mut products = ExactSum::default();
        products.add_product(5e-324, 5e-324, 3);
        products.add_product(f64::MAX, f64::MIN, u16::MAX);
        products.add_product(f64::MAX, f64::MAX, u16::MAX);
        let mut same = ExactSum::default();
        same.add_product(5e-324, 5e-324, 1);
        assert_eq!(products.over(&same), Ok(3.0));
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_exact_rationals(
            terms in proptest::collection::vec((proptest::num::f64::NORMAL, proptest::num::f64::ANY, 0u16..), 0..12),
        ) {
            let mut sum = ExactSum::default();
            let mut expected = crate::math::Rational::zero();
            for (value, other, times) in terms {
                // Scaled down, so that the total stays a double; subnormal numbers occur among the others.
                let (value, other) = (value / 1e160, if other.is_finite() { other / 1e160 } else { -0.0 });
                sum.add(value, times);
                sum.add_product(value, other, times);
                let (value, other) = (from_f64(value).unwrap(), from_f64(other).unwrap());
                let times = crate::math::Rational::from_integer(times.into());
                expected += (&value + &value * other) * times;
            }
            let got = sum.total().unwrap();
            // Below the smallest normal number two roundings may differ from one.
            if got.abs() >= f64::MIN_POSITIVE {
                proptest::prop_assert_eq!(got.to_bits(), nearest_f64(&expected).to_bits());
            }
        }
    }
}
