//! Bytes of any kind: readers refuse or read, and what they read is exact.

use proptest::prelude::*;

use prespec::math::exact;
use prespec::records::read;
use prespec::spec::FileFormat;
use prespec::table::csv::Table;
use prespec::table::json::{self, Node};
use prespec::table::number::Exact;
use prespec::table::path::{Bound, Template};

use super::build::*;

/// Bytes that often get past the first character of a table or document.
fn likely() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\"a\"",
        "\"item\"",
        "\\",
        "\n",
        "\r\n",
        "1",
        "-",
        ".",
        "e9",
        "null",
        "NaN",
        "true",
        "a,x,1,0.5,0\n",
        "item,arm,correct,cost,bad\n",
        "\u{feff}",
        "é",
        " ",
    ];
    let piece = prop_oneof![
        8 => proptest::sample::select(pieces.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..3),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn walk(node: &Node<'_>) {
    match node {
        Node::Number(text) => {
            if let Ok(value) = prespec::table::number::parse(text) {
                assert_eq!(value.to_rational(), exact::parse(text).unwrap());
            }
        }
        Node::Array(items) => items.iter().for_each(walk),
        Node::Object(members) => members.iter().for_each(|(_, node)| walk(node)),
        Node::Null | Node::Bool(_) | Node::NotFinite(_) | Node::Text(_) => {}
    }
}

proptest! {
    #[test]
    fn documents_and_tables_of_any_bytes(bytes in likely()) {
        match json::parse(&bytes) {
            Ok(node) => {
                walk(&node);
                let strict: Result<serde_json::Value, _> = serde_json::from_slice(&bytes);
                let text = String::from_utf8_lossy(&bytes);
                // Another reader agrees on what is JSON, but for the mark and the three words that JSON does not have.
                let excused = text.contains("NaN") || text.contains("e9") || text.starts_with('\u{feff}');
                prop_assert!(strict.is_ok() || excused, "{}", text);
            }
            Err(error) => prop_assert!(error.offset <= bytes.len()),
        }
        if let Ok(mut table) = Table::open(&bytes) {
            while let Ok(true) = table.advance() {}
        }
    }

    #[test]
    fn files_of_any_bytes_are_read_or_refused(bytes in likely()) {
        for (name, format) in [("r.csv", FileFormat::Csv), ("r.json", FileFormat::Json), ("r.jsonl", FileFormat::Jsonl)] {
            let mut spec = small();
            spec.results.insert("runs".to_owned(), long().build(name, format));
            let folder = Folder::new(&[]);
            std::fs::write(folder.0.path().join(name), &bytes).unwrap();
            if let Err(errors) = read(&spec, &folder.root()) {
                prop_assert!(!errors.is_empty());
                prop_assert!(errors.iter().all(|error| !error.place.is_empty() && !error.help.is_empty()), "{:?}", errors);
            }
        }
    }

    #[test]
    fn exact_arithmetic_agrees_with_fractions(a in any::<i64>(), b in any::<i64>(), p in 0_u32..45, q in 0_u32..45) {
        let (x, y) = (Exact::decimal(i128::from(a), p), Exact::decimal(i128::from(b), q));
        let (r, s) = (x.to_rational(), y.to_rational());
        prop_assert_eq!(x.plus(&y), Exact::from_rational(&(&r + &s)));
        prop_assert_eq!(x.times(&y), Exact::from_rational(&(&r * &s)));
        prop_assert_eq!(x.cmp(&y), r.cmp(&s));
        prop_assert_eq!(x.canonical(), exact::canonical(&r));
        prop_assert_eq!(prespec::table::number::parse(&x.canonical()).ok(), Some(x));
    }

    #[test]
    fn what_fits_a_template_fills_it(text in "[a-c_.]{0,8}", template in "([a-c_]|\\{[xy]\\}){1,5}") {
        let template = Template::parse(&template).unwrap();
        for fit in template.fits(&text, &Bound::new(), 16) {
            prop_assert_eq!(template.fill(&fit), Some(text.clone()));
        }
    }
}
