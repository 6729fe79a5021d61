//! Evidence: the numbers that rules read, for every analysis set, estimand and member that some verdict asks for. Owns what is
//! computed once and shared; it must not decide anything.

use std::collections::{BTreeMap, BTreeSet};

use super::compile::{Compiler, Reported};
use super::frame::Frame;
use super::interval;
use super::judgment::{EstimandResult, Figure, IntervalResult, Number, TestResult};
use super::looks::{Look, Sequential};
use super::members::{Binding, admits, cluster_key, listed, members, pick_of, picked_name};
use super::node::Node;
use super::resample::{Job, intervals};
use super::sets::View;
use super::test::{Tested, test};
use super::unit_values::unit_values;
use crate::math::{Rational, exact};
use crate::records::ReceivedEstimate;
use crate::spec::{
    About, BootstrapKind, Bounds, EstimandBody, EvidenceKind, EvidenceRef, Interval, IntervalMethod, LevelRef, Name,
    RecordExpr, Spec, TestMethod,
};

/// Analysis set by number, estimand, member.
pub(super) type Key = (usize, Name, Binding);

/// What a rule may ask of one member of an estimand.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub intervals: BTreeSet<Name>,
    pub tests: BTreeSet<Name>,
}

/// The evidence of one member of an estimand.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    /// For every presentation; aliases and regions are filled in where it is shown.
    pub shown: EstimandResult,
    /// By interval; the empty name stands for a reported one.
    pub limits: BTreeMap<Name, Result<(Number, Number), String>>,
    /// By test; the empty name stands for a reported one.
    pub p: BTreeMap<Name, Figure>,
    /// Monte Carlo standard errors of drawn p-values.
    pub p_errors: BTreeMap<Name, f64>,
    /// By test, once families are adjusted.
    pub adjusted: BTreeMap<Name, Figure>,
    /// What its unit values are like, where a comparison asks.
    pub units: Option<Result<Units, String>>,
}

/// What unit values are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Units {
    pub count: usize,
    /// Whether they are all the same.
    pub constant: bool,
    /// Units or pairs left out because a side does not count.
    pub left_out: u64,
}

/// All evidence of a judgment.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub evidence: BTreeMap<Key, Evidence>,
}

/// The members of an estimand that an `about` reads: its pins hold, and so does the condition. Only those that agree with `at`
/// are made.
pub(super) fn members_of(frame: &Frame<'_>, about: &About, filter: Option<&RecordExpr>, at: &Binding) -> Vec<Binding> {
    let spec = frame.spec;
    let Some(estimand) = spec.estimands.get(&about.estimand) else { return Vec::new() };
    let pins = pins(spec, about);
    let mut found: Vec<Binding> = Vec::new();
    let mut seen: BTreeSet<Binding> = BTreeSet::new();
    for mut member in members(frame, estimand, at) {
        for (factor, level) in &pins {
            if let Some(slot) = member.get_mut(factor)
                && pick_of(level).is_some()
            {
                slot.clone_from(level);
            }
        }
        let fits = pins.iter().all(|(factor, level)| member.get(factor) == Some(level))
            && filter.is_none_or(|filter| admits(spec, &member, filter));
        let agrees = at.iter().all(|(factor, level)| member.get(factor).is_none_or(|own| own == level));
        if fits && agrees && seen.insert(member.clone()) {
            found.push(member);
        }
    }
    found
}

/// The levels that an `about` pins. Two pins of one factor name a pair.
pub(super) fn pins(spec: &Spec, about: &About) -> Binding {
    let mut pins = Binding::new();
    let paired = |factor: &Name| {
        let estimand = spec.estimands.get(&about.estimand);
        estimand.is_some_and(|estimand| estimand.per.iter().any(|per| per.pair && per.factor == *factor))
    };
    for (factor, level) in &about.at {
        let level = match level {
            LevelRef::Level(level) => level,
            LevelRef::Picked(pick) => &picked_name(pick),
            LevelRef::Parameter(_) | LevelRef::Next => continue,
        };
        match pins.get(factor) {
            Some(first) if paired(factor) => {
                let order = super::frame::levels_of(spec, factor).unwrap_or_default();
                let rank = |level: &Name| order.iter().position(|own| own == level);
                let pair = if rank(first) <= rank(level) {
                    super::members::pair_name(first, level)
                } else {
                    super::members::pair_name(level, first)
                };
                pins.insert(factor.clone(), pair);
            }
            _ => {
                pins.insert(factor.clone(), level.clone());
            }
        }
    }
    pins
}

