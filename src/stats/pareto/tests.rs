//! The module `pareto` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{Membership, Objective, Place, ReplicatedObjective, front_membership, pareto_front};
use crate::stats::equivalence::Better;
use crate::stats::undefined::Undefined;

fn front(score: &[f64], cost: &[f64]) -> Vec<Place> {
    let objectives =
        [Objective { better: Better::Higher, values: score }, Objective { better: Better::Lower, values: cost }];
    pareto_front(&objectives).unwrap()
}

#[test]
fn equal_members_share_the_front_and_missing_values_stay_out() {
    use Place::{Dominated, Front};
    assert_eq!(front(&[0.5, 0.5, 0.4], &[1.0, 1.0, 1.0]), [Front, Front, Dominated]);
    assert_eq!(front(&[0.5, 0.9, 0.4], &[1.0, 2.0, 0.5]), [Front; 3]);
    // No success costs infinitely much per success; a missing value is another matter.
    assert_eq!(front(&[0.0, 0.1], &[f64::INFINITY, 3.0]), [Dominated, Front]);
    assert_eq!(front(&[0.9, 0.1], &[f64::NAN, 3.0]), [Place::Undefined, Front]);
    let uneven = [
        Objective { better: Better::Higher, values: &[1.0] },
        Objective { better: Better::Lower, values: &[1.0, 2.0] },
    ];
    assert_eq!(pareto_front(&uneven), Err(Undefined::UnequalLengths { left: 1, right: 2 }));
    assert_eq!(pareto_front(&[]), Err(Undefined::NoRecords));
}

#[test]
fn memberships_count_resamples() {
    let (a, b) = ([0.5, 0.6, 0.7, f64::NAN], [0.6, 0.6, 0.6, 0.6]);
    let (ca, cb) = ([1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 2.0, 1.0]);
    let objectives = [
        ReplicatedObjective { better: Better::Higher, series: &[&a, &b] },
        ReplicatedObjective { better: Better::Lower, series: &[&ca, &cb] },
    ];
    for workers in [1, 3] {
        let got = front_membership(&objectives, workers).unwrap();
        assert_eq!(got[0], Membership { front: 2, undefined: 1, resamples: 4 });
        assert_eq!(got[1], Membership { front: 3, undefined: 0, resamples: 4 });
        assert_eq!(got[0].frequency(), Err(Undefined::TooManyUndefinedResamples { undefined: 1, resamples: 4 }));
        assert!((got[1].frequency().unwrap() - 0.75).abs() < 1e-15);
    }
    assert_eq!(Membership::default().frequency(), Err(Undefined::NoRecords));
}

proptest! {
    #[test]
    fn the_front_is_never_empty_and_follows_its_members(
        cells in prop::collection::vec((0_u8..5, 0_u8..5), 1..20), turn in 0_usize..20,
    ) {
        let (score, cost): (Vec<f64>, Vec<f64>) = cells.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
        let got = front(&score, &cost);
        prop_assert!(got.contains(&Place::Front));
        let turn = turn % cells.len();
        let (mut other_score, mut other_cost, mut expected) = (score.clone(), cost.clone(), got.clone());
        other_score.rotate_left(turn);
        other_cost.rotate_left(turn);
        expected.rotate_left(turn);
        prop_assert_eq!(front(&other_score, &other_cost), expected);
        for (i, place) in got.iter().enumerate() {
            let beaten = (0..cells.len()).any(|j| {
                score[j] >= score[i] && cost[j] <= cost[i] && (score[j] > score[i] || cost[j] < cost[i])
            });
            prop_assert_eq!(*place == Place::Dominated, beaten);
        }
    }
}
