//! Units as types: unit words, number literals, and what arithmetic and comparison make of dimensions and bounds. Pure
//! algebra; it must not know of names or of what an expression stands for.

mod interval;
mod words;

#[cfg(test)]
mod tests;

pub(super) use interval::{add, divide, multiply, negate, subtract, union};
pub(super) use words::{describe, file_unit, in_unit, type_named, unit};

use crate::math::{Rational, exact};
use crate::spec::{ArithmeticOp, Bounds, Dimension, NumberType, Quantity};
use crate::syntax::ast::Literal;
use num_traits::{One as _, Signed as _, Zero as _};

/// The type of a number in the middle of checking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ty {
    /// What it measures and its range.
    pub number: NumberType,
    /// A constant written without a unit: it takes the unit of what it meets.
    pub bare: bool,
}

impl Ty {
    /// A type with a dimension, bounds and whether it is whole.
    pub fn new(dimension: Dimension, bounds: Bounds, integer: bool) -> Self {
        Self { number: NumberType { dimension, bounds, integer }, bare: false }
    }

    /// The type of a constant.
    pub fn constant(quantity: &Quantity, bare: bool) -> Self {
        let bounds = Bounds { lower: Some(quantity.value.clone()), upper: Some(quantity.value.clone()) };
        Self { bare, ..Self::new(quantity.dimension.clone(), bounds, quantity.value.is_integer()) }
    }

    /// A share: 0 to 1.
    pub fn proportion() -> Self {
        Self::new(Dimension::Proportion, between(0, 1), false)
    }

    /// A correlation: -1 to 1.
    pub fn correlation() -> Self {
        Self::new(Dimension::Plain, between(-1, 1), false)
    }

    /// A whole number of things, at least none.
    pub fn count() -> Self {
        Self::new(Dimension::Count, Bounds { lower: Some(Rational::zero()), upper: None }, true)
    }

    /// The dimension.
    pub fn dimension(&self) -> &Dimension {
        &self.number.dimension
    }

    /// The value, when it is a single one.
    pub fn value(&self) -> Option<&Rational> {
        let bounds = &self.number.bounds;
        bounds.lower.as_ref().filter(|low| bounds.upper.as_ref() == Some(*low))
    }
}

/// Whole bounds.
pub(super) fn between(low: i64, high: i64) -> Bounds {
    Bounds { lower: Some(Rational::from_integer(low.into())), upper: Some(Rational::from_integer(high.into())) }
}

/// Why two numbers do not go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mix {
    /// Different units.
    Units,
    /// A bare number or a share where a difference of shares belongs.
    ProportionAsDifference,
    /// A number that needs the other one's unit.
    MissingUnit,
}

/// What joining two numbers gives: its type, and the unit that each bare side takes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joined {
    /// The result.
    pub ty: Ty,
    /// The unit that the left side takes on.
    pub left: Option<Dimension>,
    /// The unit that the right side takes on.
    pub right: Option<Dimension>,
}

/// Whether a bare number may stand for this dimension.
fn adapts(dimension: &Dimension) -> bool {
    matches!(dimension, Dimension::Plain | Dimension::Proportion | Dimension::Ratio | Dimension::Count)
}

