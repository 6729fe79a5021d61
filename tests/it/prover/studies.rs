//! The rule sets of six real preregistrations, written as formulas.

use super::{
    CONTRADICTED, INCONCLUSIVE, SUPPORTED, all, any, count, decimal, number, proportion, prove, real, verdict,
};
use num_rational::BigRational;
use prespec::check::prover::{Formula, Mode, Problem, Report, Sort, Term, Variable};

fn overlaps(report: &Report) -> Vec<(usize, usize)> {
    report.overlaps.iter().map(|overlap| (overlap.first, overlap.second)).collect()
}

fn ordered_bounds(problem: &mut Problem, prefix: &str) -> (Term, Term) {
    let [lower, upper] = ["lower", "upper"].map(|end| Term::from(real(problem, &format!("{prefix}.{end}"))));
    problem.assume(lower.clone().le(upper.clone()));
    (lower, upper)
}

#[test]
fn chess_claims_and_their_opposites_are_partitions() {
    let mut problem = Problem::default();
    let [key, greedy, gain, best, shift] =
        ["cost_key", "cost_greedy", "gain", "shift_best", "shift_key"].map(|name| Term::from(real(&mut problem, name)));
    let p = Term::from(proportion(&mut problem, "p"));
    let rules = [
        all([key.clone().lt(number("0")), greedy.gt(key)]),
        all([gain.ge(number("0.15")), p.lt(number("0.001"))]),
        all([best.clone().lt(number("0.10")), (shift - best).ge(number("0.25"))]),
    ];
    for rule in rules {
        assert!(prove(&problem, &[rule.clone(), !rule.clone()], Mode::Unordered, false).is_partition());
        assert!(prove(&problem, &[rule], Mode::Unordered, true).is_partition());
    }
}

/// C: condition with the chain removed, R: random removal, and the interval of R - C.
fn probe() -> (Problem, [Term; 4]) {
    let mut problem = Problem::default();
    let c = Term::from(proportion(&mut problem, "cot_removed"));
    let r = Term::from(proportion(&mut problem, "random_removed"));
    let (lower, upper) = ordered_bounds(&mut problem, "difference");
    (problem, [c, r, lower, upper])
}

#[test]
fn the_probe_rule_is_a_partition() {
    let (problem, [c, r, lower, _]) = probe();
    let absent = all([c.clone().le(number("0.62")), (r - c.clone()).ge(number("0.10")), lower.gt(number("0"))]);
    let limited = c.ge(number("0.75"));
    assert!(prove(&problem, &[absent.clone(), limited.clone()], Mode::Unordered, true).is_partition());
    let report = prove(&problem, &[absent, limited], Mode::Unordered, false);
    assert!(report.hole.is_some(), "without a third case the middle falls to nobody");
}

#[test]
fn the_sibling_of_the_probe_rule_overlaps() {
    let (mut problem, [c, r, _, _]) = probe();
    let (c_lower, c_upper) = ordered_bounds(&mut problem, "cot_removed");
    let (r_lower, r_upper) = ordered_bounds(&mut problem, "random_removed");
    let separated = any([c_upper.clone().lt(r_lower.clone()), r_upper.clone().lt(c_lower.clone())]);
    let parity = (r.clone() - c.clone()).abs().le(number("0.05"));
    let inconclusive = all([c_lower.le(r_upper), r_lower.le(c_upper)]);
    let absent = all([(r - c).ge(number("0.10")), separated]);
    let report = prove(&problem, &[parity, inconclusive, absent], Mode::Unordered, false);
    assert_eq!(overlaps(&report), [(0, 1)]);
    assert!(report.hole.is_some(), "a separated difference between 0.05 and 0.10 is nobody's");
}

#[test]
fn the_probe_gate_passes_or_fails() {
    let mut problem = Problem::default();
    let [full, logistic, mean] =
        ["full", "logistic", "mean_diff"].map(|name| Term::from(proportion(&mut problem, name)));
    problem.assume(full.clone().equals(Term::Max(vec![logistic.clone(), mean.clone()])));
    let (lower, _) = ordered_bounds(&mut problem, "full");
    let pass =
        all([full.clone().ge(number("0.83")), lower.gt(number("0.690") + number("0.02")), logistic.clone().ge(mean)]);
    assert!(prove(&problem, &[pass.clone(), !pass.clone()], Mode::Unordered, false).is_partition());
    // When the gate passes, the larger readout is the logistic one.
    let budget = prespec::check::prover::Budget::default();
    assert!(prespec::check::prover::entails(&problem, &pass, &full.equals(logistic), &budget).unwrap());
}

#[test]
fn overcooked_quorums_are_partitions_of_twelve_seeds() {
    let mut problem = Problem::default();
    let accepted = Term::from(count(&mut problem, "accepted", 12));
    let controls = Term::from(count(&mut problem, "controls_accepted", 48));
    let p = Term::from(proportion(&mut problem, "p"));
    assert!(
        prove(&problem, &[accepted.clone().ge(number("8")), accepted.clone().le(number("7"))], Mode::Unordered, false)
            .is_partition()
    );
    let report =
        prove(&problem, &[accepted.clone().ge(number("8")), accepted.clone().lt(number("7"))], Mode::Unordered, false);
    assert_eq!(accepted.value_at(&report.hole.unwrap()), Some(decimal("7")));
    let none = [controls.clone().equals(number("0")), controls.ge(number("1"))];
    assert!(prove(&problem, &none, Mode::Unordered, false).is_partition());
    let signed = accepted.clone().ge(number("10")).and(p.lt(number("0.05")));
    let few = accepted.lt(number("10"));
    assert!(prove(&problem, &[signed, few], Mode::Unordered, false).hole.is_some());
}

