//! The module `rate` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{Formula, SampleSize, agresti_coull, beta_binomial, cluster_robust, of_clusters, t_on_cluster_rates};
use crate::stats::effective_n::Cluster;
use crate::stats::undefined::Undefined;

const FORMULAS: [Formula; 4] = [Formula::Wilson, Formula::AgrestiCoull, Formula::ClopperPearson, Formula::Jeffreys];

fn clusters(pairs: &[(u64, u64)]) -> Vec<Cluster> {
    pairs.iter().map(|&(positive, records)| Cluster { positive, records }).collect()
}

#[test]
fn refuses_what_is_no_rate() {
    for formula in FORMULAS {
        for (rate, n, level) in [
            (-0.1, 5.0, 0.95),
            (1.1, 5.0, 0.95),
            (0.5, 0.0, 0.95),
            (0.5, -3.0, 0.95),
            (0.5, f64::INFINITY, 0.95),
            (0.5, 5.0, 0.0),
            (0.5, 5.0, 1.0),
            (f64::NAN, 5.0, 0.95),
        ] {
            assert_eq!(formula.interval(rate, n, level), Err(Undefined::OutOfRange), "{formula:?} {rate} {n} {level}");
        }
    }
}

#[test]
fn all_pass_and_all_fail_never_close_the_interval() {
    for n in [1_usize, 2, 5, 53, 500] {
        let (pass, fail) = (clusters(&vec![(3, 3); n]), clusters(&vec![(0, 3); n]));
        for formula in FORMULAS {
            for size in [SampleSize::Records, SampleSize::Effective, SampleSize::KornGraubard] {
                if n == 1 && size == SampleSize::KornGraubard {
                    assert_eq!(of_clusters(&pass, formula, size, 0.95), Err(Undefined::TooFew { have: 1, need: 2 }));
                    continue;
                }
                let (high, low) = (
                    of_clusters(&pass, formula, size, 0.95).unwrap(),
                    of_clusters(&fail, formula, size, 0.95).unwrap(),
                );
                assert!(high.lower < 0.9999 && high.contains(1.0), "{formula:?} {size:?} {high:?}");
                assert!(low.upper > 0.0001 && low.contains(0.0), "{formula:?} {size:?} {low:?}");
                assert!((high.lower - (1.0 - low.upper)).abs() < 1e-12);
            }
        }
        let posterior = beta_binomial(&pass).unwrap().interval(0.95).unwrap();
        assert!(posterior.lower < 0.9999 && posterior.contains(1.0), "{posterior:?}");
        assert!(beta_binomial(&fail).unwrap().interval(0.95).unwrap().contains(0.0));
        assert_eq!(
            t_on_cluster_rates(&pass, 0.95),
            Err(if n == 1 { Undefined::TooFew { have: 1, need: 2 } } else { Undefined::Constant })
        );
        assert!(cluster_robust(&pass).is_err());
    }
}

#[test]
fn equal_clusters_make_the_two_t_intervals_one() {
    let data = clusters(&[(0, 4), (1, 4), (4, 4), (2, 4), (3, 4), (3, 4), (0, 0)]);
    let robust = cluster_robust(&data).unwrap();
    assert!((robust.df - 5.0).abs() < 1e-12);
    let (left, right) = (robust.interval(0.9).unwrap(), t_on_cluster_rates(&data, 0.9).unwrap());
    assert!((left.lower - right.lower).abs() < 1e-12 && (left.upper - right.upper).abs() < 1e-12);
    assert_eq!(cluster_robust(&clusters(&[(2, 1)])), Err(Undefined::OutOfRange));
    assert_eq!(cluster_robust(&[]), Err(Undefined::NoRecords));
    assert_eq!(beta_binomial(&clusters(&[(0, 0)])), Err(Undefined::NoRecords));
    assert_eq!(beta_binomial(&clusters(&[(1, 0)])), Err(Undefined::OutOfRange));
}

