//! What is answered to what, and who may go on.
//!
//! Each event of the protocol has one [`Turn`]: a reply, how long it is held back, and what the client may use from
//! then on. Nothing here reads or writes a connection.

use std::sync::Arc;

use weir_spool::MessageId;
use weir_transport::receive::{Patience, ReceiveConnector, Session as Allowance, Words, tarpit};
use weir_units::{Micros, Tick};
use weir_wire::smtp::content::{ContentFault, ContentRules};
use weir_wire::smtp::shadow::database_reply;
use weir_wire::smtp::{
    Code, Command, Credentials, DiscardQuery, Event, Extensions, Fault, Hello, Limits, Reply, Token,
};

use super::Client;
use super::message::Message;
use super::peer::{Login, Who, largest_message};
use crate::inbound::Place;
use crate::metrics::Refused;
use crate::words;

/// How long anybody may take whom the answer to a command depends on, before the client is told to come again.
const LONGEST_ANSWER: Micros = Micros::SECOND.times(30);

/// What follows from an event.
#[derive(Debug)]
pub(super) struct Turn {
    /// The answer.
    pub(super) reply: Reply,
    /// How long it is held back.
    pub(super) hold: Hold,
    /// What the client may use from then on, where that changes.
    pub(super) offered: Option<Extensions>,
    /// What it counts as.
    refused: Option<Refused>,
}

/// How long an answer is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Not at all.
    Nothing,
    /// For that time.
    For(Micros),
    /// Until the message went onward or was deferred, and until then at the latest (H12).
    Decided(MessageId, Tick),
}

/// One client and how far he has come.
pub(super) struct Talk {
    pub(super) place: Place,
    pub(super) who: Who,
    allowance: Allowance,
    /// How he said hello, and what he calls himself.
    pub(super) hello: Option<(Hello, String)>,
    /// The message under way.
    pub(super) message: Option<Message>,
}

impl Turn {
    /// Says that, at once.
    pub(super) const fn say(reply: Reply) -> Self {
        Self { reply, hold: Hold::Nothing, offered: None, refused: None }
    }

    /// Refuses.
    pub(super) fn refuse(reply: Reply, refused: Refused) -> Self {
        Self { refused: Some(refused), ..Self::say(reply) }
    }

    /// The same, held back.
    pub(super) fn held(self, hold: Hold) -> Self {
        Self { hold, ..self }
    }
}

impl Talk {
    /// A client who has said nothing yet.
    pub(super) fn new(client: Client, place: Place, now: Tick) -> Self {
        let allowance = Allowance::new(place.connector().limits, now);
        let who = Who::new(client, &place);
        Self { place, who, allowance, hello: None, message: None }
    }

    /// The connector that he came in by.
    pub(super) fn connector(&self) -> &ReceiveConnector {
        self.place.connector()
    }

    /// What this server calls itself.
    pub(super) fn host_name(&self) -> &str {
        self.place.works().settings.host_name.as_str()
    }

    /// What the protocol takes.
    pub(super) fn limits(&self) -> Limits {
        let wanted = self.connector().limits.max_recipients_per_message;
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let max_recipients = wanted.min(self.place.works().settings.spool.recipients);
        let max_bytes = Some(largest_message(&self.place));
        let content = ContentRules { max_bytes, ..ContentRules::default() };
        Limits { max_recipients, content, ..Limits::default() }
    }

    /// What he is offered.
    pub(super) fn offered(&self) -> Extensions {
        self.who.offered(&self.place)
    }

    /// The certificate in force.
    pub(super) fn certificate(&self) -> Option<Arc<rustls::ServerConfig>> {
        self.place.works().tls.as_ref().map(|tls| tls())
    }

    /// TLS begins, and what was said before is forgotten (RFC 3207, section 4.2).
    pub(super) fn secured(&mut self) {
        self.who.secured();
        self.hello = None;
        self.message = None;
    }

    /// Whether he is in the middle of a message, which is finished before the server stops.
    pub(super) fn is_in_message(&self) -> bool {
        self.message.as_ref().is_some_and(Message::has_begun)
    }

    /// He is there.
    pub(super) const fn heard(&mut self, now: Tick) {
        self.allowance.heard(now);
    }

    /// How long he may go on.
    pub(super) fn patience(&self, now: Tick) -> Patience {
        self.allowance.patience(now)
    }

    /// Done when that message went onward or was deferred; never for none.
    pub(super) async fn decided(&self, id: Option<MessageId>) {
        match id {
            Some(id) => self.place.works().passage.decided(id).await,
            None => std::future::pending().await,
        }
    }

    /// He spoke before he was greeted.
    pub(super) fn spoke_early(&self) {
        self.place.works().metrics.refused(Refused::Syntax);
    }

    /// What is answered to `event`; nothing to content.
    pub(super) async fn decide(&mut self, event: Event<'_>) -> Option<Turn> {
        let turn = match event {
            Event::Content(piece) => {
                self.content(piece).await;
                return None;
            }
            Event::Command(command) => self.command(command).await,
            Event::Challenge(challenge) => Turn::say(challenge.reply()),
            Event::Credentials(credentials) => self.log_in(&credentials).await,
            Event::ChunkEnd(summary) => self.chunk_end(summary),
            Event::End(_) => self.end().await,
            Event::Broken(fault) => self.broken(fault),
            Event::Fault(fault) => self.fault(fault),
        };
        if let Some(refused) = turn.refused {
            self.place.works().metrics.refused(refused);
        }
        Some(self.slowed(turn))
    }

