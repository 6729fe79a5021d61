//! The module `pass_at_k` against independent values and what must hold of any input.

#![expect(clippy::cast_precision_loss, reason = "small counts")]

use super::{Attempts, AttemptsError, MOST_ATTEMPTS, Success, mean_pass, mean_pass_weighted, pass};
use crate::stats::undefined::Undefined;

fn made(made: u32, succeeded: u32) -> Attempts {
    Attempts { made, succeeded }
}

#[test]
fn one_draw_is_the_success_rate() {
    for attempts in 1..9 {
        for succeeded in 0..=attempts {
            let rate = f64::from(succeeded) / f64::from(attempts);
            assert_eq!(pass(Success::Any, made(attempts, succeeded), 1), Ok(rate));
            assert_eq!(pass(Success::Every, made(attempts, succeeded), 1), Ok(rate));
        }
    }
}

#[test]
fn the_estimates_count_the_draws() {
    // Every subset of k attempts of which the first c succeeded, by its bits.
    for n in 1_u32..10 {
        for c in 0..=n {
            for k in 1..=n {
                let draws: Vec<u32> = (0..1_u32 << n).filter(|set| set.count_ones() == k).collect();
                let good = (1_u32 << c) - 1;
                let any = draws.iter().filter(|set| *set & good != 0).count() as f64 / draws.len() as f64;
                let every = draws.iter().filter(|set| *set & !good == 0).count() as f64 / draws.len() as f64;
                assert_eq!(pass(Success::Any, made(n, c), k), Ok(any), "{n} {c} {k}");
                assert_eq!(pass(Success::Every, made(n, c), k), Ok(every), "{n} {c} {k}");
            }
        }
    }
}

#[test]
fn large_counts_stay_exact_and_fast() {
    // 1 - (1/2)^2 up to the correction for drawing without replacement: 1 - (n/2)(n/2 - 1) / (n (n - 1)).
    let n = MOST_ATTEMPTS;
    let expected = 1.0 - f64::from(n / 2 - 1) / (2.0 * f64::from(n - 1));
    assert!((pass(Success::Any, made(n, n / 2), 2).unwrap() - expected).abs() < 1e-15);
    assert_eq!(pass(Success::Any, made(n, n / 2), n / 2), Ok(1.0));
    let most = pass(Success::Every, made(n, n - 1), n - 1).unwrap();
    assert!((most - 1.0 / f64::from(n)).abs() < 1e-20);
}

#[test]
fn refuses_impossible_draws() {
    let short = AttemptsError::TooFew { unit: 1, made: 2, drawn: 3 };
    assert_eq!(mean_pass(Success::Any, &[made(4, 1), made(2, 2)], 3), Err(short));
    assert!(short.to_string().contains("unit number 2 has 2 attempts"));
    assert_eq!(mean_pass_weighted(Success::Any, &[made(4, 4), made(2, 2)], 3, &[3, 0]), Ok(1.0));
    assert_eq!(pass(Success::Any, made(3, 1), 0), Err(AttemptsError::ZeroDrawn));
    let more = AttemptsError::MoreSuccesses { unit: 0, attempts: made(3, 4) };
    assert_eq!(pass(Success::Every, made(3, 4), 1), Err(more));
    assert!(matches!(pass(Success::Any, made(MOST_ATTEMPTS + 1, 4), 1), Err(AttemptsError::TooMany { .. })));
    assert_eq!(mean_pass(Success::Any, &[], 1), Err(AttemptsError::Undefined(Undefined::NoRecords)));
}

proptest::proptest! {
    #[test]
    fn more_draws_find_more_and_keep_less(n in 2u32..60, c in 0u32..60, k in 1u32..60) {
        let (c, k) = (c.min(n), k.min(n - 1));
        let (any, every) = (pass(Success::Any, made(n, c), k).unwrap(), pass(Success::Every, made(n, c), k).unwrap());
        proptest::prop_assert!(0.0 <= every && every <= any && any <= 1.0);
        proptest::prop_assert!(pass(Success::Any, made(n, c), k + 1).unwrap() >= any);
        proptest::prop_assert!(pass(Success::Every, made(n, c), k + 1).unwrap() <= every);
        // All fail exactly when none succeeds.
        let none = pass(Success::Every, made(n, n - c), k).unwrap();
        proptest::prop_assert!((any - (1.0 - none)).abs() < 1e-15);
    }

    #[test]
    fn a_multiplicity_is_a_repetition(units in proptest::collection::vec((3u32..9, 0u32..9, 0u16..4), 1..12), k in 1u32..4) {
        let counts: Vec<Attempts> = units.iter().map(|u| made(u.0, u.1.min(u.0))).collect();
        let times: Vec<u16> = units.iter().map(|u| u.2).collect();
        let long: Vec<Attempts> =
            counts.iter().zip(&times).rev().flat_map(|(unit, times)| std::iter::repeat_n(*unit, (*times).into())).collect();
        for success in [Success::Any, Success::Every] {
            proptest::prop_assert_eq!(mean_pass_weighted(success, &counts, k, &times), mean_pass(success, &long, k));
        }
    }
}
