use proptest::prelude::*;

use super::*;

fn limits() -> ReceiveLimits {
    ReceiveLimits {
        max_inbound_connection: 100,
        max_connection_rate_per_minute: None,
        ..ReceiveLimits::default()
    }
}

fn address(number: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, number])
}

fn told(admission: Admission) -> String {
    match admission {
        Admission::Admitted => "admitted".to_owned(),
        Admission::Refused { words, .. } => words.to_string(),
    }
}

#[test]
fn one_source_has_its_share_and_others_theirs() {
    let mut sources =
        Sources::new(ReceiveLimits { max_inbound_connection_percentage_per_source: 50, ..limits() });
    let mine =
        (0..50).take_while(|_| sources.connect(address(1), Tick::START) == Admission::Admitted).count();
    assert_eq!(mine, 20);
    assert_eq!(
        told(sources.connect(address(1), Tick::START)),
        "421 4.3.2 The maximum number of concurrent connections from your address has been reached"
    );
    assert_eq!(sources.connect(address(2), Tick::START), Admission::Admitted);
    sources.disconnect(address(1), Tick::START);
    assert_eq!(sources.connect(address(1), Tick::START), Admission::Admitted);
}

#[test]
fn a_source_takes_a_share_of_what_is_left_and_at_least_one() {
    let mut sources = Sources::new(ReceiveLimits { max_inbound_connection: 1000, ..limits() });
    let mut counts = Vec::new();
    for number in 0..200 {
        counts.push(
            (0..50)
                .take_while(|_| sources.connect(address(number), Tick::START) == Admission::Admitted)
                .count(),
        );
    }
    assert_eq!(counts[0], 19, "2 % of the 981 that are left then");
    assert_eq!(counts.last(), Some(&1));
}

#[test]
fn when_all_places_are_taken_everybody_hears_so() {
    let mut sources = Sources::new(limits());
    for number in 0..100 {
        assert_eq!(sources.connect(address(number), Tick::START), Admission::Admitted);
    }
    let full = "421 4.3.2 The maximum number of concurrent connections has been reached";
    assert_eq!(told(sources.connect(address(200), Tick::START)), full);
    sources.disconnect(address(200), Tick::START);
    assert_eq!(sources.open(), 100, "who was not counted gives nothing back");
}

#[test]
fn rates_of_connections_and_messages_are_refused_with_the_time_to_wait() {
    let limits =
        ReceiveLimits { max_connection_rate_per_minute: Some(2), message_rate_limit: Some(1), ..limits() };
    let mut sources = Sources::new(limits);
    let wait = |admission| match admission {
        Admission::Admitted => None,
        Admission::Refused { words, wait } => Some((words.code, wait.unwrap())),
    };
    assert_eq!(wait(sources.connect(address(1), Tick::START)), None);
    assert_eq!(wait(sources.connect(address(2), Tick::START)), None);
    assert_eq!(wait(sources.connect(address(3), Tick::START)), Some((421, Micros::SECOND.times(30))));
    assert_eq!(wait(sources.message(address(1), Tick::START)), None);
    assert_eq!(wait(sources.message(address(1), Tick::START)), Some((421, Micros::MINUTE)));
    assert_eq!(wait(sources.message(address(2), Tick::START)), None);
    assert_eq!(
        told(sources.message(address(2), Tick::START)),
        "421 4.4.2 Message submission rate for this client has exceeded the configured limit"
    );
}

#[test]
fn hanging_up_does_not_make_the_rate_forget() {
    let mut sources = Sources::new(ReceiveLimits { message_rate_limit: Some(1), ..limits() });
    for _ in 0..2 {
        sources.connect(address(1), Tick::START);
        let expected =
            sources.known() == 1 && sources.message(address(1), Tick::START) == Admission::Admitted;
        sources.disconnect(address(1), Tick::START);
        assert_eq!(sources.known(), 1, "{expected}");
    }
    sources.connect(address(1), Tick::START);
    assert_ne!(sources.message(address(1), Tick::START), Admission::Admitted);
    sources.disconnect(address(1), Tick::new(60_000_000));
    assert_eq!(sources.known(), 0, "a minute later nothing is left to remember");
}

#[test]
fn one_network_of_ipv6_is_one_source() {
    let mut sources = Sources::new(ReceiveLimits { max_inbound_connection_per_source: Some(1), ..limits() });
    assert_eq!(sources.connect("2001:db8::1".parse().unwrap(), Tick::START), Admission::Admitted);
    assert_ne!(sources.connect("2001:db8::2".parse().unwrap(), Tick::START), Admission::Admitted);
    assert_eq!(sources.connect("2001:db8:0:1::1".parse().unwrap(), Tick::START), Admission::Admitted);
}

#[test]
fn a_proxy_is_counted_and_has_only_the_limit_of_all() {
    let limits =
        ReceiveLimits { max_inbound_connection: 3, max_inbound_connection_per_source: Some(1), ..limits() };
    let mut sources = Sources::new(limits);
    for _ in 0..3 {
        assert_eq!(sources.connect_proxy(address(1), Tick::START), Admission::Admitted);
    }
    assert_ne!(sources.connect_proxy(address(1), Tick::START), Admission::Admitted);
    sources.disconnect(address(1), Tick::START);
    assert_eq!(sources.open(), 2);
}

proptest! {
    #[test]
    fn counts_are_exact_and_memory_is_bounded(
        acts in prop::collection::vec((0..40_u8, 0..3_u8, 0..2_000_000_u64), 1..400),
    ) {
        let limits = ReceiveLimits {
            max_inbound_connection: 12,
            max_inbound_connection_percentage_per_source: 100,
            max_inbound_connection_per_source: Some(3),
            message_rate_limit: Some(5),
            sources: 4,
            ..limits()
        };
        let mut sources = Sources::new(limits);
        let mut open = [0_u32; 40];
        let mut now = 0;
        for (who, act, gap) in acts {
            now += gap;
            let (now, mine) = (Tick::new(now), usize::from(who));
            match act {
                0 => {
                    let left = 12 - open.iter().sum::<u32>();
                    let expected = left > 0 && open[mine] < 3.min(left.max(1));
                    let admitted = sources.connect(address(who), now) == Admission::Admitted;
                    prop_assert_eq!(admitted, expected);
                    open[mine] += u32::from(admitted);
                }
                1 if open[mine] > 0 => {
                    sources.disconnect(address(who), now);
                    open[mine] -= 1;
                }
                _ => {
                    sources.message(address(who), now);
                }
            }
            prop_assert_eq!(sources.open(), open.iter().sum::<u32>());
            let connected = open.iter().filter(|count| **count > 0).count();
            prop_assert!((connected..=connected + 4).contains(&sources.known()));
        }
    }
}
