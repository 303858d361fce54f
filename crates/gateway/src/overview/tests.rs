use std::sync::Arc;

use weir_throttle::fair::{LimitRules, Load};
use weir_units::Owner;

use crate::settings::{Settings, ThrottleSettings};
use crate::testing::World;
use crate::testing::asking::{Asking, ask};

/// A gateway before an embedded origin where one call runs at a time.
fn one_place() -> World {
    let fair_share = Some(LimitRules::fixed(1).unwrap());
    World::new(Settings {
        throttle: ThrottleSettings { fair_share, ..ThrottleSettings::default() },
        ..Settings::default()
    })
}

#[tokio::test(start_paused = true)]
async fn each_owners_calls_are_told_apart_at_the_origin_that_they_share() {
    let world = one_place();
    let (john, jane) = (Owner::new("john.doe@example.com"), Owner::new("jane.doe@example.com"));
    let places = Arc::clone(world.gateway.places().next().unwrap());
    let calls: Vec<Asking> = [&john, &john, &john, &jane].map(|owner| ask(&places, owner.name())).into();
    let [(at, johns)] = &world.gateway.origins_of(&john)[..] else { panic!("one origin") };
    assert_eq!((at.origin.as_str(), at.is_limited), ("embedded", true));
    assert_eq!(at.load, Load { running: 1, places: 1, waiting: 3 });
    assert_eq!((johns.running, johns.waiting), (1, 2));
    let [(_, janes)] = &world.gateway.origins_of(&jane)[..] else { panic!("one origin") };
    assert_eq!((janes.running, janes.waiting), (0, 1));
    assert_eq!(world.gateway.origins(), std::slice::from_ref(at));
    drop(calls);
    assert_eq!(world.gateway.origins()[0].load, Load { running: 0, places: 1, waiting: 0 });
}

#[tokio::test(start_paused = true)]
async fn where_fair_share_is_off_no_limit_is_told() {
    let world = one_place();
    let mut settings = Settings::clone(&world.gateway.settings());
    settings.throttle.fair_share = None;
    world.gateway.reload(settings);
    let [at] = &world.gateway.origins()[..] else { panic!("one origin") };
    assert!(!at.is_limited);
}
