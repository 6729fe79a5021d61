//! Reading objects strictly: every member is asked for by name, and what nobody asked for is an unknown field.

use std::collections::BTreeMap;

use crate::canon::value::{Key, Value};

use super::super::finding::{Finding, FindingCode};
use super::check::WHY_STRICT;

/// The members of one object that were not asked for yet.
pub(super) struct Fields<'a> {
    place: String,
    members: BTreeMap<&'a str, &'a Value>,
}

/// The most findings that are listed for one file: a hostile file could earn millions.
pub const MAX_FINDINGS: usize = 1_000;

/// Where findings go while a file is read.
#[derive(Default)]
pub(super) struct Findings {
    listed: Vec<Finding>,
    total: usize,
}

impl Findings {
    pub fn push(&mut self, finding: Finding) {
        self.total += 1;
        if self.listed.len() < MAX_FINDINGS {
            self.listed.push(finding);
        }
    }

    /// How many there were, listed or not.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The listed ones, and one more that counts the rest.
    pub fn into_list(mut self, name: &str) -> Vec<Finding> {
        let rest = self.total - self.listed.len();
        if rest > 0 {
            self.listed.push(bad(name, format!("{rest} further findings are not listed")));
        }
        self.listed
    }
}

impl<'a> Fields<'a> {
    /// Opens the object at a place such as `name.freeze.json#tool`.
    pub fn open(value: &'a Value, place: String, found: &mut Findings) -> Option<Self> {
        if let Value::Object(members) = value {
            Some(Self::of(members, place))
        } else {
            found.push(bad(&place, format!("expected an object, found {}", value.kind())));
            None
        }
    }

    pub fn of(members: &'a BTreeMap<Key, Value>, place: String) -> Self {
        Self { place, members: members.iter().map(|(key, value)| (key.as_str(), value)).collect() }
    }

    /// The place of a member.
    pub fn place(&self, key: &str) -> String {
        let separator = if self.place.contains('#') { '.' } else { '#' };
        format!("{}{separator}{key}", self.place)
    }

    /// A member that may be absent.
    pub fn optional(&mut self, key: &str) -> Option<&'a Value> {
        self.members.remove(key)
    }

    /// A member that must be there.
    pub fn value(&mut self, key: &str, found: &mut Findings) -> Option<&'a Value> {
        let value = self.members.remove(key);
        if value.is_none() {
            found.push(bad(&self.place(key), "the field is missing".to_owned()));
        }
        value
    }

    pub fn text(&mut self, key: &str, found: &mut Findings) -> Option<&'a str> {
        let value = self.value(key, found)?;
        as_text(value, &self.place(key), found)
    }

    pub fn optional_text(&mut self, key: &str, found: &mut Findings) -> Option<&'a str> {
        let value = self.optional(key)?;
        as_text(value, &self.place(key), found)
    }

    /// A text that must be more than white space.
    pub fn words(&mut self, key: &str, found: &mut Findings) -> Option<&'a str> {
        let text = self.text(key, found)?;
        if text.trim().is_empty() {
            found.push(bad(&self.place(key), "the text is empty".to_owned()));
            return None;
        }
        Some(text)
    }

    /// An integer within a range.
    pub fn integer<T: TryFrom<i64>>(&mut self, key: &str, found: &mut Findings) -> Option<T> {
        let value = self.value(key, found)?;
        let Value::Integer(integer) = value else {
            found.push(bad(&self.place(key), format!("expected an integer, found {}", value.kind())));
            return None;
        };
        let fits = T::try_from(integer.get()).ok();
        if fits.is_none() {
            found.push(bad(&self.place(key), format!("{} is out of range", integer.get())));
        }
        fits
    }

    pub fn array(&mut self, key: &str, found: &mut Findings) -> Option<&'a [Value]> {
        let value = self.value(key, found)?;
        as_array(value, &self.place(key), found)
    }

    /// An array in the order and without the repetitions of a set.
    pub fn set(&mut self, key: &str, found: &mut Findings) -> Option<&'a [Value]> {
        let value = self.value(key, found)?;
        let items = as_array(value, &self.place(key), found)?;
        if !value.is_set() {
            found.push(bad(&self.place(key), "the members are not sorted by their bytes, each once".to_owned()));
        }
        Some(items)
    }

    /// A text read by its own rule.
    pub fn parsed<T, E: std::fmt::Display>(
        &mut self,
        key: &str,
        found: &mut Findings,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(key, found)?;
        match read(text) {
            Ok(value) => Some(value),
            Err(error) => {
                found.push(bad(&self.place(key), error.to_string()));
                None
            }
        }
    }

    /// A word from a closed list.
    pub fn word<T>(
        &mut self,
        key: &str,
        found: &mut Findings,
        read: impl FnOnce(&str) -> Option<T>,
        list: &str,
    ) -> Option<T> {
        self.parsed(key, found, |word| {
            read(word)
                .ok_or_else(|| format!("`{}` is none of {list}", word.escape_debug().take(80).collect::<String>()))
        })
    }

    /// Reports every member that nobody asked for.
    pub fn close(self, found: &mut Findings) {
        for key in self.members.keys() {
            found.push(Finding::error(
                FindingCode::UnknownField,
                self.place(key),
                format!("the field `{key}` is unknown"),
                WHY_STRICT,
                "Restore the file as it was frozen, or use the version of prespec that wrote it",
            ));
        }
    }
}

fn as_text<'a>(value: &'a Value, place: &str, found: &mut Findings) -> Option<&'a str> {
    if let Value::String(text) = value {
        Some(text.as_str())
    } else {
        found.push(bad(place, format!("expected a string, found {}", value.kind())));
        None
    }
}

pub(super) fn as_array<'a>(value: &'a Value, place: &str, found: &mut Findings) -> Option<&'a [Value]> {
    if let Value::Array(items) = value {
        Some(items)
    } else {
        found.push(bad(place, format!("expected an array, found {}", value.kind())));
        None
    }
}

pub(super) fn bad(place: &str, message: String) -> Finding {
    Finding::error(
        FindingCode::BadField,
        place,
        message,
        "A field that cannot be read cannot be checked",
        "Restore the file as it was frozen",
    )
}
