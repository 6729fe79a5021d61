//! The prover's own small language: variables, terms, formulas, witnesses. It knows nothing of specs, units or spans, and
//! decides nothing.

use num_rational::BigRational;
use num_traits::Zero;

/// The deepest nesting of terms and formulas together that the prover accepts; deeper input is refused, not overflowed.
pub const MAX_DEPTH: usize = 200;

/// A variable of one [`Problem`], issued by [`Problem::add`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(usize);

impl VarId {
    /// The position of the variable in [`Problem::variables`], and of its value in [`Witness::values`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

/// What a variable ranges over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A rational number: an estimate, a bound, a p-value.
    Real,
    /// An integer: a count.
    Int,
    /// One of the named classes, at least one, for example the six verdict classes of a component. Bounds do not apply.
    Class(Vec<String>),
}

/// One end of a variable's range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The end itself, in the caller's unit.
    pub value: BigRational,
    /// Whether the end is outside the range.
    pub strict: bool,
}

impl Bound {
    /// An end that belongs to the range.
    #[must_use]
    pub const fn closed(value: BigRational) -> Self {
        Self { value, strict: false }
    }

    /// An end that does not belong to the range.
    #[must_use]
    pub const fn open(value: BigRational) -> Self {
        Self { value, strict: true }
    }
}

/// A named quantity with its declared range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What refusals call it.
    pub name: String,
    /// What it ranges over.
    pub sort: Sort,
    /// The lower end, if there is one.
    pub lower: Option<Bound>,
    /// The upper end, if there is one.
    pub upper: Option<Bound>,
}

impl Variable {
    /// A variable without bounds.
    #[must_use]
    pub fn new(name: impl Into<String>, sort: Sort) -> Self {
        Self { name: name.into(), sort, lower: None, upper: None }
    }

    /// The same variable, with `value` as a lower end that it may take.
    #[must_use]
    pub fn at_least(mut self, value: BigRational) -> Self {
        self.lower = Some(Bound::closed(value));
        self
    }

    /// The same variable, with `value` as an upper end that it may take.
    #[must_use]
    pub fn at_most(mut self, value: BigRational) -> Self {
        self.upper = Some(Bound::closed(value));
        self
    }

    /// The same variable, with `value` as a lower end that it may not take.
    #[must_use]
    pub fn above(mut self, value: BigRational) -> Self {
        self.lower = Some(Bound::open(value));
        self
    }

    /// The same variable, with `value` as an upper end that it may not take.
    #[must_use]
    pub fn below(mut self, value: BigRational) -> Self {
        self.upper = Some(Bound::open(value));
        self
    }
}

/// An arithmetic expression over `Real` and `Int` variables.
///
/// Products and quotients may be written freely; those that do not come down to linear arithmetic are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// An exact constant.
    Const(BigRational),
    /// A variable; never one of sort `Class`.
    Var(VarId),
    /// A sum; the empty sum is 0.
    Add(Vec<Term>),
    /// The opposite.
    Neg(Box<Term>),
    /// A difference.
    Sub(Box<Term>, Box<Term>),
    /// A constant times a term.
    Scale(BigRational, Box<Term>),
    /// The absolute value.
    Abs(Box<Term>),
    /// The least of one or more terms.
    Min(Vec<Term>),
    /// The greatest of one or more terms.
    Max(Vec<Term>),
    /// A product; one side must fold to a constant.
    Mul(Box<Term>, Box<Term>),
    /// A quotient; the declared ranges must fix the sign of the denominator.
    Div(Box<Term>, Box<Term>),
}

/// How two terms are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater than or equal.
    Ge,
    /// Greater than.
    Gt,
}

/// A condition on the variables of a [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// A comparison of two terms.
    Compare(Term, Relation, Term),
    /// A class variable has one of these classes (positions in its `Sort::Class` list); the empty list is never true.
    Is(VarId, Vec<usize>),
    /// The opposite.
    Not(Box<Formula>),
    /// All of them; the empty conjunction is true.
    And(Vec<Formula>),
    /// At least one of them; the empty disjunction is false.
    Or(Vec<Formula>),
}

/// The variables that formulas speak of, and what is known about them in every case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The variables, in the order in which witnesses list them.
    pub variables: Vec<Variable>,
    /// What always holds, for example `lower <= upper`.
    pub axioms: Vec<Formula>,
}

