//! The module `simultaneous` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{Arm, simultaneous_bands, spread_lower_bound};
use crate::stats::column::ExactColumn;
use crate::stats::picks::Picks;
use crate::stats::studentised::{Studentised, Term};
use crate::stats::undefined::Undefined;

fn column(values: &[i128]) -> ExactColumn {
    ExactColumn::new(0, values.to_vec()).unwrap()
}

#[test]
fn refuses_what_has_no_pairs() {
    let picks = Picks::draw(4, 100, 1).unwrap();
    let (ones, y) = (column(&[1; 4]), column(&[0, 1, 0, 1]));
    let arm = Arm { numerator: &y, denominator: &ones };
    assert_eq!(spread_lower_bound(&picks, &[arm], 0.95, 1), Err(Undefined::TooFew { have: 1, need: 2 }));
    assert_eq!(spread_lower_bound(&picks, &[arm, arm], 0.95, 1), Err(Undefined::Constant));
    assert_eq!(spread_lower_bound(&picks, &[arm, arm], 0.0, 1), Err(Undefined::OutOfRange));
    assert_eq!(simultaneous_bands(&[], 0.95), Err(Undefined::NoRecords));
    let other = Picks::draw(4, 90, 1).unwrap();
    let term = [Term { factor: 1.0, numerator: &y, denominator: &ones }];
    let (long, short) = (Studentised::new(&picks, &term, 1).unwrap(), Studentised::new(&other, &term, 1).unwrap());
    assert_eq!(simultaneous_bands(&[&long, &short], 0.9), Err(Undefined::UnequalLengths { left: 100, right: 90 }));
}

#[test]
fn arms_that_do_not_differ_are_rarely_separated() {
    // Three arms whose rates are equal in truth: outcomes from a fixed generator. The bound may exceed zero in 5% of the sets.
    let mut word = 1_u64;
    let mut next = || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i128::from((word >> 60) & 1)
    };
    let ones = column(&[1; 40]);
    let picks = Picks::draw(40, 400, 11).unwrap();
    let (mut wrong, mut spreads) = (0, 0.0);
    for _ in 0..300 {
        let arms: Vec<ExactColumn> = (0..3).map(|_| column(&(0..40).map(|_| next()).collect::<Vec<_>>())).collect();
        let arms: Vec<Arm<'_>> = arms.iter().map(|numerator| Arm { numerator, denominator: &ones }).collect();
        let got = spread_lower_bound(&picks, &arms, 0.95, 1).unwrap();
        wrong += usize::from(got.lower > 0.0);
        spreads += got.spread / 300.0;
        assert_eq!(got.pair.is_some(), got.lower > 0.0);
    }
    // 15 are expected, with a standard deviation of 3.8.
    assert!(wrong <= 28, "{wrong}");
    assert!(spreads > 0.1, "the spread itself is far above zero: {spreads}");
}

proptest! {
    #[test]
    fn arms_may_be_permuted(
        rows in prop::collection::vec((0_i128..4, 0_i128..4, 0_i128..4), 12..30), turn in 0_usize..3,
    ) {
        let ones = column(&vec![3; rows.len()]);
        let columns: Vec<ExactColumn> = [0, 1, 2]
            .map(|arm| column(&rows.iter().map(|row| [row.0, row.1, row.2][arm]).collect::<Vec<_>>()))
            .to_vec();
        let picks = Picks::draw(rows.len(), 199, 7).unwrap();
        let arms: Vec<Arm<'_>> = columns.iter().map(|numerator| Arm { numerator, denominator: &ones }).collect();
        let mut turned = arms.clone();
        turned.rotate_left(turn);
        match (spread_lower_bound(&picks, &arms, 0.9, 1), spread_lower_bound(&picks, &turned, 0.9, 2)) {
            (Ok(one), Ok(two)) => {
                prop_assert!((one.lower - two.lower).abs() < 1e-12 && (one.spread - two.spread).abs() < 1e-12);
                prop_assert!((0.0..=one.spread + 1e-12).contains(&one.lower));
                if let Some((high, low)) = one.pair {
                    prop_assert!(columns[high].total() > columns[low].total());
                }
            }
            (one, two) => prop_assert_eq!(one.is_err(), two.is_err()),
        }
    }

    #[test]
    fn more_series_widen_every_band(rows in prop::collection::vec((0_i128..9, 0_i128..9), 12..30)) {
        let ones = column(&vec![1; rows.len()]);
        let (first, second): (Vec<i128>, Vec<i128>) = rows.iter().copied().unzip();
        let (first, second) = (column(&first), column(&second));
        let picks = Picks::draw(rows.len(), 199, 7).unwrap();
        let series = |y| Studentised::new(&picks, &[Term { factor: 1.0, numerator: y, denominator: &ones }], 1);
        if let (Ok(one), Ok(two)) = (series(&first), series(&second)) {
            let alone = simultaneous_bands(&[&one], 0.9).unwrap();
            let both = simultaneous_bands(&[&one, &two], 0.9).unwrap();
            prop_assert!(both.critical >= alone.critical);
            prop_assert!(both.intervals[0].lower <= alone.intervals[0].lower);
            prop_assert!(simultaneous_bands(&[&one], 0.95).unwrap().critical >= alone.critical);
        }
    }
}