impl Store {
    /// Computes everything asked for. `views` are the analysis sets by number.
    #[expect(clippy::too_many_lines, reason = "one step after the other, each with what the last one left")]
    pub fn compute(
        views: &[View<'_>],
        reported: &Reported<'_>,
        wanted: &BTreeMap<Key, Wanted>,
        look: Option<&Look>,
        workers: usize,
    ) -> Self {
        let mut store = Self::default();
        let Some(frame) = views.first().map(|view| view.frame) else { return store };
        let spec = frame.spec;
        let mut compilers: Vec<Compiler<'_>> = views.iter().map(|view| Compiler::new(view, reported)).collect();
        let mut nodes: BTreeMap<&Key, Node> = BTreeMap::new();
        // Where a pick selects the level, the member that it selects from all records.
        let mut settled: BTreeMap<&Key, Binding> = BTreeMap::new();
        for key in wanted.keys() {
            if let Some(compiler) = compilers.get_mut(key.0) {
                let member = compiler.settle(&key.2).unwrap_or_else(|_| key.2.clone());
                nodes.insert(key, compiler.member(&key.1, &key.2));
                settled.insert(key, member);
            }
        }
        // What a simultaneous interval is simultaneous with: every planned member of its estimand.
        let mut siblings: BTreeMap<(usize, &Name), Vec<(Binding, Node)>> = BTreeMap::new();
        for (key, asked) in wanted {
            let (Some(estimand), Some(compiler)) = (spec.estimands.get(&key.1), compilers.get_mut(key.0)) else {
                continue;
            };
            if asked.intervals.iter().any(|name| is_simultaneous(spec, name)) {
                siblings.entry((key.0, &key.1)).or_insert_with(|| {
                    let nodes = members(frame, estimand, &Binding::new()).into_iter().map(|member| {
                        let node = compiler.member(&key.1, &member);
                        (member, node)
                    });
                    nodes.filter(|(_, node)| !matches!(node, Node::Undefined(_))).collect()
                });
            }
        }
        let mut jobs = Vec::new();
        let mut of_jobs: Vec<(&Key, &Name)> = Vec::new();
        for (key, asked) in wanted {
            for name in &asked.intervals {
                if let Some((node, job)) = nodes.get(key).zip(spec.intervals.get(name))
                    && !matches!(node, Node::Undefined(_))
                    && let Some(job) = bootstrap_job(spec, key.0, node, job)
                    && let Ok(level) = level_at(look, job.level)
                {
                    let together = is_simultaneous(spec, name).then(|| siblings.get(&(key.0, &key.1))).flatten();
                    let own = settled.get(key);
                    let others = together.into_iter().flatten().filter(|(member, _)| Some(member) != own);
                    let job = Job { members: others.map(|(_, node)| node).collect(), level, ..job };
                    jobs.push(job);
                    of_jobs.push((key, name));
                }
            }
        }
        let resampled = intervals(frame, &jobs, workers);
        let mut drawn: BTreeMap<(&Key, &Name), super::resample::Resampled> =
            of_jobs.into_iter().zip(resampled).collect();
        let mut tested = Tests::default();
        let mut sequential = Sequential::default();
        for (key, asked) in wanted {
            let (Some(node), Some(estimand)) = (nodes.get(key), spec.estimands.get(&key.1)) else { continue };
            let Some(member) = settled.get(key) else { continue };
            let is_reported = estimand.body == EstimandBody::Reported;
            let report = if is_reported { reported.get(&(key.1.clone(), member.clone())).copied() } else { None };
            let mut evidence = blank(frame, estimand, (&key.1, member), node, report);
            if let Some(report) = report {
                take_reported(&mut evidence, report, &estimand.kind.bounds);
            }
            let is_compared =
                |comparison: &crate::spec::Comparison| comparison.lines.iter().any(|line| line.estimand == key.1);
            if spec.comparisons.values().any(is_compared) {
                evidence.units = Some(unit_values(node).map(|found| Units {
                    count: found.values.len(),
                    constant: found.values.array_windows::<2>().all(|[one, two]| one == two),
                    left_out: found.left_out,
                }));
            }
            for name in &asked.intervals {
                let Some(interval) = spec.intervals.get(name) else { continue };
                let declared = exact::nearest_f64(&interval.level_of_each(spec));
                let at_look = level_at(look, declared);
                let level = at_look.clone().unwrap_or(declared);
                let mut result = IntervalResult {
                    name: name.clone(),
                    method: interval.method.to_string(),
                    level,
                    limits: Err(String::new()),
                    undefined: 0,
                    monte_carlo_error: None,
                };
                result.limits = match (node, drawn.remove(&(key, name)), at_look) {
                    (Node::Undefined(reason), ..) => Err(reason.clone()),
                    (_, _, Err(reason)) => Err(reason),
                    (_, Some(resampled), _) => {
                        result.undefined = resampled.undefined;
                        result.monte_carlo_error = resampled.errors;
                        resampled.limits
                    }
                    (_, None, _) => interval::interval(frame, &interval.method, node, level),
                };
                // Rules are proved for a lower limit that is not above the upper one; a NaN is neither.
                result.limits = result.limits.and_then(|(lower, upper)| {
                    let ordered = lower <= upper;
                    ordered
                        .then(|| cut((lower, upper), &estimand.kind.bounds))
                        .ok_or_else(|| "its limits have no order".to_owned())
                });
                let limits = result.limits.clone().map(|(low, high)| (Number::Float(low), Number::Float(high)));
                evidence.limits.insert(name.clone(), limits);
                evidence.shown.intervals.push(result);
            }
            for name in &asked.tests {
                let Some(test) = spec.tests.get(name) else { continue };
                let mut result = tested.run(frame, &test.method, node, look, workers);
                if let Some(look) = look.filter(|look| !look.is_anytime()) {
                    result.p = result.p.and_then(|p| sequential.p(look, &test.method, p));
                }
                evidence.p.insert(name.clone(), result.p.clone().map(Number::Float));
                if let Some(error) = result.error {
                    evidence.p_errors.insert(name.clone(), error);
                }
                evidence.shown.tests.push(TestResult {
                    name: name.clone(),
                    method: test.method.to_string(),
                    p: result.p,
                    p_adjusted: None,
                    family: None,
                    counts: result.counts,
                });
            }
            store.evidence.insert(key.clone(), evidence);
        }
        store
    }

    /// A number of evidence. `member` binds at least the factors of the estimand that the `about` does not pin.
    pub fn number(&self, spec: &Spec, set: usize, about: &About, evidence: &EvidenceRef, member: &Binding) -> Figure {
        let found = self.find(spec, set, about, member)?;
        let method = evidence.method.clone().unwrap_or_default();
        let missing = |what: &str| format!("{} has no {what} here", evidence.about);
        match evidence.kind {
            EvidenceKind::Estimate => found.shown.estimate.clone(),
            EvidenceKind::Lower | EvidenceKind::Upper => {
                let limits = found.limits.get(&method).cloned().unwrap_or_else(|| Err(missing("interval")));
                let (lower, upper) = limits?;
                Ok(if evidence.kind == EvidenceKind::Lower { lower } else { upper })
            }
            EvidenceKind::P => found.p.get(&method).cloned().unwrap_or_else(|| Err(missing("p-value"))),
            EvidenceKind::PAdjusted => found
                .adjusted
                .get(&method)
                .cloned()
                .unwrap_or_else(|| Err(missing("adjusted p-value: it is in no family"))),
            EvidenceKind::N => counted(found.shown.n).ok_or_else(|| missing("n")),
            EvidenceKind::Clusters => counted(found.shown.clusters).ok_or_else(|| missing("number of clusters")),
        }
    }

    /// The evidence that an `about` has for a member.
    pub fn find(&self, spec: &Spec, set: usize, about: &About, member: &Binding) -> Result<&Evidence, String> {
        let estimand =
            spec.estimands.get(&about.estimand).ok_or_else(|| format!("there is no estimand {}", about.estimand))?;
        let pins = pins(spec, about);
        let mut own = Binding::new();
        for per in &estimand.per {
            let level = pins.get(&per.factor).or_else(|| member.get(&per.factor));
            let level = level.ok_or_else(|| format!("{} has no one level of {} here", about.alias, per.factor))?;
            own.insert(per.factor.clone(), level.clone());
        }
        let key = (set, about.estimand.clone(), own);
        self.evidence.get(&key).ok_or_else(|| format!("{} is not planned for this member", about.alias))
    }
}

/// Tests on the same values give the same answer, so each is run once.
#[derive(Default)]
struct Tests {
    done: Vec<Done>,
}

/// A permutation test that was run: its method, the values and the units they belong to, its result.
type Done = (TestMethod, Vec<super::sample::Series>, Vec<Vec<u32>>, Tested);

impl Tests {
    fn run(
        &mut self,
        frame: &Frame<'_>,
        method: &TestMethod,
        node: &Node,
        look: Option<&Look>,
        workers: usize,
    ) -> Tested {
        let anytime = look.is_some_and(Look::is_anytime);
        // Only permutation is dear enough to look for a twin, which analysis sets that drop nothing here give.
        if !method.is_drawn() {
            return test(frame, method, node, anytime, workers);
        }
        let (mut series, mut units) = (Vec::new(), Vec::new());
        node.samples(&mut |sample| {
            series.extend(sample.series.iter().cloned());
            units.push(sample.units.clone());
        });
        let twin = self.done.iter().find(|(own, s, u, _)| own == method && *s == series && *u == units);
        if let Some((.., result)) = twin {
            return result.clone();
        }
        let result = test(frame, method, node, anytime, workers);
        self.done.push((method.clone(), series, units, result.clone()));
        result
    }
}

fn counted(count: Option<u64>) -> Option<Number> {
    count.map(|count| Number::Exact(Rational::from_integer(count.into())))
}

/// What is resampled for an interval; nothing when its limits are computed directly.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn bootstrap_job<'n>(spec: &Spec, set: usize, node: &'n Node, interval: &Interval) -> Option<Job<'n>> {
    let (kind, resample, resamples, seed) = match &interval.method {
        IntervalMethod::BootstrapPercentile { resample, resamples, seed } => (None, resample, *resamples, *seed),
        IntervalMethod::Bootstrap { kind, resample, resamples, seed } => (Some(*kind), resample, *resamples, *seed),
        _ => return None,
    };
    let level = exact::nearest_f64(&interval.level_of_each(spec));
    Some(Job { set, node, cluster: resample.clone(), resamples, seed, level, kind, members: Vec::new() })
}

