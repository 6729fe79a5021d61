//! Expressions over one record, or over one unit when every field is indexed. Owns their types; aggregates are elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::literals::Side;
use super::names::{FUNCTIONS, list};
use super::spell::quoted;
use super::units::{self, Ty};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{
    ArithmeticOp, Attribute, Dimension, LevelRef, Name, Quantity, RecordExpr, Relation, StateClass, ValueType,
};
use crate::syntax::ast::{self, Call, CompareOp, Expr, ExprKind};

/// What the number of a planned replicate is called in `exclude`, unless an attribute or factor has this name.
pub(super) const REPEAT: &str = "repeat";

/// Where a record expression stands, and what it may name there.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordPlace {
    /// Outcomes, flags and states may be named.
    pub fields: bool,
    /// Parameters of the measure, with the factor of each.
    pub parameters: BTreeMap<Name, Name>,
    /// Only these factors and attributes may be named: the ones that a scope or family runs over.
    pub only: Option<BTreeSet<Name>>,
    /// Whether logarithms and steps may be taken: inside aggregates and paired differences.
    pub transforms: bool,
    /// How many repeats are planned, where `repeat` may be named.
    pub repeats: Option<u64>,
    /// What the place is called.
    pub what: &'static str,
}

impl RecordPlace {
    /// A place over records.
    pub fn records(what: &'static str) -> Self {
        Self { fields: true, what, ..Self::default() }
    }

    /// A place over units or cells, before there are records.
    pub fn cells(what: &'static str) -> Self {
        Self { what, ..Self::default() }
    }
}

/// What a record expression is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecordKind {
    Bool,
    Number(Ty),
    /// One of these levels of this factor or attribute.
    Level(Name, Vec<Name>),
    Text,
    /// An attribute of models.
    ModelAttribute(Name),
}

/// A checked record expression; `None` when it was refused already.
pub(super) type Record = Option<(RecordExpr, RecordKind)>;

