//! How intervals and p-values are made: every method with every argument, and its words. Whether a method suits an estimand is for
//! the checker; how it is computed, for judging.

use std::fmt;

use super::{Name, Quantity};

/// An interval method with every argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// Which.
    pub method: IntervalMethod,
    /// The confidence level, between 0 and 1.
    pub level: Quantity,
    /// The family whose members the level holds for together, by Bonferroni: each then has 1 - (1 - level) / count.
    pub over: Option<Name>,
}

/// How an interval is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntervalMethod {
    /// Percentile bootstrap of whole clusters with shared picks.
    BootstrapPercentile {
        /// The cluster: the unit, or an attribute of it.
        resample: Name,
        /// How many resamples.
        resamples: u64,
        /// The seed.
        seed: u64,
    },
    /// Another bootstrap of whole clusters with the same shared picks.
    Bootstrap {
        /// Which.
        kind: BootstrapKind,
        /// The cluster: the unit, or an attribute of it.
        resample: Name,
        /// How many resamples.
        resamples: u64,
        /// The seed.
        seed: u64,
    },
    /// Wilson on the effective number of records; rates only.
    Wilson {
        /// The cluster.
        cluster: Name,
        /// Whether n is corrected for its own degrees of freedom (Korn and Graubard).
        korn_graubard: bool,
    },
    /// Clopper and Pearson on the effective number of records; rates only.
    ClopperPearson {
        /// The cluster.
        cluster: Name,
    },
    /// Jeffreys on the effective number of records; rates only.
    Jeffreys {
        /// The cluster.
        cluster: Name,
    },
    /// The posterior of a beta-binomial on a fixed grid; rates only.
    BetaBinomial {
        /// The cluster.
        cluster: Name,
    },
    /// Student's t on the means of clusters, clusters weighing equally.
    ClusterT {
        /// The cluster.
        cluster: Name,
    },
    /// Newcombe's hybrid of two Wilson intervals on the effective number of records; a difference of two rates.
    Newcombe {
        /// The cluster.
        cluster: Name,
    },
    /// Newcombe's paired method (10); a difference of two rates over the same units, one record each.
    NewcombePaired,
    /// Agresti and Caffo; a difference of two rates over different units, one record each.
    AgrestiCaffo,
    /// Fieller on the sums of clusters; a quotient of two sums or counts.
    Fieller {
        /// The cluster.
        cluster: Name,
    },
    /// Wald's interval of a coefficient of a fitted model.
    Wald,
    /// Student's t on unit values; unit values are those of a `paired` estimand, or the unit means of a linear contrast.
    PairedT,
}

/// How the limits are made from resamples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BootstrapKind {
    /// Reflected about the estimate.
    Basic,
    /// Bias-corrected and accelerated, with the jackknife over clusters.
    Bca,
    /// Quantiles of the studentised replicates; means, quotients of sums and their differences.
    Studentised,
    /// Simultaneous over all members of the estimand, by the largest studentised deviation.
    MaxT,
    /// A lower bound for a spread that its largest-minus-smallest form cannot fool: the largest simultaneous bound
    /// of a pairwise difference, from zero up.
    SpreadBound,
}

impl BootstrapKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Basic, Self::Bca, Self::Studentised, Self::MaxT, Self::SpreadBound];

    /// The word in a spec.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Bca => "bca",
            Self::Studentised => "studentised",
            Self::MaxT => "max_t",
            Self::SpreadBound => "spread_bound",
        }
    }
}

/// Which alternative a test is against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sides {
    /// Either direction.
    Two,
    /// The value is greater than the null.
    Greater,
    /// The value is less than the null.
    Less,
}

/// What Wilcoxon's test does with values that equal the null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zeros {
    /// Dropped before ranking.
    Wilcox,
    /// Ranked, then dropped.
    Pratt,
    /// Ranked, and split between the signs.
    Split,
}

/// Which way a monotone trend goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trend {
    /// It never falls.
    Up,
    /// It never rises.
    Down,
    /// Either.
    Either,
}

/// A test with every argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Which.
    pub method: TestMethod,
}

