//! Translates formulas into clauses over bounds on columns, and refuses what is not linear. Input must have passed
//! `validate`, so recursion here is bounded.

use super::evaluate::show;
use super::formula::{Bound, Formula, Problem, Relation, Sort, Term, VarId};
use super::linear::{Linear, NotLinear, Quotient};
use super::number::{Delta, Number};
use super::outcome::Refusal;
use super::search::{Atom, Literal, Search};
use super::work::Meter;
use num_rational::BigRational;
use std::collections::BTreeMap;

/// A formula in negation normal form; true is the empty `And`, false the empty `Or`.
#[derive(Clone)]
pub(super) enum Node {
    Literal(Literal),
    And(Vec<Node>),
    Or(Vec<Node>),
}

/// One end of the values that a column can take, and whether it is excluded.
type End = Option<(Number, bool)>;

#[derive(Clone)]
pub(super) struct Translation<'p> {
    pub(super) problem: &'p Problem,
    pub(super) search: Search,
    /// For each variable its column; classes have none.
    pub(super) columns: Vec<Option<usize>>,
    /// For each class variable that was mentioned, the literal of each class.
    pub(super) classes: BTreeMap<VarId, Vec<Literal>>,
    /// Everything that must hold.
    pub(super) asserted: Vec<Node>,
    lower: Vec<End>,
    upper: Vec<End>,
    sums: BTreeMap<Vec<(usize, Number)>, usize>,
    greatest: BTreeMap<Vec<Linear>, usize>,
}

impl<'p> Translation<'p> {
    /// Declares the variables and asserts the axioms.
    pub(super) fn new(problem: &'p Problem, meter: &mut Meter) -> Result<Self, Refusal> {
        let mut made = Self {
            problem,
            search: Search::default(),
            columns: Vec::new(),
            classes: BTreeMap::new(),
            asserted: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            sums: BTreeMap::new(),
            greatest: BTreeMap::new(),
        };
        for variable in &problem.variables {
            let column = match variable.sort {
                Sort::Class(_) => None,
                Sort::Real | Sort::Int => {
                    let whole = variable.sort == Sort::Int;
                    let lower = variable.lower.as_ref().map(|bound| end(bound, whole, true));
                    let upper = variable.upper.as_ref().map(|bound| end(bound, whole, false));
                    Some(made.add_column(whole, lower, upper))
                }
            };
            made.columns.push(column);
        }
        for axiom in &problem.axioms {
            made.require(axiom, true, meter)?;
        }
        Ok(made)
    }

    /// Asserts a formula, or its opposite.
    pub(super) fn require(&mut self, formula: &Formula, positive: bool, meter: &mut Meter) -> Result<(), Refusal> {
        let node = self.formula(formula, positive, meter)?;
        self.assert(node);
        Ok(())
    }

    fn assert(&mut self, node: Node) {
        self.clausify(&node);
        self.asserted.push(node);
    }

    fn clausify(&mut self, node: &Node) {
        match node {
            Node::Literal(literal) => self.search.add_clause(vec![*literal]),
            Node::And(all) => all.iter().for_each(|inner| self.clausify(inner)),
            Node::Or(any) => {
                let clause = any.iter().map(|inner| self.name(inner)).collect();
                self.search.add_clause(clause);
            }
        }
    }

    /// A literal that implies the node. The opposite implication is not needed: nodes only ever occur positively.
    fn name(&mut self, node: &Node) -> Literal {
        if let Node::Literal(literal) = node {
            return *literal;
        }
        let name = self.search.add_variable(false);
        match node {
            Node::Literal(_) => {}
            Node::And(all) => {
                for inner in all {
                    let implied = self.name(inner);
                    self.search.add_clause(vec![!name, implied]);
                }
            }
            Node::Or(any) => {
                let mut clause: Vec<Literal> = any.iter().map(|inner| self.name(inner)).collect();
                clause.push(!name);
                self.search.add_clause(clause);
            }
        }
        name
    }

