//! Small dense symmetric positive-definite systems by Cholesky's factorization.
//!
//! Owns the factor, solutions, the logarithm of the determinant and the inverse. It is meant for covariance and information
//! matrices of up to about forty rows: no blocking, no pivoting, one fixed order of summation, so the same input gives the same
//! bits everywhere. Source of the algorithm: Golub, Van Loan, "Matrix Computations", 4th edition, section 4.2.

use std::fmt;

/// The most rows a matrix may have: beyond it, one of these factorizations is no longer a small matter.
pub const MOST_ROWS: usize = 1_024;

/// Why a system has no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearError {
    /// The matrix has no rows, or more than [`MOST_ROWS`].
    Rows(usize),
    /// A list does not have the length that the number of rows asks for.
    Length {
        /// Numbers given.
        have: usize,
        /// Numbers needed.
        need: usize,
    },
    /// The entry at this place, counted from 0, is not a finite number.
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// What is left of this row, counted from 0, after the rows before it are accounted for is zero up to rounding, or negative.
    NotPositiveDefinite {
        /// The row.
        row: usize,
    },
}

impl fmt::Display for LinearError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Rows(rows) => write!(f, "a matrix must have between 1 and {MOST_ROWS} rows and this one has {rows}"),
            Self::Length { have, need } => write!(f, "{need} numbers are needed here and there are {have}"),
            Self::NotFinite { row, column } => {
                write!(f, "the entry in row {} and column {} is not a finite number", row + 1, column + 1)
            }
            Self::NotPositiveDefinite { row } => write!(
                f,
                "the matrix is not positive definite: row {} is a combination of the rows before it, up to rounding; drop it or \
                 find what makes it redundant",
                row + 1
            ),
        }
    }
}

impl std::error::Error for LinearError {}

/// The lower triangular `L` with `L L' = A`, for a symmetric positive-definite `A`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cholesky {
    /// Row `i` has `i + 1` entries; the last is the diagonal, above zero.
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// Factors the `rows` x `rows` matrix given row by row. Only its lower triangle is read.
    ///
    /// A pivot counts as zero when it is at most `rows * 2^-52` of the diagonal entry it started from: what is left is then
    /// rounding. This holds for any scale of the rows.
    pub fn factor(matrix: &[f64], rows: usize) -> Result<Self, LinearError> {
        if rows == 0 || rows > MOST_ROWS {
            return Err(LinearError::Rows(rows));
        }
        if matrix.len() != rows * rows {
            return Err(LinearError::Length { have: matrix.len(), need: rows * rows });
        }
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(rows);
        for (at, source) in matrix.chunks_exact(rows).enumerate() {
            if let Some(column) = source.iter().take(at + 1).position(|entry| !entry.is_finite()) {
                return Err(LinearError::NotFinite { row: at, column });
            }
            let mut row = Vec::with_capacity(at + 1);
            for (before, entry) in factor.iter().zip(source) {
                // `row` is as long as the columns done so far, which is where this product must stop.
                let rest = entry - dot(&row, before);
                row.push(rest / diagonal(before));
            }
            let own = source.get(at).copied().unwrap_or(f64::NAN);
            let pivot = own - dot(&row, &row);
            if pivot.is_nan() || pivot <= real(rows) * f64::EPSILON * own.abs() || !pivot.is_finite() {
                return Err(LinearError::NotPositiveDefinite { row: at });
            }
            row.push(pivot.sqrt());
            factor.push(row);
        }
        Ok(Self { rows: factor })
    }

    /// How many rows the matrix has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The rows of `L`: row `i` has `i + 1` entries, the last of them on the diagonal.
    #[must_use]
    pub fn lower(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// The `x` with `A x = right`.
    pub fn solve(&self, right: &[f64]) -> Result<Vec<f64>, LinearError> {
        self.forward(right).and_then(|half| self.backward(&half))
    }

    /// The `x` with `L x = right`. Its squared length is `right' A^-1 right`.
    pub fn forward(&self, right: &[f64]) -> Result<Vec<f64>, LinearError> {
        self.fits(right)?;
        let mut solution = Vec::with_capacity(right.len());
        for (row, value) in self.rows.iter().zip(right) {
            let rest = value - dot(&solution, row);
            solution.push(rest / diagonal(row));
        }
        Ok(solution)
    }

    /// The `x` with `L' x = right`.
    pub fn backward(&self, right: &[f64]) -> Result<Vec<f64>, LinearError> {
        self.fits(right)?;
        let mut solution = right.to_vec();
        for (at, row) in self.rows.iter().enumerate().rev() {
            let (earlier, rest) = solution.split_at_mut(at);
            if let Some(own) = rest.first_mut() {
                *own /= diagonal(row);
                earlier.iter_mut().zip(row).for_each(|(value, entry)| *value -= entry * *own);
            }
        }
        Ok(solution)
    }

    /// `right' A^-1 right`, never negative.
    pub fn inverse_form(&self, right: &[f64]) -> Result<f64, LinearError> {
        self.forward(right).map(|half| dot(&half, &half))
    }

    /// The natural logarithm of the determinant of `A`.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.rows.iter().map(|row| libm::log(diagonal(row))).sum::<f64>()
    }

    /// `A^-1`, row by row, symmetric to the last bit.
    #[must_use]
    pub fn inverse(&self) -> Vec<f64> {
        let size = self.size();
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(size);
        for at in 0..size {
            let mut unit = vec![0.0; size];
            unit.iter_mut().skip(at).take(1).for_each(|one| *one = 1.0);
            // A vector of the right length always has a solution.
            let mut column = self.solve(&unit).unwrap_or(unit);
            for (entry, earlier) in column.iter_mut().zip(&columns) {
                *entry = earlier.get(at).copied().unwrap_or(*entry);
            }
            columns.push(column);
        }
        columns.concat()
    }

    fn fits(&self, right: &[f64]) -> Result<(), LinearError> {
        if right.len() != self.size() {
            return Err(LinearError::Length { have: right.len(), need: self.size() });
        }
        match right.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(LinearError::NotFinite { row, column: 0 }),
            None => Ok(()),
        }
    }
}

