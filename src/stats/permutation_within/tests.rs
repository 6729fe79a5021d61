//! Exact counts against enumeration, drawn ones against exact ones, and what labels and threads may not change.

use proptest::prelude::*;

use super::*;
use crate::stats::sign::sign_flip;

const SIDES: [Sides; 3] = [Sides::TwoSided, Sides::Greater, Sides::Less];

fn exact(clusters: &[LabelledCluster], weighing: Weighing, sides: Sides) -> DifferenceTest {
    difference_test(clusters, weighing, sides, Counting::Exact, 1).unwrap()
}

#[test]
fn one_cluster_by_hand() {
    // Of the six ways to give two of {9, 5, 1, 2} to the first arm, only {9, 5} reaches 14, and {1, 2} is its mirror.
    let clusters = [vec![vec![9, 5], vec![1, 2]]];
    for weighing in [Weighing::Records, Weighing::Clusters] {
        let test = exact(&clusters, weighing, Sides::Greater);
        assert_eq!(test.counted, Counted::Exact(Rational::new(1.into(), 6.into())));
        assert!((test.difference - 5.5).abs() < 1e-15);
        assert!((exact(&clusters, weighing, Sides::TwoSided).p - 2.0 / 6.0).abs() < 1e-15);
        assert!((exact(&clusters, weighing, Sides::Less).p - 1.0).abs() < 1e-15);
    }
}

#[test]
fn refuses_what_cannot_be_permuted() {
    let run = |clusters: &[LabelledCluster], counting| {
        difference_test(clusters, Weighing::Clusters, Sides::TwoSided, counting, 1)
    };
    assert_eq!(run(&[vec![vec![1]]], Counting::Exact), Err(WithinError::NotTwoArms { cluster: 0, arms: 1 }));
    assert_eq!(run(&[vec![vec![1], vec![]]], Counting::Exact), Err(WithinError::EmptyArm));
    assert_eq!(run(&[vec![vec![1], vec![1]]], Counting::Exact), Err(WithinError::NothingToPermute));
    let fine = [vec![vec![1], vec![0]], vec![vec![1, 1], vec![]]];
    for counting in [Counting::Drawn { draws: 0, seed: 1 }, Counting::ExactElseDrawn { draws: 0, seed: 1 }] {
        assert_eq!(run(&fine, counting), Err(WithinError::NoDraws));
    }
    assert_eq!(run(&fine, Counting::Exact).unwrap().left_out, 1);
    let huge: Vec<LabelledCluster> = (0..40).map(|i| vec![vec![i64::MAX >> (i % 7)], vec![3_i64.pow(i)]]).collect();
    let many = run(&huge, Counting::Exact);
    assert_eq!(many, Err(WithinError::TooManyToCount { limit: MOST_STEPS }));
    let fallen = run(&huge, Counting::ExactElseDrawn { draws: 99, seed: 4 }).unwrap();
    assert!(matches!(fallen.counted, Counted::Drawn { draws: 99, .. }));
}

#[test]
fn draws_approach_the_exact_p_and_do_not_depend_on_threads() {
    let clusters: Vec<LabelledCluster> =
        (0..12_i64).map(|t| vec![vec![t % 3, (t * t) % 2, 1], vec![0, (t * 5) % 4 / 2]]).collect();
    for weighing in [Weighing::Records, Weighing::Clusters] {
        let want = exact(&clusters, weighing, Sides::TwoSided).p;
        let counting = Counting::Drawn { draws: 20_000, seed: 8 };
        let one = difference_test(&clusters, weighing, Sides::TwoSided, counting, 1).unwrap();
        assert!((one.p - want).abs() < 4.0 * (want * (1.0 - want) / 20_000.0).sqrt(), "{} {want}", one.p);
        for workers in [2, 5] {
            assert_eq!(one, difference_test(&clusters, weighing, Sides::TwoSided, counting, workers).unwrap());
        }
    }
}

