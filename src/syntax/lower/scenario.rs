//! `looks`, and `scenario` with its draws.

use super::super::ast::{Change, Draw, Expectation, Looks, Scenario};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::Cursor;
use super::super::read::Reader;

impl Reader<'_> {
    pub(super) fn looks(&mut self, line: &Line) -> Looks {
        let span = self.line_span(line);
        let mut looks = Looks { at: Vec::new(), any: false, maximum: None, spend: None, span };
        for clause in self.clauses(line.block.as_ref()) {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_look_at => {
                    looks.any = clause.node.parts.iter().any(|part| part.rule == Rule::k_any);
                    while let Some(number) = self.find_number(cursor) {
                        looks.at.push(number);
                    }
                }
                Rule::c_maximum => looks.maximum = self.find_literal(cursor),
                Rule::c_spend => looks.spend = self.find_name(cursor),
                _ => {}
            }
        }
        looks
    }

    pub(super) fn scenario(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Scenario> {
        let clauses = self.clauses(line.block.as_ref());
        let mut scenario = Scenario {
            name: self.find_name(head)?,
            kind: head.find(&[Rule::k_null, Rule::k_effect]).map(|word| self.name_of(word))?,
            words: self.maybe_text(head),
            seed: None,
            draws: Vec::new(),
            losses: Vec::new(),
            expects: Vec::new(),
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_seed => scenario.seed = self.find_number(cursor),
                Rule::c_draw => scenario.draws.extend(self.draw(cursor, clause.line)),
                Rule::c_lose => {
                    let share = self.find_literal(cursor);
                    scenario.losses.extend(share.zip(self.find_name(cursor)));
                }
                Rule::c_promise => scenario.expects.extend(self.expectation(cursor)),
                _ => {}
            }
        }
        Some(scenario)
    }

    fn draw(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Draw> {
        let clauses = self.clauses(line.block.as_ref());
        let mut draw = Draw { field: self.find_name(head)?, mean: None, changes: Vec::new(), varies: Vec::new() };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_mean => draw.mean = self.find_expr(cursor),
                Rule::c_shift => {
                    let shift = self.find_expr(cursor);
                    let Ok(filter) = self.expr_in(cursor, Rule::where_tail) else { continue };
                    draw.changes.extend(shift.map(|shift| Change { shift: Some(shift), times: None, filter }));
                }
                Rule::c_times => {
                    let times = self.find_literal(cursor);
                    let Ok(filter) = self.expr_in(cursor, Rule::where_tail) else { continue };
                    draw.changes.extend(times.map(|times| Change { shift: None, times: Some(times), filter }));
                }
                Rule::c_vary => {
                    let names = self.names_below(&clause.node);
                    draw.varies.extend(self.find_literal(cursor).map(|sd| (names, sd)));
                }
                _ => {}
            }
        }
        Some(draw)
    }

    fn expectation(&mut self, cursor: &mut Cursor<'_>) -> Option<Expectation> {
        Some(Expectation {
            hypothesis: self.find_name(cursor)?,
            class: self.find_name(cursor)?,
            at_most: cursor.find(&[Rule::k_most, Rule::k_least])?.rule == Rule::k_most,
            share: self.find_literal(cursor)?,
        })
    }
}
