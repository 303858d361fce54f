//! Reads a server's replies, in pieces of any size.
//!
//! Servers are odder than the grammar: a code with no text and no space, lines that end in LF alone, lines of one reply
//! with different codes (then the last line's stands, as it ends the reply), bytes that are no ASCII. All that is read.
//! What is not a code at the front of a line, or goes beyond a bound, is no SMTP, and the connection is of no use.

use super::{Code, MAX_REPLY_LINES, Reply, Status};

/// The most bytes of a reply's line that are read: four times what RFC 5321 allows.
pub const MAX_REPLY_LINE: usize = 2048;

/// The most bytes of one reply that are read.
pub const MAX_REPLY_BYTES: usize = 32 * 1024;

/// Reads replies one after another.
///
/// ```
/// use weir_wire::smtp::ReplyReader;
/// let mut reader = ReplyReader::default();
/// let mut piece: &[u8] = b"250-2.1.0 Sen";
/// assert_eq!(reader.next(&mut piece)?, None);
/// let mut piece: &[u8] = b"der\r\n250 2.1.0 OK\r\n250 next";
/// let reply = reader.next(&mut piece)?.expect("it is complete");
/// assert_eq!(reply.to_string(), "250 2.1.0 Sender OK");
/// assert_eq!(piece, b"250 next");
/// # Ok::<(), weir_wire::smtp::ReplyError>(())
/// ```
#[derive(Debug, Default)]
pub struct ReplyReader {
    line: Vec<u8>,
    lines: Vec<(Code, String)>,
    bytes: usize,
}

/// Why what came is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// No code stands at the front of a line.
    #[error("a line of the server's answer begins with no reply code")]
    NoCode,
    /// A line never ends.
    #[error("a line of the server's answer has more than {MAX_REPLY_LINE} bytes")]
    LineTooLong,
    /// The reply never ends.
    #[error("the server's answer has more than {MAX_REPLY_LINES} lines or {MAX_REPLY_BYTES} bytes")]
    TooLong,
}

impl ReplyReader {
    /// The next reply, taken from the front of `input`; nothing where all of `input` is used and no reply ends in it.
    ///
    /// # Errors
    /// [`ReplyError`]: the connection is to be closed, since nobody knows what its other end says next.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Reply>, ReplyError> {
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            if byte == b'\n' {
                if let Some(reply) = self.end_line()? {
                    return Ok(Some(reply));
                }
                continue;
            }
            self.bytes += 1;
            self.line.push(byte);
            if self.line.len() > MAX_REPLY_LINE {
                return Err(ReplyError::LineTooLong);
            }
            if self.bytes > MAX_REPLY_BYTES {
                return Err(ReplyError::TooLong);
            }
        }
        Ok(None)
    }

    /// Takes the line that has just ended; the reply, if it was its last.
    fn end_line(&mut self) -> Result<Option<Reply>, ReplyError> {
        let line = String::from_utf8_lossy(&self.line).trim_end_matches('\r').to_owned();
        self.line.clear();
        let (code, rest) = code_of(&line).ok_or(ReplyError::NoCode)?;
        let (goes_on, text) = match rest.split_at_checked(1) {
            None => (false, rest),
            Some(("-", text)) => (true, text),
            Some((" " | "\t", text)) => (false, text),
            Some(_) => return Err(ReplyError::NoCode),
        };
        if self.lines.len() >= MAX_REPLY_LINES {
            return Err(ReplyError::TooLong);
        }
        self.lines.push((code, text.to_owned()));
        Ok((!goes_on).then(|| self.reply(code)))
    }

    fn reply(&mut self, code: Code) -> Reply {
        self.bytes = 0;
        let lines = std::mem::take(&mut self.lines);
        let status = lines.iter().rev().find_map(|(_, line)| Status::take(line, code));
        let status = status.map(|(status, _)| status);
        let whole = Reply { code, status, lines: Vec::new() };
        lines.iter().fold(whole, |reply, (own, line)| {
            reply.and(Status::take(line, *own).map_or(line.as_str(), |(_, text)| text))
        })
    }
}

fn code_of(line: &str) -> Option<(Code, &str)> {
    let (digits, rest) = line.split_at_checked(3)?;
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some((Code::new(number)?, rest))
}
