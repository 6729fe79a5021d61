//! Mixed models against lme4 and glmmTMB, and against what must hold of any fit.
#![allow(
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "reference values are small and exact where compared exactly"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use prespec::stats::mixed::fit::{Fit, Options, fit};
use prespec::stats::mixed::formula::Formula;
use prespec::stats::mixed::table::{Column, Factor, Table};
use serde_json::Value;

fn shared(test: &str, name: &str) -> Option<String> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !root.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    Some(std::fs::read_to_string(root.join("reference/stats").join(name)).unwrap())
}

/// The columns of a CSV file, as text.
fn columns(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let mut columns: BTreeMap<String, Vec<String>> = names.iter().map(|name| (name.clone(), Vec::new())).collect();
    for record in reader.records() {
        for (name, value) in names.iter().zip(&record.unwrap()) {
            columns.get_mut(name).unwrap().push(value.to_owned());
        }
    }
    columns
}

fn texts(values: &[String]) -> Vec<&str> {
    values.iter().map(String::as_str).collect()
}

/// Levels sorted bytewise, as R does for these names.
fn factor(values: &[String], reference: &str) -> Column {
    let values = texts(values);
    let mut levels = values.clone();
    levels.sort_unstable();
    levels.dedup();
    Column::Factor(Factor::declared(&values, &levels, reference).unwrap())
}

fn group(values: &[String]) -> Column {
    Column::Factor(Factor::grouping(&texts(values)))
}

fn number(values: &[String]) -> Column {
    Column::Number(values.iter().map(|value| value.parse().unwrap()).collect())
}

fn counts(values: &[String]) -> Vec<u64> {
    values.iter().map(|value| value.parse().unwrap()).collect()
}

fn model(formula: &str, table: &Table, options: Options) -> Fit {
    fit(&Formula::parse(formula).unwrap(), table, options).unwrap()
}

fn near(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got}, want {want}, off by {:e}", (got - want).abs());
}

fn table(response: &str, right: Vec<u64>, trials: Vec<u64>, columns: Vec<(&str, Column)>) -> Table {
    let columns = columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect();
    Table::new(response, right, trials, columns).unwrap()
}

struct Case {
    file: &'static str,
    data: &'static str,
    reduced: &'static str,
    full: &'static str,
    /// The name here of each coefficient in R.
    names: &'static [(&'static str, &'static str)],
    table: fn(&BTreeMap<String, Vec<String>>) -> Table,
}

const CASES: [Case; 4] = [
    Case {
        file: "glmer_cbpp.json",
        data: "data/cbpp.csv",
        reduced: "incidence ~ 1 + (1 | herd)",
        full: "incidence ~ period + (1 | herd)",
        names: &[("period2", "period[2]"), ("period3", "period[3]"), ("period4", "period[4]")],
        table: |c| {
            let columns = vec![("herd", group(&c["herd"])), ("period", factor(&c["period"], "1"))];
            table("incidence", counts(&c["incidence"]), counts(&c["size"]), columns)
        },
    },
    Case {
        file: "glmer_bacteria.json",
        data: "data/bacteria.csv",
        reduced: "yy ~ w2 + (1 | ID)",
        full: "yy ~ trt + w2 + (1 | ID)",
        names: &[("trtdrug", "trt[drug]"), ("trtdrug+", "trt[drug+]"), ("w2", "w2")],
        table: |c| {
            let columns =
                vec![("ID", group(&c["ID"])), ("trt", factor(&c["trt"], "placebo")), ("w2", number(&c["w2"]))];
            table("yy", counts(&c["yy"]), vec![1; c["yy"].len()], columns)
        },
    },
    Case {
        file: "glmer_ohio.json",
        data: "data/ohio.csv",
        reduced: "resp ~ 1 + (1 | id)",
        full: "resp ~ age + smoke + (1 | id)",
        names: &[("age", "age"), ("smoke", "smoke")],
        table: |c| {
            let columns = vec![("id", group(&c["id"])), ("age", number(&c["age"])), ("smoke", number(&c["smoke"]))];
            table("resp", counts(&c["resp"]), vec![1; c["resp"].len()], columns)
        },
    },
    Case {
        file: "glmer_verbagg.json",
        data: "data/verbagg.csv",
        reduced: "yy ~ Anger + Gender + btype + situ + (1 | id)",
        full: "yy ~ Anger + Gender + btype * situ + (1 | id)",
        names: &[
            ("Anger", "Anger"),
            ("GenderM", "Gender[M]"),
            ("btypescold", "btype[scold]"),
            ("btypeshout", "btype[shout]"),
            ("situself", "situ[self]"),
            ("btypescold:situself", "btype[scold]:situ[self]"),
            ("btypeshout:situself", "btype[shout]:situ[self]"),
        ],
        table: |c| {
            let columns = vec![
                ("id", group(&c["id"])),
                ("Anger", number(&c["Anger"])),
                ("Gender", factor(&c["Gender"], "F")),
                ("btype", factor(&c["btype"], "curse")),
                ("situ", factor(&c["situ"], "other")),
            ];
            table("yy", counts(&c["yy"]), vec![1; c["yy"].len()], columns)
        },
    },
];

