//! Scaffolds and tools: roles, prompts, tools, flow, limits and fidelity checks.

use std::collections::{BTreeMap, BTreeSet};

use super::places::Part;
use super::spell::spell;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Dimension, FlowStep, InputFile, Name, ReplyField, Role, Scaffold, Tool};
use crate::syntax::ast::{self, Expr, ExprKind, Levels, Step, TypeName};

/// What can be read of a role in a check or an `until`.
const COUNTERS: [&str; 6] = ["calls", "replies", "tool_calls", "parsed", "rounds", "tokens"];

impl Checker<'_> {
    /// Tools with their schemas.
    pub(super) fn tools(&mut self) {
        for (name, tool) in self.names.tools.clone() {
            self.place(Kind::Tool, name, Part::Name, tool.name.span);
            let schema = tool.schema.as_ref().and_then(|path| self.input(path));
            let description = self.prose_or_empty(tool.description.as_ref());
            self.spec.tools.insert(name.to_owned(), Tool { schema, description });
        }
    }

    /// A file of the study, by a path inside its folder.
    pub(super) fn input(&mut self, path: &ast::Text) -> Option<InputFile> {
        self.relative_path(path).then(|| InputFile { path: path.node.clone(), digest: None })
    }

    /// Whether a path stays inside the study's folder.
    pub(super) fn relative_path(&mut self, path: &ast::Text) -> bool {
        let text = path.node.as_str();
        let why = if text.trim().is_empty() {
            "it is empty"
        } else if text.starts_with('/') || text.get(1..2) == Some(":") {
            "it is absolute"
        } else if text.contains('\\') {
            "it contains `\\`"
        } else if text.split('/').any(|part| part == "..") {
            "it leads out of the study's folder"
        } else if text.split('/').any(|part| part.is_empty() || part == ".") {
            "it has an empty step or a `.`"
        } else if text.chars().any(char::is_control) {
            "it contains a control character"
        } else {
            return true;
        };
        self.report(
            Diagnostic::error(Code::BadPath, path.span, format!("the path `{text}` is not allowed: {why}"))
                .help("write a path relative to the spec's folder, with `/`"),
        );
        false
    }

    fn tool_names(&mut self, names: &[ast::Name]) -> Vec<Name> {
        let declared = !self.names.tools.is_empty();
        let mut tools = BTreeSet::new();
        for name in names {
            if declared && !self.names.tools.contains_key(name.node.as_str()) {
                self.undefined(name, "a tool", &[Kind::Tool]);
                continue;
            }
            self.mark(Kind::Tool, &name.node);
            tools.insert(name.node.clone());
        }
        tools.into_iter().collect()
    }

    /// Scaffolds, each a level of the factor `scaffold`.
    pub(super) fn scaffolds(&mut self) {
        for (name, item) in self.names.scaffolds.clone() {
            self.place(Kind::Scaffold, name, Part::Name, item.name.span);
            let title = self.prose_or_empty(item.title.as_ref());
            let harness = item.harness.as_ref().map(|command| self.prose(command));
            let own_tools = self.tool_names(item.tools.as_deref().unwrap_or_default());
            let mut roles = BTreeMap::new();
            let mut tools: BTreeSet<Name> = own_tools.into_iter().collect();
            for role in &item.roles {
                let checked = self.role(role);
                tools.extend(checked.tools.iter().cloned());
                if roles.insert(role.name.node.clone(), checked).is_some() {
                    self.twice(&role.name, "role");
                }
            }
            let flow = self.steps(item.flow.as_deref().unwrap_or_default(), &roles, &tools);
            if harness.is_some() && (!roles.is_empty() || item.flow.is_some()) {
                self.report(
                    Diagnostic::error(
                        Code::BadDesign,
                        item.name.span,
                        format!("the scaffold `{name}` is a harness and has roles or a flow as well"),
                    )
                    .help("a harness is an external agent; take out its roles and flow, or the harness"),
                );
            }
            if !roles.is_empty() && item.flow.is_none() {
                self.missing_clause(&item.name, "scaffold", "flow", "which says in what order its roles run");
            }
            let mut limits: Vec<_> = item.limits.iter().filter_map(|limit| self.limit(limit)).collect();
            limits.sort();
            let mut checks = BTreeMap::new();
            for (check, condition) in &item.checks {
                self.role_expr(condition, &roles, &tools);
                if checks.insert(check.node.clone(), spell(condition)).is_some() {
                    self.twice(check, "check");
                }
            }
            let tools = tools.into_iter().collect();
            self.spec
                .scaffolds
                .insert(name.to_owned(), Scaffold { title, harness, tools, roles, flow, limits, checks });
        }
    }

    fn limit(&mut self, literal: &ast::Literal) -> Option<crate::spec::Quantity> {
        let (mut quantity, bare) = self.quantity(literal)?;
        if bare {
            quantity.dimension = Dimension::Count;
        }
        Some(quantity)
    }

    fn role(&mut self, role: &ast::Role) -> Role {
        self.mark_placeholder_name(&role.name);
        let prompt = role.prompt.as_ref().and_then(|path| self.input(path));
        let tools = self.tool_names(role.tools.as_deref().unwrap_or_default());
        let mut reply = BTreeMap::new();
        for field in &role.reply {
            let kind = match &field.kind {
                TypeName::Named(word) if ["bool", "text", "count", "number"].contains(&word.node.as_str()) => {
                    word.node.clone()
                }
                TypeName::Named(word) => {
                    self.report(
                        Diagnostic::error(Code::WrongKind, word.span, format!("a reply cannot hold `{}`", word.node))
                            .help("a field of a reply is `bool`, `text`, `count` or `number`"),
                    );
                    continue;
                }
                TypeName::Levels(Levels::Listed(levels)) => {
                    levels.iter().map(|level| level.node.as_str()).collect::<Vec<_>>().join(" | ")
                }
                TypeName::Levels(Levels::Range(low, high)) => format!("{} to {}", low.node, high.node),
            };
            let optional = field.optional;
            if reply.insert(field.name.node.clone(), ReplyField { kind, optional }).is_some() {
                self.twice(&field.name, "field");
            }
        }
        let fresh = role.context.as_ref().is_some_and(|word| word.node == "fresh");
        Role { prompt, tools, reply, fresh }
    }

    fn known_role(&mut self, name: &ast::Name, roles: &BTreeMap<Name, Role>) {
        if roles.contains_key(&name.node) {
            return;
        }
        let nearest = self.nearest(&name.node, roles.keys().map(String::as_str));
        let found = Diagnostic::error(Code::Undefined, name.span, format!("this scaffold has no role `{}`", name.node));
        self.report(match nearest {
            Some(near) => found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), name.span, near),
            None => found.help(format!("declare it: `role {} {{ … }}`", name.node)),
        });
    }

    fn steps(&mut self, steps: &[Step], roles: &BTreeMap<Name, Role>, tools: &BTreeSet<Name>) -> Vec<FlowStep> {
        steps.iter().filter_map(|step| self.step(step, roles, tools)).collect()
    }

    fn step(&mut self, step: &Step, roles: &BTreeMap<Name, Role>, tools: &BTreeSet<Name>) -> Option<FlowStep> {
        let until_text = |checker: &mut Self, until: &Option<Expr>| {
            until.as_ref().map(|condition| {
                checker.role_expr(condition, roles, tools);
                spell(condition)
            })
        };
        match step {
            Step::Run { role, until } => {
                self.known_role(role, roles);
                let until = until_text(self, until);
                Some(FlowStep::Run { role: role.node.clone(), until })
            }
            Step::Loop { at_most, until, body, span } => {
                let until = until_text(self, until);
                let body = self.steps(body, roles, tools);
                let Some(limit) = at_most else {
                    self.report(
                        Diagnostic::error(Code::MissingClause, *span, "a loop without a limit")
                            .note("a loop that never ends spends money without an answer")
                            .help("write `loop at most 6 rounds`"),
                    );
                    return None;
                };
                let at_most = self.whole(limit, "the limit of a loop")?;
                if at_most == 0 {
                    self.report(Diagnostic::error(
                        Code::BadDesign,
                        limit.number.span,
                        "a loop of no rounds never runs",
                    ));
                }
                Some(FlowStep::Loop { at_most, until, body })
            }
            Step::FanOut { at_least, body, merge } => {
                self.known_role(merge, roles);
                let body = self.steps(body, roles, tools);
                let at_least = match at_least {
                    Some(literal) => self.whole(literal, "the number of branches")?,
                    None => 1,
                };
                Some(FlowStep::FanOut { at_least, body, merge: merge.node.clone() })
            }
            Step::Candidates { count, body, select } => {
                self.known_role(select, roles);
                let body = self.steps(body, roles, tools);
                let count = self.whole(count, "the number of candidates")?;
                Some(FlowStep::Candidates { count, body, select: select.node.clone() })
            }
            Step::HandOver { role } => {
                self.known_role(role, roles);
                Some(FlowStep::HandOver { role: role.node.clone() })
            }
        }
    }

    /// A condition over roles: `rater.done`, `planner.replies >= 1`, `submit`.
    fn role_expr(&mut self, expr: &Expr, roles: &BTreeMap<Name, Role>, tools: &BTreeSet<Name>) {
        self.work += 1;
        match &*expr.kind {
            ExprKind::Path(role, field) => {
                let Some(known) = roles.get(&role.node) else {
                    self.known_role(role, roles);
                    return;
                };
                if !known.reply.contains_key(&field.node) && !COUNTERS.contains(&field.node.as_str()) {
                    let fields: Vec<String> =
                        known.reply.keys().cloned().chain(COUNTERS.iter().map(|word| (*word).to_owned())).collect();
                    let nearest = self.nearest(&field.node, fields.iter().map(String::as_str));
                    let found = Diagnostic::error(
                        Code::Undefined,
                        field.span,
                        format!("the role `{}` has no `{}`", role.node, field.node),
                    )
                    .help(format!("it has {}", super::names::list(&fields)));
                    self.report(match nearest {
                        Some(near) => found.fix(format!("write `{near}`"), field.span, near),
                        None => found,
                    });
                }
            }
            ExprKind::Name(tool) => {
                if !tools.contains(tool) {
                    self.report(
                        Diagnostic::error(
                            Code::Undefined,
                            expr.span,
                            format!("no role of this scaffold has a tool `{tool}`"),
                        )
                        .help(
                            "a step ends when a tool is called that its role has, or when a field of a reply says so",
                        ),
                    );
                }
            }
            ExprKind::Number(_) | ExprKind::Text(_) => {}
            ExprKind::Compare(..)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Not(_)
            | ExprKind::Arithmetic(..)
            | ExprKind::Negate(_) => {
                for child in super::estimands::ast_children(expr) {
                    self.role_expr(child, roles, tools);
                }
            }
            ExprKind::Call(_)
            | ExprKind::At(..)
            | ExprKind::Within(..)
            | ExprKind::OneOf(..)
            | ExprKind::Is { .. }
            | ExprKind::For(..)
            | ExprKind::EndsWith(..) => {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        expr.span,
                        "this does not belong in a condition over roles",
                    )
                    .help("write comparisons of roles' fields and counters, as in `planner.replies >= 1`"),
                );
            }
        }
    }
}
