//! How the checked study becomes canonical values and comes back. One description of each type gives both directions, so that
//! they cannot drift apart; unknown members, missing members and second spellings are refused.
//!
//! The rules, which `docs/commitment.md` states for other implementations:
//! a struct is an object with one member per field; a field that is absent, an empty list or an empty map emits nothing;
//! a map is an array of `[key, value]` pairs sorted by key; an enum is the word of its variant, or an array that starts with the word; a
//! number is a string in its canonical spelling.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::value::Value;
use crate::math::{Rational, exact};

mod comparison;
mod condition;
mod data;
mod design;
mod expr;
mod inference;
mod looks;
mod results;
mod scenario;
mod study;
mod units;

/// Why a value is not the canonical form of a part of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecError {
    /// Where, from the outside in.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
}

impl CodecError {
    /// An error at the current place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), message: message.into() }
    }

    /// The same error, one level further out.
    #[must_use]
    pub fn inside(mut self, step: impl Into<String>) -> Self {
        self.path.insert(0, step.into());
        self
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path.join("/"))?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for CodecError {}

/// A type with one canonical form.
pub trait Codec: Sized {
    /// The canonical value; `None` when it emits nothing.
    fn encode(&self) -> Result<Option<Value>, CodecError>;

    /// The inverse of [`Codec::encode`]; `None` stands for a member that is not there.
    fn decode(value: Option<&Value>) -> Result<Self, CodecError>;
}

/// The canonical value of something that must emit one, such as an element of a list.
pub fn element<T: Codec>(item: &T) -> Result<Value, CodecError> {
    item.encode()?.ok_or_else(|| CodecError::new("an empty value cannot stand in a list"))
}

fn present(value: Option<&Value>) -> Result<&Value, CodecError> {
    value.ok_or_else(|| CodecError::new("a member is missing"))
}

fn wrong(expected: &str, found: &Value) -> CodecError {
    CodecError::new(format!("{expected} was expected, {} stands here", found.kind()))
}

pub(crate) fn text(value: impl Into<String>) -> Result<Value, CodecError> {
    Value::text(value).map_err(|error| CodecError::new(error.to_string()))
}

pub(crate) fn as_text(value: &Value) -> Result<&str, CodecError> {
    match value {
        Value::String(text) => Ok(text.as_str()),
        Value::Object(_) | Value::Array(_) | Value::Integer(_) | Value::Bool(_) => Err(wrong("a string", value)),
    }
}

pub(crate) fn as_array(value: &Value) -> Result<&[Value], CodecError> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(_) | Value::String(_) | Value::Integer(_) | Value::Bool(_) => Err(wrong("an array", value)),
    }
}

impl Codec for String {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        text(self.as_str()).map(Some)
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        as_text(present(value)?).map(str::to_owned)
    }
}

impl Codec for bool {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        Ok(Some(Value::Bool(*self)))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let value = present(value)?;
        if let Value::Bool(value) = value { Ok(*value) } else { Err(wrong("true or false", value)) }
    }
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl Codec for $kind {
            fn encode(&self) -> Result<Option<Value>, CodecError> {
                Value::integer(i128::from(*self)).map(Some).map_err(|error| CodecError::new(error.to_string()))
            }

            fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
                match present(value)? {
                    Value::Integer(integer) => <$kind>::try_from(integer.get())
                        .map_err(|_| CodecError::new(format!("{} is out of range", integer.get()))),
                    other => Err(wrong("a whole number", other)),
                }
            }
        }
    )*};
}
integers!(u32, u64, i64);

impl Codec for Rational {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        Value::number(self).map(Some).map_err(|error| CodecError::new(error.to_string()))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        exact::read_canonical(as_text(present(value)?)?).map_err(|error| CodecError::new(error.to_string()))
    }
}

impl<T: Codec> Codec for Option<T> {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        self.as_ref().map_or(Ok(None), |inner| element(inner).map(Some))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        value.map(|value| T::decode(Some(value))).transpose()
    }
}

impl<T: Codec> Codec for Box<T> {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        self.as_ref().encode()
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        T::decode(value).map(Self::new)
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        if self.is_empty() {
            return Ok(None);
        }
        let items =
            self.iter().enumerate().map(|(at, item)| element(item).map_err(|error| error.inside(at.to_string())));
        Ok(Some(Value::Array(items.collect::<Result<_, _>>()?)))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let Some(value) = value else { return Ok(Self::new()) };
        let items = as_array(value)?;
        if items.is_empty() {
            return Err(CodecError::new("an empty list emits nothing and cannot stand here"));
        }
        items
            .iter()
            .enumerate()
            .map(|(at, item)| T::decode(Some(item)).map_err(|error| error.inside(at.to_string())))
            .collect()
    }
}

