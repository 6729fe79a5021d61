//! Ratios of positive quantities over matched units, such as costs: the geometric mean ratio and the ratio of means.
//!
//! These are two different quantities, and this module keeps them apart. [`LogRatio`] is the mean of log(first / second) over
//! units, whose exponential is a geometric mean ratio: every unit weighs the same, and a zero has no logarithm. [`Means`] is
//! mean(first) / mean(second), which for matched units is the ratio of the totals: dear units weigh more, zeros are welcome, and
//! Fieller's set may be unbounded when the second mean is not clearly away from zero.
//!
//! Sources: Schuirmann 1987 for two one-sided tests; Fieller, JRSS B 16, 1954.

use std::fmt;

use super::interval::Interval;
use super::paired::{PairedError, PairedSample, Tost};
use super::sides::Sides;
use crate::math::special::t_isf;

/// Why a ratio has no value or no interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatioError {
    /// The two sides have different numbers of units.
    UnequalLengths {
        /// Units on the first side.
        first: usize,
        /// Units on the second side.
        second: usize,
    },
    /// A value has no logarithm: it is zero, negative or not finite.
    NotPositive {
        /// Position of the unit.
        unit: usize,
        /// The value on the first side.
        first: f64,
        /// The value on the second side.
        second: f64,
    },
    /// A value is not a finite number.
    NotFinite {
        /// Position of the unit.
        unit: usize,
    },
    /// An equivalence margin for a ratio must be a finite factor above 1, such as 1.1.
    MarginNotAboveOne(f64),
    /// The mean below the line is zero.
    ZeroDenominator,
    /// The given variances and covariance cannot belong to two means, or the degrees of freedom are not above zero.
    BadMoments,
    /// Both sides are constant, so there is no spread to measure.
    Constant,
    /// No ratio can be excluded: neither mean is clearly away from zero at this level.
    NothingExcluded,
    /// The second mean is not clearly away from zero, so the ratios not excluded are unbounded: all up to `below` and all from
    /// `above` on (either may be infinite).
    Unbounded {
        /// Ratios up to this one are not excluded.
        below: f64,
        /// Ratios from this one on are not excluded.
        above: f64,
    },
    /// The t of the log ratios has no answer.
    Logs(PairedError),
}

impl fmt::Display for RatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnequalLengths { first, second } => {
                write!(f, "a ratio over matched units needs both sides of each, but there are {first} and {second} values")
            }
            Self::NotPositive { unit, first, second } => write!(
                f,
                "unit number {} has the values {first} and {second}, and only numbers above zero have a logarithm; compare \
                 totals instead, or declare what a zero counts as",
                unit + 1
            ),
            Self::NotFinite { unit } => write!(f, "unit number {} has a value that is not a finite number", unit + 1),
            Self::MarginNotAboveOne(margin) => write!(
                f,
                "the equivalence margin {margin} must be a factor above 1; write 1.1 for `within 10% either way`"
            ),
            Self::ZeroDenominator => f.write_str("the mean below the line is zero"),
            Self::BadMoments => f.write_str(
                "the variances must not be negative, the covariance must not exceed what they allow, and the degrees of freedom \
                 must be above zero",
            ),
            Self::Constant => f.write_str("both sides are the same for every unit, so there is no spread to measure"),
            Self::NothingExcluded => f.write_str(
                "no ratio can be excluded at this level, since neither mean is clearly away from zero; add units or report the \
                 two means apart",
            ),
            Self::Unbounded { below, above } => write!(
                f,
                "the second mean is not clearly away from zero at this level, so the ratio is unbounded: only ratios between \
                 {below} and {above} are excluded; add units or report the two means apart"
            ),
            Self::Logs(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for RatioError {}

/// Student's t on log(first / second) over units: the geometric mean ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRatio {
    logs: PairedSample,
}

impl LogRatio {
    /// Summarizes matched positive values, unit by unit. Needs two units whose log ratios are not all equal; a value that is not
    /// above zero is [`RatioError::NotPositive`].
    pub fn new(first: &[f64], second: &[f64]) -> Result<Self, RatioError> {
        same_length(first, second)?;
        let mut logs = Vec::with_capacity(first.len());
        for (unit, (&first, &second)) in first.iter().zip(second).enumerate() {
            let positive = first > 0.0 && second > 0.0 && first.is_finite() && second.is_finite();
            if !positive {
                return Err(RatioError::NotPositive { unit, first, second });
            }
            let quotient = first / second;
            // A quotient beyond the range of `f64` is split, which costs a rounding but no value.
            let normal = quotient.is_normal();
            logs.push(if normal { libm::log(quotient) } else { libm::log(first) - libm::log(second) });
        }
        PairedSample::from_differences(&logs).map(|logs| Self { logs }).map_err(RatioError::Logs)
    }

    /// The log ratios as a sample of differences: their mean, standard deviation and t.
    #[must_use]
    pub const fn logs(&self) -> &PairedSample {
        &self.logs
    }

    /// The geometric mean ratio, exp of the mean log ratio.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        libm::exp(self.logs.mean())
    }

    /// p of the null "the geometric mean ratio is 1".
    #[must_use]
    pub fn p(&self, sides: Sides) -> f64 {
        self.logs.p(sides)
    }

    /// Student's interval of the geometric mean ratio at `level`.
    pub fn interval(&self, level: f64) -> Result<Interval, RatioError> {
        let logs = self.logs.interval(level).map_err(RatioError::Logs)?;
        Ok(Interval { lower: libm::exp(logs.lower), upper: libm::exp(logs.upper), level })
    }

    /// Two one-sided tests of `1/margin < ratio < margin`; `margin` is a factor above 1, such as 1.1.
    pub fn tost(&self, margin: f64) -> Result<Tost, RatioError> {
        if !(margin > 1.0 && margin.is_finite()) {
            return Err(RatioError::MarginNotAboveOne(margin));
        }
        self.logs.tost(libm::log(margin)).map_err(RatioError::Logs)
    }
}

