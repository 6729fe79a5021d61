//! False discovery rate beyond independence: Benjamini and Yekutieli for p-values, and the e-value form of Benjamini-Hochberg.
//!
//! Owns these two adjustments; the plain Benjamini-Hochberg lives with the other families. As there, the size of the family is
//! the planned one, and a test without a result counts as no evidence. Sources: Benjamini and Yekutieli 2001; Wang and Ramdas,
//! "False discovery rate control with e-values", 2022.

use std::fmt;

use super::multiplicity::{Adjustment, FamilyError, adjust};

/// Why e-values cannot be adjusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EvidenceError {
    /// More e-values than the plan has comparisons.
    MoreThanPlanned {
        /// e-values given, undefined ones included.
        given: usize,
        /// Comparisons planned.
        planned: usize,
    },
    /// The value at this position, counted from 0, is negative or no number.
    NotAnEValue {
        /// The position.
        index: usize,
        /// The value there.
        value: f64,
    },
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoreThanPlanned { given, planned } => write!(
                f,
                "the family was planned with {planned} comparisons and has {given}; adjusting for fewer than were made would \
                 overstate every e, so plan them all"
            ),
            Self::NotAnEValue { index, value } => {
                write!(f, "e-value number {} is {value}; an e-value is zero or more", index + 1)
            }
        }
    }
}

impl std::error::Error for EvidenceError {}

/// Benjamini and Yekutieli's adjusted p-values: the false discovery rate under any dependence,
/// `min over k >= i of m (1 + 1/2 + ... + 1/m) p_(k) / k`, capped at 1.
pub fn benjamini_yekutieli(p: &[Option<f64>], planned: usize) -> Result<Vec<f64>, FamilyError> {
    // Bonferroni checks the values.
    adjust(Adjustment::Bonferroni, p, planned)?;
    // Summed from the smallest term, which loses least.
    let harmonic: f64 = (1..=planned).rev().map(|k| 1.0 / real(k)).sum();
    let scale = harmonic * real(planned);
    let mut ranked: Vec<(f64, usize)> = p.iter().map(|p| p.unwrap_or(1.0)).zip(0..).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ascending = ranked.iter().zip(1_usize..).map(|((p, at), rank)| (*at, scale * p / real(rank)));
    Ok(from_the_last(ascending.collect()))
}

/// The e-value form of Benjamini-Hochberg: adjusted values that are at most alpha exactly for the rejected hypotheses.
///
/// With `e_[1] >= ... >= e_[m]`, the `k` largest are rejected for the largest `k` with `k e_[k] / m >= 1/alpha`; the value of
/// rank `i` is `min over k >= i of m / (k e_[k])`, capped at 1. It controls the false discovery rate under any dependence. `None`
/// counts as e = 0; an infinite e-value is allowed.
pub fn e_benjamini_hochberg(e: &[Option<f64>], planned: usize) -> Result<Vec<f64>, EvidenceError> {
    if e.len() > planned {
        return Err(EvidenceError::MoreThanPlanned { given: e.len(), planned });
    }
    let values: Vec<f64> = e.iter().map(|e| e.unwrap_or(0.0)).collect();
    if let Some((index, &value)) = values.iter().enumerate().find(|(_, e)| e.is_nan() || **e < 0.0) {
        return Err(EvidenceError::NotAnEValue { index, value });
    }
    let mut ranked: Vec<(f64, usize)> = values.into_iter().zip(0..).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let descending = ranked.iter().zip(1_usize..).map(|((e, at), rank)| (*at, real(planned) / (real(rank) * e)));
    Ok(from_the_last(descending.collect()))
}

/// The running minimum from the last rank back, capped at 1, in the order of the positions.
fn from_the_last(mut ranked: Vec<(usize, f64)>) -> Vec<f64> {
    let mut ceiling = 1.0_f64;
    for (_, value) in ranked.iter_mut().rev() {
        ceiling = ceiling.min(*value);
        *value = ceiling;
    }
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(_, value)| value).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a family never has 2^53 members")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn e_values_by_hand() {
        // Of 4 planned: ranks 1, 2, 3 have 4/(1*100), 4/(2*20), 4/(3*2), so 0.04, 0.1, 2/3.
        let e = e_benjamini_hochberg(&[Some(2.0), Some(100.0), Some(20.0)], 4).unwrap();
        for (got, want) in e.iter().zip([2.0 / 3.0, 0.04, 0.1]) {
            assert!((got - want).abs() < 1e-15);
        }
        let odd = e_benjamini_hochberg(&[Some(f64::INFINITY), None, Some(0.0)], 3).unwrap();
        assert_eq!(odd, vec![0.0, 1.0, 1.0]);
        let bad = e_benjamini_hochberg(&[Some(-1.0)], 1);
        assert_eq!(bad, Err(EvidenceError::NotAnEValue { index: 0, value: -1.0 }));
        let many = e_benjamini_hochberg(&[None, None], 1);
        assert_eq!(many, Err(EvidenceError::MoreThanPlanned { given: 2, planned: 1 }));
        assert!(benjamini_yekutieli(&[Some(2.0)], 1).is_err());
    }

    proptest! {
        #[test]
        fn e_values_that_are_one_over_p_give_benjamini_hochberg(p in prop::collection::vec(0.001_f64..1.0, 1..9)) {
            let ps: Vec<Option<f64>> = p.iter().copied().map(Some).collect();
            let es: Vec<Option<f64>> = p.iter().map(|p| Some(1.0 / p)).collect();
            let bh = adjust(Adjustment::BenjaminiHochberg, &ps, p.len()).unwrap();
            let by = benjamini_yekutieli(&ps, p.len()).unwrap();
            let harmonic: f64 = (1..=p.len()).map(|k| 1.0 / real(k)).sum();
            for ((e, bh), by) in e_benjamini_hochberg(&es, p.len()).unwrap().iter().zip(&bh).zip(&by) {
                prop_assert!((e - bh).abs() < 1e-12);
                prop_assert!((by - (bh * harmonic).min(1.0)).abs() < 1e-12 || *bh >= 1.0);
            }
        }
    }
}
