//! Which clusters each bootstrap resample picks, as multiplicities.
//!
//! The picks depend on the seed, the pool size, the resample index and the position within the resample, and on nothing
//! else: every cell and statistic that shares a pool shares them, more resamples extend a set without changing its
//! first ones, and one resample can be recomputed alone. This module knows no data.
//!
//! Scheme: key = `mix13(seed)`; position j of resample b is word j mod 4 of block j / 4 of stream b; the cluster is
//! `(word * clusters) >> 32`. Clusters are numbered in the caller's order, which must be canonical.

use std::fmt;

use crate::math::philox::{Philox, index_below};

/// The name of the drawing scheme. It changes whenever a drawn pick would.
pub const SCHEME: &str = "philox4x32-10/mix13/multiply-shift/1";

/// Most multiplicities (clusters x resamples) held at once: 2^29, one gigabyte.
pub const MOST_MULTIPLICITIES: u64 = 1 << 29;

/// Rows are padded with zeros to a multiple of this many multiplicities, so that sums need no remainder loop.
pub(crate) const LANES: usize = 16;

/// The largest multiplicity kept. Sums read multiplicities as signed 16-bit numbers.
const MOST_OF_ONE_CLUSTER: u16 = i16::MAX.unsigned_abs();

/// Why picks could not be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PicksError {
    /// The pool is empty: there is nothing to pick.
    NoClusters,
    /// No resamples were asked for.
    NoResamples,
    /// The table of multiplicities would exceed [`MOST_MULTIPLICITIES`].
    TooLarge {
        /// Clusters in the pool.
        clusters: usize,
        /// Resamples asked for.
        resamples: u32,
    },
    /// One cluster was picked more than 32,767 times in one resample.
    Multiplicity {
        /// The resample.
        resample: u32,
    },
    /// A member of a sub-pool is not a cluster of the pool, or is named twice.
    Member {
        /// The offending cluster number.
        member: usize,
    },
}

impl fmt::Display for PicksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoClusters => f.write_str("the pool to resample from is empty"),
            Self::NoResamples => f.write_str("a bootstrap needs at least one resample"),
            Self::TooLarge { clusters, resamples } => write!(
                f,
                "{resamples} resamples of {clusters} clusters exceed the limit of {MOST_MULTIPLICITIES} multiplicities; \
                 ask for fewer resamples"
            ),
            Self::Multiplicity { resample } => {
                write!(f, "resample {resample} picks one cluster more than {MOST_OF_ONE_CLUSTER} times")
            }
            Self::Member { member } => write!(f, "cluster {member} is not in the pool, or is named twice"),
        }
    }
}

impl std::error::Error for PicksError {}

/// The multiplicity of every cluster in every resample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picks {
    clusters: usize,
    /// How many clusters one resample draws, with repetition; the multiplicities of a row sum to at most this.
    draws: usize,
    resamples: u32,
    stride: usize,
    multiplicities: Vec<u16>,
}

impl Picks {
    /// Draws `resamples` resamples of `clusters` picks each, uniformly with replacement from `clusters` clusters.
    pub fn draw(clusters: usize, resamples: u32, seed: u64) -> Result<Self, PicksError> {
        let mut picks = Self::blank(clusters, clusters, resamples)?;
        let philox = Philox::from_seed(seed);
        let too_large = PicksError::TooLarge { clusters, resamples };
        let count = u32::try_from(clusters).map_err(|_| too_large)?;
        for (resample, row) in (0..resamples).zip(picks.multiplicities.chunks_exact_mut(picks.stride)) {
            draw_row(philox, resample, count, row)?;
        }
        Ok(picks)
    }

    /// The jackknife's resamples: in resample `b` every cluster stands once except cluster `b`.
    pub fn leave_one_out(clusters: usize) -> Result<Self, PicksError> {
        let too_large = PicksError::TooLarge { clusters, resamples: u32::MAX };
        let resamples = u32::try_from(clusters).map_err(|_| too_large)?;
        let mut picks = Self::blank(clusters, clusters.saturating_sub(1), resamples)?;
        for (left_out, row) in picks.multiplicities.chunks_exact_mut(picks.stride).enumerate() {
            for (cluster, slot) in row.iter_mut().take(clusters).enumerate() {
                *slot = u16::from(cluster != left_out);
            }
        }
        Ok(picks)
    }

    /// The multiplicities of one resample alone, without drawing the others.
    pub fn draw_one(clusters: usize, resample: u32, seed: u64) -> Result<Vec<u16>, PicksError> {
        let mut picks = Self::blank(clusters, clusters, 1)?;
        let too_large = PicksError::TooLarge { clusters, resamples: 1 };
        let count = u32::try_from(clusters).map_err(|_| too_large)?;
        draw_row(Philox::from_seed(seed), resample, count, &mut picks.multiplicities)?;
        picks.multiplicities.truncate(clusters);
        Ok(picks.multiplicities)
    }

    /// The same resamples seen on a sub-pool: the multiplicities of `members`, in the order given. The size of each
    /// resample then varies. `members` are distinct cluster numbers of this pool.
    pub fn restrict(&self, members: &[usize]) -> Result<Self, PicksError> {
        let mut seen = vec![false; self.clusters];
        for &member in members {
            match seen.get_mut(member) {
                Some(slot) if !*slot => *slot = true,
                _ => return Err(PicksError::Member { member }),
            }
        }
        let mut picks = Self::blank(members.len(), self.draws, self.resamples)?;
        let rows = self.multiplicities.chunks_exact(self.stride);
        for (row, from) in picks.multiplicities.chunks_exact_mut(picks.stride).zip(rows) {
            for (slot, &member) in row.iter_mut().zip(members) {
                *slot = from.get(member).copied().unwrap_or_default();
            }
        }
        Ok(picks)
    }

