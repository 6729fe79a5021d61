//! The cluster bootstrap of compiled estimands: pools, shared picks, exact totals per resample, and the tree evaluated on them.
//! Owns which clusters are resampled and what is computed once for all estimands; it must not decide what an interval means.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::frame::Frame;
use super::members::cluster_key;
use super::node::Node;
use super::sample::{Column, Sample};
use crate::math::Rational;
use crate::spec::BootstrapKind;
use crate::stats::bootstrap::{self, Totals};
use crate::stats::column::ExactColumn;
use crate::stats::parallel::fill_runs;
use crate::stats::picks::Picks;

mod evaluate;
mod limits;

/// One interval to compute.
pub(super) struct Job<'n> {
    /// The analysis set's number: samples are numbered within it.
    pub set: usize,
    pub node: &'n Node,
    pub cluster: String,
    pub resamples: u64,
    pub seed: u64,
    pub level: f64,
    /// How limits are made; percentiles when absent.
    pub kind: Option<BootstrapKind>,
    /// What a simultaneous interval is simultaneous with: every other member of the estimand.
    pub members: Vec<&'n Node>,
}

impl<'n> Job<'n> {
    /// Every tree that is evaluated for it.
    fn nodes(&self) -> impl Iterator<Item = &'n Node> + '_ {
        std::iter::once(self.node).chain(self.members.iter().copied())
    }
}

/// What an interval came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Resampled {
    pub limits: Result<(f64, f64), String>,
    pub undefined: u64,
    pub errors: Option<(f64, f64)>,
}

impl Resampled {
    fn failed(reason: &str) -> Self {
        Self { limits: Err(reason.to_owned()), undefined: 0, errors: None }
    }
}

/// Which totals: analysis set, sample, column.
type TotalKey = (usize, usize, Column);

/// Totals with what they are over beside their power of ten, or why there are none.
type Summed = Result<(Arc<Totals>, Rational), String>;

/// The clusters that are resampled together.
struct Group {
    clusters: usize,
    /// By unit.
    cluster: Vec<Option<usize>>,
    picks: Result<Arc<Picks>, String>,
    columns: Vec<(TotalKey, Arc<Sample>)>,
    totals: BTreeMap<TotalKey, Summed>,
}

/// How clusters are picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Draw {
    /// So many resamples with this seed.
    Seeded(u64, u64),
    /// Every cluster left out once.
    LeaveOneOut,
}

/// Clusters by number and how they are picked: what shares totals.
type GroupKey = (Vec<Vec<u32>>, Draw);

/// Computes all intervals, with the same bytes for any number of workers.
pub(super) fn intervals(frame: &Frame<'_>, jobs: &[Job<'_>], workers: usize) -> Vec<Resampled> {
    let mut groups = Groups { frame, list: Vec::new(), numbers: BTreeMap::new(), drawn: BTreeMap::new() };
    let mut of_job = Vec::with_capacity(jobs.len());
    for job in jobs {
        let clusters = clusters_of(frame, job);
        let number = groups.number(clusters.clone(), Draw::Seeded(job.resamples, job.seed), job);
        let jackknife = limits::needs_jackknife(job.kind).then(|| groups.number(clusters, Draw::LeaveOneOut, job));
        of_job.push((number, jackknife));
    }
    let mut groups = groups.list;
    for group in &mut groups {
        group.sum(workers);
    }
    let mut slots: Vec<(usize, Option<Resampled>)> = (0..jobs.len()).map(|job| (job, None)).collect();
    // Jobs are dealt out in turn, since neighbours cost alike.
    let stride = workers.max(1);
    slots.sort_by_key(|(job, _)| (job % stride, *job));
    fill_runs(&mut slots, workers, |_, run| {
        for (index, slot) in run {
            let Some((number, jackknife)) = of_job.get(*index) else { continue };
            let jackknife = jackknife.and_then(|number| groups.get(number));
            *slot = jobs.get(*index).zip(groups.get(*number)).map(|(job, group)| limits::limits(job, group, jackknife));
        }
    });
    slots.sort_by_key(|(job, _)| *job);
    slots.into_iter().map(|(_, slot)| slot.unwrap_or_else(|| Resampled::failed("it was not computed"))).collect()
}

