//! Hypotheses heard in the order of what they depend on: gates, order conditions, clauses, scopes, grids. Owns how one verdict
//! feeds another; what a rule means is in `rule`, how members combine in `quantify`.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::{Store, members_of};
use super::frame::Frame;
use super::gates::GateHeard;
use super::judgment::{EstimandResult, MemberVerdict, Outcome, SetVerdict};
use super::members::{Binding, group_of};
use super::nearest::{nearest, nearest_of, regions};
use super::quantify::{is_engine, outcome, quantified};
use super::rule::{Component, Known, Scene, aliases_in, joined_members, reads_evidence, with_pinned};
use crate::spec::{
    About, CaseCondition, Claim, Class, Condition, Hypothesis, Name, Quantifier, QuantifierKind, RecordExpr, Rule,
    Scope, VerdictClass,
};

/// Members with their verdicts.
pub(super) type Verdicts = Vec<(Binding, Outcome)>;

/// A clause: its name, its verdict, its members.
pub(super) type ClauseHeard = (Name, Outcome, Verdicts);

/// The verdict of one cell of a hypothesis's grid; a hypothesis without a grid has one cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub at: Binding,
    pub outcome: Outcome,
    pub members: Verdicts,
    pub clauses: Vec<ClauseHeard>,
}

/// A hypothesis under one analysis set.
#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub set: usize,
    pub cells: Vec<Cell>,
}

/// What was decided so far.
pub(super) struct Court<'a> {
    pub frame: &'a Frame<'a>,
    pub store: &'a Store,
    /// Names of the analysis sets by number.
    pub sets: &'a [Name],
    pub gates: BTreeMap<Name, GateHeard>,
    pub verdicts: BTreeMap<Name, Vec<Heard>>,
}

/// A rule with what it is asked about.
struct Question<'q> {
    set: usize,
    abouts: Vec<About>,
    scope: Option<&'q Scope>,
    rule: &'q Rule,
    evaluable: Option<&'q Condition>,
    /// Whether it is a hypothesis's own rule, with evidence of its own or without.
    components: BTreeMap<Component, Known>,
}

type Asked = (Outcome, Verdicts);

