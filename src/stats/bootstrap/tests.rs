//! The bootstrap by hand: totals, ratios, undefined parts, and independence of threads.

#![expect(clippy::cast_precision_loss, reason = "the integers of these cases are small")]

use super::{differences, percentile_interval, percentile_interval_with_errors, ratios, replicates, spreads, totals};
use crate::stats::column::ExactColumn;
use crate::stats::picks::Picks;
use crate::stats::undefined::Undefined;

fn column(scale: u32, sums: Vec<i128>) -> ExactColumn {
    ExactColumn::new(scale, sums).unwrap()
}

fn by_hand(picks: &Picks, column: &ExactColumn, b: u32) -> i128 {
    picks.weights(b).iter().zip(column.sums()).map(|(&w, &x)| i128::from(w) * x).sum()
}

#[test]
fn totals_of_every_size_are_exact_for_any_thread_count() {
    let clusters = 37;
    let picks = Picks::draw(clusters, 301, 11).unwrap();
    let sizes = [3_i128, 32_767, 32_768, 1 << 31, 1 << 45, (1 << 56) - 1, 1 << 70, 1 << 120];
    let columns: Vec<ExactColumn> = sizes
        .iter()
        .flat_map(|size| {
            let spread = (0..clusters as i128).map(|t| (t * 7_919 + 13) * (size / 300_000 + 1) % (size + 1));
            let signed = spread.clone().enumerate().map(|(t, x)| if t % 3 == 0 { -x } else { x });
            [column(2, spread.collect()), column(0, signed.collect()), column(0, vec![-size; clusters])]
        })
        .collect();
    let borrowed: Vec<&ExactColumn> = columns.iter().collect();
    let one = totals(&picks, &borrowed, 1).unwrap();
    for workers in [2, 3, 64] {
        assert_eq!(one, totals(&picks, &borrowed, workers).unwrap());
    }
    for (column, totals) in columns.iter().zip(&one) {
        for b in 0..picks.resamples() {
            assert_eq!(totals.get(b as usize), Some(by_hand(&picks, column, b)));
        }
    }
}

#[test]
fn a_large_pool_leaves_the_limbs_and_stays_exact() {
    let clusters = 70_000;
    let picks = Picks::draw(clusters, 2, 4).unwrap();
    let column = column(0, (0..clusters as i128).map(|t| t % 32_768).collect());
    let totals = totals(&picks, &[&column], 1).unwrap();
    assert_eq!(totals[0].get(1), Some(by_hand(&picks, &column, 1)));
}

#[test]
fn totals_refuse_what_does_not_fit() {
    let picks = Picks::draw(4, 5, 1).unwrap();
    let short = column(0, vec![1; 3]);
    assert_eq!(totals(&picks, &[&short], 1), Err(Undefined::UnequalLengths { left: 3, right: 4 }));
    // One cluster alone fits, but a restricted pool still draws as often as the whole one.
    let part = picks.restrict(&[0]).unwrap();
    let huge = column(0, vec![i128::MAX]);
    assert_eq!(totals(&part, &[&huge], 1), Err(Undefined::TooLarge));
}

#[test]
fn ratios_round_once_and_mark_zero_denominators() {
    let picks = Picks::draw(3, 400, 2).unwrap();
    let cost = column(6, vec![1_234_567, 98_765, 4]);
    let wide = column(6, vec![1_234_567 << 60, 98_765 << 60, 4 << 60]);
    let correct = column(0, vec![0, 2, 1]);
    let totals = totals(&picks, &[&cost, &correct, &wide], 1).unwrap();
    let narrow = ratios(&totals[0], &totals[1]).unwrap();
    let broad = ratios(&totals[2], &totals[1]).unwrap();
    let mut zero = 0;
    for b in 0..400 {
        let (top, bottom) = (totals[0].get(b).unwrap(), totals[1].get(b).unwrap());
        if bottom == 0 {
            zero += 1;
            assert!(narrow[b].is_nan() && broad[b].is_nan());
        } else {
            let expected = top as f64 / (bottom * 1_000_000) as f64;
            assert_eq!(narrow[b].to_bits(), expected.to_bits());
            assert_eq!(broad[b].to_bits(), (expected * (1_u64 << 60) as f64).to_bits());
        }
    }
    assert!(zero > 0, "a resample of three clusters misses two of them now and then");
}

#[test]
fn undefined_replicates_are_counted_up_to_one_in_a_hundred() {
    let mut values: Vec<f64> = (0..200).map(f64::from).collect();
    values[7] = f64::NAN;
    values[100] = f64::INFINITY;
    let interval = percentile_interval(&mut values.clone(), 0.9).unwrap();
    assert_eq!(interval.undefined, 2);
    values[9] = f64::NAN;
    let refused = Undefined::TooManyUndefinedResamples { undefined: 3, resamples: 200 };
    assert_eq!(percentile_interval(&mut values, 0.9), Err(refused));
    assert_eq!(percentile_interval(&mut [], 0.9), Err(Undefined::NoRecords));
    for level in [0.0, 1.0, -1.0, f64::NAN] {
        assert_eq!(percentile_interval(&mut [1.0], level), Err(Undefined::OutOfRange));
    }
}

#[test]
fn spreads_and_differences_carry_undefined_parts() {
    let (a, b, c) = ([1.0, f64::NAN, 2.0], [4.0, 1.0, 2.0], [3.0, 1.0, f64::NAN]);
    let spread = spreads(&[&a, &b, &c]).unwrap();
    assert!((spread[0] - 3.0).abs() < 1e-15 && spread[1].is_nan() && spread[2].is_nan());
    assert!(differences(&a, &b).unwrap()[1].is_nan());
    assert_eq!(spreads(&[]), Err(Undefined::NoRecords));
    assert_eq!(differences(&a, &[]), Err(Undefined::UnequalLengths { left: 3, right: 0 }));
}

#[test]
fn replicates_of_a_closure_do_not_depend_on_the_threads() {
    let picks = Picks::draw(9, 1_000, 8).unwrap();
    let statistic = |b: u32, weights: &[u16]| {
        let missed = weights.iter().filter(|&&w| w == 0).count();
        (missed < 5).then_some(f64::from(b) + missed as f64 / 10.0)
    };
    let bits = |workers| replicates(&picks, workers, statistic).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(1), bits(2));
    assert_eq!(bits(1), bits(13));
    assert!(replicates(&picks, 1, |_, _| Some(f64::INFINITY)).iter().all(|x| x.is_nan()));
}

#[test]
fn the_monte_carlo_error_of_a_uniform_quantile_matches_theory() {
    // The replicates i/B of a uniform distribution: the error of the quantile at p is sqrt(p(1-p)/B).
    let mut values: Vec<f64> = (0..10_000).map(|i| f64::from(i) / 10_000.0).collect();
    let (_, (lower, upper)) = percentile_interval_with_errors(&mut values, 0.95).unwrap();
    let expected = (0.025_f64 * 0.975 / 10_000.0).sqrt();
    assert!((lower - expected).abs() < 1e-6 && (upper - expected).abs() < 1e-6, "{lower} {upper} {expected}");
    let mut few = [0.0, 1.0, 2.0];
    let (_, (lower, upper)) = percentile_interval_with_errors(&mut few, 0.95).unwrap();
    assert!(lower > 0.0 && (lower - upper).abs() < 1e-12);
}
