//! Forest plots: one table whose rows are members or analysis sets, each with the rule's regions, the interval and the numbers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::plot::{Domain, Labels, Wanted, lanes, percent, ticks};
use super::view::Chip;
use crate::decide::judgment::{EstimandResult, Region};
use crate::report::words::Threshold;
use crate::report::{figures, words};
use crate::spec::{Dimension, Name};

/// A forest plot of one estimand.
#[derive(Serialize)]
pub(super) struct Plot {
    id: String,
    title: String,
    /// What stands in the first column.
    of: String,
    notes: Vec<String>,
    head: Labels,
    axis: Labels,
    legend: Vec<LegendEntry>,
    rows: Vec<Row>,
    tested: bool,
    judged: bool,
}

#[derive(Serialize)]
struct LegendEntry {
    class: &'static str,
    label: String,
    range: String,
}

/// One row.
#[derive(Serialize)]
struct Row {
    label: String,
    /// The set, when it is not the headline of its member.
    minor: bool,
    bands: Vec<Band>,
    marks: Vec<String>,
    intervals: Vec<Bar>,
    point: String,
    estimate: String,
    limits: Vec<String>,
    tests: Vec<String>,
    size: String,
    chip: Option<Chip>,
    reported: bool,
}

#[derive(Serialize)]
struct Band {
    x: String,
    width: String,
    class: &'static str,
}

#[derive(Serialize)]
struct Bar {
    from: String,
    to: String,
    y: String,
    first: bool,
    open_left: bool,
    open_right: bool,
}

/// A row's content before it is placed.
pub(super) struct Entry<'a> {
    /// The member; empty for a rule that is asked once and for further sets of a member.
    pub(super) member: &'a [(Name, Name)],
    /// What stands for an entry without a member.
    pub(super) label: String,
    pub(super) minor: bool,
    pub(super) result: &'a EstimandResult,
    pub(super) chip: Option<Chip>,
    pub(super) thresholds: Vec<Threshold>,
}

