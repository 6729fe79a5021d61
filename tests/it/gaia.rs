//! The GAIA scaffold study, judged from a frozen file on reference records, against figures computed elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

fn reference() -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/reference/stats"));
    if folder.is_dir() {
        return Some(folder.to_path_buf());
    }
    eprintln!("SKIPPED gaia: ../shared is absent");
    None
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The document on the reference records as they stand, judged once for all tests.
fn document(folder: &Path) -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| judged(folder))
}

/// Freezes the study into a new folder, judges the records and returns the verdict document.
fn judged(folder: &Path) -> Value {
    let out = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/gaia_scaffolds");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_prespec")).current_dir(&root).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let frozen = run(&["freeze", "gaia_scaffolds.prespec", "--out", &out.path().display().to_string()]);
    let path = frozen.lines().last().unwrap();
    let records = folder.join("gaia_like.csv").display().to_string();
    let inputs = root.display().to_string();
    let text = run(&["judge", path, "--results", &records, "--inputs", &inputs, "--format", "json"]);
    serde_json::from_str(&text).unwrap()
}

const MODELS: [(&str, &str); 5] = [
    ("opus", "opus-4.7"),
    ("sonnet", "sonnet-4.6"),
    ("haiku", "haiku-4.5"),
    ("gemini", "gemini-3.1-pro"),
    ("gpt", "gpt-5.5"),
];

type Key = (String, String, Vec<String>);

/// Every piece of evidence by analysis set, estimand and member (model, then level, then scaffold where it has one).
fn evidence(document: &Value) -> BTreeMap<Key, Value> {
    let mut out = BTreeMap::new();
    for hypothesis in document["hypotheses"].as_array().unwrap() {
        for set in hypothesis["sets"].as_array().unwrap() {
            let name = set["set"].as_str().unwrap();
            let mut take = |item: &Value| {
                let mut member = BTreeMap::new();
                for level in item["member"].as_array().unwrap() {
                    member.insert(level["factor"].as_str().unwrap(), level["level"].as_str().unwrap().to_owned());
                }
                let levels =
                    ["model", "level", "scaffold"].iter().filter_map(|factor| member.get(factor).cloned()).collect();
                let estimand = item["estimand"].as_str().unwrap().to_owned();
                out.insert((name.to_owned(), estimand, levels), item.clone());
            };
            let empty = Vec::new();
            for item in set["evidence"].as_array().unwrap_or(&empty) {
                take(item);
            }
            let clauses = set["clauses"]
                .as_array()
                .unwrap_or(&empty)
                .iter()
                .flat_map(|clause| clause["members"].as_array().unwrap());
            let members = ["members", "grid"].iter().flat_map(|kind| set[kind].as_array().unwrap_or(&empty));
            for member in members.chain(clauses) {
                for item in member["evidence"].as_array().unwrap() {
                    take(item);
                }
            }
        }
    }
    out
}

fn close(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found} is not {expected}");
}

