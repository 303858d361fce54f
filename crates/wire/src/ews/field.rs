//! The fields that have a `FieldURI`.
//!
//! [`Field`] is an index into one table, which says of each field how it is spelled, which kinds of item or folder
//! have it, what its values look like, which basic shapes include it, whether a find may return it (E1) and whether a
//! client may set it. The table's order is the order in which the schema wants the elements of an item, so that
//! comparing fields is ordering them. The module `table` holds the rows and the named constants.

mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use super::property::{FolderKind, ItemKind};
use super::request::BaseShape;
use table::TABLE;

/// A field with a `FieldURI`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field(u16);

/// What the values of a field look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// [`super::property::Value::Text`].
    Text,
    /// [`super::property::Value::Bool`].
    Bool,
    /// [`super::property::Value::Integer`].
    Integer,
    /// [`super::property::Value::Double`].
    Double,
    /// [`super::property::Value::Time`].
    Time,
    /// [`super::property::Value::Bytes`].
    Bytes,
    /// [`super::property::Value::Body`].
    Body,
    /// [`super::property::Value::Mailbox`].
    Mailbox,
    /// [`super::property::Value::Mailboxes`].
    Mailboxes,
    /// [`super::property::Value::Attendees`].
    Attendees,
    /// [`super::property::Value::Texts`].
    Texts,
    /// [`super::property::Value::Pairs`].
    Headers,
    /// A dictionary, whose entries are properties of their own,
    /// [`super::property::PropertyPath::Indexed`] with [`super::property::Value::Text`].
    Dictionary,
    /// [`super::property::Value::ItemId`].
    ItemId,
    /// [`super::property::Value::FolderId`].
    FolderId,
    /// [`super::property::Value::Xml`]: the whole element, in the types namespace.
    Xml,
}

/// A row of the table.
#[derive(Debug)]
struct Spec {
    uri: &'static str,
    kinds: u16,
    value: ValueKind,
    uses: u8,
}

/// What a row says a field may be used for.
mod uses {
    /// In `Default` shapes.
    pub(super) const DEFAULT: u8 = 1;
    /// In `AllProperties` shapes.
    pub(super) const ALL: u8 = 2;
    /// In the results of a find.
    pub(super) const FIND: u8 = 4;
    /// In what clients send.
    pub(super) const SET: u8 = 8;
}

impl Field {
    /// Every field, in the order of writing.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..u16::try_from(TABLE.len()).unwrap_or(u16::MAX)).map(Self)
    }

    /// The field of that `FieldURI`: `item:Subject`.
    pub fn from_uri(uri: &str) -> Option<Self> {
        Self::all().find(|field| field.uri() == uri)
    }

    /// The field whose element within an item of that kind has this local name.
    pub fn of_item(kind: ItemKind, element: &str) -> Option<Self> {
        Self::all().find(|field| field.belongs_to_item(kind) && field.element() == element)
    }

    /// The field whose element within a folder has this local name.
    pub fn of_folder(element: &str) -> Option<Self> {
        Self::all().find(|field| field.belongs_to_folder() && field.element() == element)
    }

    /// The `FieldURI`: `item:Subject`.
    pub fn uri(self) -> &'static str {
        self.spec().uri
    }

    /// The local name of its element: `Subject`.
    pub fn element(self) -> &'static str {
        self.uri().split_once(':').map_or("", |(_, element)| element)
    }

    /// What its values look like.
    pub fn value(self) -> ValueKind {
        self.spec().value
    }

    /// Whether items of that kind have it.
    pub fn belongs_to_item(self, kind: ItemKind) -> bool {
        self.spec().kinds & table::kind_bit(kind) != 0
    }

    /// Whether folders have it.
    pub fn belongs_to_folder(self) -> bool {
        self.spec().kinds & table::FOLDER != 0
    }

    /// Whether a basic shape of an item of `kind` includes it.
    pub fn in_item_shape(self, base: BaseShape, kind: ItemKind) -> bool {
        self.belongs_to_item(kind) && self.in_base(base, Self::ITEM_ID)
    }

    /// Whether a basic shape of a folder of `kind` includes it.
    pub fn in_folder_shape(self, base: BaseShape, kind: FolderKind) -> bool {
        let counted = kind != FolderKind::CalendarFolder && kind != FolderKind::ContactsFolder;
        self.belongs_to_folder()
            && self.in_base(base, Self::FOLDER_ID)
            && (counted || self != Self::FOLDER_UNREAD_COUNT)
    }

    fn in_base(self, base: BaseShape, id: Self) -> bool {
        match base {
            BaseShape::IdOnly => self == id,
            BaseShape::Default => self.may(uses::DEFAULT),
            BaseShape::AllProperties => self.may(uses::ALL),
        }
    }

    /// Whether a find may return it: summaries only, never a body or who is invited (E1).
    pub fn in_find(self) -> bool {
        self.may(uses::FIND)
    }

    /// Whether clients may set it.
    pub fn settable(self) -> bool {
        self.may(uses::SET)
    }

    /// The field that holds the entries of that `FieldURI`: `contacts:EmailAddresses` for `contacts:EmailAddress`.
    pub fn of_entry(uri: &str) -> Option<Self> {
        let street = uri.starts_with("contacts:PhysicalAddress:");
        match uri {
            "contacts:EmailAddress" => Some(Self::CONTACT_EMAIL_ADDRESSES),
            "contacts:PhoneNumber" => Some(Self::CONTACT_PHONE_NUMBERS),
            "contacts:ImAddress" => Some(Self::CONTACT_IM_ADDRESSES),
            "item:InternetMessageHeader" => Some(Self::INTERNET_MESSAGE_HEADERS),
            _ if street => Some(Self::CONTACT_PHYSICAL_ADDRESSES),
            _ => None,
        }
    }

    fn may(self, what: u8) -> bool {
        self.spec().uses & what != 0
    }

    fn spec(self) -> &'static Spec {
        TABLE.get(usize::from(self.0)).expect("fields are made from rows of the table alone")
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.uri())
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.uri())
    }
}
