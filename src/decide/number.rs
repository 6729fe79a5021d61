//! Arithmetic and comparison of evidence: exact as long as every part is exact. Owns the one place where an exact number becomes
//! a binary one.

use std::cmp::Ordering;

use num_traits::{Signed, Zero};

use super::judgment::{Figure, Number};
use crate::math::{Rational, exact};
use crate::spec::ArithmeticOp;
use crate::stats::undefined::Undefined;

impl Number {
    /// The nearest `f64`.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Exact(value) => exact::nearest_f64(value),
            Self::Float(value) => *value,
        }
    }

    /// Exact numbers compare exactly; a binary number compares with the nearest binary number of the other side, so that a
    /// limit computed as 1/10 stands at a bar of 10 pp and not beside it. `None` when either is not a number.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Exact(left), Self::Exact(right)) => Some(left.cmp(right)),
            (Self::Exact(_) | Self::Float(_), Self::Exact(_) | Self::Float(_)) => {
                self.to_f64().partial_cmp(&other.to_f64())
            }
        }
    }

    /// Minus the number.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(-value),
            Self::Float(value) => Self::Float(-value),
        }
    }

    /// Its absolute value.
    #[must_use]
    pub fn absolute(&self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(value.abs()),
            Self::Float(value) => Self::Float(value.abs()),
        }
    }

    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self::Exact(Rational::zero())
    }
}

/// `left op right`. Division by zero, or a result that is no finite number, has no value.
pub(super) fn combine(left: &Number, op: ArithmeticOp, right: &Number) -> Figure {
    if let (Number::Exact(left), Number::Exact(right)) = (left, right) {
        return match op {
            ArithmeticOp::Add => Ok(Number::Exact(left + right)),
            ArithmeticOp::Subtract => Ok(Number::Exact(left - right)),
            ArithmeticOp::Multiply => Ok(Number::Exact(left * right)),
            ArithmeticOp::Divide if right.is_zero() => Err(Undefined::ZeroDenominator.to_string()),
            ArithmeticOp::Divide => Ok(Number::Exact(left / right)),
        };
    }
    let (left, right) = (left.to_f64(), right.to_f64());
    let value = match op {
        ArithmeticOp::Add => left + right,
        ArithmeticOp::Subtract => left - right,
        ArithmeticOp::Multiply => left * right,
        ArithmeticOp::Divide if right == 0.0 => return Err(Undefined::ZeroDenominator.to_string()),
        ArithmeticOp::Divide => left / right,
    };
    if value.is_finite() { Ok(Number::Float(value)) } else { Err(Undefined::NotFinite.to_string()) }
}

/// The largest (or smallest) of several numbers; there must be one.
pub(super) fn extreme(numbers: &[Number], largest: bool) -> Figure {
    let mut numbers = numbers.iter();
    let first = numbers.next().ok_or_else(|| Undefined::NoRecords.to_string())?;
    let wanted = if largest { Ordering::Greater } else { Ordering::Less };
    let better = |best: Number, next: &Number| {
        if next.compare(&best) == Some(wanted) { next.clone() } else { best }
    };
    Ok(numbers.fold(first.clone(), better))
}
