//! How well a score or a label separates positive records from negative ones, and how far two labellings agree beyond chance.
//!
//! Owns rank measures of scores, measures of a two-by-two table, and Cohen's kappa. Everything but the average precision is a
//! quotient of integers rounded once. It does not judge calibration, and it picks no threshold.

mod kappa;

pub use kappa::{Disagreement, cohen_kappa, cohen_kappa_weighted};

use super::moments;
use super::nearest::nearest_quotient;
use super::undefined::Undefined;
use super::weights::{finite, once, same_length, total};

/// Scores and whether each record is positive, sorted once for any number of resamples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedScores {
    /// Record numbers by descending score, one list per distinct score.
    ties: Vec<Vec<(usize, bool)>>,
    records: usize,
}

impl RankedScores {
    /// Ranks finite `scores`; a larger score speaks for `positive`. Zero and minus zero are one score.
    pub fn new(scores: &[f64], positive: &[bool]) -> Result<Self, Undefined> {
        same_length(scores.len(), positive.len())?;
        finite(scores)?;
        let mut order: Vec<(f64, usize, bool)> =
            scores.iter().zip(0..).zip(positive).map(|((score, record), own)| (*score, record, *own)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        #[expect(clippy::float_cmp, reason = "a tie is exact equality")]
        let ties = order.chunk_by(|a, b| a.0 == b.0);
        let ties = ties.map(|tied| tied.iter().map(|&(_, record, own)| (record, own)).collect()).collect();
        Ok(Self { ties, records: scores.len() })
    }

    /// The area under the receiver operating characteristic curve: the share of (positive, negative) pairs in which the positive
    /// record has the larger score, a tie counting one half (Mann, Whitney 1947; Bamber 1975). In [0, 1], rounded once.
    ///
    /// Undefined with [`Undefined::ZeroDenominator`] when there is no such pair: all records are of one class.
    pub fn auroc(&self, multiplicities: &[u16]) -> Result<f64, Undefined> {
        total(self.records, multiplicities)?;
        let (mut above, mut negatives, mut twice_won) = (0_i128, 0_i128, 0_i128);
        for (positive, negative) in self.counts(multiplicities) {
            // Descending scores: the positives met so far win against these negatives. Totals are below 2^60.
            twice_won += negative * (2 * above + positive);
            above += positive;
            negatives += negative;
        }
        nearest_quotient(twice_won, 0, 2 * above * negatives, 0).ok_or(Undefined::ZeroDenominator)
    }

    /// Average precision: the sum over distinct scores, descending, of the recall gained there times the precision of calling
    /// everything from there up positive. Records with one score enter together, and nothing is interpolated.
    ///
    /// Undefined with [`Undefined::ZeroDenominator`] when no record is positive.
    pub fn average_precision(&self, multiplicities: &[u16]) -> Result<f64, Undefined> {
        total(self.records, multiplicities)?;
        let (mut hits, mut called, mut sum) = (0_i128, 0_i128, 0.0);
        for (positive, negative) in self.counts(multiplicities) {
            hits += positive;
            called += positive + negative;
            if positive > 0 {
                sum += nearest_quotient(positive * hits, 0, called, 0).ok_or(Undefined::ZeroDenominator)?;
            }
        }
        let hits = nearest_quotient(hits, 0, 1, 0).filter(|hits| *hits > 0.0).ok_or(Undefined::ZeroDenominator)?;
        Ok((sum / hits).clamp(0.0, 1.0))
    }

    /// Positives and negatives at each distinct score, descending.
    fn counts<'a>(&'a self, multiplicities: &'a [u16]) -> impl Iterator<Item = (i128, i128)> + 'a {
        self.ties.iter().map(|tied| {
            tied.iter().fold((0, 0), |(positive, negative), &(record, own)| {
                let times = i128::from(multiplicities.get(record).copied().unwrap_or_default());
                if own { (positive + times, negative) } else { (positive, negative + times) }
            })
        })
    }
}

/// [`RankedScores::auroc`] with every record once.
pub fn auroc(scores: &[f64], positive: &[bool]) -> Result<f64, Undefined> {
    RankedScores::new(scores, positive)?.auroc(&once(scores.len()))
}

/// [`RankedScores::auroc`] of records with multiplicities.
pub fn auroc_weighted(scores: &[f64], positive: &[bool], multiplicities: &[u16]) -> Result<f64, Undefined> {
    RankedScores::new(scores, positive)?.auroc(multiplicities)
}

/// [`RankedScores::average_precision`] with every record once.
pub fn average_precision(scores: &[f64], positive: &[bool]) -> Result<f64, Undefined> {
    RankedScores::new(scores, positive)?.average_precision(&once(scores.len()))
}

/// [`RankedScores::average_precision`] of records with multiplicities.
pub fn average_precision_weighted(scores: &[f64], positive: &[bool], multiplicities: &[u16]) -> Result<f64, Undefined> {
    RankedScores::new(scores, positive)?.average_precision(multiplicities)
}

/// Counts of what was true against what was called. Every measure is a quotient of integers, rounded once, in [0, 1] unless said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confusion {
    /// Positive and called positive.
    pub true_positives: u64,
    /// Negative but called positive.
    pub false_positives: u64,
    /// Positive but called negative.
    pub false_negatives: u64,
    /// Negative and called negative.
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts every record once.
    pub fn count(positive: &[bool], called: &[bool]) -> Result<Self, Undefined> {
        Self::count_weighted(positive, called, &once(positive.len()))
    }

