//! Rules made to be large: an answer or a refusal, within counted effort.

use super::agreement::Dice;
use super::{check_witnesses, decimal, number, proportion, real};
use prespec::check::prover::{
    Budget, Formula, MAX_DEPTH, Measure, Mode, Problem, Refusal, Sort, Term, Variable, partition, satisfiable,
};

fn reals(problem: &mut Problem, count: usize) -> Vec<Term> {
    (0..count).map(|i| Term::from(real(problem, &format!("x{i}")))).collect()
}

fn threshold(dice: &mut Dice, x: &[Term]) -> Formula {
    let cut = Term::whole(i64::try_from(dice.below(9)).unwrap() - 4);
    let term = x[dice.below(x.len())].clone();
    if dice.chance(50) { term.lt(cut) } else { term.ge(cut) }
}

fn answered_or_too_large(problem: &Problem, cases: &[Formula], mode: Mode) {
    let report = partition(problem, cases, mode, false, &Budget::default());
    check_witnesses(problem, cases, &report);
    for refused in &report.refused {
        assert!(matches!(refused.refusal, Refusal::TooLarge { .. }), "{refused:?}");
    }
}

#[test]
fn two_hundred_clauses_over_fifty_variables_are_decided() {
    let mut problem = Problem::default();
    let x = reals(&mut problem, 50);
    let mut dice = Dice(1);
    let clauses = (0..200).map(|_| Formula::Or((0..3).map(|_| threshold(&mut dice, &x)).collect())).collect();
    let case = Formula::And(clauses);
    let report = partition(&problem, &[case.clone(), !case.clone()], Mode::Unordered, false, &Budget::default());
    assert!(report.is_partition(), "{report:?}");
}

#[test]
fn two_hundred_linear_clauses_are_decided_or_refused() {
    let mut problem = Problem::default();
    let x = reals(&mut problem, 50);
    let mut dice = Dice(2);
    let sum = |dice: &mut Dice| {
        let parts =
            (0..3).map(|_| Term::Scale(decimal(&(1 + dice.below(7)).to_string()), Box::new(x[dice.below(50)].clone())));
        Term::Add(parts.collect())
    };
    let clauses = (0..200)
        .map(|_| {
            Formula::Or(
                (0..3)
                    .map(|_| {
                        let (left, right) = (sum(&mut dice), sum(&mut dice));
                        left.lt(right - Term::whole(1))
                    })
                    .collect(),
            )
        })
        .collect();
    let case = Formula::And(clauses);
    answered_or_too_large(&problem, &[case.clone(), !case], Mode::Unordered);
}

fn nothing() -> prespec::check::prover::Witness {
    prespec::check::prover::Witness { values: Vec::new() }
}

#[test]
fn two_hundred_disjuncts_with_extremes_are_decided_or_refused() {
    let mut problem = Problem::default();
    let x = reals(&mut problem, 20);
    let mut dice = Dice(3);
    let mut pick = || x[dice.below(20)].clone();
    let parts: Vec<Formula> = (0..200)
        .map(|i| {
            let spread = Term::Max(vec![pick(), pick(), pick()]) - Term::Min(vec![pick(), pick(), pick()]);
            let away = (pick() - pick()).abs();
            (spread + away).lt(Term::whole(i % 7 - 3))
        })
        .collect();
    answered_or_too_large(&problem, &[Formula::Or(parts.clone())], Mode::Unordered);
    answered_or_too_large(&problem, &[Formula::And(parts)], Mode::Unordered);
}

#[test]
fn two_hundred_ordered_thresholds_are_a_partition() {
    let mut problem = Problem::default();
    let x = Term::from(real(&mut problem, "x"));
    let mut cases: Vec<Formula> =
        (0..199).map(|i| x.clone().ge(Term::whole(i)).and(x.clone().lt(Term::whole(i + 1)))).collect();
    cases.push(x.clone().lt(Term::whole(0)).or(x.ge(Term::whole(199))));
    let report = partition(&problem, &cases, Mode::Unordered, false, &Budget::default());
    assert!(report.is_partition(), "{:?}", report.refused);
}

