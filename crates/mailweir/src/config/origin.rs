//! `[origin]`: the mail system behind the gateway – the embedded mailbox server, or servers that exist.
//!
//! How servers are talked to is said once, for all remote origins; each `[[origin.for]]` has servers of its own, and
//! may trust others.

use std::path::PathBuf;
use std::time::Duration;

use weir_gateway::remote::{ActiveCheck, ForwardingSettings, HostHeader, RemoteSettings, ServerUrl};

use super::address::{Domain, HostPort, UrlPath, WebServer};
use super::key::Effect::{Later, Restart};
use super::kind::{Count, ListOf, Memory, OneOf, Switch, Time};
use super::reader::Section;

/// What kind of mail system is behind the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginKind {
    /// The embedded mailbox server.
    Embedded,
    /// Servers that exist already.
    Remote,
}

const KINDS: OneOf<OriginKind> = OneOf(&[("embedded", OriginKind::Embedded), ("remote", OriginKind::Remote)]);

const HOSTS: OneOf<HostHeader> = OneOf(&[("as-sent", HostHeader::AsSent), ("server", HostHeader::Server)]);

const KIB: usize = 1 << 10;

/// A time that the gateway waits for a server to connect or to shake hands.
const BRIEF: Time = Time(Duration::from_millis(100), Duration::from_mins(1));

/// The mail system behind the gateway.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its kind.
    pub kind: OriginKind,
    /// Remote servers.
    pub servers: Servers,
    /// Whom to trust besides the system's roots: a PEM file.
    pub ca: Option<PathBuf>,
    /// How the HTTP servers of every remote origin are talked to; it names no servers itself.
    pub http: RemoteSettings,
    /// Further origins, each for some domains.
    pub others: Vec<OriginFor>,
}

/// Servers that answer for the same mailboxes.
#[derive(Clone, Debug)]
pub struct Servers {
    /// For EWS, MAPI and EAS.
    pub http: Vec<ServerUrl>,
    /// For IMAP.
    pub imap: Vec<String>,
    /// For POP3.
    pub pop3: Vec<String>,
}

/// An origin for some domains.
#[derive(Clone, Debug)]
pub struct OriginFor {
    /// The domains, in lower case.
    pub domains: Vec<String>,
    /// The servers.
    pub servers: Servers,
    /// Whom to trust besides the system's roots; nothing: whom the usual origin trusts.
    pub ca: Option<PathBuf>,
}

/// The remote HTTP origins.
#[derive(Clone, Debug)]
pub struct Remotes {
    /// The one for everybody.
    pub usual: RemoteSettings,
    /// Further ones, each for some domains.
    pub others: Vec<(Vec<String>, RemoteSettings)>,
}

impl Origin {
    /// The remote HTTP origins; nothing where the embedded mailbox server is behind the gateway, or no HTTP server.
    pub fn remotes(&self) -> Option<Remotes> {
        if self.kind == OriginKind::Embedded || self.servers.http.is_empty() {
            return None;
        }
        let with = |servers: &Servers, ca: Option<&PathBuf>| RemoteSettings {
            servers: servers.http.clone(),
            ca: ca.cloned(),
            ..self.http.clone()
        };
        let others = self.others.iter().filter(|other| !other.servers.http.is_empty()).map(|other| {
            (other.domains.clone(), with(&other.servers, other.ca.as_ref().or(self.ca.as_ref())))
        });
        Some(Remotes { usual: with(&self.servers, self.ca.as_ref()), others: others.collect() })
    }

    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        let origin = Self {
            kind: s.value("kind", Restart, &KINDS, OriginKind::Embedded),
            servers: Servers::read(s),
            ca: s.path("ca", Restart),
            http: http(s),
            others: s.sections("for", OriginFor::read),
        };
        origin.check(s);
        origin
    }

    fn check(&self, s: &mut Section<'_, '_, '_>) {
        match self.kind {
            OriginKind::Remote if self.servers.is_empty() => s.mistake_at(
                "kind",
                "origin.kind = \"remote\" needs servers: give origin.http, origin.imap or origin.pop3",
            ),
            OriginKind::Embedded if !self.servers.is_empty() => s.mistake(
                "origin names servers, but origin.kind is \"embedded\", which asks none; write kind = \"remote\" \
                 or remove the servers",
            ),
            OriginKind::Remote | OriginKind::Embedded => {}
        }
        let mut domains: Vec<&String> = self.others.iter().flat_map(|other| &other.domains).collect();
        domains.sort_unstable();
        if let Some(twice) =
            domains.windows(2).find_map(|pair| pair.first().filter(|one| pair.last() == Some(one)))
        {
            s.mistake_at(
                "for",
                format!("origin.for: the domain {twice:?} is named twice; one origin answers for it"),
            );
        }
    }
}

