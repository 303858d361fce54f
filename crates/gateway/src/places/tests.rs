use std::sync::Arc;
use std::time::Duration;

use tokio::time::{advance, sleep};
use weir_clock::Clock;
use weir_throttle::fair::{Crowded, LimitRules, Weight};
use weir_units::{Micros, Owner, Tick, WallTime};

use super::{Place, Places, Turn};
use crate::settings::ThrottleSettings;
use crate::testing::asking::ask;

/// An origin where one call runs at a time.
fn one_place(change: impl FnOnce(&mut ThrottleSettings)) -> Arc<Places> {
    let mut settings =
        ThrottleSettings { fair_share: Some(LimitRules::fixed(1).unwrap()), ..ThrottleSettings::default() };
    change(&mut settings);
    let clock = Clock::pretended(WallTime::from_unix_micros(0));
    Arc::new(Places::remote("http://127.0.0.1:1", &settings, clock))
}

fn john() -> Owner {
    Owner::new("john.doe@example.com")
}

fn jane() -> Owner {
    Owner::new("jane.doe@example.com")
}

/// A place, waiting for it up to a minute.
async fn enter(places: &Arc<Places>, owner: Owner) -> Option<Place> {
    ask(places, owner.name()).until(places.clock.tick().plus(Micros::MINUTE)).await
}

