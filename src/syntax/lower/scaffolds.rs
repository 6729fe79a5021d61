//! `scaffold`: roles, flow, limits and checks.

use super::super::ast::{Literal, Name, Role, Scaffold, Step};
use super::super::grammar::Rule;
use super::super::layout::{Block, Line};
use super::super::node::{Cursor, Node};
use super::super::read::{Clause, Reader};
use crate::diagnostic::{Code, Diagnostic};

impl Reader<'_> {
    pub(super) fn scaffold(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Scaffold> {
        let clauses = self.clauses(line.block.as_ref());
        let mut scaffold = Scaffold {
            name: self.find_name(head)?,
            title: self.maybe_text(head),
            harness: None,
            tools: None,
            roles: Vec::new(),
            flow: None,
            limits: Vec::new(),
            checks: Vec::new(),
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_harness => scaffold.harness = self.find_text(cursor),
                Rule::c_tools => scaffold.tools = Some(self.names_after_word(&clause.node)),
                Rule::c_role => scaffold.roles.extend(self.role(cursor, clause.line)),
                Rule::c_flow => scaffold.flow = Some(self.steps(clause.line.block.as_ref())),
                Rule::c_limit => scaffold.limits.extend(self.limit(cursor)),
                Rule::c_check => {
                    let name = self.find_name(cursor);
                    let condition = self.find_expr(cursor);
                    scaffold.checks.extend(name.zip(condition));
                }
                _ => {}
            }
        }
        Some(scaffold)
    }

    /// `tools bash, python`; `tools none` is an empty list.
    fn names_after_word(&self, node: &Node) -> Vec<Name> {
        self.names_below(node)
    }

    fn limit(&mut self, cursor: &mut Cursor<'_>) -> Option<Literal> {
        let mut limit = self.find_number(cursor)?;
        limit.unit = cursor.eat_any(&[Rule::unit, Rule::k_rounds]).map(|unit| self.name_of(unit));
        Some(limit)
    }

    fn role(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Role> {
        let clauses = self.clauses(line.block.as_ref());
        let mut role =
            Role { name: self.find_name(head)?, prompt: None, tools: None, reply: Vec::new(), context: None };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_prompt => role.prompt = self.find_text(cursor),
                Rule::c_tools => role.tools = Some(self.names_after_word(&clause.node)),
                Rule::c_context => role.context = cursor.last().map(|word| self.name_of(word)),
                Rule::c_reply => {
                    for field in self.clauses(clause.line.block.as_ref()) {
                        role.reply.extend(self.typed_name(&mut Cursor::new(&field.node)));
                    }
                }
                _ => {}
            }
        }
        Some(role)
    }

    /// The steps of a flow; nesting is bounded by the layout.
    fn steps(&mut self, block: Option<&Block>) -> Vec<Step> {
        let clauses = self.clauses(block);
        clauses.iter().filter_map(|clause| self.step(clause)).collect()
    }

    fn step(&mut self, clause: &Clause<'_>) -> Option<Step> {
        let cursor = &mut Cursor::new(&clause.node);
        let body = self.steps(clause.line.block.as_ref());
        Some(match clause.node.rule {
            Rule::c_loop => {
                cursor.eat(Rule::k_loop);
                let at_most = cursor.eat(Rule::at_most).and_then(|part| self.find_number(&mut Cursor::new(part)));
                let until = self.expr_in(cursor, Rule::until_part).ok()?;
                Step::Loop { at_most, until, body, span: self.line_span(clause.line) }
            }
            Rule::c_fan_out => {
                let at_least = cursor.find(&[Rule::at_least]).and_then(|part| self.find_number(&mut Cursor::new(part)));
                Step::FanOut { at_least, body, merge: self.after_block(clause, Rule::t_merge, "merge by")? }
            }
            Rule::c_candidates => {
                let count = self.find_number(cursor)?;
                Step::Candidates { count, body, select: self.after_block(clause, Rule::t_select, "select by")? }
            }
            Rule::c_hand_over => Step::HandOver { role: self.find_name(cursor)? },
            _ => {
                let role = self.find_name(cursor)?;
                let until = self.expr_in(cursor, Rule::until_part).ok()?;
                Step::Run { role, until }
            }
        })
    }

    /// The role named after the block: `merge by merger`.
    fn after_block(&mut self, clause: &Clause<'_>, rule: Rule, words: &str) -> Option<Name> {
        if clause.line.tail.is_empty() {
            let place = self.line_span(clause.line).after();
            self.report(
                Diagnostic::error(Code::MissingToken, place, format!("`{words}` is missing after this block"))
                    .label(format!("expected `{words}` and a role")),
            );
            return None;
        }
        let tail = self.tail(rule, clause.line)?;
        self.find_name(&mut Cursor::new(&tail))
    }
}
