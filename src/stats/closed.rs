//! Closed testing of small families, and Hommel's procedure, which is closed testing by Simes for families of any size.
//!
//! Owns the enumeration of intersections and their local tests. A hypothesis is rejected when every intersection that contains it
//! is; its adjusted p is the largest local p among those. Sources: Marcus, Peritz, Gabriel 1976; Simes 1986; Hommel 1988.

use std::fmt;

use super::multiplicity::{Adjustment, FamilyError, adjust};

/// Most hypotheses whose intersections are enumerated: 2^16 of them.
pub const MOST_HYPOTHESES: usize = 16;

/// How an intersection of hypotheses is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalTest {
    /// `m min p`: valid under any dependence. Closed, it is Holm's procedure.
    Bonferroni,
    /// `min over i of m p_(i) / i`: valid under independence and positive dependence. Closed, it is Hommel's procedure.
    Simes,
}

/// Why a family cannot be tested by closure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClosedError {
    /// More than [`MOST_HYPOTHESES`].
    TooMany(usize),
    /// A p-value is no probability.
    Family(FamilyError),
    /// This hypothesis, counted from 0, is in none of the intersections that can be true, so it cannot be true itself.
    Impossible(usize),
}

impl fmt::Display for ClosedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(n) => write!(
                f,
                "{n} hypotheses have too many intersections to enumerate; up to {MOST_HYPOTHESES} can be closed, and Holm and \
                 Hommel are closed tests for families of any size"
            ),
            Self::Family(error) => write!(f, "{error}"),
            Self::Impossible(at) => write!(
                f,
                "hypothesis number {} lies in no intersection that can be true; the restriction leaves out that it is true alone \
                 or with others",
                at + 1
            ),
        }
    }
}

impl std::error::Error for ClosedError {}

/// Adjusted p-values by closed testing over all intersections. `None` counts as p = 1.
pub fn closed_test(p: &[Option<f64>], local: LocalTest) -> Result<Vec<f64>, ClosedError> {
    closed_test_restricted(p, local, |_| true)
}

/// Closed testing over the intersections that can be true: `can_be_true` gets a set of hypotheses, bit `i` for number `i`, and
/// says whether exactly these can be true together (Shaffer's restricted combinations). It must hold for what logic allows; the
/// error rate depends on it.
pub fn closed_test_restricted(
    p: &[Option<f64>],
    local: LocalTest,
    can_be_true: impl Fn(u32) -> bool,
) -> Result<Vec<f64>, ClosedError> {
    if p.len() > MOST_HYPOTHESES {
        return Err(ClosedError::TooMany(p.len()));
    }
    // Bonferroni checks the values.
    adjust(Adjustment::Bonferroni, p, p.len()).map_err(ClosedError::Family)?;
    let mut ranked: Vec<(f64, usize)> = p.iter().map(|p| p.unwrap_or(1.0)).zip(0..).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut adjusted: Vec<Option<f64>> = vec![None; p.len()];
    for set in (1_u32..1 << p.len()).filter(|set| can_be_true(*set)) {
        let members: Vec<f64> = ranked.iter().filter(|(_, at)| set >> at & 1 == 1).map(|(p, _)| *p).collect();
        let value = local_p(&members, local);
        for (at, slot) in adjusted.iter_mut().enumerate().filter(|(at, _)| set >> at & 1 == 1) {
            debug_assert!(at < MOST_HYPOTHESES);
            *slot = Some(slot.map_or(value, |worst| worst.max(value)));
        }
    }
    adjusted.into_iter().enumerate().map(|(at, value)| value.ok_or(ClosedError::Impossible(at))).collect()
}

/// The local p of an intersection whose members' p-values ascend.
fn local_p(ascending: &[f64], local: LocalTest) -> f64 {
    let size = real(ascending.len());
    let scaled = ascending.iter().zip(1_usize..).map(|(p, rank)| size * p / real(rank));
    match local {
        LocalTest::Bonferroni => scaled.take(1).fold(1.0, f64::min),
        LocalTest::Simes => scaled.fold(1.0, f64::min),
    }
}

