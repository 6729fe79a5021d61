//! The members of an estimand: every planned combination of the levels it is computed for. Owns their order and what a condition
//! over members means.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::frame::{Frame, Place, levels_of};
use super::row::holds;
use crate::plan::Value;
use crate::spec::{Attribute, Estimand, FactorOrigin, Name, RecordExpr, Relation, Spec};

/// Factor or attribute to level. A pair of levels is written `a, b`.
pub(super) type Binding = BTreeMap<Name, Name>;

/// How a binding writes the level that a pick selects.
pub(super) fn picked_name(pick: &str) -> Name {
    format!("the level picked by {pick}")
}

/// The pick whose level stands in a binding.
pub(super) fn pick_of(level: &str) -> Option<&str> {
    level.strip_prefix("the level picked by ")
}

/// How a pair of levels is written in a binding.
pub(super) fn pair_name(first: &str, second: &str) -> Name {
    format!("{first}, {second}")
}

/// The two levels of a pair in a binding.
pub(super) fn pair_levels(pair: &str) -> Option<(&str, &str)> {
    pair.split_once(", ")
}

/// The members of an estimand in the order of its `per` and of the levels, of which only those that agree with `at` are made;
/// a picked level there agrees with any. Combinations without any planned record are left out: a cell that is never run is
/// no member.
pub(super) fn members(frame: &Frame<'_>, estimand: &Estimand, at: &Binding) -> Vec<Binding> {
    let mut members = vec![Binding::new()];
    for per in &estimand.per {
        let levels: Vec<Name> = levels_of(frame.spec, &per.factor)
            .unwrap_or_default()
            .into_iter()
            .filter(|l| !per.except.contains(l))
            .collect();
        let mut choices: Vec<Name> = if per.pair {
            let pairs = levels
                .iter()
                .enumerate()
                .flat_map(|(i, first)| levels.iter().skip(i + 1).map(move |second| pair_name(first, second)));
            pairs.collect()
        } else {
            levels
        };
        if let Some(bound) = at.get(&per.factor).filter(|level| pick_of(level).is_none()) {
            choices.retain(|choice| choice == bound);
        }
        let extend = |member: &Binding| {
            let own = |choice: &Name| {
                let mut member = member.clone();
                member.insert(per.factor.clone(), choice.clone());
                member
            };
            choices.iter().map(own).collect::<Vec<_>>()
        };
        members = members.iter().flat_map(extend).collect();
    }
    let pairs: Vec<&Name> = estimand.per.iter().filter(|per| per.pair).map(|per| &per.factor).collect();
    members.retain(|member| {
        let mut bound = member.clone();
        bound.retain(|factor, _| !pairs.contains(&factor));
        is_planned(frame, &bound)
    });
    members
}

/// Whether any record is planned with these levels. Without a plan everything is.
pub(super) fn is_planned(frame: &Frame<'_>, bound: &Binding) -> bool {
    frame.rows.is_empty() || Bound::new(frame, bound, &[]).places(frame).next().is_some()
}

/// A binding in the numbering of a frame.
pub(super) struct Bound {
    levels: Vec<(usize, Option<u64>)>,
    /// By unit; absent when every unit is admitted.
    units: Option<Vec<bool>>,
}

impl Bound {
    /// Prepares a binding; the axes in `free` are left unbound.
    pub fn new(frame: &Frame<'_>, bound: &Binding, free: &[usize]) -> Self {
        let mut levels = Vec::new();
        let mut units: Option<Vec<bool>> = None;
        for (name, level) in bound {
            match frame.axis(name) {
                Some(axis) if free.contains(&axis) => {}
                Some(axis) => levels.push((axis, frame.axes.get(axis).and_then(|own| own.index(level)))),
                None => {
                    let admitted = units.get_or_insert_with(|| vec![true; frame.units()]);
                    let is_unit = frame.is_unit(name);
                    for (unit, slot) in (0..).zip(admitted.iter_mut()) {
                        let Some(task) = frame.task(unit) else { continue };
                        let value = || task.attributes.get(name).is_some_and(|value| is_word(value, level));
                        *slot &= if is_unit { task.key == *level } else { value() };
                    }
                }
            }
        }
        Self { levels, units }
    }

