//! The module `discrimination` against independent values and what must hold of any input.

use super::{
    Confusion, Disagreement, auroc, auroc_weighted, average_precision, average_precision_weighted, cohen_kappa,
    cohen_kappa_weighted, phi_weighted,
};
use crate::stats::undefined::Undefined;

#[test]
fn a_missing_class_has_no_area() {
    assert_eq!(auroc(&[0.1, 0.2], &[true, true]), Err(Undefined::ZeroDenominator));
    assert_eq!(auroc_weighted(&[0.1, 0.2], &[true, false], &[1, 0]), Err(Undefined::ZeroDenominator));
    assert_eq!(average_precision(&[0.1, 0.2], &[false, false]), Err(Undefined::ZeroDenominator));
    assert_eq!(average_precision(&[0.1, 0.2], &[true, true]), Ok(1.0));
    assert_eq!(auroc(&[], &[]), Err(Undefined::NoRecords));
    assert_eq!(auroc(&[0.1], &[]), Err(Undefined::UnequalLengths { left: 1, right: 0 }));
    assert_eq!(auroc(&[0.1, f64::NAN], &[true, false]), Err(Undefined::NotFinite));
    assert_eq!(auroc_weighted(&[0.1], &[true], &[]), Err(Undefined::UnequalLengths { left: 1, right: 0 }));
}

#[test]
fn ties_count_one_half() {
    assert_eq!(auroc(&[0.5, 0.5, 0.0, -0.0], &[true, false, true, false]), Ok(0.5));
    assert_eq!(auroc(&[0.9, 0.5, 0.5], &[true, true, false]), Ok(0.75));
    assert_eq!(auroc(&[0.0, 1.0], &[true, false]), Ok(0.0));
}

#[test]
fn each_measure_of_a_table_has_its_own_reason_to_be_undefined() {
    let called_none = Confusion { true_positives: 0, false_positives: 0, false_negatives: 3, true_negatives: 5 };
    assert_eq!(called_none.precision(), Err(Undefined::ZeroDenominator));
    assert_eq!(called_none.recall(), Ok(0.0));
    assert_eq!(called_none.f1(), Ok(0.0));
    assert_eq!(called_none.balanced_accuracy(), Ok(0.5));
    assert_eq!(called_none.phi(), Err(Undefined::Constant));
    let no_positive = Confusion { true_positives: 0, false_positives: 0, false_negatives: 0, true_negatives: 5 };
    assert_eq!(no_positive.f1(), Err(Undefined::ZeroDenominator));
    assert_eq!(no_positive.balanced_accuracy(), Err(Undefined::ZeroDenominator));
    assert_eq!(no_positive.specificity(), Ok(1.0));
    assert_eq!(no_positive.accuracy(), Ok(1.0));
    let huge = Confusion { true_positives: u64::MAX, false_positives: 1, false_negatives: 1, true_negatives: u64::MAX };
    assert_eq!(huge.precision(), Ok(1.0));
    assert_eq!(huge.balanced_accuracy(), Err(Undefined::TooLarge));
}

#[test]
fn kappa_by_hand() {
    // Observed agreement 5/8; expected (4*5 + 4*3)/64 = 1/2, so kappa is 1/4.
    let (left, right) = ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 0, 0]);
    let counted = [1, 1, 1, 1, 1, 1, 1, 1];
    let kappa = cohen_kappa_weighted(&left, &right, Disagreement::Nominal, &counted).unwrap();
    let expected = (5.0_f64 / 8.0 - (4.0 * 5.0 + 4.0 * 3.0) / 64.0) / (1.0 - (4.0 * 5.0 + 4.0 * 3.0) / 64.0);
    assert!((kappa - expected).abs() < 1e-15);
    assert_eq!(cohen_kappa(&left, &left, Disagreement::Quadratic), Ok(1.0));
    assert_eq!(cohen_kappa(&[2, 2], &[2, 2], Disagreement::Linear), Err(Undefined::Constant));
    // One labelling is constant, the other is not: the agreement is what chance gives.
    assert_eq!(cohen_kappa(&[2, 2, 2], &[2, 1, 0], Disagreement::Nominal), Ok(0.0));
    assert_eq!(cohen_kappa(&[], &[], Disagreement::Nominal), Err(Undefined::NoRecords));
}

