//! Recorded shapes of answers, cut in all ways.

mod bounds;
mod reference;
mod shapes;
mod whole;

use super::{Decision, Event, Keep, Relay, RelayLimits, RootFolder};
use crate::ews::refusal::too_many_found;
use crate::ews::request::Version;
use crate::ews::response::{ErrorMessage, Paging};

fn error() -> ErrorMessage {
    too_many_found(1000, Version::Exchange2010Sp1)
}

fn keep(entries: u32, next: u32) -> Decision {
    Decision::Keep(Keep { skip: 0, entries, next: Paging::Indexed(next) })
}

/// What became of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Relayed {
    out: String,
    folders: Vec<RootFolder>,
    counted: Vec<(u32, Option<u32>)>,
    entries: u32,
}

/// Relays the pieces, deciding on each folder by its index.
fn relay<'a>(
    limits: &RelayLimits,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    decide: impl Fn(&RootFolder) -> Decision,
) -> Relayed {
    let (mut relay, mut relayed, mut out) = (Relay::new(limits.clone()), Relayed::default(), Vec::new());
    for mut piece in pieces {
        while let Some(event) = relay.feed(&mut piece, &mut out) {
            match event {
                Event::Folder(folder) => {
                    relay.decide(decide(&folder), &mut out);
                    relayed.folders.push(folder);
                }
                Event::Counted { index, entries } => relayed.counted.push((index, entries)),
            }
        }
        assert!(piece.is_empty());
    }
    relayed.entries = relay.entries();
    relay.end(&mut out);
    relayed.out = String::from_utf8_lossy(&out).into_owned();
    relayed
}

/// Relays the answer cut in several ways, with the same outcome.
fn relay_cut(answer: &str, decide: impl Fn(&RootFolder) -> Decision) -> Relayed {
    let whole = relay(&RelayLimits::default(), [answer.as_bytes()], &decide);
    for size in [1, 2, 3, 17, 100] {
        let cut = relay(&RelayLimits::default(), answer.as_bytes().chunks(size), &decide);
        assert_eq!(cut, whole, "by {size}");
    }
    whole
}
