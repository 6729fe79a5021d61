//! How far stated probabilities are from what happened: Brier score, log loss and calibration error over bins.
//!
//! Owns those measures and the two ways to form bins. Brier score and calibration error are exact until one final rounding, so
//! neither the order of the records nor repetition changes a bit; log loss rounds each logarithm first. No probability is ever
//! moved off 0 or 1 unless the caller declares by how much.

use std::fmt;

use super::exact_sum::{ExactSum, nearest_ratio, one};
use super::undefined::Undefined;
use super::weights::{once, same_length, total};

/// Most bins of a calibration error.
pub const MOST_BINS: u32 = 10_000;

/// Why a measure of stated probabilities has no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CalibrationError {
    /// There is nothing to compute from.
    Undefined(Undefined),
    /// A stated probability is outside [0, 1] or no number.
    NotAProbability {
        /// The record's number, counted from 0.
        record: usize,
        /// What was stated.
        value: f64,
    },
    /// A record's outcome was given probability zero, so its log loss is infinite.
    RuledOut {
        /// The record's number, counted from 0.
        record: usize,
    },
    /// The declared clip is not above 0 and below one half.
    Clip(f64),
    /// The number of bins is zero or above [`MOST_BINS`].
    Bins(u32),
}

impl From<Undefined> for CalibrationError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(reason) => reason.fmt(f),
            Self::NotAProbability { record, value } => write!(
                f,
                "record number {} states {value}, which is no probability; probabilities run from 0 to 1, so divide percentages \
                 by 100",
                record + 1
            ),
            Self::RuledOut { record } => write!(
                f,
                "record number {} gave probability 0 to what happened, so its log loss is infinite and so is any mean with it; \
                 declare a clip, which bounds the loss of one record, or use the Brier score",
                record + 1
            ),
            Self::Clip(clip) => write!(
                f,
                "a clip of {clip} would not keep probabilities between 0 and 1 and in their order; declare one above 0 and below \
                 0.5, such as 0.001"
            ),
            Self::Bins(bins) => write!(f, "a calibration error needs 1 to {MOST_BINS} bins, and {bins} were declared"),
        }
    }
}

impl std::error::Error for CalibrationError {}

/// How bins of stated probabilities are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binning {
    /// Bin b of B holds the probabilities above b/B up to and including (b+1)/B; the first holds 0 as well. An edge is the double
    /// nearest to its fraction, so that a stated 0.3 lies on the edge 3/10.
    EqualWidth,
    /// Records by ascending probability, cut into B parts of one size as far as ties allow: records that state one probability
    /// stay together, in the part that holds the middle of their run. With `below` records under the run, `run` in it and n in
    /// all, that is part floor(B (2 below + run) / 2n). Parts can be empty.
    EqualMass,
}

/// One bin of a reliability table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The bin's number, from 0.
    pub number: u32,
    /// Records in it, with multiplicities. Never zero.
    pub records: u64,
    /// Mean stated probability.
    pub stated: f64,
    /// Share of its records for which the event happened.
    pub happened: f64,
}

/// Stated probabilities of an event, and whether it happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecasts {
    stated: Vec<f64>,
    happened: Vec<bool>,
    /// Record numbers by ascending probability.
    order: Vec<usize>,
}

impl Forecasts {
    /// Probabilities and outcomes of the same records. Refuses a probability outside [0, 1].
    pub fn new(stated: &[f64], happened: &[bool]) -> Result<Self, CalibrationError> {
        same_length(stated.len(), happened.len())?;
        let bad = stated.iter().zip(0..).find(|(value, _)| !(0.0..=1.0).contains(*value));
        if let Some((&value, record)) = bad {
            return Err(CalibrationError::NotAProbability { record, value });
        }
        // Minus zero would sort before zero, and they are one probability.
        let stated: Vec<f64> = stated.iter().map(|value| value.abs()).collect();
        let mut order: Vec<(f64, usize)> = stated.iter().copied().zip(0..).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let order = order.into_iter().map(|(_, record)| record).collect();
        Ok(Self { stated, happened: happened.to_vec(), order })
    }

