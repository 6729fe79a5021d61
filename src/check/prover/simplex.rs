//! Exact simplex over bounded columns, after Dutertre and de Moura's solver for satisfiability modulo linear arithmetic:
//! feasibility with explanations, bounds that can be taken back, and optimisation of one column. It knows nothing of
//! formulas; bounds carry the literal that asked for them, so that a conflict can name its causes.

#![expect(clippy::indexing_slicing, reason = "columns and rows are issued by this module and are never removed")]

use super::number::{Delta, Number};
use super::outcome::Refusal;
use super::search::Literal;
use super::work::Meter;

/// A bound and the literal that asked for it; declared ranges have none.
type Limit = Option<(Delta, Option<Literal>)>;

/// `basic = sum of coefficient * column`, over non-basic columns in ascending order.
#[derive(Clone)]
struct Row {
    basic: usize,
    entries: Vec<(usize, Number)>,
}

/// What a bound was before it was tightened.
#[derive(Clone)]
struct Undo {
    column: usize,
    upper: bool,
    old: Limit,
}

/// Literals that cannot all hold; declared ranges that take part are left out.
pub(super) type Conflict = Vec<Literal>;

#[derive(Clone, Default)]
pub(super) struct Simplex {
    rows: Vec<Row>,
    /// For each column the row it is basic in.
    home: Vec<Option<usize>>,
    value: Vec<Delta>,
    lower: Vec<Limit>,
    upper: Vec<Limit>,
    trail: Vec<Undo>,
}

impl Simplex {
    /// A new free column at 0.
    pub(super) fn add_column(&mut self) -> usize {
        self.home.push(None);
        self.value.push(Delta::ZERO);
        self.lower.push(None);
        self.upper.push(None);
        self.home.len() - 1
    }

    /// A new column that equals a sum over earlier columns.
    pub(super) fn add_sum(&mut self, sum: &[(usize, Number)]) -> usize {
        let column = self.add_column();
        let mut entries: Vec<(usize, Number)> = Vec::new();
        let mut value = Delta::ZERO;
        for (term, factor) in sum {
            value = value.add(&self.value[*term].scale(factor));
            match self.home[*term] {
                None => entries = combine(&entries, &[(*term, Number::ONE)], factor),
                Some(row) => entries = combine(&entries, &self.rows[row].entries, factor),
            }
        }
        self.value[column] = value;
        self.home[column] = Some(self.rows.len());
        self.rows.push(Row { basic: column, entries });
        column
    }

