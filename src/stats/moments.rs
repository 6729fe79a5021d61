//! Descriptive statistics of plain numbers: standard deviation, weighted quantiles, phi, Pearson and Spearman.
//!
//! Sums run in the order given, so callers pass values in a canonical order. Constant input is undefined, never zero.

use super::nearest::nearest_quotient;
use super::undefined::Undefined;
use crate::math::quantile::interpolate;

/// The sample standard deviation, with n - 1 below the line. Two passes. Needs two values.
pub fn sample_sd(values: &[f64]) -> Result<f64, Undefined> {
    finite(values)?;
    if values.len() < 2 {
        return Err(Undefined::TooFew { have: values.len(), need: 2 });
    }
    let n = real(values.len());
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Ok((squares / (n - 1.0)).sqrt())
}

/// The type 7 quantile at `p` of values in ascending order, each standing as often as its multiplicity says.
///
/// This is the quantile of the expanded list without expanding it: sort once, then call it for every resample's weights.
/// Fails with [`Undefined::OutOfRange`] when `p` is outside [0, 1] or the values do not ascend.
pub fn weighted_quantile(ascending: &[f64], multiplicities: &[u16], p: f64) -> Result<f64, Undefined> {
    let (left, right) = (ascending.len(), multiplicities.len());
    if left != right {
        return Err(Undefined::UnequalLengths { left, right });
    }
    finite(ascending)?;
    if !(0.0..=1.0).contains(&p) || !ascending.is_sorted() {
        return Err(Undefined::OutOfRange);
    }
    let count: u64 = multiplicities.iter().map(|&weight| u64::from(weight)).sum();
    let last = count.checked_sub(1).ok_or(Undefined::NoRecords)?;
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 values")]
    let h = last as f64 * p;
    let floor = libm::floor(h);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= floor(h) <= count - 1")]
    let index = floor as u64;
    let at = order_statistic(ascending, multiplicities, index).ok_or(Undefined::NoRecords)?;
    let next = order_statistic(ascending, multiplicities, index.saturating_add(1)).unwrap_or(at);
    Ok(if h > floor { interpolate(at, next, h - floor) } else { at })
}

/// The median of weighted values: [`weighted_quantile`] at one half.
pub fn weighted_median(ascending: &[f64], multiplicities: &[u16]) -> Result<f64, Undefined> {
    weighted_quantile(ascending, multiplicities, 0.5)
}

fn order_statistic(ascending: &[f64], multiplicities: &[u16], index: u64) -> Option<f64> {
    let mut seen = 0_u64;
    for (value, weight) in ascending.iter().zip(multiplicities) {
        seen += u64::from(*weight);
        if seen > index {
            return Some(*value);
        }
    }
    None
}

/// The phi coefficient of a two-by-two table of counts, rows then columns: (ad - bc) / sqrt of the product of the four
/// margins. Undefined when a margin is zero: one of the two variables is then constant.
pub fn phi([[a, b], [c, d]]: [[u64; 2]; 2]) -> Result<f64, Undefined> {
    let [a, b, c, d] = [a, b, c, d].map(i128::from);
    let margins = [a + b, c + d, a + c, b + d];
    if a + b + c + d == 0 {
        return Err(Undefined::NoRecords);
    }
    if margins.contains(&0) {
        return Err(Undefined::Constant);
    }
    // Each product of two counts below 2^64 fits in 128 unsigned bits; their difference needs a checked step.
    let cross = a.checked_mul(d).zip(b.checked_mul(c)).and_then(|(ad, bc)| ad.checked_sub(bc));
    let cross = cross.and_then(|cross| nearest_quotient(cross, 0, 1, 0)).ok_or(Undefined::TooLarge)?;
    #[expect(clippy::cast_precision_loss, reason = "one rounding each; exact below 2^53")]
    let [r0, r1, c0, c1] = margins.map(|margin| margin as f64);
    // Two roots, since the product of four large margins could overflow and of two cannot.
    Ok((cross / ((r0 * r1).sqrt() * (c0 * c1).sqrt())).clamp(-1.0, 1.0))
}

