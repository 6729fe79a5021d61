//! What one cell holds and how it becomes a typed value. Owns the rules; must not know which field it is for.
//!
//! The rules: an empty text, a null and a key that is not there are *absent*. NaN and the infinities are never values.
//! Surrounding spaces are refused wherever a cell is not free text. True or false is written `true`, `false`, `1` or `0`
//! (as a number or as text, `1.0` and `0.0` included); every other word needs a spelling in the spec. A number is a
//! decimal; one that stands in a JSON text counts, since its digits say the same.

use super::number::{Exact, parse};
use super::shown;

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// The key or the cell is empty or not there.
    Absent,
    /// A JSON null.
    Null,
    /// A JSON boolean.
    Bool(bool),
    /// A JSON number, as written.
    Number(&'a str),
    /// `NaN`, `Infinity` or `-Infinity` without quotes in JSON.
    NotFinite(&'a str),
    /// A text; every CSV cell is one.
    Text(&'a str),
    /// An array or object.
    Composite(&'static str),
}

/// Why a cell is not what is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellFault {
    /// What is wrong, with the value.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl CellFault {
    pub(crate) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }
}

impl<'a> Cell<'a> {
    /// The cell of a text, with the empty one absent.
    #[must_use]
    pub fn of_text(text: &'a str) -> Self {
        if text.is_empty() { Self::Absent } else { Self::Text(text) }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent | Self::Null | Self::Text(""))
    }

    /// The value as it was written, for spellings; none for absent values and composites.
    #[must_use]
    pub fn written(&self) -> Option<&'a str> {
        match *self {
            Self::Absent | Self::Null | Self::Composite(_) => None,
            Self::Bool(true) => Some("true"),
            Self::Bool(false) => Some("false"),
            Self::Number(text) | Self::NotFinite(text) | Self::Text(text) => Some(text),
        }
    }

    /// The value for messages.
    #[must_use]
    pub fn display(&self) -> String {
        match self {
            Self::Absent => "nothing".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Composite(kind) => (*kind).to_owned(),
            Self::Text(text) => format!("`{}`", shown(text)),
            Self::Bool(_) | Self::Number(_) | Self::NotFinite(_) => {
                format!("`{}`", shown(self.written().unwrap_or("")))
            }
        }
    }
}

fn spaces(text: &str) -> Result<(), CellFault> {
    if text.trim() == text {
        return Ok(());
    }
    Err(CellFault::new(
        format!("`{}` has spaces around it", shown(text)),
        "remove them where the file is written, or give the spelling in the results block",
    ))
}

fn not_finite(text: &str) -> bool {
    let bare = text.trim_start_matches(['+', '-']);
    ["nan", "inf", "infinity", "#num!", "#div/0!"].iter().any(|word| bare.eq_ignore_ascii_case(word))
}

