//! `[mailbox]`: the bounds of the embedded mailbox server.

use weir_mailbox::Settings;

use super::key::Effect::Restart;
use super::kind::{Count, Memory};
use super::reader::Section;

const MIB: usize = 1 << 20;

pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Settings {
    let d = Settings::default();
    Settings {
        workers: s.value("workers", Restart, &Count(1, 256), d.workers),
        queue: s.value("queue", Restart, &Count(1, 1_000_000), d.queue),
        max_subscriptions: s.value("max_subscriptions", Restart, &Count(1, 10_000_000), d.max_subscriptions),
        max_events: s.value("max_events", Restart, &Count(1, 1_000_000), d.max_events),
        max_page: s.value("max_page", Restart, &Count(1, 1_000_000), d.max_page),
        max_item_bytes: s.value("max_item_bytes", Restart, &Memory(MIB, 2048 * MIB), d.max_item_bytes),
        max_recipients: s.value("max_recipients", Restart, &Count(1, 1_000_000), d.max_recipients),
        max_folders: s.value("max_folders", Restart, &Count(100, 1_000_000), d.max_folders),
        max_tombstones: s.value("max_tombstones", Restart, &Count(100, 100_000_000), d.max_tombstones),
        mapi_handles: s.value("mapi_handles", Restart, &Count(16, 100_000), d.mapi_handles),
        mapi_events: s.value("mapi_events", Restart, &Count(16, 1_000_000), d.mapi_events),
        mapi_session_bytes: s.value(
            "mapi_session_bytes",
            Restart,
            &Memory(MIB, 2048 * MIB),
            d.mapi_session_bytes,
        ),
    }
}
