use weir_units::{Component, Millis, Percent};

use super::*;
use crate::{Limits, Policy, SLICE};

fn millis(count: u64) -> Tick {
    Tick::START.plus(Millis::new(count).micros())
}

fn ews() -> ComponentLimits {
    *Limits::resolve(&Policy::new(), &Policy::fallback()).component(Component::Ews)
}

/// Limits on the whole time alone, in percent.
fn cas(percent: u32) -> ComponentLimits {
    let mut limits = ComponentLimits::unlimited(Component::Ews);
    limits.time = [None, Some(Percent::new(percent).of_minute()), None, None];
    limits
}

fn run(budget: &Budget, limits: &ComponentLimits, now: Tick) -> Call {
    match budget.admit(limits, &Rules::default(), now) {
        Admission::Run(call) => call,
        other @ (Admission::Wait(..) | Admission::Refuse(_)) => panic!("{other:?}"),
    }
}

fn wait(budget: &Budget, limits: &ComponentLimits, now: Tick) -> (Call, Tick) {
    match budget.admit(limits, &Rules::default(), now) {
        Admission::Wait(call, until) => (call, until),
        other @ (Admission::Run(_) | Admission::Refuse(_)) => panic!("{other:?}"),
    }
}

fn refuse(budget: &Budget, limits: &ComponentLimits, rules: Rules, now: Tick) -> Refusal {
    match budget.admit(limits, &rules, now) {
        Admission::Refuse(refusal) => refusal,
        other @ (Admission::Run(_) | Admission::Wait(..)) => panic!("{other:?}"),
    }
}

fn end(budget: &Budget, call: Call, now: Tick) {
    let _ = budget.end(call, now);
}

/// Uses `used` milliseconds of the whole time, from `from` on.
fn spend(budget: &Budget, limits: &ComponentLimits, from: u64, used: u64) {
    let call = run(budget, limits, millis(from));
    end(budget, call, millis(from + used));
}

fn used_millis(budget: &Budget, part: TimePart, now: Tick) -> u64 {
    let used = budget.snapshot(&ews(), now).time[part.index()].used;
    used.plus(Micros::new(500)).floor_millis().count()
}

#[test]
fn as_many_calls_run_at_once_as_the_policy_says() {
    let (budget, limits) = (Budget::new(), ews());
    let mut calls: Vec<_> = (0..10).map(|_| run(&budget, &limits, millis(0))).collect();
    let refusal = refuse(&budget, &limits, Rules::default(), millis(0));
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::MaxConcurrency, 10, 10));
    assert_eq!(refusal.retry_after, None);
    end(&budget, calls.pop().unwrap(), millis(1));
    calls.push(run(&budget, &limits, millis(1)));
    for call in calls {
        end(&budget, call, millis(2));
    }
    assert_eq!(budget.snapshot(&limits, millis(2)).connections, 0);
}

#[test]
fn twenty_seven_calls_dropped_half_way_leak_nothing() {
    let limits = ComponentLimits { max_concurrency: Some(27), ..cas(50) };
    let budget = Budget::new();
    spend(&budget, &limits, 0, 30_000);
    // Over budget: all of them wait; of those, some are let out, run, enter a phase, pause, hang or find.
    let mut calls: Vec<_> = (0..27).map(|_| wait(&budget, &limits, millis(30_000)).0).collect();
    let now = millis(100_000);
    assert_eq!(budget.look(&mut calls[0], &limits, now), Look::Run);
    budget.enter(&mut calls[0], TimePart::MailboxRpc, now);
    budget.run_in_debt(&mut calls[1], now);
    budget.pause(&mut calls[1], now);
    budget.run_in_debt(&mut calls[2], now);
    budget.charge_found(&mut calls[2], 100);
    budget.hang(&mut calls[3], &limits, now).unwrap();
    assert_eq!(refuse_count(&budget, &limits, now), 1, "the hanging call gave its place to one more");
    for call in calls {
        end(&budget, call, millis(101_000));
    }
    let after = budget.snapshot(&limits, millis(101_000));
    assert_eq!((after.connections, after.waiting, after.hanging, after.find_count.1), (0, 0, 0, 0));
    assert!(budget.is_idle(Micros::ZERO, millis(200_000)));
    let call = run(&budget, &limits, millis(101_000));
    end(&budget, call, millis(101_000));
}

