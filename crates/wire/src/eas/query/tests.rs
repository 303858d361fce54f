use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use super::*;

fn query(command: Command, user: &str, device_id: &str, device_type: &str) -> Query {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Query { command, user: given(user), device_id: given(device_id), device_type: given(device_type) }
}

/// Version 14.1, a command, en-US, the fields given, without a policy key.
fn bytes(command: u8, device_id: &[u8], device_type: &[u8], parameters: &[(u8, &[u8])]) -> Vec<u8> {
    let counted = |field: &[u8]| [&[u8::try_from(field.len()).unwrap()], field].concat();
    let mut bytes =
        [vec![141, command, 0x09, 0x04], counted(device_id), vec![0], counted(device_type)].concat();
    for (tag, value) in parameters {
        bytes.push(*tag);
        bytes.extend(counted(value));
    }
    bytes
}

#[test]
fn plain_queries_say_who_calls_for_what() {
    let cases = [
        ("Cmd=Ping", query(Command::Ping, "", "", "")),
        ("cmd=ping&DEVICEID=a&devicetype=b&user=c", query(Command::Ping, "c", "a", "b")),
        (
            "User=EXAMPLE%5Cjohn.doe%40example.com&DeviceId=ApplDLXG&DeviceType=iPhone&Cmd=FolderSync",
            query(Command::FolderSync, "EXAMPLE\\john.doe@example.com", "ApplDLXG", "iPhone"),
        ),
        ("Cmd=SendMail&SaveInSent=T&User=J%C3%BCrgen+Doe", query(Command::SendMail, "Jürgen Doe", "", "")),
        ("Cmd=GetHierarchy&User=&&x", query(Command::Other, "", "", "")),
        ("Cmd=Sync&User=%zz%ff", query(Command::Sync, "%zz\u{FFFD}", "", "")),
        ("Cmd=%53ync&CollectionId=5", query(Command::Sync, "", "", "")),
    ];
    for (text, expected) in cases {
        assert_eq!(Query::parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn encoded_queries_say_the_same() {
    let guid = [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0, 1, 2, 3, 4, 5, 6, 7];
    let with_key = [&[141, 18, 9, 4, 1, b'x', 4, 1, 2, 3, 4, 1, b'y'][..], &[8, 1, b'z']].concat();
    let cases = [
        (
            STANDARD.encode(bytes(18, b"v140Device", b"SmartPhone", &[])),
            query(Command::Ping, "", "v140Device", "SmartPhone"),
        ),
        (
            STANDARD.encode(bytes(1, b"d", b"", &[(7, &[1]), (USER, b"john")])),
            query(Command::SendMail, "john", "d", ""),
        ),
        (
            STANDARD.encode(bytes(23, &guid, b"t", &[])),
            query(Command::Find, "", "123456789ABCDEF00001020304050607", "t"),
        ),
        (
            STANDARD.encode(bytes(5, b"d", b"t", &[(9, b""), (USER, b"")])),
            query(Command::Other, "", "d", "t"),
        ),
        (STANDARD.encode(with_key), query(Command::Ping, "z", "x", "y")),
    ];
    for (text, expected) in cases {
        let escaped = text.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        for spelling in [text.as_str(), text.trim_end_matches('='), &escaped] {
            assert_eq!(Query::parse(spelling), Ok(expected.clone()), "{spelling}");
        }
    }
}

#[test]
fn what_is_in_doubt_is_not_read() {
    let short = |field| QueryError::Short { field };
    let encoded = |bytes: &[u8]| STANDARD.encode(bytes);
    let cases = [
        (String::new(), short("protocol version")),
        ("Cmd=&User=john".to_owned(), QueryError::NoCommand),
        ("User=john".to_owned(), QueryError::NoCommand),
        ("Cmd&User".to_owned(), QueryError::NoCommand),
        ("Cmd=Ping&cmd=Sync".to_owned(), QueryError::Repeated { name: "Cmd" }),
        ("Cmd=Ping&%43md=Ping".to_owned(), QueryError::Repeated { name: "Cmd" }),
        ("Cmd=Ping&User=a&User=b".to_owned(), QueryError::Repeated { name: "User" }),
        ("jAAJ!".to_owned(), QueryError::Encoding),
        ("jAAJB".to_owned(), QueryError::Encoding),
        (encoded(&[141]), short("command code")),
        (encoded(&[141, 0, 9]), short("locale")),
        (encoded(&[141, 0, 9, 4]), short("device identifier")),
        (encoded(&[141, 0, 9, 4, 2, b'd']), short("device identifier")),
        (encoded(&[141, 0, 9, 4, 1, b'd']), short("policy key")),
        (encoded(&[141, 0, 9, 4, 1, b'd', 4, 1, 2, 3]), short("policy key")),
        (encoded(&[141, 0, 9, 4, 1, b'd', 3, 1, 2, 3]), QueryError::PolicyKey { length: 3 }),
        (encoded(&[141, 0, 9, 4, 1, b'd', 0]), short("device type")),
        (encoded(&[141, 0, 9, 4, 1, b'd', 0, 0, 8]), short("parameters")),
        (encoded(&[141, 0, 9, 4, 1, b'd', 0, 0, 8, 1]), short("parameters")),
        (
            encoded(&bytes(0, b"d", b"t", &[(USER, b"a"), (USER, b"b")])),
            QueryError::Repeated { name: "User" },
        ),
    ];
    for (text, error) in cases {
        assert_eq!(Query::parse(&text), Err(error), "{text}");
    }
}

#[test]
fn exactly_the_limit_is_still_read() {
    let text = |length: usize| format!("Cmd=Sync&User={}", "x".repeat(length - 14));
    assert!(Query::parse(&text(MAX_QUERY)).is_ok());
    assert_eq!(Query::parse(&text(MAX_QUERY + 1)), Err(QueryError::TooLong { length: 4097, limit: 4096 }));
}

#[test]
fn every_command_is_known_by_its_name_and_its_code() {
    let codes: Vec<Command> = (0..=u8::MAX).map(Command::from_code).collect();
    let known: Vec<&Command> = codes.iter().filter(|command| **command != Command::Other).collect();
    assert_eq!(known.len(), 20);
    for command in known {
        assert_eq!(Command::from_name(command.name()), *command);
        assert_eq!(Command::from_name(&command.to_string().to_uppercase()), *command);
    }
    assert_eq!(
        (codes[0], codes[4], codes[5], codes[9]),
        (Command::Sync, Command::GetAttachment, Command::Other, Command::FolderSync)
    );
    assert_eq!((codes[18], codes[23], codes[24]), (Command::Ping, Command::Find, Command::Other));
    assert_eq!(Command::from_name("Other").name(), "Other");
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".{0,120}", base64 in "[A-Za-z0-9+/]{0,80}={0,2}") {
        let _ = Query::parse(&text);
        let _ = Query::parse(&base64);
        let _ = Query::parse(&format!("Cmd={text}"));
    }

    #[test]
    fn fields_come_out_as_they_went_in(
        code: u8,
        device_id in "[ -~]{1,32}",
        device_type in "[ -~]{1,32}",
        user in "[ -~]{1,200}",
    ) {
        let parameters: [(u8, &[u8]); 2] = [(3, b"5:1"), (USER, user.as_bytes())];
        let text = STANDARD.encode(bytes(code, device_id.as_bytes(), device_type.as_bytes(), &parameters));
        prop_assert_eq!(Query::parse(&text), Ok(query(Command::from_code(code), &user, &device_id, &device_type)));
    }

    #[test]
    fn arbitrary_bytes_encoded_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(query) = Query::parse(&STANDARD.encode(&bytes)) {
            prop_assert_eq!(query.command, Command::from_code(bytes[1]));
        }
    }
}
