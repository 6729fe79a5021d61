//! Binomial-logit models with random intercepts: whether an effect is there when tasks differ in difficulty.
//!
//! Owns formulas, design matrices, the likelihood by Laplace's method or adaptive quadrature, its maximum, and tests between nested
//! models. Everything is a pure function of numbers: transcendental functions come from `libm`, sums run in the order of sorted
//! units, so neither the order of rows nor the machine changes a bit. Whatever has no answer is refused with a reason.

mod ascent;
mod blocks;
pub mod design;
pub mod fit;
pub mod formula;
pub mod likelihood_ratio;
mod logit;
pub mod parametric;
mod plain;
mod quadrature;
mod refusal;
mod several;
mod single;
mod solve;
mod surface;
pub mod table;

#[cfg(test)]
mod tests;
