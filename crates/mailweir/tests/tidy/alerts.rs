//! The sample alerts ask for what there is.

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use weir_balance::State;
use weir_gateway::metrics::{BudgetState, Check, Front, Metrics};
use weir_mta::metrics::Metrics as MailMetrics;
use weir_mta::view::QueueView;
use weir_spool::Usage;
use weir_transport::pressure::{Level, Resource};
use weir_transport::queue::QueueState;
use weir_transport::routing::NextHopKey;
use weir_units::{Component, EventId, Micros, Part, Refusal, WallTime};

const ALERTS: &str = include_str!("../../../../packaging/prometheus/mailweir.rules.yml");

/// Gives every family of the gateway a sample, with every value that a label of it may have.
fn fill(metrics: &Metrics) {
    let part = Part::MaxConcurrency;
    metrics.refused(&Refusal { component: Component::Ews, part, limit: 10, used: 10, retry_after: None });
    metrics.delayed(Component::Ews, Part::Cpu, Micros::SECOND);
    metrics.request(Front::Ews, Micros::SECOND);
    metrics.origin("embedded", Micros::SECOND);
    metrics.queued("embedded", Micros::SECOND);
    for state in BudgetState::ALL {
        metrics.budgets(Component::Ews, state, 1);
    }
    metrics.targets([(State::Healthy, 1), (State::Unhealthy, 1)]);
    for check in [Check::Accepted, Check::Failed, Check::Unknown, Check::Unchecked] {
        metrics.checked(check);
    }
    for id in [
        EventId::DEFAULT_POLICY_MISSING,
        EventId::SEVERAL_DEFAULT_POLICIES,
        EventId::DELETED_POLICY_REFERENCED,
        EventId::MANY_SESSIONS_BACKED_OFF,
        EventId::POLICY_UNREADABLE,
        EventId::DIRECTORY_UNREACHABLE,
        EventId::CONFIGURATION_REFUSED,
        EventId::AUDIT_UNWRITABLE,
    ] {
        metrics.event(id);
    }
    metrics.rpc_latency("embedded", Micros::SECOND);
    metrics.certificate_expires(WallTime::from_unix_micros(1_800_000_000_000_000));
}

/// Gives every family of the mail transport that is asked for a sample.
fn fill_mail(metrics: &MailMetrics) {
    let queue = QueueView {
        next_hop: NextHopKey::SmartHosts("lab".into()),
        state: QueueState::Retry,
        ready: 1,
        sending: 0,
        deferred: 0,
        connections: 0,
        connection_limit: 1,
        last_error: None,
        retry_count: 0,
        first_retry: None,
        last_retry: None,
        next_retry: None,
        incoming_rate: 0.0,
        outgoing_rate: 0.0,
        velocity: 0.0,
        targets: Vec::new(),
    };
    metrics.queues(&[queue], WallTime::from_unix_micros(0));
    metrics.spool(&Usage::default());
    metrics.pressure([(Resource::Disk, Level::High)]);
}

/// What stands in `text` between each `start` and the first letter after it that does not belong there.
fn words<'t>(text: &'t str, start: &'static str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(start).map(move |(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        rest.split_at(end.unwrap_or(rest.len()))
    })
}

#[test]
fn every_metric_and_label_of_the_sample_alerts_exists() {
    let mut registry = Registry::default();
    fill(&Metrics::register(&mut registry));
    fill_mail(&MailMetrics::register(&mut registry));
    let mut samples = String::new();
    encode(&mut samples, &registry).unwrap();
    let mut asked = 0;
    for (name, rest) in words(ALERTS, "mailweir_") {
        let of_name = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
        assert!(samples.lines().any(|line| of_name(&line)), "no {name} in\n{samples}");
        asked += 1;
        let Some((selector, _)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            continue;
        };
        let Some((label, values)) = selector.split_once('=').filter(|(label, _)| !label.ends_with('!'))
        else {
            let (label, _) = selector.split_once('!').unwrap();
            assert!(
                samples.lines().filter(of_name).any(|line| line.contains(&format!("{label}=\""))),
                "{selector}"
            );
            continue;
        };
        for value in values.trim_start_matches('~').trim_matches('"').split('|') {
            let wanted = format!("{label}=\"{value}\"");
            assert!(
                samples.lines().filter(of_name).any(|line| line.contains(&wanted)),
                "no {name} with {wanted}"
            );
        }
    }
    assert!(asked >= 29, "only {asked} metrics found in the alerts");
}
