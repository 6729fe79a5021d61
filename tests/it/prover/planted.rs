//! Hand-made rules, each with one planted hole, overlap or dead case, or with none.

use super::{
    CONTRADICTED, INCONCLUSIVE, SUPPORTED, all, any, check_witnesses, count, decimal, number, proportion, prove, real,
    verdict,
};
use num_rational::BigRational;
use prespec::check::prover::{
    Budget, Formula, Mode, Problem, Question, Refusal, Relation, Report, Sort, Term, VarId, Variable, counterexample,
    entails, partition, satisfiable,
};

fn hole(report: &Report, id: VarId) -> &BigRational {
    report.hole.as_ref().expect("a hole").number(id).unwrap()
}

fn overlap(report: &Report, first: usize, second: usize, id: VarId) -> &BigRational {
    let found = report.overlaps.iter().find(|o| (o.first, o.second) == (first, second)).expect("an overlap");
    found.witness.number(id).unwrap()
}

fn dead(report: &Report) -> Vec<(usize, Vec<usize>)> {
    report.dead.iter().map(|dead| (dead.case, dead.shadowed_by.clone())).collect()
}

/// One real variable, its cases and what is wrong with them when unordered.
fn on_a_line(cases: impl Fn(Term) -> Vec<Formula>) -> (Report, VarId) {
    let mut problem = Problem::default();
    let x = real(&mut problem, "x");
    (prove(&problem, &cases(x.into()), Mode::Unordered, false), x)
}

fn on_counts(cases: impl Fn(Term) -> Vec<Formula>, most: i64) -> (Report, VarId) {
    let mut problem = Problem::default();
    let n = count(&mut problem, "n", most);
    (prove(&problem, &cases(n.into()), Mode::Unordered, false), n)
}

#[test]
fn two_halves_are_a_partition() {
    let (report, _) = on_a_line(|x| vec![x.clone().lt(number("5")), x.ge(number("5"))]);
    assert!(report.is_partition(), "{report:?}");
}

#[test]
fn a_single_point_is_a_hole() {
    let (report, x) = on_a_line(|x| vec![x.clone().lt(number("5")), x.gt(number("5"))]);
    assert_eq!(hole(&report, x), &decimal("5"));
    assert!(report.overlaps.is_empty() && report.dead.is_empty());
}

#[test]
fn a_single_point_is_an_overlap() {
    let (report, x) = on_a_line(|x| vec![x.clone().le(number("0.05")), x.ge(number("0.05"))]);
    assert_eq!(overlap(&report, 0, 1, x), &decimal("0.05"));
    assert!(report.hole.is_none());
}

#[test]
fn an_equation_fills_the_point() {
    let (report, _) = on_a_line(|x| vec![x.clone().lt(number("5")), x.clone().equals(number("5")), x.gt(number("5"))]);
    assert!(report.is_partition(), "{report:?}");
}

#[test]
fn an_inequation_and_its_point_are_a_partition() {
    let (report, _) = on_a_line(|x| vec![x.clone().compare(Relation::Ne, number("5")), x.equals(number("5"))]);
    assert!(report.is_partition(), "{report:?}");
}

#[test]
fn a_gap_shows_a_short_number_inside() {
    let (report, x) = on_a_line(|x| vec![x.clone().lt(number("0.62")), x.ge(number("0.75"))]);
    assert_eq!(hole(&report, x), &decimal("0.7"));
}

#[test]
fn a_narrow_gap_gets_as_many_places_as_it_needs() {
    let (report, x) = on_a_line(|x| vec![x.clone().lt(number("0.125")), x.ge(number("0.126"))]);
    assert_eq!(hole(&report, x), &decimal("0.1255"));
}

#[test]
fn a_half_line_is_a_hole_near_its_end() {
    let (report, x) = on_a_line(|x| vec![x.le(number("10"))]);
    assert_eq!(hole(&report, x), &decimal("11"));
}

