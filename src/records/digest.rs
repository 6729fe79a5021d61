//! The digest of all joined records and reported estimates. Owns the canonical rows; they depend on the study and on what
//! came, never on files, row order, or the order in which levels are declared.
//!
//! SHA-256 over lines, each the canonical bytes of an array and a line feed: a head with the names of factors and fields;
//! one row for each planned unit, sorted by level names, key and repeat; the superseded and surplus records, sorted; the
//! estimates, sorted. An absent value is an empty array, a number its canonical spelling, and a text that a commitment
//! cannot hold is `["utf8", hex]`.

use sha2::{Digest as _, Sha256};

use super::join::Joined;
use super::model::{ReceivedEstimate, RecordTable};
use crate::canon::digest::{PREFIX, hex};
use crate::canon::value::Value;
use crate::canon::write::encode;
use crate::math::{Rational, exact};
use crate::plan::{Column, Plan, Scalar};
use crate::spec::Name;

/// The name of this rendering; it is inside the digest.
const KIND: &str = "prespec-records/1";

/// `sha256:…` over the canonical rows.
#[must_use]
pub fn records_digest(joined: &Joined) -> String {
    let mut hash = Sha256::new();
    let mut line = |bytes: &[u8]| {
        hash.update(bytes);
        hash.update(b"\n");
    };
    let names = |names: Vec<&Name>| Value::array(names.into_iter().map(|name| text(name)));
    line(&encode(&Value::array([
        text(KIND),
        names(joined.plan.factors.iter().map(|(name, _)| name).collect()),
        names(joined.schema.fields.iter().map(|(name, _)| name).collect()),
    ])));
    let mut arms: Vec<(Vec<&Name>, u32)> =
        (0..joined.plan.arms()).map(|arm| (level_names(&joined.plan, arm), arm)).collect();
    arms.sort();
    for (levels, arm) in arms {
        let start = joined.plan.units.partition_point(|unit| unit.arm < arm);
        let units = joined.plan.units.iter().enumerate().skip(start).take_while(|(_, unit)| unit.arm == arm);
        for (at, unit) in units {
            let key = joined.tasks.get(unit.task as usize).map_or("", String::as_str);
            let state = joined.states.get(at).map_or("", |state| state.word());
            line(&row(&levels, key, unit.repeat + 1, state, &joined.columns, at));
        }
    }
    joined.aside.iter().for_each(|row| line(row));
    for estimate in &joined.estimates {
        line(&encode(&estimate_row(estimate)));
    }
    let bytes: [u8; 32] = hash.finalize().into();
    format!("{PREFIX}{}", hex(&bytes))
}

fn level_names(plan: &Plan, arm: u32) -> Vec<&Name> {
    let level = |(at, (_, levels)): (usize, &'_ (Name, Vec<Name>))| {
        plan.level(arm, at).map(usize::from).filter(|l| *l < levels.len())
    };
    plan.factors
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| level((at, entry)).and_then(|level| entry.1.get(level)))
        .collect()
}

/// The canonical bytes of a superseded or surplus record.
pub(crate) fn aside_row(records: &RecordTable, at: usize) -> Vec<u8> {
    let Some(key) = records.keys.get(at) else { return Vec::new() };
    let unit = records.units.get(key.unit as usize).map_or("", |unit| unit);
    let state = records.states.get(at).map_or("", |state| state.word());
    row(&level_names(&records.grid, key.arm), unit, key.repeat, state, &records.columns, at)
}

fn row(levels: &[&Name], key: &str, repeat: u32, state: &str, columns: &[Column], at: usize) -> Vec<u8> {
    let mut values = Vec::with_capacity(levels.len() + columns.len() + 3);
    values.extend(levels.iter().map(|level| text(level)));
    values.push(text(key));
    values.push(text(&repeat.to_string()));
    values.push(text(state));
    values.extend(columns.iter().map(|column| match column.get(at) {
        None => absent(),
        Some(Scalar::Bool(value)) => Value::Bool(value),
        Some(Scalar::Number(value)) => text(&value.canonical()),
        Some(Scalar::Level(value) | Scalar::Text(value)) => text(value),
    }));
    encode(&Value::Array(values))
}

fn estimate_row(estimate: &ReceivedEstimate) -> Value {
    let number = |value: Option<&Rational>| value.map_or_else(absent, |value| text(&exact::canonical(value)));
    let member = estimate.member.iter().map(|(factor, level)| Value::array([text(factor), text(level)]));
    let (lower, upper) = match &estimate.interval {
        Some((lower, upper)) => (Some(lower), Some(upper)),
        None => (None, None),
    };
    Value::array([
        text(&estimate.estimand),
        Value::array(member),
        number(estimate.estimate.as_ref()),
        number(lower),
        number(upper),
        number(estimate.level.as_ref()),
        number(estimate.p.as_ref()),
        estimate.n.map_or_else(absent, |n| text(&n.to_string())),
    ])
}

fn absent() -> Value {
    Value::Array(Vec::new())
}

fn text(text: &str) -> Value {
    Value::text(text).unwrap_or_else(|_| {
        let tag = Value::text("utf8").unwrap_or_else(|_| absent());
        let bytes = Value::text(hex(text.as_bytes())).unwrap_or_else(|_| absent());
        Value::array([tag, bytes])
    })
}
