//! Whole sessions, as a client has them: calls in, answers out, and what EWS sees of it.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

mod captured;
mod drafts;
mod events;
mod folders;
mod limits;
mod logons;
mod malformed;
mod messages;
mod properties;
mod streams;
mod tables;
mod transfers;

use weir_wire::ews::property::ItemId;
use weir_wire::mapi::body::{Answer, ConnectRequest, Connected, ExecuteRequest, Executed};
use weir_wire::mapi::call::{self, Call};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::payload::{Form, Payloads};
use weir_wire::mapi::property::{PropertyTag, PropertyValue, TaggedValue, tag};
use weir_wire::mapi::reply::logon::{PrivateStore, SpecialFolders, Store};
use weir_wire::mapi::reply::notify::Notify;
use weir_wire::mapi::reply::{Reply, Success};
use weir_wire::mapi::rop::{NO_HANDLE, RopBuffer};
use weir_wire::mapi::row::Cell;

use super::{MapiRefused, MapiSession};
use crate::server::MailboxServer;
use crate::store::identifier::{self, Format, Named};
use crate::test_world::{World, john};
use crate::{Person, Settings};

/// The room that clients give.
const ROOM: u32 = 0x1_0008;
/// More places than tests use.
const PLACES: usize = 200;

/// A client with a session, and a table of handles that it keeps from call to call.
struct Client<'w> {
    server: &'w MailboxServer,
    world: &'w World,
    session: MapiSession,
    handles: Vec<u32>,
    told: Vec<Notify>,
    room: u32,
}

fn connect_body(user_dn: &str) -> Vec<u8> {
    let request = ConnectRequest {
        user_dn: user_dn.as_bytes(),
        flags: 0,
        code_page: 1252,
        sort_locale: 1033,
        string_locale: 1033,
        auxiliary: &[],
    };
    let mut body = Vec::new();
    request.write(&mut body);
    body
}

fn connect(
    world: &World,
    who: &Person,
    may_open_others: bool,
    user_dn: &str,
) -> Result<MapiSession, ErrorCode> {
    let body = connect_body(user_dn);
    let request = ConnectRequest::read(&body).unwrap();
    match world.server.mapi_connect(who, may_open_others, &request) {
        Ok((session, _)) => Ok(session),
        Err(body) => Err(connected_code(&body)),
    }
}

fn connected_code(body: &[u8]) -> ErrorCode {
    match Answer::<Connected<'_>>::read(body).unwrap() {
        Answer::Done(connected) => ErrorCode(connected.error_code),
        Answer::Failed(failure) => panic!("{failure:?}"),
    }
}

fn execute_body(list: &[u8], handles: &[u32], room: u32) -> Vec<u8> {
    let (mut payload, mut rops, mut body) = (Vec::new(), Vec::new(), Vec::new());
    RopBuffer::write(list, handles.iter().copied(), &mut payload);
    Form::default().write(&payload, true, &mut rops);
    ExecuteRequest { flags: 3, rops: &rops, max_answer: room, auxiliary: &[] }.write(&mut body);
    body
}

/// The list and the handles of an answer, or its error.
fn executed(body: &[u8]) -> Result<(Vec<u8>, Vec<u32>), ErrorCode> {
    let Answer::Done(executed) = Answer::<Executed<'_>>::read(body).unwrap() else { panic!("a failure") };
    if executed.error_code != 0 {
        return Err(ErrorCode(executed.error_code));
    }
    let payload = Payloads::new(executed.rops).next().unwrap().unwrap().bytes.into_owned();
    let buffer = RopBuffer::read(&payload).unwrap();
    Ok((buffer.list().to_vec(), buffer.handles().collect()))
}

impl<'w> Client<'w> {
    /// A session that is logged on to nothing.
    fn connected(world: &'w World, who: &Person, may_open_others: bool) -> Self {
        let session = connect(world, who, may_open_others, &who.legacy_dn).unwrap();
        Self {
            server: &world.server,
            world,
            session,
            handles: vec![NO_HANDLE; PLACES],
            told: Vec::new(),
            room: ROOM,
        }
    }

    /// A session whose own mailbox is open, at place 0 by logon 0.
    async fn logged_on(world: &'w World, who: &Person) -> (Self, SpecialFolders) {
        let mut client = Self::connected(world, who, false);
        let store = client.logon(0, 0, &who.legacy_dn).await.unwrap();
        (client, store.folders)
    }

