#![allow(clippy::panic, reason = "tests")]

use super::*;

const NOW: Tick = Tick::new(1_000_000);

fn owner(number: usize) -> Owner {
    Owner::new(&number.to_string())
}

fn rounds(bound: usize) -> Rounds {
    Rounds::new(bound, Micros::SECOND)
}

/// A call of the owner waits.
fn join(rounds: &mut Rounds, whose: usize) {
    let number = rounds.admit(&owner(whose), Weight::ONE).unwrap();
    let account = rounds.account(number).unwrap();
    account.waiting += 1;
    if account.waiting == 1 {
        rounds.enlist(number);
    }
}

/// The next call starts; whose it is, the owner's number here, and what he was charged.
fn start(rounds: &mut Rounds) -> Option<(usize, usize, i64)> {
    let number = rounds.pick(NOW)?;
    let account = rounds.account(number).unwrap();
    account.waiting -= 1;
    let whose = account.owner.name().parse().unwrap();
    Some((whose, number, rounds.start(number)))
}

/// The next call runs and costs so much; whose it was.
fn serve(rounds: &mut Rounds, cost: impl Fn(usize) -> u64) -> Option<usize> {
    let (whose, number, charged) = start(rounds)?;
    rounds.end(number, charged, Micros::new(cost(whose)), NOW);
    Some(whose)
}

#[test]
fn in_a_round_each_takes_a_quantum_and_as_much_less_as_he_took_too_much_before() {
    let (mut rounds, costs, mut taken) = (rounds(10), [30_000, 7_000], [0, 0]);
    for _ in 0..200 {
        join(&mut rounds, 0);
        join(&mut rounds, 1);
    }
    for _ in 0..200 {
        let whose = serve(&mut rounds, |whose| costs[whose]).unwrap();
        taken[whose] += costs[whose];
        assert!(taken[0].abs_diff(taken[1]) <= 60_000, "{taken:?}");
    }
}

#[test]
fn one_call_that_waits_goes_before_all_lines() {
    let mut rounds = rounds(10);
    (0..50).for_each(|_| join(&mut rounds, 0));
    serve(&mut rounds, |_| 100_000);
    for _ in 0..9 {
        assert_eq!(serve(&mut rounds, |_| 10_000), Some(0));
        join(&mut rounds, 1);
        assert_eq!(serve(&mut rounds, |_| 10_000), Some(1), "as long as he has something left");
    }
}

#[test]
fn who_makes_some_calls_at_once_goes_first_for_as_long_as_something_is_left_to_him() {
    let mut rounds = rounds(10);
    (0..50).for_each(|_| join(&mut rounds, 0));
    serve(&mut rounds, |_| 100_000);
    serve(&mut rounds, |_| 100_000);
    (0..15).for_each(|_| join(&mut rounds, 1));
    let first = std::iter::from_fn(|| serve(&mut rounds, |_| 10_000).filter(|whose| *whose == 1)).count();
    assert_eq!(first, 10, "which are as dear as one of the other");
}

#[test]
fn those_who_go_first_take_turns_call_by_call() {
    let mut rounds = rounds(10);
    (0..50).for_each(|_| join(&mut rounds, 0));
    serve(&mut rounds, |_| 100_000);
    serve(&mut rounds, |_| 100_000);
    for whose in [1, 1, 1, 2, 2, 3] {
        join(&mut rounds, whose);
    }
    let served: Vec<usize> = (0..6).filter_map(|_| serve(&mut rounds, |_| 10_000)).collect();
    assert_eq!(served, [1, 2, 3, 1, 2, 1]);
}

/// How many calls of somebody, each of which comes when his last has ended, go before those of a flooder, who has been
/// served so often before that.
fn first_after(rounds: &mut Rounds, flood: usize) -> usize {
    for _ in 0..flood {
        assert_eq!(serve(rounds, |_| 10_000), Some(0));
    }
    for first in 0..100 {
        join(rounds, 1);
        if serve(rounds, |_| 10_000) == Some(0) {
            assert_eq!(serve(rounds, |_| 10_000), Some(1));
            return first;
        }
    }
    panic!("he goes first for ever")
}

