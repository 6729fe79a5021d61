//! Comparisons and ranks of a large study by its spec alone, against an independent analysis of the same records.

use std::path::PathBuf;

use prespec::decide::judgment::Judgment;
use prespec::decide::{Options, judge};
use prespec::records::{Received, ReceivedRecord, RecordTable, join};
use prespec::spec::State;
use serde_json::Value as Json;

use super::{number, record, study, tasks};

const MODELS: [(&str, &str); 5] = [
    ("opus-4.7", "opus"),
    ("sonnet-4.6", "sonnet"),
    ("haiku-4.5", "haiku"),
    ("gemini-3.1-pro", "gemini"),
    ("gpt-5.5", "gpt"),
];

/// The reference, and the records with the levels that `levels` gives to a model and a scaffold.
fn judged(
    test: &str,
    text: &str,
    levels: impl Fn(&str, &str) -> Vec<(&'static str, String)>,
) -> Option<(Json, Judgment)> {
    let shared = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !shared.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    let folder = shared.join("reference/stats");
    let reference = serde_json::from_str(&std::fs::read_to_string(folder.join("verdicts_gaia.json")).unwrap()).unwrap();
    let spec = study(text);
    let units = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/gaia_scaffolds/data/gaia_sample_ids.csv");
    let tasks = tasks(&spec, Some(&std::fs::read(units).unwrap()));
    let mut reader = csv::Reader::from_path(folder.join("gaia_like.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let [task, model, scaffold, attempt, correct, cost] =
        ["sample_id", "model", "scaffold", "attempt", "correct", "cost_usd"]
            .map(|name| header.iter().position(|found| found == name).unwrap());
    let one = |row: csv::StringRecord| -> ReceivedRecord {
        let model = MODELS.iter().find(|(name, _)| *name == &row[model]).unwrap().1;
        let levels = levels(model, &row[scaffold]);
        let levels: Vec<(&str, &str)> = levels.iter().map(|(factor, level)| (*factor, level.as_str())).collect();
        let fields = [("correct", prespec::plan::Value::Bool(&row[correct] == "1")), ("cost", number(&row[cost]))];
        record(&row[task], &levels, row[attempt].parse().unwrap(), State::Scored, &fields)
    };
    let records: Vec<ReceivedRecord> = reader.records().map(|row| one(row.unwrap())).collect();
    let table = RecordTable::from_records(&spec, records).unwrap();
    let joined = join(&spec, &tasks, Received { records: table, estimates: Vec::new(), files: Vec::new() }).unwrap();
    let judgment = judge(&spec, &tasks, &joined, &Options { workers: 2, ..Options::default() }).unwrap();
    Some((reference, judgment))
}

/// A study of these arms, judged by comparisons.
fn text(arms: &str, cross: &str, mapped: &str, declarations: &str) -> String {
    format!(
        "language 1\nstudy g {{ title \"g\" }}\n{arms}\n\
         tasks task {{ file \"t.csv\"; key task_id; field level: 1 | 2; expect 53 where level == 1; expect 86 where level == 2 }}\n\
         design {{ cross {cross}, task; repeat 3; collapse cost by mean }}\noutcome correct: bool\noutcome cost: usd\n\
         results r {{ file \"r.csv\"; unit task at \"t\"; {mapped}; repeat at \"n\"; correct = \"c\"; cost = \"d\" }}\n\
         measure accuracy = mean(correct)\ntest t = paired_t(sides: two)\ntest flip = sign_flip(sides: two)\n{declarations}\n\
         estimand whole = accuracy\nhypothesis H exploratory \"all\" {{ descriptive; about whole }}\n"
    )
}

fn near(what: &str, found: f64, wanted: &Json) {
    let wanted = wanted.as_f64().unwrap();
    assert!((found - wanted).abs() <= 1e-8, "{what}: {found:e} and not {wanted:e}");
}

#[test]
fn findings_of_the_scaffold_study_equal_an_independent_analysis() {
    let compare = |name: &str, estimand: &str, difference: &str, equivalence: &str, better: &str, adjust: &str| {
        format!(
            "compare {name} {{ on {estimand} with {difference}, {equivalence} {better}; within level; adjust {adjust}; level 5 %; \
             minimum 5 task; precedence difference; count 10 }}"
        )
    };
    let declarations = [
        "margin close = 5 pp higher \"x\"\nmargin tenth = 1.1 x lower \"x\"\ntest same = equivalence(margin: close)\ntest tenth_same = equivalence(margin: tenth)".to_owned(),
        "estimand lead per llm, scaffold except s1, level = accuracy - accuracy[s1]".to_owned(),
        "paired saving per llm, scaffold except s1, level = log_ratio(cost, cost[s1])".to_owned(),
        compare("by_flip", "lead", "flip", "same", "higher", "joint"),
        compare("by_t", "lead", "t", "same", "higher", "joint"),
        compare("apart", "lead", "t", "same", "higher", "holm"),
        compare("bills", "saving", "t", "tenth_same", "lower", "joint"),
    ]
    .join("\n");
    let models: Vec<&str> = MODELS.iter().map(|(_, model)| *model).collect();
    let arms = format!("factor llm = {}\nfactor scaffold = s1 | s2 | s3", models.join(" | "));
    let mapped = "level llm at \"m\"; level scaffold at \"s\"";
    let text = text(&arms, "llm, scaffold", mapped, &declarations);
    let levels = |model: &str, scaffold: &str| vec![("llm", model.to_owned()), ("scaffold", scaffold.to_owned())];
    let Some((reference, judgment)) =
        judged("findings_of_the_scaffold_study_equal_an_independent_analysis", &text, levels)
    else {
        return;
    };
    let mut seen = 0;
    for (name, metric, [verdict, difference, equivalence]) in [
        (
            "by_flip",
            "accuracy",
            ["verdict_joint_p_sign_flip_exact", "p_sign_flip_exact_joint", "tost_joint_with_p_sign_flip_exact"],
        ),
        ("by_t", "accuracy", ["verdict_joint_p_t", "p_t_joint", "tost_joint_with_p_t"]),
        ("apart", "accuracy", ["verdict_p_t", "p_t_holm", "tost_holm"]),
        ("bills", "cost", ["verdict_joint_p_t", "p_t_joint", "tost_joint_with_p_t"]),
    ] {
        for level in ["1", "2"] {
            let own = judgment
                .comparisons
                .iter()
                .find(|result| result.name == name && result.within == [("level".to_owned(), level.to_owned())]);
            let own = own.unwrap();
            for row in reference["families"][format!("L{level}/{metric}")].as_array().unwrap() {
                let (model, contrast) = row["comparison"].as_str().unwrap().split_once(": ").unwrap();
                let model = MODELS.iter().find(|(name, _)| *name == model).unwrap().1;
                let scaffold = contrast.split_once(" vs ").unwrap().0;
                let fits = |factor: &str, level: &str, member: &[(String, String)]| {
                    member.iter().any(|(own, at)| own == factor && at == level)
                };
                let member = own
                    .members
                    .iter()
                    .find(|one| fits("llm", model, &one.member) && fits("scaffold", scaffold, &one.member));
                let member = member.unwrap();
                // The reference says which value is higher; a lower bill is the better one.
                let word = match (member.finding, metric) {
                    ("better", "accuracy") | ("worse", "cost") => "higher",
                    ("worse", "accuracy") | ("better", "cost") => "lower",
                    ("not_separable", _) => "not separable",
                    (other, _) => other,
                };
                assert_eq!(word, row[verdict].as_str().unwrap(), "{name} L{level} {row}");
                near(difference, member.p_difference, &row[difference]);
                near(equivalence, member.p_equivalence.unwrap(), &row[equivalence]);
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 80);
}

#[test]
fn ranks_of_fifteen_arms_equal_an_independent_analysis() {
    let cells: Vec<String> =
        MODELS.iter().flat_map(|(_, model)| ["s1", "s2", "s3"].map(|scaffold| format!("{model}_{scaffold}"))).collect();
    let declarations = "measure ahead(a, b) = accuracy[arm: a] - accuracy[arm: b]\nestimand lead per pair of arm, level = ahead\n\
        compare leads { on lead with t higher; within level; adjust holm; level 5 %; minimum 5 task; count 105 }\n\
        ranking by_inclusion { by leads; order inclusion }\nranking by_count { by leads; order count }";
    let text = text(&format!("factor arm = {}", cells.join(" | ")), "arm", "level arm at \"a\"", declarations);
    let levels = |model: &str, scaffold: &str| vec![("arm", format!("{model}_{scaffold}"))];
    let Some((reference, judgment)) = judged("ranks_of_fifteen_arms_equal_an_independent_analysis", &text, levels)
    else {
        return;
    };
    for level in ["1", "2"] {
        let rows = |name: &str| {
            let own = judgment
                .rankings
                .iter()
                .find(|result| result.name == name && result.within == [("level".to_owned(), level.to_owned())]);
            own.unwrap().rows.as_ref().unwrap()
        };
        for row in reference["ranks"][format!("L{level}")].as_array().unwrap() {
            let (model, scaffold) = row["cell"].as_str().unwrap().split_once('/').unwrap();
            let model = MODELS.iter().find(|(name, _)| *name == model).unwrap().1;
            let arm = format!("{model}_{scaffold}");
            let find = |name: &str| rows(name).iter().find(|row| row.member[0].1 == arm).unwrap().clone();
            let (inclusion, count) = (find("by_inclusion"), find("by_count"));
            assert_eq!(inclusion.rank, row["seed_rank_strict_superset"].as_u64(), "{arm}");
            assert_eq!(count.rank, row["seed_rank_by_count"].as_u64(), "{arm}");
            let bounds = (row["rank_ci"][0].as_u64().unwrap(), row["rank_ci"][1].as_u64().unwrap());
            assert_eq!(inclusion.bounds, Some(bounds), "{arm}");
            assert_eq!(inclusion.tied, !row["ties_with"].as_array().unwrap().is_empty(), "{arm}");
        }
    }
}
