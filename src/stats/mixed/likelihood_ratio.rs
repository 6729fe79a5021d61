//! Tests between models: the likelihood ratio of two nested formulas, and Wald's test of one coefficient.
//!
//! Owns what makes two fits comparable; the statistic and its law are those of [`crate::stats::likelihood`]. Where the full
//! model has one random intercept more, its standard deviation of zero lies at the edge of what is possible, and the law is a
//! mixture; where it has more of them the law is not known in general and is refused. [`super::parametric`] simulates it.

use std::fmt;

use super::fit::{Approximation, Fit, FitError, Options, fit};
use super::formula::Formula;
use super::table::Table;
use crate::math::special::normal_sf;
use crate::stats::likelihood::{self, LikelihoodError, LikelihoodRatio, NullPlace};
use crate::stats::sides::Sides;

/// Why two models are not tested against each other.
#[derive(Clone, Debug, PartialEq)]
pub enum RatioError {
    /// The model with more terms has no fit.
    Full(FitError),
    /// The model with fewer terms has no fit.
    Reduced(FitError),
    /// The reduced formula has terms the full one lacks.
    NotNested {
        /// Those terms.
        extra: Vec<String>,
    },
    /// The two formulas are the same model.
    SameModel,
    /// The two fits are of different tables.
    OtherTable,
    /// The two likelihoods were computed in different ways.
    OtherApproximation,
    /// More than one standard deviation lies at zero under the null, so the law of the statistic is not known.
    UnknownLaw {
        /// Random intercepts of the full formula alone.
        extra: Vec<String>,
    },
    /// The two log-likelihoods make no test.
    Likelihood(LikelihoodError),
    /// A parametric bootstrap of no resample, or of more than 2^20.
    Resamples(u32),
    /// More than one simulated data set in a hundred had no fit.
    TooManyRefused {
        /// Data sets without a fit of both models.
        refused: u32,
        /// All data sets.
        resamples: u32,
    },
    /// More trials than are simulated one by one.
    TooManyTrials(f64),
}

impl fmt::Display for RatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(error) => write!(f, "the full model has no fit: {error}"),
            Self::Reduced(error) => write!(f, "the reduced model has no fit: {error}"),
            Self::NotNested { extra } => write!(
                f,
                "the reduced formula has {}, which the full one lacks; a likelihood ratio compares a model with a part of itself",
                extra.join(", ")
            ),
            Self::SameModel => {
                f.write_str("both formulas are the same model; take the tested term out of the reduced one")
            }
            Self::OtherTable => {
                f.write_str("the two models were fitted to different tables, so their likelihoods do not compare")
            }
            Self::OtherApproximation => {
                f.write_str("the two likelihoods were computed in different ways; use one approximation for both")
            }
            Self::UnknownLaw { extra } => write!(
                f,
                "the full formula alone has {}, and more than one standard deviation is zero under the null, at the edge of what is \
                 possible, where no simple law holds; use the parametric bootstrap",
                extra.join(", ")
            ),
            Self::Likelihood(error) => error.fmt(f),
            Self::Resamples(count) => write!(f, "{count} resamples were asked for; ask for 1 to 1048576, such as 999"),
            Self::TooManyRefused { refused, resamples } => write!(
                f,
                "{refused} of {resamples} simulated data sets had no fit, more than one in a hundred, so their law is not the law \
                 of the statistic"
            ),
            Self::TooManyTrials(trials) => {
                write!(f, "{trials} trials are too many to simulate one by one; use the chi-squared p")
            }
        }
    }
}

impl std::error::Error for RatioError {}

/// Fits both formulas to one table and tests the terms that only the full one has.
pub fn likelihood_ratio(
    full: &Formula,
    reduced: &Formula,
    table: &Table,
    options: Options,
) -> Result<LikelihoodRatio, RatioError> {
    nested(full, reduced)?;
    null_place(full, reduced)?;
    let full = fit(full, table, options).map_err(RatioError::Full)?;
    let reduced = fit(reduced, table, options).map_err(RatioError::Reduced)?;
    likelihood_ratio_of(&full, &reduced)
}

/// The same for two fits there already are.
pub fn likelihood_ratio_of(full: &Fit, reduced: &Fit) -> Result<LikelihoodRatio, RatioError> {
    nested(&full.formula, &reduced.formula)?;
    let null = null_place(&full.formula, &reduced.formula)?;
    if null == NullPlace::OneVarianceAtZero && reduced.convergence.at_zero > 0 {
        let extra = full.formula.random().difference(reduced.formula.random());
        return Err(RatioError::UnknownLaw { extra: extra.map(|term| format!("`(1 | {term})`")).collect() });
    }
    if full.table != reduced.table {
        return Err(RatioError::OtherTable);
    }
    if nodes(full) != nodes(reduced) {
        return Err(RatioError::OtherApproximation);
    }
    let df = u32::try_from(full.parameters() - reduced.parameters()).unwrap_or(u32::MAX);
    likelihood::likelihood_ratio(full.log_likelihood, reduced.log_likelihood, df, null).map_err(RatioError::Likelihood)
}

fn nodes(fit: &Fit) -> usize {
    match fit.approximation {
        Approximation::Laplace => 1,
        Approximation::Quadrature { nodes } => nodes,
    }
}

/// Checks that every term of the reduced formula is one of the full formula's, and that they differ.
pub(super) fn nested(full: &Formula, reduced: &Formula) -> Result<(), RatioError> {
    let fixed = reduced.fixed().difference(full.fixed()).map(|term| format!("`{term}`"));
    let random = reduced.random().difference(full.random()).map(|term| format!("`(1 | {term})`"));
    let mut extra: Vec<String> = fixed.chain(random).collect();
    if full.response() != reduced.response() {
        extra.insert(0, format!("the response `{}`", reduced.response()));
    }
    if !extra.is_empty() {
        return Err(RatioError::NotNested { extra });
    }
    if full == reduced { Err(RatioError::SameModel) } else { Ok(()) }
}

/// Where the null lies: inside, or with the one further standard deviation at zero.
fn null_place(full: &Formula, reduced: &Formula) -> Result<NullPlace, RatioError> {
    let extra: Vec<String> = full.random().difference(reduced.random()).map(|term| format!("`(1 | {term})`")).collect();
    match extra.len() {
        0 => Ok(NullPlace::Interior),
        1 => Ok(NullPlace::OneVarianceAtZero),
        _ => Err(RatioError::UnknownLaw { extra }),
    }
}

/// Wald's test that one coefficient is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wald {
    /// The estimate in standard errors.
    pub z: f64,
    /// p against the chosen alternative, by the normal law.
    pub p: f64,
}

impl Fit {
    /// Wald's test of the coefficient of this name: its sign gives the direction that a likelihood ratio lacks. None when there is
    /// no such coefficient.
    #[must_use]
    pub fn wald(&self, name: &str, sides: Sides) -> Option<Wald> {
        let coefficient = self.coefficient(name)?;
        let z = coefficient.estimate / coefficient.standard_error;
        let p = match sides {
            Sides::TwoSided => (2.0 * normal_sf(z.abs())).min(1.0),
            Sides::Greater => normal_sf(z),
            Sides::Less => normal_sf(-z),
        };
        Some(Wald { z, p })
    }
}
