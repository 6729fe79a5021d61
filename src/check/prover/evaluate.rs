//! Evaluates terms and formulas exactly at a witness, and writes terms with the variables' names. It shares no code with
//! the translation into clauses, so that it can check what the search found.

use super::formula::{Formula, MAX_DEPTH, Problem, Sort, Term, Value, Variable, Witness};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::fmt::Write as _;

/// The longest term that a refusal quotes.
const QUOTED: usize = 160;

impl Term {
    /// The exact value; `None` when a denominator is 0, a variable has no number, or the nesting is too deep.
    #[must_use]
    pub fn value_at(&self, witness: &Witness) -> Option<BigRational> {
        value(self, witness, MAX_DEPTH)
    }
}

impl Formula {
    /// Whether the formula holds; `None` when a term in it has no value.
    #[must_use]
    pub fn holds_at(&self, witness: &Witness) -> Option<bool> {
        holds(self, witness, MAX_DEPTH)
    }
}

impl Problem {
    /// Whether the witness gives every variable a value of its sort within its bounds, and satisfies every axiom.
    #[must_use]
    pub fn admits(&self, witness: &Witness) -> bool {
        self.variables.len() == witness.values.len()
            && self.variables.iter().zip(&witness.values).all(|(variable, value)| fits(variable, value))
            && self.axioms.iter().all(|axiom| axiom.holds_at(witness) == Some(true))
    }
}

fn fits(variable: &Variable, value: &Value) -> bool {
    match (&variable.sort, value) {
        (Sort::Class(classes), Value::Class(class)) => *class < classes.len(),
        (Sort::Real | Sort::Int, Value::Number(number)) => {
            (variable.sort == Sort::Real || number.is_integer())
                && variable.lower.as_ref().is_none_or(|b| b.value < *number || (!b.strict && b.value == *number))
                && variable.upper.as_ref().is_none_or(|b| b.value > *number || (!b.strict && b.value == *number))
        }
        _ => false,
    }
}

fn value(term: &Term, witness: &Witness, depth: usize) -> Option<BigRational> {
    let below = depth.checked_sub(1)?;
    let inner = |term: &Term| value(term, witness, below);
    Some(match term {
        Term::Const(value) => value.clone(),
        Term::Var(id) => witness.number(*id)?.clone(),
        Term::Add(all) => all.iter().map(inner).sum::<Option<BigRational>>()?,
        Term::Neg(term) => -inner(term)?,
        Term::Sub(left, right) => inner(left)? - inner(right)?,
        Term::Scale(factor, term) => factor * inner(term)?,
        Term::Abs(term) => inner(term)?.abs(),
        Term::Min(all) => all.iter().map(inner).collect::<Option<Vec<_>>>()?.into_iter().min()?,
        Term::Max(all) => all.iter().map(inner).collect::<Option<Vec<_>>>()?.into_iter().max()?,
        Term::Mul(left, right) => inner(left)? * inner(right)?,
        Term::Div(left, right) => {
            let divisor = inner(right)?;
            if divisor.is_zero() {
                return None;
            }
            inner(left)? / divisor
        }
    })
}

fn holds(formula: &Formula, witness: &Witness, depth: usize) -> Option<bool> {
    let below = depth.checked_sub(1)?;
    Some(match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::Compare(left, relation, right) => {
            relation.holds(&(value(left, witness, below)? - value(right, witness, below)?))
        }
        Formula::Is(id, classes) => classes.contains(&witness.class(*id)?),
        Formula::Not(inner) => !holds(inner, witness, below)?,
        // An undefined part makes the whole undefined, so every part is looked at.
        Formula::And(all) => {
            let parts = all.iter().map(|inner| holds(inner, witness, below)).collect::<Option<Vec<_>>>()?;
            parts.into_iter().all(|part| part)
        }
        Formula::Or(all) => {
            let parts = all.iter().map(|inner| holds(inner, witness, below)).collect::<Option<Vec<_>>>()?;
            parts.into_iter().any(|part| part)
        }
    })
}

/// Writes a term with the variables' names, for refusals; long terms are cut.
pub(super) fn show(problem: &Problem, term: &Term) -> String {
    let mut text = String::new();
    write_term(problem, term, &mut text, MAX_DEPTH);
    if text.chars().count() > QUOTED {
        text = text.chars().take(QUOTED).chain("…".chars()).collect();
    }
    text
}

fn write_term(problem: &Problem, term: &Term, text: &mut String, depth: usize) {
    // What lies beyond the cut is not worth writing.
    let (Some(below), true) = (depth.checked_sub(1), text.len() <= 4 * QUOTED) else { return };
    let mut list = |name: &str, all: &[Term], separator: &str| {
        text.push_str(name);
        text.push('(');
        for (index, inner) in all.iter().enumerate() {
            if index > 0 {
                text.push_str(separator);
            }
            write_term(problem, inner, text, below);
        }
        text.push(')');
    };
    match term {
        Term::Const(value) => {
            // Writing to a string cannot fail.
            let _ = write!(text, "{value}");
        }
        Term::Var(id) => text.push_str(problem.variable(*id).map_or("?", |variable| &variable.name)),
        Term::Add(all) => list("", all, " + "),
        Term::Min(all) => list("min", all, ", "),
        Term::Max(all) => list("max", all, ", "),
        Term::Abs(inner) => list("abs", std::slice::from_ref(inner), ""),
        Term::Neg(inner) => {
            text.push('-');
            write_term(problem, inner, text, below);
        }
        Term::Scale(factor, inner) => {
            let _ = write!(text, "{factor} * ");
            write_term(problem, inner, text, below);
        }
        Term::Sub(left, right) => write_pair(problem, [left, right], " - ", text, below),
        Term::Mul(left, right) => write_pair(problem, [left, right], " * ", text, below),
        Term::Div(left, right) => write_pair(problem, [left, right], " / ", text, below),
    }
}

fn write_pair(problem: &Problem, [left, right]: [&Term; 2], symbol: &str, text: &mut String, depth: usize) {
    text.push('(');
    write_term(problem, left, text, depth);
    text.push_str(symbol);
    write_term(problem, right, text, depth);
    text.push(')');
}
