//! Conditions and values over one record. Owns their meaning: exact arithmetic, and the rule that a comparison with an
//! absent value is false, so that its negation is true. Names are resolved once, when an expression is compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::column::Scalar;
use crate::spec::{ArithmeticOp, FieldRole, LevelRef, Name, RecordExpr, Relation, Spec, StateClass, Tasks, ValueType};
use crate::table::number::Exact;

/// The names that an expression can speak of, with their places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schema {
    /// Attributes of a task, defined ones included, sorted by name.
    pub attributes: Vec<(Name, ValueType)>,
    /// Outcomes and flags, sorted by name.
    pub fields: Vec<(Name, ValueType)>,
    /// Crossed factors with their levels, sorted by name.
    pub factors: Vec<(Name, Vec<Name>)>,
}

impl Schema {
    /// The schema of a study's records.
    #[must_use]
    pub fn new(spec: &Spec) -> Self {
        let mut schema = spec.tasks.as_ref().map(Self::of_tasks).unwrap_or_default();
        schema.fields = spec
            .fields
            .iter()
            .map(|(name, field)| {
                let kind = if field.role == FieldRole::Flag { ValueType::Bool } else { field.kind.clone() };
                (name.clone(), kind)
            })
            .collect();
        schema.factors = crossed(spec);
        schema
    }

    /// The schema of tasks alone.
    #[must_use]
    pub fn of_tasks(tasks: &Tasks) -> Self {
        let read = tasks.attributes.iter().map(|(name, attribute)| (name.clone(), attribute.kind.clone()));
        let defined = tasks.defines.iter().map(|(name, derived)| (name.clone(), derived.kind.clone()));
        let attributes: BTreeMap<Name, ValueType> = read.chain(defined).collect();
        Self { attributes: attributes.into_iter().collect(), ..Self::default() }
    }

    /// The place of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<usize> {
        self.attributes.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()
    }

    /// The place of an outcome or flag.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()
    }

    /// The place of a crossed factor.
    #[must_use]
    pub fn factor(&self, name: &str) -> Option<usize> {
        self.factors.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()
    }

    /// The place of a level of a crossed factor.
    #[must_use]
    pub fn level(&self, factor: usize, name: &str) -> Option<u16> {
        let (_, levels) = self.factors.get(factor)?;
        levels.iter().position(|level| level == name).and_then(|at| u16::try_from(at).ok())
    }
}

/// The crossed factors of the design with their levels, sorted by name; the unit is none of them.
pub(crate) fn crossed(spec: &Spec) -> Vec<(Name, Vec<Name>)> {
    let unit = spec.tasks.as_ref().map(|tasks| tasks.name.as_str());
    let named: BTreeMap<&Name, &Vec<Name>> = spec
        .design
        .iter()
        .flat_map(|design| &design.cross)
        .filter(|name| Some(name.as_str()) != unit)
        .filter_map(|name| spec.factors.get(name).map(|factor| (name, &factor.levels)))
        .collect();
    named.into_iter().map(|(name, levels)| (name.clone(), levels.clone())).collect()
}

/// One record as expressions see it. Places are those of the [`Schema`].
pub trait Row: Sized {
    /// An attribute of the record's task.
    fn attribute(&self, at: usize) -> Option<Scalar<'_>>;
    /// An outcome or flag.
    fn field(&self, at: usize) -> Option<Scalar<'_>>;
    /// The level of a crossed factor.
    fn level(&self, factor: usize) -> Option<u16>;
    /// The class of the record's state.
    fn state(&self) -> Option<StateClass>;
    /// The same unit and repeat in the cell with these levels; factors not named stay. None when that is not planned.
    fn elsewhere(&self, levels: &[(usize, u16)]) -> Option<Self>;
}

/// The levels that parameters and picks stand for, by their name.
pub type Bindings = BTreeMap<Name, Name>;

