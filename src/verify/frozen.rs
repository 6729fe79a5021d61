//! Level A0 of one frozen file: its bytes and digests, the chain behind it, and its inputs.
//!
//! An edge: reads files, each once. Must not read git, keys or the network; those are later levels.

use std::collections::BTreeMap;
use std::path::Path;

use crate::canon::digest::freeze_id;
use crate::canon::read::MAX_BYTES;
use crate::register::file::{Frozen, file_name, read_frozen};
use crate::register::finding::{Finding, FindingCode};
use crate::register::inputs::{InputError, InputRef, MAX_INPUT_BYTES, read_input};
use crate::register::store::{StoreError, read_plain};

use super::{Level, Verification};

#[cfg(test)]
mod tests;

/// Verifies a frozen file, its chain in the same folder, and its inputs under `inputs_root`.
///
/// `decode` looks at the meaning of the leaves of a file that passed every check here, and adds its own findings.
/// Fails only if the file itself cannot be read.
pub fn verify_frozen(
    path: &Path,
    inputs_root: &Path,
    decode: impl FnOnce(&Frozen) -> Vec<Finding>,
) -> Result<Verification, StoreError> {
    let bytes = read_plain(path, MAX_BYTES)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let frozen = match read_frozen(&bytes, &name) {
        Ok(frozen) => frozen,
        Err(findings) => return Ok(Verification::new(freeze_id(&bytes), None, Level::A0, findings)),
    };
    let mut found = check_inputs(&frozen, inputs_root);
    found.extend(check_chain(&frozen, path.parent().unwrap_or(Path::new("."))));
    found.extend(decode(&frozen));
    let about = Some((frozen.file().study.clone(), frozen.spec_digest()));
    Ok(Verification::new(frozen.id(), about, Level::A0, found))
}

/// PR111, PR112 and PR113: every input that an open leaf names, read once and compared with its size and digest.
#[must_use]
pub fn check_inputs(frozen: &Frozen, root: &Path) -> Vec<Finding> {
    let references = frozen.file().open.values().flat_map(InputRef::collect).flatten();
    // One path has one content in a file that was read, so each is read once.
    let unique: BTreeMap<String, InputRef> =
        references.map(|reference| (reference.path.to_string(), reference)).collect();
    unique.values().filter_map(|reference| check_input(reference, root)).collect()
}

fn check_input(reference: &InputRef, root: &Path) -> Option<Finding> {
    let path = reference.path.to_string();
    let changed = |message: String| {
        Finding::error(
            FindingCode::InputChanged,
            path.as_str(),
            message,
            "Results made with other inputs do not test the frozen plan",
            "Restore the file that was frozen; a changed input is a new freeze",
        )
    };
    match read_input(root, &reference.path, MAX_INPUT_BYTES) {
        Ok(input) if input.id == reference.id && input.reference().bytes == reference.bytes => None,
        Ok(input) => Some(changed(format!(
            "expected {} bytes with {}, found {} bytes with {}",
            reference.bytes,
            reference.id,
            input.bytes.len(),
            input.id
        ))),
        Err(InputError::Path(fault)) => {
            let (message, fix) = (fault.to_string(), fault.fix());
            let why = "An input must be the same file for everyone who checks";
            Some(Finding::error(FindingCode::InputPath, path, message, why, fix))
        }
        Err(error @ InputError::TooLarge { .. }) => Some(Finding::error(
            FindingCode::OverLimit,
            path,
            error.to_string(),
            "A reader must be able to refuse a hostile file in bounded time and memory",
            "Split the file",
        )),
        Err(error @ InputError::Io(_)) => {
            let why = "An input that cannot be read cannot be compared";
            let finding =
                Finding::error(FindingCode::InputChanged, path, error.to_string(), why, "Make the file readable");
            Some(finding.inconclusive())
        }
    }
}

/// PR601: the freezes before this one in the same folder, each linked by its whole id, back to the first.
#[must_use]
pub fn check_chain(frozen: &Frozen, folder: &Path) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut later = frozen.clone();
    // Bounded: the number falls by one each time round.
    while let (Some(seq), Some(prev)) = (later.file().seq.checked_sub(1), later.file().prev) {
        let broken = |message: String| {
            Finding::error(
                FindingCode::ChainBroken,
                later.name(),
                message,
                "An amendment is judged against the freeze before it",
                "Restore the earlier freeze as it was",
            )
        };
        let name = file_name(seq, &prev);
        let bytes = match read_plain(&folder.join(&name), MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("the freeze before it, `{name}`, could not be checked: {error}");
                found.push(broken(message).inconclusive());
                break;
            }
        };
        let earlier = match read_frozen(&bytes, &name) {
            Ok(earlier) => earlier,
            Err(findings) => {
                found.push(broken(format!("the freeze before it, `{name}`, is not valid")));
                found.extend(findings);
                break;
            }
        };
        found.extend(link_faults(&later, &earlier).into_iter().map(broken));
        later = earlier;
    }
    found
}

/// What is wrong between a freeze and the one before it.
#[must_use]
pub fn link_faults(later: &Frozen, earlier: &Frozen) -> Vec<String> {
    let mut faults = Vec::new();
    let (after, before) = (later.file(), earlier.file());
    if after.prev != Some(earlier.id()) {
        faults.push(format!("`prev` is not the id of the freeze before it, {}", earlier.id()));
    }
    if after.seq.checked_sub(1) != Some(before.seq) {
        faults.push(format!("number {} does not follow number {}", after.seq, before.seq));
    }
    if after.study != before.study {
        faults.push(format!("the study changed from `{}` to `{}`", before.study, after.study));
    }
    if after.changes.as_deref() != Some(after.changes_from(&before.manifest).as_slice()) {
        faults.push("`changes` does not list exactly the leaves that differ from the freeze before it".to_owned());
    }
    if after.runlog.count() < before.runlog.count() {
        faults.push("the run log is shorter than in the freeze before it".to_owned());
    }
    if after.access.level < before.access.level {
        faults.push("the stated access is below that of the freeze before it".to_owned());
    }
    faults
}
