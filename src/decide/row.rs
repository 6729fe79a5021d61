//! Expressions over one record or one unit, bound to the numbering of a frame and evaluated exactly. Owns three-valued
//! comparison and the pairing of cells; it must not aggregate.
//!
//! An absent value makes a comparison false and the negation of that true. A record that does not count makes the whole
//! expression have no value ([`Datum::NoRecord`]), so that a pair with an excluded side drops.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_traits::Zero;

use super::frame::{Frame, Place};
use super::sets::{Imputed, View};
use crate::math::Rational;
use crate::plan::Scalar;
use crate::spec::{ArithmeticOp, CountAs, Fill, LevelRef, Name, RecordExpr, Relation, StateClass, ValueType};
use crate::table::number::Exact;

/// An expression over one place of the plan, with every name resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowExpr {
    Bool(bool),
    Number(Exact),
    Word(String),
    Field(usize),
    /// A field's repeats of one cell as one value.
    Collapsed(Box<RowExpr>, Collapse),
    Attribute(usize),
    Factor(usize),
    At(Box<RowExpr>, Vec<(usize, u64)>),
    State(StateClass),
    Present(Box<RowExpr>),
    EndsWith(Box<RowExpr>, Vec<String>),
    OneOf(Box<RowExpr>, Vec<Name>),
    Not(Box<RowExpr>),
    And(Vec<RowExpr>),
    Or(Vec<RowExpr>),
    /// With the declared order of levels, for `<` and the like between levels.
    Compare(Box<RowExpr>, Relation, Box<RowExpr>, Vec<Name>),
    Arithmetic(Box<RowExpr>, ArithmeticOp, Box<RowExpr>),
    Negate(Box<RowExpr>),
    Abs(Box<RowExpr>),
    Log(Box<RowExpr>),
    /// The number of each level of an axis.
    Step(usize, Vec<Exact>),
    /// The unit's key.
    Unit,
}

/// How repeats become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Collapse {
    Mean,
    Any,
    All,
    First,
}

impl Collapse {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "mean" => Some(Self::Mean),
            "any" => Some(Self::Any),
            "all" => Some(Self::All),
            "first" => Some(Self::First),
            _ => None,
        }
    }
}

/// The value of an expression at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Datum<'v> {
    Bool(bool),
    Number(Exact),
    Word(&'v str),
    /// The record is there, the value is not.
    Absent,
    /// A record that the expression needs does not count.
    NoRecord,
    /// The logarithm of a value that is not above zero: no number, and nothing to leave out in silence.
    NoLogarithm,
}

impl Datum<'_> {
    /// As a condition: absent is false. `None` when a record does not count.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::NoRecord => None,
            Self::Number(_) | Self::Word(_) | Self::Absent | Self::NoLogarithm => Some(false),
        }
    }

    /// As a number; true is 1.
    pub fn number(&self) -> Option<Exact> {
        match self {
            Self::Bool(value) => Some(if *value { Exact::ONE } else { Exact::ZERO }),
            Self::Number(value) => Some(value.clone()),
            Self::Word(_) | Self::Absent | Self::NoRecord | Self::NoLogarithm => None,
        }
    }
}

/// What names stand for while an expression is resolved.
#[derive(Debug, Clone, Default)]
pub(super) struct Names<'n> {
    /// Levels given to a measure's parameters.
    pub parameters: BTreeMap<Name, Name>,
    /// Levels that picks selected.
    pub picked: BTreeMap<Name, Name>,
    /// The next rung of each factor that the cell binds and that has a ladder.
    pub next: BTreeMap<Name, Name>,
    /// How outcomes' repeats become one value; absent where repeats stay apart.
    pub collapse: Option<&'n BTreeMap<Name, Name>>,
}

