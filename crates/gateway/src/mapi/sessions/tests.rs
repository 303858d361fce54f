use std::sync::Arc;

use weir_units::{Micros, Owner, Tick};

use super::{ENDED, Session, SessionSettings, Sessions, SessionsFull};
use crate::mapi::session::NewSession;
use crate::mapi::testing::new_session;

const SETTINGS: SessionSettings = SessionSettings {
    sessions: 3,
    sessions_per_owner: 2,
    idle: Micros::MINUTE,
    pending_period: Micros::SECOND,
    notification_wait: Micros::SECOND,
};

fn open(sessions: &Sessions, owner: &str, name: Option<&str>) -> Result<Arc<Session>, SessionsFull> {
    let new = NewSession { client_info: name.map(str::to_owned), ..new_session(owner) };
    sessions.open(new, &SETTINGS, Tick::START)
}

#[test]
fn a_session_is_found_by_its_cookie_and_by_its_owners_name_for_it() {
    let sessions = Sessions::new();
    let one = open(&sessions, "john", Some("{A}:1")).unwrap();
    let other = open(&sessions, "john", Some("{A}:2")).unwrap();
    assert_ne!(one.key, other.key);
    assert_eq!(sessions.of_cookie(one.key).unwrap().id, one.id);
    assert_eq!(sessions.called(&Owner::new("john"), "{A}:2").unwrap().id, other.id);
    assert!(sessions.called(&Owner::new("jane"), "{A}:2").is_none());
    open(&sessions, "jane", None).unwrap();
    assert_eq!(sessions.of_owner(&Owner::new("john")).len(), 2);
    assert!(sessions.of_owner(&Owner::new("ken")).is_empty());
}

#[test]
fn there_are_no_more_than_the_bounds_say() {
    let sessions = Sessions::new();
    open(&sessions, "john", None).unwrap();
    let last = open(&sessions, "john", None).unwrap();
    assert_eq!(open(&sessions, "john", None).unwrap_err(), SessionsFull::OfOwner(2));
    open(&sessions, "jane", None).unwrap();
    assert_eq!(sessions.has_room(&Owner::new("jim"), &SETTINGS), Err(SessionsFull::All(3)));
    assert!(sessions.close(&last));
    assert!(!sessions.close(&last), "it was closed before");
    open(&sessions, "jim", None).unwrap();
}

#[test]
fn a_client_that_begins_anew_ends_its_last_session() {
    let sessions = Sessions::new();
    let first = open(&sessions, "john", Some("{A}:1")).unwrap();
    let second = open(&sessions, "john", Some("{A}:1")).unwrap();
    assert!(sessions.of_cookie(first.key).is_none());
    assert!(!sessions.close(&first));
    assert_eq!(sessions.called(&Owner::new("john"), "{A}:1").unwrap().id, second.id);
}

#[test]
fn a_session_that_nobody_uses_is_forgotten() {
    let sessions = Sessions::new();
    let used = open(&sessions, "john", Some("{A}:1")).unwrap();
    open(&sessions, "jane", Some("{A}:1")).unwrap();
    let in_use = used.begins(Tick::START);
    sessions.sweep(SETTINGS.idle, Tick::START.plus(Micros::MINUTE));
    assert_eq!(sessions.all().iter().map(|session| session.id).collect::<Vec<_>>(), [used.id]);
    drop(in_use);
    assert!(sessions.end(used.id));
    assert!(!sessions.end(used.id) && sessions.all().is_empty());
    assert!(sessions.tables.read().unwrap().of_owner.is_empty(), "nothing is left of them");
    assert!(sessions.tables.read().unwrap().by_client.is_empty());
}

#[test]
fn those_that_were_ended_by_hand_are_remembered_as_long_as_there_is_room() {
    let sessions = Sessions::new();
    let first = open(&sessions, "john", None).unwrap();
    sessions.close(&first);
    assert!(!sessions.was_ended(first.key), "it ended by itself");
    let ended: Vec<_> = (0..=ENDED)
        .map(|_| {
            let session = open(&sessions, "john", None).unwrap();
            assert!(sessions.end(session.id));
            session.key
        })
        .collect();
    assert!(!sessions.was_ended(ended[0]) && ended[1..].iter().all(|key| sessions.was_ended(*key)));
}
