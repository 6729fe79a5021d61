//! Every rule for keys, integers, strings and sets, from both sides.

use super::*;

#[test]
fn keys_follow_the_pattern() {
    for key in ["a", "a0", "a_b9", &"a".repeat(64)] {
        assert_eq!(Key::new(key).unwrap().as_str(), key);
    }
    for (key, character, at) in
        [("A", 'A', 0), ("aB", 'B', 1), ("0a", '0', 0), ("_a", '_', 0), ("a-b", '-', 1), ("é", 'é', 0)]
    {
        assert_eq!(Key::new(key), Err(ValueError::KeyCharacter { key: key.into(), character, at }));
    }
    assert_eq!(Key::new(""), Err(ValueError::KeyLength { chars: 0 }));
    assert_eq!(Key::new("a".repeat(65)), Err(ValueError::KeyLength { chars: 65 }));
}

#[test]
fn integers_stay_exact_everywhere() {
    for value in [0, 1, -1, MAX_INTEGER, -MAX_INTEGER] {
        assert_eq!(Integer::new(value).unwrap().get(), value);
    }
    for value in [i128::from(MAX_INTEGER) + 1, -i128::from(MAX_INTEGER) - 1, i128::MAX, i128::MIN] {
        assert_eq!(Integer::new(value), Err(ValueError::IntegerRange { value: value.to_string() }));
    }
}

#[test]
fn objects_refuse_a_second_member_of_one_name() {
    let twice = Value::object([("a", Value::Bool(true)), ("a", Value::Bool(true))]);
    assert_eq!(twice, Err(ValueError::DuplicateKey { key: "a".into() }));
}

#[test]
fn strings_refuse_with_character_and_fix() {
    let fault = |text: &str| Text::new(text).map_err(|e| (e.at, e.character, e.fault));
    assert_eq!(fault("a\r\n"), Err((1, '\r', TextFault::CarriageReturn)));
    for c in ['\0', '\u{1}', '\u{8}', '\u{b}', '\u{1f}', '\u{7f}', '\u{80}', '\u{85}', '\u{9f}'] {
        assert_eq!(fault(&format!("é{c}")), Err((2, c, TextFault::Control)));
    }
    for c in "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}".chars() {
        assert_eq!(fault(&c.to_string()), Err((0, c, TextFault::Bidi)));
    }
    assert_eq!(fault("\u{feff}"), Err((0, '\u{feff}', TextFault::ByteOrderMark)));
    for c in ['\u{fdd0}', '\u{fdef}', '\u{fffe}', '\u{ffff}', '\u{1fffe}', '\u{10ffff}'] {
        assert_eq!(fault(&c.to_string()), Err((0, c, TextFault::Noncharacter)));
    }
    for c in ['\u{378}', '\u{e0080}', '\u{50000}'] {
        assert_eq!(fault(&c.to_string()), Err((0, c, TextFault::Unassigned)));
    }
    for (text, at, character, composed) in [
        ("xe\u{301}y", 1, 'e', "é"),
        ("\u{212b}", 0, '\u{212b}', "Å"),
        ("\u{212a}", 0, '\u{212a}', "K"),
        ("\u{1100}\u{1161}", 0, '\u{1100}', "가"),
        ("a\u{301}\u{323}", 0, 'a', "ạ\u{301}"),
    ] {
        assert_eq!(fault(text), Err((at, character, TextFault::NotNfc { composed: composed.into() })), "{text}");
    }
    for text in ["", "line\n\ttab", "é", "가", "😀", "👩\u{200d}🔬", "\u{2028}", "א", "\u{e000}", "\u{fffd}", "~ "]
    {
        assert_eq!(Text::new(text).unwrap().as_str(), text);
    }
    let error = ValueError::from(Text::new("caf\u{65}\u{301}").unwrap_err());
    assert!(error.to_string().contains("U+0065") && error.fix().contains("U+00E9"), "{error} {}", error.fix());
}

#[test]
fn sets_forget_order_and_repetition_and_sequences_do_not() {
    let text = |s: &str| Value::text(s).unwrap();
    let set = |items: &[&str]| Value::set(items.iter().map(|s| text(s)));
    assert_eq!(set(&["b", "a", "b"]), Value::array([text("a"), text("b")]));
    assert_eq!(set(&["a", "b"]), set(&["b", "a"]));
    assert!(set(&["b", "a", "é", "Z"]).is_set());
    assert!(!Value::array([text("b"), text("a")]).is_set());
    assert!(!Value::array([text("a"), text("a")]).is_set());
    // By encoded bytes: `10` before `9`.
    let numbers = Value::set([Value::integer(9).unwrap(), Value::integer(10).unwrap()]);
    assert_eq!(crate::canon::write::encode(&numbers), b"[10,9]");
}
