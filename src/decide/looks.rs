//! Interim looks: which of the planned looks these results are, and evidence that bears being looked at before the end. Owns the
//! sequential p-value: the smallest level at which the looks so far would have rejected.

use std::collections::BTreeMap;

use super::Refusal;
use crate::plan::Task;
use crate::records::Joined;
use crate::spec::{Looks, Spec, Spend, State, TestMethod};
use crate::stats::spending::{Crossing, Spending, boundaries};

/// The look that is judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Its number, from 1; absent when any number of units may be looked at.
    pub number: Option<usize>,
    /// How many looks are planned, the last one too.
    pub of: usize,
    /// Complete units.
    pub units: u64,
    /// Units at the last look.
    pub maximum: u64,
    /// Shares of all units at the looks up to this one.
    information: Vec<f64>,
    spend: Spend,
}

/// The complete units with their records, where not all are.
pub(super) type Complete = (Vec<Task>, Joined);

/// The look that the results are, with the units that are complete. Refused between looks.
pub(super) fn look(
    spec: &Spec,
    looks: &Looks,
    tasks: &[Task],
    joined: &Joined,
) -> Result<(Look, Option<Complete>), Refusal> {
    let mut complete = vec![true; tasks.len()];
    for (unit, state) in joined.plan.units.iter().zip(&joined.states) {
        // What was cancelled or failed for good has come: it will not come again.
        if *state == State::Missing
            && let Some(slot) = complete.get_mut(unit.task as usize)
        {
            *slot = false;
        }
    }
    let planned = tasks.len() as u64;
    if planned != looks.maximum {
        return Err(Refusal::new(format!(
            "the looks end at {} units and {planned} are planned, so no look is the last; a look that was not declared decides nothing",
            looks.maximum
        )));
    }
    let units = complete.iter().filter(|complete| **complete).count() as u64;
    let at: Vec<u64> = looks.at.iter().copied().chain([looks.maximum]).collect();
    let number = at.iter().position(|look| *look == units);
    let made = |number: Option<usize>, information: Vec<f64>| Look {
        number,
        of: at.len(),
        units,
        maximum: looks.maximum,
        information,
        spend: looks.spend,
    };
    let look = match (looks.spend, number) {
        (Spend::Anytime, _) if units > 0 => made(None, Vec::new()),
        (Spend::OBrienFleming | Spend::Pocock, Some(number)) => {
            let information = at.iter().take(number + 1).map(|units| share(*units, looks.maximum)).collect();
            made(Some(number + 1), information)
        }
        _ => {
            let next = at.iter().find(|look| **look > units).copied().unwrap_or(looks.maximum);
            return Err(Refusal::new(format!(
                "{units} of {} units are complete, which is between two planned looks; a look that was not declared decides nothing. The \
                 next one is at {next} complete units: wait for it, or hold the results of the other units back; runs that will never come are reported with a state such as `cancelled`",
                looks.maximum
            )));
        }
    };
    if units == planned {
        return Ok((look, None));
    }
    let kept: Vec<Task> =
        tasks.iter().zip(&complete).filter(|(_, complete)| **complete).map(|(task, _)| task.clone()).collect();
    let only = joined
        .only(spec, &kept)
        .map_err(|error| Refusal::new(format!("the complete units cannot be judged alone: {error}")))?;
    Ok((look, Some((kept, only))))
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 units")]
fn share(units: u64, of: u64) -> f64 {
    units as f64 / of as f64
}

impl Look {
    /// Whether evidence is made for being looked at at any time.
    pub(super) fn is_anytime(&self) -> bool {
        self.spend == Spend::Anytime
    }

    /// The level that rejects at this look when `alpha` is spent over all looks.
    fn level_here(&self, alpha: f64, crossing: Crossing) -> Result<f64, String> {
        let spending = match self.spend {
            Spend::OBrienFleming => Spending::OBrienFlemingType,
            Spend::Pocock | Spend::Anytime => Spending::PocockType,
        };
        let looks = boundaries(&self.information, alpha, spending, crossing).map_err(|error| error.to_string())?;
        looks.last().map(|look| look.level).ok_or_else(|| "there is no look".to_owned())
    }

    /// The confidence level at which an interval holds over all looks at the declared level.
    pub(super) fn interval_level(&self, level: f64) -> Result<f64, String> {
        if self.is_anytime() {
            return Err("no interval holds at any time".to_owned());
        }
        self.level_here(1.0 - level, Crossing::Both).map(|alpha| 1.0 - alpha)
    }
}

/// Sequential p-values, each worked out once.
#[derive(Default)]
pub(super) struct Sequential {
    known: BTreeMap<(u64, bool), Result<f64, String>>,
}

impl Sequential {
    /// The smallest total level at which a p-value would reject at this look: by bisection, since the level at a look grows
    /// with the total.
    pub fn p(&mut self, look: &Look, method: &TestMethod, p: f64) -> Result<f64, String> {
        let one_sided = matches!(method.sides(), Some(crate::spec::Sides::Greater | crate::spec::Sides::Less))
            || method.is_equivalence();
        let crossing = if one_sided { Crossing::Upper } else { Crossing::Both };
        let most: f64 = if one_sided { 0.5 } else { 0.999 };
        self.known
            .entry((p.to_bits(), one_sided))
            .or_insert_with(|| {
                if p > look.level_here(most, crossing)? {
                    return Ok(1.0);
                }
                let (mut low, mut high) = (0.0_f64, most);
                for _ in 0..44 {
                    let middle = 0.5 * (low + high);
                    if look.level_here(middle, crossing)? >= p {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                Ok(high)
            })
            .clone()
    }
}
