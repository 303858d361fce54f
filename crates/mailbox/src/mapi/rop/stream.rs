//! Streams: a property that is too long for an answer, read and written piece by piece (MS-OXCPRPT).

use std::sync::Arc;

use weir_wire::mapi::call::stream::{ByteCount, OpenStream, SeekStream};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::reply::stream::WriteStream;

use super::message::with_draft_of;
use super::{Done, Work, property};
use crate::mapi::objects::Object;
use crate::mapi::stream::{self, From, Stream};

/// Opens a property as a stream. Gives its length.
pub(in crate::mapi) fn open(work: &mut Work<'_>, call: &OpenStream) -> Done<u32> {
    let (from, tag, mode) = (call.input, call.tag, call.mode);
    if !stream::is_streamed(tag.kind()) {
        return Err(ErrorCode::NOT_SUPPORTED);
    }
    let handle = work.handle(from)?;
    let entry = work.entry(from)?;
    let logon = Arc::clone(&entry.logon);
    let is_message = match entry.object {
        Object::Message(_) => true,
        Object::Logon | Object::Folder(_) => false,
        Object::Table(_) | Object::Stream(_) | Object::Subscription => return Err(ErrorCode::NOT_SUPPORTED),
    };
    if mode != OpenStream::READ_ONLY && !is_message {
        return Err(ErrorCode::STREAM_ACCESS_DENIED);
    }
    let bytes = match mode {
        OpenStream::CREATE => Vec::new(),
        _ => stream::to_bytes(property::value_of(work, from, tag)?)?,
    };
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let stream = Stream::new(tag, bytes, (mode != OpenStream::READ_ONLY).then_some(handle));
    work.open(call.output, logon, Object::Stream(Box::new(stream)))?;
    Ok(length)
}

/// Takes at most `max` bytes, and no more than there is room for.
pub(in crate::mapi) fn read(work: &mut Work<'_>, from: u8, count: ByteCount) -> Done<Vec<u8>> {
    let max = usize::try_from(count.bytes()).unwrap_or(usize::MAX);
    let max = max.min(work.room).min(usize::from(u16::MAX));
    Ok(stream(work, from)?.read(max))
}

/// Moves to a place; gives it.
pub(in crate::mapi) fn seek(work: &mut Work<'_>, call: &SeekStream) -> Done<u64> {
    let origin = match call.origin {
        SeekStream::BEGINNING => From::Beginning,
        SeekStream::CURRENT => From::Here,
        SeekStream::END => From::End,
        _ => return Err(ErrorCode::STREAM_INVALID_PARAMETER),
    };
    stream(work, call.input)?.seek(origin, call.offset)
}

/// How long it is.
pub(in crate::mapi) fn size(work: &mut Work<'_>, from: u8) -> Done<u32> {
    Ok(u32::try_from(stream(work, from)?.len()).unwrap_or(u32::MAX))
}

/// Makes it so long.
pub(in crate::mapi) fn set_size(work: &mut Work<'_>, from: u8, size: u64) -> Done<()> {
    let size = usize::try_from(size).map_err(|_| ErrorCode::STREAM_SIZE_ERROR)?;
    check_growth(work, from, size)?;
    stream(work, from)?.set_len(size)
}

/// Writes where it stands.
pub(in crate::mapi) fn write(work: &mut Work<'_>, from: u8, bytes: &[u8]) -> Done<WriteStream> {
    let size = stream(work, from)?.len_after(bytes.len());
    check_growth(work, from, size)?;
    stream(work, from)?.write(bytes)?;
    Ok(WriteStream { written: u16::try_from(bytes.len()).unwrap_or(u16::MAX) })
}

/// Hands what was written to the message.
pub(in crate::mapi) fn commit(work: &mut Work<'_>, from: u8) -> Done<()> {
    stream(work, from)?;
    let handle = work.handle(from)?;
    commit_handle(work, handle)
}

/// Hands what was written to the stream under a handle, if there is one, to its message.
pub(in crate::mapi) fn commit_handle(work: &mut Work<'_>, handle: u32) -> Done<()> {
    let Object::Stream(stream) = &mut work.state.objects.entry(handle)?.object else { return Ok(()) };
    let Some((message, tag, value)) = stream.take_written() else { return Ok(()) };
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    with_draft_of(work, message, bytes.len(), |view, draft| draft.set(view.visit, tag, &value))
}

fn stream<'s>(work: &'s mut Work<'_>, from: u8) -> Done<&'s mut Stream> {
    let Object::Stream(stream) = &mut work.entry(from)?.object else { return Err(ErrorCode::NOT_SUPPORTED) };
    Ok(stream)
}

/// Refuses to let a stream grow beyond what a session may hold, and an item may be.
fn check_growth(work: &mut Work<'_>, from: u8, size: usize) -> Done<()> {
    let more = size.saturating_sub(stream(work, from)?.len());
    // A buffer that grows may take up twice what is in it.
    let fits = more == 0 || size.saturating_mul(2) <= work.state.objects.bytes_left();
    if fits && size <= work.shared.settings.max_item_bytes {
        Ok(())
    } else {
        Err(ErrorCode::STREAM_SIZE_ERROR)
    }
}
