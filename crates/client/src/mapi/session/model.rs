//! Sessions against a server that carries ROPs out and refuses them at random, in every way that there is.
//!
//! The server is the reference: it writes down what it carries out, and stops the test when something comes before its
//! time or names an object that is not what it should be. What is asked of the session: every ROP is carried out exactly
//! once, and those of a batch in their order.

use std::collections::BTreeMap;

use proptest::prelude::*;
use weir_units::{Micros, Millis, Tick};
use weir_wire::mapi::body::{Answer, ExecuteRequest, Executed, Failure, STATUS_TOO_BUSY};
use weir_wire::mapi::payload::{Form, Payloads};
use weir_wire::mapi::rop::{Backoff, BufferTooSmall, Logons, NO_HANDLE, Rop, RopBuffer, RopId};

use super::super::Batch;
use super::tests::{delete_folder, open_folder, release};
use super::*;

const OPEN: RopId = RopId(0x02);
const DELETE: RopId = RopId(0x1D);

/// A seeded generator, so that a history happens again as it did.
#[derive(Clone)]
struct Random(u64);

impl Random {
    /// Less than `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn up_to(&mut self, most: usize) -> usize {
        usize::try_from(self.below(u64::try_from(most).unwrap() + 1)).unwrap()
    }

    fn millis(&mut self) -> Millis {
        Millis::new(self.below(2_000))
    }
}

/// What was done to which folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    Opened(u64),
    /// The second within the first.
    Deleted(u64, u64),
    Released(u64),
}

/// The reference.
struct Server {
    random: Random,
    retry: Retry,
    /// Whether only whole requests are refused, as a gateway does.
    whole: bool,
    busy_until: Tick,
    busy_in_a_row: u32,
    /// Nothing in place of the type holds all ROPs of the logon.
    held: BTreeMap<(u8, Option<RopId>), Tick>,
    /// The folder that each handle stands for.
    handles: BTreeMap<u32, u64>,
    opened: u32,
    done: Vec<Done>,
}

impl Server {
    fn new(seed: u64, retry: Retry, whole: bool) -> Self {
        let (held, handles) = (BTreeMap::new(), BTreeMap::new());
        let random = Random(seed);
        Self {
            random,
            retry,
            whole,
            busy_until: Tick::START,
            busy_in_a_row: 0,
            held,
            handles,
            opened: 0,
            done: Vec::new(),
        }
    }

    /// Answers one body.
    fn execute(&mut self, body: &[u8], now: Tick) -> Vec<u8> {
        let execute = ExecuteRequest::read(body).unwrap();
        let payload = Payloads::new(execute.rops).next().unwrap().unwrap();
        let buffer = RopBuffer::read(&payload.bytes).unwrap();
        assert!(payload.bytes.len() <= MAX_PAYLOAD);
        assert!(now >= self.busy_until, "asked again before a busy server's time");
        let rops: Vec<Rop<'_>> = buffer.rops(Logons::default()).map(Result::unwrap).collect();
        for rop in &rops {
            for held in [(rop.logon, None), (rop.logon, Some(rop.id))] {
                assert!(
                    self.held.get(&held).is_none_or(|until| now >= *until),
                    "{rop:?} came before its time"
                );
            }
        }
        if self.busy_in_a_row + 1 < self.retry.count && self.random.below(6) == 0 {
            self.busy_in_a_row += 1;
            self.busy_until = now.plus(self.retry.delay.micros());
            return bytes_of(&Answer::Failed(Failure { status: STATUS_TOO_BUSY, auxiliary: &[] }));
        }
        self.busy_in_a_row = 0;
        let mut handles: Vec<u32> = buffer.handles().collect();
        let mut list = Vec::new();
        let stop = self.stop(rops.len());
        for rop in rops.iter().take(stop) {
            self.carry_out(rop, &mut handles, &mut list);
        }
        if stop < rops.len() {
            self.refuse(&rops[stop..], stop == 0, &mut list, now);
        }
        let (mut answer, mut rops) = (Vec::new(), Vec::new());
        RopBuffer::write(&list, handles.into_iter(), &mut answer);
        let form = Form { compressed: self.random.below(2) == 0, mixed: self.random.below(2) == 0 };
        form.write(&answer, true, &mut rops);
        bytes_of(&Answer::Done(Executed { error_code: 0, flags: 0, rops: &rops, auxiliary: &[] }))
    }

    /// After how many ROPs it refuses.
    fn stop(&mut self, rops: usize) -> usize {
        match (self.random.below(3), self.whole) {
            (0, _) => rops,
            (_, true) => 0,
            (_, false) => self.random.up_to(rops),
        }
    }

    fn carry_out(&mut self, rop: &Rop<'_>, handles: &mut [u32], list: &mut Vec<u8>) {
        let (input, output) = (usize::from(rop.bytes[2]), usize::from(*rop.bytes.get(3).unwrap_or(&0)));
        let number = |at: usize| u64::from_le_bytes(rop.bytes[at..at + 8].try_into().unwrap());
        match rop.id {
            OPEN => {
                self.opened += 1;
                handles[output] = self.opened;
                self.handles.insert(self.opened, number(4));
                self.done.push(Done::Opened(number(4)));
                list.extend([OPEN.0, rop.bytes[3], 0, 0, 0, 0, 0, 0]);
            }
            DELETE => {
                self.done.push(Done::Deleted(self.handles[&handles[input]], number(4)));
                list.extend([DELETE.0, rop.bytes[2], 0, 0, 0, 0, 0]);
            }
            // One that names nothing does nothing.
            RopId::RELEASE => {
                let gone = self.handles.remove(&handles[input]);
                self.done.extend(gone.map(Done::Released));
                handles[input] = NO_HANDLE;
            }
            _ => panic!("{rop:?}"),
        }
    }

