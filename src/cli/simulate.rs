//! `prespec simulate FILE`

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::output::Output;
use super::{Exit, load};
use crate::report::simulation;
use crate::simulate::{Settings, simulate};

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A spec
    file: PathBuf,
    /// Data sets to draw from each scenario
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    data_sets: u32,
    /// Only these scenarios
    #[arg(long, value_name = "NAME")]
    scenario: Vec<String>,
    /// Search for the smallest effect that each hypothesis detects
    #[arg(long)]
    detectable: bool,
    /// human or json
    #[arg(long, default_value = "human", value_parser = ["human", "json"])]
    format: String,
}

/// Draws data from each scenario and prints what the rules say of them.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    let study = match load::study(&arguments.file, output) {
        Ok(study) => study,
        Err(exit) => return exit,
    };
    if study.spec.scenarios.is_empty() {
        output.problem(
            &format!("{} declares no scenario", arguments.file.display()),
            "without an assumed truth there is nothing to draw data from",
            "add one that assumes no effect and one with the effect of interest, as in `scenario flat null \"…\" { … }`",
        );
        return Exit::Usage;
    }
    let names: Vec<String> = if arguments.scenario.is_empty() {
        study.spec.scenarios.keys().cloned().collect()
    } else {
        arguments.scenario.clone()
    };
    let settings = Settings {
        data_sets: arguments.data_sets,
        workers: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        detectable: arguments.detectable,
    };
    let mut results = Vec::new();
    for name in names {
        let done = AtomicU32::new(0);
        let shown = output.colour();
        let progress = |count: u32| {
            let before = done.fetch_add(count, Ordering::Relaxed);
            let step = (arguments.data_sets / 20).max(1);
            if shown && before / step != (before + count) / step {
                progress_line(&name, before + count);
            }
        };
        match simulate(&study.spec, &study.read.tasks, &name, settings, &progress) {
            Ok(result) => results.push(result),
            Err(error) => {
                output.problem(
                    &error.to_string(),
                    "a rule that cannot be tried on drawn data cannot be trusted with real ones",
                    "correct the scenario, or the part of the study that is named",
                );
                return Exit::Failed;
            }
        }
    }
    match arguments.format.as_str() {
        "json" => output.print(&simulation::json(&study.spec, &results)),
        _ => output.print(&simulation::terminal(&study.spec, &results)),
    }
    let missed = results.iter().flat_map(|result| &result.expectations).any(|expectation| expectation.missed);
    if missed { Exit::Failed } else { Exit::Done }
}

/// One line on a terminal that the next one overwrites.
fn progress_line(scenario: &str, done: u32) {
    use std::io::Write as _;
    // A terminal that cannot be written to loses nothing but this line.
    let _ = write!(std::io::stderr(), "\r\x1b[K{scenario}: {done} data sets");
    let _ = std::io::stderr().flush();
}
