use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const MINUTE: Micros = Micros::MINUTE;
const DAY: Micros = Micros::MINUTE.times(24 * 60);

fn john() -> Owner {
    Owner::new("john@example.com")
}

fn at(seconds: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(seconds))
}

fn message() -> Submission {
    Submission { messages: 1, recipients: 0 }
}

fn to(recipients: u32) -> Submission {
    Submission { messages: 0, recipients }
}

fn limits(messages: impl Into<Option<u32>>, recipients: impl Into<Option<u32>>) -> SubmissionLimits {
    SubmissionLimits { messages: messages.into(), recipients: recipients.into() }
}

fn charge(
    submissions: &Submissions,
    what: Submission,
    limits: SubmissionLimits,
    now: Tick,
) -> Result<(), Refusal> {
    submissions.charge(&john(), what, limits, now)
}

#[test]
fn exactly_the_limit_passes_and_one_more_is_refused_until_the_first_is_old() {
    let (submissions, limits) = (Submissions::new(10), limits(30, None));
    for second in 0..30 {
        assert_eq!(charge(&submissions, message(), limits, at(second)), Ok(()));
    }
    let refusal = charge(&submissions, message(), limits, at(30)).unwrap_err();
    let expected = Refusal {
        component: Component::Smtp,
        part: Part::MessageRate,
        limit: 30,
        used: 30,
        retry_after: Some(Millis::new(35_000)),
    };
    assert_eq!(refusal, expected);
    assert!(charge(&submissions, message(), limits, at(64)).is_err());
    for _ in 0..5 {
        assert_eq!(charge(&submissions, message(), limits, at(65)), Ok(()), "the first five seconds' five");
    }
    assert!(charge(&submissions, message(), limits, at(65)).is_err());
}

#[test]
fn recipients_count_for_a_day_and_messages_for_a_minute() {
    let (submissions, limits) = (Submissions::new(10), limits(1, 500));
    let mail = Submission { messages: 1, recipients: 500 };
    assert_eq!(charge(&submissions, mail, limits, at(0)), Ok(()));
    let refusal = charge(&submissions, to(1), limits, at(70)).unwrap_err();
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::RecipientRate, 500, 500));
    assert_eq!(refusal.retry_after, Some(Millis::new((24 * 3600 + 1800 - 70) * 1000)));
    assert_eq!(charge(&submissions, message(), limits, at(70)), Ok(()), "the first message is old");
    assert_eq!(charge(&submissions, to(500), limits, at(24 * 3600 + 1800)), Ok(()));
}

#[test]
fn no_limit_lets_everything_pass_and_zero_nothing() {
    let submissions = Submissions::new(10);
    for _ in 0..1_000 {
        let mail = Submission { messages: 1, recipients: 1_000 };
        assert_eq!(charge(&submissions, mail, limits(None, None), at(0)), Ok(()));
    }
    let refusal = charge(&submissions, message(), limits(0, None), at(500)).unwrap_err();
    assert_eq!((refusal.limit, refusal.used, refusal.retry_after), (0, 0, None), "no waiting helps");
}

#[test]
fn more_at_once_than_a_limit_ever_allows_is_refused_without_a_time() {
    let refusal = charge(&Submissions::new(10), to(11), limits(None, 10), at(0)).unwrap_err();
    assert_eq!((refusal.part, refusal.used, refusal.retry_after), (Part::RecipientRate, 0, None));
}

#[test]
fn a_refused_submission_is_charged_in_no_part() {
    let submissions = Submissions::new(10);
    let mail = Submission { messages: 1, recipients: 11 };
    assert!(charge(&submissions, mail, limits(5, 10), at(0)).is_err());
    assert!(submissions.is_empty(), "and a stranger who is refused takes no room");
    assert_eq!(charge(&submissions, to(1), limits(5, 10), at(0)), Ok(()));
    assert!(charge(&submissions, mail, limits(5, 10), at(0)).is_err());
    assert_eq!(submissions.of(&john(), at(0)), Some(Submitted { messages: 0, recipients: 1 }));
}

