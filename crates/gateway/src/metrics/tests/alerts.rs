//! The sample alerts ask for what there is.

use weir_units::{Component, EventId, Micros, Part, WallTime};

use super::{refusal, registered, text};
use crate::metrics::{BudgetState, Check, Front, Metrics};

const ALERTS: &str = include_str!("../../../../../packaging/prometheus/mailweir.rules.yml");

/// Gives every family a sample, with every value that a label of it may have.
fn fill(metrics: &Metrics) {
    metrics.refused(&refusal(Part::MaxConcurrency));
    metrics.delayed(Component::Ews, Part::Cpu, Micros::SECOND);
    metrics.request(Front::Ews, Micros::SECOND);
    metrics.origin("embedded", Micros::SECOND);
    for state in BudgetState::ALL {
        metrics.budgets(Component::Ews, state, 1);
    }
    for state in ["healthy", "unhealthy"] {
        metrics.targets(state, 1);
    }
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
    let (registry, metrics) = registered();
    fill(&metrics);
    let samples = text(&registry);
    let mut asked = 0;
    for (name, rest) in words(ALERTS, "mailweir_") {
        let of_name = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
        assert!(samples.lines().any(|line| of_name(&line)), "no {name} in\n{samples}");
        asked += 1;
        let Some((selector, _)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            continue;
        };
        let (label, values) = selector.split_once('=').unwrap();
        for value in values.trim_start_matches('~').trim_matches('"').split('|') {
            let wanted = format!("{label}=\"{value}\"");
            assert!(
                samples.lines().filter(of_name).any(|line| line.contains(&wanted)),
                "no {name} with {wanted}"
            );
        }
    }
    assert!(asked >= 15, "only {asked} metrics found in the alerts");
}
