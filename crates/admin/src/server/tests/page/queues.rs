use super::{Browser, live, read_until};
use crate::server::tests::World;
use crate::types::{TargetView, UsedBy};

const POOL: &str = "/queues/DnsConnectorDelivery%2Fpool.test%2Finternet";

async fn world() -> World {
    let world = World::example().await;
    world.mail.fill();
    world
}

#[tokio::test]
async fn queues_are_looked_at_live_and_told_what_to_do() {
    let world = world().await;
    let browser = Browser::administrator(&world).await;
    let list = browser.see("/queues").await;
    assert!(list.body.contains("data-live=\"/live/queues\""), "{list:?}");
    assert!(
        list.body.contains("pool.test by internet") && list.body.contains(&format!("href=\"{POOL}\"")),
        "{list:?}"
    );
    assert!(list.body.contains("&lt;script&gt;alert") && !list.body.contains("<script>alert"), "{list:?}");
    assert!(list.body.contains(&format!("form=\"say\" formaction=\"{POOL}/suspend\"")), "{list:?}");
    let mut stream = live(&browser, "/live/queues").await;
    let seen = read_until(&mut stream, &format!("formaction=\"{POOL}/suspend\"")).await;
    assert!(!seen.contains(&browser.form_token), "what many see has nobody's token: {seen}");
    let suspended = browser.send(&format!("{POOL}/suspend"), "").await;
    assert!(suspended.head.contains("location: /queues?done=queue"), "{suspended:?}");
    let list = browser.see("/queues?done=queue").await;
    assert!(list.body.contains("The queue is as it was told to be."), "{list:?}");
    assert!(list.body.contains(&format!("formaction=\"{POOL}/resume\"")), "{list:?}");
    assert_eq!(browser.send(&format!("{POOL}/explode"), "").await.status, 404);
    assert_eq!(world.audit().pop().unwrap()["action"], "queue.suspend");
}

#[tokio::test]
async fn the_helpdesk_sees_queues_and_has_no_button_there() {
    let world = world().await;
    let browser = Browser::helpdesk(&world).await;
    for path in ["/queues", POOL, "/messages/12"] {
        let page = browser.see(path).await;
        assert_eq!(page.status, 200, "{path}");
        let (_, main) = page.body.split_once("<main").unwrap();
        assert!(!main.contains("<button") && !main.contains("method=\"post\""), "{path} {page:?}");
    }
    let mut stream = live(&browser, "/live/queues").await;
    let seen = read_until(&mut stream, "pool.test").await;
    assert!(!seen.contains("<button"), "{seen}");
}

#[tokio::test]
async fn a_queue_leads_to_its_messages_page_by_page() {
    let world = world().await;
    {
        let mut messages = world.mail.messages.lock().unwrap();
        let one = messages[0].clone();
        *messages = (100..160).map(|id| crate::types::MessageView { id, ..one.clone() }).collect();
    }
    let browser = Browser::administrator(&world).await;
    let first = browser.see(POOL).await;
    assert!(
        first.body.contains("192.0.2.25:25") && first.body.contains("connection refused"),
        "its targets: {first:?}"
    );
    assert!(
        first.body.contains("href=\"/messages/149\"") && !first.body.contains("/messages/150"),
        "{first:?}"
    );
    let more = format!("{POOL}?after=149");
    assert!(first.body.contains(&format!("href=\"{more}\"")), "{first:?}");
    let second = browser.see(&more).await;
    assert!(second.body.contains("href=\"/messages/159\"") && !second.body.contains("?after="), "{second:?}");
    assert_eq!(browser.see("/queues/none.test").await.status, 404);
}

#[tokio::test]
async fn a_message_tells_why_it_waits_and_is_removed_with_or_without_a_report() {
    let world = world().await;
    let browser = Browser::administrator(&world).await;
    let page = browser.see("/messages/12").await;
    assert!(
        page.body.contains("ann@pool.test") && page.body.contains("451 4.7.1 &lt;b&gt;later"),
        "{page:?}"
    );
    assert!(
        page.body.contains("Logged in as") && page.body.contains(&format!("href=\"{POOL}\"")),
        "{page:?}"
    );
    assert_eq!(browser.send("/messages/12/remove", "").await.status, 400, "with or without?");
    for (id, report) in [(12, true), (13, false)] {
        let removed = browser.send(&format!("/messages/{id}/remove"), &format!("report={report}")).await;
        assert!(removed.head.contains("location: /queues?done=message"), "{removed:?}");
    }
    assert_eq!(*world.mail.removed.lock().unwrap(), [(12, true), (13, false)]);
    assert_eq!(browser.see("/messages/12").await.status, 404);
    world.mail.messages.lock().unwrap()[0].from.clear();
    let report = browser.see("/messages/11").await;
    assert!(
        report.body.contains("nobody (a report)") && !report.body.contains("tell the sender"),
        "{report:?}"
    );
}

#[tokio::test]
async fn the_overview_says_how_much_mail_waits_and_the_servers_where_it_goes() {
    let world = world().await;
    *world.mail.targets.lock().unwrap() = vec![TargetView {
        address: "192.0.2.25:25".to_owned(),
        name: "mx1.pool.test".to_owned(),
        used_by: UsedBy::Transport,
        state: "unhealthy".to_owned(),
        error: Some("connection refused".to_owned()),
        retries: 1,
        last_attempt_ms: Some(100),
        next_retry_ms: Some(500),
        probing: false,
    }];
    let browser = Browser::administrator(&world).await;
    let overview = browser.see("/").await;
    assert!(overview.body.contains("Messages that wait: 18."), "{overview:?}");
    assert!(overview.body.contains("3, of which 3 in retry and 0 suspended"), "{overview:?}");
    let servers = browser.see("/servers").await;
    assert!(servers.body.contains("mx1.pool.test"), "{servers:?}");
    let drained = browser.send("/servers/192.0.2.25:25/drain", "").await;
    assert!(drained.head.contains("location: /servers?done=server"), "{drained:?}");
    assert_eq!(world.mail.targets.lock().unwrap()[0].state, "draining");
}

#[tokio::test]
async fn where_no_transport_runs_the_page_says_so() {
    let world = World::without_mail().await;
    let browser = Browser::administrator(&world).await;
    let page = browser.see("/queues").await;
    assert!(page.body.contains("No mail transport runs here:"), "{page:?}");
    let overview = browser.see("/").await;
    assert!(!overview.body.contains("Messages that wait"), "{overview:?}");
}