impl Court<'_> {
    /// Hears a hypothesis under every analysis set that it names.
    pub fn hear(&mut self, name: &Name, hypothesis: &Hypothesis) {
        let sets = hypothesis.sets.iter().filter_map(|set| self.sets.iter().position(|own| own == set));
        let heard: Vec<Heard> = sets
            .map(|set| {
                let cells = self.grid(hypothesis).iter().map(|at| self.cell(hypothesis, set, at)).collect();
                Heard { set, cells }
            })
            .collect();
        self.verdicts.insert(name.clone(), heard);
    }

    fn grid(&self, hypothesis: &Hypothesis) -> Vec<Binding> {
        if hypothesis.grid.is_empty() {
            return vec![Binding::new()];
        }
        let filter = hypothesis.scope.as_ref().and_then(|scope| scope.filter.as_ref());
        let carrying = |about: &&About| {
            let estimand = self.frame.spec.estimands.get(&about.estimand);
            let has = |factor: &Name| estimand.is_some_and(|e| e.per.iter().any(|per| per.factor == *factor));
            hypothesis.grid.iter().any(has)
        };
        let clauses = hypothesis.clauses.values().flat_map(|clause| &clause.about);
        let abouts: Vec<About> = hypothesis.about.iter().chain(clauses).filter(carrying).cloned().collect();
        joined_members(self.frame, &abouts, filter, &hypothesis.grid, &Binding::new())
    }

    fn cell(&self, hypothesis: &Hypothesis, set: usize, at: &Binding) -> Cell {
        let mut cell = Cell {
            at: at.clone(),
            outcome: outcome(VerdictClass::NotEvaluable, Some("it has no rule".to_owned())),
            members: Vec::new(),
            clauses: Vec::new(),
        };
        if let Some(reason) = self.too_early(hypothesis, set, at) {
            cell.outcome = outcome(VerdictClass::NotEvaluated, Some(reason));
            return cell;
        }
        for (name, clause) in &hypothesis.clauses {
            let abouts = if clause.about.is_empty() { &hypothesis.about } else { &clause.about };
            let question = Question {
                set,
                abouts: abouts.clone(),
                scope: clause.scope.as_ref(),
                rule: &clause.rule,
                evaluable: clause.evaluable.as_ref(),
                components: self.components(
                    hypothesis,
                    set,
                    at,
                    &clause.rule,
                    clause.evaluable.as_ref(),
                    &cell.clauses,
                ),
            };
            let (verdict, members) = self.ask(hypothesis, &question, at);
            cell.clauses.push((name.clone(), verdict, members));
        }
        if let Some(rule) = &hypothesis.rule {
            let question = Question {
                set,
                abouts: hypothesis.about.clone(),
                scope: hypothesis.scope.as_ref(),
                rule,
                evaluable: hypothesis.evaluable.as_ref(),
                components: self.components(hypothesis, set, at, rule, hypothesis.evaluable.as_ref(), &cell.clauses),
            };
            (cell.outcome, cell.members) = self.ask(hypothesis, &question, at);
            if cell.outcome.nearest.is_none() {
                cell.outcome.nearest = nearest_of(cell.clauses.iter().map(|(_, outcome, _)| outcome));
            }
        }
        cell
    }

    fn ask(&self, hypothesis: &Hypothesis, question: &Question<'_>, at: &Binding) -> Asked {
        let Some(scope) = question.scope else {
            return (self.once(hypothesis, question, at, None), Vec::new());
        };
        let filter = scope.filter.as_ref();
        let mut factors: Vec<Name> = at.keys().cloned().collect();
        factors.extend(scope.quantifiers.iter().flat_map(|quantifier| quantifier.factors.iter().cloned()));
        let abouts = read_abouts(question.rule, question.evaluable, &question.abouts);
        let members: Vec<(Binding, Outcome)> = joined_members(self.frame, &abouts, filter, &factors, at)
            .into_iter()
            .map(|mut member| {
                member.extend(at.iter().map(|(factor, level)| (factor.clone(), level.clone())));
                let whole = with_pinned(self.frame, &abouts, filter, &member);
                let verdict = self.once(hypothesis, question, &whole, filter);
                (member, verdict)
            })
            .collect();
        let mut whole = quantified(&scope.quantifiers, &members);
        relabel(question.rule, &scope.quantifiers, &mut whole);
        whole.nearest = nearest_of(members.iter().map(|(_, outcome)| outcome));
        (whole, members)
    }

    fn once(
        &self,
        hypothesis: &Hypothesis,
        question: &Question<'_>,
        member: &Binding,
        filter: Option<&RecordExpr>,
    ) -> Outcome {
        if let Some(stopped) = self.gated(hypothesis, question, member) {
            return stopped;
        }
        let scene = self.scene(question, member, filter);
        let mut verdict = scene.judge(question.rule, question.evaluable);
        verdict.nearest = nearest(&scene, question.rule);
        verdict
    }

    fn scene<'s>(
        &'s self,
        question: &'s Question<'_>,
        member: &'s Binding,
        filter: Option<&'s RecordExpr>,
    ) -> Scene<'s> {
        Scene {
            frame: self.frame,
            store: self.store,
            set: question.set,
            abouts: &question.abouts,
            member,
            filter,
            components: &question.components,
            along: None,
        }
    }

    /// What failed or unevaluable gates make of a member, when they touch it.
    fn gated(&self, hypothesis: &Hypothesis, question: &Question<'_>, member: &Binding) -> Option<Outcome> {
        let has_evidence = reads_evidence(question.rule);
        let mut bound = member.clone();
        for about in &question.abouts {
            bound.extend(super::evidence::pins(self.frame.spec, about));
        }
        let mut unevaluable = None;
        for name in &hypothesis.requires {
            let Some(gate) = self.gates.get(name) else { continue };
            // A rule over clauses has no member of its own: a gate by members reaches it through the clauses.
            if gate.by_member && !has_evidence {
                continue;
            }
            for (at, passed) in gate.members.iter().filter(|(at, _)| self.touches(at, &bound)) {
                match passed {
                    Ok(true) => {}
                    Ok(false) => return Some(gate.stopped(name, at)),
                    Err(reason) => {
                        unevaluable =
                            unevaluable.or_else(|| Some(format!("the gate {name} cannot be evaluated: {reason}")));
                    }
                }
            }
        }
        unevaluable.map(|reason| outcome(VerdictClass::NotEvaluable, Some(reason)))
    }

    fn touches(&self, gate: &Binding, member: &Binding) -> bool {
        gate.iter().all(|(factor, level)| group_of(self.frame.spec, member, factor).is_none_or(|own| own == *level))
    }

    /// Why a hypothesis is not evaluated yet, by its order conditions.
    fn too_early(&self, hypothesis: &Hypothesis, set: usize, at: &Binding) -> Option<String> {
        hypothesis.after.iter().find_map(|condition| {
            let mut components = BTreeMap::new();
            self.named(condition, hypothesis, set, at, &[], &mut components);
            let scene = Scene {
                frame: self.frame,
                store: self.store,
                set,
                abouts: &hypothesis.about,
                member: at,
                filter: None,
                components: &components,
                along: None,
            };
            match scene.condition(condition) {
                Ok(true) => None,
                Ok(false) => Some(format!("it comes after {condition}, which does not hold")),
                Err(reason) => Some(format!("it comes after {condition}: {reason}")),
            }
        })
    }

    fn components(
        &self,
        hypothesis: &Hypothesis,
        set: usize,
        at: &Binding,
        rule: &Rule,
        evaluable: Option<&Condition>,
        clauses: &[ClauseHeard],
    ) -> BTreeMap<Component, Known> {
        let mut known = BTreeMap::new();
        for condition in conditions_of(rule).chain(evaluable) {
            self.named(condition, hypothesis, set, at, clauses, &mut known);
        }
        known
    }

    /// The verdicts that a condition names, as they stand for a cell.
    fn named(
        &self,
        condition: &Condition,
        hypothesis: &Hypothesis,
        set: usize,
        at: &Binding,
        clauses: &[ClauseHeard],
        into: &mut BTreeMap<Component, Known>,
    ) {
        match condition {
            Condition::Is { subject, clause: true, some, .. } => {
                let own = hypothesis.clauses.get(subject);
                let found = clauses.iter().find(|(name, ..)| name == subject);
                let Some((own, (_, verdict, members))) = own.zip(found) else { return };
                let alternatives = alternatives(&own.rule, own.scope.as_ref());
                self.enter(subject, true, some.as_ref(), verdict, members, own.scope.as_ref(), &alternatives, into);
            }
            Condition::Is { subject, clause: false, some, .. } => {
                self.verdict(subject, hypothesis.role, set, at, some.as_ref(), into);
            }
            Condition::Not(inner) => self.named(inner, hypothesis, set, at, clauses, into),
            Condition::And(parts) | Condition::Or(parts) => {
                for part in parts {
                    self.named(part, hypothesis, set, at, clauses, into);
                }
            }
            Condition::Compare(..) | Condition::Within(..) => {}
        }
    }

    /// Enters the verdict on another hypothesis as one that asks for it may use it.
    pub fn verdict(
        &self,
        subject: &Name,
        asker: Claim,
        set: usize,
        at: &Binding,
        some: Option<&Name>,
        into: &mut BTreeMap<Component, Known>,
    ) {
        let spec = self.frame.spec;
        let other = spec.hypotheses.get(subject);
        let rule = other.and_then(|other| other.rule.as_ref());
        let scope = other.and_then(|other| other.scope.as_ref());
        let alternatives = rule.map_or_else(three_classes, |rule| alternatives(rule, scope));
        let mut enter_one = |reason: String| {
            let verdict = outcome(VerdictClass::NotEvaluable, Some(reason));
            self.enter(subject, false, some, &verdict, &[], None, &alternatives, into);
        };
        if asker != Claim::Exploratory && other.is_some_and(|other| other.role == Claim::Exploratory) {
            return enter_one("it is exploratory, and feeds no confirmatory verdict".to_owned());
        }
        let heard = self.verdicts.get(subject);
        let heard = heard.and_then(|heard| heard.iter().find(|heard| heard.set == set).or_else(|| heard.first()));
        let Some(heard) = heard.filter(|_| rule.is_some()) else {
            return enter_one("it has no verdict".to_owned());
        };
        let here = |cell: &&Cell| cell.at.iter().all(|(factor, level)| at.get(factor) == Some(level));
        if let Some(cell) = heard.cells.iter().find(here) {
            return self.enter(subject, false, some, &cell.outcome, &cell.members, scope, &alternatives, into);
        }
        if some.is_some() {
            // In a grid every cell of a group must give the class.
            let cells: Vec<(Binding, Outcome)> =
                heard.cells.iter().map(|cell| (cell.at.clone(), cell.outcome.clone())).collect();
            let factors = other.map(|other| other.grid.clone()).unwrap_or_default();
            let every = Scope {
                quantifiers: vec![Quantifier { kind: QuantifierKind::All, factors, when_lost: Vec::new() }],
                filter: None,
            };
            let whole = quantified(&every.quantifiers, &cells);
            return self.enter(subject, false, some, &whole, &cells, Some(&every), &alternatives, into);
        }
        enter_one("it has a grid of verdicts and no one of them is meant here".to_owned());
    }

    #[expect(clippy::too_many_arguments, reason = "one component has that many parts")]
    fn enter(
        &self,
        subject: &Name,
        clause: bool,
        some: Option<&Name>,
        verdict: &Outcome,
        members: &[(Binding, Outcome)],
        scope: Option<&Scope>,
        alternatives: &[(Name, VerdictClass)],
        into: &mut BTreeMap<Component, Known>,
    ) {
        let mut put = |group: Option<(Name, Name)>, outcome: Outcome| {
            let component = Component { clause, subject: subject.clone(), group };
            into.insert(component, Known { outcome, alternatives: alternatives.to_vec() });
        };
        let Some(attribute) = some else { return put(None, verdict.clone()) };
        let mut groups: BTreeMap<Name, Vec<(Binding, Outcome)>> = BTreeMap::new();
        for (member, outcome) in members {
            if let Some(level) = group_of(self.frame.spec, member, attribute) {
                groups.entry(level).or_default().push((member.clone(), outcome.clone()));
            }
        }
        let quantifiers: Vec<Quantifier> =
            scope.map(|scope| scope.quantifiers.iter().map(within_group).collect()).unwrap_or_default();
        for (level, group) in groups {
            put(Some((attribute.clone(), level)), quantified(&quantifiers, &group));
        }
    }

    /// A hypothesis under one set as every presentation shows it.
    pub fn shown(&self, hypothesis: &Hypothesis, heard: &Heard) -> SetVerdict {
        let set = self.sets.get(heard.set).cloned().unwrap_or_default();
        let is_grid = !hypothesis.grid.is_empty();
        let mut shown = SetVerdict {
            set,
            outcome: None,
            grid: Vec::new(),
            members: Vec::new(),
            clauses: Vec::new(),
            evidence: Vec::new(),
        };
        if hypothesis.descriptive || hypothesis.rule.is_none() {
            shown.evidence = self.evidence(heard.set, &hypothesis.about, &Binding::new(), None, None);
            return shown;
        }
        for cell in &heard.cells {
            let rule = hypothesis.rule.as_ref();
            let filter = hypothesis.scope.as_ref().and_then(|scope| scope.filter.as_ref());
            let member = |(member, outcome): &(Binding, Outcome)| MemberVerdict {
                member: in_order(member, hypothesis.scope.as_ref(), &hypothesis.grid),
                outcome: outcome.clone(),
                evidence: self.evidence(heard.set, &hypothesis.about, member, rule, filter),
            };
            shown.members.extend(cell.members.iter().map(member));
            let has_own = rule.is_some_and(reads_evidence) && hypothesis.scope.is_none();
            let own =
                if has_own { self.evidence(heard.set, &hypothesis.about, &cell.at, rule, None) } else { Vec::new() };
            if is_grid {
                let member = in_order(&cell.at, None, &hypothesis.grid);
                shown.grid.push(MemberVerdict { member, outcome: cell.outcome.clone(), evidence: own });
            } else {
                shown.outcome = Some(cell.outcome.clone());
                shown.evidence = own;
            }
            for (name, outcome, members) in &cell.clauses {
                let Some(clause) = hypothesis.clauses.get(name) else { continue };
                let abouts = if clause.about.is_empty() { &hypothesis.about } else { &clause.about };
                let filter = clause.scope.as_ref().and_then(|scope| scope.filter.as_ref());
                let one = |at: &Binding, outcome: &Outcome| MemberVerdict {
                    member: in_order(at, clause.scope.as_ref(), &hypothesis.grid),
                    outcome: outcome.clone(),
                    evidence: self.evidence(heard.set, abouts, at, Some(&clause.rule), filter),
                };
                let mut verdicts: Vec<MemberVerdict> = members.iter().map(|(at, outcome)| one(at, outcome)).collect();
                if clause.scope.is_none() {
                    verdicts.push(one(&cell.at, outcome));
                }
                let place: Vec<String> = cell.at.iter().map(|(factor, level)| format!("{factor}: {level}")).collect();
                let name = if place.is_empty() { name.clone() } else { format!("{name}[{}]", place.join(", ")) };
                shown.clauses.push((name, outcome.clone(), verdicts));
            }
        }
        shown
    }

    /// The evidence of every `about` that a rule reads (all, without a rule) in the members that agree with a binding.
    pub fn evidence(
        &self,
        set: usize,
        abouts: &[About],
        at: &Binding,
        rule: Option<&Rule>,
        filter: Option<&RecordExpr>,
    ) -> Vec<EstimandResult> {
        let mut shown = Vec::new();
        let read = rule.map_or_else(|| abouts.to_vec(), |rule| read_abouts(rule, None, abouts));
        let components = BTreeMap::new();
        for about in &read {
            for member in members_of(self.frame, about, filter, at) {
                let Some(found) = self.store.evidence.get(&(set, about.estimand.clone(), member.clone())) else {
                    continue;
                };
                let mut result = found.shown.clone();
                result.alias.clone_from(&about.alias);
                result
                    .intervals
                    .retain(|interval| about.intervals.contains(&interval.name) || interval.name == "reported");
                result.tests.retain(|test| about.tests.contains(&test.name) || test.name == "reported");
                if let Some(rule) = rule.filter(|rule| !names_verdicts(rule)) {
                    let scene = Scene {
                        frame: self.frame,
                        store: self.store,
                        set,
                        abouts,
                        member: at,
                        filter,
                        components: &components,
                        along: None,
                    };
                    result.regions = regions(&scene, rule, &about.alias);
                }
                shown.push(result);
            }
        }
        shown
    }
}

