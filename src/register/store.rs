//! The folder of a study's freezes: finding the ones that exist and adding one.
//!
//! Owns writing. Must never overwrite, follow a symbolic link or change a file that is there.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::canon::read::MAX_BYTES;

use super::file::{Frozen, SUFFIX, read_frozen};
use super::finding::Finding;

#[cfg(test)]
mod tests;

/// The most entries that a study's folder may have.
pub const MAX_ENTRIES: usize = 20_000;

/// Why a freeze was not stored or a folder not read.
#[derive(Debug)]
pub enum StoreError {
    /// The same meaning is frozen already.
    AlreadyFrozen {
        /// The file it is frozen as.
        path: PathBuf,
    },
    /// The study has a first freeze already, with another meaning.
    StudyTaken {
        /// The newest freeze.
        path: PathBuf,
    },
    /// Something of this name is there.
    Exists {
        /// What.
        path: PathBuf,
    },
    /// A symbolic link, a device or another thing that is no plain file or folder.
    WrongType {
        /// What.
        path: PathBuf,
    },
    /// Too many entries to look through.
    TooMany {
        /// The folder.
        path: PathBuf,
    },
    /// A file in the folder that is no valid freeze.
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        findings: Vec<Finding>,
    },
    /// The system refused.
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyFrozen { path } => {
                write!(f, "already frozen as {}; nothing was written, since the meaning did not change", path.display())
            }
            Self::StudyTaken { path } => write!(
                f,
                "the study is frozen as {}; a changed plan is an amendment to it, not a second first freeze",
                path.display()
            ),
            Self::Exists { path } => write!(f, "{} exists; a frozen file is never overwritten", path.display()),
            Self::WrongType { path } => {
                write!(f, "{} is a symbolic link or no plain file or folder; replace it", path.display())
            }
            Self::TooMany { path } => {
                write!(f, "{} has more than {MAX_ENTRIES} entries; keep other files elsewhere", path.display())
            }
            Self::Invalid { path, findings } => {
                write!(f, "{} is no valid frozen file; restore it before freezing again", path.display())?;
                findings.iter().try_for_each(|finding| write!(f, "\n{finding}"))
            }
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for StoreError {}

/// Reads a plain file of at most `limit` bytes; a longer one gives its first `limit + 1` bytes, so that the reader's
/// own limit refuses it.
pub fn read_plain(path: &Path, limit: usize) -> Result<Vec<u8>, StoreError> {
    let at = |error| StoreError::Io { path: path.to_path_buf(), error };
    if !fs::symlink_metadata(path).map_err(at)?.file_type().is_file() {
        return Err(StoreError::WrongType { path: path.to_path_buf() });
    }
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path).map_err(at)?.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(at)?;
    Ok(bytes)
}

/// Every freeze of a study, checked, in the order of its names; none if the folder is not there.
pub fn existing(folder: &Path) -> Result<Vec<(PathBuf, Frozen)>, StoreError> {
    names(folder)?
        .into_iter()
        .map(|name| {
            let path = folder.join(&name);
            let bytes = read_plain(&path, MAX_BYTES)?;
            match read_frozen(&bytes, &name) {
                Ok(frozen) => Ok((path, frozen)),
                Err(findings) => Err(StoreError::Invalid { path, findings }),
            }
        })
        .collect()
}

/// The names of the frozen files in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let at = |error| StoreError::Io { path: folder.to_path_buf(), error };
    match fs::symlink_metadata(folder) {
        Ok(kind) if kind.file_type().is_dir() => {}
        Ok(_) => return Err(StoreError::WrongType { path: folder.to_path_buf() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(error)),
    }
    let mut names = Vec::new();
    for (count, entry) in fs::read_dir(folder).map_err(at)?.enumerate() {
        if count >= MAX_ENTRIES {
            return Err(StoreError::TooMany { path: folder.to_path_buf() });
        }
        if let Ok(name) = entry.map_err(at)?.file_name().into_string()
            && name.ends_with(SUFFIX)
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Adds a freeze to the folder of its study and returns its path.
///
/// Refuses a meaning that is frozen there already and a second first freeze. The file appears whole or not at all, and
/// never in place of another.
pub fn store(folder: &Path, frozen: &Frozen) -> Result<PathBuf, StoreError> {
    let known = existing(folder)?;
    let digest = frozen.spec_digest();
    if let Some((path, _)) = known.iter().find(|(_, other)| other.spec_digest() == digest) {
        return Err(StoreError::AlreadyFrozen { path: path.clone() });
    }
    if let Some((path, newest)) = known.last()
        && newest.file().seq >= frozen.file().seq
    {
        return Err(StoreError::StudyTaken { path: path.clone() });
    }
    fs::create_dir_all(folder).map_err(|error| StoreError::Io { path: folder.to_path_buf(), error })?;
    let path = folder.join(frozen.name());
    write_new(&path, frozen.bytes())?;
    Ok(path)
}

/// Writes beside the place and moves the whole file there, refusing to replace anything.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let beside = path.with_extension("json.new");
    if fs::symlink_metadata(path).is_ok() {
        return Err(StoreError::Exists { path: path.to_path_buf() });
    }
    let written = write_beside(&beside, bytes).and_then(|()| place(&beside, path).map_err(|error| taken(path, error)));
    // The file beside is ours only if it was created here; another one stays for its owner to look at.
    if !matches!(&written, Err(StoreError::Exists { path }) if *path == beside) {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_beside(beside: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let at = |error| taken(beside, error);
    let mut file = OpenOptions::new().write(true).create_new(true).open(beside).map_err(at)?;
    file.write_all(bytes).map_err(at)?;
    file.sync_all().map_err(at)
}

fn taken(path: &Path, error: io::Error) -> StoreError {
    let path = path.to_path_buf();
    if error.kind() == io::ErrorKind::AlreadyExists {
        StoreError::Exists { path }
    } else {
        StoreError::Io { path, error }
    }
}

/// A hard link fails if the name is taken, unlike a rename. Where links are not available the name is claimed first.
fn place(beside: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(beside, path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => claim(beside, path),
        linked => linked,
    }
}

fn claim(beside: &Path, path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?;
    // From here on the name is ours: the rename replaces our own empty file.
    fs::rename(beside, path).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}
