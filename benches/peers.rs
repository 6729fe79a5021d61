//! The whole analysis of the scaffold study beside the programs that a careful researcher would use: three analysis sets, 5,000
//! resamples, every interval, six mixed fits. Prints processor times and their ratio, in one run: `cargo bench --bench peers`.
//!
//! The peers are numpy with pandas, and lme4; `benches/peers/install.sh` installs them. What is missing is said, and skipped.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a benchmark that cannot run must stop"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its result is what it prints")]
#![expect(clippy::cast_precision_loss, reason = "ticks of a clock")]

use std::path::{Path, PathBuf};
use std::process::Command;

use prespec::check::analyse;
use prespec::decide::{Options, judge};
use prespec::plan::Task;
use prespec::plan::tasks::read_tasks;
use prespec::records;
use prespec::spec::Spec;

/// Analyses of ours that are timed together, since one is near the resolution of the clock.
const ROUNDS: u32 = 20;
/// Ticks of the process clock in a second, which Linux fixes for what it shows in /proc.
const TICKS: f64 = 100.0;

/// Processor seconds of this process and of children that have ended.
fn used() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The name of the program stands in brackets and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let seconds = |at: usize| fields[at].parse::<u64>().unwrap() as f64 / TICKS;
    (seconds(11) + seconds(12), seconds(13) + seconds(14))
}

fn study(root: &Path) -> (Spec, Vec<Task>) {
    let folder = root.join("specs/gaia_scaffolds");
    let text = std::fs::read_to_string(folder.join("gaia_scaffolds.prespec")).unwrap();
    // The peers compute no permutation test, so the hypothesis that asks for one is left out, with its family and conclusion.
    let text = without(&without(&without(&text, "hypothesis H1"), "family gaps"), "conclusion headline");
    let spec =
        analyse("gaia_scaffolds.prespec", &text, &mut |path| Err(format!("{path} is not included"))).spec.unwrap();
    let ids = std::fs::read(folder.join("data/gaia_sample_ids.csv")).unwrap();
    let tasks = read_tasks(spec.tasks.as_ref().unwrap(), Some(&ids)).unwrap();
    (spec, tasks)
}

/// The text without the block that starts with these words.
fn without(text: &str, words: &str) -> String {
    let Some(start) = text.find(words) else { return text.to_owned() };
    let end = text[start..].find("\n}\n").map_or(text.len(), |end| start + end + 3);
    format!("{}{}", &text[..start], &text[end..])
}

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = root.join("../shared");
    let results = shared.join("reference/stats/gaia_like.csv");
    if !results.exists() {
        eprintln!("SKIPPED: {} is absent", results.display());
        return;
    }
    let (spec, tasks) = study(&root);
    let options = Options { exploratory: true, workers: 1, ..Options::default() };
    let before = used().0;
    for _ in 0..ROUNDS {
        let received = records::read(&spec, std::slice::from_ref(&results)).unwrap();
        let joined = records::join(&spec, &tasks, received).unwrap();
        let judgment = judge(&spec, &tasks, &joined, &options).unwrap();
        assert_eq!(judgment.flows.len(), 3);
    }
    let ours = (used().0 - before) / f64::from(ROUNDS);
    println!("this program: {:.1} ms of processor time for each whole analysis, on one thread", 1000.0 * ours);
    let bootstrap = peer(&shared, "python3", "gaia_peer.py");
    let mixed = peer(&shared, "Rscript", "glmm.R");
    match (bootstrap, mixed) {
        (Some(bootstrap), Some(mixed)) => {
            println!("numpy and pandas: {bootstrap:.2} s; lme4: {mixed:.2} s; together {:.2} s", bootstrap + mixed);
            println!("ratio of processor times: {:.0}", (bootstrap + mixed) / ours);
        }
        _ => eprintln!("SKIPPED the ratio: a peer is missing; benches/peers/install.sh installs both"),
    }
}

/// Processor seconds of a peer's script; none when it is missing or fails. It runs in a folder of its own beside a link to the
/// reference data, since it writes where it stands.
fn peer(shared: &Path, program: &str, script: &str) -> Option<f64> {
    let folder = tempfile::tempdir().unwrap();
    let stand = folder.path().join("bench");
    std::fs::create_dir(&stand).unwrap();
    std::os::unix::fs::symlink(shared.canonicalize().unwrap().join("reference"), folder.path().join("reference"))
        .unwrap();
    let script = shared.canonicalize().unwrap().join("bench").join(script);
    let before = used().1;
    let ended = Command::new(program).arg(&script).current_dir(&stand).env("OPENBLAS_NUM_THREADS", "1").output();
    match ended {
        Ok(ended) if ended.status.success() => Some(used().1 - before),
        Ok(ended) => {
            eprintln!(
                "SKIPPED {program}: {}",
                String::from_utf8_lossy(&ended.stderr).lines().last().unwrap_or_default()
            );
            None
        }
        Err(error) => {
            eprintln!("SKIPPED {program}: {error}");
            None
        }
    }
}
