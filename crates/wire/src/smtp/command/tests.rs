use proptest::prelude::*;

use super::*;
use crate::smtp::tests::everything;

fn refused(line: &[u8]) -> String {
    let error = Command::parse(line, &everything()).unwrap_err();
    Fault::Command(error).reply().to_string()
}

#[test]
fn a_line_that_is_no_command_is_answered_by_what_is_wrong_with_it() {
    let cases: [(&[u8], &str); 28] = [
        (b"", "500 5.5.1 Unrecognized command"),
        (b"FOO", "500 5.5.1 Unrecognized command"),
        (b" NOOP", "500 5.5.1 Unrecognized command"),
        (b"DATA:", "500 5.5.1 Unrecognized command"),
        (b"NO\0OP", "500 5.5.2 Command has control characters or bytes that are no UTF-8"),
        (b"RSET\rQUIT", "500 5.5.2 Command has control characters or bytes that are no UTF-8"),
        (b"MAIL FROM:<\xff@b>", "500 5.5.2 Command has control characters or bytes that are no UTF-8"),
        (b"EXPN list", "502 5.5.1 Command not implemented"),
        (b"TURN", "502 5.5.1 Command not implemented"),
        (b"GET / HTTP/1.1", "554 5.5.1 This is SMTP; closing connection"),
        (b"EHLO", "501 5.5.4 Syntax: EHLO or HELO and a name"),
        (b"HELO  ", "501 5.5.4 Syntax: EHLO or HELO and a name"),
        (b"DATA now", "501 5.5.4 Syntax: the command alone"),
        (b"STARTTLS x", "501 5.5.4 Syntax: the command alone"),
        (b"VRFY", "501 5.5.4 Syntax: VRFY address"),
        (b"MAIL", "501 5.5.4 Syntax: MAIL FROM:<address> [parameters]"),
        (b"MAIL TO:<a@b>", "501 5.5.4 Syntax: MAIL FROM:<address> [parameters]"),
        (b"MAIL FROM:<a@b>SIZE=1", "501 5.5.4 Syntax: MAIL FROM:<address> [parameters]"),
        (b"RCPT FROM:<a@b>", "501 5.5.4 Syntax: RCPT TO:<address> [parameters]"),
        (b"MAIL FROM:a@b", "501 5.1.7 Invalid sender address: an address stands between < and >"),
        (b"MAIL FROM:<a>", "501 5.1.7 Invalid sender address: the domain is malformed or missing"),
        (b"RCPT TO:<>", "501 5.1.3 Invalid recipient address: the part before the @ is malformed"),
        (b"AUTH", "501 5.5.4 Syntax: AUTH mechanism [initial-response]"),
        (b"AUTH CRAM-MD5", "504 5.5.4 Unrecognized authentication mechanism"),
        (b"XSHADOW", "501 5.5.4 Syntax: XSHADOW name"),
        (b"XQDISCARD 0", "501 5.5.4 Syntax: XQDISCARD most [cursor]"),
        (b"XQDISCARD 101", "501 5.5.4 Syntax: XQDISCARD most [cursor]"),
        (b"XQDISCARD 1 x", "501 5.5.4 Syntax: XQDISCARD most [cursor]"),
    ];
    for (line, expected) in cases {
        assert_eq!(refused(line), expected, "{}", line.escape_ascii());
    }
}

#[test]
fn the_size_of_a_chunk_is_exact_or_the_line_is_refused() {
    let chunk = |bytes, last| Ok(Command::Chunk { bytes, last });
    let cases = [
        ("BDAT 0", chunk(0, false)),
        ("bdat 86 last", chunk(86, true)),
        ("BDAT 18446744073709551615 LAST", chunk(u64::MAX, true)),
    ];
    for (line, expected) in cases {
        assert_eq!(Command::parse(line.as_bytes(), &everything()), expected, "{line}");
    }
    for line in
        ["BDAT", "BDAT -1", "BDAT 1x", "BDAT 18446744073709551616", "BDAT 1 FIRST", "BDAT 1 LAST LAST"]
    {
        assert!(Command::parse(line.as_bytes(), &everything()).is_err(), "{line}");
    }
}

#[test]
fn a_name_may_be_anything_and_only_its_first_word_is_kept() {
    let parse = |line: &str| Command::parse(line.as_bytes(), &everything());
    assert_eq!(parse("ehlo [10.0.0.1] hi"), Ok(Command::Hello(Hello::Ehlo, "[10.0.0.1]".to_owned())));
    assert_eq!(parse("HELO my_pc!"), Ok(Command::Hello(Hello::Helo, "my_pc!".to_owned())));
    assert!(parse(&format!("EHLO {}", "a".repeat(MAX_DOMAIN + 1))).is_err());
}

#[test]
fn what_is_secret_is_sent_and_never_printed() {
    let secret = Secret::new("AGpvaG4Ac2VjcmV0".to_owned());
    let command = Command::Authenticate(Mechanism::Plain, Some(secret));
    let mut out = Vec::new();
    command.write(&mut out);
    assert_eq!(out, b"AUTH PLAIN AGpvaG4Ac2VjcmV0\r\n");
    assert_eq!(format!("{command} {command:?}"), "AUTH PLAIN … Authenticate(Plain, Some(…))");
}

#[test]
fn a_command_is_one_line_whatever_is_in_it() {
    let mut out = Vec::new();
    Command::Hello(Hello::Ehlo, "a\r\nQUIT".to_owned()).write(&mut out);
    assert_eq!(out, b"EHLO a??QUIT\r\n");
}

fn any_command() -> impl Strategy<Value = Command> {
    let name = || "[!-~]{1,40}";
    prop_oneof![
        name().prop_map(|name| Command::Hello(Hello::Ehlo, name)),
        name().prop_map(|name| Command::Hello(Hello::Lhlo, name)),
        any::<(u64, bool)>().prop_map(|(bytes, last)| Command::Chunk { bytes, last }),
        name().prop_map(Command::Verify),
        name().prop_map(|text| Command::Authenticate(Mechanism::Login, Some(Secret::new(text)))),
        Just(Command::Authenticate(Mechanism::Plain, None)),
        "[a-z0-9._-]{1,64}".prop_map(|text| Command::Shadow(Token::new(&text).unwrap())),
        (1..=100_usize, any::<Option<u64>>())
            .prop_map(|(most, seen)| Command::Discards(DiscardQuery { most, seen })),
        Just(Command::Data),
        Just(Command::Reset),
        Just(Command::Noop),
        Just(Command::Quit),
        Just(Command::Help),
        Just(Command::StartTls),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(command in any_command()) {
        let mut line = Vec::new();
        command.write(&mut line);
        prop_assert_eq!(line.split_off(line.len() - 2), b"\r\n");
        prop_assert_eq!(Command::parse(&line, &everything()), Ok(command));
    }

    #[test]
    fn any_bytes_are_a_command_or_none(line in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Command::parse(&line, &everything());
    }

    #[test]
    fn any_words_are_a_command_that_is_read_back_or_none(
        line in "(MAIL FROM:|RCPT TO:|BDAT |AUTH |XQDISCARD )[<>@\"\\\\a-z0-9.,:;+= \\[\\]-]{0,60}",
    ) {
        if let Ok(command) = Command::parse(line.as_bytes(), &everything()) {
            let mut written = Vec::new();
            command.write(&mut written);
            prop_assert_eq!(Command::parse(written.trim_ascii_end(), &everything()), Ok(command));
        }
    }
}