#[test]
fn any_statistic_agrees_with_the_difference() {
    let clusters: Vec<LabelledCluster> = vec![
        vec![vec![1, 1, 0], vec![0, 0]],
        vec![vec![1, 0], vec![0, 0, 1]],
        vec![vec![1, 1], vec![0]],
        vec![vec![1], vec![1]],
    ];
    let values: Vec<Vec<i64>> = clusters.iter().map(|c| c.concat()).collect();
    let labels: Vec<Vec<u32>> =
        clusters.iter().map(|c| c.iter().zip(0..).flat_map(|(arm, l)| vec![l; arm.len()]).collect()).collect();
    // Arms are of sizes 8 and 7, so the difference is ordered like 7 * first - 8 * second.
    let statistic = |labels: &[Vec<u32>]| {
        let pairs = labels.iter().flatten().zip(values.iter().flatten());
        Some(pairs.map(|(label, value)| if *label == 0 { 7 * value } else { -8 * value }).sum::<i64>())
    };
    let want = exact(&clusters, Weighing::Records, Sides::Greater);
    let got = statistic_test(&labels, statistic, Counting::Exact, 1).unwrap();
    assert_eq!(got.counted, want.counted);
    let drawn = statistic_test(&labels, statistic, Counting::Drawn { draws: 9_999, seed: 2 }, 3).unwrap();
    assert!((drawn.p - want.p).abs() < 0.02);
    let undefined = statistic_test(&labels, |l| (l == labels).then_some(0), Counting::Exact, 1).unwrap();
    assert!((undefined.p - 1.0).abs() < 1e-15, "what is undefined counts as extreme");
    let never = statistic_test::<i64>(&labels, |_| None, Counting::Exact, 1);
    assert_eq!(never.unwrap_err(), WithinError::UndefinedObserved);
    let alike = statistic_test(&[vec![3, 3]], |_| Some(0), Counting::Exact, 1);
    assert_eq!(alike.unwrap_err(), WithinError::NothingToPermute);
}

fn clusters() -> impl Strategy<Value = Vec<LabelledCluster>> {
    let arm = || prop::collection::vec(-3_i64..4, 1..4);
    prop::collection::vec((arm(), arm()).prop_map(|(a, b)| vec![a, b]), 1..5)
}

proptest! {
    #[test]
    fn swapping_arms_swaps_sides(clusters in clusters(), whole in any::<bool>()) {
        let weighing = if whole { Weighing::Records } else { Weighing::Clusters };
        let swapped: Vec<LabelledCluster> = clusters.iter().map(|c| vec![c[1].clone(), c[0].clone()]).collect();
        for (sides, mirrored) in SIDES.into_iter().zip([Sides::TwoSided, Sides::Less, Sides::Greater]) {
            let a = difference_test(&clusters, weighing, sides, Counting::Exact, 1);
            let b = difference_test(&swapped, weighing, mirrored, Counting::Exact, 1);
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    prop_assert_eq!(a.p.to_bits(), b.p.to_bits());
                    prop_assert_eq!(a.difference.to_bits(), if b.difference == 0.0 { b.difference } else { -b.difference }.to_bits());
                    prop_assert!(a.p > 0.0 && a.p <= 1.0);
                }
                (a, b) => prop_assert_eq!(a.unwrap_err(), b.unwrap_err()),
            }
        }
    }

    /// With one record of each arm in every cluster, permuting labels flips signs.
    #[test]
    fn single_pairs_make_it_the_sign_flip(pairs in prop::collection::vec((-5_i64..6, -5_i64..6), 1..9)) {
        prop_assume!(pairs.iter().any(|(a, b)| a != b));
        let clusters: Vec<LabelledCluster> = pairs.iter().map(|(a, b)| vec![vec![*a], vec![*b]]).collect();
        let d: Vec<i128> = pairs.iter().map(|(a, b)| i128::from(a - b)).collect();
        for sides in SIDES {
            let flip = sign_flip(&d, sides).unwrap();
            for weighing in [Weighing::Records, Weighing::Clusters] {
                prop_assert_eq!(exact(&clusters, weighing, sides).p.to_bits(), flip.p.to_bits());
            }
        }
    }
}