#[test]
fn placebo_cases_are_total_in_order_and_overlap_without() {
    let mut problem = Problem::default();
    let (lower, upper) = ordered_bounds(&mut problem, "effect");
    let cases = [
        lower.clone().ge(number("-0.02")).and(upper.clone().le(number("0.02"))),
        lower.gt(number("0")),
        upper.lt(number("0")),
    ];
    assert!(prove(&problem, &cases, Mode::InOrder, true).is_partition());
    let unordered = prove(&problem, &cases, Mode::Unordered, true);
    assert_eq!(overlaps(&unordered), [(0, 1), (0, 2)]);
    let witness = &unordered.overlaps[0].witness;
    assert!(witness.values.iter().all(|value| match value {
        prespec::check::prover::Value::Number(n) => (BigRational::from_integer(1000.into()) * n).is_integer(),
        prespec::check::prover::Value::Class(_) => false,
    }));
}

#[test]
fn defence_correlations_split_into_three() {
    let mut problem = Problem::default();
    let phi = Term::from(problem.add(Variable::new("phi", Sort::Real).at_least(decimal("-1")).at_most(decimal("1"))));
    let (lower, upper) = ordered_bounds(&mut problem, "phi");
    let contains = lower.le(number("0")).and(upper.ge(number("0")));
    let cases = [
        contains.clone().and(phi.clone().abs().lt(number("0.15"))),
        contains.clone().and(phi.clone().abs().ge(number("0.15"))),
        !contains.clone(),
    ];
    assert!(prove(&problem, &cases, Mode::Unordered, false).is_partition());
    let one_sided = [cases[0].clone(), contains.and(phi.clone().ge(number("0.15"))), cases[2].clone()];
    let hole = prove(&problem, &one_sided, Mode::Unordered, false).hole.expect("phi at or below -0.15");
    assert!(phi.value_at(&hole).unwrap() <= decimal("-0.15"));
}

#[test]
fn defence_stack_rate_lies_inside_or_not() {
    let mut problem = Problem::default();
    let observed = Term::from(proportion(&mut problem, "observed"));
    let (lower, upper) = ordered_bounds(&mut problem, "predicted");
    let singles: Vec<Term> = (0..7).map(|i| Term::from(proportion(&mut problem, &format!("f{i}")))).collect();
    let inside = all([
        observed.clone().ge(lower.clone()),
        observed.clone().le(upper.clone()),
        observed.clone().le(Term::Add(singles.clone())),
    ]);
    let outside = any([observed.clone().lt(lower), observed.clone().gt(upper), observed.gt(Term::Add(singles))]);
    assert!(prove(&problem, &[inside, outside], Mode::Unordered, false).is_partition());
}

/// Clause i of the quotient study: ratios over the smaller and the larger of two counts.
fn quotient() -> (Problem, [Formula; 3]) {
    let mut problem = Problem::default();
    let [a, b] =
        ["k_a", "k_b"].map(|name| Term::from(problem.add(Variable::new(name, Sort::Int).at_least(decimal("1")))));
    let least = Term::Min(vec![a.clone(), b.clone()]);
    let near = ((a.clone() - b.clone()).abs() / least.clone()).le(number("0.10"));
    let far = (Term::Max(vec![a.clone(), b.clone()]) / least).ge(number("1.5"));
    let saturated = a.ge(number("205")).and(b.ge(number("205")));
    (problem, [near, far, saturated])
}

#[test]
fn the_quotient_clauses_are_clean() {
    let (problem, [near, far, saturated]) = quotient();
    let open = !saturated.clone();
    let cases = [near.clone().and(open.clone()), far.clone().and(open)];
    assert!(prove(&problem, &cases, Mode::Unordered, true).is_partition());
    let in_order = [saturated.clone(), near.clone(), far.clone()];
    assert!(prove(&problem, &in_order, Mode::InOrder, true).is_partition());
    let unguarded = prove(&problem, &[near, far, saturated], Mode::Unordered, true);
    assert_eq!(overlaps(&unguarded), [(0, 2), (1, 2)]);

    let mut second = Problem::default();
    let cosine = |problem: &mut Problem, name: &str| {
        Term::from(problem.add(Variable::new(name, Sort::Real).at_least(decimal("-1")).at_most(decimal("1"))))
    };
    let (median, null) = (cosine(&mut second, "median"), cosine(&mut second, "null"));
    let supported = all([median.clone().gt(number("0.8")), (median.clone() - null.clone()).ge(number("0.2"))]);
    let refuted = median.lt(number("0.4"));
    assert!(prove(&second, &[supported, refuted], Mode::Unordered, true).is_partition());
}

#[test]
fn the_quotient_verdict_is_clean() {
    let mut problem = Problem::default();
    let (i, ii) = (verdict(&mut problem, "i"), verdict(&mut problem, "ii"));
    let both = Formula::Is(i, vec![SUPPORTED]).and(Formula::Is(ii, vec![SUPPORTED]));
    let either = Formula::Is(i, vec![CONTRADICTED]).or(Formula::Is(ii, vec![CONTRADICTED]));
    assert!(prove(&problem, &[both.clone(), either.clone()], Mode::Unordered, true).is_partition());
    let settled = Formula::Is(i, vec![INCONCLUSIVE]).or(Formula::Is(ii, vec![INCONCLUSIVE]));
    let report = prove(&problem, &[both, either, settled], Mode::Unordered, false);
    assert_eq!(overlaps(&report), [(1, 2)]);
    assert!(report.hole.is_some(), "a component that was not evaluable is nobody's");
}
