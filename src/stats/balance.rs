//! Balance of the positions in which items are shown, and ranks averaged over positions, raters and pairwise choices.
//!
//! Owns the cyclic Latin square, the check that a set of orders balances positions, and the averages. Raters favour positions; when
//! every item stands equally often in every position, averaging over the orders removes what a position adds to an item's rank. A
//! cyclic square balances positions only: the same item always follows the same neighbour, so carry-over is not balanced.

use std::fmt;

use super::exact_sum::ExactSum;
use super::moments::mid_ranks;
use super::undefined::Undefined;
use super::weights::{finite, once, same_length, total};

/// Why orders or ranks cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BalanceError {
    /// There is nothing to compute from.
    Undefined(Undefined),
    /// An order does not show every item exactly once.
    NotAnOrder {
        /// The order, counted from 0.
        order: usize,
    },
    /// An item stands in a position more or less often than its share.
    Unbalanced {
        /// The item, counted from 0.
        item: usize,
        /// The position, counted from 0.
        position: usize,
        /// How often it stands there.
        have: usize,
        /// How many orders there are; each item needs this many over the number of items in every position.
        orders: usize,
    },
    /// A choice names an item that does not exist, or the same item twice.
    Choice {
        /// The choice, counted from 0.
        choice: usize,
    },
}

impl From<Undefined> for BalanceError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for BalanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(reason) => reason.fmt(f),
            Self::NotAnOrder { order } => {
                write!(
                    f,
                    "order number {} does not show every item exactly once; list each item's number one time",
                    order + 1
                )
            }
            Self::Unbalanced { item, position, have, orders } => write!(
                f,
                "item number {} stands {have} times in position {} of {orders} orders, so a liking for positions would pass for one \
                 for items; show every item equally often in every position, as a cyclic square does",
                item + 1,
                position + 1
            ),
            Self::Choice { choice } => {
                write!(f, "choice number {} does not name two different items of the set", choice + 1)
            }
        }
    }
}

impl std::error::Error for BalanceError {}

/// The cyclic Latin square of so many items: row r shows item (p + r) mod items in position p. Every item stands once in every
/// position.
#[must_use]
pub fn cyclic_square(items: u16) -> Vec<Vec<usize>> {
    let items = usize::from(items);
    (0..items).map(|row| (0..items).map(|position| (position + row) % items).collect()).collect()
}

/// How often each item stands in each position: a row for each item. Fails when an order does not show every item exactly once.
pub fn position_counts<O: AsRef<[usize]>>(orders: &[O]) -> Result<Vec<Vec<usize>>, BalanceError> {
    let items = orders.first().map_or(0, |order| order.as_ref().len());
    if items == 0 {
        return Err(Undefined::NoRecords.into());
    }
    let mut counts = vec![vec![0; items]; items];
    for (number, order) in orders.iter().enumerate() {
        let order = order.as_ref();
        let bad = BalanceError::NotAnOrder { order: number };
        let mut shown = vec![false; items];
        if order.len() != items {
            return Err(bad);
        }
        for (position, item) in order.iter().enumerate() {
            let first = shown.get_mut(*item).is_some_and(|shown| !std::mem::replace(shown, true));
            let slot = counts.get_mut(*item).and_then(|row| row.get_mut(position)).filter(|_| first);
            *slot.ok_or(bad)? += 1;
        }
    }
    Ok(counts)
}

/// Fails unless every item stands equally often in every position.
pub fn check_balance<O: AsRef<[usize]>>(orders: &[O]) -> Result<(), BalanceError> {
    let counts = position_counts(orders)?;
    let (items, orders) = (counts.len(), orders.len());
    for (item, row) in counts.iter().enumerate() {
        if let Some((position, &have)) = row.iter().enumerate().find(|(_, have)| **have * items != orders) {
            return Err(BalanceError::Unbalanced { item, position, have, orders });
        }
    }
    Ok(())
}

/// The mean rank of each item over balanced orders. `ranks` has a row for each order with the rank given to each *position*; rank 1
/// is best by convention, but any numbers average alike. Fails when the orders do not balance positions.
pub fn average_over_positions<O: AsRef<[usize]>, R: AsRef<[f64]>>(
    orders: &[O],
    ranks: &[R],
) -> Result<Vec<f64>, BalanceError> {
    check_balance(orders)?;
    same_length(orders.len(), ranks.len())?;
    let mut by_item = Vec::with_capacity(orders.len());
    for (order, ranks) in orders.iter().zip(ranks) {
        let (order, ranks) = (order.as_ref(), ranks.as_ref());
        same_length(order.len(), ranks.len())?;
        let mut row = vec![0.0; order.len()];
        for (item, rank) in order.iter().zip(ranks) {
            if let Some(slot) = row.get_mut(*item) {
                *slot = *rank;
            }
        }
        by_item.push(row);
    }
    average_ranks(&by_item)
}

/// [`average_ranks_weighted`] with every rater once.
pub fn average_ranks<R: AsRef<[f64]>>(ranks: &[R]) -> Result<Vec<f64>, BalanceError> {
    average_ranks_weighted(ranks, &once(ranks.len()))
}

/// The mean rank of each item over raters (models, people), each as often as its multiplicity says. A row for each rater, with the
/// rank of each item. Rounded once.
pub fn average_ranks_weighted<R: AsRef<[f64]>>(ranks: &[R], multiplicities: &[u16]) -> Result<Vec<f64>, BalanceError> {
    let raters = total(ranks.len(), multiplicities)?;
    let items = ranks.first().map_or(0, |row| row.as_ref().len());
    let mut sums = vec![ExactSum::default(); items];
    for (row, times) in ranks.iter().zip(multiplicities) {
        same_length(items, row.as_ref().len())?;
        finite(row.as_ref())?;
        for (sum, rank) in sums.iter_mut().zip(row.as_ref()) {
            sum.add(*rank, *times);
        }
    }
    Ok(sums.iter().map(|sum| sum.mean(raters)).collect::<Result<_, _>>()?)
}

/// How often each item won, from choices given as (winner, loser), each as often as its multiplicity says.
pub fn win_counts(items: u16, choices: &[(u16, u16)], multiplicities: &[u16]) -> Result<Vec<u64>, BalanceError> {
    total(choices.len(), multiplicities)?;
    let mut wins = vec![0; usize::from(items)];
    for (choice, ((winner, loser), times)) in choices.iter().zip(multiplicities).enumerate() {
        if winner == loser || *loser >= items {
            return Err(BalanceError::Choice { choice });
        }
        *wins.get_mut(usize::from(*winner)).ok_or(BalanceError::Choice { choice })? += u64::from(*times);
    }
    Ok(wins)
}

/// Ranks from win counts: 1 for the most wins, equal counts sharing the mean of the ranks they span.
///
/// They order items fairly when every pair was put to the raters equally often.
#[must_use]
pub fn win_ranks(wins: &[u64]) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts of choices lie far below 2^53")]
    let losing: Vec<f64> = wins.iter().map(|&wins| -(wins as f64)).collect();
    mid_ranks(&losing)
}

#[cfg(test)]
mod tests;
