//! Factors, attributes and their levels: which factor a level belongs to, which members a `per` has, and conditions on
//! members decided before there are data.

use std::collections::{BTreeMap, BTreeSet};

use super::names::list;
use super::record_expr::REPEAT;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::source::Span;
use crate::spec::{Dimension, LevelRef, Name, Per, Quantity, RecordExpr, Relation, ValueType};
use crate::syntax::ast::{self, Selector};

/// A member of a `per`: the level (or pair of levels) of each factor.
pub(super) type Member = BTreeMap<Name, Vec<Name>>;

/// The key under which a member holds the number of a replicate; no factor or attribute can be called so.
pub(super) const REPLICATE: &str = "#repeat";

/// Whose level a word is.
enum Owner {
    Nobody,
    Only(Name),
    /// It was refused as ambiguous.
    Refused,
}

/// Members are listed only up to this number; beyond it no count is checked by listing.
const MAX_MEMBERS: usize = 200_000;

/// The word for the rung after a member's own.
const NEXT: &str = "next";

impl Checker<'_> {
    /// The levels of a factor or of a task attribute with finite levels.
    pub(super) fn levels_of(&self, name: &str) -> Option<Vec<Name>> {
        if let Some(factor) = self.spec.factors.get(name) {
            return Some(factor.levels.clone());
        }
        match self.attributes.get(name)?.as_ref()? {
            ValueType::Level(levels) => Some(levels.clone()),
            ValueType::Bool => Some(vec!["false".into(), "true".into()]),
            ValueType::Number(_) | ValueType::Text => None,
        }
    }

    /// Whether a name is a factor, an attribute or the unit, without saying so.
    pub(super) fn is_factor_like(&self, name: &str) -> bool {
        self.spec.factors.contains_key(name) || self.attributes.contains_key(name) || self.is_unit(name)
    }

    /// Whether a name is what a unit is called.
    pub(super) fn is_unit(&self, name: &str) -> bool {
        self.names.tasks.is_some_and(|tasks| tasks.name.node == name)
    }

    /// Checks that a name is a factor or an attribute with finite levels.
    pub(super) fn factor_like(&mut self, name: &ast::Name) -> bool {
        if self.levels_of(&name.node).is_some() {
            self.mark(Kind::Factor, &name.node);
            self.mark(Kind::Field, &name.node);
            return true;
        }
        if self.attributes.contains_key(&name.node) || self.is_unit(&name.node) {
            if self.attributes.get(&name.node) != Some(&None) {
                self.report(
                    Diagnostic::error(Code::WrongKind, name.span, format!("`{}` has no list of levels", name.node))
                        .help("only factors and attributes with listed levels make members; declare the levels, as in `field level: 1 | 2`"),
                );
            }
        } else if !self.broken_factor(&name.node) {
            self.undefined(name, "a factor or task attribute", &[Kind::Factor]);
        }
        false
    }

    /// Whether a factor of this name was declared and refused already.
    fn broken_factor(&self, name: &str) -> bool {
        self.names.factors.contains_key(name)
    }

    /// Checks one level of a known factor.
    pub(super) fn level(&mut self, factor: &str, level: &ast::Name) -> bool {
        let Some(levels) = self.levels_of(factor) else { return false };
        if levels.contains(&level.node) {
            return true;
        }
        let nearest = self.nearest(&level.node, levels.iter().map(String::as_str));
        let mut found =
            Diagnostic::error(Code::UnknownLevel, level.span, format!("`{}` is not a level of `{factor}`", level.node));
        if let Some(near) = nearest {
            found = found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), level.span, near);
        } else if levels.len() <= 12 {
            found = found.help(format!("its levels are {}", list(&levels)));
        }
        self.report(found);
        false
    }

    /// The factor and level of each selector; `parameters` are those of the measure, with the factor of each.
    pub(super) fn selectors(
        &mut self,
        selectors: &[Selector],
        parameters: &BTreeMap<Name, Name>,
        pairs: &BTreeSet<Name>,
    ) -> Option<Vec<(Name, LevelRef)>> {
        let mut resolved: Vec<(Name, LevelRef)> = Vec::new();
        let mut failed = false;
        for selector in selectors {
            match self.selector(selector, parameters) {
                Some((factor, level)) => {
                    let before = resolved.iter().filter(|(other, _)| *other == factor).count();
                    if before >= if pairs.contains(&factor) { 2 } else { 1 } {
                        self.report(
                            Diagnostic::error(
                                Code::Duplicate,
                                selector.level.span,
                                format!("two levels of `{factor}` are named"),
                            )
                            .help("a cell has one level of each factor"),
                        );
                        failed = true;
                    }
                    resolved.push((factor, level));
                }
                None => failed = true,
            }
        }
        // Pins commute, so they are kept in the order of the factors; the two of a pair keep theirs.
        resolved.sort_by(|a, b| a.0.cmp(&b.0));
        (!failed).then_some(resolved)
    }

    fn selector(&mut self, selector: &Selector, parameters: &BTreeMap<Name, Name>) -> Option<(Name, LevelRef)> {
        let level = &selector.level;
        if let Some(factor) = &selector.factor {
            if !self.factor_like(factor) {
                return None;
            }
            if let Some(own) = parameters.get(&level.node) {
                if *own == factor.node {
                    return Some((factor.node.clone(), LevelRef::Parameter(level.node.clone())));
                }
                self.report(Diagnostic::error(
                    Code::WrongKind,
                    level.span,
                    format!("the parameter `{}` stands for a level of `{own}`, not of `{}`", level.node, factor.node),
                ));
                return None;
            }
            if level.node == NEXT && !self.levels_of(&factor.node).is_some_and(|levels| levels.contains(&level.node)) {
                return self.next_rung(factor, level);
            }
            if self.levels_of(&factor.node).is_some_and(|levels| levels.contains(&level.node)) {
                return Some((factor.node.clone(), LevelRef::Level(level.node.clone())));
            }
            if let Some(pick) = self.names.picks.get(level.node.as_str()) {
                if pick.factor.node == factor.node {
                    self.mark(Kind::Pick, &level.node);
                    return Some((factor.node.clone(), LevelRef::Picked(level.node.clone())));
                }
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        level.span,
                        format!("`{}` picks a level of `{}`, not of `{}`", level.node, pick.factor.node, factor.node),
                    )
                    .also(pick.name.span, "picked here"),
                );
                return None;
            }
            self.level(&factor.node, level);
            return None;
        }
        if let Some(own) = parameters.get(&level.node) {
            return Some((own.clone(), LevelRef::Parameter(level.node.clone())));
        }
        match self.owner(level.span, &level.node) {
            Owner::Refused => return None,
            Owner::Nobody => {}
            Owner::Only(factor) => {
                self.mark(Kind::Factor, &factor);
                self.mark(Kind::Field, &factor);
                return Some((factor, LevelRef::Level(level.node.clone())));
            }
        }
        if let Some(factor) = self.names.picks.get(level.node.as_str()).map(|pick| pick.factor.node.clone()) {
            self.mark(Kind::Pick, &level.node);
            return Some((factor, LevelRef::Picked(level.node.clone())));
        }
        let known: Vec<String> = self.level_owners.keys().cloned().collect();
        let nearest = self.nearest(&level.node, known.iter().map(String::as_str));
        let mut found =
            Diagnostic::error(Code::UnknownLevel, level.span, format!("no factor has a level `{}`", level.node));
        if let Some(near) = nearest {
            found = found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), level.span, near);
        }
        self.report(found);
        None
    }

    /// `[model: next]`: the rung after the member's own.
    fn next_rung(&mut self, factor: &ast::Name, level: &ast::Name) -> Option<(Name, LevelRef)> {
        if self.spec.ladder(&factor.node).is_none() {
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    level.span,
                    format!("the levels of `{}` form no ladder, so none comes next", factor.node),
                )
                .help("declare the factor `ordered`; models stand in the order of their `tier`, a number that each has and no two share"),
            );
            return None;
        }
        if !self.next_allowed.contains(&factor.node) {
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    level.span,
                    format!(
                        "`next` follows the level of a member, and nothing here has one level of `{}`",
                        factor.node
                    ),
                )
                .help(format!("name it in an estimand that is computed `per {}`", factor.node)),
            );
            return None;
        }
        self.mark(Kind::Factor, &factor.node);
        self.next_used.insert(factor.node.clone());
        Some((factor.node.clone(), LevelRef::Next))
    }

    /// The only factor with this level.
    fn owner(&mut self, span: Span, level: &str) -> Owner {
        let owners: Vec<Name> = self.level_owners.get(level).into_iter().flatten().cloned().collect();
        let numeric = level.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        match owners.as_slice() {
            [] => Owner::Nobody,
            [only] if !numeric => Owner::Only(only.clone()),
            [only] => {
                self.report(
                    Diagnostic::error(
                        Code::AmbiguousLevel,
                        span,
                        format!("the numeric level `{level}` needs its factor"),
                    )
                    .help(format!("write `[{only}: {level}]`"))
                    .fix("name the factor", span, format!("{only}: {level}")),
                );
                Owner::Refused
            }
            [first, ..] => {
                self.report(
                    Diagnostic::error(Code::AmbiguousLevel, span, format!("`{level}` is a level of {}", list(&owners)))
                        .help(format!("say which factor is meant, as in `[{first}: {level}]`")),
                );
                Owner::Refused
            }
        }
    }

    /// The factor that a level given as an argument belongs to.
    pub(super) fn argument_level(&mut self, name: &str, span: Span, factor: &str) -> Option<LevelRef> {
        let level = ast::Name::new(name.to_owned(), span);
        if self.levels_of(factor)?.contains(&level.node) {
            return Some(LevelRef::Level(level.node));
        }
        if let Some(pick) = self.names.picks.get(name).filter(|pick| pick.factor.node == factor) {
            let picked = pick.name.node.clone();
            self.mark(Kind::Pick, &picked);
            return Some(LevelRef::Picked(picked));
        }
        self.level(factor, &level);
        None
    }

    /// Every member of a `per`, less the levels left out and the cells that are never run; `None` beyond the limit or
    /// when a factor has no levels.
    pub(super) fn members(&self, per: &[Per]) -> Option<Vec<Member>> {
        let all = self.combinations(per)?;
        let Some(design) = &self.spec.design else { return Some(all) };
        Some(
            all.into_iter()
                .filter(|member| !design.exclude.iter().any(|cells| decided(&cells.condition, member) == Some(true)))
                .collect(),
        )
    }

    /// Every member of a `per`, planned or not.
    pub(super) fn combinations(&self, per: &[Per]) -> Option<Vec<Member>> {
        let mut members: Vec<Member> = vec![Member::new()];
        for one in per {
            let levels: Vec<Name> =
                self.levels_of(&one.factor)?.into_iter().filter(|level| !one.except.contains(level)).collect();
            let choices: Vec<Vec<Name>> = if one.pair {
                let pairs = levels.iter().enumerate().flat_map(|(at, first)| {
                    levels.iter().skip(at + 1).map(move |second| vec![first.clone(), second.clone()])
                });
                pairs.collect()
            } else {
                levels.into_iter().map(|level| vec![level]).collect()
            };
            if members.len().saturating_mul(choices.len()) > MAX_MEMBERS {
                return None;
            }
            members = members
                .iter()
                .flat_map(|member| {
                    choices.iter().map(|choice| {
                        let mut longer = member.clone();
                        longer.insert(one.factor.clone(), choice.clone());
                        longer
                    })
                })
                .collect();
        }
        Some(members)
    }
}

