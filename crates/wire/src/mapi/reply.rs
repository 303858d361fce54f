//! What servers answer to ROPs, each with its fields (MS-OXCROPS, sections 2.2.3 to 2.2.15).
//!
//! An answer names its ROP and a handle, and returns a value: 0, or why it failed, which nearly always ends it. Answers
//! stand in the order of their ROPs. Among them stands what was not asked for: that something happened, that the client
//! is to wait, that there was no room.
//!
//! How an answer is to be read depends on its ROP, and for rows on the columns of their table, which are not sent.

pub mod folder;
pub mod logon;
pub mod message;
pub mod notify;
pub mod property;
pub mod stream;
pub mod table;
#[cfg(test)]
mod tests;

use super::Malformed;
use super::call::Call;
use super::codec::{Codec, Plain};
use super::error_code::ErrorCode;
use super::property::PropertyTag;
use super::reader::Reader;
use super::rop::{Backoff, BufferTooSmall, RopId};
use logon::Redirect;
use notify::Notify;

/// One element of the list that answers a list of ROPs.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A ROP was carried out.
    Done {
        /// The place in the table of handles.
        handle: u8,
        /// What it gives.
        success: Success,
    },
    /// A ROP failed.
    Failed {
        /// The ROP.
        rop: RopId,
        /// The place in the table of handles.
        handle: u8,
        /// Why.
        failure: Failure,
    },
    /// Something happened.
    Notify(Notify),
    /// Something happened that does not fit into this answer, or concerns another session.
    Pending {
        /// Which session.
        session: u16,
    },
    /// The client is to wait: the ROPs from here on were not carried out.
    Backoff(Backoff),
    /// There is no room: the ROPs from here on were not carried out.
    BufferTooSmall(BufferTooSmall),
}

/// Why a ROP failed. Beside the code only few answers say more, and only that is sent which they have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// The value that the ROP returns.
    pub code: ErrorCode,
    /// Whether of many things that it was to do some were done and some were not.
    pub partial: bool,
    /// The place where there is no handle, with [`ErrorCode::DESTINATION_NULL_OBJECT`].
    pub destination: u32,
    /// Where the mailbox is, with [`ErrorCode::WRONG_SERVER`].
    pub redirect: Redirect,
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        Self { code, ..Self::default() }
    }
}

/// What gives rows, whose columns are not sent.
trait ByColumns: Sized {
    /// Takes it.
    fn read(columns: &[PropertyTag], reader: &mut Reader<'_>, what: &'static str) -> Result<Self, Malformed>;

    /// Appends it.
    fn write(&self, out: &mut Vec<u8>);
}

/// Declares the answers that are typed: the identifier, the variant and what it holds, which may be nothing, or need
/// columns to be read.
macro_rules! replies {
    (
        $( $id:literal $name:ident($content:ty); )*
        empty: $( $empty_id:literal $empty:ident; )*
        by columns: $( $by_id:literal $by:ident($by_content:ty); )*
    ) => {
        /// What a ROP that was carried out gives.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Success {
            $( #[doc = concat!("Of `Rop", stringify!($name), "`.")] $name($content), )*
            $( #[doc = concat!("Of `Rop", stringify!($empty), "`: nothing.")] $empty, )*
            $( #[doc = concat!("Of `Rop", stringify!($by), "`.")] $by($by_content), )*
            /// Of any other.
            Other {
                /// The ROP.
                rop: RopId,
                /// All that follows the value that it returns.
                fields: Vec<u8>,
            },
        }

        impl Success {
            /// The ROP that was carried out.
            pub const fn rop(&self) -> RopId {
                match self {
                    $( Self::$name(_) => RopId($id), )*
                    $( Self::$empty => RopId($empty_id), )*
                    $( Self::$by(_) => RopId($by_id), )*
                    Self::Other { rop, .. } => *rop,
                }
            }

            fn read(rop: RopId, columns: &[PropertyTag], reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                Ok(match rop.0 {
                    $( $id => Self::$name(Plain::read(reader, concat!("Rop", stringify!($name)))?), )*
                    $( $empty_id => Self::$empty, )*
                    $( $by_id => {
                        Self::$by(ByColumns::read(columns, reader, concat!("Rop", stringify!($by)))?)
                    } )*
                    _ => Self::Other { rop, fields: reader.bytes(reader.rest().len(), ANSWER)?.to_vec() },
                })
            }

            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $( Self::$name(content) => Plain::write(content, out), )*
                    $( Self::$empty => {} )*
                    $( Self::$by(content) => content.write(out), )*
                    Self::Other { fields, .. } => out.extend(fields),
                }
            }
        }
    };
}