/// Pearson's correlation. Undefined when either side is constant.
pub fn pearson(left: &[f64], right: &[f64]) -> Result<f64, Undefined> {
    if left.len() != right.len() {
        return Err(Undefined::UnequalLengths { left: left.len(), right: right.len() });
    }
    finite(left)?;
    finite(right)?;
    if left.len() < 2 {
        return Err(Undefined::TooFew { have: left.len(), need: 2 });
    }
    if constant(left) || constant(right) {
        return Err(Undefined::Constant);
    }
    let n = real(left.len());
    let (left_mean, right_mean) = (left.iter().sum::<f64>() / n, right.iter().sum::<f64>() / n);
    let (mut cross, mut left_squares, mut right_squares) = (0.0, 0.0, 0.0);
    for (x, y) in left.iter().zip(right) {
        let (x, y) = (x - left_mean, y - right_mean);
        cross += x * y;
        left_squares += x * x;
        right_squares += y * y;
    }
    let below = left_squares.sqrt() * right_squares.sqrt();
    if !(below > 0.0 && below.is_finite()) {
        return Err(Undefined::OutOfRange);
    }
    Ok((cross / below).clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's correlation of the mid-ranks. Undefined when either side is constant.
pub fn spearman(left: &[f64], right: &[f64]) -> Result<f64, Undefined> {
    finite(left)?;
    finite(right)?;
    pearson(&mid_ranks(left), &mid_ranks(right))
}

/// Ranks from 1 for the smallest; equal values share the mean of the ranks they span.
#[must_use]
pub fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    // Zero and minus zero are one value, so equality is by `==` and not by the total order.
    #[expect(clippy::float_cmp, reason = "a tie is exact equality")]
    let ties = order.chunk_by(|a, b| a.0 == b.0);
    for tied in ties {
        let rank = f64::midpoint(real(below) + 1.0, real(below + tied.len()));
        for (_, place) in tied {
            if let Some(slot) = ranks.get_mut(*place) {
                *slot = rank;
            }
        }
        below += tied.len();
    }
    ranks
}

fn finite(values: &[f64]) -> Result<(), Undefined> {
    if values.is_empty() {
        return Err(Undefined::NoRecords);
    }
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Undefined::NotFinite) }
}

/// Whether all values are the same, compared as given: a mean of equal values can round away from them.
fn constant(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair.first() == pair.last())
}

#[expect(clippy::cast_precision_loss, reason = "a slice of more than 2^53 numbers does not fit in memory")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{mid_ranks, pearson, phi, sample_sd, spearman, weighted_median, weighted_quantile};
    use crate::math::quantile::quantile;
    use crate::stats::undefined::Undefined;

    #[test]
    fn sd_of_a_known_sample() {
        assert!(
            (sample_sd(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15
        );
        assert_eq!(sample_sd(&[1.0]), Err(Undefined::TooFew { have: 1, need: 2 }));
        assert_eq!(sample_sd(&[]), Err(Undefined::NoRecords));
        assert_eq!(sample_sd(&[1.0, f64::NAN]), Err(Undefined::NotFinite));
        assert_eq!(sample_sd(&[3.0, 3.0]), Ok(0.0));
    }

    #[test]
    fn phi_is_the_correlation_of_the_indicators() {
        let table = [[12, 5], [3, 10]];
        let mut pairs: (Vec<f64>, Vec<f64>) = (vec![], vec![]);
        for (row, counts) in table.iter().enumerate() {
            for (column, &count) in counts.iter().enumerate() {
                for _ in 0..count {
                    pairs.0.push(if row == 0 { 1.0 } else { 0.0 });
                    pairs.1.push(if column == 0 { 1.0 } else { 0.0 });
                }
            }
        }
        assert!((phi(table).unwrap() - pearson(&pairs.0, &pairs.1).unwrap()).abs() < 1e-14);
        assert_eq!(phi([[4, 0], [0, 9]]), Ok(1.0));
        assert_eq!(phi([[4, 3], [0, 0]]), Err(Undefined::Constant));
        assert_eq!(phi([[4, 0], [3, 0]]), Err(Undefined::Constant));
        assert_eq!(phi([[0, 0], [0, 0]]), Err(Undefined::NoRecords));
    }

    #[test]
    fn ranks_share_ties() {
        assert_eq!(mid_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(mid_ranks(&[0.0, -0.0]), [1.5, 1.5]);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[0.1, 0.1, 0.1]), Err(Undefined::Constant));
        assert_eq!(spearman(&[1.0, 2.0], &[0.1]), Err(Undefined::UnequalLengths { left: 2, right: 1 }));
        assert_eq!(pearson(&[1.0], &[0.1]), Err(Undefined::TooFew { have: 1, need: 2 }));
    }

    #[test]
    fn weighted_quantiles_refuse_bad_input() {
        assert_eq!(weighted_median(&[1.0, 2.0], &[0, 0]), Err(Undefined::NoRecords));
        assert_eq!(weighted_median(&[2.0, 1.0], &[1, 1]), Err(Undefined::OutOfRange));
        assert_eq!(weighted_quantile(&[1.0], &[1], 1.5), Err(Undefined::OutOfRange));
        assert_eq!(weighted_median(&[1.0], &[1, 2]), Err(Undefined::UnequalLengths { left: 1, right: 2 }));
    }

    proptest::proptest! {
        #[test]
        fn weighted_quantiles_equal_those_of_the_expanded_list(
            mut pairs in proptest::collection::vec((-100.0f64..100.0, 0u16..4), 1..40),
            p in 0.0f64..=1.0,
        ) {
            pairs.push((0.5, 1));
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (values, weights): (Vec<f64>, Vec<u16>) = pairs.iter().copied().unzip();
            let mut expanded: Vec<f64> =
                pairs.iter().flat_map(|&(value, weight)| std::iter::repeat_n(value, weight.into())).collect();
            let expected = quantile(&mut expanded, p).unwrap();
            proptest::prop_assert_eq!(weighted_quantile(&values, &weights, p).unwrap().to_bits(), expected.to_bits());
        }
    }
}
