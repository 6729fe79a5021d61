//! A safeguarded Newton search for a quantile, in the logarithm of the argument.

/// How far a tail is from its goal at one point, and how fast that changes, both on a log-log scale.
#[derive(Clone, Copy)]
pub(super) struct Slope {
    /// `log(tail) - log(goal)`, signed so that it rises with the argument.
    excess: f64,
    /// The derivative of `excess` by the logarithm of the argument; at least zero.
    rate: f64,
}

impl Slope {
    /// For a lower tail: `growth` is the density times the argument.
    pub(super) fn rising(tail: f64, goal: f64, growth: f64) -> Self {
        Self { excess: log_ratio(tail, goal), rate: growth / tail }
    }

    /// For an upper tail: `growth` is the density times the argument.
    pub(super) fn falling(tail: f64, goal: f64, growth: f64) -> Self {
        Self { excess: -log_ratio(tail, goal), rate: growth / tail }
    }
}

/// `log(tail/goal)`, keeping the digits of the difference when the two are close.
fn log_ratio(tail: f64, goal: f64) -> f64 {
    let relative = (tail - goal) / goal;
    if relative.abs() < 0.5 { libm::log1p(relative) } else { libm::log(tail) - libm::log(goal) }
}

/// Evaluations allowed: bisection alone, over the whole range of exponents, ends well before.
const MOST_STEPS: usize = 200;

/// The argument in `[low, high]` where the excess is zero, found by Newton steps in `log x` kept inside a shrinking bracket.
pub(super) fn solve_log(low: f64, high: f64, start: f64, mut at: impl FnMut(f64) -> Slope) -> f64 {
    let (mut low, mut high) = (low, high);
    let mut x = start.clamp(low, high);
    for _ in 0..MOST_STEPS {
        let here = at(x);
        if here.excess.is_nan() {
            return f64::NAN;
        }
        if here.excess > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let step = -here.excess / here.rate;
        let newton = x * libm::exp(step);
        let inside = newton >= low && newton <= high;
        let next = if inside { newton } else { low.sqrt() * high.sqrt() };
        let small = inside && step.abs() < 1e-13;
        let settled = small || high / low - 1.0 <= 2.0 * f64::EPSILON;
        x = next;
        if settled {
            break;
        }
    }
    x
}
