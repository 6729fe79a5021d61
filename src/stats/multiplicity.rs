//! Adjusting p-values for the number of comparisons planned.
//!
//! Owns the arithmetic of Holm, Bonferroni, Hochberg and Benjamini-Hochberg. The size of the family is the planned one, never
//! the number of p-values that happened to come out: a comparison that could not be computed still counts, with p = 1.

use std::fmt;

/// How to adjust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adjustment {
    /// Holm's step-down: family-wise error under any dependence. `max over j <= i of (m - j + 1) p_(j)`, capped at 1.
    Holm,
    /// `m p`, capped at 1.
    Bonferroni,
    /// Hochberg's step-up: family-wise error under independence or positive dependence.
    Hochberg,
    /// Benjamini and Hochberg's step-up: false discovery rate under independence or positive dependence.
    BenjaminiHochberg,
}

/// Adjusted p-values of one family that asks two questions of each comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAdjusted {
    /// For the nulls "there is no difference", in the order given.
    pub difference: Vec<f64>,
    /// For the nulls "the difference is at least the margin", in the order given.
    pub equivalence: Vec<f64>,
}

/// Why a family cannot be adjusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FamilyError {
    /// More p-values than the plan has comparisons.
    MoreThanPlanned {
        /// p-values given, undefined ones included.
        given: usize,
        /// Comparisons planned.
        planned: usize,
    },
    /// The value at this position is not a probability.
    NotAProbability {
        /// Position in the list given.
        index: usize,
        /// The value found there.
        value: f64,
    },
    /// The two lists of a joint adjustment differ in length.
    Unpaired {
        /// Difference tests given.
        difference: usize,
        /// Equivalence tests given.
        equivalence: usize,
    },
}

impl fmt::Display for FamilyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoreThanPlanned { given, planned } => write!(
                f,
                "the family was planned with {planned} comparisons and has {given}; adjusting for fewer than were made \
                 would understate every p, so plan them all"
            ),
            Self::NotAProbability { index, value } => {
                write!(f, "p-value number {} is {value}, which is not between 0 and 1", index + 1)
            }
            Self::Unpaired { difference, equivalence } => write!(
                f,
                "each comparison needs a difference and an equivalence test, but there are {difference} and {equivalence}; \
                 mark a test without a result as undefined instead of leaving it out"
            ),
        }
    }
}

impl std::error::Error for FamilyError {}

/// Adjusted p-values, in the order given.
///
/// `None` marks a comparison whose test is undefined: it counts as p = 1 and its adjusted value is 1. `planned` is the family
/// size of the plan; planned comparisons missing from the list count as p = 1 as well. Equal p-values are ranked by position,
/// which all four methods leave without effect on the result.
pub fn adjust(method: Adjustment, p: &[Option<f64>], planned: usize) -> Result<Vec<f64>, FamilyError> {
    checked(p, planned)?;
    let mut ranked: Vec<(usize, f64)> = p.iter().map(|v| v.unwrap_or(1.0)).enumerate().collect();
    // A stable sort: ties keep their position.
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    let m = real(planned);
    let scaled = |rank: usize, p: f64| match method {
        Adjustment::Holm | Adjustment::Hochberg => real(planned - rank) * p,
        Adjustment::Bonferroni => m * p,
        Adjustment::BenjaminiHochberg => m * p / real(rank + 1),
    };
    let mut values: Vec<(usize, f64)> =
        ranked.iter().enumerate().map(|(rank, &(index, p))| (index, scaled(rank, p).min(1.0))).collect();
    match method {
        Adjustment::Bonferroni => {}
        Adjustment::Holm => {
            let mut floor = 0.0_f64;
            for (_, value) in &mut values {
                floor = floor.max(*value);
                *value = floor;
            }
        }
        // Step-up methods look from the largest p down; the missing ones, at 1, sit above all and cap nothing below 1.
        Adjustment::Hochberg | Adjustment::BenjaminiHochberg => {
            let mut ceiling = 1.0_f64;
            for (_, value) in values.iter_mut().rev() {
                ceiling = ceiling.min(*value);
                *value = ceiling;
            }
        }
    }
    values.sort_by_key(|&(index, _)| index);
    Ok(values.into_iter().map(|(_, value)| value).collect())
}

/// Adjusts difference and equivalence tests of the same comparisons together, holding the family-wise error over both kinds
/// of claim.
///
/// "No difference" and "a difference of at least the margin" cannot both be true, so of `2 m` nulls at most `m` are. Going up
/// through all `2 m` p-values, each is multiplied by the number of comparisons with a null not yet passed (Shaffer's use of
/// logically exclusive nulls), with a running maximum, capped at 1. `planned` is `m`; `None` counts as p = 1. Both lists must
/// have one entry for each comparison, in the same order.
pub fn adjust_joint(
    difference: &[Option<f64>],
    equivalence: &[Option<f64>],
    planned: usize,
) -> Result<JointAdjusted, FamilyError> {
    if difference.len() != equivalence.len() {
        return Err(FamilyError::Unpaired { difference: difference.len(), equivalence: equivalence.len() });
    }
    checked(difference, planned)?;
    checked(equivalence, planned)?;
    let mut ranked: Vec<(usize, bool, f64)> = difference
        .iter()
        .enumerate()
        .map(|(at, p)| (at, false, p.unwrap_or(1.0)))
        .chain(equivalence.iter().enumerate().map(|(at, p)| (at, true, p.unwrap_or(1.0))))
        .collect();
    // Stable; the order among equal p does not show in the result, since the multiplier never grows.
    ranked.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut adjusted =
        JointAdjusted { difference: vec![1.0; difference.len()], equivalence: vec![1.0; difference.len()] };
    let mut passed_once = vec![false; difference.len()];
    let mut open = planned;
    let mut floor = 0.0_f64;
    for (at, is_equivalence, p) in ranked {
        floor = floor.max((real(open) * p).min(1.0));
        let list = if is_equivalence { &mut adjusted.equivalence } else { &mut adjusted.difference };
        if let (Some(slot), Some(passed)) = (list.get_mut(at), passed_once.get_mut(at)) {
            *slot = floor;
            if *passed {
                open -= 1;
            }
            *passed = true;
        }
    }
    Ok(adjusted)
}

/// Refuses more values than planned, and values that are not probabilities.
fn checked(p: &[Option<f64>], planned: usize) -> Result<(), FamilyError> {
    if p.len() > planned {
        return Err(FamilyError::MoreThanPlanned { given: p.len(), planned });
    }
    let bad = p.iter().enumerate().find_map(|(index, v)| v.filter(|v| !(0.0..=1.0).contains(v)).map(|v| (index, v)));
    bad.map_or(Ok(()), |(index, value)| Err(FamilyError::NotAProbability { index, value }))
}

#[expect(clippy::cast_precision_loss, reason = "a family never has 2^53 members")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
