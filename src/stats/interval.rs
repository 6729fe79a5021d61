//! A two-sided interval: two limits and the level they were drawn at.
//!
//! Owns the one shape every interval of this crate has; it draws none and knows no method.

use super::undefined::Undefined;

/// Limits `lower <= upper` in the unit of the quantity, drawn at `level`, such as 0.95.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub lower: f64,
    /// Upper limit.
    pub upper: f64,
    /// The confidence (or posterior) level, strictly between 0 and 1.
    pub level: f64,
}

impl Interval {
    /// Whether `value` lies between the limits, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Upper limit minus lower limit.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// The same interval with both limits moved into `[least, most]`: for a quantity that cannot lie outside.
    #[must_use]
    pub(crate) fn within(self, least: f64, most: f64) -> Self {
        Self { lower: self.lower.clamp(least, most), upper: self.upper.clamp(least, most), ..self }
    }
}

/// The probability left above the upper limit, `(1 - level) / 2`. A level outside (0, 1) is [`Undefined::OutOfRange`].
pub(crate) fn upper_tail(level: f64) -> Result<f64, Undefined> {
    if level > 0.0 && level < 1.0 { Ok(0.5 * (1.0 - level)) } else { Err(Undefined::OutOfRange) }
}

#[cfg(test)]
mod tests {
    use super::{Interval, upper_tail};
    use crate::stats::undefined::Undefined;

    #[test]
    fn limits_belong_to_the_interval() {
        let interval = Interval { lower: -0.5, upper: 1.5, level: 0.9 };
        assert!(interval.contains(-0.5) && interval.contains(1.5) && !interval.contains(1.6));
        assert!(!interval.contains(f64::NAN));
        assert!((interval.width() - 2.0).abs() < 1e-15);
        assert_eq!(interval.within(0.0, 1.0), Interval { lower: 0.0, upper: 1.0, level: 0.9 });
    }

    #[test]
    fn a_level_lies_strictly_between_0_and_1() {
        assert!((upper_tail(0.5).unwrap() - 0.25).abs() < 1e-15);
        for level in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(upper_tail(level), Err(Undefined::OutOfRange));
        }
    }
}
