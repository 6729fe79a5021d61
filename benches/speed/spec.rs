//! Long specs: time must grow as the number of lines does.

use criterion::{BenchmarkId, Criterion, Throughput};
use prespec::check::analyse;
use prespec::diagnostic::Severity;
use prespec::source::Sources;
use prespec::syntax::parse;
use std::fmt::Write as _;

const HEAD: &str = r#"language 1

study generated {
  title "Does it take longer than its length?"
  question RQ1 primary "Is one arm better?"
}

factor prompt = plain | checked

tasks task {
  file "tasks.csv"
  key "task_id"
  field kind: easy | hard
  expect 20 where kind == easy
}

design {
  cross prompt, task
  repeat 2
  collapse correct by mean
}

outcome correct: bool from scorer exact_match version "1"

analysis_set all_planned {
  count errored, missing as incorrect
}

measure accuracy = mean(correct)
interval ci95 = bootstrap(percentile, resample: task, resamples: 5000, level: 95 %, seed: 7)
"#;

/// A spec of about this many lines: one estimand, margin and hypothesis after the other.
pub fn generated(lines: usize) -> String {
    let mut text = HEAD.to_owned();
    let mut written = text.lines().count();
    for number in 0.. {
        if written >= lines {
            break;
        }
        let block = format!(
            r#"
estimand gain_{number} = accuracy[checked] - accuracy[plain]

# The smallest gain worth having.
margin worthwhile_{number} = 5 pp higher "a smaller gain is not worth the longer prompt"

hypothesis H{number} secondary "The request raises accuracy, part {number}" {{
  answers RQ1
  about gain_{number} with ci95
  decide {{
    supported when lower >= worthwhile_{number}
    contradicted when upper < worthwhile_{number}
    inconclusive otherwise
  }}
}}
"#
        );
        written += block.lines().count();
        text.write_str(&block).unwrap();
    }
    text
}

pub fn parsing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    group.sample_size(10);
    for lines in [2_500, 5_000, 10_000] {
        let text = generated(lines);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(lines), &text, |bencher, text| {
            bencher.iter(|| {
                let mut sources = Sources::default();
                let (file, found) = parse(&mut sources, "long.prespec", text, &mut |_| Err("no includes".to_owned()));
                assert!(found.is_empty(), "{:?}", found.first());
                file
            });
        });
    }
    group.finish();
}

/// The whole of `check`: parsing, names, units and the proof that each rule is a partition.
pub fn checking(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check");
    group.sample_size(10);
    for lines in [2_500, 5_000, 10_000] {
        let text = generated(lines);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(lines), &text, |bencher, text| {
            bencher.iter(|| {
                let analysis = analyse("long.prespec", text, &mut |_| Err("no includes".to_owned()));
                let refused = analysis.diagnostics.iter().find(|found| found.severity == Severity::Error);
                assert!(analysis.spec.is_some(), "{refused:?}");
                analysis
            });
        });
    }
    group.finish();
}
