use std::net::IpAddr;

use proptest::prelude::*;
use weir_units::{Micros, Tick};

use super::{Guard, GuardSettings, LONGER_LINE, Outcome, Pass, Place, Turn};

const GUESSER: &str = "203.0.113.7";

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn millis(count: u64) -> Micros {
    Micros::new(count * 1000)
}

fn guard() -> Guard {
    Guard::new(GuardSettings::default())
}

fn pass(turn: Turn) -> Pass {
    match turn {
        Turn::Verify(pass) => pass,
        Turn::Wait(_) | Turn::Refuse => panic!("has to wait or is refused: {turn:?}"),
    }
}

/// Checks that the asker may verify at once, and leaves it at that.
fn verifies(turn: Turn) {
    let _lost = pass(turn);
}

fn place(turn: Turn) -> Place {
    match turn {
        Turn::Wait(place) => place,
        Turn::Verify(_) | Turn::Refuse => panic!("does not wait: {turn:?}"),
    }
}

/// Lets `address` fail `times` times, each as soon as it may; returns the tick of the last failure.
fn fail(guard: &Guard, address: &str, times: usize, mut now: Tick) -> Tick {
    for _ in 0..times {
        let mut turn = guard.ask(ip(address), now);
        while let Turn::Wait(place) = turn {
            now = place.due();
            turn = guard.ask_again(place, now);
        }
        guard.settle(pass(turn), Outcome::Failed, now);
    }
    now
}

/// Checks that the asker has to wait, and leaves it at that.
fn waits(turn: Turn) {
    let _lost = place(turn);
}

#[test]
fn a_thousand_wrong_passwords_get_at_most_four_tries_a_second() {
    let guard = guard();
    let mut waiting: Vec<Option<Place>> = vec![None; 1000];
    let mut tries: Vec<u64> = Vec::new();
    let mut now = Tick::START;
    while tries.len() < 200 {
        for asker in &mut waiting {
            let turn = match *asker {
                Some(place) if place.due() > now => continue,
                Some(place) => guard.ask_again(place, now),
                None => guard.ask(ip(GUESSER), now),
            };
            *asker = match turn {
                Turn::Wait(place) => Some(place),
                Turn::Verify(pass) => {
                    tries.push(now.micros());
                    guard.settle(pass, Outcome::Failed, now);
                    None
                }
                Turn::Refuse => None,
            };
        }
        now = now.plus(millis(25));
    }
    for (nth, first) in tries.iter().enumerate() {
        let in_a_second = tries[nth..].iter().take_while(|at| **at < first + 1_000_000).count();
        assert!(in_a_second <= 4, "{in_a_second} tries in the second from {first} µs");
    }
    assert!(
        now < Tick::new(120_000_000),
        "the guard stays fair: two tries a second go on, and not {now:?} for 200"
    );
}

#[test]
fn an_address_without_failures_verifies_at_once() {
    let guard = guard();
    let now = fail(&guard, GUESSER, 20, Tick::START);
    let neighbour = pass(guard.ask(ip("203.0.113.8"), now));
    guard.settle(neighbour, Outcome::Accepted, now);
    verifies(guard.ask(ip("203.0.113.8"), now));
}

#[test]
fn one_verification_runs_at_a_time_and_the_next_in_order_follows() {
    let guard = guard();
    let address = ip("192.0.2.1");
    let first = pass(guard.ask(address, Tick::START));
    let second = place(guard.ask(address, Tick::START));
    let third = place(guard.ask(address, Tick::START));
    guard.settle(first, Outcome::Unknown, Tick::new(10));
    let third = place(guard.ask_again(third, Tick::new(10)));
    let running = pass(guard.ask_again(second, Tick::new(11)));
    guard.settle(running, Outcome::Unknown, Tick::new(20));
    verifies(guard.ask_again(third, Tick::new(20)));
}

