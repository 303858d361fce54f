use super::*;
use crate::target::Weight;

fn targets(weights: &[u32]) -> Vec<Target> {
    let target = |(number, weight): (u8, &u32)| {
        let address = SocketAddr::from(([10, 0, 0, number], 443));
        Target::new(address, "origin").weighing(Weight::new(*weight).unwrap())
    };
    (0..).zip(weights).map(target).collect()
}

fn candidates(weights: &[u32]) -> Box<[Candidate]> {
    let targets = targets(weights);
    Candidate::all(&targets.iter().collect::<Vec<_>>())
}

fn owner(number: u32) -> u64 {
    owner_key(&Owner::new(&format!("user{number}@example.com")))
}

fn best(candidates: &[Candidate], owner: u64) -> usize {
    (0..candidates.len()).max_by_key(|number| score(candidates[*number], owner).rank).unwrap()
}

fn score(candidate: Candidate, owner: u64) -> Score {
    candidate.score_above(None, owner).unwrap()
}

#[test]
fn the_one_that_leads_in_the_end_has_the_greatest_score() {
    let weights: Vec<u32> = (1..=50).map(|number| 1 + number % 7).collect();
    for candidates in [candidates(&weights), candidates(&[1; 50])] {
        for owner in (0..2_000).map(owner) {
            let mut leader: Option<(usize, Score)> = None;
            for (number, candidate) in candidates.iter().enumerate() {
                if let Some(better) = candidate.score_above(leader.map(|(_, leading)| leading), owner) {
                    leader = Some((number, better));
                }
            }
            assert_eq!(leader.unwrap().0, best(&candidates, owner));
        }
    }
}

#[test]
fn owners_are_spread_by_weight() {
    let check = |weights: &[u32]| {
        let candidates = candidates(weights);
        let mut counts = vec![0u32; weights.len()];
        for number in 0..20_000 {
            counts[best(&candidates, owner(number))] += 1;
        }
        let total: u32 = weights.iter().sum();
        for (count, weight) in counts.iter().zip(weights) {
            let expected = 20_000 * weight / total;
            assert!(count.abs_diff(expected) <= 500, "{counts:?} for {weights:?}");
        }
    };
    check(&[1, 1]);
    check(&[1, 1, 1, 1, 1]);
    check(&[1, 2, 5]);
    check(&[100, 100, 50]);
}

#[test]
fn when_a_target_goes_only_its_own_owners_move_and_they_spread() {
    let candidates = candidates(&[1; 4]);
    let mut moved = [0; 3];
    for number in 0..10_000 {
        let owner = owner(number);
        let (before, after) = (best(&candidates, owner), best(&candidates[..3], owner));
        if before == 3 {
            moved[after] += 1;
        } else {
            assert_eq!(before, after, "its target is still there");
        }
    }
    assert!(moved.iter().all(|count| (700..=970).contains(count)), "{moved:?}");
}

#[test]
fn owners_come_back_one_after_the_other_and_none_leaves_again() {
    let candidates = candidates(&[1, 1]);
    let mut before = 0;
    for step in 0..=10 {
        let share = WHOLE * step / 10;
        let back =
            (0..10_000).filter(|number| score(candidates[0], owner(*number)).has_returned(share)).count();
        assert!(back >= before, "a share of {share}");
        assert!(back.abs_diff(usize::try_from(step).unwrap() * 1_000) <= 300, "{back} at a share of {share}");
        before = back;
    }
    assert_eq!(before, 10_000);
}

#[test]
fn ports_and_families_make_different_targets() {
    let key = |address: &str| target_key(address.parse().unwrap());
    let keys =
        [key("10.0.0.1:443"), key("10.0.0.1:80"), key("10.0.0.2:443"), key("[::1]:443"), key("[::2]:443")];
    let different: std::collections::BTreeSet<_> = keys.into_iter().collect();
    assert_eq!(different.len(), keys.len());
}
