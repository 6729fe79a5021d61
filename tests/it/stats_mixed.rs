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
use prespec::stats::mixed::likelihood_ratio::likelihood_ratio_of;
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

const GAIA_FULL: &str = "correct ~ scaffold * model + level + (1 | task)";
const GAIA_REDUCED: &str = "correct ~ scaffold + model + level + (1 | task)";

/// The slices of the large example: all records; those without the flag; the tasks that every cell of their level finished.
fn gaia(test: &str, slice: &str) -> Option<Table> {
    let c = columns(&shared(test, "gaia_like.csv")?);
    let mut finished: BTreeMap<(&str, &str, &str), bool> = BTreeMap::new();
    let cells = c["sample_id"].iter().zip(&c["model"]).zip(&c["scaffold"]);
    for (((task, model), scaffold), status) in cells.zip(&c["status"]) {
        *finished.entry((task.as_str(), model.as_str(), scaffold.as_str())).or_default() |= status == "ok";
    }
    let unfinished: Vec<&str> = finished.iter().filter(|(_, ok)| !**ok).map(|((task, ..), _)| *task).collect();
    let kept: Vec<usize> = (0..c["sample_id"].len())
        .filter(|row| match slice {
            "primary" => true,
            "robust" => c["flag_psb"][*row] == "0",
            "intersection" => !unfinished.contains(&c["sample_id"][*row].as_str()),
            other => panic!("no slice {other}"),
        })
        .collect();
    let pick = |name: &str| kept.iter().map(|row| c[name][*row].clone()).collect::<Vec<_>>();
    let columns = vec![
        ("task", group(&pick("sample_id"))),
        ("scaffold", factor(&pick("scaffold"), "s1")),
        ("model", factor(&pick("model"), "opus-4.7")),
        ("level", factor(&pick("level"), "1")),
    ];
    Some(table("correct", counts(&pick("correct")), vec![1; kept.len()], columns))
}

/// `scaffolds2:modelhaiku-4.5` as it is called here.
fn gaia_name(r: &str) -> String {
    let part = |part: &str| {
        let name = ["scaffold", "model", "level"].into_iter().find(|name| part.starts_with(name)).unwrap();
        format!("{name}[{}]", &part[name.len()..])
    };
    if r == "(Intercept)" {
        return r.to_owned();
    }
    let mut parts: Vec<String> = r.split(':').map(part).collect();
    parts.sort_unstable();
    parts.join(":")
}

#[test]
fn the_three_slices_of_a_large_study_match() {
    let test = "the_three_slices_of_a_large_study_match";
    let Some(reference) = shared(test, "reference.json") else { return };
    let reference: Value = serde_json::from_str(&reference).unwrap();
    // Log-likelihoods for single trials; chi-squared statistics with 8 degrees of freedom, Laplace and 25 nodes.
    for (slice, chi, by_25) in
        [("primary", 47.6039, 47.5881), ("robust", 66.0369, 66.0214), ("intersection", 45.0527, 45.0371)]
    {
        let table = gaia(test, slice).unwrap();
        for (nodes, want_chi) in [(1, chi), (25, by_25)] {
            let options = Options::quadrature(nodes);
            let (full, reduced) = (model(GAIA_FULL, &table, options), model(GAIA_REDUCED, &table, options));
            let ratio = likelihood_ratio_of(&full, &reduced).unwrap();
            assert_eq!(ratio.df, 8);
            near(slice, ratio.statistic, want_chi, 6e-5);
            let tight = &reference["glmm"]["lme4_tight_tolPwrss_1e-12"][slice][format!("nAGQ{nodes}")];
            near(slice, ratio.statistic, tight["chisq"].as_f64().unwrap(), 1e-5);
            near(slice, full.intercepts[0].sd, tight["sd_full"].as_f64().unwrap(), 1e-4);
            near(slice, reduced.intercepts[0].sd, tight["sd_reduced"].as_f64().unwrap(), 1e-4);
            for (key, fit) in [("full", &full), ("reduced", &reduced)] {
                if let Some(want) = tight[format!("bernoulli_logLik_{key}")].as_f64() {
                    near(slice, fit.log_likelihood, want, 1e-5);
                }
            }
            let estimates = tight["fixef_full"].as_object().unwrap();
            assert_eq!(estimates.len(), full.coefficients.len());
            for (name, want) in estimates {
                let got = full.coefficient(&gaia_name(name)).unwrap();
                near(name, got.estimate, want.as_f64().unwrap(), 1e-4);
                let se = tight["se_hessian_full"][name].as_f64().unwrap();
                near(name, got.standard_error, se, 1e-4_f64.max(1e-3 * se));
            }
        }
    }
}