/// Two means with the variances and the covariance of the means (not of single values).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// The mean above the line.
    pub first: f64,
    /// The mean below the line.
    pub second: f64,
    /// Variance of the first mean.
    pub first_variance: f64,
    /// Variance of the second mean.
    pub second_variance: f64,
    /// Covariance of the two means; zero for independent samples.
    pub covariance: f64,
    /// Degrees of freedom of the variances.
    pub df: f64,
}

impl Means {
    /// The means of matched units, with n - 1 degrees of freedom. Needs two units and a spread on a side.
    pub fn paired(first: &[f64], second: &[f64]) -> Result<Self, RatioError> {
        same_length(first, second)?;
        if let Some(unit) = first.iter().zip(second).position(|(a, b)| !(a.is_finite() && b.is_finite())) {
            return Err(RatioError::NotFinite { unit });
        }
        let n = first.len();
        if n < 2 {
            return Err(RatioError::Logs(PairedError::TooFewDifferences(n)));
        }
        #[expect(clippy::cast_precision_loss, reason = "a slice never holds 2^53 values")]
        let n = n as f64;
        let (one, two) = (first.iter().sum::<f64>() / n, second.iter().sum::<f64>() / n);
        let (mut one_squares, mut two_squares, mut products) = (0.0, 0.0, 0.0);
        for (a, b) in first.iter().zip(second) {
            let (a, b) = (a - one, b - two);
            one_squares += a * a;
            two_squares += b * b;
            products += a * b;
        }
        let df = n - 1.0;
        let of_mean = |sum: f64| sum / df / n;
        Ok(Self {
            first: one,
            second: two,
            first_variance: if constant(first) { 0.0 } else { of_mean(one_squares) },
            second_variance: if constant(second) { 0.0 } else { of_mean(two_squares) },
            covariance: if constant(first) || constant(second) { 0.0 } else { of_mean(products) },
            df,
        })
    }

    /// The ratio of the means, which for matched units is the ratio of the totals.
    pub fn ratio(&self) -> Result<f64, RatioError> {
        if self.second == 0.0 { Err(RatioError::ZeroDenominator) } else { Ok(self.first / self.second) }
    }

    /// Fieller's interval of the ratio at `level`: the ratios r for which Student's t does not exclude first - r second = 0.
    ///
    /// With t the quantile of the level these are the r with A r^2 - 2 B r + C <= 0, where A = second^2 - t^2 var(second),
    /// B = first second - t^2 cov and C = first^2 - t^2 var(first). They form an interval only when A > 0, that is when the second
    /// mean is itself away from zero at this level; otherwise the answer is [`RatioError::Unbounded`] or
    /// [`RatioError::NothingExcluded`], never an invented limit.
    pub fn fieller(&self, level: f64) -> Result<Interval, RatioError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(RatioError::Logs(PairedError::LevelOutOfRange(level)));
        }
        self.check()?;
        let t = t_isf(0.5 * (1.0 - level), self.df);
        let t2 = t * t;
        let square = self.second * self.second - t2 * self.second_variance;
        let half = self.first * self.second - t2 * self.covariance;
        let constant = self.first * self.first - t2 * self.first_variance;
        // Zero or above whenever `square` is above zero, but for rounding.
        let root = half * half - square * constant;
        if square > 0.0 {
            let (lower, upper) = roots(square, half, constant, root.max(0.0).sqrt());
            return Ok(Interval { lower, upper, level });
        }
        if square < 0.0 && root > 0.0 {
            let (below, above) = roots(square, half, constant, root.sqrt());
            return Err(RatioError::Unbounded { below, above });
        }
        if square == 0.0 && half != 0.0 {
            let limit = constant / (2.0 * half);
            let (below, above) = if half > 0.0 { (f64::NEG_INFINITY, limit) } else { (limit, f64::INFINITY) };
            return Err(RatioError::Unbounded { below, above });
        }
        Err(RatioError::NothingExcluded)
    }

    fn check(&self) -> Result<(), RatioError> {
        let all = [self.first, self.second, self.first_variance, self.second_variance, self.covariance];
        let allowed = self.first_variance * self.second_variance;
        let valid = all.iter().all(|value| value.is_finite())
            && self.df > 0.0
            && self.first_variance >= 0.0
            && self.second_variance >= 0.0
            // Perfect correlation passes in spite of rounding.
            && self.covariance * self.covariance <= allowed * (1.0 + 1e-9);
        if !valid {
            Err(RatioError::BadMoments)
        } else if self.first_variance == 0.0 && self.second_variance == 0.0 {
            Err(RatioError::Constant)
        } else {
            Ok(())
        }
    }
}

/// The roots of `square` r^2 - 2 `half` r + `constant`, the smaller first; `root` is that of the reduced discriminant.
fn roots(square: f64, half: f64, constant: f64, root: f64) -> (f64, f64) {
    // Adding numbers of one sign loses no digits; the other root follows from the product of both.
    let far = if half < 0.0 { half - root } else { half + root };
    let (one, two) = if far == 0.0 { (0.0, 0.0) } else { (far / square, constant / far) };
    (one.min(two), one.max(two))
}

fn same_length(first: &[f64], second: &[f64]) -> Result<(), RatioError> {
    let (first, second) = (first.len(), second.len());
    if first == second { Ok(()) } else { Err(RatioError::UnequalLengths { first, second }) }
}

fn constant(values: &[f64]) -> bool {
    values.iter().zip(values.iter().skip(1)).all(|(a, b)| a - b == 0.0)
}

#[cfg(test)]
mod tests;
