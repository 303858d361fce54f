use proptest::prelude::*;
use weir_units::Micros;

use super::*;

const LATE: Tick = Tick::new(3_600_000_000);

fn seconds(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn queue(ids: &[u32]) -> NextHopQueue<u32> {
    let mut queue = NextHopQueue::new(QueueSettings::default(), Tick::START);
    for id in ids {
        queue.add(*id, LATE, Tick::START).unwrap();
    }
    queue
}

fn deferral(until: u64, cause: Cause) -> Deferral {
    Deferral { until: seconds(until), cause, error: "451 later".into(), judge_at: LATE }
}

fn process() -> Connections {
    Connections::new(&QueueSettings::default())
}

fn drain(queue: &mut NextHopQueue<u32>, now: Tick) -> Vec<u32> {
    std::iter::from_fn(|| queue.take(now)).collect()
}

#[test]
fn messages_go_in_the_order_in_which_they_came() {
    let mut queue = queue(&[5, 3, 9]);
    assert_eq!(drain(&mut queue, Tick::START), [5, 3, 9]);
    let listing = queue.listing(Tick::START);
    assert_eq!((listing.ready, listing.sending, listing.incoming), (0, 3, 3));
    queue.done(5, Tick::START);
    assert_eq!(queue.listing(Tick::START).outgoing, 1);
    assert!(queue.listing(Tick::START).velocity() < 0.0, "more came than went");
}

#[test]
fn connections_are_opened_for_messages_that_wait_within_the_window() {
    let mut queue = queue(&[1, 2]);
    let mut opened = 0;
    while queue.wants_connection(&process(), Tick::START) {
        queue.opening();
        opened += 1;
    }
    assert_eq!(opened, 2, "one for each message");
    for id in 3..50 {
        queue.add(id, LATE, Tick::START).unwrap();
    }
    while queue.wants_connection(&process(), Tick::START) {
        queue.opening();
        opened += 1;
    }
    assert_eq!(opened, 5, "and no more than the window has");
    assert_eq!(queue.listing(Tick::START).state, QueueState::Active);
}

#[test]
fn a_deferred_message_waits_for_its_time() {
    let mut queue = queue(&[1, 2]);
    drain(&mut queue, Tick::START);
    queue.defer(1, deferral(300, Cause::Peer));
    queue.done(2, Tick::START);
    assert_eq!(queue.take(seconds(299)), None);
    assert_eq!(queue.next_event(seconds(299)), seconds(300));
    let listing = queue.listing(seconds(299));
    assert_eq!((listing.state, listing.next_retry), (QueueState::Retry, Some(seconds(300))));
    assert_eq!(queue.take(seconds(300)), Some(1));
}

#[test]
fn when_no_target_may_be_tried_the_queue_is_in_retry_and_counts_attempts_in_vain() {
    let mut queue = queue(&[1]);
    let mut fail = |until: u64, now: u64| {
        assert!(queue.wants_connection(&process(), seconds(now)), "due at {now}");
        queue.opening();
        queue.not_connected(&"connection refused".into());
        queue.block(seconds(until), seconds(now));
        assert!(!queue.wants_connection(&process(), seconds(until - 1)));
        queue.listing(seconds(now))
    };
    assert_eq!(fail(60, 0).retry_count, 0);
    assert_eq!(fail(120, 60).retry_count, 1);
    let listing = fail(180, 120);
    assert_eq!((listing.state, listing.retry_count), (QueueState::Retry, 2));
    assert_eq!((listing.first_failure, listing.last_failure), (Some(Tick::START), Some(seconds(120))));
    assert_eq!(listing.next_retry, Some(seconds(180)));
    assert_eq!(listing.last_error.as_deref(), Some("connection refused"));
    assert_eq!(queue.next_event(seconds(120)), seconds(180));
    assert_eq!(queue.next_event(seconds(180)), LATE, "the retry is due, and whoever asks has seen that");
}

#[test]
fn waiting_for_a_first_connection_is_no_attempt_in_vain() {
    let mut queue = queue(&[1, 2]);
    queue.opening();
    queue.block(seconds(30), Tick::START);
    let listing = queue.listing(Tick::START);
    assert_eq!((listing.retry_count, listing.first_failure), (0, None));
    assert_eq!(listing.connection_limit, 5);
    queue.connected(seconds(1));
    assert!(queue.wants_connection(&process(), seconds(1)), "at once, not at 30 s");
}

#[test]
fn waiting_for_the_retries_of_other_queues_is_no_attempt_in_vain() {
    let mut queue = queue(&[1]);
    for round in 0..3 {
        queue.block(seconds(60 * (round + 1)), seconds(60 * round));
    }
    let listing = queue.listing(seconds(120));
    assert_eq!((listing.state, listing.retry_count, listing.first_failure), (QueueState::Retry, 0, None));
    assert_eq!(listing.next_retry, Some(seconds(180)));
    assert!(queue.is_given_up(seconds(12 * 3600)), "it is blocked all the same");
}

#[test]
fn when_a_target_recovers_what_waited_for_it_goes_at_once() {
    let mut queue = queue(&[1, 2, 3]);
    drain(&mut queue, Tick::START);
    queue.defer(1, deferral(300, Cause::Connection));
    queue.defer(2, deferral(300, Cause::Peer));
    queue.defer(3, deferral(200, Cause::Connection));
    queue.block(seconds(600), seconds(1));
    queue.recovered();
    assert_eq!(drain(&mut queue, seconds(2)), [3, 1]);
    assert_eq!(queue.take(seconds(299)), None, "the peer said so");
    assert_eq!(queue.take(seconds(300)), Some(2));
}

#[test]
fn the_administrator_can_have_it_tried_at_once_and_failing_that_times_count_from_then() {
    let mut queue = queue(&[1, 2]);
    queue.take(Tick::START);
    queue.defer(1, deferral(300, Cause::Peer));
    queue.block(seconds(600), Tick::START);
    queue.retry_now(seconds(10));
    assert!(queue.wants_connection(&process(), seconds(10)));
    assert_eq!(queue.ready(seconds(10)), 2);
    queue.not_connected(&"connection refused".into());
    queue.block(seconds(610), seconds(10));
    assert!(!queue.wants_connection(&process(), seconds(609)));
    assert_eq!(queue.listing(seconds(10)).last_failure, Some(seconds(10)));
}

#[test]
fn a_suspended_queue_sends_nothing_and_keeps_everything() {
    let mut queue = queue(&[1]);
    queue.suspend(true);
    assert_eq!((queue.take(Tick::START), queue.ready(Tick::START)), (None, 0));
    assert!(!queue.wants_connection(&process(), Tick::START));
    assert_eq!(queue.listing(Tick::START).state, QueueState::Suspended);
    queue.suspend(false);
    assert_eq!(queue.take(Tick::START), Some(1));
}

#[test]
fn ages_are_judged_when_due_and_never_of_what_is_being_sent() {
    let mut queue = queue(&[1, 2]);
    assert_eq!(queue.take(Tick::START), Some(1));
    assert_eq!(queue.take_aged(LATE), [2]);
    assert!(queue.take_aged(LATE).is_empty(), "once");
    assert!(queue.hold(1).is_none(), "somebody sends it");
    let held = queue.hold(2).unwrap();
    assert_eq!((queue.take(LATE), queue.listing(LATE).sending), (None, 2), "nobody sends it meanwhile");
    queue.release(2, held, LATE.plus(Micros::MINUTE));
    assert_eq!((queue.next_event(LATE), queue.ready(LATE)), (LATE.plus(Micros::MINUTE), 1));
    queue.defer(1, deferral(9, Cause::Peer));
    assert_eq!(queue.take_aged(LATE), [1]);
    let held = queue.hold(1).unwrap();
    queue.release(1, held, LATE);
    assert_eq!((queue.listing(LATE).deferred, queue.take_aged(LATE)), (1, vec![1]), "where it was");
    assert!(queue.remove(1) && !queue.remove(1));
}

#[test]
fn a_full_queue_says_so() {
    let settings = QueueSettings { queue_messages: 1, ..QueueSettings::default() };
    let mut queue = NextHopQueue::new(settings, Tick::START);
    queue.add(1, LATE, Tick::START).unwrap();
    assert_eq!(queue.add(1, LATE, Tick::START), Ok(()), "it is here already");
    assert_eq!(queue.add(2, LATE, Tick::START), Err(Full { bound: 1 }));
}

#[test]
fn an_empty_queue_goes_after_a_while_and_one_that_is_never_answered_is_routed_again() {
    let mut queue = queue(&[1]);
    assert!(!queue.is_idle(seconds(1000)));
    queue.take(seconds(1));
    queue.done(1, seconds(1));
    assert!(!queue.is_idle(seconds(180)) && queue.is_idle(seconds(181)));
    queue.block(seconds(60), Tick::START);
    assert!(!queue.is_given_up(seconds(12 * 3600 - 1)) && queue.is_given_up(seconds(12 * 3600)));
}

#[test]
fn after_an_outage_the_window_is_no_wider_than_a_first_one() {
    let mut queue = queue(&[1]);
    (0..500).for_each(|_| queue.learn(Feedback::Delivered));
    assert_eq!(queue.listing(Tick::START).connection_limit, 20);
    queue.not_connected(&"connection refused".into());
    queue.block(seconds(60), Tick::START);
    queue.connected(seconds(60));
    assert_eq!(queue.listing(seconds(60)).connection_limit, 5);
}

#[derive(Clone, Debug)]
enum Act {
    Add(u32),
    Take,
    Done(u32),
    Defer(u32, u64, bool),
    Remove(u32),
    Recovered,
    RetryNow,
    Pass(u64),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let id = 0..12_u32;
    let act = prop_oneof![
        4 => id.clone().prop_map(Act::Add),
        4 => Just(Act::Take),
        2 => id.clone().prop_map(Act::Done),
        3 => (id.clone(), 1..100_u64, any::<bool>()).prop_map(|(id, wait, peer)| Act::Defer(id, wait, peer)),
        1 => id.prop_map(Act::Remove),
        1 => Just(Act::Recovered),
        1 => Just(Act::RetryNow),
        2 => (1..60_u64).prop_map(Act::Pass),
    ];
    prop::collection::vec(act, 1..120)
}

/// Until when, since which turn, and whether the peer said so.
type Waits = (u64, u64, bool);

/// The rule with nothing but a list that is searched each time.
#[derive(Default)]
struct Slow {
    /// Identity, turn, what it waits for, being sent.
    all: Vec<(u32, u64, Option<Waits>, bool)>,
    turn: u64,
}

impl Slow {
    fn next_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn
    }

    /// Makes those ready that `which` picks, the earliest first.
    fn wake(&mut self, which: impl Fn(u64, bool) -> bool) {
        let mut due: Vec<(u64, u64, u32)> = Vec::new();
        for (id, _, waits, _) in &self.all {
            if let Some((until, turn, _)) = waits.filter(|(until, _, peer)| which(*until, *peer)) {
                due.push((until, turn, *id));
            }
        }
        due.sort_unstable();
        for (_, _, id) in due {
            let turn = self.next_turn();
            let entry = self.all.iter_mut().find(|entry| entry.0 == id).unwrap();
            (entry.1, entry.2) = (turn, None);
        }
    }

    fn take(&mut self, now: u64) -> Option<u32> {
        self.wake(|until, _| until <= now);
        let ready = self.all.iter_mut().filter(|(_, _, waits, sending)| waits.is_none() && !sending);
        let next = ready.min_by_key(|entry| entry.1)?;
        next.3 = true;
        Some(next.0)
    }
}

