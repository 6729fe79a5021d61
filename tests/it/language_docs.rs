//! The language reference against the grammar: every word of the language, every planned word, every state and every waivable
//! code stands in it.

use std::collections::BTreeSet;
use std::path::Path;

use prespec::diagnostic::CODES;
use prespec::spec::State;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Words in code: in back-quotes, or in a line that is indented by four.
fn coded(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |code: &str| {
        found.extend(code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned));
    };
    for line in text.lines() {
        if line.starts_with("    ") {
            add(line);
        } else {
            line.split('`').skip(1).step_by(2).for_each(&mut add);
        }
    }
    found
}

#[test]
fn every_word_of_the_grammar_stands_in_the_reference() {
    let (grammar, reference) = (read("grammar/prespec.pest"), read("docs/language.md"));
    let coded = coded(&reference);
    let words: Vec<&str> = grammar
        .lines()
        .filter_map(|line| line.strip_prefix("k_")?.split_once("= @{ \"")?.1.split('"').next())
        .collect();
    assert!(words.len() > 150, "{}", words.len());
    // `are`, `two` and `three` are second spellings inside a quorum after losses; `record` is one of `records`.
    let other = ["are", "two", "three", "record"];
    let missing: Vec<_> = words.iter().filter(|word| !coded.contains(**word) && !other.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn planned_words_states_and_waivable_codes_stand_in_the_reference() {
    let (forms, reference) = (read("src/syntax/forms.rs"), read("docs/language.md"));
    let (_, planned) = forms.split_once("const PLANNED").unwrap();
    let planned: Vec<&str> = planned.split(';').next().unwrap().split('"').skip(1).step_by(2).collect();
    assert!(planned.len() > 3);
    let (_, section) = reference.split_once("## 12. Planned and refused").unwrap();
    for word in planned {
        assert!(section.contains(&format!("`{word}`")), "{word}");
    }
    for state in State::ALL {
        let class = state.class().map_or("none: never counts", |class| class.word());
        assert!(reference.contains(&format!("| `{}` | {class} |", state.word())), "{}", state.word());
    }
    let (_, waivable) = reference.split_once("These can be waived:").unwrap();
    let waivable = waivable.split('.').next().unwrap();
    for entry in CODES {
        assert_eq!(waivable.contains(entry.number), entry.code.waivable(), "{}", entry.number);
    }
}
