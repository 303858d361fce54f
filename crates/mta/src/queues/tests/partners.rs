//! Shadow redundancy between hubs that run (H12): hub01 hands mail to hub02 and hub03, who send it to a sink.

use std::net::SocketAddr;
use std::sync::Arc;

use weir_transport::receive::{Connectors, PermissionGroup, ReceiveConnector, ReceiveLimits};
use weir_transport::routing::Server;
use weir_transport::shadow::ShadowSettings;
use weir_units::{EventId, Micros, WallTime};
use weir_wire::smtp::{DiscardQuery, ForwardPath, Mail, Recipient, ReversePath, Token};

use super::world::{Sink, World, settings, until};
use crate::envelope::{Envelope, Provenance, ShadowState, Standing};
use crate::settings::Settings;
use crate::view::MessageView;

/// An interval after which hubs ask one another.
const SOON: Micros = Micros::new(40_000);

/// Hubs with their addresses, and where their mail goes.
struct Plan {
    hubs: Vec<(&'static str, SocketAddr)>,
    sink: SocketAddr,
    shadow: ShadowSettings,
}

impl Plan {
    /// hub01, and `partners` in another site.
    fn new(partners: &[&'static str], sink: SocketAddr) -> Self {
        let hubs = ["hub01"].iter().chain(partners).map(|name| (*name, free_address()));
        let shadow = ShadowSettings {
            shadow_heartbeat_timeout_interval: SOON,
            shadow_heartbeat_retry_count: 3,
            ..ShadowSettings::default()
        };
        Self { hubs: hubs.collect(), sink, shadow }
    }

    fn settings(&self, name: &'static str) -> Settings {
        let mut settings = settings(&[self.sink]);
        let site = |name: &str| Some(Arc::from(if name == "hub01" { "here" } else { "there" }));
        let others = || self.hubs.iter().filter(|(other, _)| *other != name);
        settings.host_name = format!("{name}.example.com").parse().unwrap();
        settings.routing.name = name.into();
        settings.routing.site = site(name);
        settings.routing.servers = others()
            .map(|(name, address)| Server {
                name: (*name).into(),
                site: site(name),
                address: address.to_string().parse().unwrap(),
            })
            .collect();
        settings.routing.send_connectors[0].source_servers =
            self.hubs.iter().skip(1).map(|(name, _)| Arc::from(*name)).collect();
        let connector = ReceiveConnector {
            name: "default".into(),
            bindings: self.hubs.iter().filter(|(hub, _)| *hub == name).map(|(_, address)| *address).collect(),
            remote_ranges: vec!["127.0.0.0/8".parse().unwrap()],
            permission_groups: vec![PermissionGroup::Servers],
            behind_load_balancer: false,
            limits: ReceiveLimits::internal(),
        };
        settings.receive = Connectors::new(vec![connector], &[]).unwrap();
        settings.shadow_partners = others().map(|(name, _)| Arc::from(*name)).collect();
        settings.shadow = self.shadow;
        settings
    }

    async fn start(&self, name: &'static str) -> World {
        World::new(self.settings(name)).await
    }
}

/// An address that nobody listens at.
fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn shadows(world: &World) -> (usize, u64) {
    world.mta.queues.shadows()
}

fn heard(world: &World, event: EventId) -> usize {
    world.events.lock().unwrap().iter().filter(|heard| heard.id == event).count()
}

/// hub01 and hub02, and a sink that listens or not.
async fn pair(listens: bool) -> (Plan, World, World, Sink) {
    let mut sink = Sink::new().await;
    if !listens {
        sink.stop().await;
    }
    let plan = Plan::new(&["hub02"], sink.address);
    let (hub01, hub02) = (plan.start("hub01").await, plan.start("hub02").await);
    (plan, hub01, hub02, sink)
}

#[tokio::test]
async fn a_message_is_kept_until_the_partner_has_sent_it_onward() {
    let (_plan, hub01, hub02, sink) = pair(false).await;
    hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01) == (1, 0)).await;
    assert_eq!(hub01.held(), 1, "it is on this disk, too");
    let sink = Sink::at(sink.address).await;
    until("the shadow goes, and the notice of it", || hub01.held() == 0 && hub02.held() == 0).await;
    assert_eq!((shadows(&hub01), sink.got().len()), ((0, 0), 1));
}

