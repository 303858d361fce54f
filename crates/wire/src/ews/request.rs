//! What a client asks, as values.
//!
//! A request is a list of *steps* – one for each item, folder or change it names – that are carried out one by one
//! and answered by one response message each, in order (E2, T26). [`Request::steps`] says how many there are.

mod find;

use super::property::{Folder, FolderRef, Item, ItemId, Mailbox, PropertyPath, Value};

pub use find::{
    BasePoint, Comparison, ContainmentMode, FindFolder, FindItem, Operand, Restriction, SortKey, Traversal,
    View,
};

/// A whole request: who it acts for, which version of the protocol it speaks, and what it asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// The `RequestServerVersion`; [`Version::Unstated`] where the client does not say.
    pub version: Version,
    /// Whom the caller acts as (`ExchangeImpersonation`): an address or a name. The caller is charged (T3).
    pub impersonated: Option<String>,
    /// The time zone in which times without an offset are meant (`TimeZoneContext`), by its Windows name.
    pub time_zone: Option<String>,
    /// The question.
    pub request: Request,
}

/// The protocol version that a client speaks, in the order of their release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// No `RequestServerVersion` was sent: treated as older than Exchange 2010 (T12).
    #[default]
    Unstated,
    /// `Exchange2007`.
    Exchange2007,
    /// `Exchange2007_SP1`.
    Exchange2007Sp1,
    /// `Exchange2010`.
    Exchange2010,
    /// `Exchange2010_SP1`.
    Exchange2010Sp1,
    /// `Exchange2010_SP2`.
    Exchange2010Sp2,
    /// `Exchange2013` and everything that came later.
    Exchange2013,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Folders by their identifiers.
    GetFolder(GetFolder),
    /// The folders below others.
    FindFolder(FindFolder),
    /// The items in folders.
    FindItem(FindItem),
    /// Items by their identifiers.
    GetItem(GetItem),
    /// New items, saved or sent.
    CreateItem(CreateItem),
    /// Drafts to be sent.
    SendItem(SendItem),
    /// Changes to items.
    UpdateItem(UpdateItem),
    /// Items to be deleted.
    DeleteItem(DeleteItem),
    /// Items to be moved.
    MoveItem(TransferItem),
    /// Items to be copied.
    CopyItem(TransferItem),
    /// New folders.
    CreateFolder(CreateFolder),
    /// Changes to folders.
    UpdateFolder(UpdateFolder),
    /// Folders to be deleted.
    DeleteFolder(DeleteFolder),
    /// What changed in the folder tree since a sync state.
    SyncFolderHierarchy(SyncFolderHierarchy),
    /// What changed in a folder since a sync state.
    SyncFolderItems(SyncFolderItems),
    /// A pull subscription to events.
    Subscribe(Subscribe),
    /// The events of a pull subscription.
    GetEvents(GetEvents),
    /// The end of a subscription.
    Unsubscribe(Unsubscribe),
    /// People whose name begins so.
    ResolveNames(ResolveNames),
    /// The time zones the server knows.
    GetServerTimeZones(GetServerTimeZones),
    /// Identifiers in another format.
    ConvertId(ConvertId),
    /// Who may act for a mailbox.
    GetDelegate(GetDelegate),
}

/// Which properties of an item or folder are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The basic set.
    pub base: BaseShape,
    /// Properties beyond it.
    pub additional: Vec<PropertyPath>,
    /// Whether the MIME content is wanted.
    pub mime_content: bool,
    /// The kind of body wanted; the best there is where absent.
    pub body: Option<BodyType>,
}

/// A basic set of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseShape {
    /// The identifier alone.
    IdOnly,
    /// The usual ones.
    Default,
    /// All that a client may see.
    AllProperties,
}

/// A kind of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyType {
    /// The best there is.
    Best,
    /// HTML.
    Html,
    /// Plain text.
    Text,
}

/// Folders by their identifiers: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct GetFolder {
    /// Which properties.
    pub shape: Shape,
    /// Which folders.
    pub folders: Vec<FolderRef>,
}

/// Items by their identifiers: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct GetItem {
    /// Which properties.
    pub shape: Shape,
    /// Which items.
    pub items: Vec<ItemId>,
}

/// What becomes of a new or changed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// It is saved.
    SaveOnly,
    /// It is sent.
    SendOnly,
    /// It is sent and a copy is saved.
    SendAndSaveCopy,
}

/// New items: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateItem {
    /// What becomes of messages.
    pub disposition: Option<Disposition>,
    /// Who hears of a meeting: `SendToNone`, `SendOnlyToAll`, `SendToAllAndSaveCopy`.
    pub invitations: Option<String>,
    /// Where they are saved.
    pub folder: Option<FolderRef>,
    /// The items.
    pub items: Vec<Item>,
}

