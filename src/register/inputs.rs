//! Inputs: the files a spec names, bound by size and SHA-256.
//!
//! Owns which paths are safe and reads each file once: the bytes that are hashed are the bytes that are returned. Must
//! not follow a symbolic link, leave the root, or repair a path.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::canon::digest::{ContentId, content_id, unhex};
use crate::canon::value::{Text, TextError, Value, ValueError};

#[cfg(test)]
mod tests;

/// The largest input, in bytes.
pub const MAX_INPUT_BYTES: u64 = 256 * 1024 * 1024;
/// The longest path, in bytes.
pub const MAX_PATH_BYTES: usize = 512;

/// A safe path of an input: relative to the folder of the spec, `/` between its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InputPath(String);

impl InputPath {
    /// Checks the text alone; see [`PathFault`] for the rules.
    pub fn new(path: impl Into<String>) -> Result<Self, PathFault> {
        let path = path.into();
        Text::new(path.as_str()).map_err(PathFault::Text)?;
        if path.is_empty() || path.len() > MAX_PATH_BYTES {
            return Err(PathFault::Length { bytes: path.len() });
        }
        if let Some(character) = path.chars().find(|c| matches!(c, '\\' | ':' | '\n' | '\t')) {
            return Err(PathFault::Character { character });
        }
        if path.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        for part in path.split('/') {
            match part {
                "" | "." => return Err(PathFault::EmptyPart),
                ".." => return Err(PathFault::Parent),
                part if part.ends_with(['.', ' ']) => return Err(PathFault::TrailingDot),
                _ => {}
            }
        }
        Ok(Self(path))
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What two paths share that a case-insensitive file system would confuse: upper-cased, then lower-cased.
    #[must_use]
    pub fn folded(&self) -> String {
        fold(&self.0)
    }
}

impl fmt::Display for InputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Why a path names no safe input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// A string that cannot be committed to.
    Text(TextError),
    /// Empty or too long.
    Length {
        /// Its length.
        bytes: usize,
    },
    /// A backslash, colon, line feed or tab.
    Character {
        /// The character.
        character: char,
    },
    /// Starts at the root of the file system.
    Absolute,
    /// A part that is empty or `.`.
    EmptyPart,
    /// A part `..`.
    Parent,
    /// A part that ends in a dot or space, which some systems drop.
    TrailingDot,
    /// A part of the path is a symbolic link.
    Symlink {
        /// The part, from the root.
        part: String,
    },
    /// A folder on the way is no folder, or the file is no regular file.
    WrongType {
        /// The part, from the root.
        part: String,
    },
    /// Nothing there.
    Missing,
    /// Another name that differs by case only.
    CaseClash {
        /// The other name.
        other: String,
    },
    /// One path is a folder of another.
    FileAndFolder {
        /// The other path.
        other: String,
    },
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => error.fmt(f),
            Self::Length { bytes } => write!(f, "the path has {bytes} bytes, outside 1 to {MAX_PATH_BYTES}"),
            Self::Character { character } => {
                write!(f, "the path has `{}` (U+{:04X})", character.escape_debug(), u32::from(*character))
            }
            Self::Absolute => f.write_str("the path is absolute"),
            Self::EmptyPart => f.write_str("a part of the path is empty or `.`"),
            Self::Parent => f.write_str("the path leaves its folder by `..`"),
            Self::TrailingDot => f.write_str("a part of the path ends in a dot or a space"),
            Self::Symlink { part } => write!(f, "`{part}` is a symbolic link"),
            Self::WrongType { part } => write!(f, "`{part}` is not a regular file or folder"),
            Self::Missing => f.write_str("there is no such file"),
            Self::CaseClash { other } => write!(f, "`{other}` differs by case only"),
            Self::FileAndFolder { other } => write!(f, "the path is a folder of `{other}`"),
        }
    }
}

