//! Expressions after checking: over one record, and over sets of records and cells.

use super::{Name, Quantity, StateClass};

/// `< <= == != >= >`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
}

/// `+ - * /`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// Which level of a factor an index names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LevelRef {
    /// A level of the factor.
    Level(Name),
    /// A parameter of the measure that this stands in.
    Parameter(Name),
    /// The level that a pick selects.
    Picked(Name),
    /// The level after the one that the cell has, on the ladder that the factor's levels form.
    Next,
}

/// An expression over one record, or, where every field is indexed, over one unit.
///
/// Three-valued: an absent optional field makes a comparison false (and its negation true).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordExpr {
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Quantity),
    /// A text.
    Text(String),
    /// A level of a factor or of a task attribute.
    Level(Name),
    /// An outcome, a flag used as a field, or a task attribute.
    Field(Name),
    /// The record's own level of a factor.
    Factor(Name),
    /// The value that the same unit (and repeat) has in the cell named; factors not named stay as bound.
    At(Box<RecordExpr>, Vec<(Name, LevelRef)>),
    /// Whether the record carries a flag.
    Flagged(Name),
    /// Whether the record's state is of this class.
    State(StateClass),
    /// Whether an optional field is there.
    Present(Box<RecordExpr>),
    /// Whether a text ends with one of these.
    EndsWith(Box<RecordExpr>, Vec<String>),
    /// Whether a level is one of these.
    OneOf(Box<RecordExpr>, Vec<Name>),
    /// `not x`
    Not(Box<RecordExpr>),
    /// `a and b`
    And(Vec<RecordExpr>),
    /// `a or b`
    Or(Vec<RecordExpr>),
    /// `a >= b`
    Compare(Box<RecordExpr>, Relation, Box<RecordExpr>),
    /// `a - b`
    Arithmetic(Box<RecordExpr>, ArithmeticOp, Box<RecordExpr>),
    /// `-x`
    Negate(Box<RecordExpr>),
    /// `abs(x)`
    Abs(Box<RecordExpr>),
    /// The natural logarithm, rounded to a multiple of 2^-40 so that sums of logarithms are exact; a value that is not above
    /// zero has none, and then nothing is computed.
    Log(Box<RecordExpr>),
    /// The number that the record's level of a factor is: the level itself where all are numbers, else its place from 1.
    Step(Name),
}

/// How a set of records becomes one number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AggregateKind {
    /// The mean; of a condition, its share.
    Mean,
    /// The share of records in which a condition holds.
    Rate,
    /// The sum.
    Sum,
    /// How many records satisfy a condition.
    Count,
    /// The middle value, the mean of the two middle ones when their number is even.
    Median,
    /// The quantile of type 7 at this probability.
    Quantile(crate::math::Rational),
    /// The sample standard deviation.
    Sd,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The phi coefficient of two conditions.
    Phi,
    /// A statistic of whole records, which no sums give.
    Statistic(Statistic),
}

/// A statistic of the records of a cell. The comment names the arguments in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statistic {
    /// Area under the receiver operating characteristic: a score, whether the event happened.
    Auroc,
    /// Average precision, step definition: a score, whether the event happened.
    AveragePrecision,
    /// Precision: whether the event was predicted, whether it happened.
    Precision,
    /// Recall: whether the event was predicted, whether it happened.
    Recall,
    /// The harmonic mean of precision and recall: whether the event was predicted, whether it happened.
    F1,
    /// Cohen's kappa: two conditions.
    Kappa,
    /// Pearson's correlation: two numbers.
    Pearson,
    /// Spearman's rank correlation with mid-ranks: two numbers.
    Spearman,
    /// Kendall's tau-b: two numbers.
    Kendall,
    /// The mean squared error of a probability: a probability, whether the event happened.
    Brier,
    /// The mean negative natural logarithm of the probability given to what happened: a probability, whether the event
    /// happened.
    LogLoss,
    /// Expected calibration error over bins of equal width: a probability, whether the event happened.
    CalibrationError {
        /// How many bins.
        bins: u64,
    },
    /// The chance that at least one of k attempts of a unit succeeds, averaged over units: a condition.
    PassAt {
        /// k
        attempts: u64,
    },
    /// The chance that all of k attempts of a unit succeed, averaged over units: a condition.
    PassAll {
        /// k
        attempts: u64,
    },
    /// The median time to an event by Kaplan and Meier: a time, whether the event was seen.
    MedianSurvival,
    /// The share still without the event at a time, by Kaplan and Meier: a time, whether the event was seen, the time asked.
    SurvivalAt,
    /// The mean time without the event up to a limit, the area under Kaplan and Meier's curve: a time, whether the event was
    /// seen, the limit.
    RestrictedMean,
    /// Spearman's correlation within each group, and its mean over the groups that have one: two numbers, a group.
    SpearmanWithin,
    /// Kendall's tau-b within each group, and its mean over the groups that have one: two numbers, a group.
    KendallWithin,
    /// In how many groups two numbers have no rank correlation, for fewer than two records or a constant side: two numbers,
    /// a group.
    GroupsWithout,
    /// Theil and Sen's slope, the median slope of all pairs of records at different doses: a number, a dose.
    TheilSen,
    /// The median over units of the first step at which a value reaches a threshold, by Kaplan and Meier, since a unit that
    /// never does is known up to its last step only: a value, a step, the threshold.
    FirstCrossing,
    /// The mean over units of the mean value at the steps of a window, both ends included: a value, a step, the first step,
    /// the last.
    WindowMean,
    /// The mean over units of the largest rise between neighbouring steps, zero where none rises: a value, a step.
    LargestRise,
    /// The mean over units of the largest fall between neighbouring steps, as a size, zero where none falls: a value, a step.
    LargestFall,
}

