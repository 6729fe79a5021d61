//! Comparisons, ladders and rankings from a study as text to findings and orders, with every p-value computed here by scipy's
//! definition or by counting, and the findings by hand from them.

use std::fmt::Write as _;

use prespec::decide::judgment::{ComparedMember, ComparisonResult, Judgment, RankRow, RankingResult};
use prespec::spec::State;

use super::{judged, number, outcome, record, study, tasks};

const HEAD: &str = "language 1\nstudy s { title \"s\" }\nfactor scaffold = single | plan | crew\n\
    model small { provider p; id \"a\" pinned dated; tier 1 }\nmodel middle { provider p; id \"b\" pinned dated; tier 2 }\n\
    model large { provider p; id \"c\" pinned dated; tier 3 }\n\
    tasks task { count 12 }\ndesign { cross model, scaffold, task; repeat 1 }\n\
    outcome score: proportion\noutcome cost: usd\n\
    results r { file \"r.csv\"; unit task at \"t\"; level model at \"m\"; level scaffold at \"a\"; score = \"s\"; cost = \"c\" }\n\
    margin close = 5 pp higher \"a smaller difference would change no choice\"\nmargin tenth = 1.1 x lower \"a tenth of the bill\"\n\
    test flip = sign_flip(sides: two)\ntest t = paired_t(sides: two)\ntest same = equivalence(margin: close)\n";

/// Score in hundredths and cost in cents of a task in a cell: the base of the model and scaffold with a pattern over tasks.
fn cell(model: &str, scaffold: &str, task: usize) -> (i64, i64) {
    // By model: the single agent, the plan, the crew. The crew does exactly what the single agent does on the small model, and twelve
    // points more on the others.
    let (scores, costs) = match model {
        "small" => ([40, 70, 40], [10, 20, 60]),
        "middle" => ([55, 70, 67], [40, 120, 300]),
        _ => ([72, 73, 84], [160, 400, 400]),
    };
    let at = match scaffold {
        "single" => 0,
        "plan" => 1,
        _ => 2,
    };
    let (base, cost) = (scores[at], costs[at]);
    let wobble = if scaffold == "plan" { [3, -2, 1, 0, 2, -3, 1, -1, 2, 0, -2, -1][task] } else { 0 };
    (base + wobble, cost + i64::try_from(task).unwrap() % 3)
}

fn judgment(declarations: &str) -> Judgment {
    judgment_without(declarations, &[])
}

/// Without the records of these tasks under the scaffold `plan`.
fn judgment_without(declarations: &str, lost: &[usize]) -> Judgment {
    let text = format!("{HEAD}{declarations}");
    let spec = study(&text);
    let tasks = tasks(&spec, None);
    let mut records = Vec::new();
    for model in ["small", "middle", "large"] {
        for scaffold in ["single", "plan", "crew"] {
            for task in 0..12 {
                if scaffold == "plan" && lost.contains(&task) {
                    continue;
                }
                let (score, cost) = cell(model, scaffold, task);
                let fields = [
                    ("score", number(&format!("{}", f64::from(i32::try_from(score).unwrap()) / 100.0))),
                    ("cost", number(&format!("{}", f64::from(i32::try_from(cost).unwrap()) / 100.0))),
                ];
                let levels = [("model", model), ("scaffold", scaffold)];
                records.push(record(&(task + 1).to_string(), &levels, 1, State::Scored, &fields));
            }
        }
    }
    judged(&spec, &tasks, records, Vec::new()).unwrap()
}

fn found<'j>(results: &'j [ComparisonResult], member: &[(&str, &str)]) -> &'j ComparedMember {
    let fits = |own: &&ComparedMember| {
        member.iter().all(|(factor, level)| own.member.iter().any(|(f, l)| f == factor && l == level))
    };
    results.iter().flat_map(|result| &result.members).find(fits).unwrap_or_else(|| panic!("{member:?}"))
}

const HYPOTHESIS: &str = "hypothesis H exploratory \"all\" { descriptive; about spent }\nmeasure spending = sum(cost)\nestimand spent = spending\n";

