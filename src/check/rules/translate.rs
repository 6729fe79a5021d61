//! From a rule to the prover's formulas: each number of evidence becomes a variable with its declared range, each verdict a
//! variable over its possible outcomes, and what always holds between them an axiom.

use std::collections::BTreeMap;

use crate::check::prover::{self, Budget, Formula, Problem, Sort, VarId, Variable, Witness};
use crate::math::Rational;
use crate::spec::words::quantity;
use crate::spec::{
    About, ArithmeticOp, Class, Condition, Dimension, EvidenceKind, EvidenceRef, LevelRef, Name, NumberType, Relation,
    Rule, Spec, Term, VerdictClass,
};

/// What a variable stands for. Two abouts of one estimand in one cell share their variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// A number of evidence.
    Evidence { estimand: Name, at: Vec<(Name, LevelRef)>, method: Option<Name>, kind: EvidenceKind },
    /// A sourced constant with one entry per level.
    Value(Name),
    /// How many members satisfy a condition.
    Count(Vec<Name>, Condition),
    /// The outcome of a clause or a hypothesis.
    Verdict { subject: Name, clause: Option<Name> },
    /// Whether it has a label inside some level of an attribute.
    Some { subject: Name, clause: Option<Name>, label: Name, some: Name },
}

/// One possible outcome of a verdict: its label and its class.
pub(super) type OutcomeName = (Name, VerdictClass);

/// Where conditions are read: which evidence and which verdicts they may name.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// The hypothesis that the condition belongs to; empty for conclusions.
    pub hypothesis: &'a str,
    /// The evidence.
    pub about: &'a [About],
    /// Whether a verdict may also be one that only the engine gives.
    pub engine_classes: bool,
}

/// A problem under construction.
pub(super) struct Translator<'a> {
    spec: &'a Spec,
    pub problem: Problem,
    variables: BTreeMap<Meaning, VarId>,
    meanings: Vec<(Meaning, String, Dimension)>,
    outcomes: BTreeMap<VarId, Vec<OutcomeName>>,
    pub budget: Budget,
}

impl<'a> Translator<'a> {
    pub(super) fn new(spec: &'a Spec) -> Self {
        Self {
            spec,
            problem: Problem::default(),
            variables: BTreeMap::new(),
            meanings: Vec::new(),
            outcomes: BTreeMap::new(),
            budget: Budget::default(),
        }
    }

    fn variable(&mut self, meaning: Meaning, name: String, dimension: Dimension, variable: Variable) -> VarId {
        let id = self.problem.add(variable);
        self.variables.insert(meaning.clone(), id);
        self.meanings.push((meaning, name, dimension));
        id
    }

    /// The variables of evidence that come from one interval or test of one about, if the rule reads any.
    pub(super) fn evidence_of(&self, about: &About) -> Vec<(VarId, Option<Name>, EvidenceKind)> {
        self.variables
            .iter()
            .filter_map(|(meaning, id)| {
                let Meaning::Evidence { estimand, at, method, kind } = meaning else { return None };
                (*estimand == about.estimand && *at == about.at).then(|| (*id, method.clone(), *kind))
            })
            .collect()
    }

    pub(super) fn evidence(&mut self, context: Context<'_>, evidence: &EvidenceRef) -> VarId {
        let about = context.about.iter().find(|about| about.alias == evidence.about);
        let (estimand, at) = about
            .map_or_else(|| (evidence.about.clone(), Vec::new()), |about| (about.estimand.clone(), about.at.clone()));
        let meaning =
            Meaning::Evidence { estimand: estimand.clone(), at, method: evidence.method.clone(), kind: evidence.kind };
        if let Some(id) = self.variables.get(&meaning) {
            return *id;
        }
        let kind = self.spec.estimands.get(&estimand).map(|estimand| estimand.kind.clone()).unwrap_or_default();
        let shown = if context.about.len() == 1 { evidence.kind.word().to_owned() } else { evidence.to_string() };
        let (variable, dimension) = match evidence.kind {
            EvidenceKind::Estimate => (number(&shown, &kind, kind.integer), kind.dimension.clone()),
            EvidenceKind::Lower | EvidenceKind::Upper => (number(&shown, &kind, false), kind.dimension.clone()),
            EvidenceKind::P | EvidenceKind::PAdjusted => {
                (Variable::new(shown.as_str(), Sort::Real).at_least(whole(0)).at_most(whole(1)), Dimension::Plain)
            }
            EvidenceKind::N | EvidenceKind::Clusters => {
                (Variable::new(shown.as_str(), Sort::Int).at_least(whole(0)), Dimension::Count)
            }
        };
        let id = self.variable(meaning.clone(), shown, dimension, variable);
        self.pair_axiom(&meaning, id);
        id
    }

