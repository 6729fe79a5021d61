//! Any bytes as a JSON and as a JSON-lines results file: `cargo +nightly fuzz run records_json`.
#![no_main]

mod study;

use libfuzzer_sys::{Corpus, fuzz_target};
use std::sync::LazyLock;
use study::{LONGEST, Study};

static DOCUMENT: LazyLock<Study> =
    LazyLock::new(|| Study::new("file \"results.json\"\n  records at \"runs\"", "results.json"));
static LINES: LazyLock<Study> = LazyLock::new(|| Study::new(r#"file "results.jsonl""#, "results.jsonl"));

fuzz_target!(|bytes: &[u8]| -> Corpus {
    if bytes.len() > LONGEST {
        return Corpus::Reject;
    }
    DOCUMENT.judge(bytes);
    LINES.judge(bytes);
    Corpus::Keep
});
