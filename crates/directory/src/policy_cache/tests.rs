use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

use super::*;
use crate::chain::Source;
use crate::directory::{Account, Home, Link, PolicyChain, StoredPolicy, Verification};
use crate::guid::Guid;
use crate::testing::{World, recorded_events};
use weir_throttle::{Parameter, Policy, Setting};
use weir_units::{Component, Event};

/// A directory in memory that can fail and counts what it is asked.
#[derive(Default)]
struct Fake {
    state: Mutex<State>,
    /// Called once, in the middle of the next load.
    while_loading: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    loads: AtomicU64,
    versions_read: AtomicU64,
}

#[derive(Default)]
struct State {
    find_counts: BTreeMap<Owner, u32>,
    deleted: bool,
    version: u64,
    fails: bool,
}

impl Fake {
    fn assign(&self, owner: &Owner, find_count: u32) {
        self.state.lock().unwrap().find_counts.insert(owner.clone(), find_count);
    }

    /// As an administrator does it through our interface.
    fn assign_and_tell(&self, owner: &Owner, find_count: u32) {
        self.assign(owner, find_count);
        self.state.lock().unwrap().version += 1;
    }

    fn fails(&self, fails: bool) {
        self.state.lock().unwrap().fails = fails;
    }

    fn unless_failing<T>(&self, act: impl FnOnce(&State) -> T) -> Result<T, DirectoryError> {
        let state = self.state.lock().unwrap();
        if state.fails { Err(DirectoryError { why: "no route".to_owned() }) } else { Ok(act(&state)) }
    }
}

impl Directory for Fake {
    fn home(&self, _name: &str) -> Result<Option<Home>, DirectoryError> {
        panic!("the cache asks for no organisations")
    }

    fn resolve(&self, _: &str) -> Result<Option<Account>, DirectoryError> {
        Ok(None)
    }

    fn verify(&self, _: &str, _: &str) -> Result<Verification, DirectoryError> {
        Ok(Verification::Rejected)
    }

    fn people(&self, _: &str, _: &Account, _: usize) -> Result<Vec<Account>, DirectoryError> {
        Ok(Vec::new())
    }

    fn policy_of(&self, owner: &Owner) -> Result<PolicyChain, DirectoryError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let answer = self.unless_failing(|state| {
            let stored = |name: &str, policy| StoredPolicy {
                guid: Guid::of_row(name),
                name: name.to_owned(),
                content: Ok(Arc::new(policy)),
            };
            let mut own = Policy::new();
            let find = Parameter::from_name("EWSFindCountLimit").unwrap();
            own.set(
                find,
                state.find_counts.get(owner).map_or(Setting::LeftOut, |count| Setting::Value(*count)),
            )
            .unwrap();
            let assigned = if state.deleted {
                Link::Deleted { tombstone: "Foo\nDEL:1".to_owned() }
            } else {
                Link::Policy(stored("Foo", own))
            };
            let defaults = vec![stored("Default", Policy::fallback())];
            PolicyChain::Inside { organisation: "example.com".to_owned(), assigned, defaults }
        });
        if let Some(act) = self.while_loading.lock().unwrap().take() {
            act();
        }
        answer
    }

    fn version(&self) -> Result<u64, DirectoryError> {
        self.versions_read.fetch_add(1, Ordering::Relaxed);
        self.unless_failing(|state| state.version)
    }
}

struct Bench {
    fake: Arc<Fake>,
    cache: Arc<PolicyCache>,
    events: Arc<Mutex<Vec<Event>>>,
}

impl Bench {
    fn new() -> Self {
        Self::with(CacheSettings::default())
    }

    fn with(settings: CacheSettings) -> Self {
        let fake = Arc::new(Fake::default());
        let (sink, events) = recorded_events();
        Self { cache: Arc::new(PolicyCache::new(fake.clone(), settings, sink)), fake, events }
    }

    fn loads(&self) -> u64 {
        self.fake.loads.load(Ordering::Relaxed)
    }

    fn find_count(&self, owner: &Owner, now: Tick) -> u32 {
        let policy = self.cache.lookup(owner, now);
        policy.limits.component(Component::Ews).find_count.unwrap()
    }

    fn heard(&self) -> Vec<u16> {
        self.events.lock().unwrap().iter().map(|event| event.id.0).collect()
    }
}

fn john() -> Owner {
    Owner::new("john@example.com")
}

