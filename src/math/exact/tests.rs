//! The number text against the reference spellings, the standard library's parser, and exact comparison.
#![expect(clippy::float_cmp, reason = "bit equality is what is tested")]

use num_traits::Signed;
use proptest::prelude::*;

use super::*;

fn ok(text: &str) -> String {
    canonical(&parse(text).unwrap())
}

#[test]
fn the_simplest_fraction_of_a_double_is_what_it_was_computed_from() {
    for (top, bottom) in [(3, 20), (1, 3), (7, 9), (45, 100), (0, 1), (-159, 258), (123_457, 9_999_991), (5, 1)] {
        let whole = Rational::new(top.into(), bottom.into());
        assert_eq!(simplest(nearest_f64(&whole)).unwrap(), whole, "{top}/{bottom}");
    }
    let mut last = Rational::from_integer((-1).into());
    for value in [0.0, 5e-324, 1e-300, 0.1, 0.1_f64.next_up(), 0.5, core::f64::consts::PI, 1e300, f64::MAX] {
        let found = simplest(value).unwrap();
        assert!(nearest_f64(&found).total_cmp(&value).is_eq() && found > last, "{value}");
        last = found;
    }
    assert!(simplest(f64::NAN).is_err());
}

#[test]
fn spells_decimals_in_one_way() {
    for (text, expected) in [
        ("0.05", "0.05"),
        ("5e-2", "0.05"),
        (".05", "0.05"),
        ("+0.0500", "0.05"),
        ("1.", "1"),
        ("-0.0", "0"),
        ("-0", "0"),
        ("-1.50", "-1.5"),
        ("1E3", "1000"),
        ("2/6", "1/3"),
        ("-4/8", "-0.5"),
        ("6/3", "2"),
        ("1/1024", "0.0009765625"),
        ("123456789012345678901234567890.10", "123456789012345678901234567890.1"),
    ] {
        assert_eq!(ok(text), expected, "{text}");
    }
}

#[test]
fn agrees_with_the_reference_decimals() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/reference/trust/canon-cases.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("SKIPPED agrees_with_the_reference_decimals: ../shared is absent");
        return;
    };
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let decimals = file["decimals"].as_array().unwrap();
    assert!(decimals.len() >= 17);
    for pair in decimals {
        let (text, expected) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
        assert_eq!(ok(text), expected, "{text}");
        assert_eq!(canonical(&read_canonical(expected).unwrap()), expected);
        assert_eq!(read_canonical(text).is_ok(), text == expected, "{text}");
    }
}

#[test]
fn refuses_what_is_no_number() {
    for text in ["", "+", "-", ".", "/", "e5", "1/", "."] {
        assert!(matches!(parse(text), Err(NumberError::NoDigits | NumberError::Unexpected { .. })), "{text}");
    }
    assert_eq!(parse("1e"), Err(NumberError::NoDigits));
    assert_eq!(parse("1/0"), Err(NumberError::ZeroDenominator));
    assert_eq!(parse("1e401"), Err(NumberError::ExponentTooLarge));
    assert_eq!(parse("1e-99999999999999999999"), Err(NumberError::ExponentTooLarge));
    for (text, at) in
        [("1 ", 1), ("1.2.3", 3), ("1/2/3", 3), ("0x10", 1), ("1/-2", 2), ("１", 0), ("1,5", 1), ("--1", 1)]
    {
        assert!(matches!(parse(text), Err(NumberError::Unexpected { at: found, .. }) if found == at), "{text}");
    }
    assert!(matches!(parse(&"9".repeat(401)), Err(NumberError::TooLong { chars: 401, limit: 400 })));
    assert!(parse(&"9".repeat(400)).is_ok());
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(from_f64(value), Err(NumberError::NotFinite));
    }
}

