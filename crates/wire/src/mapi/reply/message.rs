//! What ROPs for messages give.

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Optional, Plain, layout};
use super::super::property::PropertyTag;
use super::super::reader::Reader;
use super::super::recipient::RecipientRow;
use super::super::text::TypedString;
use super::ByColumns;

layout! {
    /// A message that was opened.
    pub struct OpenMessage {
        /// Whether it has named properties.
        has_named_properties: bool,
        /// What stands before the subject.
        subject_prefix: TypedString,
        /// The subject without that.
        normalized_subject: TypedString,
        /// The recipients.
        recipients: ListedRecipients,
    }

    /// A message that was made.
    pub struct CreateMessage {
        /// The message, if it has an identifier already.
        message: Option<u64> as Optional<Plain>,
    }

    /// A message that was saved.
    pub struct SaveChangesMessage {
        /// The place of the message's handle.
        input: u8,
        /// The message.
        message: u64,
    }

    /// A message that was marked as read or unread.
    pub struct SetMessageReadFlag {
        /// Who hears of it, in public folders.
        changed: Option<PublicRead> as Optional<Plain>,
    }

    /// Who hears that a message of a public folder was read.
    pub struct PublicRead {
        /// The logon.
        logon: u8,
        /// What the client sent with the call.
        client_data: [u8; 24],
    }

    /// What stands before each recipient that is listed.
    pub struct RecipientHead {
        /// To whom it is, or who gets a copy.
        kind: u8,
        /// The code page of one-byte texts.
        code_page: u16,
        /// Always 0.
        reserved: u16,
    }
}

/// The recipients of a message, or as many as are sent with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListedRecipients {
    /// How many the message has.
    pub count: u16,
    /// The columns.
    pub columns: Vec<PropertyTag>,
    /// Those that are sent: not all, where they are many. At most 255.
    pub rows: Vec<(RecipientHead, RecipientRow)>,
}

impl Codec<ListedRecipients> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<ListedRecipients, Malformed> {
        let count = reader.u16(what)?;
        let columns: Vec<PropertyTag> = Counted::<u16, Self>::read(reader, what)?;
        let rows = (0..reader.u8(what)?).map(|_| {
            let head = Self::read(reader, what)?;
            Ok((head, RecipientRow::read(&columns, reader.sized16(what)?)?))
        });
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(ListedRecipients { count, columns, rows })
    }

    fn write(value: &ListedRecipients, out: &mut Vec<u8>) {
        Self::write(&value.count, out);
        Counted::<u16, Self>::write(&value.columns, out);
        let count = u8::try_from(value.rows.len()).unwrap_or(u8::MAX);
        out.push(count);
        for (head, recipient) in value.rows.iter().take(count.into()) {
            Self::write(head, out);
            recipient.write(&value.columns, out);
        }
    }
}

/// Recipients of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadRecipients {
    /// The columns, which are not sent: those with which the message was opened.
    pub columns: Vec<PropertyTag>,
    /// The recipients with their numbers. At most 255.
    pub rows: Vec<(u32, RecipientHead, RecipientRow)>,
}

impl ByColumns for ReadRecipients {
    fn read(columns: &[PropertyTag], reader: &mut Reader<'_>, what: &'static str) -> Result<Self, Malformed> {
        let rows = (0..reader.u8(what)?).map(|_| {
            let (row, head) = (reader.u32(what)?, Plain::read(reader, what)?);
            Ok((row, head, RecipientRow::read(columns, reader.sized16(what)?)?))
        });
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Self { columns: columns.to_vec(), rows })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let count = u8::try_from(self.rows.len()).unwrap_or(u8::MAX);
        out.push(count);
        for (row, head, recipient) in self.rows.iter().take(count.into()) {
            Plain::write(row, out);
            Plain::write(head, out);
            recipient.write(&self.columns, out);
        }
    }
}
