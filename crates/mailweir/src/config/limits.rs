//! `[limits]`: how much one connection and one request may take before they are cut off.

use weir_gateway::settings::ConnectionLimits;

use super::key::Effect::{Reload, Restart};
use super::kind::{Count, Memory, Size, Time};
use super::reader::Section;

const KIB: usize = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> ConnectionLimits {
    let d = ConnectionLimits::default();
    let limits = ConnectionLimits {
        workers: s.value("workers", Restart, &Count(0, 256), d.workers),
        connections: s.value("connections", Restart, &Count(1, 1_000_000), d.connections),
        connections_per_address: s.value(
            "connections_per_address",
            Restart,
            &Count(1, 1_000_000),
            d.connections_per_address,
        ),
        head_bytes: s.value("head_bytes", Restart, &Memory(8 * KIB, 1024 * KIB), d.head_bytes),
        headers: s.value("headers", Restart, &Count(16, 1_000), d.headers),
        tls_handshake: s.value("tls_handshake", Restart, &Time::seconds(1, 120), d.tls_handshake),
        first_byte_time: s.value("first_byte_time", Restart, &Time::seconds(1, 600), d.first_byte_time),
        idle_time: s.value("idle_time", Restart, &Time::seconds(1, 86_400), d.idle_time),
        body_bytes: s.value("body_bytes", Reload, &Size(64 << 10, 4 * GIB), d.body_bytes),
        body_grace: s.value("body_grace", Reload, &Time::seconds(1, 600), d.body_grace),
        body_rate: s.value("body_rate", Reload, &Size(1, GIB), d.body_rate),
        bodies_bytes: s.value("bodies_bytes", Restart, &Size(MIB, 1024 * GIB), d.bodies_bytes),
        discard_bytes: s.value("discard_bytes", Reload, &Size(0, GIB), d.discard_bytes),
        write_idle_time: s.value("write_idle_time", Restart, &Time::seconds(1, 3_600), d.write_idle_time),
        elements: s.value("elements", Reload, &Count(1_000, 100_000_000), d.elements),
        depth: s.value("depth", Reload, &Count(16, 1_000), d.depth),
        batch_items: s.value("batch_items", Reload, &Count(1, 1_000_000), d.batch_items),
        answer_bytes: s.value("answer_bytes", Reload, &Memory(KIB, 16 * 1024 * KIB), d.answer_bytes),
        drain_time: s.value("drain_time", Restart, &Time::seconds(0, 3_600), d.drain_time),
    };
    if limits.bodies_bytes < limits.body_bytes {
        s.mistake_at(
            "bodies_bytes",
            "limits.bodies_bytes is less than limits.body_bytes: not even one body of that size would fit"
                .to_owned(),
        );
    }
    limits
}
