//! Single messages: reading, making and deleting them.

use weir_wire::mapi::call::folder::{DeleteMessages, OpenFolder};
use weir_wire::mapi::call::logon::Release;
use weir_wire::mapi::call::message::{CreateMessage, OpenMessage, SaveChangesMessage};
use weir_wire::mapi::call::property::{GetPropertiesSpecific, SetProperties};
use weir_wire::mapi::call::stream::{ByteCount, OpenStream, ReadStream};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, TaggedValue, tag};
use weir_wire::mapi::reply::Success;
use weir_wire::mapi::row::Cell;

use super::batch::Batch;
use super::cells;
use super::client::{MapiClient, text16};
use super::error::MapiError;
use super::mailbox::Mailbox;
use super::replies;

/// The longest value that is asked for together with others, in bytes; a longer one is read as a stream.
const MAX_VALUE: u16 = 8 * 1024;

/// How much of a stream is read at a time, in bytes.
const PIECE: u32 = 24 * 1024;

/// The longest text of a message that is read, in bytes.
pub const MAX_BODY: usize = 64 * 1024 * 1024;

/// The most messages that one ROP deletes.
const MAX_DELETED: usize = 1000;

/// A message that is open; [`MapiClient::close_message`] closes it.
#[derive(Debug, PartialEq, Eq)]
pub struct OpenedMessage {
    logon: u8,
    place: u8,
    /// The subject, without what stands before it.
    pub subject: String,
    /// How many recipients it has.
    pub recipients: u16,
}

impl MapiClient {
    /// Opens a message to be read.
    ///
    /// # Errors
    ///
    /// Where there is no such message, or the user may not open it; and see [`MapiClient::execute`].
    pub async fn open_message(
        &mut self,
        mailbox: &Mailbox,
        folder: u64,
        message: u64,
    ) -> Result<OpenedMessage, MapiError> {
        let (logon, place) = (mailbox.logon(), self.take_place()?);
        let call = OpenMessage {
            input: mailbox.place(),
            output: place,
            code_page: OpenMessage::LOGON_CODE_PAGE,
            folder,
            mode: OpenMessage::READ_ONLY,
            message,
        };
        let replies = self.execute(Batch::new(logon).with(call)).await;
        let opened = replies.and_then(|replies| replies::last("open that message", replies));
        let Success::OpenMessage(opened) = opened.inspect_err(|_| self.free_place(place))? else {
            return Err(MapiError::Unexpected);
        };
        let subject = opened.normalized_subject.to_str().into_owned();
        Ok(OpenedMessage { logon, place, subject, recipients: opened.recipients.count })
    }

    /// Closes a message.
    ///
    /// # Errors
    ///
    /// See [`MapiClient::execute`].
    pub async fn close_message(&mut self, message: OpenedMessage) -> Result<(), MapiError> {
        self.close(message.logon, &[message.place]).await
    }

    /// Some properties of a message, a cell for each. One that is longer than 8 KiB is an error,
    /// [`ErrorCode::NOT_ENOUGH_MEMORY`].
    ///
    /// # Errors
    ///
    /// See [`MapiClient::execute`].
    pub async fn properties(
        &mut self,
        message: &OpenedMessage,
        tags: &[PropertyTag],
    ) -> Result<Vec<Cell>, MapiError> {
        let call = GetPropertiesSpecific {
            input: message.place,
            size_limit: MAX_VALUE,
            want_unicode: 1,
            tags: tags.to_vec(),
        };
        let replies = self.execute(Batch::new(message.logon).with(call)).await?;
        let given = replies::last("give these properties", replies)?;
        if let Success::GetPropertiesSpecific(given) = given {
            Ok(given.cells)
        } else {
            Err(MapiError::Unexpected)
        }
    }

    /// The text of a message; an empty one, where it has none.
    ///
    /// # Errors
    ///
    /// Where it is longer than [`MAX_BODY`]; and see [`MapiClient::execute`].
    pub async fn read_body(&mut self, message: &OpenedMessage) -> Result<String, MapiError> {
        let cells = self.properties(message, &[tag::BODY]).await?;
        match cells.first() {
            Some(Cell::Error(code)) if *code != ErrorCode::NOT_FOUND => {
                Ok(text16(&self.read_stream(message, tag::BODY).await?))
            }
            Some(_) | None => Ok(cells::text(&cells, 0)),
        }
    }

