//! `[transport]`: mail between servers.
//!
//! Every limit of the running transport has its key here, under the documented name where there is one. What makes no
//! sense together is refused where it is written: the checks are those of the crates that go by the settings.
//!
//! | module | the one idea |
//! |---|---|
//! | [`receive`] | ways in |
//! | [`send`] | ways out |
//! | [`organisation`] | own servers, sites, and what routing is told |
//! | [`delivery`] | where mail for local recipients goes |
//! | [`queue`] | how long mail waits, how many connections carry it, how targets take turns |
//! | [`dns`] | whom names are asked of |
//! | [`pressure`] | when mail is slowed down or refused |
//! | [`shadow`] | what partners keep for one another |
//! | [`spool`] | bounds of the durable queue |
//! | [`mod@settings`] | all of it as the transport takes it |
//! | [`secret`] | what own servers prove themselves with |

mod delivery;
mod dns;
mod kinds;
mod organisation;
mod pressure;
mod queue;
mod receive;
mod secret;
mod send;
mod settings;
mod shadow;
mod spool;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use weir_mta::settings::{DnsSettings, SendSettings};
use weir_transport::Domain;
use weir_transport::connectivity::RotationSettings;
use weir_transport::next_hop::ResolutionSettings;
use weir_transport::pressure::PressureSettings;
use weir_transport::queue::QueueSettings;
use weir_transport::receive::Connectors;
use weir_transport::routing::RoutingSettings;
use weir_transport::shadow::ShadowSettings;
use weir_units::Micros;
use weir_wire::smtp::Mailbox;

use super::address::Listener;
use super::key::Effect::Restart;
use super::kind::{Count, OneOf, Size, Switch};
use super::listen::Listen;
use super::origin::OriginKind;
use super::reader::Section;
use delivery::Local;
use kinds::{Address, HostName, Span};
use receive::{Frame, WayIn};
pub use secret::SecretError;
use send::WayOut;

/// Where this server stands: it decides the defaults of retry intervals (H5) and of ways in (H13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Inside the organisation.
    Hub,
    /// At its border.
    Edge,
}

const ROLES: OneOf<Role> = OneOf(&[("hub", Role::Hub), ("edge", Role::Edge)]);

/// Mail between servers.
#[derive(Clone, Debug)]
pub struct Transport {
    /// What it calls itself; nothing: a name that it finds.
    host_name: Option<Domain>,
    /// Who gets mail for a postmaster whom nobody is.
    postmaster: Option<Mailbox>,
    /// Whether trusted proxies begin with a PROXY header.
    proxy_protocol: bool,
    /// Ways in; those that `[listen]` makes where none is written.
    receive: Connectors,
    /// Whether connectors are written, so that those of `[listen]` are not made.
    own_connectors: bool,
    /// Servers, sites, ways out. Its name is empty where none is written.
    routing: RoutingSettings,
    /// What becomes of local mail.
    local: Local,
    /// Servers that keep a shadow of what passes here.
    shadow_partners: Vec<Arc<str>>,
    /// What own servers prove themselves with.
    server_secret_file: Option<PathBuf>,
    queue: QueueSettings,
    balance: weir_balance::Settings,
    sending: SendSettings,
    dns: DnsSettings,
    resolution: ResolutionSettings,
    pressure: PressureSettings,
    shadow: ShadowSettings,
    spool: weir_spool::Limits,
    fresh_bytes: usize,
    max_acknowledgement_delay: Micros,
    poison_threshold: u32,
    /// Whether the connectivity log is written, and how much of it is kept.
    connectivity_log: (bool, RotationSettings),
    /// Where Postfix asks.
    policy_service: Option<SocketAddr>,
    /// Whether senders' addresses are believed there.
    policy_service_trust_sender: bool,
}

impl Transport {
    /// Reads the section, beside what clients come in by, before such an origin.
    pub(super) fn read(s: &mut Section<'_, '_, '_>, listen: &Listen, origin: OriginKind) -> Self {
        let role = s.value("role", Restart, &ROLES, Role::Hub);
        let host_name = s.optional("host_name", Restart, &HostName);
        let postmaster = s.optional("postmaster", Restart, &Address);
        let local = delivery::read(s, origin);
        let (spool, fresh_bytes) = s.section("spool", spool::read);
        let (ways_in, own_connectors) =
            ways_in(s, Frame { role, spool: &spool, listen }, local.delivery.is_some());
        let ways_out = s.sections("send_connector", WayOut::read);
        let sending = s.section("sending", |s| send::sending(s, &ways_out));
        let organisation = organisation::read(s, &ways_in, ways_out);
        let receive = receive::connectors(s, ways_in, &organisation.others);
        let balance = queue::balance(s, role);
        let (dns, resolution) = s.section("dns", dns::read);
        let transport = Self {
            host_name,
            postmaster,
            proxy_protocol: proxy_protocol(s, listen),
            receive,
            own_connectors,
            routing: organisation.routing,
            local,
            shadow_partners: organisation.shadow_partners,
            server_secret_file: s.path("server_secret_file", Restart),
            queue: queue::read(s),
            balance,
            sending,
            dns,
            resolution,
            pressure: s.section("pressure", pressure::read),
            shadow: shadow::read(s),
            spool,
            fresh_bytes,
            max_acknowledgement_delay: s.value(
                "max_acknowledgement_delay",
                Restart,
                &Span::seconds(0, 240),
                Micros::ZERO,
            ),
            poison_threshold: s.value("poison_threshold", Restart, &Count(1, 100), 2),
            connectivity_log: connectivity_log(s),
            policy_service: s.value("policy_service", Restart, &Listener, None),
            policy_service_trust_sender: s.value("policy_service_trust_sender", Restart, &Switch, false),
        };
        transport.check(s, listen);
        transport
    }

