//! The module `agreement` against independent values and what must hold of any input.

use super::{
    AgreementError, Scale, fleiss_kappa, fleiss_kappa_weighted, krippendorff_alpha, krippendorff_alpha_weighted,
    pairwise_agreement, pairwise_agreement_weighted, share_agreeing, share_agreeing_weighted,
};
use crate::stats::undefined::Undefined;

const SCALES: [Scale; 3] = [Scale::Nominal, Scale::Ordinal, Scale::Interval];

#[test]
fn plain_shares() {
    assert_eq!(share_agreeing(&[1, 2, 3, 1], &[1, 2, 2, 2]), Ok(0.5));
    assert_eq!(share_agreeing_weighted(&[1, 2, 3, 1], &[1, 2, 2, 2], &[3, 0, 1, 0]), Ok(0.75));
    assert_eq!(share_agreeing(&[], &[]), Err(Undefined::NoRecords));
    assert_eq!(share_agreeing(&[1], &[]), Err(Undefined::UnequalLengths { left: 1, right: 0 }));
    // Pairs alike: 3 of 3, and 1 of 3.
    assert_eq!(pairwise_agreement(&[[3, 0], [1, 2]]), Ok(2.0 / 3.0));
}

#[test]
fn complete_agreement_is_one_and_a_single_label_undefined() {
    assert_eq!(fleiss_kappa(&[[2, 0], [0, 2]]), Ok(1.0));
    assert_eq!(fleiss_kappa(&[[2, 0], [2, 0]]), Err(Undefined::Constant.into()));
    assert_eq!(fleiss_kappa_weighted(&[[2, 0], [0, 2]], &[4, 0]), Err(Undefined::Constant.into()));
    for scale in SCALES {
        assert_eq!(krippendorff_alpha(&[[1.0, 1.0], [5.0, 5.0]], scale), Ok(1.0));
        assert_eq!(krippendorff_alpha(&[[0.0, -0.0], [0.0, 0.0]], scale), Err(Undefined::Constant.into()));
        assert_eq!(krippendorff_alpha(&[vec![1.0], vec![]], scale), Err(AgreementError::OneRater));
        assert_eq!(krippendorff_alpha::<Vec<f64>>(&[], scale), Err(Undefined::NoRecords.into()));
        let bad = krippendorff_alpha(&[vec![1.0, 2.0], vec![f64::NAN]], scale);
        assert_eq!(bad, Err(AgreementError::NotFinite { item: 1 }));
        // Two raters who never agree, where chance would let them: below zero.
        assert!(krippendorff_alpha(&[[1.0, 2.0], [2.0, 1.0]], scale).unwrap() < 0.0);
    }
}

#[test]
fn the_number_of_raters_is_checked() {
    let uneven = fleiss_kappa(&[vec![2, 0], vec![1, 2]]);
    assert_eq!(uneven, Err(AgreementError::UnequalRaters { item: 1, have: 3, need: 2 }));
    assert!(uneven.unwrap_err().to_string().contains("item number 2"));
    assert_eq!(fleiss_kappa(&[[1, 0], [0, 1]]), Err(AgreementError::OneRater));
    assert_eq!(fleiss_kappa::<[u32; 2]>(&[]), Err(Undefined::NoRecords.into()));
}

proptest::proptest! {
    #[test]
    fn a_multiplicity_is_a_repetition(
        items in proptest::collection::vec((proptest::collection::vec(0u8..4, 0..5), 0u16..4), 1..12),
        fixed in proptest::collection::vec((0u32..4, 0u32..4), 12),
    ) {
        let labels: Vec<Vec<f64>> =
            items.iter().map(|(own, _)| own.iter().map(|l| f64::from(*l) / 3.0).collect()).collect();
        let times: Vec<u16> = items.iter().map(|item| item.1).collect();
        let list: Vec<usize> = (0..items.len()).rev().flat_map(|i| std::iter::repeat_n(i, times[i].into())).collect();
        // Labels in the other order as well: raters have no names.
        let long: Vec<Vec<f64>> = list.iter().map(|&i| labels[i].iter().rev().copied().collect()).collect();
        for scale in SCALES {
            let alpha = krippendorff_alpha_weighted(&labels, scale, &times);
            proptest::prop_assert_eq!(alpha, krippendorff_alpha(&long, scale));
            proptest::prop_assert!(alpha.is_err() || alpha.unwrap() <= 1.0);
        }
        // A monotone change of labels leaves the ordinal alpha, a linear one with powers of two the interval alpha.
        let cubed: Vec<Vec<f64>> = labels.iter().map(|own| own.iter().map(|l| l * l * l + l).collect()).collect();
        let doubled: Vec<Vec<f64>> = labels.iter().map(|own| own.iter().map(|l| l * -4.0).collect()).collect();
        proptest::prop_assert_eq!(
            krippendorff_alpha_weighted(&labels, Scale::Ordinal, &times),
            krippendorff_alpha_weighted(&cubed, Scale::Ordinal, &times)
        );
        proptest::prop_assert_eq!(
            krippendorff_alpha_weighted(&labels, Scale::Interval, &times),
            krippendorff_alpha_weighted(&doubled, Scale::Interval, &times)
        );
        // Six raters, split over three categories.
        let counts: Vec<[u32; 3]> =
            fixed.iter().take(items.len()).map(|&(a, b)| { let b = b.min(6 - a); [a, b, 6 - a - b] }).collect();
        let long: Vec<[u32; 3]> = list.iter().map(|&i| counts[i]).collect();
        proptest::prop_assert_eq!(fleiss_kappa_weighted(&counts, &times), fleiss_kappa(&long));
        let pairs = pairwise_agreement_weighted(&counts, &times);
        proptest::prop_assert_eq!(pairs, pairwise_agreement(&long));
        proptest::prop_assert!(pairs.is_err() || (0.0..=1.0).contains(&pairs.unwrap()));
    }
}
