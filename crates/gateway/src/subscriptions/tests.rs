use std::collections::BTreeMap;

use proptest::prelude::*;
use weir_units::{Micros, Tick};

use super::{LONGEST_ID, Opened, Subscriptions};

const TEN_MINUTES: Micros = Micros::new(600_000_000);

fn minute(count: u64) -> Tick {
    Tick::START.plus(Micros::MINUTE.times(count))
}

#[test]
fn a_subscription_ends_with_its_timeout() {
    let mut subscriptions = Subscriptions::new(10);
    assert_eq!(subscriptions.opened("a", TEN_MINUTES, minute(0)), Opened::Counted);
    assert_eq!(subscriptions.next_deadline(), Some(minute(10)));
    assert_eq!(subscriptions.expired(Tick::new(599_999_999)), 0);
    assert_eq!(subscriptions.expired(minute(10)), 1);
    assert_eq!(subscriptions.expired(minute(10)), 0, "given back once");
    assert!(subscriptions.is_empty());
}

#[test]
fn fetching_its_events_prolongs_a_subscription() {
    let mut subscriptions = Subscriptions::new(10);
    subscriptions.opened("a", TEN_MINUTES, minute(0));
    assert!(subscriptions.used("a", minute(9)));
    assert_eq!(subscriptions.expired(minute(18)), 0);
    assert_eq!(subscriptions.expired(minute(19)), 1);
    assert!(!subscriptions.used("a", minute(19)), "the origin has forgotten it");
}

#[test]
fn a_closed_subscription_is_given_back_once() {
    let mut subscriptions = Subscriptions::new(10);
    subscriptions.opened("a", TEN_MINUTES, minute(0));
    assert!(subscriptions.closed("a"));
    assert!(!subscriptions.closed("a"));
    assert_eq!(subscriptions.expired(minute(20)), 0);
}

#[test]
fn the_same_id_again_is_the_same_subscription() {
    let mut subscriptions = Subscriptions::new(1);
    subscriptions.opened("a", TEN_MINUTES, minute(0));
    assert_eq!(subscriptions.opened("a", TEN_MINUTES, minute(5)), Opened::Again);
    assert_eq!(
        (subscriptions.len(), subscriptions.expired(minute(14)), subscriptions.expired(minute(15))),
        (1, 0, 1)
    );
}

#[test]
fn what_does_not_fit_is_not_counted() {
    let mut subscriptions = Subscriptions::new(2);
    subscriptions.opened("a", TEN_MINUTES, minute(0));
    assert_eq!(subscriptions.opened(&"x".repeat(LONGEST_ID + 1), TEN_MINUTES, minute(0)), Opened::Untracked);
    assert_eq!(subscriptions.opened(&"x".repeat(LONGEST_ID), TEN_MINUTES, minute(0)), Opened::Counted);
    assert_eq!(subscriptions.opened("c", TEN_MINUTES, minute(0)), Opened::Untracked);
    assert_eq!(subscriptions.len(), 2);
    assert!(!subscriptions.closed("c"));
}

proptest! {
    /// Counting up on `Counted` and down on what is given back never differs from a plain map of deadlines.
    #[test]
    fn the_count_agrees_with_a_plain_map(steps in proptest::collection::vec((0_u8..4, 0_u8..6, 0_u64..8), 0..200)) {
        let mut subscriptions = Subscriptions::new(4);
        let mut plain: BTreeMap<String, (Tick, Micros)> = BTreeMap::new();
        let (mut counted, mut now) = (0_usize, Tick::START);
        for (step, id, minutes) in steps {
            let (id, timeout) = (id.to_string(), Micros::MINUTE.times(minutes + 1));
            match step {
                0 => {
                    counted += usize::from(subscriptions.opened(&id, timeout, now) == Opened::Counted);
                    if plain.len() < 4 || plain.contains_key(&id) {
                        plain.insert(id, (now.plus(timeout), timeout));
                    }
                }
                1 => {
                    prop_assert_eq!(subscriptions.used(&id, now), plain.contains_key(&id));
                    plain.entry(id).and_modify(|(deadline, timeout)| *deadline = now.plus(*timeout));
                }
                2 => {
                    counted -= usize::from(subscriptions.closed(&id));
                    plain.remove(&id);
                }
                _ => {
                    now = now.plus(Micros::MINUTE.times(minutes));
                    counted -= subscriptions.expired(now);
                    plain.retain(|_, (deadline, _)| *deadline > now);
                }
            }
            prop_assert_eq!(counted, plain.len());
            prop_assert_eq!(subscriptions.len(), plain.len());
            prop_assert_eq!(subscriptions.next_deadline(), plain.values().map(|(deadline, _)| *deadline).min());
        }
    }
}
