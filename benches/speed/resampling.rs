//! The cluster bootstrap at the size of a large study: 165 tasks, 5,000 resamples, 24 arms of a 0/1 outcome.

use criterion::{BenchmarkId, Criterion};
use prespec::stats::bootstrap::{percentile_interval, ratios, totals};
use prespec::stats::column::ExactColumn;
use prespec::stats::picks::Picks;

const TASKS: usize = 165;
const ARMS: u64 = 24;

fn column(arm: u64) -> ExactColumn {
    let counts: Vec<u64> = (0..TASKS as u64).map(|task| (task * 7 + arm * 13) % 4).collect();
    ExactColumn::counts(&counts).unwrap()
}

pub fn bootstrap(criterion: &mut Criterion) {
    let picks = Picks::draw(TASKS, 5_000, 7).unwrap();
    let correct: Vec<ExactColumn> = (0..ARMS).map(column).collect();
    let planned = ExactColumn::counts(&[3; TASKS]).unwrap();
    let columns: Vec<&ExactColumn> = correct.iter().chain([&planned]).collect();
    let mut group = criterion.benchmark_group("bootstrap");
    group.sample_size(20);
    group.bench_function("draw", |bencher| bencher.iter(|| Picks::draw(TASKS, 5_000, 7).unwrap()));
    for workers in [1, 2] {
        group.bench_with_input(BenchmarkId::new("intervals", workers), &workers, |bencher, workers| {
            bencher.iter(|| {
                let sums = totals(&picks, &columns, *workers).unwrap();
                let (planned, correct) = sums.split_last().unwrap();
                let limits = correct.iter().map(|arm| percentile_interval(&mut ratios(arm, planned).unwrap(), 0.95));
                limits.map(|interval| interval.unwrap().limits.lower).sum::<f64>()
            });
        });
    }
    group.finish();
}
