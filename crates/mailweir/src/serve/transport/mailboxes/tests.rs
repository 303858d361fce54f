use tempfile::TempDir;
use weir_directory::{NewMailbox, NewOrganisation, PasswordCost, Store};
use weir_gateway::origin::DirectoryBook;
use weir_mailbox::{Session, Settings};
use weir_units::WallTime;
use weir_wire::ews::property::FolderRef;
use weir_wire::ews::request::{FindItem, Request, Shape, Traversal, Version, View};
use weir_wire::ews::response::Answer as Found;

use super::*;

const NOW: WallTime = WallTime::from_unix_micros(1_268_147_712_000_000);
const MESSAGE: &[u8] = b"From: zoe@elsewhere.example\r\nMessage-ID: <a@b>\r\nSubject: s\r\n\r\nHi\r\n";

struct World {
    store: Arc<Store>,
    server: MailboxServer,
    mailboxes: EmbeddedMailboxes,
    folder: TempDir,
}

/// Mailboxes of John and Jane, none of whose items is larger than 1000 bytes.
fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("directory.sqlite3");
    let store = Arc::new(Store::open_with(file, PasswordCost::LEAST).unwrap());
    let wanted = NewOrganisation { name: "example.com", short_name: "EXAMPLE", domains: &["example.com"] };
    store.new_organisation(&wanted).unwrap();
    for address in ["john@example.com", "jane@example.com"] {
        let wanted = NewMailbox { address, alias: None, display_name: None, password: None };
        store.new_mailbox(&wanted, NOW).unwrap();
    }
    store.add_address("john@example.com", "jd@example.com").unwrap();
    let directory: Arc<dyn Directory> = Arc::<Store>::clone(&store);
    let book = Arc::new(DirectoryBook::new(Arc::clone(&directory)));
    let settings = Settings { max_item_bytes: 1000, ..Settings::default() };
    let server = MailboxServer::open(folder.path(), settings, book).unwrap();
    let mailboxes = EmbeddedMailboxes::new(directory, server.clone(), Clock::pretended(NOW));
    World { store, server, mailboxes, folder }
}

impl World {
    async fn deliver(&self, id: u64, to: &[&str], message: &[u8]) -> Vec<Result<(), NotDelivered>> {
        let to: Vec<Mailbox> = to.iter().map(|address| address.parse().unwrap()).collect();
        self.mailboxes.deliver(MessageId::new(id), &to, Bytes::copy_from_slice(message)).await
    }

    /// How many messages are in an inbox.
    async fn count(&self, address: &str) -> u32 {
        let session = Session {
            mailbox: person(&self.store.resolve(address).unwrap().unwrap()),
            version: Version::default(),
            time_zone: None,
            search_limit: None,
            now: NOW,
        };
        let find = FindItem {
            traversal: Traversal::Shallow,
            shape: Shape::id_only(),
            view: View::Unpaged,
            restriction: None,
            order: Vec::new(),
            query: None,
            parents: vec![FolderRef::Distinguished { name: "inbox".to_owned(), mailbox: None }],
        };
        let found = self.server.execute(&session, &Request::FindItem(find), 0).await;
        let Ok(Found::FoundItems(found)) = found else { panic!("{found:?}") };
        u32::try_from(found.page.len()).unwrap()
    }
}

#[tokio::test]
async fn each_person_gets_a_message_once_by_whatever_address_and_however_often_it_is_delivered() {
    let world = world();
    let to = ["John@example.com", "jd@example.com", "jane@example.com"];
    for _ in 0..2 {
        assert_eq!(world.deliver(1, &to, MESSAGE).await, [Ok(()), Ok(()), Ok(())]);
        assert_eq!((world.count("john").await, world.count("jane").await), (1, 1));
    }
    assert_eq!(world.deliver(2, &to, MESSAGE).await, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(world.count("john").await, 2, "the same message, sent again");
}

#[tokio::test]
async fn whose_mailbox_went_meanwhile_is_told_and_the_others_get_theirs() {
    let world = world();
    world.store.remove_mailbox("john").unwrap();
    let outcomes = world.deliver(1, &["john@example.com", "jane@example.com"], MESSAGE).await;
    let [Err(gone), Ok(())] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert!(!gone.retry && gone.text.contains("any more"), "{gone:?}");
    assert_eq!(world.count("jane").await, 1);
}

#[tokio::test]
async fn a_message_that_no_mailbox_takes_is_given_up() {
    let world = world();
    let outcomes = world.deliver(1, &["jane@example.com"], &[b'a'; 1001]).await;
    let [Err(refused)] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert!(!refused.retry && refused.text.contains("1001"), "{refused:?}");
}

#[tokio::test]
async fn while_the_directory_cannot_be_read_nothing_is_given_up() {
    let world = world();
    let other = world.folder.path().join("directory.sqlite3");
    rusqlite::Connection::open(other).unwrap().execute_batch("DROP TABLE address").unwrap();
    let outcomes = world.deliver(1, &["jane@example.com"], MESSAGE).await;
    let [Err(refused)] = &outcomes[..] else { panic!("{outcomes:?}") };
    assert!(refused.retry, "{refused:?}");
}
