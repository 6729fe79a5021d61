//! One value of each unit: of a `paired` estimand, or of a linear combination of means, from the unit's own means. Owns the step
//! from samples to the exact numbers that tests and t intervals take.

use std::collections::BTreeMap;

use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use super::node::Node;
use super::sample::Sample;
use crate::math::Rational;
use crate::spec::{ArithmeticOp, ReduceKind};

/// Values by unit, units ascending.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UnitValues {
    /// The unit's number in the plan.
    pub units: Vec<u32>,
    /// Its value.
    pub values: Vec<Rational>,
    /// Units or pairs left out because some part has no record there.
    pub left_out: u64,
}

/// Integers over one positive denominator.
pub(super) type Scaled = (Vec<i128>, i128);

const NONE: &str = "it needs one value of each unit, which a `paired` estimand or a linear combination of means gives";

/// The values of the units.
pub(super) fn unit_values(node: &Node) -> Result<UnitValues, String> {
    let (mut parts, mut constant) = (Vec::new(), Rational::zero());
    decompose(node, &Rational::from_integer(1.into()), &mut parts, &mut constant)?;
    if parts.is_empty() {
        return Err(NONE.to_owned());
    }
    let mut sums: BTreeMap<u32, (Rational, usize)> = BTreeMap::new();
    let mut left_out = 0;
    for (weight, sample) in &parts {
        left_out += sample.left_out;
        for (unit, mean) in means(sample) {
            let slot = sums.entry(unit).or_insert_with(|| (constant.clone(), 0));
            slot.0 += weight * mean;
            slot.1 += 1;
        }
    }
    let mut found = UnitValues { units: Vec::new(), values: Vec::new(), left_out };
    for (unit, (value, count)) in sums {
        if count == parts.len() {
            found.units.push(unit);
            found.values.push(value);
        } else {
            found.left_out += 1;
        }
    }
    Ok(found)
}

impl UnitValues {
    /// The values less the null, as integers over one denominator.
    pub fn less(&self, null: &Rational) -> Result<Scaled, String> {
        let too_large = || "the values have no common denominator of 128 bits".to_owned();
        let shifted: Vec<Rational> = self.values.iter().map(|value| value - null).collect();
        let mut common = 1_i128;
        for value in &shifted {
            let denominator = value.denom().to_i128().ok_or_else(too_large)?;
            common = common.checked_mul(denominator / common.gcd(&denominator)).ok_or_else(too_large)?;
        }
        let scaled = |value: &Rational| {
            let denominator = value.denom().to_i128()?;
            value.numer().to_i128()?.checked_mul(common / denominator)
        };
        let values: Option<Vec<i128>> = shifted.iter().map(scaled).collect();
        values.map(|values| (values, common)).ok_or_else(too_large)
    }
}

/// The mean of each unit's values, units ascending.
fn means(sample: &Sample) -> Vec<(u32, Rational)> {
    let numbers = sample.series.first().map(super::sample::Series::numbers).unwrap_or_default();
    let mut sums: BTreeMap<u32, (Rational, u64)> = BTreeMap::new();
    for (unit, value) in sample.units.iter().zip(numbers) {
        let slot = sums.entry(*unit).or_insert_with(|| (Rational::zero(), 0));
        slot.0 += value;
        slot.1 += 1;
    }
    sums.into_iter().map(|(unit, (sum, count))| (unit, sum / Rational::from_integer(count.into()))).collect()
}

/// Takes a linear combination of means apart; refuses any other tree.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn decompose<'n>(
    node: &'n Node,
    weight: &Rational,
    parts: &mut Vec<(Rational, &'n Sample)>,
    constant: &mut Rational,
) -> Result<(), String> {
    match node {
        Node::Constant(value) => *constant += weight * value,
        Node::Mean(sample) => parts.push((weight.clone(), sample)),
        Node::Undefined(reason) => return Err(reason.clone()),
        Node::Negate(body) => decompose(body, &-weight, parts, constant)?,
        Node::Arithmetic(left, ArithmeticOp::Add, right) => {
            decompose(left, weight, parts, constant)?;
            decompose(right, weight, parts, constant)?;
        }
        Node::Arithmetic(left, ArithmeticOp::Subtract, right) => {
            decompose(left, weight, parts, constant)?;
            decompose(right, &-weight, parts, constant)?;
        }
        Node::Arithmetic(left, ArithmeticOp::Multiply, right) => match (&**left, &**right) {
            (Node::Constant(by), body) | (body, Node::Constant(by)) => {
                decompose(body, &(weight * by), parts, constant)?;
            }
            _ => return Err(NONE.to_owned()),
        },
        Node::Arithmetic(left, ArithmeticOp::Divide, right) => match &**right {
            Node::Constant(by) if !by.is_zero() => decompose(left, &(weight / by), parts, constant)?,
            _ => return Err(NONE.to_owned()),
        },
        Node::Reduce(ReduceKind::Sum, bodies) => {
            for body in bodies {
                decompose(body, weight, parts, constant)?;
            }
        }
        Node::Reduce(ReduceKind::Mean, bodies) if !bodies.is_empty() => {
            let share = weight / Rational::from_integer(bodies.len().into());
            for body in bodies {
                decompose(body, &share, parts, constant)?;
            }
        }
        Node::Count(_)
        | Node::Sum(_)
        | Node::Sd(_)
        | Node::Phi(_)
        | Node::Statistic(..)
        | Node::Order(..)
        | Node::Fitted(_)
        | Node::Abs(_)
        | Node::Log(_)
        | Node::Reduce(..)
        | Node::OrElse(..)
        | Node::Pick(_) => return Err(NONE.to_owned()),
    }
    Ok(())
}
