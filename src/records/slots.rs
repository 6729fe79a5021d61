//! What a placeholder can stand for: a level of a factor, the key of a unit, a repeat. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::eval::Schema;
use crate::plan::typed::{listed, nearest};
use crate::spec::{LevelMapping, Name, Spec, TaskSource};
use crate::table::path::Bound;

/// The most keys that a numbered study compares one by one.
const MOST_KEYS: u64 = 5_000_000;

/// The placeholders that a study knows.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    /// What a unit is called; empty without tasks.
    pub unit: Name,
    /// Levels of every factor by its name.
    factors: BTreeMap<Name, Vec<Name>>,
    /// The keys, when the study itself names them.
    keys: Keys,
    /// How a block spells levels where its record path has their factor as a placeholder.
    spelled: BTreeMap<Name, BTreeMap<String, Name>>,
}

/// Whether a level stands in the record path itself: `level system at "{system}" { … }` gives its spellings there.
pub(super) fn in_path(factor: &str, mapping: &LevelMapping) -> bool {
    mapping.at.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(factor)
}

#[derive(Debug, Clone)]
enum Keys {
    InFile,
    Count(u64),
    List(BTreeSet<Name>),
}

impl Slots {
    pub fn new(spec: &Spec, schema: &Schema) -> Self {
        let mut factors: BTreeMap<Name, Vec<Name>> =
            spec.factors.iter().map(|(name, factor)| (name.clone(), factor.levels.clone())).collect();
        factors.extend(schema.factors.iter().cloned());
        let unit = spec.tasks.as_ref().map(|tasks| tasks.name.clone()).unwrap_or_default();
        let keys = match spec.tasks.as_ref().map(|tasks| &tasks.source) {
            Some(TaskSource::Count(count)) if *count <= MOST_KEYS => Keys::Count(*count),
            Some(TaskSource::List(keys)) => Keys::List(keys.iter().cloned().collect()),
            _ => Keys::InFile,
        };
        factors.remove(&unit);
        Self { unit, factors, keys, spelled: BTreeMap::new() }
    }

    /// The same placeholders with the spellings of one block.
    pub fn spelled(&self, levels: &BTreeMap<Name, LevelMapping>) -> Self {
        let spelled = levels
            .iter()
            .filter(|(factor, mapping)| in_path(factor, mapping))
            .map(|(factor, mapping)| (factor.clone(), mapping.spellings.clone()))
            .collect();
        Self { spelled, ..self.clone() }
    }

    /// Texts of a path turned into the levels they spell; `None` when one spells no level.
    pub fn translate(&self, mut bound: Bound) -> Option<Bound> {
        for (slot, spellings) in &self.spelled {
            if let Some(text) = bound.get_mut(slot) {
                *text = spellings.get(text.as_str())?.clone();
            }
        }
        Some(bound)
    }

    /// The first placeholder that stands for nothing planned: its name, the text and what to do. Keys that only the task
    /// file knows are checked when the plan is joined.
    pub fn unknown(&self, bound: &Bound) -> Option<(String, String, String)> {
        bound.iter().find_map(|(slot, value)| {
            let help = if let Some(spellings) = self.spelled.get(slot) {
                if spellings.contains_key(value) {
                    return None;
                }
                let texts: Vec<Name> = spellings.keys().cloned().collect();
                format!("remove it, or give it a level; this block spells {}", listed(&texts))
            } else if let Some(levels) = self.factors.get(slot) {
                if levels.contains(value) {
                    return None;
                }
                match nearest(levels, value) {
                    Some(name) => format!("did you mean `{name}`? Otherwise remove it"),
                    None => format!("remove it; the levels are {}", listed(levels)),
                }
            } else if *slot == self.unit {
                let known = match &self.keys {
                    Keys::InFile => true,
                    Keys::List(keys) => keys.contains(value),
                    Keys::Count(count) => {
                        value.parse::<u64>().is_ok_and(|n| (1..=*count).contains(&n) && n.to_string() == *value)
                    }
                };
                if known {
                    return None;
                }
                "remove it: the plan names every unit".to_owned()
            } else if slot == "repeat" {
                if value.parse::<u32>().is_ok_and(|n| n > 0 && n.to_string() == *value) {
                    return None;
                }
                "name repeats 1, 2, 3, …".to_owned()
            } else {
                return None;
            };
            Some((slot.clone(), value.clone(), help))
        })
    }

    /// Whether a placeholder has a meaning.
    pub fn knows(&self, slot: &str) -> bool {
        slot == self.unit || slot == "repeat" || self.factors.contains_key(slot)
    }

    /// The levels of a factor.
    pub fn levels(&self, factor: &str) -> Option<&[Name]> {
        self.factors.get(factor).map(Vec::as_slice)
    }

    /// The keys in bytewise order, when the study itself names them.
    pub fn keys(&self) -> Option<Vec<String>> {
        match &self.keys {
            Keys::InFile => None,
            Keys::List(keys) => Some(keys.iter().cloned().collect()),
            Keys::Count(count) => Some((1..=*count).map(|n| n.to_string()).collect()),
        }
    }
}
