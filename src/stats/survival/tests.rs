//! Curves and comparisons by hand, and what relabelling, scaling and strata may not change.

use proptest::prelude::*;

use super::*;
use crate::stats::sides::Sides;

fn records(pairs: &[(f64, bool)]) -> Vec<Observation> {
    pairs.iter().map(|&(time, event)| Observation { time, event }).collect()
}

fn ratio(above: i64, below: i64) -> Rational {
    Rational::new(above.into(), below.into())
}

fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "got {got:e}, want {want:e}");
}

#[test]
fn a_curve_by_hand() {
    // At 2, one of five; at 3 one is censored and one of four has its event; at 5, one of two.
    let curve =
        KaplanMeier::new(&records(&[(5.0, true), (3.0, false), (2.0, true), (3.0, true), (7.0, false)])).unwrap();
    let shape: Vec<(f64, u64, u64, u64)> =
        curve.steps().iter().map(|s| (s.time, s.at_risk, s.events, s.censored)).collect();
    assert_eq!(shape, [(2.0, 5, 1, 0), (3.0, 4, 1, 1), (5.0, 2, 1, 0), (7.0, 1, 0, 1)]);
    for (time, want) in [(0.0, 1.0), (1.9, 1.0), (2.0, 0.8), (3.0, 0.6), (4.9, 0.6), (5.0, 0.3), (7.0, 0.3)] {
        near(curve.survival_at(time).unwrap(), want);
    }
    near(curve.median().unwrap(), 5.0);
    near(curve.quantile(&ratio(1, 5)).unwrap(), 2.0);
    near(curve.quantile(&ratio(2, 5)).unwrap(), 3.0);
    assert!(matches!(curve.quantile(&ratio(4, 5)), Err(SurvivalError::NotReached { .. })));
    // 2 + 0.8 + 2 * 0.6 + 0.3; the areas after 2, 3, 5 are 2.3, 1.5, 0.3.
    let mean = curve.restricted_mean(6.0).unwrap();
    near(mean.mean, 4.3);
    near(mean.standard_error, (2.3_f64 * 2.3 / 20.0 + 1.5 * 1.5 / 12.0 + 0.3 * 0.3 / 2.0).sqrt());
    near(curve.restricted_mean(0.0).unwrap().mean, 0.0);
    let late = SurvivalError::BeyondFollowUp { time: 7.5, longest: 7.0 };
    assert_eq!(curve.restricted_mean(7.5), Err(late.clone()));
    assert_eq!(curve.survival_at(7.5), Err(late));
    assert!(matches!(curve.interval_at(1.0, 0.95), Err(SurvivalError::NoInterval { .. })));
}

#[test]
fn a_survival_of_exactly_the_share_is_reached() {
    // Of 3 k records, k events bring survival to exactly two thirds, which a product of doubles misses for many k.
    for k in 1..200_u32 {
        let times: Vec<(f64, bool)> = (0..3 * k).map(|i| (f64::from(i), true)).collect();
        let curve = KaplanMeier::new(&records(&times)).unwrap();
        near(curve.quantile(&ratio(1, 3)).unwrap(), f64::from(k - 1));
    }
    // With a censored record in between: 3/4 * 2/3 is one half, exactly.
    let curve = KaplanMeier::new(&records(&[(1.0, true), (2.0, true), (2.5, false), (4.0, true)])).unwrap();
    near(curve.median().unwrap(), 2.0);
    let split =
        KaplanMeier::new(&records(&[(0.5, false), (1.0, true), (2.0, true), (2.5, false), (4.0, true)])).unwrap();
    near(split.median().unwrap(), 2.0);
}

#[test]
fn refuses_bad_records() {
    assert_eq!(KaplanMeier::new(&[]), Err(SurvivalError::NoRecords));
    let bad = KaplanMeier::new(&records(&[(1.0, true), (-1.0, true)]));
    assert_eq!(bad, Err(SurvivalError::BadTime { record: 1, time: -1.0 }));
    let curve = KaplanMeier::new(&records(&[(1.0, true)])).unwrap();
    assert_eq!(curve.quantile(&ratio(1, 1)), Err(SurvivalError::BadShare(ratio(1, 1))));
    assert_eq!(curve.quantile(&ratio(0, 1)), Err(SurvivalError::BadShare(ratio(0, 1))));
    assert_eq!(curve.interval_at(1.0, 1.0), Err(SurvivalError::BadLevel(1.0)));
    near(curve.survival_at(100.0).unwrap(), 0.0);
    let subject = |group| Subject { time: 1.0, event: true, group, stratum: 0 };
    assert_eq!(log_rank(&[subject(0)], 1), Err(SurvivalError::Groups(1)));
    assert_eq!(log_rank(&[], 2), Err(SurvivalError::NoRecords));
    assert_eq!(log_rank(&[subject(2)], 2), Err(SurvivalError::UnknownGroup { record: 0, group: 2 }));
    assert_eq!(log_rank(&[subject(0)], 2), Err(SurvivalError::EmptyGroup(1)));
}

