//! A mailbox server in a temporary directory, three people, and short words for what tests ask.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use weir_units::{Micros, WallTime};
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{
    Body, ExtendedName, ExtendedProperty, Folder, FolderId, FolderRef, Item, ItemId, ItemKind, Mailbox,
    PropertyPath, Value,
};
use weir_wire::ews::request::{
    BasePoint, BaseShape, CreateItem, Disposition, FindItem, GetItem, Request, Shape, SortKey, Traversal,
    View,
};
use weir_wire::ews::response::{Answer, ErrorMessage, Found, ResponseMessage};

use crate::outbound::{NotSent, Outbound, Outgoing};
use crate::{AddressBook, MailboxServer, Person, Session, Settings};

pub(crate) const NOW: WallTime = WallTime::from_unix_micros(1_268_147_712_000_000);

pub(crate) struct Book(Vec<Person>);

impl AddressBook for Book {
    fn find(&self, _asker: &Person, prefix: &str, max: usize) -> Vec<Person> {
        let prefix = prefix.to_lowercase();
        let begins = |text: &str| text.to_lowercase().starts_with(&prefix);
        let fits =
            |person: &&Person| begins(&person.name) || begins(&person.alias) || begins(&person.address);
        self.0.iter().filter(fits).take(max).cloned().collect()
    }

    fn local(&self, address: &str) -> Option<Person> {
        self.0.iter().find(|person| person.is_called(address)).cloned()
    }
}

/// A way out that keeps what it takes.
#[derive(Default)]
pub(crate) struct Sent {
    taken: Mutex<Vec<Outgoing>>,
    refuses: Mutex<Option<NotSent>>,
}

impl Outbound for Sent {
    fn submit(&self, mail: Outgoing) -> Result<(), NotSent> {
        if let Some(why) = self.refuses.lock().unwrap().clone() {
            return Err(why);
        }
        self.taken.lock().unwrap().push(mail);
        Ok(())
    }
}

impl Sent {
    pub(crate) fn refuse(&self, why: Option<NotSent>) {
        *self.refuses.lock().unwrap() = why;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.taken.lock().unwrap().is_empty()
    }

    /// The only message that was taken, which is John's: whom it is for, and what it is.
    pub(crate) fn only(&self) -> (Vec<String>, Vec<u8>) {
        let taken = self.taken.lock().unwrap();
        let [mail] = &taken[..] else { panic!("{taken:?}") };
        assert_eq!(mail.from, john());
        (mail.to.iter().map(ToString::to_string).collect(), mail.message.to_vec())
    }
}

pub(crate) struct World {
    pub(crate) server: MailboxServer,
    pub(crate) dir: TempDir,
    pub(crate) now: WallTime,
}

pub(crate) fn person(name: &str, local: &str) -> Person {
    Person {
        address: format!("{local}@example.com"),
        alias: name.replace(' ', ""),
        name: name.to_owned(),
        legacy_dn: format!("/o=example.com/ou=Site/cn=Recipients/cn={local}"),
    }
}

pub(crate) fn john() -> Person {
    person("John Doe", "john.doe")
}

pub(crate) fn jane() -> Person {
    person("Jane Doe", "jane.doe")
}

