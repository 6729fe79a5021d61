//! The module `comparison` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{Comparison, ComparisonError, FamilyAdjustment, FamilyRules, Finding, Found, Precedence, above, judge};
use crate::stats::equivalence::Better;
use crate::stats::multiplicity::{Adjustment, FamilyError};

const RULES: FamilyRules = FamilyRules {
    planned: 1,
    alpha: 0.05,
    fewest_units: 5,
    better: Better::Higher,
    adjustment: FamilyAdjustment::Joint,
    precedence: Precedence::Difference,
};

fn comparison(difference: f64, p_difference: f64, p_equivalence: f64) -> Comparison {
    Comparison {
        units: 20,
        difference,
        constant: false,
        p_difference: Some(p_difference),
        p_equivalence: Some(p_equivalence),
    }
}

fn finding(comparison: Comparison, rules: FamilyRules) -> Found {
    judge(&[comparison], &rules).unwrap()[0]
}

#[test]
fn every_finding_has_its_case() {
    let of = |comparison| finding(comparison, RULES).finding;
    assert_eq!(of(comparison(0.2, 0.01, 0.9)), Finding::Better);
    assert_eq!(of(comparison(-0.2, 0.01, 0.9)), Finding::Worse);
    assert_eq!(of(comparison(0.0, 0.9, 0.01)), Finding::Equivalent);
    assert_eq!(of(comparison(0.1, 0.3, 0.3)), Finding::NotSeparable);
    assert_eq!(of(Comparison { constant: true, ..comparison(0.2, 0.01, 0.9) }), Finding::NoInterval);
    assert_eq!(of(Comparison { units: 4, ..comparison(0.2, 0.01, 0.9) }), Finding::NoVerdict);
    assert_eq!(of(Comparison { units: 4, constant: true, ..comparison(0.2, 0.01, 0.9) }), Finding::NoVerdict);
    assert_eq!(
        of(Comparison { p_difference: None, p_equivalence: None, ..comparison(0.2, 0.0, 0.0) }),
        Finding::NotSeparable
    );
    let lower = FamilyRules { better: Better::Lower, ..RULES };
    assert_eq!(finding(comparison(0.2, 0.01, 0.9), lower).finding, Finding::Worse);
    // At the level exactly, a test passes.
    assert_eq!(of(comparison(0.2, 0.05, 0.9)), Finding::Better);
}

#[test]
fn precedence_decides_when_both_pass() {
    let tiny = comparison(0.01, 0.001, 0.002);
    let got = finding(tiny, RULES);
    assert_eq!((got.finding, got.within_margin), (Finding::Better, true));
    let got = finding(tiny, FamilyRules { precedence: Precedence::Equivalence, ..RULES });
    assert_eq!((got.finding, got.within_margin), (Finding::Equivalent, true));
    assert!(!finding(comparison(0.2, 0.01, 0.9), RULES).within_margin);
    let few = Comparison { units: 3, ..tiny };
    assert!(!finding(few, RULES).within_margin);
}

#[test]
fn what_gives_no_verdict_still_counts_in_the_family() {
    let rules = FamilyRules { planned: 3, ..RULES };
    let few = Comparison { units: 2, ..comparison(0.5, 0.000_1, 1.0) };
    let got = judge(&[comparison(0.2, 0.02, 1.0), few], &rules).unwrap();
    assert_eq!(got[0].finding, Finding::NotSeparable);
    assert!((got[0].p_difference - 0.06).abs() < 1e-15);
    assert!((got[1].p_difference - 1.0).abs() < 1e-15);
    let short = judge(&[few, few], &RULES);
    assert_eq!(short, Err(ComparisonError::Family(FamilyError::MoreThanPlanned { given: 2, planned: 1 })));
    assert_eq!(judge(&[], &FamilyRules { alpha: 1.0, ..RULES }), Err(ComparisonError::Alpha(1.0)));
    assert_eq!(judge(&[comparison(f64::NAN, 0.1, 0.1)], &RULES), Err(ComparisonError::NotFinite(0)));
    let none = Comparison { units: 0, ..comparison(f64::NAN, 0.1, 0.1) };
    assert_eq!(judge(&[none], &FamilyRules { fewest_units: 0, ..RULES }).unwrap()[0].finding, Finding::NoVerdict);
}

#[test]
fn findings_become_an_order() {
    let found = judge(
        &[comparison(0.2, 0.001, 1.0), comparison(-0.2, 0.001, 1.0), comparison(0.0, 0.9, 0.9)],
        &FamilyRules { planned: 3, ..RULES },
    );
    assert_eq!(above(&[(0, 1), (0, 2), (1, 2)], &found.unwrap()), [(0, 1), (2, 0)]);
}

proptest! {
    #[test]
    fn exchanging_the_sides_exchanges_better_and_worse(
        rows in prop::collection::vec((-1.0_f64..1.0, 0.0_f64..0.2, 0.0_f64..0.2, 0_usize..12, any::<bool>()), 1..8),
        joint in any::<bool>(),
    ) {
        let adjustment = if joint { FamilyAdjustment::Joint } else { FamilyAdjustment::Separate(Adjustment::Holm) };
        let rules = FamilyRules { planned: rows.len(), adjustment, ..RULES };
        let family: Vec<Comparison> = rows.iter()
            .map(|&(d, p, q, units, constant)| Comparison { units, constant, ..comparison(d, p, q) }).collect();
        let turned: Vec<Comparison> = family.iter().map(|c| Comparison { difference: -c.difference, ..*c }).collect();
        let (one, two) = (judge(&family, &rules).unwrap(), judge(&turned, &rules).unwrap());
        for (one, two) in one.iter().zip(&two) {
            let mirrored = match one.finding {
                Finding::Better => Finding::Worse,
                Finding::Worse => Finding::Better,
                same @ (Finding::Equivalent | Finding::NotSeparable | Finding::NoInterval | Finding::NoVerdict) => same,
            };
            prop_assert_eq!(two.finding, mirrored);
        }
        // The order of the comparisons does not matter, and a stricter level finds nothing more.
        let reversed: Vec<Comparison> = family.iter().rev().copied().collect();
        let back: Vec<Finding> = judge(&reversed, &rules).unwrap().iter().rev().map(|f| f.finding).collect();
        prop_assert_eq!(back, one.iter().map(|f| f.finding).collect::<Vec<_>>());
        for (loose, strict) in one.iter().zip(judge(&family, &FamilyRules { alpha: 0.01, ..rules }).unwrap()) {
            if loose.finding == Finding::NotSeparable {
                prop_assert_eq!(strict.finding, Finding::NotSeparable);
            }
        }
    }
}
