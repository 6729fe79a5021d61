//! From an expression over cells to a tree of sums: binds levels, conditions, parameters and picks, and shares samples between
//! every estimand of an analysis set. It must not evaluate anything but a pick that is made once.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_traits::Zero as _;

use super::fitted::fitted;
use super::frame::Frame;
use super::members::{Binding, is_planned, pair_levels, pick_of};
use super::node::{Choice, Node, Order};
use super::row::{Names, RowExpr, resolve};
use super::sample::{Sample, SampleKey, Series};
use super::sets::View;
use crate::math::{Rational, exact};
use crate::records::ReceivedEstimate;
use crate::spec::{
    Aggregate, AggregateKind, ArithmeticOp, Estimand, EstimandBody, Expr, FittedModel, LevelRef, Name, Pick,
    RecordExpr, ReduceKind, Spec,
};
use crate::stats::undefined::Undefined;

/// Reported estimates by estimand and member.
pub(super) type Reported<'a> = BTreeMap<(Name, Binding), &'a ReceivedEstimate>;

/// Where an expression stands.
#[derive(Debug, Clone, Default)]
struct Cell {
    bound: Binding,
    filters: Vec<RowExpr>,
    parameters: BTreeMap<Name, Name>,
    picked: BTreeMap<Name, Name>,
    /// The levels of a pair, which fill a measure's parameters in order.
    pair: Vec<Name>,
}

impl Cell {
    fn names(&self, spec: &Spec) -> Names<'static> {
        let next =
            self.bound.iter().filter_map(|(factor, level)| Some((factor.clone(), spec.next_level(factor, level)?)));
        Names { parameters: self.parameters.clone(), picked: self.picked.clone(), next: next.collect(), collapse: None }
    }

    /// The same place inside an expression that names its own picks.
    fn inner(&self) -> Self {
        Self { picked: BTreeMap::new(), ..self.clone() }
    }
}

/// Compiles the estimands of one analysis set.
pub(super) struct Compiler<'a> {
    spec: &'a Spec,
    view: &'a View<'a>,
    reported: &'a Reported<'a>,
    samples: BTreeMap<SampleKey, Result<Arc<Sample>, String>>,
    depth: usize,
}

/// Estimands, measures and picks inside one another beyond this are refused.
const MOST_DEPTH: usize = 200;

impl<'a> Compiler<'a> {
    pub fn new(view: &'a View<'a>, reported: &'a Reported<'a>) -> Self {
        Self { spec: view.frame.spec, view, reported, samples: BTreeMap::new(), depth: 0 }
    }

    fn frame(&self) -> &'a Frame<'a> {
        self.view.frame
    }

    /// The tree of one member of an estimand. A pick among its levels is made again in every resample if it says so.
    pub fn member(&mut self, name: &str, member: &Binding) -> Node {
        let Some(estimand) = self.spec.estimands.get(name) else {
            return Node::Undefined(format!("there is no estimand {name}"));
        };
        if let Some((factor, pick_name)) = first_pick(member) {
            let Some(pick) = self.spec.picks.get(&pick_name) else {
                return Node::Undefined(format!("there is no pick {pick_name}"));
            };
            if pick.resample_again && estimand.body != EstimandBody::Reported {
                let choice = self.choice(&pick_name, pick, &Cell { bound: member.clone(), ..Cell::default() });
                let bodies = choice.levels.iter().map(|level| {
                    let mut member = member.clone();
                    member.insert(factor.clone(), level.clone());
                    self.member(name, &member)
                });
                let bodies = bodies.collect();
                return Node::Pick(Arc::new(Choice { bodies, ..choice }));
            }
            return match self.settle(member) {
                Ok(member) => self.member(name, &member),
                Err(reason) => Node::Undefined(reason),
            };
        }
        let mut cell = Cell { bound: member.clone(), ..Cell::default() };
        for per in estimand.per.iter().filter(|per| per.pair) {
            if let Some((first, second)) = cell.bound.remove(&per.factor).as_deref().and_then(|pair| pair_levels(pair))
            {
                cell.pair.extend([first.to_owned(), second.to_owned()]);
            }
        }
        self.body(name, estimand, &cell, member)
    }

