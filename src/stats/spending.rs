//! Group-sequential boundaries by alpha spending: how far a statistic must lie out at each planned look.
//!
//! Owns the spending functions and the boundaries; the recursive integration is in `spending/walk.rs`. Statistics at the looks are
//! standard normal under the null, with the covariance of a Brownian motion observed at the given information. Sources: Lan and
//! `DeMets` 1983; Armitage, `McPherson` and Rowe 1969 for the recursion; Hwang, Shih, `DeCani` 1990; Kim and `DeMets` 1987.

use std::fmt;

use crate::math::special::{normal_isf, normal_sf};

mod walk;

/// Most looks of one plan.
pub const MOST_LOOKS: usize = 50;

/// The least information a look must add, as a share of what it then has.
pub const LEAST_STEP: f64 = 1e-4;

/// How much of alpha may be used up at a share of the information.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spending {
    /// O'Brien-Fleming type: `2 (1 - Phi(z(1 - alpha/2) / sqrt(t)))`, hardly anything early.
    OBrienFlemingType,
    /// Pocock type: `alpha log(1 + (e - 1) t)`, nearly even boundaries.
    PocockType,
    /// Kim and `DeMets`: `alpha t^power`, for a power above zero.
    Power(f64),
    /// Hwang, Shih and `DeCani`: `alpha (1 - e^(-gamma t)) / (1 - e^(-gamma))`; gamma of zero spends evenly.
    HwangShihDeCani(f64),
}

/// Which crossings reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Crossing {
    /// Above the boundary only.
    Upper,
    /// On either side, symmetric; each side spends half of alpha by its own copy of the spending function.
    Both,
}

/// One look of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Share of the final information.
    pub information: f64,
    /// Alpha used up to and including this look, over both sides where both count.
    pub spent: f64,
    /// The standardized statistic that rejects; infinite when nothing is spent here.
    pub critical: f64,
    /// The p (one-sided, or two-sided where both sides count) that rejects at this look.
    pub level: f64,
}

/// Why there are no boundaries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpendingError {
    /// No looks, or more than [`MOST_LOOKS`].
    Looks(usize),
    /// Alpha must lie strictly between 0 and 1, and be at most one half for one side.
    BadAlpha(f64),
    /// The information at this look, counted from 0, is no share in (0, 1] or does not grow by [`LEAST_STEP`] of itself.
    BadInformation {
        /// The look.
        look: usize,
        /// Its information.
        information: f64,
    },
    /// The alpha spent up to this look, counted from 0, falls, or is no probability below one.
    BadSpent {
        /// The look.
        look: usize,
        /// Alpha spent.
        spent: f64,
    },
    /// The bound of this look, counted from 0, is no number, or negative where both sides count.
    BadBound {
        /// The look.
        look: usize,
        /// Its bound.
        bound: f64,
    },
    /// The drift is no number between -40 and 40.
    BadDrift(f64),
    /// A list has another length than the list of information shares.
    UnequalLengths {
        /// Looks by their information.
        information: usize,
        /// Entries of the other list.
        other: usize,
    },
    /// The parameter of a spending function is out of range.
    BadParameter(f64),
    /// The spacing of the looks is so uneven that the integration would take more than its allowance of steps.
    TooUneven,
}

impl fmt::Display for SpendingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Looks(looks) => write!(f, "a plan must have 1 to {MOST_LOOKS} looks and this one has {looks}"),
            Self::BadAlpha(alpha) => {
                write!(f, "alpha of {alpha} cannot be spent; give a level above 0 and at most 0.5 for each side")
            }
            Self::BadInformation { look, information } => write!(
                f,
                "look number {} has the information {information}; shares must grow from above 0 to at most 1, each look adding at \
                 least {LEAST_STEP} of what it then has",
                look + 1
            ),
            Self::BadSpent { look, spent } => write!(
                f,
                "by look number {} an alpha of {spent} would be spent; it can only grow from look to look and stays below 1",
                look + 1
            ),
            Self::BadBound { look, bound } => write!(
                f,
                "the bound of look number {} is {bound}; give a number, at least zero where both sides count",
                look + 1
            ),
            Self::BadDrift(drift) => write!(f, "the drift {drift} must lie between -40 and 40 standard errors"),
            Self::UnequalLengths { information, other } => write!(
                f,
                "there are {information} looks by their information and {other} entries beside them; give one for each look"
            ),
            Self::BadParameter(value) => write!(
                f,
                "the spending parameter {value} is out of range: a power must be above 0 and at most 100, a gamma between -40 and 40"
            ),
            Self::TooUneven => f.write_str(
                "the looks are spaced so unevenly that their boundaries would take too long; merge looks that are close together",
            ),
        }
    }
}

impl std::error::Error for SpendingError {}

