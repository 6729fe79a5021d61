//! Intervals of one rate: how often a 95 % interval misses it.

use prespec::stats::bca::{Ties, acceleration, bca_interval, leave_one_out};
use prespec::stats::bootstrap::{percentile_interval, replicates};
use prespec::stats::effective_n::Cluster;
use prespec::stats::interval::Interval;
use prespec::stats::picks::Picks;
use prespec::stats::rate::{Formula, SampleSize, beta_binomial, of_clusters, t_on_cluster_rates};

use super::worlds::{centre_of, logistic};
use super::{Draws, Row, Standing, count};

const ATTEMPTS: u64 = 3;
const TASK_SD: f64 = 2.2;

/// The rate of the clusters, each as often as its weight says.
fn rate(clusters: &[Cluster], weights: &[u16]) -> Option<f64> {
    let (mut yes, mut all) = (0_u64, 0_u64);
    for (cluster, weight) in clusters.iter().zip(weights) {
        yes += cluster.positive * u64::from(*weight);
        all += cluster.records * u64::from(*weight);
    }
    (all > 0).then(|| yes as f64 / all as f64)
}

pub fn rows(sets: usize, whole: bool) -> Vec<Row> {
    let sizes: &[usize] = if whole { &[5, 10, 25, 53, 86] } else { &[5, 25] };
    let mut rows = Vec::new();
    for &tasks in sizes {
        let picks = Picks::draw(tasks, if whole { 2_000 } else { 500 }, 1).unwrap();
        for mean in [0.5, 0.85, 0.95] {
            let setting = format!("{tasks} tasks, rate {} %", mean * 100.0);
            let centre = centre_of(mean, TASK_SD);
            let grid = tasks == 5 || tasks == 25;
            let mut names = vec![
                ("percentile", Standing::Fidelity),
                ("BCa", Standing::Other),
                ("cluster t", Standing::Other),
                ("Wilson", Standing::Other),
                ("Korn-Graubard", Standing::Default),
                ("Jeffreys", Standing::Other),
                ("Clopper-Pearson", Standing::Other),
            ];
            if grid && whole {
                names.push(("beta-binomial", Standing::Other));
            }
            rows.extend(count("A 95 % interval misses the rate", &setting, sets, &names, |set| {
                let mut draws = Draws::new(1_000 + tasks as u64, set);
                let cluster = |draws: &mut Draws| {
                    let p = logistic(centre + TASK_SD * draws.normal());
                    Cluster { positive: draws.successes(ATTEMPTS, p), records: ATTEMPTS }
                };
                let clusters: Vec<Cluster> = (0..tasks).map(|_| cluster(&mut draws)).collect();
                // Where a method gives no interval it claims nothing.
                let misses = |interval: Option<Interval>| interval.is_some_and(|interval| !interval.contains(mean));
                let by = |formula, size| misses(of_clusters(&clusters, formula, size, 0.95).ok());
                let mut drawn = replicates(&picks, 1, |_, weights| rate(&clusters, weights));
                let percentile = percentile_interval(&mut drawn, 0.95).ok().map(|found| found.limits);
                let mut bca = || {
                    let left = leave_one_out(tasks, 1, |weights| rate(&clusters, weights)).ok()?;
                    let estimate = rate(&clusters, &vec![1; tasks])?;
                    let found = bca_interval(&mut drawn, estimate, acceleration(&left).ok()?, Ties::Half, 0.95);
                    found.ok().map(|found| found.limits)
                };
                let mut answers = vec![
                    misses(percentile),
                    misses(bca()),
                    misses(t_on_cluster_rates(&clusters, 0.95).ok()),
                    by(Formula::Wilson, SampleSize::Effective),
                    by(Formula::Wilson, SampleSize::KornGraubard),
                    by(Formula::Jeffreys, SampleSize::Effective),
                    by(Formula::ClopperPearson, SampleSize::Effective),
                ];
                if grid && whole {
                    answers.push(misses(beta_binomial(&clusters).and_then(|posterior| posterior.interval(0.95)).ok()));
                }
                answers
            }));
        }
    }
    rows
}
