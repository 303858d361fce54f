//! The sliding minute of one budget: what each time part used in the last 60 s (T5).
//!
//! Time is cut into slices of [`SLICE`]. At the first change in a slice the totals of the four clocks at the slice's
//! border are written into a ring of samples; between two changes a total is a straight line, so borders that passed
//! unnoticed are computed exactly, and a budget that nobody touches needs no upkeep at all. What was used in the last
//! minute is the total at `now` less the total a minute ago, the latter taken between the two samples around it: so a
//! call that runs without end counts exactly its last 60 s, and one that ends is exact to a slice.
//!
//! One thread folds at a time: it reads the clocks, claims the fold with one exchange, writes the ring and publishes.
//! Nobody waits for it. A call that starts meanwhile is not in what the folder read, and belongs to the slice that
//! begins; a reader needs the two oldest samples only, which a fold over a short gap does not touch. After a gap of
//! most of a minute a reader gives the folder a moment, and then takes the minute for empty.

use std::array;

use weir_units::{Micros, Tick, TimePart};

use crate::clock::{Clock, Reading, Sample};
use crate::sync::{AtomicU32, Ordering, breathe, fence};

/// How far time parts may be inexact for a running call (T5).
pub const SLICE: Micros = Micros::new(5_000_000);

/// The slices that make a minute.
const MINUTE: u32 = 12;
/// The minute's borders, both ends counted.
const SLOTS: usize = 13;
/// The first slice has a whole minute before it, so that no slice number is negative.
const FIRST: u32 = MINUTE;

/// The last slice that is told apart, 170 years on.
const LAST: u32 = BUSY_NEAR - 2;

/// A fold is under way that leaves the samples that a reader needs alone.
const BUSY_NEAR: u32 = 1 << 30;
/// A fold is under way that writes every sample.
const BUSY_FAR: u32 = 1 << 31;
const BUSY: u32 = BUSY_NEAR | BUSY_FAR;
/// How often a reader looks again while a fold writes every sample: about a microsecond.
const BREATHS_MAX: u32 = 64;

/// The last minute of four time parts.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Minute {
    /// The slice up to whose border the ring is written, and whether a fold is under way.
    folded: AtomicU32,
    /// Subscriptions, which are no time: they fill the gap before the clocks.
    pub(crate) subscriptions: AtomicU32,
    /// The ring's sample of the whole time a minute before the folded slice, where its clock is.
    oldest: AtomicU32,
    whole: Clock,
    phases: [Clock; 3],
    ring: [[AtomicU32; 4]; SLOTS],
}

impl Minute {
    pub(crate) fn new() -> Self {
        Self {
            folded: AtomicU32::new(FIRST),
            subscriptions: AtomicU32::new(0),
            oldest: AtomicU32::new(0),
            whole: Clock::new(),
            phases: array::from_fn(|_| Clock::new()),
            ring: array::from_fn(|_| array::from_fn(|_| AtomicU32::new(0))),
        }
    }

    /// The clock of `part`. Changing it asks for [`Minute::settle`] first.
    #[inline]
    pub(crate) fn clock(&self, part: TimePart) -> &Clock {
        let [ad, address_book, mailbox_rpc] = &self.phases;
        match part {
            TimePart::Cas => &self.whole,
            TimePart::Ad => ad,
            TimePart::AddressBook => address_book,
            TimePart::MailboxRpc => mailbox_rpc,
        }
    }

    /// Writes the borders up to `now` into the ring, if that is still to be done. Answers when to do it again: at the
    /// end of the slice.
    #[inline]
    pub(crate) fn settle(&self, now: Tick) -> Tick {
        let slice = slice_of(now);
        let folded = self.folded.load(Ordering::Acquire);
        if folded & !BUSY < slice {
            self.fold(folded, slice);
        }
        border(slice + 1)
    }

    /// The end of the slice that `now` is in.
    #[inline]
    pub(crate) fn slice_end(now: Tick) -> Tick {
        border(slice_of(now) + 1)
    }

    /// Whether nothing runs and nothing has changed for `idle` and for more than a minute before `now`.
    pub(crate) fn is_quiet(&self, idle: Micros, now: Tick) -> bool {
        let folded = self.folded.load(Ordering::Acquire);
        let slices = slice_of(now).saturating_sub(folded);
        let clocks = self.readings();
        let free = clocks.iter().all(|clock| clock.running() == 0);
        folded & BUSY == 0 && free && slices > MINUTE && now.since(border(folded)) >= idle
    }

