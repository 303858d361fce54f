use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use weir_balance::State;
use weir_throttle::Busy;
use weir_units::{Component, EventId, Micros, Millis, Part, Refusal, TimePart, WallTime};

use super::{BudgetState, Check, Front, Metrics};
use crate::block::Protocol;

fn registered() -> (Registry, Metrics) {
    let mut registry = Registry::default();
    let metrics = Metrics::register(&mut registry);
    (registry, metrics)
}

fn text(registry: &Registry) -> String {
    let mut text = String::new();
    encode(&mut text, registry).unwrap();
    text
}

fn check(registry: &Registry, lines: &[&str]) {
    let text = text(registry);
    for line in lines {
        assert!(text.lines().any(|of| of == *line), "no line {line} in\n{text}");
    }
}

fn refusal(part: Part) -> Refusal {
    Refusal { component: Component::Ews, part, limit: 10, used: 10, retry_after: None }
}

#[test]
fn every_family_has_its_documented_name() {
    let (registry, metrics) = registered();
    metrics.refused(&refusal(Part::MaxConcurrency));
    metrics.would_refuse(Component::Ews, Part::MaxConcurrency);
    metrics.would_delay(Component::Ews, Part::Cpu);
    metrics.blocked(Protocol::Eas);
    metrics.would_block(Protocol::Mapi);
    metrics.delayed(Component::Ews, Part::Time(TimePart::Cas), Micros::SECOND);
    metrics.delayed(Component::Ews, Part::Cpu, Micros::new(250_000));
    metrics.request(Front::Ews, Micros::new(17_000));
    metrics.origin("embedded", Micros::new(3_000));
    metrics.budgets(Component::Ews, BudgetState::OverBudget, 3);
    metrics.targets([(State::Unhealthy, 2), (State::Unproved, 1), (State::Unhealthy, 3)]);
    metrics.policy_cache(7, 2, 5);
    metrics.event(EventId::DELETED_POLICY_REFERENCED);
    metrics.checked(Check::Failed);
    metrics.log_lines_dropped(4);
    metrics.certificate_expires(WallTime::from_unix_micros(1_800_000_000_000_000));
    metrics.cpu_load(Busy::new(7500));
    metrics.bypass(true);
    let connected = metrics.connected(Front::Http);
    let lines = [
        "mailweir_throttle_refused_total{component=\"EWS\",part=\"MaxConcurrency\"} 1",
        "mailweir_throttle_would_refuse_total{component=\"EWS\",part=\"MaxConcurrency\"} 1",
        "mailweir_throttle_would_delay_total{component=\"EWS\",part=\"CPUStartPercent\"} 1",
        "mailweir_blocked_total{protocol=\"eas\"} 1",
        "mailweir_would_block_total{protocol=\"mapi\"} 1",
        "mailweir_throttle_delayed_total{component=\"EWS\",part=\"PercentTimeInCAS\"} 1",
        "mailweir_throttle_delayed_total{component=\"EWS\",part=\"CPUStartPercent\"} 1",
        "mailweir_throttle_sleep_seconds_sum 0.25",
        "mailweir_throttle_sleep_seconds_count 1",
        "mailweir_request_seconds_count{front=\"ews\"} 1",
        "mailweir_request_seconds_bucket{le=\"0.025\",front=\"ews\"} 1",
        "mailweir_origin_seconds_sum{origin=\"embedded\"} 0.003",
        "mailweir_connections{front=\"http\"} 1",
        "mailweir_budgets{component=\"EWS\",state=\"over_budget\"} 3",
        "mailweir_targets{state=\"unhealthy\"} 5",
        "mailweir_targets{state=\"unproved\"} 1",
        "mailweir_policy_cache_hits_total 7",
        "mailweir_policy_cache_misses_total 2",
        "mailweir_policy_cache_entries 5",
        "mailweir_event_total{id=\"2914\"} 1",
        "mailweir_credential_checks_total{outcome=\"failed\"} 1",
        "mailweir_request_log_dropped_total 4",
        "mailweir_certificate_expiry_seconds 1800000000",
        "mailweir_cpu_load_ratio 0.75",
        "mailweir_bypass 1",
        concat!("mailweir_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
    ];
    check(&registry, &lines);
    drop(connected);
    check(&registry, &["mailweir_connections{front=\"http\"} 0"]);
}

#[test]
fn mapi_sessions_are_counted_and_their_servers_named() {
    let (registry, metrics) = registered();
    metrics.rpc_operations(3);
    metrics.rpc_operations(4);
    metrics.rpc_backoff(Millis::new(20));
    metrics.rpc_backoff(Millis::new(5));
    metrics.rpc_would_back_off();
    metrics.rpc_latency("embedded", Micros::new(25_000));
    metrics.rpc_sessions("embedded", 12);
    metrics.request(Front::Mapi, Micros::SECOND);
    let lines = [
        "mailweir_rpc_operations_total 7",
        "mailweir_rpc_client_backoffs_total 2",
        "mailweir_rpc_backoff_milliseconds_total 25",
        "mailweir_rpc_would_back_off_total 1",
        "mailweir_rpc_average_latency_seconds{origin=\"embedded\"} 0.025",
        "mailweir_rpc_sessions{origin=\"embedded\"} 12",
        "mailweir_request_seconds_count{front=\"mapi\"} 1",
    ];
    check(&registry, &lines);
}

#[test]
fn counts_that_others_keep_are_carried_over_once() {
    let (registry, metrics) = registered();
    metrics.policy_cache(7, 2, 5);
    metrics.policy_cache(9, 2, 4);
    metrics.log_lines_dropped(1);
    metrics.log_lines_dropped(1);
    let lines = [
        "mailweir_policy_cache_hits_total 9",
        "mailweir_policy_cache_misses_total 2",
        "mailweir_policy_cache_entries 4",
        "mailweir_request_log_dropped_total 1",
    ];
    check(&registry, &lines);
}

#[test]
fn a_connection_that_is_dropped_anywhere_counts_as_closed() {
    let (registry, metrics) = registered();
    let open: Vec<_> = (0..27).map(|_| metrics.connected(Front::Ews)).collect();
    check(&registry, &["mailweir_connections{front=\"ews\"} 27"]);
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _moved = open;
        panic!("a task that dies");
    }));
    check(&registry, &["mailweir_connections{front=\"ews\"} 0"]);
}

#[test]
fn only_a_wait_for_the_processor_is_a_sleep() {
    let (registry, metrics) = registered();
    metrics.delayed(Component::Ews, Part::Time(TimePart::MailboxRpc), Micros::MINUTE);
    check(&registry, &["mailweir_throttle_sleep_seconds_count 0"]);
}

#[test]
fn the_text_ends_as_the_format_asks() {
    let (registry, _) = registered();
    assert!(text(&registry).ends_with("# EOF\n"));
}
