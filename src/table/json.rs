//! A strict reader of JSON documents that keeps every number as written and refuses repeated keys. Owns the document
//! tree and its limits; must not round numbers or repair text.
//!
//! The words `NaN`, `Infinity` and `-Infinity`, which several libraries write although JSON has none, are kept as what
//! they are, so that the cell that holds one can be named.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use super::cell::Cell;
use super::without_mark;

/// The deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 64;

/// A JSON value that borrows from its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// `NaN`, `Infinity`, `-Infinity`
    NotFinite(&'a str),
    /// A text.
    Text(Cow<'a, str>),
    /// An array.
    Array(Vec<Node<'a>>),
    /// An object, in the order written.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl Node<'_> {
    /// The value as a cell.
    #[must_use]
    pub fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Bool(value) => Cell::Bool(*value),
            Self::Number(text) => Cell::Number(text),
            Self::NotFinite(text) => Cell::NotFinite(text),
            Self::Text(text) => Cell::of_text(text),
            Self::Array(_) => Cell::Composite("an array"),
            Self::Object(_) => Cell::Composite("an object"),
        }
    }

    /// The member with this key or, of an array, this index.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            Self::Array(items) => index(key).and_then(|at| items.get(at)),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::NotFinite(_) | Self::Text(_) => None,
        }
    }
}

/// An array index: digits without a leading zero.
fn index(key: &str) -> Option<usize> {
    (key == "0" || !key.starts_with('0')).then_some(())?;
    key.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    key.parse().ok()
}

/// Why bytes are no JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// Where, in bytes from 0.
    pub offset: usize,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}; {}", self.offset, self.what, self.help)
    }
}

impl std::error::Error for JsonError {}

