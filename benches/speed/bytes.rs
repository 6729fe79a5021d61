//! The strict reader and writer of canonical bytes, on a document of about a megabyte.

use criterion::{Criterion, Throughput};
use prespec::canon::read::decode;
use prespec::canon::write::encode;

pub fn reading(criterion: &mut Criterion) {
    let rows: Vec<String> = (0..12_000)
        .map(|row| format!(r#"{{"id":"task-{row:05}","note":"räksmörgås \"{row}\"","parts":[{row},true,false]}}"#))
        .collect();
    let document = format!("[{}]", rows.join(","));
    let value = decode(document.as_bytes()).unwrap();
    let mut group = criterion.benchmark_group("canonical");
    group.throughput(Throughput::Bytes(document.len() as u64));
    group.bench_function("read", |bencher| bencher.iter(|| decode(document.as_bytes()).unwrap()));
    group.bench_function("write", |bencher| bencher.iter(|| encode(&value)));
    group.finish();
}
