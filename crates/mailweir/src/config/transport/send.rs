//! `[[transport.send_connector]]` and `[transport.sending]`: ways out, and how long each step of sending may take.

use std::sync::Arc;

use weir_mta::settings::{SendSettings, TlsPolicy};
use weir_transport::routing::SendConnector;

use super::super::key::Effect::Restart;
use super::super::kind::{ListOf, OneOf, Size, Switch, Text};
use super::super::reader::{Section, Spot};
use super::kinds::{MailServer, Space, Span};

const TLS: OneOf<TlsPolicy> = OneOf(&[
    ("off", TlsPolicy::Off),
    ("opportunistic", TlsPolicy::Opportunistic),
    ("required", TlsPolicy::Required),
    ("verified", TlsPolicy::Verified),
]);

/// A way out, with where it is written.
pub(super) struct WayOut {
    pub(super) spot: Spot,
    pub(super) connector: SendConnector,
    pub(super) tls: TlsPolicy,
}

impl WayOut {
    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Option<Self> {
        let name = s.required("name", Restart, &Text);
        let address_spaces = s.required("address_spaces", Restart, &ListOf(Space));
        let smart_hosts = s.value("smart_hosts", Restart, &ListOf(MailServer), Vec::new());
        let source_servers = s.value("source_servers", Restart, &ListOf(Text), Vec::new());
        let enabled = s.value("enabled", Restart, &Switch, true);
        let scoped = s.value("scoped", Restart, &Switch, false);
        let max_message_size = s.optional("max_message_size", Restart, &Size(1 << 10, 2 << 30));
        let tls = s.value("tls", Restart, &TLS, TlsPolicy::default());
        let connector = SendConnector {
            name: name?.into(),
            address_spaces: address_spaces?,
            smart_hosts,
            source_servers: source_servers.into_iter().map(Arc::from).collect(),
            enabled,
            scoped,
            max_message_size,
        };
        Some(Self { spot: s.spot("name"), connector, tls })
    }
}

/// How long each step of sending may take, and what `ways` say of encryption.
pub(super) fn sending(s: &mut Section<'_, '_, '_>, ways: &[WayOut]) -> SendSettings {
    let d = SendSettings::default();
    let step = Span::seconds(1, 3_600);
    let unusual = ways.iter().filter(|way| way.tls != TlsPolicy::default());
    SendSettings {
        connect_timeout: s.value("connect_timeout", Restart, &step, d.connect_timeout),
        banner_timeout: s.value("banner_timeout", Restart, &step, d.banner_timeout),
        command_timeout: s.value("command_timeout", Restart, &step, d.command_timeout),
        data_timeout: s.value("data_timeout", Restart, &step, d.data_timeout),
        message_timeout: s.value("message_timeout", Restart, &step, d.message_timeout),
        tls_timeout: s.value("tls_timeout", Restart, &step, d.tls_timeout),
        tls: unusual.map(|way| (way.connector.name.clone(), way.tls)).collect(),
    }
}
