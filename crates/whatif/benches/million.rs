//! A million lines of our own log: how long replaying them and trying a policy takes, and listing the runaways.
//!
//! `cargo bench -p weir-whatif`. The log is made once, in the build's folder for temporary files, where it stays: half an
//! hour of 500 owners, a few of whom take far more than the others.

#![allow(clippy::disallowed_methods, reason = "a benchmark takes the time")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark has to stop, and says what it measured"
)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use weir_throttle::{Limits, Parameter, Policy, Setting};
use weir_units::Micros;
use weir_whatif::runaways::Counts;
use weir_whatif::source::Lines;
use weir_whatif::{Candidate, Format, Log, WhatIf};

const LINES: u64 = 1_000_000;
/// How long it takes until as many calls have arrived, in µs.
const SPAN: u64 = 1_800_000_000;
/// 2026-11-30 10:00 as seconds of its day.
const TEN: u64 = 36_000;

fn main() {
    let path = PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/requests.log"));
    if !path.exists() {
        write(&path);
    }
    let bytes = path.metadata().unwrap().len();
    println!("{LINES} lines, {} MiB: {}", bytes >> 20, path.display());
    for round in 1..=3 {
        let began = Spent::now();
        let mut log = open(&path);
        let mut counts = Counts::default();
        while let Some(record) = log.read() {
            counts.take(&record);
        }
        let found = counts.finish(log.names());
        println!("round {round}: runaways of {} calls {}", found.calls, began.since());

        let began = Spent::now();
        let mut log = open(&path);
        let mut what_if = WhatIf::new(candidate());
        while let Some(record) = log.read() {
            what_if.take(&record, log.names());
        }
        let report = what_if.finish(log.names());
        let (touched, replay) = (report.owners.len(), log.replay());
        assert_eq!((replay.compared, replay.differing), (LINES, 0));
        println!("round {round}: replay and what-if, {touched} owners held up, {}", began.since());
    }
}

/// A moment, on the clock and on the processor.
struct Spent {
    began: Instant,
    processor: Duration,
}

impl Spent {
    fn now() -> Self {
        Self { began: Instant::now(), processor: processor() }
    }

    fn since(&self) -> String {
        format!(
            "in {:.2?}, of which {:.2?} on the processor",
            self.began.elapsed(),
            processor().saturating_sub(self.processor)
        )
    }
}

/// How long this thread has run: the first number of Linux's `schedstat`; others have nothing like it.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

fn open(path: &Path) -> Log {
    Log::new(Format::Mailweir, vec![Lines::of(File::open(path).unwrap()).unwrap()])
}

fn candidate() -> Candidate {
    let mut policy = Policy::new();
    for (name, value) in [("EWSPercentTimeInCAS", 45), ("EWSMaxConcurrency", 8)] {
        policy.set(Parameter::from_name(name).unwrap(), Setting::Value(value)).unwrap();
    }
    let limits = Limits::resolve(&policy, &Policy::fallback());
    Candidate { name: "Candidate".to_owned(), limits, replaces: None, max_delay: Micros::MINUTE }
}

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Writes the log: calls as they end, nearly in the order in which they arrived.
fn write(path: &Path) {
    let (mut dice, mut log) = (Dice(1), BufWriter::new(File::create(path).unwrap()));
    for number in 0..LINES {
        let tick = number * (SPAN / LINES) + dice.below(2000);
        let greedy = dice.below(10) == 0;
        let owner = if greedy { dice.below(8) } else { dice.below(500) };
        let rpc = if greedy { 5000 + dice.below(110_000) } else { 500 + dice.below(40_000) };
        line(&mut log, &Call { number, tick, owner, rpc, cas: rpc + 100 + dice.below(300) });
    }
    log.flush().unwrap();
}

struct Call {
    number: u64,
    tick: u64,
    owner: u64,
    rpc: u64,
    cas: u64,
}

fn line(log: &mut impl Write, call: &Call) {
    let Call { number, tick, owner, rpc, cas } = call;
    let second = TEN + (tick + cas) / 1_000_000;
    let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
    let used = cas * 7;
    let budget = format!(
        "AD:30000/30000/0%,CAS:54000/{}/{}%,AB:30000/30000/0%,RPC:36000/{}/0%,FC:1000/0,Hash:{},Sub:5000/0",
        54_000 - used / 1000,
        used / 600_000,
        36_000 - rpc / 1000,
        owner * 7_919_713,
    );
    writeln!(
        log,
        "2026-11-30 {hours:02}:{minutes:02}:{seconds:02} 10.0.0.10 POST /EWS/Exchange.asmx ;RC:{number:08x}-30fd-499e-90d6-552d0ca89fab;\
         Init>>Conn:0,{budget};SoapAction=m:GetItem;Version=1;RpcC=1;RpcL={};LdapC=0;LdapL=0;End({}.{:02}ms)>>Conn:1,{budget};\
         Waited=0ms;Why=-;Policy=DefaultThrottlingPolicy;Verdict=run;Seq={number};Tick={tick};Component=EWS;Cost=0/{cas}/0/{rpc};\
         Saw=held,MaxConcurrency:0/10,turn:delay:0:AD=0/30000000:CAS={used}/54000000:AB=0/30000000:RPC={rpc}/36000000; \
         443 user{owner}@example.com 10.1.{}.{} Exchanger/{}.0+(Windows) 200 0 0 {}",
        rpc / 1000,
        cas / 1000,
        cas % 1000 / 10,
        owner / 250,
        owner % 250,
        owner % 7,
        cas / 1000,
    )
    .unwrap();
}
