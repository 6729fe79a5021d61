//! Reading and judging a large study: 6,255 records, three analysis sets, 5,000 resamples of 165 tasks.

use criterion::{BenchmarkId, Criterion};
use prespec::canon::study::{LANG, leaves, normal};
use prespec::check::analyse;
use prespec::decide::{Options, judge};
use prespec::plan::read_tasks;
use prespec::records::{join, read};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

pub fn scaffolds(criterion: &mut Criterion) {
    let results = Path::new(ROOT).join("../shared/reference/stats/gaia_like.csv");
    if !results.is_file() {
        eprintln!("SKIPPED judge: ../shared is absent");
        return;
    }
    let folder = Path::new(ROOT).join("specs/gaia_scaffolds");
    let text = fs::read_to_string(folder.join("gaia_scaffolds.prespec")).unwrap();
    let analysis = analyse("gaia_scaffolds.prespec", &text, &mut |_| Err("no includes".to_owned()));
    let written = analysis.spec.unwrap();
    let spec = normal(&written).unwrap();
    let bytes = fs::read(folder.join("data/gaia_sample_ids.csv")).unwrap();
    let tasks = read_tasks(spec.tasks.as_ref().unwrap(), Some(&bytes)).unwrap();
    let roots: Vec<PathBuf> = vec![results];
    let joined = || join(&spec, &tasks, read(&spec, &roots).unwrap()).unwrap();
    let records = joined();
    let spec_digest = leaves(&written).unwrap().spec_digest(LANG).to_string();
    let mut group = criterion.benchmark_group("judge");
    group.sample_size(10);
    group.bench_function("read and join", |bencher| bencher.iter(joined));
    for workers in [1, 2] {
        let options = Options { exploratory: true, spec_digest: spec_digest.clone(), workers, ..Options::default() };
        group.bench_with_input(BenchmarkId::new("decide", workers), &options, |bencher, options| {
            bencher.iter(|| judge(&spec, &tasks, &records, options).unwrap());
        });
    }
    group.finish();
}
