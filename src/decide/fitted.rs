//! Fitted models: from the records of a cell to a table of successes, the fit, and the quantity that the study asks for. Owns the
//! step from records to columns; the likelihood is in `stats`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::frame::Frame;
use super::judgment::Number;
use super::sample::{Sample, Series};
use crate::math::special::{normal_isf, normal_sf};
use crate::plan::Scalar;
use crate::spec::{FitTarget, FittedModel, Sides, TestMethod};
use crate::stats::likelihood::{NullPlace, likelihood_ratio};
use crate::stats::mixed::fit::{Fit, Options, fit};
use crate::stats::mixed::formula::{Formula, Term};
use crate::stats::mixed::table::{Column, Factor, Table};

/// A model fitted to the records of a cell, with the quantity asked for.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    /// The records that it was fitted to.
    pub sample: Arc<Sample>,
    quantity: Quantity,
    /// How the fit went, in words.
    counts: String,
}

#[derive(Debug, Clone, Copy)]
enum Quantity {
    Ratio { statistic: f64, p: f64 },
    Coefficient { estimate: f64, standard_error: f64 },
}

/// Fits a model. `sample` holds the outcome, true or false.
pub(super) fn fitted(frame: &Frame<'_>, model: &FittedModel, sample: &Arc<Sample>) -> Result<Fitted, String> {
    let formula = Formula::parse(&model.formula).map_err(|error| error.to_string())?;
    let table = table(frame, &formula, sample)?;
    let options = match usize::try_from(model.nodes) {
        Ok(1) => Options::LAPLACE,
        Ok(nodes) => Options::quadrature(nodes),
        Err(_) => return Err("too many nodes were asked for".to_owned()),
    };
    let full = fit(&formula, &table, options).map_err(|error| error.to_string())?;
    let (quantity, counts) = match &model.target {
        FitTarget::Without(text) => {
            let term = Term::of(text.split(':').map(str::trim));
            let reduced = Formula::parse(&without(&formula, &term)).map_err(|error| error.to_string())?;
            let reduced = fit(&reduced, &table, options).map_err(|error| format!("without {term}: {error}"))?;
            let more = full.coefficients.len().saturating_sub(reduced.coefficients.len());
            let df = u32::try_from(more).map_err(|_| "the model has too many coefficients".to_owned())?;
            let ratio = likelihood_ratio(full.log_likelihood, reduced.log_likelihood, df, NullPlace::Interior)
                .map_err(|error| error.to_string())?;
            let counts = format!("{}, chi-squared = {:.4} on {df} degrees of freedom", went(&full), ratio.statistic);
            (Quantity::Ratio { statistic: ratio.statistic, p: ratio.p }, counts)
        }
        FitTarget::Coefficient(name) => {
            let found = full.coefficient(name).ok_or_else(|| {
                let names: Vec<&str> = full.coefficients.iter().map(|one| one.name.as_str()).collect();
                format!("the model has no coefficient {name}; it has {}", names.join(", "))
            })?;
            let counts = format!("{}, standard error {:.4}", went(&full), found.standard_error);
            (Quantity::Coefficient { estimate: found.estimate, standard_error: found.standard_error }, counts)
        }
    };
    Ok(Fitted { sample: Arc::clone(sample), quantity, counts })
}

fn went(fit: &Fit) -> String {
    let spreads: Vec<String> =
        fit.intercepts.iter().map(|intercept| format!("sd of {} {:.4}", intercept.term, intercept.sd)).collect();
    let spreads = if spreads.is_empty() { String::new() } else { format!(", {}", spreads.join(", ")) };
    format!("{} units, log-likelihood {:.4}{spreads}", fit.units, fit.log_likelihood)
}

/// The formula without a term and without every term that contains it.
fn without(formula: &Formula, dropped: &Term) -> String {
    let mut parts = vec![format!("{} ~ 1", formula.response())];
    parts.extend(formula.fixed().iter().filter(|term| !term.contains(dropped)).map(ToString::to_string));
    parts.extend(formula.random().iter().map(|term| format!("(1 | {term})")));
    parts.join(" + ")
}

