//! What a client is told without asking, because it once registered for it (MS-OXCNOTIF, section 2.2.1.4.1).
//!
//! Which fields there are follows from what happened, and to what: to a folder or to a message, seen in a folder or in
//! a search. A table tells its rows as bytes, since only its owner knows the columns.

#[cfg(test)]
pub(in super::super) mod tests;

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Plain, Sized, layout};
use super::super::property::PropertyTag;
use super::super::reader::Reader;
use super::super::text::Text;

/// Tells that something happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Notify {
    /// The handle of the registration or table that it concerns.
    pub handle: u32,
    /// The logon.
    pub logon: u8,
    /// What happened.
    pub event: Event,
    /// Whether it was seen in a search.
    pub in_search: bool,
    /// How many messages the folder has, if that changed.
    pub total: Option<u32>,
    /// How many unread messages the folder has, if that changed.
    pub unread: Option<u32>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A message arrived.
    NewMail {
        /// The message.
        object: Object,
        /// Its flags, as its property has them.
        flags: u32,
        /// What kind of message it is.
        class: Text,
    },
    /// Something was made.
    Created {
        /// What.
        object: Object,
        /// The folder that it is in. It is sent for folders, and for messages in searches.
        parent: u64,
        /// Which properties it has. Without any, nothing is said of them.
        tags: Vec<PropertyTag>,
    },
    /// Something was deleted.
    Deleted {
        /// What.
        object: Object,
        /// The folder that it was in. It is sent for folders, and for messages in searches.
        parent: u64,
    },
    /// Something was changed.
    Modified {
        /// What.
        object: Object,
        /// Which properties. Without any, nothing is said of them.
        tags: Vec<PropertyTag>,
    },
    /// Something was moved.
    Moved(Journey),
    /// Something was copied.
    Copied(Journey),
    /// A search has found all there is.
    SearchComplete {
        /// The folder of the search.
        folder: u64,
    },
    /// A table has other rows.
    Table(TableEvent),
}

/// A folder, or a message in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// The folder.
    pub folder: u64,
    /// The message, if it is one.
    pub message: Option<u64>,
}

/// Where something went, and whence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Journey {
    /// What, where it is.
    pub object: Object,
    /// The folder that it is in. It is sent for folders, and for messages in searches.
    pub parent: u64,
    /// The folder that it was: of a message, the one that had it.
    pub old_folder: u64,
    /// What it was in that folder: of a message its identifier, of a folder its parent.
    pub old: u64,
}

/// What happened to a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableEvent {
    /// A row came.
    Added(AddedRow),
    /// A row went.
    Deleted(TableRow),
    /// A row is another, or elsewhere.
    Modified(AddedRow),
    /// Something else: [`Self::CHANGED`], and what servers send rarely.
    Other(u16),
}

/// A row that is in a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedRow {
    /// The row.
    pub row: TableRow,
    /// The row before it; zeros, where it is the first.
    pub after: TableRow,
    /// Its cells, as [`row`](super::super::row) has them.
    pub data: Vec<u8>,
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// The folder.
    pub folder: u64,
    /// The message, if it is one.
    pub message: Option<MessageRow>,
}

layout! {
    /// The row of a message.
    #[derive(Copy, Eq)]
    pub struct MessageRow {
        /// The message.
        message: u64,
        /// Which of several rows for it.
        instance: u32,
    }
}

impl TableEvent {
    /// Much changed: the client is to ask again.
    pub const CHANGED: Self = Self::Other(1);
}

/// The kinds of events.
const NEW_MAIL: u16 = 0x0002;
const CREATED: u16 = 0x0004;
const DELETED: u16 = 0x0008;
const MODIFIED: u16 = 0x0010;
const MOVED: u16 = 0x0020;
const COPIED: u16 = 0x0040;
const SEARCH_COMPLETE: u16 = 0x0080;
const TABLE: u16 = 0x0100;
const KINDS: u16 = 0x0FFF;

/// What beside the kind of an event says which fields there are.
const HAS_TOTAL: u16 = 0x1000;
const HAS_UNREAD: u16 = 0x2000;
const IN_SEARCH: u16 = 0x4000;
const OF_MESSAGE: u16 = 0x8000;

/// The kinds of events of tables.
const ROW_ADDED: u16 = 3;
const ROW_DELETED: u16 = 4;
const ROW_MODIFIED: u16 = 5;

const NOTIFY: &str = "RopNotify";

/// The kind of an event, and what else says which fields there are.
#[derive(Clone, Copy)]
struct Flags(u16);

