//! A log of several files, read once, in the order of time.
//!
//! Files of one server follow one another, those of several servers overlap; either way the line that was written first
//! comes first. What cannot be understood is counted, and the first few are named. A line of ours says when its call
//! arrived on the clock of its process, to the microsecond; the wall time of that clock's beginning is found from the
//! lines themselves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Serialize;
use weir_units::{Micros, Tick, WallTime};

use crate::format::Format;
use crate::names::Names;
use crate::order::Order;
use crate::read::{Call, Parsed, Reader};
use crate::record::{Place, Record};
use crate::replay::Replay;
use crate::source::{Line, Lines};

/// How many files are read at once at most: each is open for as long as it is read.
pub const FILES_MAX: usize = 500;

/// How many lines that were not understood are named.
pub const TROUBLES_MAX: usize = 10;

/// Processes whose beginnings are told apart.
const EPOCHS_MAX: usize = 10_000;

/// How far apart the beginnings of two processes are at least, in microseconds. A line tells its end to the second.
const EPOCHS_APART: i64 = 2_000_000;

/// Files on their way to being calls.
pub struct Log {
    files: Vec<File>,
    /// The next call of each file, by when its line was written.
    next: BinaryHeap<Reverse<(i64, usize)>>,
    names: Names,
    epochs: Epochs,
    order: Order,
    reading: Reading,
    replay: Replay,
}

struct File {
    lines: Lines,
    reader: Reader,
    next: Option<Box<Record>>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// Lines in all.
    pub lines: u64,
    /// Those that tell of a call.
    pub calls: u64,
    /// Those that were not understood.
    pub malformed: u64,
    /// The first of these, and files that could not be read to their end.
    pub troubles: Vec<Trouble>,
    /// Calls that took so long that they were not in their turn any more.
    pub late: u64,
    /// When the first call arrived, in microseconds since 1970.
    #[serde(skip)]
    pub from: Option<WallTime>,
    /// When the last call arrived.
    #[serde(skip)]
    pub to: Option<WallTime>,
}

/// Something that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// Which of the files, counted from 0.
    pub file: usize,
    /// The line, counted from 1.
    pub line: u64,
    /// Why.
    pub why: String,
}

impl Log {
    /// The calls in `files`, at most [`FILES_MAX`], which are logs of `format`.
    pub fn new(format: Format, files: Vec<Lines>) -> Self {
        let file = |lines| File { lines, reader: Reader::new(format), next: None };
        let mut log = Self {
            files: files.into_iter().map(file).collect(),
            next: BinaryHeap::new(),
            names: Names::new(),
            epochs: Epochs::default(),
            order: Order::default(),
            reading: Reading::default(),
            replay: Replay::default(),
        };
        for index in 0..log.files.len() {
            log.read_on(index);
        }
        log
    }

    /// The call that arrived next; nothing at the end.
    pub fn read(&mut self) -> Option<Box<Record>> {
        loop {
            if let Some(record) = self.order.pop(self.next.is_empty()) {
                self.reading.from = self.reading.from.or(Some(record.arrived));
                self.reading.to = Some(record.arrived);
                self.reading.late = self.order.late();
                return Some(record);
            }
            let Reverse((logged, index)) = self.next.pop()?;
            if let Some(record) = self.files.get_mut(index).and_then(|file| file.next.take()) {
                self.order.push(logged, record);
            }
            self.read_on(index);
        }
    }

    /// The names that records speak of by number.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// What was read so far.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// What comparing the recorded verdicts with those found again has shown so far.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// Reads the file until it has a call.
    fn read_on(&mut self, index: usize) {
        let Some(file) = self.files.get_mut(index) else { return };
        loop {
            let place = Place { file: index, line: file.lines.number() + 1 };
            let line = match file.lines.read() {
                Ok(Some(line)) => line,
                Ok(None) => return,
                Err(error) => {
                    return self.reading.trouble(place, format!("the file cannot be read on: {error}"));
                }
            };
            self.reading.lines += 1;
            let parsed = match line {
                Line::TooLong => Parsed::Malformed("it is too long"),
                Line::Whole(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => file.reader.read(text),
                    Err(_) => Parsed::Malformed("it is not UTF-8"),
                },
            };
            match parsed {
                Parsed::Nothing => {}
                Parsed::Malformed(why) => {
                    self.reading.malformed += 1;
                    self.reading.trouble(place, why.to_owned());
                }
                Parsed::Call(call) => {
                    self.reading.calls += 1;
                    self.replay.compare(&call, place);
                    self.next.push(Reverse((call.logged, index)));
                    file.next = Some(taken_in(&call, place, &mut self.names, &mut self.epochs));
                    return;
                }
            }
        }
    }
}

impl Reading {
    fn trouble(&mut self, place: Place, why: String) {
        if self.troubles.len() < TROUBLES_MAX {
            self.troubles.push(Trouble { file: place.file, line: place.line, why });
        }
    }
}

/// The record of a call, with its names as numbers.
fn taken_in(call: &Call<'_>, place: Place, names: &mut Names, epochs: &mut Epochs) -> Box<Record> {
    let owner = if call.user.is_empty() {
        names.owner(call.client)
    } else if call.user.bytes().any(|byte| byte.is_ascii_uppercase()) {
        names.owner(&call.user.to_lowercase())
    } else {
        names.owner(&call.user)
    };
    let subscribes = call.subscriptions.filter(|_| call.operation == "Subscribe");
    Box::new(Record {
        arrived: arrival(call, epochs),
        tick: call.tick.map(Tick::new),
        place,
        owner,
        agent: names.number(&call.agent),
        operation: names.number(call.operation),
        policy: names.owner(&call.policy),
        component: call.component,
        taken: call.taken,
        waited: call.waited,
        cost: call.cost,
        found: call.found,
        subscribes,
        hangs: call.hangs,
        verdict: call.verdict,
        allowed: call.allowed,
    })
}

/// When the call arrived: as its process counts, or as the line says, or the time that it took before the line.
fn arrival(call: &Call<'_>, epochs: &mut Epochs) -> WallTime {
    let micros = |time: Micros| i64::try_from(time.count()).unwrap_or(i64::MAX);
    let began = call.logged.saturating_sub(micros(call.taken));
    WallTime::from_unix_micros(match (call.arrived, call.tick) {
        (Some(arrived), _) => arrived,
        (None, Some(tick)) => {
            let tick = i64::try_from(tick).unwrap_or(i64::MAX);
            epochs.of(began.saturating_sub(tick)).saturating_add(tick)
        }
        (None, None) => began,
    })
}

/// The wall times at which processes began.
#[derive(Debug, Default)]
struct Epochs {
    known: Vec<i64>,
    last: usize,
}

impl Epochs {
    /// The beginning that one line puts at `seen`, within the second that a line is exact to.
    fn of(&mut self, seen: i64) -> i64 {
        let is_near = |known: &i64| known.abs_diff(seen) < EPOCHS_APART.unsigned_abs();
        if let Some(known) = self.known.get(self.last).filter(|known| is_near(known)) {
            return *known;
        }
        if let Some(index) = self.known.iter().position(is_near) {
            self.last = index;
            return self.known.get(index).copied().unwrap_or(seen);
        }
        if self.known.len() < EPOCHS_MAX {
            self.last = self.known.len();
            self.known.push(seen);
        }
        seen
    }
}

#[cfg(test)]
mod tests;
