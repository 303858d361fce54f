//! Origins on pretended time, how the limit of each is found, and what people notice of flooders there (T23).
//!
//! `cargo test -p weir-throttle --test fair_world -- --nocapture` prints the tables of docs/benchmarks.md and draws its
//! plots into Cargo's directory for what tests leave behind.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod crowd;
mod limiter;
mod origin;
#[path = "../rpc_world/plot.rs"]
mod plot;
mod pressure;
#[path = "../rpc_world/random.rs"]
mod random;

use crowd::Crowd;
use limiter::Limiter;
use origin::{Law, Origin};
use plot::Panel;
use pressure::Pressure;
use weir_throttle::fair::LimitRules;
use weir_units::{Micros, Tick};

const LAWS: [Law; 3] = [Law::Fixed, Law::Exponential, Law::Mixed];

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn pressed(workers: usize, micros: u64, law: Law, limiter: Limiter) -> Pressure {
    Pressure::new(Origin::new(workers, Micros::new(micros), law, 1), limiter)
}

#[test]
fn the_limit_is_found_within_seconds_and_gives_little_away() {
    let (mut lost, mut cases) = (0.0, 0.0);
    for law in LAWS {
        for (workers, micros) in [(1, 5_000), (2, 5_000), (4, 20_000), (8, 20_000), (64, 20_000)] {
            let mut best = pressed(workers, micros, law, Limiter::Fixed(workers as u32 * 4));
            best.run(120);
            print!("{law:?}, {workers} of {micros} µs:");
            for (name, limiter) in Limiter::all() {
                let mut world = pressed(workers, micros, law, limiter);
                world.run(120);
                let (share, places) = (1.0 - world.rate(60) / best.rate(60), world.mean_places(60));
                print!(" {name} {:.1} % away, {places:.1} places;", share * 100.0);
                if name == "ours" {
                    let found =
                        world.places.iter().position(|places| *places < 2 * workers as u64 + 2).unwrap();
                    print!(" after {found} s;");
                    assert!(share < 0.04 && found <= 15, "{share} away, found after {found} s");
                    assert!(places < 1.5 * workers as f64 + 1.0, "{places} places for {workers} workers");
                    (lost, cases) = (lost + share, cases + 1.0);
                }
            }
            println!();
        }
    }
    assert!(lost / cases < 0.02, "in the mean {:.1} % are given away", 100.0 * lost / cases);
}

#[test]
fn an_origin_that_stands_for_half_a_minute_and_goes_on_teaches_nothing() {
    for law in LAWS {
        let mut world = pressed(8, 20_000, law, Limiter::ours());
        world.origin.stands = Some((second(40), second(70)));
        world.run(100);
        assert!(world.answers[41..69].iter().all(|answers| *answers == 0));
        let after: u64 = world.answers[70..75].iter().sum();
        assert!(after > 5 * 340, "{after} answers in five seconds, of 2000");
        assert!(world.places[70..].iter().all(|places| (5..20).contains(places)), "{:?}", world.places);
    }
}

#[test]
fn an_origin_that_fails_at_once_is_not_taken_for_a_fast_one() {
    for law in LAWS {
        let mut world = pressed(8, 20_000, law, Limiter::ours());
        world.origin.fails = Some((second(30), second(60)));
        world.run(90);
        assert!(world.places[30..].iter().all(|places| (5..20).contains(places)), "{:?}", world.places);
    }
}

#[test]
fn noise_of_microseconds_does_not_make_the_limit_collapse() {
    for law in LAWS {
        // Calls are on their way for twice as long as the origin works on them.
        let mut world = pressed(16, 50, law, Limiter::ours());
        world.run(3);
        assert!(world.places.iter().all(|places| (30..100).contains(places)), "{:?}", world.places);
    }
}

#[test]
fn an_origin_that_becomes_slower_or_smaller_is_found_again() {
    for law in LAWS {
        let mut world = pressed(8, 10_000, law, Limiter::ours());
        world.run(30);
        world.origin.mean = Micros::new(100_000);
        world.run(60);
        assert!(world.mean_places(75) > 6.0, "ten times as slow, and as many at once: {:?}", world.places);
        world.origin.mean = Micros::new(10_000);
        world.origin.resize(2, world.now());
        world.run(60);
        assert!(world.mean_places(130) < 5.0, "{:?}", world.places);
    }
}

