//! Planned interim looks: when the results may be judged before all of them came, and how the level is shared out.

/// Planned looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks {
    /// Complete units at each interim look, ascending; empty when any number may be looked at.
    pub at: Vec<u64>,
    /// Units at the last look: all that are planned.
    pub maximum: u64,
    /// How the level is shared out.
    pub spend: Spend,
}

/// How the level is shared out over looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spend {
    /// Lan and `DeMets`, O'Brien-Fleming type: hardly anything early.
    OBrienFleming,
    /// Lan and `DeMets`, Pocock type: nearly even.
    Pocock,
    /// Evidence that stays valid at any time: a beta-binomial mixture over discordant pairs. Any number of looks.
    Anytime,
}

impl Spend {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::OBrienFleming, Self::Pocock, Self::Anytime];

    /// The word in a spec.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::OBrienFleming => "obrien_fleming",
            Self::Pocock => "pocock",
            Self::Anytime => "anytime",
        }
    }
}