/// How a p-value is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestMethod {
    /// Exact sign test of unit values; ties are dropped and counted.
    Sign {
        /// Alternative.
        sides: Sides,
        /// The value under the null.
        null: Quantity,
    },
    /// Exact sign-flip test of unit values.
    SignFlip {
        /// Alternative.
        sides: Sides,
        /// The value under the null.
        null: Quantity,
    },
    /// Student's t of unit values.
    PairedT {
        /// Alternative.
        sides: Sides,
        /// The value under the null.
        null: Quantity,
    },
    /// Wilcoxon's signed-rank test of unit values.
    Wilcoxon {
        /// Alternative.
        sides: Sides,
        /// The value under the null.
        null: Quantity,
        /// What happens to values at the null.
        zeros: Zeros,
    },
    /// `McNemar` on units that are true on one side only.
    Mcnemar {
        /// Alternative.
        sides: Sides,
        /// Whether half of the probability of the observed table is left out.
        mid_p: bool,
    },
    /// Fisher's exact test of two rates over different units, one record each.
    Fisher {
        /// Alternative.
        sides: Sides,
    },
    /// Two one-sided t tests of unit values against a margin on either side.
    Equivalence {
        /// The margin, above zero.
        margin: Quantity,
    },
    /// Hotelling's T squared on the contrasts of unit means, for a spread.
    Hotelling,
    /// The log-rank test of two arms' times to an event.
    LogRank,
    /// The likelihood ratio of a fitted model against the one without a term.
    LikelihoodRatio,
    /// Wald's test of a coefficient of a fitted model.
    Wald {
        /// Alternative.
        sides: Sides,
    },
    /// Two exact one-sided sign-flip tests of unit values against a margin on either side.
    EquivalenceExact {
        /// The margin, above zero.
        margin: Quantity,
    },
    /// Whether unit values are not worse than a margin: one-sided, by Student's t or by exact sign flips.
    NonInferiority {
        /// The margin as a size, above zero.
        margin: Quantity,
        /// Whether higher values are better.
        higher: bool,
        /// Whether by exact sign flips instead of Student's t.
        exact: bool,
    },
    /// Spearman's test of a rank correlation over independent records, one of each unit.
    Spearman {
        /// Alternative.
        sides: Sides,
        /// Whether all orders are counted instead of Student's t.
        exact: bool,
    },
    /// Permutation of labels within blocks, for any contrast that reads them.
    PermutationContrast {
        /// Alternative.
        sides: Sides,
        /// The factor whose labels are permuted.
        labels: Name,
        /// The block.
        within: Name,
        /// How many draws.
        draws: u64,
        /// The seed.
        seed: u64,
    },
    /// A monotone trend of a mean over an ordered factor: Bartholomew's statistic, labels permuted within blocks.
    Isotonic {
        /// Which way the means may go.
        trend: Trend,
        /// The ordered factor whose labels are permuted.
        labels: Name,
        /// The block.
        within: Name,
        /// How many draws.
        draws: u64,
        /// The seed.
        seed: u64,
    },
    /// Permutation of labels within blocks, for a spread over those labels.
    Permutation {
        /// The factor whose labels are permuted.
        labels: Name,
        /// The block.
        within: Name,
        /// How many draws.
        draws: u64,
        /// The seed.
        seed: u64,
    },
}

impl TestMethod {
    /// Whether it is drawn at random, which is dear, and has a Monte Carlo error.
    #[must_use]
    pub const fn is_drawn(&self) -> bool {
        matches!(self, Self::Permutation { .. } | Self::PermutationContrast { .. } | Self::Isotonic { .. })
    }

    /// Whether it tests that a difference lies within a margin on either side.
    #[must_use]
    pub const fn is_equivalence(&self) -> bool {
        matches!(self, Self::Equivalence { .. } | Self::EquivalenceExact { .. })
    }
}

impl IntervalMethod {
    /// What is resampled, or whose records hang together; none where units stand for themselves.
    #[must_use]
    pub fn cluster(&self) -> Option<&str> {
        match self {
            Self::BootstrapPercentile { resample, .. } | Self::Bootstrap { resample, .. } => Some(resample),
            Self::Wilson { cluster, .. }
            | Self::ClopperPearson { cluster }
            | Self::Jeffreys { cluster }
            | Self::BetaBinomial { cluster }
            | Self::ClusterT { cluster }
            | Self::Newcombe { cluster }
            | Self::Fieller { cluster } => Some(cluster),
            Self::NewcombePaired | Self::AgrestiCaffo | Self::Wald | Self::PairedT => None,
        }
    }
}

