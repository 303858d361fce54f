//! Why a session's calls cannot go on, in words that say what to do.

use weir_units::Millis;
use weir_wire::mapi::Malformed;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::rop::RopId;

use super::MAX_WAITING;

/// Why a session cannot go on, or cannot take something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The server was too busy for too long.
    #[error(
        "the server was too busy {refusals} times in a row, asked again every {delay}; try again later, and ask the \
         administrator if it stays so"
    )]
    GaveUp {
        /// How often.
        refusals: u32,
        /// How long it waited each time.
        delay: Millis,
    },
    /// The server holds back for longer than anybody waits.
    #[error(
        "the server tells this client to wait, in all {wait} without getting on, and {patience} is the most it does; \
         send less at a time, or try again later"
    )]
    OutOfPatience {
        /// How long, from when it was first held back.
        wait: Millis,
        /// The most it waits.
        patience: Millis,
    },
    /// The answer of a single ROP does not fit into any answer.
    #[error("the answer to one {rop} needs {needed} bytes, more than an answer can have; ask for less of it")]
    NoRoom {
        /// The ROP.
        rop: RopId,
        /// The bytes.
        needed: u16,
    },
    /// The whole call failed.
    #[error("the server failed with status {status:#010x}; try again later, and look at its log")]
    Failed {
        /// Why.
        status: u32,
    },
    /// The whole call was refused.
    #[error("the server refused a whole call: {code}; connect again")]
    Refused {
        /// Why.
        code: ErrorCode,
    },
    /// The answer cannot be read.
    #[error("the server's answer cannot be read ({0}); is it a server that speaks MAPI over HTTP?")]
    Malformed(#[from] Malformed),
    /// The answer leaves ROPs out and does not say why.
    #[error("the server answered {answered} of {sent} operations and does not say why; look at its log")]
    Unanswered {
        /// How many.
        answered: usize,
        /// Of how many.
        sent: usize,
    },
    /// An earlier call ended with an error or not at all.
    #[error("the session ended with an earlier call that went wrong; connect again")]
    Ended,
    /// A ROP that fits into no request.
    #[error("one {rop} is longer than a request can be; write less at a time")]
    TooLong {
        /// The ROP.
        rop: RopId,
    },
    /// Too many ROPs wait.
    #[error("{MAX_WAITING} operations wait already; wait for their answers first")]
    Full,
    /// Too many objects are open.
    #[error("the session has 255 objects open already; close some first")]
    TooManyObjects,
}