/// How many of two more calls are let in before the places are full; they end at once.
fn refuse_count(budget: &Budget, limits: &ComponentLimits, now: Tick) -> usize {
    let mut held = Vec::new();
    for _ in 0..2 {
        match budget.admit(limits, &Rules::default(), now) {
            Admission::Run(call) | Admission::Wait(call, _) => held.push(call),
            Admission::Refuse(refusal) => assert_eq!(refusal.part, Part::MaxConcurrency),
        }
    }
    let admitted = held.len();
    for call in held {
        end(budget, call, now);
    }
    admitted
}

#[test]
fn a_call_over_budget_waits_until_the_remainder_is_positive() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let (mut call, until) = wait(&budget, &limits, millis(30_000));
    assert!(until.since(millis(60_000)) <= Micros::new(1_000), "{until:?}");
    let just_before = Tick::new(until.micros() - 1);
    assert_eq!(budget.look(&mut call, &limits, just_before), Look::Wait(until));
    assert_eq!(budget.look(&mut call, &limits, until), Look::Run);
    end(&budget, call, until);
}

#[test]
fn time_spent_waiting_paused_or_hanging_is_not_charged() {
    let (budget, limits) = (Budget::new(), cas(5));
    let mut call = run(&budget, &limits, millis(0));
    budget.pause(&mut call, millis(1_000));
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(20_000)), 1_000);
    budget.resume(&mut call, millis(20_000));
    assert_eq!(budget.recheck(&mut call, &limits, millis(21_999)), Look::Run);
    assert!(matches!(budget.recheck(&mut call, &limits, millis(22_000)), Look::Wait(_)));
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(50_000)), 3_000);
    budget.hang(&mut call, &limits, millis(50_000)).unwrap();
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(59_000)), 3_000);
    end(&budget, call, millis(59_000));
}

#[test]
fn a_phase_runs_beside_the_call_and_stops_with_it() {
    let (budget, limits) = (Budget::new(), ews());
    let mut call = run(&budget, &limits, millis(0));
    budget.enter(&mut call, TimePart::Ad, millis(100));
    budget.enter(&mut call, TimePart::MailboxRpc, millis(300));
    budget.pause(&mut call, millis(1_000));
    budget.resume(&mut call, millis(2_000));
    budget.leave(&mut call, millis(2_500));
    budget.enter(&mut call, TimePart::Cas, millis(2_500));
    budget.enter(&mut call, TimePart::AddressBook, millis(2_600));
    end(&budget, call, millis(3_000));
    let now = millis(4_000);
    assert_eq!(used_millis(&budget, TimePart::Ad, now), 200);
    assert_eq!(used_millis(&budget, TimePart::MailboxRpc, now), 1_200);
    assert_eq!(used_millis(&budget, TimePart::AddressBook, now), 400);
    assert_eq!(used_millis(&budget, TimePart::Cas, now), 2_000);
}

#[test]
fn ten_waiters_cannot_spend_one_positive_millisecond() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let mut calls: Vec<_> = (0..10).map(|_| wait(&budget, &limits, millis(30_000)).0).collect();
    let clear = millis(60_001);
    let looks: Vec<_> = calls.iter_mut().map(|call| budget.look(call, &limits, clear)).collect();
    assert_eq!(looks.iter().filter(|look| **look == Look::Run).count(), 1);
    assert_eq!(looks[0], Look::Run, "the first to come");

    // It runs: what expires meanwhile is what it uses, so that no other may go before it has ended.
    let slice_later = clear.plus(SLICE);
    assert!(matches!(
        budget.look(&mut calls[1], &limits, Tick::new(slice_later.micros() - 1)),
        Look::Wait(_)
    ));
    end(&budget, calls.remove(0), millis(62_000));
    assert_eq!(budget.look(&mut calls[0], &limits, millis(62_100)), Look::Run, "the next");
    assert!(matches!(budget.look(&mut calls[1], &limits, millis(62_100)), Look::Wait(_)));
    for call in calls {
        end(&budget, call, millis(63_000));
    }
}

#[test]
fn the_next_is_looked_at_when_the_one_before_was_charged_a_slice() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let (mut first, _) = wait(&budget, &limits, millis(30_000));
    let (mut second, _) = wait(&budget, &limits, millis(30_000));
    assert_eq!(budget.look(&mut first, &limits, millis(70_000)), Look::Run);
    assert_eq!(budget.look(&mut second, &limits, millis(71_000)), Look::Wait(millis(75_000)));
    assert_eq!(budget.look(&mut second, &limits, millis(75_000)), Look::Run);
    end(&budget, first, millis(75_000));
    end(&budget, second, millis(75_000));
}