pub(crate) fn ken() -> Person {
    person("Ken Malcolmson", "ken.malcolmson")
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = Self::open(&dir, settings);
        Self { server, dir, now: NOW }
    }

    pub(crate) fn with_a_way_out() -> (Self, Arc<Sent>) {
        let (world, sent) = (Self::new(), Arc::<Sent>::default());
        world.server.send_by(Arc::<Sent>::clone(&sent));
        (world, sent)
    }

    pub(crate) fn open(dir: &TempDir, settings: Settings) -> MailboxServer {
        MailboxServer::open(dir.path(), settings, Arc::new(Book(vec![john(), jane(), ken()]))).unwrap()
    }

    /// Lets minutes pass.
    pub(crate) fn pass(&mut self, minutes: u64) {
        self.now = self.now.plus(Micros::MINUTE.times(minutes));
    }

    /// The answers to all steps of a request.
    pub(crate) async fn ask(&self, who: &Person, request: Request) -> Vec<ResponseMessage> {
        let session = Session::of(who, self.now);
        let mut answers = Vec::new();
        for step in 0..request.steps() {
            answers.push(self.server.execute(&session, &request, step).await);
        }
        answers
    }

    /// The answer to a request of one step.
    pub(crate) async fn one(&self, who: &Person, request: Request) -> ResponseMessage {
        assert_eq!(request.steps(), 1);
        self.server.execute(&Session::of(who, self.now), &request, 0).await
    }

    pub(crate) async fn refusal(&self, who: &Person, request: Request) -> &'static str {
        self.one(who, request).await.expect_err("a refusal").code
    }

    pub(crate) async fn find(&self, who: &Person, find: FindItem) -> Found<Item> {
        match self.one(who, Request::FindItem(find)).await.unwrap() {
            Answer::FoundItems(found) => found,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn subjects(&self, who: &Person, folder: &str) -> Vec<String> {
        let ascending = SortKey { path: Field::SUBJECT.into(), descending: false };
        let find = FindItem { order: vec![ascending], ..find(folder) };
        self.find(who, find).await.page.iter().map(subject).collect()
    }

    /// Saves a new item and gives its identifier.
    pub(crate) async fn save(&self, who: &Person, folder: Option<&str>, item: Item) -> ItemId {
        let create = create(Disposition::SaveOnly, folder, vec![item]);
        id_of(&items(self.one(who, create).await.unwrap())[0])
    }

    pub(crate) async fn get(&self, who: &Person, id: &ItemId) -> Item {
        let shape = Shape { base: BaseShape::AllProperties, ..Shape::id_only() };
        self.get_shaped(who, id, shape).await.unwrap()
    }

    pub(crate) async fn get_shaped(
        &self,
        who: &Person,
        id: &ItemId,
        shape: Shape,
    ) -> Result<Item, ErrorMessage> {
        let get = Request::GetItem(GetItem { shape, items: vec![id.clone()] });
        self.one(who, get).await.map(|answer| items(answer).remove(0))
    }
}

pub(crate) fn items(answer: Answer) -> Vec<Item> {
    match answer {
        Answer::Items(items) => items,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn folders(answer: Answer) -> Vec<Folder> {
    match answer {
        Answer::Folders(folders) => folders,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn known(name: &str) -> FolderRef {
    FolderRef::Distinguished { name: name.to_owned(), mailbox: None }
}

pub(crate) fn find(folder: &str) -> FindItem {
    FindItem {
        traversal: Traversal::Shallow,
        shape: Shape { base: BaseShape::Default, ..Shape::id_only() },
        view: View::Unpaged,
        restriction: None,
        order: Vec::new(),
        query: None,
        parents: vec![known(folder)],
    }
}

pub(crate) fn page(max: u32, offset: u32) -> View {
    View::Indexed { max: Some(max), offset, base: BasePoint::Beginning }
}

pub(crate) fn create(disposition: Disposition, folder: Option<&str>, items: Vec<Item>) -> Request {
    let invitations = Some("SendToNone".to_owned());
    Request::CreateItem(CreateItem {
        disposition: Some(disposition),
        invitations,
        folder: folder.map(known),
        items,
    })
}

pub(crate) fn message(subject: &str, body: &str) -> Item {
    item(
        ItemKind::Message,
        vec![
            (Field::SUBJECT, Value::Text(subject.to_owned())),
            (Field::BODY, Value::Body(Body { html: false, text: body.to_owned() })),
        ],
    )
}

pub(crate) fn message_to(subject: &str, to: &[&str]) -> Item {
    with(message(subject, "Hello."), Field::TO_RECIPIENTS, mailboxes(to))
}

pub(crate) fn mailboxes(addresses: &[&str]) -> Value {
    let mailbox = |address: &&str| Mailbox { address: Some((*address).to_owned()), ..Mailbox::default() };
    Value::Mailboxes(addresses.iter().map(mailbox).collect())
}

pub(crate) fn item(kind: ItemKind, fields: Vec<(Field, Value)>) -> Item {
    Item { kind, properties: fields.into_iter().map(|(field, value)| (field.into(), value)).collect() }
}

pub(crate) fn with(mut item: Item, field: Field, value: Value) -> Item {
    item.properties.insert(field.into(), value);
    item
}

pub(crate) fn tag(tag: u16, kind: &str) -> PropertyPath {
    PropertyPath::Extended(ExtendedProperty { name: ExtendedName::Tag(tag), kind: kind.to_owned() })
}

pub(crate) fn value(item: &Item, field: Field) -> Option<&Value> {
    item.properties.get(&field.into())
}

pub(crate) fn subject(item: &Item) -> String {
    match value(item, Field::SUBJECT) {
        Some(Value::Text(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn id_of(item: &Item) -> ItemId {
    match value(item, Field::ITEM_ID) {
        Some(Value::ItemId(id)) => id.clone(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn folder_id_of(folder: &Folder) -> FolderId {
    match folder.properties.get(&Field::FOLDER_ID.into()) {
        Some(Value::FolderId(id)) => id.clone(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