/// The quantifier over one group: its n is the group's own.
fn within_group(quantifier: &Quantifier) -> Quantifier {
    let mut own = quantifier.clone();
    if let QuantifierKind::AtLeast { of, .. } = &mut own.kind {
        // Zero gives way to the number of members.
        *of = 0;
    }
    own
}

/// The `about`s that a rule reads; all of them when it reads none.
pub(super) fn read_abouts(rule: &Rule, evaluable: Option<&Condition>, abouts: &[About]) -> Vec<About> {
    let mut read = BTreeSet::new();
    conditions_of(rule).chain(evaluable).for_each(|condition| aliases_in(condition, &mut read));
    if read.is_empty() {
        return abouts.to_vec();
    }
    abouts.iter().filter(|about| read.contains(&about.alias)).cloned().collect()
}

/// The conditions of a rule's cases.
pub(super) fn conditions_of(rule: &Rule) -> impl Iterator<Item = &Condition> {
    rule.cases.iter().filter_map(|case| match &case.when {
        CaseCondition::When(condition) => Some(condition),
        CaseCondition::Otherwise => None,
    })
}

fn names_verdicts(rule: &Rule) -> bool {
    fn any(condition: &Condition) -> bool {
        match condition {
            Condition::Is { .. } => true,
            Condition::Not(inner) => any(inner),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().any(any),
            Condition::Compare(..) | Condition::Within(..) => false,
        }
    }
    conditions_of(rule).any(any)
}