#[test]
fn every_finding_comes_from_its_own_evidence() {
    let judgment = judgment(&format!(
        "{HYPOTHESIS}paired lead per model, scaffold except single = score - score[scaffold: single]\n\
         compare leads {{ on lead with flip, same higher; adjust joint; level 5 %; minimum 10 task; precedence difference; count 6 }}\n"
    ));
    let finding = |model, scaffold| found(&judgment.comparisons, &[("model", model), ("scaffold", scaffold)]).finding;
    assert_eq!(judgment.comparisons[0].count, 6);
    // Thirty and fifteen points above on every task: 2 of 4,096 sign vectors, times at most 6.
    assert_eq!(finding("small", "plan"), "better");
    assert_eq!(finding("middle", "plan"), "better");
    // One point on average, at most four from zero: inside five points by two one-sided t tests.
    assert_eq!(finding("large", "plan"), "equivalent");
    // The crew moves every task by the same amount, nought or twelve points.
    for model in ["small", "middle", "large"] {
        let member = found(&judgment.comparisons, &[("model", model), ("scaffold", "crew")]);
        assert_eq!(member.finding, "no_interval");
        assert!(member.reason.as_ref().unwrap().contains("the same amount"));
    }
    let better = found(&judgment.comparisons, &[("model", "small"), ("scaffold", "plan")]);
    assert!((better.p_difference - 6.0 * 2.0 / 4_096.0).abs() < 1e-15, "{}", better.p_difference);
    assert_eq!(better.units, 12);
}

#[test]
fn precedence_and_direction_are_as_declared() {
    let declare = |better: &str, precedence: &str| {
        format!(
            "{HYPOTHESIS}margin wide = 40 pp higher \"x\"\ntest near = equivalence(margin: wide)\n\
             paired lead per model, scaffold except single = score - score[scaffold: single]\n\
             compare leads {{ on lead with flip, near {better}; adjust joint; level 5 %; minimum 10; precedence {precedence} }}\n"
        )
    };
    for (better, precedence, wanted) in
        [("higher", "difference", "better"), ("lower", "difference", "worse"), ("higher", "equivalence", "equivalent")]
    {
        let judgment = judgment(&declare(better, precedence));
        let member = found(&judgment.comparisons, &[("model", "small"), ("scaffold", "plan")]);
        assert_eq!((member.finding, member.within_margin), (wanted, true), "{better} {precedence}");
    }
}

#[test]
fn too_few_units_give_no_verdict_and_dropped_pairs_are_counted() {
    let judgment = judgment_without(
        &format!(
            "{HYPOTHESIS}analysis_set a {{ count missing as excluded }}\n\
             paired lead per model, scaffold except single = score - score[scaffold: single]\n\
             compare leads {{ on lead with t higher; adjust holm; level 5 %; minimum 10 task }}\n"
        ),
        &[0, 4, 7],
    );
    let member = found(&judgment.comparisons, &[("model", "small"), ("scaffold", "plan")]);
    assert_eq!((member.finding, member.units, member.left_out), ("no_verdict", 9, 3));
    assert!(member.reason.as_ref().unwrap().contains("10 are the fewest"), "{:?}", member.reason);
    assert_eq!(member.p_equivalence, None);
}

const LADDER: &str = "paired lead per model, scaffold except single = score - score[scaffold: single, model: next]\n\
    paired saving per model, scaffold except single = log_ratio(cost, cost[scaffold: single, model: next])\n";

#[test]
fn scaffold_or_scale_walks_the_ladder_and_needs_both_claims() {
    let judgment = judgment(&format!(
        "{HYPOTHESIS}{LADDER}compare structure_or_scale {{ on lead with flip higher; on saving with t lower; adjust holm; level 5 %; minimum 10 task; count 4 }}\n"
    ));
    // The top of the ladder has no next rung, so there are two scaffolds on two models.
    assert_eq!(judgment.comparisons[0].members.len(), 4);
    let finding = |model, scaffold| found(&judgment.comparisons, &[("model", model), ("scaffold", scaffold)]);
    // Fifteen points above the next model alone, at half its cost.
    assert_eq!(finding("small", "plan").finding, "better");
    // Its p is the larger of both: flips of twelve differences of one sign give 2^-11, the t of the cost a smaller one.
    assert!((finding("small", "plan").p_difference - 4.0 * 2.0 / 4_096.0).abs() < 1e-12);
    assert_eq!(finding("small", "plan").lines.len(), 2);
    // Two points below, at three quarters of the cost: nothing in both.
    assert_eq!(finding("middle", "plan").finding, "not_separable");
    // Fifteen points below and dearer, but by the same amount on every task.
    assert_eq!(finding("small", "crew").finding, "no_interval");
}

#[test]
fn a_claim_of_a_hypothesis_may_need_two_tests_at_once() {
    let judgment = judgment(&format!(
        "{LADDER}family both {{ members lead with flip; members saving with t; together lead, saving; adjust holm; count 4 }}\n\
         hypothesis H primary \"Some scaffold on a smaller model beats the next model alone, and costs less\" {{\n\
         about lead with flip\nabout saving with t\nscope any model, scaffold\ndecide {{\n\
         supported when lead.estimate > 0 pp and saving.estimate < 0 and lead.p_adjusted < 5 % and saving.p_adjusted < 5 %\n\
         inconclusive otherwise\n}}\n}}\n"
    ));
    assert_eq!(outcome(&judgment, "H").label, "supported");
    let family = &judgment.families[0];
    assert_eq!((family.count, family.members.len()), (4, 8));
    let adjusted = |name: &str| {
        let own = family.members.iter().find(|(member, ..)| {
            member.contains(name) && member.contains("model small") && member.contains("scaffold plan")
        });
        own.unwrap().2
    };
    assert_eq!(adjusted("lead").to_bits(), adjusted("saving").to_bits());
}

