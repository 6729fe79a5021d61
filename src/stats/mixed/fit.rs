//! Fitting: from a formula and a table to estimates that say how they were found, or to a refusal.
//!
//! Owns the order of the work and every reason not to report a number. A fit is reported only at a point where the gradient
//! vanishes, the information is positive definite and no standard deviation runs away.

use std::fmt;

use super::ascent::{self, Lost, Summit, climb};
use super::blocks::{MOST_EFFECTS, Problem};
use super::design::DesignError;
use super::formula::{Formula, Term};
use super::plain::{self, Plain};
use super::quadrature::MOST_NODES;
use super::several::Several;
use super::single::Single;
use super::surface::{Held, Surface};
use super::table::Table;
use crate::math::linear::Cholesky;

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

    fn nodes(self) -> usize {
        match self.approximation {
            Approximation::Laplace => 1,
            Approximation::Quadrature { nodes } => nodes,
        }
    }
}

/// Why a model has no fit.
#[derive(Clone, Debug, PartialEq)]
pub enum FitError {
    /// The formula and the table do not fit together.
    Design(DesignError),
    /// No name is common to all random intercepts, so nothing separates the data into independent blocks.
    NoCommonUnit {
        /// The random intercepts.
        terms: Vec<String>,
    },
    /// One block has more effects than can be integrated over.
    TooManyEffects {
        /// How many it has.
        effects: usize,
    },
    /// A number of nodes outside 1 to 101.
    Nodes(usize),
    /// Quadrature with more than one node was asked for, and there is more than one random intercept.
    QuadratureNeedsOneIntercept {
        /// How many there are.
        intercepts: usize,
    },
    /// No step was allowed.
    NoIterations,
    /// All trials have one outcome.
    OneOutcome {
        /// Whether all succeeded.
        all_right: bool,
    },
    /// Every unit is all right or all wrong, so the standard deviation between units has no finite estimate.
    ConstantUnits,
    /// The fixed effects separate successes from failures.
    Separation {
        /// Coefficients that run to infinity together.
        coefficients: Vec<String>,
    },
    /// A standard deviation grew without bound.
    Unbounded,
    /// At the point the search ended, the data do not determine this parameter.
    Flat {
        /// A coefficient, or a random intercept as `sd(1 | unit)`.
        parameter: String,
    },
    /// The search did not reach a maximum.
    NotConverged {
        /// Steps taken.
        iterations: usize,
        /// Distance to the maximum in standard errors, to first order.
        remaining: f64,
    },
    /// The likelihood left the range of numbers.
    NoValue,
}

impl From<DesignError> for FitError {
    fn from(error: DesignError) -> Self {
        Self::Design(error)
    }
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Design(error) => error.fmt(f),
            Self::NoCommonUnit { terms } => write!(
                f,
                "the random intercepts {} have no name in common; effects that cross like this are not fitted: give every grouping the \
                 unit, as in `(1 | unit) + (1 | unit:model)`",
                terms.join(", ")
            ),
            Self::TooManyEffects { effects } => write!(
                f,
                "one unit has {effects} random effects and at most {MOST_EFFECTS} can be integrated over together; use coarser groupings"
            ),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes were asked for; a rule has between 1 and {MOST_NODES}"),
            Self::QuadratureNeedsOneIntercept { intercepts } => write!(
                f,
                "quadrature integrates over one random intercept and the formula has {intercepts}; use Laplace's method"
            ),
            Self::NoIterations => f.write_str("the maximizer is allowed no step; allow some, such as 200"),
            Self::OneOutcome { all_right } => {
                let word = if *all_right { "success" } else { "failure" };
                write!(f, "every trial is a {word}, so the log-odds are infinite; report the counts, with an interval for one rate")
            }
            Self::ConstantUnits => f.write_str(
                "every unit is all right or all wrong, so the standard deviation between units has no finite estimate; repeat trials \
                 within units, or compare units with an exact test",
            ),
            Self::Separation { coefficients } => write!(
                f,
                "the fixed effects separate successes from failures: {} run to infinity, and no estimate or standard error exists; \
                 use an exact test, or merge the levels that never succeed or never fail",
                coefficients.join(", ")
            ),
            Self::Unbounded => f.write_str(
                "a standard deviation of random effects grew without bound: nearly all units are all right or all wrong; repeat trials \
                 within units",
            ),
            Self::Flat { parameter } => write!(
                f,
                "the data do not determine {parameter}: the log-likelihood is flat along it; take out the term, or a random intercept \
                 whose groups have one trial each"
            ),
            Self::NotConverged { iterations, remaining } => write!(
                f,
                "after {iterations} steps the search is still about {remaining:.1e} standard errors from a maximum; allow more steps, \
                 or fit fewer terms"
            ),
            Self::NoValue => f.write_str("the likelihood left the range of numbers; give number columns in moderate units"),
        }
    }
}

impl std::error::Error for FitError {}

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
        trials: problem.cells.iter().map(super::blocks::Cell::trials).sum(),
        units: problem.blocks.len(),
        convergence: Convergence {
            iterations: solution.iterations,
            remaining: solution.remaining,
            at_zero: sds.filter(|sd| *sd == 0.0).count(),
        },
        table: table.fingerprint(),
    })
}

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

fn real(count: usize) -> f64 {
    super::blocks::real(count as u64)
}
