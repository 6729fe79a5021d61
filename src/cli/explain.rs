//! `prespec explain CODE`

use super::Exit;
use super::output::Output;
use crate::diagnostic::{CODES, Code};

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A code such as E0401; `all` lists every code
    code: String,
}

/// Prints the page of a code.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    if arguments.code == "all" {
        for entry in CODES {
            output.line(&format!("{}  {}", entry.number, entry.title));
        }
        return Exit::Done;
    }
    let found = Code::from_number(&arguments.code).and_then(|code| CODES.iter().find(|entry| entry.code == code));
    let Some(entry) = found else {
        output.problem(
            &format!("there is no code `{}`", arguments.code),
            "codes look like E0401 and stand in brackets before every message",
            "`prespec explain all` lists them",
        );
        return Exit::Usage;
    };
    output.print(entry.page);
    Exit::Done
}
