//! Numbers as a reader sees them.

use super::*;

#[test]
fn values_are_written_in_the_unit_people_read() {
    for (number, dimension, text) in [
        (0.736, Dimension::Proportion, "73.6 %"),
        (1.0, Dimension::Proportion, "100.0 %"),
        (0.0, Dimension::Proportion, "0.0 %"),
        (0.000_34, Dimension::Proportion, "0.034 %"),
        (0.14, Dimension::Difference, "+14.0 pp"),
        (-0.14, Dimension::Difference, "-14.0 pp"),
        (0.0, Dimension::Difference, "0.0 pp"),
        (-0.0, Dimension::Difference, "0.0 pp"),
        (0.142, Dimension::Money, "$0.142"),
        (-1.5, Dimension::Money, "-$1.50"),
        (12_345.678, Dimension::Money, "$12\u{202f}345.68"),
        (1.02, Dimension::Ratio, "1.02 x"),
        (0.612, Dimension::Plain, "0.612"),
        (238.0, Dimension::Count, "238"),
        (2.35, Dimension::Count, "2.35"),
        (1_234_567.0, Dimension::Tokens, "1\u{202f}234\u{202f}567 tokens"),
        (12.345, Dimension::Time, "12.3 s"),
        (1.185, Dimension::Bits, "1.19 bits"),
        (0.5, Dimension::Per(Box::new(Dimension::Money), Box::new(Dimension::Tokens)), "$0.500 per token"),
    ] {
        assert_eq!(value(number, &dimension), text, "{number} as {dimension:?}");
    }
}

#[test]
fn values_that_are_no_finite_number_are_named() {
    assert_eq!(value(f64::INFINITY, &Dimension::Ratio), "+infinity x");
    assert_eq!(value(f64::NEG_INFINITY, &Dimension::Plain), "-infinity");
    assert_eq!(value(f64::NAN, &Dimension::Plain), "undefined");
    assert_eq!(figure(&Err("no records".to_owned()), &Dimension::Plain), "undefined");
    assert_eq!(value(1e-300, &Dimension::Plain), "1.00e-300");
    assert_eq!(value(-2.5e300, &Dimension::Difference), "-2.50e302 pp");
    assert_eq!(value(0.0, &Dimension::Plain), "0");
}

#[test]
fn intervals_share_their_decimals_and_keep_their_ends_apart() {
    assert_eq!(interval(0.082, 0.198, &Dimension::Difference), "[+8.2, +19.8] pp");
    assert_eq!(interval(0.007, 0.145, &Dimension::Plain), "[0.007, 0.145]");
    assert_eq!(interval(0.6, 0.6, &Dimension::Proportion), "[60.0, 60.0] %");
    assert_eq!(interval(0.60001, 0.60002, &Dimension::Proportion), "[60.001, 60.002] %");
    assert_eq!(interval(-0.081, -0.0004, &Dimension::Difference), "[-8.10, -0.04] pp");
    assert_eq!(interval(-0.081, 0.0, &Dimension::Difference), "[-8.1, 0.0] pp");
    assert_eq!(interval(0.1, 0.25, &Dimension::Money), "[$0.100, $0.250]");
}

#[test]
fn p_values_are_never_rounded_onto_a_level() {
    for (number, text) in [
        (0.0034, "0.0034"),
        (0.210_4, "0.21"),
        (0.05, "0.050"),
        (0.049_96, "0.04996"),
        (0.050_04, "0.05004"),
        (0.009_999, "0.009999"),
        (1.6e-68, "< 1e-6"),
        (0.000_002, "0.0000020"),
        (0.999, "0.999"),
        (1.0, "1"),
        (f64::NAN, "undefined"),
    ] {
        assert_eq!(p(number), text);
    }
    assert_eq!(p_named("p", 0.0034), "p = 0.0034");
    assert_eq!(p_named("p", 0.0), "p < 1e-6");
}

#[test]
fn a_value_beside_its_threshold_shows_on_which_side_it_is() {
    let [value, threshold, distance] = beside(0.0996, 0.1, &Dimension::Difference);
    assert_eq!([value.as_str(), threshold.as_str(), distance.as_str()], ["+9.96 pp", "+10.00 pp", "-0.04 pp"]);
    let [value, threshold, distance] = beside(0.14, 0.1, &Dimension::Difference);
    assert_eq!([value.as_str(), threshold.as_str(), distance.as_str()], ["+14.0 pp", "+10.0 pp", "+4.0 pp"]);
    let [value, threshold, distance] = beside(0.86, 0.81, &Dimension::Proportion);
    assert_eq!([value.as_str(), threshold.as_str(), distance.as_str()], ["86.0 %", "81.0 %", "+5.0 pp"]);
    let [.., distance] = beside(0.1, 0.1, &Dimension::Difference);
    assert_eq!(distance, "0.0 pp");
}

#[test]
fn counts_levels_and_sizes() {
    assert_eq!(count(0), "0");
    assert_eq!(count(9540), "9540");
    assert_eq!(count(95_400), "95\u{202f}400");
    assert_eq!(level(0.95), "95 %");
    assert_eq!(level(0.9975), "99.75 %");
    assert_eq!(bytes(1), "1 byte");
}
