//! Why a ROP, or a cell of a row, has no result (MS-OXCDATA, section 2.4).

#[cfg(test)]
mod tests;

use std::fmt;

use super::Malformed;
use super::codec::{Codec, Plain};
use super::reader::Reader;

/// The value that a ROP returns: 0, or why it failed. Servers have others than the documented ones.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorCode(pub u32);

/// Declares codes and their names.
macro_rules! codes {
    ($( $(#[$meta:meta])* $constant:ident = $number:literal $name:literal; )*) => {
        impl ErrorCode {
            $( $(#[$meta])* pub const $constant: Self = Self($number); )*

            /// The name as the documents have it, if the code is one that is known here.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $( Self::$constant => Some($name), )*
                    Self(_) => None,
                }
            }
        }

        #[cfg(test)]
        const ALL: &[(ErrorCode, &str)] = &[$( (ErrorCode::$constant, $name), )*];
    };
}

codes! {
    /// It went well.
    SUCCESS = 0x0000_0000 "Success";
    /// A part of it did not.
    ERRORS_RETURNED = 0x0004_0380 "ErrorsReturned";
    /// A part of it was not done.
    PARTIAL_COMPLETION = 0x0004_0680 "PartialCompletion";
    /// Something failed that has no code.
    GENERAL_FAILURE = 0x8000_4005 "GeneralFailure";
    /// The caller may not.
    ACCESS_DENIED = 0x8007_0005 "AccessDenied";
    /// There is not enough room for a value, or for anything else.
    NOT_ENOUGH_MEMORY = 0x8007_000E "NotEnoughMemory";
    /// A field says what it cannot say.
    INVALID_PARAMETER = 0x8007_0057 "InvalidParameter";
    /// What is asked is nothing that a stream does.
    STREAM_INVALID_FUNCTION = 0x8003_0001 "StreamInvalidFunction";
    /// The stream was not opened for that.
    STREAM_ACCESS_DENIED = 0x8003_0005 "StreamAccessDenied";
    /// There is no such place in the stream.
    STREAM_SEEK_ERROR = 0x8003_0019 "StreamSeekError";
    /// A field says what it cannot say of a stream.
    STREAM_INVALID_PARAMETER = 0x8003_0057 "StreamInvalidParam";
    /// The stream would grow too long.
    STREAM_SIZE_ERROR = 0x8003_0070 "StreamSizeError";
    /// The server cannot do that.
    NOT_SUPPORTED = 0x8004_0102 "NotSupported";
    /// A flag is not known.
    UNKNOWN_FLAGS = 0x8004_0106 "UnknownFlags";
    /// An entry identifier is none.
    INVALID_ENTRY_ID = 0x8004_0107 "InvalidEntryId";
    /// The object is none of these, or gone.
    INVALID_OBJECT = 0x8004_0108 "InvalidObject";
    /// Somebody else changed the object.
    OBJECT_CHANGED = 0x8004_0109 "ObjectChanged";
    /// Somebody deleted the object.
    OBJECT_DELETED = 0x8004_010A "ObjectDeleted";
    /// The server has no room left.
    OUT_OF_RESOURCES = 0x8004_010E "OutOfResources";
    /// There is no such thing.
    NOT_FOUND = 0x8004_010F "NotFound";
    /// The logon failed.
    LOGON_FAILED = 0x8004_0111 "LogonFailed";
    /// The user has too many sessions.
    TOO_MANY_SESSIONS = 0x8004_0112 "TooManySessions";
    /// A restriction or a sort order is more than the server does.
    TOO_COMPLEX = 0x8004_0117 "TooComplex";
    /// There is no such column.
    INVALID_COLUMN = 0x8004_0118 "InvalidColumn";
    /// The value is computed, and cannot be set.
    COMPUTED_VALUE = 0x8004_011A "ComputedValue";
    /// What is stored cannot be read.
    CORRUPT_DATA = 0x8004_011B "CorruptData";
    /// A value is not one of its type.
    BAD_VALUE = 0x8004_0301 "BadValue";
    /// A property type is none.
    INVALID_TYPE = 0x8004_0302 "InvalidType";
    /// A property type is one that the server does not know.
    TYPE_NOT_SUPPORTED = 0x8004_0303 "TypeNotSupported";
    /// The property has another type.
    UNEXPECTED_TYPE = 0x8004_0304 "UnexpectedType";
    /// It is too big.
    TOO_BIG = 0x8004_0305 "TooBig";
    /// It could not be finished.
    UNABLE_TO_COMPLETE = 0x8004_0400 "UnableToComplete";
    /// It took too long.
    TIMEOUT = 0x8004_0401 "Timeout";
    /// The table has no rows.
    TABLE_EMPTY = 0x8004_0402 "TableEmpty";
    /// The table has too many rows.
    TABLE_TOO_BIG = 0x8004_0403 "TableTooBig";
    /// There is no such bookmark.
    INVALID_BOOKMARK = 0x8004_0405 "InvalidBookmark";
    /// There is something of that name.
    COLLIDING_NAMES = 0x8004_0604 "CollidingNames";
    /// It is not ready: a table without columns, say.
    NOT_INITIALIZED = 0x8004_0605 "NotInitialized";
    /// A message has nobody to go to.
    NO_RECIPIENTS = 0x8004_0607 "NoRecipients";
    /// The message is sent already.
    ALREADY_SENT = 0x8004_0608 "AlreadySent";
    /// The folder has folders.
    HAS_FOLDERS = 0x8004_0609 "HasFolders";
    /// The folder has messages.
    HAS_MESSAGES = 0x8004_060A "HasMessages";
    /// A folder would be in itself.
    FOLDER_CYCLE = 0x8004_060B "FolderCycle";
    /// Two changes contradict each other.
    SYNC_CONFLICT = 0x8004_0802 "SyncConflict";
    /// The parent folder is gone.
    NO_PARENT_FOLDER = 0x8004_0803 "NoParentFolder";
    /// The mailbox has no room for more names of properties.
    NAMED_PROPERTY_QUOTA_EXCEEDED = 0x8004_0900 "NamedPropertyQuotaExceeded";
    /// There is no such ROP here.
    NOT_IMPLEMENTED = 0x8004_0FFF "NotImplemented";
    /// There is no such user.
    UNKNOWN_USER = 0x0000_03EB "UnknownUser";
    /// There is no such code page.
    UNKNOWN_CODE_PAGE = 0x0000_03EF "UnknownCodePage";
    /// The user may not log on to that.
    LOGIN_PERM = 0x0000_03F2 "LoginPerm";
    /// The folder is a search folder, which cannot do that.
    SEARCH_FOLDER = 0x0000_0460 "SearchFolder";
    /// The folder is no search folder, and cannot do that.
    NOT_SEARCH_FOLDER = 0x0000_0461 "NotSearchFolder";
    /// There is no folder for messages of that class.
    NO_RECEIVE_FOLDER = 0x0000_0463 "NoReceiveFolder";
    /// The mailbox is on another server.
    WRONG_SERVER = 0x0000_0478 "WrongServer";
    /// The answer has not enough room.
    BUFFER_TOO_SMALL = 0x0000_047D "BufferTooSmall";
    /// Too many attempts at another server's mailbox.
    SERVER_PAUSED = 0x0000_047F "ServerPaused";
    /// The server is too busy.
    SERVER_BUSY = 0x0000_0480 "ServerBusy";
    /// A ROP is not formed as it should.
    RPC_FORMAT = 0x0000_04B6 "RpcFormat";
    /// A handle names nothing.
    NULL_OBJECT = 0x0000_04B9 "NullObject";
    /// The mailbox is full.
    QUOTA_EXCEEDED = 0x0000_04D9 "QuotaExceeded";
    /// The message is too large to be sent.
    MAX_SUBMISSION_EXCEEDED = 0x0000_04DA "MaxSubmissionExceeded";
    /// The user may not send as that.
    SEND_AS_DENIED = 0x0000_04DC "SendAsDenied";
    /// Too many objects are open.
    MAX_OBJECTS_EXCEEDED = 0x0000_04DE "MaxObjectsExceeded";
    /// The handle of the destination names nothing.
    DESTINATION_NULL_OBJECT = 0x0000_0503 "DestinationNullObject";
    /// A message would be in itself.
    MESSAGE_CYCLE = 0x0000_0504 "MessageCycle";
    /// The message is for too many.
    TOO_MANY_RECIPIENTS = 0x0000_0505 "TooManyRecipients";
    /// The mailbox is switched off.
    MAILBOX_DISABLED = 0x0000_096C "MailboxDisabled";
}

impl ErrorCode {
    /// Whether it says that it went well.
    pub fn is_success(self) -> bool {
        self == Self::SUCCESS
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorCode({self})")
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{:#010x}", self.0),
        }
    }
}

impl Codec<ErrorCode> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<ErrorCode, Malformed> {
        reader.u32(what).map(ErrorCode)
    }

    fn write(value: &ErrorCode, out: &mut Vec<u8>) {
        Self::write(&value.0, out);
    }
}