fn no_value(text: &str) -> bool {
    ["na", "n/a", "null", "none", "nil", "-", "--", "?"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn refuse_marker(text: &str) -> Result<(), CellFault> {
    if not_finite(text) {
        return Err(CellFault::new(
            format!("`{}` is no number that can be counted", shown(text)),
            format!(
                "correct it, or, if it means that there is no value, write `absent \"{}\"` in the results block",
                shown(text)
            ),
        ));
    }
    if no_value(text) {
        return Err(CellFault::new(
            format!("`{}` is no value", shown(text)),
            format!("if it means that there is no value, write `absent \"{}\"` in the results block", shown(text)),
        ));
    }
    Ok(())
}

/// Reads true or false; none when absent.
pub fn read_bool(cell: Cell<'_>) -> Result<Option<bool>, CellFault> {
    let text = match cell {
        Cell::Absent | Cell::Null | Cell::Text("") => return Ok(None),
        Cell::Bool(value) => return Ok(Some(value)),
        Cell::Composite(kind) => {
            return Err(CellFault::new(
                format!("{kind} stands where true or false is expected"),
                "let the path go on to a single value",
            ));
        }
        Cell::Number(text) | Cell::NotFinite(text) | Cell::Text(text) => text,
    };
    match text {
        "1" | "true" => return Ok(Some(true)),
        "0" | "false" => return Ok(Some(false)),
        _ => {}
    }
    spaces(text)?;
    refuse_marker(text)?;
    match parse(text) {
        Ok(value) if value == Exact::ONE => Ok(Some(true)),
        Ok(value) if value == Exact::ZERO => Ok(Some(false)),
        Ok(_) => Err(CellFault::new(
            format!("`{}` is neither true nor false", shown(text)),
            "a graded score is a number: declare the outcome with a number's type and derive `score >= …` from it",
        )),
        Err(_) => Err(CellFault::new(
            format!("`{}` is neither true nor false", shown(text)),
            format!("write the spelling in the results block: `{{ \"{}\" -> true; … }}`", shown(text)),
        )),
    }
}

/// Reads a number exactly; none when absent.
pub fn read_number(cell: Cell<'_>) -> Result<Option<Exact>, CellFault> {
    let text = match cell {
        Cell::Absent | Cell::Null | Cell::Text("") => return Ok(None),
        Cell::Bool(_) => {
            return Err(CellFault::new(
                format!("{} stands where a number is expected", cell.display()),
                "declare the field as `bool`, or name the column or path that holds the number",
            ));
        }
        Cell::Composite(kind) => {
            return Err(CellFault::new(
                format!("{kind} stands where a number is expected"),
                "let the path go on to a single value",
            ));
        }
        Cell::Number(text) | Cell::NotFinite(text) | Cell::Text(text) => text,
    };
    let error = match parse(text) {
        Ok(value) => return Ok(Some(value)),
        Err(error) => error,
    };
    spaces(text)?;
    refuse_marker(text)?;
    let help = if text.ends_with('%') {
        "store the number alone and say `in percent` in the results block"
    } else if text.contains(',') && parse(&text.replace(',', "")).is_ok() {
        "write it without separators and with a decimal point"
    } else if text.starts_with(['$', '€', '£']) {
        "store the number alone; the unit belongs to the outcome's declaration"
    } else {
        "store a plain decimal, or give the spelling in the results block"
    };
    Err(CellFault::new(format!("`{}` is no number: {error}", shown(text)), help))
}

/// Reads free text as it stands, spaces included; none when absent. A JSON number counts as its written digits.
pub fn read_text(cell: Cell<'_>) -> Result<Option<&str>, CellFault> {
    match cell {
        Cell::Absent | Cell::Null | Cell::Text("") => Ok(None),
        Cell::Number(text) | Cell::Text(text) => Ok(Some(text)),
        Cell::Bool(_) | Cell::NotFinite(_) | Cell::Composite(_) => Err(CellFault::new(
            format!("{} stands where text is expected", cell.display()),
            "name a column or path that holds text",
        )),
    }
}

/// Reads the name of a level or the key of a unit: text without surrounding spaces, or a number as written; none when
/// absent.
pub fn read_key(cell: Cell<'_>) -> Result<Option<&str>, CellFault> {
    match cell {
        Cell::Bool(true) => Ok(Some("true")),
        Cell::Bool(false) => Ok(Some("false")),
        Cell::Absent | Cell::Null | Cell::Number(_) | Cell::NotFinite(_) | Cell::Text(_) | Cell::Composite(_) => {
            match read_text(cell)? {
                Some(text) => spaces(text).map(|()| Some(text)),
                None => Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_and_false_have_four_spellings_and_no_more() {
        for (cell, value) in [
            (Cell::Number("1"), true),
            (Cell::Number("1.0"), true),
            (Cell::Number("0"), false),
            (Cell::Number("-0.0"), false),
            (Cell::Text("1"), true),
            (Cell::Text("1.0"), true),
            (Cell::Text("0"), false),
            (Cell::Text("true"), true),
            (Cell::Text("false"), false),
            (Cell::Bool(true), true),
            (Cell::Bool(false), false),
        ] {
            assert_eq!(read_bool(cell), Ok(Some(value)), "{cell:?}");
        }
        for cell in ["0.5", "2", "-1", "yes", "True", "C", " 1", "1 ", "nan", "NA", "inf"] {
            assert!(read_bool(Cell::Text(cell)).is_err(), "{cell}");
        }
        assert!(read_bool(Cell::Number("0.5")).unwrap_err().help.contains("graded"));
        assert!(read_bool(Cell::Text("yes")).unwrap_err().help.contains("\"yes\" -> true"));
        assert!(read_bool(Cell::NotFinite("NaN")).is_err());
        assert!(read_bool(Cell::Composite("an array")).is_err());
    }

    #[test]
    fn empty_and_null_are_absent_everywhere() {
        for cell in [Cell::Absent, Cell::Null, Cell::Text(""), Cell::of_text("")] {
            assert!(cell.is_absent());
            assert_eq!(read_bool(cell), Ok(None));
            assert_eq!(read_number(cell), Ok(None));
            assert_eq!(read_text(cell), Ok(None));
            assert_eq!(read_key(cell), Ok(None));
        }
    }

    #[test]
    fn numbers_are_decimals_and_nothing_else() {
        assert_eq!(read_number(Cell::Number("0.10")), Ok(Some(Exact::decimal(1, 1))));
        assert_eq!(read_number(Cell::Text("1e3")), Ok(Some(Exact::integer(1000))));
        for (cell, word) in [
            (Cell::Text("5%"), "in percent"),
            (Cell::Text("1,000"), "without separators"),
            (Cell::Text("$5"), "declaration"),
            (Cell::Text("NA"), "absent \"NA\""),
            (Cell::Text("NaN"), "absent \"NaN\""),
            (Cell::NotFinite("-Infinity"), "absent \"-Infinity\""),
            (Cell::Text(" 5"), "remove them"),
            (Cell::Text("abc"), "plain decimal"),
            (Cell::Text("1/3"), "plain decimal"),
            (Cell::Bool(true), "declare the field as `bool`"),
            (Cell::Composite("an object"), "go on to a single value"),
        ] {
            let fault = read_number(cell).unwrap_err();
            assert!(fault.help.contains(word), "{cell:?}: {}", fault.help);
        }
    }

    #[test]
    fn free_text_keeps_its_spaces_and_keys_have_none() {
        assert_eq!(read_text(Cell::Text(" a ")), Ok(Some(" a ")));
        assert_eq!(read_text(Cell::Number("1.50")), Ok(Some("1.50")));
        assert!(read_text(Cell::Bool(true)).is_err());
        assert_eq!(read_key(Cell::Number("77001")), Ok(Some("77001")));
        assert!(read_key(Cell::Text("a ")).unwrap_err().what.contains("spaces"));
    }
}
