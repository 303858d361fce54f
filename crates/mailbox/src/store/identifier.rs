//! Identifiers, change keys, sync states and watermarks in their outward form.
//!
//! All are numbers under a tag and a check sum, in Base64. Clients treat them as opaque; the check sum tells a text
//! that never was an identifier (`ErrorInvalidIdMalformed`) from one whose item is gone (`ErrorItemNotFound`). It is
//! no secret: what a mailbox may see is decided by the mailbox number inside, not by identifiers being hard to guess.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use weir_wire::ews::property::{FolderId, ItemId};

/// The longest text that is looked at; none of ours comes near.
const MAX_TEXT: usize = 512;

/// A mailbox in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MailboxKey(pub(crate) i64);

/// A folder in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FolderKey(pub(crate) i64);

/// An item in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ItemKey(pub(crate) i64);

/// The number of a change within a mailbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChangeNumber(pub(crate) i64);

/// What an identifier names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// An item of a mailbox.
    Item(MailboxKey, ItemKey),
    /// A folder of a mailbox.
    Folder(MailboxKey, FolderKey),
}

/// A format in which identifiers travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// What operations take.
    Ews,
    /// What operations took before Exchange 2007 SP1.
    EwsLegacy,
    /// A MAPI entry identifier in Base64.
    Entry,
    /// A MAPI entry identifier in hexadecimal.
    HexEntry,
    /// A store identifier.
    Store,
    /// An identifier as web addresses of the web client hold it.
    Owa,
}

impl Format {
    /// The format of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "EwsId" => Self::Ews,
            "EwsLegacyId" => Self::EwsLegacy,
            "EntryId" => Self::Entry,
            "HexEntryId" => Self::HexEntry,
            "StoreId" => Self::Store,
            "OwaId" => Self::Owa,
            _ => return None,
        })
    }

    const fn tags(self) -> (u8, u8) {
        match self {
            Self::Ews => (b'I', b'F'),
            Self::EwsLegacy => (b'J', b'G'),
            Self::Entry | Self::HexEntry => (b'K', b'H'),
            Self::Store => (b'L', b'O'),
            Self::Owa => (b'M', b'P'),
        }
    }
}

/// The outward form of an identifier.
pub(crate) fn write(format: Format, named: Named) -> String {
    let (item_tag, folder_tag) = format.tags();
    let bytes = match named {
        Named::Item(MailboxKey(mailbox), ItemKey(item)) => seal(item_tag, &[mailbox, item]),
        Named::Folder(MailboxKey(mailbox), FolderKey(folder)) => seal(folder_tag, &[mailbox, folder]),
    };
    match format {
        Format::Ews | Format::EwsLegacy | Format::Entry | Format::Store => STANDARD.encode(bytes),
        Format::Owa => URL_SAFE.encode(bytes),
        Format::HexEntry => to_hex(&bytes),
    }
}

/// What an identifier names, or nothing where it is none.
pub(crate) fn read(format: Format, text: &str) -> Option<Named> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let bytes = match format {
        Format::Ews | Format::EwsLegacy | Format::Entry | Format::Store => STANDARD.decode(text).ok()?,
        Format::Owa => URL_SAFE.decode(text).ok()?,
        Format::HexEntry => from_hex(text)?,
    };
    let (item_tag, folder_tag) = format.tags();
    if let Some([mailbox, item]) = unseal(item_tag, &bytes) {
        return Some(Named::Item(MailboxKey(mailbox), ItemKey(item)));
    }
    let [mailbox, folder] = unseal(folder_tag, &bytes)?;
    Some(Named::Folder(MailboxKey(mailbox), FolderKey(folder)))
}

/// An item's identifier as answers carry it.
pub(crate) fn item_id(mailbox: MailboxKey, item: ItemKey, change: ChangeNumber) -> ItemId {
    ItemId { id: write(Format::Ews, Named::Item(mailbox, item)), change_key: Some(change_key(change)) }
}

/// A folder's identifier as answers carry it.
pub(crate) fn folder_id(mailbox: MailboxKey, folder: FolderKey, change: ChangeNumber) -> FolderId {
    FolderId { id: write(Format::Ews, Named::Folder(mailbox, folder)), change_key: Some(change_key(change)) }
}

/// A folder's identifier where its version does not matter.
pub(crate) fn bare_folder_id(mailbox: MailboxKey, folder: FolderKey) -> FolderId {
    FolderId { id: write(Format::Ews, Named::Folder(mailbox, folder)), change_key: None }
}

/// The outward form of a version.
pub(crate) fn change_key(change: ChangeNumber) -> String {
    STANDARD.encode(seal(b'C', &[change.0]))
}

/// The version that a change key means.
pub(crate) fn read_change_key(text: &str) -> Option<ChangeNumber> {
    read_numbers(b'C', text).map(|[change]| ChangeNumber(change))
}

/// The outward form of numbers under a tag.
pub(crate) fn write_numbers(tag: u8, numbers: &[i64]) -> String {
    STANDARD.encode(seal(tag, numbers))
}

/// The numbers that [`write_numbers`] wrote under the same tag.
pub(crate) fn read_numbers<const N: usize>(tag: u8, text: &str) -> Option<[i64; N]> {
    if text.len() > MAX_TEXT {
        return None;
    }
    unseal(tag, &STANDARD.decode(text).ok()?)
}

fn seal(tag: u8, numbers: &[i64]) -> Vec<u8> {
    let mut bytes = vec![tag];
    for number in numbers {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    bytes.extend_from_slice(&check_sum(&bytes).to_be_bytes());
    bytes
}

fn unseal<const N: usize>(tag: u8, bytes: &[u8]) -> Option<[i64; N]> {
    let (body, sum) = bytes.split_last_chunk::<4>()?;
    if u32::from_be_bytes(*sum) != check_sum(body) {
        return None;
    }
    let (first, mut rest) = body.split_first()?;
    let mut numbers = [0; N];
    for number in &mut numbers {
        let (head, tail) = rest.split_first_chunk::<8>()?;
        *number = i64::from_be_bytes(*head);
        rest = tail;
    }
    (*first == tag && rest.is_empty()).then_some(numbers)
}

/// FNV-1a.
fn check_sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |digit: u8| char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits?;
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| u8::try_from(pair.iter().fold(0, |byte, digit| byte * 16 + digit)).ok()).collect()
}

#[cfg(test)]
mod tests;
