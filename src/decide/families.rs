//! Families: p-values adjusted for the planned number of comparisons, each analysis set on its own. Owns which p-values belong
//! together; the arithmetic of adjustment is in `stats`.

use std::collections::BTreeMap;

use super::evidence::{Key, Store, Wanted};
use super::frame::Frame;
use super::judgment::{FamilyResult, Number};
use super::members::{Binding, admits, listed, members};
use crate::spec::{Adjustment, Family, FamilyMembers, Name, QuantifierKind};
use crate::stats::multiplicity::{self, adjust};

/// Lines of a family with one member each.
type Lines<'f> = Vec<(&'f FamilyMembers, Binding)>;

/// The members that a line of a family names.
fn members_of(frame: &Frame<'_>, line: &FamilyMembers) -> Vec<Binding> {
    let Some(estimand) = frame.spec.estimands.get(&line.estimand) else { return Vec::new() };
    let mut members = members(frame, estimand);
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
        let adjusted = adjust_by(family.adjust, &values, planned);
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

fn adjust_by(method: Adjustment, p: &[Option<f64>], planned: usize) -> Result<Vec<f64>, String> {
    let method = match method {
        Adjustment::Holm => multiplicity::Adjustment::Holm,
        Adjustment::Bonferroni => multiplicity::Adjustment::Bonferroni,
        Adjustment::None => return Ok(p.iter().map(|p| p.unwrap_or(1.0)).collect()),
    };
    adjust(method, p, planned).map_err(|error| error.to_string())
}

const fn word(adjust: Adjustment) -> &'static str {
    match adjust {
        Adjustment::Holm => "holm",
        Adjustment::Bonferroni => "bonferroni",
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