    /// The whole value of a property, as bytes.
    async fn read_stream(&mut self, message: &OpenedMessage, tag: PropertyTag) -> Result<Vec<u8>, MapiError> {
        let stream = self.take_place()?;
        let open = OpenStream { input: message.place, output: stream, tag, mode: OpenStream::READ_ONLY };
        let value = self.read_pieces(Batch::new(message.logon).with(open), stream).await;
        let closed = self.close(message.logon, &[stream]).await;
        let value = value?;
        closed.map(|()| value)
    }

    async fn read_pieces(&mut self, mut batch: Batch, stream: u8) -> Result<Vec<u8>, MapiError> {
        let logon = batch.logon();
        let read = ReadStream { input: stream, count: ByteCount::new(PIECE) };
        let mut value = Vec::new();
        loop {
            let replies = self.execute(batch.with(read.clone())).await?;
            let Success::ReadStream(piece) = replies::last("give the text", replies)? else {
                return Err(MapiError::Unexpected);
            };
            if piece.data.is_empty() {
                return Ok(value);
            }
            value.extend(piece.data);
            if value.len() > MAX_BODY {
                return Err(MapiError::LongBody { limit: MAX_BODY });
            }
            batch = Batch::new(logon);
        }
    }

    /// Makes a message in a folder, with these properties, and gives its identifier.
    ///
    /// # Errors
    ///
    /// Where one of the properties cannot be set, in which case there is no message; and see [`MapiClient::execute`].
    pub async fn create_message(
        &mut self,
        mailbox: &Mailbox,
        folder: u64,
        values: &[TaggedValue],
    ) -> Result<u64, MapiError> {
        let place = self.take_place()?;
        let created = self.make_message(mailbox, folder, values, place).await;
        let closed = self.close(mailbox.logon(), &[place]).await;
        let created = created?;
        closed.map(|()| created)
    }

    async fn make_message(
        &mut self,
        mailbox: &Mailbox,
        folder: u64,
        values: &[TaggedValue],
        place: u8,
    ) -> Result<u64, MapiError> {
        let code_page = OpenMessage::LOGON_CODE_PAGE;
        let input = mailbox.place();
        let create = CreateMessage { input, output: place, code_page, folder, associated: false };
        let set = SetProperties { input: place, values: values.to_vec() };
        let replies = self.execute(Batch::new(mailbox.logon()).with(create).with(set)).await?;
        let Success::SetProperties(set) = replies::last("make that message", replies)? else {
            return Err(MapiError::Unexpected);
        };
        if let Some(problem) = set.problems.first() {
            return Err(MapiError::Property { tag: problem.tag, code: problem.code });
        }
        let save = SaveChangesMessage { response: place, input: place, flags: 0 };
        let replies = self.execute(Batch::new(mailbox.logon()).with(save)).await?;
        let saved = replies::last("save that message", replies)?;
        if let Success::SaveChangesMessage(saved) = saved {
            Ok(saved.message)
        } else {
            Err(MapiError::Unexpected)
        }
    }

    /// Deletes messages of a folder, so that they can be restored. Says whether all are deleted.
    ///
    /// # Errors
    ///
    /// Where there is no such folder, or the user may not; and see [`MapiClient::execute`].
    pub async fn delete_messages(
        &mut self,
        mailbox: &Mailbox,
        folder: u64,
        messages: &[u64],
    ) -> Result<bool, MapiError> {
        let place = self.take_place()?;
        let mut batch = Batch::new(mailbox.logon());
        batch.push(OpenFolder { input: mailbox.place(), output: place, folder, mode: 0 });
        for messages in messages.chunks(MAX_DELETED) {
            let messages = messages.to_vec();
            batch.push(DeleteMessages { input: place, asynchronous: false, notify_unread: false, messages });
        }
        batch.push(Release { input: place });
        let replies = self.execute(batch).await;
        self.free_place(place);
        let done = replies::successes("delete these messages", replies?)?;
        let partial = |success: &Success| matches!(success, Success::DeleteMessages(done) if done.partial);
        Ok(!done.iter().any(partial))
    }
}
