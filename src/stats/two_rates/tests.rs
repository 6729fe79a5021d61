//! The module `two_rates` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{Pairs, Rate, agresti_caffo, agresti_min, newcombe, newcombe_paired};
use crate::stats::undefined::Undefined;

#[test]
fn refuses_empty_tables_and_bad_levels() {
    let none = Pairs { both: 0, only_first: 0, only_second: 0, neither: 0 };
    assert_eq!(newcombe_paired(none, 0.95), Err(Undefined::NoRecords));
    assert_eq!(agresti_min(none, 0.95), Err(Undefined::NoRecords));
    assert_eq!(none.difference(), Err(Undefined::NoRecords));
    assert_eq!(Rate::of(0, 0), Err(Undefined::NoRecords));
    assert_eq!(Rate::of(2, 1), Err(Undefined::OutOfRange));
    let some = Rate::of(1, 2).unwrap();
    let bad = Rate { rate: 1.5, n: 3.0 };
    assert_eq!(newcombe(some, bad, 0.95), Err(Undefined::OutOfRange));
    assert_eq!(agresti_caffo(bad, some, 0.95), Err(Undefined::OutOfRange));
    assert_eq!(newcombe(some, some, 1.0), Err(Undefined::OutOfRange));
    assert_eq!(agresti_caffo(some, some, 0.0), Err(Undefined::OutOfRange));
}

proptest! {
    #[test]
    fn exchanging_the_sides_mirrors_the_interval(
        a in 0_u64..30, b in 0_u64..30, c in 0_u64..30, d in 0_u64..30, level in 0.5_f64..0.999,
    ) {
        prop_assume!(a + b + c + d > 0);
        let pairs = Pairs { both: a, only_first: b, only_second: c, neither: d };
        let turned = Pairs { only_first: c, only_second: b, ..pairs };
        let n = a + b + c + d;
        let (first, second) = (Rate::of(a + b, n).unwrap(), Rate::of(a + c, n).unwrap());
        for (got, other) in [
            (newcombe_paired(pairs, level), newcombe_paired(turned, level)),
            (agresti_min(pairs, level), agresti_min(turned, level)),
            (newcombe(first, second, level), newcombe(second, first, level)),
            (agresti_caffo(first, second, level), agresti_caffo(second, first, level)),
        ] {
            let (got, other) = (got.unwrap(), other.unwrap());
            prop_assert!((got.lower + other.upper).abs() < 1e-12 && (got.upper + other.lower).abs() < 1e-12);
            prop_assert!(-1.0 <= got.lower && got.lower <= got.upper && got.upper <= 1.0);
        }
        // Newcombe's intervals hold the estimate, and widen with the level.
        let difference = pairs.difference().unwrap();
        for interval in [newcombe_paired, |p: Pairs, level| {
            let n = p.both + p.only_first + p.only_second + p.neither;
            newcombe(Rate::of(p.both + p.only_first, n)?, Rate::of(p.both + p.only_second, n)?, level)
        }] {
            let (narrow, wide) = (interval(pairs, level).unwrap(), interval(pairs, f64::midpoint(level, 1.0)).unwrap());
            prop_assert!(narrow.lower <= difference + 1e-12 && difference <= narrow.upper + 1e-12);
            prop_assert!(wide.lower <= narrow.lower + 1e-12 && narrow.upper <= wide.upper + 1e-12);
        }
    }
}
