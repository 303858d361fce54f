//! A mailbox server that holds a few folders and messages, for tests: it reads ROPs and writes answers.
#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::unnecessary_wraps,
    reason = "it serves what the tests need"
)]

use std::collections::BTreeMap;

use weir_wire::mapi::body::{
    Answer, Body, Connected, Disconnected, ExecuteRequest, Executed, Failure, STATUS_TOO_BUSY, Waited,
};
use weir_wire::mapi::call::Call;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::payload::{Form, Payloads};
use weir_wire::mapi::property::{PropertyTag, PropertyValue, TaggedValue, tag};
use weir_wire::mapi::reply::logon::{Logon, PrivateStore, SpecialFolders, Store};
use weir_wire::mapi::reply::notify::{Event, Notify, Object};
use weir_wire::mapi::reply::{Reply, Success, folder, message, property, stream, table};
use weir_wire::mapi::rop::{Backoff, Logons, NO_HANDLE, RopBuffer};
use weir_wire::mapi::row::Cell;

/// The inbox, and the folder that it is in.
pub(super) const INBOX: u64 = 0xD;
pub(super) const TOP: u64 = 9;

/// What a handle stands for.
#[derive(Clone, Debug)]
enum Open {
    Store,
    Folder,
    Folders,
    Messages { at: usize, columns: Vec<PropertyTag> },
    Message(u64),
    New(Vec<TaggedValue>),
    Stream { bytes: Vec<u8>, at: usize },
    Registration,
}

/// What is answered to the next requests in place of what they ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    BackOff(u32),
    TooBusy,
}

/// The server.
#[derive(Default)]
pub(super) struct Fake {
    pub(super) messages: BTreeMap<u64, Vec<TaggedValue>>,
    handles: BTreeMap<u32, Open>,
    next: u32,
    /// Whether somebody registered for events, and something happened.
    pub(super) event: bool,
    pub(super) refusals: Vec<Refusal>,
    /// The most rows and bytes of one answer.
    pub(super) page: usize,
}

impl Fake {
    /// A server with so many messages in its inbox.
    pub(super) fn with(messages: u64) -> Self {
        let message = |number: u64| {
            let time = PropertyValue::Time(116_444_736_000_000_000 + number * 10_000_000);
            let values = [
                TaggedValue::new(tag::SUBJECT, PropertyValue::Unicode(format!("Message {number}"))),
                TaggedValue::new(tag::SENT_REPRESENTING_NAME, PropertyValue::Unicode("Jane".to_owned())),
                TaggedValue::new(tag::BODY, PropertyValue::Unicode(format!("Text {number} "))),
                TaggedValue::new(tag::MESSAGE_DELIVERY_TIME, time),
                TaggedValue::new(tag::MESSAGE_SIZE, PropertyValue::Integer32(1000)),
                TaggedValue::new(
                    tag::MESSAGE_FLAGS,
                    PropertyValue::Integer32(i32::from(number.is_multiple_of(2))),
                ),
            ];
            (number, values.to_vec())
        };
        Self { messages: (1..=messages).map(message).collect(), page: 100, ..Self::default() }
    }

    /// How many objects are open.
    pub(super) fn open(&self) -> usize {
        self.handles.len()
    }

    /// Answers a request of that type.
    pub(super) fn answer(&mut self, kind: &str, body: &[u8]) -> Vec<u8> {
        match kind {
            "Connect" => bytes_of(&Connected {
                error_code: 0,
                polls_max: 60_000,
                retry_count: 60,
                retry_delay: 1000,
                dn_prefix: b"/o=x",
                display_name: b"J\0a\0n\0e\0",
                auxiliary: &[],
            }),
            "Execute" => self.execute(body),
            "NotificationWait" => {
                bytes_of(&Waited { error_code: 0, event_pending: self.event, auxiliary: &[] })
            }
            "PING" => Vec::new(),
            "Disconnect" => bytes_of(&Disconnected { error_code: 0, auxiliary: &[] }),
            _ => panic!("{kind}"),
        }
    }

    fn execute(&mut self, body: &[u8]) -> Vec<u8> {
        let request = ExecuteRequest::read(body).unwrap();
        let payload = Payloads::new(request.rops).next().unwrap().unwrap();
        let buffer = RopBuffer::read(&payload.bytes).unwrap();
        let mut handles: Vec<u32> = buffer.handles().collect();
        let (mut list, mut answer, mut rops) = (Vec::new(), Vec::new(), Vec::new());
        match self.refusals.pop() {
            Some(Refusal::TooBusy) => {
                let failure = Failure { status: STATUS_TOO_BUSY, auxiliary: &[] };
                let mut body = Vec::new();
                Answer::<Executed<'_>>::Failed(failure).write(&mut body);
                return body;
            }
            Some(Refusal::BackOff(millis)) => {
                Backoff::logon(0, weir_units::Millis::new(millis.into())).write(&mut list);
            }
            None => {
                for rop in buffer.rops(Logons::default()) {
                    let call = Call::read(&rop.unwrap()).unwrap();
                    if let Some(reply) = self.carry_out(&call, &mut handles) {
                        reply.write(&mut list);
                    }
                }
            }
        }
        if std::mem::take(&mut self.event) {
            self.tell(&mut list);
        }
        RopBuffer::write(&list, handles.into_iter(), &mut answer);
        Form::default().write(&answer, true, &mut rops);
        bytes_of(&Executed { error_code: 0, flags: 0, rops: &rops, auxiliary: &[] })
    }