#[test]
fn groups_that_never_meet_cannot_be_compared() {
    let subject = |time, group, stratum| Subject { time, event: true, group, stratum };
    let apart = [subject(1.0, 0, 0), subject(2.0, 0, 0), subject(1.0, 1, 1), subject(2.0, 1, 1)];
    assert_eq!(log_rank(&apart, 2), Err(SurvivalError::NothingCompared(0)));
    assert_eq!(log_rank_two(&apart, Sides::TwoSided), Err(SurvivalError::NothingCompared(0)));
    // Two pairs of groups, each in a stratum of its own.
    let pairs: Vec<Subject> =
        (0..40_u8).map(|i| subject(f64::from(i * 3 % 11), usize::from(i % 4), usize::from(i % 4 / 2))).collect();
    assert!(matches!(log_rank(&pairs, 4), Err(SurvivalError::NothingCompared(_))));
}

fn subjects(groups: usize) -> impl Strategy<Value = Vec<Subject>> {
    let one = (0_u8..9, any::<bool>(), 0..groups, 0_usize..2).prop_map(|(time, event, group, stratum)| Subject {
        time: f64::from(time),
        event,
        group,
        stratum,
    });
    prop::collection::vec(one, 1..40)
}

proptest! {
    #[test]
    fn without_censoring_the_curve_is_the_share_still_to_come(times in prop::collection::vec(0_u8..12, 1..30)) {
        let all = records(&times.iter().map(|t| (f64::from(*t), true)).collect::<Vec<_>>());
        let curve = KaplanMeier::new(&all).unwrap();
        let count = |time: f64| all.iter().filter(|r| r.time > time).count();
        for step in curve.steps() {
            let share = f64::from(u32::try_from(count(step.time)).unwrap()) / f64::from(u32::try_from(all.len()).unwrap());
            prop_assert!((step.survival - share).abs() < 1e-12);
        }
        let n = f64::from(u32::try_from(all.len()).unwrap());
        let mean = all.iter().map(|r| r.time).sum::<f64>() / n;
        let last = all.iter().map(|r| r.time).fold(0.0, f64::max);
        let area = curve.restricted_mean(last).unwrap();
        prop_assert!((area.mean - mean).abs() < 1e-9);
        let squares: f64 = all.iter().map(|r| (r.time - mean) * (r.time - mean)).sum();
        prop_assert!((area.standard_error - squares.sqrt() / n).abs() < 1e-9);
    }

    #[test]
    fn two_groups_agree_and_swap(subjects in subjects(2)) {
        let swapped: Vec<Subject> = subjects.iter().map(|s| Subject { group: 1 - s.group, ..*s }).collect();
        match (log_rank(&subjects, 2), log_rank_two(&subjects, Sides::TwoSided)) {
            (Ok(k), Ok(two)) => {
                prop_assert!((k.chi2 - two.z * two.z).abs() < 1e-9 && (k.p - two.p).abs() < 1e-9);
                let seen: u64 = k.observed.iter().sum();
                prop_assert!((k.expected.iter().sum::<f64>() - real(seen)).abs() < 1e-9);
                let one = log_rank_two(&subjects, Sides::Greater).unwrap();
                let other = log_rank_two(&swapped, Sides::Less).unwrap();
                prop_assert!((one.p - other.p).abs() < 1e-9 && (0.0..=1.0).contains(&one.p));
            }
            (k, two) => prop_assert_eq!(k.unwrap_err(), two.unwrap_err()),
        }
    }

    #[test]
    fn names_of_groups_and_scale_of_time_do_not_matter(subjects in subjects(3)) {
        let turned: Vec<Subject> =
            subjects.iter().map(|s| Subject { group: (s.group + 1) % 3, time: 8.0 * s.time, ..*s }).collect();
        if let (Ok(a), Ok(b)) = (log_rank(&subjects, 3), log_rank(&turned, 3)) {
            prop_assert!((a.chi2 - b.chi2).abs() < 1e-8 * (1.0 + a.chi2), "{} {}", a.chi2, b.chi2);
        }
    }
}
