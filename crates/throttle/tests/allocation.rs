//! A decision allocates nothing, and neither does looking an owner up a second time.

#![allow(clippy::panic, reason = "tests")]

use allocation_counter::measure;
use weir_throttle::fair::{Arrival, FairBounds, FairGate, LimitRules, Ticket, Weight};
use weir_throttle::rpc::{RpcDecision, RpcLatency, RpcRules, RpcSession};
use weir_throttle::submissions::{Submission, SubmissionLimits, Submissions};
use weir_throttle::{Admission, Budget, Budgets, Limits, Policy, Rules};
use weir_units::{Component, Micros, Owner, Tick, TimePart};

#[test]
fn admission_phases_finds_snapshots_and_the_end_allocate_nothing() {
    let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
    let (limits, rules, budget) = (limits.component(Component::Ews), Rules::default(), Budget::new());
    let mut now = Tick::START;
    let seen = measure(|| {
        // Long enough that slices are folded, and gaps of more than a minute.
        for step in 0..1_000 {
            now = now.plus(Micros::new(step * 100_000));
            let Admission::Run(mut call) = budget.admit(limits, &rules, now) else {
                panic!("nothing is used")
            };
            budget.enter(&mut call, TimePart::MailboxRpc, now);
            budget.take_found(&mut call, limits, 10, 1);
            budget.pause(&mut call, now);
            budget.resume(&mut call, now);
            budget.leave(&mut call, now);
            assert_eq!(budget.snapshot(limits, now).connections, 1);
            let _ = budget.end(call, now);
        }
    });
    assert_eq!(seen.count_total, 0);
}

#[test]
fn an_owner_that_is_known_is_looked_up_without_allocating() {
    let budgets = Budgets::<()>::new(10);
    let owner = Owner::new("john.doe@example.com");
    assert!(budgets.of(&owner, Component::Ews, Tick::START).is_ok());
    let again = Owner::new("John.Doe@example.com");
    let seen = measure(|| {
        assert!(budgets.of(&again, Component::Ews, Tick::START).is_ok());
    });
    assert_eq!(seen.count_total, 0);
}

#[test]
fn an_owner_who_is_known_submits_without_allocating() {
    let (submissions, owner) = (Submissions::new(10), Owner::new("john.doe@example.com"));
    let limits = SubmissionLimits { messages: Some(30), recipients: Some(50) };
    let mail = Submission { messages: 1, recipients: 2 };
    assert!(submissions.charge(&owner, mail, limits, Tick::START).is_ok());
    let mut refused = 0;
    let seen = measure(|| {
        for second in 0..1_000 {
            let now = Tick::START.plus(Micros::SECOND.times(second));
            refused += u32::from(submissions.charge(&owner, mail, limits, now).is_err());
            assert!(submissions.of(&owner, now).is_some());
        }
    });
    assert!((1..1_000).contains(&refused), "both ways are measured, {refused} refusals");
    assert_eq!(seen.count_total, 0);
}

#[test]
fn a_decision_about_a_session_allocates_nothing_and_neither_does_a_packet() {
    let (latency, session, rules) = (RpcLatency::default(), RpcSession::new(), RpcRules::default());
    let (mut now, mut refused) = (Tick::START, 0);
    let seen = measure(|| {
        for step in 0..5_000 {
            now = now.plus(Micros::new(step * 10));
            let decision = session.decide(200, latency.mean(), &rules, now);
            refused += u32::from(matches!(decision, RpcDecision::BackOff(_)));
            latency.record(Micros::new(50_000));
            assert!(session.state(now).active);
        }
    });
    assert!((100..5_000).contains(&refused), "both ways are measured, {refused} refusals");
    assert_eq!(seen.count_total, 0);
}

#[test]
fn a_call_at_the_gate_allocates_nothing_whether_it_runs_waits_or_gives_up() {
    let gate = FairGate::<()>::new(
        LimitRules::fixed(2).unwrap(),
        FairBounds { in_all: 100, owners: 100, ..FairBounds::default() },
    );
    let owners: Vec<Owner> = (0..50).map(|number| Owner::new(&format!("john.doe.{number}"))).collect();
    let arrive = |owner, now| match gate.arrive(owner, Weight::ONE, |()| {}, now) {
        Arrival::Run(ticket) | Arrival::Wait(ticket) => ticket,
        Arrival::Refuse(crowded) => panic!("{crowded}"),
    };
    let mut now = Tick::START;
    let seen = measure(|| {
        for step in 0..1_000 {
            now = now.plus(Micros::new(step * 1_000));
            let [mut runs, mut waits, goes]: [Ticket; 3] = [0, 1, 2].map(|call| {
                let owner = owners.iter().cycle().nth(usize::try_from(step * 3 + call).unwrap()).unwrap();
                arrive(owner, now)
            });
            let third = arrive(&owners[0], now);
            assert!(!gate.look(&third, || ()));
            gate.leave(goes, |()| {}, now);
            std::mem::swap(&mut runs, &mut waits);
            for ticket in [runs, waits, third] {
                gate.done(ticket, Micros::new(5_000 + step), true, |()| {}, now);
            }
        }
    });
    assert_eq!((gate.load().running, gate.load().waiting), (0, 0));
    assert_eq!(seen.count_total, 0);
}