    /// `lower <= upper` and `p <= p_adjusted`, once both are read. `lower <= estimate <= upper` is no axiom: percentile
    /// intervals break it.
    fn pair_axiom(&mut self, meaning: &Meaning, id: VarId) {
        let Meaning::Evidence { estimand, at, method, kind } = meaning else { return };
        let (partner, first) = match kind {
            EvidenceKind::Lower => (EvidenceKind::Upper, true),
            EvidenceKind::Upper => (EvidenceKind::Lower, false),
            EvidenceKind::P => (EvidenceKind::PAdjusted, true),
            EvidenceKind::PAdjusted => (EvidenceKind::P, false),
            EvidenceKind::Estimate | EvidenceKind::N | EvidenceKind::Clusters => return,
        };
        let partner =
            Meaning::Evidence { estimand: estimand.clone(), at: at.clone(), method: method.clone(), kind: partner };
        if let Some(other) = self.variables.get(&partner).copied() {
            let (small, large) = if first { (id, other) } else { (other, id) };
            self.problem.assume(prover::Term::from(small).le(large.into()));
        }
    }

    fn term(&mut self, context: Context<'_>, term: &Term) -> prover::Term {
        match term {
            Term::Constant(value) => prover::Term::Const(value.value.clone()),
            Term::Margin(name) => prover::Term::Const(
                self.spec.margins.get(name).map(|margin| margin.low.value.clone()).unwrap_or_default(),
            ),
            Term::MarginHigh(name) => prover::Term::Const(
                self.spec
                    .margins
                    .get(name)
                    .and_then(|margin| margin.high.as_ref())
                    .map(|high| high.value.clone())
                    .unwrap_or_default(),
            ),
            Term::Value(name) => self.value(name),
            Term::Evidence(evidence) => self.evidence(context, evidence).into(),
            Term::CountMembers(factors, condition) => self.count(context, factors, condition).into(),
            Term::Arithmetic(left, op, right) => {
                let (left, right) = (self.term(context, left), self.term(context, right));
                match op {
                    ArithmeticOp::Add => left + right,
                    ArithmeticOp::Subtract => left - right,
                    ArithmeticOp::Multiply => left * right,
                    ArithmeticOp::Divide => left / right,
                }
            }
            Term::Negate(inner) => -self.term(context, inner),
            Term::Abs(inner) => self.term(context, inner).abs(),
            Term::Minimum(parts) => prover::Term::Min(parts.iter().map(|part| self.term(context, part)).collect()),
            Term::Maximum(parts) => prover::Term::Max(parts.iter().map(|part| self.term(context, part)).collect()),
        }
    }

    fn value(&mut self, name: &Name) -> prover::Term {
        let Some(table) = self.spec.values.get(name) else { return prover::Term::whole(0) };
        let mut entries = table.entries.values();
        let (Some(first), None) = (entries.next(), entries.next()) else {
            let meaning = Meaning::Value(name.clone());
            if let Some(id) = self.variables.get(&meaning) {
                return (*id).into();
            }
            let mut variable = Variable::new(name.as_str(), Sort::Real);
            let low = table.entries.values().map(|entry| entry.value.clone()).min();
            let high = table.entries.values().map(|entry| entry.value.clone()).max();
            if let (Some(low), Some(high)) = (low, high) {
                variable = variable.at_least(low).at_most(high);
            }
            let dimension = table.entries.values().next().map(|entry| entry.dimension.clone()).unwrap_or_default();
            return self.variable(meaning, name.clone(), dimension, variable).into();
        };
        prover::Term::Const(first.value.clone())
    }

    /// A count over members: between 0 and their number, and consistent with every other count over the same members.
    fn count(&mut self, context: Context<'_>, factors: &[Name], condition: &Condition) -> VarId {
        let meaning = Meaning::Count(factors.to_vec(), condition.clone());
        if let Some(id) = self.variables.get(&meaning) {
            return *id;
        }
        let shown = format!("count({} where {condition})", factors.join(", "));
        let members = members(self.spec, context.about, factors);
        let mut variable = Variable::new(shown.as_str(), Sort::Int).at_least(whole(0));
        if let Some(members) = members {
            variable = variable.at_most(Rational::from_integer(members.into()));
        }
        let others: Vec<(VarId, Condition)> = self
            .variables
            .iter()
            .filter_map(|(other, id)| {
                let Meaning::Count(over, condition) = other else { return None };
                (over == factors).then(|| (*id, condition.clone()))
            })
            .collect();
        let id = self.variable(meaning, shown, Dimension::Count, variable);
        for (other, other_condition) in others {
            self.relate_counts(context, members, (id, condition), (other, &other_condition));
        }
        id
    }

