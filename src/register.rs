//! Freezing: the frozen file, its inputs and its chain.
//!
//! Owns the file format `prespec-freeze/1` (see `docs/commitment.md`) and the folder it lives in. `file` and `finding`
//! are pure; `store` and `inputs` are the edge that touches files. Must not know the language: what the leaves mean is
//! decided before and after.

pub mod file;
pub mod finding;
pub mod inputs;
pub mod looks;
pub mod store;
