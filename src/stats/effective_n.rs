//! Rates over clustered records: intra-cluster correlation and effective sample size.
//!
//! Owns what clustering does to the number of records; the intervals drawn on it are in `rate`.
//!
//! Sources: the one-way analysis-of-variance estimator of the intra-cluster correlation (Donner, 1986); the design effect
//! of Kish, "Survey Sampling", 1965; Korn and Graubard, "Confidence intervals for proportions with small expected number
//! of positive counts estimated from survey data", Survey Methodology 24, 1998.

use super::undefined::Undefined;
use crate::math::special::t_quantile;

/// One cluster of yes-or-no records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// Records that are a yes.
    pub positive: u64,
    /// All records.
    pub records: u64,
}

/// What clustering does to a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectiveN {
    /// The rate over all records.
    pub rate: f64,
    /// Records.
    pub records: u64,
    /// Clusters that have records.
    pub clusters: u64,
    /// Intra-cluster correlation before it is clamped to [0, 1]; absent when undefined, and then 1 is used.
    pub icc: Option<f64>,
    /// Kish's design effect, 1 + (sum m^2 / N - 1) rho.
    pub design_effect: f64,
    /// N / design effect, clamped to [clusters, N].
    pub n_eff: f64,
}

/// The rate, the correlation within clusters and the effective sample size. Clusters without records are left out.
///
/// With cluster sizes m, N = sum m, K clusters and between and within mean squares MSB and MSW:
/// m0 = (N - sum m^2 / N) / (K - 1) and rho = (MSB - MSW) / (MSB + (m0 - 1) MSW). Where this is undefined (all records
/// alike, one cluster, or one record in each) rho is 1: nothing shows that records of a cluster are independent.
/// Fails with [`Undefined::NoRecords`], or [`Undefined::OutOfRange`] when a cluster has more positives than records.
pub fn effective_n(clusters: &[Cluster]) -> Result<EffectiveN, Undefined> {
    let mut sums = Sums::default();
    for cluster in clusters.iter().filter(|cluster| cluster.records > 0 || cluster.positive > 0) {
        sums.add(*cluster)?;
    }
    let records = sums.records;
    if records == 0 {
        return Err(Undefined::NoRecords);
    }
    let n = real(records);
    let rate = real(sums.positive) / n;
    let kish_size = real(sums.squared_sizes) / n;
    let icc = sums.correlation(rate, kish_size);
    let rho = icc.unwrap_or(1.0).clamp(0.0, 1.0);
    let design_effect = 1.0 + (kish_size - 1.0) * rho;
    let n_eff = (n / design_effect).clamp(real(sums.clusters), n);
    let exact = |count: u128| u64::try_from(count).map_err(|_| Undefined::TooLarge);
    Ok(EffectiveN { rate, records: exact(records)?, clusters: exact(sums.clusters)?, icc, design_effect, n_eff })
}

#[derive(Default)]
struct Sums {
    clusters: u128,
    records: u128,
    positive: u128,
    squared_sizes: u128,
    /// Sum over clusters of positive^2 / records.
    between: f64,
    /// Sum over clusters of positive (records - positive) / records: the within sum of squares.
    within: f64,
}

impl Sums {
    fn add(&mut self, cluster: Cluster) -> Result<(), Undefined> {
        let (positive, size) = (u128::from(cluster.positive), u128::from(cluster.records));
        if positive > size {
            return Err(Undefined::OutOfRange);
        }
        let add = |total: u128, term: u128| total.checked_add(term).ok_or(Undefined::TooLarge);
        self.clusters += 1;
        self.records = add(self.records, size)?;
        self.positive = add(self.positive, positive)?;
        self.squared_sizes = add(self.squared_sizes, size * size)?;
        self.between += real(positive * positive) / real(size);
        self.within += real(positive * (size - positive)) / real(size);
        Ok(())
    }

