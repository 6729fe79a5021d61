//! Ranks of members by who is reliably above whom, with ties, and the interval each rank is known to lie in.
//!
//! Owns the order that pairwise findings imply. It makes no findings: "a is reliably above b" comes from tests adjusted for all
//! pairs, and everything here inherits their error.
//!
//! Let D(a) be the members a is above. Two members tie when D is the same set, which is an equivalence, so groups are well
//! defined. This looks downward only: members that nobody separates can have different ranks because one of them is above more of
//! the others. The rank interval, from 1 + the number above a to K - |D(a)|, has no such quirk, and holds for all members at once
//! when the findings control the chance of any false one.
//!
//! Source of the interval: Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91, 2024.

use std::fmt;

/// Most members ranked at once; the sets of one comparison then take 2 MB and some billion steps.
pub const MOST_MEMBERS: usize = 4_096;

const WORD: usize = 64;

/// How members whose sets D are not nested are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RankOrder {
    /// Rank 1 + the number of members whose D strictly contains one's own. Members with sets that are not nested do not push each
    /// other down.
    Inclusion,
    /// Rank 1 + the number of members with a larger D.
    Count,
}

/// Why there is no ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankError {
    /// There is nothing to rank.
    NoMembers,
    /// More members than [`MOST_MEMBERS`].
    TooMany(usize),
    /// A finding names a member that does not exist.
    NoSuchMember {
        /// The number named.
        member: usize,
        /// Members there are, counted from 0.
        members: usize,
    },
    /// A finding puts a member above itself.
    AboveItself(usize),
    /// Two findings put each of two members above the other.
    BothWays(usize, usize),
}

impl fmt::Display for RankError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMembers => f.write_str("there is nothing to rank"),
            Self::TooMany(members) => {
                write!(f, "{members} members exceed the {MOST_MEMBERS} that can be ranked; rank within groups")
            }
            Self::NoSuchMember { member, members } => {
                write!(f, "a finding names member {member}, but there are {members}, counted from 0")
            }
            Self::AboveItself(member) => write!(f, "a finding puts member {member} above itself"),
            Self::BothWays(one, other) => write!(
                f,
                "findings put member {one} above member {other} and the other way round; one test of each pair decides, so take \
                 both from the same one"
            ),
        }
    }
}

impl std::error::Error for RankError {}

/// Where one member stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Its rank, from 1.
    pub rank: usize,
    /// The other members with the same set D, in ascending order.
    pub ties: Vec<usize>,
    /// How many members it is reliably above.
    pub above: usize,
    /// How many members are reliably above it.
    pub below: usize,
    /// The best rank it may have, 1 + `below`.
    pub best: usize,
    /// The worst rank it may have, the number of members - `above`.
    pub worst: usize,
}

/// Ranks `members` by the findings `(a, b)`: "a is reliably above b". A finding given twice counts once.
pub fn rank(members: usize, findings: &[(usize, usize)], order: RankOrder) -> Result<Vec<Ranked>, RankError> {
    let sets = Sets::new(members, findings)?;
    let mut above = vec![0_usize; members];
    let mut below = vec![0_usize; members];
    for (count, set) in above.iter_mut().zip(sets.rows()) {
        for member in members_of(set) {
            *count += 1;
            if let Some(slot) = below.get_mut(member) {
                *slot += 1;
            }
        }
    }
    let ranked =
        sets.rows().enumerate().zip(above.iter().zip(&below)).map(|((member, own), (&above_count, &below))| {
            let higher = |(other, &count): (&[u64], &usize)| match order {
                RankOrder::Count => count > above_count,
                RankOrder::Inclusion => {
                    count > above_count && own.iter().zip(other).all(|(own, other)| own & !other == 0)
                }
            };
            let rank = 1 + sets.rows().zip(&above).filter(|pair| higher(*pair)).count();
            let ties = sets.rows().enumerate().filter(|(other, set)| *other != member && *set == own);
            let ties = ties.map(|(other, _)| other).collect();
            Ranked { rank, ties, above: above_count, below, best: 1 + below, worst: members - above_count }
        });
    Ok(ranked.collect())
}

/// For each member the set of those it is above, as bits.
struct Sets {
    stride: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(members: usize, findings: &[(usize, usize)]) -> Result<Self, RankError> {
        match members {
            0 => return Err(RankError::NoMembers),
            1..=MOST_MEMBERS => {}
            _ => return Err(RankError::TooMany(members)),
        }
        let stride = members.div_ceil(WORD);
        let mut sets = Self { stride, bits: vec![0; stride * members] };
        for &(one, other) in findings {
            if let Some(&member) = [one, other].iter().find(|member| **member >= members) {
                return Err(RankError::NoSuchMember { member, members });
            }
            if one == other {
                return Err(RankError::AboveItself(one));
            }
            if sets.word(other, one).is_some_and(|word| *word & (1 << (one % WORD)) != 0) {
                return Err(RankError::BothWays(one.min(other), one.max(other)));
            }
            if let Some(word) = sets.word(one, other) {
                *word |= 1 << (other % WORD);
            }
        }
        Ok(sets)
    }

    /// The word of `row` that holds the bit of `member`.
    fn word(&mut self, row: usize, member: usize) -> Option<&mut u64> {
        self.bits.get_mut(row * self.stride + member / WORD)
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, u64> {
        self.bits.chunks_exact(self.stride)
    }
}

/// The members whose bits are set.
fn members_of(set: &[u64]) -> impl Iterator<Item = usize> {
    let bits =
        |(at, &word): (usize, &u64)| (0..WORD).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * WORD + bit);
    set.iter().enumerate().flat_map(bits)
}

#[cfg(test)]
mod tests;
