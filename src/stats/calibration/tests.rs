//! The module `calibration` against independent values and what must hold of any input.

#![expect(clippy::cast_precision_loss, reason = "small counts")]

use super::{
    Bin, Binning, CalibrationError, Forecasts, brier, brier_weighted, calibration_error, calibration_error_weighted,
    log_loss, log_loss_weighted,
};
use crate::stats::undefined::Undefined;

#[test]
fn perfect_and_constant_forecasts() {
    assert_eq!(brier(&[0.0, 1.0, -0.0], &[false, true, false]), Ok(0.0));
    assert_eq!(brier(&[0.5, 0.5], &[false, true]), Ok(0.25));
    // The double 0.1 lies above a tenth: Python's float((1 - Fraction(0.1)) ** 2).
    assert_eq!(brier(&[0.1], &[true]), Ok(0.809_999_999_999_999_9));
    assert_eq!(log_loss(&[0.0, 1.0], &[false, true], None), Ok(0.0));
    assert_eq!(log_loss(&[0.5], &[true], None), Ok(std::f64::consts::LN_2));
    assert_eq!(calibration_error(&[0.0, 1.0], &[false, true], Binning::EqualWidth, 10), Ok(0.0));
}

#[test]
fn a_ruled_out_event_is_refused_unless_a_clip_is_declared() {
    let (stated, happened) = ([0.4, 0.0, 1.0], [true, true, false]);
    let refused = log_loss(&stated, &happened, None);
    assert_eq!(refused, Err(CalibrationError::RuledOut { record: 1 }));
    assert!(refused.unwrap_err().to_string().contains("record number 2"));
    assert_eq!(log_loss(&[1.0], &[false], None), Err(CalibrationError::RuledOut { record: 0 }));
    let clipped = log_loss(&stated, &happened, Some(0.01)).unwrap();
    assert!((clipped - (-(0.4_f64.ln()) - 2.0 * 0.01_f64.ln()) / 3.0).abs() < 1e-15);
    // What no resample picked cannot rule anything out.
    assert_eq!(log_loss_weighted(&stated, &happened, None, &[2, 0, 0]), Ok(-libm::log(0.4)));
    assert_eq!(log_loss(&stated, &happened, Some(0.5)), Err(CalibrationError::Clip(0.5)));
    assert_eq!(log_loss(&stated, &happened, Some(0.0)), Err(CalibrationError::Clip(0.0)));
    assert!(matches!(log_loss(&stated, &happened, Some(f64::NAN)), Err(CalibrationError::Clip(_))));
}

#[test]
fn refuses_what_is_no_probability() {
    let refused = brier(&[0.5, 75.0], &[true, true]);
    assert_eq!(refused, Err(CalibrationError::NotAProbability { record: 1, value: 75.0 }));
    assert!(matches!(brier(&[f64::NAN], &[true]), Err(CalibrationError::NotAProbability { record: 0, .. })));
    assert_eq!(brier(&[], &[]), Err(CalibrationError::Undefined(Undefined::NoRecords)));
    let uneven = Undefined::UnequalLengths { left: 1, right: 0 };
    assert_eq!(brier(&[0.5], &[]), Err(CalibrationError::Undefined(uneven)));
    assert_eq!(calibration_error(&[0.5], &[true], Binning::EqualMass, 0), Err(CalibrationError::Bins(0)));
    assert!(calibration_error(&[0.5], &[true], Binning::EqualWidth, u32::MAX).is_err());
}

#[test]
fn a_stated_decimal_lies_on_its_edge() {
    for bins in [1_u32, 2, 3, 7, 10, 25, 100, 1000] {
        for edge in 1..=bins {
            let stated = f64::from(edge) / f64::from(bins);
            assert_eq!(super::width_bin(stated, bins), edge - 1, "{edge}/{bins}");
            if edge < bins {
                assert_eq!(super::width_bin(stated.next_up(), bins), edge);
            }
        }
        assert_eq!(super::width_bin(0.0, bins), 0);
    }
}

#[test]
fn equal_masses_keep_ties_together() {
    let stated = [0.125, 0.25, 0.3, 0.4, 0.5, 0.6];
    let happened = [false, true, false, true, true, true];
    let forecasts = Forecasts::new(&stated, &happened).unwrap();
    let table = forecasts.reliability(Binning::EqualMass, 3, &[1; 6]).unwrap();
    assert_eq!(table.iter().map(|bin| (bin.number, bin.records)).collect::<Vec<_>>(), [(0, 2), (1, 2), (2, 2)]);
    assert_eq!(table.first(), Some(&Bin { number: 0, records: 2, stated: 0.1875, happened: 0.5 }));
    let tied = Forecasts::new(&[0.5, 0.5, 0.5, 0.9], &[true, false, true, true]).unwrap();
    let table = tied.reliability(Binning::EqualMass, 4, &[1; 4]).unwrap();
    assert_eq!(table.iter().map(|bin| (bin.number, bin.records)).collect::<Vec<_>>(), [(1, 3), (3, 1)]);
}

proptest::proptest! {
    #[test]
    fn a_multiplicity_is_a_repetition(
        records in proptest::collection::vec((0.0f64..=1.0, proptest::bool::ANY, 0u16..4, 0u8..3), 1..25),
        bins in 1u32..12,
    ) {
        // A third of the probabilities are rounded, so that ties and edges occur.
        let stated: Vec<f64> = records.iter().map(|r| if r.3 == 0 { (r.0 * 5.0).round() / 5.0 } else { r.0 }).collect();
        let happened: Vec<bool> = records.iter().map(|r| r.1).collect();
        let times: Vec<u16> = records.iter().map(|r| r.2).collect();
        let list: Vec<usize> =
            (0..records.len()).rev().flat_map(|i| std::iter::repeat_n(i, times[i].into())).collect();
        let long: Vec<f64> = list.iter().map(|&i| stated[i]).collect();
        let events: Vec<bool> = list.iter().map(|&i| happened[i]).collect();
        let score = brier_weighted(&stated, &happened, &times);
        proptest::prop_assert_eq!(score, brier(&long, &events));
        proptest::prop_assert!(score.is_err() || (0.0..=1.0).contains(&score.unwrap()));
        let loss = log_loss_weighted(&stated, &happened, Some(1e-6), &times);
        proptest::prop_assert_eq!(loss, log_loss(&long, &events, Some(1e-6)));
        for binning in [Binning::EqualWidth, Binning::EqualMass] {
            let error = calibration_error_weighted(&stated, &happened, binning, bins, &times);
            proptest::prop_assert_eq!(error, calibration_error(&long, &events, binning, bins));
            proptest::prop_assert!(error.is_err() || (0.0..=1.0).contains(&error.unwrap()));
        }
    }

    #[test]
    fn one_bin_compares_the_two_means(stated in proptest::collection::vec(0.0f64..=1.0, 1..40)) {
        let happened: Vec<bool> = stated.iter().map(|p| p.to_bits() % 3 == 0).collect();
        let n = stated.len() as f64;
        let gap = stated.iter().sum::<f64>() / n - happened.iter().filter(|h| **h).count() as f64 / n;
        for binning in [Binning::EqualWidth, Binning::EqualMass] {
            proptest::prop_assert!((calibration_error(&stated, &happened, binning, 1).unwrap() - gap.abs()).abs() < 1e-14);
        }
    }
}
