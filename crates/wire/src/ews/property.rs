//! Items, folders and their properties as values.
//!
//! An item is a bag of properties keyed by [`PropertyPath`]. A table says how each known field is spelled, to which
//! kinds of item it belongs and in which order it is written (`field.rs`); code that stores items needs no XML.

use std::collections::BTreeMap;

use weir_units::WallTime;

use super::field::Field;
use super::xml::Element;

/// The properties of one item or folder, in the order in which they are written.
pub type Properties = BTreeMap<PropertyPath, Value>;

/// The name of a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PropertyPath {
    /// A field with a `FieldURI`, as `item:Subject`.
    Field(Field),
    /// One entry of a dictionary, as `contacts:EmailAddress` / `EmailAddress1`.
    Indexed {
        /// The dictionary's `FieldURI`.
        uri: String,
        /// The `FieldIndex` within it.
        index: String,
    },
    /// A MAPI property.
    Extended(ExtendedProperty),
}

impl PropertyPath {
    /// The field that holds an entry: `contacts:EmailAddresses` for an entry of `contacts:EmailAddress`.
    ///
    /// A shape that asks for that field asks for all its entries.
    ///
    /// ```
    /// use weir_wire::ews::{Field, property::PropertyPath};
    /// let entry = PropertyPath::indexed("contacts:PhysicalAddress:City", "Home");
    /// assert_eq!(entry.dictionary(), Some(Field::CONTACT_PHYSICAL_ADDRESSES));
    /// assert_eq!(PropertyPath::from(Field::SUBJECT).dictionary(), None);
    /// ```
    pub fn dictionary(&self) -> Option<Field> {
        match self {
            Self::Indexed { uri, .. } => Field::of_entry(uri),
            Self::Field(_) | Self::Extended(_) => None,
        }
    }

    /// An entry of a dictionary.
    pub fn indexed(uri: impl Into<String>, index: impl Into<String>) -> Self {
        Self::Indexed { uri: uri.into(), index: index.into() }
    }
}

impl From<Field> for PropertyPath {
    fn from(field: Field) -> Self {
        Self::Field(field)
    }
}

impl From<ExtendedProperty> for PropertyPath {
    fn from(property: ExtendedProperty) -> Self {
        Self::Extended(property)
    }
}

/// A MAPI property by tag, or by name or number within a property set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtendedProperty {
    /// Which property, in which set.
    pub name: ExtendedName,
    /// The `PropertyType`, as `String`, `Integer`, `SystemTime`, `StringArray` …
    pub kind: String,
}

/// How a MAPI property is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtendedName {
    /// By its tag; `0xe23`, `0x0E23` and `3619` are one.
    Tag(u16),
    /// By a name in a property set.
    Named {
        /// A distinguished set's name or a GUID in lower case.
        set: String,
        /// The name.
        name: String,
    },
    /// By a number in a property set.
    Numbered {
        /// A distinguished set's name or a GUID in lower case.
        set: String,
        /// The number.
        id: u32,
    },
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Plain text, also enumerations such as `Importance`.
    Text(String),
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// A point in time.
    Time(WallTime),
    /// Bytes, on the wire in Base64 (`MimeContent`, binary MAPI properties).
    Bytes(Vec<u8>),
    /// A body with its kind.
    Body(Body),
    /// One person.
    Mailbox(Mailbox),
    /// Several persons.
    Mailboxes(Vec<Mailbox>),
    /// Attendees of a meeting.
    Attendees(Vec<Attendee>),
    /// Several texts (`Categories`, `StringArray`).
    Texts(Vec<String>),
    /// Names with values (`InternetMessageHeaders`).
    Pairs(Vec<(String, String)>),
    /// The identifier of an item.
    ItemId(ItemId),
    /// The identifier of a folder.
    FolderId(FolderId),
    /// Anything this crate carries without looking inside (recurrences, time zones, attachments …).
    Xml(Element),
}

/// A message body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// `HTML` rather than `Text`.
    pub html: bool,
    /// The text.
    pub text: String,
}

