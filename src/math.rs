//! Exact numbers, special functions and the counter-based generator. Pure: numbers in, numbers out.

pub mod exact;
pub mod linear;
pub mod philox;
pub mod product;
pub mod quantile;

/// An exact rational number of unbounded size.
pub type Rational = num_rational::BigRational;

pub mod special;