#[tokio::test]
async fn an_ordinary_session_asks_without_waiting_for_a_heartbeat() {
    let sink = Sink::new().await;
    let mut plan = Plan::new(&["hub02"], sink.address);
    plan.shadow = ShadowSettings::default();
    let (hub01, _hub02) = (plan.start("hub01").await, plan.start("hub02").await);
    for sent in 1..100 {
        hub01.send(&["ken@b.example"]).await;
        until("it arrives", || sink.got().len() == sent).await;
        if shadows(&hub01).0 < sent {
            return;
        }
    }
    panic!("a hundred sessions, and none asked");
}

#[tokio::test]
async fn a_partner_that_is_silent_too_long_is_taken_over_and_duplicates_are_counted_when_it_is_back() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let plan = Plan::new(&["hub02", "hub03"], sink.address);
    let (hub01, hub02) = (plan.start("hub01").await, plan.start("hub02").await);
    hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01).0 == 1).await;
    let hub02 = hub02.stop().await;
    let hub03 = plan.start("hub03").await;
    until("it is sent again, to the other one", || hub03.held() == 1).await;
    assert_eq!(heard(&hub01, EventId::SHADOWS_TAKEN_OVER), 1);
    let sink = Sink::at(sink.address).await;
    until("it arrives", || sink.got().len() == 1).await;
    let hub02 = hub02.start(|_| {}).await;
    until("the one that was dead delivers its own", || sink.got().len() == 2).await;
    until("and wrote down that it did", || hub02.held() > 0).await;
    hub01.mta.retry_target(plan.hubs[1].1).unwrap();
    let mut sent = 2;
    while shadows(&hub01).1 == 0 {
        sent += 1;
        assert!(sent < 100, "hub02 gets its turn");
        hub01.send(&["ken@b.example"]).await;
        until("it arrives", || sink.got().len() == sent).await;
    }
    assert_eq!(shadows(&hub01).1, 1, "one message arrived twice");
}

#[tokio::test]
async fn without_another_way_it_waits_for_the_partner_and_nothing_arrives_twice() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let plan = Plan::new(&["hub02"], sink.address);
    let mut holder = plan.settings("hub01");
    // Between heartbeats nothing goes to it for a minute; no heartbeat waits for that (H7).
    holder.balance.schedule = weir_balance::Schedule::hub();
    let (hub01, hub02) = (World::new(holder).await, plan.start("hub02").await);
    hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01).0 == 1).await;
    let hub02 = hub02.stop().await;
    until("its silence is heard of", || heard(&hub01, EventId::SHADOWS_WITHOUT_WAY) == 1).await;
    assert_eq!((shadows(&hub01), hub01.mta.health().unhealthy().len()), ((1, 0), 1));
    let sink = Sink::at(sink.address).await;
    let hub02 = hub02.start(|_| {}).await;
    until("the partner is back and sends it onward", || hub01.held() == 0 && hub02.held() == 0).await;
    assert_eq!((sink.got().len(), heard(&hub01, EventId::SHADOWS_WITHOUT_WAY)), (1, 1));
    assert_eq!(hub01.mta.health().unhealthy(), []);
}

#[tokio::test]
async fn a_partner_with_another_queue_database_gets_everything_again_at_once() {
    let (_plan, hub01, hub02, sink) = pair(false).await;
    for _ in 0..5 {
        hub01.send(&["ken@b.example"]).await;
    }
    until("the partner has them", || hub02.held() == 5 && shadows(&hub01).0 == 5).await;
    let hub02 = hub02.stop().await;
    let sink = Sink::at(sink.address).await;
    let hub02 = hub02.start_anew().await;
    until("all arrive", || sink.got().len() == 5).await;
    until("and are forgotten", || hub01.held() == 0 && hub02.held() == 0).await;
    assert_eq!(heard(&hub01, EventId::SHADOW_PARTNER_LOST), 1);
    assert_eq!((heard(&hub01, EventId::SHADOWS_TAKEN_OVER), shadows(&hub01).1), (0, 0));
}

#[tokio::test]
async fn an_ordinary_session_finds_the_other_queue_database_too() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let mut plan = Plan::new(&["hub02"], sink.address);
    plan.shadow = ShadowSettings::default();
    let (hub01, hub02) = (plan.start("hub01").await, plan.start("hub02").await);
    hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01).0 == 1).await;
    let hub02 = hub02.stop().await;
    let sink = Sink::at(sink.address).await;
    let _hub02 = hub02.start_anew().await;
    hub01.send(&["jane@b.example"]).await;
    until("both arrive", || sink.got().len() == 2).await;
    assert_eq!(heard(&hub01, EventId::SHADOW_PARTNER_LOST), 1);
}

