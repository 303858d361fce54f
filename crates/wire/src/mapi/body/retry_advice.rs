//! How often and how fast old clients try again, put into the answer to their `Connect` as it passes (R15).

use weir_units::Millis;

/// Bytes in front of the advice that are all 0 where there is a session: status and error code.
const SUCCESS: std::ops::Range<usize> = 0..8;
/// Where the advice stands: the count, then the delay, four bytes each.
const ADVICE: std::ops::Range<usize> = 12..20;

/// Rewrites the retry fields of one answer to `Connect`, in pieces of any size and without changing its length.
///
/// ```
/// use weir_units::Millis;
/// use weir_wire::mapi::body::RetryAdvice;
/// let mut body = [0; 24];
/// RetryAdvice::new(60, Millis::new(1000)).apply(&mut body);
/// assert_eq!(body[12..20], [60, 0, 0, 0, 0xE8, 3, 0, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct RetryAdvice {
    advice: [u8; 8],
    /// How much of the body has passed.
    passed: usize,
    /// Whether there is no session, so that nothing is rewritten.
    failed: bool,
}

impl RetryAdvice {
    /// `count` tries, each after `delay`.
    pub fn new(count: u32, delay: Millis) -> Self {
        let delay = u32::try_from(delay.count()).unwrap_or(u32::MAX);
        let mut advice = [0; 8];
        let numbers = count.to_le_bytes().into_iter().chain(delay.to_le_bytes());
        advice.iter_mut().zip(numbers).for_each(|(place, byte)| *place = byte);
        Self { advice, passed: 0, failed: false }
    }

    /// Rewrites the next piece of the body, which begins behind the envelope.
    pub fn apply(&mut self, piece: &mut [u8]) {
        let near = ADVICE.end.saturating_sub(self.passed);
        for byte in piece.iter_mut().take(near) {
            if SUCCESS.contains(&self.passed) {
                self.failed |= *byte != 0;
            }
            let advised = self.passed.checked_sub(ADVICE.start).and_then(|place| self.advice.get(place));
            if let Some(advised) = advised.filter(|_| !self.failed) {
                *byte = *advised;
            }
            self.passed += 1;
        }
    }
}
