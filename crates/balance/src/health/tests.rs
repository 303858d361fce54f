use super::*;
use crate::failure::Failure;
use crate::selector::{Selector, SelectorError};
use crate::settings::Settings;
use weir_units::Micros;

fn address(number: u16) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1], number))
}

fn selector(numbers: &[u16], health: &Health) -> Result<Selector, SelectorError> {
    let targets = numbers.iter().map(|number| Target::new(address(*number), &format!("hub{number}")));
    Selector::new(targets, Settings::hub(), health)
}

fn mark(selector: &Selector, number: u16, now: Tick) {
    let attempt = selector.heartbeat(address(number)).unwrap();
    assert!(selector.failed(attempt, Failure::TimedOut, now).transition.is_some());
}

fn known(health: &Health) -> Vec<u16> {
    health.list(Tick::START).iter().map(|listing| listing.address.port()).collect()
}

#[test]
fn a_full_list_forgets_first_what_has_nothing_to_remember_then_the_oldest_mark() {
    let health = Health::new(3);
    let now = |seconds| Tick::START.plus(Micros::SECOND.times(seconds));
    let first = selector(&[1, 2, 3], &health).unwrap();
    assert_eq!(selector(&[4], &health).unwrap_err(), SelectorError::Full(TableFull { bound: 3 }));
    mark(&first, 1, now(20));
    mark(&first, 2, now(10));
    drop(first);
    let second = selector(&[4], &health).unwrap();
    assert_eq!(known(&health), [1, 2, 4], "3 had nothing to remember");
    drop(second);
    let third = selector(&[5, 6], &health).unwrap();
    assert_eq!(known(&health), [1, 5, 6], "2 was tried longest ago");
    drop(third);
}

#[test]
fn marks_outlive_the_selectors_that_made_them_and_are_shared() {
    let health = Health::default();
    let first = selector(&[1, 2], &health).unwrap();
    mark(&first, 1, Tick::START);
    drop(first);
    let other = selector(&[1], &health).unwrap();
    let due = Tick::START.plus(Micros::MINUTE);
    assert!(matches!(other.pick(Tick::START), crate::Pick::NoneUntil(at) if at == due));
    assert_eq!(health.unhealthy().len(), 1);
    assert_eq!(health.unhealthy()[0].address, address(1));
}

#[test]
fn what_the_administrator_said_is_never_forgotten() {
    let health = Health::new(1);
    drop(selector(&[1], &health).unwrap());
    health.disable(address(1), Tick::START).unwrap();
    assert_eq!(selector(&[2], &health).unwrap_err(), SelectorError::Full(TableFull { bound: 1 }));
    health.enable(address(1), Tick::START).unwrap();
    assert!(selector(&[2], &health).is_ok());
}

#[test]
fn a_listing_says_state_mark_and_probe() {
    let health = Health::default();
    let selector = selector(&[1, 2, 3, 4, 5], &health).unwrap();
    let proved = selector.heartbeat(address(2)).unwrap();
    assert!(selector.connected(proved, Tick::START).is_some());
    mark(&selector, 3, Tick::START);
    health.drain(address(4), Tick::START).unwrap();
    health.disable(address(5), Tick::START).unwrap();
    let held = selector.probe(Tick::START).unwrap();
    let list = health.list(Tick::START);
    assert_eq!(list.iter().map(|listing| listing.state).collect::<Vec<_>>(), State::ALL);
    assert_eq!(
        list.iter().map(|listing| listing.probing).collect::<Vec<_>>(),
        [true, false, false, false, false]
    );
    assert_eq!(
        list.iter().map(|listing| listing.mark.is_some()).collect::<Vec<_>>(),
        [false, false, true, false, false]
    );
    assert_eq!(&*list[0].name, "hub1");
    assert_eq!(health.count().map(|(_, count)| count), [1; 5]);
    assert_eq!(held.address(), address(1));
}

#[test]
fn an_address_that_nobody_names_is_unknown() {
    let health = Health::default();
    let unknown = UnknownTarget { address: address(9) };
    assert_eq!(health.enable(address(9), Tick::START), Err(unknown));
    assert_eq!(health.drain(address(9), Tick::START), Err(unknown));
    assert_eq!(health.disable(address(9), Tick::START), Err(unknown));
    assert_eq!(health.retry_now(address(9), Tick::START), Err(unknown));
    assert_eq!(unknown.to_string(), "no target is known at 10.0.0.1:9; `target list` shows those that are");
}