    /// Whether each part has something left of its allowance at `now`. Settles as [`Minute::settle`] does.
    ///
    /// The whole time includes the phases (T4), and what was used since the border a minute before this slice includes
    /// what counts. Where even that is less than every allowance, which is the rule, nothing else is looked at.
    #[inline]
    pub(crate) fn within(&self, allowances: &[Option<Micros>; 4], now: Tick) -> bool {
        self.surely_within(allowances, now) || self.within_after_all(allowances, now)
    }

    #[cold]
    #[inline(never)]
    fn within_after_all(&self, allowances: &[Option<Micros>; 4], now: Tick) -> bool {
        self.settle(now);
        self.view(now).within(allowances)
    }

    /// A consistent look at the last minute before `now`.
    pub(crate) fn view(&self, now: Tick) -> View {
        let mut breaths = 0;
        loop {
            let mark = self.folded.load(Ordering::Acquire);
            let readings = self.readings();
            if mark & BUSY_FAR != 0 {
                if breaths >= BREATHS_MAX {
                    return View::empty(readings, now);
                }
                breaths += 1;
                breathe();
                continue;
            }
            let view = self.view_at(mark & !BUSY, readings, now);
            fence(Ordering::Acquire);
            if self.folded.load(Ordering::Relaxed) & !BUSY == mark & !BUSY {
                return view;
            }
        }
    }

    /// The earliest moment from `now` on at which less than `allowance` of `part` is used, if nothing else is charged;
    /// never where nothing is allowed at all.
    pub(crate) fn clear_at(&self, part: TimePart, allowance: Micros, now: Tick) -> Tick {
        if allowance == Micros::ZERO {
            return Tick::NEVER;
        }
        for _ in 0..BREATHS_MAX {
            let mark = self.folded.load(Ordering::Acquire);
            if mark & BUSY != 0 {
                breathe();
                continue;
            }
            let clear = self.clear_after(part, allowance, mark, now);
            fence(Ordering::Acquire);
            if self.folded.load(Ordering::Relaxed) == mark {
                return clear;
            }
        }
        now.plus(SLICE)
    }

    #[inline]
    fn surely_within(&self, allowances: &[Option<Micros>; 4], now: Tick) -> bool {
        let mark = self.folded.load(Ordering::Acquire);
        let used = self.whole.read().total(now).since(Sample(self.oldest.load(Ordering::Relaxed)));
        fence(Ordering::Acquire);
        let least =
            allowances.iter().flatten().fold(u64::MAX, |least, allowance| least.min(allowance.count()));
        used + Sample::UNIT < least && mark == slice_of(now) && self.folded.load(Ordering::Relaxed) == mark
    }

    fn clear_after(&self, part: TimePart, allowance: Micros, folded: u32, now: Tick) -> Tick {
        let slice = slice_of(now).max(folded);
        let now = now.max(border(slice));
        let readings = self.readings();
        let total = of_part(&readings, part).total(now);
        let mut gone = now.since(border(slice)).count();
        for oldest in slice - MINUTE..=slice {
            let before = *of_part(&self.samples(oldest, folded, readings), part);
            let after = if oldest < slice {
                *of_part(&self.samples(oldest + 1, folded, readings), part)
            } else {
                total.sample()
            };
            let excess = (total.since(before) + 1).saturating_sub(allowance.count());
            if let Some(offset) = offset_of(excess, after.since(before), gone) {
                return border(oldest + MINUTE).plus(Micros::new(offset));
            }
            gone = 0;
        }
        border(slice + MINUTE + 1)
    }

    #[cold]
    #[inline(never)]
    fn fold(&self, mut folded: u32, slice: u32) {
        while folded & BUSY == 0 && folded < slice {
            let readings = self.readings();
            let busy = if slice - folded < MINUTE { BUSY_NEAR } else { BUSY_FAR };
            let claim =
                self.folded.compare_exchange(folded, slice | busy, Ordering::AcqRel, Ordering::Acquire);
            if let Err(found) = claim {
                folded = found;
                continue;
            }
            fence(Ordering::Release);
            let samples = self.samples(slice - MINUTE, folded, readings);
            self.oldest.store(of_part(&samples, TimePart::Cas).0, Ordering::Relaxed);
            for at in (slice - MINUTE).max(folded + 1)..=slice {
                for (slot, reading) in self.row(at).iter().zip(readings) {
                    slot.store(reading.total(border(at)).sample().0, Ordering::Relaxed);
                }
            }
            self.folded.store(slice, Ordering::Release);
            return;
        }
    }