impl Checker<'_> {
    /// An expression that must be true or false.
    pub(super) fn record_condition(&mut self, expr: &Expr, place: &RecordPlace) -> Option<RecordExpr> {
        let (checked, kind) = self.record(expr, place)?;
        if kind == RecordKind::Bool {
            return Some(checked);
        }
        let found = Diagnostic::error(
            Code::TypeMismatch,
            expr.span,
            format!("{} needs a condition, and this is {}", place.what, shown(&kind)),
        );
        self.report(found.help("compare it with something, as in `level == 1`"));
        None
    }

    /// An expression that must be a number; true and false count as 1 and 0, so a condition is a proportion.
    pub(super) fn record_number(&mut self, expr: &Expr, place: &RecordPlace) -> Option<(RecordExpr, Ty)> {
        let (checked, kind) = self.record(expr, place)?;
        match kind {
            RecordKind::Bool => Some((
                checked,
                Ty { number: crate::spec::NumberType { integer: true, ..Ty::proportion().number }, bare: false },
            )),
            RecordKind::Number(ty) => Some((checked, ty)),
            RecordKind::Level(..) | RecordKind::Text | RecordKind::ModelAttribute(_) => {
                self.report(Diagnostic::error(
                    Code::TypeMismatch,
                    expr.span,
                    format!("a number belongs here, and this is {}", shown(&kind)),
                ));
                None
            }
        }
    }

    /// Any expression over one record.
    pub(super) fn record(&mut self, expr: &Expr, place: &RecordPlace) -> Record {
        self.work += 1;
        match &*expr.kind {
            ExprKind::Number(literal) => {
                let (quantity, bare) = self.quantity(literal)?;
                let ty = Ty::constant(&quantity, bare);
                Some((RecordExpr::Number(quantity), RecordKind::Number(ty)))
            }
            ExprKind::Text(text) => Some((RecordExpr::Text(text.clone()), RecordKind::Text)),
            ExprKind::Name(name) => self.record_name(name, expr.span, place),
            ExprKind::Call(call) => self.record_call(call, expr.span, place),
            ExprKind::At(inner, selectors) => {
                let inner_checked = self.record(inner, place);
                let cells = self.selectors(selectors, &place.parameters, &BTreeSet::new());
                let (inner, kind) = inner_checked?;
                let cells = cells?;
                for (factor, _) in &cells {
                    if self.attributes.contains_key(factor) {
                        self.report(
                            Diagnostic::error(
                                Code::WrongKind,
                                expr.span,
                                format!(
                                    "`{factor}` is an attribute of the unit, so the same unit has no other value of it"
                                ),
                            )
                            .help("only factors of the design can be indexed; restrict with `where` instead"),
                        );
                        return None;
                    }
                }
                Some((RecordExpr::At(Box::new(inner), cells), kind))
            }
            ExprKind::Not(inner) => {
                let inner = self.record_condition(inner, place)?;
                Some((RecordExpr::Not(Box::new(inner)), RecordKind::Bool))
            }
            ExprKind::And(parts) => Some((RecordExpr::And(self.record_parts(parts, place)?), RecordKind::Bool)),
            ExprKind::Or(parts) => Some((RecordExpr::Or(self.record_parts(parts, place)?), RecordKind::Bool)),
            ExprKind::Compare(left, op, right) => self.record_compare(left, *op, right, expr.span, place),
            ExprKind::Negate(inner) => {
                let (checked, ty) = self.record_number(inner, place)?;
                if let RecordExpr::Number(quantity) = checked {
                    let quantity = super::literals::negated(inner, quantity);
                    let ty = Ty::constant(&quantity, ty.bare);
                    return Some((RecordExpr::Number(quantity), RecordKind::Number(ty)));
                }
                let mut number = ty.number;
                number.bounds = units::negate(&number.bounds);
                Some((RecordExpr::Negate(Box::new(checked)), RecordKind::Number(Ty { number, bare: ty.bare })))
            }
            ExprKind::Arithmetic(left, op, right) => self.record_arithmetic(left, *op, right, expr.span, place),
            ExprKind::Within(subject, low, high) => {
                let parts = (
                    self.record_number(subject, place),
                    self.record_number(low, place),
                    self.record_number(high, place),
                );
                let ((value, ty), (low_checked, low_ty), (high_checked, high_ty)) = (parts.0?, parts.1?, parts.2?);
                let side = Side { span: subject.span, ty: &ty };
                let low = self.record_joined(
                    value.clone(),
                    low_checked,
                    side,
                    Side { span: low.span, ty: &low_ty },
                    expr.span,
                )?;
                let high =
                    self.record_joined(value, high_checked, side, Side { span: high.span, ty: &high_ty }, expr.span)?;
                let above = RecordExpr::Compare(Box::new(low.0), Relation::GreaterEqual, Box::new(low.1));
                let below = RecordExpr::Compare(Box::new(high.0), Relation::LessEqual, Box::new(high.1));
                Some((RecordExpr::And(vec![above, below]), RecordKind::Bool))
            }
            ExprKind::OneOf(subject, choices) => self.record_one_of(subject, choices, place),
            ExprKind::EndsWith(subject, endings) => {
                let (checked, kind) = self.record(subject, place)?;
                if kind != RecordKind::Text {
                    self.report(Diagnostic::error(
                        Code::TypeMismatch,
                        subject.span,
                        format!("`ends_with` needs a text, and this is {}", shown(&kind)),
                    ));
                    return None;
                }
                let mut endings: Vec<String> = endings.iter().map(|text| text.node.clone()).collect();
                endings.sort();
                endings.dedup();
                Some((RecordExpr::EndsWith(Box::new(checked), endings), RecordKind::Bool))
            }
            ExprKind::Path(..) | ExprKind::Is { .. } | ExprKind::For(..) => {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        expr.span,
                        format!("this does not belong in {}", place.what),
                    )
                    .help("an expression over one record names outcomes, flags, attributes and factors"),
                );
                None
            }
        }
    }

    fn record_parts(&mut self, parts: &[Expr], place: &RecordPlace) -> Option<Vec<RecordExpr>> {
        let checked: Vec<Option<RecordExpr>> = parts.iter().map(|part| self.record_condition(part, place)).collect();
        checked.into_iter().collect()
    }

    fn record_name(&mut self, name: &str, span: Span, place: &RecordPlace) -> Record {
        match name {
            "true" | "false" => return Some((RecordExpr::Bool(name == "true"), RecordKind::Bool)),
            "completed" | "errored" | "missing" if place.fields => {
                let class = state_class(name)?;
                return Some((RecordExpr::State(class), RecordKind::Bool));
            }
            _ => {}
        }
        if let Some(factor) = place.parameters.get(name) {
            return self.bare_parameter(name, factor.clone(), span);
        }
        if let Some(only) = &place.only {
            let attribute_of_model = only.contains("model") && self.model_attribute(name);
            if !only.contains(name) && !attribute_of_model && self.is_factor_like(name) {
                let known: Vec<&Name> = only.iter().collect();
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        span,
                        format!("`{name}` is not one of the factors that {} runs over", place.what),
                    )
                    .help(if known.is_empty() {
                        "the estimand has no `per`".to_owned()
                    } else {
                        format!("it runs over {}", list(&known))
                    }),
                );
                return None;
            }
        }
        if place.fields {
            if self.names.outcomes.contains_key(name) {
                self.mark(Kind::Field, name);
                let kind = self.spec.fields.get(name)?.kind.clone();
                return Some((RecordExpr::Field(name.to_owned()), record_kind(name, kind)));
            }
            if self.names.flags.contains_key(name) {
                self.mark(Kind::Field, name);
                return Some((RecordExpr::Flagged(name.to_owned()), RecordKind::Bool));
            }
        }
        if let Some(kind) = self.attributes.get(name).cloned() {
            self.mark(Kind::Field, name);
            return Some((RecordExpr::Field(name.to_owned()), record_kind(name, kind?)));
        }
        if let Some(factor) = self.spec.factors.get(name) {
            let kind = RecordKind::Level(name.to_owned(), factor.levels.clone());
            self.mark(Kind::Factor, name);
            return Some((RecordExpr::Factor(name.to_owned()), kind));
        }
        if self.model_attribute(name) {
            return Some((RecordExpr::Factor("model".into()), RecordKind::ModelAttribute(name.to_owned())));
        }
        if let Some(repeats) = place.repeats.filter(|_| name == REPEAT) {
            let bounds = crate::spec::Bounds {
                lower: Some(crate::math::Rational::from_integer(1.into())),
                upper: Some(crate::math::Rational::from_integer(repeats.into())),
            };
            return Some((
                RecordExpr::Field(REPEAT.into()),
                RecordKind::Number(Ty::new(Dimension::Count, bounds, true)),
            ));
        }
        if self.names.factors.contains_key(name) {
            return None; // refused where it is declared
        }
        if self.level_owners.contains_key(name) {
            self.report(
                Diagnostic::error(Code::WrongKind, span, format!("`{name}` is a level, not a condition"))
                    .help("compare its factor with it, as in `factor == level`"),
            );
            return None;
        }
        let kinds: &[Kind] = if place.fields { &[Kind::Field, Kind::Factor] } else { &[Kind::Factor] };
        let wanted = if place.fields { "an outcome, flag, attribute or factor" } else { "a factor or task attribute" };
        self.undefined_at(name, span, wanted, kinds);
        None
    }

    /// A parameter alone: the only outcome that is true or false, at that level.
    fn bare_parameter(&mut self, name: &str, factor: Name, span: Span) -> Record {
        let bools: Vec<Name> = self
            .spec
            .fields
            .iter()
            .filter(|(field, value)| value.kind == ValueType::Bool && self.names.outcomes.contains_key(field.as_str()))
            .map(|(field, _)| field.clone())
            .collect();
        if let [only] = bools.as_slice() {
            self.mark(Kind::Field, only);
            let cell = vec![(factor, LevelRef::Parameter(name.to_owned()))];
            return Some((RecordExpr::At(Box::new(RecordExpr::Field(only.clone())), cell), RecordKind::Bool));
        }
        self.report(
            Diagnostic::error(
                Code::NotAllowedHere,
                span,
                format!("the parameter `{name}` stands for a level, not for a value"),
            )
            .help(format!("index an outcome with it, as in `outcome[{factor}: {name}]`")),
        );
        None
    }

    fn record_call(&mut self, call: &Call, span: Span, place: &RecordPlace) -> Record {
        let name = call.function.node.as_str();
        if let (false, "flagged" | "present" | "abs" | "log" | "log_ratio" | "step") =
            (call.over.is_empty() && call.filter.is_none(), name)
        {
            self.report(Diagnostic::error(
                Code::NotAllowedHere,
                span,
                format!("`{name}` looks at one record and takes no `over` or `where`"),
            ));
            return None;
        }
        match (name, call.arguments.as_slice()) {
            ("flagged", [argument]) if place.fields => {
                let ExprKind::Name(flag) = &*argument.kind else {
                    self.report(Diagnostic::error(
                        Code::TypeMismatch,
                        argument.span,
                        "`flagged` takes the name of a flag",
                    ));
                    return None;
                };
                if !self.names.flags.contains_key(flag.as_str()) {
                    self.undefined_flag(flag, argument.span);
                    return None;
                }
                self.mark(Kind::Field, flag);
                Some((RecordExpr::Flagged(flag.clone()), RecordKind::Bool))
            }
            ("present", [argument]) => {
                let (checked, _) = self.record(argument, place)?;
                Some((RecordExpr::Present(Box::new(checked)), RecordKind::Bool))
            }
            ("abs", [argument]) => {
                let (checked, ty) = self.record_number(argument, place)?;
                let ty = absolute(&ty);
                Some((RecordExpr::Abs(Box::new(checked)), RecordKind::Number(ty)))
            }
            ("log", [argument]) if place.transforms => self.log(argument, place),
            ("log_ratio", [above, below]) if place.transforms => self.record_log_ratio(above, below, span, place),
            ("step", [argument]) if place.transforms => self.step_of(argument, span),
            _ if FUNCTIONS.contains(&name) || self.names.measures.contains_key(name) => {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        span,
                        format!("`{name}(…)` does not belong in {}", place.what),
                    )
                    .note(
                        "this place looks at one record or one cell at a time, and an aggregate needs a set of records",
                    ),
                );
                None
            }
            _ => {
                self.undefined(&call.function, "a function", &[]);
                None
            }
        }
    }

    fn undefined_flag(&mut self, flag: &str, span: Span) {
        let known: Vec<String> = self.names.flags.keys().map(|name| (*name).to_owned()).collect();
        let nearest = self.nearest(flag, known.iter().map(String::as_str));
        let mut found = Diagnostic::error(Code::Undefined, span, format!("no flag is called `{flag}`"));
        if let Some(near) = nearest {
            found = found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near);
        } else {
            found = found.help(format!("declare it: `flag {flag} \"what it marks\"`"));
        }
        self.report(found);
    }

    /// The type of a side, without a report when the side is a word that only the other side explains.
    fn record_compare(&mut self, left: &Expr, op: CompareOp, right: &Expr, whole: Span, place: &RecordPlace) -> Record {
        // `level == 1` and `scaffold == s2`: a level is explained by what it is compared with.
        if let Some(subject) = self.leveled(left, place) {
            return self.compare_level(left, subject, op, right, whole, place);
        }
        if self.leveled(right, place).is_some() && self.is_level_word(left) {
            return self.record_compare(right, mirrored(op), left, whole, place);
        }
        let (left_checked, right_checked) = (self.record(left, place), self.record(right, place));
        let ((left_expr, left_kind), (right_expr, right_kind)) = (left_checked?, right_checked?);
        let relation = relation(op);
        let equality = matches!(relation, Relation::Equal | Relation::NotEqual);
        match (&left_kind, &right_kind) {
            (RecordKind::Number(a), RecordKind::Number(b)) => {
                let (a_side, b_side) = (Side { span: left.span, ty: a }, Side { span: right.span, ty: b });
                let (left_expr, right_expr) = self.record_joined(left_expr, right_expr, a_side, b_side, whole)?;
                let measured = if a.value().is_some() { right } else { left };
                self.reachable(relation, a_side, b_side, &quoted(measured));
                Some((RecordExpr::Compare(Box::new(left_expr), relation, Box::new(right_expr)), RecordKind::Bool))
            }
            (RecordKind::Text, RecordKind::Text) | (RecordKind::Bool, RecordKind::Bool) if equality => {
                Some((RecordExpr::Compare(Box::new(left_expr), relation, Box::new(right_expr)), RecordKind::Bool))
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::TypeMismatch,
                        whole,
                        format!("{} is compared with {}", shown(&left_kind), shown(&right_kind)),
                    )
                    .also(left.span, shown(&left_kind))
                    .also(right.span, shown(&right_kind)),
                );
                None
            }
        }
    }

    /// What a side is when it has levels or is an attribute of models.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn leveled(&self, expr: &Expr, place: &RecordPlace) -> Option<RecordKind> {
        let name = match &*expr.kind {
            ExprKind::Name(name) => name,
            ExprKind::At(inner, _) => return self.leveled(inner, place),
            _ => return None,
        };
        if place.parameters.contains_key(name) {
            return None;
        }
        let field = self.spec.fields.get(name).filter(|_| place.fields).map(|field| field.kind.clone());
        if let Some(ValueType::Level(levels)) = field.or_else(|| self.attributes.get(name).cloned().flatten()) {
            return Some(RecordKind::Level(name.clone(), levels));
        }
        if let Some(factor) = self.spec.factors.get(name) {
            return Some(RecordKind::Level(name.clone(), factor.levels.clone()));
        }
        self.model_attribute(name).then(|| RecordKind::ModelAttribute(name.clone()))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn is_level_word(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Name(name) => self.level_owners.contains_key(name) || !self.is_factor_like(name),
            ExprKind::Number(_) | ExprKind::Text(_) => true,
            _ => false,
        }
    }

    fn compare_level(
        &mut self,
        left: &Expr,
        subject: RecordKind,
        op: CompareOp,
        right: &Expr,
        whole: Span,
        place: &RecordPlace,
    ) -> Record {
        let checked = self.record(left, place);
        let relation = relation(op);
        if let RecordKind::ModelAttribute(attribute) = subject {
            let (_, _) = checked?;
            return self.compare_model_attribute(&attribute, relation, right, whole);
        }
        let RecordKind::Level(owner, levels) = subject else { return None };
        if !matches!(relation, Relation::Equal | Relation::NotEqual) {
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    whole,
                    format!("levels of `{owner}` are compared with `==` or `!=` only"),
                )
                .help("name the levels: `is one of a, b`"),
            );
            return None;
        }
        let level = self.level_word(right);
        let Some(word) = level else {
            // Two fields with levels, such as an answer and a key.
            let other = self.record(right, place)?;
            let (left_expr, _) = checked?;
            if matches!(&other.1, RecordKind::Level(_, others) if *others == levels) {
                return Some((RecordExpr::Compare(Box::new(left_expr), relation, Box::new(other.0)), RecordKind::Bool));
            }
            self.report(Diagnostic::error(
                Code::TypeMismatch,
                right.span,
                format!("a level of `{owner}` belongs here, and this is {}", shown(&other.1)),
            ));
            return None;
        };
        let known = self.level(&owner, &word);
        let (left_expr, _) = checked?;
        known.then(|| {
            let level = RecordExpr::Level(word.node.clone());
            (RecordExpr::Compare(Box::new(left_expr), relation, Box::new(level)), RecordKind::Bool)
        })
    }

    /// A word or number that stands for a level.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn level_word(&self, expr: &Expr) -> Option<ast::Name> {
        match &*expr.kind {
            ExprKind::Name(name) if !self.spec.fields.contains_key(name) || self.level_owners.contains_key(name) => {
                Some(ast::Name::new(name.clone(), expr.span))
            }
            ExprKind::Text(text) => Some(ast::Name::new(text.clone(), expr.span)),
            ExprKind::Number(literal) if literal.unit.is_none() => {
                Some(ast::Name::new(literal.number.node.clone(), expr.span))
            }
            ExprKind::Negate(inner) => {
                let inner = self.level_word(inner)?;
                Some(ast::Name::new(format!("-{}", inner.node), expr.span))
            }
            _ => None,
        }
    }

    /// Whether a name is an attribute that some model has.
    pub(super) fn model_attribute(&self, name: &str) -> bool {
        self.spec.models.values().any(|model| model.attributes.contains_key(name))
    }

    /// A comparison with an attribute of models is decided now: it names the models for which it holds.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn compare_model_attribute(&mut self, attribute: &str, relation: Relation, right: &Expr, whole: Span) -> Record {
        let wanted = match &*right.kind {
            ExprKind::Name(word) | ExprKind::Text(word) => Attribute::Word(word.clone()),
            ExprKind::Number(literal) => Attribute::Number(self.quantity(literal)?.0),
            _ => {
                self.report(Diagnostic::error(Code::NotAllowedHere, right.span, "a word or a number belongs here"));
                return None;
            }
        };
        let mut models = Vec::new();
        let mut comparable = false;
        for (name, model) in &self.spec.models {
            let holds = match (model.attributes.get(attribute), &wanted) {
                (Some(Attribute::Number(own)), Attribute::Number(other)) => {
                    comparable = true;
                    ordered(own, relation, other)
                }
                (Some(own @ (Attribute::Word(_) | Attribute::Text(_))), Attribute::Word(word)) => {
                    comparable |= own.group() == *word;
                    match relation {
                        Relation::Equal => own.group() == *word,
                        Relation::NotEqual => own.group() != *word,
                        Relation::Less | Relation::LessEqual | Relation::GreaterEqual | Relation::Greater => {
                            comparable = false;
                            false
                        }
                    }
                }
                _ => false,
            };
            if holds {
                models.push(name.clone());
            }
        }
        if !comparable {
            let groups: BTreeSet<String> = self
                .spec
                .models
                .values()
                .filter_map(|model| model.attributes.get(attribute))
                .map(Attribute::group)
                .collect();
            let groups: Vec<String> = groups.into_iter().collect();
            self.report(
                Diagnostic::error(
                    Code::UnknownLevel,
                    whole,
                    format!("no model's `{attribute}` can be compared with this"),
                )
                .help(format!("its values are {}", list(&groups))),
            );
            return None;
        }
        self.mark(Kind::Factor, "model");
        Some((RecordExpr::OneOf(Box::new(RecordExpr::Factor("model".into())), models), RecordKind::Bool))
    }

    fn record_one_of(&mut self, subject: &Expr, choices: &[Expr], place: &RecordPlace) -> Record {
        let leveled = self.leveled(subject, place);
        let (checked, kind) = self.record(subject, place)?;
        let Some(RecordKind::Level(owner, _)) = leveled else {
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    subject.span,
                    format!("`is one of` needs levels, and this is {}", shown(&kind)),
                )
                .help("join comparisons with `or` instead"),
            );
            return None;
        };
        let mut levels = Vec::new();
        let mut failed = false;
        for choice in choices {
            match self.level_word(choice) {
                Some(word) if self.level(&owner, &word) => levels.push(word.node),
                Some(_) => failed = true,
                None => {
                    failed = true;
                    self.report(Diagnostic::error(
                        Code::TypeMismatch,
                        choice.span,
                        format!("a level of `{owner}` belongs here"),
                    ));
                }
            }
        }
        levels.sort();
        levels.dedup();
        (!failed).then(|| (RecordExpr::OneOf(Box::new(checked), levels), RecordKind::Bool))
    }

    fn record_arithmetic(
        &mut self,
        left: &Expr,
        op: ast::ArithmeticOp,
        right: &Expr,
        whole: Span,
        place: &RecordPlace,
    ) -> Record {
        let (a, b) = (self.record_number(left, place), self.record_number(right, place));
        let ((mut a_expr, a_ty), (mut b_expr, b_ty)) = (a?, b?);
        let op = operator(op);
        match units::arithmetic(op, &a_ty, &b_ty) {
            Ok(joined) => {
                retag(&mut a_expr, joined.left.as_ref());
                retag(&mut b_expr, joined.right.as_ref());
                Some((RecordExpr::Arithmetic(Box::new(a_expr), op, Box::new(b_expr)), RecordKind::Number(joined.ty)))
            }
            Err(mix) => {
                let sides = (Side { span: left.span, ty: &a_ty }, Side { span: right.span, ty: &b_ty });
                self.mixed(&mix, verb(op), sides.0, sides.1, whole);
                None
            }
        }
    }

    fn record_joined(
        &mut self,
        mut left: RecordExpr,
        mut right: RecordExpr,
        a: Side<'_>,
        b: Side<'_>,
        whole: Span,
    ) -> Option<(RecordExpr, RecordExpr)> {
        match units::unify(a.ty, b.ty) {
            Ok(joined) => {
                retag(&mut left, joined.left.as_ref());
                retag(&mut right, joined.right.as_ref());
                Some((left, right))
            }
            Err(mix) => {
                self.mixed(&mix, "compared with", a, b, whole);
                None
            }
        }
    }
}

