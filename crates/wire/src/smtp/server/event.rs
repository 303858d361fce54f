//! What a session tells.

use super::super::auth::Credentials;
use super::super::command::{Command, Fault};
use super::super::content::{ContentFault, Summary};
use super::super::reply::Reply;

/// What a client's bytes ask for. All but content wants one reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A command in its order, never BDAT or AUTH, which are other events. What the session goes by is the class of the
    /// reply: 354 for DATA, 220 for STARTTLS, otherwise 2xx for yes.
    Command(Command),
    /// The next question of an authentication is due: [`Challenge::reply`].
    Challenge(Challenge),
    /// Who the client says it is. 235 if it is.
    Credentials(Credentials),
    /// The next bytes of the message. The first ones of a message in chunks come without a command before them.
    Content(&'a [u8]),
    /// A chunk that is not the last one has come; this much of the message is there. A reply other than 2xx gives the
    /// message up.
    ChunkEnd(Summary),
    /// The message is complete.
    End(Summary),
    /// The message is not to be taken, and what was given out of it is to be thrown away: [`ContentFault::reply`].
    Broken(ContentFault),
    /// The client did something wrong: [`Fault::reply`].
    Fault(Fault),
}

/// A question of an authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge(pub(super) &'static str);

impl Challenge {
    /// The reply that asks it. Any other reply ends the authentication.
    pub fn reply(self) -> Reply {
        Reply::ask(self.0)
    }
}
