//! Tags that folder lists, message lists, messages, recipients and attachments are asked for (MS-OXPROPS).
//!
//! Each has the name that the documents give it, without what it begins with there. Where a property has two types the
//! second has a tag of its own.

use super::{PropertyTag, PropertyType};

/// Declares tags.
macro_rules! tags {
    ($( $name:ident = $id:literal $kind:ident $doc:literal; )*) => {
        $( #[doc = $doc] pub const $name: PropertyTag = PropertyTag::new($id, PropertyType::$kind); )*
    };
}

// What everything has.
tags! {
    ENTRY_ID = 0x0FFF BINARY "Where it is to be found.";
    RECORD_KEY = 0x0FF9 BINARY "What tells it from everything else in the mailbox.";
    INSTANCE_KEY = 0x0FF6 BINARY "What tells a row from the others of a table.";
    SEARCH_KEY = 0x300B BINARY "What copies of it have in common.";
    OBJECT_TYPE = 0x0FFE INTEGER32 "Whether it is a folder, a message or something else.";
    ACCESS = 0x0FF4 INTEGER32 "What the user may do with it.";
    ACCESS_LEVEL = 0x0FF7 INTEGER32 "Whether it was opened to be changed.";
    CREATION_TIME = 0x3007 TIME "When it was made.";
    LAST_MODIFICATION_TIME = 0x3008 TIME "When it was last changed.";
    LAST_MODIFIER_NAME = 0x3FFA UNICODE "Who last changed it.";
    SOURCE_KEY = 0x65E0 BINARY "What names it to whoever keeps a copy of the mailbox.";
    PARENT_SOURCE_KEY = 0x65E1 BINARY "What names its folder to whoever keeps a copy.";
    CHANGE_KEY = 0x65E2 BINARY "What names its last change.";
    PREDECESSOR_CHANGE_LIST = 0x65E3 BINARY "What names its earlier changes.";
    CHANGE_NUMBER = 0x67A4 INTEGER64 "The number of its last change.";
    PARENT_ENTRY_ID = 0x0E09 BINARY "Where its folder is to be found.";
    PARENT_FOLDER_ID = 0x6749 INTEGER64 "The identifier of its folder.";
    STORE_ENTRY_ID = 0x0FFB BINARY "Where its mailbox is to be found.";
    STORE_RECORD_KEY = 0x0FFA BINARY "What tells its mailbox from all others.";
    MAPPING_SIGNATURE = 0x0FF8 BINARY "Which mailbox numbers its named properties.";
    DISPLAY_NAME = 0x3001 UNICODE "Its name.";
    COMMENT = 0x3004 UNICODE "What somebody wrote about it.";
}

// What rows of tables have beside.
tags! {
    ROW_ID = 0x3000 INTEGER32 "The number of a row.";
    ROW_TYPE = 0x0FF5 INTEGER32 "Whether a row is a heading.";
    DEPTH = 0x3005 INTEGER32 "How deep a row stands.";
    INST_ID = 0x674D INTEGER64 "What a row stands for.";
    INSTANCE_NUM = 0x674E INTEGER32 "Which of several rows for the same it is.";
}

// Folders.
tags! {
    FOLDER_ID = 0x6748 INTEGER64 "The identifier of a folder.";
    FOLDER_TYPE = 0x3601 INTEGER32 "Whether a folder is the root, an ordinary one, or a search.";
    CONTENT_COUNT = 0x3602 INTEGER32 "How many messages a folder has.";
    CONTENT_UNREAD_COUNT = 0x3603 INTEGER32 "How many messages of a folder are unread.";
    ASSOCIATED_CONTENT_COUNT = 0x3617 INTEGER32 "How many hidden messages a folder has.";
    SUBFOLDERS = 0x360A BOOLEAN "Whether a folder has folders.";
    CONTAINER_CLASS = 0x3613 UNICODE "What a folder is for.";
    CONTAINER_HIERARCHY = 0x360E OBJECT "The folders of a folder.";
    CONTAINER_CONTENTS = 0x360F OBJECT "The messages of a folder.";
    DEFAULT_POST_MESSAGE_CLASS = 0x36E5 UNICODE "The class of messages that are made in a folder.";
    ATTRIBUTE_HIDDEN = 0x10F4 BOOLEAN "Whether a folder is not shown.";
    DELETED_COUNT_TOTAL = 0x670B INTEGER32 "How many messages were deleted from a folder.";
    HIERARCHY_CHANGE_NUMBER = 0x663E INTEGER32 "How often the folders of a folder changed.";
    LOCAL_COMMIT_TIME = 0x6709 TIME "When a folder was last changed.";
    LOCAL_COMMIT_TIME_MAX = 0x670A TIME "When the contents of a folder were last changed.";
    RIGHTS = 0x6639 INTEGER32 "What the user may do in a folder.";
    IPM_APPOINTMENT_ENTRY_ID = 0x36D0 BINARY "Where the calendar is to be found.";
    IPM_CONTACT_ENTRY_ID = 0x36D1 BINARY "Where the contacts are to be found.";
    IPM_JOURNAL_ENTRY_ID = 0x36D2 BINARY "Where the journal is to be found.";
    IPM_NOTE_ENTRY_ID = 0x36D3 BINARY "Where the notes are to be found.";
    IPM_TASK_ENTRY_ID = 0x36D4 BINARY "Where the tasks are to be found.";
    IPM_DRAFTS_ENTRY_ID = 0x36D7 BINARY "Where the drafts are to be found.";
}

// The mailbox itself.
tags! {
    USER_ENTRY_ID = 0x6619 BINARY "Where the user is to be found.";
    MAILBOX_OWNER_ENTRY_ID = 0x661B BINARY "Where the mailbox's owner is to be found.";
    MAILBOX_OWNER_NAME = 0x661C UNICODE "The name of the mailbox's owner.";
    STORE_SUPPORT_MASK = 0x340D INTEGER32 "What the mailbox can do.";
    PROHIBIT_RECEIVE_QUOTA = 0x666A INTEGER32 "The size from which the mailbox receives nothing, in KiB.";
    PROHIBIT_SEND_QUOTA = 0x666E INTEGER32 "The size from which the user sends nothing, in KiB.";
    STORAGE_QUOTA_LIMIT = 0x3FF5 INTEGER32 "The size from which the user is warned, in KiB.";
    MAX_SUBMIT_MESSAGE_SIZE = 0x666D INTEGER32 "The largest message that may be sent, in KiB.";
    LOCALE_ID = 0x66A1 INTEGER32 "The language of the session.";
    CODE_PAGE_ID = 0x66C3 INTEGER32 "The code page of the session.";
    SORT_LOCALE_ID = 0x6705 INTEGER32 "The language by whose rules is sorted.";
}

// Messages.
tags! {
    MID = 0x674A INTEGER64 "The identifier of a message.";
    MESSAGE_CLASS = 0x001A UNICODE "What kind of message it is.";
    SUBJECT = 0x0037 UNICODE "The subject, prefix and all.";
    SUBJECT_PREFIX = 0x003D UNICODE "What stands before the subject, such as `Re: `.";
    NORMALIZED_SUBJECT = 0x0E1D UNICODE "The subject without its prefix.";
    CONVERSATION_TOPIC = 0x0070 UNICODE "The subject of the first message of a conversation.";
    CONVERSATION_INDEX = 0x0071 BINARY "The place of a message in its conversation.";
    CONVERSATION_ID = 0x3013 BINARY "What the messages of a conversation have in common.";
    IMPORTANCE = 0x0017 INTEGER32 "How important it is: 0, 1 or 2.";
    PRIORITY = 0x0026 INTEGER32 "How urgent it is: −1, 0 or 1.";
    SENSITIVITY = 0x0036 INTEGER32 "How private it is: 0 to 3.";
    MESSAGE_FLAGS = 0x0E07 INTEGER32 "Whether it is read, unsent, has attachments, and more.";
    MESSAGE_STATUS = 0x0E17 INTEGER32 "How a client shows it.";
    MESSAGE_SIZE = 0x0E08 INTEGER32 "How many bytes it has.";
    MESSAGE_SIZE_EXTENDED = 0x0E08 INTEGER64 "How many bytes it has, however many.";
    MESSAGE_DELIVERY_TIME = 0x0E06 TIME "When it arrived.";
    CLIENT_SUBMIT_TIME = 0x0039 TIME "When it was sent.";
    HAS_ATTACHMENTS = 0x0E1B BOOLEAN "Whether it has attachments.";
    READ = 0x0E69 BOOLEAN "Whether it is read.";
    ASSOCIATED = 0x67AA BOOLEAN "Whether it is one of the folder's hidden messages.";
    DISPLAY_TO = 0x0E04 UNICODE "Whom it is to.";
    DISPLAY_CC = 0x0E03 UNICODE "Who gets a copy.";
    DISPLAY_BCC = 0x0E02 UNICODE "Who gets a copy that the others do not see.";
    SENDER_NAME = 0x0C1A UNICODE "The name of who sent it.";
    SENDER_ADDRESS_TYPE = 0x0C1E UNICODE "The kind of the sender's address.";
    SENDER_EMAIL_ADDRESS = 0x0C1F UNICODE "The sender's address.";
    SENDER_SMTP_ADDRESS = 0x5D01 UNICODE "The sender's Internet address.";
    SENDER_ENTRY_ID = 0x0C19 BINARY "Where the sender is to be found.";
    SENDER_SEARCH_KEY = 0x0C1D BINARY "What to compare senders by.";
    SENT_REPRESENTING_NAME = 0x0042 UNICODE "The name of whom it is from.";
    SENT_REPRESENTING_ADDRESS_TYPE = 0x0064 UNICODE "The kind of the author's address.";
    SENT_REPRESENTING_EMAIL_ADDRESS = 0x0065 UNICODE "The author's address.";
    SENT_REPRESENTING_SMTP_ADDRESS = 0x5D02 UNICODE "The author's Internet address.";
    SENT_REPRESENTING_ENTRY_ID = 0x0041 BINARY "Where the author is to be found.";
    RECEIVED_BY_NAME = 0x0040 UNICODE "The name of who received it.";
    RECEIVED_BY_EMAIL_ADDRESS = 0x0076 UNICODE "The address of who received it.";
    BODY = 0x1000 UNICODE "The text.";
    HTML = 0x1013 BINARY "The text as HTML, in the code page that it names.";
    BODY_HTML = 0x1013 UNICODE "The text as HTML.";
    RTF_COMPRESSED = 0x1009 BINARY "The text as RTF, compressed.";
    RTF_IN_SYNC = 0x0E1F BOOLEAN "Whether the RTF says what the text says.";
    NATIVE_BODY = 0x1016 INTEGER32 "In which form the text was sent.";
    INTERNET_CODEPAGE = 0x3FDE INTEGER32 "The code page of the text.";
    MESSAGE_CODEPAGE = 0x3FFD INTEGER32 "The code page of the other texts.";
    MESSAGE_LOCALE_ID = 0x3FF1 INTEGER32 "The language of its author.";
    TRANSPORT_MESSAGE_HEADERS = 0x007D UNICODE "The headers with which it came.";
    INTERNET_MESSAGE_ID = 0x1035 UNICODE "Its `Message-ID`.";
    INTERNET_REFERENCES = 0x1039 UNICODE "Its `References`.";
    IN_REPLY_TO_ID = 0x1042 UNICODE "Its `In-Reply-To`.";
    ICON_INDEX = 0x1080 INTEGER32 "With which icon it is shown.";
    LAST_VERB_EXECUTED = 0x1081 INTEGER32 "What was last done with it.";
    LAST_VERB_EXECUTION_TIME = 0x1082 TIME "When that was done.";
    FLAG_STATUS = 0x1090 INTEGER32 "Whether it is flagged.";
    FOLLOWUP_ICON = 0x1095 INTEGER32 "With which colour it is flagged.";
    DELETE_AFTER_SUBMIT = 0x0E01 BOOLEAN "Whether it goes away once it is sent.";
    MESSAGE_RECIPIENTS = 0x0E12 OBJECT "Those whom it is to.";
    MESSAGE_ATTACHMENTS = 0x0E13 OBJECT "Its attachments.";
}

// Recipients.
tags! {
    RECIPIENT_TYPE = 0x0C15 INTEGER32 "Whether it is to somebody, or a copy.";
    ADDRESS_TYPE = 0x3002 UNICODE "The kind of an address.";
    EMAIL_ADDRESS = 0x3003 UNICODE "An address.";
    SMTP_ADDRESS = 0x39FE UNICODE "An Internet address.";
    ADDRESS_BOOK_DISPLAY_NAME_PRINTABLE = 0x39FF UNICODE "A name in plain characters.";
    TRANSMITTABLE_DISPLAY_NAME = 0x3A20 UNICODE "A name as it is sent.";
    RESPONSIBILITY = 0x0E0F BOOLEAN "Whether somebody else has taken care of it.";
    DISPLAY_TYPE = 0x3900 INTEGER32 "Whether it is a person, a list or a folder.";
    DISPLAY_TYPE_EX = 0x3905 INTEGER32 "The same in more detail.";
    SEND_RICH_INFO = 0x3A40 BOOLEAN "Whether it understands more than Internet mail.";
    SEND_INTERNET_ENCODING = 0x3A71 INTEGER32 "In which form it wants texts.";
    RECIPIENT_DISPLAY_NAME = 0x5FF6 UNICODE "The name of a recipient.";
    RECIPIENT_ENTRY_ID = 0x5FF7 BINARY "Where a recipient is to be found.";
    RECIPIENT_FLAGS = 0x5FFD INTEGER32 "What a recipient is in a meeting.";
    RECIPIENT_ORDER = 0x5FDF INTEGER32 "The place of a recipient among the others.";
    RECIPIENT_TRACK_STATUS = 0x5FFF INTEGER32 "What a recipient answered.";
}

// Attachments.
tags! {
    ATTACH_NUMBER = 0x0E21 INTEGER32 "The number of an attachment.";
    ATTACH_SIZE = 0x0E20 INTEGER32 "How many bytes it has.";
    ATTACH_METHOD = 0x3705 INTEGER32 "Whether it is a file, a message or something else.";
    ATTACH_FILENAME = 0x3704 UNICODE "The name of its file, in the old form of eight and three.";
    ATTACH_LONG_FILENAME = 0x3707 UNICODE "The name of its file.";
    ATTACH_EXTENSION = 0x3703 UNICODE "The end of the name.";
    ATTACH_MIME_TAG = 0x370E UNICODE "Its `Content-Type`.";
    ATTACH_CONTENT_ID = 0x3712 UNICODE "Its `Content-ID`.";
    ATTACH_DATA_BINARY = 0x3701 BINARY "Its contents.";
    ATTACH_DATA_OBJECT = 0x3701 OBJECT "The message that it is.";
    ATTACH_ENCODING = 0x3702 BINARY "How it is encoded.";
    ATTACH_FLAGS = 0x3714 INTEGER32 "Whether a text shows it.";
    ATTACHMENT_HIDDEN = 0x7FFE BOOLEAN "Whether it is not listed.";
    RENDERING_POSITION = 0x370B INTEGER32 "Where in the text it stands.";
}