/// One row for each unit and arm.
fn table(frame: &Frame<'_>, formula: &Formula, sample: &Sample) -> Result<Table, String> {
    let Some(Series::Truths(truths)) = sample.series.first() else {
        return Err("a logistic model needs an outcome that is true or false".to_owned());
    };
    let mut rows: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (place, truth) in sample.places.iter().zip(truths) {
        let (right, all) = rows.entry(frame.first_repeat(*place)).or_default();
        *right += u64::from(*truth);
        *all += 1;
    }
    let mut columns: BTreeMap<String, Column> = BTreeMap::new();
    let terms = formula.fixed().iter().chain(formula.random());
    for name in terms.flat_map(Term::names) {
        if !columns.contains_key(name) {
            columns.insert(name.clone(), column(frame, name, &rows)?);
        }
    }
    let (successes, trials) = rows.into_values().unzip();
    Table::new(formula.response(), successes, trials, columns).map_err(|error| error.to_string())
}

fn column(frame: &Frame<'_>, name: &str, rows: &BTreeMap<u64, (u64, u64)>) -> Result<Column, String> {
    let places = || rows.keys().copied();
    if let Some(axis) = frame.axis(name) {
        let values: Vec<&str> = places().map(|place| frame.level_name(place, axis).unwrap_or_default()).collect();
        return declared(frame, name, &values);
    }
    if frame.is_unit(name) {
        let key = |place| frame.task(frame.unit_of(place)).map_or("", |task| task.key.as_str());
        return Ok(Column::Factor(Factor::grouping(&places().map(key).collect::<Vec<_>>())));
    }
    let attribute = frame.schema().attribute(name).ok_or_else(|| format!("records have no {name}"))?;
    let mut words: Vec<String> = Vec::new();
    let mut numbers: Vec<f64> = Vec::new();
    for place in places() {
        let unit = frame.unit_of(place);
        let value = frame.attribute(unit, attribute).ok_or_else(|| {
            let key = frame.task(unit).map_or("a unit", |task| task.key.as_str());
            format!("{key} has no {name}, and a model needs it of every unit")
        })?;
        match value.number() {
            Some(number) if frame.levels_of(name).is_none() => numbers.push(number.to_f64()),
            _ => words.push(match value {
                Scalar::Level(word) | Scalar::Text(word) => word.to_owned(),
                Scalar::Bool(truth) => truth.to_string(),
                Scalar::Number(number) => number.canonical(),
            }),
        }
    }
    if words.is_empty() {
        return Ok(Column::Number(numbers));
    }
    declared(frame, name, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A factor with its levels in declared order; the first is the one that others are compared with.
fn declared(frame: &Frame<'_>, name: &str, values: &[&str]) -> Result<Column, String> {
    let levels = frame.levels_of(name).unwrap_or_default();
    // A level that does not occur here has no coefficient.
    let present: Vec<&str> = levels.iter().map(String::as_str).filter(|level| values.contains(level)).collect();
    let first = present.first().ok_or_else(|| format!("there is no record with a level of {name}"))?;
    Factor::declared(values, &present, first).map(Column::Factor).map_err(|error| error.to_string())
}

impl Fitted {
    /// The estimate: the statistic or the coefficient.
    pub fn estimate(&self) -> Number {
        Number::Float(match self.quantity {
            Quantity::Ratio { statistic, .. } => statistic,
            Quantity::Coefficient { estimate, .. } => estimate,
        })
    }

    /// The p-value with how the fit went.
    pub fn test(&self, method: &TestMethod) -> Result<(f64, String), String> {
        let p = match (self.quantity, method) {
            (Quantity::Ratio { p, .. }, TestMethod::LikelihoodRatio) => p,
            (Quantity::Coefficient { estimate, standard_error }, TestMethod::Wald { sides }) => {
                let z = estimate / standard_error;
                match sides {
                    Sides::Two => (2.0 * normal_sf(z.abs())).min(1.0),
                    Sides::Greater => normal_sf(z),
                    Sides::Less => normal_sf(-z),
                }
            }
            _ => return Err("the model does not give what this test reads".to_owned()),
        };
        Ok((p, self.counts.clone()))
    }

    /// Wald's limits of a coefficient.
    pub fn interval(&self, level: f64) -> Result<(f64, f64), String> {
        match self.quantity {
            Quantity::Coefficient { estimate, standard_error } => {
                let half = normal_isf((1.0 - level) / 2.0) * standard_error;
                Ok((estimate - half, estimate + half))
            }
            Quantity::Ratio { .. } => Err("a likelihood ratio has no interval".to_owned()),
        }
    }
}
