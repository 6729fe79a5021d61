//! Sign tests against full enumeration and a plain recount, at ordinary and extreme sizes.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests fail by panicking and compare exact values")]
use proptest::prelude::*;

use super::*;

/// Counts over all sign vectors, one by one.
fn brute(d: &[i128], sides: Sides) -> f64 {
    let observed: i128 = d.iter().sum();
    let mut extreme = 0_u32;
    for mask in 0..1_u32 << d.len() {
        let sum: i128 = d.iter().enumerate().map(|(i, x)| if mask >> i & 1 == 1 { x.abs() } else { -x.abs() }).sum();
        extreme += u32::from(match sides {
            Sides::TwoSided => sum.abs() >= observed.abs(),
            Sides::Greater => sum >= observed,
            Sides::Less => sum <= observed,
        });
    }
    f64::from(extreme) / f64::from(1_u32 << d.len())
}

proptest! {
    #[test]
    fn sign_flip_equals_full_enumeration(d in prop::collection::vec(-9_i128..12, 1..12)) {
        for sides in [Sides::TwoSided, Sides::Greater, Sides::Less] {
            prop_assert_eq!(sign_flip(&d, sides).unwrap().p, brute(&d, sides));
        }
    }

    /// With all differences of one size the sign-flip test is the sign test, and on single attempts it is `McNemar`'s.
    #[test]
    fn one_size_reduces_to_the_sign_test(plus in 0_u64..150, minus in 0_u64..150, zeros in 0_usize..5, size in 1_i128..1000) {
        prop_assume!(plus + minus > 0);
        let mut d = vec![0; zeros];
        d.extend((0..plus).map(|_| size));
        d.extend((0..minus).map(|_| -size));
        for sides in [Sides::TwoSided, Sides::Greater, Sides::Less] {
            let flip = sign_flip(&d, sides).unwrap();
            let sign = sign_test(&d, sides).unwrap();
            prop_assert_eq!(&flip.exact, &sign.exact);
            prop_assert_eq!((flip.zeros, sign.ties), (zeros as u64, zeros as u64));
        }
        let pairs = mcnemar(plus, minus).unwrap();
        prop_assert_eq!(pairs.exact_p, sign_flip(&d, Sides::TwoSided).unwrap().p);
        prop_assert!(pairs.mid_p <= pairs.exact_p);
    }

    #[test]
    fn order_and_scale_do_not_matter(d in prop::collection::vec(-40_i128..50, 2..90), factor in 1_i128..1_000_000_000_000) {
        let mut other: Vec<i128> = d.iter().map(|x| x * factor).collect();
        other.reverse();
        prop_assert_eq!(sign_flip(&d, Sides::TwoSided).unwrap(), sign_flip(&other, Sides::TwoSided).unwrap());
    }

    /// Long division of the exact fraction is the reference for the conversion.
    #[test]
    fn the_nearest_double_is_taken(words in prop::collection::vec(any::<u32>(), 1..6), exponent in 0_u64..1200) {
        let count = BigUint::new(words);
        let ours = Dyadic::new(count.clone(), exponent).to_f64();
        let text: f64 = num_traits::ToPrimitive::to_f64(&count).unwrap();
        // Wherever no rounding happens after the first, one power of two is exact.
        let reference = libm::scalbn(text, -i32::try_from(exponent).unwrap());
        if reference >= f64::MIN_POSITIVE {
            prop_assert_eq!(ours, reference);
        } else {
            prop_assert!((ours - reference).abs() <= 5e-324);
        }
    }
}

#[test]
fn conversion_rounds_once_even_below_the_normal_range() {
    let one = BigUint::one();
    assert_eq!(Dyadic::new(one.clone(), 1074).to_f64(), 5e-324);
    assert_eq!(Dyadic::new(one.clone(), 1075).to_f64(), 0.0, "a tie goes to even");
    assert_eq!(Dyadic::new(BigUint::from(3_u8), 1076).to_f64(), 5e-324);
    assert_eq!(Dyadic::new(BigUint::from(3_u8), 1075).to_f64(), 1e-323, "a tie goes to even, upwards");
    assert_eq!(Dyadic::new(one, 100_000).to_f64(), 0.0);
    assert_eq!(Dyadic::new((BigUint::one() << 53_u8) + 1_u8, 53).to_f64(), 1.0);
    assert_eq!(Dyadic::new((BigUint::one() << 54_u8) - 1_u8, 54).to_f64(), 1.0);
}

