//! The whole way of MAPI with the real program: a client that obeys, at the embedded mailbox server and through a gateway
//! in front of another one.

use serde_json::Value;
use weir_client::mapi::wire::call::property::GetPropertiesList;
use weir_client::mapi::wire::reply::Reply;
use weir_client::mapi::{Batch, Credentials, Mailbox, MapiClient, Settings, legacy_dn};

use crate::support::{PASSWORD, Server};

const JOHN: &str = "john.doe@example.com";
const KEN: &str = "ken.malcolmson@example.com";

/// ROPs of one batch, and how many batches a test makes at most until it is told to back off.
const ROPS: usize = 100;
const MOST: usize = 2_000;

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn connect(server: &Server, user: &str, process: &str) -> (MapiClient, Mailbox) {
    let endpoint = format!("http://{}", server.http).parse().unwrap();
    let mut settings = Settings::new(endpoint, Credentials::new(user, PASSWORD));
    settings.process = process.to_owned();
    let dn = legacy_dn(user).unwrap();
    let mut client = MapiClient::connect(settings, &dn).await.unwrap();
    let mailbox = client.log_on(&dn).await.unwrap();
    (client, mailbox)
}

/// Makes batches until the client has been told to back off; each is carried out whole.
async fn overdo(client: &mut MapiClient, mailbox: &Mailbox) {
    for _ in 0..MOST {
        let mut batch = Batch::new(mailbox.logon());
        (0..ROPS).for_each(|_| batch.push(GetPropertiesList { input: mailbox.place() }));
        let replies = client.execute(batch).await.unwrap();
        assert_eq!(replies.len(), ROPS);
        assert!(replies.iter().all(|reply| matches!(reply, Some(Reply::Done { .. }))), "{replies:?}");
        if client.counts().back_offs > 0 {
            return;
        }
    }
    panic!("nobody minds {MOST} batches");
}

/// The sessions of `owner`, as the server shows them.
fn sessions(server: &Server, owner: &str) -> Vec<Value> {
    let listed: Value =
        serde_json::from_str(&server.run(&["session", "list", "--owner", owner, "--json"])).unwrap();
    listed["items"].as_array().unwrap().clone()
}

#[test]
fn who_does_too_much_backs_off_and_all_that_he_asked_is_carried_out() {
    let server = Server::start("");
    run(async {
        let (mut client, mailbox) = connect(&server, JOHN, "indexer.exe").await;
        let (mut other, _others) = connect(&server, KEN, "outlook.exe").await;
        overdo(&mut client, &mailbox).await;
        other.ping().await.unwrap();
        let shown = sessions(&server, JOHN);
        assert_eq!(shown.len(), 1);
        assert_eq!((&shown[0]["process"], &shown[0]["owner"]), (&"indexer.exe".into(), &JOHN.into()));
        assert!(shown[0]["backoffs"].as_u64() > Some(0), "{shown:?}");
        assert_eq!(sessions(&server, KEN)[0]["backoffs"], 0, "nobody else is refused");
        client.disconnect().await.unwrap();
        assert!(sessions(&server, JOHN).is_empty());
    });
    let refused = |line: &String| line.contains("SoapAction=m:Execute") && line.contains("Why=Backoff");
    assert!(server.requests().iter().any(refused));
}

#[test]
fn a_gateway_before_another_server_holds_sessions_back_and_that_one_sees_its_own_cookies_alone() {
    let origin = Server::start("[throttle]\nrpc_throttling_factor = 0\n");
    let front = Server::before(&origin, "[throttle]\nenforce = true\n");
    run(async {
        let (mut client, mailbox) = connect(&front, JOHN, "archiver.exe").await;
        overdo(&mut client, &mailbox).await;
        let (before, behind) = (sessions(&front, JOHN), sessions(&origin, JOHN));
        assert!(before[0]["backoffs"].as_u64() > Some(0), "{before:?}");
        assert_eq!(behind[0]["backoffs"], 0, "{behind:?}");
        assert_eq!(before[0]["rops"], behind[0]["rops"], "what was refused the origin never saw");
        client.disconnect().await.unwrap();
        assert!(sessions(&front, JOHN).is_empty() && sessions(&origin, JOHN).is_empty());
    });
}

#[test]
fn a_gateway_that_only_observes_changes_nothing_for_the_client() {
    let origin = Server::start("[throttle]\nrpc_throttling_factor = 0\n");
    let front = Server::before(&origin, "");
    run(async {
        let (mut client, mailbox) = connect(&front, JOHN, "archiver.exe").await;
        for _ in 0..50 {
            let mut batch = Batch::new(mailbox.logon());
            (0..ROPS).for_each(|_| batch.push(GetPropertiesList { input: mailbox.place() }));
            client.execute(batch).await.unwrap();
        }
        assert_eq!(client.counts().back_offs, 0);
        let shown = sessions(&front, JOHN);
        assert_eq!(shown[0]["rops"], 50 * ROPS + 1, "and the logon: {shown:?}");
        client.disconnect().await.unwrap();
    });
}
