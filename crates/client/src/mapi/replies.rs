//! Answers, as one wants them who asked: what was given, or the first that failed.

use weir_wire::mapi::reply::{Reply, Success};

use super::batch::Replies;
use super::error::MapiError;

/// What each ROP gave, if none failed. `what` they are for is the end of "the server does not …".
pub(super) fn successes(what: &'static str, replies: Replies) -> Result<Vec<Success>, MapiError> {
    let successes = replies.into_iter().flatten().map(|reply| match reply {
        Reply::Done { success, .. } => Ok(success),
        Reply::Failed { failure, .. } => Err(MapiError::Refused { what, code: failure.code }),
        Reply::Notify(_) | Reply::Pending { .. } | Reply::Backoff(_) | Reply::BufferTooSmall(_) => {
            Err(MapiError::Unexpected)
        }
    });
    successes.collect()
}

/// What the last ROP gave, if none failed.
pub(super) fn last(what: &'static str, replies: Replies) -> Result<Success, MapiError> {
    successes(what, replies)?.pop().ok_or(MapiError::Unexpected)
}
