//! The prover on rules made to be large.

use criterion::Criterion;
use num_rational::BigRational;
use prespec::check::prover::{Budget, Formula, Mode, Problem, Sort, Term, Variable, partition};

/// A fixed sequence, so that every run proves the same rule.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

fn reals(problem: &mut Problem, count: usize) -> Vec<Term> {
    (0..count).map(|i| Term::from(problem.add(Variable::new(format!("x{i}"), Sort::Real)))).collect()
}

/// Two hundred clauses of three atoms, and the opposite of their conjunction.
fn two_cases(mut atom: impl FnMut() -> Formula) -> [Formula; 2] {
    let case = Formula::And((0..200).map(|_| Formula::Or((0..3).map(|_| atom()).collect())).collect());
    [case.clone(), !case]
}

fn prove(problem: &Problem, cases: &[Formula]) {
    let report = partition(problem, cases, Mode::Unordered, false, &Budget::default());
    assert!(report.overlaps.is_empty());
}

pub fn thresholds(criterion: &mut Criterion) {
    let mut problem = Problem::default();
    let x = reals(&mut problem, 50);
    let mut dice = Dice(1);
    let cases = two_cases(|| {
        let cut = Term::whole(i64::try_from(dice.below(9)).unwrap() - 4);
        let term = x.get(dice.below(50)).unwrap().clone();
        if dice.below(2) == 0 { term.lt(cut) } else { term.ge(cut) }
    });
    criterion.bench_function("prover/200 threshold clauses", |bencher| bencher.iter(|| prove(&problem, &cases)));
}

pub fn linear(criterion: &mut Criterion) {
    let mut problem = Problem::default();
    let x = reals(&mut problem, 50);
    let mut dice = Dice(2);
    let mut sum = move || {
        Term::Add(
            (0..3)
                .map(|_| {
                    let factor = BigRational::new((1 + dice.below(7)).into(), 10.into());
                    Term::Scale(factor, Box::new(x.get(dice.below(50)).unwrap().clone()))
                })
                .collect(),
        )
    };
    let cases = two_cases(|| sum().lt(sum() - Term::whole(1)));
    let mut group = criterion.benchmark_group("prover");
    group.sample_size(10);
    group.bench_function("200 linear clauses", |bencher| bencher.iter(|| prove(&problem, &cases)));
    group.finish();
}
