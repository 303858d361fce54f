//! Delivery status notifications (RFC 3461, 3464, 6533): what became of a message, told to its sender.
//!
//! A report has three parts: text for people, fields for programs, and the message or its header. The last one is streamed
//! by the caller between [`Report::head`] and [`Report::tail`], so that a large message is never held here.
//!
//! It is written here, since the library that builds the mailbox server's messages reads the clock and the host's name for
//! what keeps the parts apart, and holds the whole message.
//!
//! There is no report to a null sender: [`Report::about`] makes none, and a report's own envelope has that sender. Nor is
//! there one that nobody asked for (`NOTIFY`).

#[cfg(test)]
mod tests;
mod text;

use weir_units::WallTime;

use super::mailbox::{ForwardPath, Mailbox, ReversePath};
use super::parameter::{GiveBack, Mail, Notify, OriginalRecipient, Recipient};
use super::received::date;
use super::reply::{Reply, Status};
use super::token::Token;

/// The most bytes of a message that a report gives back whole, unless stated otherwise.
pub const DEFAULT_MAX_GIVEN_BACK: u64 = 64 * 1024;

/// The most bytes of a server's words that are repeated.
const MAX_DIAGNOSTIC: usize = 500;

/// What became of a message at its recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It cannot be delivered.
    Failed,
    /// It takes longer; it is tried until that time.
    Delayed {
        /// When it is given up.
        until: WallTime,
    },
    /// It went on to a server that makes no reports.
    Relayed,
    /// It was delivered.
    Delivered,
}

/// What became of a message at one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// At whom.
    pub recipient: Mailbox,
    /// Whom it was for at first.
    pub original: Option<OriginalRecipient>,
    /// What the sender wants to hear of it.
    pub notify: Notify,
    /// Why.
    pub status: Status,
    /// The server that said so, if one did.
    pub remote: Option<String>,
    /// What it said.
    pub reply: Option<Reply>,
    /// Why, in words of ours, where no server said anything: `connection refused`.
    pub reason: Option<String>,
}

/// A message as far as a report tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// Whom it is from.
    pub sender: &'a ReversePath,
    /// What its sender calls its envelope.
    pub envelope_id: Option<&'a str>,
    /// When it came here.
    pub arrived: WallTime,
    /// How much of it is given back.
    pub give_back: GiveBack,
    /// Whether what is given back has bytes beyond ASCII.
    pub eight_bit: bool,
}

/// A report to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<'a> {
    server: &'a str,
    id: &'a Token,
    subject: Subject<'a>,
    to: &'a Mailbox,
    action: Action,
    fates: Vec<Fate>,
}

/// How much of a message of `bytes` is given back: all of a failed one that is small and whose sender did not ask for
/// the header alone.
pub fn give_back(action: Action, wish: Option<GiveBack>, bytes: u64, most: u64) -> GiveBack {
    match (action, wish) {
        (Action::Failed, None | Some(GiveBack::Full)) if bytes <= most => GiveBack::Full,
        (Action::Failed | Action::Delayed { .. } | Action::Relayed | Action::Delivered, _) => {
            GiveBack::Headers
        }
    }
}

impl Action {
    /// Whether a sender who wants `notify` is told.
    pub const fn is_wanted(self, notify: Notify) -> bool {
        match (notify, self) {
            (Notify::Never, _) => false,
            (Notify::On { failure, .. }, Self::Failed) => failure,
            (Notify::On { delay, .. }, Self::Delayed { .. }) => delay,
            (Notify::On { success, .. }, Self::Relayed | Self::Delivered) => success,
        }
    }

    /// The word of the field.
    const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Delayed { .. } => "delayed",
            Self::Relayed => "relayed",
            Self::Delivered => "delivered",
        }
    }
}

impl<'a> Report<'a> {
    /// A report by `server` on the recipients whose fate the sender wants to hear; nothing where there is none, or no
    /// sender. `id` must be unlike any other and hard to guess: it keeps the parts apart.
    pub fn about(
        subject: Subject<'a>,
        action: Action,
        fates: Vec<Fate>,
        server: &'a str,
        id: &'a Token,
    ) -> Option<Self> {
        let to = subject.sender.mailbox()?;
        let fates: Vec<Fate> = fates.into_iter().filter(|fate| action.is_wanted(fate.notify)).collect();
        (!fates.is_empty()).then_some(Self { server, id, subject, to, action, fates })
    }

    /// The envelope to send it in. It needs SMTPUTF8 where an address in it does.
    pub fn envelope(&self) -> (Mail, Recipient) {
        let mail = Mail { smtp_utf8: !self.is_ascii(), ..Mail::new(ReversePath::Null) };
        let to = ForwardPath::Mailbox(self.to.clone());
        (mail, Recipient { notify: Some(Notify::Never), ..Recipient::new(to) })
    }

