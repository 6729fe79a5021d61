//! What is planned: crossing, repeats, cells never run, order, caps, collapses.

use std::collections::BTreeMap;

use super::names::list;
use super::places::Part;
use super::record_expr::RecordPlace;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Design, Dimension, ExcludedCells, Name, Order, RecordExpr};
use crate::syntax::ast;

impl Checker<'_> {
    /// The `design` block.
    pub(super) fn design(&mut self) {
        let Some(design) = self.names.design else {
            if let Some(tasks) = self.names.tasks {
                self.report(
                    Diagnostic::error(
                        Code::MissingClause,
                        tasks.name.span,
                        "there are units and no `design` says what is run on them",
                    )
                    .help("add `design { cross factor, unit }`"),
                );
            }
            return;
        };
        self.place(Kind::Design, "design", Part::Name, design.span);
        if self.names.tasks.is_none() {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    design.span,
                    "there is a design and no `tasks` block says what it is run on",
                )
                .help("declare the units of analysis, as in `tasks question { file \"…\"; key id }`"),
            );
        }
        let cross = self.cross(design);
        let mut nest = BTreeMap::new();
        for (inner, outer) in &design.nest {
            let known = (self.nestable(inner), self.nestable(outer));
            if known == (true, true) && nest.insert(inner.node.clone(), outer.node.clone()).is_some() {
                self.twice(inner, "nested factor");
            }
        }
        let repeat = match &design.repeat {
            None => 1,
            Some(literal) => match self.whole(literal, "the number of repeats") {
                Some(0) => {
                    self.report(Diagnostic::error(
                        Code::BadDesign,
                        literal.number.span,
                        "a design that repeats no times runs nothing",
                    ));
                    1
                }
                Some(count) => count,
                None => 1,
            },
        };
        let hold = self.noted(&design.hold, "held factor");
        let exclude = self.excluded(design, repeat);
        let order = self.order(design.order.as_ref());
        let minimum = design.minimum.as_ref().and_then(|(literal, factors)| {
            let count = self.whole(literal, "the minimum");
            let known: Vec<bool> = factors.iter().map(|factor| self.factor_like(factor)).collect();
            let mut factors: Vec<Name> = factors.iter().map(|factor| factor.node.clone()).collect();
            factors.sort();
            (!known.contains(&false)).then_some(())?;
            Some((count?, factors))
        });
        let mut caps = Vec::new();
        for (literal, per) in &design.caps {
            if !["attempt", "arm", "study"].contains(&per.node.as_str()) {
                self.report(
                    Diagnostic::error(Code::WrongKind, per.span, format!("a cap is not counted per `{}`", per.node))
                        .help("a cap is per `attempt`, `arm` or `study`"),
                );
                continue;
            }
            let Some((mut quantity, bare)) = self.quantity(literal) else { continue };
            if bare {
                quantity.dimension = Dimension::Count;
            }
            caps.push((per.node.clone(), quantity));
        }
        caps.sort();
        let mut collapse = BTreeMap::new();
        for (outcome, how) in &design.collapse {
            if !self.names.outcomes.contains_key(outcome.node.as_str()) {
                self.undefined(outcome, "an outcome", &[Kind::Field]);
                continue;
            }
            if !["mean", "any", "all", "first"].contains(&how.node.as_str()) {
                self.report(
                    Diagnostic::error(Code::WrongKind, how.span, format!("repeats do not collapse by `{}`", how.node))
                        .help("repeats become one value by `mean`, `any`, `all` or `first`"),
                );
                continue;
            }
            self.mark(Kind::Field, &outcome.node);
            if collapse.insert(outcome.node.clone(), how.node.clone()).is_some() {
                self.twice(outcome, "collapsed outcome");
            }
        }
        self.spec.design = Some(Design { cross, nest, repeat, hold, exclude, order, minimum, caps, collapse });
    }

    fn nestable(&mut self, name: &ast::Name) -> bool {
        if self.is_factor_like(&name.node) {
            self.mark(Kind::Factor, &name.node);
            self.mark(Kind::Field, &name.node);
            return true;
        }
        self.undefined(name, "a factor or task attribute", &[Kind::Factor]);
        false
    }

    fn cross(&mut self, design: &ast::Design) -> Vec<Name> {
        let mut cross: Vec<Name> = Vec::new();
        for factor in &design.cross {
            let name = factor.node.as_str();
            if self.is_unit(name) {
                continue; // the unit is always crossed
            }
            if cross.contains(&factor.node) {
                self.twice(factor, "crossed factor");
                continue;
            }
            if self.spec.factors.contains_key(name) {
                self.mark(Kind::Factor, name);
                cross.push(factor.node.clone());
            } else if self.attributes.contains_key(name) {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        factor.span,
                        format!("`{name}` is an attribute of the units and cannot be crossed with them"),
                    )
                    .help("an attribute goes with its unit; use it in `per` or `where`"),
                );
            } else if !self.names.factors.contains_key(name) {
                self.undefined(factor, "a factor", &[Kind::Factor]);
            }
        }
        cross.sort();
        cross
    }

    fn excluded(&mut self, design: &ast::Design, repeats: u64) -> Vec<ExcludedCells> {
        let mut exclude = Vec::new();
        let place = RecordPlace { repeats: Some(repeats), ..RecordPlace::cells("cells that are never run") };
        for (condition, filter) in &design.exclude {
            let first = self.record_condition(condition, &place);
            let second = filter.as_ref().map(|filter| self.record_condition(filter, &place));
            let condition = match (first, second) {
                (Some(first), None) => first,
                (Some(first), Some(Some(second))) => RecordExpr::And(vec![first, second]),
                _ => continue,
            };
            exclude.push(ExcludedCells { condition });
        }
        exclude.sort();
        exclude.dedup();
        exclude
    }

    fn order(&mut self, order: Option<&ast::Order>) -> Order {
        let Some(order) = order else { return Order::Listed };
        if let Some(within) = &order.within
            && !self.is_factor_like(&within.node)
        {
            self.undefined(within, "a factor, attribute or unit", &[Kind::Factor, Kind::Tasks]);
        }
        let seed = order.seed.as_ref().and_then(|seed| self.whole(seed, "a seed"));
        match order.kind.node.as_str() {
            "shuffled" => Order::Shuffled { within: order.within.as_ref().map(|name| name.node.clone()), seed },
            "listed" => {
                if order.seed.is_some() || order.within.is_some() {
                    self.report(Diagnostic::error(
                        Code::BadDesign,
                        order.kind.span,
                        "an order as listed has no seed and no block",
                    ));
                }
                Order::Listed
            }
            other => {
                self.report(
                    Diagnostic::error(Code::WrongKind, order.kind.span, format!("no order is called `{other}`"))
                        .help(format!("write {}", list(&["shuffled", "listed"]))),
                );
                Order::Listed
            }
        }
    }
}
