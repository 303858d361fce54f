//! The body of a request on its way in: whole, since none of the protocol's is large.

use hyper::Response;
use hyper::body::Incoming;
use weir_wire::mapi::ResponseCode;
use weir_wire::mapi::body::MAX_REQUEST_BODY;

use super::answer::code;
use super::head::MapiHead;
use crate::answers::and_close;
use crate::body::{Answer, Arriving, BodyError, discard};
use crate::visit::Visit;

/// Reads a body; what of one is more than any request has is left unread.
pub(crate) async fn read(
    visit: &mut Visit,
    incoming: Incoming,
) -> Result<(Vec<u8>, Option<Arriving>), (BodyError, Option<Incoming>)> {
    let gateway = visit.gateway();
    let mut arriving = Arriving::new(incoming, visit.settings(), gateway.clock, gateway.room.clone())
        .map_err(|(error, rest)| (error, Some(rest)))?;
    let mut bytes = Vec::new();
    while bytes.len() <= MAX_REQUEST_BODY {
        match arriving.next().await {
            Ok(Some(piece)) => bytes.extend_from_slice(&piece),
            Ok(None) => return Ok((bytes, None)),
            Err(error) => {
                let rest = matches!(error, BodyError::TooLarge { .. } | BodyError::NoRoom);
                return Err((error, rest.then(|| arriving.into_rest())));
            }
        }
    }
    Ok((bytes, Some(arriving)))
}

/// The answer to a request with such a body.
pub(crate) async fn too_large(mut visit: Visit, head: &MapiHead, rest: Arriving) -> Response<Answer> {
    let whole = discard(rest.into_rest(), visit.limits(), &visit.gateway().clock).await;
    let answer = code(head, ResponseCode::TOO_LARGE, "The body is larger than any request of the protocol.");
    visit.settle(answer.status());
    if whole { answer } else { and_close(answer) }
}