impl Names<'_> {
    /// The level of a factor that a reference names.
    pub fn level<'s>(&'s self, factor: &str, level: &'s LevelRef) -> Result<&'s Name, String> {
        match level {
            LevelRef::Level(level) => Ok(level),
            LevelRef::Next => self.next.get(factor).ok_or_else(|| format!("no level of {factor} comes after this one")),
            LevelRef::Parameter(name) => {
                self.parameters.get(name).ok_or_else(|| format!("the parameter {name} was given no level"))
            }
            LevelRef::Picked(name) => self.picked.get(name).ok_or_else(|| format!("the pick {name} selected no level")),
        }
    }

    /// Levels of axes named by an index.
    pub fn levels(&self, frame: &Frame<'_>, at: &[(Name, LevelRef)]) -> Result<Vec<(usize, u64)>, String> {
        let one = |(factor, level): &(Name, LevelRef)| {
            let axis = frame.axis(factor).ok_or_else(|| format!("{factor} is not crossed in the design"))?;
            let level = self.level(factor, level)?;
            let index = frame.axes.get(axis).and_then(|axis| axis.index(level));
            Ok((axis, index.ok_or_else(|| format!("{factor} has no level {level}"))?))
        };
        at.iter().map(one).collect()
    }
}

/// Resolves an expression. Fails on a name that the frame does not have.
pub(super) fn resolve(frame: &Frame<'_>, names: &Names<'_>, expr: &RecordExpr) -> Result<RowExpr, String> {
    let one = |expr: &RecordExpr| resolve(frame, names, expr).map(Box::new);
    let all =
        |parts: &[RecordExpr]| parts.iter().map(|part| resolve(frame, names, part)).collect::<Result<Vec<_>, _>>();
    Ok(match expr {
        RecordExpr::Bool(value) => RowExpr::Bool(*value),
        RecordExpr::Number(quantity) => RowExpr::Number(Exact::from_rational(&quantity.value)),
        RecordExpr::Text(text) => RowExpr::Word(text.clone()),
        RecordExpr::Level(level) => RowExpr::Word(level.clone()),
        RecordExpr::Field(name) | RecordExpr::Flagged(name) => field(frame, names, name)?,
        RecordExpr::Factor(name) => match frame.axis(name) {
            Some(axis) => RowExpr::Factor(axis),
            None if frame.is_unit(name) => RowExpr::Unit,
            None => return Err(format!("{name} is not crossed in the design")),
        },
        RecordExpr::At(body, at) => RowExpr::At(one(body)?, names.levels(frame, at)?),
        RecordExpr::State(class) => RowExpr::State(*class),
        RecordExpr::Present(body) => RowExpr::Present(one(body)?),
        RecordExpr::EndsWith(body, ends) => RowExpr::EndsWith(one(body)?, ends.clone()),
        RecordExpr::OneOf(body, levels) => RowExpr::OneOf(one(body)?, levels.clone()),
        RecordExpr::Not(body) => RowExpr::Not(one(body)?),
        RecordExpr::And(parts) => RowExpr::And(all(parts)?),
        RecordExpr::Or(parts) => RowExpr::Or(all(parts)?),
        RecordExpr::Compare(left, relation, right) => {
            let order = [left, right].into_iter().find_map(|side| order_of(frame, side)).unwrap_or_default();
            RowExpr::Compare(one(left)?, *relation, one(right)?, order)
        }
        RecordExpr::Arithmetic(left, op, right) => RowExpr::Arithmetic(one(left)?, *op, one(right)?),
        RecordExpr::Negate(body) => RowExpr::Negate(one(body)?),
        RecordExpr::Abs(body) => RowExpr::Abs(one(body)?),
        RecordExpr::Log(body) => RowExpr::Log(one(body)?),
        RecordExpr::Step(name) => {
            let axis = frame.axis(name).ok_or_else(|| format!("{name} is not crossed in the design"))?;
            let steps = frame.spec.steps(name).ok_or_else(|| format!("the levels of {name} have no order"))?;
            RowExpr::Step(axis, steps.iter().map(Exact::from_rational).collect())
        }
    })
}