    /// A point to return to with [`Simplex::undo_to`].
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back every bound asserted since the mark.
    pub(super) fn undo_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some(undo) = self.trail.pop() {
                let side = if undo.upper { &mut self.upper } else { &mut self.lower };
                side[undo.column] = undo.old;
            }
        }
    }

    pub(super) fn value(&self, column: usize) -> &Delta {
        &self.value[column]
    }

    /// Asserts `column <= bound`.
    pub(super) fn assert_upper(&mut self, column: usize, bound: Delta, cause: Option<Literal>) -> Result<(), Conflict> {
        if self.upper[column].as_ref().is_some_and(|(known, _)| *known <= bound) {
            return Ok(());
        }
        if let Some((low, other)) = &self.lower[column]
            && *low > bound
        {
            return Err(cause.into_iter().chain(*other).collect());
        }
        let old = self.upper[column].replace((bound.clone(), cause));
        self.trail.push(Undo { column, upper: true, old });
        if self.home[column].is_none() && self.value[column] > bound {
            self.move_to(column, bound);
        }
        Ok(())
    }

    /// Asserts `column >= bound`.
    pub(super) fn assert_lower(&mut self, column: usize, bound: Delta, cause: Option<Literal>) -> Result<(), Conflict> {
        if self.lower[column].as_ref().is_some_and(|(known, _)| *known >= bound) {
            return Ok(());
        }
        if let Some((high, other)) = &self.upper[column]
            && *high < bound
        {
            return Err(cause.into_iter().chain(*other).collect());
        }
        let old = self.lower[column].replace((bound.clone(), cause));
        self.trail.push(Undo { column, upper: false, old });
        if self.home[column].is_none() && self.value[column] < bound {
            self.move_to(column, bound);
        }
        Ok(())
    }

    /// Moves a non-basic column and keeps the basic ones true to their rows.
    fn move_to(&mut self, column: usize, target: Delta) {
        let change = target.sub(&self.value[column]);
        for row in &self.rows {
            if let Some(factor) = entry(&row.entries, column) {
                self.value[row.basic] = self.value[row.basic].add(&change.scale(factor));
            }
        }
        self.value[column] = target;
    }

    fn below(&self, column: usize) -> bool {
        self.lower[column].as_ref().is_some_and(|(bound, _)| self.value[column] < *bound)
    }

    fn above(&self, column: usize) -> bool {
        self.upper[column].as_ref().is_some_and(|(bound, _)| self.value[column] > *bound)
    }

    fn can_rise(&self, column: usize) -> bool {
        self.upper[column].as_ref().is_none_or(|(bound, _)| self.value[column] < *bound)
    }

    fn can_fall(&self, column: usize) -> bool {
        self.lower[column].as_ref().is_none_or(|(bound, _)| self.value[column] > *bound)
    }

    /// Looks for values within all bounds. Bland's rule (always the smallest column) makes it end.
    pub(super) fn check(&mut self, meter: &mut Meter) -> Result<Result<(), Conflict>, Refusal> {
        loop {
            meter.steps(1 + self.rows.len() as u64)?;
            let broken = self.rows.iter().map(|row| row.basic).filter(|&b| self.below(b) || self.above(b)).min();
            let Some(basic) = broken else { return Ok(Ok(())) };
            let Some(row) = self.home[basic] else { return Ok(Ok(())) };
            let rising = self.below(basic);
            let side = if rising { &self.lower[basic] } else { &self.upper[basic] };
            let Some((target, cause)) = side.clone() else { return Ok(Ok(())) };
            let entering = self.rows[row].entries.iter().find(|(column, factor)| {
                if factor.is_positive() == rising { self.can_rise(*column) } else { self.can_fall(*column) }
            });
            let Some((entering, _)) = entering else {
                let causes = self.rows[row].entries.iter().filter_map(|(column, factor)| {
                    let side = if factor.is_positive() == rising { &self.upper } else { &self.lower };
                    side[*column].as_ref().and_then(|(_, cause)| *cause)
                });
                return Ok(Err(cause.into_iter().chain(causes).collect()));
            };
            let entering = *entering;
            self.pivot(row, entering, meter)?;
            // `basic` is non-basic now, so moving it moves `entering` and every other basic column with it.
            self.move_to(basic, target);
            meter.steps(self.value.iter().map(|value| value.real.cost()).sum())?;
        }
    }

    /// Exchanges the basic column of a row with one of the row's non-basic columns.
    fn pivot(&mut self, row: usize, entering: usize, meter: &mut Meter) -> Result<(), Refusal> {
        let leaving = self.rows[row].basic;
        let mut entries = std::mem::take(&mut self.rows[row].entries);
        let Some(factor) = entry(&entries, entering).and_then(Number::recip) else {
            self.rows[row].entries = entries;
            return Ok(());
        };
        // entering = leaving / factor - the others / factor.
        entries.retain(|(column, _)| *column != entering);
        let minus = factor.neg();
        for (_, coefficient) in &mut entries {
            *coefficient = coefficient.mul(&minus);
        }
        let place = entries.partition_point(|(column, _)| *column < leaving);
        entries.insert(place, (leaving, factor));
        self.home[leaving] = None;
        self.home[entering] = Some(row);
        let mut cost = entries.iter().map(|(_, number)| number.cost()).sum::<u64>();
        for other in &mut self.rows {
            let Some(factor) = entry(&other.entries, entering).cloned() else { continue };
            other.entries.retain(|(column, _)| *column != entering);
            other.entries = combine(&other.entries, &entries, &factor);
            cost += other.entries.iter().map(|(_, number)| number.cost()).sum::<u64>();
        }
        self.rows[row] = Row { basic: entering, entries };
        meter.steps(cost)
    }

    /// The greatest (or least) value of a column within all bounds; `None` when there is none. The values must be within
    /// the bounds already, and stay so. A value with an infinitesimal part is approached and not attained.
    pub(super) fn optimum(&mut self, column: usize, up: bool, meter: &mut Meter) -> Result<Option<Delta>, Refusal> {
        loop {
            meter.steps(1 + self.rows.len() as u64)?;
            let direct = [(column, Number::ONE)];
            let entries = self.home[column].map_or(&direct[..], |row| &self.rows[row].entries[..]);
            let entering = entries.iter().find_map(|(candidate, factor)| {
                let rising = factor.is_positive() == up;
                let free = if rising { self.can_rise(*candidate) } else { self.can_fall(*candidate) };
                free.then_some((*candidate, rising))
            });
            let Some((entering, rising)) = entering else { return Ok(Some(self.value[column].clone())) };
            // The first bound in the way: the entering column's own, or that of a basic column it drags along.
            let own = if rising { &self.upper[entering] } else { &self.lower[entering] };
            let mut least =
                own.as_ref().map(|(bound, _)| (magnitude(&bound.sub(&self.value[entering])), entering, None));
            for (index, row) in self.rows.iter().enumerate() {
                let Some(factor) = entry(&row.entries, entering) else { continue };
                let basic_rises = factor.is_positive() == rising;
                let side = if basic_rises { &self.upper[row.basic] } else { &self.lower[row.basic] };
                let Some((bound, _)) = side else { continue };
                let Some(inverse) = factor.abs().recip() else { continue };
                let room = magnitude(&bound.sub(&self.value[row.basic])).scale(&inverse);
                if least.as_ref().is_none_or(|(best, holder, _)| (&room, row.basic) < (best, *holder)) {
                    least = Some((room, row.basic, Some(index)));
                }
            }
            let Some((room, holder, row)) = least else { return Ok(None) };
            let step = if rising { room } else { room.scale(&Number::ONE.neg()) };
            let target = self.value[entering].add(&step);
            self.move_to(entering, target);
            if let Some(row) = row {
                debug_assert_eq!(self.rows[row].basic, holder, "the row that stops the move is the holder's");
                self.pivot(row, entering, meter)?;
            }
        }
    }

    /// A positive size for the infinitesimal that keeps every value within every bound.
    pub(super) fn concrete_tiny(&self) -> Number {
        let mut size = Number::ONE;
        let mut shrink = |low: &Delta, high: &Delta| {
            // low <= high as deltas; with a positive size it must hold as numbers too.
            if low.real < high.real && low.tiny > high.tiny {
                let limit = high.real.sub(&low.real).div(&low.tiny.sub(&high.tiny));
                if let Some(limit) = limit
                    && limit < size
                {
                    size = limit;
                }
            }
        };
        for (column, value) in self.value.iter().enumerate() {
            if let Some((bound, _)) = &self.lower[column] {
                shrink(bound, value);
            }
            if let Some((bound, _)) = &self.upper[column] {
                shrink(value, bound);
            }
        }
        size
    }
}

fn magnitude(value: &Delta) -> Delta {
    if *value < Delta::ZERO { value.scale(&Number::ONE.neg()) } else { value.clone() }
}

/// The coefficient of a column, if it is not 0.
fn entry(entries: &[(usize, Number)], column: usize) -> Option<&Number> {
    let place = entries.binary_search_by_key(&column, |(candidate, _)| *candidate).ok()?;
    entries.get(place).map(|(_, factor)| factor)
}

/// `left + factor * right`, sparse and sorted like both.
fn combine(left: &[(usize, Number)], right: &[(usize, Number)], factor: &Number) -> Vec<(usize, Number)> {
    let mut sum = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) if a == b => {
                if let (Some((column, mine)), Some((_, other))) = (left.next(), right.next()) {
                    let total = mine.add(&factor.mul(other));
                    if !total.is_zero() {
                        sum.push((*column, total));
                    }
                }
            }
            (Some((a, _)), Some((b, _))) if a < b => sum.extend(left.next().cloned()),
            (Some(_), None) => sum.extend(left.next().cloned()),
            (_, Some(_)) => {
                if let Some((column, other)) = right.next() {
                    sum.push((*column, factor.mul(other)));
                }
            }
            (None, None) => return sum,
        }
    }
}
