//! Statistics over plain numbers: resampling, intervals, tests, multiplicity. Knows nothing of specs.

pub mod anytime;
pub mod attainable;
pub mod bootstrap;
pub mod closed;
pub mod column;
pub mod discovery;
pub mod effective_n;
pub mod equivalence;
pub mod family_graph;
pub mod fisher;
pub mod hotelling;
pub mod likelihood;
pub mod moments;
pub mod multiplicity;
pub mod nearest;
pub mod paired;
pub mod parallel;
pub mod permutation;
pub mod permutation_within;
pub mod picks;
pub mod sides;
pub mod sign;
pub mod spending;
pub mod trend;
pub mod undefined;
pub mod wilcoxon;
