//! Philox4x32-10: a counter-based generator, so any draw can be recomputed alone from its position.
//!
//! Owns the block function, the derivation of a key from a seed, and the map from a word to an index. It keeps no
//! hidden state and never reads the clock, the environment or the operating system's randomness.
//!
//! Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The key comes from the
//! seed by David Stafford's thirteenth variant of the 64-bit finaliser (the one used by splitmix64).

/// Words produced by one block.
pub const WORDS_PER_BLOCK: u64 = 4;

const ROUNDS: u32 = 10;
const MULTIPLIER_0: u32 = 0xD251_1F53;
const MULTIPLIER_1: u32 = 0xCD9E_8D57;
const WEYL_0: u32 = 0x9E37_79B9;
const WEYL_1: u32 = 0xBB67_AE85;

/// Stafford's variant 13: a bijection of 64-bit words that spreads neighbouring seeds far apart.
#[must_use]
pub const fn mix13(seed: u64) -> u64 {
    let z = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The low and the high 32 bits of a 64-bit word.
const fn halves(word: u64) -> [u32; 2] {
    #[expect(clippy::cast_possible_truncation, reason = "taking the low and the high half is the purpose")]
    let split = [word as u32, (word >> 32) as u32];
    split
}

/// A key, from which every block follows. Copying it costs nothing; it has no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Philox {
    key: [u32; 2],
}

impl Philox {
    /// The generator of a seed: key = `mix13(seed)`, low word first.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self { key: halves(mix13(seed)) }
    }

    /// The generator of an explicit key (for known-answer tests).
    #[must_use]
    pub const fn from_key(key: [u32; 2]) -> Self {
        Self { key }
    }

    /// The four words of one 128-bit counter value.
    #[must_use]
    pub const fn block(self, counter: [u32; 4]) -> [u32; 4] {
        let [mut c0, mut c1, mut c2, mut c3] = counter;
        let [mut k0, mut k1] = self.key;
        let mut round = 0;
        while round < ROUNDS {
            let [low_0, high_0] = halves(MULTIPLIER_0 as u64 * c0 as u64);
            let [low_1, high_1] = halves(MULTIPLIER_1 as u64 * c2 as u64);
            (c0, c1, c2, c3) = (high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0);
            k0 = k0.wrapping_add(WEYL_0);
            k1 = k1.wrapping_add(WEYL_1);
            round += 1;
        }
        [c0, c1, c2, c3]
    }

    /// The words of a stream from `first_block` on. The counter is (block low, block high, stream low, stream high).
    #[must_use]
    pub const fn stream(self, stream: u64, first_block: u64) -> Stream {
        Stream { philox: self, number: stream, next_block: first_block, words: [0; 4], used: 4 }
    }
}

/// The words of one stream, in order.
#[derive(Debug, Clone)]
pub struct Stream {
    philox: Philox,
    number: u64,
    next_block: u64,
    words: [u32; 4],
    used: usize,
}

impl Stream {
    /// The next 32-bit word. Streams are 2^66 words long; none is read to its end.
    #[inline]
    pub fn next_word(&mut self) -> u32 {
        if let Some(word) = self.words.get(self.used) {
            self.used += 1;
            return *word;
        }
        let [b0, b1] = halves(self.next_block);
        let [s0, s1] = halves(self.number);
        self.words = self.philox.block([b0, b1, s0, s1]);
        self.next_block = self.next_block.wrapping_add(1);
        self.used = 1;
        let [first, ..] = self.words;
        first
    }
}

/// An index below `count` from a word: `(word * count) >> 32`. The bias is below `count` / 2^32. Zero when `count` is 0.
#[inline]
#[must_use]
pub const fn index_below(word: u32, count: u32) -> u32 {
    let [_, high] = halves(word as u64 * count as u64);
    high
}

#[cfg(test)]
mod tests {
    use super::{Philox, index_below, mix13};

    #[test]
    fn known_answers_of_the_reference_library() {
        let ones = u32::MAX;
        let cases = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([ones; 4], [ones; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            assert_eq!(Philox::from_key(key).block(counter), expected);
        }
    }

    #[test]
    fn mix13_is_the_splitmix64_finaliser() {
        // The first output of splitmix64 seeded with 0 is the finaliser of the golden gamma.
        assert_eq!(mix13(0x9E37_79B9_7F4A_7C15), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix13(0), 0);
    }

    #[test]
    fn streams_can_be_entered_at_any_block() {
        let philox = Philox::from_seed(7);
        let mut whole = philox.stream(3, 0);
        let words: Vec<u32> = (0..12).map(|_| whole.next_word()).collect();
        let mut late = philox.stream(3, 2);
        let tail: Vec<u32> = (0..4).map(|_| late.next_word()).collect();
        assert_eq!(tail, words[8..]);
        assert_eq!(philox.block([0, 0, 3, 0]), words[..4]);
    }

    #[test]
    fn indices_stay_below_the_count() {
        assert_eq!(index_below(u32::MAX, 53), 52);
        assert_eq!(index_below(0, 53), 0);
        assert_eq!(index_below(u32::MAX, 0), 0);
        assert_eq!(index_below(u32::MAX, u32::MAX), u32::MAX - 1);
    }
}