/// Limits beyond what the estimand can be are cut there: its bounds are what rules are proved with.
fn cut((lower, upper): (f64, f64), bounds: &Bounds) -> (f64, f64) {
    let low = bounds.lower.as_ref().map_or(f64::NEG_INFINITY, exact::nearest_f64);
    let high = bounds.upper.as_ref().map_or(f64::INFINITY, exact::nearest_f64);
    (lower.clamp(low, high), upper.clamp(low, high))
}

/// How far a rounded number may lie beyond a bound and still mean the bound.
const ROUNDING: f64 = 1e-9;

/// An estimate within what its estimand can be; a rounded one that lies just beyond is the bound itself. Rules are proved for
/// nothing else, so that a number further out has no verdict.
fn provable(estimate: Number, bounds: &Bounds) -> Figure {
    let beyond = || Err("it lies beyond what its estimand can be, for which no rule was proved".to_owned());
    let value = match &estimate {
        Number::Exact(value) => return if bounds.hold(value) { Ok(estimate) } else { beyond() },
        Number::Float(value) => *value,
    };
    let (low, high) = cut((value, value), bounds);
    let nearest = if value < low { low } else { high.min(value) };
    if (value - nearest).abs() <= ROUNDING * nearest.abs().max(1.0) { Ok(Number::Float(nearest)) } else { beyond() }
}

