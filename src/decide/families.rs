//! Families: p-values adjusted for the planned number of comparisons, each analysis set on its own. Owns which p-values belong
//! together; the arithmetic of adjustment is in `stats`.

use std::collections::BTreeMap;

use super::evidence::{Key, Store, Wanted};
use super::frame::Frame;
use super::judgment::{FamilyResult, Number};
use super::members::{Binding, admits, listed, members};
use crate::math::Rational;
use crate::spec::{Adjustment, Family, FamilyMembers, Name, QuantifierKind};
use crate::stats::closed::hommel;
use crate::stats::discovery::benjamini_yekutieli;
use crate::stats::family_graph::{Graph, serial_gates};
use crate::stats::multiplicity::{self, adjust, adjust_joint};

/// Lines of a family with one member each.
type Lines<'f> = Vec<(&'f FamilyMembers, Binding)>;

/// The members that a line of a family names.
fn members_of(frame: &Frame<'_>, line: &FamilyMembers) -> Vec<Binding> {
    let Some(estimand) = frame.spec.estimands.get(&line.estimand) else { return Vec::new() };
    let mut members = members(frame, estimand, &Binding::new());
    members.retain(|member| line.filter.as_ref().is_none_or(|filter| admits(frame.spec, member, filter)));
    members
}

/// Asks for every p-value of every family in one analysis set.
pub(super) fn want(frame: &Frame<'_>, set: usize, wanted: &mut BTreeMap<Key, Wanted>) {
    for line in frame.spec.families.values().flat_map(|family| &family.members) {
        for member in members_of(frame, line) {
            wanted.entry((set, line.estimand.clone(), member)).or_default().tests.insert(line.test.clone());
        }
    }
}

/// Adjusts every family in one analysis set and writes the adjusted values into the store.
pub(super) fn adjust_all(frame: &Frame<'_>, set: usize, name: &str, store: &mut Store) -> Vec<FamilyResult> {
    let families = frame.spec.families.iter();
    families.flat_map(|(family_name, family)| adjusted(frame, set, name, (family_name, family), store)).collect()
}

fn adjusted(
    frame: &Frame<'_>,
    set: usize,
    set_name: &str,
    (name, family): (&Name, &Family),
    store: &mut Store,
) -> Vec<FamilyResult> {
    let mut groups: BTreeMap<Vec<(Name, Name)>, Lines<'_>> = BTreeMap::new();
    for line in &family.members {
        for member in members_of(frame, line) {
            let within = family.within.iter().filter_map(|factor| Some((factor.clone(), member.get(factor)?.clone())));
            groups.entry(within.collect()).or_default().push((line, member));
        }
    }
    let mut results = Vec::new();
    for (within, group) in groups {
        let p: Vec<Result<f64, String>> = group
            .iter()
            .map(|(line, member)| {
                let evidence = store.evidence.get(&(set, line.estimand.clone(), member.clone()));
                let p = evidence.and_then(|evidence| evidence.p.get(&line.test)).cloned();
                p.unwrap_or_else(|| Err("it was not computed".to_owned())).map(|p| p.to_f64())
            })
            .collect();
        let values: Vec<Option<f64>> = p.iter().map(|p| p.as_ref().ok().copied()).collect();
        let planned = usize::try_from(family.count).unwrap_or(usize::MAX);
        let adjusted = if family.together.is_empty() {
            adjust_by(frame, family, &group, &values, planned)
        } else {
            adjust_together(frame, family, &group, &values, planned)
        };
        for (place, (line, member)) in group.iter().enumerate() {
            let Some(evidence) = store.evidence.get_mut(&(set, line.estimand.clone(), member.clone())) else {
                continue;
            };
            // An undefined test holds its place in the family with p = 1, yet gives its member no evidence.
            let own = match (&adjusted, p.get(place)) {
                (_, Some(Err(reason))) | (Err(reason), _) => Err(reason.clone()),
                (Ok(adjusted), _) => adjusted.get(place).copied().ok_or_else(|| "it was not adjusted".to_owned()),
            };
            evidence.adjusted.insert(line.test.clone(), own.clone().map(Number::Float));
            if let Some(test) = evidence.shown.tests.iter_mut().find(|test| test.name == line.test) {
                test.p_adjusted = Some(own);
                test.family = Some(name.clone());
            }
        }
        let shown = group.iter().zip(p).enumerate().map(|(place, ((line, member), p))| {
            let value = adjusted.as_ref().ok().and_then(|adjusted| adjusted.get(place)).copied().unwrap_or(1.0);
            (member_words(frame, line, member), p, value)
        });
        results.push(FamilyResult {
            name: name.clone(),
            set: set_name.to_owned(),
            within,
            adjust: word(family.adjust),
            count: family.count,
            members: shown.collect(),
        });
    }
    results
}