fn at(minutes: u64, seconds: u64) -> Tick {
    Tick::START.plus(Micros::MINUTE.times(minutes)).plus(Micros::SECOND.times(seconds))
}

#[test]
fn an_entry_lives_five_minutes_after_its_last_use() {
    let bench = Bench::new();
    bench.cache.lookup(&john(), at(1, 0));
    bench.cache.lookup(&john(), at(5, 59));
    assert_eq!(bench.loads(), 1, "4:59 after its last use it is still good");
    bench.cache.lookup(&john(), at(10, 58));
    assert_eq!(bench.loads(), 1, "a use prolongs it");
    bench.cache.lookup(&john(), at(15, 58));
    assert_eq!(bench.loads(), 2, "5:00 after its last use it is not");
    assert_eq!((bench.cache.hits(), bench.cache.misses(), bench.cache.length()), (2, 2, 1));
}

#[test]
fn an_entry_in_steady_use_lives_fifteen_minutes() {
    let bench = Bench::new();
    for second in 0..15 * 60 {
        bench.cache.lookup(&john(), at(1, second));
    }
    assert_eq!(bench.loads(), 1);
    bench.cache.lookup(&john(), at(16, 0));
    assert_eq!(bench.loads(), 2);
}

#[test]
fn a_look_up_that_comes_late_does_not_turn_time_back() {
    let bench = Bench::new();
    bench.cache.lookup(&john(), at(0, 0));
    bench.cache.lookup(&john(), at(4, 0));
    bench.cache.lookup(&john(), at(3, 0));
    bench.cache.lookup(&john(), at(8, 30));
    assert_eq!(bench.loads(), 1, "the last use was at minute 4");
}

#[test]
fn a_change_behind_our_back_is_in_force_when_the_caches_times_are_over() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    assert_eq!(bench.find_count(&john(), at(0, 0)), 7);
    bench.fake.assign(&john(), 8);
    assert_eq!(bench.find_count(&john(), at(4, 59)), 7);
    assert_eq!(bench.find_count(&john(), at(9, 58)), 7);
    assert_eq!(bench.find_count(&john(), at(14, 57)), 7);
    assert_eq!(bench.find_count(&john(), at(15, 0)), 8);
}

#[test]
fn a_change_through_our_interface_is_in_force_within_a_second() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    for tenth in 0..20 {
        bench.find_count(&john(), Tick::new(tenth * 100_000));
    }
    bench.fake.assign_and_tell(&john(), 8);
    assert_eq!(bench.find_count(&john(), Tick::new(2_500_000)), 8);
    assert_eq!(bench.loads(), 2, "the first version that is read outdates nothing");
}

#[test]
fn the_version_is_read_at_most_twice_a_second() {
    let bench = Bench::new();
    for millisecond in 0..10_000 {
        bench.cache.lookup(&john(), Tick::new(millisecond * 1000));
    }
    assert_eq!(bench.fake.versions_read.load(Ordering::Relaxed), 20);
}

#[test]
fn an_invalidated_cache_asks_again_at_once() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    bench.find_count(&john(), at(0, 0));
    bench.fake.assign(&john(), 8);
    bench.cache.invalidate();
    assert_eq!(bench.find_count(&john(), at(0, 0)), 8);
    assert_eq!(bench.loads(), 2);
}

#[test]
fn a_change_while_the_directory_is_read_outdates_what_was_read() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    let (fake, cache) = (bench.fake.clone(), bench.cache.clone());
    *bench.fake.while_loading.lock().unwrap() = Some(Box::new(move || {
        fake.assign(&john(), 8);
        cache.invalidate();
    }));
    assert_eq!(bench.find_count(&john(), at(0, 0)), 7);
    assert_eq!(bench.find_count(&john(), at(0, 0)), 8);
}

#[test]
fn an_event_is_heard_once_a_load_and_not_once_a_request() {
    let bench = Bench::new();
    bench.fake.state.lock().unwrap().deleted = true;
    for second in 0..14 * 60 {
        assert_eq!(bench.cache.lookup(&john(), at(0, second)).source, Source::Default);
    }
    assert_eq!(bench.heard(), [2914]);
    bench.cache.lookup(&john(), at(15, 0));
    assert_eq!(bench.heard(), [2914, 2914]);
}

