//! Two hundred owners of an HTTP origin of eight workers, and one who makes as many calls at a time as he may, each with
//! a batch: the feedback beyond MAPI, where it is switched on.

use weir_throttle::rpc::{RpcFactor, RpcRules};
use weir_units::{Micros, Millis};

use crate::client::{Client, Manners, Pace};
use crate::origin::{Origin, Workers};
use crate::second;
use crate::world::{Front, World};

const OWNERS: usize = 200;
/// Calls that an owner may make at a time, and the items in each of the one who makes as many.
const PLACES: u64 = 4;
const ITEMS: u32 = 25;

/// Seconds in which a world settles, and in which it is measured.
const SETTLING: u64 = 120;
const MEASURED: u64 = 600;

/// The world, with the one who does too much or without.
fn world(factor: RpcFactor, greedy: bool, seed: u64) -> World {
    let rules = RpcRules { factor, ..RpcRules::default() };
    let workers = Workers::new(8, Millis::new(20).micros(), seed);
    let mut world = World::new(Front::Paced(rules, PLACES), Origin::Workers(workers));
    for number in 0..OWNERS {
        let session = world.session();
        let pace = Pace::Thinks(Millis::new(2_000));
        let seed = (seed << 16) + number as u64;
        world.join(Client::new(session, 1 + (number % 5) as u32, pace, Manners::Obeys, seed));
    }
    if greedy {
        let session = world.session();
        for call in 0..PLACES {
            let seed = (seed << 32) + call + 1;
            world.join(Client::new(session, ITEMS, Pace::AtOnce, Manners::Obeys, seed));
        }
    }
    world.run(SETTLING + MEASURED);
    world
}

/// The milliseconds that 99 of 100 of the others' requests took at most.
fn p99(world: &World) -> u64 {
    let mut took: Vec<Micros> = Vec::new();
    for client in (0..OWNERS).map(|number| world.client(number)) {
        let all = client.passes.iter().zip(&client.took);
        took.extend(all.filter(|(at, _)| **at >= second(SETTLING)).map(|(_, took)| *took));
    }
    took.sort();
    took[took.len() * 99 / 100].floor_millis().count()
}

/// Operations a second of the one who does too much.
fn greedy(world: &World) -> u64 {
    let calls = (OWNERS..OWNERS + PLACES as usize).map(|number| world.client(number));
    calls.map(|call| call.rops_in(second(SETTLING), second(SETTLING + MEASURED))).sum::<u64>() / MEASURED
}

#[test]
fn an_owner_of_batches_is_held_to_the_pace_of_single_calls_and_all_others_notice_little() {
    for seed in 1..5 {
        let worlds = [(RpcFactor::OFF, false), (RpcFactor::default(), true), (RpcFactor::OFF, true)];
        let [alone, paced, off] = worlds.map(|(factor, greedy)| world(factor, greedy, seed));
        let [least, kept, most] = [&alone, &paced, &off].map(p99);
        let (with, without) = (greedy(&paced), greedy(&off));
        println!(
            "99 % of the others' requests took {least} ms without him, {kept} ms with, {most} ms with factor 0; he made \
             {with} operations a second, {without} with factor 0"
        );
        assert!(kept * 10 <= least * 14, "{kept} ms, which would be {least} ms without him");
        assert!(most * 10 >= least * 20, "{most} ms if he was not held back: he does matter");
        assert!(with > 0 && with * 2 < without, "{with} operations, {without} if he was not held back");
        let is_spared = |number| paced.client(number).refusals.is_empty();
        assert!((0..OWNERS).all(is_spared), "nobody else is refused");
    }
}
