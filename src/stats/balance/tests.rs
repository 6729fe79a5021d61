//! The module `balance` against independent values and what must hold of any input.

use super::{
    BalanceError, average_over_positions, average_ranks, average_ranks_weighted, check_balance, cyclic_square,
    position_counts, win_counts, win_ranks,
};
use crate::stats::undefined::Undefined;

#[test]
fn a_cyclic_square_balances_positions() {
    assert_eq!(cyclic_square(3), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
    for items in 1..9 {
        let square = cyclic_square(items);
        assert_eq!(check_balance(&square), Ok(()));
        assert!(position_counts(&square).unwrap().iter().all(|row| row.iter().all(|&count| count == 1)));
    }
    let twice = [cyclic_square(4), cyclic_square(4)].concat();
    assert_eq!(check_balance(&twice), Ok(()));
    let unbalanced = BalanceError::Unbalanced { item: 0, position: 0, have: 2, orders: 2 };
    assert_eq!(check_balance(&[[0, 1], [0, 1]]), Err(unbalanced));
    assert!(check_balance(&twice[..5]).unwrap_err().to_string().contains("position 1"));
    assert_eq!(check_balance(&[[0, 0], [1, 0]]), Err(BalanceError::NotAnOrder { order: 0 }));
    assert_eq!(check_balance(&[vec![0, 1], vec![2, 0]]), Err(BalanceError::NotAnOrder { order: 1 }));
    assert_eq!(check_balance(&[vec![0, 1], vec![0]]), Err(BalanceError::NotAnOrder { order: 1 }));
    assert_eq!(check_balance::<Vec<usize>>(&[]), Err(Undefined::NoRecords.into()));
}

#[test]
fn a_liking_for_positions_averages_out() {
    // A rater who ranks by position alone tells the items apart in no way.
    let square = cyclic_square(4);
    let by_position = vec![[1.0, 2.0, 3.0, 4.0]; 4];
    assert_eq!(average_over_positions(&square, &by_position), Ok(vec![2.5; 4]));
    // One who ranks by item gives back those ranks.
    let quality = [2.0, 1.0, 4.0, 3.0];
    let by_item: Vec<Vec<f64>> = square.iter().map(|order| order.iter().map(|&item| quality[item]).collect()).collect();
    assert_eq!(average_over_positions(&square, &by_item), Ok(quality.to_vec()));
    let half = average_over_positions(&square[..2], &by_item[..2]);
    assert!(matches!(half, Err(BalanceError::Unbalanced { .. })));
    let missing = Undefined::UnequalLengths { left: 4, right: 3 };
    assert_eq!(average_over_positions(&square, &by_item[..3]), Err(missing.into()));
}

#[test]
fn averages_are_weighted_by_rater() {
    let ranks = [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]];
    assert_eq!(average_ranks(&ranks), Ok(vec![2.0, 1.5, 2.5]));
    assert_eq!(average_ranks_weighted(&ranks, &[3, 1]), Ok(vec![1.5, 1.75, 2.75]));
    assert_eq!(average_ranks::<[f64; 3]>(&[]), Err(Undefined::NoRecords.into()));
    assert_eq!(average_ranks(&[[1.0, f64::NAN]]), Err(Undefined::NotFinite.into()));
    let uneven = average_ranks(&[vec![1.0, 2.0], vec![1.0]]);
    assert_eq!(uneven, Err(Undefined::UnequalLengths { left: 2, right: 1 }.into()));
}

#[test]
fn wins_become_ranks() {
    let choices = [(0, 1), (0, 2), (0, 3), (1, 2), (3, 1), (2, 3)];
    let wins = win_counts(4, &choices, &[1; 6]).unwrap();
    assert_eq!(wins, [3, 1, 1, 1]);
    assert_eq!(win_ranks(&wins), [1.0, 3.0, 3.0, 3.0]);
    assert_eq!(win_counts(4, &choices, &[1, 1, 0, 2, 1, 0]), Ok(vec![2, 2, 0, 1]));
    assert_eq!(win_counts(4, &[(1, 1)], &[1]), Err(BalanceError::Choice { choice: 0 }));
    assert_eq!(win_counts(4, &[(0, 1), (4, 1)], &[1, 1]), Err(BalanceError::Choice { choice: 1 }));
    assert_eq!(win_counts(4, &[(1, 4)], &[1]), Err(BalanceError::Choice { choice: 0 }));
    assert_eq!(win_counts(4, &[], &[]), Err(Undefined::NoRecords.into()));
}
