use std::sync::atomic::Ordering;

use weir_units::{EventId, Level};

use super::World;
use crate::types::Bypass;

const ON: Bypass = Bypass { on: true };
const OFF: Bypass = Bypass { on: false };

#[tokio::test]
async fn everybody_passes_until_it_is_taken_back() {
    let world = World::empty().await;
    assert_eq!(world.client.bypass().await.unwrap(), OFF, "off after a start");
    assert_eq!(world.client.set_bypass(ON).await.unwrap(), ON);
    assert!(world.gateway.bypass.load(Ordering::SeqCst), "the gateway heard of it before the answer");
    assert_eq!(world.client.bypass().await.unwrap(), ON);
    assert_eq!(world.client.set_bypass(OFF).await.unwrap(), OFF);
    assert!(!world.gateway.bypass.load(Ordering::SeqCst));
}

#[tokio::test]
async fn the_bypass_is_audited_and_an_event_when_it_changes() {
    let world = World::empty().await;
    for wanted in [OFF, ON, ON, OFF, OFF] {
        world.client.set_bypass(wanted).await.unwrap();
    }
    let log = world.audit();
    let actions: Vec<_> = log.iter().map(|line| line["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["bypass.on", "bypass.off"]);
    assert_eq!((&log[0]["before"]["on"], &log[0]["after"]["on"]), (&false.into(), &true.into()));
    let events = world.gateway.events.lock().unwrap();
    let told: Vec<_> = events.iter().map(|event| (event.id, event.level)).collect();
    assert_eq!(told, [(EventId::BYPASS_ON, Level::Warning), (EventId::BYPASS_OFF, Level::Information)]);
}

#[tokio::test]
async fn what_is_no_switch_changes_nothing() {
    let world = World::empty().await;
    for body in ["", "{}", r#"{"on":"yes"}"#, r#"{"on":true,"for":"1h"}"#, "true"] {
        let answer = world.ask("PUT", "/api/v1/bypass", body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "bad_request"), "{body}");
    }
    assert_eq!(world.client.bypass().await.unwrap(), OFF);
}