/// Why an expression cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprError {
    /// A name that is no outcome, flag or attribute.
    UnknownField(Name),
    /// A name that is no crossed factor.
    UnknownFactor(Name),
    /// A level that the factor does not have.
    UnknownLevel(Name, Name),
    /// A parameter or pick without a level.
    Unbound(Name),
    /// A function that only aggregates and paired differences may use.
    NotHere(&'static str),
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField(name) => write!(f, "`{name}` is no outcome, flag or attribute here"),
            Self::UnknownFactor(name) => write!(f, "`{name}` is no crossed factor"),
            Self::UnknownLevel(factor, level) => write!(f, "`{level}` is no level of `{factor}`"),
            Self::Unbound(name) => write!(f, "nothing says which level `{name}` stands for"),
            Self::NotHere(name) => write!(f, "`{name}` belongs in a measure or a paired difference"),
        }
    }
}

impl std::error::Error for ExprError {}

/// An expression with its names resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledExpr(Node);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Bool(bool),
    Number(Exact),
    Text(String),
    Level(Name),
    Attribute(usize),
    Field(usize),
    Factor(usize, Vec<Name>),
    Elsewhere(Box<Node>, Vec<(usize, u16)>),
    State(StateClass),
    Present(Box<Node>),
    EndsWith(Box<Node>, Vec<String>),
    OneOf(Box<Node>, Vec<Name>),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    /// With the levels in their order, when levels are compared.
    Compare(Box<Node>, Relation, Box<Node>, Option<Vec<Name>>),
    Arithmetic(Box<Node>, ArithmeticOp, Box<Node>),
    Negate(Box<Node>),
    Abs(Box<Node>),
}

/// Resolves the names of an expression.
pub fn compile(expr: &RecordExpr, schema: &Schema, bindings: &Bindings) -> Result<CompiledExpr, ExprError> {
    Compiler { schema, bindings }.node(expr).map(CompiledExpr)
}

struct Compiler<'a> {
    schema: &'a Schema,
    bindings: &'a Bindings,
}