/// The sum of products over the shorter of the two lists.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

fn diagonal(row: &[f64]) -> f64 {
    row.last().copied().unwrap_or(f64::NAN)
}

#[expect(clippy::cast_precision_loss, reason = "at most a thousand rows")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{Cholesky, LinearError};

    fn near(got: f64, want: f64, tolerance: f64) {
        assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "got {got:e}, want {want:e}");
    }

    #[test]
    fn a_matrix_done_by_hand() {
        // L = [[2], [6, 1], [-8, 5, 3]].
        let matrix = [4.0, 12.0, -16.0, 12.0, 37.0, -43.0, -16.0, -43.0, 98.0];
        let factor = Cholesky::factor(&matrix, 3).unwrap();
        assert_eq!(factor.lower(), [vec![2.0], vec![6.0, 1.0], vec![-8.0, 5.0, 3.0]]);
        near(factor.log_determinant(), libm::log(36.0), 1e-15);
        // numpy 2: linalg.solve of the same with [1, 2, 3].
        for (got, want) in factor.solve(&[1.0, 2.0, 3.0]).unwrap().iter().zip([
            28.583_333_333_333_332,
            -7.666_666_666_666_667,
            1.333_333_333_333_333_3,
        ]) {
            near(*got, want, 1e-13);
        }
        let inverse = factor.inverse();
        for (got, want) in inverse.iter().zip([
            1777.0 / 36.0,
            -122.0 / 9.0,
            19.0 / 9.0,
            -122.0 / 9.0,
            34.0 / 9.0,
            -5.0 / 9.0,
            19.0 / 9.0,
            -5.0 / 9.0,
            1.0 / 9.0,
        ]) {
            near(*got, want, 1e-13);
        }
    }

    #[test]
    fn refuses_what_has_no_factor() {
        assert_eq!(Cholesky::factor(&[], 0), Err(LinearError::Rows(0)));
        assert_eq!(Cholesky::factor(&[1.0; 3], 2), Err(LinearError::Length { have: 3, need: 4 }));
        assert_eq!(Cholesky::factor(&[1.0, 1.0, 1.0, 1.0], 2), Err(LinearError::NotPositiveDefinite { row: 1 }));
        assert_eq!(Cholesky::factor(&[0.0], 1), Err(LinearError::NotPositiveDefinite { row: 0 }));
        assert_eq!(Cholesky::factor(&[-1.0], 1), Err(LinearError::NotPositiveDefinite { row: 0 }));
        assert_eq!(Cholesky::factor(&[1.0, 0.0, f64::NAN, 1.0], 2), Err(LinearError::NotFinite { row: 1, column: 0 }));
        // A third row that is the sum of the other two, in thirds so that rounding leaves a speck.
        let (a, b) = ([1.0 / 3.0, 0.7, 0.1], [0.2, 1.0 / 7.0, 0.9]);
        let rows = [a, b, [a[0] + b[0], a[1] + b[1], a[2] + b[2]]];
        let gram: Vec<f64> = rows.iter().flat_map(|x| rows.map(|y| super::dot(x, &y))).collect();
        assert_eq!(Cholesky::factor(&gram, 3), Err(LinearError::NotPositiveDefinite { row: 2 }));
        let factor = Cholesky::factor(&[2.0], 1).unwrap();
        assert_eq!(factor.solve(&[1.0, 2.0]), Err(LinearError::Length { have: 2, need: 1 }));
        assert_eq!(factor.solve(&[f64::INFINITY]), Err(LinearError::NotFinite { row: 0, column: 0 }));
    }

    proptest::proptest! {
        #[test]
        fn solutions_and_inverses_undo_the_matrix(
            size in 1_usize..40,
            seed in proptest::collection::vec(-1.0_f64..1.0, 1_600),
            right in proptest::collection::vec(-5.0_f64..5.0, 40),
        ) {
            // B B' + I is positive definite with a condition number below about 2,000.
            let b: Vec<&[f64]> = seed.chunks_exact(40).take(size).collect();
            let matrix: Vec<f64> = (0..size)
                .flat_map(|i| (0..size).map(move |j| (i, j)))
                .map(|(i, j)| super::dot(b[i], b[j]) + f64::from(u8::from(i == j)))
                .collect();
            let factor = Cholesky::factor(&matrix, size).unwrap();
            let solution = factor.solve(&right[..size]).unwrap();
            for (row, want) in matrix.chunks_exact(size).zip(&right) {
                proptest::prop_assert!((super::dot(row, &solution) - want).abs() < 1e-10);
            }
            proptest::prop_assert!((factor.inverse_form(&right[..size]).unwrap() - super::dot(&solution, &right)).abs() < 1e-9);
            let inverse = factor.inverse();
            for i in 0..size {
                for j in 0..size {
                    let product: f64 = (0..size).map(|k| matrix[i * size + k] * inverse[k * size + j]).sum();
                    proptest::prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-10);
                    proptest::prop_assert_eq!(inverse[i * size + j].to_bits(), inverse[j * size + i].to_bits());
                }
            }
            let again = Cholesky::factor(&inverse, size).unwrap();
            proptest::prop_assert!((factor.log_determinant() + again.log_determinant()).abs() < 1e-9);
        }
    }
}
