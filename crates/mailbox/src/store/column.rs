//! The properties of items that have a column of their own.
//!
//! Several names mean one column: `item:Size` and MAPI's 0x0E08, `message:IsRead` and a bit of 0x0E07. Some columns
//! exist only to be searched: the table of properties holds the recipients as people, columns hold them as text.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath};

/// The words of `item:Importance`, by the number stored.
pub(crate) const IMPORTANCE: &[&str] = &["Low", "Normal", "High"];
/// The words of `item:Sensitivity`, by the number stored.
pub(crate) const SENSITIVITY: &[&str] = &["Normal", "Personal", "Private", "Confidential"];

/// The bits of MAPI's message flags that are kept.
pub(crate) mod message_flag {
    /// It was read.
    pub(crate) const READ: i64 = 0x01;
    /// It was not sent yet.
    pub(crate) const UNSENT: i64 = 0x08;
    /// It has attachments.
    pub(crate) const HAS_ATTACHMENTS: i64 = 0x10;
}

/// A column of items, or what SQL makes of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    /// The message class.
    Class,
    /// The subject.
    Subject,
    /// When it was received.
    Received,
    /// When it was sent.
    Sent,
    /// When it was created.
    Created,
    /// When it was changed last.
    Modified,
    /// Bytes.
    Size,
    /// Importance, 0 to 2.
    Importance,
    /// Sensitivity, 0 to 3.
    Sensitivity,
    /// Whether it has attachments.
    HasAttachments,
    /// Names of the recipients.
    DisplayTo,
    /// Names of those who get a copy.
    DisplayCc,
    /// Names of those who get a copy unseen.
    DisplayBcc,
    /// Names and addresses of the recipients; searched only.
    RecipientsTo,
    /// Names and addresses of those who get a copy; searched only.
    RecipientsCc,
    /// Names and addresses of those who get a copy unseen; searched only.
    RecipientsBcc,
    /// Whether it was read.
    IsRead,
    /// Whether it is a draft.
    IsDraft,
    /// Whether it is associated with its folder.
    IsAssociated,
    /// The Internet message identifier.
    MessageId,
    /// Name and address of the author or organizer; searched only.
    Author,
    /// When an appointment starts.
    Starts,
    /// When it ends.
    Ends,
    /// The number within the folder.
    Uid,
    /// The flag's status.
    Flag,
    /// MAPI's message flags.
    MessageFlags,
    /// A contact's name.
    DisplayName,
}

/// How a value of a column looks from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text.
    Text,
    /// A number.
    Integer,
    /// True or false.
    Bool,
    /// A point in time.
    Time,
    /// A number that is written as a word.
    Word(&'static [&'static str]),
    /// Bytes, compared in Base64.
    Bytes,
    /// A number with a fraction.
    Double,
}

impl Column {
    /// The SQL expression over a row of `item`.
    pub(crate) const fn sql(self) -> &'static str {
        match self {
            Self::Class => "item.class",
            Self::Subject => "item.subject",
            Self::Received => "item.received",
            Self::Sent => "item.sent",
            Self::Created => "item.created",
            Self::Modified => "item.modified",
            Self::Size => "item.size",
            Self::Importance => "item.importance",
            Self::Sensitivity => "item.sensitivity",
            Self::HasAttachments => "item.has_attachments",
            Self::DisplayTo => "item.display_to",
            Self::DisplayCc => "item.display_cc",
            Self::DisplayBcc => "item.display_bcc",
            Self::RecipientsTo => "item.recipients_to",
            Self::RecipientsCc => "item.recipients_cc",
            Self::RecipientsBcc => "item.recipients_bcc",
            Self::IsRead => "item.is_read",
            Self::IsDraft => "item.is_draft",
            Self::IsAssociated => "(item.place = 2)",
            Self::MessageId => "item.message_id",
            Self::Author => "item.author",
            Self::Starts => "item.starts",
            Self::Ends => "item.ends",
            Self::Uid => "item.uid",
            Self::Flag => "item.flag",
            Self::MessageFlags => "(item.is_read | (item.is_draft << 3) | (item.has_attachments << 4))",
            Self::DisplayName => "item.display_name",
        }
    }

    /// How its values look where a client names it by a field.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self::Class
            | Self::Subject
            | Self::DisplayTo
            | Self::DisplayCc
            | Self::DisplayBcc
            | Self::RecipientsTo
            | Self::RecipientsCc
            | Self::RecipientsBcc
            | Self::MessageId
            | Self::Author
            | Self::DisplayName => Form::Text,
            Self::Received | Self::Sent | Self::Created | Self::Modified | Self::Starts | Self::Ends => {
                Form::Time
            }
            Self::Size | Self::Uid | Self::Flag | Self::MessageFlags => Form::Integer,
            Self::HasAttachments | Self::IsRead | Self::IsDraft | Self::IsAssociated => Form::Bool,
            Self::Importance => Form::Word(IMPORTANCE),
            Self::Sensitivity => Form::Word(SENSITIVITY),
        }
    }
}

