//! From MAIL to the message on disk.
//!
//! Each step asks those who have a say, the cheapest first, and what is charged is asked last: back pressure (H16), the
//! connector's rate, the sender, the owner's rate (T19); then of each recipient who he is, whether one may send there,
//! and the owner's recipients. Content streams into the durable queue as it comes; when a message cannot be taken, its
//! rest is thrown away and its end is answered with the reason. The last 250 is said when the message is on disk (H15).

use weir_spool::MessageId;
use weir_transport::Domain;
use weir_transport::pressure::Verdict;
use weir_transport::receive::{Standing, To, Words, may_send};
use weir_transport::routing::Lookup;
use weir_transport::shadow::{Acknowledge, acknowledge};
use weir_units::WallTime;
use weir_wire::smtp::content::Summary;
use weir_wire::smtp::header::HeaderLimits;
use weir_wire::smtp::{ForwardPath, Hello, Mail, Mailbox, Recipient, Reply};

use super::talk::{Hold, Talk, Turn, in_time};
use super::trace::{Manner, Trace};
use crate::envelope::{Envelope, Provenance};
use crate::intake::{Draft, IntakeError, IntakeLimits};
use crate::metrics::Refused;
use crate::words;

/// Bytes of the durable queue's envelope that are not recipients: sender, parameters, where it came from.
const ENVELOPE_HEAD: usize = 4 << 10;

/// Bytes around each recipient in the durable queue's envelope: quotes, a comma, and the line's own words.
const AROUND_RECIPIENT: usize = 8;

/// A message that MAIL began.
pub(super) struct Message {
    mail: Mail,
    recipients: Vec<Recipient>,
    /// Where each of them belongs.
    lookups: Vec<Lookup>,
    /// Bytes of the envelope so far.
    envelope: usize,
    content: Content,
}

/// How far the content has come.
enum Content {
    /// Nothing has come.
    None,
    /// So much is on its way into the durable queue.
    Draft(Box<Draft>),
    /// It is not taken, and this is said at its end.
    Refused(Reply, Refused),
}

impl Message {
    const fn new(mail: Mail) -> Self {
        Self {
            mail,
            recipients: Vec::new(),
            lookups: Vec::new(),
            envelope: ENVELOPE_HEAD,
            content: Content::None,
        }
    }

    /// Whether content of it has come.
    pub(super) const fn has_begun(&self) -> bool {
        !matches!(self.content, Content::None)
    }
}

impl Talk {
    /// MAIL.
    pub(super) async fn mail(&mut self, mail: Mail) -> Turn {
        match self.sender(mail).await {
            Ok(turn) | Err(turn) => turn,
        }
    }

    async fn sender(&mut self, mut mail: Mail) -> Result<Turn, Turn> {
        let (connector, identity) = (self.place.connector(), self.who.identity());
        may_send(connector, identity, To::Local)
            .or_else(|words| may_send(connector, identity, To::Elsewhere).map_err(|_| words))
            .map_err(not_permitted)?;
        let now = self.place.works().clock.tick();
        let hold = match self.place.inbound().pressure(self.who.standing(&self.place), now) {
            Verdict::Take => Hold::Nothing,
            Verdict::Slow(time) => Hold::For(time),
            Verdict::Refuse(words) => return Err(Turn::refuse(words::reply(words), Refused::Pressure)),
        };
        self.place.message(now).map_err(|words| Turn::refuse(words::reply(words), Refused::Rate))?;
        self.check_sender(&mail).await?;
        if let Some(owner) = self.who.owner() {
            let charged = self.place.works().submitters.message(owner);
            charged.map_err(|refusal| Turn::refuse(Reply::from(&refusal), Refused::Budget))?;
        }
        if self.who.server().is_none() {
            // Who submitted it first is for a server of ours to know (RFC 4954, section 5).
            mail.submitter = None;
        }
        self.message = Some(Message::new(mail));
        Ok(Turn::say(Reply::sender_ok()).held(hold))
    }

    /// Whoever logged in sends as himself, where the connector asks for it. Nobody's reports have no sender.
    async fn check_sender(&self, mail: &Mail) -> Result<(), Turn> {
        let (Some(owner), Some(from)) = (self.who.owner(), mail.from.mailbox()) else { return Ok(()) };
        if !self.place.connector().limits.sender_must_match {
            return Ok(());
        }
        let address = from.to_string();
        let asked = self.place.works().submitters.owner(&address);
        match in_time(&self.place, asked).await {
            None => Err(Turn::refuse(Reply::local_error(), Refused::Unavailable)),
            Some(Some(named)) if named == *owner => Ok(()),
            Some(_) => Err(Turn::refuse(words::not_your_address(), Refused::Authentication)),
        }
    }

    /// RCPT.
    pub(super) async fn recipient(&mut self, recipient: Recipient) -> Turn {
        match self.permitted(recipient).await {
            Err(turn) => turn,
            Ok((recipient, lookup)) => self.add(recipient, lookup),
        }
    }

