//! Who has slots on the wheel, and when that is to be looked at again.
//!
//! Each member has a role, which follows from its standing and the settings. As long as no role changes the wheel
//! turns on undisturbed; when one does, the wheel is stopped, what it gave is booked as the members' last choices, and
//! one is started that continues the order (H3). A target that has not proved itself has slots like the others; its
//! turns pass it over while its one connection is being made, and since that leaves its last choice where it was, it is
//! first when it has proved itself: it keeps its turn (H9). Nothing here allocates once the plan is made.

use weir_units::Tick;

use crate::member::Member;
use crate::order::{Entry, Place, arrange, stamp_between, stamp_of_turn};
use crate::record::Standing;
use crate::settings::{AllDown, Probes, Rotation, Settings};
use crate::wheel::Wheel;

/// What a member is on the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It has no slot.
    Out,
    /// It is chosen when its turn comes.
    Plain,
    /// It is chosen when its turn comes and the right to its first connection is free.
    First,
    /// It is chosen when its turn comes, whatever its health.
    Forced,
}

/// The builder's side of a wheel.
#[derive(Debug)]
pub(crate) struct Plan {
    roles: Vec<Role>,
    next: Vec<Role>,
    /// When each member was chosen last, as a stamp.
    last: Vec<u64>,
    /// The stamp of the last choice between two turns.
    between: u64,
    /// Turns that earlier wheels gave.
    given: u64,
    entries: Vec<Entry>,
    places: Vec<Place>,
}

impl Plan {
    /// A plan in which nobody has a slot.
    pub(crate) fn new(members: &[Member]) -> Self {
        let count = members.len();
        Self {
            roles: vec![Role::Out; count],
            next: vec![Role::Out; count],
            last: vec![0; count],
            between: 0,
            given: 0,
            entries: Vec::with_capacity(count),
            places: Vec::with_capacity(slots(members)),
        }
    }

    pub(crate) fn given(&self) -> u64 {
        self.given
    }

    /// Brings roles and wheel up to `now`, and answers when they are to be looked at again if nothing changes before.
    pub(crate) fn refresh(
        &mut self,
        members: &[Member],
        wheel: &Wheel,
        settings: &Settings,
        now: Tick,
    ) -> Tick {
        let wake = self.judge(members, settings, now);
        if self.next != self.roles || wheel.is_worn() {
            self.given += self.book(members, wheel, wheel.close());
            self.roles.clone_from(&self.next);
            self.start(members, wheel, settings.rotation);
        }
        wake
    }

    /// The stamp of each member's last choice, and how many turns there were.
    pub(crate) fn recency(&mut self, members: &[Member], wheel: &Wheel) -> (&[u64], u64) {
        let count = wheel.count_if_open();
        self.book(members, wheel, count);
        (&self.last, self.given + count)
    }

    /// Goes on where another plan stands: `last` has the stamp of each member's last choice.
    pub(crate) fn resume(&mut self, last: impl Iterator<Item = u64>, given: u64) {
        for (mine, theirs) in self.last.iter_mut().zip(last) {
            *mine = theirs;
        }
        self.given = given;
    }

    /// The stamp of something that is chosen between two turns of the wheel.
    pub(crate) fn stamp_between(&mut self, wheel: &Wheel) -> u64 {
        let turn = stamp_between(self.given + wheel.count_if_open());
        self.between = turn.max(self.between + 1);
        self.between
    }

    fn judge(&mut self, members: &[Member], settings: &Settings, now: Tick) -> Tick {
        let mut wake = Tick::NEVER;
        for (role, member) in self.next.iter_mut().zip(members) {
            let standing = member.record.standing(now);
            if settings.rotation == Rotation::Rtm {
                *role = if standing == Standing::Out { Role::Out } else { Role::Forced };
                continue;
            }
            *role = match standing {
                Standing::Plain => Role::Plain,
                Standing::Unproved { .. } if settings.probes == Probes::InTurn => Role::First,
                Standing::Unproved { .. } | Standing::Unhealthy { .. } | Standing::Out => Role::Out,
            };
            if let Standing::Unhealthy { due, held, .. } = standing
                && settings.probes == Probes::InTurn
            {
                wake = wake.min(held.unwrap_or(due));
            }
        }
        if self.next.iter().all(|role| *role == Role::Out) {
            self.fall_back(members, settings, now);
        }
        wake
    }

    /// Nobody is in the rotation: who is used all the same.
    fn fall_back(&mut self, members: &[Member], settings: &Settings, now: Tick) {
        let mut any_unproved = false;
        let mut marked_last = None;
        for member in members {
            match member.record.standing(now) {
                Standing::Unproved { .. } => any_unproved = true,
                Standing::Unhealthy { marked, .. } => marked_last = marked_last.max(Some(marked)),
                Standing::Plain | Standing::Out => {}
            }
        }
        for (role, member) in self.next.iter_mut().zip(members) {
            let used = match (member.record.standing(now), settings.all_down) {
                (Standing::Unproved { .. }, _) => true,
                (Standing::Unhealthy { .. }, AllDown::UseAll) => !any_unproved,
                (Standing::Unhealthy { marked, .. }, AllDown::KeepLast) => {
                    !any_unproved && Some(marked) == marked_last
                }
                (Standing::Unhealthy { .. }, AllDown::Wait) | (Standing::Plain | Standing::Out, _) => false,
            };
            *role = if used { Role::Forced } else { Role::Out };
        }
    }

    /// Books the `count` turns of the wheel as last choices, and answers the count.
    fn book(&mut self, members: &[Member], wheel: &Wheel, count: u64) -> u64 {
        let round = usize::try_from(wheel.length()).unwrap_or(usize::MAX);
        for turn in (0..count).rev().take(round) {
            let Some(member) = wheel.member(turn).map(usize::from) else { break };
            let passed_over = self.roles.get(member) == Some(&Role::First);
            if let Some(last) = self.last.get_mut(member).filter(|_| !passed_over) {
                *last = (*last).max(stamp_of_turn(self.given + turn));
            }
        }
        for (last, member) in self.last.iter_mut().zip(members) {
            *last = (*last).max(member.claimed());
        }
        count
    }

    fn start(&mut self, members: &[Member], wheel: &Wheel, rotation: Rotation) {
        self.entries.clear();
        let mut forced = false;
        for (((number, member), role), last) in (0..).zip(members).zip(&self.roles).zip(&self.last) {
            member.list(*role != Role::Out);
            forced |= *role == Role::Forced;
            if *role != Role::Out {
                let weight = match rotation {
                    Rotation::Healthy => u64::from(member.target.weight.turns()),
                    Rotation::Rtm => 1,
                };
                self.entries.push(Entry { member: number, weight, last: *last });
            }
        }
        arrange(&self.entries, self.given, &mut self.places);
        wheel.open(self.places.iter().map(|(_, _, member)| *member), forced);
    }
}

/// The most slots that a wheel of these members can need.
pub(crate) fn slots(members: &[Member]) -> usize {
    let weights = || members.iter().map(|member| usize::from(member.target.weight.turns()));
    let equal = weights().all(|weight| Some(weight) == weights().next());
    if equal { members.len() } else { weights().sum() }
}
