//! The strict reader: bytes are accepted only if they are exactly what the writer would write.
//!
//! Owns the limits and the refusals. Parses JSON by itself, re-encodes and compares, so that nothing a lenient reader
//! forgives (spaces, escapes, repeated keys, `1.0`) has a second spelling. Must not repair.

use std::collections::BTreeMap;
use std::fmt;

use super::value::{Key, MAX_INTEGER, Text, Value, ValueError};
use super::write::encode;

#[cfg(test)]
mod tests;

/// The largest document, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 32;

/// Why bytes are not canonical: where and which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Offset of the first byte that breaks the rule.
    pub offset: usize,
    /// The rule.
    pub rule: Rule,
}

/// A rule of the canonical form that bytes can break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// More than [`MAX_BYTES`].
    TooLarge {
        /// Size of the document.
        bytes: usize,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// Not UTF-8.
    Utf8,
    /// Not JSON: what was expected here.
    Syntax {
        /// A noun phrase.
        expected: &'static str,
    },
    /// A number with a point or an exponent.
    NotInteger,
    /// `null`, which the form does not have.
    Null,
    /// A `\u` escape of half a surrogate pair.
    Surrogate,
    /// A value that cannot be committed to.
    Value(ValueError),
    /// White space between tokens.
    WhiteSpace,
    /// An escape for a character that is written as itself, or a longer escape than needed.
    Escape,
    /// Keys out of order.
    KeyOrder,
    /// `-0`.
    MinusZero,
    /// Something follows the value.
    Trailing,
}

