//! Evidence that stays valid however often one looks: e-processes on pass/fail pairs and asymptotic confidence sequences.
//!
//! Owns the arithmetic of one look; which looks are taken, and what stops a run, the plan says. An e-value of `1/alpha` or more
//! rejects at level alpha at any stopping time (Ville's inequality). Sources: Ramdas, Grünwald, Vovk, Shafer 2023 for e-processes;
//! Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2024, theorem 2.2 and its appendix, for the confidence sequence.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _};

use crate::math::Rational;
use crate::math::exact::nearest_f64;
use crate::math::product::product;

/// Most discordant pairs whose e-value is computed exactly.
pub const MOST_PAIRS: u64 = 20_000;

/// Why there is no evidence to state.
#[derive(Clone, Debug, PartialEq)]
pub enum AnytimeError {
    /// More than [`MOST_PAIRS`] discordant pairs.
    TooManyPairs(u128),
    /// The difference at this position, counted from 0, is not between -1 and 1.
    OutOfBounds {
        /// The position.
        at: usize,
        /// The value there.
        value: f64,
    },
    /// A bet must lie strictly between -1 and 1 and must not be zero.
    BadBet(f64),
    /// There are fewer bets than differences; a bet must be fixed before its difference is seen.
    TooFewBets {
        /// Bets given.
        bets: usize,
        /// Differences given.
        differences: usize,
    },
    /// The level of a confidence sequence or test must lie strictly between 0 and 1.
    BadAlpha(f64),
    /// The tuning parameter `rho^2` must be a finite number above zero.
    BadTuning(f64),
    /// A standard deviation needs two values, and this many were seen; or it is negative or no finite number.
    BadSpread {
        /// Values seen.
        n: u64,
        /// Their standard deviation.
        sd: f64,
    },
}

impl fmt::Display for AnytimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPairs(pairs) => write!(
                f,
                "{pairs} discordant pairs exceed the {MOST_PAIRS} whose e-value is computed exactly; use a confidence sequence"
            ),
            Self::OutOfBounds { at, value } => write!(
                f,
                "difference number {} is {value}, and a bet is safe only on differences between -1 and 1; divide all by a bound \
                 known before the data",
                at + 1
            ),
            Self::BadBet(bet) => write!(
                f,
                "the bet {bet} must lie strictly between -1 and 1 and not be zero: at 1 a single loss ends all evidence, at 0 none \
                 is gathered"
            ),
            Self::TooFewBets { bets, differences } => write!(
                f,
                "there are {bets} bets for {differences} differences; each bet must be fixed before its difference is seen"
            ),
            Self::BadAlpha(alpha) => {
                write!(f, "the level {alpha} must lie strictly between 0 and 1; write 0.05 for 5%")
            }
            Self::BadTuning(rho2) => write!(
                f,
                "rho^2 = {rho2} must be a finite number above zero; take the one that is tightest at the planned size"
            ),
            Self::BadSpread { n, sd } => {
                write!(
                    f,
                    "a standard deviation of {sd} from {n} values gives no interval; at least two values are needed"
                )
            }
        }
    }
}

impl std::error::Error for AnytimeError {}

/// The symmetric beta distribution over which the success probability is mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mixture {
    /// Beta(1/2, 1/2), Jeffreys' prior.
    Jeffreys,
    /// Beta(1, 1), the uniform distribution.
    Uniform,
}

/// An exact e-value.
#[derive(Clone, Debug, PartialEq)]
pub struct EValue {
    /// The exact value.
    pub exact: Rational,
    /// The nearest double; infinite beyond the range of doubles.
    pub e: f64,
}

impl EValue {
    /// Whether the evidence rejects at `alpha`: the exact value is at least `1/alpha`. False for an alpha of zero or less.
    #[must_use]
    pub fn rejects(&self, alpha: &Rational) -> bool {
        alpha.is_positive() && &self.exact * alpha >= Rational::one()
    }
}