/// The common dimension of two sides that are compared, added in kind or chosen between.
pub(super) fn unify(left: &Ty, right: &Ty) -> Result<Joined, Mix> {
    let ty = |dimension: &Dimension| {
        let bounds = union(&left.number.bounds, &right.number.bounds);
        Ty::new(dimension.clone(), bounds, left.number.integer && right.number.integer)
    };
    let same = |a: &Dimension, b: &Dimension| a == b;
    match (left.bare, right.bare) {
        (true, true) => Ok(Joined { ty: Ty { bare: true, ..ty(&Dimension::Plain) }, left: None, right: None }),
        (false, false) if same(left.dimension(), right.dimension()) => {
            Ok(Joined { ty: ty(left.dimension()), left: None, right: None })
        }
        (false, true) if adapts(left.dimension()) => {
            Ok(Joined { ty: ty(left.dimension()), left: None, right: Some(left.dimension().clone()) })
        }
        (true, false) if adapts(right.dimension()) => {
            Ok(Joined { ty: ty(right.dimension()), left: Some(right.dimension().clone()), right: None })
        }
        (false, true) | (true, false) => {
            let known = if left.bare { right } else { left };
            Err(if *known.dimension() == Dimension::Difference {
                Mix::ProportionAsDifference
            } else {
                Mix::MissingUnit
            })
        }
        (false, false) => {
            let sides = (left.dimension(), right.dimension());
            let constant = left.value().is_some() || right.value().is_some();
            let mixed = matches!(
                sides,
                (Dimension::Difference, Dimension::Proportion) | (Dimension::Proportion, Dimension::Difference)
            );
            Err(if mixed && constant { Mix::ProportionAsDifference } else { Mix::Units })
        }
    }
}

/// What an operation makes of two types: the table of section 2 of the language.
pub(super) fn arithmetic(op: ArithmeticOp, left: &Ty, right: &Ty) -> Result<Joined, Mix> {
    match op {
        ArithmeticOp::Add => sum(left, right),
        ArithmeticOp::Subtract => difference(left, right),
        ArithmeticOp::Multiply => product(left, right),
        ArithmeticOp::Divide => quotient(left, right),
    }
}

fn plain(ty: Ty) -> Joined {
    Joined { ty, left: None, right: None }
}

fn sum(left: &Ty, right: &Ty) -> Result<Joined, Mix> {
    use Dimension::{Difference, Proportion};
    let bounds = add(&left.number.bounds, &right.number.bounds);
    let integer = left.number.integer && right.number.integer;
    match (left.bare, left.dimension(), right.bare, right.dimension()) {
        (true, _, true, _) => Ok(plain(Ty { bare: true, ..Ty::new(Dimension::Plain, bounds, integer) })),
        // A share moved by a difference is a share; so is a bare number, because a bare number is never a difference.
        (false, Proportion, false, Difference) | (false, Difference, false, Proportion) => {
            Ok(plain(Ty::new(Proportion, bounds, false)))
        }
        (true, _, false, Difference) => {
            Ok(Joined { ty: Ty::new(Proportion, bounds, false), left: Some(Proportion), right: None })
        }
        (false, Difference, true, _) => {
            Ok(Joined { ty: Ty::new(Proportion, bounds, false), left: None, right: Some(Proportion) })
        }
        // A step on top of a share is meant as a difference, which is written in pp.
        (false, Proportion, true, _) | (true, _, false, Proportion) => Err(Mix::ProportionAsDifference),
        _ => unify(left, right)
            .map(|joined| Joined { ty: Ty::new(joined.ty.number.dimension, bounds, integer), ..joined }),
    }
}

fn difference(left: &Ty, right: &Ty) -> Result<Joined, Mix> {
    use Dimension::{Difference, Proportion};
    let bounds = subtract(&left.number.bounds, &right.number.bounds);
    let integer = left.number.integer && right.number.integer;
    let is_one = left.value().is_some_and(num_traits::One::is_one);
    match (left.bare, left.dimension(), right.bare, right.dimension()) {
        (true, _, true, _) => Ok(plain(Ty { bare: true, ..Ty::new(Dimension::Plain, bounds, integer) })),
        // The complement of a share is a share.
        (true, _, false, Proportion) if is_one => {
            Ok(Joined { ty: Ty::new(Proportion, bounds, false), left: Some(Proportion), right: None })
        }
        (false, Proportion, false, Proportion) if is_one => Ok(plain(Ty::new(Proportion, bounds, false))),
        (false, Proportion, false, Proportion) => Ok(plain(Ty::new(Difference, bounds, false))),
        (true, _, false, Proportion) => {
            Ok(Joined { ty: Ty::new(Difference, bounds, false), left: Some(Proportion), right: None })
        }
        (false, Proportion, true, _) => {
            Ok(Joined { ty: Ty::new(Difference, bounds, false), left: None, right: Some(Proportion) })
        }
        (false, Proportion, false, Difference) => Ok(plain(Ty::new(Proportion, bounds, false))),
        (true, _, false, Difference) => {
            Ok(Joined { ty: Ty::new(Proportion, bounds, false), left: Some(Proportion), right: None })
        }
        _ => unify(left, right)
            .map(|joined| Joined { ty: Ty::new(joined.ty.number.dimension, bounds, integer), ..joined }),
    }
}