fn adjust_by(
    frame: &Frame<'_>,
    family: &Family,
    group: &Lines<'_>,
    p: &[Option<f64>],
    planned: usize,
) -> Result<Vec<f64>, String> {
    let plain = match family.adjust {
        Adjustment::Holm => multiplicity::Adjustment::Holm,
        Adjustment::Bonferroni => multiplicity::Adjustment::Bonferroni,
        Adjustment::Hochberg => multiplicity::Adjustment::Hochberg,
        Adjustment::BenjaminiHochberg => multiplicity::Adjustment::BenjaminiHochberg,
        Adjustment::Hommel => return hommel(p, planned).map_err(|error| error.to_string()),
        Adjustment::BenjaminiYekutieli => return benjamini_yekutieli(p, planned).map_err(|error| error.to_string()),
        Adjustment::FixedSequence => return in_sequence(family, group, p),
        Adjustment::Graph => return by_graph(family, group, p),
        Adjustment::Joint => return jointly(frame, group, p, planned),
        Adjustment::None => return Ok(p.iter().map(|p| p.unwrap_or(1.0)).collect()),
    };
    adjust(plain, p, planned).map_err(|error| error.to_string())
}

/// Lines that are one claim bring in the largest of their p-values, and all get what it is adjusted to.
fn adjust_together(
    frame: &Frame<'_>,
    family: &Family,
    group: &Lines<'_>,
    p: &[Option<f64>],
    planned: usize,
) -> Result<Vec<f64>, String> {
    let mut claims: BTreeMap<(Option<&Name>, &Binding), Vec<usize>> = BTreeMap::new();
    for (at, (line, member)) in group.iter().enumerate() {
        let alone = (!family.together.contains(&line.estimand)).then_some(&line.estimand);
        claims.entry((alone, member)).or_default().push(at);
    }
    let largest = |places: &Vec<usize>| {
        let own: Option<Vec<f64>> = places.iter().map(|at| p.get(*at).copied().flatten()).collect();
        own.and_then(|own| own.into_iter().reduce(f64::max))
    };
    let values: Vec<Option<f64>> = claims.values().map(largest).collect();
    let adjusted = adjust_by(frame, family, group, &values, planned)?;
    let mut out = vec![1.0; p.len()];
    for (places, value) in claims.values().zip(adjusted) {
        for at in places {
            if let Some(slot) = out.get_mut(*at) {
                *slot = value;
            }
        }
    }
    Ok(out)
}

/// Steps of a fixed sequence: the members of each line together.
fn in_sequence(family: &Family, group: &Lines<'_>, p: &[Option<f64>]) -> Result<Vec<f64>, String> {
    let steps: Vec<Vec<usize>> = family
        .sequence
        .iter()
        .map(|name| {
            (0..group.len()).filter(|at| group.get(*at).is_some_and(|(line, _)| line.estimand == *name)).collect()
        })
        .collect();
    let values: Vec<Vec<Option<f64>>> =
        steps.iter().map(|step| step.iter().map(|at| p.get(*at).copied().flatten()).collect()).collect();
    let adjusted = serial_gates(&values).map_err(|error| error.to_string())?;
    let mut out = vec![1.0; p.len()];
    for (at, value) in steps.iter().zip(&adjusted).flat_map(|(step, values)| step.iter().zip(values)) {
        if let Some(slot) = out.get_mut(*at) {
            *slot = *value;
        }
    }
    Ok(out)
}

