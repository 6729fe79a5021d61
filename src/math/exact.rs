//! Exact decimals and fractions: reading a literal, its one canonical spelling, and the way to and from `f64`.
//!
//! Owns the text of numbers. Must not round: the only function that loses anything is [`nearest_f64`], and it is
//! correctly rounded (to nearest, ties to even).

use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive, Zero};

use super::Rational;

#[cfg(test)]
mod tests;

/// The longest literal that [`parse`] reads, in characters.
pub const MAX_LITERAL_CHARS: usize = 400;
/// The largest absolute exponent that [`parse`] reads.
pub const MAX_EXPONENT: u32 = 400;
/// The longest text that [`read_canonical`] reads, in characters: every literal's canonical spelling and every
/// `f64`'s fits.
pub const MAX_CANONICAL_CHARS: usize = 2_000;

/// Why a text is no number, or not the canonical spelling of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The text has no digits where a number needs them.
    NoDigits,
    /// The text is longer than the limit (both in characters).
    TooLong {
        /// Length of the text.
        chars: usize,
        /// The limit.
        limit: usize,
    },
    /// The exponent is beyond ±[`MAX_EXPONENT`].
    ExponentTooLarge,
    /// A character that belongs to no number.
    Unexpected {
        /// The character.
        character: char,
        /// Its position, in characters from 0.
        at: usize,
    },
    /// A fraction over nothing.
    ZeroDenominator,
    /// A number, but spelled in another way than the canonical one.
    NotCanonical {
        /// The one canonical spelling.
        canonical: String,
    },
    /// Not a number or infinite.
    NotFinite,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDigits => f.write_str("a number needs at least one digit; write it as in `0.05` or `1/3`"),
            Self::TooLong { chars, limit } => {
                write!(
                    f,
                    "the number has {chars} characters and the limit is {limit}; no quantity needs that many digits"
                )
            }
            Self::ExponentTooLarge => {
                write!(f, "the exponent is beyond {MAX_EXPONENT}; write the number in another unit")
            }
            Self::Unexpected { character, at } => write!(
                f,
                "`{}` (U+{:04X}) at character {} is no part of a number; use ASCII digits, one point, and `/` or `e`",
                character.escape_debug(),
                u32::from(*character),
                at + 1
            ),
            Self::ZeroDenominator => f.write_str("the denominator is zero; a fraction needs another one"),
            Self::NotCanonical { canonical } => {
                write!(f, "the number is not in its canonical spelling; write `{canonical}`")
            }
            Self::NotFinite => f.write_str("not a finite number; only finite numbers have an exact value"),
        }
    }
}

impl std::error::Error for NumberError {}

/// Reads a decimal (`0.05`, `.05`, `+5e-2`) or a fraction of integers (`-1/3`) exactly.
///
/// Bounded by [`MAX_LITERAL_CHARS`] and [`MAX_EXPONENT`], so that no short text costs unbounded memory.
pub fn parse(text: &str) -> Result<Rational, NumberError> {
    bounded(text, MAX_LITERAL_CHARS)?;
    parse_any(text)
}

/// Reads a number in its canonical spelling and refuses every other spelling.
pub fn read_canonical(text: &str) -> Result<Rational, NumberError> {
    bounded(text, MAX_CANONICAL_CHARS)?;
    let value = parse_any(text)?;
    let canonical = canonical(&value);
    if canonical == text { Ok(value) } else { Err(NumberError::NotCanonical { canonical }) }
}

