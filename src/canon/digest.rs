//! Digests of committed things: leaves, the spec they make up, a frozen file, and the seeds that follow from it.
//!
//! Owns what is hashed, byte for byte. Every digest but [`FreezeId`] and [`ContentId`] (plain SHA-256 of a file, as
//! `sha256sum` gives it) is domain-separated: its type string and the length of every part are inside.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use super::leaf::{Manifest, Salt};
use super::value::{CANON, Value};
use super::write::encode;

#[cfg(test)]
mod tests;

/// The type string inside a leaf digest.
pub const LEAF_TYPE: &str = "prespec-leaf/1";
/// The type string inside a spec digest.
pub const SPEC_TYPE: &str = "prespec-spec/1";
/// The type string inside a seed.
pub const SEED_TYPE: &str = "prespec-seed/1";
/// What every printed digest starts with.
pub const PREFIX: &str = "sha256:";

/// SHA-256 of raw bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The pre-authentication encoding: `type`, then for each part a space, its length in bytes as a decimal, a space and
/// the part. No two lists of parts share an encoding.
#[must_use]
pub fn pae(kind: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut out = kind.as_bytes().to_vec();
    for part in parts {
        out.extend_from_slice(format!(" {} ", part.len()).as_bytes());
        out.extend_from_slice(part);
    }
    out
}

/// SHA-256(PAE("prespec-leaf/1", path, salt, C(value))); the salt is empty or 64 hexadecimal digits.
#[must_use]
pub fn leaf_digest(path: &str, salt: Option<&Salt>, value: &Value) -> LeafDigest {
    let salt = salt.map(Salt::to_hex).unwrap_or_default();
    LeafDigest(sha256(&pae(LEAF_TYPE, &[path.as_bytes(), salt.as_bytes(), &encode(value)])))
}

/// SHA-256(PAE("prespec-spec/1", "prespec-canon/1", lang, C(manifest))).
#[must_use]
pub fn spec_digest(lang: &str, manifest: &Manifest) -> SpecDigest {
    let encoded = encode(&manifest.to_value());
    SpecDigest(sha256(&pae(SPEC_TYPE, &[CANON.as_bytes(), lang.as_bytes(), &encoded])))
}

/// SHA-256 of the frozen file's bytes.
#[must_use]
pub fn freeze_id(file: &[u8]) -> FreezeId {
    FreezeId(sha256(file))
}

/// SHA-256 of an input's bytes.
#[must_use]
pub fn content_id(bytes: &[u8]) -> ContentId {
    ContentId(sha256(bytes))
}

/// SHA-256(PAE("prespec-seed/1", `freeze_id`, entropy, cell, replicate)).
///
/// The freeze id as it prints (`sha256:…`), entropy as 64 hexadecimal digits or empty where none is bound, the cell's
/// text, and the replicate as a decimal. All 32 bytes are seed material.
#[must_use]
pub fn seed(freeze: &FreezeId, entropy: Option<&[u8; 32]>, cell: &str, replicate: u64) -> [u8; 32] {
    let entropy = entropy.map(|bytes| hex(bytes)).unwrap_or_default();
    let (freeze, replicate) = (freeze.to_string(), replicate.to_string());
    sha256(&pae(SEED_TYPE, &[freeze.as_bytes(), entropy.as_bytes(), cell.as_bytes(), replicate.as_bytes()]))
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        for nibble in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(u32::from(nibble), 16));
        }
        out
    })
}

/// Reads exactly 64 lower-case hexadecimal digits.
#[must_use]
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut out = [0_u8; 32];
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    for (slot, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        for byte in pair {
            let nibble = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return None,
            };
            *slot = *slot << 4 | nibble;
        }
    }
    Some(out)
}

/// Why a text is no digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DigestError {
    /// Another prefix than `sha256:`, or none.
    UnknownPrefix {
        /// What stands before the colon, or the whole text if there is no colon (at most 32 characters).
        prefix: String,
    },
    /// Not 64 lower-case hexadecimal digits after the prefix.
    NotHex,
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPrefix { prefix } => write!(
                f,
                "`{}` is no known digest prefix; a digest is written `sha256:` and 64 hexadecimal digits, and another kind needs a newer prespec",
                prefix.escape_debug()
            ),
            Self::NotHex => f.write_str("a digest has 64 of `0-9a-f` after `sha256:`"),
        }
    }
}

impl std::error::Error for DigestError {}

fn parse_digest(text: &str) -> Result<[u8; 32], DigestError> {
    let Some(digits) = text.strip_prefix(PREFIX) else {
        let prefix = text.split_once(':').map_or(text, |(prefix, _)| prefix);
        return Err(DigestError::UnknownPrefix { prefix: prefix.chars().take(32).collect() });
    };
    unhex(digits).ok_or(DigestError::NotHex)
}

macro_rules! digest_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Takes the 32 bytes of a digest.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The 32 bytes.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }

            /// 64 lower-case hexadecimal digits, without the prefix.
            #[must_use]
            pub fn to_hex(&self) -> String {
                hex(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{PREFIX}{}", hex(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), hex(&self.0))
            }
        }

        impl FromStr for $name {
            type Err = DigestError;
            fn from_str(text: &str) -> Result<Self, DigestError> {
                parse_digest(text).map(Self)
            }
        }
    };
}

digest_type! {
    /// Identifies one leaf: its path, its salt and its value.
    LeafDigest
}
digest_type! {
    /// Identifies the meaning of a whole spec, whatever its layout, study name or time.
    SpecDigest
}
digest_type! {
    /// Identifies one frozen file: the SHA-256 of its bytes.
    FreezeId
}
digest_type! {
    /// Identifies an input file: the SHA-256 of its bytes.
    ContentId
}

impl FreezeId {
    /// The first 16 hexadecimal digits, as file names carry them.
    #[must_use]
    pub fn id16(&self) -> String {
        self.0.first_chunk::<8>().map(|head| hex(head)).unwrap_or_default()
    }
}
