//! The module `ranks` against independent values and what must hold of any input.

use proptest::prelude::*;

use super::{MOST_MEMBERS, RankError, RankOrder, rank};

#[test]
fn refuses_findings_that_are_no_order() {
    assert_eq!(rank(0, &[], RankOrder::Count), Err(RankError::NoMembers));
    assert_eq!(rank(MOST_MEMBERS + 1, &[], RankOrder::Count), Err(RankError::TooMany(MOST_MEMBERS + 1)));
    assert_eq!(rank(usize::MAX, &[], RankOrder::Count), Err(RankError::TooMany(usize::MAX)));
    assert_eq!(rank(3, &[(0, 3)], RankOrder::Count), Err(RankError::NoSuchMember { member: 3, members: 3 }));
    assert_eq!(rank(3, &[(2, 2)], RankOrder::Count), Err(RankError::AboveItself(2)));
    assert_eq!(rank(3, &[(2, 1), (1, 2)], RankOrder::Count), Err(RankError::BothWays(1, 2)));
    assert_eq!(rank(3, &[(0, 1), (0, 1)], RankOrder::Count), rank(3, &[(0, 1)], RankOrder::Count));
}

#[test]
fn sets_that_are_not_nested_need_the_declared_order() {
    // 0 is above 2 and 3; 1 is above 4 alone.
    let findings = [(0, 2), (0, 3), (1, 4)];
    let ranks = |order| rank(5, &findings, order).unwrap().iter().map(|r| r.rank).collect::<Vec<_>>();
    assert_eq!(ranks(RankOrder::Inclusion), [1, 1, 3, 3, 3]);
    assert_eq!(ranks(RankOrder::Count), [1, 2, 3, 3, 3]);
    let ranked = rank(5, &findings, RankOrder::Inclusion).unwrap();
    assert_eq!((ranked[0].best, ranked[0].worst), (1, 3));
    assert_eq!((ranked[2].best, ranked[2].worst), (2, 5));
    assert!(ranked[0].ties.is_empty());
    assert_eq!(ranked[3].ties, [2, 4]);
}

proptest! {
    #[test]
    fn relabelling_members_relabels_ranks(
        members in 1_usize..90, seen in prop::collection::vec((0_usize..90, 0_usize..90), 0..200), turn in 0_usize..90,
    ) {
        // From the lower number to the higher one there is never a contradiction.
        let findings: Vec<(usize, usize)> = seen.iter().map(|(a, b)| (a % members, b % members))
            .filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let moved = |member: usize| (member + turn) % members;
        let other: Vec<(usize, usize)> = findings.iter().map(|&(a, b)| (moved(a), moved(b))).collect();
        for order in [RankOrder::Inclusion, RankOrder::Count] {
            let (one, two) = (rank(members, &findings, order).unwrap(), rank(members, &other, order).unwrap());
            for (member, own) in one.iter().enumerate() {
                let there = &two[moved(member)];
                prop_assert_eq!((own.rank, own.best, own.worst, own.ties.len()), (there.rank, there.best, there.worst, there.ties.len()));
                prop_assert!(own.best <= own.worst && own.worst <= members);
                prop_assert!(own.ties.iter().all(|&tied| one[tied].rank == own.rank));
            }
            prop_assert!(one.iter().any(|own| own.rank == 1));
        }
    }

    #[test]
    fn a_full_order_gives_ranks_and_intervals_of_one(members in 1_usize..70) {
        let findings: Vec<(usize, usize)> = (0..members).flat_map(|a| (a + 1..members).map(move |b| (a, b))).collect();
        for order in [RankOrder::Inclusion, RankOrder::Count] {
            for (member, own) in rank(members, &findings, order).unwrap().iter().enumerate() {
                prop_assert_eq!((own.rank, own.best, own.worst), (member + 1, member + 1, member + 1));
            }
        }
    }
}
