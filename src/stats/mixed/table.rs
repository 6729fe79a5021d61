//! Observations as columns: counts of successes in trials, factors with declared levels, numbers.
//!
//! Owns what a column may be and the check that columns fit together; it knows no formula.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::math::philox::mix13;

/// One explanatory column, a value for each row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A factor.
    Factor(Factor),
    /// A number for each row, all finite.
    Number(Vec<f64>),
}

/// A column of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    levels: Vec<String>,
    reference: usize,
    codes: Vec<usize>,
}

impl Factor {
    /// A factor with its levels in declared order and the level the others are compared with.
    pub fn declared(values: &[&str], levels: &[&str], reference: &str) -> Result<Self, TableError> {
        let mut places = BTreeMap::new();
        for (place, level) in levels.iter().enumerate() {
            if places.insert(*level, place).is_some() {
                return Err(TableError::LevelTwice((*level).to_owned()));
            }
        }
        let reference = *places.get(reference).ok_or_else(|| TableError::ReferenceNotALevel(reference.to_owned()))?;
        let code = |(row, value): (usize, &&str)| {
            places.get(value).copied().ok_or_else(|| TableError::ValueNotALevel { row, value: (*value).to_owned() })
        };
        let codes = values.iter().enumerate().map(code).collect::<Result<_, _>>()?;
        Ok(Self { levels: levels.iter().map(|level| (*level).to_owned()).collect(), reference, codes })
    }

    /// A grouping, such as the units: its levels are the values that occur, sorted bytewise. As a fixed effect its reference
    /// would be the first of them.
    #[must_use]
    pub fn grouping(values: &[&str]) -> Self {
        let levels: BTreeSet<&str> = values.iter().copied().collect();
        let places: BTreeMap<&str, usize> = levels.iter().enumerate().map(|(place, level)| (*level, place)).collect();
        let codes = values.iter().filter_map(|value| places.get(value).copied()).collect();
        Self { levels: levels.into_iter().map(str::to_owned).collect(), reference: 0, codes }
    }

    /// The levels, in declared order.
    #[must_use]
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// Position of the reference level among the levels.
    #[must_use]
    pub fn reference(&self) -> usize {
        self.reference
    }

    /// For each row the position of its level.
    #[must_use]
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }
}

/// Rows of counts with their explanatory columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    response: String,
    successes: Vec<u64>,
    trials: Vec<u64>,
    columns: BTreeMap<String, Column>,
}

/// Columns that do not make a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// There are no rows.
    NoRows,
    /// A column does not have one value for each row.
    Length {
        /// The column.
        column: String,
        /// Values it has.
        have: usize,
        /// Rows of the table.
        need: usize,
    },
    /// A row, counted from 0, has more successes than trials.
    MoreSuccessesThanTrials(usize),
    /// All trials together reach 2^53, where counts are no longer exact.
    TooManyTrials,
    /// A value of a number column is not finite.
    NotFinite {
        /// The column.
        column: String,
        /// The row, counted from 0.
        row: usize,
    },
    /// A level is declared twice.
    LevelTwice(String),
    /// The reference is not one of the levels.
    ReferenceNotALevel(String),
    /// A row, counted from 0, has a value that is not one of the levels.
    ValueNotALevel {
        /// The row.
        row: usize,
        /// Its value.
        value: String,
    },
    /// An explanatory column has the name of the response.
    ResponseIsAColumn(String),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => f.write_str("there are no rows to fit a model to"),
            Self::Length { column, have, need } => {
                write!(
                    f,
                    "the column `{column}` has {have} values and the table has {need} rows; give one for each row"
                )
            }
            Self::MoreSuccessesThanTrials(row) => {
                write!(
                    f,
                    "row {} has more successes than trials; give the number right, then the number tried",
                    row + 1
                )
            }
            Self::TooManyTrials => f.write_str("all trials together reach 2^53, where counts are no longer exact"),
            Self::NotFinite { column, row } => {
                write!(
                    f,
                    "the value of `{column}` in row {} is not a finite number; leave the row out by a declared rule",
                    row + 1
                )
            }
            Self::LevelTwice(level) => write!(f, "the level `{level}` is declared twice"),
            Self::ReferenceNotALevel(level) => write!(f, "the reference `{level}` is not one of the declared levels"),
            Self::ValueNotALevel { row, value } => {
                write!(
                    f,
                    "row {} has the value `{value}`, which is not one of the declared levels; declare it or map it",
                    row + 1
                )
            }
            Self::ResponseIsAColumn(name) => write!(f, "`{name}` names both the response and an explanatory column"),
        }
    }
}

