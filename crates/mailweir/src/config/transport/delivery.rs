//! Where mail for local recipients goes.
//!
//! The embedded mailbox server takes it, or servers of LMTP do. Before a remote origin there is no embedded one: local
//! mail needs LMTP there, and without it there is nowhere to put any.

use weir_mta::settings::Delivery;

use super::super::key::Effect::Restart;
use super::super::kind::{ListOf, OneOf, Switch};
use super::super::origin::OriginKind;
use super::super::reader::Section;
use super::kinds::MailServer;

/// The ways, without the servers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Embedded,
    Lmtp,
}

const WAYS: OneOf<Way> = OneOf(&[("embedded", Way::Embedded), ("lmtp", Way::Lmtp)]);

/// What becomes of mail for local recipients.
#[derive(Clone, Debug)]
pub(super) struct Local {
    /// Where it goes; nothing where there is nowhere.
    pub(super) delivery: Option<Delivery>,
    /// Whether everybody at a domain of ours has a mailbox, since the servers alone know who has.
    pub(super) accepts_unknown: bool,
}

/// What becomes of local mail before such an origin.
pub(super) fn read(s: &mut Section<'_, '_, '_>, origin: OriginKind) -> Local {
    let delivery = delivery(s, origin);
    let accepts_unknown = s.value("accept_unknown_recipients", Restart, &Switch, false);
    if accepts_unknown && !matches!(delivery, Some(Delivery::Lmtp(_))) {
        s.mistake_at(
            "accept_unknown_recipients",
            "transport.accept_unknown_recipients = true is for mailboxes that the directory does not list; write delivery \
             = \"lmtp\" and name their servers in transport.lmtp",
        );
    }
    Local { delivery, accepts_unknown }
}

fn delivery(s: &mut Section<'_, '_, '_>, origin: OriginKind) -> Option<Delivery> {
    let way = s.value("delivery", Restart, &WAYS, Way::Embedded);
    let servers = s.value("lmtp", Restart, &ListOf(MailServer), Vec::new());
    match (way, origin) {
        (Way::Lmtp, _) => {
            if servers.is_empty() {
                s.mistake_at("delivery", "transport.delivery = \"lmtp\" needs servers: name them in transport.lmtp");
            }
            return Some(Delivery::Lmtp(servers));
        }
        (Way::Embedded, _) if !servers.is_empty() => s.mistake_at(
            "lmtp",
            "transport.lmtp names servers, but transport.delivery is \"embedded\", which asks none; write delivery = \
             \"lmtp\" or remove the servers",
        ),
        (Way::Embedded, OriginKind::Remote) if s.is_written("delivery") => s.mistake_at(
            "delivery",
            "transport.delivery = \"embedded\" needs the embedded mailbox server, and origin.kind is \"remote\"; write \
             delivery = \"lmtp\" and name the servers in transport.lmtp",
        ),
        (Way::Embedded, OriginKind::Embedded | OriginKind::Remote) => {}
    }
    (origin == OriginKind::Embedded).then_some(Delivery::Embedded)
}