fn by_graph(family: &Family, group: &Lines<'_>, p: &[Option<f64>]) -> Result<Vec<f64>, String> {
    let none = || Rational::from_integer(0.into());
    let weight =
        |line: &FamilyMembers| family.weights.get(&line.estimand).map_or_else(none, |weight| weight.value.clone());
    let share = |from: &FamilyMembers, to: &FamilyMembers| {
        let pass = family.passes.iter().find(|pass| pass.from == from.estimand && pass.to == to.estimand);
        pass.map_or_else(none, |pass| pass.share.value.clone())
    };
    let weights = group.iter().map(|(line, _)| weight(line)).collect();
    let transitions = group.iter().map(|(from, _)| group.iter().map(|(to, _)| share(from, to)).collect()).collect();
    let graph = Graph::new(weights, transitions).map_err(|error| error.to_string())?;
    graph.adjust(p).map(|outcome| outcome.adjusted).map_err(|error| error.to_string())
}

/// The difference and the equivalence test of each comparison stand on two lines of the same estimand.
fn jointly(frame: &Frame<'_>, group: &Lines<'_>, p: &[Option<f64>], planned: usize) -> Result<Vec<f64>, String> {
    let is_equivalence =
        |line: &FamilyMembers| frame.spec.tests.get(&line.test).is_some_and(|test| test.method.is_equivalence());
    let mut comparisons: BTreeMap<(&Name, &Binding), [Option<usize>; 2]> = BTreeMap::new();
    for (at, (line, member)) in group.iter().enumerate() {
        let [difference, equivalence] = comparisons.entry((&line.estimand, member)).or_default();
        *(if is_equivalence(line) { equivalence } else { difference }) = Some(at);
    }
    let side = |which: usize| -> Vec<Option<f64>> {
        comparisons.values().map(|pair| p.get(pair.get(which).copied().flatten()?).copied().flatten()).collect()
    };
    let adjusted = adjust_joint(&side(0), &side(1), planned / 2).map_err(|error| error.to_string())?;
    let mut out = vec![1.0; p.len()];
    for ([difference, equivalence], (d, e)) in
        comparisons.values().zip(adjusted.difference.iter().zip(&adjusted.equivalence))
    {
        for (at, value) in [(difference, d), (equivalence, e)] {
            if let Some(slot) = at.and_then(|at| out.get_mut(at)) {
                *slot = *value;
            }
        }
    }
    Ok(out)
}

const fn word(adjust: Adjustment) -> &'static str {
    match adjust {
        Adjustment::Holm => "holm",
        Adjustment::Bonferroni => "bonferroni",
        Adjustment::Hochberg => "hochberg",
        Adjustment::BenjaminiHochberg => "benjamini_hochberg",
        Adjustment::Hommel => "hommel",
        Adjustment::BenjaminiYekutieli => "benjamini_yekutieli",
        Adjustment::FixedSequence => "fixed_sequence",
        Adjustment::Graph => "graph",
        Adjustment::Joint => "joint",
        Adjustment::None => "none",
    }
}

fn member_words(frame: &Frame<'_>, line: &FamilyMembers, member: &Binding) -> String {
    let levels = frame.spec.estimands.get(&line.estimand).map(|estimand| listed(estimand, member)).unwrap_or_default();
    let levels: Vec<String> = levels.into_iter().map(|(factor, level)| format!("{factor} {level}")).collect();
    if levels.is_empty() { line.estimand.clone() } else { format!("{} for {}", line.estimand, levels.join(", ")) }
}

/// The one p-value that a quantified claim contributes to a family: `all` its largest, `any` its Holm-adjusted smallest, where
/// an undefined member counts as p = 1. Other quantifiers have none.
#[must_use]
pub fn contribution(kind: &QuantifierKind, p: &[Option<f64>]) -> Option<f64> {
    match kind {
        QuantifierKind::All => p.iter().map(|p| p.unwrap_or(1.0)).reduce(f64::max),
        QuantifierKind::Any => {
            let adjusted = adjust(multiplicity::Adjustment::Holm, p, p.len()).ok()?;
            adjusted.into_iter().reduce(f64::min)
        }
        QuantifierKind::None | QuantifierKind::AtLeast { .. } => None,
    }
}
