//! What was said so far, and what may therefore be said next.

use super::super::auth::{Exchange, Mechanism};
use super::super::command::{Command, CommandError, Fault, Hello};
use super::super::content::{Decoder, Framing};
use super::super::extension::{Extension, Extensions};
use super::super::parameter::{Body, Mail, Recipient};
use super::super::reply::Class;
use super::Limits;

/// The order of commands, and how far a message has come.
#[derive(Debug)]
pub(super) struct Dialogue {
    pub(super) offered: Extensions,
    /// What a client without EHLO may use.
    nothing: Extensions,
    pub(super) is_secured: bool,
    hello: Option<Hello>,
    is_authenticated: bool,
    is_partner: bool,
    transaction: Option<Transaction>,
}

/// A message that MAIL began.
#[derive(Debug)]
struct Transaction {
    declared_8bit: bool,
    smtp_utf8: bool,
    recipients: usize,
    /// Its content, once BDAT began it.
    chunks: Option<Decoder>,
}

/// What was told last and waits for its reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pending {
    Hello(Hello),
    Mail { declared_8bit: bool, smtp_utf8: bool },
    Recipient,
    Data,
    Reset,
    Quit,
    StartTls,
    Shadow,
    Other,
    Challenge(Exchange),
    Credentials,
    Chunk,
    Message { closes: bool },
    Fault { closes: bool },
}

/// What the bytes behind a reply are.
#[derive(Debug)]
pub(super) enum Next {
    Same,
    Message { declared_8bit: bool },
    Secret(Exchange),
    Handshake,
}

const EHLO_FIRST: Fault = Fault::Order("send EHLO first");
const MAIL_FIRST: Fault = Fault::Order("send MAIL first");
const RCPT_FIRST: Fault = Fault::Order("send RCPT first");
const XSHADOW_FIRST: Fault = Fault::Order("send XSHADOW first");
const IN_MESSAGE: Fault = Fault::Order("a message has begun, finish it or send RSET");
const IN_CHUNKS: Fault = Fault::Order("the message comes in chunks, send BDAT or RSET");
const AUTHENTICATED: Fault = Fault::Order("already authenticated");
const SECURED: Fault = Fault::Order("TLS is on already");

impl Pending {
    pub(super) fn of(command: &Command) -> Self {
        match command {
            Command::Hello(hello, _) => Self::Hello(*hello),
            Command::Mail(mail) => Self::Mail {
                declared_8bit: mail.body == Some(Body::EightBitMime) || mail.smtp_utf8,
                smtp_utf8: mail.smtp_utf8,
            },
            Command::Recipient(_) => Self::Recipient,
            Command::Data => Self::Data,
            Command::Reset => Self::Reset,
            Command::Quit => Self::Quit,
            Command::StartTls => Self::StartTls,
            Command::Shadow(_) => Self::Shadow,
            Command::Chunk { .. }
            | Command::Noop
            | Command::Verify(_)
            | Command::Help
            | Command::Authenticate(..)
            | Command::Discards(_) => Self::Other,
        }
    }

    /// Whether the connection ends with the reply, whatever it says.
    pub(super) const fn closes(&self) -> bool {
        match self {
            Self::Quit => true,
            Self::Message { closes } | Self::Fault { closes } => *closes,
            Self::Hello(_)
            | Self::Mail { .. }
            | Self::Recipient
            | Self::Data
            | Self::Reset
            | Self::StartTls
            | Self::Shadow
            | Self::Other
            | Self::Challenge(_)
            | Self::Credentials
            | Self::Chunk => false,
        }
    }
}

impl Dialogue {
    pub(super) const fn new(offered: Extensions) -> Self {
        Self {
            offered,
            nothing: Extensions::none(),
            is_secured: false,
            hello: None,
            is_authenticated: false,
            is_partner: false,
            transaction: None,
        }
    }

    /// The extensions that the client may use.
    pub(super) const fn spoken(&self) -> &Extensions {
        match self.hello {
            Some(Hello::Ehlo | Hello::Lhlo) => &self.offered,
            Some(Hello::Helo) | None => &self.nothing,
        }
    }

    /// Whether `command` may stand here.
    pub(super) fn check(&self, command: &Command, limits: &Limits) -> Result<(), Fault> {
        match command {
            Command::Hello(Hello::Lhlo, _) => Err(Fault::Command(CommandError::Unknown)),
            Command::Mail(mail) => self.check_mail(mail, limits),
            Command::Recipient(recipient) => self.check_recipient(recipient, limits),
            Command::Data if self.transaction.as_ref().is_some_and(|open| open.chunks.is_some()) => {
                Err(IN_CHUNKS)
            }
            Command::Chunk { .. } if !self.spoken().has(Extension::Chunking) => Err(Fault::NotOffered),
            Command::Data | Command::Chunk { .. } => self.check_content(),
            Command::StartTls => self.check_start_tls(),
            Command::Authenticate(mechanism, _) => self.check_authenticate(*mechanism),
            Command::Shadow(_) | Command::Discards(_) => self.check_shadow(command),
            Command::Hello(Hello::Ehlo | Hello::Helo, _)
            | Command::Reset
            | Command::Noop
            | Command::Quit
            | Command::Verify(_)
            | Command::Help => Ok(()),
        }
    }

