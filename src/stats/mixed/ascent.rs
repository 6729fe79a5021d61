//! The maximum of a smooth log-likelihood: Newton's method where the information is exact, BFGS from differenced information
//! elsewhere, and Newton steps with fresh information at the end either way.
//!
//! Distances are in standard errors: with gradient `g` and information `J`, `sqrt(g' J^-1 g)` is how far the maximum is, to
//! first order. Source of the update and of the step rule: Nocedal, Wright, "Numerical Optimization", 2nd edition, chapters 3, 6.

use super::plain::dot;
use super::surface::{Height, Surface, information};
use crate::math::linear::{Cholesky, LinearError};

/// A maximum, with the information there.
#[derive(Clone, Debug)]
pub(super) struct Summit {
    pub(super) at: Vec<f64>,
    pub(super) value: f64,
    pub(super) information: Vec<f64>,
    pub(super) factor: Cholesky,
    pub(super) iterations: usize,
    /// Distance to the maximum in standard errors, to first order.
    pub(super) remaining: f64,
}

/// Why no maximum was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lost {
    /// The search ended too far from a maximum.
    NotConverged {
        /// Steps taken.
        iterations: usize,
        /// Distance in standard errors, to first order.
        remaining: f64,
    },
    /// A standard deviation grew beyond what data can tell from infinity.
    Unbounded,
    /// The information is not positive definite where the search ended; the first parameter that shows it.
    Flat(usize),
    /// The likelihood is not a finite number there.
    NoValue,
}

/// Squared distance, in standard errors, at which the search hands over to the last Newton steps.
const NEAR: f64 = 1e-12;
/// Squared distance at which nothing is left but rounding.
const THERE: f64 = 1e-20;
/// After so many updates the information is differenced anew.
const REFRESH: usize = 25;
/// The farthest the search may be from the maximum and still call it found, in standard errors.
const FARTHEST: f64 = 1e-5;
/// A standard deviation of random effects beyond which every unit is all right or all wrong.
pub(super) const WIDEST: f64 = 60.0;

/// Climbs from `at`, whose last `spread` entries are standard deviations. `steps` are the differences to take in each parameter
/// where information has to be differenced.
pub(super) fn climb(
    surface: &mut impl Surface,
    mut at: Vec<f64>,
    spread: usize,
    steps: &[f64],
    guess: Option<Vec<f64>>,
    most: usize,
) -> Result<Summit, Lost> {
    let mut here = surface.height(&at, true);
    let exact = here.information.is_some();
    let mut metric = match (here.information.take(), guess) {
        (Some(own), _) | (None, Some(own)) => own,
        (None, None) => information(surface, &at, steps),
    };
    let mut iterations = 0;
    loop {
        let step = ascent(&mut metric, &here.gradient)?;
        let decrement = dot(&step, &here.gradient);
        if decrement <= NEAR {
            break;
        }
        if iterations == most {
            return Err(Lost::NotConverged { iterations, remaining: decrement.max(0.0).sqrt() });
        }
        iterations += 1;
        if !exact && iterations % REFRESH == 0 {
            metric = information(surface, &at, steps);
        }
        let Some((there, mut next)) = along(surface, &at, &here, &step, spread, exact) else { break };
        if there.iter().rev().take(spread).any(|sigma| sigma.abs() > WIDEST) {
            return Err(Lost::Unbounded);
        }
        match next.information.take() {
            Some(own) => metric = own,
            None => update(&mut metric, &at, &there, &here.gradient, &next.gradient),
        }
        (at, here) = (there, next);
    }
    finish(surface, at, here, steps, iterations)
}

/// The step that solves `metric * step = gradient`; where the metric has a direction that curves up, as much of its own
/// diagonal is added, and stays added, as makes it positive definite: updates of an indefinite metric would not mend it.
fn ascent(metric: &mut Vec<f64>, gradient: &[f64]) -> Result<Vec<f64>, Lost> {
    let size = gradient.len();
    let mut added = 0.0;
    for _ in 0..40 {
        let mut raised = metric.clone();
        for (at, line) in raised.chunks_exact_mut(size).enumerate() {
            line.iter_mut().skip(at).take(1).for_each(|own| *own += added * own.abs().max(1e-8));
        }
        if let Ok(step) = Cholesky::factor(&raised, size).and_then(|factor| factor.solve(gradient)) {
            *metric = raised;
            return Ok(step);
        }
        added = if added == 0.0 { 1e-3 } else { added * 4.0 };
    }
    Err(Lost::NoValue)
}

