//! The smallest effect that the rules detect: how much of a scenario's change is needed for a hypothesis to be supported often
//! enough. Owns the search; the data sets are those of the scenario, so that a larger effect meets the same luck.

use super::{SimulateError, Stage};
use crate::math::exact;
use crate::spec::{Claim, Name, VerdictClass};

/// How much of the assumed change a hypothesis needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Detectable {
    /// The hypothesis.
    pub hypothesis: Name,
    /// The share of data sets in which it is to be supported.
    pub wanted: f64,
    /// The multiple of every change of the scenario; absent when four times the change is not enough, or when no change at all
    /// is enough already.
    pub scale: Option<f64>,
}

/// The power that is asked for where the scenario expects none.
const POWER: f64 = 0.8;
/// The largest multiple of the assumed change that is tried.
const MOST: f64 = 4.0;
/// Halvings of the interval: the multiple is found to within 1/64.
const STEPS: u32 = 8;

pub(super) fn search(stage: &Stage<'_>, progress: &(dyn Fn(u32) + Sync)) -> Result<Vec<Detectable>, SimulateError> {
    let mut found = Vec::new();
    for (at, (name, hypothesis)) in stage.spec.hypotheses.iter().enumerate() {
        if hypothesis.rule.is_none() || hypothesis.role == Claim::Exploratory {
            continue;
        }
        let promised = stage.scenario.expects.iter().find(|expectation| {
            expectation.hypothesis == *name && expectation.class == VerdictClass::Supported && !expectation.at_most
        });
        let wanted = promised.map_or(POWER, |expectation| exact::nearest_f64(&expectation.share.value));
        let enough = |scale: f64| -> Result<Option<bool>, SimulateError> {
            let judged = match stage.run(scale, stage.settings.data_sets, progress) {
                Ok(judged) => judged,
                // A change so large that no record can have its mean is beyond what can be tried.
                Err(_) if scale > 1.0 => return Ok(None),
                Err(error) => return Err(error),
            };
            let verdicts = judged.0.iter().filter_map(|one| one.verdicts.get(at)?.as_ref());
            let supported = verdicts.filter(|(class, _)| *class == VerdictClass::Supported).count();
            let supported = f64::from(u32::try_from(supported).unwrap_or(u32::MAX));
            Ok(Some(supported >= wanted * f64::from(stage.settings.data_sets)))
        };
        let scale = if enough(0.0)? == Some(true) {
            None
        } else {
            let (mut low, mut high) = (0.0, MOST);
            let mut reached = enough(high)? == Some(true);
            for _ in 0..STEPS {
                let middle = 0.5 * (low + high);
                match enough(middle)? {
                    Some(true) => {
                        reached = true;
                        high = middle;
                    }
                    Some(false) => low = middle,
                    None => high = middle,
                }
            }
            reached.then_some(high)
        };
        found.push(Detectable { hypothesis: name.clone(), wanted, scale });
    }
    Ok(found)
}
