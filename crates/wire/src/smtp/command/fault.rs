//! What a client did wrong, and the words for it.

use super::super::reply::{Code, Reply};
use super::CommandError;

/// A command or a line that the session refuses by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The line is no command.
    Command(CommandError),
    /// A line longer than is read.
    LineTooLong,
    /// A line of an authentication longer than is read.
    SecretTooLong,
    /// A line that does not end in CR LF.
    BareLineEnding,
    /// A command of an extension that is not offered.
    NotOffered,
    /// A command out of order: this one is wanted first.
    Order(&'static str),
    /// Something was sent behind DATA or STARTTLS before they were answered: what it is meant as, nobody can know.
    TooEarly,
    /// More recipients than one message may have.
    TooManyRecipients,
    /// The message is larger than is taken, by its sender's own word.
    TooLarge,
    /// An address that needs SMTPUTF8, which was not asked for.
    NeedsSmtpUtf8,
    /// Credentials on a connection that anybody can read, and STARTTLS at hand.
    NeedsEncryption,
    /// An authentication that the client gave up.
    Cancelled,
    /// An authentication whose lines are no base64, or not what the mechanism sends.
    MalformedSecret,
    /// BDAT with a size that cannot be read: where the next command begins, nobody can know.
    Chunk,
    /// BDAT with a size so large that it is not waited for.
    HugeChunk,
}

impl Fault {
    /// Whether the connection ends with the answer, since what comes next on it cannot be trusted.
    pub const fn closes(self) -> bool {
        match self {
            Self::TooEarly | Self::Chunk | Self::HugeChunk | Self::Command(CommandError::AnotherProtocol) => {
                true
            }
            Self::Command(_)
            | Self::LineTooLong
            | Self::SecretTooLong
            | Self::BareLineEnding
            | Self::NotOffered
            | Self::Order(_)
            | Self::TooManyRecipients
            | Self::TooLarge
            | Self::NeedsSmtpUtf8
            | Self::NeedsEncryption
            | Self::Cancelled
            | Self::MalformedSecret => false,
        }
    }

    /// Whether the client broke the protocol; the others are requests that cannot be met (H13, `MaxProtocolErrors`).
    pub const fn breaks_protocol(self) -> bool {
        match self {
            Self::TooManyRecipients
            | Self::TooLarge
            | Self::HugeChunk
            | Self::NeedsSmtpUtf8
            | Self::NeedsEncryption
            | Self::Cancelled => false,
            Self::Command(_)
            | Self::LineTooLong
            | Self::SecretTooLong
            | Self::BareLineEnding
            | Self::NotOffered
            | Self::Order(_)
            | Self::TooEarly
            | Self::MalformedSecret
            | Self::Chunk => true,
        }
    }

    /// What the client is told.
    pub fn reply(self) -> Reply {
        match self {
            Self::Command(error) => command_reply(error),
            Self::LineTooLong => say(500, 5, 2, "Line too long"),
            Self::SecretTooLong => say(500, 5, 6, "Authentication exchange line is too long"),
            Self::BareLineEnding => say(500, 5, 2, "Lines end in CR LF; a bare CR or LF is refused"),
            Self::NotOffered => say(502, 5, 1, "Command not offered here"),
            Self::Order(wanted) => say(503, 5, 1, &format!("Bad sequence of commands: {wanted}")),
            Self::TooEarly => say(
                554,
                5,
                0,
                "Synchronization error: wait for the reply before sending more; closing connection",
            ),
            Self::TooManyRecipients => say(452, 5, 3, "Too many recipients"),
            Self::TooLarge => say(552, 3, 4, "Message size exceeds fixed maximum message size"),
            Self::HugeChunk => {
                say(552, 3, 4, "Chunk size exceeds fixed maximum message size; closing connection")
            }
            Self::NeedsSmtpUtf8 => {
                say(553, 6, 7, "An address of another script needs the SMTPUTF8 parameter")
            }
            Self::NeedsEncryption => say(
                538,
                7,
                11,
                "Encryption required for the requested authentication mechanism: send STARTTLS first",
            ),
            Self::Cancelled => say(501, 7, 0, "Authentication cancelled"),
            Self::MalformedSecret => say(501, 5, 2, "Cannot decode the authentication response"),
            Self::Chunk => say(501, 5, 4, "Syntax: BDAT size [LAST]; closing connection"),
        }
    }
}

fn command_reply(error: CommandError) -> Reply {
    match error {
        CommandError::Bytes => say(500, 5, 2, "Command has control characters or bytes that are no UTF-8"),
        CommandError::Unknown => say(500, 5, 1, "Unrecognized command"),
        CommandError::NotImplemented => say(502, 5, 1, "Command not implemented"),
        CommandError::AnotherProtocol => say(554, 5, 1, "This is SMTP; closing connection"),
        CommandError::Syntax(expected) => say(501, 5, 4, &format!("Syntax: {expected}")),
        CommandError::Sender(error) => say(501, 1, 7, &format!("Invalid sender address: {error}")),
        CommandError::Recipient(error) => say(501, 1, 3, &format!("Invalid recipient address: {error}")),
        CommandError::UnknownParameter => say(555, 5, 4, "Unsupported parameter"),
        CommandError::ParameterValue => say(501, 5, 4, "Malformed or repeated parameter"),
        CommandError::Mechanism => say(504, 5, 4, "Unrecognized authentication mechanism"),
    }
}

fn say(code: u16, subject: u16, detail: u16, text: &str) -> Reply {
    Reply::new(Code(code), subject, detail, text)
}
