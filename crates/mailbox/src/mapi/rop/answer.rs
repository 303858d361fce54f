//! Each ROP and its answer.

use weir_wire::mapi::call::Call;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::reply::folder::Completion;
use weir_wire::mapi::reply::table::TableStatus;
use weir_wire::mapi::reply::{
    Reply, Success, folder as of_folder, message as of_message, property as of_property, stream as of_stream,
};

use super::{
    Done, Work, folder, identifier, logon, message, names, notify, property, recipient, stream, table,
    transfer,
};

/// Carries out a ROP of that logon; gives its answer, where it has one.
///
/// # Errors
/// Where the answer has no room.
pub(in crate::mapi) fn answer(work: &mut Work<'_>, id: u8, call: &Call) -> Result<Option<Reply>, NoRoom> {
    if let Call::Release(call) = call {
        logon::release(work, call.input);
        return Ok(None);
    }
    match carry_out(work, id, call) {
        Ok(success) => Ok(Some(Reply::done(call, success))),
        Err(ErrorCode::BUFFER_TOO_SMALL) => Err(NoRoom),
        Err(code) => Ok(Some(Reply::failed(call, code))),
    }
}

/// There is no room for an answer, and nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mapi) struct NoRoom;

#[expect(clippy::too_many_lines, reason = "one line a ROP")]
fn carry_out(work: &mut Work<'_>, id: u8, call: &Call) -> Done<Success> {
    match call {
        Call::Logon(call) => logon::logon(work, id, call).map(Success::Logon),
        Call::OpenFolder(call) => {
            folder::open(work, call)?;
            Ok(Success::OpenFolder(of_folder::OpenFolder::default()))
        }
        Call::CreateFolder(call) => folder::create(work, call).map(Success::CreateFolder),
        Call::DeleteFolder(call) => {
            folder::delete(work, call)?;
            Ok(Success::DeleteFolder(Completion { partial: false }))
        }
        Call::EmptyFolder(call) => {
            folder::empty(work, call)?;
            Ok(Success::EmptyFolder(Completion { partial: false }))
        }
        Call::GetReceiveFolder(call) => folder::receiver(work, call).map(Success::GetReceiveFolder),
        Call::GetHierarchyTable(call) => table::folders(work, call).map(Success::GetHierarchyTable),
        Call::GetContentsTable(call) => table::messages(work, call).map(Success::GetContentsTable),
        Call::SetColumns(call) => table::set_columns(work, call).map(|()| Success::SetColumns(COMPLETE)),
        Call::SortTable(call) => table::sort(work, call).map(|()| Success::SortTable(COMPLETE)),
        Call::Restrict(call) => table::restrict(work, call).map(|()| Success::Restrict(COMPLETE)),
        Call::ResetTable(call) => table::reset(work, call.input).map(|()| Success::ResetTable),
        Call::GetStatus(call) => work.table(call.input).map(|_| Success::GetStatus(COMPLETE)),
        Call::QueryRows(call) => table::query_rows(work, call).map(Success::QueryRows),
        Call::QueryPosition(call) => table::position(work, call.input).map(Success::QueryPosition),
        Call::SeekRow(call) => table::seek(work, call).map(Success::SeekRow),
        Call::OpenMessage(call) => message::open(work, call).map(Success::OpenMessage),
        Call::ReloadCachedInformation(call) => {
            message::reload(work, call.input).map(Success::ReloadCachedInformation)
        }
        Call::CreateMessage(call) => {
            message::create(work, call)?;
            Ok(Success::CreateMessage(of_message::CreateMessage::default()))
        }
        Call::SaveChangesMessage(call) => {
            let message = message::save(work, call)?;
            Ok(Success::SaveChangesMessage(of_message::SaveChangesMessage { input: call.input, message }))
        }
        Call::SetMessageReadFlag(call) => {
            message::set_read(work, call)?;
            Ok(Success::SetMessageReadFlag(of_message::SetMessageReadFlag::default()))
        }
        Call::SubmitMessage(call) => message::submit(work, call.input).map(|()| Success::SubmitMessage),
        Call::ModifyRecipients(call) => {
            recipient::modify(work, call.input, &call.recipients).map(|()| Success::ModifyRecipients)
        }
        Call::ReadRecipients(call) => recipient::read(work, call).map(Success::ReadRecipients),
        Call::GetPropertiesSpecific(call) => {
            property::specific(work, call).map(Success::GetPropertiesSpecific)
        }
        Call::GetPropertiesAll(call) => {
            let values = property::all(work, call)?;
            Ok(Success::GetPropertiesAll(of_property::GetPropertiesAll { values }))
        }
        Call::GetPropertiesList(call) => {
            let tags = property::list(work, call.input)?;
            Ok(Success::GetPropertiesList(of_property::GetPropertiesList { tags }))
        }
        Call::SetProperties(call) => {
            property::set(work, call.input, &call.values).map(Success::SetProperties)
        }
        Call::DeleteProperties(call) => {
            property::delete(work, call.input, &call.tags).map(Success::DeleteProperties)
        }
        Call::GetNamesFromPropertyIds(call) => {
            let names = names::names(work, call.input, &call.ids)?;
            Ok(Success::GetNamesFromPropertyIds(of_property::GetNamesFromPropertyIds { names }))
        }
        Call::GetPropertyIdsFromNames(call) => {
            let ids = names::ids(work, call)?;
            Ok(Success::GetPropertyIdsFromNames(of_property::GetPropertyIdsFromNames { ids }))
        }
        Call::LongTermIdFromId(call) => identifier::long(work, call).map(Success::LongTermIdFromId),
        Call::IdFromLongTermId(call) => identifier::short(work, call).map(Success::IdFromLongTermId),
        Call::OpenStream(call) => {
            let size = stream::open(work, call)?;
            Ok(Success::OpenStream(of_stream::StreamSize { size }))
        }
        Call::ReadStream(call) => {
            let data = stream::read(work, call.input, call.count)?;
            Ok(Success::ReadStream(of_stream::ReadStream { data }))
        }
        Call::WriteStream(call) => stream::write(work, call.input, &call.data).map(Success::WriteStream),
        Call::SeekStream(call) => {
            let position = stream::seek(work, call)?;
            Ok(Success::SeekStream(of_stream::SeekStream { position }))
        }
        Call::SetStreamSize(call) => {
            stream::set_size(work, call.input, call.size).map(|()| Success::SetStreamSize)
        }
        Call::GetStreamSize(call) => {
            let size = stream::size(work, call.input)?;
            Ok(Success::GetStreamSize(of_stream::StreamSize { size }))
        }
        Call::CommitStream(call) => stream::commit(work, call.input).map(|()| Success::CommitStream),
        Call::DeleteMessages(call) => {
            let partial = transfer::delete(work, call.input, &call.messages, false)?;
            Ok(Success::DeleteMessages(Completion { partial }))
        }
        Call::HardDeleteMessages(call) => {
            let partial = transfer::delete(work, call.input, &call.messages, true)?;
            Ok(Success::HardDeleteMessages(Completion { partial }))
        }
        Call::MoveCopyMessages(call) => {
            let partial = transfer::move_or_copy(work, call)?;
            Ok(Success::MoveCopyMessages(Completion { partial }))
        }
        Call::SetReadFlags(call) => {
            let partial = transfer::set_read(work, call)?;
            Ok(Success::SetReadFlags(Completion { partial }))
        }
        Call::RegisterNotification(call) => {
            notify::register(work, call).map(|()| Success::RegisterNotification)
        }
        Call::Release(_) | Call::Other(_) => Err(ErrorCode::NOT_SUPPORTED),
    }
}

/// Tables are never busy: what is asked of one is done when it is answered.
const COMPLETE: TableStatus = TableStatus { status: TableStatus::COMPLETE };