/// Whether a condition holds of a member whatever the data say; `None` when the data decide.
pub(super) fn decided(condition: &RecordExpr, member: &Member) -> Option<bool> {
    match condition {
        RecordExpr::Bool(value) => Some(*value),
        RecordExpr::Not(inner) => decided(inner, member).map(|value| !value),
        RecordExpr::And(parts) => {
            let parts: Vec<Option<bool>> = parts.iter().map(|part| decided(part, member)).collect();
            if parts.contains(&Some(false)) {
                Some(false)
            } else {
                parts.into_iter().all(|part| part.is_some()).then_some(true)
            }
        }
        RecordExpr::Or(parts) => {
            let parts: Vec<Option<bool>> = parts.iter().map(|part| decided(part, member)).collect();
            if parts.contains(&Some(true)) {
                Some(true)
            } else {
                parts.into_iter().all(|part| part.is_some()).then_some(false)
            }
        }
        RecordExpr::Compare(left, relation, right) => {
            let (left, right) = (operand(left, member)?, operand(right, member)?);
            compare(&left, *relation, &right)
        }
        RecordExpr::OneOf(subject, levels) => match operand(subject, member)? {
            Operand::Level(level) => Some(levels.contains(&level)),
            Operand::Number(_) => None,
        },
        RecordExpr::Field(name) => match member.get(name).map(Vec::as_slice) {
            Some([level]) if level == "true" => Some(true),
            Some([level]) if level == "false" => Some(false),
            _ => None,
        },
        RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Factor(_)
        | RecordExpr::At(..)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_)
        | RecordExpr::Present(_)
        | RecordExpr::EndsWith(..)
        | RecordExpr::Arithmetic(..)
        | RecordExpr::Negate(_)
        | RecordExpr::Abs(_)
        | RecordExpr::Log(_)
        | RecordExpr::Step(_) => None,
    }
}