impl fmt::Display for IntervalMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let drawn = |f: &mut fmt::Formatter<'_>, what: &str, resample: &str, resamples: u64, seed: u64| {
            write!(f, "{what}, {} resamples of {resample}, seed {seed}", grouped(resamples))
        };
        match self {
            Self::BootstrapPercentile { resample, resamples, seed } => {
                drawn(f, "percentile bootstrap", resample, *resamples, *seed)
            }
            Self::Bootstrap { kind, resample, resamples, seed } => {
                let what = match kind {
                    BootstrapKind::Basic => "basic bootstrap",
                    BootstrapKind::Bca => "bias-corrected and accelerated bootstrap",
                    BootstrapKind::Studentised => "studentised bootstrap",
                    BootstrapKind::MaxT => "simultaneous bootstrap over the members, by the largest t",
                    BootstrapKind::SpreadBound => "lower bound for a spread from simultaneous pairwise differences",
                };
                drawn(f, what, resample, *resamples, *seed)
            }
            Self::Wilson { cluster, korn_graubard: false } => {
                write!(f, "Wilson on the effective number of records clustered by {cluster}")
            }
            Self::Wilson { cluster, korn_graubard: true } => write!(
                f,
                "Wilson on the effective number of records clustered by {cluster} with the Korn and Graubard correction"
            ),
            Self::ClopperPearson { cluster } => {
                write!(f, "Clopper and Pearson on the effective number of records clustered by {cluster}")
            }
            Self::Jeffreys { cluster } => {
                write!(f, "Jeffreys on the effective number of records clustered by {cluster}")
            }
            Self::BetaBinomial { cluster } => write!(f, "beta-binomial posterior over clusters of {cluster}"),
            Self::ClusterT { cluster } => write!(f, "Student's t on the means of each {cluster}"),
            Self::Newcombe { cluster } => {
                write!(f, "Newcombe on the effective number of records clustered by {cluster}")
            }
            Self::NewcombePaired => f.write_str("Newcombe's paired method"),
            Self::AgrestiCaffo => f.write_str("Agresti and Caffo"),
            Self::Wald => f.write_str("Wald's interval of the coefficient"),
            Self::Fieller { cluster } => write!(f, "Fieller on the sums of each {cluster}"),
            Self::PairedT => f.write_str("Student's t on unit values"),
        }
    }
}

impl TestMethod {
    /// Which alternative it is against; none where the statistic has no direction, or the null is a band.
    #[must_use]
    pub const fn sides(&self) -> Option<Sides> {
        match self {
            Self::Sign { sides, .. }
            | Self::SignFlip { sides, .. }
            | Self::PairedT { sides, .. }
            | Self::Wilcoxon { sides, .. }
            | Self::Mcnemar { sides, .. }
            | Self::Fisher { sides }
            | Self::Spearman { sides, .. }
            | Self::PermutationContrast { sides, .. }
            | Self::Wald { sides } => Some(*sides),
            Self::NonInferiority { higher: true, .. } => Some(Sides::Greater),
            Self::NonInferiority { higher: false, .. } => Some(Sides::Less),
            Self::LogRank => Some(Sides::Two),
            Self::Equivalence { .. }
            | Self::EquivalenceExact { .. }
            | Self::Hotelling
            | Self::LikelihoodRatio
            | Self::Isotonic { .. }
            | Self::Permutation { .. } => None,
        }
    }

    /// The value under the null, where it is declared.
    #[must_use]
    pub const fn null(&self) -> Option<&Quantity> {
        match self {
            Self::Sign { null, .. }
            | Self::SignFlip { null, .. }
            | Self::PairedT { null, .. }
            | Self::Wilcoxon { null, .. } => Some(null),
            Self::Mcnemar { .. }
            | Self::Fisher { .. }
            | Self::Equivalence { .. }
            | Self::EquivalenceExact { .. }
            | Self::NonInferiority { .. }
            | Self::Spearman { .. }
            | Self::Hotelling
            | Self::LogRank
            | Self::LikelihoodRatio
            | Self::Wald { .. }
            | Self::PermutationContrast { .. }
            | Self::Isotonic { .. }
            | Self::Permutation { .. } => None,
        }
    }