/// The two-sided beta-binomial mixture e-value of "among discordant pairs either side is as likely":
/// `B(a + first, a + second) / B(a, a) * 2^(first + second)`, with `a` the shape of the mixture.
///
/// As pairs arrive it is a nonnegative martingale under the null, so it may be looked at after every pair.
pub fn discordant_e(only_first: u64, only_second: u64, mixture: Mixture) -> Result<EValue, AnytimeError> {
    let pairs = u128::from(only_first) + u128::from(only_second);
    if pairs > u128::from(MOST_PAIRS) {
        return Err(AnytimeError::TooManyPairs(pairs));
    }
    // With h = 2a: a rising factorial of a over j steps is (h)(h+2)...(h+2j-2)/2^j and of 2a over n steps h(h+1)...(h+n-1). The
    // powers of two of both numerators cancel against 2^n.
    let h = match mixture {
        Mixture::Jeffreys => 1_u64,
        Mixture::Uniform => 2,
    };
    let half_steps = |j: u64| product(&(0..j).map(|i| h + 2 * i).collect::<Vec<_>>());
    let above = half_steps(only_first) * half_steps(only_second);
    let below = product(&(0..only_first + only_second).map(|i| h + i).collect::<Vec<_>>());
    let exact = Rational::new(BigInt::from(above), BigInt::from(below));
    Ok(EValue { e: nearest_f64(&exact), exact })
}

/// The running e-values `prod (1 + bet_i d_i)` of "no difference has a positive mean" (positive bets) or "a negative one"
/// (negative bets), one for every prefix, for differences between -1 and 1.
///
/// Every bet must have been fixed before its difference was seen; surplus bets are ignored.
pub fn product_e(differences: &[f64], bets: &[f64]) -> Result<Vec<f64>, AnytimeError> {
    if bets.len() < differences.len() {
        return Err(AnytimeError::TooFewBets { bets: bets.len(), differences: differences.len() });
    }
    let mut wealth = 1.0;
    let mut path = Vec::with_capacity(differences.len());
    for (at, (&value, &bet)) in differences.iter().zip(bets).enumerate() {
        if !(-1.0..=1.0).contains(&value) {
            return Err(AnytimeError::OutOfBounds { at, value });
        }
        if !(bet.abs() < 1.0 && bet.abs() > 0.0) {
            return Err(AnytimeError::BadBet(bet));
        }
        wealth *= 1.0 + bet * value;
        path.push(wealth);
    }
    Ok(path)
}

/// The two-sided form: the mean of the wealth of a constant bet `lambda` on either side, one for every prefix.
pub fn product_e_two_sided(differences: &[f64], lambda: f64) -> Result<Vec<f64>, AnytimeError> {
    let up = product_e(differences, &vec![lambda; differences.len()])?;
    let down = product_e(differences, &vec![-lambda; differences.len()])?;
    Ok(up.iter().zip(down).map(|(up, down)| 0.5 * up + 0.5 * down).collect())
}

/// The half-width of the asymptotic confidence sequence after `n` values with standard deviation `sd`:
/// `sd sqrt(2 (n rho^2 + 1) / (n^2 rho^2) log(sqrt(n rho^2 + 1) / alpha))`.
///
/// The mean plus and minus this covers the true mean at all times at once, asymptotically: it uses the estimated standard
/// deviation, so it is not exact for few values.
pub fn sequence_half_width(n: u64, sd: f64, rho2: f64, alpha: f64) -> Result<f64, AnytimeError> {
    checked_alpha(alpha)?;
    if !(rho2 > 0.0 && rho2.is_finite()) {
        return Err(AnytimeError::BadTuning(rho2));
    }
    if n < 2 || !(sd >= 0.0 && sd.is_finite()) {
        return Err(AnytimeError::BadSpread { n, sd });
    }
    let n = real(n);
    let grown = n * rho2 + 1.0;
    // log(sqrt(g)/alpha) as a difference, so that a tiny alpha cannot overflow the quotient.
    let log = 0.5 * libm::log(grown) - libm::log(alpha);
    Ok(sd * (2.0 * grown / (n * n * rho2) * log).sqrt())
}

/// The `rho^2` that makes the sequence tightest near `n` values, by the closed-form approximation
/// `(-2 log alpha + log(1 - 2 log alpha)) / n`. Declare it before the data.
pub fn tuned_rho2(n: u64, alpha: f64) -> Result<f64, AnytimeError> {
    checked_alpha(alpha)?;
    if n == 0 {
        return Err(AnytimeError::BadSpread { n, sd: 0.0 });
    }
    let twice = -2.0 * libm::log(alpha);
    Ok((twice + libm::log1p(twice)) / real(n))
}

fn checked_alpha(alpha: f64) -> Result<(), AnytimeError> {
    if alpha > 0.0 && alpha < 1.0 { Ok(()) } else { Err(AnytimeError::BadAlpha(alpha)) }
}

