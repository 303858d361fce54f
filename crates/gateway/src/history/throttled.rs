//! The calls of one owner that were refused or delayed lately, or would have been, each with its line of the log.
//!
//! A client that is refused twenty times a second would soon drive out everything else. So of one kind – component,
//! part and verdict – only [`RUN_LENGTH`] calls of a minute stand for themselves; further ones are counted in the last
//! of them, whose line is then the latest, taken over once a second at most.

use std::collections::VecDeque;
use std::fmt;

use weir_units::{Component, Micros, Part, WallTime};

use super::Note;
use crate::request_log::Verdict;

/// How many calls of one kind and minute stand for themselves.
pub const RUN_LENGTH: usize = 4;
/// Bytes of a line that are remembered; the rest is cut off.
pub const LONGEST_LINE: usize = 4 << 10;
/// How often a line is taken over where many calls stand together.
const REFRESH: Micros = Micros::SECOND;
/// A wait that is shorter is no delay that anybody would ask about.
const SHORTEST_WAIT: Micros = Micros::new(1_000);

/// A call that was refused or delayed, or several of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throttled {
    /// When the first of them was settled.
    pub first_at: WallTime,
    /// When the last of them was settled.
    pub at: WallTime,
    /// How many calls it stands for.
    pub count: u64,
    /// Where they came in.
    pub component: Component,
    /// What was decided.
    pub verdict: Verdict,
    /// The part that decided it.
    pub part: Part,
    /// The longest wait among them.
    pub waited: Micros,
    /// The status of the one whose line this is: of HTTP, or of SMTP.
    pub status: u16,
    /// Its line in the request log; for mail, which has none there, why it was refused.
    pub line: String,
    line_at: WallTime,
}

/// The calls, the oldest first.
#[derive(Debug, Default)]
pub(super) struct ThrottledCalls(VecDeque<Throttled>);

impl ThrottledCalls {
    /// Remembers a call where it was throttled, and forgets the oldest of more than `most`.
    pub(super) fn note(&mut self, note: &Note<'_>, line: impl fmt::Display, most: usize, now: WallTime) {
        let (Some(component), Some(part)) = (note.component, note.why) else { return };
        if !is_worth_a_line(note) {
            return;
        }
        let minute = minute_of(now);
        let mut like_it = self.0.iter_mut().rev().filter(|call| {
            call.component == component
                && call.part == part
                && call.verdict == note.verdict
                && minute_of(call.first_at) == minute
        });
        let latest = like_it.next();
        if let Some(latest) = latest.filter(|_| like_it.count() + 1 >= RUN_LENGTH.min(most.max(1))) {
            latest.join(note, line, now);
            return;
        }
        if self.0.len() >= most.max(1) {
            self.0.pop_front();
        }
        self.0.push_back(Throttled {
            first_at: now,
            at: now,
            count: 1,
            component,
            verdict: note.verdict,
            part,
            waited: note.waited,
            status: note.status,
            line: cut(line),
            line_at: now,
        });
    }

    /// All of them, the latest first.
    pub(super) fn latest_first(&self) -> Vec<Throttled> {
        let mut calls: Vec<Throttled> = self.0.iter().cloned().collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.at));
        calls
    }
}

impl Throttled {
    fn join(&mut self, note: &Note<'_>, line: impl fmt::Display, now: WallTime) {
        self.at = now;
        self.count = self.count.saturating_add(1);
        self.waited = self.waited.max(note.waited);
        if now.since(self.line_at) >= REFRESH {
            (self.line, self.line_at, self.status) = (cut(line), now, note.status);
        }
    }
}

/// Whether the call was refused, or delayed for a time that can be noticed, or would have been.
fn is_worth_a_line(note: &Note<'_>) -> bool {
    match note.verdict {
        Verdict::Refuse | Verdict::WouldRefuse | Verdict::WouldDelay => true,
        Verdict::Delay => note.waited >= SHORTEST_WAIT,
        Verdict::Run | Verdict::Unjudged => false,
    }
}

fn minute_of(at: WallTime) -> i64 {
    at.unix_seconds().div_euclid(60)
}

fn cut(line: impl fmt::Display) -> String {
    let mut text = line.to_string();
    if text.len() > LONGEST_LINE {
        text.truncate(text.floor_char_boundary(LONGEST_LINE));
    }
    text.shrink_to_fit();
    text
}
