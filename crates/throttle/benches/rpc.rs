//! What a decision about a MAPI session costs with 100,000 of them at one origin, whose latency they share.
//!
//! `cargo bench -p weir-throttle --bench rpc`
//!
//! A request asks for the origin's mean latency and is decided on; one that passes leaves its packet in the mean as
//! well. The sessions are drawn before the clock starts: uniformly, which is the worst for the caches, or by Zipf's law.
//! Time is pretended and runs about as fast as a real clock.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::as_conversions,
    reason = "a benchmark measures real time, and stops at the first thing that is not as it should be"
)]

mod race;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use race::{Now, Race, THREADS, configured, uniform, zipf};
use weir_throttle::rpc::{Crowd, RpcDecision, RpcLatency, RpcRules, RpcSession};
use weir_units::{Micros, Tick};

const SESSIONS: usize = 100_000;
/// Operations of a request.
const ROPS: u32 = 50;

/// An origin that takes so long over each packet, and sessions that have made two requests.
struct World {
    took: Micros,
    latency: RpcLatency,
    rules: RpcRules,
    sessions: Vec<Arc<RpcSession>>,
}

impl World {
    fn new(took: Micros) -> Self {
        let latency = RpcLatency::default();
        (0..1024).for_each(|_| latency.record(took));
        let sessions = (0..SESSIONS).map(|_| Arc::new(RpcSession::new())).collect();
        let world = Self { took, latency, rules: RpcRules::default(), sessions };
        for session in world.sessions.iter().chain(&world.sessions) {
            let _ = world.ask(session, Tick::START);
        }
        world
    }

    fn ask(&self, session: &RpcSession, now: Tick) -> RpcDecision {
        session.decide(ROPS, self.latency.mean(), &self.rules, now)
    }

    fn race(&self, mut race: Race<'_>, keys: &[u32]) {
        let drawn: Vec<_> = keys.iter().map(|key| Arc::clone(&self.sessions[*key as usize])).collect();
        race.run("decision", |draw, now| {
            let _ = black_box(self.ask(&drawn[draw], now));
        });
        if self.ask(&drawn[0], Tick::START) == RpcDecision::Pass {
            race.run("decision and packet", |draw, now| {
                let _ = black_box(self.ask(&drawn[draw], now));
                self.latency.record(self.took);
            });
        }
        race.group.finish();
    }
}

fn decisions(criterion: &mut Criterion) {
    println!("a session takes {} bytes", size_of::<RpcSession>());
    for (law, keys) in [("uniform", uniform(SESSIONS)), ("zipf", zipf(SESSIONS))] {
        // Without any latency nobody is too fast; at a minute everybody is, who has asked before.
        for (outcome, took) in [("passes", Micros::ZERO), ("backs off", Micros::MINUTE)] {
            let world = World::new(took);
            for threads in THREADS {
                let group = criterion.benchmark_group(format!("{outcome}/{law}/{threads} thread"));
                world.race(Race { group, threads, now: &Now::default() }, &keys);
            }
        }
    }
}

fn crowd(criterion: &mut Criterion) {
    let world = World::new(Micros::MINUTE);
    criterion.bench_function("a look at all sessions", |bench| {
        bench.iter(|| {
            let mut crowd = Crowd::default();
            for session in &world.sessions {
                crowd.add(&session.state(Tick::START), String::new);
            }
            assert!(crowd.blames_the_server());
        });
    });
}

criterion_group! { name = benches; config = configured(); targets = decisions, crowd }
criterion_main!(benches);
