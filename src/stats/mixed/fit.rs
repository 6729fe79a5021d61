//! Fitting: from a formula and a table to estimates that say how they were found, or to a refusal.
//!
//! Owns what a fit reports. It is reported only at a point where the gradient vanishes, the information is positive definite and
//! no standard deviation runs away.

use super::blocks::{Cell, Problem};
use super::formula::{Formula, Term};
pub use super::refusal::FitError;
use super::solve::solve;
use super::table::Table;

/// How the integral over the random effects is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approximation {
    /// Laplace's method: any number of random intercepts.
    Laplace,
    /// Adaptive Gauss-Hermite quadrature with this many nodes, from 1 (which is Laplace's method) to 101: one random
    /// intercept at most.
    Quadrature {
        /// Nodes for each integral.
        nodes: usize,
    },
}

/// What a fit may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The approximation of the likelihood.
    pub approximation: Approximation,
    /// The most steps of the maximizer, above 0.
    pub iterations: usize,
}

impl Options {
    /// Laplace's method and at most 200 steps.
    pub const LAPLACE: Self = Self { approximation: Approximation::Laplace, iterations: 200 };

    /// Quadrature with these nodes and at most 200 steps.
    #[must_use]
    pub const fn quadrature(nodes: usize) -> Self {
        Self { approximation: Approximation::Quadrature { nodes }, iterations: 200 }
    }

    /// Nodes for each integral; one for Laplace's method.
    pub(super) fn nodes(self) -> usize {
        match self.approximation {
            Approximation::Laplace => 1,
            Approximation::Quadrature { nodes } => nodes,
        }
    }
}

/// A fixed effect on the scale of log-odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// `(Intercept)`, `age`, `scaffold[s2]`, `model[m1]:scaffold[s2]`.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error, from the Hessian of coefficients and standard deviations together.
    pub standard_error: f64,
}

/// A random intercept.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomIntercept {
    /// Its grouping.
    pub term: Term,
    /// Standard deviation between groups, on the scale of log-odds.
    pub sd: f64,
    /// The standard error of that; none when the estimate is zero, where it has no meaning.
    pub standard_error: Option<f64>,
    /// How many groups there are.
    pub groups: usize,
}

/// The conditional mode of one random effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Position of the random intercept in [`Fit::intercepts`].
    pub intercept: usize,
    /// The group: its levels joined by `:`.
    pub group: String,
    /// The mode, on the scale of log-odds.
    pub mode: f64,
    /// Standard deviation given the data and the estimates.
    pub sd: f64,
}

/// How the maximum was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Steps of the maximizer.
    pub iterations: usize,
    /// The scaled gradient `sqrt(g' J^-1 g)`: the distance to the maximum in standard errors, to first order. At most 1e-5.
    pub remaining: f64,
    /// Random intercepts whose standard deviation is exactly zero: the boundary, confirmed as a maximum.
    pub at_zero: usize,
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What was fitted.
    pub formula: Formula,
    /// How the likelihood was computed.
    pub approximation: Approximation,
    /// Fixed effects, in the order of the canonical formula.
    pub coefficients: Vec<Coefficient>,
    /// Random intercepts, in the order of the canonical formula.
    pub intercepts: Vec<RandomIntercept>,
    /// Conditional modes of the random effects, by block, intercept and group, each sorted bytewise.
    pub modes: Vec<Mode>,
    /// Covariance of the coefficients, row by row.
    pub covariance: Vec<f64>,
    /// The log-likelihood as if each trial had a row of its own: without the binomial coefficients. The same for every way to
    /// aggregate rows, and for every number of nodes on the same scale.
    pub log_likelihood: f64,
    /// The sum over the table's rows of `log choose(n, k)`. Added to the log-likelihood it gives that of the aggregated counts.
    pub binomial_constant: f64,
    /// Rows with trials.
    pub rows: usize,
    /// Rows without trials, which say nothing.
    pub rows_without_trials: usize,
    /// All trials.
    pub trials: f64,
    /// Independent blocks, usually the units; 1 without random intercepts.
    pub units: usize,
    /// How the maximum was found.
    pub convergence: Convergence,
    /// Tells tables apart, whatever the order of their rows.
    pub table: u64,
}

