//! What a client reports of its calls: how long each took, as it saw it (R17).

use std::collections::VecDeque;

use weir_units::{Micros, Tick};
use weir_wire::mapi::auxiliary::Reports;

/// The most calls that are reported at once; of more, the latest.
const MAX_REPORTED: usize = 16;

/// Calls that were not reported yet: when each was answered, and after how long.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    calls: VecDeque<(Tick, Micros)>,
}

impl Seen {
    /// Notes a call that was made at `sent`.
    pub(super) fn answered(&mut self, sent: Tick, now: Tick) {
        if self.calls.len() >= MAX_REPORTED {
            self.calls.pop_front();
        }
        self.calls.push_back((now, now.since(sent)));
    }

    /// The auxiliary buffer that reports them, once.
    pub(super) fn report(&mut self, now: Tick) -> Vec<u8> {
        let mut reports = Reports::default();
        for (answered, took) in self.calls.drain(..) {
            reports.call(took.floor_millis(), now.since(answered).plus(took).floor_millis());
        }
        reports.buffer()
    }
}
