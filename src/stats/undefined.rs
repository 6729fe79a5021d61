//! Why a statistic has no value. Every function here that can fail to give a number says why with this type; none
//! returns a number in its place.

use std::fmt;

/// The reason a statistic, an interval or a test is undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// There are no records (or no clusters) to compute it from.
    NoRecords,
    /// The quantity divided by is zero.
    ZeroDenominator,
    /// Every value is the same, so there is no spread to measure.
    Constant,
    /// Fewer values than the statistic needs.
    TooFew {
        /// How many there are.
        have: usize,
        /// The smallest number that would do.
        need: usize,
    },
    /// More than one resample in a hundred had no value.
    TooManyUndefinedResamples {
        /// Resamples without a value.
        undefined: usize,
        /// All resamples.
        resamples: usize,
    },
    /// Two inputs that must be of one length are not.
    UnequalLengths {
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A setting (a level, a probability, a quantile, a multiplier) lies outside its range.
    OutOfRange,
    /// A value is not a finite number.
    NotFinite,
    /// A total does not fit in 128 bits, so it could not be exact.
    TooLarge,
    /// A limit would be infinite: too many resamples have no spread of their own.
    Unbounded,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoRecords => f.write_str("there are no records to compute it from"),
            Self::ZeroDenominator => f.write_str("the quantity it divides by is zero"),
            Self::Constant => f.write_str("every value is the same, so there is no spread to measure"),
            Self::TooFew { have, need } => write!(f, "it needs at least {need} values and there are {have}"),
            Self::TooManyUndefinedResamples { undefined, resamples } => {
                write!(f, "{undefined} of {resamples} resamples had no value, more than one in a hundred")
            }
            Self::UnequalLengths { left, right } => {
                write!(f, "its two inputs must be of one length, but have {left} and {right} values")
            }
            Self::OutOfRange => f.write_str("a setting lies outside its allowed range"),
            Self::NotFinite => f.write_str("a value is not a finite number"),
            Self::TooLarge => f.write_str("a total does not fit in 128 bits, so it could not be exact"),
            Self::Unbounded => f.write_str(
                "a limit would be infinite, since too many resamples have no spread; it takes more clusters",
            ),
        }
    }
}

impl std::error::Error for Undefined {}