/// Drafts to be sent: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct SendItem {
    /// Whether a copy is saved.
    pub save_copy: bool,
    /// Where.
    pub folder: Option<FolderRef>,
    /// Which.
    pub items: Vec<ItemId>,
}

/// Changes to items: one step an item.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateItem {
    /// What becomes of messages.
    pub disposition: Option<Disposition>,
    /// What happens if somebody else changed it meanwhile.
    pub conflict: ConflictResolution,
    /// The changes.
    pub changes: Vec<ItemChange>,
}

/// What happens when two change one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictResolution {
    /// A stale change key is an error.
    NeverOverwrite,
    /// Like `AlwaysOverwrite`, unless the same property was changed.
    AutoResolve,
    /// The last one wins.
    AlwaysOverwrite,
}

/// The changes to one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemChange {
    /// Which item.
    pub item: ItemId,
    /// What changes.
    pub updates: Vec<Update>,
}

/// The changes to one folder.
#[derive(Clone, Debug, PartialEq)]
pub struct FolderChange {
    /// Which folder.
    pub folder: FolderRef,
    /// What changes.
    pub updates: Vec<Update>,
}

/// One change of one property.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// It gets this value.
    Set(PropertyPath, Value),
    /// This is added to its value.
    Append(PropertyPath, Value),
    /// It is removed.
    Delete(PropertyPath),
}

/// What deleting means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteType {
    /// Gone for good.
    HardDelete,
    /// Gone from sight, in the dumpster.
    SoftDelete,
    /// Into the deleted items.
    MoveToDeletedItems,
}

/// Items to be deleted: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteItem {
    /// How.
    pub how: DeleteType,
    /// Which.
    pub items: Vec<ItemId>,
}

/// Items to be moved or copied: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferItem {
    /// Where to.
    pub to: FolderRef,
    /// Which.
    pub items: Vec<ItemId>,
    /// Whether the identifiers at the new place are wanted; they are always told.
    pub return_new_ids: bool,
}

/// New folders: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateFolder {
    /// Below which.
    pub parent: FolderRef,
    /// The folders.
    pub folders: Vec<Folder>,
}

/// Changes to folders: one step a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateFolder {
    /// The changes.
    pub changes: Vec<FolderChange>,
}

/// Folders to be deleted: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteFolder {
    /// How.
    pub how: DeleteType,
    /// Which.
    pub folders: Vec<FolderRef>,
}

/// What changed in the folder tree: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncFolderHierarchy {
    /// Which properties.
    pub shape: Shape,
    /// Below which folder; the root where absent.
    pub folder: Option<FolderRef>,
    /// Since when; from the beginning where absent.
    pub state: Option<String>,
}

/// What changed in a folder: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncFolderItems {
    /// Which properties.
    pub shape: Shape,
    /// In which folder.
    pub folder: FolderRef,
    /// Since when; from the beginning where absent.
    pub state: Option<String>,
    /// At most so many changes.
    pub max: u32,
    /// Items whose changes are not wanted.
    pub ignore: Vec<ItemId>,
}

/// A pull subscription: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscribe {
    /// To which folders.
    pub folders: Vec<FolderRef>,
    /// To all folders of the mailbox.
    pub all_folders: bool,
    /// To which events, as `NewMailEvent`.
    pub events: Vec<String>,
    /// From where on, where an earlier subscription is continued.
    pub watermark: Option<String>,
    /// How many minutes without a question it lives.
    pub timeout_minutes: u32,
}

/// The events of a subscription: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct GetEvents {
    /// Which subscription.
    pub subscription: String,
    /// Since when.
    pub watermark: String,
}

/// The end of a subscription: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsubscribe {
    /// Which subscription.
    pub subscription: String,
}

/// People by the beginning of their name: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolveNames {
    /// The beginning of a name, alias or address.
    pub entry: String,
    /// Whether the contact's details are wanted.
    pub full_contact: bool,
}

/// Time zones: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct GetServerTimeZones {
    /// Which; all where empty.
    pub ids: Vec<String>,
    /// Whether their rules are wanted.
    pub full: bool,
}

/// Identifiers in another format: one step each.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertId {
    /// The format wanted.
    pub format: String,
    /// The identifiers.
    pub ids: Vec<AlternateId>,
}

/// An identifier in some format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternateId {
    /// Its format, as `EwsId`, `EwsLegacyId`, `HexEntryId`.
    pub format: String,
    /// The identifier.
    pub id: String,
    /// Whose.
    pub mailbox: String,
    /// Whether it lies in the archive.
    pub archive: bool,
}

