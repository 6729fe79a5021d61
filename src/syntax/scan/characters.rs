//! Characters that no spec may hold, wherever they stand: controls, invisible marks, text that is not NFC.

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::super::findings::Findings;
use crate::diagnostic::{Code, Diagnostic};

/// Whether a character is refused everywhere, also inside texts and comments.
pub(in crate::syntax) fn is_refused(character: char) -> bool {
    refusal(character).is_some()
}

/// Why a character is refused.
fn refusal(character: char) -> Option<&'static str> {
    match character {
        '\n' | '\t' | '\r' => None,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}' => {
            Some("it changes the direction of the text, so that people read something else than the machine")
        }
        '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => Some("it is invisible"),
        '\u{2028}' | '\u{2029}' => Some("it breaks lines for some readers and not for others"),
        _ if character.is_control() => Some("it is a control character"),
        _ => None,
    }
}

/// Reports every refused character and every line that is not NFC.
pub(in crate::syntax) fn check(file: u32, source: &str, diagnostics: &mut Findings) {
    if source.is_ascii() && !source.bytes().any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t')) {
        return;
    }
    let mut line_start = 0;
    for line in source.split_inclusive('\n') {
        check_line(file, line_start, line, diagnostics);
        line_start += line.len();
    }
}

fn check_line(file: u32, line_start: usize, line: &str, diagnostics: &mut Findings) {
    for (offset, character) in line.char_indices() {
        let start = line_start + offset;
        let place = super::super::span(file, start, start + character.len_utf8());
        let code_point = format!("U+{:04X}", u32::from(character));
        if character == '\u{FEFF}' && start == 0 {
            diagnostics.push(
                Diagnostic::error(Code::BadCharacter, place, "the file starts with a byte order mark")
                    .note("the same spec with and without the mark would be two different files")
                    .fix("remove it", place, ""),
            );
        } else if character == '\r' && line.get(offset..) != Some("\r\n") {
            diagnostics.push(
                Diagnostic::error(Code::BadCharacter, place, "a carriage return stands alone")
                    .help("end lines with a line feed, alone or after a carriage return")
                    .fix("remove it", place, ""),
            );
        } else if let Some(why) = refusal(character) {
            diagnostics.push(
                Diagnostic::error(Code::BadCharacter, place, format!("the character {code_point} is not allowed"))
                    .note(why)
                    .fix("remove it", place, ""),
            );
        }
    }
    if !is_nfc(line) {
        let text = line.trim_end_matches(['\n', '\r']);
        let composed: String = text.nfc().collect();
        let place = super::super::span(file, line_start, line_start + text.len());
        diagnostics.push(
            Diagnostic::error(Code::BadCharacter, place, "this line is not in Unicode normal form C")
                .note("two spellings of one letter would give two digests for one meaning")
                .fix("compose the letters", place, composed),
        );
    }
}
