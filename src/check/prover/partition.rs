//! Asks the questions that make a set of cases a partition, and answers each with evidence. It owns which questions are
//! asked and in which order, not how one is decided.

use super::formula::{Formula, Problem, Witness};
use super::outcome::{Budget, Dead, Measure, Mode, Overlap, Question, Refusal, Refused, Report};
use super::translate::Translation;
use super::work::Meter;
use super::{validate, witness};

/// Formulas that must hold (`true`) or must not hold (`false`) together.
type Parts<'a> = Vec<(&'a Formula, bool)>;

/// Evidence for which the formula holds, within the declared ranges and axioms; `None` when there is none.
///
/// An unsatisfiable problem is no refusal here: nothing satisfies the formula then. To ask whether a case can hold with
/// some variables fixed, conjoin it with equations that fix them.
pub fn satisfiable(problem: &Problem, formula: &Formula, budget: &Budget) -> Result<Option<Witness>, Refusal> {
    let mut meter = Meter::new(*budget);
    validated(problem, std::slice::from_ref(formula), &meter)?;
    let base = Translation::new(problem, &mut meter)?;
    ask(&base, &[(formula, true)], &mut meter)
}

/// Evidence for which the premise holds and the conclusion does not; `None` when the premise entails the conclusion.
pub fn counterexample(
    problem: &Problem,
    premise: &Formula,
    conclusion: &Formula,
    budget: &Budget,
) -> Result<Option<Witness>, Refusal> {
    let mut meter = Meter::new(*budget);
    validated(problem, [premise, conclusion], &meter)?;
    let base = Translation::new(problem, &mut meter)?;
    ask(&base, &[(premise, true), (conclusion, false)], &mut meter)
}

/// Whether the conclusion holds wherever the premise does.
pub fn entails(problem: &Problem, premise: &Formula, conclusion: &Formula, budget: &Budget) -> Result<bool, Refusal> {
    counterexample(problem, premise, conclusion, budget).map(|witness| witness.is_none())
}

/// Whether the cases are total, disjoint (or ordered) and alive; the budget covers all questions together.
#[must_use]
pub fn partition(problem: &Problem, cases: &[Formula], mode: Mode, has_otherwise: bool, budget: &Budget) -> Report {
    let mut meter = Meter::new(*budget);
    let mut report = Report::default();
    let base = match prepare(problem, &meter.clone(), &mut meter) {
        Ok(base) => base,
        Err(refusal) => {
            report.refused.push(Refused { question: Question::Axioms, refusal });
            return report;
        }
    };
    let mut questions = Questions { base, cases, mode, meter, report, readable: Vec::new() };
    // The budget has run out when a question gives `None`; what is found until then is reported.
    let _ = questions.run(has_otherwise);
    questions.report
}

fn validated<'a>(
    problem: &Problem,
    formulas: impl IntoIterator<Item = &'a Formula>,
    meter: &Meter,
) -> Result<(), Refusal> {
    let limit = meter.nodes_limit();
    let mut count = validate::problem(problem, limit)?;
    for formula in formulas {
        count += validate::formula(problem, formula, limit)?;
    }
    if count > limit {
        return Err(Refusal::TooLarge { measure: Measure::Nodes, count, limit });
    }
    Ok(())
}

/// Translates the axioms and makes sure that some evidence is possible.
fn prepare<'p>(problem: &'p Problem, limits: &Meter, meter: &mut Meter) -> Result<Translation<'p>, Refusal> {
    validated(problem, [], limits)?;
    let base = Translation::new(problem, meter)?;
    match ask(&base, &[], meter)? {
        Some(_) => Ok(base),
        None => Err(Refusal::Contradiction),
    }
}

fn ask(base: &Translation<'_>, parts: &[(&Formula, bool)], meter: &mut Meter) -> Result<Option<Witness>, Refusal> {
    let mut question = base.clone();
    for (formula, positive) in parts {
        question.require(formula, *positive, meter)?;
    }
    if !question.solve(meter)? {
        return Ok(None);
    }
    let witness = witness::extract(&question, meter);
    // Evaluation shares no code with the search: a defect there becomes a refusal, never a wrong proof.
    let correct = base.problem.admits(&witness)
        && parts.iter().all(|(formula, positive)| formula.holds_at(&witness) == Some(*positive));
    if correct { Ok(Some(witness)) } else { Err(Refusal::Defect) }
}

/// What became of one question.
enum Answer {
    Found(Witness),
    Impossible,
    Refused,
}

struct Questions<'a> {
    base: Translation<'a>,
    cases: &'a [Formula],
    mode: Mode,
    meter: Meter,
    report: Report,
    /// For each case whether it could be translated.
    readable: Vec<bool>,
}

