//! A formula and a table as independent blocks of binomial cells.
//!
//! Owns the aggregation and its canonical order: blocks by name, cells within a block by their explanatory values, so that no
//! order of rows or labels can reach a sum. A block holds what the names common to all random intercepts hold constant; no
//! effect reaches beyond its block, so the likelihood is a product over blocks.

use std::ops::Range;

use super::design::{Design, DesignError, column};
use super::formula::{Formula, Term};
use super::refusal::FitError;
use super::table::{Column, Factor, Table};
use crate::math::special::ln_gamma;

/// The most effects one block may have: each likelihood evaluation factors a matrix of so many rows for it.
pub(super) const MOST_EFFECTS: usize = 256;

/// The binomial count of all rows that no part of the model tells apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// Position among the distinct explanatory rows.
    pub(super) design: usize,
    /// Successes.
    pub(super) right: f64,
    /// Failures.
    pub(super) wrong: f64,
}

impl Cell {
    pub(super) fn trials(&self) -> f64 {
        self.right + self.wrong
    }
}

/// The cells and effects of one value of what is common to all groupings.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) cells: Range<usize>,
    pub(super) effects: Range<usize>,
}

/// One group of one random intercept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    /// Position of the random intercept in the formula.
    pub(super) term: usize,
    /// Its levels, joined by `:`.
    pub(super) label: String,
}

/// Everything a likelihood needs.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) names: Vec<String>,
    /// Distinct explanatory rows, `names.len()` values each.
    pub(super) designs: Vec<f64>,
    pub(super) terms: Vec<Term>,
    pub(super) blocks: Vec<Block>,
    pub(super) cells: Vec<Cell>,
    /// For each cell and each random intercept the position of its effect within the block.
    pub(super) places: Vec<usize>,
    pub(super) effects: Vec<Effect>,
    /// For each row of the table its cell; none without trials.
    pub(super) cell_of_row: Vec<Option<usize>>,
    /// Logarithm of the product of the binomial coefficients of the table's rows.
    pub(super) constant: f64,
}

impl Problem {
    pub(super) fn build(formula: &Formula, table: &Table) -> Result<Self, FitError> {
        let design = Design::build(formula, table)?;
        let terms: Vec<Term> = formula.random().iter().cloned().collect();
        let common = common(&terms)?;
        let groupings = terms.iter().map(|term| factors(term, table)).collect::<Result<Vec<_>, _>>()?;
        let blocking = factors(&common, table)?;
        // Key of a row: the block, the explanatory row, the group of each intercept; every part a rank, bytewise for labels.
        let mut rows: Vec<(Vec<usize>, usize)> = Vec::new();
        let blocking_ranks: Vec<Vec<usize>> = blocking.iter().map(|factor| bytewise(factor)).collect();
        let grouping_ranks: Vec<Vec<Vec<usize>>> =
            groupings.iter().map(|group| group.iter().map(|factor| bytewise(factor)).collect()).collect();
        for row in 0..table.trials().len() {
            let Some(place) = design.row_of(row) else { continue };
            let mut key = codes(&blocking, &blocking_ranks, row);
            key.push(place);
            for (group, ranks) in groupings.iter().zip(&grouping_ranks) {
                key.extend(codes(group, ranks, row));
            }
            rows.push((key, row));
        }
        rows.sort_unstable();
        let mut problem = Self {
            names: design.names().to_vec(),
            designs: design.rows().flatten().copied().collect(),
            terms,
            blocks: Vec::new(),
            cells: Vec::new(),
            places: Vec::new(),
            effects: Vec::new(),
            cell_of_row: vec![None; table.trials().len()],
            constant: constant(table),
        };
        let widths: Vec<usize> = groupings.iter().map(Vec::len).collect();
        for block in rows.chunk_by(|(a, _), (b, _)| a.iter().take(blocking.len()).eq(b.iter().take(blocking.len()))) {
            problem.add_block(block, blocking.len(), &widths, &groupings, table)?;
        }
        problem.check_counts()?;
        Ok(problem)
    }

