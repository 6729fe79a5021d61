//! Slopes, rank correlations and monotone trends against hand counts, enumeration and one another.

use proptest::prelude::*;

use super::*;
use crate::stats::permutation_within::{Counted, Counting};

fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "got {got:e}, want {want:e}");
}

#[test]
fn slopes_by_hand() {
    // Levels 0, 1, 3: k = 3, X = 4, coefficients -4, -1, 5 over 3 * 10 - 16 = 14.
    let slopes = unit_slopes(&[vec![1, 2, 4], vec![3, 3, 3], vec![0, 0, 1]], &[0, 1, 3], 10).unwrap();
    assert_eq!(slopes, UnitContrasts { scaled: vec![14, 0, 5], scale: 140 });
    near(slopes.sample().unwrap().mean(), 19.0 / 420.0);
    // Of the four sign vectors of 14 and 5, one reaches 19, and one its mirror.
    near(slopes.flip(Sides::TwoSided).unwrap().p, 0.5);
    let contrast = unit_contrasts(&[vec![1, 2, 4]], &[-1, 2, -1], 1).unwrap();
    assert_eq!(contrast.scaled, vec![-1]);
}

#[test]
fn refuses_what_has_no_trend() {
    assert_eq!(unit_slopes(&[vec![1]], &[1], 1), Err(TrendError::TooFewLevels(1)));
    assert_eq!(unit_slopes(&[vec![1, 2]], &[4, 4], 1), Err(TrendError::EqualLevels));
    assert_eq!(unit_slopes(&[vec![1, 2]], &[1, 2], 0), Err(TrendError::ScaleNotPositive(0)));
    let short = unit_slopes(&[vec![1, 2], vec![1]], &[1, 2], 1);
    assert_eq!(short, Err(TrendError::UnequalLengths { unit: 1, have: 1, need: 2 }));
    let huge = unit_slopes(&[vec![i64::MAX, i64::MIN]], &[i64::MAX, i64::MIN], i128::MAX);
    assert_eq!(huge, Err(TrendError::TooLarge));
    assert_eq!(unit_contrasts(&[vec![1, 2]], &[1, 1], 1), Err(TrendError::NotAContrast(2)));
    assert_eq!(unit_contrasts(&[vec![1, 2]], &[0, 0], 1), Err(TrendError::EmptyContrast));
    let flat = spearman_test(&[1.0, 1.0], &[1.0, 2.0], Sides::Greater, SpearmanMethod::Exact);
    assert_eq!(flat, Err(TrendError::Correlation(Undefined::Constant)));
    let many: Vec<f64> = (0..13).map(f64::from).collect();
    let long = spearman_test(&many, &many, Sides::Greater, SpearmanMethod::Exact);
    assert_eq!(long, Err(TrendError::TooManyPairs(13)));
    let few = spearman_test(&many[..2], &many[..2], Sides::Greater, SpearmanMethod::StudentT);
    assert_eq!(few, Err(TrendError::TooFewPairs(2)));
    assert_eq!(isotonic_fit(&[1, 2], &[1, 0], Order::Increasing), Err(TrendError::EmptyLevel(1)));
    let still = isotonic_test(&[vec![vec![1], vec![1]]], Order::Increasing, Counting::Exact, 1);
    assert_eq!(still, Err(TrendError::Permutation(WithinError::NothingToPermute)));
}