impl Flags {
    const fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }

    /// Whether the folder of what it happened to is told.
    const fn has_parent(self) -> bool {
        self.has(OF_MESSAGE) == self.has(IN_SEARCH)
    }

    fn count(self, bit: u16, reader: &mut Reader<'_>) -> Result<Option<u32>, Malformed> {
        self.has(bit).then(|| reader.u32(NOTIFY)).transpose()
    }

    fn read_event(self, reader: &mut Reader<'_>) -> Result<Event, Malformed> {
        Ok(match self.0 & KINDS {
            TABLE => Event::Table(self.read_table(reader)?),
            SEARCH_COMPLETE => Event::SearchComplete { folder: self.read_object(reader)?.folder },
            NEW_MAIL => {
                Event::NewMail { object: self.read_object(reader)?, flags: 0, class: Text::default() }
            }
            CREATED => Event::Created {
                object: self.read_object(reader)?,
                parent: self.read_parent(reader)?,
                tags: read_tags(reader)?,
            },
            DELETED => {
                Event::Deleted { object: self.read_object(reader)?, parent: self.read_parent(reader)? }
            }
            MODIFIED => Event::Modified { object: self.read_object(reader)?, tags: read_tags(reader)? },
            MOVED => Event::Moved(self.read_journey(reader)?),
            COPIED => Event::Copied(self.read_journey(reader)?),
            _ => return Err(Malformed::Wrong("the kind of an event")),
        })
    }

    fn write_event(self, event: &Event, out: &mut Vec<u8>) {
        match event {
            Event::NewMail { object, .. } => self.write_object(*object, out),
            Event::SearchComplete { folder } => Plain::write(folder, out),
            Event::Created { object, parent, tags } => {
                self.write_object(*object, out);
                self.write_parent(*parent, out);
                write_tags(tags, out);
            }
            Event::Deleted { object, parent } => {
                self.write_object(*object, out);
                self.write_parent(*parent, out);
            }
            Event::Modified { object, tags } => {
                self.write_object(*object, out);
                write_tags(tags, out);
            }
            Event::Moved(journey) | Event::Copied(journey) => {
                self.write_object(journey.object, out);
                self.write_parent(journey.parent, out);
                Plain::write(&journey.old_folder, out);
                Plain::write(&journey.old, out);
            }
            Event::Table(event) => self.write_table(event, out),
        }
    }

    fn read_object(self, reader: &mut Reader<'_>) -> Result<Object, Malformed> {
        let folder = reader.u64(NOTIFY)?;
        let message = self.has(OF_MESSAGE).then(|| reader.u64(NOTIFY)).transpose()?;
        Ok(Object { folder, message })
    }

    fn write_object(self, object: Object, out: &mut Vec<u8>) {
        Plain::write(&object.folder, out);
        if self.has(OF_MESSAGE) {
            Plain::write(&object.message.unwrap_or_default(), out);
        }
    }

    fn read_parent(self, reader: &mut Reader<'_>) -> Result<u64, Malformed> {
        if self.has_parent() { reader.u64(NOTIFY) } else { Ok(0) }
    }

    fn write_parent(self, parent: u64, out: &mut Vec<u8>) {
        if self.has_parent() {
            Plain::write(&parent, out);
        }
    }

    fn read_journey(self, reader: &mut Reader<'_>) -> Result<Journey, Malformed> {
        Ok(Journey {
            object: self.read_object(reader)?,
            parent: self.read_parent(reader)?,
            old_folder: reader.u64(NOTIFY)?,
            old: reader.u64(NOTIFY)?,
        })
    }

    fn read_table(self, reader: &mut Reader<'_>) -> Result<TableEvent, Malformed> {
        Ok(match reader.u16(NOTIFY)? {
            ROW_ADDED => TableEvent::Added(self.read_added(reader)?),
            ROW_DELETED => TableEvent::Deleted(self.read_row(reader)?),
            ROW_MODIFIED => TableEvent::Modified(self.read_added(reader)?),
            kind => TableEvent::Other(kind),
        })
    }

    fn write_table(self, event: &TableEvent, out: &mut Vec<u8>) {
        let (kind, row, added) = match event {
            TableEvent::Added(added) => (ROW_ADDED, Some(added.row), Some(added)),
            TableEvent::Deleted(row) => (ROW_DELETED, Some(*row), None),
            TableEvent::Modified(added) => (ROW_MODIFIED, Some(added.row), Some(added)),
            TableEvent::Other(kind) => (*kind, None, None),
        };
        Plain::write(&kind, out);
        for row in row.into_iter().chain(added.map(|added| added.after)) {
            self.write_row(row, out);
        }
        if let Some(added) = added {
            Sized::<u16>::write(&added.data, out);
        }
    }

    fn read_added(self, reader: &mut Reader<'_>) -> Result<AddedRow, Malformed> {
        Ok(AddedRow {
            row: self.read_row(reader)?,
            after: self.read_row(reader)?,
            data: Sized::<u16>::read(reader, NOTIFY)?,
        })
    }

    fn read_row(self, reader: &mut Reader<'_>) -> Result<TableRow, Malformed> {
        let folder = reader.u64(NOTIFY)?;
        let message = self.has(OF_MESSAGE).then(|| Plain::read(reader, NOTIFY)).transpose()?;
        Ok(TableRow { folder, message })
    }

    fn write_row(self, row: TableRow, out: &mut Vec<u8>) {
        Plain::write(&row.folder, out);
        if self.has(OF_MESSAGE) {
            Plain::write(&row.message.unwrap_or_default(), out);
        }
    }
}