    /// Clusters in the pool.
    #[must_use]
    pub const fn clusters(&self) -> usize {
        self.clusters
    }

    /// Number of resamples.
    #[must_use]
    pub const fn resamples(&self) -> u32 {
        self.resamples
    }

    /// The most the multiplicities of one resample can sum to.
    #[must_use]
    pub const fn draws_per_resample(&self) -> usize {
        self.draws
    }

    /// The multiplicities of resample `b`, one per cluster. Empty when there is no such resample.
    #[must_use]
    pub fn weights(&self, b: u32) -> &[u16] {
        let row = (b as usize).checked_mul(self.stride).filter(|_| b < self.resamples);
        row.and_then(|start| self.multiplicities.get(start..start.checked_add(self.clusters)?)).unwrap_or_default()
    }

    /// All rows in order, each padded with zeros to [`Self::stride`].
    pub(crate) fn rows(&self) -> &[u16] {
        &self.multiplicities
    }

    /// Length of a padded row.
    pub(crate) const fn stride(&self) -> usize {
        self.stride
    }

    fn blank(clusters: usize, draws: usize, resamples: u32) -> Result<Self, PicksError> {
        if clusters == 0 {
            return Err(PicksError::NoClusters);
        }
        if resamples == 0 {
            return Err(PicksError::NoResamples);
        }
        let too_large = PicksError::TooLarge { clusters, resamples };
        let stride = clusters.checked_next_multiple_of(LANES).ok_or(too_large)?;
        let cells = stride.checked_mul(resamples as usize).ok_or(too_large)?;
        if u64::try_from(cells).map_err(|_| too_large)? > MOST_MULTIPLICITIES {
            return Err(too_large);
        }
        Ok(Self { clusters, draws, resamples, stride, multiplicities: vec![0; cells] })
    }
}

fn draw_row(philox: Philox, resample: u32, count: u32, row: &mut [u16]) -> Result<(), PicksError> {
    let mut stream = philox.stream(u64::from(resample), 0);
    for _ in 0..count {
        let cluster = index_below(stream.next_word(), count) as usize;
        // `cluster` is below `count`, which is at most the length of the row.
        if let Some(slot) = row.get_mut(cluster) {
            if *slot == MOST_OF_ONE_CLUSTER {
                return Err(PicksError::Multiplicity { resample });
            }
            *slot += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Picks, PicksError};

    #[test]
    fn every_resample_draws_the_whole_pool_size() {
        let picks = Picks::draw(53, 200, 1).unwrap();
        for b in 0..200 {
            assert_eq!(picks.weights(b).iter().map(|&w| u32::from(w)).sum::<u32>(), 53);
            assert_eq!(picks.weights(b), Picks::draw_one(53, b, 1).unwrap());
        }
        assert!(picks.weights(200).is_empty());
    }

    #[test]
    fn more_resamples_extend_the_first_ones() {
        let (few, many) = (Picks::draw(17, 50, 9).unwrap(), Picks::draw(17, 90, 9).unwrap());
        assert!((0..50).all(|b| few.weights(b) == many.weights(b)));
        let other = Picks::draw(17, 50, 10).unwrap();
        assert!((0..50).any(|b| few.weights(b) != other.weights(b)));
    }

    #[test]
    fn picks_are_uniform() {
        let picks = Picks::draw(20, 20_000, 3).unwrap();
        let mut totals = [0u32; 20];
        for b in 0..20_000 {
            for (total, &w) in totals.iter_mut().zip(picks.weights(b)) {
                *total += u32::from(w);
            }
        }
        // Each total is binomial with mean 20,000 and standard deviation 138.
        assert!(totals.iter().all(|&t| t.abs_diff(20_000) < 700), "{totals:?}");
    }

    #[test]
    fn a_restricted_pool_keeps_the_same_picks() {
        let picks = Picks::draw(30, 40, 5).unwrap();
        let members = [29, 0, 7];
        let part = picks.restrict(&members).unwrap();
        for b in 0..40 {
            let expected: Vec<u16> = members.iter().map(|&m| picks.weights(b)[m]).collect();
            assert_eq!(part.weights(b), expected);
        }
        assert_eq!(picks.restrict(&[30]), Err(PicksError::Member { member: 30 }));
        assert_eq!(picks.restrict(&[1, 1]), Err(PicksError::Member { member: 1 }));
        assert_eq!(picks.restrict(&[]), Err(PicksError::NoClusters));
    }

    #[test]
    fn refuses_what_cannot_be_drawn() {
        assert_eq!(Picks::draw(0, 10, 1), Err(PicksError::NoClusters));
        assert_eq!(Picks::draw(10, 0, 1), Err(PicksError::NoResamples));
        assert!(matches!(Picks::draw(1 << 20, 1 << 20, 1), Err(PicksError::TooLarge { .. })));
        assert!(matches!(Picks::draw(usize::MAX, 1, 1), Err(PicksError::TooLarge { .. })));
    }
}
