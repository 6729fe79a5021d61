//! One rule asked of one member: terms, conditions, cases, and components that could not be resolved. Owns the meaning of a rule;
//! it must not combine members.

use std::collections::{BTreeMap, BTreeSet};

use super::compile::value_of;
use super::evidence::{Store, members_of, pins};
use super::frame::Frame;
use super::judgment::{Figure, Number, Outcome};
use super::members::Binding;
use super::number::{combine, extreme};
use super::quantify::{is_engine, outcome};
use super::row::holds;
use crate::math::{Rational, exact};
use crate::spec::{
    About, Case, CaseCondition, Condition, EvidenceKind, EvidenceRef, Name, RecordExpr, Relation, Rule, Term,
    VerdictClass,
};

/// A verdict that a rule names: clause or hypothesis, and the level of `for some F` it was evaluated in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Component {
    pub clause: bool,
    pub subject: Name,
    /// The attribute and its level.
    pub group: Option<(Name, Name)>,
}

/// A component's verdict and what else it could have been.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub outcome: Outcome,
    /// Label and class of everything its rule can give.
    pub alternatives: Vec<(Name, VerdictClass)>,
}

/// Where a rule is asked.
pub(super) struct Scene<'s> {
    pub frame: &'s Frame<'s>,
    pub store: &'s Store,
    pub set: usize,
    pub abouts: &'s [About],
    pub member: &'s Binding,
    /// The scope's condition on members, which counts over members obey too.
    pub filter: Option<&'s RecordExpr>,
    /// Verdicts that the rule names.
    pub components: &'s BTreeMap<Component, Known>,
    /// For the regions of a plot: the alias whose estimate and limits all stand at one place.
    pub along: Option<(&'s str, &'s Rational)>,
}

