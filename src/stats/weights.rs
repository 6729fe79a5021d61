//! Whole-number multiplicities of records: how often each stands in the list a statistic is computed from.
//!
//! Owns the checks that every weighted form shares. A weighted statistic is by definition the plain one of the repeated list.

use super::undefined::Undefined;

/// Every record once.
pub(super) fn once(records: usize) -> Vec<u16> {
    vec![1; records]
}

/// How many records the repeated list holds; at least one. Fails with [`Undefined::UnequalLengths`] or [`Undefined::NoRecords`].
pub(super) fn total(records: usize, multiplicities: &[u16]) -> Result<u64, Undefined> {
    same_length(records, multiplicities.len())?;
    // A slice holds fewer than 2^48 multiplicities below 2^16.
    let total = multiplicities.iter().map(|&times| u64::from(times)).sum();
    if total == 0 { Err(Undefined::NoRecords) } else { Ok(total) }
}

/// Fails with [`Undefined::UnequalLengths`] when two inputs that run in parallel do not.
pub(super) fn same_length(left: usize, right: usize) -> Result<(), Undefined> {
    if left == right { Ok(()) } else { Err(Undefined::UnequalLengths { left, right }) }
}

/// Fails with [`Undefined::NotFinite`] when a value is no number.
pub(super) fn finite(values: &[f64]) -> Result<(), Undefined> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Undefined::NotFinite) }
}
