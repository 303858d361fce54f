use std::collections::BTreeSet;

use proptest::prelude::*;
use weir_units::Micros;

use super::super::promises::Promises;
use super::super::record::Promise;
use super::*;

fn id(text: &str) -> ShadowId {
    text.parse().unwrap()
}

fn minutes(count: u64) -> Tick {
    Tick::START.plus(Micros::MINUTE.times(count))
}

const EPOCH: WallTime = WallTime::from_unix_micros(0);

/// Messages 1 and 2 are with hub04, whose database is `db1`.
fn holdings() -> Holdings<u32> {
    let mut holdings = Holdings::new(ShadowSettings::default());
    for number in [1, 2] {
        hold(&mut holdings, number).unwrap();
    }
    holdings
}

fn hold(holdings: &mut Holdings<u32>, number: u32) -> Result<(), HoldingsFull> {
    let shadow =
        Shadow { partner: id("hub04"), shadow: id(&number.to_string()), database: id("db1"), since: EPOCH };
    holdings.hold(shadow, number, Tick::START)
}

/// Twelve heartbeats in vain; what the last one brought, and when it was.
fn silence(holdings: &mut Holdings<u32>, other_way: bool) -> (Silence<u32>, Tick) {
    for number in 1.. {
        let now = holdings.next_heartbeat();
        assert_eq!(holdings.heartbeats_due(now), [id("hub04")]);
        let follows = holdings.heartbeat_failed(&id("hub04"), |_| other_way, now);
        if follows != (Silence::Wait { failures: number }) {
            return (follows, now);
        }
    }
    unreachable!("it ends by itself")
}

#[test]
fn what_went_onward_is_forgotten() {
    let mut holdings = holdings();
    let discarded = holdings.discard(&id("hub04"), &[id("1"), id("77")], 9);
    assert_eq!(discarded, Discarded { done: vec![1], duplicates: 0 });
    assert_eq!((holdings.held(), holdings.seen(&id("hub04"))), (1, Some(9)));
}

#[test]
fn after_three_hours_of_silence_everything_is_sent_again() {
    let mut holdings = holdings();
    assert_eq!(silence(&mut holdings, true), (Silence::TakeOver(vec![1, 2]), minutes(180)));
    assert_eq!((holdings.held(), holdings.next_heartbeat()), (0, Tick::NEVER));
}

#[test]
fn without_another_way_it_waits_and_goes_on_asking() {
    let mut holdings = holdings();
    assert_eq!(silence(&mut holdings, false), (Silence::NoOtherWay { failures: 12 }, minutes(180)));
    assert_eq!(holdings.held(), 2);
    assert_eq!(holdings.next_heartbeat(), minutes(195));
    let follows = holdings.heartbeat_failed(&id("hub04"), |_| true, minutes(195));
    assert_eq!(follows, Silence::TakeOver(vec![1, 2]), "there is one by then");
}

#[test]
fn what_only_the_partner_could_take_is_kept_when_the_rest_is_taken_over() {
    let mut holdings = holdings();
    let failed = |holdings: &mut Holdings<u32>, now| {
        holdings.heartbeat_failed(&id("hub04"), |number| number == 2, now)
    };
    for number in 1..=11 {
        let now = minutes(15 * u64::from(number));
        assert_eq!(failed(&mut holdings, now), Silence::Wait { failures: number });
    }
    assert_eq!(failed(&mut holdings, minutes(180)), Silence::TakeOver(vec![2]));
    assert_eq!(failed(&mut holdings, minutes(195)), Silence::NoOtherWay { failures: 13 });
    let contact = holdings.contact(&id("hub04"), &id("db1"), minutes(200));
    assert_eq!(contact, Contact { resubmit: vec![], expected_duplicates: 1 });
    let discarded = holdings.discard(&id("hub04"), &[id("1"), id("2")], 5);
    assert_eq!(discarded, Discarded { done: vec![1], duplicates: 1 });
}