replies! {
    0x02 OpenFolder(folder::OpenFolder);
    0x03 OpenMessage(message::OpenMessage);
    0x04 GetHierarchyTable(folder::OpenTable);
    0x05 GetContentsTable(folder::OpenTable);
    0x06 CreateMessage(message::CreateMessage);
    0x08 GetPropertiesAll(property::GetPropertiesAll);
    0x09 GetPropertiesList(property::GetPropertiesList);
    0x0A SetProperties(property::Problems);
    0x0B DeleteProperties(property::Problems);
    0x0C SaveChangesMessage(message::SaveChangesMessage);
    0x10 ReloadCachedInformation(message::OpenMessage);
    0x11 SetMessageReadFlag(message::SetMessageReadFlag);
    0x12 SetColumns(table::TableStatus);
    0x13 SortTable(table::TableStatus);
    0x14 Restrict(table::TableStatus);
    0x16 GetStatus(table::TableStatus);
    0x17 QueryPosition(table::QueryPosition);
    0x18 SeekRow(table::SeekRow);
    0x1C CreateFolder(folder::CreateFolder);
    0x1D DeleteFolder(folder::Completion);
    0x1E DeleteMessages(folder::Completion);
    0x27 GetReceiveFolder(folder::GetReceiveFolder);
    0x2B OpenStream(stream::StreamSize);
    0x2C ReadStream(stream::ReadStream);
    0x2D WriteStream(stream::WriteStream);
    0x2E SeekStream(stream::SeekStream);
    0x33 MoveCopyMessages(folder::Completion);
    0x43 LongTermIdFromId(property::LongTermIdFromId);
    0x44 IdFromLongTermId(property::IdFromLongTermId);
    0x55 GetNamesFromPropertyIds(property::GetNamesFromPropertyIds);
    0x56 GetPropertyIdsFromNames(property::GetPropertyIdsFromNames);
    0x58 EmptyFolder(folder::Completion);
    0x5E GetStreamSize(stream::StreamSize);
    0x66 SetReadFlags(folder::Completion);
    0x91 HardDeleteMessages(folder::Completion);
    0xFE Logon(logon::Logon);
empty:
    0x0E ModifyRecipients;
    0x29 RegisterNotification;
    0x2F SetStreamSize;
    0x32 SubmitMessage;
    0x5D CommitStream;
    0x81 ResetTable;
by columns:
    0x07 GetPropertiesSpecific(property::GetPropertiesSpecific);
    0x0F ReadRecipients(message::ReadRecipients);
    0x15 QueryRows(table::QueryRows);
}

const ANSWER: &str = "the answer to a ROP";

/// The ROPs for many things at once: that they failed they say with [`Failure::partial`].
const PARTIAL: [u8; 9] = [0x1D, 0x1E, 0x33, 0x35, 0x36, 0x58, 0x66, 0x91, 0x92];

/// Those among them that move or copy: one without a destination says so with [`Failure::destination`].
const MOVING: [u8; 3] = [0x33, 0x35, 0x36];

impl Reply {
    /// The answer to a call that was carried out.
    pub fn done(call: &Call, success: Success) -> Self {
        Self::Done { handle: call.answered_at(), success }
    }

    /// The answer to a call that failed.
    pub fn failed(call: &Call, code: ErrorCode) -> Self {
        let destination = if let Call::MoveCopyMessages(call) = call { call.destination.into() } else { 0 };
        let failure = Failure { destination, ..code.into() };
        Self::Failed { rop: call.rop(), handle: call.answered_at(), failure }
    }

