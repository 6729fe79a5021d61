//! Hotelling's one-sample test: whether the mean of per-unit contrast vectors is zero in every coordinate.
//!
//! Owns the statistic and its F tail. Units (tasks, say) are independent, the coordinates within one are not, and nothing is
//! assumed of their covariance. It forms no contrasts. Source: Anderson, "An Introduction to Multivariate Statistical Analysis",
//! 3rd edition, section 5.2: `T^2 = n m' S^-1 m`, and `(n - k) T^2 / (k (n - 1))` is F with `k` and `n - k` degrees of freedom.

use std::fmt;

use crate::math::linear::{Cholesky, LinearError};
use crate::math::special::f_sf;

/// Most coordinates of a contrast vector.
pub const MOST_CONTRASTS: usize = 200;

/// A contrast whose variance is this share or less unexplained by those before it is redundant: what is left is rounding.
pub const REDUNDANT_SHARE: f64 = 1e-10;

/// Why the test has no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HotellingError {
    /// No contrasts, or more than [`MOST_CONTRASTS`].
    Contrasts(usize),
    /// The unit at this position, counted from 0, has another number of contrasts than the first.
    UnequalLengths {
        /// The unit.
        unit: usize,
        /// Its contrasts.
        have: usize,
        /// Contrasts of the first unit.
        need: usize,
    },
    /// A value is not a finite number.
    NotFinite {
        /// The unit, counted from 0.
        unit: usize,
        /// The contrast, counted from 0.
        contrast: usize,
    },
    /// The units do not outnumber the contrasts, so the covariance has no inverse.
    TooFewUnits {
        /// Units given.
        units: usize,
        /// Contrasts of each.
        contrasts: usize,
    },
    /// The contrast at this position, counted from 0, is the same in every unit.
    Constant(usize),
    /// The contrast at this position, counted from 0, follows from those before it.
    Redundant(usize),
}

impl fmt::Display for HotellingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contrasts(k) => {
                write!(f, "a contrast vector must have 1 to {MOST_CONTRASTS} coordinates and this has {k}")
            }
            Self::UnequalLengths { unit, have, need } => write!(
                f,
                "unit number {} has {have} contrasts and the first has {need}; this test needs complete cells in every unit",
                unit + 1
            ),
            Self::NotFinite { unit, contrast } => {
                write!(f, "contrast number {} of unit number {} is not a finite number", contrast + 1, unit + 1)
            }
            Self::TooFewUnits { units, contrasts } => write!(
                f,
                "{units} units cannot test {contrasts} contrasts at once: the units must outnumber the contrasts, and do so \
                 well for any power; test fewer contrasts or add tasks"
            ),
            Self::Constant(contrast) => write!(
                f,
                "contrast number {} is the same in every unit, so it has no variance to be judged against; leave it out and \
                 report it as it is",
                contrast + 1
            ),
            Self::Redundant(contrast) => write!(
                f,
                "contrast number {} follows from those before it, so the covariance is singular; leave it out",
                contrast + 1
            ),
        }
    }
}

impl std::error::Error for HotellingError {}

/// The outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Hotelling {
    /// Units.
    pub units: usize,
    /// The mean of every contrast.
    pub means: Vec<f64>,
    /// `T^2`.
    pub t2: f64,
    /// Its F transform.
    pub f: f64,
    /// Degrees of freedom above the line: the number of contrasts.
    pub df1: f64,
    /// Degrees of freedom below the line: units minus contrasts.
    pub df2: f64,
    /// Upper F tail.
    pub p: f64,
}

/// Hotelling's test on `units`, each a vector of the same contrasts. Sums run in the order given.
///
/// With one contrast it is the two-sided paired t. The result does not depend on the basis: any other contrasts that span the
/// same space give the same `T^2`, up to rounding.
pub fn hotelling(units: &[Vec<f64>]) -> Result<Hotelling, HotellingError> {
    let contrasts = units.first().map_or(0, Vec::len);
    checked(units, contrasts)?;
    let n = real(units.len());
    let first = units.first().map_or(&[][..], Vec::as_slice);
    // Centring on the first unit keeps a large common offset from eating the digits of the spread.
    let offsets: Vec<f64> =
        columns(units, contrasts).zip(first).map(|(column, base)| column.map(|x| x - base).sum::<f64>() / n).collect();
    let means: Vec<f64> = offsets.iter().zip(first).map(|(offset, base)| base + offset).collect();
    let centred: Vec<Vec<f64>> = units
        .iter()
        .map(|unit| unit.iter().zip(first).zip(&offsets).map(|((x, base), offset)| (x - base) - offset).collect())
        .collect();
    let covariance: Vec<f64> = (0..contrasts)
        .flat_map(|i| (0..contrasts).map(move |j| (i, j)))
        .map(|(i, j)| column(&centred, i).zip(column(&centred, j)).map(|(x, y)| x * y).sum::<f64>() / (n - 1.0))
        .collect();
    let factor = Cholesky::factor(&covariance, contrasts).map_err(|error| match error {
        LinearError::NotPositiveDefinite { row } => HotellingError::Redundant(row),
        LinearError::NotFinite { column, .. } => HotellingError::NotFinite { unit: 0, contrast: column },
        LinearError::Rows(_) | LinearError::Length { .. } => HotellingError::Contrasts(contrasts),
    })?;
    for (contrast, row) in factor.lower().iter().enumerate() {
        let whole: f64 = row.iter().map(|x| x * x).sum();
        if row.last().is_none_or(|left| left * left <= REDUNDANT_SHARE * whole) {
            return Err(HotellingError::Redundant(contrast));
        }
    }
    let form = factor.inverse_form(&means).map_err(|_| HotellingError::NotFinite { unit: 0, contrast: 0 })?;
    let (t2, df1) = (n * form, real(contrasts));
    let df2 = n - df1;
    let f = df2 * t2 / (df1 * (n - 1.0));
    Ok(Hotelling { units: units.len(), means, t2, f, df1, df2, p: f_sf(f, df1, df2) })
}

