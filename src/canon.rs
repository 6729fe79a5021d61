//! The canonical form of a spec: values, their bytes and their digests.
//!
//! Owns `prespec-canon/1`, as `docs/commitment.md` defines it. Pure: no clock, no files, no randomness. Must not parse
//! the language: an old frozen file verifies with this module alone.

pub mod codec;
pub mod digest;
pub mod leaf;
pub mod read;
pub mod study;
pub mod value;
pub mod write;
