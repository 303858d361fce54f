//! What a connection is good for: messages, questions about shadows, and a farewell.

use std::sync::Arc;

use weir_balance::Failure;
use weir_transport::queue::Stage;
use weir_units::Micros;
use weir_wire::smtp::{Command, DiscardNotices, DiscardQuery, Extensions, Mail, Recipient, Token};

use super::acquaintance::{after_banner, lost};
use super::body::Body;
use super::link::Link;
use super::transfer::{Transfer, unsent};
use super::{Facts, OpenError, Protocol, Sent, said};
use crate::content::Content;
use crate::settings::SendSettings;

/// How long the answer to QUIT is waited for. Nothing depends on it.
const FAREWELL: Micros = Micros::SECOND.times(2);

/// A connection over which messages are sent, one after another.
pub(crate) struct Connection {
    pub(super) link: Link,
    pub(super) settings: Arc<SendSettings>,
    pub(super) protocol: Protocol,
    pub(super) offered: Extensions,
    pub(super) remote: Arc<str>,
    database: Option<Token>,
    /// Everything that was asked has been answered.
    pub(super) at_rest: bool,
}

impl Connection {
    pub(super) const fn new(
        link: Link,
        settings: Arc<SendSettings>,
        protocol: Protocol,
        offered: Extensions,
        database: Option<Token>,
        remote: Arc<str>,
    ) -> Self {
        Self { link, settings, protocol, offered, remote, database, at_rest: true }
    }

    /// What the peer offers to us: XSHADOW where it keeps to it, AUTH where we logged in.
    pub(crate) const fn offered(&self) -> &Extensions {
        &self.offered
    }

    /// Which queue database the peer has, where it is a partner in shadow redundancy (H12).
    pub(crate) const fn database(&self) -> Option<&Token> {
        self.database.as_ref()
    }

    /// What the peer calls itself; where its banner names no host, the target's name.
    pub(crate) fn remote(&self) -> &str {
        &self.remote
    }

    /// Sends a message from and to whom the envelope says, as far as the peer can be told. The envelope's size and kind
    /// of lines are those of `facts`.
    pub(crate) async fn send(
        &mut self,
        mail: &Mail,
        recipients: &[Recipient],
        content: Content,
        facts: Facts,
    ) -> Sent {
        if !self.at_rest {
            return Sent {
                broken: Some("the connection was lost before".into()),
                ..unsent(recipients.len())
            };
        }
        match Body::begin(content).await {
            Ok(body) => Transfer::new(self, recipients.len()).run(mail, recipients, body, facts).await,
            Err(error) => Sent { usable: true, unreadable: Some(error), ..unsent(recipients.len()) },
        }
    }

    /// Asks which shadows may go (H12).
    ///
    /// # Errors
    /// Where the peer does not say; only a refusal leaves the connection usable.
    pub(crate) async fn discards(&mut self, query: DiscardQuery) -> Result<DiscardNotices, OpenError> {
        const WORD: &str = "XQDISCARD";
        self.at_rest = false;
        let asked = self.link.ask(&Command::Discards(query), self.settings.command_timeout).await;
        let reply = asked.map_err(|broken| lost(&broken, Stage::Ehlo, WORD))?;
        self.at_rest = !reply.closes();
        DiscardNotices::read(&reply).ok_or_else(|| {
            let answer = said(&reply);
            let error = after_banner(Failure::Other, Stage::Ehlo, format!("{WORD} was answered: {answer}"));
            OpenError { reply: Some(answer), ..error }
        })
    }

    /// Takes leave. One that is lost already just ends.
    pub(crate) async fn quit(self) {
        if self.at_rest {
            self.link.quit(FAREWELL).await;
        }
    }
}
