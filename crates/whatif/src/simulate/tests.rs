use weir_throttle::{ComponentLimits, OverBudget};
use weir_units::{Component, Micros, Part, Tick, TimePart};

use super::{Asking, Fate, Lane};

const CAS: Part = Part::Time(TimePart::Cas);

fn ms(count: u64) -> Micros {
    Micros::new(count * 1000)
}

fn at(count: u64) -> Tick {
    Tick::START.plus(ms(count))
}

/// Nothing is limited but CAS, to so many ms a minute.
fn limits(cas: u64) -> ComponentLimits {
    ComponentLimits { time: [None, Some(ms(cas)), None, None], ..ComponentLimits::unlimited(Component::Ews) }
}

fn asking(tag: u32, cas: u64) -> Asking<u32> {
    Asking {
        tag,
        cost: [Micros::ZERO, ms(cas), Micros::ZERO, Micros::ZERO],
        rest: Micros::ZERO,
        found: None,
        subscribes: None,
    }
}

fn lane() -> Lane<u32> {
    Lane::new(Micros::MINUTE)
}

fn fates(lane: &mut Lane<u32>) -> Vec<(u32, Fate)> {
    lane.finish();
    let mut fates: Vec<_> = lane.fates().collect();
    fates.sort_by_key(|(tag, _)| *tag);
    fates
}

#[test]
fn who_stays_within_his_budget_runs_at_once() {
    let mut lane = lane();
    for tag in 0..100 {
        lane.arrive(asking(tag, 500), &limits(54_000), OverBudget::Delay, at(u64::from(tag) * 600));
    }
    assert!(fates(&mut lane).iter().all(|(_, fate)| *fate == Fate::Run));
}

#[test]
fn who_has_used_his_minute_waits_until_something_is_left_again() {
    let mut lane = lane();
    lane.arrive(asking(1, 10_000), &limits(10_000), OverBudget::Delay, at(0));
    lane.arrive(asking(2, 1000), &limits(10_000), OverBudget::Delay, at(20_000));
    let fates = fates(&mut lane);
    assert_eq!(fates[0], (1, Fate::Run));
    let (2, Fate::Delay(CAS, waited)) = fates[1] else { panic!("{fates:?}") };
    assert!(
        (40_000..=40_100).contains(&waited.floor_millis().count()),
        "a minute after the first began: {waited:?}"
    );
}

#[test]
fn where_over_budget_refuses_nobody_waits() {
    let mut lane = lane();
    lane.arrive(asking(1, 10_000), &limits(10_000), OverBudget::Refuse, at(0));
    lane.arrive(asking(2, 1000), &limits(10_000), OverBudget::Refuse, at(20_000));
    assert_eq!(fates(&mut lane)[1], (2, Fate::Refuse(CAS, Micros::ZERO)));
}

#[test]
fn a_wait_ends_at_the_cap_in_a_refusal() {
    let mut lane = Lane::new(ms(5000));
    lane.arrive(asking(1, 10_000), &limits(10_000), OverBudget::Delay, at(0));
    lane.arrive(asking(2, 1000), &limits(10_000), OverBudget::Delay, at(20_000));
    lane.arrive(asking(3, 1000), &limits(10_000), OverBudget::Delay, at(59_000));
    let fates = fates(&mut lane);
    assert_eq!(fates[1], (2, Fate::Refuse(CAS, ms(5000))));
    assert!(matches!(fates[2], (3, Fate::Delay(CAS, _))), "its place in the line was given back: {fates:?}");
}

#[test]
fn those_who_wait_go_one_at_a_time() {
    let mut lane = lane();
    lane.arrive(asking(1, 10_000), &limits(10_000), OverBudget::Delay, at(0));
    for tag in 2..5 {
        lane.arrive(asking(tag, 2000), &limits(10_000), OverBudget::Delay, at(20_000 + u64::from(tag)));
    }
    let waits: Vec<u64> = fates(&mut lane)
        .iter()
        .filter_map(|(_, fate)| {
            if let Fate::Delay(_, waited) = fate { Some(waited.floor_millis().count()) } else { None }
        })
        .collect();
    assert_eq!(waits.len(), 3);
    assert!(
        waits.windows(2).all(|pair| pair[1] >= pair[0] + 1990),
        "each has to end before the next begins: {waits:?}"
    );
}

