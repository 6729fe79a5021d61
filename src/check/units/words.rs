//! Words of units and types, and how quantities are shown in messages.

use num_traits::{One as _, Zero as _};

use crate::math::{Rational, exact};
use crate::spec::{Bounds, Dimension, NumberType, Quantity};

fn ratio(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

/// A simple unit: what it measures, and its size in the base unit.
fn simple(word: &str) -> Option<(Dimension, Rational)> {
    Some(match word {
        "%" => (Dimension::Proportion, ratio(1, 100)),
        "pp" => (Dimension::Difference, ratio(1, 100)),
        "x" => (Dimension::Ratio, Rational::one()),
        "usd" => (Dimension::Money, Rational::one()),
        "ct" | "cents" => (Dimension::Money, ratio(1, 100)),
        "token" | "tokens" => (Dimension::Tokens, Rational::one()),
        "ktok" => (Dimension::Tokens, ratio(1_000, 1)),
        "Mtok" => (Dimension::Tokens, ratio(1_000_000, 1)),
        "us" | "microseconds" => (Dimension::Time, ratio(1, 1_000_000)),
        "ms" | "milliseconds" => (Dimension::Time, ratio(1, 1_000)),
        "s" | "sec" | "second" | "seconds" => (Dimension::Time, Rational::one()),
        "min" | "minute" | "minutes" => (Dimension::Time, ratio(60, 1)),
        "h" | "hour" | "hours" => (Dimension::Time, ratio(3_600, 1)),
        "day" | "days" => (Dimension::Time, ratio(86_400, 1)),
        "bit" | "bits" => (Dimension::Bits, Rational::one()),
        "nat" | "nats" => (Dimension::Nats, Rational::one()),
        "count" | "rounds" | "round" | "records" | "record" | "attempts" | "attempt" | "calls" | "call" | "steps"
        | "actions" | "messages" => (Dimension::Count, Rational::one()),
        _ => return None,
    })
}

/// A unit, simple or one over another; `counts` says which names of the study count things.
pub(in crate::check) fn unit(word: &str, counts: &dyn Fn(&str) -> bool) -> Option<(Dimension, Rational)> {
    let part = |word: &str| simple(word).or_else(|| counts(word).then(|| (Dimension::Count, Rational::one())));
    match word.split_once('/') {
        None => part(word),
        Some((above, below)) => {
            let ((above, large), (below, small)) = (part(above)?, part(below)?);
            Some((Dimension::Per(Box::new(above), Box::new(below)), large / small))
        }
    }
}

/// The unit a file may use for a field, beside the units of the language.
pub(in crate::check) fn file_unit(word: &str) -> Option<(Dimension, Rational)> {
    match word {
        "percent" => Some((Dimension::Proportion, ratio(1, 100))),
        "permille" => Some((Dimension::Proportion, ratio(1, 1_000))),
        "fraction" => Some((Dimension::Proportion, Rational::one())),
        "points" => Some((Dimension::Difference, ratio(1, 100))),
        "micro_usd" => Some((Dimension::Money, ratio(1, 1_000_000))),
        "nano_usd" => Some((Dimension::Money, ratio(1, 1_000_000_000))),
        "pico_usd" => Some((Dimension::Money, ratio(1, 1_000_000_000_000))),
        _ => simple(word),
    }
}

/// The type that a type word names; money, tokens, time and counts are never negative.
pub(in crate::check) fn type_named(word: &str) -> Option<NumberType> {
    let from_zero = Bounds { lower: Some(Rational::zero()), upper: None };
    let (dimension, bounds, integer) = match word {
        "number" => (Dimension::Plain, Bounds::default(), false),
        "proportion" => (Dimension::Proportion, super::between(0, 1), false),
        "difference" => (Dimension::Difference, super::between(-1, 1), false),
        "ratio" => (Dimension::Ratio, Bounds::default(), false),
        "count" => (Dimension::Count, from_zero, true),
        "usd" => (Dimension::Money, from_zero, false),
        "tokens" => (Dimension::Tokens, from_zero, true),
        "seconds" | "duration" => (Dimension::Time, from_zero, false),
        "bits" => (Dimension::Bits, Bounds::default(), false),
        "nats" => (Dimension::Nats, Bounds::default(), false),
        _ => return None,
    };
    Some(NumberType { dimension, bounds, integer })
}

/// What a dimension is called in a message.
pub(in crate::check) fn describe(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Plain => "a plain number".into(),
        Dimension::Proportion => "a proportion".into(),
        Dimension::Difference => "a difference of proportions".into(),
        Dimension::Ratio => "a ratio".into(),
        Dimension::Count => "a count".into(),
        Dimension::Money => "an amount of money".into(),
        Dimension::Tokens => "a number of tokens".into(),
        Dimension::Time => "a time".into(),
        Dimension::Bits => "a number of bits".into(),
        Dimension::Nats => "a number of nats".into(),
        Dimension::Per(above, below) => {
            let below = describe(below);
            format!("{} per {}", describe(above), below.split_once(' ').map_or(below.as_str(), |(_, rest)| rest))
        }
    }
}

fn spelling(dimension: &Dimension) -> (String, Rational) {
    let one = Rational::one();
    match dimension {
        Dimension::Plain | Dimension::Count => (String::new(), one),
        Dimension::Proportion => ("%".into(), ratio(100, 1)),
        Dimension::Difference => ("pp".into(), ratio(100, 1)),
        Dimension::Ratio => ("x".into(), one),
        Dimension::Money => ("usd".into(), one),
        Dimension::Tokens => ("tokens".into(), one),
        Dimension::Time => ("s".into(), one),
        Dimension::Bits => ("bits".into(), one),
        Dimension::Nats => ("nats".into(), one),
        Dimension::Per(above, below) => {
            let word = |dimension: &Dimension, counted: &str| {
                let (word, _) = spelling(dimension);
                if word.is_empty() { counted.to_owned() } else { word }
            };
            // Percent over something is spelled per hundredth, everything else in base units.
            let scale = spelling(above).1 / spelling(below).1;
            (format!("{}/{}", word(above, "count"), word(below, "count")), scale)
        }
    }
}

/// A quantity as a person would write it.
pub(in crate::check) fn in_unit(quantity: &Quantity) -> String {
    let (word, scale) = spelling(&quantity.dimension);
    let number = exact::canonical(&(&quantity.value * scale));
    if word.is_empty() { number } else { format!("{number} {word}") }
}
