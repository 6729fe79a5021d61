//! Statistics over plain numbers: resampling, intervals, tests, multiplicity. Knows nothing of specs.

pub mod attainable;
pub mod bootstrap;
pub mod column;
pub mod effective_n;
pub mod equivalence;
pub mod fisher;
pub mod hotelling;
pub mod likelihood;
pub mod moments;
pub mod multiplicity;
pub mod nearest;
pub mod paired;
pub mod parallel;
pub mod permutation;
pub mod picks;
pub mod sides;
pub mod sign;
pub mod undefined;
pub mod wilcoxon;