#[expect(clippy::cast_precision_loss, reason = "beyond 2^53 values the nearest double serves")]
fn real(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ratio(above: i64, below: i64) -> Rational {
        Rational::new(above.into(), below.into())
    }

    #[test]
    fn small_cases_by_hand() {
        // One pair: (1/2)/1 * 2 = 1 for any symmetric mixture. Two alike, uniform: B(3,1)/B(1,1) * 4 = 4/3.
        assert_eq!(discordant_e(1, 0, Mixture::Jeffreys).unwrap().exact, Rational::one());
        assert_eq!(discordant_e(2, 0, Mixture::Uniform).unwrap().exact, ratio(4, 3));
        assert_eq!(discordant_e(2, 0, Mixture::Jeffreys).unwrap().exact, ratio(3, 2));
        let strong = discordant_e(19, 0, Mixture::Uniform).unwrap();
        assert_eq!(strong.exact, ratio(1 << 19, 20));
        assert!(strong.rejects(&ratio(1, 20)) && !strong.rejects(&ratio(0, 1)) && !strong.rejects(&ratio(-1, 2)));
        // Exactly at the threshold: 2^5/6 = 16/3.
        let edge = discordant_e(5, 0, Mixture::Uniform).unwrap();
        assert!(edge.rejects(&ratio(3, 16)) && !edge.rejects(&ratio(29_999, 160_000)));
        assert!(discordant_e(MOST_PAIRS, 0, Mixture::Jeffreys).unwrap().e.is_infinite());
    }

    #[test]
    fn refuses_bad_settings() {
        assert_eq!(discordant_e(MOST_PAIRS, 1, Mixture::Uniform), Err(AnytimeError::TooManyPairs(20_001)));
        assert_eq!(product_e(&[0.5, 1.5], &[0.5, 0.5]), Err(AnytimeError::OutOfBounds { at: 1, value: 1.5 }));
        assert_eq!(product_e(&[0.5], &[1.0]), Err(AnytimeError::BadBet(1.0)));
        assert_eq!(product_e(&[0.5], &[0.0]), Err(AnytimeError::BadBet(0.0)));
        assert_eq!(product_e(&[0.5, 0.5], &[0.5]), Err(AnytimeError::TooFewBets { bets: 1, differences: 2 }));
        assert_eq!(sequence_half_width(10, 0.4, 1.0, 0.0), Err(AnytimeError::BadAlpha(0.0)));
        assert_eq!(sequence_half_width(10, 0.4, 0.0, 0.05), Err(AnytimeError::BadTuning(0.0)));
        assert_eq!(sequence_half_width(1, 0.4, 1.0, 0.05), Err(AnytimeError::BadSpread { n: 1, sd: 0.4 }));
    }

    #[test]
    fn bets_multiply() {
        let path = product_e(&[1.0, -1.0, 0.5], &[0.5, 0.5, 0.2]).unwrap();
        for (got, want) in path.iter().zip([1.5, 0.75, 0.825]) {
            assert!((got - want).abs() < 1e-15);
        }
        let both = product_e_two_sided(&[1.0, 1.0], 0.5).unwrap();
        assert!((both[1] - 1.25).abs() < 1e-15);
    }

    #[test]
    fn tuning_is_nearly_the_best() {
        let width = |rho2| sequence_half_width(200, 1.0, rho2, 0.05).unwrap();
        let tuned = tuned_rho2(200, 0.05).unwrap();
        let best = (1..4_000).map(|i| width(f64::from(i) * 1e-4)).fold(f64::INFINITY, f64::min);
        assert!(width(tuned) <= best * 1.001, "{} {best}", width(tuned));
    }

    proptest! {
        #[test]
        fn the_mixture_is_a_martingale_and_symmetric(b in 0_u64..60, c in 0_u64..60, jeffreys in any::<bool>()) {
            let mixture = if jeffreys { Mixture::Jeffreys } else { Mixture::Uniform };
            let e = |b, c| discordant_e(b, c, mixture).unwrap().exact;
            // Under the null the next pair falls on either side with probability one half.
            prop_assert_eq!(e(b + 1, c) + e(b, c + 1), e(b, c) * Rational::from_integer(2.into()));
            prop_assert_eq!(e(b, c), e(c, b));
        }

        #[test]
        fn wealth_averages_to_one_over_all_sign_vectors(sizes in prop::collection::vec(0.0_f64..1.0, 1..9), bet in 0.05_f64..0.95) {
            let vectors = 1_u32 << sizes.len();
            let total: f64 = (0..vectors)
                .map(|mask| {
                    let d: Vec<f64> = sizes.iter().enumerate().map(|(i, s)| if mask >> i & 1 == 1 { -s } else { *s }).collect();
                    *product_e_two_sided(&d, bet).unwrap().last().unwrap()
                })
                .sum();
            prop_assert!((total / f64::from(vectors) - 1.0).abs() < 1e-12);
        }
    }
}