    /// Tells whoever registered that a message arrived.
    fn tell(&self, list: &mut Vec<u8>) {
        let registered = self.handles.iter().find(|(_, open)| matches!(open, Open::Registration));
        if let Some((handle, _)) = registered {
            let object = Object { folder: INBOX, message: Some(7) };
            let event = Event::Modified { object, tags: Vec::new() };
            let notify =
                Notify { handle: *handle, logon: 0, event, in_search: false, total: None, unread: None };
            Reply::Notify(notify).write(list);
        }
    }

    fn carry_out(&mut self, call: &Call, handles: &mut [u32]) -> Option<Reply> {
        let done = match call {
            Call::Release(release) => {
                let handle = std::mem::replace(&mut handles[usize::from(release.input)], NO_HANDLE);
                self.handles.remove(&handle);
                return None;
            }
            Call::Logon(_) => self.opens(call, handles, Open::Store, Success::Logon(store())),
            Call::OpenFolder(open) if [INBOX, TOP].contains(&open.folder) => {
                let success = Success::OpenFolder(folder::OpenFolder::default());
                self.opens(call, handles, Open::Folder, success)
            }
            Call::GetHierarchyTable(_) => {
                let success = Success::GetHierarchyTable(folder::OpenTable { rows: 2 });
                self.opens(call, handles, Open::Folders, success)
            }
            Call::GetContentsTable(_) => {
                let rows = u32::try_from(self.messages.len()).unwrap();
                let open = Open::Messages { at: 0, columns: Vec::new() };
                self.opens(call, handles, open, Success::GetContentsTable(folder::OpenTable { rows }))
            }
            Call::OpenMessage(open) if self.messages.contains_key(&open.message) => {
                let opened =
                    message::OpenMessage { normalized_subject: "Hello".into(), ..Default::default() };
                self.opens(call, handles, Open::Message(open.message), Success::OpenMessage(opened))
            }
            Call::CreateMessage(_) => {
                let success = Success::CreateMessage(message::CreateMessage::default());
                self.opens(call, handles, Open::New(Vec::new()), success)
            }
            Call::RegisterNotification(_) => {
                self.opens(call, handles, Open::Registration, Success::RegisterNotification)
            }
            Call::OpenFolder(_) | Call::OpenMessage(_) => Err(ErrorCode::NOT_FOUND),
            Call::OpenStream(stream) => {
                let bytes = self.body(handles[usize::from(stream.input)]);
                let size = u32::try_from(bytes.len()).unwrap();
                let success = Success::OpenStream(stream::StreamSize { size });
                self.opens(call, handles, Open::Stream { bytes, at: 0 }, success)
            }
            _ => {
                let handle = handles[usize::from(call.answered_at())];
                self.act(call, handle)
            }
        };
        Some(done.map_or_else(|code| Reply::failed(call, code), |success| Reply::done(call, success)))
    }

    fn opens(
        &mut self,
        call: &Call,
        handles: &mut [u32],
        open: Open,
        success: Success,
    ) -> Result<Success, ErrorCode> {
        self.next += 1;
        handles[usize::from(call.answered_at())] = self.next;
        self.handles.insert(self.next, open);
        Ok(success)
    }

