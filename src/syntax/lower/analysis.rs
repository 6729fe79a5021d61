//! `measure`, `value`, `estimand`, `paired`, `pick`, `interval`, `test`, `margin`, `family`.

use super::super::ast::{
    Argument, Estimand, Expr, ExprKind, Family, Fitted, Margin, Measure, Members, Method, Name, Pick, Reported, Value,
};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::{Cursor, Node};
use super::super::read::Reader;

impl Reader<'_> {
    pub(super) fn measure(&mut self, cursor: &mut Cursor<'_>) -> Option<Measure> {
        let name = self.find_name(cursor)?;
        let parameters = self.names_in(cursor, Rule::parameters);
        self.assigned(cursor);
        let expr = self.find_expr(cursor)?;
        let undefined = self.expr_in(cursor, Rule::undefined_part).ok()?;
        Some(Measure { name, parameters, expr, undefined })
    }

    pub(super) fn value(&mut self, cursor: &mut Cursor<'_>) -> Option<Value> {
        let name = self.find_name(cursor)?;
        self.assigned(cursor);
        let constant = Some(self.find_expr(cursor)?);
        Some(Value { name, per: None, constant, table: Vec::new(), source: self.maybe_text(cursor) })
    }

    pub(super) fn value_table(&mut self, cursor: &mut Cursor<'_>, line: &Line) -> Option<Value> {
        let clauses = self.clauses(line.block.as_ref());
        let name = self.find_name(cursor)?;
        let per = self.find_name(cursor);
        let mut table = Vec::new();
        for clause in clauses {
            let mut row = Cursor::new(&clause.node);
            let level = row.find(&[Rule::level]).map(|level| self.name_of(level));
            self.assigned(&mut row);
            let entry = level.zip(self.find_expr(&mut row));
            table.extend(entry.and_then(|entry| self.fresh(&table, entry)));
        }
        let source = self.tail(Rule::t_source, line).and_then(|tail| self.find_text(&mut Cursor::new(&tail)));
        Some(Value { name, per, constant: None, table, source })
    }

    pub(super) fn estimand(&mut self, cursor: &mut Cursor<'_>) -> Option<Estimand> {
        let name = self.find_name(cursor)?;
        let per = self.per_part(cursor);
        self.assigned(cursor);
        if let Some(node) = cursor.eat(Rule::fitted) {
            let fitted = self.fitted(node, &name)?;
            let expr = Expr { kind: Box::new(ExprKind::Name("fitted".to_owned())), span: node.span };
            return Some(Estimand { name, per, expr, reported: None, fitted: Some(fitted) });
        }
        let Some(node) = cursor.eat(Rule::reported) else {
            return Some(Estimand { name, per, expr: self.find_expr(cursor)?, reported: None, fitted: None });
        };
        let mut inner = Cursor::new(node);
        let kind = self.find_name(&mut inner)?;
        let bounds = self.bounds(&mut inner).ok()?;
        let expr = Expr { kind: Box::new(ExprKind::Name("reported".to_owned())), span: node.span };
        Some(Estimand { name, per, expr, reported: Some(Reported { kind, bounds }), fitted: None })
    }

    fn fitted(&mut self, node: &Node, name: &Name) -> Option<Fitted> {
        let mut inner = Cursor::new(node);
        let method = self.find_name(&mut inner)?;
        let arguments = self.arguments(&mut inner)?;
        let filter = self.expr_in(&mut inner, Rule::where_tail).ok()?;
        Some(Fitted { method: Method { name: name.clone(), method, arguments, fallback: None }, filter })
    }

    fn arguments(&mut self, cursor: &mut Cursor<'_>) -> Option<Vec<Argument>> {
        let mut arguments = Vec::new();
        if let Some(list) = cursor.eat(Rule::arguments) {
            for node in list.parts.iter().filter(|part| part.rule == Rule::argument) {
                arguments.push(self.argument(node)?);
            }
        }
        Some(arguments)
    }

    pub(super) fn pick(&mut self, cursor: &mut Cursor<'_>) -> Option<Pick> {
        let name = self.find_name(cursor)?;
        self.assigned(cursor);
        Some(Pick {
            name,
            factor: self.find_name(cursor)?,
            direction: cursor.find(&[Rule::k_largest, Rule::k_smallest]).map(|word| self.name_of(word))?,
            expr: self.find_expr(cursor)?,
            per: self.names_in(cursor, Rule::per_names),
            ties: self.last_word(cursor, Rule::ties_part),
            resample: self.last_word(cursor, Rule::resample_part),
        })
    }

    pub(super) fn method(&mut self, cursor: &mut Cursor<'_>) -> Option<Method> {
        let cursor = &mut Cursor::new(cursor.find(&[Rule::method])?);
        let name = self.find_name(cursor)?;
        self.assigned(cursor);
        let method = self.find_name(cursor)?;
        let arguments = self.arguments(cursor)?;
        let fallback = cursor.eat(Rule::fallback).and_then(|node| {
            let mut inner = Cursor::new(node);
            let other = self.find_name(&mut inner)?;
            let mut when = inner.find(&[Rule::fallback_when]).map(|when| self.name_of(when))?;
            when.node = when.node.split_whitespace().collect::<Vec<_>>().join(" ");
            Some((other, when))
        });
        Some(Method { name, method, arguments, fallback })
    }

    fn argument(&mut self, node: &Node) -> Option<Argument> {
        let mut cursor = Cursor::new(node);
        let key = cursor.eat(Rule::name).map(|key| self.name_of(key));
        if let Some(mark) = cursor.eat(Rule::foreign_colon) {
            self.foreign(mark.span, ":", "a named argument is given with `:`");
        }
        Some(Argument { key, value: self.find_expr(&mut cursor)? })
    }

    pub(super) fn margin(&mut self, cursor: &mut Cursor<'_>) -> Option<Margin> {
        let name = self.find_name(cursor)?;
        self.assigned(cursor);
        let (low, high) = match cursor.eat(Rule::range) {
            Some(range) => self.range_below(range).map(|(low, high)| (low, Some(high)))?,
            None => (self.find_expr(cursor)?, None),
        };
        let direction = cursor.eat_any(&[Rule::k_higher, Rule::k_lower]).map(|word| self.name_of(word));
        Some(Margin { name, low, high, direction, source: self.maybe_text(cursor) })
    }

    pub(super) fn family(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Family> {
        let clauses = self.clauses(line.block.as_ref());
        let mut family = Family {
            name: self.find_name(head)?,
            members: Vec::new(),
            within: Vec::new(),
            adjust: None,
            count: None,
            alpha: None,
            sequence: Vec::new(),
            weights: Vec::new(),
            passes: Vec::new(),
            together: Vec::new(),
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_members => family.members.extend(self.members(cursor)),
                Rule::c_within => family.within = self.names_below(&clause.node),
                Rule::c_adjust => family.adjust = self.find_name(cursor),
                Rule::c_count => family.count = self.find_literal(cursor),
                Rule::c_sequence => family.sequence = self.names_below(&clause.node),
                Rule::c_weight => {
                    let name = self.find_name(cursor);
                    family.weights.extend(name.zip(self.find_literal(cursor)));
                }
                Rule::c_pass => {
                    let ends = self.find_name(cursor).zip(self.find_name(cursor));
                    let share = self.find_literal(cursor);
                    family.passes.extend(ends.zip(share).map(|((from, to), share)| (from, to, share)));
                }
                Rule::c_together => family.together = self.names_below(&clause.node),
                Rule::c_alpha => family.alpha = self.find_literal(cursor),
                _ => {}
            }
        }
        Some(family)
    }

    fn members(&mut self, cursor: &mut Cursor<'_>) -> Option<Members> {
        let estimand = self.find_name(cursor)?;
        let test = self.name_in(cursor, Rule::with_one);
        let per = self.per_part(cursor);
        let filter = self.expr_in(cursor, Rule::where_tail).ok()?;
        Some(Members { estimand, test, per, filter })
    }
}
