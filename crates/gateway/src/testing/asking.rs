//! Calls that ask for a place at an origin, as tests make them.

use std::sync::Arc;

use tokio::sync::oneshot::Receiver;
use weir_throttle::fair::Weight;
use weir_units::{Owner, Tick};

use crate::permit::place::entering;
use crate::places::{InLine, Place, Places};

/// A call that has asked for a place.
pub(crate) struct Asking {
    line: Option<InLine>,
    place: Receiver<Option<Place>>,
}

/// One more call of the owner asks.
pub(crate) fn ask(places: &Arc<Places>, owner: &str) -> Asking {
    let (begin, place) = entering();
    let begin = Box::new(|place| begin(Some(place)));
    let asked = places.ask(&Owner::new(owner), Weight::ONE, begin, || true);
    let line = asked.unwrap_or_else(|(crowded, _)| panic!("{crowded}"));
    Asking { line, place }
}

impl Asking {
    /// Its place, which it has at once.
    pub(crate) fn at_once(mut self) -> Place {
        self.place.try_recv().ok().flatten().expect("a place is free")
    }

    /// Its place once its turn has come; none where that is not so until `until`.
    pub(crate) async fn until(self, until: Tick) -> Option<Place> {
        if let Some(line) = self.line {
            line.wait(until).await;
        }
        self.place.await.ok().flatten()
    }
}
