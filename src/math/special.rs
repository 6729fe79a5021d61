//! Tail probabilities and quantiles of the distributions the tests need: plain numbers in, plain numbers out.
//!
//! Owns the numerics only; it knows nothing of tests, tasks or verdicts. Both tails are always computed directly, so a
//! survival probability of 1e-200 keeps all its digits. Every transcendental goes through `libm`, which is compiled from the
//! same source everywhere, so one input gives the same bits on any machine. Arguments outside a function's domain give NaN
//! (each function says what its domain is); the callers in `stats` turn such inputs into typed errors before they come here.

mod beta;
mod gamma;
mod normal;
mod root;
mod tails;

pub use beta::{beta_cdf, beta_quantile, beta_sf, betainc, betainc_upper};
pub use gamma::{gamma_p, gamma_q, ln_gamma};
pub use normal::{erfc, normal_cdf, normal_isf, normal_pdf, normal_quantile, normal_sf};
pub use tails::{
    binomial_cdf, binomial_quantile, binomial_sf, chi2_cdf, chi2_isf, chi2_quantile, chi2_sf, f_cdf, f_isf, f_quantile,
    f_sf, t_cdf, t_isf, t_quantile, t_sf,
};

#[cfg(test)]
mod tests;