/// The one canonical spelling: a plain decimal without exponent, plus sign, superfluous zeros or `-0`; a fraction
/// that is no finite decimal is `n/d` in lowest terms.
#[must_use]
pub fn canonical(value: &Rational) -> String {
    // `Rational` can be built unreduced, so reduce before looking at the denominator.
    let value = value.reduced();
    let sign = if value.numer().sign() == Sign::Minus { "-" } else { "" };
    let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
    let Some(places) = decimal_places(denominator) else {
        return format!("{sign}{numerator}/{denominator}");
    };
    // Multiplying by 10^places clears the denominator exactly; places is minimal, so no zero trails.
    let scaled = numerator * BigUint::from(10_u32).pow(places) / denominator;
    let digits = scaled.to_string();
    let places = usize::try_from(places).unwrap_or(usize::MAX);
    if places == 0 {
        return format!("{sign}{digits}");
    }
    let padded = format!("{digits:0>width$}", width = places.saturating_add(1));
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// The `f64` nearest to the value, ties to even; beyond the largest finite number, an infinity, as IEEE 754 rounds.
#[must_use]
pub fn nearest_f64(value: &Rational) -> f64 {
    let value = value.reduced();
    let magnitude = nearest_magnitude(value.numer().magnitude(), value.denom().magnitude());
    if value.numer().sign() == Sign::Minus { -magnitude } else { magnitude }
}

/// The exact value of a finite `f64`; both zeros give 0.
pub fn from_f64(value: f64) -> Result<Rational, NumberError> {
    Rational::from_float(value).ok_or(NumberError::NotFinite)
}

/// The fraction with the smallest denominator of all that round to a double: 3/20 for the double nearest to 0.15, 1/3 for the one
/// nearest to a third. Of two doubles the larger has the larger fraction.
///
/// A quotient of whole numbers up to about ten million comes back from its double as itself, so that exact comparisons
/// mean what their writer meant. Fails on what is not finite.
pub fn simplest(value: f64) -> Result<Rational, NumberError> {
    let middle = from_f64(value)?;
    if middle.is_zero() {
        return Ok(middle);
    }
    if value < 0.0 {
        return simplest(-value).map(|found| -found);
    }
    let half = Rational::new(BigInt::one(), BigInt::from(2));
    let (below, above) = (from_f64(value.next_down())?, from_f64(value.next_up()).unwrap_or_else(|_| middle.clone()));
    let (low, high) = ((&below + &middle) * &half, (&above + &middle) * &half);
    let found = simplest_between(low, high);
    // An end of the interval may round away from it; then the double itself stands.
    Ok(if nearest_f64(&found).total_cmp(&value).is_eq() { found } else { middle })
}

/// The fraction with the smallest denominator from `low` to `high`, where `0 <= low <= high`, by continued fractions.
fn simplest_between(mut low: Rational, mut high: Rational) -> Rational {
    let mut whole_parts = Vec::new();
    let last = loop {
        let up = low.ceil();
        if up <= high {
            break up;
        }
        let whole = low.floor();
        (low, high) = ((&high - &whole).recip(), (&low - &whole).recip());
        whole_parts.push(whole);
    };
    whole_parts.into_iter().rev().fold(last, |found, whole| whole + found.recip())
}

fn bounded(text: &str, limit: usize) -> Result<(), NumberError> {
    let chars = text.chars().count();
    if chars > limit { Err(NumberError::TooLong { chars, limit }) } else { Ok(()) }
}

fn parse_any(text: &str) -> Result<Rational, NumberError> {
    let mut reader = Reader { chars: text.chars().peekable(), at: 0 };
    let negative = reader.sign();
    let whole = reader.digits();
    let value = if !whole.is_empty() && reader.take('/') {
        let denominator = reader.digits();
        reader.end()?;
        if denominator.is_empty() {
            return Err(NumberError::NoDigits);
        }
        let denominator = integer(&denominator);
        if denominator.is_zero() {
            return Err(NumberError::ZeroDenominator);
        }
        Rational::new(integer(&whole), denominator)
    } else {
        let fraction = if reader.take('.') { reader.digits() } else { String::new() };
        if whole.is_empty() && fraction.is_empty() {
            reader.end()?;
            return Err(NumberError::NoDigits);
        }
        let exponent = if reader.take('e') || reader.take('E') { reader.exponent()? } else { 0 };
        reader.end()?;
        let scale = i64::from(exponent) - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let power = BigInt::from(10).pow(u32::try_from(scale.unsigned_abs()).unwrap_or(u32::MAX));
        let digits = integer(&format!("{whole}{fraction}"));
        if scale < 0 { Rational::new(digits, power) } else { Rational::from_integer(digits * power) }
    };
    Ok(if negative { -value } else { value })
}

struct Reader<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, wanted: char) -> bool {
        let found = self.chars.next_if_eq(&wanted).is_some();
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self) -> bool {
        let negative = self.take('-');
        if !negative {
            self.take('+');
        }
        negative
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit) = self.chars.next_if(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        digits
    }

    fn exponent(&mut self) -> Result<i32, NumberError> {
        let negative = self.sign();
        let digits = self.digits();
        if digits.is_empty() {
            self.end()?;
            return Err(NumberError::NoDigits);
        }
        let size: u32 = digits.parse().map_err(|_| NumberError::ExponentTooLarge)?;
        if size > MAX_EXPONENT {
            return Err(NumberError::ExponentTooLarge);
        }
        let size = i32::try_from(size).map_err(|_| NumberError::ExponentTooLarge)?;
        Ok(if negative { -size } else { size })
    }

    fn end(&mut self) -> Result<(), NumberError> {
        match self.chars.peek() {
            None => Ok(()),
            Some(&character) => Err(NumberError::Unexpected { character, at: self.at }),
        }
    }
}

