//! `tasks`, `design`, `outcome`, `flag`, `analysis_set`.

use super::super::ast::{AnalysisSet, Design, Expr, Flag, Order, Outcome, SetClause, Source, TaskField, Tasks};
use super::super::grammar::Rule;
use super::super::layout::Line;
use super::super::node::{Cursor, Node};
use super::super::read::Reader;
use crate::source::Spanned;

impl Reader<'_> {
    pub(super) fn tasks(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<Tasks> {
        let clauses = self.clauses(line.block.as_ref());
        let mut tasks = Tasks {
            name: self.find_name(head)?,
            file: None,
            key: None,
            count: None,
            list: None,
            fields: Vec::new(),
            defines: Vec::new(),
            expects: Vec::new(),
            select: None,
            provenance: None,
        };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_file => tasks.file = self.find_text(cursor),
                Rule::c_key => tasks.key = self.find_path(cursor),
                Rule::c_count => tasks.count = self.find_literal(cursor),
                Rule::c_list => tasks.list = cursor.find(&[Rule::comma_levels]).and_then(|node| self.levels_of(node)),
                Rule::c_field => tasks.fields.extend(self.task_field(cursor)),
                Rule::c_define => {
                    let name = self.find_name(cursor);
                    self.assigned(cursor);
                    let meaning = self.find_expr(cursor);
                    tasks.defines.extend(name.zip(meaning));
                }
                Rule::c_expect => {
                    let count = self.find_literal(cursor);
                    if let (Some(count), Ok(filter)) = (count, self.expr_in(cursor, Rule::where_tail)) {
                        tasks.expects.push((count, filter));
                    }
                }
                Rule::c_select => tasks.select = self.find_where(cursor),
                Rule::c_provenance => tasks.provenance = self.find_text(cursor),
                _ => {}
            }
        }
        Some(tasks)
    }

    fn find_where(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        cursor.find(&[Rule::where_tail]).and_then(|node| self.find_expr(&mut Cursor::new(node)))
    }

    fn task_field(&mut self, cursor: &mut Cursor<'_>) -> Option<TaskField> {
        let field = self.typed_name(cursor)?;
        let from = cursor.eat(Rule::from_part).and_then(|part| self.find_path(&mut Cursor::new(part)));
        Some(TaskField { field, from })
    }

    pub(super) fn design(&mut self, line: &Line) -> Design {
        let clauses = self.clauses(line.block.as_ref());
        let mut design = Design { span: self.line_span(line), ..Design::default() };
        for clause in clauses {
            let cursor = &mut Cursor::new(&clause.node);
            match clause.node.rule {
                Rule::c_cross => design.cross = self.names_below(&clause.node),
                Rule::c_nest => {
                    for nesting in clause.node.parts.iter().filter(|part| part.rule == Rule::nesting) {
                        let mut names = self.names_below(nesting).into_iter();
                        design.nest.extend(names.next().zip(names.next()));
                    }
                }
                Rule::c_repeat => design.repeat = self.find_literal(cursor),
                Rule::c_hold => design.hold.extend(self.noted(cursor)),
                Rule::c_exclude => {
                    let excluded = self.find_expr(cursor);
                    if let (Some(excluded), Ok(filter)) = (excluded, self.expr_in(cursor, Rule::where_tail)) {
                        design.exclude.push((excluded, filter));
                    }
                }
                Rule::c_order => design.order = self.order(cursor),
                Rule::c_minimum => {
                    design.minimum =
                        self.find_literal(cursor).map(|count| (count, self.names_in(cursor, Rule::per_names)));
                }
                Rule::c_cap => {
                    for cap in clause.node.parts.iter().filter(|part| part.rule == Rule::cap) {
                        let mut cursor = Cursor::new(cap);
                        let amount = self.find_literal(&mut cursor);
                        design.caps.extend(amount.zip(self.find_name(&mut cursor)));
                    }
                }
                Rule::c_collapse => {
                    let outcome = self.find_name(cursor);
                    design.collapse.extend(outcome.zip(self.find_name(cursor)));
                }
                _ => {}
            }
        }
        design
    }

    fn order(&mut self, cursor: &mut Cursor<'_>) -> Option<Order> {
        let kind = cursor.find(&[Rule::k_shuffled, Rule::k_listed]).map(|word| self.name_of(word))?;
        let within = self.name_in(cursor, Rule::within_part);
        let seed = self.literal_in(cursor, Rule::seed_part);
        Some(Order { kind, within, seed })
    }

    pub(super) fn outcome(&mut self, cursor: &mut Cursor<'_>) -> Option<Outcome> {
        let field = self.typed_name(cursor)?;
        let bounds = self.bounds(cursor).ok()?;
        let source = cursor.eat(Rule::source).and_then(|node| self.source_of(node));
        let censored_by = self.name_in(cursor, Rule::censored);
        let derived = match cursor.eat(Rule::derived) {
            Some(node) => {
                let mut inner = Cursor::new(node);
                self.assigned(&mut inner);
                Some(self.find_expr(&mut inner)?)
            }
            None => None,
        };
        Some(Outcome { field, bounds, source, derived, censored_by })
    }

    /// `in [low, high]`, if it comes next.
    pub(super) fn bounds(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<(Expr, Expr)>, ()> {
        match cursor.eat(Rule::bounds) {
            None => Ok(None),
            Some(node) => self.range_below(node).map(Some).ok_or(()),
        }
    }

    fn source_of(&mut self, node: &Node) -> Option<Source> {
        let mut cursor = Cursor::new(node);
        let kind = self.find_name(&mut cursor)?;
        let name = self.name_in(&mut cursor, Rule::source_name);
        let version = cursor.eat(Rule::version_part).and_then(|part| self.find_text(&mut Cursor::new(part)));
        Some(Source { kind, name, version })
    }

    pub(super) fn flag(&mut self, cursor: &mut Cursor<'_>) -> Option<Flag> {
        Some(Flag { name: self.find_name(cursor)?, text: self.maybe_text(cursor) })
    }

    pub(super) fn analysis_set(&mut self, head: &mut Cursor<'_>, line: &Line) -> Option<AnalysisSet> {
        let clauses = self.clauses(line.block.as_ref());
        let name = self.find_name(head)?;
        let mut result = Vec::new();
        for clause in clauses {
            let lowered = self.set_clause(&clause.node);
            result.extend(lowered.map(|lowered| Spanned::new(lowered, clause.node.span)));
        }
        Some(AnalysisSet { name, clauses: result })
    }

    fn set_clause(&mut self, node: &Node) -> Option<SetClause> {
        let cursor = &mut Cursor::new(node);
        Some(match node.rule {
            Rule::c_drop => SetClause::Drop(self.find_expr(cursor)?),
            Rule::c_keep => {
                let unit = self.find_name(cursor)?;
                let every = cursor.find(&[Rule::names]).map(|names| self.names_below(names))?;
                let count = self.find_number(cursor)?;
                SetClause::Keep { unit, every, count, state: self.find_name(cursor)? }
            }
            Rule::c_count_as => {
                let states = cursor.find(&[Rule::names]).map(|names| self.names_below(names))?;
                let value = self.attribute(cursor)?;
                let mut fills = Vec::new();
                while let Some(fill) = cursor.find(&[Rule::fill]) {
                    let fill = &mut Cursor::new(fill);
                    fills.push((self.find_name(fill)?, self.attribute(fill)?));
                }
                SetClause::CountAs { states, value, fills }
            }
            Rule::c_pool => {
                SetClause::Pool(cursor.find(&[Rule::k_planned, Rule::k_present]).map(|word| self.name_of(word))?)
            }
            _ => return None,
        })
    }
}
