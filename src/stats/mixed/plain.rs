//! Logistic regression without random effects: the starting point of every fit, and the place where separation is proved.
//!
//! The log-likelihood is concave, so exactly one of two things holds: it has a maximum at a finite point, or there is a direction
//! along which it never falls. Newton's method shows either: it converges, or its steps settle on such a direction, which is
//! then checked row by row. Source: Albert, Anderson, Biometrika 71 (1984) 1-10. What separates the fixed effects here also
//! leaves a mixed model without a finite estimate, because the argument holds for every value of the random effects.

use super::blocks::Problem;
use super::logit::Logit;
use super::refusal::FitError;
use crate::math::linear::Cholesky;

/// The maximum of a logistic regression.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) beta: Vec<f64>,
    pub(super) value: f64,
    /// The negative Hessian.
    pub(super) information: Vec<f64>,
    pub(super) iterations: usize,
    /// Distance to the maximum in standard errors, to first order.
    pub(super) remaining: f64,
}

const MOST_ITERATIONS: usize = 100;
/// Beyond this many standard logistic units a fitted probability is 0 or 1 for all that can be observed.
const FAR: f64 = 30.0;

/// Successes and failures of every distinct explanatory row.
fn totals(problem: &Problem) -> Vec<(f64, f64)> {
    let mut totals = vec![(0.0, 0.0); problem.design_rows().len()];
    for cell in &problem.cells {
        if let Some((right, wrong)) = totals.get_mut(cell.design) {
            *right += cell.right;
            *wrong += cell.wrong;
        }
    }
    totals
}

struct Point {
    value: f64,
    gradient: Vec<f64>,
    information: Vec<f64>,
    farthest: f64,
}

fn point(problem: &Problem, totals: &[(f64, f64)], beta: &[f64]) -> Point {
    let width = problem.names.len();
    let mut eta = Vec::new();
    problem.predictors(beta, &mut eta);
    let mut point =
        Point { value: 0.0, gradient: vec![0.0; width], information: vec![0.0; width * width], farthest: 0.0 };
    for ((row, eta), (right, wrong)) in problem.design_rows().zip(&eta).zip(totals) {
        let at = Logit::at(*eta);
        let trials = right + wrong;
        point.value += right * eta - trials * at.log_one_plus_exp(*eta);
        point.farthest = point.farthest.max(eta.abs());
        let (slope, weight) = (right * at.q - wrong * at.p, trials * at.p * at.q);
        point.gradient.iter_mut().zip(row).for_each(|(sum, x)| *sum += slope * x);
        for (line, x) in point.information.chunks_exact_mut(width).zip(row) {
            line.iter_mut().zip(row).for_each(|(entry, y)| *entry += weight * x * y);
        }
    }
    point
}

/// Fits it, or says why there is nothing to fit.
pub(super) fn fit(problem: &Problem) -> Result<Plain, FitError> {
    let totals = totals(problem);
    let mut beta = vec![0.0; problem.names.len()];
    let mut here = point(problem, &totals, &beta);
    let mut direction = beta.clone();
    for iterations in 1..=MOST_ITERATIONS {
        let Ok(factor) = Cholesky::factor(&here.information, beta.len()) else { break };
        let Ok(step) = factor.solve(&here.gradient) else { break };
        direction.clone_from(&step);
        let decrement = dot(&step, &here.gradient);
        if decrement <= 1e-20 || (decrement <= 1e-14 && here.farthest < FAR) {
            if here.farthest >= FAR {
                break;
            }
            let (value, information) = (here.value, here.information);
            return Ok(Plain { beta, value, information, iterations, remaining: decrement.max(0.0).sqrt() });
        }
        let mut share = 1.0;
        let next = loop {
            let there: Vec<f64> = beta.iter().zip(&step).map(|(b, s)| b + share * s).collect();
            let next = point(problem, &totals, &there);
            if next.value >= here.value + 1e-4 * share * decrement - 1e-13 * here.value.abs() {
                beta = there;
                break Some(next);
            }
            share *= 0.5;
            if share < 1e-12 {
                break None;
            }
        };
        let Some(next) = next else { break };
        here = next;
        if here.farthest >= FAR && separates(problem, &totals, &direction) {
            return Err(separation(problem, &direction));
        }
    }
    if separates(problem, &totals, &direction) {
        return Err(separation(problem, &direction));
    }
    Err(FitError::NotConverged { iterations: MOST_ITERATIONS, remaining: f64::INFINITY })
}

/// Whether no row falls along a direction and some row rises: mixed rows must not move, all-right rows only up, all-wrong only down.
fn separates(problem: &Problem, totals: &[(f64, f64)], direction: &[f64]) -> bool {
    let mut along = Vec::new();
    problem.predictors(direction, &mut along);
    let largest = along.iter().fold(0.0_f64, |most, move_| most.max(move_.abs()));
    let speck = 1e-5 * largest;
    largest > 0.0
        && along.iter().zip(totals).all(|(moved, (right, wrong))| match (*right > 0.0, *wrong > 0.0) {
            (true, true) => moved.abs() <= speck,
            (true, false) => *moved >= -speck,
            (false, true) => *moved <= speck,
            (false, false) => true,
        })
}

fn separation(problem: &Problem, direction: &[f64]) -> FitError {
    let largest = direction.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
    let moving = problem.names.iter().zip(direction).filter(|(_, part)| part.abs() > 1e-3 * largest);
    FitError::Separation { coefficients: moving.map(|(name, _)| format!("`{name}`")).collect() }
}

pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}