/// The value of a run of ASCII digits (an empty run is 0).
fn integer(digits: &str) -> BigInt {
    BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default()
}

/// How many decimal places 1/denominator needs: the larger exponent of 2 and 5, or none if another prime divides it.
fn decimal_places(denominator: &BigUint) -> Option<u32> {
    let twos = denominator.trailing_zeros().unwrap_or(0);
    let mut rest = denominator >> twos;
    let five = BigUint::from(5_u32);
    let mut fives = 0_u64;
    while !rest.is_one() {
        let (quotient, remainder) = rest.div_rem(&five);
        if !remainder.is_zero() {
            return None;
        }
        rest = quotient;
        fives += 1;
    }
    u32::try_from(twos.max(fives)).ok()
}

fn nearest_magnitude(numerator: &BigUint, denominator: &BigUint) -> f64 {
    if numerator.is_zero() {
        return 0.0;
    }
    let bits = |n: &BigUint| i64::try_from(n.bits()).unwrap_or(i64::MAX);
    // Scale so that the integer quotient has 67 or 68 bits: enough for 53 digits, a half and a sticky remainder.
    let shift = 67 - (bits(numerator) - bits(denominator));
    let (quotient, remainder) = if shift >= 0 {
        (numerator << shift.unsigned_abs()).div_rem(denominator)
    } else {
        numerator.div_rem(&(denominator << shift.unsigned_abs()))
    };
    let sticky = !remainder.is_zero();
    let exponent = bits(&quotient) - 1 - shift; // value is in [2^exponent, 2^(exponent + 1))
    if exponent > 1023 {
        return f64::INFINITY;
    }
    let unit = (exponent - 52).max(-1074); // weight of the last place, also for subnormal numbers
    let (Some(quotient), Ok(drop)) = (quotient.to_u128(), u32::try_from(shift + unit)) else {
        return 0.0;
    };
    if drop >= 127 {
        return 0.0; // far below half of the smallest subnormal number
    }
    let kept = quotient >> drop;
    let rest = quotient & ((1_u128 << drop) - 1);
    let half = (1_u128 << drop) >> 1;
    let up = rest > half || (rest == half && (sticky || kept.is_odd()));
    let mantissa = u64::try_from(kept + u128::from(up)).unwrap_or(0);
    // A carry out of the mantissa lands in the exponent field, which is the next power of two (or infinity).
    let field = u64::try_from(unit + 1074).unwrap_or(0) << 52;
    f64::from_bits(field + mantissa)
}
