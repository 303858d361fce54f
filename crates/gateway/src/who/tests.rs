//! Nobody can spend a stranger's budget, nor lock him out (T8), on a pretended clock.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderValue};
use tokio::task::JoinSet;
use weir_units::{Micros, Owner};

use super::Identity;
use crate::settings::Settings;
use crate::testing::World;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

fn credentials(name: &str, password: &str) -> HeaderMap {
    let encoded = STANDARD.encode(format!("{name}:{password}"));
    let header = HeaderValue::from_str(&format!("Basic {encoded}")).unwrap();
    HeaderMap::from_iter([(AUTHORIZATION, header)])
}

async fn ask(world: &World, headers: &HeaderMap) -> Option<String> {
    match world.gateway.gatekeeper.identify(headers, HERE).await {
        Identity::Known(caller, _) => Some(caller.owner.name().to_owned()),
        Identity::Anonymous | Identity::Rejected | Identity::Unverifiable => None,
    }
}

#[tokio::test(start_paused = true)]
async fn one_person_is_one_owner_however_named() {
    let world = World::new(Settings::default());
    for name in ["john.doe@example.com", "JOHN.DOE@EXAMPLE.COM", "JohnDoe", r"EXAMPLE\johndoe"] {
        assert_eq!(ask(&world, &credentials(name, "secret")).await.as_deref(), Some("john.doe@example.com"));
    }
    assert_eq!(ask(&world, &credentials("JohnDoe", "Secret")).await, None);
    assert_eq!(ask(&world, &HeaderMap::new()).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_guesser_neither_spends_johns_budget_nor_delays_him() {
    let world = Arc::new(World::new(Settings::default()));
    let john = credentials("JohnDoe", "secret");
    assert!(ask(&world, &john).await.is_some());
    let began = world.gateway.clock.tick();
    let mut guesses = JoinSet::new();
    for guess in 0..1000 {
        let world = Arc::clone(&world);
        guesses.spawn(async move { ask(&world, &credentials("JohnDoe", &format!("guess {guess}"))).await });
    }
    let mut done = 0_u32;
    while let Some(guess) = guesses.join_next().await {
        assert_eq!(guess.unwrap(), None);
        done += 1;
        if done.is_multiple_of(25) && world.gateway.clock.tick().since(began) < Micros::MINUTE.times(4) {
            let asked = world.gateway.clock.tick();
            assert!(ask(&world, &john).await.is_some(), "John goes on working");
            assert_eq!(world.gateway.clock.tick(), asked, "without delay");
        }
    }
    let owner = Owner::new("john.doe@example.com");
    assert_eq!(world.gateway.budgets.all_of(&owner).len(), 0, "no budget was touched");
}

#[tokio::test(start_paused = true)]
async fn a_patient_guesser_gets_a_few_tries_a_second() {
    let world = World::new(Settings::default());
    let began = world.gateway.clock.tick();
    for guess in 0..100 {
        assert_eq!(ask(&world, &credentials("JohnDoe", &format!("guess {guess}"))).await, None);
    }
    let took = world.gateway.clock.tick().since(began);
    assert!(took >= Micros::SECOND.times(25), "100 tries took {took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_changed_password_is_in_force_at_once() {
    let world = World::new(Settings::default());
    let old = credentials("JohnDoe", "secret");
    assert!(ask(&world, &old).await.is_some());
    let john = world.store.set_password("JohnDoe", Some("another")).unwrap();
    world.gateway.forget_credentials(&john.account.owner);
    assert_eq!(ask(&world, &old).await, None);
    assert!(ask(&world, &credentials("JohnDoe", "another")).await.is_some());
}
