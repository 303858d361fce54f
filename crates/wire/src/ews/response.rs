//! What a server answers, as values: one response message a step of the request.

use super::property::{Folder, FolderId, Item, ItemId, Mailbox};
use super::request::AlternateId;
use super::xml::Element;
use weir_units::WallTime;

/// The answer to one step: what was asked for, or an error of its own while the other steps go on (E2).
pub type ResponseMessage = Result<Answer, ErrorMessage>;

/// What one step brought.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It was done, and there is nothing to say.
    Done,
    /// Items: found by identifier, created, updated, moved.
    Items(Vec<Item>),
    /// Folders: found by identifier, created, updated.
    Folders(Vec<Folder>),
    /// A page of items.
    FoundItems(Found<Item>),
    /// A page of folders.
    FoundFolders(Found<Folder>),
    /// Changes of a folder's items.
    ItemChanges(Changes<Item, ItemId>),
    /// Changes of the folder tree.
    FolderChanges(Changes<Folder, FolderId>),
    /// A subscription.
    Subscribed {
        /// Its identifier.
        subscription: String,
        /// Where it begins.
        watermark: String,
    },
    /// Events.
    Events(Events),
    /// People.
    Resolved {
        /// Those that match.
        people: Vec<Person>,
        /// Whether these are all.
        complete: bool,
    },
    /// An identifier in another format.
    Converted(AlternateId),
    /// Time zone definitions, as `t:TimeZoneDefinition` elements.
    TimeZones(Vec<Element>),
    /// Who may act for the mailbox.
    Delegates(Vec<Mailbox>),
}

/// A page of what a find found: counts and page come from one snapshot (E4).
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The page.
    pub page: Vec<T>,
    /// How many there are in all.
    pub total: u32,
    /// How the paging attributes go on.
    pub paging: Paging,
    /// Whether the page includes the last one in the view.
    pub last: bool,
}

/// Where a find goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paging {
    /// A view without an offset: calendar, contacts.
    None,
    /// `IndexedPagingOffset`, the offset of the next page; on every page and on unpaged answers too.
    Indexed(u32),
    /// `NumeratorOffset` and `AbsoluteDenominator` of the next page.
    Fractional {
        /// The numerator.
        numerator: u32,
        /// The denominator.
        denominator: u32,
    },
}

/// What changed since a sync state.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes<T, Id> {
    /// The state to ask with next time.
    pub state: String,
    /// Whether the last change is among these.
    pub last: bool,
    /// The changes, oldest first.
    pub changes: Vec<Change<T, Id>>,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<T, Id> {
    /// It came.
    Create(T),
    /// It changed.
    Update(T),
    /// It went.
    Delete(Id),
    /// Only its read flag changed (items alone).
    ReadFlag(Id, bool),
}

/// The events of a subscription since a watermark.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    /// Which subscription.
    pub subscription: String,
    /// The watermark that was asked with.
    pub previous: String,
    /// Whether there are more.
    pub more: bool,
    /// The events; a `Status` event alone where nothing happened.
    pub events: Vec<MailboxEvent>,
}

/// One event in a mailbox.
#[derive(Clone, Debug, PartialEq)]
pub struct MailboxEvent {
    /// As `NewMailEvent`, `CreatedEvent`, `StatusEvent`.
    pub kind: String,
    /// The watermark after it.
    pub watermark: String,
    /// When, of which item or folder; nothing for a status event.
    pub subject: Option<EventSubject>,
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSubject {
    /// When it happened.
    pub at: WallTime,
    /// The item, where it is one.
    pub item: Option<ItemId>,
    /// The folder, where it is one.
    pub folder: Option<FolderId>,
    /// The folder it lies in.
    pub parent: FolderId,
    /// Where it was before, for moves and copies.
    pub old: Option<Box<OldPlace>>,
}

/// Where an item or folder was before it was moved or copied.
#[derive(Clone, Debug, PartialEq)]
pub struct OldPlace {
    /// The item as it was named there.
    pub item: Option<ItemId>,
    /// The folder as it was named there.
    pub folder: Option<FolderId>,
    /// The folder it lay in.
    pub parent: FolderId,
}

/// A person found by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Name and address.
    pub mailbox: Mailbox,
    /// The alias.
    pub alias: Option<String>,
}

/// Why a step failed, in the protocol's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {text}")]
pub struct ErrorMessage {
    /// The response code, as `ErrorItemNotFound`.
    pub code: &'static str,
    /// What happened, for people.
    pub text: String,
    /// Values for programs, in order (`MessageXml`).
    pub values: Vec<(&'static str, String)>,
}

impl ErrorMessage {
    /// An error without values.
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), values: Vec::new() }
    }
}
