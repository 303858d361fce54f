use proptest::prelude::*;
use weir_units::{Micros, Part, Percent, TimePart};

use super::{Evidence, Manner, PartSeen, SEEN_MAX, Seen, TimeSeen};
use crate::admission::OverBudget;
use crate::cpu::Busy;
use crate::verdict::Verdict;

#[track_caller]
fn check(text: &str, verdict: Verdict, why: Option<Part>) {
    let evidence: Evidence = text.parse().unwrap();
    assert_eq!(evidence.verdict(), (verdict, why), "{text}");
    assert_eq!(evidence.to_string(), text);
}

const CAS: Option<Part> = Some(Part::Time(TimePart::Cas));

#[test]
fn the_verdict_follows_from_what_was_seen_and_changes_with_it() {
    check("-", Verdict::Unjudged, None);
    check("held", Verdict::Run, None);
    check("held,MaxConcurrency:9/10,turn:delay:0:CAS=53999999/54000000", Verdict::Run, None);
    check("held,MaxConcurrency:10/10", Verdict::Refuse, Some(Part::MaxConcurrency));
    check("held,MaxConcurrency:9/10+3000000", Verdict::Delay, Some(Part::MaxConcurrency));
    check("held,turn:refuse:0:CAS=54000000/54000000@1", Verdict::Refuse, CAS);
    check("held,turn:delay:0:CAS=0/0@-", Verdict::Refuse, CAS);
    check("held,turn:delay:0:CAS=54000000/54000000@1", Verdict::Run, None);
    check("held,turn:delay:1:CAS=0/9,line:turn:refuse:PercentTimeInCAS:1000:CAS=1/9", Verdict::Delay, CAS);
    check("held,turn:delay:1:CAS=0/9,line:turn:refuse:PercentTimeInCAS:999:CAS=1/9", Verdict::Run, None);
    check("held,line:behind:refuse:PercentTimeInCAS:1000:CAS=1/9", Verdict::Refuse, CAS);
    check("held,line:turn:refuse:PercentTimeInCAS:1000:CAS=9/9@7", Verdict::Refuse, CAS);
    check("held,line:turn:run:PercentTimeInCAS:1000:CAS=9/9@7", Verdict::Delay, CAS);
    check("held,cpu:7500/75", Verdict::Delay, Some(Part::Cpu));
    check("held,cpu:7499/75", Verdict::Run, None);
    check("held,page:0+60000000", Verdict::Refuse, Some(Part::FindCount));
    check("held,page:1+60000000", Verdict::Delay, Some(Part::FindCount));
    check("held,whole:1001/1000", Verdict::Refuse, Some(Part::FindCount));
    check("held,whole:1000/1000", Verdict::Run, None);
    check("held,search:60", Verdict::Refuse, Some(Part::FastSearchTimeout));
    check("held,pace:4:1000:25000", Verdict::Refuse, Some(Part::Backoff));
    check("held,pace:4:0:25000", Verdict::Run, None);
    check("held,place:refuse:7/8+1000", Verdict::Delay, Some(Part::FairShare));
    check("held,place:refuse:7/8+999", Verdict::Run, None);
    check("held,place:refuse:8/8+60000000", Verdict::Refuse, Some(Part::FairShare));
    check("held,place:run:8/8+60000000", Verdict::Delay, Some(Part::FairShare));
}

#[test]
fn the_last_refusal_counts_and_then_the_last_wait() {
    check("held,cpu:9000/75,page:1+2000", Verdict::Delay, Some(Part::FindCount));
    check("held,whole:2/1,cpu:9000/75", Verdict::Refuse, Some(Part::FindCount));
    check("held,whole:2/1,MaxSubscriptions:3/3", Verdict::Refuse, Some(Part::MaxSubscriptions));
}

#[test]
fn who_is_only_observed_is_told_of_the_first_limit_that_would_have_refused_or_else_delayed_him() {
    check("observed,MaxConcurrency:0/10,turn:delay:0:CAS=0/9", Verdict::Run, None);
    check("observed,MaxConcurrency:0/0,whole:2/1", Verdict::WouldRefuse, Some(Part::MaxConcurrency));
    check("observed,turn:delay:0:CAS=9/9@5,cpu:9000/75", Verdict::WouldDelay, CAS);
    check("observed,turn:delay:0:CAS=9/9@5,whole:2/1", Verdict::WouldRefuse, Some(Part::FindCount));
    check("observed,turn:delay:0:CAS=9/0@-", Verdict::WouldRefuse, CAS);
    check("observed,turn:refuse:0:CAS=9/9@5", Verdict::WouldRefuse, CAS);
    check("observed,MaxSubscriptions:3/3", Verdict::WouldRefuse, Some(Part::MaxSubscriptions));
    check("observed,HangingConnections:10/10", Verdict::WouldRefuse, Some(Part::HangingConnections));
    check("observed,cpu:9000/75", Verdict::WouldDelay, Some(Part::Cpu));
    check("observed,whole:2/1", Verdict::WouldRefuse, Some(Part::FindCount));
    check("observed,pace:4:1000:25000", Verdict::WouldRefuse, Some(Part::Backoff));
}

