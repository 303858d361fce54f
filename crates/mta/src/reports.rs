//! What became of a message, told to its sender (H15, RFC 3464).
//!
//! A report is a message like any other: it has the null sender, wants no report of itself, and goes through the
//! durable queue. It is on disk before the recipients that it tells of are done, so that a crash tells a sender twice
//! rather than never. A message with the null sender is never reported on.
//!
//! A failed message of at most [`DEFAULT_MAX_GIVEN_BACK`] bytes is given back whole, unless its sender asked for less;
//! of all others the header is, up to the same bound and never a part of a line.

use std::sync::Arc;

use bytes::Bytes;
use ring::rand::{SecureRandom, SystemRandom};
use weir_clock::Clock;
use weir_spool::{MessageId, SpoolError};
use weir_transport::Domain;
use weir_transport::queue;
use weir_wire::smtp::header::HeaderLimits;
use weir_wire::smtp::report::{Action, DEFAULT_MAX_GIVEN_BACK, Fate, Subject, give_back};
use weir_wire::smtp::{
    ForwardPath, GiveBack, HeaderScanner, Mailbox, Notify, Recipient, Reply, ReplyReader, Report, Status,
    Token,
};

use crate::content::Content;
use crate::envelope::{Envelope, Provenance};
use crate::intake::{Intake, IntakeError, IntakeLimits};
use crate::organisation::{Recipients, Unavailable};

/// Bytes of chance in the name of a report.
const ID_BYTES: usize = 16;

/// Why a report was not queued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// The durable queue did not take it.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// The message that it tells of cannot be read.
    #[error("the message that the report is about cannot be read: {0}")]
    Unreadable(#[from] SpoolError),
    /// Nobody can say at the moment where its recipient belongs.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers for the name of a report")]
    NoRandomness,
}

/// What became of a message at one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FateOf {
    /// Why, as programs read it.
    pub(crate) status: Status,
    /// The server that said so, if one did.
    pub(crate) remote: Option<String>,
    /// What it said.
    pub(crate) reply: Option<queue::Reply>,
    /// Why, in words of ours, where no server said anything.
    pub(crate) reason: Option<String>,
}

/// Writes reports, and hands them in.
#[derive(Clone)]
pub(crate) struct Reporter {
    host_name: Domain,
    intake: Intake,
    recipients: Arc<dyn Recipients>,
    limits: IntakeLimits,
    clock: Clock,
}

impl FateOf {
    /// What the server called `remote` said. Its status is the reply's; where that has none, its class alone.
    pub(crate) fn said(remote: &str, reply: &queue::Reply) -> Self {
        let plain = Status { class: reply.code / 100, subject: 0, detail: 0 };
        let status = as_read(reply).and_then(|reply| reply.status()).unwrap_or(plain);
        Self { status, remote: Some(remote.to_owned()), reply: Some(reply.clone()), reason: None }
    }

    /// What happened where no server said anything.
    pub(crate) fn because(status: Status, reason: &str) -> Self {
        Self { status, remote: None, reply: None, reason: Some(reason.to_owned()) }
    }
}

impl Reporter {
    /// Reports by the server called `host_name`, which go into the durable queue through `intake` and belong where
    /// `recipients` says.
    pub(crate) fn new(
        host_name: Domain,
        intake: Intake,
        recipients: Arc<dyn Recipients>,
        limits: IntakeLimits,
        clock: Clock,
    ) -> Self {
        Self { host_name, intake, recipients, limits, clock }
    }

    /// Tells the sender of `envelope` what became of it at those of its recipients, by their place, whose fate he wants
    /// to hear. `content` is the message itself, of which no more is read than is given back.
    ///
    /// Answers which message the report is; nothing where nobody is to be told.
    ///
    /// # Errors
    /// [`ReportError`]: there is no report, and the caller tries again.
    pub(crate) async fn report(
        &self,
        envelope: &Envelope,
        action: Action,
        fates: Vec<(usize, FateOf)>,
        content: Content,
    ) -> Result<Option<MessageId>, ReportError> {
        let fates: Vec<Fate> =
            fates.into_iter().filter_map(|(place, fate)| self.told(envelope, place, fate)).collect();
        let wanted = fates.iter().any(|fate| action.is_wanted(fate.notify));
        if envelope.mail.from.mailbox().is_none() || !wanted {
            return Ok(None);
        }
        let give_back = give_back(action, envelope.mail.give_back, envelope.bytes, DEFAULT_MAX_GIVEN_BACK);
        let given = given(give_back, content).await?;
        let subject = Subject {
            sender: &envelope.mail.from,
            envelope_id: envelope.mail.envelope_id.as_deref(),
            arrived: envelope.accepted,
            give_back,
            eight_bit: !given.is_ascii(),
        };
        let id = fresh_id()?;
        match Report::about(subject, action, fates, self.host_name.as_str(), &id) {
            Some(report) => self.hand_in(&report, &given).await.map(Some),
            None => Ok(None),
        }
    }

