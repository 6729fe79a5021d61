//! One field over many records, compact: a byte for true or false, sixteen for a number, two for a level. Owns the
//! representation; knows nothing of files.

use super::Value;
use crate::spec::{Name, ValueType};
use crate::table::number::Exact;

/// One value, borrowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar<'a> {
    /// True or false.
    Bool(bool),
    /// A number in the base unit.
    Number(Exact),
    /// A level.
    Level(&'a str),
    /// A text.
    Text(&'a str),
}

impl Scalar<'_> {
    /// The number; true is 1 and false is 0.
    #[must_use]
    pub fn number(&self) -> Option<Exact> {
        match self {
            Self::Bool(true) => Some(Exact::ONE),
            Self::Bool(false) => Some(Exact::ZERO),
            Self::Number(value) => Some(value.clone()),
            Self::Level(_) | Self::Text(_) => None,
        }
    }

    /// The value, owned.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(value) => Value::Number(value.to_rational()),
            Self::Level(name) => Value::Level((*name).to_owned()),
            Self::Text(text) => Value::Text((*text).to_owned()),
        }
    }
}

impl Value {
    /// The value, borrowed.
    #[must_use]
    pub fn scalar(&self) -> Scalar<'_> {
        match self {
            Self::Bool(value) => Scalar::Bool(*value),
            Self::Number(value) => Scalar::Number(Exact::from_rational(value)),
            Self::Level(name) => Scalar::Level(name),
            Self::Text(text) => Scalar::Text(text),
        }
    }
}

/// The values of one field, one place per record; a place can be absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// True or false.
    Bool(Vec<Option<bool>>),
    /// Numbers in the base unit.
    Number(Vec<Option<Exact>>),
    /// Levels by their index in `names`, in the order declared.
    Level {
        /// The names.
        names: Vec<Name>,
        /// The indices.
        ids: Vec<Option<u16>>,
    },
    /// Texts.
    Text(Vec<Option<Box<str>>>),
}

impl Column {
    /// A column of `length` absent places.
    #[must_use]
    pub fn absent(kind: &ValueType, length: usize) -> Self {
        match kind {
            ValueType::Bool => Self::Bool(vec![None; length]),
            ValueType::Number(_) => Self::Number(vec![None; length]),
            ValueType::Level(names) => Self::Level { names: names.clone(), ids: vec![None; length] },
            ValueType::Text => Self::Text(vec![None; length]),
        }
    }

    /// How many places it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Level { ids, .. } => ids.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether it has no place.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a place; none when absent.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Scalar<'_>> {
        match self {
            Self::Bool(values) => values.get(at).copied().flatten().map(Scalar::Bool),
            Self::Number(values) => values.get(at).cloned().flatten().map(Scalar::Number),
            Self::Level { names, ids } => {
                let id = ids.get(at).copied().flatten()?;
                names.get(usize::from(id)).map(|name| Scalar::Level(name))
            }
            Self::Text(values) => values.get(at).and_then(Option::as_deref).map(Scalar::Text),
        }
    }

    /// Whether there is a value at a place.
    #[must_use]
    pub fn is_present(&self, at: usize) -> bool {
        match self {
            Self::Bool(values) => values.get(at).is_some_and(Option::is_some),
            Self::Number(values) => values.get(at).is_some_and(Option::is_some),
            Self::Level { ids, .. } => ids.get(at).is_some_and(Option::is_some),
            Self::Text(values) => values.get(at).is_some_and(Option::is_some),
        }
    }

    /// Adds an absent place.
    pub fn push_absent(&mut self) {
        match self {
            Self::Bool(values) => values.push(None),
            Self::Number(values) => values.push(None),
            Self::Level { ids, .. } => ids.push(None),
            Self::Text(values) => values.push(None),
        }
    }

    /// Sets a place; false when the value is of another type or the place does not exist.
    #[must_use]
    pub fn set(&mut self, at: usize, value: &Scalar<'_>) -> bool {
        match (self, value) {
            (Self::Bool(values), Scalar::Bool(value)) => put(values, at, *value),
            (Self::Number(values), Scalar::Number(value)) => put(values, at, value.clone()),
            (Self::Level { names, ids }, Scalar::Level(name)) => {
                match names.iter().position(|known| known == name).map(u16::try_from) {
                    Some(Ok(id)) => put(ids, at, id),
                    _ => false,
                }
            }
            (Self::Text(values), Scalar::Text(text)) => put(values, at, Box::from(*text)),
            (Self::Bool(_) | Self::Number(_) | Self::Level { .. } | Self::Text(_), _) => false,
        }
    }

    /// The column with places in another order: place `i` of the result is place `from[i]` of this one; none is absent.
    #[must_use]
    pub fn gather(mut self, from: &[Option<u32>]) -> Self {
        match &mut self {
            Self::Bool(values) => *values = pick(std::mem::take(values), from),
            Self::Number(values) => *values = pick(std::mem::take(values), from),
            Self::Level { ids, .. } => *ids = pick(std::mem::take(ids), from),
            Self::Text(values) => *values = pick(std::mem::take(values), from),
        }
        self
    }
}

fn put<T>(values: &mut [Option<T>], at: usize, value: T) -> bool {
    match values.get_mut(at) {
        Some(place) => {
            *place = Some(value);
            true
        }
        None => false,
    }
}

fn pick<T>(mut values: Vec<Option<T>>, from: &[Option<u32>]) -> Vec<Option<T>> {
    // Every record has one place, so a value is moved, not copied.
    from.iter().map(|at| values.get_mut((*at)? as usize)?.take()).collect()
}
