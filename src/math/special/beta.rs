//! The regularized incomplete beta function, both tails, and its inverse.

use core::f64::consts::PI;

use super::gamma::{log1p_minus_of, stirling_error};
use super::root::{Slope, solve_log};

/// A beta argument together with its complement, `x + y = 1`, each with its own relative accuracy.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Split {
    pub(super) fn of(x: f64) -> Self {
        Self { x, y: 1.0 - x }
    }

    fn swapped(self) -> Self {
        Self { x: self.y, y: self.x }
    }
}

/// Regularized incomplete beta function `I_x(a, b)`. Domain `a > 0`, `b > 0`, `0 <= x <= 1`.
#[must_use]
pub fn betainc(a: f64, b: f64, x: f64) -> f64 {
    lower(a, b, Split::of(x))
}

/// `1 - I_x(a, b)`, computed directly. Same domain as [`betainc`].
#[must_use]
pub fn betainc_upper(a: f64, b: f64, x: f64) -> f64 {
    upper(a, b, Split::of(x))
}

/// `P(X <= x)` for a beta variable with shapes `a` and `b`; 0 below and 1 above the unit interval.
#[must_use]
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    betainc(a, b, x.clamp(0.0, 1.0))
}

/// `P(X > x)` for a beta variable with shapes `a` and `b`.
#[must_use]
pub fn beta_sf(x: f64, a: f64, b: f64) -> f64 {
    betainc_upper(a, b, x.clamp(0.0, 1.0))
}

/// The `x` with `I_x(a, b) = p`. Domain `0 <= p <= 1`, `a > 0`, `b > 0`.
#[must_use]
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    quantile_split(a, b, p, 1.0 - p).x
}

pub(super) fn lower(a: f64, b: f64, at: Split) -> f64 {
    if !in_domain(a, b, at) {
        return f64::NAN;
    }
    if at.x <= 0.0 {
        0.0
    } else if at.y <= 0.0 {
        1.0
    } else if converges(a, b, at) {
        fraction(a, b, at)
    } else {
        1.0 - fraction(b, a, at.swapped())
    }
}

pub(super) fn upper(a: f64, b: f64, at: Split) -> f64 {
    lower(b, a, at.swapped())
}

fn in_domain(a: f64, b: f64, at: Split) -> bool {
    a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite() && (0.0..=1.0).contains(&at.x)
}

/// Whether the continued fraction in `x` is the fast one: left of (about) the mean.
fn converges(a: f64, b: f64, at: Split) -> bool {
    at.x * (b + 1.0) < at.y * (a + 1.0) || (at.x * (b + 1.0) <= at.y * (a + 1.0) && a <= b)
}

/// `x^a y^b / B(a, b)`: the beta density times `x y`.
///
/// Written around the mean: with n = a+b, u = (n x - a)/a and v = (n y - b)/b the large terms satisfy a u + b v = 0 and
/// cancel on paper instead of in the machine (the deviance form of `DiDonato` and Morris, and of Loader).
pub(super) fn density_times_xy(a: f64, b: f64, at: Split) -> f64 {
    // n x - a = b x - a y, the second form free of the rounding of n.
    let shift = b * at.x - a * at.y;
    let exponent =
        a * log1p_minus_of((a + b) / a * at.x, shift / a) + b * log1p_minus_of((a + b) / b * at.y, -shift / b);
    let stirling = stirling_error(a + b) - stirling_error(a) - stirling_error(b);
    (a / (a + b) * b / (2.0 * PI)).sqrt() * libm::exp(exponent + stirling)
}

/// Terms the fraction may use: it needs about `sqrt(max(a, b))`, so shapes up to about 1e10 are served;
/// beyond that the answer is NaN rather than an unfinished sum.
const MOST_TERMS: usize = 500_000;

/// `I_x(a, b)` by the continued fraction of `DiDonato` and Morris (ACM TOMS 18, 1992, equation 9) with the modified Lentz
/// recurrence. Its terms are written around `a y - b x`, so nothing cancels for `x` close to 1, as in the textbook fraction.
#[expect(clippy::many_single_char_names, reason = "the symbols of the cited formula")]
fn fraction(a: f64, b: f64, at: Split) -> f64 {
    let tiny = 1e-300;
    let guard = |value: f64| if value.abs() < tiny { tiny } else { value };
    let Split { x, y } = at;
    let shift = a * y - b * x;
    let mut h = guard(a * (shift + 1.0) / (a + 1.0));
    let mut c = h;
    let mut d = 0.0;
    let mut n = 0.0;
    for _ in 0..MOST_TERMS {
        n += 1.0;
        let m = a + 2.0 * n;
        let numerator = (a + n - 1.0) / (m - 1.0) * ((a + b + n - 1.0) / (m - 1.0)) * n * (b - n) * x * x;
        let term = n + n * (b - n) * x / (m - 1.0) + (a + n) / (m + 1.0) * (shift + 1.0 + n * (1.0 + y));
        d = 1.0 / guard(term + numerator * d);
        c = guard(term + numerator / c);
        let change = c * d;
        h *= change;
        if (change - 1.0).abs() <= 3.0 * f64::EPSILON {
            return density_times_xy(a, b, at) / h;
        }
    }
    f64::NAN
}

/// Solves `I_x(a, b) = p` where `q = 1 - p` is given with its own accuracy, and returns `x` with its complement.
pub(super) fn quantile_split(a: f64, b: f64, p: f64, q: f64) -> Split {
    let half = Split { x: 0.5, y: 0.5 };
    if !in_domain(a, b, half) || !(0.0..=1.0).contains(&p) || !(0.0..=1.0).contains(&q) {
        return Split { x: f64::NAN, y: f64::NAN };
    }
    if p <= 0.0 {
        return Split { x: 0.0, y: 1.0 };
    }
    if q <= 0.0 {
        return Split { x: 1.0, y: 0.0 };
    }
    // Search whichever of x and y is at most one half: that one's relative accuracy gives both.
    let left = if p <= 0.5 { lower(a, b, half) >= p } else { upper(a, b, half) <= q };
    if left { half_quantile(a, b, p, q) } else { half_quantile(b, a, q, p).swapped() }
}

#[expect(clippy::many_single_char_names, reason = "shapes a and b, argument x, its two tails p and q")]
fn half_quantile(a: f64, b: f64, p: f64, q: f64) -> Split {
    let x = solve_log(f64::MIN_POSITIVE, 0.5, (a / (a + b)).min(0.5), |x| {
        let at = Split::of(x);
        let growth = density_times_xy(a, b, at) / at.y;
        if p <= 0.5 { Slope::rising(lower(a, b, at), p, growth) } else { Slope::falling(upper(a, b, at), q, growth) }
    });
    Split::of(x)
}
