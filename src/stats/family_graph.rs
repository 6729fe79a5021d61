//! Families whose hypotheses are tested in an order, or pass their level on: graphs, fixed sequences and serial gates.
//!
//! Owns the weights and how they move. Weights and transitions are exact fractions and every quotient of a p by a weight is
//! compared exactly, so a graph that is Holm's procedure gives Holm's numbers to the last bit. Source: Bretz, Maurer, Brannath,
//! Posch, "A graphical approach to sequentially rejective multiple test procedures", Statistics in Medicine 28, 2009.

use std::fmt;

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, Zero as _};

use super::multiplicity::{Adjustment, FamilyError, adjust};
use crate::math::Rational;
use crate::math::exact::nearest_f64;

/// Most hypotheses of a graph.
pub const MOST_HYPOTHESES: usize = 60;

/// Why a graph or a sequence cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphError {
    /// No hypotheses, or more than [`MOST_HYPOTHESES`].
    Hypotheses(usize),
    /// A row of transitions, or the list of p-values, has another length than there are hypotheses.
    UnequalLengths {
        /// Hypotheses.
        hypotheses: usize,
        /// Entries found.
        other: usize,
    },
    /// A weight is negative.
    NegativeWeight(usize),
    /// The weights add up to more than one.
    WeightsTooLarge(Rational),
    /// The transition from this hypothesis to that one is negative, or leads back to itself.
    BadTransition {
        /// Where it starts, counted from 0.
        from: usize,
        /// Where it ends, counted from 0.
        to: usize,
    },
    /// The transitions out of this hypothesis add up to more than one.
    TransitionsTooLarge(usize),
    /// A p-value is no probability, or a family has more of them than planned.
    Family(FamilyError),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hypotheses(n) => {
                write!(f, "a graph must have 1 to {MOST_HYPOTHESES} hypotheses and this one has {n}")
            }
            Self::UnequalLengths { hypotheses, other } => write!(
                f,
                "there are {hypotheses} hypotheses and {other} entries beside them; give one for each, marking a test without a \
                 result as undefined"
            ),
            Self::NegativeWeight(at) => write!(f, "the weight of hypothesis number {} is negative", at + 1),
            Self::WeightsTooLarge(sum) => write!(
                f,
                "the weights add up to {sum}, which is more than one: together they would spend more than alpha"
            ),
            Self::BadTransition { from, to } if from == to => {
                write!(f, "hypothesis number {} passes level on to itself; leave that transition at zero", from + 1)
            }
            Self::BadTransition { from, to } => {
                write!(f, "the transition from hypothesis number {} to number {} is negative", from + 1, to + 1)
            }
            Self::TransitionsTooLarge(from) => write!(
                f,
                "the transitions out of hypothesis number {} add up to more than one: it would pass on more level than it has",
                from + 1
            ),
            Self::Family(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for GraphError {}

/// Hypotheses with their shares of alpha, and where a share goes when its hypothesis is rejected.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    weights: Vec<Rational>,
    transitions: Vec<Vec<Rational>>,
}

/// The outcome of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphAdjusted {
    /// Adjusted p-values, in the order given: a hypothesis is rejected at alpha exactly when its value is at most alpha.
    pub adjusted: Vec<f64>,
    /// The order in which hypotheses are taken, counted from 0. Those that no level ever reaches come last.
    pub order: Vec<usize>,
}

impl Graph {
    /// A graph from its weights and, for each hypothesis, the shares it passes on to each when it is rejected.
    ///
    /// Weights are at least zero and sum to at most one, as does every row; no row leads back to itself.
    pub fn new(weights: Vec<Rational>, transitions: Vec<Vec<Rational>>) -> Result<Self, GraphError> {
        let size = weights.len();
        if size == 0 || size > MOST_HYPOTHESES {
            return Err(GraphError::Hypotheses(size));
        }
        if transitions.len() != size {
            return Err(GraphError::UnequalLengths { hypotheses: size, other: transitions.len() });
        }
        if let Some(at) = weights.iter().position(Rational::is_negative) {
            return Err(GraphError::NegativeWeight(at));
        }
        let sum: Rational = weights.iter().sum();
        if sum > Rational::one() {
            return Err(GraphError::WeightsTooLarge(sum));
        }
        for (from, row) in transitions.iter().enumerate() {
            if row.len() != size {
                return Err(GraphError::UnequalLengths { hypotheses: size, other: row.len() });
            }
            let bad = row.iter().enumerate().position(|(to, g)| g.is_negative() || (to == from && !g.is_zero()));
            if let Some(to) = bad {
                return Err(GraphError::BadTransition { from, to });
            }
            if row.iter().sum::<Rational>() > Rational::one() {
                return Err(GraphError::TransitionsTooLarge(from));
            }
        }
        Ok(Self { weights, transitions })
    }