fn records() -> impl proptest::strategy::Strategy<Value = Vec<(u8, bool, u16)>> {
    proptest::collection::vec((0u8..6, proptest::bool::ANY, 0u16..4), 1..30)
}

proptest::proptest! {
    #[test]
    fn a_multiplicity_is_a_repetition(records in records(), labels in proptest::collection::vec((0u16..4, 0u16..4), 30)) {
        let scores: Vec<f64> = records.iter().map(|r| f64::from(r.0) / 7.0).collect();
        let positive: Vec<bool> = records.iter().map(|r| r.1).collect();
        let called: Vec<bool> = records.iter().map(|r| r.0 > 2).collect();
        let times: Vec<u16> = records.iter().map(|r| r.2).collect();
        let repeat = |order: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            order.flat_map(|i| std::iter::repeat_n(i, times[i].into())).collect()
        };
        // Reversed as well, so that the order of the records is seen not to matter.
        let list = repeat(&mut (0..records.len()).rev());
        let of = |values: &[bool]| -> Vec<bool> { list.iter().map(|&i| values[i]).collect() };
        let long_scores: Vec<f64> = list.iter().map(|&i| scores[i]).collect();
        proptest::prop_assert_eq!(auroc_weighted(&scores, &positive, &times), auroc(&long_scores, &of(&positive)));
        proptest::prop_assert_eq!(
            average_precision_weighted(&scores, &positive, &times),
            average_precision(&long_scores, &of(&positive))
        );
        proptest::prop_assert_eq!(
            Confusion::count_weighted(&positive, &called, &times),
            Confusion::count(&of(&positive), &of(&called))
        );
        proptest::prop_assert_eq!(
            phi_weighted(&positive, &called, &times),
            Confusion::count(&of(&positive), &of(&called)).and_then(|counts| counts.phi())
        );
        let left: Vec<u16> = labels.iter().take(records.len()).map(|l| l.0).collect();
        let right: Vec<u16> = labels.iter().take(records.len()).map(|l| l.1).collect();
        for disagreement in [Disagreement::Nominal, Disagreement::Linear, Disagreement::Quadratic] {
            let long = |values: &[u16]| -> Vec<u16> { list.iter().map(|&i| values[i]).collect() };
            let kappa = cohen_kappa_weighted(&left, &right, disagreement, &times);
            proptest::prop_assert_eq!(kappa, cohen_kappa(&long(&left), &long(&right), disagreement));
            proptest::prop_assert!(kappa.is_err() || kappa.unwrap() <= 1.0);
            proptest::prop_assert_eq!(kappa, cohen_kappa_weighted(&right, &left, disagreement, &times));
        }
    }

    #[test]
    fn the_area_counts_the_pairs_won(records in records()) {
        let scores: Vec<f64> = records.iter().map(|r| f64::from(r.0)).collect();
        let positive: Vec<bool> = records.iter().map(|r| r.1).collect();
        let (mut twice, mut pairs) = (0_u32, 0_u32);
        for (i, own) in positive.iter().enumerate() {
            for (j, other) in positive.iter().enumerate() {
                if *own && !other {
                    pairs += 1;
                    twice += if scores[i] > scores[j] { 2 } else { u32::from(records[i].0 == records[j].0) };
                }
            }
        }
        match auroc(&scores, &positive) {
            Ok(area) => {
                proptest::prop_assert_eq!(area.to_bits(), (f64::from(twice) / f64::from(2 * pairs)).to_bits());
                let flipped: Vec<f64> = scores.iter().map(|score| -score).collect();
                proptest::prop_assert!((auroc(&flipped, &positive).unwrap() - (1.0 - area)).abs() < 1e-15);
                proptest::prop_assert!((0.0..=1.0).contains(&average_precision(&scores, &positive).unwrap()));
            }
            Err(reason) => proptest::prop_assert!(pairs == 0 && reason == Undefined::ZeroDenominator),
        }
    }
}
