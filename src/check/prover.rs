//! The partition prover: decides whether the cases of a rule leave a hole, overlap or can never apply.
//!
//! It is a pure decision procedure for quantifier-free linear arithmetic over rationals, integers and finite classes, on
//! its own small formulas. It must not know of specs, units, spans or diagnostics: the caller translates into [`Problem`]
//! and [`Formula`], and words what comes back.

mod evaluate;
mod formula;
mod linear;
mod number;
mod outcome;
mod partition;
mod search;
mod simplex;
mod translate;
mod validate;
mod witness;
mod work;

pub use formula::{Bound, Formula, MAX_DEPTH, Problem, Relation, Sort, Term, Value, VarId, Variable, Witness};
pub use outcome::{Budget, Dead, Measure, Mode, Overlap, Question, Refusal, Refused, Report};
pub use partition::{counterexample, entails, partition, satisfiable};
