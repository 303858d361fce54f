//! Shadow redundancy on the wire (H12): `XSHADOW` and `XQDISCARD`.
//!
//! The documents name the verbs and publish no grammar; this one is Mailweir's own. Whoever hands a message on keeps a
//! shadow of it until the next hop says that it went onward.
//!
//! ```text
//! C: EHLO hub01.example.com
//! S: 250-… 250 XSHADOW
//! C: XSHADOW hub01                        the holder's name; partners alone, after authentication
//! S: 250 2.0.0 4f2a90c1                   which queue database this is: another one than last time, and all is lost
//! C: MAIL FROM:<a@example.com> XSHADOW=017 the holder's identity of this message
//!   …
//! C: XQDISCARD 100                        which of mine went onward? at most 100 of them
//! S: 250-2.0.0 9 2 0                      cursor, how many follow, how many are left
//! S: 250-2.0.0 017
//! S: 250 2.0.0 018
//! C: XQDISCARD 100 9                      the next ones; those up to cursor 9 may be forgotten
//! S: 250 2.0.0 9 0 0
//! ```
//!
//! A notice is forgotten only once its cursor came back, so that an answer that is lost loses no notice.

#[cfg(test)]
mod tests;

use std::fmt;

use super::parameter::number;
use super::reply::{Code, Reply};
use super::token::Token;

/// The most notices of one answer.
pub const MAX_NOTICES: usize = 100;

/// What XQDISCARD asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscardQuery {
    /// How many notices to answer with, at most [`MAX_NOTICES`].
    pub most: usize,
    /// The cursor up to which notices may be forgotten.
    pub seen: Option<u64>,
}

/// What XQDISCARD is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscardNotices {
    /// Where these end.
    pub cursor: u64,
    /// How many more are waiting.
    pub left: u64,
    /// The messages that went onward.
    pub messages: Vec<Token>,
}

impl DiscardQuery {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (most, seen) = match text.split_once(' ') {
            Some((most, seen)) => (most, Some(number(seen)?)),
            None => (text, None),
        };
        let most = usize::try_from(number(most)?).ok()?;
        (1..=MAX_NOTICES).contains(&most).then_some(Self { most, seen })
    }
}

impl fmt::Display for DiscardQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.most)?;
        self.seen.map_or(Ok(()), |seen| write!(f, " {seen}"))
    }
}

impl DiscardNotices {
    /// The answer that says so, with the first [`MAX_NOTICES`] messages.
    pub fn reply(&self) -> Reply {
        let told = self.messages.iter().take(MAX_NOTICES);
        let first = format!("{} {} {}", self.cursor, told.len(), self.left);
        told.fold(Reply::new(Code::OK, 0, 0, &first), |reply, message| reply.and(message.as_str()))
    }

    /// What an answer says; nothing where it is none, or one cut short.
    pub fn read(reply: &Reply) -> Option<Self> {
        let mut lines = reply.lines();
        let mut numbers = lines.next().filter(|_| reply.code() == Code::OK)?.split(' ').map(number);
        let (cursor, count, left) = (numbers.next()??, numbers.next()??, numbers.next()??);
        let messages = lines.map(Token::new).collect::<Option<Vec<Token>>>()?;
        let whole = numbers.next().is_none() && u64::try_from(messages.len()) == Ok(count);
        whole.then_some(Self { cursor, left, messages })
    }
}

/// The answer to XSHADOW: which queue database this is.
pub fn database_reply(database: &Token) -> Reply {
    Reply::new(Code::OK, 0, 0, database.as_str())
}

/// Which queue database a peer has, by its answer to XSHADOW.
pub fn database(reply: &Reply) -> Option<Token> {
    let mut lines = reply.lines();
    let id = lines.next().filter(|_| reply.code() == Code::OK).and_then(Token::new);
    id.filter(|_| lines.next().is_none())
}