/// Hommel's adjusted p-values for a family of `planned` hypotheses. `None`, and planned hypotheses missing from the list, count
/// as p = 1.
///
/// With `p_(1) <= ... <= p_(n)`, the worst intersection of size `m` that contains number `i` is `i` and the `m - 1` largest
/// others, so its Simes p is the smaller of `m p_i` and `min over j = 2..m of m p_(n-m+j) / j`, or the latter with `j = 1` too
/// when `i` is among the `m` largest. The adjusted p is the largest over `m`.
pub fn hommel(p: &[Option<f64>], planned: usize) -> Result<Vec<f64>, FamilyError> {
    adjust(Adjustment::Bonferroni, p, planned)?;
    let mut ranked: Vec<(f64, usize)> = p.iter().map(|p| p.unwrap_or(1.0)).zip(0..).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let missing = planned - p.len();
    // The p-values missing from the list are ones: largest, and never the smallest quotient below one.
    let mut worst: Vec<f64> = ranked.iter().map(|(p, _)| *p).collect();
    // Intersections made of `i` and ones alone have p `m p_i`, which grows with `m`: the largest of them stands for all.
    for size in missing.max(1)..=planned {
        let m = real(size);
        // The `size` largest start here among those given; what lies beyond the list are ones.
        let start = planned - size;
        let quotients =
            ranked.iter().enumerate().skip(start).map(|(at, (p, _))| (at - start + 1, m * p / real(at - start + 1)));
        let upper = quotients.filter(|(rank, _)| *rank >= 2).map(|(_, quotient)| quotient);
        // A one at rank `size`, the last, gives exactly one.
        let upper = upper.fold(if missing > 0 || size == 1 { 1.0 } else { f64::INFINITY }, f64::min);
        let whole = ranked.get(start).map_or(upper, |(smallest, _)| upper.min(m * smallest));
        for (at, (value, (p, _))) in worst.iter_mut().zip(&ranked).enumerate() {
            let local = if at >= start { whole } else { upper.min(m * p) };
            *value = value.max(local.min(1.0));
        }
    }
    let mut values: Vec<(usize, f64)> = ranked.iter().map(|(_, at)| *at).zip(worst).collect();
    values.sort_by_key(|(at, _)| *at);
    Ok(values.into_iter().map(|(_, value)| value).collect())
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
    fn exclusive_hypotheses_need_no_sharing() {
        // "Below" and "above" cannot both be true: each is tested alone.
        let apart =
            closed_test_restricted(&[Some(0.04), Some(0.03)], LocalTest::Bonferroni, |set| set != 0b11).unwrap();
        assert_eq!(apart, vec![0.04, 0.03]);
        let gone = closed_test_restricted(&[Some(0.04), Some(0.03)], LocalTest::Bonferroni, |set| set == 0b01);
        assert_eq!(gone, Err(ClosedError::Impossible(1)));
        assert_eq!(closed_test(&[None; 17], LocalTest::Simes), Err(ClosedError::TooMany(17)));
        assert!(matches!(closed_test(&[Some(-0.1)], LocalTest::Simes), Err(ClosedError::Family(_))));
        assert_eq!(closed_test(&[], LocalTest::Simes), Ok(vec![]));
        assert_eq!(hommel(&[], 0), Ok(vec![]));
        assert!(hommel(&[None, None], 1).is_err());
    }

    proptest! {
        #[test]
        fn closed_bonferroni_is_holm_and_closed_simes_is_hommel(p in prop::collection::vec(0.0_f64..1.0, 1..8), coarse in any::<bool>()) {
            let p: Vec<Option<f64>> = p.iter().map(|p| Some(if coarse { libm::round(p * 10.0) / 10.0 } else { *p })).collect();
            let holm = adjust(Adjustment::Holm, &p, p.len()).unwrap();
            for (a, b) in closed_test(&p, LocalTest::Bonferroni).unwrap().iter().zip(&holm) {
                prop_assert_eq!(a.to_bits(), b.to_bits());
            }
            let fast = hommel(&p, p.len()).unwrap();
            for ((a, b), h) in closed_test(&p, LocalTest::Simes).unwrap().iter().zip(&fast).zip(&holm) {
                prop_assert_eq!(a.to_bits(), b.to_bits());
                prop_assert!(b <= h, "Hommel rejects all that Holm rejects");
            }
        }

        #[test]
        fn planned_but_missing_counts_as_one(p in prop::collection::vec(0.0_f64..0.3, 1..5), missing in 0_usize..4) {
            let short: Vec<Option<f64>> = p.iter().copied().map(Some).collect();
            let long: Vec<Option<f64>> = short.iter().copied().chain(vec![Some(1.0); missing]).collect();
            let (a, b) = (hommel(&short, long.len()).unwrap(), hommel(&long, long.len()).unwrap());
            for (a, b) in a.iter().zip(&b) {
                prop_assert_eq!(a.to_bits(), b.to_bits());
            }
        }
    }
}
