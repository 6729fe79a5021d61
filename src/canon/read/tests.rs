//! Offsets and rules of every refusal; the accepted texts are checked against other implementations in `tests/it`.

use super::*;

fn refuse(text: &str) -> (usize, Rule) {
    let error = decode(text.as_bytes()).expect_err(text);
    (error.offset, error.rule)
}

#[test]
fn accepts_only_its_own_spelling() {
    for text in [r#"{"a":[1,true,"x"],"b":{}}"#, "0", "-1", "\"\"", "[]", r#""\n\t\"\\/é😀""#] {
        assert_eq!(encode(&decode(text.as_bytes()).unwrap()), text.as_bytes());
    }
}

#[test]
fn says_where_and_which_rule() {
    let syntax = |expected| Rule::Syntax { expected };
    for (text, offset, rule) in [
        (r#"{"a": 1}"#, 5, Rule::WhiteSpace),
        ("\n1", 0, Rule::WhiteSpace),
        ("1\n", 1, Rule::WhiteSpace),
        ("1 2", 1, Rule::Trailing),
        (r#"{"b":1,"a":1}"#, 2, Rule::KeyOrder),
        (r#"{"a":-0}"#, 5, Rule::MinusZero),
        (r#""\u00e9""#, 1, Rule::Escape),
        (r#""\/""#, 1, Rule::Escape),
        (r#""\u000a""#, 2, Rule::Escape),
        (r#""\ud83d\ude00""#, 1, Rule::Escape),
        (r#""\ud83d""#, 1, Rule::Surrogate),
        (r#""\ude00""#, 1, Rule::Surrogate),
        (r#""\ud83dx""#, 1, Rule::Surrogate),
        ("1.5", 1, Rule::NotInteger),
        ("1e2", 1, Rule::NotInteger),
        ("[null]", 1, Rule::Null),
        ("01", 0, syntax("digits without a leading zero")),
        ("-", 1, syntax("digits without a leading zero")),
        ("[1,]", 3, syntax("a value")),
        ("[1", 2, syntax("`,` or `]`")),
        ("{1:1}", 1, syntax("a key")),
        (r#"{"a"1}"#, 4, syntax("`:`")),
        (r#"{"a":1"#, 6, syntax("`,` or `}`")),
        (r#"{"a":1,}"#, 7, syntax("a key")),
        ("\"a", 2, syntax("`\"` to close the string")),
        ("\"a\nb\"", 2, syntax("an escape for a control character")),
        (r#""\x""#, 2, syntax("an escape that JSON has")),
        (r#""\u00g0""#, 2, syntax("four hexadecimal digits")),
        (r#""\u"#, 2, syntax("four hexadecimal digits")),
        ("", 0, syntax("a value")),
        ("nul", 0, syntax("a value")),
    ] {
        assert_eq!(refuse(text), (offset, rule), "{text}");
    }
    assert_eq!(refuse(r#"{"a":1,"a":1}"#), (7, Rule::Value(ValueError::DuplicateKey { key: "a".into() })));
    assert_eq!(decode(b"\"\xff\"").unwrap_err(), ReadError { offset: 1, rule: Rule::Utf8 });
    let long = "9".repeat(10_000);
    let Rule::Value(ValueError::IntegerRange { value }) = refuse(&long).1 else { panic!("range") };
    assert!(value.len() < 40);
}

#[test]
fn bounds_size_and_depth() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(decode(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(refuse(&nested(MAX_DEPTH + 1)), (MAX_DEPTH, Rule::TooDeep));
    assert_eq!(refuse(&"[".repeat(1_000_000)), (MAX_DEPTH, Rule::TooDeep));
    let fits = format!("\"{}\"", "a".repeat(MAX_BYTES - 2));
    assert!(decode(fits.as_bytes()).is_ok());
    let over = format!("\"{}\"", "a".repeat(MAX_BYTES - 1));
    assert_eq!(refuse(&over), (MAX_BYTES, Rule::TooLarge { bytes: MAX_BYTES + 1 }));
}
