use weir_units::Micros;

use super::*;

fn id(text: &str) -> ShadowId {
    text.parse().unwrap()
}

fn at(minutes: u64) -> Tick {
    Tick::START.plus(Micros::MINUTE.times(minutes))
}

fn copy(number: u64, next_hop: &str) -> Copy {
    Copy { id: MessageId::new(number), places: vec![0, 2], next_hop: next_hop.parse().unwrap() }
}

const SITE: &str = "SmtpRelayToRemoteSite/there";
const SERVER: &str = "SmtpRelayWithinSite/hub04";

fn hold(kept: &mut Kept, number: u64, next_hop: &str, written: bool) -> Handle {
    let since = WallTime::from_unix_micros(0);
    let shadow = Shadow { partner: id("hub04"), shadow: id(&number.to_string()), database: id("db"), since };
    kept.hold(shadow, copy(number, next_hop), written, Tick::START).unwrap()
}

#[test]
fn a_copy_that_is_on_disk_is_done_when_the_partner_says_so() {
    let mut kept = Kept::new(ShadowSettings::default());
    let handle = hold(&mut kept, 1, SITE, false);
    assert_eq!(kept.written([handle]), Follows::default());
    let (follows, _) = kept.discard(&id("hub04"), &[id("1"), id("2")], 9);
    assert_eq!(follows.done, [copy(1, SITE)]);
    assert!(kept.copies.is_empty());
}

#[test]
fn a_partner_that_is_faster_than_the_disk_is_heard_when_the_disk_is_done() {
    let mut kept = Kept::new(ShadowSettings::default());
    let [one, two] = [1, 2].map(|number| hold(&mut kept, number, SITE, false));
    assert_eq!(kept.discard(&id("hub04"), &[id("1")], 9), (Follows::default(), 0));
    let follows = kept.contact(&id("hub04"), &id("another"), at(1));
    assert_eq!(follows, Follows::default());
    let follows = kept.written([one, two]);
    assert_eq!((follows.done, follows.resubmit), (vec![copy(1, SITE)], vec![copy(2, SITE)]));
    assert!(kept.copies.is_empty());
}

#[test]
fn what_has_no_other_way_is_not_taken_over() {
    let settings = ShadowSettings { shadow_heartbeat_retry_count: 1, ..ShadowSettings::default() };
    let mut kept = Kept::new(settings);
    hold(&mut kept, 1, SITE, true);
    hold(&mut kept, 2, SERVER, true);
    let other_way = |key: &NextHopKey| *key != SERVER.parse().unwrap();
    let (follows, _) = kept.heartbeat_failed(&id("hub04"), other_way, at(15));
    assert_eq!(follows, Follows { done: vec![], resubmit: vec![copy(1, SITE)] });
    assert_eq!(kept.discard(&id("hub04"), &[id("1")], 9), (Follows::default(), 1), "it arrived twice");
    let (follows, silence) = kept.heartbeat_failed(&id("hub04"), other_way, at(30));
    assert_eq!((follows, silence), (Follows::default(), Silence::NoOtherWay { failures: 2 }));
}

#[test]
fn what_is_too_old_goes() {
    let mut kept = Kept::new(ShadowSettings::default());
    hold(&mut kept, 1, SITE, true);
    let old = WallTime::from_unix_micros(0).plus(Micros::MINUTE.times(60 * 48));
    assert_eq!(kept.expired(old).done, [copy(1, SITE)]);
    assert!(kept.copies.is_empty());
}