impl Statistic {
    /// The function's name in a spec.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auroc => "auroc",
            Self::AveragePrecision => "average_precision",
            Self::Precision => "precision",
            Self::Recall => "recall",
            Self::F1 => "f1",
            Self::Kappa => "kappa",
            Self::Pearson => "pearson",
            Self::Spearman => "spearman",
            Self::Kendall => "kendall",
            Self::Brier => "brier",
            Self::LogLoss => "log_loss",
            Self::CalibrationError { .. } => "calibration_error",
            Self::PassAt { .. } => "pass_at",
            Self::PassAll { .. } => "pass_all",
            Self::MedianSurvival => "median_survival",
            Self::SurvivalAt => "survival_at",
            Self::RestrictedMean => "restricted_mean",
            Self::SpearmanWithin => "spearman_within",
            Self::KendallWithin => "kendall_within",
            Self::GroupsWithout => "groups_without",
            Self::TheilSen => "theil_sen",
            Self::FirstCrossing => "first_crossing",
            Self::WindowMean => "window_mean",
            Self::LargestRise => "largest_rise",
            Self::LargestFall => "largest_fall",
        }
    }

    /// Its whole-number argument, which stands last.
    #[must_use]
    pub const fn parameter(self) -> Option<u64> {
        match self {
            Self::CalibrationError { bins } => Some(bins),
            Self::PassAt { attempts } | Self::PassAll { attempts } => Some(attempts),
            Self::Auroc
            | Self::AveragePrecision
            | Self::Precision
            | Self::Recall
            | Self::F1
            | Self::Kappa
            | Self::Pearson
            | Self::Spearman
            | Self::Kendall
            | Self::Brier
            | Self::LogLoss
            | Self::MedianSurvival
            | Self::SurvivalAt
            | Self::RestrictedMean
            | Self::SpearmanWithin
            | Self::KendallWithin
            | Self::GroupsWithout
            | Self::TheilSen
            | Self::FirstCrossing
            | Self::WindowMean
            | Self::LargestRise
            | Self::LargestFall => None,
        }
    }
}

/// An aggregate over the records of the current cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Aggregate {
    /// How.
    pub kind: AggregateKind,
    /// Of what; one argument, two for phi.
    pub arguments: Vec<RecordExpr>,
    /// Its own `where`.
    pub filter: Option<RecordExpr>,
}

/// How the levels of a factor become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReduceKind {
    /// Largest minus smallest.
    Spread,
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The unweighted mean.
    Mean,
    /// The unweighted mean of the levels where the body is defined; the others are counted.
    MeanDefined,
}

/// An expression over cells: a measure contrasted, reduced or combined.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A number.
    Constant(Quantity),
    /// A sourced constant, or its entry for the current level.
    Value(Name),
    /// An aggregate.
    Aggregate(Aggregate),
    /// A measure, with the levels given to its parameters.
    Measure(Name, Vec<LevelRef>),
    /// Another estimand in the same cell.
    Estimand(Name),
    /// The body with factors pinned.
    At(Box<Expr>, Vec<(Name, LevelRef)>),
    /// The body over the records that satisfy a condition.
    For(Box<Expr>, RecordExpr),
    /// The body reduced over the levels of a factor.
    Reduce(ReduceKind, Name, Box<Expr>),
    /// The least-squares slope of the body over the numbers that the levels of a factor are.
    Slope(Name, Box<Expr>),
    /// `a - b`
    Arithmetic(Box<Expr>, ArithmeticOp, Box<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// `abs(x)`
    Abs(Box<Expr>),
    /// The natural logarithm; undefined at zero and below.
    Log(Box<Expr>),
    /// `min(a, b)`
    Minimum(Vec<Expr>),
    /// `max(a, b)`
    Maximum(Vec<Expr>),
}