/// What stands for no tags beside 0.
const NO_TAGS: u16 = 0xFFFF;

fn read_tags(reader: &mut Reader<'_>) -> Result<Vec<PropertyTag>, Malformed> {
    let mut counted = *reader;
    if reader.u16(NOTIFY)? == NO_TAGS {
        return Ok(Vec::new());
    }
    let tags = Counted::<u16, Plain>::read(&mut counted, NOTIFY);
    *reader = counted;
    tags
}

fn write_tags(tags: &[PropertyTag], out: &mut Vec<u8>) {
    let tags = tags.iter().take((NO_TAGS - 1).into()).copied().collect();
    Counted::<u16, Plain>::write(&tags, out);
}

impl Event {
    /// Its kind, and whether it is a message's.
    fn bits(&self) -> u16 {
        let (kind, of_message) = match self {
            Self::NewMail { object, .. } => (NEW_MAIL, object.message.is_some()),
            Self::Created { object, .. } => (CREATED, object.message.is_some()),
            Self::Deleted { object, .. } => (DELETED, object.message.is_some()),
            Self::Modified { object, .. } => (MODIFIED, object.message.is_some()),
            Self::Moved(journey) => (MOVED, journey.object.message.is_some()),
            Self::Copied(journey) => (COPIED, journey.object.message.is_some()),
            Self::SearchComplete { .. } => (SEARCH_COMPLETE, false),
            Self::Table(TableEvent::Added(added) | TableEvent::Modified(added)) => {
                (TABLE, added.row.message.is_some())
            }
            Self::Table(TableEvent::Deleted(row)) => (TABLE, row.message.is_some()),
            Self::Table(TableEvent::Other(_)) => (TABLE, false),
        };
        if of_message { kind | OF_MESSAGE } else { kind }
    }
}

impl Codec<Notify> for Plain {
    fn read(reader: &mut Reader<'_>, _: &'static str) -> Result<Notify, Malformed> {
        let (handle, logon) = (reader.u32(NOTIFY)?, reader.u8(NOTIFY)?);
        let bits = Flags(reader.u16(NOTIFY)?);
        let mut event = bits.read_event(reader)?;
        let (total, unread) = (bits.count(HAS_TOTAL, reader)?, bits.count(HAS_UNREAD, reader)?);
        // The end of what is told of a message stands behind the counts.
        if let Event::NewMail { flags, class, .. } = &mut event {
            (*flags, *class) = (reader.u32(NOTIFY)?, Self::read(reader, NOTIFY)?);
        }
        Ok(Notify { handle, logon, event, in_search: bits.has(IN_SEARCH), total, unread })
    }

    fn write(value: &Notify, out: &mut Vec<u8>) {
        let extras = [
            (value.in_search, IN_SEARCH),
            (value.total.is_some(), HAS_TOTAL),
            (value.unread.is_some(), HAS_UNREAD),
        ];
        let extras = extras.into_iter().filter(|(set, _)| *set);
        let bits = Flags(extras.fold(value.event.bits(), |bits, (_, bit)| bits | bit));
        Self::write(&value.handle, out);
        out.push(value.logon);
        Self::write(&bits.0, out);
        bits.write_event(&value.event, out);
        for count in [value.total, value.unread].into_iter().flatten() {
            Self::write(&count, out);
        }
        if let Event::NewMail { flags, class, .. } = &value.event {
            Self::write(flags, out);
            Self::write(class, out);
        }
    }
}
