//! Units as types: dimensions, exact quantities and bounds.

use crate::math::Rational;

/// What a number measures. Values are kept in the base unit named here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Dimension {
    /// A number without a unit.
    #[default]
    Plain,
    /// A share of a whole; 1 is the whole.
    Proportion,
    /// A difference of proportions; 1 is one hundred percentage points.
    Difference,
    /// A factor; 1 is unchanged (`x`).
    Ratio,
    /// Things counted; 1 is one thing.
    Count,
    /// US dollars.
    Money,
    /// Tokens.
    Tokens,
    /// Seconds.
    Time,
    /// Bits.
    Bits,
    /// Nats.
    Nats,
    /// The first per the second.
    Per(Box<Dimension>, Box<Dimension>),
}

/// An exact number with its dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity {
    /// In the base unit of the dimension.
    pub value: Rational,
    /// What it measures.
    pub dimension: Dimension,
}

/// The closed range that a value can take; an absent end is unbounded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bounds {
    /// The smallest value.
    pub lower: Option<Rational>,
    /// The largest value.
    pub upper: Option<Rational>,
}

impl Bounds {
    /// From 0 to 1.
    #[must_use]
    pub fn unit() -> Self {
        let end = |value: i64| Some(Rational::from_integer(value.into()));
        Self { lower: end(0), upper: end(1) }
    }

    /// Whether a number is within.
    #[must_use]
    pub fn hold(&self, value: &Rational) -> bool {
        self.lower.as_ref().is_none_or(|lower| value >= lower) && self.upper.as_ref().is_none_or(|upper| value <= upper)
    }

    /// Whether everything within these is within the others.
    #[must_use]
    pub fn within(&self, other: &Self) -> bool {
        let low = other.lower.as_ref().is_none_or(|low| self.lower.as_ref().is_some_and(|own| own >= low));
        low && other.upper.as_ref().is_none_or(|high| self.upper.as_ref().is_some_and(|own| own <= high))
    }
}

/// The type of a number: what it measures, its range, and whether it is a whole number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NumberType {
    /// What it measures.
    pub dimension: Dimension,
    /// Its range, in the base unit.
    pub bounds: Bounds,
    /// Whether only whole numbers occur.
    pub integer: bool,
}
