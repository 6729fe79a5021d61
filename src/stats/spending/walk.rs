//! A Brownian motion observed at the looks and stopped where it crosses a boundary: the density of what has not stopped yet.
//!
//! Between looks the density is a convolution with a normal kernel, so it is smooth on the scale of the last and the next step
//! of information. It is kept at Gauss-Legendre nodes on panels of at most that width, which makes the rule accurate to rounding
//! for any spacing of the looks; the kernel is cut where it falls below 1e-19.

use super::Crossing;
use crate::math::special::{normal_isf, normal_pdf, normal_sf};

/// Nodes and weights of the sixteen-point Gauss-Legendre rule on [-1, 1]: the positive half.
const NODES: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_58),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_88),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_894),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_096),
];

/// How many standard deviations of a density or a kernel are kept on each side.
const REACH: f64 = 9.0;

/// A panel is at most this many standard deviations of the narrower neighbouring step wide.
const PANEL: f64 = 1.5;

/// Most kernel evaluations over all looks: a few seconds.
const MOST_STEPS: f64 = 3e8;

struct Node {
    at: f64,
    /// Density times the weight of the rule.
    mass: f64,
}

pub(super) struct Walk {
    information: Vec<f64>,
    crossing: Crossing,
    drift: f64,
    /// The look that comes next.
    look: usize,
    /// What has not stopped before it; empty before the first look.
    nodes: Vec<Node>,
}

impl Walk {
    /// A walk that has not been looked at yet, or nothing when it would take too many steps.
    pub(super) fn new(information: &[f64], crossing: Crossing, drift: f64) -> Option<Self> {
        let walk = Self { information: information.to_vec(), crossing, drift, look: 0, nodes: Vec::new() };
        let mut cost = 0.0;
        for look in 1..information.len() {
            // Exit probabilities are sought by up to some sixty evaluations, each over all nodes.
            cost += walk.most_nodes(look - 1) * (walk.most_nodes(look).min(f64::from(u32::MAX)) + 60.0);
        }
        (cost <= MOST_STEPS).then_some(walk)
    }

    fn share(&self, look: usize) -> f64 {
        self.information.get(look).copied().unwrap_or(1.0)
    }

    /// The standard deviation of the step of information that ends at a look.
    fn step_sd(&self, look: usize) -> f64 {
        let before = look.checked_sub(1).map_or(0.0, |before| self.share(before));
        (self.share(look) - before).sqrt()
    }

    /// How wide panels may be at a look: on the scale of the step before and the step after it.
    fn panel_width(&self, look: usize) -> f64 {
        let next = if look + 1 < self.information.len() { self.step_sd(look + 1) } else { f64::INFINITY };
        PANEL * self.step_sd(look).min(next)
    }

    fn most_nodes(&self, look: usize) -> f64 {
        16.0 * libm::ceil(2.0 * REACH * self.share(look).sqrt() / self.panel_width(look))
    }

    /// The probability of crossing for the first time at the coming look, when it stops at the standardized `bound`.
    pub(super) fn exit(&self, bound: f64) -> f64 {
        let (share, sd) = (self.share(self.look), self.step_sd(self.look));
        let edge = bound * share.sqrt();
        if self.look == 0 {
            let mean = self.drift * share;
            return self.beyond(edge, mean, sd);
        }
        let moved = self.drift * sd * sd;
        self.nodes.iter().map(|node| node.mass * self.beyond(edge, node.at + moved, sd)).sum()
    }

    /// The probability that a normal variable lies beyond the edge, or beyond either of two.
    fn beyond(&self, edge: f64, mean: f64, sd: f64) -> f64 {
        let above = normal_sf((edge - mean) / sd);
        match self.crossing {
            Crossing::Upper => above,
            Crossing::Both => above + normal_sf((edge + mean) / sd),
        }
    }

    /// The standardized bound that is crossed for the first time at the coming look with probability `spend`; infinite when
    /// that is zero.
    pub(super) fn critical(&self, spend: f64) -> f64 {
        if spend <= 0.0 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = match self.crossing {
            Crossing::Upper => (-REACH, 40.0),
            Crossing::Both => (0.0, 40.0),
        };
        if self.exit(high) >= spend {
            return f64::INFINITY;
        }
        // Newton's method on the logarithm of the exit probability, which is nearly a parabola; halving wherever it leaves the
        // bracket. The exit probability falls in the bound.
        let mut bound = normal_isf(spend.min(0.5)).clamp(low, high);
        for _ in 0..80 {
            let (exit, slope) = (self.exit(bound), self.exit_slope(bound));
            if exit > spend {
                low = bound;
            } else {
                high = bound;
            }
            let newton = bound + (libm::log(exit) - libm::log(spend)) * exit / slope;
            let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
            if (next - bound).abs() <= 1e-14 * (1.0 + bound.abs()) {
                return next;
            }
            bound = next;
        }
        bound
    }

    /// How fast the exit probability falls as the standardized bound grows.
    fn exit_slope(&self, bound: f64) -> f64 {
        let (share, sd) = (self.share(self.look), self.step_sd(self.look));
        let edge = bound * share.sqrt();
        let moved = self.drift * sd * sd;
        let at_edge = |mean: f64| match self.crossing {
            Crossing::Upper => normal_pdf((edge - mean) / sd),
            Crossing::Both => normal_pdf((edge - mean) / sd) + normal_pdf((edge + mean) / sd),
        };
        let density: f64 = if self.look == 0 {
            at_edge(moved)
        } else {
            self.nodes.iter().map(|node| node.mass * at_edge(node.at + moved)).sum()
        };
        density * share.sqrt() / sd
    }

    /// Takes the look: keeps the density of what did not cross `bound`.
    pub(super) fn step(&mut self, bound: f64) {
        let (share, sd) = (self.share(self.look), self.step_sd(self.look));
        let (centre, reach) = (self.drift * share, REACH * share.sqrt());
        let edge = bound * share.sqrt();
        let low = match self.crossing {
            Crossing::Upper => centre - reach,
            Crossing::Both => (centre - reach).max(-edge),
        };
        let high = (centre + reach).min(edge);
        let mut nodes = Vec::new();
        if high > low {
            let width = self.panel_width(self.look);
            let panels = libm::ceil((high - low) / width).max(1.0);
            let half = 0.5 * (high - low) / panels;
            let mut middle = low + half;
            let mut panel = 0.0;
            while panel < panels {
                for (offset, weight) in NODES {
                    for at in [middle - half * offset, middle + half * offset] {
                        nodes.push(Node { at, mass: half * weight * self.density(at, sd) });
                    }
                }
                panel += 1.0;
                middle = low + half * (2.0 * panel + 1.0);
            }
            nodes.sort_by(|a, b| a.at.total_cmp(&b.at));
        }
        self.nodes = nodes;
        self.look += 1;
    }

    /// The density at the coming look of what has not stopped before it.
    fn density(&self, at: f64, sd: f64) -> f64 {
        let kernel = |from: f64| normal_pdf((at - from) / sd) / sd;
        if self.look == 0 {
            return kernel(self.drift * sd * sd);
        }
        let from = at - self.drift * sd * sd;
        let first = self.nodes.partition_point(|node| node.at < from - REACH * sd);
        let within = self.nodes.iter().skip(first).take_while(|node| node.at <= from + REACH * sd);
        within.map(|node| node.mass * kernel(node.at + self.drift * sd * sd)).sum()
    }
}