#[test]
fn who_is_only_observed_is_charged_and_told_what_would_have_refused_him() {
    let (submissions, limits) = (Submissions::new(10), limits(1, None));
    let observe = || submissions.observe(&john(), message(), limits, at(0));
    assert_eq!(observe(), None);
    assert_eq!(observe().map(|refusal| (refusal.part, refusal.used)), Some((Part::MessageRate, 1)));
    assert_eq!(observe().map(|refusal| refusal.used), Some(2));
    let held = charge(&submissions, message(), limits, at(1)).unwrap_err();
    assert_eq!((held.used, held.retry_after), (3, Some(Millis::new(64_000))));
}

#[test]
fn a_lower_limit_holds_from_the_next_submission_on() {
    let submissions = Submissions::new(10);
    for _ in 0..5 {
        assert_eq!(charge(&submissions, message(), limits(10, None), at(0)), Ok(()));
    }
    assert!(charge(&submissions, message(), limits(5, None), at(0)).is_err());
    assert_eq!(charge(&submissions, message(), limits(6, None), at(0)), Ok(()));
}

#[test]
fn moments_out_of_order_count_in_the_latest_slice() {
    let (submissions, limits) = (Submissions::new(10), limits(2, None));
    assert_eq!(charge(&submissions, message(), limits, at(100)), Ok(()));
    assert_eq!(charge(&submissions, message(), limits, at(20)), Ok(()));
    assert_eq!(charge(&submissions, message(), limits, at(164)).unwrap_err().used, 2);
}

#[test]
fn owners_of_whom_nothing_counts_are_swept_out() {
    let submissions = Submissions::new(10);
    assert_eq!(charge(&submissions, message(), limits(None, None), at(0)), Ok(()));
    submissions.sweep(at(64));
    assert_eq!(submissions.len(), 1);
    submissions.sweep(at(65));
    assert_eq!((submissions.len(), submissions.of(&john(), at(65))), (0, None));
}

#[test]
fn who_has_used_up_a_limit_outlives_any_number_of_others() {
    for bound in [1_000, 5_000] {
        let submissions = Submissions::new(bound);
        assert_eq!(charge(&submissions, message(), limits(1, None), at(0)), Ok(()));
        for number in 0..20_000 {
            let other = Owner::new(&format!("owner{number}@example.com"));
            let charged = submissions.charge(&other, to(3), limits(None, None), at(1));
            assert_eq!(charged, Ok(()));
        }
        assert!(submissions.len() <= bound);
        assert!(charge(&submissions, message(), limits(1, None), at(2)).is_err(), "he is in debt");
    }
}

#[test]
fn who_owes_nothing_makes_room_before_anybody_who_owes() {
    let submissions = Submissions::new(3 * SHARDS);
    for number in 0..100_u32 {
        let old = Owner::new(&format!("old{number}@example.com"));
        assert!(submissions.charge(&old, message(), limits(None, None), at(0)).is_ok());
    }
    assert_eq!(charge(&submissions, to(1), limits(None, None), at(100)), Ok(()));
    for number in 0..20 {
        let other = Owner::new(&format!("owner{number}@example.com"));
        assert!(submissions.charge(&other, to(9), limits(None, None), at(100)).is_ok());
    }
    assert_eq!(submissions.of(&john(), at(100)).map(|submitted| submitted.recipients), Some(1));
    assert!(submissions.len() <= 3 * SHARDS);
}

#[test]
fn a_table_for_nobody_remembers_one_at_a_time() {
    let submissions = Submissions::new(0);
    for name in ["a@example.com", "b@example.com"] {
        let owner = Owner::new(name);
        assert!(submissions.charge(&owner, message(), limits(1, None), at(0)).is_ok());
        assert!(submissions.charge(&owner, message(), limits(1, None), at(0)).is_err());
    }
    assert_eq!(submissions.len(), 1);
}

/// The rules, slowly: everything that was ever charged, with its moment.
#[derive(Default)]
struct Model(Vec<(Tick, Submission)>);

impl Model {
    /// What counts at `now`: a thing whose slice is not wholly older than the window.
    fn used(&self, now: Tick, slice: Micros, window: Micros, what: impl Fn(&Submission) -> u32) -> u64 {
        let counts = |at: Tick| {
            let slice_end = (at.micros() / slice.count() + 1) * slice.count();
            now.micros() < slice_end + window.count()
        };
        self.0.iter().filter(|(at, _)| counts(*at)).map(|(_, submission)| u64::from(what(submission))).sum()
    }

