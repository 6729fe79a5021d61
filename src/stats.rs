//! Statistics over plain numbers: resampling, intervals, tests, multiplicity. Knows nothing of specs.

pub mod attainable;
pub mod bootstrap;
pub mod column;
pub mod multiplicity;
pub mod nearest;
pub mod paired;
pub mod parallel;
pub mod picks;
pub mod sides;
pub mod sign;
pub mod undefined;
