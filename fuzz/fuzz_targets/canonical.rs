//! The strict reader on any bytes: `cargo +nightly fuzz run canonical`.
//!
//! What is accepted encodes to the same bytes; what is refused names a place inside the document; a frozen file that
//! is accepted is written again as it was. Neither reader may panic, hang or outgrow its limits.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use prespec::canon::digest::freeze_id;
use prespec::canon::read::decode;
use prespec::canon::write::encode;
use prespec::register::file::{file_name, read_frozen};

/// More bytes take longer and find nothing else.
const LONGEST: usize = 64 << 10;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    if bytes.len() > LONGEST {
        return Corpus::Reject;
    }
    match decode(bytes) {
        Ok(value) => assert_eq!(encode(&value), bytes),
        Err(error) => assert!(error.offset <= bytes.len()),
    }
    if let Ok(frozen) = read_frozen(bytes, &file_name(0, &freeze_id(bytes))) {
        let again = frozen.file().clone().freeze().expect("what was read can be written");
        assert_eq!(again.bytes(), bytes);
    }
    Corpus::Keep
});