impl<T: Codec + Ord> Codec for BTreeSet<T> {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        if self.is_empty() {
            return Ok(None);
        }
        Ok(Some(Value::set(self.iter().map(element).collect::<Result<Vec<_>, _>>()?)))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let Some(value) = value else { return Ok(Self::new()) };
        if !value.is_set() {
            return Err(CodecError::new("a set is sorted by bytes and holds nothing twice"));
        }
        as_array(value)?.iter().map(|item| T::decode(Some(item))).collect()
    }
}

impl<K: Codec + Ord, V: Codec> Codec for BTreeMap<K, V> {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        if self.is_empty() {
            return Ok(None);
        }
        let pairs = self.iter().map(|(key, value)| Ok(Value::Array(vec![element(key)?, element(value)?])));
        Ok(Some(Value::set(pairs.collect::<Result<Vec<_>, CodecError>>()?)))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let Some(value) = value else { return Ok(Self::new()) };
        let mut map = Self::new();
        for item in as_array(value)? {
            let [key, value] = as_array(item)? else { return Err(CodecError::new("a pair was expected")) };
            if map.insert(K::decode(Some(key))?, V::decode(Some(value))?).is_some() {
                return Err(CodecError::new("a key stands twice"));
            }
        }
        Ok(map)
    }
}

impl<A: Codec, B: Codec> Codec for (A, B) {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        Ok(Some(Value::Array(vec![part(&self.0)?, part(&self.1)?])))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let [a, b] = as_array(present(value)?)? else { return Err(CodecError::new("a pair was expected")) };
        Ok((A::decode(filled(a))?, B::decode(filled(b))?))
    }
}

impl<A: Codec, B: Codec, C: Codec> Codec for (A, B, C) {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        Ok(Some(Value::Array(vec![part(&self.0)?, part(&self.1)?, part(&self.2)?])))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let [a, b, c] = as_array(present(value)?)? else { return Err(CodecError::new("three parts were expected")) };
        Ok((A::decode(filled(a))?, B::decode(filled(b))?, C::decode(filled(c))?))
    }
}

/// Members of an object under construction.
#[derive(Default)]
pub(crate) struct Members(BTreeMap<super::value::Key, Value>);

impl Members {
    pub(crate) fn put<T: Codec>(&mut self, key: &str, value: &T) -> Result<(), CodecError> {
        if let Some(value) = value.encode().map_err(|error| error.inside(key))? {
            let key = super::value::Key::new(key).map_err(|error| CodecError::new(error.to_string()))?;
            self.0.insert(key, value);
        }
        Ok(())
    }

    /// A list whose order carries no meaning.
    pub(crate) fn put_set<T: Codec>(&mut self, key: &str, items: &[T]) -> Result<(), CodecError> {
        if items.is_empty() {
            return Ok(());
        }
        let items = items.iter().map(element).collect::<Result<Vec<_>, _>>().map_err(|error| error.inside(key))?;
        let key = super::value::Key::new(key).map_err(|error| CodecError::new(error.to_string()))?;
        self.0.insert(key, Value::set(items));
        Ok(())
    }

    pub(crate) fn finish(self) -> Value {
        Value::Object(self.0)
    }
}

/// Members of an object being read; every one must be taken.
pub(crate) struct Taking<'a> {
    members: &'a BTreeMap<super::value::Key, Value>,
    taken: usize,
}

impl<'a> Taking<'a> {
    pub(crate) fn new(value: Option<&'a Value>) -> Result<Self, CodecError> {
        let value = present(value)?;
        let Value::Object(members) = value else { return Err(wrong("an object", value)) };
        Ok(Self { members, taken: 0 })
    }

    pub(crate) fn take<T: Codec>(&mut self, key: &str) -> Result<T, CodecError> {
        let value = self.members.get(key);
        self.taken += usize::from(value.is_some());
        T::decode(value).map_err(|error| error.inside(key))
    }

    pub(crate) fn take_set<T: Codec>(&mut self, key: &str) -> Result<Vec<T>, CodecError> {
        if self.members.get(key).is_some_and(|value| !value.is_set()) {
            return Err(CodecError::new("a set is sorted by bytes and holds nothing twice").inside(key));
        }
        self.take(key)
    }

    pub(crate) fn finish(self, known: &[&str]) -> Result<(), CodecError> {
        if self.taken == self.members.len() {
            return Ok(());
        }
        let unknown = self.members.keys().find(|key| !known.contains(&key.as_str()));
        Err(CodecError::new(format!("unknown member `{}`", unknown.map_or("", |key| key.as_str()))))
    }
}

