//! Turns a model of the search into values that people would choose: short decimals well inside the region, whole counts,
//! the end point when the region is a point. It never changes whether an answer exists.

use super::formula::{Sort, Value, Witness};
use super::number::{Delta, Number};
use super::outcome::Refusal;
use super::search::{Literal, Search};
use super::translate::{Node, Translation};
use super::work::Meter;

/// Whole-number splits that one attempt at a nicer value may cost.
const SPLITS: usize = 64;
/// Decimal places beyond which a midpoint is taken as it is.
const PLACES: usize = 15;

/// The witness of a translation that `solve` found satisfiable.
pub(super) fn extract(found: &Translation<'_>, meter: &mut Meter) -> Witness {
    let needed = found.implicant();
    let mut region = found.search.clone();
    region.back_to(0);
    for literal in &needed {
        // These bounds held together a moment ago, so imposing them cannot conflict.
        let _ = region.impose(*literal);
    }
    let columns: Vec<usize> = found.columns.iter().flatten().copied().collect();
    // The search's own values satisfy every bound of the region, so they are the first point.
    let mut point = concrete(&found.search, &columns);
    for (index, column) in columns.iter().enumerate() {
        // Running out of budget here only costs the nicer value.
        if let Ok(Some(nicer)) = settle(&mut region, *column, &columns, meter) {
            point = nicer;
        } else if let Some(value) = point.get(index) {
            fix(&mut region, *column, value);
        }
    }
    let mut numbers = point.into_iter();
    let values = found.problem.variables.iter().enumerate().map(|(index, variable)| match variable.sort {
        Sort::Class(_) => Value::Class(class(found, index, &needed)),
        Sort::Real | Sort::Int => Value::Number(numbers.next().unwrap_or(Number::ZERO).to_big()),
    });
    Witness { values: values.collect() }
}

/// Fixes a column at a value that people would choose, if the rest can follow; gives the new point.
fn settle(
    region: &mut Search,
    column: usize,
    columns: &[usize],
    meter: &mut Meter,
) -> Result<Option<Vec<Number>>, Refusal> {
    if region.simplex.check(meter)?.is_err() {
        return Ok(None);
    }
    let lowest = region.simplex.optimum(column, false, meter)?;
    let highest = region.simplex.optimum(column, true, meter)?;
    let Some(value) = choose(lowest.as_ref(), highest.as_ref(), region.is_whole(column)) else { return Ok(None) };
    let mark = region.simplex.mark();
    fix(region, column, &value);
    let feasible = integral(region, columns, meter);
    region.simplex.undo_to(mark);
    let point = feasible?;
    if point.is_some() {
        fix(region, column, &value);
    }
    Ok(point)
}

fn fix(region: &mut Search, column: usize, value: &Number) {
    let exactly = Delta::new(value.clone(), 0);
    // A conflict shows in the next check, which then declines to settle.
    let _ = region.simplex.assert_lower(column, exactly.clone(), None);
    let _ = region.simplex.assert_upper(column, exactly, None);
}

/// Looks for a point of the region that is whole where it must be, by splitting depth first.
fn integral(region: &mut Search, columns: &[usize], meter: &mut Meter) -> Result<Option<Vec<Number>>, Refusal> {
    let start = region.simplex.mark();
    // Splits whose other side was not tried yet: where to return to, and the bound to impose then.
    let mut open: Vec<(usize, usize, Number, bool)> = Vec::new();
    let mut splits = 0;
    let mut found = None;
    let mut alive = true;
    loop {
        if alive && region.simplex.check(meter)?.is_ok() {
            let Some((column, floor, low)) = region.fractional() else {
                found = Some(concrete(region, columns));
                break;
            };
            splits += 1;
            if splits > SPLITS {
                break;
            }
            open.push((region.simplex.mark(), column, floor.clone(), !low));
            alive = restrict(region, column, &floor, low);
        } else {
            let Some((mark, column, floor, low)) = open.pop() else { break };
            region.simplex.undo_to(mark);
            alive = restrict(region, column, &floor, low);
        }
    }
    region.simplex.undo_to(start);
    Ok(found)
}

/// Imposes one side of a split; false when the range already excludes it.
fn restrict(region: &mut Search, column: usize, floor: &Number, low: bool) -> bool {
    if low {
        region.simplex.assert_upper(column, Delta::new(floor.clone(), 0), None).is_ok()
    } else {
        region.simplex.assert_lower(column, Delta::new(floor.add(&Number::ONE), 0), None).is_ok()
    }
}

/// The numbers behind the infinitesimals.
fn concrete(search: &Search, columns: &[usize]) -> Vec<Number> {
    let tiny = search.simplex.concrete_tiny();
    let number = |column: &usize| {
        let value = search.simplex.value(*column);
        value.real.add(&value.tiny.mul(&tiny))
    };
    columns.iter().map(number).collect()
}

/// The value that people would choose between two ends.
fn choose(lowest: Option<&Delta>, highest: Option<&Delta>, whole: bool) -> Option<Number> {
    match (lowest, highest) {
        (None, None) => Some(Number::ZERO),
        (Some(low), None) => {
            let zero = Delta::ZERO;
            Some(if *low < zero { Number::ZERO } else { low.real.floor().add(&Number::ONE) })
        }
        (None, Some(high)) => {
            let zero = Delta::ZERO;
            Some(if *high > zero { Number::ZERO } else { high.real.ceil().sub(&Number::ONE) })
        }
        (Some(low), Some(high)) if whole => {
            let first = if low.tiny.is_positive() && low.real.is_integer() {
                low.real.add(&Number::ONE)
            } else {
                low.real.ceil()
            };
            let last = if high.tiny.is_negative() && high.real.is_integer() {
                high.real.sub(&Number::ONE)
            } else {
                high.real.floor()
            };
            (first <= last).then(|| first.add(&last).mul(&Number::Small(1, 2)).floor())
        }
        (Some(low), Some(high)) if low.real == high.real => Some(low.real.clone()),
        (Some(low), Some(high)) => {
            let middle = low.real.add(&high.real).mul(&Number::Small(1, 2));
            let mut unit = Number::ONE;
            for _ in 0..=PLACES {
                let short = middle.div(&unit)?.round().mul(&unit);
                if low.real < short && short < high.real {
                    return Some(short);
                }
                unit = unit.mul(&Number::Small(1, 10));
            }
            Some(middle)
        }
    }
}

/// The first class that the needed literals allow.
fn class(found: &Translation<'_>, index: usize, needed: &[Literal]) -> usize {
    let literals = found.classes.iter().find(|(id, _)| id.index() == index).map(|(_, literals)| literals);
    let Some(literals) = literals else { return 0 };
    literals.iter().position(|literal| needed.contains(literal)).unwrap_or(0)
}

impl Translation<'_> {
    /// Literals of the model that make everything asserted true, leaving out what does not matter.
    fn implicant(&self) -> Vec<Literal> {
        let mut needed = Vec::new();
        let mut open: Vec<&Node> = self.asserted.iter().collect();
        while let Some(node) = open.pop() {
            match node {
                Node::Literal(literal) => needed.push(*literal),
                Node::And(all) => open.extend(all),
                Node::Or(any) => open.extend(any.iter().find(|inner| self.is_true(inner))),
            }
        }
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    fn is_true(&self, node: &Node) -> bool {
        match node {
            Node::Literal(literal) => self.search.holds(*literal),
            Node::And(all) => all.iter().all(|inner| self.is_true(inner)),
            Node::Or(any) => any.iter().any(|inner| self.is_true(inner)),
        }
    }
}