impl Problem {
    /// Declares a variable.
    pub fn add(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() - 1)
    }

    /// Adds a condition that always holds.
    pub fn assume(&mut self, axiom: Formula) {
        self.axioms.push(axiom);
    }

    /// The declared variable, if the id is one of this problem's.
    #[must_use]
    pub fn variable(&self, id: VarId) -> Option<&Variable> {
        self.variables.get(id.0)
    }
}

/// The value a witness gives to one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// For `Real` and `Int`: an exact number, whole for `Int`.
    Number(BigRational),
    /// For `Class`: the position in the variable's list.
    Class(usize),
}

/// A full assignment: one value per declared variable, within the bounds and the axioms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The values, in the order of [`Problem::variables`].
    pub values: Vec<Value>,
}

impl Witness {
    /// The value of one variable.
    #[must_use]
    pub fn get(&self, id: VarId) -> Option<&Value> {
        self.values.get(id.0)
    }

    /// The value of one `Real` or `Int` variable.
    #[must_use]
    pub fn number(&self, id: VarId) -> Option<&BigRational> {
        match self.get(id)? {
            Value::Number(number) => Some(number),
            Value::Class(_) => None,
        }
    }

    /// The class of one `Class` variable.
    #[must_use]
    pub fn class(&self, id: VarId) -> Option<usize> {
        match self.get(id)? {
            Value::Number(_) => None,
            Value::Class(class) => Some(*class),
        }
    }
}

impl Term {
    /// The constant `numerator / denominator`; a denominator of 0 gives a quotient that is refused later.
    #[must_use]
    pub fn fraction(numerator: i64, denominator: i64) -> Self {
        if denominator.is_zero() {
            return Self::Div(Box::new(Self::whole(numerator)), Box::new(Self::whole(0)));
        }
        Self::Const(BigRational::new(numerator.into(), denominator.into()))
    }

    /// A whole constant.
    #[must_use]
    pub fn whole(value: i64) -> Self {
        Self::Const(BigRational::from_integer(value.into()))
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        Self::Abs(Box::new(self))
    }

    /// Compares two terms.
    #[must_use]
    pub const fn compare(self, relation: Relation, other: Self) -> Formula {
        Formula::Compare(self, relation, other)
    }

    /// `self < other`.
    #[must_use]
    pub const fn lt(self, other: Self) -> Formula {
        self.compare(Relation::Lt, other)
    }

    /// `self <= other`.
    #[must_use]
    pub const fn le(self, other: Self) -> Formula {
        self.compare(Relation::Le, other)
    }

    /// `self == other`.
    #[must_use]
    pub const fn equals(self, other: Self) -> Formula {
        self.compare(Relation::Eq, other)
    }

    /// `self >= other`.
    #[must_use]
    pub const fn ge(self, other: Self) -> Formula {
        self.compare(Relation::Ge, other)
    }

    /// `self > other`.
    #[must_use]
    pub const fn gt(self, other: Self) -> Formula {
        self.compare(Relation::Gt, other)
    }
}

impl From<VarId> for Term {
    fn from(id: VarId) -> Self {
        Self::Var(id)
    }
}

impl From<BigRational> for Term {
    fn from(value: BigRational) -> Self {
        Self::Const(value)
    }
}

impl std::ops::Add for Term {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::Add(vec![self, other])
    }
}

impl std::ops::Sub for Term {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::Sub(Box::new(self), Box::new(other))
    }
}

impl std::ops::Mul for Term {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::Mul(Box::new(self), Box::new(other))
    }
}

impl std::ops::Div for Term {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self::Div(Box::new(self), Box::new(other))
    }
}

impl std::ops::Neg for Term {
    type Output = Self;

    fn neg(self) -> Self {
        Self::Neg(Box::new(self))
    }
}

impl Formula {
    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(vec![self, other])
    }

    /// Either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(vec![self, other])
    }
}

impl std::ops::Not for Formula {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

impl Relation {
    /// Whether the relation holds of a difference `left - right`.
    #[must_use]
    pub fn holds(self, difference: &BigRational) -> bool {
        let order = difference.cmp(&BigRational::zero());
        match self {
            Self::Lt => order.is_lt(),
            Self::Le => order.is_le(),
            Self::Eq => order.is_eq(),
            Self::Ne => order.is_ne(),
            Self::Ge => order.is_ge(),
            Self::Gt => order.is_gt(),
        }
    }

    /// How the relation is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Ge => ">=",
            Self::Gt => ">",
        }
    }
}
