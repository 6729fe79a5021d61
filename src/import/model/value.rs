//! Values as a source wrote them, and texts that may have been cut. Owns their bounds and what counts as a score; must not turn
//! digits into floats except where asked.

use std::fmt;

/// The most bytes of one text that are kept.
pub const MAX_TEXT: usize = 64 * 1024;

/// A value of a source. Numbers keep their digits; the constants that JSON lacks have their own forms.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Raw {
    /// Absent, or `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(Box<str>),
    /// Not a number.
    NaN,
    /// Larger than every number.
    Infinity,
    /// Smaller than every number.
    NegativeInfinity,
    /// A text.
    Text(Box<str>),
    /// A list.
    List(Vec<Self>),
    /// Names and values, in the order written.
    Map(Vec<(Box<str>, Self)>),
    /// Something that was larger than the bounds allow.
    Omitted,
}

impl Raw {
    /// The member with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(members) = self else { return None };
        members.iter().rev().find(|(key, _)| **key == *name).map(|(_, value)| value)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Whether it is absent or `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    /// Whether it says that there is no score: absent, `null` or not a number.
    #[must_use]
    pub fn is_no_score(&self) -> bool {
        matches!(self, Self::Null | Self::NaN)
    }

    /// The float nearest to a number; the special forms as they are; nothing for other values.
    #[must_use]
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Number(digits) => digits.parse().ok(),
            Self::NaN => Some(f64::NAN),
            Self::Infinity => Some(f64::INFINITY),
            Self::NegativeInfinity => Some(f64::NEG_INFINITY),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::List(_) | Self::Map(_) | Self::Omitted => None,
        }
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(digits) => f.write_str(digits),
            Self::NaN => f.write_str("NaN"),
            Self::Infinity => f.write_str("Infinity"),
            Self::NegativeInfinity => f.write_str("-Infinity"),
            Self::Text(text) => write!(f, "\"{}\"", text.escape_debug()),
            Self::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Map(members) => {
                f.write_str("{")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
            Self::Omitted => f.write_str("(too large)"),
        }
    }
}

/// A text, and whether all of it is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// The text, or its beginning.
    pub text: Box<str>,
    /// Whether nothing was cut off, by us or by the tool that wrote it.
    pub whole: bool,
}

impl Excerpt {
    /// At most [`MAX_TEXT`] bytes of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut end = text.len().min(MAX_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self { text: text.get(..end).unwrap_or_default().into(), whole: end == text.len() }
    }
}
