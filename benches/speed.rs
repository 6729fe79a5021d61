//! What takes time: reading a long spec, proving a hard rule, resampling, canonical bytes, judging. Run with `cargo bench`.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run must stop")]
#![expect(clippy::print_stderr, reason = "what is skipped is said")]

#[path = "speed/bytes.rs"]
mod bytes;
#[path = "speed/judging.rs"]
mod judging;
#[path = "speed/resampling.rs"]
mod resampling;
#[path = "speed/rules.rs"]
mod rules;
#[path = "speed/spec.rs"]
mod spec;

criterion::criterion_group!(
    speed,
    spec::parsing,
    spec::checking,
    rules::thresholds,
    rules::linear,
    resampling::bootstrap,
    bytes::reading,
    judging::scaffolds
);
criterion::criterion_main!(speed);
