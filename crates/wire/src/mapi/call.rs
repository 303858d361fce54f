//! ROPs as clients send them, each with its fields (MS-OXCROPS, sections 2.2.3 to 2.2.15).
//!
//! Those that a mailbox needs are typed; all others stay bytes, so that a server can say that it does not know them.
//! Handles are places in the table that stands behind the list of ROPs: `input` names what a ROP acts on, `output`
//! where the handle of what it opens is to go. [`Rops`](super::rop::Rops) finds where each ends.
//!
//! ```
//! use weir_wire::mapi::call::folder::OpenFolder;
//! use weir_wire::mapi::rop::{Logons, NO_HANDLE, RopBuffer};
//! use weir_wire::mapi::{Call, ErrorCode, Reply};
//!
//! // A client opens a folder: from the handle in the first place, into the second.
//! let call = Call::from(OpenFolder { input: 0, output: 1, folder: 0x0D00_0000_0000_0001, mode: 0 });
//! let (mut list, mut payload) = (Vec::new(), Vec::new());
//! call.write(0, &mut list);
//! RopBuffer::write(&list, [7, NO_HANDLE].into_iter(), &mut payload);
//!
//! // A server reads that, and has no such folder.
//! let mut answer = Vec::new();
//! for rop in RopBuffer::read(&payload)?.rops(Logons::default()) {
//!     Reply::failed(&Call::read(&rop?)?, ErrorCode::NOT_FOUND).write(&mut answer);
//! }
//!
//! // The client knows what it asked.
//! let (reply, rest) = Reply::read(&answer, &call, &[])?;
//! assert_eq!(reply, Reply::failed(&call, ErrorCode::NOT_FOUND));
//! assert!(rest.is_empty());
//! # Ok::<(), weir_wire::mapi::Malformed>(())
//! ```

pub mod folder;
pub mod logon;
pub mod message;
pub mod notification;
pub mod property;
pub mod stream;
pub mod table;
#[cfg(test)]
pub(super) mod tests;

use super::Malformed;
use super::codec::{Codec, Plain};
use super::property::PropertyTag;
use super::reader::Reader;
use super::rop::{Rop, RopId};

/// Declares the ROPs that are typed: the identifier, the structure, and the field with the place that its answer names.
macro_rules! calls {
    ($( $id:literal $name:ident in $module:ident, answered at $place:ident; )*) => {
        /// A ROP that a client sends.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Call {
            $(
                #[doc = concat!("`Rop", stringify!($name), "`.")]
                $name($module::$name),
            )*
            /// Any other.
            Other(Other),
        }

        impl Call {
            /// What it is.
            pub const fn rop(&self) -> RopId {
                match self {
                    $( Self::$name(_) => RopId($id), )*
                    Self::Other(other) => other.rop,
                }
            }

            /// The place in the table of handles that its answer names.
            pub fn answered_at(&self) -> u8 {
                match self {
                    $( Self::$name(call) => call.$place, )*
                    Self::Other(other) => other.answered_at(),
                }
            }

            fn read_fields(rop: RopId, reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                Ok(match rop.0 {
                    $( $id => Self::$name(Plain::read(reader, concat!("Rop", stringify!($name)))?), )*
                    _ => Self::Other(Other {
                        rop,
                        handle: reader.u8("a ROP")?,
                        fields: reader.bytes(reader.rest().len(), "a ROP")?.to_vec(),
                    }),
                })
            }

            fn write_fields(&self, list: &mut Vec<u8>) {
                match self {
                    $( Self::$name(call) => Plain::write(call, list), )*
                    Self::Other(other) => {
                        list.push(other.handle);
                        list.extend(&other.fields);
                    }
                }
            }
        }

        $(
            impl From<$module::$name> for Call {
                fn from(call: $module::$name) -> Self {
                    Self::$name(call)
                }
            }
        )*
    };
}

