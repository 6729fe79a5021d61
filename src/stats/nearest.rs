//! The `f64` nearest to an exact quotient of integers, ties to even: one correct rounding, whatever the sizes.
//!
//! Owns that rounding only; it never approximates an intermediate result.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// Integers up to this size (2^53) are exact in `f64`.
const EXACT: u128 = 1 << 53;

/// The nearest `f64` to `numerator / 10^numerator_scale` divided by `denominator / 10^denominator_scale`.
/// `None` when the denominator is zero, or the quotient is too large for an `f64`.
#[must_use]
pub fn nearest_quotient(
    numerator: i128,
    numerator_scale: u32,
    denominator: i128,
    denominator_scale: u32,
) -> Option<f64> {
    if denominator == 0 {
        return None;
    }
    let negative = (numerator < 0) != (denominator < 0);
    let (top, bottom) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    // (top / 10^a) / (bottom / 10^b) = top 10^(b-a) / bottom: only the difference of the scales matters.
    let top_power = denominator_scale.saturating_sub(numerator_scale);
    let bottom_power = numerator_scale.saturating_sub(denominator_scale);
    let magnitude = match (small(top, top_power), small(bottom, bottom_power)) {
        (Some(top), Some(bottom)) => top / bottom,
        _ => divide(scaled(top, top_power), scaled(bottom, bottom_power))?,
    };
    Some(if negative && magnitude > 0.0 { -magnitude } else { magnitude })
}

/// The nearest `f64` to `value / 10^scale`.
#[must_use]
pub fn nearest_decimal(value: i128, scale: u32) -> Option<f64> {
    nearest_quotient(value, scale, 1, 0)
}

/// `value * 10^power` when it is exact in `f64`.
fn small(value: u128, power: u32) -> Option<f64> {
    let product = value.checked_mul(10u128.checked_pow(power)?)?;
    #[expect(clippy::cast_precision_loss, reason = "integers up to 2^53 convert exactly")]
    let exact = (product <= EXACT).then_some(product as f64);
    exact
}

fn scaled(value: u128, power: u32) -> BigUint {
    BigUint::from(value) * BigUint::from(10u32).pow(power)
}

/// Long division to 55 or 56 bits with a sticky last bit, which the final conversion rounds correctly to 53.
pub(super) fn divide(top: BigUint, bottom: BigUint) -> Option<f64> {
    if top.is_zero() {
        return Some(0.0);
    }
    let shift = 56 + i64::try_from(bottom.bits()).ok()? - i64::try_from(top.bits()).ok()?;
    let up = u64::try_from(shift.max(0)).ok()?;
    let down = u64::try_from((-shift).max(0)).ok()?;
    let (quotient, remainder) = (top << up).div_rem(&(bottom << down));
    let sticky = if remainder.is_zero() { BigUint::zero() } else { BigUint::one() };
    let bits = (quotient | sticky).to_u64()?;
    #[expect(clippy::cast_precision_loss, reason = "this conversion is the one intended rounding")]
    let mantissa = bits as f64;
    let value = libm::ldexp(mantissa, i32::try_from(-shift).ok()?);
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{nearest_decimal, nearest_quotient};

    #[test]
    fn decimals_round_like_the_parser_of_the_standard_library() {
        for (value, scale, text) in [
            (1_i128, 1, "0.1"),
            (-123_456_789_012_345_678_901_234_567_890, 12, "-123456789012345678.901234567890"),
            (i128::MAX, 38, "1.70141183460469231731687303715884105727"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
            (9_007_199_254_740_993, 0, "9007199254740993"),
            (9_007_199_254_740_995, 0, "9007199254740995"),
            (0, 7, "0"),
        ] {
            let parsed: f64 = text.parse().unwrap();
            assert_eq!(nearest_decimal(value, scale).unwrap().to_bits(), parsed.to_bits(), "{text}");
        }
    }

    #[test]
    fn a_zero_denominator_has_no_quotient() {
        assert_eq!(nearest_quotient(1, 0, 0, 3), None);
        assert_eq!(nearest_quotient(0, 0, 0, 0), None);
    }

    proptest::proptest! {
        #[test]
        fn any_decimal_rounds_correctly(value in proptest::num::i128::ANY, scale in 0u32..38) {
            let parsed: f64 = format!("{value}e-{scale}").parse().unwrap();
            proptest::prop_assert_eq!(nearest_decimal(value, scale).unwrap().to_bits(), parsed.to_bits());
        }

        #[test]
        fn scales_cancel(top in -1_000_000i128..1_000_000, bottom in 1i128..1_000_000, a in 0u32..30, b in 0u32..30) {
            let plain = nearest_quotient(top, a, bottom, b).unwrap();
            let shifted = nearest_quotient(top, a + 5, bottom, b + 5).unwrap();
            proptest::prop_assert_eq!(plain.to_bits(), shifted.to_bits());
        }
    }
}
