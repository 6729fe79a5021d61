//! Conflict-driven search over clauses whose literals may be bounds on simplex columns. Whole-number columns are settled
//! by splitting on a fractional value. It owns the search alone: it knows nothing of terms or formulas.

#![expect(
    clippy::indexing_slicing,
    reason = "boolean variables and clauses are issued by this module and are never removed"
)]

use super::number::{Delta, Number};
use super::outcome::Refusal;
use super::simplex::Simplex;
use super::work::Meter;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A boolean variable or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal(usize);

impl Literal {
    const fn new(variable: usize, positive: bool) -> Self {
        Self(variable * 2 + if positive { 0 } else { 1 })
    }

    pub(super) const fn variable(self) -> usize {
        self.0 / 2
    }

    const fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }
}

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// `column <= bound`, or `column < bound` when strict. On whole-number columns bounds are whole and never strict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Atom {
    pub(super) column: usize,
    pub(super) bound: Number,
    pub(super) strict: bool,
}

impl Atom {
    /// The upper limit that the atom states.
    fn limit(&self) -> Delta {
        Delta::new(self.bound.clone(), if self.strict { -1 } else { 0 })
    }
}

#[derive(Clone, Default)]
pub(super) struct Search {
    pub(super) simplex: Simplex,
    /// For each column whether it takes whole numbers only.
    whole: Vec<bool>,
    atoms: Vec<Option<Atom>>,
    known: BTreeMap<Atom, usize>,
    clauses: Vec<Vec<Literal>>,
    /// For each literal the clauses that watch it.
    watches: Vec<Vec<usize>>,
    truth: Vec<Option<bool>>,
    level: Vec<usize>,
    reason: Vec<Option<usize>>,
    trail: Vec<Literal>,
    /// For each decision the lengths of both trails before it.
    marks: Vec<(usize, usize)>,
    propagated: usize,
    asserted: usize,
    /// For each variable without a column the side that is tried first.
    leaning: Vec<bool>,
    activity: Vec<u64>,
    bump: u64,
    order: BTreeSet<(Reverse<u64>, usize)>,
    contradiction: bool,
    /// How many whole-number splits were made.
    pub(super) splits: u64,
}

impl Search {
    pub(super) fn add_column(&mut self, whole: bool) -> usize {
        self.whole.push(whole);
        self.simplex.add_column()
    }

    pub(super) fn add_sum(&mut self, sum: &[(usize, Number)]) -> usize {
        self.whole.push(sum.iter().all(|(column, factor)| self.whole[*column] && factor.is_integer()));
        self.simplex.add_sum(sum)
    }

    pub(super) fn is_whole(&self, column: usize) -> bool {
        self.whole[column]
    }

    /// Limits a column for good.
    pub(super) fn limit(&mut self, column: usize, lower: Option<Delta>, upper: Option<Delta>) {
        let low = lower.is_none_or(|bound| self.simplex.assert_lower(column, bound, None).is_ok());
        let high = upper.is_none_or(|bound| self.simplex.assert_upper(column, bound, None).is_ok());
        self.contradiction |= !(low && high);
    }

    /// A new variable; the search tries the side it leans to first.
    pub(super) fn add_variable(&mut self, leaning: bool) -> Literal {
        let variable = self.truth.len();
        self.atoms.push(None);
        self.leaning.push(leaning);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.truth.push(None);
        self.level.push(0);
        self.reason.push(None);
        self.activity.push(0);
        self.order.insert((Reverse(0), variable));
        Literal::new(variable, true)
    }

    pub(super) fn atom(&mut self, atom: Atom) -> Literal {
        if let Some(variable) = self.known.get(&atom) {
            return Literal::new(*variable, true);
        }
        let literal = self.add_variable(false);
        self.atoms[literal.variable()] = Some(atom.clone());
        self.known.insert(atom, literal.variable());
        literal
    }

    /// Adds a clause; only before [`Search::solve`].
    pub(super) fn add_clause(&mut self, mut clause: Vec<Literal>) {
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        match clause[..] {
            [] => self.contradiction = true,
            [unit] => match self.value(unit) {
                None => self.enqueue(unit, None),
                Some(true) => {}
                Some(false) => self.contradiction = true,
            },
            _ => {
                self.attach(clause);
            }
        }
    }

    fn attach(&mut self, clause: Vec<Literal>) -> usize {
        let index = self.clauses.len();
        for literal in clause.iter().take(2) {
            self.watches[literal.0].push(index);
        }
        self.clauses.push(clause);
        index
    }