#[test]
fn perfect_correlations_have_an_exact_p() {
    let up: Vec<f64> = (0..20).map(f64::from).collect();
    let down: Vec<f64> = up.iter().map(|x| -x).collect();
    let one = 1.0 / 2_432_902_008_176_640_000.0;
    for (other, agreeing, opposing) in [(&up, Sides::Greater, Sides::Less), (&down, Sides::Less, Sides::Greater)] {
        let test = |sides| spearman_test(&up, other, sides, SpearmanMethod::ExactWhenFew).unwrap();
        assert_eq!(test(agreeing).used, SpearmanUsed::ExactExtreme);
        assert!((test(agreeing).p / one - 1.0).abs() < 1e-12);
        assert!((test(Sides::TwoSided).p / one - 2.0).abs() < 1e-12);
        near(test(opposing).p, 1.0);
    }
    // The closed form against counting, with ties that are symmetric and ties that are not.
    for x in [vec![1.0, 1.0, 2.0, 3.0, 3.0], vec![1.0, 1.0, 2.0, 3.0, 4.0]] {
        for sides in [Sides::TwoSided, Sides::Greater, Sides::Less] {
            let counted = spearman_test(&x, &x, sides, SpearmanMethod::Exact).unwrap();
            let closed = spearman_test(&x, &x, sides, SpearmanMethod::StudentT).unwrap();
            near(closed.p, counted.p);
        }
    }
}

/// All orders of a short list.
fn orders(items: &[f64]) -> Vec<Vec<f64>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    (0..items.len())
        .flat_map(|at| {
            let mut rest = items.to_vec();
            let first = rest.remove(at);
            orders(&rest).into_iter().map(move |mut order| {
                order.push(first);
                order
            })
        })
        .collect()
}

#[test]
fn monotone_fits_by_hand() {
    let fit = isotonic_fit(&[1, 3, 2, 10], &[1, 1, 1, 2], Order::Increasing).unwrap();
    assert_eq!(fit, MonotoneFit { means: vec![1.0, 2.5, 2.5, 5.0], runs: vec![1, 2, 1] });
    let fit = isotonic_fit(&[1, 3, 2, 10], &[1, 1, 1, 2], Order::Decreasing).unwrap();
    assert_eq!(fit.runs, vec![4]);
    let fit = isotonic_fit(&[5, 3, 4], &[1, 1, 1], Order::Either).unwrap();
    assert_eq!(fit.means, vec![5.0, 3.5, 3.5]);
}

#[test]
fn a_perfect_rise_in_every_unit() {
    // Three units of three levels, all rising: of 6^3 arrangements only the observed one explains as much, so 1/216.
    let units: Vec<LabelledUnit> = (0..3).map(|u| vec![vec![u], vec![u + 5], vec![u + 7]]).collect();
    let test = isotonic_test(&units, Order::Increasing, Counting::Exact, 1).unwrap();
    near(test.p, 1.0 / 216.0);
    near(isotonic_test(&units, Order::Either, Counting::Exact, 1).unwrap().p, 2.0 / 216.0);
    near(isotonic_test(&units, Order::Decreasing, Counting::Exact, 1).unwrap().p, 1.0);
    let drawn = isotonic_test(&units, Order::Increasing, Counting::Drawn { draws: 4_000, seed: 3 }, 2).unwrap();
    assert!((drawn.p - 1.0 / 216.0).abs() < 0.005);
    assert!(matches!(drawn.counted, Counted::Drawn { draws: 4_000, .. }));
}

fn whole(value: i64) -> f64 {
    f64::from(i32::try_from(value).unwrap())
}

type LabelledUnit = crate::stats::permutation::LabelledCluster;

