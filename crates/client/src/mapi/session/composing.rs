//! What goes into the next request.

use std::collections::VecDeque;

use weir_units::Tick;
use weir_wire::mapi::rop::{MAX_HANDLES, RopId};

use super::super::batch::Batch;
use super::super::holds::Holds;
use super::{MAX_PAYLOAD, Waiting};

/// A list of ROPs.
pub(super) struct Composed {
    pub(super) list: Vec<u8>,
    /// For each ROP the place of its batch among those that wait, in rising order, and its length.
    pub(super) rops: Vec<(usize, usize)>,
    /// When the first of those that are held back may go.
    pub(super) next: Tick,
}

/// As many ROPs as may go and fit, at most `most`: of each batch those before the first that is held back.
pub(super) fn compose(
    waiting: &VecDeque<Waiting>,
    holds: &Holds,
    handles: usize,
    most: usize,
    now: Tick,
) -> Composed {
    let room = room(handles);
    let mut composed = Composed { list: Vec::new(), rops: Vec::new(), next: Tick::NEVER };
    for (place, waiting) in waiting.iter().enumerate() {
        for (logon, call) in waiting.rest() {
            let until = holds.of(*logon, call.rop());
            if until > now {
                composed.next = composed.next.min(until);
                break;
            }
            let before = composed.list.len();
            call.write(*logon, &mut composed.list);
            if composed.list.len() > room || composed.rops.len() >= most {
                composed.list.truncate(before);
                return composed;
            }
            composed.rops.push((place, composed.list.len() - before));
        }
    }
    composed
}

/// A ROP of the batch that fits into no request, if there is one.
pub(super) fn too_long(batch: &Batch) -> Option<RopId> {
    let room = room(MAX_HANDLES);
    let mut rop = Vec::new();
    let mut calls = batch.calls.iter();
    let (_, call) = calls.find(|(logon, call)| {
        rop.clear();
        call.write(*logon, &mut rop);
        rop.len() > room
    })?;
    Some(call.rop())
}

/// The room for ROPs beside their size and so many handles.
const fn room(handles: usize) -> usize {
    MAX_PAYLOAD - 2 - 4 * handles
}