#[test]
fn strict_reader_names_the_canonical_spelling() {
    assert_eq!(read_canonical("0.50"), Err(NumberError::NotCanonical { canonical: "0.5".into() }));
    for text in ["+1", "01", "1.0", "1e0", "2/4", "3/6", "-0", "0/1", "4/1", ".5", "5."] {
        assert!(matches!(read_canonical(text), Err(NumberError::NotCanonical { .. })), "{text}");
    }
}

#[test]
fn longest_literals_survive_the_strict_reader() {
    // The worst growth: a power of two as the denominator needs one place per factor.
    let worst = format!("1/{}", BigUint::from(2_u32).pow(1321));
    assert!(worst.len() <= MAX_LITERAL_CHARS, "{}", worst.len());
    for text in [worst.as_str(), "9.9e-400", "1e400"] {
        let value = parse(text).unwrap();
        assert_eq!(read_canonical(&canonical(&value)).unwrap(), value);
    }
    for value in [f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), f64::from_bits((1 << 52) - 1)] {
        let exact = from_f64(value).unwrap();
        assert_eq!(read_canonical(&canonical(&exact)).unwrap(), exact);
    }
}

#[test]
fn rounds_the_edges_as_ieee_754_does() {
    let two = |n: u32| Rational::from_integer(BigInt::from(2).pow(n));
    let max = from_f64(f64::MAX).unwrap();
    let half_ulp = two(970);
    assert_eq!(nearest_f64(&(max.clone() + half_ulp.clone())), f64::INFINITY, "a tie goes to even, which is infinite");
    assert_eq!(nearest_f64(&(max + half_ulp - two(0))), f64::MAX);
    assert_eq!(nearest_f64(&two(1024)), f64::INFINITY);
    assert_eq!(nearest_f64(&-two(5000)), f64::NEG_INFINITY);
    let tiny = from_f64(f64::from_bits(1)).unwrap();
    assert_eq!(nearest_f64(&(tiny.clone() / two(1))).to_bits(), 0, "a tie goes to even, which is zero");
    assert_eq!(nearest_f64(&(tiny.clone() * parse("0.51").unwrap())).to_bits(), 1);
    assert_eq!(nearest_f64(&(tiny / two(900))).to_bits(), 0);
    assert_eq!(nearest_f64(&parse("1/3").unwrap()), 1.0 / 3.0);
    assert_eq!(nearest_f64(&parse("-0").unwrap()).to_bits(), 0);
}

proptest! {
    #[test]
    fn every_f64_makes_the_round_trip(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite() && bits != 1 << 63);
        prop_assert_eq!(nearest_f64(&from_f64(value).unwrap()).to_bits(), bits);
    }

    #[test]
    fn decimals_round_as_the_standard_library_does(whole in "[0-9]{1,25}", fraction in "[0-9]{0,40}", e in -345_i32..320) {
        let text = format!("{whole}.{fraction}e{e}");
        prop_assert_eq!(nearest_f64(&parse(&text).unwrap()).to_bits(), text.parse::<f64>().unwrap().to_bits());
    }

    #[test]
    fn fractions_lie_nearest_to_their_f64(n: i128, d in 1_u64..) {
        let exact = Rational::new(BigInt::from(n), BigInt::from(d));
        let near = nearest_f64(&exact);
        let error = (from_f64(near).unwrap() - &exact).abs();
        for other in [near.next_up(), near.next_down()] {
            prop_assert!(error <= (from_f64(other).unwrap() - &exact).abs());
        }
    }

    #[test]
    fn the_spelling_is_canonical_and_exact(n: i128, d in 1_i64..) {
        let exact = Rational::new(BigInt::from(n), BigInt::from(d));
        prop_assert_eq!(read_canonical(&canonical(&exact)).unwrap(), exact);
    }

    #[test]
    fn no_text_breaks_the_parser(text in ".{0,40}") {
        if let Ok(value) = parse(&text) {
            prop_assert_eq!(read_canonical(&canonical(&value)).unwrap(), value);
        }
    }
}
