//! A statistic computed within each group of records, and its mean over the groups that have one.
//!
//! Owns the grouping and the counting of groups without a value. Groups weigh equally, whatever their size; in a resample of whole
//! groups each weighs as often as it was picked, which is why the multiplicities here belong to groups and not to records.

use std::collections::BTreeMap;

use super::exact_sum::ExactSum;
use super::undefined::Undefined;
use super::weights::{same_length, total};

/// Which records belong to which group. Groups are in ascending order of their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    records: usize,
    labels: Vec<u32>,
    members: Vec<Vec<usize>>,
}

impl Groups {
    /// Groups records by their labels, one label per record.
    #[must_use]
    pub fn new(labels: &[u32]) -> Self {
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (record, label) in labels.iter().enumerate() {
            members.entry(*label).or_default().push(record);
        }
        let (names, members) = members.into_iter().unzip();
        Self { records: labels.len(), labels: names, members }
    }

    /// The labels, ascending, each once.
    #[must_use]
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no groups.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The record numbers of each group, ascending.
    #[must_use]
    pub fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// A statistic of two parallel columns within each group, in the order of [`Self::labels`]. A group without a value keeps its
    /// reason. Fails with [`Undefined::UnequalLengths`] when a column has another length than the labels.
    pub fn each<T>(
        &self,
        left: &[f64],
        right: &[f64],
        statistic: impl Fn(&[f64], &[f64]) -> Result<T, Undefined>,
    ) -> Result<Vec<Result<T, Undefined>>, Undefined> {
        same_length(self.records, left.len())?;
        same_length(self.records, right.len())?;
        let column = |members: &[usize], values: &[f64]| -> Vec<f64> {
            members.iter().filter_map(|record| values.get(*record)).copied().collect()
        };
        Ok(self.members.iter().map(|own| statistic(&column(own, left), &column(own, right))).collect())
    }
}

/// The mean over the groups that have a value, with the count of both kinds. Repeated groups count as often as they stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithinMean {
    /// Mean of the defined values, one rounding.
    pub mean: f64,
    /// Groups with a value.
    pub defined: u64,
    /// Groups without one, left out of the mean.
    pub undefined: u64,
}

/// The mean of the defined values, each group once.
pub fn mean_over_defined(values: &[Result<f64, Undefined>]) -> Result<WithinMean, Undefined> {
    mean_over_defined_weighted(values, &super::weights::once(values.len()))
}

/// The mean of the defined values, each group as often as its multiplicity says.
///
/// Fails with [`Undefined::NoRecords`] when there are no groups, and with [`Undefined::TooFew`] when none has a value.
pub fn mean_over_defined_weighted(
    values: &[Result<f64, Undefined>],
    multiplicities: &[u16],
) -> Result<WithinMean, Undefined> {
    let all = total(values.len(), multiplicities)?;
    let (mut sum, mut defined) = (ExactSum::default(), 0_u64);
    for (value, times) in values.iter().zip(multiplicities) {
        if let Ok(value) = value {
            sum.add(*value, *times);
            defined += u64::from(*times);
        }
    }
    if defined == 0 {
        return Err(Undefined::TooFew { have: 0, need: 1 });
    }
    Ok(WithinMean { mean: sum.mean(defined)?, defined, undefined: all - defined })
}

#[cfg(test)]
mod tests {
    use super::{Groups, WithinMean, mean_over_defined, mean_over_defined_weighted};
    use crate::stats::undefined::Undefined;

    #[test]
    fn groups_follow_their_labels() {
        let groups = Groups::new(&[7, 2, 7, 2, 9]);
        assert_eq!(groups.labels(), [2, 7, 9]);
        assert_eq!(groups.members(), [vec![1, 3], vec![0, 2], vec![4]]);
        let sums = groups.each(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.5; 5], |left, right| {
            Ok(left.iter().sum::<f64>() + right.iter().sum::<f64>())
        });
        assert_eq!(sums, Ok(vec![Ok(7.0), Ok(5.0), Ok(5.5)]));
        let short = groups.each(&[1.0], &[0.5; 5], |_, _| Ok(0.0));
        assert_eq!(short, Err(Undefined::UnequalLengths { left: 5, right: 1 }));
    }

    #[test]
    fn undefined_groups_are_counted_and_left_out() {
        let values = [Ok(0.1), Err(Undefined::Constant), Ok(0.2), Ok(0.3)];
        assert_eq!(mean_over_defined(&values), Ok(WithinMean { mean: 0.2, defined: 3, undefined: 1 }));
        let weighted = mean_over_defined_weighted(&values, &[0, 3, 1, 1]);
        assert_eq!(weighted, Ok(WithinMean { mean: 0.25, defined: 2, undefined: 3 }));
        assert_eq!(mean_over_defined(&[Err(Undefined::Constant)]), Err(Undefined::TooFew { have: 0, need: 1 }));
        assert_eq!(mean_over_defined(&[]), Err(Undefined::NoRecords));
        assert_eq!(mean_over_defined_weighted(&[Ok(1.0)], &[0]), Err(Undefined::NoRecords));
    }
}
