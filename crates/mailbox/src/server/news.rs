//! What happened in a mailbox, as those are told who asked to be.

use weir_wire::ews::response::{EventSubject, OldPlace};

use super::Visit;
use crate::store::folder::StoredFolder;
use crate::store::identifier::{self, ChangeNumber, FolderKey, ItemKey, MailboxKey};
use crate::store::record::Row;

/// What can happen in a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NewsKind {
    /// A message arrived.
    NewMail,
    /// Something came into being.
    Created,
    /// Something went.
    Deleted,
    /// Something changed.
    Modified,
    /// Something was moved.
    Moved,
    /// Something was copied.
    Copied,
    /// Free and busy times changed; accepted, but nothing tells of it.
    FreeBusyChanged,
}

/// Something that happened in a mailbox.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) mailbox: MailboxKey,
    /// The folders that it concerns.
    pub(crate) folders: Vec<FolderKey>,
    pub(crate) kind: NewsKind,
    /// What answers to `GetEvents` say of it.
    pub(crate) subject: EventSubject,
    pub(crate) about: About,
}

/// To what it happened, by its keys.
#[derive(Clone, Debug)]
pub(crate) enum About {
    /// An item.
    Item {
        /// Which.
        key: ItemKey,
        /// Where it lies.
        folder: FolderKey,
        /// Its class.
        class: String,
        /// Its flags as MAPI has them.
        flags: i64,
        /// Where it was before, and under which key.
        old: Option<(FolderKey, ItemKey)>,
    },
    /// A folder.
    Folder {
        /// Which.
        key: FolderKey,
        /// Where it lies; the root lies in itself.
        parent: FolderKey,
    },
}

impl NewsKind {
    pub(super) const ALL: [Self; 7] = [
        Self::NewMail,
        Self::Created,
        Self::Deleted,
        Self::Modified,
        Self::Moved,
        Self::Copied,
        Self::FreeBusyChanged,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NewMail => "NewMailEvent",
            Self::Created => "CreatedEvent",
            Self::Deleted => "DeletedEvent",
            Self::Modified => "ModifiedEvent",
            Self::Moved => "MovedEvent",
            Self::Copied => "CopiedEvent",
            Self::FreeBusyChanged => "FreeBusyChangedEvent",
        }
    }
}

impl News {
    /// Something happened to an item where it lies.
    pub(crate) fn about_item(kind: NewsKind, visit: &Visit<'_>, row: &Row) -> Self {
        let parent = identifier::bare_folder_id(row.mailbox, row.folder);
        Self {
            mailbox: row.mailbox,
            folders: vec![row.folder],
            kind,
            subject: EventSubject { at: visit.now(), item: Some(row.id()), folder: None, parent, old: None },
            about: About::Item {
                key: row.key,
                folder: row.folder,
                class: row.class.clone(),
                flags: row.message_flags(),
                old: None,
            },
        }
    }

    /// An item was moved or copied from where it was `old` to where it is `new`.
    pub(crate) fn about_transfer(kind: NewsKind, visit: &Visit<'_>, old: &Row, new: &Row) -> Self {
        let place = OldPlace {
            item: Some(old.id()),
            folder: None,
            parent: identifier::bare_folder_id(old.mailbox, old.folder),
        };
        let mut news = Self::about_item(kind, visit, new);
        news.folders.push(old.folder);
        news.subject.old = Some(Box::new(place));
        if let About::Item { old: before, .. } = &mut news.about {
            *before = Some((old.folder, old.key));
        }
        news
    }

    /// Something happened to a folder.
    pub(crate) fn about_folder(
        kind: NewsKind,
        visit: &Visit<'_>,
        folder: &StoredFolder,
        change: ChangeNumber,
    ) -> Self {
        let id = identifier::folder_id(folder.mailbox, folder.key, change);
        let parent = folder.parent_id();
        let folders = folder.parent.into_iter().chain([folder.key]).collect();
        let subject = EventSubject { at: visit.now(), item: None, folder: Some(id), parent, old: None };
        let about = About::Folder { key: folder.key, parent: folder.parent.unwrap_or(folder.key) };
        Self { mailbox: folder.mailbox, folders, kind, subject, about }
    }
}