/// Label and class of everything a rule can give, over its scope if it has one.
fn alternatives(rule: &Rule, scope: Option<&Scope>) -> Vec<(Name, VerdictClass)> {
    let mut found: Vec<(Name, VerdictClass)> = match scope {
        None => rule.cases.iter().map(|case| (case.label.clone(), case.class.into())).collect(),
        Some(scope) => three_classes()
            .into_iter()
            .map(|(_, class)| {
                let mut whole = outcome(class, None);
                relabel(rule, &scope.quantifiers, &mut whole);
                (whole.label, class)
            })
            .collect(),
    };
    found.sort();
    found.dedup();
    found
}

fn three_classes() -> Vec<(Name, VerdictClass)> {
    let classes = [VerdictClass::Supported, VerdictClass::Contradicted, VerdictClass::Inconclusive];
    classes.into_iter().map(|class| (class.word().to_owned(), class)).collect()
}

/// A verdict over members carries the rule's own label when the rule has exactly one for the class. `none` swaps classes, so
/// that no label of the rule fits; a middle that comes from counting members is no label's.
fn relabel(rule: &Rule, quantifiers: &[Quantifier], whole: &mut Outcome) {
    let swaps = quantifiers.iter().any(|quantifier| quantifier.kind == QuantifierKind::None);
    if swaps || is_engine(whole.class) || whole.class == VerdictClass::Inconclusive {
        return;
    }
    let labels: BTreeSet<&Name> = rule
        .cases
        .iter()
        .filter(|case| case.class != Class::Inconclusive && VerdictClass::from(case.class) == whole.class)
        .map(|case| &case.label)
        .collect();
    if let (Some(label), 1) = (labels.first(), labels.len()) {
        whole.label = (*label).clone();
    }
}

/// Factor and level in the order in which a grid and a scope name the factors.
fn in_order(member: &Binding, scope: Option<&Scope>, grid: &[Name]) -> Vec<(Name, Name)> {
    let quantified = scope.into_iter().flat_map(|scope| &scope.quantifiers).flat_map(|quantifier| &quantifier.factors);
    let mut listed: Vec<(Name, Name)> = Vec::new();
    for factor in grid.iter().chain(quantified).chain(member.keys()) {
        if let Some(level) = member.get(factor)
            && !listed.iter().any(|(own, _)| own == factor)
        {
            listed.push((factor.clone(), level.clone()));
        }
    }
    listed
}
