//! `[listen]`: where clients come in. Loopback only, unless the configuration says otherwise.

use std::net::{Ipv4Addr, SocketAddr};

use weir_units::AddressRange;

use super::address::{Cidr, Listener};
use super::key::Effect;
use super::kind::{ListOf, Switch};
use super::reader::Section;

/// Listeners; one that is absent is off.
#[derive(Clone, Debug)]
pub struct Listen {
    /// EWS over plain HTTP.
    pub http: Option<SocketAddr>,
    /// EWS over TLS.
    pub https: Option<SocketAddr>,
    /// The administration API, metrics and health.
    pub admin: Option<SocketAddr>,
    /// Mail from other servers.
    pub smtp: Option<SocketAddr>,
    /// Mail from clients.
    pub submission: Option<SocketAddr>,
    /// IMAP.
    pub imap: Option<SocketAddr>,
    /// IMAP over TLS.
    pub imaps: Option<SocketAddr>,
    /// POP3.
    pub pop3: Option<SocketAddr>,
    /// POP3 over TLS.
    pub pop3s: Option<SocketAddr>,
    /// Whose `X-Forwarded-For` or PROXY header is believed.
    pub trusted_proxies: Vec<AddressRange>,
    /// Whether connections from trusted proxies begin with a PROXY header.
    pub proxy_protocol: bool,
}

impl Listen {
    /// The listeners with their keys, in the file's order.
    pub fn named(&self) -> [(&'static str, Option<SocketAddr>); 9] {
        [
            ("http", self.http),
            ("https", self.https),
            ("admin", self.admin),
            ("smtp", self.smtp),
            ("submission", self.submission),
            ("imap", self.imap),
            ("imaps", self.imaps),
            ("pop3", self.pop3),
            ("pop3s", self.pop3s),
        ]
    }

    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        use Effect::{Later, Restart};
        let listen = Self {
            http: s.value("http", Restart, &Listener, Some(loopback(8080))),
            https: s.value("https", Restart, &Listener, Some(loopback(8443))),
            admin: s.value("admin", Restart, &Listener, Some(loopback(8090))),
            smtp: s.value("smtp", Restart, &Listener, Some(loopback(2525))),
            submission: s.value("submission", Restart, &Listener, Some(loopback(2587))),
            imap: s.value("imap", Later, &Listener, Some(loopback(1143))),
            imaps: s.value("imaps", Later, &Listener, None),
            pop3: s.value("pop3", Later, &Listener, Some(loopback(1110))),
            pop3s: s.value("pop3s", Later, &Listener, None),
            trusted_proxies: s.value("trusted_proxies", Restart, &ListOf(Cidr), Vec::new()),
            proxy_protocol: s.value("proxy_protocol", Restart, &Switch, false),
        };
        listen.check(s);
        listen
    }

    fn check(&self, s: &mut Section<'_, '_, '_>) {
        let named = self.named();
        for (index, (name, address)) in named.iter().enumerate() {
            let Some(address) = address.filter(|address| address.port() != 0) else { continue };
            let twin = named.iter().take(index).find(|(_, other)| *other == Some(address));
            if let Some((other, _)) = twin {
                let text = format!(
                    "listen.{name} is the same address as listen.{other} ({address}); give one of them another port, \
                     or switch it off with \"\""
                );
                s.mistake_at(name, text);
            }
        }
        if self.proxy_protocol && self.trusted_proxies.is_empty() {
            let text = "listen.proxy_protocol = true believes nobody while listen.trusted_proxies is empty; name \
                        the balancers' ranges there";
            s.mistake_at("proxy_protocol", text);
        }
    }
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}
