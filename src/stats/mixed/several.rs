//! Several random intercepts within each block: the likelihood of a block is an integral over all its effects at once, by
//! Laplace's method with a dense inner problem.
//!
//! With standardized effects `u ~ N(0, I)`, `eta_i = x_i'beta + a_i'u` where `a_i` holds the standard deviation of each intercept at
//! the cell's group, `h(u) = log p(k | u) - u'u/2` and `H = I + sum_i w_i a_i a_i'` at the mode, a block's log-likelihood is
//! `h(mode) - log|H|/2`. Its exact gradient, the movement of the mode included, with `c_i = a_i'H^-1 a_i`, `y_i = H^-1 a_i`,
//! `z = H^-1 sum_i t_i c_i a_i / 2`: `dl/deta_i = g_i = r_i - t_i c_i/2 + w_i a_i'z`, and for the standard deviation of intercept m
//! with `j` the cell's group in it, `dl/ds_m = sum_i (g_i u_j - w_i y_ij - r_i z_j)`.

use super::blocks::{Cell, Problem};
use super::logit::Logit;
use super::surface::{Height, Surface};
use crate::math::linear::Cholesky;

/// The likelihood of a problem with any number of random intercepts. It remembers the modes only as places to start from.
pub(super) struct Several<'p> {
    problem: &'p Problem,
    modes: Vec<f64>,
    predictors: Vec<f64>,
}

/// A cell at the mode.
#[derive(Clone, Copy)]
struct AtCell {
    r: f64,
    w: f64,
    t: f64,
    eta: f64,
    curve: Logit,
}

impl AtCell {
    /// The log-likelihood of the cell's count.
    fn height(&self, cell: &Cell) -> f64 {
        cell.right * self.eta - cell.trials() * self.curve.log_one_plus_exp(self.eta)
    }
}

/// One block at its mode.
struct AtMode {
    u: Vec<f64>,
    cells: Vec<AtCell>,
    factor: Cholesky,
}

impl<'p> Several<'p> {
    pub(super) fn new(problem: &'p Problem) -> Self {
        Self { problem, modes: vec![0.0; problem.effects.len()], predictors: Vec::new() }
    }

    /// The mode of every standardized effect with its variance given the data, the diagonal of `H^-1`.
    pub(super) fn modes(&mut self, at: &[f64]) -> Option<Vec<(f64, f64)>> {
        let (beta, sigmas) = at.split_at_checked(self.problem.names.len())?;
        self.problem.predictors(beta, &mut self.predictors);
        let mut all = Vec::with_capacity(self.modes.len());
        for block in 0..self.problem.blocks.len() {
            let mode = self.mode(block, sigmas)?;
            let inverse = mode.factor.inverse();
            all.extend(mode.u.iter().copied().zip(inverse.iter().copied().step_by(mode.u.len() + 1)));
        }
        Some(all)
    }

    /// Newton's method with steps that move no predictor by more than 1: for the logistic curve such a step always rises.
    fn mode(&mut self, block: usize, sigmas: &[f64]) -> Option<AtMode> {
        let problem = self.problem;
        let shape = problem.blocks.get(block)?;
        let (cells, places) = (problem.cells_of(shape), problem.places_of(shape));
        let size = shape.effects.len();
        let mut u = self.modes.get(shape.effects.clone())?.to_vec();
        let mut last = false;
        for _ in 0..1_000 {
            let mut seen = Vec::with_capacity(cells.len());
            let mut slope: Vec<f64> = u.iter().map(|value| -value).collect();
            let mut curve = vec![0.0; size * size];
            curve.iter_mut().step_by(size + 1).for_each(|own| *own = 1.0);
            for (cell, own) in cells.iter().zip(places.chunks_exact(sigmas.len())) {
                let eta = self.predictors.get(cell.design)? + along(own, sigmas, &u);
                let at = Logit::at(eta);
                let n = cell.trials();
                let (r, w) = (cell.right * at.q - cell.wrong * at.p, n * at.p * at.q);
                seen.push(AtCell { r, w, t: w * (at.q - at.p), eta, curve: at });
                for (place, sigma) in own.iter().zip(sigmas) {
                    *slope.get_mut(*place)? += sigma * r;
                    let line = curve.get_mut(place * size..(place + 1) * size)?;
                    for (other, scale) in own.iter().zip(sigmas) {
                        *line.get_mut(*other)? += w * sigma * scale;
                    }
                }
            }
            let factor = Cholesky::factor(&curve, size).ok()?;
            let step = factor.solve(&slope).ok()?;
            let moved =
                places.chunks_exact(sigmas.len()).map(|own| along(own, sigmas, &step).abs()).fold(0.0, f64::max);
            let longest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            if last || longest <= 1e-15 {
                self.modes.get_mut(shape.effects.clone())?.copy_from_slice(&u);
                return Some(AtMode { u, cells: seen, factor });
            }
            let damping = 1.0 / moved.max(1.0);
            u.iter_mut().zip(&step).for_each(|(value, step)| *value += damping * step);
            // Newton's error squares itself, so a full step this small leaves only rounding.
            last = longest <= 1e-8 && moved <= 1.0;
        }
        None
    }

