//! The six acceptance studies, each judged through the command line from a frozen file: expected verdicts and their variants.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

fn shared(case: &str) -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/cases")).join(case);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED cases::{case}: ../shared is absent");
    None
}

/// A working folder with a case's spec.
struct Stage {
    folder: TempDir,
    spec: String,
}

impl Stage {
    fn new(case: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("{case}.prespec");
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(case).join(&name);
        fs::copy(from, folder.path().join(&name)).unwrap();
        fs::create_dir(folder.path().join("results")).unwrap();
        Self { folder, spec: name }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn copy(&self, from: &Path, name: &str) {
        fs::copy(from, self.folder.path().join(name)).unwrap();
    }

    fn edit(&self, from: &str, to: &str) {
        let path = self.folder.path().join(&self.spec);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "the spec no longer says {from:?}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_prespec")).current_dir(self.folder.path()).args(arguments).output().unwrap()
    }

    fn check(&self) -> Vec<(String, String, String)> {
        let output = self.run(&["check", "--format", "json", &self.spec]);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = document["diagnostics"].as_array().unwrap();
        found
            .iter()
            .map(|it| {
                let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
                (text("code"), text("severity"), text("message"))
            })
            .collect()
    }

    fn errors(&self) -> Vec<String> {
        self.check().into_iter().filter(|(_, severity, _)| severity == "error").map(|(code, ..)| code).collect()
    }

    fn judge(&self) -> Output {
        let frozen = self.run(&["freeze", &self.spec]);
        assert!(frozen.status.success(), "{}", String::from_utf8_lossy(&frozen.stderr));
        let path = String::from_utf8(frozen.stdout).unwrap().lines().last().unwrap().to_owned();
        self.run(&["judge", &path, "--results", "results", "--format", "json"])
    }

    fn verdicts(&self) -> Value {
        let output = self.judge();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refusal(&self) -> String {
        let output = self.judge();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap()
    }
}

fn hypothesis<'a>(document: &'a Value, name: &str) -> &'a Value {
    let found = document["hypotheses"].as_array().unwrap().iter().find(|it| it["name"] == name);
    &found.unwrap_or_else(|| panic!("no hypothesis {name}"))["sets"][0]
}

fn label<'a>(document: &'a Value, name: &str) -> (&'a str, &'a str) {
    let verdict = &hypothesis(document, name)["verdict"];
    (verdict["class"].as_str().unwrap(), verdict["label"].as_str().unwrap())
}

fn class<'a>(document: &'a Value, name: &str) -> &'a str {
    label(document, name).0
}

fn evidence<'a>(document: &'a Value, name: &str, alias: &str) -> &'a Value {
    let found = hypothesis(document, name)["evidence"].as_array().unwrap().iter().find(|it| it["alias"] == alias);
    found.unwrap_or_else(|| panic!("no evidence {alias} for {name}"))
}