/// Gives bare constants the unit they took on.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn retag(expr: &mut RecordExpr, dimension: Option<&Dimension>) {
    let Some(dimension) = dimension else { return };
    match expr {
        RecordExpr::Number(quantity) => quantity.dimension = dimension.clone(),
        RecordExpr::Negate(inner) | RecordExpr::Abs(inner) => retag(inner, Some(dimension)),
        RecordExpr::Arithmetic(left, ArithmeticOp::Add | ArithmeticOp::Subtract, right) => {
            retag(left, Some(dimension));
            retag(right, Some(dimension));
        }
        _ => {}
    }
}

fn record_kind(name: &str, kind: ValueType) -> RecordKind {
    match kind {
        ValueType::Bool => RecordKind::Bool,
        ValueType::Number(number) => RecordKind::Number(Ty { number, bare: false }),
        ValueType::Level(levels) => RecordKind::Level(name.to_owned(), levels),
        ValueType::Text => RecordKind::Text,
    }
}

/// The class of states that a word names.
pub(super) fn state_class(word: &str) -> Option<StateClass> {
    match word {
        "completed" => Some(StateClass::Completed),
        "errored" => Some(StateClass::Errored),
        "missing" => Some(StateClass::Missing),
        _ => None,
    }
}

/// What a record expression is called in messages.
pub(super) fn shown(kind: &RecordKind) -> String {
    match kind {
        RecordKind::Bool => "a condition".into(),
        RecordKind::Number(ty) => units::describe(ty.dimension()),
        RecordKind::Level(owner, _) => format!("a level of `{owner}`"),
        RecordKind::Text => "a text".into(),
        RecordKind::ModelAttribute(name) => format!("the models' `{name}`"),
    }
}