fn rows(results: &[RankingResult]) -> &[RankRow] {
    results[0].rows.as_ref().unwrap()
}

fn ranked(rows: &[RankRow]) -> String {
    let mut out = String::new();
    for row in rows {
        let (best, worst) = row.bounds.unwrap_or_default();
        let tie = if row.tied { "=" } else { "" };
        write!(out, "{} {tie}{} [{best}, {worst}]; ", row.member[0].1, row.rank.unwrap_or_default()).unwrap();
    }
    out
}

#[test]
fn ranks_tie_where_neither_is_above_anything_the_other_is_not() {
    let judgment = judgment(&format!(
        "{HYPOTHESIS}measure level = mean(score)\nmeasure ahead(a, b) = level[scaffold: a] - level[scaffold: b]\nestimand lead per pair of scaffold, model = ahead\n\
         compare leads {{ on lead with flip, same higher; within model; adjust joint; level 5 %; minimum 10; precedence difference; count 3 }}\n\
         ranking order_of_scaffolds {{ by leads; order inclusion }}\n"
    ));
    assert_eq!(judgment.rankings.len(), 3);
    let of = |model: &str| {
        let within = |result: &&RankingResult| result.within == [("model".to_owned(), model.to_owned())];
        ranked(judgment.rankings.iter().find(within).unwrap().rows.as_ref().unwrap())
    };
    // On the small model plan is above both; single and crew do the same on every task, so nothing separates them.
    assert_eq!(of("small"), "plan 1 [1, 1]; crew =2 [2, 3]; single =2 [2, 3]; ");
    // On the large model the crew is above plan, always eleven points on average, and single moves with it by a constant.
    assert_eq!(of("large"), "crew 1 [1, 2]; plan =2 [2, 3]; single =2 [1, 3]; ");
}

#[test]
fn a_front_keeps_what_nothing_beats_in_everything() {
    let judgment = judgment(&format!(
        "{HYPOTHESIS}measure level = mean(score)\nmeasure price = mean(cost)\nestimand skill per model, scaffold = level\nestimand bill per model, scaffold = price\n\
         interval draws = bootstrap(percentile, resample: task, resamples: 500, level: 95 %, seed: 1)\n\
         ranking frontier {{ rank model, scaffold; front skill higher; front bill lower; draws draws }}\n\
         ranking dearest {{ rank model, scaffold; by bill largest }}\n"
    ));
    let front = judgment.rankings.iter().find(|result| result.name == "frontier").unwrap();
    let rows = rows(std::slice::from_ref(front));
    let on: Vec<String> = rows
        .iter()
        .filter(|row| row.place == Some("front"))
        .map(|row| format!("{} {}", row.member[0].1, row.member[1].1))
        .collect();
    // small single 40 at 10, small plan 70 at 20, large single 72 at 160, large crew 84 at 400; all else is beaten throughout.
    assert_eq!(on, ["large crew", "large single", "small plan", "small single"]);
    for row in rows {
        let share = *row.frequency.as_ref().unwrap().as_ref().unwrap();
        match row.place {
            Some("front") => assert!(share > 0.9, "{row:?}"),
            // The plan on the middle model ties with that on the small one in score, and costs more, in every resample.
            _ => assert!(share < 0.2, "{row:?}"),
        }
    }
    let dearest = judgment.rankings.iter().find(|result| result.name == "dearest").unwrap().rows.as_ref().unwrap();
    let first: Vec<(Option<u64>, bool)> = dearest.iter().take(3).map(|row| (row.rank, row.tied)).collect();
    assert_eq!(first, [(Some(1), true), (Some(1), true), (Some(3), false)]);
}

#[test]
fn findings_do_not_depend_on_threads_or_declaration_order() {
    let one = format!(
        "{HYPOTHESIS}paired lead per model, scaffold except single = score - score[scaffold: single]\n\
         compare leads {{ on lead with flip, same higher; adjust joint; level 5 %; minimum 10; precedence difference }}\n"
    );
    let two = format!(
        "compare leads {{ precedence difference; minimum 10; level 5 %; adjust joint; on lead with same, flip higher }}\n\
         paired lead per model, scaffold except single = score - score[scaffold: single]\n{HYPOTHESIS}"
    );
    assert_eq!(judgment(&one).comparisons, judgment(&two).comparisons);
}
