//! From syntax tree to checked spec: names, units, rules, design. Reports every independent mistake.

pub mod prover;

pub mod places;

pub mod rules;