#[test]
fn shared_ends_of_rows_overlap() {
    // Rows "55 to 60", "60 to 65", "65 and more".
    let (report, x) = on_a_line(|x| {
        let between = |low, high| x.clone().ge(number(low)).and(x.clone().le(number(high)));
        vec![x.clone().lt(number("55")), between("55", "60"), between("60", "65"), x.clone().ge(number("65"))]
    });
    assert_eq!(overlap(&report, 1, 2, x), &decimal("60"));
    assert_eq!(overlap(&report, 2, 3, x), &decimal("65"));
    assert_eq!(report.overlaps.len(), 2);
}

#[test]
fn a_contradictory_case_is_dead_and_overlaps_nothing() {
    let (report, _) = on_a_line(|x| {
        vec![x.clone().lt(number("1")), x.clone().gt(number("3")).and(x.clone().lt(number("2"))), x.ge(number("1"))]
    });
    assert_eq!(dead(&report), [(1, vec![])]);
    assert!(report.overlaps.is_empty() && report.hole.is_none());
}

#[test]
fn quorums_leave_nine_to_fourteen() {
    let (report, n) = on_counts(|n| vec![n.clone().ge(number("15")), n.lt(number("9"))], 21);
    let found = hole(&report, n);
    assert!(found.is_integer() && (&decimal("9")..=&decimal("14")).contains(&found), "{found}");
}

#[test]
fn every_count_of_the_hole_is_one_and_no_other() {
    let mut problem = Problem::default();
    let n = count(&mut problem, "positive", 21);
    let neither = all([!Term::from(n).ge(number("15")), !Term::from(n).lt(number("9"))]);
    for value in 0..=21 {
        let fixed = neither.clone().and(Term::from(n).equals(Term::whole(value)));
        let found = satisfiable(&problem, &fixed, &Budget::default()).unwrap();
        assert_eq!(found.is_some(), (9..=14).contains(&value), "{value}");
    }
}

#[test]
fn counts_have_nothing_between_four_and_five() {
    let cases = |x: Term| vec![x.clone().le(number("4")), x.ge(number("5"))];
    assert!(on_counts(cases, 21).0.is_partition());
    let (report, x) = on_a_line(cases);
    assert_eq!(hole(&report, x), &decimal("4.5"));
}

#[test]
fn strict_bounds_on_counts_are_tightened() {
    let (report, _) = on_counts(|n| vec![n.clone().lt(number("4.5")), n.gt(number("4"))], 21);
    assert!(report.is_partition(), "{report:?}");
    let (report, _) = on_counts(|n| vec![n.clone().gt(number("3")).and(n.lt(number("4")))], 21);
    assert_eq!(dead(&report), [(0, vec![])]);
}

#[test]
fn counts_that_must_be_fractional_are_dead() {
    // Twice a count is never odd, and a difference of doubled counts is never 1.
    let mut problem = Problem::default();
    let (a, b) = (count(&mut problem, "a", 100), count(&mut problem, "b", 100));
    let double = |id: VarId| Term::Scale(decimal("2"), Box::new(id.into()));
    let odd = double(a).equals(number("7"));
    let difference = (double(a) - double(b)).equals(number("1"));
    let report = prove(&problem, &[odd, difference], Mode::Unordered, true);
    assert_eq!(dead(&report), [(0, vec![]), (1, vec![])]);
}

#[test]
fn counts_without_bounds_are_compared_by_difference() {
    let mut problem = Problem::default();
    let wins = problem.add(Variable::new("wins", Sort::Int));
    let losses = problem.add(Variable::new("losses", Sort::Int));
    let (w, l) = (Term::from(wins), Term::from(losses));
    let cases = [w.clone().gt(l.clone()), w.clone().le(l.clone() - number("1"))];
    let report = prove(&problem, &cases, Mode::Unordered, false);
    let hole = report.hole.expect("a tie");
    assert_eq!(hole.number(wins), hole.number(losses));
    let with_tie = [cases[0].clone(), cases[1].clone(), w.equals(l)];
    assert!(prove(&problem, &with_tie, Mode::Unordered, false).is_partition());
}