#[test]
fn one_record_in_each_cluster_gives_the_jeffreys_posterior() {
    // With single records the correlation is not identified and drops out: the posterior of the mean is Jeffreys's.
    let data: Vec<Cluster> = (0..40).map(|i| Cluster { positive: u64::from(i < 29), records: 1 }).collect();
    let got = beta_binomial(&data).unwrap();
    let want = super::jeffreys(29.0 / 40.0, 40.0, 0.95).unwrap();
    let interval = got.interval(0.95).unwrap();
    assert!((interval.lower - want.lower).abs() < 2e-5, "{interval:?} {want:?}");
    assert!((interval.upper - want.upper).abs() < 2e-5, "{interval:?} {want:?}");
    assert!((got.rate - 29.5 / 41.0).abs() < 1e-5);
    // The posterior of the correlation is then its prior, uniform.
    assert!((got.correlation - 0.5).abs() < 1e-3, "{}", got.correlation);
}

#[test]
fn perfectly_correlated_records_count_once() {
    let many: Vec<Cluster> = (0..40).map(|i| Cluster { positive: if i < 29 { 50 } else { 0 }, records: 50 }).collect();
    let single: Vec<Cluster> = (0..40).map(|i| Cluster { positive: u64::from(i < 29), records: 1 }).collect();
    let (many, single) = (beta_binomial(&many).unwrap(), beta_binomial(&single).unwrap());
    assert!(many.correlation > 0.9);
    let (a, b) = (many.interval(0.95).unwrap(), single.interval(0.95).unwrap());
    assert!((a.lower - b.lower).abs() < 0.01 && (a.upper - b.upper).abs() < 0.01, "{a:?} {b:?}");
}

proptest! {
    #[test]
    fn intervals_hold_the_rate_and_widen_with_the_level(k in 0_u32..40, more in 0_u32..40, scale in 0.05_f64..3.0) {
        let n = f64::from(k + more).max(1.0);
        let rate = (f64::from(k) / n).min(1.0);
        for formula in FORMULAS {
            let narrow = formula.interval(rate, n * scale, 0.8).unwrap();
            let wide = formula.interval(rate, n * scale, 0.95).unwrap();
            for interval in [narrow, wide] {
                prop_assert!(0.0 <= interval.lower && interval.upper <= 1.0);
                prop_assert!(interval.lower <= rate + 1e-12 && rate <= interval.upper + 1e-12, "{formula:?} {rate} {interval:?}");
            }
            prop_assert!(wide.lower <= narrow.lower + 1e-12 && narrow.upper <= wide.upper + 1e-12);
            let mirrored = formula.interval(1.0 - rate, n * scale, 0.95).unwrap();
            prop_assert!((mirrored.lower - (1.0 - wide.upper)).abs() < 1e-9, "{formula:?}");
        }
        let (coull, wilson) = (agresti_coull(rate, n, 0.95).unwrap(), super::wilson(rate, n, 0.95).unwrap());
        prop_assert!(coull.lower <= wilson.lower + 1e-12 && wilson.upper <= coull.upper + 1e-12);
    }

    #[test]
    fn limits_rise_with_the_rate(k in 0_u32..30) {
        for formula in FORMULAS {
            let at = |k: u32| formula.interval(f64::from(k) / 30.0, 30.0, 0.95).unwrap();
            prop_assert!(at(k).lower <= at(k + 1).lower && at(k).upper <= at(k + 1).upper);
        }
    }

    #[test]
    fn clusters_may_be_permuted_and_never_panic(
        data in prop::collection::vec((0_u64..5, 0_u64..5), 0..12),
        shift in 0_usize..12,
    ) {
        let data: Vec<Cluster> =
            data.iter().map(|&(a, b)| Cluster { positive: a.min(b), records: b }).collect();
        let mut turned = data.clone();
        turned.rotate_left(shift % data.len().max(1));
        for formula in FORMULAS {
            let size = SampleSize::KornGraubard;
            match (of_clusters(&data, formula, size, 0.95), of_clusters(&turned, formula, size, 0.95)) {
                (Ok(a), Ok(b)) => prop_assert!((a.lower - b.lower).abs() + (a.upper - b.upper).abs() < 1e-9),
                (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
            }
        }
        prop_assert_eq!(cluster_robust(&data).is_ok(), cluster_robust(&turned).is_ok());
        prop_assert_eq!(t_on_cluster_rates(&data, 0.9).is_ok(), t_on_cluster_rates(&turned, 0.9).is_ok());
    }
}

#[test]
fn the_posterior_does_not_depend_on_the_order() {
    let data = clusters(&[(0, 3), (2, 3), (3, 3), (1, 2), (4, 4)]);
    let mut turned = data.clone();
    turned.reverse();
    assert_eq!(beta_binomial(&data), beta_binomial(&turned));
}