    fn messages(&self, now: Tick) -> u64 {
        self.used(now, MESSAGE_SLICE, MINUTE, |submission| submission.messages)
    }

    fn recipients(&self, now: Tick) -> u64 {
        self.used(now, RECIPIENT_SLICE, DAY, |submission| submission.recipients)
    }

    /// The part that is in the way of `submission`.
    fn part(&self, submission: Submission, limits: SubmissionLimits, now: Tick) -> Option<Part> {
        let over = |limit: Option<u32>, count: u32, used: u64| {
            count > 0 && limit.is_some_and(|limit| used + u64::from(count) > u64::from(limit))
        };
        let messages = over(limits.messages, submission.messages, self.messages(now));
        let recipients = over(limits.recipients, submission.recipients, self.recipients(now));
        messages.then_some(Part::MessageRate).or(recipients.then_some(Part::RecipientRate))
    }

    /// Whether in no minute and no day more was charged than `limits` allow.
    fn keeps(&self, limits: SubmissionLimits) -> bool {
        self.0.iter().all(|(start, _)| {
            let within = |window: Micros| {
                self.0.iter().filter(move |(at, _)| start <= at && at.since(*start) < window)
            };
            let messages: u64 = within(MINUTE).map(|(_, charged)| u64::from(charged.messages)).sum();
            let recipients: u64 = within(DAY).map(|(_, charged)| u64::from(charged.recipients)).sum();
            limits.messages.is_none_or(|limit| messages <= limit.into())
                && limits.recipients.is_none_or(|limit| recipients <= limit.into())
        })
    }
}

fn any_gap() -> impl Strategy<Value = Micros> {
    prop_oneof![
        4 => (0..7_000_u64).prop_map(|millis| Micros::new(millis * 1_000)),
        2 => (0..70_u64).prop_map(|seconds| Micros::SECOND.times(seconds)),
        1 => (0..1_600_u64).prop_map(|minutes| Micros::MINUTE.times(minutes)),
    ]
}

fn any_limit() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![1 => Just(None), 4 => (0..8_u32).prop_map(Some)]
}

proptest! {
    #[test]
    fn every_history_is_judged_as_the_slow_model_does(
        steps in vec((any_gap(), 0..3_u32, 0..4_u32, any::<bool>()), 1..120),
        messages in any_limit(),
        recipients in any_limit(),
    ) {
        let (submissions, mut model, limits) =
            (Submissions::new(1), Model::default(), limits(messages, recipients));
        let (mut now, mut observed) = (Tick::START, false);
        for (gap, messages, recipients, held) in steps {
            now = now.plus(gap);
            let submission = Submission { messages, recipients };
            let expected = model.part(submission, limits, now);
            let refusal = if held {
                charge(&submissions, submission, limits, now).err()
            } else {
                submissions.observe(&john(), submission, limits, now)
            };
            prop_assert_eq!(refusal.map(|refusal| refusal.part), expected);
            if let Some(refusal) = refusal {
                let of_messages = refusal.part == Part::MessageRate;
                let used = if of_messages { model.messages(now) } else { model.recipients(now) };
                prop_assert_eq!(refusal.used, used);
                match refusal.retry_after {
                    Some(wait) => {
                        let alone = if of_messages {
                            Submission { messages, recipients: 0 }
                        } else {
                            Submission { messages: 0, recipients }
                        };
                        let then = now.plus(wait.micros());
                        prop_assert_eq!(model.part(alone, limits, then), None, "it passes then");
                        let before = Tick::new(then.micros() - 1_000);
                        prop_assert_eq!(model.part(alone, limits, before), Some(refusal.part), "and no sooner");
                    }
                    None => prop_assert!(refusal.limit < u64::from(messages.max(recipients))),
                }
            }
            if expected.is_none() || !held {
                model.0.push((now, submission));
                observed |= expected.is_some();
            }
            let counted = submissions.of(&john(), now).unwrap_or_default();
            prop_assert_eq!((counted.messages, counted.recipients), (model.messages(now), model.recipients(now)));
        }
        prop_assert!(observed || model.keeps(limits));
    }
}
