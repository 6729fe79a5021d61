//! Orders of arms: by findings with the interval each rank lies in, by estimates, by several objectives at once. Owns which arms are
//! put in one order; the orders themselves are in `stats`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::comparisons::Findings;
use super::compile::{Compiler, Reported};
use super::evidence::{Key, Store, Wanted};
use super::frame::Frame;
use super::judgment::{Figure, RankRow, RankingResult};
use super::members::{Binding, members, pair_levels};
use super::node::Node;
use super::resample::{Drawn, replicates};
use super::sets::View;
use crate::spec::{IntervalMethod, Name, Objective, RankOrder, Ranking, RankingKind};
use crate::stats::comparison::{Found, above};
use crate::stats::equivalence::Better;
use crate::stats::pareto::{self, Place, ReplicatedObjective, front_membership, pareto_front};
use crate::stats::ranks::{self, rank};

/// Asks for every estimate that some ranking reads.
pub(super) fn want(frame: &Frame<'_>, sets: &[Name], wanted: &mut BTreeMap<Key, Wanted>) {
    for ranking in frame.spec.rankings.values() {
        let Some(set) = sets.iter().position(|set| *set == ranking.set) else { continue };
        let names: Vec<&Name> = match &ranking.kind {
            RankingKind::Findings { .. } => Vec::new(),
            RankingKind::Estimate { estimand, .. } => vec![estimand],
            RankingKind::Front { objectives, .. } => objectives.iter().map(|one| &one.estimand).collect(),
        };
        for name in names {
            for member in frame.spec.estimands.get(name).map(|e| members(frame, e, &Binding::new())).unwrap_or_default()
            {
                wanted.entry((set, name.clone(), member)).or_default();
            }
        }
    }
}

/// What rankings read besides the study.
pub(super) struct Sources<'s> {
    pub frame: &'s Frame<'s>,
    pub views: &'s [View<'s>],
    pub reported: &'s Reported<'s>,
    /// Names of the analysis sets by number.
    pub sets: &'s [Name],
    pub store: &'s Store,
    pub findings: &'s BTreeMap<Name, Findings>,
    pub workers: usize,
}

/// Every ranking, in the order of their names.
pub(super) fn order(sources: &Sources<'_>) -> Vec<RankingResult> {
    let rankings = sources.frame.spec.rankings.iter();
    rankings.flat_map(|(name, ranking)| one(sources, name, ranking)).collect()
}

fn one(sources: &Sources<'_>, name: &Name, ranking: &Ranking) -> Vec<RankingResult> {
    let result = |within: Vec<(Name, Name)>, kind: &'static str, rows: Result<Vec<RankRow>, String>| RankingResult {
        name: name.clone(),
        set: ranking.set.clone(),
        within,
        kind,
        rows,
    };
    match &ranking.kind {
        RankingKind::Findings { comparison, order } => {
            let orders = by_findings(sources, comparison, *order);
            orders.into_iter().map(|(within, rows)| result(within, "findings", rows)).collect()
        }
        RankingKind::Estimate { estimand, largest, ranked } => {
            let groups = groups(sources.frame, estimand, ranked);
            let rows = groups.into_iter().map(|(within, members)| {
                let rows = by_estimate(sources, &ranking.set, estimand, *largest, (ranked, &members));
                result(within, "estimate", Ok(rows))
            });
            rows.collect()
        }
        RankingKind::Front { objectives, ranked, draws } => {
            let Some(first) = objectives.first() else { return Vec::new() };
            let groups = groups(sources.frame, &first.estimand, ranked);
            let rows = groups.into_iter().map(|(within, members)| {
                let rows = front(sources, &ranking.set, objectives, draws, (ranked, &members));
                result(within, "front", rows)
            });
            rows.collect()
        }
    }
}

type Groups = BTreeMap<Vec<(Name, Name)>, Vec<Binding>>;

/// Members by the levels of the factors that are not ranked.
fn groups(frame: &Frame<'_>, estimand: &str, ranked: &BTreeSet<Name>) -> Groups {
    let mut groups = Groups::new();
    for member in frame.spec.estimands.get(estimand).map(|e| members(frame, e, &Binding::new())).unwrap_or_default() {
        let within = member.iter().filter(|(factor, _)| !ranked.contains(*factor));
        let within = within.map(|(factor, level)| (factor.clone(), level.clone())).collect();
        groups.entry(within).or_default().push(member);
    }
    groups
}

