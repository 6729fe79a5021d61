//! Quantiles of plain numbers: Hyndman and Fan's definition 7, the default of R and numpy.
//!
//! Owns the order-statistic arithmetic. It decides nothing about undefined values: callers pass finite numbers.
//!
//! With n values sorted as `x[0] <= ... <= x[n-1]`, h = (n-1)p and i = floor(h), the quantile is
//! `x[i] + (h - i)(x[i+1] - x[i])`. Only the two order statistics are selected, nothing is sorted in full.
//! Source: Hyndman, Fan, "Sample quantiles in statistical packages", The American Statistician 50(4), 1996.

/// The type 7 quantile at `p` of `values` (reordered in place). `None` when there are no values or `p` is outside [0, 1].
///
/// Values are compared by `f64::total_cmp`; with finite input the result lies between the two neighbouring values.
#[must_use]
pub fn quantile(values: &mut [f64], p: f64) -> Option<f64> {
    let (index, fraction) = position(values.len(), p)?;
    select_pair(values, index, fraction)
}

/// The type 7 quantiles at `low <= high` in one pass over the data: the upper one is sought only above the lower one.
#[must_use]
pub fn quantile_pair(values: &mut [f64], low: f64, high: f64) -> Option<(f64, f64)> {
    let (low_index, low_fraction) = position(values.len(), low)?;
    let (high_index, high_fraction) = position(values.len(), high)?;
    if low_index > high_index {
        return None;
    }
    let lower = select_pair(values, low_index, low_fraction)?;
    // After the selection everything from `low_index` on is at least the order statistic there.
    let rest = values.get_mut(low_index..)?;
    let upper = select_pair(rest, high_index - low_index, high_fraction)?;
    Some((lower, upper))
}

/// Sorts what the quantiles up to `low` and from `high` on are read from; the middle stays as it is. `None` as for [`quantile`].
#[must_use]
pub fn sort_tails(values: &mut [f64], low: f64, high: f64) -> Option<()> {
    // Each quantile is read from its own place and the next one.
    let low_end = position(values.len(), low)?.0 + 2;
    let high_start = position(values.len(), high)?.0;
    if low_end >= high_start {
        values.sort_unstable_by(f64::total_cmp);
        return Some(());
    }
    let (below, _, rest) = values.select_nth_unstable_by(low_end, f64::total_cmp);
    below.sort_unstable_by(f64::total_cmp);
    // `rest` starts one place after the one that was selected.
    let start = high_start - low_end - 1;
    if start < rest.len() {
        let (_, _, above) = rest.select_nth_unstable_by(start, f64::total_cmp);
        above.sort_unstable_by(f64::total_cmp);
    }
    Some(())
}

/// The type 7 quantile at `p` of values that are sorted around its place.
#[must_use]
pub fn sorted_quantile(values: &[f64], p: f64) -> Option<f64> {
    let (index, fraction) = position(values.len(), p)?;
    let at = *values.get(index)?;
    if fraction <= 0.0 {
        return Some(at);
    }
    Some(interpolate(at, values.get(index + 1).copied().unwrap_or(at), fraction))
}

/// The position of the type 7 quantile in `count` sorted values: lower index and the fraction of the way to the next.
fn position(count: usize, p: f64) -> Option<(usize, f64)> {
    if count == 0 || !(0.0..=1.0).contains(&p) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a slice of more than 2^53 numbers does not fit in memory")]
    let h = (count - 1) as f64 * p;
    let floor = libm::floor(h);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= floor(h) <= count - 1")]
    let index = floor as usize;
    Some((index, h - floor))
}

fn select_pair(values: &mut [f64], index: usize, fraction: f64) -> Option<f64> {
    if index >= values.len() {
        return None;
    }
    let (_, at, above) = values.select_nth_unstable_by(index, f64::total_cmp);
    let at = *at;
    if fraction <= 0.0 {
        return Some(at);
    }
    let next = above.iter().copied().min_by(f64::total_cmp).unwrap_or(at);
    Some(interpolate(at, next, fraction))
}

/// The point a `fraction` of the way from `from` to `to`.
#[must_use]
pub fn interpolate(from: f64, to: f64, fraction: f64) -> f64 {
    let step = (to - from) * fraction;
    // The difference of two huge finite numbers can overflow; then weigh each end instead.
    if step.is_finite() { from + step } else { from * (1.0 - fraction) + to * fraction }
}

#[cfg(test)]
mod tests {
    use super::{quantile, quantile_pair};

    #[test]
    #[expect(clippy::float_cmp, reason = "these cases are exact in binary")]
    fn agrees_with_the_definition() {
        let values = [7.0, 1.0, 3.0, 10.0];
        let at = |p| quantile(&mut values.clone(), p).unwrap();
        assert_eq!(at(0.0), 1.0);
        assert_eq!(at(1.0), 10.0);
        assert_eq!(at(0.5), 5.0);
        assert_eq!(at(0.25), 2.5);
        assert_eq!(at(0.75), 7.75);
        assert_eq!(quantile_pair(&mut values.clone(), 0.25, 0.75), Some((2.5, 7.75)));
        assert_eq!(quantile_pair(&mut values.clone(), 0.5, 0.5), Some((5.0, 5.0)));
        assert_eq!(quantile(&mut [4.0], 0.3), Some(4.0));
    }

    #[test]
    fn tails_read_as_the_whole_does() {
        for count in [1_u32, 2, 3, 5, 40, 399, 400, 1_000] {
            for (low, high) in [(0.03, 0.97), (0.2, 0.8), (0.5, 0.5), (0.0, 1.0)] {
                let values: Vec<f64> = (0..count).map(|at| f64::from(at * 7_919 % 1_009 % 97)).collect();
                let mut tails = values.clone();
                super::sort_tails(&mut tails, low, high).unwrap();
                for p in [0.0, low / 2.0, low, high, f64::midpoint(high, 1.0), 1.0] {
                    assert_eq!(
                        super::sorted_quantile(&tails, p),
                        quantile(&mut values.clone(), p),
                        "{count} {low} {p}"
                    );
                }
            }
        }
    }

    #[test]
    fn refuses_what_has_no_quantile() {
        assert_eq!(quantile(&mut [], 0.5), None);
        assert_eq!(quantile(&mut [1.0], -0.1), None);
        assert_eq!(quantile(&mut [1.0], f64::NAN), None);
        assert_eq!(quantile_pair(&mut [1.0, 2.0, 3.0], 0.9, 0.1), None);
    }

    #[test]
    fn survives_the_largest_numbers() {
        let middle = quantile(&mut [f64::MAX, -f64::MAX], 0.5).unwrap();
        assert!(middle.abs() < 1.0);
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positions in a short list"
    )]
    fn by_sorting(sorted: &[f64], p: f64) -> f64 {
        let h = (sorted.len() - 1) as f64 * p;
        let i = h.floor() as usize;
        let next = sorted[(i + 1).min(sorted.len() - 1)];
        sorted[i] + (next - sorted[i]) * (h - h.floor())
    }

    proptest::proptest! {
        #[test]
        fn selection_equals_sorting(mut values in proptest::collection::vec(-1e6f64..1e6, 1..200), low in 0.0f64..0.5, high in 0.5f64..1.0) {
            let sorted = { let mut v = values.clone(); v.sort_by(f64::total_cmp); v };
            let (a, b) = quantile_pair(&mut values, low, high).unwrap();
            proptest::prop_assert_eq!(a.to_bits(), by_sorting(&sorted, low).to_bits());
            proptest::prop_assert_eq!(b.to_bits(), by_sorting(&sorted, high).to_bits());
        }
    }
}
