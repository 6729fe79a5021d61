//! Nodes and weights of Gauss-Hermite quadrature, for any number of nodes up to 101.
//!
//! The roots of each orthonormal Hermite polynomial lie between those of the one before it, which gives every root a
//! bracket; Newton's method finishes within it. Source of the recurrence: DLMF 18.9; of the weights: DLMF 3.5.

/// The most nodes of a rule.
pub const MOST_NODES: usize = 101;

/// One node for integrals of `exp(-z^2) f(z)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// Where `f` is read.
    pub(super) z: f64,
    /// The logarithm of `weight * exp(z^2) / sqrt(pi)`: what a sum over a normal density needs.
    pub(super) log_weight: f64,
}

/// The rule of `count` nodes, ascending; the middle of an odd rule is exactly 0 and the rule is symmetric to the bit.
pub(super) fn nodes(count: usize) -> Vec<Node> {
    let mut roots: Vec<f64> = Vec::new();
    for degree in 1..=count {
        // Non-negative roots only: those of the degree before it, and the bound beyond the largest, are the walls.
        let far = libm::sqrt(2.0 * real(degree) + 1.0);
        let mut walls = if degree % 2 == 0 { vec![0.0] } else { Vec::new() };
        walls.extend(roots.iter().copied().filter(|root| degree % 2 == 0 || *root > 0.0));
        walls.dedup();
        walls.push(far);
        let mut next: Vec<f64> = if degree % 2 == 1 { vec![0.0] } else { Vec::new() };
        next.extend(walls.windows(2).filter_map(|pair| match pair {
            [low, high] => Some(root_between(degree, *low, *high)),
            _ => None,
        }));
        roots = next;
    }
    let positive: Vec<Node> = roots.into_iter().map(|z| Node { z, log_weight: log_weight(count, z) }).collect();
    let negative = positive.iter().rev().filter(|node| node.z > 0.0).map(|node| Node { z: -node.z, ..*node });
    negative.chain(positive.iter().copied()).collect()
}

/// The orthonormal polynomials of this degree and of the one before it, both times `pi^(1/4)`.
fn polynomials(degree: usize, z: f64) -> (f64, f64) {
    let (mut before, mut own) = (0.0, 1.0);
    for step in 1..=degree {
        let next = z * libm::sqrt(2.0 / real(step)) * own - libm::sqrt(real(step - 1) / real(step)) * before;
        (before, own) = (own, next);
    }
    (own, before)
}

fn root_between(degree: usize, mut low: f64, mut high: f64) -> f64 {
    let sign_low = polynomials(degree, low).0 > 0.0;
    let mut z = 0.5 * (low + high);
    for _ in 0..200 {
        let (value, before) = polynomials(degree, z);
        if (value > 0.0) == sign_low {
            low = z;
        } else {
            high = z;
        }
        let newton = z - value / (libm::sqrt(2.0 * real(degree)) * before);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let moved = (next - z).abs();
        z = next;
        if moved <= 1e-15 * z.abs() {
            break;
        }
    }
    z
}

/// The weight is `1 / (count h^2)` with `h` the orthonormal polynomial of one degree less at the node.
fn log_weight(count: usize, z: f64) -> f64 {
    let (_, before) = polynomials(count, z);
    z * z - libm::log(real(count) * before * before)
}

#[expect(clippy::cast_precision_loss, reason = "at most 101")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::{MOST_NODES, nodes};

    #[test]
    fn rules_known_by_hand() {
        let one = nodes(1);
        assert_eq!((one.len(), one[0].z, one[0].log_weight), (1, 0.0, 0.0));
        let two = nodes(2);
        assert!((two[1].z - 0.5_f64.sqrt()).abs() < 1e-15 && (two[1].log_weight - (0.5 - 2.0_f64.ln())).abs() < 1e-14);
        let three = nodes(3);
        assert!((three[2].z - 1.5_f64.sqrt()).abs() < 1e-15 && three[1].z == 0.0);
        assert!((three[1].log_weight - (2.0_f64 / 3.0).ln()).abs() < 1e-14);
    }

    #[test]
    fn every_rule_integrates_polynomials_below_twice_its_size() {
        for count in 1..=MOST_NODES {
            let rule = nodes(count);
            assert_eq!(rule.len(), count);
            assert!(rule.windows(2).all(|pair| pair[0].z < pair[1].z));
            // The moments of a normal variable with variance 1/2: (2m - 1)!! / 2^m.
            let mut moment = 1.0;
            for half in 0..count.min(40) {
                let got: f64 = rule
                    .iter()
                    .map(|n| (n.log_weight - n.z * n.z).exp() * n.z.powi(2 * i32::try_from(half).unwrap()))
                    .sum();
                assert!((got / moment - 1.0).abs() < 2e-12, "{count} nodes, power {}: {got} {moment}", 2 * half);
                moment *= f64::from(u32::try_from(2 * half + 1).unwrap()) / 2.0;
            }
        }
    }
}