impl Compiler<'_> {
    fn node(&self, expr: &RecordExpr) -> Result<Node, ExprError> {
        let boxed = |expr: &RecordExpr| self.node(expr).map(Box::new);
        Ok(match expr {
            RecordExpr::Bool(value) => Node::Bool(*value),
            RecordExpr::Number(quantity) => Node::Number(Exact::from_rational(&quantity.value)),
            RecordExpr::Text(text) => Node::Text(text.clone()),
            RecordExpr::Level(name) => Node::Level(name.clone()),
            RecordExpr::Field(name) | RecordExpr::Flagged(name) => self.field(name)?,
            RecordExpr::Factor(name) => {
                let at = self.factor(name)?;
                let levels = self.schema.factors.get(at).map(|(_, levels)| levels.clone()).unwrap_or_default();
                Node::Factor(at, levels)
            }
            RecordExpr::At(inner, pins) => {
                let pins = pins.iter().map(|(factor, level)| self.pin(factor, level)).collect::<Result<_, _>>()?;
                Node::Elsewhere(boxed(inner)?, pins)
            }
            RecordExpr::State(class) => Node::State(*class),
            RecordExpr::Present(inner) => Node::Present(boxed(inner)?),
            RecordExpr::EndsWith(inner, endings) => Node::EndsWith(boxed(inner)?, endings.clone()),
            RecordExpr::OneOf(inner, names) => Node::OneOf(boxed(inner)?, names.clone()),
            RecordExpr::Not(inner) => Node::Not(boxed(inner)?),
            RecordExpr::And(items) => Node::And(items.iter().map(|item| self.node(item)).collect::<Result<_, _>>()?),
            RecordExpr::Or(items) => Node::Or(items.iter().map(|item| self.node(item)).collect::<Result<_, _>>()?),
            RecordExpr::Compare(left, relation, right) => {
                let (left, right) = (boxed(left)?, boxed(right)?);
                let order = self.order(&left).or_else(|| self.order(&right));
                Node::Compare(left, *relation, right, order)
            }
            RecordExpr::Arithmetic(left, op, right) => Node::Arithmetic(boxed(left)?, *op, boxed(right)?),
            RecordExpr::Negate(inner) => Node::Negate(boxed(inner)?),
            RecordExpr::Abs(inner) => Node::Abs(boxed(inner)?),
            RecordExpr::Log(_) => return Err(ExprError::NotHere("log")),
            RecordExpr::Step(_) => return Err(ExprError::NotHere("step")),
        })
    }

    fn field(&self, name: &str) -> Result<Node, ExprError> {
        let field = self.schema.field(name).map(Node::Field);
        field
            .or_else(|| self.schema.attribute(name).map(Node::Attribute))
            .ok_or_else(|| ExprError::UnknownField(name.to_owned()))
    }

    fn factor(&self, name: &str) -> Result<usize, ExprError> {
        self.schema.factor(name).ok_or_else(|| ExprError::UnknownFactor(name.to_owned()))
    }

    fn pin(&self, factor: &str, level: &LevelRef) -> Result<(usize, u16), ExprError> {
        let at = self.factor(factor)?;
        let level = match level {
            LevelRef::Level(name) => name,
            LevelRef::Next => return Err(ExprError::NotHere("next")),
            LevelRef::Parameter(name) | LevelRef::Picked(name) => {
                self.bindings.get(name).ok_or_else(|| ExprError::Unbound(name.clone()))?
            }
        };
        let unknown = || ExprError::UnknownLevel(factor.to_owned(), level.clone());
        self.schema.level(at, level).map(|level| (at, level)).ok_or_else(unknown)
    }

    /// The levels that a node takes, in order.
    fn order(&self, node: &Node) -> Option<Vec<Name>> {
        match node {
            Node::Factor(_, levels) => Some(levels.clone()),
            Node::Attribute(at) => levels_of(self.schema.attributes.get(*at)),
            Node::Field(at) => levels_of(self.schema.fields.get(*at)),
            Node::Elsewhere(inner, _) => self.order(inner),
            Node::Bool(_)
            | Node::Number(_)
            | Node::Text(_)
            | Node::Level(_)
            | Node::State(_)
            | Node::Present(_)
            | Node::EndsWith(..)
            | Node::OneOf(..)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Compare(..)
            | Node::Arithmetic(..)
            | Node::Negate(_)
            | Node::Abs(_) => None,
        }
    }
}

fn levels_of(entry: Option<&(Name, ValueType)>) -> Option<Vec<Name>> {
    match entry {
        Some((_, ValueType::Level(names))) => Some(names.clone()),
        _ => None,
    }
}

impl CompiledExpr {
    /// Whether the condition holds; an absent value makes it false.
    #[must_use]
    pub fn truth<R: Row>(&self, row: &R) -> bool {
        truth(&self.0, row)
    }

    /// The value of the record; none when absent. A condition always has one, except that a plain field is absent
    /// where it is.
    #[must_use]
    pub fn value<R: Row>(&self, row: &R) -> Option<super::Value> {
        // `elsewhere` makes rows of its own, so what it finds cannot be borrowed from `row`.
        let mut found = None;
        with(&self.0, row, &mut |value| found = value.map(|value| value.to_value()));
        found
    }

    /// The value as a number; true is 1 and false is 0; none when absent.
    #[must_use]
    pub fn number<R: Row>(&self, row: &R) -> Option<Exact> {
        number(&self.0, row)
    }

    /// The indices of the outcomes and flags that the expression reads, sorted.
    #[must_use]
    pub fn reads(&self) -> Vec<usize> {
        let mut reads = Reads::default();
        collect(&self.0, &mut reads);
        reads.fields.into_iter().collect()
    }

