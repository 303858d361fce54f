//! The remote front before an origin that is not ours to change: the embedded server with its limits off, over loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use weir_units::{Component, Owner};

use super::{RemoteSettings, ServerUrl};
use crate::settings::Settings;
use crate::testing::World;

mod blocked;
mod bodies;
mod failing;
mod finds;
mod handshake;
mod mapi;
mod observed;
mod paths;
mod places;
mod proof;
mod stage;

/// A gateway before another one, which is the origin.
struct Pair {
    front: Arc<World>,
    address: SocketAddr,
    /// The origin, where it is one of ours, and its address.
    behind: Option<(World, SocketAddr)>,
    _stop: watch::Sender<bool>,
}

fn listening(enforce: bool) -> Settings {
    let mut settings = Settings::default();
    settings.listen.http = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    settings.throttle.enforce = enforce;
    settings
}

async fn serve(world: &World, stop: watch::Receiver<bool>) -> SocketAddr {
    let bound = world.gateway.bind().await.unwrap();
    let address = bound.addresses().next().unwrap().1;
    tokio::spawn(bound.on_one_clock().serve(stop));
    address
}

impl Pair {
    async fn new(enforce: bool) -> Self {
        let (stop, stopping) = watch::channel(false);
        let origin = World::new(listening(false));
        let behind = serve(&origin, stopping.clone()).await;
        let url: ServerUrl = format!("http://{behind}").parse().unwrap();
        let front = World::before(RemoteSettings::new(vec![url]), listening(enforce)).await;
        let address = serve(&front, stopping).await;
        Self { front: Arc::new(front), address, behind: Some((origin, behind)), _stop: stop }
    }

    async fn call(&self, password: &str, body: &str) -> (u16, String) {
        call(self.address, password, body).await
    }

    /// Fills John's drafts.
    async fn drafts(&self, count: usize) {
        let item = "<t:Message><t:Subject>A draft</t:Subject></t:Message>".repeat(count);
        let create = format!(
            "<m:CreateItem MessageDisposition=\"SaveOnly\"><m:SavedItemFolderId>\
             <t:DistinguishedFolderId Id=\"drafts\"/></m:SavedItemFolderId><m:Items>{item}</m:Items></m:CreateItem>"
        );
        let (status, answer) = self.call("secret", &envelope(&create)).await;
        assert_eq!(status, 200, "{answer}");
    }
}

