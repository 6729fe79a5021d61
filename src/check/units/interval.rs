//! Interval arithmetic on exact bounds; an absent end is unbounded.

use num_traits::{Signed as _, Zero as _};

use crate::math::Rational;
use crate::spec::Bounds;

/// All values that either can take.
pub(in crate::check) fn union(a: &Bounds, b: &Bounds) -> Bounds {
    let pick = |x: &Option<Rational>, y: &Option<Rational>, larger: bool| {
        let (x, y) = (x.clone()?, y.clone()?);
        Some(if (x > y) == larger { x } else { y })
    };
    Bounds { lower: pick(&a.lower, &b.lower, false), upper: pick(&a.upper, &b.upper, true) }
}

/// `a + b`
pub(in crate::check) fn add(a: &Bounds, b: &Bounds) -> Bounds {
    let sum = |x: &Option<Rational>, y: &Option<Rational>| Some(x.as_ref()? + y.as_ref()?);
    Bounds { lower: sum(&a.lower, &b.lower), upper: sum(&a.upper, &b.upper) }
}

/// `-a`
pub(in crate::check) fn negate(a: &Bounds) -> Bounds {
    Bounds { lower: a.upper.as_ref().map(|x| -x), upper: a.lower.as_ref().map(|x| -x) }
}

/// `a - b`
pub(in crate::check) fn subtract(a: &Bounds, b: &Bounds) -> Bounds {
    add(a, &negate(b))
}

/// `a * b`
pub(in crate::check) fn multiply(a: &Bounds, b: &Bounds) -> Bounds {
    let nonnegative = |x: &Bounds| x.lower.as_ref().is_some_and(|low| !low.is_negative());
    if let (Some(al), Some(au), Some(bl), Some(bu)) = (&a.lower, &a.upper, &b.lower, &b.upper) {
        return hull(&[al * bl, al * bu, au * bl, au * bu]);
    }
    let factor = |x: &Bounds| x.lower.clone().filter(|low| x.upper.as_ref() == Some(low));
    let scaled = |by: &Rational, other: &Bounds| {
        let scale = |x: &Option<Rational>| x.as_ref().map(|x| x * by);
        if by.is_zero() {
            Bounds { lower: Some(Rational::zero()), upper: Some(Rational::zero()) }
        } else if by.is_negative() {
            Bounds { lower: scale(&other.upper), upper: scale(&other.lower) }
        } else {
            Bounds { lower: scale(&other.lower), upper: scale(&other.upper) }
        }
    };
    match (factor(a), factor(b)) {
        (Some(by), _) => scaled(&by, b),
        (None, Some(by)) => scaled(&by, a),
        (None, None) if nonnegative(a) && nonnegative(b) => {
            Bounds { lower: a.lower.as_ref().zip(b.lower.as_ref()).map(|(x, y)| x * y), upper: None }
        }
        (None, None) => Bounds::default(),
    }
}

/// `a / b`; unbounded when the denominator can be 0.
pub(in crate::check) fn divide(a: &Bounds, b: &Bounds) -> Bounds {
    let positive = b.lower.as_ref().is_some_and(Rational::is_positive);
    let negative = b.upper.as_ref().is_some_and(Rational::is_negative);
    if !positive && !negative {
        // A quotient of numbers that are never negative is not negative wherever it is defined.
        let never_negative = |x: &Bounds| x.lower.as_ref().is_some_and(|low| !low.is_negative());
        let lower = (never_negative(a) && never_negative(b)).then(Rational::zero);
        return Bounds { lower, upper: None };
    }
    let inverse = |x: &Option<Rational>| x.as_ref().map_or_else(Rational::zero, Rational::recip);
    let (low, high) = (inverse(&b.upper), inverse(&b.lower));
    multiply(a, &Bounds { lower: Some(low), upper: Some(high) })
}

fn hull(values: &[Rational; 4]) -> Bounds {
    Bounds { lower: values.iter().min().cloned(), upper: values.iter().max().cloned() }
}