    /// Who the recipient is, if the client may send to him. Whoever may write to us may write to our postmaster, wherever he
    /// reads his mail.
    async fn permitted(&self, mut recipient: Recipient) -> Result<(Recipient, Lookup), Turn> {
        let (lookup, to) = match recipient.to.mailbox() {
            None => {
                let (mailbox, lookup) = self.postmaster().await?;
                recipient.to = ForwardPath::Mailbox(mailbox);
                (lookup, To::Local)
            }
            Some(mailbox) => {
                if mailbox.host().to_string().parse::<Domain>().is_err() {
                    return Err(Turn::refuse(words::bad_domain(), Refused::Recipient));
                }
                match (self.look_up(mailbox).await?, self.stand_in(mailbox)) {
                    (Lookup::NoSuchMailbox, Some(postmaster)) => {
                        let lookup = self.look_up(&postmaster).await?;
                        recipient.to = ForwardPath::Mailbox(postmaster);
                        (lookup, To::Local)
                    }
                    (Lookup::NotOurs, _) => (Lookup::NotOurs, To::Elsewhere),
                    (lookup @ (Lookup::Here | Lookup::At(_) | Lookup::NoSuchMailbox), _) => {
                        (lookup, To::Local)
                    }
                }
            }
        };
        may_send(self.place.connector(), self.who.identity(), to).map_err(not_permitted)?;
        if lookup == Lookup::NoSuchMailbox {
            return Err(Turn::refuse(Reply::no_such_recipient(), Refused::Recipient));
        }
        Ok((recipient, lookup))
    }

    /// Adds a recipient whom the client may send to, if message and owner may have one more.
    fn add(&mut self, recipient: Recipient, lookup: Lookup) -> Turn {
        let line = recipient.to_string();
        let escapes = line.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
        let bytes = line.len() + escapes + AROUND_RECIPIENT;
        let works = self.place.works();
        let most = works.settings.spool.envelope_bytes;
        let Some(message) = &mut self.message else { return Turn::say(Reply::local_error()) };
        if message.envelope + bytes > most {
            return Turn::refuse(words::reply(Words::TOO_MANY_RECIPIENTS), Refused::Recipients);
        }
        if let Some(owner) = self.who.owner()
            && let Err(refusal) = works.submitters.recipients(owner, 1)
        {
            return Turn::refuse(Reply::from(&refusal), Refused::Budget);
        }
        message.envelope += bytes;
        message.recipients.push(recipient);
        message.lookups.push(lookup);
        Turn::say(Reply::recipient_ok())
    }

    /// Who gets mail for a postmaster whom nobody is.
    fn stand_in(&self, mailbox: &Mailbox) -> Option<Mailbox> {
        let named = mailbox.local().eq_ignore_ascii_case("postmaster");
        self.place.works().settings.postmaster.clone().filter(|_| named)
    }

    /// Who gets mail for `<postmaster>`: the postmaster of this host, or of the nearest domain above it that is ours; else
    /// whom the administrator named.
    async fn postmaster(&self) -> Result<(Mailbox, Lookup), Turn> {
        let mut domain = self.host_name();
        loop {
            if let Ok(mailbox) = format!("postmaster@{domain}").parse::<Mailbox>() {
                match self.look_up(&mailbox).await? {
                    lookup @ (Lookup::Here | Lookup::At(_)) => return Ok((mailbox, lookup)),
                    Lookup::NoSuchMailbox | Lookup::NotOurs => {}
                }
            }
            match domain.split_once('.') {
                Some((_, above)) if above.contains('.') => domain = above,
                Some(_) | None => break,
            }
        }
        let Some(mailbox) = self.place.works().settings.postmaster.clone() else {
            return Err(Turn::refuse(Reply::no_such_recipient(), Refused::Recipient));
        };
        let lookup = self.look_up(&mailbox).await?;
        Ok((mailbox, lookup))
    }

    async fn look_up(&self, mailbox: &Mailbox) -> Result<Lookup, Turn> {
        let asked = self.place.works().recipients.lookup(mailbox);
        match in_time(&self.place, asked).await {
            Some(Ok(lookup)) => Ok(lookup),
            Some(Err(unavailable)) => {
                tracing::warn!(%unavailable, "a recipient could not be looked up; his sender comes again");
                Err(Turn::refuse(Reply::local_error(), Refused::Unavailable))
            }
            None => {
                tracing::warn!("looking a recipient up took too long; his sender comes again");
                Err(Turn::refuse(Reply::local_error(), Refused::Unavailable))
            }
        }
    }

    /// DATA.
    pub(super) fn data(&mut self) -> Turn {
        self.message = self.message.take().map(|message| self.begun(message));
        Turn::say(Reply::start_data())
    }

    /// The next bytes of the message; those of a message in chunks come without DATA before them.
    pub(super) async fn content(&mut self, piece: &[u8]) {
        let Some(message) = self.message.take() else { return };
        let mut message = self.begun(message);
        if let Content::Draft(draft) = &mut message.content
            && let Err(error) = draft.write(piece).await
        {
            let (reply, refused) = log_not_taken(&error);
            message.content = Content::Refused(reply, refused);
        }
        self.message = Some(message);
    }