    /// All of the report, written at `now`, up to where the message or its header stands.
    pub fn head(&self, now: WallTime) -> String {
        let mut out = self.header(now);
        self.part("text/plain; charset=utf-8", "8bit", &mut out);
        out.push_str(&text::text(self));
        if self.is_ascii() {
            self.part("message/delivery-status", "7bit", &mut out);
        } else {
            self.part("message/global-delivery-status", "8bit", &mut out);
        }
        self.message_fields(&mut out);
        for fate in &self.fates {
            out.push_str("\r\n");
            self.recipient_fields(fate, now, &mut out);
        }
        let kind = match (self.subject.give_back, self.is_ascii()) {
            (GiveBack::Full, true) => "message/rfc822",
            (GiveBack::Full, false) => "message/global",
            (GiveBack::Headers, true) => "text/rfc822-headers",
            (GiveBack::Headers, false) => "message/global-headers",
        };
        self.part(kind, if self.subject.eight_bit { "8bit" } else { "7bit" }, &mut out);
        out
    }

    /// What follows the message or its header.
    pub fn tail(&self) -> String {
        format!("\r\n--{}--\r\n", self.boundary())
    }

    /// What keeps the parts apart. A line of text never begins like this.
    fn boundary(&self) -> String {
        format!("={}=", self.id)
    }

    fn is_ascii(&self) -> bool {
        self.to.is_ascii() && self.fates.iter().all(|fate| fate.recipient.is_ascii())
    }

    fn header(&self, now: WallTime) -> String {
        let (server, mut out) = (self.server, String::new());
        field("From", &format!("Mail Delivery System <postmaster@{server}>"), &mut out);
        field("To", &format!("<{}>", self.to), &mut out);
        field("Subject", text::subject(self.action), &mut out);
        field("Date", &date(now), &mut out);
        field("Message-ID", &format!("<{}@{server}>", self.id), &mut out);
        field("Auto-Submitted", "auto-replied", &mut out);
        field("MIME-Version", "1.0", &mut out);
        let kind = "multipart/report; report-type=delivery-status;\r\n boundary=";
        field("Content-Type", &format!("{kind}\"{}\"", self.boundary()), &mut out);
        out
    }

    /// Begins a part.
    fn part(&self, kind: &str, encoding: &str, out: &mut String) {
        out.push_str("\r\n--");
        out.push_str(&self.boundary());
        out.push_str("\r\n");
        field("Content-Type", kind, out);
        field("Content-Transfer-Encoding", encoding, out);
        out.push_str("\r\n");
    }

    fn message_fields(&self, out: &mut String) {
        field("Reporting-MTA", &format!("dns; {}", self.server), out);
        if let Some(id) = self.subject.envelope_id {
            field("Original-Envelope-Id", &one_line(id), out);
        }
        field("Arrival-Date", &date(self.subject.arrived), out);
    }

    fn recipient_fields(&self, fate: &Fate, now: WallTime, out: &mut String) {
        if let Some(original) = &fate.original {
            let address = one_line(original.address());
            field("Original-Recipient", &format!("{}; {address}", original.kind()), out);
        }
        let kind = if fate.recipient.is_ascii() { "rfc822" } else { "utf-8" };
        field("Final-Recipient", &format!("{kind}; {}", fate.recipient), out);
        field("Action", self.action.word(), out);
        field("Status", &fate.status.to_string(), out);
        if let Some(remote) = &fate.remote {
            field("Remote-MTA", &format!("dns; {}", one_line(remote)), out);
        }
        if let Some(reply) = &fate.reply {
            field("Diagnostic-Code", &format!("smtp; {}", one_line(&reply.to_string())), out);
        } else if let Some(reason) = &fate.reason {
            field("Diagnostic-Code", &format!("X-Mailweir; {}", one_line(reason)), out);
        }
        field("Last-Attempt-Date", &date(now), out);
        match self.action {
            Action::Delayed { until } => field("Will-Retry-Until", &date(until), out),
            Action::Failed | Action::Relayed | Action::Delivered => {}
        }
    }
}

fn field(name: &str, value: &str, out: &mut String) {
    for text in [name, ": ", value, "\r\n"] {
        out.push_str(text);
    }
}

/// Text of others as one line of ASCII that is not too long.
fn one_line(text: &str) -> String {
    text.chars()
        .take(MAX_DIAGNOSTIC)
        .map(|letter| if matches!(letter, ' '..='~') { letter } else { '?' })
        .collect()
}
