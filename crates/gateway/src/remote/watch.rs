//! A find's answer that passes untouched, counted on a copy (T10, T20).
//!
//! Where nobody is held to a limit no byte is changed, so that the answer may come compressed: it is decoded beside its
//! way, within a bound, and read by the same rules as one that is judged. What it counts is in the log and in the budget
//! until the answer is out, as it would be if the limit held. What cannot be decoded or read is not counted.

use std::io::Write;

use flate2::write::{GzDecoder, ZlibDecoder};
use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;
use weir_throttle::Seen;
use weir_wire::ews::peek::FindView;
use weir_wire::ews::relay::{Allowance, Decision, Event, Judgement, Relay, RelayLimits, RootFolder};

use crate::visit::Visit;

/// Bytes of an answer that are decoded at most; what is behind them is not counted.
const MOST_DECODED: usize = 256 << 20;
/// Bytes that are decoded at a time: of so few no decoder makes more than four mebibytes.
const PIECE: usize = 4 << 10;

/// The copy of an answer to a find.
pub(super) struct Watch {
    relay: Relay,
    view: FindView,
    coding: Coding,
    decoded: usize,
}

/// How the answer is coded.
enum Coding {
    Plain,
    Gzip(Box<GzDecoder<Vec<u8>>>),
    Deflate(Box<ZlibDecoder<Vec<u8>>>),
    /// In a way that nobody knows here, or wrongly.
    Unreadable,
}

impl Watch {
    /// A watch over the answer to a find with this view.
    pub(super) fn new(view: FindView) -> Self {
        Self { relay: Relay::new(RelayLimits::default()), view, coding: Coding::Plain, decoded: 0 }
    }

    /// The answer has this head.
    pub(super) fn begin(&mut self, head: &HeaderMap) {
        let mut codings = head.get_all(CONTENT_ENCODING).iter();
        let (coding, another) = (codings.next(), codings.next());
        self.coding = match coding.map(|coding| coding.as_bytes().to_ascii_lowercase()).as_deref() {
            _ if another.is_some() => Coding::Unreadable,
            None | Some(b"identity") => Coding::Plain,
            Some(b"gzip" | b"x-gzip") => Coding::Gzip(Box::new(GzDecoder::new(Vec::new()))),
            Some(b"deflate") => Coding::Deflate(Box::new(ZlibDecoder::new(Vec::new()))),
            Some(_) => Coding::Unreadable,
        };
    }

    /// Counts what a piece of the answer says.
    pub(super) fn feed(&mut self, piece: &[u8], visit: &mut Visit) {
        for part in piece.chunks(PIECE) {
            let Some(decoded) = self.coding.decode(part) else {
                self.coding = Coding::Unreadable;
                return;
            };
            self.decoded = self.decoded.saturating_add(decoded.len());
            if self.decoded > MOST_DECODED {
                self.coding = Coding::Unreadable;
                return;
            }
            self.read(&decoded, visit);
        }
    }

    fn read(&mut self, mut decoded: &[u8], visit: &mut Visit) {
        let mut copy = Vec::new();
        while let Some(event) = self.relay.feed(&mut decoded, &mut copy) {
            match event {
                Event::Folder(folder) => {
                    self.count(&folder, visit);
                    self.relay.decide(Decision::Pass, &mut copy);
                }
                Event::Counted { .. } => {}
            }
        }
    }

    /// Counts a folder, and notes where the limit would not have let it pass (T12).
    fn count(&self, folder: &RootFolder, visit: &mut Visit) {
        let Judgement::Pass { came } = Allowance::new(None).judge(&self.view, folder) else { return };
        let Some(permit) = visit.admitted() else { return };
        // What is not said is not a number: a folder without attributes counts nothing here.
        let came = if folder.total.is_none() && came == u32::MAX { 0 } else { came };
        let left = permit.spared_find_left().filter(|_| !self.view.is_paged());
        permit.take_found(came, self.view.is_paged());
        if let Some(left) = left.filter(|left| self.view.max().is_none_or(|max| max > *left)) {
            permit.spare(Seen::Whole { came: came.into(), left: left.into() });
        }
    }
}

impl Coding {
    /// The bytes that `part` stands for; none where it cannot be read.
    fn decode(&mut self, part: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Plain => Some(part.to_vec()),
            Self::Gzip(decoder) => {
                decoder.write_all(part).and_then(|()| decoder.flush()).ok()?;
                Some(std::mem::take(decoder.get_mut()))
            }
            Self::Deflate(decoder) => {
                decoder.write_all(part).and_then(|()| decoder.flush()).ok()?;
                Some(std::mem::take(decoder.get_mut()))
            }
            Self::Unreadable => None,
        }
    }
}

#[cfg(test)]
mod tests;