fn field(frame: &Frame<'_>, names: &Names<'_>, name: &str) -> Result<RowExpr, String> {
    let schema = frame.schema();
    if let Some(field) = schema.field(name) {
        let own = RowExpr::Field(field);
        return Ok(match names.collapse.and_then(|collapse| collapse.get(name)) {
            Some(word) => {
                let how = Collapse::from_word(word).ok_or_else(|| format!("there is no collapse by {word}"))?;
                RowExpr::Collapsed(Box::new(own), how)
            }
            None => own,
        });
    }
    let factor = || frame.axis(name).map(RowExpr::Factor);
    let found = schema.attribute(name).map(RowExpr::Attribute).or_else(factor);
    found.ok_or_else(|| format!("there is no field or attribute {name}"))
}

/// The declared order of the levels that an expression takes.
fn order_of(frame: &Frame<'_>, expr: &RecordExpr) -> Option<Vec<Name>> {
    if let RecordExpr::At(body, _) = expr {
        return order_of(frame, body);
    }
    let (RecordExpr::Field(name) | RecordExpr::Factor(name)) = expr else { return None };
    frame.levels_of(name).or_else(|| match &frame.spec.fields.get(name)?.kind {
        ValueType::Level(levels) => Some(levels.clone()),
        ValueType::Bool | ValueType::Number(_) | ValueType::Text => None,
    })
}

impl RowExpr {
    /// The axes that indices inside name: those the expression does not take from its own place.
    pub fn indexed(&self, into: &mut Vec<usize>) {
        if let Self::At(_, at) = self {
            into.extend(at.iter().map(|(axis, _)| *axis));
        }
        self.children().for_each(|child| child.indexed(into));
    }

    /// Whether it reads only what is known before any record came: attributes and levels.
    pub fn is_planned(&self) -> bool {
        !matches!(self, Self::Field(_) | Self::State(_)) && self.children().all(Self::is_planned)
    }

    /// Whether some part of it is a logarithm.
    pub fn takes_logarithms(&self) -> bool {
        matches!(self, Self::Log(_)) || self.children().any(Self::takes_logarithms)
    }

    /// Whether it reads a record at its own place, outside any index.
    pub fn reads_own_record(&self) -> bool {
        let inside = || !matches!(self, Self::At(..)) && self.children().any(Self::reads_own_record);
        matches!(self, Self::Field(_) | Self::State(_)) || inside()
    }

    /// Whether it reads a field whose repeats stay apart.
    pub fn keeps_repeats(&self) -> bool {
        let inside = || !matches!(self, Self::Collapsed(..)) && self.children().any(Self::keeps_repeats);
        matches!(self, Self::Field(_) | Self::State(_)) || inside()
    }

    /// Whether every record that it reads at a place was planned there: a pair with a side that is never run is no pair.
    pub fn is_planned_at(&self, frame: &Frame<'_>, place: Place) -> bool {
        match self {
            Self::Field(_) | Self::State(_) => frame.row_at(place).is_some(),
            Self::Collapsed(..) => {
                let first = frame.first_repeat(place);
                (first..first.saturating_add(frame.repeats)).any(|place| frame.row_at(place).is_some())
            }
            Self::At(body, at) => body.is_planned_at(frame, elsewhere(frame, at, place)),
            Self::Bool(_)
            | Self::Number(_)
            | Self::Word(_)
            | Self::Attribute(_)
            | Self::Factor(_)
            | Self::Present(_)
            | Self::EndsWith(..)
            | Self::OneOf(..)
            | Self::Not(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Compare(..)
            | Self::Arithmetic(..)
            | Self::Negate(_)
            | Self::Abs(_)
            | Self::Log(_)
            | Self::Step(..)
            | Self::Unit => self.children().all(|child| child.is_planned_at(frame, place)),
        }
    }

    fn children(&self) -> Box<dyn Iterator<Item = &RowExpr> + '_> {
        match self {
            Self::Bool(_)
            | Self::Number(_)
            | Self::Word(_)
            | Self::Field(_)
            | Self::Attribute(_)
            | Self::Factor(_)
            | Self::State(_)
            | Self::Step(..)
            | Self::Unit => Box::new(std::iter::empty()),
            Self::Collapsed(body, _)
            | Self::At(body, _)
            | Self::Present(body)
            | Self::EndsWith(body, _)
            | Self::OneOf(body, _)
            | Self::Not(body)
            | Self::Negate(body)
            | Self::Abs(body)
            | Self::Log(body) => Box::new(std::iter::once(body.as_ref())),
            Self::And(parts) | Self::Or(parts) => Box::new(parts.iter()),
            Self::Compare(left, _, right, _) | Self::Arithmetic(left, _, right) => {
                Box::new([left.as_ref(), right.as_ref()].into_iter())
            }
        }
    }
}

