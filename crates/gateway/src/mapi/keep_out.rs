//! Which MAPI clients are kept out (R16): by what they call themselves and, when they connect, by the process that they name.
//!
//! Such a client hears at `Connect` that its version is not allowed, which Outlook has words of its own for; the
//! administrator's words stand in a header beside it.

use hyper::Response;
use hyper::header::{HeaderName, HeaderValue};
use weir_units::Micros;
use weir_wire::mapi::auxiliary::Told;

use super::answer::{body, not_connected};
use super::head::MapiHead;
use crate::body::Answer;
use crate::visit::Visit;

/// `ecClientVerDisallowed`: the server does not admit this version of the client.
const CLIENT_VERSION_DISALLOWED: u32 = 0x04DF;

/// The header that says why something failed.
const X_FAILURE_DESCRIPTION: HeaderName = HeaderName::from_static("x-failuredescription");

/// The answer to a `Connect` of a client that is kept out, which has `told` this of itself; nothing for any other. Who
/// shows no credentials is asked for them first.
pub(crate) async fn keep_out(visit: &mut Visit, head: &MapiHead, told: &[Told]) -> Option<Response<Answer>> {
    visit.owner_or_claimed()?;
    let process = told.iter().find_map(|told| match told {
        Told::Process { name } => Some(name.as_str()),
        Told::Client { .. } | Told::Call(_) => None,
    });
    let why = visit.keeps_out_mapi(&head.application, process)?;
    visit.slow_down_repeats().await;
    let mut response =
        body(head, visit.gateway().clock.wall(), Micros::ZERO, &not_connected(CLIENT_VERSION_DISALLOWED));
    if let Ok(why) = HeaderValue::from_bytes(why.as_bytes()) {
        response.headers_mut().insert(X_FAILURE_DESCRIPTION, why);
    }
    Some(response)
}