    fn laplace(&mut self, at: &[f64]) -> Option<Height> {
        let problem = self.problem;
        let width = problem.names.len();
        let (beta, sigmas) = at.split_at_checked(width)?;
        problem.predictors(beta, &mut self.predictors);
        let mut by_design = vec![0.0; problem.design_rows().len()];
        let mut by_sigma = vec![0.0; sigmas.len()];
        let mut value = 0.0;
        for (block, shape) in problem.blocks.iter().enumerate() {
            let AtMode { u, cells: seen, factor } = self.mode(block, sigmas)?;
            let (cells, places) = (problem.cells_of(shape), problem.places_of(shape));
            let size = u.len();
            value += cells.iter().zip(&seen).map(|(cell, at)| at.height(cell)).sum::<f64>()
                - 0.5 * u.iter().map(|value| value * value).sum::<f64>()
                - 0.5 * factor.log_determinant();
            let inverse = factor.inverse();
            let entry = |row: usize, column: usize| inverse.get(row * size + column).copied().unwrap_or(f64::NAN);
            // H^-1 a_i at the groups of the cell itself, which is all that is needed of it.
            let mut answers = Vec::with_capacity(places.len());
            let mut pull = vec![0.0; size];
            let mut leverages = Vec::with_capacity(cells.len());
            for (own, at) in places.chunks_exact(sigmas.len()).zip(&seen) {
                let mut leverage = 0.0;
                for (row, sigma) in own.iter().zip(sigmas) {
                    let answer: f64 = own.iter().zip(sigmas).map(|(column, scale)| scale * entry(*row, *column)).sum();
                    answers.push(answer);
                    leverage += sigma * answer;
                }
                leverages.push(leverage);
                for (place, sigma) in own.iter().zip(sigmas) {
                    *pull.get_mut(*place)? += 0.5 * at.t * leverage * sigma;
                }
            }
            let z = factor.solve(&pull).ok()?;
            let by_cell = places.chunks_exact(sigmas.len()).zip(answers.chunks_exact(sigmas.len()));
            for (((own, answers), (cell, at)), leverage) in by_cell.zip(cells.iter().zip(&seen)).zip(&leverages) {
                let total = at.r - 0.5 * at.t * leverage + at.w * along(own, sigmas, &z);
                *by_design.get_mut(cell.design)? += total;
                for ((sum, place), answer) in by_sigma.iter_mut().zip(own).zip(answers) {
                    *sum += total * u.get(*place)? - at.w * answer - at.r * z.get(*place)?;
                }
            }
        }
        let mut gradient = vec![0.0; width];
        for (row, total) in problem.design_rows().zip(&by_design) {
            gradient.iter_mut().zip(row).for_each(|(sum, x)| *sum += total * x);
        }
        gradient.extend(by_sigma);
        Some(Height { value, gradient, information: None })
    }
}

impl Surface for Several<'_> {
    fn height(&mut self, at: &[f64], _information: bool) -> Height {
        let lost = || Height { value: f64::NAN, gradient: vec![f64::NAN; at.len()], information: None };
        self.laplace(at).unwrap_or_else(lost)
    }
}

/// `a_i'u` of a cell with these groups.
fn along(places: &[usize], sigmas: &[f64], u: &[f64]) -> f64 {
    places.iter().zip(sigmas).map(|(place, sigma)| sigma * u.get(*place).copied().unwrap_or(f64::NAN)).sum()
}
