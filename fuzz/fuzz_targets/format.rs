//! The formatter on any text: `cargo +nightly fuzz run format`.
//!
//! What is formatted stays as it is when formatted again and says what it said; what does not parse is refused with a
//! finding.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use prespec::source::Sources;
use prespec::syntax::{ast, format::format, parse};

/// More text takes longer and finds nothing else.
const LONGEST: usize = 64 << 10;

fn tree(text: &str) -> ast::File {
    parse(&mut Sources::default(), "fuzzed.prespec", text, &mut |_| Err("nothing is included".to_owned())).0
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    if text.len() > LONGEST {
        return Corpus::Reject;
    }
    match format(text) {
        Ok(once) => {
            assert_eq!(format(&once).expect("what was formatted parses"), once);
            assert_eq!(tree(&once), tree(text));
        }
        Err(found) => {
            assert!(!found.is_empty());
            let gap = found.iter().find(|finding| finding.message.starts_with("formatting would change"));
            assert!(gap.is_none(), "the formatter caught itself: {gap:?}");
        }
    }
    Corpus::Keep
});