proptest! {
    #[test]
    fn any_history_gives_the_messages_that_the_slow_rule_gives(acts in acts()) {
        let mut queue = queue(&[]);
        let mut slow = Slow::default();
        let mut now = 0;
        for act in acts {
            match act {
                Act::Add(id) => {
                    queue.add(id, LATE, seconds(now)).unwrap();
                    if !slow.all.iter().any(|entry| entry.0 == id) {
                        let turn = slow.next_turn();
                        slow.all.push((id, turn, None, false));
                    }
                }
                Act::Take => prop_assert_eq!(queue.take(seconds(now)), slow.take(now)),
                Act::Done(id) => {
                    queue.done(id, seconds(now));
                    slow.all.retain(|entry| entry.0 != id);
                }
                Act::Remove(id) => {
                    prop_assert_eq!(queue.remove(id), slow.all.iter().any(|entry| entry.0 == id));
                    slow.all.retain(|entry| entry.0 != id);
                }
                Act::Defer(id, wait, peer) => {
                    let cause = if peer { Cause::Peer } else { Cause::Connection };
                    queue.defer(id, deferral(now + wait, cause));
                    let turn = slow.turn + 1;
                    if let Some(entry) = slow.all.iter_mut().find(|entry| entry.0 == id) {
                        (entry.2, entry.3) = (Some((now + wait, turn, peer)), false);
                        slow.turn = turn;
                    }
                }
                Act::Recovered => {
                    queue.recovered();
                    slow.wake(|_, peer| !peer);
                }
                Act::RetryNow => {
                    queue.retry_now(seconds(now));
                    slow.wake(|_, _| true);
                }
                Act::Pass(time) => now += time,
            }
            let listing = queue.listing(seconds(now));
            let waits = slow.all.iter().filter(|entry| entry.2.is_some()).count();
            let sending = slow.all.iter().filter(|entry| entry.3).count();
            prop_assert_eq!((listing.deferred, listing.sending), (waits, sending));
            prop_assert_eq!(listing.ready, slow.all.len() - waits - sending);
        }
        let left: BTreeSet<u32> = queue.messages().collect();
        prop_assert_eq!(left, slow.all.iter().map(|entry| entry.0).collect::<BTreeSet<_>>());
    }
}
