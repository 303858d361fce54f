//! From and into mailboxes: our own by EWS, and those of a Dovecot by LMTP.

use crate::hub::{Hub, PATIENCE, Settings};
use crate::peers::dovecot::Dovecot;
use crate::peers::sink::Sink;
use crate::peers::swaks::swaks;
use crate::place::Place;
use crate::support::eventually;
use crate::support::soap::Client;

const JOHN: &str = "john.doe@example.com";

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn what_a_client_sends_by_ews_leaves_for_the_outside_once() {
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 25));
    let hub = Hub::start(&place, 1, &Settings::new().way_out("*.test", &[sink.address()]));
    let recipients = ["one@outside.test", "jane.doe@example.com", "two@outside.test"];
    let mailbox = |address| format!("<t:Mailbox><t:EmailAddress>{address}</t:EmailAddress></t:Mailbox>");
    let mailboxes = recipients.map(mailbox).concat();
    let reply = Client::new(&hub.server, "john.doe").call(&format!(
        "<m:CreateItem MessageDisposition=\"SendAndSaveCopy\"><m:Items><t:Message><t:Subject>Out and in</t:Subject>\
         <t:Body BodyType=\"Text\">Grüße</t:Body><t:ToRecipients>{mailboxes}</t:ToRecipients></t:Message></m:Items>\
         </m:CreateItem>"
    ));
    assert!(reply.body.contains("NoError"), "{reply:?}");
    assert!(hub.mail_of("jane.doe", "Out and in").contains("one@outside.test"));
    assert!(sink.waits_for(1) >= 1);
    assert!(hub.is_empty());
    let mut got = sink.recipients();
    got.sort();
    assert_eq!(got, ["one@outside.test", "two@outside.test"]);
    let mail = sink.mail();
    assert!(
        mail.contains("X-Mail-Args: <john.doe@example.com>") && mail.contains("Subject: Out and in"),
        "{mail}"
    );
}

#[test]
#[ignore = "needs Dovecot and swaks, which ./check installs"]
fn mail_for_local_people_goes_to_their_dovecot_and_who_writes_to_nobody_is_told() {
    let place = Place::new();
    let dovecot = Dovecot::start(&place, place.at(24, 24), &[JOHN]);
    let sink = Sink::start(&place, place.at(11, 25));
    let settings = Settings::new()
        .transport(&format!("delivery = \"lmtp\"\nlmtp = [\"{}\"]", place.at(24, 24)))
        .way_out("*.test", &[sink.address()]);
    let hub = Hub::start(&place, 1, &settings);
    let said = swaks(hub.smtp, "writer@outside.test", JOHN, &["--header", "Subject: By LMTP"]);
    assert!(said.sent, "{said:?}");
    let arrived = eventually(PATIENCE, || dovecot.mail_of(JOHN).pop());
    let arrived = arrived.unwrap_or_else(|| panic!("{:#?}", hub.listing(&["queue", "list"])));
    assert!(
        arrived.contains("Subject: By LMTP") && arrived.contains("Received: from client.test"),
        "{arrived}"
    );

    // We know her, Dovecot does not: it is too late for a refusal.
    let said = swaks(hub.smtp, "writer@outside.test", "jane.doe@example.com", &[]);
    assert!(said.sent, "{said:?}");
    assert!(sink.waits_for(1) >= 1, "{:#?}", hub.listing(&["queue", "list"]));
    let report = sink.mail();
    assert!(
        report.contains("X-Mail-Args: <>") && report.contains("X-Rcpt-Args: <writer@outside.test>"),
        "{report}"
    );
    for part in [
        "message/delivery-status",
        "Final-Recipient: rfc822; jane.doe@example.com",
        "Action: failed",
        "Status: 5.1.1",
    ] {
        assert!(report.to_lowercase().contains(&part.to_lowercase()), "{part}: {report}");
    }
    assert!(hub.is_empty());
}