    async fn command(&mut self, command: Command) -> Turn {
        match command {
            Command::Hello(hello, name) => self.hello(hello, name),
            Command::Mail(mail) => self.mail(mail).await,
            Command::Recipient(recipient) => self.recipient(recipient).await,
            Command::Data => self.data(),
            Command::Reset => {
                self.message = None;
                Turn::say(Reply::ok())
            }
            Command::Noop => Turn::say(Reply::ok()),
            Command::Quit => Turn::say(Reply::bye()),
            Command::Verify(_) => Turn::say(Reply::cannot_verify()),
            Command::Help => Turn::say(Reply::help()),
            Command::StartTls => Turn::say(Reply::start_tls()),
            Command::Shadow(holder) => self.shadow(holder),
            Command::Discards(query) => self.discards(query).await,
            // The protocol makes other events of these.
            Command::Chunk { .. } | Command::Authenticate(..) => Turn::say(Reply::local_error()),
        }
    }

    fn hello(&mut self, hello: Hello, name: String) -> Turn {
        self.message = None;
        self.who.calls_itself(&name);
        self.hello = Some((hello, name));
        let offered = self.offered();
        let reply = match hello {
            Hello::Ehlo | Hello::Lhlo => offered.reply(self.host_name()),
            Hello::Helo => Reply::plain(Code::OK, self.host_name()),
        };
        Turn { offered: Some(offered), ..Turn::say(reply) }
    }

    async fn log_in(&mut self, credentials: &Credentials) -> Turn {
        let asked = self.who.log_in(credentials, &self.place);
        match in_time(&self.place, asked).await.unwrap_or(Login::Unverifiable) {
            Login::Known => Turn { offered: Some(self.offered()), ..Turn::say(Reply::authenticated()) },
            Login::Wrong => {
                let last = self.allowance.logon_failure().err();
                Turn::refuse(last.map_or_else(Reply::wrong_credentials, words::reply), Refused::Password)
            }
            Login::Unverifiable => Turn::refuse(Reply::cannot_authenticate(), Refused::Password),
        }
    }

    fn shadow(&mut self, holder: Token) -> Turn {
        let works = self.place.works();
        if self.who.holds_shadows(holder, &works.settings) {
            Turn::say(database_reply(&works.passage.database()))
        } else {
            Turn::refuse(words::not_that_partner(), Refused::Authentication)
        }
    }

    async fn discards(&self, query: DiscardQuery) -> Turn {
        let Some(holder) = self.who.holder() else {
            return Turn::refuse(words::not_that_partner(), Refused::Authentication);
        };
        let asked = self.place.works().passage.discards(holder, query);
        match in_time(&self.place, asked).await {
            Some(notices) => Turn::say(notices.reply()),
            None => Turn::refuse(Reply::local_error(), Refused::Unavailable),
        }
    }

    fn broken(&mut self, fault: ContentFault) -> Turn {
        self.message = None;
        let refused = match fault {
            ContentFault::TooLarge | ContentFault::Endless => Refused::Size,
            ContentFault::AmbiguousEnd
            | ContentFault::BareCr
            | ContentFault::BareLf
            | ContentFault::Nul
            | ContentFault::EightBit
            | ContentFault::LineTooLong => Refused::Syntax,
        };
        Turn::refuse(fault.reply(), refused)
    }

    fn fault(&mut self, fault: Fault) -> Turn {
        let last: Option<Words> =
            fault.breaks_protocol().then(|| self.allowance.protocol_error().err()).flatten();
        let refused = match fault {
            Fault::TooManyRecipients => Refused::Recipients,
            Fault::TooLarge | Fault::HugeChunk => Refused::Size,
            Fault::NeedsEncryption => Refused::Authentication,
            Fault::Command(_)
            | Fault::LineTooLong
            | Fault::SecretTooLong
            | Fault::BareLineEnding
            | Fault::NotOffered
            | Fault::Order(_)
            | Fault::TooEarly
            | Fault::NeedsSmtpUtf8
            | Fault::Cancelled
            | Fault::MalformedSecret
            | Fault::Chunk => Refused::Syntax,
        };
        Turn::refuse(last.map_or_else(|| fault.reply(), words::reply), refused)
    }

    /// A stranger's refusals take their time.
    fn slowed(&self, turn: Turn) -> Turn {
        let standing = self.who.standing(&self.place);
        let tarpit = tarpit(&self.connector().limits, standing, turn.reply.code().number());
        match turn.hold {
            Hold::Nothing if tarpit > Micros::ZERO => turn.held(Hold::For(tarpit)),
            Hold::For(time) => turn.held(Hold::For(time.max(tarpit))),
            Hold::Nothing | Hold::Decided(..) => turn,
        }
    }
}

/// The answer, if it comes in time.
pub(super) async fn in_time<T>(place: &Place, asked: impl Future<Output = T>) -> Option<T> {
    let clock = &place.works().clock;
    tokio::select! {
        biased;
        answer = asked => Some(answer),
        () = clock.sleep_until(clock.tick().plus(LONGEST_ANSWER)) => None,
    }
}