/// The first of ever shorter steps that rises enough; none when rounding hides any rise.
fn along(
    surface: &mut impl Surface,
    at: &[f64],
    here: &Height,
    step: &[f64],
    spread: usize,
    exact: bool,
) -> Option<(Vec<f64>, Height)> {
    let rise = dot(step, &here.gradient);
    // Beyond about its own size a standard deviation's quadratic picture means nothing. The odd factors keep capped and halved
    // steps from landing on zero exactly, which is stationary even where it is a valley.
    let reach = |sigma: &f64| 0.786_151_377 + 0.937_253_933 * sigma.abs();
    let longest = step.iter().zip(at).rev().take(spread);
    let mut share = longest.map(|(step, sigma)| reach(sigma) / step.abs().max(1e-300)).fold(1.0_f64, f64::min);
    for _ in 0..50 {
        let there: Vec<f64> = at.iter().zip(step).map(|(value, step)| value + share * step).collect();
        let next = surface.height(&there, exact);
        if next.value >= here.value + 1e-4 * share * rise - 1e-13 * here.value.abs() {
            return Some((there, next));
        }
        share *= 0.5;
    }
    None
}

/// The BFGS update of the information, left out where the surface does not curve down along the step.
fn update(metric: &mut [f64], at: &[f64], there: &[f64], before: &[f64], after: &[f64]) {
    let size = at.len();
    let moved: Vec<f64> = there.iter().zip(at).map(|(new, old)| new - old).collect();
    let fallen: Vec<f64> = before.iter().zip(after).map(|(old, new)| old - new).collect();
    let image: Vec<f64> = metric.chunks_exact(size).map(|line| dot(line, &moved)).collect();
    let (curve, length) = (dot(&fallen, &moved), dot(&image, &moved));
    if curve <= 1e-8 * length.abs() || length <= 0.0 {
        return;
    }
    for ((line, own_fallen), own_image) in metric.chunks_exact_mut(size).zip(&fallen).zip(&image) {
        for ((entry, fallen), image) in line.iter_mut().zip(&fallen).zip(&image) {
            *entry += own_fallen * fallen / curve - own_image * image / length;
        }
    }
}

/// Newton steps with the information taken once at the end, as long as they come nearer.
fn finish(
    surface: &mut impl Surface,
    mut at: Vec<f64>,
    mut here: Height,
    steps: &[f64],
    iterations: usize,
) -> Result<Summit, Lost> {
    let mut last: Option<(Vec<f64>, Cholesky, f64)> = None;
    for _ in 0..4 {
        let own = match last.take() {
            // Close to the maximum the information no longer changes; taking it again buys nothing.
            Some((own, _, distance)) if distance <= NEAR => own,
            _ => information(surface, &at, steps),
        };
        let factor = Cholesky::factor(&own, at.len()).map_err(flat)?;
        let mut step = factor.solve(&here.gradient).map_err(|_| Lost::NoValue)?;
        let mut distance = dot(&step, &here.gradient);
        for _ in 0..4 {
            if distance <= THERE {
                break;
            }
            let there: Vec<f64> = at.iter().zip(&step).map(|(value, step)| value + step).collect();
            let next = surface.height(&there, false);
            let further = factor.solve(&next.gradient).map_err(|_| Lost::NoValue)?;
            let left = dot(&further, &next.gradient);
            if left.is_nan() || left >= distance {
                break;
            }
            (at, here, step, distance) = (there, next, further, left);
        }
        let settled = distance <= NEAR;
        last = Some((own, factor, distance));
        if settled {
            break;
        }
    }
    let Some((information, factor, distance)) = last else { return Err(Lost::NoValue) };
    let remaining = distance.max(0.0).sqrt();
    if remaining.is_nan() || remaining > FARTHEST {
        return Err(Lost::NotConverged { iterations, remaining });
    }
    Ok(Summit { at, value: here.value, information, factor, iterations, remaining })
}

/// The loss that a failed factorization means.
pub(super) fn flat(error: LinearError) -> Lost {
    match error {
        LinearError::NotPositiveDefinite { row } => Lost::Flat(row),
        LinearError::Rows(_) | LinearError::Length { .. } | LinearError::NotFinite { .. } => Lost::NoValue,
    }
}