    async fn hand_in(&self, report: &Report<'_>, given: &[u8]) -> Result<MessageId, ReportError> {
        let (mail, recipient) = report.envelope();
        let lookups = match recipient.to.mailbox() {
            Some(mailbox) => vec![self.recipients.lookup(mailbox).await?],
            None => Vec::new(),
        };
        let now = self.clock.wall();
        // It has all fields that a message needs, and came through no server.
        let mut draft = self.intake.begin(self.limits, |_| String::new());
        draft.write(report.head(now).as_bytes()).await?;
        draft.write(given).await?;
        draft.write(report.tail().as_bytes()).await?;
        let (recipients, origin) = (vec![recipient], Provenance::default());
        let envelope = Envelope { mail, recipients, accepted: now, bytes: 0, eight_bit: false, origin };
        Ok(draft.finish(envelope, lookups, now).await?)
    }

    /// What a report says of the recipient at `place`.
    fn told(&self, envelope: &Envelope, place: usize, fate: FateOf) -> Option<Fate> {
        let recipient = envelope.recipients.get(place)?;
        Some(Fate {
            recipient: self.address_of(recipient)?,
            original: recipient.original.clone(),
            notify: recipient.notify.unwrap_or(Notify::DEFAULT),
            status: fate.status,
            remote: fate.remote,
            reply: fate.reply.as_ref().and_then(as_read),
            reason: fate.reason,
        })
    }

    /// The address of a recipient; the postmaster of nowhere is ours.
    fn address_of(&self, recipient: &Recipient) -> Option<Mailbox> {
        match &recipient.to {
            ForwardPath::Mailbox(mailbox) => Some(mailbox.clone()),
            ForwardPath::Postmaster => format!("postmaster@{}", self.host_name).parse().ok(),
        }
    }
}

/// The reply as it was read from its server.
fn as_read(reply: &queue::Reply) -> Option<Reply> {
    let line = format!("{reply}\r\n");
    ReplyReader::default().next(&mut line.as_bytes()).ok().flatten()
}

/// The bytes that are given back: all of the message, or its header.
async fn given(how_much: GiveBack, content: Content) -> Result<Bytes, SpoolError> {
    match how_much {
        GiveBack::Full => Ok(content.whole(DEFAULT_MAX_GIVEN_BACK).await?.unwrap_or_default()),
        GiveBack::Headers => header(content).await.map(Bytes::from),
    }
}

/// The header, without the empty line behind it; of one beyond the bound, the lines within.
async fn header(mut content: Content) -> Result<Vec<u8>, SpoolError> {
    let limits = HeaderLimits { max_bytes: DEFAULT_MAX_GIVEN_BACK, ..HeaderLimits::default() };
    let (mut scanner, mut read) = (HeaderScanner::new(limits), Vec::new());
    while let Some(piece) = content.next().await? {
        let beyond = scanner.feed(&piece).is_err();
        read.extend_from_slice(&piece);
        if !beyond && !scanner.is_done() {
            continue;
        }
        read.truncate(usize::try_from(scanner.facts().bytes).unwrap_or(usize::MAX));
        // The last line that was looked at is the empty one, or one that is none of the header's, or goes on.
        let looked_at = read.strip_suffix(b"\n").unwrap_or(&read);
        let whole_lines = looked_at.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        read.truncate(whole_lines);
        break;
    }
    Ok(read)
}

/// A name that nobody can guess.
fn fresh_id() -> Result<Token, ReportError> {
    let mut bytes = [0_u8; ID_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| ReportError::NoRandomness)?;
    Token::new(&format!("{:032x}", u128::from_be_bytes(bytes))).ok_or(ReportError::NoRandomness)
}

#[cfg(test)]
mod tests;