#[test]
fn a_call_let_out_of_the_line_that_pauses_keeps_the_next_waiting() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let (mut first, _) = wait(&budget, &limits, millis(30_000));
    let (mut second, _) = wait(&budget, &limits, millis(30_000));
    assert_eq!(budget.look(&mut first, &limits, millis(70_000)), Look::Run);
    budget.pause(&mut first, millis(71_000));
    assert!(
        matches!(budget.look(&mut second, &limits, millis(90_000)), Look::Wait(_)),
        "one second is charged"
    );
    budget.resume(&mut first, millis(90_000));
    assert_eq!(budget.look(&mut second, &limits, millis(91_000)), Look::Wait(millis(94_000)));
    assert_eq!(budget.look(&mut second, &limits, millis(94_000)), Look::Run);
    end(&budget, first, millis(94_000));
    end(&budget, second, millis(94_000));
}

#[test]
fn a_clock_that_goes_back_takes_nothing_off() {
    let (budget, limits) = (Budget::new(), ews());
    let mut call = run(&budget, &limits, millis(10_000));
    budget.enter(&mut call, TimePart::Ad, millis(10_000));
    end(&budget, call, millis(9_000));
    let mut call = run(&budget, &limits, millis(11_000));
    budget.enter(&mut call, TimePart::Ad, millis(11_000));
    end(&budget, call, millis(13_000));
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(13_000)), 2_000);
    assert_eq!(used_millis(&budget, TimePart::Ad, millis(13_000)), 2_000);
}

#[test]
fn a_newcomer_queues_behind_those_who_wait_although_something_is_left() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let (first, _) = wait(&budget, &limits, millis(30_000));
    let (second, _) = wait(&budget, &limits, millis(80_000));
    assert!(budget.end(first, millis(80_000)), "the one behind it should be woken");
    assert!(!budget.end(second, millis(80_000)));
    let call = run(&budget, &limits, millis(80_000));
    end(&budget, call, millis(80_000));
}

#[test]
fn a_call_that_arrives_slowly_holds_a_place_and_keeps_nobody_waiting() {
    let (budget, limits, rules) = (Budget::new(), cas(50), Rules::default());
    spend(&budget, &limits, 0, 31_000);
    let mut slow = budget.arrive(&limits, millis(31_000)).unwrap();
    let (mut waiting, until) = wait(&budget, &limits, millis(31_000));
    assert_eq!(budget.look(&mut waiting, &limits, until), Look::Run);
    assert_eq!(budget.snapshot(&limits, until).connections, 2);
    end(&budget, waiting, until);
    assert_eq!(budget.begin(&mut slow, &limits, &rules, until).unwrap(), Look::Run);
    end(&budget, slow, until);
    assert_eq!(budget.snapshot(&limits, until).connections, 0);
}

#[test]
fn a_call_that_has_arrived_is_judged_like_one_that_asks_at_once() {
    let (budget, limits) = (Budget::new(), cas(50));
    let refuse = Rules { over_budget: OverBudget::Refuse, ..Rules::default() };
    let now = millis(31_000);
    spend(&budget, &limits, 0, 31_000);
    let mut first = budget.arrive(&limits, now).unwrap();
    let mut second = budget.arrive(&limits, now).unwrap();
    let refusal = budget.begin(&mut first, &limits, &refuse, now).unwrap_err();
    assert_eq!(refusal.part, Part::Time(TimePart::Cas));
    let Look::Wait(until) = budget.begin(&mut first, &limits, &Rules::default(), now).unwrap() else {
        panic!("nothing is left");
    };
    let full = Rules { max_waiting: 1, ..Rules::default() };
    assert_eq!(budget.begin(&mut second, &limits, &full, now).unwrap_err().part, Part::Waiting);
    let behind = budget.begin(&mut second, &limits, &Rules::default(), until).unwrap();
    assert!(matches!(behind, Look::Wait(_)), "a newcomer queues behind those who wait");
    assert_eq!(budget.look(&mut first, &limits, until), Look::Run);
    end(&budget, first, until);
    assert_eq!(budget.look(&mut second, &limits, until), Look::Run);
    end(&budget, second, until);
    assert_eq!(budget.holdings.read(), Counts::default());
}

