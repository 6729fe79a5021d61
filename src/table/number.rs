//! Exact numbers in 16 bytes: a decimal of at most 18 or 19 digits, or a boxed fraction when it does not fit. Owns the
//! compact form; must not round.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::math::{Rational, exact};

/// The most decimal places of the compact form.
const MOST_PLACES: u8 = 38;

/// An exact number. One value has one form: a decimal whenever it fits, in the fewest places.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Exact(Form);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Form {
    /// `digits / 10^places`
    Decimal { digits: i64, places: u8 },
    /// Everything else, reduced.
    Fraction(Box<Rational>),
}

impl Exact {
    /// Zero.
    pub const ZERO: Self = Self(Form::Decimal { digits: 0, places: 0 });
    /// One.
    pub const ONE: Self = Self(Form::Decimal { digits: 1, places: 0 });

    /// A whole number.
    #[must_use]
    pub fn integer(value: i64) -> Self {
        Self(Form::Decimal { digits: value, places: 0 })
    }

    /// `digits / 10^places`
    #[must_use]
    pub fn decimal(digits: i128, places: u32) -> Self {
        let (mut digits, mut places) = (digits, places);
        while places > 0 && digits % 10 == 0 {
            digits /= 10;
            places -= 1;
        }
        match (i64::try_from(digits), u8::try_from(places)) {
            (Ok(digits), Ok(places)) if places <= MOST_PLACES => Self(Form::Decimal { digits, places }),
            _ => {
                let value = Rational::new(BigInt::from(digits), BigInt::from(10).pow(places));
                Self(Form::Fraction(Box::new(value)))
            }
        }
    }

    /// The compact form of a fraction.
    #[must_use]
    pub fn from_rational(value: &Rational) -> Self {
        let value = value.reduced();
        let (mut rest, mut twos, mut fives): (BigInt, u32, u32) = (value.denom().clone(), 0, 0);
        for (factor, times) in [(2_u32, &mut twos), (5, &mut fives)] {
            while *times <= u32::from(MOST_PLACES) && (&rest % factor).is_zero() {
                rest /= factor;
                *times += 1;
            }
        }
        let places = twos.max(fives);
        if rest.is_one()
            && places <= u32::from(MOST_PLACES)
            && let Some(digits) = (value.numer() * (BigInt::from(10).pow(places) / value.denom())).to_i64()
        {
            return Self::decimal(i128::from(digits), places);
        }
        Self(Form::Fraction(Box::new(value)))
    }

    /// The same number as a fraction.
    #[must_use]
    pub fn to_rational(&self) -> Rational {
        match &self.0 {
            Form::Decimal { digits, places: 0 } => Rational::from_integer(BigInt::from(*digits)),
            Form::Decimal { digits, places } => {
                Rational::new(BigInt::from(*digits), BigInt::from(10).pow(u32::from(*places)))
            }
            Form::Fraction(value) => (**value).clone(),
        }
    }

    /// `(digits, places)` when the number is `digits / 10^places` and compact.
    #[must_use]
    pub fn as_decimal(&self) -> Option<(i64, u32)> {
        match self.0 {
            Form::Decimal { digits, places } => Some((digits, u32::from(places))),
            Form::Fraction(_) => None,
        }
    }

    /// Whether it is a whole number.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Decimal { places, .. } => *places == 0,
            Form::Fraction(value) => value.is_integer(),
        }
    }

    /// The whole number, when it is one from 0 to 2^64 - 1.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Form::Decimal { digits, places: 0 } => u64::try_from(*digits).ok(),
            Form::Decimal { .. } => None,
            Form::Fraction(value) => value.is_integer().then(|| value.numer().to_u64()).flatten(),
        }
    }

    /// The one canonical spelling.
    #[must_use]
    pub fn canonical(&self) -> String {
        match &self.0 {
            Form::Decimal { digits, places: 0 } => digits.to_string(),
            Form::Decimal { digits, places } => {
                let places = usize::from(*places);
                let sign = if *digits < 0 { "-" } else { "" };
                let padded = format!("{:0>width$}", digits.unsigned_abs(), width = places + 1);
                let (whole, fraction) = padded.split_at(padded.len() - places);
                format!("{sign}{whole}.{fraction}")
            }
            Form::Fraction(value) => exact::canonical(value),
        }
    }

    /// The nearest `f64`.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            // An integer below 2^53 over a power of ten that a float holds exactly: one correctly rounded division.
            Form::Decimal { digits, places } if digits.unsigned_abs() < 1 << 53 && *places <= 22 => {
                let power = (0..*places).fold(1.0_f64, |power, _| power * 10.0);
                #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
                let digits = *digits as f64;
                digits / power
            }
            Form::Decimal { .. } | Form::Fraction(_) => exact::nearest_f64(&self.to_rational()),
        }
    }

    /// The two numbers as whole numbers over one power of ten, when that fits.
    fn aligned(&self, other: &Self) -> Option<(i128, i128, u32)> {
        let ((a, p), (b, q)) = (self.as_decimal()?, other.as_decimal()?);
        let places = p.max(q);
        let scale =
            |digits: i64, by: u32| 10_i128.checked_pow(by).and_then(|power| i128::from(digits).checked_mul(power));
        Some((scale(a, places - p)?, scale(b, places - q)?, places))
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if let Some((a, b, places)) = self.aligned(other)
            && let Some(sum) = a.checked_add(b)
        {
            return Self::decimal(sum, places);
        }
        Self::from_rational(&(self.to_rational() + other.to_rational()))
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        if let (Some((a, p)), Some((b, q))) = (self.as_decimal(), other.as_decimal()) {
            // Two 64-bit numbers multiply within 128 bits.
            return Self::decimal(i128::from(a) * i128::from(b), p + q);
        }
        Self::from_rational(&(self.to_rational() * other.to_rational()))
    }

    /// The quotient; none when the divisor is zero.
    #[must_use]
    pub fn over(&self, other: &Self) -> Option<Self> {
        (*other != Self::ZERO).then(|| Self::from_rational(&(self.to_rational() / other.to_rational())))
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        match &self.0 {
            Form::Decimal { digits, places } => Self::decimal(-i128::from(*digits), u32::from(*places)),
            Form::Fraction(value) => Self::from_rational(&-(**value).clone()),
        }
    }

    /// The number without its sign.
    #[must_use]
    pub fn magnitude(&self) -> Self {
        match &self.0 {
            Form::Decimal { digits, places } => Self::decimal(i128::from(*digits).abs(), u32::from(*places)),
            Form::Fraction(value) => Self::from_rational(&value.abs()),
        }
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.aligned(other) {
            Some((a, b, _)) => a.cmp(&b),
            None => self.to_rational().cmp(&other.to_rational()),
        }
    }
}