    fn relate_counts(
        &mut self,
        context: Context<'_>,
        members: Option<u64>,
        (id, condition): (VarId, &Condition),
        (other, other_condition): (VarId, &Condition),
    ) {
        let mut inner = Translator::new(self.spec);
        let (Some(a), Some(b)) = (inner.condition(context, condition), inner.condition(context, other_condition))
        else {
            return;
        };
        let entails = |premise: &Formula, conclusion: &Formula| {
            prover::entails(&inner.problem, premise, conclusion, &inner.budget).unwrap_or(false)
        };
        if entails(&a, &b) {
            self.problem.assume(prover::Term::from(id).le(other.into()));
        }
        if entails(&b, &a) {
            self.problem.assume(prover::Term::from(other).le(id.into()));
        }
        let Some(members) = members else { return };
        let sum = prover::Term::from(id) + other.into();
        let all = prover::Term::Const(Rational::from_integer(members.into()));
        if entails(&a.clone().and(b.clone()), &Formula::False) {
            self.problem.assume(sum.clone().le(all.clone()));
        }
        if entails(&Formula::True, &a.or(b)) {
            self.problem.assume(sum.ge(all));
        }
    }

    /// The formula of a condition; `None` when it names a verdict that does not exist, which another check reports.
    pub(super) fn condition(&mut self, context: Context<'_>, condition: &Condition) -> Option<Formula> {
        Some(match condition {
            Condition::Compare(left, relation, right) => {
                let (left, right) = (self.term(context, left), self.term(context, right));
                Formula::Compare(left, relation_of(*relation), right)
            }
            Condition::Within(inner, low, high) => {
                let (inner, low, high) = (self.term(context, inner), self.term(context, low), self.term(context, high));
                inner.clone().ge(low).and(inner.le(high))
            }
            Condition::Is { subject, clause, negated, label, some } => {
                let holds = match some {
                    None => self.verdict_is(context, subject, *clause, label)?,
                    Some(some) => self.some_is(context, subject, *clause, label, some)?,
                };
                if *negated { !holds } else { holds }
            }
            Condition::Not(inner) => !self.condition(context, inner)?,
            Condition::And(parts) => {
                Formula::And(parts.iter().map(|part| self.condition(context, part)).collect::<Option<_>>()?)
            }
            Condition::Or(parts) => {
                Formula::Or(parts.iter().map(|part| self.condition(context, part)).collect::<Option<_>>()?)
            }
        })
    }

    fn verdict(&mut self, context: Context<'_>, subject: &Name, clause: bool) -> Option<VarId> {
        let meaning = if clause {
            Meaning::Verdict { subject: context.hypothesis.to_owned(), clause: Some(subject.clone()) }
        } else {
            Meaning::Verdict { subject: subject.clone(), clause: None }
        };
        if let Some(id) = self.variables.get(&meaning) {
            return Some(*id);
        }
        let rule = if clause {
            &self.spec.hypotheses.get(context.hypothesis)?.clauses.get(subject)?.rule
        } else {
            self.spec.hypotheses.get(subject)?.rule.as_ref()?
        };
        let outcomes = outcomes(rule, context.engine_classes);
        let names = outcomes.iter().map(|(label, _)| label.clone()).collect();
        let id = self.variable(
            meaning,
            subject.clone(),
            Dimension::Plain,
            Variable::new(subject.as_str(), Sort::Class(names)),
        );
        self.outcomes.insert(id, outcomes);
        Some(id)
    }

    fn verdict_is(&mut self, context: Context<'_>, subject: &Name, clause: bool, label: &Name) -> Option<Formula> {
        let id = self.verdict(context, subject, clause)?;
        let positions = self.outcomes.get(&id)?.iter().enumerate().filter_map(|(at, (name, class))| {
            let is = name == label || VerdictClass::from_word(label) == Some(*class);
            is.then_some(at)
        });
        Some(Formula::Is(id, positions.collect()))
    }

    fn some_is(
        &mut self,
        context: Context<'_>,
        subject: &Name,
        clause: bool,
        label: &Name,
        some: &Name,
    ) -> Option<Formula> {
        let clause_name = clause.then(|| subject.clone());
        let owner = if clause { context.hypothesis.to_owned() } else { subject.clone() };
        let meaning = Meaning::Some { subject: owner, clause: clause_name, label: label.clone(), some: some.clone() };
        if let Some(id) = self.variables.get(&meaning) {
            return Some(Formula::Is(*id, vec![1]));
        }
        let shown = format!("{subject} is {label} for some {some}");
        let variable = Variable::new(shown.as_str(), Sort::Class(vec!["no".to_owned(), "yes".to_owned()]));
        let id = self.variable(meaning, shown, Dimension::Plain, variable);
        let holds = Formula::Is(id, vec![1]);
        // A class that a quantified claim has as a whole, some level shows too.
        if matches!(VerdictClass::from_word(label), Some(VerdictClass::Supported | VerdictClass::Contradicted)) {
            let whole = self.verdict_is(context, subject, clause, label)?;
            self.problem.assume((!whole).or(holds.clone()));
        }
        Some(holds)
    }