    /// States what follows among the bounds of one column: `x <= 1` gives `x <= 2`.
    pub(super) fn chain_atoms(&mut self) {
        // `known` is sorted by column, bound and then strict last, but `x < b` is the stronger one.
        let mut sorted: Vec<(usize, &Number, bool, usize)> =
            self.known.iter().map(|(atom, variable)| (atom.column, &atom.bound, !atom.strict, *variable)).collect();
        sorted.sort_unstable();
        let clauses: Vec<_> = sorted
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| vec![Literal::new(pair[0].3, false), Literal::new(pair[1].3, true)])
            .collect();
        for clause in clauses {
            self.add_clause(clause);
        }
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.truth[literal.variable()].map(|truth| truth == literal.is_positive())
    }

    /// Whether the literal holds in the model that [`Search::solve`] found.
    pub(super) fn holds(&self, literal: Literal) -> bool {
        self.value(literal) == Some(true)
    }

    fn enqueue(&mut self, literal: Literal, reason: Option<usize>) {
        let variable = literal.variable();
        self.truth[variable] = Some(literal.is_positive());
        self.level[variable] = self.marks.len();
        self.reason[variable] = reason;
        self.trail.push(literal);
    }

    /// Whether all clauses can hold, with every column within its bounds and whole where it must be.
    pub(super) fn solve(&mut self, meter: &mut Meter) -> Result<bool, Refusal> {
        if self.contradiction {
            return Ok(false);
        }
        self.bump = self.bump.max(1);
        loop {
            if let Some(conflict) = self.propagate(meter)? {
                meter.branch()?;
                if !self.resolve(conflict) {
                    return Ok(false);
                }
            } else if let Some(decision) = self.pick().or_else(|| self.split()) {
                meter.branch()?;
                self.marks.push((self.trail.len(), self.simplex.mark()));
                self.enqueue(decision, None);
            } else {
                return Ok(true);
            }
        }
    }

    /// Propagates clauses, then bounds. Gives a clause that is false, if there is one.
    fn propagate(&mut self, meter: &mut Meter) -> Result<Option<Vec<Literal>>, Refusal> {
        if let Some(clause) = self.propagate_clauses(meter)? {
            return Ok(Some(self.clauses[clause].clone()));
        }
        let blame = |causes: Vec<Literal>| Some(causes.into_iter().map(|cause| !cause).collect());
        while let Some(&literal) = self.trail.get(self.asserted) {
            self.asserted += 1;
            if let Err(causes) = self.impose(literal) {
                return Ok(blame(causes));
            }
        }
        Ok(self.simplex.check(meter)?.err().and_then(blame))
    }

    fn propagate_clauses(&mut self, meter: &mut Meter) -> Result<Option<usize>, Refusal> {
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let falsified = !literal;
            let watching = std::mem::take(&mut self.watches[falsified.0]);
            meter.steps(1 + watching.len() as u64)?;
            let mut kept = Vec::with_capacity(watching.len());
            let mut conflict = None;
            for index in watching {
                if conflict.is_some() {
                    kept.push(index);
                    continue;
                }
                if self.clauses[index][0] == falsified {
                    self.clauses[index].swap(0, 1);
                }
                let first = self.clauses[index][0];
                if self.value(first) == Some(true) {
                    kept.push(index);
                    continue;
                }
                let next = (2..self.clauses[index].len()).find(|&i| self.value(self.clauses[index][i]) != Some(false));
                if let Some(next) = next {
                    self.clauses[index].swap(1, next);
                    let watched = self.clauses[index][1];
                    self.watches[watched.0].push(index);
                    continue;
                }
                kept.push(index);
                if self.value(first) == Some(false) {
                    conflict = Some(index);
                } else {
                    self.enqueue(first, Some(index));
                }
            }
            self.watches[falsified.0] = kept;
            if conflict.is_some() {
                return Ok(conflict);
            }
        }
        Ok(None)
    }

    /// Asserts the bound that a literal stands for.
    pub(super) fn impose(&mut self, literal: Literal) -> Result<(), Vec<Literal>> {
        let Some(atom) = &self.atoms[literal.variable()] else { return Ok(()) };
        let column = atom.column;
        if literal.is_positive() {
            let limit = atom.limit();
            return self.simplex.assert_upper(column, limit, Some(literal));
        }
        let limit = if self.whole[column] {
            Delta::new(atom.bound.add(&Number::ONE), 0)
        } else {
            Delta::new(atom.bound.clone(), i64::from(!atom.strict))
        };
        self.simplex.assert_lower(column, limit, Some(literal))
    }

    /// Learns from a false clause and goes back; false when nothing is left to go back to.
    fn resolve(&mut self, conflict: Vec<Literal>) -> bool {
        let current = conflict.iter().map(|literal| self.level[literal.variable()]).max().unwrap_or(0);
        if current == 0 {
            return false;
        }
        self.back_to(current);
        let mut seen = BTreeSet::new();
        let mut learnt = Vec::new();
        let mut open = 0_usize;
        let mut side = conflict;
        let mut position = self.trail.len();
        let asserting = loop {
            for literal in std::mem::take(&mut side) {
                let variable = literal.variable();
                if self.level[variable] > 0 && seen.insert(variable) {
                    self.raise(variable);
                    if self.level[variable] == current {
                        open += 1;
                    } else {
                        learnt.push(literal);
                    }
                }
            }
            position -= 1;
            while !seen.contains(&self.trail[position].variable()) {
                position -= 1;
            }
            let literal = self.trail[position];
            open -= 1;
            match self.reason[literal.variable()] {
                Some(clause) if open > 0 => side.clone_from(&self.clauses[clause]),
                _ => break !literal,
            }
        };
        self.bump += self.bump / 16 + 1;
        // The literal of the deepest earlier level is watched, so that going back wakes the clause in time.
        learnt.sort_by_key(|literal| (Reverse(self.level[literal.variable()]), *literal));
        let target = learnt.first().map_or(0, |literal| self.level[literal.variable()]);
        self.back_to(target);
        learnt.insert(0, asserting);
        let reason = if learnt.len() > 1 { Some(self.attach(learnt)) } else { None };
        self.enqueue(asserting, reason);
        true
    }

    fn raise(&mut self, variable: usize) {
        let waiting = self.order.remove(&(Reverse(self.activity[variable]), variable));
        self.activity[variable] = self.activity[variable].saturating_add(self.bump);
        if waiting {
            self.order.insert((Reverse(self.activity[variable]), variable));
        }
        if self.activity[variable] > 1 << 60 {
            self.bump = (self.bump >> 40).max(1);
            for activity in &mut self.activity {
                *activity >>= 40;
            }
            self.order =
                self.order.iter().map(|(_, variable)| (Reverse(self.activity[*variable]), *variable)).collect();
        }
    }

    /// Takes back every decision above a level.
    pub(super) fn back_to(&mut self, level: usize) {
        let Some(&(length, mark)) = self.marks.get(level) else { return };
        self.marks.truncate(level);
        for literal in self.trail.split_off(length) {
            let variable = literal.variable();
            self.truth[variable] = None;
            self.reason[variable] = None;
            self.order.insert((Reverse(self.activity[variable]), variable));
        }
        self.simplex.undo_to(mark);
        self.propagated = self.propagated.min(length);
        self.asserted = self.asserted.min(length);
    }

    /// The next free variable, on the side that agrees with the current values, so that it costs the simplex nothing.
    fn pick(&mut self) -> Option<Literal> {
        loop {
            let (_, variable) = self.order.pop_first()?;
            if self.truth[variable].is_none() {
                let side = match &self.atoms[variable] {
                    Some(atom) => *self.simplex.value(atom.column) <= atom.limit(),
                    None => self.leaning[variable],
                };
                return Some(Literal::new(variable, side));
            }
        }
    }

    /// A bound that excludes the fractional value of a whole-number column.
    fn split(&mut self) -> Option<Literal> {
        let (column, floor, low) = self.fractional()?;
        self.splits += 1;
        let literal = self.atom(Atom { column, bound: floor, strict: false });
        // The new variable is decided at once and must not wait in the order as well.
        self.order.remove(&(Reverse(self.activity[literal.variable()]), literal.variable()));
        Some(if low { literal } else { !literal })
    }

    /// The first whole-number column with another value: the column, the whole number below, and whether that is nearest.
    pub(super) fn fractional(&self) -> Option<(usize, Number, bool)> {
        let (column, floor) = self.whole.iter().enumerate().filter(|(_, whole)| **whole).find_map(|(column, _)| {
            let value = self.simplex.value(column);
            let floor = value.real.floor();
            if value.real != floor {
                return Some((column, floor));
            }
            match value.tiny.sign() {
                0 => None,
                1 => Some((column, floor)),
                _ => Some((column, floor.sub(&Number::ONE))),
            }
        })?;
        let low = self.simplex.value(column).real.sub(&floor) <= Number::Small(1, 2);
        Some((column, floor, low))
    }
}
