//! Statistics of whole records: from a sample to the columns they take, once and for every resample. Owns which column is which;
//! the arithmetic is in `stats`.

use std::collections::{BTreeMap, BTreeSet};

use super::judgment::{Figure, Number};
use super::sample::{Sample, Series};
use crate::math::{Rational, exact};
use crate::spec::Statistic;
use crate::stats::bootstrap;
use crate::stats::calibration::{Binning, Forecasts};
use crate::stats::discrimination::{Confusion, Disagreement, RankedScores, cohen_kappa_weighted};
use crate::stats::exact_sum::ExactSum;
use crate::stats::moments::{pearson, spearman};
use crate::stats::pass_at_k::{Attempts, Success, mean_pass_weighted};
use crate::stats::picks::Picks;
use crate::stats::rank_correlation::{RankedPairs, kendall};
use crate::stats::slopes::PairSlopes;
use crate::stats::survival::{KaplanMeier, Observation};
use crate::stats::trajectory::{Crossing, Toward, Trajectory};
use crate::stats::within::Groups;

/// The columns of a sample, ready to be asked with any multiplicities.
enum Prepared {
    /// With how many records there are.
    Ranked(RankedScores, usize),
    Classes {
        predicted: Vec<bool>,
        actual: Vec<bool>,
    },
    Pairs {
        left: Vec<f64>,
        right: Vec<f64>,
    },
    /// With how many records there are.
    Forecasts(Forecasts, usize),
    Attempts {
        units: Vec<u32>,
        attempts: Vec<Attempts>,
    },
    Times {
        times: Vec<f64>,
        seen: Vec<bool>,
        /// The time asked, where the statistic takes one.
        until: f64,
    },
    /// By group: its label's number, and the statistic over its records asked with their multiplicities.
    Grouped {
        groups: Groups,
        left: Vec<f64>,
        right: Vec<f64>,
    },
    /// With how many records there are.
    Slopes(PairSlopes, usize),
    /// One value of each unit, or why it has none.
    Units {
        units: Vec<u32>,
        values: UnitFigures,
    },
}

/// What trajectories come to, unit by unit.
enum UnitFigures {
    Crossings(Vec<Observation>),
    Numbers(Vec<f64>),
}

/// The value over all records of the sample.
pub(super) fn value(sample: &Sample, statistic: Statistic) -> Figure {
    let prepared = prepare(sample, statistic)?;
    let once = vec![1_u16; prepared.len()];
    prepared.value(statistic, &once).map(Number::Float)
}

/// The value in every resample; `NaN` where there is none. `cluster` gives the cluster of each unit.
pub(super) fn replicates(sample: &Sample, statistic: Statistic, picks: &Picks, cluster: &[Option<usize>]) -> Vec<f64> {
    let Ok(prepared) = prepare(sample, statistic) else { return vec![f64::NAN; picks.resamples() as usize] };
    let units = match &prepared {
        Prepared::Attempts { units, .. } | Prepared::Units { units, .. } => units,
        Prepared::Ranked(..)
        | Prepared::Classes { .. }
        | Prepared::Pairs { .. }
        | Prepared::Forecasts(..)
        | Prepared::Times { .. }
        | Prepared::Grouped { .. }
        | Prepared::Slopes(..) => &sample.units,
    };
    let clusters: Vec<Option<usize>> =
        units.iter().map(|unit| cluster.get(*unit as usize).copied().flatten()).collect();
    bootstrap::replicates(picks, 1, |_, weights| {
        let weight = |cluster: &Option<usize>| cluster.and_then(|at| weights.get(at).copied()).unwrap_or_default();
        let multiplicities: Vec<u16> = clusters.iter().map(weight).collect();
        prepared.value(statistic, &multiplicities).ok()
    })
}

fn text(reason: impl std::fmt::Display) -> String {
    reason.to_string()
}

fn truths(sample: &Sample, argument: usize) -> Result<Vec<bool>, String> {
    match sample.series.get(argument) {
        Some(Series::Truths(values)) => Ok(values.clone()),
        _ => Err("it needs a condition".to_owned()),
    }
}

