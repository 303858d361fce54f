//! Folders, and many messages of one at once.

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Plain, Text8, layout};
use super::super::reader::Reader;
use super::super::text::Text;

layout! {
    /// Opens a folder.
    pub struct OpenFolder {
        /// The place of the mailbox's or any folder's handle.
        input: u8,
        /// Where the folder's handle is to go.
        output: u8,
        /// The folder.
        folder: u64,
        /// How: [`Self::SOFT_DELETED`].
        mode: u8,
    }

    /// Makes a folder, or opens one of that name.
    pub struct CreateFolder {
        /// The place of the parent's handle.
        input: u8,
        /// Where the folder's handle is to go.
        output: u8,
        /// What kind: [`Self::GENERIC`] or [`Self::SEARCH`].
        kind: u8,
        /// Its names.
        names: FolderNames,
    }

    /// Deletes a folder.
    pub struct DeleteFolder {
        /// The place of the parent's handle.
        input: u8,
        /// What may go with it: [`Self::MESSAGES`] and others.
        flags: u8,
        /// The folder.
        folder: u64,
    }

    /// Deletes all that a folder has.
    pub struct EmptyFolder {
        /// The place of the folder's handle.
        input: u8,
        /// Whether it may be done later.
        asynchronous: bool,
        /// Whether the hidden messages go, too.
        associated: bool,
    }

    /// Opens the list of a folder's folders.
    pub struct GetHierarchyTable {
        /// The place of the folder's handle.
        input: u8,
        /// Where the table's handle is to go.
        output: u8,
        /// How: [`Self::DEPTH`] and others.
        flags: u8,
    }

    /// Opens the list of a folder's messages.
    pub struct GetContentsTable {
        /// The place of the folder's handle.
        input: u8,
        /// Where the table's handle is to go.
        output: u8,
        /// How: [`Self::ASSOCIATED`] and others.
        flags: u8,
    }

    /// Deletes messages, so that they can be restored.
    pub struct DeleteMessages {
        /// The place of the folder's handle.
        input: u8,
        /// Whether it may be done later.
        asynchronous: bool,
        /// Whether senders who asked hear that their messages were not read.
        notify_unread: bool,
        /// The messages.
        messages: Vec<u64> as Counted<u16, Plain>,
    }

    /// Deletes messages for good.
    pub struct HardDeleteMessages {
        /// The place of the folder's handle.
        input: u8,
        /// Whether it may be done later.
        asynchronous: bool,
        /// Whether senders who asked hear that their messages were not read.
        notify_unread: bool,
        /// The messages.
        messages: Vec<u64> as Counted<u16, Plain>,
    }

    /// Moves or copies messages into another folder.
    pub struct MoveCopyMessages {
        /// The place of the handle of the folder that has them.
        input: u8,
        /// The place of the handle of the folder that gets them.
        destination: u8,
        /// The messages.
        messages: Vec<u64> as Counted<u16, Plain>,
        /// Whether it may be done later.
        asynchronous: bool,
        /// Whether they stay where they are, too.
        copy: bool,
    }

    /// Marks messages as read or unread.
    pub struct SetReadFlags {
        /// The place of the folder's handle.
        input: u8,
        /// Whether it may be done later.
        asynchronous: bool,
        /// How, as [`SetMessageReadFlag`](super::message::SetMessageReadFlag) has it.
        flags: u8,
        /// The messages.
        messages: Vec<u64> as Counted<u16, Plain>,
    }

    /// Asks into which folder messages of a class are put.
    pub struct GetReceiveFolder {
        /// The place of the mailbox's handle.
        input: u8,
        /// The class, of one-byte characters.
        class: Vec<u8> as Text8,
    }
}

impl OpenFolder {
    /// Also one that is deleted, but can be restored.
    pub const SOFT_DELETED: u8 = 0x04;
}

impl CreateFolder {
    /// A folder of messages and folders.
    pub const GENERIC: u8 = 1;
    /// A folder of what a search finds.
    pub const SEARCH: u8 = 2;
}

impl DeleteFolder {
    /// With its messages.
    pub const MESSAGES: u8 = 0x01;
    /// With its folders.
    pub const FOLDERS: u8 = 0x04;
    /// So that it cannot be restored.
    pub const HARD: u8 = 0x10;
}

impl GetHierarchyTable {
    /// With all folders below, however deep.
    pub const DEPTH: u8 = 0x04;
    /// Rows and errors come when they are ready.
    pub const DEFERRED_ERRORS: u8 = 0x08;
    /// The client wants to hear of no changes.
    pub const NO_NOTIFICATIONS: u8 = 0x10;
    /// The folders that are deleted, but can be restored.
    pub const SOFT_DELETED: u8 = 0x20;
    /// With texts of two-byte characters.
    pub const UNICODE: u8 = 0x40;
    /// The client does not hear of its own changes.
    pub const SUPPRESS_OWN: u8 = 0x80;
}

impl GetContentsTable {
    /// The hidden messages.
    pub const ASSOCIATED: u8 = 0x02;
    /// Rows and errors come when they are ready.
    pub const DEFERRED_ERRORS: u8 = 0x08;
    /// The client wants to hear of no changes.
    pub const NO_NOTIFICATIONS: u8 = 0x10;
    /// The messages that are deleted, but can be restored.
    pub const SOFT_DELETED: u8 = 0x20;
    /// With texts of two-byte characters.
    pub const UNICODE: u8 = 0x40;
    /// The messages of a conversation as one.
    pub const CONVERSATIONS: u8 = 0x80;
}

/// How a new folder is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderNames {
    /// Whether one that has the name already is opened.
    pub open_existing: bool,
    /// The name.
    pub display_name: Text,
    /// What is said about it.
    pub comment: Text,
}

/// A byte for the texts' width, one for an existing folder, one that is reserved, and both texts.
impl Codec<FolderNames> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<FolderNames, Malformed> {
        let wide = reader.u8(what)? != 0;
        let open_existing = reader.u8(what)? != 0;
        reader.skip(1, 1, what)?;
        let display_name = Text::read(wide, reader, what)?;
        Ok(FolderNames { open_existing, display_name, comment: Text::read(wide, reader, what)? })
    }

    fn write(value: &FolderNames, out: &mut Vec<u8>) {
        let wide = value.display_name.is_wide() || value.comment.is_wide();
        out.extend([wide.into(), value.open_existing.into(), 0]);
        value.display_name.write(wide, out);
        value.comment.write(wide, out);
    }
}
