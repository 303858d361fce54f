use std::sync::atomic::Ordering;

use serde_json::json;

use super::World;
use crate::client::ClientError;

#[tokio::test]
async fn a_process_that_answers_lives() {
    let world = World::empty().await;
    let answer = world.ask_with("GET", "/healthz", "", "").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"status":"alive"}"#));
}

#[tokio::test]
async fn ready_means_bound_and_a_directory_that_answers() {
    let world = World::empty().await;
    world.gateway.unready.store(true, Ordering::SeqCst);
    let answer = world.ask_with("GET", "/readyz", "", "").await;
    assert_eq!(
        (answer.status, answer.message().as_str()),
        (503, "not ready: the listener https is not bound")
    );
    world.gateway.unready.store(false, Ordering::SeqCst);
    let answer = world.ask_with("GET", "/readyz", "", "").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"status":"ready"}"#));
    world.behind_its_back("DELETE FROM version");
    let answer = world.ask_with("GET", "/readyz", "", "").await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "unavailable"), "{answer:?}");
}

#[tokio::test]
async fn metrics_are_brought_up_to_date_and_told_in_their_own_type() {
    let world = World::empty().await;
    for scrapes in 1..=2 {
        let answer = world.ask_with("GET", "/metrics", "", "").await;
        assert_eq!(answer.status, 200);
        let typed = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8";
        assert!(answer.head.to_lowercase().contains(typed), "{answer:?}");
        assert!(answer.body.contains(&format!("mailweir_test_scrapes_total {scrapes}\n")), "{answer:?}");
        assert!(answer.body.ends_with("# EOF\n"));
    }
}

#[tokio::test]
async fn a_reload_tells_what_needs_a_restart() {
    let world = World::empty().await;
    let reloaded = world.client.reload().await.unwrap();
    assert_eq!(reloaded.notes, ["listen.http takes effect at the next start"]);
    assert_eq!(reloaded.changes[0].key, "throttle.max_delay");
    let line = world.audit().pop().unwrap();
    assert_eq!((&line["who"], &line["action"]), (&"admin-token".into(), &"configuration.reload".into()));
    assert_eq!(line["before"], json!({"throttle.max_delay": "\"60s\""}));
    assert_eq!(line["after"], json!({"throttle.max_delay": "\"30s\""}));
}

#[tokio::test]
async fn a_bad_configuration_is_refused_whole() {
    let world = World::empty().await;
    world.gateway.bad_configuration.store(true, Ordering::SeqCst);
    let error = world.client.reload().await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 409, .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "the configuration is refused and the one before stays in force: mailweir.toml:3: unknown key"
    );
}

#[tokio::test]
async fn a_server_that_stops_ends_idle_connections_and_accepts_no_more() {
    let world = World::empty().await;
    let mut idle = tokio::net::TcpStream::connect(world.address).await.unwrap();
    world.ask_with("GET", "/healthz", "", "").await;
    world.stop.send(()).unwrap();
    world.server.await.unwrap();
    let mut rest = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut idle, &mut rest).await.ok();
    assert!(rest.is_empty());
    assert!(tokio::net::TcpStream::connect(world.address).await.is_err());
}