fn numbers(sample: &Sample, argument: usize) -> Vec<f64> {
    let series = sample.series.get(argument).map(Series::numbers).unwrap_or_default();
    series.iter().map(exact::nearest_f64).collect()
}

fn prepare(sample: &Sample, statistic: Statistic) -> Result<Prepared, String> {
    Ok(match statistic {
        Statistic::Auroc | Statistic::AveragePrecision => {
            let ranked = RankedScores::new(&numbers(sample, 0), &truths(sample, 1)?).map_err(text)?;
            Prepared::Ranked(ranked, sample.len())
        }
        Statistic::Precision | Statistic::Recall | Statistic::F1 | Statistic::Kappa => {
            Prepared::Classes { predicted: truths(sample, 0)?, actual: truths(sample, 1)? }
        }
        Statistic::Pearson | Statistic::Spearman | Statistic::Kendall => {
            Prepared::Pairs { left: numbers(sample, 0), right: numbers(sample, 1) }
        }
        Statistic::Brier | Statistic::LogLoss | Statistic::CalibrationError { .. } => {
            let forecasts = Forecasts::new(&numbers(sample, 0), &truths(sample, 1)?).map_err(text)?;
            Prepared::Forecasts(forecasts, sample.len())
        }
        Statistic::PassAt { .. } | Statistic::PassAll { .. } => attempts(sample)?,
        Statistic::MedianSurvival | Statistic::SurvivalAt | Statistic::RestrictedMean => Prepared::Times {
            times: numbers(sample, 0),
            seen: truths(sample, 1)?,
            until: numbers(sample, 2).first().copied().unwrap_or_default(),
        },
        Statistic::SpearmanWithin | Statistic::KendallWithin | Statistic::GroupsWithout => {
            let Some(Series::Words(words)) = sample.series.get(2) else { return Err("it needs a group".to_owned()) };
            let numbered: BTreeMap<&String, u32> =
                words.iter().collect::<BTreeSet<_>>().into_iter().zip(0_u32..).collect();
            let labels: Vec<u32> = words.iter().filter_map(|word| numbered.get(word).copied()).collect();
            Prepared::Grouped { groups: Groups::new(&labels), left: numbers(sample, 0), right: numbers(sample, 1) }
        }
        Statistic::TheilSen => {
            let slopes = PairSlopes::new(&numbers(sample, 1), &numbers(sample, 0)).map_err(text)?;
            Prepared::Slopes(slopes, sample.len())
        }
        Statistic::FirstCrossing | Statistic::WindowMean | Statistic::LargestRise | Statistic::LargestFall => {
            trajectories(sample, statistic)?
        }
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
/// The trajectory of each unit, its values at one step averaged, and what it comes to.
fn trajectories(sample: &Sample, statistic: Statistic) -> Result<Prepared, String> {
    let exact = |argument: usize| sample.series.get(argument).map(Series::numbers).unwrap_or_default();
    let mut by_unit: BTreeMap<u32, BTreeMap<Rational, (Rational, u64)>> = BTreeMap::new();
    for ((unit, value), step) in sample.units.iter().zip(exact(0)).zip(exact(1)) {
        let (sum, count) = by_unit.entry(*unit).or_default().entry(step).or_default();
        *sum += value;
        *count += 1;
    }
    let constant = |argument: usize| exact(argument).first().map(exact::nearest_f64).unwrap_or_default();
    let (mut units, mut crossings, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    for (unit, points) in by_unit {
        let steps: Vec<f64> = points.keys().map(exact::nearest_f64).collect();
        let means =
            points.values().map(|(sum, count)| exact::nearest_f64(&(sum / Rational::from_integer((*count).into()))));
        let trajectory = Trajectory::new(&steps, &means.collect::<Vec<_>>()).map_err(text)?;
        let size = |toward| {
            let jump = trajectory.largest_jump(toward).map_err(text)?;
            Ok::<f64, String>(jump.map_or(0.0, |jump| jump.change.abs()))
        };
        match statistic {
            Statistic::FirstCrossing => {
                let crossing = trajectory.first_crossing(constant(2), Toward::Up).map_err(text)?;
                crossings.push(match crossing {
                    Crossing::At(step) => Observation { time: step, event: true },
                    Crossing::NotBy(step) => Observation { time: step, event: false },
                });
            }
            Statistic::WindowMean => figures.push(trajectory.window_mean(constant(2), constant(3)).map_err(text)?),
            Statistic::LargestFall => figures.push(size(Toward::Down)?),
            _ => figures.push(size(Toward::Up)?),
        }
        units.push(unit);
    }
    let values = if statistic == Statistic::FirstCrossing {
        UnitFigures::Crossings(crossings)
    } else {
        UnitFigures::Numbers(figures)
    };
    Ok(Prepared::Units { units, values })
}

/// A rank correlation of the records of each group, each as often as its multiplicity says.
fn within(
    groups: &Groups,
    (left, right): (&[f64], &[f64]),
    multiplicities: &[u16],
    statistic: Statistic,
) -> Result<f64, String> {
    let (mut sum, mut defined, mut without) = (ExactSum::default(), 0_u64, 0_u64);
    for members in groups.members() {
        let column =
            |values: &[f64]| -> Vec<f64> { members.iter().filter_map(|record| values.get(*record)).copied().collect() };
        let times: Vec<u16> = members.iter().filter_map(|record| multiplicities.get(*record)).copied().collect();
        // In a resample of whole clusters a group weighs as often as it was picked, and one that was not picked is not there.
        let picked = times.iter().copied().max().unwrap_or(0);
        if picked == 0 {
            continue;
        }
        let pairs = RankedPairs::new(&column(left), &column(right)).map_err(text)?;
        let value = if statistic == Statistic::KendallWithin { pairs.kendall(&times) } else { pairs.spearman(&times) };
        let weight = if times.iter().all(|one| *one == picked) { picked } else { 1 };
        match value {
            Ok(value) => {
                sum.add(value, weight);
                defined += u64::from(weight);
            }
            Err(_) => without += u64::from(weight),
        }
    }
    if statistic == Statistic::GroupsWithout {
        return num_traits::cast(without).ok_or_else(|| "too many groups".to_owned());
    }
    if defined == 0 {
        return Err("no group has a rank correlation: each has a constant side or fewer than two records".to_owned());
    }
    sum.mean(defined).map_err(text)
}

/// The attempts of each unit and how many of them succeeded, units ascending.
fn attempts(sample: &Sample) -> Result<Prepared, String> {
    let mut by_unit: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (unit, success) in sample.units.iter().zip(truths(sample, 0)?) {
        let (made, right) = by_unit.entry(*unit).or_default();
        *made += 1;
        *right += u32::from(success);
    }
    let (mut units, mut attempts) = (Vec::new(), Vec::new());
    for (unit, (made, right)) in by_unit {
        units.push(unit);
        attempts.push(Attempts { made, succeeded: right });
    }
    Ok(Prepared::Attempts { units, attempts })
}

/// Every value as often as its multiplicity says.
fn repeated(values: &[f64], multiplicities: &[u16]) -> Vec<f64> {
    let pairs = values.iter().zip(multiplicities);
    pairs.flat_map(|(value, count)| std::iter::repeat_n(*value, usize::from(*count))).collect()
}

impl Prepared {
    fn len(&self) -> usize {
        match self {
            Self::Ranked(_, length) | Self::Forecasts(_, length) | Self::Slopes(_, length) => *length,
            Self::Classes { actual, .. } => actual.len(),
            Self::Pairs { left, .. } | Self::Grouped { left, .. } => left.len(),
            Self::Attempts { attempts, .. } => attempts.len(),
            Self::Times { times, .. } => times.len(),
            Self::Units { units, .. } => units.len(),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn value(&self, statistic: Statistic, multiplicities: &[u16]) -> Result<f64, String> {
        match (self, statistic) {
            (Self::Ranked(ranked, _), Statistic::AveragePrecision) => {
                ranked.average_precision(multiplicities).map_err(text)
            }
            (Self::Ranked(ranked, _), _) => ranked.auroc(multiplicities).map_err(text),
            (Self::Classes { predicted, actual }, Statistic::Kappa) => {
                let codes = |truths: &[bool]| truths.iter().map(|truth| u16::from(*truth)).collect::<Vec<_>>();
                let (left, right) = (codes(predicted), codes(actual));
                cohen_kappa_weighted(&left, &right, Disagreement::Nominal, multiplicities).map_err(text)
            }
            (Self::Classes { predicted, actual }, _) => {
                let counts = Confusion::count_weighted(actual, predicted, multiplicities).map_err(text)?;
                match statistic {
                    Statistic::Precision => counts.precision(),
                    Statistic::Recall => counts.recall(),
                    _ => counts.f1(),
                }
                .map_err(text)
            }
            (Self::Pairs { left, right }, _) => {
                let (left, right) = (repeated(left, multiplicities), repeated(right, multiplicities));
                match statistic {
                    Statistic::Spearman => spearman(&left, &right),
                    Statistic::Kendall => kendall(&left, &right),
                    _ => pearson(&left, &right),
                }
                .map_err(text)
            }
            (Self::Forecasts(forecasts, _), Statistic::Brier) => forecasts.brier(multiplicities).map_err(text),
            (Self::Forecasts(forecasts, _), Statistic::CalibrationError { bins }) => {
                let bins = u32::try_from(bins).map_err(|_| "too many bins were asked for".to_owned())?;
                forecasts.calibration_error(Binning::EqualWidth, bins, multiplicities).map_err(text)
            }
            (Self::Forecasts(forecasts, _), _) => forecasts.log_loss(None, multiplicities).map_err(text),
            (Self::Attempts { attempts, .. }, _) => {
                let (success, drawn) = match statistic {
                    Statistic::PassAll { attempts } => (Success::Every, attempts),
                    other => (Success::Any, other.parameter().unwrap_or(1)),
                };
                let drawn = u32::try_from(drawn).map_err(|_| "too many attempts were asked for".to_owned())?;
                mean_pass_weighted(success, attempts, drawn, multiplicities).map_err(text)
            }
            (Self::Grouped { groups, left, right }, _) => within(groups, (left, right), multiplicities, statistic),
            (Self::Slopes(slopes, _), _) => slopes.median(multiplicities).map_err(text),
            (Self::Units { values: UnitFigures::Numbers(values), .. }, _) => {
                let mut sum = ExactSum::default();
                for (value, times) in values.iter().zip(multiplicities) {
                    sum.add(*value, *times);
                }
                sum.mean(multiplicities.iter().map(|times| u64::from(*times)).sum()).map_err(text)
            }
            (Self::Units { values: UnitFigures::Crossings(found), .. }, _) => {
                let mut records = Vec::new();
                for (record, times) in found.iter().zip(multiplicities) {
                    records.extend(std::iter::repeat_n(*record, usize::from(*times)));
                }
                KaplanMeier::new(&records).and_then(|curve| curve.median()).map_err(text)
            }
            (Self::Times { times, seen, until }, _) => {
                let mut records = Vec::new();
                for ((time, event), count) in times.iter().zip(seen).zip(multiplicities) {
                    let record = Observation { time: *time, event: *event };
                    records.extend(std::iter::repeat_n(record, usize::from(*count)));
                }
                let curve = KaplanMeier::new(&records).map_err(text)?;
                match statistic {
                    Statistic::SurvivalAt => curve.survival_at(*until).map_err(text),
                    Statistic::RestrictedMean => curve.restricted_mean(*until).map(|found| found.mean).map_err(text),
                    _ => curve.median().map_err(text),
                }
            }
        }
    }
}