    /// The planned places with these levels, in their order.
    ///
    /// Goes from one to the next by counting, since looking at every row for every member would take the square of the plan.
    pub fn places<'a>(&'a self, frame: &'a Frame<'_>) -> impl Iterator<Item = Place> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let place = frame.rows.get(at)?.place;
                let next = self.from(frame, place)?;
                if next == place {
                    at += 1;
                    return Some(place);
                }
                at = frame.first_from(at, next);
            }
        })
    }

    /// The first place from this one on that has these levels, planned or not.
    fn from(&self, frame: &Frame<'_>, place: Place) -> Option<Place> {
        let unit = u64::from(frame.unit_of(place));
        let admitted = self.unit_from(unit)?;
        let start = if admitted == unit { place } else { admitted * frame.unit_stride() };
        match self.within_unit(frame, start) {
            Some(place) => Some(place),
            None => self.within_unit(frame, self.unit_from(admitted + 1)? * frame.unit_stride()),
        }
    }

    /// The first admitted unit from this one on. Places beyond the last unit are nobody's.
    fn unit_from(&self, unit: u64) -> Option<u64> {
        let Some(units) = &self.units else { return Some(unit) };
        let rest = units.get(usize::try_from(unit).ok()?..)?;
        rest.iter().position(|admitted| *admitted).and_then(|ahead| u64::try_from(ahead).ok()?.checked_add(unit))
    }

    /// The first place from this one on, within its unit, that has these levels. The levels are digits of the place: the
    /// first digit that is too small is raised, the first that is too large carries over to a free digit before it.
    fn within_unit(&self, frame: &Frame<'_>, place: Place) -> Option<Place> {
        let asked = |axis: usize| self.levels.iter().find(|(own, _)| *own == axis).map(|(_, level)| *level);
        let mut free = None;
        for (axis, own) in frame.axes.iter().enumerate() {
            let level = frame.level(place, axis)?;
            let Some(asked) = asked(axis) else {
                if level + 1 < own.levels.len() as u64 {
                    free = Some(axis);
                }
                continue;
            };
            let asked = asked?;
            if level == asked {
                continue;
            }
            let (raised, to) = if level < asked { (axis, asked) } else { (free?, frame.level(place, free?)? + 1) };
            let mut next = frame.moved(frame.floor(place, raised), raised, to);
            for (axis, level) in &self.levels {
                if *axis > raised {
                    next = frame.moved(next, *axis, (*level)?);
                }
            }
            return Some(next);
        }
        Some(place)
    }
}

/// Whether a text names the level that a value is; the same as comparing with [`word_of`], which makes a text of each value.
fn is_word(value: &Value, level: &str) -> bool {
    match value {
        Value::Level(word) | Value::Text(word) => word == level,
        Value::Bool(_) | Value::Number(_) => word_of(value) == level,
    }
}

/// A value as the text that names a level.
pub(super) fn word_of(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => crate::math::exact::canonical(value),
        Value::Level(word) | Value::Text(word) => word.clone(),
    }
}

/// What a member is under an attribute: its own level, or the attribute of the model it is bound to.
pub(super) fn group_of(spec: &Spec, member: &Binding, attribute: &str) -> Option<String> {
    if let Some(level) = member.get(attribute) {
        return Some(level.clone());
    }
    member.iter().find_map(|(factor, level)| {
        let factor = spec.factors.get(factor)?;
        if factor.origin != FactorOrigin::Models {
            return None;
        }
        spec.models.get(level)?.attributes.get(attribute).map(Attribute::group)
    })
}

/// Whether a condition over factors and attributes holds for a member. A name that the member does not bind compares false.
pub(super) fn admits(spec: &Spec, member: &Binding, condition: &RecordExpr) -> bool {
    match condition {
        RecordExpr::Bool(value) => *value,
        RecordExpr::Not(part) => !admits(spec, member, part),
        RecordExpr::And(parts) => parts.iter().all(|part| admits(spec, member, part)),
        RecordExpr::Or(parts) => parts.iter().any(|part| admits(spec, member, part)),
        RecordExpr::OneOf(part, levels) => operand(spec, member, part).is_some_and(|word| levels.contains(&word)),
        RecordExpr::Present(part) => operand(spec, member, part).is_some(),
        RecordExpr::EndsWith(part, ends) => {
            operand(spec, member, part).is_some_and(|word| ends.iter().any(|end| word.ends_with(end.as_str())))
        }
        RecordExpr::Field(_) | RecordExpr::Factor(_) => {
            operand(spec, member, condition).is_some_and(|word| word == "true")
        }
        RecordExpr::Compare(left, relation, right) => {
            let sides = (operand(spec, member, left), operand(spec, member, right));
            let (Some(one), Some(two)) = sides else { return false };
            let order = named(left).or_else(|| named(right)).and_then(|name| levels_of(spec, name));
            compare(&one, &two, order.as_deref().unwrap_or_default())
                .map_or(*relation == Relation::NotEqual, |o| holds(o, *relation))
        }
        // Nothing of a record is known of a member, and no number or text is a condition.
        RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::At(..)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_)
        | RecordExpr::Arithmetic(..)
        | RecordExpr::Negate(_)
        | RecordExpr::Abs(_)
        | RecordExpr::Log(_)
        | RecordExpr::Step(_) => false,
    }
}

fn named(expr: &RecordExpr) -> Option<&Name> {
    if let RecordExpr::Field(name) | RecordExpr::Factor(name) = expr { Some(name) } else { None }
}

