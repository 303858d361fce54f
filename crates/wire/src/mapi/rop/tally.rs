//! How many ROPs a request carries (R3, R10), and which logons they are for (R14).

#[cfg(test)]
mod tests;

use super::super::Malformed;
use super::super::payload::Payloads;
use super::buffer::RopBuffer;
use super::id::RopId;
use super::length::{LogonSet, Logons};

/// The most ROPs of a request that are counted: more than fit into the 32 KiB of a client's payload. What goes
/// beyond is a few bytes that unpack to millions, and not worth the time.
pub const MAX_ROPS: u16 = 0x4000;

/// The count of one request.
///
/// ```
/// use weir_wire::mapi::payload::Form;
/// use weir_wire::mapi::rop::{Logons, Tally};
/// let mut buffer = Vec::new();
/// // A list of 7 bytes in all: RopGetPropertiesList and a RopRelease that is cut off. No handles.
/// Form::default().write(&[7, 0, 0x09, 0, 0, 0x01, 0], true, &mut buffer);
/// let tally = Tally::of(&buffer, Logons::default())?;
/// assert_eq!(tally.rops(), 2);
/// assert!(tally.fault().is_some());
/// # Ok::<(), weir_wire::mapi::Malformed>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    rops: u32,
    releases: u32,
    named: LogonSet,
    logons: Logons,
    fault: Option<Malformed>,
    chain: Chain,
}

/// ROPs that upload more than fits into a payload: each further payload has one more like the last of the first, and all
/// of them are one (MS-OXCRPC, section 3.1.4.2.1.2.1). Streams, and fast transfers in two versions.
const UPLOADS: [RopId; 3] = [RopId(0xA3), RopId(0x54), RopId(0x9D)];

/// How far a chain of payloads has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Chain {
    #[default]
    Begins,
    /// The first payload is counted; it ended with this upload, if with any.
    GoesOn(Option<RopId>),
}

impl Tally {
    /// Counts the ROPs in the ROP buffer of a request, in all its payloads; an upload that goes on over several is one.
    /// `logons` is what is known of the session's logons.
    ///
    /// A ROP that cannot be read counts as one, together with what follows it in its payload: the server, which may know
    /// better, gets to see it, and nobody is charged for what nobody knows.
    ///
    /// # Errors
    ///
    /// What is no ROP buffer.
    pub fn of(buffer: &[u8], logons: Logons) -> Result<Self, Malformed> {
        let mut tally = Self::knowing(logons);
        for payload in Payloads::new(buffer) {
            tally.add(RopBuffer::read(&payload?.bytes)?);
        }
        Ok(tally)
    }

    /// A count of nothing, which knows `logons`.
    pub(super) fn knowing(logons: Logons) -> Self {
        Self { logons, ..Self::default() }
    }

    /// Counts one payload.
    pub(super) fn add(&mut self, buffer: RopBuffer<'_>) {
        let mut rops = buffer.rops(self.logons);
        let (mut count, mut last) = (0, None);
        for rop in rops.by_ref() {
            if self.rops + count >= MAX_ROPS.into() {
                self.fault = self
                    .fault
                    .or(Some(Malformed::TooLong { what: "a list of ROPs", limit: MAX_ROPS.into() }));
                break;
            }
            count += 1;
            last = rop.ok().map(|rop| rop.id);
            match rop {
                Ok(rop) => {
                    self.named.set(rop.logon, true);
                    self.releases += u32::from(rop.id == RopId::RELEASE);
                }
                Err(fault) => self.fault = self.fault.or(Some(fault)),
            }
        }
        // Whatever a ROP is, its second byte is the logon.
        if let Some(logon) = rops.rest().get(1) {
            self.named.set(*logon, true);
        }
        self.logons = rops.logons();
        self.rops += self.chain.counted(count, last);
    }

    /// How many ROPs there are.
    pub const fn rops(&self) -> u32 {
        self.rops
    }

    /// How many of them only forget a handle.
    pub const fn releases(&self) -> u32 {
        self.releases
    }

    /// Whether there are none, or none but such as forget a handle: neither throttled nor timed (R15).
    pub const fn is_free(&self) -> bool {
        self.rops == self.releases && self.fault.is_none()
    }

    /// The logons that ROPs are for.
    pub const fn named(&self) -> &LogonSet {
        &self.named
    }

    /// What is known of the session's logons once the server has carried out the request.
    pub const fn logons(&self) -> Logons {
        self.logons
    }

    /// What is wrong with the first ROP that could not be read or was one too many, if there is one. The count is then a
    /// lower bound.
    pub const fn fault(&self) -> Option<Malformed> {
        self.fault
    }
}

impl Chain {
    /// How many of a payload's `count` ROPs are not parts of one that is counted already; `last` is the last of them.
    fn counted(&mut self, count: u32, last: Option<RopId>) -> u32 {
        match *self {
            Self::Begins => {
                *self = Self::GoesOn(last.filter(|last| UPLOADS.contains(last)));
                count
            }
            Self::GoesOn(upload) if count == 1 && upload.is_some() && upload == last => 0,
            Self::GoesOn(_) => count,
        }
    }
}