    /// Counts every record as often as its multiplicity says.
    pub fn count_weighted(positive: &[bool], called: &[bool], multiplicities: &[u16]) -> Result<Self, Undefined> {
        same_length(positive.len(), called.len())?;
        total(positive.len(), multiplicities)?;
        let mut counts = Self::default();
        for ((positive, called), times) in positive.iter().zip(called).zip(multiplicities) {
            let slot = match (positive, called) {
                (true, true) => &mut counts.true_positives,
                (false, true) => &mut counts.false_positives,
                (true, false) => &mut counts.false_negatives,
                (false, false) => &mut counts.true_negatives,
            };
            *slot += u64::from(*times);
        }
        Ok(counts)
    }

    /// Share of the records called positive that are. Undefined when none is called so.
    pub fn precision(&self) -> Result<f64, Undefined> {
        share(&[self.true_positives], &[self.true_positives, self.false_positives])
    }

    /// Share of the positive records that are called so (sensitivity). Undefined when none is positive.
    pub fn recall(&self) -> Result<f64, Undefined> {
        share(&[self.true_positives], &[self.true_positives, self.false_negatives])
    }

    /// Share of the negative records that are called so. Undefined when none is negative.
    pub fn specificity(&self) -> Result<f64, Undefined> {
        share(&[self.true_negatives], &[self.true_negatives, self.false_positives])
    }

    /// Share of the records called as they are.
    pub fn accuracy(&self) -> Result<f64, Undefined> {
        let right = [self.true_positives, self.true_negatives];
        let wrong = [self.false_positives, self.false_negatives];
        share(&right, &[right, wrong].concat())
    }

    /// The harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN) (van Rijsbergen 1979). It is zero when nothing positive
    /// was found although something was positive or called so, even where precision or recall alone is undefined; undefined when
    /// nothing was either.
    pub fn f1(&self) -> Result<f64, Undefined> {
        let twice = [self.true_positives, self.true_positives];
        share(&twice, &[twice, [self.false_positives, self.false_negatives]].concat())
    }

    /// The mean of recall and specificity. Undefined when a class is absent.
    pub fn balanced_accuracy(&self) -> Result<f64, Undefined> {
        let positives = i128::from(self.true_positives) + i128::from(self.false_negatives);
        let negatives = i128::from(self.true_negatives) + i128::from(self.false_positives);
        if positives == 0 || negatives == 0 {
            return Err(Undefined::ZeroDenominator);
        }
        let recall = i128::from(self.true_positives).checked_mul(negatives);
        let specificity = i128::from(self.true_negatives).checked_mul(positives);
        let top = recall.zip(specificity).and_then(|(recall, specificity)| recall.checked_add(specificity));
        let bottom = positives.checked_mul(negatives).and_then(|product| product.checked_mul(2));
        let (top, bottom) = top.zip(bottom).ok_or(Undefined::TooLarge)?;
        nearest_quotient(top, 0, bottom, 0).ok_or(Undefined::ZeroDenominator)
    }

    /// Matthews' phi, in [-1, 1]: see [`moments::phi`].
    pub fn phi(&self) -> Result<f64, Undefined> {
        moments::phi([[self.true_positives, self.false_negatives], [self.false_positives, self.true_negatives]])
    }
}

/// Matthews' phi of two indicators, each record as often as its multiplicity says: see [`moments::phi`].
pub fn phi_weighted(positive: &[bool], called: &[bool], multiplicities: &[u16]) -> Result<f64, Undefined> {
    Confusion::count_weighted(positive, called, multiplicities)?.phi()
}

fn share(part: &[u64], whole: &[u64]) -> Result<f64, Undefined> {
    let sum = |counts: &[u64]| counts.iter().map(|&count| i128::from(count)).sum::<i128>();
    nearest_quotient(sum(part), 0, sum(whole), 0).ok_or(Undefined::ZeroDenominator)
}

#[cfg(test)]
mod tests;
