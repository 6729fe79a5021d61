//! The parametric bootstrap of a likelihood ratio: the law of the statistic under the reduced model, by simulation from its fit.
//!
//! Owns the simulation. Every simulated data set has a Philox stream of its own, `(seed, number of the data set)`: any of them can
//! be drawn again alone, and more of them leave the earlier ones unchanged. Within a stream the standardized effects of the reduced model
//! come first (blocks, intercepts and groups sorted bytewise), then one uniform number for each trial, cell by cell of the full
//! model. A uniform number takes two words, high then low: their 53 leading bits and a half, over 2^53.

use super::blocks::Problem;
use super::fit::{FitError, Options};
use super::formula::Formula;
use super::likelihood_ratio::{RatioError, nested};
use super::logit::Logit;
use super::solve::{Solution, solve};
use super::table::Table;
use crate::math::philox::{Philox, Stream};
use crate::math::special::normal_quantile;
use crate::stats::likelihood::{LikelihoodError, NullPlace, likelihood_ratio};

/// The most simulated data sets.
const MOST_RESAMPLES: u32 = 1 << 20;
/// The most trials of one simulated data set.
const MOST_TRIALS: f64 = 1e8;

/// The likelihood ratio of two nested models with its simulated law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParametricBootstrap {
    /// Twice the difference of the log-likelihoods, not below 0.
    pub statistic: f64,
    /// `(1 + at_least) / (1 + resamples - refused)`: p of the null "the reduced model holds".
    pub p: f64,
    /// Simulated data sets.
    pub resamples: u32,
    /// Those with a statistic at least as large.
    pub at_least: u32,
    /// Those without a fit of both models; left out. At most one in a hundred.
    pub refused: u32,
    /// The standard error that simulation leaves in p.
    pub monte_carlo_error: f64,
}

/// Tests the terms that only the full formula has, random intercepts included, by refitting both models to `resamples` data sets
/// simulated from the fit of the reduced one.
pub fn parametric_bootstrap(
    full: &Formula,
    reduced: &Formula,
    table: &Table,
    options: Options,
    resamples: u32,
    seed: u64,
) -> Result<ParametricBootstrap, RatioError> {
    nested(full, reduced)?;
    if resamples == 0 || resamples > MOST_RESAMPLES {
        return Err(RatioError::Resamples(resamples));
    }
    let large = Problem::build(full, table).map_err(RatioError::Full)?;
    let small = Problem::build(reduced, table).map_err(RatioError::Reduced)?;
    let trials: f64 = large.cells.iter().map(super::blocks::Cell::trials).sum();
    if trials > MOST_TRIALS {
        return Err(RatioError::TooManyTrials(trials));
    }
    let above = solve(&large, options).map_err(RatioError::Full)?;
    let below = solve(&small, options).map_err(RatioError::Reduced)?;
    let statistic = ratio(above.value, below.value).map_err(RatioError::Likelihood)?;
    let simulation = Simulation::new(&large, &small, &below);
    let philox = Philox::from_seed(seed);
    let (mut at_least, mut refused) = (0, 0);
    for number in 0..resamples {
        let (right_large, right_small) = simulation.draw(&mut philox.stream(u64::from(number), 0));
        let refit = |problem: &Problem, right: &[f64]| {
            solve(&problem.with_successes(right), options).map(|solution| solution.value)
        };
        let pair: Result<(f64, f64), FitError> =
            refit(&large, &right_large).and_then(|above| Ok((above, refit(&small, &right_small)?)));
        match pair.map(|(above, below)| ratio(above, below)) {
            Ok(Ok(drawn)) if drawn >= statistic => at_least += 1,
            Ok(Ok(_)) => {}
            Ok(Err(_)) | Err(_) => refused += 1,
        }
    }
    if u64::from(refused) * 100 > u64::from(resamples) {
        return Err(RatioError::TooManyRefused { refused, resamples });
    }
    let kept = f64::from(resamples - refused);
    let p = (1.0 + f64::from(at_least)) / (1.0 + kept);
    Ok(ParametricBootstrap {
        statistic,
        p,
        resamples,
        at_least,
        refused,
        monte_carlo_error: (p * (1.0 - p) / (1.0 + kept)).sqrt(),
    })
}

/// The statistic alone: its law is what is simulated, so neither degrees of freedom nor the place of the null matter.
fn ratio(full: f64, reduced: f64) -> Result<f64, LikelihoodError> {
    likelihood_ratio(full, reduced, 1, NullPlace::Interior).map(|test| test.statistic)
}

/// What every simulated data set starts from.
struct Simulation<'p> {
    large: &'p Problem,
    small: &'p Problem,
    /// For each cell of the full model its cell in the reduced one.
    cells: Vec<usize>,
    /// For each cell of the reduced model the fixed part of its log-odds.
    fixed: Vec<f64>,
    /// For each cell of the reduced model the positions of its effects among all.
    effects: Vec<Vec<usize>>,
    sigmas: Vec<f64>,
}

impl<'p> Simulation<'p> {
    fn new(large: &'p Problem, small: &'p Problem, fit: &Solution) -> Self {
        let mut cells = vec![0; large.cells.len()];
        for (above, below) in large.cell_of_row.iter().zip(&small.cell_of_row) {
            if let (Some(above), Some(below)) = (above, below) {
                cells.iter_mut().skip(*above).take(1).for_each(|cell| *cell = *below);
            }
        }
        let (beta, sigmas) = fit.at.split_at(small.names.len().min(fit.at.len()));
        let mut by_design = Vec::new();
        small.predictors(beta, &mut by_design);
        let fixed = small.cells.iter().filter_map(|cell| by_design.get(cell.design).copied()).collect();
        let mut effects = Vec::with_capacity(small.cells.len());
        for block in &small.blocks {
            let each = small.terms.len();
            let places = small.places_of(block);
            effects.extend((0..block.cells.len()).map(|cell| {
                let own = places.get(cell * each..(cell + 1) * each).unwrap_or_default();
                own.iter().map(|place| block.effects.start + place).collect::<Vec<_>>()
            }));
        }
        Self { large, small, cells, fixed, effects, sigmas: sigmas.to_vec() }
    }

    /// Successes in each cell of the full model and of the reduced one.
    fn draw(&self, stream: &mut Stream) -> (Vec<f64>, Vec<f64>) {
        let effects: Vec<f64> = self
            .small
            .effects
            .iter()
            .map(|effect| self.sigmas.get(effect.term).copied().unwrap_or_default() * normal_quantile(uniform(stream)))
            .collect();
        let mut below = vec![0.0; self.small.cells.len()];
        let mut above = Vec::with_capacity(self.large.cells.len());
        for (cell, small) in self.large.cells.iter().zip(&self.cells) {
            let random =
                self.effects.get(*small).into_iter().flatten().filter_map(|place| effects.get(*place)).sum::<f64>();
            let p = Logit::at(self.fixed.get(*small).copied().unwrap_or_default() + random).p;
            let mut right = 0.0;
            let mut tried = 0.0;
            while tried < cell.trials() {
                right += f64::from(u8::from(uniform(stream) < p));
                tried += 1.0;
            }
            above.push(right);
            below.iter_mut().skip(*small).take(1).for_each(|sum| *sum += right);
        }
        (above, below)
    }
}

/// A number strictly between 0 and 1.
fn uniform(stream: &mut Stream) -> f64 {
    let (high, low) = (u64::from(stream.next_word()), u64::from(stream.next_word()));
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let bits = (((high << 32) | low) >> 11) as f64;
    (bits + 0.5) / 9_007_199_254_740_992.0
}
