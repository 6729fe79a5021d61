//! Permutation of labels within blocks, for any contrast: outcomes change places within a block and everything is computed anew.
//! Owns which records may change places; what is counted, and how, is in `stats`.
//!
//! A record's outcome moves; what the plan says of its place (levels, steps, attributes of the unit) stays. Outcomes move only
//! among records of one block that agree in every other factor, so that the null is about the labels alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_integer::Integer;
use num_traits::Signed as _;

use super::frame::{Frame, Place};
use super::judgment::Number;
use super::members::cluster_key;
use super::node::{Choice, Node};
use super::row::RowExpr;
use super::sample::{Sample, Series};
use super::test::{Outcome, drawn};
use crate::math::Rational;
use crate::spec::Sides;
use crate::stats::permutation_within::{Counted, Counting, statistic_test};

/// Binary values are compared on multiples of 2^-40, so that equal arrangements are equal however their sums were rounded.
const UNITS: f64 = 1_099_511_627_776.0;

/// What a permutation of labels is made of.
pub(super) struct Permuted<'p> {
    /// The factor.
    pub labels: &'p str,
    /// The block.
    pub within: &'p str,
    /// How many draws.
    pub draws: u64,
    /// The seed.
    pub seed: u64,
}

/// The p of a contrast under permutation. The result does not depend on `workers`.
pub(super) fn contrast(frame: &Frame<'_>, node: &Node, sides: Sides, how: &Permuted<'_>, workers: usize) -> Outcome {
    let arrangement = Arrangement::new(frame, node, how)?;
    let statistic = |labels: &[Vec<u32>]| {
        let value = match arrangement.permuted(node, labels)?.exact().ok()? {
            Number::Exact(value) => value,
            Number::Float(value) => {
                let units = num_traits::cast::<f64, i64>(libm::round(value * UNITS))?;
                Rational::new(units.into(), (1_i64 << 40).into())
            }
        };
        Some(match sides {
            Sides::Two => value.abs(),
            Sides::Greater => value,
            Sides::Less => -value,
        })
    };
    let counting = Counting::Drawn { draws: how.draws, seed: how.seed };
    let found = statistic_test(&arrangement.labels, statistic, counting, workers).map_err(|error| error.to_string())?;
    let Counted::Drawn { draws, as_extreme } = found.counted else { return Err("it was not drawn".to_owned()) };
    Ok(drawn(found.p, as_extreme, draws))
}

/// What names a block: its cluster, and the levels of every factor but the permuted one.
type Block = (Vec<u8>, Vec<Option<u64>>);

/// The records of a contrast by block, and the values that move.
struct Arrangement {
    /// Places by number.
    places: Vec<Place>,
    /// By block: the numbers of its places, labels ascending.
    blocks: Vec<Vec<usize>>,
    /// By block: the label of each of these places.
    labels: Vec<Vec<u32>>,
    /// By what is aggregated: by argument the values at each place number.
    values: BTreeMap<Vec<RowExpr>, Vec<Moving>>,
    samples: BTreeMap<usize, Arc<Sample>>,
}

/// The values of one argument by the number of the place.
enum Moving {
    /// Fixed by the plan: it stays.
    Stays,
    Truths(Vec<Option<bool>>),
    Scaled(Vec<Option<i128>>, i128),
    Wide(Vec<Option<Rational>>),
}

