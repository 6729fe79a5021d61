//! The fixed effects of a table: distinct explanatory rows, treatment-coded columns, and the proof that none is redundant.
//!
//! Owns the coding and the rank; it drops nothing. A factor is coded against its reference level. A factor inside an interaction
//! is coded the same way, which is complete only when the interaction without that factor is in the model too, so a formula
//! that lacks it is refused.

use std::fmt;

use super::formula::{Formula, Term};
use super::table::{Column, Factor, Table};

/// The most coefficients of one model.
pub const MOST_COLUMNS: usize = 256;
/// A column counts as a combination of earlier ones when at most this share of its length is left beside them.
const NOTHING_LEFT: f64 = 1e-9;

/// A formula and a table that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesignError {
    /// The formula models another column than the table counts.
    OtherResponse {
        /// The response of the formula.
        formula: String,
        /// The response of the table.
        table: String,
    },
    /// The formula names a column that the table does not have.
    NoSuchColumn {
        /// The missing name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A random intercept is grouped by a column of numbers.
    GroupingOfNumbers(String),
    /// A factor inside an interaction is coded against its reference, but the interaction without it is not in the model.
    MissingMargin {
        /// The interaction.
        term: String,
        /// What the model lacks.
        missing: String,
    },
    /// No row has a trial.
    NoTrials,
    /// More coefficients than a model may have.
    TooManyColumns(usize),
    /// A column is zero in every row that has trials: the data never show it.
    NeverSeen {
        /// The column.
        column: String,
    },
    /// A column is a combination of earlier ones, so the data cannot tell their coefficients apart.
    Aliased {
        /// The redundant column.
        column: String,
        /// The columns it is a combination of.
        with: Vec<String>,
    },
}

impl fmt::Display for DesignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherResponse { formula, table } => {
                write!(
                    f,
                    "the formula models `{formula}` and the table counts `{table}`; name the column that is counted"
                )
            }
            Self::NoSuchColumn { name, known } => {
                write!(f, "there is no column `{name}`; the columns are {}", known.join(", "))
            }
            Self::GroupingOfNumbers(name) => {
                write!(f, "`{name}` holds numbers, and a random intercept is grouped by labels; give it as a factor")
            }
            Self::MissingMargin { term, missing } => write!(
                f,
                "the interaction `{term}` needs `{missing}` in the model too, or its coefficients mean something else; write the \
                 product with `*`"
            ),
            Self::NoTrials => f.write_str("no row has a trial, so there is nothing to fit"),
            Self::TooManyColumns(count) => {
                write!(
                    f,
                    "the model has {count} coefficients and at most {MOST_COLUMNS} can be fitted; name fewer terms"
                )
            }
            Self::NeverSeen { column } => write!(
                f,
                "the coefficient `{column}` cannot be estimated: no row with trials has this level or combination; leave the level \
                 out of the declaration, or the interaction out of the formula"
            ),
            Self::Aliased { column, with } => write!(
                f,
                "the coefficient `{column}` cannot be told apart from {}: in these rows it is a combination of them; take one of \
                 the terms out",
                with.join(", ")
            ),
        }
    }
}

impl std::error::Error for DesignError {}

/// The fixed effects: `names.len()` columns, and for every distinct explanatory row its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    names: Vec<String>,
    values: Vec<f64>,
    row_of: Vec<usize>,
}

