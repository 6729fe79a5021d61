//! The list of looks: every judgment of results before all planned units were in is a line, chained to the one before, beside
//! the frozen file.
//!
//! An edge: appends to one file. A chain shows edits and not a removed tail; what pins the tail is the repository's history.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::file::UtcTime;
use super::store::{StoreError, read_plain};
use crate::canon::digest::content_id;
use crate::canon::read::{MAX_BYTES, decode};
use crate::canon::value::{Value, ValueError};
use crate::canon::write::encode;

/// The file's name, in the folder of the frozen file.
pub const NAME: &str = "LOOKS.jsonl";

/// One look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// `sha256:…` of the frozen file.
    pub freeze_id: String,
    /// `sha256:…` over the records that were looked at.
    pub records_digest: String,
    /// Planned records, and those that had come.
    pub planned: u64,
    /// Records that had come.
    pub present: u64,
    /// When, by the clock of whoever looked.
    pub claimed_time: UtcTime,
}

/// Why a look could not be recorded.
#[derive(Debug)]
pub enum LookError {
    /// The file could not be read or written.
    Store(StoreError),
    /// The file does not end in a line of this format.
    Broken {
        /// The file.
        path: PathBuf,
    },
    /// A value that cannot be committed to.
    Value(ValueError),
}

impl std::fmt::Display for LookError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store(error) => write!(f, "{error}"),
            Self::Broken { path } => write!(f, "{}: the last line is not a look", path.display()),
            Self::Value(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for LookError {}

/// Appends a look to the list in a folder and returns how many there are now. The line is written whole or not at all.
pub fn append(folder: &Path, look: &Look) -> Result<usize, LookError> {
    let path = folder.join(NAME);
    let at = |error| LookError::Store(StoreError::Io { path: path.clone(), error });
    let known = match fs::symlink_metadata(&path) {
        Ok(_) => read_plain(&path, MAX_BYTES).map_err(LookError::Store)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(at(error)),
    };
    let broken = || LookError::Broken { path: path.clone() };
    let lines: Vec<&[u8]> = known.split_inclusive(|byte| *byte == b'\n').collect();
    let mut members = vec![
        ("event", Value::text("look").map_err(LookError::Value)?),
        ("freeze_id", Value::text(look.freeze_id.as_str()).map_err(LookError::Value)?),
        ("records_digest", Value::text(look.records_digest.as_str()).map_err(LookError::Value)?),
        ("planned", Value::integer(look.planned).map_err(LookError::Value)?),
        ("present", Value::integer(look.present).map_err(LookError::Value)?),
        ("claimed_time", Value::text(look.claimed_time.to_string()).map_err(LookError::Value)?),
    ];
    if let Some(last) = lines.last() {
        let text = last.strip_suffix(b"\n").ok_or_else(broken)?;
        decode(text).map_err(|_| broken())?;
        members.push(("prev", Value::text(content_id(last).to_string()).map_err(LookError::Value)?));
    }
    let mut line = encode(&Value::object(members).map_err(LookError::Value)?);
    line.push(b'\n');
    let mut file: File = OpenOptions::new().append(true).create(true).open(&path).map_err(at)?;
    file.write_all(&line).and_then(|()| file.sync_all()).map_err(at)?;
    Ok(lines.len() + 1)
}
