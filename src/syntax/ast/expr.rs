//! Expressions as written.

use super::{Name, Text};
use crate::source::Span;

/// A number as written, with an optional unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// Digits as written: `0.05`, `5_000`, `1e-3`, `2/3`.
    pub number: Text,
    /// `pp`, `%`, `% rel`, `x`, `usd`, `usd/Mtok`, `min`, …
    pub unit: Option<Name>,
}

/// Every expression of the language; which forms are allowed where is the checker's business.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it is.
    pub kind: Box<ExprKind>,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `2 pp`
    Number(Literal),
    /// `"text"`
    Text(String),
    /// `accuracy`
    Name(String),
    /// `gap.lower`, `rater.done`
    Path(Name, Name),
    /// `mean(correct where level == 1)`, `spread(accuracy over scaffold)`, `flagged(x)`, `excess(a, b)`
    Call(Call),
    /// `accuracy[s2]`, `correct[scaffold: s2, model: opus]`
    At(Expr, Vec<Selector>),
    /// `-x`
    Negate(Expr),
    /// `not x`
    Not(Expr),
    /// `a + b`
    Arithmetic(Expr, ArithmeticOp, Expr),
    /// `a >= b`
    Compare(Expr, CompareOp, Expr),
    /// `a and b`
    And(Vec<Expr>),
    /// `a or b`
    Or(Vec<Expr>),
    /// `x in [a, b]`, the closed interval; `x in band` gives the name of the band for both ends.
    Within(Expr, Expr, Expr),
    /// `scaffold in {s2, s3}` written `scaffold is one of s2, s3`
    OneOf(Expr, Vec<Expr>),
    /// `hard is supported for some provider_family`
    Is {
        /// A hypothesis, clause or gate.
        subject: Name,
        /// `is not`
        negated: bool,
        /// A class or a label.
        label: Name,
        /// `for some F`
        some: Option<Name>,
    },
    /// `(expression) for condition`
    For(Expr, Expr),
    /// `attachment ends_with any [".csv"]`
    EndsWith(Expr, Vec<Text>),
}

/// A call with the words that may stand inside its brackets.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function, aggregate or parametrised measure.
    pub function: Name,
    /// The arguments.
    pub arguments: Vec<Expr>,
    /// `over scaffold`
    pub over: Vec<Name>,
    /// `where condition`
    pub filter: Option<Expr>,
}

/// `s2` or `scaffold: s2`, or a pick's name.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    /// The factor, when written.
    pub factor: Option<Name>,
    /// The level, parameter or pick.
    pub level: Name,
}

/// `+ - * /`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// `< <= == != >= >`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
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
