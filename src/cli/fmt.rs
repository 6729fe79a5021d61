//! `prespec fmt [--check] FILE..`

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Exit;
use super::output::Output;
use crate::render;
use crate::source::{SourceFile, Sources};
use crate::syntax::format::format;

/// Arguments of `fmt`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Specs
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only say which files are laid out otherwise; exit code 1 when there are any
    #[arg(long)]
    check: bool,
}

/// Formats each file in place, or says which are not formatted.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    arguments.files.iter().fold(Exit::Done, |exit, file| exit.and(one(file, arguments.check, output)))
}

fn one(file: &Path, check: bool, output: &mut Output) -> Exit {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            output.problem(
                &format!("{}: {error}", file.display()),
                "only a text file in UTF-8 can be formatted",
                "name a .prespec file",
            );
            return Exit::Usage;
        }
    };
    let formatted = match format(&text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            let mut sources = Sources::default();
            sources.add(SourceFile::new(file.display().to_string(), text));
            output.error(&render::human(&diagnostics, &sources, output.style()));
            return Exit::Failed;
        }
    };
    if formatted == text {
        return Exit::Done;
    }
    if check {
        output.line(&format!("{}: would be formatted otherwise", file.display()));
        return Exit::Failed;
    }
    match replace(file, &formatted) {
        Ok(()) => Exit::Done,
        Err(error) => {
            output.problem(
                &format!("{}: {error}", file.display()),
                "the file was left as it was",
                "make the folder writable, and format again",
            );
            Exit::Usage
        }
    }
}

/// Writes beside the file and renames, so that no failure leaves half a file.
pub fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let written = fs::OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut out| {
        out.write_all(text.as_bytes())?;
        out.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, file)).inspect_err(|error| {
        if error.kind() != std::io::ErrorKind::AlreadyExists {
            let _ = fs::remove_file(&beside);
        }
    })
}