    /// Holm's procedure as a graph: equal weights, passed on evenly.
    pub fn holm(size: usize) -> Result<Self, GraphError> {
        let share = |of: usize| if of == 0 { Rational::zero() } else { Rational::new(BigInt::one(), BigInt::from(of)) };
        let weights = vec![share(size); size];
        let row = |from| (0..size).map(|to| if to == from { Rational::zero() } else { share(size - 1) }).collect();
        // The size is checked before rows of a huge graph are made.
        if size > MOST_HYPOTHESES {
            Err(GraphError::Hypotheses(size))
        } else {
            Self::new(weights, (0..size).map(row).collect())
        }
    }

    /// A fixed sequence as a graph: all of alpha on the first, each passing everything on to the next.
    pub fn fixed_sequence(size: usize) -> Result<Self, GraphError> {
        if size > MOST_HYPOTHESES {
            return Err(GraphError::Hypotheses(size));
        }
        let one_at = |place: usize| {
            (0..size).map(|to| if to == place { Rational::one() } else { Rational::zero() }).collect::<Vec<_>>()
        };
        Self::new(one_at(0), (0..size).map(|from| one_at(from + 1)).collect())
    }

    /// How many hypotheses there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.weights.len()
    }

    /// The adjusted p-values. `None` marks a hypothesis whose test is undefined: it counts as p = 1.
    ///
    /// Repeatedly the hypothesis with the smallest p over weight is taken (the first of several), and its weight passed on.
    pub fn adjust(&self, p: &[Option<f64>]) -> Result<GraphAdjusted, GraphError> {
        let size = self.size();
        if p.len() != size {
            return Err(GraphError::UnequalLengths { hypotheses: size, other: p.len() });
        }
        // Reuses the check of p-values, and counts undefined tests as everywhere else.
        let plain = adjust(Adjustment::Bonferroni, p, size).map_err(GraphError::Family)?;
        let exact: Vec<Rational> =
            p.iter().map(|p| Rational::from_float(p.unwrap_or(1.0)).unwrap_or_else(Rational::one)).collect();
        let mut state =
            State { weights: self.weights.clone(), transitions: self.transitions.clone(), open: vec![true; size] };
        let mut floor = Rational::zero();
        let mut adjusted = vec![1.0; plain.len()];
        let mut order = Vec::with_capacity(size);
        while let Some((at, quotient)) = state.next(&exact) {
            floor = floor.max(quotient).min(Rational::one());
            if let Some(slot) = adjusted.get_mut(at) {
                *slot = nearest_f64(&floor);
            }
            order.push(at);
            state.reject(at);
        }
        order.extend(state.open.iter().enumerate().filter(|(_, open)| **open).map(|(at, _)| at));
        Ok(GraphAdjusted { adjusted, order })
    }
}

struct State {
    weights: Vec<Rational>,
    transitions: Vec<Vec<Rational>>,
    open: Vec<bool>,
}

impl State {
    /// The open hypothesis with the smallest p over weight, if any has weight.
    fn next(&self, p: &[Rational]) -> Option<(usize, Rational)> {
        let rows = self.open.iter().zip(&self.weights).zip(p).enumerate();
        let quotients = rows.filter(|(_, ((open, weight), _))| **open && weight.is_positive());
        quotients.map(|(at, ((_, weight), p))| (at, p / weight)).min_by(|a, b| a.1.cmp(&b.1))
    }

