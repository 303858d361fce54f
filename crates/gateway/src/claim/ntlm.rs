//! The three messages of NTLM, as far as they say who it is ([MS-NLMP] §2.2.1).
//!
//! All numbers are little-endian, and strings are fields of length and offset into the message. The third message is
//! read only where it can be read in one way: the character set by its own flags, ASCII where it is the machine's code
//! page, every field within the message.

use super::ClaimedName;

/// What every message begins with.
pub(super) const SIGNATURE: &[u8] = b"NTLMSSP\0";

/// The longest name field that is read, in bytes.
const MAX_FIELD_BYTES: usize = 1024;

// Where the fields of the third message are.
const TYPE: usize = 8;
const LM_RESPONSE: usize = 12;
const NT_RESPONSE: usize = 20;
const DOMAIN: usize = 28;
const USER: usize = 36;
const FLAGS: usize = 60;

const FLAG_UNICODE: u32 = 0x0000_0001;
const FLAG_OEM: u32 = 0x0000_0002;
const FLAG_ANONYMOUS: u32 = 0x0000_0800;

/// A message by its type.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The client's first: what it can do.
    Negotiate,
    /// The server's: a challenge.
    Challenge,
    /// The client's last: a name and the response; no name where it asks to be nobody or cannot be read.
    Authenticate(Option<ClaimedName>),
}

/// Reads one message; none, where it is none of the three.
pub(super) fn read(message: &[u8]) -> Option<Message> {
    if !message.starts_with(SIGNATURE) {
        return None;
    }
    match number(message, TYPE)? {
        1 => Some(Message::Negotiate),
        2 => Some(Message::Challenge),
        3 => Some(Message::Authenticate(name(message))),
        _ => None,
    }
}

/// The name in the third message.
///
/// A client that gives no user or no response, or sets the flag for it, asks for an anonymous session; the name that
/// such a message may show is not checked by anybody.
fn name(message: &[u8]) -> Option<ClaimedName> {
    let flags = number(message, FLAGS)?;
    let (lm, nt) = (field(message, LM_RESPONSE)?, field(message, NT_RESPONSE)?);
    let (domain, user) = (field(message, DOMAIN)?, field(message, USER)?);
    if flags & FLAG_ANONYMOUS != 0 || (nt.is_empty() && lm.len() <= 1) {
        return None;
    }
    let (domain, user) = (text(domain, flags)?, text(user, flags)?);
    if domain.trim().is_empty() { ClaimedName::of(&user) } else { ClaimedName::of_parts(&domain, &user) }
}

fn text(bytes: &[u8], flags: u32) -> Option<String> {
    if bytes.len() > MAX_FIELD_BYTES {
        return None;
    }
    if flags & FLAG_UNICODE != 0 {
        let (pairs, []) = bytes.as_chunks::<2>() else { return None };
        let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
        char::decode_utf16(units).collect::<Result<_, _>>().ok()
    } else if flags & FLAG_OEM != 0 && bytes.is_ascii() {
        String::from_utf8(bytes.to_vec()).ok()
    } else {
        None
    }
}

/// The bytes that the field at `at` describes: length, allocated length, offset.
fn field(message: &[u8], at: usize) -> Option<&[u8]> {
    let (length, rest) = message.get(at..)?.split_first_chunk::<2>()?;
    let offset = rest.get(2..)?.first_chunk::<4>()?;
    let length = usize::from(u16::from_le_bytes(*length));
    if length == 0 {
        // The offset of nothing may be anything.
        return Some(&[]);
    }
    let offset = usize::try_from(u32::from_le_bytes(*offset)).ok()?;
    message.get(offset..offset.checked_add(length)?)
}

fn number(message: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*message.get(at..)?.first_chunk::<4>()?))
}

#[cfg(test)]
mod tests;
