use super::World;
use super::world::mapi_session;
use crate::client::ClientError;
use crate::types::{MapiOrigin, MapiSession, SessionFilter, SessionSort};

/// John with two sessions and Jane with one, at a server that is slow.
async fn world() -> World {
    let world = World::example().await;
    let quiet = MapiSession {
        id: 8,
        rops_last_minute: 12,
        mean_gap_us: Some(5_000_000),
        backoffs: 0,
        backoff_ms: 0,
        owes_ms: 0,
        backed_off: false,
        seen_latency_us: Some(310_000),
        ..mapi_session()
    };
    let silent = MapiSession {
        id: 9,
        owner: "jane.doe@example.com".to_owned(),
        process: None,
        machine: None,
        rops_last_minute: 0,
        mean_gap_us: None,
        backoffs: 900,
        seen_latency_us: None,
        ..mapi_session()
    };
    *world.gateway.sessions.lock().unwrap() = vec![quiet, mapi_session(), silent];
    *world.gateway.mapi_origins.lock().unwrap() = vec![MapiOrigin {
        origin: "embedded".to_owned(),
        average_latency_us: Some(100_250),
        goal_us: 100_000,
        packets: 51_200,
        sessions: 3,
        active: 3,
        backed_off: 1,
    }];
    world
}

async fn ids(world: &World, which: SessionFilter) -> Vec<u64> {
    let listed = world.client.sessions(&which).await.unwrap();
    listed.items.iter().map(|session| session.id).collect()
}

#[tokio::test]
async fn sessions_are_listed_with_what_is_known_of_them_and_their_servers() {
    let world = world().await;
    let listed = world.client.sessions(&SessionFilter::default()).await.unwrap();
    assert_eq!((listed.total, listed.items.len()), (3, 3));
    assert_eq!(listed.items[0], mapi_session(), "most operations first");
    assert_eq!(listed.origins[0].average_latency_us, Some(100_250));
    let answer = world.ask("GET", "/api/v1/sessions", "").await.json();
    assert_eq!(answer["items"][0]["rops_last_minute"], 2_400);
    assert_eq!(answer["items"][2]["process"], serde_json::Value::Null);
}

#[tokio::test]
async fn sessions_come_in_the_order_that_was_asked_for() {
    let world = world().await;
    for (sort, expected) in [
        (SessionSort::Rops, [7, 8, 9]),
        (SessionSort::Backoffs, [9, 7, 8]),
        (SessionSort::Latency, [8, 7, 9]),
        (SessionSort::Owner, [9, 7, 8]),
    ] {
        let found = ids(&world, SessionFilter { sort, ..SessionFilter::default() }).await;
        assert_eq!(found, expected, "{sort:?}");
        assert_eq!(SessionSort::from_name(sort.name()), Some(sort));
        let spelled = serde_json::to_value(sort).unwrap();
        assert_eq!(spelled, sort.name(), "options and answers spell it alike");
    }
}

#[tokio::test]
async fn sessions_of_an_owner_are_found_by_any_of_his_names_and_cut_to_so_many() {
    let world = world().await;
    let of = |owner: &str| SessionFilter { owner: Some(owner.to_owned()), ..SessionFilter::default() };
    for name in ["JohnDoe", "john.doe@example.com", r"EXAMPLE\JohnDoe"] {
        assert_eq!(ids(&world, of(name)).await, [7, 8], "{name}");
    }
    assert!(ids(&world, of("ken@example.com")).await.is_empty());
    let one = SessionFilter { top: Some(1), ..of("JohnDoe") };
    let listed = world.client.sessions(&one).await.unwrap();
    assert_eq!((listed.total, listed.items.len()), (2, 1));
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_refused_with_what_can() {
    let world = world().await;
    for (query, why) in [
        ("top=0", "top is 0; allowed is 1 to 10000"),
        ("top=10001", "allowed is 1 to 10000"),
        ("sort=age", "expected one of `rops`, `backoffs`, `latency`, `owner`"),
        ("who=john", "unknown field `who`"),
    ] {
        let answer = world.ask("GET", &format!("/api/v1/sessions?{query}"), "").await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.message().contains(why), "{query}: {}", answer.message());
    }
}

#[tokio::test]
async fn a_session_that_is_ended_is_gone_and_in_the_audit_log() {
    let world = world().await;
    let closed = world.client.close_session(7).await.unwrap();
    assert_eq!(closed, mapi_session());
    assert_eq!(ids(&world, SessionFilter::default()).await, [8, 9]);
    let line = world.audit().pop().unwrap();
    assert_eq!(
        (&line["action"], &line["target"], &line["before"]["id"]),
        (&"session.close".into(), &"john.doe@example.com".into(), &7.into())
    );
    let error = world.client.close_session(7).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error:?}");
    assert!(error.to_string().contains("list the sessions"), "{error}");
    assert_eq!(world.ask("DELETE", "/api/v1/sessions/seven", "").await.status, 404);
}

#[tokio::test]
async fn an_owners_sessions_stand_beside_his_budgets() {
    let world = world().await;
    let sessions = world.client.budgets("JohnDoe").await.unwrap().sessions;
    assert_eq!(sessions.iter().map(|session| session.id).collect::<Vec<_>>(), [7, 8]);
    assert!(world.client.budgets("ken@example.com").await.unwrap().sessions.is_empty());
}
