//! Which departures from the null a test counts as evidence.

/// The alternative of a test on a difference `first - second`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sides {
    /// Either direction.
    TwoSided,
    /// The difference is above zero.
    Greater,
    /// The difference is below zero.
    Less,
}
