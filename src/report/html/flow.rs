//! What became of the planned records, as steps, bars and a table by arm.

use serde::Serialize;

use super::plot::percent;
use super::view::Named;
use crate::decide::judgment::Flow;
use crate::report::{figures, words};
use crate::spec::{Spec, State, StateClass};

/// The flow of one analysis set.
#[derive(Serialize)]
pub(super) struct FlowView {
    id: String,
    set: String,
    policy: Vec<String>,
    planned: String,
    counted: String,
    /// Bars of the states, then of what happened to them.
    came: Vec<Part>,
    became: Vec<Part>,
    states: Vec<Named>,
    imputed: String,
    units: String,
    alternative: String,
    arms: Vec<Arm>,
}

#[derive(Serialize)]
struct Part {
    class: &'static str,
    text: String,
    count: String,
    x: String,
    width: String,
}

#[derive(Serialize)]
struct Arm {
    name: String,
    numbers: [String; 5],
    bar: Vec<Part>,
}

pub(super) fn flow(flow: &Flow, spec: &Spec, at: usize) -> FlowView {
    let total = |class: Option<StateClass>| {
        flow.states
            .iter()
            .filter(|(word, _)| State::from_word(word).and_then(State::class) == class)
            .map(|(_, count)| count)
            .sum::<u64>()
    };
    let came = [
        ("completed", "completed", total(Some(StateClass::Completed))),
        ("errored", "errored", total(Some(StateClass::Errored))),
        ("missing", "missing", total(Some(StateClass::Missing))),
        ("dropped", "superseded or surplus", total(None)),
    ];
    let became = [
        ("counted", "counted", flow.counted),
        ("dropped", "dropped", flow.dropped),
        ("missing", "lost with units that were not kept", flow.not_kept),
        ("errored", "excluded from the denominator", flow.excluded),
    ];
    FlowView {
        id: format!("flow-{at}"),
        set: flow.set.clone(),
        policy: spec.sets.get(&flow.set).map(words::set).unwrap_or_default(),
        planned: figures::count(flow.planned),
        counted: figures::count(flow.counted),
        alternative: format!(
            "{} planned; {}; {}.",
            words::counted(flow.planned, "record"),
            sentence(&came),
            sentence(&became)
        ),
        came: parts(&came),
        became: parts(&became),
        states: flow
            .states
            .iter()
            .map(|(word, count)| Named::new(word.replace('_', " "), figures::count(*count)))
            .collect(),
        imputed: if flow.imputed == 0 { String::new() } else { figures::count(flow.imputed) },
        units: format!("{} of {}", figures::count(flow.units.0), words::counted(flow.units.1, "planned unit")),
        arms: flow.arms.iter().map(|(name, numbers)| arm(name, numbers)).collect(),
    }
}

fn arm(name: &str, numbers: &[u64; 5]) -> Arm {
    let [_, completed, errored, missing, _] = *numbers;
    Arm {
        name: if name.is_empty() { "all".to_owned() } else { name.to_owned() },
        numbers: numbers.map(figures::count),
        bar: parts(&[
            ("completed", "completed", completed),
            ("errored", "errored", errored),
            ("missing", "missing", missing),
        ]),
    }
}

fn sentence(parts: &[(&'static str, &str, u64)]) -> String {
    parts
        .iter()
        .filter(|(.., count)| *count > 0)
        .map(|(_, text, count)| format!("{} {text}", figures::count(*count)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Shares of a bar; a part that exists is never drawn thinner than a hair, and nothing is drawn for nothing.
fn parts(parts: &[(&'static str, &str, u64)]) -> Vec<Part> {
    let size = |count: u64| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    let total: f64 = parts.iter().map(|(.., count)| size(*count)).sum();
    let mut from = 0.0;
    let mut drawn = Vec::new();
    for (class, text, count) in parts.iter().filter(|(.., count)| *count > 0) {
        let width = size(*count) / total * 100.0;
        drawn.push(Part {
            class,
            text: (*text).to_owned(),
            count: figures::count(*count),
            x: percent(from),
            width: percent(width.max(0.3)),
        });
        from += width;
    }
    drawn
}
