//! `compare` and `ranking`.

use super::super::ast::{Compare, CompareLine, Ranking};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::Cursor;
use super::super::read::Reader;

impl Reader<'_> {
    pub(super) fn compare(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Compare> {
        let clauses = self.clauses(line.block.as_ref());
        let mut compare = Compare {
            name: self.find_name(head)?,
            lines: Vec::new(),
            within: Vec::new(),
            adjust: None,
            level: None,
            minimum: None,
            precedence: None,
            set: None,
            count: None,
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_on => compare.lines.extend(self.compare_line(cursor)),
                Rule::c_within => compare.within = self.names_below(&clause.node),
                Rule::c_adjust => compare.adjust = self.find_name(cursor),
                Rule::c_at_level => compare.level = self.find_literal(cursor),
                Rule::c_minimum => compare.minimum = self.find_literal(cursor),
                Rule::c_precedence => {
                    let word = cursor.find(&[Rule::k_difference, Rule::k_equivalence]);
                    compare.precedence = word.map(|word| self.name_of(word));
                }
                Rule::c_set => compare.set = self.find_name(cursor),
                Rule::c_count => compare.count = self.find_literal(cursor),
                _ => {}
            }
        }
        Some(compare)
    }

    fn compare_line(&mut self, cursor: &mut Cursor<'_>) -> Option<CompareLine> {
        let estimand = self.find_name(cursor)?;
        let with = self.names_in(cursor, Rule::with_many);
        let better = cursor.find(&[Rule::k_higher, Rule::k_lower]).map(|word| self.name_of(word))?;
        Some(CompareLine { estimand, with, better })
    }

    pub(super) fn ranking(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Ranking> {
        let clauses = self.clauses(line.block.as_ref());
        let mut ranking = Ranking {
            name: self.find_name(head)?,
            by: None,
            order: None,
            ranked: Vec::new(),
            fronts: Vec::new(),
            draws: None,
            set: None,
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_by => {
                    let name = self.find_name(cursor);
                    let which = cursor.find(&[Rule::k_largest, Rule::k_smallest]).map(|word| self.name_of(word));
                    ranking.by = name.map(|name| (name, which));
                }
                Rule::c_rank_order => {
                    let word = cursor.find(&[Rule::k_inclusion, Rule::k_count]);
                    ranking.order = word.map(|word| self.name_of(word));
                }
                Rule::c_rank => ranking.ranked = self.names_below(&clause.node),
                Rule::c_front => {
                    let name = self.find_name(cursor);
                    let better = cursor.find(&[Rule::k_higher, Rule::k_lower]).map(|word| self.name_of(word));
                    ranking.fronts.extend(name.zip(better));
                }
                Rule::c_draws => ranking.draws = self.find_name(cursor),
                Rule::c_set => ranking.set = self.find_name(cursor),
                _ => {}
            }
        }
        Some(ranking)
    }
}