enum Operand {
    Level(Name),
    Number(Quantity),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn operand(expr: &RecordExpr, member: &Member) -> Option<Operand> {
    match expr {
        RecordExpr::Level(level) => Some(Operand::Level(level.clone())),
        RecordExpr::Number(quantity) => Some(Operand::Number(quantity.clone())),
        RecordExpr::Field(name) if name == REPEAT && member.contains_key(REPLICATE) => {
            let [number] = member.get(REPLICATE)?.as_slice() else { return None };
            let value = Rational::from_integer(number.parse::<u64>().ok()?.into());
            Some(Operand::Number(Quantity { value, dimension: Dimension::Count }))
        }
        RecordExpr::Factor(name) | RecordExpr::Field(name) => match member.get(name)?.as_slice() {
            [level] => Some(Operand::Level(level.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn compare(left: &Operand, relation: Relation, right: &Operand) -> Option<bool> {
    let ordering = match (left, right) {
        (Operand::Level(a), Operand::Level(b)) => match relation {
            Relation::Equal => return Some(a == b),
            Relation::NotEqual => return Some(a != b),
            Relation::Less | Relation::LessEqual | Relation::GreaterEqual | Relation::Greater => return None,
        },
        (Operand::Number(a), Operand::Number(b)) => a.value.cmp(&b.value),
        _ => return None,
    };
    Some(match relation {
        Relation::Less => ordering.is_lt(),
        Relation::LessEqual => ordering.is_le(),
        Relation::Equal => ordering.is_eq(),
        Relation::NotEqual => ordering.is_ne(),
        Relation::GreaterEqual => ordering.is_ge(),
        Relation::Greater => ordering.is_gt(),
    })
}
