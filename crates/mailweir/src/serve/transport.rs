//! The mail transport, tied to the rest of the server: the directory says who has a mailbox, the gateway who may send,
//! the embedded mailbox server takes local mail and hands out what goes elsewhere.
//!
//! | module | the one idea |
//! |---|---|
//! | [`recipients`] | who has a mailbox |
//! | [`submitters`] | who logs in to send, and how much he may |
//! | [`listeners`] | where mail comes in |
//! | [`mailboxes`] | local mail on its way in |
//! | [`outbound`] | mail from mailboxes on its way out |
//! | [`view`] | what an administrator sees and does |

mod listeners;
mod mailboxes;
mod outbound;
mod recipients;
mod submitters;
pub(super) mod view;

use std::path::Path;
use std::sync::Arc;

use prometheus_client::registry::Registry;
use tokio::runtime::Handle;
use weir_clock::Clock;
use weir_directory::{Directory, Store};
use weir_gateway::Gateway;
use weir_gateway::metrics::{Front, Metrics};
use weir_gateway::tls::CertificateStore;
use weir_mailbox::MailboxServer;
use weir_mta::organisation::{Mailboxes, Submitters};
use weir_mta::{Mta, Parts};
use weir_units::EventSink;

use super::sockets::Sockets as Given;
use crate::config::Config;
pub(super) use listeners::Opened as Sockets;
use mailboxes::EmbeddedMailboxes;
use outbound::{Submit, WayOut};
use recipients::PeopleWhoReceive;
use submitters::OwnersWhoSend;

/// What the transport is tied to.
pub(super) struct Ties<'a> {
    pub(super) config: &'a Config,
    pub(super) data: &'a Path,
    pub(super) clock: Clock,
    pub(super) store: &'a Arc<Store>,
    pub(super) gateway: &'a Arc<Gateway>,
    /// The embedded mailbox server, where it is the origin.
    pub(super) mailbox: Option<MailboxServer>,
    pub(super) certificate: Option<&'a Arc<CertificateStore>>,
    /// Where connections of every front are counted.
    pub(super) counts: Metrics,
    pub(super) registry: &'a mut Registry,
    pub(super) events: EventSink,
    /// Listening sockets that were given.
    pub(super) given: &'a mut Given,
}

/// The transport, with the listening sockets that are open already.
pub(super) struct Opened {
    pub(super) transport: Arc<Mta>,
    pub(super) sockets: Sockets,
}

/// Opens the durable queue and puts the transport together; nothing where there is nothing for it to do.
pub(super) async fn open(ties: Ties<'_>) -> anyhow::Result<Option<Opened>> {
    let Some(mut settings) = ties.config.transport_settings(ties.data)? else { return Ok(None) };
    let sockets = listeners::settle(&mut settings, ties.given)?;
    let directory: Arc<dyn Directory> = Arc::<Store>::clone(ties.store);
    let submitters: Arc<dyn Submitters> = Arc::new(OwnersWhoSend(Arc::clone(ties.gateway)));
    let unknown = ties.config.transport.accepts_unknown();
    let recipients = PeopleWhoReceive::new(Arc::clone(&directory), unknown, ties.clock);
    let mailboxes = ties.mailbox.clone().map(|server| -> Arc<dyn Mailboxes> {
        Arc::new(EmbeddedMailboxes::new(directory, server, ties.clock))
    });
    let tls = ties.certificate.map(|certificate| certificate.server_config(&[])).transpose()?;
    let counts = ties.counts;
    let transport = Mta::open(Parts {
        settings,
        clock: ties.clock,
        data: ties.data.to_owned(),
        recipients: Arc::new(recipients),
        submitters: Arc::clone(&submitters),
        mailboxes,
        // It resolves to the certificate in force with every handshake.
        tls: match tls {
            Some(tls) => Some(Arc::new(move || Arc::clone(&tls))),
            None => None,
        },
        events: ties.events,
        metrics: weir_mta::metrics::Metrics::register(ties.registry),
        counted: Arc::new(move || Box::new(counts.connected(Front::Smtp))),
    });
    let transport = transport.await?;
    if let Some(mailbox) = ties.mailbox {
        mailbox.send_by(Arc::new(WayOut::new(Handle::current(), &submitters, way_out(&transport))));
    }
    Ok(Some(Opened { transport, sockets }))
}

/// Takes messages into the durable queue for as long as the transport lives.
fn way_out(transport: &Arc<Mta>) -> Submit {
    let transport = Arc::downgrade(transport);
    Box::new(move |mail, recipients, message, owner| {
        let transport = transport.clone();
        Box::pin(async move {
            let transport = transport.upgrade()?;
            Some(transport.submit(mail, recipients, message, Some(owner)).await)
        })
    })
}
