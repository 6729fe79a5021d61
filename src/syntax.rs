//! Text to syntax tree and back: grammar, recovery, lowering, formatting. The only module that names pest.

pub mod ast;