    /// Whether there is anything for the transport to do before such an origin: mail to take, mail of mailboxes to
    /// send, or a Postfix to answer.
    pub(super) fn is_asked_for(&self, origin: OriginKind) -> bool {
        let embedded = origin == OriginKind::Embedded;
        embedded || self.takes_mail() || self.policy_service.is_some()
    }

    /// Whether mail for local recipients has a place to go.
    pub(super) const fn has_delivery(&self) -> bool {
        self.local.delivery.is_some()
    }

    /// Whether everybody at a domain of ours has a mailbox, whoever the directory knows there.
    pub const fn accepts_unknown(&self) -> bool {
        self.local.accepts_unknown
    }

    /// Whether anybody can hand mail in.
    pub fn takes_mail(&self) -> bool {
        self.receive.iter().next().is_some()
    }

    /// Where connectors that are written listen; nothing where none is.
    pub(super) fn own_bindings(&self) -> Option<Vec<SocketAddr>> {
        self.own_connectors.then(|| self.receive.bindings())
    }

    fn check(&self, s: &mut Section<'_, '_, '_>, listen: &Listen) {
        if self.balance.attempt_timeout <= self.sending.connect_timeout {
            s.mistake_at(
                "attempt_timeout",
                "transport.attempt_timeout must be longer than transport.sending.connect_timeout: an attempt would be \
                 given up for lost while it still runs",
            );
        }
        let Some(address) = self.policy_service.filter(|address| address.port() != 0) else { return };
        let others = listen.named().into_iter().filter_map(|(name, address)| Some((name, address?)));
        let others =
            others.filter(|(name, _)| !(self.own_connectors && matches!(*name, "smtp" | "submission")));
        let listener =
            others.into_iter().find(|(_, other)| *other == address).map(|(name, _)| format!("listen.{name}"));
        let binding =
            self.receive.bindings().contains(&address).then(|| "a binding of a receive connector".to_owned());
        if let Some(other) = listener.or(binding) {
            let text = format!("transport.policy_service: {address} is also {other}; give it another port");
            s.mistake_at("policy_service", text);
        }
    }
}

/// The ways in, where mail has a place to go or not, and whether they are written.
fn ways_in(s: &mut Section<'_, '_, '_>, frame: Frame<'_>, has_delivery: bool) -> (Vec<WayIn>, bool) {
    let written = s.sections("receive_connector", |s| WayIn::read(s, frame));
    match (s.is_written("receive_connector"), has_delivery) {
        (true, true) => (written, true),
        (true, false) => {
            s.mistake_at("receive_connector", NOWHERE);
            (written, true)
        }
        (false, true) => (receive::usual(frame), false),
        (false, false) => (Vec::new(), false),
    }
}

/// What is said of ways in that lead nowhere.
const NOWHERE: &str = "transport.receive_connector: mail for local recipients would have nowhere to go, since origin.kind \
     is \"remote\"; write transport.delivery = \"lmtp\" and name the mail system's LMTP servers in transport.lmtp";

/// Whether trusted proxies begin with a PROXY header: as before the other listeners, unless it is said.
fn proxy_protocol(s: &mut Section<'_, '_, '_>, listen: &Listen) -> bool {
    let own = s.optional("proxy_protocol", Restart, &Switch);
    if own == Some(true) && listen.trusted_proxies.is_empty() {
        let text = "transport.proxy_protocol = true believes nobody while listen.trusted_proxies is empty; name the \
                    balancers' ranges there";
        s.mistake_at("proxy_protocol", text);
    }
    own.unwrap_or(listen.proxy_protocol)
}

fn connectivity_log(s: &mut Section<'_, '_, '_>) -> (bool, RotationSettings) {
    let d = RotationSettings::default();
    let on = s.value("connectivity_log", Restart, &Switch, false);
    let size = Size(64 << 10, 1 << 40);
    let age = Span::seconds(60, 3_660 * 86_400);
    let files = RotationSettings {
        max_file_size: s.value("connectivity_log_max_file_size", Restart, &size, d.max_file_size),
        max_directory_size: s.value(
            "connectivity_log_max_directory_size",
            Restart,
            &size,
            d.max_directory_size,
        ),
        max_age: s.value("connectivity_log_max_age", Restart, &age, d.max_age),
    };
    if files.max_file_size > files.max_directory_size {
        s.mistake_at(
            "connectivity_log_max_file_size",
            "transport.connectivity_log_max_file_size is more than connectivity_log_max_directory_size, which is for all \
             files together; lower it",
        );
    }
    (on, files)
}

#[cfg(test)]
mod tests;