#[test]
fn an_unreachable_directory_leaves_the_last_known_policy_until_its_age_limit() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    bench.find_count(&john(), at(0, 0));
    bench.fake.fails(true);
    assert_eq!(bench.find_count(&john(), at(4, 0)), 7);
    let known = bench.cache.lookup(&john(), at(9, 0));
    assert_eq!((known.source, known.loaded_at), (Source::Assigned, at(0, 0)));
    assert_eq!(known.reasons, [Reason::DirectoryUnreachable { why: "no route".to_owned() }]);
    assert_eq!(bench.find_count(&john(), at(14, 59)), 7);

    let fallback = bench.cache.lookup(&john(), at(15, 0));
    assert_eq!(fallback.source, Source::Fallback);
    assert_eq!(fallback.reasons, [Reason::DirectoryUnreachable { why: "no route".to_owned() }]);
    assert_eq!(bench.find_count(&john(), at(45, 0)), 1000);
    assert_eq!(bench.heard(), [5012], "once an outage");
}

#[test]
fn the_age_limit_holds_to_the_moment_and_an_outage_is_one_reason() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    bench.find_count(&john(), at(0, 0));
    bench.fake.fails(true);
    bench.cache.invalidate();
    for second in [0, 2, 4, 59] {
        let known = bench.cache.lookup(&john(), at(14, second).plus(Micros::new(900_000)));
        assert_eq!((known.source, known.reasons.len()), (Source::Assigned, 1), "{second}");
    }
    assert_eq!(bench.cache.lookup(&john(), at(15, 0)).source, Source::Fallback);
}

#[test]
fn a_directory_that_comes_back_is_in_force_within_a_second_or_two() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    bench.fake.fails(true);
    assert_eq!(bench.find_count(&john(), at(0, 0)), 1000);
    for _ in 0..100 {
        bench.find_count(&john(), at(0, 0));
    }
    assert_eq!(bench.loads(), 1, "a directory that fails is left alone for a moment");
    bench.fake.fails(false);
    assert_eq!(bench.find_count(&john(), at(0, 1)), 7);
    bench.fake.fails(true);
    bench.cache.invalidate();
    bench.find_count(&john(), at(0, 3));
    assert_eq!(bench.heard(), [5012, 5012], "the next outage is heard of again");
}

#[test]
fn an_outdated_entry_is_still_the_last_known_one() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    bench.find_count(&john(), at(0, 0));
    bench.fake.fails(true);
    bench.cache.invalidate();
    assert_eq!(bench.find_count(&john(), at(0, 1)), 7);
}

#[test]
fn a_peek_shows_age_and_next_reading_and_is_no_use() {
    let bench = Bench::new();
    assert!(bench.cache.peek(&john(), at(0, 0)).is_none());
    bench.cache.lookup(&john(), at(1, 0));
    let state = bench.cache.peek(&john(), at(4, 0)).unwrap();
    assert_eq!((state.age, state.rereads_at), (Micros::MINUTE.times(3), at(6, 0)));
    assert_eq!(state.policy.name, "Foo");
    bench.cache.lookup(&john(), at(5, 0));
    bench.cache.lookup(&john(), at(9, 0));
    bench.cache.lookup(&john(), at(13, 0));
    assert_eq!(
        bench.cache.peek(&john(), at(13, 0)).unwrap().rereads_at,
        at(16, 0),
        "the age limit comes first"
    );
    bench.cache.invalidate();
    assert_eq!(bench.cache.peek(&john(), at(13, 1)).unwrap().rereads_at, at(13, 1));
    assert_eq!((bench.cache.hits(), bench.cache.misses()), (3, 1));
}

#[test]
fn the_cache_is_bounded_and_keeps_those_in_use() {
    let bench = Bench::with(CacheSettings { max_entries: 64, ..CacheSettings::default() });
    let owner = |number: u64| Owner::new(&format!("user{number}@example.com"));
    for number in 0..1000 {
        bench.cache.lookup(&owner(number), Tick::new(number));
        bench.cache.lookup(&owner(0), Tick::new(number));
        assert!(bench.cache.length() <= 64, "{number}");
    }
    assert!(bench.cache.length() >= 56, "only a few make room: {}", bench.cache.length());
    let before = bench.loads();
    bench.cache.lookup(&owner(0), Tick::new(1000));
    bench.cache.lookup(&owner(999), Tick::new(1000));
    assert_eq!(bench.loads(), before);
}

