//! `prespec digest FILE`

use std::path::PathBuf;

use super::output::Output;
use super::{Exit, load};

/// Arguments of `digest`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The spec
    file: PathBuf,
}

/// Prints the digest of a spec's meaning, one line.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    match load::study(&arguments.file, output) {
        Ok(study) => {
            output.line(&study.leaves.spec_digest(crate::canon::study::LANG).to_string());
            Exit::Done
        }
        Err(exit) => exit,
    }
}