    fn add_block(
        &mut self,
        rows: &[(Vec<usize>, usize)],
        skip: usize,
        widths: &[usize],
        groupings: &[Vec<&Factor>],
        table: &Table,
    ) -> Result<(), FitError> {
        let (first_cell, first_effect) = (self.cells.len(), self.effects.len());
        // The distinct groups of every intercept, in order of their ranks.
        let mut groups: Vec<Vec<&[usize]>> = Vec::new();
        let mut starts = Vec::new();
        let mut from = skip + 1;
        for (term, width) in widths.iter().enumerate() {
            let part = |key: &'_ [usize]| from..from + *width.min(&key.len());
            let mut seen: Vec<(&[usize], usize)> =
                rows.iter().filter_map(|(key, row)| key.get(part(key)).map(|group| (group, *row))).collect();
            seen.sort_unstable();
            seen.dedup_by(|a, b| a.0 == b.0);
            starts.push(self.effects.len() - first_effect);
            for (_, row) in &seen {
                let label = label(groupings.get(term).map_or(&[], Vec::as_slice), *row);
                self.effects.push(Effect { term, label });
            }
            groups.push(seen.into_iter().map(|(group, _)| group).collect());
            from += width;
        }
        let count = self.effects.len() - first_effect;
        if count > MOST_EFFECTS {
            return Err(FitError::TooManyEffects { effects: count });
        }
        for same in rows.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((key, _)) = same.first() else { continue };
            let (mut right, mut all) = (0_u64, 0_u64);
            for (_, row) in same {
                right += table.successes().get(*row).copied().unwrap_or_default();
                all += table.trials().get(*row).copied().unwrap_or_default();
                self.cell_of_row.iter_mut().skip(*row).take(1).for_each(|cell| *cell = Some(self.cells.len()));
            }
            let design = key.get(skip).copied().unwrap_or_default();
            self.cells.push(Cell { design, right: real(right), wrong: real(all - right) });
            let mut from = skip + 1;
            for ((width, groups), start) in widths.iter().zip(&groups).zip(&starts) {
                let own = key.get(from..from + width).unwrap_or_default();
                self.places.push(start + groups.partition_point(|group| *group < own));
                from += width;
            }
        }
        self.blocks.push(Block { cells: first_cell..self.cells.len(), effects: first_effect..self.effects.len() });
        Ok(())
    }

    /// Refuses counts that leave a model without an answer before any iteration is spent.
    pub(super) fn check_counts(&self) -> Result<(), FitError> {
        let sides =
            |cells: &[Cell]| (cells.iter().any(|cell| cell.right > 0.0), cells.iter().any(|cell| cell.wrong > 0.0));
        match sides(&self.cells) {
            (true, true) => {}
            (right, _) => return Err(FitError::OneOutcome { all_right: right }),
        }
        let constant = |block: &Block| sides(self.cells_of(block)) != (true, true);
        if !self.terms.is_empty() && self.blocks.iter().all(constant) {
            return Err(FitError::ConstantUnits);
        }
        Ok(())
    }

    /// The same model with other successes in each cell.
    pub(super) fn with_successes(&self, right: &[f64]) -> Self {
        let mut other = self.clone();
        for (cell, right) in other.cells.iter_mut().zip(right) {
            (cell.right, cell.wrong) = (*right, cell.trials() - right);
        }
        other
    }

    pub(super) fn cells_of(&self, block: &Block) -> &[Cell] {
        self.cells.get(block.cells.clone()).unwrap_or_default()
    }

    /// The places of a block's cells, one for each random intercept.
    pub(super) fn places_of(&self, block: &Block) -> &[usize] {
        let each = self.terms.len();
        self.places.get(block.cells.start * each..block.cells.end * each).unwrap_or_default()
    }

    /// The distinct explanatory rows.
    pub(super) fn design_rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.designs.chunks_exact(self.names.len())
    }

    /// `x'beta` of every distinct explanatory row.
    pub(super) fn predictors(&self, beta: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.design_rows().map(|row| row.iter().zip(beta).map(|(x, b)| x * b).sum::<f64>()));
    }
}

/// The names in every random intercept; empty when there is none.
fn common(terms: &[Term]) -> Result<Term, FitError> {
    let Some((first, rest)) = terms.split_first() else { return Ok(Term::of([])) };
    let names = first.names().iter().filter(|name| rest.iter().all(|term| term.names().contains(name)));
    let common = Term::of(names.map(String::as_str));
    if common.names().is_empty() {
        return Err(FitError::NoCommonUnit { terms: terms.iter().map(|term| format!("`(1 | {term})`")).collect() });
    }
    Ok(common)
}

fn factors<'t>(term: &Term, table: &'t Table) -> Result<Vec<&'t Factor>, DesignError> {
    let factor = |name: &String| match column(table, name)? {
        Column::Factor(factor) => Ok(factor),
        Column::Number(_) => Err(DesignError::GroupingOfNumbers(name.clone())),
    };
    term.names().iter().map(factor).collect()
}

/// For each level its place when the levels are sorted bytewise.
fn bytewise(factor: &Factor) -> Vec<usize> {
    let mut order: Vec<usize> = (0..factor.levels().len()).collect();
    order.sort_unstable_by_key(|place| factor.levels().get(*place));
    let mut ranks = vec![0; order.len()];
    for (rank, place) in order.into_iter().enumerate() {
        ranks.iter_mut().skip(place).take(1).for_each(|own| *own = rank);
    }
    ranks
}

fn codes(factors: &[&Factor], ranks: &[Vec<usize>], row: usize) -> Vec<usize> {
    let pairs = factors.iter().zip(ranks);
    pairs.filter_map(|(factor, ranks)| ranks.get(*factor.codes().get(row)?).copied()).collect()
}

fn label(factors: &[&Factor], row: usize) -> String {
    let level = |factor: &&Factor| factor.levels().get(*factor.codes().get(row)?).cloned();
    factors.iter().filter_map(level).collect::<Vec<_>>().join(":")
}

/// The sum over rows of `log choose(n, k)`, taken over the distinct pairs in order.
fn constant(table: &Table) -> f64 {
    let mut pairs: Vec<(u64, u64)> = table.trials().iter().copied().zip(table.successes().iter().copied()).collect();
    pairs.sort_unstable();
    pairs
        .chunk_by(|a, b| a == b)
        .filter_map(|same| same.first().map(|(all, right)| (real(same.len() as u64), *all, *right)))
        .map(|(times, all, right)| {
            let choose = if right == 0 || right == all {
                0.0
            } else {
                ln_gamma(real(all) + 1.0) - ln_gamma(real(right) + 1.0) - ln_gamma(real(all - right) + 1.0)
            };
            times * choose
        })
        .sum()
}

/// A count below 2^53 as a number.
#[expect(clippy::cast_precision_loss, reason = "a table's trials stay below 2^53 together")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}
