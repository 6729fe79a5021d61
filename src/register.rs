//! Freezing: the frozen file, its inputs and its chain.
