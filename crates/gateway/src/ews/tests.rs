//! EWS before the embedded mailbox server, over sockets: what a batch holds while it waits for its places (T23, T26).

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::watch;
use weir_throttle::fair::LimitRules;
use weir_units::{Component, Owner};

use crate::places::{Place, Places};
use crate::remote::scripted::{Talk, client_of, eventually};
use crate::settings::Settings;
use crate::testing::World;
use crate::testing::asking::ask;
use crate::testing::http::answer;

const JOHN: &str = "john.doe@example.com";
const JANE: &str = "jane.doe@example.com";

/// A gateway before a mailbox server where one step is carried out at a time.
struct Stage {
    world: World,
    address: SocketAddr,
    places: Arc<Places>,
    _stop: watch::Sender<bool>,
}

impl Stage {
    async fn new() -> Self {
        let mut settings = Settings::default();
        settings.listen.http = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        settings.throttle.fair_share = Some(LimitRules::fixed(1).unwrap());
        let world = World::new(settings);
        let (stop, stopping) = watch::channel(false);
        let bound = world.gateway.bind().await.unwrap();
        let address = bound.addresses().next().unwrap().1;
        tokio::spawn(bound.on_one_clock().serve(stopping));
        let places = Arc::clone(&world.gateway.embedded_places);
        Self { world, address, places, _stop: stop }
    }

    /// Takes the only place, for somebody else.
    fn full(&self) -> Place {
        ask(&self.places, "somebody@example.com").at_once()
    }

    /// The person asks; the answer is still to come.
    async fn asks(&self, name: &str, operation: &str) -> Talk {
        let mut client = client_of(self.address).await;
        let body = format!(
            "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" \
             xmlns:m=\"http://schemas.microsoft.com/exchange/services/2006/messages\" \
             xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"><s:Body>{operation}</s:Body>\
             </s:Envelope>"
        );
        let credential = STANDARD.encode(format!("{name}:secret"));
        let head = format!(
            "POST /EWS/Exchange.asmx HTTP/1.1\r\nHost: mail\r\nAuthorization: Basic {credential}\r\n\
             Content-Type: text/xml; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        client.say(head + &body).await;
        client
    }

    async fn waiting(&self, count: u32) {
        eventually(|| self.places.load().waiting == count).await;
    }

    fn subscriptions(&self, name: &str) -> u32 {
        let account = self.world.gateway.budgets.peek(&Owner::new(name), Component::Ews).unwrap();
        let limits = weir_throttle::ComponentLimits::unlimited(Component::Ews);
        account.budget.snapshot(&limits, self.world.gateway.clock.tick()).subscriptions.1
    }
}

fn drafts(count: usize) -> String {
    let item = "<t:Message><t:Subject>A draft</t:Subject></t:Message>".repeat(count);
    format!(
        "<m:CreateItem MessageDisposition=\"SaveOnly\"><m:SavedItemFolderId><t:DistinguishedFolderId \
         Id=\"drafts\"/></m:SavedItemFolderId><m:Items>{item}</m:Items></m:CreateItem>"
    )
}

const INBOX: &str = "<m:GetFolder><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape></m:FolderShape><m:FolderIds>\
                     <t:DistinguishedFolderId Id=\"inbox\"/></m:FolderIds></m:GetFolder>";
const SUBSCRIBE: &str = "<m:Subscribe><m:PullSubscriptionRequest><t:FolderIds><t:DistinguishedFolderId Id=\"inbox\"/>\
                         </t:FolderIds><t:EventTypes><t:EventType>NewMailEvent</t:EventType></t:EventTypes>\
                         <t:Timeout>10</t:Timeout></m:PullSubscriptionRequest></m:Subscribe>";

#[tokio::test]
async fn a_batch_gives_its_place_back_after_each_item_so_that_others_go_in_between() {
    let stage = Stage::new().await;
    let taken = stage.full();
    let mut batch = stage.asks(JOHN, &drafts(50)).await;
    stage.waiting(1).await;
    let mut single = stage.asks(JANE, INBOX).await;
    stage.waiting(2).await;
    taken.done(true);
    assert_eq!(answer(&mut single).await.status, 200);
    let created = answer(&mut batch).await;
    assert_eq!((created.status, created.text().matches("NoError").count()), (200, 50));
    assert_eq!((stage.places.load().running, stage.places.load().waiting), (0, 0));
    let log = stage.world.logged();
    let line = |name: &str| log.lines().position(|line| line.contains(&format!(" {name} "))).unwrap();
    assert!(line(JANE) < line(JOHN), "{log}");
    let of_john = log.lines().nth(line(JOHN)).unwrap();
    assert!(of_john.contains("RpcC=50;"), "{of_john}");
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_has_had_no_effect_is_refused_where_no_place_comes_free() {
    let stage = Stage::new().await;
    let _taken = stage.full();
    let mut refused = stage.asks(JOHN, &drafts(2)).await;
    let refused = answer(&mut refused).await;
    assert_eq!(refused.status, 500);
    assert!(refused.text().contains("ErrorServerBusy"), "{}", refused.text());
    assert_eq!((stage.places.load().running, stage.places.load().waiting), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_had_no_place_is_not_counted_on() {
    let stage = Stage::new().await;
    let _taken = stage.full();
    let mut refused = stage.asks(JOHN, SUBSCRIBE).await;
    assert_eq!(answer(&mut refused).await.status, 500);
    assert_eq!(stage.subscriptions(JOHN), 0);
    // Nor is one whose client goes while it waits.
    let gone = stage.asks(JOHN, SUBSCRIBE).await;
    stage.waiting(1).await;
    assert_eq!(stage.subscriptions(JOHN), 1);
    drop(gone);
    stage.waiting(0).await;
    eventually(|| stage.subscriptions(JOHN) == 0).await;
}
