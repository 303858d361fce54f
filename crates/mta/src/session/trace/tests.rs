use weir_units::WallTime;
use weir_wire::smtp::{HeaderFacts, HeaderScanner, Hello};

use super::Manner::{Relayed, Submitted};
use super::{Manner, Trace};

fn before(message: &str, manner: Manner) -> String {
    let mut scanner = HeaderScanner::default();
    scanner.feed(message.as_bytes()).unwrap();
    let facts: HeaderFacts = scanner.finish();
    let trace = Trace {
        hello: Hello::Ehlo,
        name: "pc1".to_owned(),
        address: "192.0.2.7".parse().unwrap(),
        by: "hub01".to_owned(),
        is_secured: true,
        is_authenticated: true,
        smtp_utf8: false,
        id: "1A".to_owned(),
        recipient: None,
        at: WallTime::from_unix_micros(0),
        manner,
    };
    trace.before(&facts)
}

const RECEIVED: &str = "Received: from pc1 ([192.0.2.7])\r\n by hub01 (Mailweir) with ESMTPSA id 1A;\r\n \
                        Thu, 1 Jan 1970 00:00:00 +0000\r\n";

#[test]
fn a_relay_adds_its_trace_and_a_submission_server_what_is_missing() {
    let date = "Date: Thu, 1 Jan 1970 00:00:00 +0000\r\n";
    let id = "Message-ID: <1A@hub01>\r\n";
    let cases = [
        ("Subject: x\r\n\r\n", Relayed, String::new()),
        ("Subject: x\r\n\r\n", Submitted, format!("{date}{id}")),
        ("date: x\r\n\r\n", Submitted, id.to_owned()),
        ("Message-Id: x\r\n\r\n", Submitted, date.to_owned()),
        ("Message-Id: x\r\nDate: y\r\n\r\n", Submitted, String::new()),
        ("Subject: x\r\nno more header\r\n", Relayed, String::new()),
    ];
    for (message, manner, added) in cases {
        assert_eq!(before(message, manner), format!("{RECEIVED}{added}"), "{message:?}");
    }
}

#[test]
fn where_there_is_no_header_its_end_is_added() {
    for message in ["just this\r\n", "", " begins with a space\r\n"] {
        assert_eq!(before(message, Relayed), format!("{RECEIVED}\r\n"), "{message:?}");
    }
    assert_eq!(before("\r\nthe body\r\n", Relayed), RECEIVED);
}