impl std::error::Error for TableError {}

impl Table {
    /// A table of `successes[i]` in `trials[i]`, described by the columns. A row of 0 trials is allowed and says nothing.
    pub fn new(
        response: &str,
        successes: Vec<u64>,
        trials: Vec<u64>,
        columns: BTreeMap<String, Column>,
    ) -> Result<Self, TableError> {
        if trials.is_empty() {
            return Err(TableError::NoRows);
        }
        let need = trials.len();
        if successes.len() != need {
            return Err(TableError::Length { column: response.to_owned(), have: successes.len(), need });
        }
        if let Some(row) = successes.iter().zip(&trials).position(|(right, all)| right > all) {
            return Err(TableError::MoreSuccessesThanTrials(row));
        }
        let total = trials.iter().try_fold(0_u64, |sum, all| sum.checked_add(*all));
        if total.is_none_or(|total| total >= 1 << 53) {
            return Err(TableError::TooManyTrials);
        }
        if columns.contains_key(response) {
            return Err(TableError::ResponseIsAColumn(response.to_owned()));
        }
        for (name, column) in &columns {
            let (have, wrong) = match column {
                Column::Factor(factor) => (factor.codes.len(), None),
                Column::Number(values) => (values.len(), values.iter().position(|value| !value.is_finite())),
            };
            if have != need {
                return Err(TableError::Length { column: name.clone(), have, need });
            }
            if let Some(row) = wrong {
                return Err(TableError::NotFinite { column: name.clone(), row });
            }
        }
        Ok(Self { response: response.to_owned(), successes, trials, columns })
    }

    /// The name of the response.
    #[must_use]
    pub fn response(&self) -> &str {
        &self.response
    }

    /// Successes of each row.
    #[must_use]
    pub fn successes(&self) -> &[u64] {
        &self.successes
    }

    /// Trials of each row.
    #[must_use]
    pub fn trials(&self) -> &[u64] {
        &self.trials
    }

    /// The explanatory columns by name.
    #[must_use]
    pub fn columns(&self) -> &BTreeMap<String, Column> {
        &self.columns
    }

    /// A number that tells tables apart (not proof against design): the same for any order of the rows.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut rows: Vec<u64> = self
            .successes
            .iter()
            .zip(&self.trials)
            .map(|(right, all)| mix13(mix13(*right).wrapping_add(*all)))
            .collect();
        for (name, column) in &self.columns {
            let name = word_of(name);
            match column {
                Column::Factor(factor) => {
                    let levels: Vec<u64> = factor.levels.iter().map(|level| mix13(word_of(level) ^ name)).collect();
                    for (row, code) in rows.iter_mut().zip(&factor.codes) {
                        *row = mix13(*row).wrapping_add(levels.get(*code).copied().unwrap_or_default());
                    }
                }
                Column::Number(values) => {
                    for (row, value) in rows.iter_mut().zip(values) {
                        *row = mix13(*row).wrapping_add(mix13((value + 0.0).to_bits() ^ name));
                    }
                }
            }
        }
        rows.into_iter().fold(word_of(&self.response), |sum, row| sum.wrapping_add(mix13(row)))
    }
}

/// FNV-1a of a text.
fn word_of(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |word, byte| (word ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
