//! The maximum of a problem's likelihood: where searches start, and when a standard deviation is zero.

use super::ascent::{self, Lost, Summit, climb};
use super::blocks::Problem;
use super::fit::Options;
use super::plain::{self, Plain};
use super::quadrature::MOST_NODES;
use super::refusal::FitError;
use super::several::Several;
use super::single::Single;
use super::surface::{Held, Surface};
use crate::math::linear::Cholesky;

/// The maximum of a problem.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// Coefficients, then standard deviations, none negative.
    pub(super) at: Vec<f64>,
    pub(super) value: f64,
    /// Of all parameters, row by row.
    pub(super) covariance: Vec<f64>,
    /// Modes of the standardized effects and their variances.
    pub(super) modes: Vec<(f64, f64)>,
    pub(super) iterations: usize,
    pub(super) remaining: f64,
}

/// Below this a standard deviation may be zero, and zero is tried.
const SMALL: f64 = 1e-2;
/// Differences of the gradient are taken over this share of a standard error.
const STEP: f64 = 1e-3;
/// Where the search for standard deviations starts; and again, when it ended on zero.
const STARTS: [f64; 2] = [0.8, 2.5];

/// Maximizes the likelihood of a problem.
pub(super) fn solve(problem: &Problem, options: Options) -> Result<Solution, FitError> {
    let nodes = options.nodes();
    if !(1..=MOST_NODES).contains(&nodes) {
        return Err(FitError::Nodes(nodes));
    }
    let intercepts = problem.terms.len();
    if nodes > 1 && intercepts > 1 {
        return Err(FitError::QuadratureNeedsOneIntercept { intercepts });
    }
    if options.iterations == 0 {
        return Err(FitError::NoIterations);
    }
    problem.check_counts()?;
    let start = plain::fit(problem)?;
    found(problem, &start, nodes, options.iterations).map_err(|lost| match lost {
        Lost::NotConverged { iterations, remaining } => FitError::NotConverged { iterations, remaining },
        Lost::Unbounded => FitError::Unbounded,
        Lost::Flat(place) => FitError::Flat { parameter: parameter(problem, place) },
        Lost::NoValue => FitError::NoValue,
    })
}

fn parameter(problem: &Problem, place: usize) -> String {
    let intercept = || problem.terms.get(place - problem.names.len()).map(|term| format!("`sd(1 | {term})`"));
    problem.names.get(place).map(|name| format!("`{name}`")).or_else(intercept).unwrap_or_default()
}

fn found(problem: &Problem, start: &Plain, nodes: usize, most: usize) -> Result<Solution, Lost> {
    let width = problem.names.len();
    let factor = Cholesky::factor(&start.information, width).map_err(ascent::flat)?;
    let covariance = factor.inverse();
    let mut steps: Vec<f64> = covariance.iter().step_by(width + 1).map(|variance| STEP * variance.sqrt()).collect();
    match problem.terms.len() {
        0 => Ok(Solution {
            at: start.beta.clone(),
            value: start.value,
            covariance,
            modes: Vec::new(),
            iterations: start.iterations,
            remaining: start.remaining,
        }),
        1 => {
            steps.push(STEP);
            let mut laplace = Single::new(problem, 1);
            if nodes == 1 {
                let summit = highest(&mut laplace, start, &steps, None, most)?;
                let modes = laplace.modes(&summit.at);
                return Ok(solution(summit, modes));
            }
            // Laplace's maximum is near, and its information is a good first picture of that of quadrature.
            let first = highest(&mut laplace, start, &steps, None, most).ok();
            let mut surface = Single::new(problem, nodes);
            let summit = highest(&mut surface, start, &steps, first.as_ref(), most)?;
            let modes = surface.modes(&summit.at);
            Ok(solution(summit, modes))
        }
        intercepts => {
            steps.resize(width + intercepts, STEP);
            let mut surface = Several::new(problem);
            let summit = highest(&mut surface, start, &steps, None, most)?;
            let modes = surface.modes(&summit.at).ok_or(Lost::NoValue)?;
            Ok(solution(summit, modes))
        }
    }
}

/// Climbs from usual values, or from where another surface ended. A standard deviation that ends near zero is tried at exactly
/// zero, and then once more from far away, so that neither a speck is reported for a zero nor a zero for a second summit.
fn highest(
    surface: &mut impl Surface,
    start: &Plain,
    steps: &[f64],
    from: Option<&Summit>,
    most: usize,
) -> Result<Summit, Lost> {
    let width = start.beta.len();
    let spread = steps.len() - width;
    let mut best: Option<Summit> = None;
    let mut first_loss = None;
    for sd in STARTS {
        let guess = from.filter(|from| best.is_none() && from.at.iter().skip(width).all(|sd| *sd > SMALL));
        let (at, guess) = match guess {
            Some(from) => (from.at.clone(), Some(from.information.clone())),
            None => (start.beta.iter().copied().chain(std::iter::repeat_n(sd, spread)).collect(), None),
        };
        let climbed = climb(surface, at, spread, steps, guess, most).map(|summit| {
            let near_zero = summit.at.iter().skip(width).any(|sd| sd.abs() < SMALL);
            if near_zero { at_zero(surface, &summit, width, steps, most).unwrap_or(summit) } else { summit }
        });
        match climbed {
            Ok(mut summit) => {
                summit.at.iter_mut().skip(width).for_each(|sd| *sd = sd.abs());
                let clear = summit.value >= start.value && summit.at.iter().skip(width).all(|sd| *sd > 0.0);
                if best.as_ref().is_none_or(|best| summit.value > best.value + 1e-9 * (1.0 + best.value.abs())) {
                    best = Some(summit);
                }
                if clear {
                    break;
                }
            }
            Err(lost) => first_loss = first_loss.or(Some(lost)),
        }
    }
    best.ok_or(first_loss.unwrap_or(Lost::NoValue))
}

/// The summit with every small standard deviation held at zero, when it is as high and curves down there.
fn at_zero(surface: &mut impl Surface, summit: &Summit, width: usize, steps: &[f64], most: usize) -> Option<Summit> {
    let held: Vec<bool> =
        summit.at.iter().enumerate().map(|(place, value)| place >= width && value.abs() < SMALL).collect();
    let at = summit.at.iter().zip(&held).map(|(value, held)| if *held { 0.0 } else { *value }).collect();
    let mut still = Held { surface, held };
    let mut other = climb(&mut still, at, summit.at.len() - width, steps, None, most).ok()?;
    // Rounding in differenced information can move a held value by a speck.
    other.at.iter_mut().zip(&still.held).filter(|(_, held)| **held).for_each(|(value, _)| *value = 0.0);
    (other.value >= summit.value - 1e-10 * (1.0 + summit.value.abs())).then_some(other)
}

fn solution(summit: Summit, modes: Vec<(f64, f64)>) -> Solution {
    let Summit { at, value, factor, iterations, remaining, .. } = summit;
    Solution { at, value, covariance: factor.inverse(), modes, iterations, remaining }
}
