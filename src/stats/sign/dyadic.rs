//! Exact probabilities of the form count / 2^n.

use num_bigint::BigUint;
use num_traits::{ToPrimitive as _, Zero as _};

/// The probability `count / 2^exponent`, kept exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dyadic {
    count: BigUint,
    exponent: u64,
}

impl Dyadic {
    /// The probability `count / 2^exponent`.
    #[must_use]
    pub fn new(count: BigUint, exponent: u64) -> Self {
        Self { count, exponent }
    }

    /// How many of the equally likely outcomes count.
    #[must_use]
    pub fn count(&self) -> &BigUint {
        &self.count
    }

    /// The base-2 logarithm of how many outcomes there are.
    #[must_use]
    pub fn exponent(&self) -> u64 {
        self.exponent
    }

    /// The nearest double, ties to even, subnormal numbers included.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        if self.count.is_zero() {
            return 0.0;
        }
        // Drop bits beyond the 53 of the significand, and beyond 2^-1074, the last place a double has.
        let beyond_significand = self.count.bits().saturating_sub(53);
        let beyond_range = self.exponent.saturating_sub(1074);
        let drop = beyond_significand.max(beyond_range);
        if drop > self.count.bits() {
            return 0.0;
        }
        let kept = &self.count >> drop;
        let rest = &self.count - (&kept << drop);
        let half = if drop == 0 { BigUint::zero() } else { BigUint::from(1_u8) << (drop - 1) };
        let up = drop > 0 && (rest > half || (rest == half && kept.bit(0)));
        let kept = if up { kept + 1_u8 } else { kept };
        // At most 2^53, so both conversions are exact, and `scalbn` only moves the exponent.
        let significand = kept.to_u64().map_or(f64::INFINITY, exact);
        let power = i128::from(drop) - i128::from(self.exponent);
        libm::scalbn(significand, i32::try_from(power).unwrap_or(if power < 0 { i32::MIN } else { i32::MAX }))
    }
}

#[expect(clippy::cast_precision_loss, reason = "the value is at most 2^53")]
fn exact(value: u64) -> f64 {
    value as f64
}