/// Describes a struct: each field with its member's key; `set` marks lists whose order carries no meaning.
macro_rules! record {
    ($name:ident { $($field:ident = $key:literal $($set:ident)?),* $(,)? }) => {
        impl $crate::canon::codec::Codec for $name {
            fn encode(&self) -> Result<Option<$crate::canon::value::Value>, $crate::canon::codec::CodecError> {
                let mut members = $crate::canon::codec::Members::default();
                $($crate::canon::codec::record!(@put members, $key, &self.$field $(, $set)?);)*
                Ok(Some(members.finish()))
            }

            fn decode(value: Option<&$crate::canon::value::Value>) -> Result<Self, $crate::canon::codec::CodecError> {
                let mut members = $crate::canon::codec::Taking::new(value)?;
                let record = Self { $($field: $crate::canon::codec::record!(@take members, $key $(, $set)?)),* };
                members.finish(&[$($key),*])?;
                Ok(record)
            }
        }
    };
    (@put $members:ident, $key:literal, $value:expr) => { $members.put($key, $value)? };
    (@put $members:ident, $key:literal, $value:expr, set) => { $members.put_set($key, $value)? };
    (@take $members:ident, $key:literal) => { $members.take($key)? };
    (@take $members:ident, $key:literal, set) => { $members.take_set($key)? };
}

/// Describes an enum without fields: each variant with its word.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $crate::canon::codec::Codec for $name {
            fn encode(&self) -> Result<Option<$crate::canon::value::Value>, $crate::canon::codec::CodecError> {
                $crate::canon::codec::text(match self { $(Self::$variant => $word,)* }).map(Some)
            }

            fn decode(value: Option<&$crate::canon::value::Value>) -> Result<Self, $crate::canon::codec::CodecError> {
                let word = String::decode(value)?;
                match word.as_str() {
                    $($word => Ok(Self::$variant),)*
                    other => Err($crate::canon::codec::CodecError::new(format!("unknown word `{other}`"))),
                }
            }
        }
    };
}

/// Describes an enum: each variant with its word and its parts in order; the form is `[word, part, …]`, a bare word without parts.
macro_rules! variants {
    ($name:ident { $($variant:ident $(($($part:ident),*))? $({$($field:ident),*})? = $word:literal),* $(,)? }) => {
        impl $crate::canon::codec::Codec for $name {
            fn encode(&self) -> Result<Option<$crate::canon::value::Value>, $crate::canon::codec::CodecError> {
                match self {
                    $(Self::$variant $(($($part),*))? $({$($field),*})? => {
                        #[allow(unused_mut, reason = "a variant without parts pushes nothing")]
                        let mut items = vec![$crate::canon::codec::text($word)?];
                        $($(items.push($crate::canon::codec::part($part).map_err(|error| error.inside($word))?);)*)?
                        $($(items.push($crate::canon::codec::part($field).map_err(|error| error.inside($word))?);)*)?
                        Ok(Some($crate::canon::codec::tagged(items)))
                    })*
                }
            }

            fn decode(value: Option<&$crate::canon::value::Value>) -> Result<Self, $crate::canon::codec::CodecError> {
                let (word, parts) = $crate::canon::codec::untag(value)?;
                #[allow(unused_mut, unused_variables, reason = "a variant without parts takes nothing")]
                let mut parts = parts.iter();
                match word {
                    $($word => {
                        $($(let $part = $crate::canon::codec::next_part(&mut parts, $word)?;)*)?
                        $($(let $field = $crate::canon::codec::next_part(&mut parts, $word)?;)*)?
                        if parts.next().is_some() {
                            return Err($crate::canon::codec::CodecError::new(concat!("too many parts of `", $word, "`")));
                        }
                        Ok(Self::$variant $(($($part),*))? $({$($field),*})?)
                    })*
                    other => Err($crate::canon::codec::CodecError::new(format!("unknown word `{other}`"))),
                }
            }
        }
    };
}

pub(crate) use {record, variants, words};

/// A part of a tagged array; what emits nothing is the empty array, so that positions hold.
pub(crate) fn part<T: Codec>(value: &T) -> Result<Value, CodecError> {
    Ok(value.encode()?.unwrap_or(Value::Array(Vec::new())))
}

/// The inverse of [`part`]: the empty array stands for what emits nothing.
fn filled(value: &Value) -> Option<&Value> {
    if matches!(value, Value::Array(items) if items.is_empty()) { None } else { Some(value) }
}

pub(crate) fn tagged(mut items: Vec<Value>) -> Value {
    if items.len() == 1 { items.remove(0) } else { Value::Array(items) }
}

pub(crate) fn untag(value: Option<&Value>) -> Result<(&str, &[Value]), CodecError> {
    match present(value)? {
        Value::String(word) => Ok((word.as_str(), &[])),
        Value::Array(items) => match items.split_first() {
            Some((word, parts)) if !parts.is_empty() => Ok((as_text(word)?, parts)),
            _ => Err(CodecError::new("a word with its parts was expected")),
        },
        other @ (Value::Object(_) | Value::Integer(_) | Value::Bool(_)) => Err(wrong("a word with its parts", other)),
    }
}

pub(crate) fn next_part<T: Codec>(parts: &mut std::slice::Iter<'_, Value>, word: &str) -> Result<T, CodecError> {
    let value = parts.next().ok_or_else(|| CodecError::new(format!("too few parts of `{word}`")))?;
    T::decode(filled(value)).map_err(|error| error.inside(word))
}
