//! The command line: one file per verb, each with its arguments and one function. Owns the edges: arguments, files, the
//! clock, standard output and exit codes. Decides nothing.

mod check;
mod digest;
mod exit;
mod explain;
mod fmt;
mod freeze;
mod judge;
mod load;
mod new;
mod output;
mod simulate;
mod verify;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub use exit::Exit;
use output::Output;

/// A compiler for experiments with language models: prove the rules, freeze the plan, judge the results.
#[derive(Debug, Parser)]
#[command(name = "prespec", version, disable_help_subcommand = true, after_help = exit::TABLE)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a small working study into a new folder
    New(new::Arguments),
    /// Say what is wrong with a spec before anything runs
    Check(check::Arguments),
    /// Explain a code, with a bad and a good example
    Explain(explain::Arguments),
    /// Lay out specs in the one format
    Fmt(fmt::Arguments),
    /// Print the digest of a spec's meaning
    Digest(digest::Arguments),
    /// Say what the rules would say of data drawn from each scenario
    Simulate(simulate::Arguments),
    /// Freeze a spec as a preregistration
    Freeze(freeze::Arguments),
    /// Check frozen files and their inputs
    Verify(verify::Arguments),
    /// Judge results against a frozen spec
    Judge(judge::Arguments),
}

/// Runs one command line, first word the program's name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let mut output = Output::standard();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let shown = error.render().to_string();
            if error.use_stderr() {
                output.error(&shown);
                return Exit::Usage;
            }
            output.print(&shown);
            return output.finish(Exit::Done);
        }
    };
    let exit = match arguments.verb {
        Verb::New(arguments) => new::run(&arguments, &mut output),
        Verb::Check(arguments) => check::run(&arguments, &mut output),
        Verb::Explain(arguments) => explain::run(&arguments, &mut output),
        Verb::Fmt(arguments) => fmt::run(&arguments, &mut output),
        Verb::Digest(arguments) => digest::run(&arguments, &mut output),
        Verb::Simulate(arguments) => simulate::run(&arguments, &mut output),
        Verb::Freeze(arguments) => freeze::run(&arguments, &mut output),
        Verb::Verify(arguments) => verify::run(&arguments, &mut output),
        Verb::Judge(arguments) => judge::run(&arguments, &mut output),
    };
    output.finish(exit)
}
