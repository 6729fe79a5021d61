//! The verdict document and its presentations: JSON, terminal, HTML. Owns how a judgment is shown; computes nothing that is not
//! in it.

pub mod document;
