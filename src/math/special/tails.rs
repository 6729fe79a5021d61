//! Student t, chi-square, F and binomial: tails and quantiles, all through the incomplete beta and gamma functions.

use super::beta::{Split, lower, quantile_split, upper};
use super::gamma::{gamma_density_times_x, gamma_p, gamma_q};
use super::root::{Slope, solve_log};

/// `df/(df + t^2)` and its complement.
fn t_split(t: f64, df: f64) -> Split {
    let r = t / df.sqrt() * (t / df.sqrt());
    if r.is_infinite() { Split { x: 0.0, y: 1.0 } } else { Split { x: 1.0 / (1.0 + r), y: r / (1.0 + r) } }
}

/// `P(T > t)` for Student's t with `df > 0` degrees of freedom (not necessarily whole).
///
/// It falls to 0 once `t^2/df` leaves the range of a double, which matters below about 1e-154 and for one degree of freedom only.
#[must_use]
pub fn t_sf(t: f64, df: f64) -> f64 {
    let at = t_split(t, df);
    if t >= 0.0 { 0.5 * lower(0.5 * df, 0.5, at) } else { 0.5 + 0.5 * upper(0.5 * df, 0.5, at) }
}

/// `P(T <= t)` for Student's t with `df > 0` degrees of freedom.
#[must_use]
pub fn t_cdf(t: f64, df: f64) -> f64 {
    t_sf(-t, df)
}

/// The `t` with `P(T <= t) = p`. Domain `0 <= p <= 1`, `df > 0`.
#[must_use]
pub fn t_quantile(p: f64, df: f64) -> f64 {
    let centre = p - 0.5;
    let tail = if centre < 0.0 { p } else { 1.0 - p };
    let at = quantile_split(0.5 * df, 0.5, 2.0 * tail, 2.0 * centre.abs());
    let size = (df * (at.y / at.x)).sqrt();
    if centre < 0.0 { -size } else { size }
}

/// The `t` with `P(T > t) = p`; use it instead of `t_quantile(1 - p)`, which loses the digits of a small `p`.
#[must_use]
pub fn t_isf(p: f64, df: f64) -> f64 {
    -t_quantile(p, df)
}

/// `P(X <= x)` for chi-square with `df > 0`; 0 for negative `x`.
#[must_use]
pub fn chi2_cdf(x: f64, df: f64) -> f64 {
    gamma_p(0.5 * df, 0.5 * at_least_zero(x))
}

/// `P(X > x)` for chi-square with `df > 0`; 1 for negative `x`.
#[must_use]
pub fn chi2_sf(x: f64, df: f64) -> f64 {
    gamma_q(0.5 * df, 0.5 * at_least_zero(x))
}

/// The `x` with `P(X <= x) = p`. Domain `0 <= p <= 1`, `df > 0`.
#[must_use]
pub fn chi2_quantile(p: f64, df: f64) -> f64 {
    chi2_solve(p, 1.0 - p, df)
}

/// The `x` with `P(X > x) = p`. Domain `0 <= p <= 1`, `df > 0`.
#[must_use]
pub fn chi2_isf(p: f64, df: f64) -> f64 {
    chi2_solve(1.0 - p, p, df)
}

fn chi2_solve(p: f64, q: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || !(0.0..=1.0).contains(&q) || df.is_nan() || df <= 0.0 || df.is_infinite() {
        return f64::NAN;
    }
    if p <= 0.0 {
        return 0.0;
    }
    if q <= 0.0 {
        return f64::INFINITY;
    }
    let a = 0.5 * df;
    // The tail beyond a + 2000 + 60 sqrt(a) is below the smallest positive number.
    let high = a + 2000.0 + 60.0 * a.sqrt();
    2.0 * solve_log(f64::MIN_POSITIVE, high, a, |x| {
        let growth = gamma_density_times_x(a, x);
        if p <= 0.5 { Slope::rising(gamma_p(a, x), p, growth) } else { Slope::falling(gamma_q(a, x), q, growth) }
    })
}

fn at_least_zero(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

/// `d1 x/(d1 x + d2)` and its complement.
fn f_split(x: f64, d1: f64, d2: f64) -> Split {
    let r = at_least_zero(x) * d1 / d2;
    if r.is_infinite() { Split { x: 1.0, y: 0.0 } } else { Split { x: r / (1.0 + r), y: 1.0 / (1.0 + r) } }
}

/// `P(X <= x)` for Fisher's F with `d1 > 0` and `d2 > 0` degrees of freedom.
#[must_use]
pub fn f_cdf(x: f64, d1: f64, d2: f64) -> f64 {
    lower(0.5 * d1, 0.5 * d2, f_split(x, d1, d2))
}

/// `P(X > x)` for Fisher's F with `d1 > 0` and `d2 > 0` degrees of freedom.
#[must_use]
pub fn f_sf(x: f64, d1: f64, d2: f64) -> f64 {
    upper(0.5 * d1, 0.5 * d2, f_split(x, d1, d2))
}

/// The `x` with `P(X <= x) = p` for Fisher's F.
#[must_use]
pub fn f_quantile(p: f64, d1: f64, d2: f64) -> f64 {
    let at = quantile_split(0.5 * d1, 0.5 * d2, p, 1.0 - p);
    d2 / d1 * (at.x / at.y)
}

/// The `x` with `P(X > x) = p` for Fisher's F.
#[must_use]
pub fn f_isf(p: f64, d1: f64, d2: f64) -> f64 {
    let at = quantile_split(0.5 * d1, 0.5 * d2, 1.0 - p, p);
    d2 / d1 * (at.x / at.y)
}

/// `P(X <= k)` for a binomial with `n` trials and success probability `p`.
#[must_use]
pub fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        f64::NAN
    } else if k >= n {
        1.0
    } else {
        upper(real(k) + 1.0, real(n - k), Split::of(p))
    }
}

/// `P(X > k)` for a binomial with `n` trials and success probability `p`.
#[must_use]
pub fn binomial_sf(k: u64, n: u64, p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        f64::NAN
    } else if k >= n {
        0.0
    } else {
        lower(real(k) + 1.0, real(n - k), Split::of(p))
    }
}

/// The smallest `k` with `P(X <= k) >= q`; `None` when `q` or `p` is not a probability.
#[must_use]
pub fn binomial_quantile(q: f64, n: u64, p: f64) -> Option<u64> {
    if !(0.0..=1.0).contains(&p) || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if binomial_cdf(middle, n, p) >= q {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

#[expect(clippy::cast_precision_loss, reason = "trial counts stay far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}
