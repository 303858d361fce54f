//! Several recipients, grouped into copies of a message.
//!
//! Recipients of one next hop share a copy. Those in other sites share one as far as their ways are the same: it goes
//! to the last site that all of them pass, and that site makes the copies (delayed fan-out). Copies and recipients keep
//! the order in which they were named.

use std::sync::Arc;

use super::key::NextHopKey;
use super::route::{Message, Recipient, Rejected, Route, Unreachable};
use super::router::Router;

/// One copy of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageCopy {
    /// Where it goes.
    pub key: NextHopKey,
    /// The sites on the way, the next stop last; none within this site.
    pub way: Vec<Arc<str>>,
    /// The places of its recipients in the list that was routed.
    pub recipients: Vec<usize>,
}

/// What becomes of all recipients of a message: each is in one of these, once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FanOut {
    /// Those that go somewhere.
    pub copies: Vec<MessageCopy>,
    /// Those that have no way as things are.
    pub unreachable: Vec<(usize, Unreachable)>,
    /// Those whose sender is told.
    pub rejected: Vec<(usize, Rejected)>,
}

/// Routes every recipient of a message.
pub fn fan_out(router: &Router, recipients: &[Recipient], message: &Message) -> FanOut {
    let mut all = FanOut::default();
    for (place, recipient) in recipients.iter().enumerate() {
        match router.route(recipient, message) {
            Route::Hop(hop) => all.add(place, hop.key, hop.way),
            Route::Unreachable(reason) => all.unreachable.push((place, reason)),
            Route::Rejected(reason) => all.rejected.push((place, reason)),
        }
    }
    all
}

impl FanOut {
    fn add(&mut self, place: usize, key: NextHopKey, way: Vec<Arc<str>>) {
        let fits = |copy: &&mut MessageCopy| match (copy.way.first(), way.first()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => copy.key == key,
            (Some(_), None) | (None, Some(_)) => false,
        };
        match self.copies.iter_mut().find(fits) {
            Some(copy) => {
                copy.recipients.push(place);
                copy.stop_where_ways_part(&way);
            }
            None => self.copies.push(MessageCopy { key, way, recipients: vec![place] }),
        }
    }
}

impl MessageCopy {
    fn stop_where_ways_part(&mut self, way: &[Arc<str>]) {
        let common = self.way.iter().zip(way).take_while(|(one, other)| one == other).count();
        self.way.truncate(common);
        if let Some(stop) = self.way.last() {
            self.key = NextHopKey::Site(stop.clone());
        }
    }
}

#[cfg(test)]
mod tests;
