//! The module `information` against independent values and what must hold of any input.

use super::{
    Action, Executor, InformationError, Priced, ambiguity, best_affordable, entropy, gaps, information_gain,
    reading_score, relative_increase, relative_increase_weighted, retention, retention_weighted, taken_up,
};
use crate::stats::undefined::Undefined;

fn design(gain: f64, cost: u64) -> Priced {
    Priced::new(gain, cost).unwrap()
}

#[test]
fn a_perfect_test_tells_the_whole_entropy() {
    let prior = [0.5, 0.25, 0.25, 0.0];
    let reveal = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, 0.0]];
    let whole = entropy(&prior).unwrap();
    assert!((whole - 1.5 * std::f64::consts::LN_2).abs() < 1e-15);
    assert!((information_gain(&prior, &reveal).unwrap() - whole).abs() < 1e-15);
    // The same outcomes under every hypothesis tell nothing, exactly.
    assert_eq!(information_gain(&prior, &[[0.25, 0.75]; 4]), Ok(0.0));
    assert_eq!(entropy(&[1.0, 0.0]), Ok(0.0));
    // A symmetric channel with error e on an even prior: ln 2 + e ln e + (1 - e) ln(1 - e).
    let error: f64 = 0.1;
    let expected = std::f64::consts::LN_2 + error * error.ln() + (1.0 - error) * (1.0 - error).ln();
    let gain = information_gain(&[0.5, 0.5], &[[0.9, 0.1], [0.1, 0.9]]).unwrap();
    assert!((gain - expected).abs() < 1e-15);
}

#[test]
fn refuses_what_is_no_distribution() {
    let prior = information_gain(&[0.5, 0.6], &[[1.0], [1.0]]);
    assert_eq!(prior, Err(InformationError::NotADistribution { hypothesis: None, value: 1.1 }));
    let row = information_gain(&[0.5, 0.5], &[[0.5, 0.5], [1.5, -0.5]]);
    assert_eq!(row, Err(InformationError::NotADistribution { hypothesis: Some(1), value: -0.5 }));
    let uneven = information_gain(&[0.5, 0.5], &[vec![0.5, 0.5], vec![1.0]]);
    assert_eq!(uneven, Err(InformationError::Outcomes { hypothesis: 1, have: 1, need: 2 }));
    let missing = information_gain(&[0.5, 0.5], &[[1.0]]);
    assert_eq!(missing, Err(Undefined::UnequalLengths { left: 2, right: 1 }.into()));
    assert_eq!(entropy(&[]), Err(Undefined::NoRecords.into()));
    assert_eq!(entropy(&[f64::NAN]), Err(Undefined::NotFinite.into()));
    assert_eq!(Priced::new(0.1, 0), Err(InformationError::FreeDesign));
    assert_eq!(Priced::new(-0.1, 1), Err(InformationError::Gain(-0.1)));
}

#[test]
fn scores_are_gated_by_design_and_taken_relative_to_the_best() {
    let catalogue = [design(0.2, 10), design(0.6, 20), design(3.0, 30)];
    // The budget is included; what lies beyond it is neither the best nor worth anything.
    assert_eq!(best_affordable(&catalogue, 20), Some(design(0.6, 20)));
    let score = |readings: &[Priced], executor| reading_score(Action::Readings(readings), executor, &catalogue, 20);
    assert_eq!(score(&catalogue[1..2], Executor::All), Ok(1.0));
    assert_eq!(score(&catalogue[2..], Executor::All), Ok(0.0));
    let all = score(&catalogue, Executor::All).unwrap();
    assert!((all - (0.02 + 0.03) / 3.0 / 0.03).abs() < 1e-15);
    assert!((score(&catalogue, Executor::CheaperHalf).unwrap() - 0.025 / 0.03).abs() < 1e-15);
    assert!((score(&catalogue, Executor::DearerHalf).unwrap() - 0.5).abs() < 1e-15);
    assert_eq!(reading_score(Action::Invalid, Executor::All, &catalogue, 20), Ok(0.0));
    assert_eq!(score(&[], Executor::All), Err(Undefined::NoRecords.into()));
    let poor = reading_score(Action::Invalid, Executor::All, &catalogue, 9);
    assert_eq!(poor, Err(InformationError::NothingToGain));
    assert_eq!(taken_up(&[design(1.0, 5), design(2.0, 5)], Executor::CheaperHalf), [design(1.0, 5)]);
}

#[test]
fn ambiguity_counts_readings() {
    assert_eq!(ambiguity(1), Ok(0.0));
    assert_eq!(ambiguity(4), Ok(0.75));
    assert_eq!(ambiguity(3), Ok(2.0 / 3.0));
    assert_eq!(ambiguity(0), Err(Undefined::NoRecords));
}