/// Who may act for a mailbox: one step.
#[derive(Clone, Debug, PartialEq)]
pub struct GetDelegate {
    /// For which.
    pub mailbox: Mailbox,
    /// Whether the permissions are wanted.
    pub permissions: bool,
}

impl Version {
    /// The version of that name, as in `RequestServerVersion`'s `Version`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "Exchange2007" => Some(Self::Exchange2007),
            "Exchange2007_SP1" => Some(Self::Exchange2007Sp1),
            "Exchange2010" => Some(Self::Exchange2010),
            "Exchange2010_SP1" => Some(Self::Exchange2010Sp1),
            "Exchange2010_SP2" => Some(Self::Exchange2010Sp2),
            later if later.starts_with("Exchange201") || later.starts_with('V') => Some(Self::Exchange2013),
            _ => None,
        }
    }
}

impl Shape {
    /// The identifier alone.
    pub const fn id_only() -> Self {
        Self { base: BaseShape::IdOnly, additional: Vec::new(), mime_content: false, body: None }
    }
}

impl Request {
    /// How many steps the request has: response messages, in order.
    pub fn steps(&self) -> usize {
        match self {
            Self::GetFolder(get) => get.folders.len(),
            Self::FindFolder(find) => find.parents.len(),
            Self::FindItem(find) => find.parents.len(),
            Self::GetItem(get) => get.items.len(),
            Self::CreateItem(create) => create.items.len(),
            Self::SendItem(send) => send.items.len(),
            Self::UpdateItem(update) => update.changes.len(),
            Self::DeleteItem(delete) => delete.items.len(),
            Self::MoveItem(transfer) | Self::CopyItem(transfer) => transfer.items.len(),
            Self::CreateFolder(create) => create.folders.len(),
            Self::UpdateFolder(update) => update.changes.len(),
            Self::DeleteFolder(delete) => delete.folders.len(),
            Self::ConvertId(convert) => convert.ids.len(),
            Self::SyncFolderHierarchy(_)
            | Self::SyncFolderItems(_)
            | Self::Subscribe(_)
            | Self::GetEvents(_)
            | Self::Unsubscribe(_)
            | Self::ResolveNames(_)
            | Self::GetServerTimeZones(_)
            | Self::GetDelegate(_) => 1,
        }
    }

    /// The operation's name: `FindItem`.
    pub const fn operation(&self) -> &'static str {
        match self {
            Self::GetFolder(_) => "GetFolder",
            Self::FindFolder(_) => "FindFolder",
            Self::FindItem(_) => "FindItem",
            Self::GetItem(_) => "GetItem",
            Self::CreateItem(_) => "CreateItem",
            Self::SendItem(_) => "SendItem",
            Self::UpdateItem(_) => "UpdateItem",
            Self::DeleteItem(_) => "DeleteItem",
            Self::MoveItem(_) => "MoveItem",
            Self::CopyItem(_) => "CopyItem",
            Self::CreateFolder(_) => "CreateFolder",
            Self::UpdateFolder(_) => "UpdateFolder",
            Self::DeleteFolder(_) => "DeleteFolder",
            Self::SyncFolderHierarchy(_) => "SyncFolderHierarchy",
            Self::SyncFolderItems(_) => "SyncFolderItems",
            Self::Subscribe(_) => "Subscribe",
            Self::GetEvents(_) => "GetEvents",
            Self::Unsubscribe(_) => "Unsubscribe",
            Self::ResolveNames(_) => "ResolveNames",
            Self::GetServerTimeZones(_) => "GetServerTimeZones",
            Self::ConvertId(_) => "ConvertId",
            Self::GetDelegate(_) => "GetDelegate",
        }
    }

    /// Whether carrying it out changes something at the origin.
    pub const fn has_effect(&self) -> bool {
        match self {
            Self::CreateItem(_)
            | Self::SendItem(_)
            | Self::UpdateItem(_)
            | Self::DeleteItem(_)
            | Self::MoveItem(_)
            | Self::CopyItem(_)
            | Self::CreateFolder(_)
            | Self::UpdateFolder(_)
            | Self::DeleteFolder(_)
            | Self::Subscribe(_)
            | Self::Unsubscribe(_) => true,
            Self::GetFolder(_)
            | Self::FindFolder(_)
            | Self::FindItem(_)
            | Self::GetItem(_)
            | Self::SyncFolderHierarchy(_)
            | Self::SyncFolderItems(_)
            | Self::GetEvents(_)
            | Self::ResolveNames(_)
            | Self::GetServerTimeZones(_)
            | Self::ConvertId(_)
            | Self::GetDelegate(_) => false,
        }
    }
}