/// Estimates, standard errors and modes of one fit against one of lme4's.
fn compare(what: &str, case: &Case, fit: &Fit, reference: &Value) {
    near(&format!("{what} sd"), fit.intercepts[0].sd, reference["theta"].as_f64().unwrap(), 1e-4);
    for (name, want) in reference["fixef"].as_object().unwrap() {
        let own = case.names.iter().find(|(r, _)| r == name).map_or("(Intercept)", |(_, own)| *own);
        let got = fit.coefficient(own).unwrap();
        near(&format!("{what} {name}"), got.estimate, want.as_f64().unwrap(), 1e-4);
        let se = reference["se_hessian"][name].as_f64().unwrap();
        near(&format!("{what} SE of {name}"), got.standard_error, se, 1e-4_f64.max(1e-3 * se));
    }
    let labels = reference["ranef_levels_first5"].as_array().unwrap();
    for (label, want) in labels.iter().zip(reference["ranef_first5"].as_array().unwrap()) {
        let mode = fit.modes.iter().find(|mode| mode.group == label.as_str().unwrap()).unwrap();
        near(&format!("{what} mode of {label}"), mode.mode, want.as_f64().unwrap(), 1e-4);
    }
}

#[test]
fn four_public_data_sets_match_lme4_and_glmm_tmb() {
    for case in &CASES {
        let test = "four_public_data_sets_match_lme4_and_glmm_tmb";
        let Some(text) = shared(test, case.file) else { return };
        let reference: Value = serde_json::from_str(&text).unwrap();
        let table = (case.table)(&columns(&shared(test, case.data).unwrap()));
        let fits = reference["fits"].as_object().unwrap();
        assert!(fits.len() >= 2, "{}", case.file);
        for (key, nodes) in [("nAGQ1", 1), ("nAGQ5", 5), ("nAGQ9", 9), ("nAGQ25", 25)] {
            let Some(want) = fits.get(key) else { continue };
            let what = format!("{} {key}", case.file);
            let (full, reduced) = (
                model(case.full, &table, Options::quadrature(nodes)),
                model(case.reduced, &table, Options::quadrature(nodes)),
            );
            eprintln!("{what}: {:?} {:?} {}", full.convergence, full.log_likelihood_of_counts(), full.intercepts[0].sd);
            // lme4's own optimizer stops up to 3e-5 short of the maximum on ohio, so it may only be beaten.
            let slack = if case.file.contains("ohio") { 1e-4 } else { 1e-5 };
            near(
                &what,
                2.0 * (full.log_likelihood - reduced.log_likelihood),
                want["lrt"]["chisq"].as_f64().unwrap(),
                2.0 * slack,
            );
            if nodes == 1 {
                let tmb = &reference["cross_checks"]["glmmTMB_laplace"];
                for (fit, key) in [(&full, "logLik1"), (&reduced, "logLik0")] {
                    near(&format!("{what} {key}"), fit.log_likelihood_of_counts(), tmb[key].as_f64().unwrap(), 1e-5);
                }
            }
            compare(&format!("{what} full"), case, &full, &want["full"]);
            compare(&format!("{what} reduced"), case, &reduced, &want["reduced"]);
        }
    }
}