fn named(ranked: &BTreeSet<Name>, member: &Binding) -> Vec<(Name, Name)> {
    ranked.iter().filter_map(|factor| Some((factor.clone(), member.get(factor)?.clone()))).collect()
}

/// Two levels by number, and what their comparison found.
type Pair = ((usize, usize), Found);

type Orders = Vec<(Vec<(Name, Name)>, Result<Vec<RankRow>, String>)>;

/// Ranks of the levels of the factor whose pairs were compared, in each combination of the other factors.
fn by_findings(sources: &Sources<'_>, comparison: &Name, order: RankOrder) -> Orders {
    let spec = sources.frame.spec;
    let estimand = spec.comparisons.get(comparison).and_then(|own| own.lines.first());
    let estimand = estimand.and_then(|line| spec.estimands.get(&line.estimand));
    let Some(pair) = estimand.and_then(|own| own.per.iter().find(|per| per.pair)) else { return Vec::new() };
    let levels: Vec<Name> = sources.frame.levels_of(&pair.factor).unwrap_or_default();
    let levels: Vec<Name> = levels.into_iter().filter(|level| !pair.except.contains(level)).collect();
    let number = |level: &str| levels.iter().position(|own| own == level);
    let mut groups: BTreeMap<Vec<(Name, Name)>, Vec<Pair>> = BTreeMap::new();
    for (member, found) in sources.findings.get(comparison).into_iter().flatten() {
        let within = member.iter().filter(|(factor, _)| **factor != pair.factor);
        let within = within.map(|(factor, level)| (factor.clone(), level.clone())).collect();
        let arms = member.get(&pair.factor).and_then(|pair| pair_levels(pair));
        let arms = arms.and_then(|(first, second)| number(first).zip(number(second)));
        groups.entry(within).or_default().extend(arms.map(|arms| (arms, *found)));
    }
    let order = match order {
        RankOrder::Inclusion => ranks::RankOrder::Inclusion,
        RankOrder::Count => ranks::RankOrder::Count,
    };
    let ranked = groups.into_iter().map(|(within, compared)| {
        let (pairs, found): (Vec<(usize, usize)>, Vec<_>) = compared.into_iter().unzip();
        let rows = rank(levels.len(), &above(&pairs, &found), order).map_err(|error| error.to_string());
        let rows = rows.map(|ranks| {
            let row = |(level, own): (&Name, ranks::Ranked)| RankRow {
                member: vec![(pair.factor.clone(), level.clone())],
                rank: Some(own.rank as u64),
                tied: !own.ties.is_empty(),
                bounds: Some((own.best as u64, own.worst as u64)),
                values: Vec::new(),
                place: None,
                frequency: None,
            };
            let mut rows: Vec<RankRow> = levels.iter().zip(ranks).map(row).collect();
            rows.sort_by_key(|row| row.rank);
            rows
        });
        (within, rows)
    });
    ranked.collect()
}

/// What is ranked and the members it has in one order.
type Ranked<'r> = (&'r BTreeSet<Name>, &'r [Binding]);

fn estimate(sources: &Sources<'_>, set: &Name, estimand: &Name, member: &Binding) -> Figure {
    let set = sources.sets.iter().position(|own| own == set).unwrap_or(usize::MAX);
    let found = sources.store.evidence.get(&(set, estimand.clone(), member.clone()));
    found.map_or_else(|| Err("it was not computed".to_owned()), |evidence| evidence.shown.estimate.clone())
}