/// Reads a decimal exactly: an optional sign, digits with at most one point, an optional exponent. Nothing else: no
/// fractions, no separators, no signs of currency or percent.
pub fn parse(text: &str) -> Result<Exact, exact::NumberError> {
    if let Some(value) = parse_short(text.as_bytes()) {
        return Ok(value);
    }
    if let Some((at, character)) = text.chars().enumerate().find(|(_, c)| *c == '/') {
        return Err(exact::NumberError::Unexpected { character, at });
    }
    exact::parse(text).map(|value| Exact::from_rational(&value))
}

/// Plain decimals of at most 18 digits, which nearly all are.
fn parse_short(bytes: &[u8]) -> Option<Exact> {
    let (negative, rest) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    if rest.len() > 19 {
        return None;
    }
    let (mut digits, mut places, mut point, mut seen) = (0_i64, 0_u32, false, 0_u32);
    for byte in rest {
        match byte {
            b'0'..=b'9' if seen < 18 => {
                digits = digits * 10 + i64::from(byte - b'0');
                seen += 1;
                places += u32::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    (seen > 0).then(|| Exact::decimal(i128::from(if negative { -digits } else { digits }), places))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(text: &str) -> Rational {
        exact::parse(text).unwrap()
    }

    #[test]
    fn one_value_has_one_form() {
        for (a, b) in [("0.50", "0.5"), ("5e-1", "0.5"), ("-0.0", "0"), ("1e3", "1000"), ("+7.", "7")] {
            assert_eq!(parse(a).unwrap(), parse(b).unwrap(), "{a} {b}");
        }
        assert_eq!(size_of::<Option<Exact>>(), 16);
    }

    #[test]
    fn agrees_with_fractions_on_every_operation() {
        let texts = [
            "0",
            "1",
            "-3",
            "0.1",
            "0.44999999999999996",
            "1.5981993690411698",
            "9223372036854775807",
            "-9223372036854775808",
            "123456789012345678901234567890",
            "1e-50",
            "0.000000000000000000000000000000000001",
            "-2.5e20",
        ];
        for a in texts {
            let x = parse(a).unwrap();
            assert_eq!(x.to_rational(), r(a), "{a}");
            assert_eq!(x.canonical(), exact::canonical(&r(a)), "{a}");
            assert_eq!(x.to_f64().to_bits(), exact::nearest_f64(&r(a)).to_bits(), "{a}");
            assert_eq!(x, Exact::from_rational(&r(a)), "{a}");
            for b in texts {
                let y = parse(b).unwrap();
                assert_eq!(x.plus(&y), Exact::from_rational(&(r(a) + r(b))), "{a} + {b}");
                assert_eq!(x.minus(&y), Exact::from_rational(&(r(a) - r(b))), "{a} - {b}");
                assert_eq!(x.times(&y), Exact::from_rational(&(r(a) * r(b))), "{a} * {b}");
                assert_eq!(x.cmp(&y), r(a).cmp(&r(b)), "{a} <> {b}");
                if b != "0" {
                    assert_eq!(x.over(&y), Some(Exact::from_rational(&(r(a) / r(b)))), "{a} / {b}");
                }
            }
            assert_eq!(x.over(&Exact::ZERO), None);
        }
    }

    #[test]
    fn refuses_what_is_no_decimal() {
        for text in
            ["", "-", ".", "1/3", "1,000", "5%", "$5", "NaN", "inf", " 1", "1 ", "0x10", "1e999", "--1", "1.2.3"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
