//! One message over a connection: envelope, content, answers.
//!
//! To a peer that has PIPELINING the envelope and DATA are one write. So the peer may ask for the message although it
//! refused all that was to be done with it; then it gets an empty one. A 4xx or 5xx that comes before the message is over
//! answers it, and a 2xx there is believed by nobody: in both cases the connection ends.

use weir_spool::SpoolError;
use weir_transport::queue::{Context, Feedback, Meaning, Reply, Stage, Step, Transaction};
use weir_units::Micros;
use weir_wire::smtp::{self, Command, Extension, Mail, Pipeline, Recipient};

use super::body::{Body, NOTHING};
use super::connection::Connection;
use super::fitting::Fitting;
use super::link::{LinkError, Pushed};
use super::{Facts, Protocol, Sent, said};

/// How long the last words of a peer are waited for that takes no more of a message.
const LAST_WORDS: Micros = Micros::SECOND;

/// A message on its way.
pub(super) struct Transfer<'a> {
    connection: &'a mut Connection,
    transaction: Transaction,
    feedback: Vec<Feedback>,
    bytes: u64,
    /// The peer said that it closes the connection.
    closing: bool,
}

/// Why a message got no answer.
enum Cut {
    /// The peer.
    Peer(LinkError),
    /// The message itself.
    Content(SpoolError),
}

/// A message for so many recipients of which nothing was sent.
pub(super) fn unsent(recipients: usize) -> Sent {
    let outcomes = Transaction::new(recipients, false).finish();
    Sent { outcomes, usable: false, feedback: Vec::new(), bytes: 0, broken: None, unreadable: None }
}

impl<'a> Transfer<'a> {
    pub(super) fn new(connection: &'a mut Connection, recipients: usize) -> Self {
        let transaction = Transaction::new(recipients, false);
        Self { connection, transaction, feedback: Vec::new(), bytes: 0, closing: false }
    }

    /// Sends the message, and leaves the connection at rest where it can.
    pub(super) async fn run(
        mut self,
        mail: &Mail,
        recipients: &[Recipient],
        mut body: Body,
        facts: Facts,
    ) -> Sent {
        let cut = self.pass(mail, recipients, &mut body, facts).await.err();
        if cut.is_some() {
            self.transaction.lost(None);
        }
        let (broken, unreadable) = match cut {
            Some(Cut::Peer(error)) => (Some(error.to_string().into()), None),
            Some(Cut::Content(error)) => (None, Some(error)),
            None => (None, None),
        };
        let (outcomes, usable) = (self.transaction.finish(), self.connection.at_rest);
        Sent { outcomes, usable, feedback: self.feedback, bytes: self.bytes, broken, unreadable }
    }

    async fn pass(
        &mut self,
        mail: &Mail,
        recipients: &[Recipient],
        body: &mut Body,
        facts: Facts,
    ) -> Result<(), Cut> {
        let Connection { offered, remote, .. } = &*self.connection;
        let fitting = Fitting::of(mail, recipients, body, facts, offered, remote).await?;
        for (place, why) in &fitting.refused {
            self.transaction.recipient(*place, why);
        }
        if fitting.recipients.is_empty() {
            return Ok(());
        }
        self.connection.at_rest = false;
        let step = match self.envelope(fitting).await? {
            Step::Go => self.content(body).await?,
            step @ (Step::Reset | Step::Next | Step::Close) => step,
        };
        self.connection.at_rest = match step {
            Step::Go | Step::Close => false,
            Step::Next => !self.closing && !self.connection.link.has_input(),
            Step::Reset => !self.closing && self.reset().await?,
        };
        Ok(())
    }

    /// Says whom the message is from and for, and asks for its turn: [`Step::Go`] where the peer waits for the message.
    async fn envelope(&mut self, fitting: Fitting) -> Result<Step, Cut> {
        let patience = self.connection.settings.command_timeout;
        let (places, named): (Vec<usize>, Vec<Recipient>) = fitting.recipients.into_iter().unzip();
        let named = named.into_iter().map(Command::Recipient);
        let commands = std::iter::once(Command::Mail(fitting.mail)).chain(named).chain([Command::Data]);
        let mut pipeline = Pipeline::new(commands, self.connection.offered.has(Extension::Pipelining));
        let (mut places, mut wanted) = (places.into_iter(), true);
        while !pipeline.is_done() {
            if !self.connection.link.has_input() {
                pipeline.write(&mut self.connection.link.out);
                self.connection.link.push(patience).await?;
            }
            let reply = self.connection.link.reply(patience).await?;
            let asked = pipeline.answered();
            let step = if matches!(asked, Some(Command::Mail(_))) {
                self.hear(&reply, Stage::Mail, Transaction::mail)
            } else if matches!(asked, Some(Command::Recipient(_))) {
                let place = places.next().unwrap_or_default();
                self.hear(&reply, Stage::Recipient, |all, answer| all.recipient(place, answer))
            } else if matches!(asked, Some(Command::Data)) {
                match self.hear(&reply, Stage::Data, Transaction::data) {
                    Step::Go if !wanted => return self.nothing().await,
                    step @ (Step::Go | Step::Reset | Step::Next | Step::Close) => return Ok(step),
                }
            } else {
                self.transaction.lost(Some(&said(&reply)))
            };
            if step == Step::Close {
                return Ok(Step::Close);
            }
            wanted &= step == Step::Go && (places.len() > 0 || self.transaction.has_recipients());
            if !wanted {
                pipeline.give_up();
            }
        }
        Ok(Step::Reset)
    }