fn estimate(document: &Value, name: &str, alias: &str) -> f64 {
    evidence(document, name, alias)["estimate"]["value"].as_f64().unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

fn warned(stage: &Stage, code: &str) -> usize {
    stage.check().iter().filter(|(found, severity, _)| found == code && severity == "warning").count()
}

#[test]
fn a1_chess() {
    let Some(folder) = shared("a1-chess") else { return };
    let stage = Stage::new("a1_chess");
    stage.copy(&folder.join("positions.csv"), "positions.csv");
    stage.copy(&folder.join("positions.csv"), "results/positions.csv");
    assert_eq!(stage.errors(), [""; 0]);
    assert_eq!(warned(&stage, "E0502"), 3, "C1, C4 and C5 carry no uncertainty");
    assert_eq!(warned(&stage, "E0601"), 1, "five confirmatory claims without a family");
    let document = stage.verdicts();
    let classes = ["C1", "C2", "C3", "C4", "C5"].map(|name| class(&document, name));
    assert_eq!(classes, ["supported", "supported", "supported", "supported", "contradicted"]);
    close(estimate(&document, "C1", "key"), -3.0, 0.0);
    close(estimate(&document, "C1", "greedy"), 0.0, 0.0);
    close(estimate(&document, "C3", "key_over_deep"), 0.539, 5e-4);
    close(estimate(&document, "C4", "key_potential"), 1.185, 5e-4);
    close(estimate(&document, "C5", "quiet"), -0.021, 5e-4);
    close(estimate(&document, "C5", "key") - estimate(&document, "C5", "quiet"), 0.078, 5e-4);
    let p = |alias: &str| evidence(&document, "C2", alias)["tests"][0]["p"].as_f64().unwrap();
    close(p("greedy").log10(), 1.6e-68_f64.log10(), 0.02);
    close(p("random").log10(), 1.1e-72_f64.log10(), 0.03);
    let counts =
        |name: &str, alias: &str| evidence(&document, name, alias)["tests"][0]["counts"].as_str().unwrap().to_owned();
    for (found, numbers) in [
        (counts("C2", "greedy"), ["238", "2", "0"]),
        (counts("C2", "random"), ["239", "0", "1"]),
        (counts("C3", "key_over_deep"), ["240", "0", "0"]),
    ] {
        let digits: Vec<&str> = found.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
        assert_eq!(digits, numbers, "{found}");
    }
}

fn probe_document() -> Value {
    let readout = |auroc: f64, low: f64, high: f64| json!({ "auroc": auroc, "ci": [low, high] });
    json!({
        "conditions": {
            "full": { "mean_diff": readout(0.906, 0.877, 0.933), "logistic_regression": readout(0.974, 0.962, 0.984) },
            "cot_removed": { "mean_diff": readout(0.565, 0.513, 0.614), "logistic_regression": readout(0.612, 0.562, 0.659) },
            "random_removed": { "mean_diff": readout(0.583, 0.530, 0.636), "logistic_regression": readout(0.687, 0.638, 0.734) },
        },
        "gate1": { "R_minus_C": 0.075, "ci": [0.007, 0.145] },
        "specificity_control": { "mean_diff": readout(0.620, 0.569, 0.670), "logistic_regression": readout(0.602, 0.552, 0.652) },
    })
}

fn probe(change: impl FnOnce(&mut Value)) -> Value {
    let stage = Stage::new("a2_probe");
    let mut data = probe_document();
    change(&mut data);
    stage.write("results/gates_v5.json", &data.to_string());
    stage.verdicts()
}

#[test]
fn a2_probe_as_published() {
    let Some(folder) = shared("a2-probe") else { return };
    let stage = Stage::new("a2_probe");
    stage.copy(&folder.join("gates_v5.json"), "results/gates_v5.json");
    assert_eq!(stage.errors(), [""; 0]);
    let document = stage.verdicts();
    assert_eq!(class(&document, "H1"), "inconclusive");
    close(estimate(&document, "H1", "c"), 0.612, 5e-4);
    close(estimate(&document, "H1", "gap"), 0.075, 5e-4);
    assert_eq!(evidence(&document, "H1", "gap")["source"], "reported");
    let gates = document["gates"].as_array().unwrap();
    assert!(gates.iter().all(|gate| gate["members"][0]["passed"] == true), "{gates:#?}");
}

#[test]
fn a2_probe_variants() {
    assert_eq!(class(&probe(|_| {}), "H1"), "inconclusive");
    let absent = probe(|data| data["gate1"] = json!({ "R_minus_C": 0.12, "ci": [0.03, 0.20] }));
    assert_eq!(label(&absent, "H1"), ("supported", "signal_absent"));
    let unread =
        probe(|data| data["conditions"]["full"]["logistic_regression"] = json!({ "auroc": 0.80, "ci": [0.77, 0.83] }));
    assert_eq!(class(&unread, "H1"), "not_evaluated");
    let limited = probe(|data| {
        data["conditions"]["cot_removed"]["logistic_regression"] = json!({ "auroc": 0.80, "ci": [0.76, 0.84] });
    });
    assert_eq!(label(&limited, "H1"), ("contradicted", "readout_limited"));
    let unspecific =
        probe(|data| data["specificity_control"]["mean_diff"] = json!({ "auroc": 0.76, "ci": [0.71, 0.80] }));
    assert_eq!(class(&unspecific, "H1"), "void");
}

#[test]
fn a2_sibling_rules_are_refused() {
    let stage = Stage::new("a2_probe");
    stage.edit(
        "    signal_absent as supported when c.estimate <= 0.62 and gap.estimate >= absent_gap and gap.lower > 0 pp\n    readout_limited as contradicted when c.estimate >= 0.75\n    inconclusive otherwise\n",
        "    parity as contradicted when abs(gap.estimate) <= 5 pp\n    touching as inconclusive when gap.lower <= 0 pp and gap.upper >= 0 pp\n    signal_absent as supported when gap.estimate >= absent_gap and gap.lower > 0 pp\n    inconclusive otherwise\n",
    );
    assert!(stage.errors().contains(&"E0402".to_owned()), "{:?}", stage.check());
}

#[test]
fn a3_overcooked() {
    let Some(folder) = shared("a3-overcooked") else { return };
    let stage = Stage::new("a3_overcooked");
    for seed in 77_001..=77_012 {
        let name = format!("s{seed}.json");
        stage.copy(&folder.join(&name), &format!("results/{name}"));
    }
    assert_eq!(stage.errors(), [""; 0]);
    let document = stage.verdicts();
    for (name, alias, value) in [
        ("OC1", "learned_accepted", 8.0),
        ("OC2", "controls_accepted", 0.0),
        ("OC3", "triggered", 11.0),
        ("OC4", "twins_rejected", 12.0),
        ("OC5", "seeds", 12.0),
    ] {
        assert_eq!(class(&document, name), "supported", "{name}");
        close(estimate(&document, name, alias), value, 0.0);
    }
    close(evidence(&document, "OC5", "useful")["tests"][0]["p"].as_f64().unwrap(), 0.5_f64.powi(12), 1e-18);

    fs::remove_file(stage.folder.path().join("results/s77003.json")).unwrap();
    let refusal = stage.refusal();
    assert!(refusal.contains("77003"), "{refusal}");
    stage.copy(&folder.join("s77003.json"), "results/s77003.json");
    stage.copy(&folder.join("s77003.json"), "results/s77013.json");
    let refusal = stage.refusal();
    assert!(refusal.contains("77013"), "{refusal}");
}

/// Answers of one technique cell: `correct` of 120 questions right, spread over the three task sets.
fn placebo_data(stage: &Stage) {
    let sets = ["arithmetic", "logic", "trivia"];
    let questions: String = (1..=120).map(|n| format!("q{n:03},{}\n", sets[n % 3])).collect();
    stage.write("questions.csv", &format!("question_id,taskset\n{questions}"));
    let techniques = ["baseline", "step_by_step", "role_play", "emotional", "take_breath", "expert", "self_check"];
    let mut rows = String::from("question_id,technique,model,correct\n");
    for (t, technique) in techniques.iter().enumerate() {
        for model in ["small", "large", "reasoning"] {
            if model == "reasoning" && t > 1 {
                continue;
            }
            for n in 1..=120_usize {
                // The first technique answers everything right, the second nothing, the others what the baseline does.
                let base = (n * 7) % 10 < 6;
                let correct = match t {
                    1 => true,
                    2 => false,
                    _ => base,
                };
                rows.push_str(&format!("q{n:03},{technique},{model},{}\n", u8::from(correct)));
            }
        }
    }
    stage.write("results/answers.csv", &rows);
}

#[test]
fn a4_placebo() {
    let stage = Stage::new("a4_placebo");
    placebo_data(&stage);
    assert_eq!(stage.errors(), [""; 0]);
    let document = stage.verdicts();
    let grid = hypothesis(&document, "P1")["grid"].as_array().unwrap().clone();
    let found = |technique: &str, model: &str| -> Vec<String> {
        grid.iter()
            .filter(|member| {
                let levels = member["member"].as_array().unwrap();
                let has = |level: &str| levels.iter().any(|it| it["level"] == level);
                has(technique) && has(model)
            })
            .map(|member| member["verdict"]["label"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(found("step_by_step", "small"), ["works"; 3]);
    assert_eq!(found("role_play", "large"), ["hurts"; 3]);
    assert_eq!(found("expert", "small"), ["placebo"; 3]);
    assert_eq!(found("step_by_step", "reasoning"), ["works"; 3]);
    // The incomplete factorial makes no members and no missing cells.
    assert_eq!(found("expert", "reasoning"), [""; 0]);
    assert_eq!(grid.len(), 6 * 2 * 3 + 3);
}

#[test]
fn a4_unordered_overlaps() {
    let stage = Stage::new("a4_placebo");
    placebo_data(&stage);
    stage.edit("decide in order {", "decide {");
    let errors = stage.errors();
    assert!(errors.contains(&"E0402".to_owned()), "{errors:?}");
}

#[test]
fn a4_an_unset_count_blocks_freezing() {
    let stage = Stage::new("a4_placebo");
    placebo_data(&stage);
    stage.edit("expect 120", "expect ???");
    assert!(stage.errors().contains(&"E0801".to_owned()), "{:?}", stage.check());
    let frozen = stage.run(&["freeze", &stage.spec]);
    assert_eq!(frozen.status.code(), Some(1));
    assert!(!stage.folder.path().join("preregistrations").exists());
}

#[test]
fn a5_defence() {
    let Some(folder) = shared("a5-defence") else { return };
    let stage = Stage::new("a5_defence");
    stage.copy(&folder.join("breach.csv"), "results/breach.csv");
    stage.copy(&folder.join("refusal.csv"), "results/refusal.csv");
    assert_eq!(stage.errors(), [""; 0]);
    let document = stage.verdicts();
    assert_eq!(class(&document, "H1"), "supported");
    assert_eq!(class(&document, "H2"), "contradicted");
    assert_eq!(class(&document, "H3"), "supported");
    let limits = |name: &str, alias: &str| {
        let interval = &evidence(&document, name, alias)["intervals"][0];
        (interval["lower"].as_f64().unwrap(), interval["upper"].as_f64().unwrap())
    };
    for (name, alias, value, (lower, upper)) in [
        ("H1", "together", 0.350, (0.18, 0.50)),
        ("H1", "excess", 0.079, (0.04, 0.12)),
        ("H2", "probe_phi", 0.594, (0.42, 0.75)),
        ("H3", "any_refusal", 0.766, (0.64, 0.86)),
    ] {
        close(estimate(&document, name, alias), value, 5e-4);
        let found = limits(name, alias);
        close(found.0, lower, 0.012);
        close(found.1, upper, 0.012);
    }
    close(estimate(&document, "H3", "total"), 1.25, 5e-3);
    let waived: Vec<&str> =
        document["waivers"].as_array().unwrap().iter().map(|it| it["on"].as_str().unwrap()).collect();
    assert_eq!(waived, ["H2", "H3"]);
}

#[test]
fn a5_without_the_waivers_absence_is_refused() {
    let stage = Stage::new("a5_defence");
    stage.edit("waive E0405 on H2 because \"registered so; replayed as it stands\"\n", "");
    stage.edit("waive E0405 on H3 because \"registered so; replayed as it stands\"\n", "");
    assert_eq!(stage.errors(), ["E0405", "E0405"]);
}

#[test]
fn a5_a_constant_column_is_not_evaluable() {
    let stage = Stage::new("a5_defence");
    let header = "llamaguard,ppl_filter,probe,probe_b,refusal_prime,smoothllm,token_anomaly\n";
    let row = |n: usize, constant: bool| -> String {
        let cells: Vec<String> = (0..7)
            .map(|column| {
                let value = if column == 2 && constant { 0 } else { usize::from((n * (column + 3)) % 5 < 2) };
                value.to_string()
            })
            .collect();
        cells.join(",") + "\n"
    };
    let matrix = |constant| format!("{header}{}", (1..=100).map(|n| row(n, constant)).collect::<String>());
    stage.write("results/breach.csv", &matrix(true));
    stage.write("results/refusal.csv", &matrix(false));
    assert_eq!(class(&stage.verdicts(), "H2"), "not_evaluable");
}

#[test]
fn a5_a_family_of_28_pairs_is_refused() {
    let stage = Stage::new("a5_defence");
    stage.edit(
        "hypothesis H1 primary",
        "estimand pairs per pair of defence = together(a, b)\ntest perm = permutation(labels: defence, within: behaviour, draws: 999, seed: 1)\nfamily pairs_family { members pairs with perm per pair of defence; adjust holm; count 28 }\n\nhypothesis H1 primary",
    );
    let found = stage.check();
    let miscounted = found.iter().find(|(code, ..)| code == "E0602");
    assert!(miscounted.is_some_and(|(_, _, message)| message.contains("21")), "{found:?}");
}

fn quotient(change: impl FnOnce(&mut Value)) -> Value {
    let stage = Stage::new("a6_quotient");
    let mut data = json!({
        "o1": { "median_cosine": 0.828 },
        "o2": { "pairs": 2, "median": null, "fallback_median": 0.999 },
        "i": { "k_a": 96, "k_b": 93 },
        "ii": { "pairs": 0, "median": null, "null": 0.5 },
    });
    change(&mut data);
    stage.write("results/scalars.json", &data.to_string());
    stage.verdicts()
}

fn clause<'a>(document: &'a Value, name: &str) -> &'a str {
    let found = hypothesis(document, "whole")["clauses"].as_array().unwrap().iter().find(|it| it["name"] == name);
    found.unwrap()["verdict"]["class"].as_str().unwrap()
}

#[test]
fn a6_quotient() {
    assert_eq!(Stage::new("a6_quotient").errors(), [""; 0]);
    let document = quotient(|_| {});
    assert_eq!(clause(&document, "i"), "supported");
    assert_eq!(clause(&document, "ii"), "not_evaluable");
    assert_eq!(class(&document, "whole"), "inconclusive");

    assert_eq!(class(&quotient(|data| data["o1"]["median_cosine"] = json!(0.55)), "whole"), "void");
    let refuted = quotient(|data| data["ii"] = json!({ "pairs": 8, "median": 0.35, "null": 0.1 }));
    assert_eq!(label(&refuted, "whole"), ("contradicted", "refuted"));
    let saturated = quotient(|data| data["i"] = json!({ "k_a": 205, "k_b": 210 }));
    assert_eq!(clause(&saturated, "i"), "inconclusive");
    let both = quotient(|data| data["ii"] = json!({ "pairs": 8, "median": 0.9, "null": 0.1 }));
    assert_eq!(class(&both, "whole"), "supported");
}