#[test]
fn each_good_credential_of_an_address_lets_one_more_be_verified_beside_it() {
    let guard = guard();
    let (address, now) = (ip("192.0.2.1"), Tick::START);
    let (mut widths, mut turn) = (Vec::new(), guard.ask(address, now));
    for _ in 0..9 {
        let mut running = Vec::new();
        let next = loop {
            match turn {
                Turn::Verify(pass) => running.push(pass),
                Turn::Wait(next) => break next,
                Turn::Refuse => panic!("nobody else is in the line"),
            }
            turn = guard.ask(address, now);
        };
        widths.push(running.len());
        for pass in running {
            guard.settle(pass, Outcome::Accepted, now);
        }
        turn = guard.ask_again(next, now);
    }
    assert_eq!(widths, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
    guard.settle(pass(turn), Outcome::Failed, now);
    let later = now.plus(Micros::SECOND);
    verifies(guard.ask(address, later));
    waits(guard.ask(address, later.plus(Micros::SECOND)));
}

#[test]
fn more_waiters_than_the_limit_are_refused_unchecked() {
    let guard = guard();
    let address = ip(GUESSER);
    let now = fail(&guard, GUESSER, 1, Tick::START);
    for _ in 0..GuardSettings::default().waiting {
        waits(guard.ask(address, now));
    }
    assert_eq!(guard.ask(address, now), Turn::Refuse);
}

#[test]
fn an_address_without_failures_may_have_a_long_line() {
    let guard = guard();
    let address = ip("192.0.2.1");
    let _running = pass(guard.ask(address, Tick::START));
    for _ in 0..GuardSettings::default().waiting * LONGER_LINE {
        waits(guard.ask(address, Tick::START));
    }
    assert_eq!(guard.ask(address, Tick::START), Turn::Refuse);
}

#[test]
fn a_line_from_before_the_first_failure_is_cut_to_its_limit() {
    let guard = guard();
    let address = ip(GUESSER);
    let first = pass(guard.ask(address, Tick::START));
    let line: Vec<Place> = (0..100).map(|_| place(guard.ask(address, Tick::START))).collect();
    guard.settle(first, Outcome::Failed, Tick::START);
    let turns = line.into_iter().map(|place| guard.ask_again(place, Tick::new(1)));
    assert_eq!(turns.filter(|turn| *turn == Turn::Refuse).count(), 100 - GuardSettings::default().waiting);
}

#[test]
fn a_waiter_that_goes_away_holds_nobody_up_for_long() {
    let guard = guard();
    let address = ip(GUESSER);
    let running = pass(guard.ask(address, Tick::START));
    let _gone = place(guard.ask(address, Tick::START));
    let mut patient = place(guard.ask(address, Tick::START));
    guard.settle(running, Outcome::Unknown, Tick::START);
    let verifies_at = loop {
        match guard.ask_again(patient, patient.due()) {
            Turn::Verify(_) => break patient.due(),
            Turn::Wait(place) => patient = place,
            Turn::Refuse => panic!("was in the line"),
        }
    };
    assert!(verifies_at <= Tick::new(1_200_000), "{verifies_at:?}");
}

#[test]
fn a_waiter_that_says_goodbye_holds_nobody_up() {
    let guard = guard();
    let address = ip(GUESSER);
    let running = pass(guard.ask(address, Tick::START));
    let leaves = place(guard.ask(address, Tick::START));
    let next = place(guard.ask(address, Tick::START));
    guard.settle(running, Outcome::Unknown, Tick::START);
    guard.leave(leaves);
    verifies(guard.ask_again(next, Tick::START));
}

#[test]
fn a_lost_verification_ends_after_its_time() {
    let guard = guard();
    let address = ip(GUESSER);
    let lost = pass(guard.ask(address, Tick::START));
    let end = Tick::START.plus(GuardSettings::default().verification);
    let mut next = place(guard.ask(address, Tick::START));
    while next.due() < end {
        next = place(guard.ask_again(next, next.due()));
    }
    let running = pass(guard.ask_again(next, end));
    guard.settle(lost, Outcome::Failed, end);
    waits(guard.ask(address, end.plus(Micros::SECOND)));
    guard.settle(running, Outcome::Accepted, end);
}

#[test]
fn a_success_of_ones_own_forgives_no_failure() {
    let guard = guard();
    let now = fail(&guard, GUESSER, 5, Tick::START);
    let wait = place(guard.ask(ip(GUESSER), now));
    let own = pass(guard.ask_again(wait, wait.due()));
    guard.settle(own, Outcome::Accepted, wait.due());
    let next = place(guard.ask(ip(GUESSER), wait.due()));
    assert_eq!(next.due().since(wait.due()), GuardSettings::default().longest_pause);
}

#[test]
fn an_unknown_outcome_is_no_failure() {
    let guard = guard();
    for now in (0..50).map(Tick::new) {
        guard.settle(pass(guard.ask(ip(GUESSER), now)), Outcome::Unknown, now);
    }
    assert_eq!(guard.addresses(), 0, "nothing to remember");
}

#[test]
fn pauses_double_up_to_the_longest() {
    let guard = guard();
    let mut now = Tick::START;
    for expected in [125, 250, 500, 500, 500] {
        now = fail(&guard, GUESSER, 1, now);
        let next = place(guard.ask(ip(GUESSER), now));
        assert_eq!(next.due().since(now), millis(expected));
        guard.leave(next);
    }
}

#[test]
fn a_quiet_while_forgives() {
    let guard = guard();
    let now = fail(&guard, GUESSER, 30, Tick::START);
    guard.sweep(now.plus(Micros::MINUTE.times(4)));
    assert_eq!(guard.addresses(), 1, "four minutes are not enough for sixteen failures");
    guard.sweep(now.plus(Micros::MINUTE.times(5)));
    assert_eq!(guard.addresses(), 0);
}

#[test]
fn two_addresses_of_one_64_share_their_failures_and_the_next_64_does_not() {
    let guard = guard();
    let now = fail(&guard, "2001:db8:1:2::1", 4, Tick::START);
    waits(guard.ask(ip("2001:db8:1:2:ffff::9"), now));
    verifies(guard.ask(ip("2001:db8:1:3::1"), now));
}

#[test]
fn an_ipv4_address_mapped_into_ipv6_is_that_address() {
    let guard = guard();
    let now = fail(&guard, "::ffff:203.0.113.7", 4, Tick::START);
    waits(guard.ask(ip("203.0.113.7"), now));
    verifies(guard.ask(ip("::ffff:203.0.113.8"), now));
}

#[test]
fn a_failure_without_a_turn_counts_too() {
    let guard = guard();
    guard.fail(ip(GUESSER), Tick::START);
    assert_eq!(place(guard.ask(ip(GUESSER), Tick::START)).due(), Tick::new(125_000));
}

#[test]
fn a_full_table_forgets_those_that_failed_the_longest_ago() {
    let guard = Guard::new(GuardSettings { addresses: 16, ..GuardSettings::default() });
    for nth in 0..16 {
        guard.fail(ip(&format!("192.0.2.{nth}")), Tick::new(nth * 1_000));
    }
    let now = Tick::new(20_000);
    verifies(guard.ask(ip("198.51.100.1"), now));
    assert!(guard.addresses() <= 16);
    verifies(guard.ask(ip("192.0.2.0"), now));
    waits(guard.ask(ip("192.0.2.15"), now));
}

#[test]
fn a_table_of_addresses_that_all_verify_refuses_one_more() {
    let guard = Guard::new(GuardSettings { addresses: 2, ..GuardSettings::default() });
    let first = pass(guard.ask(ip("192.0.2.1"), Tick::START));
    let _second = pass(guard.ask(ip("192.0.2.2"), Tick::START));
    assert_eq!(guard.ask(ip("192.0.2.3"), Tick::START), Turn::Refuse);
    guard.settle(first, Outcome::Accepted, Tick::START);
    verifies(guard.ask(ip("192.0.2.3"), Tick::START));
}

#[derive(Clone, Debug)]
enum Step {
    Ask(u8),
    AskAgain(usize),
    Settle(usize, Outcome),
    Forget(usize),
    Later(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let outcome = prop_oneof![Just(Outcome::Accepted), Just(Outcome::Failed), Just(Outcome::Unknown)];
    prop_oneof![
        4 => any::<u8>().prop_map(|address| Step::Ask(address % 8)),
        4 => any::<usize>().prop_map(Step::AskAgain),
        3 => (any::<usize>(), outcome).prop_map(|(nth, outcome)| Step::Settle(nth, outcome)),
        1 => any::<usize>().prop_map(Step::Forget),
        3 => (0_u32..3_000_000).prop_map(Step::Later),
    ]
}

/// What the test remembers of a guard that it drives at random.
#[derive(Default)]
struct World {
    now: u64,
    places: Vec<(u8, Place)>,
    running: Vec<(u8, Pass, u64)>,
}

impl World {
    fn take(&mut self, address: u8, turn: Turn, settings: &GuardSettings) {
        match turn {
            Turn::Wait(place) => self.places.push((address, place)),
            Turn::Refuse => {}
            Turn::Verify(pass) => {
                let until = self.now + settings.verification.count();
                self.running.push((address, pass, until));
                let live = self.running.iter().filter(|(of, _, until)| *of == address && *until > self.now);
                assert!(live.count() <= settings.at_once, "too many verifications of one address at a time");
            }
        }
    }

    fn apply(&mut self, guard: &Guard, step: &Step, settings: &GuardSettings) {
        let now = Tick::new(self.now);
        match *step {
            Step::Ask(address) => {
                let turn = guard.ask(IpAddr::from([192, 0, 2, address]), now);
                self.take(address, turn, settings);
            }
            Step::AskAgain(nth) if !self.places.is_empty() => {
                let (address, place) = self.places.swap_remove(nth % self.places.len());
                self.take(address, guard.ask_again(place, now), settings);
            }
            Step::Forget(nth) if !self.places.is_empty() => {
                self.places.swap_remove(nth % self.places.len());
            }
            Step::Settle(nth, outcome) if !self.running.is_empty() => {
                let (_, pass, _) = self.running.swap_remove(nth % self.running.len());
                guard.settle(pass, outcome, now);
            }
            Step::AskAgain(_) | Step::Forget(_) | Step::Settle(..) => {}
            Step::Later(micros) => self.now += u64::from(micros),
        }
    }
}

proptest! {
    #[test]
    fn bounds_hold_and_everything_is_forgotten_in_the_end(
        steps in proptest::collection::vec(step(), 0..300),
        at_once in 1_usize..4,
    ) {
        let settings = GuardSettings { addresses: 6, waiting: 3, at_once, ..GuardSettings::default() };
        let guard = Guard::new(settings);
        let mut world = World::default();
        for step in &steps {
            world.apply(&guard, step, &settings);
            prop_assert!(guard.addresses() <= settings.addresses);
            for lane in guard.lock().by_source.values() {
                prop_assert!(lane.waiting() <= settings.waiting * LONGER_LINE);
            }
        }
        guard.sweep(Tick::new(world.now).plus(Micros::MINUTE.times(6)));
        prop_assert_eq!(guard.addresses(), 0);
    }

    #[test]
    fn whoever_keeps_asking_verifies_in_the_end(others in 0_usize..32, failures in 0_usize..20) {
        let guard = guard();
        let mut now = fail(&guard, GUESSER, failures, Tick::START);
        for _ in 0..others {
            let _gone = guard.ask(ip(GUESSER), now);
        }
        let mut turn = guard.ask(ip(GUESSER), now);
        let begin = now;
        while let Turn::Wait(place) = turn {
            now = place.due();
            turn = guard.ask_again(place, now);
        }
        prop_assert!(matches!(turn, Turn::Verify(_)));
        prop_assert!(now.since(begin) <= Micros::SECOND.times(20), "{:?}", now.since(begin));
    }
}
