use weir_units::Component;

use super::*;

fn answer(part: Part, retry_after: Option<u64>) -> RefusalAnswer {
    let retry_after = retry_after.map(Millis::new);
    RefusalAnswer::new(&Refusal { component: Component::Eas, part, limit: 10, used: 10, retry_after })
}

fn lines(answer: RefusalAnswer) -> Vec<String> {
    answer.headers().map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn every_part_is_refused_with_a_wait_and_a_reason() {
    for part in Part::ALL {
        let reason = if part == Part::MessageRate { "CommandFrequency" } else { "OutOfBudgets" };
        assert_eq!(
            lines(answer(part, Some(17_000))),
            ["Retry-After: 17", &format!("X-MS-ASThrottle: {reason}")]
        );
        assert!(answer(part, None).body().contains("its share"), "{part}");
    }
}

#[test]
fn a_started_second_is_waited_for_whole_and_at_least_one() {
    for (millis, seconds) in [
        (Some(0), 1),
        (Some(1), 1),
        (Some(1000), 1),
        (Some(1001), 2),
        (None, 5),
        (Some(u64::MAX), 2_147_483_647),
    ] {
        assert_eq!(answer(Part::Waiting, millis).retry_after_seconds(), seconds, "{millis:?}");
        assert_eq!(RefusalAnswer::unavailable(millis.map(Millis::new)).retry_after_seconds(), seconds);
    }
}

#[test]
fn a_failing_origin_is_not_held_against_the_device() {
    let answer = RefusalAnswer::unavailable(Some(Millis::new(2500)));
    assert_eq!(lines(answer), ["Retry-After: 3"]);
    assert_eq!(answer.throttle(), None);
    assert!(answer.body().contains("does not answer"));
}
