//! Recipients of messages (MS-OXCDATA, section 2.8.3).
//!
//! A row has flags that say which of its first fields there are, then properties of as many columns as it says, the
//! first of those that the ROP names for all recipients.

#[cfg(test)]
pub(super) mod tests;

use super::Malformed;
use super::codec::{Codec, Plain, Sized, Text8};
use super::property::PropertyTag;
use super::reader::Reader;
use super::row::{self, Cell};
use super::text::Text;

/// A recipient.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecipientRow {
    /// What the address is, as far as the row says that itself.
    pub address: Address,
    /// The address, where it is a text.
    pub email_address: Option<Text>,
    /// The name.
    pub display_name: Option<Text>,
    /// The name in plain characters.
    pub simple_display_name: Option<Text>,
    /// The name as it is sent.
    pub transmittable_display_name: Option<Text>,
    /// What else is set: [`Self::RESPONSIBLE`], [`Self::SAME_NAME`], [`Self::PLAIN_ONLY`].
    pub flags: u16,
    /// The properties, of as many columns as there are cells.
    pub cells: Vec<Cell>,
}

/// What a recipient's address is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Of a kind that is named, or known to nobody.
    Other(Option<Vec<u8>>),
    /// A name in the directory.
    Directory {
        /// How many bytes of a prefix the server knows are left out.
        prefix_used: u8,
        /// Whether it is a person, a list or a folder.
        display_type: u8,
        /// The name.
        name: Vec<u8>,
    },
    /// Of a kind that has a number: [`Self::SMTP`] and others.
    Numbered(u8),
    /// A personal list, of the first form or the second.
    PersonalList {
        /// Whether it is of the second.
        second: bool,
        /// Where it is to be found.
        entry_id: Vec<u8>,
        /// What to compare it by.
        search_key: Vec<u8>,
    },
}

impl Address {
    /// An Internet address.
    pub const SMTP: Self = Self::Numbered(3);
}

impl Default for Address {
    fn default() -> Self {
        Self::Other(None)
    }
}

const OTHER: u16 = 0;
const DIRECTORY: u16 = 1;
const LIST1: u16 = 6;
const LIST2: u16 = 7;

/// The bits of the flags that say what the row has.
const KIND: u16 = 0x0007;
const EMAIL: u16 = 0x0008;
const NAME: u16 = 0x0010;
const TRANSMITTABLE: u16 = 0x0020;
const UNICODE: u16 = 0x0200;
const SIMPLE: u16 = 0x0400;
const KIND_NAMED: u16 = 0x8000;
const FIELDS: u16 = KIND | EMAIL | NAME | TRANSMITTABLE | UNICODE | SIMPLE | KIND_NAMED;

const RECIPIENT: &str = "a recipient";

impl RecipientRow {
    /// Somebody else has taken care of the message.
    pub const RESPONSIBLE: u16 = 0x0080;
    /// The name as it is sent is the name.
    pub const SAME_NAME: u16 = 0x0040;
    /// The recipient understands Internet mail only.
    pub const PLAIN_ONLY: u16 = 0x0100;

    /// Reads bytes that are a row and nothing else.
    pub(super) fn read(columns: &[PropertyTag], bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let flags = reader.u16(RECIPIENT)?;
        let address = read_address(flags, &mut reader)?;
        let mut text = |bit| {
            (flags & bit != 0).then(|| Text::read(flags & UNICODE != 0, &mut reader, RECIPIENT)).transpose()
        };
        let email_address = text(EMAIL)?;
        let display_name = text(NAME)?;
        let simple_display_name = text(SIMPLE)?;
        let transmittable_display_name = text(TRANSMITTABLE)?;
        let count = reader.count16(RECIPIENT)?;
        let columns = columns.get(..count).ok_or(Malformed::Wrong("the columns of a recipient"))?;
        let cells = row::take(columns, &mut reader)?;
        reader.end(RECIPIENT)?;
        let flags = flags & !FIELDS;
        Ok(Self {
            address,
            email_address,
            display_name,
            simple_display_name,
            transmittable_display_name,
            flags,
            cells,
        })
    }

    /// Appends it behind its size.
    pub(super) fn write(&self, columns: &[PropertyTag], out: &mut Vec<u8>) {
        // In the order in which they stand.
        let texts = [
            (EMAIL, &self.email_address),
            (NAME, &self.display_name),
            (SIMPLE, &self.simple_display_name),
            (TRANSMITTABLE, &self.transmittable_display_name),
        ];
        let texts = || texts.into_iter().filter_map(|(bit, text)| Some((bit, text.as_ref()?)));
        let wide = texts().any(|(_, text)| text.is_wide());
        let fields = texts().fold(if wide { UNICODE } else { 0 }, |bits, (bit, _)| bits | bit);
        let mut row = Vec::new();
        Plain::write(&(self.flags & !FIELDS | self.address.bits() | fields), &mut row);
        self.address.write(&mut row);
        for (_, text) in texts() {
            text.write(wide, &mut row);
        }
        let columns = columns.get(..self.cells.len()).unwrap_or(columns);
        row.extend(u16::try_from(columns.len()).unwrap_or(u16::MAX).to_le_bytes());
        row::write(columns, &self.cells, &mut row);
        Sized::<u16>::write(&row, out);
    }
}

fn read_address(flags: u16, reader: &mut Reader<'_>) -> Result<Address, Malformed> {
    Ok(match flags & KIND {
        OTHER if flags & KIND_NAMED != 0 => Address::Other(Some(Text8::read(reader, RECIPIENT)?)),
        OTHER => Address::Other(None),
        DIRECTORY => Address::Directory {
            prefix_used: reader.u8(RECIPIENT)?,
            display_type: reader.u8(RECIPIENT)?,
            name: Text8::read(reader, RECIPIENT)?,
        },
        kind @ (LIST1 | LIST2) => Address::PersonalList {
            second: kind == LIST2,
            entry_id: Sized::<u16>::read(reader, RECIPIENT)?,
            search_key: Sized::<u16>::read(reader, RECIPIENT)?,
        },
        kind => Address::Numbered(kind.to_le_bytes()[0]),
    })
}

impl Address {
    fn bits(&self) -> u16 {
        match self {
            Self::Other(Some(_)) => OTHER | KIND_NAMED,
            Self::Directory { .. } => DIRECTORY,
            Self::Numbered(kind @ 2..=5) => u16::from(*kind),
            // The other numbers are of kinds that have fields of their own.
            Self::Other(None) | Self::Numbered(_) => OTHER,
            Self::PersonalList { second: false, .. } => LIST1,
            Self::PersonalList { second: true, .. } => LIST2,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Other(Some(kind)) => Text8::write(kind, out),
            Self::Other(None) | Self::Numbered(_) => {}
            Self::Directory { prefix_used, display_type, name } => {
                out.extend([*prefix_used, *display_type]);
                Text8::write(name, out);
            }
            Self::PersonalList { second: _, entry_id, search_key } => {
                Sized::<u16>::write(entry_id, out);
                Sized::<u16>::write(search_key, out);
            }
        }
    }
}
