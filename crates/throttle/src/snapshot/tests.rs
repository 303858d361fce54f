use super::*;
use crate::{Limits, Policy};
use weir_units::Component;

fn part(allowance: u64, used: u64) -> PartState {
    PartState { allowance: Some(Millis::new(allowance).micros()), used: Millis::new(used).micros() }
}

fn sample() -> Snapshot {
    Snapshot {
        connections: 1,
        time: [part(30_000, 0), part(54_000, 17_093), part(30_000, 0), part(36_000, 15)],
        find_count: (Some(1000), 0),
        hash: 14_366_112,
        subscriptions: (Some(5000), 0),
        waiting: 3,
        hanging: 2,
    }
}

#[test]
fn a_snapshot_prints_as_the_documents_do() {
    assert_eq!(
        sample().to_string(),
        "Conn:1,AD:30000/30000/0%,CAS:54000/36907/28%,AB:30000/30000/0%,RPC:36000/35985/0%,FC:1000/0,\
         Hash:14366112,Sub:5000/0"
    );
}

#[test]
fn the_fullest_part_is_the_one_of_which_the_largest_share_is_used() {
    let limits = *Limits::resolve(&Policy::new(), &Policy::fallback()).component(Component::Ews);
    let check = |snapshot: Snapshot, fullest| assert_eq!(snapshot.fullest(&limits), Some(fullest));
    check(sample(), (Part::Time(TimePart::Cas), 31));
    check(Snapshot { connections: 9, ..sample() }, (Part::MaxConcurrency, 90));
    check(Snapshot { hanging: 10, ..sample() }, (Part::HangingConnections, 100));
    check(Snapshot { find_count: (Some(1000), 999), ..sample() }, (Part::FindCount, 99));
    check(Snapshot { subscriptions: (Some(5000), 5000), ..sample() }, (Part::MaxSubscriptions, 100));
    check(crate::Budget::new().snapshot(&limits, weir_units::Tick::START), (Part::Time(TimePart::Cas), 0));
    check(Snapshot { find_count: (Some(0), 0), ..sample() }, (Part::FindCount, 100));
    let debt = [part(30_000, 61_000), part(54_000, 61_000), part(30_000, 0), part(36_000, 15)];
    check(Snapshot { time: debt, ..sample() }, (Part::Time(TimePart::Ad), 203));
}

#[test]
fn where_nothing_is_limited_nothing_is_full() {
    let limits = crate::ComponentLimits::unlimited(Component::Ews);
    let snapshot = crate::Budget::new().snapshot(&limits, weir_units::Tick::START);
    assert_eq!(snapshot.fullest(&limits), None);
}

#[test]
fn no_limit_prints_as_null() {
    let none = PartState { allowance: None, used: Micros::SECOND };
    let snapshot = Snapshot { time: [none; 4], find_count: (None, 7), subscriptions: (None, 0), ..sample() };
    assert_eq!(
        snapshot.to_string(),
        "Conn:1,AD:$null/$null/0%,CAS:$null/$null/0%,AB:$null/$null/0%,RPC:$null/$null/0%,FC:$null/7,\
         Hash:14366112,Sub:$null/0"
    );
}

#[test]
fn debt_prints_below_zero() {
    assert_eq!(part(54_000, 60_000).to_string(), "54000/-6000/100%");
    assert_eq!(part(54_000, 54_000).to_string(), "54000/0/90%");
}

#[test]
fn an_owner_has_the_same_number_for_ever() {
    let hash = |name: &str| owner_hash(&Owner::new(name));
    assert_eq!(hash("john.doe@example.com"), hash("John.Doe@example.com"));
    assert_ne!(hash("john.doe@example.com"), hash("jane.doe@example.com"));
    assert_eq!(hash(""), 0x811c_9dc5);
    assert_eq!(hash("a"), 0xe40c_292c);
}

#[test]
fn an_account_prints_its_owners_number() {
    let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
    let budgets = crate::Budgets::<()>::new(1);
    let owner = Owner::new("a");
    let account = budgets.of(&owner, Component::Ews, weir_units::Tick::START).unwrap();
    let snapshot = account.snapshot(limits.component(Component::Ews), weir_units::Tick::START);
    assert_eq!(snapshot.hash, 0xe40c_292c);
    assert!(snapshot.to_string().ends_with(",FC:1000/0,Hash:3826002220,Sub:5000/0"));
}