/// One plot per alias and dimension, in the order in which they come.
pub(super) fn plots(prefix: &str, of: &'static str, entries: Vec<Entry<'_>>) -> Vec<Plot> {
    let mut groups: Vec<((String, Dimension), Vec<Entry<'_>>)> = Vec::new();
    let mut at: BTreeMap<(String, Dimension), usize> = BTreeMap::new();
    for entry in entries {
        let key = (entry.result.alias.clone(), entry.result.dimension.clone());
        let index = *at.entry(key.clone()).or_insert(groups.len());
        if index == groups.len() {
            groups.push((key, Vec::new()));
        }
        if let Some((_, group)) = groups.get_mut(index) {
            group.push(entry);
        }
    }
    groups
        .into_iter()
        .enumerate()
        .map(|(index, ((_, dimension), group))| plot(format!("{prefix}-plot-{}", index + 1), of, &dimension, group))
        .collect()
}

fn plot(id: String, of: &'static str, dimension: &Dimension, entries: Vec<Entry<'_>>) -> Plot {
    let domain = Domain::over(entries.iter().flat_map(|entry| extent(entry)));
    let first = entries.first();
    let title = first.map_or_else(String::new, |entry| {
        let result = entry.result;
        if result.alias.is_empty() || result.alias == result.estimand {
            result.estimand.clone()
        } else {
            format!("{} ({})", result.alias, result.estimand)
        }
    });
    let regions = first.map_or(&[][..], |entry| entry.result.regions.as_slice());
    let thresholds = first.map_or(&[][..], |entry| entry.thresholds.as_slice());
    // Rows with thresholds of their own would make one heading lie.
    let same_regions = entries.iter().all(|entry| entry.result.regions == regions);
    let same_thresholds = entries.iter().all(|entry| entry.thresholds == thresholds);
    let head = lanes(&[
        if same_regions { region_labels(regions, domain) } else { Vec::new() },
        if same_thresholds { threshold_labels(thresholds, domain) } else { Vec::new() },
    ]);
    let factors = common_factors(&entries);
    let mut notes = methods(&entries);
    if !same_regions {
        notes.push("Regions differ from row to row, because thresholds do.".to_owned());
    }
    if entries.iter().any(|entry| entry.result.reported) {
        notes.push(format!("Evidence is {}.", crate::report::reading::REPORTED));
    }
    Plot {
        id,
        title,
        of: if factors.is_empty() { of.to_owned() } else { factors.join(", ") },
        notes,
        head,
        axis: ticks(domain, dimension),
        legend: if same_regions { legend(regions, dimension) } else { Vec::new() },
        tested: entries.iter().any(|entry| !entry.result.tests.is_empty()),
        judged: entries.iter().any(|entry| entry.chip.is_some()),
        rows: entries.into_iter().map(|entry| row(entry, domain, !factors.is_empty())).collect(),
    }
}

/// The factors, when every member is made of the same: then the heading names them and the rows need not.
fn common_factors(entries: &[Entry<'_>]) -> Vec<String> {
    let mut members = entries.iter().map(|entry| entry.member).filter(|member| !member.is_empty());
    let Some(first) = members.next() else { return Vec::new() };
    let same = members.all(|member| {
        member.len() == first.len() && member.iter().zip(first).all(|((found, _), (wanted, _))| found == wanted)
    });
    if same { first.iter().map(|(factor, _)| factor.clone()).collect() } else { Vec::new() }
}

/// Every finite number that the axis must hold.
fn extent(entry: &Entry<'_>) -> Vec<f64> {
    let result = entry.result;
    let mut values: Vec<f64> = result.estimate.iter().map(figures::nearest).collect();
    for interval in &result.intervals {
        if let Ok((lower, upper)) = interval.limits {
            values.extend([lower, upper]);
        }
    }
    values.extend(result.regions.iter().flat_map(|region| region.from.into_iter().chain(region.to)));
    values.extend(entry.thresholds.iter().map(|threshold| threshold.at));
    values
}

fn methods(entries: &[Entry<'_>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for entry in entries {
        let intervals = entry.result.intervals.iter().map(|interval| {
            format!("{}: {} interval, {}.", interval.name, figures::level(interval.level), interval.method)
        });
        let tests = entry.result.tests.iter().map(|test| {
            let family =
                test.family.as_ref().map_or_else(String::new, |family| format!(", adjusted in family {family}"));
            format!("{}: {}{family}.", test.name, test.method)
        });
        for note in intervals.chain(tests) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

fn region_labels(regions: &[Region], domain: Domain) -> Vec<Wanted> {
    regions
        .iter()
        .filter_map(|region| {
            let (from, to) = band(region, domain);
            (to > from).then(|| Wanted {
                place: f64::midpoint(from, to),
                text: words::label(&region.label).to_owned(),
                class: region.class.word(),
                line: false,
            })
        })
        .collect()
}

fn threshold_labels(thresholds: &[Threshold], domain: Domain) -> Vec<Wanted> {
    thresholds
        .iter()
        .map(|threshold| Wanted {
            place: domain.place(threshold.at),
            text: typographic(&threshold.name),
            class: "threshold",
            line: true,
        })
        .collect()
}

fn band(region: &Region, domain: Domain) -> (f64, f64) {
    (region.from.map_or(0.0, |from| domain.place(from)), region.to.map_or(100.0, |to| domain.place(to)))
}

fn legend(regions: &[Region], dimension: &Dimension) -> Vec<LegendEntry> {
    regions
        .iter()
        .map(|region| {
            let class = words::class(region.class);
            let label = words::label(&region.label);
            let value = |value: f64| typographic(&figures::value(value, dimension));
            LegendEntry {
                class: region.class.word(),
                label: if label == class { label.to_owned() } else { format!("{label} ({class})") },
                range: match (region.from, region.to) {
                    (Some(from), Some(to)) if from.to_bits() == to.to_bits() => format!("at {}", value(from)),
                    (Some(from), Some(to)) => format!("{} to {}", value(from), value(to)),
                    (Some(from), None) => format!("above {}", value(from)),
                    (None, Some(to)) => format!("below {}", value(to)),
                    (None, None) => "everywhere".to_owned(),
                },
            }
        })
        .collect()
}

fn row(entry: Entry<'_>, domain: Domain, only_levels: bool) -> Row {
    let result = entry.result;
    let dimension = &result.dimension;
    let mut intervals = Vec::new();
    let mut limits = Vec::new();
    for (at, interval) in result.intervals.iter().enumerate() {
        let name = if result.intervals.len() > 1 { format!("{} ", interval.name) } else { String::new() };
        match &interval.limits {
            Ok((lower, upper)) => {
                let offset: u32 = u32::try_from(at).unwrap_or(u32::MAX).saturating_mul(6).min(12);
                intervals.push(Bar {
                    from: percent(domain.place(*lower)),
                    to: percent(domain.place(*upper)),
                    y: offset.to_string(),
                    first: at == 0,
                    open_left: !lower.is_finite(),
                    open_right: !upper.is_finite(),
                });
                let interval = figures::interval(*lower, *upper, dimension);
                limits.push(typographic(&format!("{name}{interval}")));
            }
            Err(why) if result.estimate.as_ref().err() == Some(why) => {}
            Err(why) => limits.push(format!("{name}no interval: {why}")),
        }
    }
    let mut tests = Vec::new();
    for test in &result.tests {
        let name = if result.tests.len() > 1 { format!("{}: ", test.name) } else { String::new() };
        tests.push(match &test.p {
            Ok(p) => format!("{name}{}", figures::p_named("p", *p)),
            Err(why) if result.estimate.as_ref().err() == Some(why) => format!("{name}no p-value"),
            Err(why) => format!("{name}no p-value: {why}"),
        });
        match &test.p_adjusted {
            Some(Ok(p)) => tests.push(figures::p_named("adjusted p", *p)),
            Some(Err(why)) if test.p.as_ref().err() == Some(why) => {}
            Some(Err(why)) => tests.push(format!("no adjusted p-value: {why}")),
            None => {}
        }
        if !test.counts.is_empty() {
            tests.push(test.counts.clone());
        }
    }
    let sizes = [
        result.n.map(|n| format!("n\u{a0}{}", figures::count(n))),
        result.clusters.map(|count| words::counted(count, "cluster")),
    ];
    Row {
        label: if entry.member.is_empty() {
            entry.label
        } else if only_levels {
            entry.member.iter().map(|(_, level)| level.as_str()).collect::<Vec<_>>().join(", ")
        } else {
            words::member(entry.member)
        },
        minor: entry.minor,
        bands: result
            .regions
            .iter()
            .map(|region| {
                let (from, to) = band(region, domain);
                Band { x: percent(from), width: percent(to - from), class: region.class.word() }
            })
            .collect(),
        marks: entry.thresholds.iter().map(|threshold| percent(domain.place(threshold.at))).collect(),
        intervals,
        point: result.estimate.as_ref().map_or_else(
            |_| String::new(),
            |number| {
                let value = figures::nearest(number);
                if value.is_finite() { percent(domain.place(value)) } else { String::new() }
            },
        ),
        estimate: match &result.estimate {
            Ok(number) => typographic(&figures::number(number, dimension)),
            Err(why) => format!("undefined: {why}"),
        },
        limits,
        tests,
        size: sizes.into_iter().flatten().collect::<Vec<_>>().join(", "),
        chip: entry.chip,
        reported: result.reported,
    }
}

/// A text of numbers with proper minus signs; a hyphen that no number follows stays.
pub(super) fn typographic(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let starts = matches!(before, ' ' | '[' | '\u{a0}');
        let number = characters.peek().is_some_and(|next| next.is_ascii_digit() || *next == '$');
        written.push(if character == '-' && starts && number { '\u{2212}' } else { character });
        before = character;
    }
    written
}
