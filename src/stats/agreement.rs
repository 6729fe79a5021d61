//! How far labels given by people or judges agree: the plain share, Fleiss' kappa and Krippendorff's alpha.
//!
//! Owns these three; Cohen's kappa of two labellings is in [`crate::stats::discrimination`]. Agreement beyond chance needs a notion of
//! chance, and the coefficients differ in theirs, so a plan names one. Multiplicities belong to the items that were labelled: a
//! resample picks items with all their labels. Every result is one rounding of an exact fraction.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;
use num_traits::Zero as _;

use super::exact_sum::{ExactSum, nearest_ratio, one};
use super::nearest::nearest_quotient;
use super::undefined::Undefined;
use super::weights::{once, same_length, total};

/// Why labels have no coefficient of agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgreementError {
    /// There is nothing to compute from, or only one label was ever given.
    Undefined(Undefined),
    /// An item was labelled by another number of raters than the first one.
    UnequalRaters {
        /// The item, counted from 0.
        item: usize,
        /// Its raters.
        have: u64,
        /// The first item's raters.
        need: u64,
    },
    /// Items were labelled once, so there is nothing to agree with.
    OneRater,
    /// A label on an interval scale is not a finite number.
    NotFinite {
        /// The item, counted from 0.
        item: usize,
    },
}

impl From<Undefined> for AgreementError {
    fn from(reason: Undefined) -> Self {
        Self::Undefined(reason)
    }
}

impl fmt::Display for AgreementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Undefined(Undefined::Constant) => f.write_str(
                "every label is the same, so agreement by chance is complete and none beyond it can be shown; use the plain share",
            ),
            Self::Undefined(reason) => reason.fmt(f),
            Self::UnequalRaters { item, have, need } => write!(
                f,
                "item number {} has {have} labels and the first has {need}; Fleiss' kappa needs one number for all, and \
                 Krippendorff's alpha does not",
                item + 1
            ),
            Self::OneRater => f.write_str("no item has two labels, so there is nothing to agree with; have items labelled twice"),
            Self::NotFinite { item } => {
                write!(f, "item number {} has a label that is not a finite number; leave a missing label out", item + 1)
            }
        }
    }
}

impl std::error::Error for AgreementError {}

/// [`share_agreeing_weighted`] with every item once.
pub fn share_agreeing(left: &[u16], right: &[u16]) -> Result<f64, Undefined> {
    share_agreeing_weighted(left, right, &once(left.len()))
}

/// The share of items that two raters label alike, in [0, 1]. It grows with how lopsided the labels are, not only with skill.
pub fn share_agreeing_weighted(left: &[u16], right: &[u16], multiplicities: &[u16]) -> Result<f64, Undefined> {
    same_length(left.len(), right.len())?;
    let items = total(left.len(), multiplicities)?;
    let alike = left.iter().zip(right).zip(multiplicities).filter(|((a, b), _)| a == b);
    let alike: u64 = alike.map(|(_, times)| u64::from(*times)).sum();
    nearest_quotient(alike.into(), 0, items.into(), 0).ok_or(Undefined::ZeroDenominator)
}

/// [`pairwise_agreement_weighted`] with every item once.
pub fn pairwise_agreement<C: AsRef<[u32]>>(counts: &[C]) -> Result<f64, AgreementError> {
    pairwise_agreement_weighted(counts, &once(counts.len()))
}

/// The share of pairs of raters that label an item alike, averaged over items, in [0, 1].
///
/// Each item lists how many raters chose each category; all items have one number of raters, at least two.
pub fn pairwise_agreement_weighted<C: AsRef<[u32]>>(
    counts: &[C],
    multiplicities: &[u16],
) -> Result<f64, AgreementError> {
    let table = Table::new(counts, multiplicities)?;
    let pairs = table.items.checked_mul(table.raters * (table.raters - 1)).ok_or(Undefined::TooLarge)?;
    Ok(nearest_ratio(&table.agreeing.into(), &pairs.into())?)
}

/// [`fleiss_kappa_weighted`] with every item once.
pub fn fleiss_kappa<C: AsRef<[u32]>>(counts: &[C]) -> Result<f64, AgreementError> {
    fleiss_kappa_weighted(counts, &once(counts.len()))
}