/// How resamples are drawn for trees that are evaluated side by side.
pub(super) struct Drawn<'d> {
    /// The analysis set's number.
    pub set: usize,
    pub cluster: &'d str,
    pub resamples: u64,
    pub seed: u64,
}

/// The value of every tree on the same resamples of all clusters that any of them reads; `NaN` where there is none.
pub(super) fn replicates(
    frame: &Frame<'_>,
    nodes: &[Node],
    drawn: &Drawn<'_>,
    workers: usize,
) -> Result<Vec<Vec<f64>>, String> {
    let Some((first, others)) = nodes.split_first() else { return Ok(Vec::new()) };
    let job = Job {
        set: drawn.set,
        node: first,
        cluster: drawn.cluster.to_owned(),
        resamples: drawn.resamples,
        seed: drawn.seed,
        level: 0.0,
        kind: None,
        members: others.iter().collect(),
    };
    let mut groups = Groups { frame, list: Vec::new(), numbers: BTreeMap::new(), drawn: BTreeMap::new() };
    let number = groups.number(clusters_of(frame, &job), Draw::Seeded(drawn.resamples, drawn.seed), &job);
    let group = groups.list.get_mut(number).ok_or_else(|| "there is nothing to resample".to_owned())?;
    group.sum(workers);
    let picks = group.picks.clone()?;
    let evaluator = evaluate::Evaluator { set: drawn.set, group, picks: &picks };
    let none = || vec![f64::NAN; picks.resamples() as usize];
    Ok(nodes.iter().map(|node| evaluator.replicates(node).unwrap_or_else(|_| none())).collect())
}

/// Groups of clusters that are picked alike, each with the totals that some job reads.
struct Groups<'f> {
    frame: &'f Frame<'f>,
    list: Vec<Group>,
    numbers: BTreeMap<GroupKey, usize>,
    drawn: BTreeMap<(usize, Draw), Result<Arc<Picks>, String>>,
}

impl Groups<'_> {
    /// The group of these clusters, with the totals that the job reads.
    fn number(&mut self, clusters: Vec<Vec<u32>>, how: Draw, job: &Job<'_>) -> usize {
        let count = clusters.len();
        let (frame, list, drawn) = (self.frame, &mut self.list, &mut self.drawn);
        let number = *self.numbers.entry((clusters, how)).or_insert_with_key(|(clusters, _)| {
            let picks = drawn.entry((count, how)).or_insert_with(|| draw(count, how));
            list.push(Group {
                clusters: count,
                cluster: numbering(frame, clusters),
                picks: picks.clone(),
                columns: Vec::new(),
                totals: BTreeMap::new(),
            });
            list.len() - 1
        });
        if let Some(group) = self.list.get_mut(number) {
            for node in job.nodes() {
                want(node, job.set, &mut group.columns);
            }
        }
        number
    }
}

fn draw(clusters: usize, how: Draw) -> Result<Arc<Picks>, String> {
    let picks = match how {
        Draw::LeaveOneOut => Picks::leave_one_out(clusters),
        Draw::Seeded(resamples, seed) => {
            let resamples = u32::try_from(resamples).map_err(|_| "too many resamples were asked for".to_owned())?;
            Picks::draw(clusters, resamples, seed)
        }
    };
    picks.map(Arc::new).map_err(|error| error.to_string())
}

/// The units of each cluster, clusters bytewise by key: every planned unit that some part of the estimand may read.
fn clusters_of(frame: &Frame<'_>, job: &Job<'_>) -> Vec<Vec<u32>> {
    let mut units: Vec<u32> = Vec::new();
    let mut seen: Vec<usize> = Vec::new();
    for node in job.nodes() {
        node.samples(&mut |sample| {
            if !seen.contains(&sample.id) {
                seen.push(sample.id);
                units.extend(&sample.pool);
            }
        });
    }
    units.sort_unstable();
    units.dedup();
    let mut clusters: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
    for unit in units {
        clusters.entry(cluster_key(frame, unit, &job.cluster).into_bytes()).or_default().push(unit);
    }
    clusters.into_values().collect()
}