    fn check_mail(&self, mail: &Mail, limits: &Limits) -> Result<(), Fault> {
        let most = limits.content.max_bytes.unwrap_or(u64::MAX);
        if self.hello.is_none() {
            Err(EHLO_FIRST)
        } else if self.transaction.is_some() {
            Err(IN_MESSAGE)
        } else if mail.size.is_some_and(|size| size > most) {
            Err(Fault::TooLarge)
        } else if !mail.smtp_utf8 && !mail.from.is_ascii() {
            Err(Fault::NeedsSmtpUtf8)
        } else if mail.shadow.is_some() && !self.is_partner {
            Err(XSHADOW_FIRST)
        } else {
            Ok(())
        }
    }

    fn check_recipient(&self, recipient: &Recipient, limits: &Limits) -> Result<(), Fault> {
        let open = self.transaction.as_ref().ok_or(MAIL_FIRST)?;
        if open.chunks.is_some() {
            Err(IN_CHUNKS)
        } else if open.recipients >= limits.max_recipients {
            Err(Fault::TooManyRecipients)
        } else if !open.smtp_utf8 && !recipient.to.is_ascii() {
            Err(Fault::NeedsSmtpUtf8)
        } else {
            Ok(())
        }
    }

    fn check_content(&self) -> Result<(), Fault> {
        let open = self.transaction.as_ref().ok_or(MAIL_FIRST)?;
        if open.recipients == 0 { Err(RCPT_FIRST) } else { Ok(()) }
    }

    fn check_start_tls(&self) -> Result<(), Fault> {
        if self.is_secured {
            Err(SECURED)
        } else if !self.offered.has(Extension::StartTls) {
            Err(Fault::NotOffered)
        } else if self.hello != Some(Hello::Ehlo) {
            Err(EHLO_FIRST)
        } else if self.transaction.is_some() {
            Err(IN_MESSAGE)
        } else {
            Ok(())
        }
    }

    fn check_authenticate(&self, mechanism: Mechanism) -> Result<(), Fault> {
        if self.offered.mechanisms.is_empty() {
            let could_encrypt = self.offered.has(Extension::StartTls) && !self.is_secured;
            Err(if could_encrypt { Fault::NeedsEncryption } else { Fault::NotOffered })
        } else if self.hello != Some(Hello::Ehlo) {
            Err(EHLO_FIRST)
        } else if self.is_authenticated {
            Err(AUTHENTICATED)
        } else if self.transaction.is_some() {
            Err(IN_MESSAGE)
        } else if self.offered.mechanisms.contains(&mechanism) {
            Ok(())
        } else {
            Err(Fault::Command(CommandError::Mechanism))
        }
    }

    fn check_shadow(&self, command: &Command) -> Result<(), Fault> {
        if !self.spoken().has(Extension::Shadow) {
            Err(Fault::NotOffered)
        } else if self.transaction.is_some() {
            Err(IN_MESSAGE)
        } else if matches!(command, Command::Discards(_)) && !self.is_partner {
            Err(XSHADOW_FIRST)
        } else {
            Ok(())
        }
    }

    /// Goes on by the class of the reply to what waited for one.
    pub(super) fn answered(&mut self, pending: Pending, class: Class) -> Next {
        let done = class == Class::Done;
        match pending {
            Pending::Hello(hello) if done => {
                self.hello = Some(hello);
                self.transaction = None;
            }
            Pending::Mail { declared_8bit, smtp_utf8 } if done => {
                let open = Transaction { declared_8bit, smtp_utf8, recipients: 0, chunks: None };
                self.transaction = Some(open);
            }
            Pending::Recipient if done => {
                if let Some(open) = &mut self.transaction {
                    open.recipients += 1;
                }
            }
            Pending::Data if class == Class::GoOn => {
                let declared_8bit = self.transaction.as_ref().is_some_and(|open| open.declared_8bit);
                return Next::Message { declared_8bit };
            }
            Pending::StartTls if done => return Next::Handshake,
            Pending::Challenge(exchange) if class == Class::GoOn => return Next::Secret(exchange),
            Pending::Credentials if done => self.is_authenticated = true,
            Pending::Shadow if done => self.is_partner = true,
            Pending::Chunk if done => {}
            Pending::Message { .. } | Pending::Reset | Pending::Chunk => self.transaction = None,
            Pending::Hello(_)
            | Pending::Mail { .. }
            | Pending::Recipient
            | Pending::Data
            | Pending::Quit
            | Pending::StartTls
            | Pending::Shadow
            | Pending::Other
            | Pending::Challenge(_)
            | Pending::Credentials
            | Pending::Fault { .. } => {}
        }
        Next::Same
    }

    /// The content of the message that comes in chunks, begun if this is the first. A message always has a transaction
    /// here, since the command was checked.
    pub(super) fn chunks(&mut self, limits: &Limits) -> &mut Decoder {
        let begin = Transaction { declared_8bit: false, smtp_utf8: false, recipients: 0, chunks: None };
        let open = self.transaction.get_or_insert(begin);
        let declared_8bit = open.declared_8bit;
        open.chunks.get_or_insert_with(|| Decoder::new(limits.content, Framing::Counted, declared_8bit))
    }
}
