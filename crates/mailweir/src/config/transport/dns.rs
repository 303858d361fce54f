//! `[transport.dns]`: whom names are asked of, and what becomes of the answers (H1).

use weir_balance::TARGETS_MAX;
use weir_mta::settings::DnsSettings;
use weir_transport::next_hop::{DnsFailures, DnsFaultTolerance, Families, ResolutionSettings};

use super::super::key::Effect::Restart;
use super::super::kind::{Count, ListOf, OneOf};
use super::super::reader::Section;
use super::kinds::{NameServer, Span};

const TOLERANCE: OneOf<DnsFaultTolerance> =
    OneOf(&[("lenient", DnsFaultTolerance::Lenient), ("normal", DnsFaultTolerance::Normal)]);
const FAILURES: OneOf<DnsFailures> = OneOf(&[("bounce", DnsFailures::Bounce), ("retry", DnsFailures::Retry)]);
const FAMILIES: OneOf<Families> =
    OneOf(&[("both", Families::Both), ("ipv4", Families::Ipv4), ("ipv6", Families::Ipv6)]);
const TTL: Span = Span::seconds(0, 7 * 86_400);

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> (DnsSettings, ResolutionSettings) {
    let (asking, answers) = (asking(s), answers(s));
    if asking.timeout > asking.patience {
        s.mistake_at(
            "timeout",
            "transport.dns.timeout is longer than patience, which ends every look-up before; lower it",
        );
    }
    if answers.ttl_min > answers.ttl_max {
        s.mistake_at("ttl_min", "transport.dns.ttl_min is longer than ttl_max; lower it");
    }
    (asking, answers)
}

fn asking(s: &mut Section<'_, '_, '_>) -> DnsSettings {
    let d = DnsSettings::default();
    DnsSettings {
        servers: s.value("servers", Restart, &ListOf(NameServer), d.servers),
        timeout: s.value("timeout", Restart, &Span::seconds(1, 60), d.timeout),
        patience: s.value("patience", Restart, &Span::seconds(1, 600), d.patience),
        entries: s.value("entries", Restart, &Count(1, 10_000_000), d.entries),
    }
}

fn answers(s: &mut Section<'_, '_, '_>) -> ResolutionSettings {
    let d = ResolutionSettings::default();
    ResolutionSettings {
        dns_fault_tolerance: s.value("fault_tolerance", Restart, &TOLERANCE, d.dns_fault_tolerance),
        dns_failures: s.value("failures", Restart, &FAILURES, d.dns_failures),
        families: s.value("families", Restart, &FAMILIES, d.families),
        port: s.value("mx_port", Restart, &Count(1, 65_535), d.port),
        mx_hosts: s.value("mx_hosts", Restart, &Count(1, 100), d.mx_hosts),
        targets: s.value("targets", Restart, &Count(1, TARGETS_MAX), d.targets),
        ttl_min: s.value("ttl_min", Restart, &TTL, d.ttl_min),
        ttl_max: s.value("ttl_max", Restart, &TTL, d.ttl_max),
    }
}
