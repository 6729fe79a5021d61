//! One random intercept: the likelihood of each block is an integral over one number, by Laplace's method or by adaptive
//! Gauss-Hermite quadrature around its mode.
//!
//! With `h(u) = sum_i [k_i eta_i - n_i log(1 + exp(eta_i))] - u^2/2`, `eta_i = x_i'beta + s u` and `D = 1 + s^2 sum_i w_i`, where
//! `w = n p q` at the mode, a block's Laplace log-likelihood is `h(mode) - log(D)/2`. The gradient and the Hessian are its total
//! derivatives, the movement of the mode included: with `t = w (1 - 2p)`, `f = n p q (1 - 6 p q)`, `tau = t - s^2 T w / D` (capitals
//! are sums over the block),
//! `dl/deta_i = r_i - s^2 tau_i / (2D)` and `dl/ds = u R - D'/(2D)`.

use super::blocks::{Cell, Problem};
use super::logit::Logit;
use super::quadrature::{Node, nodes};
use super::surface::{Height, Surface};

/// The likelihood of a problem with one random intercept. It remembers the modes only as places to start from.
pub(super) struct Single<'p> {
    problem: &'p Problem,
    rule: Vec<Node>,
    modes: Vec<f64>,
    predictors: Vec<f64>,
    curve: Vec<Logit>,
}

/// Sums over a block at its mode.
#[derive(Clone, Copy)]
struct AtMode {
    u: f64,
    /// `sum (k - n p)`.
    r: f64,
    /// `sum n p q`.
    w: f64,
    /// `1 + s^2 w`.
    d: f64,
}

/// The third and fourth derivatives of a cell's log-likelihood, with the first two.
#[derive(Clone, Copy)]
struct Slopes {
    r: f64,
    w: f64,
    t: f64,
    f: f64,
}

impl Slopes {
    #[inline]
    fn of(cell: &Cell, at: Logit) -> Self {
        let pq = at.p * at.q;
        let n = cell.trials();
        let w = n * pq;
        Self { r: cell.right * at.q - cell.wrong * at.p, w, t: w * (at.q - at.p), f: w * (1.0 - 6.0 * pq) }
    }
}

impl<'p> Single<'p> {
    /// One node is Laplace's method.
    pub(super) fn new(problem: &'p Problem, count: usize) -> Self {
        Self {
            problem,
            rule: nodes(count),
            modes: vec![0.0; problem.blocks.len()],
            predictors: Vec::new(),
            curve: Vec::new(),
        }
    }

    /// The modes and `1/D` of every block, for the standardized effects.
    pub(super) fn modes(&mut self, at: &[f64]) -> Vec<(f64, f64)> {
        let (beta, sigma) = split(at);
        self.problem.predictors(beta, &mut self.predictors);
        (0..self.problem.blocks.len())
            .map(|block| {
                let mode = self.mode(block, sigma.abs());
                (mode.u, 1.0 / mode.d)
            })
            .collect()
    }

    /// Newton's method within the bracket that the monotone derivative of `h` keeps; it ends on the mode with the curve of
    /// every cell there.
    fn mode(&mut self, block: usize, sigma: f64) -> AtMode {
        let problem = self.problem;
        let cells = problem.blocks.get(block).map(|block| problem.cells_of(block)).unwrap_or_default();
        let mut low = -sigma * cells.iter().map(|cell| cell.wrong).sum::<f64>();
        let mut high = sigma * cells.iter().map(|cell| cell.right).sum::<f64>();
        let start = self.modes.get(block).copied().unwrap_or_default();
        let mut u = start.clamp(low, high);
        let mut last = false;
        let mut before = f64::INFINITY;
        for _ in 0..400 {
            self.curve.clear();
            let (mut r, mut w) = (0.0, 0.0);
            for cell in cells {
                let at = Logit::at(self.predictors.get(cell.design).copied().unwrap_or(f64::NAN) + sigma * u);
                r += cell.right * at.q - cell.wrong * at.p;
                w += cell.trials() * at.p * at.q;
                self.curve.push(at);
            }
            let d = 1.0 + sigma * sigma * w;
            let slope = sigma * r - u;
            let step = slope / d;
            if last || step.abs() <= 1e-15 * u.abs() || !step.is_finite() {
                self.modes.iter_mut().skip(block).take(1).for_each(|mode| *mode = u);
                return AtMode { u, r, w, d };
            }
            if slope > 0.0 {
                low = u;
            } else {
                high = u;
            }
            let newton = u + step;
            // Newton's error squares itself, so a step this small leaves only rounding.
            last = step.abs() <= 1e-8 * (1.0 + u.abs());
            // Steps that do not shrink could swing between the ends of the bracket for ever; halving it always ends.
            let shrinks = step.abs() <= 0.5 * before && newton >= low && newton <= high;
            before = if shrinks { step.abs() } else { high - low };
            u = if shrinks || last { newton } else { 0.5 * (low + high) };
        }
        AtMode { u: f64::NAN, r: f64::NAN, w: f64::NAN, d: f64::NAN }
    }

