//! What a message needs of a peer, and what becomes of one that the peer cannot take.
//!
//! | the message | the peer lacks | |
//! |---|---|---|
//! | sender, or a header beyond ASCII and sent with SMTPUTF8 | SMTPUTF8 | comes back, 5.6.7 |
//! | one of the recipients | SMTPUTF8 | that one comes back, 5.6.7 |
//! | bytes beyond ASCII, sent as such (`BODY=8BITMIME`) | 8BITMIME | comes back, 5.6.3: nothing is re-coded here |
//! | bytes beyond ASCII that nobody announced | 8BITMIME | goes as it came |
//!
//! What was announced and is not needed is not said: a message of ASCII goes everywhere. The sizes and the lines that are
//! announced are those that the message has, whatever its sender said of it.

use weir_spool::SpoolError;
use weir_transport::queue::Reply;
use weir_wire::smtp::{Body as Lines, Extension, Extensions, Mail, Recipient};

use super::Facts;
use super::body::Body;

/// What is said of a message to a peer.
pub(super) struct Fitting {
    pub(super) mail: Mail,
    /// Whom it is for, and which of all that is.
    pub(super) recipients: Vec<(usize, Recipient)>,
    /// Who cannot be told to this peer, and why.
    pub(super) refused: Vec<(usize, Reply)>,
}

impl Fitting {
    /// What of an envelope fits the peer called `remote`, which offers `offered`.
    pub(super) async fn of(
        mail: &Mail,
        recipients: &[Recipient],
        body: &mut Body,
        facts: Facts,
        offered: &Extensions,
        remote: &str,
    ) -> Result<Self, SpoolError> {
        let has_utf8 = offered.has(Extension::SmtpUtf8);
        let header = !has_utf8 && mail.smtp_utf8 && facts.eight_bit && body.has_eight_bit_header().await?;
        let announced = facts.eight_bit && mail.body == Some(Lines::EightBitMime);
        let whole = if header || !has_utf8 && !mail.from.is_ascii() {
            Some(no_utf8(remote, "which this message needs"))
        } else if announced && !offered.has(Extension::EightBitMime) {
            Some(no_eight_bit(remote))
        } else {
            None
        };
        let smtp_utf8 =
            mail.smtp_utf8 || !mail.from.is_ascii() || recipients.iter().any(|one| !one.to.is_ascii());
        let lines = facts.eight_bit.then_some(Lines::EightBitMime);
        let mail = Mail { size: Some(facts.bytes), body: lines, smtp_utf8, ..mail.clone() };
        let mut fitting = Self { mail: mail.fitting(offered).0, recipients: Vec::new(), refused: Vec::new() };
        for (place, recipient) in recipients.iter().enumerate() {
            match &whole {
                Some(why) => fitting.refused.push((place, why.clone())),
                None if has_utf8 || recipient.to.is_ascii() => {
                    fitting.recipients.push((place, told(recipient, offered)));
                }
                None => fitting.refused.push((place, no_utf8(remote, "which the recipient's address needs"))),
            }
        }
        Ok(fitting)
    }
}

/// The recipient as far as the peer can be told of him.
fn told(recipient: &Recipient, offered: &Extensions) -> Recipient {
    let mut told = recipient.fitting(offered);
    let sayable = |address: &str| address.is_ascii() || offered.has(Extension::SmtpUtf8);
    told.original = told.original.filter(|original| sayable(original.address()));
    told
}

fn no_utf8(remote: &str, why: &str) -> Reply {
    Reply::new(553, &format!("5.6.7 not sent: {remote} does not offer SMTPUTF8, {why}"))
}

fn no_eight_bit(remote: &str) -> Reply {
    Reply::new(554, &format!("5.6.3 not sent: {remote} does not offer 8BITMIME, which this message needs"))
}