impl Arrangement {
    fn new(frame: &Frame<'_>, node: &Node, how: &Permuted<'_>) -> Result<Self, String> {
        let axis = frame.axis(how.labels).ok_or_else(|| format!("{} is not crossed in the design", how.labels))?;
        let mut samples: BTreeMap<usize, Arc<Sample>> = BTreeMap::new();
        node.samples(&mut |sample| {
            samples.insert(sample.id, Arc::clone(sample));
        });
        let mut indexed = Vec::new();
        for sample in samples.values() {
            if sample.key.filters.iter().any(|filter| !filter.is_planned()) {
                return Err("a measure that leaves records out by their outcomes cannot be permuted".to_owned());
            }
            sample.key.arguments.iter().for_each(|argument| argument.indexed(&mut indexed));
        }
        if !indexed.is_empty() {
            return Err(
                "a value that reads several cells has no label of its own; permute a contrast of measures".to_owned()
            );
        }
        let places: Vec<Place> = samples
            .values()
            .flat_map(|sample| sample.places.iter().copied())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let mut blocks: BTreeMap<Block, Vec<(u64, usize)>> = BTreeMap::new();
        for (number, place) in places.iter().enumerate() {
            let others = (0..frame.axes.len()).filter(|other| *other != axis).map(|other| frame.level(*place, other));
            let cluster = cluster_key(frame, frame.unit_of(*place), how.within).into_bytes();
            let label = frame.level(*place, axis).unwrap_or_default();
            blocks.entry((cluster, others.collect())).or_default().push((label, number));
        }
        let mut own = Self { places, blocks: Vec::new(), labels: Vec::new(), values: BTreeMap::new(), samples };
        for mut block in blocks.into_values() {
            block.sort_unstable();
            let labels = block.iter().map(|(label, _)| u32::try_from(*label).map_err(|_| "too many labels".to_owned()));
            own.labels.push(labels.collect::<Result<_, _>>()?);
            own.blocks.push(block.into_iter().map(|(_, number)| number).collect());
        }
        own.gather()?;
        Ok(own)
    }

    fn gather(&mut self) -> Result<(), String> {
        let numbers: BTreeMap<Place, usize> = self.places.iter().copied().zip(0..).collect();
        let mut by_key: BTreeMap<&Vec<RowExpr>, Vec<&Arc<Sample>>> = BTreeMap::new();
        for sample in self.samples.values() {
            by_key.entry(&sample.key.arguments).or_default().push(sample);
        }
        let mut values = BTreeMap::new();
        for (key, samples) in by_key {
            let mut moving = Vec::new();
            for (at, argument) in key.iter().enumerate() {
                moving.push(if argument.is_planned() { Moving::Stays } else { joined(&samples, at, &numbers)? });
            }
            values.insert(key.clone(), moving);
        }
        self.values = values;
        Ok(())
    }

    /// The tree with the outcomes where the permuted labels put them; none where a measure has no outcome for a place.
    fn permuted(&self, node: &Node, labels: &[Vec<u32>]) -> Option<Node> {
        let mut source: Vec<usize> = (0..self.places.len()).collect();
        for (block, (own, permuted)) in self.blocks.iter().zip(self.labels.iter().zip(labels)) {
            // Labels ascend in the block, so that the outcomes of one label fill its places in turn.
            let mut order: Vec<(u32, usize)> = permuted.iter().copied().zip(block.iter().copied()).collect();
            order.sort_by_key(|(label, _)| *label);
            for ((place, label), (from, number)) in block.iter().zip(own).zip(order) {
                debug_assert_eq!(*label, from);
                if let Some(slot) = source.get_mut(*place) {
                    *slot = number;
                }
            }
        }
        let numbers: BTreeMap<Place, usize> = self.places.iter().copied().zip(0..).collect();
        let mut moved: BTreeMap<usize, Arc<Sample>> = BTreeMap::new();
        for (id, sample) in &self.samples {
            let from: Vec<usize> =
                sample.places.iter().map(|place| source.get(*numbers.get(place)?).copied()).collect::<Option<_>>()?;
            let moving = self.values.get(&sample.key.arguments)?;
            let series = sample.series.iter().zip(moving).map(|(own, moving)| moving.at(own, &from));
            let series = series.collect::<Option<Vec<Series>>>()?;
            moved.insert(*id, Arc::new(sample.with_series(series)));
        }
        Some(rebuilt(node, &moved))
    }
}

impl Moving {
    fn at(&self, own: &Series, from: &[usize]) -> Option<Series> {
        Some(match self {
            Self::Stays => own.clone(),
            Self::Truths(values) => Series::Truths(from.iter().map(|at| *values.get(*at)?).collect::<Option<_>>()?),
            Self::Scaled(values, denominator) => {
                let values = from.iter().map(|at| *values.get(*at)?).collect::<Option<_>>()?;
                Series::Scaled { values, denominator: *denominator, decimals: None }
            }
            Self::Wide(values) => Series::Wide(from.iter().map(|at| values.get(*at)?.clone()).collect::<Option<_>>()?),
        })
    }
}