fn product(left: &Ty, right: &Ty) -> Result<Joined, Mix> {
    use Dimension::{Count, Difference, Per, Plain, Proportion, Ratio};
    let bounds = multiply(&left.number.bounds, &right.number.bounds);
    let integer = left.number.integer && right.number.integer;
    let give = |dimension: &Dimension| Ok(plain(Ty::new(dimension.clone(), bounds.clone(), integer)));
    if left.bare && right.bare {
        return Ok(plain(Ty { bare: true, ..Ty::new(Plain, bounds, integer) }));
    }
    match (left.dimension(), right.dimension()) {
        (Plain | Ratio, other)
        | (other, Plain | Ratio)
        | (other @ (Proportion | Difference | Count), Proportion)
        | (Proportion, other @ (Difference | Count)) => give(other),
        (Per(above, below), other) | (other, Per(above, below)) if **below == *other => give(above),
        (other, Proportion | Count) | (Proportion | Count, other) => give(other),
        _ => Err(Mix::Units),
    }
}

fn quotient(left: &Ty, right: &Ty) -> Result<Joined, Mix> {
    use Dimension::{Per, Plain, Ratio};
    let bounds = divide(&left.number.bounds, &right.number.bounds);
    let give = |dimension: Dimension| Ok(plain(Ty::new(dimension, bounds.clone(), false)));
    if left.bare && right.bare {
        return Ok(plain(Ty { bare: true, ..Ty::new(Plain, bounds, false) }));
    }
    match (left.dimension(), right.dimension()) {
        (Plain, Plain) => give(Plain),
        (Plain | Ratio, Ratio) => give(Ratio),
        (above, Plain | Ratio) => give(above.clone()),
        (above, below) if above == below => give(Ratio),
        (above, below) => give(Per(Box::new(above.clone()), Box::new(below.clone()))),
    }
}

/// A literal read exactly, in the base unit of its dimension; whether it was bare.
pub(super) fn literal(literal: &Literal, counts: &dyn Fn(&str) -> bool) -> Result<(Quantity, bool), LiteralError> {
    let digits: String = literal.number.node.chars().filter(|c| *c != '_').collect();
    let value = exact::parse(&digits).map_err(|error| LiteralError::Number(error.to_string()))?;
    let Some(word) = &literal.unit else {
        return Ok((Quantity { value, dimension: Dimension::Plain }, true));
    };
    let word: String = word.node.split_whitespace().collect();
    if word == "%rel" {
        // A relative change of 2 % is the factor 1.02.
        let value = Rational::one() + value / Rational::from_integer(100.into());
        return Ok((Quantity { value, dimension: Dimension::Ratio }, false));
    }
    let (dimension, factor) = unit(&word, counts).ok_or(LiteralError::Unit(word))?;
    Ok((Quantity { value: value * factor, dimension }, false))
}

/// Why a literal is no quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LiteralError {
    /// The digits cannot be read.
    Number(String),
    /// No such unit.
    Unit(String),
}

/// A whole number without a unit, for counts, seeds and repeats.
pub(super) fn whole(literal: &Literal) -> Option<u64> {
    let digits: String = literal.number.node.chars().filter(|c| *c != '_').collect();
    let value = exact::parse(&digits).ok()?;
    if literal.unit.is_some() || !value.is_integer() || value.is_negative() {
        return None;
    }
    value.to_integer().to_string().parse().ok()
}