/// What components are taken to be.
type Assignment<'k> = BTreeMap<&'k Component, (&'k str, VerdictClass)>;

/// Most ways of resolving components that are tried.
const MOST_RESOLUTIONS: usize = 4_096;

impl Scene<'_> {
    /// The rule's verdict for the member.
    pub fn judge(&self, rule: &Rule, evaluable: Option<&Condition>) -> Outcome {
        if let Err(reason) = self.ready(rule, evaluable) {
            return outcome(VerdictClass::NotEvaluable, Some(reason));
        }
        let open: Vec<(&Component, &Known)> =
            self.components.iter().filter(|(_, known)| is_engine(known.outcome.class)).collect();
        let mut assignment: Assignment<'_> = self
            .components
            .iter()
            .map(|(component, known)| (component, (known.outcome.label.as_str(), known.outcome.class)))
            .collect();
        let ways = open.iter().try_fold(1_usize, |ways, (_, known)| ways.checked_mul(known.alternatives.len().max(1)));
        if open.is_empty() {
            return self.first_case(rule, &assignment);
        }
        let unresolved = |why: Option<String>| outcome(VerdictClass::Inconclusive, why);
        let why = open.first().map(|(component, known)| open_reason(component, known));
        let Some(ways) = ways.filter(|ways| *ways <= MOST_RESOLUTIONS) else { return unresolved(why) };
        let mut results: Vec<Outcome> = Vec::new();
        for way in 0..ways {
            let mut rest = way;
            for (component, known) in &open {
                let count = known.alternatives.len().max(1);
                if let Some((label, class)) = known.alternatives.get(rest % count) {
                    assignment.insert(component, (label, *class));
                }
                rest /= count;
            }
            let result = self.first_case(rule, &assignment);
            if !results
                .iter()
                .any(|own| own.class == result.class && own.label == result.label && own.case == result.case)
            {
                results.push(result);
            }
        }
        let Some((first, others)) = results.split_first() else { return unresolved(why) };
        if others.iter().any(|other| other.class != first.class) {
            return unresolved(why);
        }
        let mut resolved = first.clone();
        if others.iter().any(|other| other.label != first.label) {
            first.class.word().clone_into(&mut resolved.label);
        }
        if !others.is_empty() {
            resolved.case = None;
        }
        resolved.reason = why.map(|why| format!("whatever it had been: {why}"));
        resolved
    }

    /// Whether a condition holds; `and` and `or` decide as soon as one side does. Fails with the reason when evidence is undefined.
    pub fn condition(&self, condition: &Condition) -> Result<bool, String> {
        self.holds(condition, &self.actual())
    }

    fn actual(&self) -> Assignment<'_> {
        self.components
            .iter()
            .map(|(component, known)| (component, (known.outcome.label.as_str(), known.outcome.class)))
            .collect()
    }

    /// What keeps the rule from being asked at all.
    fn ready(&self, rule: &Rule, evaluable: Option<&Condition>) -> Result<(), String> {
        if let Some(condition) = evaluable {
            match self.condition(condition) {
                Ok(true) => {}
                Ok(false) => return Err(format!("evaluable only when {condition}, which does not hold")),
                Err(reason) => return Err(format!("evaluable only when {condition}: {reason}")),
            }
        }
        for case in &rule.cases {
            if let CaseCondition::When(condition) = &case.when {
                self.evidence_of(condition, self.member)?;
            }
        }
        Ok(())
    }

    fn evidence_of(&self, condition: &Condition, member: &Binding) -> Result<(), String> {
        match condition {
            Condition::Compare(left, _, right) => {
                [left, right].into_iter().try_for_each(|term| self.evidence_in(term, member))
            }
            Condition::Within(inner, low, high) => {
                [inner, low, high].into_iter().try_for_each(|term| self.evidence_in(term, member))
            }
            Condition::Is { .. } => Ok(()),
            Condition::Not(inner) => self.evidence_of(inner, member),
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().try_for_each(|part| self.evidence_of(part, member))
            }
        }
    }

    fn evidence_in(&self, term: &Term, member: &Binding) -> Result<(), String> {
        match term {
            Term::Evidence(evidence) => self.evidence(evidence, member).map(|_| ()),
            Term::CountMembers(factors, condition) => {
                let counted = self.counted(factors, condition, member);
                counted.iter().try_for_each(|member| self.evidence_of(condition, member))
            }
            Term::Arithmetic(left, _, right) => {
                self.evidence_in(left, member)?;
                self.evidence_in(right, member)
            }
            Term::Negate(inner) | Term::Abs(inner) => self.evidence_in(inner, member),
            Term::Minimum(parts) | Term::Maximum(parts) => {
                parts.iter().try_for_each(|part| self.evidence_in(part, member))
            }
            Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) => Ok(()),
        }
    }

    /// The first case that applies. A rule whose cases are disjoint has no other.
    fn first_case(&self, rule: &Rule, assignment: &Assignment<'_>) -> Outcome {
        let mut otherwise: Option<(usize, &Case)> = None;
        for (index, case) in rule.cases.iter().enumerate() {
            match &case.when {
                CaseCondition::When(condition) => match self.holds(condition, assignment) {
                    Ok(true) => return fired(index, case, assignment),
                    Ok(false) => {}
                    Err(reason) => return outcome(VerdictClass::NotEvaluable, Some(reason)),
                },
                CaseCondition::Otherwise if rule.in_order => return fired(index, case, assignment),
                CaseCondition::Otherwise => otherwise = otherwise.or(Some((index, case))),
            }
        }
        match otherwise {
            Some((index, case)) => fired(index, case, assignment),
            None => outcome(VerdictClass::Inconclusive, Some("no case of the rule applies".to_owned())),
        }
    }

    fn holds(&self, condition: &Condition, assignment: &Assignment<'_>) -> Result<bool, String> {
        self.holds_for(condition, assignment, self.member)
    }

    fn holds_for(&self, condition: &Condition, assignment: &Assignment<'_>, member: &Binding) -> Result<bool, String> {
        match condition {
            Condition::Compare(left, relation, right) => {
                let (left, right) = (self.term(left, member)?, self.term(right, member)?);
                related(&left, *relation, &right)
            }
            Condition::Within(inner, low, high) => {
                let inner = self.term(inner, member)?;
                let above = related(&inner, Relation::GreaterEqual, &self.term(low, member)?)?;
                Ok(above && related(&inner, Relation::LessEqual, &self.term(high, member)?)?)
            }
            Condition::Is { subject, clause, negated, label, some } => {
                let is = assignment
                    .iter()
                    .filter(|(component, _)| matches(component, subject, *clause, some.as_ref()))
                    .any(|(component, verdict)| self.carries(component, *verdict, label));
                Ok(is != *negated)
            }
            Condition::Not(inner) => self.holds_for(inner, assignment, member).map(|value| !value),
            Condition::And(parts) => self.decided(parts, assignment, member, false),
            Condition::Or(parts) => self.decided(parts, assignment, member, true),
        }
    }

    /// One part with the deciding value decides; else one undefined part leaves the whole undefined.
    fn decided(
        &self,
        parts: &[Condition],
        assignment: &Assignment<'_>,
        member: &Binding,
        deciding: bool,
    ) -> Result<bool, String> {
        let mut undefined = None;
        for part in parts {
            match self.holds_for(part, assignment, member) {
                Ok(value) if value == deciding => return Ok(deciding),
                Ok(_) => {}
                Err(reason) => undefined = undefined.or(Some(reason)),
            }
        }
        undefined.map_or(Ok(!deciding), Err)
    }

    /// A label that only the engine gives is asked of what really happened, every other of the assumed verdict.
    fn carries(&self, component: &Component, (label, class): (&str, VerdictClass), wanted: &str) -> bool {
        match VerdictClass::from_word(wanted) {
            Some(engine) if is_engine(engine) => {
                self.components.get(component).is_some_and(|known| known.outcome.class == engine)
            }
            _ => label == wanted || class.word() == wanted,
        }
    }

    /// The value of a term for a member.
    pub fn term(&self, term: &Term, member: &Binding) -> Figure {
        let spec = self.frame.spec;
        match term {
            Term::Constant(quantity) => Ok(Number::Exact(quantity.value.clone())),
            Term::Margin(name) => {
                let margin = spec.margins.get(name).ok_or_else(|| format!("there is no margin {name}"))?;
                Ok(Number::Exact(margin.low.value.clone()))
            }
            Term::MarginHigh(name) => {
                let high = spec.margins.get(name).and_then(|margin| margin.high.as_ref());
                high.map(|high| Number::Exact(high.value.clone())).ok_or_else(|| format!("{name} has no upper end"))
            }
            Term::Value(name) => {
                let mut bound = member.clone();
                for about in self.abouts {
                    bound.extend(pins(spec, about));
                }
                value_of(spec, name, &bound).map(Number::Exact)
            }
            Term::Evidence(evidence) => self.evidence(evidence, member),
            Term::CountMembers(factors, condition) => {
                let mut count = 0_u64;
                for member in self.counted(factors, condition, member) {
                    count += u64::from(self.holds_for(condition, &self.actual(), &member)?);
                }
                Ok(Number::Exact(Rational::from_integer(count.into())))
            }
            Term::Arithmetic(left, op, right) => combine(&self.term(left, member)?, *op, &self.term(right, member)?),
            Term::Negate(inner) => self.term(inner, member).map(|value| value.negated()),
            Term::Abs(inner) => self.term(inner, member).map(|value| value.absolute()),
            Term::Minimum(parts) | Term::Maximum(parts) => {
                let values: Vec<Number> = parts.iter().map(|part| self.term(part, member)).collect::<Result<_, _>>()?;
                extreme(&values, matches!(term, Term::Maximum(_)))
            }
        }
    }

    fn evidence(&self, evidence: &EvidenceRef, member: &Binding) -> Figure {
        if let Some((alias, at)) = self.along
            && evidence.about == alias
            && matches!(evidence.kind, EvidenceKind::Estimate | EvidenceKind::Lower | EvidenceKind::Upper)
        {
            return Ok(Number::Exact(at.clone()));
        }
        let about = self.abouts.iter().find(|about| about.alias == evidence.about);
        let about = about.ok_or_else(|| format!("the rule has no evidence {}", evidence.about))?;
        let figure = self.store.number(self.frame.spec, self.set, about, evidence, member);
        // A rule is proved over the rationals, so it is decided over them: 0.80 - 0.35 is 0.45 here.
        let exact = |number| match number {
            Number::Exact(value) => Ok(Number::Exact(value)),
            Number::Float(value) => exact::simplest(value).map(Number::Exact).map_err(|error| error.to_string()),
        };
        figure.and_then(exact).map_err(|reason| format!("{evidence} is undefined: {reason}"))
    }

    /// The members that a count runs over: this member with every planned level of the factors.
    fn counted(&self, factors: &[Name], condition: &Condition, member: &Binding) -> Vec<Binding> {
        let mut read = BTreeSet::new();
        aliases_in(condition, &mut read);
        let read: Vec<About> = self.abouts.iter().filter(|about| read.contains(&about.alias)).cloned().collect();
        let mut wanted: Vec<Name> = member.keys().cloned().collect();
        wanted.extend(factors.iter().cloned());
        let mut found = joined_members(self.frame, &read, self.filter, &wanted, member);
        for own in &mut found {
            own.extend(member.iter().map(|(factor, level)| (factor.clone(), level.clone())));
        }
        found
    }
}

