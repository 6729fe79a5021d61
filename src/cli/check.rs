//! `prespec check FILE..`

use std::path::PathBuf;

use super::output::Output;
use super::{Exit, load};
use crate::diagnostic::Severity;
use crate::render;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Specs
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// human, json or sarif
    #[arg(long, default_value = "human", value_parser = ["human", "json", "sarif"])]
    format: String,
}

/// Reports what is wrong with each spec.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    let mut exit = Exit::Done;
    for file in &arguments.files {
        let read = match load::read(file, output) {
            Ok(read) => read,
            Err(failed) => {
                exit = exit.and(failed);
                continue;
            }
        };
        let count = |severity| read.diagnostics.iter().filter(|it| it.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        match arguments.format.as_str() {
            "json" => output.print(&render::json(&read.diagnostics, &read.sources)),
            "sarif" => output.print(&render::sarif(&read.diagnostics, &read.sources)),
            _ => {
                if !read.diagnostics.is_empty() {
                    output.error(&render::human(&read.diagnostics, &read.sources, output.style()));
                }
                output.line(&format!("{}: {}", file.display(), summary(errors, warnings)));
            }
        }
        if errors > 0 {
            exit = exit.and(Exit::Failed);
        }
    }
    exit
}

fn summary(errors: usize, warnings: usize) -> String {
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    match (errors, warnings) {
        (0, 0) => "every rule is total and disjoint, nothing to report".to_owned(),
        (0, _) => format!("no errors, {}", counted(warnings, "warning")),
        _ => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    }
}