    /// Removes a hypothesis: its weight goes along its transitions, and those that led to it are led past it.
    fn reject(&mut self, gone: usize) {
        let weight = self.weights.get(gone).cloned().unwrap_or_else(Rational::zero);
        let onward = self.transitions.get(gone).cloned().unwrap_or_default();
        if let Some(open) = self.open.get_mut(gone) {
            *open = false;
        }
        for (at, (own, row)) in self.weights.iter_mut().zip(&mut self.transitions).enumerate() {
            if self.open.get(at) != Some(&true) {
                continue;
            }
            let share = |list: &[Rational], to: usize| list.get(to).cloned().unwrap_or_else(Rational::zero);
            *own += &weight * share(&onward, at);
            let into_gone = share(row, gone);
            let kept = Rational::one() - &into_gone * share(&onward, at);
            for (to, entry) in row.iter_mut().enumerate() {
                // A pair that passes everything back and forth has nowhere else to send it.
                *entry = if to == at || self.open.get(to) != Some(&true) || !kept.is_positive() {
                    Rational::zero()
                } else {
                    (&*entry + &into_gone * share(&onward, to)) / &kept
                };
            }
        }
    }
}

/// A fixed sequence: each hypothesis is tested at full alpha once all before it are rejected. The adjusted p is the largest up
/// to there; `None` counts as 1.
pub fn fixed_sequence(p: &[Option<f64>]) -> Result<Vec<f64>, FamilyError> {
    serial_gates(&p.iter().map(|p| vec![*p]).collect::<Vec<_>>())
        .map(|families| families.concat())
        .map_err(|error| whole_sequence(error, p))
}

/// Names the position in the whole sequence rather than in a family of one.
fn whole_sequence(error: FamilyError, p: &[Option<f64>]) -> FamilyError {
    let position = p.iter().position(|p| p.is_some_and(|p| !(0.0..=1.0).contains(&p)));
    match (error, position) {
        (FamilyError::NotAProbability { value, .. }, Some(index)) => FamilyError::NotAProbability { index, value },
        (other, _) => other,
    }
}

