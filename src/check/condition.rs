//! Conditions of rules: evidence words, margins, values, verdicts, counts over members. Owns their resolution and units; it
//! proves nothing about them.

use std::collections::{BTreeMap, BTreeSet};

use super::literals::Side;
use super::names::list;
use super::record_expr::{absolute, operator, relation, verb};
use super::spell::quoted;
use super::units::{self, Ty};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{
    About, ArithmeticOp, Bounds, Condition, Dimension, EstimandBody, EvidenceKind, EvidenceRef, Name, Per, Relation,
    Term, VerdictClass,
};
use crate::syntax::ast::{self, Call, Expr, ExprKind};

/// Where a condition stands.
#[derive(Debug, Clone, Default)]
pub(super) struct RulePlace {
    /// The evidence it may read.
    pub abouts: Vec<About>,
    /// Factors that are quantified, in the grid, or pinned by the scope.
    pub bound: BTreeSet<Name>,
    /// Clauses of the same hypothesis, with their labels.
    pub clauses: BTreeMap<Name, BTreeSet<Name>>,
    /// The hypothesis or gate, for messages.
    pub subject: Name,
    /// Only verdicts may be named.
    pub verdicts_only: bool,
    /// Factors already reported as neither quantified nor pinned.
    pub unquantified: BTreeSet<(Name, Name)>,
    /// Aliases that were read.
    pub read: BTreeSet<Name>,
}

fn evidence_kind(word: &str) -> Option<EvidenceKind> {
    Some(match word {
        "estimate" => EvidenceKind::Estimate,
        "lower" => EvidenceKind::Lower,
        "upper" => EvidenceKind::Upper,
        "p" => EvidenceKind::P,
        "p_adjusted" => EvidenceKind::PAdjusted,
        "n" => EvidenceKind::N,
        "clusters" => EvidenceKind::Clusters,
        _ => return None,
    })
}