#[test]
fn a_place_is_held_until_the_client_has_read_too() {
    let one = ComponentLimits { max_concurrency: Some(1), ..ComponentLimits::unlimited(Component::Ews) };
    for (second, fate) in [(1499, Fate::Refuse(Part::MaxConcurrency, Micros::ZERO)), (1500, Fate::Run)] {
        let mut lane = lane();
        let reads = Asking { rest: ms(500), ..asking(1, 1000) };
        lane.arrive(reads, &one, OverBudget::Delay, at(0));
        lane.arrive(asking(2, 1), &one, OverBudget::Delay, at(second));
        assert_eq!(fates(&mut lane)[1], (2, fate), "{second} ms");
    }
}

#[test]
fn time_at_the_mailbox_server_is_charged_to_its_part_and_to_the_whole() {
    let little = ComponentLimits {
        time: [None, None, None, Some(ms(1000))],
        ..ComponentLimits::unlimited(Component::Ews)
    };
    let mut lane = lane();
    let call = |tag| Asking { cost: [ms(10), ms(2000), ms(20), ms(1000)], ..asking(tag, 0) };
    lane.arrive(call(1), &little, OverBudget::Refuse, at(0));
    lane.arrive(call(2), &little, OverBudget::Refuse, at(1029));
    lane.arrive(call(3), &little, OverBudget::Refuse, at(1031));
    let fates = fates(&mut lane);
    assert_eq!(fates[1].1, Fate::Run, "a millisecond is left");
    assert_eq!(fates[2].1, Fate::Refuse(Part::Time(TimePart::MailboxRpc), Micros::ZERO));
}

#[test]
fn a_find_is_refused_where_the_client_wants_all_and_cut_where_it_pages() {
    let hundred = ComponentLimits { find_count: Some(100), ..ComponentLimits::unlimited(Component::Ews) };
    let fate = |count, paged| {
        let mut lane = lane();
        let find = Asking { found: Some((count, paged)), ..asking(1, 10) };
        lane.arrive(find, &hundred, OverBudget::Delay, at(0));
        fates(&mut lane)[0].1
    };
    assert_eq!(fate(100, false), Fate::Run, "exactly the limit passes");
    assert_eq!(fate(101, false), Fate::Refuse(Part::FindCount, Micros::ZERO));
    assert_eq!(fate(101, true), Fate::Run);
}

#[test]
fn one_subscription_too_many_is_refused() {
    let two = ComponentLimits { max_subscriptions: Some(2), ..ComponentLimits::unlimited(Component::Ews) };
    let fate = |used| {
        let mut lane = lane();
        lane.arrive(Asking { subscribes: Some(used), ..asking(1, 10) }, &two, OverBudget::Delay, at(0));
        fates(&mut lane)[0].1
    };
    assert_eq!((fate(1), fate(2)), (Fate::Run, Fate::Refuse(Part::MaxSubscriptions, Micros::ZERO)));
}

proptest::proptest! {
    /// Every call has one fate, nothing is held at the end, and the same calls fare the same again.
    #[test]
    fn every_call_comes_to_its_end_once(
        calls in proptest::collection::vec((0_u64..3000, 0_u64..4000, 0_u64..500), 1..120),
        cas in 0_u64..20_000, places in 1_u32..6, refuse: bool,
    ) {
        let limits = ComponentLimits { max_concurrency: Some(places), ..limits(cas) };
        let rule = if refuse { OverBudget::Refuse } else { OverBudget::Delay };
        let run = || {
            let (mut lane, mut now) = (lane(), 0);
            for ((gap, cost, rest), tag) in calls.iter().zip(0..) {
                now += gap;
                lane.arrive(Asking { rest: ms(*rest), ..asking(tag, *cost) }, &limits, rule, at(now));
            }
            let fates = fates(&mut lane);
            proptest::prop_assert!(lane.slots.iter().all(Option::is_none));
            proptest::prop_assert_eq!(lane.budget.places(), 0);
            Ok(fates)
        };
        let fates = run()?;
        proptest::prop_assert!(fates.iter().map(|(tag, _)| *tag).eq(0..u32::try_from(calls.len()).unwrap()));
        proptest::prop_assert_eq!(run()?, fates);
    }
}