/// Values by the number of their place.
fn fill<T: Clone>(size: usize, parts: impl Iterator<Item = (Vec<usize>, Vec<T>)>) -> Vec<Option<T>> {
    let mut out: Vec<Option<T>> = vec![None; size];
    for (places, values) in parts {
        for (place, value) in places.into_iter().zip(values) {
            if let Some(slot) = out.get_mut(place) {
                *slot = Some(value);
            }
        }
    }
    out
}

/// The values of one argument over all samples that aggregate it.
fn joined(samples: &[&Arc<Sample>], at: usize, numbers: &BTreeMap<Place, usize>) -> Result<Moving, String> {
    let placed = |sample: &Sample| -> Vec<usize> {
        sample.places.iter().filter_map(|place| numbers.get(place)).copied().collect()
    };
    let all: Vec<(Vec<usize>, &Series)> =
        samples.iter().filter_map(|sample| Some((placed(sample), sample.series.get(at)?))).collect();
    if all.iter().any(|(_, series)| matches!(series, Series::Words(_))) {
        return Err("words cannot be permuted".to_owned());
    }
    let size = numbers.len();
    let truths = all.iter().map(|(places, series)| match series {
        Series::Truths(values) => Some((places.clone(), values.clone())),
        Series::Scaled { .. } | Series::Wide(_) | Series::Words(_) => None,
    });
    if let Some(truths) = truths.collect::<Option<Vec<_>>>() {
        return Ok(Moving::Truths(fill(size, truths.into_iter())));
    }
    let scaled: Result<Vec<(Vec<i128>, i128)>, String> = all.iter().map(|(_, series)| series.scaled()).collect();
    if let Ok(scaled) = scaled {
        let common = scaled.iter().try_fold(1_i128, |common, (_, own)| common.checked_mul(own / common.gcd(own)));
        let raised = common.and_then(|common| {
            let raise = |(values, own): &(Vec<i128>, i128)| {
                values.iter().map(|value| value.checked_mul(common / own)).collect::<Option<Vec<i128>>>()
            };
            Some((scaled.iter().map(raise).collect::<Option<Vec<_>>>()?, common))
        });
        if let Some((values, common)) = raised {
            let parts = all.iter().map(|(places, _)| places.clone()).zip(values);
            return Ok(Moving::Scaled(fill(size, parts), common));
        }
    }
    Ok(Moving::Wide(fill(size, all.iter().map(|(places, series)| (places.clone(), series.numbers())))))
}

/// The same tree over other samples.
fn rebuilt(node: &Node, moved: &BTreeMap<usize, Arc<Sample>>) -> Node {
    let of = |sample: &Arc<Sample>| moved.get(&sample.id).map_or_else(|| Arc::clone(sample), Arc::clone);
    let one = |node: &Node| Box::new(rebuilt(node, moved));
    let all = |nodes: &[Node]| nodes.iter().map(|node| rebuilt(node, moved)).collect::<Vec<_>>();
    match node {
        Node::Constant(_) | Node::Undefined(_) | Node::Fitted(_) => node.clone(),
        Node::Count(sample) => Node::Count(of(sample)),
        Node::Sum(sample) => Node::Sum(of(sample)),
        Node::Mean(sample) => Node::Mean(of(sample)),
        Node::Sd(sample) => Node::Sd(of(sample)),
        Node::Phi(sample) => Node::Phi(of(sample)),
        Node::Statistic(sample, statistic) => Node::Statistic(of(sample), *statistic),
        Node::Order(sample, order) => Node::Order(of(sample), order.clone()),
        Node::Arithmetic(left, op, right) => Node::Arithmetic(one(left), *op, one(right)),
        Node::Negate(body) => Node::Negate(one(body)),
        Node::Abs(body) => Node::Abs(one(body)),
        Node::Log(body) => Node::Log(one(body)),
        Node::Reduce(kind, parts) => Node::Reduce(*kind, all(parts)),
        Node::OrElse(body, other) => Node::OrElse(one(body), other.clone()),
        Node::Pick(choice) => Node::Pick(Arc::new(Choice {
            name: choice.name.clone(),
            levels: choice.levels.clone(),
            scores: all(&choice.scores),
            bodies: all(&choice.bodies),
            largest: choice.largest,
            ties_refuse: choice.ties_refuse,
        })),
    }
}
