use std::time::Duration;

use super::World;
use crate::client::{Client, ClientError, Locator};
use crate::routes::Endpoint;
use crate::server::AdminSettings;
use crate::types::MailboxFilter;

#[tokio::test]
async fn without_the_token_only_what_is_open_answers() {
    let world = World::example().await;
    let wrong = format!("authorization: Bearer {}\r\n", "0".repeat(64));
    let right_in_basic = format!("authorization: Basic {}\r\n", world.token());
    for headers in ["", &wrong, &right_in_basic, "authorization: Bearer\r\n", "authorization: \u{ff}\r\n"] {
        for endpoint in Endpoint::ALL {
            let answer = world.ask_with(endpoint.route().0.name(), &endpoint.path("x"), headers, "").await;
            if endpoint.is_open() {
                assert_eq!(answer.status, 200, "{endpoint:?} {answer:?}");
            } else {
                assert_eq!((answer.status, answer.code().as_str()), (401, "unauthorised"), "{endpoint:?}");
                assert!(answer.head.to_lowercase().contains("www-authenticate: bearer"), "{answer:?}");
            }
        }
    }
    assert_eq!(world.ask_with("GET", "/api/v1/nothing", "", "").await.status, 401);
    assert_eq!(world.client.mailboxes(&MailboxFilter::default()).await.unwrap().len(), 2, "nothing was done");
}

#[tokio::test]
async fn the_scheme_may_be_written_in_any_case() {
    let world = World::empty().await;
    let headers = format!("authorization: bEARER  {}\r\n", world.token());
    assert_eq!(world.ask_with("GET", "/api/v1/policies", &headers, "").await.status, 200);
}

#[tokio::test]
async fn the_client_says_which_file_held_the_wrong_token() {
    let world = World::empty().await;
    let file = world.data.path().join("other-token");
    std::fs::write(&file, "f".repeat(64)).unwrap();
    let locator = Locator::at(&format!("http://{}", world.address), &file).unwrap();
    let error = Client::new(locator).policies().await.unwrap_err();
    assert!(matches!(&error, ClientError::WrongToken { file: told } if *told == file), "{error:?}");
}

#[tokio::test]
async fn every_documented_endpoint_is_served() {
    let world = World::example().await;
    for endpoint in Endpoint::ALL {
        let answer = world.ask(endpoint.route().0.name(), &endpoint.path("nobody"), "{}").await;
        assert_ne!(answer.status, 405, "{endpoint:?}");
        assert!(!answer.body.contains("no_such_endpoint"), "{endpoint:?} {answer:?}");
    }
}

#[tokio::test]
async fn paths_and_methods_that_are_not_served_say_so_in_json() {
    let world = World::empty().await;
    let answer = world.ask("GET", "/api/v2/policies", "").await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "no_such_endpoint"));
    assert!(answer.message().starts_with("there is nothing at \"/api/v2/policies\""));
    let answer = world.ask("PUT", "/api/v1/policies", "").await;
    assert_eq!((answer.status, answer.code().as_str()), (405, "no_such_method"));
}

#[tokio::test]
async fn a_body_that_is_not_the_json_wanted_is_refused_with_the_place() {
    let world = World::example().await;
    for (body, told) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("[]", "invalid length 0"),
        (
            r#"{"name": "A", "settins": {}}"#,
            "unknown field `settins`, expected one of `name`, `organisation`, `settings`",
        ),
        (r#"{"settings": {}}"#, "missing field `name`"),
        ("\u{0}\u{1}", "expected value"),
    ] {
        let answer = world.ask("POST", "/api/v1/policies", body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"), "{body:?} {answer:?}");
        assert!(answer.message().contains(told), "{body:?}: {}", answer.message());
    }
    let answer = world.ask("GET", "/api/v1/mailboxes?deleted=true", "").await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"), "{answer:?}");
    assert!(answer.message().contains("unknown field `deleted`, expected `deleted_policy`"), "{answer:?}");
    let answer = world.ask("GET", "/api/v1/mailboxes/%FF", "").await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"), "{answer:?}");
}

#[tokio::test]
async fn nesting_without_end_is_refused() {
    let world = World::example().await;
    let answer = world.ask("POST", "/api/v1/policies", &"[".repeat(500_000)).await;
    assert_eq!(answer.status, 400, "{answer:?}");
}

#[tokio::test]
async fn bodies_and_heads_have_a_largest_size() {
    let world = World::with(AdminSettings { max_body: 100, ..AdminSettings::default() }).await;
    let answer = world.ask("POST", "/api/v1/policies", &" ".repeat(101)).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"));
    assert!(answer.message().starts_with("the body is larger than 100 bytes"), "{answer:?}");
    let many = "x: 1\r\n".repeat(65);
    assert_eq!(world.ask_with("GET", "/healthz", &many, "").await.status, 431);
    let long = format!("x: {}\r\n", "y".repeat(20_000));
    assert_eq!(world.ask_with("GET", "/healthz", &long, "").await.status, 431);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_arrive_ends_the_connection() {
    let world = World::empty().await;
    let answer = world.ask_raw(b"GET /healthz HTTP/1.1\r\nhost: x\r\n").await;
    assert!(answer.status == 408 || answer.head.is_empty(), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_refused() {
    let world = World::empty().await;
    let head = format!(
        "POST /api/v1/policies HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {}\r\n\
         content-length: 10\r\n\r\n{{",
        world.token()
    );
    let answer = world.ask_raw(head.as_bytes()).await;
    assert_eq!((answer.status, answer.code().as_str()), (408, "too_slow"), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let settings =
        AdminSettings { max_connections: 1, arrival: Duration::from_secs(3), ..AdminSettings::default() };
    let world = World::with(settings).await;
    let idle = tokio::net::TcpStream::connect(world.address).await.unwrap();
    let answer = world.ask("GET", "/healthz", "").await;
    assert_eq!(answer.status, 200, "the idle connection was closed in the end, and made room");
    drop(idle);
}
