use super::*;

fn seconds(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

fn disk(percent: u64) -> Observation {
    Observation { disk: Some(percent), ..Observation::default() }
}

const ALL: [Standing; 3] = [Standing::Stranger, Standing::OwnClient, Standing::OwnServer];

#[test]
fn at_medium_strangers_are_slowed_down_and_at_high_nobody_hands_in_anything() {
    let mut pressures = Pressures::new(PressureSettings::default());
    let verdicts = |pressures: &Pressures| ALL.map(|standing| pressures.verdict(standing, Tick::START));
    assert_eq!(verdicts(&pressures), [Verdict::Take; 3]);
    pressures.observe(&disk(95), Tick::START);
    let slow = Verdict::Slow(Micros::SECOND.times(10));
    assert_eq!(verdicts(&pressures), [slow, Verdict::Take, Verdict::Take]);
    pressures.observe(&disk(100), Tick::START);
    assert_eq!(verdicts(&pressures), [Verdict::Refuse(Words::NO_RESOURCES); 3]);
    assert_eq!(Words::NO_RESOURCES.to_string(), "452 4.3.1 Insufficient system resources");
}

#[test]
fn strangers_wait_longer_the_longer_it_lasts_up_to_a_bound() {
    let mut pressures = Pressures::new(PressureSettings::default());
    pressures.observe(&disk(95), Tick::START);
    let waits = |pressures: &Pressures, second| match pressures.verdict(Standing::Stranger, seconds(second)) {
        Verdict::Slow(wait) => wait.count() / 1_000_000,
        Verdict::Take | Verdict::Refuse(_) => panic!("it is medium"),
    };
    assert_eq!(
        [0, 29, 30, 60, 269, 270, 9999].map(|second| waits(&pressures, second)),
        [10, 10, 15, 20, 50, 55, 55]
    );
    pressures.observe(&disk(0), seconds(300));
    pressures.observe(&disk(95), seconds(301));
    assert_eq!(waits(&pressures, 301), 10, "it begins anew");
}

#[test]
fn the_shortest_resource_decides_and_what_cannot_be_measured_stays() {
    let mut pressures = Pressures::new(PressureSettings::default());
    let all = Observation { queue_length: Some(20_000), disk: Some(90), memory: Some(1) };
    assert_eq!(pressures.observe(&all, Tick::START).len(), 2);
    assert_eq!(pressures.level(), Level::High);
    pressures.observe(&Observation { queue_length: None, ..all }, seconds(9999));
    assert_eq!(pressures.level(), Level::High);
    let levels = pressures
        .levels()
        .map(|(resource, level, value)| format!("{} {} {value}", resource.name(), level.name()));
    assert_eq!(levels, ["queue_length high 20000", "disk medium 90", "memory low 1"]);
}

#[test]
fn an_event_says_what_changed_and_what_follows() {
    let mut pressures = Pressures::new(PressureSettings::default());
    let mut check = |percent, id: EventId, text: &str| {
        let events = pressures.observe(&disk(percent), Tick::START);
        assert_eq!((events[0].id, events[0].text.as_str()), (id, text));
    };
    let (rose, fell) = (EventId::BACK_PRESSURE_ROSE, EventId::BACK_PRESSURE_FELL);
    check(95, rose, "disk went from low to medium at 95 %: as far as it decides, strangers are slowed down");
    check(
        100,
        rose,
        "disk went from medium to high at 100 %: as far as it decides, all mail is refused for the time being",
    );
    check(85, fell, "disk went from high to medium at 85 %: as far as it decides, strangers are slowed down");
    check(
        10,
        fell,
        "disk went from medium to low at 10 %: as far as it decides, mail is taken from everybody",
    );
    assert!(pressures.observe(&disk(11), Tick::START).is_empty());
}