fn loaded(places: &Places) -> (u32, u32) {
    let load = places.load();
    (load.running, load.waiting)
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_goes_on_in_the_moment_in_which_a_place_is_given_back() {
    let places = one_place(|_| ());
    let first = enter(&places, john()).await.unwrap();
    let later = async {
        sleep(Duration::from_secs(3)).await;
        assert_eq!(loaded(&places), (1, 1));
        first.done(true);
    };
    let (second, ()) = tokio::join!(enter(&places, jane()), later);
    assert_eq!(places.clock.tick().micros(), 3_000_000);
    drop(second);
    assert_eq!(loaded(&places), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_does_not_come_in_time_leaves_its_line() {
    let places = one_place(|_| ());
    let _first = enter(&places, john()).await.unwrap();
    assert!(enter(&places, jane()).await.is_none());
    assert_eq!((places.clock.tick().micros(), loaded(&places)), (60_000_000, (1, 0)));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_while_its_call_waits_takes_nothing_with_it() {
    let places = one_place(|_| ());
    let first = enter(&places, john()).await.unwrap();
    let mut waits = Box::pin(enter(&places, jane()));
    tokio::select! {
        biased;
        _ = waits.as_mut() => panic!("there is no place"),
        () = sleep(Duration::from_secs(1)) => {}
    }
    // Its turn comes, and in the same moment its client is gone.
    first.done(true);
    drop(waits);
    assert_eq!(loaded(&places), (0, 0));
    assert!(enter(&places, john()).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn ten_calls_of_a_flooder_delay_somebody_else_by_the_one_that_runs() {
    let places = one_place(|_| ());
    let first = enter(&places, john()).await.unwrap();
    let mut flood = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let places = Arc::clone(&places);
        flood.spawn(async move {
            let place = enter(&places, john()).await.unwrap();
            sleep(Duration::from_secs(1)).await;
            place.done(true);
        });
    }
    advance(Duration::from_secs(1)).await;
    tokio::task::yield_now().await;
    assert_eq!(loaded(&places), (1, 10));
    let jane_enters = async {
        let place = enter(&places, jane()).await;
        (place.is_some(), places.clock.tick().micros())
    };
    let ends = async {
        sleep(Duration::from_secs(1)).await;
        first.done(true);
    };
    let ((entered, at), ()) = tokio::join!(jane_enters, ends);
    assert!(entered && at <= 3_000_000, "Jane's turn came after {at} µs");
    while flood.join_next().await.is_some() {}
    assert_eq!(loaded(&places), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn as_many_calls_of_one_owner_wait_as_may() {
    let places = one_place(|throttle| throttle.waiting_per_owner = 1);
    let _first = enter(&places, john()).await.unwrap();
    let asks = |owner| places.ask(&owner, Weight::ONE, Box::new(drop), || true);
    let _line = asks(john()).ok().unwrap();
    assert_eq!(asks(john()).err().unwrap().0, Crowded::Owner { limit: 1 });
    assert!(asks(jane()).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_client_has_gone_holds_its_place_for_as_long_as_calls_usually_take() {
    let places = one_place(|_| ());
    for _ in 0..3 {
        let place = enter(&places, john()).await.unwrap();
        advance(Duration::from_millis(200)).await;
        place.done(true);
    }
    let began = places.clock.tick();
    enter(&places, john()).await.unwrap().abandoned();
    assert_eq!(loaded(&places), (1, 0));
    let _next = enter(&places, jane()).await.unwrap();
    let waited = places.clock.tick().since(began).count();
    assert!((150_000..=201_000).contains(&waited), "{waited} µs");
}

#[tokio::test(start_paused = true)]
async fn switched_off_whoever_waits_goes_on() {
    let places = one_place(|_| ());
    let _first = enter(&places, john()).await.unwrap();
    let off = async {
        sleep(Duration::from_secs(1)).await;
        let before =
            ThrottleSettings { fair_share: Some(LimitRules::default()), ..ThrottleSettings::default() };
        places.reload(&before, &ThrottleSettings { fair_share: None, ..before.clone() });
    };
    let (second, ()) = tokio::join!(enter(&places, jane()), off);
    assert!(second.is_some());
    assert_eq!(places.clock.tick().micros(), 1_000_000);
}

#[tokio::test(start_paused = true)]
async fn an_origin_that_is_known_to_have_two_threads_is_never_given_three_calls() {
    let settings = ThrottleSettings::default();
    let places = Arc::new(Places::embedded(2, &settings, Clock::pretended(WallTime::from_unix_micros(0))));
    assert_eq!(places.load().places, 2);
    let fixed = ThrottleSettings { fair_share: Some(LimitRules::fixed(50).unwrap()), ..settings.clone() };
    places.reload(&settings, &fixed);
    assert_eq!(places.load().places, 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_begins_on_the_thread_that_frees_its_place_and_one_that_may_not_makes_room_for_the_next() {
    let places = one_place(|_| ());
    let first = enter(&places, john()).await.unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let asks = |owner: Owner, may: bool| {
        let tell = tell.clone();
        let name = owner.name().to_owned();
        let begin = move |place: Place| tell.send((name, std::thread::current().id(), place)).unwrap();
        places.ask(&owner, Weight::ONE, Box::new(begin), move || may).ok().flatten().unwrap()
    };
    let (out_of_time, next) = (asks(john(), false), asks(jane(), true));
    let freeing = std::thread::spawn(move || {
        first.done(true);
        std::thread::current().id()
    });
    let freed = freeing.join().unwrap();
    let (name, thread, place) = told.try_recv().unwrap();
    assert_eq!((name.as_str(), thread), (jane().name(), freed));
    assert!(matches!(out_of_time.wait(Tick::NEVER).await, Turn::SentBack(_)));
    assert!(matches!(next.wait(Tick::NEVER).await, Turn::Begun(_)));
    assert_eq!(loaded(&places), (1, 0));
    drop(place);
    assert_eq!(loaded(&places), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_calls_that_end_as_they_begin_are_not_nested() {
    let places = one_place(|throttle| throttle.waiting_per_owner = 10_000);
    let first = enter(&places, john()).await.unwrap();
    let asks = || places.ask(&john(), Weight::ONE, Box::new(drop), || true).ok().flatten().unwrap();
    let lines: Vec<_> = (0..10_000).map(|_| asks()).collect();
    first.done(true);
    assert_eq!(loaded(&places), (0, 0));
    drop(lines);
}