    /// Reads the answer that a list begins with, to that call or unasked for, and gives it with what follows. `columns`
    /// are those of the table that the call asks for rows, or of the recipients that it reads.
    ///
    /// # Errors
    ///
    /// What is no such answer.
    pub fn read<'a>(
        list: &'a [u8],
        call: &Call,
        columns: &[PropertyTag],
    ) -> Result<(Self, &'a [u8]), Malformed> {
        if let Some(unasked) = Self::read_unasked(list)? {
            return Ok(unasked);
        }
        let mut reader = Reader::new(list);
        let rop = RopId(reader.u8(ANSWER)?);
        if rop != call.rop() {
            return Err(Malformed::Wrong("the ROP of an answer"));
        }
        let (handle, code) = (reader.u8(ANSWER)?, ErrorCode(reader.u32(ANSWER)?));
        let reply = if code.is_success() {
            let success = Success::read(rop, call.columns().unwrap_or(columns), &mut reader)?;
            Self::Done { handle, success }
        } else {
            Self::Failed { rop, handle, failure: Failure::read(rop, code, &mut reader)? }
        };
        Ok((reply, reader.rest()))
    }

    /// Reads the answer that a list begins with, and gives it with what follows; nothing, where it is one to a ROP.
    ///
    /// # Errors
    ///
    /// What was not asked for, and cannot be read.
    pub fn read_unasked(list: &[u8]) -> Result<Option<(Self, &[u8])>, Malformed> {
        let mut reader = Reader::new(list);
        match reader.u8(ANSWER).map(RopId) {
            Ok(RopId::NOTIFY) => {
                let notify = Plain::read(&mut reader, "RopNotify")?;
                Ok(Some((Self::Notify(notify), reader.rest())))
            }
            Ok(RopId::PENDING) => {
                let session = reader.u16("RopPending")?;
                Ok(Some((Self::Pending { session }, reader.rest())))
            }
            Ok(RopId::BACKOFF) => {
                Ok(Backoff::read(list)?.map(|(backoff, rest)| (Self::Backoff(backoff), rest)))
            }
            Ok(RopId::BUFFER_TOO_SMALL) => {
                Ok(BufferTooSmall::read(list)?.map(|small| (Self::BufferTooSmall(small), &[][..])))
            }
            Ok(RopId(_)) | Err(_) => Ok(None),
        }
    }

    /// Appends it to a list of answers.
    pub fn write(&self, list: &mut Vec<u8>) {
        match self {
            Self::Done { handle, success } => {
                list.extend([success.rop().0, *handle]);
                Plain::write(&ErrorCode::SUCCESS, list);
                success.write(list);
            }
            Self::Failed { rop, handle, failure } => {
                list.extend([rop.0, *handle]);
                failure.write(*rop, list);
            }
            Self::Notify(notify) => {
                list.push(RopId::NOTIFY.0);
                Plain::write(notify, list);
            }
            Self::Pending { session } => {
                list.push(RopId::PENDING.0);
                Plain::write(session, list);
            }
            Self::Backoff(backoff) => backoff.write(list),
            Self::BufferTooSmall(small) => small.write(list),
        }
    }
}

impl Failure {
    fn read(rop: RopId, code: ErrorCode, reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut failure = Self::from(code);
        if MOVING.contains(&rop.0) && code == ErrorCode::DESTINATION_NULL_OBJECT {
            failure.destination = reader.u32(ANSWER)?;
        }
        if PARTIAL.contains(&rop.0) {
            failure.partial = Plain::read(reader, ANSWER)?;
        }
        if rop == RopId::LOGON && code == ErrorCode::WRONG_SERVER {
            failure.redirect = Plain::read(reader, ANSWER)?;
        }
        Ok(failure)
    }

    fn write(&self, rop: RopId, out: &mut Vec<u8>) {
        Plain::write(&self.code, out);
        if MOVING.contains(&rop.0) && self.code == ErrorCode::DESTINATION_NULL_OBJECT {
            Plain::write(&self.destination, out);
        }
        if PARTIAL.contains(&rop.0) {
            Plain::write(&self.partial, out);
        }
        if rop == RopId::LOGON && self.code == ErrorCode::WRONG_SERVER {
            Plain::write(&self.redirect, out);
        }
    }
}