    /// The indices of the attributes that the expression reads, sorted.
    #[must_use]
    pub fn reads_attributes(&self) -> Vec<usize> {
        let mut reads = Reads::default();
        collect(&self.0, &mut reads);
        reads.attributes.into_iter().collect()
    }
}

#[derive(Default)]
struct Reads {
    fields: BTreeSet<usize>,
    attributes: BTreeSet<usize>,
}

fn collect(node: &Node, reads: &mut Reads) {
    match node {
        Node::Field(at) => {
            reads.fields.insert(*at);
        }
        Node::Attribute(at) => {
            reads.attributes.insert(*at);
        }
        Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Level(_) | Node::Factor(..) | Node::State(_) => {}
        Node::Elsewhere(inner, _)
        | Node::Present(inner)
        | Node::EndsWith(inner, _)
        | Node::OneOf(inner, _)
        | Node::Not(inner)
        | Node::Negate(inner)
        | Node::Abs(inner) => collect(inner, reads),
        Node::And(items) | Node::Or(items) => items.iter().for_each(|item| collect(item, reads)),
        Node::Compare(left, _, right, _) | Node::Arithmetic(left, _, right) => {
            collect(left, reads);
            collect(right, reads);
        }
    }
}

fn truth<R: Row>(node: &Node, row: &R) -> bool {
    match node {
        Node::Not(inner) => !truth(inner, row),
        Node::And(items) => items.iter().all(|item| truth(item, row)),
        Node::Or(items) => items.iter().any(|item| truth(item, row)),
        Node::State(class) => row.state() == Some(*class),
        Node::Compare(left, relation, right, order) => compare(left, *relation, right, order.as_deref(), row),
        Node::Present(inner) => {
            let mut present = false;
            with(inner, row, &mut |value| present = value.is_some());
            present
        }
        Node::EndsWith(inner, endings) => {
            let mut ends = false;
            with(inner, row, &mut |value| {
                ends = match value {
                    Some(Scalar::Text(text) | Scalar::Level(text)) => {
                        endings.iter().any(|end| text.ends_with(end.as_str()))
                    }
                    Some(Scalar::Bool(_) | Scalar::Number(_)) | None => false,
                };
            });
            ends
        }
        Node::OneOf(inner, names) => {
            let mut is_one = false;
            with(inner, row, &mut |value| {
                is_one = value.is_some_and(|value| names.iter().any(|name| same_name(&value, name)));
            });
            is_one
        }
        Node::Elsewhere(inner, pins) => row.elsewhere(pins).is_some_and(|row| truth(inner, &row)),
        Node::Bool(value) => *value,
        Node::Attribute(at) => row.attribute(*at) == Some(Scalar::Bool(true)),
        Node::Field(at) => row.field(*at) == Some(Scalar::Bool(true)),
        // Of these no condition is made; the checker refuses them.
        Node::Number(_)
        | Node::Text(_)
        | Node::Level(_)
        | Node::Factor(..)
        | Node::Arithmetic(..)
        | Node::Negate(_)
        | Node::Abs(_) => false,
    }
}

/// Whether a value is the level with this name; a number is when its canonical spelling is the name.
fn same_name(value: &Scalar<'_>, name: &str) -> bool {
    match value {
        Scalar::Level(text) | Scalar::Text(text) => *text == name,
        Scalar::Number(number) => number.canonical() == name,
        Scalar::Bool(value) => name == if *value { "true" } else { "false" },
    }
}

fn holds(order: std::cmp::Ordering, relation: Relation) -> bool {
    match relation {
        Relation::Less => order.is_lt(),
        Relation::LessEqual => order.is_le(),
        Relation::Equal => order.is_eq(),
        Relation::NotEqual => order.is_ne(),
        Relation::GreaterEqual => order.is_ge(),
        Relation::Greater => order.is_gt(),
    }
}

fn compare<R: Row>(left: &Node, relation: Relation, right: &Node, order: Option<&[Name]>, row: &R) -> bool {
    let mut result = false;
    with(left, row, &mut |left| {
        let Some(left) = left else { return };
        with(right, row, &mut |right| {
            let Some(right) = right else { return };
            result = relate(&left, relation, &right, order);
        });
    });
    result
}