/// Fleiss' kappa: pairwise agreement beyond what the overall shares of the categories would give, over what was left to gain. At
/// most 1. The raters of different items may differ; their number may not (Fleiss 1971).
///
/// Counts as in [`pairwise_agreement_weighted`]. Undefined with [`Undefined::Constant`] when every label is the same.
pub fn fleiss_kappa_weighted<C: AsRef<[u32]>>(counts: &[C], multiplicities: &[u16]) -> Result<f64, AgreementError> {
    let table = Table::new(counts, multiplicities)?;
    let (raters, labels) = (BigInt::from(table.raters), BigInt::from(table.items) * table.raters);
    // With W items of n raters: P = A / (W n (n-1)) and E = B / (W n)^2, so
    // (P - E) / (1 - E) = (A W n - B (n-1)) / ((n-1) ((W n)^2 - B)).
    let by_chance: BigInt = table.categories.values().map(|&count| BigInt::from(count) * count).sum();
    let others: BigInt = raters - 1;
    let left = &labels * &labels - &by_chance;
    if left.is_zero() {
        return Err(Undefined::Constant.into());
    }
    Ok(nearest_ratio(&(labels * table.agreeing - by_chance * &others), &(others * left))?)
}

/// Totals over counts of labels by item and category.
struct Table {
    /// Items, with multiplicities.
    items: i128,
    /// Raters of each item, at least two.
    raters: i128,
    /// Ordered pairs of raters that agree, over all items.
    agreeing: i128,
    /// Labels by category.
    categories: BTreeMap<usize, i128>,
}

impl Table {
    fn new<C: AsRef<[u32]>>(counts: &[C], multiplicities: &[u16]) -> Result<Self, AgreementError> {
        let items = i128::from(total(counts.len(), multiplicities)?);
        let sum = |item: &C| item.as_ref().iter().map(|&count| u64::from(count)).sum::<u64>();
        let need = counts.first().map_or(0, sum);
        if let Some((item, have)) = counts.iter().map(sum).enumerate().find(|(_, have)| *have != need) {
            return Err(AgreementError::UnequalRaters { item, have, need });
        }
        if need < 2 {
            return Err(AgreementError::OneRater);
        }
        let mut table = Self { items, raters: need.into(), agreeing: 0, categories: BTreeMap::new() };
        for (item, times) in counts.iter().zip(multiplicities) {
            let times = i128::from(*times);
            for (category, count) in item.as_ref().iter().enumerate() {
                let count = i128::from(*count);
                // At most 2^16 times the square of a count below 2^32, over fewer than 2^48 counts.
                table.agreeing += times * count * (count - 1);
                *table.categories.entry(category).or_default() += times * count;
            }
        }
        Ok(table)
    }
}

/// The scale of labels, which says how far apart two of them are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Different or not.
    Nominal,
    /// Ordered; the distance of two labels is the number of labels between them, half of those at either end counted.
    Ordinal,
    /// Numbers; the distance is their difference.
    Interval,
}

/// Items with the labels they were given, read once for any number of resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledItems {
    /// The distinct labels, ascending.
    labels: Vec<f64>,
    /// For each item, the positions of its labels among the distinct ones.
    items: Vec<Vec<usize>>,
}

impl LabelledItems {
    /// Each item lists the labels it was given, in any order; a label that is missing is left out. For [`Scale::Nominal`] the
    /// numbers are names, for [`Scale::Ordinal`] only their order matters. Zero and minus zero are one label.
    pub fn new<L: AsRef<[f64]>>(items: &[L]) -> Result<Self, AgreementError> {
        let of = |item: &L| -> Vec<f64> { item.as_ref().iter().map(|label| label + 0.0).collect() };
        let given: Vec<Vec<f64>> = items.iter().map(of).collect();
        if let Some(item) = given.iter().position(|own| own.iter().any(|label| !label.is_finite())) {
            return Err(AgreementError::NotFinite { item });
        }
        let mut labels = given.concat();
        labels.sort_by(f64::total_cmp);
        labels.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let place = |label: &f64| labels.partition_point(|other| other.total_cmp(label).is_lt());
        let items = given.iter().map(|own| own.iter().map(place).collect()).collect();
        Ok(Self { labels, items })
    }

