//! Metrics and health, as a monitoring system asks for them (T18).

use crate::support::http;
use crate::support::soap::Client;
use crate::support::{Server, eventually};
use std::io::Write;
use std::time::Duration;

/// What a monitoring system gets at `path`, without any token.
pub(crate) fn look(server: &Server, path: &str) -> http::Reply {
    let mut stream = http::connect(server.admin);
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    http::reply(&mut stream).unwrap()
}

/// Whether the metrics have a sample of that name whose labels contain all of these, with that value.
pub(crate) fn has(metrics: &str, name: &str, labels: &[&str], value: &str) -> bool {
    metrics.lines().any(|line| {
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
            && labels.iter().all(|label| line.contains(label))
            && line.ends_with(&format!(" {value}"))
    })
}

#[test]
fn refusals_and_budgets_are_counted() {
    let server = Server::start("");
    assert!(Client::new(&server, "jane.doe").is_served());
    server.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    assert!(!john.is_served());
    let metrics = look(&server, "/metrics").body;
    let ews = "component=\"EWS\"";
    for (name, labels, value) in [
        ("mailweir_throttle_refused_total", [ews, "part=\"MaxConcurrency\""], "1"),
        ("mailweir_budgets", [ews, "state=\"all\""], "2"),
        ("mailweir_build_info", ["version=", ""], "1"),
    ] {
        assert!(has(&metrics, name, &labels, value), "no {name} {labels:?} {value} in {metrics}");
    }
    for name in [
        "mailweir_policy_cache_hits_total",
        "mailweir_policy_cache_misses_total",
        "mailweir_certificate_expiry_seconds",
    ] {
        assert!(metrics.lines().any(|line| line.starts_with(name)), "no {name} in {metrics}");
    }
}

#[test]
fn a_server_says_that_it_lives_and_is_ready() {
    let server = Server::start("");
    assert_eq!(look(&server, "/healthz").status, 200);
    let ready = eventually(Duration::from_secs(2), || (look(&server, "/readyz").status == 200).then_some(()));
    assert!(ready.is_some());
}

#[test]
fn the_api_wants_its_token() {
    let server = Server::start("");
    assert_eq!(look(&server, "/api/v1/policies").status, 401);
}
