use proptest::prelude::*;
use weir_balance::{Attempt, Health, Selector, Settings, Target, Transition};
use weir_units::Micros;

use super::*;

/// 2011-02-01T10:00:01.123Z.
const AT: WallTime = WallTime::from_unix_micros(1_296_554_401_123_456);

fn line(description: Description<'_>, direction: Direction) -> String {
    let session = 0x08CD_9A2F_0000_0012;
    Line { at: AT, session, source: Source::Smtp, destination: "B", direction, description }.to_string()
}

fn check(description: Description<'_>, direction: Direction, expected: &str) {
    assert_eq!(
        line(description, direction),
        format!("2011-02-01T10:00:01.123Z,08CD9A2F00000012,SMTP,B,{expected}\r\n")
    );
}

fn target() -> SocketAddr {
    "10.0.2.4:25".parse().unwrap()
}

/// The mark that a selector makes of a failure.
fn mark(failure: Failure) -> Mark {
    let selector =
        Selector::new([Target::new(target(), "hub04")], Settings::hub(), &Health::default()).unwrap();
    let attempt: Attempt = selector.heartbeat(target()).unwrap();
    match selector.failed(attempt, failure, Tick::START).transition {
        Some(Transition::BecameUnhealthy(mark)) => mark,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_for_each_thing_that_happens() {
    let name = "hub04.example.com";
    check(Description::Wanted("SmtpRelayToRemoteSite"), Direction::Connect, "+,SmtpRelayToRemoteSite");
    check(
        Description::Resolved { host: name, result: "10.0.2.4, 10.0.2.5" },
        Direction::Send,
        ">,\"hub04.example.com: 10.0.2.4, 10.0.2.5\"",
    );
    check(
        Description::Established { target: target(), name },
        Direction::Send,
        ">,Established connection to 10.0.2.4:25 (hub04.example.com)",
    );
    check(
        Description::Failed { target: target(), name, failure: Failure::TooManyFiles },
        Direction::Send,
        ">,Failed connection to 10.0.2.4:25 (hub04.example.com): Winsock error 10024",
    );
    check(
        Description::HealthyAgain { target: target(), name, failures: 3 },
        Direction::Send,
        ">,\"Established connection to 10.0.2.4:25 (hub04.example.com); state=Healthy; FailureCount=3\"",
    );
    check(
        Description::NoTarget { until: AT },
        Direction::Send,
        ">,\"All targets are unhealthy or out of service; NextRetryTime=2011-02-01T10:00:01.123Z\"",
    );
    check(
        Description::Closed { messages: 20, bytes: 20_480, reason: "spent" },
        Direction::Disconnect,
        "-,Messages: 20 Bytes: 20480 (spent)",
    );
}

#[test]
fn a_marked_target_is_named_with_its_winsock_code_its_failures_and_its_next_retry() {
    let clock = Clock { tick: Tick::START, wall: AT };
    let told = |failure, error: &str| {
        let description = Description::MarkedUnhealthy { mark: mark(failure), name: "hub04", clock };
        let expected = format!(
            ">,\"Failed connection to 10.0.2.4:25 (hub04): {error}; state=MarkedUnhealthy; CurrentFailureCount=1; \
             NextRetryTime=2011-02-01T10:01:01.123Z\""
        );
        check(description, Direction::Send, &expected);
    };
    told(Failure::Refused, "Winsock error 10061");
    told(Failure::TimedOut, "Winsock error 10060");
    told(Failure::HostUnreachable, "Winsock error 10065");
    told(Failure::NetworkUnreachable, "Winsock error 10051");
    told(Failure::Reset, "Winsock error 10054");
    told(Failure::Busy421, "answered 421 where its banner belongs");
}

#[test]
fn a_file_begins_with_what_it_is() {
    assert_eq!(
        header(AT, "0.1.0"),
        "#Software: Mailweir\r\n#Version: 0.1.0\r\n#Log-type: Transport Connectivity Log\r\n#Date: \
         2011-02-01T10:00:01.123Z\r\n#Fields: date-time,session,source,Destination,direction,description\r\n"
    );
}

/// The fields of a line of CSV, read letter by letter.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut inside) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                fields.last_mut().unwrap().extend(letters.next());
            }
            '"' => inside = !inside,
            ',' if !inside => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(letter),
        }
    }
    fields
}

proptest! {
    #[test]
    fn whatever_a_peer_is_called_it_stays_in_its_field(name in "[ -~\r\n\t\u{e9}\",;]{0,40}", long in 0..3_000_usize) {
        let destination = format!("{name}{}", "x".repeat(long));
        let line = Line {
            at: AT,
            session: 1,
            source: Source::MapiDelivery,
            destination: &destination,
            direction: Direction::Send,
            description: Description::Established { target: target(), name: &name },
        };
        let text = line.to_string();
        let one = text.strip_suffix("\r\n").unwrap();
        prop_assert!(!one.contains(['\r', '\n']));
        let fields = fields(one);
        prop_assert_eq!(fields.len(), 6);
        prop_assert_eq!(&fields[2], "MapiDelivery");
        let shown: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        prop_assert_eq!(&fields[5], &format!("Established connection to 10.0.2.4:25 ({shown})"));
        prop_assert!(text.chars().count() <= 3 * MAX_FIELD);
    }
}

#[test]
fn ticks_are_shown_by_the_clock_on_the_wall() {
    let clock = Clock { tick: Tick::new(5_000_000), wall: AT };
    assert_eq!(clock.at(Tick::new(65_000_000)), AT.plus(Micros::MINUTE));
}