    fn correlation(&self, rate: f64, kish_size: f64) -> Option<f64> {
        // Decided on the integers: rounding must not make a spread out of none.
        let alike = self.positive == 0 || self.positive == self.records;
        if alike || self.clusters < 2 || self.records == self.clusters {
            return None;
        }
        let between_df = real(self.clusters - 1);
        let n = real(self.records);
        let msb = (self.between - n * rate * rate) / between_df;
        let msw = self.within / real(self.records - self.clusters);
        let m0 = (n - kish_size) / between_df;
        let below = msb + (m0 - 1.0) * msw;
        (below > 0.0).then(|| (msb - msw) / below)
    }
}

/// The effective sample size of Korn and Graubard: `n_eff` (t(N-1) / t(K-1))^2, with `t_ratio` from [`t_ratio`].
///
/// Fails with [`Undefined::TooFew`] for one cluster (no t with 0 degrees of freedom) and [`Undefined::OutOfRange`] for a
/// ratio outside (0, 1].
pub fn korn_graubard_n(effective: &EffectiveN, t_ratio: f64) -> Result<f64, Undefined> {
    if effective.clusters < 2 {
        return Err(Undefined::TooFew { have: 1, need: 2 });
    }
    if t_ratio > 0.0 && t_ratio <= 1.0 { Ok(effective.n_eff * t_ratio * t_ratio) } else { Err(Undefined::OutOfRange) }
}

/// The ratio that [`korn_graubard_n`] needs: t(N-1) / t(K-1) at the upper tail (1 + `level`) / 2.
pub fn t_ratio(effective: &EffectiveN, level: f64) -> Result<f64, Undefined> {
    if effective.clusters < 2 {
        return Err(Undefined::TooFew { have: 1, need: 2 });
    }
    if !(level > 0.0 && level < 1.0) {
        return Err(Undefined::OutOfRange);
    }
    let tail = f64::midpoint(1.0, level);
    let t = |n: u64| t_quantile(tail, real(u128::from(n - 1)));
    // Rounding must not carry the ratio of two equal quantiles above 1.
    let ratio = (t(effective.records) / t(effective.clusters)).min(1.0);
    if ratio.is_finite() { Ok(ratio) } else { Err(Undefined::OutOfRange) }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53; beyond it the nearest f64 serves")]
fn real(count: u128) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Cluster, effective_n, korn_graubard_n};
    use crate::stats::undefined::Undefined;

    fn clusters(pairs: &[(u64, u64)]) -> Vec<Cluster> {
        pairs.iter().map(|&(positive, records)| Cluster { positive, records }).collect()
    }

    #[test]
    fn records_all_alike_count_as_one_per_cluster() {
        for positive in [0, 3] {
            let all = effective_n(&clusters(&[(positive, 3); 7])).unwrap();
            assert_eq!((all.icc, all.n_eff), (None, 7.0));
        }
        let single = effective_n(&clusters(&[(2, 4)])).unwrap();
        assert_eq!((single.icc, single.n_eff), (None, 1.0));
        assert_eq!(korn_graubard_n(&single, 0.9), Err(Undefined::TooFew { have: 1, need: 2 }));
        let one_each = effective_n(&clusters(&[(1, 1), (0, 1), (1, 1)])).unwrap();
        assert_eq!((one_each.icc, one_each.n_eff), (None, 3.0));
    }

    #[test]
    fn empty_clusters_do_not_count() {
        let with = effective_n(&clusters(&[(1, 3), (0, 0), (2, 3), (3, 3)])).unwrap();
        assert_eq!(with, effective_n(&clusters(&[(1, 3), (2, 3), (3, 3)])).unwrap());
        assert_eq!(effective_n(&clusters(&[(0, 0)])), Err(Undefined::NoRecords));
        assert_eq!(effective_n(&clusters(&[(2, 1)])), Err(Undefined::OutOfRange));
        assert_eq!(effective_n(&clusters(&[(1, 0)])), Err(Undefined::OutOfRange));
    }
}