impl Spending {
    /// Alpha used up at the share `t` of the information, for one side with `alpha`. `t` in [0, 1].
    pub fn spent(self, t: f64, alpha: f64) -> Result<f64, SpendingError> {
        if !(alpha > 0.0 && alpha <= 0.5) {
            return Err(SpendingError::BadAlpha(alpha));
        }
        if !(0.0..=1.0).contains(&t) {
            return Err(SpendingError::BadInformation { look: 0, information: t });
        }
        if t <= 0.0 {
            return Ok(0.0);
        }
        if t >= 1.0 {
            // All forms end at alpha; the formulas would only add rounding.
            return self.checked().map(|()| alpha);
        }
        self.checked()?;
        Ok(match self {
            Self::OBrienFlemingType => 2.0 * normal_sf(normal_isf(0.5 * alpha) / t.sqrt()),
            Self::PocockType => alpha * libm::log1p((core::f64::consts::E - 1.0) * t),
            Self::Power(power) => alpha * libm::pow(t, power),
            Self::HwangShihDeCani(gamma) if gamma.abs() < 1e-12 => alpha * t,
            Self::HwangShihDeCani(gamma) => alpha * (libm::expm1(-gamma * t) / libm::expm1(-gamma)),
        })
    }

    fn checked(self) -> Result<(), SpendingError> {
        match self {
            Self::Power(power) if !(power > 0.0 && power <= 100.0) => Err(SpendingError::BadParameter(power)),
            Self::HwangShihDeCani(gamma) if !(-40.0..=40.0).contains(&gamma) => Err(SpendingError::BadParameter(gamma)),
            Self::OBrienFlemingType | Self::PocockType | Self::Power(_) | Self::HwangShihDeCani(_) => Ok(()),
        }
    }
}

/// The boundaries of looks at growing shares of `information`, spending `alpha` over all of them by `spending`.
///
/// `alpha` is the total level: with [`Crossing::Both`] each side spends half of it. A last look short of full information leaves
/// the rest unspent.
pub fn boundaries(
    information: &[f64],
    alpha: f64,
    spending: Spending,
    crossing: Crossing,
) -> Result<Vec<Look>, SpendingError> {
    let sides = sides(crossing);
    if !(alpha > 0.0 && alpha < 1.0 && alpha <= 0.5 * sides) {
        return Err(SpendingError::BadAlpha(alpha));
    }
    checked(information)?;
    let spent: Result<Vec<f64>, _> =
        information.iter().map(|&t| spending.spent(t, alpha / sides).map(|own| sides * own)).collect();
    boundaries_from_spent(information, &spent?, crossing)
}

/// The boundaries when the cumulated alpha at each look is given, as when the looks came at other information than planned.
///
/// Accurate to about 1e-10 in probability, for any spacing.
pub fn boundaries_from_spent(
    information: &[f64],
    spent: &[f64],
    crossing: Crossing,
) -> Result<Vec<Look>, SpendingError> {
    checked(information)?;
    if spent.len() != information.len() {
        return Err(SpendingError::UnequalLengths { information: information.len(), other: spent.len() });
    }
    let mut before = 0.0;
    for (look, &now) in spent.iter().enumerate() {
        if !(now >= before && now < 1.0) {
            return Err(SpendingError::BadSpent { look, spent: now });
        }
        before = now;
    }
    let mut walk = walk::Walk::new(information, crossing, 0.0).ok_or(SpendingError::TooUneven)?;
    let mut before = 0.0;
    let mut looks = Vec::with_capacity(information.len());
    for (&share, &now) in information.iter().zip(spent) {
        let critical = walk.critical(now - before);
        walk.step(critical);
        looks.push(Look { information: share, spent: now, critical, level: sides(crossing) * normal_sf(critical) });
        before = now;
    }
    Ok(looks)
}

/// The probability of rejecting for the first time at each look, when the statistic at full information has mean `drift`.
///
/// With no drift the sum is the alpha of the boundaries; with the drift of a true effect it is their power.
pub fn exit_probabilities(
    information: &[f64],
    critical: &[f64],
    crossing: Crossing,
    drift: f64,
) -> Result<Vec<f64>, SpendingError> {
    checked(information)?;
    if critical.len() != information.len() {
        return Err(SpendingError::UnequalLengths { information: information.len(), other: critical.len() });
    }
    if !(-40.0..=40.0).contains(&drift) {
        return Err(SpendingError::BadDrift(drift));
    }
    let mut walk = walk::Walk::new(information, crossing, drift).ok_or(SpendingError::TooUneven)?;
    let mut exits = Vec::with_capacity(critical.len());
    for (look, &bound) in critical.iter().enumerate() {
        if bound.is_nan() || (crossing == Crossing::Both && bound < 0.0) {
            return Err(SpendingError::BadBound { look, bound });
        }
        exits.push(walk.exit(bound));
        walk.step(bound);
    }
    Ok(exits)
}

fn sides(crossing: Crossing) -> f64 {
    match crossing {
        Crossing::Upper => 1.0,
        Crossing::Both => 2.0,
    }
}

fn checked(information: &[f64]) -> Result<(), SpendingError> {
    if information.is_empty() || information.len() > MOST_LOOKS {
        return Err(SpendingError::Looks(information.len()));
    }
    let mut before = 0.0;
    for (look, &now) in information.iter().enumerate() {
        if !(now > 0.0 && now <= 1.0 && now - before >= LEAST_STEP * now) {
            return Err(SpendingError::BadInformation { look, information: now });
        }
        before = now;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
