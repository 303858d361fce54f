//! Two hundred people, an indexer, an archiver and an old client at an origin of eight workers, whose latency is what its
//! queue makes of it (R1, R13).

use weir_throttle::rpc::{RpcFactor, RpcRules};
use weir_units::{Micros, Millis};

use crate::client::{Client, Manners, Pace};
use crate::origin::{Origin, Workers};
use crate::second;
use crate::world::{Front, World};

const PEOPLE: usize = 200;
const OLD: usize = PEOPLE;
/// The two who do too much; they ask again as soon as they have an answer.
const INDEXER: usize = PEOPLE + 1;
const ARCHIVER: usize = PEOPLE + 2;

/// Seconds in which a world settles, and in which it is measured.
const SETTLING: u64 = 120;
const MEASURED: u64 = 600;

/// A world of clients, each with a session of his number. The people ask for 1 to 5 operations every two seconds and the
/// time of the answer, which keeps 0.7 of the workers busy.
fn world(factor: RpcFactor, greedy: bool, seed: u64) -> World {
    let rules = RpcRules { factor, ..RpcRules::default() };
    let workers = Workers::new(8, Millis::new(20).micros(), seed);
    let mut world = World::new(Front::Throttled(rules), Origin::Workers(workers));
    let mut join = |batch, pace, manners, number: usize| {
        let session = world.session();
        world.join(Client::new(session, batch, pace, manners, (seed << 16) + number as u64));
    };
    for number in 0..PEOPLE {
        let batch = 1 + (number % 5) as u32;
        join(batch, Pace::Thinks(Millis::new(2_000)), Manners::Obeys, number);
    }
    join(3, Pace::Thinks(Millis::new(2_000)), Manners::Old, PEOPLE);
    if greedy {
        join(20, Pace::AtOnce, Manners::Obeys, INDEXER);
        join(50, Pace::AtOnce, Manners::Obeys, ARCHIVER);
    }
    world
}

/// The milliseconds that 99 of 100 of the people's requests took at most, once the world had settled.
fn p99(world: &World) -> u64 {
    let mut took: Vec<Micros> = Vec::new();
    for client in (0..PEOPLE).map(|number| world.client(number)) {
        let all = client.passes.iter().zip(&client.took);
        took.extend(all.filter(|(at, _)| **at >= second(SETTLING)).map(|(_, took)| *took));
    }
    took.sort();
    took[took.len() * 99 / 100].floor_millis().count()
}

/// Operations of one client, once the world had settled.
fn rops(world: &World, client: usize) -> u64 {
    world.client(client).rops_in(second(SETTLING), second(SETTLING + MEASURED))
}

#[test]
fn two_who_do_too_much_are_backed_off_and_all_others_notice_nothing() {
    for seed in 1..5 {
        let worlds = [(RpcFactor::default(), false), (RpcFactor::default(), true), (RpcFactor::OFF, true)];
        let [alone, throttled, off] = worlds.map(|(factor, greedy)| {
            let mut world = world(factor, greedy, seed);
            world.run(SETTLING + MEASURED);
            world
        });
        let [least, kept, most] = [&alone, &throttled, &off].map(p99);
        println!(
            "99 % of the people's requests took {least} ms without the two, {kept} ms with, {most} ms with factor 0"
        );
        assert!(kept * 10 <= least * 12, "{kept} ms, which would be {least} ms without the two");
        assert!(most * 10 >= least * 13, "{most} ms if nobody was backed off: the two do matter");

        for greedy in [INDEXER, ARCHIVER] {
            let (with, without) = (rops(&throttled, greedy), rops(&off, greedy));
            assert!(with * 2 < without && with > 0, "{with} operations, {without} if nobody was backed off");
        }
        assert!(
            (0..=OLD).all(|number| throttled.client(number).refusals.is_empty()),
            "nobody else is refused"
        );
        assert!(!throttled.crowd().blames_the_server());
    }
}

#[test]
fn a_server_that_is_slow_for_all_is_blamed_and_no_client() {
    for seed in 1..5 {
        let mut world = world(RpcFactor::default(), true, seed);
        world.run(SETTLING);
        assert!(!world.crowd().blames_the_server());
        if let Origin::Workers(workers) = &mut world.origin {
            workers.each = workers.each.times(10);
        }
        world.run(300);
        let crowd = world.crowd();
        assert!(crowd.blames_the_server(), "{} of {}", crowd.backed_off(), crowd.active());
        assert!(!world.client(OLD).gave_up);
    }
}
