use super::super::vectors::{
    SPNEGO, base64, der, init, inner, kerberos, mic, ntlm_authenticate, ntlm_challenge, ntlm_negotiate,
    response, state,
};
use super::{ClaimedName, Continuation, Offer, continuation, continuation_bare, read, read_bare};

fn john() -> Offer {
    Offer::Ntlm(ClaimedName::of(r"EXAMPLE\john"))
}

#[test]
fn a_clients_token_is_a_first_leg_a_name_or_opaque() {
    let (first, last) = (ntlm_negotiate(), ntlm_authenticate("EXAMPLE", "john"));
    let cases = [
        ("bare, first", first.clone(), Offer::First),
        ("bare, last", last.clone(), john()),
        ("init around the first", init(&inner(&first)), Offer::First),
        ("init without a token", init(b""), Offer::First),
        ("response around the last", response(&inner(&last)), john()),
        ("response with state and code", response(&[state(1), inner(&last), mic(&[0; 16])].concat()), john()),
        ("response around the first", response(&inner(&first)), Offer::First),
        ("init around Kerberos", init(&inner(&kerberos([1, 0], b"ticket"))), Offer::Opaque),
        ("bare Kerberos", kerberos([1, 0], b"ticket"), Offer::Opaque),
        ("only a code", response(&mic(&[0; 16])), Offer::Opaque),
        ("a server's message", ntlm_challenge(), Offer::Opaque),
        ("init of another mechanism", other_mechanism(&inner(&first)), Offer::Opaque),
        ("nothing", vec![], Offer::Opaque),
    ];
    for (what, token, expected) in cases {
        assert_eq!(read(&base64(&token)), expected, "{what}");
    }
    assert_eq!(read(b"not Base64!"), Offer::Opaque);
}

/// What looks like a negTokenInit, of a mechanism that is not SPNEGO.
fn other_mechanism(fields: &[u8]) -> Vec<u8> {
    der(0x60, &[der(0x06, &[1, 2, 3]), der(0xa0, &der(0x30, fields))].concat())
}

#[test]
fn a_name_where_the_origin_does_not_look_is_none() {
    let (last, other) = (ntlm_authenticate("EXAMPLE", "john"), ntlm_authenticate("EXAMPLE", "jane"));
    let nested = response(&inner(&response(&inner(&last))));
    let constructed = response(&der(0xa2, &der(0x24, &der(0x04, &last))));
    let cases = [
        ("in the code", response(&[inner(&kerberos([1, 0], b"t")), mic(&last)].concat())),
        ("in the code alone", response(&mic(&last))),
        ("in an init", init(&inner(&last))),
        ("in an init's code", init(&[inner(&kerberos([1, 0], b"t")), mic(&last)].concat())),
        ("beside another one", response(&[inner(&last), inner(&other)].concat())),
        ("within a ticket", kerberos([1, 0], &last)),
        ("within another response", nested),
        ("in pieces", constructed),
        ("before something else", [response(&inner(&last)), vec![0]].concat()),
        ("before rubbish", response(&[inner(&last), vec![0xa3, 0x7f]].concat())),
        ("after something else", [vec![0], last.clone()].concat()),
        (
            "of a mechanism that is not SPNEGO",
            der(0x60, &[der(0x06, &[1, 2, 3]), response(&inner(&last))].concat()),
        ),
        (
            "a response in an init's wrapping",
            der(0x60, &[der(0x06, SPNEGO), response(&inner(&last))].concat()),
        ),
    ];
    for (what, token) in cases {
        assert_eq!(read(&base64(&token)), Offer::Opaque, "{what}");
    }
}

#[test]
fn the_bare_scheme_knows_no_wrapping() {
    let last = ntlm_authenticate("EXAMPLE", "john");
    assert_eq!(read_bare(&base64(&last)), john());
    assert_eq!(read_bare(&base64(&ntlm_negotiate())), Offer::First);
    assert_eq!(read_bare(&base64(&response(&inner(&last)))), Offer::Opaque);
    assert_eq!(read_bare(b"%"), Offer::Opaque);
}

#[test]
fn a_token_may_lack_its_padding() {
    let mut token = base64(&ntlm_authenticate("EXAMPLE", "johnd"));
    assert!(token.ends_with(b"="));
    token.retain(|byte| *byte != b'=');
    assert_eq!(read(&token), Offer::Ntlm(ClaimedName::of(r"EXAMPLE\johnd")));
}

#[test]
fn a_servers_token_continues_unless_it_decides() {
    let challenge = ntlm_challenge();
    let cases = [
        ("bare challenge", challenge.clone(), Continuation::Ntlm),
        ("challenge", response(&[state(1), inner(&challenge)].concat()), Continuation::Ntlm),
        ("challenge without a state", response(&inner(&challenge)), Continuation::Ntlm),
        ("another mechanism, please", response(&state(3)), Continuation::Other),
        ("more of Kerberos", response(&[state(1), inner(b"more")].concat()), Continuation::Other),
        ("accepted", response(&state(0)), Continuation::None),
        ("rejected", response(&state(2)), Continuation::None),
        ("rejected, with a token", response(&[state(2), inner(&challenge)].concat()), Continuation::None),
        ("an unknown state", response(&state(9)), Continuation::None),
        ("neither state nor token", response(&mic(b"x")), Continuation::None),
        ("an error of Kerberos", kerberos([3, 0], b"error"), Continuation::None),
        ("a client's message", ntlm_negotiate(), Continuation::None),
        ("rubbish", vec![0xa1, 0x82], Continuation::None),
        ("nothing", vec![], Continuation::None),
    ];
    for (what, token, expected) in cases {
        assert_eq!(continuation(&base64(&token)), expected, "{what}");
    }
    assert_eq!(continuation_bare(&base64(&challenge)), Continuation::Ntlm);
    assert_eq!(continuation_bare(&base64(&response(&inner(&challenge)))), Continuation::None);
    assert_eq!(continuation(b"!"), Continuation::None);
}
