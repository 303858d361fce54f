use super::*;

#[test]
fn a_peer_without_shadows_waits_until_the_message_went_on_or_the_delay_is_over() {
    let seconds = |count| Tick::START.plus(Micros::SECOND.times(count));
    let thirty = Micros::SECOND.times(30);
    let at = |shadow, decided, delay, now| acknowledge(shadow, decided, delay, seconds(5), seconds(now));
    assert_eq!(at(false, false, thirty, 5), Acknowledge::At(seconds(35)));
    assert_eq!(at(false, false, thirty, 34), Acknowledge::At(seconds(35)));
    assert_eq!(at(false, false, thirty, 35), Acknowledge::Now);
    assert_eq!(at(false, true, thirty, 6), Acknowledge::Now);
    assert_eq!(at(true, false, thirty, 6), Acknowledge::Now);
    assert_eq!(at(false, false, Micros::ZERO, 5), Acknowledge::Now);
}