calls! {
    0x01 Release in logon, answered at input;
    0x02 OpenFolder in folder, answered at output;
    0x03 OpenMessage in message, answered at output;
    0x04 GetHierarchyTable in folder, answered at output;
    0x05 GetContentsTable in folder, answered at output;
    0x06 CreateMessage in message, answered at output;
    0x07 GetPropertiesSpecific in property, answered at input;
    0x08 GetPropertiesAll in property, answered at input;
    0x09 GetPropertiesList in property, answered at input;
    0x0A SetProperties in property, answered at input;
    0x0B DeleteProperties in property, answered at input;
    0x0C SaveChangesMessage in message, answered at response;
    0x0E ModifyRecipients in message, answered at input;
    0x0F ReadRecipients in message, answered at input;
    0x10 ReloadCachedInformation in message, answered at input;
    0x11 SetMessageReadFlag in message, answered at response;
    0x12 SetColumns in table, answered at input;
    0x13 SortTable in table, answered at input;
    0x14 Restrict in table, answered at input;
    0x15 QueryRows in table, answered at input;
    0x16 GetStatus in table, answered at input;
    0x17 QueryPosition in table, answered at input;
    0x18 SeekRow in table, answered at input;
    0x1C CreateFolder in folder, answered at output;
    0x1D DeleteFolder in folder, answered at input;
    0x1E DeleteMessages in folder, answered at input;
    0x27 GetReceiveFolder in folder, answered at input;
    0x29 RegisterNotification in notification, answered at output;
    0x2B OpenStream in stream, answered at output;
    0x2C ReadStream in stream, answered at input;
    0x2D WriteStream in stream, answered at input;
    0x2E SeekStream in stream, answered at input;
    0x2F SetStreamSize in stream, answered at input;
    0x32 SubmitMessage in message, answered at input;
    0x33 MoveCopyMessages in folder, answered at input;
    0x43 LongTermIdFromId in property, answered at input;
    0x44 IdFromLongTermId in property, answered at input;
    0x55 GetNamesFromPropertyIds in property, answered at input;
    0x56 GetPropertyIdsFromNames in property, answered at input;
    0x58 EmptyFolder in folder, answered at input;
    0x5D CommitStream in stream, answered at input;
    0x5E GetStreamSize in stream, answered at input;
    0x66 SetReadFlags in folder, answered at input;
    0x81 ResetTable in table, answered at input;
    0x91 HardDeleteMessages in folder, answered at input;
    0xFE Logon in logon, answered at output;
}

impl Call {
    /// Reads a ROP.
    ///
    /// # Errors
    ///
    /// A ROP whose fields are not what they must be.
    pub fn read(rop: &Rop<'_>) -> Result<Self, Malformed> {
        let mut reader = Reader::new(rop.bytes);
        // What it is, and the logon.
        reader.skip(2, 1, "a ROP")?;
        let call = Self::read_fields(rop.id, &mut reader)?;
        reader.end("a ROP")?;
        Ok(call)
    }

    /// Appends it to a list of ROPs, for that logon.
    pub fn write(&self, logon: u8, list: &mut Vec<u8>) {
        list.extend([self.rop().0, logon]);
        self.write_fields(list);
    }

    /// Whether it has an answer: all have, but the one that forgets a handle.
    pub fn is_answered(&self) -> bool {
        self.rop() != RopId::RELEASE
    }

    /// The columns of the row that answers it, where it names them itself.
    pub(super) fn columns(&self) -> Option<&[PropertyTag]> {
        if let Self::GetPropertiesSpecific(call) = self { Some(&call.tags) } else { None }
    }
}

/// A ROP that is not typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// What it is.
    pub rop: RopId,
    /// The first place that it names.
    pub handle: u8,
    /// All that follows, as it was sent.
    pub fields: Vec<u8>,
}

/// The ROPs among the others that open something: their answers name the second place.
#[rustfmt::skip]
const OPENING: [u8; 16] = [
    0x21, 0x22, 0x23, 0x3B, 0x3E, 0x3F, 0x46, 0x4B, 0x4C, 0x4D, 0x53, 0x69, 0x70, 0x72, 0x7E, 0x82,
];

impl Other {
    /// The place in the table of handles that its answer names.
    pub fn answered_at(&self) -> u8 {
        let second = self.fields.first().filter(|_| OPENING.contains(&self.rop.0));
        second.copied().unwrap_or(self.handle)
    }
}
