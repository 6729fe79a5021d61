//! Bounds on attainable p values, and that the tests themselves reach them.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests fail by panicking and compare exact values")]
use super::*;
use crate::stats::sign::{mcnemar, sign_flip, sign_test};

#[test]
fn the_tests_themselves_reach_the_bound_and_not_less() {
    for n in 1..=9_u64 {
        for sides in [Sides::TwoSided, Sides::Greater, Sides::Less] {
            let mut least = (1.0_f64, 1.0_f64);
            for mask in 0..1_u32 << n {
                // Sizes 1, 2, 3, ... in every combination of signs.
                let d: Vec<i128> =
                    (0..n).map(|i| if mask >> i & 1 == 1 { 1 + i128::from(i) } else { -1 - i128::from(i) }).collect();
                least.0 = least.0.min(sign_test(&d, sides).unwrap().p);
                least.1 = least.1.min(sign_flip(&d, sides).unwrap().p);
            }
            assert_eq!(least, (smallest_p(Reach::SignTest(n), sides), smallest_p(Reach::SignFlip(n), sides)), "{n}");
        }
        let pairs = mcnemar(n, 0).unwrap();
        assert_eq!(pairs.exact_p, smallest_p(Reach::McnemarExact(n), Sides::TwoSided));
        assert_eq!(pairs.mid_p, smallest_p(Reach::McnemarMidP(n), Sides::TwoSided));
    }
}

#[test]
fn bounds_without_data_and_without_limit() {
    assert_eq!(smallest_p(Reach::SignFlip(5), Sides::TwoSided), 0.0625);
    assert_eq!(smallest_p(Reach::SignFlip(0), Sides::TwoSided), 1.0);
    assert_eq!(smallest_p(Reach::SignFlip(0), Sides::Less), 1.0);
    assert_eq!(smallest_p(Reach::Permutation { draws: 9_999 }, Sides::TwoSided), 0.0001);
    assert_eq!(smallest_p(Reach::Permutation { draws: 0 }, Sides::TwoSided), 1.0);
    assert_eq!(smallest_p(Reach::PairedT, Sides::TwoSided), 0.0);
    assert_eq!(smallest_p(Reach::SignFlip(u64::MAX), Sides::TwoSided), 0.0);
}

#[test]
fn families_need_a_least_number_of_tasks() {
    // n >= 1 + log2(m / alpha).
    assert_eq!(fewest_nonzero_differences(0.05, 1, Sides::TwoSided), Some(6));
    assert_eq!(fewest_nonzero_differences(0.05, 5, Sides::TwoSided), Some(8));
    assert_eq!(fewest_nonzero_differences(0.05, 12, Sides::TwoSided), Some(9));
    assert_eq!(fewest_nonzero_differences(0.05, 5, Sides::Greater), Some(7));
    assert_eq!(fewest_nonzero_differences(0.0, 5, Sides::TwoSided), None);
    assert_eq!(fewest_nonzero_differences(f64::NAN, 5, Sides::TwoSided), None);
    assert_eq!(fewest_nonzero_differences(0.05, 0, Sides::TwoSided), None);
}
