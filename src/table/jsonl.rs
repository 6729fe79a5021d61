//! Documents out of JSON lines, one at a time. Blank lines hold no record and are passed over.

use super::json::{Node, parse};
use super::{TableError, without_mark};

/// The lines of a JSONL file with their numbers, from 1; each line is read when it is reached.
pub fn documents(bytes: &[u8]) -> impl Iterator<Item = (u64, Result<Node<'_>, TableError>)> {
    without_mark(bytes).split(|byte| *byte == b'\n').zip(1_u64..).filter_map(|(line, number)| {
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let document = parse(line)
            .map_err(|error| TableError::new(format!("line {number}, byte {}", error.offset), error.what, error.help));
        Some((number, document))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_document() {
        let lines: Vec<_> = documents(b"\xEF\xBB\xBF{\"a\":1}\r\n\r\n{\"a\":}\n[2]").collect();
        assert_eq!(lines.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3, 4]);
        assert!(lines[0].1.is_ok() && lines[2].1.is_ok());
        assert_eq!(lines[1].1.as_ref().unwrap_err().at, "line 3, byte 5");
    }
}