    /// The values of a witness that the formulas speak of, in the study's units.
    pub(super) fn show(&self, witness: &Witness) -> String {
        let shown: Vec<String> = self
            .meanings
            .iter()
            .filter_map(|(meaning, name, dimension)| {
                let id = self.variables.get(meaning)?;
                if let Some(value) = witness.number(*id) {
                    return Some(format!("{name} = {}", quantity(value, dimension)));
                }
                let class = witness.class(*id)?;
                match self.outcomes.get(id) {
                    Some(outcomes) => outcomes.get(class).map(|(label, _)| format!("{name} is {label}")),
                    None => Some(if class == 1 { name.clone() } else { format!("not ({name})") }),
                }
            })
            .collect();
        shown.join(", ")
    }
}

/// The outcomes a rule can give, sorted, and those of the engine when they count.
pub(super) fn outcomes(rule: &Rule, engine_classes: bool) -> Vec<OutcomeName> {
    let mut out: Vec<OutcomeName> = rule.cases.iter().map(|case| (case.label.clone(), case.class.into())).collect();
    if engine_classes {
        let engine = [VerdictClass::Void, VerdictClass::NotEvaluated, VerdictClass::NotEvaluable];
        out.extend(engine.map(|class| (class.word().to_owned(), class)));
        // A quantifier gives its three classes whatever the labels of its members.
        out.extend([Class::Supported, Class::Contradicted, Class::Inconclusive].map(|class| {
            let class = VerdictClass::from(class);
            (class.word().to_owned(), class)
        }));
    }
    out.sort();
    out.dedup();
    out
}

fn number(name: &str, kind: &NumberType, integer: bool) -> Variable {
    let mut variable = Variable::new(name, if integer { Sort::Int } else { Sort::Real });
    if let Some(lower) = &kind.bounds.lower {
        variable = variable.at_least(lower.clone());
    }
    if let Some(upper) = &kind.bounds.upper {
        variable = variable.at_most(upper.clone());
    }
    variable
}

fn whole(value: i64) -> Rational {
    Rational::from_integer(value.into())
}

const fn relation_of(relation: Relation) -> prover::Relation {
    match relation {
        Relation::Less => prover::Relation::Lt,
        Relation::LessEqual => prover::Relation::Le,
        Relation::Equal => prover::Relation::Eq,
        Relation::NotEqual => prover::Relation::Ne,
        Relation::GreaterEqual => prover::Relation::Ge,
        Relation::Greater => prover::Relation::Gt,
    }
}

/// How many members a count runs over, when the study alone says so.
pub(super) fn members(spec: &Spec, about: &[About], factors: &[Name]) -> Option<u64> {
    let per = |factor: &Name| {
        about
            .iter()
            .filter_map(|about| spec.estimands.get(&about.estimand))
            .flat_map(|estimand| &estimand.per)
            .find(|per| per.factor == *factor)
    };
    factors.iter().try_fold(1_u64, |product, factor| {
        let levels = level_count(spec, factor)?;
        let left = match per(factor) {
            Some(per) if per.pair => {
                let levels = levels.saturating_sub(per.except.len() as u64);
                levels * levels.saturating_sub(1) / 2
            }
            Some(per) => levels.saturating_sub(per.except.len() as u64),
            None => levels,
        };
        product.checked_mul(left)
    })
}

/// How many levels a factor, an attribute or the unit has.
pub(super) fn level_count(spec: &Spec, name: &str) -> Option<u64> {
    use crate::spec::{TaskSource, ValueType};
    if let Some(factor) = spec.factors.get(name) {
        return u64::try_from(factor.levels.len()).ok();
    }
    let tasks = spec.tasks.as_ref()?;
    if tasks.name == name {
        return match &tasks.source {
            TaskSource::Count(count) => Some(*count),
            TaskSource::List(keys) => u64::try_from(keys.len()).ok(),
            TaskSource::File { .. } => tasks
                .expectations
                .iter()
                .find(|expectation| expectation.filter.is_none())
                .map(|expectation| expectation.count),
        };
    }
    let kind = tasks
        .attributes
        .get(name)
        .map(|attribute| &attribute.kind)
        .or_else(|| tasks.defines.get(name).map(|define| &define.kind))?;
    match kind {
        ValueType::Level(levels) => u64::try_from(levels.len()).ok(),
        ValueType::Bool => Some(2),
        ValueType::Number(_) | ValueType::Text => None,
    }
}
