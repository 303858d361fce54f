use super::super::header::HeaderScanner;
use super::*;

fn received(name: &str) -> Received<'_> {
    Received {
        name,
        address: "192.0.2.7".parse().unwrap(),
        reverse: None,
        by: "hub01.example.com",
        hello: Hello::Ehlo,
        secured: false,
        authenticated: false,
        smtp_utf8: false,
        id: "01",
        recipient: None,
    }
}

const NOW: WallTime = WallTime::from_unix_micros(1_796_000_000_000_000);

#[test]
fn the_field_says_where_from_how_for_whom_and_when() {
    let john = "john@example.com".parse().unwrap();
    let name = "pc1.example.com".parse().unwrap();
    let whole = Received { reverse: Some(&name), recipient: Some(&john), ..received("[10.0.0.1]") };
    assert_eq!(
        whole.field(NOW),
        "Received: from [10.0.0.1] (pc1.example.com [192.0.2.7])\r\n by hub01.example.com (Mailweir) with ESMTP id 01\r\n \
         for <john@example.com>;\r\n Mon, 30 Nov 2026 00:53:20 +0000\r\n"
    );
}

#[test]
fn a_name_that_is_no_name_gives_way_to_the_address() {
    for name in ["", "my pc", "a(b", "x;y", "a\r\nBcc: x", "bücher.example", "-x"] {
        let field = received(name).field(NOW);
        assert!(field.starts_with("Received: from [192.0.2.7] ([192.0.2.7])\r\n"), "{field}");
    }
}

#[test]
fn addresses_of_both_families_are_literals() {
    let cases = [("::ffff:192.0.2.7", "([192.0.2.7])"), ("2001:db8::7", "([IPv6:2001:db8::7])")];
    for (address, expected) in cases {
        let field = Received { address: address.parse().unwrap(), ..received("a") }.field(NOW);
        assert!(field.contains(expected), "{field}");
    }
}

#[test]
fn the_protocol_is_named_with_all_that_was_used() {
    let cases = [
        (Hello::Helo, false, false, false, "SMTP"),
        (Hello::Ehlo, false, false, false, "ESMTP"),
        (Hello::Ehlo, true, false, false, "ESMTPS"),
        (Hello::Ehlo, false, true, false, "ESMTPA"),
        (Hello::Ehlo, true, true, false, "ESMTPSA"),
        (Hello::Ehlo, true, true, true, "UTF8SMTPSA"),
        (Hello::Lhlo, true, false, false, "LMTPS"),
        (Hello::Lhlo, false, false, true, "UTF8LMTP"),
    ];
    for (hello, secured, authenticated, smtp_utf8, word) in cases {
        let field = Received { hello, secured, authenticated, smtp_utf8, ..received("a") }.field(NOW);
        assert!(field.contains(&format!(" with {word} id 01;")), "{field}");
    }
}

#[test]
fn a_recipient_of_another_script_is_named_only_with_smtputf8() {
    let jorg = "jörg@example.com".parse().unwrap();
    let field = |smtp_utf8| Received { smtp_utf8, recipient: Some(&jorg), ..received("a") }.field(NOW);
    assert!(field(true).contains("for <jörg@example.com>;") && field(false).is_ascii());
}

#[test]
fn the_field_is_one_field_and_counts_as_a_hop() {
    let mut scanner = HeaderScanner::default();
    scanner.feed((received("a\r\nX: y").field(NOW) + "\r\n").as_bytes()).unwrap();
    assert_eq!((scanner.facts().fields, scanner.facts().received), (1, 1));
}
