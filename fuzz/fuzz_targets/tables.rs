//! The readers of tables and documents on any bytes: `cargo +nightly fuzz run tables`.
//!
//! A document that is read has numbers that are exact and canonical again; a row has the length of its header; a defect
//! names a place inside the bytes. No reader may panic, hang or outgrow its limits.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use prespec::math::exact;
use prespec::table::cell::{Cell, read_bool, read_key, read_number};
use prespec::table::csv::Table;
use prespec::table::json::{self, Node};
use prespec::table::path::{Bound, Path, Template, follow};
use prespec::table::{jsonl, number};

/// More bytes take longer and find nothing else.
const LONGEST: usize = 32 << 10;

fn cell(cell: Cell<'_>) {
    let _ = (read_bool(cell), read_key(cell));
    if let Ok(Some(value)) = read_number(cell) {
        assert_eq!(number::Exact::from_rational(&value.to_rational()), value);
        assert_eq!(value.canonical(), exact::canonical(&value.to_rational()));
    }
}

fn walk(node: &Node<'_>) {
    cell(node.cell());
    match node {
        Node::Array(items) => items.iter().for_each(walk),
        Node::Object(members) => members.iter().for_each(|(_, node)| walk(node)),
        _ => {}
    }
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    if bytes.len() > LONGEST {
        return Corpus::Reject;
    }
    match json::parse(bytes) {
        Ok(node) => walk(&node),
        Err(error) => assert!(error.offset <= bytes.len()),
    }
    for (_, document) in jsonl::documents(bytes) {
        let _ = document.as_ref().map(walk);
    }
    if let Ok(mut table) = Table::open(bytes) {
        let columns = table.header().len();
        while let Ok(true) = table.advance() {
            (0..columns).for_each(|column| cell(Cell::of_text(table.cell(column))));
        }
    }
    if let Some((path, text)) = std::str::from_utf8(bytes).ok().and_then(|text| text.split_once('\n'))
        && path.len() < 64
        && text.len() < 64
    {
        if let Ok(template) = Template::parse(path) {
            for fit in template.fits(text, &Bound::new(), 8) {
                assert_eq!(template.fill(&fit).as_deref(), Some(text));
            }
        }
        if let (Ok(path), Ok(node)) = (Path::parse(path), json::parse(text.as_bytes()))
            && let Some(keys) = path.fill(&Bound::new())
        {
            let _ = follow(&node, &keys);
        }
    }
    Corpus::Keep
});
