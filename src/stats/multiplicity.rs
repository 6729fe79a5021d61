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
    if p.len() > planned {
        return Err(FamilyError::MoreThanPlanned { given: p.len(), planned });
    }
    for (index, value) in p.iter().enumerate() {
        if let Some(value) = *value
            && !(0.0..=1.0).contains(&value)
        {
            return Err(FamilyError::NotAProbability { index, value });
        }
    }
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

#[expect(clippy::cast_precision_loss, reason = "a family never has 2^53 members")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
