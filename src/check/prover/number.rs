//! Exact rational numbers with a machine-word fast path. Pivoting multiplies small fractions almost always; arbitrary
//! precision takes over where they grow, so that nothing is ever rounded.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A rational in lowest terms. `Small` is used whenever both parts fit, so that derived equality is numeric equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// Numerator (never `i64::MIN`, so that negation is safe) and positive denominator.
    Small(i64, i64),
    /// Everything else.
    Big(Box<BigRational>),
}

impl Number {
    pub(super) const ZERO: Self = Self::Small(0, 1);
    pub(super) const ONE: Self = Self::Small(1, 1);

    pub(super) fn from_big(value: BigRational) -> Self {
        match (value.numer().to_i64(), value.denom().to_i64()) {
            (Some(numerator), Some(denominator)) if numerator != i64::MIN => Self::Small(numerator, denominator),
            _ => Self::Big(Box::new(value)),
        }
    }

    pub(super) fn from_integer(value: BigInt) -> Self {
        Self::from_big(BigRational::from_integer(value))
    }

    pub(super) fn to_big(&self) -> BigRational {
        match self {
            Self::Small(numerator, denominator) => BigRational::new_raw((*numerator).into(), (*denominator).into()),
            Self::Big(value) => value.as_ref().clone(),
        }
    }

    /// `numerator / denominator` with a positive denominator, within i128 so that no caller can overflow.
    fn reduce(numerator: i128, denominator: i128) -> Self {
        let divisor = if denominator == 1 { 1 } else { numerator.gcd(&denominator) };
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(n), Ok(d)) if n != i64::MIN => Self::Small(n, d),
            _ => Self::Big(Box::new(BigRational::new_raw(numerator.into(), denominator.into()))),
        }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Small(a, 1), Self::Small(b, 1)) => Self::reduce(i128::from(*a) + i128::from(*b), 1),
            (Self::Small(a, b), Self::Small(c, d)) => {
                // Each product is below 2^126 in magnitude, so the sum fits.
                let left = i128::from(*a) * i128::from(*d);
                let right = i128::from(*c) * i128::from(*b);
                Self::reduce(left + right, i128::from(*b) * i128::from(*d))
            }
            _ => Self::from_big(self.to_big() + other.to_big()),
        }
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(super) fn mul(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Small(a, b), Self::Small(c, d)) => {
                Self::reduce(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Self::from_big(self.to_big() * other.to_big()),
        }
    }

    /// The reciprocal; 0 has none.
    pub(super) fn recip(&self) -> Option<Self> {
        match self {
            Self::Small(0, _) => None,
            Self::Small(n, d) if *n > 0 => Some(Self::Small(*d, *n)),
            Self::Small(n, d) => Some(Self::Small(-d, -n)),
            Self::Big(value) if value.is_zero() => None,
            Self::Big(value) => Some(Self::from_big(value.recip())),
        }
    }

    /// The quotient; division by 0 has none.
    pub(super) fn div(&self, other: &Self) -> Option<Self> {
        other.recip().map(|reciprocal| self.mul(&reciprocal))
    }

    pub(super) fn neg(&self) -> Self {
        match self {
            Self::Small(n, d) => Self::Small(-n, *d),
            Self::Big(value) => Self::from_big(-value.as_ref()),
        }
    }

    /// -1, 0 or 1.
    pub(super) fn sign(&self) -> i8 {
        let order = match self {
            Self::Small(n, _) => n.cmp(&0),
            Self::Big(value) => value.numer().cmp(&BigInt::zero()),
        };
        match order {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.sign() == 0
    }

    pub(super) fn is_positive(&self) -> bool {
        self.sign() > 0
    }

    pub(super) fn is_negative(&self) -> bool {
        self.sign() < 0
    }

    pub(super) fn is_integer(&self) -> bool {
        match self {
            Self::Small(_, d) => *d == 1,
            Self::Big(value) => value.denom().is_one(),
        }
    }

    pub(super) fn floor(&self) -> Self {
        match self {
            Self::Small(n, d) => Self::Small(Integer::div_floor(n, d), 1),
            Self::Big(value) => Self::from_big(value.floor()),
        }
    }

    pub(super) fn ceil(&self) -> Self {
        self.neg().floor().neg()
    }

    /// The nearest integer, a half going up.
    pub(super) fn round(&self) -> Self {
        self.add(&Self::Small(1, 2)).floor()
    }

    /// The numerator of the lowest terms.
    pub(super) fn numerator(&self) -> BigInt {
        self.to_big().numer().clone()
    }

    /// The denominator of the lowest terms, positive.
    pub(super) fn denominator(&self) -> BigInt {
        self.to_big().denom().clone()
    }

    pub(super) fn abs(&self) -> Self {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// What one operation on this number costs, in elementary steps: big numbers are not free.
    pub(super) fn cost(&self) -> u64 {
        match self {
            Self::Small(..) => 1,
            Self::Big(value) => 20 + (value.numer().bits() + value.denom().bits()) / 4,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(a, b), Self::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

/// A number plus an infinitely small multiple of a positive amount: strict bounds become non-strict ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Delta {
    /// The number; the field order makes the derived order the right one.
    pub(super) real: Number,
    /// The multiple of the infinitesimal.
    pub(super) tiny: Number,
}

impl Delta {
    pub(super) const ZERO: Self = Self { real: Number::ZERO, tiny: Number::ZERO };

    /// `value + tiny` infinitesimals.
    pub(super) const fn new(real: Number, tiny: i64) -> Self {
        Self { real, tiny: Number::Small(tiny, 1) }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        Self { real: self.real.add(&other.real), tiny: self.tiny.add(&other.tiny) }
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        Self { real: self.real.sub(&other.real), tiny: self.tiny.sub(&other.tiny) }
    }

    pub(super) fn scale(&self, factor: &Number) -> Self {
        Self { real: self.real.mul(factor), tiny: self.tiny.mul(factor) }
    }
}
