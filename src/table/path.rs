//! Paths and names with placeholders: `seeds.{seed}.{system}`, `p_win_{move}`, `s{seed}.json`. Owns their syntax and
//! matching; must not know what a placeholder stands for.
//!
//! A path is keys joined by dots; a key of digits is an index where an array stands. A backslash takes the next character
//! as it is, so `a\.b` is one key.

use std::collections::BTreeMap;
use std::fmt;

use super::json::Node;

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Slot(String),
}

/// What the placeholders stand for.
pub type Bound = BTreeMap<String, String>;

/// Why a path or pattern cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The path.
    pub path: String,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the path `{}` {}", super::shown(&self.path), self.what)
    }
}

impl std::error::Error for PathError {}

/// Splits at unescaped separators and reads each piece.
fn split(path: &str, separator: Option<char>) -> Result<Vec<Template>, PathError> {
    let fault = |what| PathError { path: path.to_owned(), what };
    let mut pieces = Vec::new();
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next().ok_or_else(|| fault("ends in a backslash"))?),
            '{' => {
                let mut name = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(c) if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
                        _ => return Err(fault("has a `{` that no name and `}` follow; write `\\{` for the character")),
                    }
                }
                if name.is_empty() {
                    return Err(fault("has an empty placeholder"));
                }
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Slot(name));
            }
            '}' => return Err(fault("has a `}` without a `{`; write `\\}` for the character")),
            c if Some(c) == separator => {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                pieces.push(Template { parts: std::mem::take(&mut parts) });
            }
            c => text.push(c),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    pieces.push(Template { parts });
    if pieces.iter().any(|piece| piece.parts.is_empty()) {
        return Err(fault("has an empty part"));
    }
    Ok(pieces)
}

impl Template {
    /// Reads a single name such as a header pattern.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut pieces = split(text, None)?;
        pieces.pop().ok_or(PathError { path: text.to_owned(), what: "is empty" })
    }

    /// The placeholders, in order.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with every placeholder filled; none when one is not bound.
    #[must_use]
    pub fn fill(&self, bound: &Bound) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Slot(name) => bound.get(name).map(String::as_str),
            })
            .collect()
    }

    /// Every way in which the text fits, given what is bound already; an unbound placeholder stands for at least one
    /// character. At most `limit` ways.
    #[must_use]
    pub fn fits(&self, text: &str, bound: &Bound, limit: usize) -> Vec<Bound> {
        let mut found = Vec::new();
        fit(&self.parts, text, bound, limit, &mut found);
        found
    }
}

fn fit(parts: &[Part], text: &str, bound: &Bound, limit: usize, found: &mut Vec<Bound>) {
    if found.len() >= limit {
        return;
    }
    let Some((part, rest)) = parts.split_first() else {
        if text.is_empty() {
            found.push(bound.clone());
        }
        return;
    };
    match part {
        Part::Text(literal) => {
            if let Some(text) = text.strip_prefix(literal.as_str()) {
                fit(rest, text, bound, limit, found);
            }
        }
        Part::Slot(name) => {
            if let Some(value) = bound.get(name) {
                if let Some(text) = text.strip_prefix(value.as_str()) {
                    fit(rest, text, bound, limit, found);
                }
                return;
            }
            if rest.is_empty() {
                if !text.is_empty() {
                    let mut bound = bound.clone();
                    bound.insert(name.clone(), text.to_owned());
                    found.push(bound);
                }
                return;
            }
            for (end, _) in text.char_indices().skip(1) {
                let (value, after) = text.split_at(end);
                let mut bound = bound.clone();
                bound.insert(name.clone(), value.to_owned());
                fit(rest, after, &bound, limit, found);
            }
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Slot(name) => write!(f, "{{{name}}}")?,
            }
        }
        Ok(())
    }
}

/// A path into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Its keys.
    pub keys: Vec<Template>,
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        split(text, Some('.')).map(|keys| Self { keys })
    }

    /// Reads the relative path of a file, whose parts are separated by `/`.
    pub fn parse_file(text: &str) -> Result<Self, PathError> {
        split(text, Some('/')).map(|keys| Self { keys })
    }

    /// The placeholders, in order.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().flat_map(Template::slots)
    }

    /// The keys with every placeholder filled; none when one is not bound.
    #[must_use]
    pub fn fill(&self, bound: &Bound) -> Option<Vec<String>> {
        self.keys.iter().map(|key| key.fill(bound)).collect()
    }
}

/// The node that the keys lead to.
#[must_use]
pub fn follow<'n, 'a>(node: &'n Node<'a>, keys: &[String]) -> Option<&'n Node<'a>> {
    keys.iter().try_fold(node, |node, key| node.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::json;

    fn bound(pairs: &[(&str, &str)]) -> Bound {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn paths_lead_through_objects_arrays_and_odd_keys() {
        let node = json::parse(br#"{"a.b": {"s1": [10, {"x{y}": 20}]}}"#).unwrap();
        let path = Path::parse(r"a\.b.{seed}.1.x\{y\}").unwrap();
        assert_eq!(path.slots().collect::<Vec<_>>(), ["seed"]);
        let keys = path.fill(&bound(&[("seed", "s1")])).unwrap();
        assert_eq!(follow(&node, &keys), Some(&Node::Number("20")));
        assert_eq!(path.fill(&Bound::new()), None);
        assert_eq!(follow(&node, &path.fill(&bound(&[("seed", "s2")])).unwrap()), None);
    }

    #[test]
    fn templates_fit_in_every_way_there_is() {
        let fits = |template: &str, text: &str, given: &[(&str, &str)]| {
            Template::parse(template).unwrap().fits(text, &bound(given), 10)
        };
        assert_eq!(fits("s{seed}.json", "s77001.json", &[]), [bound(&[("seed", "77001")])]);
        assert!(fits("s{seed}.json", "s.json", &[]).is_empty());
        assert!(fits("s{seed}.json", "77001.json", &[]).is_empty());
        assert_eq!(fits("{m}_{s}", "a_b_c", &[]).len(), 2);
        assert_eq!(fits("{m}_{s}", "a_b_c", &[("m", "a_b")]), [bound(&[("m", "a_b"), ("s", "c")])]);
        assert_eq!(fits("{m}-{m}", "x-x", &[]).len(), 1);
        assert!(fits("{m}-{m}", "x-y", &[]).is_empty());
    }

    #[test]
    fn bad_paths_say_what_is_wrong() {
        for (path, what) in [
            ("a..b", "empty part"),
            ("", "empty part"),
            ("a.{", "no name"),
            ("a.}", "without"),
            ("{}", "empty placeholder"),
            ("a\\", "backslash"),
        ] {
            assert!(Path::parse(path).unwrap_err().what.contains(what), "{path}");
        }
    }
}
