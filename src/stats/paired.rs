//! One mean of paired differences: Student's t, its interval, and two one-sided tests of equivalence.
//!
//! Owns the t-based inference on differences already formed by task; it does not form them, and it adjusts nothing for
//! multiplicity. Sums run in the given order, so the caller's order (tasks sorted bytewise) fixes every bit.

use std::fmt;

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{ToPrimitive as _, Zero as _};

use super::interval::Interval;
use super::sides::Sides;
use crate::math::special::{t_isf, t_sf};

/// Why a paired t has no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairedError {
    /// A standard deviation needs two differences; this many were given.
    TooFewDifferences(usize),
    /// All differences equal this value: the standard deviation is zero, so t and its interval do not exist.
    AllDifferencesEqual(f64),
    /// The difference at this position is not a finite number.
    NotFinite(usize),
    /// A confidence level must lie strictly between 0 and 1.
    LevelOutOfRange(f64),
    /// An equivalence margin must be a finite number above zero.
    MarginNotPositive(f64),
    /// The common denominator of scaled differences must be above zero.
    ScaleNotPositive(i128),
}

impl fmt::Display for PairedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewDifferences(n) => {
                write!(f, "a standard deviation needs at least two differences and there are {n}; add tasks")
            }
            Self::AllDifferencesEqual(value) => write!(
                f,
                "all differences equal {value}, so their standard deviation is zero and neither t nor its interval exists; \
                 use an exact sign test, or report the constant difference"
            ),
            Self::NotFinite(at) => write!(
                f,
                "difference number {} is not a finite number; a ratio with a zero cost needs a declared rule",
                at + 1
            ),
            Self::LevelOutOfRange(level) => {
                write!(f, "the confidence level {level} must lie strictly between 0 and 1; write 0.95 for 95%")
            }
            Self::MarginNotPositive(margin) => {
                write!(f, "the equivalence margin {margin} must be a finite number above zero")
            }
            Self::ScaleNotPositive(scale) => {
                write!(f, "the common denominator {scale} of the differences must be above zero")
            }
        }
    }
}

impl std::error::Error for PairedError {}

/// Mean and standard deviation of `n >= 2` differences that are not all equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedSample {
    n: usize,
    mean: f64,
    sd: f64,
}

/// The two one-sided tests of equivalence within a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tost {
    /// p of the null "the mean is at most `-margin`".
    pub p_low: f64,
    /// p of the null "the mean is at least `+margin`".
    pub p_high: f64,
    /// The larger of the two: p of the null "the mean lies outside the margin".
    pub p: f64,
}

impl PairedSample {
    /// Summarizes differences given as floating-point numbers, such as log ratios.
    ///
    /// "All equal" means equal bit for bit. Differences of counts should come through [`Self::from_scaled`], which decides that
    /// question exactly.
    pub fn from_differences(differences: &[f64]) -> Result<Self, PairedError> {
        if let Some(at) = differences.iter().position(|d| !d.is_finite()) {
            return Err(PairedError::NotFinite(at));
        }
        let first = first_of_two(differences)?;
        let n = differences.len();
        if differences.iter().all(|d| d.total_cmp(&first).is_eq() || *d - first == 0.0) {
            return Err(PairedError::AllDifferencesEqual(first));
        }
        // Centring on the first value keeps a large common offset from eating the digits of the spread.
        let offset = compensated_sum(differences.iter().map(|d| d - first)) / real(n);
        let mean = compensated_sum(differences.iter().copied()) / real(n);
        let squares = compensated_sum(differences.iter().map(|d| {
            let centred = (d - first) - offset;
            centred * centred
        }));
        let sd = (squares / real(n - 1)).sqrt();
        if sd > 0.0 { Ok(Self { n, mean, sd }) } else { Err(PairedError::AllDifferencesEqual(first)) }
    }

    /// Summarizes the differences `scaled[i] / scale` exactly: both sums are whole numbers of unbounded size, and only the
    /// finished mean and variance are rounded.
    pub fn from_scaled(scaled: &[i128], scale: i128) -> Result<Self, PairedError> {
        if scale <= 0 {
            return Err(PairedError::ScaleNotPositive(scale));
        }
        let first = first_of_two(scaled)?;
        let n = scaled.len();
        let count = BigInt::from(n);
        let sum: BigInt = scaled.iter().map(|&d| BigInt::from(d)).sum();
        let squares: BigInt = scaled.iter().map(|&d| BigInt::from(d) * BigInt::from(d)).sum();
        let spread = &count * squares - &sum * &sum;
        let scale = BigInt::from(scale);
        if spread.is_zero() {
            return Err(PairedError::AllDifferencesEqual(rounded(BigInt::from(first), scale)));
        }
        let variance = rounded(spread, &count * (&count - 1) * &scale * &scale);
        Ok(Self { n, mean: rounded(sum, count * scale), sd: variance.sqrt() })
    }

    /// How many differences there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.n
    }

    /// Their mean, in their own unit.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their standard deviation with divisor `n - 1`; above zero.
    #[must_use]
    pub fn sd(&self) -> f64 {
        self.sd
    }

    /// The standard error of the mean, `sd / sqrt(n)`.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        self.sd / real(self.n).sqrt()
    }

    /// Degrees of freedom, `n - 1`.
    #[must_use]
    pub fn df(&self) -> f64 {
        real(self.n - 1)
    }

    /// Student's t of the null "the mean is zero".
    #[must_use]
    pub fn t(&self) -> f64 {
        self.mean / self.standard_error()
    }

    /// p of the null "the mean is zero" against the chosen alternative.
    #[must_use]
    pub fn p(&self, sides: Sides) -> f64 {
        let (t, df) = (self.t(), self.df());
        match sides {
            Sides::TwoSided => (2.0 * t_sf(t.abs(), df)).min(1.0),
            Sides::Greater => t_sf(t, df),
            Sides::Less => t_sf(-t, df),
        }
    }

    /// The two-sided confidence interval of the mean at `level`, for example 0.95, in the unit of the differences.
    pub fn interval(&self, level: f64) -> Result<Interval, PairedError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(PairedError::LevelOutOfRange(level));
        }
        let reach = t_isf(0.5 * (1.0 - level), self.df()) * self.standard_error();
        Ok(Interval { lower: self.mean - reach, upper: self.mean + reach, level })
    }

    /// Two one-sided tests of `|mean| < margin` (Schuirmann): equivalent at alpha iff the `1 - 2 alpha` interval lies inside.
    pub fn tost(&self, margin: f64) -> Result<Tost, PairedError> {
        if !(margin > 0.0 && margin.is_finite()) {
            return Err(PairedError::MarginNotPositive(margin));
        }
        let (se, df) = (self.standard_error(), self.df());
        let p_low = t_sf((self.mean + margin) / se, df);
        let p_high = t_sf((margin - self.mean) / se, df);
        Ok(Tost { p_low, p_high, p: p_low.max(p_high) })
    }
}

fn first_of_two<T: Copy>(values: &[T]) -> Result<T, PairedError> {
    match values {
        [first, _, ..] => Ok(*first),
        few => Err(PairedError::TooFewDifferences(few.len())),
    }
}

/// Neumaier's compensated sum: the rounding of each addition is carried apart and added once at the end.
fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

fn rounded(numerator: BigInt, denominator: BigInt) -> f64 {
    // A ratio of whole numbers always converts: too large gives infinity.
    Ratio::new(numerator, denominator).to_f64().unwrap_or(f64::NAN)
}

#[expect(clippy::cast_precision_loss, reason = "a slice never holds 2^53 differences")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