#[test]
fn points_and_limits_equal_the_reference() {
    let Some(folder) = reference() else { return };
    let found = evidence(document(&folder));
    let philox = json(&folder.join("gaia_bootstrap_philox.json"));
    let points = json(&folder.join("reference.json"));
    let mut compared = 0;
    for set in ["primary", "robust", "intersection"] {
        for (model, spelled) in MODELS {
            for level in ["1", "2"] {
                let pair = &philox["results"][format!("{set}/L{level}/{spelled}")];
                let slice = &points["bootstrap_numpy_rng"][set];
                let at = |estimand: &str| {
                    let key = (set.to_owned(), estimand.to_owned(), vec![model.to_owned(), level.to_owned()]);
                    found.get(&key).unwrap_or_else(|| panic!("no {key:?}"))
                };
                for (estimand, limits, point) in [
                    ("par_gain", "s2-s1_ci", &slice["contrasts"][format!("L{level}/{spelled}/s2-s1")]["est"]),
                    ("plan_gain", "s3-s1_ci", &slice["contrasts"][format!("L{level}/{spelled}/s3-s1")]["est"]),
                    ("plan_par", "s3-s2_ci", &slice["contrasts"][format!("L{level}/{spelled}/s3-s2")]["est"]),
                    ("file_gain", "dod_doc_ci", &pair["dod_doc"]),
                    ("any_file_gain", "dod_any_ci", &pair["dod_any"]),
                ] {
                    compared +=
                        compare(&format!("{set} L{level} {model} {estimand}"), at(estimand), point, &pair[limits]);
                }
                let gap = at("gap")["estimate"]["value"].as_f64();
                let gap = gap.unwrap_or_else(|| panic!("no gap in {set} L{level} {model}"));
                close("gap", gap, slice["gaps"][format!("L{level}/{spelled}")]["gap"].as_f64().unwrap());
                for scaffold in ["s1", "s2", "s3"] {
                    let cell = &philox["results"][format!("{set}/L{level}/{spelled}/{scaffold}")];
                    let mut fields =
                        vec![("cell_accuracy", "acc"), ("cell_cost", "cpc"), ("cell_cost_happy", "cpc_happy")];
                    if set == "primary" {
                        fields.extend([
                            ("cell_actions", "actions"),
                            ("cell_output", "output_tokens"),
                            ("cell_time", "working_time_s"),
                            ("cell_recovery", "recovery"),
                        ]);
                    }
                    for (estimand, field) in fields {
                        let key = (
                            set.to_owned(),
                            estimand.to_owned(),
                            vec![model.to_owned(), level.to_owned(), scaffold.to_owned()],
                        );
                        let item = found.get(&key).unwrap_or_else(|| panic!("no {key:?}"));
                        let what = format!("{set} L{level} {model} {scaffold} {estimand}");
                        compared += compare(&what, item, &cell[field], &cell[format!("{field}_ci")]);
                    }
                }
            }
        }
    }
    // Five contrasts in 30 pairs; three fields in 90 cells and four more in the 30 of the primary set, less the undefined ones.
    assert!(compared > 500, "only {compared} figures were compared");
}

/// Compares a point and an interval with the reference and returns how many there were.
fn compare(what: &str, item: &Value, point: &Value, limits: &Value) -> usize {
    let mut compared = 0;
    if let Some(expected) = point.as_f64() {
        let found = item["estimate"]["value"].as_f64().unwrap_or_else(|| panic!("{what}: undefined"));
        close(what, found, expected);
        compared += 1;
    } else {
        assert!(item["estimate"].is_null(), "{what}: the reference has no value");
    }
    if let Some(limits) = limits.as_array() {
        let interval = &item["intervals"][0];
        for (at, end) in ["lower", "upper"].iter().enumerate() {
            let found = interval[end].as_f64().unwrap_or_else(|| panic!("{what}: no interval: {interval}"));
            close(what, found, limits[at].as_f64().unwrap());
            compared += 1;
        }
    }
    compared
}

#[test]
fn accuracy_equals_the_verdict_reference() {
    let Some(folder) = reference() else { return };
    let found = evidence(document(&folder));
    let verdicts = json(&folder.join("verdicts_gaia.json"));
    for (model, spelled) in MODELS {
        for level in ["1", "2"] {
            for scaffold in ["s1", "s2", "s3"] {
                let expected = verdicts["cells"][format!("L{level}/{spelled}/{scaffold}")]["acc"].as_f64().unwrap();
                let levels = vec![model.to_owned(), level.to_owned(), scaffold.to_owned()];
                let item = &found[&("primary".to_owned(), "cell_accuracy".to_owned(), levels)];
                close("accuracy", item["estimate"]["value"].as_f64().unwrap(), expected);
            }
        }
    }
}

#[test]
fn two_runs_and_shuffled_rows_give_the_same_bytes() {
    let Some(folder) = reference() else { return };
    let shuffled = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(folder.join("gaia_like.csv")).unwrap();
    let mut rows: Vec<&str> = text.lines().collect();
    let header = rows.remove(0);
    rows.reverse();
    rows.rotate_left(1_234);
    fs::write(shuffled.path().join("gaia_like.csv"), format!("{header}\n{}\n", rows.join("\n"))).unwrap();
    let strip = |mut document: Value| {
        // The digest of the file's bytes is meant to differ; nothing else is. The frozen file names its own time.
        document["files"] = Value::Null;
        document["freeze_id"] = Value::Null;
        document
    };
    assert_eq!(strip(document(&folder).clone()), strip(judged(shuffled.path())));
}
