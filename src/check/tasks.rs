//! The units of analysis: where they come from, their attributes, how many are expected.

use std::collections::BTreeMap;

use super::order;
use super::places::Part;
use super::record_expr::{RecordKind, RecordPlace};
use super::{Checker, Kind, units};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Derived, Name, TaskAttribute, TaskExpectation, TaskSource, Tasks, ValueType};
use crate::syntax::ast::{self, Expr, ExprKind, TypeName};

impl<'a> Checker<'a> {
    /// The `tasks` block.
    pub(super) fn tasks(&mut self) {
        let Some(tasks) = self.names.tasks else { return };
        let name = tasks.name.node.as_str();
        self.place(Kind::Tasks, name, Part::Name, tasks.name.span);
        if self.names.factors.contains_key(name) {
            self.report(
                Diagnostic::error(
                    Code::Duplicate,
                    tasks.name.span,
                    format!("`{name}` is a factor and the unit of analysis"),
                )
                .help("a unit that is listed in the spec is a factor already; take the factor out"),
            );
        }
        let source = self.task_source(tasks);
        let mut attributes = BTreeMap::new();
        for field in &tasks.fields {
            let word = field.field.name.node.clone();
            let kind = self.type_of(&field.field.kind, &word);
            if let Some(ValueType::Level(levels)) = &kind {
                self.own(&word, levels);
            }
            self.attributes.insert(word.clone(), kind.clone());
            if let Some(kind) = kind {
                let from = field.from.as_ref().map_or_else(|| word.clone(), |path| path.node.clone());
                attributes.insert(word, TaskAttribute { kind, optional: field.field.optional, from });
            }
        }
        let defines = self.defines(&tasks.defines);
        let place = RecordPlace::cells("an expectation about tasks");
        let mut expectations = Vec::new();
        for (count, filter) in &tasks.expects {
            let count = self.whole(count, "an expected count");
            let filter = filter.as_ref().map(|filter| self.task_condition(filter, &place));
            if let (Some(count), Some(filter)) = (count, filter.map_or(Some(None), |filter| filter.map(Some))) {
                expectations.push(TaskExpectation { count, filter });
            }
        }
        expectations.sort_by(|a, b| (&a.filter, a.count).cmp(&(&b.filter, b.count)));
        let select = tasks
            .select
            .as_ref()
            .and_then(|filter| self.task_condition(filter, &RecordPlace::cells("a selection of tasks")));
        let provenance = tasks.provenance.as_ref().map(|text| self.prose(text));
        if let Some(source) = source {
            let name = name.to_owned();
            self.spec.tasks = Some(Tasks { name, source, attributes, defines, expectations, select, provenance });
        }
    }

    /// A condition over a task: its attributes, never a factor of the design.
    fn task_condition(&mut self, expr: &'a Expr, place: &RecordPlace) -> Option<crate::spec::RecordExpr> {
        if let Some((factor, span)) = self.named_factor(expr) {
            self.report(
                Diagnostic::error(
                    Code::WrongKind,
                    span,
                    format!("`{factor}` is a factor of the design, not an attribute of a task"),
                )
                .help("a condition on tasks names their attributes"),
            );
            return None;
        }
        self.record_condition(expr, place)
    }

    fn named_factor(&self, expr: &Expr) -> Option<(Name, crate::source::Span)> {
        if let ExprKind::Name(name) = &*expr.kind
            && self.spec.factors.contains_key(name)
            && !self.is_unit(name)
            && !self.attributes.contains_key(name)
        {
            return Some((name.clone(), expr.span));
        }
        super::estimands::ast_children(expr).into_iter().find_map(|child| self.named_factor(child))
    }