/// Estimates of glmmTMB 1.1.5 (R 4.2.2) on the counts by task, model and scaffold, with
/// `glmmTMBControl(optCtrl = list(iter.max = 2000, eval.max = 2000, rel.tol = 1e-14))`:
/// `cbind(k, n - k) ~ <fixed> + (1 | task) + (1 | task:model) + (1 | task:scaffold)`.
struct Three {
    formula: &'static str,
    log_likelihood: f64,
    sds: [f64; 3],
    names: &'static [&'static str],
    estimates: &'static [f64],
    standard_errors: &'static [f64],
}

const THREE: [Three; 2] = [
    Three {
        formula: "correct ~ scaffold * model + level + (1 | task) + (1 | task:model) + (1 | task:scaffold)",
        log_likelihood: -2_765.803_727_418_1,
        sds: [1.883_575_131_4, 0.752_580_119_8, 0.623_557_555_5],
        names: &[
            "(Intercept)",
            "scaffolds2",
            "scaffolds3",
            "modelgemini-3.1-pro",
            "modelgpt-5.5",
            "modelhaiku-4.5",
            "modelsonnet-4.6",
            "level2",
            "scaffolds2:modelgemini-3.1-pro",
            "scaffolds3:modelgemini-3.1-pro",
            "scaffolds2:modelgpt-5.5",
            "scaffolds3:modelgpt-5.5",
            "scaffolds2:modelhaiku-4.5",
            "scaffolds3:modelhaiku-4.5",
            "scaffolds2:modelsonnet-4.6",
            "scaffolds3:modelsonnet-4.6",
        ],
        estimates: &[
            1.403_828_317_2,
            0.510_203_059_8,
            -0.039_301_491_3,
            0.742_662_980_3,
            1.214_481_315_9,
            -2.645_164_775_3,
            -1.178_100_958_9,
            -0.637_190_310_9,
            -0.391_974_922_0,
            1.142_836_040_1,
            -0.327_289_319_4,
            0.497_423_360_1,
            0.544_817_307_6,
            0.532_979_157_5,
            0.435_180_950_5,
            0.277_314_567_4,
        ],
        standard_errors: &[
            0.318_028_606_1,
            0.212_359_838_8,
            0.205_635_136_1,
            0.226_573_017_1,
            0.234_722_841_2,
            0.226_752_189_9,
            0.212_817_127_4,
            0.352_690_849_8,
            0.289_080_446_8,
            0.301_889_608_6,
            0.299_755_642_7,
            0.302_005_671_5,
            0.278_262_629_9,
            0.273_813_690_2,
            0.271_716_980_6,
            0.263_584_934_5,
        ],
    },
    Three {
        formula: "correct ~ scaffold + model + level + (1 | task) + (1 | task:model) + (1 | task:scaffold)",
        log_likelihood: -2_790.681_094_781_9,
        sds: [1.860_508_136_1, 0.734_237_877_9, 0.625_105_035_6],
        names: &[
            "(Intercept)",
            "scaffolds2",
            "scaffolds3",
            "modelgemini-3.1-pro",
            "modelgpt-5.5",
            "modelhaiku-4.5",
            "modelsonnet-4.6",
            "level2",
        ],
        estimates: &[
            1.211_480_810_8,
            0.624_763_441_8,
            0.385_991_078_3,
            0.954_800_636_8,
            1.263_752_055_7,
            -2.261_752_394_8,
            -0.939_107_562_8,
            -0.627_531_202_2,
        ],
        standard_errors: &[
            0.298_674_230_7,
            0.120_149_607_7,
            0.118_244_345_6,
            0.157_879_922_1,
            0.162_216_694_8,
            0.152_933_230_3,
            0.145_403_100_9,
            0.348_470_623_6,
        ],
    },
];

#[test]
fn three_random_intercepts_match_glmm_tmb() {
    let Some(table) = gaia("three_random_intercepts_match_glmm_tmb", "primary") else { return };
    for case in &THREE {
        let fit = model(case.formula, &table, Options::LAPLACE);
        near("logLik", fit.log_likelihood, case.log_likelihood, 1e-5);
        // Here the intercepts are sorted by name: task, then model:task, then scaffold:task.
        for (got, want) in fit.intercepts.iter().zip(case.sds) {
            near(&got.term.to_string(), got.sd, want, 1e-4);
        }
        assert_eq!(fit.coefficients.len(), case.names.len());
        for ((name, want), se) in case.names.iter().zip(case.estimates).zip(case.standard_errors) {
            let got = fit.coefficient(&gaia_name(name)).unwrap();
            near(name, got.estimate, *want, 1e-4);
            near(name, got.standard_error, *se, 1e-4_f64.max(1e-3 * se));
        }
    }
}
