//! A log-likelihood as the maximizer sees it: a value, an exact gradient, and the information (the negative Hessian), exact where
//! it is cheap and by differences of the gradient elsewhere.

/// A log-likelihood at one point.
#[derive(Clone, Debug)]
pub(super) struct Height {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// The negative Hessian, row by row, when the surface has it in closed form and it was asked for.
    pub(super) information: Option<Vec<f64>>,
}

/// A log-likelihood. Points are the coefficients, then the standard deviations of the random intercepts; the value is even in
/// each of these, so zero is an inner point and needs no constraint.
pub(super) trait Surface {
    /// The height at a point; the gradient is exact.
    fn height(&mut self, at: &[f64], information: bool) -> Height;
}

/// The information at a point: the surface's own, or central differences of the exact gradient over steps given for each
/// parameter. Symmetric to the bit.
pub(super) fn information(surface: &mut impl Surface, at: &[f64], steps: &[f64]) -> Vec<f64> {
    if let Some(own) = surface.height(at, true).information {
        return own;
    }
    let size = at.len();
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
    for (place, step) in steps.iter().enumerate() {
        let mut ahead = at.to_vec();
        let mut behind = at.to_vec();
        ahead.iter_mut().skip(place).take(1).for_each(|value| *value += step);
        behind.iter_mut().skip(place).take(1).for_each(|value| *value -= step);
        let wide: f64 = ahead.iter().zip(&behind).skip(place).take(1).map(|(a, b)| a - b).sum();
        let (up, down) = (surface.height(&ahead, false).gradient, surface.height(&behind, false).gradient);
        rows.push(up.iter().zip(&down).map(|(up, down)| (down - up) / wide).collect());
    }
    let entry = |row: usize, column: usize| rows.get(row).and_then(|values| values.get(column)).copied();
    let both = |row, column| 0.5 * (entry(row, column).unwrap_or(f64::NAN) + entry(column, row).unwrap_or(f64::NAN));
    (0..size)
        .flat_map(|row| (0..size).map(move |column| (row, column)))
        .map(|(row, column)| both(row, column))
        .collect()
}

/// A surface along which some parameters do not move: their gradient is zero, and their information stands alone.
pub(super) struct Held<'s, S> {
    pub(super) surface: &'s mut S,
    pub(super) held: Vec<bool>,
}

impl<S: Surface> Surface for Held<'_, S> {
    fn height(&mut self, at: &[f64], information: bool) -> Height {
        let mut height = self.surface.height(at, information);
        // The steps of differenced information do move a held parameter; its own slope there is what they measure.
        let moved = at.iter().zip(&self.held).any(|(value, held)| *held && *value != 0.0);
        for (slope, _) in height.gradient.iter_mut().zip(&self.held).filter(|(_, held)| **held && !moved) {
            *slope = 0.0;
        }
        if let Some(own) = &mut height.information {
            for (row, (line, row_held)) in own.chunks_exact_mut(at.len()).zip(&self.held).enumerate() {
                for (column, (entry, held)) in line.iter_mut().zip(&self.held).enumerate() {
                    if row != column && (*row_held || *held) {
                        *entry = 0.0;
                    }
                }
            }
        }
        height
    }
}
