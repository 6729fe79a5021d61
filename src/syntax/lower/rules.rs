//! `gate`, `control`, `hypothesis` and their rules.

use super::super::ast::{
    About, Case, Gate, Hypothesis, HypothesisClause, Literal, Name, Noted, Quantifier, QuantifierKind,
    Rule as Decision, Scope,
};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::{Cursor, Node};
use super::super::read::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Spanned;

impl Reader<'_> {
    pub(super) fn gate(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Gate> {
        let clauses = self.clauses(line.block.as_ref());
        head.next();
        let polarity = head.eat_any(&[Rule::k_positive, Rule::k_negative]).map(|word| self.name_of(word));
        let mut gate = Gate {
            name: self.find_name(head)?,
            polarity,
            about: Vec::new(),
            scope: None,
            per: Vec::new(),
            set: None,
            require: None,
            fail: None,
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_about => gate.about.extend(self.about(cursor)),
                Rule::c_scope => gate.scope = self.scope(&clause.node),
                Rule::c_per => gate.per = self.names_in(cursor, Rule::per_names),
                Rule::c_set => gate.set = self.find_name(cursor),
                Rule::c_require => gate.require = self.find_expr(cursor),
                Rule::c_fail => {
                    let verdict = cursor.find(&[Rule::k_void, Rule::k_not_evaluated]).map(|word| self.name_of(word));
                    let reason = self.maybe_text(cursor);
                    gate.fail = verdict.map(|verdict| (verdict, reason));
                }
                _ => {}
            }
        }
        Some(gate)
    }

    fn about(&mut self, cursor: &mut Cursor<'_>) -> Option<About> {
        let estimand = self.find_name(cursor)?;
        let at = cursor.eat(Rule::selectors).map(|node| self.selectors_of(node)).unwrap_or_default();
        let with = self.names_in(cursor, Rule::with_many);
        let alias = self.name_in(cursor, Rule::as_part);
        Some(About { estimand, at, with, alias })
    }

    fn scope(&mut self, node: &Node) -> Option<Scope> {
        let mut quantifiers = Vec::new();
        for part in node.parts.iter().filter(|part| part.rule == Rule::quantifier) {
            quantifiers.push(self.quantifier(part)?);
        }
        let filter = node.parts.iter().find(|part| part.rule == Rule::where_tail);
        let filter = match filter {
            Some(filter) => Some(self.find_expr(&mut Cursor::new(filter))?),
            None => None,
        };
        Some(Scope { quantifiers, filter, span: node.span })
    }

    fn quantifier(&mut self, node: &Node) -> Option<Quantifier> {
        let mut cursor = Cursor::new(node);
        let quantity = cursor.find(&[Rule::quantity])?;
        let numbers: Vec<Literal> = self.numbers_below(quantity);
        let first = quantity.parts.first()?;
        let kind = match (first.rule, numbers.as_slice()) {
            (Rule::k_all, _) => QuantifierKind::All,
            (Rule::k_any, _) => QuantifierKind::Any,
            (Rule::k_none, _) => QuantifierKind::None,
            (_, [least, of]) => QuantifierKind::AtLeast(least.clone(), of.clone()),
            _ => return None,
        };
        let mut factors = Vec::new();
        let mut when_lost = Vec::new();
        for part in cursor {
            match part.rule {
                Rule::quantified => factors.extend(self.names_below(part)),
                Rule::lost_part => {
                    for lost in part.parts.iter().filter(|part| part.rule == Rule::lost) {
                        when_lost.extend(self.lost(lost, when_lost.len() + 1));
                    }
                }
                _ => {}
            }
        }
        Some(Quantifier { kind, factors, when_lost })
    }

    fn numbers_below(&self, node: &Node) -> Vec<Literal> {
        let numbers = node.parts.iter().filter(|part| part.rule == Rule::number);
        numbers.map(|number| Literal { number: self.name_of(number), unit: None }).collect()
    }

    /// `2 of 2 when one is lost`; quorums are listed for one lost member, then two, and so on.
    fn lost(&mut self, node: &Node, nth: usize) -> Option<(Literal, Literal)> {
        let words = [Rule::k_one, Rule::k_two, Rule::k_three];
        let said = match node.parts.iter().find(|part| words.contains(&part.rule)) {
            Some(word) => words.iter().position(|rule| *rule == word.rule).map(|index| index + 1),
            None => node
                .parts
                .iter()
                .filter(|part| part.rule == Rule::number)
                .nth(2)
                .and_then(|part| self.text(part.span).parse().ok()),
        };
        if said != Some(nth) {
            self.report(
                Diagnostic::error(Code::BadQuorum, node.span, format!("here the quorum for {nth} lost is expected"))
                    .help("list the quorums for one lost member, then for two, and so on"),
            );
            return None;
        }
        let mut numbers = self.numbers_below(node).into_iter();
        numbers.next().zip(numbers.next())
    }

    pub(super) fn hypothesis(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Hypothesis> {
        let clauses = self.clauses(line.block.as_ref());
        let name = self.find_name(head)?;
        let role =
            head.eat_any(&[Rule::k_primary, Rule::k_secondary, Rule::k_exploratory]).map(|word| self.name_of(word));
        let mut hypothesis = Hypothesis {
            name,
            role,
            claim: self.maybe_text(head),
            descriptive: false,
            answers: Vec::new(),
            about: Vec::new(),
            scope: None,
            grid: Vec::new(),
            sets: Vec::new(),
            requires: Vec::new(),
            after: Vec::new(),
            evaluable: None,
            clauses: Vec::new(),
            rule: None,
            notes: Vec::new(),
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_descriptive => hypothesis.descriptive = true,
                Rule::c_answers => hypothesis.answers = self.names_below(&clause.node),
                Rule::c_about => hypothesis.about.extend(self.about(cursor)),
                Rule::c_scope => hypothesis.scope = self.scope(&clause.node),
                Rule::c_per => hypothesis.grid = self.names_in(cursor, Rule::per_names),
                Rule::c_sets => hypothesis.sets = self.names_below(&clause.node),
                Rule::c_requires => hypothesis.requires = self.names_below(&clause.node),
                Rule::c_after => {
                    while let Some(node) = cursor.find(&[Rule::expr]) {
                        hypothesis.after.extend(self.expr_of(node));
                    }
                }
                Rule::c_evaluable => hypothesis.evaluable = self.condition(cursor).ok().flatten(),
                Rule::c_clause => hypothesis.clauses.extend(self.hypothesis_clause(cursor, clause.line)),
                Rule::c_decide => hypothesis.rule = Some(self.decision(&clause.node, clause.line)),
                Rule::c_note => hypothesis.notes.extend(self.noted(cursor)),
                Rule::c_expects => {
                    let word = cursor.next().map(|word| self.name_of(word));
                    let text = self.find_text(cursor);
                    hypothesis.notes.extend(word.zip(text).map(|(name, text)| Noted { name, text }));
                }
                _ => {}
            }
        }
        Some(hypothesis)
    }

    fn hypothesis_clause(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<HypothesisClause> {
        let clauses = self.clauses(line.block.as_ref());
        let name = self.find_name(head)?;
        let mut result = HypothesisClause { name, about: Vec::new(), scope: None, evaluable: None, rule: None };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_about => result.about.extend(self.about(cursor)),
                Rule::c_scope => result.scope = self.scope(&clause.node),
                Rule::c_evaluable => result.evaluable = self.condition(cursor).ok().flatten(),
                Rule::c_decide => result.rule = Some(self.decision(&clause.node, clause.line)),
                _ => {}
            }
        }
        Some(result)
    }

    fn decision(&mut self, node: &Node, line: &Line) -> Decision {
        let clauses = self.clauses(line.block.as_ref());
        let in_order = node.parts.iter().any(|part| part.rule == Rule::k_order);
        let mut cases = Vec::new();
        for clause in clauses {
            cases.extend(self.case(&clause.node));
        }
        Decision { in_order, cases, span: self.line_span(line) }
    }

    fn case(&mut self, node: &Node) -> Option<Case> {
        let mut cursor = Cursor::new(node);
        let label = self.find_name(&mut cursor)?;
        let class: Option<Name> = self.name_in(&mut cursor, Rule::as_part);
        let when = self.condition(&mut cursor).ok()?;
        let because = self.because(&mut cursor);
        let span = Spanned::new((), node.span).span;
        Some(Case { label, class, when, because, span })
    }
}