    fn laplace(&mut self, at: &[f64], information: bool) -> Height {
        let (beta, signed) = split(at);
        let sigma = signed.abs();
        let problem = self.problem;
        problem.predictors(beta, &mut self.predictors);
        let mut sums = Sums::new(problem, information);
        let s2 = sigma * sigma;
        let mut slopes: Vec<Slopes> = Vec::new();
        for (block, shape) in problem.blocks.iter().enumerate() {
            let AtMode { u, r, w, d } = self.mode(block, sigma);
            let cells = problem.cells_of(shape);
            slopes.clear();
            let (mut t, mut f, mut height) = (0.0, 0.0, 0.0);
            for (cell, at) in cells.iter().zip(&self.curve) {
                let own = Slopes::of(cell, *at);
                t += own.t;
                f += own.f;
                height += log_likelihood(
                    cell,
                    *at,
                    self.predictors.get(cell.design).copied().unwrap_or(f64::NAN) + sigma * u,
                );
                slopes.push(own);
            }
            let du = (r - sigma * u * w) / d;
            let v = u + sigma * du;
            let dd = 2.0 * sigma * w + s2 * t * v;
            sums.value += height - 0.5 * u * u - 0.5 * libm::log(d);
            sums.sigma += u * r - 0.5 * dd / d;
            let half = 0.5 * s2 / d;
            for (cell, own) in cells.iter().zip(&slopes) {
                let tau = own.t - s2 * t * own.w / d;
                sums.add_gradient(cell.design, own.r - half * tau);
            }
            if information {
                let block = BlockSums { u, du, v, r, w, t, f, d, dd, sigma };
                sums.add_information(problem, cells, &slopes, &block);
            }
        }
        sums.finish(problem, signed)
    }

    fn quadrature(&mut self, at: &[f64]) -> Height {
        let (beta, signed) = split(at);
        let sigma = signed.abs();
        let problem = self.problem;
        problem.predictors(beta, &mut self.predictors);
        let mut sums = Sums::new(problem, false);
        let s2 = sigma * sigma;
        let rule = std::mem::take(&mut self.rule);
        let mut heights: Vec<f64> = Vec::with_capacity(rule.len());
        let mut residuals: Vec<f64> = Vec::new();
        for (block, shape) in problem.blocks.iter().enumerate() {
            let AtMode { u, r, w, d } = self.mode(block, sigma);
            let cells = problem.cells_of(shape);
            let slopes: Vec<Slopes> = cells.iter().zip(&self.curve).map(|(cell, at)| Slopes::of(cell, *at)).collect();
            let t: f64 = slopes.iter().map(|own| own.t).sum();
            let wide = std::f64::consts::SQRT_2 / d.sqrt();
            heights.clear();
            residuals.clear();
            for node in &rule {
                let there = u + wide * node.z;
                let mut height = node.log_weight - 0.5 * there * there;
                for cell in cells {
                    let eta = self.predictors.get(cell.design).copied().unwrap_or(f64::NAN) + sigma * there;
                    let at = Logit::at(eta);
                    height += log_likelihood(cell, at, eta);
                    residuals.push(cell.right * at.q - cell.wrong * at.p);
                }
                heights.push(height);
            }
            let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = heights.iter().map(|height| libm::exp(height - top)).sum();
            sums.value += top + libm::log(total) - 0.5 * libm::log(d);
            // Node positions move with the mode and with D: `slope` is how the average height answers a shift of all nodes,
            // `stretch` how it answers a change of log D.
            let (mut slope, mut stretch, mut along_sigma) = (0.0, 0.0, 0.0);
            let mut average = vec![0.0; cells.len()];
            for ((node, height), own) in rule.iter().zip(&heights).zip(residuals.chunks_exact(cells.len())) {
                let share = libm::exp(height - top) / total;
                let there = u + wide * node.z;
                let sum: f64 = own.iter().sum();
                let rise = sigma * sum - there;
                slope += share * rise;
                stretch += share * rise * (there - u);
                along_sigma += share * sum * there;
                average.iter_mut().zip(own).for_each(|(average, own)| *average += share * own);
            }
            let half = 0.5 * (1.0 + stretch);
            let du = (r - sigma * u * w) / d;
            let dd = 2.0 * sigma * w + s2 * t * (u + sigma * du);
            sums.sigma += along_sigma + slope * du - half * dd / d;
            for ((cell, own), average) in cells.iter().zip(&slopes).zip(&average) {
                let tau = own.t - s2 * t * own.w / d;
                sums.add_gradient(cell.design, average - slope * sigma * own.w / d - half * s2 * tau / d);
            }
        }
        self.rule = rule;
        sums.finish(problem, signed)
    }
}

