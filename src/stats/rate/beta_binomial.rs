//! The beta-binomial model of a rate over clusters, summed over a fixed grid: a posterior without sampling.
//!
//! Owns the grid and the sums on it. Each cluster has its own rate, drawn from a beta with mean `mu` and intra-cluster
//! correlation `rho`; with precision `phi = 1/rho - 1` its parameters are `mu phi` and `(1 - mu) phi`.
//!
//! Prior: `mu` has Jeffreys's Beta(1/2, 1/2), `rho` is uniform on (0, 1), and the two are independent. The grid is even in
//! asin(sqrt(mu)), where that prior is flat, and in sqrt(rho), which puts nodes near no correlation; every node is the middle
//! of its cell. The records enter as counts (positive, records) by cluster, so their order cannot matter.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use crate::math::quantile::interpolate;
use crate::math::special::ln_gamma;
use crate::stats::effective_n::Cluster;
use crate::stats::interval::{Interval, upper_tail};
use crate::stats::undefined::Undefined;

/// Cells of the grid along the mean.
const MEANS: u32 = 512;
/// Cells of the grid along the correlation.
const CORRELATIONS: u32 = 64;

/// Most distinct counts (of positives, of negatives and of records together) accepted: their number times 32,768 gamma
/// functions are evaluated, some seconds at this limit.
pub const MOST_DISTINCT_COUNTS: usize = 4_096;

/// The posterior of the mean rate and of the correlation within clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct BetaBinomial {
    /// Posterior mean of the mean rate.
    pub rate: f64,
    /// Posterior mean of the intra-cluster correlation.
    pub correlation: f64,
    /// Posterior probability of each cell of the mean, in order; sums to 1.
    cells: Vec<f64>,
    /// Whether there is any yes, and any no.
    seen: (bool, bool),
}

impl BetaBinomial {
    /// The equal-tailed posterior interval of the mean rate at `level`.
    ///
    /// Probability is spread evenly within a cell in asin(sqrt(mu)), so the limits are continuous in the level. As in
    /// Jeffreys's interval, no yes gives lower limit exactly 0 and no no upper limit exactly 1; the other limit stays inside.
    pub fn interval(&self, level: f64) -> Result<Interval, Undefined> {
        let tail = upper_tail(level)?;
        let (any_yes, any_no) = self.seen;
        let lower = if any_yes { mean_at(from_start(self.cells.iter(), tail)) } else { 0.0 };
        // Summed from the other end, so that a small upper tail keeps its digits.
        let from_end = || f64::from(MEANS) - from_start(self.cells.iter().rev(), tail);
        let upper = if any_no { mean_at(from_end()) } else { 1.0 };
        Ok(Interval { lower, upper, level })
    }
}

/// The posterior of the rate of clustered records. Clusters without records are left out.
///
/// Fails with [`Undefined::NoRecords`], with [`Undefined::OutOfRange`] when a cluster has more positives than records, and
/// with [`Undefined::TooLarge`] beyond [`MOST_DISTINCT_COUNTS`].
pub fn beta_binomial(clusters: &[Cluster]) -> Result<BetaBinomial, Undefined> {
    let counts = Counts::new(clusters)?;
    let mut logs = Vec::with_capacity((MEANS * CORRELATIONS) as usize);
    for column in 0..CORRELATIONS {
        let root = middle(column, CORRELATIONS);
        let precision = 1.0 / (root * root) - 1.0;
        let sizes = rising(&counts.records, precision);
        for row in 0..MEANS {
            let mean = mean_at(f64::from(row) + 0.5);
            let yes = rising(&counts.positive, mean * precision);
            let no = rising(&counts.negative, (1.0 - mean) * precision);
            // A cell even in sqrt(rho) holds prior probability in proportion to sqrt(rho) under a uniform rho.
            logs.push(yes + no - sizes + libm::log(root));
        }
    }
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !highest.is_finite() {
        return Err(Undefined::NotFinite);
    }
    let mut cells = vec![0.0_f64; MEANS as usize];
    let (mut all, mut correlation) = (0.0, 0.0);
    for (column, logs) in (0..CORRELATIONS).zip(logs.chunks_exact(MEANS as usize)) {
        let root = middle(column, CORRELATIONS);
        for (cell, log) in cells.iter_mut().zip(logs) {
            let weight = libm::exp(log - highest);
            *cell += weight;
            all += weight;
            correlation += weight * root * root;
        }
    }
    for cell in &mut cells {
        *cell /= all;
    }
    let rate = (0..MEANS).zip(&cells).map(|(row, cell)| mean_at(f64::from(row) + 0.5) * cell).sum();
    let seen = (!counts.positive.is_empty(), !counts.negative.is_empty());
    Ok(BetaBinomial { rate, correlation: correlation / all, cells, seen })
}

/// How many clusters have each count above zero.
#[derive(Default)]
struct Counts {
    positive: BTreeMap<u64, u64>,
    negative: BTreeMap<u64, u64>,
    records: BTreeMap<u64, u64>,
}

impl Counts {
    fn new(clusters: &[Cluster]) -> Result<Self, Undefined> {
        let mut counts = Self::default();
        for cluster in clusters {
            let negative = cluster.records.checked_sub(cluster.positive).ok_or(Undefined::OutOfRange)?;
            for (table, count) in [
                (&mut counts.positive, cluster.positive),
                (&mut counts.negative, negative),
                (&mut counts.records, cluster.records),
            ] {
                if count > 0 {
                    *table.entry(count).or_default() += 1;
                }
            }
        }
        if counts.records.is_empty() {
            return Err(Undefined::NoRecords);
        }
        let distinct = counts.positive.len() + counts.negative.len() + counts.records.len();
        if distinct > MOST_DISTINCT_COUNTS { Err(Undefined::TooLarge) } else { Ok(counts) }
    }
}

/// The sum over counts of log(a (a+1) ... (a+count-1)), each as often as it occurs.
fn rising(counts: &BTreeMap<u64, u64>, a: f64) -> f64 {
    let start = ln_gamma(a);
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53; beyond it the nearest f64 serves")]
    let term = |(count, times): (&u64, &u64)| (ln_gamma(a + *count as f64) - start) * *times as f64;
    counts.iter().map(term).sum()
}

/// The middle of cell `index` of `cells` even ones on (0, 1).
fn middle(index: u32, cells: u32) -> f64 {
    (f64::from(index) + 0.5) / f64::from(cells)
}

/// The mean rate at a position along the grid, from 0 to [`MEANS`] cells.
fn mean_at(position: f64) -> f64 {
    let sine = libm::sin(FRAC_PI_2 * position / f64::from(MEANS));
    sine * sine
}

/// The position, in cells from the start of the iteration, below which the probability `p` lies.
fn from_start<'c>(cells: impl Iterator<Item = &'c f64>, p: f64) -> f64 {
    let (mut below, mut position) = (0.0, 0.0);
    for cell in cells {
        if below + cell >= p && *cell > 0.0 {
            return interpolate(position, position + 1.0, (p - below) / cell);
        }
        below += cell;
        position += 1.0;
    }
    position
}