/// The outcome of the case that applies.
fn fired(index: usize, case: &Case, assignment: &Assignment<'_>) -> Outcome {
    let mut named = BTreeSet::new();
    if let CaseCondition::When(condition) = &case.when {
        named_in(condition, assignment, &mut named);
    }
    Outcome {
        class: case.class.into(),
        label: case.label.clone(),
        case: Some(index),
        reason: case.because.clone(),
        nearest: None,
        named: named.into_iter().collect(),
    }
}

/// The members over some factors that all of several `about`s can be read for, in the order of the first.
pub(super) fn joined_members(
    frame: &Frame<'_>,
    abouts: &[About],
    filter: Option<&RecordExpr>,
    factors: &[Name],
    at: &Binding,
) -> Vec<Binding> {
    let mut joined = vec![Binding::new()];
    for about in abouts {
        let pinned = pins(frame.spec, about);
        let mut own: Vec<Binding> = Vec::new();
        let mut seen: BTreeSet<Binding> = BTreeSet::new();
        for mut member in members_of(frame, about, filter, &unpinned(at, &pinned)) {
            member.retain(|factor, _| factors.contains(factor) && !pinned.contains_key(factor));
            if seen.insert(member.clone()) {
                own.push(member);
            }
        }
        let agree = |one: &Binding, two: &Binding| {
            one.iter().all(|(factor, level)| two.get(factor).is_none_or(|other| other == level))
        };
        joined = joined
            .iter()
            .flat_map(|left| {
                own.iter().filter(|right| agree(left, right)).map(|right| {
                    let mut both = left.clone();
                    both.extend(right.clone());
                    both
                })
            })
            .collect();
    }
    if abouts.is_empty() { Vec::new() } else { joined }
}

