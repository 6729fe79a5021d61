//! The planned units: what should have been run, from the frozen spec alone.
