//! The parser and the checker on any text: `cargo +nightly fuzz run parse`.
//!
//! Whatever the text, there is an answer: a tree and findings whose places lie inside the text, and a study only when
//! nothing is refused. Nothing may panic, hang or outgrow its limits.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use prespec::check::analyse;
use prespec::diagnostic::Diagnostic;
use prespec::source::{Sources, Span};

/// More text takes longer and finds nothing else.
const LONGEST: usize = 64 << 10;

fn inside(sources: &Sources, found: &Diagnostic) {
    let labels = found.secondary.iter().map(|label| label.span);
    let fixes = found.fixes.iter().map(|fix| fix.span);
    for Span { file, start, end } in labels.chain(fixes).chain([found.primary.span]) {
        let text = &sources.get(file).expect("a finding names a file that was read").text;
        assert!(start <= end, "{found:?}");
        assert!(text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize), "{found:?}");
    }
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    if text.len() > LONGEST {
        return Corpus::Reject;
    }
    let analysis = analyse("fuzzed.prespec", text, &mut |_| Err("nothing is included".to_owned()));
    analysis.diagnostics.iter().for_each(|found| inside(&analysis.sources, found));
    assert!(analysis.spec.is_some() != analysis.has_errors());
    Corpus::Keep
});