#[test]
fn a_heartbeat_on_its_way_is_not_due_again() {
    let mut holdings = holdings();
    holdings.heartbeat_sent(&id("hub04"), minutes(15));
    assert_eq!(holdings.heartbeats_due(minutes(29)), []);
    assert_eq!(holdings.next_heartbeat(), minutes(30));
}

#[test]
fn any_session_counts_as_a_heartbeat() {
    let mut holdings = holdings();
    let contact = holdings.contact(&id("hub04"), &id("db1"), minutes(10));
    assert_eq!(contact, Contact { resubmit: vec![], expected_duplicates: 0 });
    assert_eq!(holdings.next_heartbeat(), minutes(25));
    for number in 1..=11 {
        holdings.heartbeat_failed(&id("hub04"), |_| true, minutes(10 + 15 * number));
    }
    holdings.contact(&id("hub04"), &id("db1"), minutes(180));
    let follows = holdings.heartbeat_failed(&id("hub04"), |_| true, minutes(195));
    assert_eq!(follows, Silence::Wait { failures: 1 }, "counted from anew");
}

#[test]
fn a_partner_with_another_database_has_lost_everything() {
    let mut holdings = holdings();
    let contact = holdings.contact(&id("hub04"), &id("db2"), minutes(1));
    assert_eq!(contact, Contact { resubmit: vec![1, 2], expected_duplicates: 0 });
    assert_eq!(holdings.held(), 0);
}

#[test]
fn back_with_the_same_database_after_a_take_over_duplicates_are_counted() {
    let mut holdings = holdings();
    silence(&mut holdings, true);
    let contact = holdings.contact(&id("hub04"), &id("db1"), minutes(200));
    assert_eq!(contact, Contact { resubmit: vec![], expected_duplicates: 2 });
    let discarded = holdings.discard(&id("hub04"), &[id("1"), id("2")], 5);
    assert_eq!(discarded, Discarded { done: vec![], duplicates: 2 });
    assert_eq!(holdings.duplicates(), 2);
}

#[test]
fn back_with_another_database_after_a_take_over_there_are_none() {
    let mut holdings = holdings();
    silence(&mut holdings, true);
    let contact = holdings.contact(&id("hub04"), &id("db2"), minutes(200));
    assert_eq!(contact, Contact { resubmit: vec![], expected_duplicates: 0 });
}

#[test]
fn shadows_are_bounded_in_number_and_age() {
    let mut holdings = Holdings::new(ShadowSettings { shadows: 2, ..ShadowSettings::default() });
    assert_eq!([1, 2].map(|number| hold(&mut holdings, number)), [Ok(()), Ok(())]);
    assert_eq!(hold(&mut holdings, 3), Err(HoldingsFull { bound: 2 }));
    let two_days = EPOCH.plus(Micros::MINUTE.times(48 * 60));
    assert!(holdings.expired(WallTime::from_unix_micros(two_days.unix_micros() - 1)).is_empty());
    assert_eq!(holdings.expired(two_days), [1, 2]);
    assert_eq!(holdings.held(), 0);
}

#[derive(Clone, Debug)]
enum Act {
    Send,
    Deliver,
    Die,
    Return,
    ReturnEmpty,
    Session { lost: bool },
    Pass(u64),
    OtherWay(bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        5 => Just(Act::Send),
        4 => Just(Act::Deliver),
        1 => Just(Act::Die),
        1 => Just(Act::Return),
        1 => Just(Act::ReturnEmpty),
        2 => any::<bool>().prop_map(|lost| Act::Session { lost }),
        3 => (1..60_u64).prop_map(Act::Pass),
        1 => any::<bool>().prop_map(Act::OtherWay),
    ]
}

/// A holder and a partner; what is sent again is delivered another way.
struct World {
    holdings: Holdings<u32>,
    promises: Promises,
    /// What the partner has and has not passed on.
    queue: BTreeSet<u32>,
    database: u32,
    up: bool,
    other_way: bool,
    minute: u64,
    sent: u32,
    delivered: BTreeMap<u32, u64>,
    lost_a_database: bool,
}