/// The confidence level at which an interval is computed so that it holds over all planned looks.
fn level_at(look: Option<&Look>, level: f64) -> Result<f64, String> {
    look.map_or(Ok(level), |look| look.interval_level(level))
}

/// Whether an interval's limits hold for all members of its estimand together.
fn is_simultaneous(spec: &Spec, interval: &Name) -> bool {
    let method = spec.intervals.get(interval).map(|interval| &interval.method);
    matches!(method, Some(IntervalMethod::Bootstrap { kind: BootstrapKind::MaxT, .. }))
}

fn blank(
    frame: &Frame<'_>,
    estimand: &crate::spec::Estimand,
    (name, member): (&Name, &Binding),
    node: &Node,
    report: Option<&ReceivedEstimate>,
) -> Evidence {
    let is_reported = estimand.body == EstimandBody::Reported;
    let (mut places, mut units) = (BTreeSet::new(), BTreeSet::new());
    if !is_reported {
        node.samples(&mut |sample| {
            places.extend(sample.places.iter().copied());
            units.extend(sample.units.iter().copied());
        });
    }
    let clusters: BTreeSet<String> = units.into_iter().map(|unit| cluster_key(frame, unit, "")).collect();
    Evidence {
        shown: EstimandResult {
            alias: name.clone(),
            estimand: name.clone(),
            member: listed(estimand, member),
            dimension: estimand.kind.dimension.clone(),
            reported: is_reported,
            estimate: node.exact().and_then(|estimate| provable(estimate, &estimand.kind.bounds)),
            intervals: Vec::new(),
            tests: Vec::new(),
            n: if is_reported { report.and_then(|report| report.n) } else { Some(places.len() as u64) },
            clusters: if is_reported { None } else { Some(clusters.len() as u64) },
            regions: Vec::new(),
        },
        limits: BTreeMap::new(),
        p: BTreeMap::new(),
        p_errors: BTreeMap::new(),
        adjusted: BTreeMap::new(),
        units: None,
    }
}

