use super::*;

const OPEN: RopId = RopId(0x02);
const CREATE: RopId = RopId(0x1C);

fn at(millis: u64) -> Tick {
    Tick::START.plus(Millis::new(millis).micros())
}

fn of_types(rop_types: &[(RopId, u64)]) -> Backoff {
    let rop_types = rop_types.iter().map(|(id, millis)| (*id, Millis::new(*millis))).collect();
    Backoff { rop_types, ..Backoff::default() }
}

#[test]
fn a_logon_waits_and_the_others_do_not() {
    let mut holds = Holds::default();
    holds.back_off(&Backoff::logon(3, Millis::new(40)), at(100));
    assert_eq!(holds.of(3, OPEN), at(140));
    assert!(holds.of(2, OPEN) <= at(100));
}

#[test]
fn a_type_waits_and_the_others_of_its_logon_do_not() {
    let mut holds = Holds::default();
    holds.back_off(&of_types(&[(CREATE, 40), (OPEN, 7)]), at(100));
    assert_eq!((holds.of(0, CREATE), holds.of(0, OPEN)), (at(140), at(107)));
    assert!(holds.of(0, RopId(4)) <= at(100) && holds.of(1, CREATE) <= at(100));
}

#[test]
fn who_is_told_again_waits_for_whichever_is_longer() {
    let mut holds = Holds::default();
    for (now, millis, until) in [(100, 40, 140), (120, 10, 140), (120, 30, 150), (200, 5, 205)] {
        holds.back_off(&Backoff::logon(0, Millis::new(millis)), at(now));
        assert_eq!(holds.of(0, OPEN), at(until));
    }
    holds.all(Millis::new(1000), at(200));
    assert_eq!((holds.of(9, OPEN), holds.of_all()), (at(1200), at(1200)));
}

#[test]
fn what_is_over_takes_no_room() {
    let mut holds = Holds::default();
    for logon in 0..=u8::MAX {
        let now = u64::from(logon) * 10;
        holds.back_off(&Backoff::logon(logon, Millis::new(5)), at(now));
        holds.back_off(&Backoff { logon, ..of_types(&[(OPEN, 5)]) }, at(now));
        assert_eq!((holds.logons.len(), holds.types.len()), (1, 1));
    }
}