/// What counts as one observation in the penalty of BIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observations {
    /// A row of the table.
    Rows,
    /// A trial.
    Trials,
    /// An independent block, usually a unit.
    Units,
}

impl Fit {
    /// The coefficient of this name.
    #[must_use]
    pub fn coefficient(&self, name: &str) -> Option<&Coefficient> {
        self.coefficients.iter().find(|coefficient| coefficient.name == name)
    }

    /// How many parameters were estimated.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.coefficients.len() + self.intercepts.len()
    }

    /// The log-likelihood of the aggregated counts: with the binomial coefficients of the table's rows.
    #[must_use]
    pub fn log_likelihood_of_counts(&self) -> f64 {
        self.log_likelihood + self.binomial_constant
    }

    /// Akaike's criterion, of the aggregated counts.
    #[must_use]
    pub fn aic(&self) -> f64 {
        2.0 * (real(self.parameters()) - self.log_likelihood_of_counts())
    }

    /// Schwarz's criterion, of the aggregated counts.
    #[must_use]
    pub fn bic(&self, observations: Observations) -> f64 {
        let count = match observations {
            Observations::Rows => real(self.rows),
            Observations::Trials => self.trials,
            Observations::Units => real(self.units),
        };
        real(self.parameters()) * libm::log(count) - 2.0 * self.log_likelihood_of_counts()
    }
}

/// Fits a formula to a table.
pub fn fit(formula: &Formula, table: &Table, options: Options) -> Result<Fit, FitError> {
    let problem = Problem::build(formula, table)?;
    let solution = solve(&problem, options)?;
    let width = problem.names.len();
    let count = solution.at.len();
    let variance = |place: usize| solution.covariance.get(place * (count + 1)).copied().unwrap_or(f64::NAN);
    let coefficients = problem.names.iter().zip(&solution.at).enumerate().map(|(place, (name, estimate))| {
        Coefficient { name: name.clone(), estimate: *estimate, standard_error: variance(place).sqrt() }
    });
    let sds = solution.at.iter().skip(width).copied();
    let intercepts = problem.terms.iter().zip(sds.clone()).enumerate().map(|(place, (term, sd))| RandomIntercept {
        term: term.clone(),
        sd,
        standard_error: (sd > 0.0).then(|| variance(width + place).sqrt()),
        groups: problem.effects.iter().filter(|effect| effect.term == place).count(),
    });
    let modes = problem.effects.iter().zip(&solution.modes).map(|(effect, (mode, variance))| {
        let sd = solution.at.get(width + effect.term).copied().unwrap_or(f64::NAN);
        Mode { intercept: effect.term, group: effect.label.clone(), mode: sd * mode, sd: sd * variance.sqrt() }
    });
    let lines = solution.covariance.chunks_exact(count.max(1)).take(width);
    let rows = problem.cell_of_row.iter().flatten().count();
    Ok(Fit {
        formula: formula.clone(),
        approximation: options.approximation,
        coefficients: coefficients.collect(),
        intercepts: intercepts.collect(),
        modes: modes.collect(),
        covariance: lines.flat_map(|line| line.iter().take(width).copied()).collect(),
        log_likelihood: solution.value,
        binomial_constant: problem.constant,
        rows,
        rows_without_trials: problem.cell_of_row.len() - rows,
        trials: problem.cells.iter().map(Cell::trials).sum(),
        units: problem.blocks.len(),
        convergence: Convergence {
            iterations: solution.iterations,
            remaining: solution.remaining,
            at_zero: sds.filter(|sd| *sd == 0.0).count(),
        },
        table: table.fingerprint(),
    })
}

fn real(count: usize) -> f64 {
    super::blocks::real(count as u64)
}
