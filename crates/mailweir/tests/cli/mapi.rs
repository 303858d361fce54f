//! Mailboxes as a MAPI client sees them, through the gateway and at the embedded mailbox server.

use std::fs;

use serde_json::json;
use weir_client::mapi::wire::call::notification::{RegisterNotification, Scope};
use weir_client::mapi::wire::property::{PropertyValue, TaggedValue, tag};
use weir_client::mapi::{Credentials, MapiClient, Settings, legacy_dn};

use crate::program::Server;

const JANE: &str = "--user jane.doe@example.com --password-stdin";
const PASSWORD: &str = "demo-password\n";

/// `mailweir mapi ls` at the server's plain listener.
fn ls(server: &Server, words: &str) -> String {
    format!("mapi ls {words} --url http://{}", server.address("http"))
}

#[test]
fn mapi_ls_lists_folders_and_messages_for_people_and_programs() {
    let server = Server::demo();
    let folders = server.run_with(&ls(&server, JANE), PASSWORD).good();
    let line = |name: &str| folders.lines().find(|line| line.starts_with(name)).unwrap();
    assert_eq!(line("FOLDER").split_whitespace().collect::<Vec<_>>(), ["FOLDER", "MESSAGES", "UNREAD"]);
    assert_eq!(line("Inbox").split_whitespace().collect::<Vec<_>>(), ["Inbox", "25", "25"]);

    let listed = server.run_with(&ls(&server, &format!("inbox {JANE} --top 2 --json")), PASSWORD).json();
    assert_eq!((&listed["folder"], &listed["total"]), (&json!("Inbox"), &json!(25)));
    let messages = listed["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert!(messages.iter().all(|message| message["size"].as_u64() > Some(0)), "{messages:?}");
    assert!(messages[0]["time"].as_str() >= messages[1]["time"].as_str(), "the newest first: {messages:?}");

    fs::write(server.folder().join("secret"), PASSWORD).unwrap();
    let from_file = "Drafts --user john.doe@example.com --password-file secret";
    let drafts = server.run(&ls(&server, from_file)).good();
    assert_eq!(drafts.lines().filter(|line| line.contains("Message")).count(), 6, "{drafts}");
}

#[test]
fn mapi_ls_says_what_is_wrong_and_what_to_do() {
    let server = Server::demo();
    let wrong = server.run_with(&ls(&server, JANE), "guess\n").refused();
    assert!(wrong.contains("does not accept the password of jane.doe@example.com"), "{wrong}");
    let missing = server.run_with(&ls(&server, &format!("Nowhere {JANE}")), PASSWORD).refused();
    assert!(missing.starts_with("there is no folder Nowhere; "), "{missing}");
    let strangers = format!("{JANE} --mailbox john.doe@example.com");
    let strangers = server.run_with(&ls(&server, &strangers), PASSWORD).refused();
    assert!(strangers.contains("does not open the mailbox") && strangers.contains("may not"), "{strangers}");
    let certificate = format!("mapi ls {JANE} --url https://localhost:{}", server.address("https").port());
    let certificate = server.run_with(&certificate, PASSWORD).refused();
    assert!(certificate.contains("no secure connection"), "{certificate}");
    // Nobody knows which port the system chose.
    let nowhere = server.run_with(&format!("mapi ls {JANE}"), PASSWORD);
    assert_eq!(nowhere.status, 2);
    assert!(nowhere.err.contains("add --url URL"), "{}", nowhere.err);
}

#[test]
fn mapi_ls_trusts_the_authority_that_it_is_told_and_opens_what_the_user_may() {
    let server = Server::demo();
    let authority = "mailweir-data/tls/self-signed.pem";
    let secure = format!("--url https://localhost:{} --ca {authority}", server.address("https").port());
    let listed = server.run_with(&format!("mapi ls Inbox {JANE} --top 1 {secure}"), PASSWORD).good();
    assert!(listed.ends_with("and 24 more, which --top shows\n"), "{listed}");
    server.run("mailbox set JaneDoe --impersonation on").good();
    let strangers = format!("Drafts {JANE} --mailbox john.doe@example.com");
    let listed = server.run_with(&ls(&server, &strangers), PASSWORD).good();
    assert!(listed.contains("Message6"), "{listed}");
}

#[test]
fn a_client_makes_reads_and_deletes_messages_and_hears_of_them() {
    let server = Server::demo();
    let endpoint = format!("http://{}", server.address("http")).parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let user = "ken.malcolmson@example.com";
        let dn = legacy_dn(user).unwrap();
        let settings = Settings::new(endpoint, Credentials::new(user, "demo-password"));
        let mut client = MapiClient::connect(settings, &dn).await.unwrap();
        let mailbox = client.log_on(&dn).await.unwrap();
        let inbox = mailbox.folders.inbox;
        let kinds = RegisterNotification::CREATED;
        let subscription = client.subscribe(&mailbox, Scope::WholeStore, kinds).await.unwrap();

        let text = "A text that is longer than one value may be. ".repeat(400);
        let values = [
            TaggedValue::new(tag::SUBJECT, PropertyValue::Unicode("Made by MAPI".to_owned())),
            TaggedValue::new(tag::BODY, PropertyValue::Unicode(text[..10_000].to_owned())),
        ];
        let id = client.create_message(&mailbox, inbox, &values).await.unwrap();
        let told = client.wait().await.unwrap();
        assert!(!told.is_empty(), "it was made");
        client.unsubscribe(subscription).await.unwrap();

        let listed = client.messages(&mailbox, inbox, 0..10).await.unwrap();
        assert_eq!((listed.total, listed.rows[0].id), (1, id));
        assert_eq!(listed.rows[0].subject, "Made by MAPI");
        let message = client.open_message(&mailbox, inbox, id).await.unwrap();
        assert_eq!(client.read_body(&message).await.unwrap().trim_end(), text[..10_000].trim_end());
        client.close_message(message).await.unwrap();
        assert!(client.delete_messages(&mailbox, inbox, &[id]).await.unwrap());
        assert_eq!(client.messages(&mailbox, inbox, 0..10).await.unwrap().rows, []);
        client.disconnect().await.unwrap();
    });
}