#[test]
fn the_part_that_takes_longest_is_named() {
    let text = "held,turn:refuse:0:AD=9/9@5:CAS=9/9@5:AB=0/9:RPC=9/9@4";
    check(text, Verdict::Refuse, CAS);
    check("held,turn:refuse:0:AD=9/9@-:CAS=9/9@5", Verdict::Refuse, Some(Part::Time(TimePart::Ad)));
}

#[test]
fn what_is_no_evidence_is_told_apart() {
    for text in [
        "",
        "kept",
        "held,",
        "held,turn",
        "held,turn:delay",
        "held,turn:delay:x",
        "held,turn:delay:0:XX=1/2",
        "held,turn:delay:0:AD=1",
        "held,Nothing:1/2",
        "held,MaxConcurrency:1",
        "held,line:turn:refuse:PercentTimeInCAS",
        "held,cpu:1/2/3",
    ] {
        assert!(text.parse::<Evidence>().is_err(), "{text}");
    }
    let many = format!("held{}", ",cpu:1/2".repeat(SEEN_MAX + 1));
    assert!(many.parse::<Evidence>().is_err());
}

#[test]
fn a_hundred_looks_at_the_processor_leave_room_for_what_came_before() {
    let mut evidence: Evidence = "held,MaxConcurrency:0/10,turn:delay:0".parse().unwrap();
    for hundredths in 9000..9100 {
        evidence.note(Seen::Cpu { busy: Busy::new(hundredths), start: Percent::new(75) });
    }
    assert_eq!(evidence.seen().len(), SEEN_MAX);
    assert!(evidence.to_string().starts_with("held,MaxConcurrency:0/10,turn:delay:0,cpu:"), "{evidence}");
    assert!(evidence.to_string().ends_with(",cpu:9099/75"), "{evidence}");
}

fn seen() -> impl Strategy<Value = Seen> {
    let micros = || (0..100_000_000_u64).prop_map(Micros::new);
    let part = (micros(), micros(), prop_oneof![micros(), Just(PartSeen::NEVER)])
        .prop_map(|(used, allowance, clear)| PartSeen { used, allowance, clear });
    let time = proptest::array::uniform4(proptest::option::of(part)).prop_map(TimeSeen);
    let over = prop_oneof![Just(OverBudget::Delay), Just(OverBudget::Refuse)];
    let any_part = proptest::sample::select(Part::ALL.to_vec());
    prop_oneof![
        (any_part.clone(), any::<u64>(), any::<u64>(), micros())
            .prop_map(|(part, used, limit, waited)| Seen::Count { part, used, limit, waited }),
        (over, any::<u32>(), time.clone()).prop_map(|(over_budget, waiting, time)| Seen::Turn {
            over_budget,
            waiting,
            time
        }),
        (any::<bool>(), any::<bool>(), any_part, micros(), time).prop_map(
            |(turn, may_refuse, why, waited, time)| Seen::Line { turn, may_refuse, why, waited, time }
        ),
        (0..=10_000_u32, 0..=100_u32)
            .prop_map(|(busy, start)| Seen::Cpu { busy: Busy::new(busy), start: Percent::new(start) }),
        (any::<u32>(), micros()).prop_map(|(left, waited)| Seen::Page { left, waited }),
        any::<(u64, u64)>().prop_map(|(came, left)| Seen::Whole { came, left }),
        (any::<u32>(), micros(), micros()).prop_map(|(operations, left, latency)| Seen::Pace {
            operations,
            left,
            latency
        }),
        any::<u64>().prop_map(|seconds| Seen::Search { seconds }),
        (any::<u32>(), any::<u32>(), any::<bool>(), micros()).prop_map(
            |(running, places, may_refuse, waited)| Seen::Place { running, places, may_refuse, waited }
        ),
    ]
}

proptest! {
    #[test]
    fn evidence_is_read_as_it_was_written(sights in prop::collection::vec(seen(), 0..=SEEN_MAX), held: bool) {
        let mut evidence = Evidence::new(if held { Manner::Held } else { Manner::Observed });
        for seen in sights {
            evidence.note(seen);
        }
        let text = evidence.to_string();
        prop_assert!(!text.contains([';', ' ']), "{}", text);
        let read: Evidence = text.parse().unwrap();
        prop_assert_eq!(&read, &evidence);
        prop_assert_eq!(read.verdict(), evidence.verdict());
    }
}
