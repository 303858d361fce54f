//! The folders that every mailbox has.

use weir_wire::ews::property::FolderKind;

/// A folder that every mailbox has from its first use on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distinguished {
    /// The name in `DistinguishedFolderId`.
    pub(crate) id: &'static str,
    /// The folder it lies in.
    pub(crate) parent: &'static str,
    /// The name people see.
    pub(crate) name: &'static str,
    /// The class of what it holds.
    pub(crate) class: Option<&'static str>,
    /// What kind of folder it is.
    pub(crate) kind: FolderKind,
}

/// The root of a mailbox.
pub(crate) const ROOT: &str = "root";
/// The root of what people see.
pub(crate) const TOP: &str = "msgfolderroot";

const fn visible(
    id: &'static str,
    name: &'static str,
    class: &'static str,
    kind: FolderKind,
) -> Distinguished {
    Distinguished { id, parent: TOP, name, class: Some(class), kind }
}

const fn hidden(id: &'static str, parent: &'static str, name: &'static str) -> Distinguished {
    Distinguished { id, parent, name, class: None, kind: FolderKind::Folder }
}

/// All of them, parents before children. The root's parent is itself.
pub(crate) const ALL: &[Distinguished] = &[
    hidden(ROOT, ROOT, "Root"),
    hidden(TOP, ROOT, "Top of Information Store"),
    visible("inbox", "Inbox", "IPF.Note", FolderKind::Folder),
    visible("drafts", "Drafts", "IPF.Note", FolderKind::Folder),
    visible("sentitems", "Sent Items", "IPF.Note", FolderKind::Folder),
    visible("deleteditems", "Deleted Items", "IPF.Note", FolderKind::Folder),
    visible("outbox", "Outbox", "IPF.Note", FolderKind::Folder),
    visible("junkemail", "Junk E-Mail", "IPF.Note", FolderKind::Folder),
    visible("calendar", "Calendar", "IPF.Appointment", FolderKind::CalendarFolder),
    visible("contacts", "Contacts", "IPF.Contact", FolderKind::ContactsFolder),
    visible("tasks", "Tasks", "IPF.Task", FolderKind::TasksFolder),
    visible("notes", "Notes", "IPF.StickyNote", FolderKind::Folder),
    visible("journal", "Journal", "IPF.Journal", FolderKind::Folder),
    hidden("searchfolders", ROOT, "Finder"),
    hidden("voicemail", ROOT, "Voice Mail"),
    hidden("recoverableitemsroot", ROOT, "Recoverable Items"),
    hidden("recoverableitemsdeletions", "recoverableitemsroot", "Deletions"),
    hidden("recoverableitemsversions", "recoverableitemsroot", "Versions"),
    hidden("recoverableitemspurges", "recoverableitemsroot", "Purges"),
];

/// Those that only MAPI clients know: made when one of them first logs on.
pub(crate) const MAPI: &[Distinguished] = &[
    hidden("deferredaction", ROOT, "Deferred Action"),
    hidden("spoolerqueue", ROOT, "Spooler Queue"),
    hidden("commonviews", ROOT, "Common Views"),
    hidden("schedule", ROOT, "Schedule"),
    hidden("views", ROOT, "Views"),
    hidden("shortcuts", ROOT, "Shortcuts"),
];
