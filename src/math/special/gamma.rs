//! The gamma function's logarithm and the two regularized incomplete gamma functions.

use core::f64::consts::PI;

/// Natural logarithm of `|gamma(x)|`.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// `log(1 + u) - u` without cancellation, for `u > -1`.
fn log1p_minus(u: f64) -> f64 {
    if !(-0.4..=0.6).contains(&u) {
        return libm::log1p(u) - u;
    }
    // With w = u/(2+u): log(1+u) = 2 atanh(w), and 2w - u = -u w.
    let w = u / (2.0 + u);
    let w2 = w * w;
    let mut power = w2 * w;
    let mut sum = 0.0;
    let mut odd = 3.0;
    while power.abs() > f64::EPSILON * 1e-3 * (u * w).abs() {
        sum += power / odd;
        power *= w2;
        odd += 2.0;
    }
    2.0 * sum - u * w
}

/// The same, where `one_plus_u` carries the digits of `1 + u` that a `u` near -1 has lost.
pub(super) fn log1p_minus_of(one_plus_u: f64, u: f64) -> f64 {
    if u < -0.4 { libm::log(one_plus_u) - u } else { log1p_minus(u) }
}

/// Stirling's error: `ln gamma(z) - [(z - 1/2) ln z - z + ln(2 pi)/2]`, for `z > 0`.
///
/// Taking it apart from the large terms is what keeps relative accuracy when `z` is in the thousands.
pub(super) fn stirling_error(z: f64) -> f64 {
    if z < 10.0 {
        return ln_gamma(z) - (z - 0.5) * libm::log(z) + z - 0.5 * libm::log(2.0 * PI);
    }
    let r = 1.0 / (z * z);
    // Bernoulli-number series; at z = 10 the first term left out is below 3e-17.
    let tail = -691.0 / 360_360.0 + r * (1.0 / 156.0 - r * (3617.0 / 122_400.0));
    let series =
        1.0 / 12.0 + r * (-1.0 / 360.0 + r * (1.0 / 1260.0 + r * (-1.0 / 1680.0 + r * (1.0 / 1188.0 + r * tail))));
    series / z
}

/// `x^a exp(-x) / gamma(a)`, the factor in front of both expansions.
fn front(a: f64, x: f64) -> f64 {
    if a <= 20.0 && (1e-10..=600.0).contains(&x) {
        // Three accurate factors, none of which can leave the range: better than one exponential of a large sum.
        return libm::pow(x, a) * libm::exp(-x) / libm::tgamma(a);
    }
    (a / (2.0 * PI)).sqrt() * libm::exp(a * log1p_minus_of(x / a, (x - a) / a) - stirling_error(a))
}

/// Regularized lower incomplete gamma function `P(a, x)`. Domain `a > 0`, `x >= 0`.
#[must_use]
pub fn gamma_p(a: f64, x: f64) -> f64 {
    if !in_domain(a, x) {
        return f64::NAN;
    }
    if x <= 0.0 {
        0.0
    } else if x < a + 1.0 {
        lower_series(a, x)
    } else {
        1.0 - upper_fraction(a, x)
    }
}

/// Regularized upper incomplete gamma function `Q(a, x) = 1 - P(a, x)`. Domain `a > 0`, `x >= 0`.
#[must_use]
pub fn gamma_q(a: f64, x: f64) -> f64 {
    if !in_domain(a, x) {
        return f64::NAN;
    }
    if x <= 0.0 {
        1.0
    } else if x < a + 1.0 {
        1.0 - lower_series(a, x)
    } else {
        upper_fraction(a, x)
    }
}

/// Density of the gamma distribution with shape `a` and unit rate, times `x`.
pub(super) fn gamma_density_times_x(a: f64, x: f64) -> f64 {
    front(a, x)
}

fn in_domain(a: f64, x: f64) -> bool {
    a > 0.0 && a.is_finite() && x >= 0.0
}

/// Terms of the expansions below: they need about `sqrt(a)` of them, so this serves shapes up to about 1e10; beyond
/// that the answer is NaN rather than an unfinished sum.
const MOST_TERMS: usize = 500_000;

fn lower_series(a: f64, x: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    let mut n = a;
    for _ in 0..MOST_TERMS {
        n += 1.0;
        term *= x / n;
        sum += term;
        if term <= sum * (f64::EPSILON / 8.0) {
            return front(a, x) * sum;
        }
    }
    f64::NAN
}

/// Legendre's continued fraction, evaluated by the modified Lentz recurrence.
#[expect(clippy::many_single_char_names, reason = "the symbols of the usual formula")]
fn upper_fraction(a: f64, x: f64) -> f64 {
    if x.is_infinite() {
        return 0.0;
    }
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut h = d;
    let mut i = 0.0;
    for _ in 0..MOST_TERMS {
        i += 1.0;
        let step = i * (a - i);
        b += 2.0;
        d = step * d + b;
        if d.abs() < tiny {
            d = tiny;
        }
        c = b + step / c;
        if c.abs() < tiny {
            c = tiny;
        }
        d = 1.0 / d;
        let change = c * d;
        h *= change;
        if (change - 1.0).abs() <= 3.0 * f64::EPSILON {
            return front(a, x) * h;
        }
    }
    f64::NAN
}
