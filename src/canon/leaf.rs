//! Leaves: the flat list of named parts that make up a spec, each with its own digest.
//!
//! Owns paths, their order, salts and the manifest. Must not know what a leaf means.

use std::collections::BTreeMap;
use std::fmt;

use super::digest::{LeafDigest, SpecDigest, hex, leaf_digest, spec_digest, unhex};
use super::value::{Text, Value, ValueError};

#[cfg(test)]
mod tests;

/// The largest number of leaves in a spec.
pub const MAX_LEAVES: usize = 4_096;
/// The deepest nesting inside one leaf, so that a frozen file around it stays within the reader's limit.
pub const MAX_LEAF_DEPTH: usize = 28;
/// The longest name in a path, in characters.
pub const MAX_NAME_CHARS: usize = 64;

/// The address of a leaf: `section` or `section/id`.
///
/// A section is `[a-z][a-z0-9_]{0,63}`, an id `[A-Za-z][A-Za-z0-9_]{0,63}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeafPath(String);

impl LeafPath {
    /// Checks the pattern.
    pub fn new(path: impl Into<String>) -> Result<Self, LeafError> {
        let path = path.into();
        let (section, id) = match path.split_once('/') {
            Some((section, id)) => (section, Some(id)),
            None => (path.as_str(), None),
        };
        let tail =
            |name: &str| name.len() <= MAX_NAME_CHARS && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let section_ok = super::value::Key::new(section).is_ok();
        let id_ok = id.is_none_or(|id| tail(id) && id.starts_with(|c: char| c.is_ascii_alphabetic()));
        if section_ok && id_ok {
            Ok(Self(path))
        } else {
            Err(LeafError::Path { path: path.chars().take(160).collect() })
        }
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the slash.
    #[must_use]
    pub fn section(&self) -> &str {
        self.0.split_once('/').map_or(self.0.as_str(), |(section, _)| section)
    }

    /// The part after the slash.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.0.split_once('/').map(|(_, id)| id)
    }
}

impl fmt::Display for LeafPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// 32 random bytes that keep a sealed leaf from being guessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl Salt {
    /// Takes 32 bytes from a cryptographic source; the caller is the edge that has one.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        unhex(text).map(Self)
    }

    /// 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }
}

impl fmt::Debug for Salt {
    // A salt is a secret until its leaf is opened.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

/// One named part of a spec. With a salt it is sealed: its digest is committed to and its value is kept apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    path: LeafPath,
    value: Value,
    salt: Option<Salt>,
}

impl Leaf {
    /// An open leaf.
    pub fn open(path: impl Into<String>, value: Value) -> Result<Self, LeafError> {
        Self::new(path, value, None)
    }

    /// A sealed leaf.
    pub fn sealed(path: impl Into<String>, value: Value, salt: Salt) -> Result<Self, LeafError> {
        Self::new(path, value, Some(salt))
    }

    fn new(path: impl Into<String>, value: Value, salt: Option<Salt>) -> Result<Self, LeafError> {
        let path = LeafPath::new(path)?;
        let depth = value.depth();
        if depth > MAX_LEAF_DEPTH {
            return Err(LeafError::TooDeep { path, depth });
        }
        Ok(Self { path, value, salt })
    }

    /// Its address.
    #[must_use]
    pub fn path(&self) -> &LeafPath {
        &self.path
    }

    /// Its content.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its salt, if it is sealed.
    #[must_use]
    pub fn salt(&self) -> Option<&Salt> {
        self.salt.as_ref()
    }

    /// Its digest.
    #[must_use]
    pub fn digest(&self) -> LeafDigest {
        leaf_digest(self.path.as_str(), self.salt.as_ref(), &self.value)
    }
}

/// All leaves of a spec: unique paths in byte order, 1 to [`MAX_LEAVES`] of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaves(BTreeMap<LeafPath, Leaf>);

impl Leaves {
    /// Sorts the leaves by path and refuses repetitions, none and too many.
    pub fn new(leaves: impl IntoIterator<Item = Leaf>) -> Result<Self, LeafError> {
        let mut sorted = BTreeMap::new();
        for leaf in leaves {
            let path = leaf.path.clone();
            if sorted.insert(path.clone(), leaf).is_some() {
                return Err(LeafError::Duplicate { path });
            }
            if sorted.len() > MAX_LEAVES {
                return Err(LeafError::TooMany);
            }
        }
        if sorted.is_empty() { Err(LeafError::None) } else { Ok(Self(sorted)) }
    }

    /// In byte order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = &Leaf> {
        self.0.values()
    }

    /// The leaf at a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Leaf> {
        LeafPath::new(path).ok().and_then(|path| self.0.get(&path))
    }

    /// The manifest over all of them.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        Manifest(
            self.0
                .iter()
                .map(|(path, leaf)| {
                    let state = if leaf.salt.is_some() { LeafState::Sealed } else { LeafState::Open };
                    (path.clone(), (state, leaf.digest()))
                })
                .collect(),
        )
    }

    /// The digest of the spec that the leaves make up, in a language version such as `prespec-lang/1`.
    #[must_use]
    pub fn spec_digest(&self, lang: &str) -> SpecDigest {
        spec_digest(lang, &self.manifest())
    }
}

