//! Lines of commands, put together from pieces of any size.

#[cfg(test)]
mod tests;

use memchr::memchr;

/// A line of a command, or what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// It ended in CR LF.
    Whole,
    /// It ended in LF alone.
    Bare,
    /// It is longer than is read; its rest is skipped.
    TooLong,
}

/// How long lines may be, with their endings.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineLimits {
    /// Of commands.
    pub(super) command: usize,
    /// Of AUTH with an initial response, and of what follows it.
    pub(super) secret: usize,
}

/// Holds at most one line.
#[derive(Debug)]
pub(super) struct LineReader {
    held: Vec<u8>,
    skipping: bool,
}

impl LineReader {
    /// A reader that has read nothing.
    pub(super) const fn new() -> Self {
        Self { held: Vec::new(), skipping: false }
    }

    /// The next line, taken from the front of `input` and then to be had from [`LineReader::take`]; nothing where all of
    /// `input` is used and no line ends in it. `secret` says that the line belongs to an authentication.
    pub(super) fn next(&mut self, input: &mut &[u8], limits: LineLimits, secret: bool) -> Option<Line> {
        if self.skipping {
            let Some(end) = memchr(b'\n', input) else {
                *input = &[];
                return None;
            };
            *input = input.get(end + 1..).unwrap_or_default();
            self.skipping = false;
        }
        let end = memchr(b'\n', input).map(|end| end + 1);
        let largest = limits.command.max(limits.secret) + 1;
        // One byte beyond the largest limit is enough to know that a line is too long.
        let wanted = end.unwrap_or(input.len()).min(largest.saturating_sub(self.held.len()));
        let (front, rest) = input.split_at_checked(wanted).unwrap_or((input, &[]));
        self.held.extend_from_slice(front);
        *input = rest;
        let limit = if secret || is_auth(&self.held) { limits.secret } else { limits.command };
        let complete = self.held.last() == Some(&b'\n');
        if self.held.len() > limit {
            self.skipping = !complete;
            return Some(Line::TooLong);
        }
        complete.then(|| {
            self.held.pop();
            if self.held.pop_if(|byte| *byte == b'\r').is_some() { Line::Whole } else { Line::Bare }
        })
    }

    /// The line without its ending, or the front of one that is too long. The next one begins behind it.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

fn is_auth(line: &[u8]) -> bool {
    line.get(..5).is_some_and(|front| front.eq_ignore_ascii_case(b"AUTH "))
}