    /// The Brier score: the mean of (probability - outcome)^2, in [0, 1]; 0 is perfect and a constant one half scores 0.25
    /// (Brier 1950, for one event). Rounded once.
    pub fn brier(&self, multiplicities: &[u16]) -> Result<f64, CalibrationError> {
        let records = total(self.stated.len(), multiplicities)?;
        let mut sum = ExactSum::default();
        for (stated, happened, times) in self.records(multiplicities) {
            // (p - 1)^2 = p^2 - 2p + 1 term by term: p - 1 would round.
            sum.add_product(stated, stated, times);
            if happened {
                sum.add_product(-2.0, stated, times);
                sum.add(1.0, times);
            }
        }
        Ok(sum.mean(records)?)
    }

    /// The mean of -ln(probability given to what happened), in nats; 0 is perfect and a constant one half scores ln 2.
    ///
    /// With a declared `clip` c, probabilities are first moved into [c, 1 - c]; without one, [`CalibrationError::RuledOut`] when
    /// a record gave its outcome probability zero.
    pub fn log_loss(&self, clip: Option<f64>, multiplicities: &[u16]) -> Result<f64, CalibrationError> {
        let records = total(self.stated.len(), multiplicities)?;
        if let Some(clip) = clip.filter(|clip| !(*clip > 0.0 && *clip < 0.5)) {
            return Err(CalibrationError::Clip(clip));
        }
        let mut sum = ExactSum::default();
        for (record, (stated, happened, times)) in self.records(multiplicities).enumerate() {
            let stated = clip.map_or(stated, |clip| stated.clamp(clip, 1.0 - clip));
            let impossible = if happened { stated <= 0.0 } else { stated >= 1.0 };
            if impossible && times > 0 {
                return Err(CalibrationError::RuledOut { record });
            }
            sum.add(if happened { -libm::log(stated) } else { -libm::log1p(-stated) }, times);
        }
        // Minus zero, the loss of perfect certainty, is zero.
        Ok(sum.mean(records)?.abs())
    }

    /// Expected calibration error over `bins` bins: the mean over records of |mean stated - share happened| of their bin, in
    /// [0, 1]; 0 is perfect. Depends on the bins, and is not zero in expectation for a calibrated source. Rounded once.
    /// Source: Naeini, Cooper, Hauskrecht 2015; equal mass as in Nguyen, O'Connor 2015.
    pub fn calibration_error(
        &self,
        binning: Binning,
        bins: u32,
        multiplicities: &[u16],
    ) -> Result<f64, CalibrationError> {
        let mut distance = num_bigint::BigInt::ZERO;
        let mut records = 0_u64;
        for bin in self.bins(binning, bins, multiplicities)? {
            // records_b |mean_b - share_b| = |sum of stated - count of events|, exactly.
            let gap = bin.stated.units()? - one() * bin.happened;
            distance += num_bigint::BigInt::from(gap.into_parts().1);
            records += bin.records;
        }
        Ok(nearest_ratio(&distance, &(one() * records))?)
    }

    /// The bins that hold records, ascending: what a reliability diagram shows.
    pub fn reliability(
        &self,
        binning: Binning,
        bins: u32,
        multiplicities: &[u16],
    ) -> Result<Vec<Bin>, CalibrationError> {
        let filled = self.bins(binning, bins, multiplicities)?;
        let bin = |bin: Filled| -> Result<Bin, CalibrationError> {
            let happened = nearest_ratio(&bin.happened.into(), &bin.records.into())?;
            Ok(Bin { number: bin.number, records: bin.records, stated: bin.stated.mean(bin.records)?, happened })
        };
        filled.into_iter().map(bin).collect()
    }

