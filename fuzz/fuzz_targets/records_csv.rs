//! Any bytes as a CSV results file: `cargo +nightly fuzz run records_csv`.
#![no_main]

mod study;

use libfuzzer_sys::{Corpus, fuzz_target};
use std::sync::LazyLock;
use study::{LONGEST, Study};

static CSV: LazyLock<Study> = LazyLock::new(|| Study::new(r#"file "results.csv""#, "results.csv"));

fuzz_target!(|bytes: &[u8]| -> Corpus {
    if bytes.len() > LONGEST {
        return Corpus::Reject;
    }
    CSV.judge(bytes);
    Corpus::Keep
});
