use std::sync::Mutex;

use weir_transport::next_hop::Targets;
use weir_units::{Micros, Tick};

use super::{Flight, Found, Remembered};
use crate::resolver::Asked;

fn asked(domain: &str) -> Asked {
    Asked::Domain(domain.parse().unwrap())
}

fn at(second: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(second))
}

fn holding(seconds: u64) -> Targets {
    Targets { levels: Vec::new(), holds_for: Micros::SECOND.times(seconds) }
}

#[test]
fn a_further_entry_drives_out_the_one_that_lapses_first() {
    let mut remembered = Remembered::new(2);
    for (domain, seconds) in [("a.test", 90), ("b.test", 30), ("c.test", 60)] {
        remembered.hold(&asked(domain), &holding(seconds), at(0));
    }
    let held = |remembered: &mut Remembered, domain: &str, now| match remembered.find(&asked(domain), now) {
        Found::Holds(targets) => Some(targets.holds_for),
        Found::Flight(_) => None,
    };
    assert_eq!(held(&mut remembered, "a.test", at(10)), Some(Micros::SECOND.times(80)));
    assert_eq!(held(&mut remembered, "b.test", at(10)), None);
    assert_eq!(held(&mut remembered, "c.test", at(60)), None);
    assert_eq!((remembered.held.len(), remembered.lapses.len()), (2, 2));
}

#[test]
fn an_entry_that_is_renewed_stands_once() {
    let mut remembered = Remembered::new(10);
    for second in 0..5 {
        remembered.hold(&asked("a.test"), &holding(90), at(second));
    }
    assert_eq!((remembered.held.len(), remembered.lapses.len()), (1, 1));
    remembered.hold(&asked("a.test"), &holding(0), at(5));
    assert_eq!((remembered.held.len(), remembered.lapses.len()), (0, 0));
}

#[test]
fn without_room_nothing_is_remembered() {
    let mut remembered = Remembered::new(0);
    remembered.hold(&asked("a.test"), &holding(90), at(0));
    assert!(remembered.held.is_empty() && remembered.lapses.is_empty());
}

#[test]
fn the_last_to_leave_takes_the_question_away() {
    let remembered = Mutex::new(Remembered::new(10));
    let asked = asked("a.test");
    let join = || {
        let Found::Flight(cell) = remembered.lock().unwrap().find(&asked, at(0)) else { panic!("held") };
        Flight { remembered: &remembered, asked: &asked, cell }
    };
    let (one, other) = (join(), join());
    drop(one);
    assert_eq!(remembered.lock().unwrap().flights.len(), 1);
    drop(other);
    assert_eq!(remembered.lock().unwrap().flights.len(), 0);
}
