//! The client programs that one owner used.

use weir_units::WallTime;

/// Bytes of a user agent that are remembered; the rest is cut off.
const LONGEST_NAME: usize = 256;

/// A client program, as it calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its user agent; empty where it states none.
    pub user_agent: String,
    /// When it was first seen.
    pub first_seen: WallTime,
    /// When it was last seen.
    pub last_seen: WallTime,
    /// How many requests it sent.
    pub requests: u64,
}

/// The programs of one owner, in the order in which they were first seen.
#[derive(Debug, Default)]
pub(super) struct Programs(Vec<Program>);

impl Programs {
    /// Counts a request of the program that calls itself `name`. Of more than `most` the one that was seen longest ago is
    /// forgotten.
    pub(super) fn note(&mut self, name: &str, most: usize, now: WallTime) {
        let name = name.get(..name.floor_char_boundary(LONGEST_NAME)).unwrap_or_default();
        if let Some(known) = self.0.iter_mut().find(|known| known.user_agent == name) {
            known.last_seen = now;
            known.requests = known.requests.saturating_add(1);
            return;
        }
        if self.0.len() >= most.max(1) {
            let oldest = self.0.iter().enumerate().min_by_key(|(_, program)| program.last_seen);
            if let Some((place, _)) = oldest {
                self.0.remove(place);
            }
        }
        self.0.push(Program { user_agent: name.to_owned(), first_seen: now, last_seen: now, requests: 1 });
    }

    /// All of them, the one seen last first.
    pub(super) fn latest_first(&self) -> Vec<Program> {
        let mut programs = self.0.clone();
        programs.sort_by_key(|program| std::cmp::Reverse(program.last_seen));
        programs
    }
}
