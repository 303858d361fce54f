//! Who the client is, and what that lets him do (H13).
//!
//! An own server is known by the secret that all of them share, or – where none is set – by the address it comes from;
//! of several with one address, the name that it calls itself by decides. Either holds only at a connector that is for
//! servers, and never through a proxy. Users log in. A name is never believed on its own claim.

use std::net::IpAddr;
use std::sync::Arc;

use ring::digest;
use weir_transport::Host;
use weir_transport::receive::{Identity, Offer, Peer, PermissionGroup, Standing, offer};
use weir_units::Owner;
use weir_wire::smtp::{Credentials, Extension, Extensions, Mechanism, Secret, Token};

use super::Client;
use crate::inbound::Place;
use crate::organisation::Authenticated;
use crate::settings::Settings;

/// What is always offered.
const ALWAYS: [Extension; 6] = [
    Extension::Pipelining,
    Extension::EightBitMime,
    Extension::SmtpUtf8,
    Extension::Chunking,
    Extension::EnhancedStatusCodes,
    Extension::Dsn,
];

/// The bytes that are set aside of the largest message that the durable queue takes, for what we write on top of it.
const TRACE_BYTES: u64 = 4 << 10;

/// What became of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Login {
    /// It is known whose they are.
    Known,
    /// They are nobody's.
    Wrong,
    /// Nobody knows at the moment.
    Unverifiable,
}

/// Who the client is, as far as he has proved it.
#[derive(Debug)]
pub(super) struct Who {
    client: Client,
    identity: Identity,
    /// Whose account he logged in with.
    owner: Option<Owner>,
    /// Whose shadows he has, by his word after he was believed (H12).
    holder: Option<Token>,
    has_logged_in: bool,
    is_encrypted: bool,
    /// Own servers that have his address, where the address is what they are known by.
    by_address: Vec<Arc<str>>,
}

impl Who {
    /// A client of whom nothing but the address is known.
    pub(super) fn new(client: Client, place: &Place) -> Self {
        let by_address = servers_at(client, place);
        let mut who = Self {
            client,
            identity: Identity::Anonymous,
            owner: None,
            holder: None,
            has_logged_in: false,
            is_encrypted: false,
            by_address,
        };
        who.forget();
        who
    }

    /// The connection is encrypted from here on, and what was said before counts no more.
    pub(super) fn secured(&mut self) {
        self.is_encrypted = true;
        self.forget();
    }

    /// What the client has proved to be.
    pub(super) const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Whose account he logged in with.
    pub(super) const fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// The own server that he is.
    pub(super) const fn server(&self) -> Option<&Arc<str>> {
        match &self.identity {
            Identity::Server(name) => Some(name),
            Identity::Anonymous | Identity::User => None,
        }
    }

    /// Whose shadows he has.
    pub(super) const fn holder(&self) -> Option<&Token> {
        self.holder.as_ref()
    }

    /// His address.
    pub(super) const fn address(&self) -> IpAddr {
        self.client.address
    }

    /// Whether he proved it by a password.
    pub(super) const fn has_logged_in(&self) -> bool {
        self.has_logged_in
    }

    /// Whether the connection is encrypted.
    pub(super) const fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// What he is taken for.
    pub(super) fn standing(&self, place: &Place) -> Standing {
        self.identity.standing(place.connector())
    }

    /// He calls himself `name`: of own servers with one address, that tells which he is.
    pub(super) fn calls_itself(&mut self, name: &str) {
        if self.by_address.len() < 2 || self.has_logged_in {
            return;
        }
        let first = name.split('.').next().unwrap_or_default();
        let is = |server: &&Arc<str>| server.eq_ignore_ascii_case(name) || server.eq_ignore_ascii_case(first);
        if let Some(server) = self.by_address.iter().find(is) {
            self.identity = Identity::Server(Arc::clone(server));
        }
    }

    /// He says that he has `holder`'s shadows; whether he is that partner.
    pub(super) fn holds_shadows(&mut self, holder: Token, settings: &Settings) -> bool {
        let name = holder.as_str();
        let has_address = !self.has_logged_in && self.by_address.iter().any(|server| **server == *name);
        let is_he = has_address || self.server().is_some_and(|server| **server == *name);
        let is_partner = is_he && settings.shadow_partners.iter().any(|partner| **partner == *name);
        if is_partner {
            self.identity = Identity::Server(name.into());
            self.holder = Some(holder);
        }
        is_partner
    }