fn operand(spec: &Spec, member: &Binding, expr: &RecordExpr) -> Option<String> {
    if let Some(name) = named(expr) {
        return group_of(spec, member, name);
    }
    if let RecordExpr::Text(word) | RecordExpr::Level(word) = expr {
        return Some(word.clone());
    }
    if let RecordExpr::Number(quantity) = expr {
        return Some(crate::math::exact::canonical(&quantity.value));
    }
    if let RecordExpr::Bool(value) = expr { Some(value.to_string()) } else { None }
}

fn compare(left: &str, right: &str, order: &[Name]) -> Option<Ordering> {
    let rank = |word: &str| order.iter().position(|level| level == word);
    if let (Some(left), Some(right)) = (rank(left), rank(right)) {
        return Some(left.cmp(&right));
    }
    let number = |word: &str| crate::math::exact::parse(word).ok();
    match (number(left), number(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => (left == right).then_some(Ordering::Equal),
    }
}

/// A cluster's key: the unit's own, or the text of an attribute; a unit without the attribute is its own cluster.
pub(super) fn cluster_key(frame: &Frame<'_>, unit: u32, cluster: &str) -> String {
    let Some(task) = frame.task(unit) else { return String::new() };
    match task.attributes.get(cluster) {
        Some(value) if frame.spec.tasks.as_ref().is_some_and(|tasks| tasks.name != cluster) => word_of(value),
        _ => task.key.clone(),
    }
}

/// Factor and level in the order of an estimand's `per`.
pub(super) fn listed(estimand: &Estimand, member: &Binding) -> Vec<(Name, Name)> {
    let own = estimand.per.iter().filter_map(|per| Some((per.factor.clone(), member.get(&per.factor)?.clone())));
    own.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::units::{Plan, PlannedUnit};
    use crate::plan::{Task, eval::Schema};
    use crate::records::Joined;

    fn joined(factors: Vec<(Name, Vec<Name>)>, tasks: u32, repeat: u32, keep: &[bool]) -> Joined {
        let mut plan = Plan::of_arms(factors);
        plan.tasks = tasks;
        plan.repeat = repeat;
        let arms = plan.arms();
        let all = (0..arms).flat_map(|arm| {
            (0..tasks).flat_map(move |task| (0..repeat).map(move |repeat| PlannedUnit { arm, task, repeat }))
        });
        plan.units = all.zip(keep.iter().cycle()).filter(|(_, keep)| **keep).map(|(unit, _)| unit).collect();
        Joined {
            schema: Schema::default(),
            plan,
            tasks: (0..tasks).map(|task| format!("t{task}")).collect(),
            states: Vec::new(),
            columns: Vec::new(),
            attributes: Vec::new(),
            origins: Vec::new(),
            files_seen: Vec::new(),
            counts: BTreeMap::new(),
            aside: Vec::new(),
            estimates: Vec::new(),
            files: Vec::new(),
        }
    }

    proptest! {
        /// Counting from place to place finds what looking at every place finds, with cells that are never run and without.
        #[test]
        fn places_are_those_that_a_search_of_all_rows_finds(
            sizes in prop::collection::vec(1_usize..4, 0..4),
            tasks in 1_u32..6,
            repeat in 1_u32..3,
            keep in prop_oneof![Just(vec![true]), prop::collection::vec(any::<bool>(), 1..40)],
            asked in prop::collection::vec(prop::option::of(0_usize..4), 4),
            even in any::<bool>(),
        ) {
            let factors: Vec<(Name, Vec<Name>)> = sizes
                .iter()
                .enumerate()
                .map(|(at, size)| (format!("f{at}"), (0..*size).map(|level| format!("l{level}")).collect()))
                .collect();
            let listed = (0..tasks).map(|task| Task {
                key: format!("t{task}"),
                attributes: BTreeMap::from([("even".to_owned(), Value::Bool(task % 2 == 0))]),
            });
            let listed: Vec<Task> = listed.collect();
            let (spec, joined) = (Spec::default(), joined(factors.clone(), tasks, repeat, &keep));
            let frame = Frame::new(&spec, &listed, &joined).unwrap();
            let mut binding = Binding::new();
            for ((name, _), level) in factors.iter().zip(&asked) {
                if let Some(level) = level {
                    binding.insert(name.clone(), format!("l{level}"));
                }
            }
            if even {
                binding.insert("even".to_owned(), "true".to_owned());
            }
            let bound = Bound::new(&frame, &binding, &[]);
            let searched = frame.rows.iter().filter(|row| {
                binding.iter().all(|(name, level)| match frame.axis(name) {
                    Some(axis) => frame.level_name(row.place, axis) == Some(level.as_str()),
                    None => row.unit % 2 == 0,
                })
            });
            let searched: Vec<Place> = searched.map(|row| row.place).collect();
            prop_assert_eq!(bound.places(&frame).collect::<Vec<_>>(), searched);
        }
    }
}
