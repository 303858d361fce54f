use weir_units::Micros;

use super::*;

const ACCEPTED: WallTime = WallTime::from_unix_micros(1_000_000_000);

fn age() -> MessageAge {
    MessageAge { accepted: ACCEPTED, null_sender: false, notify: Notify::default(), delay_noticed: false }
}

fn at(minutes: u64) -> WallTime {
    ACCEPTED.plus(Micros::MINUTE.times(minutes))
}

fn check(age: MessageAge, minutes: u64, expired: bool, notice: Option<Notice>, again: Option<u64>) {
    let expected = Judgement { expired, notice, again: again.map(at) };
    assert_eq!(age.judge(&QueueSettings::default(), at(minutes)), expected, "{age:?} after {minutes} min");
}

#[test]
fn a_sender_hears_once_after_four_hours_and_once_after_two_days() {
    check(age(), 0, false, None, Some(240));
    check(age(), 239, false, None, Some(240));
    check(age(), 240, false, Some(Notice::Delay), Some(2880));
    let noticed = MessageAge { delay_noticed: true, ..age() };
    check(noticed, 241, false, None, Some(2880));
    check(noticed, 2879, false, None, Some(2880));
    check(noticed, 2880, true, Some(Notice::Failure), None);
    check(age(), 9999, true, Some(Notice::Failure), None);
}

#[test]
fn nobody_hears_of_a_message_without_a_sender() {
    let null = MessageAge { null_sender: true, ..age() };
    check(null, 240, false, None, Some(2880));
    check(null, 2880, true, None, None);
    assert_eq!(null.failure(), None);
}

#[test]
fn a_sender_hears_what_he_asked_for() {
    let never = MessageAge { notify: Notify { failure: false, delay: false }, ..age() };
    check(never, 240, false, None, Some(2880));
    check(never, 2880, true, None, None);
    let failure = MessageAge { notify: Notify { failure: true, delay: false }, ..age() };
    check(failure, 240, false, None, Some(2880));
    check(failure, 2880, true, Some(Notice::Failure), None);
}

#[test]
fn a_deferred_message_is_tried_after_the_interval_and_at_its_expiry_at_the_latest() {
    let settings = QueueSettings::default();
    assert_eq!(age().next_retry(&settings, at(0)), at(5));
    assert_eq!(age().next_retry(&settings, at(2878)), at(2880));
    assert_eq!(age().next_retry(&settings, at(2880)), at(2885), "never in the past");
}

#[test]
fn a_clock_set_back_expires_nothing() {
    let before = WallTime::from_unix_micros(0);
    assert!(!age().judge(&QueueSettings::default(), before).expired);
}
