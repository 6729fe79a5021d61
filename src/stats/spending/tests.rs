//! Boundaries against closed forms, another method of integration, and their own error rate.

use super::*;
use crate::math::philox::Philox;
use crate::math::special::normal_quantile;

const FORMS: [Spending; 6] = [
    Spending::OBrienFlemingType,
    Spending::PocockType,
    Spending::Power(1.0),
    Spending::Power(3.0),
    Spending::HwangShihDeCani(-4.0),
    Spending::HwangShihDeCani(0.0),
];

#[test]
fn one_look_is_the_fixed_test() {
    for form in FORMS {
        let upper = boundaries(&[1.0], 0.025, form, Crossing::Upper).unwrap();
        assert!((upper[0].critical - 1.959_963_984_540_054).abs() < 1e-12, "{form:?}");
        let both = boundaries(&[1.0], 0.05, form, Crossing::Both).unwrap();
        assert!((both[0].critical - 1.959_963_984_540_054).abs() < 1e-12, "{form:?}");
        assert!((both[0].level - 0.05).abs() < 1e-12);
    }
}

#[test]
fn spending_ends_at_alpha_and_never_falls() {
    for form in FORMS {
        let mut before = 0.0;
        for step in 0..=100 {
            let spent = form.spent(f64::from(step) / 100.0, 0.03).unwrap();
            assert!(spent >= before, "{form:?}");
            before = spent;
        }
        assert!((before - 0.03).abs() < 1e-17);
    }
}

/// Two looks by another route: the probability of missing both is a one-dimensional integral, here by the trapezoid rule.
#[test]
fn two_looks_match_a_direct_integral() {
    for first in [0.001, 0.3, 0.999] {
        let looks = boundaries(&[first, 1.0], 0.025, Spending::PocockType, Crossing::Upper).unwrap();
        let (root, rest) = (first.sqrt(), (1.0 - first).sqrt());
        let (from, to, n) = (-9.0, looks[0].critical, 100_000);
        let step = (to - from) / f64::from(n);
        let inside = |z: f64| normal_pdf_of(z) * normal_sf(-(looks[1].critical - root * z) / rest);
        let ends = 0.5 * (inside(from) + inside(to));
        let missed = step * (ends + (1..n).map(|i| inside(from + step * f64::from(i))).sum::<f64>());
        assert!((1.0 - missed - 0.025).abs() < 1e-9, "{first}: {}", 1.0 - missed);
    }
}

fn normal_pdf_of(z: f64) -> f64 {
    crate::math::special::normal_pdf(z)
}

#[test]
fn exits_without_drift_return_what_was_spent() {
    let spacings: [&[f64]; 4] =
        [&[0.1, 0.2, 0.9, 1.0], &[0.5, 0.501, 0.502, 0.97, 1.0], &[0.01, 0.8, 0.801, 1.0], &[0.33, 0.66]];
    for information in spacings {
        for form in FORMS {
            for (crossing, alpha) in [(Crossing::Upper, 0.025), (Crossing::Both, 0.05)] {
                let looks = boundaries(information, alpha, form, crossing).unwrap();
                let critical: Vec<f64> = looks.iter().map(|look| look.critical).collect();
                let exits = exit_probabilities(information, &critical, crossing, 0.0).unwrap();
                let mut sum = 0.0;
                for (exit, look) in exits.iter().zip(&looks) {
                    sum += exit;
                    assert!((sum - look.spent).abs() < 1e-10, "{form:?} {information:?} {sum} {}", look.spent);
                }
            }
        }
    }
}

/// A simulated walk crosses as often as computed, with and without drift.
#[test]
fn a_simulated_walk_crosses_as_often() {
    let information = [0.2, 0.45, 0.5, 1.0];
    let looks = boundaries(&information, 0.1, Spending::PocockType, Crossing::Both).unwrap();
    let critical: Vec<f64> = looks.iter().map(|look| look.critical).collect();
    for drift in [0.0, 1.5] {
        let exits = exit_probabilities(&information, &critical, Crossing::Both, drift).unwrap();
        let mut seen = [0.0; 4];
        let mut words = Philox::from_seed(11).stream(0, 0);
        for _ in 0..40_000 {
            let (mut at, mut before) = (0.0_f64, 0.0);
            for (look, &share) in information.iter().enumerate() {
                let step: f64 = share - before;
                let u = (f64::from(words.next_word()) + 0.5) / 4_294_967_296.0;
                at += drift * step + step.sqrt() * normal_quantile(u);
                before = share;
                if at.abs() / share.sqrt() >= critical[look] {
                    seen[look] += 1.0 / 40_000.0;
                    break;
                }
            }
        }
        for (exit, seen) in exits.iter().zip(seen) {
            let error = (exit * (1.0 - exit) / 40_000.0_f64).sqrt();
            assert!((exit - seen).abs() < 4.0 * error, "{drift}: {exit} {seen}");
        }
    }
}

#[test]
fn nothing_spent_means_no_boundary() {
    let looks = boundaries_from_spent(&[0.5, 1.0], &[0.0, 0.025], Crossing::Upper).unwrap();
    assert!(looks[0].critical.is_infinite() && looks[0].level.abs() < 1e-300);
    assert!((looks[1].critical - 1.959_963_984_540_054).abs() < 1e-10);
}

#[test]
fn refuses_plans_that_make_no_sense() {
    let plan = |information: &[f64], alpha| boundaries(information, alpha, Spending::PocockType, Crossing::Upper);
    assert_eq!(plan(&[], 0.025), Err(SpendingError::Looks(0)));
    assert_eq!(plan(&[1.0; 60], 0.025), Err(SpendingError::Looks(60)));
    assert_eq!(plan(&[0.5, 0.5], 0.025), Err(SpendingError::BadInformation { look: 1, information: 0.5 }));
    assert_eq!(plan(&[0.5, 1.2], 0.025), Err(SpendingError::BadInformation { look: 1, information: 1.2 }));
    assert!(matches!(plan(&[f64::NAN], 0.025), Err(SpendingError::BadInformation { .. })));
    assert_eq!(plan(&[1.0], 0.6), Err(SpendingError::BadAlpha(0.6)));
    let bad = boundaries(&[1.0], 0.05, Spending::Power(0.0), Crossing::Upper);
    assert_eq!(bad, Err(SpendingError::BadParameter(0.0)));
    let falling = boundaries_from_spent(&[0.5, 1.0], &[0.02, 0.01], Crossing::Upper);
    assert_eq!(falling, Err(SpendingError::BadSpent { look: 1, spent: 0.01 }));
    let short = boundaries_from_spent(&[0.5, 1.0], &[0.02], Crossing::Upper);
    assert_eq!(short, Err(SpendingError::UnequalLengths { information: 2, other: 1 }));
    let bound = exit_probabilities(&[1.0], &[-1.0], Crossing::Both, 0.0);
    assert_eq!(bound, Err(SpendingError::BadBound { look: 0, bound: -1.0 }));
    assert_eq!(exit_probabilities(&[1.0], &[1.0], Crossing::Both, 99.0), Err(SpendingError::BadDrift(99.0)));
    let crowded: Vec<f64> = (0..50).map(|i| 0.5 * libm::pow(1.000_101, f64::from(i))).collect();
    assert_eq!(plan(&crowded, 0.025), Err(SpendingError::TooUneven));
}
