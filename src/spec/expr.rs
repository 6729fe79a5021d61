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
    /// `a - b`
    Arithmetic(Box<Expr>, ArithmeticOp, Box<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// `abs(x)`
    Abs(Box<Expr>),
    /// `min(a, b)`
    Minimum(Vec<Expr>),
    /// `max(a, b)`
    Maximum(Vec<Expr>),
}