/// Whether a leaf's value is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafState {
    /// It is.
    Open,
    /// Only its digest is.
    Sealed,
}

impl LeafState {
    /// The word in the manifest.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Sealed => "sealed",
        }
    }
}

/// A manifest: for each leaf its path, its state and its digest, in byte order of the paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest(BTreeMap<LeafPath, (LeafState, LeafDigest)>);

impl Manifest {
    /// `[[path, "open" | "sealed", 64 hexadecimal digits], …]`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::array(self.0.iter().map(|(path, (state, digest))| {
            let words = [path.as_str(), state.word(), &digest.to_hex()].map(Text::new);
            Value::array(words.into_iter().flatten().map(Value::String))
        }))
    }

    /// Reads what [`Manifest::to_value`] writes and nothing else.
    pub fn from_value(value: &Value) -> Result<Self, LeafError> {
        let Value::Array(rows) = value else { return Err(LeafError::Row { row: 0 }) };
        if rows.is_empty() {
            return Err(LeafError::None);
        }
        if rows.len() > MAX_LEAVES {
            return Err(LeafError::TooMany);
        }
        let mut manifest = BTreeMap::new();
        let mut last: Option<LeafPath> = None;
        for (row, item) in rows.iter().enumerate() {
            let Some((path, state, digest)) = manifest_row(item) else { return Err(LeafError::Row { row }) };
            let path = LeafPath::new(path)?;
            if last.as_ref().is_some_and(|last| *last == path) {
                return Err(LeafError::Duplicate { path });
            }
            if last.as_ref().is_some_and(|last| *last > path) {
                return Err(LeafError::Order { path });
            }
            last = Some(path.clone());
            manifest.insert(path, (state, digest));
        }
        Ok(Self(manifest))
    }

    /// Path, state and digest of each leaf, in byte order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&LeafPath, LeafState, &LeafDigest)> {
        self.0.iter().map(|(path, (state, digest))| (path, *state, digest))
    }

    /// State and digest of one leaf.
    #[must_use]
    pub fn get(&self, path: &LeafPath) -> Option<(LeafState, LeafDigest)> {
        self.0.get(path).copied()
    }

    /// The number of leaves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never true of a manifest that was made or read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn manifest_row(item: &Value) -> Option<(&str, LeafState, LeafDigest)> {
    let Value::Array(row) = item else { return None };
    let [Value::String(path), Value::String(state), Value::String(digest)] = row.as_slice() else { return None };
    let state = match state.as_str() {
        "open" => LeafState::Open,
        "sealed" => LeafState::Sealed,
        _ => return None,
    };
    Some((path.as_str(), state, LeafDigest::from_bytes(unhex(digest.as_str())?)))
}

/// Why leaves do not make up a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeafError {
    /// A path that is neither `section` nor `section/id`.
    Path {
        /// Its first 160 characters.
        path: String,
    },
    /// Nested deeper than [`MAX_LEAF_DEPTH`].
    TooDeep {
        /// The leaf.
        path: LeafPath,
        /// Its depth.
        depth: usize,
    },
    /// Two leaves of one path.
    Duplicate {
        /// The path.
        path: LeafPath,
    },
    /// A manifest row before one that sorts earlier.
    Order {
        /// The row's path.
        path: LeafPath,
    },
    /// More than [`MAX_LEAVES`].
    TooMany,
    /// No leaf at all.
    None,
    /// A manifest row that is not path, state and digest.
    Row {
        /// Its number from 0.
        row: usize,
    },
    /// A value that cannot be committed to.
    Value(ValueError),
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { path } => write!(
                f,
                "`{}` is no leaf path; a path is `section` or `section/id` of ASCII letters, digits and `_`, each at most {MAX_NAME_CHARS} long",
                path.escape_debug()
            ),
            Self::TooDeep { path, depth } => {
                write!(f, "leaf `{path}` nests {depth} deep and the limit is {MAX_LEAF_DEPTH}; flatten it")
            }
            Self::Duplicate { path } => write!(f, "leaf `{path}` is given twice; keep one"),
            Self::Order { path } => write!(f, "leaf `{path}` is out of order; rows are in byte order of their paths"),
            Self::TooMany => write!(f, "more than {MAX_LEAVES} leaves; move tables into input files"),
            Self::None => f.write_str("no leaf; a spec has at least one"),
            Self::Row { row } => {
                write!(f, "manifest row {row} is not [path, \"open\" or \"sealed\", 64 hexadecimal digits]")
            }
            Self::Value(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LeafError {}

impl From<ValueError> for LeafError {
    fn from(error: ValueError) -> Self {
        Self::Value(error)
    }
}
