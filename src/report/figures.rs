//! Numbers for people: how a value of each dimension, an interval, a p-value and a distance are written. Owns rounding for
//! display alone; no decision reads what is written here.

use crate::decide::judgment::{Figure, Number};
use crate::math::exact;
use crate::spec::Dimension;

#[cfg(test)]
mod tests;

/// Between groups of three digits: a narrow space that does not break.
const GROUP: char = '\u{202f}';
/// From here on a number is written with a power of ten.
const MOST_WRITTEN: f64 = 1e21;

/// No number is written with more decimals than this.
const MAX_DECIMALS: usize = 12;

/// How a dimension is written: what stands before and after, and the factor from its base unit.
struct Style {
    before: &'static str,
    after: String,
    factor: f64,
    signed: bool,
}

fn style(dimension: &Dimension) -> Style {
    let plain = |after: &str| Style { before: "", after: after.to_owned(), factor: 1.0, signed: false };
    match dimension {
        Dimension::Plain | Dimension::Count => plain(""),
        Dimension::Proportion => Style { factor: 100.0, ..plain(" %") },
        Dimension::Difference => Style { factor: 100.0, signed: true, ..plain(" pp") },
        Dimension::Ratio => plain(" x"),
        Dimension::Money => Style { before: "$", ..plain("") },
        Dimension::Tokens => plain(" tokens"),
        Dimension::Time => plain(" s"),
        Dimension::Bits => plain(" bits"),
        Dimension::Nats => plain(" nats"),
        Dimension::Per(over, under) => {
            let over = style(over);
            Style { after: format!("{} per {}", over.after, one(under)), ..over }
        }
    }
}

/// The word for one of a dimension's base unit.
fn one(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Plain => "1".to_owned(),
        Dimension::Proportion => "whole".to_owned(),
        Dimension::Difference => "100 pp".to_owned(),
        Dimension::Ratio => "x".to_owned(),
        Dimension::Count => "item".to_owned(),
        Dimension::Money => "dollar".to_owned(),
        Dimension::Tokens => "token".to_owned(),
        Dimension::Time => "second".to_owned(),
        Dimension::Bits => "bit".to_owned(),
        Dimension::Nats => "nat".to_owned(),
        Dimension::Per(over, under) => format!("({} per {})", one(over), one(under)),
    }
}

/// The decimals that suit a magnitude (already in the unit shown): percentages keep one; the rest keep three digits.
fn decimals(dimension: &Dimension, magnitude: f64) -> usize {
    if !magnitude.is_finite() || magnitude == 0.0 {
        return usize::from(matches!(dimension, Dimension::Proportion | Dimension::Difference));
    }
    match dimension {
        // From 0.95 on, two digits would round to `1.00`.
        Dimension::Proportion | Dimension::Difference if magnitude >= 0.95 => 1,
        Dimension::Proportion | Dimension::Difference => significant(magnitude, 2).max(1),
        Dimension::Money | Dimension::Ratio if magnitude >= 1.0 => 2,
        Dimension::Per(over, _) => decimals(over, magnitude),
        Dimension::Plain
        | Dimension::Ratio
        | Dimension::Count
        | Dimension::Money
        | Dimension::Tokens
        | Dimension::Time
        | Dimension::Bits
        | Dimension::Nats => significant(magnitude, 3),
    }
}

/// Decimals that show so many significant digits.
fn significant(magnitude: f64, digits: i32) -> usize {
    let exponent = libm::floor(libm::log10(magnitude.abs()));
    // From -400 to 400, so that the comparison chain replaces a cast that could wrap.
    let mut wanted = digits - 1;
    let mut step = 0.0;
    while step < exponent && wanted > 0 {
        wanted -= 1;
        step += 1.0;
    }
    while step > exponent && usize::try_from(wanted).unwrap_or(0) < MAX_DECIMALS {
        wanted += 1;
        step -= 1.0;
    }
    usize::try_from(wanted).unwrap_or(0)
}

/// A value (in the base unit) to so many decimals of the unit shown, without the unit's own text.
fn digits(value: f64, style: &Style, decimals: usize) -> String {
    if value.is_nan() {
        return "undefined".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+infinity".to_owned() } else { "-infinity".to_owned() };
    }
    let shown = value * style.factor;
    let text = format!("{:.decimals$}", shown.abs());
    let zero = text.chars().all(|character| matches!(character, '0' | '.'));
    // What the decimals cannot show is no zero, and three hundred digits are no figure.
    let (text, zero) = if (zero && decimals >= MAX_DECIMALS && shown != 0.0) || shown.abs() >= MOST_WRITTEN {
        (format!("{:.2e}", shown.abs()), false)
    } else {
        (grouped(&text), zero)
    };
    let sign = match (zero, shown < 0.0, style.signed) {
        (true, ..) | (false, false, false) => "",
        (false, true, _) => "-",
        (false, false, true) => "+",
    };
    format!("{sign}{}{text}", style.before)
}

/// Groups the whole part by threes from five digits on.
fn grouped(text: &str) -> String {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let count = whole.chars().count();
    let mut written = String::with_capacity(text.len() + count);
    for (at, digit) in whole.chars().enumerate() {
        if count > 4 && at > 0 && (count - at).is_multiple_of(3) {
            written.push(GROUP);
        }
        written.push(digit);
    }
    if let Some(fraction) = fraction {
        written.push('.');
        written.push_str(fraction);
    }
    written
}