#[test]
fn an_integer_equation_without_a_solution_is_dead() {
    // 6a + 10b = 15 has rational solutions and no whole ones.
    let mut problem = Problem::default();
    let (a, b) = (count(&mut problem, "a", 50), count(&mut problem, "b", 50));
    let sum = Term::Scale(decimal("6"), Box::new(a.into())) + Term::Scale(decimal("10"), Box::new(b.into()));
    let report = prove(&problem, &[sum.equals(number("15"))], Mode::Unordered, true);
    assert_eq!(dead(&report), [(0, vec![])]);
}

#[test]
fn a_mixed_sum_splits_until_whole() {
    // 3a + 5b = 16 has exactly one solution in counts: a = 2, b = 2.
    let mut problem = Problem::default();
    let (a, b) = (count(&mut problem, "a", 5), count(&mut problem, "b", 5));
    let sum = Term::Scale(decimal("3"), Box::new(a.into())) + Term::Scale(decimal("5"), Box::new(b.into()));
    let found = satisfiable(&problem, &sum.equals(number("16")), &Budget::default()).unwrap().unwrap();
    assert_eq!((found.number(a), found.number(b)), (Some(&decimal("2")), Some(&decimal("2"))));
}

#[test]
fn whole_numbers_that_cannot_be_decided_are_refused() {
    let mut problem = Problem::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| Term::from(problem.add(Variable::new(name, Sort::Int))));
    let scaled = |factor: &str, term: &Term| Term::Scale(decimal(factor), Box::new(term.clone()));
    // Each equation alone can hold; eliminating `a` leaves 16 (b - c) = 5.
    let rule = all([
        Term::Add(vec![scaled("3", &a), scaled("5", &b), scaled("7", &c)]).equals(number("1")),
        Term::Add(vec![scaled("1", &a), scaled("7", &b), scaled("-3", &c)]).equals(number("2")),
    ]);
    let budget = Budget { branches: 2_000, ..Budget::default() };
    match satisfiable(&problem, &rule, &budget) {
        Err(Refusal::Integers { variables, .. }) => assert_eq!(variables, ["a", "b", "c"]),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

fn interval(problem: &mut Problem) -> (Term, Term, Term) {
    let [estimate, lower, upper] = ["estimate", "lower", "upper"].map(|name| Term::from(real(problem, name)));
    problem.assume(lower.clone().le(upper.clone()));
    (estimate, lower, upper)
}

#[test]
fn a_win_can_be_a_tie_as_well() {
    // A win has an estimate of at least 0.5 and an interval above 0; a tie has an estimate within 1.
    let mut problem = Problem::default();
    let (estimate, lower, _) = interval(&mut problem);
    let win = estimate.clone().ge(number("0.5")).and(lower.gt(number("0")));
    let tie = estimate.abs().le(number("1"));
    let report = prove(&problem, &[win, tie], Mode::Unordered, true);
    assert_eq!(report.overlaps.len(), 1);
}

#[test]
fn big_but_imprecise_is_a_hole() {
    let mut problem = Problem::default();
    let (estimate, lower, _) = interval(&mut problem);
    let win = estimate.clone().ge(number("0.05")).and(lower.gt(number("0")));
    let lose = estimate.lt(number("0.05"));
    let report = prove(&problem, &[win, lose], Mode::Unordered, false);
    assert!(report.hole.is_some() && report.overlaps.is_empty());
}

#[test]
fn both_sides_of_an_interval_and_the_middle_are_a_partition() {
    let mut problem = Problem::default();
    let (_, lower, upper) = interval(&mut problem);
    let above = lower.clone().gt(number("0"));
    let below = upper.clone().lt(number("0"));
    let middle = lower.le(number("0")).and(upper.ge(number("0")));
    assert!(prove(&problem, &[above, below, middle], Mode::Unordered, false).is_partition());
}

#[test]
fn without_the_order_of_bounds_the_two_sides_overlap() {
    let mut problem = Problem::default();
    let (lower, upper) = (real(&mut problem, "lower"), real(&mut problem, "upper"));
    let cases = [Term::from(lower).gt(number("0")), Term::from(upper).lt(number("0"))];
    assert_eq!(prove(&problem, &cases, Mode::Unordered, true).overlaps.len(), 1);
    problem.assume(Term::from(lower).le(upper.into()));
    assert!(prove(&problem, &cases, Mode::Unordered, true).is_partition());
}

#[test]
fn an_estimate_outside_its_interval_is_possible() {
    let mut problem = Problem::default();
    let (estimate, lower, _) = interval(&mut problem);
    let outside = estimate.lt(lower);
    assert!(satisfiable(&problem, &outside, &Budget::default()).unwrap().is_some());
}

#[test]
fn adjusted_p_is_never_below_p() {
    let mut problem = Problem::default();
    let (p, adjusted) = (proportion(&mut problem, "p"), proportion(&mut problem, "p_adjusted"));
    problem.assume(Term::from(p).le(adjusted.into()));
    let significant = Term::from(adjusted).lt(number("0.05"));
    let unadjusted = Term::from(p).ge(number("0.05"));
    let report = prove(&problem, &[significant.clone(), unadjusted.clone()], Mode::Unordered, false);
    assert!(report.overlaps.is_empty());
    let hole = report.hole.expect("p below and p_adjusted above the level");
    assert!(hole.number(p).unwrap() < &decimal("0.05") && hole.number(adjusted).unwrap() >= &decimal("0.05"));
    assert!(entails(&problem, &significant, &!unadjusted, &Budget::default()).unwrap());
}

#[test]
fn a_threshold_beyond_the_range_is_dead() {
    let mut problem = Problem::default();
    let auroc = proportion(&mut problem, "auroc");
    let cases = [Term::from(auroc).gt(number("1")), Term::from(auroc).le(number("1"))];
    assert_eq!(dead(&prove(&problem, &cases, Mode::Unordered, false)), [(0, vec![])]);
}

#[test]
fn otherwise_without_a_remainder_is_dead() {
    let mut problem = Problem::default();
    let x = Term::from(real(&mut problem, "x"));
    let cases = [x.clone().lt(number("1")), x.clone().ge(number("1"))];
    let report = prove(&problem, &cases, Mode::Unordered, true);
    assert!(report.otherwise_dead && !report.is_partition());
    let point = [x.clone().lt(number("1")), x.gt(number("1"))];
    assert!(prove(&problem, &point, Mode::Unordered, true).is_partition());
}

#[test]
fn in_order_a_shadowed_case_is_dead_and_its_shadow_is_named() {
    let mut problem = Problem::default();
    let x = Term::from(real(&mut problem, "x"));
    let cases =
        [x.clone().gt(number("10")), x.clone().gt(number("0")), x.clone().gt(number("5")), x.clone().le(number("0"))];
    let report = prove(&problem, &cases, Mode::InOrder, false);
    assert_eq!(dead(&report), [(2, vec![1])]);
    assert!(report.hole.is_none() && report.overlaps.is_empty());
}

#[test]
fn two_earlier_cases_can_shadow_together() {
    let mut problem = Problem::default();
    let x = Term::from(real(&mut problem, "x"));
    let cases = [
        x.clone().lt(number("3")),
        x.clone().equals(number("100")),
        x.clone().ge(number("3")).and(x.clone().lt(number("6"))),
        x.clone().gt(number("1")).and(x.clone().lt(number("5"))),
        x.ge(number("6")),
    ];
    assert_eq!(dead(&prove(&problem, &cases, Mode::InOrder, false)), [(3, vec![0, 2])]);
}

#[test]
fn absolute_values_have_two_sides() {
    let (report, x) = on_a_line(|x| vec![x.clone().abs().le(number("2")), x.gt(number("2"))]);
    assert!(hole(&report, x) < &decimal("-2"));
    let (report, _) =
        on_a_line(|x| vec![x.clone().abs().le(number("2")), x.clone().gt(number("2")), x.lt(number("-2"))]);
    assert!(report.is_partition(), "{report:?}");
}

#[test]
fn absolute_values_meet_their_bound_at_one_point_each() {
    let (report, x) = on_a_line(|x| vec![x.clone().abs().lt(number("2")), x.abs().gt(number("2"))]);
    assert_eq!(num_traits::Signed::abs(hole(&report, x)), decimal("2"));
}

#[test]
fn an_absolute_value_is_never_negative() {
    let (report, _) = on_a_line(|x| vec![x.clone().abs().lt(number("0")), x.abs().ge(number("0"))]);
    assert_eq!(dead(&report), [(0, vec![])]);
}

#[test]
fn the_greatest_is_one_of_its_operands() {
    let mut problem = Problem::default();
    let (a, b) = (Term::from(real(&mut problem, "a")), Term::from(real(&mut problem, "b")));
    let greatest = Term::Max(vec![a.clone(), b.clone()]);
    let least = Term::Min(vec![a.clone(), b.clone()]);
    let claim = (greatest.clone() + least.clone()).equals(a.clone() + b.clone());
    assert!(entails(&problem, &Formula::True, &claim, &Budget::default()).unwrap());
    let spread = (greatest - least).equals((a - b).abs());
    assert!(entails(&problem, &Formula::True, &spread, &Budget::default()).unwrap());
}

#[test]
fn a_spread_is_never_below_zero() {
    let mut problem = Problem::default();
    let arms: Vec<Term> = ["a", "b", "c"].iter().map(|name| Term::from(proportion(&mut problem, name))).collect();
    let spread = Term::Max(arms.clone()) - Term::Min(arms);
    let report = prove(&problem, &[spread.clone().lt(number("0")), spread.ge(number("0"))], Mode::Unordered, false);
    assert_eq!(dead(&report), [(0, vec![])]);
}

#[test]
fn a_ratio_is_multiplied_out_when_its_denominator_is_positive() {
    let mut problem = Problem::default();
    let treated = problem.add(Variable::new("treated", Sort::Real).at_least(decimal("0")));
    let reference = problem.add(Variable::new("reference", Sort::Real).above(decimal("0")));
    let ratio = Term::from(treated) / reference.into();
    let cases = [ratio.clone().ge(number("0.8")), ratio.clone().lt(number("0.8"))];
    assert!(prove(&problem, &cases, Mode::Unordered, false).is_partition());
    let open = [ratio.clone().gt(number("0.8")), ratio.lt(number("0.8"))];
    assert!(prove(&problem, &open, Mode::Unordered, false).hole.is_some());
}

#[test]
fn a_negative_denominator_turns_the_relation() {
    let mut problem = Problem::default();
    let a = Term::from(real(&mut problem, "a"));
    let b = Term::from(problem.add(Variable::new("b", Sort::Real).at_most(decimal("-1"))));
    let claim = a.clone().le(Term::Scale(decimal("2"), Box::new(b.clone())));
    assert!(entails(&problem, &(a / b).ge(number("2")), &claim, &Budget::default()).unwrap());
}

#[test]
fn a_denominator_that_may_be_zero_is_named() {
    let mut problem = Problem::default();
    let (a, b) = (proportion(&mut problem, "gain"), proportion(&mut problem, "reference"));
    let case = (Term::from(a) / Term::from(b)).ge(number("0.8"));
    let report = partition(&problem, &[case.clone(), !case], Mode::Unordered, false, &Budget::default());
    assert!(!report.is_partition());
    assert_eq!(report.refused[0].question, Question::Case(0));
    assert_eq!(report.refused[0].refusal, Refusal::Denominator { term: "reference".to_owned() });
    assert!(report.hole.is_none() && report.dead.is_empty());
}

#[test]
fn an_axiom_can_fix_the_sign_of_a_denominator() {
    let mut problem = Problem::default();
    let (a, b) = (Term::from(proportion(&mut problem, "a")), Term::from(proportion(&mut problem, "b")));
    problem.assume((a.clone() + b.clone()).ge(number("0.5")));
    let share = a.clone() / (a + b);
    let cases = [share.clone().ge(number("0.5")), share.clone().lt(number("0.5")), share.gt(number("1"))];
    let report = prove(&problem, &cases, Mode::Unordered, false);
    assert_eq!(dead(&report), [(2, vec![])]);
    assert!(report.hole.is_none() && report.overlaps.is_empty());
}

#[test]
fn products_of_two_unknowns_are_refused_and_constants_fold() {
    let mut problem = Problem::default();
    let (a, b) = (Term::from(real(&mut problem, "a")), Term::from(real(&mut problem, "b")));
    let product = (a.clone() * b.clone()).gt(number("0"));
    assert_eq!(
        satisfiable(&problem, &product, &Budget::default()),
        Err(Refusal::Nonlinear { term: "(a * b)".to_owned() })
    );
    let folded = (a.clone() * (number("1") + number("1"))).gt(number("3")).and((a / number("2")).lt(number("0.76")));
    let found = satisfiable(&problem, &folded, &Budget::default()).unwrap();
    assert!(found.is_some_and(|witness| folded.holds_at(&witness) == Some(true)));
    let by_zero = (b / (number("1") - number("1"))).gt(number("0"));
    assert!(matches!(satisfiable(&problem, &by_zero, &Budget::default()), Err(Refusal::Denominator { .. })));
}

#[test]
fn two_ratios_with_different_denominators_are_refused() {
    let mut problem = Problem::default();
    let [a, b] = ["a", "b"].map(|name| Term::from(problem.add(Variable::new(name, Sort::Real).above(decimal("0")))));
    let case = (number("1") / a.clone()).lt(number("1") / b.clone());
    assert!(matches!(satisfiable(&problem, &case, &Budget::default()), Err(Refusal::Nonlinear { .. })));
    // Over one denominator they are linear.
    let same = (a.clone() / b.clone()).lt((number("2") * a.clone()) / b - number("1"));
    assert!(satisfiable(&problem, &same, &Budget::default()).unwrap().is_some());
}

#[test]
fn verdict_classes_must_all_be_covered() {
    let mut problem = Problem::default();
    let hard = verdict(&mut problem, "hard");
    let cases = [Formula::Is(hard, vec![SUPPORTED]), Formula::Is(hard, vec![CONTRADICTED, INCONCLUSIVE])];
    let report = prove(&problem, &cases, Mode::Unordered, false);
    assert_eq!(report.hole.unwrap().class(hard), Some(3));
    let total = [cases[0].clone(), !cases[0].clone()];
    assert!(prove(&problem, &total, Mode::Unordered, false).is_partition());
}

#[test]
fn a_truth_table_over_two_verdicts_overlaps_unless_ordered() {
    let mut problem = Problem::default();
    let (hard, easy) = (verdict(&mut problem, "hard"), verdict(&mut problem, "easy"));
    let both = all([Formula::Is(hard, vec![SUPPORTED]), Formula::Is(easy, vec![SUPPORTED])]);
    let either = any([Formula::Is(hard, vec![CONTRADICTED]), Formula::Is(easy, vec![CONTRADICTED])]);
    let mixed = Formula::Is(hard, vec![SUPPORTED]);
    let cases = [both, either, mixed];
    let unordered = prove(&problem, &cases, Mode::Unordered, true);
    assert_eq!(unordered.overlaps.iter().map(|o| (o.first, o.second)).collect::<Vec<_>>(), [(0, 2), (1, 2)]);
    assert!(prove(&problem, &cases, Mode::InOrder, true).is_partition());
}

#[test]
fn a_list_of_no_classes_is_dead_and_one_of_all_classes_is_total() {
    let mut problem = Problem::default();
    let h = verdict(&mut problem, "h");
    let cases = [Formula::Is(h, vec![]), Formula::Is(h, (0..6).collect())];
    let report = prove(&problem, &cases, Mode::Unordered, false);
    assert_eq!(dead(&report), [(0, vec![])]);
    assert!(report.hole.is_none());
}

#[test]
fn no_cases_leave_everything() {
    let mut problem = Problem::default();
    let p = proportion(&mut problem, "p");
    let report = prove(&problem, &[], Mode::Unordered, false);
    assert_eq!(report.hole.unwrap().number(p), Some(&decimal("0.5")));
    assert!(prove(&problem, &[], Mode::InOrder, true).is_partition());
}

#[test]
fn contradictory_axioms_are_refused_not_vacuously_proved() {
    let mut problem = Problem::default();
    let p = proportion(&mut problem, "p");
    problem.assume(Term::from(p).gt(number("2")));
    let report = partition(&problem, &[Formula::True], Mode::Unordered, false, &Budget::default());
    assert_eq!(report.refused[0].refusal, Refusal::Contradiction);
    assert!(report.dead.is_empty());
}

#[test]
fn quorums_over_planned_members_add_up() {
    // Supported, contradicted and other members are twelve; support needs eight, contradiction five contradicted.
    let mut problem = Problem::default();
    let (yes, no) = (count(&mut problem, "supported", 12), count(&mut problem, "contradicted", 12));
    problem.assume((Term::from(yes) + Term::from(no)).le(number("12")));
    let cases = [Term::from(yes).ge(number("8")), Term::from(no).gt(number("4"))];
    let report = prove(&problem, &cases, Mode::Unordered, true);
    assert!(report.is_partition(), "{report:?}");
    let lax = [Term::from(yes).ge(number("7")), Term::from(no).gt(number("4"))];
    let report = prove(&problem, &lax, Mode::Unordered, true);
    let witness = &report.overlaps[0].witness;
    assert_eq!((witness.number(yes), witness.number(no)), (Some(&decimal("7")), Some(&decimal("5"))));
}

#[test]
fn sign_flips_miss_the_zero() {
    let mut problem = Problem::default();
    let (low, high) = (Term::from(real(&mut problem, "low")), Term::from(real(&mut problem, "high")));
    let flips = low.clone().gt(number("0")).and(high.clone().lt(number("0")));
    let keeps = any([low.clone().gt(number("0")).and(high.clone().gt(number("0"))), low.clone().lt(number("0"))]);
    let report = prove(&problem, &[flips, keeps], Mode::Unordered, false);
    let hole = report.hole.expect("zero");
    assert!(low.value_at(&hole) == Some(decimal("0")) || high.value_at(&hole) == Some(decimal("0")));
}

#[test]
fn prediction_intervals_split_into_sign_and_size_misses() {
    let mut problem = Problem::default();
    let slope = Term::from(real(&mut problem, "slope"));
    let inside = slope.clone().ge(number("0.07")).and(slope.clone().le(number("0.20")));
    let sign = slope.clone().lt(number("0"));
    let size = slope.clone().gt(number("0.20")).or(slope.clone().ge(number("0")).and(slope.clone().lt(number("0.07"))));
    assert!(prove(&problem, &[inside.clone(), sign.clone(), size], Mode::Unordered, false).is_partition());
    let too_wide = slope.clone().gt(number("0.20")).or(slope.lt(number("0.07")));
    assert_eq!(prove(&problem, &[inside, sign, too_wide], Mode::Unordered, false).overlaps.len(), 1);
}

#[test]
fn non_inferiority_and_superiority_overlap_unordered() {
    let mut problem = Problem::default();
    let (_, lower, upper) = interval(&mut problem);
    let cases = [lower.clone().gt(number("0")), lower.gt(number("-0.10")), upper.lt(number("-0.10"))];
    let unordered = prove(&problem, &cases, Mode::Unordered, true);
    assert_eq!(unordered.overlaps.len(), 1);
    assert!(prove(&problem, &cases, Mode::InOrder, true).is_partition());
}

#[test]
fn a_falsifier_distinct_from_support_leaves_a_middle() {
    // Support: at least 0.7 in two of three; falsified: two or more below 0.6.
    let mut problem = Problem::default();
    let (high, low) = (count(&mut problem, "at_least_70", 3), count(&mut problem, "below_60", 3));
    problem.assume((Term::from(high) + low.into()).le(number("3")));
    let cases = [Term::from(high).ge(number("2")), Term::from(low).ge(number("2"))];
    let report = prove(&problem, &cases, Mode::Unordered, false);
    assert!(report.overlaps.is_empty());
    assert!(report.hole.is_some());
}

#[test]
fn pareto_improvement_has_a_trade_off_region() {
    let mut problem = Problem::default();
    let (correct, cost) = (Term::from(real(&mut problem, "correct_gain")), Term::from(real(&mut problem, "cost_gain")));
    let better = correct.clone().ge(number("0")).and(cost.clone().lt(number("0")));
    let worse = correct.le(number("0")).and(cost.gt(number("0")));
    let report = prove(&problem, &[better, worse], Mode::Unordered, false);
    assert!(report.hole.is_some() && report.overlaps.is_empty());
}

#[test]
fn support_by_absence_is_seen_by_fixing_the_evidence() {
    let mut problem = Problem::default();
    let p = proportion(&mut problem, "p");
    let at_one = Term::from(p).equals(number("1"));
    let absent = Term::from(p).ge(number("0.05"));
    let present = Term::from(p).lt(number("0.05"));
    assert!(satisfiable(&problem, &absent.and(at_one.clone()), &Budget::default()).unwrap().is_some());
    assert!(satisfiable(&problem, &present.and(at_one), &Budget::default()).unwrap().is_none());
}

#[test]
fn a_counterexample_is_exact() {
    let mut problem = Problem::default();
    let x = real(&mut problem, "x");
    let found =
        counterexample(&problem, &Term::from(x).ge(number("3")), &Term::from(x).gt(number("3")), &Budget::default());
    assert_eq!(found.unwrap().unwrap().number(x), Some(&decimal("3")));
}

#[test]
fn unmentioned_variables_take_simple_values_in_range() {
    let mut problem = Problem::default();
    let x = real(&mut problem, "x");
    let p = proportion(&mut problem, "p");
    let n = problem.add(Variable::new("n", Sort::Int).at_least(decimal("30")).at_most(decimal("40")));
    let cases = [Term::from(x).lt(number("5")), Term::from(x).gt(number("5"))];
    let report = prove(&problem, &cases, Mode::Unordered, false);
    let hole = report.hole.unwrap();
    assert_eq!(hole.number(x), Some(&decimal("5")));
    assert_eq!(hole.number(p), Some(&decimal("0.5")));
    assert_eq!(hole.number(n), Some(&decimal("35")));
}

#[test]
fn mistakes_of_the_caller_are_refused() {
    let mut problem = Problem::default();
    let x = real(&mut problem, "x");
    let h = verdict(&mut problem, "h");
    let budget = Budget::default();
    for wrong in [
        Formula::Is(x, vec![0]),
        Formula::Is(h, vec![6]),
        Term::from(h).lt(number("1")),
        Term::Max(vec![]).lt(number("1")),
        Term::fraction(1, 0).lt(number("1")),
    ] {
        assert!(satisfiable(&problem, &wrong, &budget).is_err(), "{wrong:?}");
    }
    let mut other = Problem::default();
    other.add(Variable::new("k", Sort::Class(vec![])));
    assert!(matches!(satisfiable(&other, &Formula::True, &budget), Err(Refusal::Malformed { .. })));
}

#[test]
fn a_refused_case_does_not_hide_what_others_show() {
    let mut problem = Problem::default();
    let (a, b) = (Term::from(real(&mut problem, "a")), Term::from(real(&mut problem, "b")));
    let cases = [a.clone().lt(number("1")), (a.clone() * b).gt(number("0")), a.lt(number("2"))];
    let report = partition(&problem, &cases, Mode::Unordered, false, &Budget::default());
    check_witnesses(&problem, &cases, &report);
    assert_eq!(report.refused.iter().map(|r| r.question).collect::<Vec<_>>(), [Question::Case(1)]);
    assert_eq!(report.overlaps.len(), 1);
    assert!(report.hole.is_none(), "what the unread case leaves is not known");
}
