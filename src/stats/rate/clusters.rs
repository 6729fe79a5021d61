//! Intervals of a rate from the spread between clusters, by Student's t.
//!
//! Owns the two estimators that need no design effect: the plain mean of cluster rates, and the rate over all records with a
//! variance robust to any dependence within clusters. Both are undefined where clusters show no spread.

use crate::math::special::t_isf;
use crate::stats::effective_n::Cluster;
use crate::stats::interval::{Interval, upper_tail};
use crate::stats::paired::{PairedError, PairedSample};
use crate::stats::undefined::Undefined;

/// A rate over all records, with its standard error from clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterRobust {
    /// The rate over all records.
    pub rate: f64,
    /// Its bias-reduced standard error (CR2); above zero.
    pub standard_error: f64,
    /// Satterthwaite's degrees of freedom.
    pub df: f64,
}

impl ClusterRobust {
    /// Student's interval of the rate at `level`, cut at 0 and 1.
    pub fn interval(&self, level: f64) -> Result<Interval, Undefined> {
        let reach = t_isf(upper_tail(level)?, self.df) * self.standard_error;
        Ok(Interval { lower: self.rate - reach, upper: self.rate + reach, level }.within(0.0, 1.0))
    }
}

/// Student's interval of the mean of the clusters' own rates at `level`, cut at 0 and 1.
///
/// Every cluster weighs the same, however many records it has; clusters without records are left out. Fails with
/// [`Undefined::TooFew`] below two clusters and [`Undefined::Constant`] when all rates are equal.
pub fn t_on_cluster_rates(clusters: &[Cluster], level: f64) -> Result<Interval, Undefined> {
    upper_tail(level)?;
    let kept = counted(clusters)?;
    let rates: Vec<f64> = kept.iter().map(|(positive, records)| positive / records).collect();
    let sample = PairedSample::from_differences(&rates).map_err(|error| match error {
        PairedError::TooFewDifferences(have) => Undefined::TooFew { have, need: 2 },
        PairedError::AllDifferencesEqual(_) => Undefined::Constant,
        PairedError::NotFinite(_) => Undefined::NotFinite,
        PairedError::LevelOutOfRange(_) | PairedError::MarginNotPositive(_) | PairedError::ScaleNotPositive(_) => {
            Undefined::OutOfRange
        }
    })?;
    let interval = sample.interval(level).map_err(|_| Undefined::OutOfRange)?;
    Ok(interval.within(0.0, 1.0))
}

/// The rate over all records with the CR2 standard error and Satterthwaite's degrees of freedom.
///
/// For an intercept alone these have closed forms. With N records, cluster sizes m and residual sums r = positive - rate m:
/// variance = sum r^2 / (1 - m/N) / N^2; with w = m^2 / (1 - m/N), df = N^2 / (sum m^2 + ((sum w)^2 - sum w^2) / N^2). Equal sizes give df = K - 1. Source: Bell and `McCaffrey`, Survey Methodology 28, 2002; Pustejovsky and
/// Tipton, Journal of Business and Economic Statistics 36, 2018. Fails as [`t_on_cluster_rates`] does.
pub fn cluster_robust(clusters: &[Cluster]) -> Result<ClusterRobust, Undefined> {
    let kept = counted(clusters)?;
    if kept.len() < 2 {
        return Err(Undefined::TooFew { have: kept.len(), need: 2 });
    }
    let records: f64 = kept.iter().map(|(_, m)| m).sum();
    let positive: f64 = kept.iter().map(|(k, _)| k).sum();
    let (mut squares, mut sizes, mut products, mut fourth) = (0.0, 0.0, 0.0, 0.0);
    for (k, m) in &kept {
        // N times the residual sum: a whole number, so it is zero exactly where the cluster's rate is the overall one.
        let residual = (k * records - m * positive) / records;
        let left = (records - m) / records;
        squares += residual * residual / left;
        sizes += m * m;
        let c2 = m * m / left;
        products += c2;
        fourth += c2 * c2;
    }
    if squares <= 0.0 {
        return Err(Undefined::Constant);
    }
    let cross = (products * products - fourth) / (records * records);
    let standard_error = squares.sqrt() / records;
    Ok(ClusterRobust { rate: positive / records, standard_error, df: records * records / (sizes + cross) })
}

/// Positives and records of the clusters that have records.
fn counted(clusters: &[Cluster]) -> Result<Vec<(f64, f64)>, Undefined> {
    let mut kept = Vec::with_capacity(clusters.len());
    for cluster in clusters {
        if cluster.positive > cluster.records {
            return Err(Undefined::OutOfRange);
        }
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53; beyond it the nearest f64 serves")]
        let counts = (cluster.positive as f64, cluster.records as f64);
        if cluster.records > 0 {
            kept.push(counts);
        }
    }
    if kept.is_empty() { Err(Undefined::NoRecords) } else { Ok(kept) }
}
