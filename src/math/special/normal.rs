//! The standard normal distribution and the complementary error function.

use core::f64::consts::{FRAC_1_SQRT_2, PI};

/// What `FRAC_1_SQRT_2` lacks of 1/sqrt(2): the two together carry about 107 bits.
const FRAC_1_SQRT_2_REST: f64 = -4.833_646_656_726_457e-17;

/// Complementary error function, `2/sqrt(pi) * integral of exp(-t^2) from x to infinity`.
#[must_use]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// Density of the standard normal at `x`.
#[must_use]
pub fn normal_pdf(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt()
}

/// `P(Z > x)` for a standard normal `Z`.
///
/// `x / sqrt(2)` is carried in two pieces: far out, its rounding alone would cost `x^2` units in the last place.
#[must_use]
pub fn normal_sf(x: f64) -> f64 {
    if !x.is_finite() {
        return 0.5 * libm::erfc(x);
    }
    let z = x * FRAC_1_SQRT_2;
    let rest = libm::fma(x, FRAC_1_SQRT_2, -z) + x * FRAC_1_SQRT_2_REST;
    0.5 * libm::erfc(z) - rest * libm::exp(-z * z) / PI.sqrt()
}

/// `P(Z <= x)` for a standard normal `Z`.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    normal_sf(-x)
}

/// The `x` with `P(Z <= x) = p`. Domain `0 <= p <= 1`; the ends give minus and plus infinity.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if (p - 0.5).abs() <= 0.25 {
        central_quantile(p - 0.5)
    } else if p < 0.5 {
        -upper_quantile(p)
    } else {
        upper_quantile(1.0 - p)
    }
}

/// The `x` with `P(Z > x) = p`. Domain `0 <= p <= 1`.
#[must_use]
pub fn normal_isf(p: f64) -> f64 {
    -normal_quantile(p)
}

/// Solves `P(0 < Z < x) = q` for `|q| <= 1/4`; working with the central part keeps the digits of a small `x`.
fn central_quantile(q: f64) -> f64 {
    let mut x = q * (2.0 * PI).sqrt();
    for _ in 0..6 {
        let step = (0.5 * libm::erf(x * FRAC_1_SQRT_2) - q) / normal_pdf(x);
        // Halley: the second derivative of the distribution function is -x times the density.
        x -= step / (1.0 + 0.5 * step * x);
    }
    x
}

/// Solves `P(Z > x) = q` for `0 <= q <= 1/4` by Newton steps on the logarithm, which is concave and nearly quadratic.
fn upper_quantile(q: f64) -> f64 {
    if q <= 0.0 {
        return f64::INFINITY;
    }
    // From above: the tail is at most exp(-x^2/2)/2, so this start never undershoots the root.
    let mut x = (-2.0 * libm::log(2.0 * q)).sqrt();
    let goal = libm::log(q);
    for _ in 0..64 {
        let tail = normal_sf(x);
        if tail <= 0.0 {
            x *= 1.0 - f64::EPSILON;
            continue;
        }
        let ratio = tail / q;
        // Near the root the plain difference has more digits than the difference of two logarithms.
        let excess = if (ratio - 1.0).abs() < 0.1 { libm::log1p((tail - q) / q) } else { libm::log(tail) - goal };
        let step = excess * tail / normal_pdf(x);
        x += step;
        if step.abs() <= 1e-15 * x {
            break;
        }
    }
    x
}
