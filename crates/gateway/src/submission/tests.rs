//! SMTP is no way around the guard (T8) and none around the policy (T19), on a pretended clock.

use std::net::{IpAddr, Ipv4Addr};

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tokio::time::{Duration, advance};

use super::*;
use crate::remote::RemoteSettings;
use crate::settings::Settings;
use crate::testing::World;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
const MESSAGE: Submission = Submission { messages: 1, recipients: 0 };

fn john() -> Owner {
    Owner::new("john.doe@example.com")
}

fn to(recipients: u32) -> Submission {
    Submission { messages: 0, recipients }
}

fn submit(world: &World, submission: Submission) -> Result<(), Refusal> {
    world.gateway.submit(&john(), submission)
}

#[tokio::test(start_paused = true)]
async fn every_name_of_a_person_logs_him_in_and_a_wrong_password_nobody() {
    let world = World::new(Settings::default());
    for name in ["john.doe@example.com", "JohnDoe", r"EXAMPLE\johndoe"] {
        assert_eq!(world.gateway.log_in(name, "secret", HERE).await, Login::Owner(john()));
    }
    for (name, password) in [("JohnDoe", "Secret"), ("nobody", "secret"), ("", "secret"), ("a:b", "secret")] {
        assert_eq!(world.gateway.log_in(name, password, HERE).await, Login::Wrong);
    }
}

#[tokio::test(start_paused = true)]
async fn a_guesser_is_slowed_down_and_who_is_known_is_not() {
    let world = World::new(Settings::default());
    assert_eq!(world.gateway.log_in("JohnDoe", "secret", HERE).await, Login::Owner(john()));
    let began = world.gateway.clock.tick();
    for guess in 0..100 {
        let guess = format!("guess {guess}");
        assert_eq!(world.gateway.log_in("JaneDoe", &guess, HERE).await, Login::Wrong);
        let asked = world.gateway.clock.tick();
        assert_eq!(world.gateway.log_in("JohnDoe", "secret", HERE).await, Login::Owner(john()));
        assert_eq!(world.gateway.clock.tick(), asked, "without delay");
    }
    let took = world.gateway.clock.tick().since(began);
    assert!(took >= Micros::SECOND.times(25), "100 tries took {took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_changed_password_ends_logins_with_the_old_one() {
    let world = World::new(Settings::default());
    assert_eq!(world.gateway.log_in("JohnDoe", "secret", HERE).await, Login::Owner(john()));
    world.store.set_password("JohnDoe", Some("another")).unwrap();
    world.gateway.forget_credentials(&john());
    assert_eq!(world.gateway.log_in("JohnDoe", "secret", HERE).await, Login::Wrong);
}

#[tokio::test(start_paused = true)]
async fn before_a_remote_origin_no_password_is_verified() {
    let remote = RemoteSettings::new(vec!["http://127.0.0.1:9".parse().unwrap()]);
    let world = World::before(remote, Settings::default()).await;
    assert_eq!(world.gateway.log_in("JohnDoe", "secret", HERE).await, Login::Unverifiable);
}

#[tokio::test(start_paused = true)]
async fn a_sender_is_the_owner_whom_his_name_means() {
    let world = World::new(Settings::default());
    for (name, owner) in [
        ("John.Doe@Example.com", Some("john.doe@example.com")),
        ("johndoe", Some("john.doe@example.com")),
        (r"example\JohnDoe", Some("john.doe@example.com")),
        ("who@example.com", Some("who@example.com")),
        (r"EXAMPLE\who", Some("who@example.com")),
        ("who", None),
        ("john.doe@elsewhere.example", None),
        ("", None),
    ] {
        assert_eq!(world.gateway.owner_named(name).await, owner.map(Owner::new), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn exactly_what_the_policy_allows_passes() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("MessageRateLimit", Some(2)), ("RecipientRateLimit", Some(5))]);
    assert_eq!(submit(&world, Submission { messages: 1, recipients: 4 }), Ok(()));
    assert_eq!(submit(&world, MESSAGE), Ok(()));
    let refusal = submit(&world, MESSAGE).unwrap_err();
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::MessageRate, 2, 2));
    assert_eq!(submit(&world, to(1)), Ok(()));
    let refusal = submit(&world, to(1)).unwrap_err();
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::RecipientRate, 5, 5));
    advance(Duration::from_secs(65)).await;
    assert_eq!(submit(&world, MESSAGE), Ok(()), "the minute has gone by");
    assert!(submit(&world, to(1)).is_err(), "the day has not");
    let counted = world.gateway.submitted(&john(), world.gateway.clock.tick());
    assert_eq!(counted, Submitted { messages: 1, recipients: 5 });
}

#[tokio::test(start_paused = true)]
async fn a_changed_limit_holds_from_the_next_message_on() {
    let world = World::new(Settings::default());
    assert_eq!(submit(&world, MESSAGE), Ok(()), "the default policy has no limit");
    world.hold_john_to(&[("MessageRateLimit", Some(1))]);
    assert!(submit(&world, MESSAGE).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_counted_remembered_and_told() {
    let mut registry = Registry::default();
    let world = World::counted(Settings::default(), &mut registry);
    world.hold_john_to(&[("MessageRateLimit", Some(1))]);
    assert_eq!(submit(&world, MESSAGE), Ok(()));
    assert!(submit(&world, MESSAGE).is_err());
    world.gateway.refresh_metrics(&[]);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    for line in [
        r#"mailweir_throttle_refused_total{component="SMTP",part="MessageRateLimit"} 1"#,
        r#"mailweir_budgets{component="SMTP",state="all"} 1"#,
        r#"mailweir_budgets{component="SMTP",state="over_budget"} 1"#,
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let history = world.gateway.history(&john()).unwrap();
    assert_eq!(history.programs.iter().map(|program| program.requests).sum::<u64>(), 2);
    let [call] = history.throttled.as_slice() else { panic!("{:?}", history.throttled) };
    assert_eq!((call.part, call.verdict, call.status), (Part::MessageRate, Verdict::Refuse, 421));
    assert_eq!(call.line, "SMTP budget part MessageRateLimit is used up: 1 of 1; more passes in 65 s");
}

#[tokio::test(start_paused = true)]
async fn who_is_only_observed_sends_on_and_what_would_have_been_refused_is_counted() {
    let mut registry = Registry::default();
    let mut settings = Settings::default();
    settings.throttle.enforce = false;
    let world = World::counted(settings, &mut registry);
    world.hold_john_to(&[("RecipientRateLimit", Some(1))]);
    for _ in 0..3 {
        assert_eq!(submit(&world, to(1)), Ok(()));
    }
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    let line = r#"mailweir_throttle_would_refuse_total{component="SMTP",part="RecipientRateLimit"} 2"#;
    assert!(text.contains(line), "{text}");
    assert!(!text.contains("mailweir_throttle_refused_total{"), "{text}");
    let history = world.gateway.history(&john()).unwrap();
    assert_eq!(history.throttled.iter().map(|call| call.verdict).next(), Some(Verdict::WouldRefuse));
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_observes_and_a_bypass_let_everybody_pass() {
    let world = World::new(Settings::default());
    world.hold_john_to(&[("MessageRateLimit", Some(0)), ("ObserveOnly", Some(1))]);
    assert_eq!(submit(&world, MESSAGE), Ok(()));
    let world = World::new(Settings::default());
    world.hold_john_to(&[("MessageRateLimit", Some(0))]);
    assert!(submit(&world, MESSAGE).is_err());
    world.gateway.set_bypass(true);
    assert_eq!(submit(&world, MESSAGE), Ok(()));
}