#[test]
fn a_cache_without_room_still_answers() {
    let bench = Bench::with(CacheSettings { max_entries: 0, ..CacheSettings::default() });
    bench.fake.assign(&john(), 7);
    for second in 0..3 {
        assert_eq!(bench.find_count(&john(), at(0, second)), 7);
        bench.find_count(&Owner::new("jane@example.com"), at(0, second));
    }
    assert_eq!(bench.cache.length(), 1);
}

#[test]
fn a_sweep_drops_what_is_beyond_its_age_limit() {
    let bench = Bench::new();
    bench.cache.lookup(&john(), at(0, 0));
    bench.cache.lookup(&Owner::new("jane@example.com"), at(10, 0));
    bench.cache.sweep(at(14, 59));
    assert_eq!(bench.cache.length(), 2);
    bench.cache.sweep(at(15, 0));
    assert_eq!(bench.cache.length(), 1);
}

#[test]
fn many_threads_that_miss_at_once_load_once() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 7);
    let together = Barrier::new(8);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                together.wait();
                for millisecond in 0..1000 {
                    assert_eq!(bench.find_count(&john(), Tick::new(millisecond * 1000)), 7);
                }
            });
        }
    });
    // The first version that is read outdates nothing here, since it is 0 as in an empty cache.
    assert_eq!(bench.loads(), 1);
    assert_eq!(bench.cache.hits() + bench.cache.misses(), 8000);
}

#[test]
fn a_thread_that_waited_for_anothers_load_does_not_load_again() {
    let bench = Bench::new();
    thread::scope(|scope| {
        let cache = bench.cache.clone();
        let (second_may_begin, begin) = std::sync::mpsc::channel();
        *bench.fake.while_loading.lock().unwrap() = Some(Box::new(move || {
            second_may_begin.send(()).unwrap();
            while cache.misses() < 2 {
                thread::yield_now();
            }
        }));
        scope.spawn(|| bench.cache.lookup(&john(), at(0, 0)));
        begin.recv().unwrap();
        bench.cache.lookup(&john(), at(0, 0));
    });
    assert_eq!((bench.loads(), bench.cache.misses()), (1, 2));
}

#[test]
fn no_thread_sees_an_old_policy_after_another_one_saw_its_successor() {
    let bench = Bench::new();
    bench.fake.assign(&john(), 1);
    let rounds = 200;
    let clock = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for count in 2..=rounds {
                bench.fake.assign_and_tell(&john(), count);
                clock.fetch_add(1_000_000, Ordering::SeqCst);
            }
        });
        for _ in 0..3 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < rounds {
                    let count = bench.find_count(&john(), Tick::new(clock.load(Ordering::SeqCst)));
                    assert!(count >= seen, "{count} after {seen}");
                    seen = count;
                    clock.fetch_add(500_000, Ordering::SeqCst);
                }
            });
        }
    });
}

#[test]
fn the_store_behind_the_cache_keeps_both_promises() {
    let world = World::example();
    let cache = PolicyCache::new(world.store.clone(), CacheSettings::default(), EventSink::none());
    let owner = Owner::new("john.doe@example.com");
    let find = Parameter::from_name("EWSFindCountLimit").unwrap();
    let seen = |now| cache.lookup(&owner, now).limits.component(Component::Ews).find_count;
    assert_eq!(seen(at(0, 0)), Some(1000));

    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    world.store.set_policy("FooPolicy", &[(find, Setting::Value(1))]).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    assert_eq!(seen(at(0, 1)), Some(1));

    let settings = r#"{"EWSFindCountLimit":2}"#;
    world
        .other_hands()
        .execute("UPDATE policy SET settings = ? WHERE name = 'FooPolicy'", [settings])
        .unwrap();
    assert_eq!(seen(at(5, 0)), Some(1));
    assert_eq!(seen(at(10, 0)), Some(2));

    // In steady use it takes until the age limit, to the second.
    let settings = r#"{"EWSFindCountLimit":3}"#;
    world
        .other_hands()
        .execute("UPDATE policy SET settings = ? WHERE name = 'FooPolicy'", [settings])
        .unwrap();
    for minute in 11..25 {
        assert_eq!(seen(at(minute, 0)), Some(2), "minute {minute}");
    }
    assert_eq!(seen(at(24, 59)), Some(2));
    assert_eq!(seen(at(25, 0)), Some(3));
    world.store.set_policy("FooPolicy", &[(find, Setting::Value(4))]).unwrap();
    assert_eq!(seen(at(25, 1)), Some(4), "through our own interface within a second");
}