#[cfg(test)]
impl Single<'_> {
    /// The height by the formulas of quadrature even with one node, where they must give Laplace's.
    pub(super) fn by_quadrature(&mut self, at: &[f64]) -> Height {
        self.quadrature(at)
    }
}

impl Surface for Single<'_> {
    fn height(&mut self, at: &[f64], information: bool) -> Height {
        if self.rule.len() == 1 { self.laplace(at, information) } else { self.quadrature(at) }
    }
}

fn split(at: &[f64]) -> (&[f64], f64) {
    at.split_last().map_or((&[], f64::NAN), |(sigma, beta)| (beta, *sigma))
}

#[inline]
fn log_likelihood(cell: &Cell, at: Logit, eta: f64) -> f64 {
    cell.right * eta - cell.trials() * at.log_one_plus_exp(eta)
}

/// What the Hessian of one block needs; names as in the module's formulas, `du`, `dd` derivatives along `s`, `v` that of `eta`.
struct BlockSums {
    u: f64,
    du: f64,
    v: f64,
    r: f64,
    w: f64,
    t: f64,
    f: f64,
    d: f64,
    dd: f64,
    sigma: f64,
}

/// Sums over blocks. What belongs to the linear predictor is kept for each distinct explanatory row and multiplied by the row
/// once at the end.
struct Sums {
    value: f64,
    sigma: f64,
    gradient: Vec<f64>,
    /// Second derivative along a row's own predictor, for each distinct row.
    diagonal: Vec<f64>,
    /// Mixed derivative with `s`, for each distinct row.
    mixed: Vec<f64>,
    sigma_twice: f64,
    /// The rest of the Hessian of the coefficients, its lower triangle.
    beta: Vec<f64>,
    /// Room for one block's `sum x w`, `sum x t`, `sum x f`.
    along: Vec<[f64; 3]>,
}

impl Sums {
    fn new(problem: &Problem, information: bool) -> Self {
        let rows = problem.design_rows().len();
        let width = problem.names.len();
        let second = if information { rows } else { 0 };
        Self {
            value: 0.0,
            sigma: 0.0,
            gradient: vec![0.0; rows],
            diagonal: vec![0.0; second],
            mixed: vec![0.0; second],
            sigma_twice: 0.0,
            beta: vec![0.0; if information { width * width } else { 0 }],
            along: vec![[0.0; 3]; width],
        }
    }

    #[inline]
    fn add_gradient(&mut self, design: usize, value: f64) {
        if let Some(own) = self.gradient.get_mut(design) {
            *own += value;
        }
    }