    /// The text of the message behind a handle, in two-byte characters.
    fn body(&self, handle: u32) -> Vec<u8> {
        let Some(Open::Message(message)) = self.handles.get(&handle) else { panic!("no message") };
        let value = |value: &TaggedValue| (value.tag == tag::BODY).then(|| value.value.clone());
        let Some(PropertyValue::Unicode(text)) = self.messages[message].iter().find_map(value) else {
            return Vec::new();
        };
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    /// What acts on what is open.
    fn act(&mut self, call: &Call, handle: u32) -> Result<Success, ErrorCode> {
        let page = self.page;
        match (call, self.handles.get_mut(&handle)) {
            (Call::SetColumns(set), Some(Open::Messages { columns, .. })) => {
                columns.clone_from(&set.columns);
                Ok(Success::SetColumns(table::TableStatus::default()))
            }
            (Call::SetColumns(_), Some(Open::Folders)) => {
                Ok(Success::SetColumns(table::TableStatus::default()))
            }
            (Call::SortTable(_), Some(_)) => Ok(Success::SortTable(table::TableStatus::default())),
            (Call::SeekRow(seek), Some(Open::Messages { at, .. })) => {
                *at = usize::try_from(seek.rows).unwrap();
                Ok(Success::SeekRow(table::SeekRow { fewer: false, rows: seek.rows }))
            }
            (Call::QueryRows(query), Some(Open::Messages { at, columns })) => {
                let most = page.min(query.count.into());
                let rows: Vec<Vec<Cell>> = self
                    .messages
                    .iter()
                    .rev()
                    .skip(*at)
                    .take(most)
                    .map(|message| row(message, columns))
                    .collect();
                *at += rows.len();
                Ok(Success::QueryRows(table::QueryRows { origin: 1, columns: columns.clone(), rows }))
            }
            (Call::QueryRows(_), Some(open @ Open::Folders)) => {
                // The table is read once.
                *open = Open::Messages { at: usize::MAX, columns: Vec::new() };
                Ok(Success::QueryRows(folders(self.messages.len())))
            }
            (Call::GetPropertiesSpecific(get), Some(Open::Message(message))) => {
                let mut cells = row((message, &self.messages[message]), &get.tags);
                for cell in &mut cells {
                    if matches!(cell, Cell::Value(PropertyValue::Unicode(text)) if text.len() > get.size_limit.into())
                    {
                        *cell = Cell::Error(ErrorCode::NOT_ENOUGH_MEMORY);
                    }
                }
                let columns = get.tags.clone();
                Ok(Success::GetPropertiesSpecific(property::GetPropertiesSpecific { columns, cells }))
            }
            (Call::ReadStream(read), Some(Open::Stream { bytes, at })) => {
                let most = usize::try_from(read.count.bytes()).unwrap();
                let data: Vec<u8> = bytes.iter().skip(*at).take(most).copied().collect();
                *at += data.len();
                Ok(Success::ReadStream(stream::ReadStream { data }))
            }
            (Call::SetProperties(set), Some(Open::New(values))) => {
                values.extend(set.values.clone());
                let problem = |(index, value): (usize, &TaggedValue)| property::PropertyProblem {
                    index: u16::try_from(index).unwrap(),
                    tag: value.tag,
                    code: ErrorCode::ACCESS_DENIED,
                };
                let sealed = set.values.iter().enumerate().filter(|(_, value)| value.tag == tag::MID);
                Ok(Success::SetProperties(property::Problems { problems: sealed.map(problem).collect() }))
            }
            (Call::SaveChangesMessage(save), Some(Open::New(values))) => {
                let message = self.messages.keys().max().unwrap_or(&0) + 1;
                self.messages.insert(message, values.clone());
                let saved = message::SaveChangesMessage { input: save.input, message };
                Ok(Success::SaveChangesMessage(saved))
            }
            (Call::DeleteMessages(delete), Some(Open::Folder)) => {
                let gone =
                    delete.messages.iter().filter(|message| self.messages.remove(message).is_some()).count();
                let partial = gone < delete.messages.len();
                Ok(Success::DeleteMessages(folder::Completion { partial }))
            }
            (_, None) => Err(ErrorCode::NULL_OBJECT),
            (_, Some(_)) => Err(ErrorCode::NOT_FOUND),
        }
    }
}

fn store() -> Logon {
    let folders = SpecialFolders { ipm_subtree: TOP, inbox: INBOX, ..SpecialFolders::default() };
    let store = PrivateStore { folders, response_flags: PrivateStore::OWNER, ..PrivateStore::default() };
    Logon { flags: 0, store: Store::Private(Box::new(store)) }
}

fn row((id, values): (&u64, &Vec<TaggedValue>), columns: &[PropertyTag]) -> Vec<Cell> {
    let cell = |column: &PropertyTag| match values.iter().find(|value| value.tag == *column) {
        Some(value) => Cell::Value(value.value.clone()),
        None if *column == tag::MID => PropertyValue::Integer64(i64::try_from(*id).unwrap()).into(),
        None => Cell::Error(ErrorCode::NOT_FOUND),
    };
    columns.iter().map(cell).collect()
}

/// The inbox, and a folder in it.
fn folders(messages: usize) -> table::QueryRows {
    let columns =
        vec![tag::FOLDER_ID, tag::DEPTH, tag::DISPLAY_NAME, tag::CONTENT_COUNT, tag::CONTENT_UNREAD_COUNT];
    let count = i32::try_from(messages).unwrap();
    let row = |id: u64, depth: i32, name: &str| {
        vec![
            PropertyValue::Integer64(i64::try_from(id).unwrap()).into(),
            PropertyValue::Integer32(depth).into(),
            PropertyValue::Unicode(name.to_owned()).into(),
            PropertyValue::Integer32(count).into(),
            Cell::Absent,
        ]
    };
    table::QueryRows { origin: 2, columns, rows: vec![row(INBOX, 1, "Inbox"), row(0xE, 2, "Projects")] }
}

fn bytes_of<'a>(body: &impl Body<'a>) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    body.write(&mut bytes);
    bytes
}
