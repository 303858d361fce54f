//! Messages and their recipients.

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Plain, Rest, layout};
use super::super::property::PropertyTag;
use super::super::reader::Reader;
use super::super::recipient::RecipientRow;

layout! {
    /// Opens a message.
    pub struct OpenMessage {
        /// The place of the mailbox's or any folder's handle.
        input: u8,
        /// Where the message's handle is to go.
        output: u8,
        /// The code page of its one-byte texts: [`Self::LOGON_CODE_PAGE`], or another.
        code_page: u16,
        /// The folder that has it.
        folder: u64,
        /// How: [`Self::READ_WRITE`] and others.
        mode: u8,
        /// The message.
        message: u64,
    }

    /// Asks again what opening a message told.
    pub struct ReloadCachedInformation {
        /// The place of the message's handle.
        input: u8,
        /// Always 0.
        reserved: u16,
    }

    /// Makes a message, which is nowhere until it is saved.
    pub struct CreateMessage {
        /// The place of the mailbox's or any folder's handle.
        input: u8,
        /// Where the message's handle is to go.
        output: u8,
        /// The code page of its one-byte texts.
        code_page: u16,
        /// The folder that is to have it.
        folder: u64,
        /// Whether it is to be one of the folder's hidden messages.
        associated: bool,
    }

    /// Saves a message.
    pub struct SaveChangesMessage {
        /// The place that the answer names.
        response: u8,
        /// The place of the message's handle.
        input: u8,
        /// Whether it stays open, and how: [`Self::KEEP_OPEN_READ_WRITE`] and others.
        flags: u8,
    }

    /// Changes recipients of a message.
    pub struct ModifyRecipients {
        /// The place of the message's handle.
        input: u8,
        /// The recipients.
        recipients: ChangedRecipients,
    }

    /// Asks for recipients of a message.
    pub struct ReadRecipients {
        /// The place of the message's handle.
        input: u8,
        /// The first of them.
        row: u32,
        /// Always 0.
        reserved: u16,
    }

    /// Marks a message as read or unread.
    pub struct SetMessageReadFlag {
        /// The place that the answer names.
        response: u8,
        /// The place of the message's handle.
        input: u8,
        /// How: [`Self::CLEAR`] and others.
        flags: u8,
        /// What the answer is to repeat. Only of public folders, where it has 24 bytes.
        client_data: Vec<u8> as Rest,
    }

    /// Sends a message.
    pub struct SubmitMessage {
        /// The place of the message's handle.
        input: u8,
        /// How: 0, or whether a spooler is to look at it first.
        flags: u8,
    }
}

impl OpenMessage {
    /// The code page of the logon.
    pub const LOGON_CODE_PAGE: u16 = 0x0FFF;

    /// To be read only.
    pub const READ_ONLY: u8 = 0;
    /// To be changed.
    pub const READ_WRITE: u8 = 1;
    /// To be changed, if the user may.
    pub const BEST_ACCESS: u8 = 3;
    /// Also one that is deleted, but can be restored.
    pub const SOFT_DELETED: u8 = 4;
}

impl SaveChangesMessage {
    /// It stays open to be read.
    pub const KEEP_OPEN_READ_ONLY: u8 = 0x01;
    /// It stays open to be changed.
    pub const KEEP_OPEN_READ_WRITE: u8 = 0x02;
    /// It is saved whatever others have done to it.
    pub const FORCE_SAVE: u8 = 0x04;
    /// It may be saved later.
    pub const DELAYED: u8 = 0x08;
}

impl SetMessageReadFlag {
    /// As read, and senders who asked hear of it.
    pub const READ: u8 = 0x00;
    /// As read, and nobody hears of it.
    pub const SUPPRESS_RECEIPT: u8 = 0x01;
    /// As unread.
    pub const CLEAR: u8 = 0x04;
    /// As it is; it only takes care that nobody hears of it, or that senders do.
    pub const RECEIPT_ONLY: u8 = 0x10;
    /// What is to be told that it was read is not told.
    pub const CLEAR_READ_NOTICE: u8 = 0x20;
    /// What is to be told that it was not read is not told.
    pub const CLEAR_UNREAD_NOTICE: u8 = 0x40;
}

/// Recipients as they are to be, each with the properties of the same columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedRecipients {
    /// The columns.
    pub columns: Vec<PropertyTag>,
    /// The recipients.
    pub rows: Vec<ChangedRecipient>,
}

/// A recipient as it is to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedRecipient {
    /// Which it is.
    pub row: u32,
    /// To whom it is, or who gets a copy.
    pub kind: u8,
    /// What it is; none takes it away.
    pub recipient: Option<RecipientRow>,
}

impl Codec<ChangedRecipients> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<ChangedRecipients, Malformed> {
        let columns: Vec<PropertyTag> = Counted::<u16, Self>::read(reader, what)?;
        let rows = (0..reader.u16(what)?).map(|_| {
            let (row, kind) = (reader.u32(what)?, reader.u8(what)?);
            let bytes = reader.sized16(what)?;
            let recipient = if bytes.is_empty() { None } else { Some(RecipientRow::read(&columns, bytes)?) };
            Ok(ChangedRecipient { row, kind, recipient })
        });
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(ChangedRecipients { columns, rows })
    }

    fn write(value: &ChangedRecipients, out: &mut Vec<u8>) {
        Counted::<u16, Self>::write(&value.columns, out);
        let count = u16::try_from(value.rows.len()).unwrap_or(u16::MAX);
        Self::write(&count, out);
        for changed in value.rows.iter().take(count.into()) {
            Self::write(&changed.row, out);
            out.push(changed.kind);
            match &changed.recipient {
                Some(recipient) => recipient.write(&value.columns, out),
                None => out.extend([0, 0]),
            }
        }
    }
}