    fn formula(&mut self, formula: &Formula, positive: bool, meter: &mut Meter) -> Result<Node, Refusal> {
        meter.steps(1)?;
        Ok(match formula {
            Formula::True => truth(positive),
            Formula::False => truth(!positive),
            Formula::Not(inner) => self.formula(inner, !positive, meter)?,
            Formula::And(all) | Formula::Or(all) => {
                let inner: Vec<Node> =
                    all.iter().map(|inner| self.formula(inner, positive, meter)).collect::<Result<_, _>>()?;
                if matches!(formula, Formula::And(_)) == positive { Node::And(inner) } else { Node::Or(inner) }
            }
            Formula::Is(id, classes) => self.is(*id, classes, positive),
            Formula::Compare(left, relation, right) => {
                let relation = if positive { *relation } else { opposite(*relation) };
                let left_side = self.term(left, meter)?;
                let right_side = self.term(right, meter)?;
                let difference = left_side.plus(&right_side, &Number::ONE.neg()).map_err(|NotLinear| {
                    let whole =
                        format!("{} {} {}", show(self.problem, left), relation.symbol(), show(self.problem, right));
                    Refusal::Nonlinear { term: whole }
                })?;
                // The denominator is positive, so multiplying it out keeps the relation.
                self.compare(&difference.top, relation)
            }
        })
    }

    /// Exactly one class holds, so that "none of these" is "one of the others".
    fn is(&mut self, id: VarId, wanted: &[usize], positive: bool) -> Node {
        let literals = if let Some(known) = self.classes.get(&id) {
            known.clone()
        } else {
            let count = match self.problem.variable(id).map(|variable| &variable.sort) {
                Some(Sort::Class(classes)) => classes.len(),
                Some(Sort::Real | Sort::Int) | None => 0,
            };
            let made: Vec<Literal> = (0..count).map(|_| self.search.add_variable(true)).collect();
            self.search.add_clause(made.clone());
            for (index, first) in made.iter().enumerate() {
                for second in made.iter().skip(index + 1) {
                    self.search.add_clause(vec![!*first, !*second]);
                }
            }
            self.classes.insert(id, made.clone());
            made
        };
        let chosen: Vec<Node> = literals
            .iter()
            .enumerate()
            .filter(|(class, _)| wanted.contains(class) == positive)
            .map(|(_, literal)| Node::Literal(*literal))
            .collect();
        if chosen.len() == literals.len() { truth(true) } else { Node::Or(chosen) }
    }

    fn compare(&mut self, difference: &Linear, relation: Relation) -> Node {
        match relation {
            Relation::Eq => {
                Node::And(vec![self.compare(difference, Relation::Le), self.compare(difference, Relation::Ge)])
            }
            Relation::Ne => {
                Node::Or(vec![self.compare(difference, Relation::Lt), self.compare(difference, Relation::Gt)])
            }
            Relation::Lt | Relation::Le | Relation::Ge | Relation::Gt => {
                let Some((form, scale)) = difference.primitive() else {
                    return truth(relation.holds(&difference.constant.to_big()));
                };
                let Some(bound) = difference.constant.neg().div(&scale) else { return truth(false) };
                let relation = if scale.is_negative() { mirrored(relation) } else { relation };
                let column = self.sum(form);
                self.bound(column, relation, bound)
            }
        }
    }

    /// `column relation bound`, for the four inequalities.
    fn bound(&mut self, column: usize, relation: Relation, bound: Number) -> Node {
        let upper = matches!(relation, Relation::Lt | Relation::Le);
        // The atom is an upper bound; a lower bound is the opposite of the complementary upper bound.
        let strict = matches!(relation, Relation::Lt | Relation::Ge);
        let atom = if self.search.is_whole(column) {
            let bound = if strict { bound.ceil().sub(&Number::ONE) } else { bound.floor() };
            Atom { column, bound, strict: false }
        } else {
            Atom { column, bound, strict }
        };
        let literal = self.search.atom(atom);
        Node::Literal(if upper { literal } else { !literal })
    }

    fn add_column(&mut self, whole: bool, lower: End, upper: End) -> usize {
        let column = self.search.add_column(whole);
        let low = lower.clone().map(|(bound, strict)| Delta::new(bound, i64::from(strict)));
        let high = upper.clone().map(|(bound, strict)| Delta::new(bound, -i64::from(strict)));
        self.search.limit(column, low, high);
        self.note_range(column, lower, upper);
        column
    }