    /// Within a block the Hessian in the predictors is a diagonal and outer products of `w`, `t` and `f`. With `a = s^2 / D` the
    /// factors are `a - a^3 F/2 + a^4 T^2` for `ww`, `a^2/2` for `tt` and (both ways) `wf`, and `-a^3 T` (both ways) for `wt`.
    fn add_information(&mut self, problem: &Problem, cells: &[Cell], slopes: &[Slopes], block: &BlockSums) {
        let BlockSums { u, du, v, r, w, t, f, d, dd, sigma } = *block;
        let s2 = sigma * sigma;
        let a = s2 / d;
        let a_rate = 2.0 * sigma / d - s2 * dd / (d * d);
        let width = problem.names.len();
        self.along.fill([0.0; 3]);
        for (cell, own) in cells.iter().zip(slopes) {
            let tau = own.t - a * t * own.w;
            let tau_rate = own.f * v - a_rate * t * own.w - a * v * (f * own.w + t * own.t);
            if let (Some(diagonal), Some(mixed)) = (self.diagonal.get_mut(cell.design), self.mixed.get_mut(cell.design))
            {
                *diagonal -= own.w + 0.5 * a * (own.f - a * t * own.t);
                *mixed -= own.w * v + 0.5 * (a_rate * tau + a * tau_rate);
            }
            let row = problem.designs.get(cell.design * width..(cell.design + 1) * width).unwrap_or_default();
            for (sums, x) in self.along.iter_mut().zip(row) {
                let [xw, xt, xf] = sums;
                *xw += x * own.w;
                *xt += x * own.t;
                *xf += x * own.f;
            }
        }
        let cube = a * a * a;
        let ww = a - 0.5 * cube * f + cube * a * t * t;
        let (square, wt) = (0.5 * a * a, -cube * t);
        for ((at, [iw, it, if_]), line) in self.along.iter().enumerate().zip(self.beta.chunks_exact_mut(width)) {
            let (of_w, of_t, of_f) = (ww * iw + square * if_ + wt * it, wt * iw + square * it, square * iw);
            for (entry, [jw, jt, jf]) in line.iter_mut().zip(&self.along).take(at + 1) {
                *entry += of_w * jw + of_t * jt + of_f * jf;
            }
        }
        let ddu = -(2.0 * w * v + sigma * u * t * v + du * dd) / d;
        let dv = 2.0 * du + sigma * ddu;
        let ddd = 2.0 * w + 4.0 * sigma * t * v + s2 * (f * v * v + t * dv);
        self.sigma_twice += du * r - u * w * v - 0.5 * (ddd / d - dd * dd / (d * d));
    }

    fn finish(mut self, problem: &Problem, signed: f64) -> Height {
        let width = problem.names.len();
        let sign = if signed < 0.0 { -1.0 } else { 1.0 };
        let mut gradient = vec![0.0; width + 1];
        for (row, value) in problem.design_rows().zip(&self.gradient) {
            gradient.iter_mut().zip(row).for_each(|(sum, x)| *sum += value * x);
        }
        gradient.iter_mut().skip(width).for_each(|own| *own = sign * self.sigma);
        let information = (!self.beta.is_empty()).then(|| {
            let mut mixed = vec![0.0; width];
            for ((row, diagonal), along) in problem.design_rows().zip(&self.diagonal).zip(&self.mixed) {
                for ((at, x), line) in row.iter().enumerate().zip(self.beta.chunks_exact_mut(width)) {
                    line.iter_mut().zip(row).take(at + 1).for_each(|(entry, y)| *entry += diagonal * x * y);
                }
                mixed.iter_mut().zip(row).for_each(|(sum, x)| *sum += sign * along * x);
            }
            let mut whole = vec![0.0; (width + 1) * (width + 1)];
            for (at, line) in whole.chunks_exact_mut(width + 1).enumerate() {
                for (other, entry) in line.iter_mut().enumerate() {
                    let (high, low) = (at.max(other), at.min(other));
                    *entry = -match (high < width, low < width) {
                        (true, _) => self.beta.get(high * width + low).copied().unwrap_or(f64::NAN),
                        (false, true) => mixed.get(low).copied().unwrap_or(f64::NAN),
                        (false, false) => self.sigma_twice,
                    };
                }
            }
            whole
        });
        Height { value: self.value, gradient, information }
    }
}