/// The type of an absolute value.
pub(super) fn absolute(ty: &Ty) -> Ty {
    let mut number = ty.number.clone();
    let mirrored = units::negate(&number.bounds);
    let both = units::union(&number.bounds, &mirrored);
    let zero = crate::math::Rational::from_integer(0.into());
    let low = number.bounds.lower.clone().max(mirrored.lower.clone()).unwrap_or_else(|| zero.clone()).max(zero);
    number.bounds = crate::spec::Bounds { lower: Some(low), upper: both.upper };
    Ty { number, bare: ty.bare }
}

fn ordered(left: &Quantity, relation: Relation, right: &Quantity) -> bool {
    let ordering = left.value.cmp(&right.value);
    match relation {
        Relation::Less => ordering.is_lt(),
        Relation::LessEqual => ordering.is_le(),
        Relation::Equal => ordering.is_eq(),
        Relation::NotEqual => ordering.is_ne(),
        Relation::GreaterEqual => ordering.is_ge(),
        Relation::Greater => ordering.is_gt(),
    }
}

/// The relation as the study keeps it.
pub(super) fn relation(op: CompareOp) -> Relation {
    match op {
        CompareOp::Less => Relation::Less,
        CompareOp::LessEqual => Relation::LessEqual,
        CompareOp::Equal => Relation::Equal,
        CompareOp::NotEqual => Relation::NotEqual,
        CompareOp::GreaterEqual => Relation::GreaterEqual,
        CompareOp::Greater => Relation::Greater,
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessEqual => CompareOp::GreaterEqual,
        CompareOp::GreaterEqual => CompareOp::LessEqual,
        CompareOp::Greater => CompareOp::Less,
        same @ (CompareOp::Equal | CompareOp::NotEqual) => same,
    }
}

/// The operator as the study keeps it.
pub(super) fn operator(op: ast::ArithmeticOp) -> ArithmeticOp {
    match op {
        ast::ArithmeticOp::Add => ArithmeticOp::Add,
        ast::ArithmeticOp::Subtract => ArithmeticOp::Subtract,
        ast::ArithmeticOp::Multiply => ArithmeticOp::Multiply,
        ast::ArithmeticOp::Divide => ArithmeticOp::Divide,
    }
}

/// How a message words an operation.
pub(super) fn verb(op: ArithmeticOp) -> &'static str {
    match op {
        ArithmeticOp::Add => "added to",
        ArithmeticOp::Subtract => "joined by `-` with",
        ArithmeticOp::Multiply => "multiplied by",
        ArithmeticOp::Divide => "divided by",
    }
}