/// A count, such as `9540` or `12 345` (with narrow spaces).
#[must_use]
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A value in the base unit of its dimension: `73.6 %`, `+14.0 pp`, `$0.142`, `1.02 x`, `0.612`, `238`.
#[must_use]
pub fn value(value: f64, dimension: &Dimension) -> String {
    let style = style(dimension);
    // A whole number stays whole where no unit asks for decimals.
    let whole = matches!(dimension, Dimension::Plain | Dimension::Count | Dimension::Tokens)
        && value.fract() == 0.0
        && value.abs() < 1e15;
    let shown = (value * style.factor).abs();
    let decimals = if whole { 0 } else { decimals(dimension, shown) };
    format!("{}{}", digits(value, &style, decimals), style.after)
}

/// A number of evidence.
#[must_use]
pub fn number(number: &Number, dimension: &Dimension) -> String {
    value(nearest(number), dimension)
}

/// A number of evidence, or `undefined`.
#[must_use]
pub fn figure(figure: &Figure, dimension: &Dimension) -> String {
    figure.as_ref().map_or_else(|_| "undefined".to_owned(), |found| number(found, dimension))
}

/// The nearest binary number.
#[must_use]
pub fn nearest(number: &Number) -> f64 {
    match number {
        Number::Exact(exact) => exact::nearest_f64(exact),
        Number::Float(float) => *float,
    }
}

/// Two ends to the same decimals: `[+8.2, +19.8] pp`.
#[must_use]
pub fn interval(lower: f64, upper: f64, dimension: &Dimension) -> String {
    let style = style(dimension);
    let largest = (lower * style.factor).abs().max((upper * style.factor).abs());
    let mut places = decimals(dimension, largest);
    // Two different ends never read as the same number, and an end beside zero never reads as zero.
    let hides = |places| {
        let [low, high, zero] = [lower, upper, 0.0].map(|end| digits(end, &style, places));
        (lower < upper && low == high) || (lower != 0.0 && low == zero) || (upper != 0.0 && high == zero)
    };
    let most = places.saturating_add(4).min(MAX_DECIMALS);
    while places < most && hides(places) {
        places += 1;
    }
    format!("[{}, {}]{}", digits(lower, &style, places), digits(upper, &style, places), style.after)
}

/// A p-value with what it is called: `p = 0.0034`, `p < 1e-6`.
#[must_use]
pub fn p_named(name: &str, value: f64) -> String {
    let written = p(value);
    if written.starts_with('<') { format!("{name} {written}") } else { format!("{name} = {written}") }
}

/// A p-value: `0.0034`, `0.21`, `1`, `< 1e-6`. Never rounded onto 0.05, 0.01 or 0.001 from beside it.
#[must_use]
pub fn p(value: f64) -> String {
    if value.is_nan() {
        return "undefined".to_owned();
    }
    if value < 1e-6 {
        return "< 1e-6".to_owned();
    }
    if value >= 1.0 {
        return "1".to_owned();
    }
    let mut places = significant(value, 2);
    let level = |text: &str| matches!(text.trim_end_matches('0'), "0.05" | "0.01" | "0.001" | "1.");
    loop {
        let text = format!("{value:.places$}");
        let exact = text.parse::<f64>().is_ok_and(|read| read.to_bits() == value.to_bits());
        if exact || !level(&text) || places >= MAX_DECIMALS {
            return text;
        }
        places += 1;
    }
}

/// A value and its threshold with as many decimals as tell them apart, and the signed distance between them.
#[must_use]
pub fn beside(value: f64, threshold: f64, dimension: &Dimension) -> [String; 3] {
    let style = style(dimension);
    let largest = (value * style.factor).abs().max((threshold * style.factor).abs());
    let apart = ((value - threshold) * style.factor).abs();
    let mut places = decimals(dimension, largest);
    let wanted = if apart > 0.0 { significant(apart, 1) } else { 0 };
    places = places.max(wanted.min(MAX_DECIMALS));
    // Two shares are percentage points apart, not a share.
    let after = if *dimension == Dimension::Proportion { " pp".to_owned() } else { style.after.clone() };
    let distance = Style { signed: true, before: style.before, after, factor: style.factor };
    [
        format!("{}{}", digits(value, &style, places), style.after),
        format!("{}{}", digits(threshold, &style, places), style.after),
        format!("{}{}", digits(value - threshold, &distance, places), distance.after),
    ]
}

/// A size without a sign, such as a standard error; that of a share is in percentage points.
#[must_use]
pub fn spread(size: f64, dimension: &Dimension) -> String {
    let dimension = if *dimension == Dimension::Proportion { &Dimension::Difference } else { dimension };
    value(size, dimension).trim_start_matches('+').to_owned()
}

/// A confidence level: `95 %`.
#[must_use]
pub fn level(level: f64) -> String {
    let text = format!("{:.4}", level * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Bytes of a file, as a plain count.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    format!("{} {}", count(bytes), if bytes == 1 { "byte" } else { "bytes" })
}

/// A place on an axis whose places stand `step` apart: no more decimals than the step needs.
#[must_use]
pub fn tick(value: f64, step: f64, dimension: &Dimension) -> String {
    let style = style(dimension);
    // A step is 1, 2 or 5 times a power of ten, so one digit shows it.
    let places = significant(step * style.factor, 1);
    format!("{}{}", digits(value, &style, places), style.after)
}
