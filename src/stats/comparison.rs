//! What a family of comparisons found: better, worse, equivalent, not separable, or why nothing.
//!
//! Owns the step from p-values to findings. It computes no p-value: difference and equivalence tests come from outside, and so do
//! the level, the family's planned size, the fewest units that may give a finding, the way of adjusting and what takes precedence.
//! Nothing here has a default.
//!
//! For each comparison, in this order: too few units give no verdict; differences that are all the same give no interval; a
//! difference test that passes gives better or worse, an equivalence test that passes gives equivalent, and neither gives not
//! separable. Both can pass, when a difference is real and tiny: the declared precedence decides, and the finding says so.

use std::fmt;

use super::equivalence::Better;
use super::multiplicity::{Adjustment, FamilyError, adjust, adjust_joint};

/// One comparison `first - second` of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Units with a difference.
    pub units: usize,
    /// The estimated difference: above zero when the first has the higher values.
    pub difference: f64,
    /// Whether all unit differences are the same, so that there is no standard deviation.
    pub constant: bool,
    /// p of the null "no difference"; none where the test has no answer.
    pub p_difference: Option<f64>,
    /// p of the null "a difference of at least the margin"; none where the test has no answer or no margin is declared.
    pub p_equivalence: Option<f64>,
}

/// How the p-values of a family are adjusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FamilyAdjustment {
    /// Difference and equivalence tests together ([`adjust_joint`]): the chance of any false claim of either kind is held.
    Joint,
    /// Difference tests and equivalence tests as two families. The chance of any false claim can then be nearly twice the level.
    Separate(Adjustment),
}

/// What a comparison is called when both of its tests pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precedence {
    /// Better or worse, marked as within the margin.
    Difference,
    /// Equivalent, marked as within the margin.
    Equivalence,
}

/// What a family declares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FamilyRules {
    /// Comparisons planned; those without a result count as p = 1.
    pub planned: usize,
    /// The level: an adjusted p of at most this passes.
    pub alpha: f64,
    /// Fewer units than this give no verdict, whatever their p.
    pub fewest_units: usize,
    /// Which values are good.
    pub better: Better,
    /// How p-values are adjusted.
    pub adjustment: FamilyAdjustment,
    /// What takes precedence when both tests pass.
    pub precedence: Precedence,
}

/// What a comparison found about the first against the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finding {
    /// The first is better.
    Better,
    /// The first is worse.
    Worse,
    /// They differ by less than the margin.
    Equivalent,
    /// Neither a difference nor equivalence is shown.
    NotSeparable,
    /// All unit differences are the same, so there is no interval and no t.
    NoInterval,
    /// There are too few units for a verdict.
    NoVerdict,
}

/// A finding and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The finding.
    pub finding: Finding,
    /// Both tests passed: a difference is shown, and it is shown to be smaller than the margin.
    pub within_margin: bool,
    /// The adjusted p of the difference test.
    pub p_difference: f64,
    /// The adjusted p of the equivalence test.
    pub p_equivalence: f64,
}

/// Why a family cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ComparisonError {
    /// The level does not lie strictly between 0 and 1.
    Alpha(f64),
    /// The difference of the comparison at this position is not a finite number although it has units.
    NotFinite(usize),
    /// The p-values cannot be adjusted.
    Family(FamilyError),
}

impl fmt::Display for ComparisonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alpha(alpha) => {
                write!(f, "the level {alpha} of the family must lie strictly between 0 and 1; write 0.05 for 5%")
            }
            Self::NotFinite(at) => write!(
                f,
                "the difference of comparison number {} is not a finite number, so it has no direction; give it no units if it \
                 could not be computed",
                at + 1
            ),
            Self::Family(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ComparisonError {}

impl From<FamilyError> for ComparisonError {
    fn from(error: FamilyError) -> Self {
        Self::Family(error)
    }
}

/// Judges all comparisons of one family, in the order given.
///
/// A comparison without verdict or interval brings no p-value into the adjustment but still counts, with p = 1: the size of the
/// family is the planned one.
pub fn judge(comparisons: &[Comparison], rules: &FamilyRules) -> Result<Vec<Found>, ComparisonError> {
    if !(rules.alpha > 0.0 && rules.alpha < 1.0) {
        return Err(ComparisonError::Alpha(rules.alpha));
    }
    let bad = comparisons.iter().position(|comparison| comparison.units > 0 && !comparison.difference.is_finite());
    if let Some(at) = bad {
        return Err(ComparisonError::NotFinite(at));
    }
    let judged = |comparison: &Comparison| barred(comparison, rules).is_none();
    let p = |of: fn(&Comparison) -> Option<f64>| -> Vec<Option<f64>> {
        comparisons.iter().map(|comparison| of(comparison).filter(|_| judged(comparison))).collect()
    };
    let (difference, equivalence) = (p(|c| c.p_difference), p(|c| c.p_equivalence));
    let (difference, equivalence) = match rules.adjustment {
        FamilyAdjustment::Joint => {
            let joint = adjust_joint(&difference, &equivalence, rules.planned)?;
            (joint.difference, joint.equivalence)
        }
        FamilyAdjustment::Separate(method) => {
            (adjust(method, &difference, rules.planned)?, adjust(method, &equivalence, rules.planned)?)
        }
    };
    let adjusted = difference.into_iter().zip(equivalence);
    let found = |(comparison, (p_difference, p_equivalence)): (&Comparison, (f64, f64))| {
        let (differs, equivalent) = (p_difference <= rules.alpha, p_equivalence <= rules.alpha);
        let direction = direction(comparison.difference, rules.better).filter(|_| differs);
        let (barred, both) = (barred(comparison, rules), direction.is_some() && equivalent);
        let finding = match (direction, equivalent, rules.precedence) {
            (Some(direction), false, _) | (Some(direction), true, Precedence::Difference) => direction,
            (Some(_) | None, true, _) => Finding::Equivalent,
            (None, false, _) => Finding::NotSeparable,
        };
        let within_margin = barred.is_none() && both;
        Found { finding: barred.unwrap_or(finding), within_margin, p_difference, p_equivalence }
    };
    Ok(comparisons.iter().zip(adjusted).map(found).collect())
}

/// Why a comparison gets no finding from its p-values.
fn barred(comparison: &Comparison, rules: &FamilyRules) -> Option<Finding> {
    if comparison.units < rules.fewest_units || comparison.units == 0 {
        Some(Finding::NoVerdict)
    } else {
        comparison.constant.then_some(Finding::NoInterval)
    }
}

/// Better or worse by the sign of the difference; none when it is zero.
fn direction(difference: f64, better: Better) -> Option<Finding> {
    let towards = match better {
        Better::Higher => difference,
        Better::Lower => -difference,
    };
    match towards {
        d if d > 0.0 => Some(Finding::Better),
        d if d < 0.0 => Some(Finding::Worse),
        _ => None,
    }
}

/// The findings `(above, below)` that ranks are made of: `pairs[i]` names the two members of the comparison with finding `i`.
#[must_use]
pub fn above(pairs: &[(usize, usize)], found: &[Found]) -> Vec<(usize, usize)> {
    let ordered = |(&(first, second), found): (&(usize, usize), &Found)| match found.finding {
        Finding::Better => Some((first, second)),
        Finding::Worse => Some((second, first)),
        Finding::Equivalent | Finding::NotSeparable | Finding::NoInterval | Finding::NoVerdict => None,
    };
    pairs.iter().zip(found).filter_map(ordered).collect()
}

#[cfg(test)]
mod tests;
