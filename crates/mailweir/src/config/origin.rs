//! `[origin]`: the mail system behind the gateway – the embedded mailbox server, or servers that exist.

use std::path::PathBuf;

use super::address::{HostPort, WebServer};
use super::key::Effect::{Later, Restart};
use super::kind::{ListOf, OneOf, Text};
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

/// The mail system behind the gateway.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its kind.
    pub kind: OriginKind,
    /// Remote servers.
    pub servers: Servers,
    /// Whom to trust besides the system's roots: a PEM file.
    pub ca: Option<PathBuf>,
    /// Further origins, each for some domains.
    pub others: Vec<OriginFor>,
}

/// Servers that answer for the same mailboxes.
#[derive(Clone, Debug)]
pub struct Servers {
    /// For EWS, MAPI and EAS.
    pub http: Vec<String>,
    /// For IMAP.
    pub imap: Vec<String>,
    /// For POP3.
    pub pop3: Vec<String>,
}

/// An origin for some domains.
#[derive(Clone, Debug)]
pub struct OriginFor {
    /// The domains.
    pub domains: Vec<String>,
    /// The servers.
    pub servers: Servers,
}

impl Origin {
    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        let origin = Self {
            kind: s.value("kind", Restart, &KINDS, OriginKind::Embedded),
            servers: Servers::read(s),
            ca: s.path("ca", Later),
            others: s.sections("for", OriginFor::read),
        };
        match origin.kind {
            OriginKind::Remote if origin.servers.is_empty() => s.mistake_at(
                "kind",
                "origin.kind = \"remote\" needs servers: give origin.http, origin.imap or origin.pop3",
            ),
            OriginKind::Embedded if !origin.servers.is_empty() => s.mistake(
                "origin names servers, but origin.kind is \"embedded\", which asks none; write kind = \"remote\" \
                 or remove the servers",
            ),
            OriginKind::Remote | OriginKind::Embedded => {}
        }
        origin
    }
}

impl Servers {
    fn read(s: &mut Section<'_, '_, '_>) -> Self {
        Self {
            http: s.value("http", Later, &ListOf(WebServer), Vec::new()),
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
        let domains = s.required("domains", Later, &ListOf(Text));
        let servers = Servers::read(s);
        if domains.is_some() && servers.is_empty() {
            s.mistake_at("domains", "origin.for needs servers: give http, imap or pop3");
        }
        Some(Self { domains: domains?, servers })
    }
}
