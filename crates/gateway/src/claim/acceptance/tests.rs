use hyper::{Method, StatusCode};
use proptest::prelude::*;

use super::super::vectors::{header, inner, kerberos, ntlm_authenticate, ntlm_negotiate, response};
use super::{Challenge, Claim, Continuation, Exchange, Front, Proof, acceptance, is_soap};

const EWS: &str = "/EWS/Exchange.asmx";

fn basic() -> Claim {
    Claim::of(b"Basic am9objpwYXNz").unwrap()
}

fn answer(status: u16) -> Exchange<'static> {
    Exchange {
        method: &Method::POST,
        path: EWS,
        status: StatusCode::from_u16(status).unwrap(),
        soap: false,
        challenge: Challenge::default(),
    }
}

fn continued(continuation: Continuation) -> Exchange<'static> {
    Exchange { challenge: Challenge { binds_connection: true, continuation }, ..answer(401) }
}

#[test]
fn each_status_at_a_front_proves_what_it_may() {
    let cases = [
        (200, Proof::Accepted),
        (207, Proof::Accepted),
        (299, Proof::Accepted),
        (401, Proof::Rejected),
        (100, Proof::Nothing),
        (302, Proof::Nothing),
        (304, Proof::Nothing),
        (400, Proof::Nothing),
        (403, Proof::Nothing),
        (404, Proof::Nothing),
        (407, Proof::Nothing),
        (449, Proof::Nothing),
        (500, Proof::Nothing),
        (502, Proof::Nothing),
        (503, Proof::Nothing),
    ];
    for (status, expected) in cases {
        assert_eq!(acceptance(&basic(), &answer(status)), expected, "{status}");
    }
    let fault = |status| acceptance(&basic(), &Exchange { soap: true, ..answer(status) });
    assert_eq!(fault(500), Proof::Accepted);
    for status in [302, 400, 403, 502, 503] {
        assert_eq!(fault(status), Proof::Nothing, "{status}");
    }
}

#[test]
fn acceptance_is_believed_only_where_the_fronts_requests_are_worked_on() {
    let at = |path, status| acceptance(&basic(), &Exchange { path, ..answer(status) });
    for path in [
        "/ews/exchange.asmx",
        EWS,
        "/mapi/emsmdb/",
        "/mapi/nspi",
        "/Microsoft-Server-ActiveSync",
        "/Microsoft-Server-ActiveSync/default.eas",
    ] {
        assert_eq!(at(path, 200), Proof::Accepted, "{path}");
        assert_eq!(at(path, 401), Proof::Rejected, "{path}");
    }
    for path in [
        "/ews/healthcheck.htm",
        "/ews/exchange.asmx/../healthcheck.htm",
        "/ews/exchange.asmx/wssecurity",
        "/ews/Services.wsdl",
        "/mapi/healthcheck.htm",
        "/microsoft-server-activesync/healthcheck.htm",
    ] {
        assert_eq!(at(path, 200), Proof::Nothing, "{path}");
        assert_eq!(at(path, 401), Proof::Rejected, "{path}: guessed there");
    }
    for path in [
        "/owa/auth.owa",
        "/autodiscover/autodiscover.xml",
        "/ewsx/exchange.asmx",
        "/",
        "",
        "ews/exchange.asmx",
    ] {
        for status in [200, 401, 500] {
            assert_eq!(at(path, status), Proof::Nothing, "{path}");
        }
    }
}

#[test]
fn only_the_method_that_fronts_work_on_is_accepted_and_any_is_rejected() {
    for method in [&Method::GET, &Method::OPTIONS, &Method::HEAD] {
        let with = |status| acceptance(&basic(), &Exchange { method, ..answer(status) });
        assert_eq!((with(200), with(401)), (Proof::Nothing, Proof::Rejected), "{method}");
    }
}

