//! What an administrator sees of the queues and does to them, while servers take their time.

use crate::hub::{Hub, PATIENCE, Settings};
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::place::Place;
use crate::support::eventually;

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_queue_that_waits_is_listed_with_its_reason_and_goes_when_it_is_told_to() {
    let place = Place::new();
    let hub = Hub::relay(&place, &[place.at(11, 25)], Settings::new());
    Source::send(&place, hub.smtp, Load::of(20, "r@pool.test"));
    let waiting = hub.queue_waits("out-*.test");
    assert_eq!(waiting["state"], "Retry", "{waiting}");
    assert!(
        waiting["last_error"].as_str().unwrap().contains("10061")
            || waiting["last_error"].as_str().unwrap().contains("refused"),
        "{waiting}"
    );
    let name = waiting["next_hop"].as_str().unwrap();
    assert!(hub.server.run(&["queue", "list"]).contains(name));
    let sink = Sink::start(&place, place.at(11, 25));
    hub.server.run(&["target", "retry", &sink.address().to_string()]);
    hub.server.run(&["queue", "retry", name]);
    assert_eq!(sink.waits_for(20), 20);
    assert!(hub.is_empty());
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn what_a_server_does_not_confirm_is_sent_again_and_what_it_confirms_is_not() {
    for how in [["-q", "."], ["-Q", "."], ["-q", "rcpt"], ["-Q", "data"], ["-r", "."], ["-r", "rcpt"]] {
        let place = Place::new();
        let address = place.at(11, 25);
        let bad = Sink::start_with(&place, address, &how);
        let settings = Settings::new()
            .transport("message_retry_interval = \"1s\"\nqueue_glitch_retry_interval = \"1s\"");
        let hub = Hub::relay(&place, &[address], settings);
        Source::send(&place, hub.smtp, Load::of(5, "r@pool.test"));
        let waiting = hub.queue_waits("out-*.test");
        assert_eq!(hub.queued(), 5, "{how:?}: {waiting}");
        drop(bad);
        let good = Sink::start(&place, address);
        assert_eq!(good.waits_for(5), 5, "{how:?}: {:#?}", hub.listing(&["queue", "list"]));
        assert!(hub.is_empty());
    }
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_restart_loses_nothing_and_goes_on_where_it_was() {
    let place = Place::new();
    let mut hub = Hub::relay(&place, &[place.at(11, 25)], Settings::new());
    Source::send(&place, hub.smtp, Load::of(200, "r@pool.test"));
    assert_eq!(hub.server.stop(), Some(0));
    hub.server.start_again();
    let all_there = eventually(PATIENCE, || (hub.queued() == 200).then_some(()));
    assert!(all_there.is_some(), "{} are left", hub.queued());
    let sink = Sink::start(&place, place.at(11, 25));
    hub.server.run(&["target", "retry", &sink.address().to_string()]);
    assert_eq!(sink.waits_for(200), 200, "{:#?}", hub.listing(&["queue", "list"]));
}