/// A person with an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// The name to show.
    pub name: Option<String>,
    /// The address.
    pub address: Option<String>,
    /// `SMTP` where absent, or `EX`.
    pub routing: Option<String>,
    /// `Mailbox`, `Contact`, `OneOff` …
    pub kind: Option<String>,
}

/// A person invited to a meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attendee {
    /// Who.
    pub mailbox: Mailbox,
    /// `Accept`, `Tentative`, `Decline`, `NoResponseReceived` …
    pub response: Option<String>,
    /// When the answer came.
    pub responded_at: Option<WallTime>,
}

/// The identifier of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemId {
    /// The opaque name.
    pub id: String,
    /// The version; some clients leave it out.
    pub change_key: Option<String>,
}

/// The identifier of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderId {
    /// The opaque name.
    pub id: String,
    /// The version.
    pub change_key: Option<String>,
}

/// How a request names a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderRef {
    /// By its identifier.
    Id(FolderId),
    /// By a well-known name, perhaps in somebody else's mailbox.
    Distinguished {
        /// As `inbox`, `msgfolderroot`; unknown names are the mailbox server's to refuse.
        name: String,
        /// Whose folder; the caller's where absent.
        mailbox: Option<String>,
    },
}

/// What kind of thing an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// `Item`, where nothing more is known.
    Item,
    /// `Message`.
    Message,
    /// `CalendarItem`.
    CalendarItem,
    /// `Contact`.
    Contact,
    /// `DistributionList`.
    DistributionList,
    /// `Task`.
    Task,
    /// `PostItem`.
    PostItem,
    /// `MeetingMessage`.
    MeetingMessage,
    /// `MeetingRequest`.
    MeetingRequest,
    /// `MeetingResponse`.
    MeetingResponse,
    /// `MeetingCancellation`.
    MeetingCancellation,
}

impl ItemKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Item,
        Self::Message,
        Self::CalendarItem,
        Self::Contact,
        Self::DistributionList,
        Self::Task,
        Self::PostItem,
        Self::MeetingMessage,
        Self::MeetingRequest,
        Self::MeetingResponse,
        Self::MeetingCancellation,
    ];

    /// The local name of its element: `CalendarItem`.
    pub const fn element(self) -> &'static str {
        match self {
            Self::Item => "Item",
            Self::Message => "Message",
            Self::CalendarItem => "CalendarItem",
            Self::Contact => "Contact",
            Self::DistributionList => "DistributionList",
            Self::Task => "Task",
            Self::PostItem => "PostItem",
            Self::MeetingMessage => "MeetingMessage",
            Self::MeetingRequest => "MeetingRequest",
            Self::MeetingResponse => "MeetingResponse",
            Self::MeetingCancellation => "MeetingCancellation",
        }
    }

    /// The kind whose element has that local name.
    pub fn from_element(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.element() == name)
    }
}

/// An item with the properties that were asked for or sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// What is known of it.
    pub properties: Properties,
}

/// What kind of things a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FolderKind {
    /// `Folder`: mail and everything else.
    Folder,
    /// `CalendarFolder`.
    CalendarFolder,
    /// `ContactsFolder`.
    ContactsFolder,
    /// `TasksFolder`.
    TasksFolder,
    /// `SearchFolder`.
    SearchFolder,
}

impl FolderKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Folder, Self::CalendarFolder, Self::ContactsFolder, Self::TasksFolder, Self::SearchFolder];

    /// The local name of its element: `CalendarFolder`.
    pub const fn element(self) -> &'static str {
        match self {
            Self::Folder => "Folder",
            Self::CalendarFolder => "CalendarFolder",
            Self::ContactsFolder => "ContactsFolder",
            Self::TasksFolder => "TasksFolder",
            Self::SearchFolder => "SearchFolder",
        }
    }

    /// The kind whose element has that local name.
    pub fn from_element(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.element() == name)
    }
}

/// A folder with the properties that were asked for or sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// What it is.
    pub kind: FolderKind,
    /// What is known of it.
    pub properties: Properties,
}