fn numbering(frame: &Frame<'_>, clusters: &[Vec<u32>]) -> Vec<Option<usize>> {
    let mut numbers = vec![None; frame.units()];
    for (number, units) in clusters.iter().enumerate() {
        for unit in units {
            if let Some(slot) = numbers.get_mut(*unit as usize) {
                *slot = Some(number);
            }
        }
    }
    numbers
}

fn want(node: &Node, set: usize, into: &mut Vec<(TotalKey, Arc<Sample>)>) {
    let mut add = |sample: &Arc<Sample>, columns: &[Column]| {
        into.extend(columns.iter().map(|column| ((set, sample.id, *column), Arc::clone(sample))));
    };
    match node {
        Node::Constant(_) | Node::Undefined(_) | Node::Order(..) | Node::Statistic(..) | Node::Fitted(_) => {}
        Node::Count(sample) => add(sample, &[Column::Sum(0)]),
        Node::Sum(sample) | Node::Mean(sample) => add(sample, &[Column::Sum(0), Column::Count]),
        Node::Sd(sample) => add(sample, &[Column::Sum(0), Column::Squares(0), Column::Count]),
        Node::Phi(sample) => add(sample, &[Column::Sum(0), Column::Sum(1), Column::Both, Column::Count]),
        Node::Arithmetic(left, _, right) => {
            want(left, set, into);
            want(right, set, into);
        }
        Node::Negate(body) | Node::Abs(body) | Node::Log(body) | Node::OrElse(body, _) => want(body, set, into),
        Node::Reduce(_, parts) => parts.iter().for_each(|part| want(part, set, into)),
        Node::Pick(choice) => choice.scores.iter().chain(&choice.bodies).for_each(|part| want(part, set, into)),
    }
}

impl Group {
    fn sum(&mut self, workers: usize) {
        self.columns.sort_by_key(|(key, _)| *key);
        self.columns.dedup_by_key(|(key, _)| *key);
        let Ok(picks) = &self.picks else { return };
        let mut sums: Vec<(TotalKey, ExactColumn, Rational)> = Vec::new();
        for (key, sample) in &self.columns {
            match sample.column(key.2, self.clusters, &self.cluster) {
                Ok((column, over)) => sums.push((*key, column, over)),
                Err(reason) => {
                    self.totals.insert(*key, Err(reason));
                }
            }
        }
        // Cells of one design count the same records, and sets that drop little share most sums: equal columns are added up once.
        let mut places: BTreeMap<(u32, &[i128]), usize> = BTreeMap::new();
        let mut columns: Vec<&ExactColumn> = Vec::new();
        let mut of_sums = Vec::with_capacity(sums.len());
        for (_, column, _) in &sums {
            of_sums.push(*places.entry((column.scale(), column.sums())).or_insert_with(|| {
                columns.push(column);
                columns.len() - 1
            }));
        }
        match bootstrap::totals(picks, &columns, workers) {
            Ok(totals) => {
                let totals: Vec<Arc<Totals>> = totals.into_iter().map(Arc::new).collect();
                for ((key, _, over), place) in sums.iter().zip(of_sums) {
                    let Some(totals) = totals.get(place) else { continue };
                    self.totals.insert(*key, Ok((Arc::clone(totals), over.clone())));
                }
            }
            Err(reason) => self.totals.extend(sums.iter().map(|(key, ..)| (*key, Err(reason.to_string())))),
        }
    }

    fn total(&self, set: usize, sample: &Sample, column: Column) -> Result<(&Totals, &Rational), String> {
        match self.totals.get(&(set, sample.id, column)) {
            Some(Ok((totals, over))) => Ok((totals, over)),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err("its sums were not computed".to_owned()),
        }
    }
}
