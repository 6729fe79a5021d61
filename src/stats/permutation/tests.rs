//! The permutation test of a spread against full enumeration, its level, and ways to deal.

use super::{LabelledCluster, Table, deal, spread_test, ways_to_deal};
use crate::math::philox::Philox;
use crate::stats::undefined::Undefined;

/// The exact p of a tiny case, by listing every distinct dealing of one cluster with two labels of sizes 2 and 2.
#[test]
fn agrees_with_full_enumeration() {
    let cluster: LabelledCluster = vec![vec![9, 5], vec![1, 2]];
    // Of the six ways to deal {9,5,1,2} two and two, {9,5} against {1,2} and its mirror are the most spread out.
    let test = spread_test(&[cluster], 60_000, 5, 2).unwrap();
    assert!((test.p - 2.0 / 6.0).abs() < 0.01, "{test:?}");
    assert!((test.spread - 5.5).abs() < 1e-15);
}

#[test]
fn unequal_cells_keep_their_sizes() {
    // Label 0 has one record, label 1 three: spread is |v - (s - v) / 3|, largest only when 7 stands alone.
    let cluster: LabelledCluster = vec![vec![7], vec![0, 0, 0]];
    let test = spread_test(&[cluster], 40_000, 1, 1).unwrap();
    assert!((test.p - 0.25).abs() < 0.01, "{test:?}");
    assert!((test.spread - 7.0).abs() < 1e-15);
}

#[test]
fn ties_count_as_at_least_as_large() {
    // Thirds: 1/3 - 0/3 against 2/3 - 1/3 are equal as integers, and must be.
    let clusters: Vec<LabelledCluster> = vec![vec![vec![1, 0, 0], vec![0, 0, 0], vec![0, 0, 0]]];
    let test = spread_test(&clusters, 999, 3, 1).unwrap();
    assert_eq!((test.at_least, test.draws), (999, 999));
    assert!((test.p - 1.0).abs() < 1e-15);
}

#[test]
fn the_result_does_not_depend_on_threads_and_more_draws_extend_it() {
    let clusters: Vec<LabelledCluster> = (0..20_i64)
        .map(|t| (0..3_i64).map(|l| (0..3).map(|a| (t * 7 + l * l * 5 + a * 3) % 4).collect()).collect())
        .collect();
    let one = spread_test(&clusters, 1_111, 9, 1).unwrap();
    for workers in [2, 3, 40] {
        assert_eq!(one, spread_test(&clusters, 1_111, 9, workers).unwrap());
    }
    let more = spread_test(&clusters, 1_200, 9, 2).unwrap();
    assert!(more.at_least >= one.at_least && more.at_least <= one.at_least + 89);
}

#[test]
fn the_level_holds_when_labels_make_no_difference() {
    // 200 data sets with no label effect but strong cluster effects: about one in ten has p <= 0.1.
    let philox = Philox::from_seed(42);
    let mut small = 0;
    for set in 0..200 {
        let mut words = philox.stream(set, 0);
        let clusters: Vec<LabelledCluster> = (0..15)
            .map(|_| {
                let threshold = words.next_word();
                (0..3).map(|_| (0..3).map(|_| i64::from(words.next_word() < threshold)).collect()).collect()
            })
            .collect();
        small += u32::from(spread_test(&clusters, 199, set, 2).unwrap().p <= 0.1);
    }
    assert!((6..=34).contains(&small), "{small} of 200");
}

#[test]
fn ways_to_deal_are_multinomial() {
    assert_eq!(ways_to_deal(&[3, 3, 3]), Some(1_680));
    assert_eq!(ways_to_deal(&[2, 0, 2]), Some(6));
    assert_eq!(ways_to_deal(&[1, 63]), Some(64));
    assert_eq!(ways_to_deal(&[64, 0]), Some(1));
    assert_eq!(ways_to_deal(&[1, 64]), None);
    assert_eq!(ways_to_deal(&[4, 4, 4]), None);
    assert_eq!(ways_to_deal(&[usize::MAX, usize::MAX]), None);
}

#[test]
fn tables_and_dealing_one_by_one_agree() {
    let (values, sizes) = ([0, 1, 1, 4, 9, 9], [3, 1, 2]);
    let table = Table::new(&values, &sizes);
    assert_eq!(table.dealings.len(), 60);
    assert!(table.outcomes.iter().all(|sums| sums.iter().sum::<i128>() == 24));
    // How often label 0 gets each sum: expected from the table, counted by dealing.
    let philox = Philox::from_seed(6);
    let mut tally = std::collections::BTreeMap::<Vec<i128>, f64>::new();
    let draws = 60_000_u32;
    let mut words = philox.stream(0, 0);
    for _ in 0..draws {
        let (mut sums, mut dealt) = (vec![0; 3], values);
        deal(&mut dealt, &sizes, &mut words, &mut sums);
        *tally.entry(sums).or_default() += 1.0;
    }
    assert_eq!(tally.len(), table.outcomes.len());
    for (number, outcome) in table.outcomes.iter().enumerate() {
        let ways = table.dealings.iter().filter(|dealing| usize::from(**dealing) == number).count();
        let expected = f64::from(draws) * f64::from(u32::try_from(ways).unwrap()) / 60.0;
        assert!((tally[outcome] - expected).abs() < 6.0 * expected.sqrt(), "{outcome:?}");
    }
}

#[test]
fn the_order_of_records_and_labels_does_not_matter_to_a_cluster_dealt_one_by_one() {
    // Five records each for three labels: far more ways to deal than a table lists.
    let cluster = |turn: usize| -> LabelledCluster {
        (0..3_i64)
            .map(|label| {
                let mut records: Vec<i64> = (0..5_i64).map(|k| (label * 5 + k * k) % 7).collect();
                records.rotate_left(turn);
                records
            })
            .collect()
    };
    let test = |turn| spread_test(&[cluster(turn), cluster(turn)], 500, 2, 1).unwrap();
    assert_eq!(test(0), test(3));
}

#[test]
fn refuses_what_cannot_be_tested() {
    assert_eq!(spread_test(&[], 9, 1, 1), Err(Undefined::NoRecords));
    assert_eq!(spread_test(&[vec![vec![1]]], 9, 1, 1), Err(Undefined::TooFew { have: 1, need: 2 }));
    assert_eq!(spread_test(&[vec![vec![1], vec![]]], 9, 1, 1), Err(Undefined::NoRecords));
    assert_eq!(spread_test(&[vec![vec![1], vec![2]]], 0, 1, 1), Err(Undefined::TooFew { have: 0, need: 1 }));
    assert_eq!(spread_test(&[vec![vec![4], vec![4, 4]]], 9, 1, 1), Err(Undefined::Constant));
    let ragged = [vec![vec![1], vec![2]], vec![vec![1]]];
    assert_eq!(spread_test(&ragged, 9, 1, 1), Err(Undefined::UnequalLengths { left: 2, right: 1 }));
    let huge: Vec<LabelledCluster> = vec![vec![
        vec![i64::MAX; 1_009],
        vec![0; 1_013],
        vec![0; 1_019],
        vec![0; 1_021],
        vec![0; 1_031],
        vec![0; 1_033],
        vec![0; 1_039],
    ]];
    assert_eq!(spread_test(&huge, 9, 1, 1), Err(Undefined::TooLarge));
}
