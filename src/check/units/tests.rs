//! The algebra of units, pair by pair.

use super::*;
use crate::source::{Span, Spanned};
use Dimension::{Bits, Count, Difference, Money, Per, Plain, Proportion, Ratio, Time};

fn free(dimension: Dimension) -> Ty {
    Ty::new(dimension, Bounds::default(), false)
}

fn bare(text: &str) -> Ty {
    Ty::constant(&Quantity { value: exact::parse(text).unwrap(), dimension: Plain }, true)
}

fn read(number: &str, unit: Option<&str>) -> Result<(Quantity, bool), LiteralError> {
    let at = Span::default();
    let literal =
        Literal { number: Spanned::new(number.into(), at), unit: unit.map(|unit| Spanned::new(unit.into(), at)) };
    super::literal(&literal, &|word| word == "task")
}

fn gives(op: ArithmeticOp, left: &Ty, right: &Ty) -> Result<Dimension, Mix> {
    arithmetic(op, left, right).map(|joined| joined.ty.number.dimension)
}

fn per(above: Dimension, below: Dimension) -> Dimension {
    Per(Box::new(above), Box::new(below))
}

#[test]
fn five_spellings_of_four_types() {
    let value = |number, unit| {
        let (quantity, _) = read(number, unit).unwrap();
        (exact::canonical(&quantity.value), quantity.dimension)
    };
    assert_eq!(value("2", Some("pp")), ("0.02".into(), Difference));
    assert_eq!(value("2", Some("%")), ("0.02".into(), Proportion));
    assert_eq!(value("2", Some("% rel")), ("1.02".into(), Ratio));
    assert_eq!(value("1.02", Some("x")), ("1.02".into(), Ratio));
    assert_eq!(value("0.02", None), ("0.02".into(), Plain));
    assert!(read("0.02", None).unwrap().1, "only this one takes the unit of what it meets");
}

#[test]
fn units_are_exact_and_compound() {
    let (price, _) = read("0.5", Some("usd/Mtok")).unwrap();
    assert_eq!(price.dimension, per(Money, Dimension::Tokens));
    assert_eq!(exact::canonical(&price.value), "0.0000005");
    assert_eq!(read("10.0", Some("pp")).unwrap(), read("10", Some("pp")).unwrap());
    assert_eq!(read("30", Some("min")).unwrap().0.value, Rational::from_integer(1800.into()));
    assert_eq!(read("2", Some("usd/task")).unwrap().0.dimension, per(Money, Count));
    assert_eq!(read("2", Some("usd/wish")), Err(LiteralError::Unit("usd/wish".into())));
    assert_eq!(read("1_000", None).unwrap().0.value, Rational::from_integer(1000.into()));
}

#[test]
fn differences_and_proportions() {
    use ArithmeticOp::{Add, Divide, Multiply, Subtract};
    let (p, d) = (free(Proportion), free(Difference));
    assert_eq!(gives(Subtract, &p, &p), Ok(Difference));
    assert_eq!(gives(Add, &p, &d), Ok(Proportion));
    assert_eq!(gives(Subtract, &p, &d), Ok(Proportion));
    assert_eq!(gives(Add, &d, &p), Ok(Proportion));
    assert_eq!(gives(Add, &d, &d), Ok(Difference));
    assert_eq!(gives(Subtract, &d, &d), Ok(Difference));
    assert_eq!(gives(Divide, &d, &d), Ok(Ratio));
    assert_eq!(gives(Divide, &p, &p), Ok(Ratio));
    assert_eq!(gives(Multiply, &p, &p), Ok(Proportion));
    assert_eq!(gives(Subtract, &d, &p), Err(Mix::Units));
    assert_eq!(gives(Add, &p, &p), Ok(Proportion));
}

#[test]
fn a_bare_number_is_never_a_difference() {
    use ArithmeticOp::{Add, Subtract};
    assert_eq!(unify(&free(Difference), &bare("0.02")), Err(Mix::ProportionAsDifference));
    assert_eq!(gives(Add, &free(Proportion), &bare("0.02")), Err(Mix::ProportionAsDifference));
    // A bare number beside a difference is a proportion, as in `0.69 + 2 pp`.
    assert_eq!(gives(Add, &bare("0.69"), &free(Difference)), Ok(Proportion));
    assert_eq!(gives(Subtract, &free(Proportion), &bare("0.69")), Ok(Difference));
    assert_eq!(unify(&free(Money), &bare("0")), Err(Mix::MissingUnit));
    assert_eq!(unify(&free(Bits), &bare("1")), Err(Mix::MissingUnit));
    for dimension in [Plain, Proportion, Ratio, Count] {
        assert_eq!(unify(&free(dimension.clone()), &bare("0.5")).map(|joined| joined.right), Ok(Some(dimension)));
    }
    assert_eq!(unify(&free(Time), &free(Money)), Err(Mix::Units));
}