impl Rule {
    /// Why it matters, one sentence.
    #[must_use]
    pub fn why(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } | Self::TooDeep => {
                "A reader must be able to refuse a hostile file in bounded time and memory"
            }
            Self::Value(error) => error.why(),
            Self::NotInteger => "Programs print one fraction in several ways",
            Self::Utf8
            | Self::Syntax { .. }
            | Self::Null
            | Self::Surrogate
            | Self::WhiteSpace
            | Self::Escape
            | Self::KeyOrder
            | Self::MinusZero
            | Self::Trailing => "Every value has exactly one spelling; any other bytes were not written by the freeze",
        }
    }

    /// What to do, one sentence.
    #[must_use]
    pub fn fix(&self) -> String {
        match self {
            Self::Value(error) => error.fix(),
            Self::TooLarge { .. } => "Move large data into input files, which are bound by their digest".to_owned(),
            Self::NotInteger => "Write a decimal as a string, such as \"0.05\"".to_owned(),
            Self::TooDeep
            | Self::Utf8
            | Self::Syntax { .. }
            | Self::Null
            | Self::Surrogate
            | Self::WhiteSpace
            | Self::Escape
            | Self::KeyOrder
            | Self::MinusZero
            | Self::Trailing => {
                "Restore the bytes as they were frozen; editors and line-end conversion must leave them alone"
                    .to_owned()
            }
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: ", self.offset)?;
        match &self.rule {
            Rule::TooLarge { bytes } => write!(f, "{bytes} bytes are over the limit of {MAX_BYTES}"),
            Rule::TooDeep => write!(f, "nested deeper than {MAX_DEPTH}"),
            Rule::Utf8 => f.write_str("not UTF-8"),
            Rule::Syntax { expected } => write!(f, "expected {expected}"),
            Rule::NotInteger => f.write_str("a number with a point or an exponent; only integers are numbers"),
            Rule::Null => f.write_str("`null` is no value of the canonical form"),
            Rule::Surrogate => f.write_str("an escape of half a surrogate pair"),
            Rule::Value(error) => error.fmt(f),
            Rule::WhiteSpace => f.write_str("white space between tokens"),
            Rule::Escape => f.write_str("an escape that is not the shortest spelling of its character"),
            Rule::KeyOrder => f.write_str("keys are not in order"),
            Rule::MinusZero => f.write_str("`-0` is written `0`"),
            Rule::Trailing => f.write_str("something follows the value"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a canonical document, refusing every byte sequence that [`encode`] does not write.
pub fn decode(bytes: &[u8]) -> Result<Value, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(ReadError { offset: MAX_BYTES, rule: Rule::TooLarge { bytes: bytes.len() } });
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| ReadError { offset: error.valid_up_to(), rule: Rule::Utf8 })?;
    let mut parser = Parser { text, at: 0 };
    parser.space();
    let value = parser.value(0)?;
    let end = parser.at;
    parser.space();
    if parser.at < bytes.len() {
        return Err(ReadError { offset: end, rule: Rule::Trailing });
    }
    let encoded = encode(&value);
    if encoded == bytes { Ok(value) } else { Err(first_difference(bytes, &encoded)) }
}

/// Explains why valid JSON is not the canonical spelling, from the first byte that differs.
fn first_difference(bytes: &[u8], encoded: &[u8]) -> ReadError {
    let offset = bytes.iter().zip(encoded).take_while(|(a, b)| a == b).count();
    let rule = match bytes.get(offset) {
        Some(b' ' | b'\t' | b'\n' | b'\r') => Rule::WhiteSpace,
        Some(b'-') => Rule::MinusZero,
        Some(b'\\') => Rule::Escape,
        // A longer escape than needed, such as \u000a, differs only after its backslash.
        _ if offset > 0 && bytes.get(offset - 1) == Some(&b'\\') => Rule::Escape,
        None => Rule::Trailing,
        Some(_) => Rule::KeyOrder,
    };
    ReadError { offset, rule }
}

/// A JSON reader (RFC 8259) that knows only the values of the canonical form.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fail<T>(&self, rule: Rule) -> Result<T, ReadError> {
        Err(ReadError { offset: self.at, rule })
    }

    fn value(&mut self, depth: usize) -> Result<Value, ReadError> {
        match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => self.fail(Rule::TooDeep),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => {
                let start = self.at;
                let text = self.string()?;
                match Text::new(text) {
                    Ok(text) => Ok(Value::String(text)),
                    Err(error) => Err(ReadError { offset: start, rule: Rule::Value(error.into()) }),
                }
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) if self.word("true") => Ok(Value::Bool(true)),
            Some(_) if self.word("false") => Ok(Value::Bool(false)),
            Some(_) if self.rest().starts_with("null") => self.fail(Rule::Null),
            _ => self.fail(Rule::Syntax { expected: "a value" }),
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn object(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.at += 1;
        let mut members = BTreeMap::new();
        self.space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.fail(Rule::Syntax { expected: "a key" });
            }
            let refuse = |error| ReadError { offset: start, rule: Rule::Value(error) };
            let key = Key::new(self.string()?).map_err(refuse)?;
            self.space();
            if !self.take(b':') {
                return self.fail(Rule::Syntax { expected: "`:`" });
            }
            self.space();
            let value = self.value(depth)?;
            if members.contains_key(&key) {
                return Err(refuse(ValueError::DuplicateKey { key: key.to_string() }));
            }
            members.insert(key, value);
            self.space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return self.fail(Rule::Syntax { expected: "`,` or `}`" });
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.space();
            items.push(self.value(depth)?);
            self.space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return self.fail(Rule::Syntax { expected: "`,` or `]`" });
            }
        }
    }

    fn number(&mut self) -> Result<Value, ReadError> {
        let start = self.at;
        let negative = self.take(b'-');
        let first = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let digits = self.text.get(first..self.at).unwrap_or_default();
        if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
            return Err(ReadError { offset: first, rule: Rule::Syntax { expected: "digits without a leading zero" } });
        }
        if matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            return self.fail(Rule::NotInteger);
        }
        let size = digits.parse::<i64>().ok().filter(|size| *size <= MAX_INTEGER);
        let checked = match size {
            Some(size) => Value::integer(if negative { -size } else { size }),
            None => Err(ValueError::IntegerRange { value: clip(digits, negative) }),
        };
        checked.map_err(|error| ReadError { offset: start, rule: Rule::Value(error) })
    }

    fn string(&mut self) -> Result<String, ReadError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let run = self.rest().find(['"', '\\']).unwrap_or(self.rest().len());
            let plain = self.rest().get(..run).unwrap_or_default();
            if let Some(control) = plain.bytes().position(|b| b < 0x20) {
                self.at += control;
                return self.fail(Rule::Syntax { expected: "an escape for a control character" });
            }
            out.push_str(plain);
            self.at += run;
            if self.take(b'"') {
                return Ok(out);
            }
            if !self.take(b'\\') {
                return self.fail(Rule::Syntax { expected: "`\"` to close the string" });
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let Some(letter) = self.peek() else {
            return self.fail(Rule::Syntax { expected: "an escape" });
        };
        let character = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return self.fail(Rule::Syntax { expected: "an escape that JSON has" }),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> Result<char, ReadError> {
        let start = self.at - 1;
        let half = ReadError { offset: start, rule: Rule::Surrogate };
        let high = self.hex()?;
        let code = match high {
            0xd800..=0xdbff => {
                if !self.word("\\") || self.peek() != Some(b'u') {
                    return Err(half);
                }
                let low = self.hex()?;
                if !(0xdc00..=0xdfff).contains(&low) {
                    return Err(half);
                }
                0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or(half)
    }

    /// Reads `u` and four hexadecimal digits.
    fn hex(&mut self) -> Result<u32, ReadError> {
        let digits = self.text.get(self.at + 1..self.at + 5).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|d| u32::from_str_radix(d, 16).ok()) else {
            return self.fail(Rule::Syntax { expected: "four hexadecimal digits" });
        };
        self.at += 5;
        Ok(code)
    }
}

/// Keeps a message short whatever the document holds.
fn clip(digits: &str, negative: bool) -> String {
    let sign = if negative { "-" } else { "" };
    let head: String = digits.chars().take(24).collect();
    let dots = if head.len() < digits.len() { "…" } else { "" };
    format!("{sign}{head}{dots}")
}
