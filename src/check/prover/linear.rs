//! Linear expressions over simplex columns, and quotients of them. Pure algebra: no formulas, no search.

use super::number::Number;
use num_integer::Integer;
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// `sum of factor * column + constant`, without zero factors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Linear {
    pub(super) factors: BTreeMap<usize, Number>,
    pub(super) constant: Number,
}

impl Linear {
    pub(super) const fn constant(constant: Number) -> Self {
        Self { factors: BTreeMap::new(), constant }
    }

    pub(super) fn column(column: usize) -> Self {
        Self { factors: BTreeMap::from([(column, Number::ONE)]), constant: Number::ZERO }
    }

    /// The value, when no column takes part.
    pub(super) fn as_constant(&self) -> Option<&Number> {
        self.factors.is_empty().then_some(&self.constant)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.factors.is_empty() && self.constant.is_zero()
    }

    /// `self + factor * other`.
    pub(super) fn plus(mut self, other: &Self, factor: &Number) -> Self {
        self.constant = self.constant.add(&other.constant.mul(factor));
        for (column, other_factor) in &other.factors {
            let total = self.factors.remove(column).unwrap_or(Number::ZERO).add(&other_factor.mul(factor));
            if !total.is_zero() {
                self.factors.insert(*column, total);
            }
        }
        self
    }

    pub(super) fn scale(&self, factor: &Number) -> Self {
        Self::constant(Number::ZERO).plus(self, factor)
    }

    /// `k` with `self == k * other`, when there is one; `other` is not 0.
    pub(super) fn multiple_of(&self, other: &Self) -> Option<Number> {
        let factor = match other.factors.first_key_value() {
            Some((column, theirs)) => self.factors.get(column).unwrap_or(&Number::ZERO).div(theirs)?,
            None => self.constant.div(&other.constant)?,
        };
        (other.scale(&factor) == *self).then_some(factor)
    }

    /// Splits into `scale * form + constant`, where the form has whole factors without a common divisor and its first
    /// factor is positive. Equal forms share a simplex column. `None` when no column takes part.
    pub(super) fn primitive(&self) -> Option<(Vec<(usize, Number)>, Number)> {
        let (_, first) = self.factors.first_key_value()?;
        let mut divisor = num_bigint::BigInt::zero();
        let mut multiple = num_bigint::BigInt::one();
        for factor in self.factors.values() {
            divisor = divisor.gcd(&factor.numerator());
            multiple = multiple.lcm(&factor.denominator());
        }
        let scale = Number::from_integer(divisor).div(&Number::from_integer(multiple))?;
        let scale = if first.is_negative() { scale.neg() } else { scale };
        let inverse = scale.recip()?;
        let form = self.factors.iter().map(|(column, factor)| (*column, factor.mul(&inverse))).collect();
        Some((form, scale))
    }
}

/// `top / bottom`, where the bottom is known to be positive; without a bottom it is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quotient {
    pub(super) top: Linear,
    pub(super) bottom: Option<Linear>,
}

/// Why two quotients have no quotient of linear expressions as their sum or product.
pub(super) struct NotLinear;

impl Quotient {
    pub(super) const fn linear(top: Linear) -> Self {
        Self { top, bottom: None }
    }

    /// Reduces `top / bottom` for a positive bottom, so that equal denominators look equal.
    pub(super) fn new(top: Linear, bottom: Linear) -> Self {
        if let Some(factor) = top.multiple_of(&bottom) {
            return Self::linear(Linear::constant(factor));
        }
        let leading = bottom.factors.first_key_value().map_or(&bottom.constant, |(_, factor)| factor).abs();
        let Some(inverse) = leading.recip() else { return Self { top, bottom: Some(bottom) } };
        let (top, bottom) = (top.scale(&inverse), bottom.scale(&inverse));
        let bottom = (bottom != Linear::constant(Number::ONE)).then_some(bottom);
        Self { top, bottom }
    }

    pub(super) fn as_constant(&self) -> Option<&Number> {
        if self.bottom.is_none() { self.top.as_constant() } else { None }
    }

    /// The numerator over a given denominator.
    pub(super) fn over(&self, bottom: Option<&Linear>) -> Result<Linear, NotLinear> {
        match (&self.bottom, bottom) {
            (mine, wanted) if mine.as_ref() == wanted => Ok(self.top.clone()),
            (None, Some(wanted)) => self.top.as_constant().map(|factor| wanted.scale(factor)).ok_or(NotLinear),
            _ => Err(NotLinear),
        }
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, other: &Self, factor: &Number) -> Result<Self, NotLinear> {
        let bottom = self.bottom.as_ref().or(other.bottom.as_ref());
        let top = self.over(bottom)?.plus(&other.over(bottom)?, factor);
        Ok(Self::rejoin(top, bottom))
    }

    pub(super) fn rejoin(top: Linear, bottom: Option<&Linear>) -> Self {
        match bottom {
            None => Self::linear(top),
            Some(bottom) => Self::new(top, bottom.clone()),
        }
    }

    pub(super) fn scale(&self, factor: &Number) -> Self {
        Self::rejoin(self.top.scale(factor), self.bottom.as_ref())
    }

    pub(super) fn times(&self, other: &Self) -> Result<Self, NotLinear> {
        if let Some(factor) = self.as_constant() {
            return Ok(other.scale(factor));
        }
        if let Some(factor) = other.as_constant() {
            return Ok(self.scale(factor));
        }
        // A factor that is a multiple of the other's denominator cancels against it.
        for (left, right) in [(self, other), (other, self)] {
            if let Some(factor) = right.bottom.as_ref().and_then(|bottom| left.top.multiple_of(bottom)) {
                let rest = Self::linear(right.top.scale(&factor));
                return match &left.bottom {
                    None => Ok(rest),
                    Some(bottom) => Ok(Self::new(rest.top, bottom.clone())),
                };
            }
        }
        let bottom = match (&self.bottom, &other.bottom) {
            (None, bottom) | (bottom, None) => bottom.as_ref(),
            (Some(_), Some(_)) => return Err(NotLinear),
        };
        match (self.top.as_constant(), other.top.as_constant()) {
            (Some(factor), _) => Ok(Self::rejoin(other.top.scale(factor), bottom)),
            (_, Some(factor)) => Ok(Self::rejoin(self.top.scale(factor), bottom)),
            (None, None) => Err(NotLinear),
        }
    }
}
