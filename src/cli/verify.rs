//! `prespec verify FROZEN..`

use std::path::{Path, PathBuf};

use super::Exit;
use super::output::Output;
use crate::verify::frozen::verify_frozen;
use crate::verify::study::study;
use crate::verify::{Verdict, Verification};

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Frozen files
    #[arg(required = true)]
    frozen: Vec<PathBuf>,
    /// The folder of the spec, in which its inputs stand [default: found from the frozen file]
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,
    /// human or json
    #[arg(long, default_value = "human", value_parser = ["human", "json"])]
    format: String,
}

/// Verifies each file and reports everything that was found.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    let mut exit = Exit::Done;
    let mut documents = Vec::new();
    for path in &arguments.frozen {
        let root = inputs_root(path, arguments.inputs.as_deref());
        match verify_frozen(path, &root, study) {
            Ok(verification) => {
                exit = exit.and(match verification.verdict {
                    Verdict::Verified => Exit::Done,
                    Verdict::Failed => Exit::Failed,
                    Verdict::Inconclusive => Exit::Unchecked,
                });
                if arguments.format == "json" {
                    documents.push(document(path, &verification));
                } else {
                    show(path, &verification, output);
                }
            }
            Err(error) => {
                output.problem(
                    &error.to_string(),
                    "a file that cannot be read cannot be checked",
                    "name a frozen file, such as preregistrations/<study>/0000-….freeze.json",
                );
                exit = exit.and(Exit::Usage);
            }
        }
    }
    if arguments.format == "json" {
        let document = serde_json::json!({ "schema": "prespec-verify/1", "files": documents });
        output.line(&format!("{document:#}"));
    }
    exit
}

/// Where the inputs stand: as given, else where the spec named in the file is found, from the folder above the
/// preregistrations upwards.
pub fn inputs_root(path: &Path, given: Option<&Path>) -> PathBuf {
    if let Some(given) = given {
        return given.to_path_buf();
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let main = crate::register::store::read_plain(path, crate::canon::read::MAX_BYTES)
        .ok()
        .and_then(|bytes| crate::register::file::read_frozen(&bytes, &name).ok())
        .and_then(|frozen| frozen.file().sources.first().map(|source| source.path.as_str().to_owned()));
    let mut above = whole.ancestors().skip(1);
    if let Some(main) = main {
        for folder in above.by_ref() {
            let candidate = folder.join(&main);
            if candidate.is_file() {
                return candidate.parent().map_or_else(|| folder.to_path_buf(), Path::to_path_buf);
            }
        }
    }
    whole.ancestors().nth(3).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn show(path: &Path, verification: &Verification, output: &mut Output) {
    output.line(&format!("{}: {}", path.display(), verification.verdict.word()));
    output.line(&format!("  freeze_id    {}", verification.freeze_id));
    if let Some(digest) = &verification.spec_digest {
        output.line(&format!("  spec_digest  {digest}"));
    }
    if let Some(study) = &verification.study {
        output.line(&format!("  study        {study}"));
    }
    if let Some(level) = verification.level {
        output.line(&format!("  level        {}", level.name()));
    }
    for finding in &verification.findings {
        output.line(&finding.to_string());
    }
    for sentence in verification.sentences() {
        output.line(&format!("  {sentence}"));
    }
}

fn document(path: &Path, verification: &Verification) -> serde_json::Value {
    let findings: Vec<_> = verification
        .findings
        .iter()
        .map(|finding| {
            serde_json::json!({
                "code": finding.code.to_string(), "severity": finding.severity.word(), "path": finding.path,
                "message": finding.message, "why": finding.why, "fix": finding.fix,
            })
        })
        .collect();
    serde_json::json!({
        "file": path.display().to_string(),
        "verdict": verification.verdict.word(),
        "level": verification.level.map(crate::verify::Level::name),
        "freeze_id": verification.freeze_id.to_string(),
        "study": verification.study,
        "spec_digest": verification.spec_digest.map(|digest| digest.to_string()),
        "findings": findings,
        "sentences": verification.sentences(),
    })
}
