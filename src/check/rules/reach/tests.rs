//! Levels that tests can and cannot reach, in whole specs.

use crate::check::analyse;
use crate::diagnostic::{Code, Severity};

/// A study of paired scores on `tasks`, with these tests, family and rule.
fn found(tasks: &str, test: &str, family: &str, case: &str) -> Option<String> {
    let spec = format!(
        "language 1\n\
         study small {{ title \"A small study\" }}\n\
         factor arm = plain | checked\n\
         factor size = small | large\n\
         tasks seed {{ {tasks} }}\n\
         design {{ cross arm, size, seed }}\n\
         outcome score: proportion\n\
         analysis_set planned {{ count errored, missing as 0 }}\n\
         paired gain per size = score[checked] - score[plain]\n\
         test t = {test}\n\
         test free = paired_t(sides: two)\n\
         {family}\n\
         hypothesis H1 primary \"The score rises\" {{\n\
           about gain with t\n\
           scope all size\n\
           decide {{ supported when {case}; inconclusive otherwise }}\n\
         }}\n\
         hypothesis H2 exploratory \"By eye\" {{ descriptive; about gain with free }}\n\
         results runs {{ file \"r.csv\"; unit seed at \"seed\"; level arm at \"arm\"; level size at \"size\"; score = \"score\" }}\n"
    );
    let analysis = analyse("t", &spec, &mut |_| Err("no includes".into()));
    let errors: Vec<_> = analysis.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(errors.iter().all(|found| found.code == Code::Unattainable), "{errors:?}");
    assert!(errors.len() < 2, "{errors:?}");
    errors.first().map(|found| format!("{}; {}", found.message, found.help.join(" ")))
}

const TWO: &str = "sign_flip(sides: two)";

#[test]
fn three_seeds_give_no_two_sided_p_below_a_tenth() {
    let message = found("list 1 to 3", TWO, "", "p < 10 % and estimate > 0 pp").unwrap();
    assert_eq!(
        message,
        "`t` cannot give p < 10 %: with 3 seeds its smallest two-sided p is 25 %; \
         5 seeds with a difference would do; plan more, or ask for a level that can be reached"
    );
    assert_eq!(found("list 1 to 5", TWO, "", "p < 10 % and estimate > 0 pp"), None);
    assert_eq!(found("list 1 to 3", "sign_flip(sides: greater)", "", "p <= 12.5 %"), None);
    assert!(found("list 1 to 3", "sign_flip(sides: greater)", "", "p < 12.5 %").is_some());
    assert_eq!(found("list 1 to 3", "paired_t(sides: two)", "", "p < 0.1 % and estimate > 0 pp"), None);
}

#[test]
fn the_units_are_those_the_study_expects() {
    let file = "file \"s.csv\"; key id; field kind: a | b";
    assert_eq!(found(file, TWO, "", "p < 1 % and estimate > 0 pp"), None, "nobody says how many");
    assert!(found(&format!("{file}; expect 4"), TWO, "", "p < 1 % and estimate > 0 pp").is_some());
    let strata = format!("{file}; expect 2 where kind == a; expect 2 where kind == b");
    assert!(found(&strata, TWO, "", "p < 1 % and estimate > 0 pp").is_some());
    let one = format!("{file}; expect 4 where kind == a");
    assert_eq!(found(&one, TWO, "", "p < 1 % and estimate > 0 pp"), None, "the other stratum is open");
}

#[test]
fn families_ask_for_more() {
    let up = "sign_flip(sides: greater)";
    for (adjust, reached) in [("none", true), ("holm", false), ("bonferroni", false)] {
        let family = format!("family f {{ members gain with t; adjust {adjust} }}");
        assert_eq!(found("list 1 to 5", up, &family, "p_adjusted < 5 %").is_none(), reached, "{adjust}");
        assert_eq!(found("list 1 to 6", up, &family, "p_adjusted < 5 %"), None, "{adjust}");
    }
    // Members that can have any p may all come first under Holm, and then the last is multiplied by one less each.
    let mixed = |adjust: &str| format!("family f {{ members gain with t; members gain with free; adjust {adjust} }}");
    assert_eq!(found("list 1 to 6", up, &mixed("holm"), "p_adjusted < 5 %"), None);
    assert!(found("list 1 to 6", up, &mixed("bonferroni"), "p_adjusted < 5 %").is_some());
}

#[test]
fn another_way_to_hold_is_enough() {
    let tasks = "list 1 to 3";
    assert_eq!(found(tasks, TWO, "", "estimate > 20 pp or p < 5 % and estimate > 0 pp"), None);
    assert!(found(tasks, TWO, "", "not (p >= 5 %) and estimate > 0 pp").is_some());
    assert!(found(tasks, TWO, "", "estimate > 0 pp and p in [0, 5 %]").is_some());
}
