use weir_admin::types::UsedBy;

use super::*;

fn target() -> TargetView {
    TargetView {
        address: "192.0.2.10:443".to_owned(),
        name: "https://192.0.2.10".to_owned(),
        used_by: UsedBy::Origin,
        state: "unhealthy".to_owned(),
        error: Some("connection refused".to_owned()),
        retries: 2,
        last_attempt_ms: Some(1_500),
        next_retry_ms: Some(3_001),
        probing: false,
    }
}

#[test]
fn a_listing_says_when_an_unhealthy_server_is_tried_again() {
    let healthy = TargetView {
        address: "192.0.2.11:443".to_owned(),
        name: "mx1.pool.test".to_owned(),
        used_by: UsedBy::Transport,
        state: "healthy".to_owned(),
        error: None,
        retries: 0,
        last_attempt_ms: None,
        next_retry_ms: None,
        ..target()
    };
    let probed = TargetView { probing: true, ..target() };
    assert_eq!(
        listing(&[target(), probed, healthy]),
        "ADDRESS         NAME                USED BY    STATE      RETRIES  NEXT RETRY  LAST ERROR\n\
         192.0.2.10:443  https://192.0.2.10  origin     unhealthy  2        in 4 s      connection refused\n\
         192.0.2.10:443  https://192.0.2.10  origin     unhealthy  2        now         connection refused\n\
         192.0.2.11:443  mx1.pool.test       transport  healthy    0        -           -\n"
    );
}

#[test]
fn what_was_done_is_told_with_the_state_since() {
    for (change, text) in [
        (TargetChange::Disable, "disabled 192.0.2.10:443: nothing goes there"),
        (TargetChange::Drain, "draining 192.0.2.10:443: no further connection goes there"),
        (TargetChange::Enable, "enabled 192.0.2.10:443: it is unhealthy"),
        (TargetChange::Retry, "192.0.2.10:443 is tried at once"),
    ] {
        assert_eq!(told(&target(), change), text);
    }
    let healthy = TargetView { state: "healthy".to_owned(), ..target() };
    assert_eq!(told(&healthy, TargetChange::Retry), "192.0.2.10:443 is healthy");
}

#[test]
fn what_is_said_to_both_users_of_an_address_is_told_of_both() {
    let also = TargetView { used_by: UsedBy::Transport, state: "unproved".to_owned(), ..target() };
    let changed = ChangedTarget { target: target(), also: Some(also) };
    assert_eq!(
        told_of(&changed, TargetChange::Enable),
        "origin: enabled 192.0.2.10:443: it is unhealthy\ntransport: enabled 192.0.2.10:443: it is unproved"
    );
    let alone = ChangedTarget { target: target(), also: None };
    assert_eq!(told_of(&alone, TargetChange::Enable), "enabled 192.0.2.10:443: it is unhealthy");
}