    /// Whether it reads one value of each unit.
    #[must_use]
    pub const fn reads_unit_values(&self) -> bool {
        match self {
            Self::Sign { .. }
            | Self::SignFlip { .. }
            | Self::PairedT { .. }
            | Self::Wilcoxon { .. }
            | Self::Mcnemar { .. }
            | Self::EquivalenceExact { .. }
            | Self::NonInferiority { .. }
            | Self::Equivalence { .. } => true,
            Self::Fisher { .. }
            | Self::Spearman { .. }
            | Self::PermutationContrast { .. }
            | Self::Isotonic { .. }
            | Self::Hotelling
            | Self::LogRank
            | Self::LikelihoodRatio
            | Self::Wald { .. }
            | Self::Permutation { .. } => false,
        }
    }
}

impl fmt::Display for TestMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let against = |sides: &Sides, null: &Quantity| match sides {
            Sides::Two => format!("two-sided, against {null}"),
            Sides::Greater => format!("one-sided, greater than {null}"),
            Sides::Less => format!("one-sided, less than {null}"),
        };
        let sided = |sides: &Sides| match sides {
            Sides::Two => "two-sided",
            Sides::Greater => "one-sided, greater",
            Sides::Less => "one-sided, less",
        };
        match self {
            Self::Sign { sides, null } => {
                write!(f, "exact sign test, {}; ties are dropped", against(sides, null))
            }
            Self::SignFlip { sides, null } => write!(f, "exact sign-flip test, {}", against(sides, null)),
            Self::PairedT { sides, null } => write!(f, "Student's t on unit values, {}", against(sides, null)),
            Self::Wilcoxon { sides, null, zeros } => {
                let zeros = match zeros {
                    Zeros::Wilcox => "values at the null are dropped before ranking",
                    Zeros::Pratt => "values at the null are ranked and then dropped",
                    Zeros::Split => "values at the null are ranked and split",
                };
                write!(f, "Wilcoxon's signed-rank test, {}; {zeros}", against(sides, null))
            }
            Self::Mcnemar { sides, mid_p: false } => write!(f, "McNemar's exact test, {}", sided(sides)),
            Self::Mcnemar { sides, mid_p: true } => write!(f, "McNemar's mid-p test, {}", sided(sides)),
            Self::Fisher { sides } => write!(f, "Fisher's exact test, {}", sided(sides)),
            Self::Equivalence { margin } => {
                write!(f, "two one-sided t tests on unit values against -{margin} and {margin}")
            }
            Self::EquivalenceExact { margin } => {
                write!(f, "two exact one-sided sign-flip tests on unit values against -{margin} and {margin}")
            }
            Self::NonInferiority { margin, higher, exact } => {
                let how = if *exact { "exact sign flips" } else { "Student's t" };
                let null = if *higher { format!("greater than -{margin}") } else { format!("less than {margin}") };
                write!(f, "non-inferiority by {how} on unit values, one-sided, {null}")
            }
            Self::Spearman { sides, exact } => {
                let how = if *exact { "over all orders" } else { "by Student's t" };
                write!(f, "Spearman's test {how}, {}", sided(sides))
            }
            Self::PermutationContrast { sides, labels, within, draws, seed } => write!(
                f,
                "permutation of {labels} within {within}, {}, {} draws, seed {seed}",
                sided(sides),
                grouped(*draws)
            ),
            Self::Isotonic { trend, labels, within, draws, seed } => {
                let trend = match trend {
                    Trend::Up => "that never falls",
                    Trend::Down => "that never rises",
                    Trend::Either => "either way",
                };
                write!(
                    f,
                    "isotonic trend over {labels} {trend}, labels permuted within {within}, {} draws, seed {seed}",
                    grouped(*draws)
                )
            }
            Self::Hotelling => f.write_str("Hotelling's T squared on the contrasts of unit means"),
            Self::LogRank => f.write_str("log-rank test, two-sided"),
            Self::LikelihoodRatio => f.write_str("likelihood ratio against the model without the term, by chi-squared"),
            Self::Wald { sides } => write!(f, "Wald's test of the coefficient, {}", sided(sides)),
            Self::Permutation { labels, within, draws, seed } => {
                write!(f, "permutation of {labels} within {within}, {} draws, seed {seed}", grouped(*draws))
            }
        }
    }
}

/// A whole number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
