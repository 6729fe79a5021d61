//! `compare` and `ranking`.

use super::{Literal, Name};

/// `compare NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    /// Its name.
    pub name: Name,
    /// `on ESTIMAND with METHOD, … higher | lower`
    pub lines: Vec<CompareLine>,
    /// `within FACTOR, …`
    pub within: Vec<Name>,
    /// `adjust joint`
    pub adjust: Option<Name>,
    /// `level 5 %`
    pub level: Option<Literal>,
    /// `minimum 10 task`
    pub minimum: Option<Literal>,
    /// `precedence difference | equivalence`
    pub precedence: Option<Name>,
    /// `set NAME`
    pub set: Option<Name>,
    /// `count 12`
    pub count: Option<Literal>,
}

/// `on lead with flip, same, ci95 higher`
#[derive(Debug, Clone, PartialEq)]
pub struct CompareLine {
    /// The difference.
    pub estimand: Name,
    /// Tests and intervals.
    pub with: Vec<Name>,
    /// `higher` or `lower`: which values are better.
    pub better: Name,
}

/// `ranking NAME { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Its name.
    pub name: Name,
    /// `by COMPARE`, or `by ESTIMAND largest | smallest`
    pub by: Option<(Name, Option<Name>)>,
    /// `order inclusion | count`
    pub order: Option<Name>,
    /// `rank FACTOR, …`
    pub ranked: Vec<Name>,
    /// `front ESTIMAND higher | lower`
    pub fronts: Vec<(Name, Name)>,
    /// `draws INTERVAL`
    pub draws: Option<Name>,
    /// `set NAME`
    pub set: Option<Name>,
}