    /// The member with every pick made, from all records.
    pub fn settle(&mut self, member: &Binding) -> Result<Binding, String> {
        let mut settled = member.clone();
        while let Some((factor, name)) = first_pick(&settled) {
            let pick = self.spec.picks.get(&name).ok_or_else(|| format!("there is no pick {name}"))?;
            let choice = self.choice(&name, pick, &Cell { bound: settled.clone(), ..Cell::default() });
            let picked = choice.levels.get(choice.pick()?).cloned();
            settled.insert(factor, picked.ok_or_else(|| Undefined::NoRecords.to_string())?);
        }
        Ok(settled)
    }

    fn body(&mut self, name: &str, estimand: &Estimand, cell: &Cell, member: &Binding) -> Node {
        match &estimand.body {
            EstimandBody::Contrast(expr) => self.expr(expr, cell),
            EstimandBody::Paired { value, filter } => self.paired(value, filter.as_ref(), cell),
            EstimandBody::Fitted(model) => self.fitted(model, cell),
            EstimandBody::Reported => {
                let mut member = member.clone();
                member.retain(|factor, _| estimand.per.iter().any(|per| per.factor == *factor));
                let found = self.reported.get(&(name.to_owned(), member));
                match found.and_then(|reported| reported.estimate.clone()) {
                    Some(value) => Node::Constant(value),
                    None => Node::Undefined("the results report no value for it".to_owned()),
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr, cell: &Cell) -> Node {
        if self.depth >= MOST_DEPTH {
            return Node::Undefined("it refers to itself, or nests too deeply".to_owned());
        }
        self.depth += 1;
        let node = match pending_pick(expr, cell) {
            Some(name) => self.picked(&name, expr, cell),
            None => self.settled(expr, cell),
        };
        self.depth -= 1;
        node
    }

    /// An expression whose own level references need no further pick.
    fn settled(&mut self, expr: &Expr, cell: &Cell) -> Node {
        match expr {
            Expr::Constant(quantity) => Node::Constant(quantity.value.clone()),
            Expr::Value(name) => self.value(name, cell),
            Expr::Aggregate(aggregate) => self.aggregate(aggregate, cell),
            Expr::Measure(name, levels) => self.measure(name, levels, cell),
            Expr::Estimand(name) => match self.spec.estimands.get(name) {
                Some(estimand) => self.body(name, estimand, &cell.inner(), &cell.bound),
                None => Node::Undefined(format!("there is no estimand {name}")),
            },
            Expr::At(body, at) => {
                let mut inner = cell.inner();
                let names = cell.names(self.spec);
                for (factor, level) in at {
                    match names.level(factor, level) {
                        Ok(level) => inner.bound.insert(factor.clone(), level.clone()),
                        Err(reason) => return Node::Undefined(reason),
                    };
                }
                self.expr(body, &inner)
            }
            Expr::For(body, condition) => match resolve(self.frame(), &cell.names(self.spec), condition) {
                Ok(condition) => {
                    let mut inner = cell.clone();
                    push_filter(&mut inner.filters, condition);
                    self.expr(body, &inner)
                }
                Err(reason) => Node::Undefined(reason),
            },
            Expr::Reduce(kind, factor, body) => self.reduce(*kind, factor, body, cell),
            Expr::Arithmetic(left, op, right) => {
                Node::Arithmetic(Box::new(self.expr(left, cell)), *op, Box::new(self.expr(right, cell)))
            }
            Expr::Negate(body) => Node::Negate(Box::new(self.expr(body, cell))),
            Expr::Abs(body) => Node::Abs(Box::new(self.expr(body, cell))),
            Expr::Log(body) => Node::Log(Box::new(self.expr(body, cell))),
            Expr::Slope(factor, body) => self.slope(factor, body, cell),
            Expr::Minimum(parts) => Node::Reduce(ReduceKind::Min, self.all(parts, cell)),
            Expr::Maximum(parts) => Node::Reduce(ReduceKind::Max, self.all(parts, cell)),
        }
    }

    fn all(&mut self, parts: &[Expr], cell: &Cell) -> Vec<Node> {
        parts.iter().map(|part| self.expr(part, cell)).collect()
    }

    fn value(&self, name: &str, cell: &Cell) -> Node {
        match value_of(self.spec, name, &cell.bound) {
            Ok(value) => Node::Constant(value),
            Err(reason) => Node::Undefined(reason),
        }
    }

    fn measure(&mut self, name: &str, levels: &[LevelRef], cell: &Cell) -> Node {
        let Some(measure) = self.spec.measures.get(name) else {
            return Node::Undefined(format!("there is no measure {name}"));
        };
        let names = cell.names(self.spec);
        let given: Result<Vec<Name>, String> = if levels.is_empty() {
            Ok(cell.pair.clone())
        } else {
            levels.iter().map(|level| names.level("", level).cloned()).collect()
        };
        let given = match given {
            Ok(given) => given,
            Err(reason) => return Node::Undefined(reason),
        };
        let mut inner = cell.inner();
        let parameters = measure.parameters.iter().map(|(parameter, _)| parameter.clone());
        inner.parameters = parameters.zip(given).collect();
        let node = self.expr(&measure.expr, &inner);
        match &measure.undefined {
            Some(value) => Node::OrElse(Box::new(node), value.value.clone()),
            None => node,
        }
    }

    fn reduce(&mut self, kind: ReduceKind, factor: &str, body: &Expr, cell: &Cell) -> Node {
        let mut parts = Vec::new();
        for level in self.frame().levels_of(factor).unwrap_or_default() {
            let mut inner = cell.clone();
            inner.bound.insert(factor.to_owned(), level);
            // A cell that is never run is no part of the reduction.
            if is_planned(self.frame(), &inner.bound) {
                parts.push(self.expr(body, &inner));
            }
        }
        Node::Reduce(kind, parts)
    }

    /// A least-squares slope is a sum of the levels' values with weights that their numbers fix.
    fn slope(&mut self, factor: &str, body: &Expr, cell: &Cell) -> Node {
        let mut levels: Vec<(Rational, Node)> = Vec::new();
        for level in self.frame().levels_of(factor).unwrap_or_default() {
            let mut inner = cell.clone();
            inner.bound.insert(factor.to_owned(), level.clone());
            if !is_planned(self.frame(), &inner.bound) {
                continue;
            }
            match exact::parse(&level) {
                Ok(dose) => levels.push((dose, self.expr(body, &inner))),
                Err(_) => return Node::Undefined(format!("the level {level} of {factor} is no number")),
            }
        }
        let count = Rational::from_integer(levels.len().into());
        if levels.len() < 2 {
            return Node::Undefined(Undefined::TooFew { have: levels.len(), need: 2 }.to_string());
        }
        let mean = levels.iter().map(|(dose, _)| dose).sum::<Rational>() / count;
        let spread: Rational = levels.iter().map(|(dose, _)| (dose - &mean) * (dose - &mean)).sum();
        if spread.is_zero() {
            return Node::Undefined(Undefined::Constant.to_string());
        }
        let weighted = levels.into_iter().map(|(dose, node)| {
            let weight = Node::Constant((dose - &mean) / &spread);
            Node::Arithmetic(Box::new(weight), ArithmeticOp::Multiply, Box::new(node))
        });
        Node::Reduce(ReduceKind::Sum, weighted.collect())
    }

    fn aggregate(&mut self, aggregate: &Aggregate, cell: &Cell) -> Node {
        let names = cell.names(self.spec);
        let one = |expr: &RecordExpr| resolve(self.frame(), &names, expr);
        let arguments: Result<Vec<RowExpr>, String> = aggregate.arguments.iter().map(one).collect();
        let filter = aggregate.filter.as_ref().map(one).transpose();
        let (mut arguments, filter) = match (arguments, filter) {
            (Ok(arguments), Ok(filter)) => (arguments, filter),
            (Err(reason), _) | (_, Err(reason)) => return Node::Undefined(reason),
        };
        if arguments.is_empty() {
            // `count()` of nothing in particular counts records.
            arguments.push(RowExpr::Bool(true));
        }
        let mut filters = cell.filters.clone();
        if let Some(filter) = filter {
            push_filter(&mut filters, filter);
        }
        let sample = match self.sample(SampleKey { bound: cell.bound.clone(), filters, arguments }) {
            Ok(sample) => sample,
            Err(reason) => return Node::Undefined(reason),
        };
        match &aggregate.kind {
            AggregateKind::Mean | AggregateKind::Rate => Node::Mean(sample),
            AggregateKind::Sum => Node::Sum(sample),
            AggregateKind::Count => Node::Count(sample),
            AggregateKind::Median => Node::Order(sample, Order::Quantile(Rational::new(1.into(), 2.into()))),
            AggregateKind::Quantile(probability) => Node::Order(sample, Order::Quantile(probability.clone())),
            AggregateKind::Sd => Node::Sd(sample),
            AggregateKind::Min => Node::Order(sample, Order::Smallest),
            AggregateKind::Max => Node::Order(sample, Order::Largest),
            AggregateKind::Phi if sample.series.iter().all(|s| matches!(s, Series::Truths(_))) => Node::Phi(sample),
            AggregateKind::Statistic(statistic) => Node::Statistic(sample, *statistic),
            AggregateKind::Phi => Node::Undefined("phi needs two conditions".to_owned()),
        }
    }

    fn paired(&mut self, value: &RecordExpr, filter: Option<&RecordExpr>, cell: &Cell) -> Node {
        let collapse = self.spec.design.as_ref().map(|design| &design.collapse);
        let names = Names { collapse: collapse.filter(|_| self.frame().repeats > 1), ..cell.names(self.spec) };
        let resolved = resolve(self.frame(), &names, value)
            .and_then(|value| Ok((value, filter.map(|filter| resolve(self.frame(), &names, filter)).transpose()?)));
        let (value, filter) = match resolved {
            Ok(resolved) => resolved,
            Err(reason) => return Node::Undefined(reason),
        };
        let mut filters = cell.filters.clone();
        if let Some(filter) = filter {
            push_filter(&mut filters, filter);
        }
        let key = SampleKey { bound: cell.bound.clone(), filters, arguments: vec![value] };
        match self.sample(key) {
            Ok(sample) => match sample.units.array_windows::<2>().find(|[one, two]| one == two) {
                None => Node::Mean(sample),
                Some([unit, _]) => {
                    let unit = self.frame().task(*unit).map_or("a unit", |task| task.key.as_str());
                    Node::Undefined(format!(
                        "{unit} has more than one value; declare how they become one, as in `collapse score by mean`"
                    ))
                }
            },
            Err(reason) => Node::Undefined(reason),
        }
    }

    fn fitted(&mut self, model: &FittedModel, cell: &Cell) -> Node {
        let response = model.formula.split('~').next().unwrap_or_default().trim().to_owned();
        let names = cell.names(self.spec);
        let one = |expr: &RecordExpr| resolve(self.frame(), &names, expr);
        let outcome = one(&RecordExpr::Field(response));
        let filter = model.filter.as_ref().map(one).transpose();
        let (outcome, filter) = match (outcome, filter) {
            (Ok(outcome), Ok(filter)) => (outcome, filter),
            (Err(reason), _) | (_, Err(reason)) => return Node::Undefined(reason),
        };
        let mut filters = cell.filters.clone();
        if let Some(filter) = filter {
            push_filter(&mut filters, filter);
        }
        let sample = self.sample(SampleKey { bound: cell.bound.clone(), filters, arguments: vec![outcome] });
        match sample.and_then(|sample| fitted(self.frame(), model, &sample)) {
            Ok(fitted) => Node::Fitted(Arc::new(fitted)),
            Err(reason) => Node::Undefined(reason),
        }
    }

    fn sample(&mut self, key: SampleKey) -> Result<Arc<Sample>, String> {
        if let Some(found) = self.samples.get(&key) {
            return found.clone();
        }
        let sample = Sample::gather(self.view, &key, self.samples.len()).map(Arc::new);
        self.samples.insert(key, sample.clone());
        sample
    }

    fn picked(&mut self, name: &str, expr: &Expr, cell: &Cell) -> Node {
        let Some(pick) = self.spec.picks.get(name) else {
            return Node::Undefined(format!("there is no pick {name}"));
        };
        let choice = self.choice(name, pick, cell);
        let with = |level: &Name| {
            let mut cell = cell.clone();
            cell.picked.insert(name.to_owned(), level.clone());
            cell
        };
        if pick.resample_again {
            let bodies = choice.levels.iter().map(|level| self.expr(expr, &with(level))).collect();
            return Node::Pick(Arc::new(Choice { bodies, ..choice }));
        }
        match choice.pick() {
            Ok(index) => match choice.levels.get(index) {
                Some(level) => self.expr(expr, &with(level)),
                None => Node::Undefined(Undefined::NoRecords.to_string()),
            },
            Err(reason) => Node::Undefined(reason),
        }
    }

    fn choice(&mut self, name: &str, pick: &Pick, cell: &Cell) -> Choice {
        let mut bound = cell.bound.clone();
        bound.retain(|factor, _| pick.per.contains(factor));
        let (mut levels, mut scores) = (Vec::new(), Vec::new());
        for level in self.frame().levels_of(&pick.factor).unwrap_or_default() {
            let mut own = bound.clone();
            own.insert(pick.factor.clone(), level.clone());
            if is_planned(self.frame(), &own) {
                scores.push(self.expr(&pick.expr, &Cell { bound: own, ..Cell::default() }));
                levels.push(level);
            }
        }
        Choice {
            name: name.to_owned(),
            levels,
            scores,
            bodies: Vec::new(),
            largest: pick.largest,
            ties_refuse: pick.ties_refuse,
        }
    }
}

/// A pick that the expression's own level references name and that is not made yet.
fn pending_pick(expr: &Expr, cell: &Cell) -> Option<Name> {
    let mut names = Vec::new();
    if let Expr::Aggregate(aggregate) = expr {
        for expr in aggregate.arguments.iter().chain(&aggregate.filter) {
            picks_in(expr, &mut names);
        }
    } else if let Expr::Measure(_, levels) = expr {
        names.extend(levels.iter().filter_map(pick_in));
    } else if let Expr::At(_, at) = expr {
        names.extend(at.iter().filter_map(|(_, level)| pick_in(level)));
    } else if let Expr::For(_, condition) = expr {
        picks_in(condition, &mut names);
    }
    names.into_iter().find(|name| !cell.picked.contains_key(name))
}

/// A sourced constant, or its entry for the level that is bound.
pub(super) fn value_of(spec: &Spec, name: &str, bound: &Binding) -> Result<Rational, String> {
    let table = spec.values.get(name).ok_or_else(|| format!("there is no value {name}"))?;
    let level = match &table.per {
        None => "",
        Some(factor) => bound.get(factor).ok_or_else(|| format!("the value {name} needs a level of {factor}"))?,
    };
    let entry = table.entries.get(level).ok_or_else(|| format!("the value {name} has no entry for {level}"))?;
    Ok(entry.value.clone())
}

/// The first factor of a member whose level is left to a pick.
fn first_pick(member: &Binding) -> Option<(Name, Name)> {
    member.iter().find_map(|(factor, level)| Some((factor.clone(), pick_of(level)?.to_owned())))
}

/// `and` is taken apart, so that what is known from the plan restricts the pool whatever else stands beside it.
fn push_filter(filters: &mut Vec<RowExpr>, filter: RowExpr) {
    let RowExpr::And(parts) = filter else { return filters.push(filter) };
    for part in parts {
        push_filter(filters, part);
    }
}

fn pick_in(level: &LevelRef) -> Option<Name> {
    match level {
        LevelRef::Picked(name) => Some(name.clone()),
        LevelRef::Level(_) | LevelRef::Parameter(_) | LevelRef::Next => None,
    }
}

fn picks_in(expr: &RecordExpr, into: &mut Vec<Name>) {
    match expr {
        RecordExpr::At(body, at) => {
            into.extend(at.iter().filter_map(|(_, level)| pick_in(level)));
            picks_in(body, into);
        }
        RecordExpr::Present(body)
        | RecordExpr::EndsWith(body, _)
        | RecordExpr::OneOf(body, _)
        | RecordExpr::Not(body)
        | RecordExpr::Negate(body)
        | RecordExpr::Abs(body)
        | RecordExpr::Log(body) => picks_in(body, into),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => parts.iter().for_each(|part| picks_in(part, into)),
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            picks_in(left, into);
            picks_in(right, into);
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Field(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_) => {}
    }
}