impl Design {
    /// Codes the fixed effects of a formula for the rows of a table that have trials. Neither the values nor their order depend on the order
    /// of the table's rows.
    pub fn build(formula: &Formula, table: &Table) -> Result<Self, DesignError> {
        let sources = fixed_columns(formula, table)?;
        let names = column_names(formula, &sources);
        if names.len() > MOST_COLUMNS {
            return Err(DesignError::TooManyColumns(names.len()));
        }
        let ranks: Vec<Vec<usize>> = sources.iter().map(|(_, column)| ranks(column)).collect();
        let shown: Vec<usize> =
            table.trials().iter().enumerate().filter(|(_, all)| **all > 0).map(|(row, _)| row).collect();
        if shown.is_empty() {
            return Err(DesignError::NoTrials);
        }
        let mut keys: Vec<(Vec<usize>, usize)> = shown.iter().map(|row| (key(&ranks, *row), *row)).collect();
        keys.sort_unstable();
        let mut values = Vec::new();
        let mut row_of = vec![usize::MAX; table.trials().len()];
        let mut last: Option<&[usize]> = None;
        let mut distinct = 0;
        for (key, row) in &keys {
            if last != Some(key) {
                coded(formula, &sources, *row, &mut values);
                distinct += 1;
                last = Some(key);
            }
            row_of.iter_mut().skip(*row).take(1).for_each(|place| *place = distinct - 1);
        }
        let design = Self { names, values, row_of };
        design.independent()?;
        Ok(design)
    }

    /// The names of the coefficients: `(Intercept)`, `age`, `scaffold[s2]`, `model[m1]:scaffold[s2]`.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The distinct explanatory rows, each with one value for each name.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.names.len())
    }

    /// The position among the distinct rows of a row of the table; none when it has no trials.
    #[must_use]
    pub fn row_of(&self, row: usize) -> Option<usize> {
        self.row_of.get(row).copied().filter(|place| *place != usize::MAX)
    }

    /// Gram and Schmidt's orthogonalization, each column twice, so that what is left of a redundant column is rounding.
    fn independent(&self) -> Result<(), DesignError> {
        let width = self.names.len();
        let mut basis: Vec<Vec<f64>> = Vec::with_capacity(width);
        // Upper triangle: `parts[j]` has the share of each earlier direction in column j, and last what is left of it.
        let mut parts: Vec<Vec<f64>> = Vec::with_capacity(width);
        for (at, name) in self.names.iter().enumerate() {
            let mut column: Vec<f64> = self.rows().filter_map(|row| row.get(at).copied()).collect();
            let length = norm(&column);
            if length == 0.0 {
                return Err(DesignError::NeverSeen { column: name.clone() });
            }
            scale(&mut column, length);
            let mut part = vec![0.0; at];
            for _ in 0..2 {
                for (direction, share) in basis.iter().zip(&mut part) {
                    let along = dot(direction, &column);
                    *share += along * length;
                    column.iter_mut().zip(direction).for_each(|(value, own)| *value -= along * own);
                }
            }
            let left = norm(&column);
            if left <= NOTHING_LEFT {
                return Err(DesignError::Aliased {
                    column: name.clone(),
                    with: self.combination(&parts, part, length),
                });
            }
            scale(&mut column, left);
            part.push(left * length);
            basis.push(column);
            parts.push(part);
        }
        Ok(())
    }

    /// Names of the earlier columns with a share in a redundant one, by back substitution.
    fn combination(&self, parts: &[Vec<f64>], mut shares: Vec<f64>, length: f64) -> Vec<String> {
        let mut names = Vec::new();
        for (part, name) in parts.iter().zip(&self.names).rev() {
            let (Some(share), Some(own)) = (shares.pop(), part.last()) else { break };
            let times = share / own;
            shares.iter_mut().zip(part).for_each(|(share, along)| *share -= times * along);
            if (times * norm(part)).abs() > 1e-7 * length {
                names.push(format!("`{name}`"));
            }
        }
        names.reverse();
        names
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

fn scale(values: &mut [f64], divisor: f64) {
    for value in values {
        *value /= divisor;
    }
}

fn norm(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * values.iter().map(|value| (value / largest) * (value / largest)).sum::<f64>().sqrt()
}

/// A column of the table, with a refusal that lists what there is.
pub(super) fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, DesignError> {
    table.columns().get(name).ok_or_else(|| DesignError::NoSuchColumn {
        name: name.to_owned(),
        known: table.columns().keys().map(|known| format!("`{known}`")).collect(),
    })
}

/// The columns that the fixed effects name, each once, sorted; every interaction has its margins.
fn fixed_columns<'t>(formula: &Formula, table: &'t Table) -> Result<Vec<(String, &'t Column)>, DesignError> {
    if formula.response() != table.response() {
        let (formula, table) = (formula.response().to_owned(), table.response().to_owned());
        return Err(DesignError::OtherResponse { formula, table });
    }
    let all = Term::of(formula.fixed().iter().flat_map(Term::names).map(String::as_str));
    let sources = all
        .names()
        .iter()
        .map(|name| column(table, name).map(|column| (name.clone(), column)))
        .collect::<Result<Vec<_>, _>>()?;
    for term in formula.fixed() {
        for name in term.names() {
            let rest = term.without(name);
            let is_factor = sources.iter().any(|(own, column)| own == name && matches!(column, Column::Factor(_)));
            if is_factor && !rest.names().is_empty() && !formula.fixed().contains(&rest) {
                let (term, missing) = (term.to_string(), rest.to_string());
                return Err(DesignError::MissingMargin { term, missing });
            }
        }
    }
    Ok(sources)
}

