use super::*;

/// The order of members with their weights and their last choices, the latter in half turns.
fn order(entries: &[(u16, u64, u64)], given: u64) -> Vec<u16> {
    let entry =
        |(member, weight, last): &(u16, u64, u64)| Entry { member: *member, weight: *weight, last: *last };
    let entries: Vec<Entry> = entries.iter().map(entry).collect();
    let mut places = Vec::new();
    arrange(&entries, given, &mut places);
    places.into_iter().map(|(_, _, member)| member).collect()
}

#[test]
fn of_equals_the_least_recently_chosen_goes_first() {
    let check = |entries: &[(u16, u64, u64)], given, expected: &[u16]| {
        assert_eq!(order(entries, given), expected, "{entries:?} after {given}");
    };
    check(&[(0, 1, 0), (1, 1, 0), (2, 1, 0)], 0, &[0, 1, 2]);
    check(&[(0, 1, 8), (1, 1, 10), (2, 1, 6)], 5, &[2, 0, 1]);
    // One has left between: the others go on.
    check(&[(0, 1, 8), (2, 1, 10)], 5, &[0, 2]);
    // One was away for long, another was chosen between two turns.
    check(&[(0, 1, 198), (1, 1, 20), (2, 1, 200), (3, 1, 199)], 100, &[1, 0, 3, 2]);
    check(&[], 7, &[]);
}

#[test]
fn weights_have_their_places_and_a_common_factor_is_dropped() {
    assert_eq!(order(&[(0, 2, 0), (1, 1, 0)], 0), [0, 1, 0]);
    assert_eq!(order(&[(0, 50, 0), (1, 100, 0)], 0), [0, 1, 1]);
    assert_eq!(order(&[(0, 100, 0), (1, 100, 0)], 0), [0, 1]);
    let wheel = order(&[(0, 5, 0), (1, 3, 0), (2, 1, 0)], 0);
    for (member, weight) in [(0, 5), (1, 3), (2, 1)] {
        assert_eq!(wheel.iter().filter(|other| **other == member).count(), weight);
    }
}

#[test]
fn a_heavy_target_is_spread_evenly() {
    let wheel = order(&[(0, 4, 12), (1, 1, 10), (2, 1, 8), (3, 2, 2)], 6);
    let mut gaps = Vec::new();
    let mut since = 0;
    for member in wheel.iter().chain(&wheel) {
        since += 1;
        if *member == 0 {
            gaps.push(since);
            since = 0;
        }
    }
    assert!(gaps.iter().all(|gap| (1..=4).contains(gap)), "{wheel:?}: {gaps:?}");
    assert_eq!(wheel.len(), 8);
    assert_ne!(wheel.first(), Some(&0), "it has been chosen just now");
}
