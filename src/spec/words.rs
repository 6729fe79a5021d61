//! The checked study in words: quantities in the unit a person would write, conditions, terms, scopes. Written from the study
//! alone, never from the source text, so that what a reader sees is what is judged.

use std::fmt;

use super::{
    ArithmeticOp, CaseCondition, Condition, Dimension, EvidenceKind, EvidenceRef, QuantifierKind, Quantity, RecordExpr,
    Relation, Scope, StateClass, Term,
};
use crate::math::{Rational, exact};

/// Shows a number of this dimension as it would be written in a spec: `2 pp`, `5 %`, `0.25 usd`.
#[must_use]
pub fn quantity(value: &Rational, dimension: &Dimension) -> String {
    let hundred = Rational::from_integer(100.into());
    match dimension {
        Dimension::Plain | Dimension::Count => exact::canonical(value),
        Dimension::Proportion => format!("{} %", exact::canonical(&(value * hundred))),
        Dimension::Difference => format!("{} pp", exact::canonical(&(value * hundred))),
        Dimension::Ratio => format!("{} x", exact::canonical(value)),
        Dimension::Money
        | Dimension::Tokens
        | Dimension::Time
        | Dimension::Bits
        | Dimension::Nats
        | Dimension::Per(..) => format!("{} {}", exact::canonical(value), unit(dimension)),
    }
}

/// The word of a dimension's unit as it would be written in a spec; empty for plain numbers and counts.
#[must_use]
pub fn unit(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Plain | Dimension::Count => String::new(),
        Dimension::Proportion => "%".to_owned(),
        Dimension::Difference => "pp".to_owned(),
        Dimension::Ratio => "x".to_owned(),
        Dimension::Money => "usd".to_owned(),
        Dimension::Tokens => "tokens".to_owned(),
        Dimension::Time => "s".to_owned(),
        Dimension::Bits => "bits".to_owned(),
        Dimension::Nats => "nats".to_owned(),
        Dimension::Per(over, under) if **under == Dimension::Count => format!("{} each", unit(over)).trim().to_owned(),
        Dimension::Per(over, under) => format!("{} per {}", unit(over), unit(under)).trim().to_owned(),
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quantity(&self.value, &self.dimension))
    }
}

impl Relation {
    /// How it is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        }
    }
}

impl ArithmeticOp {
    /// How it is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }
}

impl EvidenceKind {
    /// The word used in rules.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::P => "p",
            Self::PAdjusted => "p_adjusted",
            Self::N => "n",
            Self::Clusters => "clusters",
        }
    }
}

impl StateClass {
    /// The word used in specs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Errored => "errored",
            Self::Missing => "missing",
        }
    }
}

impl fmt::Display for EvidenceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.about, self.kind.word())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => value.fmt(f),
            Self::Margin(name) | Self::Value(name) => f.write_str(name),
            Self::MarginHigh(name) => write!(f, "{name}'s upper end"),
            Self::Evidence(evidence) => evidence.fmt(f),
            Self::CountMembers(factors, condition) => write!(f, "count({} where {condition})", factors.join(", ")),
            Self::Arithmetic(left, op, right) => {
                let tight = matches!(op, ArithmeticOp::Multiply | ArithmeticOp::Divide);
                operand(f, left, tight)?;
                write!(f, " {} ", op.symbol())?;
                operand(f, right, tight || *op == ArithmeticOp::Subtract)
            }
            Self::Negate(inner) => {
                f.write_str("-")?;
                operand(f, inner, true)
            }
            Self::Abs(inner) => write!(f, "abs({inner})"),
            Self::Minimum(parts) => list(f, "min", parts),
            Self::Maximum(parts) => list(f, "max", parts),
        }
    }
}

fn operand(f: &mut fmt::Formatter<'_>, term: &Term, tight: bool) -> fmt::Result {
    if tight && matches!(term, Term::Arithmetic(..)) { write!(f, "({term})") } else { write!(f, "{term}") }
}

fn list(f: &mut fmt::Formatter<'_>, name: &str, parts: &[Term]) -> fmt::Result {
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    write!(f, "{name}({})", parts.join(", "))
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(left, relation, right) => write!(f, "{left} {} {right}", relation.symbol()),
            Self::Within(inner, low, high) => write!(f, "{inner} in [{low}, {high}]"),
            Self::Is { subject, negated, label, some, .. } => {
                write!(f, "{subject} is {}{label}", if *negated { "not " } else { "" })?;
                some.as_ref().map_or(Ok(()), |some| write!(f, " for some {some}"))
            }
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::And(parts) => joined(f, parts, " and "),
            Self::Or(parts) => joined(f, parts, " or "),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Condition], word: &str) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(word)?;
        }
        if matches!(part, Condition::And(_) | Condition::Or(_)) {
            write!(f, "({part})")?;
        } else {
            write!(f, "{part}")?;
        }
    }
    Ok(())
}

impl fmt::Display for CaseCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::When(condition) => write!(f, "when {condition}"),
            Self::Otherwise => f.write_str("otherwise"),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, quantifier) in self.quantifiers.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            let factors = quantifier.factors.join(", ");
            match quantifier.kind {
                QuantifierKind::All => write!(f, "all {factors}")?,
                QuantifierKind::Any => write!(f, "any {factors}")?,
                QuantifierKind::None => write!(f, "no {factors}")?,
                QuantifierKind::AtLeast { at_least, of } => write!(f, "at least {at_least} of {of} {factors}")?,
            }
        }
        if let Some(filter) = &self.filter {
            write!(f, "{}where {filter}", if self.quantifiers.is_empty() { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Display for RecordExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Level(name) | Self::Field(name) | Self::Factor(name) => f.write_str(name),
            Self::At(inner, cell) => {
                let cell: Vec<String> = cell
                    .iter()
                    .map(|(factor, level)| match level {
                        super::LevelRef::Level(name)
                        | super::LevelRef::Parameter(name)
                        | super::LevelRef::Picked(name) => format!("{factor}: {name}"),
                        super::LevelRef::Next => format!("{factor}: next"),
                    })
                    .collect();
                write!(f, "{inner}[{}]", cell.join(", "))
            }
            Self::Flagged(name) => write!(f, "flagged({name})"),
            Self::State(class) => f.write_str(class.word()),
            Self::Present(inner) => write!(f, "present({inner})"),
            Self::EndsWith(inner, endings) => write!(f, "{inner} ends with any of {}", endings.join(", ")),
            Self::OneOf(inner, levels) => write!(f, "{inner} is one of {}", levels.join(", ")),
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::And(parts) => join_records(f, parts, " and "),
            Self::Or(parts) => join_records(f, parts, " or "),
            Self::Compare(left, relation, right) => write!(f, "{left} {} {right}", relation.symbol()),
            Self::Arithmetic(left, op, right) => write!(f, "({left} {} {right})", op.symbol()),
            Self::Negate(inner) => write!(f, "-{inner}"),
            Self::Abs(inner) => write!(f, "abs({inner})"),
            Self::Log(inner) => write!(f, "log({inner})"),
            Self::Step(factor) => write!(f, "step({factor})"),
        }
    }
}

fn join_records(f: &mut fmt::Formatter<'_>, parts: &[RecordExpr], word: &str) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(word)?;
        }
        if matches!(part, RecordExpr::And(_) | RecordExpr::Or(_)) {
            write!(f, "({part})")?;
        } else {
            write!(f, "{part}")?;
        }
    }
    Ok(())
}
