//! Cohen's kappa of two labellings, plain or with disagreements weighed by their size.

use super::super::exact_sum::nearest_ratio;
use super::super::undefined::Undefined;
use super::super::weights::{once, same_length, total};

/// How much a disagreement between two categories counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disagreement {
    /// Any two different categories alike: plain kappa.
    Nominal,
    /// The distance of the category numbers.
    Linear,
    /// The squared distance of the category numbers.
    Quadratic,
}

/// [`cohen_kappa_weighted`] with every record once.
pub fn cohen_kappa(left: &[u16], right: &[u16], disagreement: Disagreement) -> Result<f64, Undefined> {
    cohen_kappa_weighted(left, right, disagreement, &once(left.len()))
}

/// Cohen's kappa: one minus observed over expected disagreement, where the expected one has both labellings independent with the
/// shares they show. At most 1; zero when the labellings agree as often as by chance. Categories are numbers, in their order where
/// `disagreement` measures distance. Rounded once.
///
/// Undefined with [`Undefined::Constant`] when both labellings give every record the same one category: no disagreement was possible.
/// Sources: Cohen 1960; Cohen 1968 for weighed disagreement.
pub fn cohen_kappa_weighted(
    left: &[u16],
    right: &[u16],
    disagreement: Disagreement,
    multiplicities: &[u16],
) -> Result<f64, Undefined> {
    same_length(left.len(), right.len())?;
    let records = i128::from(total(left.len(), multiplicities)?);
    let categories = left.iter().chain(right).max().map_or(0, |&largest| usize::from(largest) + 1);
    let mut margins = vec![(0_i128, 0_i128); categories];
    let mut observed = 0_i128;
    for ((&a, &b), &times) in left.iter().zip(right).zip(multiplicities) {
        let times = i128::from(times);
        if let Some((count, _)) = margins.get_mut(usize::from(a)) {
            *count += times;
        }
        if let Some((_, count)) = margins.get_mut(usize::from(b)) {
            *count += times;
        }
        let distance = i128::from(a.abs_diff(b));
        observed += times
            * match disagreement {
                Disagreement::Nominal => distance.min(1),
                Disagreement::Linear => distance,
                Disagreement::Quadratic => distance * distance,
            };
    }
    // Totals are below 2^60 and distances below 2^16, so the squared distances of all pairs fit unless both are near their limits.
    let expected = expected(&margins, records, disagreement).ok_or(Undefined::TooLarge)?;
    if expected == 0 {
        return Err(Undefined::Constant);
    }
    let gained = observed.checked_mul(records).and_then(|observed| expected.checked_sub(observed));
    nearest_ratio(&gained.ok_or(Undefined::TooLarge)?.into(), &expected.into())
}

/// The disagreement summed over all pairs of a left and a right label: records^2 times its expectation. `None` beyond 128 bits.
fn expected(margins: &[(i128, i128)], records: i128, disagreement: Disagreement) -> Option<i128> {
    match disagreement {
        Disagreement::Nominal => {
            let mut agreeing = 0_i128;
            for &(left, right) in margins {
                agreeing = agreeing.checked_add(left.checked_mul(right)?)?;
            }
            records.checked_mul(records)?.checked_sub(agreeing)
        }
        // A distance is the number of boundaries between categories that separate the pair.
        Disagreement::Linear => {
            let (mut left_below, mut right_below, mut sum) = (0_i128, 0_i128, 0_i128);
            for &(left, right) in margins {
                left_below += left;
                right_below += right;
                let split = left_below.checked_mul(records - right_below)?;
                let split = split.checked_add(right_below.checked_mul(records - left_below)?)?;
                sum = sum.checked_add(split)?;
            }
            Some(sum)
        }
        Disagreement::Quadratic => {
            let (mut left_sum, mut right_sum, mut squares) = (0_i128, 0_i128, 0_i128);
            for (category, &(left, right)) in (0_i128..).zip(margins) {
                left_sum = left_sum.checked_add(category * left)?;
                right_sum = right_sum.checked_add(category * right)?;
                squares = squares.checked_add((category * category).checked_mul(left.checked_add(right)?)?)?;
            }
            let cross = left_sum.checked_mul(right_sum)?.checked_mul(2)?;
            squares.checked_mul(records)?.checked_sub(cross)
        }
    }
}
