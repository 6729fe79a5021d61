//! Statistics over plain numbers: resampling, intervals, tests, multiplicity. Knows nothing of specs.

pub mod bootstrap;
pub mod column;
pub mod nearest;
pub mod parallel;
pub mod picks;
pub mod undefined;