/// How HTTP servers are talked to.
fn http(s: &mut Section<'_, '_, '_>) -> RemoteSettings {
    let d = RemoteSettings::new(Vec::new());
    RemoteSettings {
        connect_time: s.value("connect_time", Restart, &BRIEF, d.connect_time),
        tls_handshake: s.value("tls_handshake", Restart, &BRIEF, d.tls_handshake),
        response_head_time: s.value(
            "response_head_time",
            Restart,
            &Time::seconds(1, 3_600),
            d.response_head_time,
        ),
        answer_idle_time: s.value("answer_idle_time", Restart, &Time::seconds(1, 3_600), d.answer_idle_time),
        idle_time: s.value(
            "idle_time",
            Restart,
            &Time(Duration::from_millis(100), Duration::from_hours(1)),
            d.idle_time,
        ),
        idle_per_server: s.value("idle_per_server", Restart, &Count(0, 100_000), d.idle_per_server),
        connections_per_server: s.value(
            "connections_per_server",
            Restart,
            &Count(1, 1_000_000),
            d.connections_per_server,
        ),
        head_bytes: s.value("head_bytes", Restart, &Memory(8 * KIB, 1024 * KIB), d.head_bytes),
        headers: s.value("headers", Restart, &Count(16, 1_000), d.headers),
        forwarding: ForwardingSettings {
            x_forwarded_for: s.value("x_forwarded_for", Restart, &Switch, d.forwarding.x_forwarded_for),
            forwarded: s.value("forwarded", Restart, &Switch, d.forwarding.forwarded),
            host: s.value("host", Restart, &HOSTS, d.forwarding.host),
        },
        check: check(s),
        ..d
    }
}

/// What servers are asked to find out whether they work (H10).
fn check(s: &mut Section<'_, '_, '_>) -> Option<ActiveCheck> {
    let path = s.optional("check", Restart, &UrlPath);
    let d = ActiveCheck::new(path.as_deref().unwrap_or("/"));
    let check = ActiveCheck {
        interval: s.value("check_interval", Restart, &Time::seconds(1, 3_600), d.interval),
        time: s.value("check_time", Restart, &BRIEF, d.time),
        fail_on_5xx: s.value("check_fail_on_5xx", Restart, &Switch, d.fail_on_5xx),
        ..d
    };
    path.map(|_| check)
}

impl Servers {
    fn read(s: &mut Section<'_, '_, '_>) -> Self {
        Self {
            http: s.value("http", Restart, &ListOf(WebServer), Vec::new()),
            imap: s.value("imap", Later, &ListOf(HostPort), Vec::new()),
            pop3: s.value("pop3", Later, &ListOf(HostPort), Vec::new()),
        }
    }

    fn is_empty(&self) -> bool {
        self.http.is_empty() && self.imap.is_empty() && self.pop3.is_empty()
    }
}

impl OriginFor {
    fn read(s: &mut Section<'_, '_, '_>) -> Option<Self> {
        let domains = s.required("domains", Restart, &ListOf(Domain));
        let (servers, ca) = (Servers::read(s), s.path("ca", Restart));
        if domains.is_some() && servers.is_empty() {
            s.mistake_at("domains", "origin.for needs servers: give http, imap or pop3");
        }
        Some(Self { domains: domains?, servers, ca })
    }
}

#[cfg(test)]
mod tests;
