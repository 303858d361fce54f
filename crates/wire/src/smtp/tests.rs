//! What the tests of several modules are made of.

use proptest::prelude::*;

use super::*;

/// Everything that can be offered.
pub(super) fn everything() -> Extensions {
    Extensions {
        keywords: Extension::ALL.into(),
        size: Some(1_000_000),
        mechanisms: vec![Mechanism::Plain, Mechanism::Login],
    }
}

/// Any mailbox, also those that need quotes.
pub(super) fn any_mailbox() -> impl Strategy<Value = Mailbox> {
    let local = prop_oneof!["[a-zA-Z0-9.+_=-]{1,20}", "[ -~äß用]{1,20}"];
    let host = prop_oneof![
        "[a-z0-9_äß]{1,10}(\\.[a-z0-9_ü]{1,10}){0,3}",
        any::<std::net::Ipv4Addr>().prop_map(|address| format!("[{address}]")),
        any::<std::net::Ipv6Addr>().prop_map(|address| format!("[IPv6:{address}]")),
    ];
    (local, host).prop_map(|(local, host)| {
        let local = local.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{local}\"@{host}").parse().unwrap()
    })
}

fn any_reverse() -> impl Strategy<Value = ReversePath> {
    prop_oneof![Just(ReversePath::Null), any_mailbox().prop_map(ReversePath::Mailbox)]
}

pub(super) fn any_mail() -> impl Strategy<Value = Mail> {
    let body = prop_oneof![Just(None), Just(Some(Body::SevenBit)), Just(Some(Body::EightBitMime))];
    let part = prop_oneof![Just(None), Just(Some(GiveBack::Full)), Just(Some(GiveBack::Headers))];
    let words = (proptest::option::of("[ -~ä]{1,40}"), proptest::option::of("[a-zA-Z0-9._-]{1,64}"));
    let rest = (any::<Option<u64>>(), any::<bool>(), proptest::option::of(any_reverse()));
    (any_reverse(), body, part, words, rest).prop_map(|(from, body, give_back, (id, shadow), rest)| Mail {
        size: rest.0,
        body,
        smtp_utf8: rest.1,
        submitter: rest.2,
        give_back,
        envelope_id: id,
        shadow: shadow.and_then(|text| Token::new(&text)),
        ..Mail::new(from)
    })
}

pub(super) fn any_recipient() -> impl Strategy<Value = Recipient> {
    let to = prop_oneof![Just(ForwardPath::Postmaster), any_mailbox().prop_map(ForwardPath::Mailbox)];
    let notify = (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(success, failure, delay)| {
        if success || failure || delay { Notify::On { success, failure, delay } } else { Notify::Never }
    });
    let original = "[ -~ä]{1,40}".prop_map(|address| {
        let mut line = "RCPT TO:<postmaster> ORCPT=rfc822;".to_owned();
        xtext::encode(&address, &mut line);
        let Ok(Command::Recipient(read)) = Command::parse(line.as_bytes(), &everything()) else {
            panic!("{line}")
        };
        read.original.unwrap()
    });
    (to, proptest::option::of(notify), proptest::option::of(original))
        .prop_map(|(to, notify, original)| Recipient { to, notify, original })
}