/// The place of the same unit and repeat in the cell named.
fn elsewhere(frame: &Frame<'_>, at: &[(usize, u64)], place: Place) -> Place {
    at.iter().fold(place, |place, (axis, level)| frame.moved(place, *axis, *level))
}

/// The value of an expression at a place, seen through an analysis set.
pub(super) fn evaluate<'v>(expr: &'v RowExpr, view: &'v View<'_>, place: Place) -> Datum<'v> {
    let frame = view.frame;
    match expr {
        RowExpr::Bool(value) => Datum::Bool(*value),
        RowExpr::Number(value) => Datum::Number(value.clone()),
        RowExpr::Word(word) => Datum::Word(word),
        RowExpr::Field(field) => match view.counted_row(place) {
            Some(row) => field_value(view, *field, row, place),
            None => Datum::NoRecord,
        },
        RowExpr::Collapsed(body, how) => collapsed(body, *how, view, place),
        RowExpr::Attribute(attribute) => frame.attribute(frame.unit_of(place), *attribute).map_or(Datum::Absent, datum),
        RowExpr::Factor(axis) => frame.level_name(place, *axis).map_or(Datum::Absent, Datum::Word),
        RowExpr::At(body, at) => evaluate(body, view, elsewhere(frame, at, place)),
        RowExpr::State(class) => match view.counted_row(place).and_then(|row| frame.rows.get(row)) {
            Some(row) => Datum::Bool(row.state.class() == Some(*class)),
            None => Datum::NoRecord,
        },
        RowExpr::Present(body) => asked(&evaluate(body, view, place), |value| *value != Datum::Absent),
        RowExpr::EndsWith(body, ends) => asked(
            &evaluate(body, view, place),
            |value| matches!(value, Datum::Word(text) if ends.iter().any(|end| text.ends_with(end.as_str()))),
        ),
        RowExpr::OneOf(body, levels) => {
            asked(&evaluate(body, view, place), |value| levels.iter().any(|level| same_level(value, level)))
        }
        RowExpr::Not(body) => evaluate(body, view, place).truth().map_or(Datum::NoRecord, |value| Datum::Bool(!value)),
        RowExpr::And(parts) => joined(parts, view, place, true),
        RowExpr::Or(parts) => joined(parts, view, place, false),
        RowExpr::Compare(left, relation, right, order) => {
            compare(&evaluate(left, view, place), *relation, &evaluate(right, view, place), order)
        }
        RowExpr::Arithmetic(left, op, right) => {
            arithmetic(&evaluate(left, view, place), *op, &evaluate(right, view, place))
        }
        RowExpr::Negate(body) => mapped(&evaluate(body, view, place), |value| value.negated()),
        RowExpr::Abs(body) => mapped(&evaluate(body, view, place), |value| value.magnitude()),
        RowExpr::Log(body) => logarithm(&evaluate(body, view, place)),
        RowExpr::Step(axis, steps) => {
            let level = frame.level(place, *axis).and_then(|level| usize::try_from(level).ok());
            level.and_then(|level| steps.get(level)).map_or(Datum::Absent, |step| Datum::Number(step.clone()))
        }
        RowExpr::Unit => frame.task(frame.unit_of(place)).map_or(Datum::Absent, |task| Datum::Word(&task.key)),
    }
}

