use weir_units::Millis;

use super::*;

fn policy(settings: &[(&str, &str)]) -> Policy {
    let mut policy = Policy::new();
    for (name, text) in settings {
        policy.set_named(name, text).unwrap();
    }
    policy
}

#[test]
fn what_a_policy_leaves_out_comes_from_the_default_policy_and_then_from_the_fallback() {
    let own = policy(&[("EWSFindCountLimit", "1"), ("EWSMaxConcurrency", "null")]);
    let default =
        policy(&[("EWSFindCountLimit", "2"), ("EWSMaxConcurrency", "3"), ("EWSMaxSubscriptions", "4")]);
    let limits = Limits::resolve(&own, &default);
    let ews = limits.component(Component::Ews);
    assert_eq!(ews.find_count, Some(1), "its own");
    assert_eq!(ews.max_concurrency, None, "its own null");
    assert_eq!(ews.max_subscriptions, Some(4), "the default policy's");
    assert_eq!(ews.fast_search, Some(Micros::SECOND.times(60)), "the fallback policy's");
}

#[test]
fn the_fallback_policy_resolves_to_milliseconds_of_a_minute() {
    let limits = Limits::resolve(&Policy::new(), &Policy::new());
    let ews = limits.component(Component::Ews);
    let millis = |part| ews.allowance(part).map(Micros::floor_millis);
    assert_eq!(millis(TimePart::Ad), Some(Millis::new(30_000)));
    assert_eq!(millis(TimePart::Cas), Some(Millis::new(54_000)));
    assert_eq!(millis(TimePart::AddressBook), Some(Millis::new(30_000)));
    assert_eq!(millis(TimePart::MailboxRpc), Some(Millis::new(36_000)));
    assert_eq!(limits.component(Component::Owa).allowance(TimePart::AddressBook), None);
    let over = limits.component(Component::Owa).allowance(TimePart::Cas);
    assert_eq!(over, Some(Millis::new(90_000).micros()), "more than a minute is allowed");
    assert_eq!(limits.cpu_start, Some(Percent::new(75)));
    assert_eq!((limits.message_rate, limits.recipient_rate), (None, None));
    assert_eq!((limits.observe_only, limits.fair_share_weight), (false, 1));
}

#[test]
fn each_component_gets_its_own_limits() {
    let limits = Limits::resolve(&policy(&[("POPMaxConcurrency", "7")]), &Policy::fallback());
    for component in Component::ALL {
        assert_eq!(limits.component(component).component, component);
    }
    assert_eq!(limits.component(Component::Pop).max_concurrency, Some(7));
    assert_eq!(limits.component(Component::Imap).max_concurrency, None);
    assert_eq!(limits.component(Component::Smtp).max_concurrency, None);
}

#[test]
fn ten_calls_may_hang_but_as_many_outlooks_as_may_connect() {
    let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
    assert_eq!(limits.component(Component::Ews).hanging, 10);
    assert_eq!(limits.component(Component::Rca).hanging, 20);
    let limits = Limits::resolve(&policy(&[("RCAMaxConcurrency", "null")]), &Policy::fallback());
    assert_eq!(limits.component(Component::Rca).hanging, u32::MAX);
}

#[test]
fn observing_and_the_weight_are_settings_of_a_policy() {
    let limits =
        Limits::resolve(&policy(&[("ObserveOnly", "1"), ("FairShareWeight", "3")]), &Policy::fallback());
    assert!(limits.observe_only);
    assert_eq!(limits.fair_share_weight, 3);
}