    async fn logon(&mut self, id: u8, place: u8, dn: &str) -> Result<PrivateStore, ErrorCode> {
        let logon = call::logon::Logon {
            output: place,
            flags: call::logon::Logon::PRIVATE,
            open_flags: call::logon::Logon::USE_PER_MDB_REPLID_MAPPING,
            store_state: 0,
            essdn: if dn.is_empty() { Vec::new() } else { [dn.as_bytes(), &[0]].concat() },
        };
        match self.one_of(id, logon.into()).await? {
            Success::Logon(logon) => match logon.store {
                Store::Private(store) => Ok(*store),
                Store::Public(store) => panic!("{store:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    /// Sends calls of logons and gives the answers, in their order. `columns` are those of rows.
    async fn send(&mut self, calls: &[(u8, Call)], columns: &[PropertyTag]) -> Vec<Reply> {
        let mut list = Vec::new();
        for (logon, call) in calls {
            call.write(*logon, &mut list);
        }
        let answer = self.raw(execute_body(&list, &self.handles, self.room)).await.unwrap();
        let (list, handles) = executed(&answer).unwrap();
        self.handles = handles;
        let (mut rest, mut replies) = (&list[..], Vec::new());
        for (_, call) in calls.iter().filter(|(_, call)| call.is_answered()) {
            let (reply, after) = Reply::read(rest, call, columns).unwrap();
            rest = after;
            let ends = matches!(reply, Reply::BufferTooSmall(_));
            replies.push(reply);
            if ends {
                break;
            }
        }
        while let Some((reply, after)) = Reply::read_unasked(rest).unwrap() {
            rest = after;
            match reply {
                Reply::Notify(notify) => self.told.push(notify),
                other => panic!("{other:?}"),
            }
        }
        assert!(rest.is_empty(), "{rest:?}");
        replies
    }

    async fn raw(&self, body: Vec<u8>) -> Result<Vec<u8>, MapiRefused> {
        self.server.mapi_execute(&self.session, body, self.world.now, drop).await
    }

    async fn one_of(&mut self, logon: u8, call: Call) -> Result<Success, ErrorCode> {
        self.with_columns(logon, call, &[]).await
    }

    async fn with_columns(
        &mut self,
        logon: u8,
        call: Call,
        columns: &[PropertyTag],
    ) -> Result<Success, ErrorCode> {
        match self.send(&[(logon, call)], columns).await.remove(0) {
            Reply::Done { success, .. } => Ok(success),
            Reply::Failed { failure, .. } => Err(failure.code),
            other => panic!("{other:?}"),
        }
    }

    /// The answer to one call of logon 0.
    async fn one(&mut self, call: impl Into<Call>) -> Result<Success, ErrorCode> {
        self.one_of(0, call.into()).await
    }

    async fn release(&mut self, place: u8) {
        assert!(self.send(&[(0, call::logon::Release { input: place }.into())], &[]).await.is_empty());
    }

    async fn open_folder(&mut self, place: u8, folder: u64) -> Result<Success, ErrorCode> {
        self.one(call::folder::OpenFolder { input: 0, output: place, folder, mode: 0 }).await
    }

    async fn open_message(&mut self, place: u8, (folder, message): (u64, u64)) -> Result<Success, ErrorCode> {
        let open = call::message::OpenMessage {
            input: 0,
            output: place,
            code_page: call::message::OpenMessage::LOGON_CODE_PAGE,
            folder,
            mode: 0,
            message,
        };
        self.one(open).await
    }

    /// Opens the table of the messages of a folder at place 100, behind the folder at place 99. Gives the row count.
    async fn contents(&mut self, folder: u64, columns: &[PropertyTag]) -> u32 {
        self.open_folder(99, folder).await.unwrap();
        let open = call::folder::GetContentsTable { input: 99, output: 100, flags: 0 };
        let Ok(Success::GetContentsTable(table)) = self.one(open).await else { panic!("a table") };
        self.set_columns(columns).await;
        table.rows
    }

    async fn set_columns(&mut self, columns: &[PropertyTag]) {
        let set = call::table::SetColumns { input: 100, flags: 0, columns: columns.to_vec() };
        self.one(set).await.unwrap();
    }

    /// Reads rows of the table at place 100. Gives where it stands, and the rows.
    async fn rows(&mut self, count: u16, columns: &[PropertyTag]) -> (u8, Vec<Vec<Cell>>) {
        self.query(call::table::QueryRows { input: 100, flags: 0, forward: true, count }, columns)
            .await
            .unwrap()
    }

    async fn query(
        &mut self,
        query: call::table::QueryRows,
        columns: &[PropertyTag],
    ) -> Result<(u8, Vec<Vec<Cell>>), ErrorCode> {
        match self.with_columns(0, query.into(), columns).await? {
            Success::QueryRows(rows) => Ok((rows.origin, rows.rows)),
            other => panic!("{other:?}"),
        }
    }

    /// The texts of a column of all messages of a folder, in the order of a new table.
    async fn texts(&mut self, folder: u64, column: PropertyTag) -> Vec<String> {
        self.contents(folder, &[column]).await;
        let (_, rows) = self.rows(1000, &[column]).await;
        rows.iter().map(|row| text(&row[0])).collect()
    }

    /// The values of an object's properties.
    async fn properties(&mut self, place: u8, tags: &[PropertyTag]) -> Vec<Cell> {
        let get = call::property::GetPropertiesSpecific {
            input: place,
            size_limit: 0,
            want_unicode: 1,
            tags: tags.to_vec(),
        };
        match self.one(get).await.unwrap() {
            Success::GetPropertiesSpecific(found) => found.cells,
            other => panic!("{other:?}"),
        }
    }

    async fn property(&mut self, place: u8, tag: PropertyTag) -> Cell {
        self.properties(place, &[tag]).await.remove(0)
    }

    async fn set(&mut self, place: u8, values: Vec<TaggedValue>) -> Vec<(u16, ErrorCode)> {
        match self.one(call::property::SetProperties { input: place, values }).await.unwrap() {
            Success::SetProperties(found) => {
                found.problems.iter().map(|problem| (problem.index, problem.code)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    /// Makes a message in a folder at a place.
    async fn create(&mut self, place: u8, folder: u64) {
        let create = call::message::CreateMessage {
            input: 0,
            output: place,
            code_page: call::message::OpenMessage::LOGON_CODE_PAGE,
            folder,
            associated: false,
        };
        self.one(create).await.unwrap();
    }

    async fn save(&mut self, place: u8) -> Result<u64, ErrorCode> {
        let flags = call::message::SaveChangesMessage::KEEP_OPEN_READ_WRITE;
        match self.one(call::message::SaveChangesMessage { response: place, input: place, flags }).await? {
            Success::SaveChangesMessage(saved) => Ok(saved.message),
            other => panic!("{other:?}"),
        }
    }
}

fn unicode(tag: PropertyTag, text: &str) -> TaggedValue {
    TaggedValue::new(tag, PropertyValue::Unicode(text.to_owned()))
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Value(PropertyValue::Unicode(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

fn number(cell: &Cell) -> u64 {
    match cell {
        Cell::Value(PropertyValue::Integer64(number)) => number.cast_unsigned(),
        other => panic!("{other:?}"),
    }
}

/// The MAPI identifier of what EWS names so.
fn message_id(id: &ItemId) -> u64 {
    match identifier::read(Format::Ews, &id.id) {
        Some(Named::Item(_, key)) => super::id::message(key),
        other => panic!("{other:?}"),
    }
}

fn small(settings: impl FnOnce(&mut Settings)) -> World {
    let mut bounds = Settings::default();
    settings(&mut bounds);
    World::with(bounds)
}

/// John's mailbox with mails in the inbox: their subjects, the oldest first.
async fn inbox_of(subjects: &[&str]) -> World {
    let mut world = World::new();
    for subject in subjects {
        let mail = crate::test_world::message(subject, &format!("Body of {subject}."));
        world.server.deliver_many(&john(), "inbox", vec![mail], world.now).await.unwrap();
        world.pass(1);
    }
    world
}

const MAIL_COLUMNS: [PropertyTag; 2] = [tag::MID, tag::SUBJECT];

impl Client<'_> {
    /// The identifiers of all messages of a folder, the newest first.
    async fn ids(&mut self, folder: u64) -> Vec<u64> {
        self.contents(folder, &MAIL_COLUMNS).await;
        let (_, rows) = self.rows(1000, &MAIL_COLUMNS).await;
        rows.iter().map(|row| number(&row[0])).collect()
    }
}