    fn task_source(&mut self, tasks: &ast::Tasks) -> Option<TaskSource> {
        let given = [tasks.file.is_some(), tasks.count.is_some(), tasks.list.is_some()];
        match given.iter().filter(|one| **one).count() {
            1 => {}
            0 if ["file", "count", "list"].iter().any(|word| self.unread.contains(*word)) => {}
            0 => {
                self.report(
                    Diagnostic::error(
                        Code::MissingClause,
                        tasks.name.span,
                        format!("nothing says where the units `{}` come from", tasks.name.node),
                    )
                    .help("add `file \"…\"` with `key …`, or `count 240`, or `list a, b, c`"),
                );
                return None;
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::RepeatedClause,
                        tasks.name.span,
                        format!("the units `{}` come from two places", tasks.name.node),
                    )
                    .help("keep one of `file`, `count` and `list`"),
                );
                return None;
            }
        }
        if let Some(path) = &tasks.file {
            let file = self.input(path);
            let Some(key) = &tasks.key else {
                self.missing_clause(&tasks.name, "unit", "key", "the column or path that names a task");
                return None;
            };
            return Some(TaskSource::File { file: file?, key: key.node.clone() });
        }
        if !tasks.fields.is_empty() && !self.unread.contains("file") {
            let span = tasks.fields.first().map_or(tasks.name.span, |field| field.field.name.span);
            self.report(
                Diagnostic::error(Code::BadDesign, span, "units without a file have no attributes to read")
                    .help("put the attributes into a file, or take them out"),
            );
        }
        if let Some(count) = &tasks.count {
            return match self.whole(count, "the number of units")? {
                0 => {
                    self.report(Diagnostic::error(
                        Code::BadDesign,
                        count.number.span,
                        "a study of no units has no answer",
                    ));
                    None
                }
                count => Some(TaskSource::Count(count)),
            };
        }
        let levels = self.spec.factors.get(&tasks.name.node)?.levels.clone();
        Some(TaskSource::List(levels))
    }

    /// The type that is written for a field or attribute.
    pub(super) fn type_of(&mut self, kind: &TypeName, owner: &str) -> Option<ValueType> {
        match kind {
            TypeName::Named(word) => match word.node.as_str() {
                "bool" => Some(ValueType::Bool),
                "text" => Some(ValueType::Text),
                other => {
                    if let Some(kind) = units::type_named(other) {
                        Some(ValueType::Number(kind))
                    } else {
                        self.unknown_type(word);
                        None
                    }
                }
            },
            TypeName::Levels(levels) => self.levels(levels, owner).map(ValueType::Level),
        }
    }

    /// Attributes defined from others, each after what it names.
    fn defines(&mut self, defines: &'a [(ast::Name, Expr)]) -> BTreeMap<Name, Derived> {
        let by_name: BTreeMap<&str, &(ast::Name, Expr)> =
            defines.iter().map(|define| (define.0.node.as_str(), define)).collect();
        let needs = by_name.iter().map(|(name, define)| ((*name).to_owned(), names_in(&define.1))).collect();
        let sorted = order::order(&needs);
        for cycle in &sorted.cycles {
            let first = cycle.first().and_then(|name| by_name.get(name.as_str()));
            let span = first.map_or_else(Default::default, |define| define.0.span);
            self.report(Diagnostic::error(Code::Cycle, span, format!("these need each other: {}", order::path(cycle))));
        }
        for name in by_name.keys() {
            self.attributes.entry((*name).to_owned()).or_insert(None);
        }
        let mut checked = BTreeMap::new();
        for name in &sorted.sorted {
            let Some((_, expr)) = by_name.get(name.as_str()) else { continue };
            if let Some((factor, span)) = self.named_factor(expr) {
                self.report(Diagnostic::error(
                    Code::WrongKind,
                    span,
                    format!("`{factor}` is a factor of the design, not an attribute of a task"),
                ));
                continue;
            }
            let Some((expr, kind)) = self.record(expr, &RecordPlace::cells("an attribute of tasks")) else { continue };
            let kind = match kind {
                RecordKind::Bool => ValueType::Bool,
                RecordKind::Number(ty) => ValueType::Number(ty.number),
                RecordKind::Level(_, levels) => ValueType::Level(levels),
                RecordKind::Text => ValueType::Text,
                RecordKind::ModelAttribute(_) => continue,
            };
            if let ValueType::Level(levels) = &kind {
                self.own(name, levels);
            }
            self.attributes.insert(name.clone(), Some(kind.clone()));
            checked.insert(name.clone(), Derived { kind, expr });
        }
        checked
    }
}

/// Every name in an expression.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub(super) fn names_in(expr: &Expr) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![expr];
    while let Some(next) = waiting.pop() {
        if let ExprKind::Name(name) = &*next.kind {
            found.push(name.clone());
        }
        // What an expression is compared with may be a level that shares a name with a field.
        match &*next.kind {
            ExprKind::Compare(left, _, right)
                if matches!(&*right.kind, ExprKind::Name(_)) && matches!(&*left.kind, ExprKind::Name(_)) =>
            {
                waiting.push(left);
            }
            ExprKind::OneOf(subject, _) => waiting.push(subject),
            _ => waiting.extend(super::estimands::ast_children(next)),
        }
    }
    found
}
