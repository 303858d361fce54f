//! The answer of a server that is not ours to a find, judged and cut while it passes (E7).
//!
//! [`Relay`] lets bytes through until a response message begins, holds its head – class and code, a few hundred
//! bytes – and stops at the `RootFolder` tag, whose attributes say how much the folder brings ([`RootFolder`]). The
//! caller decides, and the folder's items follow: all of them, some of them with the offset set back (T10), or an
//! error in place of the whole message (T12). [`Allowance`] holds the decisions that follow from the limit.
//!
//! A page's surplus can be dropped as it passes. A view that has no offset is all or nothing, so what its attributes
//! leave open must be counted before the first byte goes on: [`Decision::Hold`] keeps the folder until it ends or has
//! too many. The attributes nearly always decide ([`Allowance::judge`] says when), so that holding is the exception; an
//! answer that grows beyond what may be held is let go, since a view is asked for one entry more than is left, and one
//! entry too many does less harm than a calendar that can never be read.
//!
//! Everything that is not understood – a fault, an error, a document that is no answer to a find or no XML – passes
//! byte for byte. The output does not depend on how the input was cut.

mod allowance;
mod filter;
mod replace;
mod root_folder;
#[cfg(test)]
mod tests;

use super::response::{ErrorMessage, Paging};
use super::scan::{ScanLimits, Scanner, Token};
pub use allowance::{Allowance, Judgement};
use filter::Filter;
pub use root_folder::RootFolder;

/// The bounds of what a relay keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayLimits {
    /// Bytes of a response message before its `RootFolder`; with more, the message passes unjudged.
    pub head: usize,
    /// Bytes of a response message that is held until its items are counted; with more, it is let go.
    pub held: usize,
    /// Of tags and names; a document that exceeds them passes unjudged from there on.
    pub scan: ScanLimits,
}

impl Default for RelayLimits {
    fn default() -> Self {
        Self { head: 64 << 10, held: 4 << 20, scan: ScanLimits::default() }
    }
}

/// What the caller should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A folder's items come next: [`Relay::decide`].
    Folder(RootFolder),
    /// The folder that was held has been decided on: what was taken from the limit for more entries than these goes
    /// back.
    Counted {
        /// In which response message, from 0 on.
        index: u32,
        /// How many entries it has; none where they were too many, and an error went on in their place.
        entries: Option<u32>,
    },
}

/// What becomes of a folder's items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// They pass as they are.
    Pass,
    /// They pass, without the offset that an unpaged find has not asked for.
    Unpaged,
    /// Some of them pass (T10).
    Keep(Keep),
    /// They pass if they turn out to be no more than `most`; otherwise the error stands for the whole message.
    Hold {
        /// How many may pass.
        most: u32,
        /// The error.
        error: ErrorMessage,
        /// Whether they pass like [`Decision::Unpaged`].
        unpaged: bool,
    },
    /// The error stands for the whole message (T12).
    TooMany(ErrorMessage),
}

/// Which of a folder's items pass. The folder's attributes then say that these are not the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// So many are dropped first.
    pub skip: u32,
    /// So many pass; the others are dropped.
    pub entries: u32,
    /// Where the client goes on.
    pub next: Paging,
}

/// Takes an answer in pieces of any size, and gives what the client gets of it.
///
/// ```
/// use weir_wire::ews::relay::{Decision, Event, Keep, Relay, RelayLimits};
/// use weir_wire::ews::response::Paging;
/// let answer = "<Envelope><Body><FindItemResponse><ResponseMessages><FindItemResponseMessage>\
///     <RootFolder IndexedPagingOffset='2' TotalItemsInView='2' IncludesLastItemInRange='true'>\
///     <Items><Message/><Task/></Items></RootFolder></FindItemResponseMessage></ResponseMessages>\
///     </FindItemResponse></Body></Envelope>";
/// let (mut relay, mut piece, mut out) = (Relay::new(RelayLimits::default()), answer.as_bytes(), Vec::new());
/// while let Some(event) = relay.feed(&mut piece, &mut out) {
///     assert!(matches!(event, Event::Folder(folder) if folder.total == Some(2)));
///     relay.decide(Decision::Keep(Keep { skip: 0, entries: 1, next: Paging::Indexed(1) }), &mut out);
/// }
/// relay.end(&mut out);
/// let kept = answer.replace("Offset='2'", "Offset='1'").replace("'true'", "'false'").replace("<Task/>", "");
/// assert_eq!(String::from_utf8(out)?, kept);
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
#[derive(Debug)]
pub struct Relay {
    scanner: Scanner,
    filter: Filter,
    /// What became of the rest, once the document could not be read any further.
    rest: Option<Rest>,
}

/// What becomes of bytes that nobody can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// They pass.
    Passes,
    /// They go the way of what they belong to.
    Dropped,
}

impl Relay {
    /// A relay that has read nothing.
    pub fn new(limits: RelayLimits) -> Self {
        Self { scanner: Scanner::new(limits.scan.clone()), filter: Filter::new(limits), rest: None }
    }

    /// Takes bytes from the front of `piece` and appends to `out` what goes on.
    ///
    /// Stops where the caller should know something, with the rest left in `piece`; a folder that waits for its
    /// decision is told of again and again. `None` means that the whole piece was taken.
    pub fn feed(&mut self, piece: &mut &[u8], out: &mut Vec<u8>) -> Option<Event> {
        loop {
            if let Some(event) = self.filter.event() {
                return Some(event);
            }
            if let Some(rest) = self.rest {
                match rest {
                    Rest::Passes => out.extend_from_slice(piece),
                    Rest::Dropped => {}
                }
                *piece = &[];
                return None;
            }
            let passed = match self.scanner.next(piece) {
                Ok(None) => return None,
                Ok(Some(Token::Bytes(bytes))) => {
                    self.filter.bytes(bytes, out);
                    Ok(())
                }
                Ok(Some(Token::Start { tag, depth, .. })) => self.filter.start(tag, depth, out),
                Ok(Some(Token::End { raw, depth, .. })) => {
                    self.filter.end(raw, depth, out);
                    Ok(())
                }
                Err(malformed) => Err(malformed),
            };
            if passed.is_err() {
                self.give_up(out);
            }
        }
    }

    /// Decides on the folder of the last [`Event::Folder`], and appends to `out` what can go on.
    pub fn decide(&mut self, decision: Decision, out: &mut Vec<u8>) {
        self.filter.decide(decision, out);
    }

    /// Says that the answer has ended, and appends to `out` what was held back until its end.
    pub fn end(mut self, out: &mut Vec<u8>) {
        self.give_up(out);
    }

    /// How many entries have passed so far, in all folders.
    pub const fn entries(&self) -> u32 {
        self.filter.entries()
    }

    /// How many bytes are held back at the moment.
    pub fn held(&self) -> usize {
        self.scanner.gathered().len().saturating_add(self.filter.held())
    }

    /// Reads no further: what is held goes on, unless it belongs to what is dropped.
    fn give_up(&mut self, out: &mut Vec<u8>) {
        if self.rest.is_none() {
            self.filter.bytes(self.scanner.gathered(), out);
            self.rest = Some(if self.filter.let_go(out) { Rest::Passes } else { Rest::Dropped });
            self.scanner = Scanner::new(ScanLimits::default());
        }
    }
}
