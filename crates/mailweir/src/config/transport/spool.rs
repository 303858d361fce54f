//! `[transport.spool]`: bounds of the durable queue, which is in the folder `spool` of the data directory (H15).

use weir_spool::Limits;
use weir_spool::limits::LimitsError;

use super::super::key::Effect::Restart;
use super::super::kind::{Count, Memory, Size};
use super::super::reader::Section;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const KIB_OF_MEMORY: usize = 1 << 10;

/// The bounds, and how many bytes of messages are kept in memory besides.
pub(super) fn read(s: &mut Section<'_, '_, '_>) -> (Limits, usize) {
    let d = Limits::default();
    let segment = s.value("segment_bytes", Restart, &Size(64 * KIB, GIB), d.segment_bytes.into());
    let limits = Limits {
        disk_bytes: s.value("disk_bytes", Restart, &Size(MIB, 1024 * 1024 * GIB), d.disk_bytes),
        segment_bytes: u32::try_from(segment).unwrap_or(d.segment_bytes),
        messages: s.value("messages", Restart, &Count(1, 100_000_000), d.messages),
        drafts: s.value("drafts", Restart, &Count(1, 1_000_000), d.drafts),
        body_bytes: s.value("body_bytes", Restart, &Size(64 * KIB, 2 * GIB), d.body_bytes),
        envelope_bytes: s.value(
            "envelope_bytes",
            Restart,
            &Memory(4 * KIB_OF_MEMORY, 4096 * KIB_OF_MEMORY),
            d.envelope_bytes,
        ),
        recipients: s.value("recipients", Restart, &Count(1, 100_000), d.recipients),
        state_bytes: s.value(
            "state_bytes",
            Restart,
            &Memory(KIB_OF_MEMORY, 64 * KIB_OF_MEMORY),
            d.state_bytes,
        ),
        damaged_bytes: s.value("damaged_bytes", Restart, &Size(0, 1024 * GIB), d.damaged_bytes),
    };
    let most = Memory(0, 64 << 30);
    let fresh = s.value("fresh_bytes", Restart, &most, 64 << 20);
    let limits = limits.check().unwrap_or_else(|error| {
        let key = match error {
            LimitsError::Disk { .. } => "disk_bytes",
            LimitsError::Segment { .. } => "segment_bytes",
            LimitsError::Record { .. } => "recipients",
        };
        s.mistake_at(key, format!("transport.spool.{key}: {error}"));
        d
    });
    (limits, fresh)
}
