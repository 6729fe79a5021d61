//! Data drawn from an assumed truth: that they have the truth's means, that luck has a place of its own, and what the rules make
//! of them.

use prespec::check::analyse;
use prespec::plan::tasks::read_tasks;
use prespec::simulate::{Settings, Simulation, simulate};
use prespec::spec::VerdictClass;

const STUDY: &str = r#"language 1
study demo { title "Two prompts" }
factor prompt = plain | asked
tasks question { count 40 }
design { cross prompt, question; repeat 2 }
outcome correct: bool
outcome cost: usd
analysis_set planned { count errored, missing as incorrect, cost as 0 usd }
measure accuracy = mean(correct)
test t = paired_t(sides: two)
estimand gain = accuracy[asked] - accuracy[plain]
hypothesis H1 primary "Asked is better" {
  about gain with t
  decide { supported when p < 5 % and estimate > 0 pp; contradicted when p < 5 % and estimate < 0 pp; inconclusive otherwise }
}
scenario flat null "No prompt matters" {
  seed 7
  draw correct { mean 60 %; vary question 1.5; vary question, prompt 0.3 }
  draw cost { mean 0.02 usd; vary record 0.4 }
  expect H1 supported at most 2.5 %
}
scenario large effect "Thirty points" {
  seed 8
  draw correct { mean 60 %; shift 30 pp where prompt == asked; vary question 1 }
  draw cost { mean 0.02 usd; times 2 x where prompt == asked }
  lose 5 % as missing
  expect H1 supported at least 90 %
}
results r { file "r.csv"; unit question at "q"; level prompt at "p"; repeat at "k"; correct = "c"; cost = "usd" }
"#;

fn run(scenario: &str, data_sets: u32, workers: usize) -> Simulation {
    let analysis = analyse("study.prespec", STUDY, &mut |path| Err(format!("{path} is not there")));
    let spec = analysis.spec.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
    let tasks = read_tasks(spec.tasks.as_ref().unwrap(), None).unwrap();
    simulate(&spec, &tasks, scenario, Settings { data_sets, workers, detectable: false }, &|_| {}).unwrap()
}

#[test]
fn threads_and_the_number_of_data_sets_change_no_luck() {
    assert_eq!(run("flat", 60, 1), run("flat", 60, 4));
    let (few, many) = (run("large", 30, 2), run("large", 31, 2));
    let supported = |result: &Simulation| result.hypotheses[0].of(VerdictClass::Supported);
    assert!(supported(&many) - supported(&few) <= 1);
}

#[test]
fn a_null_is_seldom_supported_and_a_large_effect_almost_always() {
    let flat = run("flat", 400, 2);
    let claims = flat.hypotheses[0].of(VerdictClass::Supported) + flat.hypotheses[0].of(VerdictClass::Contradicted);
    // 5 % of 400 is 20, with a standard error of 4.4.
    assert!((4..=36).contains(&claims), "{claims}");
    assert!(!flat.expectations[0].missed);
    let large = run("large", 100, 2);
    assert!(large.hypotheses[0].of(VerdictClass::Supported) >= 90);
    assert!(!large.expectations[0].missed);
}

#[test]
fn amounts_have_their_mean() {
    // 160 records at 2 cents, log-normal with the deviation taken into the mean.
    let flat = run("flat", 100, 2);
    assert!((flat.costs[0].mean - 3.2).abs() < 0.05, "{}", flat.costs[0].mean);
    // Half at 2 cents, half at 4, less the lost ones.
    let large = run("large", 100, 2);
    assert!((large.costs[0].mean - 4.8 * 0.95).abs() < 0.03, "{}", large.costs[0].mean);
}
