//! Comparisons of arms that end in findings, and orders of arms.

use std::collections::BTreeSet;

use super::{Adjustment, Name, Quantity};

/// Arms compared, each comparison with a finding: better, worse, equivalent, not separable, or why none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// What is compared. With several, the first arm is better only where it is better in all, and so with the other findings.
    pub lines: Vec<ComparisonLine>,
    /// One family of comparisons in each combination of these, sorted.
    pub within: Vec<Name>,
    /// How p-values are adjusted.
    pub adjust: Adjustment,
    /// The level: an adjusted p of at most this passes.
    pub level: Quantity,
    /// Fewer units than this give no verdict.
    pub minimum: u64,
    /// What a comparison is called when a difference and equivalence are both shown; absent where no line tests equivalence.
    pub precedence: Option<Precedence>,
    /// The analysis set.
    pub set: Name,
    /// The planned number of comparisons in each family.
    pub count: u64,
}

/// One difference of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComparisonLine {
    /// The difference, the first arm less the second.
    pub estimand: Name,
    /// The two-sided test of no difference.
    pub difference: Name,
    /// The test of equivalence.
    pub equivalence: Option<Name>,
    /// Intervals shown beside, sorted.
    pub intervals: Vec<Name>,
    /// Whether higher values are better.
    pub higher: bool,
}

/// What takes precedence when a difference is shown, and is shown to be smaller than the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precedence {
    /// Better or worse.
    Difference,
    /// Equivalent.
    Equivalence,
}

/// An order of arms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// How.
    pub kind: RankingKind,
    /// The analysis set; that of the comparison where one is ranked by.
    pub set: Name,
}

/// How arms are put in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankingKind {
    /// By the findings of a comparison of pairs.
    Findings {
        /// The comparison.
        comparison: Name,
        /// How arms whose findings are not nested are ordered.
        order: RankOrder,
    },
    /// By an estimate alone; ties are equal estimates.
    Estimate {
        /// The estimand.
        estimand: Name,
        /// Whether the largest comes first.
        largest: bool,
        /// What is ranked; one ranking in each combination of the estimand's other factors.
        ranked: BTreeSet<Name>,
    },
    /// The arms that no other arm is at least as good as in every objective and better in one.
    Front {
        /// The objectives.
        objectives: BTreeSet<Objective>,
        /// What is ranked; one front in each combination of the estimands' other factors.
        ranked: BTreeSet<Name>,
        /// The bootstrap whose resamples say how often each arm is on the front.
        draws: Name,
    },
}

/// One objective of a front.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Objective {
    /// The estimand.
    pub estimand: Name,
    /// Whether higher values are better.
    pub higher: bool,
}

/// How arms whose sets of those they are above are not nested are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankOrder {
    /// By inclusion: such arms do not push each other down.
    Inclusion,
    /// By how many they are above.
    Count,
}
