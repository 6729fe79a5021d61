//! The assumed worlds: tasks that differ, arms that do not.

use super::Draws;

pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// The mean of a logistic of a normal with this centre and deviation, by the midpoint of 400 quantiles.
fn mean_rate(centre: f64, sd: f64) -> f64 {
    let nodes = 400;
    let rate = |at: usize| {
        let z = prespec::math::special::normal_quantile((at as f64 + 0.5) / f64::from(nodes));
        logistic(centre + sd * z)
    };
    (0..nodes as usize).map(rate).sum::<f64>() / f64::from(nodes)
}

/// The centre that gives this mean rate, by bisection.
pub fn centre_of(rate: f64, sd: f64) -> f64 {
    let (mut low, mut high) = (-20.0_f64, 20.0_f64);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if mean_rate(middle, sd) < rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Successes of each task under each of `arms` arms with one mean: task by arm.
pub fn alike(draws: &mut Draws, tasks: usize, arms: usize, attempts: u64, task_sd: f64, arm_sd: f64) -> Vec<Vec<u64>> {
    let task = |draws: &mut Draws| {
        let own = 0.3 + task_sd * draws.normal();
        (0..arms)
            .map(|_| {
                let p = logistic(own + if arm_sd > 0.0 { arm_sd * draws.normal() } else { 0.0 });
                draws.successes(attempts, p)
            })
            .collect()
    };
    (0..tasks).map(|_| task(draws)).collect()
}