/// Intervals and p-values that stand in the results as they are. They are shown so; rules read limits within the bounds that they
/// were proved for, since a normal interval of a rate may well end below 0.
fn take_reported(evidence: &mut Evidence, report: &ReceivedEstimate, bounds: &Bounds) {
    if let Some((lower, upper)) = &report.interval {
        evidence.shown.intervals.push(IntervalResult {
            name: "reported".to_owned(),
            method: "reported, not recomputed".to_owned(),
            level: report.level.as_ref().map_or(f64::NAN, exact::nearest_f64),
            limits: Ok((exact::nearest_f64(lower), exact::nearest_f64(upper))),
            undefined: 0,
            monte_carlo_error: None,
        });
        let within = |limit: &Rational| {
            let raised = bounds.lower.as_ref().filter(|low| limit < *low).unwrap_or(limit);
            Number::Exact(bounds.upper.as_ref().filter(|high| raised > *high).unwrap_or(raised).clone())
        };
        evidence.limits.insert(String::new(), Ok((within(lower), within(upper))));
    }
    if let Some(p) = &report.p {
        evidence.p.insert(String::new(), Ok(Number::Exact(p.clone())));
        evidence.shown.tests.push(TestResult {
            name: "reported".to_owned(),
            method: "reported, not recomputed".to_owned(),
            p: Ok(exact::nearest_f64(p)),
            p_adjusted: None,
            family: None,
            counts: String::new(),
        });
    }
}