    /// Holds the rest back.
    fn refuse(&mut self, rest: &[Rop<'_>], nothing_done: bool, list: &mut Vec<u8>, now: Tick) {
        let next = rest[0];
        if self.whole {
            let mut logons: Vec<u8> = rest.iter().map(|rop| rop.logon).collect();
            logons.sort_unstable();
            logons.dedup();
            for logon in logons {
                self.hold(logon, &[], list, now);
            }
            return;
        }
        match self.random.below(3) {
            // An answer to one alone always has room.
            0 if !nothing_done => {
                let requests: Vec<u8> = rest.iter().flat_map(|rop| rop.bytes).copied().collect();
                BufferTooSmall { size_needed: 100, requests }.write(list);
            }
            1 => self.hold(next.logon, &[next.id, RopId(0x70)], list, now),
            _ => self.hold(next.logon, &[], list, now),
        }
    }

    fn hold(&mut self, logon: u8, types: &[RopId], list: &mut Vec<u8>, now: Tick) {
        let mut back_off = Backoff::logon(logon, self.random.millis());
        if types.is_empty() {
            self.held.insert((logon, None), now.plus(back_off.duration.micros()));
        }
        for id in types {
            let duration = self.random.millis();
            back_off.rop_types.push((*id, duration));
            self.held.insert((logon, Some(*id)), now.plus(duration.micros()));
        }
        back_off.write(list);
    }
}

fn bytes_of(answer: &Answer<'_, Executed<'_>>) -> Vec<u8> {
    let mut body = Vec::new();
    answer.write(&mut body);
    body
}

/// A batch that opens folders, deletes in them and releases them, and what has to be done for that.
fn batch(number: u64, size: u64, place: u8, random: &mut Random) -> (Batch, Vec<Done>) {
    let (mut batch, mut done, mut open) = (Batch::default(), Vec::new(), None);
    let logon = u8::try_from(random.below(3)).unwrap();
    for nth in 0..size {
        let name = number * 1_000 + nth;
        match (open, random.below(4)) {
            (None, _) | (_, 0) => {
                if let Some(before) = open.replace(name) {
                    batch.push_for(logon, release(place));
                    done.push(Done::Released(before));
                }
                batch.push_for(logon, open_folder(0, place, name));
                done.push(Done::Opened(name));
            }
            (Some(folder), 1) => {
                batch.push_for(logon, release(place));
                done.push(Done::Released(folder));
                open = None;
            }
            (Some(folder), _) => {
                batch.push_for(logon, delete_folder(place, name));
                done.push(Done::Deleted(folder, name));
            }
        }
    }
    (batch, done)
}

/// What was done of the batch of that number, in its order.
fn of(number: u64, done: &[Done]) -> Vec<Done> {
    let is_of = |done: &&Done| match **done {
        Done::Opened(name) | Done::Released(name) | Done::Deleted(_, name) => name / 1_000 == number,
    };
    done.iter().filter(is_of).copied().collect()
}

/// Runs a session until it has nothing to do, and gives how many of its batches are done.
fn run(session: &mut Session, server: &mut Server, random: &mut Random, now: &mut Tick) -> usize {
    let mut done = 0;
    for _ in 0..100_000 {
        match session.next(*now).unwrap() {
            Step::Send(body) => {
                *now = now.plus(Micros::new(random.below(5_000)));
                let answer = server.execute(&body, *now);
                *now = now.plus(Micros::new(random.below(5_000)));
                session.answered(&answer, *now).unwrap();
            }
            Step::Wait(until) => {
                assert!(until > *now);
                // Whoever asks early is told the same.
                let early = now.plus(Micros::new(random.below(until.since(*now).count())));
                assert_eq!(session.next(early), Ok(Step::Wait(until)));
                *now = until;
            }
            Step::Done(_, replies) => {
                done += 1;
                assert!(!replies.is_empty());
            }
            Step::Idle => return done,
            Step::Answer => panic!("nothing is under way"),
        }
    }
    panic!("the session does not end");
}

proptest! {
    #[test]
    fn every_rop_is_carried_out_once_in_its_batchs_order_and_never_before_its_time(
        seed: u64,
        sizes in prop::collection::vec(1_u64..60, 1..8),
        whole: bool
    ) {
        let retry = Retry { count: 4, delay: Millis::new(700) };
        let (mut server, mut random) = (Server::new(seed, retry, whole), Random(!seed));
        let mut session = Session::new(retry, Millis::new(10_000_000));
        let (mut expected, mut now, mut done) = (Vec::new(), Tick::START, 0);
        for (number, size) in (1..).zip(&sizes) {
            let place = session.take_place().unwrap();
            let (batch, done) = batch(number, *size, place, &mut random);
            prop_assert!(session.submit(batch).is_ok());
            expected.push((number, done));
        }
        done += run(&mut session, &mut server, &mut random, &mut now);
        prop_assert_eq!(done, sizes.len());
        for (number, wanted) in expected {
            prop_assert_eq!(of(number, &server.done), wanted);
        }
        let carried_out = session.counts().rops;
        prop_assert_eq!(usize::try_from(carried_out), Ok(server.done.len()));
    }
}
