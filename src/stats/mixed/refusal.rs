//! Every reason not to report a fit, in words that say what is wrong and what to do.

use std::fmt;

use super::blocks::MOST_EFFECTS;
use super::design::DesignError;
use super::quadrature::MOST_NODES;

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
                "a standard deviation of random effects grew without bound: there are too few trials within units to tell a large one \
                 from infinity, or for Laplace's method; repeat trials within units, and with one random intercept use quadrature",
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
