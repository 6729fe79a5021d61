//! Adjustments: families by hand, and what holds of every family.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::indexing_slicing,
    reason = "tests fail by panicking and compare exact values"
)]
use proptest::prelude::*;

use super::*;

const ALL: [Adjustment; 4] =
    [Adjustment::Holm, Adjustment::Bonferroni, Adjustment::Hochberg, Adjustment::BenjaminiHochberg];

#[test]
fn the_planned_size_counts_not_the_size_that_came_out() {
    let p = [Some(0.01), None, Some(0.02)];
    assert_eq!(adjust(Adjustment::Holm, &p, 5).unwrap(), [0.05, 1.0, 0.08]);
    assert_eq!(adjust(Adjustment::Bonferroni, &p, 5).unwrap(), [0.05, 1.0, 0.1]);
    assert_eq!(adjust(Adjustment::Hochberg, &p, 5).unwrap(), [0.05, 1.0, 0.08]);
    assert_eq!(adjust(Adjustment::BenjaminiHochberg, &p, 5).unwrap(), [0.05, 1.0, 0.05]);
    assert_eq!(adjust(Adjustment::Holm, &[], 5).unwrap(), Vec::<f64>::new());
}

#[test]
fn bad_families_are_refused() {
    assert_eq!(
        adjust(Adjustment::Holm, &[Some(0.1), None], 1),
        Err(FamilyError::MoreThanPlanned { given: 2, planned: 1 })
    );
    assert_eq!(
        adjust(Adjustment::Holm, &[None, Some(1.5)], 2),
        Err(FamilyError::NotAProbability { index: 1, value: 1.5 })
    );
    assert!(adjust(Adjustment::Holm, &[Some(f64::NAN)], 1).is_err());
    assert!(adjust(Adjustment::Holm, &[Some(-0.1)], 1).is_err());
}

#[test]
fn joint_adjustment_by_hand() {
    // Three comparisons planned, one of them without any result; p in order .01 (d0), .02 (e1), .03 (e0), .5 (d1).
    // Multipliers: 3, 3, 3, and 2 once both nulls of comparison 0 are passed.
    let got = adjust_joint(&[Some(0.01), Some(0.5)], &[Some(0.03), Some(0.02)], 3).unwrap();
    let want = JointAdjusted { difference: vec![0.03, 1.0], equivalence: vec![0.09, 0.06] };
    assert_eq!(got, want);
    assert_eq!(adjust_joint(&[None], &[], 3), Err(FamilyError::Unpaired { difference: 1, equivalence: 0 }));
    assert!(adjust_joint(&[None], &[Some(2.0)], 3).is_err());
    assert!(adjust_joint(&[None, None], &[None, None], 1).is_err());
}

/// Coarse values, so that ties are common.
fn families() -> impl Strategy<Value = (Vec<Option<f64>>, usize)> {
    let member = prop_oneof![4 => (0_u8..=20).prop_map(|k| Some(f64::from(k) / 20.0)), 1 => Just(None)];
    (prop::collection::vec(member, 0..15), 0_usize..5)
}

proptest! {
    #[test]
    fn adjusted_values_keep_order_and_bounds((p, missing) in families()) {
        let planned = p.len() + missing;
        for method in ALL {
            let adjusted = adjust(method, &p, planned).unwrap();
            for (i, a) in adjusted.iter().enumerate() {
                let own = p[i].unwrap_or(1.0);
                // m p / m may round below p.
                prop_assert!(*a >= own * (1.0 - 1e-15) && *a <= 1.0);
                for (j, b) in adjusted.iter().enumerate() {
                    let other = p[j].unwrap_or(1.0);
                    prop_assert!(own > other || a <= b);
                    prop_assert!(own != other || a == b);
                }
            }
        }
    }

    #[test]
    fn stricter_methods_give_larger_values((p, missing) in families()) {
        let [holm, bonferroni, hochberg, bh] = ALL.map(|m| adjust(m, &p, p.len() + missing).unwrap());
        for i in 0..p.len() {
            prop_assert!(holm[i] <= bonferroni[i]);
            prop_assert!(hochberg[i] <= holm[i]);
            prop_assert!(bh[i] <= hochberg[i] + 1e-15);
        }
    }

    /// The joint adjustment lies between Holm on each list alone and Bonferroni over the comparisons.
    #[test]
    fn joint_is_between_separate_holm_and_bonferroni((p, missing) in families(), shift in 0_usize..15) {
        let planned = p.len() + missing;
        let mut q = p.clone();
        q.rotate_left(shift.min(p.len()));
        let joint = adjust_joint(&p, &q, planned).unwrap();
        for (list, adjusted) in [(&p, &joint.difference), (&q, &joint.equivalence)] {
            let holm = adjust(Adjustment::Holm, list, planned).unwrap();
            let bonferroni = adjust(Adjustment::Bonferroni, list, planned).unwrap();
            for i in 0..p.len() {
                prop_assert!(holm[i] <= adjusted[i] && adjusted[i] <= bonferroni[i]);
            }
        }
    }

    /// An undefined member, p = 1, and a planned comparison left out are one and the same for the others.
    #[test]
    fn undefined_and_missing_members_cost_the_same((p, missing) in families(), m in 0_usize..4) {
        let method = ALL[m];
        let planned = p.len() + missing;
        let base = adjust(method, &p, planned).unwrap();
        let mut padded = p.clone();
        padded.resize(planned, None);
        prop_assert_eq!(&adjust(method, &padded, planned).unwrap()[..p.len()], &base[..]);
        let ones: Vec<Option<f64>> = padded.iter().map(|v| Some(v.unwrap_or(1.0))).collect();
        prop_assert_eq!(&adjust(method, &ones, planned).unwrap()[..p.len()], &base[..]);
        let mut reversed = p.clone();
        reversed.reverse();
        let mut back = adjust(method, &reversed, planned).unwrap();
        back.reverse();
        prop_assert_eq!(back, base);
    }
}
