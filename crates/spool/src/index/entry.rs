//! What the index keeps of one message: few bytes, since there may be a million.

use weir_units::WallTime;

use super::Placed;
use crate::record::Place;

/// When a recipient is due: a time, or one of two things that are later than any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct When(i64);

impl When {
    /// Somebody is at it.
    pub(super) const TAKEN: Self = Self(i64::MAX - 1);
    /// Nothing is left to be done.
    pub(super) const FINISHED: Self = Self(i64::MAX);

    pub(super) fn of(due: Option<WallTime>) -> Self {
        due.map_or(Self::FINISHED, |due| Self(due.unix_micros().min(i64::MAX - 2)))
    }

    pub(super) fn time(self) -> Option<WallTime> {
        (self < Self::TAKEN).then(|| WallTime::from_unix_micros(self.0))
    }
}

/// One recipient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) when: When,
    /// The update that has the latest state; segment 0 where that is the message's own record.
    place: Place,
    /// Bytes of that update.
    bytes: u32,
}

impl Spot {
    pub(super) fn new(when: When, place: Place, bytes: u64) -> Self {
        Self { when, place, bytes: u32::try_from(bytes).unwrap_or(u32::MAX) }
    }

    const fn in_record(when: When) -> Self {
        Self { when, place: Place { segment: 0, offset: 0 }, bytes: 0 }
    }

    fn update(&self) -> Option<Place> {
        (self.place.segment != 0).then_some(self.place)
    }
}

/// Most messages have one recipient, which takes no further memory.
#[derive(Clone, Debug)]
enum Spots {
    One(Spot),
    Many(Box<[Spot]>),
}

/// One message.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    place: Place,
    /// The oldest segment that has a part of its body or its own record; updates come later.
    pub(super) oldest: u32,
    /// Bytes of its own record and of its body.
    bytes: u64,
    spots: Spots,
}

/// Where a message's records are.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// Its own.
    pub(crate) place: Place,
    /// Where the latest state of a recipient is, in the order of the recipients.
    pub(crate) standings: Vec<Standing>,
}

/// Where the latest state of a recipient is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// In the message's own record.
    InRecord,
    /// In the update there.
    InUpdate(Place),
}

impl Entry {
    pub(super) fn new(placed: &Placed) -> Self {
        let spots = match placed.dues.as_slice() {
            [due] => Spots::One(Spot::in_record(When::of(*due))),
            dues => Spots::Many(dues.iter().map(|due| Spot::in_record(When::of(*due))).collect()),
        };
        Self { place: placed.place, oldest: placed.oldest, bytes: placed.bytes, spots }
    }

    /// The same message with its record and all states elsewhere.
    pub(super) fn relocated(self, placed: &Placed) -> Self {
        let mut spots = self.spots;
        for spot in spots.as_mut_slice() {
            *spot = Spot::in_record(spot.when);
        }
        Self { place: placed.place, oldest: placed.oldest, bytes: placed.bytes, spots }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes + self.spots().iter().map(|spot| u64::from(spot.bytes)).sum::<u64>()
    }

    pub(super) fn spots(&self) -> &[Spot] {
        match &self.spots {
            Spots::One(spot) => std::slice::from_ref(spot),
            Spots::Many(spots) => spots,
        }
    }

    pub(super) fn spots_mut(&mut self) -> &mut [Spot] {
        self.spots.as_mut_slice()
    }

    pub(super) fn spot_mut(&mut self, recipient: u32) -> Option<&mut Spot> {
        self.spots_mut().get_mut(usize::try_from(recipient).ok()?)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.spots().iter().all(|spot| spot.when == When::FINISHED)
    }

    /// When its first recipient is due.
    pub(super) fn first(&self) -> When {
        self.spots().iter().map(|spot| spot.when).min().unwrap_or(When::FINISHED)
    }

    pub(super) fn located(&self) -> Located {
        let standing = |spot: &Spot| spot.update().map_or(Standing::InRecord, Standing::InUpdate);
        let standings = self.spots().iter().map(standing).collect();
        Located { place: self.place, standings }
    }
}

impl Spots {
    fn as_mut_slice(&mut self) -> &mut [Spot] {
        match self {
            Self::One(spot) => std::slice::from_mut(spot),
            Self::Many(spots) => spots,
        }
    }
}
