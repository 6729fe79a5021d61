//! Which files a block of results means: patterns against the places given. Touches directories, reads no file.

use std::collections::BTreeSet;
use std::path::{Path as FilePath, PathBuf};

use super::error::{Findings, RecordError, RecordErrorKind};
use super::slots::Slots;
use crate::table::path::{Bound, Path, Template};
use crate::table::shown;

/// The most files of one block.
const MAX_FILES: usize = 100_000;
/// In how many ways a name may fit a pattern.
pub(super) const MOST_FITS: usize = 64;

/// A file of a block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Located {
    /// The name for people and for the list of files, with `/`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What its name says.
    pub bound: Bound,
}

/// Finds the files of a block, sorted by name. `only` says that the study has no other block, so that a file given by
/// name serves it whatever it is called.
pub(super) fn locate(
    block: &str,
    pattern: &str,
    slots: &Slots,
    roots: &[PathBuf],
    only: bool,
    findings: &mut Findings,
) -> Vec<Located> {
    let place = format!("results block `{block}`");
    let parts = match Path::parse_file(pattern) {
        Ok(path) if !path.keys.iter().any(leaves) => path.keys,
        Ok(_) => {
            let what = format!("the file `{}` steps out of its folder", shown(pattern));
            findings.add(RecordError::new(
                RecordErrorKind::BadPattern,
                place,
                what,
                "name a file below the folder given",
            ));
            return Vec::new();
        }
        Err(error) => {
            let help = "write a relative path with `/` and `{placeholders}`";
            findings.add(RecordError::new(RecordErrorKind::BadPattern, place, error.to_string(), help));
            return Vec::new();
        }
    };
    let mut found = BTreeSet::new();
    for root in roots {
        if root.is_dir() {
            let mut walk = Walk { slots, findings, found: Vec::new() };
            walk.step(root, "", &parts, &Bound::new());
            found.extend(walk.found);
        } else if let (Some(last), Some(name)) = (parts.last(), root.file_name().map(|name| name.to_string_lossy())) {
            let literal = parts.iter().all(|part| part.slots().next().is_none());
            let mut fits = known_fits(last, &name, &Bound::new(), slots);
            if fits.is_empty() && only && literal {
                fits.push(Bound::new());
            }
            match fits.as_slice() {
                [bound] => {
                    found.insert(Located { name: name.into_owned(), path: root.clone(), bound: bound.clone() });
                }
                [] => {}
                // Which levels the name stands for must not depend on the order in which they were tried.
                [_, ..] => findings.add(ambiguous(last, name.as_ref())),
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut files: Vec<Located> = found.into_iter().collect();
    files.retain(|file| seen.insert(std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone())));
    if files.is_empty() && findings.is_empty() {
        let given: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        findings.add(RecordError::new(
            RecordErrorKind::NoFile,
            place,
            format!("no file fits `{}` in {}", shown(pattern), given.join(", ")),
            "give the folder that the pattern is relative to, or the file itself",
        ));
    }
    files
}

/// Whether a part of a pattern is no name inside its folder; an escaped separator is none either.
fn leaves(part: &Template) -> bool {
    let text = part.to_string();
    matches!(text.as_str(), "." | "..") || text.contains(['/', '\\', ':', '\0'])
}

/// The ways in which a name fits that stand for known levels.
pub(super) fn known_fits(template: &Template, name: &str, bound: &Bound, slots: &Slots) -> Vec<Bound> {
    let mut fits = template.fits(name, bound, MOST_FITS);
    fits.retain(|fit| slots.unknown(fit).is_none());
    fits
}

fn ambiguous(part: &Template, name: &str) -> RecordError {
    RecordError::new(
        RecordErrorKind::BadPattern,
        name,
        format!("the file's name fits `{part}` in more than one way"),
        "separate the placeholders by something that no level contains",
    )
}

struct Walk<'a> {
    slots: &'a Slots,
    findings: &'a mut Findings,
    found: Vec<Located>,
}

impl Walk<'_> {
    fn step(&mut self, folder: &FilePath, prefix: &str, parts: &[Template], bound: &Bound) {
        let Some((part, rest)) = parts.split_first() else { return };
        if let Some(name) = part.fill(bound) {
            self.take(&folder.join(&name), prefix, &name, rest, bound.clone());
            return;
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.findings.add(RecordError::new(
                    RecordErrorKind::NoFile,
                    folder.display().to_string(),
                    format!("the folder cannot be read: {error}"),
                    "check that it is there and may be read",
                ));
                return;
            }
        };
        let names: BTreeSet<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        for name in names {
            let path = folder.join(&name);
            if rest.is_empty() == path.is_dir() {
                continue;
            }
            let all = part.fits(&name, bound, MOST_FITS);
            let mut known = all.clone();
            known.retain(|fit| self.slots.unknown(fit).is_none());
            match known.as_slice() {
                [] => {
                    if let Some((slot, value, help)) = all.first().and_then(|fit| self.slots.unknown(fit)) {
                        self.findings.add(RecordError::new(
                            RecordErrorKind::ExtraFile,
                            format!("{prefix}{name}"),
                            format!("the file fits `{part}` and `{}` is no planned {slot}", shown(&value)),
                            help,
                        ));
                    }
                }
                [fit] => self.take(&path, prefix, &name, rest, fit.clone()),
                _ => self.findings.add(ambiguous(part, &format!("{prefix}{name}"))),
            }
        }
    }

    fn take(&mut self, path: &FilePath, prefix: &str, name: &str, rest: &[Template], bound: Bound) {
        if !rest.is_empty() {
            self.step(path, &format!("{prefix}{name}/"), rest, &bound);
        } else if self.found.len() >= MAX_FILES {
            let what = format!("more than {MAX_FILES} files fit the pattern");
            self.findings.add(RecordError::new(
                RecordErrorKind::TooLarge,
                prefix,
                what,
                "put several records into one file",
            ));
        } else if path.is_file() {
            self.found.push(Located { name: format!("{prefix}{name}"), path: path.to_owned(), bound });
        }
    }
}
