//! One million records in 100 cells with 2,000 resamples, beside a half and a quarter of them: `cargo bench --bench large`. Prints
//! time for each record and the peak of memory over what the parsed records take; both should hardly move with the size.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark that cannot run must stop")]
#![expect(clippy::disallowed_methods, reason = "it reads the clock, and hands its sizes to processes of its own")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its result is what it prints")]
#![expect(clippy::cast_precision_loss, reason = "sizes of a few million")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use prespec::check::analyse;
use prespec::decide::{Options, judge};
use prespec::plan::tasks::read_tasks;
use prespec::records;

const ARMS: usize = 10;

fn study(tasks: usize) -> String {
    let levels = |letter: char| (0..ARMS).map(|at| format!("{letter}{at}")).collect::<Vec<_>>().join(" | ");
    let mut text = "language 1\nstudy large { title \"A large study\" }\n".to_owned();
    writeln!(text, "factor arm = {}\nfactor version = {}", levels('a'), levels('v')).unwrap();
    writeln!(text, "tasks item {{ count {tasks} }}\ndesign {{ cross arm, version, item; repeat 1 }}").unwrap();
    text += "outcome correct: bool\noutcome cost: usd\n";
    text += "analysis_set planned { count errored, missing as incorrect, cost as 0 usd }\n";
    text += "estimand accuracy per arm, version = mean(correct)\n";
    text += "estimand price per arm, version = sum(cost) / count(correct)\n";
    text += "interval ci = bootstrap(percentile, resample: item, resamples: 2000, level: 95 %, seed: 7)\n";
    text += "hypothesis H1 exploratory \"Shown\" { descriptive; about accuracy with ci; about price with ci }\n";
    text +=
        "results runs { file \"runs.csv\"; unit item at \"item\"; level arm at \"arm\"; level version at \"version\"\n";
    text += "  correct = \"correct\"; cost = \"cost\" }\n";
    text
}

/// Made-up records; which are correct and what they cost follows from a small generator of remainders.
fn runs(tasks: usize) -> String {
    let mut text = String::with_capacity(tasks * ARMS * ARMS * 24);
    text += "item,arm,version,correct,cost\n";
    let mut state = 12_345_u64;
    for item in 1..=tasks {
        for arm in 0..ARMS {
            for version in 0..ARMS {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (correct, cost) = (u64::from(state >> 61 < 5), state >> 33 & 0xffff);
                writeln!(text, "{item},a{arm},v{version},{correct},0.{cost:05}").unwrap();
            }
        }
    }
    text
}

/// What one size takes, in a process of its own, since the peak of a process never falls.
fn measure(tasks: usize, folder: &Path) {
    let results = folder.join("runs.csv");
    let spec = analyse("large.prespec", &study(tasks), &mut |_| Err("nothing is included".to_owned())).spec.unwrap();
    let listed = read_tasks(spec.tasks.as_ref().unwrap(), None).unwrap();
    let before = memory("VmRSS");
    let began = Instant::now();
    let received = records::read(&spec, std::slice::from_ref(&results)).unwrap();
    let parsed = memory("VmRSS") - before;
    let joined = records::join(&spec, &listed, received).unwrap();
    let judgment = judge(&spec, &listed, &joined, &Options { exploratory: true, workers: 1, ..Options::default() });
    assert_eq!(judgment.unwrap().flows[0].planned, (tasks * ARMS * ARMS) as u64);
    let records = (tasks * ARMS * ARMS) as f64;
    println!(
        "{records:>9} records: {:.2} us each; parsed {:.0} bytes each; peak {:.0} bytes each, {:.2} times the parsed records",
        began.elapsed().as_secs_f64() * 1e6 / records,
        parsed * 1024.0 / records,
        (memory("VmHWM") - before) * 1024.0 / records,
        (memory("VmHWM") - before) / parsed,
    );
}

/// Kibibytes that the system counts for this process.
fn memory(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn main() {
    if !Path::new("/proc/self/status").exists() {
        eprintln!("SKIPPED: this system does not show what a process takes in /proc");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    if let Ok(tasks) = std::env::var("LARGE_TASKS") {
        measure(tasks.parse().unwrap(), Path::new(&std::env::var("LARGE_FOLDER").unwrap()));
        return;
    }
    for tasks in [2_500, 5_000, 10_000] {
        std::fs::write(folder.path().join("runs.csv"), runs(tasks)).unwrap();
        let own = std::env::current_exe().unwrap();
        let status = Command::new(own)
            .env("LARGE_TASKS", tasks.to_string())
            .env("LARGE_FOLDER", folder.path())
            .status()
            .unwrap();
        assert!(status.success());
    }
}
