//! Why a message is not taken for what it is made of.

use super::super::reply::{Code, Reply};

/// What is wrong with a message's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentFault {
    /// A dot between line endings of which one stands alone: an end to some, and to us none.
    AmbiguousEnd,
    /// It goes on far beyond the largest size.
    Endless,
    /// A CR without LF.
    BareCr,
    /// A LF without CR.
    BareLf,
    /// A NUL.
    Nul,
    /// Bytes beyond ASCII, not announced.
    EightBit,
    /// A line longer than is taken.
    LineTooLong,
    /// More bytes than are taken.
    TooLarge,
}

impl ContentFault {
    /// Whether the connection ends with the answer, since what comes next on it cannot be trusted.
    pub const fn closes(self) -> bool {
        match self {
            Self::AmbiguousEnd | Self::Endless => true,
            Self::BareCr | Self::BareLf | Self::Nul | Self::EightBit | Self::LineTooLong | Self::TooLarge => {
                false
            }
        }
    }

    /// What the client is told.
    pub fn reply(self) -> Reply {
        let say = |code, subject, detail, text| Reply::new(Code(code), subject, detail, text);
        match self {
            Self::AmbiguousEnd => say(
                554,
                6,
                11,
                "A dot between line endings that are not CR LF is no end of a message; closing connection",
            ),
            Self::Endless => {
                say(552, 3, 4, "Message size exceeds fixed maximum message size; closing connection")
            }
            Self::BareCr => say(550, 6, 11, "Message contains a CR without LF; lines end in CR LF"),
            Self::BareLf => say(550, 6, 11, "Message contains a LF without CR; lines end in CR LF"),
            Self::Nul => say(550, 6, 11, "Message contains a NUL"),
            Self::EightBit => say(554, 6, 1, "Message contains 8-bit bytes without BODY=8BITMIME"),
            Self::LineTooLong => say(554, 6, 0, "Message contains a line that is too long"),
            Self::TooLarge => say(552, 3, 4, "Message size exceeds fixed maximum message size"),
        }
    }
}