/// Serial gates: families are tested in order by Holm, each at full alpha and only once every hypothesis of all families before
/// it is rejected. The adjusted p is the larger of its own Holm value and of all values before its family.
pub fn serial_gates(families: &[Vec<Option<f64>>]) -> Result<Vec<Vec<f64>>, FamilyError> {
    let mut gate = 0.0_f64;
    let mut outcome = Vec::with_capacity(families.len());
    for family in families {
        let own: Vec<f64> =
            adjust(Adjustment::Holm, family, family.len())?.into_iter().map(|value| value.max(gate)).collect();
        gate = own.iter().copied().fold(gate, f64::max);
        outcome.push(own);
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ratio(above: i64, below: i64) -> Rational {
        Rational::new(above.into(), below.into())
    }

    #[test]
    fn refuses_graphs_that_spend_too_much() {
        let zero = || vec![ratio(0, 1); 2];
        let graph = |weights: [Rational; 2], rows: [Vec<Rational>; 2]| Graph::new(weights.to_vec(), rows.to_vec());
        let too_much = graph([ratio(2, 3), ratio(1, 2)], [zero(), zero()]);
        assert_eq!(too_much, Err(GraphError::WeightsTooLarge(ratio(7, 6))));
        assert_eq!(graph([ratio(-1, 3), ratio(1, 2)], [zero(), zero()]), Err(GraphError::NegativeWeight(0)));
        let itself = graph([ratio(1, 2), ratio(1, 2)], [zero(), vec![ratio(0, 1), ratio(1, 2)]]);
        assert_eq!(itself, Err(GraphError::BadTransition { from: 1, to: 1 }));
        let row = graph([ratio(1, 2), ratio(1, 2)], [vec![ratio(0, 1), ratio(3, 2)], zero()]);
        assert_eq!(row, Err(GraphError::TransitionsTooLarge(0)));
        assert_eq!(Graph::holm(0), Err(GraphError::Hypotheses(0)));
        assert_eq!(Graph::fixed_sequence(usize::MAX), Err(GraphError::Hypotheses(usize::MAX)));
        let graph = Graph::holm(2).unwrap();
        assert_eq!(graph.adjust(&[None]), Err(GraphError::UnequalLengths { hypotheses: 2, other: 1 }));
        assert!(matches!(graph.adjust(&[None, Some(1.5)]), Err(GraphError::Family(_))));
    }

    #[test]
    fn what_no_level_reaches_is_never_rejected() {
        let graph = Graph::new(vec![ratio(1, 1), ratio(0, 1)], vec![vec![ratio(0, 1); 2]; 2]).unwrap();
        let outcome = graph.adjust(&[Some(0.01), Some(0.0)]).unwrap();
        assert_eq!((outcome.adjusted, outcome.order), (vec![0.01, 1.0], vec![0, 1]));
    }

    #[test]
    fn gates_open_only_when_all_before_are_rejected() {
        let gates = serial_gates(&[vec![Some(0.01), Some(0.02)], vec![Some(0.001), None], vec![Some(0.0)]]).unwrap();
        assert_eq!(gates, vec![vec![0.02, 0.02], vec![0.02, 1.0], vec![1.0]]);
        let bad = fixed_sequence(&[Some(0.1), Some(2.0)]);
        assert_eq!(bad, Err(FamilyError::NotAProbability { index: 1, value: 2.0 }));
    }

    fn some(p: &[f64]) -> Vec<Option<f64>> {
        p.iter().copied().map(Some).collect()
    }

    proptest! {
        #[test]
        fn holms_graph_is_holm_to_the_last_bit(p in prop::collection::vec(0.0_f64..0.4, 1..9), ties in any::<bool>()) {
            let p: Vec<f64> = if ties { p.iter().map(|p| libm::round(p * 20.0) / 20.0).collect() } else { p };
            let graph = Graph::holm(p.len()).unwrap().adjust(&some(&p)).unwrap().adjusted;
            let holm = adjust(Adjustment::Holm, &some(&p), p.len()).unwrap();
            for (a, b) in graph.iter().zip(&holm) {
                prop_assert_eq!(a.to_bits(), b.to_bits());
            }
        }

        #[test]
        fn a_chain_is_the_fixed_sequence(p in prop::collection::vec(0.0_f64..1.0, 1..9)) {
            let graph = Graph::fixed_sequence(p.len()).unwrap().adjust(&some(&p)).unwrap().adjusted;
            prop_assert_eq!(graph, fixed_sequence(&some(&p)).unwrap());
        }

        /// The shortcut against what it stands for: closed testing with the weighted Bonferroni tests of every subset.
        #[test]
        fn a_graph_is_closed_testing_with_its_weights(
            p in prop::collection::vec(0.0_f64..0.3, 4),
            w in prop::collection::vec(0_i64..5, 4),
            g in prop::collection::vec(0_i64..4, 12),
        ) {
            let whole = w.iter().sum::<i64>().max(1);
            let weights: Vec<Rational> = w.iter().map(|w| ratio(*w, whole)).collect();
            let mut shares = g.iter();
            let rows: Vec<Vec<Rational>> = (0..4)
                .map(|from| {
                    let row: Vec<i64> = (0..4).map(|to| if to == from { 0 } else { *shares.next().unwrap() }).collect();
                    let whole = row.iter().sum::<i64>().max(1);
                    row.iter().map(|g| ratio(*g, whole)).collect()
                })
                .collect();
            let graph = Graph::new(weights.clone(), rows.clone()).unwrap();
            let shortcut = graph.adjust(&some(&p)).unwrap().adjusted;
            for at in 0..4 {
                let mut worst = 0.0_f64;
                for mask in (1_u32..16).filter(|mask| mask >> at & 1 == 1) {
                    let mut state = State { weights: weights.clone(), transitions: rows.clone(), open: vec![true; 4] };
                    (0..4).filter(|k| mask >> k & 1 == 0).for_each(|gone| state.reject(gone));
                    let local = (0..4)
                        .filter(|k| mask >> k & 1 == 1 && state.weights[*k].is_positive())
                        .map(|k| p[k] / nearest_f64(&state.weights[k]))
                        .fold(1.0, f64::min);
                    worst = worst.max(local);
                }
                prop_assert!((shortcut[at] - worst).abs() < 1e-12, "{} {} {:?}", at, worst, shortcut);
            }
        }
    }
}