    /// A chunk has come that is not the last. A message that will not be taken is given up at once.
    pub(super) fn chunk_end(&mut self, so_far: Summary) -> Turn {
        match self.message.take() {
            Some(Message { content: Content::Refused(reply, refused), .. }) => Turn::refuse(reply, refused),
            message @ (Some(_) | None) => {
                self.message = message;
                Turn::say(Reply::chunk_ok(so_far.bytes))
            }
        }
    }

    /// The message is complete.
    pub(super) async fn end(&mut self) -> Turn {
        let Some(mut message) = self.message.take() else { return Turn::say(Reply::local_error()) };
        let draft = match std::mem::replace(&mut message.content, Content::None) {
            Content::Draft(draft) => *draft,
            Content::None => self.draft(&message),
            Content::Refused(reply, refused) => return Turn::refuse(reply, refused),
        };
        let works = self.place.works();
        let (taken, keeps_shadow) = (works.clock.tick(), message.mail.shadow.is_some());
        let now = works.clock.wall();
        let Message { mail, recipients, lookups, .. } = message;
        let envelope = Envelope {
            mail,
            recipients,
            accepted: now,
            bytes: 0,
            eight_bit: false,
            origin: self.provenance(),
        };
        match on_disk(draft, envelope, lookups, now).await {
            Ok(id) => {
                works.metrics.received(Some(&self.place.connector().name));
                let delay = works.settings.max_acknowledgement_delay;
                let hold = match acknowledge(keeps_shadow, false, delay, taken, works.clock.tick()) {
                    Acknowledge::Now => Hold::Nothing,
                    Acknowledge::At(latest) => Hold::Decided(id, latest),
                };
                Turn::say(Reply::queued(&id.to_string())).held(hold)
            }
            Err((reply, refused)) => Turn::refuse(reply, refused),
        }
    }

    fn begun(&self, mut message: Message) -> Message {
        if let Content::None = message.content {
            message.content = Content::Draft(Box::new(self.draft(&message)));
        }
        message
    }

    fn draft(&self, message: &Message) -> Draft {
        let limits = self.place.connector().limits;
        let header = HeaderLimits { max_bytes: limits.max_header_size, ..HeaderLimits::default() };
        let trace = self.trace(message);
        self.place
            .works()
            .intake
            .begin(IntakeLimits { header, max_hops: limits.max_hop_count }, move |facts| trace.before(facts))
    }

    fn trace(&self, message: &Message) -> Trace {
        let (hello, name) = self.hello.clone().unwrap_or((Hello::Helo, String::new()));
        let recipient = match message.recipients.as_slice() {
            [only] => only.to.mailbox().cloned(),
            _ => None,
        };
        let manner = match self.who.standing(&self.place) {
            Standing::OwnClient => Manner::Submitted,
            Standing::Stranger | Standing::OwnServer => Manner::Relayed,
        };
        Trace {
            hello,
            name,
            address: self.who.address(),
            by: self.host_name().to_owned(),
            is_secured: self.who.is_encrypted(),
            is_authenticated: self.who.has_logged_in(),
            smtp_utf8: message.mail.smtp_utf8,
            id: self.place.inbound().name(),
            recipient,
            at: self.place.works().clock.wall(),
            manner,
        }
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            client: Some(self.who.address()),
            connector: Some(self.place.connector().name.to_string()),
            owner: self.who.owner().map(|owner| owner.name().to_owned()),
            server: self.who.server().map(ToString::to_string),
        }
    }
}

/// Puts the message into the durable queue. A session that is cut off meanwhile does not undo half of it: once a message
/// is on disk, its deliveries begin.
async fn on_disk(
    draft: Draft,
    envelope: Envelope,
    lookups: Vec<Lookup>,
    now: WallTime,
) -> Result<MessageId, (Reply, Refused)> {
    let finished = tokio::spawn(async move { draft.finish(envelope, lookups, now).await });
    match finished.await {
        Ok(Ok(id)) => Ok(id),
        Ok(Err(error)) => Err(log_not_taken(&error)),
        Err(_) => Err((Reply::local_error(), Refused::Unavailable)),
    }
}

/// What is said of a message that is not taken; an administrator reads of what is ours.
fn log_not_taken(error: &IntakeError) -> (Reply, Refused) {
    let (reply, refused) = words::not_taken(error);
    if matches!(refused, Refused::Unavailable | Refused::Pressure) {
        tracing::warn!(%error, "a message was not taken");
    } else {
        tracing::debug!(%error, "a message was not taken");
    }
    (reply, refused)
}

fn not_permitted(words: Words) -> Turn {
    let refused = if words == Words::AUTHENTICATE { Refused::Authentication } else { Refused::Relay };
    Turn::refuse(words::reply(words), refused)
}