impl<'a> Questions<'a> {
    fn run(&mut self, has_otherwise: bool) -> Option<()> {
        self.read()?;
        for case in 0..self.cases.len() {
            self.case(case)?;
        }
        if self.mode == Mode::Unordered {
            for first in 0..self.cases.len() {
                for second in first + 1..self.cases.len() {
                    self.pair(first, second)?;
                }
            }
        }
        self.remainder(has_otherwise)
    }

    /// Answers a question; `None` means that the budget is spent.
    fn ask(&mut self, question: Question, parts: &Parts<'_>) -> Option<Answer> {
        match ask(&self.base, parts, &mut self.meter) {
            Ok(Some(witness)) => Some(Answer::Found(witness)),
            Ok(None) => Some(Answer::Impossible),
            Err(refusal) => {
                let spent = matches!(refusal, Refusal::TooLarge { .. } | Refusal::Integers { .. });
                self.report.refused.push(Refused { question, refusal });
                if spent { None } else { Some(Answer::Refused) }
            }
        }
    }

    /// Refuses each unreadable case once, instead of in every question it takes part in.
    fn read(&mut self) -> Option<()> {
        let limit = self.meter.nodes_limit();
        let mut count = 0;
        for (index, case) in self.cases.iter().enumerate() {
            let read = validate::formula(self.base.problem, case, limit).and_then(|nodes| {
                count += nodes;
                if count > limit {
                    return Err(Refusal::TooLarge { measure: Measure::Nodes, count, limit });
                }
                self.base.clone().require(case, true, &mut self.meter)
            });
            self.readable.push(read.is_ok());
            if let Err(refusal) = read {
                let spent = matches!(refusal, Refusal::TooLarge { .. });
                self.report.refused.push(Refused { question: Question::Case(index), refusal });
                if spent {
                    return None;
                }
            }
        }
        Some(())
    }

    fn is_readable(&self, case: usize) -> bool {
        self.readable.get(case).copied().unwrap_or(false)
    }

    fn is_dead(&self, case: usize) -> bool {
        self.report.dead.iter().any(|dead| dead.case == case)
    }

    /// The case, and none of the others.
    fn without(&self, case: usize, others: &[usize]) -> Parts<'a> {
        let cases = self.cases;
        let itself = cases.get(case).into_iter().map(|formula| (formula, true));
        itself.chain(others.iter().filter_map(|other| cases.get(*other)).map(|formula| (formula, false))).collect()
    }

    fn case(&mut self, case: usize) -> Option<()> {
        if !self.is_readable(case) {
            return Some(());
        }
        let question = Question::Case(case);
        if let Answer::Impossible = self.ask(question, &self.without(case, &[]))? {
            self.report.dead.push(Dead { case, shadowed_by: Vec::new() });
            return Some(());
        }
        if self.mode == Mode::Unordered {
            return Some(());
        }
        let mut earlier: Vec<usize> = (0..case).filter(|&c| self.is_readable(c) && !self.is_dead(c)).collect();
        if let Answer::Impossible = self.ask(question, &self.without(case, &earlier))? {
            // Leave out each earlier case that is not needed, the nearest first.
            for candidate in earlier.clone().into_iter().rev() {
                let fewer: Vec<usize> = earlier.iter().copied().filter(|&other| other != candidate).collect();
                if let Answer::Impossible = self.ask(question, &self.without(case, &fewer))? {
                    earlier = fewer;
                }
            }
            self.report.dead.push(Dead { case, shadowed_by: earlier });
        }
        Some(())
    }

    fn pair(&mut self, first: usize, second: usize) -> Option<()> {
        let alive = |case| self.is_readable(case) && !self.is_dead(case);
        if !alive(first) || !alive(second) {
            return Some(());
        }
        let cases = self.cases;
        let both: Parts<'_> = [first, second].iter().filter_map(|c| cases.get(*c)).map(|f| (f, true)).collect();
        if let Answer::Found(witness) = self.ask(Question::Pair(first, second), &both)? {
            self.report.overlaps.push(Overlap { first, second, witness });
        }
        Some(())
    }

    fn remainder(&mut self, has_otherwise: bool) -> Option<()> {
        if self.readable.contains(&false) {
            return Some(());
        }
        let none: Parts<'_> = self.cases.iter().map(|formula| (formula, false)).collect();
        match (self.ask(Question::Remainder, &none)?, has_otherwise) {
            (Answer::Found(witness), false) => self.report.hole = Some(witness),
            (Answer::Impossible, true) => self.report.otherwise_dead = true,
            (Answer::Found(_), true) | (Answer::Impossible, false) | (Answer::Refused, _) => {}
        }
        Some(())
    }
}
