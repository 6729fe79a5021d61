//! From a cell to a value of a declared type: levels by name, numbers within their bounds. Owns the rules that need a
//! declared type; the rules of cells alone are those of [`crate::table::cell`].

use super::column::Scalar;
use crate::spec::{Dimension, NumberType, ValueType};
use crate::table::cell::{Cell, CellFault, read_bool, read_key, read_number, read_text};
use crate::table::number::{Exact, parse};
use crate::table::shown;

/// A declared type, ready to read many cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeRule {
    /// True or false.
    Bool,
    /// A number.
    Number(NumberRule),
    /// One of these levels.
    Level(Vec<String>),
    /// Free text.
    Text,
}

/// What a number must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberRule {
    lower: Option<Exact>,
    upper: Option<Exact>,
    integer: bool,
    proportion: bool,
}

impl NumberRule {
    fn new(number: &NumberType) -> Self {
        let proportion = number.dimension == Dimension::Proportion;
        let exact = |end: &Option<_>| end.as_ref().map(Exact::from_rational);
        Self {
            lower: exact(&number.bounds.lower).or(proportion.then_some(Exact::ZERO)),
            upper: exact(&number.bounds.upper).or(proportion.then_some(Exact::ONE)),
            integer: number.integer,
            proportion,
        }
    }

    /// Checks the bounds of a number in the base unit; `converted` when the file has another unit.
    pub fn check(&self, value: &Exact, converted: bool) -> Result<(), CellFault> {
        let outside = self.lower.as_ref().is_some_and(|lower| value < lower)
            || self.upper.as_ref().is_some_and(|upper| value > upper);
        if outside {
            let what = format!("`{}` is outside {}", value.canonical(), self.range());
            let percent = self.proportion && !converted && *value > Exact::ONE && *value <= Exact::integer(100);
            return Err(if percent {
                CellFault::new(
                    format!("{what}: a proportion is between 0 and 1"),
                    "if the file holds percentages, say `in percent` in the results block",
                )
            } else {
                CellFault::new(
                    what,
                    "correct the value, its unit in the results block, or the bounds of the declaration",
                )
            });
        }
        if self.integer && !value.is_integer() {
            return Err(CellFault::new(
                format!("`{}` is no whole number", value.canonical()),
                "correct the value, or declare a type that has fractions",
            ));
        }
        Ok(())
    }

    fn range(&self) -> String {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => format!("{} to {}", lower.canonical(), upper.canonical()),
            (Some(lower), None) => format!("{} and above", lower.canonical()),
            (None, Some(upper)) => format!("{} and below", upper.canonical()),
            (None, None) => "the numbers".to_owned(),
        }
    }
}

impl TypeRule {
    /// The rule of a declared type.
    #[must_use]
    pub fn new(kind: &ValueType) -> Self {
        match kind {
            ValueType::Bool => Self::Bool,
            ValueType::Number(number) => Self::Number(NumberRule::new(number)),
            ValueType::Level(names) => Self::Level(names.clone()),
            ValueType::Text => Self::Text,
        }
    }

    /// What is expected, for messages.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Number(rule) => {
                let kind = if rule.integer { "a whole number" } else { "a number" };
                match (&rule.lower, &rule.upper) {
                    (None, None) => kind.to_owned(),
                    _ => format!("{kind}, {}", rule.range()),
                }
            }
            Self::Level(names) => format!("one of {}", listed(names)),
            Self::Text => "text".to_owned(),
        }
    }

    /// Reads a cell in the base unit; none when absent.
    pub fn read<'a>(&'a self, cell: Cell<'a>) -> Result<Option<Scalar<'a>>, CellFault> {
        match self {
            Self::Bool => Ok(read_bool(cell)?.map(Scalar::Bool)),
            Self::Number(rule) => match read_number(cell)? {
                Some(value) => rule.check(&value, false).map(|()| Some(Scalar::Number(value))),
                None => Ok(None),
            },
            Self::Level(names) => match read_key(cell)? {
                Some(text) => level(names, text).map(|name| Some(Scalar::Level(name))),
                None => Ok(None),
            },
            Self::Text => Ok(read_text(cell)?.map(Scalar::Text)),
        }
    }
}

/// The level with this name. Where levels are numbers, `1.0` is `1`, as data frames write it.
pub fn level<'a>(names: &'a [String], text: &str) -> Result<&'a str, CellFault> {
    if let Some(name) = names.iter().find(|name| *name == text) {
        return Ok(name);
    }
    if let Ok(number) = parse(text) {
        let canonical = number.canonical();
        if let Some(name) = names.iter().find(|name| **name == canonical) {
            return Ok(name);
        }
    }
    let help = match nearest(names, text) {
        Some(name) => format!("did you mean `{name}`? Otherwise give its spelling in the results block"),
        None => "declare the level, or give its spelling in the results block".to_owned(),
    };
    Err(CellFault::new(format!("`{}` is none of {}", shown(text), listed(names)), help))
}

/// The name that a word was probably meant to be.
#[must_use]
pub fn nearest<'a>(names: impl IntoIterator<Item = &'a String>, text: &str) -> Option<&'a str> {
    let text = text.to_lowercase();
    let scored = names.into_iter().map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &text), name.as_str()));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (best.0 >= 0.85).then_some(best.1)
}

/// Names for messages: at most twelve.
#[must_use]
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let mut out: Vec<String> = names.iter().take(12).map(|name| format!("`{}`", shown(name.as_ref()))).collect();
    if names.len() > 12 {
        out.push(format!("and {} more", names.len() - 12));
    }
    if out.is_empty() { "nothing".to_owned() } else { out.join(", ") }
}
