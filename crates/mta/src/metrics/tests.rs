use prometheus_client::encoding::text::encode;
use weir_transport::queue::QueueState;
use weir_transport::routing::NextHopKey;

use super::*;

/// A quarter past three on the ninth of March 2010.
const WALL: i64 = 1_268_147_700_000_000;

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

#[track_caller]
fn check(registry: &Registry, lines: &[&str]) {
    let text = text(registry);
    for line in lines {
        assert!(text.lines().any(|of| of == *line), "no line {line} in\n{text}");
    }
}

fn at(seconds: i64) -> WallTime {
    WallTime::from_unix_micros(WALL + seconds * 1_000_000)
}

/// A queue of a domain with so many deferred messages.
fn queue(domain: &str, state: QueueState, deferred: usize) -> QueueView {
    QueueView {
        next_hop: NextHopKey::Dns(domain.parse().unwrap(), "internet".into()),
        state,
        ready: 2,
        sending: 1,
        deferred,
        connections: 0,
        connection_limit: 5,
        last_error: None,
        retry_count: 0,
        first_retry: (state == QueueState::Retry).then(|| at(-90)),
        last_retry: None,
        next_retry: None,
        incoming_rate: 0.0,
        outgoing_rate: 0.0,
        velocity: 0.0,
        targets: Vec::new(),
    }
}

fn fill(metrics: &Metrics) -> Outgoing {
    metrics.received(Some("default"));
    metrics.received(None);
    metrics.refused(Refused::Relay);
    metrics.recipients(DeliveryType::DnsConnector, Fate::Delivered, 3);
    metrics.report(Report::Failure);
    metrics.not_connected();
    metrics.shadows(4, 1);
    metrics.taken_over(2);
    metrics.connectivity_lines_dropped(5);
    metrics.spool(&Usage {
        messages: 7,
        messages_limit: 100,
        bytes: 8,
        bytes_limit: 200,
        disk_bytes: 9,
        disk_limit: 300,
        writable: true,
        ..Usage::default()
    });
    metrics.pressure([(Resource::Disk, Level::Medium), (Resource::Memory, Level::Low)]);
    metrics
        .queues(&[queue("pool.test", QueueState::Retry, 4), queue("a.test", QueueState::Active, 0)], at(0));
    metrics.connected(DeliveryType::SmartHostConnector)
}

#[test]
fn every_family_has_its_documented_name() {
    let (registry, metrics) = registered();
    let connected = fill(&metrics);
    let lines = [
        "mailweir_messages_received_total{connector=\"default\"} 1",
        "mailweir_messages_received_total{connector=\"none\"} 1",
        "mailweir_smtp_refused_total{reason=\"relay\"} 1",
        "mailweir_recipients_total{delivery_type=\"DnsConnectorDelivery\",outcome=\"delivered\"} 3",
        "mailweir_delivery_reports_total{kind=\"failure\"} 1",
        "mailweir_outgoing_connections{delivery_type=\"SmartHostConnectorDelivery\"} 1",
        "mailweir_outgoing_attempts_total{outcome=\"connected\"} 1",
        "mailweir_outgoing_attempts_total{outcome=\"failed\"} 1",
        "mailweir_shadows 4",
        "mailweir_shadow_duplicates_total 1",
        "mailweir_shadow_take_overs_total 2",
        "mailweir_connectivity_lines_dropped_total 5",
        "mailweir_spool_messages 7",
        "mailweir_spool_messages_limit 100",
        "mailweir_spool_bytes 8",
        "mailweir_spool_bytes_limit 200",
        "mailweir_spool_disk_bytes 9",
        "mailweir_spool_disk_bytes_limit 300",
        "mailweir_spool_writable 1",
        "mailweir_back_pressure{resource=\"disk\"} 1",
        "mailweir_back_pressure{resource=\"memory\"} 0",
        "mailweir_queues{state=\"retry\"} 1",
        "mailweir_queues{state=\"suspended\"} 0",
        "mailweir_queue_messages{next_hop=\"DnsConnectorDelivery/pool.test/internet\",state=\"deferred\"} 4",
        "mailweir_queue_messages{next_hop=\"DnsConnectorDelivery/a.test/internet\",state=\"ready\"} 2",
        "mailweir_queue_silent_seconds{next_hop=\"DnsConnectorDelivery/pool.test/internet\"} 90",
        "mailweir_queue_silent_seconds{next_hop=\"DnsConnectorDelivery/a.test/internet\"} 0",
    ];
    check(&registry, &lines);
    drop(connected);
    check(&registry, &["mailweir_outgoing_connections{delivery_type=\"SmartHostConnectorDelivery\"} 0"]);
}

#[test]
fn the_documentation_lists_exactly_the_families_there_are() {
    let (registry, metrics) = registered();
    let _connected = fill(&metrics);
    let text = text(&registry);
    let mut families: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    families.sort_unstable();
    let documentation = include_str!("../../../../docs/operations.md");
    let (_, table) = documentation.split_once("Of mail transport:").unwrap();
    let rows = table.trim_start().lines().take_while(|line| line.starts_with('|'));
    let mut documented: Vec<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .filter_map(|name| name.split('{').next())
        .map(|name| name.strip_suffix("_total").unwrap_or(name))
        .collect();
    documented.sort_unstable();
    assert_eq!(documented, families);
}

#[test]
fn the_fullest_queues_are_counted_alone_and_the_rest_together() {
    let (registry, metrics) = registered();
    let many: Vec<QueueView> = (0..NEXT_HOPS + 3)
        .map(|place| queue(&format!("d{place}.test"), QueueState::Ready, 2 * NEXT_HOPS - place))
        .collect();
    metrics.queues(&many, at(0));
    let deferred = |next_hop: &str, count: usize| {
        format!("mailweir_queue_messages{{next_hop=\"{next_hop}\",state=\"deferred\"}} {count}")
    };
    let last = format!("DnsConnectorDelivery/d{}.test/internet", NEXT_HOPS - 1);
    check(
        &registry,
        &[
            &deferred("DnsConnectorDelivery/d0.test/internet", 2 * NEXT_HOPS),
            &deferred(&last, NEXT_HOPS + 1),
            &deferred("other", 3 * NEXT_HOPS - 3),
        ],
    );
    let series = text(&registry).lines().filter(|line| line.starts_with("mailweir_queue_messages{")).count();
    assert_eq!(series, 3 * (NEXT_HOPS + 1));
}

#[test]
fn a_queue_that_is_gone_has_no_sample_any_more() {
    let (registry, metrics) = registered();
    metrics.queues(&[queue("pool.test", QueueState::Retry, 4)], at(0));
    metrics.queues(&[], at(1));
    assert!(!text(&registry).contains("pool.test"));
    check(&registry, &["mailweir_queues{state=\"retry\"} 0"]);
}

#[test]
fn counts_that_others_keep_are_carried_over_once() {
    let (registry, metrics) = registered();
    for (duplicates, lines) in [(3, 7), (3, 7), (4, 9)] {
        metrics.shadows(0, duplicates);
        metrics.connectivity_lines_dropped(lines);
    }
    check(&registry, &["mailweir_shadow_duplicates_total 4", "mailweir_connectivity_lines_dropped_total 9"]);
}
