//! Statistics over plain numbers: resampling, intervals, tests, multiplicity. Knows nothing of specs.