#[test]
fn a_first_leg_proves_nothing_and_costs_nothing() {
    for first in [header("NTLM", &ntlm_negotiate()), b"Negotiate".to_vec(), b"Basic".to_vec()] {
        let claim = Claim::of(&first).unwrap();
        for exchange in [answer(200), answer(401), continued(Continuation::Ntlm)] {
            assert_eq!(acceptance(&claim, &exchange), Proof::Nothing);
        }
    }
}

#[test]
fn a_next_leg_is_no_rejection_but_another_challenge_is() {
    let ntlm = ntlm_authenticate("EXAMPLE", "john");
    let bare = Claim::of(&header("NTLM", &ntlm)).unwrap();
    let wrapped = Claim::of(&header("Negotiate", &response(&inner(&ntlm)))).unwrap();
    let ticket = Claim::of(&header("Negotiate", &kerberos([1, 0], b"ticket"))).unwrap();
    let cases = [
        (&bare, [Proof::Rejected, Proof::Rejected, Proof::Rejected]),
        (&wrapped, [Proof::Rejected, Proof::Rejected, Proof::Nothing]),
        (&ticket, [Proof::Rejected, Proof::Nothing, Proof::Nothing]),
        (&basic(), [Proof::Rejected, Proof::Rejected, Proof::Rejected]),
    ];
    for (claim, expected) in cases {
        let found = [Continuation::None, Continuation::Ntlm, Continuation::Other]
            .map(|continuation| acceptance(claim, &continued(continuation)));
        assert_eq!(found, expected, "{claim:?}");
        assert_eq!(acceptance(claim, &answer(200)), Proof::Accepted);
    }
}

#[test]
fn a_path_lies_under_its_front() {
    for (path, front) in [
        ("/ews", Some(Front::Ews)),
        ("/EWS/Exchange.asmx", Some(Front::Ews)),
        ("/mapi/emsmdb", Some(Front::Mapi)),
        ("/MICROSOFT-server-activesync", Some(Front::Eas)),
        ("/owa", None),
        ("//ews/exchange.asmx", None),
        ("*", None),
    ] {
        assert_eq!(Front::of(path), front, "{path}");
    }
}

#[test]
fn a_soap_body_is_xml_around_an_envelope() {
    let xml = Some(&b"text/xml; charset=utf-8"[..]);
    for body in [
        &b"<Envelope>"[..],
        b"\r\n  <s:Envelope/>",
        b"<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>",
        b"\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n<!-- <html> --><soap:Envelope\n",
    ] {
        assert!(is_soap(xml, body));
        assert!(is_soap(Some(b"Application/SOAP+XML"), body));
        assert!(!is_soap(Some(b"text/html"), body));
        assert!(!is_soap(None, body));
    }
    for body in [
        &b""[..],
        b"<html><s:Envelope>",
        b"<error>Envelope</error>",
        b"<s:Envelope",
        b"<?xml version=\"1.0\"",
        b"<!DOCTYPE html><Envelope>",
        b"<s:envelope>",
        b"Envelope>",
    ] {
        assert!(!is_soap(xml, body), "{}", String::from_utf8_lossy(body));
    }
}

proptest! {
    #[test]
    fn any_beginning_of_a_body_is_looked_at_without_panic(body in r"[<>?!\-a-zE:/ ]{0,40}") {
        let _ = is_soap(Some(b"text/xml"), body.as_bytes());
    }

    #[test]
    fn nothing_is_accepted_outside_the_endpoints(path in "/(ews|mapi|owa)?[a-z/.]{0,20}", status in 200_u16..600) {
        prop_assume!(!path.starts_with("/mapi/emsmdb") && !path.starts_with("/mapi/nspi"));
        let exchange = Exchange { path: &path, soap: true, ..answer(status) };
        let proof = acceptance(&basic(), &exchange);
        prop_assert!(proof != Proof::Accepted || path == "/ews/exchange.asmx");
        prop_assert!(proof != Proof::Rejected || status == 401);
    }
}