    fn bins(&self, binning: Binning, bins: u32, multiplicities: &[u16]) -> Result<Vec<Filled>, CalibrationError> {
        let records = total(self.stated.len(), multiplicities)?;
        if bins == 0 || bins > MOST_BINS {
            return Err(CalibrationError::Bins(bins));
        }
        let mut filled: Vec<Filled> = Vec::new();
        let mut below = 0_u64;
        let ascending = self.order.iter().filter_map(|&record| {
            let happened = *self.happened.get(record)?;
            let times = *multiplicities.get(record)?;
            Some((*self.stated.get(record)?, happened, times)).filter(|_| times > 0)
        });
        let ascending: Vec<(f64, bool, u16)> = ascending.collect();
        #[expect(clippy::float_cmp, reason = "a tie is exact equality")]
        let runs = ascending.chunk_by(|a, b| a.0 == b.0);
        for run in runs {
            let size: u64 = run.iter().map(|&(_, _, times)| u64::from(times)).sum();
            let stated = run.first().map_or(0.0, |first| first.0);
            let number = match binning {
                Binning::EqualWidth => width_bin(stated, bins),
                Binning::EqualMass => mass_bin(below, size, records, bins),
            };
            below += size;
            if filled.last().is_none_or(|last| last.number != number) {
                filled.push(Filled { number, records: 0, happened: 0, stated: ExactSum::default() });
            }
            let Some(last) = filled.last_mut() else { continue };
            last.records += size;
            for &(stated, happened, times) in run {
                last.stated.add(stated, times);
                last.happened += if happened { u64::from(times) } else { 0 };
            }
        }
        Ok(filled)
    }

    fn records<'a>(&'a self, multiplicities: &'a [u16]) -> impl Iterator<Item = (f64, bool, u16)> + 'a {
        self.stated
            .iter()
            .zip(&self.happened)
            .zip(multiplicities)
            .map(|((stated, happened), times)| (*stated, *happened, *times))
    }
}

/// A bin that holds records, with exact sums.
struct Filled {
    number: u32,
    records: u64,
    happened: u64,
    stated: ExactSum,
}

/// The number of edges 1/B, 2/B, ..., (B-1)/B below a probability.
fn width_bin(stated: f64, bins: u32) -> u32 {
    let (mut low, mut high) = (0, bins - 1);
    while low < high {
        let middle = u32::midpoint(low, high);
        if f64::from(middle + 1) / f64::from(bins) < stated { low = middle + 1 } else { high = middle }
    }
    low
}

/// floor(B (2 below + run) / 2n), which is below B because the run lies within the n records.
fn mass_bin(below: u64, run: u64, records: u64, bins: u32) -> u32 {
    let twice_middle = 2 * u128::from(below) + u128::from(run);
    let part = u128::from(bins) * twice_middle / (2 * u128::from(records));
    u32::try_from(part).unwrap_or(bins)
}

/// [`Forecasts::brier`] with every record once.
pub fn brier(stated: &[f64], happened: &[bool]) -> Result<f64, CalibrationError> {
    Forecasts::new(stated, happened)?.brier(&once(stated.len()))
}

/// [`Forecasts::brier`] of records with multiplicities.
pub fn brier_weighted(stated: &[f64], happened: &[bool], multiplicities: &[u16]) -> Result<f64, CalibrationError> {
    Forecasts::new(stated, happened)?.brier(multiplicities)
}

/// [`Forecasts::log_loss`] with every record once.
pub fn log_loss(stated: &[f64], happened: &[bool], clip: Option<f64>) -> Result<f64, CalibrationError> {
    Forecasts::new(stated, happened)?.log_loss(clip, &once(stated.len()))
}

/// [`Forecasts::log_loss`] of records with multiplicities.
pub fn log_loss_weighted(
    stated: &[f64],
    happened: &[bool],
    clip: Option<f64>,
    multiplicities: &[u16],
) -> Result<f64, CalibrationError> {
    Forecasts::new(stated, happened)?.log_loss(clip, multiplicities)
}

/// [`Forecasts::calibration_error`] with every record once.
pub fn calibration_error(
    stated: &[f64],
    happened: &[bool],
    binning: Binning,
    bins: u32,
) -> Result<f64, CalibrationError> {
    Forecasts::new(stated, happened)?.calibration_error(binning, bins, &once(stated.len()))
}

/// [`Forecasts::calibration_error`] of records with multiplicities.
pub fn calibration_error_weighted(
    stated: &[f64],
    happened: &[bool],
    binning: Binning,
    bins: u32,
    multiplicities: &[u16],
) -> Result<f64, CalibrationError> {
    Forecasts::new(stated, happened)?.calibration_error(binning, bins, multiplicities)
}

#[cfg(test)]
mod tests;
