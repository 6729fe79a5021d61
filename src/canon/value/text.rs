//! The strings that can be committed to.
//!
//! Owns the character rules. Must not change a string: what breaks a rule is refused with the character, its code
//! point and what to write instead.

use std::fmt;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A string in Unicode normal form C without controls (but line feed and tab), direction controls, byte order marks,
/// noncharacters and unassigned code points.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(String);

impl Text {
    /// Checks the rules.
    pub fn new(text: impl Into<String>) -> Result<Self, TextError> {
        let text = text.into();
        if let Some((at, character, fault)) =
            text.char_indices().find_map(|(at, c)| character_fault(c).map(|fault| (at, c, fault)))
        {
            return Err(TextError { fault, character, at });
        }
        if is_nfc_quick(text.chars()) != IsNormalized::Yes
            && let Some((at, character, composed)) = first_not_nfc(&text)
        {
            return Err(TextError { fault: TextFault::NotNfc { composed }, character, at });
        }
        Ok(Self(text))
    }

    /// The string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The string, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A string that breaks a rule: which, and by which character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The rule.
    pub fault: TextFault,
    /// The first offending character.
    pub character: char,
    /// Its byte offset in the string.
    pub at: usize,
}

/// A rule for strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// A carriage return.
    CarriageReturn,
    /// A C0 control other than line feed and tab, DEL or a C1 control.
    Control,
    /// A control that changes the direction of text.
    Bidi,
    /// A byte order mark (zero-width no-break space).
    ByteOrderMark,
    /// A code point that will never be a character.
    Noncharacter,
    /// A code point that this version's Unicode tables do not know.
    Unassigned,
    /// Not in normal form C; holds what stands there in normal form C.
    NotNfc {
        /// The composed text from the offending place to where both agree again.
        composed: String,
    },
}

impl TextFault {
    /// Why it matters, one sentence.
    #[must_use]
    pub fn why(&self) -> &'static str {
        match self {
            Self::CarriageReturn => {
                "Line ends change when files move between systems, and the digest would change with them"
            }
            Self::Control => "An invisible character can change a prompt without anyone seeing it",
            Self::Bidi => "It can make a rule read otherwise than it is judged",
            Self::ByteOrderMark => "It is invisible, and some programs drop it",
            Self::Noncharacter => "Programs drop or replace it",
            Self::Unassigned => "Its normal form is not settled until Unicode assigns it",
            Self::NotNfc { .. } => "Two spellings that look alike would have two digests",
        }
    }
}

impl TextError {
    /// What to do, one sentence.
    #[must_use]
    pub fn fix(&self) -> String {
        match &self.fault {
            TextFault::CarriageReturn => "Save the file with line feeds alone".to_owned(),
            TextFault::Control | TextFault::Bidi | TextFault::ByteOrderMark | TextFault::Noncharacter => {
                "Delete the character, or name it in words".to_owned()
            }
            TextFault::Unassigned => {
                "Delete it, or use a prespec built on a Unicode version that has the character".to_owned()
            }
            TextFault::NotNfc { composed } => format!("Write `{composed}` ({})", code_points(composed)),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = match self.fault {
            TextFault::CarriageReturn => "a carriage return",
            TextFault::Control => "a control character",
            TextFault::Bidi => "a text direction control",
            TextFault::ByteOrderMark => "a byte order mark",
            TextFault::Noncharacter => "a noncharacter",
            TextFault::Unassigned => "an unassigned code point",
            TextFault::NotNfc { .. } => "a character sequence that is not in Unicode normal form C,",
        };
        write!(
            f,
            "the string has {noun} `{}` (U+{:04X}) at byte {}",
            self.character.escape_unicode(),
            u32::from(self.character),
            self.at
        )
    }
}

impl std::error::Error for TextError {}

fn character_fault(c: char) -> Option<TextFault> {
    match c {
        '\n' | '\t' | ' '..='~' => None,
        '\r' => Some(TextFault::CarriageReturn),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some(TextFault::Control),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(TextFault::Bidi)
        }
        '\u{feff}' => Some(TextFault::ByteOrderMark),
        '\u{fdd0}'..='\u{fdef}' => Some(TextFault::Noncharacter),
        c if u32::from(c) & 0xfffe == 0xfffe => Some(TextFault::Noncharacter),
        c if c.general_category() == GeneralCategory::Unassigned => Some(TextFault::Unassigned),
        _ => None,
    }
}

/// The first place where the text differs from its normal form C, the character there and the composed replacement.
fn first_not_nfc(text: &str) -> Option<(usize, char, String)> {
    let composed: String = text.nfc().collect();
    let same = text.chars().zip(composed.chars()).take_while(|(a, b)| a == b).count();
    let rest = |s: &str| s.chars().skip(same).collect::<Vec<char>>();
    let (left, right) = (rest(text), rest(&composed));
    let character = left.first().or(right.first()).copied()?;
    let tail = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let shown: String = right.iter().take(right.len().saturating_sub(tail).clamp(1, 8)).collect();
    let at = text.char_indices().nth(same).map_or(text.len(), |(at, _)| at);
    Some((at, character, shown))
}

fn code_points(text: &str) -> String {
    text.chars().map(|c| format!("U+{:04X}", u32::from(c))).collect::<Vec<_>>().join(" ")
}
