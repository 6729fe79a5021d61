//! Golden tests of diagnostics: each `tests/ui/<phase>/<name>.prespec` beside the `.stderr` that it must give.
//!
//! `BLESS=1 cargo test --test ui` writes what is given now; read the difference before it is committed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests fail by panicking and read their environment"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use prespec::render::{Style, human};
use prespec::source::Sources;

/// What one phase says of a spec; the name is what the message shows, the folder holds what the spec names.
type Phase = fn(name: &str, text: &str, folder: &Path) -> String;

/// The phases with golden files. A phase is added here together with its folder `tests/ui/<phase>`.
const PHASES: &[(&str, Phase)] = &[("syntax", syntax), ("check", check), ("inputs", inputs)];

/// What the parser says.
fn syntax(name: &str, text: &str, folder: &Path) -> String {
    let mut sources = Sources::default();
    let mut load = |path: &str| fs::read_to_string(folder.join(path)).map_err(|_| "there is no such file".to_owned());
    let (_, diagnostics) = prespec::syntax::parse(&mut sources, name, text, &mut load);
    human(&diagnostics, &sources, Style::Plain)
}

/// What the whole analysis says.
fn check(name: &str, text: &str, folder: &Path) -> String {
    let mut load = |path: &str| fs::read_to_string(folder.join(path)).map_err(|_| "there is no such file".to_owned());
    let analysis = prespec::check::analyse(name, text, &mut load);
    human(&analysis.diagnostics, &analysis.sources, Style::Plain)
}

/// What `prespec check` says of the study with the files it names.
fn inputs(name: &str, _: &str, folder: &Path) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_prespec")).arg("check").arg(name).current_dir(folder).output().unwrap();
    String::from_utf8(run.stderr).unwrap()
}

fn specs(folder: &Path) -> Vec<PathBuf> {
    let mut specs: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "prespec"))
        .collect();
    specs.sort();
    specs
}

#[test]
fn diagnostics_read_as_agreed() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for (phase, run) in PHASES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui").join(phase);
        let specs = specs(&folder);
        assert!(!specs.is_empty(), "tests/ui/{phase} is empty");
        for spec in specs {
            let name = spec.file_name().unwrap().to_string_lossy().into_owned();
            let got = run(&name, &fs::read_to_string(&spec).unwrap(), &folder);
            let golden = spec.with_extension("stderr");
            if bless {
                fs::write(&golden, &got).unwrap();
                continue;
            }
            let wanted = fs::read_to_string(&golden).unwrap_or_default();
            if wanted.replace("\r\n", "\n") != got {
                wrong.push(format!("--- {phase}/{name}: wanted\n{wanted}\n--- got\n{got}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nBLESS=1 accepts all of it", wrong.join("\n"));
}