    /// Sends the message, and hears what becomes of it.
    async fn content(&mut self, body: &mut Body) -> Result<Step, Cut> {
        loop {
            let link = &mut self.connection.link;
            let ended = body.burst(&mut link.out).await?;
            if ended {
                self.transaction.sent();
            }
            let length = link.out.len();
            match link.push_listening(self.connection.settings.data_timeout).await {
                Ok(Pushed::All) => self.bytes += u64::try_from(length).unwrap_or(u64::MAX),
                Ok(Pushed::Interrupted) => return self.interrupted(None).await,
                Err(error) => return self.interrupted(Some(error)).await,
            }
            if ended {
                return self.answers().await;
            }
        }
    }

    async fn answers(&mut self) -> Result<Step, Cut> {
        let patience = self.connection.settings.message_timeout;
        loop {
            let reply = self.connection.link.reply(patience).await?;
            let step = match self.connection.protocol {
                Protocol::Smtp => return Ok(self.hear(&reply, Stage::Message, Transaction::message)),
                Protocol::Lmtp => self.hear(&reply, Stage::Message, Transaction::message_for_next),
            };
            if step != Step::Go {
                return Ok(step);
            }
        }
    }

    /// The peer takes no more of the message. What it said about that counts, if it is a refusal.
    async fn interrupted(&mut self, cut: Option<LinkError>) -> Result<Step, Cut> {
        let patience = if cut.is_some() { LAST_WORDS } else { self.connection.settings.command_timeout };
        let reply = match self.connection.link.reply(patience).await {
            Ok(reply) => reply,
            Err(later) => return Err(Cut::Peer(cut.unwrap_or(later))),
        };
        if !(400..600).contains(&reply.code().number()) {
            return Err(Cut::Peer(LinkError::OutOfTurn(reply.to_string())));
        }
        match self.connection.protocol {
            Protocol::Smtp => self.hear(&reply, Stage::Message, Transaction::message),
            Protocol::Lmtp => self.hear(&reply, Stage::Message, |all, answer| all.lost(Some(answer))),
        };
        Ok(Step::Close)
    }

    /// The peer waits for a message that nobody is left to get.
    async fn nothing(&mut self) -> Result<Step, Cut> {
        if self.connection.protocol == Protocol::Lmtp {
            return Ok(Step::Close);
        }
        self.connection.link.out.extend_from_slice(NOTHING);
        self.connection.link.push(self.connection.settings.data_timeout).await?;
        let reply = self.connection.link.reply(self.connection.settings.message_timeout).await?;
        Ok(if reply.closes() { Step::Close } else { Step::Next })
    }

    /// Makes an end of the message; whether the peer is ready for another.
    async fn reset(&mut self) -> Result<bool, Cut> {
        let patience = self.connection.settings.command_timeout;
        let reply = self.connection.link.ask(&Command::Reset, patience).await?;
        let meaning = said(&reply).meaning(Stage::Reset, Context::default());
        Ok(meaning == Meaning::Proceed && !reply.closes())
    }

    /// Takes a reply to `stage` for what it teaches, and to `decide` for what it means.
    fn hear(
        &mut self,
        reply: &smtp::Reply,
        stage: Stage,
        decide: impl FnOnce(&mut Transaction, &Reply) -> Step,
    ) -> Step {
        let answer = said(reply);
        self.closing |= reply.closes();
        if let Some(lesson) = answer.feedback(stage)
            && !self.feedback.contains(&lesson)
        {
            self.feedback.push(lesson);
        }
        decide(&mut self.transaction, &answer)
    }
}

impl From<LinkError> for Cut {
    fn from(error: LinkError) -> Self {
        Self::Peer(error)
    }
}

impl From<SpoolError> for Cut {
    fn from(error: SpoolError) -> Self {
        Self::Content(error)
    }
}
