//! The bounds of a spool, each with its name.
//!
//! One of them is about the disk: [`Limits::disk_bytes`], which the spool's segments never exceed. Since messages are
//! removed by copying what remains, only a part of that is for messages, [`Limits::message_room`]; the rest is garbage that
//! waits for its removal, and the room that removing needs. What a sender is refused for, and what back pressure (H16)
//! looks at, is that part.

/// The longest part of a body that is one record, and the most that a message on its way in holds in memory.
pub const PIECE_BYTES: usize = 32 << 10;

/// The longest record. Whatever a file says, nothing longer is ever read into memory.
pub const RECORD_BYTES_MAX: usize = 16 << 20;

/// Segments that are kept for what must go on when no message is taken any more: states, and copying.
const RESERVED_SEGMENTS: u64 = 2;

/// The fewest segments that a disk must have room for.
const SEGMENTS_MIN: u64 = 8;

/// How much a spool takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that all segments have together, at most.
    pub disk_bytes: u64,
    /// Bytes from which on a segment is followed by the next.
    pub segment_bytes: u32,
    /// Messages that are queued at once.
    pub messages: usize,
    /// Messages that are on their way in at once.
    pub drafts: usize,
    /// The longest body.
    pub body_bytes: u64,
    /// The longest envelope.
    pub envelope_bytes: usize,
    /// The most recipients of one message.
    pub recipients: usize,
    /// The longest state of one recipient.
    pub state_bytes: usize,
    /// Bytes of damaged places that are kept aside for somebody to look at.
    pub damaged_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            disk_bytes: 4 << 30,
            segment_bytes: 64 << 20,
            messages: 1_000_000,
            drafts: 2_000,
            body_bytes: 100 << 20,
            envelope_bytes: 64 << 10,
            recipients: 1_000,
            state_bytes: 4 << 10,
            damaged_bytes: 256 << 20,
        }
    }
}

/// Limits that no spool can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitsError {
    /// The disk's limit leaves no room to work in.
    #[error(
        "a spool needs room for {SEGMENTS_MIN} segments, {needed} bytes, and its limit is {given}; raise it"
    )]
    Disk {
        /// The fewest bytes.
        needed: u64,
        /// What is set.
        given: u64,
    },
    /// A segment could not hold a piece, or is longer than places can be counted.
    #[error("a segment has from {least} to {most} bytes, and {given} are set")]
    Segment {
        /// The shortest.
        least: u32,
        /// The longest.
        most: u32,
        /// What is set.
        given: u32,
    },
    /// An envelope with all its recipients would not fit one record.
    #[error(
        "an envelope with all its recipients has at most {RECORD_BYTES_MAX} bytes, and the limits allow {given}; lower one of them"
    )]
    Record {
        /// What the limits allow.
        given: u64,
    },
}

impl Limits {
    /// The shortest segment.
    const SEGMENT_LEAST: u32 = 4 << 10;
    /// The longest: places are counted in 32 bits, and the last record may end beyond it.
    const SEGMENT_MOST: u32 = 1 << 30;

    /// Whether a spool can keep these limits.
    ///
    /// # Errors
    /// Where it cannot, with what to change.
    pub fn check(self) -> Result<Self, LimitsError> {
        let (least, most, given) = (Self::SEGMENT_LEAST, Self::SEGMENT_MOST, self.segment_bytes);
        if !(least..=most).contains(&given) {
            return Err(LimitsError::Segment { least, most, given });
        }
        let needed = SEGMENTS_MIN * u64::from(self.segment_bytes);
        if self.disk_bytes < needed {
            return Err(LimitsError::Disk { needed, given: self.disk_bytes });
        }
        let given = self.longest_record();
        if given > count(RECORD_BYTES_MAX) {
            return Err(LimitsError::Record { given });
        }
        Ok(self)
    }

    /// Bytes for messages: of what the disk's limit leaves beside the reserve, one half.
    ///
    /// ```
    /// use weir_spool::Limits;
    /// let limits = Limits { disk_bytes: 1 << 30, segment_bytes: 64 << 20, ..Limits::default() };
    /// assert_eq!(limits.message_room(), 448 << 20);
    /// ```
    pub const fn message_room(&self) -> u64 {
        self.append_room() / 2
    }

    /// Bytes of segments from which on no message is taken: the reserve is for states and for copying.
    pub(crate) const fn append_room(&self) -> u64 {
        self.disk_bytes.saturating_sub(RESERVED_SEGMENTS * self.wide_segment())
    }

    /// Garbage from which on removing it is worth copying, beside `live` bytes that are none.
    pub(crate) const fn garbage_allowed(&self, live: u64) -> u64 {
        live / 2 + 2 * self.wide_segment()
    }

    /// Segments from which on the oldest is given up however little garbage there is.
    pub(crate) const fn segments(&self) -> u64 {
        self.disk_bytes / self.wide_segment() + SEGMENTS_MIN
    }

    const fn wide_segment(&self) -> u64 {
        // `u64::from` is not const.
        #[allow(clippy::as_conversions, clippy::cast_lossless, reason = "32 bits fit 64")]
        {
            self.segment_bytes as u64
        }
    }

    fn longest_record(&self) -> u64 {
        let recipients = count(self.recipients).saturating_mul(count(self.state_bytes) + 32);
        let pieces = self.body_bytes.div_ceil(1024).saturating_mul(12);
        recipients.saturating_add(pieces).saturating_add(count(self.envelope_bytes)).saturating_add(1024)
    }
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