impl PathFault {
    /// What to do, one sentence.
    #[must_use]
    pub fn fix(&self) -> String {
        match self {
            Self::Text(error) => error.fix(),
            Self::Length { .. } => "Move the file nearer to the spec".to_owned(),
            Self::Character { .. } => "Write `/` between the parts and no colon, tab or line end".to_owned(),
            Self::Absolute | Self::Parent => {
                "Put the file beside the spec or below it and name it from there".to_owned()
            }
            Self::EmptyPart => "Write each part once, as in `data/tasks.csv`".to_owned(),
            Self::TrailingDot | Self::CaseClash { .. } => "Rename one file".to_owned(),
            Self::Symlink { .. } => "Replace the link by the file it points to".to_owned(),
            Self::WrongType { .. } => "Name a regular file".to_owned(),
            Self::Missing => "Restore the file under this exact name".to_owned(),
            Self::FileAndFolder { .. } => "Name files, not folders".to_owned(),
        }
    }
}

/// Why an input could not be read.
#[derive(Debug)]
pub enum InputError {
    /// The path is unsafe or names no regular file.
    Path(PathFault),
    /// Larger than the limit (both in bytes).
    TooLarge {
        /// Size of the file, or the first size over the limit if it grew while it was read.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The system refused to read it.
    Io(io::Error),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(fault) => fault.fmt(f),
            Self::TooLarge { bytes, limit } => write!(f, "{bytes} bytes are over the limit of {limit}"),
            Self::Io(error) => write!(f, "cannot read it: {error}"),
        }
    }
}

impl std::error::Error for InputError {}

impl From<PathFault> for InputError {
    fn from(fault: PathFault) -> Self {
        Self::Path(fault)
    }
}

/// An input as it was read: exactly these bytes have this digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its path.
    pub path: InputPath,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its digest.
    pub id: ContentId,
}

impl Input {
    /// What a leaf says of it.
    #[must_use]
    pub fn reference(&self) -> InputRef {
        InputRef { path: self.path.clone(), id: self.id, bytes: u64::try_from(self.bytes.len()).unwrap_or(u64::MAX) }
    }
}

/// Reads an input once under a root folder.
///
/// No part of the path below the root may be a symbolic link, every name must be spelled exactly as the folder lists
/// it, and no other name in that folder may differ from it by case only.
pub fn read_input(root: &Path, path: &InputPath, limit: u64) -> Result<Input, InputError> {
    let file = locate(root, path)?;
    let mut bytes = Vec::new();
    let mut reader = File::open(file).map_err(InputError::Io)?;
    let size = reader.metadata().map_err(InputError::Io)?;
    if !size.is_file() {
        return Err(PathFault::WrongType { part: path.to_string() }.into());
    }
    if size.len() > limit {
        return Err(InputError::TooLarge { bytes: size.len(), limit });
    }
    reader.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(InputError::Io)?;
    let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if read > limit {
        return Err(InputError::TooLarge { bytes: read, limit });
    }
    let id = content_id(&bytes);
    Ok(Input { path: path.clone(), bytes, id })
}

fn locate(root: &Path, path: &InputPath) -> Result<PathBuf, InputError> {
    let mut at = root.to_path_buf();
    let mut parts = path.as_str().split('/').peekable();
    let mut shown = String::new();
    while let Some(part) = parts.next() {
        same_case(&at, part)?;
        at.push(part);
        shown.push_str(if shown.is_empty() { "" } else { "/" });
        shown.push_str(part);
        let kind = match fs::symlink_metadata(&at) {
            Ok(kind) => kind.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(PathFault::Missing.into()),
            Err(error) => return Err(InputError::Io(error)),
        };
        if kind.is_symlink() {
            return Err(PathFault::Symlink { part: shown }.into());
        }
        let wanted = if parts.peek().is_some() { kind.is_dir() } else { kind.is_file() };
        if !wanted {
            return Err(PathFault::WrongType { part: shown }.into());
        }
    }
    Ok(at)
}

