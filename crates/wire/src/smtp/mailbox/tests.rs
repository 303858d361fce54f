use proptest::prelude::*;

use super::*;
use crate::smtp::tests::any_mailbox;

fn normal(text: &str) -> Result<String, AddressError> {
    text.parse().map(|mailbox: Mailbox| mailbox.to_string())
}

#[test]
fn an_address_has_one_normal_form() {
    let cases = [
        ("john@example.com", "john@example.com"),
        ("John.Doe@EXAMPLE.com", "John.Doe@example.com"),
        ("\"john\"@example.com", "john@example.com"),
        ("\"jo\\hn\"@example.com", "john@example.com"),
        ("\"john doe\"@example.com", "\"john doe\"@example.com"),
        ("\"a\\\"b\\\\c\"@example.com", "\"a\\\"b\\\\c\"@example.com"),
        ("\"a..b\"@example.com", "\"a..b\"@example.com"),
        ("\"a@b\"@example.com", "\"a@b\"@example.com"),
        ("\"<>\"@example.com", "\"<>\"@example.com"),
        ("a!#$%&'*+-/=?^_`{|}~b@x", "a!#$%&'*+-/=?^_`{|}~b@x"),
        ("john@[192.0.2.1]", "john@[192.0.2.1]"),
        ("john@[ipv6:2001:DB8::1]", "john@[IPv6:2001:db8::1]"),
        ("john@under_score.example", "john@under_score.example"),
        ("用户@例子.测试", "用户@例子.测试"),
        ("jörg@BÜCHER.example", "jörg@bücher.example"),
    ];
    for (text, expected) in cases {
        assert_eq!(normal(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_address_is_refused_with_its_reason() {
    let long_local = format!("{}@example.com", "a".repeat(MAX_LOCAL_PART + 1));
    let long_label = format!("a@{}.com", "a".repeat(MAX_LABEL + 1));
    let long_domain = format!("a@{}com", "a.".repeat(MAX_DOMAIN / 2));
    let cases = [
        ("", AddressError::LocalPart),
        ("@example.com", AddressError::LocalPart),
        ("\"\"@example.com", AddressError::LocalPart),
        (".a@example.com", AddressError::LocalPart),
        ("a.@example.com", AddressError::LocalPart),
        ("a..b@example.com", AddressError::LocalPart),
        ("\"a@example.com", AddressError::LocalPart),
        ("\"a\\", AddressError::LocalPart),
        ("\"a\u{7f}\"@example.com", AddressError::LocalPart),
        ("\"a\u{85}\"@example.com", AddressError::LocalPart),
        ("a b@example.com", AddressError::Domain),
        ("john", AddressError::Domain),
        ("john@", AddressError::Domain),
        ("john@.example", AddressError::Domain),
        ("john@example..com", AddressError::Domain),
        ("john@example.com.", AddressError::Domain),
        ("john@-a.example", AddressError::Domain),
        ("john@a-.example", AddressError::Domain),
        ("john@exa mple.com", AddressError::Domain),
        ("john@a@b", AddressError::Domain),
        ("john@[192.0.2]", AddressError::Domain),
        ("john@[192.0.2.1", AddressError::Domain),
        ("john@[2001:db8::1]", AddressError::Domain),
        ("john@[x-tag:y]", AddressError::Domain),
        (&long_local, AddressError::TooLong { limit: MAX_LOCAL_PART }),
        (&long_label, AddressError::Domain),
        (&long_domain, AddressError::TooLong { limit: MAX_DOMAIN }),
    ];
    for (text, expected) in cases {
        assert_eq!(normal(text), Err(expected), "{text}");
    }
}

#[test]
fn spellings_of_one_address_are_equal_and_the_local_parts_case_counts() {
    let parse = |text: &str| text.parse::<Mailbox>().unwrap();
    assert_eq!(parse("\"John\"@EXAMPLE.com"), parse("John@example.COM"));
    assert_ne!(parse("John@example.com"), parse("john@example.com"));
    assert_eq!(parse("John@example.com").key(), parse("JOHN@Example.com").key());
}

#[test]
fn paths_are_read_with_what_follows_them_and_source_routes_are_dropped() {
    let reverse = [
        ("<> SIZE=1", Ok(("<>", " SIZE=1"))),
        ("<john@example.com>", Ok(("<john@example.com>", ""))),
        ("<@a.example,@b.example:john@example.com>x", Ok(("<john@example.com>", "x"))),
        ("<@[IPv6:::1]:john@example.com>", Ok(("<john@example.com>", ""))),
        ("<\"a>b\"@example.com> X", Ok(("<\"a>b\"@example.com>", " X"))),
        ("<@a.example,john@example.com>", Err(AddressError::Domain)),
        ("<@a.example,>", Err(AddressError::Domain)),
        ("<@a.example>", Err(AddressError::Domain)),
        ("john@example.com", Err(AddressError::Brackets)),
        ("<john@example.com", Err(AddressError::Brackets)),
        ("< john@example.com>", Err(AddressError::LocalPart)),
        ("<postmaster>", Err(AddressError::Domain)),
    ];
    for (text, expected) in reverse {
        let read = ReversePath::take(text).map(|(path, rest)| (path.to_string(), rest.to_owned()));
        assert_eq!(read, expected.map(|(path, rest)| (path.to_owned(), rest.to_owned())), "{text}");
    }
    assert_eq!(ForwardPath::take("<PostMaster> X"), Ok((ForwardPath::Postmaster, " X")));
    assert_eq!(ForwardPath::take("<>"), Err(AddressError::LocalPart));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(mailbox in any_mailbox()) {
        prop_assert_eq!(mailbox.to_string().parse(), Ok(mailbox.clone()));
        let path = ReversePath::Mailbox(mailbox);
        let line = format!("{path} X");
        prop_assert_eq!(ReversePath::take(&line), Ok((path, " X")));
    }

    #[test]
    fn any_text_is_an_address_that_is_read_back_or_none(text in "[\"\\\\<>@.,:\\[\\]a-zİK \u{0}-\u{ff}]{0,40}") {
        if let Ok(mailbox) = text.parse::<Mailbox>() {
            prop_assert_eq!(mailbox.to_string().parse(), Ok(mailbox));
        }
        let _ = ForwardPath::take(&text);
        let _ = ReversePath::take(&text);
    }
}
