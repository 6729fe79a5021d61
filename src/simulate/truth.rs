//! The scales on which outcomes vary, and the centre of a scale that gives a declared mean. Pure numbers.

use crate::math::special::normal_pdf;

/// `1 / (1 + exp(-x))`, without overflow.
pub(super) fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

/// The centre on the log-odds scale at which a share with normal deviations of this standard deviation has this mean.
/// `mean` lies strictly between 0 and 1. By bisection on the mean of the logistic-normal distribution.
pub(super) fn centre(mean: f64, sd: f64) -> f64 {
    let (mut low, mut high) = (-60.0 - 8.0 * sd, 60.0 + 8.0 * sd);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if logistic_normal_mean(middle, sd) < mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The mean of `logistic(centre + sd z)` over standard normal z, by the trapezoid rule on [-9, 9], whose error for so smooth an
/// integrand is far below what a simulation can see.
fn logistic_normal_mean(centre: f64, sd: f64) -> f64 {
    if sd <= 0.0 {
        return logistic(centre);
    }
    let (mut sum, mut weights) = (0.0, 0.0);
    for step in 0..=180_i32 {
        let z = f64::from(step - 90) * 0.1;
        let weight = normal_pdf(z);
        sum += weight * logistic(centre + sd * z);
        weights += weight;
    }
    sum / weights
}

/// A Poisson count with this mean from one uniform number, by inversion; the nearest whole normal quantile where the mean is
/// large.
pub(super) fn poisson(mean: f64, uniform: f64) -> f64 {
    if mean > 400.0 {
        let z = crate::math::special::normal_quantile(uniform);
        return libm::round(mean + mean.sqrt() * z).max(0.0);
    }
    let mut probability = libm::exp(-mean);
    let (mut count, mut cumulative) = (0.0, probability);
    while cumulative < uniform && count < 2_000.0 {
        count += 1.0;
        probability *= mean / count;
        cumulative += probability;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{centre, logistic, logistic_normal_mean, poisson};

    #[test]
    fn the_centre_gives_back_the_mean() {
        for mean in [0.01, 0.2, 0.5, 0.62, 0.97] {
            for sd in [0.0, 0.5, 1.8, 4.0] {
                let found = logistic_normal_mean(centre(mean, sd), sd);
                assert!((found - mean).abs() < 1e-12, "{mean} {sd}: {found}");
            }
        }
        assert!((logistic(centre(0.3, 0.0)) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn counts_have_their_mean() {
        for mean in [0.3, 4.0, 60.0, 900.0] {
            let n = 4_000;
            let sum: f64 = (0..n).map(|at| poisson(mean, (f64::from(at) + 0.5) / f64::from(n))).sum();
            assert!((sum / f64::from(n) / mean - 1.0).abs() < 0.01, "{mean}");
        }
    }
}