    fn view_at(&self, folded: u32, readings: [Reading; 4], now: Tick) -> View {
        let slice = slice_of(now).max(folded);
        let now = now.max(border(slice));
        let oldest = slice - MINUTE;
        let samples = |at: u32| self.samples(at, folded, readings);
        View {
            now,
            gone: now.since(border(slice)),
            readings,
            oldest: samples(oldest),
            after: samples(oldest + 1),
        }
    }

    /// The totals at the border of slice `at`: out of the ring, or on the straight line after it.
    fn samples(&self, at: u32, folded: u32, readings: [Reading; 4]) -> [Sample; 4] {
        if at > folded {
            return readings.map(|reading| reading.total(border(at)).sample());
        }
        self.row(at).each_ref().map(|slot| Sample(slot.load(Ordering::Relaxed)))
    }

    fn readings(&self) -> [Reading; 4] {
        TimePart::ALL.map(|part| self.clock(part).read())
    }

    fn row(&self, at: u32) -> &[AtomicU32; 4] {
        let index = usize::try_from(at).unwrap_or(0) % SLOTS;
        self.ring.get(index).expect("a remainder is smaller than the ring is long")
    }
}

/// The last minute of a budget at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    now: Tick,
    /// How much of the current slice is over: as much of the oldest one does not count any more.
    gone: Micros,
    readings: [Reading; 4],
    oldest: [Sample; 4],
    after: [Sample; 4],
}

impl View {
    fn empty(readings: [Reading; 4], now: Tick) -> Self {
        let samples = readings.map(|reading| reading.total(now).sample());
        Self { now, gone: Micros::ZERO, readings, oldest: samples, after: samples }
    }

    /// What `part` used in the last minute.
    pub(crate) fn used(&self, part: TimePart) -> Micros {
        let (oldest, after) = (*of_part(&self.oldest, part), *of_part(&self.after, part));
        let total = of_part(&self.readings, part).total(self.now).since(oldest);
        let expired = after.since(oldest) * self.gone.count() / SLICE.count();
        Micros::new(total.saturating_sub(expired))
    }

    /// Whether each part has something left of its allowance.
    pub(crate) fn within(&self, allowances: &[Option<Micros>; 4]) -> bool {
        TimePart::ALL.into_iter().zip(allowances).all(|(part, allowance)| match allowance {
            None => true,
            Some(allowance) => self.used(part) < *allowance,
        })
    }
}

/// How far into a slice, from `least` on, `excess` of the time `used` in the slice a minute before has expired;
/// nothing where the whole slice does not do.
fn offset_of(excess: u64, used: u64, least: u64) -> Option<u64> {
    let offset = match (excess, used) {
        (0, _) => 0,
        (_, 0) => return None,
        _ => (excess * SLICE.count()).div_ceil(used),
    };
    let offset = offset.max(least);
    (offset < SLICE.count()).then_some(offset)
}

/// The element of `parts` that stands for `part`.
#[inline]
pub(crate) const fn of_part<T>(parts: &[T; 4], part: TimePart) -> &T {
    let [ad, cas, address_book, mailbox_rpc] = parts;
    match part {
        TimePart::Ad => ad,
        TimePart::Cas => cas,
        TimePart::AddressBook => address_book,
        TimePart::MailboxRpc => mailbox_rpc,
    }
}

#[inline]
fn slice_of(now: Tick) -> u32 {
    let slices = (now.micros() / SLICE.count()).min(u64::from(LAST - FIRST));
    u32::try_from(slices).unwrap_or(0) + FIRST
}

/// The moment at which `slice` begins.
#[inline]
fn border(slice: u32) -> Tick {
    Tick::new(u64::from(slice.saturating_sub(FIRST)) * SLICE.count())
}

#[cfg(test)]
mod tests;
