use weir_units::WallTime;
use weir_wire::smtp::{Body, GiveBack, Mail, Notify, Recipient, ReversePath, Token};

use super::{Envelope, Provenance, ShadowState, Standing, Waiting, is_of_notices, of_notices};

fn envelope() -> Envelope {
    let from = ReversePath::Mailbox("john.doe@example.com".parse().unwrap());
    let mail = Mail {
        size: Some(512),
        body: Some(Body::EightBitMime),
        smtp_utf8: true,
        submitter: Some(ReversePath::Null),
        give_back: Some(GiveBack::Headers),
        envelope_id: Some("a+b=c".to_owned()),
        shadow: Token::new("17-2"),
        ..Mail::new(from)
    };
    let to = |address: &str| weir_wire::smtp::ForwardPath::Mailbox(address.parse().unwrap());
    let jane = Recipient { notify: Some(Notify::Never), ..Recipient::new(to("jane@b.example")) };
    let quoted = Recipient::new(to("\"john doe\"@[192.0.2.1]"));
    Envelope {
        mail,
        recipients: vec![jane, quoted, Recipient::new(to("bücher@beispiel.example"))],
        accepted: WallTime::from_unix_micros(1_268_147_712_000_001),
        bytes: 600,
        eight_bit: true,
        origin: Provenance {
            client: Some("192.0.2.7".parse().unwrap()),
            connector: Some("default".to_owned()),
            owner: Some("john.doe@example.com".to_owned()),
            server: None,
        },
    }
}

#[test]
fn an_envelope_comes_back_as_it_was_kept() {
    let envelope = envelope();
    assert_eq!(Envelope::from_bytes(&envelope.to_bytes()).unwrap(), envelope);
}

#[test]
fn a_state_comes_back_as_it_was_kept() {
    let waiting = Waiting { attempts: 3, error: Some("no".to_owned()), by_peer: true, ..Waiting::default() };
    let shadow = ShadowState {
        partner: "hub02".to_owned(),
        shadow: "17-2".to_owned(),
        database: "4f".to_owned(),
        since: 5,
        next_hop: "SmtpRelayWithinSite/hub02".to_owned(),
    };
    for standing in [Standing::fresh(), Standing::Waiting(waiting), Standing::Shadow(shadow), Standing::Done]
    {
        assert_eq!(Standing::from_bytes(&standing.to_bytes()).unwrap(), standing);
    }
}

#[test]
fn a_shadow_of_an_earlier_release_has_no_next_hop() {
    let kept = br#"{"state":"shadow","partner":"hub02","shadow":"17-2","database":"4f","since":5}"#;
    let Standing::Shadow(state) = Standing::from_bytes(kept).unwrap() else { panic!("no shadow") };
    assert_eq!(state.next_hop, "");
    let shadow = state.shadow().unwrap();
    assert_eq!((shadow.partner.as_str(), shadow.shadow.as_str()), ("hub02", "17-2"));
    assert_eq!(ShadowState { shadow: "a b".to_owned(), ..state }.shadow(), None);
}

#[test]
fn notices_are_told_from_messages() {
    assert!(is_of_notices(&of_notices()));
    assert!(!is_of_notices(&envelope().to_bytes()));
    assert!(Envelope::from_bytes(&of_notices()).is_err());
}

#[test]
fn what_is_no_envelope_is_refused_in_words() {
    for (bytes, words) in [
        ("", "malformed: EOF"),
        (
            r#"{"mail":"RSET","recipients":[],"accepted":0,"bytes":0,"eight_bit":false}"#,
            "stands where another",
        ),
        (
            r#"{"mail":"MAIL FROM:<x","recipients":[],"accepted":0,"bytes":0,"eight_bit":false}"#,
            "the command",
        ),
    ] {
        let error = Envelope::from_bytes(bytes.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