/// What an `about` does not pin of a binding: it reads its own level of a pinned factor, whatever the member's is.
fn unpinned(at: &Binding, pinned: &Binding) -> Binding {
    let own = at.iter().filter(|(factor, _)| !pinned.contains_key(*factor));
    own.map(|(factor, level)| (factor.clone(), level.clone())).collect()
}

/// A member with the levels that the scope's condition pins (`where level == 1`): those that every member of the evidence that
/// agrees with it shares.
pub(super) fn with_pinned(
    frame: &Frame<'_>,
    abouts: &[About],
    filter: Option<&RecordExpr>,
    member: &Binding,
) -> Binding {
    let mut whole = member.clone();
    for about in abouts {
        let agreeing = members_of(frame, about, filter, member);
        let Some(first) = agreeing.first() else { continue };
        for (factor, level) in first {
            if agreeing.iter().all(|own| own.get(factor) == Some(level)) {
                whole.entry(factor.clone()).or_insert_with(|| level.clone());
            }
        }
    }
    whole
}

/// The aliases whose evidence a condition reads.
pub(super) fn aliases_in(condition: &Condition, into: &mut BTreeSet<Name>) {
    match condition {
        Condition::Compare(left, _, right) => [left, right].into_iter().for_each(|term| aliases_of(term, into)),
        Condition::Within(inner, low, high) => [inner, low, high].into_iter().for_each(|term| aliases_of(term, into)),
        Condition::Is { .. } => {}
        Condition::Not(inner) => aliases_in(inner, into),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| aliases_in(part, into)),
    }
}

fn aliases_of(term: &Term, into: &mut BTreeSet<Name>) {
    match term {
        Term::Evidence(evidence) => {
            into.insert(evidence.about.clone());
        }
        Term::CountMembers(_, condition) => aliases_in(condition, into),
        Term::Arithmetic(left, _, right) => {
            aliases_of(left, into);
            aliases_of(right, into);
        }
        Term::Negate(inner) | Term::Abs(inner) => aliases_of(inner, into),
        Term::Minimum(parts) | Term::Maximum(parts) => parts.iter().for_each(|part| aliases_of(part, into)),
        Term::Constant(_) | Term::Margin(_) | Term::MarginHigh(_) | Term::Value(_) => {}
    }
}

/// Whether a rule reads any evidence of its own.
pub(super) fn reads_evidence(rule: &Rule) -> bool {
    let mut read = BTreeSet::new();
    for case in &rule.cases {
        if let CaseCondition::When(condition) = &case.when {
            aliases_in(condition, &mut read);
        }
    }
    !read.is_empty()
}

fn related(left: &Number, relation: Relation, right: &Number) -> Result<bool, String> {
    let ordering = left.compare(right).ok_or_else(|| "a value is not a number".to_owned())?;
    Ok(holds(ordering, relation))
}

fn matches(component: &Component, subject: &str, clause: bool, some: Option<&Name>) -> bool {
    component.subject == subject
        && component.clause == clause
        && component.group.as_ref().map(|(attribute, _)| attribute) == some
}

/// The levels that made `for some F` true in a condition that holds.
fn named_in(condition: &Condition, assignment: &Assignment<'_>, into: &mut BTreeSet<Name>) {
    match condition {
        Condition::Is { subject, clause, negated: false, label, some: Some(some) } => {
            for (component, (own, class)) in assignment {
                if matches(component, subject, *clause, Some(some))
                    && (*own == label || class.word() == label)
                    && let Some((_, level)) = &component.group
                {
                    into.insert(level.clone());
                }
            }
        }
        Condition::And(parts) | Condition::Or(parts) => {
            for part in parts {
                named_in(part, assignment, into);
            }
        }
        Condition::Is { .. } | Condition::Compare(..) | Condition::Within(..) | Condition::Not(_) => {}
    }
}

fn open_reason(component: &Component, known: &Known) -> String {
    let group = component.group.as_ref().map_or_else(String::new, |(_, level)| format!(" in {level}"));
    let why = known.outcome.reason.as_deref().unwrap_or("no reason is recorded");
    format!("{}{group} is {}: {why}", component.subject, known.outcome.class.word())
}
