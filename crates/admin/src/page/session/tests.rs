use super::*;

const MINUTE: u64 = 60_000_000;

fn at(minute: u64) -> Tick {
    Tick::new(minute * MINUTE)
}

fn sessions(most: usize) -> Sessions {
    Sessions::new(Bounds { most, idle: Micros::MINUTE.times(10), lifetime: Micros::MINUTE.times(60) })
}

fn viewer(role: Role) -> Viewer {
    Viewer { role, form_token: "t".to_owned() }
}

#[test]
fn a_session_is_found_until_it_is_closed() {
    let mut sessions = sessions(4);
    sessions.open([1; 32], viewer(Role::Helpdesk), at(0));
    assert_eq!(sessions.find(&[1; 32], at(1)), Some(viewer(Role::Helpdesk)));
    assert_eq!(sessions.find(&[2; 32], at(1)), None);
    sessions.close(&[1; 32]);
    assert_eq!(sessions.find(&[1; 32], at(1)), None);
}

#[test]
fn a_session_that_nobody_uses_ends_and_looking_whether_it_lives_is_no_use() {
    let mut sessions = sessions(4);
    sessions.open([1; 32], viewer(Role::Administrator), at(0));
    assert!(sessions.lives(&[1; 32], at(9)));
    assert!(!sessions.lives(&[1; 32], at(10)));
    assert_eq!(sessions.find(&[1; 32], at(10)), None);
}

#[test]
fn a_session_in_steady_use_ends_at_the_end_of_its_life() {
    let mut sessions = sessions(4);
    sessions.open([1; 32], viewer(Role::Administrator), at(0));
    for minute in (5..60).step_by(5) {
        assert!(sessions.find(&[1; 32], at(minute)).is_some(), "minute {minute}");
    }
    assert_eq!(sessions.find(&[1; 32], at(60)), None);
}

#[test]
fn where_the_table_is_full_the_session_unused_for_longest_makes_room() {
    let mut sessions = sessions(2);
    sessions.open([1; 32], viewer(Role::Administrator), at(0));
    sessions.open([2; 32], viewer(Role::Administrator), at(1));
    assert!(sessions.find(&[1; 32], at(2)).is_some());
    sessions.open([3; 32], viewer(Role::Administrator), at(3));
    assert!(sessions.lives(&[1; 32], at(3)) && sessions.lives(&[3; 32], at(3)));
    assert!(!sessions.lives(&[2; 32], at(3)));
}
