//! A Postfix that stays where it is and asks us whether its users may send (T19): its restrictions name our policy service,
//! and Dovecot says who they are.

use crate::hub::{Hub, PATIENCE, Settings};
use crate::peers::dovecot::Dovecot;
use crate::peers::postfix::Postfix;
use crate::peers::sink::Sink;
use crate::peers::swaks::{Conversation, swaks};
use crate::place::Place;
use crate::support::{PASSWORD, eventually};

const JOHN: &str = "john.doe@example.com";
const JANE: &str = "jane.doe@example.com";

/// Postfix before a sink, beside Dovecot and a hub that it asks.
struct Submission {
    place: Place,
    hub: Hub,
    _dovecot: Dovecot,
    postfix: Postfix,
    sink: Sink,
}

impl Submission {
    /// What the documentation shows: asked about each recipient, and at the end of the message.
    fn start() -> Submission {
        let place = Place::new();
        let policy = place.at(1, 10_040);
        let settings = Settings::new().transport(&format!("policy_service = \"{policy}\""));
        let hub = Hub::start(&place, 1, &settings);
        let dovecot = Dovecot::start(&place, place.at(24, 24), &[JOHN, JANE]);
        let sink = Sink::start(&place, place.at(11, 25));
        let asks = format!("check_policy_service inet:{policy}");
        let postfix = Postfix::start(
            &place,
            place.at(25, 587),
            &format!(
                "relayhost = [{}]:25\nmynetworks =\nsmtpd_sasl_auth_enable = yes\nsmtpd_sasl_type = dovecot\n\
                 smtpd_sasl_path = inet:{}\nsmtpd_relay_restrictions = permit_sasl_authenticated, reject\n\
                 smtpd_recipient_restrictions = {asks}\n\
                 smtpd_end_of_data_restrictions = {asks}\n",
                sink.address().ip(),
                place.at(24, 25)
            ),
        );
        Submission { place, hub, _dovecot: dovecot, postfix, sink }
    }

    fn send(&self, from: &str, recipients: usize) -> Conversation {
        let to: Vec<String> = (0..recipients).map(|number| format!("r{number}@outside.test")).collect();
        let login = ["--auth", "PLAIN", "--auth-user", from, "--auth-password", PASSWORD];
        swaks(self.place.at(25, 587), from, &to.join(","), &login)
    }
}

#[test]
#[ignore = "needs Postfix, Dovecot and swaks, which ./check installs"]
fn postfix_refuses_who_sends_more_messages_than_his_policy_allows() {
    let all = Submission::start();
    all.hub.server.limit("TwoMessages", &["MessageRateLimit=2"], &["JohnDoe"]);
    for _ in 0..2 {
        let said = all.send(JOHN, 1);
        assert!(said.sent, "{}\n{}", said.text, all.postfix.log());
    }
    let third = all.send(JOHN, 1);
    let reply = third.refusal().unwrap_or_default();
    assert!(!third.sent && reply.starts_with('4'), "{}\n{}", third.text, all.postfix.log());
    let other = all.send(JANE, 1);
    assert!(other.sent, "{}\n{}", other.text, all.postfix.log());
    assert_eq!(all.sink.waits_for(3), 3);
}

#[test]
#[ignore = "needs Postfix, Dovecot and swaks, which ./check installs"]
fn postfix_refuses_who_writes_to_more_recipients_a_day_than_his_policy_allows() {
    let all = Submission::start();
    all.hub.server.limit("FiveRecipients", &["RecipientRateLimit=5"], &["JohnDoe"]);
    assert!(all.send(JOHN, 4).sent, "{}", all.postfix.log());
    let said = all.send(JOHN, 4);
    assert!(said.text.contains("<** 452 4.5.3 "), "{}\n{}", said.text, all.postfix.log());
    assert!(all.send(JANE, 4).sent, "{}", all.postfix.log());
    let all_there = eventually(PATIENCE, || (all.sink.recipients().len() >= 8).then_some(()));
    assert!(all_there.is_some() && all.sink.recipients().len() <= 9, "{:?}", all.sink.recipients());
}