#[test]
fn a_pigeonhole_of_classes_is_refused_in_counted_effort() {
    // Ten pigeons, nine holes: no short proof exists for this kind of search.
    let mut problem = Problem::default();
    let holes: Vec<String> = (0..9).map(|hole| format!("h{hole}")).collect();
    let pigeons: Vec<_> =
        (0..10).map(|i| problem.add(Variable::new(format!("p{i}"), Sort::Class(holes.clone())))).collect();
    let mut apart = Vec::new();
    for (i, first) in pigeons.iter().enumerate() {
        for second in &pigeons[i + 1..] {
            apart.extend((0..9).map(|hole| !(Formula::Is(*first, vec![hole]).and(Formula::Is(*second, vec![hole])))));
        }
    }
    let budget = Budget { branches: 500, ..Budget::default() };
    assert_eq!(
        satisfiable(&problem, &Formula::And(apart), &budget),
        Err(Refusal::TooLarge { measure: Measure::Branches, count: 501, limit: 500 })
    );
}

#[test]
fn the_same_budget_gives_the_same_answer() {
    let mut problem = Problem::default();
    let x = reals(&mut problem, 10);
    let mut dice = Dice(5);
    let cases: Vec<Formula> =
        (0..6).map(|_| Formula::And((0..3).map(|_| threshold(&mut dice, &x)).collect())).collect();
    for branches in [1, 10, 100, 1000] {
        let budget = Budget { branches, ..Budget::default() };
        let first = partition(&problem, &cases, Mode::Unordered, false, &budget);
        assert_eq!(first, partition(&problem, &cases, Mode::Unordered, false, &budget));
    }
}

#[test]
fn deep_nesting_is_refused_and_not_overflowed() {
    let mut problem = Problem::default();
    let x = Term::from(proportion(&mut problem, "x"));
    let mut formula = x.clone().lt(number("0.5"));
    for _ in 0..5_000 {
        formula = !formula;
    }
    let mut term = x;
    for _ in 0..5_000 {
        term = term.abs();
    }
    for deep in [formula, term.lt(number("0.5"))] {
        let refusal = satisfiable(&problem, &deep, &Budget::default());
        assert_eq!(refusal, Err(Refusal::TooDeep { limit: MAX_DEPTH }));
        assert_eq!(deep.holds_at(&nothing()), None);
    }
}

#[test]
fn nesting_at_the_limit_is_decided() {
    let mut problem = Problem::default();
    let x = Term::from(proportion(&mut problem, "x"));
    let mut formula = x.lt(number("0.5"));
    // A comparison and its terms take two levels.
    for _ in 0..MAX_DEPTH - 2 {
        formula = Formula::And(vec![!formula]);
        if let Formula::And(mut inner) = formula {
            formula = inner.remove(0);
        }
    }
    assert!(satisfiable(&problem, &formula, &Budget::default()).unwrap().is_some());
}

#[test]
fn wide_rules_are_refused_by_their_size() {
    let mut problem = Problem::default();
    let x = Term::from(proportion(&mut problem, "x"));
    let wide = Formula::Or(vec![x.lt(number("0.5")); 100_000]);
    assert!(matches!(
        satisfiable(&problem, &wide, &Budget::default()),
        Err(Refusal::TooLarge { measure: Measure::Nodes, limit: 100_000, .. })
    ));
}

#[test]
fn huge_constants_stay_exact() {
    let mut problem = Problem::default();
    let x = real(&mut problem, "x");
    let big = num_rational::BigRational::from_integer(num_bigint::BigInt::from(7).pow(200));
    let cases = [Term::from(x).lt(Term::Const(big.clone())), Term::from(x).gt(Term::Const(big.clone()))];
    let report = partition(&problem, &cases, Mode::Unordered, false, &Budget::default());
    assert_eq!(report.hole.unwrap().number(x), Some(&big));
}