    fn note_range(&mut self, column: usize, lower: End, upper: End) {
        self.lower.resize(column, None);
        self.upper.resize(column, None);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// The column of a primitive form.
    fn sum(&mut self, form: Vec<(usize, Number)>) -> usize {
        if let [(column, factor)] = &form[..]
            && *factor == Number::ONE
        {
            return *column;
        }
        if let Some(column) = self.sums.get(&form) {
            return *column;
        }
        let column = self.search.add_sum(&form);
        self.sums.insert(form, column);
        column
    }

    fn term(&mut self, term: &Term, meter: &mut Meter) -> Result<Quotient, Refusal> {
        meter.steps(1)?;
        let minus = Number::ONE.neg();
        let made = match term {
            Term::Const(value) => Ok(constant(value)),
            Term::Var(id) => {
                let column = self.columns.get(id.index()).copied().flatten();
                Ok(column.map_or_else(|| constant(&BigRational::default()), |c| Quotient::linear(Linear::column(c))))
            }
            Term::Add(all) => {
                let mut sum = Ok(Quotient::linear(Linear::constant(Number::ZERO)));
                for inner in all {
                    let inner = self.term(inner, meter)?;
                    meter.steps(inner.top.factors.len() as u64)?;
                    sum = sum.and_then(|sum: Quotient| sum.plus(&inner, &Number::ONE));
                }
                sum
            }
            Term::Neg(inner) => Ok(self.term(inner, meter)?.scale(&minus)),
            Term::Sub(left, right) => {
                let right = self.term(right, meter)?;
                self.term(left, meter)?.plus(&right, &minus)
            }
            Term::Scale(factor, inner) => Ok(self.term(inner, meter)?.scale(&Number::from_big(factor.clone()))),
            Term::Abs(inner) => {
                let inner = self.term(inner, meter)?;
                let opposite = inner.scale(&minus);
                self.greatest(&[inner, opposite], meter)
            }
            Term::Max(all) => {
                let all = all.iter().map(|inner| self.term(inner, meter)).collect::<Result<Vec<_>, _>>()?;
                self.greatest(&all, meter)
            }
            Term::Min(all) => {
                let opposites =
                    all.iter()
                        .map(|inner| Ok(self.term(inner, meter)?.scale(&minus)))
                        .collect::<Result<Vec<_>, Refusal>>()?;
                self.greatest(&opposites, meter).map(|greatest| greatest.scale(&minus))
            }
            Term::Mul(left, right) => {
                let right = self.term(right, meter)?;
                self.term(left, meter)?.times(&right)
            }
            Term::Div(left, right) => {
                let divisor = self.term(right, meter)?;
                let sign = self.sign(&divisor.top, meter)?;
                let sign = sign.ok_or_else(|| Refusal::Denominator { term: show(self.problem, right) })?;
                let one = Linear::constant(Number::ONE);
                let top = divisor.bottom.as_ref().unwrap_or(&one).scale(&sign);
                let inverse = Quotient::new(top, divisor.top.scale(&sign));
                self.term(left, meter)?.times(&inverse)
            }
        };
        made.map_err(|NotLinear| Refusal::Nonlinear { term: show(self.problem, term) })
    }

    /// The greatest of several quotients over one denominator.
    fn greatest(&mut self, all: &[Quotient], meter: &mut Meter) -> Result<Quotient, NotLinear> {
        let bottom = all.iter().find_map(|quotient| quotient.bottom.clone());
        let tops = all.iter().map(|quotient| quotient.over(bottom.as_ref())).collect::<Result<Vec<_>, _>>()?;
        Ok(Quotient::rejoin(self.greatest_of(tops, meter), bottom.as_ref()))
    }

    /// A column `v` with `v >= each` and `v <= one of them`; none when the ranges decide.
    fn greatest_of(&mut self, mut all: Vec<Linear>, meter: &mut Meter) -> Linear {
        all.sort_unstable();
        all.dedup();
        // What never exceeds another operand cannot matter; of operands that never differ, the first stays.
        let mut kept: Vec<Linear> = Vec::new();
        for candidate in all {
            if kept.iter().any(|other| self.never_exceeds(&candidate, other)) {
                continue;
            }
            kept.retain(|other| !self.never_exceeds(other, &candidate));
            kept.push(candidate);
        }
        if let [only] = &kept[..] {
            return only.clone();
        }
        if let Some(column) = self.greatest.get(&kept) {
            return Linear::column(*column);
        }
        // The budget is checked again at the next node; this only counts.
        let _ = meter.steps(kept.len() as u64);
        let whole = kept.iter().all(|linear| {
            linear.constant.is_integer()
                && linear.factors.iter().all(|(column, factor)| self.search.is_whole(*column) && factor.is_integer())
        });
        let lower = kept.iter().filter_map(|linear| self.range_end(linear, false)).max();
        let upper = kept
            .iter()
            .map(|linear| self.range_end(linear, true).map(|(bound, strict)| (bound, !strict)))
            .collect::<Option<Vec<_>>>()
            .and_then(|ends| ends.into_iter().max())
            .map(|(bound, attained)| (bound, !attained));
        let column = self.add_column(whole, lower, upper);
        let itself = Linear::column(column);
        let mut reached = Vec::new();
        for linear in &kept {
            let room = itself.clone().plus(linear, &Number::ONE.neg());
            let above = self.compare(&room, Relation::Ge);
            self.assert(above);
            reached.push(self.compare(&room, Relation::Le));
        }
        self.assert(Node::Or(reached));
        self.greatest.insert(kept, column);
        itself
    }

    fn never_exceeds(&self, left: &Linear, right: &Linear) -> bool {
        let difference = left.clone().plus(right, &Number::ONE.neg());
        self.range_end(&difference, true).is_some_and(|(bound, _)| !bound.is_positive())
    }

    /// The lower or upper end of what the columns' ranges allow, and whether it is excluded.
    fn range_end(&self, linear: &Linear, upper: bool) -> End {
        let mut total = linear.constant.clone();
        let mut excluded = false;
        for (column, factor) in &linear.factors {
            let ends = if factor.is_positive() == upper { &self.upper } else { &self.lower };
            let (bound, strict) = ends.get(*column)?.as_ref()?;
            total = total.add(&bound.mul(factor));
            excluded |= strict;
        }
        Some((total, excluded))
    }

    /// 1 or -1 when the ranges, or else the axioms so far, keep the expression on one side of 0.
    fn sign(&self, linear: &Linear, meter: &mut Meter) -> Result<Option<Number>, Refusal> {
        if linear.is_zero() {
            return Ok(None);
        }
        if let Some((bound, excluded)) = self.range_end(linear, false)
            && (bound.is_positive() || (excluded && bound.is_zero()))
        {
            return Ok(Some(Number::ONE));
        }
        if let Some((bound, excluded)) = self.range_end(linear, true)
            && (bound.is_negative() || (excluded && bound.is_zero()))
        {
            return Ok(Some(Number::ONE.neg()));
        }
        for (against, sign) in [(Relation::Le, Number::ONE), (Relation::Ge, Number::ONE.neg())] {
            let mut question = self.clone();
            let node = question.compare(linear, against);
            question.assert(node);
            if !question.solve(meter)? {
                return Ok(Some(sign));
            }
        }
        Ok(None)
    }

    /// Whether everything asserted can hold.
    pub(super) fn solve(&mut self, meter: &mut Meter) -> Result<bool, Refusal> {
        self.search.chain_atoms();
        let before = meter.branches();
        self.search.solve(meter).map_err(|refusal| {
            let unbounded: Vec<String> = self
                .problem
                .variables
                .iter()
                .filter(|v| v.sort == Sort::Int && (v.lower.is_none() || v.upper.is_none()))
                .map(|v| v.name.clone())
                .collect();
            if self.search.splits > 0 && !unbounded.is_empty() {
                Refusal::Integers { variables: unbounded, branches: meter.branches() - before }
            } else {
                refusal
            }
        })
    }
}

const fn truth(value: bool) -> Node {
    if value { Node::And(Vec::new()) } else { Node::Or(Vec::new()) }
}

fn constant(value: &BigRational) -> Quotient {
    Quotient::linear(Linear::constant(Number::from_big(value.clone())))
}

/// A declared bound; on whole numbers it is moved to the first whole number inside.
fn end(bound: &Bound, whole: bool, lower: bool) -> (Number, bool) {
    let value = Number::from_big(bound.value.clone());
    match (whole, lower) {
        (false, _) => (value, bound.strict),
        (true, true) if bound.strict => (value.floor().add(&Number::ONE), false),
        (true, true) => (value.ceil(), false),
        (true, false) if bound.strict => (value.ceil().sub(&Number::ONE), false),
        (true, false) => (value.floor(), false),
    }
}

const fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Ge,
        Relation::Le => Relation::Gt,
        Relation::Eq => Relation::Ne,
        Relation::Ne => Relation::Eq,
        Relation::Ge => Relation::Lt,
        Relation::Gt => Relation::Le,
    }
}

/// The relation after both sides were multiplied by a negative number.
const fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Lt => Relation::Gt,
        Relation::Le => Relation::Ge,
        Relation::Eq | Relation::Ne => relation,
        Relation::Ge => Relation::Le,
        Relation::Gt => Relation::Lt,
    }
}
