//! Checks and measures what callers hand in, without recursion, before anything recursive looks at it.

use super::formula::{Formula, MAX_DEPTH, Problem, Sort, Term, VarId};
use super::outcome::{Measure, Refusal};

/// The longest list of classes; each pair of classes costs a clause.
const MAX_CLASSES: usize = 256;

enum Part<'a> {
    Formula(&'a Formula),
    Term(&'a Term),
}

/// Checks the variables and the axioms; gives the number of nodes.
pub(super) fn problem(problem: &Problem, limit: u64) -> Result<u64, Refusal> {
    for variable in &problem.variables {
        if let Sort::Class(classes) = &variable.sort {
            let wrong = if classes.is_empty() {
                "has no class"
            } else if classes.len() > MAX_CLASSES {
                "has more than 256 classes"
            } else if variable.lower.is_some() || variable.upper.is_some() {
                "is a class and cannot have bounds"
            } else {
                continue;
            };
            return Err(Refusal::Malformed { what: format!("`{}` {wrong}", variable.name) });
        }
    }
    problem.axioms.iter().try_fold(0, |sum, axiom| Ok(sum + formula(problem, axiom, limit)?))
}

/// Checks one formula; gives the number of nodes.
pub(super) fn formula(problem: &Problem, formula: &Formula, limit: u64) -> Result<u64, Refusal> {
    let mut nodes = 0_u64;
    let mut open = vec![(Part::Formula(formula), 1)];
    while let Some((part, depth)) = open.pop() {
        nodes += 1;
        if depth > MAX_DEPTH {
            return Err(Refusal::TooDeep { limit: MAX_DEPTH });
        }
        let below = depth + 1;
        match part {
            Part::Formula(Formula::True | Formula::False) | Part::Term(Term::Const(_)) => {}
            Part::Formula(Formula::Compare(left, _, right)) => {
                open.extend([(Part::Term(left), below), (Part::Term(right), below)]);
            }
            Part::Formula(Formula::Is(id, classes)) => {
                nodes += classes.len() as u64;
                is_class(problem, *id, classes)?;
            }
            Part::Formula(Formula::Not(inner)) => open.push((Part::Formula(inner), below)),
            Part::Formula(Formula::And(all) | Formula::Or(all)) => {
                open.extend(all.iter().map(|inner| (Part::Formula(inner), below)));
            }
            Part::Term(Term::Var(id)) => is_number(problem, *id)?,
            Part::Term(Term::Neg(inner) | Term::Scale(_, inner) | Term::Abs(inner)) => {
                open.push((Part::Term(inner), below));
            }
            Part::Term(Term::Sub(left, right) | Term::Mul(left, right) | Term::Div(left, right)) => {
                open.extend([(Part::Term(left), below), (Part::Term(right), below)]);
            }
            Part::Term(Term::Add(all)) => open.extend(all.iter().map(|inner| (Part::Term(inner), below))),
            Part::Term(Term::Min(all) | Term::Max(all)) => {
                if all.is_empty() {
                    return Err(Refusal::Malformed { what: "`min` and `max` need at least one operand".to_owned() });
                }
                open.extend(all.iter().map(|inner| (Part::Term(inner), below)));
            }
        }
        if nodes > limit || open.len() as u64 > limit {
            let count = nodes.max(open.len() as u64);
            return Err(Refusal::TooLarge { measure: Measure::Nodes, count, limit });
        }
    }
    Ok(nodes)
}

fn is_class(problem: &Problem, id: VarId, classes: &[usize]) -> Result<(), Refusal> {
    let what = match problem.variable(id) {
        None => format!("variable number {} is not declared", id.index()),
        Some(variable) => match &variable.sort {
            Sort::Class(known) if classes.iter().all(|class| *class < known.len()) => return Ok(()),
            Sort::Class(known) => format!("`{}` has only {} classes", variable.name, known.len()),
            Sort::Real | Sort::Int => format!("`{}` is a number and has no classes", variable.name),
        },
    };
    Err(Refusal::Malformed { what })
}

fn is_number(problem: &Problem, id: VarId) -> Result<(), Refusal> {
    let what = match problem.variable(id) {
        None => format!("variable number {} is not declared", id.index()),
        Some(variable) => match &variable.sort {
            Sort::Real | Sort::Int => return Ok(()),
            Sort::Class(_) => format!("`{}` is a class and has no numeric value", variable.name),
        },
    };
    Err(Refusal::Malformed { what })
}