async fn call(address: SocketAddr, password: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let credential = STANDARD.encode(format!("john.doe@example.com:{password}"));
    let head = format!(
        "POST /EWS/Exchange.asmx HTTP/1.1\r\nHost: mail.example.com\r\nAuthorization: Basic {credential}\r\n\
         Content-Type: text/xml; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

fn envelope(operation: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" \
         xmlns:m=\"http://schemas.microsoft.com/exchange/services/2006/messages\" \
         xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"><s:Header>\
         <t:RequestServerVersion Version=\"Exchange2010\"/></s:Header><s:Body>{operation}</s:Body></s:Envelope>"
    )
}

fn find_drafts(view: &str) -> String {
    envelope(&format!(
        "<m:FindItem Traversal=\"Shallow\"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>{view}\
         <m:ParentFolderIds><t:DistinguishedFolderId Id=\"drafts\"/></m:ParentFolderIds></m:FindItem>"
    ))
}

const GET_INBOX: &str = "<m:GetFolder><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape></m:FolderShape><m:FolderIds>\
                         <t:DistinguishedFolderId Id=\"inbox\"/></m:FolderIds></m:GetFolder>";

#[tokio::test]
async fn an_answer_that_accepts_the_credential_says_whose_call_it_was() {
    let pair = Pair::new(true).await;
    let john = Owner::new("john.doe@example.com");
    assert_eq!(pair.call("wrong", &envelope(GET_INBOX)).await.0, 401);
    assert!(pair.front.gateway.budgets.peek(&john, Component::Ews).is_none(), "a claim is not charged");
    let (status, answer) = pair.call("secret", &envelope(GET_INBOX)).await;
    assert_eq!(status, 200, "{answer}");
    let budget =
        pair.front.gateway.budgets.peek(&john, Component::Ews).expect("the call has moved to its owner");
    let limits = weir_throttle::ComponentLimits::unlimited(Component::Ews);
    assert_eq!(budget.budget.snapshot(&limits, pair.front.gateway.clock.tick()).connections, 0);
}

#[tokio::test]
async fn a_known_caller_is_held_to_his_concurrency() {
    let pair = Pair::new(true).await;
    assert_eq!(pair.call("secret", &envelope(GET_INBOX)).await.0, 200);
    pair.front.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    let (status, answer) = pair.call("secret", &envelope(GET_INBOX)).await;
    assert_eq!(status, 500);
    assert!(answer.contains("ErrorExceededConnectionCount"), "{answer}");
}

#[tokio::test]
async fn a_page_is_cut_and_an_unpaged_find_is_judged_by_the_protocol_alone() {
    let pair = Pair::new(true).await;
    pair.drafts(6).await;
    pair.front.hold_john_to(&[("EWSFindCountLimit", Some(2))]);
    let page = |offset| {
        format!(
            "<m:IndexedPageItemView MaxEntriesReturned=\"10000\" Offset=\"{offset}\" BasePoint=\"Beginning\"/>"
        )
    };
    for offset in [0, 2, 4] {
        let (status, answer) = pair.call("secret", &find_drafts(&page(offset))).await;
        assert_eq!(status, 200);
        assert_eq!(answer.matches("<t:ItemId ").count(), 2, "{answer}");
        assert!(answer.contains(&format!("IndexedPagingOffset=\"{}\"", offset + 2)), "{answer}");
        assert!(answer.contains(&format!("IncludesLastItemInRange=\"{}\"", offset == 4)), "{answer}");
    }
    let (status, answer) = pair.call("secret", &find_drafts("")).await;
    assert_eq!(status, 200);
    assert!(answer.contains("ErrorExceededFindCountLimit"), "{answer}");
    assert!(answer.contains("<t:Value Name=\"PolicyLimit\">2</t:Value>"), "{answer}");
}

/// What a find brings under `limit`, before the embedded origin and before a remote one that has the same mail.
async fn both_ways(pair: &Pair, view: &str) -> [String; 2] {
    let (origin, behind) = pair.behind.as_ref().unwrap();
    // An error in a foreign answer declares its prefix itself, since it cannot know what is declared around it.
    let own = " xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"";
    let soap = |answer: String| answer.split_once("\r\n\r\n").unwrap().1.replace(own, "");
    origin.gateway.reload(listening(true));
    let (_, embedded) = call(*behind, "secret", &find_drafts(view)).await;
    origin.gateway.reload(listening(false));
    let (_, remote) = pair.call("secret", &find_drafts(view)).await;
    [soap(embedded), soap(remote)]
}

#[tokio::test]
async fn a_find_comes_out_alike_before_either_origin() {
    let calendar = "<m:CalendarView StartDate=\"2010-01-01T00:00:00Z\" EndDate=\"2010-02-01T00:00:00Z\"";
    for limit in [1, 2, 5, 6, 7] {
        let pair = Pair::new(true).await;
        pair.drafts(6).await;
        pair.front.hold_john_to(&[("EWSFindCountLimit", Some(limit))]);
        pair.behind.as_ref().unwrap().0.hold_john_to(&[("EWSFindCountLimit", Some(limit))]);
        let mut views =
            vec![String::new(), format!("{calendar}/>"), format!("{calendar} MaxEntriesReturned=\"3\"/>")];
        for offset in [0, 3, 6] {
            for base in ["Beginning", "End"] {
                views.push(format!("<m:IndexedPageItemView Offset=\"{offset}\" BasePoint=\"{base}\"/>"));
                views.push(format!(
                    "<m:IndexedPageItemView MaxEntriesReturned=\"4\" Offset=\"{offset}\" BasePoint=\"{base}\"/>"
                ));
            }
            views.push(format!("<m:FractionalPageItemView Numerator=\"{offset}\" Denominator=\"6\"/>"));
        }
        for view in views {
            let [embedded, remote] = both_ways(&pair, &view).await;
            assert!(embedded.contains("ResponseCode>"), "{embedded}");
            assert_eq!(embedded, remote, "limit {limit}, {view}");
        }
    }
}

#[tokio::test]
async fn exactly_the_limit_passes_unpaged_and_looks_unpaged() {
    let pair = Pair::new(true).await;
    pair.drafts(3).await;
    pair.front.hold_john_to(&[("EWSFindCountLimit", Some(3))]);
    let (_, answer) = pair.call("secret", &find_drafts("")).await;
    assert_eq!(answer.matches("<t:ItemId ").count(), 3, "{answer}");
    assert!(!answer.contains("IndexedPagingOffset"), "{answer}");
}

#[tokio::test]
async fn who_only_observes_changes_nothing_of_an_answer() {
    let pair = Pair::new(false).await;
    pair.drafts(3).await;
    pair.front.hold_john_to(&[("EWSFindCountLimit", Some(1)), ("EWSMaxConcurrency", Some(0))]);
    let (status, answer) = pair.call("secret", &find_drafts("")).await;
    assert_eq!(status, 200);
    assert_eq!(answer.matches("<t:ItemId ").count(), 3, "{answer}");
}

#[tokio::test]
async fn an_origin_that_is_down_is_answered_for_in_the_protocols_words() {
    let (stop, stopping) = watch::channel(false);
    let nobody = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url: ServerUrl = format!("http://{}", nobody.local_addr().unwrap()).parse().unwrap();
    drop(nobody);
    let front = World::before(RemoteSettings::new(vec![url]), listening(true)).await;
    let address = serve(&front, stopping).await;
    let pair = Pair { front: Arc::new(front), address, behind: None, _stop: stop };
    let (status, answer) = pair.call("secret", &envelope(GET_INBOX)).await;
    assert_eq!(status, 500, "{answer}");
    assert!(answer.contains("ErrorServerBusy") && answer.contains("BackOffMilliseconds"), "{answer}");
}
