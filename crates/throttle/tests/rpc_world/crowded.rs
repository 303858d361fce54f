//! Two hundred people, an indexer, an archiver and an old client at an origin of eight workers, whose latency is what its
//! queue makes of it (R1, R13).

use weir_throttle::rpc::{RpcFactor, RpcRules};
use weir_units::{Micros, Millis};

use crate::client::{Client, Manners, Pace};
use crate::origin::{Origin, Workers};
use crate::plot::{self, Panel};
use crate::second;
use crate::world::{Front, World};

const PEOPLE: usize = 200;
const OLD: usize = PEOPLE;
/// The two who do too much, if they have come; they ask again as soon as they have an answer.
const INDEXER: usize = PEOPLE + 1;
const ARCHIVER: usize = PEOPLE + 2;

/// Seconds in which a world settles, and in which it is measured.
const SETTLING: u64 = 120;
const MEASURED: u64 = 600;

/// A world of people and the old client, each with a session of his number. The people ask for 1 to 5 operations every two
/// seconds and the time of the answer, which keeps 0.7 of the workers busy.
fn people(factor: RpcFactor, seed: u64) -> World {
    let rules = RpcRules { factor, ..RpcRules::default() };
    let workers = Workers::new(8, Millis::new(20).micros(), seed);
    let mut world = World::new(Front::Throttled(rules), Origin::Workers(workers));
    let pace = Pace::Thinks(Millis::new(2_000));
    for number in 0..PEOPLE {
        join(&mut world, 1 + (number % 5) as u32, pace, Manners::Obeys, seed);
    }
    join(&mut world, 3, pace, Manners::Old, seed);
    world
}

/// The indexer and the archiver come.
fn two_come(world: &mut World, seed: u64) {
    for batch in [20, 50] {
        join(world, batch, Pace::AtOnce, Manners::Obeys, seed);
    }
}

fn join(world: &mut World, batch: u32, pace: Pace, manners: Manners, seed: u64) {
    let session = world.session();
    world.join(Client::new(session, batch, pace, manners, (seed << 16) + session as u64));
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
            let mut world = people(factor, seed);
            if greedy {
                two_come(&mut world, seed);
            }
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
        let mut world = people(RpcFactor::default(), seed);
        two_come(&mut world, seed);
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

/// A world to which the two come after two minutes, second by second: the milliseconds of the RPC average latency, and
/// how many requests were refused.
fn ten_minutes(factor: RpcFactor) -> (Vec<u64>, Vec<u64>) {
    let mut world = people(factor, 1);
    let (mut latency, mut backoffs) = (Vec::new(), Vec::new());
    world.run(SETTLING);
    for at in SETTLING..SETTLING + MEASURED {
        if at == SETTLING + 120 {
            two_come(&mut world, 1);
        }
        world.run(1);
        latency.push(world.latency.mean().floor_millis().count());
        let refused = world.clients().map(|client| client.refusals_in(second(at), second(at + 1)) as u64);
        backoffs.push(refused.sum());
    }
    (latency, backoffs)
}

#[test]
fn the_plot_shows_latency_and_back_offs_from_when_the_two_have_come() {
    let ((throttled, backoffs), (off, none)) =
        (ten_minutes(RpcFactor::default()), ten_minutes(RpcFactor::OFF));
    assert!(backoffs[..120].iter().all(|count| *count == 0), "nobody does too much");
    assert!(
        backoffs[240..].chunks(30).all(|half_minute| half_minute.iter().sum::<u64>() > 0),
        "and then two do"
    );
    assert!(none.iter().all(|count| *count == 0));
    let panels = [
        Panel {
            title: "RPC average latency, ms (grey: nobody is told to back off)",
            lines: &[("#999", &off), ("#06c", &throttled)],
        },
        Panel { title: "back-offs a second", lines: &[("#c30", &backoffs)] },
    ];
    plot::draw("rpc-backoff.svg", &panels);
}