/// A question about a value, which has no answer where the record does not count.
fn asked<'v>(value: &Datum<'_>, question: impl Fn(&Datum<'_>) -> bool) -> Datum<'v> {
    if *value == Datum::NoRecord { Datum::NoRecord } else { Datum::Bool(question(value)) }
}

fn field_value<'v>(view: &'v View<'_>, field: usize, row: usize, place: Place) -> Datum<'v> {
    let frame = view.frame;
    let recorded = || frame.field(row, field).map_or(Datum::Absent, datum);
    let Some(policy) = view.policy(row) else { return recorded() };
    let outcome = view.outcomes.get(field).copied().unwrap_or_default();
    if *policy == CountAs::Incorrect && outcome == Imputed::Truth {
        return Datum::Bool(false);
    }
    // A derived outcome follows what the record counts as, not what was recorded.
    if let Some(derived) = view.derived.get(field).and_then(Option::as_ref) {
        return evaluate(derived, view, place);
    }
    match (recorded(), policy, outcome) {
        (Datum::Absent, CountAs::Incorrect, Imputed::Number) => match view.fill(row, field) {
            Some(Fill::Value(quantity)) => Datum::Number(Exact::from_rational(&quantity.value)),
            Some(Fill::Absent) | None => Datum::Absent,
        },
        (Datum::Absent, CountAs::Value(quantity), Imputed::Truth) => Datum::Bool(!quantity.value.is_zero()),
        (Datum::Absent, CountAs::Value(quantity), Imputed::Number) => {
            Datum::Number(Exact::from_rational(&quantity.value))
        }
        (recorded, ..) => recorded,
    }
}

/// A stored value as a datum.
pub(super) fn datum(value: Scalar<'_>) -> Datum<'_> {
    match value {
        Scalar::Bool(value) => Datum::Bool(value),
        Scalar::Number(value) => Datum::Number(value),
        Scalar::Level(word) | Scalar::Text(word) => Datum::Word(word),
    }
}

fn collapsed<'v>(body: &'v RowExpr, how: Collapse, view: &'v View<'_>, place: Place) -> Datum<'v> {
    let first = view.frame.first_repeat(place);
    let repeats = (first..first.saturating_add(view.frame.repeats)).map(|place| evaluate(body, view, place));
    let counted: Vec<Datum<'_>> = repeats.filter(|value| *value != Datum::NoRecord).collect();
    if counted.is_empty() {
        return Datum::NoRecord;
    }
    let mut present = counted.into_iter().filter(|value| *value != Datum::Absent);
    match how {
        Collapse::First => present.next().unwrap_or(Datum::Absent),
        Collapse::Any => Datum::Bool(present.any(|value| value == Datum::Bool(true))),
        Collapse::All => Datum::Bool(present.all(|value| value == Datum::Bool(true))),
        Collapse::Mean => {
            let numbers: Vec<Exact> = present.filter_map(|value| value.number()).collect();
            let sum = numbers.iter().fold(Exact::ZERO, |sum, number| sum.plus(number));
            let count = Exact::integer(i64::try_from(numbers.len()).unwrap_or(i64::MAX));
            sum.over(&count).map_or(Datum::Absent, Datum::Number)
        }
    }
}

/// `and` (`all`) or `or`. One record that does not count leaves the whole without a value, whatever the other parts say.
fn joined<'v>(parts: &'v [RowExpr], view: &'v View<'_>, place: Place, all: bool) -> Datum<'v> {
    let mut result = all;
    for part in parts {
        match evaluate(part, view, place).truth() {
            Some(value) if all => result &= value,
            Some(value) => result |= value,
            None => return Datum::NoRecord,
        }
    }
    Datum::Bool(result)
}

fn same_level(value: &Datum<'_>, level: &str) -> bool {
    match value {
        Datum::Word(word) => *word == level,
        Datum::Bool(value) => level == if *value { "true" } else { "false" },
        Datum::Number(value) => value.canonical() == level,
        Datum::Absent | Datum::NoRecord | Datum::NoLogarithm => false,
    }
}