/// The levels that have a column of their own: all but the reference, in declared order.
fn compared(factor: &Factor) -> impl Iterator<Item = (usize, &String)> {
    factor.levels().iter().enumerate().filter(|(place, _)| *place != factor.reference())
}

fn sources_of<'s, 't>(
    term: &'s Term,
    sources: &'s [(String, &'t Column)],
) -> impl Iterator<Item = &'s (String, &'t Column)> {
    term.names().iter().filter_map(|name| sources.iter().find(|(own, _)| own == name))
}

fn column_names(formula: &Formula, sources: &[(String, &Column)]) -> Vec<String> {
    let mut names = vec!["(Intercept)".to_owned()];
    for term in formula.fixed() {
        let mut grown: Vec<String> = vec![String::new()];
        for (name, column) in sources_of(term, sources) {
            let parts: Vec<String> = match column {
                Column::Factor(factor) => compared(factor).map(|(_, level)| format!("{name}[{level}]")).collect(),
                Column::Number(_) => vec![name.clone()],
            };
            let joined = |start: &String, part: &String| {
                if start.is_empty() { part.clone() } else { format!("{start}:{part}") }
            };
            grown = grown.iter().flat_map(|start| parts.iter().map(move |part| joined(start, part))).collect();
            // Enough to refuse: the product must not grow without bound before the count is read.
            grown.truncate(MOST_COLUMNS + 1);
        }
        names.extend(grown);
    }
    names
}

/// The coded values of one row, in the order of the names.
fn coded(formula: &Formula, sources: &[(String, &Column)], row: usize, values: &mut Vec<f64>) {
    values.push(1.0);
    for term in formula.fixed() {
        let mut grown = vec![1.0];
        for (_, column) in sources_of(term, sources) {
            let parts: Vec<f64> = match column {
                Column::Factor(factor) => {
                    let code = factor.codes().get(row).copied();
                    compared(factor).map(|(place, _)| f64::from(u8::from(code == Some(place)))).collect()
                }
                Column::Number(numbers) => numbers.get(row).copied().into_iter().collect(),
            };
            grown = grown.iter().flat_map(|start| parts.iter().map(move |part| start * part)).collect();
        }
        values.extend(grown);
    }
}

/// For each row the rank of its value: the declared place of a level, the place of a number among the distinct ones.
fn ranks(column: &Column) -> Vec<usize> {
    match column {
        Column::Factor(factor) => factor.codes().to_vec(),
        Column::Number(values) => {
            let mut distinct: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup_by(|a, b| a.total_cmp(b).is_eq());
            values.iter().map(|value| distinct.partition_point(|other| *other < *value)).collect()
        }
    }
}

fn key(ranks: &[Vec<usize>], row: usize) -> Vec<usize> {
    ranks.iter().filter_map(|ranks| ranks.get(row).copied()).collect()
}