impl World {
    fn new() -> Self {
        Self {
            holdings: Holdings::new(ShadowSettings::default()),
            promises: Promises::new(ShadowSettings::default(), [], EPOCH),
            queue: BTreeSet::new(),
            database: 1,
            up: true,
            other_way: true,
            minute: 0,
            sent: 0,
            delivered: BTreeMap::new(),
            lost_a_database: false,
        }
    }

    fn deliver(&mut self, messages: Vec<u32>) {
        for message in messages {
            *self.delivered.entry(message).or_default() += 1;
        }
    }

    fn contact(&mut self) {
        let contact = self.holdings.contact(&id("p"), &id(&self.database.to_string()), minutes(self.minute));
        self.deliver(contact.resubmit);
    }

    fn session(&mut self, lost: bool) -> usize {
        self.contact();
        let answer = self.promises.answer(&id("s"), 3, self.holdings.seen(&id("p")));
        if !lost {
            self.holdings.discard(&id("p"), &answer.shadows, answer.cursor);
        }
        answer.left
    }

    fn pass_on(&mut self) {
        if let Some(message) = self.queue.pop_first() {
            self.deliver(vec![message]);
            let promise = Promise { holder: id("s"), shadow: id(&message.to_string()) };
            self.promises.onward(promise, EPOCH);
        }
    }

    fn heartbeat(&mut self) {
        if self.holdings.heartbeats_due(minutes(self.minute)).is_empty() {
            return;
        }
        if self.up {
            self.session(false);
        } else if let Silence::TakeOver(messages) =
            self.holdings.heartbeat_failed(&id("p"), |_| self.other_way, minutes(self.minute))
        {
            self.deliver(messages);
        }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Send => {
                let message = self.sent;
                self.sent += 1;
                if self.up {
                    self.contact();
                    self.queue.insert(message);
                    let (shadow, database) = (id(&message.to_string()), id(&self.database.to_string()));
                    let shadow = Shadow { partner: id("p"), shadow, database, since: EPOCH };
                    self.holdings.hold(shadow, message, minutes(self.minute)).unwrap();
                } else {
                    self.deliver(vec![message]);
                }
            }
            Act::Deliver if self.up => self.pass_on(),
            Act::Die => self.up = false,
            Act::Return => self.up = true,
            Act::ReturnEmpty if !self.up => {
                (self.up, self.lost_a_database) = (true, true);
                self.database += 1;
                self.queue.clear();
                self.promises = Promises::new(ShadowSettings::default(), [], EPOCH);
            }
            Act::Session { lost } if self.up => {
                self.session(*lost);
            }
            Act::Pass(time) => {
                for _ in 0..*time {
                    self.minute += 1;
                    self.heartbeat();
                }
            }
            Act::OtherWay(other_way) => self.other_way = *other_way,
            Act::Deliver | Act::ReturnEmpty | Act::Session { .. } => {}
        }
    }

    fn heal(&mut self) {
        self.up = true;
        while !self.queue.is_empty() {
            self.pass_on();
        }
        while self.session(false) > 0 {}
    }
}

proptest! {
    #[test]
    fn every_message_arrives_and_duplicates_are_known(acts in prop::collection::vec(act(), 1..150)) {
        let mut world = World::new();
        for act in &acts {
            world.act(act);
        }
        world.heal();
        prop_assert_eq!(world.holdings.held(), 0, "nothing is kept for ever");
        let missing: Vec<u32> = (0..world.sent).filter(|message| !world.delivered.contains_key(message)).collect();
        prop_assert!(missing.is_empty(), "{:?} never arrived", missing);
        let twice: u64 = world.delivered.values().map(|count| count - 1).sum();
        if world.lost_a_database {
            prop_assert!(world.holdings.duplicates() <= twice);
        } else {
            prop_assert_eq!(world.holdings.duplicates(), twice);
        }
    }
}
