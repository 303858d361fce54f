use super::*;
use proptest::prelude::*;
use weir_units::{Component, Part, Refusal};

/// Every request of `bytes`, fed in pieces of those sizes, and the error if there is one.
fn read(bytes: &[u8], sizes: &[usize]) -> (Vec<PolicyRequest>, Option<PolicyError>) {
    let (mut reader, mut requests, mut rest) = (PolicyReader::default(), Vec::new(), bytes);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (mut piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        rest = later;
        loop {
            match reader.next(&mut piece) {
                Ok(Some(request)) => requests.push(request),
                Ok(None) => break,
                Err(error) => return (requests, Some(error)),
            }
        }
    }
    (requests, None)
}

const REQUEST: &str = "request=smtpd_access_policy\nprotocol_state=DATA\nprotocol_name=ESMTP\nclient_address=192.0.2.7\n\
                       client_name=unknown\nsender=john@example.com\nrecipient=\nrecipient_count=3\n\
                       sasl_username=john\ninstance=1a2b.5.0\nsize=12345\nserver_port=25\n\n";

#[test]
fn what_postfix_asks_is_read() {
    let (requests, error) = read(REQUEST.repeat(2).as_bytes(), &[7]);
    assert_eq!((requests.len(), error), (2, None));
    let request = &requests[1];
    assert_eq!(request.state(), "DATA");
    assert_eq!(request.user(), Some("john"));
    assert_eq!(request.sender().unwrap().to_string(), "<john@example.com>");
    assert_eq!(request.recipient(), None);
    assert_eq!(request.recipient_count(), 3);
    assert_eq!(request.client(), Some("192.0.2.7".parse().unwrap()));
    assert_eq!(request.instance(), "1a2b.5.0");
    assert_eq!(request.value("size"), "12345");
    assert_eq!(request.value("nothing"), "");
}

#[test]
fn an_empty_sender_is_the_null_sender_and_an_empty_user_nobody() {
    let (requests, _) =
        read(b"request=smtpd_access_policy\nsender=\nsasl_username=\nhelo_name=\xff=\n\n", &[99]);
    assert_eq!(requests[0].sender(), Some(ReversePath::Null));
    assert_eq!(requests[0].user(), None);
    assert_eq!(requests[0].value("helo_name"), "\u{fffd}=");
}

#[test]
fn what_is_no_request_is_an_error() {
    let long = format!("request=smtpd_access_policy\nx={}\n", "x".repeat(MAX_POLICY_REQUEST));
    let many: Vec<String> = (0..=MAX_POLICY_ATTRIBUTES).map(|number| format!("a{number}=\n")).collect();
    let many = many.concat();
    let cases = [
        ("\n", PolicyError::Kind),
        ("request=other\n\n", PolicyError::Kind),
        ("EHLO x\r\n", PolicyError::Malformed),
        ("=x\n", PolicyError::Malformed),
        ("a=1\na=2\n", PolicyError::Repeated { name: "a".to_owned() }),
        (&long, PolicyError::TooLong),
        (&many, PolicyError::TooLong),
    ];
    for (bytes, expected) in cases {
        assert_eq!(read(bytes.as_bytes(), &[999]).1, Some(expected));
    }
}

#[test]
fn answers_are_one_action_and_an_empty_line() {
    let written = |answer: &PolicyAnswer| {
        let mut out = Vec::new();
        answer.write(&mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(written(&PolicyAnswer::Dunno), "action=dunno\n\n");
    let part = Part::MessageRate;
    let refusal = Refusal { component: Component::Smtp, part, limit: 1, used: 1, retry_after: None };
    assert_eq!(
        written(&PolicyAnswer::Say(Reply::from(&refusal))),
        "action=421 4.4.2 Message submission rate for this client has exceeded the configured limit\n\n"
    );
    let two_lines = Reply::unable_to_relay().and("more");
    assert_eq!(written(&PolicyAnswer::Say(two_lines)), "action=550 5.7.1 Unable to relay more\n\n");
    assert_eq!(
        written(&PolicyAnswer::Say(Reply::ok())),
        "action=dunno\n\n",
        "no policy overrides other restrictions"
    );
}

proptest! {
    #[test]
    fn pieces_of_any_size_are_read_alike(
        bytes in "(request=smtpd_access_policy\n|[a-c]=[a-c\u{0}-\u{ff}]{0,5}\n|\n|[ -~]){0,20}",
        sizes in proptest::collection::vec(1..20_usize, 1..6),
    ) {
        let whole = read(bytes.as_bytes(), &[4096]);
        prop_assert_eq!(read(bytes.as_bytes(), &sizes), whole);
    }
}
