//! The values that can be committed to: objects, arrays, strings, integers and booleans under the rules of
//! `prespec-canon/1`.
//!
//! Owns what may be inside a commitment; a [`Value`] that exists is valid, so writing one cannot fail. Must not repair
//! anything: a string that breaks a rule is refused, never normalised, since repairing it would change a prompt.

use std::collections::BTreeMap;
use std::fmt;

pub mod text;

pub use text::{Text, TextError, TextFault};

#[cfg(test)]
mod tests;

/// The name of this canonical form; it is inside every digest.
pub const CANON: &str = "prespec-canon/1";
/// The largest absolute integer, 2^53 − 1: what every JSON reader holds exactly.
pub const MAX_INTEGER: i64 = 9_007_199_254_740_991;
/// The longest key, in characters.
pub const MAX_KEY_CHARS: usize = 64;

/// One committed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Named members; the order of keys is no information.
    Object(BTreeMap<Key, Value>),
    /// A sequence; its order is information. A set is an array made by [`Value::set`].
    Array(Vec<Value>),
    /// A string under the rules of [`Text`].
    String(Text),
    /// An integer within ±[`MAX_INTEGER`].
    Integer(Integer),
    /// True or false.
    Bool(bool),
}

impl Value {
    /// An object of the given members; two members of one name are refused.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Result<Self, ValueError> {
        let mut object = BTreeMap::new();
        for (key, value) in members {
            if object.insert(Key::new(key)?, value).is_some() {
                return Err(ValueError::DuplicateKey { key: key.to_owned() });
            }
        }
        Ok(Self::Object(object))
    }

    /// A sequence, in the order given.
    pub fn array(items: impl IntoIterator<Item = Self>) -> Self {
        Self::Array(items.into_iter().collect())
    }

    /// A set: sorted by encoded bytes, equal members kept once.
    pub fn set(items: impl IntoIterator<Item = Self>) -> Self {
        let sorted: BTreeMap<Vec<u8>, Self> =
            items.into_iter().map(|item| (super::write::encode(&item), item)).collect();
        Self::Array(sorted.into_values().collect())
    }

    /// A string that keeps the rules of [`Text`].
    pub fn text(text: impl Into<String>) -> Result<Self, ValueError> {
        Ok(Self::String(Text::new(text)?))
    }

    /// An integer within ±[`MAX_INTEGER`].
    pub fn integer(value: impl Into<i128>) -> Result<Self, ValueError> {
        Ok(Self::Integer(Integer::new(value)?))
    }

    /// An exact number, as the string of its canonical spelling (see [`crate::math::exact::canonical`]).
    pub fn number(value: &crate::math::Rational) -> Result<Self, ValueError> {
        Self::text(crate::math::exact::canonical(value))
    }

    /// How deep containers nest: 0 for a scalar, 1 for an array of scalars.
    #[must_use]
    pub fn depth(&self) -> usize {
        match self {
            Self::Object(members) => 1 + members.values().map(Self::depth).max().unwrap_or(0),
            Self::Array(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::String(_) | Self::Integer(_) | Self::Bool(_) => 0,
        }
    }

    /// Whether the value is an array in the order and without the repetitions that a set has.
    #[must_use]
    pub fn is_set(&self) -> bool {
        let Self::Array(items) = self else { return false };
        let encoded: Vec<Vec<u8>> = items.iter().map(super::write::encode).collect();
        encoded.windows(2).all(|pair| matches!(pair, [a, b] if a < b))
    }

    /// The noun for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Object(_) => "an object",
            Self::Array(_) => "an array",
            Self::String(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Bool(_) => "true or false",
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Text> for Value {
    fn from(value: Text) -> Self {
        Self::String(value)
    }
}

/// The name of a member: `[a-z][a-z0-9_]{0,63}`, so that byte, code point and UTF-16 order agree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// Checks the pattern.
    pub fn new(key: impl Into<String>) -> Result<Self, ValueError> {
        let key = key.into();
        let fault = key
            .chars()
            .enumerate()
            .find(|&(at, c)| !(c.is_ascii_lowercase() || (at > 0 && (c.is_ascii_digit() || c == '_'))));
        if let Some((at, character)) = fault {
            return Err(ValueError::KeyCharacter { key, character, at });
        }
        if key.is_empty() || key.len() > MAX_KEY_CHARS {
            return Err(ValueError::KeyLength { chars: key.len() });
        }
        Ok(Self(key))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An integer within ±[`MAX_INTEGER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Integer(i64);

impl Integer {
    /// Checks the range.
    pub fn new(value: impl Into<i128>) -> Result<Self, ValueError> {
        let value = value.into();
        match i64::try_from(value) {
            Ok(small) if (-MAX_INTEGER..=MAX_INTEGER).contains(&small) => Ok(Self(small)),
            _ => Err(ValueError::IntegerRange { value: value.to_string() }),
        }
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }
}

/// Why something cannot be committed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// A key has no characters or too many.
    KeyLength {
        /// Its length.
        chars: usize,
    },
    /// A character that a key may not have at this place.
    KeyCharacter {
        /// The whole key.
        key: String,
        /// The character.
        character: char,
        /// Its position, in characters from 0.
        at: usize,
    },
    /// A member given twice.
    DuplicateKey {
        /// Its name.
        key: String,
    },
    /// An integer beyond ±(2^53 − 1).
    IntegerRange {
        /// Its digits.
        value: String,
    },
    /// A string that breaks a rule.
    Text(TextError),
}

impl ValueError {
    /// Why it matters, one sentence.
    #[must_use]
    pub fn why(&self) -> &'static str {
        match self {
            Self::KeyLength { .. } | Self::KeyCharacter { .. } => {
                "Keys of one plain alphabet have one order in every language, so every implementation writes the same bytes"
            }
            Self::DuplicateKey { .. } => "Readers disagree about which of two equal names counts",
            Self::IntegerRange { .. } => "Beyond 2^53 many JSON readers round silently",
            Self::Text(error) => error.fault.why(),
        }
    }

    /// What to do, one sentence.
    #[must_use]
    pub fn fix(&self) -> String {
        match self {
            Self::KeyLength { .. } | Self::KeyCharacter { .. } => {
                "Use 1 to 64 of `a-z`, `0-9` and `_`, starting with a letter; names chosen by a user belong into a string".to_owned()
            }
            Self::DuplicateKey { .. } => "Keep one of them".to_owned(),
            Self::IntegerRange { .. } => "Write it as a string, or in a larger unit".to_owned(),
            Self::Text(error) => error.fix(),
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLength { chars } => write!(f, "a key has {chars} characters, outside 1 to {MAX_KEY_CHARS}"),
            Self::KeyCharacter { key, character, at } => write!(
                f,
                "the key `{}` has `{}` (U+{:04X}) at character {}",
                key.escape_debug(),
                character.escape_debug(),
                u32::from(*character),
                at + 1
            ),
            Self::DuplicateKey { key } => write!(f, "the key `{key}` is given twice"),
            Self::IntegerRange { value } => write!(f, "the integer {value} is beyond ±{MAX_INTEGER}"),
            Self::Text(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ValueError {}

impl From<TextError> for ValueError {
    fn from(error: TextError) -> Self {
        Self::Text(error)
    }
}