#[test]
fn who_asks_for_less_than_his_share_saves_the_rest_up_to_a_bound() {
    let mut rounds = rounds(10);
    (0..500).for_each(|_| join(&mut rounds, 0));
    serve(&mut rounds, |_| 10_000);
    let whole = usize::try_from(SAVED_SHARES).unwrap() + 1;
    assert_eq!(
        first_after(&mut rounds, 1),
        whole,
        "who comes for the first time has saved as much as can be"
    );
    assert_eq!(first_after(&mut rounds, 3), 3);
    assert_eq!(first_after(&mut rounds, 50), whole);
}

#[test]
fn an_endless_stream_of_other_owners_does_not_keep_a_round_from_ending() {
    let mut rounds = rounds(100_000);
    (0..100).for_each(|_| join(&mut rounds, 0));
    let mut served = Vec::new();
    for number in 0..2_000 {
        // Two come while one is served.
        join(&mut rounds, 2 * number + 1);
        join(&mut rounds, 2 * number + 2);
        served.push(serve(&mut rounds, |_| 10_000) == Some(0));
    }
    let gaps: Vec<usize> = served.split(|flood| *flood).map(<[bool]>::len).collect();
    assert!(gaps.len() > 4, "served {} times", gaps.len() - 1);
    let doubles = |pair: &[usize]| pair[1] <= 4 * pair[0].max(JOINS_MIN);
    assert!(gaps.windows(2).all(doubles), "no round is much longer than the one before: {gaps:?}");
}

#[test]
fn an_owner_who_took_too_much_and_went_away_is_remembered_until_he_would_have_had_it() {
    let mut rounds = rounds(10);
    rounds.set_places(4);
    (0..4).for_each(|_| join(&mut rounds, 0));
    // Four at once, and nobody knows what they cost.
    let started = [0; 4].map(|_| start(&mut rounds).unwrap());
    (0..100).for_each(|_| join(&mut rounds, 1));
    for (whose, number, charged) in started {
        assert_eq!((whose, charged), (0, 0));
        rounds.end(number, charged, Micros::new(100_000), NOW);
    }
    join(&mut rounds, 0);
    let others = std::iter::from_fn(|| serve(&mut rounds, |_| 100_000).filter(|whose| *whose == 1)).count();
    assert!((3..=5).contains(&others), "{others} calls of the other are as dear as what he took");
}

#[test]
fn the_memory_of_an_owner_ends_when_it_makes_no_difference() {
    let mut rounds = rounds(1_000);
    (0..500).for_each(|_| join(&mut rounds, 0));
    for person in 1..200 {
        join(&mut rounds, person);
        serve(&mut rounds, |_| 10_000);
        serve(&mut rounds, |_| 10_000);
    }
    assert!(rounds.owners.slab.len() < 5, "{} are known", rounds.owners.slab.len());
    while serve(&mut rounds, |_| 10_000).is_some() {}
    assert_eq!(rounds.owners.slab.len(), 0, "and nobody when nobody waits");
}

#[test]
fn where_too_many_are_known_the_one_who_has_been_away_for_longest_is_forgotten() {
    let mut rounds = rounds(3);
    (0..10).for_each(|_| join(&mut rounds, 0));
    serve(&mut rounds, |_| 1_000_000);
    for person in [1, 2, 3] {
        join(&mut rounds, person);
        assert_eq!(serve(&mut rounds, |_| 1_000_000), Some(person));
    }
    assert_eq!(rounds.owners.slab.len(), 3);
    for person in [2, 3] {
        join(&mut rounds, person);
    }
    assert_eq!(rounds.admit(&owner(4), Weight::ONE), None, "nobody who waits is");
}