fn compare<'v>(left: &Datum<'_>, relation: Relation, right: &Datum<'_>, order: &[Name]) -> Datum<'v> {
    let ordering = match (left, right) {
        (Datum::NoRecord, _) | (_, Datum::NoRecord) => return Datum::NoRecord,
        (Datum::Number(left), Datum::Number(right)) => Some(left.cmp(right)),
        (Datum::Bool(left), Datum::Bool(right)) => Some(left.cmp(right)),
        (Datum::Word(left), Datum::Word(right)) => {
            let rank = |word: &str| order.iter().position(|level| level == word);
            match (rank(left), rank(right)) {
                (Some(left), Some(right)) => Some(left.cmp(&right)),
                _ => Some(left.cmp(right)).filter(|ordering| ordering.is_eq() || order.is_empty()),
            }
        }
        (Datum::Word(word), other) | (other, Datum::Word(word)) if same_level(other, word) => Some(Ordering::Equal),
        _ => None,
    };
    Datum::Bool(match ordering {
        Some(ordering) => holds(ordering, relation),
        // Values of different kinds are unequal; an absent value compares false in every way.
        None => relation == Relation::NotEqual && *left != Datum::Absent && *right != Datum::Absent,
    })
}

/// Whether an ordering satisfies a relation.
pub(super) const fn holds(ordering: Ordering, relation: Relation) -> bool {
    match relation {
        Relation::Less => ordering.is_lt(),
        Relation::LessEqual => ordering.is_le(),
        Relation::Equal => ordering.is_eq(),
        Relation::NotEqual => ordering.is_ne(),
        Relation::GreaterEqual => ordering.is_ge(),
        Relation::Greater => ordering.is_gt(),
    }
}

fn arithmetic<'v>(left: &Datum<'_>, op: ArithmeticOp, right: &Datum<'_>) -> Datum<'v> {
    for side in [left, right] {
        match side {
            Datum::NoRecord => return Datum::NoRecord,
            Datum::NoLogarithm => return Datum::NoLogarithm,
            Datum::Bool(_) | Datum::Number(_) | Datum::Word(_) | Datum::Absent => {}
        }
    }
    let (Some(left), Some(right)) = (left.number(), right.number()) else { return Datum::Absent };
    match op {
        ArithmeticOp::Add => Datum::Number(left.plus(&right)),
        ArithmeticOp::Subtract => Datum::Number(left.minus(&right)),
        ArithmeticOp::Multiply => Datum::Number(left.times(&right)),
        ArithmeticOp::Divide => left.over(&right).map_or(Datum::Absent, Datum::Number),
    }
}

fn mapped<'v>(value: &Datum<'_>, change: impl Fn(Exact) -> Exact) -> Datum<'v> {
    match value.number() {
        Some(number) => Datum::Number(change(number)),
        None if *value == Datum::NoRecord => Datum::NoRecord,
        None if *value == Datum::NoLogarithm => Datum::NoLogarithm,
        None => Datum::Absent,
    }
}

/// Logarithms are multiples of this: 2^-40, some 10^-12, so that sums of them are exact.
const LOG_UNIT: f64 = 1_099_511_627_776.0;

fn logarithm<'v>(value: &Datum<'_>) -> Datum<'v> {
    let Some(number) = value.number() else { return mapped(value, |value| value) };
    let number = number.to_f64();
    rounded_logarithm(number).map_or(Datum::NoLogarithm, |value| Datum::Number(Exact::from_rational(&value)))
}

/// The natural logarithm as a multiple of 2^-40; none at zero and below.
pub(super) fn rounded_logarithm(value: f64) -> Option<Rational> {
    if value.is_finite() && value > 0.0 {
        // Between -745 and 710, so that the multiple fits 64 bits many times over.
        let units = num_traits::cast::<f64, i64>(libm::round(libm::log(value) * LOG_UNIT))?;
        return Some(Rational::new(units.into(), (1_i64 << 40).into()));
    }
    None
}