    /// Whose `credentials` are; whoever that is, is known from here on.
    pub(super) async fn log_in(&mut self, credentials: &Credentials, place: &Place) -> Login {
        let works = place.works();
        if let Some((server, secret)) = server_of(credentials, place) {
            if !is_same(&secret, &credentials.password) {
                return Login::Wrong;
            }
            self.identity = Identity::Server(server);
            self.has_logged_in = true;
            return Login::Known;
        }
        if !place.connector().lets(PermissionGroup::Users) {
            return Login::Wrong;
        }
        match works.submitters.authenticate(credentials, self.client.address).await {
            Authenticated::Owner(owner) => {
                self.identity = Identity::User;
                self.owner = Some(owner);
                self.has_logged_in = true;
                Login::Known
            }
            Authenticated::Wrong => Login::Wrong,
            Authenticated::Unverifiable => Login::Unverifiable,
        }
    }

    /// What he is offered.
    pub(super) fn offered(&self, place: &Place) -> Extensions {
        let settings = &place.works().settings;
        let has_certificate = place.works().tls.is_some();
        let never_leaves = self.client.address.is_loopback() && !self.client.is_proxied;
        let peer = |identity| Peer {
            identity,
            private: self.is_encrypted || never_leaves,
            encrypted: self.is_encrypted,
        };
        let to =
            |identity| offer(place.connector(), &peer(identity), &settings.shadow_partners, has_certificate);
        let Offer { starttls, xshadow, .. } = to(self.identity.clone());
        // Whoever logged in may still say on whose behalf (RFC 4954, section 5), so AUTH stays.
        let has_use = place.works().submitters.verifies_passwords() || settings.server_secret.is_some();
        let auth = has_use && to(Identity::Anonymous).auth;
        // Which of those that share his address he is, XSHADOW says.
        let may_be_partner = self.by_address.iter().any(|server| settings.shadow_partners.contains(server));
        let undecided = may_be_partner && self.identity == Identity::Anonymous;
        let extra = [(Extension::StartTls, starttls), (Extension::Shadow, xshadow || undecided)];
        let keywords = ALWAYS.into_iter().chain(extra.into_iter().filter(|one| one.1).map(|one| one.0));
        let mechanisms = if auth { vec![Mechanism::Plain, Mechanism::Login] } else { Vec::new() };
        Extensions { keywords: keywords.collect(), size: Some(largest_message(place)), mechanisms }
    }

    /// Nothing is known but the address.
    fn forget(&mut self) {
        self.owner = None;
        self.holder = None;
        self.has_logged_in = false;
        self.identity = match self.by_address.as_slice() {
            [only] => Identity::Server(Arc::clone(only)),
            _ => Identity::Anonymous,
        };
    }
}

/// The largest message that is taken: what the connector lets in, and the durable queue holds.
pub(super) fn largest_message(place: &Place) -> u64 {
    let held = place.works().settings.spool.body_bytes.saturating_sub(TRACE_BYTES);
    place.connector().limits.max_message_size.min(held)
}

/// Own servers that are known by this address.
fn servers_at(client: Client, place: &Place) -> Vec<Arc<str>> {
    let settings = &place.works().settings;
    if settings.server_secret.is_some() || client.is_proxied || !is_for_servers(place) {
        return Vec::new();
    }
    let others = settings.routing.servers.iter().filter(|server| server.name != settings.routing.name);
    let here = others.filter(|server| match &server.address.host {
        Host::Address(address) => address.to_canonical() == client.address,
        Host::Name(_) => false,
    });
    here.map(|server| Arc::clone(&server.name)).collect()
}

/// The own server whose name stands in `credentials`, where servers log in, and what it has to know.
fn server_of(credentials: &Credentials, place: &Place) -> Option<(Arc<str>, Secret)> {
    let settings = &place.works().settings;
    let secret = settings.server_secret.clone().filter(|_| is_for_servers(place))?;
    let server = settings.routing.other(&credentials.name)?;
    Some((Arc::clone(&server.name), secret))
}

fn is_for_servers(place: &Place) -> bool {
    let connector = place.connector();
    connector.lets(PermissionGroup::Servers) && !connector.behind_load_balancer
}

/// Compares digests, so that the time it takes tells nothing about the secret.
fn is_same(secret: &Secret, given: &Secret) -> bool {
    let [one, other] = [secret, given].map(|text| digest::digest(&digest::SHA256, text.expose().as_bytes()));
    one.as_ref() == other.as_ref()
}