/// Reads one document; nothing but white space may follow it.
pub fn parse(bytes: &[u8]) -> Result<Node<'_>, JsonError> {
    let mark = bytes.len() - without_mark(bytes).len();
    let text = std::str::from_utf8(bytes).map_err(|error| JsonError {
        offset: error.valid_up_to(),
        what: "this is not UTF-8".to_owned(),
        help: "save the file as UTF-8",
    })?;
    let mut reader = Reader { text, at: mark };
    let node = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.fault(
            "something follows the end of the document",
            "a JSON file holds one document; one record a line is `format jsonl`",
        )),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, what: impl Into<String>, help: &'static str) -> JsonError {
        JsonError { offset: self.at, what: what.into(), help }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, JsonError> {
        self.space();
        let start = self.at;
        match self.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                Err(self.fault(format!("more than {MAX_DEPTH} levels of nesting"), "write a flatter document"))
            }
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Node::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.word("true") => Ok(Node::Bool(true)),
            _ if self.word("false") => Ok(Node::Bool(false)),
            _ if self.word("null") => Ok(Node::Null),
            _ if self.word("NaN") || self.word("Infinity") => Ok(Node::NotFinite(self.slice(start))),
            None => Err(self.fault("the document ends where a value is expected", "check that the file is complete")),
            Some(_) => Err(self.fault(
                "no JSON value begins here",
                "write true, false, null, a number, a text in double quotes, an array or an object",
            )),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Node<'a>, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Node::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.space();
            if self.take(b']') {
                return Ok(Node::Array(items));
            }
            if !self.take(b',') {
                return Err(self.fault("`,` or `]` is expected", "check that the array is complete"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node<'a>, JsonError> {
        self.at += 1;
        let mut members: Vec<(Cow<'a, str>, Node<'a>)> = Vec::new();
        // Few keys are compared one by one; many are kept sorted, so that an object of any size takes linear time.
        let mut many: BTreeSet<Cow<'a, str>> = BTreeSet::new();
        self.space();
        if self.take(b'}') {
            return Ok(Node::Object(members));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key in double quotes is expected", "check that the object is complete"));
            }
            let key = self.string()?;
            let repeated = if members.len() < 16 {
                members.iter().any(|(name, _)| *name == key)
            } else {
                if many.is_empty() {
                    many = members.iter().map(|(name, _)| name.clone()).collect();
                }
                !many.insert(key.clone())
            };
            if repeated {
                self.at = start;
                return Err(self.fault(
                    format!("the key `{}` stands twice in one object", super::shown(&key)),
                    "keep one of them; readers disagree about which one counts",
                ));
            }
            self.space();
            if !self.take(b':') {
                return Err(self.fault("`:` is expected after a key", "check that the object is complete"));
            }
            let value = self.value(depth)?;
            members.push((key, value));
            self.space();
            if self.take(b'}') {
                return Ok(Node::Object(members));
            }
            if !self.take(b',') {
                return Err(self.fault("`,` or `}` is expected", "check that the object is complete"));
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Node<'a>, JsonError> {
        const HELP: &str = "write digits, at most one point between digits, and an exponent";
        let start = self.at;
        if self.take(b'-') && self.word("Infinity") {
            return Ok(Node::NotFinite(self.slice(start)));
        }
        let zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (zero && whole > 1) {
            return Err(self.fault("a number is not written as JSON writes it", HELP));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.fault("a digit is expected after the point", HELP));
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'-') || self.take(b'+');
            if self.digits() == 0 {
                return Err(self.fault("a digit is expected in the exponent", HELP));
            }
        }
        Ok(Node::Number(self.slice(start)))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let mut start = self.at;
        let mut owned: Option<String> = None;
        loop {
            match self.peek() {
                None => return Err(self.fault("a text is not closed", "close it with a double quote")),
                Some(b'"') => {
                    let rest = self.slice(start);
                    self.at += 1;
                    return Ok(match owned {
                        None => Cow::Borrowed(rest),
                        Some(mut text) => {
                            text.push_str(rest);
                            Cow::Owned(text)
                        }
                    });
                }
                Some(b'\\') => {
                    let text = owned.get_or_insert_default();
                    text.push_str(self.text.get(start..self.at).unwrap_or(""));
                    self.at += 1;
                    let character = self.escape()?;
                    if let Some(text) = &mut owned {
                        text.push(character);
                    }
                    start = self.at;
                }
                Some(0..=0x1f) => {
                    return Err(
                        self.fault("a control character stands in a text", "write it as an escape such as `\\n`")
                    );
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        const HELP: &str = "JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits";
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.unit()?;
                let code = if (0xd800..0xdc00).contains(&first) && self.word("\\u") {
                    let second = self.unit()?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return Err(self.fault("half of a surrogate pair", HELP));
                    }
                    0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                };
                char::from_u32(code).ok_or_else(|| self.fault("half of a surrogate pair", HELP))?
            }
            _ => {
                self.at = self.at.saturating_sub(1);
                return Err(self.fault("an escape that JSON does not have", HELP));
            }
        })
    }

    fn unit(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit =
            unit.ok_or_else(|| self.fault("four hexadecimal digits are expected", "write an escape as `\\u00e9`"))?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_texts_their_meaning() {
        let node = parse("\u{feff} {\"a\": [1.0, -0.10e+5, NaN, -Infinity, Infinity], \"b\\u00e9\\ud83d\\ude00\": \"x\\ny\", \"c\": null} \r\n".as_bytes()).unwrap();
        let a = node.get("a").unwrap();
        assert_eq!(a.get("0"), Some(&Node::Number("1.0")));
        assert_eq!(a.get("1"), Some(&Node::Number("-0.10e+5")));
        assert_eq!(a.get("2"), Some(&Node::NotFinite("NaN")));
        assert_eq!(a.get("3"), Some(&Node::NotFinite("-Infinity")));
        assert_eq!(a.get("4"), Some(&Node::NotFinite("Infinity")));
        assert_eq!((a.get("5"), a.get("00"), a.get("+1"), a.get("x")), (None, None, None, None));
        assert_eq!(node.get("bé😀").map(Node::cell), Some(Cell::Text("x\ny")));
        assert_eq!(node.get("c").map(Node::cell), Some(Cell::Null));
    }

    #[test]
    fn every_defect_has_a_place() {
        let deep = "[".repeat(MAX_DEPTH + 1);
        for (text, offset, what) in [
            ("", 0, "ends where"),
            ("{\"a\":1,\"a\":2}", 7, "twice"),
            ("[1,]", 3, "no JSON value"),
            ("{\"a\":1,}", 7, "a key"),
            ("[01]", 3, "not written"),
            ("[1.]", 3, "after the point"),
            ("[1e]", 3, "exponent"),
            ("[+1]", 1, "no JSON value"),
            ("[nan]", 1, "no JSON value"),
            ("\"a", 2, "not closed"),
            ("\"a\nb\"", 2, "control"),
            ("\"\\x\"", 2, "escape"),
            ("\"\\ud800\"", 7, "surrogate"),
            ("\"\\u12\"", 3, "hexadecimal"),
            ("1 2", 2, "follows"),
            ("// x\n1", 0, "no JSON value"),
            (&deep, MAX_DEPTH, "levels"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.offset == offset && error.what.contains(what), "{text:?}: {error}");
        }
        assert_eq!(parse(b"[\"\xff\"]").unwrap_err().offset, 2);
    }

    #[test]
    fn a_repeated_key_is_found_among_many() {
        let mut text: Vec<String> = (0..5_000).map(|i| format!("\"k{i}\":0")).collect();
        assert!(parse(format!("{{{}}}", text.join(",")).as_bytes()).is_ok());
        text.push("\"k17\":1".to_owned());
        assert!(parse(format!("{{{}}}", text.join(",")).as_bytes()).unwrap_err().what.contains("`k17`"));
    }
}