#[tokio::test]
async fn shadows_outlive_the_process_that_holds_them() {
    let (_plan, hub01, hub02, sink) = pair(false).await;
    hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01).0 == 1).await;
    let hub01 = hub01.restart(|_| {}).await;
    until("it is held again", || shadows(&hub01).0 == 1).await;
    let sink = Sink::at(sink.address).await;
    until("the shadow goes", || hub01.held() == 0).await;
    assert_eq!(sink.got().len(), 1);
}

#[tokio::test]
async fn whoever_is_no_partner_any_more_is_trusted_with_what_it_took() {
    let (_plan, hub01, hub02, _sink) = pair(false).await;
    hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01).0 == 1).await;
    let hub01 = hub01.restart(|settings| settings.shadow_partners.clear()).await;
    until("the shadow goes", || hub01.held() == 0).await;
    assert_eq!((hub02.held(), shadows(&hub01)), (1, (0, 0)));
}

#[tokio::test]
async fn notices_outlive_the_process_that_keeps_its_promise() {
    let sink = Sink::new().await;
    let mut plan = Plan::new(&["hub02"], sink.address);
    plan.shadow.shadow_heartbeat_timeout_interval = Micros::MINUTE;
    let (hub01, hub02) = (plan.start("hub01").await, plan.start("hub02").await);
    hub01.send(&["ken@b.example"]).await;
    until("it arrives", || sink.got().len() == 1).await;
    let hub01 = hub01.stop().await;
    let hub02 = hub02.restart(|_| {}).await;
    assert_eq!(hub02.held(), 1, "the notice");
    let hub01 = hub01.start(|settings| settings.shadow.shadow_heartbeat_timeout_interval = SOON).await;
    until("it is told, and goes", || hub01.held() == 0 && hub02.held() == 0).await;
    assert_eq!(sink.got().len(), 1);
}

#[tokio::test]
async fn a_promise_is_kept_of_what_had_gone_onward_when_the_process_died() {
    let plan = Plan::new(&["hub02", "hub03"], free_address());
    let hub02 = plan.start("hub02").await.stop().await;
    let state = ShadowState {
        partner: "hub03".to_owned(),
        shadow: "9.0.a".to_owned(),
        database: "4f".to_owned(),
        since: i64::MAX,
        next_hop: "SmtpRelayWithinSite/hub03".to_owned(),
    };
    let envelope = Envelope {
        mail: Mail { shadow: Token::new("17"), ..Mail::new(ReversePath::Null) },
        recipients: vec![Recipient::new(ForwardPath::Mailbox("ken@b.example".parse().unwrap()))],
        accepted: WallTime::from_unix_micros(0),
        bytes: 0,
        eight_bit: false,
        origin: Provenance { server: Some("hub01".to_owned()), ..Provenance::default() },
    };
    hub02.place(&envelope, &[Standing::Shadow(state)]).await;
    let hub02 = hub02.start(|settings| settings.shadow = ShadowSettings::default()).await;
    until("the notice is on disk beside the shadow", || hub02.held() == 2).await;
    let query = DiscardQuery { most: 10, seen: None };
    let notices = hub02.mta.queues.shared.shadows.discards(&Token::new("hub01").unwrap(), query);
    assert_eq!((notices.messages, shadows(&hub02).0), (vec![Token::new("17").unwrap()], 1));
}

#[tokio::test]
async fn a_shadow_that_the_administrator_removes_is_reported_to_nobody() {
    let (_plan, hub01, hub02, _sink) = pair(false).await;
    let id = hub01.send(&["ken@b.example"]).await;
    until("the partner has it", || hub02.held() == 1 && shadows(&hub01).0 == 1).await;
    let is_shadow = |message: MessageView| matches!(message.recipients[0].standing, Standing::Shadow(_));
    while !hub01.mta.message(id).await.is_some_and(is_shadow) {
        tokio::task::yield_now().await;
    }
    assert!(hub01.mta.remove(id, true).await.unwrap());
    assert_eq!((hub01.held(), hub01.people.got("john@example.com").len()), (0, 0));
}
