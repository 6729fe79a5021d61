//! The one writer of canonical bytes: sorted keys, no space, the fewest escapes (a subset of RFC 8785).
//!
//! Owns bytes. Must not use any JSON library: their number and key order change with features that a distant
//! dependency can switch on.

use super::value::Value;

/// The canonical bytes of a value. Cannot fail, since a [`Value`] is valid by construction.
#[must_use]
pub fn encode(value: &Value) -> Vec<u8> {
    let mut out = String::new();
    write(value, &mut out);
    out.into_bytes()
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            out.push('{');
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                string(key.as_str(), out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::String(text) => string(text.as_str(), out),
        Value::Integer(integer) => out.push_str(&integer.get().to_string()),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // The only two controls that a `Text` can hold.
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
}