#[test]
fn the_number_of_waiting_calls_is_bounded() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let (call, _) = wait(&budget, &limits, millis(30_000));
    let rules = Rules { max_waiting: 1, ..Rules::default() };
    let refusal = refuse(&budget, &limits, rules, millis(30_000));
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::Waiting, 1, 1));
    assert!(refusal.retry_after.is_some());
    assert_eq!(budget.snapshot(&limits, millis(30_000)).connections, 1, "a refused call takes no place");
    end(&budget, call, millis(30_000));
}

#[test]
fn refusing_in_place_of_waiting_names_part_use_and_time() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 40_000);
    let rules = Rules { over_budget: OverBudget::Refuse, ..Rules::default() };
    let refusal = refuse(&budget, &limits, rules, millis(40_000));
    assert_eq!(refusal.part, Part::Time(TimePart::Cas));
    assert_eq!((refusal.limit, refusal.used), (30_000, 40_000));
    let wait = refusal.retry_after.unwrap().count();
    assert!((30_000..=30_001).contains(&wait), "{wait} ms: ten seconds of debt expire at second 70");
    spend(&budget, &limits, 40_000 + wait, 10);
}

#[test]
fn a_part_of_which_nothing_is_allowed_refuses_at_once() {
    let (budget, limits) = (Budget::new(), cas(0));
    let refusal = refuse(&budget, &limits, Rules::default(), millis(0));
    assert_eq!((refusal.part, refusal.limit), (Part::Time(TimePart::Cas), 0));
    assert_eq!(refusal.retry_after, None, "waiting does not help");
}

#[test]
fn the_time_to_come_back_is_at_least_a_millisecond() {
    let refusal = Budget::new().refusal(&ews(), millis(0));
    assert_eq!(refusal.retry_after, Some(Millis::new(1)));
}

#[test]
fn a_batch_is_only_delayed_and_at_last_runs_in_debt() {
    let (budget, limits) = (Budget::new(), cas(10));
    let mut batch = run(&budget, &limits, millis(0));
    assert_eq!(budget.recheck(&mut batch, &limits, millis(5_999)), Look::Run);
    let Look::Wait(until) = budget.recheck(&mut batch, &limits, millis(7_000)) else { panic!("over budget") };
    assert!(until >= millis(60_000));
    assert!(batch.is_waiting());
    assert_eq!(
        budget.recheck(&mut batch, &limits, millis(8_000)),
        Look::Wait(until),
        "it may ask either way"
    );
    budget.run_in_debt(&mut batch, millis(30_000));
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(32_000)), 9_000);
    end(&budget, batch, millis(32_000));
    assert_eq!(budget.snapshot(&limits, millis(32_000)).time[1].remainder(), Some(-3_000));
}

#[test]
fn a_batch_that_waits_again_stands_at_the_end_and_gives_up_its_turn() {
    let (budget, limits) = (Budget::new(), cas(50));
    spend(&budget, &limits, 0, 30_000);
    let (mut batch, _) = wait(&budget, &limits, millis(30_000));
    let (mut next, _) = wait(&budget, &limits, millis(30_000));
    assert_eq!(budget.look(&mut batch, &limits, millis(60_500)), Look::Run);
    // Another call of the owner, admitted late, takes what is left.
    let Look::Wait(_) = budget.recheck(&mut batch, &cas(40), millis(60_600)) else { panic!("over budget") };
    assert_eq!(budget.look(&mut next, &limits, millis(61_000)), Look::Run);
    assert!(matches!(budget.look(&mut batch, &limits, millis(61_000)), Look::Wait(_)));
    end(&budget, batch, millis(61_000));
    end(&budget, next, millis(61_000));
}

#[test]
fn two_finds_of_ten_count_twenty_then_ten_then_none() {
    let (budget, limits) = (Budget::new(), ews());
    let (mut one, mut other) = (run(&budget, &limits, millis(0)), run(&budget, &limits, millis(0)));
    budget.charge_found(&mut one, 10);
    budget.charge_found(&mut other, 10);
    assert_eq!(budget.find_left(&limits), Some(980));
    assert!(budget.end(one, millis(1)), "a find that waits may go on");
    assert_eq!(budget.find_left(&limits), Some(990));
    budget.release_found(&mut other, 4);
    assert_eq!((budget.find_left(&limits), other.found()), (Some(994), 6));
    end(&budget, other, millis(2));
    assert_eq!(budget.find_left(&limits), Some(1000));
    assert_eq!(budget.find_left(&cas(50)), None);
}

