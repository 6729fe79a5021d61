//! The partition prover from the outside: planted mistakes, agreement with an independent solver, hostile rules.

mod agreement;
mod hostile;
mod planted;
mod studies;

use num_rational::BigRational;
use prespec::check::prover::{Budget, Formula, Mode, Problem, Report, Sort, Term, VarId, Variable, partition};

/// An exact number from decimal digits, for example `-0.05`.
fn decimal(text: &str) -> BigRational {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let digits: i64 = format!("{whole}{places}").parse().unwrap();
    BigRational::new(digits.into(), 10_i64.pow(u32::try_from(places.len()).unwrap()).into())
}

fn number(text: &str) -> Term {
    Term::Const(decimal(text))
}

fn real(problem: &mut Problem, name: &str) -> VarId {
    problem.add(Variable::new(name, Sort::Real))
}

fn proportion(problem: &mut Problem, name: &str) -> VarId {
    problem.add(Variable::new(name, Sort::Real).at_least(decimal("0")).at_most(decimal("1")))
}

fn count(problem: &mut Problem, name: &str, most: i64) -> VarId {
    problem.add(Variable::new(name, Sort::Int).at_least(decimal("0")).at_most(BigRational::from_integer(most.into())))
}

/// The six classes of a component verdict.
const SUPPORTED: usize = 0;
const CONTRADICTED: usize = 1;
const INCONCLUSIVE: usize = 2;

fn verdict(problem: &mut Problem, name: &str) -> VarId {
    let classes = ["supported", "contradicted", "inconclusive", "void", "not_evaluated", "not_evaluable"];
    problem.add(Variable::new(name, Sort::Class(classes.map(str::to_owned).to_vec())))
}

fn all<const N: usize>(parts: [Formula; N]) -> Formula {
    Formula::And(parts.into())
}

fn any<const N: usize>(parts: [Formula; N]) -> Formula {
    Formula::Or(parts.into())
}

fn prove(problem: &Problem, cases: &[Formula], mode: Mode, has_otherwise: bool) -> Report {
    let report = partition(problem, cases, mode, has_otherwise, &Budget::default());
    check_witnesses(problem, cases, &report);
    report
}

/// Every witness must be a full assignment for which the claim is exactly true.
fn check_witnesses(problem: &Problem, cases: &[Formula], report: &Report) {
    for overlap in &report.overlaps {
        assert!(problem.admits(&overlap.witness), "{overlap:?}");
        for case in [overlap.first, overlap.second] {
            assert_eq!(cases[case].holds_at(&overlap.witness), Some(true), "{overlap:?}");
        }
    }
    if let Some(hole) = &report.hole {
        assert!(problem.admits(hole), "{hole:?}");
        for case in cases {
            assert_eq!(case.holds_at(hole), Some(false), "{hole:?}");
        }
    }
}