fn checked(units: &[Vec<f64>], contrasts: usize) -> Result<(), HotellingError> {
    if contrasts == 0 || contrasts > MOST_CONTRASTS {
        return Err(HotellingError::Contrasts(contrasts));
    }
    for (unit, values) in units.iter().enumerate() {
        if values.len() != contrasts {
            return Err(HotellingError::UnequalLengths { unit, have: values.len(), need: contrasts });
        }
        if let Some(contrast) = values.iter().position(|x| !x.is_finite()) {
            return Err(HotellingError::NotFinite { unit, contrast });
        }
    }
    if units.len() <= contrasts {
        return Err(HotellingError::TooFewUnits { units: units.len(), contrasts });
    }
    let constant = columns(units, contrasts).position(|mut column| {
        let first = column.next();
        column.all(|x| Some(x) == first)
    });
    constant.map_or(Ok(()), |contrast| Err(HotellingError::Constant(contrast)))
}

fn columns(units: &[Vec<f64>], contrasts: usize) -> impl Iterator<Item = impl Iterator<Item = f64>> {
    (0..contrasts).map(|at| column(units, at))
}

fn column(units: &[Vec<f64>], at: usize) -> impl Iterator<Item = f64> {
    units.iter().filter_map(move |unit| unit.get(at).copied())
}

#[expect(clippy::cast_precision_loss, reason = "a slice never holds 2^53 units")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::paired::PairedSample;
    use crate::stats::sides::Sides;

    #[test]
    fn refuses_singular_input() {
        assert_eq!(hotelling(&[]), Err(HotellingError::Contrasts(0)));
        let few = vec![vec![1.0, 2.0], vec![2.0, 1.0]];
        assert_eq!(hotelling(&few), Err(HotellingError::TooFewUnits { units: 2, contrasts: 2 }));
        let constant: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i), 0.1]).collect();
        assert_eq!(hotelling(&constant), Err(HotellingError::Constant(1)));
        // Thirds, so that the third contrast equals the difference of the others only up to rounding.
        let redundant: Vec<Vec<f64>> = (0..40)
            .map(|i| (f64::from(i * i % 7) / 3.0, f64::from(i * 5 % 11) / 7.0))
            .map(|(a, b)| vec![a + 1e3, b, a - b])
            .collect();
        assert_eq!(hotelling(&redundant), Err(HotellingError::Redundant(2)));
        let ragged = vec![vec![1.0, 2.0], vec![2.0], vec![0.0, 1.0]];
        assert_eq!(hotelling(&ragged), Err(HotellingError::UnequalLengths { unit: 1, have: 1, need: 2 }));
        let bad = vec![vec![1.0], vec![f64::NAN], vec![0.0]];
        assert_eq!(hotelling(&bad), Err(HotellingError::NotFinite { unit: 1, contrast: 0 }));
    }

    proptest! {
        #[test]
        fn one_contrast_is_the_paired_t(d in prop::collection::vec(-4_i32..5, 3..30)) {
            let d: Vec<f64> = d.into_iter().map(f64::from).collect();
            prop_assume!(d.iter().any(|x| (x - d[0]).abs() > 0.0));
            let paired = PairedSample::from_differences(&d).unwrap();
            let t2 = hotelling(&d.iter().map(|x| vec![*x]).collect::<Vec<_>>()).unwrap();
            prop_assert!((t2.t2 - paired.t() * paired.t()).abs() <= 1e-10 * (1.0 + t2.t2));
            prop_assert!((t2.p - paired.p(Sides::TwoSided)).abs() < 1e-10);
        }

        #[test]
        fn another_basis_gives_the_same_answer(flat in prop::collection::vec(-1.0_f64..1.0, 60)) {
            let units: Vec<Vec<f64>> = flat.chunks_exact(3).map(<[f64]>::to_vec).collect();
            let turned: Vec<Vec<f64>> =
                units.iter().map(|u| vec![2.0 * u[2] - u[0], u[0] + u[1] - u[2], 3.0 * u[1] + u[2]]).collect();
            let (a, b) = (hotelling(&units).unwrap(), hotelling(&turned).unwrap());
            prop_assert!((a.t2 - b.t2).abs() <= 1e-8 * (1.0 + a.t2), "{} {}", a.t2, b.t2);
            prop_assert!(a.p >= 0.0 && a.p <= 1.0);
        }
    }
}