#[test]
fn a_find_takes_what_another_left_and_its_least_at_any_rate() {
    let (budget, limits) = (Budget::new(), ews());
    let mut call = run(&budget, &limits, millis(0));
    assert_eq!(budget.take_found(&mut call, &limits, 990, 0), 990);
    assert_eq!(budget.take_found(&mut call, &limits, 20, 1), 10);
    assert_eq!(budget.take_found(&mut call, &limits, 20, 0), 0);
    assert_eq!(budget.take_found(&mut call, &limits, 20, 1), 1, "one at least stays in each folder");
    assert_eq!(budget.snapshot(&limits, millis(0)).find_count, (Some(1000), 1001));
    assert_eq!(budget.find_left(&limits), Some(0));
    end(&budget, call, millis(0));
}

#[test]
fn hanging_calls_have_a_limit_of_their_own_and_hold_no_place() {
    let (budget, limits) = (Budget::new(), ComponentLimits { max_concurrency: Some(1), ..ews() });
    let mut hanging = Vec::new();
    for _ in 0..10 {
        let mut call = run(&budget, &limits, millis(0));
        budget.hang(&mut call, &limits, millis(1)).unwrap();
        assert!(call.is_hanging());
        hanging.push(call);
    }
    let mut one_more = run(&budget, &limits, millis(1));
    let refusal = budget.hang(&mut one_more, &limits, millis(2)).unwrap_err();
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::HangingConnections, 10, 10));
    assert_eq!(budget.snapshot(&limits, millis(2)).connections, 1, "it goes on as it was");
    end(&budget, one_more, millis(2));
    end(&budget, hanging.pop().unwrap(), millis(3));
    assert_eq!(budget.snapshot(&limits, millis(3)).hanging, 9);
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(50_000)), 11);
    for call in hanging {
        end(&budget, call, millis(4));
    }
}

#[test]
fn subscriptions_are_counted_on_and_off_and_never_below_none() {
    let (budget, limits) = (Budget::new(), ComponentLimits { max_subscriptions: Some(2), ..ews() });
    budget.add_subscription(&limits).unwrap();
    budget.add_subscription(&limits).unwrap();
    let refusal = budget.add_subscription(&limits).unwrap_err();
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::MaxSubscriptions, 2, 2));
    budget.remove_subscriptions(1);
    budget.add_subscription(&limits).unwrap();
    budget.remove_subscriptions(7);
    assert_eq!(budget.snapshot(&limits, millis(0)).subscriptions, (Some(2), 0));
}

#[test]
fn observing_says_what_would_have_been_and_lets_everything_through() {
    let (budget, limits) = (Budget::new(), ComponentLimits { max_concurrency: Some(1), ..cas(50) });
    assert_eq!(budget.over(&limits, millis(0)), None);
    let free = ComponentLimits::unlimited(Component::Ews);
    let one = run(&budget, &free, millis(0));
    assert_eq!(budget.over(&limits, millis(0)).unwrap().part, Part::MaxConcurrency);
    let other = run(&budget, &free, millis(0));
    end(&budget, one, millis(20_000));
    end(&budget, other, millis(20_000));
    let refusal = budget.over(&limits, millis(20_000)).unwrap();
    assert_eq!((refusal.part, refusal.used), (Part::Time(TimePart::Cas), 40_000));
}

#[test]
fn a_lone_call_prints_no_call_before_and_one_at_its_end() {
    let (budget, limits) = (Budget::new(), ews());
    let before = budget.snapshot(&limits, millis(0));
    let call = run(&budget, &limits, millis(0));
    let at_its_end = budget.snapshot(&limits, millis(17_093));
    end(&budget, call, millis(17_093));
    assert!(before.to_string().starts_with("Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%"));
    assert!(at_its_end.to_string().starts_with("Conn:1,AD:30000/30000/0%,CAS:54000/36907/28%"));
}

#[test]
fn what_was_spent_before_the_owner_was_known_counts_at_once() {
    let (budget, limits) = (Budget::new(), ews());
    budget.charge(TimePart::Ad, Millis::new(250).micros(), millis(1_000));
    assert_eq!(used_millis(&budget, TimePart::Ad, millis(1_000)), 250);
    assert_eq!(used_millis(&budget, TimePart::Cas, millis(1_000)), 250);
    budget.charge(TimePart::Cas, Millis::new(60_000).micros(), millis(70_000));
    assert!(matches!(
        budget.over(&limits, millis(70_000)),
        Some(Refusal { part: Part::Time(TimePart::Cas), .. })
    ));
    assert_eq!(budget.over(&limits, millis(140_000)), None);
}