impl Checker<'_> {
    /// A condition over evidence and verdicts.
    pub(super) fn condition(&mut self, expr: &Expr, place: &mut RulePlace) -> Option<Condition> {
        self.work += 1;
        match &*expr.kind {
            ExprKind::And(parts) => Some(Condition::And(self.conditions(parts, place)?)),
            ExprKind::Or(parts) => Some(Condition::Or(self.conditions(parts, place)?)),
            ExprKind::Not(inner) => Some(Condition::Not(Box::new(self.condition(inner, place)?))),
            ExprKind::Is { subject, negated, label, some } => self.is(subject, *negated, label, some.as_ref(), place),
            _ if place.verdicts_only => {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, expr.span, "only verdicts can be named here")
                        .help("write conditions such as `H1 is supported`"),
                );
                None
            }
            ExprKind::Compare(left, op, right) => {
                let (a, b) = (self.term(left, place), self.term(right, place));
                let ((a, a_ty), (b, b_ty)) = (a?, b?);
                let (a_side, b_side) = (Side { span: left.span, ty: &a_ty }, Side { span: right.span, ty: &b_ty });
                let relation = relation(*op);
                let (a, b) = self.joined(a, b, a_side, b_side, expr.span)?;
                self.exact(relation, a_side, b_side, expr.span);
                let measured = if a_ty.value().is_some() { right } else { left };
                self.reachable(relation, a_side, b_side, &quoted(measured));
                Some(Condition::Compare(a, relation, b))
            }
            ExprKind::Within(value, low, high) => match self.band(low, high) {
                Some(band) => self.in_band(value, &band, low.span, place),
                None => self.within(value, low, high, place),
            },
            ExprKind::OneOf(value, choices) => match choices.as_slice() {
                [band] if self.band(band, band).is_some() => {
                    let name = self.band(band, band)?;
                    self.in_band(value, &name, band.span, place)
                }
                _ => {
                    self.report(Diagnostic::error(
                        Code::NotAllowedHere,
                        expr.span,
                        "a rule compares numbers, and this names levels",
                    ));
                    None
                }
            },
            ExprKind::Name(name)
                if self.names.hypotheses.contains_key(name.as_str()) || place.clauses.contains_key(name) =>
            {
                self.report(
                    Diagnostic::error(Code::TypeMismatch, expr.span, format!("`{name}` is a verdict, not a condition"))
                        .help(format!("say which: `{name} is supported`"))
                        .fix("ask for its support", expr.span, format!("{name} is supported")),
                );
                None
            }
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Name(_)
            | ExprKind::Path(..)
            | ExprKind::Call(_)
            | ExprKind::At(..)
            | ExprKind::Negate(_)
            | ExprKind::Arithmetic(..)
            | ExprKind::For(..)
            | ExprKind::EndsWith(..) => {
                self.report(
                    Diagnostic::error(Code::TypeMismatch, expr.span, "a condition belongs here, and this is none")
                        .help("compare it with something, as in `lower > 0 pp`"),
                );
                None
            }
        }
    }

    fn conditions(&mut self, parts: &[Expr], place: &mut RulePlace) -> Option<Vec<Condition>> {
        let checked: Vec<Option<Condition>> = parts.iter().map(|part| self.condition(part, place)).collect();
        checked.into_iter().collect()
    }

    /// The band that both ends of an `in` name.
    fn band(&self, low: &Expr, high: &Expr) -> Option<Name> {
        match (&*low.kind, &*high.kind) {
            (ExprKind::Name(a), ExprKind::Name(b)) if a == b && self.names.margins.contains_key(a.as_str()) => {
                Some(a.clone())
            }
            _ => None,
        }
    }

    fn in_band(&mut self, value: &Expr, band: &str, span: Span, place: &mut RulePlace) -> Option<Condition> {
        self.mark(Kind::Margin, band);
        let checked = self.term(value, place);
        let (low, high) = self.margin_types(band)?;
        let Some(high) = high else {
            self.report(
                Diagnostic::error(Code::TypeMismatch, span, format!("`{band}` is one number, not a band"))
                    .help("compare with it, or declare a band: `margin name = [-2 pp, 2 pp] \"source\"`"),
            );
            return None;
        };
        let (term, ty) = checked?;
        let side = Side { span: value.span, ty: &ty };
        let (term, low_term) = self.joined(term, Term::Margin(band.to_owned()), side, Side { span, ty: &low }, span)?;
        let (term, high_term) =
            self.joined(term, Term::MarginHigh(band.to_owned()), side, Side { span, ty: &high }, span)?;
        Some(Condition::Within(term, low_term, high_term))
    }

    fn within(&mut self, value: &Expr, low: &Expr, high: &Expr, place: &mut RulePlace) -> Option<Condition> {
        let (value_term, low_term, high_term) =
            (self.term(value, place), self.term(low, place), self.term(high, place));
        let ((term, ty), (low_term, low_ty), (high_term, high_ty)) = (value_term?, low_term?, high_term?);
        let side = Side { span: value.span, ty: &ty };
        let low_side = Side { span: low.span, ty: &low_ty };
        let high_side = Side { span: high.span, ty: &high_ty };
        let (term, low_term) = self.joined(term, low_term, side, low_side, low.span)?;
        let (term, high_term) = self.joined(term, high_term, side, high_side, high.span)?;
        if let (Some(a), Some(b)) = (low_ty.value(), high_ty.value())
            && a > b
        {
            self.report(
                Diagnostic::error(Code::BadNumber, low.span.to(high.span), "the range is the wrong way round")
                    .help("the smaller end comes first"),
            );
            return None;
        }
        self.reachable(Relation::GreaterEqual, side, low_side, &quoted(value));
        self.reachable(Relation::LessEqual, side, high_side, &quoted(value));
        Some(Condition::Within(term, low_term, high_term))
    }

    /// Refuses `==` between numbers that carry rounding.
    fn exact(&mut self, relation: Relation, left: Side<'_>, right: Side<'_>, whole: Span) {
        let inexact = |side: Side<'_>| side.ty.value().is_none() && !side.ty.number.integer;
        if matches!(relation, Relation::Equal | Relation::NotEqual) && (inexact(left) || inexact(right)) {
            self.report(
                Diagnostic::error(Code::ComparesFloat, whole, "an exact comparison of a number that is computed")
                    .note("estimates, bounds and p-values are never exactly equal to anything but by accident")
                    .help("use a range, as in `estimate in [9 pp, 11 pp]`, or a strict order"),
            );
        }
    }

    fn is(
        &mut self,
        subject: &ast::Name,
        negated: bool,
        label: &ast::Name,
        some: Option<&ast::Name>,
        place: &RulePlace,
    ) -> Option<Condition> {
        let name = subject.node.as_str();
        let clause = place.clauses.get(name).cloned();
        let labels = match &clause {
            Some(labels) => labels.clone(),
            None if self.names.hypotheses.contains_key(name) => self.labels.get(name).cloned().unwrap_or_default(),
            None if self.names.gates.contains_key(name) => {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        subject.span,
                        format!("`{name}` is a gate, and a gate has no verdict"),
                    )
                    .help(format!("write `requires {name}` in the hypothesis")),
                );
                return None;
            }
            None => {
                let known: Vec<String> = self
                    .names
                    .hypotheses
                    .keys()
                    .map(|name| (*name).to_owned())
                    .chain(place.clauses.keys().cloned())
                    .collect();
                let nearest = self.nearest(name, known.iter().map(String::as_str));
                let found = Diagnostic::error(
                    Code::Undefined,
                    subject.span,
                    format!("no hypothesis or clause is called `{name}`"),
                );
                self.report(match nearest {
                    Some(near) => {
                        found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), subject.span, near)
                    }
                    None => found,
                });
                return None;
            }
        };
        let class = VerdictClass::from_word(&label.node);
        if class.is_none() && !labels.contains(&label.node) {
            let known: Vec<String> =
                VerdictClass::ALL.iter().map(|class| class.word().to_owned()).chain(labels.iter().cloned()).collect();
            let nearest = self.nearest(&label.node, known.iter().map(String::as_str));
            let found = Diagnostic::error(
                Code::BadLabel,
                label.span,
                format!("`{name}` never gives the label `{}`", label.node),
            )
            .help(format!("it can be {}", list(&known)));
            self.report(match nearest {
                Some(near) => found.fix(format!("write `{near}`"), label.span, near),
                None => found,
            });
            return None;
        }
        if let Some(factor) = some {
            if self.model_attribute(&factor.node) {
                self.mark(Kind::Factor, "model");
            } else if !self.factor_like(factor) {
                return None;
            }
        }
        Some(Condition::Is {
            subject: name.to_owned(),
            clause: clause.is_some(),
            negated,
            label: label.node.clone(),
            some: some.map(|factor| factor.node.clone()),
        })
    }

    /// A number in a rule.
    fn term(&mut self, expr: &Expr, place: &mut RulePlace) -> Option<(Term, Ty)> {
        self.work += 1;
        match &*expr.kind {
            ExprKind::Number(literal) => {
                let (quantity, bare) = self.quantity(literal)?;
                let ty = Ty::constant(&quantity, bare);
                Some((Term::Constant(quantity), ty))
            }
            ExprKind::Name(name) => self.term_name(name, expr.span, place),
            ExprKind::Path(first, second) => self.evidence(Some(first), &second.node, second.span, place),
            ExprKind::Negate(inner) => {
                let (term, ty) = self.term(inner, place)?;
                if let Term::Constant(quantity) = term {
                    let quantity = super::literals::negated(inner, quantity);
                    let ty = Ty::constant(&quantity, ty.bare);
                    return Some((Term::Constant(quantity), ty));
                }
                let mut number = ty.number;
                number.bounds = units::negate(&number.bounds);
                Some((Term::Negate(Box::new(term)), Ty { number, bare: ty.bare }))
            }
            ExprKind::Arithmetic(left, op, right) => {
                let (a, b) = (self.term(left, place), self.term(right, place));
                let ((mut a, a_ty), (mut b, b_ty)) = (a?, b?);
                let op = operator(*op);
                match units::arithmetic(op, &a_ty, &b_ty) {
                    Ok(joined) => {
                        self.retag_term(&mut a, joined.left.as_ref());
                        self.retag_term(&mut b, joined.right.as_ref());
                        Some((Term::Arithmetic(Box::new(a), op, Box::new(b)), joined.ty))
                    }
                    Err(mix) => {
                        let sides = (Side { span: left.span, ty: &a_ty }, Side { span: right.span, ty: &b_ty });
                        self.mixed(&mix, verb(op), sides.0, sides.1, expr.span);
                        None
                    }
                }
            }
            ExprKind::Call(call) => self.term_call(call, expr.span, place),
            ExprKind::Text(_)
            | ExprKind::At(..)
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Within(..)
            | ExprKind::OneOf(..)
            | ExprKind::Is { .. }
            | ExprKind::For(..)
            | ExprKind::EndsWith(..) => {
                let found = Diagnostic::error(Code::NotAllowedHere, expr.span, "this does not belong in a rule");
                self.report(found.help(
                    "a rule compares evidence (`estimate`, `lower`, `upper`, `p`, …) with numbers, margins and values",
                ));
                None
            }
        }
    }

    fn term_name(&mut self, name: &str, span: Span, place: &mut RulePlace) -> Option<(Term, Ty)> {
        if evidence_kind(name).is_some() {
            return self.evidence(None, name, span, place);
        }
        if self.names.margins.contains_key(name) {
            self.mark(Kind::Margin, name);
            let (low, high) = self.margin_types(name)?;
            if high.is_some() {
                self.report(
                    Diagnostic::error(Code::TypeMismatch, span, format!("`{name}` is a band, not one number"))
                        .help(format!("ask whether something lies in it: `lower in {name} and upper in {name}`")),
                );
                return None;
            }
            return Some((Term::Margin(name.to_owned()), low));
        }
        if self.names.values.contains_key(name) {
            self.mark(Kind::Value, name);
            let table = self.spec.values.get(name)?;
            if let Some(factor) = table.per.clone() {
                let pinned = place.abouts.iter().any(|about| about.at.iter().any(|(own, _)| *own == factor));
                if !place.bound.contains(&factor) && !pinned {
                    self.report(
                        Diagnostic::error(
                            Code::UnquantifiedFactor,
                            span,
                            format!("`{name}` differs by `{factor}`, and the rule does not say which `{factor}`"),
                        )
                        .help(format!("quantify it: `scope all {factor}`, or pin it")),
                    );
                    return None;
                }
            }
            let ty = self.value_type(name)?;
            return Some((Term::Value(name.to_owned()), ty));
        }
        if self.names.estimands.contains_key(name) || place.abouts.iter().any(|about| about.alias == name) {
            self.report(
                Diagnostic::error(Code::TypeMismatch, span, format!("`{name}` has several numbers of evidence"))
                    .help(format!("say which: `{name}.estimate`, `{name}.lower`, `{name}.upper`, `{name}.p`, …")),
            );
            return None;
        }
        self.undefined_at(name, span, "an evidence word, margin or value", &[Kind::Margin, Kind::Value]);
        None
    }

    fn term_call(&mut self, call: &Call, span: Span, place: &mut RulePlace) -> Option<(Term, Ty)> {
        let name = call.function.node.as_str();
        match (name, call.arguments.as_slice()) {
            ("abs", [argument]) if call.filter.is_none() && call.over.is_empty() => {
                let (term, ty) = self.term(argument, place)?;
                Some((Term::Abs(Box::new(term)), absolute(&ty)))
            }
            ("min" | "max", [_, ..]) if call.filter.is_none() && call.over.is_empty() => {
                let checked: Vec<_> =
                    call.arguments.iter().map(|argument| (self.term(argument, place), argument.span)).collect();
                let mut terms = Vec::new();
                let mut so_far: Option<(Ty, Span)> = None;
                for (one, span) in checked {
                    let (term, ty) = one?;
                    terms.push(term);
                    so_far = match so_far {
                        None => Some((ty, span)),
                        Some((before, first)) => match units::unify(&before, &ty) {
                            Ok(joined) => Some((joined.ty, first)),
                            Err(mix) => {
                                self.mixed(
                                    &mix,
                                    "compared with",
                                    Side { span: first, ty: &before },
                                    Side { span, ty: &ty },
                                    span,
                                );
                                return None;
                            }
                        },
                    };
                }
                let (ty, _) = so_far?;
                if !ty.bare {
                    for term in &mut terms {
                        self.retag_term(term, Some(ty.dimension()));
                    }
                }
                Some((if name == "min" { Term::Minimum(terms) } else { Term::Maximum(terms) }, ty))
            }
            ("count", factors) if !factors.is_empty() => self.count_members(call, span, place),
            _ => {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, span, format!("`{name}(…)` does not belong in a rule"))
                        .help("a rule may use `abs`, `min`, `max` and `count(factor where condition)`; anything else belongs in an estimand"),
                );
                None
            }
        }
    }

    fn count_members(&mut self, call: &Call, span: Span, place: &mut RulePlace) -> Option<(Term, Ty)> {
        let mut factors = Vec::new();
        for argument in &call.arguments {
            let ExprKind::Name(name) = &*argument.kind else {
                self.report(Diagnostic::error(
                    Code::TypeMismatch,
                    argument.span,
                    "`count` in a rule counts members of factors",
                ));
                return None;
            };
            if !self.factor_like(&ast::Name::new(name.clone(), argument.span)) {
                return None;
            }
            factors.push(name.clone());
        }
        let Some(filter) = &call.filter else {
            self.report(
                Diagnostic::error(Code::MissingClause, span, "`count` does not say which members")
                    .help("write `count(seed where estimate > 0)`"),
            );
            return None;
        };
        let outside = place.bound.clone();
        place.bound.extend(factors.iter().cloned());
        let condition = self.condition(filter, place);
        place.bound = outside;
        let condition = condition?;
        let per: Vec<Per> =
            factors.iter().map(|factor| Per { factor: factor.clone(), except: Vec::new(), pair: false }).collect();
        let most = self.combinations(&per).map(|members| crate::math::Rational::from_integer(members.len().into()));
        factors.sort();
        let zero = crate::math::Rational::from_integer(0.into());
        let ty = Ty::new(Dimension::Count, Bounds { lower: Some(zero), upper: most }, true);
        Some((Term::CountMembers(factors, Box::new(condition)), ty))
    }

    /// A number of evidence, resolved to its estimand and to the interval or test that provides it.
    fn evidence(
        &mut self,
        first: Option<&ast::Name>,
        word: &str,
        span: Span,
        place: &mut RulePlace,
    ) -> Option<(Term, Ty)> {
        let Some(kind) = evidence_kind(word) else {
            let words = ["estimate", "lower", "upper", "p", "p_adjusted", "n", "clusters"];
            let nearest = self.nearest(word, words);
            let found = Diagnostic::error(Code::Undefined, span, format!("no evidence is called `{word}`"))
                .help(format!("evidence is {}", list(&words)));
            self.report(match nearest {
                Some(near) => found.fix(format!("write `{near}`"), span, near),
                None => found,
            });
            return None;
        };
        let (about, wanted) = self.about_of(first, word, span, place)?;
        place.read.insert(about.alias.clone());
        let whole = first.map_or(span, |name| name.span.to(span));
        self.quantified(&about, whole, place);
        let estimand = self.spec.estimands.get(&about.estimand)?;
        let reported = estimand.body == EstimandBody::Reported;
        let own = Ty { number: estimand.kind.clone(), bare: false };
        let ty = match kind {
            EvidenceKind::Estimate => own,
            EvidenceKind::Lower | EvidenceKind::Upper => {
                Ty { number: crate::spec::NumberType { integer: false, ..own.number }, bare: false }
            }
            EvidenceKind::P | EvidenceKind::PAdjusted => Ty::proportion(),
            EvidenceKind::N | EvidenceKind::Clusters => Ty::count(),
        };
        let method = match kind {
            EvidenceKind::Estimate | EvidenceKind::N | EvidenceKind::Clusters => None,
            EvidenceKind::Lower | EvidenceKind::Upper => {
                if reported {
                    self.reported_has(&about.estimand, kind, whole)?;
                    None
                } else {
                    Some(self.provider(&about, &about.intervals, wanted.as_deref(), "an interval", word, whole)?)
                }
            }
            EvidenceKind::P | EvidenceKind::PAdjusted => {
                if reported && kind == EvidenceKind::P {
                    self.reported_has(&about.estimand, kind, whole)?;
                    None
                } else {
                    Some(self.provider(&about, &about.tests, wanted.as_deref(), "a test", word, whole)?)
                }
            }
        };
        if kind == EvidenceKind::PAdjusted {
            let in_family = self
                .spec
                .families
                .values()
                .flat_map(|family| &family.members)
                .any(|members| members.estimand == about.estimand && Some(&members.test) == method.as_ref());
            if !in_family && !self.families_failed {
                self.report(
                    Diagnostic::error(
                        Code::MissingEvidence,
                        whole,
                        format!("no family adjusts the p-value of `{}`", about.estimand),
                    )
                    .help(format!(
                        "list it: `family name {{ members {} with {} }}`",
                        about.estimand,
                        method.clone().unwrap_or_default()
                    )),
                );
                return None;
            }
        }
        Some((Term::Evidence(EvidenceRef { about: about.alias, method, kind }), ty))
    }

    /// Which `about` line a word belongs to; the method too when the word before the dot names one.
    fn about_of(
        &mut self,
        first: Option<&ast::Name>,
        word: &str,
        span: Span,
        place: &RulePlace,
    ) -> Option<(About, Option<Name>)> {
        let Some(first) = first else {
            return match place.abouts.as_slice() {
                [only] => Some((only.clone(), None)),
                [] => {
                    if !self.about_failed && !self.unread.contains("about") {
                        self.report(
                            Diagnostic::error(
                                Code::MissingEvidence,
                                span,
                                format!("`{word}` of what? the rule has no `about`"),
                            )
                            .help("name the estimand: `about estimand with interval`"),
                        );
                    }
                    None
                }
                several => {
                    let aliases: Vec<&Name> = several.iter().map(|about| &about.alias).collect();
                    self.report(
                        Diagnostic::error(
                            Code::AmbiguousEvidence,
                            span,
                            format!("`{word}` could be that of {}", list(&aliases)),
                        )
                        .help(format!(
                            "say which, as in `{}.{word}`",
                            aliases.first().map_or("", |alias| alias.as_str())
                        )),
                    );
                    None
                }
            };
        };
        if let Some(about) = place.abouts.iter().find(|about| about.alias == first.node) {
            return Some((about.clone(), None));
        }
        let providers: Vec<&About> = place
            .abouts
            .iter()
            .filter(|about| about.intervals.contains(&first.node) || about.tests.contains(&first.node))
            .collect();
        match providers.as_slice() {
            [only] => return Some(((*only).clone(), Some(first.node.clone()))),
            [_, _, ..] => {
                self.report(
                    Diagnostic::error(
                        Code::AmbiguousEvidence,
                        first.span,
                        format!("`{}` is computed for several estimands here", first.node),
                    )
                    .help("name the estimand or give it another name: `about estimand with method as name`"),
                );
                return None;
            }
            [] => {}
        }
        let aliases: Vec<Name> = place.abouts.iter().map(|about| about.alias.clone()).collect();
        if aliases.is_empty() && self.about_failed {
            return None;
        }
        let nearest = self.nearest(&first.node, aliases.iter().map(String::as_str));
        let mut found =
            Diagnostic::error(Code::MissingEvidence, first.span, format!("the rule is not about `{}`", first.node));
        found = match nearest {
            Some(near) => {
                found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), first.span, near)
            }
            None if self.names.estimands.contains_key(first.node.as_str()) => {
                found.help(format!("add `about {}` to the hypothesis", first.node))
            }
            None => found.help(format!("it is about {}", list(&aliases))),
        };
        self.report(found);
        None
    }

    fn provider(
        &mut self,
        about: &About,
        given: &[Name],
        wanted: Option<&str>,
        what: &str,
        word: &str,
        span: Span,
    ) -> Option<Name> {
        if let Some(wanted) = wanted
            && given.iter().any(|name| name == wanted)
        {
            return Some(wanted.to_owned());
        }
        match given {
            [only] => Some(only.clone()),
            [] => {
                if !self.about_failed {
                    self.report(
                        Diagnostic::error(
                            Code::MissingEvidence,
                            span,
                            format!("nothing gives `{word}` of `{}`", about.alias),
                        )
                        .help(format!("`{word}` needs {what}: `about {} with …`", about.estimand)),
                    );
                }
                None
            }
            [first, ..] => {
                self.report(
                    Diagnostic::error(
                        Code::AmbiguousEvidence,
                        span,
                        format!("`{word}` could come from {}", list(given)),
                    )
                    .help(format!("say which, as in `{first}.{word}`")),
                );
                None
            }
        }
    }

    /// Every factor of the estimand is quantified, in the grid, or pinned.
    fn quantified(&mut self, about: &About, span: Span, place: &mut RulePlace) {
        let Some(estimand) = self.spec.estimands.get(&about.estimand) else { return };
        let open: Vec<Name> = estimand
            .per
            .iter()
            .map(|per| per.factor.clone())
            .filter(|factor| !place.bound.contains(factor) && !about.at.iter().any(|(pinned, _)| pinned == factor))
            .collect();
        for factor in open {
            if place.unquantified.insert((about.alias.clone(), factor.clone())) {
                self.report(
                    Diagnostic::error(Code::UnquantifiedFactor, span, format!("`{}` has a value for each `{factor}`, and the rule does not say for which", about.estimand))
                        .note("one rule gives one verdict, so it must say how the members make it up")
                        .help(format!("quantify it (`scope all {factor}`, `scope any {factor}`), pin it (`scope … where {factor} == …`), or ask for a grid of verdicts (`per {factor}`)"))
                        .about(place.subject.clone()),
                );
            }
        }
    }

    fn joined(
        &mut self,
        mut a: Term,
        mut b: Term,
        a_side: Side<'_>,
        b_side: Side<'_>,
        whole: Span,
    ) -> Option<(Term, Term)> {
        match units::unify(a_side.ty, b_side.ty) {
            Ok(joined) => {
                self.retag_term(&mut a, joined.left.as_ref());
                self.retag_term(&mut b, joined.right.as_ref());
                Some((a, b))
            }
            Err(mix) => {
                self.mixed(&mix, "compared with", a_side, b_side, whole);
                None
            }
        }
    }

    fn retag_term(&mut self, term: &mut Term, dimension: Option<&Dimension>) {
        let Some(dimension) = dimension else { return };
        match term {
            Term::Constant(quantity) => quantity.dimension = dimension.clone(),
            Term::Value(name) => self.value_meets(name, dimension),
            Term::Margin(name) | Term::MarginHigh(name) => self.margin_meets(name, dimension),
            Term::Negate(inner) | Term::Abs(inner) => self.retag_term(inner, Some(dimension)),
            Term::Minimum(parts) | Term::Maximum(parts) => {
                for part in parts {
                    self.retag_term(part, Some(dimension));
                }
            }
            Term::Arithmetic(left, ArithmeticOp::Add | ArithmeticOp::Subtract, right) => {
                self.retag_term(left, Some(dimension));
                self.retag_term(right, Some(dimension));
            }
            Term::Arithmetic(..) | Term::Evidence(_) | Term::CountMembers(..) => {}
        }
    }
}