fn by_estimate(
    sources: &Sources<'_>,
    set: &Name,
    estimand: &Name,
    largest: bool,
    (ranked, members): Ranked<'_>,
) -> Vec<RankRow> {
    let figures: Vec<Figure> = members.iter().map(|member| estimate(sources, set, estimand, member)).collect();
    let before = if largest { Ordering::Greater } else { Ordering::Less };
    let compared = |own: &Figure, wanted: Ordering| {
        let own = own.as_ref().ok()?;
        let others = figures.iter().filter_map(|other| other.as_ref().ok());
        Some(others.filter(|other| other.compare(own) == Some(wanted)).count() as u64)
    };
    let dimension =
        sources.frame.spec.estimands.get(estimand).map(|own| own.kind.dimension.clone()).unwrap_or_default();
    let row = |(member, figure): (&Binding, &Figure)| RankRow {
        member: named(ranked, member),
        rank: compared(figure, before).map(|better| 1 + better),
        tied: compared(figure, Ordering::Equal).is_some_and(|equal| equal > 1),
        bounds: None,
        values: vec![(estimand.clone(), figure.clone(), dimension.clone())],
        place: None,
        frequency: None,
    };
    let mut rows: Vec<RankRow> = members.iter().zip(&figures).map(row).collect();
    rows.sort_by_key(|row| row.rank.unwrap_or(u64::MAX));
    rows
}

/// The front of the estimates, and how often resamples put each arm on it.
fn front(
    sources: &Sources<'_>,
    set: &Name,
    objectives: &BTreeSet<Objective>,
    draws: &Name,
    (ranked, members): Ranked<'_>,
) -> Result<Vec<RankRow>, String> {
    let spec = sources.frame.spec;
    let better = |one: &Objective| if one.higher { Better::Higher } else { Better::Lower };
    let figures: Vec<Vec<Figure>> = objectives
        .iter()
        .map(|one| members.iter().map(|member| estimate(sources, set, &one.estimand, member)).collect())
        .collect();
    let values: Vec<Vec<f64>> = figures
        .iter()
        .map(|own| own.iter().map(|figure| figure.as_ref().map_or(f64::NAN, super::judgment::Number::to_f64)).collect())
        .collect();
    let observed: Vec<pareto::Objective<'_>> =
        objectives.iter().zip(&values).map(|(one, values)| pareto::Objective { better: better(one), values }).collect();
    let places = pareto_front(&observed).map_err(|reason| reason.to_string())?;
    let number = sources.sets.iter().position(|own| own == set).ok_or_else(|| format!("{set} is not judged"))?;
    let view = sources.views.get(number).ok_or_else(|| format!("{set} is not judged"))?;
    let mut compiler = Compiler::new(view, sources.reported);
    let nodes: Vec<Node> = objectives
        .iter()
        .flat_map(|one| members.iter().map(|member| (one, member)).collect::<Vec<_>>())
        .map(|(one, member)| compiler.member(&one.estimand, member))
        .collect();
    let method = spec.intervals.get(draws).map(|interval| &interval.method);
    let (cluster, resamples, seed) = match method {
        Some(
            IntervalMethod::BootstrapPercentile { resample, resamples, seed }
            | IntervalMethod::Bootstrap { resample, resamples, seed, .. },
        ) => (resample, *resamples, *seed),
        _ => return Err(format!("{draws} draws no resamples")),
    };
    let source = Drawn { set: number, cluster, resamples, seed };
    let series = replicates(sources.frame, &nodes, &source, sources.workers)?;
    let slices: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
    let replicated: Vec<ReplicatedObjective<'_>> = objectives
        .iter()
        .zip(slices.chunks(members.len().max(1)))
        .map(|(one, series)| ReplicatedObjective { better: better(one), series })
        .collect();
    let memberships = front_membership(&replicated, sources.workers).map_err(|reason| reason.to_string())?;
    let mut rows = Vec::new();
    for (at, (member, (place, membership))) in members.iter().zip(places.iter().zip(memberships)).enumerate() {
        let values = objectives.iter().zip(&figures).filter_map(|(one, own)| {
            let dimension = spec.estimands.get(&one.estimand)?.kind.dimension.clone();
            Some((one.estimand.clone(), own.get(at)?.clone(), dimension))
        });
        rows.push(RankRow {
            member: named(ranked, member),
            rank: None,
            tied: false,
            bounds: None,
            values: values.collect(),
            place: Some(match place {
                Place::Front => "front",
                Place::Dominated => "dominated",
                Place::Undefined => "undefined",
            }),
            frequency: Some(membership.frequency().map_err(|reason| reason.to_string())),
        });
    }
    rows.sort_by_key(|row| row.place != Some("front"));
    Ok(rows)
}
