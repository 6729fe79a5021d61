//! `prespec new DIR`

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::Exit;
use super::output::Output;

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to make; it must not exist or be empty
    folder: PathBuf,
}

/// The starter: the example study with its made-up results, so that every verb can be tried at once.
const FILES: [(&str, &str); 4] = [
    ("study.prespec", include_str!("../../examples/first_study/first_study.prespec")),
    ("data/tasks.csv", include_str!("../../examples/first_study/data/tasks.csv")),
    ("results/results.csv", include_str!("../../examples/first_study/results/results.csv")),
    (".gitattributes", "preregistrations/** -text\nruns/** -text\nresults/** -text\n"),
];

/// Writes the starter study.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    let folder = &arguments.folder;
    match fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                output.problem(
                    &format!("{}: the folder is not empty", folder.display()),
                    "a new study never overwrites a file",
                    "name a folder that does not exist yet",
                );
                return Exit::Usage;
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return cannot_write(folder, &error, output),
    }
    for (name, text) in FILES {
        if let Err(error) = write(&folder.join(name), text) {
            return cannot_write(&folder.join(name), &error, output);
        }
    }
    let shown = folder.display();
    output.print(&format!(
        "Wrote a study with made-up results to {shown}. Try, in this order:\n\
         \n  cd {shown}\n  prespec check study.prespec\n  prespec freeze study.prespec\n  \
         prespec judge preregistrations/first_study/*.freeze.json --results results --report report.html\n"
    ));
    Exit::Done
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

fn cannot_write(path: &Path, error: &std::io::Error, output: &mut Output) -> Exit {
    output.problem(
        &format!("{}: {error}", path.display()),
        "the starter study needs a folder that can be written",
        "choose another folder, or change its permissions",
    );
    Exit::Usage
}