#[test]
fn the_complement_of_a_share_is_a_share() {
    let share = Ty::new(Proportion, between(0, 1), false);
    let joined = arithmetic(ArithmeticOp::Subtract, &bare("1"), &share).unwrap();
    assert_eq!(joined.ty, Ty::new(Proportion, between(0, 1), false));
    assert_eq!(joined.left, Some(Proportion));
    let other = arithmetic(ArithmeticOp::Subtract, &bare("0.9"), &share).unwrap();
    assert_eq!(other.ty.number.dimension, Difference);
}

#[test]
fn money_over_a_count_is_money_per_count_and_back() {
    use ArithmeticOp::{Divide, Multiply};
    assert_eq!(gives(Divide, &free(Money), &free(Count)), Ok(per(Money, Count)));
    assert_eq!(gives(Multiply, &free(per(Money, Count)), &free(Count)), Ok(Money));
    assert_eq!(gives(Divide, &free(Money), &bare("2")), Ok(Money));
    assert_eq!(gives(Divide, &free(Plain), &free(Plain)), Ok(Plain));
    assert_eq!(gives(Divide, &bare("1"), &free(Ratio)), Ok(Ratio));
    assert_eq!(gives(Multiply, &free(Time), &free(Money)), Err(Mix::Units));
}

#[test]
fn bounds_follow_arithmetic() {
    let bounds = |low: i64, high: i64| between(low, high);
    assert_eq!(add(&bounds(0, 1), &bounds(0, 1)), bounds(0, 2));
    assert_eq!(subtract(&bounds(0, 1), &bounds(0, 1)), bounds(-1, 1));
    assert_eq!(multiply(&bounds(-2, 3), &bounds(-1, 5)), bounds(-10, 15));
    assert_eq!(divide(&bounds(1, 4), &bounds(1, 2)).upper, Some(Rational::from_integer(4.into())));
    assert_eq!(divide(&bounds(0, 1), &bounds(0, 1)), Bounds { lower: Some(Rational::zero()), upper: None });
    assert_eq!(divide(&bounds(-1, 1), &bounds(-1, 1)), Bounds::default());
    assert_eq!(union(&bounds(0, 1), &Bounds::default()), Bounds::default());
}

/// Bounds that interval arithmetic gives hold for every pair of values inside.
#[test]
fn bounds_hold_for_every_value_inside() {
    let values: Vec<i64> = (-4..=4).collect();
    for (al, au) in values.iter().flat_map(|a| values.iter().map(move |b| (*a.min(b), *a.max(b)))) {
        for (bl, bu) in values.iter().flat_map(|a| values.iter().map(move |b| (*a.min(b), *a.max(b)))) {
            let (a, b) = (between(al, au), between(bl, bu));
            for x in [al, au] {
                for y in [bl, bu] {
                    let (x, y) = (Rational::from_integer(x.into()), Rational::from_integer(y.into()));
                    let inside = |bounds: &Bounds, value: &Rational| {
                        bounds.lower.as_ref().is_none_or(|low| low <= value)
                            && bounds.upper.as_ref().is_none_or(|high| value <= high)
                    };
                    assert!(inside(&add(&a, &b), &(&x + &y)));
                    assert!(inside(&subtract(&a, &b), &(&x - &y)));
                    assert!(inside(&multiply(&a, &b), &(&x * &y)));
                    if !y.is_zero() {
                        assert!(inside(&divide(&a, &b), &(&x / &y)), "{al} {au} {bl} {bu}");
                    }
                }
            }
        }
    }
}

#[test]
fn quantities_are_shown_as_people_write_them() {
    let shown = |text: &str, dimension| in_unit(&Quantity { value: exact::parse(text).unwrap(), dimension });
    assert_eq!(shown("0.05", Difference), "5 pp");
    assert_eq!(shown("0.05", Proportion), "5 %");
    assert_eq!(shown("0.01", Money), "0.01 usd");
    assert_eq!(shown("3", Count), "3");
    assert_eq!(describe(&per(Money, Count)), "an amount of money per count");
}