/// The column that shows a property, and in which form; none where the value lies elsewhere.
pub(crate) fn shown(path: &PropertyPath) -> Option<(Column, Form)> {
    match path {
        PropertyPath::Field(field) => shown_field(*field).map(|column| (column, column.form())),
        PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), .. }) => shown_tag(*tag),
        PropertyPath::Extended(_) | PropertyPath::Indexed { .. } => None,
    }
}

/// The column by which a property is searched and sorted, and in which form.
pub(crate) fn searched(path: &PropertyPath) -> Option<(Column, Form)> {
    if let PropertyPath::Field(field) = path {
        let text = match *field {
            Field::FROM | Field::SENDER | Field::ORGANIZER => Some(Column::Author),
            Field::TO_RECIPIENTS | Field::REQUIRED_ATTENDEES => Some(Column::RecipientsTo),
            Field::CC_RECIPIENTS | Field::OPTIONAL_ATTENDEES => Some(Column::RecipientsCc),
            Field::BCC_RECIPIENTS | Field::RESOURCES => Some(Column::RecipientsBcc),
            _ => None,
        };
        if let Some(column) = text {
            return Some((column, Form::Text));
        }
    }
    shown(path)
}

fn shown_field(field: Field) -> Option<Column> {
    Some(match field {
        Field::ITEM_CLASS => Column::Class,
        Field::SUBJECT => Column::Subject,
        Field::DATE_TIME_RECEIVED => Column::Received,
        Field::DATE_TIME_SENT => Column::Sent,
        Field::DATE_TIME_CREATED => Column::Created,
        Field::LAST_MODIFIED_TIME => Column::Modified,
        Field::SIZE => Column::Size,
        Field::IMPORTANCE => Column::Importance,
        Field::SENSITIVITY => Column::Sensitivity,
        Field::HAS_ATTACHMENTS => Column::HasAttachments,
        Field::DISPLAY_TO => Column::DisplayTo,
        Field::DISPLAY_CC => Column::DisplayCc,
        Field::IS_READ => Column::IsRead,
        Field::IS_DRAFT => Column::IsDraft,
        Field::IS_ASSOCIATED => Column::IsAssociated,
        Field::INTERNET_MESSAGE_ID => Column::MessageId,
        Field::START => Column::Starts,
        Field::END => Column::Ends,
        Field::CONTACT_DISPLAY_NAME => Column::DisplayName,
        _ => return None,
    })
}

fn shown_tag(tag: u16) -> Option<(Column, Form)> {
    let column = match tag {
        0x001a => Column::Class,
        0x0037 => Column::Subject,
        0x0039 => Column::Sent,
        0x0e02 => Column::DisplayBcc,
        0x0e03 => Column::DisplayCc,
        0x0e04 => Column::DisplayTo,
        0x0e06 => Column::Received,
        0x0e07 => Column::MessageFlags,
        0x0e08 => Column::Size,
        0x0e1b => Column::HasAttachments,
        0x0e23 => Column::Uid,
        0x0e69 => Column::IsRead,
        0x1035 => Column::MessageId,
        0x1090 => Column::Flag,
        0x3007 => Column::Created,
        0x3008 => Column::Modified,
        0x0017 => return Some((Column::Importance, Form::Integer)),
        0x0036 => return Some((Column::Sensitivity, Form::Integer)),
        _ => return None,
    };
    Some((column, column.form()))
}