/// `2 * sum of C(310, i) for i <= 10, over 2^310`, by exact fractions in Python.
const FAR_TAIL: f64 = 1.934_236_511_189_764_5e-75;

#[test]
fn far_tails_keep_all_digits() {
    // 240 of 240: 2^-239; 300 of 310: binomial sum over 10 terms, from exact integer arithmetic.
    assert_eq!(sign_p(240, 0, Sides::TwoSided).unwrap().to_f64(), libm::scalbn(1.0, -239));
    let p = sign_p(300, 10, Sides::TwoSided).unwrap().to_f64();
    assert_eq!(p, FAR_TAIL);
    assert_eq!(sign_p(10, 300, Sides::Less).unwrap().to_f64(), FAR_TAIL / 2.0);
}

#[test]
fn undefined_and_refused_inputs_say_why() {
    assert_eq!(sign_test(&[], Sides::TwoSided), Err(SignError::NoDifferences));
    assert_eq!(sign_flip(&[], Sides::TwoSided), Err(SignError::NoDifferences));
    assert_eq!(sign_test(&[0, 0], Sides::TwoSided), Err(SignError::AllTied(2)));
    assert_eq!(sign_flip(&[0, 0], Sides::TwoSided).unwrap().p, 1.0);
    assert_eq!(sign_p(20_000, 1, Sides::Less), Err(SignError::TooManySigns { signs: 20_001, limit: 20_000 }));
    assert!(mcnemar(u64::MAX, u64::MAX).is_err());
    // 2^23 cells would hold the sums 0 to 2^23 - 1. Up to 40 differences are counted in another way.
    let mut many = vec![1; 40];
    many.push(1 << 23);
    assert_eq!(
        sign_flip(&many, Sides::TwoSided),
        Err(SignError::TableTooLarge { words: (1 << 23) + 41, limit: MOST_LIMBS })
    );
    assert_eq!(sign_flip(&[1, 1 << 23], Sides::TwoSided).unwrap().p, 0.5);
    assert_eq!(
        sign_flip(&[i128::MIN, i128::MIN, i128::MAX], Sides::TwoSided),
        Err(SignError::TableTooLarge { words: u128::MAX, limit: MOST_LIMBS })
    );
    assert!(matches!(sign_flip(&vec![61; 4000], Sides::TwoSided).map(|r| r.n), Ok(4000)));
    let mut mixed = vec![61; 9000];
    mixed.push(1);
    assert!(matches!(sign_flip(&mixed, Sides::TwoSided), Err(SignError::TableTooLarge { .. })));
    // A factor shared by all differences costs nothing.
    assert_eq!(sign_flip(&[i128::MIN, i128::MIN], Sides::TwoSided).unwrap().p, 0.5);
}

/// Forty differences of arbitrary size: the count is the one of all signs equal.
#[test]
fn few_differences_of_any_size_are_counted() {
    let mut d: Vec<i128> = (1..=40).map(|i| i * 1_000_000_007 + i * i * i).collect();
    assert_eq!(sign_flip(&d, Sides::TwoSided).unwrap().p, libm::scalbn(1.0, -39));
    d.iter_mut().take(1).for_each(|x| *x = -*x);
    // Only the all-plus vector lies further out than the one with the smallest difference flipped.
    assert_eq!(sign_flip(&d, Sides::Greater).unwrap().p, libm::scalbn(2.0, -40));
}

#[test]
fn zeros_stay_and_change_nothing() {
    let with = sign_flip(&[0, 3, -1, 0, 4], Sides::Greater).unwrap();
    let without = sign_flip(&[3, -1, 4], Sides::Greater).unwrap();
    assert_eq!((with.n, with.zeros, with.p), (5, 2, without.p));
}