fn relate(left: &Scalar<'_>, relation: Relation, right: &Scalar<'_>, order: Option<&[Name]>) -> bool {
    let place = |value: &Scalar<'_>| order.and_then(|names| names.iter().position(|name| same_name(value, name)));
    match (left, right) {
        (Scalar::Number(a), Scalar::Number(b)) => holds(a.cmp(b), relation),
        (Scalar::Bool(a), Scalar::Bool(b)) => holds(a.cmp(b), relation),
        (Scalar::Text(a), Scalar::Text(b)) => holds(a.cmp(b), relation),
        _ => match relation {
            Relation::Equal => equal(left, right),
            Relation::NotEqual => !equal(left, right),
            Relation::Less | Relation::LessEqual | Relation::GreaterEqual | Relation::Greater => {
                matches!((place(left), place(right)), (Some(a), Some(b)) if holds(a.cmp(&b), relation))
            }
        },
    }
}

fn equal(left: &Scalar<'_>, right: &Scalar<'_>) -> bool {
    match (left, right) {
        (_, Scalar::Level(name) | Scalar::Text(name)) => same_name(left, name),
        (Scalar::Level(name) | Scalar::Text(name), _) => same_name(right, name),
        _ => left == right,
    }
}

fn number<R: Row>(node: &Node, row: &R) -> Option<Exact> {
    match node {
        Node::Number(value) => Some(value.clone()),
        Node::Field(at) => row.field(*at)?.number(),
        Node::Attribute(at) => row.attribute(*at)?.number(),
        Node::Arithmetic(left, op, right) => {
            let (left, right) = (number(left, row)?, number(right, row)?);
            match op {
                ArithmeticOp::Add => Some(left.plus(&right)),
                ArithmeticOp::Subtract => Some(left.minus(&right)),
                ArithmeticOp::Multiply => Some(left.times(&right)),
                ArithmeticOp::Divide => left.over(&right),
            }
        }
        Node::Negate(inner) => number(inner, row).map(|value| value.negated()),
        Node::Abs(inner) => number(inner, row).map(|value| value.magnitude()),
        Node::Elsewhere(inner, pins) => number(inner, &row.elsewhere(pins)?),
        Node::Bool(_)
        | Node::State(_)
        | Node::Present(_)
        | Node::EndsWith(..)
        | Node::OneOf(..)
        | Node::Not(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Compare(..) => Some(if truth(node, row) { Exact::ONE } else { Exact::ZERO }),
        Node::Text(_) | Node::Level(_) | Node::Factor(..) => None,
    }
}

/// Gives the value of a node to `then`.
fn with<R: Row>(node: &Node, row: &R, then: &mut dyn FnMut(Option<Scalar<'_>>)) {
    match node {
        Node::Field(at) => then(row.field(*at)),
        Node::Attribute(at) => then(row.attribute(*at)),
        Node::Factor(at, levels) => {
            let level = row.level(*at).and_then(|level| levels.get(usize::from(level)));
            then(level.map(|level| Scalar::Level(level)));
        }
        Node::Text(text) => then(Some(Scalar::Text(text))),
        Node::Level(name) => then(Some(Scalar::Level(name))),
        Node::Elsewhere(inner, pins) => match row.elsewhere(pins) {
            Some(row) => with(inner, &row, then),
            None => then(None),
        },
        Node::Number(_) | Node::Arithmetic(..) | Node::Negate(_) | Node::Abs(_) => {
            then(number(node, row).map(Scalar::Number));
        }
        Node::Bool(_)
        | Node::State(_)
        | Node::Present(_)
        | Node::EndsWith(..)
        | Node::OneOf(..)
        | Node::Not(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Compare(..) => then(Some(Scalar::Bool(truth(node, row)))),
    }
}