proptest! {
    #[test]
    fn exact_correlations_match_enumeration(pairs in prop::collection::vec((0_u8..5, 0_u8..5), 2..7)) {
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).unzip();
        prop_assume!(x.iter().any(|v| (v - x[0]).abs() > 0.5) && y.iter().any(|v| (v - y[0]).abs() > 0.5));
        for sides in [Sides::TwoSided, Sides::Greater, Sides::Less] {
            let test = spearman_test(&x, &y, sides, SpearmanMethod::Exact).unwrap();
            let all = orders(&y);
            let extreme = all.iter().filter(|order| {
                let rho = crate::stats::moments::spearman(&x, order).unwrap();
                match sides {
                    Sides::TwoSided => rho.abs() >= test.rho.abs() - 1e-12,
                    Sides::Greater => rho >= test.rho - 1e-12,
                    Sides::Less => rho <= test.rho + 1e-12,
                }
            });
            let want = f64::from(u32::try_from(extreme.count()).unwrap()) / f64::from(u32::try_from(all.len()).unwrap());
            prop_assert!((test.p - want).abs() < 1e-12, "{} {want}", test.p);
        }
    }

    #[test]
    fn turning_a_list_turns_the_sides(y in prop::collection::vec(-50_i32..50, 14..30)) {
        let y: Vec<f64> = y.into_iter().map(f64::from).collect();
        prop_assume!(y.iter().any(|v| (v - y[0]).abs() > 0.5));
        let x: Vec<f64> = (0..30).map(f64::from).take(y.len()).collect();
        let turned: Vec<f64> = y.iter().map(|v| -v).collect();
        let a = spearman_test(&x, &y, Sides::Greater, SpearmanMethod::ExactWhenFew).unwrap();
        let b = spearman_test(&x, &turned, Sides::Less, SpearmanMethod::ExactWhenFew).unwrap();
        prop_assert!((a.p - b.p).abs() < 1e-12 && (0.0..=1.0).contains(&a.p));
    }

    /// A fit is monotone, keeps the total, and is as good as the best of all ways to cut the levels into runs.
    #[test]
    fn the_fit_is_the_best_monotone_one(levels in prop::collection::vec((-20_i64..20, 1_u32..4), 2..7)) {
        let (sums, weights): (Vec<i64>, Vec<u32>) = levels.into_iter().unzip();
        let fit = isotonic_fit(&sums, &weights, Order::Increasing).unwrap();
        prop_assert!(fit.means.windows(2).all(|pair| pair[0] <= pair[1]));
        let weighted = |means: &[f64]| means.iter().zip(&weights).map(|(m, w)| m * f64::from(*w)).collect::<Vec<f64>>();
        let total: f64 = weighted(&fit.means).iter().sum();
        prop_assert!((total - sums.iter().map(|s| whole(*s)).sum::<f64>()).abs() < 1e-9);
        let loss = |means: &[f64]| {
            let terms = means.iter().zip(&weights).zip(&sums);
            terms.map(|((m, w), s)| f64::from(*w) * (m - whole(*s) / f64::from(*w)).powi(2)).sum::<f64>()
        };
        for cuts in 0_u32..1 << (sums.len() - 1) {
            let mut means: Vec<f64> = Vec::new();
            let mut from = 0;
            for to in 1..=sums.len() {
                if to == sums.len() || cuts >> (to - 1) & 1 == 1 {
                    let sum: i64 = sums[from..to].iter().sum();
                    let weight: u32 = weights[from..to].iter().sum();
                    means.extend(vec![whole(sum) / f64::from(weight); to - from]);
                    from = to;
                }
            }
            if means.windows(2).all(|pair| pair[0] <= pair[1]) {
                prop_assert!(loss(&fit.means) <= loss(&means) + 1e-9);
            }
        }
    }

    #[test]
    fn reversing_the_levels_turns_the_order(units in prop::collection::vec(prop::collection::vec(-4_i64..5, 3), 1..4)) {
        let units: Vec<LabelledUnit> = units.into_iter().map(|u| u.into_iter().map(|v| vec![v]).collect()).collect();
        let reversed: Vec<LabelledUnit> = units.iter().map(|u| u.iter().rev().cloned().collect()).collect();
        for (order, turned) in [(Order::Increasing, Order::Decreasing), (Order::Either, Order::Either)] {
            let a = isotonic_test(&units, order, Counting::Exact, 1);
            let b = isotonic_test(&reversed, turned, Counting::Exact, 1);
            match (a, b) {
                (Ok(a), Ok(b)) => prop_assert_eq!(a.p.to_bits(), b.p.to_bits()),
                (a, b) => prop_assert_eq!(a.unwrap_err(), b.unwrap_err()),
            }
        }
    }
}