/// What people's calls took, in the middle and 99 of 100, and the flooders' share of what people left, with 0, 1 and 5.
fn crowded(workers: u32, mean: u64, law: Law, times: u64, limit: LimitRules) -> [(f64, f64, f64); 3] {
    let (from, until) = (second(60), second(180));
    [0, 1, 5].map(|flooders| {
        let origin = Origin::new(workers as usize, Micros::new(mean), law, 1);
        let mut crowd = Crowd::new(origin, limit, times, 1);
        crowd.flood(0, flooders);
        crowd.run(until);
        assert_eq!(crowd.refused, 0);
        let left = f64::from(workers) * 1e6 / mean as f64 - crowd.people_rate(from, until);
        let [middle, most] = [500, 990].map(|of| crowd.quantile(of, from, until).count() as f64 / 1e3);
        (middle, most, crowd.flood_rate(from, until) * times as f64 / left)
    })
}

#[test]
fn a_flood_delays_the_flooder_alone() {
    let none = LimitRules::fixed(100_000).unwrap();
    for (workers, mean, law) in
        [(1, 2_500, Law::Fixed), (1, 2_500, Law::Exponential), (8, 20_000, Law::Exponential)]
    {
        for times in [1, 10] {
            let known = LimitRules::fixed(workers).unwrap();
            let rules = [("no limit", none), ("the known limit", known), ("ours", LimitRules::default())];
            let [without, known, ours] = rules.map(|(name, limit)| {
                let seen = crowded(workers, mean, law, times, limit);
                print!("{law:?}, {workers} of {mean} µs, flooders' calls {times} times as dear, {name}:");
                for (middle, most, share) in seen {
                    print!(" {middle:.1} and {most:.1} ms, {:.0} %;", share * 100.0);
                }
                println!();
                seen
            });
            assert!(ours[1].0 * 4.5 < without[1].0 && ours[2].0 * 20.0 < without[2].0, "in the middle");
            let bound = if times == 1 { 1.5 * ours[0].1 } else { 2.0 * known[1].1 };
            for (_, most, share) in &ours[1..] {
                assert!(*most < bound, "{most} ms, of at most {bound}");
                assert!(*share > 0.9, "flooders get {share} of what people leave");
            }
        }
    }
}

#[test]
fn a_flood_that_comes_while_the_limit_is_unknown_delays_people_for_seconds() {
    let (comes, later, end) = (second(20), second(30), second(50));
    for times in [1, 10] {
        for initial in [1, 4, 16] {
            let limit = LimitRules::new(1, initial, 1_000, Micros::new(100_000)).unwrap();
            let origin = Origin::new(1, Micros::new(2_500), Law::Fixed, 1);
            let mut crowd = Crowd::new(origin, limit, times, 1);
            crowd.run(comes);
            crowd.flood(0, 1);
            crowd.run(end);
            let [first, rest] = [(comes, later), (later, end)]
                .map(|(from, until)| crowd.quantile(990, from, until).count() as f64 / 1e3);
            println!(
                "A flooder, {times} times as dear, limit from {initial}: {first:.0} ms, then {rest:.0} ms"
            );
            assert!(rest < 12.0 * times as f64, "{rest} ms");
        }
    }
}

#[test]
fn the_plots_show_the_limit_after_changes_and_what_people_notice() {
    let limits = Limiter::all().map(|(_, limiter)| {
        let mut world = pressed(8, 20_000, Law::Exponential, limiter);
        world.run(60);
        world.origin.resize(2, world.now());
        world.run(60);
        world.origin.resize(16, world.now());
        world.run(180);
        world.places.iter().map(|places| (*places).min(60)).collect::<Vec<u64>>()
    });
    let people = [LimitRules::fixed(100_000).unwrap(), LimitRules::default()].map(|limit| {
        let mut crowd = Crowd::new(Origin::new(4, Micros::new(10_000), Law::Exponential, 1), limit, 1, 1);
        for (at, first, flooders) in [(100, 0, 1), (200, 1, 4), (300, 0, 0)] {
            crowd.run(second(at));
            crowd.flood(first, flooders);
        }
        (0..300)
            .map(|at| crowd.quantile(950, second(at), second(at + 1)).floor_millis().count())
            .collect::<Vec<_>>()
    });
    let [ours, aimd, vegas, gradient] = &limits;
    let [without, with] = &people;
    let panels = [
        Panel {
            title: "limit found of 8, 2 and 16 workers (green AIMD, orange Vegas, grey gradient, cut at 60; blue ours)",
            lines: &[("#5a5", aimd), ("#e90", vegas), ("#999", gradient), ("#06c", ours)],
        },
        Panel {
            title: "95 of 100 calls of people, ms; a flooder comes, then four (grey: no limit)",
            lines: &[("#999", without), ("#06c", with)],
        },
    ];
    plot::draw("fair-share.svg", &panels);
}