#[test]
fn gaps_split_the_shortfall() {
    let catalogue = [(design(0.5, 1), false), (design(0.3, 1), true), (design(0.9, 9), true)];
    let split = gaps(&catalogue, &[design(0.1, 1), design(0.9, 9)], 5).unwrap();
    assert!((split.target - 0.2).abs() < 1e-15 && (split.resolution + 0.2).abs() < 1e-15);
    assert_eq!(gaps(&catalogue, &[], 5), Err(Undefined::NoRecords.into()));
    assert_eq!(gaps(&catalogue[..1], &[design(0.1, 1)], 5), Err(InformationError::NothingToGain));
}

#[test]
fn increases_and_retention_are_ratios_of_means() {
    let (base, full, control) = ([0.1, 0.3], [0.7, 0.9], [0.2, 0.5]);
    assert!((relative_increase(&base, &full).unwrap() - 300.0).abs() < 1e-12);
    assert!((retention(&base, &full, &control).unwrap() - 0.25).abs() < 1e-15);
    assert!((retention_weighted(&base, &full, &control, &[2, 0]).unwrap() - 1.0 / 6.0).abs() < 1e-15);
    assert_eq!(relative_increase_weighted(&[0.5, 9.0], &[0.75, 0.0], &[1, 0]), Ok(50.0));
    assert_eq!(relative_increase(&[0.0, 0.0], &full), Err(InformationError::NotPositive(0.0)));
    assert_eq!(relative_increase(&[-1.0, 0.5], &full), Err(InformationError::NotPositive(-0.25)));
    assert_eq!(retention(&full, &full, &control), Err(InformationError::NotPositive(0.0)));
    let uneven = Undefined::UnequalLengths { left: 1, right: 2 };
    assert_eq!(retention(&base, &full, &[0.2]), Err(uneven.into()));
}

proptest::proptest! {
    #[test]
    fn a_gain_lies_between_nothing_and_the_entropy(
        raw in proptest::collection::vec((0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0, 0.01f64..1.0), 1..7),
    ) {
        let prior_total: f64 = raw.iter().map(|r| r.3).sum();
        let prior: Vec<f64> = raw.iter().map(|r| r.3 / prior_total).collect();
        let rows: Vec<[f64; 3]> = raw
            .iter()
            .map(|r| { let t = r.0 + r.1 + r.2 + 0.1; [r.0 / t, (r.1 + 0.1) / t, r.2 / t] })
            .collect();
        let gain = information_gain(&prior, &rows).unwrap();
        let whole = entropy(&prior).unwrap();
        proptest::prop_assert!(0.0 <= gain && gain <= whole + 1e-12);
        // Hypotheses in another order, outcomes in another order: the same bits.
        let prior_back: Vec<f64> = prior.iter().rev().copied().collect();
        let rows_back: Vec<[f64; 3]> = rows.iter().rev().map(|r| [r[2], r[0], r[1]]).collect();
        proptest::prop_assert_eq!(information_gain(&prior_back, &rows_back).unwrap().to_bits(), gain.to_bits());
        // Merging outcomes never adds information.
        let merged: Vec<[f64; 2]> = rows.iter().map(|r| [r[0] + r[1], r[2]]).collect();
        proptest::prop_assert!(information_gain(&prior, &merged).unwrap() <= gain + 1e-12);
        // It equals the fall of the expected entropy.
        let mut left = 0.0;
        for y in 0..3 {
            let p: f64 = prior.iter().zip(&rows).map(|(p, r)| p * r[y]).sum();
            let posterior: Vec<f64> = prior.iter().zip(&rows).map(|(q, r)| q * r[y] / p).collect();
            left += if p > 0.0 { p * entropy(&posterior).unwrap() } else { 0.0 };
        }
        proptest::prop_assert!((gain - (whole - left)).abs() < 1e-12);
    }

    #[test]
    fn a_multiplicity_is_a_repetition(states in proptest::collection::vec((0.01f64..1.0, 0.0f64..1.0, 0.0f64..1.0, 0u16..4), 1..20)) {
        let base: Vec<f64> = states.iter().map(|s| s.0).collect();
        let full: Vec<f64> = states.iter().map(|s| s.0 + s.1).collect();
        let control: Vec<f64> = states.iter().map(|s| s.2).collect();
        let times: Vec<u16> = states.iter().map(|s| s.3).collect();
        let long = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(&times).rev().flat_map(|(v, t)| std::iter::repeat_n(*v, (*t).into())).collect()
        };
        proptest::prop_assert_eq!(
            relative_increase_weighted(&base, &full, &times),
            relative_increase(&long(&base), &long(&full))
        );
        proptest::prop_assert_eq!(
            retention_weighted(&base, &full, &control, &times),
            retention(&long(&base), &long(&full), &long(&control))
        );
    }
}