/// Checks that the folder lists exactly this name and no other that differs by case only.
fn same_case(parent: &Path, part: &str) -> Result<(), InputError> {
    let folded = fold(part);
    let mut found = false;
    let mut clash: Option<String> = None;
    let entries = match fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(PathFault::Missing.into()),
        Err(error) => return Err(InputError::Io(error)),
    };
    for entry in entries {
        let name = entry.map_err(InputError::Io)?.file_name();
        let Some(name) = name.to_str() else { continue };
        if name == part {
            found = true;
        } else if fold(name) == folded && clash.as_deref().is_none_or(|known| name < known) {
            clash = Some(name.to_owned()); // the smallest, since folders list in no order
        }
    }
    match clash {
        Some(other) => Err(PathFault::CaseClash { other }.into()),
        None if found => Ok(()),
        None => Err(PathFault::Missing.into()),
    }
}

/// Finds inputs whose paths clash on some file system: equal but for case, or one a folder of another.
#[must_use]
pub fn clashes<'a>(paths: impl IntoIterator<Item = &'a InputPath>) -> Vec<(InputPath, PathFault)> {
    let mut found = Vec::new();
    let mut by_fold: BTreeMap<String, &InputPath> = BTreeMap::new();
    let mut sorted: Vec<&InputPath> = paths.into_iter().collect();
    sorted.sort();
    sorted.dedup();
    for path in sorted {
        if let Some(other) = by_fold.insert(path.folded(), path) {
            found.push((path.clone(), PathFault::CaseClash { other: other.to_string() }));
        }
    }
    for (folded, path) in &by_fold {
        for (end, _) in folded.match_indices('/') {
            if let Some(folder) = folded.get(..end).and_then(|head| by_fold.get(head)) {
                found.push(((*folder).clone(), PathFault::FileAndFolder { other: path.to_string() }));
            }
        }
    }
    found
}

/// What a leaf says of an input: `{"bytes":…,"path":…,"sha256":…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRef {
    /// Its path.
    pub path: InputPath,
    /// Its digest.
    pub id: ContentId,
    /// Its size in bytes.
    pub bytes: u64,
}

impl InputRef {
    /// The object that a leaf holds.
    pub fn to_value(&self) -> Result<Value, ValueError> {
        Value::object([
            ("path", Value::text(self.path.as_str())?),
            ("sha256", Value::text(self.id.to_hex())?),
            ("bytes", Value::integer(self.bytes)?),
        ])
    }

    /// Reads an object with exactly these three members.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Result<Self, PathFault>> {
        let Value::Object(members) = value else { return None };
        let (Some(Value::String(path)), Some(Value::String(hex)), Some(Value::Integer(bytes)), 3) =
            (members.get("path"), members.get("sha256"), members.get("bytes"), members.len())
        else {
            return None;
        };
        let (Some(id), Ok(bytes)) = (unhex(hex.as_str()), u64::try_from(bytes.get())) else { return None };
        Some(InputPath::new(path.as_str()).map(|path| Self { path, id: ContentId::from_bytes(id), bytes }))
    }

    /// Collects every input that a value refers to, in the order of its bytes.
    ///
    /// The key `sha256` is reserved: an object that has it and is no input reference is returned as malformed.
    #[must_use]
    pub fn collect(value: &Value) -> Vec<Result<Self, RefFault>> {
        let mut found = Vec::new();
        walk(value, &mut found);
        found
    }
}

/// Why an object with the key `sha256` refers to no input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefFault {
    /// Not exactly `bytes`, `path` and `sha256` of the right types.
    Shape,
    /// An unsafe path.
    Path {
        /// The path.
        path: String,
        /// The rule.
        fault: PathFault,
    },
}

fn walk(value: &Value, found: &mut Vec<Result<InputRef, RefFault>>) {
    match value {
        Value::Object(members) if members.contains_key("sha256") => found.push(match InputRef::from_value(value) {
            Some(Ok(reference)) => Ok(reference),
            Some(Err(fault)) => {
                let path = match members.get("path") {
                    Some(Value::String(path)) => path.to_string(),
                    _ => String::new(),
                };
                Err(RefFault::Path { path, fault })
            }
            None => Err(RefFault::Shape),
        }),
        Value::Object(members) => members.values().for_each(|inner| walk(inner, found)),
        Value::Array(items) => items.iter().for_each(|inner| walk(inner, found)),
        Value::String(_) | Value::Integer(_) | Value::Bool(_) => {}
    }
}
