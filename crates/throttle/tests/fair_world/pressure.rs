//! An origin with more to do than it can, and one way to find its limit: how many calls it answers, second by second.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_throttle::fair::Mark;
use weir_units::{Micros, Tick};

use crate::limiter::Limiter;
use crate::origin::Origin;
use crate::second;

/// The way of an answer and of the next call.
const WAY: Micros = Micros::new(100);

pub(crate) struct Pressure {
    pub(crate) origin: Origin,
    pub(crate) limiter: Limiter,
    running: u32,
    marks: Vec<(Mark, Tick)>,
    /// When calls end, whether they are answered, and their numbers.
    ends: BinaryHeap<Reverse<(Tick, bool, usize)>>,
    now: Tick,
    /// Second by second: the limit at its end, and the calls that were answered.
    pub(crate) places: Vec<u64>,
    pub(crate) answers: Vec<u64>,
}

impl Pressure {
    pub(crate) fn new(origin: Origin, limiter: Limiter) -> Self {
        Self {
            origin,
            limiter,
            running: 0,
            marks: Vec::new(),
            ends: BinaryHeap::new(),
            now: Tick::START,
            places: Vec::new(),
            answers: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> Tick {
        self.now
    }

    /// Runs for so many seconds more.
    pub(crate) fn run(&mut self, seconds: usize) {
        for _ in 0..seconds {
            let until = second(self.places.len() as u64 + 1);
            self.answers.push(0);
            self.start();
            while let Some(Reverse((end, answered, number))) = self.ends.peek().copied() {
                if end >= until {
                    break;
                }
                self.ends.pop();
                self.now = end;
                self.running -= 1;
                *self.answers.last_mut().unwrap() += u64::from(answered);
                let (mark, since) = self.marks[number];
                self.limiter.end(mark, end.since(since), answered, end);
                self.start();
            }
            self.now = until;
            self.places.push(u64::from(self.limiter.places()));
        }
    }

    fn start(&mut self) {
        while self.running < self.limiter.places() {
            self.running += 1;
            let arrives = self.now.plus(WAY);
            let took = self.origin.take(1, self.running, arrives);
            let end = arrives.plus(took.unwrap_or(Micros::new(50)));
            self.ends.push(Reverse((end, took.is_some(), self.marks.len())));
            self.marks.push((self.limiter.start(self.running, self.now), self.now));
        }
    }

    /// Calls answered a second in the mean of those from there on.
    pub(crate) fn rate(&self, from: usize) -> f64 {
        let counted = &self.answers[from..];
        counted.iter().sum::<u64>() as f64 / counted.len() as f64
    }

    /// The mean of the limit in the seconds from there on.
    pub(crate) fn mean_places(&self, from: usize) -> f64 {
        let counted = &self.places[from..];
        counted.iter().sum::<u64>() as f64 / counted.len() as f64
    }
}
