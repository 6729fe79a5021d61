//! Gates: conditions without which dependants are not evaluated. Owns three-valued evaluation: a gate that cannot be evaluated is
//! neither passed nor failed.

use std::collections::BTreeMap;

use super::court::Court;
use super::judgment::{GateVerdict, Outcome};
use super::members::Binding;
use super::quantify::{is_engine, outcome};
use super::rule::{Component, Known, Scene, joined_members};
use crate::spec::{Claim, Condition, Gate, GateFailure, Name, Quantifier, QuantifierKind, VerdictClass};

/// Members with whether they pass, or why that is unknown.
type Passes = Vec<(Binding, Result<bool, String>)>;

/// What became of a gate.
#[derive(Debug, Clone)]
pub(super) struct GateHeard {
    /// The analysis set's number.
    pub set: usize,
    pub fail: GateFailure,
    pub reason: String,
    /// Whether its members are decided one by one.
    pub by_member: bool,
    pub members: Passes,
}

impl GateHeard {
    /// What the failure of a gate gives.
    pub fn stopped(&self, name: &str, at: &Binding) -> Outcome {
        let class = match self.fail {
            GateFailure::Void => VerdictClass::Void,
            GateFailure::NotEvaluated => VerdictClass::NotEvaluated,
        };
        let levels: Vec<&str> = at.values().map(String::as_str).collect();
        let place = if levels.is_empty() { String::new() } else { format!(" for {}", levels.join(", ")) };
        let why = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        outcome(class, Some(format!("the gate {name} failed{place}{why}")))
    }
}

impl Court<'_> {
    /// Evaluates a gate from the verdicts heard so far.
    pub fn try_gate(&mut self, name: &Name, gate: &Gate) {
        let set = self.sets.iter().position(|own| *own == gate.set).unwrap_or(usize::MAX);
        let filter = gate.scope.as_ref().and_then(|scope| scope.filter.as_ref());
        let at: Vec<Binding> = if gate.per.is_empty() {
            vec![Binding::new()]
        } else {
            joined_members(self.frame, &gate.about, filter, &gate.per, &Binding::new())
        };
        let members = at.into_iter().map(|at| {
            let passed = self.passed(gate, set, &at);
            (at, passed)
        });
        let heard = GateHeard {
            set,
            fail: gate.fail,
            reason: gate.reason.clone(),
            by_member: !gate.per.is_empty(),
            members: members.collect(),
        };
        self.gates.insert(name.clone(), heard);
    }

    fn passed(&self, gate: &Gate, set: usize, at: &Binding) -> Result<bool, String> {
        let Some(scope) = &gate.scope else { return self.required(gate, set, at) };
        let mut factors: Vec<Name> = at.keys().cloned().collect();
        factors.extend(scope.quantifiers.iter().flat_map(|quantifier| quantifier.factors.iter().cloned()));
        let members: Passes = joined_members(self.frame, &gate.about, scope.filter.as_ref(), &factors, at)
            .into_iter()
            .map(|member| {
                let passed = self.required(gate, set, &member);
                (member, passed)
            })
            .collect();
        all_quantified(&scope.quantifiers, &members)
    }

    fn required(&self, gate: &Gate, set: usize, member: &Binding) -> Result<bool, String> {
        let mut components: BTreeMap<Component, Known> = BTreeMap::new();
        self.named_by_gate(&gate.require, set, member, &mut components);
        if let Some((component, known)) = components.iter().find(|(_, known)| is_engine(known.outcome.class)) {
            let why = known.outcome.reason.as_deref().unwrap_or("no reason is recorded");
            return Err(format!("{} is {}: {why}", component.subject, known.outcome.class.word()));
        }
        let filter = gate.scope.as_ref().and_then(|scope| scope.filter.as_ref());
        let scene = Scene {
            frame: self.frame,
            store: self.store,
            set,
            abouts: &gate.about,
            member,
            filter,
            components: &components,
            along: None,
        };
        scene.condition(&gate.require)
    }

    fn named_by_gate(&self, condition: &Condition, set: usize, at: &Binding, into: &mut BTreeMap<Component, Known>) {
        match condition {
            Condition::Is { subject, some, .. } => {
                self.verdict(subject, Claim::Primary, set, at, some.as_ref(), into);
            }
            Condition::Not(inner) => self.named_by_gate(inner, set, at, into),
            Condition::And(parts) | Condition::Or(parts) => {
                for part in parts {
                    self.named_by_gate(part, set, at, into);
                }
            }
            Condition::Compare(..) | Condition::Within(..) => {}
        }
    }

    /// A gate as every presentation shows it.
    pub fn shown_gate(&self, name: &Name, gate: &Gate, heard: &GateHeard) -> GateVerdict {
        let filter = gate.scope.as_ref().and_then(|scope| scope.filter.as_ref());
        let member = |(at, passed): &(Binding, Result<bool, String>)| {
            let listed = gate.per.iter().filter_map(|factor| Some((factor.clone(), at.get(factor)?.clone())));
            (listed.collect(), passed.clone(), self.evidence(heard.set, &gate.about, at, None, filter))
        };
        GateVerdict {
            name: name.clone(),
            set: gate.set.clone(),
            fail: gate.fail,
            reason: gate.reason.clone(),
            members: heard.members.iter().map(member).collect(),
        }
    }
}

fn all_quantified(quantifiers: &[Quantifier], members: &[(Binding, Result<bool, String>)]) -> Result<bool, String> {
    let Some((outer, inner)) = quantifiers.split_first() else {
        return match members {
            [(_, only)] => only.clone(),
            [] => Err("no member is in its scope".to_owned()),
            _ => Err("several members and no quantifier to combine them".to_owned()),
        };
    };
    let mut groups: BTreeMap<Vec<&String>, Passes> = BTreeMap::new();
    for (member, passed) in members {
        let levels = outer.factors.iter().filter_map(|factor| member.get(factor)).collect();
        groups.entry(levels).or_default().push((member.clone(), passed.clone()));
    }
    let results: Vec<Result<bool, String>> = groups.values().map(|group| all_quantified(inner, group)).collect();
    quantified_truth(outer, &results)
}

/// One quantifier over truth values, some of them unknown: true or false when every way the unknown could have gone agrees.
pub(super) fn quantified_truth(quantifier: &Quantifier, results: &[Result<bool, String>]) -> Result<bool, String> {
    let Some(unknown) = results
        .iter()
        .find_map(|result| result.as_ref().err())
        .map_or_else(|| (!results.is_empty()).then(String::new), |reason| Some(reason.clone()))
    else {
        return Err("no member is in its scope".to_owned());
    };
    let members = results.len() as u64;
    let holding = results.iter().filter(|result| **result == Ok(true)).count() as u64;
    let lost = results.iter().filter(|result| result.is_err()).count() as u64;
    let (k, swaps) = match quantifier.kind {
        QuantifierKind::All => (members, false),
        QuantifierKind::Any => (1, false),
        QuantifierKind::None => (1, true),
        QuantifierKind::AtLeast { at_least, .. } => (at_least, false),
    };
    let quorum = quantifier.when_lost.iter().find(|(_, of)| lost > 0 && *of == members - lost);
    if let Some((at_least, _)) = quorum {
        return Ok(holding >= *at_least);
    }
    if holding >= k {
        Ok(!swaps)
    } else if holding + lost < k {
        Ok(swaps)
    } else {
        Err(unknown)
    }
}
