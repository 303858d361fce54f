//! What a server of ours says, in one place. The texts that rules fix letter by letter are T19's and H16's.

use super::{Code, Reply};

const READY: Code = Code(220);
const CLOSING: Code = Code(221);
const ACCEPTED: Code = Code(235);
const CANNOT_VERIFY: Code = Code(252);
const ASK: Code = Code(334);
const GO_ON: Code = Code(354);
const GOING_AWAY: Code = Code(421);
const FAILED_NOW: Code = Code(451);
const NO_ROOM: Code = Code(452);
const NO_AUTHENTICATION: Code = Code(530);
const WRONG_CREDENTIALS: Code = Code(535);
const NO: Code = Code(550);
const FAILED: Code = Code(554);

impl Reply {
    /// The first words of a connection.
    pub fn greeting(name: &str) -> Self {
        Self::plain(READY, &format!("{name} ESMTP Mailweir"))
    }

    /// Yes.
    pub fn ok() -> Self {
        Self::new(Code::OK, 0, 0, "OK")
    }

    /// The sender is taken.
    pub fn sender_ok() -> Self {
        Self::new(Code::OK, 1, 0, "Sender OK")
    }

    /// The recipient is taken.
    pub fn recipient_ok() -> Self {
        Self::new(Code::OK, 1, 5, "Recipient OK")
    }

    /// The message is on disk, under that name.
    pub fn queued(id: &str) -> Self {
        Self::new(Code::OK, 6, 0, &format!("{id} Queued mail for delivery"))
    }

    /// A chunk that is not the last one has come.
    pub fn chunk_ok(bytes: u64) -> Self {
        Self::new(Code::OK, 6, 0, &format!("CHUNK received OK, {bytes} octets"))
    }

    /// DATA may begin.
    pub fn start_data() -> Self {
        Self::plain(GO_ON, "Start mail input; end with <CRLF>.<CRLF>")
    }

    /// TLS may begin.
    pub fn start_tls() -> Self {
        Self::new(READY, 0, 0, "Ready to start TLS")
    }

    /// The answer to QUIT.
    pub fn bye() -> Self {
        Self::new(CLOSING, 0, 0, "Service closing transmission channel")
    }

    /// VRFY tells nobody who is there.
    pub fn cannot_verify() -> Self {
        Self::new(CANNOT_VERIFY, 1, 5, "Cannot VRFY user, but will accept the message and attempt delivery")
    }

    /// The answer to HELP.
    pub fn help() -> Self {
        Self::new(Code(214), 0, 0, "See RFC 5321")
    }

    /// The next question of an authentication, in base64.
    pub(in crate::smtp) fn ask(challenge: &str) -> Self {
        Self::plain(ASK, challenge)
    }

    /// The credentials are right.
    pub fn authenticated() -> Self {
        Self::new(ACCEPTED, 7, 0, "Authentication successful")
    }

    /// The credentials are wrong.
    pub fn wrong_credentials() -> Self {
        Self::new(WRONG_CREDENTIALS, 7, 8, "Authentication unsuccessful: name or password is wrong")
    }

    /// Nobody knows at the moment whether the credentials are right.
    pub fn cannot_authenticate() -> Self {
        Self::new(Code(454), 7, 0, "Temporary authentication failure; try again later")
    }

    /// TLS is wanted and cannot be had.
    pub fn no_tls() -> Self {
        Self::new(Code(454), 7, 0, "TLS not available due to a temporary reason")
    }

    /// This needs authentication first.
    pub fn must_authenticate() -> Self {
        Self::new(NO_AUTHENTICATION, 7, 1, "Client was not authenticated: send AUTH first")
    }

    /// This needs TLS first.
    pub fn must_start_tls() -> Self {
        Self::new(NO_AUTHENTICATION, 7, 0, "Must issue a STARTTLS command first")
    }

    /// The server stops.
    pub fn shutting_down() -> Self {
        Self::new(GOING_AWAY, 3, 2, "Service not available, closing transmission channel: the server stops")
    }

    /// There are connections enough.
    pub fn too_many_connections() -> Self {
        Self::new(
            GOING_AWAY,
            3,
            2,
            "The maximum number of concurrent connections has been reached; try again later",
        )
    }

    /// The client said nothing for too long.
    pub fn timed_out() -> Self {
        Self::new(GOING_AWAY, 4, 1, "Connection timed out")
    }

    /// The client made too many mistakes.
    pub fn too_many_errors() -> Self {
        Self::new(GOING_AWAY, 7, 0, "Too many errors on this connection, closing transmission channel")
    }

    /// Something of ours failed, and the message was not taken.
    pub fn local_error() -> Self {
        Self::new(FAILED_NOW, 3, 0, "Local error in processing; try again later")
    }

    /// Queue, disk or memory are full (H16).
    pub fn insufficient_resources() -> Self {
        Self::new(NO_ROOM, 3, 1, "Insufficient system resources")
    }

    /// This client may not send there.
    pub fn unable_to_relay() -> Self {
        Self::new(NO, 7, 1, "Unable to relay")
    }

    /// There is no such recipient.
    pub fn no_such_recipient() -> Self {
        Self::new(NO, 1, 1, "Recipient not found: check the address")
    }

    /// The message went through more servers than any way has (H13, `MaxHopCount`).
    pub fn too_many_hops() -> Self {
        Self::new(FAILED, 4, 6, "Hop count exceeded - possible mail loop")
    }

    /// The header is larger than is taken.
    pub fn header_too_large() -> Self {
        Self::new(Code(552), 3, 4, "Header size exceeds fixed maximum size")
    }
}
