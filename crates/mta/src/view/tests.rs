use weir_balance::Health;
use weir_transport::next_hop::{Level, Levels};
use weir_wire::smtp::{Mail, Recipient};

use super::*;
use crate::envelope::Waiting;

/// A quarter past three on the ninth of March 2010.
const WALL: i64 = 1_268_147_700_000_000;

fn listing() -> Listing {
    Listing {
        state: QueueState::Retry,
        ready: 3,
        sending: 1,
        deferred: 2,
        connections: 0,
        connection_limit: 5,
        last_error: Some("connection refused".into()),
        retry_count: 2,
        first_failure: Some(Tick::new(40_000_000)),
        last_failure: Some(Tick::new(100_000_000)),
        next_retry: Some(Tick::new(160_000_000)),
        incoming: 120,
        outgoing: 30,
    }
}

#[test]
fn moments_of_a_queue_are_times_of_day_whether_past_or_to_come() {
    let now = Tick::new(130_000_000);
    let key = NextHopKey::SmartHosts("lab".into());
    let view = QueueView::new(key, listing(), Vec::new(), now, WallTime::from_unix_micros(WALL));
    let seconds = |moment: Option<WallTime>| moment.unwrap().unix_seconds() - WALL / 1_000_000;
    assert_eq!([view.first_retry, view.last_retry, view.next_retry].map(seconds), [-90, -30, 30]);
    assert_eq!(view.messages(), 6);
    let rates = format!("{} {} {}", view.incoming_rate, view.outgoing_rate, view.velocity);
    assert_eq!(rates, "2 0.5 -1.5", "messages a second");
}

#[test]
fn the_targets_of_a_queue_are_shown_level_by_level_with_their_states() {
    let target = |port: u16| weir_balance::Target::new(([127, 0, 0, 11], port).into(), "mx.pool.test");
    let health = Health::default();
    let level = |preference, ports: &[u16]| Level {
        preference,
        targets: ports.iter().copied().map(target).collect(),
    };
    let levels = [level(10, &[2603, 2602]), level(20, &[2601])];
    let levels = Levels::new(&levels, None, weir_balance::Settings::hub(), &health).unwrap();
    let known = health.list(Tick::START).into_iter().map(|listed| (listed.address, listed)).collect();
    let shown = QueueView::targets_of(&levels, &known);
    let ports: Vec<_> = shown.iter().map(|target| target.address.port()).collect();
    assert_eq!(ports, [2603, 2602, 2601]);
    assert!(shown.iter().all(|target| target.state == weir_balance::State::Unproved));
}

#[test]
fn a_message_is_shown_with_each_recipients_standing_and_expiry() {
    let to = |address: &str| Recipient::new(ForwardPath::Mailbox(address.parse().unwrap()));
    let envelope = Envelope {
        mail: Mail::new(ReversePath::Null),
        recipients: ["a@pool.test", "b@example.com"].map(to).into(),
        accepted: WallTime::from_unix_micros(WALL),
        bytes: 1_234,
        eight_bit: false,
        origin: Provenance::default(),
    };
    let key: NextHopKey = "DnsConnectorDelivery/pool.test/lab".parse().unwrap();
    let waiting = Standing::Waiting(Waiting { attempts: 2, ..Waiting::default() });
    let recipients = [(waiting.clone(), Some(key.clone()), None), (Standing::Done, None, None)];
    let view = MessageView::new(MessageId::new(7), &envelope, recipients, Micros::MINUTE);
    assert_eq!(view.expires.since(view.accepted), Micros::MINUTE);
    let shown: Vec<_> = view
        .recipients
        .iter()
        .map(|recipient| (recipient.to.to_string(), recipient.standing.clone()))
        .collect();
    assert_eq!(
        shown,
        [("<a@pool.test>".to_owned(), waiting), ("<b@example.com>".to_owned(), Standing::Done)]
    );
    assert_eq!(view.next_hops().into_iter().collect::<Vec<_>>(), [&key]);
}