    /// Krippendorff's alpha: one minus the observed over the expected squared distance of labels, with the expected one over all
    /// pairs of labels drawn without replacement. At most 1; raters may differ in number, and an item with fewer than two labels
    /// does not count. Its cost grows with the squared number of labels of an item.
    ///
    /// Undefined with [`AgreementError::OneRater`] when no item has two labels and with [`Undefined::Constant`] when all labels
    /// are the same. Source: Krippendorff, "Content Analysis", 2004, chapter 11.
    pub fn alpha(&self, scale: Scale, multiplicities: &[u16]) -> Result<f64, AgreementError> {
        total(self.items.len(), multiplicities)?;
        let paired = || self.items.iter().zip(multiplicities).filter(|(own, times)| own.len() >= 2 && **times > 0);
        let mut counts = vec![0_u64; self.labels.len()];
        for (own, times) in paired() {
            for label in own {
                if let Some(count) = counts.get_mut(*label) {
                    *count += u64::from(*times);
                }
            }
        }
        let all: u64 = counts.iter().sum();
        if all == 0 {
            return Err(AgreementError::OneRater);
        }
        let places = self.places(&counts, all, scale);
        let place = |label: &usize| places.get(*label).copied().unwrap_or_default();
        // Sums over the labels of all items, and over the pairs of each item by its number of labels.
        let (mut sum, mut of_squares) = (ExactSum::default(), ExactSum::default());
        let mut observed: BTreeMap<usize, ExactSum> = BTreeMap::new();
        for (own, times) in paired() {
            let distances = observed.entry(own.len()).or_default();
            for (position, label) in own.iter().enumerate() {
                let x = place(label);
                sum.add(x, *times);
                of_squares.add_product(x, x, *times);
                for other in own.iter().take(position).filter(|other| *other != label) {
                    if scale == Scale::Nominal {
                        distances.add(1.0, *times);
                    } else {
                        // (x - y)^2, multiplied out so that nothing is rounded.
                        let y = place(other);
                        distances.add_product(x, x, *times);
                        distances.add_product(y, y, *times);
                        distances.add_product(-2.0 * x, y, *times);
                    }
                }
            }
        }
        // Over unordered pairs, in squared units of the exact sums.
        let n = BigInt::from(all);
        let expected = if scale == Scale::Nominal {
            let alike: BigInt = counts.iter().map(|&count| BigInt::from(count) * count).sum();
            (&n * &n - alike) * one() * one() / 2
        } else {
            let sum = sum.units()?;
            &n * of_squares.units()? * one() - &sum * &sum
        };
        if expected.is_zero() {
            return Err(Undefined::Constant.into());
        }
        let (mut top, mut bottom) = (BigInt::zero(), BigInt::from(1));
        for (raters, distances) in observed {
            let others = BigInt::from(raters) - 1;
            top = top * &others + distances.units()? * one() * &bottom;
            bottom *= others;
        }
        // alpha = 1 - (observed / n) / (expected / (n (n - 1))), and observed = top / bottom.
        let whole = expected * bottom;
        Ok(nearest_ratio(&(&whole - top * (n - 1)), &whole)?)
    }

    /// Where each distinct label lies on its scale. An ordinal label lies at its mid-rank among all labels.
    fn places(&self, counts: &[u64], all: u64, scale: Scale) -> Vec<f64> {
        let mut below = 0_u64;
        let place = |(&label, &count): (&f64, &u64)| {
            #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 labels, more than memory holds")]
            let doubled = (2 * below + count) as f64 - all as f64;
            below += count;
            // A factor common to all distances cancels, so the doubled rank less its mean will do.
            if scale == Scale::Ordinal { doubled } else { label }
        };
        self.labels.iter().zip(counts).map(place).collect()
    }
}

/// [`LabelledItems::alpha`] with every item once.
pub fn krippendorff_alpha<L: AsRef<[f64]>>(items: &[L], scale: Scale) -> Result<f64, AgreementError> {
    LabelledItems::new(items)?.alpha(scale, &once(items.len()))
}

/// [`LabelledItems::alpha`] of items with multiplicities.
pub fn krippendorff_alpha_weighted<L: AsRef<[f64]>>(
    items: &[L],
    scale: Scale,
    multiplicities: &[u16],
) -> Result<f64, AgreementError> {
    LabelledItems::new(items)?.alpha(scale, multiplicities)
}

#[cfg(test)]
mod tests;
